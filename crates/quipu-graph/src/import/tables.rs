//! Tables: a first pass over all files finds the columns' types and the columns that name rows of
//! another table. A second pass turns each row into an entity.
//!
//! A row is an entity of the file's kind, with its name. A cell is a relation from it, named after
//! its column. If all values of a column name rows of one table, without doubt about which, the
//! relation leads to those rows. If a text column repeats its values, these become entities. Other
//! cells are literals.

mod column;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use csv::ByteRecord;
use xxhash_rust::xxh3::xxh3_64;

use super::config::ImportConfig;
use super::report::TableReport;
use super::watch::Watch;
use crate::error::io_error;
use crate::naming::{NAMING, NamePart};
use crate::parse::input::{Input, Opened, Source, peek};
use crate::parse::table::{self, Cell, XSD};
use crate::parse::{Checked, Findings, InputFormat, LineError, RowCheck, Sink, Tail};
use crate::{GraphError, readable_entity};
use column::Column;

const NAME: &str = "urn:quipu:name";
const TYPE: &str = "urn:quipu:type";
/// Separates the kind of an entity from its id within the kind.
const WITHIN: char = '/';
/// Most values of a column, and most ids or names of a table, that are kept in memory. Columns with
/// more are literals.
const MOST_REMEMBERED: usize = 4_000_000;
/// In a column that refers to another table, one value in so many may be unknown there.
const STRANGERS: usize = 10;
/// So many different numbers show which table's ids they are.
const LEAST_IDS: usize = 3;
/// Rows between two checks of cancellation.
const ROWS_BETWEEN_LOOKS: u64 = 4096;

/// All tables of an import, by the number of their input.
#[derive(Default)]
pub(super) struct Tables(HashMap<usize, Table>);

/// The first pass's result for a table.
struct Table {
    path: PathBuf,
    kind: String,
    rows: u64,
    columns: Vec<Column>,
    /// Column with the rows' names, or with their given names.
    name: usize,
    /// Column with their family names, if no other has whole names.
    family: Option<usize>,
    /// Whether that column leads to another table's rows, or holds numbers or times that rows
    /// share: such rows have no name.
    nameless: bool,
    /// Column with the rows' ids; `None` if no column identifies them: the row number does.
    id: Option<usize>,
    /// Rows by id, and by name if that is another column. `None` if two rows share the value, or
    /// there are too many.
    by_name: HashMap<u64, Option<String>>,
}

/// The target of a column's cells.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Leads {
    Literal,
    /// Rows of the table with this number.
    Table(usize),
    /// New entities of this kind.
    Kind(String),
}

impl Tables {
    /// Reads all tables for the first pass.
    pub(crate) fn survey(config: &ImportConfig, watch: &Watch<'_>) -> Result<Self, GraphError> {
        let mut tables = Self::default();
        let kinds: Vec<String> = config.inputs.iter().map(|input| kind_of(input.path())).collect();
        for (number, input) in config.inputs.iter().enumerate() {
            let named = matches!(input, Input::File(path) if InputFormat::of_path(path).is_some_and(InputFormat::is_columns));
            if !input.can_be_read_twice() {
                if config.format == Some(InputFormat::Table) {
                    let path = input.path().display();
                    return Err(GraphError::Usage(format!(
                        "{path}: a table must be read twice; write it to a file and import the file"
                    )));
                }
                continue;
            }
            if config.format.is_none() && !named
                || config.format.is_some_and(|format| format != InputFormat::Table)
            {
                continue;
            }
            let source = Source::new(config.inputs.clone(), config.format, Arc::new(AtomicU64::new(0)));
            let (opened, reader) = source.open_at(number, input)?;
            if opened.format == InputFormat::Table {
                let table = Table::survey(Rows::of(&opened, reader)?, &kinds, watch)?;
                let (opened, reader) = source.open_at(number, input)?;
                tables.0.insert(number, table.know_rows(Rows::of(&opened, reader)?)?);
            }
        }
        tables.decide();
        Ok(tables)
    }

