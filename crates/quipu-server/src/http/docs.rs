//! `/openapi.json`, and the same for people at `/docs`.

use std::fmt::Write as _;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use bytes::Bytes;
use serde_json::Value;

use crate::app::App;
use crate::reply::with_type;

const HEAD: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
content=\"width=device-width, initial-scale=1\"><title>Quipu's API</title><link rel=\"stylesheet\" href=\"/docs.css\">\
<main><h1>Quipu's API</h1><p>Described for programs in <a href=\"/openapi.json\">openapi.json</a>. Models of OpenAI clients: \
base URL <code>/v1</code>. MCP over HTTP: <code>/mcp</code>. The page is <a href=\"/\">here</a>.</p>";

const STYLE: &str = ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;\
padding:0 1rem}code{font:0.9em ui-monospace,monospace}section{border-top:1px solid #8885;padding:.5rem 0}\
table{border-collapse:collapse}td,th{padding:.1rem 1rem .1rem 0;vertical-align:top;text-align:left}input,select,button{font:inherit;\
padding:.3rem .5rem;max-width:100%}input[name=question]{width:32rem}.answer{font-size:1.6rem;margin:1rem 0 .3rem}\
.error{border-left:.3rem solid #b33;padding-left:.7rem}";

/// Serves a description.
pub(super) fn routes(description: &Value) -> Router<App> {
    let page = Bytes::from(page(description));
    let json = Bytes::from(description.to_string());
    Router::new()
        .route("/docs.css", get(async || with_type(StatusCode::OK, "text/css; charset=utf-8", STYLE)))
        .route(
            "/openapi.json",
            get(async move || with_type(StatusCode::OK, "application/json", json.clone())),
        )
        .route(
            "/docs",
            get(async move || with_type(StatusCode::OK, "text/html; charset=utf-8", page.clone())),
        )
}

fn page(description: &Value) -> String {
    let mut page = HEAD.to_owned();
    let paths = description.get("paths").and_then(Value::as_object);
    for (path, operations) in paths.into_iter().flatten() {
        for (verb, operation) in operations.as_object().into_iter().flatten() {
            write_operation(&mut page, path, verb, operation);
        }
    }
    page.push_str("</main></html>");
    page
}

fn write_operation(page: &mut String, path: &str, verb: &str, operation: &Value) {
    let text = |name: &str| escaped(operation.get(name).and_then(Value::as_str).unwrap_or_default());
    let verb = verb.to_uppercase();
    let _ = write!(
        page,
        "<section><h2><code>{verb} {}</code></h2><p>{}. {}</p>",
        escaped(path),
        text("summary"),
        text("description")
    );
    let parameters = operation.get("parameters").and_then(Value::as_array);
    page.push_str("<table>");
    for parameter in parameters.into_iter().flatten() {
        let text = |name: &str| escaped(parameter.get(name).and_then(Value::as_str).unwrap_or_default());
        let _ = write!(
            page,
            "<tr><td><code>{}</code><td>{}<td>{}",
            text("name"),
            text("in"),
            text("description")
        );
    }
    let body = operation.pointer("/requestBody/content").and_then(Value::as_object);
    for (kind, body) in body.into_iter().flatten() {
        let name = body.pointer("/schema/$ref").and_then(Value::as_str).and_then(|r| r.rsplit('/').next());
        let _ = write!(
            page,
            "<tr><td>body<td>{}<td><code>{}</code>",
            escaped(kind),
            escaped(name.unwrap_or("text"))
        );
    }
    page.push_str("</table></section>");
}

/// A text escaped for HTML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
