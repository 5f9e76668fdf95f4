//! The graph as tables, read once for all questions.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::RwLock;

use quipu_index::Workspace;
use quipu_query::{Tables, Unnamed, Values, open_tables};
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;

use crate::answer::AnswerError;
use crate::ledger::{Context, Memory, MemoryFile};

/// Name of the file in the workspace.
pub const KINDS_FILE: &str = "kinds.toml";

const HEADER: &str =
    "# Nouns for tables that the graph does not name: the first relation or type of the table, and a noun.
# Correct what is wrong. An empty noun: none fitted.\n\n";

/// A graph's tables and the values of their columns.
#[derive(Debug)]
pub struct GraphTables {
    /// The tables.
    pub tables: Tables,
    /// Their values.
    pub values: Arc<Values>,
}

#[derive(Default, Serialize, Deserialize)]
struct KindFile {
    #[serde(default)]
    kind: BTreeMap<String, String>,
}

/// The tables of one source, after their first use.
#[derive(Debug, Default)]
pub struct TablesMemory {
    read: OnceCell<Arc<GraphTables>>,
    /// The same tables with their nouns.
    named: RwLock<Option<Arc<GraphTables>>>,
    /// Nouns for the tables of a graph without types, by [`quipu_query::Unnamed::key`].
    kinds: RwLock<BTreeMap<String, String>>,
    /// `None` if nothing is kept, as for several joined workspaces.
    file: Option<MemoryFile>,
    /// Held while a model is asked for nouns.
    pub(crate) naming: tokio::sync::Mutex<()>,
}

impl Memory for TablesMemory {}

/// The graph as tables, with the values of their columns; read on first use.
///
/// # Errors
/// The graph's.
pub async fn graph_tables(context: &Context<'_>) -> Result<Arc<GraphTables>, AnswerError> {
    context.memory::<TablesMemory>().of(context.workspace).await
}

impl TablesMemory {
    /// The memory of the workspace at `folder`.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when its file cannot be read or is malformed.
    pub fn open(folder: &Path) -> Result<Self, AnswerError> {
        let (file, held) = MemoryFile::open::<KindFile>(folder, KINDS_FILE, HEADER)?;
        Ok(Self { kinds: RwLock::new(held.kind), file: Some(file), ..Self::default() })
    }

    /// The tables of the source that this memory belongs to.
    ///
    /// # Errors
    /// The graph's.
    pub async fn of(&self, workspace: &Workspace) -> Result<Arc<GraphTables>, AnswerError> {
        if let Some(named) = self.named.read().clone() {
            return Ok(named);
        }
        let read = async || {
            let tables = open_tables(workspace).await?;
            let values = Values::read(workspace, &tables).await?;
            Ok::<_, AnswerError>(Arc::new(GraphTables { tables, values: Arc::new(values) }))
        };
        let graph = self.read.get_or_try_init(read).await?.clone();
        Ok(self.name(&graph))
    }

    /// Those of the `most` largest tables that the graph does not name, if no noun was asked for
    /// yet. The others never get one.
    pub(crate) fn to_name(&self, most: usize) -> Vec<Unnamed> {
        let kinds = self.kinds.read();
        self.unnamed().into_iter().take(most).filter(|table| !kinds.contains_key(&table.key)).collect()
    }

    /// The tables that the graph does not name, whether they have a noun or not.
    pub(crate) fn unnamed(&self) -> Vec<Unnamed> {
        self.read.get().map(|graph| graph.tables.unnamed()).unwrap_or_default()
    }

    /// Adds nouns and writes the file; an empty noun means that none fits.
    ///
    /// # Errors
    /// [`AnswerError::NotKept`] when the file cannot be written.
    pub(crate) fn add(&self, kinds: impl IntoIterator<Item = (String, String)>) -> Result<(), AnswerError> {
        self.kinds.write().extend(kinds);
        if let Some(graph) = self.read.get() {
            self.name(graph);
        }
        match &self.file {
            Some(file) => file.write(|| KindFile { kind: self.kinds.read().clone() }),
            None => Ok(()),
        }
    }

    /// Renames the tables that the graph does not name by their known nouns.
    pub(crate) fn call(&self, tables: &mut Tables) {
        let kinds = self.kinds.read();
        for unnamed in tables.unnamed() {
            if let Some(kind) = kinds.get(&unnamed.key).filter(|kind| !kind.is_empty()) {
                tables.rename(unnamed.table, kind);
            }
        }
    }

    fn name(&self, graph: &Arc<GraphTables>) -> Arc<GraphTables> {
        let mut tables = graph.tables.clone();
        self.call(&mut tables);
        let named = Arc::new(GraphTables { tables, values: graph.values.clone() });
        *self.named.write() = Some(named.clone());
        named
    }
}
