//! The oracle of an ablation (HybGRAG, Fig. 3): a critic that knows a question's gold answers.

use quipu_answer::Critic;

use crate::metrics::GoldAnswer;

/// Knows the keys of one question's gold answers; answers without a key are unknown to it.
#[derive(Debug)]
pub(crate) struct Oracle {
    keys: Vec<String>,
}

impl Oracle {
    pub(crate) fn of(gold: &[GoldAnswer]) -> Self {
        Self { keys: gold.iter().filter_map(|answer| answer.id.clone()).collect() }
    }
}

impl Critic for Oracle {
    fn right_answers(&self) -> &[String] {
        &self.keys
    }
}
