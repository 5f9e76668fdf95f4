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

pub use budget::{best_within_budget, latest_within_budget};
pub use neighbourhood::{nearby_triples, one_hop, ordinary_steps};
pub use pages::{given_snippets, nearest_snippets, nearest_texts, ranked_pages};
pub use passages::{Documents, retrieve_passages};
pub use scope::{Retrieved, retrieve_scope};
pub use sentences::{TripleSentences, sentence};
pub use tables::{GraphTables, KINDS_FILE, TablesMemory, graph_tables};
pub use triples::{Walked, triples_to_evidence, with_evidence};
pub use words::QuestionWords;
