//! Checks on the contexts of JSON-LD: their terms stand for short IRIs, and few terms stand for
//! each other in a row.

use std::collections::HashMap;

use serde_json::Value;

use super::LONGEST_NAMESPACE;
use super::turtle::has_scheme;

/// Most terms that stand for each other in a row. The parser follows them by recursion.
const LONGEST_CHAIN: usize = 32;
const VOCABULARY: &str = "@vocab";
const BASE: &str = "@base";

/// The contexts that hold at a place of a file.
#[derive(Default)]
pub(super) struct Scopes {
    /// Length of the IRI that each term stands for, by the depth of the context.
    terms: Vec<(usize, HashMap<String, usize>)>,
}

/// The texts that may define each term of a context.
struct Definitions<'a> {
    texts: HashMap<&'a str, Vec<&'a str>>,
    outer: &'a Scopes,
    /// Length of each term's IRI; `None` while it is looked for.
    found: HashMap<&'a str, Option<usize>>,
}

impl Scopes {
    /// Takes a context that stands at this depth.
    pub(super) fn declare(&mut self, context: &[u8], depth: usize) -> Result<(), String> {
        let context: Value = serde_json::from_slice(context)
            .map_err(|error| format!("a @context that cannot be read: {error}"))?;
        let mut definitions = Definitions { texts: texts(&context), outer: self, found: HashMap::new() };
        let terms: Vec<&str> = definitions.texts.keys().copied().collect();
        let mut lengths = HashMap::with_capacity(terms.len());
        for term in terms {
            let length = definitions.length(term, 0)?;
            if length > LONGEST_NAMESPACE {
                let shown: String = term.chars().take(40).collect();
                return Err(format!(
                    "a @context whose term {shown} has an IRI of {length} bytes; at most {LONGEST_NAMESPACE} are \
                     read"
                ));
            }
            lengths.insert(term.to_owned(), length);
        }
        self.terms.push((depth, lengths));
        Ok(())
    }

    /// Forgets the contexts of objects that are closed.
    pub(super) fn leave(&mut self, depth: usize) {
        while self.terms.last().is_some_and(|(of, _)| *of > depth) {
            self.terms.pop();
        }
    }

    fn length(&self, term: &str) -> Option<usize> {
        self.terms.iter().rev().find_map(|(_, lengths)| lengths.get(term).copied())
    }
}

/// The texts of each key's value anywhere in a context.
fn texts(context: &Value) -> HashMap<&str, Vec<&str>> {
    let mut texts: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut left = vec![context];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(values) => left.extend(values),
            Value::Object(entries) => {
                for (term, value) in entries {
                    let own = texts.entry(term).or_default();
                    own.extend(value.as_str());
                    own.extend(
                        value.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_str()),
                    );
                    if term.contains(':') {
                        own.push(term);
                    }
                    left.push(value);
                }
            }
            _ => {}
        }
    }
    texts.retain(|term, _| !term.starts_with('@') || matches!(*term, VOCABULARY | BASE));
    texts
}

impl<'a> Definitions<'a> {
    /// Length of the IRI that a term stands for, at most.
    fn length(&mut self, term: &'a str, chain: usize) -> Result<usize, String> {
        if let Some(found) = self.found.get(term) {
            return found.ok_or_else(|| "a @context whose terms refer to each other in a circle".into());
        }
        let Some(texts) = self.texts.get(term).cloned() else {
            return Ok(self.outer.length(term).unwrap_or_default());
        };
        if chain > LONGEST_CHAIN {
            return Err(format!(
                "a @context with a chain of more than {LONGEST_CHAIN} terms that refer to each other"
            ));
        }
        self.found.insert(term, None);
        let (mut longest, mut within) = (0, self.outer.length(term).unwrap_or_default());
        for text in texts.into_iter().filter(|text| !text.starts_with('@')) {
            match self.prefix(text) {
                // It stands within what it stood for before.
                Some(prefix) if prefix == term => within = within.saturating_add(text.len()),
                Some(prefix) => {
                    longest = self.length(prefix, chain + 1)?.saturating_add(text.len()).max(longest);
                }
                None => longest = longest.max(text.len()),
            }
        }
        if within > self.outer.length(term).unwrap_or_default() {
            longest = longest.max(within);
        }
        self.found.insert(term, Some(longest));
        Ok(longest)
    }

    /// The term that a text's IRI begins with.
    fn prefix(&self, text: &'a str) -> Option<&'a str> {
        let known = |term: &str| self.texts.contains_key(term) || self.outer.length(term).is_some();
        let prefix = text.split_once(':').map(|(prefix, _)| prefix).filter(|prefix| known(prefix));
        let whole = || Some(text).filter(|text| known(text));
        let relative = || if known(VOCABULARY) { VOCABULARY } else { BASE };
        prefix.or_else(whole).or_else(|| (!has_scheme(text.as_bytes())).then(relative))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(contexts: &[&str], expected: Option<&str>) {
        let mut scopes = Scopes::default();
        let outcome = contexts
            .iter()
            .zip(1..)
            .try_for_each(|(context, depth)| scopes.declare(context.as_bytes(), depth));
        match (outcome, expected) {
            (Ok(()), None) => {}
            (Err(reason), Some(says)) => assert!(reason.contains(says), "{reason}"),
            (outcome, expected) => panic!("{outcome:?}, not {expected:?}"),
        }
    }

    #[test]
    fn usual_contexts_are_taken() {
        check(
            &[
                r#"{"@vocab": "http://schema.org/", "@base": "http://e.org/", "xsd": "http://www.w3.org/2001/XMLSchema#",
                   "name": "name", "date": {"@id": "schema:date", "@type": "xsd:date"}, "schema": {"@id": "http://schema.org/"},
                   "xsd:integer": {"@type": "@id"}, "id": "@id", "by": {"@reverse": "made", "@context": {"name": "xsd:name"}}}"#,
                r##"["https://schema.org", {"@vocab": "#", "label": "xsd:label", "name": null}]"##,
            ],
            None,
        );
    }

    #[test]
    fn namespaces_are_short_also_when_they_stand_within_each_other() {
        let half = "x".repeat(LONGEST_NAMESPACE / 2 + 1);
        let whole = format!(r#"{{"p": "e:{half}{half}"}}"#);
        check(&[&whole], Some("term p"));
        let (outer, inner) =
            (format!(r#"{{"p": "e:{half}"}}"#), format!(r#"{{"q": {{"@id": "p:{half}"}}}}"#));
        check(&[&outer], None);
        check(&[&outer, &inner], Some("term q"));
        check(&[&format!("[{outer}, {inner}]")], Some("term q"));
        let vocabulary = format!(r#"{{"@vocab": "{half}"}}"#);
        check(&[&vocabulary, &vocabulary], Some("@vocab"));
        check(&[&vocabulary, &format!(r#"{{"p": "{half}"}}"#)], Some("term p"));
    }

    #[test]
    fn few_terms_stand_for_each_other() {
        let chain = |length: usize| {
            let terms: Vec<String> = (0..length).map(|at| format!(r#""t{at}": "t{}:x""#, at + 1)).collect();
            format!("{{{}, \"t{length}\": \"http://e.org/\"}}", terms.join(", "))
        };
        check(&[&chain(LONGEST_CHAIN / 2)], None);
        check(&[&chain(50_000)], Some("refer to each other"));
        check(&[r#"{"a": "b:x", "b": "a:x"}"#], Some("circle"));
        check(&[&"[".repeat(200)], Some("cannot be read"));
    }
}
