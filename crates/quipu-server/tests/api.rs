//! Quipu's own API: questions, the graph, SPARQL, the description, counters.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::support;
use std::sync::Arc;

use quipu_model::ScriptedModel;
use quipu_server::ServerConfig;
use serde_json::{Value, json};
use support::{checked, config, error, events, no_model, ok, scripted, serve};

const QUESTION: &str = "who directed Kauwboy?";

#[tokio::test]
async fn an_answer_comes_with_its_evidence_in_sentences() {
    let server = serve(config(), no_model().await).await;
    let reply = ok(server.post("/api/v1/ask", &json!({ "question": QUESTION, "trace": true }))).await;
    assert_eq!((&reply["status"], &reply["grounded"]), (&json!("answered"), &json!(true)));
    assert_eq!(reply["cited"]["text"], "Boudewijn Koole [1]");
    assert_eq!(reply["sentences"][0], "Kauwboy – directed by – Boudewijn Koole");
    assert_eq!(reply["sentences"].as_array().unwrap().len(), reply["evidence"].as_array().unwrap().len());
    assert_eq!((&reply["workspace"], &reply["method"]), (&json!("films"), &json!("paths")));
    assert!(reply["trace"].as_array().is_some_and(|events| !events.is_empty()));
}

#[tokio::test]
async fn an_answer_says_how_far_it_can_be_trusted() {
    let server = serve(config(), no_model().await).await;
    let reply = ok(server.post("/api/v1/ask", &json!({ "question": QUESTION }))).await;
    let trust = &reply["trust"];
    assert_eq!(
        (&trust["values_held"], &trust["values"]),
        (&json!(true), &json!("The value stands in the graph."))
    );
    assert!(trust["reading"].as_str().is_some_and(|said| said.starts_with("The reading is ")), "{trust}");
    let markdown = reply["markdown"].as_str().unwrap();
    assert!(markdown.starts_with(reply["cited"]["text"].as_str().unwrap()), "{markdown}");
    assert!(markdown.contains("I read this as: who Kauwboy was directed by."), "{markdown}");
    let abstained = ok(server.post("/api/v1/ask", &json!({ "question": "who painted Xyzzyplugh?" }))).await;
    assert_eq!((&abstained["status"], &abstained["trust"]), (&json!("abstained"), &Value::Null));
}

#[tokio::test]
async fn a_reading_is_a_number_and_described() {
    let server = serve(config(), no_model().await).await;
    for wrong in [json!({ "reading": -1 }), json!({ "reading": "2" }), json!({ "plan_only": 1 })] {
        let mut body = wrong.clone();
        body["question"] = QUESTION.into();
        assert_eq!(error(server.post("/api/v1/ask", &body)).await.0, 400, "{wrong}");
        let chat = json!({ "model": "quipu", "messages": [{ "role": "user", "content": QUESTION }], "quipu": wrong });
        assert_eq!(error(server.post("/v1/chat/completions", &chat)).await.0, 400, "{wrong}");
    }
    let schemas = ok(server.get("/openapi.json")).await["components"]["schemas"].clone();
    let asked = &schemas["AskRequest"];
    assert_eq!(asked["properties"]["reading"]["default"], 0);
    assert_eq!(asked["properties"]["plan_only"]["default"], false);
    assert!(!asked["required"].as_array().unwrap().contains(&json!("reading")), "{asked}");
    let told = |name: &str, field: &str| schemas[name]["properties"].get(field).is_some();
    for field in ["table", "readings", "trust", "markdown", "cited"] {
        assert!(told("Reply", field), "{field}");
    }
    assert!(told("AnswerTable", "left_out") && told("Reading", "sparql") && told("Trust", "sureness"));
}

#[tokio::test]
async fn a_stream_tells_the_story_and_then_the_answer() {
    let server = serve(config(), no_model().await).await;
    let ask =
        server.post("/api/v1/ask", &json!({ "question": QUESTION })).header("accept", "text/event-stream");
    let events = events(&ask.send().await.unwrap().text().await.unwrap());
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.len() > 2 && names[..names.len() - 1].iter().all(|name| *name == "trace"), "{names:?}");
    let answer: Value = serde_json::from_str(&events.last().unwrap().1).unwrap();
    assert_eq!((names[names.len() - 1], &answer["answers"]), ("answer", &json!(["Boudewijn Koole"])));
    let first: Value = serde_json::from_str(&events[0].1).unwrap();
    assert!(first["stage"].is_string() && first["event"].is_string());
}

