//! The nodes of an API's graph: kinds, entities, nested records and values, each registered when it
//! first appears.
//!
//! Ids are hashes of keys, so that an entity has the same id in every run. The highest bit marks
//! literals.

use std::collections::HashMap;

use parking_lot::RwLock;
use xxhash_rust::xxh3::xxh3_64;

use super::ids::KindId;
use crate::{Datatype, GraphError, Literal, NodeId};

const LITERAL: u64 = 1 << 63;

/// The identity of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// A kind, as a type.
    Kind(KindId),
    /// An entity: `key` is its id where its kind has ids, else its name.
    Entity { kind: KindId, key: String, label: Option<String> },
    /// A record without a name of its own.
    Record { path: String, line: String },
    /// A value.
    Value(Literal),
}

/// All nodes seen so far.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    known: RwLock<HashMap<NodeId, Node>>,
}

pub(super) fn is_literal(node: NodeId) -> bool {
    node.0 & LITERAL != 0
}

impl Nodes {
    pub(super) fn intern(&self, key: &str, node: Node) -> NodeId {
        let mut id = xxh3_64(key.as_bytes()) & !LITERAL;
        if matches!(node, Node::Value(_)) {
            id |= LITERAL;
        }
        let id = NodeId(id);
        let mut known = self.known.write();
        match known.get_mut(&id) {
            // A label that was not known before is kept.
            Some(Node::Entity { label: label @ None, .. }) => {
                if let Node::Entity { label: Some(found), .. } = node {
                    *label = Some(found);
                }
            }
            Some(_) => {}
            None => drop(known.insert(id, node)),
        }
        id
    }

    pub(super) fn value(&self, text: &str) -> NodeId {
        let datatype = datatype(text);
        self.intern(text, Node::Value(Literal { lexical: text.to_owned(), datatype, language: None }))
    }

    pub(super) fn get(&self, id: NodeId) -> Result<Node, GraphError> {
        self.known
            .read()
            .get(&id)
            .cloned()
            .ok_or_else(|| GraphError::Usage(format!("this graph has no node {}", id.0)))
    }

    pub(super) fn find(&self, id: NodeId) -> Option<Node> {
        self.known.read().get(&id).cloned()
    }
}

/// The datatype that a text looks like. JSON distinguishes only text, numbers and booleans.
fn datatype(text: &str) -> Datatype {
    let date = |length: usize| {
        text.len() == length
            && text
                .bytes()
                .enumerate()
                .all(|(at, b)| if at == 4 || at == 7 { b == b'-' } else { b.is_ascii_digit() })
    };
    match text {
        "true" | "false" => Datatype::Boolean,
        _ if text.parse::<i64>().is_ok() => Datatype::Integer,
        _ if text.parse::<f64>().is_ok_and(f64::is_finite) => Datatype::Decimal,
        _ if date(10) => Datatype::Date,
        _ => Datatype::String,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_types_that_they_look_like() {
        for (text, expected) in [
            ("12", Datatype::Integer),
            ("-1.5", Datatype::Decimal),
            ("2024-02-28", Datatype::Date),
            ("true", Datatype::Boolean),
            ("NaN", Datatype::String),
            ("Lima", Datatype::String),
        ] {
            assert_eq!(datatype(text), expected, "{text}");
        }
    }

    #[test]
    fn a_node_keeps_its_id_and_learns_its_label() {
        let nodes = Nodes::default();
        let film = |label: Option<&str>| Node::Entity {
            kind: KindId(0),
            key: "7".into(),
            label: label.map(str::to_owned),
        };
        let first = nodes.intern("film:7", film(None));
        assert_eq!(nodes.intern("film:7", film(Some("Orle"))), first);
        assert_eq!(nodes.get(first).unwrap(), film(Some("Orle")));
        assert!(is_literal(nodes.value("7")) && !is_literal(first));
        assert!(nodes.get(NodeId(1)).is_err());
    }
}
