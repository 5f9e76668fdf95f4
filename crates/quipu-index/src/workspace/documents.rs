//! The documents of a workspace's entities: those that came with the graph, its descriptions, and those that were added; indexed
//! together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use quipu_graph::{EmbeddedGraph, Generations, NodeId};
use quipu_model::Embedder;
use serde::{Deserialize, Serialize};

use super::import::{report, stop_if};
use super::{DOCUMENTS, VECTORS, Workspace, WorkspaceProgress, WorkspaceProgressSink, read_optional};
use crate::documents::remove;
use crate::text::Format;
use crate::{DocumentBuilder, DocumentProgress, IndexError, LookupConfig, SourceDocument};

/// An unfinished build, whose vectors the next one goes on with.
const BUILDING: &str = "documents.building";
/// Documents that were added by hand, one JSON object a line; kept over imports.
const ADDED: &str = "documents.jsonl";
/// Documents between two reports of progress and looks at the cancellation.
const STEP: u64 = 4096;

/// A document that was added to a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedDocument {
    /// Key of the entity that it is about.
    pub entity: String,
    /// What it is called: its file. One of the same title and entity replaces it.
    pub title: String,
    /// Whether headings and lists are marked as in Markdown.
    pub markdown: bool,
    /// The text.
    pub text: String,
}

/// What became of an entity's name that a document gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedEntity {
    /// One entity: its key.
    One(String),
    /// Several of that name: their keys.
    Several(Vec<String>),
    /// None.
    Unknown,
}

impl Workspace {
    /// The entity of a key or a name: by its key, else by a name or another name of it, however it is written.
    ///
    /// # Errors
    /// The graph's and the index's.
    pub async fn named_entity(&self, name: &str) -> Result<NamedEntity, IndexError> {
        if let [Some(node)] = self.graph.resolve(&[name]).await?.as_slice() {
            let summaries = self.graph.summaries(&[*node]).await?;
            return Ok(summaries
                .into_iter()
                .next()
                .map_or(NamedEntity::Unknown, |s| NamedEntity::One(s.key)));
        }
        let found = self.lookup(name, &LookupConfig::default()).await?;
        let same =
            |candidate: &&crate::Candidate| crate::normalise(&candidate.matched) == crate::normalise(name);
        let nodes: Vec<NodeId> = found.iter().filter(same).map(|candidate| candidate.node).collect();
        let mut keys: Vec<String> = self.graph.summaries(&nodes).await?.into_iter().map(|s| s.key).collect();
        keys.sort();
        Ok(match keys.len() {
            0 => NamedEntity::Unknown,
            1 => NamedEntity::One(keys.remove(0)),
            _ => NamedEntity::Several(keys),
        })
    }

    /// The documents that were added to a workspace, in the order of entities and titles.
    ///
    /// # Errors
    /// A file that is not what it should be, by line.
    pub fn added_documents(folder: &Path) -> Result<Vec<AddedDocument>, IndexError> {
        let path = folder.join(ADDED);
        let text = read_optional(&path)?.unwrap_or_default();
        let read = |(number, line): (usize, &str)| {
            serde_json::from_str(line)
                .map_err(|error| IndexError::Usage(format!("{}:{}: {error}", path.display(), number + 1)))
        };
        text.lines().enumerate().filter(|(_, line)| !line.is_empty()).map(read).collect()
    }

    /// Adds documents to a workspace, those of the same entity and title replaced, and indexes them with the others. What was
    /// embedded before is not embedded again.
    ///
    /// # Errors
    /// A workspace whose graph is elsewhere; the embedder's; files that cannot be written.
    pub async fn add_documents(
        folder: &Path,
        documents: Vec<AddedDocument>,
        embedder: Option<&dyn Embedder>,
        progress: Option<WorkspaceProgressSink>,
        cancel: &AtomicBool,
    ) -> Result<(), IndexError> {
        let mut all: BTreeMap<(String, String), AddedDocument> = BTreeMap::new();
        for document in Self::added_documents(folder)?.into_iter().chain(documents) {
            all.insert((document.entity.clone(), document.title.clone()), document);
        }
        // Refused before anything is written.
        let _ = Self::open_graph(folder)?.embedded_or_refuse()?;
        write_added(folder, all.into_values())?;
        Self::index_documents(folder, embedder, progress, cancel).await
    }

    /// Takes the documents of the given titles out of a workspace, of any entity; the number of those that were there.
    ///
    /// # Errors
    /// As [`Workspace::add_documents`].
    pub async fn remove_documents(
        folder: &Path,
        titles: &[String],
        embedder: Option<&dyn Embedder>,
        cancel: &AtomicBool,
    ) -> Result<usize, IndexError> {
        let mut documents = Self::added_documents(folder)?;
        let before = documents.len();
        documents.retain(|document| !titles.contains(&document.title));
        let removed = before - documents.len();
        if removed > 0 {
            write_added(folder, documents)?;
            Self::index_documents(folder, embedder, None, cancel).await?;
        }
        Ok(removed)
    }

