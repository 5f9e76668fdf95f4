//! The ledger: the context of one question, with the sources and models that it may use, its
//! limits, its costs so far and its trace; and the stages' memories of a source between questions.
//! No stage is known here.

mod context;
mod costs;
mod limits;
mod memory;
mod meter;
mod source;
mod trace;

pub use context::Context;
pub use costs::{BestSoFar, Ledger};
pub use limits::Limits;
pub use memory::{Memories, Memory, MemoryFile};
pub(crate) use meter::Metered;
pub use source::{Source, is_down, read_on, source_folder, walked_api};
pub use trace::Trace;
