//! Retrieval: from a plan to evidence. Everything here comes from the graph, nothing from a model.

mod neighbourhood;
mod passages;
mod scope;
mod sentences;
mod toolbox;
mod triples;

pub use neighbourhood::{latest_within_budget, nearby_triples, one_hop};
pub use passages::{Documents, retrieve_passages};
pub use scope::retrieve_scope;
pub use sentences::{TripleSentences, sentence};
pub use toolbox::{Observation, Toolbox};
pub use triples::{Walked, triples_to_evidence};
