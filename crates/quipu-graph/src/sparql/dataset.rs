//! The store as a dataset of spareval: quads by pattern over Quipu's ids.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use oxrdf::{BlankNode, Literal, NamedNode, Term};
use spareval::{ExpressionTerm, InternalQuad, QueryableDataset};

use super::bounds::{Counted, Texts, goes_on};
use crate::readable::is_blank;
use crate::{
    Direction, EmbeddedGraph, Graph, GraphError, Neighbours, NodeId, RelationId, Step, iri_of_key, key_of_iri,
};

const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";

/// A term of a query, counted as long as it exists.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct StoreTerm {
    kind: Kind,
    _counted: Counted,
}

/// Each RDF term has exactly one form: a node if the store has it, else a relation, else the term
/// itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Kind {
    Node(NodeId),
    Relation(RelationId),
    Other(Arc<Texts<Term>>),
}

impl From<Kind> for StoreTerm {
    fn from(kind: Kind) -> Self {
        Self { kind, _counted: Counted::new() }
    }
}

fn node_term(node: NodeId) -> StoreTerm {
    Kind::Node(node).into()
}

fn relation_term(relation: RelationId) -> StoreTerm {
    Kind::Relation(relation).into()
}

fn other_term(term: Term) -> StoreTerm {
    let bytes = match &term {
        Term::NamedNode(node) => node.as_str().len(),
        Term::BlankNode(node) => node.as_str().len(),
        Term::Literal(literal) => literal.value().len(),
    };
    Kind::Other(Arc::new(Texts::new(term, bytes))).into()
}

/// The first damage that a query met. Inside an expression spareval treats an error as an unbound
/// value and would continue to a wrong answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Damage(Rc<RefCell<Option<(PathBuf, String)>>>);

impl Damage {
    fn noted<T>(&self, outcome: Result<T, GraphError>) -> Result<T, GraphError> {
        if let Err(GraphError::Corrupt { path, reason }) = &outcome {
            self.0.borrow_mut().get_or_insert_with(|| (path.clone(), reason.clone()));
        }
        outcome
    }

    /// The damage as an error, if there was any.
    pub(super) fn found(&self) -> Result<(), GraphError> {
        match self.0.borrow_mut().take() {
            Some((path, reason)) => Err(GraphError::Corrupt { path, reason }),
            None => Ok(()),
        }
    }
}

/// The values of nodes, as expressions read them. A sort reads each value at every comparison. They
/// take at most a megabyte, which is not counted.
#[derive(Default)]
struct ReadValues(RefCell<Vec<Option<(NodeId, ExpressionTerm)>>>);

impl ReadValues {
    /// Most values that are kept. A node's place is the remainder of its id.
    const PLACES: usize = 1 << 13;
    /// Longest text that is kept, in bytes.
    const LONGEST: usize = 64;

    fn get(&self, node: NodeId) -> Option<ExpressionTerm> {
        let values = self.0.borrow();
        let (kept, value) = values.get(node.0 as usize % Self::PLACES)?.as_ref()?;
        (*kept == node).then(|| value.clone())
    }

    fn keep(&self, node: NodeId, value: &ExpressionTerm) {
        let is_long = match value {
            ExpressionTerm::NamedNode(name) => name.as_str().len() > Self::LONGEST,
            ExpressionTerm::StringLiteral(value)
            | ExpressionTerm::LangStringLiteral { value, .. }
            | ExpressionTerm::OtherTypedLiteral { value, .. } => value.len() > Self::LONGEST,
            _ => false,
        };
        if is_long {
            return;
        }
        let mut values = self.0.borrow_mut();
        let place = node.0 as usize % Self::PLACES;
        if values.len() <= place {
            values.resize(place + 1, None);
        }
        if let Some(slot) = values.get_mut(place) {
            *slot = Some((node, value.clone()));
        }
    }
}

/// The store, and the relations that are also nodes.
pub(super) struct StoreDataset<'a> {
    graph: &'a EmbeddedGraph,
    relation_of_node: HashMap<NodeId, RelationId>,
    values: ReadValues,
    damage: Damage,
}

type Quad = Result<InternalQuad<StoreTerm>, GraphError>;
type Quads<'a> = Box<dyn Iterator<Item = Quad> + 'a>;

impl<'a> StoreDataset<'a> {
    pub(super) fn new(graph: &'a EmbeddedGraph, damage: Damage) -> Self {
        let relations = (0..graph.relations().len() as u32).map(RelationId);
        let relation_of_node =
            relations.filter_map(|relation| Some((graph.relation_node(relation)?, relation))).collect();
        Self { graph, relation_of_node, values: ReadValues::default(), damage }
    }

