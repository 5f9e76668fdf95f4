//! A graph's tables are counted once and kept beside it.

use std::path::Path;

use quipu_graph::files::{sealed, unsealed};
use quipu_index::Workspace;

use super::{TABLES_VERSION, Tables, count_tables};
use crate::QueryError;

/// Name of the file within a workspace's generation.
pub const TABLES_FILE: &str = "tables.json";

/// The tables of a workspace, from the kept file, or counted and then kept. If the file cannot be
/// written, only the keeping is lost.
///
/// # Errors
/// The graph's.
pub async fn open_tables(workspace: &Workspace) -> Result<Tables, QueryError> {
    let path = workspace.part(TABLES_FILE);
    if let Some(tables) = read(&path) {
        return Ok(tables);
    }
    let tables = count_tables(workspace.graph().as_ref()).await?;
    // If this fails, the next question counts again.
    drop(write(&path, &tables));
    Ok(tables)
}

/// The kept tables of a workspace; never counts them.
pub fn kept_tables(workspace: &Workspace) -> Option<Tables> {
    read(&workspace.part(TABLES_FILE))
}

/// The kept tables; `None` if they are of another version, damaged or unreadable, so that they are
/// counted anew.
fn read(path: &Path) -> Option<Tables> {
    let text = std::fs::read_to_string(path).ok()?;
    let tables: Tables = serde_json::from_str(unsealed(&text).ok()?).ok()?;
    (tables.version == TABLES_VERSION).then_some(tables)
}

/// Writes a temporary file and renames it, so that no reader sees half of it.
fn write(path: &Path, tables: &Tables) -> std::io::Result<()> {
    let beside = path.with_extension(format!("{}.building", std::process::id()));
    let text = serde_json::to_string(tables)?;
    std::fs::write(&beside, sealed(&text))?;
    std::fs::rename(&beside, path).inspect_err(|_| drop(std::fs::remove_file(&beside)))
}
