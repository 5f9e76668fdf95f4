//! Workspaces with their models.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Zoned;
use quipu_answer::{Answer, AskOptions, Question, Source};
use quipu_model::{Embedder, LanguageModel, OpenOptions};
use serde::de::IgnoredAny;

use crate::models::NO_MODEL;
use crate::{Error, Result, Settings, Workspace, load_embedder, load_model};

/// The workspaces of a question: one, or several whose graphs are walked as one.
#[derive(Clone)]
pub struct Sources {
    first: Workspace,
    others: Vec<Source>,
    down: Vec<(String, String)>,
}

impl Sources {
    /// Opens workspaces. If there are several, those that cannot be opened are skipped, and every
    /// answer mentions them.
    ///
    /// # Errors
    /// The error of a single workspace, or that none of several can be opened.
    pub fn open<P: AsRef<Path>>(folders: impl IntoIterator<Item = P>) -> Result<Self> {
        let mut opened = Vec::new();
        let mut failed: Vec<(String, Error)> = Vec::new();
        for folder in folders {
            match open_source(folder.as_ref()) {
                Ok(source) => opened.push(source),
                Err(error) => failed.push((folder.as_ref().display().to_string(), error)),
            }
        }
        if opened.is_empty() {
            return Err(match failed.len() {
                0 => Error::Usage("a workspace is needed".into()),
                1 => failed.remove(0).1,
                _ => {
                    let reasons: Vec<String> = failed.iter().map(|(_, error)| error.to_string()).collect();
                    Error::Sources(reasons.join("; "))
                }
            });
        }
        let (first, _) = opened.remove(0);
        let down = failed.into_iter().map(|(folder, error)| (folder, error.to_string())).collect();
        Ok(Self { first, others: opened.into_iter().map(|(_, source)| source).collect(), down })
    }

    /// The workspace in `folder` with `others` as additional sources. If `others` is empty, the
    /// settings' sources apply, as paths from the folder.
    ///
    /// # Errors
    /// As [`Sources::open`].
    pub fn of<S>(folder: &Path, others: &[PathBuf], settings: &Settings<S>) -> Result<Self> {
        let mut folders = vec![folder.to_owned()];
        if others.is_empty() {
            folders.extend(settings.sources.iter().flatten().map(|other| folder.join(other)));
        } else {
            folders.extend_from_slice(others);
        }
        Self::open(folders)
    }

    /// The workspace that provides settings and models.
    pub fn first(&self) -> &Workspace {
        &self.first
    }
}

fn open_source(folder: &Path) -> Result<(Workspace, Source)> {
    let workspace = Workspace::open(folder)?;
    let source = quipu_answer::open_source(workspace.inner().clone())?;
    Ok((workspace, source))
}

impl From<Workspace> for Sources {
    fn from(first: Workspace) -> Self {
        Self { first, others: Vec::new(), down: Vec::new() }
    }
}

impl From<&Workspace> for Sources {
    fn from(workspace: &Workspace) -> Self {
        workspace.clone().into()
    }
}

/// One or several workspaces with their models. Cheap to clone; questions run concurrently, on one
/// engine or on several.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let films = folder.path().join("films.tsv");
/// std::fs::write(&films, "Kauwboy\tdirected by\tBoudewijn Koole\n")?;
/// let import = quipu::Workspace::import(folder.path().join("films")).files([films]);
/// let workspace = import.without_vectors().run().await?.workspace;
///
/// let engine = quipu::Engine::builder(&workspace).without_model().build().await?;
/// let answer = engine.ask("Who directed Kauwboy?").await?;
/// assert_eq!(answer.answers, ["Boudewijn Koole"]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Engine {
    inner: quipu_answer::Engine,
    options: AskOptions,
}

/// Builds an [`Engine`]. Options that are not set come from the settings: environment,
/// `WORKSPACE/quipu.toml`, the user's file.
#[must_use = "nothing is opened until it is built"]
pub struct EngineBuilder {
    sources: Sources,
    flags: Settings<IgnoredAny>,
    settings: Option<Settings<IgnoredAny>>,
    model: Option<Arc<dyn LanguageModel>>,
    embedder: Option<Arc<dyn Embedder>>,
    open: OpenOptions,
}

