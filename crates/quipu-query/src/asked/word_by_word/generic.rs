//! Words that say nothing beyond what a query gives, and the events of its dates.

use quipu_language::{Language, Meaning};

use super::Compared;
use crate::asked::kinds::called;
use crate::asked::provisos::taken_in;
use crate::syntax::{Expression, Item, Query};
use crate::tables::{Column, Kind, Place, Tables, words_of};

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
                "percentage" | "ratio" => language.holds_shares(title) || self.is_in_percent(at, title),
                _ => false,
            })
        })
    }

    /// Whether a word for percent tells the unit of a column whose numbers lie between 0 and 100:
    /// "stronger than 12 percent" of an `alcohol by volume`, or the "alcohol percentage".
    fn is_in_percent(&self, at: usize, title: &str) -> bool {
        let Self { words, said, language, tables, .. } = self;
        let Some(before) = at.checked_sub(1).and_then(|before| words.get(before)) else { return false };
        let is_share = words.get(at + 1).is_some_and(|next| language.is_of(next));
        let is_compared = before.parse::<f64>().is_ok() && said.values.contains(before);
        let is_titled = language.meanings(before).is_empty()
            && words_of(title).iter().any(|of| language.is_form(before, of));
        let is_within = |column: &Column| {
            let bounds = column
                .range
                .as_ref()
                .and_then(|(least, most)| Some((least.parse::<f64>().ok()?, most.parse::<f64>().ok()?)));
            matches!(column.kind, Kind::Number { .. })
                && bounds.is_some_and(|(least, most)| least >= 0.0 && most <= 100.0)
        };
        let mut called = tables.columns().map(|(_, column)| column).filter(|column| column.title == title);
        ((is_compared && !is_share) || is_titled) && called.any(is_within)
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
        are_people
            || is_period
            || self.is_taken_in(at)
            || (language.is_unit_of_dates(word) && given(&is_date))
    }

    /// Whether a word belongs to those that take in what the query does not leave out:
    /// "discontinued models included".
    fn is_taken_in(&self, at: usize) -> bool {
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
