//! Text-only RAG: the passages of the graph's documents that mean the most like the question, and one call over them. A graph
//! without documents leaves nothing to answer from.

use super::steps::{answer_from, link, nodes};
use crate::AnswerError;
use crate::context::Context;
use crate::methods::Outcome;
use crate::question::Question;
use crate::retrieve::retrieve_passages;
use crate::trace::Stage;

/// Parameters of text-only RAG.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextConfig {
    /// Passages that become evidence (10).
    pub passages: usize,
}

impl Default for TextConfig {
    fn default() -> Self {
        Self { passages: 10 }
    }
}

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &TextConfig,
) -> Result<Outcome, AnswerError> {
    if context.graph().describe().documents == 0 {
        return Ok(Outcome::abstain("the graph has no documents", Vec::new()));
    }
    let anchors = link(context, question).await?;
    let passages = {
        let _timer = context.trace.enter(Stage::Retrieve);
        retrieve_passages(context, question.text(), &nodes(&anchors), config.passages).await?
    };
    answer_from(context, question, (passages, 0), 0.4).await
}
