//! `quipu source`: remote graphs as the graph of a workspace.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand, ValueEnum};
use quipu_graph::{ApiConfig, EndpointConfig, HttpMethod, NameSource};
use quipu_index::{SourceConfig, SourceReport, SourceRequest, Workspace};

use super::{api_source, workspace};
use crate::config::Settings;
use crate::failure::WrongUsage;
use crate::interrupt::{or_interrupted, stoppable};
use crate::output::{Align, FAINT, STRONG, Table, counted, grouped, print_json, stdout, visible};
use crate::{engine, progress};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Make a SPARQL endpoint the graph of a workspace (read what it holds and index its names), or
    /// add an API to it
    Add(Box<Add>),
    /// List the sources of a workspace
    List {
        /// The workspace's folder
        workspace: PathBuf,
        /// Print one JSON array
        #[arg(long)]
        json: bool,
    },
    /// Check that a source answers, and report how
    Check(Named),
    /// Read a source anew: its relations, types and names
    Refresh {
        #[command(flatten)]
        named: Named,
        /// Leave out the vectors: entities are then found by name, not by meaning
        #[arg(long)]
        no_embeddings: bool,
    },
    /// Write a manifest for an API: the operations, parameters and kinds of its OpenAPI document,
    /// for you to complete
    Manifest(api_source::Skeleton),
    /// Remove a source from a workspace, with all data read from it
    Remove(Named),
}

#[derive(Debug, Args)]
pub(super) struct Named {
    /// The workspace's folder
    workspace: PathBuf,
    /// The source's name
    name: String,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Names {
    /// Quipu's own index, built once from the endpoint
    Index,
    /// The endpoint's own text index (Virtuoso, Wikidata)
    Search,
}

#[derive(Debug, Args)]
pub(super) struct Add {
    /// The workspace's folder; made when it is missing
    workspace: PathBuf,
    /// The source's name, shown with its evidence
    name: String,
    /// URL of an endpoint that takes SPARQL 1.1 queries
    #[arg(long, value_name = "URL", required_unless_present = "openapi", conflicts_with = "openapi")]
    sparql: Option<String>,
    #[command(flatten)]
    api: api_source::Api,
    /// The profile: which relations are labels, types and so on, and how to query the endpoint:
    /// auto, wikidata, dbpedia, freebase, another profile's name or a TOML file
    #[arg(long, default_value = "auto")]
    profile: String,
    /// A named graph to ask, instead of the default graph; may be repeated
    #[arg(long, value_name = "IRI", conflicts_with = "openapi")]
    graph: Vec<String>,
    /// Language of labels, the preferred first; may be repeated
    #[arg(long, value_name = "TAG")]
    language: Vec<String>,
    /// Credentials: basic:env:NAME, bearer:env:NAME, basic:file:PATH or bearer:file:PATH; the
    /// variable or the file holds the secret
    #[arg(long, value_name = "SCHEME:PLACE")]
    auth: Option<String>,
    /// A header of every request, `Name: value`; a value env:NAME or file:PATH is read from there
    #[arg(long, value_name = "HEADER")]
    header: Vec<String>,
    /// How entities are found by name
    #[arg(long, value_enum)]
    names: Option<Names>,
    /// Send queries in the URL instead of as a form
    #[arg(long)]
    get: bool,
    /// Seconds for one request
    #[arg(long, value_name = "S")]
    timeout: Option<u64>,
    /// Maximum number of requests in any minute
    #[arg(long, value_name = "N")]
    per_minute: Option<usize>,
    /// Maximum number of requests at once
    #[arg(long, value_name = "N")]
    concurrency: Option<usize>,
    /// Leave out the vectors: entities are then found by name, not by meaning
    #[arg(long)]
    no_embeddings: bool,
}

impl Command {
    pub(super) async fn run(self) -> Result<()> {
        match self {
            Self::Add(add) => match add.api.openapi {
                Some(_) => {
                    or_interrupted(api_source::read(&add.workspace, &add.name, add.api_config()?)).await
                }
                None => {
                    let config = add.config()?;
                    config.check()?;
                    config.check_secrets()?;
                    read(&add.workspace, &add.name, config, add.no_embeddings).await
                }
            },
            Self::List { workspace, json } => list(&workspace, json),
            Self::Check(named) => or_interrupted(check(&named)).await,
            Self::Manifest(skeleton) => or_interrupted(skeleton.run()).await,
            Self::Refresh { named, no_embeddings } => match find(&named)? {
                SourceConfig::Endpoint(config) => {
                    read(&named.workspace, &named.name, config, no_embeddings).await
                }
                SourceConfig::Api(config) => {
                    or_interrupted(api_source::read(&named.workspace, &named.name, config)).await
                }
            },
            Self::Remove(named) => {
                Workspace::remove_source(&named.workspace, &named.name)?;
                tell!("removed {}", visible(&named.name));
                Ok(())
            }
        }
    }
}

impl Add {
    fn headers(&self) -> Result<BTreeMap<String, String>> {
        let mut headers = BTreeMap::new();
        for header in &self.header {
            let Some((name, value)) = header.split_once(':') else {
                return Err(WrongUsage(format!("--header {header:?}: expected `Name: value`")).into());
            };
            headers.insert(name.trim().to_owned(), value.trim().to_owned());
        }
        Ok(headers)
    }

