//! The tasks that a model can be tuned for.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::EvalError;

/// The task of a tuned model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TuneTask {
    /// Reason over evidence and compose the answer: KERAG's summariser.
    Compose,
    /// Write the question as SQL over the graph's tables.
    Query,
    /// Find topic entities and filter relations: KERAG's planner.
    Plan,
}

impl TuneTask {
    /// All tasks.
    pub const ALL: [Self; 3] = [Self::Compose, Self::Query, Self::Plan];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compose => "compose",
            Self::Query => "query",
            Self::Plan => "plan",
        }
    }

    /// The stages of its requests. A tuned model serves only these.
    pub fn stages(self) -> &'static [&'static str] {
        match self {
            Self::Compose => &["compose"],
            Self::Query => &["plan.query"],
            Self::Plan => &["plan.topic", "plan.time", "prune.relations", "critique.scope"],
        }
    }

    /// The default method whose requests it learns from.
    pub fn method(self) -> &'static str {
        match self {
            Self::Compose | Self::Plan => "kerag",
            Self::Query => "query",
        }
    }
}

impl FromStr for TuneTask {
    type Err = EvalError;

    fn from_str(name: &str) -> Result<Self, EvalError> {
        Self::ALL
            .into_iter()
            .find(|task| task.name() == name)
            .ok_or_else(|| EvalError::Usage(format!("unknown task {name:?}; known: compose, query, plan")))
    }
}
