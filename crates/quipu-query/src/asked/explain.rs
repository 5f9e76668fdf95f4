//! Finds the words of the question that a plan explains, and those that it leaves out.

use std::collections::HashSet;

use quipu_language::{
    Language, Meaning, Measured, asked_place, asks_yes_or_no, is_written_as_name, meanings_at,
    place_asked_for, role_asked_for, side_of,
};

use super::both::either_for_both;
use super::columns_left_out::{column_left_out, denied_property};
use super::each::each_left_out;
use super::extremes::{adjective_left_out, choice_left_out, extremes_left_out, names_extremes};
use super::kinds::{another_kind_asked_for, nouns_of_kinds};
use super::lacking::{nothing_of_what_is_denied, object_of_denied};
use super::measures::of_another_measure;
use super::mismatched::ruled_out;
use super::mistaken::something_else;
use super::others::{leaves_out_itself, same_as_nothing, shares_by_another};
use super::periods::Periods;
use super::said::Said;
use super::shares::ratio_of_others;
use super::slips::extreme_of;
use super::{Nearness, TableQuestion};
use crate::syntax::{Aggregate, Comparison, Expression, From, Query, Select, Source};
use crate::tables::{Abbreviation, Place, Tables, words_of};
use crate::values::{How, Match, Mention};

/// The assumed similarity of a plan to a word that it leaves out, without an embedder.
const USUAL: f64 = 0.45;

/// From this distance on, the given columns are not the role that the question asks for
/// ([`role_not_given`]). Synonyms are closer: a boss and a manager.
pub const FAR_FROM_ROLE: f64 = 0.4;

/// From this distance on, a column is none that the question speaks of.
const FAR_FROM_QUESTION: f64 = 0.5;

/// Shorter lower-case words may easily be ordinary words instead of names.
const LEAST_NAME: usize = 4;

/// The words of a question that a plan leaves unexplained.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Unexplained {
    /// Words for things that the plan does not mention.
    pub names: Vec<String>,
    /// Words that change the meaning and that the plan ignores.
    pub meanings: Vec<String>,
    /// Things that the plan speaks of, and that the question neither names nor leads to: a
    /// doctor's patients, if it gives their towns as the doctor's.
    pub unsaid: Vec<String>,
    /// Values of the graph that the question names and the plan does not mention
    /// ([`names_left_out`]).
    pub values: Vec<String>,
    /// All words that could name something.
    pub all: usize,
    /// How far the plan is in meaning from the words that it leaves out, in total.
    pub distance: f64,
    /// The same for the first naming word, which mostly says what is asked for.
    pub first: f64,
    /// Values in the plan that the question does not contain.
    pub invented: usize,
    /// How far the question is in meaning from the columns that the plan uses, in total.
    pub unasked: f64,
}

impl Unexplained {
    /// The words and values to tell people, each once: words that change the meaning come first.
    pub fn words(&self) -> Vec<&str> {
        let values = self.values.iter().filter(|value| !self.names.contains(&value.to_lowercase()));
        let mut told: Vec<&str> = Vec::new();
        for word in self.meanings.iter().chain(values).chain(&self.names) {
            if !told.contains(&word.as_str()) {
                told.push(word);
            }
        }
        told
    }
}

