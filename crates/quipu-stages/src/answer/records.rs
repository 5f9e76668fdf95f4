//! Records of an API.

use quipu_language::is_naming_field;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// The table that it is a row of: `daily prices of META`.
    pub table: String,
    /// Its fields.
    pub fields: Vec<RecordField>,
    /// Its place in the response, as a JSON path.
    pub path: String,
}

impl RecordContent {
    /// The record in one line.
    pub fn to_line(&self) -> String {
        let fields = self.fields.iter().map(|field| format!("{} {}", field.name, field.value));
        format!("{}: {}", self.table, fields.collect::<Vec<_>>().join("; "))
    }

    /// The record's own name: the field whose value ends the table's title.
    fn namesake(&self) -> Option<&RecordField> {
        let heads = |field: &&RecordField| !field.value.is_empty() && self.table.ends_with(&field.value);
        self.fields.iter().find(heads)
    }

    /// The name of the record beside its field `other`: the name in the table's title, else a field
    /// called a name. If neither exists: the entity in the title among records of several tables,
    /// or the first field (the day of a price) in `one_table`.
    pub(crate) fn named_beside(&self, other: &str, one_table: bool) -> &str {
        let others = || self.fields.iter().filter(|field| field.name != other);
        let called = |field: &&RecordField| is_naming_field(&field.name) && !field.value.is_empty();
        // The author whose books the table lists is none of them.
        let is_own = |field: &&RecordField| is_naming_field(&field.name) || others().find(called).is_none();
        let heading = self.namesake().filter(|field| field.name != other).filter(is_own);
        if let Some(name) = heading.or_else(|| others().find(called)) {
            return &name.value;
        }
        let about = self.table.rsplit_once(" of ").map(|(_, about)| about).filter(|_| !one_table);
        about.or_else(|| others().next().map(|first| first.value.as_str())).unwrap_or(&self.table)
    }

    /// The table's title without the record's own name: the same for all rows of one response.
    pub(crate) fn heading(&self) -> &str {
        let name = self.namesake().map_or("", |field| field.value.as_str());
        self.table.strip_suffix(name).unwrap_or(&self.table).trim_end()
    }

    /// The record's fields as text, independent of its table.
    pub fn said(&self) -> String {
        let fields = self.fields.iter().map(|field| format!("{}\u{1f}{}", field.name, field.value));
        fields.collect::<Vec<_>>().join("\u{1e}")
    }

    /// The value that an id such as `E3.price` stands for; without a column, the record's last
    /// field.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn record(table: &str, fields: &[(&str, &str)]) -> RecordContent {
        let field = |(name, value): &(&str, &str)| RecordField::new(name, &[(*value).to_owned()]);
        RecordContent { table: table.into(), fields: fields.iter().map(field).collect(), path: "$".into() }
    }

    #[test]
    fn cells_are_named_by_their_columns() {
        let row = record("t", &[("date", "2024"), ("top_position", "3")]);
        let value = |column: Option<&str>| row.cell(column).map(|field| field.value.as_str());
        assert_eq!(value(Some("date")), Some("2024"));
        assert_eq!(value(Some("Top Position")), Some("3"));
        assert_eq!((value(Some("nothing")), value(None)), (Some("3"), Some("3")));
    }
}
