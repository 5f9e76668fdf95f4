//! `quipu eval run`.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use quipu_answer::{AskOptions, Engine, Note, Source};
use quipu_eval::{
    Agreement, Budget, DatasetFacts, EvalError, LearntFiles, LlmFacts, Manifest, ModelJudge, PARAMETERS_OF,
    PreparedQuestion, QuestionFile, QuestionFormat, RESULTS_FORMAT, Results, ResultsFolder, Row, RunConfig,
    Selection, Summary, WorkspaceFacts, agreement_to_text, errors_to_markdown, failures_to_text,
    groups_to_markdown, judge_agreement, prepare, prompt_hashes, read_questions, risk_to_markdown, select,
    summarise, to_markdown,
};
use quipu_model::{
    CacheMode, ModelKind, OpenOptions, default_model_name, identify_language_model, name_with_adapters,
    open_language_model,
};
use serde::Serialize;

use super::labels::label;
use super::progress::RunBar;
use crate::commands::ask::How;
use crate::commands::set::{Assignments, EVAL_HELP};
use crate::config::Settings;
use crate::engine;
use crate::failure::WrongUsage;
use crate::output::{counted, print_json, stdout};
use crate::progress::spinner;

/// The value of `--llm` and `--judge` that stands for no model.
const NONE: &str = "none";

#[derive(Debug, Args)]
pub(in crate::commands) struct Run {
    /// The workspace's folder
    workspace: PathBuf,
    /// Ask this workspace too, as with `quipu ask`; may be given several times
    #[arg(long, value_name = "WORKSPACE")]
    source: Vec<PathBuf>,
    /// Question files
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    questions: Vec<PathBuf>,
    /// Their format: auto, quipu, qald, tog, grailqa, webqsp, crag, stark, head-to-tail
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = Form::read)]
    format: Form,
    /// Ask only the questions whose ids are in this file, one per line
    #[arg(long, value_name = "FILE")]
    ids: Option<PathBuf>,
    /// Ask N questions of each file only: the first, or a sample
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Take a sample, the same for the same seed
    #[arg(long, value_name = "SEED")]
    sample: Option<u64>,
    /// Keep the results in this folder: rows, traces, the models' replies, the run's settings
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue the run in the folder of --out, with more questions if --limit is higher now, or
    /// begin it
    #[arg(long, requires = "out")]
    resume: bool,
    /// Number of questions asked at the same time
    #[arg(long, value_name = "N", default_value_t = 1)]
    parallel: usize,
    /// Language model that judges answers that the rules do not decide, or `none`
    #[arg(long, value_name = "NAME", default_value = NONE)]
    judge: String,
    /// Ask no further question after this many model calls
    #[arg(long, value_name = "N")]
    budget_calls: Option<u64>,
    #[arg(long, value_name = "KEY=VALUE", help = EVAL_HELP)]
    set: Vec<String>,
    /// Use the word lists of this file in place of the built-in ones; a list that it lacks is empty
    #[arg(long, value_name = "FILE")]
    words: Option<PathBuf>,
    /// Ask no model: replay the run in this results folder from its recorded replies, and report
    /// differences
    #[arg(long, value_name = "DIR", conflicts_with_all = ["resume", "budget_calls"])]
    replay: Option<PathBuf>,
    #[command(flatten)]
    how: How,
    /// Print one JSON object: the manifest and all figures
    #[arg(long)]
    json: bool,
}

/// `--format`: a question format, or none for `auto`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Form(pub(super) Option<QuestionFormat>);

impl Form {
    pub(super) fn read(name: &str) -> Result<Self, String> {
        match name {
            "auto" => Ok(Self(None)),
            name => {
                name.parse().map(|format| Self(Some(format))).map_err(|error: EvalError| error.to_string())
            }
        }
    }
}

