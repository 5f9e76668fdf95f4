//! The best order of an entity's triples for a model (§3.2.2): the triples most similar to the
//! pseudo-graph stand nearest to it, and dated values stand in order of time.

use quipu_graph::LiteralValue;
use quipu_language::value_of;
use quipu_stages::answer::{Evidence, EvidenceContent};

/// Sorts the triples of one entity, each with its similarity: grouped by relation, the best
/// relation last, dated values and numbers in their order.
pub(super) fn in_order(triples: Vec<(Evidence, f32)>) -> Vec<Evidence> {
    let mut groups: Vec<(String, f32, Vec<Evidence>)> = Vec::new();
    for (piece, similarity) in triples {
        let relation = triple(&piece).map(|[_, relation, _]| relation.to_owned()).unwrap_or_default();
        match groups.iter_mut().find(|(name, ..)| *name == relation) {
            Some((_, best, pieces)) => {
                *best = best.max(similarity);
                pieces.push(piece);
            }
            None => groups.push((relation, similarity, vec![piece])),
        }
    }
    groups.sort_by(|a, b| a.1.total_cmp(&b.1));
    for (.., pieces) in &mut groups {
        pieces.sort_by(|a, b| key(a).0.total_cmp(&key(b).0).then_with(|| key(a).1.cmp(&key(b).1)));
    }
    groups.into_iter().flat_map(|(.., pieces)| pieces).collect()
}

/// The sorting key of a triple: the date or number of its value; names come after all values, in
/// their own order.
fn key(piece: &Evidence) -> (f64, String) {
    let Some([head, _, tail]) = triple(piece) else { return (f64::MAX, String::new()) };
    let sorted = match value_of(tail) {
        LiteralValue::Number(number) => number,
        LiteralValue::Date { year, month, day } => {
            f64::from(year) + f64::from(month.unwrap_or(1)) / 100.0 + f64::from(day.unwrap_or(1)) / 10_000.0
        }
        _ => f64::MAX,
    };
    (sorted, format!("{head} {tail}"))
}

fn triple(piece: &Evidence) -> Option<[&str; 3]> {
    match &piece.content {
        EvidenceContent::Triple { head, relation, tail, .. } => Some([head, relation, tail]),
        EvidenceContent::Passage { .. }
        | EvidenceContent::Record(_)
        | EvidenceContent::Calculation { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(head: &str, relation: &str, tail: &str, similarity: f32) -> (Evidence, f32) {
        (Evidence::triple("g", [head, relation, tail], [head, relation, tail]), similarity)
    }

    fn tails(evidence: &[Evidence]) -> Vec<String> {
        evidence.iter().filter_map(|piece| Some(triple(piece)?[2].to_owned())).collect()
    }

    #[test]
    fn dated_values_stand_in_their_order_and_the_best_relation_last() {
        let pieces = vec![
            piece("Peru", "population", "33", 0.9),
            piece("Peru", "president", "Ada", 0.3),
            piece("Peru", "population", "31", 0.95),
            piece("Peru", "founded", "1821-07-28", 0.5),
            piece("Peru", "founded", "1532", 0.6),
        ];
        assert_eq!(tails(&in_order(pieces)), ["Ada", "1532", "1821-07-28", "31", "33"]);
    }
}
