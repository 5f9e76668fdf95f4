//! The columns of a query beside the question: those that nobody asks for, and those that the
//! question means instead.

use quipu_query::{Abbreviation, Comparison, Expression, Place, Rows, words_of};

use super::{Compared, FAR_FROM_QUESTION, USUAL, words_asked};
use crate::names::invented::bare_links;
use crate::numbers::extremes::adjective_left_out;
use crate::slips::extreme_of;
use crate::weigh::explain::Unexplained;

impl Compared<'_> {
    /// How far the question is in meaning from a column.
    fn unasked(&self, title: &str) -> f64 {
        let is_it = |one: &Abbreviation| self.tables.column(one.place).is_some_and(|of| of.title == title);
        if self.abbreviated.iter().any(is_it) {
            return 0.0;
        }
        let far = |word: &String| match words_asked(word, &self.plain) {
            true => 0.0,
            false => 1.0 - self.near.from(word).unwrap_or(USUAL),
        };
        let words = words_of(title);
        let telling = words.iter().filter(|word| self.language.meanings(word).is_empty());
        telling.map(far).reduce(f64::min).unwrap_or(0.0)
    }

    /// How far the question is from the query's columns, and what it says of none of them.
    pub(super) fn columns_that_nobody_asks_for(&self, found: &mut Unexplained) {
        let Self { query, tables, said, .. } = self;
        found.unasked = said.columns.keys().map(|title| self.unasked(title)).sum();
        // Where all words are explained, nothing is left to ask for another link.
        if found.names.is_empty() {
            // "Bakeries without a manager" among those where anybody works: the link is said by
            // the one that it lacks.
            let is_once = |title: &String| said.columns.get(title).is_none_or(|uses| *uses == 1);
            let is_far = |title: &String| is_once(title) && self.unasked(title) > FAR_FROM_QUESTION;
            let links = bare_links(query, tables).into_iter();
            let unsaid = links.filter(|titles| titles.iter().all(is_far));
            found.unsaid.extend(unsaid.filter_map(|titles| titles.into_iter().next()));
        }
        let ordered = extreme_of(query).and_then(|column| tables.column(column.place?));
        if ordered.is_some_and(|column| self.unasked(&column.title) > FAR_FROM_QUESTION) {
            let adjective = adjective_left_out(&self.words, &found.names, tables);
            found.leave_out("orders by another measure", adjective);
        }
    }

    /// The first word that the query leaves out, if the query holds a named thing against a column
    /// although another one that leads to such things is much nearer to the question: "the
    /// satellites built by A" are not those that A operates, if they have a manufacturer.
    pub(super) fn holds_it_against_another(&self, found: &mut Unexplained) {
        /// How much nearer the other column is in meaning.
        const NEARER: f64 = 0.2;
        let Self { query, tables, said, .. } = self;
        let Some(word) = found.names.first().cloned() else { return };
        let owner = |place: Place| match tables.table(place.table).map(|table| &table.source) {
            Some(Rows::Links { heads, .. }) => *heads,
            _ => place.table,
        };
        let mut held: Vec<Place> = Vec::new();
        query.visit(&mut |part| {
            if let Expression::Compare(Comparison::Equal, of, value) = part
                && let (Expression::Column(of), Expression::Terms(..)) = (&**of, &**value)
            {
                held.extend(of.place.filter(|place| place.column > 0));
            }
        });
        let is_passed_over = |place: &Place| {
            let (Some(kind), Some(column)) = (tables.leads_to(*place), tables.column(*place)) else {
                return false;
            };
            let own = self.unasked(&column.title);
            tables.columns().any(|(other, of)| {
                other != *place
                    && other.column > 0
                    && tables.leads_to(other) == Some(kind)
                    && owner(other) == owner(*place)
                    && !said.columns.contains_key(&of.title)
                    && self.unasked(&of.title) + NEARER < own
            })
        };
        let passed_over = held.iter().any(is_passed_over);
        found.leave_out("holds a thing against another column", passed_over.then_some(word));
    }

    /// Steps that the question takes more often than the query: "the capital of the capital of".
    pub(super) fn steps_left_out(&self, found: &mut Unexplained) {
        let text = self.words.join(" ").replace(" of the ", " of ");
        for (title, uses) in &self.said.columns {
            let asked = format!("{} of", words_of(title).join(" "));
            let times = text.matches(&asked).count();
            let steps = uses.saturating_sub(self.said.repeated.get(title).copied().unwrap_or_default());
            if times > 1 && times > steps {
                found.leave_out("leaves out a step", [asked]);
            }
        }
    }
}
