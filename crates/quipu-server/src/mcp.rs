//! The Model Context Protocol: the engine and the graph as tools, over HTTP and over standard input
//! and output.

mod replies;
mod requests;
mod schema;

use std::sync::Arc;

use quipu_answer::{EventSink, TimedEvent};
use quipu_graph::{QueryFormat, QueryGraphs};
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{
    Implementation, ListResourcesResult, PaginatedRequestParams, ProgressNotificationParam,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _, tool, tool_handler, tool_router};
use tokio::sync::mpsc::unbounded_channel;

use crate::access::Client;
use crate::app::{App, Ask, Reply};
use crate::error::ApiError;
use crate::sparql::{self, SparqlQuery};
use crate::views;
use replies::{Answered, Entities, Neighbours, Passages, Relations, Rows};
use requests::{AskQuestion, Expand, FindEntities, GetEntity, ListRelations, RunSparql, SearchDocuments};

/// Default and largest number of items in one reply: neighbours of one relation, entities of one
/// name, relations of a graph.
const USUAL: usize = 10;
const MOST: usize = 50;
const MOST_RELATIONS: usize = 200;

/// The server's instructions for a host's model. Each tool is described by its own documentation.
const INSTRUCTIONS: &str = include_str!("prompts/mcp.txt");

/// The tools. `open` means that the caller has all rights: over standard input and output, the
/// caller is the user who started the program.
#[derive(Clone)]
struct Tools {
    app: App,
    open: bool,
}

/// The MCP service at `/mcp`, without sessions, so that nothing is stored between requests.
pub(crate) fn http_service(app: &App) -> StreamableHttpService<impl ServerHandler, NeverSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_max_request_body_bytes(app.config.max_body)
        // The server's own guard checks hosts, for all addresses.
        .disable_allowed_hosts();
    let app = app.clone();
    let tools = move || Ok(Tools { app: app.clone(), open: false });
    StreamableHttpService::new(tools, Arc::default(), config)
}

/// Speaks over standard input and output until they are closed.
pub(crate) async fn serve_stdio(app: App) -> Result<(), String> {
    let tools = Tools { app, open: true };
    let running = tools.serve(rmcp::transport::io::stdio()).await.map_err(|error| error.to_string())?;
    running.waiting().await.map_err(|error| error.to_string())?;
    Ok(())
}

type Context = RequestContext<RoleServer>;

#[tool_router]
impl Tools {
    /// Answer a question from the knowledge graph. The reply holds the answer with numbered
    /// citations, the cited sentences, the reading of the question, and whether code found every
    /// value in the evidence. Grounded values may still answer another question than the intended
    /// one. "abstained" means that the evidence holds no answer.
    #[tool(annotations(title = "Ask a question", read_only_hint = true, open_world_hint = false))]
    async fn ask_question(
        &self,
        Parameters(asked): Parameters<AskQuestion>,
        context: Context,
    ) -> Result<Json<Answered>, String> {
        let ask = asked.into_ask().map_err(said)?;
        let reply = self.ask(&ask, context).await.map_err(said)?;
        Ok(Json(Answered::from(reply)))
    }

    /// Find entities of the graph by name; misspelt and partial names are understood. Gives ids for
    /// the other tools.
    #[tool(annotations(title = "Find entities", read_only_hint = true, open_world_hint = false))]
    async fn find_entities(
        &self,
        Parameters(asked): Parameters<FindEntities>,
        context: Context,
    ) -> Result<Json<Entities>, String> {
        let engine = self.engine(&context, asked.workspace.as_deref()).await?;
        let entities = views::lookup(&engine, &asked.name, limit(asked.limit)).await.map_err(said)?;
        Ok(Json(Entities { entities }))
    }

    /// Get an entity by id: names, types, description, and its relations with some neighbours each.
    #[tool(annotations(title = "Get an entity", read_only_hint = true, open_world_hint = false))]
    async fn get_entity(
        &self,
        Parameters(asked): Parameters<GetEntity>,
        context: Context,
    ) -> Result<Json<views::EntityView>, String> {
        let engine = self.engine(&context, asked.workspace.as_deref()).await?;
        let graph = engine.workspace().graph().as_ref();
        let node = views::find(graph, &asked.id).await.map_err(said)?;
        let entity = views::entity(graph, node, limit(asked.limit)).await.map_err(said)?;
        Ok(Json(entity))
    }

    /// List the relations of the graph, those with the most triples first; with an entity's id,
    /// the relations of that entity.
    #[tool(annotations(title = "List relations", read_only_hint = true, open_world_hint = false))]
    async fn list_relations(
        &self,
        Parameters(asked): Parameters<ListRelations>,
        context: Context,
    ) -> Result<Json<Relations>, String> {
        let engine = self.engine(&context, asked.workspace.as_deref()).await?;
        let graph = engine.workspace().graph().as_ref();
        let relations = match &asked.id {
            None => replies::catalogue(graph, MOST_RELATIONS),
            Some(id) => {
                let node = views::find(graph, id).await.map_err(said)?;
                replies::relations_of(views::relations(graph, node, None, 1).await.map_err(said)?)
            }
        };
        Ok(Json(Relations { relations }))
    }

