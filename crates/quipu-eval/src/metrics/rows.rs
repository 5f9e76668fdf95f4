//! Scores of tables by rows.
//!
//! A gold row is identified by its **key** (names, ids, all cells except measures) and states
//! **measures** (numbers in columns behind the first one). Ids identify only rows without a name:
//! "Alan Turing, 3" is not the row of author 3. A given row is right
//! - *leniently* if one of its cells is a key of the gold row;
//! - *strictly* if it contains a key, every measure of the gold row, and nothing outside the gold
//!   row.
//!
//! Strictly, each gold row is used once, and one column of the given table may be foreign. No cell
//! of a foreign column belongs to the gold row of its own row: the column explains the answer
//! ("with a rating of 4.7") without contradicting it.

use quipu_answer::{Answer, AnswerTable, Value};
use serde::{Deserialize, Serialize};

use super::{GoldAnswer, harmonic, one_if, share};
use crate::normal::Cell;
use crate::question::GoldQuestion;

/// The quality of one answer's rows; each value from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RowScore {
    /// F1 of the rows, strictly.
    pub f1: f64,
    /// F1 of the rows, leniently.
    pub lenient: f64,
    /// 1 if the tables are equal, strictly: the same rows, in the gold table's order if the
    /// question asks for one.
    pub exact: f64,
}

impl RowScore {
    /// A fully correct answer.
    pub const FULL: Self = Self { f1: 1.0, lenient: 1.0, exact: 1.0 };
}

/// The gold answers as a table, ready for comparisons.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GoldTable {
    rows: Vec<GoldRow>,
    /// Whether the question file gives the rows; else each gold answer is a row.
    of_file: bool,
    ordered: bool,
    any_of: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct GoldRow {
    /// If the gold key is known, keys decide about entities.
    answer: GoldAnswer,
    keys: Vec<Cell>,
    /// Numbers among the keys of a row with a name: ids. They match given rows without a name.
    ids: Vec<Cell>,
    measures: Vec<Cell>,
    /// The values that another published query computes in place of a measure.
    instead: Vec<Cell>,
}

/// A given table, or a list of values as rows of one cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GivenTable {
    rows: Vec<GivenRow>,
}

#[derive(Debug, Clone, PartialEq)]
struct GivenRow {
    cells: Vec<Option<GivenCell>>,
    /// Whether one of the cells is not a number.
    named: bool,
}

#[derive(Debug, Clone, PartialEq)]
struct GivenCell {
    text: Cell,
    keys: Vec<String>,
    /// The keys and their last parts: ids, if the file's rows name entities by them.
    of_keys: Vec<Cell>,
}

impl GoldTable {
    /// The gold table of a question; `answers` are its gold answers, in the order of its rows if it
    /// has rows.
    pub fn of(question: &GoldQuestion, answers: &[GoldAnswer]) -> Self {
        let of_file = question.has_rows();
        let rows = if of_file { rows_of_file(question, answers) } else { rows_of_answers(answers) };
        let ordered = crate::order::is_ordered(question);
        Self { rows, of_file, ordered, any_of: question.any_of }
    }

