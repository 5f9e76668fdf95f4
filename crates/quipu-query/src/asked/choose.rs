//! Choosing among readings: alike results vote, and a score says how sure the best one is.

use oxrdf::Term;
use quipu_language::{Language, asks_for, asks_for_the_better, asks_for_units};

use super::explain::{FAR_FROM_ROLE, Unexplained, names_left_out, unexplained};
use super::kinds::misnamed;
use super::mistaken::another_name;
use super::{Candidate, TableQuestion};
use crate::bind::Doubt;
use crate::plan::ValueKind;
use crate::run::{CellValue, RowSet};
use crate::syntax::{Comparison, Expression};
use crate::tables::words_of;
use crate::values::Values;

/// A reading that was chosen, with its confidence.
pub struct Chosen {
    /// The reading.
    pub candidate: Candidate,
    /// How likely it is to be right, from 0 to 1.
    pub confidence: f64,
    /// The question's words that it leaves out.
    pub unexplained: Unexplained,
}

/// What the confidence of a reading is made of.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Features {
    /// How far in meaning it stays from the question's naming words that it leaves out, as a share of all of them.
    distance: f64,
    /// The same of the first of the question's naming words, which mostly says what is asked for.
    first: f64,
    /// Words that change the meaning and that it does not heed.
    meanings: f64,
    /// Mends that a colleague would ask about.
    much: f64,
    /// Whether it gave nothing.
    empty: f64,
    /// Whether it was written after a failure.
    repaired: f64,
    /// Whether what it gives is not of the kind that the question's word asks for.
    kind: f64,
    /// Share of the other readings that give the same rows; a half where there are none.
    votes: f64,
    /// How unlikely its text was to the model: the mean of its tokens' negative logarithms.
    unlikely: f64,
    /// Values that it compares with and that the question does not name.
    invented: f64,
    /// How far in meaning the question stays from the columns that it speaks of, together.
    unasked: f64,
    /// How far in meaning what it gives stays from the thing that the question asks for by a role.
    role: f64,
    /// Whether it leaves out too much of the question to be sure, or a word that changes the meaning. No weight: a bound.
    doubtful: bool,
}

/// Fitted by `scripts/fit_chooser.py`; docs/results/ says on which graphs, and how they do on each when it is left out of the fit.
const WEIGHTS: Features = Features {
    distance: -3.86,
    first: -1.02,
    meanings: -1.29,
    much: -0.3,
    empty: -4.0,
    repaired: -0.55,
    kind: -0.98,
    votes: 0.77,
    unlikely: -9.92,
    invented: -0.64,
    unasked: -0.36,
    role: -5.0,
    doubtful: false,
};
const BIAS: f64 = 3.39;
/// The most that a reading is worth which leaves out a word like "not", or most words: below any answer by default.
const DOUBTFUL: f64 = 0.49;
/// What stands for the mean of the logarithms where the model does not tell it: that of most texts.
const USUAL: f64 = -0.13;

impl Features {
    fn of(question: &str, candidate: &Candidate, unexplained: &Unexplained, votes: f64) -> Self {
        let much = candidate.bound.mends.iter().filter(|mend| mend.doubt == Doubt::Much).count();
        Self {
            distance: unexplained.distance / unexplained.all.max(1) as f64,
            first: unexplained.first,
            meanings: unexplained.meanings.len() as f64,
            much: much as f64,
            // Nothing at all is an answer to "is there any": no.
            empty: f64::from(u8::from(is_empty(&candidate.rows) && asks_for(question) != Some("yes_or_no"))),
            repaired: f64::from(u8::from(candidate.repaired)),
            kind: f64::from(u8::from(!is_of_kind(question, candidate))),
            votes,
            unlikely: -candidate.likelihood.unwrap_or(USUAL),
            invented: unexplained.invented as f64,
            unasked: unexplained.unasked,
            role: candidate.role,
            doubtful: candidate.role >= FAR_FROM_ROLE
                || !unexplained.values.is_empty()
                || !unexplained.meanings.is_empty()
                || unexplained.leaves_out_most()
                || gives_no_number(question, candidate)
                || only_repeats(candidate),
        }
    }

