//! Several workspaces as one: their graphs are joined, their name indexes are searched in parallel.

use std::sync::Arc;
use std::time::Instant;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use quipu_graph::{Graph as _, NodeId};
use quipu_model::Embedder;

use super::Workspace;
use super::joined::JoinedGraph;
use super::search::{Names, index_found};
use super::source::Source;
use crate::mentions::merged;
use crate::names::rank;
use crate::{Candidate, IndexError, LookupConfig, Mention, MentionConfig, Vocabulary};

/// Most mentions of each source, including those that the joint reading drops.
const MENTIONS: usize = 64;

impl Workspace {
    /// Joins workspaces into one graph, with entities found by the names of all. Entities are the
    /// same if they have the same key, or the same unambiguous name. The result has the first one's
    /// folder, and no documents, vectors or APIs of its own: callers ask each workspace for those.
    ///
    /// # Errors
    /// [`IndexError::Usage`] without a workspace; a temporary folder that cannot be written.
    pub fn joined(workspaces: &[Arc<Self>]) -> Result<Self, IndexError> {
        let Some(first) = workspaces.first() else {
            return Err(IndexError::Usage("there is no workspace to join".into()));
        };
        let names = match index_found(&[], &[])? {
            Names::Found { index, .. } => *index,
            Names::Stored(_) => {
                return Err(IndexError::Usage("joined workspaces have no stored names".into()));
            }
        };
        let graph = Arc::new(JoinedGraph::new(workspaces));
        Ok(Self {
            folder: first.folder.clone(),
            generation: first.generation.clone(),
            vocabulary: Vocabulary::new(graph.relations().iter().map(|relation| relation.name.as_str())),
            graph: graph.clone(),
            source: Source::Joined(graph),
            apis: Vec::new(),
            names,
            vectors: None,
            documents: None,
            triples: None,
        })
    }

    /// In a joined workspace, the names of the sources that failed after `since` or are still
    /// skipped after an earlier failure, each with its error.
    pub fn down(&self, since: Instant) -> Vec<(String, String)> {
        match &self.source {
            Source::Joined(graph) => graph.down(since),
            Source::Embedded(_) | Source::Endpoint { .. } | Source::Api(_) => Vec::new(),
        }
    }

    /// The literal of exactly this form, of the first of `kinds` that the graph holds (a datatype's
    /// IRI, `@` and a language, or nothing). Endpoints and APIs are not asked.
    ///
    /// # Errors
    /// The graph's.
    pub async fn find_literal(&self, value: &str, kinds: &[&str]) -> Result<Option<NodeId>, IndexError> {
        match &self.source {
            Source::Embedded(graph) => {
                for kind in kinds {
                    if let Some(node) = graph.find_literal(value, kind)? {
                        return Ok(Some(node));
                    }
                }
                Ok(None)
            }
            Source::Joined(graph) => graph.find_literal(value, kinds).await,
            Source::Endpoint { .. } | Source::Api(_) => Ok(None),
        }
    }
}

