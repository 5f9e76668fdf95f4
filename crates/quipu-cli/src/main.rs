//! The `quipu` command: reads the arguments, calls the libraries, prints what they return.

#[macro_use]
mod output;

mod commands;
mod config;
mod engine;
mod failure;
mod interrupt;
mod progress;
mod views;

use std::process::ExitCode;

use clap::Parser as _;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let cli = commands::Cli::parse();
    start_logging(cli.verbose);
    match commands::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if let Some(message) = failure::message(&error) {
                tell!("{message}");
            }
            failure::exit_code(&error)
        }
    }
}

/// Warnings of our own crates go to standard error; `--verbose` adds their steps, `QUIPU_LOG` decides in detail. With `QUIPU_LOG_FORMAT=json`
/// each is a JSON object with its time, for programs that gather logs.
fn start_logging(verbose: bool) {
    let default = if verbose { "off,quipu=debug" } else { "off,quipu=warn" };
    let filter = EnvFilter::try_from_env("QUIPU_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    if std::env::var("QUIPU_LOG_FORMAT").is_ok_and(|format| format == "json") {
        log.json().flatten_event(true).with_current_span(true).with_span_list(false).init();
    } else {
        log.with_ansi(output::colour_on_stderr()).without_time().init();
    }
}
