//! Imports files into a workspace.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quipu_graph::{ImportConfig, ImportReport, Input, InputFormat, ProfileChoice};
use quipu_index::{ImportRequest, WorkspaceProgressSink};
use quipu_model::Embedder;
use quipu_query::open_tables;

use super::{StopOnDrop, Workspace};
use crate::{Error, Result, Settings, load_embedder};

/// An import of files, plain or compressed, into a workspace. It replaces the folder's previous
/// content at its end. An import that fails or is stopped leaves the folder unchanged.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let films = folder.path().join("films.tsv");
/// std::fs::write(&films, "Kauwboy\tdirected by\tBoudewijn Koole\n")?;
///
/// let import = quipu::Workspace::import(folder.path().join("films")).files([films]);
/// // Without vectors no embedder is needed.
/// let imported = import.without_vectors().run().await?;
/// assert_eq!(imported.report.triples, 1);
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is imported until it runs"]
pub struct Import {
    folder: PathBuf,
    inputs: Vec<Input>,
    format: Option<String>,
    profile: Option<String>,
    languages: Vec<String>,
    lenient: bool,
    memory: Option<u64>,
    vectors: Vectors,
    progress: Option<WorkspaceProgressSink>,
    cancel: Arc<AtomicBool>,
}

enum Vectors {
    /// With the embedder of the settings.
    Settings,
    By(Arc<dyn Embedder>),
    None,
}

/// The result of an import.
#[derive(Debug)]
pub struct Imported {
    /// The workspace, opened.
    pub workspace: Workspace,
    /// The report on the input.
    pub report: ImportReport,
}

/// The format of knowledge bases with documents: separate files of nodes and edges.
const SKB: &str = "skb";
/// The format of each file is detected.
const AUTO: &str = "auto";

