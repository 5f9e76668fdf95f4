//! Explains a syntax error in a query: its position, the offending word, and the likely intention.

use super::text::{Token, tokens};

/// Words of SPARQL 1.1, functions among them.
const WORDS: &str = "
    SELECT DISTINCT REDUCED WHERE FROM NAMED ORDER BY ASC DESC GROUP HAVING LIMIT OFFSET VALUES UNDEF OPTIONAL UNION MINUS
    GRAPH SERVICE SILENT BIND AS FILTER NOT EXISTS IN ASK CONSTRUCT DESCRIBE PREFIX BASE A TRUE FALSE LATERAL
    COUNT SUM MIN MAX AVG SAMPLE GROUP_CONCAT SEPARATOR STR LANG LANGMATCHES DATATYPE BOUND IRI URI BNODE RAND ABS CEIL
    FLOOR ROUND CONCAT STRLEN UCASE LCASE ENCODE_FOR_URI CONTAINS STRSTARTS STRENDS STRBEFORE STRAFTER YEAR MONTH DAY
    HOURS MINUTES SECONDS TIMEZONE TZ NOW UUID STRUUID MD5 SHA1 SHA256 SHA384 SHA512 COALESCE IF STRLANG STRDT SAMETERM
    ISIRI ISURI ISBLANK ISLITERAL ISNUMERIC REGEX SUBSTR REPLACE";
/// Words at a larger edit distance are no misspellings.
const MOST_EDITS: usize = 2;
/// Signs that may be missing, with their names. Each is tried.
const MISSING: [(&str, &str); 13] = [
    ("WHERE", "WHERE"),
    ("{", "“{”"),
    ("}", "“}”"),
    ("(", "“(”"),
    (")", "“)”"),
    (".", "“.”"),
    (",", "“,”"),
    ("AS", "AS"),
    ("BY", "BY"),
    ("?variable", "a variable"),
    ("<urn:iri>", "an IRI"),
    ("\"text\"", "a text"),
    ("1", "a number"),
];
/// A message lists at most so many missing signs; longer lists do not help.
const MOST_MISSING: usize = 5;
/// Longest query, in bytes, that is parsed repeatedly to find its fault.
const LONGEST_SEARCHED: usize = 16 << 10;
/// More blanks than any word of SPARQL has letters.
const PADDING: usize = 32;
/// Columns of the query's line shown on either side of the fault.
const SHOWN: usize = 60;

/// The message for a text that `parse` refuses as `told` ("error at 1:16: expected one of DISTINCT,
/// WHERE").
pub(super) fn explain(text: &str, told: &str, refused: impl Fn(&str) -> Option<String>) -> String {
    let Some((gave_up, expected)) = place(text, told) else {
        return format!("the query cannot be read: {told}");
    };
    let all: Vec<Token<'_>> = tokens(text).collect();
    if let Some((token, reason)) = unknown(&all, gave_up) {
        return said(text, token.at, &reason);
    }
    if let Some(reason) = expected.iter().find(|what| what.contains(' ') && !what.contains(['"', '['])) {
        return said(text, gave_up.min(text.trim_end().len()), reason);
    }
    if text.len() > LONGEST_SEARCHED {
        return said(text, gave_up.min(text.trim_end().len()), "this cannot stand here");
    }
    // Finds the first wrong token. The parser reads as many characters as a keyword has before it
    // compares, so a prefix of the query is padded with more blanks than any keyword has letters.
    // The prefix is correct if the parser fails only in the padding.
    let right = |start: &str| {
        let padded = format!("{start}{}\u{1}{}", " ".repeat(PADDING), " ".repeat(PADDING));
        let told = refused(&padded);
        told.and_then(|told| place(&padded, &told)).is_none_or(|(at, _)| at >= start.len() + PADDING)
    };
    let up_to = |tokens: usize| {
        let last = tokens.checked_sub(1).and_then(|last| all.get(last));
        text.get(..last.map_or(0, |last| last.at + last.text.len())).unwrap_or(text)
    };
    let numbers: Vec<usize> = (1..=all.len()).collect();
    let wrong = numbers.partition_point(|tokens| right(up_to(*tokens)));
    let before = up_to(wrong);
    let missing: Vec<&str> = MISSING
        .iter()
        .filter(|(sign, _)| right(&format!("{before} {sign}")))
        .map(|(_, name)| *name)
        .collect();
    let missing = match missing.len() {
        1..=MOST_MISSING => format!("; expected {}", missing.join(" or ")),
        _ => String::new(),
    };
    match all.get(wrong) {
        Some(token) => {
            said(text, token.at, &format!("“{}” cannot stand here{missing}", shortened(token.text)))
        }
        None => said(text, text.trim_end().len(), &format!("the query ends too early{missing}")),
    }
}

