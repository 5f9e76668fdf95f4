//! Replies kept on disk by request, so that an evaluation resumes and a run replays without a
//! model.
//!
//! An entry is a JSON file `xx/KEY.json`. KEY is the SHA-256 of everything that determines the
//! reply: model and file, messages, constraint, limits, temperature, seed and stop texts. The entry
//! holds the request beside the reply, so that people can read a recording and a renamed entry is
//! detected. The folder also holds the facts about the model that a replay needs (see
//! [`crate::RecordedModel`]).

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::recorded::{Record, RecordedModel};
use crate::{Abilities, ChatReply, ChatRequest, LanguageModel, ModelError, ScoreReply, ScoreRequest, Usage};

/// Changes with the format of the entries.
const FORMAT: u32 = 1;

/// The permitted uses of a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheMode {
    /// Nothing.
    #[default]
    Off,
    /// Answer known requests, ask the model for the rest and keep its replies.
    ReadWrite,
    /// Answer known requests; any other request is an error, and the model is never asked.
    ReplayOnly,
}

/// A language model whose replies are kept on disk.
pub struct CachedModel {
    inner: Arc<dyn LanguageModel>,
    identity: String,
    folder: PathBuf,
    mode: CacheMode,
    /// The facts about the model; `None` if nothing is written.
    record: Option<Mutex<Record>>,
}

impl CachedModel {
    /// Puts a cache in front of a model. `version` distinguishes models of one name: the checksum
    /// of a local model's file.
    pub fn new(
        inner: Arc<dyn LanguageModel>,
        version: &str,
        folder: impl Into<PathBuf>,
        mode: CacheMode,
    ) -> Self {
        let identity = format!("{}@{version}", inner.name());
        let folder = folder.into();
        let writes = mode == CacheMode::ReadWrite;
        let record = writes.then(|| Mutex::new(Record::new(&folder, &*inner, version)));
        Self { inner, identity, folder, mode, record }
    }

    /// Replays the recording of the model called `name`. The model itself need not be on this
    /// machine.
    ///
    /// # Errors
    /// [`ModelError::Usage`] if `folder` has no recording of it.
    pub fn replay(name: &str, folder: impl Into<PathBuf>) -> Result<Self, ModelError> {
        let folder = folder.into();
        let model = RecordedModel::open(name, &folder)?;
        let version = model.version().to_owned();
        Ok(Self::new(Arc::new(model), &version, folder, CacheMode::ReplayOnly))
    }

    fn entry_path(&self, question: &Value) -> PathBuf {
        let key: String =
            Sha256::digest(question.to_string()).iter().map(|byte| format!("{byte:02x}")).collect();
        self.folder.join(key.get(..2).unwrap_or_default()).join(format!("{key}.json"))
    }

    /// The kept reply to a request.
    fn read<T: serde::de::DeserializeOwned>(&self, question: &Value) -> Result<Option<T>, ModelError> {
        let path = self.entry_path(question);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                return Err(ModelError::Io { action: "cannot read", path, source: Arc::new(source) });
            }
        };
        let entry: Result<Entry<T>, _> = serde_json::from_str(&text);
        match entry {
            Ok(entry) if entry.question == *question => Ok(Some(entry.reply)),
            Ok(_) => Err(damaged(path, "it holds the reply to another request")),
            Err(error) => Err(damaged(path, &error.to_string())),
        }
    }

    fn write<T: Serialize>(&self, question: &Value, reply: &T) -> Result<(), ModelError> {
        if let Some(record) = &self.record {
            record.lock().keep()?;
        }
        let path = self.entry_path(question);
        let folder = path.parent().unwrap_or(Path::new("."));
        let cannot_write =
            |source| ModelError::Io { action: "cannot write", path: path.clone(), source: Arc::new(source) };
        std::fs::create_dir_all(folder).map_err(cannot_write)?;
        let file = tempfile::NamedTempFile::new_in(folder).map_err(cannot_write)?;
        serde_json::to_writer_pretty(&file, &Entry { question: question.clone(), reply })
            .map_err(|error| cannot_write(error.into()))?;
        file.persist(&path).map_err(|error| cannot_write(error.error))?;
        Ok(())
    }

    fn missing(&self, stage: &str, question: &Value) -> ModelError {
        ModelError::Usage(format!(
            "the recording holds no reply of {} to this request of stage {stage}: {}",
            self.inner.name(),
            self.entry_path(question).display()
        ))
    }
}

