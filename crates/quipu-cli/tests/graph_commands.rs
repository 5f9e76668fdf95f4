//! Commands without a language model: import, info, entity, link, query.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use crate::support;
use std::io::Write as _;
use std::process::Stdio;

use support::{Bench, PLACES};

#[test]
fn info_counts_what_was_imported() {
    let bench = Bench::with_places();
    let info = bench.run(&["info", "places", "--json"]).succeeded().json();
    for field in ["triples", "entities", "relations", "types", "documents", "bytes"] {
        assert!(info[field].is_u64(), "{field}: {info}");
    }
    assert_eq!((info["types"].as_u64(), info["documents"].as_u64()), (Some(2), Some(0)), "{info}");
    assert!(info["bytes"].as_u64() > Some(0), "{info}");
    assert!(!info["indexes"].is_null(), "{info}");
    let text = bench.run(&["info", "places"]).succeeded().stdout;
    assert!(text.contains("triples") && text.contains("relations"), "{text}");
}

#[test]
fn an_entity_shows_both_directions_with_fan_out_and_neighbours() {
    let bench = Bench::with_places();
    let peru = bench.run(&["entity", "places", "Peru", "--json"]).succeeded().json();
    assert_eq!(peru["label"], "Peru");
    assert_eq!(peru["aliases"], serde_json::json!(["Piruw"]));
    assert_eq!(peru["types"][0]["name"], "country");
    let relation = |name: &str, direction: &str| {
        let all = peru["relations"].as_array().unwrap();
        all.iter().find(|r| r["relation"] == name && r["direction"] == direction).cloned().unwrap()
    };
    assert_eq!(relation("capital", "forward")["neighbours"][0]["name"], "Lima");
    assert_eq!(relation("neighbouring country", "forward")["fan_out"], 2);
    assert_eq!(relation("neighbouring country", "backward")["fan_out"], 2);
    let text = bench.run(&["entity", "places", "Peru"]).succeeded().stdout;
    assert!(text.contains("→ capital") && text.contains("← neighbouring country"), "{text}");
}

#[test]
fn an_entity_is_found_by_id_and_by_other_names() {
    let bench = Bench::with_places();
    for name in ["https://example.org/geo/peru", "Piruw", "peru"] {
        assert_eq!(
            bench.run(&["entity", "places", name, "--json"]).succeeded().json()["label"],
            "Peru",
            "{name}"
        );
    }
    let unknown = bench.run(&["entity", "places", "Atlantis"]).failed(2);
    assert!(unknown.stderr.contains("Atlantis"), "{unknown:#?}");
}

#[test]
fn linking_names_candidates_with_score_and_reason() {
    let bench = Bench::with_places();
    let links = bench.run(&["link", "places", "Is Lima the capital of Peru?", "--json"]).succeeded().json();
    let mentions = links["mentions"].as_array().unwrap();
    let of = |text: &str| mentions.iter().find(|m| m["text"] == text).unwrap();
    let best = &of("Peru")["candidates"][0];
    assert_eq!(best["name"], "Peru");
    assert!(best["score"].is_f64() && best["reason"].is_string() && best["id"].is_string(), "{best}");
    assert_eq!(of("Lima")["candidates"][0]["name"], "Lima");
    let one = bench.run(&["link", "places", "Peru", "--json", "-k", "1"]).succeeded().json();
    assert_eq!(one["mentions"][0]["candidates"].as_array().unwrap().len(), 1);
}

#[test]
fn typos_are_forgiven() {
    let bench = Bench::with_places();
    let links = bench.run(&["link", "places", "Santigao", "--json"]).succeeded().json();
    assert_eq!(links["mentions"][0]["candidates"][0]["name"], "Santiago", "{links}");
}

const CAPITALS: &str = "SELECT ?country ?city WHERE { ?c <https://example.org/geo/capital> ?t . \
    ?c <http://www.w3.org/2000/01/rdf-schema#label> ?country . \
    ?t <http://www.w3.org/2000/01/rdf-schema#label> ?city } ORDER BY ?country";

