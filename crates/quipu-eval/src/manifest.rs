//! The manifest of a results folder: everything that determines the scores, and the software that
//! produced them.

use std::collections::BTreeMap;

use quipu_answer::prompt_templates;
use quipu_index::Workspace;
use serde::{Deserialize, Serialize};

use crate::formats::sha256_of;
use crate::judge::{Agreement, prompt_template};
use crate::learnt::LearntFiles;

const SELECTION: &str = "selection";

/// Prefix of a method's name in the settings, for its whole configuration.
pub const PARAMETERS_OF: &str = "parameters of ";

/// Changes with the format of manifest and rows.
pub const RESULTS_FORMAT: u32 = 1;

/// The manifest of a results folder: `manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`RESULTS_FORMAT`].
    pub format: u32,
    /// Version of Quipu.
    pub quipu: String,
    /// When the run began, RFC 3339.
    pub began: String,
    /// The command line of the run.
    pub command: Vec<String>,
    /// The workspace.
    pub workspace: WorkspaceFacts,
    /// The additional workspaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<WorkspaceFacts>,
    /// The question files.
    pub datasets: Vec<DatasetFacts>,
    /// The selection of their questions.
    pub selection: Selection,
    /// Methods, in the order of the tables.
    pub methods: Vec<String>,
    /// Language models.
    pub llms: Vec<LlmFacts>,
    /// The embedder; empty without one.
    pub embedder: String,
    /// `open`: the question alone. `gold`: the gold anchors were given, which makes scores
    /// incomparable with the open setting.
    pub anchors: AnchorSetting,
    /// Settings that differ from the defaults, as `key=value`.
    pub settings: BTreeMap<String, String>,
    /// Prompts and the SHA-256 of their templates.
    pub prompts: BTreeMap<String, String>,
    /// The judge's model; `none`: rules, and the lenient match for undecided cases.
    pub judge: String,
    /// The judge's agreement with the labelled cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_agreement: Option<Agreement>,
    /// Seed of samples and bootstraps.
    pub seed: u64,
    /// Questions asked in parallel.
    pub parallel: usize,
    /// Gold answers that the graph lacks.
    #[serde(default)]
    pub unknown_gold: usize,
}

/// The properties of a workspace that results depend on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WorkspaceFacts {
    /// Name of its graph.
    pub name: String,
    /// Its generation.
    pub generation: String,
    /// Triples.
    pub triples: u64,
    /// Entities.
    pub entities: u64,
    /// Relations.
    pub relations: u64,
    /// Bytes of the graph's files.
    pub graph_bytes: u64,
    /// SHA-256 of the learnt files about it at the start of the run (relation cards, words); empty
    /// without any.
    pub learnt: String,
}

/// A question file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetFacts {
    /// Name of the file.
    pub file: String,
    /// Its format.
    pub format: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// Its questions.
    pub questions: usize,
}

/// The selection of questions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Selection {
    /// Most questions of each file.
    pub limit: Option<usize>,
    /// Seed of the sample; `None`: the first questions.
    pub sample: Option<u64>,
    /// SHA-256 of a split's ids, one a line, if only those are taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    /// Number of selected questions.
    pub questions: usize,
    /// SHA-256 of their ids, one a line.
    pub ids: String,
}

impl Selection {
    /// Whether it takes all questions of `other` from the same files, and more: the same sample or
    /// split with a higher limit.
    pub fn extends(&self, other: &Self) -> bool {
        let higher = match (self.limit, other.limit) {
            (None, Some(_)) => true,
            (Some(ours), Some(theirs)) => ours > theirs,
            (_, None) => false,
        };
        higher && self.sample == other.sample && self.split == other.split
    }
}

/// A language model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmFacts {
    /// Its name.
    pub name: String,
    /// SHA-256 of its file, or the endpoint's URL.
    pub version: String,
}

/// The source of the anchors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AnchorSetting {
    /// From the question alone.
    #[default]
    Open,
    /// From the question file: the gold-entity setting.
    Gold,
}

impl AnchorSetting {
    /// Its label in tables.
    pub fn label(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Gold => "gold entities given",
        }
    }
}

impl WorkspaceFacts {
    /// Reads the properties of a workspace.
    pub fn of(workspace: &Workspace, learnt: &LearntFiles) -> Self {
        let info = workspace.info();
        Self {
            name: info.graph.name,
            generation: info.generation,
            triples: info.graph.triples,
            entities: info.graph.entities,
            relations: info.graph.relations,
            graph_bytes: info.graph_bytes,
            learnt: learnt.sha256(),
        }
    }
}

/// All prompts with the SHA-256 of their templates.
pub fn prompt_hashes() -> BTreeMap<String, String> {
    prompt_templates()
        .chain([prompt_template()])
        .map(|(name, template)| (name.to_owned(), sha256_of(template.as_bytes())))
        .collect()
}

