//! Retrieval: from a plan to evidence. Everything here comes from the graph, nothing from a model.

mod scope;
mod triples;

pub use scope::retrieve_scope;
pub use triples::triples_to_evidence;
