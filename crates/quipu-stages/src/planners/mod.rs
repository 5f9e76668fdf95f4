//! Planners: from a question to an outcome, by whole paths or by queries. They can replace the plan
//! of a paper's method.

mod evidence;
pub mod paths;
pub mod query;
mod reading;

use std::str::FromStr;

use crate::answer::{AnswerError, Outcome, Question};
use crate::ledger::Context;
use crate::sources::Way;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use paths::PathsConfig;
pub use query::{QueryConfig, ask_sql};
pub(crate) use reading::counted;

/// Whose plan a paper's method follows (DESIGN §7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Planner {
    /// The paper's own.
    #[default]
    Published,
    /// Whole paths instead of the paper's plan.
    Paths,
    /// Queries instead of the paper's plan.
    Query,
}

impl Planner {
    /// All planners, in the order in which they are shown.
    pub const ALL: &'static [Self] = &[Self::Published, Self::Paths, Self::Query];

    /// The planner's name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Paths => "paths",
            Self::Query => "query",
        }
    }
}

impl FromStr for Planner {
    type Err = AnswerError;

    fn from_str(name: &str) -> Result<Self, AnswerError> {
        Self::ALL.iter().copied().find(|planner| planner.name() == name).ok_or_else(|| {
            let names = Self::ALL.iter().map(|planner| planner.name()).collect::<Vec<_>>().join(", ");
            AnswerError::Usage(format!("unknown planner {name}; known: {names}"))
        })
    }
}

/// The planner that a method uses, with its parameters.
#[derive(Debug, Clone, Copy)]
pub struct Planning<'a> {
    /// The planner.
    pub planner: Planner,
    /// Parameters of the planner `paths`.
    pub paths: &'a PathsConfig,
    /// Parameters of the planner `query`.
    pub query: &'a QueryConfig,
}

/// Whole-path planning, over one source or several.
pub struct ByPaths<'a>(pub &'a PathsConfig);

impl Way for ByPaths<'_> {
    fn walks_one_graph(&self) -> bool {
        true
    }

    fn reads_documents(&self) -> bool {
        false
    }

    async fn ask(&self, context: &Context<'_>, question: &Question) -> Result<Outcome, AnswerError> {
        paths::run(context, question, self.0).await
    }
}
