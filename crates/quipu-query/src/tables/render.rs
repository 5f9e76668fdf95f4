//! Renders tables as `CREATE TABLE` lines within a budget: the tables that a question can need, for
//! a graph of any size.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use quipu_language::Language;

use super::records::Records;
use super::{Column, Kind, Place, Table, Tables, words_of};

/// After this many tables in a row that are too long for the remaining room, no other is tried.
const MOST_MISSED: usize = 50;

/// The relevance of a column whose comment has a telling word of the question.
const TOLD: f64 = 0.5;

/// The budget of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderConfig {
    /// Most bytes of the text if tables have to be chosen; half as many again if all are shown. A
    /// prompt with all tables begins alike for each question, so that a model computes that
    /// beginning once.
    pub bytes: usize,
    /// Most columns of one table if not all tables fit.
    pub columns: usize,
}

impl Default for RenderConfig {
    /// 4,400 bytes, some 1,400 tokens; 14 columns of a table.
    fn default() -> Self {
        Self { bytes: 4_400, columns: 14 }
    }
}

/// How relevant columns are to a question, from 0; absent ones have 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Relevance {
    /// By column; the relevance of a table's first column is the table's own.
    pub columns: HashMap<Place, f64>,
}

/// The text and the columns that it shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rendered {
    /// `CREATE TABLE` lines.
    pub text: String,
    /// The columns shown.
    pub shown: BTreeSet<Place>,
    /// Whether all columns of all tables are shown.
    pub whole: bool,
}

impl Relevance {
    /// Relevance by words: the share of words of a column's name that occur in the question in some
    /// form; for a first column, of its table's name.
    pub fn by_words(tables: &Tables, question: &str) -> Self {
        let asked = words_of(question);
        let share = |title: &str| {
            let words = words_of(title);
            let held = words.iter().filter(|word| asked.iter().any(|other| is_form_of(word, other))).count();
            held as f64 / words.len().max(1) as f64
        };
        let mut columns = HashMap::new();
        for (place, column) in tables.columns() {
            let title = if place.column == 0 {
                tables.table(place.table).map_or("", |t| &t.title)
            } else {
                &column.title
            };
            let score = share(title);
            let comment = match tables.table(place.table).filter(|_| place.column == 0) {
                Some(table) => tables.comment_on_rows(table),
                None => tables.comment(column),
            };
            let language = Language::of(question);
            let tells = |word: &&String| language.meanings(word).is_empty();
            let is_told = comment.is_some_and(|comment| {
                let said = words_of(&comment.text);
                said.iter().filter(tells).any(|word| asked.iter().any(|other| is_form_of(word, other)))
            });
            let score = if is_told { score.max(TOLD) } else { score };
            if score > 0.0 {
                columns.insert(place, score);
            }
        }
        Self { columns }
    }

    /// Passes the relevance of a table within another on to that one, because that one is shown.
    fn widened(&self, tables: &Tables) -> Self {
        let mut wide = self.clone();
        for (place, score) in &self.columns {
            wide.raise(tables.widest(*place), *score);
        }
        wide
    }

    /// Raises a column's relevance to at least `score`.
    pub fn raise(&mut self, place: Place, score: f64) {
        let known = self.columns.entry(place).or_insert(0.0);
        *known = known.max(score);
    }

    fn of(&self, place: Place) -> f64 {
        self.columns.get(&place).copied().unwrap_or(0.0)
    }
}

/// Whether two words share so long a beginning that one may be a form of the other: "publications"
/// and "publication", "cities" and "city".
pub(crate) fn is_form_of(word: &str, other: &str) -> bool {
    if word == other {
        return true;
    }
    let shared = word.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let (short, long) =
        (word.chars().count().min(other.chars().count()), word.chars().count().max(other.chars().count()));
    shared >= 3 && shared + 1 >= short && long <= shared + 3
}

fn rendered(text: String, chosen: &BTreeMap<usize, Vec<usize>>, whole: bool) -> Rendered {
    let places = |(table, columns): (&usize, &Vec<usize>)| {
        let table = *table;
        columns.iter().map(move |column| Place { table, column: *column }).collect::<Vec<_>>()
    };
    Rendered { text, shown: chosen.iter().flat_map(places).collect(), whole }
}