impl Manifest {
    /// The properties that must be equal for two manifests of one run, by name. Start time, command
    /// line and parallelism are excluded; so are the learnt files, which the run itself extends.
    fn identity(&self) -> BTreeMap<&'static str, String> {
        let json = |value: &dyn erased::Json| value.json();
        let unlearnt = |facts: &WorkspaceFacts| WorkspaceFacts { learnt: String::new(), ..facts.clone() };
        let workspace = unlearnt(&self.workspace);
        let sources: Vec<WorkspaceFacts> = self.sources.iter().map(unlearnt).collect();
        BTreeMap::from([
            ("results format", self.format.to_string()),
            ("version of Quipu", self.quipu.clone()),
            ("workspace", json(&workspace)),
            ("other sources", json(&sources)),
            ("question files", json(&self.datasets)),
            (SELECTION, json(&self.selection)),
            ("methods", self.methods.join(",")),
            ("language models", json(&self.llms)),
            ("embedder", self.embedder.clone()),
            ("anchors", self.anchors.label().to_owned()),
            ("settings", json(&self.settings)),
            ("prompts", json(&self.prompts)),
            ("judge", self.judge.clone()),
            ("seed", self.seed.to_string()),
        ])
    }

    /// Whether it is the run of `before` over more questions of the same files, which continues
    /// with the existing results.
    pub fn extends(&self, before: &Self) -> bool {
        let differences = self.differences(before);
        let only_selection = matches!(differences.as_slice(), [(name, _, _)] if *name == SELECTION);
        only_selection && self.selection.extends(&before.selection)
    }

    /// The differences to `other`: name, own value, other value.
    pub fn differences(&self, other: &Self) -> Vec<(&'static str, String, String)> {
        let theirs = other.identity();
        self.identity()
            .into_iter()
            .filter_map(|(name, ours)| {
                let theirs = theirs.get(name).cloned().unwrap_or_default();
                (ours != theirs).then_some((name, ours, theirs))
            })
            .collect()
    }
}

mod erased {
    /// Anything that can be compared as JSON.
    pub(super) trait Json {
        fn json(&self) -> String;
    }

    impl<T: serde::Serialize> Json for T {
        fn json(&self) -> String {
            serde_json::to_string(self).unwrap_or_default()
        }
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    pub(crate) fn manifest() -> Manifest {
        Manifest {
            format: RESULTS_FORMAT,
            quipu: "0.1.0".into(),
            began: "2026-01-01T00:00:00Z".into(),
            command: vec!["quipu".into(), "eval".into()],
            workspace: WorkspaceFacts { name: "places".into(), triples: 9, ..WorkspaceFacts::default() },
            sources: Vec::new(),
            datasets: vec![DatasetFacts {
                file: "q.jsonl".into(),
                format: "quipu".into(),
                sha256: "ab".into(),
                questions: 3,
            }],
            selection: Selection { questions: 3, ids: "cd".into(), ..Selection::default() },
            methods: vec!["paths".into()],
            llms: vec![LlmFacts { name: "none".into(), version: String::new() }],
            embedder: String::new(),
            anchors: AnchorSetting::Open,
            settings: BTreeMap::new(),
            prompts: prompt_hashes(),
            judge: "none".into(),
            judge_agreement: None,
            seed: 0,
            parallel: 1,
            unknown_gold: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::samples::manifest;
    use super::*;

    #[test]
    fn differences_are_named() {
        let one = manifest();
        let later = Manifest { began: "later".into(), parallel: 4, command: Vec::new(), ..one.clone() };
        assert_eq!(one.differences(&later), []);
        let mut other = one.clone();
        other.anchors = AnchorSetting::Gold;
        other.sources = vec![WorkspaceFacts { name: "more".into(), ..WorkspaceFacts::default() }];
        other.seed = 7;
        let names: Vec<&str> = one.differences(&other).iter().map(|(name, _, _)| *name).collect();
        assert_eq!(names, ["anchors", "other sources", "seed"]);
    }

    #[test]
    fn a_run_extends_to_more_questions_of_the_same_sample_only() {
        let with = |limit, sample, split: Option<&str>| {
            let split = split.map(str::to_owned);
            Manifest { selection: Selection { limit, sample, split, ..Selection::default() }, ..manifest() }
        };
        let ten = with(Some(10), None, None);
        assert!(with(Some(20), None, None).extends(&ten));
        assert!(with(None, None, None).extends(&ten));
        assert!(!with(Some(5), None, None).extends(&ten));
        assert!(!ten.extends(&with(None, None, None)));
        assert!(!ten.extends(&ten));
        assert!(!with(Some(20), Some(7), None).extends(&ten));
        assert!(!with(Some(20), None, Some("ab")).extends(&ten));
        let other = Manifest { seed: 1, ..with(Some(20), None, None) };
        assert!(!other.extends(&ten));
    }

    #[test]
    fn every_prompt_has_a_hash() {
        let prompts = prompt_hashes();
        assert!(prompts.contains_key("judge") && prompts.contains_key("kerag_plan"), "{prompts:?}");
        assert!(prompts.values().all(|hash| hash.len() == 64));
    }
}
