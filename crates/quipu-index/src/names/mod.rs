//! The name index: finds the nodes of a name as people write it.
//!
//! A lookup runs four stages and returns one ranked list:
//! 1. *exact*: the normalised text is the normalised label or alias of a node;
//! 2. *fuzzy*: it is one or two edits away (insertion, deletion, substitution, transposition), the
//!    closest distance first;
//! 3. *3-grams*: it shares rare words with the name, in any order; each word may itself have edits
//!    or match by common 3-grams: `Tarantino`, `Gaulle de Charles`;
//! 4. *dense*: its vector is near the name's. The workspace runs this stage, because it holds the
//!    vectors.
//!
//! # Score
//! `score = 0.93 · quality + 0.07 · prior`, both within 0 to 1. The *prior* is `ln(1 + degree) /
//! ln(1 + greatest degree)`. The *quality* of an exact match is 1 (0.96 when only the case differs,
//! 0.993 if the text has no capitals at all, 0.93 when only the normalised forms agree), of an
//! alias 0.04 less; of a fuzzy match `0.95 − 1.2 · distance / (length + 1)`, of a 3-gram match
//! `0.85 · similarity`, of a dense match `0.8 · similarity`.
//!
//! # Format
//! One file, a container of sections (see the container's own grammar), version `VERSION`:
//! ```text
//! meta     = names:u64 keys:u64 words:u64 greatest_degree:u64 longest_key_in_words:u64
//! keys     = finite-state map: normalised name → offset into names
//! backkeys = finite-state map: normalised name with its characters in reverse order → 0
//! names    = block*
//! block    = words:byte count:number name{count}             ; by falling degree
//! name     = flags:byte node:number degree:number [surface:text] [label:text]
//! flags    = kind (bits 0-1) | surface (bits 2-3: 0 the key, 1 the key in title case, 2 written out) | bit 4: label follows
//! words    = finite-state map: word → offset into postings
//! postings = (frequency:number count:number first_offset_into_names:number (difference:number){count − 1})*
//! grams    = finite-state map: 3-gram of "^word$" → offset into gramlist
//! gramlist = (count:number first_offset_into_postings:number (difference:number){count − 1})*
//! number   = varint; text = length:number utf8
//! ```
//! Values of keys, words and grams increase with the keys, so that a key can be found by its value.

mod finite_map;
mod fuzzy;
mod handover;
mod lists;
mod map_file;
mod partial;
mod reader;
mod writer;

#[cfg(test)]
mod tests;

use quipu_graph::NodeId;
use serde::Serialize;

use crate::container::Kind;

pub(crate) use reader::Translate;
pub use reader::{LookupConfig, NameIndex};
pub use writer::{NameIndexConfig, NameIndexWriter};

/// Version of the format; the oldest readable is the same.
const VERSION: u32 = 2;

const KIND: Kind = Kind { magic: *b"QUIPUNAM", version: VERSION, oldest: VERSION, title: "name index" };

/// Most bytes of a normalised name that are indexed and searched.
const LONGEST_KEY: usize = 240;

/// The role of a name for its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NameKind {
    /// Its preferred name.
    Label,
    /// Another name.
    Alias,
    /// The text of a literal (a year, a code).
    Literal,
}

/// One name of one node: the input of the writer.
#[derive(Debug, Clone, Copy)]
pub struct NameEntry<'a> {
    /// The node.
    pub node: NodeId,
    /// The name as the graph writes it.
    pub name: &'a str,
    /// Its role for the node.
    pub kind: NameKind,
    /// Number of triples with the node, for the popularity prior.
    pub degree: u64,
    /// The node's preferred name, if `name` is another one.
    pub label: Option<&'a str>,
}

/// The reason for a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchReason {
    /// The text is its name, ignoring case, diacritics, punctuation and articles.
    Exact,
    /// The text is an alias of it.
    Alias,
    /// The text is a few edits away from its name.
    Fuzzy {
        /// Insertions, deletions, substitutions, transpositions.
        distance: u8,
    },
    /// The text shares words, or 3-grams of words, with its name.
    Trigram {
        /// Share of the rarity-weighted words in common, 0 to 1.
        similarity: f32,
    },
    /// Its vector is near the text's.
    Dense {
        /// Cosine.
        similarity: f32,
    },
}

/// A node that a text may mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The node.
    pub node: NodeId,
    /// Its preferred name.
    pub name: String,
    /// The name of it that matched.
    pub matched: String,
    /// The reason for the match.
    pub reason: MatchReason,
    /// 0 to 1; lists are sorted by it, descending. The module's documentation has the formula.
    pub score: f64,
    /// Number of triples with the node.
    pub degree: u64,
}

/// Share of the popularity prior in a score.
const PRIOR_SHARE: f64 = 0.07;

/// The module's formula.
pub(crate) fn score(quality: f64, degree: u64, greatest_degree: u64) -> f64 {
    let prior = (degree as f64).ln_1p() / (greatest_degree.max(1) as f64).ln_1p();
    (1.0 - PRIOR_SHARE) * quality.clamp(0.0, 1.0) + PRIOR_SHARE * prior.clamp(0.0, 1.0)
}

/// Sorts candidates by score, best first, and keeps the best of each node, at most `k`.
pub(crate) fn rank(candidates: &mut Vec<Candidate>, k: usize) {
    candidates.sort_by(|left, right| {
        right
            .score
            .total_cmp(&left.score)
            .then(right.degree.cmp(&left.degree))
            .then(left.node.cmp(&right.node))
    });
    let mut seen = std::collections::HashSet::new();
    candidates.retain(|candidate| seen.insert(candidate.node));
    candidates.truncate(k);
}

/// The indexed part of a normalised name: its first [`LONGEST_KEY`] bytes, cut between characters.
fn clip(key: &str) -> &str {
    key.get(..key.floor_char_boundary(LONGEST_KEY)).unwrap_or(key)
}
