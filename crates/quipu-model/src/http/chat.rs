//! Chat with an OpenAI-compatible endpoint.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};

use super::endpoint::{Endpoint, EndpointConfig, MOST_TOKENS, refusal_words};
use crate::structured::{find_option, parse_leniently};
use crate::thinking::split_thinking;
use crate::{
    Abilities, Alternative, ChatReply, ChatRequest, Constraint, FinishReason, LanguageModel, Likelihood,
    Message, ModelError, Role, ScoreReply, ScoreRequest, Tool, Usage,
};

/// Default number of tokens for prompt and reply together. A configuration, or a limit in the
/// endpoint's refusal, replaces it.
const CONTEXT_TOKENS: usize = 8192;
/// Largest context that a refusal is believed.
const MOST_CONTEXT: usize = 1 << 30;

/// A language model behind an OpenAI-compatible endpoint: OpenAI, vLLM, Ollama, llama.cpp's server,
/// gateways.
///
/// The client learns the endpoint's abilities from its refusals. After a refused `json_schema` it
/// asks for `json_object`, after a refused `json_object` in words. For an endpoint without `tools`
/// it asks for function calls as JSON. It keeps using the form that worked.
pub struct HttpModel {
    name: String,
    model: String,
    endpoint: Endpoint,
    context_tokens: AtomicUsize,
    learnt: Mutex<Learnt>,
    scores: bool,
}

/// How the client asks for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JsonForm {
    Schema,
    Object,
    Words,
}

/// The endpoint's restrictions, as learnt from its refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Learnt {
    json: JsonForm,
    /// It requires `max_completion_tokens` in place of `max_tokens`.
    completion_tokens: bool,
    /// It refuses `temperature`.
    fixed_temperature: bool,
    /// It refuses `seed`.
    no_seed: bool,
    /// It refuses `tools`: calls are requested as JSON.
    no_tools: bool,
    /// It refuses `logprobs`.
    no_logprobs: bool,
    /// It refuses `n`: it writes one reply at a time.
    no_several: bool,
}

impl HttpModel {
    /// A model of an endpoint, under the name `openai:MODEL`.
    pub fn new(model: impl Into<String>, config: EndpointConfig) -> Result<Self, ModelError> {
        let model = model.into();
        Ok(Self {
            name: format!("openai:{model}"),
            model,
            endpoint: Endpoint::new(config)?,
            context_tokens: AtomicUsize::new(CONTEXT_TOKENS),
            learnt: Mutex::new(Learnt {
                json: JsonForm::Schema,
                completion_tokens: false,
                fixed_temperature: false,
                no_seed: false,
                no_tools: false,
                no_logprobs: false,
                no_several: false,
            }),
            scores: false,
        })
    }

    /// Sets the number of tokens for prompt and reply together.
    pub fn with_context_tokens(mut self, tokens: usize) -> Self {
        *self.context_tokens.get_mut() = tokens;
        self
    }

    /// States that the endpoint returns the log-probabilities of a prompt (`/completions` with
    /// `echo`), as vLLM does.
    pub fn with_scores(mut self) -> Self {
        self.scores = true;
        self
    }

    /// Sends a chat request, and again in another form after a refusal.
    async fn send(&self, request: &ChatRequest) -> Result<Completion, ModelError> {
        let started = Instant::now();
        let mut learnt = *self.learnt.lock();
        loop {
            let limit = request.timeout.saturating_sub(started.elapsed());
            let body = self.body(request, learnt);
            match self.endpoint.post(&self.name, "chat/completions", &body, limit).await {
                Ok(reply) => {
                    *self.learnt.lock() = learnt;
                    let raw = reply.to_string();
                    let completion: Completion = serde_json::from_value(reply).map_err(|error| {
                        self.endpoint
                            .foreign(format!("no chat completion ({error}): {}", refusal_words(&raw)))
                    })?;
                    if completion.choices.is_empty() {
                        let reason = format!("the reply holds no choice: {}", refusal_words(&raw));
                        return Err(self.endpoint.foreign(reason));
                    }
                    return Ok(completion);
                }
                Err(ModelError::Refused { status, reason, .. })
                    if matches!(status, 400 | 413) && context_limit(&reason).is_some() =>
                {
                    let limit = context_limit(&reason).unwrap_or(CONTEXT_TOKENS);
                    self.context_tokens.store(limit, Ordering::Relaxed);
                    let tokens = self.prompt_tokens(&request.messages) + request.max_tokens as usize;
                    return Err(ModelError::TooLong {
                        model: self.name.clone(),
                        tokens: tokens.max(limit + 1),
                        limit,
                    });
                }
                Err(error @ ModelError::Refused { .. }) => match learnt.after(&error, request) {
                    Some(next) => learnt = next,
                    None => return Err(error),
                },
                Err(error) => return Err(error),
            }
        }
    }

