//! `quipu source add … --openapi`: APIs beside a graph and in its place.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::{apis, support};
use support::Bench;
use wiremock::MockServer;

fn library(bench: &Bench, server: &MockServer, workspace: &str, more: &[&str]) -> support::Outcome {
    bench.write("library.json", apis::LIBRARY);
    bench.write("library.toml", apis::LIBRARY_MANIFEST);
    let base = format!("{}/v1", server.uri());
    let mut arguments = vec![
        "source",
        "add",
        workspace,
        "library",
        "--openapi",
        "library.json",
        "--manifest",
        "library.toml",
        "--base",
        &base,
    ];
    arguments.extend(more);
    bench.run(&arguments)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_api_is_added_listed_told_and_removed() {
    let server = apis::library().await;
    let bench = Bench::new();
    let added = library(&bench, &server, "shop", &["--allow-host", "127.0.0.1"]).succeeded();
    assert!(
        added.stderr.contains("Harbour library") && added.stderr.contains("5 operations"),
        "{}",
        added.stderr
    );
    let sources = bench.run(&["source", "list", "shop", "--json"]).succeeded().json();
    assert_eq!((&sources[0]["name"], &sources[0]["openapi"]), (&"library".into(), &"library.json".into()));
    let told = bench.run(&["source", "check", "shop", "library"]).succeeded().stdout;
    assert!(told.contains("loans") && told.contains("(id, month)"), "{told}");
    assert!(told.contains("answers in"), "{told}");
    let info = bench.run(&["info", "shop", "--json"]).succeeded().json();
    assert_eq!((&info["apis"][0]["operations"], &info["types"]), (&5.into(), &2.into()));
    assert!(bench.run(&["info", "shop"]).succeeded().stdout.contains("asks library"));
    let refused = bench.run(&["query", "shop", "ASK { ?s ?p ?o }"]);
    assert!(refused.code != Some(0) && refused.stderr.contains("take no SPARQL"), "{}", refused.stderr);
    // Names are searched at the API, and an entity is shown like any other graph's.
    let entity = bench.run(&["entity", "shop", "Ada Berg"]).succeeded().stdout;
    assert!(entity.contains("born") && entity.contains("1911-05-04"), "{entity}");

    bench.run(&["source", "refresh", "shop", "library"]).succeeded();
    bench.run(&["source", "remove", "shop", "library"]).succeeded();
    assert!(bench.run(&["info", "shop"]).stderr.contains("is not a workspace"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_api_stands_beside_a_graph_and_leaves_it_as_it_is() {
    let server = apis::library().await;
    let bench = Bench::with_places();
    library(&bench, &server, "places", &["--allow-host", "127.0.0.1"]).succeeded();
    assert!(bench.run(&["query", "places", "ASK { ?s ?p ?o }"]).succeeded().stdout.contains("true"));
    bench.run(&["import", "places", "places.ttl", "--no-embeddings"]).succeeded();
    assert_eq!(bench.run(&["info", "places", "--json"]).succeeded().json()["apis"][0]["name"], "library");
    bench.run(&["source", "remove", "places", "library"]).succeeded();
    let info = bench.run(&["info", "places", "--json"]).succeeded().json();
    assert!(info.get("apis").is_none() && info["entities"].as_u64() > Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_work_is_said_and_changes_nothing() {
    let server = apis::library().await;
    let bench = Bench::new();
    bench.write("library.json", apis::LIBRARY);
    bench.write("page.json", "<html>");
    let base = server.uri();
    for (arguments, expected) in [
        (vec!["--openapi", "page.json", "--base", &base], "OpenAPI document in JSON"),
        (vec!["--openapi", "nothing.json", "--base", &base], "nothing.json"),
        (vec!["--openapi", "library.json", "--base", &base, "--manifest", "none.toml"], "none.toml"),
        (vec!["--openapi", "library.json"], "--base URL"),
        (
            vec!["--openapi", "library.json", "--base", &base, "--auth", "bearer:env:NO_SUCH_VARIABLE"],
            "NO_SUCH_VARIABLE",
        ),
        (vec!["--openapi", &format!("{base}/openapi.json")], "private address"),
        (vec!["--openapi", "library.json", "--sparql", &base], "--sparql"),
    ] {
        let mut all = vec!["source", "add", "shop", "library"];
        all.extend(&arguments);
        let outcome = bench.run(&all);
        assert!(
            outcome.code != Some(0) && outcome.stderr.contains(expected),
            "{arguments:?}: {}",
            outcome.stderr
        );
        assert!(bench.run(&["info", "shop"]).stderr.contains("is not a workspace"), "{arguments:?}");
    }
    // Unless it is allowed by name, this machine gets no request.
    library(&bench, &server, "shop", &[]).succeeded();
    let refused = bench.run(&["entity", "shop", "Ada Berg"]);
    assert!(
        refused.code != Some(0) && refused.stderr.contains("--allow-host 127.0.0.1"),
        "{}",
        refused.stderr
    );
    assert!(server.received_requests().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_api_that_nothing_answers_for_is_said_to_be_down() {
    let server = apis::library().await;
    let bench = Bench::new();
    library(&bench, &server, "shop", &["--allow-host", "127.0.0.1"]).succeeded();
    // A port that was just released.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let configuration = bench.path("shop/sources.toml");
    let text = std::fs::read_to_string(&configuration).unwrap();
    let base =
        text.lines().find(|line| line.trim_start().starts_with("base")).unwrap_or_else(|| panic!("{text}"));
    std::fs::write(&configuration, text.replace(base, &format!("base = \"http://{gone}/\"\nattempts = 1")))
        .unwrap();
    let checked = bench.run(&["source", "check", "shop", "library"]).failed(1);
    assert!(checked.stderr.contains(&gone), "{checked:#?}");
    let doctor = bench.run(&["doctor", "shop"]);
    assert!(doctor.code == Some(1) && doctor.stdout.contains("BAD  source library"), "{doctor:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_api_of_posts_alone_is_asked_by_a_drafted_manifest() {
    const DOCUMENT: &str = r#"
openapi: 3.0.3
info: {title: Herbarium, version: "1"}
paths:
  /plants:
    post:
      operationId: plants
      requestBody:
        content:
          application/json:
            schema: {type: object, required: [name], properties: {name: {type: string}}}
      responses:
        "200":
          content:
            application/json:
              schema: {type: array, items: {type: object, properties: {name: {type: string}, height: {type: number}}}}
"#;
    let server = MockServer::start().await;
    let bench = Bench::new();
    bench.write("herbarium.yaml", DOCUMENT);
    let base = server.uri();
    let add = |workspace: &str, more: &[&str]| {
        let mut arguments = vec!["source", "add", workspace, "herbarium", "--openapi", "herbarium.yaml"];
        arguments.extend(["--base", &base, "--allow-host", "127.0.0.1"]);
        arguments.extend(more);
        bench.run(&arguments).succeeded().stderr
    };
    let told = add("bare", &[]);
    assert!(told.contains("0 operations") && told.contains("a POST needs a manifest"), "{told}");
    assert!(told.contains("`quipu source manifest --from herbarium.yaml`"), "{told}");
    bench.run(&["source", "manifest", "--from", "herbarium.yaml", "--out", "herbarium.toml"]).succeeded();
    let drafted = add("drafted", &["--manifest", "herbarium.toml"]);
    assert!(drafted.contains("its manifest herbarium.toml allows no operation"), "{drafted}");
    // A person allows what is posted.
    let draft = std::fs::read_to_string(bench.path("herbarium.toml")).unwrap();
    let posted = draft.lines().map(|line| match line.strip_prefix("# ") {
        Some(rest) if rest.starts_with('[') || rest.contains(" = ") => rest,
        _ => line,
    });
    bench.write("allowed.toml", posted.collect::<Vec<_>>().join("\n"));
    let told = add("allowed", &["--manifest", "allowed.toml"]);
    assert!(told.contains("1 operation to call") && !told.contains("nothing of it"), "{told}");
}
