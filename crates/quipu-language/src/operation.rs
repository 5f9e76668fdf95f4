//! The operation that a question asks for, read off its words, for the methods that ask no model.
//!
//! If no word list matches, the question counts as a list question here; methods with a model let
//! the model choose.

use crate::normalise::words;

use crate::calculate::Operation;
use crate::vocabulary::{Language, Words};

/// The operation that a question asks for, and how sure its words are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The operation; `None`: the values themselves are the answer.
    pub operation: Option<Operation>,
    /// The words compare two named entities: "larger than", "or".
    pub compares: bool,
    /// The words ask for yes or no without a comparison.
    pub checks: bool,
    /// The words ask for yes or no.
    pub confirms: bool,
    /// The words ask for a date: "when", "in which year".
    pub dates: bool,
}

/// Reads the operation off the question's words.
pub fn wanted(question: &str) -> Wanted {
    let language = Language::of(question);
    let list = language.operations();
    let words = words(question);
    let words: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
    let any = |of: &Words| words.iter().any(|word| of.has(word));
    let holds = |phrases: &[String]| {
        let said = |phrase: &String| {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            words.windows(phrase.len()).any(|window| window == phrase)
        };
        phrases.iter().any(said)
    };
    let or = words.iter().any(|word| language.offers_a_choice(word));
    let compares = words.iter().any(|word| language.is_than(word))
        || (or && words.iter().any(|word| language.is_comparative(word)));
    let operation = if any(&list.average) {
        Some(Operation::Average)
    } else if (0..words.len()).any(|at| language.is_summing(&words, at)) || holds(&list.sums) {
        Some(Operation::Sum)
    } else if any(&list.difference) {
        Some(Operation::Difference)
    } else if let Some(extreme) = language.extreme(&words, compares) {
        Some(extreme)
    } else if holds(&list.counts) || words.first().is_some_and(|word| list.counting.has(word)) {
        Some(Operation::Count)
    } else {
        None
    };
    let confirms = !or && words.first().is_some_and(|word| list.asking.has(word));
    let checks = confirms && !compares;
    let asks_for = |pair: &[&str]| matches!(pair, [asks, unit] if language.asks_by_a_noun(asks) && list.units_of_dates.has(unit));
    let dates = words.first().is_some_and(|word| list.times.has(word)) || words.windows(2).any(asks_for);
    Wanted { operation, compares, checks, confirms, dates }
}

/// Whether a question asks how often something is: "how often", "how many times".
pub fn asks_how_often(question: &str) -> bool {
    let words: Vec<String> = words(question).into_iter().map(|word| word.text).collect();
    let said = format!(" {} ", words.join(" "));
    let often = &Language::of(question).operations().often;
    often.iter().any(|phrase| said.contains(&format!(" {phrase} ")))
}

impl Language {
    /// Whether a word asks for an extreme: "largest", "less".
    pub fn is_extreme(self, word: &str) -> bool {
        self.operations().highest.has(word) || self.operations().lowest.has(word)
    }

    /// Whether a word is a unit of a date: "year" of "in which year".
    pub fn is_unit_of_dates(self, word: &str) -> bool {
        self.operations().units_of_dates.has(word)
    }

    /// Whether a word is the year of "in which year".
    pub fn is_year(self, word: &str) -> bool {
        self.operations().year.has(word)
    }

    /// Whether a word asks for a time: "when".
    pub fn asks_when(self, word: &str) -> bool {
        self.operations().times.has(word)
    }

    /// Whether a word takes all things in one number: "altogether".
    pub fn takes_all_in_one(self, word: &str) -> bool {
        self.operations().altogether.has(word)
    }

    /// Whether a question takes all things in one number: "altogether", "in total".
    pub fn adds_up_all(self, words: &[String]) -> bool {
        let said = format!(" {} ", words.join(" "));
        let says = |phrase: &String| said.contains(&format!(" {phrase} "));
        words.iter().any(|word| self.takes_all_in_one(word)) || self.operations().whole.iter().any(says)
    }

