//! The documents of a workspace's entities: those of the graph, its descriptions, and those added
//! by hand, in one index.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use quipu_graph::files::{sealed, unsealed};
use quipu_graph::{EmbeddedGraph, Generations, NodeId};
use quipu_model::Embedder;
use serde::{Deserialize, Serialize};

use super::progress::{report, stop_if};
use super::{DOCUMENTS, VECTORS, Workspace, WorkspaceProgress, WorkspaceProgressSink, read_optional};
use crate::documents::remove;
use crate::text::Format;
use crate::{DocumentBuilder, DocumentProgress, IndexError, LookupConfig, SourceDocument};

/// An unfinished build, whose vectors the next one reuses.
const BUILDING: &str = "documents.building";
/// Documents added by hand, with their checksum, in a generation; imports keep them.
const ADDED: &str = "documents.json";
/// The older place of this list: the workspace's folder, one JSON object a line, published apart
/// from its index.
const ADDED_BEFORE: &str = "documents.jsonl";
/// Documents between two reports of progress and checks for cancellation.
const STEP: u64 = 4096;

/// A document added by hand to a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedDocument {
    /// Key of the entity that it is about.
    pub entity: String,
    /// Its title: its file. A new document with the same title and entity replaces it.
    pub title: String,
    /// Whether it is Markdown.
    pub markdown: bool,
    /// The text.
    pub text: String,
}

/// The entities for a name given by a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedEntity {
    /// One entity, by its key.
    One(String),
    /// Several entities with that name, by their keys.
    Several(Vec<String>),
    /// No entity.
    Unknown,
}

impl Workspace {
    /// The entity of a key or a name: by its key, else by a normalised label or alias.
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
        let same = |candidate: &&crate::Candidate| {
            quipu_language::normalise(&candidate.matched) == quipu_language::normalise(name)
        };
        let nodes: Vec<NodeId> = found.iter().filter(same).map(|candidate| candidate.node).collect();
        let mut keys: Vec<String> = self.graph.summaries(&nodes).await?.into_iter().map(|s| s.key).collect();
        keys.sort();
        Ok(match keys.len() {
            0 => NamedEntity::Unknown,
            1 => NamedEntity::One(keys.remove(0)),
            _ => NamedEntity::Several(keys),
        })
    }

    /// The documents added to a workspace, in the order of entities and titles.
    ///
    /// # Errors
    /// A damaged file, with the line.
    pub fn added_documents(folder: &Path) -> Result<Vec<AddedDocument>, IndexError> {
        if let Some(generation) = Generations::open(folder).current()? {
            let path = generation.join(ADDED);
            if let Some(text) = read_optional(&path)? {
                let held = unsealed(&text).map_err(|reason| IndexError::corrupt(&path, reason))?;
                return serde_json::from_str(held)
                    .map_err(|error| IndexError::corrupt(&path, format!("it is not a list: {error}")));
            }
        }
        let path = folder.join(ADDED_BEFORE);
        let text = read_optional(&path)?.unwrap_or_default();
        let read = |(number, line): (usize, &str)| {
            serde_json::from_str(line)
                .map_err(|error| IndexError::Usage(format!("{}:{}: {error}", path.display(), number + 1)))
        };
        text.lines().enumerate().filter(|(_, line)| !line.is_empty()).map(read).collect()
    }

    /// Adds documents to a workspace, replaces those with the same entity and title, and indexes
    /// them with the others. Existing vectors are reused.
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
        let change = |before: Vec<AddedDocument>| {
            let mut all: BTreeMap<(String, String), AddedDocument> = BTreeMap::new();
            for document in before.into_iter().chain(documents) {
                all.insert((document.entity.clone(), document.title.clone()), document);
            }
            all.into_values().collect()
        };
        Self::change_documents(folder, change, embedder, progress, cancel).await
    }

    /// Removes the documents with the given titles from a workspace, of any entity; returns the
    /// number of removed documents.
    ///
    /// # Errors
    /// As [`Workspace::add_documents`].
    pub async fn remove_documents(
        folder: &Path,
        titles: &[String],
        embedder: Option<&dyn Embedder>,
        cancel: &AtomicBool,
    ) -> Result<usize, IndexError> {
        let is_removed = |document: &AddedDocument| titles.contains(&document.title);
        let removed = Self::added_documents(folder)?.iter().filter(|document| is_removed(document)).count();
        if removed > 0 {
            let change = |mut documents: Vec<AddedDocument>| {
                documents.retain(|document| !is_removed(document));
                documents
            };
            Self::change_documents(folder, change, embedder, None, cancel).await?;
        }
        Ok(removed)
    }

    /// Rebuilds the index of a workspace's documents: by words, and with an embedder by meaning.
    ///
    /// # Errors
    /// A workspace whose graph is elsewhere; the embedder's; files that cannot be written.
    pub async fn index_documents(
        folder: &Path,
        embedder: Option<&dyn Embedder>,
        progress: Option<WorkspaceProgressSink>,
        cancel: &AtomicBool,
    ) -> Result<(), IndexError> {
        Self::change_documents(folder, |documents| documents, embedder, progress, cancel).await
    }

    /// Changes the list of added documents and indexes it. Both are published together, in a new
    /// generation.
    async fn change_documents(
        folder: &Path,
        change: impl FnOnce(Vec<AddedDocument>) -> Vec<AddedDocument>,
        embedder: Option<&dyn Embedder>,
        progress: Option<WorkspaceProgressSink>,
        cancel: &AtomicBool,
    ) -> Result<(), IndexError> {
        // Refused before any write. A folder that is not a workspace must not become one.
        let _ = Self::open_graph(folder)?.embedded_or_refuse()?;
        let generation = Generations::open(folder).begin_without(&[DOCUMENTS, ADDED])?;
        let workspace = Self::open_graph(folder)?;
        let documents = change(Self::added_documents(folder)?);
        let source = DocumentsSource { graph: workspace.embedded_or_refuse()?, added: &documents };
        let (parts, progress) = (generation.path(), progress.as_ref());
        build_documents(folder, parts, source, embedder, progress, cancel, 256 << 20).await?;
        generation.publish()?;
        forget_list_before(folder)
    }

    fn embedded_or_refuse(&self) -> Result<&EmbeddedGraph, IndexError> {
        self.embedded().map(|graph| &**graph).ok_or_else(|| {
            IndexError::Usage(format!(
                "the graph of {} is behind an endpoint; only the entities of an imported graph can have documents",
                self.folder.display()
            ))
        })
    }
}

