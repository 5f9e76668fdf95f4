//! API graphs over servers that the tests start: a small library, and CRAG's published exchanges.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "set-up of tests"
)]

use crate::apis;
use std::collections::BTreeSet;

use apis::{LIBRARY, crag, crag_files, library, open, open_library};
use quipu_graph::{
    ApiConfig, ApiGraph, ErrorClass, Fill, FoundEntity, Graph, KindId, Manifest, Operation, OperationId,
    Record,
};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

fn kind(graph: &ApiGraph, name: &str) -> KindId {
    KindId(graph.service().kinds.iter().position(|kind| kind.name == name).unwrap())
}

fn operation(graph: &ApiGraph, path: &str) -> OperationId {
    OperationId(graph.service().operations.iter().position(|operation| operation.path() == path).unwrap())
}

async fn first(graph: &ApiGraph, of: &str, text: &str) -> FoundEntity {
    graph.find(kind(graph, of), text).await.unwrap().into_iter().next().unwrap()
}

/// `relation: values` of a node, one line each.
async fn facts(graph: &ApiGraph, node: quipu_graph::NodeId) -> Vec<String> {
    let mut lines = Vec::new();
    for expansion in graph.expand(&[node], None, 100).await.unwrap().remove(0) {
        let names = graph.summaries(&expansion.nodes).await.unwrap().into_iter().map(|summary| summary.name);
        let relation = &graph.relations()[expansion.step.relation.0 as usize].name;
        lines.push(format!("{relation}: {}", names.collect::<Vec<_>>().join(", ")));
    }
    lines.sort();
    lines
}

#[tokio::test]
async fn an_entity_is_searched_and_its_fields_and_operations_are_relations() {
    let server = library().await;
    let graph = open_library(&server);
    let author = first(&graph, "author", "Ada Berg").await;
    assert_eq!((author.key.as_str(), author.name.as_str()), ("1", "Ada Berg"));
    // The search returned whole records, so only the names of the books are fetched by id.
    assert_eq!(facts(&graph, author.node).await, ["books: Salt Roads, The Ninth Wave", "born: 1911-05-04"]);
    assert_eq!(graph.traffic().0, 3);

    let book = graph.resolve(&["book:10", "nothing:1"]).await.unwrap();
    assert_eq!(book[1], None);
    let found = facts(&graph, book[0].unwrap()).await;
    assert!(found.contains(&"author: Ada Berg".to_owned()), "{found:?}");
    assert!(
        found.contains(
            &"prizes: name: Orle Prize; won: true; year: 1938, name: Harbour Medal; won: false; year: 1939"
                .to_owned()
        ),
        "{found:?}"
    );
    assert!(found.contains(&"loans: date: 2024-01-30; loans: 2, date: 2024-02-26; loans: 3, date: 2024-02-27; loans: 5, date: 2024-02-28; loans: 1".to_owned()), "{found:?}");

    let summary = graph.summaries(&[author.node]).await.unwrap().remove(0);
    let types = graph.summaries(&summary.types).await.unwrap();
    assert_eq!((summary.key.as_str(), types[0].name.as_str()), ("author:1", "author"));
    assert!(!graph.schema(&summary.types).await.unwrap().is_empty());
}

#[tokio::test]
async fn calls_take_several_arguments_and_are_made_once() {
    let server = library().await;
    let graph = open_library(&server);
    let loans = operation(&graph, "/books/{id}/loans");
    let arguments =
        [("id".to_owned(), vec!["10".to_owned()]), ("month".to_owned(), vec!["2024-02".to_owned()])];
    for _ in 0..2 {
        let records = graph.call(loans, &arguments).await.unwrap();
        let lines: Vec<String> = records.iter().map(Record::to_line).collect();
        assert_eq!(
            lines,
            ["date: 2024-02-26; loans: 3", "date: 2024-02-27; loans: 5", "date: 2024-02-28; loans: 1"]
        );
        assert_eq!(records[0].path, "$['2024-02-26']");
    }
    assert_eq!(graph.traffic().0, 1);
    // A missing entity gives no record and no error.
    let nothing = [("id".to_owned(), vec!["99".to_owned()])];
    assert!(graph.call(operation(&graph, "/books/{id}"), &nothing).await.unwrap().is_empty());
    let error = graph.call(loans, &[]).await.unwrap_err().to_string();
    assert!(error.contains("id needs a value"), "{error}");
}

