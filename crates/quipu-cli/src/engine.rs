//! From settings to models, and to an engine.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use quipu_answer::Engine;
use quipu_index::Workspace;
use quipu_model::{
    Embedder, LanguageModel, ModelError, ModelKind, OpenOptions, default_model_name, open_embedder,
    open_language_model,
};

use crate::config::Settings;
use crate::progress;

/// As a model's name: ask none.
const NO_MODEL: &str = "none";

/// Opens a workspace and loads the models to ask it with.
pub(crate) async fn open(folder: &Path, settings: &Settings, options: OpenOptions) -> Result<Engine> {
    let workspace = Arc::new(Workspace::open(folder)?);
    let embedder = match load_embedder(settings).await {
        Ok(embedder) => Some(embedder),
        Err(error) if is_missing(&error) && workspace.vectors().is_none() => None,
        Err(error) => return Err(error),
    };
    let model = load_model(settings, options).await?;
    Ok(Engine::new(workspace, model, embedder)?)
}

/// The language model of the settings, else the default one; loading takes a second.
pub(crate) async fn load_model(
    settings: &Settings,
    options: OpenOptions,
) -> Result<Option<Arc<dyn LanguageModel>>> {
    let name = match &settings.llm {
        Some(name) if name == NO_MODEL => return Ok(None),
        Some(name) => name.clone(),
        None => default_model_name(ModelKind::Chat, &options)?,
    };
    let loading = progress::spinner("loading the language model");
    let model = tokio::task::spawn_blocking(move || open_language_model(&name, &options)).await;
    loading.finish_and_clear();
    Ok(Some(model.context("the model's thread is gone")??))
}

/// The embedder of the settings, else the default one.
pub(crate) async fn load_embedder(settings: &Settings) -> Result<Arc<dyn Embedder>> {
    let options = OpenOptions::default();
    let name = match &settings.embedder {
        Some(name) => name.clone(),
        None => default_model_name(ModelKind::Embedder, &options)?,
    };
    Ok(open_embedder(&name, &options).await?)
}

/// Whether this only says that a model was not fetched yet.
pub(crate) fn is_missing(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(ModelError::Missing { .. }))
}
