//! The graph as tables, read once for all questions.

use std::sync::Arc;

use quipu_index::Workspace;
use quipu_query::{Tables, Values, open_tables};
use tokio::sync::OnceCell;

use crate::AnswerError;

/// A graph's tables and the values of their columns.
#[derive(Debug)]
pub struct GraphTables {
    /// The tables.
    pub tables: Tables,
    /// Their values.
    pub values: Values,
}

/// The tables of one source, once they were asked for.
#[derive(Debug, Default)]
pub struct TablesMemory(OnceCell<Arc<GraphTables>>);

impl TablesMemory {
    /// The tables of the source that this is the memory of.
    ///
    /// # Errors
    /// The graph's.
    pub async fn of(&self, workspace: &Workspace) -> Result<Arc<GraphTables>, AnswerError> {
        let read = async || {
            let tables = open_tables(workspace).await?;
            let values = Values::read(workspace, &tables).await?;
            Ok(Arc::new(GraphTables { tables, values }))
        };
        self.0.get_or_try_init(read).await.cloned()
    }
}
