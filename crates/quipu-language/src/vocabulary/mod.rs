//! The words of each language, read from one data file a language.
//!
//! Functions over a whole question use the question's own language; [`Language`] answers for single
//! words.

mod asks;
mod columns;
mod events;
mod follow_ups;
mod forms;
mod hierarchies;
mod in_full;
mod kin;
mod language;
mod lists;
mod meanings;
mod measures;
mod orders;
mod passing;
mod peoples;
mod phrasal;
mod preambles;
mod provisos;
mod role;
mod sides;
#[cfg(test)]
mod tests;
mod times;
mod titles;
mod units;
mod ways;

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::IgnoredAny;

pub use asks::{
    asking_clause, asks_for, asks_for_a_measure, asks_for_a_place, asks_for_an_agent, asks_for_the_better,
    asks_for_two, asks_for_units, asks_twice, asks_yes_or_no, begins_a_question, kind_asked_of, sex_asked_of,
    thing_to_describe, without_request,
};
pub(crate) use follow_ups::FollowUpWords;
use hierarchies::HierarchyWords;
pub use hierarchies::{below_clause, through_levels};
pub use kin::{BySteps, kin_by_steps};
pub use language::{Language, WordsError, is_written_as_name, use_words};
pub(crate) use lists::{BoundWords, NestedWords, RoundingWords, WalkWords};
use lists::{
    CommonWords, CurrencyWords, LastedWords, ListWords, NameWords, NoValueWords, OperationWords, PieceWords,
    QuantityWords, RateWords,
};
pub use meanings::{
    Meaning, adds_up_every_one, asks_since_when, behind_restated, changes_within, is_in_phrase, is_mutual,
    is_unit, meanings_at, month, takes_every_one,
};
use measures::MeasureRow;
pub use measures::{Measured, is_measure};
use orders::OrderRow;
pub use orders::{
    End, Ordered, are_ages, are_pieces, are_ranks, are_scores, asked_place, has_open_ends, impossible_place,
    pieces_of, place_asked_for, place_said, with_superlatives,
};
pub use passing::{is_aside, is_in_passing, without_examples};
use phrasal::PhrasalVerbs;
pub use phrasal::phrasal_verbs;
use preambles::PreambleWords;
pub use preambles::preamble;
use provisos::ProvisoWords;
pub use provisos::{included_clause, is_proviso, stated_clause};
pub use role::role_asked_for;
use sides::{ConverseRow, SideWords};
pub use sides::{Side, deed_of_heads, phrase_around, predicate_of, role_of_heads, side_of, subject_of};
pub(crate) use times::TimeWords;
pub use times::clock_time;
use titles::TitleWords;
use units::Conversion;
pub use units::UnitNamed;

use ways::WayWords;
pub use ways::{Towards, direction_before};

pub use titles::{
    class_in_full, is_always_capital, is_code_word, is_dating_field, is_naming_field, means_false,
    means_true, sounds_like, tells_records, title_in_full, without_having,
};

/// A row of a language's file.
#[derive(Debug, Deserialize)]
struct Row {
    means: String,
    #[serde(default)]
    sure: bool,
    #[serde(default)]
    before_value: bool,
    #[serde(default)]
    of_place: bool,
    words: String,
}

/// Words in one line.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct Words {
    line: String,
    /// The same words, to look one up.
    #[serde(skip)]
    known: OnceLock<HashSet<String>>,
}

impl Words {
    pub(crate) fn has(&self, word: &str) -> bool {
        self.known.get_or_init(|| self.iter().map(str::to_owned).collect()).contains(word)
    }

    pub(crate) fn any(&self, is_so: impl Fn(&str) -> bool) -> bool {
        self.iter().any(is_so)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        listed(&self.line)
    }
}

/// The words of a list. A slash separates forms of one word.
fn listed(words: &str) -> impl Iterator<Item = &str> {
    words.split(|c: char| c.is_whitespace() || c == '/').filter(|word| !word.is_empty())
}

/// What tells that words in parentheses are examples.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ExampleWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    openers: Vec<String>,
    closers: Vec<String>,
}

/// Phrases of one kind.
#[derive(Debug, Default, Deserialize)]
struct Phrases {
    phrases: Vec<String>,
    /// The phrases with each word.
    #[serde(skip)]
    rows: OnceLock<HashMap<String, Vec<usize>>>,
}

impl Phrases {
    fn rows_with(&self, word: &str) -> &[usize] {
        let rows = self.rows.get_or_init(|| {
            let mut rows: HashMap<String, Vec<usize>> = HashMap::new();
            for (row, phrase) in self.phrases.iter().enumerate() {
                for word in phrase.split(' ') {
                    rows.entry(word.to_owned()).or_default().push(row);
                }
            }
            rows
        });
        rows.get(word).map(Vec::as_slice).unwrap_or_default()
    }

