//! Literal values in a question: codes ("TX", "A320"), quoted strings, and numbers if nothing else
//! is named. The name index holds entities only, so a literal of exactly this form is found by its
//! hash.

use std::ops::Range;

use quipu_graph::NodeId;
use quipu_language::words;

use crate::answer::AnswerError;
use crate::ledger::Context;
use crate::link::mentioned::{Anchor, Mentioned, apart};

/// The datatypes that people leave out when they write a value.
const KINDS: [&str; 7] = [
    "",
    "@en",
    "http://www.w3.org/2001/XMLSchema#integer",
    "http://www.w3.org/2001/XMLSchema#gYear",
    "http://www.w3.org/2001/XMLSchema#decimal",
    "http://www.w3.org/2001/XMLSchema#date",
    "http://www.w3.org/2001/XMLSchema#double",
];
/// Most values of one question that are looked up.
const MOST_VALUES: usize = 8;
/// The score of an exact value, a little below that of an exact name.
const SCORE: f64 = 0.9;
const OPENING: [char; 3] = ['"', '“', '«'];
const CLOSING: [char; 3] = ['"', '”', '»'];

/// The values in a text that the graph holds, as mentions; none overlaps with `names`. Numbers only
/// if `numbers` asks for them. Graphs behind endpoints are not searched.
///
/// # Errors
/// The graph's.
pub(super) async fn values_of(
    context: &Context<'_>,
    text: &str,
    names: &[Range<usize>],
    numbers: bool,
) -> Result<Vec<Mentioned>, AnswerError> {
    let mut values: Vec<Mentioned> = Vec::new();
    // A code that contains a name is no use of the name: "Otter-12".
    let holds = |span: &Range<usize>, name: &Range<usize>| {
        span.start <= name.start && name.end <= span.end && span != name
    };
    let free = |span: &Range<usize>| names.iter().all(|name| apart(name, span) || holds(span, name));
    for span in written(text, numbers).into_iter().filter(free).take(MOST_VALUES) {
        // The parts of a code that the graph has are no values of their own.
        if values.iter().any(|known| !apart(&known.span, &span)) {
            continue;
        }
        let value = text.get(span.clone()).unwrap_or_default();
        if let Some(node) = context.workspace.find_literal(value, &KINDS).await? {
            values.push(literal(node, value, span));
        }
    }
    Ok(values)
}

fn literal(node: NodeId, value: &str, span: Range<usize>) -> Mentioned {
    let (name, reason) = (value.to_owned(), "exact value".into());
    let anchor = Anchor { node, name, score: SCORE, reason, span: span.clone() };
    Mentioned { text: value.to_owned(), span, candidates: vec![anchor], score: SCORE, chosen: true }
}

/// The places of text that looks like a value, without its quotes; a whole code before its parts.
fn written(text: &str, numbers: bool) -> Vec<Range<usize>> {
    let mut spans = quoted(text);
    let quotes = spans.len();
    spans.extend(codes(text));
    for word in words(text) {
        let span = word.start..word.stem_end;
        let Some(shown) = text.get(span.clone()) else { continue };
        let letters = shown.chars().filter(|c| c.is_alphabetic()).count();
        let digits = shown.chars().filter(char::is_ascii_digit).count();
        let capitals = shown.chars().filter(|c| c.is_uppercase()).count();
        let code = letters > 0 && letters + digits > 1 && (digits > 0 || capitals == letters);
        let number = numbers && letters == 0 && digits > 0;
        let quoted = spans.get(..quotes).unwrap_or_default();
        let inside = quoted.iter().any(|known| known.start <= span.start && span.end <= known.end);
        if (code || number) && !inside {
            spans.push(span);
        }
    }
    spans
}

/// The places of codes in several parts: "WO-2025-065", "A/17", "978-0-14-143951-8". "3.5" and
/// "2024-05-01" are no codes.
fn codes(text: &str) -> Vec<Range<usize>> {
    /// Numbers in more parts are codes.
    const PARTS_OF_DATE: usize = 3;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '/' | '.' | '_' | ':');
    let mut spans = Vec::new();
    let mut from = 0;
    for piece in text.split(char::is_whitespace) {
        let code = piece.trim_matches(|c: char| !c.is_alphanumeric());
        let start = from + piece.find(|c: char| c.is_alphanumeric()).unwrap_or_default();
        // Every separator is one character, of one to three bytes.
        from += piece.len()
            + text.get(from + piece.len()..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let parts = code.split(|c: char| !c.is_alphanumeric()).count();
        let is_number = !code.contains(char::is_alphabetic);
        let digits = code.contains(|c: char| c.is_ascii_digit());
        if code.chars().all(is_part) && digits && parts > if is_number { PARTS_OF_DATE } else { 1 } {
            spans.push(start..start + code.len());
        }
    }
    spans
}

fn quoted(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut from = 0;
    while let Some((open, sign)) = text
        .get(from..)
        .and_then(|rest| rest.char_indices().find(|(_, c)| OPENING.contains(c)).map(|(at, c)| (from + at, c)))
    {
        let start = open + sign.len_utf8();
        let Some(length) = text.get(start..).and_then(|rest| rest.find(CLOSING)) else { break };
        if length > 0 {
            spans.push(start..start + length);
        }
        from = start + length + 1;
        while !text.is_char_boundary(from) && from < text.len() {
            from += 1;
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, numbers: bool, expected: &[&str]) {
        let shown: Vec<&str> = written(text, numbers).into_iter().map(|span| &text[span]).collect();
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn codes_quotes_and_lonely_numbers_are_values() {
        check("Which state has the code TX?", false, &["TX"]);
        check("who flies the A320?", false, &["A320"]);
        check("whose motto is “ever onward” or \"back\"?", false, &["ever onward", "back"]);
        check("which country has the prefix 45?", true, &["45"]);
        check("which country has the prefix 45?", false, &[]);
        check("Is I a name, and is \"", false, &[]);
        check("“ä” »", false, &["ä"]);
        check("who worked on WO-2025-065?", false, &["WO-2025-065", "WO"]);
        check("what is item A/17, on 2024-05-01 at 3.5 m?", false, &["A/17"]);
        check("who flies the A320/A321?", false, &["A320/A321", "A320", "A321"]);
        check("who wrote 978-0-14-143951-8?", false, &["978-0-14-143951-8"]);
    }
}
