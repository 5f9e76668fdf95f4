//! The HTTP surface: one file for each group of addresses.

mod api;
mod compare;
mod docs;
mod extract;
mod feedback;
mod graph;
mod guard;
mod openai;
mod operations;
mod overview;
mod page;
mod plain;
mod sparql;
mod stream;
mod system;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Response;
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::app::App;
use crate::error::{ApiError, Kind};
use operations::Operations;

/// All addresses.
pub(crate) fn router(app: &App) -> Router {
    let mut operations = Operations::new();
    openai::operations(&mut operations);
    api::operations(&mut operations);
    compare::operations(&mut operations);
    graph::operations(&mut operations);
    overview::operations(&mut operations);
    feedback::operations(&mut operations);
    sparql::operations(&mut operations);
    system::operations(&mut operations);
    let (routes, description) = operations.finish();
    let routes = routes.merge(docs::routes(&description)).merge(page::routes()).merge(plain::routes());
    let mcp = crate::mcp::http_service(app);
    let mut router = routes
        .route_service("/mcp", mcp)
        .fallback(not_found)
        .method_not_allowed_fallback(wrong_verb)
        .with_state(app.clone());
    if !app.config.cors.is_empty() {
        router = router.layer(cors(&app.config.cors));
    }
    router
        .layer(from_fn_with_state(app.clone(), guard::admit))
        .layer(from_fn_with_state(app.clone(), guard::observe))
        .layer(from_fn(guard::harden))
}

fn cors(origins: &[String]) -> CorsLayer {
    let origins = origins.iter().filter_map(|origin| origin.parse().ok());
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([axum::http::Method::GET, axum::http::Method::POST])
        .allow_headers([
            axum::http::header::AUTHORIZATION,
            axum::http::header::CONTENT_TYPE,
            axum::http::HeaderName::from_static("x-api-key"),
        ])
}

async fn not_found() -> ApiError {
    let message = "there is nothing at this address; /docs lists the addresses";
    ApiError::new(Kind::NotFound, "not_found", message)
}

async fn wrong_verb() -> ApiError {
    let message = "this address does not take this HTTP method; /docs lists those that it takes";
    ApiError::new(Kind::WrongVerb, "method_not_allowed", message)
}

/// The result of a handler.
type Answered = Result<Response, ApiError>;
