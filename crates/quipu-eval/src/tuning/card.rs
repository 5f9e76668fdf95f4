//! The data card of a folder of training examples.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::examples::{ExampleKind, TuneExample};
use super::export::TuneCounts;
use super::task::TuneTask;
use crate::manifest::{DatasetFacts, LlmFacts, WorkspaceFacts};

/// The format of `card.json`.
pub const DATA_CARD_FORMAT: u32 = 1;

/// `card.json`: the origin and content of the examples, and the evaluation questions that they
/// avoid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataCard {
    /// [`DATA_CARD_FORMAT`].
    pub format: u32,
    /// The task.
    pub task: TuneTask,
    /// The stages that a model tuned on them serves.
    pub stages: Vec<String>,
    /// Their sources, one for each run of the export.
    pub sources: Vec<SourceCard>,
    /// SHA-256 of the prompt templates: a model tuned on others reads other prompts.
    pub prompts: BTreeMap<String, String>,
    /// Number of examples.
    pub examples: SplitCounts,
    /// By the source of the last message.
    pub by_kind: BTreeMap<String, usize>,
    /// By kind of question, from the files.
    pub by_question_kind: BTreeMap<String, usize>,
    /// By hops, from the files.
    pub by_hops: BTreeMap<String, usize>,
    /// By the operation.
    pub by_operation: BTreeMap<String, usize>,
    /// By file of questions.
    pub by_source: BTreeMap<String, usize>,
    /// The licence of graph and questions, as stated by the exporter.
    pub licence: String,
}

/// Examples for training and for validation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SplitCounts {
    /// In `train.jsonl`.
    pub train: usize,
    /// In `validation.jsonl`: other questions.
    pub validation: usize,
}

/// One run of the export.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceCard {
    /// The name of questions and graph.
    pub name: String,
    /// The graph.
    pub workspace: WorkspaceFacts,
    /// The question files.
    pub questions: Vec<DatasetFacts>,
    /// The model that wrote the examples.
    pub teacher: LlmFacts,
    /// The method that called it.
    pub method: String,
    /// Most runs of one question, the temperature of all but the first, and the refusals for each
    /// hundred right examples.
    pub samples: u32,
    /// See `samples`.
    pub temperature: f32,
    /// See `samples`.
    pub refusals: usize,
    /// The outcomes of the questions.
    pub counts: TuneCounts,
    /// The evaluation files that no example may resemble.
    pub held_out: Vec<DatasetFacts>,
    /// The licence of graph and questions.
    pub licence: String,
}

impl DataCard {
    pub(super) fn new(
        task: TuneTask,
        sources: Vec<SourceCard>,
        prompts: BTreeMap<String, String>,
        train: &[TuneExample],
        validation: &[TuneExample],
    ) -> Self {
        let mut licences: Vec<&str> = sources.iter().map(|source| source.licence.as_str()).collect();
        licences.sort_unstable();
        licences.dedup();
        let all = || train.iter().chain(validation);
        Self {
            format: DATA_CARD_FORMAT,
            task,
            stages: task.stages().iter().map(|&stage| stage.to_owned()).collect(),
            prompts,
            examples: SplitCounts { train: train.len(), validation: validation.len() },
            by_kind: counted(all().map(|example| kind_name(example.kind).to_owned())),
            by_question_kind: counted(all().map(|example| said(example.question_kind.clone()))),
            by_hops: counted(all().map(|example| said(example.hops.map(|hops| hops.to_string())))),
            by_operation: counted(all().map(|example| example.operation.clone())),
            by_source: counted(all().map(|example| example.source.clone())),
            licence: licences.join("; "),
            sources,
        }
    }

    /// The card for people.
    pub fn to_markdown(&self) -> String {
        let mut text = format!(
            "# Training examples for the task {}\n\n{} for learning, {} for validation. Licence: {}.\n\n\
             A model tuned on them serves the stages {}.\n",
            self.task.name(),
            self.examples.train,
            self.examples.validation,
            self.licence,
            self.stages.join(", ")
        );
        let groups = [
            ("origin of the reply", &self.by_kind),
            ("kind of question", &self.by_question_kind),
            ("hops", &self.by_hops),
            ("operation", &self.by_operation),
            ("source", &self.by_source),
        ];
        for (title, group) in groups {
            let _ = write!(text, "\n| {title} | examples |\n|---|---|\n");
            for (name, count) in group {
                let _ = writeln!(text, "| {} | {count} |", name.replace('|', "\\|"));
            }
        }
        text.push_str(
            "\n| source | teacher | method | written | asked | right at first | right later | never right | not asked | left out |\n\
             |---|---|---|---|---|---|---|---|---|---|\n",
        );
        for source in &self.sources {
            let TuneCounts { asked, right_at_first, right_later, never_right, written, unasked, leaking } =
                source.counts;
            let (name, teacher, method) = (&source.name, &source.teacher.name, &source.method);
            let _ = writeln!(
                text,
                "| {name} | {teacher} | {method} | {written} | {asked} | {right_at_first} | {right_later} | {never_right} | {unasked} | {} |",
                leaking.all()
            );
        }
        text.push_str(
            "\nLeft out: questions that an evaluation file repeats, or that share most words or an entity \
             with one of its questions.\n",
        );
        text
    }
}

fn kind_name(kind: ExampleKind) -> &'static str {
    match kind {
        ExampleKind::Accepted => "accepted",
        ExampleKind::Gold => "gold",
        ExampleKind::Refusal => "refusal",
    }
}

fn said(value: Option<String>) -> String {
    value.unwrap_or_else(|| "not said".to_owned())
}

fn counted(names: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts
}
