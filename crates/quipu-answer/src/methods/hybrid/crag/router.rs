//! The router without documents (HybGRAG App. C.2): the reading of the question, its topic entities
//! and useful relations, and the source, each by a separate call. After feedback only the wrong
//! part is asked again.

use quipu_graph::{ApiGraph, NodeId};
use quipu_model::{ChatRequest, Constraint, Message, ModelError, Role};
use quipu_stages::answer::{AnswerError, Event, Question, Refinement, Stage, cell};
use quipu_stages::ledger::Context;
use quipu_stages::prompts::Prompt;
use serde_json::{Value, json};

use crate::methods::hybrid::experience::{Experiences, Extracted, OF_FIELD};
use crate::methods::hybrid::feedback::ErrorKind;
use crate::methods::hybrid::linking::{
    Extraction, Linked, RELATIONS_SHOWN, extraction_schema, link, vocabulary,
};
use crate::methods::hybrid::{HybridConfig, Modules, report};

/// The types of questions, and how fast their answers change (App. C.2).
const TYPES: [&str; 8] = [
    "simple",
    "simple with condition",
    "set",
    "comparison",
    "aggregation",
    "multi-hop",
    "post-processing",
    "false premise",
];
const DYNAMISM: [&str; 4] = ["real-time", "fast-changing", "slow-changing", "static"];
/// Senses of one name: an API has few, and each costs requests.
const SENSES: usize = 3;

/// The action of one round.
#[derive(Debug, Clone, Default)]
pub(super) struct Action {
    pub(super) question_type: String,
    pub(super) dynamism: String,
    /// The field; empty if the source has no fields.
    pub(super) domain: String,
    pub(super) linked: Linked,
    /// Whether the pages are the source.
    pub(super) is_text: bool,
    /// The batch of pages, counted from 0.
    pub(super) batch: usize,
}

impl Action {
    pub(super) fn source(&self) -> &'static str {
        if self.is_text { "text" } else { "graph" }
    }

    pub(super) fn named(&self) -> Vec<String> {
        self.linked.entities.iter().map(|named| named.name.clone()).collect()
    }

    pub(super) fn nodes(&self) -> Vec<NodeId> {
        self.linked.entities.iter().flat_map(|named| named.senses.iter().map(|(node, _)| *node)).collect()
    }

    /// The reading of the question: type, dynamism, field.
    pub(super) fn reading(&self) -> Vec<String> {
        [&self.question_type, &self.dynamism, &self.domain]
            .into_iter()
            .filter(|text| !text.is_empty())
            .cloned()
            .collect()
    }
}

pub(super) struct Router<'a> {
    context: &'a Context<'a>,
    question: &'a Question,
    config: &'a HybridConfig,
    /// The last action; its right parts are kept.
    action: Action,
    extraction: Vec<Message>,
    /// Batches of pages read so far.
    batches: usize,
}

impl<'a> Router<'a> {
    pub(super) fn new(context: &'a Context<'a>, question: &'a Question, config: &'a HybridConfig) -> Self {
        let action = Action { is_text: config.modules == Modules::Text, ..Action::default() };
        Self { context, question, config, action, extraction: Vec::new(), batches: 0 }
    }

    /// The action of a round.
    ///
    /// # Errors
    /// The model's, the graph's, the indexes'.
    pub(super) async fn route(
        &mut self,
        round: usize,
        feedback: Option<ErrorKind>,
    ) -> Result<Action, AnswerError> {
        let _timer = self.context.ledger.enter(Stage::Plan);
        let first = feedback.is_none();
        let wrong = |kind: ErrorKind| feedback == Some(kind);
        if first || wrong(ErrorKind::IncorrectQuestionType) {
            self.action.question_type = self.read("type", &TYPES, &self.action.question_type).await?;
        }
        if first || wrong(ErrorKind::IncorrectDynamism) {
            self.action.dynamism = self.read("dynamism", &DYNAMISM, &self.action.dynamism).await?;
        }
        let domains = self.context.api().map(|api| api.service().domains()).unwrap_or_default();
        if domains.len() > 1 && (first || wrong(ErrorKind::IncorrectDomain)) {
            self.action.domain = self.read("field", &domains, &self.action.domain).await?;
        }
        let by_graph = self.config.modules != Modules::Text;
        // The extraction depends on the field.
        let anew = wrong(ErrorKind::IncorrectDomain) || wrong(ErrorKind::IncorrectEntityAndRelation);
        if by_graph && (first || anew) {
            let again = wrong(ErrorKind::IncorrectEntityAndRelation);
            let extraction = self.extract(again).await?;
            self.action.linked = link(self.context, round, extraction, SENSES).await?;
        }
        if by_graph && (first || anew || wrong(ErrorKind::IncorrectModule)) {
            self.action.is_text = self.chooses_text(!first).await?;
        }
        if self.action.is_text {
            self.action.batch = self.batches;
            self.batches += 1;
        }
        let step = Refinement::Routed {
            module: self.action.source().into(),
            entities: self.action.named(),
            relations: self.action.linked.relations.clone(),
            reading: self.action.reading(),
        };
        report(self.context, Stage::Plan, round, step);
        Ok(self.action.clone())
    }

