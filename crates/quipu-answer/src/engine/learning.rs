//! What an engine learns of its workspace: solved examples, relation cards ahead of questions, experiences.

use std::time::Duration;

use quipu_graph::{RelationId, RelationRole};

use super::Engine;
use crate::answer::{Answer, AnswerError, Planned, Question};
use crate::ledger::{Context, Ledger, Limits, Trace};
use crate::link::masked;
use crate::methods::{Experience, Experiences, HybridConfig, Learnt, learn_from};
use crate::plan::{Cards, SolvedExample, SolvedExamples, plan_keys, write_card};
use crate::planners::Planner;

/// Nobody waits for a card that is written ahead; a model that takes longer than this is stuck.
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

    /// Writes the cards of the `most` relations of the most triples that have none yet, so that no question waits for them: one
    /// model call each. `progress` hears how many are done, of how many.
    ///
    /// # Errors
    /// When graph or model fail; cards written until then are kept.
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

    /// Collects what the prompts of the hybrid method show, from questions with the keys of their answers: for the commentator what was wrong
    /// with the router's actions, at most `most`, balanced over the kinds of error; for the router what is to be extracted; for the validator
    /// documents that are right and that are not. They take the place of those that the workspace has. As published the model routes: two
    /// calls for each action; by another planner the graph does. `progress` hears how many questions are done.
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

    /// The experiences that the workspace has.
    pub fn experiences(&self) -> Vec<Experience> {
        self.source.memories.of::<Experiences>().all()
    }
}