    /// Decides the target of each column.
    fn decide(&mut self) {
        let mut numbers: Vec<usize> = self.0.keys().copied().collect();
        numbers.sort_unstable();
        self.split_lists(&numbers);
        let mut decided: Vec<(usize, usize, Leads)> = Vec::new();
        let mut kinds: HashMap<String, HashSet<u64>> = HashMap::new();
        for number in &numbers {
            let Some(table) = self.0.get(number) else { continue };
            for (at, column) in table.columns.iter().enumerate().filter(|(at, _)| table.may_lead(*at)) {
                if let Some(target) = self.target(*number, column, &numbers) {
                    decided.push((*number, at, Leads::Table(target)));
                } else if column.cells.repeats() {
                    let values = column.cells.values.iter().flatten();
                    kinds.entry(column.words.clone()).or_default().extend(values);
                    decided.push((*number, at, Leads::Kind(column.words.clone())));
                }
            }
        }
        // A column that repeats in one table may have distinct values in another.
        for number in &numbers {
            let Some(table) = self.0.get(number) else { continue };
            for (at, column) in table.columns.iter().enumerate().filter(|(at, _)| table.may_lead(*at)) {
                let known = kinds.get(&column.words).zip(column.cells.values.as_ref());
                let same = known.is_some_and(|(known, values)| {
                    column.cells.is_text() && values.iter().any(|value| known.contains(value))
                });
                if same && !decided.iter().any(|(table, column, _)| (*table, *column) == (*number, at)) {
                    decided.push((*number, at, Leads::Kind(column.words.clone())));
                }
            }
        }
        for number in &numbers {
            let Some(table) = self.0.get(number).filter(|table| table.id.is_none()) else { continue };
            let target = table.columns.get(table.name).and_then(|name| self.target(*number, name, &numbers));
            decided.extend(target.map(|target| (*number, table.name, Leads::Table(target))));
        }
        for (number, at, leads) in decided {
            let Some(table) = self.0.get_mut(&number) else { continue };
            if at == table.name {
                table.nameless = true;
                table.by_name.clear();
            }
            if let Some(column) = table.columns.get_mut(at) {
                column.leads = leads;
            }
        }
    }

    /// Splits the cells of columns that hold several values: `S07;S13`.
    fn split_lists(&mut self, numbers: &[usize]) {
        for number in numbers {
            for at in 0..self.0.get(number).map_or(0, |table| table.columns.len()) {
                let Some(table) = self.0.get(number).filter(|table| table.may_lead(at)) else { continue };
                let Some(column) = table.columns.get(at) else { continue };
                let is_whole = column.lists.is_none() || self.target(*number, column, numbers).is_some();
                let Some(column) = self.column_mut(*number, at).filter(|_| !is_whole) else { continue };
                let Some(lists) = column.lists.take() else { continue };
                let (are_lists, may_refer) = (lists.are_lists(&column.cells), lists.may_refer());
                let whole = std::mem::replace(&mut column.cells, lists.cells);
                column.between = Some(lists.between);
                let column = self.0.get(number).and_then(|table| table.columns.get(at));
                let refers = |column| may_refer && self.target(*number, column, numbers).is_some();
                if are_lists || column.is_some_and(refers) {
                    continue;
                }
                if let Some(column) = self.column_mut(*number, at) {
                    (column.cells, column.between) = (whole, None);
                }
            }
        }
    }

    fn column_mut(&mut self, number: usize, at: usize) -> Option<&mut Column> {
        self.0.get_mut(&number)?.columns.get_mut(at)
    }

