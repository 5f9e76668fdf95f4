//! Language models and embedders: the two traits, and their implementations.
//!
//! Each interface has one concrete request type and one concrete reply type, so that no generics
//! reach the callers.

mod cache;
mod embed;
mod error;
mod fit;
mod function;
mod gbnf;
mod http;
mod language;
mod lenient;
mod local;
mod open;
mod price;
mod priced;
mod recorded;
mod registry;
mod scripted;
mod structured;
mod thinking;
mod usage;

pub use cache::{CacheMode, CachedModel};
pub use embed::{Embedder, Embeddings, LocalEmbedder, TokenVectors, inner_product};
pub use error::ModelError;
pub use fit::{Fit, fit_blocks};
pub use function::FunctionModel;
pub use gbnf::schema_to_grammar;
pub use http::{EndpointConfig, HttpEmbedder, HttpModel};
pub use language::{
    Abilities, Alternative, Alternatives, ChatReply, ChatRequest, Constraint, FinishReason, LanguageModel,
    Likelihood, Message, Role, ScoreReply, ScoreRequest, Tool,
};
pub use local::{Adapter, LocalConfig, LocalModel};
pub use open::{
    ModelIdentity, OpenOptions, default_model_name, identify_language_model, is_endpoint, name_with_adapters,
    open_embedder, open_language_model,
};
pub use price::{Amount, Currency, Price, Prices};
pub use recorded::RecordedModel;
pub use registry::{
    HubSource, ModelEntry, ModelFile, ModelKind, ModelState, PackageSource, PullProgress, PullStep, Registry,
};
pub use scripted::{Scripted, ScriptedModel};
pub use structured::{ToolCall, ask_json, ask_tool, choose, parse_leniently};
pub use usage::Usage;
