//! `quipu eval report`.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use quipu_eval::{errors_to_markdown, groups_to_markdown, risk_to_markdown, to_markdown, write_html};

use super::labels::Folders;
use crate::output::{print_json, stdout};

#[derive(Debug, Args)]
pub(in crate::commands) struct Report {
    /// Results folders
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Write one self-contained page; the tables alone go to standard output without it
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON array of all figures
    #[arg(long, conflicts_with = "html")]
    json: bool,
}

impl Report {
    pub(super) fn run(self) -> Result<()> {
        let folders = Folders::read(&self.folders)?;
        let summaries = folders.summaries();
        if self.json {
            return print_json(&summaries);
        }
        let Some(path) = &self.html else {
            let mut out = stdout();
            writeln!(out, "{}\n{}", to_markdown(&summaries), errors_to_markdown(&summaries))?;
            for table in [risk_to_markdown(&summaries), groups_to_markdown(&summaries)].into_iter().flatten()
            {
                writeln!(out, "{table}")?;
            }
            return Ok(());
        };
        write_html(path, &folders.results, &folders.runs(), &summaries)?;
        tell!("{} was written", path.display());
        Ok(())
    }
}