/// The first word outside SPARQL's vocabulary, or the first name with an undeclared prefix. Both
/// are wrong in any context.
fn unknown<'a>(all: &'a [Token<'a>], place: usize) -> Option<(&'a Token<'a>, String)> {
    let mut before: Option<&Token<'_>> = None;
    let mut declared: Vec<&str> = super::PREFIXES.iter().map(|(prefix, _)| *prefix).collect();
    for token in all.iter().take_while(|token| token.at <= place) {
        let follows = before.replace(token);
        if token.is_word() && !is_known(token.text) {
            let meant =
                nearest(token.text).map_or_else(String::new, |word| format!("; did you mean {word}?"));
            return Some((token, format!("“{}” is not a SPARQL keyword{meant}", shortened(token.text))));
        }
        let Some((prefix, _)) =
            token.text.split_once(':').filter(|_| !token.text.starts_with(['"', '\'', '<', '_']))
        else {
            continue;
        };
        if follows.is_some_and(|word| word.text.eq_ignore_ascii_case("PREFIX")) {
            declared.push(prefix);
        } else if !declared.contains(&prefix) {
            let reason = format!("the prefix “{prefix}:” is not declared; write PREFIX {prefix}: <…> first");
            return Some((token, reason));
        }
    }
    None
}

/// The byte offset at which the parser failed, and the tokens that it expected.
fn place(text: &str, told: &str) -> Option<(usize, Vec<String>)> {
    let (place, expected) = told.strip_prefix("error at ")?.split_once(": expected ")?;
    let (line, column) = place.split_once(':')?;
    let (line, column): (usize, usize) = (line.parse().ok()?, column.parse().ok()?);
    let begins = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum::<usize>();
    let characters = text.get(begins..)?.chars().take(column.checked_sub(1)?);
    let expected =
        expected.strip_prefix("one of ").unwrap_or(expected).split(", ").map(str::to_owned).collect();
    Some((begins + characters.map(char::len_utf8).sum::<usize>(), expected))
}

fn is_known(word: &str) -> bool {
    WORDS.split_whitespace().any(|known| known.eq_ignore_ascii_case(word))
}

fn nearest(word: &str) -> Option<&'static str> {
    let upper = word.to_ascii_uppercase();
    // For short words too many guesses would fit.
    let most = MOST_EDITS.min(upper.len() / 3);
    let far = |known: &&str| strsim::osa_distance(&upper, known);
    WORDS.split_whitespace().filter(|known| far(known) <= most).min_by_key(far)
}

/// The position, the reason, and the line with a mark under the fault.
fn said(text: &str, at: usize, reason: &str) -> String {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count() + 1;
    let column = before.get(line_start..).unwrap_or_default().chars().count();
    let whole: Vec<char> =
        text.get(line_start..).unwrap_or_default().lines().next().unwrap_or_default().chars().collect();
    let from = column.saturating_sub(SHOWN);
    let shown: String =
        whole.iter().skip(from).take(2 * SHOWN).map(|c| if c.is_control() { ' ' } else { *c }).collect();
    let mark = " ".repeat(column - from);
    format!(
        "the query cannot be read at line {line}, column {}: {reason}\n  {}\n  {mark}^",
        column + 1,
        shown.trim_end()
    )
}

fn shortened(text: &str) -> String {
    let mut letters = text.chars().filter(|c| !c.is_control());
    let mut short: String = letters.by_ref().take(SHOWN).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    fn check(query: &str, expected: &str) {
        let error = parse(query).unwrap_err().to_string();
        assert_eq!(error, expected, "{query}");
    }

    #[test]
    fn a_misspelt_word_is_named_with_what_was_meant() {
        check(
            "SELECT ?x WHER { ?x ?p ?o }",
            "the query cannot be read at line 1, column 11: “WHER” is not a SPARQL keyword; did you mean WHERE?\n  \
             SELECT ?x WHER { ?x ?p ?o }\n            ^",
        );
        check(
            "SELECT ?x WHERE {\n  ?x ?p ?o\n  FILTR(?o > 3) }",
            "the query cannot be read at line 3, column 3: “FILTR” is not a SPARQL keyword; did you mean FILTER?\n    \
             FILTR(?o > 3) }\n    ^",
        );
        check(
            "SELEKT nonsense",
            "the query cannot be read at line 1, column 1: “SELEKT” is not a SPARQL keyword; did you mean SELECT?\n  \
             SELEKT nonsense\n  ^",
        );
    }

    #[test]
    fn an_undeclared_prefix_is_named() {
        check(
            "SELECT ?x WHERE { ?x foaf:name ?o }",
            "the query cannot be read at line 1, column 22: the prefix “foaf:” is not declared; \
             write PREFIX foaf: <…> first\n  SELECT ?x WHERE { ?x foaf:name ?o }\n                       ^",
        );
    }

    #[test]
    fn a_sign_that_cannot_stand_there_and_one_that_is_missing_are_said() {
        for (query, part) in [
            ("SELECT ?x WHERE { ?x ?p ?o", "line 1, column 27: the query ends too early"),
            ("SELECT ?x { ?x ?p ?o } LIMIT ten", "column 30: “ten” is not a SPARQL keyword"),
            ("SELECT ?x { ?x ?p }", "column 19: “}” cannot stand here"),
            ("SELECT ?x WHERE ?x ?p ?o }", "column 17: “?x” cannot stand here"),
            ("", "line 1, column 1: the query ends too early"),
            ("SELECT ?é\u{1b}[2J", "line 1, column 10: “"),
        ] {
            let error = parse(query).unwrap_err().to_string();
            assert!(error.contains(part) && !error.contains('\u{1b}'), "{query}: {error}");
        }
    }
}
