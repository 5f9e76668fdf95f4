//! Rejection sampling: a model answers questions with known answers, and its messages are kept
//! where it was right.

use std::sync::Arc;

use jiff::Zoned;
use quipu_answer::{AnswerError, AnswerTable, AskOptions, Engine, Method, Planner, Question, Summary};
use serde::{Deserialize, Serialize};

use super::examples::{ExampleKind, NO_QUERY, TuneExample, gold_reply, refusal_of};
use super::leakage::{HeldOut, LeakCounts};
use super::recorder::{Heard, Recorder};
use super::task::TuneTask;
use crate::EvalError;
use crate::gold::PreparedQuestion;
use crate::manifest::AnchorSetting;
use crate::metrics::GivenTable;
use crate::row::{Ended, Row};
use crate::runner::{RunConfig, answer_question};

/// Questions that are tried for one refusal.
const PARTNERS: usize = 20;

/// Settings of the export.
pub struct TuneConfig<'a> {
    /// The workspace; its model is `recorder`.
    pub engine: &'a Engine,
    /// The teacher.
    pub recorder: &'a Arc<Recorder>,
    /// Options of each question.
    pub options: AskOptions,
    /// The teacher's name in the data card.
    pub llm: String,
    /// Most runs of one question; the first is greedy, the others are sampled. 0 asks no teacher:
    /// only queries of the question file are learnt.
    pub samples: u32,
    /// Temperature of the samples.
    pub temperature: f32,
    /// Most refusals for each hundred right examples.
    pub refusals: usize,
    /// Time of asking for questions without their own.
    pub now: Zoned,
    /// The name of questions and graph in examples and card.
    pub source: String,
}

/// The outcomes of the questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TuneCounts {
    /// Asked questions.
    pub asked: usize,
    /// Of these, questions that the first, greedy run answered correctly.
    pub right_at_first: usize,
    /// Questions that a sample answered correctly.
    pub right_later: usize,
    /// Those without a right run.
    pub never_right: usize,
    /// Those whose query the question file states, or has no other than a refusal: no teacher was
    /// asked.
    #[serde(default)]
    pub written: usize,
    /// Those left out because no teacher may be asked and the file has no right query.
    #[serde(default)]
    pub unasked: usize,
    /// Questions excluded because they resemble evaluation questions.
    pub leaking: LeakCounts,
}

/// Makes examples of questions, in their order. `progress` gets the number of finished questions
/// and the number of examples.
///
/// # Errors
/// Errors of graph and index; a failed question counts as never right.
pub async fn tune_export(
    config: &TuneConfig<'_>,
    questions: &[PreparedQuestion],
    held_out: &HeldOut,
    mut progress: impl FnMut(usize, usize),
) -> Result<(Vec<TuneExample>, TuneCounts), EvalError> {
    let mut counts = TuneCounts::default();
    let (mut examples, mut kept) = (Vec::new(), Vec::new());
    for (done, question) in questions.iter().enumerate() {
        progress(done, examples.len());
        if let Some(leak) = held_out.leak(&question.question) {
            counts.leaking.add(leak);
            continue;
        }
        examples.extend(Lesson { config, question }.learn(&mut counts).await?);
        kept.push(question);
    }
    examples.extend(refusals(&examples, &kept, config.refusals));
    progress(questions.len(), examples.len());
    Ok((examples, counts))
}

/// One question.
struct Lesson<'a> {
    config: &'a TuneConfig<'a>,
    question: &'a PreparedQuestion,
}

