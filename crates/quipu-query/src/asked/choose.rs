//! Chooses among readings: equal results vote, and a score gives the confidence of each.

use oxrdf::Term;
use quipu_language::{Language, asks_for, asks_for_the_better, asks_for_units};

use super::each::named_behind;
use super::explain::{FAR_FROM_ROLE, Unexplained, names_left_out};
use super::inherited::of_another_thing;
use super::kinds::{called, misnamed};
use super::mistaken::{another_name, ordered_by_codes};
use super::offered::offered;
use super::shapes::gives_one_value;
use super::stand_ins::is_numbered;
use super::tried::given_up;
use super::word_by_word::unexplained;
use super::{Candidate, TableQuestion};
use crate::bind::Doubt;
use crate::plan::ValueKind;
use crate::run::{CellValue, RowSet};
use crate::syntax::{
    Aggregate, Arithmetic, ColumnRef, Comparison, Expression, From, Item, Query, Select, Source,
};
use crate::tables::{Place, Table, Tables, words_of};
use crate::values::Mention;

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
/// With more ties for the first place, an order answers nothing: sixteen rivers do not have "the
/// most tributaries".
const MOST_TIES: usize = 4;
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
            empty: f64::from(u8::from(is_empty(&candidate.rows) && asks_for(question) != Some("yes_or_no"))),
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
            doubtful: candidate.path.is_some_and(|path| path.doubts > 0)
                || candidate.role >= FAR_FROM_ROLE
                || !unexplained.values.is_empty()
                || !unexplained.meanings.is_empty()
                || !unexplained.unsaid.is_empty()
                || unexplained.leaves_out_most()
                || gives_no_number(question, candidate)
                || only_repeats(candidate)
                || gives_parts_of_an_amount(question, candidate)
                || adds_up_one_value(&candidate.bound.query)
                || gives_records(question, candidate, asking.tables)
                || gives_one_of_each(question, candidate, asking.tables)
                || (candidate.ties > MOST_TIES && !gives_the_order(candidate))
                || (candidate.rows.rows.len() > MOST_TIES
                    && !candidate.bound.query.order.is_empty()
                    && asks_for_the_most(question))
                || (denies(question, candidate)
                    && (compares_unsaid(asking, candidate) || is_one_of_a_kind(asking, candidate)))
                || (much > 0 && (denies(question, candidate) || finds_none(candidate)))
                || (finds_none(candidate) && !unexplained.names.is_empty()),
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

/// Whether a question asks for the one thing that has the most of others: "which river has the most
/// tributaries".
fn asks_for_the_most(question: &str) -> bool {
    /// Words before it: "in which of the provinces are the most".
    const MOST_BEFORE: usize = 5;
    let words = words_of(question);
    let language = Language::of_words(&words);
    let asks = words.first().is_some_and(|word| language.asks_by_a_noun(word));
    let places = words.iter().take(MOST_BEFORE);
    asks && words.iter().all(|word| language.cardinal(word).is_none_or(|number| number < 2))
        && !words.iter().any(|word| word.chars().all(|c| c.is_ascii_digit()))
        && places
            .zip(words.iter().skip(1))
            .any(|(before, word)| language.is_article(before) && language.is_quantity(word))
}

/// Whether a reading gives only the values by which it orders: they are the same however many
/// things share them.
fn gives_the_order(candidate: &Candidate) -> bool {
    let query = &candidate.bound.query;
    let given = query.select().map(|select| select.items.as_slice()).unwrap_or_default();
    let is_order = |item: &Item| query.order.iter().any(|order| order.expression == item.expression);
    !given.is_empty() && given.iter().all(is_order)
}

/// Whether a question asks for a number and gets none.
fn gives_no_number(question: &str, candidate: &Candidate) -> bool {
    let numbers = [ValueKind::Number, ValueKind::Unknown, ValueKind::Text];
    let gives = candidate.plan.columns.iter().any(|column| numbers.contains(&column.kind));
    matches!(asks_for(question), Some("count" | "amount")) && !gives
}

/// Whether a query adds up, or averages, the one value that another query gives: the sum of one
/// count counts records, not the things that they tell of.
fn adds_up_one_value(query: &Query) -> bool {
    query.select().is_some_and(|select| {
        let adds = select.items.iter().any(|item| {
            matches!(item.expression, Expression::Aggregate { function: Aggregate::Sum | Aggregate::Avg, .. })
        });
        let of_one = |from: &From| matches!(&from.source, Source::Derived(inner) if gives_one_value(inner));
        adds && select.from.iter().any(of_one)
    })
}

