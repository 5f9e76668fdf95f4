//! LoRA adapters (Hu et al., 2021): small GGUF files that adapt a model to some of its tasks.
//!
//! An adapter's file states its purpose: the task that it was trained on, the stages whose requests
//! it serves, and the base model's checksum. `training/` writes these; the file of another tool has
//! none of them, and its adapter serves every request.

use std::path::{Path, PathBuf};

use llama_cpp_2::gguf::GgufContext;

use super::file::{check_magic, checksum, logs_to_tracing, unread};
use crate::ModelError;

/// The code of texts among a GGUF file's types of values.
const GGUF_STRING: u32 = 8;

/// The metadata of an adapter's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adapter {
    /// The name of its file, without ending.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// SHA-256 of the file, in lower-case hexadecimal.
    pub sha256: String,
    /// The task that it was trained on: `compose`, `query`, `plan`.
    pub task: Option<String>,
    /// The stages whose requests it serves, each with its sub-stages (`plan` includes
    /// `plan.query`); empty: all stages.
    pub stages: Vec<String>,
    /// The languages of its examples, by their ISO 639 codes; empty: all.
    pub languages: Vec<String>,
    /// The architecture of its base, as llama.cpp names it.
    pub architecture: String,
    /// The name of its base.
    pub base: Option<String>,
    /// SHA-256 of its base's file.
    pub base_sha256: Option<String>,
}

impl Adapter {
    /// Reads a file's metadata. The weights are read when the model is loaded.
    ///
    /// # Errors
    /// [`ModelError::Io`], and [`ModelError::Damaged`] for a file that is not a LoRA adapter.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        check_magic(path)?;
        logs_to_tracing();
        let damaged = |reason: &str| ModelError::Damaged { path: path.to_owned(), reason: reason.to_owned() };
        let file = GgufContext::from_file(path).ok_or_else(|| damaged("its header cannot be read"))?;
        let text = |key: &str| {
            let index = file.find_key(key);
            // llama.cpp aborts the process on a value of another type.
            let is_text = index >= 0 && file.kv_type(index) == GGUF_STRING;
            is_text.then(|| file.val_str(index)).flatten().map(str::to_owned)
        };
        let kind = (text("general.type"), text("adapter.type"));
        if kind.0.as_deref() != Some("adapter") || kind.1.as_deref() != Some("lora") {
            return Err(damaged("this is not a LoRA adapter; name a model with --llm"));
        }
        let listed = |key: &str| -> Vec<String> {
            let listed = text(key).unwrap_or_default();
            listed.split(',').map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect()
        };
        Ok(Self {
            name: path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
            path: path.to_owned(),
            sha256: checksum(path).map_err(|error| unread(path, error))?,
            task: text("quipu.adapter.task"),
            stages: listed("quipu.adapter.stages"),
            languages: listed("quipu.adapter.languages"),
            architecture: text("general.architecture")
                .ok_or_else(|| damaged("its header names no architecture"))?,
            base: text("quipu.adapter.base"),
            base_sha256: text("quipu.adapter.base_sha256"),
        })
    }

    /// Whether it serves requests of this stage about a question in this language (an ISO 639 code;
    /// `None`: any).
    pub fn serves(&self, stage: &str, language: Option<&str>) -> bool {
        let knows = |language: &str| self.languages.iter().any(|own| own == language);
        if !self.languages.is_empty() && language.is_some_and(|language| !knows(language)) {
            return false;
        }
        let below = |own: &String| stage.strip_prefix(own.as_str()).is_some_and(|rest| rest.starts_with('.'));
        self.stages.is_empty() || self.stages.iter().any(|own| own == stage || below(own))
    }

    /// Refuses a base other than the one that it was trained on, if its file names that one.
    ///
    /// # Errors
    /// [`ModelError::Usage`] that names both.
    pub(crate) fn check_base(&self, name: &str, sha256: &str) -> Result<(), ModelError> {
        match &self.base_sha256 {
            Some(own) if own != sha256 => Err(ModelError::Usage(format!(
                "{}: this adapter was trained on {}, not on {name}",
                self.path.display(),
                self.base.as_deref().unwrap_or("another model"),
            ))),
            _ => Ok(()),
        }
    }

    /// Two adapters that serve the same requests, if there are any.
    pub(super) fn overlapping(adapters: &[Self]) -> Option<(&Self, &Self)> {
        let meet = |a: &Self, b: &Self| {
            let (left, right) =
                (a.stages.iter().any(|s| b.serves(s, None)), b.stages.iter().any(|s| a.serves(s, None)));
            a.stages.is_empty() || b.stages.is_empty() || left || right
        };
        let pairs = adapters.iter().enumerate();
        pairs
            .flat_map(|(at, first)| adapters.iter().skip(at + 1).map(move |second| (first, second)))
            .find(|(first, second)| meet(first, second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(name: &str, stages: &[&str]) -> Adapter {
        Adapter {
            name: name.into(),
            path: name.into(),
            sha256: String::new(),
            task: None,
            stages: stages.iter().map(|&stage| stage.into()).collect(),
            architecture: "qwen2".into(),
            languages: Vec::new(),
            base: Some("a".into()),
            base_sha256: Some("01".into()),
        }
    }

    #[test]
    fn an_adapter_serves_its_stages_and_what_stands_below_them() {
        let compose = adapter("compose", &["compose", "plan.query"]);
        for (stage, serves) in [
            ("compose", true),
            ("compose.cot", true),
            ("plan.query", true),
            ("composer", false),
            ("plan", false),
            ("plan.topic", false),
        ] {
            assert_eq!(compose.serves(stage, None), serves, "{stage}");
        }
        assert!(adapter("all", &[]).serves("plan.topic", None));
    }

    #[test]
    fn two_adapters_for_one_request_are_found() {
        let names = |adapters: &[Adapter]| {
            Adapter::overlapping(adapters).map(|(a, b)| (a.name.clone(), b.name.clone()))
        };
        let [plan, query, compose] =
            [adapter("a", &["plan"]), adapter("b", &["plan.query"]), adapter("c", &["compose"])];
        assert_eq!(names(&[query.clone(), compose.clone()]), None);
        assert_eq!(names(&[plan, compose.clone(), query]), Some(("a".into(), "b".into())));
        assert_eq!(names(&[compose, adapter("d", &[])]), Some(("c".into(), "d".into())));
    }

    #[test]
    fn another_base_is_refused_by_name() {
        let error = adapter("tuned.gguf", &[]).check_base("b", "02").unwrap_err().to_string();
        assert!(error.contains("trained on a, not on b"), "{error}");
        assert!(adapter("tuned.gguf", &[]).check_base("a", "01").is_ok());
    }

    #[test]
    fn a_file_that_is_no_adapter_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tuned.gguf");
        for content in [&b"<html>"[..], b"GGUF\x03\0\0\0broken"] {
            std::fs::write(&path, content).unwrap();
            assert!(matches!(Adapter::read(&path), Err(ModelError::Damaged { .. })));
        }
        assert!(matches!(Adapter::read(&folder.path().join("nowhere")), Err(ModelError::Io { .. })));
    }
}
