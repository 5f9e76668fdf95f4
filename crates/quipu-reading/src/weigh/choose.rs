//! Chooses among readings: equal results vote, and a score gives the confidence of each.

use std::collections::HashSet;

use quipu_language::{Language, asks_for, asks_for_the_better, asks_for_units};
use quipu_query::{
    CellValue, Comparison, Doubt, Expression, From, Item, Mention, Order, Place, Query, Select, Source,
    Tables, ValueKind, words_of,
};

use super::explain::{MEANING, Unexplained, name_in_part, names_left_out};
use super::faults::{OF_JOINS, STAYS, faults, forgives};
use super::mistaken::{another_name, ordered_by_codes};
use super::tried::{given_up, given_up_by_a_path};
use super::word_by_word::unexplained;
use crate::logic::offered::offered;
use crate::relations::inherited::{compared_of_others, of_another_thing};
use crate::relations::reached::measure_of_another;
use crate::things::kinds::misnamed;
use crate::things::mixed_kinds::{all_kinds_taken, most_in_a_name};
use crate::{Candidate, TableQuestion, is_empty};

/// A chosen reading with its confidence.
pub struct Chosen {
    /// The reading.
    pub candidate: Candidate,
    /// The probability that it is right, from 0 to 1.
    pub confidence: f64,
    /// The question's words that it leaves out.
    pub unexplained: Unexplained,
}

/// The features of a reading's confidence.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Features {
    /// How far the reading is in meaning from the question's naming words that it leaves out, as a
    /// share of all of them.
    distance: f64,
    /// The same for the first naming word, which mostly says what is asked for.
    first: f64,
    /// Words that change the meaning and are ignored.
    meanings: f64,
    /// Mends that a colleague would ask about.
    much: f64,
    /// Whether it gave no rows.
    empty: f64,
    /// Whether it was written after a failure.
    repaired: f64,
    /// Whether its values have another kind than the question word asks for.
    kind: f64,
    /// Share of the other queries that the model wrote with the same rows; one half if there are
    /// none.
    votes: f64,
    /// How unlikely its text was to the model: the mean negative logarithm of its tokens'
    /// probabilities.
    unlikely: f64,
    /// Compared values that the question does not name.
    invented: f64,
    /// How far the question is in meaning from the columns that the reading uses, in total.
    unasked: f64,
    /// How far the given columns are in meaning from the role that the question asks for.
    role: f64,
    /// Whether it was made from a path of the graph, not written by the model.
    path: f64,
    /// The share of the path's ends in the probability of all paths.
    share: f64,
    /// The checks that the path fails.
    doubts: f64,
    /// The steps of the path behind its first.
    steps: f64,
    /// Whether it leaves out too much of the question to be sure, or a word that changes the
    /// meaning. Not a weight but a bound.
    doubtful: bool,
}

/// Fitted by `scripts/fit_chooser.py`; docs/results/ names the graphs, and the results on each when
/// it is left out of the fit.
const WEIGHTS: Features = Features {
    distance: -3.89,
    first: -1.08,
    meanings: -1.24,
    much: -0.14,
    empty: -4.36,
    repaired: -0.54,
    kind: -1.18,
    votes: 1.37,
    unlikely: -9.89,
    invented: -0.65,
    unasked: -0.58,
    role: -4.93,
    path: -0.99,
    share: 0.68,
    doubts: -1.25,
    steps: -0.69,
    doubtful: false,
};
const BIAS: f64 = 3.26;
/// The most confidence in a reading that ignores a word like "not", or most words: by default too
/// little for an answer.
const DOUBTFUL: f64 = 0.49;
/// The usual mean logarithm, for models that do not report it.
const USUAL: f64 = -0.13;

