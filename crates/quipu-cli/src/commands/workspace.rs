//! Opens a workspace, for several commands.

use std::path::Path;

use anyhow::Result;
use quipu_index::Workspace;

/// Opens a workspace.
pub(super) fn open(folder: &Path) -> Result<Workspace> {
    Ok(Workspace::open(folder)?)
}

/// Opens the graph of a workspace and its names, without vectors and documents.
pub(super) fn open_graph(folder: &Path) -> Result<Workspace> {
    Ok(Workspace::open_graph(folder)?)
}