/// The run, as flags, files and environment define it.
struct Plan {
    settings: Settings,
    assignments: Assignments,
    methods: Vec<AskOptions>,
    llms: Vec<String>,
    files: Vec<QuestionFile>,
    questions: Vec<quipu_eval::GoldQuestion>,
    selection: Selection,
    models: OpenOptions,
    recording: Option<Results>,
    /// The file of `--words`.
    words: Option<String>,
}

/// Replaces the built-in word lists by a file's, and returns the file's text.
fn use_words(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    quipu_language::use_words(&text).map_err(|error| WrongUsage(format!("{}: {error}", path.display())))?;
    Ok(text)
}

#[derive(Serialize)]
struct Printed<'a> {
    manifest: &'a Manifest,
    summaries: &'a [Summary],
}

impl Run {
    pub(super) async fn run(self) -> Result<()> {
        let plan = self.plan()?;
        let judge = self.open_judge(&plan).await?;
        let mut budget = Budget { calls: self.budget_calls, spent: 0 };
        let agreement = self.judge_agreement(judge.as_ref(), &mut budget).await?;
        let recorded = plan.recording.as_ref().map(Results::learnt).transpose()?;
        let kept = recorded.as_ref().map(folder_of).transpose()?;
        let first = self.open_engine(&plan, plan.llms.first(), kept.as_ref()).await?;
        let learnt = match recorded {
            Some(recorded) => recorded,
            None => {
                LearntFiles::read(&self.workspace, first.sources().iter().map(|s| s.workspace().folder()))?
            }
        };
        let mut workspaces = vec![first.workspace()];
        workspaces.extend(first.sources().iter().map(Source::workspace));
        let questions = prepare(&workspaces, &plan.questions, plan.assignments.key_prefix()).await?;
        let manifest = self.manifest(&plan, &first, &learnt, agreement, &questions)?;
        let (mut folder, manifest, done) = match &self.out {
            Some(path) => {
                let (folder, manifest, done) = ResultsFolder::open(path, &manifest, &learnt, self.resume)?;
                (Some(folder), manifest, done)
            }
            None => (None, manifest, Vec::new()),
        };
        warn_of_unknown_gold(&questions);
        let mut engines = vec![first];
        let (mut rows, mut summaries, mut left) = (Vec::new(), Vec::new(), 0);
        for llm in &plan.llms {
            let engine = match engines.pop() {
                Some(engine) => engine,
                None => self.open_engine(&plan, Some(llm), kept.as_ref()).await?,
            };
            for options in &plan.methods {
                let config = self.config(&plan, &manifest, &engine, options, llm, judge.as_ref())?;
                let outcome =
                    run_one(&config, &manifest, &questions, &done, folder.as_mut(), &mut budget).await?;
                let name = label(&manifest, &options.name(), llm);
                summaries.push(summarise(&name, &outcome.rows, questions.len(), manifest.seed));
                left += outcome.left;
                rows.extend(outcome.rows);
            }
        }
        self.print(&manifest, &summaries, &rows)?;
        if left > 0 {
            let unasked = counted(left as u64, "question was", "questions were");
            tell!(
                "the budget is spent: {unasked} not asked; continue the run with --resume and a new budget"
            );
        }
        plan.recording.map_or(Ok(()), |recording| told_differences(&recording, &rows))
    }

