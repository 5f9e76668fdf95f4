//! `quipu tune`: training examples for tuning a model to a task.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use clap::{Args, Subcommand};
use jiff::Zoned;
use quipu_eval::{
    DataCard, DatasetFacts, GoldQuestion, HeldOut, LearntFiles, LlmFacts, QuestionFile, Recorder, SourceCard,
    TuneConfig, TuneFolder, TuneTask, WorkspaceFacts, prepare, prompt_hashes, read_questions, tune_export,
};
use quipu_model::{CacheMode, LanguageModel, ModelKind, OpenOptions, identify_language_model};

use super::ask::How;
use super::set::assign;
use crate::config::Settings;
use crate::failure::WrongUsage;
use crate::output::{counted, print_json, stdout};
use crate::{engine, progress};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Write training examples: the language model's replies whose answer was right and grounded,
    /// and refusals if the evidence holds no answer (rejection sampling; KERAG, section 4.3)
    Export(Box<Export>),
}

impl Command {
    pub(super) async fn run(self) -> Result<()> {
        match self {
            Self::Export(arguments) => arguments.run().await,
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct Export {
    /// The workspace's folder
    workspace: PathBuf,
    /// A question file with answers; may be given several times
    #[arg(long, value_name = "FILE", required = true)]
    questions: Vec<PathBuf>,
    /// The task to learn: compose (reasoning over evidence), query (SQL over the graph's tables),
    /// plan (topics and relations)
    #[arg(long, value_name = "TASK")]
    task: TuneTask,
    /// The folder of the examples
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Add to the folder's existing examples, which are of another graph
    #[arg(long)]
    add: bool,
    /// A question file that the tuned model will be measured on: no example shares a question, most
    /// of its words, or an entity with it; may be given several times
    #[arg(long, value_name = "FILE")]
    held_out: Vec<PathBuf>,
    /// Only the first N questions of each file
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Maximum number of runs for each question: the first is greedy, the others are sampled until
    /// one is right; 0 asks no teacher and learns the queries of the question files
    #[arg(long, value_name = "N", default_value_t = 3)]
    samples: u32,
    /// Temperature of the samples
    #[arg(long, value_name = "T", default_value_t = 0.7, value_parser = temperature)]
    temperature: f32,
    /// Maximum number of refusals per hundred right examples
    #[arg(long, value_name = "N", default_value_t = 20)]
    refusals: usize,
    /// Licence of graph and questions, for the data card: an SPDX expression, or words
    #[arg(long, value_name = "LICENCE", default_value = "not stated")]
    licence: String,
    /// Set a parameter of the method (`quipu methods` lists the keys); may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    how: How,
    /// Print the data card as JSON
    #[arg(long)]
    json: bool,
}

fn temperature(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|number| (0.0..=2.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 2 is needed".to_owned())
}

impl Export {
    async fn run(self) -> Result<()> {
        let prompts = prompt_hashes();
        let folder = TuneFolder::open(&self.out, self.task, &prompts, self.add)?;
        let files = read_all(&self.questions)?;
        let held_out = HeldOut::of(&read_all(&self.held_out)?);
        let flags = self.how.as_settings();
        let method = flags.method.clone().unwrap_or_else(|| self.task.method().to_owned());
        let settings = Settings::load(Settings { method: Some(method), ..flags }, &self.workspace)?;
        let mut options = self.how.options(&settings)?;
        assign(&mut options, &self.set)?;
        let models = self.models();
        let (model, teacher) = teacher(&settings, &models).await?;
        let recorder = Arc::new(Recorder::new(model, self.task));
        // The engine loads no model itself: the recorder wraps the loaded one.
        let without = Settings { llm: Some(quipu::NO_MODEL.to_owned()), adapters: None, ..settings.clone() };
        let engine =
            engine::open(&self.workspace, &without, models).await?.with_model(Some(recorder.clone()));
        let questions: Vec<GoldQuestion> = files
            .iter()
            .flat_map(|file| file.questions.iter().take(self.limit.unwrap_or(usize::MAX)).cloned())
            .collect();
        let questions = prepare(&[engine.workspace()], &questions, None).await?;
        let config = TuneConfig {
            engine: &engine,
            recorder: &recorder,
            options: options.clone(),
            llm: teacher.name.clone(),
            samples: self.samples,
            temperature: self.temperature,
            refusals: self.refusals,
            now: Zoned::now(),
            source: self.source(),
        };
        let bar = progress::counter("questions");
        let (examples, counts) = tune_export(&config, &questions, &held_out, |done, examples| {
            bar.set_length(questions.len() as u64);
            bar.set_position(done as u64);
            bar.set_message(format!("questions, {}", counted(examples as u64, "example", "examples")));
        })
        .await?;
        bar.finish_and_clear();
        let source = SourceCard {
            name: self.source(),
            workspace: WorkspaceFacts::of(engine.workspace(), &LearntFiles::default()),
            questions: files.iter().map(DatasetFacts::of).collect(),
            teacher,
            method: options.name(),
            samples: self.samples,
            temperature: self.temperature,
            refusals: self.refusals,
            counts,
            held_out: held_out.files().to_vec(),
            licence: self.licence.clone(),
        };
        let card = folder.add(source, examples, prompts)?;
        self.print(&card)
    }

    /// Replies are cached in the folder, so that an interrupted export resumes.
    fn models(&self) -> OpenOptions {
        let own = self.how.open_options();
        let cache_folder = own.cache_folder.clone().or_else(|| Some(self.out.join("replies")));
        OpenOptions { cache: CacheMode::ReadWrite, cache_folder, ..own }
    }

    fn source(&self) -> String {
        let stem = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let graph = stem(&self.workspace).unwrap_or_default();
        let files: Vec<String> = self.questions.iter().filter_map(stem).collect();
        format!("{graph}: {}", files.join(", "))
    }

    fn print(&self, card: &DataCard) -> Result<()> {
        use std::io::Write as _;
        if self.json {
            return print_json(card);
        }
        let Some(source) = card.sources.last() else { return Ok(()) };
        let counts = source.counts;
        let mut out = stdout();
        if counts.written > 0 {
            let written = counted(counts.written as u64, "question", "questions");
            writeln!(out, "{written} learnt from the question file alone, without a model call.")?;
        }
        if counts.unasked > 0 {
            let unasked = counted(counts.unasked as u64, "question", "questions");
            writeln!(out, "{unasked} left out: the question file has no query that gives the answer.")?;
        }
        writeln!(
            out,
            "{} asked: {} right at first, {} right later, {} never right; {} left out as too close to a --held-out question.",
            counted(counts.asked as u64, "question", "questions"),
            counts.right_at_first,
            counts.right_later,
            counts.never_right,
            counts.leaking.all()
        )?;
        let kinds: Vec<String> = card.by_kind.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        writeln!(
            out,
            "{} holds {} for learning and {} for validation ({}); README.md in that folder is the data card.",
            self.out.display(),
            counted(card.examples.train as u64, "example", "examples"),
            card.examples.validation,
            kinds.join(", ")
        )?;
        Ok(())
    }
}

fn read_all(paths: &[PathBuf]) -> Result<Vec<QuestionFile>> {
    Ok(paths.iter().map(|path: &PathBuf| read_questions(Path::new(path), None)).collect::<Result<_, _>>()?)
}

/// The model that the examples come from, and its entry on the data card.
async fn teacher(settings: &Settings, models: &OpenOptions) -> Result<(Arc<dyn LanguageModel>, LlmFacts)> {
    engine::offer(settings, &[ModelKind::Chat], models).await?;
    let Some(model) = engine::load_model(settings, models.clone()).await? else {
        return Err(WrongUsage("a language model writes the examples; name one with --llm".into()).into());
    };
    let identity = identify_language_model(model.name(), models)?;
    Ok((model, LlmFacts { name: identity.name, version: identity.version }))
}
