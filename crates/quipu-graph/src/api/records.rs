//! JSON responses as records: flat fields, each with its JSON path; tables kept as rows.

use std::cell::Cell;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::ids::{KindId, words};
use super::manifest::Shape;
use super::operation::Operation;

/// Most records read from one response. Further records of the service are ignored.
const MOST_RECORDS: usize = 20_000;
/// Levels of nested objects that are flattened into `a.b.c`.
const DEEPEST: usize = 6;
/// Most columns of a table in columns; further ones are ignored.
const MOST_COLUMNS: usize = 1000;
/// Most bytes of names and paths that are made for one response. Each field repeats the names above
/// it, so a long name would multiply. Fields beyond the limit are ignored.
const MOST_NAMES: usize = 256 << 20;
/// Longest value that counts as the name or the id of a record, in bytes. Each nested record
/// repeats the name.
const LONGEST_LABEL: usize = 4 << 10;

/// A field of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name, as the service writes it; inner names after a point.
    pub name: String,
    /// Its values: several for a list. Never empty.
    pub values: Vec<String>,
    /// The kind of entity that the values are ids or names of.
    pub link: Option<KindId>,
}

/// One record of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its table: the operation's name, or the field that it is nested in.
    pub table: String,
    /// JSON path: `$.result[3].cast[0]`.
    pub path: String,
    /// Its name: the field that its kind declares as the name, or the name of the enclosing record.
    pub label: Option<String>,
    /// Its id: the field that its kind declares as the id.
    pub id: Option<String>,
    /// Whether it is nested in another record.
    pub nested: bool,
    /// Its fields, in the order of the response.
    pub fields: Vec<Field>,
}

impl Record {
    /// The values of a field; empty if it is absent.
    pub fn values(&self, name: &str) -> &[String] {
        self.fields.iter().find(|field| field.name == name).map_or(&[], |field| field.values.as_slice())
    }

    /// The record in one line: `date: 2024-02-28; Open: 1.75`.
    pub fn to_line(&self) -> String {
        let shown = self.fields.iter().map(|field| format!("{}: {}", field.name, field.values.join(", ")));
        shown.collect::<Vec<_>>().join("; ")
    }
}

/// The fields that hold the names and ids of a kind's records.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Naming<'a> {
    pub(super) label: &'a str,
    pub(super) id: &'a str,
}

/// The records of a payload, in its order.
pub(super) fn records(operation: &Operation, naming: Naming<'_>, payload: &Value, root: &str) -> Vec<Record> {
    let mut reading = Reading { operation, naming, found: Vec::new(), room: Cell::new(MOST_NAMES) };
    reading.payload(payload, root);
    reading.found
}

struct Reading<'a> {
    operation: &'a Operation,
    naming: Naming<'a>,
    found: Vec<Record>,
    /// Bytes of names and paths that may still be made.
    room: Cell<usize>,
}

