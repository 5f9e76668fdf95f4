//! Endpoints that are down, slow, busy or wrong: each gives an error that names endpoint and stage,
//! never an empty result.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::Duration;

use quipu_graph::{
    Catalogue, EndpointConfig, EndpointGraph, EndpointParts, EndpointProblem, ErrorClass, Graph, GraphError,
    HttpMethod, QueryGraphs, QueryOptions, survey,
};
use wiremock::matchers::{body_string_contains, header, method, query_param_contains};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

const CATALOGUE: &str = r#"{
  "version": 1, "server": "Mock", "notes": [], "schema": [],
  "profile": { "name": "rdf" },
  "description": { "name": "mock", "triples": 9, "entities": 9, "literals": 0, "relations": 1, "types": 0, "documents": 0 },
  "relations": [{ "key": "http://e.org/p", "name": "p", "role": "ordinary", "triples": 9, "heads": 1, "tails": 9 }]
}"#;
const NODE: &str = "http://e.org/a";
const COUNT: &str = "COUNT";

fn config(url: &str) -> EndpointConfig {
    EndpointConfig {
        url: url.into(),
        attempts: 3,
        pause: 1,
        timeout: 5,
        graphs: vec!["http://e.org/g".into()],
        ..EndpointConfig::default()
    }
}

fn graph(config: EndpointConfig, cache: Option<&Path>) -> EndpointGraph {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("catalogue.json");
    std::fs::write(&path, CATALOGUE).unwrap();
    let catalogue = Catalogue::read(&path).unwrap();
    EndpointGraph::open(EndpointParts { config, catalogue, names: None, cache: cache.map(Path::to_owned) })
        .unwrap()
}

/// Rows of `?d ?n ?p ?c`: the node has `count` neighbours.
fn counts(count: u32) -> String {
    format!(
        r#"{{"head":{{"vars":["d","n","p","q","c"]}},"results":{{"bindings":[
        {{"d":{{"type":"literal","value":"f"}},"n":{{"type":"uri","value":"{NODE}"}},"p":{{"type":"uri","value":"http://e.org/p"}},
          "c":{{"type":"literal","value":"{count}"}}}}]}}}}"#
    )
}

/// Rows of `?d ?n ?p ?o`.
fn neighbours(range: std::ops::Range<u32>) -> String {
    let rows: Vec<String> = range
        .map(|number| {
            format!(
                r#"{{"d":{{"type":"literal","value":"f"}},"n":{{"type":"uri","value":"{NODE}"}},
                "p":{{"type":"uri","value":"http://e.org/p"}},"o":{{"type":"uri","value":"http://e.org/o{number}"}}}}"#
            )
        })
        .collect();
    format!(r#"{{"head":{{"vars":["d","n","p","q","o"]}},"results":{{"bindings":[{}]}}}}"#, rows.join(","))
}

fn results(body: impl Into<String>) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(body.into(), "application/sparql-results+json")
}

async fn always(server: &MockServer, response: ResponseTemplate) {
    Mock::given(method("POST")).respond_with(response).mount(server).await;
}

/// The graph's error for an endpoint with this response, and the number of its requests.
async fn outcome(response: ResponseTemplate) -> (GraphError, usize) {
    let server = MockServer::start().await;
    always(&server, response).await;
    let graph = graph(config(&server.uri()), None);
    let error = graph.resolve(&[NODE]).await.expect_err("an error is no empty result");
    (error, server.received_requests().await.unwrap().len())
}

fn check(error: &GraphError, class: ErrorClass, words: &str) {
    let message = error.to_string();
    assert_eq!(error.class(), class, "{message}");
    assert!(
        message.contains("endpoint http") && message.contains("counting the relations of nodes"),
        "{message}"
    );
    assert!(message.contains(words), "{message}");
}

