//! Planning: which way through the graph leads to the answer.

mod cards;
mod condition;
mod learnt;
mod meanings;
mod operation;
mod paths;
mod scope;
mod solved;
mod topic;

pub use cards::{CARDS_FILE, Cards, RelationCard, write_card};
pub use condition::{Condition, condition};
pub use meanings::{MEANINGS_FILE, Meanings};
pub use operation::{Wanted, is_extreme, wanted};
pub use paths::{
    FEATURE_NAMES, Features, RankConfig, RankedPath, Seen, StepSamples, Walk, WalkConfig, follow, joint,
    rank, rank_informed, reword,
};
pub use scope::{Frontier, OfferedRelation, Scope};
pub use solved::{SOLVED_FILE, SolvedExample, SolvedExamples, plan_keys, with_solved};
pub use topic::{Topic, read_topic};
