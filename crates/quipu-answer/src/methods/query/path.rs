//! A path that answers a question, as a query: its reading in words, and its values with their keys.

use std::collections::HashMap;

use quipu_graph::{Direction, iri_of_key};
use quipu_query::{PathStart, PathStep, RunLimits, is_too_much, kept_tables, path_query, plan, run, say};

use super::answer::{SHOWN, answers_of, table_of};
use crate::AnswerError;
use crate::answer::Reading;
use crate::context::{Context, Planned};
use crate::methods::Outcome;

/// Adds to what a path led to how the question was read, and the values as a table. An answer is left as it is where the graph's tables
/// were not counted yet or do not hold the path, and where the query leads elsewhere.
pub(in crate::methods) async fn read_path(
    context: &Context<'_>,
    path: &Planned,
    walked: Outcome,
) -> Result<Outcome, AnswerError> {
    let Some(tables) = kept_tables(context.workspace) else { return Ok(walked) };
    let relations = context.graph().relations();
    let step = |step: &quipu_graph::Step| {
        let relation = relations.get(usize::try_from(step.relation.0).ok()?)?;
        let backward = step.direction == Direction::Backward;
        Some(PathStep { relation: iri_of_key(&relation.key).into_owned(), backward })
    };
    let steps: Option<Vec<PathStep>> = path.steps.iter().map(step).collect();
    let anchor = context.graph().summaries(&[path.anchor]).await?.into_iter().next();
    let (Some(steps), Some(anchor)) = (steps, anchor.filter(|anchor| anchor.literal.is_none())) else {
        return Ok(walked);
    };
    let types = context.graph().summaries(&anchor.types).await?;
    let types: Vec<String> = types.iter().map(|kind| iri_of_key(&kind.key).into_owned()).collect();
    let start = PathStart { key: &anchor.key, name: &anchor.name, types: &types };
    let Some(query) = path_query(&tables, &start, &steps) else { return Ok(walked) };
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
    let places: HashMap<&str, usize> =
        walked.answers.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let place = |row: &Vec<Option<crate::answer::Value>>| {
        row.first().and_then(Option::as_ref).and_then(|value| places.get(value.name.as_str()).copied())
    };
    // A path does not lead back to where it starts.
    table.rows.retain(|row| place(row).is_some());
    table.rows.sort_by_key(place);
    let mut found = answers_of(&table);
    found.dedup();
    if found != walked.answers {
        return Ok(walked);
    }
    reading.values = found.into_iter().take(SHOWN).collect();
    Ok(Outcome { table: Some(table), readings: vec![reading], ..walked })
}
