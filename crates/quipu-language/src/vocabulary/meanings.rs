//! The effect of single words on a plan.

use std::borrow::Cow;
use std::collections::HashMap;

use super::provisos::{leaves_out, proviso_in, rules_out};
use super::{Language, Phrases, listed};
use crate::words::begin;

/// What a word requires of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    /// The row's name: `negation`, `average`, ...
    pub means: String,
    /// Whether a plan that ignores the word is not a sure answer.
    pub sure: bool,
    /// Whether `sure` holds only where a value can follow.
    before_value: bool,
    /// Whether the word describes a place when it stands before a name.
    pub of_place: bool,
}

/// Whether a word is a unit of time, length, mass or money in any language.
pub fn is_unit(word: &str) -> bool {
    Language::all().any(|language| language.is_unit(word))
}

/// Whether a relation of this name holds both ways, in any language: `married to`.
pub fn is_mutual(title: &str) -> bool {
    let words = crate::words_of(title);
    Language::all().any(|language| words.iter().any(|word| language.words().mutual.has(word)))
}

/// Whether two words belong to one irregular verb in any language.
pub fn changes_within(word: &str, other: &str) -> bool {
    Language::all().any(|language| language.changes_within(word, other))
}

/// The meanings of the question's word at position `at`; `words` are the question's words in lower
/// case.
pub fn meanings_at(words: &[String], at: usize) -> Vec<Meaning> {
    let language = Language::of_words(words);
    let next = words.get(at + 1);
    let value_follows = next.is_some_and(|next| {
        let names = |of: &[Meaning]| !of.iter().any(|meaning| meaning.means == "yes_or_no");
        let joins = language.joins_two(next) || language.offers_a_choice(next);
        let is_value = !language.is_question_word(next) && !joins && names(language.meanings(next));
        is_value && !language.names_no_value(next, words.get(at + 2))
    });
    // "A bigger group" compares with nothing.
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let is_attribute = before.is_some_and(|before| language.stands_before_attributes(before))
        && !words.iter().any(|word| language.is_than(word) || language.offers_a_choice(word));
    if repeats(words, at, language) {
        let each = Meaning { means: "group".into(), sure: false, before_value: false, of_place: false };
        return vec![each];
    }
    if leaves_out(language, words, at) || rules_out(language, words, at) {
        let denies = Meaning { means: "negation".into(), sure: true, before_value: false, of_place: false };
        return if proviso_in(language, words, at) { Vec::new() } else { vec![denies] };
    }
    // "Don't" is two words here.
    let contracted = next.and_then(|next| Some(format!("{}'{next}", words.get(at)?)));
    let contracted = contracted.map_or(&[][..], |word| language.meanings(&word));
    let of_word = match contracted {
        [] => words.get(at).map_or(&[][..], |word| language.meanings(word)),
        contracted => contracted,
    };
    let in_phrase = !of_word.is_empty()
        && (is_within(words, at, &language.words().phrases) || proviso_in(language, words, at));
    let at_place = |meaning: &Meaning| {
        let compares = meaning.means != "comparison" || !is_attribute;
        let sure = meaning.sure && compares && !in_phrase && (value_follows || !meaning.before_value);
        Meaning { sure, ..meaning.clone() }
    };
    of_word.iter().map(at_place).collect()
}

impl Language {
    /// Whether the words behind "over" or "under" name no value: "under it", "over the years",
    /// "took over from".
    fn names_no_value(self, next: &str, second: Option<&String>) -> bool {
        let lists = &self.words().no_values;
        let is_amount = |word: &String| {
            word.chars().any(|c| c.is_ascii_digit())
                || self.cardinal(word).is_some()
                || !self.meanings(word).is_empty()
        };
        lists.pronouns.has(next)
            || lists.prepositions.has(next)
            || (lists.determiners.has(next) && second.is_some_and(|second| !is_amount(second)))
    }

    /// Whether a comparative behind a word describes the noun that follows: "a bigger group".
    fn stands_before_attributes(self, word: &str) -> bool {
        self.words().no_values.before_attributes.has(word)
    }
}

/// Whether a word between two of the same word asks for a value for each: the "by" of "year by
/// year".
fn repeats(words: &[String], at: usize, language: Language) -> bool {
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let is_between = before.is_some() && before == words.get(at + 1);
    is_between && words.get(at).is_some_and(|word| language.words().repeats.has(word))
}

/// Whether a word is part of a phrase that takes its own meaning away: the "after" of "named
/// after".
pub fn is_in_phrase(words: &[String], at: usize) -> bool {
    is_within(words, at, &Language::of_words(words).words().phrases)
}

