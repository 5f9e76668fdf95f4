//! The facts about a model in a recording, so that a replay needs neither the model nor its
//! tokenizer.
//!
//! ```text
//! FOLDER/model-KEY.json      name, version and abilities
//! FOLDER/model-KEY.counts    one line for each text whose tokens were counted: its hash, a tab, their number
//! ```
//! KEY is the start of the SHA-256 of the model's name.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{Abilities, ChatReply, ChatRequest, LanguageModel, ModelError, ScoreReply, ScoreRequest};

/// Hexadecimal digits of the keys; a recording has few models and texts.
const KEY_DIGITS: usize = 16;

fn key(text: &str) -> String {
    let mut key: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    key.truncate(KEY_DIGITS);
    key
}

fn path_of(folder: &Path, name: &str, extension: &str) -> PathBuf {
    folder.join(format!("model-{}.{extension}", key(name)))
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Facts {
    name: String,
    version: String,
    abilities: Abilities,
}

/// Writes the facts about a model for replays.
pub(crate) struct Record {
    folder: PathBuf,
    facts: Facts,
    counts: HashMap<String, usize>,
    kept: bool,
}

impl Record {
    pub(crate) fn new(folder: &Path, model: &dyn LanguageModel, version: &str) -> Self {
        let facts =
            Facts { name: model.name().into(), version: version.into(), abilities: model.abilities() };
        let counts = read_counts(&path_of(folder, &facts.name, "counts")).unwrap_or_default();
        Self { folder: folder.into(), facts, counts, kept: false }
    }

    /// Writes the model's facts, once.
    pub(crate) fn keep(&mut self) -> Result<(), ModelError> {
        if self.kept {
            return Ok(());
        }
        let path = path_of(&self.folder, &self.facts.name, "json");
        let cannot_write =
            |source| ModelError::Io { action: "cannot write", path: path.clone(), source: Arc::new(source) };
        fs::create_dir_all(&self.folder).map_err(cannot_write)?;
        let text = serde_json::to_string_pretty(&self.facts).map_err(|e| cannot_write(e.into()))?;
        fs::write(&path, text).map_err(cannot_write)?;
        self.kept = true;
        Ok(())
    }

    /// Records the number of tokens of a text. If that fails, a replay is less exact, but this run
    /// continues.
    pub(crate) fn count(&mut self, text: &str, tokens: usize) {
        let key = key(text);
        if self.counts.contains_key(&key) {
            return;
        }
        let path = path_of(&self.folder, &self.facts.name, "counts");
        let written = fs::create_dir_all(&self.folder)
            .and_then(|()| OpenOptions::new().create(true).append(true).open(&path))
            .and_then(|mut file| file.write_all(format!("{key}\t{tokens}\n").as_bytes()));
        if let Err(error) = written {
            tracing::warn!(path = %path.display(), %error, "a count of tokens was not recorded");
        }
        self.counts.insert(key, tokens);
    }
}

/// Reads only complete lines, because the last one may be truncated.
fn read_counts(path: &Path) -> std::io::Result<HashMap<String, usize>> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        text => text?,
    };
    let whole = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    Ok(whole
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(key, tokens)| Some((key.to_owned(), tokens.parse().ok()?)))
        .collect())
}

/// A model known only from a recording: it has a name, abilities and counts, and cannot answer by
/// itself.
pub struct RecordedModel {
    facts: Facts,
    counts: HashMap<String, usize>,
}

