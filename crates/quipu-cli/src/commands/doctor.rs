//! `quipu doctor`: checks everything that a question needs, and gives the next step for each
//! problem.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use anyhow::{Result, bail};
use clap::Args;
use quipu_answer::Source;
use quipu_graph::Graph as _;
use quipu_index::Workspace;
use quipu_model::{ChatRequest, Embedder, LanguageModel, Message, OpenOptions, Tool, ask_json, ask_tool};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::config::Settings;
use crate::engine;
use crate::output::{counted, stdout, visible};

/// A model that needs longer for a dozen words is too slow for questions.
const PATIENCE: Duration = Duration::from_secs(60);
/// Kilobytes on disk below which an import is likely to fail.
const LITTLE_SPACE: u64 = 2 << 20;
/// Fewer tokens than this leave no room for evidence.
const SMALL_CONTEXT: usize = 4096;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Folders of workspaces to check
    workspaces: Vec<PathBuf>,
    /// The language model to check; without it, the configured one
    #[arg(long, value_name = "NAME")]
    llm: Option<String>,
}

/// The prompts that test a model.
#[derive(Debug, Deserialize)]
struct Prompts {
    chat: String,
    schema: String,
    tool: String,
    tool_description: String,
}

/// The outcome of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Health {
    Good,
    Poor,
    Bad,
}

/// Prints the outcome of each check at once, and counts the bad ones.
struct Report<'a> {
    out: &'a mut dyn Write,
    bad: u64,
}

impl Report<'_> {
    fn tell(&mut self, health: Health, what: &str, found: &str) -> Result<()> {
        let (mark, colour) = match health {
            Health::Good => ("ok  ", AnsiColor::Green),
            Health::Poor => ("poor", AnsiColor::Yellow),
            Health::Bad => ("BAD ", AnsiColor::Red),
        };
        let style = Style::new().fg_color(Some(colour.into()));
        self.bad += u64::from(health == Health::Bad);
        writeln!(self.out, "{style}{mark}{style:#} {what}: {}", visible(found))?;
        Ok(())
    }

    fn outcome<T>(&mut self, what: &str, outcome: Result<T>) -> Result<Option<T>> {
        match outcome {
            Ok(value) => Ok(Some(value)),
            Err(error) => {
                self.tell(Health::Bad, what, &format!("{error:#}"))?;
                Ok(None)
            }
        }
    }
}

impl Arguments {
    pub(super) async fn run(self) -> Result<()> {
        let mut out = stdout();
        let mut report = Report { out: &mut out, bad: 0 };
        let here = PathBuf::from(".");
        let first = self.workspaces.first().unwrap_or(&here);
        let flags = Settings { llm: self.llm.clone(), ..Settings::default() };
        let settings = report
            .outcome("configuration", Settings::load(flags, first).map_err(Into::into))?
            .unwrap_or_default();
        let loaded = engine::load_model(&settings, OpenOptions::default()).await;
        if let Some(Some(model)) = report.outcome("language model", loaded)? {
            look_at_model(&mut report, model.as_ref()).await?;
        }
        let loaded = engine::load_embedder(&settings).await;
        let embedder = report.outcome("embedder", loaded)?;
        if let Some(embedder) = &embedder {
            let found = format!("{}, {} numbers a vector", embedder.name(), embedder.dimensions());
            report.tell(Health::Good, "embedder", &found)?;
        }
        for folder in &self.workspaces {
            look_at_workspace(&mut report, folder, embedder.as_deref()).await?;
            look_at_disk(&mut report, folder)?;
        }
        match report.bad {
            0 => Ok(()),
            bad => bail!("{} failed", counted(bad, "check", "checks")),
        }
    }
}

