//! The manifest: TOML beside an OpenAPI document that adds the missing facts. It names the
//! operations that may be called, the kind of entity of each parameter, the searches for names, and
//! the fields that hold ids. Format: docs/sources.md.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::calendar::Calendar;
use crate::GraphError;

/// The manifests that ship with Quipu, by name.
const BUILT_IN: [(&str, &str); 1] = [("crag", include_str!("manifests/crag.toml"))];

/// A manifest as its file stands.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Manifest {
    /// Path of the payload within every response: `result`, `data.items`; empty: the whole
    /// response.
    pub result: String,
    /// The time zone of the service's dates (`America/New_York`); empty: the question's own.
    pub zone: String,
    /// Words of the fields that tell one row from another, beside name, title and date: `score`.
    pub row_words: Vec<String>,
    /// The service's open days. Without it, no phrase of a question means an open day.
    pub calendar: Option<Calendar>,
    /// Words that show the domain of a question, by domain.
    pub domain: BTreeMap<String, DomainEntry>,
    /// Kinds of entities, by name.
    pub kind: BTreeMap<String, KindEntry>,
    /// The operations that may be called, by path or operation id.
    pub operation: BTreeMap<String, OperationEntry>,
}

/// A domain of the service's data: `finance`, `movie`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DomainEntry {
    /// Words and phrases of questions about this domain, in lower case: common vocabulary, not
    /// names from the data.
    pub words: Vec<String>,
    /// The domain counts only if no other domain has a word in the question, as for an
    /// encyclopedia.
    pub fallback: bool,
}

/// A kind of entity.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KindEntry {
    /// The domain of the kind: `finance`, `movie`. Empty: any.
    pub domain: String,
    /// The common phrase for entities of this kind, for prompts: `company or its stock`.
    pub says: String,
    /// Operations whose response lists the names that match a text.
    pub search: Vec<String>,
    /// The field of a record that holds its name.
    pub label: String,
    /// The field of a record that holds its id; empty: the name is the id.
    pub id: String,
    /// The operation that returns a record by its id.
    pub details: String,
    /// The kind's values come from another operation, called for an entity of another kind: tickers
    /// for companies.
    pub of: Option<Derived>,
    /// All names of the kind, if they are few.
    pub names: Vec<String>,
    /// Other names, each with the name that the service accepts. They are tried before every other
    /// lookup.
    pub aliases: HashMap<String, String>,
    /// A text of capital letters (or any single short word) may itself be a value of the kind: a
    /// ticker symbol.
    pub symbol: bool,
    /// Its names may belong to any domain, as those of an encyclopedia. Such kinds are asked when
    /// the kinds of the question's domain know nothing.
    pub general: bool,
    /// Fields of its records that become relations. If empty, the fields in a response's schema.
    pub fields: Vec<String>,
}

/// A kind whose values another operation gives.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Derived {
    /// The kind of the operation's argument.
    pub kind: String,
    /// The operation.
    pub operation: String,
}

/// An operation that may be called.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OperationEntry {
    /// A phrase for its result: the name of the relation.
    pub name: String,
    /// The operation's domain; empty: that of its parameters' kinds.
    pub domain: String,
    /// Phrases of questions that need it, in addition to its description.
    pub asks: String,
    /// The filler of each parameter: a kind, `date`, `day`, `month`, `year`, `number`, `choice`, or
    /// a fixed value.
    pub takes: BTreeMap<String, Take>,
    /// The kind of its results.
    pub gives: String,
    /// How the payload is laid out.
    pub shape: Shape,
    /// Names of the columns, where the payload is a list of columns or of bare rows.
    pub columns: Vec<String>,
    /// Fields that are ids or names of a kind: `directed_movies = "movie"`.
    pub links: BTreeMap<String, String>,
    /// Fields that answer no question.
    pub drop: Vec<String>,
    /// Meanings of a field's values: `gender = { "1" = "female" }`.
    pub values: BTreeMap<String, BTreeMap<String, String>>,
    /// A helper for lookups: searches, conversions. It is never called for its own result.
    pub helper: bool,
}

/// The filler of a parameter.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Take {
    /// A kind, or one of the words above.
    Named(String),
    /// Always this value.
    Fixed {
        /// The value.
        value: toml::Value,
    },
    /// One of several values, chosen by the question's words.
    Choice {
        /// Value to words: `top_position = "peak highest position"`.
        choice: BTreeMap<String, String>,
    },
}

/// How a payload is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// To be guessed from the payload.
    #[default]
    Auto,
    /// An object of columns, each an object from row to value (as pandas writes tables).
    Columnar,
    /// An object from row to record.
    Keyed,
    /// A list of columns, each a list.
    Columns,
    /// A list of lists, each a row.
    Rows,
}

impl Manifest {
    /// Reads a manifest's text; `from` names it in errors.
    ///
    /// # Errors
    /// [`GraphError::Usage`]: invalid TOML, unknown keys, impossible dates.
    pub fn read(text: &str, from: &str) -> Result<Self, GraphError> {
        toml::from_str(text)
            .map_err(|error| GraphError::Usage(format!("{from}: {}", error.to_string().trim_end())))
    }

    /// The text of a manifest that ships with Quipu.
    pub fn built_in(name: &str) -> Option<&'static str> {
        BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifests_that_ship_can_be_read() {
        for (name, text) in BUILT_IN {
            let manifest = Manifest::read(text, name).unwrap();
            assert!(!manifest.operation.is_empty() && !manifest.kind.is_empty(), "{name}");
        }
        assert!(Manifest::built_in("nothing such").is_none());
    }

    #[test]
    fn what_is_misspelt_is_named() {
        let error = Manifest::read("[operation.x]\ntake = {}", "api.toml").unwrap_err().to_string();
        assert!(error.contains("api.toml") && error.contains("take"), "{error}");
    }
}
