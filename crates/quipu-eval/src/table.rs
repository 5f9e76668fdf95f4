//! Results as Markdown tables.

use std::fmt::Write as _;

use crate::judge::Agreement;
use crate::metrics::share;
use crate::row::{Ended, ErrorClass, Row};
use crate::summary::{Group, Metric, Summary};

/// One line a run: quality with intervals, costs, abstention, calibration.
pub fn to_markdown(summaries: &[Summary]) -> String {
    let mut table = String::from(
        "| run | n | Hit@1 (strict) | answered wrongly | answered | F1 | row F1 (strict) | row F1 (lenient) | exact table | exact | \
         accuracy (recall) | lenient | CRAG acc. | halluc. | missing | truthfulness | retrieved | linked | grounded | calls | tokens | requests | s | engine ms (p50) |\n",
    );
    table.push_str(&"|---".repeat(24));
    table.push_str("|\n");
    for summary in summaries {
        let mean = |metric: Metric| {
            let interval = summary.get(metric);
            if interval.n == 0 { "–".into() } else { format!("{:.3}", interval.mean) }
        };
        let costs = |metric: Metric, digits: usize| format!("{:.digits$}", summary.get(metric).mean);
        let cells = [
            cell(&summary.label),
            counted(summary),
            summary.get(Metric::HitAt1).to_string(),
            summary.get(Metric::AnsweredWrongly).to_string(),
            mean(Metric::Answered),
            summary.get(Metric::F1).to_string(),
            summary.get(Metric::RowF1).to_string(),
            mean(Metric::RowF1Lenient),
            mean(Metric::ExactTable),
            mean(Metric::ExactMatch),
            mean(Metric::Accuracy),
            summary.get(Metric::Lenient).to_string(),
            mean(Metric::CragAccuracy),
            mean(Metric::Hallucination),
            mean(Metric::Missing),
            summary.get(Metric::Truthfulness).to_string(),
            mean(Metric::RetrievalRecall),
            mean(Metric::LinkingAccuracy),
            mean(Metric::Grounded),
            costs(Metric::Calls, 2),
            costs(Metric::Tokens, 0),
            costs(Metric::Requests, 1),
            costs(Metric::Seconds, 2),
            format!("{:.2}", summary.engine_ms),
        ];
        let _ = writeln!(table, "| {} |", cells.join(" | "));
    }
    table
}

/// `60`, or `12 of 60` for an incomplete run.
fn counted(summary: &Summary) -> String {
    if summary.questions == summary.expected {
        summary.questions.to_string()
    } else {
        format!("{} of {}", summary.questions, summary.expected)
    }
}

/// Text that cannot break out of its cell.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "/")
}

/// One line a run: error classes, abstention and calibration.
pub fn errors_to_markdown(summaries: &[Summary]) -> String {
    let mut table = String::from("| run |");
    for class in ErrorClass::ALL {
        let _ = write!(table, " {} |", class.name());
    }
    table.push_str(" set incomplete | rightly abstained | unanswerable abstained | calibration error | Brier | AUC of confidence |\n");
    table.push_str(&"|---".repeat(ErrorClass::ALL.len() + 7));
    table.push_str("|\n");
    for summary in summaries {
        let count =
            |class: ErrorClass| summary.errors.iter().find(|(c, _)| *c == class).map_or(0, |(_, n)| *n);
        let _ = write!(table, "| {} |", cell(&summary.label));
        for class in ErrorClass::ALL {
            let _ = write!(table, " {} |", count(class));
        }
        let a = summary.abstention;
        let of =
            |part: usize, whole: usize| if whole == 0 { "–".into() } else { format!("{part} of {whole}") };
        let c = &summary.calibration;
        let figure = |value: f64| if c.n == 0 { "–".into() } else { format!("{value:.3}") };
        let _ = writeln!(
            table,
            " {} | {} | {} | {} | {} | {} |",
            summary.incomplete,
            of(a.rightly, a.abstained),
            of(a.unanswerable_abstained, a.unanswerable),
            figure(c.error),
            figure(c.brier),
            c.discrimination.map_or("–".into(), |auc| format!("{auc:.3}")),
        );
    }
    table
}

/// One line a run: the share of wrong answers if only the most confident tenth, two tenths, ... all
/// of its answers were given, each with the least confidence among them; the area under that curve.
/// `None` without answers.
pub fn risk_to_markdown(summaries: &[Summary]) -> Option<String> {
    let points = summaries.iter().map(|summary| &summary.risk.points).max_by_key(|points| points.len())?;
    if points.is_empty() {
        return None;
    }
    let mut table = String::from("| risk (from confidence) at coverage | answers | AURC |");
    let steps: Vec<f64> = points.iter().map(|point| point.coverage).collect();
    for step in &steps {
        let _ = write!(table, " {:.0}% |", step * 100.0);
    }
    let _ = writeln!(table, "\n{}|", "|---".repeat(3 + steps.len()));
    for summary in summaries {
        let risk = &summary.risk;
        let area = risk.area.map_or("–".into(), |area| format!("{area:.3}"));
        let _ =
            write!(table, "| {} | {} of {} | {area} |", cell(&summary.label), risk.answers, risk.questions);
        for step in &steps {
            let point = risk.points.iter().find(|point| point.coverage >= step - 1e-9);
            let shown =
                point.map_or("–".into(), |point| format!("{:.2} ({:.2})", point.risk, point.threshold));
            let _ = write!(table, " {shown} |");
        }
        table.push('\n');
    }
    Some(table)
}

/// Most values of one property in a table; the HTML report has them all.
const MOST_VALUES: usize = 12;

