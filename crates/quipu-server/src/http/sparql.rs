//! `/sparql`: the SPARQL 1.1 protocol, for queries only.

use axum::extract::{RawQuery, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::get;
use quipu_graph::{QueryFormat, QueryGraphs, QueryKind, query_kind};

use super::Answered;
use super::extract::{media_type, read_body};
use super::operations::{Operations, text};
use crate::access::Client;
use crate::app::App;
use crate::error::{ApiError, Kind};
use crate::reply::with_type;
use crate::sparql::{SparqlQuery, run};

const FORM: &str = "application/x-www-form-urlencoded";
const QUERY: &str = "application/sparql-query";
const GRAPHS: &str = "IRI of a graph to query as the default graph, in place of the query's FROM clauses; \
may be repeated. An imported graph has no named graphs";

/// Formats of rows and booleans, the preferred first.
const ROWS: [(&str, QueryFormat); 5] = [
    ("application/sparql-results+json", QueryFormat::Json),
    ("application/json", QueryFormat::Json),
    ("text/csv", QueryFormat::Csv),
    ("text/tab-separated-values", QueryFormat::Tsv),
    ("application/sparql-results+xml", QueryFormat::Xml),
];
/// Formats of triples.
const TRIPLES: [(&str, QueryFormat); 2] =
    [("application/n-triples", QueryFormat::NTriples), ("text/turtle", QueryFormat::NTriples)];

pub(super) fn operations(operations: &mut Operations) {
    let replies = || ROWS.iter().chain(&TRIPLES).map(|(name, _)| (*name, text())).collect::<Vec<_>>();
    let ask = |verb| {
        Operations::describe(verb, "/sparql", "SPARQL", "Run a SPARQL 1.1 query")
            .details("Read-only: updates are refused. The result's format follows `Accept`.")
            .parameter("workspace", "query", false, "The workspace; the first one by default", text())
            .parameter("default-graph-uri", "query", false, GRAPHS, text())
            .parameter("named-graph-uri", "query", false, "IRI of a named graph; may be repeated", text())
            .replies("The result", &replies())
    };
    let by_get = ask("get").parameter("query", "query", true, "The query", text());
    let form = serde_json::json!({ "type": "object", "properties": { "query": text(), "workspace": text(), "default-graph-uri": text(), "named-graph-uri": text() }, "required": ["query"] });
    operations.add(by_get, Some(get(from_url).post(from_body)));
    operations.add(ask("post").body(&[(FORM, form), (QUERY, text())]), None);
}

/// The parameters of a request.
#[derive(Debug, Default)]
struct Asked {
    query: Option<String>,
    workspace: Option<String>,
    update: bool,
    graphs: QueryGraphs,
}

impl Asked {
    fn read(mut self, encoded: &[u8]) -> Self {
        for (name, value) in form_urlencoded::parse(encoded) {
            match &*name {
                "query" => self.query = Some(value.into_owned()),
                "workspace" => self.workspace = Some(value.into_owned()),
                "update" => self.update = true,
                "default-graph-uri" => self.graphs.default.push(value.into_owned()),
                "named-graph-uri" => self.graphs.named.push(value.into_owned()),
                _ => {}
            }
        }
        self
    }
}

async fn from_url(
    State(app): State<App>,
    client: Client,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Answered {
    answer(&app, &client, &headers, Asked::default().read(query.unwrap_or_default().as_bytes())).await
}

async fn from_body(State(app): State<App>, client: Client, request: Request) -> Answered {
    let headers = request.headers().clone();
    let asked = Asked::default().read(request.uri().query().unwrap_or_default().as_bytes());
    let kind = media_type(&headers);
    if kind != FORM && kind != QUERY {
        let message = format!("the body must be {FORM} or {QUERY}; there are no updates");
        return Err(ApiError::new(Kind::WrongType, "unsupported_media_type", message));
    }
    let body = read_body(request, &app).await?;
    let asked = if kind == FORM {
        asked.read(&body)
    } else {
        let query =
            String::from_utf8(body.into()).map_err(|_| ApiError::invalid("the query must be UTF-8"))?;
        Asked { query: Some(query), ..asked }
    };
    answer(&app, &client, &headers, asked).await
}

async fn answer(app: &App, client: &Client, headers: &HeaderMap, asked: Asked) -> Answered {
    if asked.update {
        return Err(ApiError::new(
            Kind::Forbidden,
            "read_only",
            "this endpoint is read-only: it takes no updates",
        ));
    }
    let query = asked.query.ok_or_else(|| ApiError::invalid("the parameter `query` is missing"))?;
    let offered: &[(&'static str, QueryFormat)] = match query_kind(&query)? {
        QueryKind::Rows => &ROWS,
        QueryKind::Triples => &TRIPLES,
    };
    let (content_type, format) = negotiate(headers, offered)?;
    let (_, engine) = app.engine(client, asked.workspace.as_deref()).await?;
    let query = SparqlQuery { query, graphs: asked.graphs, format };
    let bytes = run(app, client, engine, query).await?;
    Ok(with_type(StatusCode::OK, content_type, bytes))
}

/// The offered format that the client prefers; the first one without a preference.
fn negotiate<T: Copy>(
    headers: &HeaderMap,
    offered: &[(&'static str, T)],
) -> Result<(&'static str, T), ApiError> {
    let accepted: Vec<&str> =
        headers.get_all(header::ACCEPT).iter().filter_map(|v| v.to_str().ok()).collect();
    let mut best: Option<(f32, (&'static str, T))> = None;
    if accepted.is_empty() {
        best = offered.first().map(|offer| (1.0, *offer));
    }
    for part in accepted.iter().flat_map(|value| value.split(',')) {
        let mut parts = part.split(';').map(str::trim);
        let range = parts.next().unwrap_or_default();
        let weight = parts.find_map(|p| p.strip_prefix("q=")).and_then(|q| q.parse().ok()).unwrap_or(1.0_f32);
        let found = offered.iter().find(|(name, _)| fits(range, name));
        if let Some(offer) = found.filter(|_| weight > 0.0 && best.is_none_or(|(most, _)| weight > most)) {
            best = Some((weight, *offer));
        }
    }
    best.map(|(_, offer)| offer).ok_or_else(|| {
        let names: Vec<&str> = offered.iter().map(|(name, _)| *name).collect();
        let message = format!("the result is available as {}", names.join(", "));
        ApiError::new(Kind::NotAcceptable, "not_acceptable", message)
    })
}

fn fits(range: &str, name: &str) -> bool {
    match range.split_once('/') {
        Some(("*", "*")) => true,
        Some((kind, "*")) => name.split('/').next().is_some_and(|own| own.eq_ignore_ascii_case(kind)),
        _ => range.eq_ignore_ascii_case(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(accept: Option<&str>, expected: Option<&str>) {
        let headers = accept.map(|value| (header::ACCEPT, value.parse().unwrap()));
        let headers: HeaderMap = headers.into_iter().collect();
        assert_eq!(negotiate(&headers, &ROWS).ok().map(|(name, _)| name), expected, "{accept:?}");
    }

    #[test]
    fn the_format_follows_what_the_client_likes() {
        check(None, Some("application/sparql-results+json"));
        check(Some("*/*"), Some("application/sparql-results+json"));
        check(Some("text/csv"), Some("text/csv"));
        check(Some("text/csv;q=0.5, application/sparql-results+xml"), Some("application/sparql-results+xml"));
        check(Some("text/*"), Some("text/csv"));
        check(Some("image/png"), None);
        check(Some("text/csv;q=0"), None);
    }
}