    fn api_config(&self) -> Result<ApiConfig> {
        let default = ApiConfig::default();
        Ok(ApiConfig {
            auth: self.auth.clone(),
            headers: self.headers()?,
            timeout: self.timeout.unwrap_or(default.timeout),
            per_minute: self.per_minute.unwrap_or(default.per_minute),
            concurrency: self.concurrency.unwrap_or(default.concurrency),
            ..self.api.config()
        })
    }

    fn config(&self) -> Result<EndpointConfig> {
        let default = EndpointConfig::for_profile(&self.profile);
        let headers = self.headers()?;
        let names = match self.names {
            Some(Names::Index) => NameSource::Index,
            Some(Names::Search) => NameSource::Search,
            None => default.names,
        };
        Ok(EndpointConfig {
            url: self.sparql.clone().unwrap_or_default(),
            graphs: self.graph.clone(),
            languages: if self.language.is_empty() { default.languages } else { self.language.clone() },
            names,
            auth: self.auth.clone(),
            headers,
            method: if self.get { HttpMethod::Get } else { default.method },
            timeout: self.timeout.unwrap_or(default.timeout),
            per_minute: self.per_minute.unwrap_or(default.per_minute),
            concurrency: self.concurrency.unwrap_or(default.concurrency),
            ..default
        })
    }
}

/// Reads an endpoint into a workspace.
async fn read(folder: &Path, name: &str, config: EndpointConfig, no_embeddings: bool) -> Result<()> {
    let settings = Settings::load(Settings::default(), folder)?;
    let embedder = if no_embeddings || config.names == NameSource::Search {
        None
    } else {
        let loaded = engine::load_embedder(&settings).await;
        Some(loaded.context("entities cannot be embedded (--no-embeddings leaves that out)")?)
    };
    let started = Instant::now();
    let bar = progress::ImportBar::new();
    let cancel = Arc::new(AtomicBool::new(false));
    let request = SourceRequest {
        name: name.to_owned(),
        config,
        embedder,
        progress: Some(bar.sink()),
        cancel: cancel.clone(),
    };
    let place = folder.to_owned();
    let outcome =
        stoppable(cancel, move |handle| handle.block_on(Workspace::add_source(&place, &request))).await;
    bar.finish();
    tell(&outcome?, started);
    // Surveyed now, so that the first question does not wait for it.
    quipu_query::open_tables(&Workspace::open(folder)?).await?;
    Ok(())
}

fn tell(report: &SourceReport, started: Instant) {
    let catalogue = &report.catalogue;
    let description = &catalogue.description;
    tell!(
        "{}: {}, {}, {} in {:.1} s (profile {}, {} read for the name index)",
        visible(&catalogue.server),
        counted(description.triples, "triple", "triples"),
        counted(description.entities, "entity", "entities"),
        counted(description.relations, "relation", "relations"),
        started.elapsed().as_secs_f64(),
        catalogue.profile.name,
        counted(report.rows, "row", "rows"),
    );
    for note in &report.notes {
        tell!("{}", visible(note));
    }
}

fn find(named: &Named) -> Result<SourceConfig> {
    let sources = Workspace::sources(&named.workspace)?;
    let found = sources.into_iter().find(|(name, _)| *name == named.name);
    let missing = || WrongUsage(format!("{} has no source {}", named.workspace.display(), named.name));
    Ok(found.ok_or_else(missing)?.1)
}

fn list(folder: &Path, json: bool) -> Result<()> {
    let sources = Workspace::sources(folder)?;
    if json {
        let views: Vec<serde_json::Value> = sources
            .iter()
            .map(|(name, config)| match config {
                SourceConfig::Endpoint(config) => {
                    serde_json::json!({ "name": name, "sparql": config.url, "profile": config.profile })
                }
                SourceConfig::Api(config) => {
                    serde_json::json!({ "name": name, "openapi": config.openapi, "manifest": config.manifest })
                }
            })
            .collect();
        return print_json(&views);
    }
    let columns =
        [("name", Align::Left), ("kind", Align::Left), ("address", Align::Left), ("profile", Align::Left)];
    let mut table = Table::new(&columns);
    for (name, config) in &sources {
        let (kind, profile) = match config {
            SourceConfig::Endpoint(config) => ("sparql", config.profile.as_str()),
            SourceConfig::Api(config) => ("api", config.manifest.as_deref().unwrap_or("-")),
        };
        table.push([name.as_str(), kind, config.address(), profile]);
    }
    Ok(table.print(&mut stdout())?)
}

/// Asks the source for one triple, without the cache.
async fn check(named: &Named) -> Result<()> {
    let config = match find(named)? {
        SourceConfig::Endpoint(config) => config,
        SourceConfig::Api(config) => {
            return api_source::check(&workspace::open(&named.workspace)?, &named.name, &config).await;
        }
    };
    let workspace = workspace::open(&named.workspace)?;
    let graph = workspace.endpoint().context("the workspace's graph is not an endpoint")?;
    let started = Instant::now();
    graph.reach().await?;
    let took = started.elapsed();
    let catalogue = graph.catalogue();
    let mut out = stdout();
    writeln!(out, "{STRONG}{}{STRONG:#}  {FAINT}{}{FAINT:#}", visible(&named.name), visible(&config.url))?;
    writeln!(out, "answers in {} ms ({})", grouped(took.as_millis() as u64), visible(&catalogue.server))?;
    if let Some(most) = catalogue.most_rows {
        writeln!(out, "gives no more than {} rows at once", grouped(most as u64))?;
    }
    for note in &catalogue.notes {
        writeln!(out, "{FAINT}{}{FAINT:#}", visible(note))?;
    }
    Ok(())
}
