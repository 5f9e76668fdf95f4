//! Tables are counted once a graph and kept beside it.

use std::path::Path;

use quipu_graph::files::{sealed, unsealed};
use quipu_index::Workspace;

use super::{TABLES_VERSION, Tables, count_tables};
use crate::QueryError;

/// Name of the file within a workspace's generation.
pub const TABLES_FILE: &str = "tables.json";

/// The tables of a workspace: those that were kept, else they are counted and kept. A disk that takes no more costs the keeping only.
///
/// # Errors
/// The graph's.
pub async fn open_tables(workspace: &Workspace) -> Result<Tables, QueryError> {
    let path = workspace.part(TABLES_FILE);
    if let Some(tables) = read(&path) {
        return Ok(tables);
    }
    let tables = count_tables(workspace.graph().as_ref()).await?;
    // The next question counts again where this fails.
    drop(write(&path, &tables));
    Ok(tables)
}

/// The tables of a workspace where they were kept: nothing is counted.
pub fn kept_tables(workspace: &Workspace) -> Option<Tables> {
    read(&workspace.part(TABLES_FILE))
}

/// What was kept; nothing where it is of another version, damaged or cannot be read: it is counted anew then.
fn read(path: &Path) -> Option<Tables> {
    let text = std::fs::read_to_string(path).ok()?;
    let tables: Tables = serde_json::from_str(unsealed(&text).ok()?).ok()?;
    (tables.version == TABLES_VERSION).then_some(tables)
}

/// Written beside and renamed, so that no reader sees half of it.
fn write(path: &Path, tables: &Tables) -> std::io::Result<()> {
    let beside = path.with_extension(format!("{}.building", std::process::id()));
    let text = serde_json::to_string(tables)?;
    std::fs::write(&beside, sealed(&text))?;
    std::fs::rename(&beside, path).inspect_err(|_| drop(std::fs::remove_file(&beside)))
}
