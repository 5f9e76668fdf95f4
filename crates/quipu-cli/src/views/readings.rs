//! The reading of a question: in words, and on request as queries.

use std::io::{self, Write};

use quipu_answer::{Answer, Reading};
use quipu_server::number_of;

use super::remarks::{CAUTION, View, print_cost, print_remarks};
use crate::output::{FAINT, STRONG, prose, visible, visible_lines};

/// Values of another reading that are shown.
const MOST_VALUES: usize = 5;

/// Writes the reading that was answered, its trust, and the other readings of the question.
pub(super) fn print_readings(
    answer: &Answer,
    view: View,
    trust: Option<&str>,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut readings = answer.readings.iter();
    let answered = readings.next();
    if let Some(reading) = answered {
        writeln!(out, "{FAINT}{}{FAINT:#}", prose(&format!("I read this as: {}", reading.words)))?;
        print_doubts(reading, out)?;
    }
    if let Some(trust) = trust {
        writeln!(out, "{trust}")?;
    }
    for (position, reading) in (1..).zip(readings) {
        print_other(number_of(view.reading, position), view, reading, out)?;
    }
    match answered {
        Some(reading) if view.explain => print_queries(reading, out),
        _ => Ok(()),
    }
}

/// Writes each reading with its queries, for `--plan-only`.
pub(crate) fn print_plans(answer: &Answer, view: View, out: &mut impl Write) -> io::Result<()> {
    for (position, reading) in (0..).zip(&answer.readings) {
        let number = number_of(view.reading, position);
        writeln!(
            out,
            "{STRONG}Reading {number} ({:.2}){STRONG:#}: {}",
            reading.confidence,
            visible(&reading.words)
        )?;
        print_doubts(reading, out)?;
        print_queries(reading, out)?;
        writeln!(out)?;
    }
    print_remarks(answer, out)?;
    print_cost(answer, out)
}

/// Writes the words that the reading does not use, and the remarks on its values.
fn print_doubts(reading: &Reading, out: &mut impl Write) -> io::Result<()> {
    if !reading.unexplained.is_empty() {
        let words: Vec<String> =
            reading.unexplained.iter().map(|word| format!("“{}”", visible(word))).collect();
        writeln!(out, "{FAINT}{}{FAINT:#}", prose(&format!("Not used: {}", words.join(", "))))?;
    }
    for remark in &reading.remarks {
        writeln!(out, "{CAUTION}{}{CAUTION:#}", prose(&format!("Note: {remark}")))?;
    }
    Ok(())
}

fn print_other(number: usize, view: View, reading: &Reading, out: &mut impl Write) -> io::Result<()> {
    let mut line = visible(&reading.words);
    if !reading.values.is_empty() {
        let values: Vec<String> =
            reading.values.iter().take(MOST_VALUES).map(|value| visible(value)).collect();
        line.push_str(&format!(" → {}", values.join(", ")));
        if reading.values.len() > MOST_VALUES {
            line.push_str(", …");
        }
    }
    let ask = if view.talking { "/reading" } else { "--reading" };
    writeln!(out, "{}", prose(&format!("Another reading ({ask} {number}): {line}")))
}