/// Whether a reading gives several products, of price and quantity for instance, where the question
/// asks for one amount: "what does the order come to".
fn gives_parts_of_an_amount(question: &str, candidate: &Candidate) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let groups = |word: &String| language.meanings(word).iter().any(|meaning| meaning.means == "group");
    let is_product = |item: &Item| {
        matches!(item.expression, Expression::Arithmetic(Arithmetic::Multiply, ..))
            && !item.expression.has_aggregate()
    };
    let select = candidate.bound.query.select();
    candidate.rows.rows.len() > 1
        && select.is_some_and(|select| matches!(select.items.as_slice(), [item] if is_product(item)))
        && !words.iter().any(|word| groups(word) || language.is_plural(word))
}

/// Whether a reading gives one row where the question asks for one of each of several things: "for
/// each range, what is its highest peak".
fn gives_one_of_each(question: &str, candidate: &Candidate, tables: &Tables) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let noun = named_behind(&words).and_then(|mut nouns| nouns.next());
    let are_several = |noun: &String| {
        let mut kinds = called(noun, language, tables).into_iter();
        kinds.any(|kind| tables.table(kind).is_some_and(|table| table.rows > 1))
    };
    // "The most goals per match", by a quotient.
    let is_quotient = |of: &Expression| matches!(of, Expression::Arithmetic(..)) || of.has_aggregate();
    let query = &candidate.bound.query;
    let is_alone = |select: &Select| {
        select.group.is_empty()
            && !select.items.iter().any(|item| is_quotient(&item.expression))
            && !query.order.iter().any(|order| is_quotient(&order.expression))
    };
    candidate.rows.rows.len() == 1 && noun.is_some_and(are_several) && query.select().is_some_and(is_alone)
}

/// Whether a reading gives rows called by their table and a number that the question does not speak
/// of: "what did she see" asks for no sighting 12.
fn gives_records(question: &str, candidate: &Candidate, tables: &Tables) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let is_asked = |table: &Table| {
        let last = words_of(&table.title).pop();
        last.is_none_or(|last| words.iter().any(|word| language.is_noun(word, &last)))
    };
    let is_record = |item: &Item| {
        let Expression::Column(ColumnRef { place: Some(Place { table, column: 0 }), .. }) = &item.expression
        else {
            return false;
        };
        tables.table(*table).is_some_and(|table| is_numbered(table) && !table.is_links() && !is_asked(table))
    };
    candidate.bound.query.select().is_some_and(|select| select.items.iter().all(is_record))
}

/// Whether the reading answers no. A "no" has no triples as its evidence, so it is worth no more
/// than the query: one that was guessed in part proves nothing.
fn denies(question: &str, candidate: &Candidate) -> bool {
    let is_no = |cell: &CellValue| matches!(cell.name.as_str(), "false" | "0");
    asks_for(question) == Some("yes_or_no") && candidate.rows.rows.iter().flatten().flatten().all(is_no)
}

/// Whether a reading asks one thing where the question asks for a kind, and other things of the
/// table have its name in theirs: "any type of zombie" may be a Brute Zombie.
fn is_one_of_a_kind(asking: &TableQuestion<'_>, candidate: &Candidate) -> bool {
    let words = words_of(asking.text);
    let language = Language::of_words(&words);
    let is_kind = |name: &[String]| {
        words.windows(name.len() + 2).any(|run| match run {
            [light, of, rest @ ..] => language.is_light_noun(light) && language.is_of(of) && rest == name,
            _ => false,
        })
    };
    let mut found = false;
    candidate.bound.query.visit(&mut |part| {
        let Expression::Compare(Comparison::Equal, of, value) = part else { return };
        if let (Expression::Column(of), Expression::Terms(terms, name)) = (&**of, &**value) {
            let own = words_of(name);
            let is_other = |term: &Term| !terms.contains(term);
            let in_others = || {
                let parts = asking.values.parts(name, |_| false).into_iter();
                let whole = parts.filter(|mention| words_of(&mention.text) == own);
                let mut matches = whole.flat_map(|mention| mention.matches);
                matches.any(|held| Some(held.place) == of.place && held.terms.iter().any(is_other))
            };
            found |= is_kind(&own) && in_others();
        }
    });
    found
}

/// Whether a reading compares with a text of which the question lacks a word: "can I freeze it"
/// does not ask whether it is gluten free. Parts of a thing's name name it, and so do its initials.
fn compares_unsaid(asking: &TableQuestion<'_>, candidate: &Candidate) -> bool {
    let words = words_of(asking.text);
    let mentions = asking.values.mentions(asking.text);
    let mentioned: Vec<&Term> = mentions
        .iter()
        .chain(asking.named)
        .flat_map(|mention| &mention.matches)
        .flat_map(|found| &found.terms)
        .collect();
    let language = Language::of_words(&words);
    let mut unsaid = false;
    candidate.bound.query.visit(&mut |part| {
        if let Expression::Compare(Comparison::Equal, _, value) = part
            && let Expression::Terms(terms, text) = &**value
            && !terms.iter().any(|term| mentioned.contains(&term))
        {
            let said = |word: &String| words.iter().any(|asked| language.is_form(asked, word));
            let held = words_of(text);
            let initials: String = held.iter().filter_map(|word| word.chars().next()).collect();
            let names = |word: &String| {
                let tells = |asked: &&String| language.meanings(asked).is_empty();
                words.iter().filter(tells).any(|asked| begins(asked, word) || *asked == initials)
            };
            unsaid |= match terms.iter().all(Term::is_literal) {
                true => !held.iter().all(said),
                false => !held.is_empty() && !held.iter().any(names),
            };
        }
    });
    unsaid
}

