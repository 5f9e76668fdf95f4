//! A path that answers a question, with what is made of its values, as a query: its reading in words, and its values with their keys.

use quipu_graph::{Direction, NodeId, iri_of_key};
use quipu_language::with_superlatives;
use quipu_query::asked::{
    FAR_FROM_ROLE, is_called_another_kind, is_what_is_asked, leads_to_what_is_asked, right_ends,
};
use quipu_query::{
    Made, PathFrom, PathStart, PathStep, Query, RunLimits, Tables, is_too_much, kept_tables, path_query,
    plan, run, say,
};

use super::answer::{SHOWN, answers_of, table_of};
use super::near::distance_of_role;
use crate::AnswerError;
use crate::answer::{AnswerTable, Reading};
use crate::context::{Context, PlanStart, Planned};
use crate::methods::Outcome;
use crate::plan::follow;

/// Adds to what a path led to how the question was read, and the values as a table. An answer is left as it is where the graph's tables
/// were not counted yet or do not hold the path, and where the query leads elsewhere.
///
/// # Errors
/// The graph's.
pub(in crate::methods) async fn read_path(
    context: &Context<'_>,
    path: &Planned,
    walked: Outcome,
) -> Result<Outcome, AnswerError> {
    let Some(tables) = counted(context) else { return Ok(walked) };
    let Some(query) = query_of(context, &tables, path).await? else { return Ok(walked) };
    let planned = match plan(&query, &tables) {
        Ok(planned) => planned,
        Err(error) if error.is_of_the_text() => return Ok(walked),
        Err(error) => return Err(error.into()),
    };
    let mut reading = Reading {
        words: say(&query, &tables),
        sql: Some(query.to_string()),
        sparql: Some(planned.sparql()),
        confidence: walked.confidence,
        values: walked.answers.iter().take(SHOWN).cloned().collect(),
        ..Reading::default()
    };
    if context.workspace.embedded().is_none() {
        // An endpoint gave these values already: it is not asked for them again.
        return Ok(Outcome { readings: vec![reading], ..walked });
    }
    let rows = match run(context.workspace, &planned, &RunLimits::default()).await {
        Ok(rows) => rows,
        Err(error) if error.is_of_the_text() || is_too_much(&error) => return Ok(walked),
        Err(error) => return Err(error.into()),
    };
    let mut table = table_of(&planned, &rows);
    let expected = path.gives.as_ref().unwrap_or(&walked.answers);
    match &path.made {
        // A path does not lead back to where it starts.
        Made::Values => put_in_order(&mut table, expected),
        // Who is level with the last is among them.
        Made::Within { counted: false, .. } | Made::Ordered { limit: None, .. } => {
            put_in_order(&mut table, expected);
        }
        _ => {}
    }
    let mut found = answers_of(&table);
    found.dedup();
    if !are_alike(&found, expected) {
        return Ok(walked);
    }
    if path.gives.is_some() {
        return Ok(Outcome { readings: vec![reading], ..walked });
    }
    reading.values = found.into_iter().take(SHOWN).collect();
    Ok(Outcome { table: Some(table), readings: vec![reading], ..walked })
}

/// Whether what a path leads to is far in meaning from the thing that the question asks for by a role ("the mayor of").
///
/// # Errors
/// The graph's, the embedder's.
pub(in crate::methods) async fn is_far_from_role(
    context: &Context<'_>,
    question: &str,
    path: &Planned,
) -> Result<bool, AnswerError> {
    let Some(tables) = counted(context) else { return Ok(false) };
    let Some(query) = query_of(context, &tables, path).await? else { return Ok(false) };
    Ok(distance_of_role(context, question, &query, &tables).await? >= FAR_FROM_ROLE)
}

/// Whether a path orders its values from the end that the question's words ask for: what is longer has no later date.
///
/// # Errors
/// The graph's.
pub(in crate::methods) async fn orders_from_the_right_end(
    context: &Context<'_>,
    question: &str,
    path: &Planned,
) -> Result<bool, AnswerError> {
    let Some(tables) = counted(context).filter(|_| matches!(path.made, Made::Ordered { .. })) else {
        return Ok(true);
    };
    let Some(mut query) = query_of(context, &tables, path).await? else { return Ok(true) };
    Ok(right_ends(&with_superlatives(question), &mut query, &tables).is_none())
}

