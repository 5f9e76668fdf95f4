//! `quipu info`: the content of a workspace.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use indicatif::DecimalBytes;
use quipu_index::{ApiReport, DocumentsInfo, EndpointInfo, VectorsInfo, WorkspaceInfo};
use serde::Serialize;

use super::{api_source, workspace};
use crate::output::{Align, FAINT, STRONG, Table, grouped, print_json, prose, stdout, visible};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The workspace's folder
    workspace: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A workspace as `--json` prints it.
#[derive(Debug, Serialize)]
struct View {
    name: String,
    folder: PathBuf,
    triples: u64,
    entities: u64,
    literals: u64,
    relations: u64,
    types: u64,
    documents: u64,
    bytes: u64,
    indexes: Indexes,
    #[serde(skip_serializing_if = "Option::is_none")]
    endpoint: Option<EndpointInfo>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    apis: Vec<ApiReport>,
    missing: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Indexes {
    graph: Part,
    names: Part,
    vectors: Option<VectorsInfo>,
    documents: Option<DocumentsInfo>,
}

#[derive(Debug, Serialize)]
struct Part {
    entries: u64,
    bytes: u64,
}

impl Arguments {
    #[expect(clippy::unused_async, reason = "all commands are awaited alike")]
    pub(super) async fn run(self) -> Result<()> {
        let view = View::from(workspace::open(&self.workspace)?.info());
        if self.json { print_json(&view) } else { view.print() }
    }
}

impl From<WorkspaceInfo> for View {
    fn from(info: WorkspaceInfo) -> Self {
        let graph = info.graph;
        let vector_bytes = info.vectors.as_ref().map_or(0, |vectors| vectors.bytes);
        let document_bytes = info.documents.as_ref().map_or(0, |documents| documents.bytes);
        Self {
            name: graph.name,
            folder: info.folder,
            triples: graph.triples,
            entities: graph.entities,
            literals: graph.literals,
            relations: graph.relations,
            types: graph.types,
            documents: graph.documents,
            bytes: info.graph_bytes + info.names_bytes + vector_bytes + document_bytes,
            indexes: Indexes {
                graph: Part { entries: graph.triples, bytes: info.graph_bytes },
                names: Part { entries: info.names, bytes: info.names_bytes },
                vectors: info.vectors,
                documents: info.documents,
            },
            endpoint: info.endpoint,
            apis: info.apis,
            missing: info.missing,
        }
    }
}

impl View {
    fn print(&self) -> Result<()> {
        let mut table = Table::new(&[("", Align::Left), ("", Align::Right), ("", Align::Left)]);
        for (what, number) in [
            ("triples", self.triples),
            ("entities", self.entities),
            ("literals", self.literals),
            ("relations", self.relations),
            ("types", self.types),
            ("documents", self.documents),
        ] {
            table.push([what, &grouped(number), ""]);
        }
        table.push(["on disk", &DecimalBytes(self.bytes).to_string(), ""]);
        let index = |part: &Part| DecimalBytes(part.bytes).to_string();
        table.push(["graph", &index(&self.indexes.graph), ""]);
        table.push([
            "names",
            &index(&self.indexes.names),
            &format!("{} names", grouped(self.indexes.names.entries)),
        ]);
        if let Some(vectors) = &self.indexes.vectors {
            let note = format!("{} of {} numbers", grouped(vectors.rows), vectors.dimensions);
            table.push(["vectors", &DecimalBytes(vectors.bytes).to_string(), &note]);
        }
        if let Some(documents) = &self.indexes.documents {
            let note = format!("{} passages", grouped(documents.passages));
            table.push(["documents", &DecimalBytes(documents.bytes).to_string(), &note]);
        }
        let mut out = stdout();
        writeln!(
            out,
            "{STRONG}{}{STRONG:#}  {FAINT}{}{FAINT:#}",
            visible(&self.name),
            self.folder.display()
        )?;
        if let Some(EndpointInfo { url, server, profile, .. }) = &self.endpoint {
            writeln!(out, "asks {} ({}, profile {profile})", visible(url), visible(server))?;
        }
        for api in &self.apis {
            writeln!(out, "asks {}: {}", visible(&api.name), api_source::line(api))?;
        }
        table.print(&mut out)?;
        for missing in &self.missing {
            writeln!(out, "{FAINT}{}{FAINT:#}", prose(missing))?;
        }
        Ok(())
    }
}