impl Features {
    fn of(asking: &TableQuestion<'_>, candidate: &Candidate, unexplained: &Unexplained, votes: f64) -> Self {
        let question = asking.text;
        let much = candidate.bound.mends.iter().filter(|mend| mend.doubt == Doubt::Much).count();
        Self {
            distance: unexplained.distance / unexplained.all.max(1) as f64,
            first: unexplained.first,
            meanings: (unexplained.meanings.len() + unexplained.unsaid.len()) as f64,
            much: much as f64,
            // No rows at all answer "is there any": no.
            empty: f64::from(u8::from(candidate.finds_nothing() && asks_for(question) != Some("yes_or_no"))),
            repaired: f64::from(u8::from(candidate.repaired)),
            kind: f64::from(u8::from(!is_of_kind(question, candidate))),
            votes,
            unlikely: -candidate.likelihood.unwrap_or(USUAL),
            invented: unexplained.invented as f64,
            unasked: unexplained.unasked,
            role: candidate.role,
            path: f64::from(u8::from(candidate.path.is_some())),
            share: candidate.path.map_or(0.0, |path| path.share),
            doubts: candidate.path.map_or(0.0, |path| path.doubts as f64),
            steps: candidate.path.map_or(0.0, |path| path.steps.saturating_sub(1) as f64),
            doubtful: !unexplained.faults.is_empty(),
        }
    }

    /// The features in the order of [`FEATURES`].
    pub fn values(self) -> [f64; 16] {
        let Self { distance, first, meanings, much, empty, repaired, kind, votes, .. } = self;
        let Self { unlikely, invented, unasked, role, path, share, doubts, steps, .. } = self;
        [
            distance, first, meanings, much, empty, repaired, kind, votes, unlikely, invented, unasked, role,
            path, share, doubts, steps,
        ]
    }

    /// Whether a fault caps the confidence.
    pub fn is_doubtful(self) -> bool {
        self.doubtful
    }

    /// The probability that the reading is right, from 0 to 1.
    pub fn confidence(self) -> f64 {
        let weighted: f64 =
            self.values().iter().zip(WEIGHTS.values()).map(|(value, weight)| value * weight).sum();
        let confidence = 1.0 / (1.0 + (-(BIAS + weighted)).exp());
        // A doubtful reading is never sure, whatever its other features.
        if self.doubtful { confidence.min(DOUBTFUL) } else { confidence }
    }
}

/// Names of the features, in their order; the fit reads them by these names.
pub const FEATURES: [&str; 16] = [
    "distance", "first", "meanings", "much", "empty", "repaired", "kind", "votes", "unlikely", "invented",
    "unasked", "role", "path", "share", "doubts", "steps",
];

/// Whether a reading gives the kind of value that the question word asks for: a number for "how
/// many", a date for "when", a name for "who", yes or no for "is".
fn is_of_kind(question: &str, candidate: &Candidate) -> bool {
    let has = |kinds: &[ValueKind]| candidate.plan.columns.iter().any(|column| kinds.contains(&column.kind));
    let one_row = candidate.rows.rows.len() <= 1;
    match asks_for(question) {
        // "How many years" asks for an amount, not for a number of things.
        Some("count") if asks_for_units(question) => {
            has(&[ValueKind::Number, ValueKind::Unknown]) && !candidate.only_counts()
        }
        Some("count" | "amount") => has(&[ValueKind::Number, ValueKind::Unknown]),
        Some("date") => has(&[ValueKind::Date, ValueKind::Number, ValueKind::Unknown]),
        Some("person") => has(&[ValueKind::Entity, ValueKind::Text, ValueKind::Unknown]),
        // A list is an answer too: yes if it is not empty.
        Some("yes_or_no") => {
            !candidate.plan.aggregated || candidate.only_counts() || (one_row && has(&[ValueKind::Flag]))
        }
        _ => !(candidate.plan.columns.len() == 1 && has(&[ValueKind::Flag])),
    }
}

/// The confidence of the best reading so far; 0 without one.
pub fn best_confidence(asking: &TableQuestion<'_>, candidates: &[Candidate]) -> f64 {
    let scores = features(asking, candidates).into_iter().map(|(features, _)| features.confidence());
    scores.max_by(f64::total_cmp).unwrap_or(0.0)
}

