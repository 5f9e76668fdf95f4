//! Self-verification (Wu et al.): asks the graph first. If that has no answer, it answers from the
//! pages that came with the question, but only after a separate check that they can answer.
//!
//! Rules decide the field of the question, else the model does (§4.1.1); names are aligned with the
//! API's entities, and code computes the dates (§4.1.2); records are trimmed to the relevant fields
//! and rows (§4.1.3). The graph's evidence is used as it is. Without it, the model sees the
//! snippets of five pages, or the 15 nearest of more, and is asked whether they can answer; only a
//! yes leads to an answer (§4.2). A premise that the references contradict makes the question
//! invalid.
//!
//! Calls: over APIs 2 (names, answer), and one more for the field if rules do not decide it, and
//! one more if an encyclopedia is read after the field did not hold the answer; over other graphs
//! 1; over pages 2 (check, answer). If the graph's evidence does not hold the answer
//! and there are pages, their 2 follow.
//!
//! Another planner replaces the field, the names, the calls and the answer from the graph; the
//! pages and their check stay. docs/methods.md lists the differences from the paper, with the
//! reasons.

mod apis;
mod links;

use quipu_graph::ApiGraph;
use quipu_language::{TimeFrame, time_frames_with};
use quipu_model::ModelError;
use serde_json::json;

use apis::{ApiFindings, retrieve_from_apis};

use quipu_stages::answer::{AnswerError, Event, Evidence, Outcome, Question, Stage, Status, to_markdown};
use quipu_stages::compose::{compose_with, role_not_held};
use quipu_stages::critique::says_yes;
use quipu_stages::ledger::{Context, is_down};
use quipu_stages::link::linked;
use quipu_stages::plan::{OTHER, Subject, domain_of, read_subject};
use quipu_stages::planners::{Planner, Planning, paths, query};
use quipu_stages::prompts::Prompt;
use quipu_stages::prune::neighbourhood;
use quipu_stages::retrieve::{given_snippets, nearest_snippets};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of self-verification; the defaults are the paper's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VerifyConfig {
    /// Whether the graph is asked; `false` is the ablation without KG.
    pub graph: bool,
    /// Whether pages are checked before the answer; `false` is the ablation without
    /// self-verification.
    pub check: bool,
    /// Whether a separate call decides the field if rules do not (yes; §4.1.1, equation 3). If not,
    /// the call that extracts the names also gives the field: one call fewer.
    pub domain_call: bool,
    /// The part of a page that is a reference (the search engine's snippet; §4.2).
    pub reference: PageText,
    /// Up to this number of pages, all snippets are references (5; §4.2, tasks 1 and 2).
    pub few_pages: usize,
    /// Of more pages, the snippets nearest to the question (15; §4.2, Table 2).
    pub snippets: usize,
    /// Operations of an API called for one question, the best fitting first (3; the paper has
    /// functions for each field).
    pub operations: usize,
}

impl Default for VerifyConfig {
    fn default() -> Self {
        Self {
            graph: true,
            check: true,
            domain_call: true,
            reference: PageText::Snippet,
            few_pages: 5,
            snippets: 15,
            operations: 3,
        }
    }
}

/// The part of a given page that is a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PageText {
    /// The search engine's snippet; for a page without one, such as a file, its passages.
    #[default]
    Snippet,
    /// The search engine's snippet and the page's own passages, those nearest to the question.
    Whole,
}

/// The evidence found, and the sources that failed.
#[derive(Default)]
struct Found {
    evidence: Vec<Evidence>,
    missing: Vec<(String, AnswerError)>,
    /// The subject that the APIs were asked about, if the evidence is theirs.
    subject: Option<Subject>,
}

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &VerifyConfig,
    planning: Planning<'_>,
) -> Result<Outcome, AnswerError> {
    match planning.planner {
        Planner::Published => {}
        _ if !config.graph => {}
        Planner::Paths => {
            let planned = paths::run(context, question, planning.paths).await;
            return planned_or_pages(context, question, config, planned).await;
        }
        Planner::Query => {
            let planned = query::run(context, question, planning.query).await;
            return planned_or_pages(context, question, config, planned).await;
        }
    }
    let mut found = Found::default();
    let mut frames = context.times(question);
    if config.graph {
        (found, frames) = from_graph(context, question, frames, config).await?;
    }
    if !found.evidence.is_empty() {
        let evidence = std::mem::take(&mut found.evidence);
        let mut outcome = answer(context, question, &frames, evidence, 0.7).await?;
        if outcome.status == Status::Abstained
            && let Some(subject) = &found.subject
        {
            let more = in_general(context, question, subject, &frames, config).await?;
            found.missing.extend(more.missing);
            let is_new = |piece: &Evidence| outcome.evidence.iter().all(|known| known.id != piece.id);
            if more.evidence.iter().any(is_new) {
                let second = answer(context, question, &frames, more.evidence, 0.7).await?;
                if second.status != Status::Abstained {
                    outcome = second;
                }
            }
        }
        if outcome.status != Status::Abstained || context.pages.is_empty() {
            return Ok(name_missing(outcome, &found.missing));
        }
        context
            .trace
            .report(Stage::Critique, Event::Judged { hop: 0, verdict: "the graph holds no answer".into() });
    }
    // Without pages, the failure of a source is an error, not "I don't know".
    if context.pages.is_empty()
        && let Some((_, error)) = found.missing.pop()
    {
        return Err(error);
    }
    let outcome = from_pages(context, question, &frames, config).await?;
    Ok(name_missing(outcome, &found.missing))
}

