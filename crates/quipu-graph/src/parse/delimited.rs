//! Triples as lines of three columns: tab-separated, or comma-separated with quotes.

use std::borrow::Cow;

use super::dates::is_date;
use super::{LineError, Sink, Tail};

/// The datatype of days.
const DATE: &str = "http://www.w3.org/2001/XMLSchema#date";

/// A check on the two ends of an edge.
type EdgeCheck<'a> = &'a dyn Fn([&str; 2]) -> Result<(), LineError>;

/// One line of `head<TAB>relation<TAB>tail`.
pub(crate) fn tab_separated(line: &str, check: EdgeCheck<'_>, sink: &mut impl Sink) -> Result<(), LineError> {
    let mut columns = line.split('\t');
    let (Some(head), Some(relation), Some(tail), None) =
        (columns.next(), columns.next(), columns.next(), columns.next())
    else {
        let found = line.split('\t').count();
        return Err(expected("tabs", found));
    };
    check([head, tail])?;
    triple(head, relation, tail, sink)
}

fn expected(between: &str, found: usize) -> LineError {
    let table = "a file of rows under a header is read by --format table";
    format!("expected head, relation and tail between {between}, found {found} columns; {table}").into()
}

fn triple(head: &str, relation: &str, tail: &str, sink: &mut impl Sink) -> Result<(), LineError> {
    if head.is_empty() || relation.is_empty() || tail.is_empty() {
        return Err("an empty head, relation or tail".into());
    }
    // A day is a value. Years and other numbers may be things too: "released in 1999".
    let tail = match is_date(tail) {
        true => Tail::Literal { lexical: tail, kind: DATE },
        false => Tail::Entity(tail),
    };
    sink.triple(head, relation, tail)
}

/// One line of `head,relation,tail`. A quoted column may hold commas, and quotes as `""`.
pub(crate) fn comma_separated(
    line: &str,
    check: EdgeCheck<'_>,
    sink: &mut impl Sink,
) -> Result<(), LineError> {
    let mut columns = Vec::with_capacity(3);
    let mut rest = Some(line);
    while let Some(text) = rest {
        let (column, after) = column(text)?;
        columns.push(column);
        rest = after;
    }
    match columns.as_slice() {
        [head, relation, tail] => {
            check([head, tail])?;
            triple(head, relation, tail, sink)
        }
        _ => Err(expected("commas", columns.len())),
    }
}

/// The first column of a line, and the rest behind its comma.
fn column(text: &str) -> Result<(Cow<'_, str>, Option<&str>), LineError> {
    let Some(quoted) = text.strip_prefix('"') else {
        return Ok(match text.split_once(',') {
            Some((column, rest)) => (Cow::Borrowed(column), Some(rest)),
            None => (Cow::Borrowed(text), None),
        });
    };
    let mut from = 0;
    while let Some(at) = quoted.get(from..).and_then(|rest| rest.find('"')).map(|at| from + at) {
        let (inner, rest) = (quoted.get(..at).unwrap_or_default(), quoted.get(at + 1..).unwrap_or_default());
        if rest.starts_with('"') {
            from = at + 2;
            continue;
        }
        let column = Cow::Owned(inner.replace("\"\"", "\""));
        return match rest.strip_prefix(',') {
            Some(rest) => Ok((column, Some(rest))),
            None if rest.is_empty() => Ok((column, None)),
            None => Err("text after a closing quote".into()),
        };
    }
    Err("a quote that is not closed on its line".into())
}

/// Whether a first line is a header and not a triple.
pub(crate) fn is_header(line: &str) -> bool {
    let columns: Vec<String> =
        line.split([',', '\t']).map(|column| column.trim_matches('"').to_ascii_lowercase()).collect();
    matches!(
        columns.iter().map(String::as_str).collect::<Vec<_>>().as_slice(),
        ["head" | "subject" | "source", "relation" | "predicate", "tail" | "object" | "target"]
    )
}
