//! The relations of a service: its operations and fields.

use super::ids::{KindId, OperationId, words};
use super::service::Service;
use crate::{RelationInfo, RelationRole};

/// The operation or field behind a relation of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    Operation(OperationId),
    Field(KindId, String),
}

/// Relations: operations that start from one entity, then fields.
pub(super) fn catalogue(service: &Service) -> (Vec<RelationInfo>, Vec<Meaning>) {
    let mut relations = Vec::new();
    let mut meanings = Vec::new();
    let mut push = |key: String, name: String, meaning: Meaning| {
        let role = RelationRole::Ordinary;
        relations.push(RelationInfo { key, name, role, triples: 1, heads: 1, tails: 1 });
        meanings.push(meaning);
    };
    for (at, operation) in service.operations.iter().enumerate() {
        // An operation that returns whole records of its own start kind adds nothing to their
        // fields.
        let same = operation.starts_from().is_some_and(|kind| {
            operation.gives == Some(kind) && service.kind(kind).is_some_and(|kind| !kind.fields.is_empty())
        });
        if operation.starts_from().is_some() && !operation.helper && !same {
            push(operation.path().to_owned(), operation.name.clone(), Meaning::Operation(OperationId(at)));
        }
    }
    for (at, kind) in service.kinds.iter().enumerate() {
        for field in &kind.fields {
            push(format!("{}.{field}", kind.name), words(field), Meaning::Field(KindId(at), field.clone()));
        }
    }
    (relations, meanings)
}
