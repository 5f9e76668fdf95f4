//! Orders: the end and the rank that a word asks for, and the values that are ordered.

use serde::Deserialize;

use super::{Language, listed, month};

/// Words that ask for one end of an order.
#[derive(Debug, Deserialize)]
pub(super) struct OrderRow {
    words: String,
    numbers: Option<End>,
    dates: Option<End>,
    years: Option<End>,
    ages: Option<End>,
    ranks: Option<End>,
    scores: Option<End>,
}

/// The kind of values in an order.
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
    /// Numbers that are ranks: the first is the best.
    Ranks,
    /// Numbers that are scores: the greatest is the best.
    Scores,
}

/// One end of an order, as the direction of an SQL sort that puts it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The least.
    Ascending,
    /// The greatest.
    Descending,
}

/// A rank that no order has: "-5th", "0th", "top 0", or one beyond any count.
pub fn impossible_place(question: &str) -> Option<&str> {
    /// More than any list holds.
    const MOST: u64 = 10_000_000;
    let words = Language::of(question).words();
    let is_possible = |digits: &str| digits.parse::<u64>().is_ok_and(|place| (1..=MOST).contains(&place));
    let mut before = "";
    for word in question.split_whitespace() {
        let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let digits = bare.trim_start_matches(['-', '−', '+']);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let (number, suffix) = digits.split_at(end);
        let is_order = words.ordinal_ends.has(&suffix.to_ascii_lowercase());
        let of_order = suffix.is_empty() && words.before_places.has(&before.to_ascii_lowercase());
        let negative = bare.starts_with(['-', '−']);
        if !number.is_empty() && (is_order || of_order) && (negative || !is_possible(number)) {
            return Some(bare);
        }
        before = word;
    }
    None
}

/// A question with its comparatives turned into superlatives: "longest" for "longer".
pub fn with_superlatives(question: &str) -> String {
    let words = crate::words_of(question);
    let language = Language::of_words(&words);
    let superlative = |word: String| language.superlative_of(&word).unwrap_or(word);
    words.into_iter().map(superlative).collect::<Vec<_>>().join(" ")
}

/// The rank that the ordinal at position `at` asks for, from 2: "second" within two words before
/// "largest".
pub fn place_asked_for(words: &[String], at: usize) -> Option<u64> {
    let language = Language::of_words(words);
    let word = words.get(at)?;
    if let Some((place, _)) =
        language.place_before(word).filter(|(_, rest)| language.means(rest, "superlative"))
    {
        return Some(place as u64);
    }
    let place = language.ordinal(word).filter(|place| *place > 1)?;
    let of_order = |word: &String| language.means(word, "superlative") || language.looks_superlative(word);
    words.iter().skip(at + 1).take(2).any(of_order).then_some(place as u64)
}

/// The rank in a list that the words ask for: "number one", "the second place", "the top song".
pub fn place_said(words: &[String]) -> Option<usize> {
    let language = Language::of_words(words);
    let ranks = &language.words().before_ranks;
    let behind = words.windows(2).find_map(|pair| match pair {
        [before, word] if ranks.has(before) => language.cardinal(word).filter(|place| *place > 0),
        [word, rank] if ranks.has(rank) => language.ordinal(word),
        _ => None,
    });
    let top = || {
        let alone = |pair: &[String]| matches!(pair, [word, next] if language.is_top(word) && language.cardinal(next).is_none());
        words.windows(2).any(alone).then_some(1)
    };
    behind.or_else(top)
}

/// The rank that an ordinal in digits asks for: "the 1000th", not "the 20th century" or "the 4th of
/// May".
pub fn asked_place(words: &[String], at: usize) -> Option<u64> {
    let language = Language::of_words(words);
    let place = language.ordinal_digits(words.get(at)?)?.parse::<u64>().ok()?;
    let is_date = |next: &String| {
        let words = language.words();
        words.sides.is_of(Some(next)) || month(next).is_some() || words.centuries.has(next)
    };
    let of_date = words.get(at + 1).is_some_and(is_date)
        || at
            .checked_sub(1)
            .and_then(|before| words.get(before))
            .is_some_and(|before| month(before).is_some());
    (!of_date).then_some(place)
}

/// Whether a title names ages, in any language.
pub fn are_ages(title: &str) -> bool {
    let words = crate::words_of(title);
    Language::all().any(|language| words.iter().any(|word| language.words().ages.has(word)))
}

