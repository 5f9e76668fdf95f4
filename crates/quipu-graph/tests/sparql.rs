//! SPARQL over the store: results, formats, names that are no IRIs, limits.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use crate::common;
use std::sync::atomic::Ordering;
use std::time::Duration;

use quipu_graph::{EmbeddedGraph, GraphError, QueryFormat, QueryGraphs, QueryOptions, query_kind};

const TURTLE: &str = r#"@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:lima a ex:City ; rdfs:label "Lima"@en ; ex:in ex:peru ; ex:people 10092000 .
ex:cusco a ex:City ; rdfs:label "Cusco" ; ex:in ex:peru ; ex:people 428450 .
ex:peru rdfs:label "Peru"@en ; ex:borders _:b .
ex:in rdfs:label "lies in" ; ex:in ex:vocabulary .
"#;

fn graph() -> (tempfile::TempDir, EmbeddedGraph) {
    import("graph.ttl", TURTLE)
}

fn import(name: &str, content: &str) -> (tempfile::TempDir, EmbeddedGraph) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    let graph = common::import_files(folder.path(), &[path]);
    (folder, graph)
}

fn run(graph: &EmbeddedGraph, format: &str, query: &str) -> String {
    let mut out = Vec::new();
    let options = QueryOptions { format: QueryFormat::parse(format).unwrap(), ..QueryOptions::default() };
    graph.query(&format!("PREFIX ex: <http://example.org/> {query}"), &options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn check(query: &str, expected: &[&str]) {
    let (_folder, graph) = graph();
    let text = run(&graph, "csv", query);
    let mut rows: Vec<&str> = text.lines().skip(1).collect();
    if !query.contains("ORDER BY") {
        rows.sort_unstable();
    }
    assert_eq!(rows, expected, "{query}");
}

#[test]
fn graphs_that_a_request_names_stand_in_for_those_of_the_query() {
    let (_folder, graph) = graph();
    let rows = |query: &str, default: &[&str], named: &[&str]| {
        let owned = |iris: &[&str]| iris.iter().map(|iri| (*iri).to_owned()).collect();
        let graphs = QueryGraphs { default: owned(default), named: owned(named) };
        graph.query_over(&graphs, query, &QueryOptions::default(), &mut Vec::new())
    };
    let all = "SELECT * { ?s ?p ?o }";
    assert!(rows(all, &[], &[]).unwrap() > 5);
    // An imported graph has no name, so it is none of these.
    assert_eq!(rows(all, &["http://example.org/g"], &[]).unwrap(), 0);
    assert_eq!(rows(all, &[], &["http://example.org/g"]).unwrap(), 0);
    assert_eq!(rows("SELECT * FROM <http://example.org/g> { ?s ?p ?o }", &[], &[]).unwrap(), 0);
    let wrong = rows(all, &["no iri"], &[]).unwrap_err().to_string();
    assert!(wrong.contains("no graph is called"), "{wrong}");
}

#[test]
fn patterns_bound_in_every_way_find_their_triples() {
    check("SELECT ?o { ex:lima ex:in ?o }", &["http://example.org/peru"]);
    check("SELECT ?s { ?s ex:in ex:peru }", &["http://example.org/cusco", "http://example.org/lima"]);
    check("SELECT ?p { ex:lima ?p ex:peru }", &["http://example.org/in"]);
    check("SELECT ?s { ?s ?p ex:City }", &["http://example.org/cusco", "http://example.org/lima"]);
    check("SELECT ?o { ?s ex:people ?o }", &["10092000", "428450"]);
    check("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", &["12"]);
    check("SELECT (COUNT(*) AS ?n) { ex:lima ?p ?o }", &["4"]);
    check("SELECT ?s { ?s ex:people 428450 }", &["http://example.org/cusco"]);
    check("SELECT ?s { ?s rdfs:label \"Lima\"@en }", &["http://example.org/lima"]);
    check("SELECT ?s { ?s rdfs:label \"Lima\" }", &[]);
    check("SELECT ?s { ?s ex:nothing ?o }", &[]);
    check("SELECT ?s { GRAPH ?g { ?s ?p ?o } }", &[]);
}

#[test]
fn relations_that_are_nodes_join_with_themselves() {
    check("SELECT ?l { ex:lima ?p ex:peru . ?p rdfs:label ?l }", &["lies in"]);
    check("SELECT ?v { ex:lima ?p ex:peru . ?p ?p ?v }", &["http://example.org/vocabulary"]);
}

#[test]
fn queries_join_filter_aggregate_and_sort() {
    check(
        "SELECT ?name { ?c ex:in/rdfs:label \"Peru\"@en ; rdfs:label ?name ; ex:people ?n FILTER(?n > 1000000) }",
        &["Lima"],
    );
    check("SELECT (SUM(?n) AS ?sum) { ?c ex:people ?n }", &["10520450"]);
    check("SELECT ?n { ?c ex:people ?n } ORDER BY DESC(?n) LIMIT 1", &["10092000"]);
}

#[test]
fn dates_times_and_durations_are_values() {
    let turtle = r#"@prefix ex: <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:a ex:on "2001-03-05"^^xsd:date ; ex:at "09:30:00"^^xsd:time ; ex:takes "PT90M"^^xsd:dayTimeDuration .
ex:b ex:on "1999-12-31"^^xsd:date ; ex:at "11:00:00"^^xsd:time ; ex:takes "PT2H"^^xsd:dayTimeDuration .
"#;
    let (_folder, graph) = import("dates.ttl", turtle);
    let one = |query: &str| run(&graph, "csv", query).lines().skip(1).collect::<Vec<_>>().join(" ");
    let (a, b) = ("http://example.org/a", "http://example.org/b");
    assert_eq!(one("SELECT ?s { ?s ex:on ?d FILTER(?d > \"2001-01-01\"^^xsd:date) }"), a);
    assert_eq!(one("SELECT ?s { ?s ex:at ?t FILTER(?t > \"10:00:00\"^^xsd:time) }"), b);
    assert_eq!(one("SELECT ?s { ?s ex:takes ?t FILTER(?t < \"PT100M\"^^xsd:dayTimeDuration) }"), a);
    let added = "SELECT (?d + \"P1D\"^^xsd:dayTimeDuration AS ?next) { ex:b ex:on ?d }";
    assert_eq!(one(added), "2000-01-01");
    assert_eq!(one("SELECT ?s { ?s ex:on ?d } ORDER BY ?d LIMIT 1"), b);
}

#[test]
fn results_come_in_every_format() {
    let (_folder, graph) = graph();
    assert_eq!(run(&graph, "table", "ASK { ex:lima ex:in ex:peru }"), "true\n");
    assert!(run(&graph, "json", "ASK { ex:peru ex:in ex:lima }").contains("false"));
    let table = run(&graph, "table", "SELECT ?c ?n { ?c ex:people ?n } ORDER BY ?n");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["?c", "?n"]);
    assert_eq!(lines[2].split_whitespace().collect::<Vec<_>>(), ["<http://example.org/cusco>", "428450"]);
    assert!(run(&graph, "json", "SELECT ?n { ex:cusco ex:people ?n }").contains("\"value\":\"428450\""));
    let construct = "CONSTRUCT { ?c ex:home ?p } { ?c ex:in ?p FILTER(?c = ex:lima) }";
    let triple = "<http://example.org/lima> <http://example.org/home> <http://example.org/peru> .\n";
    assert_eq!(run(&graph, "ntriples", construct), triple);
    assert_eq!(run(&graph, "csv", construct).lines().count(), 2);
    assert!(run(&graph, "ntriples", "DESCRIBE ex:cusco").lines().count() >= 4);
}

#[test]
fn names_that_are_no_iris_are_known_by_quipu_iris() {
    let (_folder, graph) =
        import("graph.tsv", "Lima\tcapital of\tPeru\nMission: Impossible\tdirected by\tBrian De Palma\n");
    let rows =
        run(&graph, "csv", "SELECT ?f { ?f <urn:quipu:directed%20by> <urn:quipu:Brian%20De%20Palma> }");
    assert_eq!(rows.lines().nth(1), Some("urn:quipu:Mission%3A%20Impossible"));
    assert_eq!(run(&graph, "table", "ASK { quipu:Lima ?p quipu:Peru }"), "true\n");
}

#[test]
fn a_bad_query_says_what_is_wrong() {
    let (_folder, graph) = graph();
    let error = graph.query("SELEKT *", &QueryOptions::default(), &mut std::io::sink()).unwrap_err();
    assert!(matches!(&error, GraphError::Usage(reason) if reason.contains("did you mean SELECT")), "{error}");
    let options = QueryOptions { format: QueryFormat::NTriples, ..QueryOptions::default() };
    for query in ["SELECT * { ?s ?p ?o }", "ASK { ?s ?p ?o }"] {
        let mut out = Vec::new();
        let error = graph.query(query, &options, &mut out).unwrap_err();
        assert!(error.to_string().contains("CONSTRUCT") && out.is_empty(), "{query}: {error}");
    }
}

#[test]
fn a_query_ends_when_its_time_is_over_or_it_is_cancelled() {
    let (_folder, graph) = graph();
    let all = "SELECT * { ?a ?b ?c }";
    let options = QueryOptions { timeout: Some(Duration::ZERO), ..QueryOptions::default() };
    let error = graph.query(all, &options, &mut std::io::sink()).unwrap_err();
    assert!(error.to_string().contains("longer than 0 s"), "{error}");
    let options = QueryOptions::default();
    options.cancel.store(true, Ordering::Relaxed);
    let error = graph.query(all, &options, &mut std::io::sink()).unwrap_err();
    assert!(matches!(error, GraphError::Cancelled), "{error}");
}

/// Cancels its query on the first write.
struct Impatient(std::sync::Arc<std::sync::atomic::AtomicBool>);

impl std::io::Write for Impatient {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.store(true, Ordering::Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_query_is_cancelled_while_it_writes() {
    let dense: String = (0..10_000).map(|i| format!("e{}\tr\te{}\n", i / 100, i % 100)).collect();
    let (_folder, graph) = import("graph.tsv", &dense);
    let options = QueryOptions { format: QueryFormat::Csv, ..QueryOptions::default() };
    let query = "SELECT ?a ?d { ?a ?p ?b . ?b ?q ?c . ?c ?r ?d }";
    let error = graph.query(query, &options, &mut Impatient(options.cancel.clone())).unwrap_err();
    assert!(matches!(error, GraphError::Cancelled), "{error}");
}

/// A join of data that is already in memory reads nothing, but must still stop.
#[test]
fn a_product_ends_when_its_time_is_over() {
    let (_folder, graph) = graph();
    let patterns: String = (0..16).map(|n| format!("?a{n} ?b{n} ?c{n} . ")).collect();
    let values: String =
        (0..8).map(|n| format!("{{ VALUES ?v{n} {{ {} }} }} ", "1 2 3 4 5 6 7 8 9 ".repeat(9))).collect();
    for product in [patterns, values] {
        let query = format!("SELECT (COUNT(*) AS ?n) {{ {product} }}");
        let options = QueryOptions { timeout: Some(Duration::from_millis(100)), ..QueryOptions::default() };
        let error = graph.query(&query, &options, &mut std::io::sink()).unwrap_err();
        assert!(error.to_string().contains("longer than 0.1 s"), "{error}");
    }
}

#[test]
fn more_rows_than_allowed_are_an_error() {
    let (_folder, graph) = graph();
    for (query, format) in
        [("SELECT * { ?a ?b ?c }", "json"), ("CONSTRUCT { ?a ?b ?c } WHERE { ?a ?b ?c }", "ntriples")]
    {
        let format = QueryFormat::parse(format).unwrap();
        let options = QueryOptions { rows: Some(2), format, ..QueryOptions::default() };
        let error = graph.query(query, &options, &mut std::io::sink()).unwrap_err();
        assert!(error.to_string().contains("more than 2"), "{error}");
        let options = QueryOptions { rows: Some(2), format, ..QueryOptions::default() };
        assert_eq!(graph.query(&format!("{query} LIMIT 2"), &options, &mut std::io::sink()).unwrap(), 2);
    }
}

/// The error of a query with the whole test time and this much memory.
fn ended(graph: &EmbeddedGraph, query: &str, memory: u64) -> String {
    let options = QueryOptions {
        timeout: Some(Duration::from_secs(60)),
        memory: Some(memory),
        ..QueryOptions::default()
    };
    graph.query(query, &options, &mut std::io::sink()).unwrap_err().to_string()
}

/// A dense graph: 30 heads with 30 tails each.
fn dense() -> (tempfile::TempDir, EmbeddedGraph) {
    import("graph.tsv", &(0..900).map(|i| format!("e{}\tr\te{}\n", i / 30, i % 30)).collect::<String>())
}

#[test]
fn an_evaluation_holds_no_more_than_it_may() {
    let (_folder, graph) = dense();
    let product = "?a ?p ?b . ?c ?q ?d . ?e ?r ?f";
    for held in [
        format!("SELECT * {{ {product} }} ORDER BY ?b ?d ?f"),
        format!("SELECT DISTINCT ?a ?b ?c ?d ?e ?f {{ {product} }}"),
        format!("SELECT ?a ?b ?c ?d ?e (COUNT(*) AS ?n) {{ {product} }} GROUP BY ?a ?b ?c ?d ?e"),
        format!("SELECT (COUNT(DISTINCT *) AS ?n) {{ {product} }}"),
        format!("SELECT (GROUP_CONCAT(?b) AS ?all) {{ {product} }}"),
        format!("SELECT (GROUP_CONCAT(DISTINCT CONCAT(STR(?b), STR(?d), STR(?f))) AS ?all) {{ {product} }}"),
        format!("SELECT (SUM(DISTINCT STRLEN(STR(?b))) AS ?all) {{ {product} }}"),
        "SELECT * { ?a ?p ?b LATERAL { ?c ?q ?d . ?e ?r ?f } } ORDER BY ?b ?d ?f".to_owned(),
        // Solutions without a binding count too.
        format!("SELECT * {{ {} }} ORDER BY ?x", "{ {} UNION {} } ".repeat(40)),
        format!("SELECT * {{ {{ SELECT ?x {{ {product} }} }} {{ SELECT ?y {{ {product} }} }} }} ORDER BY ?z"),
        format!("SELECT * {{ {} }} ORDER BY ?x", "{ VALUES ?x { UNDEF UNDEF } } ".repeat(40)),
    ] {
        let error = ended(&graph, &held, 8 << 20);
        assert!(error.contains("holds more than 8 MiB"), "{held}: {error}");
    }
    // Streaming holds next to nothing, and small results may be held.
    for fine in [
        format!(
            "SELECT (COUNT(*) AS ?n) (MIN(?b) AS ?least) (SAMPLE(?d) AS ?any) {{ {product} FILTER(?a = ?e && ?a = <urn:quipu:e1>) }}"
        ),
        "SELECT ?a (COUNT(*) AS ?n) (GROUP_CONCAT(?b) AS ?all) { ?a ?p ?b } GROUP BY ?a ORDER BY ?n"
            .to_owned(),
    ] {
        let options = QueryOptions { memory: Some(8 << 20), ..QueryOptions::default() };
        assert!(graph.query(&fine, &options, &mut std::io::sink()).unwrap() >= 1, "{fine}");
    }
}

#[test]
fn functions_make_no_endless_texts() {
    let (_folder, graph) = graph();
    let doubled: String =
        (1..40).map(|n| format!("BIND(CONCAT(?t{}, ?t{}) AS ?t{n}) ", n - 1, n - 1)).collect();
    let squared = (0..9).fold("\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"".to_owned(), |text, _| {
        format!("REPLACE({text}, \"a\", \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\")")
    });
    let encoded =
        (0..40).fold("\"ääääääää\"".to_owned(), |text, _| format!("ENCODE_FOR_URI({text})"));
    for query in [
        format!("SELECT ?t39 {{ BIND(\"text\" AS ?t0) {doubled} }}"),
        format!("SELECT (STRLEN({squared}) AS ?n) {{}}"),
        format!(
            "SELECT (STRLEN(CONCAT({0})) AS ?n) {{ BIND(\"{1}\" AS ?t) }}",
            vec!["?t"; 3000].join(","),
            "x".repeat(1000)
        ),
    ] {
        let error = ended(&graph, &query, 64 << 20);
        assert!(error.contains("a text that is too long"), "{error}");
    }
    assert_eq!(run(&graph, "csv", &format!("SELECT (STRLEN({encoded}) AS ?n) {{}}")).lines().count(), 2);
    check("SELECT (CONCAT(\"a\", \"b\", STR(1)) AS ?t) {}", &["ab1"]);
    check("SELECT (REPLACE(\"Lima\", \"i(.)\", \"o$1$1\", \"i\") AS ?t) {}", &["Lomma"]);
    let many = (0..40).map(|n| format!("\"{}\"", n % 10)).collect::<Vec<_>>().join(",");
    check(&format!("SELECT (CONCAT({many}) AS ?t) {{}}"), &["0123456789".repeat(4).as_str()]);
    check(
        "SELECT (GROUP_CONCAT(STR(?n); separator=\"-\") AS ?t) { SELECT ?n { ?c ex:people ?n } ORDER BY ?n }",
        &["428450-10092000"],
    );
    check(
        "SELECT (MAX(?n) AS ?most) (SAMPLE(?t) AS ?any) { ?c ex:people ?n ; a ?t }",
        &["10092000,http://example.org/City"],
    );
}

/// The results are the same as without the rewriting that makes solutions countable.
#[test]
fn solutions_that_bind_nothing_are_solutions() {
    check("SELECT (COUNT(*) AS ?n) { {} UNION {} {} }", &["2"]);
    check("SELECT (COUNT(*) AS ?n) { { VALUES () { () () () } } { {} UNION {} } }", &["6"]);
    check("SELECT ?c { ?c ex:people 428450 MINUS {} }", &["http://example.org/cusco"]);
    check(
        "SELECT ?c { ?c ex:people ?n FILTER NOT EXISTS { ex:lima ex:in ex:nowhere } } ORDER BY ?n LIMIT 1",
        &["http://example.org/cusco"],
    );
    check(
        "SELECT ?c { { SELECT ?x { ?x ex:people ?n } } ?c ex:people 428450 } ORDER BY ?c",
        &["http://example.org/cusco"; 2],
    );
    check(
        "SELECT DISTINCT ?c { { SELECT DISTINCT ?c { ?c ?p ?o } } ?c ex:people ?n } ORDER BY ?n",
        &["http://example.org/cusco", "http://example.org/lima"],
    );
    check("SELECT * { ex:lima ex:in ex:peru OPTIONAL { ex:lima ex:people ?n } }", &["10092000"]);
    check("SELECT ?n { OPTIONAL { ex:cusco ex:people ?n } BIND(1 AS ?one) }", &["428450"]);
    let (_folder, graph) = graph();
    assert_eq!(run(&graph, "table", "ASK { { ex:lima ex:in ex:peru } { ex:lima ex:in ex:peru } }"), "true\n");
}

/// The evaluator joins by lookups where it can: no pattern may lose or repeat solutions by it.
#[test]
fn joins_by_lookups_have_the_same_solutions() {
    let (_folder, graph) = dense();
    let count = |pattern: &str| {
        run(&graph, "csv", &format!("SELECT (COUNT(*) AS ?n) {{ {pattern} }}"))
            .lines()
            .nth(1)
            .unwrap()
            .to_owned()
    };
    for (pattern, solutions) in [
        ("?a quipu:r ?b . ?b quipu:r ?c", "27000"),
        ("?a quipu:r ?b . ?b quipu:r ?a", "900"),
        ("?a quipu:r ?a", "30"),
        ("?a quipu:r ?b . quipu:e1 quipu:r ?a . FILTER(?b = quipu:e2)", "30"),
        ("?a quipu:r quipu:e1 OPTIONAL { ?a quipu:s ?b }", "30"),
        ("?a quipu:r quipu:e1 OPTIONAL { ?a quipu:r ?b FILTER(?b = quipu:e2 && ?a = quipu:e3) }", "30"),
        ("VALUES ?a { quipu:e1 UNDEF } ?a quipu:r ?b", "930"),
        ("OPTIONAL { ?a quipu:s ?b } ?a quipu:r ?b", "900"),
        ("?a quipu:r ?b MINUS { ?a quipu:r quipu:e1 FILTER(?b = quipu:e2) }", "900"),
        ("?a quipu:r ?b FILTER NOT EXISTS { ?a quipu:r quipu:e1 FILTER(?b = quipu:e2) }", "870"),
        ("quipu:e1 quipu:r ?b { SELECT ?b { ?b quipu:r ?c } LIMIT 40 }", "40"),
        ("quipu:e1 quipu:r ?b LATERAL { SELECT ?b { ?b quipu:r ?c } LIMIT 2 }", "60"),
    ] {
        assert_eq!(count(pattern), solutions, "{pattern}");
    }
}

#[test]
fn a_query_that_is_long_to_plan_is_refused() {
    let (_folder, graph) = dense();
    let chain: String = (1..200).map(|at| format!("?n{} quipu:r ?n{at} . ", at - 1)).collect();
    let nested = format!("{}{}", "OPTIONAL { ?s ?p ?o MINUS { ?s ?q 1 } ".repeat(40), "}".repeat(40));
    let within = format!("quipu:e1 quipu:r ?x FILTER EXISTS {{ {chain} }}");
    for pattern in [chain, nested, within] {
        let error = ended(&graph, &format!("SELECT * {{ {pattern} }} LIMIT 1"), 8 << 20);
        assert!(error.contains("takes too long to plan"), "{pattern:.80}: {error}");
    }
    let chain: String = (1..60).map(|at| format!("?n{} quipu:r ?n{at} . ", at - 1)).collect();
    assert_eq!(run(&graph, "csv", &format!("SELECT ?n1 {{ {chain} }} LIMIT 1")).lines().count(), 2);
}

/// Each of these would overflow the stack of an ordinary thread and end the process.
#[test]
fn no_query_is_nested_too_deep_or_chained_too_long() {
    let (_folder, graph) = graph();
    for (before, repeated, inner, closing, after) in [
        ("SELECT * { ", "{", "", "}", " }"),
        ("SELECT (", "(", "1", ")", " AS ?x) {}"),
        ("SELECT (", "1+", "1", "", " AS ?x) {}"),
        ("SELECT (", "1||", "1", "", " AS ?x) {}"),
        ("SELECT * { ", "{} UNION ", "{}", "", " }"),
        ("SELECT * { ", "OPTIONAL {} ", "", "", " }"),
        ("SELECT * { ", "FILTER(1) ", "", "", " }"),
        ("SELECT * { ?s ", "(", "quipu:in", ")*", " ?o }"),
        ("SELECT * { ?s ", "quipu:a/", "quipu:in", "", " ?o }"),
        ("SELECT * { ?s ", "quipu:a|", "quipu:in", "", " ?o }"),
        ("SELECT (", "STR(", "1", ")", " AS ?x) {}"),
        ("SELECT * { ", "FILTER EXISTS { ", "", "}", " }"),
        ("SELECT * { ", "{ SELECT * { ", "", "}}", " }"),
        ("SELECT * { ?s ?p ", "[ ?p ", "1", "]", " }"),
        ("SELECT * { ?s ?p ", "( ", "1", ")", " }"),
        ("SELECT * { ", "?s ?p ?o . ", "", "", " }"),
        ("SELECT * { ", "?s ?p [] . ", "", "", " }"),
        ("SELECT * { ", "OPTIONAL { ?s ?p ?o MINUS { ?s ?q 1 } ", "", "}", " }"),
        ("SELECT * { ", "{ SELECT ?s { ?s ?p ?o } LIMIT 9 } ", "", "", " }"),
        ("SELECT * { FILTER(?x IN (1", ",2", "", "", ")) VALUES ?x { 1 } }"),
        ("SELECT * { VALUES ?x {", "1 ", "", "", "} }"),
    ] {
        for most in [100, 4_000, 10_000, 60_000, 400_000] {
            let times = most / (repeated.len() + closing.len());
            let (opened, closed) = (repeated.repeat(times), closing.repeat(times));
            let query = [before, &opened, inner, &closed, after].concat();
            let options = QueryOptions { timeout: Some(Duration::from_secs(2)), ..QueryOptions::default() };
            // Any result is fine if it comes soon, because planning cannot be stopped.
            let done = graph.query(&query, &options, &mut std::io::sink());
            let long = query_kind(&query).is_err_and(|error| error.to_string().contains("longer than"));
            assert_eq!(long, query.len() > 64 << 10, "{repeated} {times}: {done:?}");
        }
    }
}