    /// The table whose rows a column's values name.
    fn target(&self, own: usize, column: &Column, numbers: &[usize]) -> Option<usize> {
        let values = column.cells.values.as_ref().filter(|values| !values.is_empty())?;
        let fits = |number: &usize| -> Option<(usize, bool)> {
            let table = self.0.get(number)?;
            let spoken_of =
                table::speaks_of(&column.words, &table.kind) || table.has_ids_called(&column.words);
            // Numbers count as ids only if the header names the table, or is one of ids and all
            // numbers are: otherwise any count would match.
            let is_called = column.is_called_like_ids() || table::ends_like(&column.words, &table.kind);
            let is_id = spoken_of || (is_called && values.len() >= LEAST_IDS);
            let named = column.cells.is_text() || (is_id && table.id.is_some());
            if !named || (*number == own && table.id.is_none()) {
                return None;
            }
            let strangers =
                values.iter().filter(|value| !matches!(table.by_name.get(value), Some(Some(_)))).count();
            if !column.cells.is_text() && !spoken_of && strangers > 0 {
                return None;
            }
            let most = if spoken_of || values.len() >= STRANGERS { values.len() / STRANGERS } else { 0 };
            // A single value may equal a row's name by chance.
            let sure = spoken_of || *number == own || values.len() > 1;
            (sure && strangers <= most).then_some((*number, spoken_of))
        };
        let fitting: Vec<(usize, bool)> = numbers.iter().filter_map(fits).collect();
        let spoken_of = fitting.iter().filter(|(_, spoken_of)| *spoken_of).map(|(number, _)| *number);
        match (spoken_of.collect::<Vec<_>>().as_slice(), fitting.as_slice()) {
            ([number], _) | ([], [(number, _)]) => Some(*number),
            _ => None,
        }
    }

    /// The reports on all tables.
    pub(super) fn reports(&self) -> Vec<TableReport> {
        let mut numbers: Vec<&usize> = self.0.keys().collect();
        numbers.sort_unstable();
        numbers.into_iter().filter_map(|number| self.0.get(number)).map(|table| self.report(table)).collect()
    }

    fn report(&self, table: &Table) -> TableReport {
        let references = table.columns.iter().filter_map(|column| {
            let kind = match &column.leads {
                Leads::Literal => return None,
                Leads::Table(number) => self.0.get(number)?.kind.clone(),
                Leads::Kind(kind) => kind.clone(),
            };
            Some((column.header.clone(), kind))
        });
        let lists = table
            .columns
            .iter()
            .filter_map(|column| Some((column.header.clone(), column.between?.trim().to_owned())));
        TableReport {
            lists: lists.collect(),
            path: table.path.clone(),
            kind: table.kind.clone(),
            rows: table.rows,
            named_by: match table.columns.get(table.name) {
                Some(column) if !table.nameless => {
                    let family = table.family.and_then(|at| table.columns.get(at));
                    let headers = [Some(column), family].into_iter().flatten();
                    headers.map(|column| column.header.as_str()).collect::<Vec<_>>().join(" + ")
                }
                _ => String::new(),
            },
            references: references.collect(),
        }
    }

    /// Reads a table into triples. `failed` gets each invalid row and decides whether to continue.
    pub(crate) fn stream<S: Sink>(
        &self,
        input: &Opened,
        reader: Box<dyn Read + Send>,
        sink: &mut S,
        mut failed: impl FnMut(&mut S, u64, LineError) -> Result<(), GraphError>,
        mut progressed: impl FnMut(&mut S) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        let Some(table) = self.0.get(&input.number) else { return Ok(()) };
        let (mut rows, mut number) = (Rows::of(input, reader)?, 0);
        while let Some((line, row)) = rows.next()? {
            let outcome = match row {
                Ok(row) => {
                    number += 1;
                    self.row(table, number, &row, sink)
                }
                Err(reason) => Err(LineError::Malformed(reason)),
            };
            if let Err(error) = outcome {
                failed(sink, line, error)?;
            }
            progressed(sink)?;
        }
        Ok(())
    }

    fn row(&self, table: &Table, number: u64, row: &[&str], sink: &mut impl Sink) -> Result<(), LineError> {
        let cell = |at: usize| row.get(at).copied().unwrap_or_default();
        let key = table.key(number, cell);
        let name = match cell(table.name) {
            _ if table.nameless => format!("{} {number}", table.kind),
            "" => readable_within(&key),
            _ => table.full_name(cell),
        };
        sink.triple(&key, NAME, Tail::Literal { lexical: &name, kind: "" })?;
        sink.triple(&key, TYPE, Tail::Entity(&table.kind))?;
        let is_told = |at: &usize| *at != table.name || table.nameless || table.family.is_some();
        for (at, column) in table.columns.iter().enumerate().filter(|(at, _)| is_told(at)) {
            for value in column.values(cell(at)) {
                self.cell(&key, column, value, sink)?;
            }
        }
        Ok(())
    }

