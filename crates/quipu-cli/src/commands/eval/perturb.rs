//! `quipu eval perturb`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use quipu_eval::{PerturbConfig, perturb, read_questions};

use super::run::Form;
use crate::failure::WrongUsage;
use crate::output::{counted, write_lines};

#[derive(Debug, Args)]
pub(in crate::commands) struct Perturb {
    /// The question file
    file: PathBuf,
    /// Share of the questions whose entity names get a typing error, 0 to 1
    #[arg(long, value_name = "RATE", default_value_t = PerturbConfig::default().typos)]
    typos: f64,
    /// Questions that the graph does not answer, mixed in
    #[arg(long, value_name = "FILE")]
    unanswerable: Option<PathBuf>,
    /// Number of unanswerable questions to mix in, as a share of the others
    #[arg(long, value_name = "SHARE", default_value_t = PerturbConfig::default().unanswerable)]
    unanswerable_share: f64,
    /// Seed of all choices
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Format of the files
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = Form::read)]
    format: Form,
    /// Write here instead of to standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Perturb {
    pub(super) fn run(self) -> Result<()> {
        for (name, share) in [("--typos", self.typos), ("--unanswerable-share", self.unanswerable_share)] {
            if !(0.0..=1.0).contains(&share) {
                return Err(WrongUsage(format!("{name} {share}: a share from 0 to 1 was expected")).into());
            }
        }
        let questions = read_questions(&self.file, self.format.0)?.questions;
        let others = match &self.unanswerable {
            Some(path) => read_questions(path, None)?.questions,
            None => Vec::new(),
        };
        let config =
            PerturbConfig { typos: self.typos, unanswerable: self.unanswerable_share, seed: self.seed };
        let perturbed = perturb(&questions, &others, &config);
        write_lines(self.out.as_deref(), &perturbed.questions)?;
        let number = |n: usize| counted(n as u64, "question", "questions");
        tell!(
            "{}: {} with a typing error, {} without an entity name to misspell, {} unanswerable mixed in",
            number(perturbed.questions.len()),
            number(perturbed.with_typos),
            number(perturbed.without_mention),
            number(perturbed.unanswerable)
        );
        Ok(())
    }
}
