//! The graph itself: linking, entities, neighbourhoods, search.

use axum::extract::{Path, State};
use axum::routing::{get, post};
use quipu_answer::Evidence;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Answered;
use super::extract::{Json, Parameters};
use super::operations::{Operations, count, text};
use crate::access::Client;
use crate::app::App;
use crate::error::ApiError;
use crate::reply::ok;
use crate::views::{self, CandidateView, EntityView, MentionView, RelationView};

/// Most candidates and entities in one reply.
const MOST_FOUND: usize = 50;
/// Most neighbours of one relation in one reply.
const MOST_NEIGHBOURS: usize = 100;
const FOUND: usize = 10;
const NEIGHBOURS: usize = 10;
/// Longest text for linking, in characters.
const LONGEST_TEXT: usize = 4096;

pub(super) fn operations(operations: &mut Operations) {
    let in_workspace = |operation: super::operations::Operation| {
        operation.parameter("workspace", "query", false, "The workspace; the first one by default", text())
    };
    let (body, reply) = (operations.schema::<LinkRequest>(), operations.schema::<Linked>());
    let link = Operations::describe("post", "/api/v1/link", "Graph", "The entities that a text mentions")
        .body(&[("application/json", body)])
        .replies("Mentions with their candidates", &[("application/json", reply)]);
    operations.add(link, Some(post(link_text)));

    let reply = operations.schema::<Entities>();
    let find = Operations::describe("get", "/api/v1/entities", "Graph", "Entities with a name, best first")
        .parameter("name", "query", true, "The name, in any spelling", text())
        .parameter("limit", "query", false, "Maximum number of entities (10)", count(MOST_FOUND))
        .replies("Entities", &[("application/json", reply)]);
    operations.add(in_workspace(find), Some(get(find_entities)));

    let reply = operations.schema::<EntityView>();
    let entity =
        Operations::describe("get", "/api/v1/entities/{id}", "Graph", "An entity with its relations")
            .parameter("id", "path", true, "The entity's id, percent-encoded", text())
            .parameter(
                "limit",
                "query",
                false,
                "Neighbours per relation, at most (10)",
                count(MOST_NEIGHBOURS),
            )
            .replies("The entity", &[("application/json", reply)]);
    operations.add(in_workspace(entity), Some(get(one_entity)));

    let reply = operations.schema::<Neighbourhood>();
    let around =
        Operations::describe("get", "/api/v1/neighbourhood", "Graph", "The triples around an entity")
            .parameter("id", "query", true, "The entity's id", text())
            .parameter("relation", "query", false, "Only this relation, by id", text())
            .parameter(
                "limit",
                "query",
                false,
                "Neighbours per relation, at most (10)",
                count(MOST_NEIGHBOURS),
            )
            .replies("Neighbours by relation", &[("application/json", reply)]);
    operations.add(in_workspace(around), Some(get(neighbourhood)));

    let reply = operations.schema::<Found>();
    let kinds = serde_json::json!({ "type": "string", "enum": ["names", "documents"] });
    let search =
        Operations::describe("get", "/api/v1/search", "Graph", "Entities by name, or passages of documents")
            .parameter("q", "query", true, "The text to search for", text())
            .parameter("in", "query", false, "`names` (the default) or `documents`", kinds)
            .parameter("limit", "query", false, "Maximum number of hits (10)", count(MOST_FOUND))
            .replies("The entities or passages found", &[("application/json", reply)]);
    operations.add(in_workspace(search), Some(get(search_graph)));
}

/// A text to link.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LinkRequest {
    /// The text.
    text: String,
    /// The workspace; the first one by default.
    #[serde(default)]
    workspace: Option<String>,
    /// Maximum number of candidates for each mention (10).
    #[serde(default)]
    #[schemars(range(min = 1, max = 50))]
    limit: Option<usize>,
}

/// The mentions in a text.
#[derive(Debug, Serialize, JsonSchema)]
struct Linked {
    /// The mentions.
    mentions: Vec<MentionView>,
}

/// Entities with a name.
#[derive(Debug, Serialize, JsonSchema)]
struct Entities {
    /// Best first.
    entities: Vec<CandidateView>,
}

/// The neighbours of an entity.
#[derive(Debug, Serialize, JsonSchema)]
struct Neighbourhood {
    /// The entity's id.
    id: String,
    /// Its relations with some neighbours.
    relations: Vec<RelationView>,
}

/// The results of a search.
#[derive(Debug, Serialize, JsonSchema)]
struct Found {
    /// Entities, if names were searched.
    entities: Vec<CandidateView>,
    /// Passages, if documents were searched.
    passages: Vec<Evidence>,
}