    /// Whether the question file gives rows.
    pub fn is_of_file(&self) -> bool {
        self.of_file
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether row `at` of a given table matches gold row `of`, leniently.
    pub(crate) fn has(&self, given: &GivenTable, at: usize, of: usize) -> bool {
        match (given.rows.get(at), self.rows.get(of)) {
            (Some(row), Some(gold)) => {
                row.cells.iter().flatten().any(|cell| self.is_key(gold, cell, row.named))
            }
            _ => false,
        }
    }

    /// Whether a cell is a key of the gold row; `named`: whether its row has a name.
    fn is_key(&self, gold: &GoldRow, cell: &GivenCell, named: bool) -> bool {
        if gold.answer.id.is_some() && !cell.keys.is_empty() {
            return gold.answer.is("", &cell.keys);
        }
        let is_key = |given: &Cell| gold.keys.iter().any(|key| given.is(key));
        let is_id = |given: &Cell| gold.ids.iter().any(|id| given.is(id));
        is_key(&cell.text)
            || (!named && is_id(&cell.text))
            || (self.of_file && cell.of_keys.iter().any(|key| is_key(key) || is_id(key)))
    }

    fn holds(&self, gold: &GoldRow, cell: &GivenCell) -> bool {
        let number = |stated: &Cell| cell.text.is(stated);
        self.is_key(gold, cell, false) || gold.measures.iter().any(number) || gold.instead.iter().any(number)
    }

    /// Whether a given row matches a gold row, strictly, without column `foreign`.
    fn is_row(&self, gold: &GoldRow, given: &GivenRow, foreign: Option<usize>) -> bool {
        let columns = given.cells.iter().enumerate().filter(|(at, _)| Some(*at) != foreign);
        let cells: Vec<&GivenCell> = columns.filter_map(|(_, cell)| cell.as_ref()).collect();
        if cells.len() <= gold.measures.len() || !cells.iter().all(|cell| self.holds(gold, cell)) {
            return false;
        }
        // The key's cell cannot also be a measure: "3, 3" may be course 3 with 3 students, "3" may
        // not.
        (0..cells.len()).any(|key| {
            let named = cells.get(key).is_some_and(|cell| self.is_key(gold, cell, given.named));
            let states = |measure: usize, cell: usize| {
                let Some((measure, given)) = gold.measures.get(measure).zip(cells.get(cell)) else {
                    return false;
                };
                cell != key
                    && (given.text.is(measure) || gold.instead.iter().any(|number| given.text.is(number)))
            };
            named && pairs(gold.measures.len(), cells.len(), states).iter().all(Option::is_some)
        })
    }

    /// The only column without a cell that belongs to the gold row named by the rest of its row;
    /// `None` if there are several. A name of another gold row is no explanation: that row is
    /// wrong.
    fn foreign_column(&self, given: &GivenTable) -> Option<usize> {
        let width = given.rows.iter().map(|row| row.cells.len()).max().unwrap_or_default();
        let belongs = |row: &GivenRow, column: usize| {
            let Some(Some(cell)) = row.cells.get(column) else { return false };
            let others = row.cells.iter().enumerate().filter(|(at, _)| *at != column);
            let rest: Vec<&GivenCell> = others.filter_map(|(_, cell)| cell.as_ref()).collect();
            let is_named = |gold: &&GoldRow| rest.iter().any(|cell| self.is_key(gold, cell, row.named));
            let named: Vec<&GoldRow> = self.rows.iter().filter(is_named).collect();
            let tells = named.is_empty() || cell.text.number().is_none();
            named.iter().any(|gold| self.holds(gold, cell))
                || (tells && self.rows.iter().any(|gold| self.is_key(gold, cell, row.named)))
        };
        let foreign = |column: &usize| !given.rows.iter().any(|row| belongs(row, *column));
        let mut found = (0..width).filter(foreign);
        found.next().filter(|_| width > 1 && found.next().is_none())
    }

    /// Scores a table; an empty table scores zero everywhere.
    pub fn score(&self, given: &GivenTable) -> RowScore {
        let (asked, said) = (self.rows.len(), given.rows.len());
        let of = |found: usize| if self.any_of { one_if(found > 0) } else { share(found, asked) };
        let right = (0..said).filter(|at| (0..asked).any(|of| self.has(given, *at, of))).count();
        let found = (0..asked).filter(|of| (0..said).any(|at| self.has(given, at, *of))).count();
        let lenient = harmonic(share(right, said), of(found));

        let foreign = self.foreign_column(given);
        let is = |gold: usize, at: usize| match (self.rows.get(gold), given.rows.get(at)) {
            (Some(gold), Some(row)) => self.is_row(gold, row, foreign),
            _ => false,
        };
        let matched = pairs(asked, said, is);
        let number = matched.iter().flatten().count();
        let f1 = harmonic(share(number, said), of(number));
        let exact = asked > 0 && f1 == 1.0 && (!self.ordered || self.any_of || self.in_order(&matched));
        RowScore { f1, lenient, exact: one_if(exact) }
    }

    /// Whether the given rows that match the gold rows, one for each, come in the gold order.
    /// Consecutive gold rows with equal measures are tied: either may come first.
    fn in_order(&self, matched: &[Option<usize>]) -> bool {
        let level = |(a, b): (&GoldRow, &GoldRow)| {
            let same = a.measures.iter().zip(&b.measures).all(|(a, b)| a.is(b));
            !a.measures.is_empty() && a.measures.len() == b.measures.len() && same
        };
        let mut last = None;
        let mut group: Option<usize> = None;
        for (at, given) in matched.iter().enumerate() {
            let before = at.checked_sub(1).and_then(|before| self.rows.get(before));
            if !before.zip(self.rows.get(at)).is_some_and(level) {
                last = last.max(group.take());
            }
            if *given < last {
                return false;
            }
            group = group.max(*given);
        }
        true
    }
}

fn rows_of_answers(answers: &[GoldAnswer]) -> Vec<GoldRow> {
    let row = |answer: &GoldAnswer| GoldRow {
        answer: answer.clone(),
        keys: answer.names().map(Cell::read).collect(),
        ..GoldRow::default()
    };
    answers.iter().map(row).collect()
}

fn rows_of_file(question: &GoldQuestion, answers: &[GoldAnswer]) -> Vec<GoldRow> {
    let stated = |at: usize| -> Vec<Option<String>> {
        let name = || question.answers.get(at).map(|name| vec![Some(name.clone())]);
        question.table.get(at).cloned().or_else(name).unwrap_or_default()
    };
    let table: Vec<Vec<Option<String>>> = (0..question.answers.len()).map(stated).collect();
    let measured = measured_columns(&table);
    let row = |(at, cells): (usize, &Vec<Option<String>>)| {
        let (mut measures, mut named) = (Vec::new(), Vec::new());
        let stated = cells.iter().enumerate().filter_map(|(column, cell)| Some((column, cell.as_ref()?)));
        for (column, text) in stated {
            if measured.contains(&column) { measures.push(text) } else { named.push(text) }
        }
        let together = written_together(&named);
        let known = answers.get(at).into_iter().flat_map(GoldAnswer::names).map(str::to_owned);
        let mut keys: Vec<String> = named.into_iter().cloned().chain(together).chain(known).collect();
        let mut instead = Vec::new();
        for alias in question.aliases.get(at).into_iter().flatten().filter(|alias| !measures.contains(alias))
        {
            // Beside a measure, a number with a decimal point was computed; a whole one may be an
            // id.
            let computed = !measures.is_empty() && alias.contains('.') && is_number(alias);
            if computed && !keys.contains(alias) { &mut instead } else { &mut keys }.push(alias.clone());
        }
        keys.sort_unstable();
        keys.dedup();
        // In a row with a name, numbers are ids.
        let has_name = keys.iter().any(|key| !is_number(key));
        let (ids, keys): (Vec<String>, Vec<String>) =
            keys.into_iter().partition(|key| has_name && is_number(key));
        let answer = GoldAnswer::default();
        GoldRow {
            answer,
            keys: read(&keys),
            ids: read(&ids),
            measures: read(&measures),
            instead: read(&instead),
        }
    };
    table.iter().enumerate().map(row).collect()
}

fn read<T: AsRef<str>>(texts: &[T]) -> Vec<Cell> {
    texts.iter().map(|text| Cell::read(text.as_ref())).collect()
}

fn is_number(text: &str) -> bool {
    Cell::read(text).number().is_some()
}

/// Columns behind the first one whose cells are all numbers.
fn measured_columns(table: &[Vec<Option<String>>]) -> Vec<usize> {
    let width = table.iter().map(Vec::len).max().unwrap_or_default();
    let is_measured = |column: &usize| {
        let mut cells = table.iter().filter_map(|row| row.get(*column)?.as_ref()).peekable();
        cells.peek().is_some() && cells.all(|cell| is_number(cell))
    };
    (1..width).filter(is_measured).collect()
}

/// Adjacent names joined into one: a graph has "Olivia Thomas" where a table has first and last
/// name.
fn written_together(named: &[&String]) -> Vec<String> {
    let words: Vec<&str> = named.iter().map(|text| text.as_str()).filter(|text| !is_number(text)).collect();
    let runs = (2..=words.len()).flat_map(|length| words.windows(length).map(|run| run.join(" ")));
    runs.collect()
}

impl GivenTable {
    /// An answer's table, else its values as rows of one cell, with the keys of each value. Rows
    /// without a value are dropped.
    pub fn of(answer: &Answer, keys: &[Vec<String>]) -> Self {
        match &answer.table {
            Some(table) => Self::of_table(table),
            None => {
                let keys = keys.iter().cloned().chain(std::iter::repeat(Vec::new()));
                let cells = answer
                    .answers
                    .iter()
                    .zip(keys)
                    .map(|(text, keys)| vec![Some(GivenCell::new(text, keys))]);
                Self::of_rows(cells.collect())
            }
        }
    }