/// The planner's outcome; the answer from the pages if the planner abstains.
async fn planned_or_pages(
    context: &Context<'_>,
    question: &Question,
    config: &VerifyConfig,
    planned: Result<Outcome, AnswerError>,
) -> Result<Outcome, AnswerError> {
    match planned {
        Err(error) if is_down(&error) && !context.pages.is_empty() => {
            context.note_down(&error);
            let missing = [(context.graph().describe().name.clone(), error)];
            let outcome = from_pages(context, question, &context.times(question), config).await?;
            Ok(name_missing(outcome, &missing))
        }
        Ok(planned) if planned.status == Status::Abstained && !context.pages.is_empty() => {
            from_pages(context, question, &context.times(question), config).await
        }
        planned => planned,
    }
}

/// The graph's part: the APIs of the question's field, else the neighbourhood of the linked
/// entities.
async fn from_graph(
    context: &Context<'_>,
    question: &Question,
    frames: Vec<TimeFrame>,
    config: &VerifyConfig,
) -> Result<(Found, Vec<TimeFrame>), AnswerError> {
    let apis: Vec<&ApiGraph> = context.workspace.apis().iter().map(|api| &**api).collect();
    let mut found = Found::default();
    let mut frames = frames;
    if !apis.is_empty() {
        let subject = subject(context, question, &apis, config.domain_call).await?;
        let knowing = |api: &&ApiGraph| {
            let domains = api.service().domains();
            domains.is_empty() || domains.contains(&subject.domain.as_str())
        };
        let knowing: Vec<&ApiGraph> = apis.iter().copied().filter(knowing).collect();
        frames = in_zone_of(question, &knowing).unwrap_or(frames);
        let _timer = context.ledger.enter(Stage::Retrieve);
        let findings =
            retrieve_from_apis(context, &knowing, question, &subject, &frames, config.operations).await?;
        let ApiFindings { evidence, left_out, missing } = findings;
        context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out });
        let missing = missing.into_iter().map(|(name, error)| (name, error.into())).collect();
        let subject = (!evidence.is_empty()).then_some(subject);
        found = Found { evidence, missing, subject };
    }
    if found.evidence.is_empty() && context.workspace.has_graph() {
        match from_triples(context, question).await {
            Err(error) if is_down(&error) => {
                context.note_down(&error);
                found.missing.push((context.graph().describe().name.clone(), error));
            }
            evidence => found.evidence = evidence?,
        }
    }
    Ok((found, frames))
}

/// The evidence of the APIs' general kinds (an encyclopedia's articles) about the subject,
/// where the subject's own field did not hold the answer.
/// A person known for films may be asked about otherwise.
async fn in_general(
    context: &Context<'_>,
    question: &Question,
    subject: &Subject,
    frames: &[TimeFrame],
    config: &VerifyConfig,
) -> Result<Found, AnswerError> {
    let _timer = context.ledger.enter(Stage::Retrieve);
    let (mut found, mut left_out) = (Found::default(), 0);
    for api in context.workspace.apis() {
        let Some(subject) = subject.in_general(api) else { continue };
        let more =
            retrieve_from_apis(context, &[&**api], question, &subject, frames, config.operations).await?;
        found.evidence.extend(more.evidence);
        found.missing.extend(more.missing.into_iter().map(|(name, error)| (name, error.into())));
        left_out += more.left_out;
    }
    let evidence = found.evidence.len();
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence, left_out });
    Ok(found)
}

/// The triples around the question's entities.
async fn from_triples(context: &Context<'_>, question: &Question) -> Result<Vec<Evidence>, AnswerError> {
    let anchors = linked(context, question).await?;
    if anchors.is_empty() {
        return Ok(Vec::new());
    }
    let retrieved = neighbourhood(context, question, &anchors, context.limits.evidence_tokens).await?;
    let (evidence, left_out) = (retrieved.evidence, retrieved.left_out);
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out });
    Ok(evidence)
}

