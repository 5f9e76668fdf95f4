//! Planning: finds the path through the graph that leads to the answer.

mod calls;
mod cards;
mod domain;
mod fit;
mod meanings;
pub mod pairs;
mod paths;
mod requirements;
mod scope;
mod solved;
mod subject;
mod times;
mod topic;
mod types;

pub use calls::{AlignedName, PlannedCall, align_names, plan_calls};
pub use cards::{CARDS_FILE, Cards, RelationCard, write_card};
pub use domain::{domain_by_names, domain_by_rules, plain_words};
pub(crate) use fit::fit_of;
pub use fit::{fit_of_operations, shared_words};
pub use meanings::{MEANINGS_FILE, Meanings};
pub use pairs::{OfferedPair, pairs};
pub use paths::{
    FEATURE_NAMES, Features, RankConfig, RankedPath, Seen, StepSamples, Walk, WalkConfig, follow, joint,
    rank, rank_informed, reword,
};
pub(crate) use paths::{is_a_word, misspelt};
pub use requirements::{Along, NamedPart, Requirement, RequirementConfig, along, onward, requirements};
pub use scope::{Frontier, OfferedRelation, Scope};
pub use solved::{SOLVED_FILE, SolvedExample, SolvedExamples, plan_keys, solved_queries, with_solved};
pub use subject::{OTHER, Subject, domain_of, read_subject};
pub use times::read_times;
pub use topic::{Topic, read_topic};
pub use types::common_types;