#[tokio::test]
async fn anchors_say_which_entity_is_meant() {
    let server = serve(config(), no_model().await).await;
    let body = json!({ "question": "who directed it?", "anchors": ["Tonio"] });
    assert_eq!(ok(server.post("/api/v1/ask", &body)).await["answers"], json!(["Paula van der Oest"]));
}

#[tokio::test]
async fn several_methods_answer_side_by_side() {
    let model = ScriptedModel::new().always("compose.io", r#"{"answers": ["Someone else"]}"#);
    let server = serve(config(), scripted(model).await).await;
    let body = json!({ "ask": { "question": QUESTION }, "methods": ["paths", "io"] });
    let results = ok(server.post("/api/v1/compare", &body)).await["results"].clone();
    assert_eq!(results[0]["reply"]["answers"], json!(["Boudewijn Koole"]));
    assert_eq!(results[1]["reply"]["answers"], json!(["Someone else"]));
    assert_eq!(results[1]["reply"]["grounded"], false);
    let many = json!({ "ask": { "question": QUESTION }, "methods": ["io", "io", "io", "io", "io"] });
    assert_eq!(error(server.post("/api/v1/compare", &many)).await.0, 400);
}

#[tokio::test]
async fn the_graph_can_be_looked_into() {
    let server = serve(config(), no_model().await).await;
    let linked = ok(server.post("/api/v1/link", &json!({ "text": QUESTION }))).await;
    assert_eq!(linked["mentions"][0]["candidates"][0]["id"], "Kauwboy");
    let found = ok(server.get("/api/v1/entities").query(&[("name", "kauwboi")])).await;
    assert_eq!(found["entities"][0]["name"], "Kauwboy");
    let entity = ok(server.get("/api/v1/entities/Boudewijn%20Koole")).await;
    assert_eq!(entity["name"], "Boudewijn Koole");
    let relation =
        &entity["relations"].as_array().unwrap().iter().find(|r| r["id"] == "directed_by").unwrap();
    assert_eq!((&relation["direction"], &relation["fan_out"]), (&json!("backward"), &json!(2)));
    let around =
        server.get("/api/v1/neighbourhood").query(&[("id", "Kauwboy"), ("relation", "starred_actors")]);
    let around = ok(around).await;
    assert_eq!(around["relations"].as_array().unwrap().len(), 1);
    assert_eq!(around["relations"][0]["neighbours"].as_array().unwrap().len(), 2);
    let search = ok(server.get("/api/v1/search").query(&[("q", "Tonio")])).await;
    assert_eq!(search["entities"][0]["id"], "Tonio");
    let documents = ok(server.get("/api/v1/search").query(&[("q", "Tonio"), ("in", "documents")])).await;
    assert_eq!(documents["passages"], json!([]));
    assert_eq!(error(server.get("/api/v1/entities/Nobody")).await, (404, "entity_not_found".into()));
    let nowhere = server.get("/api/v1/neighbourhood").query(&[("id", "Kauwboy"), ("relation", "no_such")]);
    assert_eq!(error(nowhere).await, (404, "relation_not_found".into()));
}

#[tokio::test]
async fn sparql_follows_the_protocol() {
    let server = serve(config(), no_model().await).await;
    let query = "SELECT ?f { ?f <urn:quipu:directed_by> <urn:quipu:Boudewijn%20Koole> } ORDER BY ?f";
    let rows = ok(server.get("/sparql").query(&[("query", query)])).await;
    assert_eq!(rows["results"]["bindings"][0]["f"]["value"], "urn:quipu:Disappearance");
    let csv = server.client.post(format!("{}/sparql", server.base)).header("accept", "text/csv");
    let csv = csv.header("content-type", "application/sparql-query").body(query);
    let response = csv.send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/csv");
    assert_eq!(response.text().await.unwrap().lines().count(), 3);
    let form = server.client.post(format!("{}/sparql", server.base)).form(&[("query", "ASK { ?s ?p ?o }")]);
    assert_eq!(ok(form).await["boolean"], true);
    let triples =
        server.get("/sparql").query(&[("query", "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } LIMIT 2")]);
    let triples = triples.send().await.unwrap();
    assert_eq!(triples.headers()["content-type"], "application/n-triples");
    assert_eq!(triples.text().await.unwrap().lines().count(), 2);
    for (accept, part) in [("text/tab-separated-values", "?f"), ("application/sparql-results+xml", "<sparql")]
    {
        let result = server.get("/sparql").query(&[("query", query)]).header("accept", accept);
        assert!(result.send().await.unwrap().text().await.unwrap().contains(part));
    }
    let elsewhere = [("query", query), ("default-graph-uri", "http://example.org/g")];
    let none = json!([]);
    assert_eq!(ok(server.get("/sparql").query(&elsewhere)).await["results"]["bindings"], none);
    let form = server.client.post(format!("{}/sparql", server.base)).form(&elsewhere);
    assert_eq!(ok(form).await["results"]["bindings"], none);
    let image = server.get("/sparql").query(&[("query", query)]).header("accept", "image/png");
    assert_eq!(error(image).await.0, 406);
}

#[tokio::test]
async fn sparql_changes_nothing_and_is_bounded() {
    let sparql = quipu_server::SparqlConfig { rows: 5, timeout: 1, ..Default::default() };
    let server = serve(ServerConfig { sparql, ..config() }, no_model().await).await;
    let update = server
        .client
        .post(format!("{}/sparql", server.base))
        .form(&[("update", "DELETE WHERE { ?s ?p ?o }")]);
    assert_eq!(error(update).await, (403, "read_only".into()));
    for wrong in
        ["DELETE WHERE { ?s ?p ?o }", "SELEKT", "", "SELECT * { SERVICE <http://localhost:1/> { ?s ?p ?o } }"]
    {
        assert_eq!(error(server.get("/sparql").query(&[("query", wrong)])).await.0, 400, "{wrong}");
    }
    assert_eq!(error(server.get("/sparql")).await.0, 400);
    let many = server.get("/sparql").query(&[("query", "SELECT * { ?s ?p ?o }")]);
    assert_eq!(error(many).await.0, 400);
    let product: String = (0..12).map(|n| format!("?a{n} ?b{n} ?c{n} . ")).collect();
    let endless = format!("SELECT (COUNT(*) AS ?n) {{ {product} FILTER(?a0 = ?a11 && ?c3 = ?b9) }}");
    assert_eq!(error(server.get("/sparql").query(&[("query", &endless)])).await.0, 400);
}

/// Each of these would crash the process, occupy a processor forever, or take all memory.
#[tokio::test]
async fn malicious_queries_are_refused_and_the_next_one_is_answered() {
    let sparql =
        quipu_server::SparqlConfig { timeout: 5, memory: 1 << 20, concurrency: 1, ..Default::default() };
    let server = serve(ServerConfig { sparql, ..config() }, no_model().await).await;
    let product = "?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l";
    let nested = 15_000;
    for (query, reason) in [
        (format!("SELECT * {{ {product} }} ORDER BY ?a ?d ?g ?j"), "holds more than 1 MiB"),
        (format!("SELECT * {{ {}{} }}", "{".repeat(nested), "}".repeat(nested)), ""),
        (format!("SELECT ({}1{} AS ?x) {{}}", "(".repeat(nested), ")".repeat(nested)), ""),
        (format!("SELECT * {{ {} {{}} }}", "{} UNION ".repeat(6_000)), "the limit is 500"),
        (format!("ASK {{ {} FILTER(false) }}", "{ {} UNION {} } ".repeat(60)), ""),
        ("#".repeat(200_000), "longer than"),
        ("SELECT (REPLACE(REPLACE(\"aaaaaaaaaaaaaaaaaaaaaaaaaaaa\", \"a\", \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"), \"a\", \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\") AS ?x) {}".to_owned(), "a text that is too long"),
    ] {
        let form = server.client.post(format!("{}/sparql", server.base)).form(&[("query", &query)]);
        let response = form.send().await.unwrap();
        let (status, text) = (response.status().as_u16(), response.text().await.unwrap());
        assert!([200, 400].contains(&status) && text.contains(reason), "{query:.60}: {status} {text:.300}");
        // The only permit has been released.
        assert_eq!(ok(server.get("/sparql").query(&[("query", "ASK {}")])).await["boolean"], true);
    }
}