/// The values that a question names and a query does not mention, each with the column that holds
/// it: a query for "the largest country of Africa" must mention Africa.
pub fn names_left_out(asking: &TableQuestion<'_>, query: &Query) -> Vec<(String, Place)> {
    let (question, tables) = (asking.text, asking.tables);
    let language = Language::of(question);
    let said = Said::of(query, tables);
    // "The Salt Road": the article does not count.
    let telling = |text: &str| -> Vec<String> {
        words_of(text).into_iter().filter(|word| language.meanings(word).is_empty()).collect()
    };
    let mut compared = HashSet::new();
    let mut names: Vec<Vec<String>> = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Terms(terms, name) = part {
            compared.extend(terms);
            names.push(telling(name));
        }
    });
    let asked = telling(question);
    // "Wrenhaven" is not the ferry "F2 Wrenhaven Shuttle".
    let is_within_another = |words: &[String]| {
        names.iter().any(|name| {
            let others = || name.iter().filter(|word| !words.contains(word));
            words.iter().all(|word| name.contains(word))
                && others().next().is_some()
                && !others().any(|word| asked.contains(word))
        })
    };
    let is_left_out = |mention: &Mention| {
        let words = telling(&mention.text);
        let is_compared = |found: &Match| found.terms.iter().any(|term| compared.contains(term));
        !words.is_empty()
            && (is_within_another(&words) || !words.iter().any(|word| said.names(word, language)))
            && !mention.matches.iter().any(is_compared)
    };
    // In a question without capitals, a word that equals a value is a name.
    let has_capitals = !language.nouns_have_capitals() && question.chars().any(char::is_uppercase);
    let is_name = |mention: &Mention| {
        let name = quipu_language::normalise(&mention.text);
        let is_whole =
            |found: &Match| found.shown.iter().any(|shown| quipu_language::normalise(shown) == name);
        match has_capitals {
            true => words_of(&mention.text).iter().any(|word| is_written_as_name(question, word)),
            false => {
                let is_kind = !nouns_of_kinds(&words_of(&mention.text), tables).is_empty();
                !is_kind && name.chars().count() >= LEAST_NAME && mention.matches.iter().any(is_whole)
            }
        }
    };
    // "Home products" are not those called "Home Plus", if a line of products is called "home".
    let words = words_of(question);
    let describes = |mention: &Mention| {
        let named = words_of(&mention.text);
        let start = words.windows(named.len().max(1)).position(|window| *window == named);
        let noun = start.and_then(|start| words.get(start + named.len()));
        noun.is_some_and(|noun| {
            language.is_plural(noun) && !nouns_of_kinds(std::slice::from_ref(noun), tables).is_empty()
        }) && is_within_another(&telling(&mention.text))
            && mention.matches.iter().any(|found| found.how == How::Exact)
    };
    let mentions = asking.values.mentions(question).into_iter().chain(asking.named.iter().cloned());
    let left_out =
        mentions.filter(|mention| is_left_out(mention) && (is_name(mention) || describes(mention)));
    left_out.filter_map(|mention| Some((mention.text, mention.matches.first()?.place))).collect()
}

/// Whether a query mentions one of the words of a text, in some form.
pub fn speaks_of(text: &str, query: &Query, tables: &Tables) -> bool {
    let said = Said::of(query, tables);
    let language = Language::of(text);
    words_of(text).iter().any(|word| said.names(word, language))
}

/// The role that a question asks for ("the mayor of the city"), followed by the titles of the
/// columns and tables that a query gives. `None` if the question asks for no role, or if the query
/// gives a column of that name.
pub fn role_not_given(question: &str, query: &Query, tables: &Tables) -> Option<Vec<String>> {
    let language = Language::of(question);
    let words = words_of(question);
    let role = role_asked_for(&words)?;
    let given = Said::given(query, tables);
    let is_given = |word: &String| {
        given.iter().flat_map(|title| words_of(title)).any(|known| language.is_form(word, &known))
    };
    if given.is_empty() || role.last().is_some_and(is_given) {
        return None;
    }
    Some(std::iter::once(role.join(" ")).chain(given).collect())
}

impl Unexplained {
    /// Whether more than two thirds of the words that could name something are left out.
    pub(super) fn leaves_out_most(&self) -> bool {
        self.names.len() > 1 && self.names.len() * 3 > self.all * 2
    }
}

