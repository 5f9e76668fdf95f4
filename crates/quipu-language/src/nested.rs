//! Questions within questions: "the capital of the largest country that borders Chad" asks for the
//! largest country first, then for its capital.

use std::ops::Range;

use crate::normalise::{Word, words};

use crate::quantity::without_quantity;
use crate::vocabulary::{Language, NestedWords};

/// A question within a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nested {
    /// The bytes from "the largest country" to the end of the set that it is chosen from.
    pub span: Range<usize>,
    /// Where the superlative begins. The words before it in the span name no entity by themselves.
    pub extreme: usize,
}

/// The place where a question describes an entity by a superlative and asks something about it.
/// `None` if the question asks for the superlative itself.
pub fn nested(question: &str) -> Option<Nested> {
    let language = Language::of(question);
    let list = language.nested();
    let words = without_quantity(words(question), language);
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let belongs = |at: &usize| list.article.has(text(at - 1)) || words.get(at - 1).is_some_and(is_possessive);
    (1..words.len()).filter(|at| language.is_superlative(text(*at)) && belongs(at)).find_map(|at| {
        let first = first_of_thing(&words, at, language)?;
        let last = last_of_thing(&words, at, list)?;
        let mut outside = words.iter().take(first).chain(words.iter().skip(last + 1));
        let asked = outside.any(|word| language.tells(&word.text) && !list.empty.has(&word.text));
        let joined = words.iter().skip(last + 1).any(|word| list.joining.has(&word.text));
        let span = words.get(first)?.start..words.get(last)?.end;
        (asked && !joined).then_some(Nested { span, extreme: words.get(at)?.start })
    })
}

/// The first word of the phrase around the superlative, if the question asks something about its
/// entity.
fn first_of_thing(words: &[Word], extreme: usize, language: Language) -> Option<usize> {
    let list = language.nested();
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let article = extreme.checked_sub(1)?;
    let asked_where =
        list.whereabouts.has(text(0)) || list.before_a_thing.has(text(0)) || left_behind(words, list);
    if words.get(article).is_some_and(is_possessive) {
        return first_of_owner(words, article, asked_where, language);
    }
    let before = article.checked_sub(1)?;
    let first = if list.having.has(text(before)) {
        // "The country with the largest population" begins at its first article.
        let own = (0..before).rev().find(|at| !language.tells(text(*at)))?;
        (list.article.has(text(own)) && own + 1 < before).then_some(own)?
    } else {
        article
    };
    let before = first.checked_sub(1)?;
    let done_to = || {
        // "border the largest country", but not "won the most prizes".
        let counts = list.counting.has(text(extreme))
            && !(language.tells(text(extreme + 1)) && language.tells(text(extreme + 2)));
        before > 0 && language.tells(text(before)) && !language.is_superlative(text(before)) && !counts
    };
    let asked =
        list.before_a_thing.has(text(before)) || (asked_where && list.being.has(text(before))) || done_to();
    asked.then_some(first)
}

/// The first word of "South America" in "the capital of South America's largest country", if the
/// question asks something about that country.
fn first_of_owner(words: &[Word], owner: usize, asked_where: bool, language: Language) -> Option<usize> {
    let list = language.nested();
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let stop =
        (0..owner).rev().find(|at| !language.tells(text(*at)) || list.before_a_thing.has(text(*at)))?;
    // "of the Netherlands' largest city"
    let first = if list.article.has(text(stop)) { stop } else { stop + 1 };
    let before = text(first.checked_sub(1)?);
    (list.before_a_thing.has(before) || (asked_where && list.being.has(before))).then_some(first)
}

/// Whether a word ends in 's.
fn is_possessive(word: &Word) -> bool {
    word.stem_end < word.end
}

/// The last word of the phrase: it ends before a comma or with the question, and has at least one
/// word behind the superlative.
fn last_of_thing(words: &[Word], extreme: usize, list: &NestedWords) -> Option<usize> {
    let next = (extreme + 1..words.len()).find(|at| words.get(*at).is_some_and(|word| word.after_comma));
    let last = next.unwrap_or(words.len() - usize::from(left_behind(words, list))).checked_sub(1)?;
    (last > extreme).then_some(last)
}