#[tokio::test]
async fn only_what_the_manifest_allows_is_called() {
    let server = library().await;
    let paths: Vec<String> =
        open_library(&server).service().operations.iter().map(|o| o.path().to_owned()).collect();
    assert!(!paths.contains(&"/members".to_owned()), "{paths:?}");
    let bare = open(&server, LIBRARY, None, |_| {});
    let paths: Vec<&str> = bare.service().operations.iter().map(Operation::path).collect();
    assert_eq!(paths, ["/authors", "/books"]);
    assert!(bare.service().notes.iter().any(|note| note.contains("/members") && note.contains("POST")));
}

/// The outcome of an operation that gets `response`: the error, or the number of records.
async fn check_failure(
    response: ResponseTemplate,
    change: impl FnOnce(&mut ApiConfig),
    expected: &str,
    requests: usize,
) {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(response).mount(&server).await;
    let graph = open(&server, LIBRARY, Some(apis::LIBRARY_MANIFEST), change);
    let arguments = [("q".to_owned(), vec!["Ada".to_owned()])];
    let error = graph.call(operation(&graph, "/authors"), &arguments).await.unwrap_err();
    assert!(error.to_string().contains(expected) && !error.to_string().contains("Ada"), "{error}");
    assert_eq!(server.received_requests().await.unwrap().len(), requests, "{error}");
}

#[tokio::test]
async fn what_a_service_may_do_wrong_is_told_and_never_taken_for_nothing() {
    let plain = |status: u16, text: &str| ResponseTemplate::new(status).set_body_raw(text, "text/html");
    check_failure(
        plain(200, "<html><title>Log in</title></html>"),
        |_| {},
        "expected JSON, found \"Log in\"",
        1,
    )
    .await;
    check_failure(plain(200, "{\"a\": [1, 2"), |_| {}, "expected JSON", 1).await;
    check_failure(plain(500, "out of order"), |_| {}, "HTTP 500: out of order (after 3 attempts)", 3).await;
    check_failure(plain(429, "slowly").insert_header("retry-after", "0"), |_| {}, "HTTP 429", 3).await;
    check_failure(plain(403, "no"), |_| {}, "HTTP 403", 1).await;
    check_failure(
        plain(302, "").insert_header("location", "http://other.example.org/x"),
        |_| {},
        "other.example.org/x; redirects are not followed",
        1,
    )
    .await;
    let slow = plain(200, "[]").set_delay(std::time::Duration::from_secs(30));
    check_failure(slow, |config| config.timeout = 1, "no answer within 1 s", 1).await;
    let huge = plain(200, &"x".repeat(2 << 20));
    check_failure(huge, |config| config.most_megabytes = 1, "longer than 1 MB", 1).await;
}

#[tokio::test]
async fn a_hundred_megabytes_are_not_read() {
    let server = MockServer::start().await;
    let body = vec![b' '; 100 << 20];
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200).set_body_raw(body, "application/json"))
        .mount(&server)
        .await;
    let graph = open(&server, LIBRARY, Some(apis::LIBRARY_MANIFEST), |_| {});
    let error = graph.find(kind(&graph, "author"), "Ada").await.unwrap_err();
    assert!(error.to_string().contains("longer than 16 MB"), "{error}");
    assert_eq!(graph.traffic().2, 0);
}

