//! Retrieval: from a plan to evidence. All evidence comes from the graph, its documents or given
//! pages, none from a model.

mod budget;
mod neighbourhood;
mod pages;
mod passages;
mod scope;
mod sentences;
mod tables;
mod triples;
mod words;

pub(crate) use budget::{best_within_budget, latest_within_budget};
pub(crate) use neighbourhood::ordinary_steps;
pub use neighbourhood::{nearby_triples, one_hop};
pub use pages::{given_snippets, nearest_snippets};
pub(crate) use pages::{nearest_texts, ranked_pages};
pub use passages::{Documents, retrieve_passages};
pub use scope::{Retrieved, retrieve_scope};
pub use sentences::{TripleSentences, sentence};
pub(crate) use tables::graph_tables;
pub use tables::{GraphTables, KINDS_FILE, TablesMemory};
pub use triples::{Walked, triples_to_evidence, with_evidence};
pub use words::QuestionWords;
