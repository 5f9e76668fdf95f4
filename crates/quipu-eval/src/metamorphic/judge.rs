//! Judges a twin's answer against the base's answer and the graph.

use quipu_graph::LiteralValue;
use serde::{Deserialize, Serialize};

use super::templates::Rule;
use crate::normal::Cell;

/// The outcome of a question and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// The outcome.
    pub ended: SaidHow,
    /// The bare values.
    pub values: Vec<String>,
    /// The reason for a missing answer, or the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The remarks beside the answer, and the changes to its reading.
    #[serde(default)]
    pub remarks: Vec<String>,
}

/// The outcome of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SaidHow {
    /// There are values.
    Answered,
    /// There is no answer.
    Refused,
    /// An error, a crash, a time-out.
    Failed,
}

/// The verdict on a twin's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Held {
    /// It is an answer that satisfies the rule.
    Held,
    /// It is a refusal, which claims nothing wrong.
    Refused,
    /// It is an answer that violates the rule.
    Wrongly,
    /// The question failed.
    Failed,
}

/// The data for judging a twin.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Against<'a> {
    /// The base's answer, where the twin has a base.
    pub(super) base: Option<&'a Said>,
    /// The right answer to the base, by the graph.
    pub(super) truth: &'a [String],
    /// The graph's statements about the twin itself; for [`Rule::Complement`], all things of its
    /// kind.
    pub(super) stated: &'a [String],
    /// The unit that the twin asks for.
    pub(super) unit: Option<&'a Unit>,
}

/// A unit that a twin asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// Its name, in the plural.
    pub name: String,
    /// What numbers in other units of its dimension are multiplied by.
    pub factors: Vec<f64>,
}

pub(super) fn judge(rule: Rule, twin: &Said, against: &Against<'_>) -> Held {
    match twin.ended {
        SaidHow::Failed => return Held::Failed,
        SaidHow::Refused => return Held::Refused,
        SaidHow::Answered => {}
    }
    let said = Values::of(&twin.values);
    let answered = against.base.filter(|base| base.ended == SaidHow::Answered);
    let base = answered.map(|base| Values::of(&base.values)).unwrap_or_default();
    let (truth, stated) = (Values::of(against.truth), Values::of(against.stated));
    let is_other = !said.meets(&base) && !said.meets(&truth);
    let holds = match rule {
        Rule::Refusal => false,
        Rule::Stated => said.equal(&stated),
        Rule::Equal => said.equal(&base) || said.equal(&truth),
        Rule::Subset => said.within(&base) || said.within(&truth),
        Rule::Disjoint => is_other,
        Rule::Complement => is_other && (said.completes(&base, &stated) || said.completes(&truth, &stated)),
        Rule::Unit => against.unit.is_some_and(|unit| {
            let known = [answered.map_or(&[][..], |base| &base.values), against.truth];
            known.into_iter().any(|known| is_in_unit(twin, known, unit))
        }),
        Rule::No => said.equal(&Values::of(&["no".to_owned()])),
    };
    if holds { Held::Held } else { Held::Wrongly }
}

/// Whether a base's answer equals the graph's, and whether they overlap.
pub(super) fn right(said: &Said, truth: &[String]) -> (bool, bool) {
    let (said, truth) = (Values::of(&said.values), Values::of(truth));
    (said.equal(&truth), said.meets(&truth))
}

/// Whether an answer is known numbers in a unit: converted to it, or as they are with a remark that
/// names the unit.
fn is_in_unit(twin: &Said, known: &[String], unit: &Unit) -> bool {
    /// Largest error of a converted number, as a share of it.
    const ROUNDED: f64 = 0.01;
    let (Some(said), Some(known)) = (numbers(&twin.values), numbers(known)) else { return false };
    if said.is_empty() || said.len() != known.len() {
        return false;
    }
    let is_by = |factor: f64| {
        said.iter()
            .zip(&known)
            .all(|(said, known)| (said - known * factor).abs() <= (known * factor).abs() * ROUNDED)
    };
    let name = unit.name.trim_end_matches('s');
    let names_it = |remark: &String| remark.to_lowercase().contains(name);
    unit.factors.iter().any(|factor| is_by(*factor)) || is_by(1.0) && twin.remarks.iter().any(names_it)
}

