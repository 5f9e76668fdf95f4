//! A type as a table's rows: its entities, and the types below it.

use std::collections::HashSet;

use quipu_graph::{NodeId, RelationId};

/// A class with more subclasses gets no table of its own: a query would have to name them all.
pub(super) const MOST_KINDS: usize = 500;

/// A type with the number of its entities.
pub(super) struct Type {
    /// `None` if the graph has no such class, only classes that could be below it.
    pub(super) node: Option<NodeId>,
    pub(super) name: String,
    /// Its entities, including those of its subclasses.
    pub(super) entities: u64,
    /// Its IRI, and those of its subclasses if their entities do not state this type as well.
    pub(super) iris: Vec<String>,
    /// The nodes of these types.
    pub(super) nodes: Vec<NodeId>,
    /// How many of these types an entity has, on average.
    pub(super) types_each: f64,
    /// Its subclasses, if their relations are similar: they are the kinds of its entities.
    pub(super) kinds: Vec<NodeId>,
    /// How many kinds an entity has, on average.
    pub(super) kinds_each: f64,
    /// Position of the widest type that this one is a kind of.
    pub(super) within: Option<usize>,
    /// The only relations that its table has, if its other entities have tables of their own.
    pub(super) only: Option<HashSet<RelationId>>,
}