#[tokio::test]
async fn what_is_no_json_is_told_by_its_type() {
    for (kind, text) in
        [("text/csv", "id,name\n1,Orle\n"), ("application/xml", "<author><name>Orle</name></author>")]
    {
        let response = ResponseTemplate::new(200).set_body_raw(text, kind);
        check_failure(response, |_| {}, &format!("({kind}; only JSON is read)"), 1).await;
    }
    // JSON under another content type is still JSON.
    let server = MockServer::start().await;
    let found = r#"[{"id": 1, "name": "Ada Berg"}]"#;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200).set_body_raw(found, "text/html"))
        .mount(&server)
        .await;
    let graph = open(&server, LIBRARY, Some(apis::LIBRARY_MANIFEST), |_| {});
    assert_eq!(first(&graph, "author", "Ada Berg").await.key, "1");
}

#[tokio::test]
async fn a_service_without_its_certificate_and_an_endless_response_are_told() {
    let server = library().await;
    let graph = open(&server, LIBRARY, Some(apis::LIBRARY_MANIFEST), |config| {
        config.base = Some(server.uri().replace("http://", "https://"));
    });
    let error = graph.find(kind(&graph, "author"), "Ada").await.unwrap_err();
    assert!(
        error.to_string().contains("after 3 attempts") && error.class() == ErrorClass::Transient,
        "{error}"
    );

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        for mut stream in listener.incoming().flatten() {
            // Reads the request first.
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[0");
            while stream.write_all(&b",0".repeat(1 << 15)).is_ok() {}
        }
    });
    let graph = open(&server, LIBRARY, Some(apis::LIBRARY_MANIFEST), |config| {
        config.base = Some(base);
        config.most_megabytes = 2;
    });
    let error = graph.find(kind(&graph, "author"), "Ada").await.unwrap_err();
    assert!(error.to_string().contains("longer than 2 MB"), "{error}");
}

#[tokio::test]
async fn documents_in_yaml_and_forms_as_bodies() {
    let document = r#"
openapi: 3.0.3
info: {title: Forms, version: "1"}
paths:
  /search:
    post:
      operationId: search
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {required: [text], properties: {text: {type: string}, tags: {type: array, items: {type: string}}}}
      responses:
        200: {content: {application/json: {schema: {type: array, items: {properties: {name: {type: string}}}}}}}
  /upload:
    post:
      requestBody: {content: {application/xml: {schema: {type: object}}}}
"#;
    let manifest = "[kind.thing]\nsearch = ['search']\nlabel = 'name'\n\
                    [operation.search]\ntakes = { text = 'thing' }\ngives = 'thing'\n[operation.'/upload']";
    let server = MockServer::start().await;
    Mock::given(wiremock::matchers::body_string("tags=a&tags=b&text=salt+%26+ash"))
        .and(wiremock::matchers::header("content-type", "application/x-www-form-urlencoded"))
        .respond_with(ResponseTemplate::new(200).set_body_json(serde_json::json!([{"name": "Salt & Ash"}])))
        .mount(&server)
        .await;
    let graph = open(&server, document, Some(manifest), |config| config.openapi = "api.yaml".into());
    assert!(
        graph.service().notes[0].contains("/upload is not called: its body is application/xml"),
        "{:?}",
        graph.service().notes
    );
    let arguments = [
        ("text".to_owned(), vec!["salt & ash".to_owned()]),
        ("tags".to_owned(), vec!["a".to_owned(), "b".to_owned()]),
    ];
    let found = graph.call(operation(&graph, "/search"), &arguments).await.unwrap();
    assert_eq!(found[0].to_line(), "name: Salt & Ash");
}

