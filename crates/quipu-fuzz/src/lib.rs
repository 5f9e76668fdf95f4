//! Fuzz targets for all readers of foreign bytes: each refuses any input with an error or accepts
//! it, and never panics, hangs or takes unbounded memory.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `targets/` | one function for each reader; what must hold of what it takes |
//! | `seeds.rs`, `../seeds/` | inputs to start from: what each reader takes, and what runs found worth keeping |
//! | `mutate.rs` | small changes of inputs, for the suite |
//! | `main.rs` | the same functions under libFuzzer, guided by the code's own branches (`make fuzz`) |
//!
//! ```
//! let target = quipu_fuzz::target("ntriples").unwrap();
//! (target.run)(b"<http://e.org/a> <http://e.org/b> .");
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a target fails by panicking"
)]

mod mutate;
mod scratch;
mod seeds;
mod targets;

pub use mutate::Mutator;
pub use seeds::seeds;
pub use targets::{TARGETS, Target, target};
