//! The data for the page's start and its explorer: types, links, rows, example questions, places on
//! a map.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::support;
use std::path::{Path, PathBuf};

use quipu_graph::{ImportConfig, Input};
use quipu_index::{ImportRequest, Workspace};
use quipu_server::ServerConfig;
use serde_json::{Value, json};
use support::{Running, config, error, import, no_model, ok, serve, serve_workspaces};

/// Towns of two countries with populations, coordinates and twin towns.
pub const LANDS: &str = r#"
@prefix : <http://t.example/> .
@prefix geo: <http://www.w3.org/2003/01/geo/wgs84_pos#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Town rdfs:label "town" . :Land rdfs:label "land" . :population rdfs:label "population" .
:land rdfs:label "land" . :twin rdfs:label "twin town" . :currency rdfs:label "currency" . :founded rdfs:label "founding date" .
:a a :Land ; rdfs:label "Aria" ; :currency "crown" . :b a :Land ; rdfs:label "Boria" ; :currency "florin" .
:o a :Town ; rdfs:label "Oldham" ; :land :a ; :population 12000 ; :founded "1301-04-02"^^<http://www.w3.org/2001/XMLSchema#date> ; geo:lat 50.5 ; geo:long 10.25 ; :twin :q, :p .
:p a :Town ; rdfs:label "Porto Vell" ; :land :a ; :population 900 ; :founded "1502-01-20"^^<http://www.w3.org/2001/XMLSchema#date> ; geo:lat 51.0 ; geo:long 11.5 ; :twin :o .
:q a :Town ; rdfs:label "Quern" ; :land :b ; :population 45000 ; :founded "1800-12-31"^^<http://www.w3.org/2001/XMLSchema#date> ; geo:lat -12.0 ; geo:long -77.0 ; :twin :o .
:r a :Town ; rdfs:label "Rask" ; :land :b ; :population 3100 ; :founded "1650-06-06"^^<http://www.w3.org/2001/XMLSchema#date> ; geo:lat 48.0 ; geo:long 9.0 .
"#;

/// Imports [`LANDS`] into `folder/lands`.
pub async fn import_lands(folder: &Path) -> PathBuf {
    let file = folder.join("lands.ttl");
    std::fs::write(&file, LANDS).unwrap();
    let path = folder.join("lands");
    let graph = ImportConfig::new("lands", vec![Input::File(file)]);
    Workspace::import(&path, &ImportRequest { graph, embedder: None, progress: None }).await.unwrap();
    path
}

async fn lands() -> Running {
    let folder = tempfile::tempdir().unwrap();
    let path = import_lands(folder.path()).await;
    serve_workspaces(folder, config(), no_model().await, &[path]).await
}

#[tokio::test]
async fn the_overview_says_what_the_graph_holds_and_how_it_hangs_together() {
    let server = lands().await;
    let seen = ok(server.get("/api/v1/overview")).await;
    let types: Vec<_> =
        seen["types"].as_array().unwrap().iter().map(|t| (t["title"].clone(), t["rows"].clone())).collect();
    assert_eq!(types, [(json!("town"), json!(4)), (json!("land"), json!(2))], "{seen}");
    let column = |title: &str| {
        let columns = seen["types"][0]["columns"].as_array().unwrap();
        columns.iter().find(|column| column["title"] == title).unwrap().clone()
    };
    assert_eq!(
        (&column("population")["kind"], &column("population")["values"]),
        (&json!("number"), &json!(4))
    );
    assert_eq!((&column("land")["kind"], &column("land")["to"]), (&json!("entity"), &json!("land")));
    assert_eq!(column("twin town")["several"], true);
    let links = seen["links"].as_array().unwrap();
    let land = json!({ "from": "town", "to": "land", "title": "land", "triples": 4 });
    assert!(links.contains(&land), "{links:?}");
    let relations = seen["relations"].as_array().unwrap();
    assert!(relations.iter().any(|r| r["title"] == "currency" && r["triples"] == 2), "{relations:?}");
    assert_eq!(error(server.get("/api/v1/overview?workspace=nowhere")).await.0, 404);
}

