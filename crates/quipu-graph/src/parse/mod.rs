//! Readers of the input formats. Line formats are split into blocks that several threads parse. The
//! others are read by oxrdfio, one thread a file.

mod checked;
mod context;
mod dates;
pub(crate) mod delimited;
pub(crate) mod format;
pub(crate) mod input;
mod json;
pub(crate) mod ntriples;
#[cfg(test)]
mod ntriples_tests;
pub(crate) mod rdf;
mod rows;
pub(crate) mod skb;
pub(crate) mod table;
mod turtle;
pub(crate) mod wikidata;
mod xml;

use crate::GraphError;
pub(crate) use checked::{Checked, Findings};
pub use format::InputFormat;
pub(crate) use rows::RowCheck;

/// Longest line, row, literal, XML event or outermost JSON object, in bytes. Longer ones are taken
/// for binary data.
pub(crate) const LONGEST_TEXT: usize = 256 << 20;
/// Longest key of an entity, a relation or a datatype, in bytes.
pub(crate) const LONGEST_KEY: usize = 1 << 20;
/// Longest namespace or base IRI, in bytes: each name within it repeats it.
const LONGEST_NAMESPACE: usize = 4 << 10;
/// Deepest nesting of elements and brackets. Lists of hundreds of elements may nest so.
const DEEPEST: usize = 10_000;

/// The tail of a parsed triple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tail<'a> {
    /// An entity, by key.
    Entity(&'a str),
    /// A literal. Kind is empty for a plain string, `@` and a lower-case tag for a language, else
    /// the datatype's IRI.
    Literal { lexical: &'a str, kind: &'a str },
}

/// Receives the parsed triples.
pub(crate) trait Sink {
    fn triple(&mut self, head: &str, relation: &str, tail: Tail<'_>) -> Result<(), LineError>;
    fn document(&mut self, node: &str, text: &str) -> Result<(), LineError>;
}

/// The reason why a line was refused.
pub(crate) enum LineError {
    /// The line breaks its format.
    Malformed(String),
    /// The sink failed.
    Sink(GraphError),
}

impl From<GraphError> for LineError {
    fn from(error: GraphError) -> Self {
        Self::Sink(error)
    }
}

impl From<String> for LineError {
    fn from(reason: String) -> Self {
        Self::Malformed(reason)
    }
}

impl From<&str> for LineError {
    fn from(reason: &str) -> Self {
        Self::Malformed(reason.into())
    }
}
