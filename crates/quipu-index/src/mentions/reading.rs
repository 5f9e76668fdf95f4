//! Selects the scored spans of a question's best reading.

use std::collections::HashSet;

use super::text::Text;
use super::{Found, Mention, MentionConfig};

/// Indexes of the spans of the reading with the greatest sum of squared scores.
pub(super) fn best_reading(found: &[Found], words: usize) -> Vec<usize> {
    let mut by_end: Vec<Vec<usize>> = vec![Vec::new(); words + 1];
    for (index, mention) in found.iter().enumerate() {
        if let Some(ends) = by_end.get_mut(mention.words.end) {
            ends.push(index);
        }
    }
    let mut best: Vec<(f64, Option<usize>)> = vec![(0.0, None)];
    for (end, ends) in by_end.iter().enumerate().skip(1) {
        let mut here = (best.get(end - 1).map_or(0.0, |before| before.0), None);
        for &index in ends {
            let Some(mention) = found.get(index).filter(|mention| !mention.words.is_empty()) else {
                continue;
            };
            let before = best.get(mention.words.start).map_or(0.0, |before| before.0);
            let value = before + mention.score * mention.score;
            if value > here.0 {
                here = (value, Some(index));
            }
        }
        best.push(here);
    }
    let mut reading = Vec::new();
    let mut end = words;
    while end > 0 {
        match best.get(end).and_then(|place| place.1) {
            Some(index) => {
                reading.push(index);
                end = found.get(index).map_or(0, |mention| mention.words.start);
            }
            None => end -= 1,
        }
    }
    let signs: Vec<usize> = (0..found.len()).filter(|&index| is_apart(found, &reading, index)).collect();
    reading.extend(signs);
    reading
}

/// Whether a sign (`$`, which consists of no words) stands outside the names of the reading.
fn is_apart(found: &[Found], reading: &[usize], index: usize) -> bool {
    found.get(index).is_some_and(|sign| {
        let inside = |other: &Found| other.span.start < sign.span.end && sign.span.start < other.span.end;
        sign.words.is_empty() && !reading.iter().filter_map(|&index| found.get(index)).any(inside)
    })
}

/// The spans as mentions: those of the reading first, best first, then the others.
pub(super) fn mentions_of(
    text: &Text<'_>,
    found: Vec<Found>,
    reading: &[usize],
    config: &MentionConfig,
) -> Vec<Mention> {
    let reading: HashSet<usize> = reading.iter().copied().collect();
    let best =
        reading.iter().filter_map(|&index| found.get(index)).map(|mention| mention.score).fold(0.0, f64::max);
    let least = config.threshold.max(0.35 * best.min(1.5));
    let mut mentions: Vec<Mention> = found
        .into_iter()
        .enumerate()
        .map(|(index, found)| Mention {
            text: text.slice(&found.span).to_owned(),
            span: found.span,
            // The best span counts even if all scores are low: a weak anchor is better than none.
            chosen: reading.contains(&index) && (found.score >= least || found.score >= best),
            score: found.score,
            candidates: found.candidates,
        })
        .collect();
    mentions.sort_by(|left, right| {
        right
            .chosen
            .cmp(&left.chosen)
            .then(right.score.total_cmp(&left.score))
            .then(left.span.start.cmp(&right.span.start))
    });
    mentions.truncate(config.mentions);
    mentions
}