#[tokio::test]
async fn rows_of_a_type_come_in_pages_and_in_the_order_asked_for() {
    let server = lands().await;
    let page = ok(server.get("/api/v1/tables/town?limit=3")).await;
    assert_eq!((&page["total"], &page["more"]), (&json!(4), &json!(true)));
    assert_eq!(page["rows"].as_array().unwrap().len(), 3);
    let titles: Vec<_> =
        page["columns"].as_array().unwrap().iter().map(|c| c["title"].as_str().unwrap()).collect();
    let people = titles.iter().position(|title| *title == "population").unwrap();
    let sorted = format!("/api/v1/tables/town?sort={people}&descending=true&limit=2");
    let names = |page: &Value| -> Vec<String> {
        page["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row[0]["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(&ok(server.get(&sorted)).await), ["Quern", "Oldham"]);
    assert_eq!(names(&ok(server.get(&format!("{sorted}&offset=2"))).await), ["Rask", "Porto Vell"]);
    assert_eq!(error(server.get("/api/v1/tables/nothing")).await, (404, "table_not_found".into()));
    assert_eq!(error(server.get("/api/v1/tables/town?limit=0")).await.0, 400);
    assert_eq!(error(server.get("/api/v1/tables/town?sort=99")).await.0, 400);
}

/// All example questions of a workspace.
async fn starters(server: &Running, workspace: &str) -> Vec<String> {
    for _ in 0..200 {
        let seen = ok(server.get(&format!("/api/v1/starters?workspace={workspace}"))).await;
        if seen["complete"] == true {
            let questions = seen["questions"].as_array().unwrap();
            return questions.iter().map(|q| q["question"].as_str().unwrap().to_owned()).collect();
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("the example questions never came to an end");
}

#[tokio::test]
async fn example_questions_are_answered_as_they_promise_and_are_kept() {
    let server = lands().await;
    let questions = starters(&server, "lands").await;
    assert!((3..=6).contains(&questions.len()), "{questions:?}");
    for question in &questions {
        let reply = ok(server.post("/api/v1/ask", &json!({ "question": question }))).await;
        assert_eq!(reply["status"], "answered", "{question}: {reply}");
        assert_eq!(reply["trust"]["sureness"], "sure", "{question}: {reply}");
        assert_eq!(reply["usage"]["llm_calls"], 0, "{question}");
    }
    let folder = server.folder.path().join("lands");
    let generation = std::fs::read_to_string(folder.join("CURRENT")).unwrap();
    let kept = std::fs::read_to_string(folder.join(generation.trim()).join("starters.json")).unwrap();
    assert!(questions.iter().all(|question| kept.contains(question.as_str())), "{kept}");
}

#[tokio::test]
async fn whoever_asks_for_examples_meanwhile_is_not_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = import_lands(folder.path()).await;
    let narrow = ServerConfig { concurrency: 1, queue: 0, ..config() };
    let server = serve_workspaces(folder, narrow, no_model().await, &[path]).await;
    // One of them searches; the others get the questions found so far.
    let asks = (0..8).map(|_| ok(server.get("/api/v1/starters")));
    let seen = futures::future::join_all(asks).await;
    assert!(seen.iter().all(|seen| seen["questions"].is_array()), "{seen:?}");
    assert!(starters(&server, "lands").await.len() >= 3);
}

#[tokio::test]
async fn relations_without_a_noun_are_asked_for_by_their_cards() {
    let server = serve(config(), no_model().await).await;
    let questions = starters(&server, "films").await;
    let said = ["the directors of", "the actors in", "the birthplace of"];
    assert!(
        questions.iter().any(|question| said.iter().any(|said| question.contains(said))),
        "{questions:?}"
    );
    assert!(questions.iter().all(|question| !question.contains("directed by of")), "{questions:?}");
}

#[tokio::test]
async fn places_of_an_answer_are_found() {
    let server = lands().await;
    let reply =
        ok(server.post("/api/v1/ask", &json!({ "question": "What are the twin towns of Oldham?" }))).await;
    assert_eq!(reply["status"], "answered", "{reply}");
    let places = reply["shown"]["places"].as_array().unwrap();
    let quern = places.iter().find(|place| place["name"] == "Quern").unwrap();
    assert_eq!((&quern["latitude"], &quern["longitude"]), (&json!(-12.0), &json!(-77.0)));
}

#[tokio::test]
async fn a_graph_without_coordinates_shows_no_map() {
    let folder = tempfile::tempdir().unwrap();
    let films = import(folder.path(), "films", support::FILMS).await;
    let server = serve_workspaces(folder, config(), no_model().await, &[films]).await;
    let reply = ok(server.post("/api/v1/ask", &json!({ "question": "who directed Kauwboy?" }))).await;
    assert_eq!(reply["shown"]["places"], json!([]));
}
