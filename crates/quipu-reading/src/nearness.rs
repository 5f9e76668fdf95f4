//! The similarity in meaning between a reading and the question's words, measured by a caller with
//! an embedder.

use std::collections::HashMap;

/// The similarity of a reading to the words of a question, and of the question to the words of the
/// reading, from 0 to 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Nearness {
    /// The reading's similarity to each word of the question, in lower case.
    pub asked: HashMap<String, f64>,
    /// The question's similarity to each word of the reading, in lower case.
    pub read: HashMap<String, f64>,
}

impl Nearness {
    /// The reading's similarity to a word in lower case; `None` if unknown.
    pub fn to(&self, word: &str) -> Option<f64> {
        self.asked.get(word).copied()
    }

    /// The question's similarity to a word of the reading in lower case; `None` if unknown.
    pub fn from(&self, word: &str) -> Option<f64> {
        self.read.get(word).copied()
    }
}
