//! Bodies of responses.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;

/// A JSON response.
pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => with_type(status, "application/json", bytes),
        // The server's own types always serialise; if not, the client gets an error instead of
        // nothing.
        Err(error) => with_type(StatusCode::INTERNAL_SERVER_ERROR, "text/plain", error.to_string()),
    }
}

/// A successful JSON response.
pub(crate) fn ok(value: &impl Serialize) -> Response {
    json(StatusCode::OK, value)
}

/// A response of a content type.
pub(crate) fn with_type(status: StatusCode, content_type: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