impl Reading<'_> {
    /// Takes room for names and paths of so many bytes, if there is enough.
    fn fits(&self, bytes: usize) -> bool {
        let Some(left) = self.room.get().checked_sub(bytes) else { return false };
        self.room.set(left);
        true
    }

    fn payload(&mut self, payload: &Value, root: &str) {
        match (payload, self.operation.shape) {
            (Value::Object(columns), Shape::Columnar) => self.columnar(columns, root),
            (Value::Object(rows), Shape::Keyed) => self.keyed(rows, root),
            (Value::Array(columns), Shape::Columns) => self.columns(columns, root),
            (Value::Array(values), Shape::Rows) if values.iter().any(|value| !value.is_array()) => {
                self.row(values, root);
            }
            (Value::Array(rows), Shape::Rows) => {
                for (at, row) in rows.iter().enumerate() {
                    let values = row.as_array().map_or(&[][..], Vec::as_slice);
                    self.row(values, &format!("{root}[{at}]"));
                }
            }
            (Value::Array(items), _) => {
                for (at, item) in items.iter().enumerate() {
                    self.item(item, &format!("{root}[{at}]"));
                }
            }
            (Value::Object(object), Shape::Auto) if is_columnar(object) => self.columnar(object, root),
            (Value::Object(object), Shape::Auto) if is_keyed(object) => self.keyed(object, root),
            (other, _) => self.item(other, root),
        }
    }

    fn push(&mut self, mut record: Record) {
        record.fields.retain(|field| !field.values.is_empty());
        if !record.fields.is_empty() && self.found.len() < MOST_RECORDS {
            self.found.push(record);
        }
    }

    fn record(&self, path: &str) -> Record {
        let table = self.operation.name.clone();
        Record { table, path: path.into(), label: None, id: None, nested: false, fields: Vec::new() }
    }

    /// The name of the only column.
    fn only_column(&self) -> String {
        self.operation.columns.first().unwrap_or(&self.operation.name).clone()
    }

    /// A separate record: an object, or a bare value.
    fn item(&mut self, item: &Value, path: &str) {
        match item {
            Value::Object(object) => self.object(object, path),
            Value::Array(values) => self.row(values, path),
            bare => {
                let mut record = self.record(path);
                let name = self.only_column();
                let link = self.operation.gives;
                record.fields.extend(scalar(bare).map(|value| Field { name, values: vec![value], link }));
                if link.is_some() {
                    record.label = record.fields.first().and_then(|field| field.values.first()).cloned();
                }
                self.push(record);
            }
        }
    }

    /// Fields come first, so that nested records can take the name of this one.
    fn object(&mut self, object: &Map<String, Value>, path: &str) {
        let mut record = self.record(path);
        let mut nested = Vec::new();
        self.flatten(object, "", path, 0, &mut record.fields, &mut nested);
        let named = |name: &str| {
            let field = record.fields.iter().find(|field| !name.is_empty() && field.name == name);
            field.and_then(|field| field.values.first()).filter(|value| value.len() <= LONGEST_LABEL).cloned()
        };
        let (label, id) = (named(self.naming.label), named(self.naming.id));
        record.label.clone_from(&label);
        record.id = id.filter(|_| self.operation.gives.is_some());
        self.push(record);
        for (name, path, fields) in nested {
            let table = format!("{}: {}", self.operation.name, words(&name));
            self.push(Record { table, path, label: label.clone(), id: None, nested: true, fields });
        }
    }

    fn flatten(
        &self,
        object: &Map<String, Value>,
        at: &str,
        path: &str,
        depth: usize,
        fields: &mut Vec<Field>,
        nested: &mut Vec<(String, String, Vec<Field>)>,
    ) {
        for (key, value) in object {
            // A path may double a key, with its escapes.
            if !self.fits(at.len() + path.len() + 3 * key.len()) {
                continue;
            }
            let name = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
            if self.operation.dropped(&name) {
                continue;
            }
            let here = format!("{path}{}", step(key));
            match value {
                Value::Object(inner) if depth < DEEPEST => {
                    self.flatten(inner, &name, &here, depth + 1, fields, nested);
                }
                Value::Array(items) if items.iter().any(Value::is_object) => {
                    for (index, item) in items.iter().enumerate() {
                        let Some(item) = item.as_object() else { continue };
                        if !self.fits(name.len() + here.len()) {
                            continue;
                        }
                        let (mut own, mut deeper) = (Vec::new(), Vec::new());
                        let place = format!("{here}[{index}]");
                        let inner = format!("{name}[]");
                        self.flatten(item, &inner, &place, depth + 1, &mut own, &mut deeper);
                        for field in &mut own {
                            if let Some(short) = field.name.strip_prefix(&format!("{inner}.")) {
                                field.name = short.to_owned();
                            }
                        }
                        nested.push((name.clone(), place, own));
                        nested.append(&mut deeper);
                    }
                }
                Value::Array(items) => {
                    let values = items.iter().filter_map(|item| self.value(&name, item)).collect();
                    fields.push(Field { link: self.operation.link(&name), name, values });
                }
                bare => {
                    let values = self.value(&name, bare).into_iter().collect();
                    fields.push(Field { link: self.operation.link(&name), name, values });
                }
            }
        }
    }

    fn value(&self, name: &str, value: &Value) -> Option<String> {
        let text = scalar(value)?;
        let meaning = self.operation.values.get(name).and_then(|meanings| meanings.get(&text));
        Some(meaning.unwrap_or(&text).clone())
    }

    /// An object of columns, each from row to value.
    fn columnar(&mut self, columns: &Map<String, Value>, root: &str) {
        let mut rows: Vec<&String> = Vec::new();
        let mut seen = BTreeSet::new();
        let named = columns.iter().filter(|(name, _)| !self.operation.dropped(name));
        let named: Vec<(&String, &Value)> = named.take(MOST_COLUMNS).collect();
        for row in columns.values().filter_map(Value::as_object).flat_map(Map::keys) {
            if seen.insert(row) {
                rows.push(row);
            }
        }
        rows.sort_by_key(|row| row.parse::<u64>().unwrap_or(u64::MAX));
        for row in rows.into_iter().take(MOST_RECORDS) {
            let mut record = self.record(&format!("{root}.*{}", step(row)));
            for (name, column) in named.iter().copied() {
                let value = column.get(row).filter(|_| self.fits(name.len()));
                let value = value.and_then(|value| self.value(name, value));
                let link = self.operation.link(name);
                record.fields.extend(value.map(|value| Field {
                    name: name.clone(),
                    values: vec![value],
                    link,
                }));
            }
            self.push(record);
        }
    }

    /// An object from row to record, or to a bare value.
    fn keyed(&mut self, rows: &Map<String, Value>, root: &str) {
        for (key, row) in rows {
            let path = format!("{root}{}", step(key));
            let mut record = self.record(&path);
            let name = if starts_with_date(key) { "date" } else { "key" }.to_owned();
            record.fields.push(Field { name, values: vec![shortened(key)], link: None });
            match row {
                Value::Object(object) => {
                    let mut nested = Vec::new();
                    self.flatten(object, "", &path, 0, &mut record.fields, &mut nested);
                }
                bare => {
                    let values = scalar(bare).into_iter().collect();
                    record.fields.push(Field { name: self.only_column(), values, link: None });
                }
            }
            self.push(record);
        }
    }

    /// A list of columns, each a list of values.
    fn columns(&mut self, columns: &[Value], root: &str) {
        let columns = columns.iter().take(MOST_COLUMNS);
        let lists: Vec<&[Value]> = columns.map(|c| c.as_array().map_or(&[][..], Vec::as_slice)).collect();
        let longest = lists.iter().map(|list| list.len()).max().unwrap_or(0);
        for row in 0..longest.min(MOST_RECORDS) {
            let values: Vec<Value> =
                lists.iter().map(|list| list.get(row).cloned().unwrap_or(Value::Null)).collect();
            self.row(&values, &format!("{root}[*][{row}]"));
        }
    }

    /// A list that is one row.
    fn row(&mut self, values: &[Value], path: &str) {
        let mut record = self.record(path);
        for (at, value) in values.iter().enumerate() {
            let name =
                self.operation.columns.get(at).cloned().unwrap_or_else(|| format!("column {}", at + 1));
            let link = self.operation.link(&name);
            record.fields.extend(scalar(value).map(|value| Field { name, values: vec![value], link }));
        }
        self.push(record);
    }
}