    /// Chooses one of some options: one call. `before` is the wrong choice of the last round.
    async fn read(&self, what: &str, options: &[&str], before: &str) -> Result<String, AnswerError> {
        let options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        let values = json!({
            "what": what, "options": options, "before": before, "question": self.question.text(),
        });
        let request = ChatRequest::new(format!("plan.{what}"), Prompt::HybridReading.render(values)?)
            .with_constraint(Constraint::Choice(options.clone()))
            .with_max_tokens(12);
        let said = self.context.chat(Stage::Plan, request).await?.text.to_lowercase();
        // The longest match wins, so that "simple with condition" is not read as "simple".
        let named = options.iter().filter(|option| said.contains(option.as_str()));
        Ok(named.max_by_key(|option| option.len()).or(options.first()).cloned().unwrap_or_default())
    }

    /// Extracts entities and relations: one call. An unreadable reply extracts nothing.
    async fn extract(&mut self, again: bool) -> Result<Extraction, AnswerError> {
        if again {
            let feedback = json!({ "kind": ErrorKind::IncorrectEntityAndRelation.name(), "name": "" });
            let values = json!({ "feedback": feedback, "question": self.question.text() });
            self.extraction.extend(Prompt::HybridReflect.render(values)?);
        } else {
            let (types, relations) = self.shown().await?;
            let most = self.config.examples.min(OF_FIELD);
            let examples = self.context.memory::<Experiences>().extracted(&self.action.domain, most);
            let values = json!({
                "documents": false, "types": types, "relations": relations,
                "examples": examples.iter().map(Extracted::shown).collect::<Vec<_>>(),
                "question": self.question.text(),
            });
            self.extraction = Prompt::HybridExtract.render(values)?;
        }
        let request = ChatRequest::new("plan.extract", self.extraction.clone()).with_max_tokens(300);
        let reply: Value = match self.context.json(Stage::Plan, request, &extraction_schema()).await {
            Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
                let reason = format!("{error}; nothing is extracted");
                self.context.trace.report(Stage::Plan, Event::Degraded { reason });
                return Ok(Extraction::default());
            }
            reply => reply?,
        };
        self.extraction.push(Message::assistant(reply.to_string()));
        Ok(serde_json::from_value(reply).unwrap_or_default())
    }

    /// The last extraction as an example, of what the graph has; `None` if nothing was extracted.
    pub(super) fn extracted(&self) -> Option<Extracted> {
        let reply = self.extraction.last().filter(|message| message.role == Role::Assistant)?;
        let Extraction { entities, .. } = serde_json::from_str(&reply.content).ok()?;
        let linked = &self.action.linked;
        let is_linked = |name: &str| linked.entities.iter().any(|named| named.name == cell(name));
        let (names, categories) = entities
            .into_iter()
            .filter(|entity| is_linked(&entity.name))
            .map(|entity| (cell(&entity.name), cell(&entity.category)))
            .unzip();
        let one = Extracted {
            question: self.question.text().split_whitespace().collect::<Vec<_>>().join(" "),
            entities: names,
            categories,
            relations: linked.relations.clone(),
            field: self.action.domain.clone(),
        };
        (!one.entities.is_empty()).then_some(one)
    }

    /// The kinds of entities and the relations shown to the model; of an API only those of the
    /// question's field.
    async fn shown(&self) -> Result<(Vec<String>, Vec<String>), AnswerError> {
        let graph = self.context.graph();
        if let Some(api) = self.context.api() {
            return Ok(of_field(api, &self.action.domain));
        }
        vocabulary(graph).await
    }

    /// Whether the pages are the source: one call if there is a choice.
    async fn chooses_text(&self, again: bool) -> Result<bool, AnswerError> {
        let left = self.batches * self.config.batch < self.context.pages.len();
        let none_named = self.action.linked.entities.is_empty();
        if self.config.modules == Modules::Graph || !left || none_named {
            return Ok(left && none_named && self.config.modules != Modules::Graph);
        }
        let values = json!({
            "entities": self.action.named(), "relations": self.action.linked.relations, "again": again,
            "question": self.question.text(),
        });
        let request = ChatRequest::new("plan.route", Prompt::HybridSource.render(values)?)
            .with_constraint(Constraint::Choice(vec!["graph".into(), "text".into()]))
            .with_max_tokens(4);
        let said = self.context.chat(Stage::Plan, request).await?.text.trim().to_lowercase();
        Ok(said.starts_with("text"))
    }
}

/// The kinds and relations of an API's field; all of them if the field is unknown.
fn of_field(api: &ApiGraph, field: &str) -> (Vec<String>, Vec<String>) {
    use quipu_graph::Graph as _;
    let kinds = &api.service().kinds;
    let is_of = |domain: &str| field.is_empty() || domain.is_empty() || domain == field;
    let named = kinds.iter().filter(|kind| is_of(&kind.domain)).map(|kind| cell(&kind.name));
    let head_is_of = |head: &str| kinds.iter().any(|kind| kind.name == head && is_of(&kind.domain));
    let described = api.described_relations();
    let relations = api.relations().iter().zip(&described).filter(|(_, says)| head_is_of(&says.head));
    let relations = relations.take(RELATIONS_SHOWN).map(|(relation, _)| cell(&relation.name));
    (named.collect(), relations.collect())
}

#[cfg(test)]
mod tests;