/// Whether the word "every" at a place means all things together: it does in "every flight", and
/// not in "for every flight", nor behind "of", unless these are added up.
pub fn takes_every_one(words: &[String], at: usize) -> bool {
    let lists = Language::of_words(words).words();
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let is_every = words.get(at).is_some_and(|word| lists.alls.has(word));
    is_every && before.is_none_or(|before| !lists.before_alls.has(before)) || adds_up_every_one(words, at)
}

/// Whether the word "every" at a place stands in a sum of all: "add up the lengths of every cave".
pub fn adds_up_every_one(words: &[String], at: usize) -> bool {
    let language = Language::of_words(words);
    let lists = language.words();
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    words.get(at).is_some_and(|word| lists.alls.has(word))
        && before.is_some_and(|before| language.is_of(before))
        && (0..at).any(|at| is_within(words, at, &lists.adding))
}

/// The place behind a phrase that says again what was asked: "I mean". `None` if there is none.
pub fn behind_restated(words: &[String]) -> Option<usize> {
    let phrases = &Language::of_words(words).words().restated;
    (1..words.len()).rfind(|at| !is_within(words, *at, phrases) && is_within(words, at - 1, phrases))
}

/// Whether a superlative at a position asks since when something is: "has been around the longest",
/// "has been with us the longest", "has worked here longer". "The longest that has been built" does
/// not.
pub fn asks_since_when(words: &[String], at: usize) -> bool {
    /// Most words from the verb to the article.
    const MOST: usize = 5;
    let language = Language::of_words(words);
    let lasted = &language.words().lasted;
    let article = at.checked_sub(1).filter(|the| words.get(*the).is_some_and(|w| lasted.article.has(w)));
    let is_longer = || words.get(at).is_some_and(|word| lasted.longer.has(word));
    let Some(end) = article.or_else(|| is_longer().then_some(at)) else { return false };
    let mut before = words.iter().take(end).rev().take(MOST).enumerate();
    before.any(|(apart, word)| lasted.verbs.has(word) && (apart > 0 || !lasted.being.has(word)))
}

/// Whether a word is part of one of some phrases.
pub(super) fn is_within(words: &[String], at: usize, phrases: &Phrases) -> bool {
    let Some(word) = words.get(at) else { return false };
    phrases.with(word).any(|phrase| {
        let count = phrase.split(' ').count();
        let mut starts = (at + 1).saturating_sub(count)..=at;
        starts.any(|start| words.get(start..).is_some_and(|rest| begin(rest, phrase).is_some()))
    })
}

/// The month that a word names in any language, from 1.
pub fn month(word: &str) -> Option<usize> {
    let in_language = |language: Language| {
        let months = &language.words().months;
        // "January" and "jan".
        let short = |month: &str| word.chars().count() == 3 && month.starts_with(word);
        months.place(word).or_else(|| months.words.split_whitespace().position(short))
    };
    Language::all().find_map(in_language).map(|place| place + 1)
}