    /// The features in the order of [`FEATURES`].
    pub fn values(self) -> [f64; 12] {
        let Self { distance, first, meanings, much, empty, repaired, kind, votes, .. } = self;
        let Self { unlikely, invented, unasked, role, .. } = self;
        [distance, first, meanings, much, empty, repaired, kind, votes, unlikely, invented, unasked, role]
    }

    /// How likely the reading is to be right, from 0 to 1.
    pub fn confidence(self) -> f64 {
        let weighted: f64 =
            self.values().iter().zip(WEIGHTS.values()).map(|(value, weight)| value * weight).sum();
        let confidence = 1.0 / (1.0 + (-(BIAS + weighted)).exp());
        // This forbids a sure answer, whatever else speaks for it.
        if self.doubtful { confidence.min(DOUBTFUL) } else { confidence }
    }
}

/// Names of the features, in their order: what a fit reads them by.
pub const FEATURES: [&str; 12] = [
    "distance", "first", "meanings", "much", "empty", "repaired", "kind", "votes", "unlikely", "invented",
    "unasked", "role",
];

/// Whether a reading gives what the question's word asks for: a number to "how many", a date to "when", a name to "who", yes or no to "is".
fn is_of_kind(question: &str, candidate: &Candidate) -> bool {
    let has = |kinds: &[ValueKind]| candidate.plan.columns.iter().any(|column| kinds.contains(&column.kind));
    let one_row = candidate.rows.rows.len() <= 1;
    match asks_for(question) {
        // How many years are no number of things.
        Some("count") if asks_for_units(question) => {
            has(&[ValueKind::Number, ValueKind::Unknown]) && !candidate.only_counts()
        }
        Some("count" | "amount") => has(&[ValueKind::Number, ValueKind::Unknown]),
        Some("date") => has(&[ValueKind::Date, ValueKind::Number, ValueKind::Unknown]),
        Some("person") => has(&[ValueKind::Entity, ValueKind::Text, ValueKind::Unknown]),
        // A list is an answer too: yes where there is something in it.
        Some("yes_or_no") => {
            !candidate.plan.aggregated || candidate.only_counts() || (one_row && has(&[ValueKind::Flag]))
        }
        _ => !(candidate.plan.columns.len() == 1 && has(&[ValueKind::Flag])),
    }
}

/// Whether a question asks for a number and gets none.
fn gives_no_number(question: &str, candidate: &Candidate) -> bool {
    let numbers = [ValueKind::Number, ValueKind::Unknown, ValueKind::Text];
    let gives = candidate.plan.columns.iter().any(|column| numbers.contains(&column.kind));
    matches!(asks_for(question), Some("count" | "amount")) && !gives
}

/// Whether what it gives is only what the question names itself: "the neighbour of Germany with the largest area" is not Germany.
fn only_repeats(candidate: &Candidate) -> bool {
    let mut named = Vec::new();
    let mut offers = false;
    candidate.bound.query.visit(&mut |part| match part {
        Expression::Compare(Comparison::Equal, _, value) => {
            if let Expression::Terms(terms, _) = &**value {
                named.extend(terms);
            }
        }
        // "Which is larger, A or B" offers what it names.
        Expression::InList(..) | Expression::Or(..) => offers = true,
        _ => {}
    });
    let mut given = candidate.rows.rows.iter().flatten().flatten().peekable();
    !offers && given.peek().is_some() && given.all(|cell| named.contains(&&cell.term))
}

/// Whether rows hold no value at all.
pub fn is_empty(rows: &RowSet) -> bool {
    rows.rows.iter().flatten().flatten().next().is_none()
}

/// The confidence of the best reading so far; 0 without one.
pub fn best_confidence(asking: &TableQuestion<'_>, candidates: &[Candidate]) -> f64 {
    let scores = candidates.iter().map(|candidate| score(asking, candidate, candidates).0);
    scores.max_by(f64::total_cmp).unwrap_or(0.0)
}

