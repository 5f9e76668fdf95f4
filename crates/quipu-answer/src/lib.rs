//! The stages of answering, the methods made of them, the trace, the answer and its evidence.
//!
//! A question passes these stages: link, plan, retrieve, prune, critique, compose, ground. Every
//! stage takes plain data, returns plain data and reports to the trace; a method is a sequence of
//! stages. [`Engine::ask`] runs one.
//!
//! ```
//! use std::sync::Arc;
//!
//! use quipu_answer::{AskOptions, Engine, Method, Question, Status};
//! use quipu_graph::{ImportConfig, Input};
//! use quipu_index::{ImportRequest, Workspace};
//! use quipu_model::ScriptedModel;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("films.tsv");
//! std::fs::write(&file, "Kauwboy\tdirected by\tBoudewijn Koole\nBoudewijn Koole\tborn in\tLeidschendam\n")?;
//! let place = folder.path().join("workspace");
//! let graph = ImportConfig::new("films", vec![Input::File(file)]);
//! Workspace::import(&place, &ImportRequest { graph, embedder: None, progress: None }).await?;
//!
//! // A model that says what it is told to stands in for one here.
//! let reply = r#"{"reasoning": "By E0.", "status": "answered", "rows": ["E0"], "operation": "none",
//!     "answers": ["Boudewijn Koole"]}"#;
//! let model = Arc::new(ScriptedModel::new().on("compose", reply));
//! let engine = Engine::new(Arc::new(Workspace::open(&place)?), Some(model), None)?;
//! let asked_at = "2024-02-28T12:00:00[UTC]".parse()?;
//! let question = Question::new("Who is Kauwboy directed by?", asked_at)?;
//! let answer = engine.ask(&question, &AskOptions { method: Method::Graph, ..AskOptions::default() }).await?;
//! assert_eq!((answer.status, answer.grounded), (Status::Answered, true));
//! assert_eq!(answer.answers, ["Boudewijn Koole"]);
//! assert_eq!(answer.evidence[0].to_line(), "Kauwboy | directed by | Boudewijn Koole");
//! # Ok(())
//! # }
//! ```
//!
//! The stages stand in `quipu-stages`. A module imports the ones above it in the list below, and
//! none below (`tests/layers.rs` checks this for both crates).

// The methods; none imports another but the default, which is a choice between planners.
mod methods;
// One question in, one answer out.
mod engine;

pub use engine::{
    AskOptions, Engine, Estimate, Estimated, LEARNT_FILES, PlannedPath, Setting, Takes, open_source,
    same_names, set_option, set_option_of_request, settings,
};
pub use methods::{
    AnchorConfig, AnchorGrounding, AutoConfig, CorrectiveConfig, CriticKind, ErrorKind, Experience,
    Experiences, Extracted, Guide, HybridConfig, Judged, KeragConfig, Method, MethodConfig, Modules,
    MultiVectorConfig, NamedMethod, PageText, PathTrust, PlanOnGraphConfig, Predictor, PseudoConfig,
    QuestionMatchConfig, Ranking, ReflexionConfig, RelationFilter, RoundsConfig, SelfConsistencyConfig,
    StructGptConfig, Summary, TextConfig, TextGraphConfig, TimeReader, TogConfig, Verification, VerifyConfig,
};
pub use quipu_language::{
    Calculation, CalculationError, Operand, Operation, TimeFrame, asks_yes_or_no, calculate, format_number,
    same_value, time_frames, time_frames_with, value_of,
};
pub use quipu_query::{PseudoGraph, PseudoTail, PseudoTriple};
pub use quipu_stages::answer::{
    Answer, AnswerError, AnswerTable, AnswerUsage, CandidateEvent, Claim, Cost, Critic, EditEvent, Event,
    EventSink, Evidence, EvidenceContent, Exhausted, MAX_QUESTION_BYTES, MentionEvent, NamedKey, Note, Page,
    PassagePlace, PathEvent, Question, RankedEntity, Reading, RecordContent, RecordField, Refinement, Stage,
    StageUsage, Status, TimedEvent, Value, parse_time,
};
pub use quipu_stages::conversation::{Conversation, Speaker, Turn};
pub use quipu_stages::ground::{Grounding, ground};
pub use quipu_stages::ledger::{Limits, Source, Trace, source_folder};
pub use quipu_stages::plan::{
    FEATURE_NAMES, Features, RelationCard, RequirementConfig, SolvedExample, Subject, WalkConfig,
    domain_by_names, domain_by_rules,
};
pub use quipu_stages::planners::{PathsConfig, Planner, QueryConfig};
pub use quipu_stages::prompts::prompt_templates;
