//! What words say, by code: the word lists are data files, one a language.

mod asks;
mod follow_ups;
mod forms;
mod measures;
mod orders;
mod role;
mod sides;

use std::collections::HashMap;
use std::sync::OnceLock;

use rust_stemmers::{Algorithm, Stemmer};
use serde::Deserialize;

pub use asks::{
    asks_for, asks_for_an_agent, asks_for_the_better, asks_for_two, asks_for_units, asks_twice,
    asks_yes_or_no, begins_a_question, begins_yes_or_no, without_request,
};
pub(crate) use follow_ups::{FollowUpWords, follow_up_words, is_be, is_function_meaning, ordinal_word};
pub use follow_ups::{
    before_a_place, before_name_of_list, behind_an_owner, between_noun_and_owner, joins_two,
};
pub use forms::{is_form, is_noun};
use measures::MeasureRow;
pub use measures::{Measured, is_measure, measured};
use orders::OrderRow;
pub use orders::{
    End, Ordered, are_ages, are_ranks, asked_place, end_asked_for, has_open_ends, impossible_place,
    looks_superlative, orders_times, place_asked_for, place_said, with_superlatives,
};
pub use role::role_asked_for;
use sides::SideWords;
pub use sides::{Side, is_article, is_by, is_than, predicate_of, role_of_heads, side_of};

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

/// Phrases of one kind.
#[derive(Debug, Default, Deserialize)]
struct Phrases {
    phrases: Vec<String>,
}

/// Words of one kind.
#[derive(Debug, Default, Deserialize)]
struct Listed {
    words: String,
}

impl Listed {
    fn has(&self, word: &str) -> bool {
        self.words.split_whitespace().any(|known| known == word)
    }
}

#[derive(Debug, Default, Deserialize)]
struct Irregular {
    verbs: Vec<String>,
}

/// A language's file; a list that it lacks is empty.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    words: Vec<Row>,
    orders: Vec<OrderRow>,
    measures: Vec<MeasureRow>,
    requests: Phrases,
    phrases: Phrases,
    conversions: Phrases,
    units: Listed,
    months: Listed,
    question_words: Listed,
    noun_questions: Listed,
    reasons: Listed,
    honours: Listed,
    quantities: Listed,
    degrees: Listed,
    alternatives: Listed,
    be: Listed,
    shares: Listed,
    letters: Listed,
    light_nouns: Listed,
    magnitudes: Listed,
    centuries: Listed,
    open_ends: Listed,
    ages: Listed,
    ranks: Listed,
    agents: Listed,
    places: Listed,
    alls: Listed,
    before_alls: Listed,
    tops: Listed,
    ordinal_ends: Listed,
    before_places: Listed,
    before_ranks: Listed,
    called: Listed,
    nouns: Listed,
    irregular: Irregular,
    follow_ups: FollowUpWords,
    sides: SideWords,
}

static WORDS: OnceLock<File> = OnceLock::new();

/// Why a file of words is not used.
#[derive(Debug, thiserror::Error)]
pub enum WordsError {
    /// It is no TOML, or holds what is no list of words.
    #[error("this is no file of words: {0}")]
    Unreadable(#[from] toml::de::Error),
    /// Words were read before.
    #[error("another file of words is used already")]
    Used,
}

/// Uses the words of a file in the place of the built-in ones, for the whole process: a list that is not in the file is empty. Before
/// anything is read only. What a list is worth is measured so.
///
/// # Errors
/// [`WordsError`] where the text is no file of words, or words were read before.
pub fn use_words(file: &str) -> Result<(), WordsError> {
    WORDS.set(toml::from_str(file)?).map_err(|_| WordsError::Used)
}

/// English, read once. A test reads the file; were it wrong, no word would have a meaning.
fn english() -> &'static File {
    WORDS.get_or_init(|| toml::from_str(include_str!("en.toml")).unwrap_or_default())
}

/// Whether a word stands between two names of which one is asked for.
pub fn offers_a_choice(word: &str) -> bool {
    english().alternatives.has(word)
}

/// Whether things called so are reasons.
pub fn are_reasons(title: &str) -> bool {
    crate::words_of(title).iter().any(|word| english().reasons.has(word))
}

/// Whether a word stands before a name and is no part of it: "Dr.".
pub fn has_honour(word: &str) -> bool {
    english().honours.has(word)
}

/// Whether a word behind "how" asks for a number of things.
pub fn wants_the_many(word: &str) -> bool {
    meanings(word).iter().any(|meaning| meaning.means == "count")
}

