//! Errors for clients, in the form of OpenAI's API.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use quipu_answer::AnswerError;
use quipu_graph::{ErrorClass, GraphError};
use quipu_index::IndexError;
use quipu_model::ModelError;
use quipu_query::QueryError;
use schemars::JsonSchema;
use serde::Serialize;

use crate::reply::json;

/// Kinds of failure; each has one HTTP status and one code for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The request is invalid.
    Invalid,
    /// A missing or unknown key.
    Unauthorized,
    /// The key lacks the right.
    Forbidden,
    /// Unknown workspace, method, entity or address.
    NotFound,
    /// The address does not support this HTTP method.
    WrongVerb,
    /// The client accepts none of the formats.
    NotAcceptable,
    /// The request did not arrive in time.
    Slow,
    /// The request is too large.
    TooLarge,
    /// The body has an unsupported content type.
    WrongType,
    /// Too many requests, or the key's budget is used up.
    Busy,
    /// The language model or the endpoint of a graph fails.
    Upstream,
    /// A requirement is missing: a model, or a workspace that can be opened.
    Unavailable,
    /// The request's time limit was exceeded.
    TimedOut,
    /// A defect of the server.
    Internal,
}

impl Kind {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::Invalid => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::WrongVerb => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
            Self::Slow => StatusCode::REQUEST_TIMEOUT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::WrongType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Busy => StatusCode::TOO_MANY_REQUESTS,
            Self::Upstream => StatusCode::BAD_GATEWAY,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::TimedOut => StatusCode::GATEWAY_TIMEOUT,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The error's type in OpenAI's API.
    fn type_name(self) -> &'static str {
        match self {
            Self::Unauthorized => "authentication_error",
            Self::Forbidden => "permission_error",
            Self::Busy => "rate_limit_error",
            Self::Upstream | Self::Unavailable | Self::TimedOut | Self::Internal => "server_error",
            _ => "invalid_request_error",
        }
    }
}

/// A failed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub(crate) kind: Kind,
    /// For programs: `workspace_not_found`.
    pub(crate) code: &'static str,
    /// For people: what happened and what to do next.
    pub(crate) message: String,
    /// The invalid field of the request.
    pub(crate) param: Option<String>,
    /// Seconds until the next attempt.
    pub(crate) retry_after: Option<u64>,
}

/// The body of a failed request.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ErrorBody {
    /// The failure.
    pub(crate) error: ErrorDetail,
}

/// The failure.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ErrorDetail {
    /// What happened and what to do next, for people.
    message: String,
    /// The error's type in OpenAI's API.
    r#type: &'static str,
    /// The invalid field of the request; null if there is none.
    param: Option<String>,
    /// The error's code, for programs.
    code: &'static str,
}

impl ApiError {
    pub(crate) fn new(kind: Kind, code: &'static str, message: impl Into<String>) -> Self {
        Self { kind, code, message: message.into(), param: None, retry_after: None }
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, "invalid_request", message)
    }

    pub(crate) fn after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds.max(1));
        self
    }

    /// Sets the invalid field of the request.
    pub(crate) fn about(mut self, param: &str) -> Self {
        self.param = Some(param.to_owned());
        self
    }

    pub(crate) fn body(&self) -> ErrorBody {
        let (message, param, code) = (self.message.clone(), self.param.clone(), self.code);
        ErrorBody { error: ErrorDetail { message, r#type: self.kind.type_name(), param, code } }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = json(self.kind.status(), &self.body());
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.kind == Kind::Unauthorized {
            let scheme = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}

impl From<AnswerError> for ApiError {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::Usage(message) => Self::invalid(message),
            AnswerError::Graph(error) => error.into(),
            AnswerError::Index(error) => error.into(),
            AnswerError::Model(error) => error.into(),
            AnswerError::Exhausted(limit) => Self::new(Kind::TimedOut, "limit_reached", limit.to_string()),
            error => Self::new(kind_of(error.class()), "internal_error", error.to_string()),
        }
    }
}

impl From<GraphError> for ApiError {
    fn from(error: GraphError) -> Self {
        let kind = match error {
            GraphError::Endpoint { .. } => Kind::Upstream,
            ref error => kind_of(error.class()),
        };
        Self::new(kind, "graph_error", error.to_string())
    }
}

impl From<IndexError> for ApiError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Graph(error) => error.into(),
            IndexError::Model(error) => error.into(),
            error => Self::new(kind_of(error.class()), "index_error", error.to_string()),
        }
    }
}

impl From<QueryError> for ApiError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Graph(error) => error.into(),
            QueryError::Index(error) => error.into(),
            error => Self::new(Kind::Invalid, "graph_error", error.to_string()),
        }
    }
}

impl From<ModelError> for ApiError {
    fn from(error: ModelError) -> Self {
        let kind = match &error {
            ModelError::Missing { .. } | ModelError::Partial { .. } => Kind::Unavailable,
            ModelError::TimedOut { .. } => Kind::TimedOut,
            ModelError::Unreachable { .. }
            | ModelError::Refused { .. }
            | ModelError::Foreign { .. }
            | ModelError::Unreadable { .. } => Kind::Upstream,
            ModelError::TooLong { .. } => Kind::Invalid,
            _ => Kind::Internal,
        };
        Self::new(kind, "model_error", error.to_string())
    }
}

fn kind_of(class: ErrorClass) -> Kind {
    match class {
        ErrorClass::User => Kind::Invalid,
        ErrorClass::Transient => Kind::Unavailable,
        ErrorClass::Cancelled => Kind::TimedOut,
        ErrorClass::Permanent | ErrorClass::Corrupt => Kind::Internal,
    }
}
