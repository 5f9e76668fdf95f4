//! `/plain`: the page for browsers without JavaScript. A form sends the question, the answer is
//! HTML.

use std::fmt::Write as _;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::get;
use quipu_answer::Status;

use super::docs::escaped;
use super::extract::{media_type, read_body};
use super::guard::check_origin;
use crate::access::Client;
use crate::app::{App, Ask, Reply};
use crate::error::{ApiError, Kind};
use crate::readings::number_of;
use crate::reply::with_type;
use crate::table::cells;

const FORM: &str = "application/x-www-form-urlencoded";
/// Most rows of a table.
const MOST_ROWS: usize = 100;
/// Most pieces of evidence.
const MOST_EVIDENCE: usize = 20;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/plain", get(empty).post(asked))
}

/// The content of the form.
#[derive(Debug, Default)]
struct Filled {
    question: String,
    workspace: Option<String>,
    reading: usize,
    key: String,
}

impl Filled {
    fn read(encoded: &[u8]) -> Self {
        let mut filled = Self::default();
        for (name, value) in form_urlencoded::parse(encoded) {
            match &*name {
                "question" => filled.question = value.trim().to_owned(),
                "workspace" => filled.workspace = Some(value.into_owned()).filter(|name| !name.is_empty()),
                "reading" => filled.reading = value.parse().unwrap_or(0),
                "key" => filled.key = value.trim().to_owned(),
                _ => {}
            }
        }
        filled
    }
}

async fn empty(State(app): State<App>) -> Response {
    respond(StatusCode::OK, &page(&app, &Client::default(), &Filled::default(), ""))
}

async fn asked(State(app): State<App>, client: Client, request: Request) -> Response {
    let mut filled = Filled::default();
    match answer(&app, client.clone(), request, &mut filled).await {
        Ok((client, reply)) => {
            let told = told(&reply, &filled);
            respond(StatusCode::OK, &page(&app, &client, &filled, &told))
        }
        Err(error) => {
            let told = format!("<p class=\"error\" role=\"alert\">{}</p>", escaped(&error.message));
            respond(error.kind.status(), &page(&app, &client, &filled, &told))
        }
    }
}

/// Checks the key in the form, and asks.
async fn answer(
    app: &App,
    client: Client,
    request: Request,
    filled: &mut Filled,
) -> Result<(Client, Reply), ApiError> {
    check_origin(&app.config, &request)?;
    if media_type(request.headers()) != FORM {
        let message = format!("the body must be {FORM}, as a form sends it");
        return Err(ApiError::new(Kind::WrongType, "unsupported_media_type", message));
    }
    *filled = Filled::read(&read_body(request, app).await?);
    let mut headers = HeaderMap::new();
    if let Ok(key) = HeaderValue::from_str(&filled.key) {
        headers.insert("x-api-key", key);
    }
    let client = client.with_key_of(app.access.client(&headers)?);
    if filled.question.is_empty() {
        return Err(ApiError::invalid("there is no question: write one and send the form again"));
    }
    let (question, workspace) = (filled.question.clone(), filled.workspace.clone());
    let ask = Ask { question, workspace, reading: filled.reading, ..Ask::default() };
    let reply = app.ask(&client, &ask, None).await?;
    Ok((client, reply))
}

fn respond(status: StatusCode, page: &str) -> Response {
    let mut response = with_type(status, "text/html; charset=utf-8", page.to_owned());
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The form, with the result below it.
fn page(app: &App, client: &Client, filled: &Filled, told: &str) -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
content=\"width=device-width, initial-scale=1\"><title>Quipu</title><link rel=\"icon\" href=\"data:,\">\
<link rel=\"stylesheet\" href=\"/docs.css\"><main><h1>Quipu</h1><form method=\"post\" action=\"/plain\">\
<p><label for=\"question\">Your question</label><br><input id=\"question\" name=\"question\" required \
maxlength=\"4000\" value=\"{}\"></p>",
        escaped(&filled.question)
    );
    page.push_str(&workspaces(app, client, filled));
    if app.access.needs_key() {
        let _ = write!(
            page,
            "<p><label for=\"key\">Key</label> <input id=\"key\" name=\"key\" type=\"password\" \
autocomplete=\"off\" value=\"{}\"></p>",
            escaped(&filled.key)
        );
    }
    let _ = write!(
        page,
        "<p><button>Ask</button></p></form>{told}<p><a href=\"/docs\">The API</a>. With JavaScript the \
<a href=\"/\">page</a> shows more.</p></main></html>"
    );
    page
}

/// The choice of a workspace, if there are several. Without a key the names stay hidden.
fn workspaces(app: &App, client: &Client, filled: &Filled) -> String {
    let hidden = app.access.needs_key() && filled.key.is_empty();
    let names: Vec<&str> = app.workspaces.names().filter(|name| !hidden && client.may_ask(name)).collect();
    if names.len() < 2 {
        return String::new();
    }
    let option = |name: &&str| {
        let chosen = if filled.workspace.as_deref() == Some(name) { " selected" } else { "" };
        format!("<option{chosen}>{}</option>", escaped(name))
    };
    let options: String = names.iter().map(option).collect();
    format!(
        "<p><label for=\"workspace\">Workspace</label> <select id=\"workspace\" name=\"workspace\">{options}</select></p>"
    )
}

