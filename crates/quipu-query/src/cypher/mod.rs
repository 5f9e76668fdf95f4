//! Reads the small graphs that a language model writes as Cypher `CREATE` statements (Pseudo-Graph
//! §3.1).
//!
//! It reads the subset that occurs, and tolerates errors: it reads every node, property and
//! relationship that it can, wherever they stand, and steps over everything else. It never fails,
//! and its time is linear in the length of the text.
//!
//! - Nodes with labels and properties, `(a:Film {name: 'Kauwboy', year: 2012})`, inline or alone.
//!   A variable stands for the same node across statements, unless it is defined anew under another
//!   name.
//! - Relationships in chains, `(a)-[:BY {since: 2010}]->(b)<-[:OF]-(c)`, `-->`, `--`, several types
//!   `:A|B`.
//! - Strings in either quotes, with escapes, with unescaped apostrophes, with a missing end;
//!   numbers, truth values, lists, maps, `date('2012-01-01')`.
//! - Unknown nodes: `{name: '?'}`, `{name: 'Film 1'}` of a Film, a property `'unknown'`, a node
//!   without a name. Two unknown nodes of the same name stay two. The node of the variable `answer`
//!   is the one that the question asks for.
//! - A property whose value is a variable, `{writer: ada}`, is a relationship to its node.
//! - Comments, code fences, prose between statements, `MATCH`, `MERGE`, `SET a.year = 2012`,
//!   `RETURN`, undefined variables (which are named by themselves), half a last line.

mod lexer;
mod reader;
#[cfg(test)]
mod tests;

/// What a model believes, as triples by name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PseudoGraph {
    /// The nodes that occur in triples or have a name of their own.
    pub nodes: Vec<PseudoNode>,
    /// The triples: relationships first, in their order in the text, then the properties, node by
    /// node.
    pub triples: Vec<PseudoTriple>,
    /// The text of the first comment, if any.
    pub comment: Option<String>,
    /// Position of the node that the question asks for, if the model marked one.
    pub asked: Option<usize>,
}

/// A node of a pseudo-graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PseudoNode {
    /// Its name. An unknown node has `?` and its kind: `?town`.
    pub name: String,
    /// Whether the model says that it does not know the node.
    pub unknown: bool,
}

/// A triple as a model believes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PseudoTriple {
    /// Position of the head in [`PseudoGraph::nodes`].
    pub head: usize,
    /// The relation in words: `directed by`.
    pub relation: String,
    /// Its tail.
    pub tail: PseudoTail,
}

/// The tail of a pseudo-triple.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PseudoTail {
    /// Position in [`PseudoGraph::nodes`].
    Node(usize),
    /// A property's value.
    Value(String),
}

impl PseudoGraph {
    /// Reads a model's reply.
    pub fn read(text: &str) -> Self {
        reader::read(text)
    }

    /// Head, relation and tail of a triple by name.
    pub fn names<'a>(&'a self, triple: &'a PseudoTriple) -> [&'a str; 3] {
        let node = |at: usize| self.nodes.get(at).map_or("", |node| node.name.as_str());
        let tail = match &triple.tail {
            PseudoTail::Node(at) => node(*at),
            PseudoTail::Value(value) => value,
        };
        [node(triple.head), &triple.relation, tail]
    }

    /// The triple as a sentence to compare by meaning; an unknown node is named by its kind.
    pub fn sentence(&self, triple: &PseudoTriple) -> String {
        self.names(triple).map(|name| name.trim_start_matches('?')).join(" ")
    }
}