/// Removes the list in its older place, once a generation has it.
pub(super) fn forget_list_before(folder: &Path) -> Result<(), IndexError> {
    remove(&folder.join(ADDED_BEFORE))
}

/// The sources of documents.
#[derive(Clone, Copy)]
pub(super) struct DocumentsSource<'a> {
    pub(super) graph: &'a EmbeddedGraph,
    /// Documents added by hand.
    pub(super) added: &'a [AddedDocument],
}

/// Writes the list of added documents and builds the index of all documents into `parts`, a new
/// generation's folder. Builds no index if there are no documents.
pub(super) async fn build_documents(
    folder: &Path,
    parts: &Path,
    source: DocumentsSource<'_>,
    embedder: Option<&dyn Embedder>,
    progress: Option<&WorkspaceProgressSink>,
    cancel: &AtomicBool,
    memory: usize,
) -> Result<(), IndexError> {
    let list = parts.join(ADDED);
    let text =
        serde_json::to_string(source.added).map_err(IndexError::unwritable("the list of documents"))?;
    std::fs::write(&list, sealed(&text)).map_err(IndexError::io("cannot write", &list))?;
    let building = folder.join(BUILDING);
    std::fs::create_dir_all(&building).map_err(IndexError::io("cannot create", &building))?;
    let mut builder = DocumentBuilder::create(&building, embedder.is_some(), memory)?;
    for previous in previous_vectors(folder, parts)? {
        builder = builder.with_previous(&previous);
    }
    push_all(&mut builder, source, progress, cancel)?;
    if builder.documents() == 0 {
        drop(builder);
        return remove(&building);
    }
    let mut forward = |step| report(progress, WorkspaceProgress::Documents(step));
    builder.finish(embedder, &mut forward, cancel).await?;
    let place = parts.join(DOCUMENTS);
    std::fs::rename(&building, &place).map_err(IndexError::io("cannot write", &place))
}

/// Vector indexes whose vectors may be reused.
fn previous_vectors(folder: &Path, parts: &Path) -> Result<Vec<PathBuf>, IndexError> {
    let published = Generations::open(folder).current()?;
    let folders = published.into_iter().chain([parts.to_owned()]);
    let mut previous: Vec<PathBuf> =
        folders.flat_map(|folder| [folder.join(DOCUMENTS).join(VECTORS), folder.join(VECTORS)]).collect();
    previous.dedup();
    previous.retain(|folder| folder.exists());
    Ok(previous)
}

/// Adds the graph's documents, in the order of nodes, with a description for an entity without a
/// document; then those added by hand.
fn push_all(
    builder: &mut DocumentBuilder,
    source: DocumentsSource<'_>,
    progress: Option<&WorkspaceProgressSink>,
    cancel: &AtomicBool,
) -> Result<(), IndexError> {
    let DocumentsSource { graph, added } = source;
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
    for document in added {
        stop_if(cancel)?;
        // The entity is missing in the new import. Its document waits for an import that has it.
        let Some(node) = graph.find(&document.entity)? else { continue };
        let name = graph.name(node)?;
        let format = if document.markdown { Format::Markdown } else { Format::Plain };
        let (title, text) = (document.title.as_str(), document.text.as_str());
        builder.push(SourceDocument { node, name: &name, title, format, text })?;
    }
    Ok(())
}
