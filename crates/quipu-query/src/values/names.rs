//! What the names of a table's rows have in common.

use std::collections::{HashMap, HashSet};

use oxrdf::Term;
use quipu_language::Language;

use super::Values;
use crate::tables::{Place, words_of};

/// One name of so many that contains a word may tell what the rows are.
const SHARE: usize = 50;

impl Values {
    /// The word with which nearly all names of a table's rows end: "lock" of "Alder Top Lock".
    pub fn last_word(&self, table: usize) -> Option<String> {
        self.ending(table, 0.9)
    }

    /// The word with which the most names of a table's rows end, if at least a share of them does.
    pub fn ending(&self, table: usize, share: f64) -> Option<String> {
        /// Fewest names that show it.
        const LEAST: usize = 3;
        let list = self.lists.get(&Place { table, column: 0 })?;
        // "The Blue Anchor" is an inn.
        let is_title =
            |name: &String| words_of(name).first().is_some_and(|the| Language::english().is_article(the));
        let last = |name: &String| words_of(name).into_iter().skip(1).next_back().filter(|_| !is_title(name));
        let mut counts: HashMap<String, usize> = HashMap::new();
        for word in list.entries.iter().filter_map(|(name, _)| last(name)) {
            *counts.entry(word).or_default() += 1;
        }
        let (word, count) = counts.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)))?;
        (count >= LEAST && count as f64 >= list.entries.len() as f64 * share).then_some(word)
    }

    /// The words with which nearly all names of a table's rows begin and end: "lot" of "Lot M-725".
    pub fn shared_words(&self, table: usize) -> &[String] {
        self.lists.get(&Place { table, column: 0 }).map_or(&[], |list| &list.shared)
    }

    /// The names of rows that nearly all share a word, in the singular or the plural: those of lots
    /// for "lots".
    pub fn names_sharing(&self, word: &str) -> Vec<Place> {
        let singular = Language::english().singular(word);
        let shares =
            |list: &super::List| list.shared.iter().any(|shared| shared == word || *shared == singular);
        let names = self.lists.iter().filter(|(place, list)| place.column == 0 && shares(list));
        names.map(|(place, _)| *place).collect()
    }

    /// Whether one in fifty names of a table's rows calls the row by a word, in the singular or the
    /// plural.
    /// Fewer may have it by chance: a song is called after a postcard.
    pub fn names_contain(&self, table: usize, word: &str) -> bool {
        let language = Language::english();
        let forms = HashSet::from([word.to_owned(), language.plural(word), language.singular(word)]);
        let (holding, all) = self.names_with(table, &forms);
        holding > 0 && holding * SHARE >= all
    }

    /// Whether several names of a table's rows call the row by a noun in the singular, one in fifty
    /// at least: they tell the kind of the rows. Pettigrew Puppets makes some, and is none.
    pub fn names_tell(&self, table: usize, noun: &str) -> bool {
        /// Fewer names than that tell nothing, however small the table.
        const LEAST: usize = 3;
        let (holding, all) = self.names_of_kind(table, noun);
        holding >= LEAST && holding * SHARE >= all
    }

    /// How many names of a table's rows call the row by a noun in the singular, and how many names
    /// there are.
    pub fn names_of_kind(&self, table: usize, noun: &str) -> (usize, usize) {
        self.names_with(table, &HashSet::from([Language::english().singular(noun)]))
    }

    fn names_with(&self, table: usize, forms: &HashSet<String>) -> (usize, usize) {
        let Some(list) = self.lists.get(&Place { table, column: 0 }) else { return (0, 0) };
        let is_called = |entry: &usize| list.entries.get(*entry).is_some_and(|(name, _)| calls(name, forms));
        let held = forms.iter().filter_map(|form| list.by_word.get(form)).flatten();
        let holding: HashSet<usize> = held.copied().filter(is_called).collect();
        (holding.len(), list.entries.len())
    }

    /// Whether some names of a table's rows end with a word: "Grenza Festival Orchestra".
    pub fn names_end_with(&self, table: usize, word: &str) -> bool {
        self.names_ending(table, word) > 0
    }

    /// How many names of a table's rows end with a word.
    pub fn names_ending(&self, table: usize, word: &str) -> usize {
        let list = self.lists.get(&Place { table, column: 0 });
        let ends = |entry: &&(String, Term)| words_of(&entry.0).last().is_some_and(|last| last == word);
        list.map_or(0, |list| {
            let held = list.by_word.get(word).into_iter().flatten();
            held.filter_map(|at| list.entries.get(*at)).filter(ends).count()
        })
    }
}

/// Whether a name has a noun where it tells the kind: first ("Lake Como"), last ("Goose Market
/// Theatre"), or before "of" or a number. The Marina Balloon Club is no balloon.
fn calls(name: &str, forms: &HashSet<String>) -> bool {
    let language = Language::english();
    let words = words_of(name);
    let tells = |at: usize| match words.get(at + 1) {
        Some(next) => at == 0 || language.is_of(next) || next.chars().all(char::is_numeric),
        None => true,
    };
    words.iter().enumerate().any(|(at, word)| forms.contains(word) && tells(at))
}

/// The word that nearly all names begin or end with: the "L" of `GoblinL` and `ElvenL` tells
/// nothing.
pub(super) fn shared_by_all(
    names: &[Vec<String>],
    end: impl Fn(&[String]) -> Option<&String>,
) -> Option<String> {
    /// Least number of names; fewer may share a word by chance.
    const LEAST_NAMES: usize = 5;
    const SHARE: f64 = 0.95;
    let mut uses: HashMap<&String, usize> = HashMap::new();
    let is_word = |word: &&String| !word.chars().any(char::is_numeric);
    for word in names.iter().filter(|name| name.len() > 1).filter_map(|name| end(name)).filter(is_word) {
        *uses.entry(word).or_default() += 1;
    }
    let (word, uses) = uses.into_iter().max_by_key(|(word, uses)| (*uses, std::cmp::Reverse(*word)))?;
    (uses >= LEAST_NAMES && uses as f64 >= SHARE * names.len() as f64).then(|| word.clone())
}
