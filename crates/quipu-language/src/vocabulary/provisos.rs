//! Words that only say which things are meant, or that the graph states their value: "counting only
//! those whose height is recorded". The rest of the question tells the condition itself.

use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Language, Words};

/// The words of a proviso.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ProvisoWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// "only"
    only: Words,
    /// "those", behind "only"
    those: Words,
    /// "counting", beside "only"
    takes: Words,
    /// They begin a clause about a value: "whose"
    openers: Words,
    /// They stand before `relative`: the "for" of "for which"
    before_relative: Words,
    /// "which"
    relative: Words,
    /// "know", behind `people`: "whose age we know"
    knowing: Words,
    /// "we"
    people: Words,
    /// Nouns for any value: "figure"
    figures: Words,
    /// "left", before `out`
    leaves: Words,
    /// "out"
    out: Words,
    /// "ignoring", before `blanks`
    ignoring: Words,
    /// Things without a value: "blanks"
    blanks: Words,
    /// "nothing", at the end: "skip those that have nothing"
    nothings: Words,
    /// The same behind a denial: "skip those that haven't any"
    any: Words,
    /// Behind a stated value they say more of it: "known for"
    going_on: Words,
    /// Before what is taken in as well: "including"
    including: Words,
    /// Behind it: "included", "too"
    included: Words,
}

impl Language {
    /// Whether a word before "of" says that something has run out: "out of stock".
    pub fn is_out(self, word: &str) -> bool {
        self.words().provisos.out.has(word)
    }

    /// Whether a word behind a noun begins a clause about it: "where" of "the country where it is".
    pub fn begins_a_relative(self, word: &str) -> bool {
        self.words().provisos.openers.has(word)
    }
}

/// The words that take in what could be left out: "discontinued models included", "including
/// retired ones", "the retired one too".
pub fn included_clause(words: &[String]) -> Option<Range<usize>> {
    /// Most words of what is taken in.
    const MOST: usize = 3;
    let language = Language::of_words(words);
    let of = &language.words().provisos;
    let is = |at: usize, list: &Words| words.get(at).is_some_and(|word| list.has(word));
    let behind = (0..words.len()).find(|at| is(*at, &of.including));
    let before = || (1..words.len()).find(|at| is(*at, &of.included));
    match behind {
        Some(at) => Some(at..(at + 1 + MOST).min(words.len())),
        None => before().map(|at| at.saturating_sub(MOST)..at + 1),
    }
}

/// The clause that says that a value is stated: "whose height is known". `None` if it is denied.
pub fn stated_clause(words: &[String]) -> Option<Range<usize>> {
    /// Most words from the clause's beginning to its end.
    const MOST: usize = 7;
    let language = Language::of_words(words);
    let of = &language.words().provisos;
    let is = |at: Option<usize>, list: &Words| at.and_then(|at| words.get(at)).is_some_and(|w| list.has(w));
    let begins = |at: &usize| {
        let is_relative = is(Some(*at), &of.relative) && is(at.checked_sub(1), &of.before_relative);
        *at > 0 && (is(Some(*at), &of.openers) || is_relative)
    };
    (0..words.len()).filter(begins).find_map(|start| {
        let ends = |at: &usize| {
            let word = words.get(*at);
            let be = words.get(*at - 1).is_some_and(|word| language.is_be(word));
            let is_stated = be && word.is_some_and(|word| language.is_stated(word));
            is_stated || (is(Some(*at), &of.knowing) && is(Some(*at - 1), &of.people))
        };
        let end = (start + 2..words.len().min(start + MOST)).find(ends)?;
        let denies = |word: &String| language.means(word, "negation");
        let is_denied = words.get(start..end).is_some_and(|clause| clause.iter().any(denies));
        (!is_denied && !is(Some(end + 1), &of.going_on)).then_some(start..end + 1)
    })
}

