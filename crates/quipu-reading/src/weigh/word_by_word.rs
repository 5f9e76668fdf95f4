//! Compares a question with a bound query word by word, and then by each check of what the words
//! may mean.

mod columns;
mod generic;
mod units;
mod written;

use std::collections::HashSet;

use quipu_language::{
    Language, Meaning, Measured, adds_up_every_one, asked_place, asks_for_an_agent, asks_yes_or_no, is_aside,
    is_in_passing, is_in_phrase, is_written_as_name, meanings_at, place_asked_for,
};
use quipu_query::{Abbreviation, Column, Expression, Place, Query, Tables, words_of};

use generic::another_event;
use units::{is_bare_unit, is_rate};
use written::{stands_before_a_value, with_whole_numbers};

use super::explain::{MEANING, Unexplained};
use super::mismatched::ruled_out;
use super::mistaken::{owned_for_its_owner, something_else};
use crate::logic::both::{either_for_both, second_of_both};
use crate::logic::lacking::{is_at_an_end, nothing_of_what_is_denied, object_of_denied, second_denied};
use crate::logic::others::{
    kind_only_denied, leaves_out_itself, reflexive_left_out, same_as_nothing, shares_by_another,
};
use crate::logic::provisos::clause_left_out;
use crate::names::common_nouns::noun_taken_for_a_name;
use crate::names::invented::numbers_demanded;
use crate::numbers::each::{
    all_asked_for, division_left_out, each_left_out, first_of_each, grouped_by_another, grouped_by_the_things,
};
use crate::numbers::extremes::{choice_left_out, extremes_left_out, names_extremes};
use crate::numbers::measures::{of_another_measure, ordered_by_text, rate_left_out};
use crate::numbers::shares::ratio_of_others;
use crate::relations::columns_left_out::{
    column_left_out, deed_left_out, denied_property, denied_relation, end_left_out, last_deed_left_out,
    named_in_full, no_relation_said, part_left_out, property_left_out, step_left_out,
};
use crate::relations::heads::{
    another_kind_counted, compound_left_out, counts_another, modifier_left_out, noun_left_out,
};
use crate::relations::hierarchies::below_left_out;
use crate::relations::relatives::{
    heeds_sex, relative_left_out, role_of_the_named_left_out, second_step_left_out, sex_left_out,
};
use crate::relations::roles::{
    agent_left_out, another_role, deputy_left_out, last_verb_left_out, made_part_left_out,
    possessed_left_out, role_before_a_name_left_out, role_left_out, role_of_a_possessed_role_left_out,
    role_of_a_role_left_out,
};
use crate::relations::verbs::{acts_by_a_link, purpose_left_out, verb_of_another_kind};
use crate::said::Said;
use crate::shapes::{
    gives_one_row, gives_one_value, has_only_partners, is_of_rows, lists_a_whole_column, says_only_that_it_is,
};
use crate::things::kinds::{another_kind_asked_for, nouns_of_kinds};
use crate::times::lasting::lasting_word;
use crate::times::periods::Periods;
use crate::{Nearness, TableQuestion};

/// The assumed similarity of a plan to a word that it leaves out, without an embedder.
const USUAL: f64 = 0.45;

/// From this distance on, a column is none that the question speaks of.
const FAR_FROM_QUESTION: f64 = 0.5;

/// Compares a question's words with a bound query.
pub(super) fn unexplained(asking: &TableQuestion<'_>, query: &Query, near: &Nearness) -> Unexplained {
    let compared = Compared::new(asking, query, near);
    let mut found = compared.words_left_out();
    compared.values_that_nobody_stated(&mut found);
    found.leave_out("takes a noun for a name", noun_taken_for_a_name(asking, query));
    compared.groups_in_part(&mut found);
    compared.meanings_left_out(&mut found);
    compared.columns_that_nobody_asks_for(&mut found);
    compared.holds_it_against_another(&mut found);
    compared.steps_left_out(&mut found);
    found
}

/// A question and a query.
struct Compared<'a> {
    /// The question, with whole numbers.
    question: String,
    /// Its words in lower case.
    words: Vec<String>,
    /// The same, normalised.
    plain: Vec<String>,
    language: Language,
    periods: Periods,
    query: &'a Query,
    said: Said,
    near: &'a Nearness,
    tables: &'a Tables,
    /// Words that the query's columns abbreviate: "armour class" for `ac_value`.
    abbreviated: Vec<Abbreviation>,
    /// Words that nearly all names of a table of the query share: "lot" of "Lot M-725".
    shared: Vec<String>,
}