/// Whether a path starts and ends at things of the kinds that the question's nouns name: "the pilot Emma" is no ship, and "what cities
/// are there in Peru" asks for no rivers.
///
/// # Errors
/// The graph's.
pub(in crate::methods) async fn is_of_named_kinds(
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
        // The relation leads to other kinds, too: here it may not.
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
    let named = question.get(span.clone()).unwrap_or_default();
    let Some(start) = context.graph().summaries(&[*node]).await?.pop() else { return Ok(true) };
    let types = iris_of(context, &start.types).await?;
    Ok(!is_called_another_kind(question, named, &types, &tables))
}

/// Ends of a path whose types are held against the question.
const HELD: usize = 100;

async fn iris_of(context: &Context<'_>, types: &[NodeId]) -> Result<Vec<String>, AnswerError> {
    let types = context.graph().summaries(types).await?;
    Ok(types.iter().map(|kind| iri_of_key(&kind.key).into_owned()).collect())
}

fn step_of(context: &Context<'_>, step: &quipu_graph::Step) -> Option<PathStep> {
    let relation = context.graph().relations().get(usize::try_from(step.relation.0).ok()?)?;
    let backward = step.direction == Direction::Backward;
    Some(PathStep { relation: iri_of_key(&relation.key).into_owned(), backward })
}

/// The graph's tables by their nouns, where they were counted before.
fn counted(context: &Context<'_>) -> Option<Tables> {
    let mut tables = kept_tables(context.workspace)?;
    context.tables.call(&mut tables);
    Some(tables)
}

/// The query of a plan; nothing where the tables do not hold it.
async fn query_of(
    context: &Context<'_>,
    tables: &Tables,
    path: &Planned,
) -> Result<Option<Query>, AnswerError> {
    let steps: Option<Vec<PathStep>> = path.steps.iter().map(|step| step_of(context, step)).collect();
    let Some(steps) = steps else { return Ok(None) };
    let nodes: Vec<NodeId> = match &path.start {
        PlanStart::Entity(node, _) => vec![*node],
        PlanStart::Several(nodes) => nodes.clone(),
        PlanStart::Found(inner) => {
            let inner = Box::pin(query_of(context, tables, inner)).await?;
            return Ok(inner.and_then(|inner| {
                path_query(tables, &PathFrom::Found(Box::new(inner)), &steps, &path.made)
            }));
        }
    };
    let entities = context.graph().summaries(&nodes).await?;
    if entities.is_empty() || entities.iter().any(|entity| entity.literal.is_some()) {
        return Ok(None);
    }
    let mut types = Vec::new();
    for entity in &entities {
        types.push(iris_of(context, &entity.types).await?);
    }
    let starts: Vec<PathStart<'_>> = entities
        .iter()
        .zip(&types)
        .map(|(entity, types)| PathStart { key: &entity.key, name: &entity.name, types })
        .collect();
    Ok(path_query(tables, &PathFrom::Entities(&starts), &steps, &path.made))
}

/// Leaves the rows that are expected, in the order in which they are.
fn put_in_order(table: &mut AnswerTable, expected: &[String]) {
    let place = |row: &Vec<Option<crate::answer::Value>>| {
        let name = &row.first()?.as_ref()?.name;
        expected.iter().position(|expected| expected == name)
    };
    table.rows.retain(|row| place(row).is_some());
    table.rows.sort_by_key(place);
}

/// Whether a query gives what was expected: the same names, or the same numbers, however they are written.
fn are_alike(found: &[String], expected: &[String]) -> bool {
    let number = |text: &String| text.replace(',', "").parse::<f64>().ok();
    let alike = |(a, b): (&String, &String)| {
        a == b || number(a).zip(number(b)).is_some_and(|(a, b)| (a - b).abs() <= 1e-9 * a.abs().max(1.0))
    };
    found.len() == expected.len() && found.iter().zip(expected).all(alike)
}
