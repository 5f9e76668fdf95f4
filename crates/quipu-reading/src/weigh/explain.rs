//! Finds the words of the question that a plan explains, and those that it leaves out.

use std::collections::HashSet;

use quipu_language::{Language, asks_yes_or_no, is_written_as_name, role_asked_for};
use quipu_query::{
    Abbreviation, Expression, How, Kind, Match, Mention, Place, Query, Rows, Tables, words_of,
};

use crate::TableQuestion;
use crate::logic::choices::offered_values;
use crate::said::Said;
use crate::things::hints::kinds_named;
use crate::things::kinds::nouns_of_kinds;

/// From this distance on, the given columns are not the role that the question asks for
/// ([`role_not_given`]). Synonyms are closer: a boss and a manager.
pub const FAR_FROM_ROLE: f64 = 0.4;

/// Fewest letters of a value that the answer to "has A won" needs.
const LEAST_TOLD: usize = 3;
/// Most values of a column that holds a kind of its things: the roles of volunteers.
const CATEGORIES: u64 = 50;

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
    /// The checks that found words in `meanings`, each in a few words.
    pub checks: Vec<&'static str>,
    /// The faults that forbid a sure answer, each in a few words.
    pub faults: Vec<&'static str>,
}

/// The fault of a reading that ignores a word like "not", "only" or "at least".
pub(crate) const MEANING: &str = "leaves out a word that changes the meaning";

