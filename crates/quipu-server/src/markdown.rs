//! Renders an answer as Markdown, for chat clients and MCP hosts. Texts of a graph or a model stay
//! plain text in it.

use std::fmt::Write as _;

use quipu_answer::{Answer, AnswerTable, Reading};

use crate::cite::{Citation, Cited, Piece};
use crate::escape::{escaped, line, spaced};
use crate::readings::number_of;
use crate::remarks::failure;
use crate::table::{Shape, cells, number_columns};
use crate::trust::Trust;

/// Most rows of a Markdown table; the others are counted.
pub(crate) const MOST_ROWS: usize = 50;
/// Most characters of one cell.
pub(crate) const LONGEST_CELL: usize = 300;

/// The answer's words with its citation numbers, its table, and the reading of the question.
/// `asked` is the requested reading, 0 for none.
pub(crate) fn markdown(cited: &Cited, answer: &Answer, asked: usize) -> String {
    let mut blocks = Vec::new();
    match &answer.table {
        Some(table) if Shape::of(answer) != Shape::Sentence => {
            blocks.push(rows(table));
            blocks.extend(left_out(table));
        }
        _ => blocks.push(sentence(&cited.pieces)),
    }
    let mut readings = answer.readings.iter();
    blocks.extend(readings.next().map(|first| as_read(first, Trust::of(answer))));
    let other = |(at, reading): (usize, &Reading)| other_reading(number_of(asked, at), reading);
    blocks.extend((1..).zip(readings).map(other));
    blocks.extend(answer.notes.iter().filter_map(failure).map(|said| line(&said)));
    blocks.join("\n\n")
}

/// The citations, for below an answer: a line for each number.
pub(crate) fn citations(cited: &Cited) -> String {
    let told = |citation: &Citation| format!("[{}] {}", citation.number, citation.markdown());
    cited.citations.iter().map(told).collect::<Vec<_>>().join("\n")
}

/// The answer's words. Only citation numbers are markup in them.
fn sentence(pieces: &[Piece]) -> String {
    let (mut text, mut before) = (String::new(), '\n');
    for piece in pieces {
        match piece {
            Piece::Numbers(numbers) => text.push_str(&Piece::marks(numbers)),
            Piece::Words(words) => {
                for (at, words) in words.split('\n').enumerate() {
                    if at > 0 {
                        text.push('\n');
                        before = '\n';
                    }
                    text.push_str(&escaped(&spaced(words, before), before));
                    before = if words.trim().is_empty() { before } else { ' ' };
                }
            }
        }
        before = text.chars().last().unwrap_or(before);
    }
    text
}

/// The number of omitted rows. Beyond the table's own rows it may be a lower bound.
fn left_out(table: &AnswerTable) -> Option<String> {
    let more = table.rows.len().saturating_sub(MOST_ROWS) as u64 + table.left_out;
    let (number, verb) = (format!("{more} more row"), if more == 1 { " is" } else { "s are" });
    let about = if table.left_out > 0 { "At least " } else { "" };
    (more > 0).then(|| format!("{about}{number}{verb} left out."))
}

fn rows(table: &AnswerTable) -> String {
    let mut text = String::from("|");
    let place = table.ordered.then_some("#");
    for title in place.map(str::to_owned).into_iter().chain(table.columns.iter().map(|title| cell(title))) {
        let _ = write!(text, " {title} |");
    }
    text.push_str("\n|");
    let numbers = number_columns(table);
    for is_number in place.map(|_| true).into_iter().chain(numbers) {
        text.push_str(if is_number { " ---: |" } else { " --- |" });
    }
    for (number, row) in (1..).zip(cells(table, MOST_ROWS)) {
        text.push_str("\n|");
        if table.ordered {
            let _ = write!(text, " {number} |");
        }
        for value in &row {
            let _ = write!(text, " {} |", cell(value));
        }
    }
    text
}

fn as_read(reading: &Reading, trust: Option<Trust>) -> String {
    let mut text = format!("I read this as: {}.", line(reading.words.trim_end_matches('.')));
    if let Some(unused) = unused(reading) {
        let _ = write!(text, " Not used: {unused}.");
    }
    for remark in &reading.remarks {
        let _ = write!(text, " Note: {}.", line(remark));
    }
    if let Some(trust) = trust {
        let _ = write!(text, " {}", trust.line());
    }
    text
}

fn other_reading(number: usize, reading: &Reading) -> String {
    let mut text = format!("Another reading (reading {number}): {}", line(&reading.words));
    if !reading.values.is_empty() {
        let values: Vec<String> = reading.values.iter().map(|value| cell(value)).collect();
        let _ = write!(text, " → {}", values.join(", "));
    }
    text
}

