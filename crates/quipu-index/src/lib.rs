//! Names, vectors, documents, and the workspace that holds them beside the graph.
//!
//! | module | what it does |
//! | --- | --- |
//! | `documents` | passages of the entities' documents, by words and by meaning |
//! | `normalise` | the one normalisation of names and texts |
//! | `names` | from a name, however written, to the nodes that bear it |
//! | `mentions` | which parts of a question name entities |
//! | [`text`] | files to text and texts to chunks, without graphs |
//! | `vectors` | nodes by the meaning of their texts |
//! | `workspace` | a graph and its indexes in one folder: import, open, link; several as one graph |
//!
//! ```
//! use quipu_graph::NodeId;
//! use quipu_index::{LookupConfig, NameEntry, NameIndex, NameIndexConfig, NameIndexWriter, NameKind};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("names.qix");
//! let mut writer = NameIndexWriter::create(&path, &NameIndexConfig::default())?;
//! let name = "Quentin Tarantino";
//! writer.push(&NameEntry { node: NodeId(7), name, kind: NameKind::Label, degree: 30, label: None })?;
//! writer.finish()?;
//!
//! let names = NameIndex::open(&path)?;
//! for text in ["quentin tarantino", "Quentin Tarantno", "Tarantino, Quentin", "Tarantino"] {
//!     let found = names.lookup(text, &LookupConfig::default())?;
//!     assert_eq!(found.first().map(|candidate| candidate.node), Some(NodeId(7)), "{text}");
//! }
//! # Ok(())
//! # }
//! ```

mod container;
mod documents;
mod error;
mod mentions;
mod names;
mod pages;
mod spill;
pub mod text;
mod varint;
mod vectors;
mod workspace;

pub use documents::{
    DocumentBuilder, DocumentIndex, DocumentProgress, DocumentQuery, Passage, PassageHit, SearchMode,
    SourceDocument,
};
pub use error::{IndexError, class_of_model};
pub use mentions::{Mention, MentionConfig, MentionDetector, Vocabulary};
pub use names::{
    Candidate, LookupConfig, MatchReason, NameEntry, NameIndex, NameIndexConfig, NameIndexWriter, NameKind,
};
pub use vectors::{VectorBuilder, VectorHit, VectorIndex, VectorProgress, exact_top_k, inner_product};
pub use workspace::{
    AddedDocument, Aligned, ApiReport, ApiRequest, DocumentsInfo, EndpointInfo, ImportRequest, NamedEntity,
    SourceConfig, SourceReport, SourceRequest, TripleHit, VectorsInfo, Workspace, WorkspaceInfo,
    WorkspaceProgress, WorkspaceProgressSink,
};

/// Waits for a thread and propagates its panic.
fn join<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
