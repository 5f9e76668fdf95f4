//! Reads the small graphs that a language model writes as Cypher `CREATE` statements (Pseudo-Graph §3.1).
//!
//! It reads the subset that occurs, and survives what goes wrong: whatever can be read as a node, a property or a relationship is, wherever
//! it stands; everything else is stepped over. It never fails, and takes time in proportion to the text.
//!
//! - Nodes with labels and properties, `(a:Film {name: 'Kauwboy', year: 2012})`, inline or alone; variables stand for the same node across
//!   statements, and a variable that is defined anew under another name is another node.
//! - Relationships in chains, `(a)-[:BY {since: 2010}]->(b)<-[:OF]-(c)`, `-->`, `--`, several types `:A|B`.
//! - Strings in either quotes, with escapes, with apostrophes that nobody escaped, with an end that nobody wrote; numbers, truth values, lists,
//!   maps, `date('2012-01-01')`.
//! - What the model says that it does not know: `{name: '?'}`, `{name: 'Film 1'}` of a Film, a property `'unknown'`, a node without a name.
//!   Such nodes are not one for bearing the same name. The node of the variable `answer` is what the question asks for.
//! - A property whose value is a variable, `{writer: ada}`, is a relationship to its node.
//! - Comments, code fences, prose between statements, `MATCH`, `MERGE`, `SET a.year = 2012`, `RETURN`, variables that nobody defined (named by
//!   themselves), half a last line.

mod lexer;
mod reader;
#[cfg(test)]
mod tests;

/// What a model believes, as triples by name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PseudoGraph {
    /// The nodes that occur in triples or have a name of their own.
    pub nodes: Vec<PseudoNode>,
    /// The triples: relationships first as they stand, a node's properties where it stands.
    pub triples: Vec<PseudoTriple>,
    /// The text of the first comment, if any.
    pub comment: Option<String>,
    /// Position of the node that the question asks for, where the model marked one.
    pub asked: Option<usize>,
}

/// A node of a pseudo-graph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PseudoNode {
    /// Its name; of an unknown one `?` and what it is: `?town`.
    pub name: String,
    /// Whether the model says that it does not know it.
    pub unknown: bool,
}

/// One thing that a model believes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PseudoTriple {
    /// Position of the head in [`PseudoGraph::nodes`].
    pub head: usize,
    /// The relation in words: `directed by`.
    pub relation: String,
    /// What it leads to.
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

    /// The triple as a sentence to compare by meaning: of an unknown node what it is.
    pub fn sentence(&self, triple: &PseudoTriple) -> String {
        self.names(triple).map(|name| name.trim_start_matches('?')).join(" ")
    }
}