#[tokio::test]
async fn an_endpoint_that_lost_its_triples_is_no_wrong_usage() {
    let server = MockServer::start().await;
    always(&server, results(r#"{"head":{"vars":["s"]},"results":{"bindings":[]}}"#)).await;
    let error = graph(config(&server.uri()), None).reach().await.unwrap_err();
    assert_eq!(error.class(), ErrorClass::Permanent, "{error}");
    assert!(
        error.to_string().contains("the endpoint holds no triples any more; load its data again"),
        "{error}"
    );
}

#[tokio::test]
async fn down() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for scheme in ["http", "https"] {
        let graph = graph(config(&format!("{scheme}://127.0.0.1:{port}/sparql")), None);
        let error = graph.resolve(&[NODE]).await.unwrap_err();
        check(&error, ErrorClass::Transient, "after 3 attempts");
    }
}

#[tokio::test]
async fn no_certificate() {
    let server = MockServer::start().await;
    let url = server.uri().replace("http://", "https://");
    let error = graph(config(&url), None).resolve(&[NODE]).await.unwrap_err();
    check(&error, ErrorClass::Transient, "after 3 attempts");
}

#[tokio::test]
async fn slow() {
    let server = MockServer::start().await;
    always(&server, results(counts(1)).set_delay(Duration::from_secs(30))).await;
    let graph = graph(EndpointConfig { timeout: 1, ..config(&server.uri()) }, None);
    let error = graph.resolve(&[NODE]).await.unwrap_err();
    check(&error, ErrorClass::Transient, "no answer within 1 s");
    let asked = server.received_requests().await.unwrap().len();
    assert_eq!(asked, 1, "the same question takes the same time again");
}

#[tokio::test]
async fn pages_instead_of_results() {
    let page = "<html><head><title>Log in first</title></head><body>...</body></html>";
    let (error, asked) = outcome(ResponseTemplate::new(200).set_body_raw(page, "text/html")).await;
    check(&error, ErrorClass::Permanent, "found a page (text/html): Log in first");
    assert_eq!(asked, 1);
    let (error, asked) = outcome(ResponseTemplate::new(502).set_body_raw(page, "text/html")).await;
    check(&error, ErrorClass::Transient, "HTTP 502: Log in first");
    assert_eq!(asked, 3);
}

#[tokio::test]
async fn other_content_and_other_shapes() {
    let (error, asked) = outcome(ResponseTemplate::new(200).set_body_raw("s,p,o\n", "text/csv")).await;
    check(&error, ErrorClass::Permanent, "content type \"text/csv\"");
    assert_eq!(asked, 1);
    for shape in [r#"{"results":null}"#, r#"{"boolean":true}"#, "[1]", r#"{"results":{"bindings":{}}}"#] {
        let (error, _) = outcome(results(shape)).await;
        assert_eq!(error.class(), ErrorClass::Permanent, "{shape}: {error}");
    }
}

#[tokio::test]
async fn broken_off() {
    let whole = counts(1);
    let (error, asked) = outcome(results(&whole[..whole.len() - 9])).await;
    check(&error, ErrorClass::Transient, "the reply broke off");
    assert_eq!(asked, 3);
    let (error, _) = outcome(results("")).await;
    check(&error, ErrorClass::Transient, "the reply broke off");
}

#[tokio::test]
async fn endless() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/sparql", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            // Reads the request first.
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/sparql-results+json\r\n\r\n{\"results\":[",
            );
            let chunk = [b' '; 1 << 16];
            while stream.write_all(&chunk).is_ok() {}
        }
    });
    let error =
        graph(EndpointConfig { timeout: 30, ..config(&url) }, None).resolve(&[NODE]).await.unwrap_err();
    check(&error, ErrorClass::Permanent, "the reply does not end within");
}

#[tokio::test]
async fn refused() {
    let (error, asked) = outcome(ResponseTemplate::new(401)).await;
    check(&error, ErrorClass::User, "HTTP 401: an empty reply");
    assert_eq!(asked, 1);
    let (error, asked) =
        outcome(ResponseTemplate::new(400).set_body_string("Virtuoso 37000 Error SP030: syntax error")).await;
    check(&error, ErrorClass::Permanent, "SP030");
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn busy_and_then_back() {
    for status in [429, 500, 503] {
        let server = MockServer::start().await;
        let busy = ResponseTemplate::new(status).insert_header("Retry-After", "0");
        Mock::given(method("POST")).respond_with(busy).up_to_n_times(2).mount(&server).await;
        always(&server, results(counts(1))).await;
        let found = graph(config(&server.uri()), None).resolve(&[NODE]).await.unwrap();
        assert!(found[0].is_some(), "{status}");
        assert_eq!(server.received_requests().await.unwrap().len(), 3);
    }
    let (error, asked) = outcome(ResponseTemplate::new(429).insert_header("Retry-After", "0")).await;
    check(&error, ErrorClass::Transient, "HTTP 429");
    assert_eq!(asked, 3);
}

#[tokio::test]
async fn results_cut_short_are_noticed() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(body_string_contains(COUNT))
        .respond_with(results(counts(5)))
        .mount(&server)
        .await;
    let page = |offset: &str, range| {
        Mock::given(method("POST"))
            .and(body_string_contains(format!("OFFSET+{offset}")))
            .respond_with(results(neighbours(range)))
    };
    page("0", 0..2).mount(&server).await;
    page("2", 2..4).mount(&server).await;
    page("4", 4..5).mount(&server).await;
    always(&server, results(neighbours(0..2)).insert_header("X-SPARQL-MaxRows", "2")).await;
    let graph = graph(config(&server.uri()), None);
    let node = graph.node_of_key(NODE);
    let expanded = graph.expand(&[node], None, 100).await.unwrap();
    assert_eq!((expanded[0][0].fan_out, expanded[0][0].nodes.len()), (5, 5), "the rest was fetched in pages");
}

