//! The workspace: a graph, its indexes and the configuration, in one folder.
//!
//! ```text
//! WORKSPACE/
//!   CURRENT              name of the generation that readers open
//!   quipu.toml           configuration, optional; never touched by an import
//!   sources.toml         the endpoint that is the workspace's graph, where that is not imported, and the APIs beside it
//!   apis/NAME/           openapi.json and manifest.toml of an API, as they were when it was added
//!   gen-NNNN/            what an import, or an index built later, made; never changed afterwards
//!     graph/  names.qix  vectors/  documents/
//!     documents.json     documents that were added by hand
//!     origin             the generation that the graph was read into, where that is another one
//!     triples/           vectors of triples, where they were asked for
//!     reading            how often the endpoint had been read before
//!     catalogue.json     what is known of an endpoint's graph; `graph/` then holds the names gathered from it
//!   cache/               results of the endpoint, for some hours
//!   harvest.building/    names gathered so far, which the next reading of the endpoint goes on with
//!   documents.building/  an unfinished index of documents, whose vectors the next one takes over
//!   triples.building/    the same of triples
//!   vectors.building/    an unfinished vector build, which the next import of the same texts goes on with
//! ```
//! An import writes a new generation beside the old one and publishes it by one rename, so that a
//! killed or failed import leaves the workspace unchanged (see [`quipu_graph::Generations`]). A
//! later index build or change of documents works the same way, with the other parts linked into
//! the new generation.

mod api;
mod documents;
mod endpoint;
mod import;
mod joined;
mod link;
mod names;
mod progress;
mod search;
mod several;
mod source;
mod triples;
mod vectors;

#[cfg(test)]
mod cut;
#[cfg(test)]
mod sequences;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use quipu_graph::{ApiGraph, EmbeddedGraph, EndpointGraph, Generations, Graph, GraphDescription, NameSource};
use serde::Serialize;

use crate::{DocumentIndex, IndexError, NameIndex, VectorIndex, Vocabulary};

use source::Source;

pub use api::{Aligned, ApiReport, ApiRequest};
pub use documents::{AddedDocument, NamedEntity};
pub use endpoint::{SourceReport, SourceRequest};
pub use triples::TripleHit;
use triples::TripleIndex;

pub use import::ImportRequest;
pub use progress::{WorkspaceProgress, WorkspaceProgressSink};
pub use source::SourceConfig;

const CONFIGURATION: &str = "quipu.toml";
const NAMES: &str = "names.qix";
const VECTORS: &str = "vectors";
const DOCUMENTS: &str = "documents";
const TRIPLES: &str = "triples";

/// The limits of a workspace without vectors.
const WITHOUT_VECTORS: &str = "no vectors: entities are found by exact names, aliases, typing errors and parts of names, \
but not by meaning; import again with embeddings to add them";

/// The limits of documents without vectors.
const WITHOUT_PASSAGE_VECTORS: &str = "documents without vectors: passages are found by their words, but not by meaning; \
`quipu index documents` adds them";

/// The missing index of a workspace from an older Quipu.
const WITHOUT_DOCUMENT_INDEX: &str =
    "the documents are not indexed, so a search finds nothing in them; `quipu index documents` indexes them";

/// An opened workspace. Cheap to open at any size: everything is mapped.
pub struct Workspace {
    folder: PathBuf,
    /// Folder of the open generation.
    generation: PathBuf,
    source: Source,
    graph: Arc<dyn Graph>,
    apis: Vec<Arc<ApiGraph>>,
    names: NameIndex,
    vectors: Option<VectorIndex>,
    documents: Option<DocumentIndex>,
    triples: Option<TripleIndex>,
    vocabulary: Vocabulary,
}

impl std::fmt::Debug for Workspace {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Workspace")
            .field("folder", &self.folder)
            .field("generation", &self.generation)
            .finish()
    }
}

/// The content of a workspace.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkspaceInfo {
    /// Its folder.
    pub folder: PathBuf,
    /// The open generation.
    pub generation: String,
    /// The graph.
    pub graph: GraphDescription,
    /// Bytes of the graph's files.
    pub graph_bytes: u64,
    /// Names in the name index.
    pub names: u64,
    /// Bytes of the name index.
    pub names_bytes: u64,
    /// The vector index, if there is one.
    pub vectors: Option<VectorsInfo>,
    /// The document index, if there is one.
    pub documents: Option<DocumentsInfo>,
    /// The endpoint, if the graph is behind one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<EndpointInfo>,
    /// The APIs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub apis: Vec<ApiReport>,
    /// Missing parts and their consequences, for people.
    pub missing: Vec<String>,
}

