//! A model that records its conversations.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quipu_model::{
    Abilities, ChatReply, ChatRequest, LanguageModel, Message, ModelError, Price, ScoreReply, ScoreRequest,
};

use super::task::TuneTask;

/// A conversation with the model's last message.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Heard {
    pub(super) stage: String,
    pub(super) messages: Vec<Message>,
    pub(super) reply: String,
}

/// Passes requests on to a model and records those of one task. Questions are asked in sequence.
pub struct Recorder {
    inner: Arc<dyn LanguageModel>,
    task: TuneTask,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Temperature and seed for the task's otherwise greedy requests.
    sample: Option<(f32, u64)>,
    /// The reply to the task's requests, which then reach no model.
    written: Option<String>,
    heard: Vec<Heard>,
}

impl Recorder {
    /// Records the requests of `task` to `inner`.
    pub fn new(inner: Arc<dyn LanguageModel>, task: TuneTask) -> Self {
        Self { inner, task, state: Mutex::default() }
    }

    pub(super) fn task(&self) -> TuneTask {
        self.task
    }

    /// Clears the record and sets the sampling of the task's requests; `None` leaves them
    /// unchanged.
    pub(super) fn begin(&self, sample: Option<(f32, u64)>) {
        *self.state() = State { sample, ..State::default() };
    }

    /// Clears the record. The task's requests get this reply until the next beginning.
    pub(super) fn begin_written(&self, reply: &str) {
        *self.state() = State { written: Some(reply.to_owned()), ..State::default() };
    }

    /// The conversations recorded since `begin`.
    pub(super) fn take(&self) -> Vec<Heard> {
        std::mem::take(&mut self.state().heard)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self, request: &ChatRequest, reply: &str) {
        let mut state = self.state();
        // The tuned model will get its prompts without the worked examples.
        let messages = request.messages_for_tuned();
        // An unreadable reply is requested again in the same conversation. The second reply
        // replaces the first.
        if let Some(last) = state.heard.last_mut()
            && last.stage == request.stage
            && messages.len() == last.messages.len() + 2
            && messages.starts_with(&last.messages)
        {
            reply.clone_into(&mut last.reply);
            return;
        }
        state.heard.push(Heard { stage: request.stage.clone(), messages, reply: reply.to_owned() });
    }
}

#[async_trait::async_trait]
impl LanguageModel for Recorder {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn abilities(&self) -> Abilities {
        self.inner.abilities()
    }

    fn price(&self) -> Option<Price> {
        self.inner.price()
    }

    fn count_tokens(&self, text: &str) -> usize {
        self.inner.count_tokens(text)
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        if !self.task.stages().contains(&request.stage.as_str()) {
            return self.inner.chat(request).await;
        }
        let written = self.state().written.clone();
        if let Some(text) = written {
            if request.alternatives.is_some() {
                return Ok(ChatReply::default());
            }
            self.hear(request, &text);
            return Ok(ChatReply { text, ..ChatReply::default() });
        }
        let mut request = request.clone();
        if let (Some((temperature, seed)), 0.0) = (self.state().sample, request.temperature) {
            (request.temperature, request.seed) = (temperature, seed);
        }
        let reply = self.inner.chat(&request).await?;
        self.hear(&request, &reply.text);
        Ok(reply)
    }

    async fn score(&self, request: &ScoreRequest) -> Result<ScoreReply, ModelError> {
        self.inner.score(request).await
    }
}

#[cfg(test)]
mod tests {
    use quipu_model::ScriptedModel;

    use super::*;

    fn recorder(model: ScriptedModel) -> Recorder {
        Recorder::new(Arc::new(model), TuneTask::Compose)
    }

    fn request(stage: &str, said: &[&str]) -> ChatRequest {
        ChatRequest::new(stage, said.iter().map(|&text| Message::user(text)).collect())
    }

    #[tokio::test]
    async fn only_the_tasks_requests_are_remembered() {
        let recorder = recorder(ScriptedModel::new().on("plan.topic", "a topic").on("compose", "an answer"));
        recorder.begin(None);
        recorder.chat(&request("plan.topic", &["x"])).await.unwrap();
        recorder.chat(&request("compose", &["y"])).await.unwrap();
        let heard = recorder.take();
        assert_eq!(heard.len(), 1);
        assert_eq!((heard[0].reply.as_str(), heard[0].messages.len()), ("an answer", 1));
        assert!(recorder.take().is_empty());
    }

    #[tokio::test]
    async fn a_repaired_reply_stands_in_the_place_of_the_first() {
        let recorder = recorder(ScriptedModel::new().on("compose", "no JSON").on("compose", "{}"));
        recorder.begin(None);
        recorder.chat(&request("compose", &["y"])).await.unwrap();
        recorder.chat(&request("compose", &["y", "no JSON", "again"])).await.unwrap();
        let heard = recorder.take();
        assert_eq!(heard.len(), 1);
        assert_eq!((heard[0].reply.as_str(), heard[0].messages.len()), ("{}", 1));
    }
}