/// What the confidence of a reading among others is made of, and the words that it leaves unexplained.
pub fn features(
    asking: &TableQuestion<'_>,
    candidate: &Candidate,
    all: &[Candidate],
) -> (Features, Unexplained) {
    let (question, query, tables) = (asking.text, &candidate.bound.query, asking.tables);
    let values = names_left_out(question, query, tables, asking.values);
    let mut unexplained = Unexplained {
        values: values.into_iter().map(|(text, _)| text).collect(),
        ..unexplained(question, query, &candidate.near, tables)
    };
    unexplained.meanings.extend(misnamed(&words_of(question), query, tables, asking.values));
    unexplained.meanings.extend(another_name(question, query, asking.values));
    // "Which is larger, Ohio or Nevada": neither is the United States.
    let offered = offered(question, asking.values).unwrap_or_default();
    let given: Vec<&CellValue> = candidate.rows.rows.iter().flatten().flatten().collect();
    let is_offered = |cell: &&CellValue| offered.terms.contains(&cell.term);
    if !offered.terms.is_empty()
        && (given.iter().all(|cell| cell.key.is_some()) || asks_for_the_better(&words_of(question)))
        && !given.iter().any(is_offered)
    {
        unexplained.meanings.push(offered.word);
    }
    let others = all.len().saturating_sub(1);
    let alike = all.iter().filter(|other| same_rows(&candidate.rows, &other.rows)).count().saturating_sub(1);
    let votes = if others == 0 { 0.5 } else { alike as f64 / others as f64 };
    (Features::of(question, candidate, &unexplained, votes), unexplained)
}

/// Two values of which a comparison asks for one.
#[derive(Default)]
struct Offered {
    terms: Vec<Term>,
    /// The word between them.
    word: String,
}

/// The values between which a comparison asks to choose; nothing where the question offers no two.
fn offered(question: &str, values: &Values) -> Option<Offered> {
    let language = Language::of(question);
    let words = words_of(question);
    let compares =
        words.iter().flat_map(|word| language.meanings(word)).any(|meaning| meaning.means == "comparison")
            || asks_for_the_better(&words);
    let (or, word) = words.iter().enumerate().find(|(_, word)| compares && language.offers_a_choice(word))?;
    let (mut before, mut behind) = (None, None);
    for mention in values.mentions(question) {
        let named = words_of(&mention.text);
        let at = words.windows(named.len().max(1)).position(|words| words == named);
        let terms = || mention.matches.iter().flat_map(|found| found.terms.clone()).collect::<Vec<Term>>();
        match at {
            Some(at) if at + named.len() == or => before = Some(terms()),
            Some(at) if at == or + 1 => behind = Some(terms()),
            _ => {}
        }
    }
    Some(Offered { terms: [before?, behind?].concat(), word: word.clone() })
}

fn score(asking: &TableQuestion<'_>, candidate: &Candidate, all: &[Candidate]) -> (f64, Unexplained) {
    let (features, unexplained) = features(asking, candidate, all);
    (features.confidence(), unexplained)
}

/// Whether two results hold the same rows, whatever their order.
fn same_rows(a: &RowSet, b: &RowSet) -> bool {
    sorted(a) == sorted(b)
}

fn sorted(rows: &RowSet) -> Vec<Vec<Option<&str>>> {
    let mut sorted: Vec<Vec<Option<&str>>> = rows
        .rows
        .iter()
        .map(|row| row.iter().map(|cell| cell.as_ref().map(|cell| cell.name.as_str())).collect())
        .collect();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}

/// The readings, the surest first; of those with the same rows the surest only.
pub fn choose(asking: &TableQuestion<'_>, candidates: &[Candidate]) -> Vec<Chosen> {
    let mut scored: Vec<Chosen> = candidates
        .iter()
        .map(|candidate| {
            let (confidence, unexplained) = score(asking, candidate, candidates);
            Chosen { candidate: candidate.clone(), confidence, unexplained }
        })
        .collect();
    scored.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let mut chosen: Vec<Chosen> = Vec::new();
    for one in scored {
        if !chosen.iter().any(|known| same_rows(&known.candidate.rows, &one.candidate.rows)) {
            chosen.push(one);
        }
    }
    chosen
}
