//! The words of a language that stand for what was said before.

use serde::Deserialize;

use super::{Language, Words};

/// Words by which a message leans on what was said before it.
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
    written: Written,
}

/// How code writes a message anew in which names stand for words.
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
    /// How many words the longest opener takes that `words` begin with.
    pub(crate) fn opener(&self, words: &[&str]) -> Option<usize> {
        let begins = |phrase: &&String| begins(words, phrase);
        self.openers.iter().filter(begins).map(|phrase| phrase.split(' ').count()).max()
    }

    /// Whether `words` begin with a phrase whose "it" stands for nothing.
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

    /// Whether a word may say whose something is.
    pub(crate) fn is_owner(&self, word: &str) -> bool {
        self.owners.has(word)
    }

    /// Whether a word points at something, mostly with its noun: "that company".
    pub(crate) fn is_pointing(&self, word: &str) -> bool {
        self.pointing.has(word)
    }

    /// Whether a word that points may as well begin a clause.
    pub(crate) fn begins_clauses(&self, word: &str) -> bool {
        self.clauses.has(word)
    }

    /// Whether a noun behind a word that points is a time: "this year".
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

impl Language {
    /// Whether a word joins two questions or two things: "and".
    pub fn joins_two(self, word: &str) -> bool {
        self.words().follow_ups.joiners.has(word)
    }

    /// The text before a name that takes the place of "there": "in ".
    pub fn before_a_place(self) -> &'static str {
        &self.words().follow_ups.written.within
    }

    /// The text between a noun and the name of whose it is: " of ".
    pub fn between_noun_and_owner(self) -> &'static str {
        &self.words().follow_ups.written.of
    }

    /// The text behind a name that owns: "'s".
    pub fn behind_an_owner(self) -> &'static str {
        &self.words().follow_ups.written.possessive
    }

    /// The text before the name at a place of a list of so many: "A, B and C".
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