#[test]
fn sparql_results_come_in_the_format_asked_for() {
    let bench = Bench::with_places();
    let query =
        |format: &str| bench.run(&["query", "places", CAPITALS, "--format", format]).succeeded().stdout;
    assert_eq!(query("csv").replace('\r', ""), "country,city\nBolivia,Sucre\nChile,Santiago\nPeru,Lima\n");
    let json: serde_json::Value = serde_json::from_str(&query("json")).unwrap();
    assert_eq!(json["results"]["bindings"][2]["city"]["value"], "Lima");
    let table = query("table");
    assert!(table.lines().any(|line| line.contains("Peru") && line.contains("Lima")), "{table}");
}

#[test]
fn all_variables_stand_in_the_order_of_the_query() {
    let bench = Bench::with_places();
    let query =
        "SELECT * { ?z <https://example.org/geo/capital> ?m . ?z rdfs:label ?b . ?m rdfs:label ?a } LIMIT 1";
    let header = |format: &str| {
        let shown = bench.run(&["query", "places", query, "--format", format]).succeeded().stdout;
        shown.lines().next().unwrap().to_owned()
    };
    assert_eq!(header("csv"), "z,m,b,a");
    assert_eq!(header("table").split_whitespace().collect::<Vec<_>>(), ["?z", "?m", "?b", "?a"]);
}

#[test]
fn a_misspelt_query_says_where_and_what() {
    let bench = Bench::with_places();
    let wrong = bench.run(&["query", "places", "SELECT ?x\nWHER { ?x ?p ?o }"]);
    assert_eq!((wrong.code, wrong.stdout.as_str()), (Some(2), ""), "{wrong:#?}");
    assert_eq!(
        wrong.stderr,
        "error: the query cannot be read at line 2, column 1: “WHER” is not a SPARQL keyword; did you mean WHERE?\n  \
         WHER { ?x ?p ?o }\n  ^\n"
    );
}

#[test]
fn tables_with_a_header_become_one_graph_and_the_import_says_how() {
    let bench = Bench::new();
    bench.write("products.csv", "name,price,supplier\nFalcon Drill,129.99,Acme\nHeron Sander,89,Borealis\n");
    bench.write("suppliers.csv", "name,city\nAcme,Oslo\nBorealis,Bergen\n");
    let import = ["import", "shop", "products.csv", "suppliers.csv", "--no-embeddings"];
    let told = bench.run(&import).succeeded().stderr;
    let line = "products.csv is a table of 2 rows: each row is an entity of the type “products”, named by the column “name”; \
        “supplier” leads to “suppliers”";
    assert!(told.lines().any(|told| told == line), "{told}");
    let drill = bench.run(&["entity", "shop", "Falcon Drill", "--json"]).succeeded().json();
    assert_eq!(drill["types"][0]["name"], "products", "{drill:#}");
    let tables = bench
        .run(&[
            "tables",
            "shop",
            "--sql",
            "SELECT p.name, s.city FROM products p JOIN suppliers s \
        ON p.supplier = s.name WHERE p.price > 100",
        ])
        .succeeded()
        .stdout;
    assert!(
        tables.contains("Falcon Drill") && tables.contains("Oslo") && !tables.contains("Heron"),
        "{tables}"
    );
    bench.write("kb.csv", "Lima,capital of,Peru\n");
    let told = bench.run(&["import", "kb", "kb.csv", "--no-embeddings"]).succeeded().stderr;
    assert!(told.contains("kb.csv was read as triples") && told.contains("--format table"), "{told}");
}

#[test]
fn an_import_says_that_a_last_line_has_no_end() {
    let bench = Bench::new();
    let told = |text: &str| {
        bench.write("kb.tsv", text);
        bench.run(&["import", "kb", "kb.tsv", "--no-embeddings"]).succeeded().stderr
    };
    let line = "kb.tsv: its last line has no line end: the file may be cut off";
    let cut = told("Lima\tcapital of\tPeru\nCusco\tlies in\tPer");
    assert!(cut.lines().any(|told| told == line), "{cut}");
    let whole = told("Lima\tcapital of\tPeru\nCusco\tlies in\tPeru\n");
    assert!(!whole.contains("line end"), "{whole}");
}

