//! Several sources for one question: each a workspace with what was learnt about it. One that is down is named, and the rest answers.

use std::sync::Arc;

use quipu_index::Workspace;

use crate::AnswerError;
use crate::answer::{Claim, Note, Status};
use crate::context::{Context, Learnt};
use crate::methods::{Method, MethodConfig, Outcome};
use crate::question::Question;
use crate::values::same_value;

/// A graph that questions are put to.
#[derive(Clone)]
pub struct Source {
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) learnt: Arc<Learnt>,
}

impl Source {
    /// Takes a workspace, with what was learnt about it.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when the workspace's relation cards or words cannot be read.
    pub fn open(workspace: Arc<Workspace>) -> Result<Self, AnswerError> {
        let learnt = Learnt::open(workspace.folder())?;
        Ok(Self { workspace, learnt })
    }

    /// The source's name, as evidence cites it.
    pub fn name(&self) -> &str {
        &self.workspace.graph().describe().name
    }

    /// Its workspace.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The day on which the source was read; `None` where that is not known.
    pub fn read_on(&self) -> Option<jiff::civil::Date> {
        read_on(&self.workspace)
    }
}

/// Folder, in one of a run's own, of what was learnt about source `at`; the workspace that is asked first has none.
pub fn source_folder(at: usize) -> String {
    format!("source-{}", at + 1)
}

/// The day on which a workspace's graph was read.
pub(crate) fn read_on(workspace: &Workspace) -> Option<jiff::civil::Date> {
    let time = jiff::Timestamp::try_from(workspace.read_at()?).ok()?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).date())
}

/// What a source failed with: the failure of a source is no reason not to ask the others, that of a model or of the question is.
pub(crate) fn is_down(error: &AnswerError) -> bool {
    matches!(error, AnswerError::Graph(_) | AnswerError::Index(_))
}

/// Notes that a source cannot be asked.
pub(crate) fn note_down(context: &Context<'_>, error: &AnswerError) {
    let source = context.graph().describe().name.clone();
    context.trace.note(Note::SourceDown { source, reason: error.to_string() });
}

/// Asks every source by itself and takes the answer of the most confidence; for the methods that read one graph. Where others say something
/// else, that is told.
///
/// # Errors
/// The model's; those of a source only where no other can be asked.
pub(crate) async fn ask_each(
    context: &Context<'_>,
    question: &Question,
    method: Method,
    config: &MethodConfig,
) -> Result<Outcome, AnswerError> {
    let mut outcomes: Vec<(Claim, Outcome)> = Vec::new();
    let mut failed = None;
    for source in context.sources() {
        match method.run(&source, question, config).await {
            Ok(outcome) => {
                let value = outcome.answers.join(", ");
                let best = outcomes.iter().map(|(_, o)| o.confidence).fold(0.0, f64::max);
                if outcome.status == Status::Answered && outcome.confidence > best {
                    context.propose(outcome.clone());
                }
                outcomes.push((claim(&source, value), outcome));
            }
            Err(error) if is_down(&error) => {
                note_down(&source, &error);
                failed = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
    outcomes.sort_by(|(_, a), (_, b)| {
        let key = |o: &Outcome| (o.status == Status::Answered, o.confidence);
        key(b).partial_cmp(&key(a)).unwrap_or(std::cmp::Ordering::Equal)
    });
    let others: Vec<Claim> = outcomes
        .iter()
        .skip(1)
        .filter(|(_, o)| o.status == Status::Answered)
        .map(|(claim, _)| claim.clone())
        .collect();
    match (outcomes.into_iter().next(), failed) {
        (Some((first, outcome)), _) => {
            if others.iter().any(|other| !same_answers(&other.value, &first.value)) {
                let claims = std::iter::once(first).chain(others).collect();
                let about = question.text().to_owned();
                context.trace.note(Note::Contradiction { about, claims });
            }
            Ok(outcome)
        }
        (None, Some(error)) => Err(error),
        (None, None) => Ok(Outcome::abstain("no source was asked", Vec::new())),
    }
}

/// What a source says, with its date.
pub(crate) fn claim(source: &Context<'_>, value: String) -> Claim {
    let date = source.read_on().map(|date| date.to_string()).unwrap_or_default();
    Claim { source: source.graph().describe().name.clone(), date, value }
}

/// Lists of values that share one do not contradict each other: a graph may know more than another.
fn same_answers(one: &str, other: &str) -> bool {
    one.split(", ").any(|one| other.split(", ").any(|other| same_value(one, other)))
}