/// A file of the cache.
#[derive(Serialize, Deserialize)]
struct Entry<T> {
    question: Value,
    reply: T,
}

fn damaged(path: PathBuf, reason: &str) -> ModelError {
    ModelError::Damaged { path, reason: format!("{reason}; remove the file to ask again") }
}

/// A cached reply reports its original tokens, but no call and only the time to read it.
fn replayed(usage: Usage, started: Instant) -> Usage {
    Usage {
        llm_calls: 0,
        cached_calls: usage.llm_calls + usage.cached_calls,
        seconds: started.elapsed().as_secs_f64(),
        ..usage
    }
}

#[async_trait::async_trait]
impl LanguageModel for CachedModel {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn abilities(&self) -> Abilities {
        self.inner.abilities()
    }

    fn count_tokens(&self, text: &str) -> usize {
        let tokens = self.inner.count_tokens(text);
        if let Some(record) = &self.record {
            record.lock().count(text, tokens);
        }
        tokens
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        if self.mode == CacheMode::Off {
            return self.inner.chat(request).await;
        }
        let started = Instant::now();
        let mut question = json!({
            "format": FORMAT, "model": self.identity, "kind": "chat",
            "messages": request.messages, "constraint": request.constraint, "max_tokens": request.max_tokens,
            "temperature": f64::from(request.temperature), "stop": request.stop,
            // A greedy reply does not depend on the seed.
            "seed": if request.temperature > 0.0 { request.seed } else { 0 },
        });
        if let Some(question) = question.as_object_mut() {
            // Requests without these keep the entries of earlier versions.
            if request.likelihood {
                question.insert("likelihood".into(), true.into());
            }
            if let Some(alternatives) = &request.alternatives {
                question.insert("alternatives".into(), json!(alternatives));
            }
            // English keeps the entries of earlier versions too.
            if let Some(language) = request.language.as_ref().filter(|language| *language != "en") {
                question.insert("language".into(), language.as_str().into());
            }
        }
        if let Some(mut reply) = self.read::<ChatReply>(&question)? {
            reply.usage = replayed(reply.usage, started);
            return Ok(reply);
        }
        if self.mode == CacheMode::ReplayOnly {
            return Err(self.missing(&request.stage, &question));
        }
        let reply = self.inner.chat(request).await?;
        self.write(&question, &reply)?;
        Ok(reply)
    }

    async fn score(&self, request: &ScoreRequest) -> Result<ScoreReply, ModelError> {
        if self.mode == CacheMode::Off {
            return self.inner.score(request).await;
        }
        let started = Instant::now();
        let question = json!({
            "format": FORMAT, "model": self.identity, "kind": "score",
            "messages": request.messages, "continuations": request.continuations,
        });
        if let Some(mut reply) = self.read::<ScoreReply>(&question)? {
            reply.usage = replayed(reply.usage, started);
            return Ok(reply);
        }
        if self.mode == CacheMode::ReplayOnly {
            return Err(self.missing(&request.stage, &question));
        }
        let reply = self.inner.score(request).await?;
        self.write(&question, &reply)?;
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Message, ScriptedModel};

    fn cached(model: ScriptedModel, folder: &Path, mode: CacheMode) -> (Arc<ScriptedModel>, CachedModel) {
        let model = Arc::new(model);
        let inner: Arc<dyn LanguageModel> = model.clone();
        (model, CachedModel::new(inner, "1", folder, mode))
    }

    fn request(text: &str) -> ChatRequest {
        ChatRequest::new("stage", vec![Message::user(text)])
    }

