//! The values of an answer as a table, or one a line.

use std::io::{self, Write};

use quipu_answer::AnswerTable;
use quipu_server::{Shape, cells, number_columns};

use crate::output::{Align, FAINT, Table, counted};

/// Rows that are shown; `--json` prints all.
const MOST_ROWS: usize = 25;

/// Writes the rows, numbered if their order is part of the answer.
pub(super) fn print_values(table: &AnswerTable, shape: Shape, out: &mut impl Write) -> io::Result<()> {
    let mut columns = Vec::new();
    columns.extend(table.ordered.then_some(("", Align::Right)));
    for (title, is_number) in table.columns.iter().zip(number_columns(table)) {
        // Values one a line need no title.
        let title = if shape == Shape::Lines { "" } else { title.as_str() };
        columns.push((title, if is_number { Align::Right } else { Align::Left }));
    }
    let mut shown = Table::new(&columns);
    for (number, row) in (1_u64..).zip(cells(table, MOST_ROWS)) {
        let place = table.ordered.then(|| number.to_string());
        shown.push_all(place.iter().chain(&row).map(String::as_str));
    }
    shown.print(out)?;
    let hidden = table.rows.len().saturating_sub(MOST_ROWS);
    if hidden > 0 {
        writeln!(out, "{FAINT}and {hidden} more (--json has them all){FAINT:#}")?;
    }
    if table.left_out > 0 {
        // The total number of rows is unknown.
        let rows = counted(table.left_out, "more row was", "more rows were");
        writeln!(out, "{FAINT}at least {rows} found and left out{FAINT:#}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use quipu_answer::{Answer, Value};

    use super::*;
    use crate::views::sample::{answer, shown};

    fn name(name: &str) -> Option<Value> {
        Some(Value { key: Some(name.into()), name: name.into(), datatype: None })
    }

    fn number(number: &str) -> Option<Value> {
        Some(Value { name: number.into(), ..Value::default() })
    }

    /// An answer that consists of this table.
    fn tabled(columns: &[&str], rows: Vec<Vec<Option<Value>>>) -> Answer {
        let answers: Vec<String> =
            rows.iter().filter_map(|row| Some(row.first()?.as_ref()?.name.clone())).collect();
        let columns = columns.iter().map(|title| (*title).to_owned()).collect();
        let table = AnswerTable { columns, rows, ordered: false, left_out: 0 };
        Answer { answer: answers.join(", "), answers, table: Some(table), evidence: Vec::new(), ..answer() }
    }

    #[test]
    fn an_ordered_table_is_numbered() {
        let rows = vec![
            vec![name("Lima"), number("10092000")],
            vec![name("Arequipa\u{1b}[31m\n(city)"), number("1008000")],
            vec![name("Cusco"), None],
        ];
        let mut towns = tabled(&["town", "people"], rows);
        towns.table.as_mut().unwrap().ordered = true;
        insta::assert_snapshot!(shown(&towns), @r"
           town                   people
        1  Lima                 10092000
        2  Arequipa[31m (city)   1008000
        3  Cusco                       —

        The values stand in the graph. The method is sure (0.90).

        2 model calls · 1,234 tokens · 1.2 s · kerag with small
        ");
    }

    #[test]
    fn many_rows_are_cut_and_counted() {
        let rows = (1..=40).map(|n| vec![name(&format!("town {n}")), number(&n.to_string())]).collect();
        let mut towns = tabled(&["town", "rank"], rows);
        towns.table.as_mut().unwrap().left_out = 1200;
        let text = shown(&towns);
        assert!(text.contains("\ntown 25    25\nand 15 more (--json has them all)\n"), "{text}");
        assert!(text.contains("\nat least 1,200 more rows were found and left out\n"), "{text}");
        assert!(!text.contains("town 26"), "{text}");
    }

    #[test]
    fn many_values_of_one_column_stand_one_a_line() {
        let towns =
            |many: usize| tabled(&["town"], (1..=many).map(|n| vec![name(&format!("town {n}"))]).collect());
        let text = shown(&towns(11));
        assert!(text.starts_with("town 1\ntown 2\n") && text.contains("\ntown 11\n\n"), "{text}");
        assert!(shown(&towns(3)).starts_with("town 1, town 2, town 3\n"));
    }
}
