//! Records without names that the rendered tables show in the tables that lead to them, because
//! small models join two tables more safely than three: an article's parts with their quantities
//! in the table of links to them, an address or a rating in the table of those that have it.

use std::collections::{BTreeMap, HashMap};

use super::{Kind, Place, Tables};
use quipu_language::Language;

/// The columns whose place the columns of records take, and the columns that lead to each table of
/// records.
#[derive(Debug, Default)]
pub(super) struct Records {
    shown_at: HashMap<Place, usize>,
    leading: BTreeMap<usize, Vec<Place>>,
}

impl Records {
    pub(super) fn of(tables: &Tables) -> Self {
        let mut leading: BTreeMap<usize, Vec<Place>> = BTreeMap::new();
        for (place, column) in tables.columns() {
            let Kind::Entity(Some(to)) = column.kind else { continue };
            let shown = tables.table(place.table).is_some_and(|table| table.within.is_none());
            let is_own_name = place == Place { table: to, column: 0 };
            if shown && !is_own_name {
                leading.entry(to).or_default().push(place);
            }
        }
        leading.retain(|to, places| tables.are_records(*to) && tables.are_only_of(*to, places));
        // Two records of one thing may not show columns of one name: an address has a country,
        // and a place of birth has one too.
        let mut shows: BTreeMap<(usize, String), usize> = BTreeMap::new();
        let ids = |to: usize| tables.tables.get(to).into_iter().flat_map(|of| of.columns.iter().skip(1));
        for (to, places) in &leading {
            for (place, column) in places.iter().flat_map(|place| ids(*to).map(move |column| (place, column)))
            {
                *shows.entry((place.table, column.id.to_lowercase())).or_default() += 1;
            }
        }
        leading.retain(|to, places| {
            let is_one = |place: &Place| {
                ids(*to).all(|of| shows.get(&(place.table, of.id.to_lowercase())) == Some(&1))
            };
            places.iter().all(is_one)
        });
        let mut records = Self { shown_at: HashMap::new(), leading };
        // Records of records that lead back to themselves have no table that shows them.
        let ends = |to: &usize| records.owners(*to, DEEPEST).is_some_and(|owners| !owners.is_empty());
        let shown: Vec<usize> = records.leading.keys().copied().filter(ends).collect();
        records.leading.retain(|to, _| shown.contains(to));
        let places = records.leading.iter().flat_map(|(to, places)| places.iter().map(|place| (*place, *to)));
        records.shown_at = places.collect();
        records
    }

    /// The tables that show records, through records of records too; `None` if there are too many
    /// steps between them.
    fn owners(&self, records: usize, deepest: usize) -> Option<Vec<usize>> {
        let mut owners = Vec::new();
        for place in self.leading.get(&records).into_iter().flatten() {
            if self.leading.contains_key(&place.table) {
                owners.extend(self.owners(place.table, deepest.checked_sub(1)?)?);
            } else {
                owners.push(place.table);
            }
        }
        Some(owners)
    }

    /// The records whose columns are shown in place of a column.
    pub(super) fn at(&self, place: Place) -> Option<usize> {
        self.shown_at.get(&place).copied()
    }

    /// The records that a table shows, and those that these show.
    pub(super) fn shown_in(&self, table: usize) -> Vec<usize> {
        let mut shown: Vec<usize> =
            self.shown_at.iter().filter(|(place, _)| place.table == table).map(|(_, to)| *to).collect();
        shown.sort_unstable();
        let within: Vec<usize> = shown.iter().flat_map(|to| self.shown_in(*to)).collect();
        shown.extend(within);
        shown
    }

    /// Whether a table's columns are shown in other tables.
    pub(super) fn are_shown(&self, table: usize) -> bool {
        self.leading.contains_key(&table)
    }
}

/// Most records of records of records.
const DEEPEST: usize = 3;

impl Tables {
    fn are_records(&self, table: usize) -> bool {
        self.table(table).is_some_and(|table| {
            table.unnamed && !table.is_links() && table.within.is_none() && table.columns.len() > 1
        })
    }

    /// Whether only these columns tell whose the records are: the one column of links that leads
    /// to them, or columns of single values that share no record. An amount with its unit is shown
    /// as the column that leads to it, whose name tells the weight from the height.
    fn are_only_of(&self, records: usize, places: &[Place]) -> bool {
        let Some(table) = self.table(records) else { return false };
        let is_mixed = |place: &Place| self.column(*place).is_none_or(|column| column.mixed);
        let is_link = |place: &Place| self.table(place.table).is_none_or(super::Table::is_links);
        if places.iter().any(|place| is_mixed(place) || place.table == records) {
            return false;
        }
        if let [place] = places
            && is_link(place)
        {
            return place.column == 1 && !self.holds_values(records);
        }
        let mut owners: Vec<usize> = places.iter().map(|place| place.table).collect();
        owners.dedup();
        let of_places = || places.iter().filter_map(|place| self.column(*place));
        let is_clear = |place: &Place| {
            let id = |at: usize| table.columns.get(at).map_or("", |column| column.id.as_str());
            let owner = self.table(place.table);
            owner.is_some_and(|owner| (1..table.columns.len()).all(|at| owner.find(id(at)).is_none()))
        };
        !places.iter().any(is_link)
            && owners.len() == places.len()
            && self.amount(records).is_none()
            && of_places().all(|column| column.distinct == column.filled)
            && of_places().map(|column| column.filled).sum::<u64>() == table.rows
            && places.iter().all(is_clear)
    }

    /// The identifiers of a column as the rendered tables have it: its own, and that of its table
    /// or of the table that shows it, one that the question's words name before others.
    pub fn shown_as(&self, place: Place, words: &[String]) -> Option<(&str, &str)> {
        let records = Records::of(self);
        let owners = if place.column > 0 { records.owners(place.table, DEEPEST) } else { None };
        let owners = owners.unwrap_or_default();
        let language = Language::of_words(words);
        let is_named = |at: &&usize| {
            let title = self.table(**at).map(|table| super::words_of(&table.title)).unwrap_or_default();
            title.last().is_some_and(|noun| words.iter().any(|word| language.is_form(word, noun)))
        };
        let owner = owners.iter().find(is_named).or(owners.first());
        let table = self.table(owner.copied().unwrap_or(place.table))?;
        Some((&table.id, &self.column(place)?.id))
    }

    /// Whether a table has a column of this identifier, or shows one of its records as its own.
    pub fn has_or_shows(&self, table: usize, id: &str) -> bool {
        let has = |at: usize| self.table(at).is_some_and(|table| table.find(id).is_some());
        has(table) || Records::of(self).shown_in(table).into_iter().any(has)
    }

    /// Whether a table shows the columns of a table of records as its own.
    pub fn shows_records(&self, table: usize, records: usize) -> bool {
        Records::of(self).shown_in(table).contains(&records)
    }
}