    /// Builds the index of a workspace's documents anew: by words, and with an embedder by meaning.
    ///
    /// # Errors
    /// A workspace whose graph is elsewhere; the embedder's; files that cannot be written.
    pub async fn index_documents(
        folder: &Path,
        embedder: Option<&dyn Embedder>,
        progress: Option<WorkspaceProgressSink>,
        cancel: &AtomicBool,
    ) -> Result<(), IndexError> {
        // What is no workspace is not to become one.
        Self::open_graph(folder)?;
        // Begun for its lock alone: the index goes into the published generation.
        let _lock = Generations::open(folder).begin()?;
        let workspace = Self::open_graph(folder)?;
        let graph = workspace.embedded_or_refuse()?;
        build_documents(folder, &workspace.generation, graph, embedder, progress.as_ref(), cancel, 256 << 20)
            .await
    }

    fn embedded_or_refuse(&self) -> Result<&EmbeddedGraph, IndexError> {
        self.embedded().map(|graph| &**graph).ok_or_else(|| {
            IndexError::Usage(format!(
                "the graph of {} is at an endpoint; documents belong to entities of an imported graph",
                self.folder.display()
            ))
        })
    }
}

fn write_added(folder: &Path, documents: impl IntoIterator<Item = AddedDocument>) -> Result<(), IndexError> {
    let (path, next) = (folder.join(ADDED), folder.join("documents.next"));
    let mut lines = String::new();
    for document in documents {
        let line = serde_json::to_string(&document).map_err(|error| IndexError::Usage(error.to_string()))?;
        lines.push_str(&line);
        lines.push('\n');
    }
    std::fs::write(&next, lines).map_err(IndexError::io("cannot write", &next))?;
    std::fs::rename(&next, &path).map_err(IndexError::io("cannot write", &path))
}

/// Builds the index of all documents into `parts`, a generation's folder; removes it where there are no documents.
pub(super) async fn build_documents(
    folder: &Path,
    parts: &Path,
    graph: &EmbeddedGraph,
    embedder: Option<&dyn Embedder>,
    progress: Option<&WorkspaceProgressSink>,
    cancel: &AtomicBool,
    memory: usize,
) -> Result<(), IndexError> {
    let building = folder.join(BUILDING);
    std::fs::create_dir_all(&building).map_err(IndexError::io("cannot create", &building))?;
    let mut builder = DocumentBuilder::create(&building, embedder.is_some(), memory)?;
    for previous in previous_vectors(folder, parts)? {
        builder = builder.with_previous(&previous);
    }
    push_all(&mut builder, folder, graph, progress, cancel)?;
    let place = parts.join(DOCUMENTS);
    if builder.documents() == 0 {
        drop(builder);
        remove(&building)?;
        return remove(&place);
    }
    let mut forward = |step| report(progress, WorkspaceProgress::Documents(step));
    builder.finish(embedder, &mut forward, cancel).await?;
    // Renamed out of the way first, so that a kill between the two leaves no half of an index.
    let old = parts.join("documents.old");
    remove(&old)?;
    if place.exists() {
        std::fs::rename(&place, &old).map_err(IndexError::io("cannot write", &old))?;
    }
    std::fs::rename(&building, &place).map_err(IndexError::io("cannot write", &place))?;
    remove(&old)
}

/// Vector indexes whose vectors may be used again.
fn previous_vectors(folder: &Path, parts: &Path) -> Result<Vec<PathBuf>, IndexError> {
    let published = Generations::open(folder).current()?;
    let folders = published.into_iter().chain([parts.to_owned()]);
    let mut previous: Vec<PathBuf> =
        folders.flat_map(|folder| [folder.join(DOCUMENTS).join(VECTORS), folder.join(VECTORS)]).collect();
    previous.dedup();
    previous.retain(|folder| folder.exists());
    Ok(previous)
}

/// The graph's documents, in the order of nodes, a description where an entity has no document; then those that were added.
fn push_all(
    builder: &mut DocumentBuilder,
    folder: &Path,
    graph: &EmbeddedGraph,
    progress: Option<&WorkspaceProgressSink>,
    cancel: &AtomicBool,
) -> Result<(), IndexError> {
    for number in 0..graph.entity_count() {
        let node = NodeId(number);
        if number.is_multiple_of(STEP) {
            stop_if(cancel)?;
            let documents = builder.documents();
            report(progress, WorkspaceProgress::Documents(DocumentProgress::Read { documents }));
        }
        let own = graph.document(node)?;
        let Some(text) = (match own {
            Some(text) => Some(text),
            None => graph.description_of(node)?,
        }) else {
            continue;
        };
        let name = graph.name(node)?;
        builder.push(SourceDocument { node, name: &name, title: "", format: Format::Plain, text })?;
    }
    for document in Workspace::added_documents(folder)? {
        stop_if(cancel)?;
        // An entity that a new import no longer holds: its document waits for the next one that does.
        let Some(node) = graph.find(&document.entity)? else { continue };
        let name = graph.name(node)?;
        let format = if document.markdown { Format::Markdown } else { Format::Plain };
        let (title, text) = (document.title.as_str(), document.text.as_str());
        builder.push(SourceDocument { node, name: &name, title, format, text })?;
    }
    Ok(())
}