impl Import {
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            inputs: Vec::new(),
            format: None,
            profile: None,
            languages: Vec::new(),
            lenient: false,
            memory: None,
            vectors: Vectors::Settings,
            progress: None,
            cancel: Arc::default(),
        }
    }

    /// Adds these files, after those named before.
    pub fn files<P: Into<PathBuf>>(mut self, files: impl IntoIterator<Item = P>) -> Self {
        self.inputs.extend(files.into_iter().map(|file| Input::File(file.into())));
        self
    }

    /// Adds standard input.
    pub fn stdin(mut self) -> Self {
        self.inputs.push(Input::Stdin);
        self
    }

    /// The format of all files: `turtle`, `csv`, `table`, ...; `auto`, the default, detects it.
    pub fn format(mut self, name: impl Into<String>) -> Self {
        self.format = Some(name.into());
        self
    }

    /// The roles of relations (labels, aliases, types, descriptions, noise): `auto`, a profile's
    /// name or a TOML file.
    pub fn profile(mut self, name: impl Into<String>) -> Self {
        self.profile = Some(name.into());
        self
    }

    /// Languages of labels by their tags, the preferred first: `de`, `pt-BR`; `en` by default.
    /// Labels without a language come next, then labels in any other.
    pub fn languages<L: Into<String>>(mut self, tags: impl IntoIterator<Item = L>) -> Self {
        self.languages.extend(tags.into_iter().map(Into::into));
        self
    }

    /// Skips malformed lines, and counts and lists them, instead of stopping at the first.
    pub fn lenient(mut self, lenient: bool) -> Self {
        self.lenient = lenient;
        self
    }

    /// Memory limit in bytes.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Makes the vectors with this embedder, not the settings'.
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.vectors = Vectors::By(embedder);
        self
    }

    /// Makes no vectors: entities are then found by name, not by meaning, and no embedder is
    /// needed.
    pub fn without_vectors(mut self) -> Self {
        self.vectors = Vectors::None;
        self
    }

    /// Sets a listener for progress, called several times a second from any thread.
    pub fn progress(mut self, sink: WorkspaceProgressSink) -> Self {
        self.progress = Some(sink);
        self
    }

    /// A flag that stops the import when set to true. The import then fails with an error of the
    /// class [`Cancelled`](crate::ErrorClass::Cancelled). Dropping the future also stops it.
    pub fn cancel(&self) -> Arc<AtomicBool> {
        self.cancel.clone()
    }

    /// Checks the names of format and files, before anything is read or loaded.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn check(&self) -> Result<()> {
        self.config().map(drop)
    }

    /// Reads the files, builds the indexes and publishes the workspace. It also counts the tables,
    /// so that the first question does not wait for them.
    ///
    /// # Errors
    /// [`Error::Usage`] for unknown formats; [`Error::Graph`] for files that cannot be read, with
    /// the line; [`Error::Model`] without an embedder; [`Error::Index`] for files that cannot be
    /// written.
    pub async fn run(self) -> Result<Imported> {
        let graph = self.config()?;
        let embedder = match self.vectors {
            Vectors::None => None,
            Vectors::By(embedder) => Some(embedder),
            Vectors::Settings => {
                let settings = Settings::<serde::de::IgnoredAny>::load(Settings::default(), &self.folder)?;
                Some(load_embedder(&settings).await?)
            }
        };
        let request = ImportRequest { graph, embedder, progress: self.progress };
        let stop = StopOnDrop::new(&self.cancel);
        let (folder, runtime) = (self.folder.clone(), tokio::runtime::Handle::current());
        let work = move || runtime.block_on(quipu_index::Workspace::import(&folder, &request));
        let outcome = tokio::task::spawn_blocking(work).await;
        stop.done();
        let report = outcome.map_err(|_| Error::Lost)??;
        let workspace = Workspace::open(&self.folder)?;
        open_tables(workspace.inner()).await?;
        Ok(Imported { workspace, report })
    }

    fn config(&self) -> Result<ImportConfig> {
        if self.inputs.is_empty() {
            return Err(Error::Usage("an import needs a file".into()));
        }
        let mut config = ImportConfig::new(source_name(&self.folder), self.inputs.clone());
        config.format = match self.format.as_deref() {
            None | Some(AUTO) => None,
            Some(SKB) => {
                check_skb(&self.inputs)?;
                None
            }
            Some(name) => Some(InputFormat::parse(name).map_err(|error| Error::Usage(error.to_string()))?),
        };
        config.profile = ProfileChoice::parse(self.profile.as_deref().unwrap_or(AUTO));
        if let Some(wrong) = self.languages.iter().find(|tag| !is_language_tag(tag)) {
            let reason = format!("“{wrong}” is not a language tag; examples: de, en, pt-BR");
            return Err(Error::Usage(reason));
        }
        if !self.languages.is_empty() {
            // The store holds tags in lower case.
            config.languages = self.languages.iter().map(|tag| tag.to_lowercase()).collect();
        }
        config.lenient = self.lenient;
        config.memory = self.memory.unwrap_or(config.memory);
        config.cancel = self.cancel.clone();
        Ok(config)
    }
}

/// Whether a text has the form of a language tag (BCP 47): letters, then parts of letters and
/// digits behind hyphens.
fn is_language_tag(tag: &str) -> bool {
    let mut parts = tag.split('-');
    let is_first =
        |part: &str| (2..=8).contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphabetic());
    let is_part =
        |part: &str| (1..=8).contains(&part.len()) && part.chars().all(|c| c.is_ascii_alphanumeric());
    parts.next().is_some_and(is_first) && parts.all(is_part)
}

/// The source's name is that of its workspace's folder.
fn source_name(workspace: &Path) -> String {
    let absolute = std::path::absolute(workspace).unwrap_or_else(|_| workspace.to_owned());
    absolute.file_name().map_or_else(|| "graph".into(), |name| name.to_string_lossy().into_owned())
}

/// The format `skb` requires nodes as JSON Lines, and permits edges as TSV.
fn check_skb(inputs: &[Input]) -> Result<()> {
    let mut has_nodes = false;
    for input in inputs {
        let (format, name) = match input {
            Input::File(path) => (InputFormat::of_path(path), path.display().to_string()),
            _ => (None, "standard input".to_owned()),
        };
        has_nodes |= format == Some(InputFormat::SkbNodes);
        if !matches!(format, Some(InputFormat::SkbNodes | InputFormat::Tsv)) {
            return Err(Error::Usage(format!(
                "the format skb takes nodes (.jsonl) and edges (.tsv), not {name}"
            )));
        }
    }
    if !has_nodes {
        return Err(Error::Usage("the format skb needs a file of nodes (.jsonl), not edges alone".into()));
    }
    Ok(())
}
