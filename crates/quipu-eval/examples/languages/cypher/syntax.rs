//! The supported Cypher, as plain data.

/// A query: parts joined by UNION.
#[derive(Debug, Clone, PartialEq)]
pub struct Cypher {
    /// The clauses of each part.
    pub parts: Vec<Vec<Clause>>,
}

/// A clause.
#[derive(Debug, Clone, PartialEq)]
pub enum Clause {
    /// MATCH and OPTIONAL MATCH.
    Match { optional: bool, patterns: Vec<Pattern>, filter: Option<Value> },
    /// UNWIND … AS.
    Unwind(Value, String),
    /// WITH.
    With(Projection),
    /// RETURN.
    Return(Projection),
}

/// The result of WITH and RETURN.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Projection {
    /// DISTINCT.
    pub distinct: bool,
    /// `*`, beside the items.
    pub all: bool,
    /// Values with their names.
    pub items: Vec<(Value, Option<String>)>,
    /// Values, each with whether the order is descending.
    pub order: Vec<(Value, bool)>,
    /// SKIP.
    pub skip: u64,
    /// LIMIT.
    pub limit: Option<u64>,
    /// WHERE behind WITH.
    pub filter: Option<Value>,
}

/// Nodes with the relationships between them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pattern {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The relationships.
    pub links: Vec<Relationship>,
}

/// A node of a pattern.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Node {
    /// Its variable.
    pub variable: Option<String>,
    /// Its labels.
    pub labels: Vec<String>,
    /// Its properties.
    pub properties: Vec<(String, Value)>,
    /// WHERE within it.
    pub filter: Option<Box<Value>>,
}

/// A relationship of a pattern.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Relationship {
    /// Its variable.
    pub variable: Option<String>,
    /// Its types; empty: any type.
    pub types: Vec<String>,
    /// Whether its arrow points from right to left.
    pub backward: bool,
}

/// A value or a condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A variable.
    Variable(String),
    /// A property.
    Property(Box<Value>, String),
    /// Text.
    Text(String),
    /// A number as written.
    Number(String),
    /// True or false.
    Flag(bool),
    /// null
    Null,
    /// A list.
    List(Vec<Value>),
    /// A function or an aggregate; `*` is no argument.
    Call { name: String, distinct: bool, parts: Vec<Value> },
    /// An operator between two values: `=`, `+`, `AND`, `IN`, `CONTAINS`, …
    Two(&'static str, Box<Value>, Box<Value>),
    /// NOT
    Not(Box<Value>),
    /// IS NULL
    IsNull(Box<Value>),
    /// CASE
    Case(Vec<(Value, Value)>, Option<Box<Value>>),
    /// EXISTS { … }, or a pattern as a condition.
    Exists(Vec<Pattern>, Option<Box<Value>>),
    /// COUNT { … }, or the size of a pattern.
    Count(Vec<Pattern>, Option<Box<Value>>),
}
