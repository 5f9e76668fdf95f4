//! Turns a path that answered a question, with the operation on its values, into a query: this
//! gives the reading in words, and the values as the query returns them.

use std::time::Duration;

use quipu_graph::{Direction, NodeId, NodeSummary, Step, iri_of_key, is_blank};
use quipu_language::minutes_of;
use quipu_query::{
    Comparison, Expression, Made, PathFrom, PathStart, PathStep, Plan, Query, RowSet, RunLimits, Tables,
    arriving, is_too_much, kept_tables, met_by, path_query, plan, run_level, say,
};
use quipu_reading::{in_parts, in_years};

use crate::answer::{AnswerError, AnswerTable, Outcome, PlanStart, Planned, Reading, Value};
use crate::ledger::Context;
use crate::plan::follow;
use crate::planners::evidence::evidence_of;
use crate::retrieve::TablesMemory;

/// Most values of a reading that are reported.
const SHOWN: usize = 3;
/// Time limit for running a path's query; short, because its values are known already.
const MOST_TIME: Duration = Duration::from_secs(2);

/// Adds the reading of the question to the outcome of a path, and replaces its values by those of
/// the path's query: the parts of a price, the years of dates if the question asks for a year. If
/// the graph's tables are not counted yet, or do not hold the path, or the query gives other
/// values, the reading is in words only and the values stay.
///
/// # Errors
/// The graph's.
pub(super) async fn read_path(
    context: &Context<'_>,
    question: &str,
    path: &Planned,
    walked: Outcome,
) -> Result<Outcome, AnswerError> {
    let mut reading = Reading {
        words: words_of_way(path),
        confidence: walked.confidence,
        values: walked.answers.iter().take(SHOWN).cloned().collect(),
        ..Reading::default()
    };
    let in_words = |walked, reading| Ok(Outcome { readings: vec![reading], ..walked });
    let Some(tables) = counted(context) else { return in_words(walked, reading) };
    let Some(query) = query_of(context, &tables, path).await? else { return in_words(walked, reading) };
    let planned = match plan(&query, &tables) {
        Ok(planned) => planned,
        Err(error) if error.is_of_the_text() => return in_words(walked, reading),
        Err(error) => return Err(error.into()),
    };
    let read = Reading {
        words: say(&query, &tables),
        sql: Some(query.to_string()),
        sparql: Some(planned.sparql()),
        ..reading.clone()
    };
    let years = in_years(question, &query, &tables);
    if context.workspace.embedded().is_none() {
        // The endpoint gave the values already, so it is asked again only for other ones.
        return match years {
            Some(years) => with_years(context, &years, &tables, walked, read).await,
            None => in_words(walked, read),
        };
    }
    let limits = RunLimits { time: MOST_TIME, ..RunLimits::default() };
    let found = run_level(context.workspace, &query, planned, &tables, &limits).await;
    let (planned, rows) = match found {
        Ok((planned, rows, _)) => (planned, rows),
        Err(error) if error.is_of_the_text() || is_too_much(&error) => return in_words(walked, reading),
        Err(error) => return Err(error.into()),
    };
    let mut table = AnswerTable::of(&planned, &rows);
    let values = walked.table.as_ref().map(AnswerTable::values).unwrap_or_default();
    let expected: Vec<&Value> = path.gives.as_ref().map_or(values, |gives| gives.iter().collect());
    let rounded = if path.made == Made::Average { ROUNDED } else { EXACT };
    let is_same = |a: &Value, b: &Value| is_same(a, b, rounded);
    let mut more = 0;
    if !has_an_order(&path.made) {
        let all = table.rows.len();
        put_in_order(&mut table, &expected, is_same);
        more = all - table.rows.len();
    }
    let found = table.values();
    let alike = found.len() == expected.len() && found.iter().zip(&expected).all(|(a, b)| is_same(a, b));
    // A path does not lead back to its start, but its query may.
    if !alike || (path.made == Made::Values && more > path.starts()) {
        return in_words(walked, reading);
    }
    if let Some(parts) = in_parts(&query, &tables).filter(|_| found.iter().all(|value| is_of_parts(value))) {
        return with_parts(context, &parts, &tables, walked, read).await;
    }
    if let Some(years) = years {
        return with_years(context, &years, &tables, walked, read).await;
    }
    // The average stays rounded, as the evidence has it.
    if path.gives.is_some() || path.made == Made::Average {
        return in_words(walked, read);
    }
    let answers = table.answers();
    reading = Reading { values: answers.iter().take(SHOWN).cloned().collect(), ..read };
    Ok(Outcome { answers, table: Some(table), readings: vec![reading], ..walked })
}

/// Whether a value is a blank node, which people know by its parts only.
fn is_of_parts(value: &Value) -> bool {
    value.key.as_deref().is_some_and(is_blank)
}

/// The outcome with the parts of its values in their place: a price as its amount and its currency.
async fn with_parts(
    context: &Context<'_>,
    query: &Query,
    tables: &Tables,
    walked: Outcome,
    read: Reading,
) -> Result<Outcome, AnswerError> {
    let Some(other) = rows_of(context, query, tables).await? else {
        return Ok(Outcome { readings: vec![read], ..walked });
    };
    let evidence = evidence_of(context, &other.planned, &other.rows, &read.words).await?;
    Ok(Outcome { evidence, ..other.instead_of(walked, read) })
}

