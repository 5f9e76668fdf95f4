//! The examples that HybGRAG's prompts take from training questions (§3.2, App. C): actions with
//! the right feedback, extracted entities and relations, judged documents. They are kept in the
//! workspace, where people may correct them.

use std::path::Path;

use parking_lot::RwLock;
use quipu_stages::answer::{AnswerError, cell};
use quipu_stages::ledger::{Memory, MemoryFile};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::feedback::{ErrorKind, Feedback};
use super::taken::Taken;

/// Name of the file in the workspace.
pub const EXPERIENCES_FILE: &str = "experiences.toml";
const HEADER: &str = "# What the answers of training questions showed (quipu experience collect): what was wrong with actions of the hybrid
# method, what was to be extracted, which documents were right. The prompts of the hybrid method show it.\n\n";

/// An action with its right feedback.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Experience {
    /// The question.
    pub question: String,
    /// `text` or `hybrid`; `graph` if no entity has a document.
    pub module: String,
    /// The entities that the router chose.
    pub entities: Vec<String>,
    /// The relations that it chose.
    pub relations: Vec<String>,
    /// The router's reading of the question, if no entity has a document: type, dynamism, domain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reading: Vec<String>,
    /// The kind of error.
    pub kind: ErrorKind,
    /// The feedback in words.
    pub feedback: String,
}

impl Experience {
    pub(super) fn new(question: &str, taken: &Taken, feedback: &Feedback) -> Self {
        Self {
            question: question.into(),
            module: taken.module().into(),
            entities: taken.entities(),
            relations: taken.relations.clone(),
            reading: Vec::new(),
            kind: feedback.kind,
            feedback: feedback.text(),
        }
    }
}

/// A training question with the entities and relations that lead to its answer: an example for the
/// router.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extracted {
    /// The question.
    pub question: String,
    /// Its topic entities, as the question writes them.
    pub entities: Vec<String>,
    /// The kind of each.
    pub categories: Vec<String>,
    /// The relations that lead from them to the answer; none if only text does.
    pub relations: Vec<String>,
    /// The question's field, if no entity has a document and the source has fields.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub field: String,
}

/// Training examples of one field that the router sees if no entity has a document (HybGRAG
/// App. C.2).
pub(super) const OF_FIELD: usize = 5;

impl Extracted {
    /// The example as the router's prompt shows it: question and reply.
    pub(super) fn shown(&self) -> Value {
        let named = self.entities.iter().zip(&self.categories);
        let entities: Vec<Value> =
            named.map(|(name, category)| json!({ "name": name, "category": category })).collect();
        let reply = json!({ "entities": entities, "relations": self.relations });
        json!({ "question": cell(&self.question), "reply": reply.to_string() })
    }
}

/// A document found for a training question, and whether it answers the question: an example for
/// the validator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// The question.
    pub question: String,
    /// The kind of the document's entity.
    pub category: String,
    /// The document as the validator reads it.
    pub document: String,
    /// The paths that lead to it.
    pub paths: Vec<String>,
    /// Whether it answers the question.
    pub right: bool,
}

/// All examples from training questions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Learnt {
    #[serde(default)]
    pub(crate) experience: Vec<Experience>,
    #[serde(default)]
    pub(super) extracted: Vec<Extracted>,
    #[serde(default)]
    pub(crate) judged: Vec<Judged>,
}

impl Learnt {
    pub(crate) fn add(&mut self, other: Self) {
        self.experience.extend(other.experience);
        self.extracted.extend(other.extracted);
        self.judged.extend(other.judged);
    }

    /// Limits the examples: at most `most` experiences, the kinds of error in turn; `examples`
    /// extractions, or [`OF_FIELD`] of them for each field; and for each kind of entity `each`
    /// judged documents, half of them right at most and half of them wrong.
    pub(crate) fn bounded(mut self, most: usize, examples: usize, each: usize) -> Self {
        self.experience = balanced(&self.experience, most);
        let mut extracted: Vec<Extracted> = Vec::new();
        for one in self.extracted {
            let most = if one.field.is_empty() { examples } else { examples.min(OF_FIELD) };
            if extracted.iter().filter(|known| known.field == one.field).count() < most {
                extracted.push(one);
            }
        }
        self.extracted = extracted;
        let mut kept: Vec<Judged> = Vec::new();
        for judged in self.judged {
            let alike = kept.iter().filter(|known| known.category == judged.category);
            let (all, same) = alike.fold((0, 0), |(all, same), known| {
                (all + 1, same + usize::from(known.right == judged.right))
            });
            if all < each && same < each.div_ceil(2) {
                kept.push(judged);
            }
        }
        Self { judged: kept, ..self }
    }
}