/// What a query makes of a word.
enum Heeded {
    /// It says it, or the word asks for nothing.
    Yes,
    /// It ignores a meaning.
    No,
    /// The word may name something.
    Naming,
}

impl<'a> Compared<'a> {
    fn new(asking: &TableQuestion<'a>, query: &'a Query, near: &'a Nearness) -> Self {
        let (tables, language) = (asking.tables, Language::of(asking.text));
        let question = with_whole_numbers(asking.text, language);
        let words = words_of(&question);
        let said = Said::of(query, tables);
        let is_used = |place: Place| {
            tables.column(place).is_some_and(|column| said.columns.contains_key(&column.title))
        };
        let mut abbreviated = tables.abbreviations(&words, |word| language.meanings(word).is_empty());
        abbreviated.retain(|one| is_used(one.place));
        let plain = words.iter().map(|word| quipu_language::normalise(word)).collect();
        let periods = Periods::of(&question);
        let used = query.tables().into_iter().filter_map(|(_, at)| at);
        let shared = used.flat_map(|table| asking.values.shared_words(table)).cloned().collect();
        Self { shared, question, words, plain, language, periods, query, said, near, tables, abbreviated }
    }

    /// The words that the query does not heed, and their distance from it.
    fn words_left_out(&self) -> Unexplained {
        let Self { words, said, language, .. } = self;
        let mut found = Unexplained::default();
        let mut seen = HashSet::new();
        let converted = said.converted(words);
        for (at, word) in words.iter().enumerate() {
            // "Under the Acme brand and under 80": one of the two is a comparison.
            let is_new = seen.insert(word) || language.meanings(word).iter().any(|meaning| meaning.of_place);
            if is_for_number(words, at) || !is_new {
                continue;
            }
            match self.heeded(at, word, &converted) {
                Heeded::Yes => {}
                Heeded::No => found.leave_out(MEANING, [word.clone()]),
                Heeded::Naming => {
                    found.all += 1;
                    if !self.names(at, word) {
                        let distance = self.distance_to(word);
                        found.distance += distance;
                        if found.all == 1 {
                            found.first = distance;
                        }
                        found.names.push(word.clone());
                    }
                }
            }
        }
        found
    }

    /// What the query makes of a word. `converted` are the places of amounts in another unit.
    fn heeded(&self, at: usize, word: &str, converted: &HashSet<usize>) -> Heeded {
        let Self { words, said, language, query, .. } = self;
        let heeded = |is_done: bool| if is_done { Heeded::Yes } else { Heeded::No };
        // "On the 2nd and 3rd floors" of a query that compares the floor with 2 and 3.
        if language.ordinal(word).is_some_and(|rank| said.values.contains(&rank.to_string())) {
            return Heeded::Yes;
        }
        if let Some(place) = place_asked_for(words, at) {
            return heeded(said.place == Some(place));
        }
        if self.is_written_otherwise(at, word) {
            return Heeded::Yes;
        }
        if asked_place(words, at).is_some_and(|place| said.place != Some(place)) && !said.words.contains(word)
        {
            return Heeded::No;
        }
        // A name is not a superlative.
        let is_name = is_written_as_name(&self.question, word);
        let is_order = said.does.contains("superlative") && language.looks_superlative(word) && !is_name;
        if is_order || converted.contains(&at) || self.periods.explain(words, at, said) {
            return Heeded::Yes;
        }
        // "In the top 20": a rank of at most 20.
        let is_bound = words.get(at + 1).is_some_and(|next| said.at_most.contains(next));
        // The groups of a query and the partners of its joins are at least one.
        let is_one = language.is_at_least_one(words, at) && has_only_partners(query);
        if (language.is_top(word) && is_bound) || is_one {
            return Heeded::Yes;
        }
        let of_word = meanings_at(words, at);
        let denies = || of_word.iter().any(|meaning| meaning.means == "negation");
        let is_idle = is_in_passing(words, at) && !denies();
        if self.is_part_of_a_value(at) || self.closes_an_aside(word) || is_idle {
            return Heeded::Yes;
        }
        if of_word.iter().any(|meaning| meaning.sure) {
            let places =
                |meaning: &Meaning| meaning.of_place && stands_before_a_value(words, at, said, *language);
            let done = |meaning: &Meaning| said.does.contains(meaning.means.as_str()) || places(meaning);
            let is_done =
                of_word.iter().any(done) || said.names(word, *language) || self.is_stated(at, &of_word);
            return heeded(is_done || names_extremes(words, at, said, *language));
        }
        let groups = of_word.iter().any(|meaning| meaning.means == "group") && !is_in_phrase(words, at);
        let is_total = said.does.contains("sum") && adds_up_every_one(words, at);
        if groups && !is_total && self.ignores_a_group(at, word) {
            return Heeded::No;
        }
        // "Co-wrote films with A": those who share one with A, without A.
        if is_stated_of_nothing(words, at, said, *language) || is_bare_unit(words, at, said, *language) {
            return Heeded::Yes;
        }
        let is_shared = language.speaks_of_sharing(word) && leaves_out_itself(query);
        let says_nothing = word.len() < 2 && !word.chars().all(char::is_numeric);
        // "Each kind of damage", and "how often" of a count.
        let is_light = language.is_light_noun(word) && words.get(at + 1).is_some_and(|of| language.is_of(of));
        let tells_how_often =
            language.measured(word, "frequency") == Measured::Alike || language.is_occasion(word);
        let is_counted = said.does.contains("count") && tells_how_often;
        // "How much do the bells weigh together" of their sum.
        let is_summed = said.does.contains("sum") && language.says_together(word);
        let is_gender = || said.values.iter().any(|value| language.is_gender(word, value));
        let is_coded =
            language.language_code(word).is_some_and(|code| said.values.contains(code)) || is_gender();
        let says_nothing = says_nothing || is_coded || is_aside(words, at) || self.is_generic(at, word);
        if is_shared || !of_word.is_empty() || says_nothing || is_light || is_counted || is_summed {
            return Heeded::Yes;
        }
        if is_left_out_number(words, at, said) { Heeded::No } else { Heeded::Naming }
    }

