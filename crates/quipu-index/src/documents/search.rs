//! Searches passages by words, by meaning, or by both with reciprocal rank fusion; also ranks the
//! passages of a few entities exactly.

use std::collections::HashMap;
use std::str::FromStr;

use quipu_graph::NodeId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DocumentIndex, Passage};
use crate::IndexError;

/// The usual constant of reciprocal rank fusion (Cormack et al., 2009). A larger one favours the
/// first ranks less.
const FUSION: f32 = 60.0;
/// Fewest passages of each search that are fused.
const DEPTH: usize = 100;
/// Factor by which a search goes deeper if it found too few wanted passages.
const DEEPER: usize = 8;

/// The mode of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    /// By words and by meaning, fused by reciprocal rank; by words alone if the index has no
    /// vectors.
    #[default]
    Hybrid,
    /// By words: BM25.
    #[serde(rename = "bm25")]
    Words,
    /// By meaning: the cosine of the embeddings.
    #[serde(rename = "dense")]
    Meaning,
}

impl FromStr for SearchMode {
    type Err = IndexError;

    fn from_str(name: &str) -> Result<Self, IndexError> {
        match name {
            "hybrid" => Ok(Self::Hybrid),
            "bm25" => Ok(Self::Words),
            "dense" => Ok(Self::Meaning),
            _ => Err(IndexError::Usage(format!("{name}: hybrid, bm25 or dense was expected"))),
        }
    }
}

/// A search for passages.
#[derive(Clone, Copy)]
pub struct DocumentQuery<'a> {
    /// The text.
    pub text: &'a str,
    /// Its embedding; without it there is no search by meaning.
    pub vector: Option<&'a [f32]>,
    /// The mode.
    pub mode: SearchMode,
    /// Number of passages.
    pub k: usize,
    /// A filter on the passages' entities; `None`: all.
    pub only: Option<&'a (dyn Fn(NodeId) -> Result<bool, IndexError> + 'a)>,
}

/// A passage of a search result.
#[derive(Debug, Clone, PartialEq)]
pub struct PassageHit {
    /// The passage.
    pub passage: Passage,
    /// The score of the ranking: the fused reciprocal ranks, the BM25 score or the cosine.
    pub score: f32,
    /// Its BM25 score, if the search by words found it.
    pub words: Option<f32>,
    /// Its cosine, if the search by meaning found it.
    pub meaning: Option<f32>,
}

#[derive(Default)]
struct Found {
    score: f32,
    words: Option<f32>,
    meaning: Option<f32>,
}

impl DocumentIndex {
    /// The passages that match a text best, best first. The same in every run.
    ///
    /// # Errors
    /// A search by meaning without vectors; damaged files.
    pub fn search(&self, query: &DocumentQuery<'_>) -> Result<Vec<PassageHit>, IndexError> {
        let by_words = query.mode != SearchMode::Meaning;
        let by_meaning =
            query.mode == SearchMode::Meaning || (query.mode == SearchMode::Hybrid && self.has_vectors());
        let depth = if query.mode == SearchMode::Hybrid { query.k.max(DEPTH) } else { query.k };
        let mut found: HashMap<u64, Found> = HashMap::new();
        if by_words {
            let words = self.words()?;
            let best = self.wanted(query, depth, |depth| words.best(query.text, depth))?;
            for (rank, (number, score)) in best.into_iter().enumerate() {
                let entry = found.entry(number).or_default();
                entry.words = Some(score);
                entry.score += reciprocal(rank);
            }
        }
        if by_meaning {
            let best = self.wanted(query, depth, |depth| self.nearest(query, depth))?;
            for (rank, (number, cosine)) in best.into_iter().enumerate() {
                let entry = found.entry(number).or_default();
                entry.meaning = Some(cosine);
                entry.score += reciprocal(rank);
            }
        }
        let mut ranked: Vec<(u64, Found)> = found.into_iter().collect();
        ranked.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then(a.0.cmp(&b.0)));
        ranked.truncate(query.k);
        let hit = |(number, found): (u64, Found)| {
            let single = match query.mode {
                SearchMode::Words => found.words,
                SearchMode::Meaning => found.meaning,
                SearchMode::Hybrid => None,
            };
            Ok(PassageHit {
                passage: self.passage(number)?,
                score: single.unwrap_or(found.score),
                words: found.words,
                meaning: found.meaning,
            })
        };
        ranked.into_iter().map(hit).collect()
    }

    /// The best `count` passages that pass the filter. The search goes deeper until it has them or
    /// finds no more.
    fn wanted(
        &self,
        query: &DocumentQuery<'_>,
        count: usize,
        search: impl Fn(usize) -> Result<Vec<(u64, f32)>, IndexError>,
    ) -> Result<Vec<(u64, f32)>, IndexError> {
        let Some(only) = query.only else { return search(count) };
        let mut depth = count;
        loop {
            let found = search(depth)?;
            let (all, exhausted) = (self.passages as usize, found.len() < depth);
            let mut kept = Vec::new();
            for hit in found {
                if only(self.node_of(hit.0)?)? {
                    kept.push(hit);
                }
            }
            if kept.len() >= count || exhausted || depth >= all {
                kept.truncate(count);
                return Ok(kept);
            }
            depth = depth.saturating_mul(DEEPER).min(all);
        }
    }

    fn nearest(&self, query: &DocumentQuery<'_>, k: usize) -> Result<Vec<(u64, f32)>, IndexError> {
        let Some(vectors) = &self.vectors else {
            return Err(IndexError::Usage(
                "the documents have no vectors; build them with `quipu index documents`, or search with --mode bm25".into(),
            ));
        };
        let vector = query.vector.ok_or_else(|| {
            IndexError::Usage("a search by meaning needs an embedder, or --mode bm25".into())
        })?;
        let mut found = Vec::new();
        for hit in vectors.search(vector, k)? {
            found.extend(hit.nodes.iter().map(|passage| (passage.0, hit.similarity)));
        }
        found.truncate(k);
        Ok(found)
    }

    /// For each of `nodes` its passage nearest to a vector, with the exact cosine; `None` for an
    /// entity without passages, or in an index without vectors.
    ///
    /// # Errors
    /// A damaged file.
    pub fn rank(&self, vector: &[f32], nodes: &[NodeId]) -> Result<Vec<Option<(u64, f32)>>, IndexError> {
        nodes.iter().map(|node| Ok(self.nearest_of(vector, *node)?.first().copied())).collect()
    }

    /// The passages of `node` with their exact cosines to a vector, the nearest first; empty in an
    /// index without vectors.
    ///
    /// # Errors
    /// A damaged file.
    pub fn nearest_of(&self, vector: &[f32], node: NodeId) -> Result<Vec<(u64, f32)>, IndexError> {
        let Some(vectors) = &self.vectors else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for number in self.passages_of(node)? {
            let Some(row) = self.row_of(number)? else { continue };
            found.push((number, vectors.similarity(row, vector)?));
        }
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(found)
    }
}

#[expect(clippy::cast_precision_loss, reason = "ranks are small")]
fn reciprocal(rank: usize) -> f32 {
    1.0 / (FUSION + rank as f32 + 1.0)
}
