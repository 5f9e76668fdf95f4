//! Services described by an OpenAPI 3 document as graphs: operations are relations, responses are records.
//!
//! The document says what there is; a [`Manifest`] says what it means: which operations may be called, what kind of entity each
//! parameter takes, where names are searched. [`ApiGraph`] then answers like any other graph as far as that goes (one entity, one
//! operation), and beyond it takes calls with several parameters, dates among them, which no single hop of a graph has.
//!
//! | module | what it does |
//! | --- | --- |
//! | `config`, `client` | how a service is reached; requests, limits, hosts that are refused |
//! | `openapi`, `manifest`, `service` | what the document says, what the manifest adds, the two together |
//! | `records` | JSON to records |
//! | `nodes`, `graph`, `names` | the [`Graph`](crate::Graph), and finding entities by name |

mod client;
mod config;
mod graph;
mod manifest;
mod names;
mod nodes;
mod openapi;
mod records;
mod service;

pub use config::ApiConfig;
pub use graph::{ApiGraph, ApiParts, DescribedRelation, fetch_openapi};
pub use manifest::Manifest;
pub use names::FoundEntity;
pub use openapi::{Parameter, Place, ValueType};
pub use records::{Field, Record};
pub use service::{DateForm, Fill, Kind, KindId, Operation, OperationId, Service, Taken};
