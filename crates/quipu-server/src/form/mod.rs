//! Converts an answer to JSON by a client's schema. Code does this from the typed answer, without a
//! model.
//!
//! A schema is parsed once, before the question is asked; one that no answer could satisfy is
//! refused then. Each property is filled from the answer's column with the same name, or by the
//! meaning of its name (`fields.toml`). The result is validated against the schema.

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

/// Most bytes of the automaton for a schema's `pattern`.
const PATTERN_BYTES: usize = 1 << 20;

/// A JSON schema for answers.
#[derive(Debug)]
pub(crate) struct Form {
    root: Part,
    validator: Validator,
}

impl Form {
    /// Parses a schema.
    ///
    /// # Errors
    /// The defect of the schema, or why no answer could satisfy it, as a sentence with the place.
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

    /// Converts an answer to this form.
    ///
    /// # Errors
    /// The reason why the answer does not fit, as a sentence with the place.
    pub(crate) fn fill(&self, reply: &Reply) -> Result<Value, String> {
        let facts = Facts::of(reply);
        let filled = fill::whole(&self.root, &facts)?;
        match self.validator.validate(&filled) {
            Ok(()) => Ok(filled),
            Err(error) => Err(at(&error.instance_path().to_string(), &error.to_string())),
        }
    }
}

/// A reason with its place.
fn at(path: &str, reason: &str) -> String {
    if path.is_empty() { reason.to_owned() } else { format!("{path}: {reason}") }
}

#[cfg(test)]
#[allow(clippy::needless_pass_by_value, reason = "schemas and answers are written where they are used")]
mod tests;