/// The subject; after an unreadable reply, the subject by rules alone.
async fn subject(
    context: &Context<'_>,
    question: &Question,
    apis: &[&ApiGraph],
    domain_call: bool,
) -> Result<Subject, AnswerError> {
    let _timer = context.ledger.enter(Stage::Plan);
    match read_subject(context, question, apis, domain_call).await {
        Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
            context.trace.report(Stage::Plan, Event::Degraded { reason: error.to_string() });
            let domain = domain_of(question.text(), apis).unwrap_or_else(|| OTHER.into());
            Ok(Subject { domain, by_rule: true, entities: Vec::new() })
        }
        other => other,
    }
}

/// The question's times in the time zone of the service, if it names one.
fn in_zone_of(question: &Question, apis: &[&ApiGraph]) -> Option<Vec<TimeFrame>> {
    let zone = apis.iter().map(|api| api.service().zone.as_str()).find(|zone| !zone.is_empty())?;
    let there = question.asked_at().in_tz(zone).ok()?;
    let calendar = apis.iter().find_map(|api| api.service().calendar.as_ref());
    Some(time_frames_with(question.text(), there.date(), calendar))
}

/// The pages' part: snippets, the check, the answer.
async fn from_pages(
    context: &Context<'_>,
    question: &Question,
    frames: &[TimeFrame],
    config: &VerifyConfig,
) -> Result<Outcome, AnswerError> {
    let evidence = {
        let _timer = context.ledger.enter(Stage::Retrieve);
        let (asked, pages) = (question.text(), context.pages);
        match config.reference {
            PageText::Snippet => {
                given_snippets(context, asked, pages, config.few_pages, config.snippets).await?
            }
            PageText::Whole => nearest_snippets(context, asked, pages, config.snippets).await?,
        }
    };
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out: 0 });
    if evidence.is_empty() {
        return Ok(Outcome::abstain(
            "neither the graph nor the pages have evidence for this question",
            evidence,
        ));
    }
    if config.check && !can_answer(context, question, &evidence).await? {
        return Ok(Outcome::abstain("the pages cannot answer this", evidence));
    }
    answer(context, question, frames, evidence, if config.check { 0.5 } else { 0.4 }).await
}

/// The separate check: one call. Any reply but yes counts as no.
async fn can_answer(
    context: &Context<'_>,
    question: &Question,
    evidence: &[Evidence],
) -> Result<bool, AnswerError> {
    let _timer = context.ledger.enter(Stage::Critique);
    let asked_at = question.asked_at().date().to_string();
    let values = json!({ "asked_at": asked_at, "facts": to_markdown(evidence), "question": question.text() });
    let yes = says_yes(context, "critique.pages", Prompt::VerifyCheck.render(values)?).await?;
    let verdict = if yes { "the pages can answer" } else { "the pages cannot answer" };
    context.trace.report(Stage::Critique, Event::Judged { hop: 0, verdict: verdict.into() });
    Ok(yes)
}

/// The answer: one call.
async fn answer(
    context: &Context<'_>,
    question: &Question,
    frames: &[TimeFrame],
    evidence: Vec<Evidence>,
    confidence: f64,
) -> Result<Outcome, AnswerError> {
    let _timer = context.ledger.enter(Stage::Compose);
    let composed = match compose_with(context, question, frames, &evidence, Prompt::VerifyCompose).await {
        Ok(composed) => composed,
        Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
            return Ok(Outcome::abstain(error.to_string(), evidence));
        }
        Err(AnswerError::Exhausted(limit)) => return Ok(Outcome::abstain(limit.to_string(), evidence)),
        Err(error) => return Err(error),
    };
    if composed.status == Status::Answered
        && composed.calculation.is_none()
        && let Some(role) = role_not_held(context, question, &composed.answers, &evidence).await?
    {
        return Ok(Outcome::abstain(format!("no source tells the {role}"), evidence));
    }
    Ok(composed.outcome(evidence, confidence))
}

/// Adds to the reason which sources are missing from the evidence.
fn name_missing(mut outcome: Outcome, missing: &[(String, AnswerError)]) -> Outcome {
    if missing.is_empty() {
        return outcome;
    }
    let names: Vec<String> = missing.iter().map(|(name, error)| format!("{name} ({error})")).collect();
    let words = format!("without {}", names.join(", "));
    outcome.reason = Some(outcome.reason.map_or(words.clone(), |reason| format!("{reason}; {words}")));
    outcome.confidence *= 0.8;
    outcome
}
