//! Words that say nothing beyond what a query gives, and the events of its dates.

use std::collections::HashSet;

use quipu_language::{Language, Meaning};
use quipu_query::{Column, Expression, Item, Kind, Place, Query, Tables, words_of};

use super::Compared;
use crate::logic::provisos::taken_in;
use crate::relations::hierarchies::taken_below;
use crate::things::kinds::called;

impl Compared<'_> {
    /// Whether a column that the query uses states what a word asks to be calculated: a `mean wind
    /// speed`, a rate in percent.
    pub(super) fn is_stated(&self, at: usize, of_word: &[Meaning]) -> bool {
        let Self { said, language, .. } = self;
        of_word.iter().any(|meaning| {
            said.columns.keys().any(|title| match meaning.means.as_str() {
                "average" => words_of(title)
                    .iter()
                    .any(|word| language.meanings(word).iter().any(|of| of.means == meaning.means)),
                "percentage" | "ratio" => {
                    language.holds_shares(title)
                        || (meaning.means == "percentage" && self.is_in_percent(at, title))
                }
                _ => false,
            })
        }) || self.is_commented(at)
    }

    /// Whether the graph says a word and the next telling one of a column that the query uses: the
    /// `list price` is the "price before any discount".
    fn is_commented(&self, at: usize) -> bool {
        let Self { words, language, query, tables, .. } = self;
        let plain = |words: &[String]| -> Vec<String> {
            words.iter().filter(|word| !language.means(word, "function")).cloned().collect()
        };
        let asked = plain(words.get(at..).unwrap_or_default());
        let Some(pair) = asked.get(..2).filter(|pair| pair.first() == words.get(at)) else { return false };
        tables.comments_on(query).iter().any(|comment| {
            let comment = plain(&words_of(comment));
            comment.windows(2).any(|said| said == pair)
        })
    }

    /// Whether a word for percent tells the unit of a column whose numbers lie between 0 and 100:
    /// "stronger than 12 percent" of an `alcohol by volume` that is compared with 12, or the
    /// "alcohol percentage". Whole numbers may be counts. "12 percent of the beers" are a share.
    fn is_in_percent(&self, at: usize, title: &str) -> bool {
        let Self { words, language, query, tables, .. } = self;
        let Some(before) = at.checked_sub(1).and_then(|before| words.get(before)) else { return false };
        let changes = |word: &String| language.is_of(word) || language.is_than(word) || language.is_by(word);
        let behind = words.get(at + 1..).unwrap_or_default();
        let in_front = words.get(at.saturating_sub(4)..at).unwrap_or_default();
        let is_share = behind.iter().any(changes) || in_front.iter().any(|word| language.is_by(word));
        let is_titled = language.meanings(before).is_empty() && words_of(title).contains(before);
        let is_within = |column: &Column| {
            let bounds = column
                .range
                .as_ref()
                .and_then(|(least, most)| Some((least.parse::<f64>().ok()?, most.parse::<f64>().ok()?)));
            let are_whole = column.examples.iter().all(|number| number.parse::<i64>().is_ok());
            matches!(column.kind, Kind::Number { .. })
                && column.title == title
                && !are_whole
                && bounds.is_some_and(|(least, most)| least >= 0.0 && (1.0..=100.0).contains(&most))
        };
        let compares = |place: Place| {
            let number = before.parse::<f64>().ok();
            let mut found = false;
            query.visit(&mut |part| {
                let Expression::Compare(_, one, other) = part else { return };
                for (of, value) in [(one, other), (other, one)] {
                    let Expression::Column(of) = &**of else { continue };
                    let is_it = || value.to_string().parse::<f64>().ok() == number;
                    found |= number.is_some() && of.place == Some(place) && is_it();
                }
            });
            found
        };
        let mut called = tables.columns().filter(|(_, column)| is_within(column));
        called.any(|(place, _)| is_titled || (!is_share && compares(place)))
    }

    /// Whether a word says nothing beyond what the query gives: "people" of named things, "yearly"
    /// of a salary, "day" of a date.
    pub(super) fn is_generic(&self, at: usize, word: &str) -> bool {
        let Self { words, language, query, tables, .. } = self;
        let given = |fits: &dyn Fn(Place) -> bool| {
            let items = query.select().map(|select| select.items.as_slice()).unwrap_or_default();
            items.iter().any(|item| match &item.expression {
                Expression::Column(column) => column.place.is_some_and(fits),
                _ => false,
            })
        };
        // "How many people live there" asks for inhabitants, "the town with the most people" for a
        // town.
        let before = words.get(..at).unwrap_or_default();
        let is_asked_for = !before.iter().any(|word| language.wants_the_many(word))
            && before.iter().all(|word| !language.meanings(word).is_empty());
        let are_people = language.means_people(word)
            && is_asked_for
            && called(word, *language, tables).is_empty()
            && given(&|place| place.column == 0 || tables.leads_to(place).is_some());
        let is_titled = |of: &String| words_of(of).iter().any(|of| language.is_form(word, of));
        let is_period =
            language.tells_a_period(word) && !tables.columns().any(|(_, column)| is_titled(&column.title));
        let is_date = |place: Place| {
            let column = tables.column(place);
            column.is_some_and(|column| column.kind == Kind::Date || column.holds_years())
        };
        let is_extreme =
            |word: &String| language.means(word, "superlative") || language.looks_superlative(word);
        let is_sole = language.is_sole(word) && before.last().is_some_and(is_extreme);
        are_people
            || is_sole
            || self.is_row_of_a_kind(at, word)
            || is_period
            || self.is_taken_in(at)
            || self.is_of_the_only_relation(at, word)
            || (language.is_unit_of_dates(word) && given(&is_date))
    }

    /// Whether a word behind the noun of a kind that the query uses says no more than a row of it:
    /// "picking sessions". Things of that name are other things.
    fn is_row_of_a_kind(&self, at: usize, word: &str) -> bool {
        let Self { words, language, query, tables, .. } = self;
        let used: Vec<usize> = query.tables().into_iter().filter_map(|(_, table)| table).collect();
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        let is_of_a_kind =
            |noun: &String| called(noun, *language, tables).iter().any(|kind| used.contains(kind));
        language.is_row_noun(word)
            && called(word, *language, tables).is_empty()
            && before.is_some_and(is_of_a_kind)
    }

    /// Whether a word before a kind's noun is one of the only relation that leads to things of this
    /// kind: the "lens workshops", of which the graph says that lenses are from them.
    fn is_of_the_only_relation(&self, at: usize, word: &str) -> bool {
        let Self { words, language, query, tables, .. } = self;
        let Some(noun) = words.get(at + 1) else { return false };
        let used: Vec<usize> = query.tables().into_iter().filter_map(|(_, table)| table).collect();
        let mut kinds = called(noun, *language, tables).into_iter().filter(|kind| used.contains(kind));
        let Some(kind) = kinds.next() else { return false };
        let leads = |(place, column): (Place, &Column)| {
            (place.column > 0 && tables.leads_to(place) == Some(kind)).then(|| column.title.clone())
        };
        let titles: HashSet<String> = tables.columns().filter_map(leads).collect();
        let is_it = |title: &String| words_of(title).iter().any(|of| language.is_form(word, of));
        titles.len() == 1 && titles.iter().any(is_it)
    }

    /// Whether a word belongs to those that take in what the query does not leave out:
    /// "discontinued models included", "and everything below it".
    fn is_taken_in(&self, at: usize) -> bool {
        let below = taken_below(&self.words, self.query, self.tables);
        if below.is_some_and(|(clause, up)| clause.contains(&at) && self.query.places().contains(&up)) {
            return true;
        }
        let clause = taken_in(&self.words, self.tables).filter(|(clause, _)| clause.contains(&at));
        clause.is_some_and(|(_, flags)| {
            let mut uses = false;
            self.query.visit(&mut |part| {
                uses |= matches!(part, Expression::Column(of) if of.place.is_some_and(|at| flags.contains(&at)));
            });
            !uses
        })
    }
}

/// The event that a question asks about, if the query gives the date of another one: when somebody
/// was hired is not when they were born.
pub(super) fn another_event(
    words: &[String],
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    let [Item { expression: Expression::Column(given), .. }] = query.select()?.items.as_slice() else {
        return None;
    };
    let column = tables.column(given.place?)?;
    let is_date = column.kind == Kind::Date || column.holds_years();
    let is_another = |word: &&String| language.tells_another_event(word, &column.title);
    left_out.iter().find(is_another).filter(|_| is_date).cloned()
}