    fn body(&self, request: &ChatRequest, learnt: Learnt) -> Value {
        let tools = wire_tools(&request.constraint).filter(|_| !learnt.no_tools);
        let schema = wanted_schema(&request.constraint).filter(|_| tools.is_none());
        let mut messages: Vec<Value> = request.messages.iter().map(wire_message).collect();
        if let Some(schema) = schema.as_ref().filter(|_| learnt.json != JsonForm::Schema) {
            ask_in_words(&mut messages, &request.constraint, schema, learnt.json);
        }
        let mut body = json!({ "model": self.model, "messages": messages });
        let mut set = |key: &str, value: Value| {
            if let Value::Object(body) = &mut body {
                body.insert(key.to_owned(), value);
            }
        };
        let limit = if learnt.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        set(limit, request.max_tokens.into());
        if !learnt.fixed_temperature {
            set("temperature", json!(request.temperature));
        }
        if !learnt.no_seed {
            set("seed", request.seed.into());
        }
        if !request.stop.is_empty() {
            set("stop", json!(request.stop));
        }
        if request.likelihood && !learnt.no_logprobs {
            set("logprobs", true.into());
        }
        if let Some(alternatives) = request.alternatives.as_ref().filter(|_| !learnt.no_several) {
            set("n", alternatives.count.into());
        }
        if let Some(tools) = tools {
            set("tools", tools);
            set("tool_choice", "required".into());
        }
        match (schema, learnt.json) {
            (Some(mut schema), JsonForm::Schema) => {
                let strict = close_objects(&mut schema);
                let format = json!({ "name": "reply", "schema": schema, "strict": strict });
                set("response_format", json!({ "type": "json_schema", "json_schema": format }));
            }
            (Some(_), JsonForm::Object) => set("response_format", json!({ "type": "json_object" })),
            _ => {}
        }
        body
    }

    fn prompt_tokens(&self, messages: &[Message]) -> usize {
        messages.iter().map(|message| self.count_tokens(&message.content) + 4).sum()
    }

    fn reply(
        &self,
        request: &ChatRequest,
        completion: Completion,
        seconds: f64,
    ) -> Result<ChatReply, ModelError> {
        let mut choices = completion.choices.into_iter().map(|choice| choice.read(request));
        let written = match &request.alternatives {
            None => choices.next(),
            Some(wanted) => {
                let count = wanted.count as usize;
                let other = |reply: ChatReply| Alternative { text: reply.text, likelihood: reply.likelihood };
                let whole = choices.filter(|reply| reply.finish != FinishReason::Length);
                let alternatives = whole.take(count).map(other).collect();
                Some(ChatReply { alternatives, ..ChatReply::default() })
            }
        };
        let written = written.ok_or_else(|| self.endpoint.foreign("the reply holds no choice".to_owned()))?;
        let texts = written.alternatives.iter().map(|other| &other.text).chain([&written.text]);
        let counted: usize = texts.map(|text| self.count_tokens(text)).sum();
        let usage = completion.usage.unwrap_or_default();
        let estimated = self.prompt_tokens(&request.messages) as u64;
        let prompt_tokens = usage.prompt_tokens.unwrap_or(estimated).min(MOST_TOKENS);
        let reused = usage.prompt_tokens_details.and_then(|details| details.cached_tokens).unwrap_or(0);
        let completion_tokens = usage.completion_tokens.unwrap_or(counted as u64);
        Ok(ChatReply {
            usage: Usage {
                llm_calls: 1,
                prompt_tokens,
                reused_tokens: reused.min(prompt_tokens),
                completion_tokens: completion_tokens.min(MOST_TOKENS),
                seconds,
                ..Usage::default()
            },
            ..written
        })
    }
}

