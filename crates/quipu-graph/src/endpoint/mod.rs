//! SPARQL 1.1 endpoints as graphs: queried in place, in batches, within limits.
//!
//! [`survey`] reads a [`Catalogue`] of relations, types and numbers once; [`harvest`] copies the
//! names into a small embedded store. After that [`EndpointGraph`] answers like any other graph. It
//! caches nodes in memory while it is open, and the endpoint's replies on disk for some hours.
//!
//! | module | what it does |
//! | --- | --- |
//! | `config` | how an endpoint is reached and treated |
//! | `client`, `cache`, `results` | sending, remembering, reading |
//! | `terms`, `query` | nodes and queries in SPARQL's syntax |
//! | `graph`, `neighbours`, `facts`, `split` | the [`Graph`](crate::Graph) |
//! | `survey`, `catalogue` | what the graph holds, read and stored |
//! | `harvest`, `search` | names: all of them, or by the endpoint's text index |
//! | `user_query` | queries of the user's own |

mod cache;
mod catalogue;
mod client;
mod config;
mod facts;
mod graph;
mod harvest;
mod known;
mod neighbours;
mod query;
mod results;
mod search;
mod split;
mod survey;
mod terms;
mod user_query;

pub(crate) use cache::ResultCache;

pub use catalogue::{Catalogue, CatalogueEdge, CatalogueRelation};
pub use client::Traffic;
pub use config::{EndpointConfig, HttpMethod, NameSource};
pub use graph::{EndpointGraph, EndpointParts};
pub use harvest::{DEGREE_IRI, HarvestReport, harvest};
pub use search::FoundName;
pub use survey::survey;

/// Called at each step of a survey or harvest: the step's name, the amount done, the total (0:
/// unknown).
pub type SourceProgressSink = std::sync::Arc<dyn Fn(&str, u64, u64) + Send + Sync>;
