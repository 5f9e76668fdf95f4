//! Scores of one answer against its gold answers.

use serde::{Deserialize, Serialize};

use super::rouge::rouge_l;
use super::{GivenTable, GoldTable, RowScore, harmonic, one_if, share};
use crate::normal::{occurs_in, same_answer};

/// A gold answer with its known names and key.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GoldAnswer {
    /// Its name or value.
    pub name: String,
    /// Its aliases in the graph.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Its key, if the question file gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl GoldAnswer {
    /// A gold answer known only by its name.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.aliases.iter().map(String::as_str))
    }

    /// Whether a given value is this answer. If the keys of both are known, keys decide, so that
    /// another entity of the same name does not match.
    pub fn is(&self, given: &str, keys: &[String]) -> bool {
        match &self.id {
            Some(id) if !keys.is_empty() => keys.contains(id),
            _ => self.names().any(|name| same_answer(given, name)),
        }
    }

    /// Whether one of its names occurs in a text.
    pub fn occurs_in(&self, text: &str) -> bool {
        self.names().any(|name| occurs_in(text, name))
    }
}

/// The quality of one answer; each value from 0 to 1. See docs/evaluation.md for definitions and
/// sources.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Score {
    /// 1 if the first given value is a gold answer (strict).
    pub hit_at_1: f64,
    /// 1 if one of the first five given values is a gold answer.
    pub hit_at_5: f64,
    /// Share of the gold answers among the first twenty given values.
    pub recall_at_20: f64,
    /// One over the rank of the first given value that is a gold answer.
    pub mrr: f64,
    /// 1 if the given values are exactly the gold answers.
    pub exact: f64,
    /// Share of the gold answers that are given: AnchorRAG's accuracy, the recall of the set.
    pub accuracy: f64,
    /// Share of the given values that are gold answers.
    pub precision: f64,
    /// Harmonic mean of precision and accuracy.
    pub f1: f64,
    /// 1 if a gold name occurs in the answer's words (lenient).
    pub lenient: f64,
    /// ROUGE-L F1 of the answer's words and the best gold text.
    pub rouge_l: f64,
    /// The same by rows; `None` in results of a version that did not score them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<RowScore>,
}

impl Score {
    /// All correct, as for an unanswerable question that is not answered.
    pub const FULL: Self = Self {
        hit_at_1: 1.0,
        hit_at_5: 1.0,
        recall_at_20: 1.0,
        mrr: 1.0,
        exact: 1.0,
        accuracy: 1.0,
        precision: 1.0,
        f1: 1.0,
        lenient: 1.0,
        rouge_l: 1.0,
        rows: Some(RowScore::FULL),
    };

    /// Nothing correct, as for an empty answer.
    pub const NOTHING: Self = Self {
        hit_at_1: 0.0,
        hit_at_5: 0.0,
        recall_at_20: 0.0,
        mrr: 0.0,
        exact: 0.0,
        accuracy: 0.0,
        precision: 0.0,
        f1: 0.0,
        lenient: 0.0,
        rouge_l: 0.0,
        rows: Some(RowScore { f1: 0.0, lenient: 0.0, exact: 0.0 }),
    };
}

/// Depth of Hit@k.
const HITS: usize = 5;
/// Depth of Recall@k.
const RECALLED: usize = 20;

/// Scores the given values, best first, each with its keys, and the answer's words. An empty answer
/// scores zero everywhere. With `any_of`, each gold answer alone is complete.
pub fn score(given: &[(String, Vec<String>)], words: &str, gold: &[GoldAnswer], any_of: bool) -> Score {
    let is = |value: usize, answer: usize| match (given.get(value), gold.get(answer)) {
        (Some((value, keys)), Some(answer)) => answer.is(value, keys),
        _ => false,
    };
    Score {
        lenient: one_if(gold.iter().any(|g| g.occurs_in(words))),
        rouge_l: rouge(words, gold, any_of),
        ..score_of(given.len(), gold.len(), any_of, is)
    }
}

/// Scores rows if the question file has rows: each row counts as a value, which is right if it
/// contains a key of a gold row.
pub fn score_rows(given: &GivenTable, words: &str, table: &GoldTable, gold: &[GoldAnswer]) -> Score {
    Score {
        lenient: one_if(gold.iter().any(|g| g.occurs_in(words))),
        rouge_l: rouge(words, gold, false),
        ..score_of(given.len(), table.len(), false, |at, of| table.has(given, at, of))
    }
}