/// The features of each reading among the others, and the words that it leaves unexplained.
///
/// - Readings with the same rows vote for each other.
/// - If other words led the model to the same rows, faults of words are forgiven. A likelier query
///   with the same rows hands on the other faults: it shows that the rows do not depend on the word
///   which this one seems to heed. A link used in part is no fault where a query without it has the
///   same rows.
/// - A reply that no table holds what is asked for is a vote against all, and a fault of every
///   other query of the model.
pub fn features(asking: &TableQuestion<'_>, all: &[Candidate]) -> Vec<(Features, Unexplained)> {
    let own: Vec<Unexplained> = all.iter().map(|candidate| left_out(asking, candidate)).collect();
    let is_written = |candidate: &Candidate| candidate.path.is_none();
    let mut features = Vec::new();
    for (at, (candidate, unexplained)) in all.iter().zip(&own).enumerate() {
        let others =
            || all.iter().zip(&own).enumerate().filter(|(place, (of, _))| *place != at && is_written(of));
        let alike = || others().filter(|(_, (other, _))| candidate.agrees_with(other));
        let (votes, voters) = (alike().count(), others().count() + candidate.declined);
        let mut unexplained = unexplained.clone();
        // Readings that are faulty otherwise confirm nothing.
        let is_sound = |(_, (other, left_out)): (usize, (&Candidate, &Unexplained))| {
            left_out.faults.iter().all(|fault| forgives(fault, &other.bound.query))
        };
        if alike().any(is_sound) && voters > 1 && candidate.declined == 0 {
            // A name with a capital is meant, whatever the queries agree on.
            let leaves_out_a_name = unexplained.values.iter().any(|value| value.contains(char::is_uppercase));
            unexplained.faults.retain(|fault| {
                let is_name = leaves_out_a_name && *fault == "leaves out a value of the graph";
                is_name || !forgives(fault, &candidate.bound.query)
            });
        }
        if alike().any(|(_, (_, left_out))| !left_out.faults.contains(&OF_JOINS)) {
            unexplained.faults.retain(|fault| *fault != OF_JOINS);
        }
        let stays = alike().any(|(_, (_, left_out))| left_out.faults.contains(&STAYS));
        if !is_written(candidate) && stays && !unexplained.names.is_empty() {
            unexplained.faults.push(STAYS);
        }
        if !is_written(candidate) && others().any(|(_, (other, _))| lacks_it(other, candidate)) {
            unexplained.faults.push("gives another property than a query that finds none");
        }
        if is_written(candidate) {
            let likelier = alike().filter(|(_, (other, _))| other.likelihood >= candidate.likelihood);
            // A reading that leaves out no word is not to blame for one that another leaves out.
            let says_all = unexplained.words().is_empty();
            let handed_on = likelier.flat_map(|(_, (other, left_out))| {
                let faults = left_out.faults.iter().copied();
                faults.filter(move |fault| {
                    let is_its_own = says_all && *fault == MEANING;
                    *fault != OF_JOINS && !is_its_own && !forgives(fault, &other.bound.query)
                })
            });
            let declined = (candidate.declined > 0).then_some("another reply finds no table");
            let is_straight = |(_, (other, _)): (usize, (&Candidate, _))| finds_none(other, candidate);
            let none = others().any(is_straight).then_some("a likelier query finds none");
            let alone = others_of_all(all, &own, at).any(|other| orders_several(other, candidate));
            let alone = alone.then_some("orders one thing where another reading orders several");
            let skips = unexplained.names.len() >= MANY_LEFT_OUT
                && all.iter().any(|path| goes_on_to(candidate, path, asking.tables));
            let skips = skips.then_some("takes fewer steps than a sure path");
            for fault in handed_on.chain(declined).chain(none).chain(alone).chain(skips) {
                if !unexplained.faults.contains(&fault) {
                    unexplained.faults.push(fault);
                }
            }
        }
        let votes = if voters == 0 { 0.5 } else { votes as f64 / voters as f64 };
        features.push((Features::of(asking, candidate, &unexplained, votes), unexplained));
    }
    features
}

/// So many words of the question left out may tell of another step.
const MANY_LEFT_OUT: usize = 3;

/// Whether a sure path takes all relations that a query takes, and one more: "she learned from
/// someone who lived in a monastery" is not where she lived herself.
fn goes_on_to(query: &Candidate, path: &Candidate, tables: &Tables) -> bool {
    /// The share of its entity's paths from which on a path is sure.
    const SURE: f64 = 0.9;
    let relations = |of: &Candidate| -> HashSet<String> {
        let columns = of.bound.query.places().into_iter().filter_map(|place| tables.column(place));
        columns.filter_map(|column| column.relation.clone()).collect()
    };
    let is_sure = path.path.is_some_and(|fit| fit.share >= SURE && fit.doubts == 0);
    let (taken, all) = (relations(query), relations(path));
    is_sure && !taken.is_empty() && taken.len() + 1 == all.len() && taken.is_subset(&all)
}

