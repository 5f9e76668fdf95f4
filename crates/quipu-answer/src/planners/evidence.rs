//! The evidence of a query's rows.

use quipu_query::{Plan, RowSet, RunLimits, is_too_much, stated};

use crate::answer::{AnswerError, AnswerTable, Event, Evidence, Stage};
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
    let source = &context.graph().describe().name;
    let found = match stated(context.workspace, plan, rows, &RunLimits::default()).await {
        Ok(found) => found,
        // Too many triples to list do not make the rows wrong, so the answer stands without them.
        Err(error) if is_too_much(&error) => quipu_query::Stated::default(),
        Err(error) => return Err(error.into()),
    };
    let mut evidence: Vec<Evidence> = found
        .triples
        .iter()
        .map(|triple| {
            let names = triple.names.each_ref().map(String::as_str);
            Evidence::triple(source, names, triple.keys.each_ref().map(String::as_str))
        })
        .collect();
    let from: Vec<String> = evidence.iter().map(|piece| piece.id.clone()).collect();
    let of = match found.counted {
        Some(count) => format!("{words} (over {count} combinations of facts)"),
        None => words.to_owned(),
    };
    let table = AnswerTable::of(plan, rows);
    for row in table.rows.iter().take(CALCULATED) {
        let calculated = row.iter().flatten().filter(|value| value.key.is_none());
        for value in calculated {
            let is_stated =
                !plan.aggregated && found.triples.iter().any(|triple| triple.names.contains(&value.name));
            if !is_stated {
                context.trace.report(
                    Stage::Compose,
                    Event::Calculated { operation: of.clone(), result: value.name.clone() },
                );
                evidence.push(Evidence::calculation(&of, &value.name, from.clone()));
            }
        }
    }
    Ok(evidence)
}