/// Whether a superlative makes one of the word behind it, or asks for a number of things: "most".
pub fn is_quantity(word: &str) -> bool {
    english().quantities.has(word)
}

/// Whether a word before an adjective asks for a measure: "how deep".
pub fn asks_for_a_degree(word: &str) -> bool {
    english().degrees.has(word)
}

/// Whether things called so are places that do not act.
pub fn are_places(title: &str) -> bool {
    crate::words_of(title).last().is_some_and(|word| english().places.has(word))
}

/// Whether a word for each thing means all of them together, by the word before it: "every flight" does, "for every flight" does not.
pub fn groups_all(word: &str, before: Option<&String>) -> bool {
    english().alls.has(word) && !before.is_some_and(|before| english().before_alls.has(before))
}

/// Whether a word asks for the first of an order: "the top 5".
pub fn is_top(word: &str) -> bool {
    english().tops.has(word)
}

/// Whether a name stands behind a word: "called Emma".
pub fn names_what_follows(word: &str) -> bool {
    english().called.has(word)
}

/// Whether a noun follows a question word, and no verb.
pub fn asks_by_a_noun(word: &str) -> bool {
    english().noun_questions.has(word)
}

/// What a word asks a plan to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    /// The row's name: `negation`, `average`, ...
    pub means: String,
    /// Whether a plan that does not do it is no sure answer.
    pub sure: bool,
    /// Whether it is sure only where a value can follow.
    before_value: bool,
    /// Whether it says something of a place before a name.
    pub of_place: bool,
}

/// The meanings of a word in lower case; none of a word that may name something.
pub fn meanings(word: &str) -> &'static [Meaning] {
    static ENGLISH: OnceLock<HashMap<String, Vec<Meaning>>> = OnceLock::new();
    let english = ENGLISH.get_or_init(|| {
        let mut all: HashMap<String, Vec<Meaning>> = HashMap::new();
        for row in &english().words {
            for word in row.words.split_whitespace() {
                let (means, sure) = (row.means.clone(), row.sure);
                let meaning = Meaning { means, sure, before_value: row.before_value, of_place: row.of_place };
                all.entry(word.to_owned()).or_default().push(meaning);
            }
        }
        all
    });
    english.get(word).map(Vec::as_slice).unwrap_or_default()
}

/// The meanings that a question's word has at its place; `words` are those of the question in lower case.
pub fn meanings_at(words: &[String], at: usize) -> Vec<Meaning> {
    let next = words.get(at + 1);
    let value_follows = next.is_some_and(|next| {
        let names = |of: &[Meaning]| !of.iter().any(|meaning| meaning.means == "yes_or_no");
        !["which", "what", "who", "and", "or"].contains(&next.as_str()) && names(meanings(next))
    });
    let of_word = words.get(at).map_or(&[][..], |word| meanings(word));
    let in_phrase = !of_word.is_empty() && is_in_phrase(words, at);
    let at_place = |meaning: &Meaning| {
        let sure = meaning.sure && !in_phrase && (value_follows || !meaning.before_value);
        Meaning { sure, ..meaning.clone() }
    };
    of_word.iter().map(at_place).collect()
}

/// Whether a word stands in a phrase in which it means nothing of its own: the "after" of "named after".
pub fn is_in_phrase(words: &[String], at: usize) -> bool {
    english().phrases.phrases.iter().any(|phrase| {
        let count = phrase.split(' ').count();
        let mut starts = (at + 1).saturating_sub(count)..=at;
        starts.any(|start| {
            words
                .get(start..start + count)
                .is_some_and(|said| phrase.split(' ').eq(said.iter().map(String::as_str)))
        })
    })
}

/// Whether a word asks how long a text is.
pub fn counts_letters(word: &str) -> bool {
    english().letters.has(word)
}

/// Whether a word behind "per" makes a share: "per cent".
pub fn is_share(word: &str) -> bool {
    english().shares.has(word)
}

/// Whether a word multiplies the number before it: "million".
pub fn is_magnitude(word: &str) -> bool {
    english().magnitudes.has(word)
}

/// Whether two words are forms of one verb: by their stem (Snowball, English), or as the language's file says.
fn same_verb(word: &str, other: &str) -> bool {
    let stemmer = Stemmer::create(Algorithm::English);
    word == other || stemmer.stem(word) == stemmer.stem(other) || changes_within(word, other)
}

