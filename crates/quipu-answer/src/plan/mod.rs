//! Planning: which way through the graph leads to the answer.

mod cards;
mod condition;
mod learnt;
mod meanings;
mod operation;
mod paths;
mod requirements;
mod scope;
mod topic;

pub use cards::{CARDS_FILE, Cards, RelationCard, write_card};
pub use condition::{Condition, condition};
pub(crate) use learnt::LearntFile;
pub use meanings::{MEANINGS_FILE, Meanings};
pub use operation::{Wanted, is_extreme, wanted};
pub use paths::{
    FEATURE_NAMES, Features, RankConfig, RankedPath, Seen, StepSamples, Walk, WalkConfig, follow, joint,
    rank, rank_informed, reword,
};
pub use requirements::{NamedPart, Requirement, RequirementConfig, requirements};
pub use scope::{Frontier, OfferedRelation, Scope};
pub use topic::{Topic, read_topic};
