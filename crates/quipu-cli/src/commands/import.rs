//! `quipu import`: files into a workspace.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use clap::Args;
use quipu::{Import, Imported, Workspace};
use quipu_graph::{ImportReport, InputFormat};
use quipu_model::{ModelKind, OpenOptions};

use crate::config::Settings;
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
    /// Format of all files: auto, ntriples, nquads, turtle, trig, rdfxml, jsonld, tsv, csv, table,
    /// skb, wikidata
    #[arg(long, default_value = "auto")]
    format: String,
    /// The profile: which relations are labels, other names, types, descriptions or noise: auto, a
    /// profile's name or a TOML file
    #[arg(long, default_value = "auto")]
    profile: String,
    /// Language of labels, the preferred first; may be repeated [default: en]
    #[arg(long, value_name = "TAG")]
    language: Vec<String>,
    /// Skip malformed lines, count them and list the first hundred, instead of stopping at the
    /// first
    #[arg(long)]
    lenient: bool,
    /// Leave out the vectors: entities are then found by name, not by meaning
    #[arg(long)]
    no_embeddings: bool,
    /// Do not let the language model read the graph's tables ahead of the first question
    #[arg(long)]
    no_model: bool,
    /// Memory to stay within, in megabytes
    #[arg(long, value_name = "MB")]
    memory: Option<u64>,
}

impl Arguments {
    pub(super) async fn run(self) -> Result<()> {
        let import = self.import();
        import.check()?;
        let settings = Settings::load(Settings::default(), &self.workspace)?;
        let import = if self.no_embeddings {
            import.without_vectors()
        } else {
            let options = OpenOptions::default();
            interrupt::or_interrupted(engine::offer(&settings, &[ModelKind::Embedder], &options)).await?;
            let embedder = engine::load_embedder(&settings).await;
            import
                .embedder(embedder.context("entities cannot be embedded (--no-embeddings leaves that out)")?)
        };
        let started = Instant::now();
        let bar = progress::ImportBar::new();
        let import = import.progress(bar.sink());
        let outcome = stoppable(import.cancel(), move |handle| handle.block_on(import.run())).await;
        bar.finish();
        let Imported { workspace, report } = outcome?;
        tell(&report, started.elapsed());
        if self.format == "auto" {
            tell_columns(&self.files, &report);
        }
        for missing in workspace.info().missing {
            tell!("{}", prose(&missing));
        }
        if !self.no_model {
            read_ahead(&self.workspace, &settings).await;
        }
        Ok(())
    }

    fn import(&self) -> Import {
        let mut import = Workspace::import(&self.workspace)
            .format(&self.format)
            .profile(&self.profile)
            .languages(&self.language)
            .lenient(self.lenient);
        for file in &self.files {
            import = match file.as_os_str() == OsStr::new("-") {
                true => import.stdin(),
                false => import.files([file]),
            };
        }
        match self.memory {
            Some(megabytes) => import.memory(megabytes << 20),
            None => import,
        }
    }
}

/// Lets the language model read the tables ahead of the first question. The import stands whatever
/// becomes of it.
async fn read_ahead(workspace: &Path, settings: &Settings) {
    let started = Instant::now();
    match interrupt::or_interrupted(Box::pin(engine::read_ahead(workspace, settings))).await {
        Ok(None) => {}
        Ok(Some(model)) => {
            let seconds = started.elapsed().as_secs_f64();
            let why = "so that the first question need not (--no-model leaves that out)";
            tell!("{}", prose(&format!("{model} read the tables in {seconds:.1} s, {why}")));
        }
        Err(error) => tell!("{}", prose(&format!("the first question will take longer: {error:#}"))),
    }
}

/// Says whether files in columns were read as tables or as triples: the guess may be wrong.
fn tell_columns(files: &[PathBuf], report: &ImportReport) {
    for table in &report.tables {
        let rows = counted(table.rows, "row", "rows");
        let named = match table.named_by.as_str() {
            "" => "named by its number".to_owned(),
            column => format!("named by the column “{}”", visible(column)),
        };
        let mut line = format!(
            "{} is a table of {rows}: each row is an entity of the type “{}”, {named}",
            table.path.display(),
            visible(&table.kind),
        );
        for (column, kind) in &table.references {
            line.push_str(&format!("; “{}” leads to “{}”", visible(column), visible(kind)));
        }
        for (column, between) in &table.lists {
            line.push_str(&format!(
                "; a cell of “{}” may hold several, with “{between}” between them",
                visible(column)
            ));
        }
        tell!("{}", prose(&line));
    }
    let is_table = |file: &Path| report.tables.iter().any(|table| table.path == file);
    let is_csv = |file: &Path| InputFormat::of_path(file) == Some(InputFormat::Csv);
    for file in files.iter().filter(|file| is_csv(file) && !is_table(file)) {
        let read =
            "was read as triples (head, relation, tail); --format table reads it as rows under a header";
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
    for file in &report.open_ended {
        let said = "its last line has no line end: the file may be cut off";
        tell!("{}", prose(&format!("{}: {said}", file.display())));
    }
}
