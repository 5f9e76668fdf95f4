//! Progress on standard error: bars on a terminal, nothing elsewhere.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::Result;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use quipu_answer::{EventSink, Stage, TimedEvent};
use quipu_graph::{ImportProgress, ImportStage};
use quipu_index::{DocumentProgress, VectorProgress, WorkspaceProgress, WorkspaceProgressSink};
use quipu_model::{PullStep, Registry};

use crate::output::grouped;

/// How often bars are drawn at most, in hertz.
const REFRESH: u8 = 10;

/// A bar that is shown on terminals only.
pub(crate) fn bar(template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(REFRESH));
    // If indicatif cannot parse a built-in template, its plain bar remains.
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.set_style(style.progress_chars("━╸ "));
    bar
}

/// A line with the current step and its seconds, for work of unknown length.
pub(crate) fn spinner(message: &'static str) -> ProgressBar {
    let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(REFRESH));
    // Without its own style it would be drawn as a bar of length 0.
    let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}");
    spinner.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    spinner.set_message(message);
    spinner.enable_steady_tick(Duration::from_millis(120));
    spinner
}

/// A bar that counts things, with the time left.
pub(crate) fn counter(what: &'static str) -> ProgressBar {
    let bar = bar("{msg} {bar:30} {pos}/{len} {eta}");
    bar.set_message(what);
    bar
}

/// Fetches a model with a bar for each of its files.
pub(crate) async fn pull(registry: &Registry, name: &str) -> Result<PathBuf> {
    let bar = bar("{msg} {bar:30} {decimal_bytes}/{decimal_total_bytes} {decimal_bytes_per_sec} {eta}");
    let path = registry
        .pull(name, &|progress| {
            let verb = match progress.step {
                PullStep::Fetching => "fetching",
                PullStep::Verifying => "verifying",
                PullStep::Done => "have",
            };
            bar.set_message(format!("{verb} {}", progress.file));
            bar.set_length(progress.total);
            bar.set_position(progress.done);
        })
        .await;
    bar.finish_and_clear();
    Ok(path?)
}

/// The progress of an import: stage, share, rate and time left.
pub(crate) struct ImportBar {
    bar: ProgressBar,
    started: Instant,
}

impl ImportBar {
    /// A bar at zero.
    pub(crate) fn new() -> Self {
        Self { bar: bar("{msg:38} {bar:30} {percent:>3}% {eta:>4} left"), started: Instant::now() }
    }

    /// The sink that moves the bar.
    pub(crate) fn sink(&self) -> WorkspaceProgressSink {
        let (bar, started) = (self.bar.clone(), self.started);
        Arc::new(move |progress| {
            let (message, done, total) = read(progress, started);
            if !bar.message().starts_with(message.split(' ').next().unwrap_or_default()) {
                // The remaining time of a new stage is estimated from the stage's start.
                bar.reset();
            }
            bar.set_message(message);
            bar.set_length(total.unwrap_or(0));
            bar.set_position(done);
        })
    }

    /// Removes the bar from the screen.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// The message, the work done, and the whole work if it is known.
fn read(progress: WorkspaceProgress, started: Instant) -> (String, u64, Option<u64>) {
    match progress {
        WorkspaceProgress::Source { what, done, total } => {
            (what, done, Some(total).filter(|total| *total > 0))
        }
        WorkspaceProgress::Graph(ImportProgress { stage, done, total, triples }) => {
            (graph_message(stage, triples, started), done, total)
        }
        WorkspaceProgress::Names { done, total } => ("names".into(), done, Some(total)),
        WorkspaceProgress::Vectors(VectorProgress { done, total, joining }) => {
            let message = if joining { "joining vectors" } else { "embedding names" };
            (message.into(), done, Some(total))
        }
        WorkspaceProgress::Documents(DocumentProgress::Read { documents }) => {
            (format!("documents {}", grouped(documents)), 0, None)
        }
        WorkspaceProgress::Documents(DocumentProgress::Vectors(VectorProgress { done, total, joining })) => {
            let message = if joining { "joining passages" } else { "embedding passages" };
            (message.into(), done, Some(total))
        }
    }
}

fn graph_message(stage: ImportStage, triples: u64, started: Instant) -> String {
    match stage {
        ImportStage::Reading => {
            let rate = triples as f64 / started.elapsed().as_secs_f64().max(0.001);
            format!("reading {} triples, {}/s", grouped(triples), grouped(rate as u64))
        }
        ImportStage::Merging => "merging names".into(),
        ImportStage::Sorting => "sorting triples".into(),
        ImportStage::Writing => "writing the graph".into(),
        ImportStage::Summarising => "summarising".into(),
    }
}

/// Shows the stage of a running question.
pub(crate) struct QuestionWatch {
    spinner: ProgressBar,
    reported: Sender<TimedEvent>,
    events: Receiver<TimedEvent>,
}

impl QuestionWatch {
    /// Shows the first stage.
    pub(crate) fn new() -> Self {
        let (reported, events) = channel();
        Self { spinner: spinner("reading the question"), reported, events }
    }

    /// The sink that follows the question's events.
    pub(crate) fn sink(&self) -> EventSink {
        let (spinner, reported) = (self.spinner.clone(), self.reported.clone());
        Arc::new(move |event| {
            // If a model call outlives its question, the receiver is gone.
            let _ = reported.send(event.clone());
            spinner.set_message(match event.stage {
                Stage::Link => "finding entities",
                Stage::Plan => "planning",
                Stage::Retrieve => "reading the graph",
                Stage::Prune => "weighing relations",
                Stage::Critique => "judging the evidence",
                Stage::Compose => "composing the answer",
                Stage::Ground => "checking the answer",
            });
        })
    }

    /// Removes the line from the screen, and returns all events.
    pub(crate) fn finish(self) -> Vec<TimedEvent> {
        self.spinner.finish_and_clear();
        self.events.try_iter().collect()
    }
}
