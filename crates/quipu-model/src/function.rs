//! A language model implemented by a function from messages to text.

use std::sync::Arc;
use std::time::Instant;

use crate::http::{chosen_option, in_words, wanted_schema};
use crate::thinking::split_thinking;
use crate::{
    Abilities, ChatReply, ChatRequest, Constraint, FinishReason, LanguageModel, Message, ModelError,
    ScoreReply, ScoreRequest, Usage,
};

/// Default number of tokens for prompt and reply together.
const CONTEXT_TOKENS: usize = 8192;

type Function = dyn Fn(Vec<Message>) -> Result<String, String> + Send + Sync;

/// A language model behind a function, which may block: another library's client, a script. The
/// required form of a reply is described in words at the end of the last message.
///
/// ```
/// use quipu_model::{ChatRequest, FunctionModel, LanguageModel, Message};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let echo = FunctionModel::new("echo", |messages| Ok(messages.last().map(|m| m.content.clone()).unwrap_or_default()));
/// let reply = echo.chat(&ChatRequest::new("say", vec![Message::user("Lima")])).await.unwrap();
/// assert_eq!(reply.text, "Lima");
/// # });
/// ```
pub struct FunctionModel {
    name: String,
    function: Arc<Function>,
    context_tokens: usize,
}

impl FunctionModel {
    /// A model with this name. An error of the function becomes the reason of the failed call.
    pub fn new(
        name: impl Into<String>,
        function: impl Fn(Vec<Message>) -> Result<String, String> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), function: Arc::new(function), context_tokens: CONTEXT_TOKENS }
    }

    /// Sets the number of tokens for prompt and reply together.
    pub fn with_context_tokens(mut self, tokens: usize) -> Self {
        self.context_tokens = tokens;
        self
    }

    fn failed(&self, reason: String) -> ModelError {
        ModelError::Engine { model: self.name.clone(), reason }
    }
}

#[async_trait::async_trait]
impl LanguageModel for FunctionModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn abilities(&self) -> Abilities {
        Abilities { context_tokens: self.context_tokens, ..Abilities::default() }
    }

    /// One token for three bytes, rounded up: more than the usual tokenizers produce.
    fn count_tokens(&self, text: &str) -> usize {
        text.len().div_ceil(3)
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let unsupported = |ability| ModelError::Unsupported { model: self.name.clone(), ability };
        if matches!(request.constraint, Constraint::Grammar(_)) {
            return Err(unsupported("decode inside a grammar"));
        }
        let started = Instant::now();
        let mut messages = request.messages.clone();
        if let Some(schema) = wanted_schema(&request.constraint)
            && let Some(last) = messages.last_mut()
        {
            last.content.push_str("\n\n");
            last.content.push_str(&in_words(&request.constraint, &schema));
        }
        let prompt_tokens = messages.iter().map(|message| self.count_tokens(&message.content) as u64).sum();
        let function = self.function.clone();
        let called = tokio::task::spawn_blocking(move || function(messages));
        let said = match tokio::time::timeout(request.timeout, called).await {
            Err(_) => {
                return Err(ModelError::TimedOut { model: self.name.clone(), limit: request.timeout });
            }
            Ok(Err(_)) => return Err(self.failed("the function panicked".to_owned())),
            Ok(Ok(said)) => said.map_err(|reason| self.failed(reason))?,
        };
        let (mut text, thinking) = split_thinking(&said);
        if let Constraint::Choice(options) = &request.constraint
            && let Some(option) = chosen_option(&text, options)
        {
            text = option;
        }
        let usage = Usage {
            llm_calls: 1,
            prompt_tokens,
            completion_tokens: self.count_tokens(&text) as u64,
            seconds: started.elapsed().as_secs_f64(),
            ..Usage::default()
        };
        let reply = ChatReply { text, thinking, finish: FinishReason::Stop, usage, ..ChatReply::default() };
        Ok(reply.answering(request))
    }

    async fn score(&self, _request: &ScoreRequest) -> Result<ScoreReply, ModelError> {
        Err(ModelError::Unsupported { model: self.name.clone(), ability: "score continuations" })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::choose;

    fn request() -> ChatRequest {
        ChatRequest::new("test", vec![Message::user("Which?")])
    }

    #[tokio::test]
    async fn what_a_reply_must_look_like_is_said_in_words() {
        let model = FunctionModel::new("mine", |messages| {
            let last = &messages.last().ok_or("nothing was said")?.content;
            Ok(if last.contains("exactly one of these") { "I take **2**.".into() } else { last.clone() })
        });
        let options = ["red".to_owned(), "blue".to_owned()];
        assert_eq!(choose(&model, &request(), &options).await.unwrap().0, 1);
        let schema = serde_json::json!({ "type": "object" });
        let reply = model.chat(&request().with_constraint(Constraint::JsonSchema(schema))).await.unwrap();
        assert!(
            reply.text.starts_with("Which?\n\nReply with JSON") && reply.usage.llm_calls == 1,
            "{reply:?}"
        );
    }

    #[tokio::test]
    async fn a_function_that_fails_or_never_ends_is_a_model_that_failed() {
        let broken = FunctionModel::new("mine", |_| Err("no credit".to_owned()));
        let error = broken.chat(&request()).await.unwrap_err();
        assert!(error.is_failure() && error.to_string() == "mine: no credit", "{error}");
        let slow = FunctionModel::new("mine", |_| {
            std::thread::sleep(Duration::from_millis(300));
            Ok(String::new())
        });
        let request = ChatRequest { timeout: Duration::from_millis(10), ..request() };
        let error = slow.chat(&request).await.unwrap_err();
        assert!(matches!(error, ModelError::TimedOut { .. }), "{error}");
    }
}