/// The numbers of values, in order; `None` if one is no number.
fn numbers(values: &[String]) -> Option<Vec<f64>> {
    let number = |value: &String| match quipu_answer::value_of(value) {
        LiteralValue::Number(number) => Some(number),
        _ => None,
    };
    let mut numbers: Vec<f64> = values.iter().map(number).collect::<Option<_>>()?;
    numbers.sort_by(f64::total_cmp);
    Some(numbers)
}

/// Values ready for comparison.
#[derive(Default)]
struct Values(Vec<Cell>);

impl Values {
    fn of(texts: &[String]) -> Self {
        Self(texts.iter().map(|text| Cell::read(text)).collect())
    }

    fn has(&self, value: &Cell) -> bool {
        self.0.iter().any(|own| own.is(value) || value.is(own))
    }

    fn within(&self, other: &Self) -> bool {
        self.0.iter().all(|value| other.has(value))
    }

    /// Equal non-empty sets.
    fn equal(&self, other: &Self) -> bool {
        !self.0.is_empty() && self.within(other) && other.within(self)
    }

    /// Whether these and others are all of some values.
    fn completes(&self, others: &Self, all: &Self) -> bool {
        all.0.iter().all(|value| self.has(value) || others.has(value))
    }

    fn meets(&self, other: &Self) -> bool {
        self.0.iter().any(|value| other.has(value))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn texts(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    pub(in super::super) fn said(values: &[&str]) -> Said {
        Said { ended: SaidHow::Answered, values: texts(values), reason: None, remarks: Vec::new() }
    }

    pub(in super::super) fn refused() -> Said {
        Said { ended: SaidHow::Refused, ..said(&[]) }
    }

    /// Whether the twin's answer satisfies a rule, given the base's answer, its truth, and the
    /// graph's statements.
    fn check(rule: Rule, twin: &[&str], base: &[&str], truth: &[&str], stated: &[&str]) -> bool {
        let (base, truth, stated) = (said(base), texts(truth), texts(stated));
        let base = (!base.values.is_empty()).then_some(&base);
        let held = judge(rule, &said(twin), &Against { base, truth: &truth, stated: &stated, unit: None });
        assert!(matches!(held, Held::Held | Held::Wrongly));
        held == Held::Held
    }

    #[test]
    fn refusals_keep_every_rule_and_failures_none() {
        let rules = [
            Rule::Refusal,
            Rule::Stated,
            Rule::Equal,
            Rule::Subset,
            Rule::Disjoint,
            Rule::Complement,
            Rule::Unit,
            Rule::No,
        ];
        for rule in rules {
            assert_eq!(judge(rule, &refused(), &Against::default()), Held::Refused);
            let failed = Said { ended: SaidHow::Failed, ..refused() };
            assert_eq!(judge(rule, &failed, &Against::default()), Held::Failed);
        }
        assert!(!check(Rule::Refusal, &["Lima"], &["Lima"], &["Lima"], &["Lima"]));
    }

    #[test]
    fn equal_is_the_base_or_the_truth() {
        assert!(check(Rule::Equal, &["Lima"], &["lima"], &["Lima"], &[]));
        assert!(check(Rule::Equal, &["Cusco"], &["Cusco"], &["Lima"], &[]), "the same mistake is consistent");
        assert!(check(Rule::Equal, &["Lima"], &["Cusco"], &["Lima"], &[]), "the truth is no contradiction");
        assert!(check(Rule::Equal, &["Lima"], &[], &["Lima"], &[]), "the base was refused");
        assert!(!check(Rule::Equal, &["Quito"], &["Lima"], &["Lima"], &[]));
        assert!(!check(Rule::Equal, &["Bolivia"], &["Bolivia", "Chile"], &["Bolivia", "Chile"], &[]));
        assert!(!check(Rule::Equal, &["3"], &["3000"], &["3000"], &[]));
    }

    #[test]
    fn subset_disjoint_and_no() {
        let lists: [&[&str]; 2] = [&["Peru", "Chile"], &["Peru", "Chile", "Cuba"]];
        assert!(check(Rule::Subset, &["Chile"], lists[0], lists[1], &[]));
        assert!(check(Rule::Subset, &["Cuba"], lists[0], lists[1], &[]), "the base had missed one");
        assert!(!check(Rule::Subset, &["Chile", "Spain"], lists[0], lists[1], &[]));
        assert!(check(Rule::Disjoint, &["Quito", "Sucre"], &["Lima"], &["Lima"], &[]));
        assert!(!check(Rule::Disjoint, &["Quito", "Lima"], &["Lima"], &["Lima"], &[]));
        assert!(!check(Rule::Disjoint, &["Lima"], &[], &["Lima"], &[]), "the truth is not negated");
        assert!(check(Rule::No, &["no"], &["yes"], &["yes"], &[]));
        assert!(!check(Rule::No, &["yes"], &["yes"], &["yes"], &[]));
        assert!(!check(Rule::No, &["Lima"], &[], &["yes"], &[]));
    }

    #[test]
    fn a_complement_is_disjoint_and_leaves_nothing_out() {
        let cities = ["Lima", "Quito", "Sucre"];
        assert!(check(Rule::Complement, &["Quito", "Sucre"], &["Lima"], &["Lima"], &cities));
        assert!(!check(Rule::Complement, &["Quito"], &["Lima"], &["Lima"], &cities), "Sucre is left out");
        assert!(!check(Rule::Complement, &cities, &["Lima"], &["Lima"], &cities), "Lima is no other");
        assert!(
            check(Rule::Complement, &["Quito", "Sucre"], &[], &["Lima"], &cities),
            "the base was refused"
        );
        assert!(check(Rule::Complement, &["Quito"], &["Lima"], &["Lima"], &[]), "not all cities are known");
        assert!(!check(Rule::Complement, &["Lima"], &["Lima"], &["Lima"], &[]));
    }

    #[test]
    fn a_number_in_another_unit_is_converted_or_remarked_on() {
        let miles = Unit { name: "miles".into(), factors: vec![0.621371, 0.000621371] };
        let judged = |values: &[&str], remark: Option<&str>, truth: &[&str]| {
            let twin =
                Said { remarks: remark.iter().map(|text| (*text).to_owned()).collect(), ..said(values) };
            let (base, truth) = (said(truth), texts(truth));
            let against = Against { base: Some(&base), truth: &truth, stated: &[], unit: Some(&miles) };
            judge(Rule::Unit, &twin, &against)
        };
        assert_eq!(judged(&["31,989,256"], None, &["31989256"]), Held::Wrongly, "people are no miles");
        assert_eq!(judged(&["31989256 miles"], None, &["31989256"]), Held::Wrongly);
        assert_eq!(judged(&["31989256"], Some("the population has no miles"), &["31989256"]), Held::Held);
        assert_eq!(judged(&["31989256"], Some("Lima was not found"), &["31989256"]), Held::Wrongly);
        assert_eq!(judged(&["745.6"], None, &["1200"]), Held::Held, "kilometres are converted");
        assert_eq!(judged(&["0.62", "1.24"], None, &["2", "1"]), Held::Held, "all of them");
        assert_eq!(judged(&["0.62", "2"], None, &["2", "1"]), Held::Wrongly, "not only one");
        assert_eq!(judged(&["1931"], None, &["1200"]), Held::Wrongly, "the wrong way round");
        assert_eq!(judged(&["Lima"], None, &["1200"]), Held::Wrongly);
        let none = Against { unit: None, ..Against::default() };
        assert_eq!(judge(Rule::Unit, &said(&["1"]), &none), Held::Wrongly);
        assert_eq!(judge(Rule::Unit, &refused(), &none), Held::Refused);
    }

    #[test]
    fn what_the_graph_states_may_be_said_and_nothing_else() {
        assert!(check(Rule::Stated, &["Peru"], &[], &[], &["Peru"]));
        assert!(!check(Rule::Stated, &["Peru"], &[], &[], &[]), "nothing is stated");
        assert!(!check(Rule::Stated, &["Peru"], &[], &[], &["Peru", "Chile"]));
    }

    #[test]
    fn bases_are_held_against_the_graph() {
        assert_eq!(right(&said(&["Lima"]), &texts(&["Lima"])), (true, true));
        assert_eq!(right(&said(&["Lima"]), &texts(&["Lima", "Quito"])), (false, true));
        assert_eq!(right(&said(&["Cusco"]), &texts(&["Lima"])), (false, false));
        assert_eq!(right(&said(&["true"]), &texts(&["yes"])), (true, true));
    }
}