    /// The phrases with a word.
    fn with(&self, word: &str) -> impl Iterator<Item = &String> {
        self.rows_with(word).iter().filter_map(|row| self.phrases.get(*row))
    }
}

/// Words, each with another: adjectives with the names of their countries.
#[derive(Debug, Default, Deserialize)]
struct Pairs {
    pairs: Vec<String>,
}

/// Words for people of a gender, each with its values, and the titles of columns with such values.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct GenderWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    columns: Words,
    #[serde(default)]
    choices: Vec<String>,
    /// Words for relatives, with the word for a person of their sex.
    #[serde(default)]
    told_by: Vec<lists::Other>,
    pairs: Vec<String>,
}

/// Words of one kind.
#[derive(Debug, Default, Deserialize)]
struct Listed {
    words: String,
    /// The position of each form.
    #[serde(skip)]
    places: OnceLock<HashMap<String, usize>>,
}

impl Listed {
    fn has(&self, word: &str) -> bool {
        self.place(word).is_some()
    }

    /// The word's position in the list, from 0.
    fn place(&self, word: &str) -> Option<usize> {
        let places = self.places.get_or_init(|| {
            let mut places = HashMap::new();
            for (at, forms) in self.words.split_whitespace().enumerate() {
                for form in listed(forms) {
                    places.entry(form.to_owned()).or_insert(at);
                }
            }
            places
        });
        places.get(word).copied()
    }
}

#[derive(Debug, Default, Deserialize)]
struct Irregular {
    verbs: Vec<String>,
}

/// The word endings of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Endings {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// The name of the Snowball stemmer.
    stemmer: String,
    /// Endings of plurals, each with the singular ending that replaces it.
    plurals: Vec<String>,
    /// Endings of singulars, each with the plural's; the first that fits counts.
    made_plurals: Vec<String>,
    /// The ending of those who do what a verb says: "keeper" of "keep".
    agents: String,
    /// Endings of nouns for what somebody does: "conductor".
    #[serde(default)]
    roles: Words,
    /// The ending of comparatives.
    comparative: String,
    /// The ending of superlatives; words outside all lists may have it too.
    superlative: String,
    /// Endings of superlatives, in the place of the comparative's ending.
    superlative_of: Words,
    /// Endings of adjectives behind the form that a list holds: "höheren" is "höher".
    adjectives: Words,
    /// Endings of words of one root: a neurologist and neurology.
    derived: Words,
    /// Whether the language has compounds: "Einwohner" is part of "Einwohnerzahl".
    compounds: bool,
    /// Whether plurals take umlauts: "Länder" of "Land".
    umlauts: bool,
    /// Whether all nouns begin with a capital, so that a capital marks no name.
    nouns_have_capitals: bool,
    /// Whether any verb may begin a yes-or-no question.
    verbs_begin: bool,
}

/// Numbers in words.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Numerals {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// From zero on.
    cardinals: Listed,
    /// From the first on.
    ordinals: Listed,
    /// Prefixes of superlatives, from the second on: "zweitgrößte".
    prefixes: Listed,
    /// The separators of thousands in figures.
    thousands: String,
    /// Words that multiply the number before them, each with its factor.
    scales: Vec<String>,
}

