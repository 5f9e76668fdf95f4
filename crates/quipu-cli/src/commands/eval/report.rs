//! `quipu eval report`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use quipu_eval::{errors_to_markdown, groups_to_markdown, to_markdown, write_html};

use super::labels::Folders;

#[derive(Debug, Args)]
pub(in crate::commands) struct Report {
    /// Results folders
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Write one self-contained page; the tables alone go to standard output without it
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl Report {
    pub(super) fn run(self) -> Result<()> {
        let folders = Folders::read(&self.folders)?;
        let summaries = folders.summaries();
        let Some(path) = &self.html else {
            anstream::println!("{}\n{}", to_markdown(&summaries), errors_to_markdown(&summaries));
            if let Some(groups) = groups_to_markdown(&summaries) {
                anstream::println!("{groups}");
            }
            return Ok(());
        };
        write_html(path, &folders.results, &folders.runs(), &summaries)?;
        anstream::eprintln!("{} was written", path.display());
        Ok(())
    }
}