    /// Writes one value of a row's cell.
    fn cell(&self, key: &str, column: &Column, text: &str, sink: &mut impl Sink) -> Result<(), LineError> {
        let named = Tail::Literal { lexical: text, kind: "" };
        match &column.leads {
            Leads::Literal => {
                let literal = column.cells.kind.and_then(|kind| kind.literal(text));
                let Some((lexical, datatype)) = literal else { return Ok(()) };
                let kind = if datatype.is_empty() { String::new() } else { format!("{XSD}{datatype}") };
                sink.triple(key, &column.words, Tail::Literal { lexical: &lexical, kind: &kind })
            }
            _ if Cell::of(text) == Cell::Nothing => Ok(()),
            Leads::Kind(kind) => {
                let tail = format!("{kind}{WITHIN}{text}");
                sink.triple(key, &column.words, Tail::Entity(&tail))?;
                sink.triple(&tail, NAME, named)?;
                sink.triple(&tail, TYPE, Tail::Entity(kind))
            }
            Leads::Table(target) => {
                let Some(target) = self.0.get(target) else { return Ok(()) };
                let relation = table::relation_to(&column.words, &target.kind, target.ids());
                if let Some(Some(tail)) = target.by_name.get(&xxh3_64(text.as_bytes())) {
                    return sink.triple(key, &relation, Tail::Entity(tail));
                }
                // A value without a row.
                let tail = format!("{}{WITHIN}{text}", target.kind);
                sink.triple(key, &relation, Tail::Entity(&tail))?;
                sink.triple(&tail, NAME, named)
            }
        }
    }
}

/// The part of a row's key that identifies it within its kind.
fn readable_within(key: &str) -> String {
    let key = readable_entity(key);
    key.split_once(WITHIN).map_or_else(|| key.to_string(), |(_, id)| id.to_owned())
}

