//! What a question asks for, by its first words.

use std::collections::HashSet;

use super::{english, is_question_word, is_unit, meanings, offers_a_choice};

/// Whether a question asks which of two comes before the other by some adjective: "what's dearer, A or B". The adjective stands behind a
/// form of "be".
pub fn asks_for_the_better(words: &[String]) -> bool {
    let is_be = |word: &String| word == "s" || english().be.has(word);
    let compares =
        |pair: &[String]| matches!(pair, [be, word] if is_be(be) && word.len() > 4 && word.ends_with("er"));
    words.iter().any(|word| offers_a_choice(word)) && words.windows(2).any(compares)
}

/// Whether a question begins by asking for somebody who acts.
pub fn asks_for_an_agent(question: &str) -> bool {
    without_request(question).first().is_some_and(|word| english().agents.has(word))
}

/// The words of a question behind what politely asks for it: "could you tell me which …" asks which.
pub fn without_request(question: &str) -> Vec<String> {
    let mut words = crate::words_of(question);
    let phrases: Vec<Vec<String>> =
        english().requests.phrases.iter().map(|phrase| crate::words_of(phrase)).collect();
    while let Some(phrase) =
        phrases.iter().find(|phrase| words.starts_with(phrase) && words.len() > phrase.len())
    {
        words.drain(..phrase.len());
    }
    words
}

/// Whether a text begins as questions do: by a question word, or by a verb of one for yes or no.
pub fn begins_a_question(text: &str) -> bool {
    let words = without_request(text);
    // "In which year".
    let asking = |word: &String| is_question_word(word);
    let first = words.iter().find(|word| {
        !meanings(word).iter().any(|meaning| meaning.means == "function") || asking(word) || is_verb(word)
    });
    first.is_some_and(|word| asking(word) || is_verb(word))
}

/// Whether a word begins a question for yes or no.
fn is_verb(word: &str) -> bool {
    meanings(word).iter().any(|meaning| meaning.means == "yes_or_no")
}

/// Whether a question asks a second one: "which is the oldest, and how old is it".
pub fn asks_twice(question: &str) -> bool {
    let words = crate::words_of(question);
    words.windows(2).any(|pair| matches!(pair, [and, word] if and == "and" && is_question_word(word)))
}

/// Whether a question begins by asking for two things of something: "the name and the rating of". `named` are the places of words in names.
pub fn asks_for_two(words: &[String], named: &HashSet<usize>) -> bool {
    /// The question's beginning, in words.
    const BEGINNING: usize = 6;
    let joins = |at: &usize| {
        words.get(*at).is_some_and(|word| word == "and")
            && !named.contains(&(at - 1))
            && !named.contains(&(at + 1))
    };
    (1..BEGINNING).filter(joins).any(|at| words.iter().skip(at + 1).take(3).any(|word| word == "of"))
}

/// Whether the question asks for an amount of some unit: "how many years".
pub fn asks_for_units(question: &str) -> bool {
    let words = crate::words_of(question);
    let behind_how =
        words.iter().position(|word| word == "how").map(|at| words.get(at + 2..).unwrap_or_default());
    // "How many more minutes".
    behind_how.is_some_and(|words| words.iter().take(2).any(|word| is_unit(word)))
}

/// Whether a question that a word begins may be answered by yes or no: "did".
pub fn begins_yes_or_no(word: &str) -> bool {
    meanings(word).iter().any(|meaning| meaning.means == "yes_or_no")
}

/// Whether a question is answered by yes or no.
pub fn asks_yes_or_no(question: &str) -> bool {
    asks_for(question) == Some("yes_or_no")
}

/// What a question's first telling word asks for: `yes_or_no`, `count`, `amount`, `date`, `person`.
pub fn asks_for(question: &str) -> Option<&'static str> {
    let words = without_request(question);
    let means = |word: &String, of: &str| meanings(word).iter().any(|meaning| meaning.means == of);
    if words.first().is_some_and(|word| means(word, "yes_or_no")) {
        // "Does A or B have more": one of them.
        let number =
            |word: Option<&String>| word.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        // "More than 20" is no comparison of the two.
        let with_bound =
            words.iter().enumerate().any(|(at, word)| word == "than" && number(words.get(at + 1)));
        let chooses = words.iter().any(|word| offers_a_choice(word))
            && words.iter().any(|word| means(word, "comparison"))
            && !with_bound;
        return if chooses { None } else { Some("yes_or_no") };
    }
    let how = words.iter().position(|word| word == "how");
    let behind_how = how.and_then(|at| words.get(at + 1));
    if let Some(of) =
        ["count", "amount"].into_iter().find(|of| behind_how.is_some_and(|word| means(word, of)))
    {
        return Some(of);
    }
    let first = words.first()?;
    ["date", "person"].into_iter().find(|of| means(first, of))
}
