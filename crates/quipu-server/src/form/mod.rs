//! An answer in the form that a JSON schema asks for, made by code from the typed answer: no model is asked.
//!
//! A schema is read once, before the question is asked: what no answer could ever meet is refused then.
//! Afterwards each property is filled by the column of the answer that is called like it, or by what its
//! name means of an answer (`fields.toml`), and the whole is held against the schema.

mod facts;
mod fields;
mod fill;
mod read;
mod value;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use crate::app::Reply;
use facts::Facts;
use read::Part;

/// Bytes that the automaton of a schema's `pattern` may take.
const PATTERN_BYTES: usize = 1 << 20;

/// A JSON schema that answers are told in.
#[derive(Debug)]
pub(crate) struct Form {
    root: Part,
    validator: Validator,
}

impl Form {
    /// Reads a schema.
    ///
    /// # Errors
    /// What is wrong with it, or why no answer could ever meet it, as a sentence with the place.
    pub(crate) fn read(schema: &Value) -> Result<Self, String> {
        let root = read::part(schema)?;
        read::check(&root)?;
        let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES);
        let options = jsonschema::options().offline().with_pattern_options(patterns);
        let validator = options.should_validate_formats(true).build(schema);
        let validator =
            validator.map_err(|error| at(&error.instance_path().to_string(), &error.to_string()))?;
        Ok(Self { root, validator })
    }

    /// Tells an answer in this form.
    ///
    /// # Errors
    /// Why the answer does not fit, as a sentence with the place.
    pub(crate) fn fill(&self, reply: &Reply) -> Result<Value, String> {
        let facts = Facts::of(reply);
        let filled = fill::whole(&self.root, &facts)?;
        match self.validator.validate(&filled) {
            Ok(()) => Ok(filled),
            Err(error) => Err(at(&error.instance_path().to_string(), &error.to_string())),
        }
    }
}

/// A reason with the place that it holds for.
fn at(path: &str, reason: &str) -> String {
    if path.is_empty() { reason.to_owned() } else { format!("{path}: {reason}") }
}

#[cfg(test)]
#[allow(clippy::needless_pass_by_value, reason = "schemas and answers are written where they are used")]
mod tests;
