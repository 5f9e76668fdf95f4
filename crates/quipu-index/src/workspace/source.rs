//! The location of a workspace's graph: its own folder, or an endpoint or an API in `sources.toml`.
//!
//! ```toml
//! [source.films]
//! sparql = "https://example.org/sparql"
//! profile = "dbpedia"
//!
//! [source.prices]
//! openapi = "https://example.org/openapi.json"
//! manifest = "prices.toml"
//! reading = 2             # which of the files in apis/prices/ are the API's: written with the source
//! ```
//! A source exists once this file names it. An endpoint also needs a published generation with its
//! catalogue.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use quipu_graph::files::replace;
use quipu_graph::{
    ApiConfig, ApiGraph, Catalogue, DEGREE_IRI, Direction, EmbeddedGraph, EndpointConfig, EndpointGraph,
    EndpointParts, Generations, Graph, GraphError, NodeId, RelationId, Step, key_of_iri,
};
use serde::{Deserialize, Serialize};

use super::read_optional;
use crate::joined::JoinedGraph;
use crate::{IndexError, NameIndex};

/// The endpoint and the APIs of a workspace.
pub(super) const SOURCES: &str = "sources.toml";
/// The catalogue of an endpoint's graph, in a generation.
pub(super) const CATALOGUE: &str = "catalogue.json";
/// Cached results of an endpoint.
pub(super) const CACHE: &str = "cache";
/// Key of a source for the valid reading of an API's files.
const READING: &str = "reading";

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    source: BTreeMap<String, toml::Table>,
}

/// The settings of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceConfig {
    /// A SPARQL endpoint: the workspace's graph.
    Endpoint(EndpointConfig),
    /// An API with an OpenAPI document. A workspace may have several, beside its graph or in its
    /// place.
    Api(ApiConfig),
}

impl SourceConfig {
    /// Its address, for people: the endpoint's URL, the API's document.
    pub fn address(&self) -> &str {
        match self {
            Self::Endpoint(config) => &config.url,
            Self::Api(config) => &config.openapi,
        }
    }

    fn from_toml(table: toml::Table) -> Result<Self, GraphError> {
        if table.contains_key("openapi") {
            return ApiConfig::from_toml(table).map(Self::Api);
        }
        EndpointConfig::from_toml(table).map(Self::Endpoint)
    }

    fn to_toml(&self) -> Result<toml::Table, GraphError> {
        match self {
            Self::Endpoint(config) => config.to_toml(),
            Self::Api(config) => config.to_toml(),
        }
    }
}

fn wrong(folder: &Path, reason: &str) -> IndexError {
    IndexError::Usage(format!("{}: {}", folder.join(SOURCES).display(), reason.trim_end()))
}

fn read_file(folder: &Path) -> Result<File, IndexError> {
    let Some(text) = read_optional(&folder.join(SOURCES))? else { return Ok(File::default()) };
    toml::from_str(&text).map_err(|error| wrong(folder, &error.to_string()))
}

/// The sources of a workspace, by name. An endpoint without a published catalogue is ignored,
/// because its addition was interrupted.
pub(super) fn read_sources(folder: &Path) -> Result<Vec<(String, SourceConfig)>, IndexError> {
    let mut sources = Vec::new();
    for (name, mut table) in read_file(folder)?.source {
        table.remove(READING);
        let config = SourceConfig::from_toml(table)
            .map_err(|error| wrong(folder, &format!("source {name}: {error}")))?;
        sources.push((name, config));
    }
    if sources.iter().any(|(_, config)| matches!(config, SourceConfig::Endpoint(_))) {
        let published = Generations::open(folder).current()?;
        if !published.is_some_and(|generation| generation.join(CATALOGUE).exists()) {
            sources.retain(|(_, config)| matches!(config, SourceConfig::Api(_)));
        }
    }
    Ok(sources)
}

/// Number of the valid reading of an API's files; 0: the first.
pub(super) fn reading_of(folder: &Path, name: &str) -> Result<u64, IndexError> {
    let file = read_file(folder)?;
    let Some(reading) = file.source.get(name).and_then(|source| source.get(READING)) else { return Ok(0) };
    let number = reading.as_integer().and_then(|number| u64::try_from(number).ok());
    number.ok_or_else(|| wrong(folder, &format!("source {name}: {READING} must be a number")))
}

/// The endpoint among the sources of a workspace.
pub(super) fn read_endpoint_source(folder: &Path) -> Result<Option<(String, EndpointConfig)>, IndexError> {
    let endpoint = |(name, config)| match config {
        SourceConfig::Endpoint(config) => Some((name, config)),
        SourceConfig::Api(_) => None,
    };
    Ok(read_sources(folder)?.into_iter().find_map(endpoint))
}

/// Writes a source into `sources.toml`. It replaces the source of the same name, and an endpoint
/// replaces any other endpoint.
pub(super) fn write_source(
    folder: &Path,
    name: &str,
    config: &SourceConfig,
    reading: u64,
) -> Result<(), IndexError> {
    let mut file = read_file(folder)?;
    if matches!(config, SourceConfig::Endpoint(_)) {
        file.source.retain(|_, table| table.contains_key("openapi"));
    }
    let mut table = config.to_toml()?;
    if let Some(number) = i64::try_from(reading).ok().filter(|number| *number > 0) {
        table.insert(READING.into(), number.into());
    }
    file.source.insert(name.to_owned(), table);
    write_file(folder, &file)
}

