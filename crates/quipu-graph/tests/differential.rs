//! Random queries over random graphs: the store with its rewritten queries against the same
//! evaluator over a plain set of triples in memory.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use oxrdf::{Dataset, GraphName, Quad};
use oxrdfio::{RdfFormat, RdfParser};
use proptest::prelude::*;
use quipu_graph::{EmbeddedGraph, ImportConfig, Input, QueryFormat, QueryOptions};
use sparesults::QueryResultsFormat;
use spareval::{QueryEvaluator, QueryResults};
use spargebra::SparqlParser;

use crate::common;
use crate::w3c::{Results, canonical};

/// Few entities, relations and values, so that patterns match.
const ENTITIES: u8 = 6;
const RELATIONS: u8 = 3;
const VARIABLES: [&str; 4] = ["a", "b", "c", "d"];

fn triple() -> impl Strategy<Value = String> {
    let tail = prop_oneof![
        4 => (0..ENTITIES).prop_map(|number| format!("<urn:e{number}>")),
        2 => (0..4_u8).prop_map(|number| format!("\"{number}\"^^<http://www.w3.org/2001/XMLSchema#integer>")),
        1 => (0..3_u8).prop_map(|number| format!("\"text {number}\"")),
        1 => (0..2_u8).prop_map(|number| format!("\"text {number}\"@en")),
        1 => (1..4_u8).prop_map(|day| format!("\"2001-01-0{day}\"^^<http://www.w3.org/2001/XMLSchema#date>")),
        1 => (0..3_u8).prop_map(|number| format!("\"{number}.50\"^^<http://www.w3.org/2001/XMLSchema#decimal>")),
        1 => any::<bool>().prop_map(|flag| format!("\"{flag}\"^^<http://www.w3.org/2001/XMLSchema#boolean>")),
        1 => (0..2_u8).prop_map(|number| format!("_:blank{number}")),
        1 => (0..RELATIONS).prop_map(|number| format!("<urn:r{number}>")),
    ];
    let head =
        prop_oneof![6 => (0..ENTITIES).prop_map(|n| format!("<urn:e{n}>")), 1 => Just("_:blank0".to_owned())];
    (head, 0..RELATIONS, tail)
        .prop_map(|(head, relation, tail)| format!("{head} <urn:r{relation}> {tail} .\n"))
}

fn variable() -> impl Strategy<Value = String> {
    prop::sample::select(&VARIABLES[..]).prop_map(|name| format!("?{name}"))
}

fn subject() -> impl Strategy<Value = String> {
    prop_oneof![3 => variable(), 1 => (0..ENTITIES).prop_map(|number| format!("<urn:e{number}>"))]
}

fn object() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => subject(),
        1 => (0..4_u8).prop_map(|number| number.to_string()),
        1 => (0..3_u8).prop_map(|number| format!("\"text {number}\"")),
    ]
}

fn predicate() -> impl Strategy<Value = String> {
    let one = || (0..RELATIONS).prop_map(|number| format!("<urn:r{number}>"));
    prop_oneof![
        6 => one(),
        2 => variable(),
        1 => (one(), one()).prop_map(|(first, then)| format!("{first}/{then}")),
        1 => (one(), one()).prop_map(|(first, other)| format!("({first}|^{other})")),
        1 => one().prop_map(|step| format!("{step}+")),
        1 => one().prop_map(|step| format!("{step}*")),
        1 => one().prop_map(|step| format!("{step}?")),
        1 => one().prop_map(|step| format!("!({step}|^{step})")),
    ]
}

fn expression() -> impl Strategy<Value = String> {
    let value = || prop_oneof![3 => variable(), 1 => (0..4_u8).prop_map(|number| number.to_string())];
    prop_oneof![
        (value(), prop::sample::select(&["=", "!=", "<", ">="][..]), value())
            .prop_map(|(left, operator, right)| format!("{left} {operator} {right}")),
        (variable(), 1..4_u8).prop_map(|(of, day)| {
            format!("{of} >= \"2001-01-0{day}\"^^<http://www.w3.org/2001/XMLSchema#date>")
        }),
        variable().prop_map(|of| format!("BOUND({of})")),
        variable().prop_map(|of| format!("isLiteral({of})")),
        variable().prop_map(|of| format!("STRLEN(STR({of})) > 5")),
        (value(), value()).prop_map(|(left, right)| format!("COALESCE({left} + {right}, 7) > 3")),
        (variable(), 0..4_u8).prop_map(|(of, number)| format!("{of} IN ({number}, <urn:e{number}>)")),
        (variable(), variable()).prop_map(|(of, then)| format!("IF(BOUND({of}), {of} = {then}, true)")),
    ]
}

