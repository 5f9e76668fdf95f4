//! Correction by similarity, without a call: every pseudo-triple becomes what the sources state along it, else what resembles it most, and what
//! resembles nothing is deleted. The corrected graph holds triples of the sources only.

use quipu_query::PseudoGraph;

use super::super::edits::{alike, edited, kept_of, take_all};
use super::gold::Gold;
use crate::answer::{EditEvent, Event, Evidence, Stage};
use crate::ledger::Context;

/// A pseudo-triple that no triple resembles so much is deleted.
const LEAST_SUPPORT: f32 = 0.5;

/// The corrected graph. Nothing kept says that the beliefs were no help: what was found is then all that there is.
pub(super) fn corrected(context: &Context<'_>, graph: &PseudoGraph, gold: &Gold) -> Vec<Evidence> {
    let (edits, kept) = by_similarity(graph, gold);
    context.trace.report(Stage::Critique, Event::Corrected { edits });
    if kept.is_empty() { gold.evidence.clone() } else { kept }
}

/// Every pseudo-triple becomes its most similar triple, with the others of the same entity and relation: a list is one belief.
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
    // What the question asks for, whether anybody believed something about it or not.
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

/// Where the triples along a pseudo-triple stand in the gold graph.
fn positions_of(gold: &Gold, at: usize) -> Vec<usize> {
    let Some(ids) = gold.followed.get(&at) else { return Vec::new() };
    gold.evidence.iter().enumerate().filter(|(_, piece)| ids.contains(&piece.id)).map(|(at, _)| at).collect()
}
