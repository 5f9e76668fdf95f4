//! OpenAI-compatible endpoints.

mod chat;
mod embeddings;
mod endpoint;
mod score;

pub use chat::HttpModel;
pub(crate) use chat::{chosen_option, in_words, wanted_schema};
pub use embeddings::HttpEmbedder;
pub use endpoint::EndpointConfig;

/// An error with its causes, in one line.
pub(crate) fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}
