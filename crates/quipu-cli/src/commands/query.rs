//! `quipu query`: SPARQL over a workspace.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use quipu::{QueryFormat, QueryOptions, Workspace};

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
    /// Time limit in seconds
    #[arg(long, value_name = "S")]
    timeout: Option<u64>,
}

impl Arguments {
    pub(super) async fn run(self) -> Result<()> {
        let format = QueryFormat::parse(&self.format).map_err(|error| WrongUsage(error.to_string()))?;
        let timeout = self.timeout.map(Duration::from_secs);
        let options = QueryOptions { format, timeout, ..QueryOptions::default() };
        let workspace = Workspace::open_graph(&self.workspace)?;
        let out = std::io::stdout();
        stoppable(options.cancel.clone(), move |handle| {
            handle.block_on(workspace.query_into(&self.sparql, &options, out))
        })
        .await?;
        Ok(())
    }
}
