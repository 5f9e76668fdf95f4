//! `quipu entity`: one entity with its names, types, relations and some of its neighbours.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use quipu::{EntityView, FoundEntity, RelationView};
use quipu_graph::Direction;

use crate::output::{Align, FAINT, STRONG, Table, counted, grouped, print_json, stdout, visible};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The workspace's folder
    workspace: PathBuf,
    /// Name, alias or id (IRI) of the entity
    #[arg(value_name = "NAME-OR-ID")]
    name: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub(super) async fn run(self) -> Result<()> {
        let workspace = quipu::Workspace::open_graph(&self.workspace)?;
        let found = workspace.entity(&self.name).await?;
        tell_found(&self.name, &found);
        if self.json { print_json(&found.entity) } else { Ok(print(&found.entity, &mut stdout())?) }
    }
}

/// Warns if the entity's name differs from the name asked for, or if several entities bear it.
fn tell_found(asked: &str, found: &FoundEntity) {
    if !found.exact {
        tell!("no entity is called “{}”; the nearest is:", visible(asked));
    }
    if let Some(matched) = found.matched.as_ref().filter(|_| !found.namesakes.is_empty()) {
        let keys: Vec<String> = found.namesakes.iter().map(|key| visible(key)).collect();
        tell!("also called “{}”: {}", visible(matched), keys.join(", "));
    }
}

fn print(entity: &EntityView, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "{STRONG}{}{STRONG:#}  {FAINT}{}{FAINT:#}", visible(&entity.label), visible(&entity.id))?;
    let types = joined(entity.types.iter().map(|reference| reference.name.as_str()));
    let kind = if types.is_empty() { "no type".to_owned() } else { types };
    writeln!(out, "{kind} · {}", counted(entity.triples, "triple", "triples"))?;
    if !entity.aliases.is_empty() {
        writeln!(out, "also: {}", joined(entity.aliases.iter().map(String::as_str)))?;
    }
    if let Some(description) = &entity.description {
        writeln!(out, "{}", visible(description))?;
    }
    writeln!(out)?;
    relation_table(&entity.relations).print(out)
}

fn relation_table(relations: &[RelationView]) -> Table {
    let mut table =
        Table::new(&[("relation", Align::Left), ("fan-out", Align::Right), ("neighbours", Align::Left)]);
    for relation in relations {
        let arrow = match relation.direction {
            Direction::Forward => "→",
            Direction::Backward => "←",
        };
        let mut neighbours = joined(relation.neighbours.iter().map(|reference| reference.name.as_str()));
        if relation.fan_out > relation.neighbours.len() as u64 {
            neighbours.push_str(", …");
        }
        table.push([&format!("{arrow} {}", relation.relation), &grouped(relation.fan_out), &neighbours]);
    }
    table
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(visible).collect::<Vec<_>>().join(", ")
}
