//! Tables and readings over the API, by the method that reads questions as queries.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::support;
use quipu_graph::{ImportConfig, Input};
use quipu_index::{ImportRequest, Workspace};
use quipu_model::ScriptedModel;
use serde_json::{Value, json};
use support::{Running, config, error, ok, scripted, serve, serve_workspaces};

/// In the graph's own words, so that the reading is sure.
const QUESTION: &str = "give each thing with its directed by, in the order of release year";
const FILMS: &str = "SELECT name, directed_by, release_year FROM thing ORDER BY release_year DESC";
const YEARS: &str = "SELECT name, release_year FROM thing ORDER BY release_year DESC";

/// A model that always writes the same query.
fn model() -> ScriptedModel {
    ScriptedModel::new().always("plan.query", FILMS)
}

/// A model that writes a different query when sampled.
fn wavering() -> ScriptedModel {
    ScriptedModel::new().when(|request| {
        let sql = if request.temperature > 0.0 { YEARS } else { FILMS };
        (request.stage == "plan.query").then(|| sql.into())
    })
}

async fn ask(server: &Running, body: Value) -> Value {
    ok(server.post("/api/v1/ask", &body)).await
}

fn names(row: &Value) -> Vec<&str> {
    row.as_array().unwrap().iter().map(|cell| cell["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_table_comes_with_its_readings() {
    let server = serve(config(), scripted(model()).await).await;
    let reply = ask(&server, json!({ "question": QUESTION, "method": "query" })).await;
    assert_eq!(reply["status"], "answered", "{reply:#}");
    let table = &reply["table"];
    assert_eq!((&table["ordered"], &table["left_out"]), (&json!(true), &json!(0)));
    assert_eq!(names(&table["rows"][0]), ["Disappearance", "Boudewijn Koole", "2017"]);
    assert_eq!(table["rows"][0][0]["key"], "Disappearance");
    let markdown = reply["markdown"].as_str().unwrap();
    assert!(markdown.contains("\n| 1 | Disappearance | Boudewijn Koole | 2017 |\n"), "{markdown}");
    assert!(markdown.contains("\n\nI read this as: "), "{markdown}");
}

#[tokio::test]
async fn a_doubtful_question_lists_what_else_it_may_mean() {
    let server = serve(config(), scripted(wavering()).await).await;
    // Most of its words are not in the graph, so samples are taken.
    let question = "which zebras of the lighthouse keep quantum umbrellas?";
    let reply = ask(&server, json!({ "question": question, "method": "query" })).await;
    let readings = reply["readings"].as_array().unwrap();
    assert_eq!(readings.len(), 2, "{reply:#}");
    for reading in readings {
        assert!(reading["words"].as_str().is_some_and(|words| !words.is_empty()), "{reading}");
        assert!(reading["sparql"].as_str().is_some_and(|query| query.starts_with("SELECT")), "{reading}");
        assert!(reading["confidence"].as_f64().is_some_and(|sure| (0.0..=1.0).contains(&sure)), "{reading}");
        assert!(!reading["unexplained"].as_array().unwrap().is_empty(), "{reading}");
    }
    let markdown = reply["markdown"].as_str().unwrap();
    assert!(markdown.contains("\n\nI read this as: ") && markdown.contains(" Not used: “"), "{markdown}");
    assert!(markdown.contains("\n\nAnother reading (reading 2): "), "{markdown}");
}

#[tokio::test]
async fn another_reading_is_asked_for_by_its_number() {
    let server = serve(config(), scripted(wavering()).await).await;
    let question = "which zebras of the lighthouse keep quantum umbrellas?";
    let ask_for = async |reading: usize| {
        ask(&server, json!({ "question": question, "method": "query", "reading": reading })).await
    };
    let words = |reply: &Value, at: usize| reply["readings"][at]["words"].clone();
    let (first, second) = (ask_for(1).await, ask_for(2).await);
    assert_eq!((&first["status"], &second["status"]), (&json!("answered"), &json!("answered")), "{second:#}");
    assert_eq!((words(&first, 0), words(&first, 1)), (words(&second, 1), words(&second, 0)));
    assert_ne!(first["table"]["columns"], second["table"]["columns"]);
    let markdown = second["markdown"].as_str().unwrap();
    assert!(markdown.contains("\n\nAnother reading (reading 1): "), "{markdown}");
    assert_eq!(second["trust"]["sureness"], "doubtful");
    let walked = json!({ "question": question, "method": "paths", "reading": 2 });
    assert_eq!(error(server.post("/api/v1/ask", &walked)).await, (400, "invalid_request".into()));
}

#[tokio::test]
async fn a_plan_holds_readings_and_no_values() {
    let server = serve(config(), scripted(model()).await).await;
    let plan = ask(&server, json!({ "question": QUESTION, "method": "query", "plan_only": true })).await;
    assert_eq!((&plan["status"], &plan["answers"]), (&json!("abstained"), &json!([])), "{plan:#}");
    assert!(
        plan.get("table").is_none() && plan["trust"].is_null() && plan["evidence"] == json!([]),
        "{plan:#}"
    );
    let reading = &plan["readings"][0];
    assert!(reading["sql"].is_string() && reading["sparql"].is_string(), "{plan:#}");
    assert!(reading.get("values").is_none(), "nothing was run: {plan:#}");
    assert!(plan["markdown"].as_str().unwrap().contains("I read this as: "), "{plan:#}");
}

#[tokio::test]
async fn a_chat_says_the_same_whole_and_streamed() {
    let server = serve(config(), scripted(model()).await).await;
    let mut body = json!({ "model": "quipu/query", "messages": [{ "role": "user", "content": QUESTION }] });
    let whole = ok(server.post("/v1/chat/completions", &body)).await;
    let content = whole["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(content.starts_with("| # | "), "{content}");
    assert!(content.contains("\n| 3 | Kauwboy | Boudewijn Koole | 2012 |\n"), "{content}");
    assert_eq!(whole["quipu"]["table"]["rows"].as_array().unwrap().len(), 3);
    assert_eq!(whole["quipu"]["trust"]["values_held"], true);
    body["stream"] = true.into();
    let text = server.post("/v1/chat/completions", &body).send().await.unwrap().text().await.unwrap();
    let chunks = support::events(&text);
    let chunks = chunks.iter().filter_map(|(_, data)| serde_json::from_str::<Value>(data).ok());
    let said: String = chunks
        .filter_map(|chunk| Some(chunk["choices"][0]["delta"]["content"].as_str()?.to_owned()))
        .collect();
    assert_eq!(said, content);
}

/// Two towns; one's name tries to break out of tables and links, and begins a heading.
const HOSTILE: &str = r#"
<http://t.example/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://t.example/town> .
<http://t.example/b> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://t.example/town> .
<http://t.example/a> <http://www.w3.org/2000/01/rdf-schema#label> "| [x](javascript:1) \n# hi" .
<http://t.example/b> <http://www.w3.org/2000/01/rdf-schema#label> "Lima" .
<http://t.example/a> <http://t.example/river> "Orle" .
<http://t.example/b> <http://t.example/river> "- *Rimac*" .
"#;

#[tokio::test]
async fn labels_are_no_markdown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("towns.nt");
    std::fs::write(&file, HOSTILE).unwrap();
    let path = folder.path().join("hostile");
    let graph = ImportConfig::new("hostile", vec![Input::File(file)]);
    Workspace::import(&path, &ImportRequest { graph, embedder: None, progress: None }).await.unwrap();
    let model = ScriptedModel::new().when(|_| Some("SELECT name, river FROM town".into()));
    let server = serve_workspaces(folder, config(), scripted(model).await, &[path]).await;
    let question = "give each town with its river";
    let reply = ask(&server, json!({ "question": question, "method": "query" })).await;
    let markdown = reply["markdown"].as_str().unwrap();
    let rows: Vec<&str> = markdown.lines().take_while(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 4, "{markdown}");
    assert!(rows.contains(&r"| \| \[x\](javascript:1) # hi | Orle |"), "{markdown}");
    assert!(rows.contains(&r"| Lima | \- \*Rimac\* |"), "{markdown}");
}
