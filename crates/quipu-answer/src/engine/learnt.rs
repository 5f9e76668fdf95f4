//! Learnt data of a workspace: that of the stages, and that of the methods.

use std::path::Path;
use std::sync::Arc;

use quipu_index::Workspace;
use quipu_stages::answer::AnswerError;
use quipu_stages::ledger::{Memories, Source};
use quipu_stages::plan::{CARDS_FILE, MEANINGS_FILE, SOLVED_FILE};
use quipu_stages::retrieve::KINDS_FILE;

use crate::methods::{EXPERIENCES_FILE, Experiences};

/// The files of a workspace that keep learnt data.
pub const LEARNT_FILES: [&str; 5] = [CARDS_FILE, MEANINGS_FILE, EXPERIENCES_FILE, SOLVED_FILE, KINDS_FILE];

/// Adds the methods' memories of a folder to those of the stages.
pub(super) fn with_methods(memories: Memories, folder: &Path) -> Result<Memories, AnswerError> {
    Ok(memories.with(Experiences::open(folder)?))
}

/// Opens a workspace as a source, with its learnt data.
///
/// # Errors
/// [`AnswerError::Usage`] when the workspace's relation cards or words cannot be read.
pub fn open_source(workspace: Arc<Workspace>) -> Result<Source, AnswerError> {
    Source::open(workspace, with_methods)
}
