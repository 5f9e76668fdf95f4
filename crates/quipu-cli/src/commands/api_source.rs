//! `quipu source add … --openapi`: APIs described by an OpenAPI document.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result};
use clap::Args;
use quipu_graph::{ApiConfig, Graph as _, fetch_openapi, manifest_skeleton};
use quipu_index::{ApiReport, ApiRequest, Workspace};

use crate::output::{FAINT, STRONG, counted, grouped, stdout, visible};

#[derive(Debug, Args)]
pub(super) struct Api {
    /// The OpenAPI 3 document of an API, a file or a URL. Questions go to the API beside the
    /// workspace's graph, or in its place
    #[arg(long, value_name = "FILE-OR-URL")]
    pub(super) openapi: Option<String>,
    /// Base URL of the API, if its document does not state it
    #[arg(long, value_name = "URL", requires = "openapi")]
    base: Option<String>,
    /// A manifest: which operations may be called, what their parameters take. A TOML file, or the
    /// name of a manifest that ships with Quipu (crag). Without one, only GET operations are called
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

/// A manifest to begin with.
#[derive(Debug, Args)]
pub(super) struct Skeleton {
    /// The OpenAPI 3 document, a file or a URL
    #[arg(long, value_name = "FILE-OR-URL")]
    from: String,
    /// The file to write; without it, standard output. An existing file is not overwritten
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// A host on this machine or a local network that may be asked for the document; may be
    /// repeated
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<String>,
}

impl Skeleton {
    pub(super) async fn run(self) -> Result<()> {
        let config =
            ApiConfig { openapi: self.from.clone(), allow_hosts: self.allow_host, ..ApiConfig::default() };
        let text = manifest_skeleton(&fetch_openapi(&config).await?, &self.from)?;
        let Some(path) = self.out else { return Ok(write!(stdout(), "{text}")?) };
        let file = std::fs::File::options().write(true).create_new(true).open(&path);
        let mut file = file.with_context(|| format!("cannot write {}", path.display()))?;
        file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
        tell!("wrote {}; look through it, then name it with --manifest", path.display());
        Ok(())
    }
}

pub(super) async fn read(folder: &Path, name: &str, config: ApiConfig) -> Result<()> {
    config.check()?;
    config.check_secrets()?;
    let advice = no_operations(&config);
    let report = Workspace::add_api(folder, &ApiRequest { name: name.to_owned(), config }).await?;
    tell!("{}", line(&report));
    for note in &report.notes {
        tell!("{}", visible(note));
    }
    if report.operations == 0 {
        tell!("{advice}");
    }
    Ok(())
}

/// The way on for an API of which nothing may be called.
fn no_operations(config: &ApiConfig) -> String {
    let way = match &config.manifest {
        Some(manifest) => format!("its manifest {} allows no operation", visible(manifest)),
        None => format!(
            "`quipu source manifest --from {}` drafts a manifest (--manifest), in which you allow operations",
            visible(&config.openapi)
        ),
    };
    format!("nothing of it can be asked yet: {way}")
}

/// Sums an API up in one line, for `source add` and `source list`.
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

/// Sends the API one request, and lists the operations that may be called.
pub(super) async fn check(workspace: &Workspace, name: &str, config: &ApiConfig) -> Result<()> {
    let api = workspace.apis().iter().find(|api| api.describe().name == name);
    let api = api.with_context(|| format!("the workspace has no API {name}"))?;
    let service = api.service();
    let mut out = stdout();
    let started = Instant::now();
    api.reach().await?;
    writeln!(out, "{STRONG}{}{STRONG:#}  {FAINT}{}{FAINT:#}", visible(name), visible(api.base()))?;
    writeln!(out, "answers in {} ms", grouped(started.elapsed().as_millis() as u64))?;
    for operation in service.operations.iter().filter(|operation| !operation.helper) {
        let takes: Vec<&str> = operation.takes.iter().map(|taken| taken.parameter.name.as_str()).collect();
        let (name, path) = (visible(&operation.name), visible(operation.path()));
        writeln!(out, "{STRONG}{name}{STRONG:#}  {FAINT}{path}({}){FAINT:#}", takes.join(", "))?;
    }
    for note in &service.notes {
        writeln!(out, "{FAINT}{}{FAINT:#}", visible(note))?;
    }
    if service.operations.is_empty() {
        writeln!(out, "{}", no_operations(config))?;
    }
    Ok(())
}