#[test]
fn an_import_that_fails_leaves_no_folder() {
    let bench = Bench::new();
    bench.write("broken.nt", "<a> <b> .\n");
    for file in ["broken.nt", "missing.nt"] {
        bench.run(&["import", "new/place", file, "--no-embeddings"]).failed(2);
        assert!(!bench.path("new").exists(), "{file}");
    }
}

#[test]
fn sparql_asks_and_constructs() {
    let bench = Bench::with_places();
    let ask = "ASK { <https://example.org/geo/peru> <https://example.org/geo/capital> ?x }";
    assert_eq!(bench.run(&["query", "places", ask]).succeeded().stdout.trim(), "true");
    let construct =
        "CONSTRUCT { ?t <https://example.org/of> ?c } WHERE { ?c <https://example.org/geo/capital> ?t }";
    let triples = bench.run(&["query", "places", construct, "--format", "ntriples"]).succeeded().stdout;
    let lima = "<https://example.org/geo/lima> <https://example.org/of> <https://example.org/geo/peru> .";
    assert!(triples.lines().any(|line| line == lima), "{triples}");
    let wrong = bench.run(&["query", "places", "SELEKT nonsense"]).failed(2);
    assert!(wrong.stderr.contains("SPARQL") || wrong.stderr.contains("query"), "{wrong:#?}");
}

#[test]
fn standard_input_is_a_file_like_any_other() {
    let bench = Bench::new();
    let arguments = ["import", "w", "-", "--format", "turtle", "--no-embeddings"];
    bench.run_with_input(&arguments, PLACES).succeeded();
    assert_eq!(bench.run(&["entity", "w", "Lima", "--json"]).succeeded().json()["label"], "Lima");
}

#[test]
fn several_files_make_one_graph() {
    let bench = Bench::new();
    bench.write("a.tsv", "Inti\tson\tViracocha\n");
    bench.write("b.tsv", "Inti\tsister\tMama Quilla\n");
    bench.run(&["import", "w", "a.tsv", "b.tsv", "--no-embeddings"]).succeeded();
    assert_eq!(bench.run(&["info", "w", "--json"]).succeeded().json()["triples"], 2);
}

#[test]
fn an_import_says_what_it_did_on_standard_error_alone() {
    let bench = Bench::new();
    bench.write("places.ttl", PLACES);
    let import = bench.run(&["import", "w", "places.ttl", "--no-embeddings"]).succeeded();
    assert_eq!(import.stdout, "");
    assert!(import.stderr.contains("triples"), "{import:#?}");
    // The command states the cost of omitting the embeddings.
    assert!(import.stderr.contains("embeddings") || import.stderr.contains("meaning"), "{import:#?}");
}

#[test]
fn a_broken_line_stops_the_import_and_names_its_place() {
    let bench = Bench::new();
    bench.write("broken.nt", "<a:s> <a:p> <a:o> .\n<a:s> <a:p> oops .\n");
    let broken = bench.run(&["import", "w", "broken.nt", "--no-embeddings"]).failed(2);
    assert!(broken.stderr.contains("broken.nt:2"), "{broken:#?}");
    assert!(bench.run(&["info", "w"]).failed(2).stderr.contains("not a workspace"), "nothing was made of it");
    let lenient = bench.run(&["import", "w", "broken.nt", "--no-embeddings", "--lenient"]).succeeded();
    assert!(lenient.stderr.contains("1 malformed") || lenient.stderr.contains("skipped"), "{lenient:#?}");
    assert_eq!(bench.run(&["info", "w", "--json"]).succeeded().json()["triples"], 1);
}

#[test]
fn what_an_import_cannot_go_by_is_wrong_usage() {
    let bench = Bench::new();
    bench.write("a.tsv", "Inti\tson\tViracocha\n");
    bench.write("bad.toml", "label = 7\n");
    bench.write("unknown", "who knows what this is\n");
    let refused = |arguments: &[&str], said: &str| {
        let all = [&["import", "w"], arguments, &["--no-embeddings"]].concat();
        let outcome = bench.run(&all).failed(2);
        assert!(outcome.stderr.contains(said), "{outcome:#?}");
    };
    refused(&["a.tsv", "--profile", "bad.toml"], "bad.toml");
    refused(&["a.tsv", "--profile", "nonesuch"], "wikidata");
    refused(&["unknown"], "--format");
    refused(&["a.tsv", "--format", "skb"], "nodes");
    refused(&["unknown", "--format", "skb"], "unknown");
    refused(&["a.tsv", "--format", "nonesuch"], "turtle");
}

