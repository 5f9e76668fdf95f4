//! `quipu completions` and `quipu man`: generated from the command line's own definition.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::Cli;

#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "quipu", &mut script);
        Ok(io::stdout().lock().write_all(&script)?)
    }
}

#[derive(Debug, Args)]
pub(super) struct Man {
    /// The folder; made when it is missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Man {
    pub(super) fn run(self) -> Result<()> {
        fs::create_dir_all(&self.folder).with_context(|| format!("cannot make {}", self.folder.display()))?;
        clap_mangen::generate_to(Cli::command(), &self.folder)
            .with_context(|| format!("cannot write manual pages into {}", self.folder.display()))
    }
}
