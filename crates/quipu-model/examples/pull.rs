//! Fetches models by name into the models folder: `cargo run -p quipu-model --example pull NAME...`

use quipu_model::{PullProgress, PullStep, Registry};

#[tokio::main]
async fn main() -> Result<(), quipu_model::ModelError> {
    let registry = Registry::open()?;
    let progress = |progress: PullProgress<'_>| {
        if progress.step != PullStep::Fetching || progress.done == progress.total {
            eprintln!("{}: {:?} {}/{}", progress.file, progress.step, progress.done, progress.total);
        }
    };
    for name in std::env::args().skip(1) {
        println!("{}", registry.pull(&name, &progress).await?.display());
    }
    Ok(())
}
