//! Readers of the input formats. Line formats are split into blocks that several threads parse. The
//! others are read by oxrdfio, one thread a file.

pub(crate) mod delimited;
pub(crate) mod format;
pub(crate) mod input;
pub(crate) mod ntriples;
#[cfg(test)]
mod ntriples_tests;
pub(crate) mod rdf;
pub(crate) mod skb;
pub(crate) mod table;
pub(crate) mod wikidata;
pub(crate) mod xml;

use crate::GraphError;
pub use format::InputFormat;

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
    fn triple(&mut self, head: &str, relation: &str, tail: Tail<'_>) -> Result<(), GraphError>;
    fn document(&mut self, node: &str, text: &str) -> Result<(), GraphError>;
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
