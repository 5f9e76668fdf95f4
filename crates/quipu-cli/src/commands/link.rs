//! `quipu link`: the entities that a text mentions.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use quipu_index::{Candidate, MatchReason, Mention, Workspace};
use serde::Serialize;

use super::workspace;
use crate::config::Settings;
use crate::engine;
use crate::output::{Align, Table, print_json, stdout};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The workspace's folder
    workspace: PathBuf,
    /// The text
    text: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Maximum number of candidates for each mention
    #[arg(short, value_name = "N", default_value_t = 5)]
    k: usize,
}

/// The mentions of a text as `--json` prints them.
#[derive(Debug, Serialize)]
struct View {
    text: String,
    mentions: Vec<MentionView>,
}

#[derive(Debug, Serialize)]
struct MentionView {
    text: String,
    /// The mention's first byte in the text; `end` is the byte after its last.
    start: usize,
    end: usize,
    score: f64,
    /// Whether it belongs to the best reading of the text. The others overlap it or are too common.
    chosen: bool,
    candidates: Vec<CandidateView>,
}

#[derive(Debug, Serialize)]
struct CandidateView {
    id: String,
    name: String,
    score: f64,
    reason: &'static str,
    /// Edits of a fuzzy match, or the similarity of a match by meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<f64>,
    /// The name that matched.
    matched: String,
}

impl Arguments {
    pub(super) async fn run(self) -> Result<()> {
        let workspace = workspace::open(&self.workspace)?;
        let mentions = self.mentions(&workspace).await?;
        let mut views = Vec::with_capacity(mentions.len());
        for mention in mentions {
            views.push(MentionView::read(&workspace, mention).await?);
        }
        let view = View { text: self.text, mentions: views };
        if self.json { print_json(&view) } else { Ok(view.table().print(&mut stdout())?) }
    }

    /// Finds mentions, also by meaning if the workspace has vectors and the embedder is available.
    async fn mentions(&self, workspace: &Workspace) -> Result<Vec<Mention>> {
        if workspace.vectors().is_none() {
            return Ok(workspace.link(&self.text, self.k).await?);
        }
        let settings = Settings::load(Settings::default(), &self.workspace)?;
        match engine::load_embedder(&settings).await {
            Ok(embedder) => Ok(workspace.link_with(&self.text, self.k, embedder.as_ref()).await?),
            Err(error) if engine::is_missing(&error) => {
                tell!("entities are found by name, not by meaning: {error}");
                Ok(workspace.link(&self.text, self.k).await?)
            }
            Err(error) => Err(error),
        }
    }
}

impl View {
    /// Mentions in parentheses do not belong to the best reading of the text.
    fn table(&self) -> Table {
        let mut table = Table::new(&[
            ("mention", Align::Left),
            ("entity", Align::Left),
            ("score", Align::Right),
            ("reason", Align::Left),
            ("id", Align::Left),
        ]);
        for mention in &self.mentions {
            for (rank, candidate) in mention.candidates.iter().enumerate() {
                let text = if rank == 0 { mention.text.as_str() } else { "" };
                let reason = candidate.in_words();
                table.push([
                    text,
                    &candidate.name,
                    &format!("{:.3}", candidate.score),
                    &reason,
                    &candidate.id,
                ]);
            }
        }
        table
    }
}

impl MentionView {
    async fn read(workspace: &Workspace, mention: Mention) -> Result<Self> {
        let nodes: Vec<_> = mention.candidates.iter().map(|candidate| candidate.node).collect();
        let summaries = workspace.graph().summaries(&nodes).await?;
        let ids = summaries.into_iter().map(|summary| summary.key);
        let candidates = mention.candidates.into_iter().zip(ids);
        Ok(Self {
            text: mention.text,
            start: mention.span.start,
            end: mention.span.end,
            score: mention.score,
            chosen: mention.chosen,
            candidates: candidates.map(|(candidate, id)| CandidateView::new(candidate, id)).collect(),
        })
    }
}

impl CandidateView {
    fn new(candidate: Candidate, id: String) -> Self {
        let (reason, detail) = match candidate.reason {
            MatchReason::Exact => ("exact", None),
            MatchReason::Alias => ("alias", None),
            MatchReason::Fuzzy { distance } => ("fuzzy", Some(f64::from(distance))),
            MatchReason::Trigram { similarity } => ("trigram", Some(f64::from(similarity))),
            MatchReason::Dense { similarity } => ("dense", Some(f64::from(similarity))),
        };
        Self { id, name: candidate.name, score: candidate.score, reason, detail, matched: candidate.matched }
    }

    fn in_words(&self) -> String {
        match (self.reason, self.detail) {
            ("exact", _) => "its name".to_owned(),
            ("alias", _) => format!("another name: {}", self.matched),
            ("fuzzy", Some(1.0)) => format!("one letter from {}", self.matched),
            ("fuzzy", Some(edits)) => format!("{edits} letters from {}", self.matched),
            ("dense", Some(similarity)) => format!("similar meaning, {similarity:.2}"),
            (_, similarity) => {
                format!("partly like {}, {:.2}", self.matched, similarity.unwrap_or_default())
            }
        }
    }
}