impl Tables {
    /// The tables as `CREATE TABLE` lines: all of them if they fit, else the most relevant, with
    /// the tables that join them.
    pub fn render(&self, relevance: &Relevance, config: &RenderConfig) -> Rendered {
        let everything: BTreeMap<usize, Vec<usize>> = self
            .tables
            .iter()
            .enumerate()
            .filter(|(_, table)| table.within.is_none())
            .map(|(at, table)| (at, (0..table.columns.len()).collect()))
            .collect();
        let records = &Records::of(self);
        let text = self.lines(&everything, records);
        if text.len() <= config.bytes.saturating_add(config.bytes / 2) {
            return rendered(text, &everything, true);
        }
        let relevance = &relevance.widened(self);
        let mut chosen: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let (mut text, mut missed) = (String::new(), 0);
        for table in self.by_relevance(relevance, records) {
            let mut next = chosen.clone();
            for at in self.with_joins(table, &chosen, records) {
                next.entry(at).or_insert_with(|| self.best_columns(at, relevance, config.columns));
            }
            let longer = self.lines(&next, records);
            if longer.len() <= config.bytes {
                (chosen, text) = (next, longer);
                missed = 0;
            } else if chosen.is_empty() {
                // If not even one table fits, as many of its columns as fit.
                for most in (0..=config.columns).rev() {
                    chosen = BTreeMap::from([(table, self.best_columns(table, relevance, most))]);
                    text = self.lines(&chosen, records);
                    if text.len() <= config.bytes {
                        break;
                    }
                }
            } else {
                missed += 1;
                if missed > MOST_MISSED {
                    break;
                }
            }
        }
        rendered(text, &chosen, false)
    }

