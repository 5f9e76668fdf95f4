//! Reads `templates.toml`: the questions about facts, and the rules for their answers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::EvalError;

const FILE: &str = include_str!("templates.toml");

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Templates {
    #[serde(rename = "base")]
    pub(super) bases: Vec<BaseTemplate>,
    #[serde(rename = "twin")]
    pub(super) twins: Vec<TwinTemplate>,
    #[serde(rename = "unit")]
    pub(super) units: Vec<UnitTemplate>,
    #[serde(rename = "name")]
    pub(super) names: Vec<Named>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BaseTemplate {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) truth: Truth,
    #[serde(default)]
    pub(super) needs: Vec<Need>,
    /// The reason for the row: for people, and required by a test.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by people"))]
    pub(super) reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TwinTemplate {
    pub(super) kind: String,
    pub(super) base: Option<String>,
    pub(super) text: String,
    pub(super) rule: Rule,
    pub(super) from: Option<End>,
    #[serde(default)]
    pub(super) steps: usize,
    #[serde(default)]
    pub(super) needs: Vec<Need>,
    /// The reason for the row: for people, and required by a test.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by people"))]
    pub(super) reason: String,
}

/// A unit that a question may ask for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnitTemplate {
    pub(super) name: String,
    /// What a number in another unit of the same dimension is multiplied by.
    #[serde(default)]
    pub(super) factors: Vec<f64>,
    /// The reason for the row: for people, and required by a test.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by people"))]
    pub(super) reason: String,
}

/// A name that no graph contains.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Named {
    pub(super) name: String,
    /// The reason for the row: for people, and required by a test.
    #[cfg_attr(not(test), expect(dead_code, reason = "read by people"))]
    pub(super) reason: String,
}

/// The right answer to a base question, by the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Truth {
    Tails,
    Heads,
    Yes,
}

/// An end of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum End {
    Head,
    Tail,
}

/// A requirement of a fact beyond the placeholders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Need {
    Number,
    Entity,
}

/// The rule for a twin's answer, unless it is a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// There must be no answer.
    Refusal,
    /// It equals the graph's statements; without any, there must be no answer.
    Stated,
    /// It equals the base's answer, or the base's truth.
    Equal,
    /// It is a subset of the base's answer, or of the base's truth.
    Subset,
    /// It is disjoint from the base's answer and from the base's truth.
    Disjoint,
    /// It is disjoint too, and together with either it is all things of the kind, where the graph
    /// tells these.
    Complement,
    /// It is the base's answer or truth in another unit, or the same numbers with a remark that
    /// names the unit.
    Unit,
    /// It is "no".
    No,
}

impl Templates {
    pub(super) fn read() -> Result<Self, EvalError> {
        let wrong =
            |error: toml::de::Error| EvalError::Usage(format!("templates.toml of this build: {error}"));
        toml::from_str(FILE).map_err(wrong)
    }

    /// Kinds of twin, in the file's order.
    pub(super) fn kinds(&self) -> Vec<&str> {
        let mut kinds: Vec<&str> = Vec::new();
        for twin in &self.twins {
            if !kinds.contains(&twin.kind.as_str()) {
                kinds.push(&twin.kind);
            }
        }
        kinds
    }
}

/// The values of a fact's placeholders.
pub(super) type Words = BTreeMap<&'static str, String>;

/// The text with all its placeholders filled; `None` if one has no value.
pub(super) fn filled(template: &str, words: &Words) -> Option<String> {
    let mut parts = template.split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}')?;
        text.push_str(words.get(name)?);
        text.push_str(rest);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_whole_and_every_row_says_why() {
        let templates = Templates::read().unwrap();
        let Templates { bases, twins, units, names } = &templates;
        let base = |name: &str| bases.iter().any(|base| base.name == name);
        let reasons = bases.iter().map(|row| &row.reason).chain(twins.iter().map(|row| &row.reason));
        let reasons = reasons.chain(units.iter().map(|row| &row.reason));
        let reasons = reasons.chain(names.iter().map(|row| &row.reason));
        assert!(units.iter().flat_map(|unit| &unit.factors).all(|factor| *factor > 0.0 && *factor != 1.0));
        assert!(reasons.into_iter().all(|reason| reason.len() > 5));
        for twin in twins {
            assert!(twin.base.as_deref().is_none_or(base), "{}", twin.text);
            let against_base = matches!(
                twin.rule,
                Rule::Equal | Rule::Subset | Rule::Disjoint | Rule::Complement | Rule::Unit | Rule::No
            );
            assert_eq!(against_base, twin.base.is_some(), "{}", twin.text);
            assert_eq!(twin.rule == Rule::Stated, twin.from.is_some() && twin.steps > 0, "{}", twin.text);
        }
        assert_eq!(templates.kinds().len(), 9);
    }

    #[test]
    fn placeholders_are_filled_or_the_row_does_not_fit() {
        let words: Words = [("head", "Peru {tail}".to_owned()), ("relation", "capital".to_owned())].into();
        assert_eq!(
            filled("Is {head} the {relation}?", &words).as_deref(),
            Some("Is Peru {tail} the capital?")
        );
        assert_eq!(filled("Is {tail} the {relation}?", &words), None);
        assert_eq!(filled("no place", &words).as_deref(), Some("no place"));
    }

    #[test]
    fn every_placeholder_is_one_that_facts_fill() {
        let known = [
            "head",
            "relation",
            "tail",
            "kind",
            "tail_kind",
            "second_relation",
            "second_tail",
            "typo",
            "absent",
            "unit",
        ];
        let words: Words = known.into_iter().map(|name| (name, name.to_owned())).collect();
        let templates = Templates::read().unwrap();
        let texts =
            templates.bases.iter().map(|row| &row.text).chain(templates.twins.iter().map(|row| &row.text));
        for text in texts {
            assert!(filled(text, &words).is_some(), "{text}");
        }
    }
}