/// Whether a title names ranks, in any language.
pub fn are_ranks(title: &str) -> bool {
    // "Ranking points" are amounts: only the last word counts.
    let words = crate::words_of(title);
    Language::all().any(|language| words.last().is_some_and(|word| language.words().ranks.has(word)))
}

/// Whether a title names scores of which the greatest is the best, in any language.
pub fn are_scores(title: &str) -> bool {
    let words = crate::words_of(title);
    Language::all().any(|language| {
        let lists = language.words();
        words.last().is_some_and(|word| lists.scores.has(word))
            && !words.iter().any(|word| lists.bad_scores.has(word))
    })
}

/// Whether a title names the number of pieces that a row stands for, in any language.
pub fn are_pieces(title: &str) -> bool {
    pieces_of(title).is_some()
}

/// The words before that for pieces, in such a title: "issue" of "issue count", none of "quantity
/// on hand".
pub fn pieces_of(title: &str) -> Option<Vec<String>> {
    let words = crate::words_of(title);
    Language::all().find_map(|language| {
        let pieces = &language.words().pieces;
        let behind = pieces.behind.iter().map(|phrase| crate::words_of(phrase));
        let rest = behind.into_iter().find_map(|phrase| words.strip_suffix(phrase.as_slice()));
        let (last, others) = rest.unwrap_or(&words).split_last()?;
        pieces.words.has(last).then(|| others.to_vec())
    })
}

/// Whether a title names values whose superlatives do not tell which end of the order they mean, in
/// any language.
pub fn has_open_ends(title: &str) -> bool {
    let words = crate::words_of(title);
    Language::all().any(|language| words.iter().any(|word| language.words().open_ends.has(word)))
}

impl Language {
    /// The end of an order that a word asks for; `None` if it asks for no end, or for either.
    pub fn end_asked_for(self, word: &str, of: Ordered) -> Option<End> {
        let rows = &self.words().orders;
        let row = self.forms(word).find_map(|form| rows.iter().find(|row| row.has(&form)))?;
        match of {
            Ordered::Numbers => row.numbers,
            Ordered::Dates => row.dates,
            Ordered::Years => row.years,
            Ordered::Ages => row.ages.or(row.numbers),
            Ordered::Ranks => row.ranks,
            Ordered::Scores => row.scores.or(row.numbers),
        }
    }

    /// Whether a word asks for the first or last in time alone: "latest", "oldest", "first".
    pub fn orders_times(self, word: &str) -> bool {
        let end = |of: Ordered| self.end_asked_for(word, of);
        let only = end(Ordered::Years).is_some() && end(Ordered::Numbers).is_none();
        only || self.ordinal(word) == Some(1)
    }

    /// Whether a word has a superlative's ending: "widest". Some nouns have it too, so a plan must
    /// account for such a word if it has no other meaning.
    pub fn looks_superlative(self, word: &str) -> bool {
        /// Excludes "west", "nest" and "test".
        const LEAST: usize = 6;
        let ending = &self.words().endings.superlative;
        let ends = !ending.is_empty() && word.len() >= LEAST && word.ends_with(ending);
        ends && self.meanings(word).is_empty() && !self.words().nouns.has(word)
    }

    /// Whether a word has a comparative's ending: "dearer".
    pub(super) fn looks_comparative(self, word: &str) -> bool {
        let ending = &self.words().endings.comparative;
        !ending.is_empty() && word.len() > 4 && word.ends_with(ending)
    }

    /// The superlative of a comparative, if the orders list it: "longest" of "longer".
    fn superlative_of(self, word: &str) -> Option<String> {
        let endings = &self.words().endings;
        let stem = word.strip_suffix(&endings.comparative).filter(|_| !endings.comparative.is_empty())?;
        let mut others = endings.superlative_of.iter().map(|ending| format!("{stem}{ending}"));
        others.find(|other| self.words().orders.iter().any(|row| row.has(other)))
    }

    /// The digits before the ending of an ordinal: "20" of "20th".
    pub(crate) fn ordinal_digits(self, word: &str) -> Option<&str> {
        self.words().ordinal_ends.words.split_whitespace().find_map(|end| word.strip_suffix(end))
    }
}

impl OrderRow {
    pub(super) fn words(&self) -> &str {
        &self.words
    }

    fn has(&self, word: &str) -> bool {
        listed(&self.words).any(|known| known == word)
    }
}
