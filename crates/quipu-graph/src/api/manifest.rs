//! What an OpenAPI document lacks, said in TOML beside it: which operations may be called, what kind of thing each parameter takes, where
//! names are searched, which fields are ids of what. Format: docs/sources.md.

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
    /// Where the payload is within every response: `result`, `data.items`; empty: the response itself.
    pub result: String,
    /// The time zone that the service's dates are in (`America/New_York`); empty: the question's own.
    pub zone: String,
    /// The service's open days; none: no phrase of a question means one.
    pub calendar: Option<Calendar>,
    /// Words that tell the field of a question, by field.
    pub domain: BTreeMap<String, DomainEntry>,
    /// Kinds of entities, by name.
    pub kind: BTreeMap<String, KindEntry>,
    /// The operations that may be called, by path or operation id.
    pub operation: BTreeMap<String, OperationEntry>,
}

/// A field of what the service knows: `finance`, `movie`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DomainEntry {
    /// Words and phrases of questions of this field, in lower case: common vocabulary, no names of data.
    pub words: Vec<String>,
    /// It counts only where no other field has a word, as an encyclopedia's.
    pub fallback: bool,
}

/// A kind of entity.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KindEntry {
    /// The field that the kind belongs to: `finance`, `movie`. Empty: any.
    pub domain: String,
    /// What people call such things, for prompts: `company or its stock`.
    pub says: String,
    /// Operations whose response lists the names that match a text.
    pub search: Vec<String>,
    /// The field of a record that is its name.
    pub label: String,
    /// The field of a record that is its id; empty: the name is.
    pub id: String,
    /// The operation that gives a record by its id.
    pub details: String,
    /// This kind's values are what `operation` gives for an entity of `kind`: tickers for companies.
    pub of: Option<Derived>,
    /// All the names there are, where they are few.
    pub names: Vec<String>,
    /// Other names, each with the name that the service takes. Their list goes before everything else.
    pub aliases: HashMap<String, String>,
    /// A text of capital letters (or any single short word) may be such a value as it stands: a ticker symbol.
    pub symbol: bool,
    /// Its names may be of any field, as those of an encyclopedia: where a field's own kinds know nothing, these are asked.
    pub general: bool,
    /// Fields of its records, as relations of the graph. With none, those that a response's schema lists.
    pub fields: Vec<String>,
}

/// A kind whose values another operation gives.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Derived {
    /// The kind that it starts from.
    pub kind: String,
    /// The operation.
    pub operation: String,
}

/// An operation that may be called.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OperationEntry {
    /// What it gives, in words: the name of the relation.
    pub name: String,
    /// The field it belongs to; empty: that of the kinds it takes.
    pub domain: String,
    /// What people say when they ask for it, besides its description.
    pub asks: String,
    /// What fills each parameter: a kind, `date`, `day`, `month`, `year`, `number`, `choice`, or a value of its own.
    pub takes: BTreeMap<String, Take>,
    /// The kind of what it gives.
    pub gives: String,
    /// How the payload is laid out.
    pub shape: Shape,
    /// Names of the columns, where the payload is a list of columns or of bare rows.
    pub columns: Vec<String>,
    /// Fields that are ids or names of a kind: `directed_movies = "movie"`.
    pub links: BTreeMap<String, String>,
    /// Fields that answer no question.
    pub drop: Vec<String>,
    /// What a value of a field means: `gender = { "1" = "female" }`.
    pub values: BTreeMap<String, BTreeMap<String, String>>,
    /// Only for looking things up on the way: searches, conversions. Never called for its own sake.
    pub helper: bool,
}

/// What fills a parameter.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Take {
    /// A kind, or one of the words above.
    Named(String),
    /// Always this.
    Fixed {
        /// The value.
        value: toml::Value,
    },
    /// One of a list, by the words that ask for it.
    Choice {
        /// Value to words: `top_position = "peak highest position"`.
        choice: BTreeMap<String, String>,
    },
}

/// How a payload is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// As it looks.
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
    /// [`GraphError::Usage`]: TOML that is none, unknown keys, dates that no calendar has.
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