    fn plan(&self) -> Result<Plan> {
        let words = self.words.as_deref().map(use_words).transpose()?;
        let recording = self.replay.as_deref().map(Results::read).transpose()?;
        let settings = Settings::load(self.how.as_settings(), &self.workspace)?;
        let assignments = Assignments::parse(&self.set)?;
        let methods = self.methods(&settings, &assignments)?;
        let models = self.models();
        let llms = match settings.llm.as_deref().map(listed) {
            Some(llms) => llms,
            None => vec![default_model_name(ModelKind::Chat, &models)?],
        };
        // Rows and caches are identified by names, so the names include the adapters.
        let adapters = settings.adapters.clone().unwrap_or_default();
        let tuned = |name: String| match name == NONE {
            true => Ok(name),
            false => name_with_adapters(&name, &adapters),
        };
        let llms = llms.into_iter().map(tuned).collect::<Result<_, _>>()?;
        let settings = Settings { adapters: None, ..settings };
        let files: Vec<QuestionFile> = self
            .questions
            .iter()
            .map(|path| read_questions(path, self.format.0))
            .collect::<Result<_, _>>()?;
        files.iter().for_each(warn_of_unread_fields);
        let ids = self.ids.as_deref().map(read_ids).transpose()?;
        let (questions, selection) = select(&files, self.limit, self.sample, ids.as_deref())?;
        Ok(Plan {
            settings,
            assignments,
            methods,
            llms,
            files,
            questions,
            selection,
            models,
            recording,
            words,
        })
    }

    /// The options of each named method.
    fn methods(&self, settings: &Settings, assignments: &Assignments) -> Result<Vec<AskOptions>> {
        let names = match settings.method.as_deref().map(listed) {
            Some(names) => names,
            None => vec![AskOptions::default().name()],
        };
        names
            .into_iter()
            .map(|name| {
                let settings = Settings { method: Some(name), ..settings.clone() };
                let mut options = self.how.options(&settings)?;
                assignments.apply(&mut options)?;
                Ok(options)
            })
            .collect()
    }

    /// Replies are cached in the results folder unless `--cache` names another.
    fn models(&self) -> OpenOptions {
        let own = self.how.open_options();
        let beside = self.replay.as_ref().or(self.out.as_ref()).map(|path| ResultsFolder::replies(path));
        let cache_folder = own.cache_folder.clone().or(beside);
        let cache = match (&self.replay, &cache_folder) {
            (Some(_), _) => CacheMode::ReplayOnly,
            (None, Some(_)) => CacheMode::ReadWrite,
            (None, None) => CacheMode::Off,
        };
        // The cost of a question must not depend on questions before the run.
        OpenOptions { cache, cache_folder, keep_instructions: false, ..own }
    }

    async fn open_engine(
        &self,
        plan: &Plan,
        llm: Option<&String>,
        learnt: Option<&tempfile::TempDir>,
    ) -> Result<Engine> {
        let settings = Settings { llm: llm.cloned(), ..plan.settings.clone() };
        let engine =
            engine::open_several(&self.workspace, &self.source, &settings, plan.models.clone()).await?;
        // An evaluation without some of its sources would measure something else.
        if let Some(Note::SourceDown { source, reason }) = engine.missing_sources().first() {
            bail!("{source} cannot be asked: {reason}");
        }
        Ok(match learnt {
            Some(folder) => engine.with_learnt_in(folder.path())?,
            None => engine,
        })
    }

    async fn open_judge(&self, plan: &Plan) -> Result<Option<ModelJudge>> {
        if self.judge == NONE {
            return Ok(None);
        }
        let (name, options) = (self.judge.clone(), plan.models.clone());
        let loading = spinner("loading the judge");
        let model = tokio::task::spawn_blocking(move || open_language_model(&name, &options)).await;
        loading.finish_and_clear();
        Ok(Some(ModelJudge::new(model.context("the judge's thread is gone")??)))
    }

    async fn judge_agreement(&self, judge: Option<&ModelJudge>, budget: &mut Budget) -> Result<Agreement> {
        let working = spinner("measuring the judge on the labelled cases");
        let agreement = judge_agreement(judge).await;
        working.finish_and_clear();
        let agreement = agreement?;
        budget.spent += u64::from(agreement.calls);
        Ok(agreement)
    }

