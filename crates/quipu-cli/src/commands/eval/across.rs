//! `quipu eval across`.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use quipu_eval::across_files;

use super::labels::Folders;
use crate::output::{print_json, stdout};

#[derive(Debug, Args)]
pub(in crate::commands) struct Across {
    /// Results folders, of any graphs and question files
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Seed of the intervals
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Across {
    pub(super) fn run(self) -> Result<()> {
        let across = across_files(&Folders::read(&self.folders)?.results, self.seed);
        if self.json {
            return print_json(&across);
        }
        Ok(write!(stdout(), "{}", across.to_markdown())?)
    }
}
