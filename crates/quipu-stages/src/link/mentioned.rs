//! Mentions and the entities that they may mean.

use std::ops::Range;

use quipu_graph::NodeId;
use quipu_index::{Candidate, MatchReason, Mention};

use crate::answer::{CandidateEvent, MentionEvent};

/// Candidates kept for each mention.
pub(super) const CANDIDATES: usize = 5;

/// An entity to start from.
#[derive(Debug, Clone, PartialEq)]
pub struct Anchor {
    /// The entity.
    pub node: NodeId,
    /// Its name.
    pub name: String,
    /// How well the mention matches, 0 to 1, with popularity included.
    pub score: f64,
    /// Why it is a candidate, in words.
    pub reason: String,
    /// The place of the mention in the question, in bytes; empty if the question does not contain
    /// it.
    pub span: Range<usize>,
}

/// A mention with its candidates.
#[derive(Debug, Clone, PartialEq)]
pub struct Mentioned {
    /// The words of the question.
    pub text: String,
    /// Their place, in bytes.
    pub span: Range<usize>,
    /// Best first.
    pub candidates: Vec<Anchor>,
    /// How likely the words name something.
    pub score: f64,
    /// Whether it is part of the best reading of the question.
    pub chosen: bool,
}

impl Mentioned {
    /// The best candidate.
    pub fn best(&self) -> Option<&Anchor> {
        self.candidates.first()
    }

    /// A mention of one entity, in the anchor's own words.
    pub fn of(anchor: Anchor) -> Self {
        let (text, span, score) = (anchor.name.clone(), anchor.span.clone(), anchor.score);
        Self { text, span, candidates: vec![anchor], score, chosen: true }
    }

    /// For the trace.
    pub fn to_event(&self) -> MentionEvent {
        let candidate =
            |a: &Anchor| CandidateEvent { name: a.name.clone(), score: a.score, reason: a.reason.clone() };
        MentionEvent { text: self.text.clone(), candidates: self.candidates.iter().map(candidate).collect() }
    }

    pub(super) fn from_mention(mention: Mention, k: usize) -> Self {
        let span = mention.span;
        let anchor = |candidate: Candidate| Anchor {
            node: candidate.node,
            reason: describe(&candidate.reason, &candidate.matched),
            name: candidate.name,
            score: candidate.score,
            span: span.clone(),
        };
        Self {
            text: mention.text,
            candidates: mention.candidates.into_iter().take(k).map(anchor).collect(),
            span: span.clone(),
            score: mention.score,
            chosen: mention.chosen,
        }
    }
}

/// Whether two places in a text do not overlap.
pub fn apart(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.end <= b.start || b.end <= a.start
}

/// The reason for a candidate, in words.
fn describe(reason: &MatchReason, matched: &str) -> String {
    match reason {
        MatchReason::Exact => "exact name".into(),
        MatchReason::Alias => format!("alias “{matched}”"),
        MatchReason::Fuzzy { distance: 1 } => format!("one letter from “{matched}”"),
        MatchReason::Fuzzy { distance } => format!("{distance} letters from “{matched}”"),
        MatchReason::Trigram { similarity } => {
            format!("partly like “{matched}” ({:.0}%)", similarity * 100.0)
        }
        MatchReason::Dense { similarity } => format!("close in meaning to “{matched}” ({similarity:.2})"),
    }
}