/// Scores `given` items, best first, against `gold` items.
fn score_of(given: usize, gold: usize, any_of: bool, is: impl Fn(usize, usize) -> bool) -> Score {
    let right: Vec<bool> = (0..given).map(|at| (0..gold).any(|of| is(at, of))).collect();
    let found_within = |depth: usize| {
        let found = (0..gold).filter(|of| (0..given.min(depth)).any(|at| is(at, *of))).count();
        if any_of { one_if(found > 0) } else { share(found, gold) }
    };
    let precision = share(right.iter().filter(|right| **right).count(), given);
    let accuracy = found_within(usize::MAX);
    let first = right.iter().position(|right| *right);
    Score {
        hit_at_1: one_if(first == Some(0)),
        hit_at_5: one_if(first.is_some_and(|rank| rank < HITS)),
        recall_at_20: found_within(RECALLED),
        mrr: first.map_or(0.0, |rank| share(1, rank + 1)),
        exact: one_if(gold > 0 && precision == 1.0 && accuracy == 1.0),
        accuracy,
        precision,
        f1: harmonic(precision, accuracy),
        ..Score::NOTHING
    }
}

/// Against each gold text; unless any one suffices, also against all of them in a row.
fn rouge(words: &str, gold: &[GoldAnswer], any_of: bool) -> f64 {
    if any_of {
        return gold.iter().map(|g| rouge_l(words, &g.name)).fold(0.0, f64::max);
    }
    let all: Vec<&str> = gold.iter().map(|g| g.name.as_str()).collect();
    rouge_l(words, &all.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(values: &[&str]) -> Vec<(String, Vec<String>)> {
        values.iter().map(|value| ((*value).to_owned(), Vec::new())).collect()
    }

    fn gold(names: &[&str]) -> Vec<GoldAnswer> {
        names.iter().map(|name| GoldAnswer::named(*name)).collect()
    }

    fn check(values: &[&str], names: &[&str], expected: [f64; 6]) {
        let s = score(&given(values), &values.join(", "), &gold(names), false);
        let found = [s.hit_at_1, s.mrr, s.exact, s.accuracy, s.precision, s.f1];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{values:?} / {names:?}: {s:?}");
        }
    }

    #[test]
    fn scores_follow_their_definitions() {
        check(&["Lima"], &["lima"], [1.0; 6]);
        check(&["Quito", "Lima"], &["Lima"], [0.0, 0.5, 0.0, 1.0, 0.5, 2.0 / 3.0]);
        check(&["Lima"], &["Lima", "Quito"], [1.0, 1.0, 0.0, 0.5, 1.0, 2.0 / 3.0]);
        check(&["Cusco"], &["Lima"], [0.0; 6]);
        check(&[], &["Lima"], [0.0; 6]);
        check(&["Lima"], &[], [0.0; 6]);
    }

    #[test]
    fn ranks_deeper_than_k_do_not_count() {
        let mut values = vec!["x"; 25];
        (values[5], values[22]) = ("Lima", "Quito");
        let s = score(&given(&values), "", &gold(&["Lima", "Quito"]), false);
        assert_eq!((s.hit_at_5, s.recall_at_20, s.accuracy), (0.0, 0.5, 1.0));
        values[4] = "Lima";
        assert_eq!(score(&given(&values), "", &gold(&["Lima"]), false).hit_at_5, 1.0);
    }

    #[test]
    fn any_of_the_gold_answers_is_a_whole_one() {
        let s = score(&given(&["Lima"]), "Lima", &gold(&["Lima", "Ciudad de los Reyes"]), true);
        assert_eq!((s.exact, s.accuracy, s.f1, s.rouge_l), (1.0, 1.0, 1.0, 1.0));
    }

    #[test]
    fn aliases_count_and_keys_tell_namesakes_apart() {
        let lima = GoldAnswer {
            name: "Lima".into(),
            aliases: vec!["Ciudad de los Reyes".into()],
            id: Some("geo:lima".into()),
        };
        assert!(lima.is("ciudad de los reyes", &[]));
        assert!(lima.is("Lima", &["geo:lima".into()]));
        assert!(!lima.is("Lima", &["geo:lima-ohio".into()]));
    }

    #[test]
    fn the_lenient_score_reads_the_words() {
        let s = score(&given(&["the capital is Lima"]), "The capital is Lima.", &gold(&["Lima"]), false);
        assert_eq!((s.hit_at_1, s.lenient), (0.0, 1.0));
    }
}
