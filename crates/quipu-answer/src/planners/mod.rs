//! Planners: from a question to an outcome, by whole paths or by queries. Methods are given them in the place of a paper's own steps.

pub(crate) mod paths;
pub(crate) mod query;
mod reading;

use crate::answer::{AnswerError, Outcome, Question};
use crate::ledger::Context;
use crate::sources::Way;

pub use paths::PathsConfig;
pub use query::QueryConfig;
pub(crate) use query::ask_sql;
pub(crate) use reading::counted;

/// Whole-path planning, over one source or several.
pub(crate) struct ByPaths<'a>(pub(crate) &'a PathsConfig);

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