    /// Whether a word and its neighbour are one of the query's values without the space: the
    /// "no-shows" of `NOSHOW`.
    fn is_part_of_a_value(&self, at: usize) -> bool {
        let Self { words, language, said, .. } = self;
        let is_value = |first: usize| {
            let (Some(one), Some(two)) = (words.get(first), words.get(first + 1)) else { return false };
            let joined = [format!("{one}{two}"), format!("{one}{}", language.singular(two))];
            let is_it = |value: &String| joined.contains(&value.to_lowercase());
            said.values.iter().any(is_it)
        };
        is_value(at) || at.checked_sub(1).is_some_and(is_value)
    }

    /// Whether a word for "only" closes what stands in parentheses, which says what is asked for
    /// once more: "(destinations only)".
    fn closes_an_aside(&self, word: &str) -> bool {
        let is_only = self.language.means(word, "only");
        is_only && self.question.to_lowercase().contains(&format!(" {word})"))
    }

    /// Whether the query gives one value of all where a word asks for one of each: "the average per
    /// writer" is not one average of all.
    fn ignores_a_group(&self, at: usize, word: &str) -> bool {
        let Self { said, language, query, tables, .. } = self;
        let next = self.words.get(at + 1);
        // "Every pigment … altogether" asks for one sum.
        let shares = next.is_some_and(|next| language.is_share(next))
            || (language.groups_all(word) && language.adds_up_all(&self.words));
        // "The price per unit" is a `unit price`, "per hour" a `pay_hr`.
        let is_it = |noun: &str, of: &String| language.is_noun(noun, of) || language.is_unit_called(noun, of);
        let given = columns_given(query, tables);
        let is_titled = |noun: &str| {
            let mut words = given.iter().flat_map(|column| words_of(&column.title));
            words.any(|of| is_it(noun, &of))
        };
        // The first of all is not the first of each, but the highest price per unit.
        let is_first = query.limit == Some(1) && !query.order.is_empty();
        let is_measured = |noun: &str| {
            let mut found = false;
            for order in &query.order {
                order.expression.visit(&mut |part| {
                    let Expression::Column(column) = part else { return };
                    let title = column.place.and_then(|place| tables.column(place));
                    let title = title.map(|column| words_of(&column.title)).unwrap_or_default();
                    found |= title.iter().any(|of| is_it(noun, of));
                });
            }
            found
        };
        let is_row = |noun: &str| match is_first {
            true => is_measured(noun),
            false => is_titled(noun) || is_of_rows(query, noun, *language, tables),
        };
        let each_row = || next.is_some_and(|noun| is_row(noun) || is_rate(said, noun, *language));
        // "For every ward, who was hired first" has more than one answer.
        let is_one = gives_one_value(query) || gives_one_row(query);
        !shares && is_one && !said.names(word, *language) && !each_row()
    }

