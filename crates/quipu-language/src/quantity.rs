//! Which or how many a question asks for: "the second largest", "the three longest", "name two". English only.

use std::ops::Range;

use quipu_index::{Word, words};

use crate::asked::is_function_word;
use crate::calculate::Places;
use crate::numerals::{cardinal, ordinal};
use crate::operation::is_superlative;
use crate::words::is_in;

/// Words behind which a number says how many are asked for; "which" and "what" do at the beginning.
const ASKING: &str = "name list give tell show find mention";
/// Words that may stand between the two.
const BETWEEN: &str = "me us any some at least up to exactly just only";
/// More than so many are no number of things to be named: "which 1990 film".
const MOST: usize = 50;
/// … and of an order: "the top 100".
const MOST_OF_ORDER: usize = 1000;

/// How many or which of an order a question asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// Which of them.
    pub places: Places,
    /// Where the word stands, in bytes.
    pub span: Range<usize>,
}

/// Reads it off the question's words.
pub fn quantity(question: &str) -> Option<Quantity> {
    let words = words(question);
    (0..words.len()).find_map(|at| {
        // "3-star": no number of things.
        let joined = question.get(words.get(at)?.end..).is_some_and(|rest| rest.starts_with('-'));
        let number = || number_at(&words, at).filter(|_| !joined);
        let places = place_at(&words, at).or_else(number)?;
        Some(Quantity { places, span: words.get(at)?.start..words.get(at)?.end })
    })
}

/// The words without those that only say how many or which of an order are meant: "the second largest" reads as "the largest".
pub(crate) fn without_quantity(mut words: Vec<Word>) -> Vec<Word> {
    let said: Vec<bool> =
        (0..words.len()).map(|at| place_at(&words, at).or_else(|| number_at(&words, at)).is_some()).collect();
    let mut said = said.into_iter();
    words.retain(|_| !said.next().unwrap_or_default());
    words
}

fn text(words: &[Word], at: usize) -> &str {
    words.get(at).map_or("", |word| word.text.as_str())
}

/// "second" in "the second largest".
fn place_at(words: &[Word], at: usize) -> Option<Places> {
    let place = ordinal(text(words, at)).filter(|place| *place > 1)?;
    is_superlative(text(words, at + 1)).then_some(Places::At(place))
}

/// "three" in "the three largest", "the top three", "name three".
fn number_at(words: &[Word], at: usize) -> Option<Places> {
    let word = text(words, at);
    let number = cardinal(word).or_else(|| word.parse().ok()).filter(|number| *number > 0)?;
    let before = (0..at).rev().find(|at| !is_in(BETWEEN, text(words, *at)));
    let said = before.map_or("", |before| text(words, before));
    let of_order = (number > 1 && is_superlative(text(words, at + 1))) || said == "top";
    let next = text(words, at + 1);
    let thing = !next.is_empty() && !is_function_word(next) && next.parse::<u64>().is_err();
    // "which one wrote"
    let which = matches!(said, "which" | "what") && before == Some(0) && word != "one";
    let asked = is_in(ASKING, said) || which || (before.is_none() && word != "one");
    let most = if of_order { MOST_OF_ORDER } else { MOST };
    let some = asked && (thing || (next == "of" && number > 1));
    ((of_order || some) && number <= most).then_some(Places::UpTo(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, expected: Option<(Places, &str)>) {
        let found = quantity(question);
        let found = found.map(|quantity| (quantity.places, question.get(quantity.span).unwrap()));
        assert_eq!(found, expected, "{question}");
    }

    #[test]
    fn places_of_an_order() {
        check("What's the second largest town of Peru?", Some((Places::At(2), "second")));
        check("the 3rd most populous town", Some((Places::At(3), "3rd")));
        check("Who was the second wife of Ada?", None);
        check("Which is the first largest?", None);
    }

    #[test]
    fn numbers_of_things() {
        check("the three longest rivers of Peru", Some((Places::UpTo(3), "three")));
        check("What are the top 5 towns by population?", Some((Places::UpTo(5), "5")));
        check("Name three towns in Peru.", Some((Places::UpTo(3), "three")));
        check("Give me at least two towns of Peru", Some((Places::UpTo(2), "two")));
        check("Name one river of Peru.", Some((Places::UpTo(1), "one")));
        check("Which two countries border both?", Some((Places::UpTo(2), "two")));
        check("Which two of them border both?", Some((Places::UpTo(2), "two")));
        check("Give me one river of Peru.", Some((Places::UpTo(1), "one")));
        check("What are the top 100 towns?", Some((Places::UpTo(100), "100")));
        check("List the films in which three sisters appear", None);
        check("Find 3-star inns in Lima", None);
        check("Which one wrote Emma?", None);
        check("Which 1990 film has she directed?", None);
        check("Which towns have more than three rivers?", None);
        check("Who wrote the two towers?", None);
    }

    #[test]
    fn what_is_left_reads_as_if_there_were_no_quantity() {
        let left = |words: Vec<Word>| words.into_iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
        assert_eq!(left(without_quantity(words("the second largest of two"))), "the largest of two");
        assert_eq!(left(without_quantity(words("the three largest towns"))), "the largest towns");
    }
}