#[tokio::test]
async fn feedback_is_kept_where_it_is_switched_on() {
    let body = json!({ "question": QUESTION, "right": false, "expected": ["Somebody"] });
    let off = serve(config(), no_model().await).await;
    assert_eq!(error(off.post("/api/v1/feedback", &body)).await, (403, "feedback_off".into()));
    let on = serve(ServerConfig { feedback: true, ..config() }, no_model().await).await;
    assert_eq!(ok(on.post("/api/v1/feedback", &body)).await["kept"], true);
    ok(on.post("/api/v1/feedback", &body)).await;
    let kept = std::fs::read_to_string(on.folder.path().join("films/feedback.jsonl")).unwrap();
    let line: Value = serde_json::from_str(kept.lines().next().unwrap()).unwrap();
    assert_eq!((kept.lines().count(), &line["question"]), (2, &json!(QUESTION)));
}

#[tokio::test]
async fn feedback_makes_solved_examples_where_that_is_switched_on() {
    let body = |right: bool, answers: &[&str], expected: &[&str]| json!({ "question": QUESTION, "right": right, "answers": answers, "expected": expected });
    let kept = serve(ServerConfig { feedback: true, ..config() }, no_model().await).await;
    let told = ok(kept.post("/api/v1/feedback", &body(true, &["Boudewijn Koole"], &[]))).await;
    assert_eq!(told["learnt"], Value::Null);
    assert!(!kept.folder.path().join("films/examples.toml").exists());

    let learning = ServerConfig { feedback: true, learn_from_feedback: true, ..config() };
    let server = serve(learning, no_model().await).await;
    let told = ok(server.post("/api/v1/feedback", &body(true, &["Boudewijn Koole"], &[]))).await;
    assert_eq!(told["learnt"], "the directors of X", "{told}");
    // No path leads from the film to this, and no right answer is given.
    let told = ok(server.post("/api/v1/feedback", &body(false, &[], &["Nobody"]))).await;
    assert!(told["learnt"].is_null() && told["not_learnt"].as_str().unwrap().contains("Nobody"), "{told}");
    let told = ok(server.post("/api/v1/feedback", &body(false, &["Nobody"], &[]))).await;
    assert!(told["learnt"].is_null() && told["not_learnt"].is_null(), "{told}");
    // The example plans a question of the same shape.
    let score = async |server: &support::Running| {
        let next = json!({ "question": "who directed Tonio?", "trace": true });
        let answer = ok(server.post("/api/v1/ask", &next)).await;
        assert_eq!(answer["answers"], json!(["Paula van der Oest"]));
        let ranked = answer["trace"].as_array().unwrap().iter().find(|event| event["event"] == "ranked");
        ranked.unwrap()["paths"][0]["score"].as_f64().unwrap()
    };
    assert!(score(&server).await > score(&kept).await);
    let written = std::fs::read_to_string(server.folder.path().join("films/examples.toml")).unwrap();
    assert!(written.contains("directed_by") && written.contains(QUESTION), "{written}");
}