/// The experiences of a workspace.
#[derive(Debug, Default)]
pub struct Experiences {
    file: MemoryFile,
    held: RwLock<Learnt>,
}

impl Memory for Experiences {}

impl Experiences {
    /// Reads the experiences of the workspace at `folder`; none when there is no file yet.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when the file cannot be read or is malformed.
    pub fn open(folder: &Path) -> Result<Self, AnswerError> {
        let (file, held) = MemoryFile::open::<Learnt>(folder, EXPERIENCES_FILE, HEADER)?;
        Ok(Self { file, held: RwLock::new(held) })
    }

    /// All experiences, in the order of collection.
    pub fn all(&self) -> Vec<Experience> {
        self.held.read().experience.clone()
    }

    /// At most `most` experiences, the kinds of error in turn, so that no kind crowds out the
    /// others.
    pub fn balanced(&self, most: usize) -> Vec<Experience> {
        balanced(&self.held.read().experience, most)
    }

    /// At most `most` questions of a field with their extractions; a source without fields has the
    /// field "".
    pub fn extracted(&self, field: &str, most: usize) -> Vec<Extracted> {
        let held = self.held.read();
        held.extracted.iter().filter(|one| one.field == field).take(most).cloned().collect()
    }

    /// The judged documents, at most `each` for one kind of entity.
    pub fn judged(&self, each: usize) -> Vec<Judged> {
        let held = self.held.read();
        Learnt { judged: held.judged.clone(), ..Learnt::default() }.bounded(0, 0, each).judged
    }

    /// Replaces the experiences and writes the file; the other examples stay.
    ///
    /// # Errors
    /// [`AnswerError::NotKept`] when the file cannot be written.
    pub fn replace(&self, experiences: Vec<Experience>) -> Result<(), AnswerError> {
        self.held.write().experience = experiences;
        self.write()
    }

    /// Replaces all examples and writes the file.
    ///
    /// # Errors
    /// [`AnswerError::NotKept`] when the file cannot be written.
    pub(crate) fn relearn(&self, learnt: Learnt) -> Result<(), AnswerError> {
        *self.held.write() = learnt;
        self.write()
    }

    fn write(&self) -> Result<(), AnswerError> {
        self.file.write(|| self.held.read().clone())
    }
}

/// At most `most` experiences, the kinds of error in turn, each kind in its order.
fn balanced(experiences: &[Experience], most: usize) -> Vec<Experience> {
    let of_kind = |kind| experiences.iter().filter(move |e: &&Experience| e.kind == kind);
    let longest = ErrorKind::ALL.into_iter().map(|kind| of_kind(kind).count()).max().unwrap_or(0);
    let rounds = (0..longest)
        .flat_map(|nth| ErrorKind::ALL.into_iter().filter_map(move |kind| of_kind(kind).nth(nth)));
    rounds.take(most).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::methods::hybrid::ErrorKind;

    fn experience(question: &str, kind: ErrorKind) -> Experience {
        Experience {
            question: question.into(),
            module: "hybrid".into(),
            reading: Vec::new(),
            entities: vec!["kite".into()],
            relations: vec!["← kind".into()],
            kind,
            feedback: kind.name().into(),
        }
    }

    #[test]
    fn kinds_take_turns_and_the_file_keeps_them() {
        let folder = tempfile::tempdir().unwrap();
        let experiences = Experiences::open(folder.path()).unwrap();
        let many = (0..9).map(|number| experience(&number.to_string(), ErrorKind::IncorrectEntity));
        let few = [experience("a", ErrorKind::NoEntity), experience("b", ErrorKind::IncorrectModule)];
        experiences.replace(many.chain(few).collect()).unwrap();
        let again = Experiences::open(folder.path()).unwrap();
        assert_eq!(again.all().len(), 11);
        let questions: Vec<String> = again.balanced(5).into_iter().map(|e| e.question).collect();
        assert_eq!(questions, ["0", "a", "b", "1", "2"]);
        assert!(Experiences::open(folder.path()).unwrap().balanced(0).is_empty());
    }

    #[test]
    fn of_each_kind_right_and_wrong_documents_are_kept() {
        let judged = |category: &str, right: bool, question: &str| Judged {
            question: question.into(),
            category: category.into(),
            document: String::new(),
            paths: Vec::new(),
            right,
        };
        let all = vec![
            judged("novel", true, "a"),
            judged("novel", true, "b"),
            judged("novel", false, "c"),
            judged("moon", false, "d"),
            judged("novel", false, "e"),
        ];
        let kept = Learnt { judged: all, ..Learnt::default() }.bounded(0, 0, 2).judged;
        let questions: Vec<&str> = kept.iter().map(|judged| judged.question.as_str()).collect();
        assert_eq!(questions, ["a", "c", "d"]);
    }
}
