//! `quipu query`: SPARQL over a workspace.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use quipu_graph::{QueryFormat, QueryOptions};

use super::workspace;
use crate::failure::WrongUsage;
use crate::interrupt::stoppable;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The workspace's folder
    workspace: PathBuf,
    /// A SELECT, ASK, CONSTRUCT or DESCRIBE query
    sparql: String,
    /// How results are written: table, json, csv, tsv, xml, ntriples
    #[arg(long, default_value = "table")]
    format: String,
    /// Most seconds
    #[arg(long, value_name = "S")]
    timeout: Option<u64>,
}

impl Arguments {
    pub(super) async fn run(self) -> Result<()> {
        let format = QueryFormat::parse(&self.format).map_err(|error| WrongUsage(error.to_string()))?;
        let timeout = self.timeout.map(Duration::from_secs);
        let options = QueryOptions { format, timeout, ..QueryOptions::default() };
        let workspace = workspace::open_graph(&self.workspace)?;
        if !workspace.has_graph() {
            let folder = self.workspace.display();
            return Err(
                WrongUsage(format!("{folder} asks APIs, which take no SPARQL; `quipu ask` does")).into()
            );
        }
        let cancel = options.cancel.clone();
        stoppable(cancel, move |handle| {
            if let Some(graph) = workspace.endpoint() {
                return handle.block_on(graph.query(&self.sparql, &options, &mut std::io::stdout()));
            }
            workspace
                .embedded()
                .map_or(Ok(0), |graph| graph.query(&self.sparql, &options, &mut std::io::stdout()))
        })
        .await?;
        Ok(())
    }
}