/// The readings but one that have no fault by themselves.
fn others_of_all<'a>(
    all: &'a [Candidate],
    own: &'a [Unexplained],
    at: usize,
) -> impl Iterator<Item = &'a Candidate> {
    let others = all.iter().zip(own).enumerate().filter(move |(place, _)| *place != at);
    others.filter(|(_, (_, unexplained))| unexplained.faults.is_empty()).map(|(_, (other, _))| other)
}

/// Whether a reading takes the first of several things by the value by which another one takes the
/// only thing: the youngest of those who lead an agency is its one head.
fn orders_several(several: &Candidate, alone: &Candidate) -> bool {
    let by = |candidate: &Candidate| match candidate.bound.query.order.as_slice() {
        [Order { expression: Expression::Column(by), descending, .. }] => {
            by.place.map(|place| (place, *descending))
        }
        _ => None,
    };
    alone.alone
        && !several.alone
        && several.bound.query.limit == Some(1)
        && !is_empty(&several.rows)
        && by(alone).is_some()
        && by(several) == by(alone)
}

/// The words of the question that a reading leaves unexplained, with the faults of the reading
/// by itself.
fn left_out(asking: &TableQuestion<'_>, candidate: &Candidate) -> Unexplained {
    let (question, query, tables) = (asking.text, &candidate.bound.query, asking.tables);
    let values = names_left_out(asking, query);
    let mut unexplained = Unexplained {
        values: values.into_iter().map(|(text, _)| text).collect(),
        ..unexplained(asking, query, &candidate.near)
    };
    let words = words_of(question);
    let name = name_in_part(asking, &unexplained.names);
    unexplained.leave_out("leaves out a name", name);
    unexplained.leave_out("misnames a kind", misnamed(&words, query, tables, asking.values));
    unexplained.leave_out("means another name", another_name(question, query, asking.values));
    unexplained.unsaid.extend(of_another_thing(&words, &unexplained.names, query, tables));
    unexplained.unsaid.extend(measure_of_another(
        question,
        &unexplained.names,
        query,
        &candidate.near,
        tables,
    ));
    unexplained.unsaid.extend(compared_of_others(&words, query, tables));
    unexplained.unsaid.extend(ordered_by_codes(&words, query, tables));
    let taken = all_kinds_taken(&words, query, tables, asking.values);
    unexplained.leave_out("takes things of all kinds", taken);
    let most = most_in_a_name(&words, query, tables);
    unexplained.leave_out("orders by another measure", most);
    let given_up = given_up(question, &unexplained, &candidate.tried, tables, asking.values);
    unexplained.leave_out("gives up what another query tried", given_up);
    let by_path = given_up_by_a_path(question, &unexplained, candidate);
    unexplained.leave_out("gives up what another query tried", by_path);
    unexplained.leave_out("gives none of those to choose from", no_choice(asking, candidate));
    unexplained.faults = faults(asking, candidate, &unexplained);
    unexplained
}

/// The name of a thing that a comparison offers, if the reading gives none of those that it offers,
/// or all: "which is larger, Ohio or Nevada" is not answered by the United States.
fn no_choice(asking: &TableQuestion<'_>, candidate: &Candidate) -> Option<String> {
    if candidate.planned {
        return None;
    }
    let words = words_of(asking.text);
    let language = Language::of_words(&words);
    let is_number =
        |at: usize| words.get(at).is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    // "Over 150 hectares", "more than 20" compare with a bound.
    let is_bound = |at: usize| {
        is_number(at) || (words.get(at).is_some_and(|word| language.is_than(word)) && is_number(at + 1))
    };
    let compares = |(at, word): (usize, &String)| {
        language.meanings(word).iter().any(|of| of.means == "comparison") && !is_bound(at + 1)
    };
    let is_better = asks_for_the_better(&words);
    if !is_better && !words.iter().enumerate().any(compares) {
        return None;
    }
    let offered = offered(asking.text, asking.values);
    let given: Vec<&CellValue> = candidate.rows.rows.iter().flatten().flatten().collect();
    let is_given = |mention: &Mention| {
        let mut terms = mention.matches.iter().flat_map(|found| &found.terms);
        terms.any(|term| given.iter().any(|cell| cell.term == *term))
    };
    let given_of_them = offered.iter().filter(|mention| is_given(mention)).count();
    let gives_things = given.iter().all(|cell| cell.key.is_some());
    let gives_none = given_of_them == 0 && (gives_things || is_better);
    let gives_all = given_of_them == offered.len() && candidate.bound.query.limit == Some(1);
    let last = offered.last()?;
    (gives_none || gives_all).then(|| last.text.clone())
}