    /// Tables by the relevance of their best columns and of their name; among equals the larger
    /// first. Records that links show come with these.
    fn by_relevance(&self, relevance: &Relevance, records: &Records) -> Vec<usize> {
        let of_table = |at: usize| {
            let columns = self.tables.get(at).map_or(0, |table| table.columns.len());
            (0..columns).map(move |column| relevance.of(Place { table: at, column }))
        };
        let score = |at: usize| {
            let of_records = records.shown_in(at).into_iter().flat_map(of_table);
            let mut scores: Vec<f64> = of_table(at).chain(of_records).collect();
            scores.sort_by(|a, b| b.total_cmp(a));
            scores.iter().take(3).sum::<f64>()
        };
        let shown = |at: &usize| {
            let table = self.tables.get(*at).filter(|_| !records.are_shown(*at));
            table.is_some_and(|table| table.within.is_none())
        };
        let mut order: Vec<(f64, usize)> =
            (0..self.tables.len()).filter(shown).map(|at| (score(at), at)).collect();
        let rows = |at: usize| self.tables.get(at).map_or(0, |table| table.rows);
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| rows(b.1).cmp(&rows(a.1))).then(a.1.cmp(&b.1)));
        order.into_iter().map(|(_, at)| at).collect()
    }

    /// The table; for a table of links also the table of its heads and the records that it shows;
    /// and a table of links that joins it to a chosen table.
    fn with_joins(&self, at: usize, chosen: &BTreeMap<usize, Vec<usize>>, records: &Records) -> Vec<usize> {
        let mut with = vec![at];
        with.extend(records.shown_in(at));
        if let Some(super::Rows::Links { heads, .. }) = self.tables.get(at).map(|table| &table.source) {
            with.push(*heads);
            with.extend(records.shown_in(*heads));
        }
        let mut links = self.tables.iter().enumerate().filter(|(_, t)| t.is_links() && t.within.is_none());
        let joins = links.find(|(_, table)| {
            let ends: Vec<usize> = table
                .columns
                .iter()
                .filter_map(|column| match column.kind {
                    Kind::Entity(target) => target,
                    _ => None,
                })
                .collect();
            ends.contains(&at) && ends.iter().any(|end| *end != at && chosen.contains_key(end))
        });
        if let Some((at, _)) = joins {
            with.push(at);
            with.extend(records.shown_in(at));
        }
        with
    }

    fn best_columns(&self, at: usize, relevance: &Relevance, most: usize) -> Vec<usize> {
        let Some(table) = self.tables.get(at) else { return Vec::new() };
        let mut order: Vec<usize> = (1..table.columns.len()).collect();
        let filled = |column: usize| table.columns.get(column).map_or(0, |column| column.filled);
        order.sort_by(|a, b| {
            let score = |column: usize| relevance.of(Place { table: at, column });
            score(*b).total_cmp(&score(*a)).then_with(|| filled(*b).cmp(&filled(*a)))
        });
        order.truncate(most);
        order.sort_unstable();
        order.insert(0, 0);
        order
    }

    fn lines(&self, chosen: &BTreeMap<usize, Vec<usize>>, records: &Records) -> String {
        let mut text = String::new();
        for at in chosen.keys().filter(|at| !records.are_shown(**at)) {
            let Some(table) = self.tables.get(*at) else { continue };
            let cells = self.cells(*at, chosen, records);
            let _ = write!(text, "CREATE TABLE {} ({});", table.id, cells.join(", "));
            if let Some(comment) = self.comment_on_rows(table).filter(|comment| comment.alone) {
                let _ = write!(text, " -- {}", comment.text);
            }
            text.push('\n');
        }
        text
    }

    /// The columns of a table, those of records in place of the column that leads to them. The
    /// records' own keys are shown nowhere.
    fn cells(&self, at: usize, chosen: &BTreeMap<usize, Vec<usize>>, records: &Records) -> Vec<String> {
        let mut cells = Vec::new();
        for column in chosen.get(&at).into_iter().flatten() {
            let place = Place { table: at, column: *column };
            match records.at(place).filter(|records| chosen.contains_key(records)) {
                Some(records_at) => cells.extend(self.cells(records_at, chosen, records)),
                None if *column == 0 && records.are_shown(at) => {}
                None => {
                    let table = self.tables.get(at);
                    cells.extend(
                        table.and_then(|table| Some(self.cell(table, *column, table.columns.get(*column)?))),
                    );
                }
            }
        }
        cells
    }

    fn cell(&self, table: &Table, at: usize, column: &Column) -> String {
        let mut cell = column.id.clone();
        cell.push_str(match column.kind {
            Kind::Number { .. } => " REAL",
            Kind::Date => " DATE",
            Kind::Flag => " BOOLEAN",
            Kind::Entity(_) | Kind::Text => " TEXT",
        });
        let own = at == 0 && !table.is_links();
        let target = match column.kind {
            Kind::Entity(Some(target)) if !own => self.tables.get(target).map(|t| (t, "name")),
            _ => column.references.and_then(|(t, c)| {
                let table = self.tables.get(t)?;
                Some((table, table.columns.get(c)?.id.as_str()))
            }),
        };
        if let Some((target, key)) = target {
            let _ = write!(cell, " REFERENCES {}({key})", target.id);
        }
        let few = column.distinct <= column.examples.len() as u64;
        // Examples of numbers, times and links tell nothing, except for a few numbers that may be
        // codes.
        let is_shown = match column.kind {
            Kind::Number { .. } => few,
            Kind::Flag => false,
            // Keys tell nothing.
            _ if own => !table.unnamed,
            _ => target.is_none(),
        };
        let most = if column.kind == Kind::Date { 1 } else { column.examples.len() };
        let shown = column.examples.iter().take(most).map(|example| {
            let in_line = |c: &char| !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}');
            let clean: String = example.chars().filter(in_line).collect();
            let clean = clean.replace("*/", "* /").replace('\'', "''");
            match column.kind {
                Kind::Number { .. } => clean.replace(',', ""),
                _ => format!("'{clean}'"),
            }
        });
        let shown: Vec<String> = shown.collect();
        let mut told = if is_shown { shown.join(", ") } else { String::new() };
        // A column's own label tells its meaning.
        if let Some(comment) = self.comment(column).filter(|comment| comment.alone) {
            let text = comment.text.replace("*/", "* /");
            told = if told.is_empty() { text } else { format!("{text}: {told}") };
        }
        if !told.is_empty() {
            let _ = write!(cell, " /* {told} */");
        }
        cell
    }
}
