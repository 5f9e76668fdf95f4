//! Random queries over random graphs: the store with its rewritten queries against the same
//! evaluator over a plain set of triples in memory, and against Oxigraph's server.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use oxrdf::{Dataset, Graph, GraphName, Quad, Term, Triple};
use oxrdfio::{RdfFormat, RdfParser};
use proptest::prelude::*;
use quipu_graph::{EmbeddedGraph, ImportConfig, Input, QueryFormat, QueryOptions};
use sparesults::{QueryResultsFormat, QueryResultsParser, ReaderQueryResultsParserOutput};
use spareval::{QueryEvaluator, QueryResults};
use spargebra::SparqlParser;

use crate::common;
use crate::endpoints::runtime;
use crate::servers::{self, Server};
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

/// A query, and the form of its results.
#[derive(Debug, Clone)]
struct Asked {
    text: String,
    form: Form,
}

#[derive(Debug, Clone, PartialEq)]
enum Form {
    /// Rows, or yes or no.
    Any,
    /// Rows by the values of this variable. Rows with equal values have no order.
    SortedBy(String),
    Triples,
}

impl Form {
    fn mime_type(&self) -> &'static str {
        if *self == Self::Triples { "application/n-triples" } else { "application/sparql-results+json" }
    }
}

/// The variables of rows.
const ALL: &str = "?a ?b ?c ?d ?n ?text";

fn query() -> impl Strategy<Value = Asked> {
    let asked = |form: Form| move |text: String| Asked { text, form: form.clone() };
    let distinct = || any::<bool>().prop_map(|distinct| if distinct { "DISTINCT " } else { "" });
    let sorted = (group(), distinct(), variable(), any::<bool>()).prop_map(|(group, distinct, by, falls)| {
        let key = if falls { format!("DESC({by})") } else { by.clone() };
        let text = format!("SELECT {distinct}{ALL} WHERE {{ {group} }} ORDER BY {key}");
        Asked { text, form: Form::SortedBy(by.trim_start_matches('?').to_owned()) }
    });
    // Without blank nodes, whose order nobody knows, the first rows are the same everywhere.
    let first = (group(), distinct(), 1..6_u8, 0..3_u8).prop_map(|(group, distinct, most, skipped)| {
        let named: String =
            VARIABLES.iter().map(|name| format!("FILTER(!BOUND(?{name}) || !isBlank(?{name})) ")).collect();
        format!(
            "SELECT {distinct}{ALL} WHERE {{ {group} {named}}} ORDER BY {ALL} LIMIT {most} OFFSET {skipped}"
        )
    });
    let made = (group(), subject(), object(), object()).prop_map(|(group, head, tail, other)| {
        format!("CONSTRUCT {{ {head} <urn:made> {tail} . {head} ?b {other} }} WHERE {{ {group} }}")
    });
    prop_oneof![
        6 => rows().prop_map(asked(Form::Any)),
        2 => sorted,
        2 => first.prop_map(asked(Form::Any)),
        2 => made.prop_map(asked(Form::Triples)),
    ]
}

