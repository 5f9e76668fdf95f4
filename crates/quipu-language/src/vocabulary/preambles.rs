//! Sentences before a question that ask nothing: "Hello, I am new here. Who runs the lab?"

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::asks::{CLAUSE_ENDS, begins_a_question, begins_with_a_request};
use super::{Language, Words};
use crate::words_of;

/// The words of sentences that ask nothing.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PreambleWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// "hello"
    greetings: Words,
    /// "I": the sentence speaks of the asker
    askers: Words,
    /// They join the question to the sentence before it: "so"
    between: Words,
    /// They refer to the sentence before if a verb follows: "which"
    pronouns: Words,
    /// They refer to the sentence before: "it"
    backwards: Words,
}

/// The sentences before a question that greet or speak of the asker, and the question. `None` if
/// there are none, if they hold a name, a number or a word for groups, or if the question may refer
/// back: "I like the Aurora. Who built it?" Whether a word of theirs is one of the graph is for the
/// graph to say: "I am allergic to peanuts, so which cakes can I eat?"
pub fn preamble(text: &str) -> Option<(&str, &str)> {
    let language = Language::of(text);
    let of = &language.words().preambles;
    let behind = |at: usize, mark: &str| {
        let rest = text.get(at + mark.len()..)?.trim_start();
        let (first, behind) = rest.split_once(' ').unwrap_or((rest, ""));
        let rest = if of.between.has(&first.to_lowercase()) { behind.trim_start() } else { rest };
        Some((text.get(..at)?, rest))
    };
    let mut breaks: Vec<(usize, &str)> =
        CLAUSE_ENDS.iter().flat_map(|mark| text.match_indices(mark)).collect();
    breaks.sort_unstable();
    let mut parts = breaks.into_iter().filter_map(|(at, mark)| behind(at, mark));
    parts.find(|(said, rest)| {
        asks_nothing(said, of, language)
            && (begins_a_question(rest) || begins_with_a_request(rest))
            && !refers_back(rest, of, language)
    })
}

/// Whether a question may refer to the sentence before it.
fn refers_back(question: &str, of: &PreambleWords, language: Language) -> bool {
    let words = words_of(question);
    let is_verb = |word: &String| language.is_be(word) || language.stands_before_a_subject(word);
    let is_alone = |pair: &[String]| matches!(pair, [which, verb] if of.pronouns.has(which) && is_verb(verb));
    words.iter().any(|word| of.backwards.has(word)) || words.windows(2).any(is_alone)
}

/// Whether a text greets or speaks of the asker, asks nothing, and holds neither name nor number.
fn asks_nothing(text: &str, of: &PreambleWords, language: Language) -> bool {
    let words = words_of(text);
    let greets = words.iter().all(|word| of.greetings.has(word));
    let is_of_asker = words.iter().skip_while(|word| of.greetings.has(word)).take(1);
    let is_of_asker = is_of_asker.into_iter().all(|word| of.askers.has(word));
    let asks = text.contains('?') || begins_a_question(text) || begins_with_a_request(text);
    if greets && !words.is_empty() {
        return true;
    }
    let counts = |word: &String| language.cardinal(word).is_some() || language.means(word, "group");
    // The first word of a sentence has a capital in any case.
    let is_first = |at: usize, written: &[&str]| {
        at == 0 || written.get(at - 1).is_some_and(|before| before.ends_with(['.', '!', ',']))
    };
    let written: Vec<&str> = text.split_whitespace().collect();
    let is_name = |(at, word): (usize, &&str)| {
        let has_capital = word.starts_with(char::is_uppercase) && !is_first(at, &written);
        let own = words_of(word).first().is_some_and(|word| of.askers.has(word));
        word.contains(|c: char| c.is_ascii_digit()) || (has_capital && !own)
    };
    !words.is_empty()
        && is_of_asker
        && !asks
        && !words.iter().any(counts)
        && !language.nouns_have_capitals()
        && !written.iter().enumerate().any(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greetings_and_words_of_the_asker_ask_nothing() {
        let check = |text, asked| assert_eq!(preamble(text).map(|(_, rest)| rest), Some(asked), "{text}");
        check("Hello, who runs the lab?", "who runs the lab?");
        check(
            "Hello, I'm putting together a talk on polar history. Could you please tell me who paid for \
             the Arden Expedition of 1991?",
            "Could you please tell me who paid for the Arden Expedition of 1991?",
        );
        check("I'm new here, so which town is the Mill in?", "which town is the Mill in?");
        check("Good Morning! Which ships sank?", "Which ships sank?");
        check("Hallo, wer leitet das Labor?", "wer leitet das Labor?");
    }

    #[test]
    fn what_the_question_needs_stays() {
        for text in [
            "I like the Aurora. Who built it?",
            "I am at the Mill. Which town is nearest?",
            "We have 30 guests. Which halls seat them all?",
            "I sell pumps. Which are the cheapest?",
            "I work in sales. Who is the manager there?",
            "I need to know, for each department, how many people work for us",
            "We have thirty guests. Which halls seat them all?",
            "In Peru, which rivers are longest?",
            "Who built the Aurora, and when was the ship sold?",
            "Of the ships, which one sank?",
            "I want to know who runs the lab",
        ] {
            assert_eq!(preamble(text), None, "{text}");
        }
    }
}
