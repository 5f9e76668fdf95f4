//! The command line, and one file for each command.

mod api_source;
mod ask;
mod doctor;
mod documents;
mod entity;
mod eval;
mod examples;
mod experience;
mod generate;
mod import;
mod index;
mod info;
mod init;
mod link;
mod methods;
mod models;
mod pages;
mod query;
mod search;
mod serve;
mod set;
mod source;
mod tables;
mod talk;
mod tune;
mod workspace;

use anyhow::{Context as _, Result};
use clap::{Parser, Subcommand};

use crate::interrupt;

/// Ask knowledge graphs questions, and see the evidence of every answer.
#[derive(Debug, Parser)]
#[command(name = "quipu", version, propagate_version = true, max_term_width = 110)]
pub(crate) struct Cli {
    /// Report each step on standard error
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Import files into a workspace (a folder); the new graph replaces the old one at the end
    Import(import::Arguments),
    /// Add and manage sources that stay where they are: SPARQL endpoints and APIs
    #[command(subcommand)]
    Source(source::Command),
    /// Show what a workspace holds
    Info(info::Arguments),
    /// Show an entity: its names, types, relations and some of its neighbours
    Entity(entity::Arguments),
    /// Find the entities that a text mentions
    Link(link::Arguments),
    /// Find passages in the documents of entities
    Search(search::Arguments),
    /// Add documents to the entities of a workspace, list and remove them
    #[command(subcommand)]
    Documents(documents::Command),
    /// Run a SPARQL query
    Query(query::Arguments),
    /// Show the graph as tables, or run SQL over them
    Tables(tables::Arguments),
    /// Answer a question, with evidence; without a question, start a conversation
    Ask(Box<ask::Arguments>),
    /// List the methods, or a method's parameters with their defaults
    Methods(methods::Arguments),
    /// Solved questions of a workspace, by which new ones are planned
    #[command(subcommand)]
    Examples(examples::Command),
    /// Serve workspaces: the page, an API that OpenAI clients speak, SPARQL, MCP
    Serve(serve::Serve),
    /// Speak MCP over standard input and output, for MCP hosts
    Mcp(serve::Mcp),
    /// Check model, embedder and workspaces, and say how to fix problems
    Doctor(doctor::Arguments),
    /// Write a configuration file with every setting explained
    Init(init::Arguments),
    /// List, fetch and find models
    #[command(subcommand)]
    Models(models::Command),
    /// Build the indexes of a workspace that the import left out
    #[command(subcommand)]
    Index(index::Command),
    /// Collect mistakes of the hybrid method, which its commentator learns from
    #[command(subcommand)]
    Experience(experience::Command),
    /// Write training examples for tuning a model
    #[command(subcommand)]
    Tune(tune::Command),
    /// Measure methods on datasets
    #[command(subcommand)]
    Eval(eval::Command),
    /// Print the completion script of a shell
    Completions(generate::Completions),
    /// Write the manual pages into a folder
    Man(generate::Man),
}

/// Runs the command.
pub(crate) fn run(cli: Cli) -> Result<()> {
    match cli.command {
        Command::Completions(arguments) => arguments.run(),
        Command::Man(arguments) => arguments.run(),
        Command::Init(arguments) => arguments.run(),
        Command::Methods(arguments) => arguments.run(),
        command => {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build()
                .context("cannot start the worker threads")?;
            let result = runtime.block_on(run_async(command));
            // Interrupted work may still occupy a thread; the process does not wait for it.
            runtime.shutdown_background();
            result
        }
    }
}

async fn run_async(command: Command) -> Result<()> {
    match command {
        Command::Import(arguments) => arguments.run().await,
        Command::Source(command) => command.run().await,
        Command::Info(arguments) => interrupt::or_interrupted(arguments.run()).await,
        Command::Entity(arguments) => interrupt::or_interrupted(arguments.run()).await,
        Command::Link(arguments) => interrupt::or_interrupted(arguments.run()).await,
        Command::Search(arguments) => interrupt::or_interrupted(arguments.run()).await,
        Command::Tables(arguments) => interrupt::or_interrupted(arguments.run()).await,
        Command::Documents(command) => command.run().await,
        Command::Query(arguments) => arguments.run().await,
        Command::Ask(arguments) => Box::pin((*arguments).run()).await,
        Command::Examples(command) => interrupt::or_interrupted(command.run()).await,
        Command::Serve(arguments) => arguments.run().await,
        Command::Mcp(arguments) => interrupt::or_interrupted(arguments.run()).await,
        Command::Doctor(arguments) => interrupt::or_interrupted(arguments.run()).await,
        Command::Models(command) => interrupt::or_interrupted(command.run()).await,
        Command::Index(command) => command.run().await,
        Command::Experience(command) => interrupt::or_interrupted(command.run()).await,
        Command::Tune(command) => Box::pin(interrupt::or_interrupted(command.run())).await,
        Command::Eval(command) => Box::pin(interrupt::or_interrupted(command.run())).await,
        Command::Completions(_) | Command::Man(_) | Command::Init(_) | Command::Methods(_) => Ok(()),
    }
}
