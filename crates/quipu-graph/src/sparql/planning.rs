//! Estimates how long the evaluator plans a query: planning cannot be stopped.
//!
//! The evaluator orders joins greedily: at each step it estimates every pattern that is left, and
//! an estimate walks all patterns joined so far. An OPTIONAL may be planned twice, once for each
//! way to join it, and with it all OPTIONALs within.

use spargebra::algebra::GraphPattern;

/// Most work that a query's planning may take: about a second.
pub(super) const MOST_WORK: u64 = 1 << 28;

/// An upper estimate of the work of planning a pattern, without the patterns in its expressions.
/// The unit is an estimate's visit of one pattern, 2 to 6 ns.
pub(super) fn work(pattern: &GraphPattern) -> u64 {
    match pattern {
        GraphPattern::Bgp { patterns } => ordering(patterns.len() as u64, patterns.len() as u64),
        GraphPattern::Join { .. } => {
            let mut joined = Joined::default();
            joined.add(pattern);
            joined.inner.saturating_add(ordering(joined.elements, joined.size))
        }
        GraphPattern::LeftJoin { left, right, .. } => {
            let estimates = size(left).saturating_add(size(right)).saturating_pow(2);
            work(left).saturating_add(work(right).saturating_mul(2)).saturating_add(estimates)
        }
        other => parts(other).map(work).fold(1, u64::saturating_add),
    }
}

/// The work of ordering joins: for each pair of elements, a walk of pairs of patterns.
fn ordering(elements: u64, size: u64) -> u64 {
    elements.saturating_pow(2).saturating_mul(size.saturating_pow(2))
}

/// Patterns that are ordered together.
#[derive(Default)]
struct Joined {
    elements: u64,
    size: u64,
    /// The work of planning each of them.
    inner: u64,
}

impl Joined {
    fn add(&mut self, pattern: &GraphPattern) {
        match pattern {
            GraphPattern::Join { left, right } => {
                self.add(left);
                self.add(right);
            }
            GraphPattern::Bgp { patterns } => {
                self.elements += patterns.len() as u64;
                self.size += patterns.len() as u64;
            }
            other => {
                self.elements += 1;
                self.size += size(other);
                self.inner = self.inner.saturating_add(work(other));
            }
        }
    }
}

/// The number of patterns and operators in a pattern.
fn size(pattern: &GraphPattern) -> u64 {
    match pattern {
        GraphPattern::Bgp { patterns } => patterns.len() as u64,
        other => 1 + parts(other).map(size).sum::<u64>(),
    }
}

/// The patterns that a pattern combines or changes.
fn parts(pattern: &GraphPattern) -> impl Iterator<Item = &GraphPattern> {
    let (first, second) = match pattern {
        GraphPattern::Bgp { .. }
        | GraphPattern::Path { .. }
        | GraphPattern::Values { .. }
        | GraphPattern::Service { .. } => (None, None),
        GraphPattern::Join { left, right }
        | GraphPattern::LeftJoin { left, right, .. }
        | GraphPattern::Lateral { left, right }
        | GraphPattern::Union { left, right }
        | GraphPattern::Minus { left, right } => (Some(left), Some(right)),
        GraphPattern::Filter { inner, .. }
        | GraphPattern::Graph { inner, .. }
        | GraphPattern::Extend { inner, .. }
        | GraphPattern::OrderBy { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::Slice { inner, .. }
        | GraphPattern::Group { inner, .. } => (Some(inner), None),
    };
    first.into_iter().chain(second).map(AsRef::as_ref)
}