/// Whether a word rules out what stands before or behind it, together with the word before it:
/// "out" of "cancelled orders left out".
pub(super) fn leaves_out(language: Language, words: &[String], at: usize) -> bool {
    let of = &language.words().provisos;
    let is = |at: usize, list: &Words| words.get(at).is_some_and(|word| list.has(word));
    at > 0 && is(at, &of.out) && is(at - 1, &of.leaves)
}

/// Whether a word rules out what stands behind it: "other" of "a supplier other than Acme".
pub(super) fn rules_out(language: Language, words: &[String], at: usize) -> bool {
    let [Some(word), Some(next)] = [words.get(at), words.get(at + 1)] else { return false };
    language.speaks_of_others(word) && language.is_than(next)
}

/// The words that leave out what has no value, which no calculation takes in: "leave out blanks",
/// "blanks left out", "skip the ones whose home we don't know", "ignore any without a figure".
fn without_blanks(language: Language, words: &[String]) -> Option<Range<usize>> {
    /// Most words from "skip" to what is unknown.
    const MOST: usize = 10;
    /// Most words from "haven't" to "any".
    const MOST_DENIED: usize = 4;
    let of = &language.words().provisos;
    let is = |at: usize, list: &Words| words.get(at).is_some_and(|word| list.has(word));
    let denied = |at: usize| {
        let before = words.get(at.saturating_sub(2)..at).unwrap_or_default();
        before.iter().any(|word| language.means(word, "negation"))
            || (at.saturating_sub(2)..at).any(|at| is_contracted_denial(language, words, at))
    };
    // The first word behind which nothing is known.
    let is_blank = |at: &usize| {
        let is_unknown = is(*at, &of.knowing) || words.get(*at).is_some_and(|word| language.is_stated(word));
        is(*at, &of.blanks) || ((is_unknown || is(*at, &of.figures)) && denied(*at))
    };
    let ignores = |at: &usize| is(*at, &of.ignoring) || leaves_out(language, words, at + 1);
    // "Orders per shop, skip shops without any": no group is empty.
    let groups = |start: usize| {
        let before = words.get(..start).unwrap_or_default();
        before.iter().any(|word| language.means(word, "group"))
    };
    let is_none_at_the_end = |at: usize| {
        let denies = |at: usize| {
            words.get(at).is_some_and(|word| language.means(word, "negation"))
                || is_contracted_denial(language, words, at)
        };
        let is_denied = is(at, &of.any) && (at.saturating_sub(MOST_DENIED)..at).any(denies);
        at + 1 == words.len() && (is(at, &of.nothings) || is_denied)
    };
    let from = |start: usize| {
        let is_end = |at: &usize| is_blank(at) || (is_none_at_the_end(*at) && groups(start));
        let end = (start + 1..words.len().min(start + MOST)).find(is_end)?;
        Some(start..end + 1)
    };
    let said_first = || {
        let blank = (0..words.len()).find(|at| is(*at, &of.blanks) && leaves_out(language, words, at + 2))?;
        Some(blank..blank + 3)
    };
    (0..words.len()).filter(ignores).find_map(from).or_else(said_first)
}

/// Whether a word and the next are a contracted denial, which is two words here: "don't".
fn is_contracted_denial(language: Language, words: &[String], at: usize) -> bool {
    let (Some(word), Some(next)) = (words.get(at), words.get(at + 1)) else { return false };
    language.means(&format!("{word}'{next}"), "negation")
}

/// Whether a word belongs to a proviso and asks for nothing by itself: "only" and "those" of "only
/// those who", "recorded" of "whose height is recorded".
pub fn is_proviso(words: &[String], at: usize) -> bool {
    proviso_in(Language::of_words(words), words, at)
}

