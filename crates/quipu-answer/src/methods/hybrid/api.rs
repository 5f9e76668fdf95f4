//! HybGRAG over APIs (App. C, CRAG): there are no documents to rank, so the modules are the graph, which the APIs are, and the pages that
//! came with the question; the answer itself is validated, and the commentator's feedback is one of the five kinds of Table 12.
//!
//! Calls: form, names, answer, validation; for each further round a comment, what it has read again, an answer and its validation. A page
//! batch is the next fifteen snippets by similarity, not the next five pages.

use quipu_graph::ApiGraph;
use quipu_model::{ChatRequest, Constraint, ModelError};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{CriticKind, HybridConfig, report};
use crate::AnswerError;
use crate::answer::Status;
use crate::compose::compose_with;
use crate::context::Context;
use crate::evidence::{Evidence, cell, to_markdown};
use crate::methods::Outcome;
use crate::plan::{Subject, domain_of, read_subject_in};
use crate::prompts::Prompt;
use crate::question::Question;
use crate::retrieve::{nearest_snippets, retrieve_from_apis};
use crate::time::time_frames;
use crate::trace::{Event, Refinement, Stage};

/// Snippets of a batch of pages.
const BATCH: usize = 15;
/// Operations that are called at first, and how many more once they were the wrong ones.
const OPERATIONS: usize = 3;
const TYPES: [&str; 8] = [
    "simple",
    "simple_w_condition",
    "set",
    "comparison",
    "aggregation",
    "multi_hop",
    "post_processing",
    "false_premise",
];
const DYNAMISMS: [&str; 4] = ["real-time", "fast-changing", "slow-changing", "static"];

/// What was read wrongly: the kinds of corrective feedback of Table 12.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Misread {
    /// The kind of question was read wrongly.
    QuestionType,
    /// How fast its answer changes was.
    Dynamism,
    /// Its field was.
    Domain,
    /// The wrong things were looked up.
    EntityAndRelation,
    /// The other source is needed, or the next batch of pages.
    Module,
}

impl Misread {
    /// All kinds.
    const ALL: [Self; 5] =
        [Self::QuestionType, Self::Dynamism, Self::Domain, Self::EntityAndRelation, Self::Module];

    /// The kind in words.
    fn name(self) -> &'static str {
        match self {
            Self::QuestionType => "incorrect question type",
            Self::Dynamism => "incorrect question dynamism",
            Self::Domain => "incorrect question domain",
            Self::EntityAndRelation => "incorrect entity and relation",
            Self::Module => "incorrect retrieval module",
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Form {
    #[serde(rename = "type")]
    kind: String,
    dynamism: String,
    domain: String,
}

/// Where references come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Graph,
    Pages,
}

/// What the router holds of the question, and what was found wrong before.
struct Reading<'a> {
    context: &'a Context<'a>,
    question: &'a Question,
    apis: Vec<&'a ApiGraph>,
    form: Form,
    subject: Subject,
    source: Source,
    operations: usize,
    /// Batches of pages that were read.
    batches: usize,
    not: [Vec<String>; 3],
}

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &HybridConfig,
) -> Result<Outcome, AnswerError> {
    let mut reading = Reading::open(context, question).await?;
    let mut last = Outcome::abstain("neither the graph nor pages hold anything on this", Vec::new());
    for round in 1..=config.rounds.max(1) {
        reading.tell(round);
        let evidence = reading.retrieve().await?;
        report(context, Stage::Retrieve, round, Refinement::Retrieved { entities: evidence.len() });
        let outcome = reading.answer(evidence).await?;
        let accepted = match config.critic {
            CriticKind::Off => true,
            CriticKind::Model | CriticKind::Oracle(_) => reading.validate(round, &outcome).await?,
        };
        // An answer that was rejected is better than none, and the last one better than those before it.
        if accepted || outcome.status != Status::Abstained || last.status == Status::Abstained {
            let confidence = if accepted { outcome.confidence } else { 0.2 };
            last = Outcome { confidence, ..outcome };
        }
        if accepted || round == config.rounds || context.calls_left() < 3 {
            break;
        }
        let feedback = reading.comment(round).await?;
        reading.correct(feedback).await?;
    }
    Ok(last)
}

impl<'a> Reading<'a> {
    async fn open(context: &'a Context<'a>, question: &'a Question) -> Result<Self, AnswerError> {
        let apis: Vec<&ApiGraph> = context.workspace.apis().iter().map(|api| &**api).collect();
        let form = Form { kind: "simple".into(), dynamism: "static".into(), domain: String::new() };
        let subject = Subject::default();
        let (source, operations, not) = (Source::Graph, OPERATIONS, <[Vec<String>; 3]>::default());
        let mut reading =
            Self { context, question, apis, form, subject, source, operations, batches: 0, not };
        let _timer = context.trace.enter(Stage::Plan);
        reading.fill_form("").await?;
        reading.look_up("").await?;
        Ok(reading)
    }