fn unused(reading: &Reading) -> Option<String> {
    let words: Vec<String> = reading.unexplained.iter().map(|word| format!("“{}”", line(word))).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// A text of any origin as one cell: limited in length, on one line, without markup.
fn cell(text: &str) -> String {
    let mut kept: String = text.chars().take(LONGEST_CELL).collect();
    if kept.len() < text.len() {
        kept.push('…');
    }
    line(&kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{answered, reading, table};

    /// Attempts to break out of a cell: a link, a heading, a line break.
    const HOSTILE: &str = "| [x](javascript:1) \n# hi";

    fn told(answer: &Answer) -> String {
        let pieces = vec![Piece::Words(answer.answer.clone())];
        markdown(&Cited { text: answer.answer.clone(), citations: Vec::new(), pieces }, answer, 0)
    }

    #[test]
    fn labels_stay_text_in_a_cell() {
        for (label, expected) in [
            (HOSTILE, r"\| \[x\](javascript:1) # hi"),
            ("# hi", r"\# hi"),
            ("#", r"\#"),
            ("- item", r"\- item"),
            ("---", r"\---"),
            ("1. first", r"1\. first"),
            ("> quoted", r"\> quoted"),
            ("![a](http://t.example/i.png)", r"!\[a\](http\://t.example/i.png)"),
            ("<img src=x onerror=alert(1)>", r"\<img src=x onerror=alert(1)\>"),
            (r"\| a", r"\\\| a"),
            ("`code` *bold* _thin_ ~~gone~~", r"\`code\` \*bold\* \_thin\_ \~\~gone\~\~"),
            ("a\u{1b}[31mred\u{202e}\r\nb", r"a\[31mred b"),
            ("-5", "-5"),
            ("3.5 km", "3.5 km"),
            ("directed_by", "directed_by"),
            ("São Tomé & Príncipe", "São Tomé & Príncipe"),
        ] {
            assert_eq!(cell(label), expected);
        }
        assert_eq!(cell(&"long ".repeat(200)).chars().count(), LONGEST_CELL + 1);
    }

    #[test]
    fn labels_stay_text_in_a_sentence() {
        let label = "Lima [9](http://t.example) ![i](http://t.example/i.png) &lt;b&gt; R&D";
        let held = r"Lima \[9\](http\://t.example) !\[i\](http\://t.example/i.png) \&lt;b\&gt; R&D";
        assert_eq!(told(&answered(&[label])), held);
        let lines = told(&answered(&["# big\n\n- one\n=====\n    code\n[2]: http://t.example"]));
        assert_eq!(lines, "\\# big\n\n\\- one\n\\=====\ncode\n\\[2\\]: http\\://t.example");
    }

    #[test]
    fn only_the_numbers_of_citations_are_markup() {
        let words = |text: &str| Piece::Words(text.into());
        let pieces =
            [words("*Lima*"), Piece::Numbers(vec![1, 2]), words("(http://t.example), [3]"), words(" #x\n#y")];
        let held = "\\*Lima\\* [1][2]\\(http\\://t.example), \\[3\\] #x\n\\#y";
        assert_eq!(sentence(&pieces), held);
        let cited = |number, sentence: &str| Citation::new(number, "e".into(), sentence.into());
        let list = vec![cited(1, "a — b — [c](http://t.example)\n# d"), cited(2, "e")];
        let cited = Cited { text: String::new(), citations: list, pieces: Vec::new() };
        assert_eq!(citations(&cited), "[1] a — b — \\[c\\](http\\://t.example) # d\n[2] e");
    }

    #[test]
    fn a_hostile_label_breaks_no_table() {
        let mut answer = answered(&[HOSTILE]);
        answer.table = Some(table(&["to|wn", "people"], &[&[HOSTILE, "7"], &["Lima", ""]]));
        let expected = r"| to\|wn | people |
| --- | --- |
| \| \[x\](javascript:1) # hi | 7 |
| Lima | — |";
        assert_eq!(told(&answer), expected);
    }

    #[test]
    fn many_rows_are_cut_and_counted() {
        let rows: [&[&str]; 60] = [&["Lima", "7"]; 60];
        let with = |left_out: u64| {
            let table = AnswerTable { ordered: true, left_out, ..table(&["town", "people"], &rows) };
            told(&Answer { table: Some(table), ..answered(&["Lima"]) })
        };
        let text = with(0);
        assert!(
            text.starts_with("| # | town | people |\n| ---: | --- | --- |\n| 1 | Lima | 7 |\n"),
            "{text}"
        );
        assert!(text.ends_with("| 50 | Lima | 7 |\n\n10 more rows are left out."), "{text}");
        // The total number of rows beyond the table is unknown.
        assert!(with(5).ends_with("\n\nAt least 15 more rows are left out."));
    }

    #[test]
    fn a_reading_is_told_with_its_doubts() {
        let unexplained = vec!["biggest".into()];
        let remarks = vec!["1 more row ties [with](x) the last".into()];
        let first = Reading { confidence: 0.41, unexplained, remarks, ..reading("the towns of [Peru](x).") };
        let other = Reading { values: vec!["Cusco".into(), "a|b".into()], ..reading("the capital of Peru") };
        let answer = Answer { readings: vec![first, other], ..answered(&["Lima"]) };
        let expected = r"Lima

I read this as: the towns of \[Peru\](x). Not used: “biggest”. Note: 1 more row ties \[with\](x) the last. The value stands in the graph, but the reading is doubtful (0.41).

Another reading (reading 2): the capital of Peru → Cusco, a\|b";
        assert_eq!(told(&answer), expected);
    }
}
