//! A service as a graph: calls of its operations, and the entities known from their responses.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use reqwest::Url;
use serde_json::Value;

use super::catalogue::{Meaning, catalogue};
use super::client::{Client, Request};
use super::config::{ApiConfig, is_url};
use super::ids::{KindId, OperationId};
use super::manifest::Manifest;
use super::nodes::{Node, Nodes};
use super::openapi::{HttpVerb, read_openapi};
use super::operation::Operation;
use super::records::{Naming, Record, records};
use super::service::{Kind, Service};
use crate::endpoint::ResultCache;
use crate::error::EndpointProblem;
use crate::{GraphDescription, GraphError, NodeId, RelationInfo};

/// Calls kept in memory while the graph is open.
const MOST_CALLS: usize = 512;

/// The parts that a graph is opened with.
#[derive(Debug, Clone)]
pub struct ApiParts {
    /// The source's name in evidence.
    pub name: String,
    /// The connection's settings.
    pub config: ApiConfig,
    /// The OpenAPI document's text.
    pub document: String,
    /// The manifest's text.
    pub manifest: Option<String>,
    /// Folder of the response cache.
    pub cache: Option<PathBuf>,
}

/// An operation and its arguments.
type CallKey = (OperationId, String);

/// A service described by an OpenAPI document.
pub struct ApiGraph {
    pub(super) description: GraphDescription,
    pub(super) relations: Vec<RelationInfo>,
    pub(super) meanings: Vec<Meaning>,
    service: Service,
    client: Client,
    base: Url,
    pub(super) nodes: Nodes,
    /// Records of calls made, by operation and arguments.
    calls: Mutex<HashMap<CallKey, Arc<Vec<Record>>>>,
    /// Records of entities with the records nested in them, as a search or a lookup returned them.
    known: Mutex<HashMap<NodeId, Arc<Vec<Record>>>>,
}

impl std::fmt::Debug for ApiGraph {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ApiGraph")
            .field("name", &self.description.name)
            .field("base", &self.base.as_str())
            .finish()
    }
}

/// The text of an OpenAPI document, from a file or a URL.
///
/// # Errors
/// A file that cannot be read; the host's errors, a private host that is not allowed among them.
pub async fn fetch_openapi(config: &ApiConfig) -> Result<String, GraphError> {
    let from = &config.openapi;
    if !is_url(from) {
        let path = PathBuf::from(from);
        return std::fs::read_to_string(&path).map_err(crate::error::io_error("cannot read", &path));
    }
    let url =
        Url::parse(from).map_err(|error| GraphError::Usage(format!("{from:?} is not a URL: {error}")))?;
    let request = Request { verb: HttpVerb::Get, url, headers: Vec::new(), body: None };
    let client = Client::new(config.clone(), None)?;
    let response = client.response(&request, "fetching the OpenAPI document").await?;
    let response = response.ok_or_else(|| GraphError::Usage(format!("{from}: no such file or URL")))?;
    String::from_utf8(response.body)
        .map_err(|_| GraphError::Usage(format!("{from}: text in UTF-8 was expected")))
}

impl ApiGraph {
    /// Opens a service. Sends no request yet.
    ///
    /// # Errors
    /// [`GraphError::Usage`]: a document or manifest that cannot be read, no address to send
    /// requests to, secrets that are missing.
    pub fn open(parts: ApiParts) -> Result<Self, GraphError> {
        let document = read_openapi(&parts.document, &parts.config.openapi)?;
        let manifest_name = parts.config.manifest.as_deref().unwrap_or("manifest");
        let manifest =
            parts.manifest.as_deref().map(|text| Manifest::read(text, manifest_name)).transpose()?;
        let service = Service::new(&document, manifest.as_ref())?;
        let base = base_url(&parts.config, document.server.as_deref())?;
        let cache = parts.cache.as_deref().and_then(|folder| {
            ResultCache::open(folder, parts.config.kept_for(), parts.config.cache_megabytes << 20)
        });
        let (relations, meanings) = catalogue(&service);
        let description = GraphDescription {
            name: parts.name,
            relations: relations.len() as u64,
            types: service.kinds.len() as u64,
            ..GraphDescription::default()
        };
        let nodes = Nodes::default();
        for (at, kind) in service.kinds.iter().enumerate() {
            nodes.intern(&kind_key(kind), Node::Kind(KindId(at)));
        }
        let client = Client::new(parts.config, cache)?;
        let (calls, known) = (Mutex::default(), Mutex::default());
        Ok(Self { description, relations, meanings, service, client, base, nodes, calls, known })
    }

