//! Text and graph together: the passages of `text` and the triples of `graph` in one prompt, one
//! call over both. HybGRAG compares with this RAG on CRAG (§4.2, Table 7).

use quipu_index::SearchMode;

use quipu_stages::answer::{AnswerError, Outcome, Question, Stage, to_markdown};
use quipu_stages::compose::answer_from;
use quipu_stages::ledger::Context;
use quipu_stages::link::{linked, nodes};
use quipu_stages::prune::neighbourhood;
use quipu_stages::retrieve::{best_within_budget, retrieve_passages};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of text and graph together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextGraphConfig {
    /// Passages that become evidence (5); the triples get the rest of the budget.
    #[schemars(range(max = 100))]
    pub passages: usize,
}

impl Default for TextGraphConfig {
    fn default() -> Self {
        Self { passages: 5 }
    }
}

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &TextGraphConfig,
) -> Result<Outcome, AnswerError> {
    let anchors = linked(context, question).await?;
    let passages = {
        let _timer = context.ledger.enter(Stage::Retrieve);
        let mode = SearchMode::Hybrid;
        retrieve_passages(context, question.text(), &nodes(&anchors), mode, config.passages).await?
    };
    let (mut evidence, mut left_out) = best_within_budget(context, passages);
    if !anchors.is_empty() {
        let spent = context.count_tokens(&to_markdown(&evidence));
        let budget = context.limits.evidence_tokens.saturating_sub(spent);
        let triples = neighbourhood(context, question, &anchors, budget).await?;
        evidence.extend(triples.evidence);
        left_out += triples.left_out;
    }
    answer_from(context, question, (evidence, left_out), 0.5).await
}