    #[tokio::test]
    async fn the_second_time_costs_no_call() {
        let folder = tempfile::tempdir().unwrap();
        let (model, cache) =
            cached(ScriptedModel::new().on("stage", "Lima"), folder.path(), CacheMode::ReadWrite);
        let first = cache.chat(&request("capital?")).await.unwrap();
        let mut again = request("capital?");
        (again.seed, again.timeout) = (7, std::time::Duration::from_secs(1));
        let second = cache.chat(&again).await.unwrap();
        assert_eq!(second.text, "Lima");
        assert_eq!((second.usage.llm_calls, second.usage.cached_calls), (0, 1));
        assert_eq!(second.usage.prompt_tokens, first.usage.prompt_tokens);
        assert_eq!(model.calls(), 1);
    }

    #[tokio::test]
    async fn what_decides_the_reply_decides_the_entry() {
        let folder = tempfile::tempdir().unwrap();
        let script = ScriptedModel::new().when(|request| Some(request.max_tokens.to_string().into()));
        let (model, cache) = cached(script, folder.path(), CacheMode::ReadWrite);
        let plain = request("a");
        let mut warm = plain.clone();
        warm.temperature = 0.5;
        let mut other_seed = warm.clone();
        other_seed.seed = 1;
        let mut stopped = plain.clone();
        stopped.stop = vec!["\n".into()];
        let constrained = plain.clone().with_constraint(crate::Constraint::Choice(vec!["x".into()]));
        for request in
            [&plain, &plain.clone().with_max_tokens(9), &warm, &other_seed, &stopped, &constrained, &plain]
        {
            cache.chat(request).await.unwrap();
        }
        assert_eq!(model.calls(), 6);
    }

    #[tokio::test]
    async fn a_replay_never_asks_the_model() {
        let folder = tempfile::tempdir().unwrap();
        let (_, cache) =
            cached(ScriptedModel::new().on("stage", "Lima"), folder.path(), CacheMode::ReadWrite);
        cache.chat(&request("capital?")).await.unwrap();
        let (model, replay) =
            cached(ScriptedModel::new().on("stage", "?"), folder.path(), CacheMode::ReplayOnly);
        assert_eq!(replay.chat(&request("capital?")).await.unwrap().text, "Lima");
        let error = replay.chat(&request("river?")).await.unwrap_err().to_string();
        assert!(error.contains("stage stage"), "{error}");
        assert_eq!(model.calls(), 0);
    }

    #[tokio::test]
    async fn failures_are_not_kept_and_damage_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let script = ScriptedModel::new().on("stage", ModelError::Cancelled).on("stage", "Lima");
        let (model, cache) = cached(script, folder.path(), CacheMode::ReadWrite);
        cache.chat(&request("capital?")).await.unwrap_err();
        cache.chat(&request("capital?")).await.unwrap();
        assert_eq!(model.calls(), 2);
        let mut entries = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let shelf = entries.find(|path| path.is_dir()).unwrap();
        let entry = std::fs::read_dir(shelf).unwrap().next().unwrap().unwrap().path();
        std::fs::write(&entry, "{").unwrap();
        let error = cache.chat(&request("capital?")).await.unwrap_err();
        assert!(matches!(error, ModelError::Damaged { path, .. } if path == entry));
    }

    #[tokio::test]
    async fn scores_are_kept_too() {
        let folder = tempfile::tempdir().unwrap();
        let script = ScriptedModel::new().when_scoring(|_| Some(vec![-1.5]));
        let (model, cache) = cached(script, folder.path(), CacheMode::ReadWrite);
        let request = ScoreRequest {
            stage: "rank".into(),
            messages: vec![Message::user("q")],
            continuations: vec!["a".into()],
            timeout: std::time::Duration::from_secs(9),
        };
        assert_eq!(cache.score(&request).await.unwrap().scores, cache.score(&request).await.unwrap().scores);
        assert_eq!(model.calls(), 1);
    }
}
