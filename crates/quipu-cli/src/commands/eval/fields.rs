//! `quipu eval fields`: the domain of each question, by rules and by model, compared with the
//! file's.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use jiff::Zoned;
use quipu_answer::{Engine, Question, domain_by_rules};
use quipu_eval::{GoldQuestion, read_questions, select};
use quipu_model::OpenOptions;
use serde::Serialize;

use super::run::Form;
use crate::config::Settings;
use crate::engine;
use crate::output::{print_json, stdout};

#[derive(Debug, Args)]
pub(in crate::commands) struct Fields {
    /// The folder of a workspace with APIs, whose fields are offered to the model
    workspace: PathBuf,
    /// Question files with fields
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    questions: Vec<PathBuf>,
    /// The language model for questions that the rules do not decide, or none
    #[arg(long, value_name = "NAME")]
    llm: Option<String>,
    /// Take N questions of each file only: the first, or a sample
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Take a sample, the same for the same seed
    #[arg(long, value_name = "SEED")]
    sample: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Questions that were given a field, and those that were given the right one.
#[derive(Debug, Default, Clone, Copy, Serialize)]
struct Tally {
    questions: usize,
    told_by_rules: usize,
    right_by_rules: usize,
    /// Right by the rules and the model together.
    right: usize,
}

#[derive(Debug, Default, Serialize)]
struct Report {
    all: Tally,
    by_field: BTreeMap<String, Tally>,
    /// Questions with a wrong field: id, the file's field, the field given.
    wrong: Vec<[String; 3]>,
    llm_calls: u32,
    tokens: u64,
    seconds: f64,
}

impl Fields {
    pub(super) async fn run(self) -> Result<()> {
        let files = self
            .questions
            .iter()
            .map(|path| read_questions(path, Form::read("auto").unwrap_or(Form(None)).0));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let (questions, _) = select(&files, self.limit, self.sample, None)?;
        let llm = self.llm.clone();
        let settings = Settings { llm: llm.or_else(|| Some("none".into())), ..Settings::default() };
        let engine = engine::open(&self.workspace, &settings, OpenOptions::default()).await?;
        let with_model = self.llm.as_deref().is_some_and(|name| name != "none");
        let mut report = Report::default();
        for question in questions.iter().filter(|question| question.domain.is_some()) {
            report.take(&engine, question, with_model).await?;
        }
        if report.all.questions == 0 {
            bail!("no question of these files has a field (`domain`)");
        }
        if self.json {
            return print_json(&report);
        }
        report.print()
    }
}

impl Report {
    async fn take(&mut self, engine: &Engine, gold: &GoldQuestion, with_model: bool) -> Result<()> {
        let Some(expected) = gold.domain.clone() else { return Ok(()) };
        let question = Question::new(&gold.question, Zoned::now())?;
        let apis = engine.workspace().apis();
        let by_rules = apis.iter().find_map(|api| domain_by_rules(&gold.question, api.service()));
        let told = if with_model {
            let (subject, usage) = engine.subject(&question).await?;
            self.llm_calls += usage.llm_calls + usage.cached_calls;
            self.tokens += usage.prompt_tokens + usage.completion_tokens;
            self.seconds += usage.seconds;
            Some(subject.domain)
        } else {
            by_rules.map(str::to_owned)
        };
        let right = told.as_ref() == Some(&expected);
        let tally = |tally: &mut Tally| {
            tally.questions += 1;
            tally.told_by_rules += usize::from(by_rules.is_some());
            tally.right_by_rules += usize::from(by_rules == Some(expected.as_str()));
            tally.right += usize::from(right);
        };
        tally(&mut self.all);
        tally(self.by_field.entry(expected.clone()).or_default());
        if !right {
            self.wrong.push([gold.id.clone(), expected, told.unwrap_or_default()]);
        }
        if self.all.questions.is_multiple_of(20) {
            tell!("{} questions, {} right", self.all.questions, self.all.right);
        }
        Ok(())
    }

    fn print(&self) -> Result<()> {
        let mut out = stdout();
        writeln!(
            out,
            "| field | questions | told by rules | of these right | right in all |\n|---|---|---|---|---|"
        )?;
        let lines = self.by_field.iter().map(|(field, tally)| (field.as_str(), tally));
        for (field, tally) in lines.chain([("all", &self.all)]) {
            let Tally { questions, told_by_rules, right_by_rules, right } = tally;
            writeln!(out, "| {field} | {questions} | {told_by_rules} | {right_by_rules} | {right} |")?;
        }
        writeln!(out, "\n{} model calls, {} tokens, {:.1} s", self.llm_calls, self.tokens, self.seconds)?;
        Ok(())
    }
}
