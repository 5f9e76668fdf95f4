//! References from a message to earlier messages: "and the second one?", "where was she born?",
//! "thanks". Only the message's own words are read.

use std::ops::Range;

use crate::normalise::{Word, words};

use crate::vocabulary::{FollowUpWords, Language};

/// The referent of a word in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Referent {
    /// One thing: "it", "that one", "that company".
    One,
    /// One person: "she".
    Person,
    /// Several things: "them", "these products".
    Several,
    /// One of several by its place, from 1: "the second one".
    Place(usize),
    /// The last of several.
    Last,
    /// A place: "who lives there".
    Somewhere,
}

/// Words of a message that refer to something said before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referring {
    /// Their byte range.
    pub span: Range<usize>,
    /// Their referent.
    pub to: Referent,
    /// Whether they are possessive: "its", "her book".
    pub possessive: bool,
    /// The noun in the reference, in lower case: the "company" of "that company". A word like
    /// "that" may also begin a clause; with such a word, the reference holds only if an earlier
    /// entity is called by this noun.
    pub noun: Option<String>,
    /// Whether the words certainly refer to something: "this company" does, "that company" may not.
    pub surely: bool,
    /// Whether the words may be an expletive, like the "it" of "how long does it take". They are
    /// one if the message names an entity.
    pub maybe_empty: bool,
}

impl Referring {
    /// A reference without noun or possessive.
    pub fn plain(to: Referent, span: Range<usize>) -> Self {
        Self { span, to, possessive: false, noun: None, surely: true, maybe_empty: false }
    }
}

/// How a message refers to earlier messages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FollowUp {
    /// Byte offset behind opening words like "and" and "what about"; 0 without such words.
    pub from: usize,
    /// References to earlier messages, in their order.
    pub refers: Vec<Referring>,
}

impl FollowUp {
    /// Whether the message opens as a continuation of an earlier one.
    pub fn goes_on(&self) -> bool {
        self.from > 0
    }
}

/// Reads how a message refers to earlier messages.
pub fn follow_up(message: &str) -> FollowUp {
    let words = words(message);
    // Only its opening shows the language of "Und Chile?".
    let mut language = Language::of(message);
    if opening(&words, language.follow_ups()) == 0 {
        let opens = |language: &Language| opening(&words, language.follow_ups()) > 0;
        language = Language::all().find(opens).unwrap_or(language);
    }
    let list = language.follow_ups();
    let opening = opening(&words, list);
    let from = words.get(opening).filter(|_| opening > 0).map_or(0, |word| word.start);
    let mut refers: Vec<Referring> = Vec::new();
    for at in opening..words.len() {
        let Some(found) = referring(&words, at, language) else { continue };
        if refers.last().is_none_or(|last| last.span.end <= found.span.start) {
            refers.push(found);
        }
    }
    FollowUp { from, refers }
}

/// Whether a message asks nothing: "thanks", "ok, great".
pub fn asks_nothing(message: &str) -> bool {
    let words = words(message);
    let is_courtesy =
        |language: Language| words.iter().all(|word| language.follow_ups().is_courtesy(&word.text));
    !words.is_empty() && Language::all().any(is_courtesy)
}

/// Number of opening words that only mark a continuation.
fn opening(words: &[Word], list: &FollowUpWords) -> usize {
    let mut at = 0;
    while let Some(length) = list.opener(&texts(words.get(at..).unwrap_or_default())) {
        if at + length >= words.len() {
            break;
        }
        at += length;
    }
    at
}

fn texts(words: &[Word]) -> Vec<&str> {
    words.iter().map(|word| word.text.as_str()).collect()
}

fn referring(words: &[Word], at: usize, language: Language) -> Option<Referring> {
    let list = language.follow_ups();
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let (word, next) = (words.get(at)?, text(at + 1));
    let until = |last: usize| word.start..words.get(last).map_or(word.stem_end, |word| word.stem_end);
    let before = |back: usize| at.checked_sub(back).map_or("", text);
    // "The second one", "the last".
    if language.is_article(&word.text) {
        let place = match next {
            _ if list.is_first(next) => Referent::Place(1),
            _ if list.is_last(next) => Referent::Last,
            _ => Referent::Place(language.ordinal_word(next)?),
        };
        let one = list.is_one(text(at + 2));
        let ends = at + 2 >= words.len();
        return (one || ends).then(|| Referring::plain(place, until(if one { at + 2 } else { at + 1 })));
    }
    if list.is_owner(&word.text) {
        // "Her" is possessive if a noun follows: not in "who taught her" or "who gave her the
        // prize".
        let owns = !next.is_empty() && !language.joins(next);
        let to = match list.is_person(&word.text) {
            true => Referent::Person,
            false if list.is_several(&word.text) => Referent::Several,
            false => Referent::One,
        };
        return Some(Referring { possessive: owns, ..Referring::plain(to, until(at)) });
    }
    let to = match &word.text {
        text if list.is_pointing(text) => return pointing(words, at, language),
        text if list.is_it(text) => Referent::One,
        text if list.is_person(text) => Referent::Person,
        text if list.is_several(text) => Referent::Several,
        // "There" in "are there rivers" refers to no place.
        text if list.is_there(text) && !language.is_be(before(1)) && !language.is_be(next) => {
            Referent::Somewhere
        }
        _ => return None,
    };
    let maybe_empty = list.expletives(&texts(words.get(at.saturating_sub(1)..).unwrap_or_default()));
    Some(Referring { maybe_empty, ..Referring::plain(to, until(at)) })
}

