//! Verification by whole paths (DESIGN §8, whole-path planning): the path of the sources that best
//! fits the question's own words corrects the pseudo-graph. Code does it, without a call. The fit
//! of the best path also shows whether the sources can answer at all.

use quipu_index::inner_product;
use quipu_language::normalise;
use quipu_query::PseudoGraph;
use quipu_stages::answer::{
    AnswerError, EditEvent, Event, Evidence, EvidenceContent, Outcome, Question, Stage, Status,
};
use quipu_stages::ledger::{BestSoFar, Context};
use quipu_stages::link::RelationVectors;
use quipu_stages::planners::{ByPaths, PathsConfig};
use quipu_stages::sources::ask_each;

use super::super::edits::edited;
use super::{PseudoConfig, respond};

/// From this fit on, a path of one source answers.
const LIKELY: f64 = 0.3;
/// The same beside an API or a graph that is not joined: half of a chain may fit a little although
/// no single source holds all of it.
const LIKELY_OF_SEVERAL: f64 = 0.6;
/// A pseudo-triple is deleted if no relation on the path is at least this similar to its own.
const LEAST_SUPPORT: f32 = 0.5;

/// The answer of the sources' paths.
pub(super) struct Whole {
    outcome: Outcome,
    several: bool,
}

/// The likeliest path's answer over all sources.
///
/// # Errors
/// Those of whole-path planning in every source.
pub(super) async fn plan(
    context: &Context<'_>,
    question: &Question,
    config: &PseudoConfig,
    paths: &PathsConfig,
) -> Result<Whole, AnswerError> {
    // The last call is kept for the answer.
    let context = if config.all_sources { context.sparing(1) } else { context.sparing(1).alone() };
    let paths = PathsConfig { least_confidence: config.least_fit, ..paths.clone() };
    let outcome = ask_each(&context, question, &ByPaths(&paths), &BestSoFar::default()).await?;
    Ok(Whole { outcome, several: context.has_apart() })
}

impl Whole {
    /// Whether the paths decide: because one fits well enough to be the answer, or because none
    /// fits. They never decide an `open` question, which asks for more than a path leads to. Beside
    /// an API or a graph that is not joined, where no path leads, they need a better fit until
    /// following the pseudo-graph `led_nowhere`.
    pub(super) fn decides(&self, open: bool, led_nowhere: bool) -> bool {
        let joins = self.several && !led_nowhere;
        let surely = match self.outcome.status {
            Status::Abstained => !joins,
            Status::Answered | Status::InvalidQuestion => {
                self.outcome.confidence >= if joins { LIKELY_OF_SEVERAL } else { LIKELY }
            }
        };
        surely && !open
    }

    /// The decision of the paths: the answer, with the pseudo-graph corrected by them, or an
    /// abstention with the nearest path as its reason. No call, or one if every answer is composed.
    ///
    /// # Errors
    /// The embedder's; where a model composes, the model's.
    pub(super) async fn settle(
        self,
        context: &Context<'_>,
        question: &Question,
        graph: &PseudoGraph,
        config: &PseudoConfig,
    ) -> Result<Outcome, AnswerError> {
        if self.outcome.status == Status::Abstained {
            return Ok(self.outcome);
        }
        let edits = corrected(context, graph, &self.outcome.evidence).await?;
        context.trace.report(Stage::Critique, Event::Corrected { edits });
        if config.always_compose {
            return respond::from_evidence(context, question, self.outcome.evidence, false).await;
        }
        Ok(self.outcome)
    }
}

/// The edits that turn a pseudo-graph into the triples of a path. A pseudo-triple becomes the
/// triples of the most similar relation, each relation once; the other pseudo-triples are deleted,
/// and the path's other triples added.
async fn corrected(
    context: &Context<'_>,
    graph: &PseudoGraph,
    evidence: &[Evidence],
) -> Result<Vec<EditEvent>, AnswerError> {
    let mut stated: Vec<(String, Vec<usize>)> = Vec::new();
    for (at, piece) in evidence.iter().enumerate() {
        let EvidenceContent::Triple { relation, .. } = &piece.content else { continue };
        match stated.iter_mut().find(|(name, _)| name == relation) {
            Some((_, rows)) => rows.push(at),
            None => stated.push((relation.clone(), vec![at])),
        }
    }
    let believed = graph.triples.iter().map(|triple| normalise(&triple.relation));
    let names: Vec<String> = believed.chain(stated.iter().map(|(name, _)| normalise(name))).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let rows = context.memory::<RelationVectors>().vectors(context, Stage::Critique, &names).await?;
    let (believed, of_path) = rows.split_at(graph.triples.len().min(rows.len()));
    let mut likeness: Vec<(f32, usize, usize)> = Vec::new();
    for (pseudo, row) in believed.iter().enumerate() {
        let each = of_path.iter().enumerate().map(|(at, other)| (inner_product(row, other), pseudo, at));
        likeness.extend(each.filter(|(likeness, ..)| *likeness >= LEAST_SUPPORT));
    }
    likeness.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut taken: Vec<(usize, usize)> = Vec::new();
    for (_, pseudo, relation) in likeness {
        if taken.iter().all(|(known, other)| *known != pseudo && *other != relation) {
            taken.push((pseudo, relation));
        }
    }
    let mut edits = Vec::new();
    for (at, triple) in graph.triples.iter().enumerate() {
        let relation = taken.iter().find(|(pseudo, _)| *pseudo == at).and_then(|(_, at)| stated.get(*at));
        let rows = relation.map(|(_, rows)| rows.as_slice()).unwrap_or_default();
        edits.extend(edited(Some(graph.names(triple).join(" | ")), rows, evidence));
    }
    let replaced = |at: usize| taken.iter().any(|(_, relation)| *relation == at);
    let added = stated.iter().enumerate().filter(|(at, _)| !replaced(*at)).flat_map(|(_, (_, rows))| rows);
    edits.extend(added.flat_map(|at| edited(None, &[*at], evidence)));
    Ok(edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decides(confidence: Option<f64>, several: bool, open: bool, led_nowhere: bool) -> bool {
        let abstained = Outcome::abstain("nothing fits", Vec::new());
        let outcome = match confidence {
            Some(confidence) => Outcome { status: Status::Answered, confidence, reason: None, ..abstained },
            None => abstained,
        };
        Whole { outcome, several }.decides(open, led_nowhere)
    }

    #[test]
    fn beside_an_api_a_path_must_be_likelier_until_the_pseudo_graph_led_nowhere() {
        assert!(decides(Some(0.31), false, false, false) && !decides(Some(0.29), false, false, true));
        assert!(!decides(Some(0.31), true, false, false) && decides(Some(0.61), true, false, false));
        assert!(decides(Some(0.31), true, false, true));
    }

    #[test]
    fn an_open_question_is_left_to_what_is_said_around_however_well_a_path_fits() {
        assert!(decides(Some(0.99), false, false, true) && !decides(Some(0.99), false, true, true));
        assert!(decides(None, false, false, false) && !decides(None, false, true, false));
        assert!(!decides(None, true, false, false) && decides(None, true, false, true));
    }
}