    /// Whether a word behind a question for several things' numbers asks for their sum: "how many
    /// did A and B collect together".
    pub fn adds_both(self, word: &str) -> bool {
        let list = self.operations();
        list.altogether.has(word) || list.combined.has(word) || list.together.has(word)
    }

    /// Whether a word asks only for a sum: "altogether", "the combined population", "how long are
    /// they combined". With a single entity "altogether" sums nothing; callers that know the
    /// question's entities check that.
    pub fn is_summing(self, words: &[&str], at: usize) -> bool {
        let list = self.operations();
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        words.get(at).is_some_and(|word| {
            let joined = at + 1 == words.len() || before.is_some_and(|before| list.article.has(before));
            list.altogether.has(word) || (list.combined.has(word) && joined)
        })
    }

    /// Whether a phrase that asks for a count ends with the word at `at`: "number of", "how many".
    pub fn counts_up_to(self, words: &[String], at: usize) -> bool {
        self.operations().counts.iter().any(|phrase| {
            let mut phrase = phrase.rsplit(' ');
            let mut said = words.iter().take(at + 1).rev();
            phrase.all(|word| said.next().is_some_and(|said| said == word))
        })
    }

    /// Whether a word is a superlative: "largest", "most". "Larger" is a comparative, and "first"
    /// only orders.
    pub(crate) fn is_superlative(self, word: &str) -> bool {
        self.is_extreme(word) && !self.is_comparative(word) && !self.operations().orders.has(word)
    }

    /// The operation of the first superlative or comparative. It ignores "first" and "top" alone,
    /// and a comparative without a comparison.
    fn extreme(self, words: &[&str], compares: bool) -> Option<Operation> {
        let at = words.iter().position(|word| self.is_extreme(word))?;
        let word = words.get(at)?;
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        let at_most = before.is_some_and(|before| self.operations().before_bound.has(before));
        if (self.is_comparative(word) && !compares) || at_most {
            return None;
        }
        Some(if self.operations().highest.has(word) { Operation::Highest } else { Operation::Lowest })
    }

    fn is_comparative(self, word: &str) -> bool {
        self.is_extreme(word) && self.operations().comparative.any(|ending| word.ends_with(ending))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, operation: Option<Operation>, compares: bool) {
        let wanted = wanted(question);
        assert_eq!((wanted.operation, wanted.compares), (operation, compares), "{question}");
    }

    #[test]
    fn operations_are_read_off_words() {
        check("who wrote Emma?", None, false);
        check("how many books did she write", Some(Operation::Count), false);
        check("which of her books is the longest", Some(Operation::Highest), false);
        check("Who is the oldest of them?", Some(Operation::Lowest), false);
        check("is the Orle longer than the Berg?", Some(Operation::Highest), true);
        check("which is older, Emma or Dune", Some(Operation::Lowest), true);
        check("the average length of her books", Some(Operation::Average), false);
        check("how many pages do her books have in total", Some(Operation::Sum), false);
        check("the combined length of Emma and Dune", Some(Operation::Sum), false);
        check("how many pages do Emma and Dune have combined", Some(Operation::Sum), false);
        check("who won the Nordic combined at Lahti", None, false);
    }

    #[test]
    fn dates_are_asked_for_by_when_and_by_units() {
        assert!(wanted("when was Lima founded?").dates);
        assert!(wanted("in which year was Lima founded?").dates);
        assert!(!wanted("who lived there when Lima was founded?").dates);
    }

    #[test]
    fn yes_or_no_is_asked_for_by_the_first_word() {
        assert!(wanted("is Lima the capital of Peru?").checks);
        assert!(!wanted("is Lima or Quito the capital of Peru?").checks);
        assert!(!wanted("what is the capital of Peru?").checks);
    }

    #[test]
    fn a_comparative_without_comparison_is_none() {
        check("who is the elder brother of Ada", None, false);
        check("which river is by the higher school", None, false);
    }
}