#[test]
fn every_format_of_the_help_is_one() {
    let bench = Bench::new();
    let help = bench.run(&["import", "--help"]).succeeded().stdout;
    let (_, names) = help.split_once("Format of all files: ").unwrap();
    let names = names.split(" [").next().unwrap();
    bench.write("nodes.jsonl", "");
    for name in names.split(',').map(str::trim) {
        let outcome =
            bench.run(&["import", "w", "nodes.jsonl", "--format", name, "--no-embeddings"]).failed(2);
        assert!(!outcome.stderr.contains("no format"), "{name}: {outcome:#?}");
    }
}

#[test]
fn a_profile_of_ones_own_says_what_names_a_thing() {
    let bench = Bench::new();
    bench.write("own.toml", "name = \"own\"\nlabel = [\"called\"]\nalias = [\"aka\"]\ntype = [\"kind\"]\n");
    bench.write(
        "a.tsv",
        "g1\tcalled\tInti\ng1\taka\tSun God\ng1\tkind\tdeity\ng1\tson of\tg2\ng2\tcalled\tViracocha\n",
    );
    bench.run(&["import", "w", "a.tsv", "--profile", "own.toml", "--no-embeddings"]).succeeded();
    let entity = bench.run(&["entity", "w", "Sun God", "--json"]).succeeded().json();
    assert_eq!((&entity["label"], &entity["id"]), (&"Inti".into(), &"g1".into()), "{entity}");
    assert!(entity["aliases"].to_string().contains("Sun God"), "{entity}");
}

#[test]
fn a_failed_import_leaves_the_old_workspace_as_it_was() {
    let bench = Bench::with_places();
    bench.write("broken.nt", "<a:s> <a:p> oops .\n");
    bench.run(&["import", "places", "broken.nt", "--no-embeddings"]).failed(2);
    assert_eq!(bench.run(&["entity", "places", "Peru", "--json"]).succeeded().json()["label"], "Peru");
    bench.run(&["import", "places", "missing.nt", "--no-embeddings"]).failed(2);
    assert_eq!(bench.run(&["entity", "places", "Peru", "--json"]).succeeded().json()["label"], "Peru");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_an_import_and_leaves_the_old_workspace_as_it_was() {
    let bench = Bench::with_places();
    let arguments = ["import", "places", "-", "--format", "ntriples", "--no-embeddings"];
    let mut child = bench.command(&arguments).stdin(Stdio::piped()).spawn().unwrap();
    // The import is waiting for the rest of its input when the signal comes.
    let mut input = child.stdin.take().unwrap();
    input.write_all("<a:s> <a:p> <a:o> .\n".repeat(20_000).as_bytes()).unwrap();
    input.flush().unwrap();
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let outcome = child.wait_with_output().unwrap();
    drop(input);
    assert_eq!(outcome.status.code(), Some(130), "{}", String::from_utf8_lossy(&outcome.stderr));
    assert_eq!(bench.run(&["entity", "places", "Peru", "--json"]).succeeded().json()["label"], "Peru");
}

#[test]
fn a_damaged_store_is_named_and_never_a_crash() {
    let bench = Bench::with_places();
    let mut seen = 0;
    for file in files_below(&bench.path("places")) {
        let whole = std::fs::read(&file).unwrap();
        std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
        let outcome = bench.run(&["entity", "places", "Peru", "--json"]);
        if outcome.code != Some(0) {
            seen += 1;
            assert_eq!(outcome.code, Some(1), "{file:?}: {outcome:#?}");
            assert!(
                outcome.stderr.starts_with("error: ") && !outcome.stderr.contains("panicked"),
                "{outcome:#?}"
            );
        }
        std::fs::write(&file, whole).unwrap();
    }
    assert!(seen > 0, "no truncated file was noticed");
    bench.run(&["entity", "places", "Peru"]).succeeded();
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files
}