/// A demonstrative, alone or with a noun: "that one", "these products", "is that dear".
fn pointing(words: &[Word], at: usize, language: Language) -> Option<Referring> {
    let list = language.follow_ups();
    let text = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let (word, next) = (words.get(at)?, text(at + 1));
    let to = if list.is_several(&word.text) { Referent::Several } else { Referent::One };
    let by_itself = |span| Referring::plain(to.clone(), span);
    if list.is_one(next) {
        return Some(by_itself(word.start..words.get(at + 1)?.stem_end));
    }
    let behind_be = at.checked_sub(1).is_some_and(|before| language.is_be(text(before)));
    if next.is_empty()
        || (behind_be && !next.is_empty() && at == 1)
        || to == Referent::Several && language.joins(next)
    {
        return Some(by_itself(word.start..word.stem_end));
    }
    // No reference: "the films that are long", "this year".
    if language.joins(next) || list.is_time(next) {
        return None;
    }
    let span = word.start..words.get(at + 1)?.stem_end;
    let surely = !list.begins_clauses(&word.text);
    Some(Referring { noun: Some(next.to_owned()), surely, ..Referring::plain(to, span) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, rest: &str, expected: &[(&str, Referent, bool)]) {
        let found = follow_up(message);
        assert_eq!(message.get(found.from..), Some(rest), "{message}");
        let refers: Vec<(&str, Referent, bool)> = found
            .refers
            .iter()
            .map(|one| (message.get(one.span.clone()).unwrap(), one.to.clone(), one.possessive))
            .collect();
        assert_eq!(refers, expected, "{message}");
    }

    #[test]
    fn words_that_stand_for_what_was_said() {
        check("where was she born?", "where was she born?", &[("she", Referent::Person, false)]);
        check("and its price?", "its price?", &[("its", Referent::One, true)]);
        check("who taught her?", "who taught her?", &[("her", Referent::Person, false)]);
        check("what are her books?", "what are her books?", &[("her", Referent::Person, true)]);
        check(
            "which of them is cheaper?",
            "which of them is cheaper?",
            &[("them", Referent::Several, false)],
        );
        check(
            "how old is the second one?",
            "how old is the second one?",
            &[("the second one", Referent::Place(2), false)],
        );
        check(
            "the second one's price",
            "the second one's price",
            &[("the second one", Referent::Place(2), false)],
        );
        check("and the last?", "the last?", &[("the last", Referent::Last, false)]);
        check(
            "who founded that company?",
            "who founded that company?",
            &[("that company", Referent::One, false)],
        );
        check("who made that one?", "who made that one?", &[("that one", Referent::One, false)]);
        check("is that in stock?", "is that in stock?", &[("that", Referent::One, false)]);
        check("who lives there?", "who lives there?", &[("there", Referent::Somewhere, false)]);
    }

    #[test]
    fn what_stands_alone_leans_on_nothing() {
        check("Which films are there?", "Which films are there?", &[]);
        check("films that are long", "films that are long", &[]);
        check("What about the Heron Sander?", "the Heron Sander?", &[]);
        check("and in 2019?", "in 2019?", &[]);
        check("What films came out this year?", "What films came out this year?", &[]);
        check("What is the second largest city?", "What is the second largest city?", &[]);
    }

    #[test]
    fn some_words_may_stand_for_nothing() {
        let found = follow_up("How long does it take to play Orbit?");
        assert!(found.refers.iter().all(|one| one.maybe_empty) && found.refers.len() == 1);
        let found = follow_up("which films that company made?");
        assert!(found.refers.iter().all(|one| !one.surely && one.noun.as_deref() == Some("company")));
    }

    #[test]
    fn german_messages_lean_too() {
        check("Und Chile?", "Chile?", &[]);
        check("Wo liegt sie?", "Wo liegt sie?", &[("sie", Referent::One, false)]);
        check("Was ist ihre Hauptstadt?", "Was ist ihre Hauptstadt?", &[("ihre", Referent::One, true)]);
        assert!(asks_nothing("Danke schön!"));
        // "The 20th" is a day here, not a rank in a list.
        check("How many were sold on the 20th?", "How many were sold on the 20th?", &[]);
    }

    #[test]
    fn thanks_ask_nothing() {
        for message in ["thanks", "Thank you!", "ok, great", "Thanks a lot."] {
            assert!(asks_nothing(message), "{message}");
        }
        for message in ["", "thanks, and the price?", "who is great?"] {
            assert!(!asks_nothing(message), "{message}");
        }
    }
}
