//! The workspaces of the server: opened on first use, replaced as a whole after a new import.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;
use quipu_answer::Engine;
use quipu_graph::Generations;
use quipu_index::{DocumentIndex, Workspace};
use quipu_model::{Embedder, LanguageModel};

use crate::error::{ApiError, Kind};
use crate::explored::Explored;

/// The models shared by all workspaces.
#[derive(Clone, Default)]
pub struct Models {
    /// The language model.
    pub model: Option<Arc<dyn LanguageModel>>,
    /// The embedder.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Why there is no language model, for people.
    pub problem: Option<String>,
}

/// The workspaces by name.
pub(crate) struct Workspaces {
    places: Vec<Place>,
    models: Models,
}

struct Place {
    name: String,
    folder: PathBuf,
    opened: RwLock<Option<Opened>>,
    /// Held while one request opens it; the others wait for the result.
    opening: tokio::sync::Mutex<()>,
}

#[derive(Clone)]
struct Opened {
    generation: PathBuf,
    engine: Engine,
    explored: Arc<Explored>,
}

impl Workspaces {
    /// The workspaces in these folders, named by them; none is opened yet.
    ///
    /// # Errors
    /// Two folders with the same name; a name that cannot be part of a model's id; no folder.
    pub(crate) fn new(folders: &[PathBuf], models: Models) -> Result<Self, String> {
        let mut places: Vec<Place> = Vec::new();
        for folder in folders {
            let name = name_of(folder)?;
            if places.iter().any(|place| place.name == name) {
                return Err(format!("two workspaces are called {name}: their folders' names must differ"));
            }
            let folder = folder.clone();
            places.push(Place {
                name,
                folder,
                opened: RwLock::default(),
                opening: tokio::sync::Mutex::default(),
            });
        }
        if places.is_empty() {
            return Err("a server needs a workspace".into());
        }
        Ok(Self { places, models })
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|place| place.name.as_str())
    }

    pub(crate) fn folder(&self, name: &str) -> Option<&Path> {
        self.places.iter().find(|place| place.name == name).map(|place| place.folder.as_path())
    }

    pub(crate) fn models(&self) -> &Models {
        &self.models
    }

    /// The engine of a workspace's newest import. A caller can keep using an engine after the
    /// workspace is replaced.
    ///
    /// # Errors
    /// An unknown workspace; one that is gone or cannot be opened.
    pub(crate) async fn engine(&self, name: &str) -> Result<Engine, ApiError> {
        Ok(self.explored(name).await?.0)
    }

    /// The same, with the cached exploration of the graph.
    ///
    /// # Errors
    /// An unknown workspace; one that is gone or cannot be opened.
    pub(crate) async fn explored(&self, name: &str) -> Result<(Engine, Arc<Explored>), ApiError> {
        let unknown = || {
            let names: Vec<&str> = self.names().collect();
            let message = format!("unknown workspace {name:?}; known: {}", names.join(", "));
            ApiError::new(Kind::NotFound, "workspace_not_found", message)
        };
        let place = self.places.iter().find(|place| place.name == name).ok_or_else(unknown)?;
        place.engine(&self.models).await
    }

    /// Checks that all parts of a workspace can be opened: the graph, its indexes and those of its
    /// documents. Damage that a search met also counts.
    ///
    /// # Errors
    /// The missing or damaged part.
    pub(crate) async fn check(&self, name: &str) -> Result<(), ApiError> {
        let engine = self.engine(name).await?;
        let look = move || engine.workspace().documents().map_or(Ok(()), DocumentIndex::check);
        let lost = |_| ApiError::new(Kind::Internal, "internal_error", "the workspace could not be read");
        Ok(tokio::task::spawn_blocking(look).await.map_err(lost)??)
    }
}

impl Place {
    async fn engine(&self, models: &Models) -> Result<(Engine, Arc<Explored>), ApiError> {
        let Some(generation) = Generations::open(&self.folder).current()? else {
            *self.opened.write() = None;
            let message = format!("the workspace {} is missing; import it again", self.name);
            return Err(ApiError::new(Kind::Unavailable, "workspace_gone", message));
        };
        if let Some(engine) = self.ready(&generation) {
            return Ok(engine);
        }
        let _opening = self.opening.lock().await;
        if let Some(engine) = self.ready(&generation) {
            return Ok(engine);
        }
        tracing::info!(target: "quipu", workspace = self.name, generation = %generation.display(), "opening");
        let (folder, models) = (self.folder.clone(), models.clone());
        let open = move || -> Result<Engine, ApiError> {
            let workspace = Arc::new(Workspace::open(&folder)?);
            Ok(Engine::new(workspace, models.model, models.embedder)?)
        };
        let lost = || ApiError::new(Kind::Internal, "internal_error", "the workspace could not be opened");
        let engine = tokio::task::spawn_blocking(open).await.map_err(|_| lost())??;
        let explored = Arc::new(Explored::default());
        *self.opened.write() =
            Some(Opened { generation, engine: engine.clone(), explored: explored.clone() });
        Ok((engine, explored))
    }

    fn ready(&self, generation: &Path) -> Option<(Engine, Arc<Explored>)> {
        let opened = self.opened.read();
        let opened = opened.as_ref().filter(|opened| opened.generation == generation)?;
        Some((opened.engine.clone(), opened.explored.clone()))
    }
}

/// The folder's name, which is part of model ids and URLs.
fn name_of(folder: &Path) -> Result<String, String> {
    let whole = std::path::absolute(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let name = whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if name.is_empty() || name.contains(['/', '\u{fffd}']) || name.chars().any(char::is_control) {
        return Err(format!(
            "{}: a workspace is named by its folder, whose name must be plain text",
            folder.display()
        ));
    }
    Ok(name)
}