/// Compares a question's words with a bound query.
pub(super) fn unexplained(question: &str, query: &Query, near: &Nearness, tables: &Tables) -> Unexplained {
    let language = Language::of(question);
    let question = &with_whole_numbers(question, language);
    let said = Said::of(query, tables);
    let mut found = Unexplained::default();
    let mut seen = HashSet::new();
    let words = words_of(question);
    // "Armour class" is explained by a plan that uses `ac_value`.
    let spoken =
        |place: Place| tables.column(place).is_some_and(|column| said.columns.contains_key(&column.title));
    let abbreviated: Vec<_> = tables
        .abbreviations(&words, |word| language.meanings(word).is_empty())
        .into_iter()
        .filter(|one| spoken(one.place))
        .collect();
    let converted = said.converted(&words);
    let itself_left_out = leaves_out_itself(query);
    let periods = Periods::of(question);
    let is_abbreviated = |at: usize| abbreviated.iter().any(|one| one.words.contains(&at));
    for (at, word) in words.iter().cloned().enumerate() {
        // "Under the Acme brand and under 80": one of the two is a comparison.
        let is_new =
            seen.insert(word.clone()) || language.meanings(&word).iter().any(|meaning| meaning.of_place);
        if is_for_number(&words, at) || !is_new {
            continue;
        }
        if let Some(place) = place_asked_for(&words, at) {
            if said.place != Some(place) {
                found.meanings.push(word);
            }
            continue;
        }
        if asked_place(&words, at).is_some_and(|place| said.place != Some(place))
            && !said.words.contains(&word)
        {
            found.meanings.push(word);
            continue;
        }
        // A name is not a superlative.
        let is_name = is_written_as_name(question, &word);
        if said.does.contains("superlative") && language.looks_superlative(&word) && !is_name {
            continue;
        }
        if converted.contains(&at) || periods.explain(&words, at, &said) {
            continue;
        }
        // "In the top 20": a rank of at most 20.
        let bounds = words.get(at + 1).is_some_and(|next| said.at_most.contains(next));
        if language.is_top(&word) && bounds {
            continue;
        }
        let of_word = meanings_at(&words, at);
        let places =
            |meaning: &Meaning| meaning.of_place && stands_before_a_value(&words, at, &said, language);
        let done = |meaning: &Meaning| said.does.contains(meaning.means.as_str()) || places(meaning);
        if of_word.iter().any(|meaning| meaning.sure) {
            let is_done = of_word.iter().any(done) || said.names(&word, language);
            if !is_done && !names_extremes(&words, at, &said, language) {
                found.meanings.push(word);
            }
            continue;
        }
        // "The average per writer" is not one average of all.
        let groups = of_word.iter().any(|meaning| meaning.means == "group");
        let shares = words.get(at + 1).is_some_and(|next| language.is_share(next));
        let each_row = || {
            words.get(at + 1).is_some_and(|noun| {
                is_of_rows(query, noun, language, tables) || is_rate(&said, noun, language)
            })
        };
        if groups && !shares && gives_one_value(query) && !said.names(&word, language) && !each_row() {
            found.meanings.push(word);
            continue;
        }
        // "Co-wrote films with A": those who share one with A, without A.
        if language.speaks_of_sharing(&word) && itself_left_out {
            continue;
        }
        if !of_word.is_empty() || (word.len() < 2 && !word.chars().all(char::is_numeric)) {
            continue;
        }
        if is_left_out_number(&words, at, &said) {
            found.meanings.push(word);
            continue;
        }
        found.all += 1;
        let is_measured =
            || said.columns.keys().any(|title| language.measured(&word, title) == Measured::Alike);
        if !said.names(&word, language) && !is_abbreviated(at) && !is_measured() {
            let distance = 1.0 - near.to(&word).unwrap_or(USUAL);
            found.distance += distance;
            if found.all == 1 {
                found.first = distance;
            }
            found.names.push(word);
        }
    }
    let plain: Vec<String> = words.iter().map(|word| quipu_language::normalise(word)).collect();
    let invented: Vec<&String> =
        said.values.iter().filter(|value| !is_said(value, &plain) && !periods.hold(value)).collect();
    found.invented = invented.len();
    // The plan ignores a name and uses a quite different value instead: "Aka" is not "Iowa".
    let replaced = found.names.iter().filter(|name| {
        is_written_as_name(question, name)
            && !invented.is_empty()
            && !invented.iter().any(|value| resembles(name, value))
    });
    found.meanings.extend(replaced.cloned().collect::<Vec<_>>());
    // "What is the latitude of Aka" does not ask for all latitudes.
    if lists_a_whole_column(query) {
        let is_named = |name: &&String| {
            is_written_as_name(question, name) && words.windows(2).any(|pair| of_a_name(pair, name, language))
        };
        found.meanings.extend(found.names.iter().find(is_named).cloned());
    }
    // A latitude has no hours: a factor that the question does not name converts no unit.
    let shares = said.does.contains("ratio");
    let is_hundred = |factor: &String| {
        factor.parse::<f64>().is_ok_and(|factor| factor == 1.0 || (shares && factor == 100.0))
    };
    let unsaid = said.factors.iter().filter(|factor| !is_hundred(factor) && !words.contains(factor));
    found.meanings.extend(unsaid.cloned());
    // "The average of all statistics" is not that of strength alone.
    for (word, group) in tables.groups_named(&words) {
        let titles =
            group.columns.iter().filter_map(|place| tables.column(*place)).map(|column| &column.title);
        match titles.into_iter().all(|title| said.columns.contains_key(title)) {
            true => {
                let left_out = found.names.len();
                found.names.retain(|name| *name != word);
                found.distance -=
                    (left_out - found.names.len()) as f64 * (1.0 - near.to(&word).unwrap_or(USUAL));
            }
            false => found.meanings.push(word),
        }
    }
    found.meanings.extend(another_kind_asked_for(question, query, tables));
    found.meanings.extend(of_another_measure(question, query, tables));
    found.meanings.extend(ratio_of_others(&words, &found.names, tables));
    found.meanings.extend(each_left_out(&words, &found.names, tables));
    found.meanings.extend(extremes_left_out(&words, query, &said, tables));
    found.meanings.extend(choice_left_out(question, &words, &found.names));
    found.meanings.extend(acts_by_a_link(&plain, query, &said, tables));
    let left_out = column_left_out(&found.names, query, tables, language);
    found.meanings.extend(left_out.or_else(|| denied_property(&words, &found.names, query, tables)));
    found.meanings.extend(nothing_of_what_is_denied(&words, &found.names));
    found.meanings.extend(shares_by_another(&words, query, tables));
    found.meanings.extend(either_for_both(&words, query));
    found.meanings.extend(same_as_nothing(&words, &found.names, query));
    found.meanings.extend(ruled_out(question, &words, query, tables));
    found.meanings.extend(something_else(question, query, &said, &found.names, near, tables));
    // "Is the jar in stock" is not answered by the existence of a jar.
    if asks_yes_or_no(question) && says_only_that_it_is(query) {
        found.meanings.extend(found.names.extract_if(.., |word| !language.names_what_follows(word)));
    }
    // "Which ships can none of the pilots steer" is not answered by the ships without an owner.
    let is_number = |at: usize| is_for_number(&words, at);
    let denies = |at: usize| {
        !is_number(at) && meanings_at(&words, at).iter().any(|meaning| meaning.means == "negation")
    };
    if (0..words.len()).any(denies) {
        // "Who has not returned a book": the verb, which is said, denies.
        let object = object_of_denied(&words).filter(|(verb, _)| said.names(verb, language));
        let is_object = |noun: &&String| object.is_some_and(|(_, object)| object == *noun);
        let kinds = nouns_of_kinds(&words, tables).into_iter().filter(|noun| !said.names(noun, language));
        found.meanings.extend(kinds.filter(|noun| !is_object(noun)).cloned());
    }
    // "The longer book" has more pages, not a longer name.
    if said.does.contains("letters") && !words.iter().any(|word| language.counts_letters(word)) {
        found.meanings.push("length".into());
    }
    let stands_for = |title: &String| {
        let is_it =
            |one: &&Abbreviation| tables.column(one.place).is_some_and(|column| column.title == *title);
        abbreviated.iter().any(|one| is_it(&one))
    };
    let unasked = |title: &String| {
        if stands_for(title) {
            return 0.0;
        }
        let words = words_of(title);
        let far = |word: &String| match words_asked(word, &plain) {
            true => 0.0,
            false => 1.0 - near.from(word).unwrap_or(USUAL),
        };
        words
            .iter()
            .filter(|word| language.meanings(word).is_empty())
            .map(far)
            .reduce(f64::min)
            .unwrap_or(0.0)
    };
    found.unasked = said.columns.keys().map(unasked).sum();
    let ordered = extreme_of(query).and_then(|column| tables.column(column.place?));
    if ordered.is_some_and(|column| unasked(&column.title) > FAR_FROM_QUESTION) {
        found.meanings.extend(adjective_left_out(&words, &found.names, tables));
    }
    // "The capital of the capital of" asks for two steps.
    let text = words.join(" ").replace(" of the ", " of ");
    for (title, uses) in &said.columns {
        let asked = format!("{} of", words_of(title).join(" "));
        let times = text.matches(&asked).count();
        let steps = uses.saturating_sub(said.repeated.get(title).copied().unwrap_or_default());
        if times > 1 && times > steps {
            found.meanings.push(asked);
        }
    }
    found
}

