//! What a question wants done with the values found, read off its words, for the methods that ask no model.
//!
//! English only; a question in another language is a list question here, and a model's choice where a model is asked.

use quipu_index::words;

use crate::calculate::Operation;
use crate::words::is_in;

const HIGHEST: &str = "most largest biggest highest greatest longest tallest latest newest maximum deepest heaviest richest widest \
youngest fastest hottest strongest top more larger bigger higher greater longer taller later newer deeper heavier richer wider \
younger faster hotter stronger";
const LOWEST: &str = "least smallest lowest fewest shortest earliest oldest minimum lightest poorest narrowest slowest coldest \
cheapest nearest closest first less smaller lower fewer shorter earlier older lighter poorer narrower slower colder cheaper nearer \
closer";
const UNITS_OF_DATES: &str = "date day month year decade century";
const COMPARATIVE_ENDINGS: [&str; 4] = ["er", "more", "less", "fewer"];

/// What is wanted, and how sure the words are about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// The operation; `None`: the values themselves.
    pub operation: Option<Operation>,
    /// The words compare things that they name: "larger than", "or".
    pub compares: bool,
    /// The words ask for yes or no, and compare nothing.
    pub checks: bool,
    /// The words ask for yes or no.
    pub confirms: bool,
    /// The words ask for a date: "when", "in which year".
    pub dates: bool,
}

/// Reads the operation off the question's words.
pub fn wanted(question: &str) -> Wanted {
    let words = words(question);
    let words: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
    let has = |word: &str| words.contains(&word);
    let pair = |first: &str, second: &str| words.windows(2).any(|w| w == [first, second]);
    let compares = has("than") || (has("or") && words.iter().any(|w| is_comparative(w)));
    let operation = if words.iter().any(|w| *w == "average" || *w == "mean") {
        Some(Operation::Average)
    } else if (0..words.len()).any(|at| is_summing(&words, at))
        || pair("in", "total")
        || has("sum")
        || pair("the", "total")
        || pair("total", "number")
    {
        Some(Operation::Sum)
    } else if has("difference") {
        Some(Operation::Difference)
    } else if let Some(extreme) = extreme(&words, compares) {
        Some(extreme)
    } else if pair("how", "many") || pair("number", "of") || words.first() == Some(&"count") {
        Some(Operation::Count)
    } else {
        None
    };
    const ASKING: [&str; 9] = ["is", "are", "was", "were", "does", "do", "did", "has", "have"];
    let confirms = !has("or") && words.first().is_some_and(|w| ASKING.contains(w));
    let checks = confirms && !compares;
    let asks_for = |w: &[&str]| matches!(w, ["what" | "which", unit] if is_in(UNITS_OF_DATES, unit));
    let dates = words.first() == Some(&"when") || words.windows(2).any(asks_for);
    Wanted { operation, compares, checks, confirms, dates }
}

/// Whether a word asks for an extreme: "largest", "less".
pub fn is_extreme(word: &str) -> bool {
    is_in(HIGHEST, word) || is_in(LOWEST, word)
}

/// Whether a word asks for nothing but a sum: "altogether", "the combined population", "how long are they combined". Of one thing
/// "altogether" sums nothing: that is for whoever knows what a question names.
pub fn is_summing(words: &[&str], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    match words.get(at) {
        Some(&"altogether") => true,
        Some(&"combined") => at + 1 == words.len() || before == Some(&"the"),
        _ => false,
    }
}

/// Whether a word asks for the greatest or the least of all: "largest", "most"; of "larger" and "first" the one compares and the other orders.
pub(crate) fn is_superlative(word: &str) -> bool {
    is_extreme(word) && !is_comparative(word) && !matches!(word, "first" | "top")
}

/// The first superlative or comparative. "first" and "top" alone, and comparatives without a comparison, say nothing.
fn extreme(words: &[&str], compares: bool) -> Option<Operation> {
    let at = words.iter().position(|w| is_extreme(w))?;
    let word = words.get(at)?;
    let at_most = at.checked_sub(1).and_then(|before| words.get(before)) == Some(&"at");
    if (is_comparative(word) && !compares) || at_most {
        return None;
    }
    Some(if is_in(HIGHEST, word) { Operation::Highest } else { Operation::Lowest })
}

fn is_comparative(word: &str) -> bool {
    is_extreme(word) && COMPARATIVE_ENDINGS.iter().any(|ending| word.ends_with(ending))
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
