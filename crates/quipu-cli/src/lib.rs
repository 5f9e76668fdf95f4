//! The `quipu` command: parses the arguments, calls the libraries, prints their results. It is a
//! library, so that the Python package runs the same code.

#[macro_use]
mod output;

mod commands;
mod config;
mod engine;
mod failure;
mod interrupt;
mod progress;
mod views;

use std::ffi::OsString;
use std::io::Write as _;

use clap::Parser as _;
use tracing_subscriber::EnvFilter;

/// Runs the command with these arguments, the first of which is its own name. Returns the exit
/// code: 0, 1 for a failure, 2 for wrong usage, 130 after Ctrl-C. Call it once in a process, from
/// its main thread.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match commands::Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output. A closed output is no failure.
            drop(error.print());
            return u8::try_from(error.exit_code()).unwrap_or(failure::FAILED);
        }
    };
    start_logging(cli.verbose);
    let outcome = commands::run(cli);
    // In a Python process nothing else flushes the output.
    let outcome = outcome.and_then(|()| Ok(std::io::stdout().flush()?));
    match outcome {
        Ok(()) => 0,
        Err(error) => {
            if let Some(message) = failure::message(&error) {
                tell!("{message}");
            }
            failure::exit_code(&error)
        }
    }
}

/// Writes the warnings of our own crates to standard error. `--verbose` adds their steps, and
/// `QUIPU_LOG` filters in detail. `QUIPU_LOG_FORMAT=json` makes each a JSON object with its time.
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
