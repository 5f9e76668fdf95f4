//! Corrective feedback (HybGRAG §3.2, Table 4), and the experiences that a commentator learns from: pairs of an action and the
//! feedback that was right for it, kept in the workspace.

use std::path::Path;

use parking_lot::RwLock;
use serde::{Deserialize, Serialize};

use super::router::{Action, Router};
use crate::answer::AnswerError;
use crate::ledger::{Memory, MemoryFile};

/// Name of the file in the workspace.
pub const EXPERIENCES_FILE: &str = "experiences.toml";
const HEADER: &str = "# What was wrong with actions of the hybrid method, as the answers of training questions showed (quipu experience collect). The
# commentator learns from it.\n\n";

/// The kinds of feedback of Table 4; the first two are one row there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// An entity is not the one that is meant.
    IncorrectEntity,
    /// A relation is not the one that is meant.
    IncorrectRelation,
    /// There is one entity only, and there may be more.
    MissingEntity,
    /// No entity was found in the question.
    NoEntity,
    /// What the entities lead to has nothing in common.
    NoIntersection,
    /// It has something in common, but the answer is not there.
    IncorrectIntersection,
    /// The other module is needed.
    IncorrectModule,
}

impl ErrorKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::IncorrectEntity,
        Self::IncorrectRelation,
        Self::MissingEntity,
        Self::NoEntity,
        Self::NoIntersection,
        Self::IncorrectIntersection,
        Self::IncorrectModule,
    ];

    /// The kind in words, as feedback begins with it.
    pub fn name(self) -> &'static str {
        match self {
            Self::IncorrectEntity => "incorrect entity",
            Self::IncorrectRelation => "incorrect relation",
            Self::MissingEntity => "missing entity",
            Self::NoEntity => "no entity",
            Self::NoIntersection => "no intersection",
            Self::IncorrectIntersection => "incorrect intersection",
            Self::IncorrectModule => "incorrect retrieval module",
        }
    }
}

/// What the commentator says of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Feedback {
    pub(super) kind: ErrorKind,
    /// The entity or the relations that are wrong; empty for other kinds.
    pub(super) name: String,
    /// The requirements of the action that it speaks of.
    pub(super) requirements: Vec<usize>,
}

impl Feedback {
    /// As the commentator writes it and reads it in examples.
    pub(super) fn text(&self) -> String {
        if self.name.is_empty() {
            self.kind.name().into()
        } else {
            format!("{}: {}", self.kind.name(), self.name)
        }
    }

    /// All feedback that an action may be given.
    pub(super) fn options(action: &Action, router: &Router<'_>) -> Vec<Self> {
        let bare = |kind| Self { kind, name: String::new(), requirements: action.requirements.clone() };
        let chosen: Vec<_> =
            action.requirements.iter().filter_map(|at| router.requirements.get(*at)).collect();
        let named = |kind, name: &String| Self { name: name.clone(), ..bare(kind) };
        let mut options: Vec<Self> =
            chosen.iter().map(|r| named(ErrorKind::IncorrectEntity, &r.name)).collect();
        options.extend(chosen.iter().map(|r| named(ErrorKind::IncorrectRelation, &r.relations)));
        match chosen.len() {
            0 => options.push(bare(ErrorKind::NoEntity)),
            1 => options.push(bare(ErrorKind::MissingEntity)),
            _ if action.ends.is_empty() => options.push(bare(ErrorKind::NoIntersection)),
            _ => options.push(bare(ErrorKind::IncorrectIntersection)),
        }
        options.push(bare(ErrorKind::IncorrectModule));
        options.dedup();
        options
    }
}