fn rows() -> impl Strategy<Value = String> {
    let plain = (group(), any::<bool>()).prop_map(|(group, distinct)| {
        let distinct = if distinct { "DISTINCT " } else { "" };
        format!("SELECT {distinct}{ALL} WHERE {{ {group} }}")
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

/// Results in a form that can be compared, and the values of the sorted variable in their order.
type Compared = (Results, Vec<String>);

fn compared_rows(rows: Vec<BTreeMap<String, Term>>, form: &Form) -> Compared {
    let value = |row: &BTreeMap<String, Term>, of: &String| match row.get(of) {
        None => String::new(),
        Some(Term::BlankNode(_)) => "_:".to_owned(),
        Some(term) => term.to_string(),
    };
    let values = match form {
        Form::SortedBy(of) => rows.iter().map(|row| value(row, of)).collect(),
        _ => Vec::new(),
    };
    (Results::Solutions(canonical(rows, false, false)), values)
}

/// The evaluator's results over the triples alone.
fn plain(text: &str, asked: &Asked) -> Compared {
    let quads = RdfParser::from_format(RdfFormat::NTriples).for_reader(text.as_bytes());
    let dataset: Dataset =
        quads.map(|quad| Quad { graph_name: GraphName::DefaultGraph, ..quad.unwrap() }).collect();
    let query = SparqlParser::new().parse_query(&asked.text).unwrap();
    match QueryEvaluator::new().prepare(&query).execute(&dataset).unwrap() {
        QueryResults::Boolean(value) => (Results::Boolean(value), Vec::new()),
        QueryResults::Solutions(solutions) => {
            let rows = solutions.map(|solution| {
                let solution = solution.unwrap();
                solution.iter().map(|(name, term)| (name.as_str().to_owned(), term.clone())).collect()
            });
            compared_rows(rows.collect(), &asked.form)
        }
        QueryResults::Graph(triples) => {
            (Results::triples(triples.map(|triple| triple.unwrap()).collect()), Vec::new())
        }
    }
}

/// Results as they are written: triples, or JSON.
fn read(bytes: &[u8], form: &Form) -> Compared {
    if *form == Form::Triples {
        let quads = RdfParser::from_format(RdfFormat::NTriples).for_reader(bytes);
        let graph: Graph = quads.map(|quad| Triple::from(quad.unwrap())).collect();
        return (Results::triples(graph), Vec::new());
    }
    match QueryResultsParser::from_format(QueryResultsFormat::Json).for_reader(bytes).unwrap() {
        ReaderQueryResultsParserOutput::Boolean(value) => (Results::Boolean(value), Vec::new()),
        ReaderQueryResultsParserOutput::Solutions(solutions) => {
            let rows = solutions.map(|solution| {
                let solution = solution.unwrap();
                solution.iter().map(|(name, term)| (name.as_str().to_owned(), term.clone())).collect()
            });
            compared_rows(rows.collect(), form)
        }
    }
}

fn stored(graph: &EmbeddedGraph, asked: &Asked) -> Compared {
    let mut out = Vec::new();
    let format = if asked.form == Form::Triples { "ntriples" } else { "json" };
    let options = QueryOptions { format: QueryFormat::parse(format).unwrap(), ..QueryOptions::default() };
    graph.query(&asked.text, &options, &mut out).unwrap();
    read(&out, &asked.form)
}

async fn served(server: &Server, asked: &Asked) -> Compared {
    let request = reqwest::Client::new()
        .post(&server.url)
        .header("content-type", "application/sparql-query")
        .header("accept", asked.form.mime_type())
        .body(asked.text.clone());
    let reply = request.send().await.unwrap().error_for_status().unwrap();
    read(&reply.bytes().await.unwrap(), &asked.form)
}

fn ntriples(triples: &[String]) -> String {
    let mut text = String::new();
    for triple in triples {
        write!(text, "{triple}").unwrap();
    }
    text
}

/// Whether a query is valid: a variable may not be bound twice in one group.
fn is_valid(asked: &Asked) -> bool {
    SparqlParser::new().parse_query(&asked.text).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_store_answers_as_the_triples_alone_do(
        triples in prop::collection::vec(triple(), 1..30),
        queries in prop::collection::vec(query(), 20),
    ) {
        let text = ntriples(&triples);
        let (_folder, graph) = import(&text);
        for asked in queries.iter().filter(|asked| is_valid(asked)) {
            prop_assert_eq!(stored(&graph, asked), plain(&text, asked), "{}\nover\n{}", asked.text, text);
        }
    }
}

proptest! {
    // Each case starts a server.
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 100, ..ProptestConfig::default() })]

    #[test]
    fn the_store_answers_as_oxigraphs_server_does(
        triples in prop::collection::vec(triple(), 1..30),
        queries in prop::collection::vec(query(), 20),
    ) {
        // The server keeps decimals in their shortest form.
        let text = ntriples(&triples).replace(".50\"", ".5\"");
        let (_folder, graph) = import(&text);
        let (server, runtime) = (servers::oxigraph(&text), runtime());
        for asked in queries.iter().filter(|asked| is_valid(asked)) {
            let served = runtime.block_on(served(&server, asked));
            prop_assert_eq!(stored(&graph, asked), served, "{}\nover\n{}", asked.text, text);
        }
    }
}
