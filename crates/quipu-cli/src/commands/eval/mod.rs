//! `quipu eval`: methods, models and sources measured on question files.

mod across;
mod compare;
mod fields;
mod head_to_tail;
mod judge;
mod labels;
mod metamorphic;
mod perturb;
mod progress;
mod report;
mod run;

use anyhow::Result;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Ask the questions of files and score the answers; --method and --llm take several names, parted by commas
    Run(Box<run::Run>),
    /// Hold runs against the first one, question by question
    Compare(compare::Compare),
    /// Sum runs over several graphs and question files up: one line a method, one column a file
    Across(across::Across),
    /// Write one self-contained page of runs: tables, plots, every question
    Report(report::Report),
    /// Write the open-world variant of a question file: typing errors, unanswerable questions
    Perturb(perturb::Perturb),
    /// Hold the judge against answers that people labelled
    Judge(judge::Judge),
    /// Hold the fields that rules and a model tell for questions against those that the file has
    Fields(fields::Fields),
    /// Write questions about popular, less popular and unpopular entities of a workspace
    HeadToTail(head_to_tail::HeadToTail),
    /// Ask about a workspace's own facts and twins of the questions (negated, reversed, mistyped, ...), and tell where answers contradict
    Metamorphic(Box<metamorphic::Metamorphic>),
}

impl Command {
    pub(super) async fn run(self) -> Result<()> {
        match self {
            Self::Run(arguments) => arguments.run().await,
            Self::Compare(arguments) => arguments.run(),
            Self::Across(arguments) => arguments.run(),
            Self::Report(arguments) => arguments.run(),
            Self::Perturb(arguments) => arguments.run(),
            Self::Judge(arguments) => arguments.run().await,
            Self::Fields(arguments) => arguments.run().await,
            Self::HeadToTail(arguments) => arguments.run().await,
            Self::Metamorphic(arguments) => arguments.run().await,
        }
    }
}
