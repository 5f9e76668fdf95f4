//! Training examples for tuning a model to one task (KERAG §4.3, Fig. 4): the messages of a model
//! that answered correctly, and refusals where there is no answer.

mod card;
mod examples;
mod export;
mod folder;
mod leakage;
mod recorder;
mod task;

pub use card::{DATA_CARD_FORMAT, DataCard, SourceCard};
pub use examples::{ExampleKind, TuneExample};
pub use export::{TuneConfig, TuneCounts, tune_export};
pub use folder::TuneFolder;
pub use leakage::{HeldOut, Leak, LeakCounts};
pub use recorder::Recorder;
pub use task::TuneTask;