/// A named thing that acts in a relation according to the question, if the query uses it as neither
/// end of that relation: "which divers did the boat train" is not answered by those who trained
/// somebody on that boat.
fn acts_by_a_link(words: &[String], query: &Query, said: &Said, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let mut found = None;
    query.visit(&mut |part| {
        let Expression::Compare(Comparison::Equal, of, value) = part else { return };
        let (Expression::Column(of), Expression::Terms(_, name)) = (&**of, &**value) else { return };
        let named: Vec<String> = words_of(name).iter().map(|word| quipu_language::normalise(word)).collect();
        let Some(start) = words.windows(named.len().max(1)).position(|window| window == named) else {
            return;
        };
        let before = |at: usize| start.checked_sub(at).and_then(|at| words.get(at));
        // "Did the boat train": the name follows the auxiliary and acts. "Has tasted Ad Astra": the
        // name is the object.
        let ahead =
            if before(1).is_some_and(|word| language.is_article(word)) { before(2) } else { before(1) };
        let follows_a_verb = ahead.is_some_and(|word| language.begins_yes_or_no(word));
        let (Some(place), true) = (of.place, follows_a_verb) else { return };
        let Some(table) = tables.table(place.table) else { return };
        let is_end = |title: &String| {
            let is_it = |at: usize| table.columns.get(at).is_some_and(|column| column.title == *title);
            is_it(place.column) || (place.column == 0 && (0..table.columns.len()).any(is_it))
        };
        let span = start..start + named.len();
        let acts = |title: &&String| side_of(words, &span, title).is_some() && !is_end(title);
        if said.columns.keys().any(|title| acts(&title)) {
            found = Some(name.clone());
        }
    });
    found
}

