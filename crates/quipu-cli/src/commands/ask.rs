//! `quipu ask`: answers a question with its evidence.

use std::io::{self, IsTerminal as _};
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use jiff::Zoned;
use quipu_answer::{AskOptions, MethodConfig, Question, RelationFilter, Summary, parse_time};
use quipu_model::{CacheMode, OpenOptions, Prices};

use super::talk::Talk;
use super::{pages, set};
use crate::config::Settings;
use crate::failure::{self, WrongUsage};
use crate::output::{print_json, stderr, stdout};
use crate::{engine, interrupt, progress, views};

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The workspace's folder
    workspace: PathBuf,
    /// The question; without one, in a terminal, a conversation begins
    question: Option<String>,
    /// Ask this workspace too; may be given several times. A workspace that cannot be asked is
    /// named, and the others answer
    #[arg(long, value_name = "WORKSPACE")]
    source: Vec<PathBuf>,
    #[command(flatten)]
    how: How,
    /// The time of the question, for "yesterday" and "last year"; without it, now
    #[arg(long, value_name = "RFC3339", value_parser = parse_time)]
    asked_at: Option<Zoned>,
    /// Pages to answer from if the graph has no answer (method verify): a file, or a folder of
    /// files (HTML, text, Markdown, PDF)
    #[arg(long, value_name = "DIR|FILE")]
    pages: Vec<PathBuf>,
    /// Start from this entity, by key or name, instead of those that the question mentions; may be
    /// given several times
    #[arg(long, value_name = "ID")]
    anchor: Vec<String>,
    /// Answer by another reading: its number, from 1, in an earlier answer
    #[arg(long, value_name = "N", value_parser = parse_reading)]
    reading: Option<usize>,
    /// Show how the question is read, in words, SQL and SPARQL, without running it
    #[arg(long)]
    plan_only: bool,
    /// Estimate the question's cost, usual and at most, without asking a model
    #[arg(long, conflicts_with_all = ["plan_only", "explain"])]
    estimate: bool,
    /// Set a parameter of the method (`quipu methods` lists the keys); may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Keep the plan of a sure and grounded answer as a solved example
    #[arg(long)]
    learn: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Explain the steps to the answer
    #[arg(long)]
    explain: bool,
}

