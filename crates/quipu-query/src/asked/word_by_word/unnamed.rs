//! The noun of a question for the only kind of things that has no noun: where a graph without types
//! has players, leagues, cities and one kind more, "teams" are those.

use super::Compared;
use crate::tables::{Rows, Table, words_of};

impl Compared<'_> {
    /// Whether a word is the question's noun for the only kind of things without a noun, and the
    /// query is about these. No other noun of the question may be unknown to the graph, and the
    /// reading is about as near to the word as readings usually are.
    pub(super) fn calls_what_has_no_noun(&self, word: &str) -> bool {
        let Self { words, tables, language, query, .. } = self;
        let all = tables.tables.iter().enumerate();
        let mut without = all.filter(|(_, table)| table.has_no_noun()).map(|(at, _)| at);
        let (Some(kind), None) = (without.next(), without.next()) else { return false };
        let is_its = |at: usize| {
            at == kind
                || matches!(tables.table(at).map(|table| &table.source), Some(Rows::Links { heads, .. }) if *heads == kind)
        };
        let is_near = self.near.to(word).is_none_or(|near| near >= super::USUAL);
        if !is_near || !query.tables().into_iter().any(|(_, at)| at.is_some_and(is_its)) {
            return false;
        }
        let titles = || {
            let of_tables = tables.tables.iter().filter(|table| !table.is_links()).map(|table| &table.title);
            of_tables.chain(tables.columns().map(|(_, column)| &column.title))
        };
        let is_known =
            |word: &String| titles().any(|title| words_of(title).iter().any(|of| language.is_form(word, of)));
        // "Which teams", "newest team", "the teams": what stands behind a name is mostly a verb.
        let is_noun = |at: usize| {
            let Some(word) = words.get(at).filter(|word| language.meanings(word).is_empty()) else {
                return false;
            };
            let before = at.checked_sub(1).and_then(|before| words.get(before));
            let orders = |word: &String| {
                let means = |of: &quipu_language::Meaning| of.means == "superlative";
                language.looks_superlative(word) || language.meanings(word).iter().any(means)
            };
            let is_first = before.is_some_and(orders);
            let follows = before.is_none_or(|before| !language.meanings(before).is_empty());
            let is_plural = language.singular(word) != *word;
            let is_noun = is_first || (follows && is_plural);
            is_noun && word.chars().all(char::is_alphabetic) && !is_known(word)
        };
        let mut nouns = (0..words.len()).filter(|at| is_noun(*at)).filter_map(|at| words.get(at));
        let Some(first) = nouns.next().map(|noun| language.singular(noun)) else { return false };
        language.singular(word) == first && nouns.all(|other| language.singular(other) == first)
    }
}

impl Table {
    /// Whether it holds things of a kind that neither the graph nor the model could name.
    fn has_no_noun(&self) -> bool {
        matches!(self.source, Rows::Ends { .. }) && self.title == crate::tables::UNNAMED
    }
}
