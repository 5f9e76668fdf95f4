//! `quipu eval`: a method measured on a file of questions.

use std::path::PathBuf;

use anstream::eprintln;
use anyhow::Result;
use clap::{Args, Subcommand};
use quipu_eval::{Row, RunConfig, read_questions, run, summarise, to_markdown};

use super::ask::How;
use crate::config::Settings;
use crate::engine;
use crate::output::{print_json, visible};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Ask all questions of a file and score the answers
    Run(Run),
}

#[derive(Debug, Args)]
pub(super) struct Run {
    /// The workspace's folder
    workspace: PathBuf,
    /// The questions: JSON lines with `id`, `question`, `answers`
    questions: PathBuf,
    /// Ask the first N questions only
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Append each question's result to this file; questions that stand in it already are not asked again
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
    #[command(flatten)]
    how: How,
    /// Print all results as one JSON array, instead of a line of a table
    #[arg(long)]
    json: bool,
}

impl Command {
    pub(super) async fn run(self) -> Result<()> {
        let Self::Run(arguments) = self;
        arguments.run().await
    }
}

impl Run {
    async fn run(self) -> Result<()> {
        let settings = Settings::load(self.how.as_settings(), &self.workspace)?;
        let options = self.how.options(&settings)?;
        let questions = read_questions(&self.questions, self.limit)?;
        let engine = engine::open(&self.workspace, &settings, self.how.open_options()).await?;
        let name = format!("{} {}", self.questions.display(), options.method.name());
        let config = RunConfig { options, rows: self.rows };
        let rows = run(&engine, &questions, &config, tell).await?;
        if self.json {
            return print_json(&rows);
        }
        anstream::print!("{}", to_markdown(&[summarise(&name, &rows)]));
        Ok(())
    }
}

fn tell(row: &Row) {
    let verdict = if row.score.hit_at_1 > 0.0 { "hit " } else { "miss" };
    let answers = if row.answers.is_empty() { "-".to_owned() } else { visible(&row.answers.join(", ")) };
    eprintln!("{verdict} {:.1} s  {}  {answers}", row.seconds, visible(&row.question));
}