/// Whether two words are of one row of the irregular verbs: "taught" and "teaches", "flights" and "flew".
pub fn changes_within(word: &str, other: &str) -> bool {
    static VERBS: OnceLock<HashMap<String, Vec<usize>>> = OnceLock::new();
    let stemmer = Stemmer::create(Algorithm::English);
    let verbs = VERBS.get_or_init(|| {
        let mut verbs: HashMap<String, Vec<usize>> = HashMap::new();
        for (row, verb) in english().irregular.verbs.iter().enumerate() {
            for form in verb.split_whitespace() {
                verbs.entry(stemmer.stem(form).into_owned()).or_default().push(row);
            }
        }
        verbs
    });
    let rows = |word: &str| verbs.get(stemmer.stem(word).as_ref());
    rows(word).zip(rows(other)).is_some_and(|(rows, others)| rows.iter().any(|row| others.contains(row)))
}

/// Whether a word only joins others.
fn joins(word: &str) -> bool {
    meanings(word).iter().any(|meaning| meaning.means == "function")
}

fn is_question_word(word: &str) -> bool {
    english().question_words.has(word)
}

/// The month that a word names, from 1.
pub fn month(word: &str) -> Option<usize> {
    let place = english().months.words.split_whitespace().position(|month| {
        // "January" and "jan".
        month == word || (word.len() == 3 && month.starts_with(word))
    });
    place.map(|place| place + 1)
}

/// Whether a word is a unit of time, length, mass or money.
pub fn is_unit(word: &str) -> bool {
    english().units.has(word)
}

