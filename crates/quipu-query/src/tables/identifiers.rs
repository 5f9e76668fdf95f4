//! SQL identifiers from the graph's names. Tables and columns also keep the graph's name and IRI,
//! so nothing has to be read back from an identifier.

use std::collections::HashSet;

use quipu_language::words_of;

use crate::syntax::Expression;

/// Longest identifier, in bytes: a longer one tells a model no more and costs tokens.
const LONGEST: usize = 48;

/// Whether SQL reads an identifier as a name in every position; "order" and "group" are keywords.
fn is_plain(id: &str) -> bool {
    let text =
        format!("SELECT {id}, t.{id} FROM {id} AS t WHERE {id} = 1 AND t.{id} > 0 ORDER BY {id} LIMIT 1");
    let Ok(query) = crate::sql::read_sql(&text, None) else { return false };
    let is_column =
        |item: &crate::syntax::Item| matches!(&item.expression, Expression::Column(c) if c.name == id);
    query.select().is_some_and(|select| select.items.iter().all(is_column) && select.from.len() == 1)
}

/// A new identifier for a name: its words joined by underscores, with a number behind it if another
/// name has the same. `taken` holds the identifiers given so far.
pub fn identifier(name: &str, fallback: &str, taken: &mut HashSet<String>) -> String {
    // SQL reads ASCII digits only, and no combining marks: "İ" in lower case is an "i" with one.
    let read = |c: &char| c.is_alphabetic() || c.is_ascii_digit() || *c == '_';
    let mut base: String = words_of(name).join("_").chars().filter(read).collect();
    base.truncate(base.floor_char_boundary(LONGEST));
    let base = base.trim_matches('_');
    let base = match base.chars().next() {
        None => fallback.to_owned(),
        Some(first) if first.is_numeric() => format!("{fallback}_{base}"),
        Some(_) if !is_plain(base) => format!("{base}_{fallback}"),
        Some(_) => base.to_owned(),
    };
    let mut candidate = base.clone();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{base}_{number}");
        number += 1;
    }
    candidate
}
