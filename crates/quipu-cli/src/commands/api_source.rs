//! `quipu source add … --openapi`: APIs described by an OpenAPI document.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use clap::Args;
use quipu_graph::{ApiConfig, Graph as _};
use quipu_index::{ApiReport, ApiRequest, Workspace};

use crate::output::{FAINT, STRONG, counted, stdout, visible};

#[derive(Debug, Args)]
pub(super) struct Api {
    /// The OpenAPI 3 document of an API, a file or a URL; asked beside the workspace's graph, or in its place
    #[arg(long, value_name = "FILE-OR-URL")]
    pub(super) openapi: Option<String>,
    /// Where the API is, when its document does not say
    #[arg(long, value_name = "URL", requires = "openapi")]
    base: Option<String>,
    /// What the document lacks: which operations may be called, what their parameters take. A TOML file, or the name of a manifest
    /// that ships with Quipu (crag). Without one, only GET operations are called
    #[arg(long, value_name = "FILE", requires = "openapi")]
    manifest: Option<String>,
    /// A host on this machine or a local network that may be asked; may be repeated
    #[arg(long, value_name = "HOST", requires = "openapi")]
    allow_host: Vec<String>,
}

impl Api {
    pub(super) fn config(&self) -> ApiConfig {
        ApiConfig {
            openapi: self.openapi.clone().unwrap_or_default(),
            base: self.base.clone(),
            manifest: self.manifest.clone(),
            allow_hosts: self.allow_host.clone(),
            ..ApiConfig::default()
        }
    }
}

pub(super) async fn read(folder: &Path, name: &str, config: ApiConfig) -> Result<()> {
    config.check()?;
    config.check_secrets()?;
    let report = Workspace::add_api(folder, &ApiRequest { name: name.to_owned(), config }).await?;
    tell!("{}", line(&report));
    for note in &report.notes {
        tell!("{}", visible(note));
    }
    Ok(())
}

/// What an API has, in one line.
pub(super) fn line(report: &ApiReport) -> String {
    format!(
        "{} ({}): {} to call, {} of entities, {}",
        visible(&report.title),
        visible(&report.base),
        counted(report.operations as u64, "operation", "operations"),
        counted(report.kinds as u64, "kind", "kinds"),
        match report.domains.len() {
            0 => "any field".to_owned(),
            _ => visible(&report.domains.join(", ")),
        },
    )
}

/// What may be called; nothing is asked of the API, which may count every request.
pub(super) fn check(workspace: &Workspace, name: &str) -> Result<()> {
    let api = workspace.apis().iter().find(|api| api.describe().name == name);
    let service = api.context("the workspace does not have that API")?.service();
    let mut out = stdout();
    for operation in service.operations.iter().filter(|operation| !operation.helper) {
        let takes: Vec<&str> = operation.takes.iter().map(|taken| taken.parameter.name.as_str()).collect();
        let (name, path) = (visible(&operation.name), visible(operation.path()));
        writeln!(out, "{STRONG}{name}{STRONG:#}  {FAINT}{path}({}){FAINT:#}", takes.join(", "))?;
    }
    for note in &service.notes {
        writeln!(out, "{FAINT}{}{FAINT:#}", visible(note))?;
    }
    Ok(())
}
