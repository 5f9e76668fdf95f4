//! Planning: which way through the graph leads to the answer.

mod cards;
mod operation;
mod paths;
mod scope;
mod topic;

pub use cards::{Cards, RelationCard, write_card};
pub use operation::{Wanted, wanted};
pub use paths::{RankedPath, StepSamples, Walk, WalkConfig, follow, rank};
pub use scope::{Frontier, OfferedRelation, Scope};
pub use topic::{Topic, read_topic};
