//! From the chosen reading to the answer: values, table, evidence, and the reading of the question.

use quipu_language::asks_for;
use quipu_query::{CellValue, Doubt, ValueKind};
use quipu_reading::{Candidate, Chosen, is_empty, offered_values, unknown_names};

use super::{Asking, Failure};
use crate::answer::{AnswerError, AnswerTable, Event, Evidence, Outcome, Reading, Stage, Status};
use crate::ledger::Context;
use crate::planners::evidence::{compared, evidence_of};

/// Values shown for a reading that is not the answer.
const SHOWN: usize = 3;
/// Most readings that are reported.
const READINGS: usize = 3;
/// Another reading is close from this share of the best reading's confidence on.
const CLOSE: f64 = 0.5;

/// The answer of the surest reading that gave rows.
pub(super) async fn answer(
    context: &Context<'_>,
    asking: &Asking<'_>,
    chosen: Vec<Chosen>,
    failures: Vec<Failure>,
) -> Result<Outcome, AnswerError> {
    let mut chosen = chosen;
    let wanted = context.wanted_reading().checked_sub(1).filter(|at| *at < chosen.len());
    if let Some(at) = wanted {
        let wanted = chosen.remove(at);
        chosen.insert(0, wanted);
    }
    // Where none is sure, all are offered.
    let best = chosen.first().map_or(0.0, |best| best.confidence);
    let least = if best < asking.config.least_confidence { 0.0 } else { best * CLOSE };
    let close = chosen.iter().take(READINGS).take_while(|other| other.confidence >= least);
    let readings: Vec<Reading> = close.map(reading).collect();
    if context.plan_only() && !readings.is_empty() {
        return Ok(Outcome::only_read(readings));
    }
    let Some(best) = chosen.into_iter().next() else {
        let unknown = unknown_names(&asking.of_tables());
        let reason = match failures.first() {
            Some(failure) if (failure.declined || failure.unbound) && !unknown.is_empty() => {
                let names: Vec<String> = unknown.iter().map(|name| format!("“{name}”")).collect();
                format!("nothing in the graph is called {}", names.join(" or "))
            }
            Some(failure) if failure.declined => "no table of the graph answers the question".into(),
            // The model's invented table may come from the prompt's own examples; the user never
            // asked for it.
            Some(failure) if failure.unbound => "the model's query does not fit the graph's tables".into(),
            Some(failure) => format!("the question could not be turned into a query: {}", failure.reason),
            None => "the question could not be turned into a query".into(),
        };
        return Ok(Outcome::abstain(reason, Vec::new()));
    };
    let Chosen { candidate, confidence, unexplained } = best;
    let is_count = candidate.only_counts();
    let asks_yes =
        asks_for(asking.question.text()) == Some("yes_or_no") && (is_count || !candidate.plan.aggregated);
    let tells_yes = candidate.plan.columns.iter().any(|column| column.kind == ValueKind::Flag);
    let asks_which = !offered_values(&asking.of_tables(), &candidate.bound.query).is_empty();
    if asks_yes && !tells_yes && !asks_which && confidence >= asking.config.least_confidence {
        return yes_or_no(context, asking, &candidate, confidence, readings).await;
    }
    if is_empty(&candidate.rows) {
        let reason = format!("I read this as: {}. The graph has no match.", candidate.words);
        return Ok(Outcome { readings, ..Outcome::abstain(reason, Vec::new()) });
    }
    if confidence < asking.config.least_confidence && wanted.is_none() {
        let left_out = unexplained.words();
        let mut missing = match left_out.is_empty() {
            true => String::new(),
            false => format!(" This reading leaves out: {}.", left_out.join(", ")),
        };
        for unsaid in &unexplained.unsaid {
            missing.push_str(&format!(" The question does not mention “{unsaid}”."));
        }
        let reason = format!(
            "I am not sure enough ({confidence:.2}) that the question means: {}.{missing}",
            candidate.words
        );
        return Ok(Outcome { readings, ..Outcome::abstain(reason, Vec::new()) });
    }
    let evidence = evidence_of(context, &candidate.plan, &candidate.rows, &candidate.words).await?;
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out: 0 });
    let table = AnswerTable::of(&candidate.plan, &candidate.rows);
    let answers = table.answers();
    let text = table.said();
    Ok(Outcome {
        status: Status::Answered,
        answers,
        table: Some(table),
        readings,
        text: Some(text),
        evidence,
        confidence,
        ..Outcome::default()
    })
}

/// Answers "do A and B share a language?" with yes if the query finds anything, else with no. The
/// rows are the evidence; for no, the values that its conditions compare.
async fn yes_or_no(
    context: &Context<'_>,
    asking: &Asking<'_>,
    candidate: &Candidate,
    confidence: f64,
    readings: Vec<Reading>,
) -> Result<Outcome, AnswerError> {
    let is_zero = |cell: &CellValue| candidate.only_counts() && cell.name == "0";
    let yes = candidate.rows.rows.iter().flatten().flatten().any(|cell| !is_zero(cell));
    let mut evidence = match yes {
        true => evidence_of(context, &candidate.plan, &candidate.rows, &candidate.words).await?,
        false => compared(context, &candidate.bound.query, &asking.graph.tables).await?,
    };
    let result = if yes { "yes" } else { "no" };
    let from = evidence.iter().map(|piece| piece.id.clone()).collect();
    let operation = format!("whether there is any: {}", candidate.words);
    context
        .trace
        .report(Stage::Compose, Event::Calculated { operation: operation.clone(), result: result.into() });
    evidence.push(Evidence::calculation(&operation, result, from));
    let answers = vec![result.to_owned()];
    Ok(Outcome { status: Status::Answered, answers, readings, evidence, confidence, ..Outcome::default() })
}

fn reading(chosen: &Chosen) -> Reading {
    let Chosen { candidate, confidence, unexplained } = chosen;
    let table = AnswerTable::of(&candidate.plan, &candidate.rows);
    let unexplained = unexplained.words().into_iter().map(str::to_owned).collect();
    let mends = &candidate.bound.mends;
    let told = mends.iter().filter(|mend| mend.doubt == Doubt::Told);
    Reading {
        words: candidate.words.clone(),
        sql: Some(candidate.bound.query.to_string()),
        sparql: Some(candidate.plan.sparql()),
        confidence: *confidence,
        mends: mends.iter().map(|mend| mend.text.clone()).collect(),
        remarks: told.map(|mend| mend.text.clone()).collect(),
        unexplained,
        values: table.answers().into_iter().take(SHOWN).collect(),
    }
}
