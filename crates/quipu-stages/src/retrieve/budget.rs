//! Cuts the evidence to the size of a prompt, in tokens of the model that will read it.

use crate::answer::{Evidence, to_markdown};
use crate::ledger::Context;

/// Tables rendered in search of the longest that fits.
const ROUNDS: usize = 7;

/// The part of the evidence to keep if the budget is short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// The first pieces, skipping those that are too long for the remaining room.
    Best,
    /// The last pieces, without a gap.
    Latest,
}

/// The part of `evidence` that fits the question's budget, by the model's token count of the table,
/// and the number of pieces left out. The first pieces stay, because the best come first.
pub fn best_within_budget(context: &Context<'_>, evidence: Vec<Evidence>) -> (Vec<Evidence>, usize) {
    within(evidence, context.limits.evidence_tokens, Keep::Best, |text| context.count_tokens(text))
}

/// The same, but the last pieces stay: those looked up last are nearest to the answer.
pub fn latest_within_budget(context: &Context<'_>, evidence: Vec<Evidence>) -> (Vec<Evidence>, usize) {
    within(evidence, context.limits.evidence_tokens, Keep::Latest, |text| context.count_tokens(text))
}

fn within(
    evidence: Vec<Evidence>,
    budget: usize,
    keep: Keep,
    count: impl Fn(&str) -> usize,
) -> (Vec<Evidence>, usize) {
    let tokens = count(&to_markdown(&evidence));
    if tokens <= budget {
        return (evidence, 0);
    }
    // The table's overhead, and its tokens per byte, are only known after rendering.
    let costs: Vec<usize> = evidence.iter().map(|piece| piece.to_line().len()).collect();
    let all: usize = costs.iter().sum();
    let (mut fits, mut too_much, mut room) = (0, all, all.saturating_mul(budget) / tokens);
    let mut best = Vec::new();
    for _ in 0..ROUNDS {
        let kept = thinned(evidence.clone(), &costs, room, keep);
        if count(&to_markdown(&kept)) <= budget {
            (fits, best) = (room, kept);
        } else {
            too_much = room;
        }
        room = fits.midpoint(too_much);
    }
    let left_out = evidence.len() - best.len();
    (best, left_out)
}

/// The pieces whose `costs` fit into `room`.
fn thinned(mut evidence: Vec<Evidence>, costs: &[usize], mut room: usize, keep: Keep) -> Vec<Evidence> {
    match keep {
        Keep::Best => {
            let mut costs = costs.iter();
            evidence.retain(|_| {
                let rest = costs.next().and_then(|cost| room.checked_sub(*cost));
                room = rest.unwrap_or(room);
                rest.is_some()
            });
        }
        Keep::Latest => {
            let fits = |cost: &&usize| {
                let rest = room.checked_sub(**cost);
                room = rest.unwrap_or(room);
                rest.is_some()
            };
            let kept = costs.iter().rev().take_while(fits).count();
            evidence.drain(..evidence.len() - kept);
        }
    }
    evidence
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triple(tail: &str) -> Evidence {
        Evidence::triple("g", ["Ada", "wrote", tail], ["Ada", "wrote", tail])
    }

    fn books() -> Vec<Evidence> {
        (0..100).map(|n| triple(&format!("book number {n}"))).collect()
    }

    /// Counts words and signs as tokens: rows consist mostly of signs.
    fn count(text: &str) -> usize {
        text.split_whitespace().count()
    }

    #[test]
    fn a_short_budget_keeps_the_end_or_the_beginning() {
        for (keep, expected) in [(Keep::Latest, 99), (Keep::Best, 0)] {
            let (kept, left_out) = within(books(), 100, keep, count);
            let tokens = count(&to_markdown(&kept));
            assert!((90..=100).contains(&tokens), "{tokens} tokens, {} pieces", kept.len());
            assert!(kept.contains(&triple(&format!("book number {expected}"))));
            assert_eq!(kept.len() + left_out, 100);
            assert_eq!(within(books(), 10_000, keep, count), (books(), 0));
            assert_eq!(within(books(), 0, keep, count), (Vec::new(), 100));
        }
    }

    #[test]
    fn what_is_too_long_by_itself_makes_room_for_what_follows() {
        let mut evidence = books();
        evidence.insert(1, triple(&"endless ".repeat(500)));
        let (kept, _) = within(evidence, 100, Keep::Best, count);
        assert!(kept.contains(&triple("book number 0")) && kept.contains(&triple("book number 1")));
    }
}
