//! `quipu eval compare`.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use quipu_eval::{compare, comparisons_to_markdown};

use super::labels::Folders;
use crate::output::{print_json, stdout};

#[derive(Debug, Args)]
pub(in crate::commands) struct Compare {
    /// Results folders; every run is compared with the first method and model of the first folder
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Seed of the intervals
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Print one JSON array
    #[arg(long)]
    json: bool,
}

impl Compare {
    pub(super) fn run(self) -> Result<()> {
        let folders = Folders::read(&self.folders)?;
        let comparisons = compare(&folders.runs(), self.seed)?;
        if self.json {
            return print_json(&comparisons);
        }
        Ok(write!(stdout(), "{}", comparisons_to_markdown(&comparisons))?)
    }
}