/// The endpoint behind a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EndpointInfo {
    /// Its URL.
    pub url: String,
    /// The software that serves it, as it calls itself.
    pub server: String,
    /// The profile of its relations.
    pub profile: String,
    /// The index that finds entities by name.
    pub names: NameSource,
}

/// The size of a workspace's vector index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VectorsInfo {
    /// Distinct texts.
    pub rows: u64,
    /// Length of a vector.
    pub dimensions: u64,
    /// Fingerprint of the embedder.
    pub embedder: String,
    /// Bytes of its files.
    pub bytes: u64,
}

/// The size of a workspace's document index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DocumentsInfo {
    /// Documents of entities.
    pub documents: u64,
    /// Passages of these documents.
    pub passages: u64,
    /// Whether passages can be searched by meaning.
    pub vectors: bool,
    /// Bytes of its files.
    pub bytes: u64,
}

impl Workspace {
    /// Opens the published generation.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        let mut workspace = Self::open_graph(folder)?;
        let vectors = workspace.generation.join(VECTORS);
        if vectors.exists() {
            workspace.vectors = Some(VectorIndex::open(&vectors)?);
        }
        let documents = workspace.generation.join(DOCUMENTS);
        if documents.exists() {
            workspace.documents = Some(DocumentIndex::open(&documents)?);
        }
        workspace.triples = TripleIndex::open(&workspace.generation.join(TRIPLES))?;
        Ok(workspace)
    }

    /// Opens the published generation without its vectors and documents, for callers that need only
    /// graph and names. Damage to the other parts does not affect them.
    ///
    /// # Errors
    /// The missing or damaged file, or the file with another version.
    pub fn open_graph(folder: &Path) -> Result<Self, IndexError> {
        let generations = Generations::open(folder);
        let generation = generations.current()?.ok_or_else(|| {
            let shown = folder.display();
            IndexError::Usage(format!(
                "{shown} is not a workspace; make one with `quipu import {shown} FILE...` or \
                 `quipu source add {shown} NAME --sparql URL|--openapi FILE`"
            ))
        })?;
        let apis = api::open_apis(folder)?;
        let source = Source::open(folder, &generation, &apis)?;
        let graph = source.graph();
        let names = source.translated(NameIndex::open(&generation.join(NAMES))?);
        let vocabulary = Vocabulary::new(graph.relations().iter().map(|relation| relation.name.as_str()));
        Ok(Self {
            folder: folder.to_owned(),
            generation,
            source,
            graph,
            apis,
            names,
            vectors: None,
            documents: None,
            triples: None,
            vocabulary,
        })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The same workspace with a wrapper around its graph, to count its calls or to make it fail.
    pub fn with_graph_behind(mut self, before: impl FnOnce(Arc<dyn Graph>) -> Arc<dyn Graph>) -> Self {
        self.graph = before(self.graph);
        self
    }

    /// The graph.
    pub fn graph(&self) -> &Arc<dyn Graph> {
        &self.graph
    }

    /// The graph, if it is embedded in the workspace.
    pub fn embedded(&self) -> Option<&Arc<EmbeddedGraph>> {
        match &self.source {
            Source::Embedded(graph) => Some(graph),
            Source::Endpoint { .. } | Source::Api(_) | Source::Joined(_) => None,
        }
    }

    /// The graph, if it is behind an endpoint.
    pub fn endpoint(&self) -> Option<&Arc<EndpointGraph>> {
        match &self.source {
            Source::Embedded(_) | Source::Api(_) | Source::Joined(_) => None,
            Source::Endpoint { graph, .. } => Some(graph),
        }
    }

    /// The APIs beside the graph or in its place, in the order of their names.
    pub fn apis(&self) -> &[Arc<ApiGraph>] {
        &self.apis
    }

    /// Whether there is a graph in addition to the APIs.
    pub fn has_graph(&self) -> bool {
        !matches!(self.source, Source::Api(_))
    }

    /// The name index. It is empty if names are searched at the endpoint, and for joined
    /// workspaces; use [`Workspace::lookup`] there.
    pub fn names(&self) -> &NameIndex {
        &self.names
    }

    /// The vector index; `None` if the import built none.
    pub fn vectors(&self) -> Option<&VectorIndex> {
        self.vectors.as_ref()
    }

    /// The index of the entities' documents; `None` if there are none.
    pub fn documents(&self) -> Option<&DocumentIndex> {
        self.documents.as_ref()
    }

    /// The triples whose sentences are nearest to a unit vector, best first; empty without a triple
    /// index.
    ///
    /// # Errors
    /// [`IndexError`] when the index is damaged or the vector is of another length.
    pub fn nearest_triples(&self, vector: &[f32], k: usize) -> Result<Vec<TripleHit>, IndexError> {
        self.triples.as_ref().map_or(Ok(Vec::new()), |triples| triples.search(vector, k))
    }

    /// Name of the generation that imported the graph. It changes with every import, not with index
    /// builds or document changes.
    pub fn graph_state(&self) -> String {
        Generations::origin(&self.generation)
    }

    /// Name of the open generation. It changes with every import and every index build.
    pub fn generation_name(&self) -> &str {
        self.generation.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Path of a part that other crates keep beside the graph. A new import starts without it.
    pub fn part(&self, name: &str) -> PathBuf {
        self.generation.join(name)
    }

    /// Time when the graph was read: that of the open generation; `None` if the system does not
    /// know.
    pub fn read_at(&self) -> Option<std::time::SystemTime> {
        std::fs::metadata(self.generation.join(NAMES)).and_then(|file| file.modified()).ok()
    }

    /// The words in the names of the graph's relations.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The text of `quipu.toml`; `None` without the file.
    pub fn configuration(&self) -> Result<Option<String>, IndexError> {
        read_optional(&self.folder.join(CONFIGURATION))
    }

    /// Sizes of the parts, and the missing parts.
    pub fn info(&self) -> WorkspaceInfo {
        let vectors = self.vectors.as_ref().map(|vectors| VectorsInfo {
            rows: vectors.len() as u64,
            dimensions: vectors.dimensions() as u64,
            embedder: vectors.fingerprint().to_owned(),
            bytes: vectors.bytes(),
        });
        let mut missing = Vec::new();
        if vectors.is_none() && self.source.texts().is_some() {
            missing.push(WITHOUT_VECTORS.to_owned());
        }
        let documents = self.documents.as_ref().map(|index| DocumentsInfo {
            documents: index.documents(),
            passages: index.len(),
            vectors: index.has_vectors(),
            bytes: index.bytes(),
        });
        if documents.is_none() && self.graph.describe().documents > 0 {
            missing.push(WITHOUT_DOCUMENT_INDEX.to_owned());
        }
        if documents.as_ref().is_some_and(|documents| !documents.vectors) {
            missing.push(WITHOUT_PASSAGE_VECTORS.to_owned());
        }
        let endpoint = self.endpoint().map(|graph| {
            missing.extend(graph.catalogue().notes.iter().cloned());
            EndpointInfo {
                url: graph.config().url.clone(),
                server: graph.catalogue().server.clone(),
                profile: graph.catalogue().profile.name.clone(),
                names: graph.config().names,
            }
        });
        WorkspaceInfo {
            folder: self.folder.clone(),
            generation: self.generation.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            graph: self.graph.describe().clone(),
            graph_bytes: self.source.texts().map_or(0, |texts| texts.store.bytes_on_disk()),
            names: self.names.len(),
            names_bytes: self.names.bytes(),
            vectors,
            documents,
            endpoint,
            apis: self.apis.iter().map(|api| ApiReport::of(api)).collect(),
            missing,
        }
    }

    /// Reads every byte of graph and name index and compares the checksums.
    pub fn verify(&self) -> Result<(), IndexError> {
        if let Some(texts) = self.source.texts() {
            texts.store.verify()?;
        }
        self.names.verify()?;
        self.vectors.as_ref().map_or(Ok(()), VectorIndex::verify)?;
        self.triples.as_ref().map_or(Ok(()), TripleIndex::verify)?;
        self.documents.as_ref().map_or(Ok(()), DocumentIndex::verify)
    }
}

fn read_optional(path: &Path) -> Result<Option<String>, IndexError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            Err(IndexError::corrupt(path, "expected text in UTF-8"))
        }
        Err(error) => Err(IndexError::io("cannot read", path)(error)),
    }
}