/// Removes a source from `sources.toml`.
pub(super) fn forget_source(folder: &Path, name: &str) -> Result<(), IndexError> {
    let mut file = read_file(folder)?;
    file.source.remove(name);
    write_file(folder, &file)
}

/// Writes `sources.toml`, or removes it if no source remains.
fn write_file(folder: &Path, file: &File) -> Result<(), IndexError> {
    let path = folder.join(SOURCES);
    if file.source.is_empty() {
        return match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(IndexError::io("cannot remove", &path)(error))
            }
            _ => Ok(()),
        };
    }
    let text = toml::to_string(file).map_err(IndexError::unwritable("the list of sources"))?;
    replace(&path, text.as_bytes()).map_err(|(path, error)| IndexError::io("cannot write", &path)(error))
}

/// The graph that answers, and the store of its names.
pub(super) enum Source {
    Embedded(Arc<EmbeddedGraph>),
    Endpoint {
        graph: Arc<EndpointGraph>,
        /// The harvest; `None` if names are searched at the endpoint.
        names: Option<Arc<EmbeddedGraph>>,
    },
    /// Only APIs; methods that walk a graph use the first.
    Api(Arc<ApiGraph>),
    /// Several workspaces joined.
    Joined(Arc<JoinedGraph>),
}

impl Source {
    /// Opens the graph of a generation.
    pub(super) fn open(folder: &Path, generation: &Path, apis: &[Arc<ApiGraph>]) -> Result<Self, IndexError> {
        let store = generation.join("graph");
        let catalogue = generation.join(CATALOGUE);
        if !catalogue.exists() {
            if let (false, Some(api)) = (store.exists(), apis.first()) {
                return Ok(Self::Api(api.clone()));
            }
            return Ok(Self::Embedded(Arc::new(EmbeddedGraph::open(store)?)));
        }
        let catalogue = Catalogue::read(&catalogue)?;
        let name = &catalogue.description.name;
        let endpoint = read_endpoint_source(folder)?;
        let Some((_, config)) = endpoint.filter(|(known, _)| known == name) else {
            let path = folder.join(SOURCES);
            return Err(IndexError::Usage(format!("{}: source {name} is missing there", path.display())));
        };
        let names = if store.exists() { Some(Arc::new(EmbeddedGraph::open(store)?)) } else { None };
        let parts =
            EndpointParts { config, catalogue, names: names.clone(), cache: Some(folder.join(CACHE)) };
        Ok(Self::Endpoint { graph: Arc::new(EndpointGraph::open(parts)?), names })
    }

    pub(super) fn graph(&self) -> Arc<dyn Graph> {
        match self {
            Self::Embedded(graph) => graph.clone(),
            Self::Endpoint { graph, .. } => graph.clone(),
            Self::Api(graph) => graph.clone(),
            Self::Joined(graph) => graph.clone(),
        }
    }

    /// The store with names, types and descriptions.
    pub(super) fn texts(&self) -> Option<Texts<'_>> {
        match self {
            Self::Embedded(graph) => Some(Texts { store: graph, degree: None }),
            Self::Endpoint { names, .. } => names.as_deref().map(Texts::harvested),
            Self::Api(_) | Self::Joined(_) => None,
        }
    }

    /// The graph's node for a node of the store.
    pub(super) fn node(&self, stored: NodeId) -> Result<NodeId, GraphError> {
        match self {
            Self::Endpoint { graph, names: Some(names) } => node_of(graph, names, stored),
            _ => Ok(stored),
        }
    }

    /// The index with the graph's nodes in the place of the store's.
    pub(super) fn translated(&self, index: NameIndex) -> NameIndex {
        let Self::Endpoint { graph, names: Some(names) } = self else { return index };
        let (graph, names) = (graph.clone(), names.clone());
        index.with_nodes(Arc::new(move |stored| node_of(&graph, &names, stored).ok()))
    }
}

fn node_of(graph: &EndpointGraph, names: &EmbeddedGraph, stored: NodeId) -> Result<NodeId, GraphError> {
    Ok(graph.node_of_key(&key_of_iri(&names.key(stored)?)))
}

/// Names, types, descriptions and degrees, as stored.
#[derive(Clone, Copy)]
pub(super) struct Texts<'a> {
    pub(super) store: &'a EmbeddedGraph,
    /// The harvest's relation for degrees; `None`: the store's own degrees.
    degree: Option<RelationId>,
}

impl<'a> Texts<'a> {
    pub(super) fn of_graph(store: &'a EmbeddedGraph) -> Self {
        Self { store, degree: None }
    }

    pub(super) fn harvested(store: &'a EmbeddedGraph) -> Self {
        Self { store, degree: store.find_relation(DEGREE_IRI) }
    }

    pub(super) fn degree(&self, node: NodeId) -> Result<u64, GraphError> {
        let Some(relation) = self.degree else { return self.store.degree(node) };
        let step = Step { relation, direction: Direction::Forward };
        let Some(degree) = self.store.neighbours(node, step)?.iter().next() else { return Ok(0) };
        Ok(self.store.key(degree)?.parse().unwrap_or(0))
    }
}
