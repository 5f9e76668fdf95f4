//! Endpoints as the graph of a workspace: surveyed, with their names harvested and indexed, then
//! published like an import.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quipu_graph::{
    Catalogue, EmbeddedGraph, EndpointConfig, Generations, ImportConfig, Input, NameSource, NewGeneration,
    NodeId, ProfileChoice, SourceProgressSink, harvest, iri_of_key, survey,
};
use quipu_model::Embedder;

use super::names::index_names;
use super::source::{
    CACHE, CATALOGUE, SOURCES, SourceConfig, Texts, forget_source, publish_endpoint, read_endpoint_source,
    read_sources,
};
use super::vectors::build_vectors;
use super::{NAMES, Workspace, WorkspaceProgress, WorkspaceProgressSink};
use crate::{IndexError, NameIndexConfig, NameIndexWriter};

/// An unfinished harvest, which the next one resumes.
const HARVEST: &str = "harvest.building";
const MEMORY: usize = 256 << 20;

/// A request to add an endpoint to a workspace, or to read it again.
#[derive(Clone)]
pub struct SourceRequest {
    /// The source's name in evidence.
    pub name: String,
    /// The connection's settings.
    pub config: EndpointConfig,
    /// The embedder for vectors; `None`: no vectors.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Called with the progress.
    pub progress: Option<WorkspaceProgressSink>,
    /// Set it to stop; the harvested names are kept for the next time.
    pub cancel: Arc<AtomicBool>,
}

/// The result of reading an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceReport {
    /// The catalogue of its graph.
    pub catalogue: Catalogue,
    /// Rows gathered for the name index.
    pub rows: u64,
    /// Missing or estimated data, for people.
    pub notes: Vec<String>,
}

impl Workspace {
    /// Makes an endpoint the graph of a workspace: reads its catalogue, harvests and indexes its
    /// names, and publishes the result. The folder is created if it is missing. An interrupted
    /// harvest is resumed.
    ///
    /// # Errors
    /// A workspace with another graph; errors of the endpoint and the embedder.
    pub async fn add_source(folder: &Path, request: &SourceRequest) -> Result<SourceReport, IndexError> {
        request.config.check()?;
        let shown = folder.display();
        match read_endpoint_source(folder)? {
            Some((name, _)) if name != request.name => {
                return Err(IndexError::Usage(format!(
                    "{shown} already has the source {name}, and a workspace has one graph; choose another folder for {}",
                    request.name
                )));
            }
            None if Generations::open(folder).current()?.is_some() => {
                return Err(IndexError::Usage(format!(
                    "{shown} holds an imported graph; choose another folder for the source {}",
                    request.name
                )));
            }
            _ => {}
        }
        let generation = Generations::open(folder).begin()?;
        let report = read_endpoint(folder, &generation, request).await?;
        publish_endpoint(folder, &request.name, &request.config, generation)?;
        let building = folder.join(HARVEST);
        if building.exists() {
            std::fs::remove_dir_all(&building).map_err(IndexError::io("cannot remove", &building))?;
        }
        Ok(report)
    }

    /// The sources in a workspace's `sources.toml`.
    pub fn sources(folder: &Path) -> Result<Vec<(String, SourceConfig)>, IndexError> {
        read_sources(folder)
    }

    /// Removes a source from a workspace, with all data read from it.
    ///
    /// # Errors
    /// An unknown source; files that cannot be removed.
    pub fn remove_source(folder: &Path, name: &str) -> Result<(), IndexError> {
        let mut sources = read_sources(folder)?;
        let Some(at) = sources.iter().position(|(known, _)| known == name) else {
            return Err(IndexError::Usage(format!("{} has no source {name}", folder.display())));
        };
        let (_, removed) = sources.remove(at);
        if matches!(removed, SourceConfig::Api(_)) {
            return super::api::remove_api(folder, name, sources.is_empty());
        }
        let generations = Generations::open(folder);
        let current = generations.current()?;
        // Begun for its lock and its clean-up; nothing is published without CURRENT.
        let _lock = generations.begin()?;
        let files = ["CURRENT", CACHE, HARVEST].map(|name| folder.join(name));
        for path in files.into_iter().chain(current) {
            let removed =
                if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
            match removed {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(IndexError::io("cannot remove", &path)(error));
                }
                _ => {}
            }
        }
        forget_source(folder, name)
    }
}

/// Refuses an import into a workspace with an endpoint.
pub(super) fn refuse_import(folder: &Path) -> Result<(), IndexError> {
    if read_endpoint_source(folder)?.is_none() {
        return Ok(());
    }
    let shown = folder.display();
    Err(IndexError::Usage(format!(
        "{shown} asks an endpoint (see {SOURCES}); import into another folder, or remove the source with \
         `quipu source remove {shown} NAME`"
    )))
}

async fn read_endpoint(
    folder: &Path,
    generation: &NewGeneration,
    request: &SourceRequest,
) -> Result<SourceReport, IndexError> {
    let SourceRequest { name, config, progress, .. } = request;
    let told = progress.clone().map(|sink| {
        let forward: SourceProgressSink = Arc::new(move |what, done, total| {
            sink(WorkspaceProgress::Source { what: what.into(), done, total });
        });
        forward
    });
    let catalogue = survey(name, config, told.as_ref()).await?;
    catalogue.write(&generation.path().join(CATALOGUE))?;
    let mut report = SourceReport { notes: catalogue.notes.clone(), rows: 0, catalogue };
    let names = generation.path().join(NAMES);
    if config.names == NameSource::Search {
        if !report.catalogue.can_search() {
            return Err(IndexError::Usage(format!(
                "{} has no text index that Quipu knows; `--names index` builds one here",
                config.url
            )));
        }
        NameIndexWriter::create(&names, &NameIndexConfig { memory: MEMORY })?.finish()?;
        return Ok(report);
    }
    let building = folder.join(HARVEST);
    let harvested = harvest(config, &report.catalogue, &building, told.as_ref(), &request.cancel).await?;
    report.rows = harvested.rows;
    report.notes.extend(harvested.notes);
    let inputs = harvested.files.into_iter().map(Input::File).collect();
    let mut import = ImportConfig::new(name.clone(), inputs);
    import.profile = ProfileChoice::File(harvested.profile);
    import.languages.clone_from(&config.languages);
    import.cancel = request.cancel.clone();
    quipu_graph::import(&import, &generation.graph())?;
    let store = EmbeddedGraph::open(generation.graph())?;
    let texts = Texts::harvested(&store);
    let left_out = relations_among(&report.catalogue, &store)?;
    index_names(texts, &left_out, &names, MEMORY, progress.as_ref(), &request.cancel)?;
    if let Some(embedder) = &request.embedder {
        let parts = generation.path();
        build_vectors(
            folder,
            parts,
            &store,
            embedder.as_ref(),
            progress.as_ref(),
            &request.cancel,
            MEMORY / 4,
        )
        .await?;
    }
    Ok(report)
}

/// The entities that are also relations.
fn relations_among(catalogue: &Catalogue, store: &EmbeddedGraph) -> Result<HashSet<NodeId>, IndexError> {
    let mut relations = HashSet::new();
    for relation in &catalogue.relations {
        relations.extend(store.find(&iri_of_key(&relation.info.key))?);
    }
    Ok(relations)
}
