//! Queries to an engine besides answers: passages, the subject of a question, the paths that
//! planning considered.

use quipu_graph::{ApiGraph, NodeId};
use quipu_index::SearchMode;
use quipu_stages::answer::{AnswerError, AnswerUsage, Evidence, Question};
use quipu_stages::ledger::{Context, Ledger, Limits, Trace};
use quipu_stages::link::{Mentioned, mentions};
use quipu_stages::plan::{Features, RankConfig, Subject, follow, rank, read_subject, reword};
use quipu_stages::retrieve::retrieve_passages;

use super::Engine;

/// A path that planning considered.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedPath {
    /// The path in words.
    pub phrase: String,
    /// How well it fits the question.
    pub features: Features,
    /// Names of all its ends.
    pub names: Vec<String>,
}

impl Engine {
    /// The context for work without a language model.
    pub(super) fn without_model<'a>(&'a self, trace: &'a Trace, ledger: &'a Ledger) -> Context<'a> {
        Context::new(&self.source, None, self.embedder.as_ref(), Limits::default(), trace, ledger)
    }

    /// The context for work with a language model, within limits.
    pub(super) fn within<'a>(&'a self, limits: Limits, trace: &'a Trace, ledger: &'a Ledger) -> Context<'a> {
        Context::new(&self.source, self.model.as_ref(), self.embedder.as_ref(), limits, trace, ledger)
    }

    /// The subject of a question for the workspace's APIs: the field, by rules or by the model, and
    /// the names to look up, as self-verification reads them (§4.1.1). At most one model call, and
    /// no request.
    ///
    /// # Errors
    /// The model's; [`AnswerError::Usage`] in a workspace without APIs.
    pub async fn subject(&self, question: &Question) -> Result<(Subject, AnswerUsage), AnswerError> {
        let apis: Vec<&ApiGraph> = self.source.workspace.apis().iter().map(|api| &**api).collect();
        if apis.is_empty() {
            return Err(AnswerError::Usage("the workspace has no API, so a question has no field".into()));
        }
        let (trace, ledger) = (Trace::new(None), Ledger::default());
        let context = self.within(Limits::default(), &trace, &ledger);
        let subject = read_subject(&context, question, &apis, false).await?;
        Ok((subject, ledger.usage()))
    }

    /// The `k` passages of the graph's documents that fit a text best, best first; empty without
    /// documents.
    ///
    /// # Errors
    /// When graph, index or embedder fail.
    pub async fn passages(&self, text: &str, k: usize) -> Result<Vec<Evidence>, AnswerError> {
        let (trace, ledger) = (Trace::new(None), Ledger::default());
        let context = self.within(Limits::default(), &trace, &ledger);
        let mentioned = mentions(&context, text).await?;
        let linked: Vec<NodeId> = mentioned.iter().filter_map(|m| Some(m.best()?.node)).collect();
        retrieve_passages(&context, text, &linked, SearchMode::default(), k).await
    }

    /// The paths around the first anchor of a question, with their features and the names of their
    /// ends. The weights of whole-path planning are fitted on them. Follows every path: for
    /// fitting, not for answering.
    ///
    /// # Errors
    /// When graph, index or embedder fail.
    pub async fn planned_paths(&self, question: &Question) -> Result<Vec<PlannedPath>, AnswerError> {
        let (trace, ledger) = (Trace::new(None), Ledger::default());
        let context = self.without_model(&trace, &ledger);
        let mentioned = mentions(&context, question.text()).await?;
        let Some(anchor) = mentioned.first().and_then(Mentioned::best) else { return Ok(Vec::new()) };
        let others: Vec<_> = mentioned.iter().skip(1).map(|m| m.span.clone()).collect();
        let text = question.text();
        let (span, RankConfig { walk, new_meanings, .. }) = (&anchor.span, RankConfig::default());
        let mut ranking = rank(&context, text, anchor.node, span.clone(), &others, walk).await?;
        if let Some(again) = reword(&context, text, span, &others, &ranking, new_meanings).await? {
            ranking = rank(&context, &again.text, anchor.node, again.span, &again.others, walk).await?;
        }
        let mut planned = Vec::new();
        for path in ranking.paths {
            let walk = follow(context.graph(), anchor.node, &path.steps).await?;
            let ends: Vec<NodeId> = walk.ends().filter(|end| *end != anchor.node).collect();
            let ends = if ends.is_empty() { walk.ends().collect() } else { ends };
            let names = context.graph().summaries(&ends).await?.into_iter().map(|s| s.name).collect();
            planned.push(PlannedPath { phrase: path.phrase, features: path.features, names });
        }
        Ok(planned)
    }
}
