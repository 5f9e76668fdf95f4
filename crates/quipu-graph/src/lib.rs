//! What a knowledge graph is to Quipu: the words (node, relation, triple, step), the [`Graph`] trait that every
//! source implements, and the sources themselves.
//!
//! This crate knows nothing of language models, of embeddings or of questions.

mod error;
mod graph;
mod term;

pub use error::{ErrorClass, GraphError};
pub use graph::{
    Direction, Document, Entity, Expansion, Graph, GraphDescription, NodeId, NodeSummary, RelationId,
    RelationInfo, RelationRole, RelationUse, SchemaEdge, Step,
};
pub use term::{Datatype, Literal, LiteralValue};