/// The smaller units that a unit is made of, each with how many.
pub fn conversions(unit: &str) -> Vec<(f64, &'static str)> {
    let rows = english().conversions.phrases.iter();
    let parts = rows.filter_map(|row| row.split(' ').collect::<Vec<_>>().try_into().ok());
    let of_unit = parts.filter(|[from, ..]: &[&str; 3]| is_form(unit, from));
    of_unit.filter_map(|[_, many, into]| Some((many.parse().ok()?, into))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_file_is_read_and_each_row_has_a_reason() {
        let text = include_str!("en.toml");
        let rows: File = toml::from_str(text).unwrap();
        let lists = [
            &rows.units,
            &rows.months,
            &rows.question_words,
            &rows.noun_questions,
            &rows.reasons,
            &rows.honours,
            &rows.quantities,
            &rows.degrees,
            &rows.alternatives,
            &rows.be,
            &rows.shares,
            &rows.letters,
            &rows.light_nouns,
            &rows.magnitudes,
            &rows.centuries,
            &rows.open_ends,
            &rows.ages,
            &rows.ranks,
            &rows.agents,
            &rows.places,
            &rows.alls,
            &rows.before_alls,
            &rows.tops,
            &rows.ordinal_ends,
            &rows.before_places,
            &rows.before_ranks,
            &rows.called,
            &rows.nouns,
        ];
        // Requests, phrases, conversions, irregular verbs, follow-ups and sides have one each.
        let all = rows.words.len() + rows.orders.len() + rows.measures.len() + 6 + lists.len();
        assert!(rows.irregular.verbs.iter().all(|verb| verb.contains(' ')));
        assert_eq!(text.matches("\nreason = ").count(), all);
        assert!(!rows.requests.phrases.is_empty() && !rows.phrases.phrases.is_empty());
        assert!(lists.iter().all(|list| !list.words.is_empty()));
        assert!(meanings("not").iter().any(|meaning| meaning.means == "negation" && meaning.sure));
        assert!(meanings("novel").is_empty());
    }

    #[test]
    fn units_are_made_of_smaller_ones() {
        let rows: File = toml::from_str(include_str!("en.toml")).unwrap();
        for row in &rows.conversions.phrases {
            let [from, _, into]: [&str; 3] = row.split(' ').collect::<Vec<_>>().try_into().unwrap();
            assert!(conversions(from).iter().any(|(many, unit)| *many > 1.0 && *unit == into), "{row}");
        }
        assert!(conversions("minutes").contains(&(60.0, "second")));
        assert!(conversions("towns").is_empty());
    }

    #[test]
    fn some_words_compare_only_where_a_value_follows() {
        let sure = |question: &str| {
            let words = crate::words_of(question);
            (0..words.len()).any(|at| meanings_at(&words, at).iter().any(|meaning| meaning.sure))
        };
        for compares in ["ships under 500 tons", "ports below the average", "films that are longer"] {
            assert!(sure(compares), "{compares}");
        }
        for places in [
            "which genres do they fall under",
            "the bridge over which it leads",
            "is it under or over",
            "who is the hall named after",
            "which makers, I mean the clubs",
        ] {
            assert!(!sure(places), "{places}");
        }
    }

    #[test]
    fn a_superlative_asks_for_one_end_of_an_order() {
        use Ordered::{Ages, Dates, Numbers, Ranks, Years};
        assert!(are_ranks("chart position") && !are_ranks("ranking points"));
        for (word, of, end) in [
            ("oldest", Numbers, None),
            ("oldest", Ages, Some(End::Descending)),
            ("highest", Ages, Some(End::Descending)),
            ("oldest", Dates, Some(End::Ascending)),
            ("oldest", Years, Some(End::Ascending)),
            ("longest", Dates, Some(End::Ascending)),
            ("longest", Years, None),
            ("newest", Numbers, None),
            ("newest", Dates, Some(End::Descending)),
            ("cheapest", Numbers, Some(End::Ascending)),
            ("best", Numbers, None),
            ("highest", Ranks, Some(End::Ascending)),
            ("top", Ranks, Some(End::Ascending)),
            ("top", Numbers, None),
        ] {
            assert_eq!(end_asked_for(word, of), end, "{word} {of:?}");
        }
    }

    #[test]
    fn an_ordinal_is_a_place_only_before_a_superlative() {
        let place = |question: &str| {
            let words = crate::words_of(question);
            (0..words.len()).find_map(|at| place_asked_for(&words, at))
        };
        assert_eq!(place("the second largest ship"), Some(2));
        assert_eq!(place("the 3rd most common colour"), Some(3));
        assert_eq!(place("the second widest picture"), Some(2));
        assert_eq!(place("the second world war"), None);
        assert_eq!(place("the largest ship"), None);
    }

    #[test]
    fn what_a_question_asks_for() {
        for (question, expected) in [
            ("Is Peru larger than Chile?", Some("yes_or_no")),
            ("Does Chile or Peru have more inhabitants?", None),
            ("Could you tell me which towns lie in Peru?", None),
            ("Can you please tell me who wrote it?", Some("person")),
            ("how many towns lie in Peru", Some("count")),
            ("When was it opened?", Some("date")),
            ("Does Chile or Peru have more than 20 towns?", Some("yes_or_no")),
            ("How much more does it cost?", Some("amount")),
        ] {
            assert_eq!(asks_for(question), expected, "{question}");
        }
        let better = |question: &str| asks_for_the_better(&crate::words_of(question));
        assert!(better("What's dearer, the pump or the drill?") && better("Who is older, Ada or Bo?"));
        assert!(!better("Which river is in Peru or Chile?"));
        assert!(asks_for_units("How many years lie between the two?"));
        assert!(asks_for_units("How many more minutes did it take?"));
        assert!(!asks_for_units("How many paintings are two years old?"));
        assert!(asks_twice("Which is the oldest, and how old is it?"));
        assert!(!asks_twice("Which are the oldest and the youngest?"));
        let two = |question: &str| asks_for_two(&crate::words_of(question), &HashSet::new());
        assert!(two("What are the name and the rating of the best ones?"));
        assert!(!two("Which of them lie in Peru and are larger than those of Chile?"));
        assert_eq!((month("september"), month("sep"), month("seps")), (Some(9), Some(9), None));
    }

    #[test]
    fn places_of_a_list_are_said_in_words() {
        for (said, expected) in [
            ("the number one song on the chart", Some(1)),
            ("which song stood in second place", Some(2)),
            ("the top song of the week", Some(1)),
            ("the top five songs", None),
            ("how many songs are on the chart", None),
        ] {
            assert_eq!(place_said(&crate::words_of(said)), expected, "{said}");
        }
    }

    #[test]
    fn places_that_no_order_has() {
        let found = |question| impossible_place(question);
        assert_eq!(found("What is the -5th largest city?"), Some("-5th"));
        assert_eq!(found("the 0th largest city"), Some("0th"));
        assert_eq!(found("the 99999999999999999999th largest city"), Some("99999999999999999999th"));
        assert_eq!(found("the top 0 cities"), Some("0"));
        for fine in
            ["the 5th largest city", "the top 10 cities", "the film of 1999", "at -5 degrees", "21st century"]
        {
            assert_eq!(found(fine), None, "{fine}");
        }
    }
}
