//! What the methods are measured against. All link, compose and ground with the stages that the methods use; what differs
//! is how they come by their evidence.

pub(super) mod corrective;
pub(super) mod cot;
pub(super) mod graph;
pub(super) mod io;
pub(super) mod question_match;
pub(super) mod react;
mod rounds;
pub(super) mod self_consistency;
pub(super) mod text;
pub(super) mod tog;
pub(super) mod tool_use;
mod toolbox;

pub use corrective::CorrectiveConfig;
pub use question_match::QuestionMatchConfig;
pub use rounds::RoundsConfig;
pub use self_consistency::SelfConsistencyConfig;
pub use text::TextConfig;
pub use tog::TogConfig;