fn print_queries(reading: &Reading, out: &mut impl Write) -> io::Result<()> {
    // The remarks stand above.
    for mend in reading.mends.iter().filter(|mend| !reading.remarks.contains(mend)) {
        writeln!(out, "{FAINT}{}{FAINT:#}", prose(&format!("mended: {mend}")))?;
    }
    for (name, query) in [("SQL", &reading.sql), ("SPARQL", &reading.sparql)] {
        let Some(query) = query else { continue };
        writeln!(out, "{FAINT}{name}{FAINT:#}")?;
        for line in visible_lines(query) {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use quipu_answer::Status;

    use super::*;
    use crate::views::print_answer;
    use crate::views::sample::{answer, plain, shown};

    fn reading(words: &str, confidence: f64) -> Reading {
        Reading { words: words.into(), confidence, ..Reading::default() }
    }

    /// An answer with two readings of the capital of Peru.
    fn read() -> Answer {
        let first = Reading {
            sql: Some("SELECT capital\nFROM country\nWHERE name = 'Peru'".into()),
            sparql: Some("SELECT ?capital WHERE {\n  <p> <capital> ?capital .\n}".into()),
            mends: vec!["The column seat is called capital here.".into()],
            ..reading("the capital of Peru", 0.72)
        };
        let values = ["Cusco", "Caral"].map(str::to_owned).into();
        let second = Reading { values, ..reading("the former capitals of Peru", 0.2) };
        Answer { readings: vec![first, second], ..answer() }
    }

    #[test]
    fn an_answer_says_how_it_read_the_question_and_what_else_it_may_mean() {
        insta::assert_snapshot!(shown(&read()), @r"
        The capital of Peru is Lima.
        I read this as: the capital of Peru
        The value stands in the graph. The reading is fairly sure (0.72).
        Another reading (--reading 2): the former capitals of Peru → Cusco, Caral

           head  relation   tail
        ✓  Peru  capital    Lima
           Peru  continent  South America

        2 model calls · 1,234 tokens · 1.2 s · kerag with small
        ");
    }

    #[test]
    fn a_doubtful_reading_is_said_to_be_one() {
        let mut doubtful = read();
        doubtful.readings.truncate(1);
        doubtful.readings[0].confidence = 0.41;
        doubtful.readings[0].unexplained = vec!["seat".into(), "old\u{1b}[31m".into()];
        doubtful.readings[0].remarks = vec!["1 value of seat is no number and was left out".into()];
        insta::assert_snapshot!(shown(&doubtful), @r"
        The capital of Peru is Lima.
        I read this as: the capital of Peru
        Not used: “seat”, “old[31m”
        Note: 1 value of seat is no number and was left out
        The value stands in the graph, but the reading is doubtful (0.41).

           head  relation   tail
        ✓  Peru  capital    Lima
           Peru  continent  South America

        2 model calls · 1,234 tokens · 1.2 s · kerag with small
        ");
    }

    #[test]
    fn an_abstention_says_how_it_read_the_question() {
        let abstained = Answer {
            status: Status::Abstained,
            answer: "I don't know.".into(),
            answers: Vec::new(),
            evidence: Vec::new(),
            citations: Vec::new(),
            grounded: false,
            confidence: 0.0,
            reason: Some("the graph states no former capital of Peru".into()),
            readings: vec![reading("the former capitals of Peru", 0.7)],
            ..answer()
        };
        insta::assert_snapshot!(shown(&abstained), @r"
        I don't know.
        why: the graph states no former capital of Peru
        I read this as: the former capitals of Peru

        2 model calls · 1,234 tokens · 1.2 s · kerag with small
        ");
    }

    #[test]
    fn an_explanation_shows_mends_and_queries_of_what_was_answered() {
        let mut out = Vec::new();
        let view = View { explain: true, reading: 2, ..View::default() };
        print_answer(&read(), view, &mut out).unwrap();
        insta::assert_snapshot!(plain(out), @r"
        The capital of Peru is Lima.
        I read this as: the capital of Peru
        The value stands in the graph. The reading is fairly sure (0.72).
        Another reading (--reading 1): the former capitals of Peru → Cusco, Caral
        mended: The column seat is called capital here.
        SQL
          SELECT capital
          FROM country
          WHERE name = 'Peru'
        SPARQL
          SELECT ?capital WHERE {
            <p> <capital> ?capital .
          }

           head  relation   tail
        ✓  Peru  capital    Lima
           Peru  continent  South America

        2 model calls · 1,234 tokens · 1.2 s · kerag with small
        ");
    }

    #[test]
    fn plans_are_shown_without_values() {
        let planned = Answer {
            status: Status::Abstained,
            answer: "I don't know.".into(),
            reason: Some("only the plan was asked for".into()),
            ..read()
        };
        let mut out = Vec::new();
        print_plans(&planned, View::default(), &mut out).unwrap();
        insta::assert_snapshot!(plain(out), @r"
        Reading 1 (0.72): the capital of Peru
        mended: The column seat is called capital here.
        SQL
          SELECT capital
          FROM country
          WHERE name = 'Peru'
        SPARQL
          SELECT ?capital WHERE {
            <p> <capital> ?capital .
          }

        Reading 2 (0.20): the former capitals of Peru

        why: only the plan was asked for

        2 model calls · 1,234 tokens · 1.2 s · kerag with small
        ");
    }
}
