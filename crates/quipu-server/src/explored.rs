//! Facts about a graph that are collected on first use and cached.

use std::collections::BTreeMap;
use std::path::Path;

use quipu_answer::Engine;
use quipu_query::{Tables, open_tables};
use serde::Deserialize;
use tokio::sync::OnceCell;

use crate::error::ApiError;
use crate::shown::Coordinates;
use crate::starters::Starters;

/// The workspace's file of nouns for the entities of a graph without types.
const KINDS_FILE: &str = "kinds.toml";

/// The cached exploration of one import of a workspace.
#[derive(Debug, Default)]
pub(crate) struct Explored {
    tables: OnceCell<Tables>,
    /// The example questions.
    pub(crate) starters: Starters,
    /// The relations of the graph's coordinates.
    pub(crate) coordinates: OnceCell<Coordinates>,
}

impl Explored {
    /// The tables, with the known nouns for entities without a type.
    /// # Errors
    /// The graph's.
    pub(crate) async fn tables(&self, engine: &Engine) -> Result<Tables, ApiError> {
        let open = || async { open_tables(engine.workspace()).await };
        let mut tables = self.tables.get_or_try_init(open).await?.clone();
        let kinds = kinds(engine.path());
        for unnamed in tables.unnamed() {
            if let Some(kind) = kinds.get(&unnamed.key).filter(|kind| !kind.is_empty()) {
                tables.rename(unnamed.table, kind);
            }
        }
        Ok(tables)
    }
}

/// The workspace's nouns for entities without a type; empty if they were not determined.
fn kinds(folder: &Path) -> BTreeMap<String, String> {
    #[derive(Default, Deserialize)]
    struct Kinds {
        #[serde(default)]
        kind: BTreeMap<String, String>,
    }
    let text = std::fs::read_to_string(folder.join(KINDS_FILE)).unwrap_or_default();
    toml::from_str::<Kinds>(&text).unwrap_or_default().kind
}
