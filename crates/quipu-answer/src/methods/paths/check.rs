//! Questions for yes or no: "is Lima the capital of Peru?" asks whether the path that the words tell leads from one mention to another.

use std::collections::HashSet;

use quipu_graph::{LiteralValue, NodeId, Step};
use quipu_index::words;

use super::{MOST_EVIDENCE, PathsConfig, RunPath, is_measure};
use crate::AnswerError;
use crate::answer::Status;
use crate::context::Context;
use crate::evidence::Evidence;
use crate::link::{Mentioned, names_passed_over};
use crate::methods::Outcome;
use crate::plan::{Condition, inverse, tells};
use crate::retrieve::triples_to_evidence;
use crate::trace::{Event, Stage};
use crate::values::{value_of, value_of_node};

/// "No" needs a path that is surely meant: what it does not lead to may stand elsewhere.
const SURE_OF_NO: f64 = 0.5;
/// From this on, a word of the question counts as explained.
const EXPLAINED: f32 = 0.55;
/// Most values of a path that are held against a number.
const MOST_ENDS: usize = 200;

/// Yes where the best path from one mention leads to another mention; no where it surely is what the question means and leads
/// elsewhere only. Else an abstention: a question for yes or no is not answered with a list.
pub(super) async fn check(
    context: &Context<'_>,
    mentioned: &[Mentioned],
    runs: &[Vec<RunPath>],
    config: &PathsConfig,
) -> Result<Outcome, AnswerError> {
    let best = runs.iter().flatten().max_by(|a, b| a.weight.total_cmp(&b.weight));
    let Some(best) = best else {
        let reason = "no path of the graph leads on from what the question names";
        return Ok(Outcome::abstain(reason, Vec::new()));
    };
    // What the same words may mean besides is no other thing.
    let others = mentioned.iter().filter(|mention| mention.span != best.anchor.span);
    let others = others.flat_map(|mention| &mention.candidates).map(|candidate| candidate.node);
    let reached: Vec<_> = others.filter(|node| best.ends.binary_search(node).is_ok()).collect();
    let yes = !reached.is_empty();
    let confidence = best.path.confidence(best.path.probability);
    let phrase = best.path.phrase.replacen('X', &best.anchor.name, 1);
    if confidence < if yes { config.least_confidence } else { SURE_OF_NO } {
        return Ok(unsure(&phrase, confidence));
    }
    verdict(context, best, &reached, confidence).await
}

/// Yes where `reached` is something, shown with the way there; else no, shown with what the way leads to instead.
async fn verdict(
    context: &Context<'_>,
    run: &RunPath,
    reached: &[NodeId],
    confidence: f64,
) -> Result<Outcome, AnswerError> {
    let yes = !reached.is_empty();
    let phrase = run.path.phrase.replacen('X', &run.anchor.name, 1);
    let shown = if yes { reached } else { &run.ends };
    let mut evidence =
        triples_to_evidence(context.graph(), &run.walk.triples_to(shown, MOST_EVIDENCE)).await?;
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out: 0 });
    let result = if yes { "yes" } else { "no" };
    let operation = format!("is it among “{phrase}”");
    context
        .trace
        .report(Stage::Compose, Event::Calculated { operation: operation.clone(), result: result.into() });
    let from = evidence.iter().map(|piece| piece.id.clone()).collect();
    evidence.push(Evidence::calculation(&operation, result, from));
    Ok(Outcome {
        status: Status::Answered,
        answers: vec![result.to_owned()],
        text: None,
        evidence,
        confidence,
        reason: None,
    })
}

/// What a question may ask to be confirmed of the one thing that it names.
struct Claim {
    /// Its words, normalised.
    words: Vec<String>,
    /// What they may name.
    nodes: Vec<NodeId>,
    /// What they demand of a number or a date.
    measure: Option<Measure>,
}

enum Measure {
    /// "in 1535"
    Is(LiteralValue),
    /// "above 15 million"
    Satisfies(Condition),
}

impl Measure {
    fn holds(&self, value: &LiteralValue) -> bool {
        match self {
            Self::Is(asked) => is_within(value, asked),
            Self::Satisfies(condition) => condition.holds(value) == Some(true),
        }
    }
}

