//! The page: files built by `make page` and compiled into the binary; without them, a note on how
//! to build it.

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use super::not_found;
use crate::app::App;
use crate::reply::with_type;

include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

const INDEX: &str = "index.html";
const WITHOUT: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Quipu</title><main><h1>Quipu runs</h1>\
<p>This build has no page: it was built without Node. To have it, type <code>make page</code> (needs Node and npm) and build again.</p>\
<p>Everything else is here: <a href=\"/docs\">the API</a>.</p></main></html>";

pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/", get(async || front(file(INDEX))))
        .route("/page/{*file}", get(one_file))
        .route("/favicon.ico", get(async || StatusCode::NO_CONTENT))
}

/// The page, or the note on how to build it.
fn front(page: Option<Response>) -> Response {
    page.unwrap_or_else(|| with_type(StatusCode::OK, "text/html; charset=utf-8", WITHOUT))
}

async fn one_file(Path(name): Path<String>) -> Response {
    match file(&name) {
        Some(response) => response,
        None => not_found().await.into_response(),
    }
}

fn file(name: &str) -> Option<Response> {
    let (_, bytes) = PAGE_FILES.iter().find(|(known, _)| *known == name)?;
    let kind = match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    };
    let mut response = with_type(StatusCode::OK, kind, *bytes);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Some(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_build_without_node_says_how_to_get_the_page() {
        let response = front(None);
        assert_eq!(response.status(), StatusCode::OK);
        let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        let text = String::from_utf8(body.to_vec()).unwrap();
        assert!(text.contains("make page") && text.contains("href=\"/docs\""), "{text}");
        assert!(!text.contains("<script") && !text.contains("<style"), "{text}");
    }
}