impl Table {
    /// Reads all cells.
    fn survey(mut content: Rows, kinds: &[String], watch: &Watch<'_>) -> Result<Self, GraphError> {
        let (path, kind) = (content.path.clone(), kind_of(&content.path));
        let mut columns: Vec<Column> = Vec::new();
        let mut rows = 0;
        for header in std::mem::take(&mut content.headers) {
            let words = unused(&columns, &header);
            columns.push(Column::of(header, words));
        }
        while let Some((_, row)) = content.next()? {
            // Invalid rows are reported in the second pass.
            let Ok(row) = row else { continue };
            rows += 1;
            if rows % ROWS_BETWEEN_LOOKS == 0 {
                watch.check()?;
            }
            columns.iter_mut().zip(row).for_each(|(column, cell)| column.add(cell));
        }
        let words: Vec<String> = columns.iter().map(|column| column.words.clone()).collect();
        let all_different = |at: &usize| {
            let different = columns
                .get(*at)
                .and_then(|column| Some((column.cells.filled, column.cells.values.as_ref()?.len() as u64)));
            different.is_some_and(|(filled, different)| filled == rows && different == rows)
        };
        let is_text = |at: &usize| columns.get(*at).is_some_and(|column| column.cells.is_text());
        let every = || 0..columns.len();
        // A column that refers to another table is not the name column, even if its values are
        // distinct.
        let of_another = |at: &usize| {
            let words = words.get(*at).map_or("", String::as_str);
            kinds.iter().any(|other| *other != kind && table::speaks_of(words, other))
        };
        let own_text = |at: &usize| is_text(at) && !of_another(at);
        // The first column is called like an id, whatever it abbreviates: `rx id`. Only `id` itself
        // is surer; a `no` behind it is a number.
        let first = words.first().filter(|first| table::ends_like_an_id(first)).map(|_| 0);
        let first = first.filter(all_different).filter(|at| !of_another(at));
        let called = table::identifying(&words, &kind).filter(all_different);
        let is_sure = |at: &usize| words.get(*at).is_some_and(|words| words == "id");
        // Codes in the first column tell rows apart whatever they are called: `vlt` of vaults.
        let holds_codes = |at: &usize| columns.get(*at).is_some_and(|column| column.cells.holds_codes());
        let codes =
            Some(0).filter(|at| columns.len() > 2 && own_text(at) && all_different(at) && holds_codes(at));
        let id = called.filter(is_sure).or(first).or(called).or(codes);
        let part_of = |at: usize| words.get(at).and_then(|words| NAMING.part(words));
        let own_names = || every().filter(own_text).filter(all_different).filter(|at| Some(*at) != id);
        let is_titled = |at: &usize| words.get(*at).is_some_and(|header| table::ends_like_a_name(header));
        let reads_like_names =
            |at: &usize| columns.get(*at).is_some_and(|column| column.cells.reads_like_names());
        let part = |wanted: NamePart| every().filter(is_text).find(|at| part_of(*at) == Some(wanted));
        // A first name is no whole name, although its header ends like one.
        let is_part = |at: &usize| matches!(part_of(*at), Some(NamePart::Given | NamePart::Family));
        let is_whole = |at: &usize| !is_part(at);
        // A table of codes has their meanings beside them: `cd`, `grp`, `dsc` in `cd.csv`.
        let is_meant = |at: &usize| Some(*at) == id && holds_codes(at) && own_names().next().is_some();
        let whole = table::naming(&words, &kind).filter(is_whole).filter(|at| !is_meant(at));
        let whole = whole.or_else(|| own_names().filter(is_whole).find(is_titled));
        let family = part(NamePart::Family).filter(|_| whole.is_none());
        let given = family.and_then(|_| part(NamePart::Given));
        let family = family.filter(|_| given.is_some());
        let name = whole
            .or(given)
            .or_else(|| own_names().find(reads_like_names))
            .or_else(|| {
                own_names().find(|at| columns.get(*at).is_some_and(|column| column.cells.holds_plain_words()))
            })
            .or_else(|| every().filter(own_text).find(all_different))
            .or(id)
            .or_else(|| every().find(own_text))
            .unwrap_or(0);
        let id = id.or_else(|| Some(name).filter(all_different).filter(|_| family.is_none()));
        // Rows that share their times of day are not called by them.
        let nameless =
            !all_different(&name) && !columns.get(name).is_some_and(|column| column.cells.has_letters());
        Ok(Self { path, kind, rows, columns, name, family, nameless, id, by_name: HashMap::new() })
    }

    /// Registers each row by its id and by its name.
    fn know_rows(mut self, mut content: Rows) -> Result<Self, GraphError> {
        let (mut number, mut by_name) = (0, HashMap::new());
        while let Some((_, row)) = content.next()? {
            let Ok(row) = row else { continue };
            number += 1;
            let cell = |at: usize| row.get(at).copied().unwrap_or_default();
            let key = self.key(number, cell);
            let id = self.id.filter(|id| *id != self.name).map(|id| cell(id).to_owned());
            let texts = [Some(self.full_name(cell)), id];
            for text in texts.into_iter().flatten().filter(|text| !text.is_empty()) {
                let known = by_name.entry(xxh3_64(text.as_bytes())).or_insert_with(|| Some(key.clone()));
                if known.as_ref().is_some_and(|known| *known != key) {
                    *known = None;
                }
            }
            if by_name.len() > MOST_REMEMBERED {
                return Ok(self);
            }
        }
        if self.nameless {
            return Ok(self);
        }
        self.by_name = by_name;
        Ok(self)
    }

    /// A row's name: given and family name, if it has them in two columns.
    fn full_name<'r>(&self, cell: impl Fn(usize) -> &'r str) -> String {
        let parts = [Some(self.name), self.family].into_iter().flatten().map(cell);
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    fn key<'r>(&self, number: u64, cell: impl Fn(usize) -> &'r str) -> String {
        match self.id.map(cell).filter(|id| !id.is_empty()) {
            Some(id) => format!("{}{WITHIN}{id}", self.kind),
            None => format!("{}{WITHIN}row {number}", self.kind),
        }
    }

    /// The header of the column with the rows' ids.
    fn ids(&self) -> Option<&str> {
        self.id.and_then(|at| self.columns.get(at)).map(|ids| ids.words.as_str())
    }

    /// Whether a header ends with that of the rows' ids (`head dr id` where doctors have a `dr id`)
    /// or is that of their codes (`vlt`).
    fn has_ids_called(&self, header: &str) -> bool {
        let holds_codes =
            self.id.and_then(|at| self.columns.get(at)).is_some_and(|column| column.cells.holds_codes());
        let is_it = |ids: &str| {
            table::before_ids(header, ids).is_some()
                || table::is_key_of(header, &self.kind, ids)
                || (holds_codes && ids == header && !table::is_any_id(header))
        };
        self.ids().is_some_and(is_it)
    }

    /// Whether a column may refer to entities: name and id columns do not.
    fn may_lead(&self, at: usize) -> bool {
        at != self.name && Some(at) != self.id && Some(at) != self.family
    }
}

