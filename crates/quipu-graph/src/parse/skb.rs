//! Nodes of a semi-structured knowledge base: one JSON object a line with id, name, aliases, type
//! and text.

use serde::Deserialize;
use std::borrow::Cow;

use super::{LineError, Sink, Tail};

/// Keys of the relations for a node's fields; the generic profile knows their roles.
const NAME: &str = "urn:quipu:name";
const ALIAS: &str = "urn:quipu:alias";
const TYPE: &str = "urn:quipu:type";

#[derive(Deserialize)]
struct Node<'a> {
    #[serde(borrow)]
    id: Id<'a>,
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    aliases: Vec<Cow<'a, str>>,
    #[serde(borrow, default, rename = "type")]
    types: Option<Types<'a>>,
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Id<'a> {
    Number(i64),
    Text(#[serde(borrow)] Cow<'a, str>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Types<'a> {
    One(#[serde(borrow)] Cow<'a, str>),
    Many(#[serde(borrow)] Vec<Cow<'a, str>>),
}

#[derive(Deserialize)]
struct Identified<'a> {
    #[serde(borrow)]
    id: Id<'a>,
}

impl<'a> Id<'a> {
    fn text(self) -> Cow<'a, str> {
        match self {
            Self::Number(number) => Cow::Owned(number.to_string()),
            Self::Text(text) => text,
        }
    }
}

/// The id in a line of nodes; `None` if the line is no node.
pub(crate) fn id(line: &str) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Identified<'_>>(line).ok().map(|node| node.id.text())
}

/// Parses one line of nodes.
pub(crate) fn node(line: &str, sink: &mut impl Sink) -> Result<(), LineError> {
    let node: Node<'_> = serde_json::from_str(line).map_err(|error| format!("not a node: {error}"))?;
    let id = node.id.text();
    if id.is_empty() {
        return Err("a node with an empty id".into());
    }
    if let Some(name) = node.name.filter(|name| !name.is_empty()) {
        sink.triple(&id, NAME, Tail::Literal { lexical: &name, kind: "" })?;
    }
    for alias in &node.aliases {
        sink.triple(&id, ALIAS, Tail::Literal { lexical: alias, kind: "" })?;
    }
    let types = match node.types {
        None => Vec::new(),
        Some(Types::One(one)) => vec![one],
        Some(Types::Many(many)) => many,
    };
    for name in types.iter().filter(|name| !name.is_empty()) {
        sink.triple(&id, TYPE, Tail::Entity(name))?;
    }
    if let Some(text) = node.text.filter(|text| !text.is_empty()) {
        sink.document(&id, &text)?;
    }
    Ok(())
}
