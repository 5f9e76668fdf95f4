//! Learning about an engine's workspace: solved examples, relation cards ahead of questions,
//! experiences.

use std::time::Duration;

use quipu_graph::{RelationId, RelationRole};
use quipu_stages::answer::{Answer, AnswerError, Planned, Question};
use quipu_stages::ledger::{Context, Ledger, Limits, Trace};
use quipu_stages::link::masked;
use quipu_stages::plan::{Cards, SolvedExample, SolvedExamples, plan_keys, write_card};
use quipu_stages::planners::{Planner, query};

use super::Engine;
use crate::methods::{Experience, Experiences, HybridConfig, Learnt, MethodConfig, learn_from};

/// Longest wait for a card written ahead, while nobody waits; a slower model is stuck.
const CARD_AHEAD_TIMEOUT: Duration = Duration::from_secs(600);

impl Engine {
    /// Keeps the path or the query that led to an answer as a solved example.
    pub(super) async fn learn(
        &self,
        context: &Context<'_>,
        question: &Question,
        plan: Option<&Planned>,
        answer: &Answer,
    ) -> Result<(), AnswerError> {
        let text = question.text();
        let reading = answer.readings.first();
        let sql = reading.and_then(|reading| reading.sql.clone());
        let learnt = SolvedExample {
            question: text.to_owned(),
            sql,
            answers: answer.answers.clone(),
            learnt: true,
            ..SolvedExample::default()
        };
        let example = match (plan, reading) {
            (Some(plan), _) if plan.plain().is_some() => {
                let span = plan.plain().map(|(_, span)| span.clone()).unwrap_or_default();
                let (before, behind) = (text.get(..span.start), text.get(span.end..));
                let (Some(before), Some(behind)) = (before, behind) else { return Ok(()) };
                SolvedExample {
                    masked: [before, "X", behind].concat().split_whitespace().collect::<Vec<_>>().join(" "),
                    plan: plan_keys(self.source.workspace.graph().as_ref(), &plan.steps),
                    way: plan.way.clone(),
                    ..learnt
                }
            }
            (_, Some(reading)) if learnt.sql.is_some() => {
                SolvedExample { masked: masked(context, text).await?, way: reading.words.clone(), ..learnt }
            }
            _ => return Ok(()),
        };
        self.source.memories.of::<SolvedExamples>().add(&self.source.workspace.graph_state(), example)
    }

    /// Writes the missing cards of the `most` relations with the most triples, so that no question
    /// waits for them: one model call each. `progress` receives the number done and the total.
    ///
    /// # Errors
    /// When graph or model fail; the cards written before are kept.
    pub async fn learn_relations(
        &self,
        most: usize,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<usize, AnswerError> {
        let (trace, ledger) = (Trace::new(None), Ledger::default());
        let limits = Limits { llm_calls: u32::MAX, time: Duration::MAX, ..Limits::default() };
        let context = self.within(limits, &trace, &ledger);
        let mut relations: Vec<(u64, RelationId, &str)> = context
            .graph()
            .relations()
            .iter()
            .enumerate()
            .filter(|(_, info)| {
                info.role == RelationRole::Ordinary
                    && context.memory::<Cards>().lacks(&info.key, self.model_name())
            })
            .filter_map(|(at, info)| {
                Some((info.triples, RelationId(u32::try_from(at).ok()?), info.key.as_str()))
            })
            .collect();
        relations.sort_by_key(|(triples, relation, _)| (std::cmp::Reverse(*triples), *relation));
        relations.truncate(most);
        for (done, (_, relation, key)) in relations.iter().enumerate() {
            progress(done, relations.len());
            let card = write_card(&context, *relation, CARD_AHEAD_TIMEOUT).await?;
            context.memory::<Cards>().add([((*key).to_owned(), card)])?;
        }
        Ok(relations.len())
    }

    /// Lets a local model read the graph's tables ahead of the first question, with which the
    /// prompts of `auto` and `query` begin, and name the tables that the graph does not name. False
    /// without a model, and where the tables are chosen for each question.
    ///
    /// # Errors
    /// When graph, embedder or model fail.
    pub async fn read_ahead(&self, config: &MethodConfig) -> Result<bool, AnswerError> {
        let (trace, ledger) = (Trace::new(None), Ledger::default());
        // As many calls as a first question has, so that the nouns are the same.
        let limits = Limits { llm_calls: config.auto.llm_calls, time: Duration::MAX, ..Limits::default() };
        let context = self.within(limits, &trace, &ledger);
        Ok(context.has_model() && query::read_ahead(&context, &config.query).await?)
    }

    /// Collects examples for the prompts of the hybrid method, from questions with the keys of
    /// their answers: for the commentator the errors in the router's actions, at most `most`,
    /// balanced over the kinds of error; for the router extractions; for the validator right and
    /// wrong documents. They replace those of the workspace. With the published planner the model
    /// routes, two calls for each action; with another planner the graph does. `progress` receives
    /// the number of questions done and the total.
    ///
    /// # Errors
    /// When graph, index or model fail.
    pub async fn collect_experiences(
        &self,
        questions: &[(String, Vec<String>)],
        most: usize,
        (config, planner): (&HybridConfig, Planner),
        mut progress: impl FnMut(usize, usize),
    ) -> Result<Vec<Experience>, AnswerError> {
        let mut found = Learnt::default();
        for (done, (question, gold)) in questions.iter().enumerate() {
            progress(done, questions.len());
            let (trace, ledger) = (Trace::new(None), Ledger::default());
            let context = self.within(Limits::default(), &trace, &ledger);
            found.add(learn_from(&context, question, gold, config, planner).await?);
        }
        let kept = found.bounded(most, config.examples, config.validations);
        let experiences = kept.experience.clone();
        self.source.memories.of::<Experiences>().relearn(kept)?;
        Ok(experiences)
    }

    /// The experiences of the workspace.
    pub fn experiences(&self) -> Vec<Experience> {
        self.source.memories.of::<Experiences>().all()
    }
}