#[tokio::test]
async fn private_addresses_are_refused_unless_allowed_by_name() {
    let server = library().await;
    for base in [server.uri(), server.uri().replace("127.0.0.1", "localhost")] {
        let graph = open(&server, LIBRARY, Some(apis::LIBRARY_MANIFEST), |config| {
            config.base = Some(base.clone());
            config.allow_hosts.clear();
        });
        let error = graph.find(kind(&graph, "author"), "Ada").await.unwrap_err();
        assert!(
            error.to_string().contains("private address") && error.to_string().contains("--allow-host"),
            "{error}"
        );
        assert_ne!(error.class(), ErrorClass::Transient);
    }
    assert!(server.received_requests().await.unwrap().is_empty());
    let graph = open(&server, LIBRARY, Some(apis::LIBRARY_MANIFEST), |config| {
        config.base = Some(format!("{}/v1", server.uri().replace("127.0.0.1", "localhost")));
        config.allow_hosts = vec!["LOCALHOST".into()];
    });
    assert_eq!(graph.find(kind(&graph, "author"), "Ada").await.unwrap().len(), 2);
}

#[tokio::test]
async fn secrets_are_sent_and_stand_nowhere() {
    let server = library().await;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("token");
    std::fs::write(&place, "very-secret\n").unwrap();
    let graph = open(&server, LIBRARY, Some(apis::LIBRARY_MANIFEST), |config| {
        config.base = Some(format!("{}/v1", server.uri()));
        config.auth = Some(format!("bearer:file:{}", place.display()));
        config.headers.insert("X-Key".into(), format!("file:{}", place.display()));
    });
    graph.find(kind(&graph, "author"), "Ada").await.unwrap();
    let sent = server.received_requests().await.unwrap().remove(0).headers;
    assert_eq!(sent["authorization"], "Bearer very-secret");
    assert_eq!(sent["x-key"], "very-secret");
    assert!(!format!("{graph:?} {:?}", graph.config()).contains("very-secret"));
}

/// The values of each parameter of a sample's operation, by the sample's positional arguments.
fn arguments_of(
    graph: &ApiGraph,
    operation: OperationId,
    sample: &serde_json::Value,
) -> Vec<(String, Vec<String>)> {
    // Samples are positional, as in CRAG's own Python client.
    let order: &[&str] = match graph.service().operation(operation).unwrap().path() {
        "/music/get_billboard_rank_date" => &["rank", "date"],
        "/music/get_billboard_attributes" => &["date", "attribute", "song_name"],
        "/sports/soccer/get_games_on_date" | "/sports/nba/get_games_on_date" => &["date", "team_name"],
        "/sports/nba/get_play_by_play_data_by_game_ids" => &["game_ids"],
        _ => &["query"],
    };
    let given = sample["arguments"].as_array().unwrap();
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let values = |value: &serde_json::Value| {
        value.as_array().map_or_else(|| vec![text(value)], |list| list.iter().map(text).collect())
    };
    order.iter().zip(given).map(|(name, value)| ((*name).to_owned(), values(value))).collect()
}

#[tokio::test]
async fn all_published_exchanges_of_crag_are_played() {
    let Some((document, samples)) = crag_files() else { return };
    let server = crag(&document, samples.clone()).await;
    let graph = open(&server, &document, Manifest::built_in("crag"), |_| {});
    assert!(graph.service().notes.is_empty(), "{:?}", graph.service().notes);
    let mut played = BTreeSet::new();
    for sample in &samples {
        let path = sample["function"].as_str().unwrap();
        let at = graph
            .service()
            .operations
            .iter()
            .position(|o| o.path().trim_start_matches('/').replace('/', "_") == path);
        let id = OperationId(at.unwrap_or_else(|| panic!("{path} is not in the manifest")));
        let records = graph.call(id, &arguments_of(&graph, id, sample)).await.unwrap();
        assert!(!records.is_empty(), "{path}");
        assert!(records.iter().all(|record| record.path.starts_with("$.result")), "{path}");
        played.insert(path.to_owned());
    }
    let by_minute = operation(&graph, "/finance/get_detailed_price_history");
    let arguments = [("query".to_owned(), vec!["META".to_owned()])];
    assert!(!graph.call(by_minute, &arguments).await.unwrap().is_empty());
    // The root, which says nothing, is not among the 38.
    assert_eq!(played.len(), 37, "{played:?}");
    assert_eq!(graph.service().operations.len(), 38);
    let mut domains = graph.service().domains();
    domains.sort_unstable();
    assert_eq!(domains, ["finance", "movie", "music", "open", "sports"]);
    for operation in &graph.service().operations {
        assert!(operation.takes.iter().all(|taken| taken.fill != Fill::Nothing), "{}", operation.path());
    }
}

