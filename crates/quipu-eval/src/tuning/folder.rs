//! The folder of training examples.
//!
//! ```text
//! DIR/
//!   train.jsonl         one example a line: {"messages": [...], "task": "compose", "stage": "compose", "kind": "accepted", ...}
//!   validation.jsonl    the same; the examples of a tenth of the questions
//!   card.json           the origin and content of the examples (see DataCard)
//!   README.md           the same for people
//! ```

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::card::{DATA_CARD_FORMAT, DataCard, SourceCard};
use super::examples::{ExampleKind, TuneExample};
use super::task::TuneTask;
use crate::EvalError;
use crate::formats::sha256_of;

const CARD: &str = "card.json";
const TRAIN: &str = "train.jsonl";
const VALIDATION: &str = "validation.jsonl";
/// One in this many questions is used for validation.
const VALIDATED: usize = 10;

/// A folder of examples, which may be extended by those of another graph.
#[derive(Debug)]
pub struct TuneFolder {
    path: PathBuf,
    task: TuneTask,
    sources: Vec<SourceCard>,
    examples: Vec<TuneExample>,
}

impl TuneFolder {
    /// Opens a new folder or, with `add`, one with examples of the same task.
    ///
    /// # Errors
    /// [`EvalError::Usage`] if the folder has content without `add`, or has examples of another
    /// task or of other prompts; [`EvalError::Io`], [`EvalError::Malformed`].
    pub fn open(
        path: &Path,
        task: TuneTask,
        prompts: &BTreeMap<String, String>,
        add: bool,
    ) -> Result<Self, EvalError> {
        let new = Self { path: path.to_owned(), task, sources: Vec::new(), examples: Vec::new() };
        let wrong = |reason: String| EvalError::Usage(format!("{}: {reason}", path.display()));
        let card = match fs::read(path.join(CARD)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(new),
            Err(error) => return Err(EvalError::io("cannot read", &path.join(CARD))(error)),
        };
        if !add {
            return Err(wrong("there are examples already; name another folder, or --add to these".into()));
        }
        let card: DataCard = serde_json::from_slice(&card)
            .map_err(|error| EvalError::malformed(&path.join(CARD), error.line(), error.to_string()))?;
        if card.format != DATA_CARD_FORMAT {
            return Err(wrong(format!("its format is {}, not {DATA_CARD_FORMAT}", card.format)));
        }
        if card.task != task {
            return Err(wrong(format!("its examples are of the task {}", card.task.name())));
        }
        let other =
            prompts.iter().find(|(name, hash)| card.prompts.get(*name).is_some_and(|own| own != *hash));
        if let Some((name, _)) = other {
            return Err(wrong(format!(
                "its examples are of another version of the prompt {name}; export them anew"
            )));
        }
        let mut examples: Vec<TuneExample> = read_lines(&path.join(TRAIN))?;
        examples.extend(read_lines(&path.join(VALIDATION))?);
        Ok(Self { sources: card.sources, examples, ..new })
    }

    /// Adds the examples of one source and writes the folder; returns the card.
    ///
    /// # Errors
    /// [`EvalError::Usage`] without a single right example: nothing is written then.
    /// [`EvalError::Io`].
    pub fn add(
        mut self,
        source: SourceCard,
        examples: Vec<TuneExample>,
        prompts: BTreeMap<String, String>,
    ) -> Result<DataCard, EvalError> {
        if !examples.iter().any(|example| example.kind != ExampleKind::Refusal) {
            let counts = &source.counts;
            return Err(EvalError::Usage(format!(
                "{}: there is no right answer to learn from ({} questions asked, {} left out); try another model (--llm), more \
                 --samples, or another --method",
                source.name,
                counts.asked,
                counts.leaking.all()
            )));
        }
        self.sources.push(source);
        self.examples.extend(examples);
        let mut seen = HashSet::new();
        self.examples
            .retain(|example| seen.insert(serde_json::to_string(&example.messages).unwrap_or_default()));
        let (train, validation) = split(self.examples);
        let card = DataCard::new(self.task, self.sources, prompts, &train, &validation);
        fs::create_dir_all(&self.path).map_err(EvalError::io("cannot make", &self.path))?;
        write_lines(&self.path.join(TRAIN), &train)?;
        write_lines(&self.path.join(VALIDATION), &validation)?;
        write(&self.path.join("README.md"), card.to_markdown())?;
        let json = serde_json::to_string_pretty(&card).map_err(std::io::Error::from);
        write(&self.path.join(CARD), json.map_err(EvalError::io("cannot write", &self.path))?)?;
        Ok(card)
    }
}

/// Whole questions are used for validation, so that no question is trained in one form and
/// validated in another.
fn split(examples: Vec<TuneExample>) -> (Vec<TuneExample>, Vec<TuneExample>) {
    let key =
        |example: &TuneExample| sha256_of(format!("{}\n{}", example.source, example.question).as_bytes());
    let mut keys: Vec<String> = examples.iter().map(key).collect();
    keys.sort_unstable();
    keys.dedup();
    // A single question is used for training.
    let validated = if keys.len() < 2 { 0 } else { keys.len().div_ceil(VALIDATED) };
    let validated: HashSet<String> = keys.into_iter().take(validated).collect();
    examples.into_iter().partition(|example| !validated.contains(&key(example)))
}

fn read_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, EvalError> {
    let text = fs::read_to_string(path).map_err(EvalError::io("cannot read", path))?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            serde_json::from_str(line).map_err(|error| EvalError::malformed(path, number, error.to_string()))
        })
        .collect()
}

fn write_lines(path: &Path, examples: &[TuneExample]) -> Result<(), EvalError> {
    let mut text = String::new();
    for example in examples {
        let line = serde_json::to_string(example).map_err(std::io::Error::from);
        text.push_str(&line.map_err(EvalError::io("cannot write", path))?);
        text.push('\n');
    }
    write(path, text)
}

fn write(path: &Path, text: String) -> Result<(), EvalError> {
    fs::write(path, text).map_err(EvalError::io("cannot write", path))
}
