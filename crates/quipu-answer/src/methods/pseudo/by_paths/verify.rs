//! Correction by similarity, without a call. Each pseudo-triple becomes the triples found along it,
//! else the most similar triple; if no triple is similar, it is deleted. The corrected graph holds
//! only triples of the sources.

use quipu_query::PseudoGraph;
use quipu_stages::answer::{EditEvent, Event, Evidence, Stage};
use quipu_stages::ledger::Context;

use super::super::edits::{alike, edited, kept_of, take_all};
use super::gold::Gold;

/// Below this similarity of the nearest triple, a pseudo-triple is deleted.
const LEAST_SUPPORT: f32 = 0.5;

/// The corrected graph. If no triple is kept, the beliefs were no help, and all evidence found is
/// returned.
pub(super) fn corrected(context: &Context<'_>, graph: &PseudoGraph, gold: &Gold) -> Vec<Evidence> {
    let (edits, kept) = by_similarity(graph, gold);
    context.trace.report(Stage::Critique, Event::Corrected { edits });
    if kept.is_empty() { gold.evidence.clone() } else { kept }
}

/// Replaces each pseudo-triple by its most similar triple, with the other triples of the same
/// entity and relation, because a list is one belief.
fn by_similarity(graph: &PseudoGraph, gold: &Gold) -> (Vec<EditEvent>, Vec<Evidence>) {
    let mut events = Vec::new();
    let mut kept = vec![false; gold.evidence.len()];
    for (at, triple) in graph.triples.iter().enumerate() {
        let before = graph.names(triple).join(" | ");
        let mut positions = positions_of(gold, at);
        if positions.is_empty() {
            let nearest = gold.nearest.get(&at).filter(|(_, similarity)| *similarity >= LEAST_SUPPORT);
            let position = nearest.and_then(|(id, _)| gold.evidence.iter().position(|piece| piece.id == *id));
            positions = position.map(|at| alike(at, &gold.evidence)).unwrap_or_default();
        }
        events.extend(edited(Some(before), &take_all(&positions, &mut kept), &gold.evidence));
    }
    // The triple that the question asks for is kept, even if the model believed nothing about it.
    let asked = gold
        .asked
        .as_ref()
        .filter(|_| gold.answer.is_none())
        .and_then(|id| gold.evidence.iter().position(|piece| piece.id == *id));
    for at in asked.map(|at| alike(at, &gold.evidence)).unwrap_or_default() {
        if let Some(kept) = kept.get_mut(at).filter(|kept| !**kept) {
            *kept = true;
            events.extend(edited(None, &[at], &gold.evidence));
        }
    }
    (events, kept_of(&gold.evidence, &kept))
}

/// The positions in the gold graph of the triples along a pseudo-triple.
fn positions_of(gold: &Gold, at: usize) -> Vec<usize> {
    let Some(ids) = gold.followed.get(&at) else { return Vec::new() };
    gold.evidence.iter().enumerate().filter(|(_, piece)| ids.contains(&piece.id)).map(|(at, _)| at).collect()
}
