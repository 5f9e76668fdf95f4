//! Finding things: names, vectors, documents, and the workspace that holds them beside the graph.

mod container;
mod error;
mod mentions;
mod names;
mod normalise;
mod spill;
mod varint;
mod vectors;
mod workspace;

pub use error::IndexError;
pub use mentions::{Mention, MentionConfig, MentionDetector, Vocabulary};
pub use names::{
    Candidate, LookupConfig, MatchReason, NameEntry, NameIndex, NameIndexConfig, NameIndexWriter, NameKind,
};
pub use normalise::{Word, is_article, normalise, words};
pub use vectors::{VectorBuilder, VectorHit, VectorIndex, VectorProgress, exact_top_k};
pub use workspace::{
    ImportRequest, VectorsInfo, Workspace, WorkspaceInfo, WorkspaceProgress, WorkspaceProgressSink,
};