    /// Whether the query speaks of what a word names.
    fn names(&self, at: usize, word: &str) -> bool {
        let Self { said, language, .. } = self;
        let is_measured =
            || said.columns.keys().any(|title| language.measured(word, title) == Measured::Alike);
        // "In what city is the firm based": a city says it.
        let is_somewhere = || {
            language.says_that_it_is_somewhere(word)
                && said.columns.keys().any(|title| language.leads_to_places(title))
        };
        // "Established" of a `founded` year.
        let is_event = || said.columns.keys().any(|title| language.tells_the_event(word, title));
        said.names(word, *language)
            || self.heeds_sex(word) == Some(true)
            || is_event()
            || self.abbreviated.iter().any(|one| one.words.contains(&at))
            || is_measured()
            || is_somewhere()
            || self.shared.iter().any(|of| language.is_noun(word, of))
    }

    fn heeds_sex(&self, word: &str) -> Option<bool> {
        heeds_sex(word, self.language, self.query, &self.said, self.tables)
    }

    fn distance_to(&self, word: &str) -> f64 {
        1.0 - self.near.to(word).unwrap_or(USUAL)
    }

    /// Compared values, columns in full and factors that the question does not state.
    fn values_that_nobody_stated(&self, found: &mut Unexplained) {
        let Self { words, plain, language, said, question, .. } = self;
        let is_unsaid = |value: &&String| !is_said(value, plain) && !self.periods.hold(value);
        let invented: Vec<&String> = said.values.iter().filter(is_unsaid).collect();
        found.invented = invented.len();
        // The plan ignores a name and uses a quite different value instead: "Aka" is not "Iowa".
        let replaced = found.names.iter().filter(|name| {
            is_written_as_name(question, name)
                && !invented.is_empty()
                && !invented.iter().any(|value| resembles(name, value))
        });
        let replaced: Vec<String> = replaced.cloned().collect();
        found.leave_out("uses another value for a name", replaced);
        // Level 4 is no rope rescue certificate.
        if !found.names.is_empty() {
            let ranks = |number: &String| {
                words
                    .iter()
                    .any(|word| language.ordinal(word).is_some_and(|rank| rank.to_string() == *number))
            };
            let unsaid = numbers_demanded(self.query).into_iter();
            let unsaid = unsaid.filter(|number| !words.contains(number) && !ranks(number)).min();
            found.leave_out("compares with a number that nobody stated", unsaid);
        }
        // "What is the latitude of Aka" does not ask for all latitudes.
        if lists_a_whole_column(self.query) {
            let is_named = |name: &&String| {
                is_written_as_name(question, name)
                    && words.windows(2).any(|pair| of_a_name(pair, name, *language))
            };
            let named = found.names.iter().find(is_named).cloned();
            found.leave_out("lists a whole column", named);
        }
        // A latitude has no hours: a factor that the question does not name converts no unit.
        let shares = said.does.contains("ratio");
        let is_stated = |factor: &String| {
            let converts =
                |factor: f64| factor == 1.0 || (shares && factor == 100.0) || self.converts_a_unit(factor);
            factor.parse::<f64>().is_ok_and(converts)
        };
        let unsaid = said.factors.iter().filter(|factor| !is_stated(factor) && !words.contains(factor));
        found.leave_out("multiplies by a number that nobody stated", unsaid.cloned());
    }

    /// Properties of which the query uses only some columns: "the average of all statistics" is not
    /// that of strength alone.
    fn groups_in_part(&self, found: &mut Unexplained) {
        for (word, group) in self.tables.groups_named(&self.words) {
            let places = group.columns.iter().filter_map(|place| self.tables.column(*place));
            match places.into_iter().all(|column| self.said.columns.contains_key(&column.title)) {
                true => {
                    let left_out = found.names.len();
                    found.names.retain(|name| *name != word);
                    found.distance -= (left_out - found.names.len()) as f64 * self.distance_to(&word);
                }
                false => found.leave_out("uses a property in part", [word]),
            }
        }
    }