/// `order_lines.csv.gz` as `order lines`.
fn kind_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or("table");
    let words = stem.replace(['_', '-'], " ");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A header as a relation's name that no earlier column has.
fn unused(columns: &[Column], header: &str) -> String {
    let words = table::words(header);
    let taken = |name: &str| columns.iter().any(|column| column.words == name);
    let free = (2_u32..).map(|number| format!("{words} {number}"));
    std::iter::once(words.clone()).chain(free).find(|name| !taken(name)).unwrap_or(words)
}

/// The line of a row, and its cells or an error.
type Row<'a> = (u64, Result<Vec<&'a str>, String>);

/// The rows of a table that is open.
struct Rows {
    path: PathBuf,
    headers: Vec<String>,
    columns: usize,
    rows: csv::Reader<Checked<Box<dyn Read + Send>, RowCheck>>,
    record: ByteRecord,
    findings: Findings,
    /// The rest of the file was refused.
    refused: bool,
}

impl Rows {
    fn of(input: &Opened, mut reader: Box<dyn Read + Send>) -> Result<Self, GraphError> {
        let delimiter = table::delimiter(&peek(&input.path, &mut reader)?);
        let check = RowCheck::new(delimiter, table::is_quoting(delimiter));
        let (reader, findings) = Checked::new(reader, check);
        let mut rows = table::rows(reader, delimiter);
        let mut record = ByteRecord::new();
        let malformed = |line, reason| Err(GraphError::Malformed { path: input.path.clone(), line, reason });
        if let Err(error) = rows.read_byte_record(&mut record) {
            return match findings.refused() {
                Some(reason) => malformed(findings.line(), reason),
                None => Err(unreadable(error, &input.path)),
            };
        }
        if record.len() < 2 {
            return malformed(1, "a table has a header line of two columns or more".into());
        }
        let cells = (1..).zip(record.iter().map(String::from_utf8_lossy));
        let header = |(number, cell): (usize, Cow<'_, str>)| match cell.is_empty() {
            true => format!("column {number}"),
            false => cell.into_owned(),
        };
        let headers = cells.map(header).collect();
        Ok(Self {
            path: input.path.clone(),
            headers,
            columns: record.len(),
            rows,
            record,
            findings,
            refused: false,
        })
    }

    /// The next row's line, and its cells or an error.
    fn next(&mut self) -> Result<Option<Row<'_>>, GraphError> {
        if self.refused {
            return Ok(None);
        }
        match self.rows.read_byte_record(&mut self.record) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(error) => {
                let Some(reason) = self.findings.refused() else { return Err(unreadable(error, &self.path)) };
                self.refused = true;
                return Ok(Some((self.findings.line(), Err(reason))));
            }
        }
        let (line, columns) = (self.record.position().map_or(0, csv::Position::line), self.record.len());
        if columns != self.columns {
            let reason = format!("the header has {} columns, this row {columns}", self.columns);
            return Ok(Some((line, Err(reason))));
        }
        let cells: Result<Vec<&str>, _> = self.record.iter().map(std::str::from_utf8).collect();
        Ok(Some((line, cells.map_err(|_| "invalid UTF-8".to_owned()))))
    }
}

fn unreadable(error: csv::Error, path: &Path) -> GraphError {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => io_error("cannot read", path)(error),
        other => GraphError::Malformed { path: path.to_owned(), line: 0, reason: format!("{other:?}") },
    }
}