/// The feedback that is right for an action, as the gold answers show; `None` where the action leads to them.
pub(super) fn by_gold(
    action: &Action,
    router: &Router<'_>,
    gold: &[quipu_graph::NodeId],
) -> Option<Feedback> {
    let bare = |kind| Feedback { kind, name: String::new(), requirements: action.requirements.clone() };
    if action.is_text() {
        let in_graph = router.requirements.iter().any(|r| r.ends.iter().any(|end| gold.contains(end)));
        return Some(bare(if in_graph { ErrorKind::NoEntity } else { ErrorKind::IncorrectModule }));
    }
    if gold.iter().any(|answer| action.ends.binary_search(answer).is_ok()) {
        return (action.requirements.len() == 1).then(|| bare(ErrorKind::MissingEntity));
    }
    let leads = |r: &crate::plan::Requirement| gold.iter().any(|answer| r.ends.binary_search(answer).is_ok());
    for requirement in action.requirements.iter().filter_map(|at| router.requirements.get(*at)) {
        if leads(requirement) {
            continue;
        }
        let otherwise = router.requirements.iter().any(|r| r.anchor == requirement.anchor && leads(r));
        let (kind, name) = match otherwise {
            true => (ErrorKind::IncorrectRelation, &requirement.relations),
            false => (ErrorKind::IncorrectEntity, &requirement.name),
        };
        let reachable = router.requirements.iter().any(leads);
        return Some(if reachable {
            Feedback { name: name.clone(), ..bare(kind) }
        } else {
            bare(ErrorKind::IncorrectModule)
        });
    }
    let empty = action.ends.is_empty();
    Some(bare(if empty { ErrorKind::NoIntersection } else { ErrorKind::IncorrectIntersection }))
}

/// An action and the feedback that was right for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Experience {
    /// The question.
    pub question: String,
    /// `text` or `hybrid`.
    pub module: String,
    /// The entities that the router chose.
    pub entities: Vec<String>,
    /// The relations, one path for each entity.
    pub relations: Vec<String>,
    /// What was wrong.
    pub kind: ErrorKind,
    /// The feedback in words.
    pub feedback: String,
}

impl Experience {
    pub(super) fn new(question: &str, action: &Action, router: &Router<'_>, feedback: &Feedback) -> Self {
        let chosen: Vec<_> =
            action.requirements.iter().filter_map(|at| router.requirements.get(*at)).collect();
        Self {
            question: question.into(),
            module: if action.is_text() { "text" } else { "hybrid" }.into(),
            entities: chosen.iter().map(|r| r.name.clone()).collect(),
            relations: chosen.iter().map(|r| r.relations.clone()).collect(),
            kind: feedback.kind,
            feedback: feedback.text(),
        }
    }
}

/// The experiences of a workspace.
#[derive(Debug, Default)]
pub struct Experiences {
    file: MemoryFile,
    held: RwLock<Vec<Experience>>,
}

#[derive(Default, Serialize, Deserialize)]
struct File {
    #[serde(default)]
    experience: Vec<Experience>,
}

impl Memory for Experiences {}

impl Experiences {
    /// Reads the experiences of the workspace at `folder`; none when there is no file yet.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when the file cannot be read or is not what it should be.
    pub fn open(folder: &Path) -> Result<Self, AnswerError> {
        let (file, held) = MemoryFile::open::<File>(folder, EXPERIENCES_FILE, HEADER)?;
        Ok(Self { file, held: RwLock::new(held.experience) })
    }

    /// All of them, in the order in which they were collected.
    pub fn all(&self) -> Vec<Experience> {
        self.held.read().clone()
    }

    /// At most `most`, the kinds in turn, so that no kind crowds out the others.
    pub fn balanced(&self, most: usize) -> Vec<Experience> {
        balanced(&self.held.read(), most)
    }

    /// Puts these in the place of those that there are, and writes the file.
    ///
    /// # Errors
    /// [`AnswerError::NotKept`] when the file cannot be written.
    pub fn replace(&self, experiences: Vec<Experience>) -> Result<(), AnswerError> {
        *self.held.write() = experiences;
        self.file.write(|| File { experience: self.held.read().clone() })
    }
}

/// At most `most` experiences, the kinds of error in turn, each kind in its order.
pub(crate) fn balanced(experiences: &[Experience], most: usize) -> Vec<Experience> {
    let of_kind = |kind| experiences.iter().filter(move |e: &&Experience| e.kind == kind);
    let longest = ErrorKind::ALL.into_iter().map(|kind| of_kind(kind).count()).max().unwrap_or(0);
    let rounds = (0..longest)
        .flat_map(|nth| ErrorKind::ALL.into_iter().filter_map(move |kind| of_kind(kind).nth(nth)));
    rounds.take(most).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experience(question: &str, kind: ErrorKind) -> Experience {
        Experience {
            question: question.into(),
            module: "hybrid".into(),
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
}
