//! Conditions that a question sets on values: "over 40 million", "before 1990", "between 5 and 10".

use std::ops::Range;

use quipu_graph::LiteralValue;

use crate::values::value_of;
use crate::vocabulary::{BoundWords, Language};
use crate::words::begin;

/// Most words of a value, as in "13 May 1968". Of "40 million dollars" only the first two are read.
const MOST_VALUE_WORDS: usize = 3;

/// A bound, and whether it is inclusive.
type Bound = (LiteralValue, bool);

/// A condition on values.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// Its words.
    pub text: String,
    /// Where they stand, in bytes.
    pub span: Range<usize>,
    above: Option<Bound>,
    below: Option<Bound>,
}

impl Condition {
    /// The lower bound, and whether it is inclusive.
    pub fn above(&self) -> Option<&(LiteralValue, bool)> {
        self.above.as_ref()
    }

    /// The upper bound, and whether it is inclusive.
    pub fn below(&self) -> Option<&(LiteralValue, bool)> {
        self.below.as_ref()
    }

    /// Whether a value satisfies it; `None` where the two cannot be compared.
    pub fn holds(&self, value: &LiteralValue) -> Option<bool> {
        let side = |bound: &Option<Bound>, sign: f64| match bound {
            None => Some(true),
            Some((bound, inclusive)) => {
                let difference = sign * (axis(value, bound)? - axis(bound, value)?);
                // A bare year cannot be compared with a day of the same year.
                let of_day = matches!(bound, LiteralValue::Date { month: Some(_), .. });
                if difference == 0.0 && of_day && matches!(value, LiteralValue::Number(_)) {
                    return None;
                }
                Some(difference > 0.0 || (*inclusive && difference == 0.0))
            }
        };
        Some(side(&self.above, 1.0)? && side(&self.below, -1.0)?)
    }
}

/// The first condition of a question.
pub fn condition(question: &str) -> Option<Condition> {
    conditions(question).into_iter().next()
}

/// All conditions of a question, in their order.
pub fn conditions(question: &str) -> Vec<Condition> {
    let list = Language::of(question).bounds();
    let words = spaced_words(question);
    let lower: Vec<String> =
        words.iter().filter_map(|w| question.get(w.clone())).map(str::to_lowercase).collect();
    let mut found: Vec<Condition> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if found.last().is_none_or(|last| last.span.end <= word.start) {
            let of_both = between(question, &words, &lower, at, list);
            found.extend(of_both.or_else(|| bounded(question, &words, &lower, at, list)));
        }
    }
    found
}

/// Whether a negation or a superlative is part of a bound and says nothing by itself: the "no" of
/// "no more than 5", the "most" of "at most two".
pub fn is_in_bound(words: &[String], at: usize) -> bool {
    /// Most words of a bound before its number.
    const MOST: usize = 3;
    let language = Language::of_words(words);
    let list = language.bounds();
    let is_number = |at: usize| {
        let next = words.get(at);
        next.is_some_and(|next| {
            next.starts_with(|c: char| c.is_ascii_digit()) || language.cardinal(next).is_some()
        })
    };
    let bounds = |start: usize, phrase: &String| {
        begin(words.get(start..).unwrap_or_default(), phrase)
            .is_some_and(|count| at < start + count && is_number(start + count))
    };
    let says = |means: &str| words.get(at).is_some_and(|word| language.means(word, means));
    (says("negation") || says("superlative"))
        && (at.saturating_sub(MOST - 1)..=at)
            .any(|start| list.from.iter().chain(&list.to).any(|phrase| bounds(start, phrase)))
}

/// The byte ranges of full numbers and dates in a question: "1535", "18 January 1535", "15
/// million"; not "the 1990s" or "the 16th century".
pub fn values_said(question: &str) -> Vec<Range<usize>> {
    let list = Language::of(question).bounds();
    let words = spaced_words(question);
    let plain = |span: &Range<usize>| {
        let text = question.get(span.clone()).unwrap_or_default();
        let of_digits = text.split(' ').all(|word| {
            !word.starts_with(|c: char| c.is_ascii_digit())
                || word.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | '-'))
        });
        let next = question.get(span.end..).unwrap_or_default().split_whitespace().next().unwrap_or_default();
        of_digits && !list.times.has(next)
    };
    let mut said = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let value = value_at(question, &words, at).map(|(_, end)| word.start..end);
        let end = value.as_ref().map_or(word.end, |span| span.end);
        said.extend(value.filter(plain));
        at = words.iter().position(|word| word.start >= end).unwrap_or(words.len());
    }
    said
}

fn bounded(
    question: &str,
    words: &[Range<usize>],
    lower: &[String],
    at: usize,
    list: &BoundWords,
) -> Option<Condition> {
    let said = |phrases: &Vec<String>| phrases.iter().find_map(|phrase| begin(lower.get(at..)?, phrase));
    let lists = [
        (&list.above, false, true),
        (&list.from, true, true),
        (&list.below, false, false),
        (&list.to, true, false),
    ];
    let (count, inclusive, is_above) =
        lists.into_iter().find_map(|(list, inclusive, is_above)| Some((said(list)?, inclusive, is_above)))?;
    let (value, end) = value_at(question, words, at + count)?;
    let bound = Some((value, inclusive));
    let (above, below) = if is_above { (bound, None) } else { (None, bound) };
    Some(made(question, words.get(at)?.start..end, above, below))
}