    fn relation(&self, term: &StoreTerm) -> Option<RelationId> {
        match &term.kind {
            Kind::Relation(relation) => Some(*relation),
            Kind::Node(node) => self.relation_of_node.get(node).copied(),
            Kind::Other(_) => None,
        }
    }

    fn find_name(&self, key: &str) -> Result<Option<StoreTerm>, GraphError> {
        if let Some(node) = self.graph.find(key)? {
            return Ok(Some(node_term(node)));
        }
        Ok(self.graph.find_relation(key).map(relation_term))
    }
}

fn quad(graph: &EmbeddedGraph, head: NodeId, relation: RelationId, tail: NodeId) -> InternalQuad<StoreTerm> {
    let predicate = graph.relation_node(relation).map_or_else(|| relation_term(relation), node_term);
    InternalQuad { subject: node_term(head), predicate, object: node_term(tail), graph_name: None }
}

/// The triples of one node in one direction, over one relation or all.
fn around<'a>(
    graph: &'a EmbeddedGraph,
    node: NodeId,
    direction: Direction,
    relation: Option<RelationId>,
) -> Quads<'a> {
    if let Some(relation) = relation {
        return match graph.neighbours(node, Step { relation, direction }) {
            Ok(neighbours) => Box::new(along(graph, node, direction, relation, &neighbours)),
            Err(error) => failed(error),
        };
    }
    let mut groups: Vec<(RelationId, Neighbours<'a>)> = Vec::new();
    let outcome = graph.visit(node, |group, neighbours| {
        if group.step.direction == direction {
            groups.push((group.step.relation, neighbours));
        }
    });
    if let Err(error) = outcome {
        return failed(error);
    }
    let along = move |(relation, neighbours)| along(graph, node, direction, relation, &neighbours);
    Box::new(groups.into_iter().flat_map(along))
}

/// The triples of one node over one relation.
fn along<'a>(
    graph: &'a EmbeddedGraph,
    node: NodeId,
    direction: Direction,
    relation: RelationId,
    neighbours: &Neighbours<'a>,
) -> impl Iterator<Item = Quad> + use<'a> {
    neighbours.iter().map(move |neighbour| {
        Ok(match direction {
            Direction::Forward => quad(graph, node, relation, neighbour),
            Direction::Backward => quad(graph, neighbour, relation, node),
        })
    })
}

/// The triples between two nodes.
fn between<'a>(
    graph: &'a EmbeddedGraph,
    head: NodeId,
    relation: Option<RelationId>,
    tail: NodeId,
) -> Quads<'a> {
    if let Some(relation) = relation {
        return match graph.neighbours(head, Step { relation, direction: Direction::Forward }) {
            Ok(neighbours) if neighbours.contains(tail) => {
                Box::new(std::iter::once_with(move || Ok(quad(graph, head, relation, tail))))
            }
            Ok(_) => Box::new(std::iter::empty()),
            Err(error) => failed(error),
        };
    }
    let mut found = Vec::new();
    let outcome = graph.visit(head, |group, neighbours| {
        if group.step.direction == Direction::Forward && neighbours.contains(tail) {
            found.push(group.step.relation);
        }
    });
    match outcome {
        Ok(()) => Box::new(found.into_iter().map(move |relation| Ok(quad(graph, head, relation, tail)))),
        Err(error) => failed(error),
    }
}

fn failed<'a>(error: GraphError) -> Quads<'a> {
    Box::new(std::iter::once(Err(error)))
}