impl Lesson<'_> {
    async fn learn(&self, counts: &mut TuneCounts) -> Result<Vec<TuneExample>, EvalError> {
        if let Some(heard) = self.written().await? {
            counts.written += 1;
            let refuses = status_of(&heard.reply) == NO_QUERY;
            let kind = if refuses { ExampleKind::Refusal } else { ExampleKind::Gold };
            return Ok(vec![self.example(kind, heard)]);
        }
        if self.config.samples == 0 {
            counts.unasked += 1;
            return Ok(Vec::new());
        }
        counts.asked += 1;
        let unanswerable = self.question.question.has_no_answer();
        let mut shown = None;
        for sample in 0..self.config.samples {
            let (row, heard) = self.ask(sample, &self.config.options).await?;
            let right = self.right(&row, &heard).await?;
            if !right.is_empty() {
                let count = if sample == 0 { &mut counts.right_at_first } else { &mut counts.right_later };
                *count += 1;
                let kind = if unanswerable { ExampleKind::Refusal } else { ExampleKind::Accepted };
                return Ok(right.into_iter().map(|heard| self.example(kind, heard)).collect());
            }
            shown = shown.or_else(|| heard.into_iter().next());
        }
        counts.never_right += 1;
        let corrected =
            if unanswerable { shown.and_then(|heard| self.refused(heard)) } else { self.gold().await? };
        Ok(corrected.into_iter().collect())
    }

    /// The query of the question file under the question's prompt, if it runs over this graph's
    /// tables and gives the gold rows. A file without answers vouches for its query. A question
    /// without an answer has one right query, so no teacher is asked for it.
    async fn written(&self) -> Result<Option<Heard>, EvalError> {
        let question = &self.question.question;
        let refusal = || question.has_no_answer().then_some(NO_QUERY);
        let of_file = question.sql.as_deref().or_else(refusal);
        let Some(sql) = of_file.filter(|_| self.config.recorder.task() == TuneTask::Query) else {
            return Ok(None);
        };
        self.config.recorder.begin_written(sql);
        self.ask_as_set(&self.config.options).await;
        let heard = self.config.recorder.take();
        let refuses = status_of(sql) == NO_QUERY;
        if refuses || question.answers.is_empty() && !question.has_no_answer() {
            let runs = refuses || self.table_of(sql).await?.is_some();
            return Ok(heard.into_iter().next().filter(|_| runs));
        }
        Ok(self.right_query(&heard).await?.into_iter().next())
    }

    /// Asks once and records the task's model calls.
    async fn ask(&self, sample: u32, options: &AskOptions) -> Result<(Row, Vec<Heard>), EvalError> {
        let sampled = (sample > 0).then_some((self.config.temperature, u64::from(sample)));
        self.config.recorder.begin(sampled);
        let row = self.ask_as_set(options).await;
        Ok((row, self.config.recorder.take()))
    }

    async fn ask_as_set(&self, options: &AskOptions) -> Row {
        let config = RunConfig {
            engine: self.config.engine,
            options: options.clone(),
            llm: self.config.llm.clone(),
            anchors: AnchorSetting::Open,
            oracle: false,
            now: self.config.now.clone(),
            judge: None,
            parallel: 1,
            measured: None,
        };
        answer_question(&config, self.question).await.row
    }

    /// The messages of one run that are worth learning: none if the answer was wrong or not
    /// grounded.
    async fn right(&self, row: &Row, heard: &[Heard]) -> Result<Vec<Heard>, EvalError> {
        if self.question.question.has_no_answer() {
            let refused = |heard: &&Heard| {
                row.ended != Ended::Answered
                    && refusal_of(self.config.recorder.task(), &heard.reply)
                        .is_some_and(|refusal| status_of(&refusal) == status_of(&heard.reply))
            };
            return Ok(heard.iter().rev().find(refused).cloned().into_iter().collect());
        }
        if self.config.recorder.task() == TuneTask::Query {
            return self.right_query(heard).await;
        }
        let rows = row.score.rows.is_some_and(|rows| rows.exact == 1.0);
        let exact =
            row.score.exact == 1.0 || rows || (self.question.question.any_of && row.score.hit_at_1 == 1.0);
        if row.ended != Ended::Answered || !row.grounded || !exact {
            return Ok(Vec::new());
        }
        Ok(match self.config.recorder.task() {
            // Later compositions of one run have more evidence, so the last one counts.
            TuneTask::Compose => heard.last().cloned().into_iter().collect(),
            TuneTask::Query | TuneTask::Plan => heard.to_vec(),
        })
    }

    /// The first query whose rows are the gold ones, under its original prompt.
    async fn right_query(&self, heard: &[Heard]) -> Result<Vec<Heard>, EvalError> {
        let Some(first) = heard.first() else { return Ok(Vec::new()) };
        for written in heard {
            let Some(table) = self.table_of(&written.reply).await? else { continue };
            if self.question.table.score(&GivenTable::of_table(&table)).exact == 1.0 {
                return Ok(vec![Heard { reply: written.reply.clone(), ..first.clone() }]);
            }
        }
        Ok(Vec::new())
    }

    /// The rows of a query; `None` if it cannot be read, bound or run.
    async fn table_of(&self, sql: &str) -> Result<Option<AnswerTable>, EvalError> {
        let question = Question::new(&self.question.question.question, self.config.now.clone())?;
        match self.config.engine.run_sql(&question, sql).await {
            Ok(table) => Ok(Some(table)),
            Err(AnswerError::Usage(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn example(&self, kind: ExampleKind, heard: Heard) -> TuneExample {
        let task = self.config.recorder.task();
        TuneExample::new(task, kind, heard, self.question, &self.config.source)
    }

    /// An unanswerable question that was always answered, with the correct refusal.
    fn refused(&self, heard: Heard) -> Option<TuneExample> {
        let reply = refusal_of(self.config.recorder.task(), &heard.reply)?;
        Some(self.example(ExampleKind::Refusal, Heard { reply, ..heard }))
    }

    /// The gold answer under the prompt without reasoning, if the evidence contains all of it
    /// (KERAG §4.3, step 3).
    async fn gold(&self) -> Result<Option<TuneExample>, EvalError> {
        let mut options = self.config.options.clone();
        let published = options.method == Method::Kerag && options.config.planner == Planner::Published;
        if self.config.recorder.task() != TuneTask::Compose || !published {
            return Ok(None);
        }
        options.config.kerag.summary = Summary::Plain;
        let (_, heard) = self.ask(0, &options).await?;
        let Some(heard) = heard.into_iter().last() else { return Ok(None) };
        let shown = heard.messages.last().map(|message| message.content.as_str()).unwrap_or_default();
        if self.question.gold.is_empty() || !self.question.gold.iter().all(|gold| gold.occurs_in(shown)) {
            return Ok(None);
        }
        Ok(Some(self.example(ExampleKind::Gold, Heard { reply: gold_reply(self.question), ..heard })))
    }
}

/// The status of a composed answer, or the query itself.
fn status_of(reply: &str) -> String {
    let form: Option<serde_json::Value> = serde_json::from_str(reply).ok();
    let status = form.as_ref().and_then(|form| form.get("status")?.as_str().map(str::to_owned));
    status.unwrap_or_else(|| reply.trim().trim_end_matches(';').to_uppercase())
}

/// Refusals made from right examples: each with another question over the same graph, preferably
/// about the same topic.
fn refusals(examples: &[TuneExample], questions: &[&PreparedQuestion], share: usize) -> Vec<TuneExample> {
    let right: Vec<(usize, &TuneExample)> =
        (0..).zip(examples).filter(|(_, example)| example.kind != ExampleKind::Refusal).collect();
    let most = (right.len() * share).div_ceil(100);
    let most = most.saturating_sub(examples.len() - right.len());
    let refused = right.iter().filter_map(|(at, example)| {
        let own = questions.iter().find(|question| question.question.id == example.question_id);
        let topics = own.map_or(&[][..], |own| own.question.topic_entities.as_slice());
        let is_apart = |other: &PreparedQuestion| {
            !other.question.topic_entities.iter().any(|topic| topics.contains(topic))
        };
        // A different one for each example, deterministically.
        let begin = (at * 7 + 1) % questions.len().max(1);
        let mut others: Vec<_> =
            questions.iter().cycle().skip(begin).take(questions.len().min(PARTNERS)).collect();
        others.sort_by_key(|other| is_apart(other));
        others.into_iter().find_map(|other| example.refusing(other))
    });
    refused.take(most).collect()
}
