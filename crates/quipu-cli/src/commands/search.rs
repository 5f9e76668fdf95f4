//! `quipu search`: passages of the documents of entities.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use clap::{Args, ValueEnum};
use quipu_graph::NodeId;
use quipu_index::{DocumentIndex, DocumentQuery, PassageHit, SearchMode, Workspace};
use quipu_language::normalise;
use quipu_model::Embedder;
use serde::Serialize;

use super::workspace;
use crate::config::Settings;
use crate::engine;
use crate::failure::WrongUsage;
use crate::output::{FAINT, STRONG, print_json, stdout, visible};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The workspace's folder
    workspace: PathBuf,
    /// What to look for
    text: String,
    /// By words, by meaning, or by both
    #[arg(long, value_enum, default_value_t = Mode::Hybrid)]
    mode: Mode,
    /// Only documents of entities of this type: its name or id
    #[arg(long = "type", value_name = "TYPE")]
    of_type: Option<String>,
    /// Maximum number of passages
    #[arg(short, value_name = "N", default_value_t = 10)]
    k: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    Hybrid,
    Bm25,
    Dense,
}

impl From<Mode> for SearchMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Hybrid => Self::Hybrid,
            Mode::Bm25 => Self::Words,
            Mode::Dense => Self::Meaning,
        }
    }
}

/// One result, as `--json` prints it.
#[derive(Debug, Serialize)]
struct View {
    text: String,
    passages: Vec<PassageView>,
}

#[derive(Debug, Serialize)]
struct PassageView {
    /// Stable id of the passage.
    id: String,
    entity: String,
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    document: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    heading: String,
    /// The passage's first character in the document; `end` is the character after its last.
    start: usize,
    end: usize,
    score: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    bm25: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cosine: Option<f32>,
    text: String,
}

impl Arguments {
    pub(super) async fn run(self) -> Result<()> {
        let workspace = workspace::open(&self.workspace)?;
        let Some(documents) = workspace.documents() else {
            let folder = self.workspace.display();
            return Err(WrongUsage(format!(
                "the entities of {folder} have no documents; `quipu documents add {folder} FILE...` adds some"
            ))
            .into());
        };
        let hits = self.hits(&workspace, documents).await?;
        let view = View { passages: views(&workspace, hits).await?, text: self.text };
        if self.json { print_json(&view) } else { view.print() }
    }

    async fn hits(&self, workspace: &Workspace, documents: &DocumentIndex) -> Result<Vec<PassageHit>> {
        let vector = match self.embedder(documents).await? {
            Some(embedder) => {
                documents.check_embedder(embedder.as_ref())?;
                Some(embedder.embed(&[self.text.as_str()]).await?)
            }
            None => None,
        };
        let kind = match &self.of_type {
            Some(name) => Some(types_named(workspace, name).await?),
            None => None,
        };
        let only = |node: NodeId| -> Result<bool, quipu_index::IndexError> {
            let (Some(graph), Some(kind)) = (workspace.embedded(), &kind) else { return Ok(true) };
            Ok(graph.types(node)?.into_iter().any(|of_node| kind.contains(&of_node)))
        };
        let mode = match self.mode {
            Mode::Hybrid if vector.is_none() => SearchMode::Words,
            mode => mode.into(),
        };
        let query = DocumentQuery {
            text: &self.text,
            vector: vector.as_ref().map(|vector| vector.row(0)),
            mode,
            k: self.k,
            only: kind.is_some().then_some(&only),
        };
        Ok(documents.search(&query)?)
    }

    /// The embedder, if the search needs one. A search by words and meaning uses words alone if the
    /// embedder was not fetched.
    async fn embedder(&self, documents: &DocumentIndex) -> Result<Option<Arc<dyn Embedder>>> {
        if self.mode == Mode::Bm25 || !documents.has_vectors() {
            return Ok(None);
        }
        let settings = Settings::load(Settings::default(), &self.workspace)?;
        match engine::load_embedder(&settings).await {
            Ok(embedder) => Ok(Some(embedder)),
            Err(error) if engine::is_missing(&error) && self.mode == Mode::Hybrid => {
                tell!("passages are found by their words, not by meaning: {error}");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Finds the types of this id or name. An unknown type is an error that lists the known ones.
async fn types_named(workspace: &Workspace, name: &str) -> Result<Vec<NodeId>> {
    let graph = workspace.graph();
    let mut types: Vec<NodeId> = Vec::new();
    for edge in graph.schema(&[]).await? {
        types.extend([edge.head_type, edge.tail_type].into_iter().flatten());
    }
    types.extend(graph.resolve(&[name]).await?.into_iter().flatten());
    types.sort_unstable();
    types.dedup();
    let summaries = graph.summaries(&types).await?;
    let wanted = normalise(name);
    let found = summaries.iter().filter(|s| s.key == name || normalise(&s.name) == wanted).map(|s| s.node);
    let found: Vec<NodeId> = found.collect();
    if found.is_empty() {
        let mut names: Vec<&str> = summaries.iter().map(|s| s.name.as_str()).collect();
        names.truncate(60);
        return Err(WrongUsage(format!("unknown type {name}; known: {}", names.join(", "))).into());
    }
    Ok(found)
}

async fn views(workspace: &Workspace, hits: Vec<PassageHit>) -> Result<Vec<PassageView>> {
    let nodes: Vec<NodeId> = hits.iter().map(|hit| hit.passage.node).collect();
    let summaries = workspace.graph().summaries(&nodes).await?;
    let view = |(hit, summary): (PassageHit, quipu_graph::NodeSummary)| PassageView {
        id: hit.passage.id(&summary.key),
        entity: summary.key,
        name: summary.name,
        document: hit.passage.title,
        heading: hit.passage.heading,
        start: hit.passage.characters.start,
        end: hit.passage.characters.end,
        score: hit.score,
        bm25: hit.words,
        cosine: hit.meaning,
        text: hit.passage.text,
    };
    Ok(hits.into_iter().zip(summaries).map(view).collect())
}

impl View {
    fn print(&self) -> Result<()> {
        let mut out = stdout();
        for passage in &self.passages {
            let place = match (passage.document.as_str(), passage.heading.as_str()) {
                ("", "") => String::new(),
                ("", heading) => format!(" · {heading}"),
                (document, "") => format!(" · {document}"),
                (document, heading) => format!(" · {document} · {heading}"),
            };
            writeln!(
                out,
                "{STRONG}{}{STRONG:#}  {FAINT}{}{} · characters {}–{} · {:.3}{FAINT:#}",
                visible(&passage.name),
                visible(&passage.entity),
                visible(&place),
                passage.start,
                passage.end,
                passage.score
            )?;
            let text = passage.text.split_whitespace().collect::<Vec<_>>().join(" ");
            writeln!(out, "  {}", visible(&text))?;
        }
        Ok(())
    }
}