/// Whether a query only asks whether things of some names exist.
fn says_only_that_it_is(query: &Query) -> bool {
    let (mut exists, mut named, mut more) = (false, false, false);
    query.visit(&mut |part| match part {
        Expression::Exists(_) | Expression::Aggregate { function: Aggregate::Count, .. } => exists = true,
        Expression::Compare(_, of, value) => {
            let is_name =
                matches!(&**of, Expression::Column(of) if of.place.is_some_and(|place| place.column == 0));
            match (is_name, &**value) {
                (true, Expression::Terms(..)) => named = true,
                (_, Expression::Number(_)) => {}
                _ => more = true,
            }
        }
        Expression::InQuery(..) | Expression::InList(..) | Expression::Like(..) | Expression::IsNull(_) => {
            more = true;
        }
        _ => {}
    });
    exists && named && !more
}

/// The question with the separators inside its numbers removed: "5,000" becomes 5000.
fn with_whole_numbers(question: &str, language: Language) -> String {
    let characters: Vec<char> = question.chars().collect();
    let is_digit = |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(char::is_ascii_digit);
    let parts_thousands = |at: usize| {
        is_digit(at.checked_sub(1))
            && (1..=3).all(|next| is_digit(Some(at + next)))
            && !is_digit(Some(at + 4))
    };
    let kept = characters
        .iter()
        .enumerate()
        .filter(|(at, c)| !language.parts_thousands(**c) || !parts_thousands(*at));
    kept.map(|(_, c)| *c).collect()
}

/// Whether a name in the plan follows the word: "over" in "the bridges over the Aude". Numbers do
/// not count.
fn stands_before_a_value(words: &[String], at: usize, said: &Said, language: Language) -> bool {
    let without_article = |words: &[String]| -> Vec<String> {
        let articles = words.iter().take(1).filter(|word| language.is_article(word)).count();
        words.iter().skip(articles).cloned().collect()
    };
    let behind = without_article(words.get(at + 1..).unwrap_or_default());
    said.values.iter().any(|value| {
        let name = without_article(&words_of(value));
        !name.is_empty() && value.starts_with(char::is_alphabetic) && behind.starts_with(&name)
    })
}

/// Whether a word abbreviates "number": "no." in "no. of students".
fn is_for_number(words: &[String], at: usize) -> bool {
    let is = |at: usize, text: &str| words.get(at).is_some_and(|word| word == text);
    is(at, "no") && is(at + 1, "of")
}