/// Whether the question ends with its preposition: "what state is … in".
fn left_behind(words: &[Word], list: &NestedWords) -> bool {
    words.last().is_some_and(|word| list.before_a_thing.has(&word.text))
}

/// The words that name the set which a superlative chooses from, the surest first: those right
/// behind it ("the most populous country"), those before its property ("the country with the
/// largest population"), those behind "which" or "what".
pub fn chosen_from(question: &str) -> [Vec<String>; 3] {
    let language = Language::of(question);
    let list = language.nested();
    let words = without_quantity(words(question), language);
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let run = |from: usize| -> Vec<String> {
        let run = words.iter().skip(from).take_while(|word| language.tells(&word.text));
        run.map(|word| word.text.clone()).collect()
    };
    let Some(extreme) = (0..words.len()).find(|at| language.is_superlative(text(*at))) else {
        return Default::default();
    };
    let asking = (0..words.len()).find(|at| language.asks_by_a_noun(text(*at)));
    let having =
        extreme.checked_sub(2).filter(|at| list.article.has(text(at + 1)) && list.having.has(text(*at)));
    let owner = having
        .map(|having| (0..having).rev().take_while(|at| language.tells(text(*at))).last().unwrap_or(having));
    [run(extreme + 1), owner.map(run).unwrap_or_default(), asking.map(|at| run(at + 1)).unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, inner: Option<&str>) {
        assert_eq!(nested(question).and_then(|nested| question.get(nested.span)), inner, "{question}");
    }

    #[test]
    fn a_thing_named_by_an_extreme_is_asked_for_first() {
        check(
            "What is the capital of the most populous country that borders Chad?",
            Some("the most populous country that borders Chad"),
        );
        check("For the longest valley of Peru, who lives there?", Some("the longest valley of Peru"));
        check("In the oldest town of Peru, how many people live?", Some("the oldest town of Peru"));
        check("Which states border the largest state of Peru?", Some("the largest state of Peru"));
        check("In which state is the oldest town of Peru?", Some("the oldest town of Peru"));
        check("Where is the oldest town of Peru?", Some("the oldest town of Peru"));
        check("What state is the oldest town of Peru in?", Some("the oldest town of Peru"));
        check(
            "the mayor of the town with the largest area in Peru",
            Some("the town with the largest area in Peru"),
        );
        check("What is the capital of Africa's smallest country?", Some("Africa's smallest country"));
        check(
            "the languages of South America's most populous country",
            Some("South America's most populous country"),
        );
        check("the mayors of the three largest towns of Peru", Some("the three largest towns of Peru"));
        check("the mayor of the second largest town of Peru", Some("the second largest town of Peru"));
        check("Where is Peru's oldest town?", Some("Peru's oldest town"));
        check("Who is the mayor of the Netherlands' largest town?", Some("the Netherlands' largest town"));
    }

    #[test]
    fn an_extreme_that_is_itself_asked_for_is_not_nested() {
        check("What is the most populous country that borders Chad?", None);
        check("Which country that borders Chad has the largest population?", None);
        check("Which is the largest of the towns of Peru?", None);
        check("What is the name of the largest town of Peru?", None);
        check("the river with the greatest length in Peru", None);
        check("Who won the most prizes of Peru?", None);
        check("Which is the oldest town of Peru?", None);
        check("What is Africa's smallest country?", None);
        check("Which country is Africa's smallest?", None);
        check("What are Peru's neighbours and its largest town?", None);
        check("Is the Orle longer than the Berg?", None);
        check("Who wrote Emma?", None);
        check("the capital of the largest", None);
        check("Who rules the capital of the largest country of Africa, and since when?", None);
    }

    #[test]
    fn what_is_chosen_from_stands_behind_the_extreme_or_has_it_or_is_asked_for() {
        let check = |question: &str, expected: [&str; 3]| {
            assert_eq!(chosen_from(question).map(|words| words.join(" ")), expected, "{question}");
        };
        check("the most populous country that borders Chad", ["populous country", "", ""]);
        check("Which country has the largest population of all?", ["population", "country", "country"]);
        check("What is the town of Peru with the largest area?", ["area", "peru", ""]);
        check("the two largest towns with a mayor", ["towns", "", ""]);
        check("the town with the second largest area", ["area", "town", ""]);
        check("Which country is larger?", ["", "", ""]);
    }
}