#[tokio::test]
async fn results_that_stay_cut_are_an_error() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(body_string_contains(COUNT))
        .respond_with(results(counts(5)))
        .mount(&server)
        .await;
    Mock::given(method("POST"))
        .and(body_string_contains("OFFSET+0"))
        .respond_with(results(neighbours(0..2)))
        .mount(&server)
        .await;
    Mock::given(method("POST"))
        .and(body_string_contains("OFFSET"))
        .respond_with(results(neighbours(0..0)))
        .mount(&server)
        .await;
    always(&server, results(neighbours(0..2))).await;
    let graph = graph(config(&server.uri()), None);
    let error = graph.expand(&[graph.node_of_key(NODE)], None, 100).await.unwrap_err();
    assert!(error.to_string().contains("the endpoint gave 2 of the 5 rows that it counts"), "{error}");
    assert!(matches!(error, GraphError::Endpoint { problem: EndpointProblem::Incomplete { .. }, .. }));
}

#[tokio::test]
async fn an_endpoint_that_gives_the_same_page_at_every_offset_is_left() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(body_string_contains(COUNT))
        .respond_with(results(counts(1_000_000)))
        .mount(&server)
        .await;
    always(&server, results(neighbours(0..2))).await;
    let graph = graph(EndpointConfig { whole: 2_000_000, ..config(&server.uri()) }, None);
    let error = graph.expand(&[graph.node_of_key(NODE)], None, 100).await.unwrap_err();
    assert!(error.to_string().contains("the endpoint gave 2 of the "), "{error}");
    assert!(server.received_requests().await.unwrap().len() < 10);
}

#[tokio::test]
async fn virtuosos_partial_results_are_no_results() {
    let (error, _) = outcome(results(counts(1)).insert_header("X-SQL-State", "S1TAT")).await;
    check(&error, ErrorClass::Transient, "no answer within");
}

#[tokio::test]
async fn a_batch_that_is_too_much_is_halved() {
    let server = MockServer::start().await;
    let answer = |request: &Request| {
        let nodes = String::from_utf8_lossy(&request.body).matches("e.org%2Fn").count();
        // Each node appears in both directions.
        if nodes > 4 {
            ResponseTemplate::new(500).set_body_string("Virtuoso 42000 Error SQ200: memory")
        } else {
            results(counts(1))
        }
    };
    Mock::given(method("POST")).respond_with(answer).mount(&server).await;
    let graph = graph(config(&server.uri()), None);
    let keys: Vec<String> = (0..8).map(|number| format!("http://e.org/n{number}")).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    graph.resolve(&keys).await.unwrap();
    assert_eq!(server.received_requests().await.unwrap().len(), 7, "8, 4 and 4 fail; four times 2 succeed");
}

#[tokio::test]
async fn a_query_is_asked_over_the_graphs_that_its_sender_names() {
    let server = MockServer::start().await;
    let reply = r#"{"head": {}, "boolean": true}"#;
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(200).set_body_raw(reply, "application/sparql-results+json"))
        .mount(&server)
        .await;
    let asked = async |open: &[&str], default: &str, named: &[&str]| {
        let owned = |iris: &[&str]| iris.iter().map(|iri| (*iri).to_owned()).collect();
        let graph = graph(EndpointConfig { graphs: owned(open), ..config(&server.uri()) }, None);
        let graphs = QueryGraphs { default: owned(&[default]), named: owned(named) };
        let (query, options) = ("ASK { ?s ?p ?o }", QueryOptions::default());
        graph.query_over(&graphs, query, &options, &mut Vec::new()).await.map(|_| ())
    };
    asked(&[], "http://e.org/a", &["http://e.org/b"]).await.unwrap();
    asked(&["http://e.org/a", "http://e.org/b"], "http://e.org/b", &[]).await.unwrap();
    let closed = asked(&["http://e.org/a"], "http://e.org/b", &[]).await.unwrap_err().to_string();
    assert!(closed.contains("http://e.org/b is not open"), "{closed}");
    let sent = server.received_requests().await.unwrap();
    let graphs: Vec<String> = sent
        .iter()
        .map(|request| {
            let body = String::from_utf8_lossy(&request.body).into_owned();
            body.split('&').filter(|field| field.contains("graph-uri")).collect::<Vec<_>>().join("&")
        })
        .collect();
    let uri = |letter: &str| format!("graph-uri=http%3A%2F%2Fe.org%2F{letter}");
    let both = format!("default-{}&named-{}", uri("a"), uri("b"));
    assert_eq!(graphs, [both, format!("default-{}", uri("b"))]);
}

