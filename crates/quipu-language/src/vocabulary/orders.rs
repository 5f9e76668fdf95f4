//! Orders: which end of one a word asks for, which place, and what orders are of.

use serde::Deserialize;

use super::{english, meanings, month};
use crate::numerals::{cardinal, ordinal};

/// Words that ask for one end of an order.
#[derive(Debug, Deserialize)]
pub(super) struct OrderRow {
    words: String,
    numbers: Option<End>,
    dates: Option<End>,
    years: Option<End>,
    ages: Option<End>,
    ranks: Option<End>,
}

/// What an order is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ordered {
    /// Amounts.
    Numbers,
    /// Dates.
    Dates,
    /// Numbers that are years.
    Years,
    /// Numbers that are ages.
    Ages,
    /// Numbers that are places of an order: the first is the best.
    Ranks,
}

/// One end of an order, as SQL comes to it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The least.
    Ascending,
    /// The greatest.
    Descending,
}

/// A place of an order that no order has: "-5th", "0th", one beyond all counting; "top 0".
pub fn impossible_place(question: &str) -> Option<&str> {
    /// More than any list holds.
    const MOST: u64 = 10_000_000;
    let is_possible = |digits: &str| digits.parse::<u64>().is_ok_and(|place| (1..=MOST).contains(&place));
    let mut before = "";
    for word in question.split_whitespace() {
        let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let digits = bare.trim_start_matches(['-', '−', '+']);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let (number, suffix) = digits.split_at(end);
        let is_order = english().ordinal_ends.has(&suffix.to_ascii_lowercase());
        let of_order = suffix.is_empty() && english().before_places.has(&before.to_ascii_lowercase());
        let negative = bare.starts_with(['-', '−']);
        if !number.is_empty() && (is_order || of_order) && (negative || !is_possible(number)) {
            return Some(bare);
        }
        before = word;
    }
    None
}

/// The end of an order that a word asks for; nothing where it asks for none, or for either.
pub fn end_asked_for(word: &str, of: Ordered) -> Option<End> {
    let row = english().orders.iter().find(|row| row.words.split_whitespace().any(|known| known == word))?;
    match of {
        Ordered::Numbers => row.numbers,
        Ordered::Dates => row.dates,
        Ordered::Years => row.years,
        Ordered::Ages => row.ages.or(row.numbers),
        Ordered::Ranks => row.ranks,
    }
}

/// Whether a word asks for what is first or last in time: "latest", "oldest", "first".
pub fn orders_times(word: &str) -> bool {
    end_asked_for(word, Ordered::Years).is_some() || ordinal(word) == Some(1)
}

/// A question with the superlatives of its comparatives: "longest" for "longer".
pub fn with_superlatives(question: &str) -> String {
    let superlative = |word: String| {
        let other = word.strip_suffix("er").map(|stem| format!("{stem}est"));
        let has_row = |other: &String| {
            english().orders.iter().any(|row| row.words.split_whitespace().any(|w| w == other))
        };
        other.filter(has_row).unwrap_or(word)
    };
    crate::words_of(question).into_iter().map(superlative).collect::<Vec<_>>().join(" ")
}

/// The place in an order that an ordinal at a place of the question asks for, from 2: "second" before "largest" within two words.
pub fn place_asked_for(words: &[String], at: usize) -> Option<u64> {
    let word = words.get(at)?;
    let named = english().words.iter().find(|row| row.means == "ordinal")?;
    let place = match named.words.split_whitespace().position(|known| known == word) {
        Some(place) => place as u64 + 2,
        None => {
            let digits = ordinal_digits(word)?;
            digits.parse::<u64>().ok().filter(|place| *place > 1)?
        }
    };
    let of_order = |word: &String| {
        meanings(word).iter().any(|meaning| meaning.means == "superlative") || looks_superlative(word)
    };
    words.iter().skip(at + 1).take(2).any(of_order).then_some(place)
}

/// The place of a list that words say: "number one", "the second place", "the top song".
pub fn place_said(words: &[String]) -> Option<usize> {
    let ranks = &english().before_ranks;
    let behind = words.windows(2).find_map(|pair| match pair {
        [before, word] if ranks.has(before) => cardinal(word).filter(|place| *place > 0),
        [word, rank] if ranks.has(rank) => ordinal(word),
        _ => None,
    });
    let top = || {
        let alone = |pair: &[String]| matches!(pair, [word, next] if english().tops.has(word) && cardinal(next).is_none());
        words.windows(2).any(alone).then_some(1)
    };
    behind.or_else(top)
}

/// The place of some order that a word asks for in digits: "the 1000th", not "the 20th century" or "the 4th of May".
pub fn asked_place(words: &[String], at: usize) -> Option<u64> {
    let word = words.get(at)?;
    let digits = ordinal_digits(word)?;
    let place = digits.parse::<u64>().ok()?;
    let is_date = |next: &String| next == "of" || month(next).is_some() || english().centuries.has(next);
    let of_date = words.get(at + 1).is_some_and(is_date)
        || at
            .checked_sub(1)
            .and_then(|before| words.get(before))
            .is_some_and(|before| month(before).is_some());
    (!of_date).then_some(place)
}

/// Whether a word has a superlative's ending: "widest". Some nouns have it too; what has no other meaning is asked of the plan.
pub fn looks_superlative(word: &str) -> bool {
    /// "West", "nest", "test".
    const LEAST: usize = 6;
    word.len() >= LEAST && word.ends_with("est") && meanings(word).is_empty() && !english().nouns.has(word)
}

/// Whether numbers called so are ages.
pub fn are_ages(title: &str) -> bool {
    crate::words_of(title).iter().any(|word| english().ages.has(word))
}

/// Whether numbers called so are places of an order.
pub fn are_ranks(title: &str) -> bool {
    // "Ranking points" are amounts.
    crate::words_of(title).last().is_some_and(|word| english().ranks.has(word))
}

/// Whether of values called so no superlative tells which end of their order it asks for.
pub fn has_open_ends(title: &str) -> bool {
    crate::words_of(title).iter().any(|word| english().open_ends.has(word))
}

/// What stands before the ending of an ordinal: "20" of "20th".
fn ordinal_digits(word: &str) -> Option<&str> {
    english().ordinal_ends.words.split_whitespace().find_map(|end| word.strip_suffix(end))
}
