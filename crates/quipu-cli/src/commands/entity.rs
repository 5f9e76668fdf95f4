//! `quipu entity`: one entity with its names, types, relations and some of its neighbours.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use quipu_graph::{Direction, Entity, Expansion, Graph, NodeId, NodeSummary, RelationRole};
use serde::Serialize;

use super::workspace;
use crate::output::{Align, FAINT, STRONG, Table, counted, grouped, print_json, stdout, visible};

/// Neighbours shown for each relation.
const SAMPLE: usize = 5;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The workspace's folder
    workspace: PathBuf,
    /// Name, other name or id (IRI) of the entity
    #[arg(value_name = "NAME-OR-ID")]
    name: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// An entity as `--json` prints it.
#[derive(Debug, Serialize)]
struct View {
    id: String,
    label: String,
    aliases: Vec<String>,
    types: Vec<Reference>,
    description: Option<String>,
    triples: u64,
    relations: Vec<RelationView>,
}

#[derive(Debug, Serialize)]
struct RelationView {
    id: String,
    relation: String,
    direction: Direction,
    fan_out: u64,
    neighbours: Vec<Reference>,
}

/// A node by id and name; a literal by its value alone.
#[derive(Debug, Serialize)]
struct Reference {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    name: String,
}

impl Arguments {
    pub(super) async fn run(self) -> Result<()> {
        let workspace = workspace::open_graph(&self.workspace)?;
        let node = workspace::find_entity(&workspace, &self.name).await?;
        let view = View::read(workspace.graph().as_ref(), node).await?;
        if self.json { print_json(&view) } else { Ok(view.print(&mut stdout())?) }
    }
}

impl View {
    async fn read(graph: &dyn Graph, node: NodeId) -> Result<Self> {
        let Entity { summary, aliases, description } = graph.entities(&[node]).await?.swap_remove(0);
        let expansions = graph.expand(&[node], None, SAMPLE).await?.swap_remove(0);
        let mut relations = Vec::new();
        for expansion in expansions {
            relations.extend(RelationView::read(graph, expansion).await?);
        }
        let types = graph.summaries(&summary.types).await?.into_iter().map(Reference::from).collect();
        let NodeSummary { key, name, degree, .. } = summary;
        Ok(Self { id: key, label: name, aliases, types, description, triples: degree, relations })
    }

    fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "{STRONG}{}{STRONG:#}  {FAINT}{}{FAINT:#}", visible(&self.label), visible(&self.id))?;
        let types = joined(self.types.iter().map(|reference| reference.name.as_str()));
        let kind = if types.is_empty() { "no type".to_owned() } else { types };
        writeln!(out, "{kind} · {}", counted(self.triples, "triple", "triples"))?;
        if !self.aliases.is_empty() {
            writeln!(out, "also: {}", joined(self.aliases.iter().map(String::as_str)))?;
        }
        if let Some(description) = &self.description {
            writeln!(out, "{}", visible(description))?;
        }
        writeln!(out)?;
        self.relation_table().print(out)
    }

    fn relation_table(&self) -> Table {
        let mut table =
            Table::new(&[("relation", Align::Left), ("fan-out", Align::Right), ("neighbours", Align::Left)]);
        for relation in &self.relations {
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
}

impl RelationView {
    /// `None` for relations that the view tells in other ways (names, types, description) or that say nothing.
    async fn read(graph: &dyn Graph, expansion: Expansion) -> Result<Option<Self>> {
        let Expansion { step, fan_out, nodes } = expansion;
        let Some(info) = graph.relations().get(step.relation.0 as usize) else { return Ok(None) };
        // Backwards, a type's instances are its neighbours.
        let told_already = step.direction == Direction::Forward || info.role != RelationRole::Type;
        if info.role != RelationRole::Ordinary && told_already {
            return Ok(None);
        }
        let neighbours = graph.summaries(&nodes).await?.into_iter().map(Reference::from).collect();
        Ok(Some(Self {
            id: info.key.clone(),
            relation: info.name.clone(),
            direction: step.direction,
            fan_out,
            neighbours,
        }))
    }
}

impl From<NodeSummary> for Reference {
    fn from(node: NodeSummary) -> Self {
        match node.literal {
            Some(literal) => Self { id: None, name: literal.lexical },
            None => Self { id: Some(node.key), name: node.name },
        }
    }
}

fn joined<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(visible).collect::<Vec<_>>().join(", ")
}
