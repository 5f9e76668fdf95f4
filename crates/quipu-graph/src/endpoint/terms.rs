//! RDF terms as endpoints give them, and their handles.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use oxrdf::{Literal as RdfLiteral, NamedNode};
use parking_lot::RwLock;
use serde::{Deserialize, Serialize};

use crate::readable::{is_blank, readable_entity};
use crate::store::dictionary::{KIND_SEPARATOR, term_hash};
use crate::{GraphError, Literal, LiteralRef, NodeId, iri_of_key};

/// Prefix of the blank nodes that can be queried on Virtuoso.
const VIRTUOSO_BLANK: &str = "nodeID://";
/// The bit that tells literals from entities.
const LITERAL: u64 = 1 << 63;

/// A node of the graph.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Term {
    /// By key: IRI, or name; `_:` and a label for a blank node.
    Entity(Box<str>),
    /// Kind as in [`LiteralRef`].
    Literal { lexical: Box<str>, kind: Box<str> },
}

impl Term {
    pub(super) fn iri(iri: &str) -> Self {
        Self::Entity(crate::key_of_iri(iri).into())
    }

    pub(super) fn blank(label: &str) -> Self {
        match label.starts_with(VIRTUOSO_BLANK) {
            true => Self::Entity(label.into()),
            false => Self::Entity(format!("_:{label}").into()),
        }
    }

    pub(super) fn is_literal(&self) -> bool {
        matches!(self, Self::Literal { .. })
    }

    /// The key of an entity, the lexical form of a literal.
    pub(super) fn key(&self) -> &str {
        match self {
            Self::Entity(key) => key,
            Self::Literal { lexical, .. } => lexical,
        }
    }

    /// The name of a node without a label.
    pub(super) fn readable(&self) -> Cow<'_, str> {
        match self {
            Self::Entity(key) => readable_entity(key),
            Self::Literal { lexical, .. } => Cow::Borrowed(lexical),
        }
    }

    /// The kind of a literal; empty for an entity.
    pub(super) fn kind(&self) -> &str {
        match self {
            Self::Entity(_) => "",
            Self::Literal { kind, .. } => kind,
        }
    }

    pub(super) fn literal(&self) -> Option<Literal> {
        let Self::Literal { lexical, kind } = self else { return None };
        Some(Literal::from(LiteralRef { lexical, kind }))
    }

    /// The term in SPARQL's syntax; `None` if no query can name it: a blank node, or an invalid
    /// IRI.
    pub(super) fn to_sparql(&self) -> Option<String> {
        match self {
            Self::Entity(key) => {
                let iri = iri_of_key(key);
                let named = !is_blank(key) && oxiri::Iri::parse(&*iri).is_ok();
                named.then(|| NamedNode::new_unchecked(iri).to_string())
            }
            Self::Literal { lexical, kind } => {
                let literal = match kind.strip_prefix('@') {
                    Some(language) => RdfLiteral::new_language_tagged_literal(&**lexical, language).ok()?,
                    None if kind.is_empty() => RdfLiteral::new_simple_literal(&**lexical),
                    None => RdfLiteral::new_typed_literal(&**lexical, NamedNode::new(&**kind).ok()?),
                };
                Some(literal.to_string())
            }
        }
    }

    /// The same hash as in the embedded store, so that nodes have the same order in both.
    fn hash(&self) -> u64 {
        match self {
            Self::Entity(key) => term_hash(key.as_bytes(), false),
            Self::Literal { lexical, kind } if kind.is_empty() => term_hash(lexical.as_bytes(), true),
            Self::Literal { lexical, kind } => {
                term_hash(&[lexical.as_bytes(), &[KIND_SEPARATOR], kind.as_bytes()].concat(), true)
            }
        }
    }
}

/// The nodes that have appeared so far. Ids are the hashes of their terms: the same in every run.
#[derive(Debug, Default)]
pub(super) struct Terms {
    known: RwLock<HashMap<u64, Arc<Term>>>,
}

impl Terms {
    /// The id of a term.
    pub(super) fn intern(&self, term: &Term) -> NodeId {
        let mut id = term.hash();
        if self.known.read().get(&id).is_some_and(|known| **known == *term) {
            return NodeId(id);
        }
        let mut known = self.known.write();
        loop {
            match known.entry(id) {
                Entry::Occupied(other) if **other.get() == *term => return NodeId(id),
                // Two terms with one hash are rare (one in a hundred billion pairs of graphs), but
                // must not give a wrong answer.
                Entry::Occupied(_) => id = (id & LITERAL) | (id.wrapping_add(1) & !LITERAL),
                Entry::Vacant(free) => {
                    free.insert(Arc::new(term.clone()));
                    return NodeId(id);
                }
            }
        }
    }

    /// The term of a known node.
    pub(super) fn get(&self, node: NodeId) -> Result<Arc<Term>, GraphError> {
        let known = self.known.read();
        let unknown = || GraphError::Usage(format!("this graph has no node {}", node.0));
        known.get(&node.0).cloned().ok_or_else(unknown)
    }

    pub(super) fn is_literal(&self, node: NodeId) -> bool {
        node.0 & LITERAL != 0 && self.known.read().contains_key(&node.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(lexical: &str, kind: &str) -> Term {
        Term::Literal { lexical: lexical.into(), kind: kind.into() }
    }

    #[test]
    fn terms_are_written_so_that_nothing_gets_out_of_them() {
        let written = |term: Term| term.to_sparql();
        assert_eq!(written(Term::iri("http://e.org/a")).as_deref(), Some("<http://e.org/a>"));
        assert_eq!(
            written(Term::Entity("The \"Matrix\"> }".into())).as_deref(),
            Some("<urn:quipu:The%20%22Matrix%22%3E%20%7D>")
        );
        assert_eq!(written(literal("a\" } DROP ALL #\n", "")).as_deref(), Some(r#""a\" } DROP ALL #\n""#));
        assert_eq!(written(literal("Lima", "@en")).as_deref(), Some("\"Lima\"@en"));
        assert_eq!(written(literal("x", "@en } #")), None);
        assert_eq!(written(literal("1", "not an iri")), None);
        assert_eq!(written(Term::blank("b0")), None);
        assert_eq!(written(Term::blank("nodeID://b10001")).as_deref(), Some("<nodeID://b10001>"));
        assert_eq!(
            written(Term::iri("http://e.org/a b")).as_deref(),
            Some("<urn:quipu:http%3A%2F%2Fe.org%2Fa%20b>")
        );
    }

    #[test]
    fn ids_are_stable_and_tell_literals() {
        let (terms, again) = (Terms::default(), Terms::default());
        let lima = terms.intern(&Term::iri("http://e.org/lima"));
        assert_eq!(again.intern(&Term::iri("http://e.org/lima")), lima);
        let text = terms.intern(&literal("http://e.org/lima", ""));
        assert!(terms.is_literal(text) && !terms.is_literal(lima) && text != lima);
        assert_ne!(terms.intern(&literal("1", "")), terms.intern(&literal("1", "@en")));
        assert_eq!(terms.get(lima).unwrap().key(), "http://e.org/lima");
        assert!(terms.get(NodeId(7)).is_err() && !terms.is_literal(NodeId(u64::MAX)));
    }
}