    /// Meanings of several words together, each by its own check.
    fn meanings_left_out(&self, found: &mut Unexplained) {
        let Self { question, words, plain, language, said, query, near, tables, .. } = self;
        let is_act = asks_for_an_agent(question);
        let names = &found.names;
        let denied = || {
            let property = denied_property(words, names, query, tables);
            property.or_else(|| denied_relation(words, names, query, tables))
        };
        let each = each_left_out(words, names, tables);
        let checks = [
            ("asks for another kind", another_kind_asked_for(question, query, tables)),
            ("gives another event", another_event(words, names, query, tables)),
            ("uses another measure", of_another_measure(question, query, tables)),
            ("divides other things", ratio_of_others(words, names, tables)),
            ("gives each for all", all_asked_for(question, words, query)),
            ("gives one of all for one of each", each.filter(|unit| !is_rate(said, unit, *language))),
            ("uses another measure", rate_left_out(words, query, tables)),
            ("groups by another thing", grouped_by_another(words, query, tables)),
            ("groups by another thing", grouped_by_the_things(words, query, tables)),
            ("gives one of all for one of each", first_of_each(question, words, query)),
            ("takes a relation the wrong way round", acts_by_a_link(plain, query, said, tables)),
            ("relates things of another kind", verb_of_another_kind(words, query, said, tables)),
            ("leaves out a relation named in full", named_in_full(words, said, tables)),
            ("leaves out a column", property_left_out(words, names, tables)),
            ("leaves out a step", step_left_out(words, names, query)),
            ("leaves out a step", possessed_left_out(question, names, query, tables)),
            ("leaves out a step", role_left_out(question, names, query, tables)),
            ("leaves out a step", role_of_a_role_left_out(words, names, query, tables)),
            ("leaves out a step", role_before_a_name_left_out(words, names, query, tables)),
            ("leaves out a step", agent_left_out(words, names)),
            ("leaves out a step", last_deed_left_out(words, names)),
            ("tells of no relation that is said", no_relation_said(words, names, query, tables)),
            ("leaves out a part", made_part_left_out(words, names, near, query)),
            ("leaves out a deed", last_verb_left_out(words, names, near, query)),
            ("leaves out a condition", clause_left_out(words, names)),
            ("leaves out a step", role_of_a_possessed_role_left_out(question, names, query, tables)),
            ("leaves out a step", relative_left_out(words, names, query, tables)),
            ("leaves out a step", second_step_left_out(question, names, query, tables)),
            ("takes another role", another_role(words, names, query, tables)),
            ("takes another role", deputy_left_out(words, names)),
            ("leaves out a step", role_of_the_named_left_out(question, names, query, tables)),
            ("takes either sex", sex_left_out(names, *language, query, tables)),
            ("takes either sex", names.iter().find(|word| self.heeds_sex(word) == Some(false)).cloned()),
            ("counts another kind", another_kind_counted(words, names, query, tables)),
            ("counts another kind", counts_another(words, query, tables)),
            ("asks for another kind", compound_left_out(words, names, query, tables)),
            ("asks for another kind", modifier_left_out(words, names, near, tables)),
            ("asks for another kind", noun_left_out(words, names, near, query, tables)),
            ("orders by no measure", ordered_by_text(words, query, tables)),
            ("leaves out a step", end_left_out(words, names, query, tables)),
            ("leaves out a column", column_left_out(names, query, tables, *language).or_else(denied)),
            ("leaves out a deed", is_act.then(|| deed_left_out(words, names, query, tables)).flatten()),
            ("leaves out a deed", purpose_left_out(words, names)),
            (MEANING, nothing_of_what_is_denied(words, names, near, query, tables)),
            ("shares another thing", shares_by_another(words, query, tables)),
            (MEANING, either_for_both(words, query)),
            (MEANING, second_of_both(words, names)),
            (MEANING, same_as_nothing(words, names, query)),
            (MEANING, reflexive_left_out(question, words, query)),
            (MEANING, second_denied(words, names)),
            (MEANING, lasting_word(words, query, tables)),
            (MEANING, division_left_out(question, query, tables)),
            (MEANING, below_left_out(words, query, tables)),
            ("gives what the question denies", kind_only_denied(words, query, tables)),
            ("leaves out a part", part_left_out(words, names)),
            (MEANING, ruled_out(question, words, query, tables)),
            ("gives something else", something_else(question, query, said, names, near, tables)),
            ("gives a thing for its owner", owned_for_its_owner(words, query, tables)),
        ];
        for (fault, word) in checks {
            found.leave_out(fault, word);
        }
        found.leave_out("leaves out an extreme", extremes_left_out(words, query, said, tables));
        let choice = choice_left_out(question, words, &found.names);
        found.leave_out("leaves out a choice", choice);
        // "Is the jar in stock" is not answered by the existence of a jar.
        if asks_yes_or_no(question) && says_only_that_it_is(query) {
            let left: Vec<String> =
                found.names.extract_if(.., |word| !language.names_what_follows(word)).collect();
            found.leave_out("says only that it is", left);
        }
        found.leave_out(MEANING, self.denied_kinds());
        // "The longer book" has more pages, not a longer name.
        if said.does.contains("letters") && !words.iter().any(|word| language.counts_letters(word)) {
            found.leave_out("counts letters", ["length".to_owned()]);
        }
    }

