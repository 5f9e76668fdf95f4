//! Answers a question that Python asks.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::Zoned;
use quipu::{
    AskOptions, Conversation, Engine, Error, Question, Result, Settings, Sources, Speaker, Turn, Value,
    parse_time,
};
use quipu_server::{Trust, check_readings};
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;

use crate::model::{Model, load};

/// A workspace with its engine and models, each loaded at first use.
pub(crate) struct Asked {
    pub(crate) sources: Sources,
    pub(crate) settings: Settings,
    engine: OnceCell<Engine>,
}

/// The options of a question, as the package writes them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Ask {
    method: Option<String>,
    max_llm_calls: Option<u32>,
    max_tokens: Option<u64>,
    max_hops: Option<u32>,
    timeout: Option<f64>,
    learn: Option<bool>,
    anchors: Vec<String>,
    reading: usize,
    plan_only: bool,
    trace: bool,
    /// RFC 3339, with the zone in brackets if it is known.
    asked_at: Option<String>,
    /// The conversation before the question, oldest turn first.
    after: Vec<Earlier>,
}

/// An earlier question with its answer.
#[derive(Debug, Deserialize)]
struct Earlier {
    question: String,
    answer: String,
    #[serde(default)]
    values: Vec<Value>,
}

/// An answer in the form that the package reads.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    answer: &'a quipu::Answer,
    rows: Vec<Vec<Option<Value>>>,
    lines: Vec<String>,
    trust: Option<Trust>,
}

impl Asked {
    pub(crate) fn open(folder: &std::path::Path, others: &[PathBuf], flags: Settings) -> Result<Arc<Self>> {
        let settings = Settings::load(flags, folder)?;
        let sources = Sources::of(folder, others, &settings)?;
        Ok(Arc::new(Self { sources, settings, engine: OnceCell::new() }))
    }

    /// The engine without a language model; the embedder is loaded once.
    async fn engine(&self) -> Result<&Engine> {
        let open = || {
            let settings = Settings { method: None, ..self.settings.clone() };
            Engine::builder(self.sources.clone()).settings(settings).without_model().build()
        };
        self.engine.get_or_try_init(open).await
    }

    pub(crate) async fn ask(&self, question: &str, ask: Ask, model: Model) -> Result<String> {
        let question = Question::new(question, ask.time()?)?;
        let options = ask.options(&self.settings)?;
        let model = match model {
            Model::Function(model) => Some(model),
            Model::OfSettings => load(&self.settings).await?,
            Model::Named(name) => load(&Settings { llm: Some(name), ..self.settings.clone() }).await?,
        };
        let engine = self.engine().await?.with_language_model(model);
        let answer = engine.ask_with(&question, &options).await?;
        let lines = answer.evidence.iter().map(quipu::Evidence::to_line).collect();
        let told = Told { rows: answer.rows(), lines, trust: Trust::of(&answer), answer: &answer };
        written(&told)
    }
}

impl Ask {
    fn time(&self) -> Result<Zoned> {
        let Some(text) = &self.asked_at else { return Ok(Zoned::now()) };
        parse_time(text).map_err(|error| Error::Usage(format!("asked_at: {error}")))
    }

    fn options(self, settings: &Settings) -> Result<AskOptions> {
        let timeout = self.timeout;
        let flags = Settings {
            method: self.method,
            max_llm_calls: self.max_llm_calls,
            max_tokens: self.max_tokens,
            max_hops: self.max_hops,
            learn: self.learn,
            ..Settings::default()
        };
        let mut options = flags.over(settings.clone()).ask_options()?;
        if let Some(seconds) = timeout {
            options.limits.time = std::time::Duration::try_from_secs_f64(seconds)
                .map_err(|_| Error::Usage("timeout: seconds are needed, 0 or more".into()))?;
        }
        check_readings(options.method, self.reading, self.plan_only).map_err(Error::Usage)?;
        let turns = self.after.into_iter().flat_map(|earlier| {
            let answer = Turn { values: earlier.values, ..Turn::new(Speaker::Answer, earlier.answer) };
            [Turn::new(Speaker::Person, earlier.question), answer]
        });
        options.conversation = Conversation { turns: turns.collect(), ..Conversation::default() };
        Ok(AskOptions {
            anchors: self.anchors,
            reading: self.reading,
            plan_only: self.plan_only,
            keep_trace: self.trace,
            ..options
        })
    }
}

/// Writes a value as JSON for the package.
pub(crate) fn written(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::Internal(format!("the result cannot be written: {error}")))
}

/// Reads JSON that the package wrote.
pub(crate) fn read_json<T: for<'de> Deserialize<'de>>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| Error::Usage(error.to_string()))
}