/// A group of patterns, nested a few levels deep.
fn group() -> impl Strategy<Value = String> {
    let triple = || (subject(), predicate(), object()).prop_map(|(s, p, o)| format!("{s} {p} {o} . "));
    let leaf = prop::collection::vec(triple(), 1..4).prop_map(|lines| lines.concat());
    leaf.prop_recursive(3, 12, 3, move |inner| {
        let inner = inner.boxed();
        let i = || inner.clone();
        prop_oneof![
            (i(), i()).prop_map(|(left, right)| format!("{left} OPTIONAL {{ {right} }} ")),
            (i(), i()).prop_map(|(left, right)| format!("{{ {left} }} UNION {{ {right} }} ")),
            (i(), i()).prop_map(|(left, right)| format!("{left} MINUS {{ {right} }} ")),
            (i(), expression()).prop_map(|(inner, filter)| format!("{inner} FILTER({filter}) ")),
            (i(), i(), any::<bool>()).prop_map(|(left, right, not)| {
                let not = if not { "NOT " } else { "" };
                format!("{left} FILTER {not}EXISTS {{ {right} }} ")
            }),
            (i(), variable(), 0..4_u8).prop_map(|(inner, of, number)| {
                format!("{{ {inner} }} VALUES {of} {{ {number} <urn:e{number}> UNDEF }} ")
            }),
            (i(), variable()).prop_map(|(inner, of)| format!("{{ {inner} }} BIND(STR({of}) AS ?text) ")),
            (i(), variable()).prop_map(|(inner, of)| {
                format!("{{ SELECT {of} (COUNT(*) AS ?n) WHERE {{ {inner} }} GROUP BY {of} }} ")
            }),
            (i(), variable())
                .prop_map(|(inner, of)| format!("{{ SELECT DISTINCT {of} WHERE {{ {inner} }} }} ")),
        ]
    })
}

fn query() -> impl Strategy<Value = String> {
    let plain = (group(), any::<bool>()).prop_map(|(group, distinct)| {
        let distinct = if distinct { "DISTINCT " } else { "" };
        format!("SELECT {distinct}?a ?b ?c ?d ?n ?text WHERE {{ {group} }}")
    });
    let grouped = (group(), variable(), variable()).prop_map(|(group, by, of)| {
        format!(
            "SELECT {by} (COUNT({of}) AS ?count) (COUNT(DISTINCT {of}) AS ?kinds) (SUM(?n) AS ?sum) WHERE {{ {group} }} \
             GROUP BY {by} HAVING(COUNT(*) > 1)"
        )
    });
    let counted = group().prop_map(|group| format!("SELECT (COUNT(*) AS ?count) WHERE {{ {group} }}"));
    let asked = group().prop_map(|group| format!("ASK {{ {group} }}"));
    prop_oneof![6 => plain, 2 => grouped, 1 => counted, 1 => asked]
}

fn import(text: &str) -> (tempfile::TempDir, EmbeddedGraph) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.nt");
    std::fs::write(&path, text).unwrap();
    let graph = common::import_with(folder.path(), &ImportConfig::new("random", vec![Input::File(path)]));
    (folder, graph)
}

/// The evaluator's results over the triples alone.
fn plain(text: &str, query: &str) -> Results {
    let quads = RdfParser::from_format(RdfFormat::NTriples).for_reader(text.as_bytes());
    let dataset: Dataset =
        quads.map(|quad| Quad { graph_name: GraphName::DefaultGraph, ..quad.unwrap() }).collect();
    let query = SparqlParser::new().parse_query(query).unwrap();
    match QueryEvaluator::new().prepare(&query).execute(&dataset).unwrap() {
        QueryResults::Boolean(value) => Results::Boolean(value),
        QueryResults::Solutions(solutions) => {
            let rows: Vec<BTreeMap<_, _>> = solutions
                .map(|solution| {
                    let solution = solution.unwrap();
                    solution.iter().map(|(name, term)| (name.as_str().to_owned(), term.clone())).collect()
                })
                .collect();
            Results::Solutions(canonical(rows, false, false))
        }
        QueryResults::Graph(_) => panic!("no CONSTRUCT was asked"),
    }
}

fn stored(graph: &EmbeddedGraph, query: &str) -> Results {
    let mut out = Vec::new();
    let options = QueryOptions { format: QueryFormat::parse("json").unwrap(), ..QueryOptions::default() };
    graph.query(query, &options, &mut out).unwrap();
    Results::parsed(QueryResultsFormat::Json, &out, false, false)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_store_answers_as_the_triples_alone_do(
        triples in prop::collection::vec(triple(), 1..30),
        queries in prop::collection::vec(query(), 20),
    ) {
        let mut text = String::new();
        for triple in &triples {
            write!(text, "{triple}").unwrap();
        }
        let (_folder, graph) = import(&text);
        for query in queries {
            // A variable may not be bound twice in one group, so such a query is invalid.
            if SparqlParser::new().parse_query(&query).is_err() {
                continue;
            }
            prop_assert_eq!(stored(&graph, &query), plain(&text, &query), "{}\nover\n{}", query, text);
        }
    }
}
