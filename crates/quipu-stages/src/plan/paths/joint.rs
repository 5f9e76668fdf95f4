//! Scores paths from several anchors to one place as one reading of the question: "the countries
//! that use the euro and border Germany". A word counts as explained if one of the paths explains
//! it; no path needs to explain the other paths' words.

use std::collections::{HashMap, HashSet};

use quipu_graph::Step;

use super::RankedPath;
use super::coverage::Coverage;
use super::features::{Features, SKIPPED_STEP};

/// The features of several paths taken together, one from each anchor.
pub fn joint(paths: &[&RankedPath]) -> Features {
    let mut words: HashMap<&str, Coverage> = HashMap::new();
    for path in paths {
        for (word, coverage) in path.words.iter().zip(&path.coverage) {
            let known = words.entry(word).or_default();
            *known = known.most(*coverage);
        }
    }
    let count = |n: usize| f32::from(u16::try_from(n).unwrap_or(u16::MAX));
    let mean = |of: fn(&Features) -> f32| {
        paths.iter().map(|p| of(&p.features)).sum::<f32>() / count(paths.len().max(1))
    };
    let most = |of: fn(&Features) -> f32| paths.iter().map(|p| of(&p.features)).fold(0.0, f32::max);
    let least = |of: fn(&Features) -> f32| paths.iter().map(|p| of(&p.features)).fold(1.0, f32::min);
    // Each word asks for one step at most. In a list, one word asks for the same step from each
    // thing, so equal paths count once.
    let ways: HashSet<&[Step]> = paths.iter().map(|p| p.steps.as_slice()).collect();
    let steps: usize = ways.iter().map(|steps| steps.len()).sum();
    let unasked = SKIPPED_STEP * count(steps.saturating_sub(words.len()));
    let total = |of: fn(&Coverage) -> f32| words.values().map(of).sum::<f32>();
    Features {
        phrase: mean(|f| f.phrase),
        plain_phrase: mean(|f| f.plain_phrase),
        verbatim: mean(|f| f.verbatim),
        alignment: (total(|c| c.all) - unasked) / count(words.len().max(1)),
        least_asked: least(|f| f.least_asked),
        least_covered: words.values().map(|c| c.all).reduce(f32::min).unwrap_or_default(),
        kind: mean(|f| f.kind),
        label: mean(|f| f.label),
        back_unsaid: most(|f| f.back_unsaid),
        regret: total(|c| c.all - c.best) - unasked,
        telling_regret: total(|c| c.telling - c.best_telling) - unasked,
        chain: mean(|f| f.chain),
        kind_regret: mean(|f| f.kind_regret),
        again_unsaid: most(|f| f.again_unsaid),
        short: 0.0,
        back_at_start: most(|f| f.back_at_start),
        no_company: least(|f| f.no_company),
    }
}