    /// The kinds that a question with a negation names and the query leaves out: "which ships can
    /// none of the pilots steer" is not answered by the ships without an owner.
    fn denied_kinds(&self) -> Vec<String> {
        let Self { words, language, said, query, tables, .. } = self;
        let denies = |at: usize| {
            !is_for_number(words, at)
                && meanings_at(words, at).iter().any(|meaning| meaning.means == "negation")
        };
        if !(0..words.len()).any(denies) {
            return Vec::new();
        }
        // "Who has not returned a book": the verb, which is said, denies.
        let object = object_of_denied(words).filter(|(verb, _)| said.names(verb, *language));
        let is_object = |noun: &&String| object.is_some_and(|(_, object)| object == *noun);
        let kinds = nouns_of_kinds(words, self.tables).into_iter();
        // "No email address" denies the email.
        let follows_said = |noun: &String| {
            let at = words.iter().position(|word| word == noun);
            let before = at.and_then(|at| at.checked_sub(1)).and_then(|before| words.get(before));
            before.is_some_and(|before| language.meanings(before).is_empty() && said.names(before, *language))
        };
        let kinds =
            kinds.filter(|noun| !said.names(noun, *language) && !is_object(noun) && !follows_said(noun));
        kinds.filter(|noun| !is_at_an_end(noun, query, tables)).cloned().collect()
    }
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
    initials == word
        || Language::of_words(&words).is_demonym(word, &words.join(" "))
        || words.iter().any(|other| begins(other) || strsim::jaro_winkler(word, other) >= ALIKE)
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
    let language = Language::of_words(question);
    let is_of_people = || question.iter().any(|asked| language.is_demonym(asked, &words.join(" ")));
    words.is_empty() || is_of_people() || words.iter().any(|word| words_asked(word, question))
}

fn words_asked(word: &str, question: &[String]) -> bool {
    let language = Language::of_words(question);
    let is_it = |asked: &String| {
        asked == word || language.is_form(asked, word) || language.is_of_one_root(asked, word)
    };
    question.iter().any(is_it)
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

/// Whether a word says of a value that is lacking that nobody stated it: "recorded" of "no end date
/// recorded".
fn is_stated_of_nothing(words: &[String], at: usize, said: &Said, language: Language) -> bool {
    /// Words from "no" to the word: "no end date is recorded".
    const MOST_BEFORE: usize = 4;
    let before = words.iter().take(at).rev().take(MOST_BEFORE);
    words.get(at).is_some_and(|word| language.is_stated(word))
        && said.does.contains("negation")
        && before.into_iter().any(|word| language.denies_a_thing(word))
}

/// The columns that a query gives or orders by.
fn columns_given<'t>(query: &Query, tables: &'t Tables) -> Vec<&'t Column> {
    let mut columns = Vec::new();
    let items = query.select().map(|select| select.items.as_slice()).unwrap_or_default();
    let given = items.iter().map(|item| &item.expression);
    for expression in given.chain(query.order.iter().map(|order| &order.expression)) {
        expression.visit(&mut |part| {
            if let Expression::Column(column) = part {
                columns.extend(column.place.and_then(|place| tables.column(place)));
            }
        });
    }
    columns
}

/// Whether two words of a question are "of" and a name, or a name that owns.
fn of_a_name(pair: &[String], name: &str, language: Language) -> bool {
    matches!(pair, [of, named] if (language.is_of(of) && named == name) || (of == name && language.owns(named)))
}
