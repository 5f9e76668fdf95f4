//! The catalogue of an endpoint's graph: its relations, types and numbers. A survey reads it once
//! and stores it beside the indexes.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::terms::Term;
use crate::error::{io_error, unwritable};
use crate::files::{sealed, unsealed};
use crate::{GraphDescription, GraphError, Profile, RelationInfo};

/// Triples in a relation's sample: the number that plans read.
pub(super) const SAMPLE: usize = 200;

/// Version of the file; the oldest readable is the same.
const VERSION: u32 = 1;

/// The catalogue of an endpoint's graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalogue {
    version: u32,
    /// The software that serves the endpoint, as it calls itself.
    pub server: String,
    /// The roles of its relations.
    pub profile: Profile,
    /// The endpoint's limit on the rows of a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_rows: Option<usize>,
    /// Name and numbers.
    pub description: GraphDescription,
    /// The relations, by key.
    pub relations: Vec<CatalogueRelation>,
    /// The schema summary, by keys.
    pub schema: Vec<CatalogueEdge>,
    /// Numbers that are estimated or missing, for people.
    pub notes: Vec<String>,
}

/// A relation of the endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogueRelation {
    /// Key, name, role, numbers.
    #[serde(flatten)]
    pub info: RelationInfo,
    /// The keys of the two relations that it combines: one to a mediator, which only joins others
    /// into one fact, and one from the mediator.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub through: Option<(String, String)>,
    /// [`SAMPLE`] triples spread over all heads, if the relation was small enough to be read whole.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) sample: Vec<(Term, Term)>,
}

/// An edge of the schema summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogueEdge {
    /// Key of the heads' type; `None`: untyped heads.
    pub head_type: Option<String>,
    /// Key of the relation.
    pub relation: String,
    /// Key of the tails' type; `None`: untyped entities or literals.
    pub tail_type: Option<String>,
    /// Number of triples.
    pub triples: u64,
    /// Number of distinct heads.
    pub heads: u64,
    /// Number of distinct tails.
    pub tails: u64,
}

impl Catalogue {
    pub(super) fn new(name: &str, server: String) -> Self {
        Self {
            version: VERSION,
            server,
            profile: Profile::default(),
            most_rows: None,
            description: GraphDescription { name: name.to_owned(), ..GraphDescription::default() },
            relations: Vec::new(),
            schema: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Whether the endpoint has a text index for names.
    pub fn can_search(&self) -> bool {
        self.profile.name == "wikidata" || self.server.contains("Virtuoso")
    }

    /// Reads the file.
    ///
    /// # Errors
    /// A file that is missing, damaged or of another version.
    pub fn read(path: &Path) -> Result<Self, GraphError> {
        let corrupt = |reason: String| GraphError::Corrupt { path: path.to_owned(), reason };
        let text = std::fs::read(path).map_err(io_error("cannot read", path))?;
        let text =
            String::from_utf8(text).map_err(|error| corrupt(format!("it is not a catalogue: {error}")))?;
        // Files written before November 2026 begin with their version and have no checksum.
        let held = if text.starts_with("{\n") { &text } else { unsealed(&text).map_err(corrupt)? };
        let value: serde_json::Value =
            serde_json::from_str(held).map_err(|error| corrupt(format!("it is not a catalogue: {error}")))?;
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(version) if version == u64::from(VERSION) => {}
            found => return Err(corrupt(format!("expected version {VERSION}, found {found:?}"))),
        }
        serde_json::from_value(value).map_err(|error| corrupt(format!("it is not a catalogue: {error}")))
    }

    /// Writes the file.
    pub fn write(&self, path: &Path) -> Result<(), GraphError> {
        let text = serde_json::to_string_pretty(self).map_err(unwritable("the catalogue"))?;
        std::fs::write(path, sealed(&text)).map_err(io_error("cannot write", path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catalogue_comes_back_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalogue.json");
        let mut catalogue = Catalogue::new("films", "Test/1".into());
        catalogue.profile = Profile::named("freebase").unwrap();
        catalogue.write(&path).unwrap();
        assert_eq!(Catalogue::read(&path).unwrap(), catalogue);
        let text = std::fs::read_to_string(&path).unwrap();
        let held = unsealed(&text).unwrap();
        std::fs::write(&path, held).unwrap();
        assert_eq!(Catalogue::read(&path).unwrap(), catalogue, "an older one has no checksum");
        for (wrong, expected) in [
            (sealed(&held.replace("\"version\": 1", "\"version\": 9")), "version"),
            (text.replace("films", "filns"), "damaged"),
            ("{\n".into(), "not a catalogue"),
        ] {
            std::fs::write(&path, wrong).unwrap();
            let message = Catalogue::read(&path).unwrap_err().to_string();
            assert!(message.contains(expected) && message.contains("catalogue.json"), "{message}");
        }
    }
}