/// `.name`, or `['a name']` if the key is no identifier.
fn step(key: &str) -> String {
    let plain = key.chars().all(|c| c.is_alphanumeric() || c == '_') && !key.is_empty();
    let numeric = key.starts_with(|c: char| c.is_ascii_digit());
    if plain && !numeric { format!(".{key}") } else { format!("['{}']", key.replace('\'', "\\'")) }
}

/// A bare value as text; `None` for null, empty text, lists and objects.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(shortened(text.trim())),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A time stamp of midnight becomes a day.
fn shortened(text: &str) -> String {
    if starts_with_date(text)
        && let Some((day, rest)) = text.split_at_checked(10)
        && (rest.starts_with("T00:00:00") || rest.starts_with(" 00:00:00"))
        && rest.len() <= 16
    {
        return day.to_owned();
    }
    text.to_owned()
}

fn starts_with_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    [0, 1, 2, 3, 5, 6, 8, 9].into_iter().all(digit)
        && bytes.get(4) == Some(&b'-')
        && bytes.get(7) == Some(&b'-')
}

/// Rows by date or number, each a record with the same fields or a bare value.
fn is_keyed(object: &Map<String, Value>) -> bool {
    let row =
        |key: &String| starts_with_date(key) || (!key.is_empty() && key.bytes().all(|b| b.is_ascii_digit()));
    !object.is_empty() && object.keys().all(row)
}

