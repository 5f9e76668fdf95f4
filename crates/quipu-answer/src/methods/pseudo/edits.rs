//! Edits of a pseudo-graph: the triples of the sources that replace a pseudo-triple.

use quipu_stages::answer::{EditEvent, Evidence};

/// Marks the pieces at `positions` as kept.
pub(super) fn take_all(positions: &[usize], kept: &mut [bool]) -> Vec<usize> {
    for at in positions {
        if let Some(kept) = kept.get_mut(*at) {
            *kept = true;
        }
    }
    positions.to_vec()
}

/// The pieces that share a table row with piece `at`.
pub(super) fn alike(at: usize, evidence: &[Evidence]) -> Vec<usize> {
    use quipu_stages::answer::EvidenceContent::Triple;
    let Some(Triple { head, relation, tail, .. }) = evidence.get(at).map(|piece| &piece.content) else {
        return vec![at];
    };
    let same = |piece: &Evidence| match &piece.content {
        Triple { head: h, relation: r, tail: t, .. } => r == relation && (h == head || t == tail),
        _ => false,
    };
    evidence.iter().enumerate().filter(|(_, piece)| same(piece)).map(|(at, _)| at).collect()
}

/// One edit for each piece; a deletion if there is none.
pub(super) fn edited(before: Option<String>, positions: &[usize], evidence: &[Evidence]) -> Vec<EditEvent> {
    if positions.is_empty() {
        return before
            .map(|before| EditEvent { before: Some(before), after: None, by: None })
            .into_iter()
            .collect();
    }
    let pieces = positions.iter().filter_map(|at| evidence.get(*at));
    let mut before = before;
    pieces
        .map(|piece| EditEvent {
            before: before.take(),
            after: Some(piece.to_line()),
            by: Some(piece.id.clone()),
        })
        .collect()
}

/// The pieces marked as kept.
pub(super) fn kept_of(evidence: &[Evidence], kept: &[bool]) -> Vec<Evidence> {
    evidence.iter().zip(kept).filter(|(_, kept)| **kept).map(|(piece, _)| piece.clone()).collect()
}