/// The outcome with the years of its dates in their place. A date is the evidence of its year.
async fn with_years(
    context: &Context<'_>,
    query: &Query,
    tables: &Tables,
    walked: Outcome,
    read: Reading,
) -> Result<Outcome, AnswerError> {
    match rows_of(context, query, tables).await? {
        Some(years) => Ok(years.instead_of(walked, Reading { words: say(query, tables), ..read })),
        None => Ok(Outcome { readings: vec![read], ..walked }),
    }
}

/// A query with its rows.
struct OtherRows {
    sql: String,
    planned: Plan,
    rows: RowSet,
}

impl OtherRows {
    /// The outcome with these rows in the place of its values.
    fn instead_of(self, walked: Outcome, read: Reading) -> Outcome {
        let table = AnswerTable::of(&self.planned, &self.rows);
        let answers = table.answers();
        let (sql, sparql) = (Some(self.sql), Some(self.planned.sparql()));
        let values = answers.iter().take(SHOWN).cloned().collect();
        let readings = vec![Reading { values, sql, sparql, ..read }];
        Outcome { answers, table: Some(table), text: None, readings, ..walked }
    }
}

/// The rows of a query; `None` if it cannot run within the time, or has none.
async fn rows_of(
    context: &Context<'_>,
    query: &Query,
    tables: &Tables,
) -> Result<Option<OtherRows>, AnswerError> {
    let limits = RunLimits { time: MOST_TIME, ..RunLimits::default() };
    let planned = match plan(query, tables) {
        Ok(planned) => planned,
        Err(error) if error.is_of_the_text() => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    match run_level(context.workspace, query, planned, tables, &limits).await {
        Ok((_, rows, _)) if rows.rows.is_empty() => Ok(None),
        Ok((planned, rows, _)) => Ok(Some(OtherRows { sql: query.to_string(), planned, rows })),
        Err(error) if error.is_of_the_text() || is_too_much(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A path and the operation on its values in words.
fn words_of_way(path: &Planned) -> String {
    let way = &path.said;
    match &path.made {
        Made::Values => way.clone(),
        Made::Count => format!("the number of: {way}"),
        Made::Within { bounds, counted } => {
            let number = if *counted { "the number of: " } else { "" };
            format!("{number}{way}{}", bounds_in_words(bounds))
        }
        Made::Sum => format!("the sum of: {way}"),
        Made::Average => format!("the average of: {way}"),
        Made::Ordered { descending: true, .. } => format!("in order, the greatest first: {way}"),
        Made::Ordered { descending: false, .. } => format!("in order, the least first: {way}"),
    }
}

/// The bounds on the values in words: ", where it is above 1900".
fn bounds_in_words(bounds: &[(Comparison, Expression)]) -> String {
    let told = |(comparison, value): &(Comparison, Expression)| {
        let value = match value {
            Expression::Number(text) | Expression::Text(text) | Expression::Terms(_, text) => text.clone(),
            other => other.to_string(),
        };
        format!("it {} {value}", comparison.words())
    };
    let told: Vec<String> = bounds.iter().map(told).collect();
    if told.is_empty() { String::new() } else { format!(", where {}", told.join(" and ")) }
}

pub(super) async fn iris_of(context: &Context<'_>, types: &[NodeId]) -> Result<Vec<String>, AnswerError> {
    let types = context.graph().summaries(types).await?;
    Ok(types.iter().map(|kind| iri_of_key(&kind.key).into_owned()).collect())
}

/// The IRIs of each entity's types; those of its relations if it has none and only they tell its
/// table.
async fn kinds_of(
    context: &Context<'_>,
    tables: &Tables,
    entities: &[NodeSummary],
) -> Result<Vec<Vec<String>>, AnswerError> {
    let mut kinds = Vec::new();
    for entity in entities {
        kinds.push(iris_of(context, &entity.types).await?);
    }
    if !tables.shares_relations() || kinds.iter().all(|kinds| !kinds.is_empty()) {
        return Ok(kinds);
    }
    let nodes: Vec<NodeId> = entities.iter().map(|entity| entity.node).collect();
    let uses = context.graph().relations_of(&nodes).await?;
    let iri = |step: &Step| {
        let PathStep { relation, backward, .. } = step_of(context, step)?;
        Some(if backward { arriving(&relation) } else { relation })
    };
    let untyped = kinds.iter_mut().zip(uses).zip(entities).filter(|((kinds, _), _)| kinds.is_empty());
    for ((kinds, uses), entity) in untyped {
        kinds.extend(uses.iter().map(|of| &of.step).filter_map(iri));
        kinds.push(iri_of_key(&entity.key).into_owned());
    }
    Ok(kinds)
}

pub(super) fn step_of(context: &Context<'_>, step: &Step) -> Option<PathStep> {
    let relation = context.graph().relations().get(usize::try_from(step.relation.0).ok()?)?;
    let backward = step.direction == Direction::Backward;
    Some(PathStep { relation: iri_of_key(&relation.key).into_owned(), backward, types: Vec::new() })
}

/// The graph's tables with their nouns, if they were counted before.
pub(crate) fn counted(context: &Context<'_>) -> Option<Tables> {
    let mut tables = kept_tables(context.workspace)?;
    context.memory::<TablesMemory>().call(&mut tables);
    Some(tables)
}

/// The query of a plan; `None` if the tables do not hold it.
pub(super) async fn query_of(
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
            let query = inner
                .and_then(|inner| path_query(tables, &PathFrom::Found(Box::new(inner)), &steps, &path.made));
            return where_all_meet(context, tables, path, query).await;
        }
    };
    let entities = context.graph().summaries(&nodes).await?;
    if entities.is_empty() {
        return Ok(None);
    }
    let types = kinds_of(context, tables, &entities).await?;
    let starts: Vec<PathStart<'_>> = entities
        .iter()
        .zip(&types)
        .map(|(entity, types)| PathStart {
            key: &entity.key,
            literal: entity.literal.as_ref(),
            name: &entity.name,
            types,
        })
        .collect();
    let mut query = path_query(tables, &PathFrom::Entities(&starts), &steps, &path.made);
    if let ([node], None, Some(_)) = (nodes.as_slice(), &query, context.workspace.embedded()) {
        let steps = with_types(context, tables, *node, &path.steps, steps).await?;
        query = path_query(tables, &PathFrom::Entities(&starts), &steps, &path.made);
    }
    where_all_meet(context, tables, path, query).await
}

/// The steps with the types of the entities that each leads to on the way from an entity.
async fn with_types(
    context: &Context<'_>,
    tables: &Tables,
    from: NodeId,
    walked: &[Step],
    mut steps: Vec<PathStep>,
) -> Result<Vec<PathStep>, AnswerError> {
    /// Entities of each step whose types are read.
    const SEEN: usize = 50;
    let walk = follow(context.graph(), from, walked).await?;
    for (step, mut nodes) in steps.iter_mut().zip(walk.on_the_way()) {
        nodes.truncate(SEEN);
        let nodes = context.graph().summaries(&nodes).await?;
        step.types.extend(kinds_of(context, tables, &nodes).await?.into_iter().flatten());
        step.types.sort_unstable();
        step.types.dedup();
    }
    Ok(steps)
}

/// Restricts a path's query to the ends that the plan's other paths reach too; `None` if the plan
/// computes more than values or a count.
async fn where_all_meet(
    context: &Context<'_>,
    tables: &Tables,
    path: &Planned,
    query: Option<Query>,
) -> Result<Option<Query>, AnswerError> {
    let Some(query) = query else { return Ok(None) };
    if path.met.is_empty() {
        return Ok(Some(query));
    }
    if !matches!(path.made, Made::Values | Made::Count) {
        return Ok(None);
    }
    let mut met = Vec::new();
    for other in &path.met {
        match Box::pin(query_of(context, tables, other)).await? {
            Some(query) => met.push(query),
            None => return Ok(None),
        }
    }
    Ok(met_by(query, met))
}

/// Whether the query's rows must equal the path's values in the same order. A list without a limit
/// may have more rows, because a query can lead back to the path's start.
fn has_an_order(made: &Made) -> bool {
    !matches!(made, Made::Values | Made::Within { counted: false, .. } | Made::Ordered { limit: None, .. })
}

/// Keeps the expected rows, in the expected order.
fn put_in_order(table: &mut AnswerTable, expected: &[&Value], is_same: impl Fn(&Value, &Value) -> bool) {
    let place = |row: &Vec<Option<Value>>| {
        let value = row.first()?.as_ref()?;
        expected.iter().position(|expected| is_same(value, expected))
    };
    table.rows.retain(|row| place(row).is_some());
    table.rows.sort_by_key(place);
}

/// Averages whose relative difference is smaller are equal up to rounding.
const ROUNDED: f64 = 1e-4;
/// Other numbers whose relative difference is smaller are equal.
const EXACT: f64 = 1e-9;

/// Whether two values are the same: an entity by its key, a number however it is written.
fn is_same(a: &Value, b: &Value, rounded: f64) -> bool {
    let number = |text: &str| text.replace(',', "").parse::<f64>().ok().or_else(|| minutes_of(text));
    let numbers = || number(&a.name).zip(number(&b.name));
    match (&a.key, &b.key) {
        (Some(a), Some(b)) => a == b,
        _ => a.name == b.name || numbers().is_some_and(|(a, b)| (a - b).abs() <= rounded * a.abs().max(1.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_part_of_the_reading() {
        let number = |text: &str| Expression::Number(text.into());
        let bounds = vec![(Comparison::Greater, number("1900")), (Comparison::AtMost, number("1950"))];
        assert_eq!(bounds_in_words(&bounds), ", where it is above 1900 and it is at most 1950");
        assert_eq!(
            bounds_in_words(&[(Comparison::Equal, Expression::Text("Lima".into()))]),
            ", where it is Lima"
        );
        assert_eq!(bounds_in_words(&[]), "");
    }
}
