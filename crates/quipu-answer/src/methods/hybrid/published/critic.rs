//! The critic (HybGRAG §3.2). The validator accepts or rejects the first result, with the paths to
//! it as context; the commentator names the error as one of the kinds of Table 4, with collected
//! experiences as examples. One call each.

use quipu_graph::NodeId;
use quipu_model::{ChatRequest, Constraint};
use quipu_stages::answer::{AnswerError, Refinement, Stage, cell};
use quipu_stages::critique::says_yes;
use quipu_stages::ledger::Context;
use quipu_stages::plan::{Requirement, requirements};
use quipu_stages::prompts::Prompt;
use quipu_stages::retrieve::Documents;
use serde_json::json;

use super::bank::Retrieved;
use crate::methods::hybrid::experience::Experiences;
use crate::methods::hybrid::feedback::{Feedback, by_gold};
use crate::methods::hybrid::found::{Found, Verdict, entries};
use crate::methods::hybrid::ways::paths_to;
use crate::methods::hybrid::{HybridConfig, Judge, report};

/// Paths to one document shown to the validator; they differ only in the sense of a name.
const PATHS_SHOWN: usize = 4;

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

    pub(super) fn is_off(&self) -> bool {
        self.judge == Judge::Nobody
    }

    /// Whether the first document answers the question. Without any document it is rejected without
    /// a call.
    ///
    /// # Errors
    /// The model's.
    pub(super) async fn validate(&self, round: usize, retrieved: &Retrieved) -> Result<Verdict, AnswerError> {
        let _timer = self.context.ledger.enter(Stage::Critique);
        let Some(first) = retrieved.found.entities.first() else {
            return Ok(Verdict { accepted: false, probability: 0.0 });
        };
        let document = entry(self.context, self.documents, &retrieved.found).await?;
        let accepted = match self.judge {
            Judge::Nobody => true,
            Judge::Given(_) => self.gold.contains(&first.node),
            Judge::Model => {
                let paths = match self.config.validation_context {
                    true => shown_paths(&retrieved.ways, first.node, &document),
                    false => Vec::new(),
                };
                self.says_yes(&document, &paths).await?
            }
        };
        let probability = f64::from(u8::from(accepted));
        report(
            self.context,
            Stage::Critique,
            round,
            Refinement::Validated { document, accepted, probability },
        );
        Ok(Verdict { accepted, probability })
    }

    async fn says_yes(&self, document: &str, paths: &[String]) -> Result<bool, AnswerError> {
        let judged = self.context.memory::<Experiences>().judged(self.config.validations);
        let values =
            json!({ "question": self.question, "document": document, "paths": paths, "examples": judged });
        says_yes(self.context, "critique.validate", Prompt::HybridValidate.render(values)?).await
    }

    /// The error in an action; `None` if the commentator's reply cannot be read.
    ///
    /// # Errors
    /// The model's.
    pub(super) async fn comment(
        &self,
        round: usize,
        retrieved: &Retrieved,
    ) -> Result<Option<Feedback>, AnswerError> {
        let _timer = self.context.ledger.enter(Stage::Critique);
        let feedback = match self.judge {
            Judge::Nobody => None,
            Judge::Given(_) => {
                let (_, possible) =
                    requirements(self.context, self.question, self.config.requirements).await?;
                by_gold(&retrieved.taken, &possible, &self.gold)
            }
            Judge::Model => self.says_wrong(retrieved).await?,
        };
        if let Some(feedback) = &feedback {
            let step =
                Refinement::Feedback { kind: feedback.kind.name().into(), about: feedback.name.clone() };
            report(self.context, Stage::Critique, round, step);
        }
        Ok(feedback)
    }

    async fn says_wrong(&self, retrieved: &Retrieved) -> Result<Option<Feedback>, AnswerError> {
        let mut options = Feedback::options(&retrieved.taken);
        let texts: Vec<String> = options.iter().map(|option| cell(&option.text())).collect();
        let values = json!({
            "experiences": self.context.memory::<Experiences>().balanced(self.config.experiences),
            "question": self.question,
            "module": retrieved.taken.module(),
            "entities": retrieved.taken.entities(),
            "relations": retrieved.taken.relations,
        });
        let request = ChatRequest::new("critique.comment", Prompt::HybridComment.render(values)?)
            .with_constraint(Constraint::Choice(texts.clone()))
            .with_max_tokens(60);
        let said = self.context.chat(Stage::Critique, request).await?.text;
        // The longest match wins, so that a name inside another one is not taken for it.
        let named = texts.iter().enumerate().filter(|(_, text)| said.contains(text.as_str()));
        let best = named.max_by_key(|(_, text)| text.len()).map(|(at, _)| at);
        Ok(best.map(|at| options.swap_remove(at)))
    }
}

/// The first document as the validator reads it.
///
/// # Errors
/// The graph's and the index's.
pub(super) async fn entry(
    context: &Context<'_>,
    documents: &Documents<'_>,
    found: &Found,
) -> Result<String, AnswerError> {
    Ok(entries(context, documents, found, 1).await?.pop().unwrap_or_default())
}

/// The paths to a document, as the validator reads them.
pub(super) fn shown_paths(ways: &[Requirement], node: NodeId, document: &str) -> Vec<String> {
    let name = document.split(':').next().unwrap_or_default();
    let mut paths = paths_to(ways, node, name);
    paths.truncate(PATHS_SHOWN);
    paths
}
