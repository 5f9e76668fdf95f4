//! Corrective feedback (HybGRAG §3.2): the kinds of error of Table 4, and of Table 12 for entities
//! without documents.

use quipu_graph::NodeId;
use quipu_stages::plan::Requirement;
use serde::{Deserialize, Serialize};

use super::taken::Taken;

/// The kinds of feedback: those of Table 4, with its first row split in two, then those of Table
/// 12.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The question means another entity.
    IncorrectEntity,
    /// The question means another relation.
    IncorrectRelation,
    /// The action has only one entity, and there may be more.
    MissingEntity,
    /// No entity was found in the question.
    NoEntity,
    /// The paths from the entities have no common end.
    NoIntersection,
    /// The paths have common ends, but the answer is not among them.
    IncorrectIntersection,
    /// The other module is needed.
    IncorrectModule,
    /// The question's type was misread: it takes more or fewer steps.
    IncorrectQuestionType,
    /// The question's dynamism was misread: its answer changes faster or more slowly.
    IncorrectDynamism,
    /// The question belongs to another field.
    IncorrectDomain,
    /// The question means other entities or relations.
    IncorrectEntityAndRelation,
}

impl ErrorKind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::IncorrectEntity,
        Self::IncorrectRelation,
        Self::MissingEntity,
        Self::NoEntity,
        Self::NoIntersection,
        Self::IncorrectIntersection,
        Self::IncorrectModule,
        Self::IncorrectQuestionType,
        Self::IncorrectDynamism,
        Self::IncorrectDomain,
        Self::IncorrectEntityAndRelation,
    ];

    /// The kind in words; feedback begins with it.
    pub fn name(self) -> &'static str {
        match self {
            Self::IncorrectEntity => "incorrect entity",
            Self::IncorrectRelation => "incorrect relation",
            Self::MissingEntity => "missing entity",
            Self::NoEntity => "no entity",
            Self::NoIntersection => "no intersection",
            Self::IncorrectIntersection => "incorrect intersection",
            Self::IncorrectModule => "incorrect retrieval module",
            Self::IncorrectQuestionType => "incorrect question type",
            Self::IncorrectDynamism => "incorrect question dynamism",
            Self::IncorrectDomain => "incorrect question domain",
            Self::IncorrectEntityAndRelation => "incorrect entity and relation",
        }
    }
}

/// The commentator's verdict on an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Feedback {
    pub(super) kind: ErrorKind,
    /// The entity or the relations that are wrong; empty for other kinds.
    pub(super) name: String,
}

impl Feedback {
    fn bare(kind: ErrorKind) -> Self {
        Self { kind, name: String::new() }
    }

    /// The feedback as the commentator writes it, and as examples show it.
    pub(super) fn text(&self) -> String {
        if self.name.is_empty() {
            self.kind.name().into()
        } else {
            format!("{}: {}", self.kind.name(), self.name)
        }
    }

    /// All feedback of Table 4 that is possible for an action.
    pub(super) fn options(taken: &Taken) -> Vec<Self> {
        let named = |kind, name: &String| Self { kind, name: name.clone() };
        let mut options: Vec<Self> =
            taken.starts.iter().map(|start| named(ErrorKind::IncorrectEntity, &start.name)).collect();
        options.extend(taken.relations.iter().map(|name| named(ErrorKind::IncorrectRelation, name)));
        options.push(Self::bare(match taken.starts.len() {
            0 => ErrorKind::NoEntity,
            1 => ErrorKind::MissingEntity,
            _ if taken.ends.is_empty() => ErrorKind::NoIntersection,
            _ => ErrorKind::IncorrectIntersection,
        }));
        options.push(Self::bare(ErrorKind::IncorrectModule));
        options.dedup();
        options
    }
}

/// The right feedback for an action, judged by the gold answers; `None` if nothing can be improved.
/// `possible` are all paths from entities that the question may name.
pub(super) fn by_gold(taken: &Taken, possible: &[Requirement], gold: &[NodeId]) -> Option<Feedback> {
    let holds = |ends: &[NodeId]| gold.iter().any(|answer| ends.binary_search(answer).is_ok());
    let reachable = possible.iter().any(|way| holds(&way.ends));
    if taken.is_text {
        return Some(Feedback::bare(match (reachable, taken.starts.is_empty()) {
            (true, true) => ErrorKind::NoEntity,
            _ => ErrorKind::IncorrectModule,
        }));
    }
    if holds(&taken.ends) {
        return (taken.starts.len() == 1).then(|| Feedback::bare(ErrorKind::MissingEntity));
    }
    if !reachable {
        return Some(Feedback::bare(ErrorKind::IncorrectModule));
    }
    if let Some(start) = taken.starts.iter().find(|start| !holds(&start.ends)) {
        let leading: Vec<&Requirement> =
            possible.iter().filter(|way| start.anchors.contains(&way.anchor) && holds(&way.ends)).collect();
        if leading.is_empty() {
            return Some(Feedback { kind: ErrorKind::IncorrectEntity, name: start.name.clone() });
        }
        // Of several relations, one that is on no path to an answer is the wrong one.
        let useless = |name: &&String| !leading.iter().any(|way| way.relations.contains(name.as_str()));
        let wrong = start.relations.iter().find(useless).or(start.relations.first());
        let name = wrong.cloned().unwrap_or_default();
        return Some(Feedback { kind: ErrorKind::IncorrectRelation, name });
    }
    let empty = taken.ends.is_empty();
    Some(Feedback::bare(if empty { ErrorKind::NoIntersection } else { ErrorKind::IncorrectIntersection }))
}