/// How questions are answered: what `ask` and `eval run` have in common.
#[derive(Debug, Clone, Args)]
pub(super) struct How {
    /// The method: auto (paths, else query), paths, query, a paper's method as published
    /// (kerag, anchor, pseudo, hybrid, verify), or a baseline: io, cot, self_consistency,
    /// question_match, graph, text, multi_vector, text_graph, tool_use, tog, structgpt,
    /// plan_on_graph, react, reflexion, corrective
    #[arg(long, value_name = "NAME")]
    method: Option<String>,
    /// The planner of a paper's method: published, paths or query (the same as
    /// `--method kerag+paths`)
    #[arg(long, value_name = "NAME")]
    planner: Option<String>,
    /// If a limit or the model's failure ends a method, `auto` answers without a model; a remark
    /// says so
    #[arg(long)]
    fallback: bool,
    /// The language model: a name of `quipu models list`, `openai:MODEL` for an endpoint, or `none`
    #[arg(long, value_name = "NAME")]
    llm: Option<String>,
    /// A LoRA adapter of the language model, for the requests that it was trained on: a GGUF file,
    /// or a name of `quipu models list`; may be given several times. It replaces the adapters that
    /// come with the model; `none` leaves the model without any
    #[arg(long, value_name = "FILE")]
    adapter: Vec<String>,
    /// Maximum number of hops from a topic entity
    #[arg(long, value_name = "N")]
    max_hops: Option<u32>,
    /// Maximum number of model calls for one question
    #[arg(long, value_name = "N")]
    max_llm_calls: Option<u32>,
    /// Seconds for one question
    #[arg(long, value_name = "S")]
    timeout: Option<u64>,
    /// Maximum number of tokens of prompts and replies for one question
    #[arg(long, value_name = "N")]
    max_tokens: Option<u64>,
    /// Highest cost of one question, in the currency of the model's price ([prices] in a
    /// quipu.toml)
    #[arg(long, value_name = "AMOUNT")]
    max_cost: Option<f64>,
    /// Cache the model's replies in this folder
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// The filter of irrelevant relations (method kerag) [default: model]
    #[arg(long, value_enum, value_name = "BY")]
    filter: Option<Filter>,
    /// One hop only (an ablation)
    #[arg(long)]
    no_multi_hop: bool,
    /// Keep all relations (an ablation of kerag)
    #[arg(long, conflicts_with = "filter")]
    no_filter: bool,
    /// Do not ask the graph, only the pages (an ablation of verify)
    #[arg(long)]
    no_graph: bool,
    /// Answer from pages without checking first that they can answer (an ablation of verify)
    #[arg(long)]
    no_self_verification: bool,
    /// Answer without reasoning step by step (an ablation of kerag)
    #[arg(long)]
    no_reasoning: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Filter {
    /// The language model
    Model,
    /// Similarity to the question
    Similarity,
}

impl Arguments {
    pub(super) async fn run(self) -> Result<()> {
        match self.question.clone() {
            Some(question) => {
                let json = self.json;
                let answered = interrupt::or_interrupted(self.answer(&question)).await;
                // Readers of JSON get the error as JSON, on the same stream.
                if let (true, Err(error)) = (json, &answered)
                    && let Some(told) = failure::as_json(error)
                {
                    print_json(&told)?;
                }
                answered
            }
            None => self.talk().await,
        }
    }

    /// Starts a conversation, which needs a terminal.
    async fn talk(self) -> Result<()> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            let reason =
                "a question is missing; without one, `quipu ask` is a conversation, which needs a terminal";
            return Err(WrongUsage(reason.into()).into());
        }
        if self.json
            || self.explain
            || self.plan_only
            || self.estimate
            || self.reading.is_some()
            || self.asked_at.is_some()
        {
            let reason = "--json, --explain, --plan-only, --estimate, --reading and --asked-at need a question: add one";
            return Err(WrongUsage(reason.into()).into());
        }
        let settings = Settings::load(self.how.as_settings(), &self.workspace)?;
        let options = AskOptions {
            pages: pages::read(&self.pages)?.into(),
            anchors: self.anchor.clone(),
            learn: self.learn || settings.learn.unwrap_or(false),
            ..self.options(&settings)?
        };
        let open = engine::open_several(&self.workspace, &self.source, &settings, self.how.open_options());
        let engine = interrupt::or_interrupted(open).await?;
        Talk::new(engine, options).run().await
    }

    fn options(&self, settings: &Settings) -> Result<AskOptions> {
        let mut options = self.how.options(settings)?;
        set::assign(&mut options, &self.set)?;
        Ok(options)
    }

    async fn answer(self, question: &str) -> Result<()> {
        let settings = Settings::load(self.how.as_settings(), &self.workspace)?;
        let asked_at = self.asked_at.clone().unwrap_or_else(Zoned::now);
        let question = Question::new(question, asked_at)?;
        let pages = pages::read(&self.pages)?.into();
        let options = AskOptions {
            keep_trace: self.explain,
            pages,
            anchors: self.anchor.clone(),
            reading: self.reading.unwrap_or_default(),
            plan_only: self.plan_only,
            learn: self.learn || settings.learn.unwrap_or(false),
            ..self.options(&settings)?
        };
        quipu_server::check_readings(options.method, options.reading, options.plan_only)
            .map_err(WrongUsage)?;
        let engine =
            engine::open_several(&self.workspace, &self.source, &settings, self.how.open_options()).await?;
        if self.estimate {
            let estimate = engine.estimate(&question, &options).await?;
            return if self.json {
                print_json(&estimate)
            } else {
                Ok(views::print_estimate(&estimate, &mut stdout())?)
            };
        }
        let watch = progress::QuestionWatch::new();
        let options = AskOptions { sink: Some(watch.sink()), ..options };
        let answer = engine.ask(&question, &options).await;
        let events = watch.finish();
        if answer.is_err() && self.explain {
            // Shows the progress so far. If printing it fails, the question's own error still
            // matters more.
            let _ = views::print_explanation(&events, &mut stderr());
        }
        let answer = answer?;
        if self.json {
            return print_json(&answer);
        }
        let mut out = stdout();
        let view = views::View { explain: self.explain, reading: options.reading, talking: false };
        match self.plan_only {
            true => views::print_plans(&answer, view, &mut out)?,
            false => views::print_answer(&answer, view, &mut out)?,
        }
        if let Some(events) = &answer.trace {
            views::print_explanation(events, &mut out)?;
        }
        Ok(())
    }
}

