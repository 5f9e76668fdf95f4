//! SQL that a person wrote, run like a model's.

use super::ask::Written;
use super::{Asking, QueryConfig, read};
use crate::answer::{AnswerError, AnswerTable, Question};
use crate::ledger::Context;
use crate::retrieve::graph_tables;

/// The result of the SQL.
pub struct SqlAnswer {
    /// The SQL as it was bound to the graph.
    pub sql: String,
    /// The same query in words.
    pub words: String,
    /// Its rows.
    pub table: AnswerTable,
}

/// Runs SQL over the graph's tables.
///
/// # Errors
/// [`AnswerError::Usage`] if the SQL cannot be read, bound or run; the errors of graph and index.
pub async fn ask_sql(
    context: &Context<'_>,
    question: &Question,
    sql: &str,
) -> Result<SqlAnswer, AnswerError> {
    let config = QueryConfig::default();
    let graph = graph_tables(context).await?;
    let asking = Asking { question, graph, asked: None, config: &config, named: Vec::new() };
    let written = Written::by_code(sql.to_owned());
    match read::read(context, &asking, &written).await? {
        Ok(candidate) => Ok(SqlAnswer {
            sql: candidate.bound.query.to_string(),
            table: AnswerTable::of(&candidate.plan, &candidate.rows),
            words: candidate.words,
        }),
        Err(failure) => Err(AnswerError::Usage(failure.reason)),
    }
}
