//! Records of an API as evidence, and as tables in prompts.

use std::fmt::Write as _;

use quipu_graph::Record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evidence::{Evidence, EvidenceContent, cell};

/// A record with more fields than this is shown field by field, when it is alone in its table.
const MOST_COLUMNS: usize = 6;

/// What APIs call the field that names a record.
const NAMES: [&str; 4] = ["name", "title", "label", "full_name"];

/// A field of a record, as evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordField {
    /// Its name.
    pub name: String,
    /// Its value; several with commas between them.
    pub value: String,
    /// The values one by one, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

impl RecordField {
    /// A field with its values.
    pub fn new(name: &str, values: &[String]) -> Self {
        let several = if values.len() > 1 { values.to_vec() } else { Vec::new() };
        Self { name: name.into(), value: values.join(", "), values: several }
    }

    /// Its values, one by one.
    pub fn each(&self) -> impl Iterator<Item = &str> {
        let whole = Some(self.value.as_str()).filter(|_| self.values.is_empty());
        self.values.iter().map(String::as_str).chain(whole)
    }
}

/// One record of an API's response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordContent {
    /// What it is a row of: `daily prices of META`.
    pub table: String,
    /// Its fields.
    pub fields: Vec<RecordField>,
    /// Where in the response it stood, as a JSON path.
    pub path: String,
}

impl RecordContent {
    /// The record in one line.
    pub fn to_line(&self) -> String {
        let fields = self.fields.iter().map(|field| format!("{} {}", field.name, field.value));
        format!("{}: {}", self.table, fields.collect::<Vec<_>>().join("; "))
    }

    /// The field that the table is headed with: the record's own name.
    pub(crate) fn namesake(&self) -> Option<&RecordField> {
        let heads = |field: &&RecordField| !field.value.is_empty() && self.table.ends_with(&field.value);
        self.fields.iter().find(heads)
    }

    /// What names the record beside field `other`: what its table is headed with, what is called a name; among records of several tables
    /// what its own is about, in `one_table` its first field (the day of a price).
    pub(crate) fn named_beside(&self, other: &str, one_table: bool) -> &str {
        let others = || self.fields.iter().filter(|field| field.name != other);
        let called = |field: &&RecordField| {
            NAMES.iter().any(|name| field.name.eq_ignore_ascii_case(name)) && !field.value.is_empty()
        };
        let heading = self.namesake().filter(|field| field.name != other);
        if let Some(name) = heading.or_else(|| others().find(called)) {
            return &name.value;
        }
        let about = self.table.rsplit_once(" of ").map(|(_, about)| about).filter(|_| !one_table);
        about.or_else(|| others().next().map(|first| first.value.as_str())).unwrap_or(&self.table)
    }

    /// What the table is called without the record's own name: the same for the rows of one response.
    pub(crate) fn heading(&self) -> &str {
        let name = self.namesake().map_or("", |field| field.value.as_str());
        self.table.strip_suffix(name).unwrap_or(&self.table).trim_end()
    }

    /// What it says, whatever table it stands in.
    pub(crate) fn said(&self) -> String {
        let fields = self.fields.iter().map(|field| format!("{}\u{1f}{}", field.name, field.value));
        fields.collect::<Vec<_>>().join("\u{1e}")
    }

    /// The value that an id such as `E3.price` means; without a column, the record's only number or last field.
    pub fn cell(&self, column: Option<&str>) -> Option<&RecordField> {
        let named = |name: &str| {
            let plain = |text: &str| text.to_lowercase().replace(['_', ' '], "");
            self.fields.iter().find(|field| plain(&field.name) == plain(name))
        };
        match column.and_then(named) {
            Some(field) => Some(field),
            None => self.fields.last(),
        }
    }
}

/// A record as evidence of `source`; `about` is what the call was made for.
pub fn record_evidence(source: &str, about: &str, record: &Record) -> Evidence {
    // A bare name is no table of its own.
    let named = record.nested || record.fields.len() > 1;
    let own = record.label.as_deref().filter(|_| named).unwrap_or(about);
    let table = if own.is_empty() { record.table.clone() } else { format!("{} of {own}", record.table) };
    let fields = record.fields.iter().map(|field| RecordField::new(&field.name, &field.values));
    let content = RecordContent { table, fields: fields.collect(), path: record.path.clone() };
    Evidence::record(source, content)
}