impl How {
    /// The flags that files and environment may set too.
    pub(super) fn as_settings(&self) -> Settings {
        Settings {
            llm: self.llm.clone(),
            adapters: (!self.adapter.is_empty()).then(|| self.adapter.clone()),
            embedder: None,
            method: self.method.clone(),
            planner: self.planner.clone(),
            max_hops: self.max_hops,
            max_llm_calls: self.max_llm_calls,
            timeout: self.timeout,
            max_tokens: self.max_tokens,
            max_cost: self.max_cost,
            prices: Prices::new(),
            sources: None,
            learn: None,
            server: None,
        }
    }

    pub(super) fn open_options(&self) -> OpenOptions {
        let cache = if self.cache.is_some() { CacheMode::ReadWrite } else { CacheMode::Off };
        OpenOptions {
            cache,
            cache_folder: self.cache.clone(),
            keep_instructions: true,
            ..OpenOptions::default()
        }
    }

    /// The options of the question; those without a flag or setting keep the library's defaults.
    pub(super) fn options(&self, settings: &Settings) -> Result<AskOptions> {
        let options = settings.ask_options()?;
        // Learning would change later answers: `ask` enables it itself, and evaluations never
        // learn.
        Ok(AskOptions { config: self.method_config(options.config), learn: false, ..options })
    }

    /// The method's parameters that only flags set.
    fn method_config(&self, mut config: MethodConfig) -> MethodConfig {
        if self.no_multi_hop {
            config.limit_hops(1);
        }
        let kerag = &mut config.kerag;
        match self.filter {
            _ if self.no_filter => kerag.filter = RelationFilter::Off,
            Some(Filter::Model) => kerag.filter = RelationFilter::Model,
            Some(Filter::Similarity) => kerag.filter = RelationFilter::Similarity,
            None => {}
        }
        if self.no_reasoning {
            kerag.summary = Summary::Plain;
        }
        config.fallback |= self.fallback;
        config.verify.graph = !self.no_graph;
        config.verify.check = !self.no_self_verification;
        config
    }
}

/// Reads the number of a reading: 1, 2, ...
fn parse_reading(text: &str) -> Result<usize, String> {
    let number = text.parse::<usize>().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "readings are numbered from 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_their_offset() {
        assert_eq!(parse_time("2024-02-28T12:00:00Z").unwrap().to_string(), "2024-02-28T12:00:00+00:00[UTC]");
        assert_eq!(parse_time("2024-02-28T23:30:00-05:00").unwrap().date().day(), 28);
        assert_eq!(parse_time("2024-02-28T12:00:00[Europe/Berlin]").unwrap().hour(), 12);
        assert!(parse_time("yesterday").is_err());
    }

    #[test]
    fn readings_are_numbered_from_one() {
        assert_eq!(parse_reading("2"), Ok(2));
        assert!(["0", "-1", "two", ""].iter().all(|wrong| parse_reading(wrong).is_err()));
    }
}
