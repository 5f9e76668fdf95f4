//! The fast parser against oxrdfio: both give the same result for any line.

use oxrdfio::RdfFormat;
use proptest::prelude::*;

use super::ntriples::LineParser;
use super::{LineError, Sink, Tail, rdf};

#[derive(Default)]
struct Collected(Vec<String>);

impl Sink for Collected {
    fn triple(&mut self, head: &str, relation: &str, tail: Tail<'_>) -> Result<(), LineError> {
        self.0.push(format!("{head:?} {relation:?} {tail:?}"));
        Ok(())
    }

    fn document(&mut self, _: &str, _: &str) -> Result<(), LineError> {
        Ok(())
    }
}

/// The result of a line: its triples, or `None` if it is malformed.
fn outcome(parse: impl FnOnce(&mut Collected) -> Result<(), LineError>) -> Option<Vec<String>> {
    let mut sink = Collected::default();
    parse(&mut sink).ok().map(|()| sink.0)
}

fn check(format: RdfFormat, line: &str) {
    let mut parser = LineParser::new(format, 0);
    // Twice: the second time, the namespaces are known.
    for _ in 0..2 {
        let fast = outcome(|sink| parser.line(line, sink));
        let slow = outcome(|sink| rdf::line(format, line, 0, sink));
        assert_eq!(fast, slow, "{line}");
    }
}

fn iri() -> impl Strategy<Value = String> {
    prop_oneof![
        "<http://[a-z.]{1,8}/[A-Za-z0-9_.~()-]{0,8}>",
        "<[a-z]{0,4}:?/{0,2}[a-z0-9:@.]{0,8}[/#?]?[A-Za-z0-9%:@/#?é \\\\<\\[\\]-]{0,8}>",
        "<http://a\\.b/[a-z]{1,3}[/#][A-Za-z0-9_%é,!*'+=-]{0,6}>",
        Just("<http://example.org/é>".to_owned()),
        Just("_:b1".to_owned()),
        Just("<>".to_owned()),
    ]
}

fn literal() -> impl Strategy<Value = String> {
    let text = prop_oneof!["[ -~]{0,10}", "[a-zé\u{4e2d}]{0,6}", "(\\\\[tnr\"\\\\ux0-9]{1,5}|[a-z]){0,6}"];
    let kind = prop_oneof![
        Just(String::new()),
        "@[A-Za-z]{1,9}(-[A-Za-z0-9]{1,9})?",
        Just("@".to_owned()),
        Just("^^<http://www.w3.org/2001/XMLSchema#string>".to_owned()),
        Just("^^<http://www.w3.org/2001/XMLSchema#integer>".to_owned()),
        Just("^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>".to_owned()),
        iri().prop_map(|iri| format!("^^{iri}")),
    ];
    (text, kind).prop_map(|(text, kind)| format!("\"{text}\"{kind}"))
}

fn line() -> impl Strategy<Value = String> {
    let space = || prop_oneof![4 => Just(" "), 1 => Just("\t"), 1 => Just("  "), 1 => Just("")];
    let tail = prop_oneof![iri(), literal()];
    let end = prop_oneof![6 => Just("."), 1 => Just(""), 1 => Just(". # comment"), 1 => Just(". ."), 1 => Just(".\t")];
    let graph = prop_oneof![3 => Just(String::new()), 1 => iri()];
    (iri(), space(), iri(), space(), tail, space(), graph, space(), end).prop_map(
        |(head, s1, relation, s2, tail, s3, graph, s4, end)| {
            format!("{head}{s1}{relation}{s2}{tail}{s3}{graph}{s4}{end}")
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn both_ways_say_the_same(line in line()) {
        check(RdfFormat::NTriples, &line);
        check(RdfFormat::NQuads, &line);
    }

    #[test]
    fn both_ways_say_the_same_of_anything(line in "[<>\"_:.@^a-z \\\\#/]{0,30}") {
        check(RdfFormat::NTriples, &line);
    }
}

#[test]
fn usual_and_unusual_lines() {
    for line in [
        "<http://a/b> <http://a/c> <http://a/d> .",
        "<http://a/b><http://a/c><http://a/d>.",
        "<http://a/b> <http://a/c> \"d\"@en .",
        "<http://a/b> <http://a/c> \"d\"@EN-gb .",
        "<http://a/b> <http://a/c> \"d\"@x-private .",
        "<http://a/b> <http://a/c> \"\\u00e9\\n\" .",
        "<http://a/b> <http://a/c> \"1\"^^<http://www.w3.org/2001/XMLSchema#string> .",
        "_:b <http://a/c> _:c .",
        "<http://a:b/c> <http://a/c> <http://a/d> .",
        "<http://a/b%zz> <http://a/c> <http://a/d> .",
        "<//a/b> <http://a/c> <http://a/d> .",
        "# comment",
    ] {
        check(RdfFormat::NTriples, line);
        check(RdfFormat::NQuads, line);
    }
}
