//! Services described by an OpenAPI 3 document as graphs: operations are relations, responses are
//! records.
//!
//! The document lists the operations. A [`Manifest`] adds their meaning: which operations may be
//! called, what kind of entity each parameter takes, where names are searched. [`ApiGraph`] answers
//! like any other graph for operations that take one entity. In addition it takes calls with
//! several parameters, dates among them, which no single hop of a graph can express.
//!
//! | module | what it does |
//! | --- | --- |
//! | `config`, `client` | how a service is reached; requests, limits, hosts that are refused |
//! | `openapi`, `manifest`, `service` | what the document says, what the manifest adds, the two together |
//! | `calendar` | the open days that a manifest states |
//! | `operation` | what fills an operation's parameters; the request of a call |
//! | `skeleton` | a manifest to begin with |
//! | `records` | JSON to records |
//! | `ids`, `catalogue` | positions of kinds and operations; the relations that they make |
//! | `graph`, `walk`, `nodes`, `names` | calls and what is known from them; the [`Graph`](crate::Graph); finding entities by name |

mod calendar;
mod catalogue;
mod client;
mod config;
mod graph;
mod ids;
mod manifest;
mod names;
mod nodes;
mod openapi;
mod operation;
mod records;
mod service;
mod skeleton;
mod walk;

pub use calendar::{Calendar, Holiday, HolidayRule, Weekday};
pub use config::ApiConfig;
pub use graph::{ApiGraph, ApiParts, fetch_openapi};
pub use ids::{KindId, OperationId};
pub use manifest::{DomainEntry, Manifest};
pub use names::FoundEntity;
pub use openapi::{Parameter, Place, ValueType};
pub use operation::{DateForm, Fill, Operation, Taken};
pub use records::{Field, Record};
pub use service::{Kind, Service};
pub use skeleton::manifest_skeleton;
pub use walk::DescribedRelation;
