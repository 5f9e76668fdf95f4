//! Training examples for a model that is tuned to a part of the work (KERAG §4.3, Fig. 4): what a model wrote where the answer was
//! right, and refusals where there is none.

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