/// One line a group, with runs as columns; `None` unless there are several groups.
pub fn groups_to_markdown(summaries: &[Summary]) -> Option<String> {
    let mut keys: Vec<(&str, &str)> = Vec::new();
    for group in summaries.iter().flat_map(|summary| &summary.groups) {
        let key = (group.by.as_str(), group.value.as_str());
        let of_property = keys.iter().filter(|(by, _)| *by == key.0).count();
        if !keys.contains(&key) && of_property < MOST_VALUES {
            keys.push(key);
        }
    }
    if keys.len() < 2 {
        return None;
    }
    let mut table = String::from("| group | n |");
    for summary in summaries {
        let _ = write!(table, " {} Hit@1, answered wrongly, truthfulness |", cell(&summary.label));
    }
    let _ = writeln!(table, "\n{}|", "|---".repeat(2 + summaries.len()));
    for (by, value) in keys {
        let is = |group: &&Group| group.by == by && group.value == value;
        let found: Vec<Option<&Group>> = summaries.iter().map(|s| s.groups.iter().find(is)).collect();
        let n = found.iter().flatten().map(|group| group.hit_at_1.n).max().unwrap_or_default();
        let _ = write!(table, "| {by}: {} | {n} |", cell(value));
        for group in found {
            let shown = group.map_or("–".into(), |g| {
                format!("{}, {:.2}, {:.2}", g.hit_at_1, g.answered_wrongly.mean, g.truthfulness.mean)
            });
            let _ = write!(table, " {shown} |");
        }
        table.push('\n');
    }
    Some(table)
}

/// Questions that failed or ran out of time, one a line; `None` if there are none.
pub fn failures_to_text(rows: &[Row]) -> Option<String> {
    let failed = |row: &&Row| {
        row.ended == Ended::Failed || matches!(row.error, Some(ErrorClass::TimedOut | ErrorClass::Failed))
    };
    let lines: Vec<String> = rows
        .iter()
        .filter(failed)
        .map(|row| {
            let reason = row.reason.as_deref().unwrap_or("no reason given");
            format!("- {} with {}, {}: {}", row.method, row.llm, row.id, cell(reason))
        })
        .collect();
    (!lines.is_empty()).then(|| {
        format!("Questions that count as zero because they failed or timed out:\n{}\n", lines.join("\n"))
    })
}

/// One line about the reliability of the verdicts.
pub fn agreement_to_text(judge: &str, agreement: &Agreement) -> String {
    let [accurate, hallucination, missing] = agreement.of_verdicts;
    let weakest = agreement.kinds.iter().filter(|kind| kind.agreed < kind.cases);
    let weak: Vec<String> =
        weakest.map(|kind| format!("{} {}/{}", kind.kind, kind.agreed, kind.cases)).collect();
    let weak = if weak.is_empty() { "none".into() } else { weak.join(", ") };
    format!(
        "Judge {judge}: agrees with {} of {} labelled cases ({:.1}%): {:.1}% of the accurate, {:.1}% of the hallucinations, {:.1}% of \
         the missing; rules decide {} of them and err in {} ({:.1}% right). Kinds with errors: {weak}.",
        agreement.agreed,
        agreement.cases,
        agreement.share() * 100.0,
        accurate * 100.0,
        hallucination * 100.0,
        missing * 100.0,
        agreement.by_rule,
        agreement.by_rule - agreement.by_rule_agreed,
        share(agreement.by_rule_agreed, agreement.by_rule) * 100.0,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::samples::{row, wrong};
    use crate::summary::summarise;

    #[test]
    fn tables_keep_their_shape_whatever_stands_in_them() {
        let rows = [row("1"), wrong("2", ErrorClass::Linking)];
        let summaries = [summarise("paths | none\nopen", &rows, 3, 1), summarise("empty", &[], 3, 1)];
        let risk = risk_to_markdown(&summaries).unwrap();
        let groups = groups_to_markdown(&summaries).unwrap();
        for table in [to_markdown(&summaries), errors_to_markdown(&summaries), groups, risk] {
            let columns: Vec<usize> = table.lines().map(|line| line.matches('|').count()).collect();
            assert!(columns.windows(2).all(|pair| pair[0] == pair[1]), "{table}");
        }
        assert!(to_markdown(&summaries).contains("| paths / none open | 2 of 3 | 0.500 ["));
        assert!(
            groups_to_markdown(&summaries)
                .unwrap()
                .contains("| hops: 2 | 1 | 0.000 [0.00, 0.00], 1.00, -1.00 |")
        );
    }

    #[test]
    fn risk_is_told_with_the_confidence_that_it_begins_at() {
        assert_eq!(risk_to_markdown(&[summarise("empty", &[], 1, 1)]), None);
        let unsure = Row { confidence: 0.25, ..wrong("2", ErrorClass::Linking) };
        let table = risk_to_markdown(&[summarise("paths", &[row("1"), unsure], 2, 1)]).unwrap();
        assert!(table.contains("| paths | 2 of 2 | 0.250 | 0.00 (0.75) | 0.50 (0.25) |"), "{table}");
    }

    #[test]
    fn failures_are_listed() {
        assert_eq!(failures_to_text(&[row("1")]), None);
        let failed = Row {
            ended: Ended::Failed,
            reason: Some("the endpoint is down".into()),
            ..wrong("2", ErrorClass::Failed)
        };
        let text = failures_to_text(&[row("1"), failed]).unwrap();
        assert!(text.contains("- paths with none, 2: the endpoint is down"), "{text}");
    }
}