impl Engine {
    /// Begins an engine over a workspace, or over [`Sources`].
    pub fn builder(sources: impl Into<Sources>) -> EngineBuilder {
        EngineBuilder {
            sources: sources.into(),
            flags: Settings::default(),
            settings: None,
            model: None,
            embedder: None,
            open: OpenOptions { keep_instructions: true, ..OpenOptions::default() },
        }
    }

    /// Answers a question asked now, by the settings. If the evidence holds no answer, the result
    /// says so.
    ///
    /// # Errors
    /// [`Error::Usage`] for an invalid question; errors of graph and model.
    pub async fn ask(&self, question: &str) -> Result<Answer> {
        self.ask_with(&Question::new(question, Zoned::now())?, &self.options).await
    }

    /// Answers a question with its own time and options.
    ///
    /// # Errors
    /// As [`Engine::ask`], and for options that contradict each other.
    pub async fn ask_with(&self, question: &Question, options: &AskOptions) -> Result<Answer> {
        Ok(self.inner.ask(question, options).await?)
    }

    /// The same workspaces with another language model, or without one.
    pub fn with_language_model(&self, model: Option<Arc<dyn LanguageModel>>) -> Self {
        Self { inner: self.inner.clone().with_model(model), options: self.options.clone() }
    }

    /// The default options of [`Engine::ask`], as a base for those of [`Engine::ask_with`].
    pub fn options(&self) -> &AskOptions {
        &self.options
    }

    /// The inner engine, for functions that this crate lacks.
    pub fn inner(&self) -> &quipu_answer::Engine {
        &self.inner
    }

    /// The inner engine.
    pub fn into_inner(self) -> quipu_answer::Engine {
        self.inner
    }
}

impl EngineBuilder {
    /// The language model by name: one in `quipu models list`, `openai:NAME` for an endpoint, the
    /// path of a `.gguf` file, or `none`.
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.flags.llm = Some(name.into());
        self
    }

    /// Uses no language model: only path planning and other methods without a model work.
    pub fn without_model(self) -> Self {
        self.model(NO_MODEL)
    }

    /// The language model itself.
    pub fn language_model(mut self, model: Arc<dyn LanguageModel>) -> Self {
        self.model = Some(model);
        self
    }

    /// The embedder itself. Without this call it is the settings' embedder, or none if that is not
    /// installed and the workspace has no vectors.
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.embedder = Some(embedder);
        self
    }

    /// The method of answering: `auto`, `paths`, `query`, `kerag`, ...
    pub fn method(mut self, name: impl Into<String>) -> Self {
        self.flags.method = Some(name.into());
        self
    }

    /// Takes these settings in the place of environment and files.
    pub fn settings<S>(mut self, settings: Settings<S>) -> Self {
        self.settings = Some(settings.without_server());
        self
    }

    /// Options for opening models: folders, threads, the endpoint, the cache of replies.
    pub fn open_options(mut self, options: OpenOptions) -> Self {
        self.open = options;
        self
    }

    /// Loads the models and builds the engine.
    ///
    /// # Errors
    /// [`Error::Model`] for a model that is not installed ([`Error::is_missing_model`]) or damaged;
    /// [`Error::Usage`] for wrong settings and names.
    pub async fn build(self) -> Result<Engine> {
        let Sources { first, others, down } = self.sources;
        let settings = match self.settings {
            Some(settings) => self.flags.over(settings),
            None => Settings::load(self.flags, first.folder())?,
        };
        let options = settings.ask_options()?;
        let embedder = match self.embedder {
            Some(embedder) => Some(embedder),
            None => match load_embedder(&settings).await {
                Ok(embedder) => Some(embedder),
                Err(error) if error.is_missing_model() && first.inner().vectors().is_none() => None,
                Err(error) => return Err(error),
            },
        };
        let model = match self.model {
            Some(model) => Some(model),
            None => load_model(&settings, self.open).await?,
        };
        let inner = quipu_answer::Engine::new(first.inner().clone(), model, embedder)?;
        let inner = if others.is_empty() { inner } else { inner.with_sources(others) };
        Ok(Engine { inner: inner.without_sources(down), options })
    }
}
