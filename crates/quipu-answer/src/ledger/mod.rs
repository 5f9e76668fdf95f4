//! The ledger: the surroundings of one question. Sources and models that it may use, the limits that it must keep to, its costs so far and
//! its trace; and the memories that stages keep of a source between questions. No stage is known here.

mod context;
mod costs;
mod limits;
mod memory;
mod meter;
mod source;
mod trace;

pub(crate) use context::Context;
pub(crate) use costs::{BestSoFar, Ledger};
pub use limits::Limits;
pub(crate) use memory::{Memories, Memory, MemoryFile};
pub(crate) use meter::Metered;
pub use source::{Source, source_folder};
pub(crate) use source::{is_down, read_on, walked_api};
pub use trace::Trace;
