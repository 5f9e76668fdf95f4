//! The words of a language that refer to earlier messages.

use serde::Deserialize;

use super::{Language, Words};

/// Words that refer to earlier messages.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FollowUpWords {
    openers: Vec<String>,
    it: Words,
    person: Words,
    several: Words,
    owners: Words,
    pointing: Words,
    clauses: Words,
    times: Words,
    one: Words,
    there: Words,
    first: Words,
    last: Words,
    expletives: Vec<String>,
    courtesies: Words,
    joiners: Words,
    /// They ask for a second property: "together with the studio"
    adding: Vec<String>,
    written: Written,
}

/// Templates for rewriting a message with names in the place of references.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Written {
    within: String,
    of: String,
    between: String,
    last: String,
    possessive: String,
}

impl FollowUpWords {
    /// The number of words of the longest opener that `words` begin with.
    pub(crate) fn opener(&self, words: &[&str]) -> Option<usize> {
        let begins = |phrase: &&String| begins(words, phrase);
        self.openers.iter().filter(begins).map(|phrase| phrase.split(' ').count()).max()
    }

    /// Whether `words` begin with a phrase whose "it" is an expletive.
    pub(crate) fn expletives(&self, words: &[&str]) -> bool {
        self.expletives.iter().any(|phrase| begins(words, phrase))
    }

    pub(crate) fn is_it(&self, word: &str) -> bool {
        self.it.has(word)
    }

    pub(crate) fn is_person(&self, word: &str) -> bool {
        self.person.has(word)
    }

    pub(crate) fn is_several(&self, word: &str) -> bool {
        self.several.has(word)
    }

    /// Whether a word may be a possessive.
    pub(crate) fn is_owner(&self, word: &str) -> bool {
        self.owners.has(word)
    }

    /// Whether a word is a demonstrative, mostly with a noun: "that company".
    pub(crate) fn is_pointing(&self, word: &str) -> bool {
        self.pointing.has(word)
    }

    /// Whether a demonstrative may also begin a clause.
    pub(crate) fn begins_clauses(&self, word: &str) -> bool {
        self.clauses.has(word)
    }

    /// Whether a noun behind a demonstrative names a time: "this year".
    pub(crate) fn is_time(&self, word: &str) -> bool {
        self.times.has(word)
    }

    pub(crate) fn is_one(&self, word: &str) -> bool {
        self.one.has(word)
    }

    pub(crate) fn is_there(&self, word: &str) -> bool {
        self.there.has(word)
    }

    pub(crate) fn is_first(&self, word: &str) -> bool {
        self.first.has(word)
    }

    pub(crate) fn is_last(&self, word: &str) -> bool {
        self.last.has(word)
    }

    pub(crate) fn is_courtesy(&self, word: &str) -> bool {
        self.courtesies.has(word)
    }
}

/// Whether a question asks for a second property with a phrase: "together with the studio".
pub(super) fn adds_a_property(words: &[String]) -> bool {
    let said = words.join(" ");
    let language = Language::of_words(words);
    // "Who worked together with the founder" asks for one.
    if super::asks_for_an_agent(&said) {
        return false;
    }
    let article = |rest: &str| {
        let next = rest.split_whitespace().next();
        next.is_some_and(|word| language.is_any_article(word) || language.words().follow_ups.is_owner(word))
    };
    let adding = &language.words().follow_ups.adding;
    adding.iter().any(|phrase| said.split_once(&format!(" {phrase} ")).is_some_and(|(_, rest)| article(rest)))
}

impl Language {
    /// Whether a word may stand for what follows: "it" in "is it safe to swim".
    pub fn is_expletive(self, word: &str) -> bool {
        self.words().follow_ups.is_it(word)
    }

    /// Whether a word joins two questions or two entities: "and".
    pub fn joins_two(self, word: &str) -> bool {
        self.words().follow_ups.joiners.has(word)
    }

    /// Whether a word may begin a clause: "shelves that you can borrow".
    pub fn begins_a_clause(self, word: &str) -> bool {
        self.words().follow_ups.begins_clauses(word)
    }

    /// The text before a name that replaces "there": "in ".
    pub fn before_a_place(self) -> &'static str {
        &self.words().follow_ups.written.within
    }

    /// The text between a noun and its owner's name: " of ".
    pub fn between_noun_and_owner(self) -> &'static str {
        &self.words().follow_ups.written.of
    }

    /// The text behind a possessive name: "'s".
    pub fn behind_an_owner(self) -> &'static str {
        &self.words().follow_ups.written.possessive
    }

    /// The text before the name at position `at` of a list of `of` names: "A, B and C".
    pub fn before_name_of_list(self, at: usize, of: usize) -> &'static str {
        let written = &self.words().follow_ups.written;
        match at {
            0 => "",
            _ if at + 1 == of => &written.last,
            _ => &written.between,
        }
    }

    pub(crate) fn follow_ups(self) -> &'static FollowUpWords {
        &self.words().follow_ups
    }
}

fn begins(words: &[&str], phrase: &str) -> bool {
    phrase.split(' ').enumerate().all(|(at, word)| words.get(at) == Some(&word))
}
