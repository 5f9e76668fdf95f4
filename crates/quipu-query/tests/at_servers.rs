//! SPARQL servers give the same rows for the shop's test questions as the store: a real Oxigraph
//! server and a real Virtuoso 7. `scripts/setup.sh` installs both.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a server that cannot be set up is a failed test"
)]

use crate::{common, servers};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use common::Shop;
use quipu_graph::{EndpointConfig, QueryFormat, QueryOptions};
use quipu_index::{SourceRequest, Workspace};
use quipu_query::{CellValue, Plan, RowSet, RunLimits, plan, run};
use servers::Server;

/// The tests whose SQL is run.
const ASKED: [&str; 3] =
    [include_str!("answers.rs"), include_str!("mends.rs"), include_str!("beside_rows.rs")];

/// The SQL of these tests: every text that is a query, with the table of orders filled in.
fn questions(shop: &Shop) -> Vec<String> {
    let mut questions = Vec::new();
    let asked = ASKED.concat();
    let mut rest = asked.as_str();
    while let Some(at) = rest.find('"') {
        rest = &rest[at + 1..];
        let mut text = String::new();
        let mut characters = rest.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    rest = &rest[at + 1..];
                    break;
                }
                '\\' => text.extend(characters.next().map(|(_, escaped)| escaped)),
                other => text.push(other),
            }
        }
        if text.starts_with("SELECT ") || text.starts_with("WITH ") {
            questions.push(text.replace("{id}", &shop.id_of("order")));
        }
    }
    questions
}

/// The shop in the form that a server reads.
fn ntriples(shop: &Shop) -> String {
    let options = QueryOptions { format: QueryFormat::parse("ntriples").unwrap(), ..QueryOptions::default() };
    let mut triples = Vec::new();
    let graph = shop.workspace.embedded().unwrap();
    graph.query("CONSTRUCT WHERE { ?s ?p ?o }", &options, &mut triples).unwrap();
    String::from_utf8(triples).unwrap()
}

async fn over(server: &Server, folder: &std::path::Path) -> Workspace {
    let config = EndpointConfig {
        url: server.url.clone(),
        graphs: server.graphs.clone(),
        pause: 1,
        ..EndpointConfig::default()
    };
    let cancel = Arc::new(AtomicBool::new(false));
    let request = SourceRequest { name: "shop".into(), config, embedder: None, progress: None, cancel };
    Workspace::add_source(folder, &request).await.unwrap();
    Workspace::open(folder).unwrap()
}

/// A cell for comparison: a number by its value, an entity by its key.
fn cell(cell: &Option<CellValue>) -> String {
    let Some(cell) = cell else { return "-".into() };
    match (&cell.key, cell.name.parse::<f64>()) {
        (Some(key), _) => key.clone(),
        (None, Ok(number)) => format!("{number:.6}"),
        (None, Err(_)) => cell.name.clone(),
    }
}

fn lines(rows: &RowSet, plan: &Plan) -> Vec<String> {
    let line = |row: &Vec<Option<CellValue>>| row.iter().map(cell).collect::<Vec<_>>().join(" | ");
    let mut lines: Vec<String> = rows.rows.iter().map(line).collect();
    if !plan.ordered {
        lines.sort();
    }
    lines
}

/// Asks a server all questions; returns those whose rows differ from the store's.
async fn others(shop: &Shop, server: &Server) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let workspace = over(server, &folder.path().join("workspace")).await;
    let limits = RunLimits::default();
    let questions = questions(shop);
    assert!(questions.len() > 50, "the tests' questions are found: {}", questions.len());
    let mut others = Vec::new();
    for sql in questions {
        let Ok(bound) = shop.bound(&sql) else { continue };
        let plan = plan(&bound.query, &shop.tables).unwrap();
        let expected = run(&shop.workspace, &plan, &limits).await.unwrap();
        let expected = lines(&expected, &plan);
        let found = match run(&workspace, &plan, &limits).await {
            Ok(rows) => lines(&rows, &plan),
            Err(error) => vec![format!("failed: {error}")],
        };
        if found != expected {
            others.push(format!("{sql}\n{}\n  {expected:?}\n  {found:?}", plan.sparql()));
        }
    }
    others
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oxigraphs_server_answers_alike() {
    let shop = Shop::open().await.unwrap();
    let server = servers::oxigraph(&ntriples(&shop));
    let others = others(&shop, &server).await;
    assert!(others.is_empty(), "{}", others.join("\n\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn virtuoso_answers_alike() {
    let shop = Shop::open().await.unwrap();
    let Some(server) = servers::virtuoso(&ntriples(&shop), 10_000) else { return };
    let others = others(&shop, &server).await;
    assert!(others.is_empty(), "{}", others.join("\n\n"));
}