fn between(
    question: &str,
    words: &[Range<usize>],
    lower: &[String],
    at: usize,
    list: &BoundWords,
) -> Option<Condition> {
    if !list.between.has(lower.get(at)?) {
        return None;
    }
    let and = (at + 2..words.len()).find(|and| lower.get(*and).is_some_and(|word| list.and.has(word)))?;
    let first = question.get(words.get(at + 1)?.start..words.get(and - 1)?.end)?;
    let (low, (high, end)) = (measure(first)?, value_at(question, words, and + 1)?);
    Some(made(question, words.get(at)?.start..end, Some((low, true)), Some((high, true))))
}

fn made(question: &str, span: Range<usize>, above: Option<Bound>, below: Option<Bound>) -> Condition {
    Condition { text: question.get(span.clone()).unwrap_or_default().to_owned(), span, above, below }
}

/// The longest value that begins at a word, and its end. A number may be read with any unit; among
/// texts of equal value the shortest wins, which leaves the unit to the question.
fn value_at(question: &str, words: &[Range<usize>], at: usize) -> Option<(LiteralValue, usize)> {
    let start = words.get(at)?.start;
    let ends = (1..=MOST_VALUE_WORDS).rev().filter_map(|count| words.get(at + count - 1).map(|w| w.end));
    let values = ends.filter_map(|end| Some((measure(question.get(start..end)?)?, end)));
    values.fold(None, |kept, (value, end)| match kept {
        Some((longest, _)) if longest == value => Some((value, end)),
        Some(longer) => Some(longer),
        None => Some((value, end)),
    })
}

fn measure(text: &str) -> Option<LiteralValue> {
    let value = value_of(text);
    matches!(value, LiteralValue::Number(_) | LiteralValue::Date { .. }).then_some(value)
}

/// Words between spaces, without the punctuation around them.
fn spaced_words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut at = 0;
    for piece in text.split(char::is_whitespace) {
        let trimmed = piece.trim_end_matches(['?', ',', '.', ';', ':', '!', ')']);
        let start = at + (trimmed.len() - trimmed.trim_start_matches(['(', '"']).len());
        if start < at + trimmed.len() {
            words.push(start..at + trimmed.len());
        }
        at += piece.len()
            + text.get(at + piece.len()..).and_then(|t| t.chars().next()).map_or(0, char::len_utf8);
    }
    words
}

/// A value on the axis that it shares with `other`. A date is compared with a bare year by its
/// year.
fn axis(value: &LiteralValue, other: &LiteralValue) -> Option<f64> {
    match (value, other) {
        (LiteralValue::Number(number), _) => Some(*number),
        (LiteralValue::Date { year, .. }, LiteralValue::Number(_)) => Some(f64::from(*year)),
        (LiteralValue::Date { year, month, day }, LiteralValue::Date { .. }) => Some(
            f64::from(*year) * 372.0 + f64::from(month.unwrap_or(1)) * 31.0 + f64::from(day.unwrap_or(1)),
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, text: Option<&str>, holding: &[&str], failing: &[&str]) {
        let condition = condition(question);
        assert_eq!(condition.as_ref().map(|c| c.text.as_str()), text, "{question}");
        let Some(condition) = condition else { return };
        assert_eq!(&question[condition.span.clone()], condition.text);
        for value in holding {
            assert_eq!(condition.holds(&value_of(value)), Some(true), "{question}: {value}");
        }
        for value in failing {
            assert_eq!(condition.holds(&value_of(value)), Some(false), "{question}: {value}");
        }
    }

    #[test]
    fn values_are_said_in_full_or_not_at_all() {
        let said = |question: &str| -> Vec<String> {
            values_said(question).into_iter().map(|span| question[span].to_owned()).collect()
        };
        assert_eq!(said("Was Lima founded in 1535?"), ["1535"]);
        assert_eq!(said("Was Lima founded on 18 January 1535?"), ["18 January 1535"]);
        assert_eq!(said("Does it have 31,989 or 15 million people?"), ["31,989", "15 million"]);
        assert_eq!(said("in the 1990s, in the 16th century, in Room 12a"), [""; 0]);
    }

    #[test]
    fn bounds_are_read() {
        check(
            "countries with over 40 million people?",
            Some("over 40 million"),
            &["44494502"],
            &["40000000", "7"],
        );
        check("rivers at least 1,000 km long", Some("at least 1,000"), &["1000"], &["999"]);
        check(
            "films made before 1990?",
            Some("before 1990"),
            &["1989", "1989-12-31"],
            &["1990", "1990-01-01"],
        );
        check("ponds between 5 and 10 m deep", Some("between 5 and 10"), &["5", "10"], &["4", "11"]);
        check(
            "which books came out after 13 May 1968?",
            Some("after 13 May 1968"),
            &["1968-05-14"],
            &["1968-05-13"],
        );
    }

    #[test]
    fn words_without_a_value_are_no_condition() {
        check("is the Orle longer than the Berg?", None, &[], &[]);
        check("which river flows under the bridge", None, &[], &[]);
        check("", None, &[], &[]);
    }

    #[test]
    fn texts_cannot_be_compared() {
        let condition = condition("over 5").unwrap();
        assert_eq!(condition.holds(&value_of("Lima")), None);
    }
}
