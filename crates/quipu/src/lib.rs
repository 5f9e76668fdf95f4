//! Quipu as a library: graphs in, answers with evidence out.
//!
//! | | |
//! | --- | --- |
//! | [`Workspace`] | a graph and its indexes in a folder: import, open, entities, SPARQL, SQL over tables |
//! | [`Engine`] | one or several workspaces with the models to ask them with |
//! | [`Answer`] | values as rows, evidence, how the question was read, what it cost |
//! | [`Settings`] | what flags, environment and files say, for the command and for programs alike |
//!
#![doc = include_str!("../README.md")]

mod engine;
mod error;
mod models;
mod settings;
mod workspace;

pub use engine::{Engine, EngineBuilder, Sources};
pub use error::{Error, Result};
pub use models::{NO_MODEL, load_embedder, load_model};
pub use quipu_answer::{
    Answer, AnswerTable, AskOptions, Conversation, Evidence, EvidenceContent, Limits, Method, Note, Question,
    Reading, Speaker, Status, Turn, Value, parse_time,
};
pub use quipu_graph::{ErrorClass, ImportReport, QueryFormat, QueryOptions};
pub use quipu_index::{WorkspaceInfo, WorkspaceProgress, WorkspaceProgressSink};
pub use quipu_model::{Embedder, FunctionModel, LanguageModel, Message, OpenOptions, Role, ScriptedModel};
pub use settings::Settings;
pub use workspace::{
    EntityView, FoundEntity, Import, Imported, NamedNode, QueryRows, RelationView, SqlAnswer, SqlPlan,
    Workspace,
};