    /// The kinds and operations of the service.
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// The connection's settings.
    pub fn config(&self) -> &ApiConfig {
        self.client.config()
    }

    /// The base URL of requests.
    pub fn base(&self) -> &str {
        self.base.as_str()
    }

    /// Checks whether a server answers at the base URL, by one GET. Any response below HTTP 500
    /// counts as an answer, a refusal too.
    ///
    /// # Errors
    /// [`GraphError::Endpoint`]: no answer, a time-out, only server errors (HTTP 5xx), or an
    /// address that is not allowed.
    pub async fn reach(&self) -> Result<(), GraphError> {
        let request =
            Request { verb: HttpVerb::Get, url: self.base.clone(), headers: Vec::new(), body: None };
        match self.client.response(&request, "checking that the API answers").await {
            Err(GraphError::Endpoint {
                problem: EndpointProblem::Refused { status: 300..500, .. }, ..
            }) => Ok(()),
            other => other.map(drop),
        }
    }

    /// Requests sent since the graph was opened, calls answered from the disk cache, and bytes of
    /// responses.
    pub fn traffic(&self) -> (u64, u64, u64) {
        self.client.traffic()
    }

    /// Calls an operation; `arguments` are values by parameter, several for a list. A 404 gives no
    /// records; a service that fails gives an error.
    ///
    /// # Errors
    /// The service's; [`GraphError::Usage`] when an argument is missing or of the wrong type.
    pub async fn call(
        &self,
        operation: OperationId,
        arguments: &[(String, Vec<String>)],
    ) -> Result<Arc<Vec<Record>>, GraphError> {
        let asked =
            self.service.operation(operation).ok_or_else(|| GraphError::Usage("no such operation".into()))?;
        let key = (operation, format!("{arguments:?}"));
        if let Some(found) = self.calls.lock().get(&key).cloned() {
            return Ok(found);
        }
        let request = asked.request(&self.base, arguments)?;
        let found = match self.client.json(&request, "calling an operation").await? {
            Some(reply) => Arc::new(self.read(asked, &reply)),
            None => Arc::default(),
        };
        let mut calls = self.calls.lock();
        if calls.len() >= MOST_CALLS {
            calls.clear();
        }
        calls.insert(key, found.clone());
        Ok(found)
    }

    fn read(&self, operation: &Operation, reply: &Value) -> Vec<Record> {
        let mut payload = reply;
        let mut root = "$".to_owned();
        for part in self.service.result.split('.').filter(|part| !part.is_empty()) {
            let Some(inner) = payload.get(part) else { break };
            payload = inner;
            root = format!("{root}.{part}");
        }
        let kind = operation.gives.and_then(|kind| self.service.kind(kind));
        let naming = kind.map_or(Naming::default(), |kind| Naming { label: &kind.label, id: &kind.id });
        let found = records(operation, naming, payload, &root);
        if let Some(kind) = operation.gives
            && self.service.gives_whole(kind, operation, &found)
        {
            self.remember_all(kind, &found);
        }
        found
    }

