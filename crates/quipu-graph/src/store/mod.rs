//! The embedded store: a graph in a folder of immutable, memory-mapped files.

pub(crate) mod adjacency;
pub(crate) mod catalogue;
pub(crate) mod checks;
pub(crate) mod columns;
mod cursor;
pub(crate) mod dictionary;
mod embedded;
pub(crate) mod file;
pub(crate) mod manifest;
mod name_parts;
pub(crate) mod names;
pub(crate) mod schema;
mod value_parts;

pub use adjacency::{Groups, Neighbours};
pub use embedded::{EmbeddedGraph, LiteralRef};
pub use names::EntityName;
pub(crate) use names::language_rank;
