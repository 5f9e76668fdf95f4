//! The critic of the planner `paths`. The validator accepts or rejects the first result, with the
//! paths to it as context; the commentator names the error as one of the kinds of Table 4, with
//! collected experiences as examples.

use std::time::Duration;

use quipu_graph::NodeId;
use quipu_model::{ChatRequest, Constraint, ScoreRequest};
use quipu_stages::answer::{AnswerError, Event, Refinement, Stage, cell};
use quipu_stages::critique::says_yes;
use quipu_stages::ledger::Context;
use quipu_stages::prompts::Prompt;
use quipu_stages::retrieve::Documents;
use serde_json::{Value, json};

use super::reader::read;
use super::router::{Action, Router};
use crate::methods::hybrid::experience::Experiences;
use crate::methods::hybrid::feedback::{Feedback, by_gold};
use crate::methods::hybrid::found::{Found, UNVALIDATED, Verdict, entries};
use crate::methods::hybrid::ways::paths_to;
use crate::methods::hybrid::{HybridConfig, Judge, report};

/// Longest wait for a local model to read one document.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Validator and commentator.
pub(super) struct Critic<'a> {
    context: &'a Context<'a>,
    documents: &'a Documents<'a>,
    question: &'a str,
    config: &'a HybridConfig,
    judge: Judge<'a>,
    gold: Vec<NodeId>,
}

impl<'a> Critic<'a> {
    pub(super) async fn new(
        context: &'a Context<'a>,
        documents: &'a Documents<'a>,
        question: &'a str,
        config: &'a HybridConfig,
    ) -> Result<Self, AnswerError> {
        let judge = Judge::of(context, config);
        let gold = judge.gold(context).await?;
        Ok(Self { context, documents, question, config, judge, gold })
    }

    /// Reads the best documents, ranks them, and judges the first: three calls, or one fewer if the
    /// model does not judge.
    pub(super) async fn validate(
        &self,
        round: usize,
        action: &Action,
        found: &mut Found,
        router: &Router<'_>,
    ) -> Result<Verdict, AnswerError> {
        read(self.context, self.documents, self.question, found, self.config.read).await?;
        let _timer = self.context.ledger.enter(Stage::Critique);
        let Some(first) = found.entities.first() else {
            return Ok(Verdict { accepted: false, probability: 0.0 });
        };
        let probability = match self.judge {
            Judge::Nobody => return Ok(Verdict { accepted: true, probability: 1.0 }),
            Judge::Given(_) => f64::from(u8::from(self.gold.contains(&first.node))),
            Judge::Model if !self.context.has_model() => {
                return Ok(Verdict { accepted: true, probability: UNVALIDATED });
            }
            Judge::Model => match self.ask(action, found, router).await {
                Err(AnswerError::Exhausted(limit)) => {
                    self.context.note_limit(limit);
                    let reason = format!("{limit}; the results are not validated");
                    self.context.trace.report(Stage::Critique, Event::Degraded { reason });
                    return Ok(Verdict { accepted: true, probability: UNVALIDATED });
                }
                probability => probability?,
            },
        };
        let accepted = probability >= self.config.accept;
        let document = entries(self.context, self.documents, found, 1).await?.pop().unwrap_or_default();
        let step = Refinement::Validated { document, accepted, probability };
        report(self.context, Stage::Critique, round, step);
        Ok(Verdict { accepted, probability })
    }