/// The answer as HTML.
fn told(reply: &Reply, filled: &Filled) -> String {
    let mut html =
        format!("<section aria-label=\"Answer\"><p class=\"answer\">{}</p>", escaped(&reply.answer.answer));
    if let (true, Some(reason)) = (reply.answer.status != Status::Answered, &reply.answer.reason) {
        let _ = write!(html, "<p>No answer: {}. Quipu does not guess.</p>", escaped(reason));
    }
    for failure in &reply.failures {
        let _ = write!(html, "<p class=\"error\">{}</p>", escaped(failure));
    }
    html.push_str(&readings(reply, filled));
    if let Some(trust) = &reply.trust {
        let _ = write!(html, "<p>{}</p>", escaped(&trust.line()));
    }
    html.push_str(&table(reply));
    html.push_str(&evidence(reply));
    html.push_str("</section>");
    html
}

/// The reading of the question, with buttons for the other readings.
fn readings(reply: &Reply, filled: &Filled) -> String {
    let Some((first, others)) = reply.answer.readings.split_first() else { return String::new() };
    let mut html = format!("<p>I read this as: <b>{}</b></p>", escaped(&first.words));
    for (at, other) in (1..).zip(others) {
        let fields = [
            ("question", filled.question.clone()),
            ("workspace", filled.workspace.clone().unwrap_or_default()),
            ("key", filled.key.clone()),
            ("reading", number_of(filled.reading, at).to_string()),
        ];
        let hidden: String = fields
            .iter()
            .map(|(name, value)| {
                format!("<input type=\"hidden\" name=\"{name}\" value=\"{}\">", escaped(value))
            })
            .collect();
        let _ = write!(
            html,
            "<form method=\"post\" action=\"/plain\">{hidden}<button>It means: {}</button></form>",
            escaped(&other.words)
        );
    }
    html
}

fn table(reply: &Reply) -> String {
    let Some(table) = reply.answer.table.as_ref().filter(|table| table.rows.len() + table.columns.len() > 2)
    else {
        return String::new();
    };
    let mut html = String::from("<table><tr>");
    for title in &table.columns {
        let _ = write!(html, "<th scope=\"col\">{}</th>", escaped(title));
    }
    for row in cells(table, MOST_ROWS) {
        html.push_str("</tr><tr>");
        for cell in row {
            let _ = write!(html, "<td>{}</td>", escaped(&cell));
        }
    }
    html.push_str("</tr></table>");
    let more = table.rows.len().saturating_sub(MOST_ROWS) as u64 + table.left_out;
    if more > 0 {
        let _ = write!(html, "<p>{more} more rows are left out.</p>");
    }
    html
}

/// The citations; without any, the collected evidence.
fn evidence(reply: &Reply) -> String {
    let sentences: Vec<&str> = match reply.cited.citations.as_slice() {
        [] => reply.sentences.iter().take(MOST_EVIDENCE).map(String::as_str).collect(),
        cited => cited.iter().map(|citation| citation.sentence.as_str()).collect(),
    };
    if sentences.is_empty() {
        return "<p>There is no evidence.</p>".into();
    }
    let items: String = sentences.iter().map(|sentence| format!("<li>{}</li>", escaped(sentence))).collect();
    format!("<h2>Evidence</h2><ol>{items}</ol>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{answered, reply, towns};

    #[test]
    fn an_answer_is_told_with_readings_table_and_evidence_and_nothing_of_it_is_markup() {
        let mut answer = towns();
        answer.answer = "<script>alert(1)</script>".into();
        let filled = Filled { question: "\"Which\" towns?".into(), reading: 0, ..Filled::default() };
        let html = told(&reply(answer), &filled);
        for part in [
            "&lt;script&gt;alert(1)&lt;/script&gt;",
            "I read this as: <b>the towns of Peru, the largest first</b>",
            "It means: the oldest towns of Peru",
            "name=\"reading\" value=\"2\"",
            "value=\"&quot;Which&quot; towns?\"",
            "<td>Cusco</td><td>428000</td>",
            "<li>",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(!html.contains("<script"), "{html}");
    }

    #[test]
    fn an_abstention_says_why() {
        let mut answer = answered(&[]);
        (answer.status, answer.answer) = (Status::Abstained, "I don't know.".into());
        answer.reason = Some("nothing is called <b>".into());
        let html = told(&reply(answer), &Filled::default());
        assert!(html.contains("No answer: nothing is called &lt;b&gt;. Quipu does not guess."), "{html}");
    }

    #[test]
    fn a_form_is_read_as_browsers_send_it() {
        let filled = Filled::read(b"question=Who+is+%26+why%3F&workspace=&reading=2&key=+k+&more=1");
        assert_eq!((filled.question.as_str(), filled.workspace, filled.reading), ("Who is & why?", None, 2));
        assert_eq!(filled.key, "k");
    }
}
