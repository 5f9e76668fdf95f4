//! The stages of answering, the methods built from them, the trace, the answer and its evidence.
//!
//! One question's way: link, plan, retrieve, prune, critique, compose, ground. Every stage takes plain data, returns plain data
//! and reports to the [`Trace`]; a method is an order of stages. [`Engine::ask`] runs one.

mod answer;
mod compose;
mod context;
mod conversation;
mod critique;
mod engine;
mod error;
mod estimate;
mod evidence;
mod examples;
mod ground;
mod link;
mod meter;
mod methods;
mod plan;
mod prompts;
mod prune;
mod question;
mod records;
mod retrieve;
mod settings;
mod sources;
mod trace;

pub use answer::{
    Answer, AnswerTable, AnswerUsage, Claim, Cost, NamedKey, Note, RankedEntity, Reading, StageUsage, Status,
    Value,
};
pub use context::{LEARNT_FILES, Limits};
pub use conversation::{Conversation, Speaker, Turn};
pub use engine::{AskOptions, Engine, PlannedPath};
pub use error::{AnswerError, Exhausted};
pub use estimate::{Estimate, Estimated};
pub use evidence::{Evidence, EvidenceContent, PassagePlace};
pub use examples::same_names;
pub use ground::{Grounding, ground};
pub use methods::{
    AnchorConfig, AnchorGrounding, AutoConfig, CorrectiveConfig, CriticKind, ErrorKind, Experience,
    Experiences, Guide, HybridConfig, KeragConfig, Method, MethodConfig, Modules, PathTrust, PathsConfig,
    Predictor, PseudoConfig, QueryConfig, QuestionMatchConfig, Ranking, RelationFilter, RoundsConfig,
    RouterKind, SelfConsistencyConfig, TextConfig, TogConfig, Verification, VerifyConfig,
};
pub use plan::{
    FEATURE_NAMES, Features, RelationCard, RequirementConfig, SolvedExample, Subject, WalkConfig,
    domain_by_names, domain_by_rules,
};
pub use prompts::prompt_templates;
pub use question::{MAX_QUESTION_BYTES, Question};
pub use quipu_language::{
    Calculation, CalculationError, Operand, Operation, TimeFrame, asks_yes_or_no, calculate, format_number,
    same_value, time_frames, value_of,
};
pub use quipu_query::{PseudoGraph, PseudoTail, PseudoTriple};
pub use records::{RecordContent, RecordField};
pub use retrieve::Page;
pub use settings::{KEPT_BY_SIMILARITY, KEPT_PATHS, SETTING_KEYS, set_option, set_option_of_request};
pub use sources::{Source, source_folder};
pub use trace::{
    CandidateEvent, EditEvent, Event, EventSink, MentionEvent, PathEvent, Refinement, Stage, TimedEvent,
    Trace,
};