/// The same, in the question's language.
pub(super) fn proviso_in(language: Language, words: &[String], at: usize) -> bool {
    let of = &language.words().provisos;
    let is = |at: Option<usize>, list: &Words| at.and_then(|at| words.get(at)).is_some_and(|w| list.has(w));
    let is_only = |at: Option<usize>| {
        let Some(only) = at.filter(|at| is(Some(*at), &of.only)) else { return false };
        let behind = words.get(only + 1).filter(|word| language.is_article(word)).map_or(1, |_| 2);
        is(only.checked_sub(1), &of.takes)
            || is(Some(only + 1), &of.takes)
            || is(Some(only + behind), &of.those)
    };
    let takes = is(Some(at), &of.takes) && (is_only(at.checked_sub(1)) || is_only(Some(at + 1)));
    let is_stated = |word: &String| {
        language.is_stated(word) || of.knowing.has(word) || of.people.has(word) || of.figures.has(word)
    };
    if without_blanks(language, words).is_some_and(|clause| clause.contains(&at)) {
        return true;
    }
    let in_clause = || stated_clause(words).is_some_and(|clause| clause.contains(&at));
    is_only(Some(at)) || takes || (words.get(at).is_some_and(is_stated) && in_clause())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_says_that_a_value_is_stated() {
        let check = |question: &str, expected: &str| {
            let words = crate::words_of(question);
            let clause = stated_clause(&words).and_then(|clause| words.get(clause)).unwrap_or_default();
            assert_eq!(clause.join(" "), expected, "{question}");
        };
        check("the mean age of those whose age is known", "whose age is known");
        check("The tallest of the peaks for which the height is recorded?", "which the height is recorded");
        check("which singers whose date of birth we know", "whose date of birth we know");
        check("the peaks whose height is not known", "");
        check("which towns are known for cheese", "");
        check("painters whose works are known for their colours", "");
    }

    #[test]
    fn other_than_rules_out_what_follows() {
        let check = |question: &str, expected: bool| {
            let words = crate::words_of(question);
            let denies =
                |at| crate::meanings_at(&words, at).iter().any(|meaning| meaning.means == "negation");
            assert_eq!((0..words.len()).any(denies), expected, "{question}");
        };
        check("Which parts have a supplier other than Acme?", true);
        check("Welche Teile stammen von anderen als Acme?", true);
        check("Which parts are stocked unless they are broken?", true);
        check("Which other parts does Acme supply?", false);
        check("Which parts cost more than the others?", false);
    }

    #[test]
    fn only_those_says_no_more_than_those() {
        let check = |question: &str, expected: &[&str]| {
            let words = crate::words_of(question);
            let found: Vec<&String> = (0..words.len())
                .filter(|at| is_proviso(&words, *at))
                .filter_map(|at| words.get(at))
                .collect();
            assert_eq!(found, expected, "{question}");
        };
        check("the mean pay of clerks, only those who have not left", &["only"]);
        check("Looking only at stays that were completed, in which towns", &["looking", "only"]);
        check("the mean, counting only the ones whose age is known", &["counting", "only", "known"]);
        check(
            "how much did they earn? just count those where the figure is known",
            &["just", "count", "figure", "known"],
        );
        check("the mean pain score, leave out blanks", &["leave", "out", "blanks"]);
        check("the mean score ignoring blanks", &["ignoring", "blanks"]);
        check("the mean staff, ignore any without a figure", &["ignore", "any", "without", "a", "figure"]);
        check(
            "people by city (skip the ones whose home we don't know)",
            &["skip", "the", "ones", "whose", "home", "we", "don", "t", "know"],
        );
        check(
            "Order count per shop, skip shops that haven't taken any",
            &["skip", "shops", "that", "haven", "t", "taken", "any"],
        );
        check(
            "How many parts from each supplier? Leave out any that deliver nothing.",
            &["leave", "out", "any", "that", "deliver", "nothing"],
        );
        check("which shops did they skip that haven't taken any", &[]);
        check("which clubs did he skip without a reason", &[]);
        check("the top three, cancelled orders left out", &[]);
        check("which films have only one actor", &[]);
        check("who has only directed comedies", &[]);
    }
}
