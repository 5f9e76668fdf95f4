//! How near a reading comes to the question's words by meaning, as whoever has an embedder measured it.

use std::collections::HashMap;

/// How near a reading comes to the words of a question, and the question to those of the reading, from 0 to 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Nearness {
    /// How near the reading comes to each word of the question, in lower case.
    pub asked: HashMap<String, f64>,
    /// How near the question comes to each word of the reading, in lower case.
    pub read: HashMap<String, f64>,
}

impl Nearness {
    /// How near the reading comes to a word in lower case; nothing where that is not known.
    pub fn to(&self, word: &str) -> Option<f64> {
        self.asked.get(word).copied()
    }

    /// How near the question comes to a word of the reading in lower case; nothing where that is not known.
    pub fn from(&self, word: &str) -> Option<f64> {
        self.read.get(word).copied()
    }
}