/// A language's file. Missing lists are empty.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Lexicon {
    /// The language's tag: `en`.
    code: String,
    /// Its name in English.
    name: String,
    words: Vec<Row>,
    orders: Vec<OrderRow>,
    measures: Vec<MeasureRow>,
    requests: Phrases,
    #[serde(default)]
    second_questions: Phrases,
    #[serde(default)]
    second_nouns: Listed,
    #[serde(default)]
    partners: Listed,
    marries: Listed,
    descriptions: Phrases,
    phrases: Phrases,
    conversions: Phrases,
    unit_names: Phrases,
    abbreviations: Phrases,
    #[serde(default)]
    contractions: Phrases,
    contracted_verbs: Phrases,
    examples: ExampleWords,
    having: Phrases,
    by_letters: Listed,
    repeats: Listed,
    units: Listed,
    months: Listed,
    question_words: Listed,
    noun_questions: Listed,
    imperatives: Listed,
    shared: Listed,
    reasons: Listed,
    honours: Listed,
    other_names: Listed,
    changes: Listed,
    quantities: Listed,
    degrees: Listed,
    alternatives: Listed,
    be: Listed,
    shares: Listed,
    lacks: Listed,
    letters: Listed,
    light_nouns: Listed,
    deputies: Listed,
    types_of: Listed,
    magnitudes: Listed,
    centuries: Listed,
    open_ends: Listed,
    ages: Listed,
    ranks: Listed,
    scores: Listed,
    bad_scores: Listed,
    pieces: PieceWords,
    row_ends: Listed,
    #[serde(default)]
    directions: Listed,
    #[serde(default)]
    restated: Phrases,
    #[serde(default)]
    lasted: LastedWords,
    #[serde(default)]
    below: Listed,
    #[serde(default)]
    hierarchies: HierarchyWords,
    #[serde(default)]
    adverbs: Listed,
    #[serde(default)]
    sole: Listed,
    #[serde(default)]
    of_one: Listed,
    #[serde(default)]
    usual: Listed,
    #[serde(default)]
    row_nouns: Listed,
    #[serde(default)]
    unit_symbols: Listed,
    #[serde(default)]
    percentages: Listed,
    #[serde(default)]
    halves: Listed,
    #[serde(default)]
    attributes: Listed,
    lasting: Listed,
    asides: Phrases,
    #[serde(default)]
    provisos: ProvisoWords,
    #[serde(default)]
    events: Phrases,
    #[serde(default)]
    kind_columns: Listed,
    #[serde(default)]
    rates: RateWords,
    place_nouns: Listed,
    whoever: Listed,
    no_values: NoValueWords,
    currencies: CurrencyWords,
    #[serde(default)]
    unit_columns: Listed,
    term_starts: Listed,
    term_ends: Listed,
    agents: Listed,
    places: Listed,
    alls: Listed,
    #[serde(default)]
    adding: Phrases,
    before_alls: Listed,
    tops: Listed,
    ordinal_ends: Listed,
    #[serde(default)]
    general: Listed,
    #[serde(default)]
    in_places: Listed,
    #[serde(default)]
    located: Listed,
    #[serde(default)]
    lands: Listed,
    #[serde(default)]
    usual_units: Listed,
    #[serde(default)]
    stated: Listed,
    #[serde(default)]
    reflexives: Listed,
    #[serde(default)]
    nors: Listed,
    #[serde(default)]
    mutual: Listed,
    before_places: Listed,
    before_ranks: Listed,
    called: Listed,
    nouns: Listed,
    irregular: Irregular,
    follow_ups: FollowUpWords,
    sides: SideWords,
    #[serde(default)]
    ways: WayWords,
    #[serde(default)]
    converses: Vec<ConverseRow>,
    endings: Endings,
    walks: WalkWords,
    nested: NestedWords,
    operations: OperationWords,
    quantity: QuantityWords,
    bounds: BoundWords,
    numerals: Numerals,
    times: TimeWords,
    #[serde(default)]
    pub(crate) rounding: RoundingWords,
    names: NameWords,
    lists: ListWords,
    grammar: Listed,
    common: CommonWords,
    titles: TitleWords,
    truths: Listed,
    #[serde(default)]
    falsehoods: Listed,
    capitals: Listed,
    #[serde(default)]
    phrasal_verbs: PhrasalVerbs,
    #[serde(default)]
    preambles: PreambleWords,
    #[serde(default)]
    demonyms: Pairs,
    #[serde(default)]
    language_codes: Pairs,
    /// Short units of areas and volumes, each with the words for it.
    #[serde(default)]
    powers: Pairs,
    genders: GenderWords,
    /// The meanings of each word, collected once.
    #[serde(skip)]
    means: OnceLock<HashMap<String, Vec<Meaning>>>,
    /// The rows of irregular verbs by their stems.
    #[serde(skip)]
    verbs: OnceLock<HashMap<String, Vec<usize>>>,
    /// The forms of irregular verbs.
    #[serde(skip)]
    irregular_forms: OnceLock<HashSet<String>>,
    /// The conversions of units, read.
    #[serde(skip)]
    converted: OnceLock<Vec<Conversion>>,
    /// The function words.
    #[serde(skip)]
    of_grammar: OnceLock<HashSet<String>>,
    /// The words that are common in questions.
    #[serde(skip)]
    everyday: OnceLock<HashSet<String>>,
    /// All words that have a meaning in the language.
    #[serde(skip)]
    known: OnceLock<HashSet<String>>,
}

/// Whether a title names reasons, in any language.
pub fn are_reasons(title: &str) -> bool {
    let words = crate::words_of(title);
    Language::all().any(|language| words.iter().any(|word| language.words().reasons.has(word)))
}

/// Whether a title names places that do not act, in any language.
pub fn are_places(title: &str) -> bool {
    let words = crate::words_of(title);
    Language::all().any(|language| words.last().is_some_and(|word| language.words().places.has(word)))
}
