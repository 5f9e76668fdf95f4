//! Types of the same relations that no class stands above: Wikidata has paintings, drawings and
//! prints, and no class of all works. They are kinds of one table, so that one query can ask about
//! all of them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use quipu_graph::{NodeId, RelationId};
use quipu_language::Language;

use super::names::{ABOVE, UNNAMED};
use super::types::{MOST_KINDS, Type};
use super::{Kind, Rows, Table, Tables, words_of};

/// Sisters have so many relations in common.
const LEAST_COMMON: usize = 4;
/// Sisters have more than this share of all their relations in common.
const COMMON: f64 = 0.75;

/// The classes above types of the same relations. `types` are sorted by the number of entities;
/// `is_alone` tells whether no class stands above a type or below it; `types_each` counts the types
/// among some that an entity has on average.
pub(super) fn sisters(
    types: &[Type],
    relations: &HashMap<NodeId, HashSet<RelationId>>,
    is_alone: impl Fn(NodeId) -> bool,
    types_each: impl Fn(&HashSet<NodeId>) -> f64,
) -> Vec<Type> {
    let none = HashSet::new();
    let of_type = |of: &Type| of.node.and_then(|node| relations.get(&node)).unwrap_or(&none);
    let mut groups: Vec<Vec<&Type>> = Vec::new();
    let alone = types.iter().filter(|of| of.kinds.is_empty() && of.only.is_none());
    let has_enough = |of: &&Type| of_type(of).len() >= LEAST_COMMON;
    for of in alone.filter(has_enough).filter(|of| of.node.is_some_and(&is_alone)) {
        let is_sister = |group: &&mut Vec<&Type>| {
            group.first().is_some_and(|first| are_alike(of_type(first), of_type(of)))
        };
        match groups.iter_mut().find(is_sister) {
            Some(group) => group.push(of),
            None => groups.push(vec![of]),
        }
    }
    let above = |group: &Vec<&Type>| {
        let nodes: HashSet<NodeId> = group.iter().flat_map(|of| of.nodes.iter().copied()).collect();
        let each = types_each(&nodes).max(1.0);
        let all = (group.iter().map(|of| of.entities).sum::<u64>() as f64 / each).round() as u64;
        let iris = group.iter().flat_map(|of| &of.iris);
        let key = iris.clone().min().map(|first| format!("{ABOVE}{first}"));
        Type {
            node: None,
            name: UNNAMED.to_owned(),
            // All of them, and at least those of the largest type.
            entities: group.iter().map(|of| of.entities).max().unwrap_or(0).max(all),
            iris: key.into_iter().chain(iris.cloned()).collect(),
            nodes: nodes.into_iter().collect(),
            types_each: each,
            kinds: group.iter().filter_map(|of| of.node).collect(),
            kinds_each: each,
            within: None,
            only: None,
        }
    };
    groups.iter().filter(|group| (2..=MOST_KINDS).contains(&group.len())).map(above).collect()
}

impl Tables {
    /// The same tables, but with the types that the words name in the place of a class that the
    /// graph lacks: who asks for volcanoes needs no table of all peaks. A class that the words name
    /// themselves stays, and so does one of whose types they name several, if a column tells them
    /// apart.
    pub fn as_named_by(&self, words: &[String]) -> Cow<'_, Self> {
        let mut view = Cow::Borrowed(self);
        for at in 0..self.tables.len() {
            let types = self.sisters_named_by(at, words);
            if let Some(first) = types.first() {
                view.to_mut().show_types(at, &types, *first);
            }
        }
        view
    }

    /// The types below a class that the graph lacks, as far as words name them and not the class.
    fn sisters_named_by(&self, above: usize, words: &[String]) -> Vec<usize> {
        let language = Language::of_words(words);
        // "Mountain" of "mountain range" names no mountain.
        let is_of_longer = |at: usize, noun: &str| {
            self.tables.iter().any(|table| {
                let title = words_of(&table.title);
                let place = title.iter().position(|word| language.is_noun(noun, word));
                let Some(place) = place.filter(|place| place + 1 < title.len()) else { return false };
                let said = at.checked_sub(place).and_then(|from| words.get(from..from + title.len()));
                said.is_some_and(|said| said.iter().zip(&title).all(|(word, of)| language.is_noun(word, of)))
            })
        };
        let is_named = |table: &Table| {
            let last = words_of(&table.title).pop();
            last.is_some_and(|last| {
                let mut all = words.iter().enumerate();
                all.any(|(at, word)| language.is_noun(word, &last) && !is_of_longer(at, word))
            })
        };
        if self.table(above).is_none_or(|table| !table.is_made() || is_named(table)) {
            return Vec::new();
        }
        let within = self.tables.iter().enumerate().filter(|(_, table)| table.within == Some(above));
        let named: Vec<usize> =
            within.filter(|(_, table)| !table.is_links() && is_named(table)).map(|(at, _)| at).collect();
        // A column of kinds tells several of them apart in the table itself.
        let has_kinds = |table: &Table| table.columns.iter().any(|column| self.is_of_type(column));
        if named.len() > 1 && self.table(above).is_some_and(has_kinds) { Vec::new() } else { named }
    }

    /// Shows some types and their links instead of the class above them; references to the class
    /// become references to the `first` of them.
    fn show_types(&mut self, above: usize, types: &[usize], first: usize) {
        for (at, table) in self.tables.iter_mut().enumerate() {
            let heads = match &table.source {
                Rows::Links { heads, .. } => Some(*heads),
                _ => None,
            };
            if types.contains(&at) || heads.is_some_and(|heads| types.contains(&heads)) {
                table.within = None;
            } else if at == above || heads == Some(above) {
                table.within = Some(first);
            }
            for column in &mut table.columns {
                if column.kind == Kind::Entity(Some(above)) && at != above {
                    column.kind = Kind::Entity(Some(first));
                }
            }
        }
    }
}

/// Whether two types have nearly all of their relations in common.
fn are_alike(first: &HashSet<RelationId>, second: &HashSet<RelationId>) -> bool {
    let (less, more) = (first.len().min(second.len()), first.len().max(second.len()));
    if less as f64 <= COMMON * more as f64 {
        return false;
    }
    let common = first.intersection(second).count();
    common >= LEAST_COMMON && common as f64 > COMMON * first.union(second).count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relations(ids: impl IntoIterator<Item = u32>) -> HashSet<RelationId> {
        ids.into_iter().map(RelationId).collect()
    }

    #[test]
    fn sisters_have_nearly_all_relations_in_common() {
        assert!(are_alike(&relations(0..8), &relations(0..7)));
        assert!(!are_alike(&relations(0..8), &relations(3..11)), "five of eleven");
        assert!(!are_alike(&relations(0..3), &relations(0..3)), "three are too few to tell");
    }
}