/// Whether a question's word is the beginning of a name's word, apart from one letter if it is
/// long: "boggarg" of "BoggardL", but not "freeze" of "free".
fn begins(asked: &str, word: &str) -> bool {
    /// Fewest letters of a word that may have a wrong one.
    const LONG: usize = 5;
    let length = asked.chars().count();
    let beginning: String = word.chars().take(length).collect();
    asked == beginning || length >= LONG && strsim::levenshtein(asked, &beginning) <= 1
}

/// Whether the reading counts nothing. No triple is its evidence either, so that a word of the
/// question which it leaves out may be the reason why it finds none.
fn finds_none(candidate: &Candidate) -> bool {
    let mut cells = candidate.rows.rows.iter().flatten().flatten().peekable();
    candidate.only_counts() && cells.peek().is_some() && cells.all(|cell| cell.name == "0")
}

/// Whether the reading gives only things that the question itself names: "the neighbour of Germany
/// with the largest area" is not Germany.
fn only_repeats(candidate: &Candidate) -> bool {
    let mut named = Vec::new();
    let mut offers = false;
    candidate.bound.query.visit(&mut |part| match part {
        Expression::Compare(Comparison::Equal, _, value) => {
            if let Expression::Terms(terms, _) = &**value {
                named.extend(terms);
            }
        }
        // "Which is larger, A or B" offers the things that it names.
        Expression::InList(..) | Expression::Or(..) => offers = true,
        _ => {}
    });
    let mut given = candidate.rows.rows.iter().flatten().flatten().peekable();
    !offers && given.peek().is_some() && given.all(|cell| named.contains(&&cell.term))
}

/// Whether the rows hold no value at all.
pub fn is_empty(rows: &RowSet) -> bool {
    rows.rows.iter().flatten().flatten().next().is_none()
}

/// The confidence of the best reading so far; 0 without one.
pub fn best_confidence(asking: &TableQuestion<'_>, candidates: &[Candidate]) -> f64 {
    let scores = candidates.iter().map(|candidate| score(asking, candidate, candidates).0);
    scores.max_by(f64::total_cmp).unwrap_or(0.0)
}

/// The features of a reading among others, and the words that it leaves unexplained.
pub fn features(
    asking: &TableQuestion<'_>,
    candidate: &Candidate,
    all: &[Candidate],
) -> (Features, Unexplained) {
    let (question, query, tables) = (asking.text, &candidate.bound.query, asking.tables);
    let values = names_left_out(asking, query);
    let mut unexplained = Unexplained {
        values: values.into_iter().map(|(text, _)| text).collect(),
        ..unexplained(question, query, &candidate.near, tables)
    };
    unexplained.meanings.extend(misnamed(&words_of(question), query, tables, asking.values));
    unexplained.meanings.extend(another_name(question, query, asking.values));
    let words = words_of(question);
    unexplained.unsaid.extend(of_another_thing(&words, &unexplained.names, query, tables));
    unexplained.unsaid.extend(ordered_by_codes(&words, query, tables));
    unexplained.meanings.extend(given_up(question, &unexplained, &candidate.tried, tables));
    unexplained.meanings.extend(no_choice(asking, candidate));
    let written = || all.iter().filter(|other| other.path.is_none());
    let itself = usize::from(candidate.path.is_none());
    // The model's word that no table holds what is asked for is a vote against.
    let declined = usize::from(candidate.path.is_some_and(|path| path.declined));
    let others = written().count().saturating_sub(itself) + declined;
    let alike = written().filter(|other| same_rows(&candidate.rows, &other.rows)).count();
    let alike = alike.saturating_sub(itself);
    let votes = if others == 0 { 0.5 } else { alike as f64 / others as f64 };
    (Features::of(asking, candidate, &unexplained, votes), unexplained)
}

/// The name of a thing that a comparison offers, if the reading gives none of those that it offers,
/// or all: "which is larger, Ohio or Nevada" is not answered by the United States.
fn no_choice(asking: &TableQuestion<'_>, candidate: &Candidate) -> Option<String> {
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

/// The readings, the surest first; of several with the same rows only the surest.
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