impl RecordedModel {
    /// Reads the facts in `folder` about the model called `name`.
    ///
    /// # Errors
    /// [`ModelError::Usage`] without such facts, [`ModelError::Damaged`] if they cannot be read.
    pub fn open(name: &str, folder: &Path) -> Result<Self, ModelError> {
        let path = path_of(folder, name, "json");
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let message = format!("{} holds no recording of {name}", folder.display());
                return Err(ModelError::Usage(message));
            }
            Err(source) => {
                return Err(ModelError::Io { action: "cannot read", path, source: Arc::new(source) });
            }
        };
        let facts = serde_json::from_str(&text)
            .map_err(|error| ModelError::Damaged { path, reason: error.to_string() })?;
        let path = path_of(folder, name, "counts");
        let counts = read_counts(&path).map_err(|source| ModelError::Io {
            action: "cannot read",
            path,
            source: Arc::new(source),
        })?;
        Ok(Self { facts, counts })
    }

    /// The version, which distinguishes models of this name.
    pub fn version(&self) -> &str {
        &self.facts.version
    }

    fn nothing(&self, stage: &str) -> ModelError {
        ModelError::Usage(format!("{} is a recording and cannot be asked (stage {stage})", self.facts.name))
    }
}

#[async_trait::async_trait]
impl LanguageModel for RecordedModel {
    fn name(&self) -> &str {
        &self.facts.name
    }

    fn abilities(&self) -> Abilities {
        self.facts.abilities
    }

    /// The recorded count; one token for each four bytes of an unrecorded text.
    fn count_tokens(&self, text: &str) -> usize {
        self.counts.get(&key(text)).copied().unwrap_or(text.len().div_ceil(4))
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        Err(self.nothing(&request.stage))
    }

    async fn score(&self, request: &ScoreRequest) -> Result<ScoreReply, ModelError> {
        Err(self.nothing(&request.stage))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{CacheMode, CachedModel, Message, ScriptedModel};

    fn request(text: &str) -> ChatRequest {
        ChatRequest::new("stage", vec![Message::user(text)])
    }

    #[tokio::test]
    async fn a_replay_needs_no_model() {
        let folder = tempfile::tempdir().unwrap();
        let abilities = Abilities { grammar: true, context_tokens: 777, ..Abilities::default() };
        let model =
            ScriptedModel::new().with_name("openai:m/1").with_abilities(abilities).on("stage", "Lima");
        let recording = CachedModel::new(Arc::new(model), "v1", folder.path(), CacheMode::ReadWrite);
        let first = recording.chat(&request("capital?")).await.unwrap();
        let replay = CachedModel::replay("openai:m/1", folder.path()).unwrap();
        assert_eq!(replay.chat(&request("capital?")).await.unwrap().text, first.text);
        assert_eq!((replay.name(), replay.abilities()), ("openai:m/1", abilities));
        let unknown = replay.chat(&request("river?")).await.unwrap_err().to_string();
        assert!(unknown.contains("holds no reply"), "{unknown}");
        let missing = CachedModel::replay("another", folder.path()).err().unwrap().to_string();
        assert!(missing.contains("no recording of another"), "{missing}");
    }

    #[test]
    fn tokens_are_counted_as_they_were() {
        struct Words;
        #[async_trait::async_trait]
        impl LanguageModel for Words {
            fn name(&self) -> &str {
                "words"
            }
            fn abilities(&self) -> Abilities {
                Abilities::default()
            }
            fn count_tokens(&self, text: &str) -> usize {
                text.split(' ').count()
            }
            async fn chat(&self, _: &ChatRequest) -> Result<ChatReply, ModelError> {
                Err(ModelError::Cancelled)
            }
            async fn score(&self, _: &ScoreRequest) -> Result<ScoreReply, ModelError> {
                Err(ModelError::Cancelled)
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let mut record = Record::new(folder.path(), &Words, "1");
        record.keep().unwrap();
        record.count("one two three", 3);
        record.count("one two three", 3);
        let counts = path_of(folder.path(), "words", "counts");
        let mut file = OpenOptions::new().append(true).open(&counts).unwrap();
        write!(file, "0123456789abcdef\t9").unwrap();
        let replay = RecordedModel::open("words", folder.path()).unwrap();
        assert_eq!(replay.count_tokens("one two three"), 3);
        assert_eq!(replay.counts.len(), 1, "the line that was cut off does not count");
        assert_eq!(replay.count_tokens("12345678"), 2);
    }
}
