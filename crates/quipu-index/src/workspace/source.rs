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
//! A source exists once this file names it. An endpoint also needs a published generation of the
//! same reading. While it is read anew, the settings that hold until the new generation is
//! published stand in `[source.films.before]`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use quipu_graph::files::replace;
use quipu_graph::{
    ApiConfig, ApiGraph, Catalogue, DEGREE_IRI, Direction, EmbeddedGraph, EndpointConfig, EndpointGraph,
    EndpointParts, Generations, Graph, GraphError, NewGeneration, NodeId, RelationId, Step, key_of_iri,
};
use serde::{Deserialize, Serialize};

use super::joined::JoinedGraph;
use super::read_optional;
use crate::{IndexError, NameIndex};

/// The endpoint and the APIs of a workspace.
pub(super) const SOURCES: &str = "sources.toml";
/// The catalogue of an endpoint's graph, in a generation.
pub(super) const CATALOGUE: &str = "catalogue.json";
/// Cached results of an endpoint.
pub(super) const CACHE: &str = "cache";
/// Key of a source for the valid reading of an API's files, and for the reading that an endpoint's
/// settings belong to. In a generation, the file with the number of the reading that made it.
const READING: &str = "reading";
/// Key of an endpoint for the settings of the reading before.
const BEFORE: &str = "before";

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

/// The sources of a workspace, by name. An endpoint without a published generation is ignored,
/// because its addition was interrupted.
pub(super) fn read_sources(folder: &Path) -> Result<Vec<(String, SourceConfig)>, IndexError> {
    let mut sources = Vec::new();
    for (name, table) in read_file(folder)?.source {
        let Some(mut table) = valid(folder, &name, table)? else { continue };
        table.remove(READING);
        let config = SourceConfig::from_toml(table)
            .map_err(|error| wrong(folder, &format!("source {name}: {error}")))?;
        sources.push((name, config));
    }
    Ok(sources)
}

/// The settings of a source that hold: an endpoint's belong to the reading that is published.
fn valid(folder: &Path, name: &str, mut table: toml::Table) -> Result<Option<toml::Table>, IndexError> {
    if table.contains_key("openapi") {
        return Ok(Some(table));
    }
    let Some(published) = published_reading(folder)? else { return Ok(None) };
    let before = table.remove(BEFORE).and_then(|before| before.as_table().cloned());
    // Settings without a number are a person's, or of a version that wrote none.
    let belongs = |table: &toml::Table| -> Result<bool, IndexError> {
        Ok(!table.contains_key(READING) || number(folder, name, table)? == published)
    };
    if belongs(&table)? {
        return Ok(Some(table));
    }
    let Some(before) = before else { return Ok(None) };
    Ok(belongs(&before)?.then_some(before))
}

/// The reading of an endpoint that made the published generation.
fn published_reading(folder: &Path) -> Result<Option<u64>, IndexError> {
    let current = Generations::open(folder).current()?;
    let Some(generation) = current.filter(|generation| generation.join(CATALOGUE).exists()) else {
        return Ok(None);
    };
    let path = generation.join(READING);
    let Some(text) = read_optional(&path)? else { return Ok(Some(0)) };
    let number = text.trim_end().parse();
    number.map(Some).map_err(|_| IndexError::corrupt(&path, "expected the number of a reading"))
}

/// Number of the valid reading of an API's files; 0: the first.
pub(super) fn reading_of(folder: &Path, name: &str) -> Result<u64, IndexError> {
    read_file(folder)?.source.get(name).map_or(Ok(0), |source| number(folder, name, source))
}

/// The reading that a source's table names.
fn number(folder: &Path, name: &str, source: &toml::Table) -> Result<u64, IndexError> {
    let Some(reading) = source.get(READING) else { return Ok(0) };
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

/// Writes an API into `sources.toml`. It replaces the source of the same name.
pub(super) fn write_source(
    folder: &Path,
    name: &str,
    config: &SourceConfig,
    reading: u64,
) -> Result<(), IndexError> {
    let mut file = read_file(folder)?;
    let table = numbered(config, reading)?;
    file.source.insert(name.to_owned(), table);
    write_file(folder, &file)
}

/// Publishes the generation of an endpoint with its settings. Those of the reading before hold
/// until then. It replaces any other endpoint.
pub(super) fn publish_endpoint(
    folder: &Path,
    name: &str,
    config: &EndpointConfig,
    generation: NewGeneration,
) -> Result<(), IndexError> {
    let reading = published_reading(folder)?.map_or(0, |reading| reading.saturating_add(1));
    let path = generation.path().join(READING);
    std::fs::write(&path, reading.to_string()).map_err(IndexError::io("cannot write", &path))?;
    let mut file = read_file(folder)?;
    let known = file.source.remove(name);
    file.source.retain(|_, table| table.contains_key("openapi"));
    let table = numbered(&SourceConfig::Endpoint(config.clone()), reading)?;
    let before = known.map(|known| valid(folder, name, known)).transpose()?.flatten();
    let mut both = table.clone();
    both.extend(before.map(|mut before| {
        // A person may have written it without a number.
        let number = reading.saturating_sub(1).try_into().unwrap_or(i64::MAX);
        before.insert(READING.into(), toml::Value::Integer(number));
        (BEFORE.to_owned(), toml::Value::Table(before))
    }));
    file.source.insert(name.to_owned(), both);
    write_file(folder, &file)?;
    generation.publish()?;
    file.source.insert(name.to_owned(), table);
    write_file(folder, &file)
}

/// The table of a source with the number of its reading. The first has none.
fn numbered(config: &SourceConfig, reading: u64) -> Result<toml::Table, IndexError> {
    let mut table = config.to_toml()?;
    if let Some(number) = i64::try_from(reading).ok().filter(|number| *number > 0) {
        table.insert(READING.into(), number.into());
    }
    Ok(table)
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
            return Err(IndexError::Usage(format!(
                "{}: the source {name} is missing in this file",
                path.display()
            )));
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