#[tokio::test]
async fn the_state_is_told() {
    let server = serve(config(), no_model().await).await;
    let status = ok(server.get("/api/v1/status")).await;
    assert_eq!((&status["llm"], &status["method"]), (&Value::Null, &json!("paths")));
    assert_eq!(
        (&status["workspaces"][0]["name"], &status["workspaces"][0]["triples"]),
        (&json!("films"), &json!(14))
    );
    for path in ["/healthz", "/readyz"] {
        assert_eq!(ok(server.get(path)).await["status"], "ok");
    }
    ok(server.post("/api/v1/ask", &json!({ "question": QUESTION }))).await;
    assert!(server.metric(r#"quipu_questions_total{method="paths",outcome="answered"}"#).await > 0.5);
    assert!(server.metric(r#"quipu_answers_total{grounded="true"}"#).await > 0.5);
    assert!(server.metric(r#"quipu_stage_seconds_count{stage="plan"}"#).await > 0.5);
    let text = server.get("/metrics").send().await.unwrap().text().await.unwrap();
    assert!(!text.contains("Kauwboy") && text.ends_with("# EOF\n"), "{text}");
}

#[tokio::test]
async fn without_a_model_the_graph_is_served_and_the_reason_told() {
    let models =
        quipu_server::Models { problem: Some("model x is not on this machine".into()), ..no_model().await };
    let server = serve(config(), models).await;
    assert_eq!(ok(server.get("/api/v1/status")).await["llm_problem"], "model x is not on this machine");
    ok(server.get("/api/v1/entities/Tonio")).await;
    let asked =
        server.post("/api/v1/ask", &json!({ "question": QUESTION, "method": "io" })).send().await.unwrap();
    let text = asked.text().await.unwrap();
    assert!(text.contains("model_missing") && text.contains("model x is not on this machine"), "{text}");
}

#[tokio::test]
async fn every_address_is_described_and_every_description_is_true() {
    let server = serve(config(), no_model().await).await;
    let api = ok(server.get("/openapi.json")).await;
    assert_eq!(api["openapi"], "3.1.0");
    let paths = api["paths"].as_object().unwrap();
    for path in [
        "/v1/models",
        "/v1/models/{id}",
        "/v1/chat/completions",
        "/v1/responses",
        "/api/v1/ask",
        "/api/v1/compare",
        "/api/v1/link",
        "/api/v1/entities",
        "/api/v1/entities/{id}",
        "/api/v1/neighbourhood",
        "/api/v1/overview",
        "/api/v1/starters",
        "/api/v1/tables/{table}",
        "/api/v1/search",
        "/api/v1/feedback",
        "/sparql",
        "/metrics",
    ] {
        assert!(paths.contains_key(path), "{path}");
    }
    for (path, operations) in paths {
        for verb in operations.as_object().unwrap().keys() {
            let path = path.replace("models/{id}", "models/quipu").replace("{id}", "Tonio");
            let url = format!("{}{}", server.base, path.replace("{table}", "thing"));
            let response =
                server.client.request(verb.to_uppercase().parse().unwrap(), url).send().await.unwrap();
            assert!(![404, 405].contains(&response.status().as_u16()), "{verb} {path}");
        }
    }
    let docs = server.get("/docs").send().await.unwrap().text().await.unwrap();
    assert!(docs.contains("/api/v1/ask") && !docs.contains("<style"), "{docs}");
}

#[tokio::test]
async fn browsers_are_told_to_be_careful() {
    let server = serve(config(), no_model().await).await;
    for path in ["/", "/docs", "/api/v1/status", "/nothing"] {
        let response = server.get(path).header("origin", "https://elsewhere.example").send().await.unwrap();
        let headers = response.headers();
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(headers["x-content-type-options"], "nosniff");
        assert!(headers.get("access-control-allow-origin").is_none());
        assert!(headers.contains_key("x-request-id"));
    }
    let cors = vec!["https://app.example".to_owned()];
    let open = serve(ServerConfig { cors, ..config() }, no_model().await).await;
    let response = open.get("/api/v1/status").header("origin", "https://app.example").send().await.unwrap();
    assert_eq!(response.headers()["access-control-allow-origin"], "https://app.example");
    let named = server.get("/healthz").header("x-request-id", "mine-1").send().await.unwrap();
    assert_eq!(named.headers()["x-request-id"], "mine-1");
}

#[tokio::test]
async fn a_server_of_this_machine_answers_to_no_other_name() {
    let server = serve(config(), no_model().await).await;
    let rebound = server.get("/api/v1/status").header("host", "evil.example");
    assert_eq!(error(rebound).await, (403, "host_forbidden".into()));
}

#[tokio::test]
async fn a_graphs_text_is_data_in_every_reply() {
    let server = serve(config(), no_model().await).await;
    let script = "<script>alert(1)</script>";
    let response = server.get("/api/v1/entities").query(&[("name", script)]).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "application/json");
    let body = checked(200, &response.text().await.unwrap());
    assert_eq!(body["entities"][0]["id"], script);
    let model = Arc::new(ScriptedModel::new().always("compose.io", r#"{"answers": ["<b>x</b>"]}"#));
    let told = serve(config(), support::with_model(model).await).await;
    let answer = ok(told.post("/api/v1/ask", &json!({ "question": script, "method": "io" }))).await;
    assert_eq!(answer["answers"][0], "<b>x</b>");
}
