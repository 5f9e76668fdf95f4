//! `quipu experience`: the cases that the hybrid method's commentator learns from.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Subcommand;
use quipu_answer::{Experiences, HybridConfig, Planner};
use quipu_eval::{GoldQuestion, read_questions};
use quipu_model::OpenOptions;

use super::workspace;
use crate::config::Settings;
use crate::failure::WrongUsage;
use crate::output::{Align, Table, counted, print_json, stdout};
use crate::{engine, progress};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Collect examples from training questions, balanced over the kinds of error; they replace
    /// the existing ones
    Collect {
        /// The workspace's folder
        workspace: PathBuf,
        /// The question file, with the ids of the answers; without documents, values are enough
        #[arg(long, value_name = "FILE")]
        questions: PathBuf,
        /// Maximum number of examples
        #[arg(long, value_name = "N", default_value_t = 30)]
        most: usize,
        /// The planner whose mistakes are collected: published or paths
        #[arg(long, value_name = "NAME", default_value = "published")]
        planner: Planner,
        /// Only the first N questions
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
        /// The language model: a name of `quipu models list`, or `openai:MODEL` for an endpoint
        #[arg(long, value_name = "NAME")]
        llm: Option<String>,
    },
    /// List the examples
    List {
        /// The workspace's folder
        workspace: PathBuf,
        /// Print one JSON array
        #[arg(long)]
        json: bool,
    },
    /// Drop examples
    Drop {
        /// The workspace's folder
        workspace: PathBuf,
        /// Their numbers in the list; without any, all
        #[arg(value_name = "NUMBER")]
        numbers: Vec<usize>,
    },
}

impl Command {
    pub(super) async fn run(self) -> Result<()> {
        match self {
            Self::Collect { workspace, questions, most, planner, limit, llm } => {
                collect(&workspace, &questions, most, planner, limit, llm).await
            }
            Self::List { workspace, json } => list(&workspace, json),
            Self::Drop { workspace, numbers } => drop_some(&workspace, &numbers),
        }
    }
}

async fn collect(
    folder: &Path,
    file: &Path,
    most: usize,
    planner: Planner,
    limit: Option<usize>,
    llm: Option<String>,
) -> Result<()> {
    if planner == Planner::Query {
        return Err(WrongUsage(
            "--planner query: the query planner has no router; use published or paths".into(),
        )
        .into());
    }
    let read = read_questions(file, None)?.questions;
    let settings = Settings::load(Settings { llm, ..Settings::default() }, folder)?;
    let engine = engine::open(folder, &settings, OpenOptions::default()).await?;
    // The values of an API have no ids: there the answers themselves are known.
    let by_value = engine.workspace().documents().is_none();
    let known = |question: GoldQuestion| {
        let ids = question.answer_ids;
        (question.question, if ids.is_empty() && by_value { question.answers } else { ids })
    };
    let questions: Vec<(String, Vec<String>)> = read
        .into_iter()
        .map(known)
        .filter(|(_, answers)| !answers.is_empty())
        .take(limit.unwrap_or(usize::MAX))
        .collect();
    if questions.is_empty() {
        let known = if by_value { "its answers" } else { "the ids of its answers" };
        return Err(WrongUsage(format!("{}: no question has {known}", file.display())).into());
    }
    let bar = progress::counter("questions");
    let config = HybridConfig::default();
    let collected = engine.collect_experiences(&questions, most, (&config, planner), |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    });
    let collected = collected.await;
    bar.finish_and_clear();
    tell!("collected {}", counted(collected?.len() as u64, "example", "examples"));
    Ok(())
}

fn list(folder: &Path, json: bool) -> Result<()> {
    workspace::open(folder)?;
    let held = Experiences::open(folder)?.all();
    if json {
        return print_json(&held);
    }
    let mut table = Table::new(&[
        ("", Align::Right),
        ("feedback", Align::Left),
        ("entities", Align::Left),
        ("relations", Align::Left),
        ("question", Align::Left),
    ]);
    for (number, experience) in (1..).zip(&held) {
        let (entities, relations) = (experience.entities.join("; "), experience.relations.join("; "));
        table.push([
            &i32::to_string(&number),
            &experience.feedback,
            &entities,
            &relations,
            &experience.question,
        ]);
    }
    Ok(table.print(&mut stdout())?)
}

fn drop_some(folder: &Path, numbers: &[usize]) -> Result<()> {
    workspace::open(folder)?;
    let experiences = Experiences::open(folder)?;
    let held = experiences.all();
    if let Some(wrong) = numbers.iter().find(|number| !(1..=held.len()).contains(number)) {
        return Err(WrongUsage(format!("unknown example {wrong}; known: 1 to {}", held.len())).into());
    }
    let all = numbers.is_empty();
    let kept: Vec<_> = (1..)
        .zip(held)
        .filter(|(number, _)| !all && !numbers.contains(number))
        .map(|(_, kept)| kept)
        .collect();
    Ok(experiences.replace(kept)?)
}
