//! The arguments of the tools.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::Ask;
use crate::error::ApiError;
use crate::settings::{MOST_SET, SetValue, assignments, read_method};

/// Default limit of a tool call in seconds; hosts give up at about that time.
const USUAL_SECONDS: u64 = 120;

/// A question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AskQuestion {
    /// The question, which must be complete without context.
    question: String,
    /// The workspace; the first one by default.
    #[serde(default)]
    workspace: Option<String>,
    /// The method, as `paths`, `kerag` or `kerag + paths` (a planner in the place of the paper's);
    /// the server's default if omitted.
    #[serde(default)]
    method: Option<String>,
    /// Ids of entities to start from, if the question's names are ambiguous.
    #[serde(default)]
    #[schemars(length(max = 20))]
    anchors: Vec<String>,
    /// Answer with this one of the readings that an earlier answer listed, from 1; 0 leaves the
    /// choice to the method.
    #[serde(default)]
    reading: usize,
    /// Only read the question: the answer then has readings with their queries, and nothing is run.
    #[serde(default)]
    plan_only: bool,
    /// Time limit in seconds.
    #[serde(default)]
    timeout: Option<u64>,
    /// Maximum number of tokens of the language model behind the answer.
    #[serde(default)]
    max_tokens: Option<u64>,
    /// Highest cost of the language model's tokens, in the currency of its price.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10_000_000))]
    max_cost: Option<f64>,
    /// Settings of the method: `{"kerag.max_hops": 2}`. `quipu methods` lists the keys; numbers are
    /// bounded.
    #[serde(default)]
    #[schemars(extend("maxProperties" = MOST_SET))]
    set: BTreeMap<String, SetValue>,
}

impl AskQuestion {
    pub(super) fn into_ask(self) -> Result<Ask, ApiError> {
        Ok(Ask {
            method: self.method.as_deref().map(read_method).transpose()?,
            question: self.question,
            workspace: self.workspace,
            anchors: self.anchors,
            reading: self.reading,
            plan_only: self.plan_only,
            timeout: Some(self.timeout.unwrap_or(USUAL_SECONDS)),
            max_tokens: self.max_tokens,
            max_cost: self.max_cost,
            set: assignments(self.set)?,
            ..Ask::default()
        })
    }
}

/// A name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FindEntities {
    /// The name, in any spelling.
    #[schemars(length(min = 1, max = 200))]
    pub(super) name: String,
    /// The workspace; the first one by default.
    #[serde(default)]
    pub(super) workspace: Option<String>,
    /// Maximum number of entities (10).
    #[serde(default)]
    #[schemars(range(min = 1, max = 50))]
    pub(super) limit: Option<usize>,
}

/// An entity.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetEntity {
    /// Its id.
    pub(super) id: String,
    /// The workspace; the first one by default.
    #[serde(default)]
    pub(super) workspace: Option<String>,
    /// Neighbours per relation, at most (10).
    #[serde(default)]
    #[schemars(range(min = 1, max = 50))]
    pub(super) limit: Option<usize>,
}

/// A graph, or one entity of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ListRelations {
    /// Id of an entity, to list only its relations.
    #[serde(default)]
    pub(super) id: Option<String>,
    /// The workspace; the first one by default.
    #[serde(default)]
    pub(super) workspace: Option<String>,
}

/// An entity and the relation to follow.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Expand {
    /// Id of the entity.
    pub(super) id: String,
    /// Id of the relation to follow; all relations by default.
    #[serde(default)]
    pub(super) relation: Option<String>,
    /// The workspace; the first one by default.
    #[serde(default)]
    pub(super) workspace: Option<String>,
    /// Neighbours per relation, at most (10).
    #[serde(default)]
    #[schemars(range(min = 1, max = 50))]
    pub(super) limit: Option<usize>,
}

/// A search in documents.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchDocuments {
    /// Words or a question.
    #[schemars(length(min = 1, max = 4096))]
    pub(super) query: String,
    /// The workspace; the first one by default.
    #[serde(default)]
    pub(super) workspace: Option<String>,
    /// Maximum number of passages (10).
    #[serde(default)]
    #[schemars(range(min = 1, max = 50))]
    pub(super) limit: Option<usize>,
}

/// A query.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RunSparql {
    /// SELECT or ASK.
    pub(super) query: String,
    /// The workspace; the first one by default.
    #[serde(default)]
    pub(super) workspace: Option<String>,
}
