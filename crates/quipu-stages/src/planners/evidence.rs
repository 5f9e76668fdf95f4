//! The evidence of a query's rows.

use quipu_query::{
    Behind, Plan, Query, RowSet, RunLimits, Tables, is_too_much, plan, run, stated, without_conditions,
};

use crate::answer::{AnswerError, AnswerTable, Event, Evidence, EvidenceContent, Stage, Value};
use crate::ledger::Context;

/// Most rows whose calculated values are cited.
const CALCULATED: usize = 100;

/// The triples that the rows rest on, and the values calculated from them.
pub(super) async fn evidence_of(
    context: &Context<'_>,
    plan: &Plan,
    rows: &RowSet,
    words: &str,
) -> Result<Vec<Evidence>, AnswerError> {
    let mut evidence = Vec::new();
    for behind in &plan.behind {
        evidence.extend(of_behind(context, behind).await?);
    }
    let (stated, counted) = stated_by(context, plan, rows).await?;
    evidence.extend(stated);
    let from: Vec<String> = evidence.iter().map(|piece| piece.id.clone()).collect();
    let of = match counted {
        Some(count) => format!("{words} (over {count} combinations of facts)"),
        None => words.to_owned(),
    };
    evidence.extend(calculated(context, plan, rows, &of, &evidence, &from));
    Ok(evidence)
}

/// The values of a query within a calculation, with the triples that they rest on. A query without
/// rows is told by the values that its conditions compare.
async fn of_behind(context: &Context<'_>, behind: &Behind) -> Result<Vec<Evidence>, AnswerError> {
    let limits = RunLimits::default();
    let mut planned = &behind.plan;
    let mut rows = match run(context.workspace, planned, &limits).await {
        Ok(rows) => rows,
        Err(error) if is_too_much(&error) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    if let Some(otherwise) = behind.otherwise.as_deref().filter(|_| rows.rows.is_empty()) {
        planned = otherwise;
        rows = run(context.workspace, planned, &limits).await?;
    }
    let (mut evidence, _) = stated_by(context, planned, &rows).await?;
    if let Some(words) = &behind.words {
        let from: Vec<String> = evidence.iter().map(|piece| piece.id.clone()).collect();
        evidence.extend(calculated(context, planned, &rows, words, &evidence, &from));
    }
    Ok(evidence)
}

/// The values that a query without rows compares: "is the Owl a touring bike" asks for its kind.
pub(super) async fn compared(
    context: &Context<'_>,
    query: &Query,
    tables: &Tables,
) -> Result<Vec<Evidence>, AnswerError> {
    let planned = without_conditions(query).and_then(|query| plan(&query, tables).ok());
    let Some(planned) = planned else { return Ok(Vec::new()) };
    let rows = match run(context.workspace, &planned, &RunLimits::default()).await {
        Ok(rows) => rows,
        Err(error) if is_too_much(&error) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    Ok(stated_by(context, &planned, &rows).await?.0)
}

/// The triples that the rows rest on, and the number of combinations of triples that were counted.
async fn stated_by(
    context: &Context<'_>,
    plan: &Plan,
    rows: &RowSet,
) -> Result<(Vec<Evidence>, Option<u64>), AnswerError> {
    let source = &context.graph().describe().name;
    let found = match stated(context.workspace, plan, rows, &RunLimits::default()).await {
        Ok(found) => found,
        // Too many triples to list do not make the rows wrong: numbers stand without them. Names
        // need evidence, and without it the answer is withheld.
        Err(error) if is_too_much(&error) => quipu_query::Stated::default(),
        Err(error) => return Err(error.into()),
    };
    let evidence = found.triples.iter().map(|triple| {
        let names = triple.names.each_ref().map(String::as_str);
        Evidence::triple(source, names, triple.keys.each_ref().map(String::as_str))
    });
    Ok((evidence.collect(), found.counted))
}

/// The values of the rows that no triple states, as calculations.
fn calculated(
    context: &Context<'_>,
    plan: &Plan,
    rows: &RowSet,
    of: &str,
    stated: &[Evidence],
    from: &[String],
) -> Vec<Evidence> {
    let is_stated = |value: &Value| {
        let holds = |piece: &Evidence| match &piece.content {
            EvidenceContent::Triple { head, relation, tail, .. } => {
                [head, relation, tail].into_iter().any(|name| *name == value.name)
            }
            _ => false,
        };
        !plan.aggregated && stated.iter().any(holds)
    };
    let table = AnswerTable::of(plan, rows);
    let literals = table.rows.iter().take(CALCULATED).flatten().flatten().filter(|value| value.key.is_none());
    let calculation = |value: &Value| {
        let result = value.name.clone();
        context.trace.report(Stage::Compose, Event::Calculated { operation: of.to_owned(), result });
        Evidence::calculation(of, &value.name, from.to_vec())
    };
    literals.filter(|value| !is_stated(value)).map(calculation).collect()
}