#[derive(Debug, Deserialize)]
struct FindQuery {
    name: String,
    workspace: Option<String>,
    limit: Option<usize>,
}

#[derive(Debug, Deserialize)]
struct EntityQuery {
    workspace: Option<String>,
    limit: Option<usize>,
}

#[derive(Debug, Deserialize)]
struct AroundQuery {
    id: String,
    relation: Option<String>,
    workspace: Option<String>,
    limit: Option<usize>,
}

#[derive(Debug, Deserialize)]
struct SearchQuery {
    q: String,
    r#in: Option<String>,
    workspace: Option<String>,
    limit: Option<usize>,
}

async fn link_text(State(app): State<App>, client: Client, Json(request): Json<LinkRequest>) -> Answered {
    let (text, limit) = (checked(&request.text)?, limit(request.limit, FOUND, MOST_FOUND)?);
    let _permit = app.light.enter(&client.who(), app.config.question_time()).await?;
    let (_, engine) = app.engine(&client, request.workspace.as_deref()).await?;
    let embedder = app.workspaces.models().embedder.as_deref();
    Ok(ok(&Linked { mentions: views::link(&engine, embedder, text, limit).await? }))
}

async fn find_entities(
    State(app): State<App>,
    client: Client,
    Parameters(query): Parameters<FindQuery>,
) -> Answered {
    let (name, limit) = (checked(&query.name)?, limit(query.limit, FOUND, MOST_FOUND)?);
    let _permit = app.light.enter(&client.who(), app.config.question_time()).await?;
    let (_, engine) = app.engine(&client, query.workspace.as_deref()).await?;
    Ok(ok(&Entities { entities: views::lookup(&engine, name, limit).await? }))
}

async fn one_entity(
    State(app): State<App>,
    client: Client,
    Path(id): Path<String>,
    Parameters(query): Parameters<EntityQuery>,
) -> Answered {
    let limit = limit(query.limit, NEIGHBOURS, MOST_NEIGHBOURS)?;
    let _permit = app.light.enter(&client.who(), app.config.question_time()).await?;
    let (_, engine) = app.engine(&client, query.workspace.as_deref()).await?;
    let graph = engine.workspace().graph().as_ref();
    let node = views::find(graph, &id).await?;
    Ok(ok(&views::entity(graph, node, limit).await?))
}

async fn neighbourhood(
    State(app): State<App>,
    client: Client,
    Parameters(query): Parameters<AroundQuery>,
) -> Answered {
    let limit = limit(query.limit, NEIGHBOURS, MOST_NEIGHBOURS)?;
    let _permit = app.light.enter(&client.who(), app.config.question_time()).await?;
    let (_, engine) = app.engine(&client, query.workspace.as_deref()).await?;
    let graph = engine.workspace().graph().as_ref();
    let node = views::find(graph, &query.id).await?;
    let steps = query.relation.as_deref().map(|key| views::steps_of(graph, key)).transpose()?;
    let relations = views::relations(graph, node, steps.as_deref(), limit).await?;
    Ok(ok(&Neighbourhood { id: query.id, relations }))
}

async fn search_graph(
    State(app): State<App>,
    client: Client,
    Parameters(query): Parameters<SearchQuery>,
) -> Answered {
    let (sought, limit) = (checked(&query.q)?, limit(query.limit, FOUND, MOST_FOUND)?);
    let _permit = app.light.enter(&client.who(), app.config.question_time()).await?;
    let (_, engine) = app.engine(&client, query.workspace.as_deref()).await?;
    let mut found = Found { entities: Vec::new(), passages: Vec::new() };
    match query.r#in.as_deref().unwrap_or("names") {
        "names" => found.entities = views::lookup(&engine, sought, limit).await?,
        "documents" => found.passages = engine.passages(sought, limit).await?,
        other => return Err(ApiError::invalid(format!("in: `names` or `documents`, not {other:?}"))),
    }
    Ok(ok(&found))
}

/// A text that is neither empty nor too long.
pub(crate) fn checked(text: &str) -> Result<&str, ApiError> {
    if text.trim().is_empty() || text.len() > LONGEST_TEXT {
        let message = format!("the text must have from 1 to {LONGEST_TEXT} bytes");
        return Err(ApiError::invalid(message));
    }
    Ok(text)
}

/// A limit between 1 and `most`.
fn limit(asked: Option<usize>, usual: usize, most: usize) -> Result<usize, ApiError> {
    match asked.unwrap_or(usual) {
        limit if (1..=most).contains(&limit) => Ok(limit),
        limit => Err(ApiError::invalid(format!("limit: from 1 to {most}, not {limit}"))),
    }
}
