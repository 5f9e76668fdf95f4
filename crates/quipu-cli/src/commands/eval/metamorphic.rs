//! `quipu eval metamorphic`.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use jiff::Zoned;
use quipu_eval::{MetamorphicConfig, metamorphic, metamorphic_suite};

use crate::commands::ask::How;
use crate::commands::set::{Assignments, EVAL_HELP};
use crate::config::Settings;
use crate::engine;
use crate::failure::WrongUsage;
use crate::output::{counted, print_json, stdout};
use crate::progress::bar;

#[derive(Debug, Args)]
pub(in crate::commands) struct Metamorphic {
    /// The workspace's folder
    workspace: PathBuf,
    /// Ask about N facts of the graph, each with up to three plain questions and a twin of each
    /// kind
    #[arg(long, value_name = "N", default_value_t = MetamorphicConfig::default().facts)]
    limit: usize,
    /// Seed of all choices
    #[arg(long, value_name = "SEED", default_value_t = MetamorphicConfig::default().seed)]
    seed: u64,
    #[arg(long, value_name = "KEY=VALUE", help = EVAL_HELP)]
    set: Vec<String>,
    #[command(flatten)]
    how: How,
    /// Print one JSON object: counts, and every twin with its answer
    #[arg(long)]
    json: bool,
}

impl Metamorphic {
    pub(super) async fn run(self) -> Result<()> {
        let assignments = Assignments::parse(&self.set)?;
        if assignments.oracle() {
            let reason = "--set hybrid.critic=oracle works in `quipu eval run` only: the questions here have no gold answers";
            return Err(WrongUsage(reason.into()).into());
        }
        let settings = Settings::load(self.how.as_settings(), &self.workspace)?;
        let mut options = self.how.options(&settings)?;
        assignments.apply(&mut options)?;
        let engine = engine::open(&self.workspace, &settings, self.how.open_options()).await?;
        let config = MetamorphicConfig { facts: self.limit, seed: self.seed };
        let suite = metamorphic_suite(engine.workspace(), &config).await?;
        let facts = suite.cases.len();
        if facts < self.limit {
            tell!("the graph has {} that can be asked about", counted(facts as u64, "fact", "facts"));
        }
        let progress = bar("{msg} {bar:20} {pos}/{len} {eta:>4} left");
        progress.set_length(suite.cases.iter().map(|case| case.twins.len() as u64).sum());
        let report = metamorphic(&engine, &options, &suite, &Zoned::now(), |_| progress.inc(1)).await;
        progress.finish_and_clear();
        if self.json {
            return print_json(&report);
        }
        let mut out = stdout();
        write!(out, "{}", report.to_markdown())?;
        let wrong = report.wrong_to_text();
        if !wrong.is_empty() {
            write!(out, "\n{wrong}")?;
        }
        Ok(())
    }
}