/// Tests a model by a few cheap requests.
async fn look_at_model(report: &mut Report<'_>, model: &dyn LanguageModel) -> Result<()> {
    let prompts: Prompts = toml::from_str(include_str!("prompts/doctor.toml"))?;
    let started = Instant::now();
    let reply = match model.chat(&request(&prompts.chat)).await {
        Ok(reply) => reply,
        Err(error) => return report.tell(Health::Bad, "language model", &error.to_string()),
    };
    let took = started.elapsed().as_secs_f64();
    let found = format!("{} answers, {} tokens in {took:.2} s", model.name(), reply.usage.completion_tokens);
    report.tell(Health::Good, "language model", &found)?;
    if reply.thinking.is_some() {
        report.tell(
            Health::Good,
            "thinking",
            "the model writes <think> blocks; Quipu cuts them off, but they still cost time",
        )?;
    }
    let schema = json!({
        "type": "object",
        "properties": { "colour": { "type": "string", "enum": ["green", "blue"] } },
        "required": ["colour"],
        "additionalProperties": false
    });
    let asked = ask_json::<Value>(model, &request(&prompts.schema), &schema).await.map(|_| ());
    tell_ability(report, "JSON by schema", asked, model.abilities().constrained)?;
    let tool = Tool {
        name: "look_up".into(),
        description: prompts.tool_description,
        parameters: json!({ "type": "object", "properties": { "word": { "type": "string" } }, "required": ["word"] }),
    };
    let asked = ask_tool(model, &request(&prompts.tool), &[tool]).await.map(|_| ());
    tell_ability(report, "function calling", asked, true)?;
    let context = model.abilities().context_tokens;
    let health = if context < SMALL_CONTEXT { Health::Poor } else { Health::Good };
    report.tell(health, "context", &format!("{context} tokens for prompt and reply"))?;
    let scores = if model.abilities().score {
        "the model scores texts"
    } else {
        "the model does not score texts; Quipu asks it to choose instead"
    };
    report.tell(Health::Good, "likelihoods", scores)
}

fn tell_ability(
    report: &mut Report<'_>,
    what: &str,
    asked: Result<(), quipu_model::ModelError>,
    itself: bool,
) -> Result<()> {
    match asked {
        Ok(()) if itself => report.tell(Health::Good, what, "works"),
        Ok(()) => report.tell(Health::Poor, what, "nothing enforces the schema, but the model follows it"),
        Err(error) => {
            report.tell(Health::Poor, what, &format!("does not work ({error}); methods do without it"))
        }
    }
}

fn request(text: &str) -> ChatRequest {
    let mut request = ChatRequest::new("doctor", vec![Message::user(text)]).with_max_tokens(128);
    request.timeout = PATIENCE;
    request
}

/// Opens a workspace, reads every byte of it, and asks its sources whether they are there.
async fn look_at_workspace(
    report: &mut Report<'_>,
    folder: &Path,
    embedder: Option<&dyn Embedder>,
) -> Result<()> {
    let what = format!("workspace {}", folder.display());
    let opened = Workspace::open(folder).map_err(Into::into);
    let Some(workspace) = report.outcome(&what, opened)?.map(Arc::new) else { return Ok(()) };
    if report.outcome(&what, workspace.verify().map_err(Into::into))?.is_none() {
        return Ok(());
    }
    let info = workspace.info();
    let found = format!(
        "whole; {}, {}",
        counted(info.graph.triples, "triple", "triples"),
        counted(info.names, "name", "names")
    );
    report.tell(Health::Good, &what, &found)?;
    for missing in &info.missing {
        report.tell(Health::Poor, &what, missing)?;
    }
    let learnt = quipu_answer::open_source(workspace.clone()).map_err(Into::into);
    for remark in report.outcome(&what, learnt)?.iter().flat_map(Source::remarks) {
        report.tell(Health::Poor, &what, &remark)?;
    }
    if let (Some(vectors), Some(embedder)) = (workspace.vectors(), embedder) {
        report.outcome(&what, vectors.check_embedder(embedder).map_err(Into::into))?;
    }
    if let Some(endpoint) = workspace.endpoint() {
        let reached = endpoint.reach().await.map_err(Into::into);
        look_at_source(report, &endpoint.describe().name, reached)?;
    }
    for api in workspace.apis() {
        let reached = api.reach().await.map_err(Into::into);
        look_at_source(report, &api.describe().name, reached)?;
    }
    Ok(())
}

fn look_at_source(report: &mut Report<'_>, name: &str, reached: Result<()>) -> Result<()> {
    let what = format!("source {name}");
    match report.outcome(&what, reached)? {
        Some(()) => report.tell(Health::Good, &what, "answers"),
        None => Ok(()),
    }
}

/// Reports the free space that `df` gives; without `df` it reports nothing.
fn look_at_disk(report: &mut Report<'_>, folder: &Path) -> Result<()> {
    let Ok(output) = Command::new("df").arg("-Pk").arg(folder).output() else { return Ok(()) };
    let text = String::from_utf8_lossy(&output.stdout);
    let free = text.lines().nth(1).and_then(|line| line.split_whitespace().nth(3)?.parse::<u64>().ok());
    match free {
        None => Ok(()),
        Some(free) if free < LITTLE_SPACE => report.tell(
            Health::Poor,
            "disk",
            &format!("{} MB free; an import needs about three times the file's size", free >> 10),
        ),
        Some(free) => report.tell(Health::Good, "disk", &format!("{} GB free", free >> 20)),
    }
}