/// Whether a query finds that a thing lacks a property of which a path gives another one: whoever
/// has no year of death did not die in the year of birth.
fn lacks_it(query: &Candidate, path: &Candidate) -> bool {
    let only_table = |select: &Select| match select.from.as_slice() {
        [From { source: Source::Table(_, Some(at)), .. }] => Some(*at),
        _ => None,
    };
    let names_one = |query: &Query, table: usize| {
        let mut named = Vec::new();
        query.visit(&mut |part| {
            if let Expression::Compare(Comparison::Equal, of, value) = part
                && let (Expression::Column(of), Expression::Terms(terms, _)) = (&**of, &**value)
                && of.place == Some(Place { table, column: 0 })
            {
                named.extend(terms.iter().cloned());
            }
        });
        named
    };
    let Some(table) = path.bound.query.select().and_then(only_table) else { return false };
    let named = names_one(&path.bound.query, table);
    query.finds_nothing()
        && !named.is_empty()
        && names_one(&query.bound.query, table).iter().any(|term| named.contains(term))
}

/// Whether a query finds nothing where another one, which was guessed in part or is less likely,
/// gives the same properties of what leads to the same names: the keeper's town is not stated, and
/// that of an innkeeper or an engineer is none.
fn finds_none(query: &Candidate, other: &Candidate) -> bool {
    let much = |of: &Candidate| of.bound.mends.iter().any(|mend| mend.doubt == Doubt::Much);
    let given = |of: &Candidate| -> Vec<Option<Place>> {
        let items = of.bound.query.select().map(|select| select.items.as_slice()).unwrap_or_default();
        let place = |item: &Item| match &item.expression {
            Expression::Column(column) => column.place.filter(|place| place.column > 0),
            _ => None,
        };
        items.iter().map(place).collect()
    };
    let named = |of: &Candidate| -> HashSet<String> {
        let mut named = HashSet::new();
        of.bound.query.visit(&mut |part| {
            if let Expression::Terms(terms, _) = part {
                named.extend(terms.iter().map(ToString::to_string));
            }
        });
        named
    };
    let columns = given(other);
    let names = named(other);
    let is_likelier = query.likelihood >= other.likelihood && !names.is_empty() && named(query) == names;
    !much(query)
        && (much(other) || is_likelier)
        && query.finds_nothing()
        && !is_empty(&other.rows)
        && columns.iter().all(Option::is_some)
        && given(query) == columns
}

/// What the model's queries say of the first reading, a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfPath {
    /// One of them has its rows.
    Confirm,
    /// There are some, none of them has rows, and the path has no fault: they show no other
    /// reading.
    Silent,
    /// All else, and no path at all.
    Contest,
}

/// What the model's queries say of the first reading, if that is a path with rows.
pub fn of_the_path(asking: &TableQuestion<'_>, candidates: &[Candidate]) -> OfPath {
    let first = candidates.split_first().filter(|(path, _)| path.path.is_some() && !is_empty(&path.rows));
    let Some((path, others)) = first else { return OfPath::Contest };
    let written = || others.iter().filter(|other| other.path.is_none());
    if written().any(|other| path.agrees_with(other)) {
        return OfPath::Confirm;
    }
    let shows_none = path.declined == 0 && written().count() > 0 && written().all(Candidate::finds_nothing);
    let has_faults = || features(asking, candidates).first().is_some_and(|(of, _)| of.is_doubtful());
    if shows_none && !has_faults() { OfPath::Silent } else { OfPath::Contest }
}

/// The readings, the surest first; of several with the same rows only the surest.
pub fn choose(asking: &TableQuestion<'_>, candidates: &[Candidate]) -> Vec<Chosen> {
    let scored = features(asking, candidates).into_iter().zip(candidates);
    let mut scored: Vec<Chosen> = scored
        .map(|((features, unexplained), candidate)| Chosen {
            candidate: candidate.clone(),
            confidence: features.confidence(),
            unexplained,
        })
        .collect();
    scored.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let mut chosen: Vec<Chosen> = Vec::new();
    for one in scored {
        if !chosen.iter().any(|known| known.candidate.agrees_with(&one.candidate)) {
            chosen.push(one);
        }
    }
    chosen
}
