//! Questions for yes or no: "is Lima the capital of Peru?" asks whether the path that the words tell leads from one mention to another.

use super::{MOST_EVIDENCE, PathsConfig, RunPath};
use crate::AnswerError;
use crate::answer::Status;
use crate::context::Context;
use crate::evidence::Evidence;
use crate::methods::Outcome;
use crate::retrieve::triples_to_evidence;
use crate::trace::{Event, Stage};

/// "No" needs a path that is surely meant: what it does not lead to may stand elsewhere.
const SURE_OF_NO: f64 = 0.5;

/// Yes where the best path from one mention leads to another; no where it surely is what the question means and leads
/// elsewhere only. `None` where no path fits.
pub(super) async fn check(
    context: &Context<'_>,
    runs: &[Vec<RunPath>],
    config: &PathsConfig,
) -> Result<Option<Outcome>, AnswerError> {
    let best = runs.iter().flatten().max_by(|a, b| a.weight.total_cmp(&b.weight));
    let Some(best) = best else { return Ok(None) };
    let others = runs.iter().flatten().map(|r| r.anchor.node).filter(|node| *node != best.anchor.node);
    let reached: Vec<_> = others.filter(|node| best.ends.binary_search(node).is_ok()).collect();
    let yes = !reached.is_empty();
    let confidence = best.path.confidence(best.path.probability);
    if confidence < if yes { config.least_confidence } else { SURE_OF_NO } {
        return Ok(None);
    }
    let shown = if yes { &reached } else { &best.ends };
    let mut evidence =
        triples_to_evidence(context.graph(), &best.walk.triples_to(shown, MOST_EVIDENCE)).await?;
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out: 0 });
    let phrase = best.path.phrase.replacen('X', &best.anchor.name, 1);
    let result = if yes { "yes" } else { "no" };
    let operation = format!("is it among “{phrase}”");
    context
        .trace
        .report(Stage::Compose, Event::Calculated { operation: operation.clone(), result: result.into() });
    let from = evidence.iter().map(|piece| piece.id.clone()).collect();
    evidence.push(Evidence::calculation(&operation, result, from));
    Ok(Some(Outcome {
        status: Status::Answered,
        answers: vec![result.to_owned()],
        text: None,
        evidence,
        confidence,
        reason: None,
    }))
}