    /// The validator's probability of a yes, by likelihood if the model gives it: one call.
    async fn ask(&self, action: &Action, found: &Found, router: &Router<'_>) -> Result<f64, AnswerError> {
        let document = entries(self.context, self.documents, found, 1).await?.pop().unwrap_or_default();
        let first = found.entities.first();
        let paths = match (first, self.config.validation_context) {
            (Some(entity), true) if entity.satisfies => {
                let name = document.split(':').next().unwrap_or_default();
                paths_to(&router.chosen(action), entity.node, name)
            }
            _ => Vec::new(),
        };
        let judged = self.context.memory::<Experiences>().judged(self.config.validations);
        let values =
            json!({ "question": self.question, "document": document, "paths": paths, "examples": judged });
        let messages = Prompt::HybridValidate.render(values)?;
        if self.context.model()?.abilities().score {
            let answers = ["yes".to_owned(), "no".to_owned()];
            let request = ScoreRequest {
                stage: "critique.validate".into(),
                messages,
                continuations: answers.into(),
                timeout: TIMEOUT,
            };
            let scores = self.context.score(Stage::Critique, request).await?.scores;
            let likelihood = |at: usize| scores.get(at).map_or(f64::NEG_INFINITY, |(score, _)| *score);
            return Ok(1.0 / (1.0 + (likelihood(1) - likelihood(0)).exp()));
        }
        let accepted = says_yes(self.context, "critique.validate", messages).await?;
        Ok(if accepted { 1.0 } else { 0.0 })
    }

    /// The error in an action: one call, or none if there is only one possible error or the model
    /// does not judge.
    pub(super) async fn comment(
        &self,
        round: usize,
        action: &Action,
        router: &Router<'_>,
    ) -> Result<Option<Feedback>, AnswerError> {
        let _timer = self.context.ledger.enter(Stage::Critique);
        let feedback = match self.judge {
            Judge::Given(_) => by_gold(&router.taken(action), &router.requirements, &self.gold),
            Judge::Nobody => None,
            Judge::Model => match self.choose(action, router).await {
                // Without a comment the router goes on with its next best action.
                Err(AnswerError::Exhausted(limit)) => {
                    self.context.note_limit(limit);
                    None
                }
                feedback => feedback?,
            },
        };
        if let Some(feedback) = &feedback {
            let step =
                Refinement::Feedback { kind: feedback.kind.name().into(), about: feedback.name.clone() };
            report(self.context, Stage::Critique, round, step);
        }
        Ok(feedback)
    }

    async fn choose(&self, action: &Action, router: &Router<'_>) -> Result<Option<Feedback>, AnswerError> {
        let mut options = Feedback::options(&router.taken(action));
        if options.len() < 2 || !self.context.has_model() {
            return Ok(options.pop());
        }
        let texts: Vec<String> = options.iter().map(|option| cell(&option.text())).collect();
        let messages = Prompt::HybridComment.render(self.told(action, router))?;
        let best = if self.context.model()?.abilities().score {
            let request = ScoreRequest {
                stage: "critique.comment".into(),
                messages,
                continuations: texts,
                timeout: TIMEOUT,
            };
            let scores = self.context.score(Stage::Critique, request).await?.scores;
            // The score per token, so that a longer name is not less likely to be the error.
            let mean = |(score, tokens): &(f64, u32)| score / f64::from((*tokens).max(1));
            let best = scores.iter().enumerate().max_by(|a, b| mean(a.1).total_cmp(&mean(b.1)));
            best.map(|(at, _)| at)
        } else {
            let request = ChatRequest::new("critique.comment", messages)
                .with_constraint(Constraint::Choice(texts.clone()))
                .with_max_tokens(60);
            let reply = self.context.chat(Stage::Critique, request).await?;
            texts.iter().position(|text| reply.text.contains(text.as_str()))
        };
        Ok(best.filter(|at| *at < options.len()).map(|at| options.swap_remove(at)))
    }

    fn told(&self, action: &Action, router: &Router<'_>) -> Value {
        let taken = router.taken(action);
        let experiences = self.context.memory::<Experiences>().balanced(self.config.experiences);
        json!({
            "experiences": experiences,
            "question": self.question,
            "module": taken.module(),
            "entities": taken.entities().iter().map(|name| cell(name)).collect::<Vec<_>>(),
            "relations": taken.relations,
        })
    }
}