/// The same where the question names one thing only: "is Emma a comedy?", "was Lima founded in 1535?". `None` where it says nothing that a
/// path could lead to, as "do you know who wrote Emma?".
pub(super) async fn check_value(
    context: &Context<'_>,
    question: &str,
    condition: Option<&Condition>,
    mentioned: &[Mentioned],
    runs: &[RunPath],
    config: &PathsConfig,
) -> Result<Option<Outcome>, AnswerError> {
    let claims = match condition {
        Some(condition) => vec![Claim::of(condition)],
        None => claims(context, question, mentioned).await?,
    };
    let mut best: Option<(f64, &RunPath, Vec<NodeId>)> = None;
    for claim in &claims {
        let fitting = fitting(context, claim, runs).await?;
        let share: f64 = fitting.iter().map(|(run, _)| run.path.probability).sum();
        for (run, reached) in fitting {
            let mut path = run.path.clone();
            path.explain(|word| claim.words.iter().any(|said| said == word));
            // Where nothing else is said ("is it a comedy"), any way to things of that kind may be meant.
            let said = path.features.least_covered < EXPLAINED;
            let of_its_kind = path.probability / share.max(f64::MIN_POSITIVE);
            let confidence = path.confidence(if said { path.probability } else { of_its_kind });
            // What is sure enough to be confirmed is: of "on 18 January 1535" the year may be all that the graph has.
            let confirms = |confidence: f64, reached: &[NodeId]| {
                !reached.is_empty() && confidence >= config.least_confidence
            };
            let rank = (confirms(confidence, &reached), confidence);
            if best.as_ref().is_none_or(|(known, _, to)| (confirms(*known, to), *known) < rank) {
                best = Some((confidence, run, reached));
            }
        }
    }
    match best {
        Some((confidence, run, reached)) => {
            let least = if reached.is_empty() { SURE_OF_NO } else { config.least_confidence };
            if confidence < least {
                let phrase = run.path.phrase.replacen('X', &run.anchor.name, 1);
                return Ok(Some(unsure(&phrase, confidence)));
            }
            verdict(context, run, &reached, confidence).await.map(Some)
        }
        None if !claims.is_empty() && is_about_being(question) => {
            let reason = "the graph has nothing of the kind that the question asks to be confirmed";
            Ok(Some(Outcome::abstain(reason, Vec::new())))
        }
        None => Ok(None),
    }
}

/// Whether a question asks if something is something. "Do you know …" and "is there …" ask for things.
fn is_about_being(question: &str) -> bool {
    let words = words(question);
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    matches!(text(0), "is" | "are" | "was" | "were") && text(1) != "there"
}

impl Claim {
    fn of(condition: &Condition) -> Self {
        let measure = Some(Measure::Satisfies(condition.clone()));
        Self { words: Vec::new(), nodes: Vec::new(), measure }
    }
}

/// The words of a question that may be what it asks to be confirmed.
async fn claims(
    context: &Context<'_>,
    question: &str,
    mentioned: &[Mentioned],
) -> Result<Vec<Claim>, AnswerError> {
    let said = |text: &str| words(text).into_iter().map(|word| word.text).collect::<Vec<_>>();
    let named = names_passed_over(context, question, mentioned).await?;
    let mut claims: Vec<Claim> = (named.into_iter())
        .map(|mention| Claim {
            words: said(&mention.text),
            nodes: mention.candidates.iter().map(|candidate| candidate.node).collect(),
            measure: None,
        })
        .collect();
    for word in words(question) {
        let outside = mentioned.iter().all(|m| word.end <= m.span.start || m.span.end <= word.start);
        let value = value_of(&word.text);
        if outside && is_measure(&value) {
            let measure = Some(Measure::Is(value));
            claims.push(Claim { words: vec![word.text], nodes: Vec::new(), measure });
        }
    }
    claims.retain(|claim| claim.words.iter().any(|word| tells(word)));
    Ok(claims)
}

/// The paths that lead to what a claim is, or to others of its kind; and which of its readings are among what they lead to.
async fn fitting<'runs>(
    context: &Context<'_>,
    claim: &Claim,
    runs: &'runs [RunPath],
) -> Result<Vec<(&'runs RunPath, Vec<NodeId>)>, AnswerError> {
    let graph = context.graph();
    let arriving: HashSet<Step> = graph
        .relations_of(&claim.nodes)
        .await?
        .into_iter()
        .flatten()
        .map(|used| inverse(used.step))
        .collect();
    let mut fitting = Vec::new();
    for run in runs {
        let mut reached: Vec<NodeId> =
            claim.nodes.iter().copied().filter(|node| run.ends.binary_search(node).is_ok()).collect();
        let mut of_kind = run.path.steps.last().is_some_and(|last| arriving.contains(last));
        if let Some(measure) = &claim.measure {
            let ends = graph.summaries(run.ends.get(..MOST_ENDS).unwrap_or(&run.ends)).await?;
            let values = ends.iter().map(|end| (end.node, value_of_node(end.literal.as_ref(), &end.name)));
            let values: Vec<_> = values.filter(|(_, end)| is_measure(end)).collect();
            of_kind |= !values.is_empty();
            reached.extend(values.into_iter().filter(|(_, end)| measure.holds(end)).map(|(node, _)| node));
        }
        if of_kind || !reached.is_empty() {
            fitting.push((run, reached));
        }
    }
    Ok(fitting)
}

/// Whether a value is the one that is asked about, or a day of that year.
fn is_within(value: &LiteralValue, asked: &LiteralValue) -> bool {
    let year_of = |value: &LiteralValue| match value {
        LiteralValue::Date { year, .. } => Some(f64::from(*year)),
        LiteralValue::Number(number) => Some(*number),
        _ => None,
    };
    value == asked || year_of(value).is_some_and(|year| Some(year) == year_of(asked))
}

fn unsure(phrase: &str, confidence: f64) -> Outcome {
    let reason = format!("whether the question means “{phrase}” is not sure enough (fit {confidence:.2})");
    Outcome::abstain(reason, Vec::new())
}
