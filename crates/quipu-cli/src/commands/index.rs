//! `quipu index`: indexes that an import left out.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use clap::Subcommand;
use quipu_index::Workspace;

use crate::config::Settings;
use crate::interrupt::stoppable;
use crate::{engine, progress};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Build the vectors by which entities are found by meaning; an interrupted build goes on where it stopped
    Vectors {
        /// The workspace's folder
        workspace: PathBuf,
    },
}

impl Command {
    pub(super) async fn run(self) -> Result<()> {
        let Self::Vectors { workspace } = self;
        let embedder = engine::load_embedder(&Settings::load(Settings::default(), &workspace)?).await?;
        let bar = progress::ImportBar::new();
        let sink = bar.sink();
        let cancel = Arc::new(AtomicBool::new(false));
        let flag = cancel.clone();
        let outcome = stoppable(cancel, move |handle| {
            handle.block_on(Workspace::index_vectors(&workspace, embedder.as_ref(), Some(sink), &flag))
        })
        .await;
        bar.finish();
        outcome
    }
}