#[tokio::test]
async fn from_a_search_to_details_by_id_and_from_a_name_to_a_symbol() {
    let Some((document, samples)) = crag_files() else { return };
    let server = crag(&document, samples).await;
    let graph = open(&server, &document, Manifest::built_in("crag"), |_| {});
    let person = first(&graph, "person", "Jackson").await;
    assert_eq!(person.key, "2949449");
    let film = graph.resolve(&["movie:100"]).await.unwrap()[0].unwrap();
    assert_eq!(graph.summaries(&[film]).await.unwrap()[0].name, "Lock, Stock and Two Smoking Barrels");
    let found = facts(&graph, film).await;
    assert!(
        found
            .iter()
            .any(|line| line.starts_with("crew: ") && line.contains("job: Director; name: Guy Ritchie")),
        "{found:?}"
    );
    assert!(
        found.contains(&"genres: Comedy, Crime".to_owned())
            && found.contains(&"release date: 1998-08-28".to_owned()),
        "{found:?}"
    );

    let (ticker, company) = (kind(&graph, "ticker"), kind(&graph, "company"));
    let named = graph.as_written(company, "Inflection Point Acquisition Corp. II Unit", "Inflection Point");
    assert_eq!(graph.derived(ticker, &named).await.unwrap()[0].key, "IPXXU");
    assert_eq!(graph.symbol(ticker, "meta").unwrap().key, "META");
    assert!(graph.symbol(ticker, "meta platforms").is_none() && graph.symbol(company, "meta").is_none());
    // All figures of a company are one hop from its ticker.
    let meta = graph.symbol(ticker, "meta").unwrap();
    let found = facts(&graph, meta.node).await;
    assert!(found.contains(&"earnings per share: 22.95".to_owned()), "{found:?}");
    assert!(found.contains(&"dividends: date: 2024-02-21; dividend: 0.5".to_owned()), "{found:?}");
}

#[tokio::test]
async fn tables_are_read_as_rows() {
    let Some((document, samples)) = crag_files() else { return };
    let server = crag(&document, samples).await;
    let graph = open(&server, &document, Manifest::built_in("crag"), |_| {});
    let call = |path: &'static str, arguments: &[(&str, &str)]| {
        let arguments: Vec<(String, Vec<String>)> =
            arguments.iter().map(|(name, value)| ((*name).to_owned(), vec![(*value).to_owned()])).collect();
        let graph = &graph;
        async move { graph.call(operation(graph, path), &arguments).await.unwrap() }
    };
    let games = call("/sports/nba/get_games_on_date", &[("date", "2022-10-11")]).await;
    assert_eq!(games.len(), 5);
    assert_eq!(games[2].values("team_name_home"), ["Chicago Bulls"]);
    assert_eq!(games[2].values("game_date"), ["2022-10-11"]);
    let soccer =
        call("/sports/soccer/get_games_on_date", &[("date", "2024-03-09"), ("team_name", "Everton")]).await;
    assert_eq!(
        (soccer[0].values("opponent"), soccer[0].values("GF")),
        (["Manchester Utd".to_owned()].as_slice(), ["0".to_owned()].as_slice())
    );
    let chart = call("/music/get_billboard_rank_date", &[("rank", "1"), ("date", "2024-02-28")]).await;
    assert_eq!(chart[0].to_line(), "song: Texas Hold 'Em; artist: Beyonce");
    let prices = call("/finance/get_price_history", &[("query", "META")]).await;
    assert_eq!(
        (prices[0].values("date"), prices[0].values("Close")),
        (["2023-02-28".to_owned()].as_slice(), ["174.7545928955078".to_owned()].as_slice())
    );
}
