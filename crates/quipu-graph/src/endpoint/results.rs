//! SPARQL 1.1 results in JSON, including the deviations of real endpoints.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

use super::terms::Term;

/// Largest number that an endpoint's count is taken for. No graph has so many triples, and sums of
/// such numbers stay within 64 bits.
pub(super) const LARGEST_COUNT: u64 = 1 << 48;

const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";

/// The rows of a SELECT query: a cell for each requested variable, in that order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Rows {
    pub(super) rows: Vec<Vec<Option<Term>>>,
    /// Whether the endpoint reported that it cut the rows.
    pub(super) cut: bool,
}

/// The result of a query of any form.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The variables, and their values row by row.
    Table(Vec<String>, Rows),
    /// The result of an ASK query.
    Truth(bool),
}

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(default)]
    head: Head,
    #[serde(borrow)]
    results: Option<Results<'a>>,
    boolean: Option<bool>,
}

#[derive(Default, Deserialize)]
struct Head {
    #[serde(default)]
    vars: Vec<String>,
}

#[derive(Deserialize)]
struct Results<'a> {
    #[serde(borrow)]
    bindings: Vec<HashMap<Cow<'a, str>, Cell<'a>>>,
}

#[derive(Deserialize)]
struct Cell<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    value: Cow<'a, str>,
    #[serde(borrow)]
    datatype: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "xml:lang")]
    language: Option<Cow<'a, str>>,
}

/// Why a document could not be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// It ends too early; another attempt may succeed.
    BrokenOff,
    /// It is not a SPARQL result.
    Foreign(String),
}

/// Reads the rows of a SELECT query.
pub(super) fn read_rows(json: &[u8], variables: &[&str]) -> Result<Rows, Unread> {
    rows_of(&read(json)?, variables)
}

/// Reads the result of a SELECT or ASK query.
pub(super) fn read_outcome(json: &[u8]) -> Result<Outcome, Unread> {
    let document = read(json)?;
    if let Some(truth) = document.boolean {
        return Ok(Outcome::Truth(truth));
    }
    let variables: Vec<&str> = document.head.vars.iter().map(String::as_str).collect();
    let rows = rows_of(&document, &variables)?;
    Ok(Outcome::Table(document.head.vars, rows))
}

fn rows_of(document: &Document<'_>, variables: &[&str]) -> Result<Rows, Unread> {
    let Some(results) = &document.results else {
        return Err(Unread::Foreign("expected rows, found none".into()));
    };
    let rows = results
        .bindings
        .iter()
        .map(|binding| {
            variables.iter().map(|variable| binding.get(*variable).map(Cell::term).transpose()).collect()
        })
        .collect::<Result<_, _>>()?;
    Ok(Rows { rows, cut: false })
}

fn read(json: &[u8]) -> Result<Document<'_>, Unread> {
    serde_json::from_slice(json).map_err(|error| match error.is_eof() {
        true => Unread::BrokenOff,
        false => Unread::Foreign(format!("these are not SPARQL results in JSON: {error}")),
    })
}

impl Cell<'_> {
    fn term(&self) -> Result<Term, Unread> {
        match &*self.kind {
            "uri" => Ok(Term::iri(&self.value)),
            "bnode" => Ok(Term::blank(&self.value)),
            // `typed-literal` is Virtuoso's.
            "literal" | "typed-literal" => {
                let kind = match (&self.language, &self.datatype) {
                    (Some(language), _) => format!("@{}", language.to_ascii_lowercase()),
                    (None, Some(datatype)) if **datatype != *XSD_STRING => datatype.to_string(),
                    _ => String::new(),
                };
                Ok(Term::Literal { lexical: (&*self.value).into(), kind: kind.into() })
            }
            other => Err(Unread::Foreign(format!("a term of an unknown kind: {other:?}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_from_both_dialects() {
        let json = br#"{"head":{"link":[],"vars":["a","b"]},"results":{"distinct":false,"bindings":[
            {"a":{"type":"uri","value":"urn:quipu:The%20Matrix"},
             "b":{"type":"typed-literal","datatype":"http://www.w3.org/2001/XMLSchema#gYear","value":"1999"}},
            {"b":{"type":"literal","xml:lang":"EN","value":"x\n"}},
            {"b":{"type":"literal","datatype":"http://www.w3.org/2001/XMLSchema#string","value":"plain"}}]}}"#;
        let rows = read_rows(json, &["a", "b", "c"]).unwrap().rows;
        let literal =
            |lexical: &str, kind: &str| Term::Literal { lexical: lexical.into(), kind: kind.into() };
        assert_eq!(rows[0][0], Some(Term::Entity("The Matrix".into())));
        assert_eq!(rows[0][1], Some(literal("1999", "http://www.w3.org/2001/XMLSchema#gYear")));
        assert_eq!(rows[1], [None, Some(literal("x\n", "@en")), None]);
        assert_eq!(rows[2][1], Some(literal("plain", "")));
    }

    #[test]
    fn what_is_no_result_is_told_from_what_broke_off() {
        assert_eq!(read_rows(br#"{"results":{"bindings":[{"a":{"type":"#, &["a"]), Err(Unread::BrokenOff));
        assert_eq!(read_rows(b"", &["a"]), Err(Unread::BrokenOff));
        for wrong in [
            r"<html>",
            r#"{"boolean":true}"#,
            r#"{"results":{"bindings":[{"a":{"type":"star","value":""}}]}}"#,
        ] {
            assert!(matches!(read_rows(wrong.as_bytes(), &["a"]), Err(Unread::Foreign(_))), "{wrong}");
        }
        assert_eq!(read_outcome(br#"{"head":{},"boolean":true}"#), Ok(Outcome::Truth(true)));
        let empty = br#"{"head":{"vars":["a"]},"results":{"bindings":[]}}"#;
        assert_eq!(read_outcome(empty), Ok(Outcome::Table(vec!["a".into()], Rows::default())));
    }
}
