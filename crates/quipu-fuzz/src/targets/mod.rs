//! One function for each reader.

mod graphs;
mod queries;
mod replies;
mod stored;
mod texts;
mod wire;

pub(crate) use stored::{TOKENIZER, originals};

/// A reader of foreign bytes.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, and that of its input folders.
    pub name: &'static str,
    /// Passes bytes to the reader; panics if the reader misbehaves.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "ntriples", run: graphs::ntriples },
    Target { name: "nquads", run: graphs::nquads },
    Target { name: "turtle", run: graphs::turtle },
    Target { name: "trig", run: graphs::trig },
    Target { name: "rdfxml", run: graphs::rdfxml },
    Target { name: "jsonld", run: graphs::jsonld },
    Target { name: "tsv", run: graphs::tsv },
    Target { name: "csv", run: graphs::csv },
    Target { name: "skb", run: graphs::skb },
    Target { name: "wikidata", run: graphs::wikidata },
    Target { name: "compressed", run: graphs::compressed },
    Target { name: "profile", run: graphs::profile },
    Target { name: "store", run: stored::store },
    Target { name: "index", run: stored::index },
    Target { name: "settings", run: stored::settings },
    Target { name: "safetensors", run: stored::safetensors },
    Target { name: "gguf", run: stored::gguf },
    Target { name: "embedder", run: stored::embedder },
    Target { name: "wheel", run: stored::wheel },
    Target { name: "sql", run: queries::sql },
    Target { name: "sparql", run: queries::sparql },
    Target { name: "cypher", run: queries::cypher },
    Target { name: "reply", run: texts::reply },
    Target { name: "schema", run: texts::schema },
    Target { name: "plain", run: texts::plain },
    Target { name: "html", run: texts::html },
    Target { name: "pdf", run: texts::pdf },
    Target { name: "markdown", run: texts::markdown },
    Target { name: "questions", run: texts::questions },
    Target { name: "openapi", run: wire::openapi },
    Target { name: "manifest", run: wire::manifest },
    Target { name: "configuration", run: wire::configuration },
    Target { name: "http", run: wire::http },
    Target { name: "chat", run: replies::chat },
    Target { name: "endpoint", run: replies::endpoint },
    Target { name: "api", run: replies::api },
];

/// The target with a name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.iter().copied().find(|target| target.name == name)
}