    /// Follow the relations of an entity, in both directions: its neighbours by relation. With a
    /// relation's id, only that one.
    #[tool(annotations(title = "Expand a neighbourhood", read_only_hint = true, open_world_hint = false))]
    async fn expand_neighbourhood(
        &self,
        Parameters(asked): Parameters<Expand>,
        context: Context,
    ) -> Result<Json<Neighbours>, String> {
        let engine = self.engine(&context, asked.workspace.as_deref()).await?;
        let graph = engine.workspace().graph().as_ref();
        let node = views::find(graph, &asked.id).await.map_err(said)?;
        let steps =
            asked.relation.as_deref().map(|key| views::steps_of(graph, key)).transpose().map_err(said)?;
        let relations =
            views::relations(graph, node, steps.as_deref(), limit(asked.limit)).await.map_err(said)?;
        Ok(Json(Neighbours { id: asked.id, relations }))
    }

    /// Search the documents attached to the graph's entities; returns the best passages.
    #[tool(annotations(title = "Search documents", read_only_hint = true, open_world_hint = false))]
    async fn search_documents(
        &self,
        Parameters(asked): Parameters<SearchDocuments>,
        context: Context,
    ) -> Result<Json<Passages>, String> {
        let engine = self.engine(&context, asked.workspace.as_deref()).await?;
        let passages = engine.passages(&asked.query, limit(asked.limit)).await;
        Ok(Json(Passages::from(passages.map_err(|error| said(error.into()))?)))
    }

    /// Run a SPARQL 1.1 SELECT or ASK query over the graph. Time and rows are limited: add a LIMIT.
    #[tool(annotations(title = "Run a SPARQL query", read_only_hint = true, open_world_hint = false))]
    async fn run_sparql_query(
        &self,
        Parameters(asked): Parameters<RunSparql>,
        context: Context,
    ) -> Result<Json<Rows>, String> {
        let engine = self.engine(&context, asked.workspace.as_deref()).await?;
        let client = self.client(&context).map_err(said)?;
        let (graphs, format) = (QueryGraphs::default(), QueryFormat::Json);
        let query = SparqlQuery { query: asked.query, graphs, format };
        let result = sparql::run(&self.app, &client, engine, query).await.map_err(said)?;
        Ok(Json(Rows::read(&result)?))
    }
}

#[tool_handler]
impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("quipu", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS.trim_end())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let client = self.client(&context).map_err(failed)?;
        let names = self.app.workspaces.names().filter(|name| client.may_ask(name));
        let resources = names.map(|name| {
            Resource::new(schema::uri(name), format!("{name}: schema"))
                .with_description(format!("Types and relations of the workspace {name}"))
                .with_mime_type(schema::MIME_TYPE)
        });
        Ok(ListResourcesResult::with_all_items(resources.collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let client = self.client(&context).map_err(failed)?;
        let unknown = || ErrorData::resource_not_found(format!("unknown resource {}", request.uri), None);
        let name = schema::workspace_of(&request.uri).ok_or_else(unknown)?;
        let (_, engine) = self.app.engine(&client, Some(name)).await.map_err(failed)?;
        let text = schema::describe(engine.workspace().graph().as_ref()).await.map_err(failed)?;
        let contents = ResourceContents::text(text, request.uri).with_mime_type(schema::MIME_TYPE);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

impl Tools {
    /// The caller, as the server admitted it.
    fn client(&self, context: &Context) -> Result<Client, ApiError> {
        if self.open {
            return Ok(Client::default());
        }
        let parts = context.extensions.get::<axum::http::request::Parts>();
        parts.and_then(|parts| parts.extensions.get::<Client>().cloned()).ok_or_else(|| {
            ApiError::new(crate::error::Kind::Unauthorized, "invalid_api_key", "the request has no client")
        })
    }

    async fn engine(
        &self,
        context: &Context,
        workspace: Option<&str>,
    ) -> Result<quipu_answer::Engine, String> {
        let client = self.client(context).map_err(said)?;
        let (_, engine) = self.app.engine(&client, workspace).await.map_err(said)?;
        Ok(engine)
    }

    /// Asks, reports progress to the caller if requested, and stops if the caller cancels.
    async fn ask(&self, ask: &Ask, context: Context) -> Result<Reply, ApiError> {
        let client = self.client(&context)?;
        let (sender, mut events) = unbounded_channel::<String>();
        let sink: EventSink = Arc::new(move |event: &TimedEvent| {
            let _ = sender.send(event.stage.name().to_owned());
        });
        let token = context.meta.get_progress_token();
        let sink = token.is_some().then_some(sink);
        let mut answer = std::pin::pin!(self.app.ask(&client, ask, sink));
        let mut steps = 0.0;
        let mut tell = async |stage: String| {
            steps += 1.0;
            if let Some(token) = &token {
                let progress = ProgressNotificationParam::new(token.clone(), steps).with_message(stage);
                // A caller that cannot receive it still gets the answer.
                let _ = context.peer.notify_progress(progress).await;
            }
        };
        loop {
            tokio::select! {
                reply = &mut answer => {
                    // Events before the answer are reported before it.
                    while let Ok(stage) = events.try_recv() {
                        tell(stage).await;
                    }
                    return reply;
                }
                () = context.ct.cancelled() => {
                    return Err(ApiError::new(crate::error::Kind::TimedOut, "cancelled", "the caller cancelled it"));
                }
                Some(stage) = events.recv(), if token.is_some() => tell(stage).await,
            }
        }
    }
}

fn limit(asked: Option<usize>) -> usize {
    asked.unwrap_or(USUAL).clamp(1, MOST)
}

/// The message of a failed tool.
fn said(error: ApiError) -> String {
    error.message
}

fn failed(error: ApiError) -> ErrorData {
    ErrorData::invalid_params(error.message, None)
}