/// Whether a word may stand for a value: by initials ("US"), by its beginning ("American"), or with
/// typing errors.
fn resembles(word: &str, value: &str) -> bool {
    /// Letters that related words share at their beginning.
    const SHARED: usize = 4;
    /// The least similarity of words that may differ by a typing error (Jaro-Winkler).
    const ALIKE: f64 = 0.85;
    let words = words_of(value);
    let initials: String = words.iter().filter_map(|word| word.chars().next()).collect();
    let begins =
        |other: &String| word.chars().zip(other.chars()).take_while(|(a, b)| a == b).count() >= SHARED;
    initials == word || words.iter().any(|other| begins(other) || strsim::jaro_winkler(word, other) >= ALIKE)
}

/// Whether the question contains a word of a value, in some form. Small numbers may be written in
/// words.
fn is_said(value: &str, question: &[String]) -> bool {
    /// The greatest number that counts as small.
    const TWELVE: f64 = 12.0;
    if value.parse::<f64>().is_ok_and(|number| number.abs() <= TWELVE) {
        return true;
    }
    let words: Vec<String> = words_of(value).iter().map(|word| quipu_language::normalise(word)).collect();
    words.is_empty() || words.iter().any(|word| words_asked(word, question))
}

fn words_asked(word: &str, question: &[String]) -> bool {
    let language = Language::of_words(question);
    question.iter().any(|asked| asked == word || language.is_form(asked, word))
}

/// Whether a plan ignores a number of the question: it appears neither as it is, nor as its
/// neighbour ("at least 2" is "more than 1"), nor as a share. "5 million" is not the number 5.
fn is_left_out_number(words: &[String], at: usize, said: &Said) -> bool {
    let language = Language::of_words(words);
    let Some(number) = words.get(at).and_then(|word| word.parse::<u32>().ok()).map(f64::from) else {
        return false;
    };
    let multiplied = words.get(at + 1).is_some_and(|next| language.is_magnitude(next));
    let numbers = said.words.iter().filter_map(|word| word.parse::<f64>().ok());
    let values = said.values.iter().filter_map(|value| value.parse::<f64>().ok());
    let is_near = |known: f64| {
        let differs = (known - number).abs();
        differs <= 1.0 || (known * 100.0 - number).abs() < 1e-6
    };
    !multiplied && !numbers.chain(values).any(is_near)
}

/// Whether a column's name says that its values are per unit: an hourly wage.
fn is_rate(said: &Said, unit: &str, language: Language) -> bool {
    let unit = language.singular(unit);
    let names = said.columns.keys().flat_map(|title| words_of(title));
    language.is_unit(&unit) && names.into_iter().any(|word| word.starts_with(&unit))
}

/// Whether a query takes the average of one table whose rows a noun names: "goals per match" of the
/// matches.
fn is_of_rows(query: &Query, noun: &str, language: Language, tables: &Tables) -> bool {
    query.select().is_some_and(|select| {
        let averages = select
            .items
            .iter()
            .all(|item| matches!(item.expression, Expression::Aggregate { function: Aggregate::Avg, .. }));
        match select.from.as_slice() {
            [From { source: Source::Table(_, Some(at)), .. }] => {
                let title = tables.table(*at).map(|table| words_of(&table.title)).unwrap_or_default();
                averages && title.last().is_some_and(|last| language.is_noun(noun, last))
            }
            _ => false,
        }
    })
}

/// Whether two words of a question are "of" and a name, or a name that owns.
fn of_a_name(pair: &[String], name: &str, language: Language) -> bool {
    matches!(pair, [of, named] if (language.is_of(of) && named == name) || (of == name && language.owns(named)))
}

/// Whether a query lists values of one table without any condition, order or calculation.
fn lists_a_whole_column(query: &Query) -> bool {
    let plain = query.order.is_empty() && query.limit.is_none();
    query.select().is_some_and(|select| {
        let is_bare = select.filter.is_none() && select.having.is_none() && select.group.is_empty();
        let gives = select.items.iter().all(|item| matches!(item.expression, Expression::Column(_)));
        plain && is_bare && gives && select.from.len() == 1
    })
}

/// Whether a query gives one value for all its rows.
fn gives_one_value(query: &Query) -> bool {
    let is_one = |select: &Select| {
        select.group.is_empty() && select.items.iter().all(|item| item.expression.has_aggregate())
    };
    query.select().is_some_and(|select| {
        let within = select.from.iter().any(|from| matches!(from.source, Source::Derived(_)));
        is_one(select) && !within
    })
}