/// Whether all columns are objects with the same row names, which are numbers, dates or tuples: the
/// layout of tables written by pandas.
fn is_columnar(object: &Map<String, Value>) -> bool {
    let mut columns = object.values().map(Value::as_object);
    let Some(Some(first)) = columns.next() else { return false };
    let row = |key: &String| key.starts_with('(') || starts_with_date(key) || key.parse::<u64>().is_ok();
    !first.is_empty()
        && !is_keyed(object)
        && first.keys().all(row)
        && columns.all(|column| column.is_some_and(|c| c.keys().eq(first.keys())))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(operation: &Operation, payload: &Value, expected: &[&str]) {
        let naming = Naming { label: "title", id: "id" };
        let found = records(operation, naming, payload, "$");
        let shown: Vec<String> = found
            .iter()
            .map(|r| format!("{} {} | {}", r.path, r.label.as_deref().unwrap_or("-"), r.to_line()))
            .collect();
        assert_eq!(shown, expected, "{payload}");
    }

    fn named(name: &str) -> Operation {
        Operation { name: name.into(), ..Operation::default() }
    }

    #[test]
    fn bare_values_and_lists_are_records() {
        check(&named("eps"), &json!(22.95), &["$ - | eps: 22.95"]);
        check(&named("year"), &json!([2016, null, 2008]), &["$[0] - | year: 2016", "$[2] - | year: 2008"]);
        check(&named("x"), &json!(null), &[]);
        check(&named("x"), &json!({}), &[]);
        let lifespan =
            Operation { shape: Shape::Rows, columns: vec!["began".into(), "ended".into()], ..named("life") };
        check(&lifespan, &json!(["1987", null]), &["$ - | began: 1987"]);
        let chart = Operation {
            shape: Shape::Columns,
            columns: vec!["song".into(), "artist".into()],
            ..named("chart")
        };
        check(&chart, &json!([["Orle"], ["Ada"]]), &["$[*][0] - | song: Orle; artist: Ada"]);
    }

    #[test]
    fn tables_are_told_by_their_looks() {
        check(
            &named("prices"),
            &json!({"2024-02-27 00:00:00 EST": {"Close": 2.5}, "2024-02-28 00:00:00 EST": {"Close": 3}}),
            &[
                "$['2024-02-27 00:00:00 EST'] - | date: 2024-02-27; Close: 2.5",
                "$['2024-02-28 00:00:00 EST'] - | date: 2024-02-28; Close: 3",
            ],
        );
        check(
            &named("games"),
            &json!({"team": {"0": "A", "10": "C", "2": "B"}, "pts": {"0": 1, "10": 3, "2": null}}),
            &["$.*['0'] - | pts: 1; team: A", "$.*['2'] - | team: B", "$.*['10'] - | pts: 3; team: C"],
        );
        check(
            &named("paid"),
            &json!({"2024-02-21": 0.5}),
            &["$['2024-02-21'] - | date: 2024-02-21; paid: 0.5"],
        );
    }

    #[test]
    fn objects_are_flattened_and_their_lists_are_tables_of_their_own() {
        let film = Operation { drop: vec!["cast[].order".into()], ..named("film") };
        check(
            &film,
            &json!([{"id": 7, "title": "Orle", "release": {"date": "2001-05-04T00:00:00.000"}, "genres": ["Drama", "War"],
                     "cast": [{"name": "Ada", "order": 1}, {"name": "Ben", "order": 2}], "note": ""}]),
            &[
                "$[0] Orle | genres: Drama, War; id: 7; release.date: 2001-05-04; title: Orle",
                "$[0].cast[0] Orle | name: Ada",
                "$[0].cast[1] Orle | name: Ben",
            ],
        );
    }

    #[test]
    fn long_names_above_many_fields_do_not_multiply() {
        let film = named("film");
        let naming = Naming { label: "title", id: "id" };
        let read = |room: usize| {
            let cast: Vec<Value> = (0..1000).map(|at| json!({ "at": at })).collect();
            let payload = Value::Object([("x".repeat(100), Value::Array(cast))].into_iter().collect());
            let room = Cell::new(room);
            let mut reading = Reading { operation: &film, naming, found: Vec::new(), room };
            reading.payload(&payload, "$");
            reading.found.len()
        };
        assert_eq!(read(MOST_NAMES), 1000);
        let few = read(10_000);
        assert!((1..60).contains(&few), "{few}");
        let long = json!({"title": "y".repeat(LONGEST_LABEL + 1), "cast": [{"name": "Ada"}]});
        let found = records(&film, naming, &long, "$");
        assert!(found.len() == 2 && found.iter().all(|record| record.label.is_none()), "{found:?}");
    }

    #[test]
    fn names_are_words() {
        assert_eq!(words("weeks_in_chart"), "weeks in chart");
        assert_eq!(words("film.releaseDate"), "release Date");
    }
}