#[async_trait::async_trait]
impl LanguageModel for HttpModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            constrained: self.learnt.lock().json == JsonForm::Schema,
            grammar: false,
            score: self.scores,
            context_tokens: self.context_tokens.load(Ordering::Relaxed),
        }
    }

    /// One token for three bytes of ASCII and for each other character: more than the usual
    /// tokenizers produce.
    fn count_tokens(&self, text: &str) -> usize {
        let ascii = text.bytes().filter(u8::is_ascii).count();
        let other = text.chars().filter(|c| !c.is_ascii()).count();
        ascii.div_ceil(3) + other
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        if matches!(request.constraint, Constraint::Grammar(_)) {
            return Err(ModelError::Unsupported {
                model: self.name.clone(),
                ability: "decode inside a grammar",
            });
        }
        let started = Instant::now();
        let completion = self.send(request).await?;
        self.reply(request, completion, started.elapsed().as_secs_f64())
    }

    async fn score(&self, request: &ScoreRequest) -> Result<ScoreReply, ModelError> {
        if !self.scores {
            return Err(ModelError::Unsupported { model: self.name.clone(), ability: "score continuations" });
        }
        super::score::score(&self.endpoint, &self.name, &self.model, request).await
    }
}

impl Learnt {
    /// The form to try after a refusal; `None` if none is left.
    fn after(mut self, error: &ModelError, request: &ChatRequest) -> Option<Self> {
        let ModelError::Refused { status, reason, .. } = error else { return None };
        if !matches!(status, 400 | 404 | 415 | 422 | 501) {
            return None;
        }
        let before = self;
        if reason.contains("max_completion_tokens") {
            self.completion_tokens = true;
        } else if reason.contains("temperature") {
            self.fixed_temperature = true;
        } else if reason.contains("seed") {
            self.no_seed = true;
        } else if request.alternatives.is_some() && !self.no_several && !reason.contains("logprob") {
            self.no_several = true;
        } else if request.likelihood
            && !self.no_logprobs
            && (reason.contains("logprob") || wanted_schema(&request.constraint).is_none())
        {
            self.no_logprobs = true;
        } else if matches!(request.constraint, Constraint::Tools(_)) && !self.no_tools {
            self.no_tools = true;
        } else if wanted_schema(&request.constraint).is_some() {
            self.json = match self.json {
                JsonForm::Schema => JsonForm::Object,
                JsonForm::Object | JsonForm::Words => JsonForm::Words,
            };
        }
        (self != before).then_some(self)
    }
}

/// The JSON schema of a constraint. A choice becomes an object, because endpoints require one.
pub(crate) fn wanted_schema(constraint: &Constraint) -> Option<Value> {
    match constraint {
        Constraint::Choice(options) => Some(json!({
            "type": "object",
            "properties": { "choice": { "type": "string", "enum": options } },
            "required": ["choice"],
        })),
        other => other.schema(),
    }
}

/// The functions of a constraint in the endpoints' format.
fn wire_tools(constraint: &Constraint) -> Option<Value> {
    let Constraint::Tools(tools) = constraint else { return None };
    let function = |tool: &Tool| {
        let Tool { name, description, parameters } = tool;
        json!({ "type": "function", "function": { "name": name, "description": description, "parameters": parameters } })
    };
    Some(tools.iter().map(function).collect())
}

/// Adds the required form of the reply to the last message.
fn ask_in_words(messages: &mut [Value], constraint: &Constraint, schema: &Value, form: JsonForm) {
    let words = match form {
        JsonForm::Words => in_words(constraint, schema),
        _ => json_in_words(schema),
    };
    if let Some(Value::String(content)) = messages.last_mut().and_then(|message| message.get_mut("content")) {
        content.push_str("\n\n");
        content.push_str(&words);
    }
}

/// The required form of the reply in words, for a model without constraints.
pub(crate) fn in_words(constraint: &Constraint, schema: &Value) -> String {
    match constraint {
        Constraint::Choice(options) => {
            format!("Reply with exactly one of these and nothing else: {}", options.join(" | "))
        }
        _ => json_in_words(schema),
    }
}

fn json_in_words(schema: &Value) -> String {
    format!("Reply with JSON that satisfies this JSON Schema, and with nothing else:\n{schema}")
}

/// Forbids additional properties in each object, and returns whether all properties are required.
/// Strict endpoints need both.
fn close_objects(schema: &mut Value) -> bool {
    let mut strict = true;
    match schema {
        Value::Object(object) => {
            if let Some(properties) = object.get("properties").and_then(Value::as_object) {
                let required = object.get("required").and_then(Value::as_array).map_or(0, Vec::len);
                strict = required == properties.len();
                object.entry("additionalProperties").or_insert(Value::Bool(false));
            }
            for value in object.values_mut() {
                strict &= close_objects(value);
            }
        }
        Value::Array(values) => {
            for value in values {
                strict &= close_objects(value);
            }
        }
        _ => {}
    }
    strict
}

