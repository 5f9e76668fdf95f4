//! The baselines that the methods are measured against. All use the methods' own stages to link,
//! compose and ground; they differ in how they find evidence.

pub(super) mod corrective;
pub(super) mod cot;
pub(super) mod graph;
pub(super) mod io;
pub(super) mod multi_vector;
pub(super) mod plan_on_graph;
pub(super) mod question_match;
pub(super) mod react;
pub(super) mod reflexion;
mod rounds;
pub(super) mod self_consistency;
pub(super) mod structgpt;
pub(super) mod text;
pub(super) mod text_graph;
pub(super) mod tog;
pub(super) mod tool_use;
mod toolbox;
mod walk;

pub use corrective::CorrectiveConfig;
pub use multi_vector::MultiVectorConfig;
pub use plan_on_graph::PlanOnGraphConfig;
pub use question_match::QuestionMatchConfig;
pub use reflexion::ReflexionConfig;
pub use rounds::RoundsConfig;
pub use self_consistency::SelfConsistencyConfig;
pub use structgpt::StructGptConfig;
pub use text::TextConfig;
pub use text_graph::TextGraphConfig;
pub use tog::TogConfig;
