//! Decides whether an answer is shown as a table, and its cells: the same on every surface.

use std::collections::{HashMap, HashSet};

use quipu_answer::{Answer, AnswerTable, Value};

/// Most values of one column that still read well as a sentence.
const MOST_IN_A_SENTENCE: usize = 10;
/// The text of a cell without a value.
const NOTHING: &str = "—";

/// Most bytes of a number. Longer digit strings are text.
const LONGEST_NUMBER: usize = 24;

/// The best way to show an answer's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Only the answer's words.
    Sentence,
    /// One value a line, for too many values for a sentence. The answer's words are omitted.
    Lines,
    /// A table. The answer's words list the same values, and are omitted.
    Table,
}

impl Shape {
    /// The shape of an answer.
    pub fn of(answer: &Answer) -> Self {
        let Some(table) = answer.table.as_ref().filter(|table| !table.rows.is_empty()) else {
            return Self::Sentence;
        };
        match table.rows.len() {
            _ if table.columns.len() > 1 => Self::Table,
            2.. if !lists(table, &answer.answers) => Self::Table,
            rows if rows > MOST_IN_A_SENTENCE => Self::Lines,
            _ => Self::Sentence,
        }
    }
}

/// The texts of the first `most` rows. If two entities of a column share a name, their keys follow
/// it.
pub fn cells(table: &AnswerTable, most: usize) -> Vec<Vec<String>> {
    let shown = table.rows.get(..most).unwrap_or(&table.rows);
    let shared: Vec<HashSet<&str>> =
        (0..table.columns.len()).map(|column| namesakes(shown, column)).collect();
    let text = |(cell, shared): (&Option<Value>, &HashSet<&str>)| match cell {
        None => NOTHING.to_owned(),
        Some(Value { key: Some(key), name, .. }) if shared.contains(name.as_str()) => {
            format!("{name} ({key})")
        }
        Some(value) => value.name.clone(),
    };
    shown.iter().map(|row| row.iter().zip(&shared).map(text).collect()).collect()
}

/// Columns that contain only numbers, which are right-aligned.
pub fn number_columns(table: &AnswerTable) -> Vec<bool> {
    let is_number = |value: &Value| {
        value.key.is_none() && value.name.len() <= LONGEST_NUMBER && value.name.parse::<f64>().is_ok()
    };
    let holds_numbers = |column: usize| {
        let mut values = table.rows.iter().filter_map(|row| row.get(column)?.as_ref()).peekable();
        values.peek().is_some() && values.all(is_number)
    };
    (0..table.columns.len()).map(holds_numbers).collect()
}

/// Whether the table is one column with exactly these values.
fn lists(table: &AnswerTable, values: &[String]) -> bool {
    let names = table.rows.iter().map(|row| row.first().and_then(Option::as_ref).map(|value| &value.name));
    names.eq(values.iter().map(Some))
}

/// Names in a column that several entities share.
fn namesakes(rows: &[Vec<Option<Value>>], column: usize) -> HashSet<&str> {
    let mut keys: HashMap<&str, &str> = HashMap::new();
    let mut shared = HashSet::new();
    for value in rows.iter().filter_map(|row| row.get(column)?.as_ref()) {
        let Some(key) = &value.key else { continue };
        if keys.insert(&value.name, key).is_some_and(|other| other != key) {
            shared.insert(value.name.as_str());
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{answered, table, value};

    fn shape(values: &[&str], columns: &[&str], rows: &[&[&str]]) -> Shape {
        Shape::of(&Answer { table: Some(table(columns, rows)), ..answered(values) })
    }

    #[test]
    fn a_table_is_shown_where_it_says_more_than_the_list() {
        assert_eq!(Shape::of(&answered(&["Lima"])), Shape::Sentence);
        assert_eq!(shape(&["Lima", "Cusco"], &["town"], &[&["Lima"], &["Cusco"]]), Shape::Sentence);
        assert_eq!(shape(&["Lima"], &["town", "people"], &[&["Lima", "10092000"]]), Shape::Table);
        assert_eq!(shape(&["Lima"], &["town"], &[&["Lima"], &["Lima"]]), Shape::Table);
        assert_eq!(shape(&["2 towns"], &["town"], &[&["Lima"], &["Cusco"]]), Shape::Table);
        assert_eq!(shape(&["Lima"], &["town", "people"], &[]), Shape::Sentence);
    }

    #[test]
    fn many_values_stand_one_a_line() {
        let names: Vec<String> = (0..11).map(|n| format!("town {n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let rows: Vec<[&str; 1]> = names.iter().map(|name| [*name]).collect();
        let rows: Vec<&[&str]> = rows.iter().map(<[&str; 1]>::as_slice).collect();
        assert_eq!(shape(&names, &["town"], &rows), Shape::Lines);
        assert_eq!(shape(&names[..10], &["town"], &rows[..10]), Shape::Sentence);
    }

    #[test]
    fn columns_of_numbers_are_known() {
        let number = |text: &str| Some(Value { name: text.into(), ..Value::default() });
        let mut films =
            table(&["film", "year", "length", "nothing"], &[&["1984", "", "", ""], &["Tonio", "", "", ""]]);
        films.rows[0][1] = number("1984");
        films.rows[1][2] = number("9".repeat(40).as_str());
        assert_eq!(number_columns(&films), [false, true, false, false]);
        films.rows[1][1] = number("about 1984");
        assert!(!number_columns(&films)[1]);
    }

    #[test]
    fn namesakes_are_told_apart_and_gaps_are_seen() {
        let mut twins = table(&["film", "year"], &[&["", "1988"], &["", ""], &["Tonio", "2016"]]);
        twins.rows[0][0] = Some(value("http://t.example/a", "Twins"));
        twins.rows[1][0] = Some(value("http://t.example/b", "Twins"));
        assert_eq!(
            cells(&twins, 9),
            [["Twins (http://t.example/a)", "1988"], ["Twins (http://t.example/b)", "—"], ["Tonio", "2016"],]
        );
        // If one of them is not shown, the name is unambiguous.
        assert_eq!(cells(&twins, 1), [["Twins", "1988"]]);
    }
}