pub(crate) fn chosen_option(text: &str, options: &[String]) -> Option<String> {
    let json = parse_leniently(text).and_then(|value| value.get("choice")?.as_str().map(str::to_owned));
    find_option(json.as_deref().unwrap_or(text), options).and_then(|index| options.get(index)).cloned()
}

/// The size of the context, if a refusal states it.
fn context_limit(reason: &str) -> Option<usize> {
    let lower = reason.to_lowercase();
    let (_, after) =
        ["context length is", "context size (", "context window of", "maximum context length of"]
            .iter()
            .find_map(|words| lower.split_once(words))?;
    let digits: String = after
        .trim_start()
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .filter(char::is_ascii_digit)
        .collect();
    digits.parse::<usize>().ok().map(|limit| limit.min(MOST_CONTEXT))
}

fn wire_message(message: &Message) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    json!({ "role": role, "content": message.content })
}

#[derive(Deserialize)]
struct Completion {
    #[serde(default)]
    choices: Vec<CompletionChoice>,
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
struct CompletionChoice {
    message: WireMessage,
    finish_reason: Option<String>,
    logprobs: Option<WireLikelihood>,
}

impl CompletionChoice {
    /// The reply, without its cost.
    fn read(self, request: &ChatRequest) -> ChatReply {
        let called = self.message.tool_calls.unwrap_or_default().into_iter().next().map(|call| call.function);
        let said = called.map_or(self.message.content.unwrap_or_default(), WireFunction::into_text);
        let (mut text, mut thinking) = split_thinking(&said);
        thinking = thinking.or(self.message.reasoning_content).filter(|thinking| !thinking.is_empty());
        if let Constraint::Choice(options) = &request.constraint
            && let Some(option) = chosen_option(&text, options)
        {
            text = option;
        }
        let finish = match self.finish_reason.as_deref() {
            Some("length") => FinishReason::Length,
            _ => FinishReason::Stop,
        };
        let likelihood = self.logprobs.filter(|_| request.likelihood).and_then(WireLikelihood::read);
        ChatReply { text, thinking, finish, likelihood, ..ChatReply::default() }
    }
}

#[derive(Deserialize)]
struct WireLikelihood {
    content: Option<Vec<WireToken>>,
}

#[derive(Deserialize)]
struct WireToken {
    logprob: f64,
}

impl WireLikelihood {
    fn read(self) -> Option<Likelihood> {
        Likelihood::of(self.content?.into_iter().map(|token| token.logprob))
    }
}

#[derive(Deserialize)]
struct WireMessage {
    content: Option<String>,
    #[serde(alias = "reasoning")]
    reasoning_content: Option<String>,
    tool_calls: Option<Vec<WireCall>>,
}

#[derive(Deserialize)]
struct WireCall {
    function: WireFunction,
}

#[derive(Deserialize)]
struct WireFunction {
    name: String,
    /// JSON as text, or, from some endpoints, the object itself.
    #[serde(default)]
    arguments: Value,
}

impl WireFunction {
    /// The call in the form of [`Constraint::Tools`].
    fn into_text(self) -> String {
        let arguments = match self.arguments {
            Value::String(text) => parse_leniently(&text).unwrap_or_default(),
            other => other,
        };
        json!({ "tool": self.name, "arguments": arguments }).to_string()
    }
}

#[derive(Deserialize, Default)]
struct WireUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
}

#[derive(Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_name_the_context() {
        let openai = "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens";
        assert_eq!(context_limit(openai), Some(4096));
        let llama =
            "request (9001 tokens) exceeds the available context size (8192 tokens), try increasing it";
        assert_eq!(context_limit(llama), Some(8192));
        let huge = format!("context length is {} tokens", usize::MAX);
        assert_eq!(context_limit(&huge), Some(MOST_CONTEXT));
        assert_eq!(context_limit("no such model"), None);
    }

    #[test]
    fn objects_are_closed_and_strictness_is_told() {
        let mut schema =
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
        assert!(close_objects(&mut schema));
        assert_eq!(schema["additionalProperties"], false);
        let mut optional = json!({"type": "array", "items": {"type": "object", "properties": {"a": {}}}});
        assert!(!close_objects(&mut optional));
    }
}
