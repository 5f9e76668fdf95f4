//! The parameters of KERAG.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How relations are filtered (§4.2 "Filtering").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RelationFilter {
    /// The model names the irrelevant relations.
    Model,
    /// The most similar to the question stay (App. E); the model only judges sufficiency.
    Similarity,
    /// All relations stay (ablation "- filter"); the model judges sufficiency.
    Off,
}

/// How the model is asked to summarise (App. I.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Summary {
    /// Step by step, over tables (the CoT-based prompt).
    Reasoned,
    /// At once, over tables (the base prompt; ablation "- CoT").
    Plain,
    /// At once, over triples, one a line (the prompt for Head2Tail).
    Triples,
}

/// The reader of times (App. I.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeReader {
    /// Code reads the times in the words that the topic call gives: no call.
    Code,
    /// The model reads them, step by step: one call.
    Model,
}

/// Parameters of KERAG; the defaults are the paper's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeragConfig {
    /// Most hops (3: the API of CRAG allows no more). 1 is the ablation "- multihop".
    #[schemars(range(max = 4))]
    pub max_hops: u32,
    /// The filter of relations (by the model, §4.2; the paper uses `similarity` for models of 8
    /// billion parameters, App. E).
    pub filter: RelationFilter,
    /// Relations that the filter by similarity keeps (30, App. E).
    pub keep: usize,
    /// Pairs of an entity and a relation that matching 3-grams offers to the topic call (3, App.
    /// E); 0: none. For graphs only, not for APIs.
    #[schemars(range(max = 10))]
    pub pairs: usize,
    /// The reader of times (code: exact, and without a call).
    pub time: TimeReader,
    /// How the model summarises (step by step).
    pub summary: Summary,
    /// Planner `paths` only: the likeliest paths of each anchor that the summary chooses from (3).
    #[schemars(range(max = 20))]
    pub paths: usize,
    /// Planner `paths` only: the least confidence of a path for an answer, whatever the model makes
    /// of it (.2: keeps 997 of 1000 right answers, docs/results/). If no path reaches it, the model
    /// is not called.
    pub least_confidence: f64,
}

impl Default for KeragConfig {
    fn default() -> Self {
        Self {
            max_hops: 3,
            filter: RelationFilter::Model,
            keep: 30,
            pairs: 3,
            time: TimeReader::Code,
            summary: Summary::Reasoned,
            paths: 3,
            least_confidence: 0.2,
        }
    }
}