impl Unexplained {
    /// Adds words that change the meaning and are ignored, with the check that found them.
    pub(super) fn leave_out(&mut self, check: &'static str, words: impl IntoIterator<Item = String>) {
        for word in words {
            if !self.meanings.contains(&word) {
                self.meanings.push(word);
            }
            if !self.checks.contains(&check) {
                self.checks.push(check);
            }
        }
    }

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
    // "The butter in a Butter Brioche".
    let is_said_again = |words: &[String]| {
        let count = |all: &[String], word: &String| all.iter().filter(|other| *other == word).count();
        words.iter().all(|word| {
            let within: usize = names.iter().map(|name| count(name, word)).sum();
            within > 0 && count(&asked, word) > within
        })
    };
    let is_left_out = |mention: &Mention| {
        let words = telling(&mention.text);
        let is_compared = |found: &Match| found.terms.iter().any(|term| compared.contains(term));
        !words.is_empty()
            && (is_within_another(&words)
                || is_said_again(&words)
                || !words.iter().any(|word| said.names(word, language)))
            && !mention.matches.iter().any(is_compared)
    };
    // In a question without capitals, a word that equals a value is a name.
    let has_capitals = !language.nouns_have_capitals() && question.chars().any(char::is_uppercase);
    let is_name = |mention: &Mention| {
        let name = quipu_language::normalise(&mention.text);
        let is_whole =
            |found: &Match| found.shown.iter().any(|shown| quipu_language::normalise(shown) == name);
        match has_capitals {
            true => {
                let words = words_of(&mention.text);
                // "By open tender or by restricted tender".
                let is_phrase = words.len() > 1
                    && nouns_of_kinds(&words, tables).is_empty()
                    && mention.matches.iter().any(is_whole);
                is_phrase || words.iter().any(|word| is_written_as_name(question, word))
            }
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
    // The heads of used links are used too.
    let is_used = |place: &Place| {
        query.tables().iter().filter_map(|(_, at)| *at).any(|at| {
            let heads = tables.table(at).and_then(|table| match &table.source {
                Rows::Links { heads, .. } => Some(*heads),
                Rows::Types(_) | Rows::Ends { .. } => None,
            });
            at == place.table || heads == Some(place.table)
        })
    };
    // "Fitters" among the volunteers whose role is fitter.
    let holds_kinds = |found: &Match| {
        let column = tables.column(found.place).filter(|_| found.place.column > 0);
        let is_text = column.is_some_and(|of| of.kind == Kind::Text && of.distinct <= CATEGORIES);
        is_text && is_used(&found.place) && matches!(found.how, How::Exact | How::Joined)
    };
    let in_plural = |word: &&String| {
        language.is_plural(word) && language.meanings(word).is_empty() && !said.names(word, language)
    };
    let kinds_of = |word: &String| {
        let mentions = language.singulars(word).into_iter().flat_map(|one| asking.values.mentions(&one));
        let places = mentions.flat_map(|mention| mention.matches).find(holds_kinds).map(|found| found.place);
        places.map(|place| (word.clone(), place))
    };
    let categories: Vec<(String, Place)> = words.iter().filter(in_plural).filter_map(kinds_of).collect();
    // "Has A ever won the award", if a nomination's result is "won".
    let yes_or_no = asks_yes_or_no(question);
    let is_told = |mention: &Mention| {
        yes_or_no
            && mention.text.chars().count() >= LEAST_TOLD
            && nouns_of_kinds(&words_of(&mention.text), tables).is_empty()
            && mention.matches.iter().any(|found| holds_kinds(found) && found.how == How::Exact)
    };
    // The "phone" of "the phone number" is no channel called so.
    let is_attribute = |mention: &Mention| {
        let named = words_of(&mention.text);
        let start = words.windows(named.len().max(1)).position(|window| *window == named);
        let next = start.and_then(|start| words.get(start + named.len()));
        next.is_some_and(|next| language.makes_an_attribute(next))
    };
    // "Is the pool fresh water or salt water": the rows tell which.
    let offered = offered_values(asking, query);
    // "Norwegian scientists" are not all scientists, where the graph has Norway.
    let is_people = |mention: &Mention| language.countries_of(&mention.text).next().is_some();
    let is_needed = |mention: &Mention| {
        (is_name(mention) || describes(mention) || is_told(mention) || is_people(mention))
            && !is_attribute(mention)
            && !offered.contains(&mention.text)
    };
    let mentions = asking.values.mentions(question).into_iter().chain(asking.named.iter().cloned());
    let left_out = mentions.filter(|mention| is_left_out(mention) && is_needed(mention));
    let left_out = left_out.filter_map(|mention| Some((mention.text, mention.matches.first()?.place)));
    let things: HashSet<String> = query
        .tables()
        .into_iter()
        .filter_map(|(_, at)| tables.table(at?))
        .flat_map(|table| words_of(&table.title))
        .collect();
    // "Covered" tells covered bridges from other bridges.
    let tells = |word: &String| {
        language.meanings(word).is_empty() && !things.iter().any(|thing| language.is_noun(word, thing))
    };
    let is_unsaid = |text: &str| {
        let words = words_of(text);
        let telling: Vec<&String> = words.iter().filter(|word| tells(word)).collect();
        match telling.is_empty() {
            true => !words.iter().any(|word| said.names(word, language)),
            false => !telling.into_iter().any(|word| said.names(word, language)),
        }
    };
    // "Beasts" among the creatures, if they are a kind of them and creatures are looked for.
    let kinds = kinds_named(tables, question).into_iter();
    let kinds = kinds.filter(|(text, place, _)| is_used(place) && is_unsaid(text));
    left_out.chain(kinds.map(|(text, place, _)| (text, place))).chain(categories).collect()
}

/// A word that a query leaves out, if the question writes it as a name and it stands in names of
/// the graph: "Manoris instruments" are not all instruments.
pub(super) fn name_in_part(asking: &TableQuestion<'_>, left_out: &[String]) -> Option<String> {
    let stands_in_names = |word: &str| {
        let parts = asking.values.parts(word, |_| false);
        parts.iter().flat_map(|part| &part.matches).any(|found| found.place.column == 0)
    };
    let mut names = left_out.iter().filter(|word| is_written_as_name(asking.text, word));
    names.find(|word| stands_in_names(word)).cloned()
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
    // A boss is who somebody reports to.
    let is_other = |word: &String, title: &String| {
        let title = words_of(title);
        language.other_words(word).iter().any(|other| words_of(other).iter().all(|of| title.contains(of)))
    };
    let is_given = |word: &String| {
        given.iter().any(|title| {
            words_of(title).iter().any(|known| language.is_form(word, known))
                || is_other(word, title)
                || language.are_of_one_measure(&role.join(" "), title)
        })
    };
    if given.is_empty() || role.last().is_some_and(is_given) {
        return None;
    }
    // `len_m` gives "the length of the piste".
    let is_shortened = |one: &Abbreviation| {
        let title = tables.column(one.place).map(|column| &column.title);
        let named = words.get(one.words.clone()).unwrap_or_default();
        named.last() == role.last() && title.is_some_and(|title| given.contains(title))
    };
    let telling = |word: &str| language.meanings(word).is_empty();
    if tables.abbreviations(&words, telling).iter().any(is_shortened) {
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
