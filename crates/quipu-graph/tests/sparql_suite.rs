//! W3C's tests of SPARQL 1.0 and 1.1 over the store. Quipu rewrites queries and serves the
//! evaluator's triples, so the results are compared with those of the standard's authors.
//!
//! Not covered, because Quipu lacks these features: named graphs (a graph has no name), updates,
//! SERVICE, entailment, protocol and service description.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use quipu_graph::{EmbeddedGraph, QueryFormat, QueryKind, QueryOptions, query_kind};
use sparesults::QueryResultsFormat;

use crate::common;
use crate::skip;
use crate::w3c::{Asks, Results, Test, folder, iri, read, tests};

const QUERIES_11: [&str; 13] = [
    "aggregates",
    "bind",
    "bindings",
    "construct",
    "csv-tsv-res",
    "exists",
    "functions",
    "grouping",
    "json-res",
    "negation",
    "project-expression",
    "property-path",
    "subquery",
];
const QUERIES_10: [&str; 23] = [
    "algebra",
    "ask",
    "basic",
    "bnode-coreference",
    "boolean-effective-value",
    "bound",
    "cast",
    "construct",
    "distinct",
    "expr-builtin",
    "expr-equals",
    "expr-ops",
    "i18n",
    "open-world",
    "optional",
    "optional-filter",
    "reduced",
    "regex",
    "solution-seq",
    "sort",
    "triple-match",
    "type-promotion",
    "graph",
];
const SYNTAX: [&str; 6] = [
    "sparql11/syntax-query",
    "dawg-data-r2/syntax-sparql1",
    "dawg-data-r2/syntax-sparql2",
    "dawg-data-r2/syntax-sparql3",
    "dawg-data-r2/syntax-sparql4",
    "dawg-data-r2/syntax-sparql5",
];

const STRING: &str = "^^<http://www.w3.org/2001/XMLSchema#string>";

/// Tests that fail, each with its reason. A test that passes must be removed from the list.
const NOT_MET: &[(&str, &str)] = &[
    ("basic/term-6", "SPARQL 1.1 reads a number's last point as the end of the triple"),
    ("basic/term-7", "SPARQL 1.1 reads a number's last point as the end of the triple"),
    ("syntax-sparql1/syntax-lit-08", "SPARQL 1.1 reads a number's last point as the end of the triple"),
    ("distinct/distinct-2", "in RDF 1.1 a text and an xsd:string are one"),
    ("distinct/distinct-9", "in RDF 1.1 a text and an xsd:string are one"),
    ("expr-builtin/dawg-datatype-2", "in RDF 1.1 a text with a language has a type"),
    ("functions/strdt03", "in RDF 1.1 a text and an xsd:string are one"),
    ("functions/strlang03", "in RDF 1.1 a text and an xsd:string are one"),
    ("expr-builtin/dawg-str-1", "functions take numbers by their value: STR(01) is 1"),
    ("expr-builtin/dawg-str-2", "functions take numbers by their value: STR(01) is 1"),
    ("open-world/date-2", "a date with a time zone is another one than the same without"),
    ("functions/bnode01", "BNODE of one text is one node in all solutions"),
    ("syntax-sparql2/syntax-esc-04", "escapes are read in IRIs and texts only"),
    ("syntax-sparql2/syntax-esc-05", "escapes are read in IRIs and texts only"),
    ("syntax-sparql3/syn-bad-26", "comparisons are read where the longest token would be an IRI"),
    ("csv-tsv-res/tsv03", "the data has 1.0E6, the results expect 1.0e6"),
];

fn import(folder: &Path, data: &[PathBuf]) -> EmbeddedGraph {
    let files: Vec<PathBuf> = data
        .iter()
        .enumerate()
        .map(|(number, file)| {
            let graph = read(file);
            let path = folder.join(format!("data{number}.nt"));
            let lines: Vec<String> = graph.iter().map(|triple| format!("{triple} .\n")).collect();
            std::fs::write(&path, lines.concat()).unwrap();
            path
        })
        .collect();
    common::import_files(folder, &files)
}

