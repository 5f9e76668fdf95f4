//! Extractors for handlers: the client, JSON bodies, queries. Each failure is an [`ApiError`].

use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize as _, Deserializer};
use serde_json::{Map, Value};

use crate::access::Client;
use crate::app::App;
use crate::config::seconds;
use crate::error::{ApiError, Kind};

impl<S: Sync> FromRequestParts<S> for Client {
    type Rejection = ApiError;

    /// The client that [`admit`](super::guard::admit) determined.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        parts.extensions.get::<Self>().cloned().ok_or_else(|| {
            ApiError::new(Kind::Internal, "internal_error", "the request was not checked for a key")
        })
    }
}

/// A JSON body.
pub(super) struct Json<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<App> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        if media_type(request.headers()) != "application/json" {
            let message = "the body must be JSON, with `Content-Type: application/json`";
            return Err(ApiError::new(Kind::WrongType, "unsupported_media_type", message));
        }
        let bytes = read_body(request, app).await?;
        if bytes.trim_ascii_start().starts_with(b"[") {
            return Err(ApiError::invalid("the body does not fit this request: a list, not an object"));
        }
        let mut reader = serde_json::Deserializer::from_slice(&bytes);
        let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let place = error.path().to_string();
            let place = if place == "." { String::new() } else { format!("{place}: ") };
            ApiError::invalid(format!("the body does not fit this request: {place}{}", error.inner()))
        })?;
        reader
            .end()
            .map_err(|error| ApiError::invalid(format!("the body goes on after its JSON: {error}")))?;
        Ok(Self(value))
    }
}

/// Reads a field that must be an object. By default serde would also read a struct from a list,
/// field by field.
pub(super) fn object<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let fields = Option::<Map<String, Value>>::deserialize(deserializer)?;
    fields.map(|fields| T::deserialize(Value::Object(fields)).map_err(D::Error::custom)).transpose()
}

/// Parameters of the query.
pub(super) struct Parameters<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Parameters<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Query(value) = Query::from_request_parts(parts, state)
            .await
            .map_err(|rejection| ApiError::invalid(rejection.body_text()))?;
        Ok(Self(value))
    }
}

/// Reads a body within the server's limits of size and time.
///
/// # Errors
/// 413, 408, or an interrupted connection.
pub(super) async fn read_body(request: Request, app: &App) -> Result<Bytes, ApiError> {
    let most = app.config.max_body;
    let too_large = || {
        let message = format!("the body is larger than {most} bytes");
        ApiError::new(Kind::TooLarge, "body_too_large", message)
    };
    let announced = request.headers().get(header::CONTENT_LENGTH).and_then(|v| v.to_str().ok()?.parse().ok());
    if announced.is_some_and(|length: u64| length > most as u64) {
        return Err(too_large());
    }
    let limit = seconds(app.config.body_timeout);
    match tokio::time::timeout(limit, axum::body::to_bytes(request.into_body(), most)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) if is_limit(&error) => Err(too_large()),
        Ok(Err(error)) => Err(ApiError::invalid(format!("the body broke off: {error}"))),
        Err(_) => {
            let message = format!("the body did not arrive within {} s", limit.as_secs());
            Err(ApiError::new(Kind::Slow, "body_timeout", message))
        }
    }
}

fn is_limit(error: &axum::Error) -> bool {
    std::error::Error::source(error).is_some_and(|cause| cause.to_string().contains("length limit"))
}

/// The content type without its parameters, in lower case; empty if it is missing.
pub(super) fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether the client explicitly accepts `kind`, as `text/event-stream`.
pub(super) fn names_type(headers: &HeaderMap, kind: &str) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|part| {
        let name = part.split(';').next().unwrap_or_default();
        name.trim().eq_ignore_ascii_case(kind)
    })
}
