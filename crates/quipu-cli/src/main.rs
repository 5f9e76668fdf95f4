//! The `quipu` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(quipu_cli::run(std::env::args_os()))
}
