//! Language models and embedders: the two traits, and what stands behind them.
//!
//! One concrete request type and one concrete reply type at each seam; no generics travel up the stack.

mod embed;
mod error;
mod language;

pub use embed::{Embedder, Embeddings};
pub use error::ModelError;
pub use language::{
    Abilities, ChatReply, ChatRequest, Constraint, FinishReason, LanguageModel, Message, Role, ScoreReply,
    ScoreRequest, Usage,
};
