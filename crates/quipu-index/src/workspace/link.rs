//! Linking: finds the entities of the workspace that a text may mean.

use quipu_model::Embedder;

use super::search::{Names, search_endpoint, searches};
use super::source::Source;
use super::{Workspace, api};
use crate::names::{rank, score};
use crate::{
    Candidate, IndexError, LookupConfig, MatchReason, Mention, MentionConfig, MentionDetector, Vocabulary,
};

/// Best score above which a mention needs no candidates by meaning.
const SURE: f64 = 0.85;
/// Least cosine of a candidate by meaning.
const LEAST_SIMILARITY: f32 = 0.5;

impl Workspace {
    /// Mentions of a text with at most `k` candidates each, without a model; see
    /// [`MentionDetector`].
    pub async fn link(&self, text: &str, k: usize) -> Result<Vec<Mention>, IndexError> {
        self.link_all(text, &MentionConfig { k, ..MentionConfig::default() }).await
    }

    /// Every part of a text that may be a name, with overlapping parts, within the limits of
    /// `config`, without a model.
    pub async fn link_all(&self, text: &str, config: &MentionConfig) -> Result<Vec<Mention>, IndexError> {
        self.detect(text, config, &self.vocabulary).await
    }

    /// The same with the relations' words of several workspaces.
    pub(super) async fn detect(
        &self,
        text: &str,
        config: &MentionConfig,
        vocabulary: &Vocabulary,
    ) -> Result<Vec<Mention>, IndexError> {
        if let Source::Joined(graph) = &self.source {
            return graph.mentions(text, config, vocabulary).await;
        }
        let names = self.names_for(&searches(text)).await?;
        MentionDetector::new(names.index(), vocabulary).detect(text, config)
    }

    /// The nodes of a name, best first; see [`NameIndex::lookup`](crate::NameIndex::lookup).
    pub async fn lookup(&self, name: &str, config: &LookupConfig) -> Result<Vec<Candidate>, IndexError> {
        if let Source::Joined(graph) = &self.source {
            return graph.lookup(name, config).await;
        }
        let names = self.names_for(&[name.to_owned()]).await?;
        names.index().lookup(name, config)
    }

    /// The same, with candidates by meaning for the mentions that names leave uncertain. Without
    /// vectors it equals [`Workspace::link`].
    pub async fn link_with(
        &self,
        text: &str,
        k: usize,
        embedder: &dyn Embedder,
    ) -> Result<Vec<Mention>, IndexError> {
        let mut mentions = self.link(text, k).await?;
        if mentions.is_empty() {
            mentions.push(Mention {
                span: 0..text.len(),
                text: text.to_owned(),
                candidates: Vec::new(),
                score: 0.0,
                chosen: true,
            });
        }
        self.add_dense(&mut mentions, k, embedder).await?;
        mentions.retain(|mention| !mention.candidates.is_empty());
        Ok(mentions)
    }

    /// Candidates of a model's mention strings, in their order; also by meaning with an embedder
    /// and a workspace with vectors. `text` is the question and gives the strings' positions.
    pub async fn candidates_for(
        &self,
        text: &str,
        strings: &[&str],
        k: usize,
        embedder: Option<&dyn Embedder>,
    ) -> Result<Vec<Mention>, IndexError> {
        if let Source::Joined(graph) = &self.source {
            return graph.candidates_for(text, strings, k, embedder).await;
        }
        let wanted: Vec<String> = strings.iter().map(|string| (*string).to_owned()).collect();
        let names = self.names_for(&wanted).await?;
        let detector = MentionDetector::new(names.index(), &self.vocabulary);
        let mut mentions = detector.candidates_for(text, strings, k)?;
        if let Some(embedder) = embedder {
            self.add_dense(&mut mentions, k, embedder).await?;
        }
        Ok(mentions)
    }

    /// Adds candidates by meaning to the mentions that names leave uncertain.
    pub(super) async fn add_dense(
        &self,
        mentions: &mut [Mention],
        k: usize,
        embedder: &dyn Embedder,
    ) -> Result<(), IndexError> {
        if let Source::Joined(graph) = &self.source {
            return graph.add_dense(mentions, k, embedder).await;
        }
        let Some(vectors) = &self.vectors else { return Ok(()) };
        vectors.check_embedder(embedder)?;
        let unsure: Vec<usize> = (0..mentions.len())
            .filter(|&index| {
                let best = mentions.get(index).and_then(|mention| mention.candidates.first());
                best.is_none_or(|best| best.score < SURE)
            })
            .collect();
        let texts: Vec<&str> = unsure
            .iter()
            .filter_map(|&index| mentions.get(index))
            .map(|mention| mention.text.as_str())
            .collect();
        if texts.is_empty() {
            return Ok(());
        }
        let embeddings = embedder.embed(&texts).await?;
        for (&index, row) in unsure.iter().zip(embeddings.rows()) {
            let Some(mention) = mentions.get_mut(index) else { continue };
            for hit in vectors.search(row, k)? {
                if hit.similarity < LEAST_SIMILARITY {
                    break;
                }
                for node in hit.nodes.into_iter().take(k) {
                    mention.candidates.push(self.dense_candidate(node, hit.similarity)?);
                }
            }
            rank(&mut mention.candidates, k);
        }
        Ok(())
    }

    /// The names for a text; `searches` are its parts that may be names.
    async fn names_for(&self, searches: &[String]) -> Result<Names<'_>, IndexError> {
        match &self.source {
            Source::Endpoint { graph, names: None } => search_endpoint(graph, searches).await,
            Source::Api(graph) => api::search(graph, searches).await,
            _ => Ok(Names::Stored(&self.names)),
        }
    }

    fn dense_candidate(&self, node: quipu_graph::NodeId, similarity: f32) -> Result<Candidate, IndexError> {
        let Some(texts) = self.source.texts() else {
            return Err(IndexError::Usage("the texts of the vectors are missing".into()));
        };
        let name = texts.store.name(node)?.into_owned();
        let degree = texts.degree(node)?;
        let quality = 0.8 * f64::from(similarity);
        Ok(Candidate {
            node: self.source.node(node)?,
            matched: name.clone(),
            name,
            reason: MatchReason::Dense { similarity },
            score: score(quality, degree, self.names.greatest_degree()),
            degree,
        })
    }
}