impl Language {
    /// The meanings of a word in lower case; empty for a word that may be part of a name.
    pub fn meanings(self, word: &str) -> &'static [Meaning] {
        let all = self.words().means.get_or_init(|| {
            let mut all: HashMap<String, Vec<Meaning>> = HashMap::new();
            for row in &self.words().words {
                for word in listed(&row.words) {
                    let meaning = Meaning {
                        means: row.means.clone(),
                        sure: row.sure,
                        before_value: row.before_value,
                        of_place: row.of_place,
                    };
                    all.entry(word.to_owned()).or_default().push(meaning);
                }
            }
            all
        });
        let found = self.forms(word).find_map(|form| all.get(form.as_ref()));
        found.map(Vec::as_slice).unwrap_or_default()
    }

    /// The words that say what is done with values, and those that order them.
    pub fn words_of_deeds(self) -> impl Iterator<Item = &'static str> {
        let rows = self.words().words.iter().flat_map(|row| listed(&row.words));
        rows.chain(self.words().orders.iter().flat_map(|row| listed(row.words())))
    }

    /// The word itself, then the forms that a list may hold: without the rank in front of a
    /// superlative, and without an adjective's ending.
    pub(super) fn forms(self, word: &str) -> impl Iterator<Item = Cow<'_, str>> {
        let rest = self.place_before(word).map(|(_, rest)| Cow::Borrowed(rest));
        let adjectives = &self.words().endings.adjectives;
        let stems = adjectives.iter().filter_map(move |ending| word.strip_suffix(ending));
        let bare = stems.flat_map(|stem| [Cow::Borrowed(stem), Cow::Owned(format!("{stem}e"))]);
        std::iter::once(Cow::Borrowed(word)).chain(rest).chain(bare)
    }

    /// The rank in front of a superlative in a compound, and the superlative: 2 and "größte" of
    /// "zweitgrößte".
    pub(super) fn place_before(self, word: &str) -> Option<(usize, &str)> {
        let prefixes = self.words().numerals.prefixes.words.split_whitespace().enumerate();
        prefixes.filter_map(|(at, prefix)| Some((at + 2, word.strip_prefix(prefix)?))).last()
    }

    /// Whether a word has a meaning of the word file: "negation" of "never".
    pub fn means(self, word: &str, what: &str) -> bool {
        self.meanings(word).iter().any(|meaning| meaning.means == what)
    }

    /// Whether a word between two names asks for one of them: "or".
    pub fn offers_a_choice(self, word: &str) -> bool {
        self.words().alternatives.has(word)
    }

    /// Whether a word is a title before a name: "Dr.".
    pub fn has_honour(self, word: &str) -> bool {
        self.words().honours.has(word)
    }

    /// Whether a word before a name makes another name of it: "West" before "Sudan".
    pub fn makes_another_name(self, word: &str) -> bool {
        self.words().other_names.has(word)
    }

    /// Whether a word says that a value changed, up or down: "grow".
    pub fn tells_a_change(self, word: &str) -> bool {
        self.words().changes.has(word)
    }

    /// Whether a word compares a value with another: "more".
    pub fn means_comparison(self, word: &str) -> bool {
        self.means(word, "comparison")
    }

    /// Whether a word behind "how" asks for a count: "many".
    pub fn wants_the_many(self, word: &str) -> bool {
        self.means(word, "count")
    }

    /// Whether a word behind "how" asks for an amount: "much".
    pub fn wants_much(self, word: &str) -> bool {
        self.means(word, "amount")
    }

    /// Whether a superlative forms another superlative with the word behind it, or asks for a
    /// count: "most".
    pub fn is_quantity(self, word: &str) -> bool {
        self.words().quantities.has(word)
    }

    /// Whether a word asks for a measure before an adjective: "how deep".
    pub fn asks_for_a_degree(self, word: &str) -> bool {
        self.words().degrees.has(word)
    }

    /// Whether a word like "every" means all things together: "every flight" does.
    pub fn groups_all(self, word: &str) -> bool {
        self.words().alls.has(word)
    }

    /// Whether a word asks for the first ranks of an order: "the top 5".
    pub fn is_top(self, word: &str) -> bool {
        self.words().tops.has(word)
    }

    /// Whether a word says that things have something in common: "same", the "co" of "co-author".
    pub fn speaks_of_sharing(self, word: &str) -> bool {
        self.words().walks.sharing.has(word) || self.is_sharing_prefix(word)
    }

    /// Whether a word says so of what follows it, without saying that there are others: "same".
    pub fn speaks_of_company(self, word: &str) -> bool {
        self.words().walks.company.has(word)
    }

    /// Whether a word is the prefix that says this: the "co" of "co-author".
    pub fn is_sharing_prefix(self, word: &str) -> bool {
        let prefix = self.words().walks.shared_prefix.trim().trim_end_matches('-');
        !prefix.is_empty() && prefix == word
    }

    /// Whether a word says that others than a named thing are meant: "besides".
    pub fn speaks_of_others(self, word: &str) -> bool {
        self.words().walks.excluding.has(word)
    }

    /// Whether a word introduces a name: "called Emma".
    pub fn names_what_follows(self, word: &str) -> bool {
        self.words().called.has(word)
    }

    /// Whether a question word takes a noun, not a verb: "which".
    pub fn asks_by_a_noun(self, word: &str) -> bool {
        self.words().noun_questions.has(word)
    }

    /// Whether a word asks for the length of a text.
    pub fn counts_letters(self, word: &str) -> bool {
        self.words().letters.has(word)
    }

    /// Whether a word denies the noun behind it: "no manual", "without a manual".
    pub fn denies_a_thing(self, word: &str) -> bool {
        self.words().lacks.has(word)
    }

    /// Whether a word forms a share with "per": "per cent".
    pub fn is_share(self, word: &str) -> bool {
        self.words().shares.has(word)
    }

    /// Whether a word multiplies the number before it: "million".
    pub fn is_magnitude(self, word: &str) -> bool {
        self.words().magnitudes.has(word)
    }

    /// Whether two words are forms of one verb, by their stem (Snowball) or the language's file.
    pub(super) fn is_same_verb(self, word: &str, other: &str) -> bool {
        let stemmer = self.stemmer();
        let (stem, of_other) = (stemmer.stem(word), stemmer.stem(other));
        word == other || stem == of_other || self.are_stems_of_one_verb(&stem, &of_other)
    }

    /// Whether two words are in one row of the irregular verbs: "taught" and "teaches", "flights"
    /// and "flew".
    pub fn changes_within(self, word: &str, other: &str) -> bool {
        let stemmer = self.stemmer();
        self.are_stems_of_one_verb(&stemmer.stem(word), &stemmer.stem(other))
    }

    /// The same, by the words' stems.
    pub(super) fn are_stems_of_one_verb(self, stem: &str, other: &str) -> bool {
        let stemmer = self.stemmer();
        let verbs = self.words().verbs.get_or_init(|| {
            let mut verbs: HashMap<String, Vec<usize>> = HashMap::new();
            for (row, verb) in self.words().irregular.verbs.iter().enumerate() {
                for form in verb.split_whitespace() {
                    verbs.entry(stemmer.stem(form).into_owned()).or_default().push(row);
                }
            }
            verbs
        });
        let both = verbs.get(stem).zip(verbs.get(other));
        both.is_some_and(|(rows, others)| rows.iter().any(|row| others.contains(row)))
    }

    /// Whether a normalised word is a function word, which identifies no name alone.
    pub fn is_function_word(self, word: &str) -> bool {
        let list = self.words();
        let words = list.of_grammar.get_or_init(|| {
            let function = list.words.iter().filter(|row| row.means == "function");
            let function = function.flat_map(|row| listed(&row.words));
            function.chain(listed(&list.grammar.words)).map(str::to_owned).collect()
        });
        words.contains(word)
    }

    /// Whether a normalised word is common in questions: "film".
    pub fn is_everyday(self, word: &str) -> bool {
        let list = &self.words().common;
        self.words().everyday.get_or_init(|| list.words.iter().map(str::to_owned).collect()).contains(word)
    }

    /// Whether a normalised word is common in questions, or a form of such a word: "borders",
    /// "bordering", "bordered" of "border".
    pub fn is_everyday_form(self, word: &str) -> bool {
        let form_of = |ending: &str| {
            let stem = word.strip_suffix(ending).filter(|stem| stem.len() > 2);
            stem.is_some_and(|stem| self.is_everyday(stem) || self.is_everyday(&format!("{stem}e")))
        };
        self.is_everyday(word) || self.words().common.endings.any(form_of)
    }

    /// Whether a word is a function word of questions and names nothing.
    pub(crate) fn joins(self, word: &str) -> bool {
        self.means(word, "function")
    }

    /// Whether a word requests something: "name".
    pub(crate) fn is_imperative(self, word: &str) -> bool {
        self.words().imperatives.has(word)
    }

    /// Whether a word begins a question.
    pub fn is_question_word(self, word: &str) -> bool {
        self.words().question_words.has(word)
    }

    /// Whether a word stands between a noun and its owner: "of".
    pub fn is_of(self, word: &str) -> bool {
        self.words().sides.has_of(word)
    }

    /// Whether a word is a form of "be".
    pub fn is_be(self, word: &str) -> bool {
        self.words().be.has(word)
    }

    /// Whether a word before a time says that it lies behind: "after".
    pub fn is_after(self, word: &str) -> bool {
        self.words().times.after.has(word)
    }

    /// Whether a word at the end of a question asks for the first or the last in time.
    pub fn ends_a_row(self, word: &str) -> bool {
        self.words().row_ends.has(word)
    }

    /// Whether a word asks for things that have not ended: "still", "currently".
    pub fn asks_whether_it_lasts(self, word: &str) -> bool {
        self.words().lasting.has(word)
    }

    /// Whether a word stands for the person who does what follows: "whoever".
    pub fn names_whoever(self, word: &str) -> bool {
        self.words().whoever.has(word)
    }

    /// Whether a word of a column of dates says that they tell the end of something: "ended".
    pub fn tells_an_end(self, word: &str) -> bool {
        self.words().term_ends.has(word)
    }

    /// Whether a word of a column of dates says that they tell the start of something: "since".
    pub fn tells_a_start(self, word: &str) -> bool {
        self.words().term_starts.has(word)
    }

    /// Whether a word asks for an order by letters: "alphabetically".
    pub fn orders_by_letters(self, word: &str) -> bool {
        self.words().by_letters.has(word)
    }

    /// The number that a word says: 3 for `three`.
    pub fn cardinal(self, word: &str) -> Option<usize> {
        self.words().numerals.cardinals.place(word)
    }

    /// Nouns for things of several kinds: "settlement".
    pub fn general_nouns(self) -> impl Iterator<Item = &'static str> {
        listed(&self.words().general.words)
    }

    /// Whether a word puts a thing into a place or a time: "in".
    pub fn is_inside(self, word: &str) -> bool {
        self.words().walks.inside.has(word)
    }

    /// Whether a word begins a time that goes on: "since".
    pub fn begins_a_time(self, word: &str) -> bool {
        self.words().times.since.has(word)
    }

    /// Whether a word says that a value is stated: "recorded" of "no end date recorded".
    pub fn is_stated(self, word: &str) -> bool {
        self.words().stated.has(word)
    }

    /// Whether a word says that a thing does something to itself or by itself: "themselves".
    pub fn is_reflexive(self, word: &str) -> bool {
        self.words().reflexives.has(word)
    }

    /// Whether a word denies a second thing: "nor".
    pub fn denies_a_second(self, word: &str) -> bool {
        self.words().nors.has(word)
    }

    /// Whether a relation whose name ends with the word leads to a place: `born in`.
    pub fn is_of_a_place(self, word: &str) -> bool {
        self.words().in_places.has(word)
    }

    /// Whether a word says that a thing is somewhere: "based".
    pub fn says_that_it_is_somewhere(self, word: &str) -> bool {
        self.words().located.has(word)
    }

    /// Whether a column's title says that it holds places: `born in`, `head office`, `county`.
    pub fn leads_to_places(self, title: &str) -> bool {
        let words = crate::words_of(title);
        let of = self.words();
        words.last().is_some_and(|last| of.in_places.has(last) || of.places.has(last) || of.lands.has(last))
    }

    /// Whether a word before "of" adds nothing to the noun behind it: "kind".
    pub fn is_light_noun(self, word: &str) -> bool {
        self.words().light_nouns.has(word)
    }

    /// Whether a word before "of" asks for the types of a thing: "any kind of troll".
    pub fn asks_for_types(self, word: &str) -> bool {
        self.words().types_of.has(word)
    }

    /// Whether a word ends a phrase for a lower bound that is followed by one: "at least one".
    pub fn is_at_least_one(self, words: &[String], at: usize) -> bool {
        let ends = |phrase: &String| {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            words.get(..=at).is_some_and(|said| {
                said.iter().rev().map(String::as_str).take(phrase.len()).eq(phrase.iter().rev().copied())
            })
        };
        let one = words.get(at + 1).is_some_and(|next| next == "1" || self.cardinal(next) == Some(1));
        one && self.bounds().from.iter().any(ends)
    }

    /// The rank that an ordinal in letters means, from 1: `third`.
    pub(crate) fn ordinal_word(self, word: &str) -> Option<usize> {
        self.words().numerals.ordinals.place(word).map(|at| at + 1)
    }

    /// The rank that an ordinal in letters or digits means, from 1: `third`, `3rd`.
    pub fn ordinal(self, word: &str) -> Option<usize> {
        let figure = || self.ordinal_digits(word)?.parse().ok().filter(|number| *number > 0);
        self.ordinal_word(word).or_else(figure)
    }

    /// Whether the language writes all nouns with a capital.
    pub fn nouns_have_capitals(self) -> bool {
        self.words().endings.nouns_have_capitals
    }

    /// The factor by which a word multiplies the number before it.
    pub fn scale(self, word: &str) -> Option<f64> {
        let rows = self.words().numerals.scales.iter().filter_map(|row| row.split_once(' '));
        rows.filter(|(known, _)| *known == word).find_map(|(_, many)| many.parse().ok())
    }

    /// The number in figures, by the language's separators: "2.5" is two and a half in English, and
    /// "2,5" in German.
    pub fn figures(self, text: &str) -> Option<f64> {
        let separators = &self.words().numerals.thousands;
        let groups = text.split(|c| separators.contains(c)).skip(1);
        let parts_groups = groups.clone().count() > 0
            && groups.clone().all(|group| group.chars().take_while(char::is_ascii_digit).count() == 3);
        let plain: String = match parts_groups {
            true => text.chars().filter(|c| !self.parts_thousands(*c)).collect(),
            false => text.to_owned(),
        };
        plain.replace(',', ".").parse().ok()
    }

    /// Whether a character separates thousands in figures: "," of "5,000".
    pub fn parts_thousands(self, character: char) -> bool {
        self.words().numerals.thousands.contains(character)
    }
}
