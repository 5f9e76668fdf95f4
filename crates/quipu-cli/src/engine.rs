//! From settings to models, and to an engine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use quipu_answer::{AnswerError, Engine, Source};
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

/// Opens a workspace with others to ask besides; those of the settings where none is named. What cannot be opened is told of in every answer,
/// as long as one can.
pub(crate) async fn open_several(
    folder: &Path,
    others: &[PathBuf],
    settings: &Settings,
    options: OpenOptions,
) -> Result<Engine> {
    let mut folders = vec![folder.to_owned()];
    if others.is_empty() {
        // As the file has them: beside the workspace.
        folders.extend(settings.sources.iter().flatten().map(|other| folder.join(other)));
    } else {
        folders.extend_from_slice(others);
    }
    let mut sources = Vec::new();
    let mut down = Vec::new();
    for folder in &folders {
        match Workspace::open(folder).map_err(AnswerError::from).and_then(|w| Source::open(Arc::new(w))) {
            Ok(source) => sources.push((folder, source)),
            Err(error) if folders.len() > 1 => down.push((folder.display().to_string(), error.to_string())),
            Err(error) => return Err(error.into()),
        }
    }
    if sources.is_empty() {
        let reasons: Vec<String> = down.into_iter().map(|(_, reason)| reason).collect();
        bail!("no source can be asked: {}", reasons.join("; "));
    }
    let (first, _) = sources.remove(0);
    let engine = open(first, settings, options).await?;
    Ok(engine.with_sources(sources.into_iter().map(|(_, source)| source).collect()).without_sources(down))
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
