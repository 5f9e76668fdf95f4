//! The workspace: a graph, its indexes and the configuration, in one folder.
//!
//! ```text
//! WORKSPACE/
//!   CURRENT              name of the generation that readers open
//!   quipu.toml           configuration, optional; never touched by an import
//!   gen-NNNN/            one import's result, never changed afterwards but for vectors added later
//!     graph/  names.qix  vectors/
//!   vectors.building/    an unfinished vector build, which the next import of the same texts goes on with
//! ```
//! An import writes a new generation beside the old one and publishes it by one rename, so that a killed or failed
//! import leaves the workspace as it was (see [`quipu_graph::Generations`]).

mod import;
mod link;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use quipu_graph::{EmbeddedGraph, Generations, Graph, GraphDescription};
use serde::Serialize;

use crate::{IndexError, NameIndex, VectorIndex, Vocabulary};

pub use import::{ImportRequest, WorkspaceProgress, WorkspaceProgressSink};

const CONFIGURATION: &str = "quipu.toml";
const NAMES: &str = "names.qix";
const VECTORS: &str = "vectors";

/// What a workspace without vectors cannot do.
const WITHOUT_VECTORS: &str = "no vectors: entities are found by exact names, aliases, typing errors and parts of names, \
but not by meaning; import again with embeddings to add them";

/// An opened workspace. Cheap to open at any size: everything is mapped.
pub struct Workspace {
    folder: PathBuf,
    /// Folder of the generation that is open.
    generation: PathBuf,
    graph: Arc<EmbeddedGraph>,
    names: NameIndex,
    vectors: Option<VectorIndex>,
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

/// What a workspace holds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkspaceInfo {
    /// Its folder.
    pub folder: PathBuf,
    /// The generation that is open.
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
    /// What is missing and what that costs, for people.
    pub missing: Vec<String>,
}

/// What a workspace's vector index holds.
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

impl Workspace {
    /// Opens the published generation.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        let mut workspace = Self::open_without_vectors(folder)?;
        let vectors = workspace.generation.join(VECTORS);
        if vectors.exists() {
            workspace.vectors = Some(VectorIndex::open(&vectors)?);
        }
        Ok(workspace)
    }

    fn open_without_vectors(folder: &Path) -> Result<Self, IndexError> {
        let generations = Generations::open(folder);
        let generation = generations.current()?.ok_or_else(|| {
            let shown = folder.display();
            IndexError::Usage(format!(
                "{shown} is no workspace; make one with `quipu import {shown} FILE...`"
            ))
        })?;
        let graph = Arc::new(EmbeddedGraph::open(generations.current_graph()?)?);
        let names = NameIndex::open(&generation.join(NAMES))?;
        let vocabulary = Vocabulary::new(graph.relations().iter().map(|relation| relation.name.as_str()));
        Ok(Self { folder: folder.to_owned(), generation, graph, names, vectors: None, vocabulary })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The graph.
    pub fn graph(&self) -> &Arc<EmbeddedGraph> {
        &self.graph
    }

    /// The name index.
    pub fn names(&self) -> &NameIndex {
        &self.names
    }

    /// The vector index; `None` where the import left it out.
    pub fn vectors(&self) -> Option<&VectorIndex> {
        self.vectors.as_ref()
    }

    /// The words that the graph's relations are named with.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The text of `quipu.toml`; `None` where there is none.
    pub fn configuration(&self) -> Result<Option<String>, IndexError> {
        read_optional(&self.folder.join(CONFIGURATION))
    }

    /// Sizes of the parts, and what is missing.
    pub fn info(&self) -> WorkspaceInfo {
        let vectors = self.vectors.as_ref().map(|vectors| VectorsInfo {
            rows: vectors.len() as u64,
            dimensions: vectors.dimensions() as u64,
            embedder: vectors.fingerprint().to_owned(),
            bytes: vectors.bytes(),
        });
        let missing = if vectors.is_none() { vec![WITHOUT_VECTORS.to_owned()] } else { Vec::new() };
        WorkspaceInfo {
            folder: self.folder.clone(),
            generation: self.generation.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            graph: self.graph.describe().clone(),
            graph_bytes: self.graph.bytes_on_disk(),
            names: self.names.len(),
            names_bytes: self.names.bytes(),
            vectors,
            missing,
        }
    }

    /// Reads every byte of graph and name index and compares the checksums.
    pub fn verify(&self) -> Result<(), IndexError> {
        self.graph.verify()?;
        self.names.verify()?;
        self.vectors.as_ref().map_or(Ok(()), VectorIndex::verify)
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
