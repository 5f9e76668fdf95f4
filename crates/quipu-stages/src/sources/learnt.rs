//! Sources with the memories of them: opened from their folders, and joined if there are several.

use std::path::Path;
use std::sync::Arc;

use quipu_graph::ApiGraph;
use quipu_index::Workspace;

use crate::answer::AnswerError;
use crate::ledger::{Memories, Source, walked_api};
use crate::plan::{Cards, Meanings, SolvedExamples};
use crate::retrieve::TablesMemory;

/// Adds the memories of a layer above the stages, read from a folder.
pub type MoreMemories = fn(Memories, &Path) -> Result<Memories, AnswerError>;

/// Reads learnt data from the files in `folder`, about the graph of `workspace`. For a graph that
/// is an API, its documents describe the relations.
///
/// # Errors
/// [`AnswerError::Usage`] when they cannot be read.
fn open(
    folder: &Path,
    workspace: &Workspace,
    api: Option<&ApiGraph>,
    more: MoreMemories,
) -> Result<Arc<Memories>, AnswerError> {
    let cards = Cards::open(folder)?;
    let cards = match api {
        Some(api) => cards.described_by(api),
        None if workspace.has_graph() => {
            cards.held_against(workspace.graph().relations(), workspace.embedded().map(|graph| &**graph))
        }
        None => cards,
    };
    let memories = Memories::default()
        .with(cards)
        .with(Meanings::open(folder)?)
        .with(SolvedExamples::open(folder)?)
        .with(TablesMemory::open(folder)?);
    Ok(Arc::new(more(memories, folder)?))
}

impl Source {
    /// Opens a workspace as a source, with its learnt data.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when the workspace's relation cards or words cannot be read.
    pub fn open(workspace: Arc<Workspace>, more: MoreMemories) -> Result<Self, AnswerError> {
        let memories = open(workspace.folder(), &workspace, walked_api(&workspace), more)?;
        let beside = workspace.apis().iter().skip(usize::from(!workspace.has_graph()));
        let of_api = |api: &Arc<ApiGraph>| {
            let workspace = Arc::new(workspace.over_api(api)?);
            let memories = open(workspace.folder(), &workspace, Some(api), more)?;
            Ok(Self { workspace, memories, apis: Vec::new() })
        };
        let apis = beside.map(of_api).collect::<Result<_, AnswerError>>()?;
        Ok(Self { workspace, memories, apis })
    }

    /// Remarks on learnt data that is not used, of its APIs too.
    pub fn remarks(&self) -> Vec<String> {
        let own = self.memories.of::<Cards>().remarks();
        own.into_iter().chain(self.apis.iter().flat_map(Self::remarks)).collect()
    }

    /// Joins the sources with graphs into one, with all their APIs beside; `None` if fewer than two
    /// have graphs. Learnt data about relations stays with the source that has them; words and
    /// solved questions belong to the first source.
    ///
    /// # Errors
    /// A temporary folder that cannot be written.
    pub fn joined(sources: &[Self]) -> Result<Option<Self>, AnswerError> {
        let graphs: Vec<Self> =
            sources.iter().filter(|source| source.workspace.has_graph()).cloned().collect();
        let (Some(first), true) = (sources.first(), graphs.len() > 1) else { return Ok(None) };
        let workspaces: Vec<Arc<Workspace>> = graphs.iter().map(|source| source.workspace.clone()).collect();
        let workspace = Arc::new(Workspace::joined(&workspaces)?);
        let memories = Memories::default()
            .with(Cards::of_sources(&graphs))
            .sharing(first.memories.of::<Meanings>())
            .sharing(first.memories.of::<SolvedExamples>());
        let apis = graphs.into_iter().flat_map(|source| source.apis).collect();
        Ok(Some(Self { workspace, memories: Arc::new(memories), apis }))
    }

    /// Keeps learnt data in a folder of its own, for a run that must start from the same state; its
    /// APIs use folders inside it.
    ///
    /// # Errors
    /// A folder that cannot be created, or files in it that cannot be read.
    pub fn relearn(&mut self, folder: &Path, more: MoreMemories) -> Result<(), AnswerError> {
        std::fs::create_dir_all(folder).map_err(|source| AnswerError::Io {
            action: "cannot create",
            path: folder.to_owned(),
            source,
        })?;
        self.memories = open(folder, &self.workspace, walked_api(&self.workspace), more)?;
        for api in &mut self.apis {
            api.relearn(&folder.join(api.name()), more)?;
        }
        Ok(())
    }
}
