//! `quipu import`: files into a workspace.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use clap::Args;
use quipu_graph::{ImportConfig, ImportReport, Input, InputFormat, ProfileChoice};
use quipu_index::{ImportRequest, Workspace};
use quipu_model::{ModelKind, OpenOptions};

use crate::config::Settings;
use crate::failure::WrongUsage;
use crate::interrupt::{self, stoppable};
use crate::output::{counted, grouped, prose, visible};
use crate::{engine, progress};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The workspace's folder; made when it is missing
    workspace: PathBuf,
    /// The files, plain or compressed (.gz, .bz2, .zst); `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Format of all files: auto, ntriples, nquads, turtle, trig, rdfxml, jsonld, tsv, csv, table, skb, wikidata
    #[arg(long, default_value = "auto")]
    format: String,
    /// Which relations are labels, other names, types, descriptions, noise: auto, a profile's name or a TOML file
    #[arg(long, default_value = "auto")]
    profile: String,
    /// Skip malformed lines, count them and list the first hundred, instead of stopping at the first
    #[arg(long)]
    lenient: bool,
    /// Leave out the vectors: entities are then found by name, not by meaning
    #[arg(long)]
    no_embeddings: bool,
    /// Memory to stay within, in megabytes
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,
}

impl Arguments {
    pub(super) async fn run(self) -> Result<()> {
        let graph = self.graph_config()?;
        let settings = Settings::load(Settings::default(), &self.workspace)?;
        let embedder = if self.no_embeddings {
            None
        } else {
            let options = OpenOptions::default();
            interrupt::or_interrupted(engine::offer(&settings, &[ModelKind::Embedder], &options)).await?;
            Some(
                engine::load_embedder(&settings)
                    .await
                    .context("entities cannot be embedded (--no-embeddings leaves that out)")?,
            )
        };
        let started = Instant::now();
        let bar = progress::ImportBar::new();
        let request = ImportRequest { graph, embedder, progress: Some(bar.sink()) };
        let outcome = import(&self.workspace, request).await;
        bar.finish();
        let report = outcome?;
        tell(&report, started.elapsed());
        if self.format == "auto" {
            tell_columns(&self.files, &report);
        }
        let workspace = Workspace::open(&self.workspace)?;
        // Counted now, so that the first question does not wait for it.
        quipu_query::open_tables(&workspace).await?;
        for missing in workspace.info().missing {
            tell!("{}", prose(&missing));
        }
        Ok(())
    }

    fn graph_config(&self) -> Result<ImportConfig> {
        let inputs = self.files.iter().map(|file| match file.as_os_str() == OsStr::new("-") {
            true => Input::Stdin,
            false => Input::File(file.clone()),
        });
        let mut config = ImportConfig::new(source_name(&self.workspace), inputs.collect());
        config.format = parse_format(&self.format)?;
        if self.format == SKB {
            check_skb(&self.files)?;
        }
        config.profile = ProfileChoice::parse(&self.profile);
        config.lenient = self.lenient;
        if let Some(megabytes) = self.memory {
            config.memory = megabytes << 20;
        }
        Ok(config)
    }
}

/// The source is called as its workspace's folder is.
fn source_name(workspace: &Path) -> String {
    let absolute = std::path::absolute(workspace).unwrap_or_else(|_| workspace.to_owned());
    absolute.file_name().map_or_else(|| "graph".into(), |name| name.to_string_lossy().into_owned())
}

/// The format of knowledge bases with documents: nodes and edges in files of their own.
const SKB: &str = "skb";

/// Whoever names `skb` has nodes as JSON Lines, and edges as TSV if any.
fn check_skb(files: &[PathBuf]) -> Result<()> {
    let formats: Vec<Option<InputFormat>> = files.iter().map(|file| InputFormat::of_path(file)).collect();
    for (file, format) in files.iter().zip(&formats) {
        if !matches!(format, Some(InputFormat::SkbNodes | InputFormat::Tsv)) {
            let file = file.display();
            return Err(WrongUsage(format!(
                "--format skb takes nodes (.jsonl) and edges (.tsv), not {file}"
            ))
            .into());
        }
    }
    if !formats.contains(&Some(InputFormat::SkbNodes)) {
        return Err(WrongUsage("--format skb takes a file of nodes (.jsonl) beside the edges".into()).into());
    }
    Ok(())
}

/// `None` for the formats that are found out file by file: `auto`, and `skb` whose two files differ.
fn parse_format(name: &str) -> Result<Option<InputFormat>> {
    match name {
        "auto" | SKB => Ok(None),
        name => match InputFormat::parse(name) {
            Ok(format) => Ok(Some(format)),
            Err(error) => Err(WrongUsage(error.to_string()).into()),
        },
    }
}

/// Imports on a thread that may block, and has it stop and clear up on Ctrl-C.
async fn import(workspace: &Path, request: ImportRequest) -> Result<ImportReport> {
    let cancel = request.graph.cancel.clone();
    let folder = workspace.to_owned();
    let work = move |handle: tokio::runtime::Handle| handle.block_on(Workspace::import(&folder, &request));
    stoppable(cancel, work).await
}

/// How files in columns were read: as tables or as triples, which is not always sure.
fn tell_columns(files: &[PathBuf], report: &ImportReport) {
    for table in &report.tables {
        let rows = counted(table.rows, "row", "rows");
        let mut line = format!(
            "{} is a table: each of its {rows} is one of “{}”, named by the column “{}”",
            table.path.display(),
            visible(&table.kind),
            visible(&table.named_by)
        );
        for (column, kind) in &table.references {
            line.push_str(&format!("; “{}” leads to “{}”", visible(column), visible(kind)));
        }
        tell!("{}", prose(&line));
    }
    let is_table = |file: &Path| report.tables.iter().any(|table| table.path == file);
    let is_csv = |file: &Path| InputFormat::of_path(file) == Some(InputFormat::Csv);
    for file in files.iter().filter(|file| is_csv(file) && !is_table(file)) {
        let read = "was read as triples: head, relation, tail; --format table reads rows under a header";
        tell!("{}", prose(&format!("{} {read}", file.display())));
    }
}

fn tell(report: &ImportReport, took: Duration) {
    let seconds = took.as_secs_f64();
    tell!(
        "imported {}, {}, {} in {seconds:.1} s (profile {})",
        counted(report.triples, "triple", "triples"),
        counted(report.entities, "entity", "entities"),
        counted(report.relations, "relation", "relations"),
        report.profile
    );
    if report.skipped > 0 {
        tell!("skipped {}:", counted(report.skipped, "malformed line", "malformed lines"));
        for skipped in &report.skipped_lines {
            tell!("  {}:{}: {}", skipped.path.display(), skipped.line, skipped.reason);
        }
        let unlisted = report.skipped.saturating_sub(report.skipped_lines.len() as u64);
        if unlisted > 0 {
            tell!("  and {} more", grouped(unlisted));
        }
    }
}