    /// Type, dynamism and field, without what was found wrong: one call. Rules decide the field where they can.
    async fn fill_form(&mut self, wrong: &str) -> Result<(), AnswerError> {
        let left = |all: &[&str], not: &[String]| -> Vec<String> {
            all.iter().filter(|name| !not.iter().any(|n| n == *name)).map(|name| (*name).to_owned()).collect()
        };
        let mut known: Vec<&str> = self.apis.iter().flat_map(|api| api.service().domains()).collect();
        known.push(crate::plan::OTHER);
        known.sort_unstable();
        known.dedup();
        let [not_type, not_dynamism, not_domain] = &self.not;
        let ruled = domain_of(self.question.text(), &self.apis).filter(|domain| !not_domain.contains(domain));
        let (types, dynamisms) = (left(&TYPES, not_type), left(&DYNAMISMS, not_dynamism));
        let domains = ruled.map_or_else(|| left(&known, not_domain), |domain| vec![domain]);
        if types.is_empty() || dynamisms.is_empty() || domains.is_empty() {
            return Ok(());
        }
        let before = if wrong.is_empty() { String::new() } else { json!(self.form).to_string() };
        let values =
            json!({ "domains": domains, "wrong": wrong, "before": before, "question": self.question.text() });
        let of = |names: &[String]| json!({ "type": "string", "enum": names });
        let schema = json!({
            "type": "object",
            "properties": { "type": of(&types), "dynamism": of(&dynamisms), "domain": of(&domains) },
            "required": ["type", "dynamism", "domain"],
        });
        let request = ChatRequest::new("plan.form", Prompt::HybridForm.render(values)?).with_max_tokens(80);
        match self.context.json::<Form>(Stage::Plan, request, &schema).await {
            Ok(form) => self.form = form,
            Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
                self.context.trace.report(Stage::Plan, Event::Degraded { reason: error.to_string() });
                self.form.domain = domains.into_iter().next().unwrap_or_default();
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// The names to look up in the field: one call.
    async fn look_up(&mut self, before: &str) -> Result<(), AnswerError> {
        let domain = Some(self.form.domain.clone()).filter(|domain| domain != crate::plan::OTHER);
        match read_subject_in(self.context, self.question, &self.apis, domain, before).await {
            Ok(subject) => self.subject = subject,
            Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
                self.context.trace.report(Stage::Plan, Event::Degraded { reason: error.to_string() });
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn looked_up(&self) -> Vec<String> {
        self.subject.entities.iter().map(|e| format!("{} ({})", cell(&e.name), cell(&e.kind))).collect()
    }

    fn tell(&self, round: usize) {
        let reading = format!("{}, {}, field {}", self.form.kind, self.form.dynamism, self.form.domain);
        let step = match self.source {
            Source::Graph => Refinement::Routed {
                module: "graph".into(),
                entities: self.subject.entities.iter().map(|e| e.name.clone()).collect(),
                relations: self.subject.entities.iter().map(|e| e.kind.clone()).collect(),
                reading: self.subject.entities.iter().map(|_| reading.clone()).collect(),
            },
            Source::Pages => Refinement::Routed {
                module: "text".into(),
                entities: Vec::new(),
                relations: Vec::new(),
                reading: vec![reading],
            },
        };
        report(self.context, Stage::Plan, round, step);
    }

    async fn retrieve(&mut self) -> Result<Vec<Evidence>, AnswerError> {
        let _timer = self.context.trace.enter(Stage::Retrieve);
        if self.source == Source::Pages {
            let upto = BATCH * (self.batches + 1);
            let snippets =
                nearest_snippets(self.context, self.question.text(), self.context.pages, upto).await?;
            let batch = snippets.into_iter().skip(BATCH * self.batches).collect();
            self.batches += 1;
            return Ok(batch);
        }
        let knowing = |api: &&&ApiGraph| {
            let domains = api.service().domains();
            domains.is_empty() || domains.contains(&self.subject.domain.as_str())
        };
        let knowing: Vec<&ApiGraph> = self.apis.iter().filter(knowing).copied().collect();
        let frames = time_frames(self.question.text(), self.question.asked_at().date());
        let found = retrieve_from_apis(
            self.context,
            &knowing,
            self.question,
            &self.subject,
            &frames,
            self.operations,
        )
        .await?;
        Ok(found.evidence)
    }

    /// The generator: one call, none without references.
    async fn answer(&self, mut evidence: Vec<Evidence>) -> Result<Outcome, AnswerError> {
        if evidence.is_empty() {
            return Ok(Outcome::abstain("the source holds nothing on this", evidence));
        }
        let _timer = self.context.trace.enter(Stage::Compose);
        let frames = time_frames(self.question.text(), self.question.asked_at().date());
        let composed =
            compose_with(self.context, self.question, &frames, &evidence, Prompt::VerifyCompose).await;
        let composed = match composed {
            Ok(composed) => composed,
            Err(AnswerError::Exhausted(limit)) => return Ok(Outcome::abstain(limit.to_string(), evidence)),
            Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
                return Ok(Outcome::abstain(error.to_string(), evidence));
            }
            Err(error) => return Err(error),
        };
        let text = composed.calculation.as_ref().map(Evidence::to_line);
        evidence.extend(composed.calculation);
        let reason = (composed.status != Status::Answered).then_some(composed.reasoning);
        let (status, answers) = (composed.status, composed.answers);
        Ok(Outcome { status, answers, text, evidence, confidence: 0.7, reason })
    }

    /// Whether the prediction answers the question: one call; what was not answered is rejected without.
    async fn validate(&self, round: usize, outcome: &Outcome) -> Result<bool, AnswerError> {
        if outcome.status == Status::Abstained {
            return Ok(false);
        }
        let _timer = self.context.trace.enter(Stage::Critique);
        let invalid = outcome.status == Status::InvalidQuestion;
        let prediction = if invalid { "invalid question".into() } else { cell(&outcome.answers.join("; ")) };
        let values = json!({
            "asked_at": self.question.asked_at().date().to_string(),
            "facts": to_markdown(&outcome.evidence),
            "prediction": prediction,
            "question": self.question.text(),
        });
        let request = ChatRequest::new("critique.validate", Prompt::HybridCheck.render(values)?)
            .with_constraint(Constraint::Choice(vec!["yes".into(), "no".into()]))
            .with_max_tokens(4);
        let accepted = match self.context.chat(Stage::Critique, request).await {
            Ok(reply) => reply.text.trim().to_lowercase().starts_with("yes"),
            Err(AnswerError::Exhausted(_)) => true,
            Err(error) => return Err(error),
        };
        let probability = f64::from(u8::from(accepted));
        let step = Refinement::Validated { document: prediction, accepted, probability };
        report(self.context, Stage::Critique, round, step);
        Ok(accepted)
    }

    /// What was wrong: one call. Pages can only be of no use (App. C): then there is nothing to ask.
    async fn comment(&self, round: usize) -> Result<Misread, AnswerError> {
        let _timer = self.context.trace.enter(Stage::Critique);
        let kind = match self.source {
            Source::Pages => Misread::Module,
            Source::Graph => {
                let values = json!({
                    "source": "graph",
                    "question": self.question.text(),
                    "form": self.form,
                    "entities": self.looked_up(),
                });
                let names = Misread::ALL.iter().map(|kind| kind.name().to_owned()).collect();
                let request = ChatRequest::new("critique.comment", Prompt::HybridCommentApi.render(values)?)
                    .with_constraint(Constraint::Choice(names))
                    .with_max_tokens(12);
                let said = match self.context.chat(Stage::Critique, request).await {
                    Ok(reply) => reply.text.to_lowercase(),
                    Err(AnswerError::Exhausted(_)) => String::new(),
                    Err(error) => return Err(error),
                };
                let named = Misread::ALL.into_iter().find(|kind| said.contains(kind.name()));
                named.unwrap_or(Misread::Module)
            }
        };
        let step = Refinement::Feedback { kind: kind.name().into(), about: String::new() };
        report(self.context, Stage::Critique, round, step);
        Ok(kind)
    }

    /// Reads again what was wrong.
    async fn correct(&mut self, feedback: Misread) -> Result<(), AnswerError> {
        let _timer = self.context.trace.enter(Stage::Plan);
        let before = self.looked_up().join("; ");
        let Form { kind, dynamism, domain } = self.form.clone();
        let [not_type, not_dynamism, not_domain] = &mut self.not;
        match feedback {
            Misread::QuestionType => {
                not_type.push(kind);
                self.fill_form("its type").await
            }
            Misread::Dynamism => {
                not_dynamism.push(dynamism);
                self.fill_form("its dynamism").await
            }
            Misread::Domain => {
                not_domain.push(domain);
                self.fill_form("its domain").await?;
                self.look_up("").await
            }
            Misread::EntityAndRelation => {
                self.operations += OPERATIONS;
                self.look_up(&before).await
            }
            Misread::Module => {
                // To the pages, and from there to their next batch; without pages to further operations.
                match self.context.pages.is_empty() {
                    true => self.operations += OPERATIONS,
                    false => self.source = Source::Pages,
                }
                Ok(())
            }
        }
    }
}