    /// A table.
    pub fn of_table(table: &AnswerTable) -> Self {
        let cell = |value: &Value| GivenCell::new(&value.name, value.key.iter().cloned().collect());
        let rows = table.rows.iter().map(|row| row.iter().map(|value| value.as_ref().map(cell)).collect());
        Self::of_rows(rows.collect())
    }

    fn of_rows(rows: Vec<Vec<Option<GivenCell>>>) -> Self {
        let filled = rows.into_iter().filter(|row| row.iter().any(Option::is_some));
        let row = |cells: Vec<Option<GivenCell>>| {
            let named = cells.iter().flatten().any(|cell| cell.text.number().is_none());
            GivenRow { cells, named }
        };
        Self { rows: filled.map(row).collect() }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl GivenCell {
    fn new(text: &str, keys: Vec<String>) -> Self {
        let last = |key: &str| key.rsplit(['/', '#']).next().unwrap_or_default().to_owned();
        let of_keys = keys.iter().flat_map(|key| [Cell::read(key), Cell::read(&last(key))]).collect();
        Self { text: Cell::read(text), keys, of_keys }
    }
}

/// A maximum matching of `left` and `right` items (Kuhn 1955); on ties earlier items are paired
/// with earlier ones. Returns the partner of each `left` item.
fn pairs(left: usize, right: usize, fit: impl Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    let fits: Vec<Vec<usize>> = (0..left).map(|l| (0..right).filter(|r| fit(l, *r)).collect()).collect();
    let mut taken: Vec<Option<usize>> = vec![None; right];
    for l in 0..left {
        let mut tried = vec![false; right];
        place(l, &fits, &mut taken, &mut tried);
    }
    let mut partner = vec![None; left];
    for (r, l) in taken.into_iter().enumerate() {
        if let Some(slot) = l.and_then(|l| partner.get_mut(l)) {
            *slot = Some(r);
        }
    }
    partner
}

/// Finds a partner for `l`: a free one, else by moving others.
fn place(l: usize, fits: &[Vec<usize>], taken: &mut [Option<usize>], tried: &mut [bool]) -> bool {
    let all = || fits.get(l).into_iter().flatten().copied();
    let free = all().find(|r| taken.get(*r).is_some_and(Option::is_none));
    if let Some(slot) = free.and_then(|r| taken.get_mut(r)) {
        *slot = Some(l);
        return true;
    }
    for r in all() {
        match tried.get_mut(r) {
            Some(tried) if !*tried => *tried = true,
            _ => continue,
        }
        let holder = taken.get(r).copied().flatten();
        if holder.is_none_or(|holder| place(holder, fits, taken, tried)) {
            if let Some(slot) = taken.get_mut(r) {
                *slot = Some(l);
            }
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests;
