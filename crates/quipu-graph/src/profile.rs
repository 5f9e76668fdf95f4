//! Profiles: the roles of a graph's relations (labels, aliases, types, descriptions, book-keeping).

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::io_error;
use crate::{GraphError, RelationRole};

/// The built-in profiles, the generic one first.
const BUILT_IN: [(&str, &str); 5] = [
    ("rdf", include_str!("../profiles/rdf.toml")),
    ("schema-org", include_str!("../profiles/schema-org.toml")),
    ("wikidata", include_str!("../profiles/wikidata.toml")),
    ("dbpedia", include_str!("../profiles/dbpedia.toml")),
    ("freebase", include_str!("../profiles/freebase.toml")),
];

/// Profiles of vocabularies that many graphs use.
const VOCABULARIES: [&str; 2] = ["rdf", "schema-org"];

/// A profile is detected when its relations carry at least one triple in this many.
const DETECTED_SHARE: u64 = 20;

/// The profile of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ProfileChoice {
    /// Detected from the relations.
    #[default]
    Auto,
    /// A built-in one, by name.
    Named(String),
    /// The user's TOML file.
    File(PathBuf),
}

impl ProfileChoice {
    /// Reads what a user typed: `auto`, a built-in name, or the path of a TOML file.
    pub fn parse(text: &str) -> Self {
        match text {
            "auto" => Self::Auto,
            name if BUILT_IN.iter().any(|(built_in, _)| *built_in == name) => Self::Named(name.into()),
            path => Self::File(path.into()),
        }
    }
}

/// Roles of relations. Lists are in order of preference; a pattern that ends in `*` is a prefix.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// The profile's name.
    pub name: String,
    /// A built-in profile whose lists follow this one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extends: Option<String>,
    /// Prefixes of relation keys by which the profile is detected.
    pub detect: Vec<String>,
    /// Relations to an entity's preferred name.
    pub label: Vec<String>,
    /// Relations to an entity's other names.
    pub alias: Vec<String>,
    /// Relations to an entity's types.
    #[serde(rename = "type")]
    pub types: Vec<String>,
    /// Relations to prose about an entity.
    pub description: Vec<String>,
    /// Relations that answer no question.
    pub noise: Vec<String>,
    /// Nodes without a name are mediators, which only join others into one fact. The fact is walked
    /// in one hop and shown as one (Freebase's compound values).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unnamed_mediators: bool,
    /// Relations that lead to mediators (Wikidata's statements).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mediator: Vec<String>,
    /// The entity that has a relation's label, if it is not the relation itself.
    pub relation_label: Vec<RelationLabelRule>,
}

/// A relation whose key starts with `from` is labelled by the entity whose key starts with `to`
/// instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelationLabelRule {
    /// Prefix of the relation's key.
    pub from: String,
    /// Prefix of the entity's key.
    pub to: String,
}

impl Profile {
    /// The names of the built-in profiles.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// A built-in profile.
    pub fn named(name: &str) -> Result<Self, GraphError> {
        let Some((_, text)) = BUILT_IN.iter().find(|(built_in, _)| *built_in == name) else {
            let names: Vec<&str> = Self::names().collect();
            return Err(GraphError::Usage(format!("unknown profile `{name}`; known: {}", names.join(", "))));
        };
        Self::parse(text)
    }

