//! Opens the models of the settings.

use std::sync::Arc;

use quipu_model::{
    Embedder, LanguageModel, ModelKind, OpenOptions, default_model_name, name_with_adapters, open_embedder,
    open_language_model,
};

use crate::{Error, Result, Settings};

/// Model name for using no language model.
pub const NO_MODEL: &str = "none";

/// The language model of the settings, else the default one, with its adapters; `None` for
/// [`NO_MODEL`]. Loading takes a second.
///
/// # Errors
/// [`Error::Model`] for a model that is unknown, not installed ([`Error::is_missing_model`]) or
/// damaged.
pub async fn load_model<S>(
    settings: &Settings<S>,
    options: OpenOptions,
) -> Result<Option<Arc<dyn LanguageModel>>> {
    let name = match &settings.llm {
        Some(name) if name == NO_MODEL => return Ok(None),
        Some(name) => name.clone(),
        None => default_model_name(ModelKind::Chat, &options)?,
    };
    let name = name_with_adapters(&name, settings.adapters.as_deref().unwrap_or_default())?;
    let options = OpenOptions { prices: settings.prices.clone(), ..options };
    let model = tokio::task::spawn_blocking(move || open_language_model(&name, &options)).await;
    Ok(Some(model.map_err(|_| Error::Lost)??))
}

/// The embedder of the settings, else the default one.
///
/// # Errors
/// As [`load_model`].
pub async fn load_embedder<S>(settings: &Settings<S>) -> Result<Arc<dyn Embedder>> {
    let options = OpenOptions::default();
    let name = match &settings.embedder {
        Some(name) => name.clone(),
        None => default_model_name(ModelKind::Embedder, &options)?,
    };
    Ok(open_embedder(&name, &options).await?)
}