/// The records at the head of a list that are rows of one table.
pub(crate) fn run_of_records(evidence: &[Evidence]) -> Vec<&RecordContent> {
    let records = evidence.iter().map_while(|piece| match &piece.content {
        EvidenceContent::Record(record) => Some(record),
        _ => None,
    });
    let mut run: Vec<&RecordContent> = Vec::new();
    for record in records {
        if run.first().is_some_and(|first| first.table != record.table) {
            break;
        }
        run.push(record);
    }
    run
}

/// A table of records; `first` is the position of the first in the evidence. One record of many fields is shown field by field.
pub(crate) fn record_table(records: &[&RecordContent], first: usize) -> String {
    let Some(record) = records.first() else { return String::new() };
    let mut table = format!("\n### {}\n", cell(&record.table));
    let mut columns: Vec<&str> = Vec::new();
    for field in records.iter().flat_map(|record| &record.fields) {
        if !columns.contains(&field.name.as_str()) {
            columns.push(&field.name);
        }
    }
    if records.len() == 1 && columns.len() > MOST_COLUMNS {
        table.push_str("| id | field | value |\n|---|---|---|\n");
        for field in &record.fields {
            let name = cell(&field.name);
            let _ =
                writeln!(table, "| E{first}.{} | {name} | {} |", name.replace(' ', "_"), cell(&field.value));
        }
        return table;
    }
    let heads: Vec<String> = columns.iter().map(|column| cell(column)).collect();
    let _ = writeln!(table, "| id | {} |\n|---|{}", heads.join(" | "), "---|".repeat(columns.len()));
    for (at, record) in records.iter().enumerate() {
        let value = |column: &&str| {
            record
                .fields
                .iter()
                .find(|field| field.name == **column)
                .map_or(String::new(), |field| cell(&field.value))
        };
        let values: Vec<String> = columns.iter().map(value).collect();
        let _ = writeln!(table, "| E{} | {} |", first + at, values.join(" | "));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::to_markdown;

    fn record(table: &str, fields: &[(&str, &str)]) -> Evidence {
        let field = |(name, value): &(&str, &str)| RecordField::new(name, &[(*value).to_owned()]);
        let content = RecordContent {
            table: table.into(),
            fields: fields.iter().map(field).collect(),
            path: "$".into(),
        };
        Evidence::record("api", content)
    }

    #[test]
    fn rows_of_one_table_share_it_and_a_wide_record_is_shown_by_field() {
        let wide: Vec<(String, String)> = (0..8).map(|at| (format!("f {at}"), at.to_string())).collect();
        let wide: Vec<(&str, &str)> =
            wide.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let evidence = [
            record("prices of ORLE", &[("date", "2024-02-27"), ("Close", "1.5")]),
            record("prices of ORLE", &[("date", "2024-02-28"), ("Close", "2 | x"), ("Volume", "9")]),
            record("info of ORLE", &wide),
            Evidence::passage("pages", "Orle", "A bank."),
        ];
        insta::assert_snapshot!(to_markdown(&evidence), @r"
        ### prices of ORLE
        | id | date | Close | Volume |
        |---|---|---|---|
        | E0 | 2024-02-27 | 1.5 |  |
        | E1 | 2024-02-28 | 2 / x | 9 |

        ### info of ORLE
        | id | field | value |
        |---|---|---|
        | E2.f_0 | f 0 | 0 |
        | E2.f_1 | f 1 | 1 |
        | E2.f_2 | f 2 | 2 |
        | E2.f_3 | f 3 | 3 |
        | E2.f_4 | f 4 | 4 |
        | E2.f_5 | f 5 | 5 |
        | E2.f_6 | f 6 | 6 |
        | E2.f_7 | f 7 | 7 |

        E3 (Orle) A bank.
        ");
    }

    #[test]
    fn cells_are_named_by_their_columns() {
        let EvidenceContent::Record(row) = record("t", &[("date", "2024"), ("top_position", "3")]).content
        else {
            panic!()
        };
        let value = |column: Option<&str>| row.cell(column).map(|field| field.value.as_str());
        assert_eq!(value(Some("date")), Some("2024"));
        assert_eq!(value(Some("Top Position")), Some("3"));
        assert_eq!((value(Some("nothing")), value(None)), (Some("3"), Some("3")));
    }

    #[test]
    fn a_record_is_flat_json_with_its_path() {
        let json = serde_json::to_value(record("t", &[("date", "2024")])).unwrap();
        assert_eq!(
            (&json["kind"], &json["table"], &json["path"]),
            (&"record".into(), &"t".into(), &"$".into())
        );
    }
}
