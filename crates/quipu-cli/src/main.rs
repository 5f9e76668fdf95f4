//! The `quipu` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    waiting::wait_briefly();
    ExitCode::from(quipu_cli::run(std::env::args_os()))
}

/// The way in which the model's computing threads wait for each other.
///
/// They meet hundreds of times a token. OpenMP's library (GCC's) lets the first one turn in a loop
/// until the last one comes. Beside other busy processes the last one is not running: it waits for
/// the very core on which the first one turns, and a token takes ten times as long.
/// A short turn, after which the thread sleeps, costs nothing measurable on a quiet machine.
#[cfg(target_os = "linux")]
mod waiting {
    use std::env;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    /// Turns of a waiting thread before it sleeps.
    const TURNS: &str = "GOMP_SPINCOUNT";

    /// Starts the command again, in this same process, with short turns, unless the user has said
    /// how threads wait. The library reads its settings before `main` runs.
    pub(super) fn wait_briefly() {
        if env::var_os(TURNS).is_some() || env::var_os("OMP_WAIT_POLICY").is_some() {
            return;
        }
        let Ok(this) = env::current_exe() else { return };
        let mut arguments = env::args_os();
        let name = arguments.next().unwrap_or_else(|| "quipu".into());
        // `exec` returns only where it failed, and then the command goes on as it is.
        let _ = Command::new(this).arg0(name).args(arguments).env(TURNS, "1000").exec();
    }
}