    fn manifest(
        &self,
        plan: &Plan,
        engine: &Engine,
        learnt: &LearntFiles,
        agreement: Agreement,
        questions: &[PreparedQuestion],
    ) -> Result<Manifest> {
        let mut settings = plan.assignments.as_settings();
        settings.extend(plan.words.clone().map(|text| ("words".to_owned(), text)));
        for options in &plan.methods {
            let parameters = format!("{:?} {:?}", options.config, options.limits);
            settings.insert(format!("{PARAMETERS_OF}{}", options.name()), parameters);
        }
        let manifest = Manifest {
            format: RESULTS_FORMAT,
            quipu: env!("CARGO_PKG_VERSION").into(),
            began: plan
                .recording
                .as_ref()
                .map_or_else(|| Timestamp::now().to_string(), |r| r.manifest.began.clone()),
            command: std::env::args().collect(),
            workspace: WorkspaceFacts::of(engine.workspace(), learnt),
            sources: source_facts(engine, learnt),
            datasets: plan.files.iter().map(DatasetFacts::of).collect(),
            selection: plan.selection.clone(),
            methods: plan.methods.iter().map(AskOptions::name).collect(),
            llms: plan.llm_facts()?,
            embedder: engine
                .embedder()
                .map(|(name, fingerprint)| format!("{name} {fingerprint}"))
                .unwrap_or_default(),
            anchors: plan.assignments.anchors()?,
            settings,
            prompts: prompt_hashes(),
            judge: self.judge.clone(),
            judge_agreement: Some(agreement),
            seed: self.sample.unwrap_or_default(),
            parallel: self.parallel,
            unknown_gold: questions.iter().map(|question| question.unknown.len()).sum(),
        };
        if let Some(recording) = &plan.recording
            && let Some((name, ours, theirs)) = manifest.differences(&recording.manifest).first()
        {
            let message = format!(
                "{}: the recorded run's {name} is {theirs}, this one's {ours}; a replay needs the same",
                recording.path.display()
            );
            return Err(WrongUsage(message).into());
        }
        Ok(manifest)
    }

    fn config<'a>(
        &self,
        plan: &'a Plan,
        manifest: &Manifest,
        engine: &'a Engine,
        options: &AskOptions,
        llm: &str,
        judge: Option<&'a ModelJudge>,
    ) -> Result<RunConfig<'a>> {
        let began: Timestamp = manifest.began.parse().context("the manifest's time cannot be read")?;
        let now: Zoned = began.to_zoned(TimeZone::UTC);
        Ok(RunConfig {
            engine,
            options: options.clone(),
            llm: llm.to_owned(),
            anchors: manifest.anchors,
            oracle: plan.assignments.oracle(),
            now,
            judge,
            parallel: self.parallel,
            measured: plan.recording.as_ref().map(|recording| recording.rows.as_slice()),
        })
    }

    fn print(&self, manifest: &Manifest, summaries: &[Summary], rows: &[Row]) -> Result<()> {
        if self.json {
            return print_json(&Printed { manifest, summaries });
        }
        let mut text = format!("{}\n{}", to_markdown(summaries), errors_to_markdown(summaries));
        let parts = [risk_to_markdown(summaries), groups_to_markdown(summaries), failures_to_text(rows)];
        for part in parts.into_iter().flatten() {
            text.push('\n');
            text.push_str(&part);
        }
        if let Some(agreement) = &manifest.judge_agreement {
            text.push_str(&format!("\n{}\n", agreement_to_text(&manifest.judge, agreement)));
        }
        Ok(write!(stdout(), "{text}")?)
    }
}

impl Plan {
    /// The facts about each model. A replay takes them from its recording and loads no model.
    fn llm_facts(&self) -> Result<Vec<LlmFacts>> {
        let fact = |name: &String| {
            let recorded = self.recording.as_ref().map(|recording| &recording.manifest.llms);
            let recorded = recorded.and_then(|llms| llms.iter().find(|llm| llm.name == *name));
            Ok(match recorded {
                Some(recorded) => recorded.clone(),
                None if name == NONE => LlmFacts { name: NONE.into(), version: String::new() },
                None => {
                    let identity = identify_language_model(name, &self.models)?;
                    LlmFacts { name: identity.name, version: identity.version }
                }
            })
        };
        self.llms.iter().map(fact).collect()
    }
}

