//! Grounding: each value of an answer must be found in the evidence. No model is asked; that is
//! what gives `grounded: true` its meaning.

use std::collections::HashMap;

use quipu_language::{normalise, same_value};

use crate::answer::{Evidence, EvidenceContent, RecordField};

/// The shortest normalised name that is searched for inside a passage; a shorter one would be found
/// everywhere.
const SHORTEST_IN_PASSAGE: usize = 3;

/// Which values of an answer the evidence holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grounding {
    /// Values found, with the positions of the evidence that holds each.
    pub supported: Vec<(String, Vec<usize>)>,
    /// Values not found.
    pub unsupported: Vec<String>,
}

impl Grounding {
    /// Whether there is at least one value and all were found.
    pub fn is_grounded(&self) -> bool {
        !self.supported.is_empty() && self.unsupported.is_empty()
    }
}

/// Searches for `values` in `evidence`: by name (normalised), number and date in any usual format;
/// in passages by whole words.
pub fn ground(values: &[String], evidence: &[Evidence]) -> Grounding {
    let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
    for (position, piece) in evidence.iter().enumerate() {
        for stated in piece.values() {
            by_name.entry(normalise(stated)).or_default().push(position);
        }
    }
    let mut grounding = Grounding::default();
    for value in values {
        let name = normalise(value);
        let named = by_name.get(&name).filter(|_| !name.is_empty()).cloned().unwrap_or_default();
        let mut positions = named;
        positions.extend(in_passages(&name, evidence));
        if positions.is_empty() {
            // Only values not found by name are compared as numbers or dates, which costs more.
            let same = |piece: &Evidence| piece.values().iter().any(|stated| same_value(value, stated));
            positions
                .extend(evidence.iter().enumerate().filter(|(_, e)| same(e)).map(|(position, _)| position));
        }
        positions.sort_unstable();
        positions.dedup();
        if positions.is_empty() {
            grounding.unsupported.push(value.clone());
        } else {
            grounding.supported.push((value.clone(), positions));
        }
    }
    grounding
}

fn in_passages<'a>(name: &'a str, evidence: &'a [Evidence]) -> impl Iterator<Item = usize> + 'a {
    evidence.iter().enumerate().filter_map(move |(position, piece)| match &piece.content {
        EvidenceContent::Passage { passage, .. } => {
            contains_words(&normalise(passage), name).then_some(position)
        }
        // A field may be a list, or prose.
        EvidenceContent::Record(record) => {
            let holds = |field: &RecordField| contains_words(&normalise(&field.value), name);
            // The entity of a record stands only in the title of its table: "date of birth of
            // Shakira".
            let about = record.table.split_once(" of ").map_or("", |(_, about)| about);
            let named = contains_words(&normalise(about), name);
            (named || record.fields.iter().any(holds)).then_some(position)
        }
        EvidenceContent::Triple { .. } | EvidenceContent::Calculation { .. } => None,
    })
}

fn contains_words(text: &str, words: &str) -> bool {
    let long_enough =
        words.chars().count() >= SHORTEST_IN_PASSAGE || words.chars().all(|c| c.is_ascii_digit());
    !words.is_empty() && long_enough && format!(" {text} ").contains(&format!(" {words} "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence() -> Vec<Evidence> {
        let triple = |h, r, t| Evidence::triple("geo", [h, r, t], [h, r, t]);
        vec![
            triple("Peru", "capital", "Lima"),
            triple("Peru", "population", "31989256"),
            Evidence::passage("geo", "Lima", "Founded on 18 January 1535 by Francisco Pizarro."),
            Evidence::calculation("count", "5", vec![]),
        ]
    }

    fn check(value: &str, expected: &[usize]) {
        let grounding = ground(&[value.to_owned()], &evidence());
        let found = grounding.supported.first().map_or(&[][..], |(_, at)| at);
        assert_eq!(found, expected, "{value}");
        assert_eq!(grounding.is_grounded(), !expected.is_empty());
    }

    #[test]
    fn names_numbers_and_passages_are_found() {
        check("lima", &[0, 2]);
        check("31,989,256", &[1]);
        check("32 million", &[1]);
        check("Francisco Pizarro", &[2]);
        check("5", &[3]);
    }

    #[test]
    fn what_a_record_is_about_is_found_in_the_title_of_its_table() {
        let fields = vec![RecordField::new("date", &["1977-02-02".to_owned()])];
        let content = crate::answer::RecordContent {
            table: "date of birth of Shakira".into(),
            fields,
            path: "$".into(),
        };
        let evidence = [Evidence::record("api", content)];
        assert!(ground(&["Shakira".to_owned()], &evidence).is_grounded());
        // The words of the operation are no name.
        assert!(!ground(&["date".to_owned()], &evidence).is_grounded());
    }

    #[test]
    fn what_the_evidence_does_not_hold_is_not_found() {
        check("Quito", &[]);
        check("31,989,257", &[]);
        check("Pizarr", &[]);
        check("1", &[]);
        check("", &[]);
    }

    #[test]
    fn one_value_without_support_makes_the_answer_ungrounded() {
        let grounding = ground(&["Lima".into(), "Quito".into()], &evidence());
        assert_eq!(grounding.unsupported, ["Quito"]);
        assert!(!grounding.is_grounded());
        assert!(!ground(&[], &evidence()).is_grounded());
    }
}
