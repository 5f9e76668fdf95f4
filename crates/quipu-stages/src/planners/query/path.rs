//! Checks a path against the question's words, with the help of the graph's tables.

use quipu_graph::{NodeId, iri_of_key};
use quipu_language::with_superlatives;
use quipu_query::{Made, Query, Tables, all_in_order};
use quipu_reading::{
    FAR_FROM_ROLE, is_called_another_kind, is_in_the_unit, is_what_is_asked, leads_to_what_is_asked,
    of_another_measure, orders_another_kind, right_ends,
};

use super::near::distance_of_role;
use crate::answer::{AnswerError, PlanStart, Planned};
use crate::ledger::Context;
use crate::plan::follow;
use crate::planners::reading::{counted, iris_of, query_of, step_of};

/// Most ends of a path whose types are checked.
const HELD: usize = 100;

/// Whether the end of a path is far in meaning from the role that the question asks for ("the mayor
/// of").
///
/// # Errors
/// The graph's, the embedder's.
pub async fn is_far_from_role(
    context: &Context<'_>,
    question: &str,
    path: &Planned,
) -> Result<bool, AnswerError> {
    let Some(tables) = counted(context) else { return Ok(false) };
    let Some(query) = query_of(context, &tables, path).await? else { return Ok(false) };
    Ok(distance_of_role(context, question, &query, &tables).await? >= FAR_FROM_ROLE)
}

/// Whether a path's values have the measure and the unit that the question asks for and, if they
/// are ordered, start at the right end: the lightest is not the lowest, and a longer thing does not
/// have a later date.
///
/// # Errors
/// The graph's.
pub async fn measures_what_is_asked(
    context: &Context<'_>,
    question: &str,
    path: &Planned,
) -> Result<bool, AnswerError> {
    let Some(tables) = counted(context) else { return Ok(true) };
    let query = match query_of(context, &tables, path).await? {
        None => of_class(context, &tables, path).await?,
        query => query,
    };
    let Some(mut query) = query else { return Ok(true) };
    if of_another_measure(question, &query, &tables).is_some() || !is_in_the_unit(question, &query, &tables) {
        return Ok(false);
    }
    let is_ordered = matches!(path.made, Made::Ordered { .. });
    Ok(!is_ordered || right_ends(&with_superlatives(question), &mut query, &tables).is_none())
}

/// The query of a path from a class to its instances and on to the values that order them.
async fn of_class(
    context: &Context<'_>,
    tables: &Tables,
    path: &Planned,
) -> Result<Option<Query>, AnswerError> {
    let (PlanStart::Entity(node, _), [_, last]) = (&path.start, path.steps.as_slice()) else {
        return Ok(None);
    };
    let Made::Ordered { descending, .. } = path.made else { return Ok(None) };
    let class = context.graph().summaries(&[*node]).await?.pop();
    let Some((class, last)) = class.zip(step_of(context, last)) else { return Ok(None) };
    Ok(all_in_order(tables, &iri_of_key(&class.key), &last.relation, descending))
}

/// Whether a path starts and ends at entities of the kinds that the question names: "the pilot
/// Emma" is no ship, and "what cities are there in Peru" asks for no rivers.
///
/// # Errors
/// The graph's.
pub async fn is_of_named_kinds(
    context: &Context<'_>,
    question: &str,
    path: &Planned,
) -> Result<bool, AnswerError> {
    let Some(tables) = counted(context) else { return Ok(true) };
    let PlanStart::Entity(node, span) = &path.start else { return Ok(true) };
    let last = path.steps.last().and_then(|last| step_of(context, last));
    if matches!(path.made, Made::Values | Made::Count)
        && last.is_some_and(|last| !leads_to_what_is_asked(question, &last, &tables))
    {
        // The relation may lead to other kinds in general, but not on this path.
        let walk = follow(context.graph(), *node, &path.steps).await?;
        let ends: Vec<NodeId> =
            walk.hops.last().into_iter().flatten().map(|(end, _)| *end).take(HELD).collect();
        for end in context.graph().summaries(&ends).await? {
            let types = iris_of(context, &end.types).await?;
            if !is_what_is_asked(question, &types, &tables) {
                return Ok(false);
            }
        }
    }
    // The longest of bridges and rivers is not the longest bridge.
    if matches!(path.made, Made::Ordered { .. }) && path.steps.len() > 1 {
        let walk = follow(context.graph(), *node, &path.steps).await?;
        let ordered = walk.hops.iter().rev().nth(1).into_iter().flatten();
        let ordered: Vec<NodeId> = ordered.map(|(end, _)| *end).take(HELD).collect();
        for thing in context.graph().summaries(&ordered).await? {
            let types = iris_of(context, &thing.types).await?;
            if orders_another_kind(question, &types, &tables) {
                return Ok(false);
            }
        }
    }
    let named = question.get(span.clone()).unwrap_or_default();
    let Some(start) = context.graph().summaries(&[*node]).await?.pop() else { return Ok(true) };
    let types = iris_of(context, &start.types).await?;
    Ok(!is_called_another_kind(question, named, &types, &tables))
}
