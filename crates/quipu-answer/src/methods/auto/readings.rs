//! The paths that are readings of a question beside the model's queries.

use quipu_language::asks_for;
use quipu_reading::PathFit;
use quipu_stages::answer::{AnswerError, Outcome, Planned, Status};
use quipu_stages::ledger::Context;
use quipu_stages::planners::query::PathReading;

use super::walked::doubts;
use super::{Walked, has_types};

/// The plan that gave the answer, and others that may be meant; only those whose query gave the
/// values of the walk. None for a yes-or-no question, to which their values are no answer, and none
/// at endpoints, where each costs a request.
///
/// # Errors
/// The graph's, the embedder's.
pub(super) async fn readings<'a>(
    context: &Context<'_>,
    question: &str,
    best: Option<&'a Planned>,
    walked: &'a Walked,
) -> Result<Vec<PathReading<'a>>, AnswerError> {
    let mut readings = Vec::new();
    if asks_for(question) == Some("yes_or_no") || context.workspace.embedded().is_none() {
        return Ok(readings);
    }
    if let Some(plan) = best.filter(|plan| is_query(plan, &walked.outcome)) {
        // Paths of several mentions have no share; their confidence is the nearest to it.
        let share = walked.share.unwrap_or(walked.outcome.confidence);
        readings.push(reading(plan, share, &walked.doubts));
    }
    for (outcome, share) in &walked.others {
        let Some(plan) = outcome.plan.as_deref().filter(|plan| is_query(plan, outcome)) else { continue };
        let of_one = Some(plan).filter(|plan| !plan.is_of_several());
        let doubts = doubts(context, question, of_one, outcome, has_types(context)).await?;
        readings.push(reading(plan, *share, &doubts));
    }
    Ok(readings)
}

/// Whether a plan's query gave the plan's own values, which are the answer.
fn is_query(plan: &Planned, outcome: &Outcome) -> bool {
    let has_sql = outcome.readings.first().is_some_and(|reading| reading.sql.is_some());
    outcome.status == Status::Answered && plan.gives.is_none() && has_sql
}

fn reading<'a>(plan: &'a Planned, share: f64, doubts: &[&'static str]) -> PathReading<'a> {
    PathReading { plan, fit: PathFit { share, doubts: doubts.len(), steps: plan.all_steps() } }
}
