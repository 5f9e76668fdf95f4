//! Knowledge graphs: the basic types (node, relation, triple, step), the [`Graph`] trait that every
//! source implements, and the sources themselves.
//!
//! This crate knows nothing of language models, of embeddings or of questions.
//!
//! ```
//! use quipu_graph::{EmbeddedGraph, ImportConfig, Input};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let dump = folder.path().join("peru.tsv");
//! std::fs::write(&dump, "Lima\tcapital of\tPeru\nCusco\tlies in\tPeru\n")?;
//!
//! let store = folder.path().join("store");
//! quipu_graph::import(&ImportConfig::new("peru", vec![Input::File(dump)]), &store)?;
//! let graph = EmbeddedGraph::open(&store)?;
//!
//! let peru = graph.find("Peru")?.ok_or("Peru is missing")?;
//! assert_eq!(graph.degree(peru)?, 2);
//! assert_eq!(graph.name(peru)?, "Peru");
//! # Ok(())
//! # }
//! ```

mod api;
mod bytes;
mod endpoint;
mod error;
pub mod files;
mod generation;
mod graph;
mod http;
mod import;
mod naming;
pub mod pages;
mod parse;
mod profile;
mod readable;
mod requests;
mod sparql;
mod store;
mod term;

pub use api::{
    ApiConfig, ApiGraph, ApiParts, Calendar, DateForm, DescribedRelation, DomainEntry, Field, Fill,
    FoundEntity, Holiday, HolidayRule, Kind, KindId, Manifest, Operation, OperationId, Parameter, Place,
    Record, Service, Taken, ValueType, Weekday, fetch_openapi, manifest_skeleton,
};
pub use endpoint::{
    Catalogue, CatalogueEdge, CatalogueRelation, DEGREE_IRI, EndpointConfig, EndpointGraph, EndpointParts,
    FoundName, HarvestReport, HttpMethod, NameSource, SourceProgressSink, Traffic, harvest, survey,
};
pub use error::{EndpointProblem, ErrorClass, GraphError};
pub use generation::{Generations, NewGeneration};
pub use graph::{
    BETWEEN_SOURCES, Direction, Document, Entity, Expansion, Graph, GraphDescription, NodeId, NodeSummary,
    RelationId, RelationInfo, RelationRole, RelationUse, SchemaEdge, Step,
};
pub use import::{
    ImportConfig, ImportProgress, ImportReport, ImportStage, ProgressSink, SkippedLine, TableReport, import,
};
pub use naming::holds_part_of_name;
pub use parse::InputFormat;
pub use parse::input::Input;
pub use profile::{Profile, ProfileChoice, RelationLabelRule};
pub use readable::{NAME_IRI_PREFIX, iri_of_key, is_blank, key_of_iri, readable_entity, readable_relation};
pub use requests::counting_requests;
pub use sparql::{QueryFormat, QueryGraphs, QueryKind, QueryOptions, query_kind};
pub use store::{EmbeddedGraph, EntityName, Groups, LiteralRef, Neighbours};
pub use term::{Datatype, Literal, LiteralValue};