async fn run_one(
    config: &RunConfig<'_>,
    manifest: &Manifest,
    questions: &[PreparedQuestion],
    done: &[Row],
    folder: Option<&mut ResultsFolder>,
    budget: &mut Budget,
) -> Result<quipu_eval::RunOutcome> {
    let method = config.options.name();
    let mut bar = RunBar::new(label(manifest, &method, &config.llm), questions.len());
    bar.skip(done.iter().filter(|row| row.method == method && row.llm == config.llm).count());
    let outcome = quipu_eval::run(config, questions, done, folder, budget, |row| bar.row(row)).await;
    bar.finish();
    Ok(outcome?)
}

/// Splits `a,b` into a list without duplicates.
fn listed(names: &str) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        if !list.iter().any(|other| other == name) {
            list.push(name.to_owned());
        }
    }
    list
}

fn read_ids(path: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// The workspaces of `--source`.
fn source_facts(engine: &Engine, learnt: &LearntFiles) -> Vec<WorkspaceFacts> {
    let sources = engine.sources().iter().enumerate();
    sources.map(|(at, source)| WorkspaceFacts::of(source.workspace(), &learnt.of_source(at))).collect()
}

/// Copies what a recorded run had learnt into a temporary folder, so that its replay leaves the
/// workspace unchanged.
fn folder_of(learnt: &LearntFiles) -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    learnt.write(folder.path())?;
    Ok(folder)
}

fn warn_of_unread_fields(file: &QuestionFile) {
    let fields: Vec<String> = file.unread.iter().map(|field| format!("“{field}”")).collect();
    if !fields.is_empty() {
        let number = counted(fields.len() as u64, "field is", "fields are");
        tell!("{}: {number} not read: {}", file.path.display(), fields.join(", "));
    }
}

fn warn_of_unknown_gold(questions: &[PreparedQuestion]) {
    const SHOWN: usize = 5;
    let unknown: Vec<String> = questions
        .iter()
        .flat_map(|question| {
            question.unknown.iter().map(|gold| format!("{gold} (question {})", question.question.id))
        })
        .collect();
    if unknown.is_empty() {
        return;
    }
    let shown = unknown.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    let more = if unknown.len() > SHOWN { ", …" } else { "" };
    let number = counted(unknown.len() as u64, "gold answer is", "gold answers are");
    tell!(
        "{number} not in the graph, so no entity can give the answer: {shown}{more}; the questions still count"
    );
}

/// Lists the differences of a replay from its recording; any difference is a failure.
fn told_differences(recording: &Results, rows: &[Row]) -> Result<()> {
    let recorded: HashMap<_, &Row> = recording.rows.iter().map(|row| (row.key(), row)).collect();
    let other =
        |row: &&Row| recorded.get(&row.key()).is_none_or(|recorded| !row.same_but_for_times(recorded));
    let different: Vec<String> =
        rows.iter().filter(other).map(|row| format!("{} with {}: {}", row.method, row.llm, row.id)).collect();
    let asked = rows.len();
    if different.is_empty() {
        tell!("replayed {}, all as recorded", counted(asked as u64, "question", "questions"));
        return Ok(());
    }
    bail!(
        "{} of {asked} questions were answered differently than recorded: {}",
        different.len(),
        different.iter().take(10).cloned().collect::<Vec<_>>().join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_parted_by_commas_and_hold_each_name_once() {
        assert_eq!(listed("paths, kerag,,paths"), ["paths", "kerag"]);
    }

    #[test]
    fn auto_names_no_format() {
        assert_eq!(Form::read("auto"), Ok(Form(None)));
        assert_eq!(Form::read("qald"), Ok(Form(Some(QuestionFormat::Qald))));
        assert!(Form::read("xml").unwrap_err().contains("known: auto"));
    }
}