    /// Reads a user's profile.
    pub fn from_file(path: &Path) -> Result<Self, GraphError> {
        let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                let (path, names) = (path.display(), Self::names().collect::<Vec<_>>().join(", "));
                GraphError::Usage(format!("no profile `{path}`: neither a TOML file nor one of {names}"))
            }
            _ => io_error("cannot read profile", path)(error),
        })?;
        Self::parse(&text).map_err(|error| GraphError::Usage(format!("{}: {error}", path.display())))
    }

    /// Reads a profile's TOML and adds the profile that it extends.
    pub fn parse(text: &str) -> Result<Self, GraphError> {
        let mut profile: Self =
            toml::from_str(text).map_err(|error| GraphError::Usage(format!("bad profile: {error}")))?;
        if let Some(base) = profile.extends.take() {
            let base = Self::named(&base)?;
            profile.label.extend(base.label);
            profile.alias.extend(base.alias);
            profile.types.extend(base.types);
            profile.description.extend(base.description);
            profile.noise.extend(base.noise);
            profile.mediator.extend(base.mediator);
            profile.unnamed_mediators |= base.unnamed_mediators;
            profile.relation_label.extend(base.relation_label);
        }
        Ok(profile)
    }

    /// The built-in profile that fits relations with these numbers of triples best; the generic one
    /// if none fits. Profiles of a single graph take precedence over those of vocabularies, which
    /// the graph's dumps use too.
    pub fn detect(relations: &[(&str, u64)]) -> Result<Self, GraphError> {
        let total: u64 = relations.iter().map(|(_, triples)| triples).sum();
        let mut best = (0, 0, "rdf");
        for (name, text) in BUILT_IN {
            let profile = Self::parse(text)?;
            let fits = |key: &str| profile.detect.iter().any(|prefix| key.starts_with(prefix));
            let share: u64 = relations.iter().filter(|(key, _)| fits(key)).map(|(_, triples)| triples).sum();
            let of_one_graph = usize::from(!VOCABULARIES.contains(&name));
            if share * DETECTED_SHARE > total && (of_one_graph, share) > (best.0, best.1) {
                best = (of_one_graph, share, name);
            }
        }
        Self::named(best.2)
    }

    /// The role of a relation, and its rank among the relations of that role (0 is the most
    /// preferred).
    pub fn role(&self, key: &str) -> (RelationRole, usize) {
        let lists = [
            (RelationRole::Label, &self.label),
            (RelationRole::Alias, &self.alias),
            (RelationRole::Type, &self.types),
            (RelationRole::Description, &self.description),
            (RelationRole::Noise, &self.noise),
        ];
        let ranked = |(role, patterns): (RelationRole, &Vec<String>)| {
            patterns.iter().position(|pattern| matches(pattern, key)).map(|rank| (role, rank))
        };
        lists.into_iter().find_map(ranked).unwrap_or((RelationRole::Ordinary, 0))
    }

    /// Whether a relation's tails are mediators.
    pub fn leads_to_mediator(&self, key: &str) -> bool {
        self.mediator.iter().any(|pattern| matches(pattern, key))
    }

    /// The key of the entity that has a relation's label.
    pub fn label_bearer(&self, relation: &str) -> String {
        let moved =
            |rule: &RelationLabelRule| Some(format!("{}{}", rule.to, relation.strip_prefix(&rule.from)?));
        self.relation_label.iter().find_map(moved).unwrap_or_else(|| relation.to_owned())
    }
}

fn matches(pattern: &str, key: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => key.starts_with(prefix),
        None => key == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_detected(keys: &[&str], expected: &str) {
        let profile = Profile::detect(&keys.iter().map(|key| (*key, 10)).collect::<Vec<_>>()).unwrap();
        assert_eq!(profile.name, expected, "{keys:?}");
    }

    #[test]
    fn profiles_are_detected_by_their_relations() {
        check_detected(&["directed_by", "has_genre"], "rdf");
        check_detected(&["http://www.wikidata.org/prop/direct/P31", "http://schema.org/name"], "wikidata");
        check_detected(&["http://dbpedia.org/ontology/birthPlace"], "dbpedia");
        check_detected(&["__people__person__gender", "children"], "freebase");
        check_detected(&["http://www.w3.org/2004/02/skos/core#broader"], "schema-org");
    }

    #[test]
    fn a_profile_extends_another_and_its_own_lists_come_first() {
        let profile = Profile::named("wikidata").unwrap();
        let label = "http://www.w3.org/2000/01/rdf-schema#label";
        assert_eq!(profile.role(label).0, RelationRole::Label);
        assert!(profile.role("http://www.w3.org/2004/02/skos/core#prefLabel").1 < profile.role(label).1);
        assert_eq!(profile.role("http://wikiba.se/ontology#sitelinks").0, RelationRole::Noise);
        assert_eq!(profile.role("http://www.wikidata.org/prop/direct/P19").0, RelationRole::Ordinary);
        let bearer = profile.label_bearer("http://www.wikidata.org/prop/direct/P19");
        assert_eq!(bearer, "http://www.wikidata.org/entity/P19");
    }

    #[test]
    fn a_bad_profile_says_what_is_wrong() {
        let error = Profile::parse("lable = []").unwrap_err().to_string();
        assert!(error.contains("lable"), "{error}");
        assert!(Profile::named("nosuch").unwrap_err().to_string().contains("wikidata"));
    }
}
