//! The number or rank of the answers that a question asks for: "the second largest", "the three
//! longest", "name two".

use std::ops::Range;

use crate::normalise::{Word, words};

use crate::calculate::Places;
use crate::vocabulary::Language;

/// Larger numbers are no count of answers: "which 1990 film".
const MOST: usize = 50;
/// The same limit behind a superlative or "top": "the top 100".
const MOST_OF_ORDER: usize = 1000;

/// The ranks that a question asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    /// The ranks.
    pub places: Places,
    /// The byte range of the number or ordinal.
    pub span: Range<usize>,
}

/// Reads the quantity off the question's words.
pub fn quantity(question: &str) -> Option<Quantity> {
    let language = Language::of(question);
    let words = words(question);
    (0..words.len()).find_map(|at| {
        // The "3" of "3-star" is no count.
        let joined = question.get(words.get(at)?.end..).is_some_and(|rest| rest.starts_with('-'));
        let number = || number_at(&words, at, language).filter(|_| !joined);
        let places = place_at(&words, at, language).or_else(number)?;
        Some(Quantity { places, span: words.get(at)?.start..words.get(at)?.end })
    })
}

/// The words without counts and ordinals: "the second largest" becomes "the largest".
pub(crate) fn without_quantity(mut words: Vec<Word>, language: Language) -> Vec<Word> {
    let is_said = |at| place_at(&words, at, language).or_else(|| number_at(&words, at, language)).is_some();
    let said: Vec<bool> = (0..words.len()).map(is_said).collect();
    let mut said = said.into_iter();
    words.retain(|_| !said.next().unwrap_or_default());
    words
}

fn text(words: &[Word], at: usize) -> &str {
    words.get(at).map_or("", |word| word.text.as_str())
}

/// "second" in "the second largest".
fn place_at(words: &[Word], at: usize, language: Language) -> Option<Places> {
    let place = language.ordinal(text(words, at)).filter(|place| *place > 1)?;
    language.is_superlative(text(words, at + 1)).then_some(Places::At(place))
}

/// "three" in "the three largest", "the top three", "name three".
fn number_at(words: &[Word], at: usize, language: Language) -> Option<Places> {
    let list = language.quantities();
    let word = text(words, at);
    let number = language.cardinal(word).or_else(|| word.parse().ok()).filter(|number| *number > 0)?;
    let before = (0..at).rev().find(|at| !list.between.has(text(words, *at)));
    let said = before.map_or("", |before| text(words, before));
    let of_order = (number > 1 && language.is_superlative(text(words, at + 1))) || language.is_top(said);
    let next = text(words, at + 1);
    let thing = !next.is_empty() && !language.tells_no_step(next) && next.parse::<u64>().is_err();
    // "which one wrote"
    let which = language.asks_by_a_noun(said) && before == Some(0) && !list.one.has(word);
    let asked = language.is_imperative(said) || which || (before.is_none() && !list.one.has(word));
    let most = if of_order { MOST_OF_ORDER } else { MOST };
    let some = asked && (thing || (language.is_of(next) && number > 1));
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
        assert_eq!(
            left(without_quantity(words("the second largest of two"), Language::english())),
            "the largest of two"
        );
        assert_eq!(
            left(without_quantity(words("the three largest towns"), Language::english())),
            "the largest towns"
        );
    }
}
