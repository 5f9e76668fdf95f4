//! The tools of an agent: find, relations, expand, read. The toolbox remembers the entities found,
//! labels each list of entities, and keeps the expanded triples as evidence.

use std::collections::{HashMap, HashSet};

use quipu_graph::{NodeId, Step};
use quipu_index::{SearchMode, exact_top_k, inner_product};
use quipu_language::normalise;
use quipu_model::{Embeddings, Message};
use quipu_stages::answer::{AnswerError, Evidence, Stage, cell};
use quipu_stages::ledger::Context;
use quipu_stages::link::{Anchor, anchors_for_names};
use quipu_stages::plan::OfferedRelation;
use quipu_stages::prompts::Prompt;
use quipu_stages::retrieve::{
    Walked, latest_within_budget, ordinary_steps, retrieve_passages, triples_to_evidence,
};
use serde::Serialize;

use super::walk::offered;

/// Names of a list that the model sees; the rest is only counted.
const MOST_NAMES: usize = 20;
/// Relations that the model sees; of more, the most similar to the question.
const MOST_RELATIONS: usize = 20;
/// Entities of one list that are expanded, and most neighbours of each along one step.
const MOST_NODES: usize = 100;
const MOST_NEIGHBOURS: usize = 100;
/// Candidates within this score of the best one count as near-equal.
const CLOSE: f64 = 0.02;
/// A name that no relation has stands for the nearest relation of at least this similarity.
const NEAR_RELATION: f32 = 0.5;
/// Passages returned by one `read`.
const PASSAGES: usize = 5;

/// The result of a tool, as the model sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Observation {
    /// A labelled list of entities or values, and the relations that lead on from it.
    List {
        /// `R1`, `R2`, ...
        label: String,
        /// Some of the names.
        names: Vec<String>,
        /// The number of further names.
        more: usize,
        /// Names of relations.
        relations: Vec<String>,
    },
    /// Relations with an example each.
    Relations {
        /// `Kauwboy - directed by -> Boudewijn Koole`.
        relations: Vec<String>,
    },
    /// Passages of documents.
    Passages {
        /// The passages, each with its entity.
        passages: Vec<String>,
    },
    /// No entity has this name.
    NoEntity {
        /// The name.
        name: String,
    },
    /// The entity has no such relation.
    NoRelation {
        /// The relation as the model named it.
        name: String,
        /// The relations that the entity has.
        relations: Vec<String>,
    },
    /// The entity has no document.
    NoPassages {
        /// The name.
        name: String,
    },
    /// The model repeated an earlier call.
    Repeated,
    /// The model wants to finish before it found anything that could hold an answer.
    NothingYet,
}

impl Observation {
    /// Turns the observation into a message to the model, with the question as a reminder.
    ///
    /// # Errors
    /// [`AnswerError::Prompt`] if the template is wrong.
    pub fn to_message(&self, question: &str) -> Result<Message, AnswerError> {
        let mut values = serde_json::to_value(self).unwrap_or_default();
        if let Some(values) = values.as_object_mut() {
            values.insert("question".into(), question.into());
        }
        let rendered = Prompt::Observation.render(values)?;
        Ok(rendered.into_iter().next().unwrap_or_else(|| Message::user(String::new())))
    }
}

/// The tools of one question.
pub struct Toolbox<'c> {
    context: &'c Context<'c>,
    question: &'c str,
    lists: Vec<Vec<NodeId>>,
    seen: HashMap<String, NodeId>,
    walked: Vec<Walked>,
    passages: Vec<Evidence>,
}

impl<'c> Toolbox<'c> {
    /// An empty box.
    pub fn new(context: &'c Context<'c>, question: &'c str) -> Self {
        let (lists, walked, passages) = (Vec::new(), Vec::new(), Vec::new());
        Self { context, question, lists, seen: HashMap::new(), walked, passages }
    }

    /// Whether nothing was expanded or read yet.
    pub fn is_empty(&self) -> bool {
        self.walked.is_empty() && self.passages.is_empty()
    }

    /// Whether the agent may stop: something was expanded or read, or no entity was found to go on
    /// from.
    pub fn may_hold_an_answer(&self) -> bool {
        !self.is_empty() || self.lists.is_empty()
    }