/// The results of a query over the store.
fn ask(graph: &EmbeddedGraph, query: &str, ordered: bool, lax: bool) -> Result<Results, String> {
    let mut out = Vec::new();
    let triples = query_kind(query).map_err(|error| error.to_string())? == QueryKind::Triples;
    let format = if triples { "ntriples" } else { "json" };
    let options = QueryOptions { format: QueryFormat::parse(format).unwrap(), ..QueryOptions::default() };
    graph.query(query, &options, &mut out).map_err(|error| error.to_string())?;
    if !triples {
        return Ok(Results::parsed(QueryResultsFormat::Json, &out, ordered, lax));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nt");
    std::fs::write(&path, out).unwrap();
    Ok(Results::triples(read(&path)))
}

fn run(test: &Test) -> Result<(), String> {
    let base = format!("BASE <{}>\n", iri(&test.query));
    let query = std::fs::read_to_string(&test.query).unwrap();
    let query = format!("{base}{query}");
    match &test.asks {
        Asks::Syntax { good } => match (query_kind(&query), good) {
            (Ok(_), true) | (Err(_), false) => Ok(()),
            (Ok(_), false) => Err("is read, and is no query".into()),
            (Err(error), true) => Err(error.to_string()),
        },
        Asks::Results { data, result, lax, .. } => {
            let folder = tempfile::tempdir().unwrap();
            let graph = import(folder.path(), data);
            if result.extension().is_some_and(|extension| extension == "csv" || extension == "tsv") {
                return as_text(&graph, &query, result);
            }
            let (expected, ordered) = Results::expected(result, *lax);
            let found = ask(&graph, &query, ordered, *lax)?;
            if found == expected { Ok(()) } else { Err(format!("gives {found:#?}, expected {expected:#?}")) }
        }
    }
}

/// CSV and TSV are compared line by line.
fn as_text(graph: &EmbeddedGraph, query: &str, result: &Path) -> Result<(), String> {
    let mut out = Vec::new();
    let format = result.extension().unwrap().to_str().unwrap();
    let options = QueryOptions { format: QueryFormat::parse(format).unwrap(), ..QueryOptions::default() };
    graph.query(query, &options, &mut out).map_err(|error| error.to_string())?;
    // Blank nodes may have any name, and since RDF 1.1 a plain string is an xsd:string.
    let cell = |cell: &str| if cell.starts_with("_:") { "_:b".into() } else { cell.replace(STRING, "") };
    let mark = if format == "csv" { "," } else { "\t" };
    let line = |line: &str| line.trim_end().split(mark).map(cell).collect::<Vec<String>>().join(mark);
    let lines = |text: &str| -> Vec<String> {
        let mut lines: Vec<String> = text.lines().map(line).collect();
        lines[1..].sort();
        lines
    };
    let found = lines(&String::from_utf8(out).unwrap());
    let expected = lines(&std::fs::read_to_string(result).unwrap());
    if found == expected { Ok(()) } else { Err(format!("gives {found:#?}, expected {expected:#?}")) }
}

/// Reason for tests that are not run: they concern updates and the like, or the working group did
/// not approve them.
const UNREAD: &str = "not approved, or no test of queries";
/// A store holds one graph.
const NAMED_GRAPHS: &str = "over named graphs";
/// An empty store cannot be made.
const NO_DATA: &str = "over no data";

/// The reason why a test is skipped.
fn left_out(test: &Test) -> Option<&'static str> {
    let Asks::Results { data, named, .. } = &test.asks else { return None };
    if *named {
        return Some(NAMED_GRAPHS);
    }
    let query = std::fs::read_to_string(&test.query).unwrap().to_uppercase();
    if query.split_whitespace().any(|word| word == "GRAPH" || word == "FROM") {
        return Some(NAMED_GRAPHS);
    }
    data.iter().all(|file| read(file).is_empty()).then_some(NO_DATA)
}

/// Runs the tests of some folders. The numbers of tests run and of tests skipped for each reason
/// must match, so that no change goes unnoticed.
fn check(folders: impl Iterator<Item = PathBuf>, asked: usize, left: &[(&str, usize)]) {
    let (mut met, mut unmet, mut wrong) = (0, 0, Vec::new());
    let mut others: BTreeMap<&str, usize> = left.iter().map(|(reason, _)| (*reason, 0)).collect();
    for folder in folders {
        let (tests, unread) = tests(&folder);
        *others.entry(UNREAD).or_default() += unread;
        for test in tests {
            if let Some(reason) = left_out(&test) {
                *others.entry(reason).or_default() += 1;
                continue;
            }
            let known = NOT_MET.iter().find(|(name, _)| *name == test.name);
            match (run(&test), known) {
                (Ok(()), None) => met += 1,
                (Ok(()), Some((name, _))) => wrong.push(format!("{name} is met: take it off the list")),
                (Err(_), Some(_)) => unmet += 1,
                (Err(error), None) => wrong.push(format!("{}: {error}", test.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {} are not met:\n{}", wrong.len(), met + wrong.len(), wrong.join("\n"));
    assert_eq!(met + unmet, asked, "tests were asked");
    assert_eq!(others, left.iter().copied().collect(), "tests were left out");
}

/// The folders below one of the suites.
fn below(suite: &str, folders: &[&str]) -> Option<Vec<PathBuf>> {
    let Some(folder) = folder() else {
        skip::skip("W3C's tests of SPARQL are missing; `make setup` fetches them");
        return None;
    };
    Some(folders.iter().map(|name| folder.join(suite).join(name)).collect())
}

#[test]
fn queries_of_the_standard_give_what_it_expects() {
    if let Some(folders) = below("sparql11", &QUERIES_11) {
        check(folders.into_iter(), 177, &[(UNREAD, 0), (NAMED_GRAPHS, 12), (NO_DATA, 3)]);
    }
}

#[test]
fn queries_of_the_first_standard_give_what_it_expects() {
    if let Some(folders) = below("dawg-data-r2", &QUERIES_10) {
        check(folders.into_iter(), 212, &[(UNREAD, 4), (NAMED_GRAPHS, 18)]);
    }
}

#[test]
fn queries_are_read_and_refused_as_the_standard_says() {
    if let Some(folders) = below("", &SYNTAX) {
        check(folders.into_iter(), 285, &[(UNREAD, 0)]);
    }
}