    /// Keeps whole records of entities, so that their fields need no further call.
    fn remember_all(&self, kind: KindId, found: &[Record]) {
        let has_id = self.service.kind(kind).is_some_and(|kind| !kind.id.is_empty());
        let mut at = 0;
        while let Some(record) = found.get(at) {
            let nested =
                found.get(at + 1..).unwrap_or_default().iter().take_while(|next| next.nested).count();
            if let (true, Some(id)) = (has_id, &record.id) {
                let node = self.entity(kind, id, record.label.as_deref());
                let whole = found.get(at..=at + nested).unwrap_or_default().to_vec();
                self.known.lock().entry(node).or_insert_with(|| Arc::new(whole));
            }
            at += nested + 1;
        }
    }

    pub(super) fn remember(&self, kind: KindId, key: &str, record: &Record) {
        let node = self.entity(kind, key, record.label.as_deref());
        self.known.lock().entry(node).or_insert_with(|| Arc::new(vec![record.clone()]));
    }

    /// The node of an entity.
    pub(super) fn entity(&self, kind: KindId, key: &str, label: Option<&str>) -> NodeId {
        let name = self.service.kind(kind).map_or("", |kind| kind.name.as_str());
        let node = Node::Entity { kind, key: key.to_owned(), label: label.map(str::to_owned) };
        self.nodes.intern(&format!("{name}:{key}"), node)
    }

    /// The kind of an entity; `None` for values.
    pub fn kind_of(&self, node: NodeId) -> Option<KindId> {
        match self.nodes.get(node).ok()? {
            Node::Entity { kind, .. } => Some(kind),
            _ => None,
        }
    }

    /// The records of an entity: its own, and those nested in it.
    ///
    /// # Errors
    /// The service's.
    pub async fn records_of(&self, kind: KindId, key: &str) -> Result<Arc<Vec<Record>>, GraphError> {
        let node = self.entity(kind, key, None);
        if let Some(found) = self.known.lock().get(&node).cloned() {
            return Ok(found);
        }
        let details = self.service.kind(kind).and_then(|kind| kind.details);
        let Some((operation, asked)) = details.and_then(|id| Some((id, self.service.operation(id)?))) else {
            return Ok(Arc::default());
        };
        let Some(taken) = asked.parameter_for(kind) else { return Ok(Arc::default()) };
        let arguments = [(taken.parameter.name.clone(), vec![key.to_owned()])];
        let found = self.call(operation, &arguments).await?;
        if let Some(label) = found.first().and_then(|record| record.label.as_deref()) {
            self.entity(kind, key, Some(label));
        }
        self.known.lock().insert(node, found.clone());
        Ok(found)
    }

    /// The entity's name, fetched where only its id is known.
    ///
    /// # Errors
    /// The service's.
    pub async fn label(&self, kind: KindId, key: &str) -> Result<String, GraphError> {
        let node = self.entity(kind, key, None);
        let known = || match self.nodes.find(node) {
            Some(Node::Entity { label, .. }) => label,
            _ => None,
        };
        if let Some(label) = known() {
            return Ok(label);
        }
        let has_id =
            self.service.kind(kind).is_some_and(|kind| !kind.id.is_empty() && kind.details.is_some());
        if has_id {
            self.records_of(kind, key).await?;
        }
        Ok(known().unwrap_or_else(|| key.to_owned()))
    }
}

pub(super) fn kind_key(kind: &Kind) -> String {
    format!("kind {}", kind.name)
}

/// The base URL of the service: as configured, else as in the document, resolved against the
/// document's own location.
fn base_url(config: &ApiConfig, server: Option<&str>) -> Result<Url, GraphError> {
    let wrong = || {
        GraphError::Usage(format!(
            "{}: the document does not state the service's URL; give it with --base URL",
            config.openapi
        ))
    };
    let parsed = match (&config.base, server) {
        (Some(base), _) => Url::parse(base),
        (None, Some(server)) if is_url(server) => Url::parse(server),
        (None, server) if is_url(&config.openapi) => {
            Url::parse(&config.openapi).and_then(|from| from.join(server.unwrap_or("/")))
        }
        _ => return Err(wrong()),
    };
    let mut url = parsed.map_err(|_| wrong())?;
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}
