//! `quipu models`: lists models, fetches them, and shows their places.

use std::io::Write as _;

use anyhow::Result;
use clap::Subcommand;
use quipu_model::Registry;

use crate::output::{Align, Table, print_json, stdout};
use crate::progress;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the known models, and which are on this machine
    List {
        /// Print one JSON array
        #[arg(long)]
        json: bool,
    },
    /// Fetch a model, unless it is here already, and print its path
    Pull {
        /// Name, as listed
        name: String,
    },
    /// Print the path of a model that is on this machine
    Path {
        /// Name, as listed
        name: String,
    },
}

impl Command {
    pub(super) async fn run(self) -> Result<()> {
        let registry = Registry::open()?;
        let path = match self {
            Self::List { json: true } => return print_json(&registry.list()),
            Self::List { json: false } => return list(&registry),
            Self::Pull { name } => progress::pull(&registry, &name).await?,
            Self::Path { name } => registry.path(&name)?,
        };
        Ok(writeln!(stdout(), "{}", path.display())?)
    }
}

fn list(registry: &Registry) -> Result<()> {
    let mut table = Table::new(&[
        ("name", Align::Whole),
        ("kind", Align::Left),
        ("size", Align::Right),
        ("here", Align::Left),
        ("licence", Align::Left),
        ("", Align::Left),
    ]);
    for state in registry.list() {
        let kind = state.entry.kind.name();
        let size = indicatif::DecimalBytes(state.entry.size()).to_string();
        let here = if state.installed { "yes" } else { "no" };
        table.push([&state.entry.name, kind, &size, here, &state.entry.licence, &state.entry.about]);
    }
    Ok(table.print(&mut stdout())?)
}
