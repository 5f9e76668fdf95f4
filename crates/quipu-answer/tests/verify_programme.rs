//! Self-verification over a service whose searches give summaries, whose rows hold ids, and whose
//! dates are days.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "set-up of tests"
)]

use crate::{common, over};
use std::path::Path;

use common::verify::{composed, in_one_call, subject};
use common::{Setting, run, told};
use over::{add, over_apis};
use quipu_model::ScriptedModel;
use serde_json::{Value, json};
use wiremock::matchers::{any, path, path_regex};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

/// A festival: two bands, two venues, three shows.
async fn festival() -> (MockServer, Setting) {
    let server = MockServer::start().await;
    let give = |found: Value| ResponseTemplate::new(200).set_body_json(found);
    let bands = [(1, "Paper Kites", 2001, 2), (2, "Copperfox", 1987, 3)];
    let search = move |request: &Request| {
        let asked = request.url.query().unwrap_or_default().to_lowercase().replace(['+', '='], " ");
        let found = bands.iter().filter(|band| asked.contains(&band.1.to_lowercase()));
        give(found.map(|band| json!({ "id": band.0, "name": band.1 })).collect())
    };
    let band = move |request: &Request| {
        let band = bands.iter().find(|band| request.url.path().ends_with(&band.0.to_string()));
        let members = |many: usize| ["Ada", "Bo", "Cy"].into_iter().take(many).collect::<Vec<_>>();
        let details = |b: &(i32, &str, i32, usize)| json!({ "id": b.0, "name": b.1, "founded": b.2, "members": members(b.3) });
        give(band.map_or(json!(null), details))
    };
    let venue = move |request: &Request| {
        let name = if request.url.path().ends_with('7') { (7, "Old Barn") } else { (8, "Opera") };
        give(json!({ "id": name.0, "name": name.1 }))
    };
    let show = |band: u8, venue: u8, day: &str| json!({ "artist_id": band, "venue_id": venue, "day": day });
    let shows = move |request: &Request| {
        let is_day = |(name, value): (std::borrow::Cow<'_, str>, std::borrow::Cow<'_, str>)| {
            name != "date" || value.len() == "2024-07-14".len()
        };
        match request.url.query_pairs().all(is_day) {
            true => {
                give(json!([show(1, 7, "2024-07-14"), show(2, 8, "2024-07-14"), show(2, 8, "2023-07-15")]))
            }
            false => ResponseTemplate::new(400),
        }
    };
    Mock::given(path("/artists")).respond_with(search).mount(&server).await;
    Mock::given(path_regex("^/artists/")).respond_with(band).mount(&server).await;
    Mock::given(path_regex("^/venues/")).respond_with(venue).mount(&server).await;
    Mock::given(path("/shows")).respond_with(shows).mount(&server).await;
    Mock::given(any()).respond_with(ResponseTemplate::new(500)).mount(&server).await;
    let base = server.uri();
    let document = document().to_string();
    let setting = over_apis(async |at: &Path| add(at, "festival", &base, &document, MANIFEST).await).await;
    (server, setting)
}

fn document() -> Value {
    let give = |fields: &[&str], many: bool| {
        let fields: serde_json::Map<String, Value> =
            fields.iter().map(|field| ((*field).to_owned(), json!({ "type": "string" }))).collect();
        let one = json!({ "type": "object", "properties": fields });
        let schema = if many { json!({ "type": "array", "items": one }) } else { one };
        json!({ "200": { "description": "found", "content": { "application/json": { "schema": schema } } } })
    };
    let text = json!({ "type": "string" });
    let get = |id: &str, name: &str, place: &str, schema: &Value, responses: Value| {
        json!({ "get": { "operationId": id, "responses": responses, "parameters": [
            { "name": name, "in": place, "required": place == "path", "schema": schema }
        ] } })
    };
    let day = json!({ "type": "string", "format": "date" });
    json!({ "openapi": "3.0.0", "info": { "title": "Festival" }, "paths": {
        "/artists": get("searchArtists", "q", "query", &text, give(&["id", "name"], true)),
        "/artists/{id}": get("getArtist", "id", "path", &text, give(&["id", "name", "founded", "members"], false)),
        "/venues/{id}": get("getVenue", "id", "path", &text, give(&["id", "name"], false)),
        "/shows": get("listShows", "date", "query", &day, give(&["artist_id", "venue_id", "day"], true)),
    } })
}

const MANIFEST: &str = r#"
[kind.artist]
domain = "festival"
says = "a band"
search = ["searchArtists"]
label = "name"
id = "id"
details = "getArtist"

[kind.venue]
domain = "festival"
label = "name"
id = "id"
details = "getVenue"

[operation.searchArtists]
takes = { q = "artist" }
gives = "artist"
helper = true

[operation.getArtist]
name = "artist"
asks = "founded members"
takes = { id = "artist" }
gives = "artist"

[operation.getVenue]
takes = { id = "venue" }
gives = "venue"
helper = true

[operation.listShows]
name = "shows"
asks = "who plays played shows on a day"
takes = { date = "date" }
links = { artist_id = "artist", venue_id = "venue" }
"#;

#[tokio::test]
async fn a_search_that_gives_summaries_is_followed_by_the_details() {
    let (_server, setting) = festival().await;
    let model = ScriptedModel::new()
        .on("plan.subject", subject("festival", &[("Paper Kites", "artist")]))
        .on("compose", composed("answered", &["E0.founded"], "none", &[]));
    let (answer, model) = run(&setting, model, "when was Paper Kites founded?", &in_one_call()).await;
    assert_eq!(answer.answers, ["2001"], "{}", told(&model, 1));
}

#[tokio::test]
async fn rows_are_those_of_the_named_and_ids_become_names() {
    let (server, setting) = festival().await;
    let asked = async |question: &str, time: &str| {
        let model = ScriptedModel::new()
            .on("plan.subject", subject("festival", &[("Paper Kites", "artist"), (time, "venue")]))
            .on("compose", composed("unknown", &[], "none", &[]));
        let (answer, model) = run(&setting, model, question, &in_one_call()).await;
        assert!(answer.notes.is_empty(), "{:?}", answer.notes);
        if model.calls() > 1 { told(&model, 1).to_owned() } else { String::new() }
    };
    let shown = asked("on which stage did Paper Kites play on 14 July 2024?", "14 July 2024").await;
    assert!(shown.contains("Old Barn") && !shown.contains("Opera"), "{shown}");
    // A day is asked for by days only: nobody sends "2024" as one.
    asked("how many shows did Paper Kites play in 2024?", "2024").await;
    let sent = server.received_requests().await.unwrap();
    assert!(sent.iter().all(|request| !request.url.query().unwrap_or_default().ends_with("date=2024")));
}

#[tokio::test]
async fn lists_are_compared_by_how_much_they_hold() {
    let (_server, setting) = festival().await;
    let model = ScriptedModel::new()
        .on("plan.subject", subject("festival", &[("Paper Kites", "artist"), ("Copperfox", "artist")]))
        .on("compose", composed("answered", &["E0.members", "E1.members"], "sum", &[]));
    let question = "who has more members, Paper Kites or Copperfox?";
    let (answer, model) = run(&setting, model, question, &in_one_call()).await;
    assert_eq!(answer.answers, ["Copperfox"], "{}", told(&model, 1));
}