#[tokio::test]
async fn requests_say_who_asks_and_compressed_replies_are_read() {
    let server = MockServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("token");
    std::fs::write(&secret, "s3cret\n").unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(counts(1).as_bytes()).unwrap();
    let reply = ResponseTemplate::new(200)
        .insert_header("Content-Encoding", "gzip")
        .set_body_raw(packed.finish().unwrap(), "application/sparql-results+json");
    Mock::given(method("GET"))
        .and(header("authorization", "Bearer s3cret"))
        .and(header("x-key", "s3cret"))
        .and(header("accept", "application/sparql-results+json"))
        .and(query_param_contains("query", "SELECT"))
        .and(query_param_contains("default-graph-uri", "http://e.org/g"))
        .respond_with(reply)
        .expect(1)
        .mount(&server)
        .await;
    let place = format!("file:{}", secret.display());
    let config = EndpointConfig {
        method: HttpMethod::Get,
        auth: Some(format!("bearer:{place}")),
        headers: [("X-Key".to_owned(), place)].into(),
        ..config(&server.uri())
    };
    let cache = folder.path().join("cache");
    assert!(graph(config.clone(), Some(&cache)).resolve(&[NODE]).await.unwrap()[0].is_some());
    let sent = server.received_requests().await.unwrap();
    assert!(sent[0].headers["user-agent"].to_str().unwrap().starts_with("quipu/"));
    assert!(sent[0].headers["accept-encoding"].to_str().unwrap().contains("gzip"));
    // The next process finds the reply in the cache. The cache holds no secret.
    let again = graph(config, Some(&cache));
    assert!(again.resolve(&[NODE]).await.unwrap()[0].is_some());
    assert_eq!((again.traffic().requests, again.traffic().from_cache), (0, 1));
    for shard in std::fs::read_dir(&cache).unwrap() {
        for file in std::fs::read_dir(shard.unwrap().path()).unwrap() {
            let bytes = zstd::decode_all(&std::fs::read(file.unwrap().path()).unwrap()[16..]).unwrap();
            assert!(!String::from_utf8(bytes).unwrap().contains("s3cret"));
        }
    }
}

#[tokio::test]
async fn redirects_to_another_host_are_not_followed() {
    let (server, other) = (MockServer::start().await, MockServer::start().await);
    always(&other, results(counts(1))).await;
    let elsewhere = other.uri().replace("127.0.0.1", "localhost");
    always(&server, ResponseTemplate::new(307).insert_header("Location", elsewhere.as_str())).await;
    let error = graph(config(&server.uri()), None).resolve(&[NODE]).await.unwrap_err();
    check(&error, ErrorClass::Permanent, "HTTP 307");
    assert!(other.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn no_more_requests_at_once_than_allowed() {
    let server = MockServer::start().await;
    always(&server, results(counts(1)).set_delay(Duration::from_millis(20))).await;
    let config = EndpointConfig { batch: 1, concurrency: 2, ..config(&server.uri()) };
    let graph = graph(config, None);
    let keys: Vec<String> = (0..6).map(|number| format!("http://e.org/n{number}")).collect();
    graph.resolve(&keys.iter().map(String::as_str).collect::<Vec<_>>()).await.unwrap();
    assert_eq!(graph.traffic().requests, 6);
}

#[tokio::test]
async fn a_survey_of_nothing_or_of_nonsense_says_so() {
    let server = MockServer::start().await;
    always(&server, results(r#"{"head":{"vars":["s"]},"results":{"bindings":[]}}"#)).await;
    let error = survey("mock", &config(&server.uri()), None).await.unwrap_err();
    assert!(error.to_string().contains("holds no triples in its default graph; name the graphs"), "{error}");
    let other = MockServer::start().await;
    always(&other, ResponseTemplate::new(404).set_body_string("nothing here")).await;
    let error = survey("mock", &config(&other.uri()), None).await.unwrap_err();
    assert!(error.to_string().contains("reading the catalogue: HTTP 404: nothing here"), "{error}");
}