impl<'a> QueryableDataset<'a> for StoreDataset<'a> {
    type InternalTerm = StoreTerm;
    type Error = GraphError;

    fn internal_quads_for_pattern(
        &self,
        subject: Option<&StoreTerm>,
        predicate: Option<&StoreTerm>,
        object: Option<&StoreTerm>,
        graph_name: Option<Option<&StoreTerm>>,
    ) -> impl Iterator<Item = Quad> + use<'a> {
        // EXISTS is an expression too, so its errors must be noted here.
        let damage = self.damage.clone();
        let mut quads = self.quads(subject, predicate, object, graph_name);
        let mut ended = false;
        // The iterator ends after one error, so that an operator that gathers all its input does
        // not gather errors.
        std::iter::from_fn(move || {
            if ended {
                return None;
            }
            if let Err(error) = goes_on() {
                ended = true;
                return Some(Err(error));
            }
            quads.next().map(|quad| damage.noted(quad))
        })
    }

    fn internalize_term(&self, term: Term) -> Result<StoreTerm, GraphError> {
        goes_on()?;
        self.damage.noted(self.find(term))
    }

    fn externalize_term(&self, term: StoreTerm) -> Result<Term, GraphError> {
        goes_on()?;
        self.damage.noted(self.read(term))
    }

    fn externalize_expression_term(&self, term: StoreTerm) -> Result<ExpressionTerm, GraphError> {
        let Kind::Node(node) = term.kind else { return self.externalize_term(term).map(Into::into) };
        goes_on()?;
        if let Some(value) = self.values.get(node) {
            return Ok(value);
        }
        let value = self.damage.noted(self.read(term))?.into();
        self.values.keep(node, &value);
        Ok(value)
    }
}

impl<'a> StoreDataset<'a> {
    fn quads(
        &self,
        subject: Option<&StoreTerm>,
        predicate: Option<&StoreTerm>,
        object: Option<&StoreTerm>,
        graph_name: Option<Option<&StoreTerm>>,
    ) -> Quads<'a> {
        let graph = self.graph;
        let nothing = || Box::new(std::iter::empty()) as Quads<'a>;
        // Every triple is in the default graph.
        if graph_name != Some(None) {
            return nothing();
        }
        let relation = match predicate.map(|term| self.relation(term)) {
            Some(None) => return nothing(),
            relation => relation.flatten(),
        };
        match (subject.map(|term| &term.kind), object.map(|term| &term.kind)) {
            (Some(Kind::Node(head)), Some(Kind::Node(tail))) => between(graph, *head, relation, *tail),
            (Some(Kind::Node(head)), None) => around(graph, *head, Direction::Forward, relation),
            (None, Some(Kind::Node(tail))) => around(graph, *tail, Direction::Backward, relation),
            (None, None) => match relation {
                Some(relation) => Box::new(graph.heads(relation).flat_map(move |head| match head {
                    Ok(head) => around(graph, head, Direction::Forward, Some(relation)),
                    Err(error) => failed(error),
                })),
                None => {
                    let nodes = (0..graph.entity_count()).map(NodeId);
                    Box::new(nodes.flat_map(move |node| around(graph, node, Direction::Forward, None)))
                }
            },
            _ => nothing(),
        }
    }

    fn find(&self, term: Term) -> Result<StoreTerm, GraphError> {
        let found = match &term {
            Term::NamedNode(node) => match self.find_name(node.as_str())? {
                None => self.find_name(&key_of_iri(node.as_str()))?,
                found => found,
            },
            Term::BlankNode(node) => self.graph.find(&format!("_:{}", node.as_str()))?.map(node_term),
            Term::Literal(literal) => {
                let kind = match (literal.language(), literal.datatype().as_str()) {
                    (Some(language), _) => format!("@{}", language.to_ascii_lowercase()),
                    (None, XSD_STRING) => String::new(),
                    (None, datatype) => datatype.to_owned(),
                };
                self.graph.find_literal(literal.value(), &kind)?.map(node_term)
            }
        };
        Ok(found.unwrap_or_else(|| other_term(term)))
    }

    fn read(&self, term: StoreTerm) -> Result<Term, GraphError> {
        let named = |key: &str| Term::NamedNode(NamedNode::new_unchecked(iri_of_key(key)));
        let node = match term.kind {
            Kind::Other(term) => return Ok(term.value.clone()),
            Kind::Relation(relation) => {
                let info = self.graph.relations().get(relation.0 as usize);
                return Ok(named(info.map_or("", |info| &info.key)));
            }
            Kind::Node(node) => node,
        };
        if let Some(literal) = self.graph.literal(node)? {
            return Ok(Term::Literal(match (literal.kind, literal.kind.strip_prefix('@')) {
                ("", _) => Literal::new_simple_literal(literal.lexical),
                (_, Some(language)) => {
                    Literal::new_language_tagged_literal_unchecked(literal.lexical, language)
                }
                (datatype, None) => {
                    Literal::new_typed_literal(literal.lexical, NamedNode::new_unchecked(datatype))
                }
            }));
        }
        let key = self.graph.key(node)?;
        Ok(match key.strip_prefix("_:") {
            Some(label) if is_blank(&key) => Term::BlankNode(BlankNode::new_unchecked(label)),
            _ => named(&key),
        })
    }
}
