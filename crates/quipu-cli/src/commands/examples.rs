//! `quipu examples`: solved questions of a workspace, which new questions are planned by.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Subcommand;
use jiff::Zoned;
use quipu_answer::{Engine, Question, same_names};
use quipu_model::OpenOptions;

use crate::config::Settings;
use crate::engine;
use crate::output::{Align, Table, counted, print_json, stdout, visible};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Add a question with its right answers; Quipu finds and keeps the path that leads to exactly
    /// these answers
    Add {
        /// The workspace's folder
        workspace: PathBuf,
        /// The question
        question: String,
        /// A right answer; give all of them, each with --answer
        #[arg(long, required_unless_present = "sql", conflicts_with = "sql", value_name = "NAME")]
        answer: Vec<String>,
        /// The query that answers it, over the graph's tables (`quipu tables` shows them), instead
        /// of the answers
        #[arg(long, value_name = "SELECT")]
        sql: Option<String>,
    },
    /// List the examples
    List {
        /// The workspace's folder
        workspace: PathBuf,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Run the examples again, and report those that no longer lead to their answers
    Test {
        /// The workspace's folder
        workspace: PathBuf,
    },
}

impl Command {
    pub(super) async fn run(self) -> Result<()> {
        match self {
            Self::Add { workspace, question, answer, sql } => {
                let question = Question::new(&question, Zoned::now())?;
                let engine = open(&workspace).await?;
                let example = match sql {
                    Some(sql) => engine.add_query_example(&question, &sql).await?,
                    None => engine.add_example(&question, &answer).await?,
                };
                tell!("kept: {} → {}", visible(&example.masked), visible(&example.way));
                Ok(())
            }
            Self::List { workspace, json } => list(&open(&workspace).await?, json),
            Self::Test { workspace } => test(&open(&workspace).await?).await,
        }
    }
}

/// No language model is needed for any of it.
async fn open(workspace: &Path) -> Result<Engine> {
    let settings = Settings { llm: Some("none".into()), ..Settings::default() };
    engine::open(workspace, &Settings::load(settings, workspace)?, OpenOptions::default()).await
}

fn list(engine: &Engine, json: bool) -> Result<()> {
    let examples = engine.examples();
    if json {
        return print_json(&examples);
    }
    let mut table = Table::new(&[("question", Align::Left), ("way", Align::Left), ("", Align::Left)]);
    for example in &examples {
        let (question, way) = (visible(&example.question), visible(&example.way));
        table.push([question.as_ref(), way.as_ref(), if example.learnt { "learnt" } else { "" }]);
    }
    Ok(table.print(&mut stdout())?)
}

async fn test(engine: &Engine) -> Result<()> {
    let tested = engine.test_examples().await?;
    let all = tested.len();
    let wrong: Vec<_> =
        tested.into_iter().filter(|(example, found)| !same_names(found, &example.answers)).collect();
    for (example, found) in &wrong {
        let found = if found.is_empty() { "nothing".to_owned() } else { found.join(", ") };
        tell!(
            "{}: leads to {}, not {}",
            visible(&example.question),
            visible(&found),
            visible(&example.answers.join(", "))
        );
    }
    if wrong.is_empty() {
        tell!("{} right", counted(all as u64, "example", "examples"));
        return Ok(());
    }
    bail!("{} of {} lead elsewhere", wrong.len(), counted(all as u64, "example", "examples"))
}
