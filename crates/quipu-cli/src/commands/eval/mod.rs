//! `quipu eval`: evaluates methods, models and sources on question files.

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
    /// Ask the questions of files and score the answers; --method and --llm take several names,
    /// separated by commas
    Run(Box<run::Run>),
    /// Compare runs with the first one, question by question
    Compare(compare::Compare),
    /// Summarise runs over several graphs and question files: one line per method, one column per
    /// file
    Across(across::Across),
    /// Write one self-contained page of runs: tables, plots, every question
    Report(report::Report),
    /// Write the open-world variant of a question file: typing errors, unanswerable questions
    Perturb(perturb::Perturb),
    /// Measure the judge on answers that people labelled
    Judge(judge::Judge),
    /// Compare the fields that rules and a model give for questions with those in the file
    Fields(fields::Fields),
    /// Write questions about popular, less popular and unpopular entities of a workspace
    HeadToTail(head_to_tail::HeadToTail),
    /// Ask about a workspace's own facts, ask twins of the questions (negated, reversed, mistyped,
    /// ...), and report contradicting answers
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
