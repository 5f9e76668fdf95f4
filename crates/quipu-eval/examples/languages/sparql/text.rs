//! Parses a text as a query and declares missing prefixes. If that fails, it parses the text again
//! with its slips repaired ([`super::slips`]).

use std::collections::BTreeSet;

use quipu_query::QueryError;
use spargebra::{Query, SparqlParser};

use super::slips::mended;

/// Namespace for undeclared prefixes: only local names count.
pub const ANY: &str = "urn:any:";
/// Prefixes with their usual meaning.
pub const XSD: &str = "http://www.w3.org/2001/XMLSchema#";
pub const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

/// Parses a query; if that fails, again with its slips repaired. `is_known` returns whether a word
/// is a class or property.
pub fn read(text: &str, is_known: &dyn Fn(&str) -> bool) -> Result<Query, QueryError> {
    let again = |error| parse(&mended(text, is_known)).map_err(|_| error);
    parse(text).or_else(again).map_err(QueryError::Refused)
}

fn parse(text: &str) -> Result<Query, String> {
    let mut parser = SparqlParser::new();
    for prefix in prefixes(text) {
        let iri = match prefix.as_str() {
            "xsd" => XSD,
            "rdf" => RDF,
            _ => ANY,
        };
        parser = parser.with_prefix(prefix, iri).map_err(|error| error.to_string())?;
    }
    parser.parse_query(text).map_err(|error| format!("this is no SPARQL: {error}"))
}

/// The prefixes that a text uses.
fn prefixes(text: &str) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = ["", "rdfs", "rdf", "xsd"].map(str::to_owned).into();
    for part in outside_strings(text) {
        for (at, _) in part.match_indices(':') {
            let before = part.get(..at).unwrap_or_default();
            let start = before.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'));
            let word = before.get(start.map_or(0, |start| start + 1)..).unwrap_or_default();
            if word.starts_with(|c: char| c.is_ascii_alphabetic()) && !before.ends_with("<http") {
                found.insert(word.to_owned());
            }
        }
    }
    found
}

/// The quoted texts, and the local names of prefixed names as texts.
pub fn texts_of(text: &str) -> Vec<String> {
    let inside = text.split('"').skip(1).step_by(2).map(str::to_owned);
    let local = |word: &str| Some(spoken(word.split_once(':')?.1));
    let outside = outside_strings(text);
    let names = outside.iter().flat_map(|part| part.split_whitespace()).filter_map(local);
    inside.chain(names).filter(|text| !text.is_empty()).collect()
}

fn outside_strings(text: &str) -> Vec<&str> {
    text.split('"').step_by(2).collect()
}

/// A local name as words: `Harbour_Pie` is "Harbour Pie".
pub fn spoken(local: &str) -> String {
    local.replace(['_', '+'], " ").replace("%20", " ")
}

#[cfg(test)]
mod tests {
    use super::{prefixes, read, texts_of};

    #[test]
    fn prefixes_need_no_declaration() {
        let text = "SELECT ?x WHERE { ?x a ex:Ship ; rdfs:label \"a:b\" ; :flag \"red\" }";
        assert_eq!(prefixes(text).into_iter().collect::<Vec<_>>(), ["", "ex", "rdf", "rdfs", "xsd"]);
        assert!(read(text, &|_| false).is_ok());
        assert!(read("PREFIX s: <http://example.org/> SELECT ?x { ?x a s:Ship }", &|_| false).is_ok());
        assert!(read("SELECT WHERE ?x", &|_| false).is_err());
        assert_eq!(
            texts_of("?x :port :Old_Velm ; rdfs:label \"Gull\""),
            ["Gull", "port", "Old Velm", "label"]
        );
    }
}
