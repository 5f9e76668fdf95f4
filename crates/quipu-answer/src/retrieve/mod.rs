//! Retrieval: from a plan to evidence. Everything here comes from the graph or from given pages, nothing from a model.

mod apis;
mod budget;
mod links;
mod neighbourhood;
mod pages;
mod passages;
mod scope;
mod sentences;
mod tables;
mod toolbox;
mod triples;
mod words;

pub use apis::{ApiFindings, retrieve_from_apis};
pub(crate) use budget::{best_within_budget, latest_within_budget};
pub use neighbourhood::{nearby_triples, one_hop};
pub use pages::{Page, nearest_snippets};
pub use passages::{Documents, retrieve_passages};
pub use scope::{Retrieved, retrieve_scope};
pub use sentences::{TripleSentences, sentence};
pub use tables::{GraphTables, KINDS_FILE, TablesMemory};
pub use toolbox::{Observation, Toolbox};
pub use triples::{Walked, triples_to_evidence, with_evidence};
pub use words::QuestionWords;
