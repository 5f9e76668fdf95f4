//! Retrieval: from a plan to evidence. Everything here comes from the graph, nothing from a model.

mod lexical;
mod neighbourhood;
mod passages;
mod scope;
mod sentences;
mod toolbox;
mod triples;

pub use lexical::DocumentWords;
pub use neighbourhood::{latest_within_budget, nearby_triples, one_hop};
pub use passages::retrieve_passages;
pub use scope::retrieve_scope;
pub use sentences::{TripleSentences, sentence};
pub use toolbox::{Observation, Toolbox};
pub use triples::{Walked, triples_to_evidence, with_evidence};
