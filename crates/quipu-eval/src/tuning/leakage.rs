//! Finds training questions that resemble the evaluation questions of the tuned model.

use std::collections::{BTreeSet, HashMap, HashSet};

use quipu_language::normalise;
use serde::{Deserialize, Serialize};

use crate::formats::QuestionFile;
use crate::manifest::DatasetFacts;
use crate::question::GoldQuestion;

/// Least share of common words that makes two questions near-duplicates.
const NEAR: f64 = 0.8;
/// Shortest name that counts. Shorter ones are codes and numbers.
const LEAST_NAME: usize = 3;

/// The overlap of a training question with an evaluation question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leak {
    /// The question, word for word.
    Question,
    /// At least 80 of a hundred words (Jaccard index over the sets of words).
    NearDuplicate,
    /// A topic entity, or an answer that is a name.
    Entity,
}

/// Excluded questions by their overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LeakCounts {
    /// Equal text.
    pub same_question: usize,
    /// Most of its words.
    pub near_duplicate: usize,
    /// An entity.
    pub entity: usize,
}

impl LeakCounts {
    pub(super) fn add(&mut self, leak: Leak) {
        match leak {
            Leak::Question => self.same_question += 1,
            Leak::NearDuplicate => self.near_duplicate += 1,
            Leak::Entity => self.entity += 1,
        }
    }

    /// The total.
    pub fn all(&self) -> usize {
        self.same_question + self.near_duplicate + self.entity
    }
}

/// The questions of evaluation files.
#[derive(Debug, Clone, Default)]
pub struct HeldOut {
    files: Vec<DatasetFacts>,
    questions: HashSet<String>,
    words: Vec<BTreeSet<String>>,
    /// The questions with each word.
    by_word: HashMap<String, Vec<usize>>,
    entities: HashSet<String>,
}

impl HeldOut {
    /// Builds the index of these files.
    pub fn of(files: &[QuestionFile]) -> Self {
        let mut held = Self { files: files.iter().map(DatasetFacts::of).collect(), ..Self::default() };
        for question in files.iter().flat_map(|file| &file.questions) {
            held.add(question);
        }
        held
    }

    fn add(&mut self, question: &GoldQuestion) {
        let text = normalise(&question.question);
        let words: BTreeSet<String> = text.split(' ').map(str::to_owned).collect();
        for word in &words {
            self.by_word.entry(word.clone()).or_default().push(self.words.len());
        }
        self.questions.insert(text);
        self.words.push(words);
        self.entities.extend(entities(question));
    }

    /// The files.
    pub fn files(&self) -> &[DatasetFacts] {
        &self.files
    }

    /// The overlap of a question with the evaluation questions, the strongest first.
    pub fn leak(&self, question: &GoldQuestion) -> Option<Leak> {
        let text = normalise(&question.question);
        if self.questions.contains(&text) {
            return Some(Leak::Question);
        }
        let words: BTreeSet<String> = text.split(' ').map(str::to_owned).collect();
        let near: HashSet<usize> =
            words.iter().filter_map(|word| self.by_word.get(word)).flatten().copied().collect();
        let near = near.into_iter().filter_map(|at| self.words.get(at));
        if near.into_iter().any(|other| jaccard(&words, other) >= NEAR) {
            return Some(Leak::NearDuplicate);
        }
        entities(question).any(|name| self.entities.contains(&name)).then_some(Leak::Entity)
    }
}

fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let shared = a.intersection(b).count();
    crate::metrics::share(shared, a.len() + b.len() - shared)
}

/// The names and keys of a question's topics and answers, without numbers and codes.
fn entities(question: &GoldQuestion) -> impl Iterator<Item = String> {
    let keys = question.topic_ids.iter().chain(&question.answer_ids).cloned();
    let names = question.topic_entities.iter().chain(&question.answers).map(|name| normalise(name));
    let is_name = |name: &String| {
        name.chars().filter(|c| c.is_alphabetic()).count() >= LEAST_NAME
            && !matches!(name.as_str(), "yes" | "no" | "true" | "false")
    };
    keys.chain(names).filter(is_name).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(text: &str, topic: &str, answer: &str) -> GoldQuestion {
        GoldQuestion {
            question: text.into(),
            topic_entities: vec![topic.into()],
            answers: vec![answer.into()],
            ..GoldQuestion::default()
        }
    }

    #[test]
    fn what_is_shared_is_told_the_plainest_first() {
        let mut held = HeldOut::default();
        held.add(&question("Which river flows through the town of Lindau?", "Lindau", "Orle"));
        held.add(&question("How many ships has Velm?", "Velm", "12"));
        let leak = |text, topic, answer| held.leak(&question(text, topic, answer));
        assert_eq!(leak("which river flows through the town of Lindau", "", "Po"), Some(Leak::Question));
        let near = leak("Which big river flows through the town of Lindau?", "", "Po");
        assert_eq!(near, Some(Leak::NearDuplicate));
        assert_eq!(leak("Who was born in Lindau?", "lindau", "Ada"), Some(Leak::Entity));
        assert_eq!(leak("Where does the Orle end?", "x", "Orle"), Some(Leak::Entity));
        // Numbers never count as entities.
        assert_eq!(leak("How many people live in Ostra?", "Ostra", "12"), None);
    }
}
