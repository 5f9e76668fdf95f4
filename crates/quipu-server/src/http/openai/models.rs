//! Workspaces with methods, in the form of OpenAI's model list.

use axum::extract::{Path, State};
use axum::routing::get;
use quipu_answer::{Method, NamedMethod};
use schemars::JsonSchema;
use serde::Serialize;

use crate::access::Client;
use crate::app::App;
use crate::error::{ApiError, Kind};
use crate::http::Answered;
use crate::http::operations::{Operations, text};
use crate::reply::ok;

/// The model id of the first workspace.
const QUIPU: &str = "quipu";

pub(super) fn operations(operations: &mut Operations) {
    let reply = operations.schema::<Models>();
    let list = Operations::describe("get", "/v1/models", "OpenAI", "Workspaces and methods as models")
        .replies("The models that the key may ask", &[("application/json", reply)]);
    operations.add(list, Some(get(list_models)));
    let reply = operations.schema::<Model>();
    let one = Operations::describe("get", "/v1/models/{id}", "OpenAI", "One of the models")
        .parameter(
            "id",
            "path",
            true,
            "The model's id, as `quipu` or `films/kerag`; its slash may be percent-encoded",
            text(),
        )
        .replies("The model", &[("application/json", reply)]);
    operations.add_at("/v1/models/{*id}", one, get(one_model));
}

/// The models in the form of OpenAI's API.
#[derive(Debug, Serialize, JsonSchema)]
struct Models {
    /// `list`.
    object: &'static str,
    /// The models.
    data: Vec<Model>,
}

/// A workspace with a method.
#[derive(Debug, Serialize, JsonSchema)]
struct Model {
    /// Its id.
    id: String,
    /// `model`.
    object: &'static str,
    /// 0: a workspace's age has no meaning here.
    created: u64,
    /// `quipu`.
    owned_by: &'static str,
}

impl Model {
    fn of(id: String) -> Self {
        Self { id, object: "model", created: 0, owned_by: QUIPU }
    }
}

async fn list_models(State(app): State<App>, client: Client) -> Answered {
    let first = app.workspace(&client, None)?;
    let open = app.workspaces.names().filter(|name| client.may_ask(name) && *name != QUIPU);
    let bases = std::iter::once(QUIPU.to_owned()).chain(open.map(str::to_owned));
    let mut data = Vec::new();
    tracing::debug!(target: "quipu", workspace = first, "{QUIPU} stands for this workspace");
    for base in bases {
        let with_methods = Method::ALL.iter().map(|method| Model::of(format!("{base}/{}", method.name())));
        let with_methods: Vec<Model> = with_methods.collect();
        data.push(Model::of(base));
        data.extend(with_methods);
    }
    Ok(ok(&Models { object: "list", data }))
}

async fn one_model(State(app): State<App>, client: Client, Path(id): Path<String>) -> Answered {
    let (workspace, _) = read_model(&app, &id)?;
    app.workspace(&client, workspace.as_deref())?;
    Ok(ok(&Model::of(id)))
}

/// The workspace and the method in a model's id.
pub(super) fn read_model(app: &App, id: &str) -> Result<(Option<String>, Option<NamedMethod>), ApiError> {
    let unknown = || {
        let message = format!("unknown model {id:?}; /v1/models lists the known ones");
        ApiError::new(Kind::NotFound, "model_not_found", message).about("model")
    };
    let (base, method) = match id.rsplit_once('/') {
        Some((base, method)) => (base, Some(method.parse::<NamedMethod>().map_err(|_| unknown())?)),
        None => (id, None),
    };
    match base {
        _ if app.workspaces.folder(base).is_some() => Ok((Some(base.to_owned()), method)),
        QUIPU => Ok((None, method)),
        _ => Err(unknown()),
    }
}