    /// The entities with a name, as a list.
    ///
    /// # Errors
    /// The graph's, the index's and the embedder's; the same for the other tools.
    pub async fn find(&mut self, name: &str) -> Result<Observation, AnswerError> {
        let nodes = self.linked(name).await?;
        if nodes.is_empty() {
            return Ok(Observation::NoEntity { name: cell(name) });
        }
        self.list(nodes).await
    }

    /// The relations of an entity or of a list.
    pub async fn relations(&mut self, entity: &str) -> Result<Observation, AnswerError> {
        let nodes = self.resolve(entity).await?;
        if nodes.is_empty() {
            return Ok(Observation::NoEntity { name: cell(entity) });
        }
        let offered = offered(self.context, self.question, &nodes, MOST_RELATIONS).await?;
        Ok(Observation::Relations { relations: offered.iter().map(OfferedRelation::describe).collect() })
    }

    /// The entities and values that a relation connects with an entity or a list, in either
    /// direction, as a list.
    pub async fn expand(&mut self, entity: &str, relation: &str) -> Result<Observation, AnswerError> {
        let nodes = self.resolve(entity).await?;
        if nodes.is_empty() {
            return Ok(Observation::NoEntity { name: cell(entity) });
        }
        let graph = self.context.graph();
        let steps = self.steps_called(&nodes, relation).await?;
        if steps.is_empty() {
            let (name, relations) = (cell(relation), self.relation_names(&nodes).await?);
            return Ok(Observation::NoRelation { name, relations });
        }
        let mut found = Vec::new();
        for (from, expansions) in nodes.iter().zip(graph.expand(&nodes, Some(&steps), MOST_NEIGHBOURS).await?)
        {
            for expansion in expansions {
                self.walked.extend(expansion.nodes.iter().map(|to| (*from, expansion.step, *to)));
                found.extend(expansion.nodes);
            }
        }
        self.list(found).await
    }

    /// The passages of an entity's documents that are nearest to the question.
    pub async fn read(&mut self, entity: &str) -> Result<Observation, AnswerError> {
        let nodes = self.resolve(entity).await?;
        let found =
            retrieve_passages(self.context, self.question, &nodes, SearchMode::Hybrid, PASSAGES).await?;
        if found.is_empty() {
            return Ok(Observation::NoPassages { name: cell(entity) });
        }
        let passages = found.iter().map(Evidence::to_line).map(|line| cell(&line)).collect();
        self.passages.extend(found);
        Ok(Observation::Passages { passages })
    }

    /// All expanded triples and read passages within the question's evidence budget, and how many
    /// pieces did not fit.
    ///
    /// # Errors
    /// The graph's.
    pub async fn into_evidence(self) -> Result<(Vec<Evidence>, usize), AnswerError> {
        let mut evidence = triples_to_evidence(self.context.graph(), &self.walked).await?;
        evidence.extend(self.passages);
        let mut seen = HashSet::new();
        evidence.retain(|piece| seen.insert(piece.id.clone()));
        Ok(latest_within_budget(self.context, evidence))
    }

    async fn list(&mut self, mut nodes: Vec<NodeId>) -> Result<Observation, AnswerError> {
        let mut seen = HashSet::new();
        nodes.retain(|node| seen.insert(*node));
        nodes.truncate(MOST_NODES * MOST_NEIGHBOURS);
        let summaries = self.context.graph().summaries(&nodes).await?;
        let names = summaries.iter().take(MOST_NAMES).map(|s| cell(&s.name)).collect();
        self.seen.extend(summaries.iter().map(|s| (normalise(&s.name), s.node)));
        let relations = self.relation_names(&nodes).await?;
        let more = nodes.len().saturating_sub(MOST_NAMES);
        self.lists.push(nodes);
        Ok(Observation::List { label: format!("R{}", self.lists.len()), names, more, relations })
    }

    /// The nodes that the model means: a list by its label, a node seen before by its name, else
    /// through the name index.
    async fn resolve(&self, entity: &str) -> Result<Vec<NodeId>, AnswerError> {
        let mut nodes = match (self.labelled(entity), self.seen.get(&normalise(entity))) {
            (Some(list), _) => list.to_vec(),
            (None, Some(node)) => vec![*node],
            (None, None) => self.linked(entity).await?,
        };
        nodes.truncate(MOST_NODES);
        Ok(nodes)
    }

