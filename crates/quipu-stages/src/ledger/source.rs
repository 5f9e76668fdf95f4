//! One source of a question: a workspace with the stages' memories of it, and the APIs beside its
//! graph.

use std::sync::Arc;

use quipu_graph::ApiGraph;
use quipu_index::Workspace;

use super::Memories;
use crate::answer::AnswerError;

/// A workspace that questions are put to.
#[derive(Clone)]
pub struct Source {
    /// Its graph, documents and indexes.
    pub workspace: Arc<Workspace>,
    /// The stages' memories of it.
    pub memories: Arc<Memories>,
    /// The workspace's APIs that are not its graph.
    pub apis: Vec<Source>,
}

impl Source {
    /// The source's name, as evidence cites it.
    pub fn name(&self) -> &str {
        &self.workspace.graph().describe().name
    }

    /// Its workspace.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The day on which the source was read; `None` if unknown.
    pub fn read_on(&self) -> Option<jiff::civil::Date> {
        read_on(&self.workspace)
    }
}

/// The folder, inside a run's own, of learnt data about additional source `at`; the first workspace
/// has none.
pub fn source_folder(at: usize) -> String {
    format!("source-{}", at + 1)
}

/// The API that is walked as a workspace's graph.
pub fn walked_api(workspace: &Workspace) -> Option<&ApiGraph> {
    workspace.apis().first().filter(|_| !workspace.has_graph()).map(|api| &**api)
}

/// The day on which a workspace's graph was read.
pub fn read_on(workspace: &Workspace) -> Option<jiff::civil::Date> {
    let time = jiff::Timestamp::try_from(workspace.read_at()?).ok()?;
    Some(time.to_zoned(jiff::tz::TimeZone::UTC).date())
}

/// Whether a source failed. Then the others are still asked, unlike after a failure of the model or
/// of the question.
pub fn is_down(error: &AnswerError) -> bool {
    matches!(error, AnswerError::Graph(_) | AnswerError::Index(_))
}
