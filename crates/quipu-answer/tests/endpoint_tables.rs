//! Queries over an endpoint: its tables are surveyed once and kept, and a question costs few
//! requests.

#![allow(clippy::unwrap_used, reason = "set-up of tests")]

use crate::{common, over};
use std::sync::Arc;

use common::shop::{LEAGUE, query, rows, shop};
use common::{Setting, ask, embedder, setting_from};
use over::{over_server, servers};
use quipu_answer::{Answer, AskOptions, Evidence, Method, Status};
use quipu_graph::{QueryFormat, QueryOptions};
use quipu_model::ScriptedModel;
use quipu_query::{Tables, count_tables, kept_tables, open_tables};

/// The triples of an imported graph, as a server reads them.
fn ntriples(setting: &Setting) -> String {
    let options = QueryOptions { format: QueryFormat::parse("ntriples").unwrap(), ..QueryOptions::default() };
    let mut triples = Vec::new();
    let graph = setting.workspace.embedded().unwrap();
    graph.query("CONSTRUCT WHERE { ?s ?p ?o }", &options, &mut triples).unwrap();
    String::from_utf8(triples).unwrap()
}

/// Each table with its number of rows and its columns.
fn shape(tables: &Tables) -> Vec<(String, u64, Vec<String>)> {
    let of = |table: &quipu_query::Table| {
        let mut columns: Vec<String> = table.columns.iter().map(|column| column.id.clone()).collect();
        columns.sort();
        (table.id.clone(), table.rows, columns)
    };
    let mut shape: Vec<_> = tables.tables.iter().map(of).collect();
    shape.sort();
    shape
}

async fn asked(setting: &Setting, sql: &str, question: &str, options: &AskOptions) -> (Answer, usize) {
    let model = Arc::new(ScriptedModel::new().always("plan.kinds", "").always("plan.query", sql));
    let answer = ask(setting, Some(model.clone()), Some(embedder().await), question, options).await;
    (answer, model.calls())
}

fn lines(answer: &Answer) -> Vec<String> {
    let mut lines: Vec<String> = answer.evidence.iter().map(Evidence::to_line).collect();
    lines.sort();
    lines
}

/// Most requests of a question at an endpoint where a path is tried first.
const MOST_REQUESTS: u64 = 16;

#[tokio::test(flavor = "multi_thread")]
async fn tables_are_surveyed_at_an_endpoint_and_kept() {
    let imported = shop().await;
    let server = servers::oxigraph(&ntriples(&imported));
    let remote = over_server(&server, "shop", None).await;
    let expected = count_tables(imported.workspace.graph().as_ref()).await.unwrap();
    assert!(kept_tables(&remote.workspace).is_none());
    let surveyed = open_tables(&remote.workspace).await.unwrap();
    assert_eq!(shape(&surveyed), shape(&expected));
    assert_eq!(kept_tables(&remote.workspace).map(|kept| shape(&kept)), Some(shape(&expected)));
    // What is kept needs no server.
    drop(server);
    assert_eq!(shape(&open_tables(&remote.workspace).await.unwrap()), shape(&expected));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_over_an_endpoint_gives_the_rows_and_evidence_of_the_import() {
    let imported = shop().await;
    let server = servers::oxigraph(&ntriples(&imported));
    let remote = over_server(&server, "films", None).await;
    open_tables(&remote.workspace).await.unwrap();
    // The plan is one request; the others check ties and read the evidence of its rows.
    for (question, sql, most) in [
        (
            "What is the average price of the products of each supplier, highest first?",
            "SELECT supplier, AVG(price) FROM product GROUP BY supplier ORDER BY AVG(price) DESC",
            6,
        ),
        ("Which products have a price below 50?", "SELECT name FROM product WHERE price < 50", 2),
        (
            "What is the price of the Falcon Drill?",
            "SELECT price FROM product WHERE name = 'Falcon Drill'",
            2,
        ),
        (
            "Which product of a supplier based in Lima has the highest price?",
            "SELECT product.name FROM product JOIN supplier ON product.supplier = supplier.name \
             WHERE supplier.based_in = 'Lima' ORDER BY price DESC LIMIT 1",
            3,
        ),
    ] {
        let (expected, _) = asked(&imported, sql, question, &query()).await;
        let (found, calls) = asked(&remote, sql, question, &query()).await;
        assert_eq!(found.status, Status::Answered, "{question}: {found:#?}");
        assert_eq!((rows(&found), lines(&found)), (rows(&expected), lines(&expected)), "{question}");
        assert!(found.grounded && !found.evidence.is_empty(), "{question}: {found:#?}");
        assert_eq!(calls, 1, "{question}");
        assert_eq!(expected.usage.requests, 0);
        let requests = found.usage.requests;
        assert!((1..=most).contains(&requests), "{question}: {requests}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_without_types_has_tables_of_things_with_the_same_relations() {
    let imported = setting_from("league.tsv", LEAGUE).await;
    let server = servers::oxigraph(&ntriples(&imported));
    let remote = over_server(&server, "films", None).await;
    let surveyed = open_tables(&remote.workspace).await.unwrap();
    let expected = open_tables(&imported.workspace).await.unwrap();
    assert_eq!(shape(&surveyed), shape(&expected));
    for (question, sql) in [
        ("Who has more than 4 goals scored?", "SELECT name FROM thing WHERE goals_scored > 4"),
        (
            "What is the home city of the Torrin Foxes?",
            "SELECT home_city FROM thing_2 WHERE name = 'Torrin Foxes'",
        ),
        (
            "How many goals scored those who play for the Torrin Foxes?",
            "SELECT SUM(goals_scored) FROM thing WHERE plays_for = 'Torrin Foxes'",
        ),
    ] {
        for method in [Method::Query, Method::Auto] {
            let options = AskOptions { method, ..AskOptions::default() };
            let (expected, _) = asked(&imported, sql, question, &options).await;
            let (found, calls) = asked(&remote, sql, question, &options).await;
            assert_eq!(found.status, Status::Answered, "{question}: {found:#?}");
            assert_eq!((rows(&found), lines(&found)), (rows(&expected), lines(&expected)), "{question}");
            assert!(calls <= 2, "{question}: nouns once, and a query");
            let requests = found.usage.requests;
            assert!((1..=MOST_REQUESTS).contains(&requests), "{question} {method:?}: {requests}");
        }
    }
}