/// Lookups by name in all sources, with the joined nodes. Each source uses its own index.
impl JoinedGraph {
    pub(super) fn mentions<'a>(
        &'a self,
        text: &'a str,
        config: &'a MentionConfig,
        vocabulary: &'a Vocabulary,
    ) -> BoxFuture<'a, Result<Vec<Mention>, IndexError>> {
        async move {
            let wide = MentionConfig { mentions: MENTIONS.max(config.mentions), ..config.clone() };
            let wide = &wide;
            let lists = self
                .each(|at, workspace| async move {
                    let mentions = workspace.detect(text, wide, vocabulary).await?;
                    self.translated(at, mentions).await
                })
                .await?;
            Ok(merged(text, lists.into_iter().map(|(_, list)| list).collect(), vocabulary, config))
        }
        .boxed()
    }

    pub(super) fn lookup<'a>(
        &'a self,
        name: &'a str,
        config: &'a LookupConfig,
    ) -> BoxFuture<'a, Result<Vec<Candidate>, IndexError>> {
        async move {
            let lists = self
                .each(|at, workspace| async move {
                    let found = workspace.lookup(name, config).await?;
                    self.candidates(at, found).await
                })
                .await?;
            let mut found: Vec<Candidate> = lists.into_iter().flat_map(|(_, list)| list).collect();
            rank(&mut found, config.k);
            Ok(found)
        }
        .boxed()
    }

    pub(super) fn candidates_for<'a>(
        &'a self,
        text: &'a str,
        strings: &'a [&'a str],
        k: usize,
        embedder: Option<&'a dyn Embedder>,
    ) -> BoxFuture<'a, Result<Vec<Mention>, IndexError>> {
        async move {
            let lists = self
                .each(|at, workspace| async move {
                    let mentions = workspace.candidates_for(text, strings, k, embedder).await?;
                    self.translated(at, mentions).await
                })
                .await?;
            let mut lists = lists.into_iter().map(|(_, list)| list);
            let mut together = lists.next().unwrap_or_default();
            for list in lists {
                for (mention, more) in together.iter_mut().zip(list) {
                    mention.candidates.extend(more.candidates);
                }
            }
            for mention in &mut together {
                rank(&mut mention.candidates, k);
                mention.score = mention.candidates.first().map_or(0.0, |best| best.score);
            }
            Ok(together)
        }
        .boxed()
    }

    pub(super) fn add_dense<'a>(
        &'a self,
        mentions: &'a mut [Mention],
        k: usize,
        embedder: &'a dyn Embedder,
    ) -> BoxFuture<'a, Result<(), IndexError>> {
        async move {
            let asked: Vec<Mention> = mentions.to_vec();
            let asked = &asked;
            let lists = self
                .each(|at, workspace| async move {
                    // The source reads only the scores of these candidates, because their nodes are
                    // the joined graph's.
                    let mut own = asked.clone();
                    workspace.add_dense(&mut own, k, embedder).await?;
                    for (own, before) in own.iter_mut().zip(asked) {
                        own.candidates.retain(|candidate| !before.candidates.contains(candidate));
                    }
                    self.translated(at, own).await
                })
                .await?;
            for (_, list) in lists {
                for (mention, found) in mentions.iter_mut().zip(list) {
                    mention.candidates.extend(found.candidates);
                }
            }
            mentions.iter_mut().for_each(|mention| rank(&mut mention.candidates, k));
            Ok(())
        }
        .boxed()
    }

    fn find_literal<'a>(
        &'a self,
        value: &'a str,
        kinds: &'a [&'a str],
    ) -> BoxFuture<'a, Result<Option<NodeId>, IndexError>> {
        async move {
            let found = self
                .each(|at, workspace| async move {
                    let own = workspace.find_literal(value, kinds).await?;
                    self.joined(at, own.as_slice()).await
                })
                .await?;
            Ok(found.into_iter().find_map(|(_, joined)| joined.first().copied()))
        }
        .boxed()
    }

    async fn translated(&self, at: usize, mentions: Vec<Mention>) -> Result<Vec<Mention>, IndexError> {
        let mut translated = Vec::with_capacity(mentions.len());
        for mention in mentions {
            let candidates = self.candidates(at, mention.candidates).await?;
            translated.push(Mention { candidates, ..mention });
        }
        Ok(translated)
    }

    /// Candidates of a source with joined nodes in the place of its own.
    async fn candidates(&self, at: usize, own: Vec<Candidate>) -> Result<Vec<Candidate>, IndexError> {
        let nodes: Vec<NodeId> = own.iter().map(|candidate| candidate.node).collect();
        let joined = self.joined(at, &nodes).await?;
        Ok(own.into_iter().zip(joined).map(|(candidate, node)| Candidate { node, ..candidate }).collect())
    }
}