    fn labelled(&self, entity: &str) -> Option<&[NodeId]> {
        let label = entity.split(':').next().unwrap_or_default().trim();
        let number: usize = label.strip_prefix(['R', 'r'])?.parse().ok()?;
        self.lists.get(number.checked_sub(1)?).map(Vec::as_slice)
    }

    async fn linked(&self, name: &str) -> Result<Vec<NodeId>, AnswerError> {
        let found = anchors_for_names(self.context, self.question, &[name.to_owned()]).await?;
        let Some(mention) = found.first() else { return Ok(Vec::new()) };
        let best = mention.best().map_or(0.0, |anchor| anchor.score);
        let close = |anchor: &&Anchor| best - anchor.score <= CLOSE;
        Ok(mention.candidates.iter().filter(close).map(|anchor| anchor.node).collect())
    }

    /// The steps that a relation's name stands for: those with exactly this name, else those whose
    /// name is part of it, else the nearest in meaning.
    async fn steps_called(&self, nodes: &[NodeId], asked: &str) -> Result<Vec<Step>, AnswerError> {
        let steps = self.named_steps(nodes).await?;
        let wanted = normalise(asked);
        let called = |name: &str| -> Vec<Step> {
            steps.iter().filter(|(_, n)| n == name).map(|(step, _)| *step).collect()
        };
        let padded = format!(" {wanted} ");
        let part_of = |name: &&String| padded.contains(&format!(" {} ", normalise(name)));
        if let Some((_, name)) = steps.iter().find(|(_, name)| normalise(name) == wanted) {
            return Ok(called(name));
        }
        if let Some(name) = steps.iter().map(|(_, name)| name).filter(part_of).max_by_key(|name| name.len()) {
            return Ok(called(name));
        }
        if self.context.embedder().is_none() || wanted.is_empty() || steps.is_empty() {
            return Ok(Vec::new());
        }
        let mut texts = vec![asked];
        texts.extend(steps.iter().map(|(_, name)| name.as_str()));
        let rows = self.context.embed(Stage::Retrieve, &texts).await?;
        let similarity = |index: usize| inner_product(rows.row(0), rows.row(index + 1));
        let nearest = (0..steps.len()).max_by(|a, b| similarity(*a).total_cmp(&similarity(*b)));
        let nearest = nearest.filter(|index| similarity(*index) >= NEAR_RELATION);
        Ok(nearest.and_then(|index| steps.get(index)).map_or_else(Vec::new, |(_, name)| called(name)))
    }

    async fn named_steps(&self, nodes: &[NodeId]) -> Result<Vec<(Step, String)>, AnswerError> {
        let graph = self.context.graph();
        let relations = graph.relations();
        let name = |step: &Step| usize::try_from(step.relation.0).ok().and_then(|at| relations.get(at));
        let steps = ordinary_steps(graph, nodes.get(..MOST_NODES).unwrap_or(nodes)).await?;
        Ok(steps.into_iter().filter_map(|step| Some((step, name(&step)?.name.clone()))).collect())
    }

    /// The names of the relations that lead on, the most similar to the question first, because
    /// small models favour the first ones.
    async fn relation_names(&self, nodes: &[NodeId]) -> Result<Vec<String>, AnswerError> {
        let mut names: Vec<String> =
            self.named_steps(nodes).await?.into_iter().map(|(_, name)| cell(&name)).collect();
        names.sort_unstable();
        names.dedup();
        if names.len() > 1 && self.context.embedder().is_some() {
            let mut texts = vec![self.question];
            texts.extend(names.iter().map(String::as_str));
            let rows = self.context.embed(Stage::Retrieve, &texts).await?;
            let others = Embeddings::new(rows.dimensions(), rows.rows().skip(1).flatten().copied().collect());
            let ranked = exact_top_k(rows.row(0), &others, MOST_RELATIONS);
            names = ranked.into_iter().filter_map(|(index, _)| names.get(index).cloned()).collect();
        }
        names.truncate(MOST_RELATIONS);
        Ok(names)
    }
}
