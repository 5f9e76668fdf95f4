//! `quipu index`: indexes that an import left out.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Result;
use clap::Subcommand;
use quipu_index::Workspace;
use quipu_model::OpenOptions;

use crate::config::Settings;
use crate::interrupt::stoppable;
use crate::{engine, progress};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Build the vectors by which entities are found by meaning; an interrupted build goes on where
    /// it stopped
    Vectors {
        /// The workspace's folder
        workspace: PathBuf,
    },
    /// Build the index of the entities' documents anew, by words and by meaning; an interrupted
    /// build goes on where it stopped
    Documents {
        /// The workspace's folder
        workspace: PathBuf,
        /// Leave out the vectors: passages are then found by their words, not by meaning
        #[arg(long)]
        no_embeddings: bool,
    },
    /// Build the vectors by which triples are found by meaning (method pseudo); slow and large: one
    /// vector for each triple
    Triples {
        /// The workspace's folder
        workspace: PathBuf,
    },
    /// Write a card of everyday words for each relation, one model call each, so that no question
    /// waits for it
    Relations {
        /// The workspace's folder
        workspace: PathBuf,
        /// Only the N relations with the most triples
        #[arg(long, value_name = "N", default_value_t = 200)]
        limit: usize,
        /// The language model: a name of `quipu models list`, or `openai:MODEL` for an endpoint
        #[arg(long, value_name = "NAME")]
        llm: Option<String>,
    },
}

impl Command {
    pub(super) async fn run(self) -> Result<()> {
        match self {
            Self::Vectors { workspace } => vectors(workspace).await,
            Self::Documents { workspace, no_embeddings } => documents(workspace, no_embeddings).await,
            Self::Triples { workspace } => triples(workspace).await,
            Self::Relations { workspace, limit, llm } => relations(&workspace, limit, llm).await,
        }
    }
}

async fn vectors(workspace: PathBuf) -> Result<()> {
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

async fn documents(workspace: PathBuf, no_embeddings: bool) -> Result<()> {
    let settings = Settings::load(Settings::default(), &workspace)?;
    let embedder = if no_embeddings { None } else { Some(engine::load_embedder(&settings).await?) };
    let bar = progress::ImportBar::new();
    let sink = bar.sink();
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = cancel.clone();
    let outcome = stoppable(cancel, move |handle| {
        handle.block_on(Workspace::index_documents(&workspace, embedder.as_deref(), Some(sink), &flag))
    })
    .await;
    bar.finish();
    outcome
}

async fn triples(workspace: PathBuf) -> Result<()> {
    let embedder = engine::load_embedder(&Settings::load(Settings::default(), &workspace)?).await?;
    let bar = progress::ImportBar::new();
    let sink = bar.sink();
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = cancel.clone();
    let outcome = stoppable(cancel, move |handle| {
        handle.block_on(Workspace::index_triples(&workspace, embedder.as_ref(), Some(sink), &flag))
    })
    .await;
    bar.finish();
    tell!("{} triples can be found by meaning", outcome?);
    Ok(())
}

async fn relations(workspace: &Path, limit: usize, llm: Option<String>) -> Result<()> {
    let settings = Settings::load(Settings { llm, ..Settings::default() }, workspace)?;
    let engine = engine::open(workspace, &settings, OpenOptions::default()).await?;
    let bar = progress::counter("relations");
    let written = engine.learn_relations(limit, |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    });
    let written = written.await;
    bar.finish_and_clear();
    tell!("{} cards written into {}", written?, workspace.join("relations.toml").display());
    Ok(())
}
