//! The router of whole paths: finds the entities and relations that the question means, and decides
//! whether the graph or text narrows the search.
//!
//! The paper lets a large model extract both freely (`published/router.rs`). Here the graph
//! proposes every requirement that the question may set (`plan/requirements.rs`), each put into
//! words. A requirement scores by its similarity to the question, by whether the documents that it
//! reaches fit the question, by their number, and by whether two requirements meet. Then the
//! documents of the best actions are read word for word: the right action and its best document
//! explain the whole question together. That tells namesakes apart by text and neighbourhood,
//! without a call. Optionally the model scores the words by likelihood (one call). Actions are
//! ranked once; feedback removes those that it contradicts.

mod fits;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use quipu_graph::NodeId;
use quipu_index::{DocumentIndex, IndexError};
use quipu_stages::answer::{AnswerError, CandidateEvent, Event, MentionEvent, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::link::apart;
use quipu_stages::plan::{NamedPart, Requirement, RequirementConfig, onward, requirements};
use quipu_stages::retrieve::{Documents, QuestionWords};

use crate::methods::hybrid::feedback::{ErrorKind, Feedback};
use crate::methods::hybrid::taken::{Start, Taken};
use crate::methods::hybrid::{HybridConfig, Modules, Ranking};
use fits::{narrow, weight};

/// The best requirements, of which actions are made.
const MOST_REQUIREMENTS: usize = 60;
/// Actions kept.
const MOST_ACTIONS: usize = 400;
/// The best one-hop requirements, which are extended along other relations.
const ONWARD: usize = 8;
/// The best pairs, which a third requirement may narrow.
const MOST_PAIRS: usize = 24;
/// Actions whose documents are read word for word, the text module included, and the most similar
/// documents read of each.
const ACTIONS_READ: usize = 12;
const DOCUMENTS_READ: usize = 20;
/// Passages of the text module.
const SEARCHED: usize = 150;

/// The action of one round: the positions of its requirements. Without requirements it is the text
/// module.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Action {
    pub(super) requirements: Vec<usize>,
    /// The entities that satisfy all requirements, sorted.
    pub(super) ends: Vec<NodeId>,
    /// The score of its requirements alone.
    fit: f64,
    /// The score of its best document.
    text: f64,
}

impl Action {
    pub(super) fn is_text(&self) -> bool {
        self.requirements.is_empty()
    }

    fn score(&self) -> f64 {
        self.fit + self.text
    }
}

/// Best first, in the same order in every run.
fn in_order(actions: &mut [Action]) {
    actions.sort_by(|a, b| b.score().total_cmp(&a.score()).then_with(|| a.requirements.cmp(&b.requirements)));
}

/// All requirements that the question may set, and the order in which actions are tried.
pub(super) struct Router<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) question: &'a str,
    bounds: RequirementConfig,
    documents: &'a Documents<'a>,
    pub(super) parts: Vec<NamedPart>,
    pub(super) requirements: Vec<Requirement>,
    /// For each entity its nearest passage, with the exact similarity to the question.
    pub(super) similar: HashMap<NodeId, (u64, f32)>,
    /// The entities that text alone finds, with passages and similarities, best first.
    pub(super) by_text: Vec<(NodeId, u64, f32)>,
    /// The question's words, if the embedder gives token vectors.
    pub(super) words: Option<QuestionWords<'a>>,
    actions: Vec<Action>,
    tried: HashSet<Vec<usize>>,
    /// The requirements of the last action.
    last: Vec<usize>,
}

impl<'a> Router<'a> {
    /// Enumerates and ranks the actions: no model call, or one if likelihoods count.
    pub(super) async fn open(
        context: &'a Context<'a>,
        documents: &'a Documents<'a>,
        question: &'a str,
        config: &HybridConfig,
    ) -> Result<Self, AnswerError> {
        let mut router = Self {
            context,
            question,
            bounds: config.requirements,
            documents,
            parts: Vec::new(),
            requirements: Vec::new(),
            similar: HashMap::new(),
            by_text: Vec::new(),
            words: None,
            actions: Vec::new(),
            tried: HashSet::new(),
            last: Vec::new(),
        };
        if config.ranking == Ranking::Words {
            router.words = QuestionWords::open(context, documents).await?;
        }
        if config.modules != Modules::Graph {
            router.search(documents)?;
        }
        if config.modules != Modules::Text {
            router.enumerate(config).await?;
        }
        if config.modules != Modules::Graph {
            router.actions.push(router.text_action());
        }
        let mut actions = std::mem::take(&mut router.actions);
        router.read_documents(&mut actions).await?;
        router.actions = actions;
        router.report();
        Ok(router)
    }

    /// Enumerates the requirements that the question may set, and makes actions of them.
    async fn enumerate(&mut self, config: &HybridConfig) -> Result<(), AnswerError> {
        let found = {
            let _timer = self.context.ledger.enter(Stage::Link);
            let (parts, found) = requirements(self.context, self.question, self.bounds).await?;
            self.parts = parts;
            found
        };
        let _timer = self.context.ledger.enter(Stage::Plan);
        self.add_requirements(found)?;
        let fits = self.fits(false).await?;
        let value =
            |at: &usize| fits.get(*at).copied().unwrap_or(f64::NEG_INFINITY) + self.of_ends(&self.ends(*at));
        let mut best: Vec<usize> = (0..self.requirements.len()).filter(|at| self.hops(*at) == 1).collect();
        best.sort_by(|a, b| value(b).total_cmp(&value(a)).then(a.cmp(b)));
        best.truncate(ONWARD);
        let best: Vec<&Requirement> = best.iter().filter_map(|at| self.requirements.get(*at)).collect();
        let further = onward(self.context, &self.parts, &best, self.bounds).await?;
        self.add_requirements(further)?;
        let fits = self.fits(config.likelihood).await?;
        self.make_actions(&fits);
        Ok(())
    }

    fn hops(&self, at: usize) -> usize {
        self.requirements.get(at).map_or(0, |requirement| requirement.steps.len())
    }

    /// Adds the requirements that are new and lead to documents.
    fn add_requirements(&mut self, found: Vec<Requirement>) -> Result<(), AnswerError> {
        for requirement in self.look_at_documents(found)? {
            let same = |other: &Requirement| {
                (other.part, other.anchor, &other.steps)
                    == (requirement.part, requirement.anchor, &requirement.steps)
            };
            if !self.requirements.iter().any(same) {
                self.requirements.push(requirement);
            }
        }
        Ok(())
    }

    /// The action of the text module.
    fn text_action(&self) -> Action {
        let similarity = self.by_text.first().map_or(0.0, |(_, _, similarity)| f64::from(*similarity));
        let (fit, text) = (weight::TEXT_MODULE, weight::TEXT * similarity);
        Action { requirements: Vec::new(), ends: Vec::new(), fit, text }
    }

    /// Searches all documents: by similarity, or by words without an embedder.
    fn search(&mut self, documents: &Documents<'_>) -> Result<(), AnswerError> {
        let mut seen = HashSet::new();
        let hits = documents.search(quipu_index::SearchMode::Meaning, SEARCHED)?;
        let first = hits.into_iter().filter(|hit| seen.insert(hit.passage.node));
        self.by_text = first.map(|hit| (hit.passage.node, hit.passage.number, hit.score)).collect();
        Ok(())
    }

    /// Sorts actions by score. The most similar documents of the first actions are read word for
    /// word, and these actions are sorted again by how much of the question they explain.
    async fn read_documents(&self, actions: &mut Vec<Action>) -> Result<(), AnswerError> {
        in_order(actions);
        let Some(words) = &self.words else { return Ok(()) };
        if let Some(place) = actions.iter().position(Action::is_text).filter(|at| *at >= ACTIONS_READ) {
            let text = actions.remove(place);
            actions.insert(ACTIONS_READ - 1, text);
        }
        let head = actions.len().min(ACTIONS_READ);
        let head = actions.get_mut(..head).unwrap_or_default();
        let passages: Vec<Vec<u64>> = head.iter().map(|action| self.nearest_passages(action)).collect();
        words.read(&passages.concat()).await?;
        for (action, passages) in head.iter_mut().zip(passages) {
            let named = self.named(action);
            let explained = passages.iter().filter_map(|passage| words.explained(*passage, &named));
            action.text = weight::EXPLAINED * explained.fold(0.0, f64::max);
        }
        in_order(head);
        Ok(())
    }

    /// The passages of an action that are most similar to the question.
    fn nearest_passages(&self, action: &Action) -> Vec<u64> {
        if action.is_text() {
            return self.by_text.iter().take(DOCUMENTS_READ).map(|(_, passage, _)| *passage).collect();
        }
        let mut nearest: Vec<(u64, f32)> =
            action.ends.iter().filter_map(|end| self.similar.get(end)).copied().collect();
        nearest.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        nearest.into_iter().take(DOCUMENTS_READ).map(|(passage, _)| passage).collect()
    }

    /// The places in the question of an action's entities.
    pub(super) fn named(&self, action: &Action) -> Vec<Range<usize>> {
        let chosen = action.requirements.iter().filter_map(|at| self.requirements.get(*at));
        chosen.filter_map(|r| self.parts.get(r.part)).map(|part| part.span.clone()).collect()
    }

    /// Compares the question with the documents of all entities that some requirements reach,
    /// exactly. Entities without documents are dropped, because they are no answers.
    fn look_at_documents(&mut self, mut found: Vec<Requirement>) -> Result<Vec<Requirement>, AnswerError> {
        let mut nodes: Vec<NodeId> = found.iter().flat_map(|r| r.ends.iter().copied()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.retain(|node| !self.similar.contains_key(node));
        let index = self.documents.index();
        let best = match self.documents.vector() {
            Some(vector) => index.rank(vector, &nodes)?,
            None => nodes.iter().map(|node| first_passage(index, *node)).collect::<Result<_, _>>()?,
        };
        self.similar.extend(nodes.into_iter().zip(best).filter_map(|(node, best)| Some((node, best?))));
        for requirement in &mut found {
            requirement.ends.retain(|end| self.similar.contains_key(end));
        }
        found.retain(|requirement| !requirement.ends.is_empty());
        Ok(found)
    }

    /// Makes actions of single requirements, and of two or three requirements of different parts
    /// that meet.
    fn make_actions(&mut self, fits: &[f64]) {
        let mut actions: Vec<Action> =
            (0..self.requirements.len()).map(|at| self.action(vec![at], self.ends(at), fits)).collect();
        in_order(&mut actions);
        let order: Vec<usize> =
            actions.iter().flat_map(|a| &a.requirements).copied().take(MOST_REQUIREMENTS).collect();
        let mut pairs: Vec<Action> = Vec::new();
        for (place, one) in order.iter().enumerate() {
            let others = order.iter().skip(place + 1);
            pairs.extend(others.filter_map(|other| self.meeting(&[*one], &self.ends(*one), *other, fits)));
        }
        in_order(&mut pairs);
        for pair in pairs.iter().take(MOST_PAIRS) {
            let last = pair.requirements.last().and_then(|last| order.iter().position(|at| at == last));
            let others = order.iter().skip(last.map_or(usize::MAX, |place| place + 1));
            let three = others.filter_map(|other| self.meeting(&pair.requirements, &pair.ends, *other, fits));
            // A third requirement that does not narrow the pair adds nothing.
            actions.extend(three.filter(|three| three.ends.len() < pair.ends.len()));
        }
        actions.extend(pairs);
        in_order(&mut actions);
        actions.truncate(MOST_ACTIONS);
        self.actions = actions;
    }

    /// Adds a requirement of another part of the question, if some entity satisfies all of them.
    fn meeting(&self, chosen: &[usize], ends: &[NodeId], other: usize, fits: &[f64]) -> Option<Action> {
        let new = self.requirements.get(other)?;
        let span = &self.parts.get(new.part)?.span;
        for requirement in chosen.iter().filter_map(|at| self.requirements.get(*at)) {
            let taken = &self.parts.get(requirement.part)?.span;
            if requirement.anchor == new.anchor || !apart(taken, span) {
                return None;
            }
        }
        let ends: Vec<NodeId> =
            ends.iter().copied().filter(|end| new.ends.binary_search(end).is_ok()).collect();
        (!ends.is_empty()).then(|| self.action([chosen, &[other]].concat(), ends, fits))
    }

    /// The action of some requirements, with the entities that satisfy all of them.
    fn action(&self, requirements: Vec<usize>, ends: Vec<NodeId>, fits: &[f64]) -> Action {
        let number = count(requirements.len());
        let chosen = || requirements.iter().filter_map(|at| self.requirements.get(*at));
        let fit: f64 =
            requirements.iter().map(|at| fits.get(*at).copied().unwrap_or(f64::NEG_INFINITY)).sum();
        // The costs of narrow requirements are not averaged: each counts in full.
        let narrow: f64 = chosen().map(|r| narrow(r.ends.len())).sum::<f64>() * (number - 1.0) / number;
        let entities = usize::try_from(self.context.graph().describe().entities).unwrap_or(usize::MAX);
        let entities = count(entities).ln();
        // The logarithm of how much oftener than by chance the requirements meet.
        let surprise = count(ends.len()).ln() - entities
            + chosen().map(|r| entities - count(r.ends.len()).ln()).sum::<f64>();
        let surprise = if requirements.len() > 1 { surprise.clamp(0.0, weight::MEETING_MOST) } else { 0.0 };
        let text = self.of_ends(&ends);
        Action { requirements, ends, fit: fit / number + narrow + weight::MEETING * surprise, text }
    }

    fn ends(&self, at: usize) -> Vec<NodeId> {
        self.requirements.get(at).map(|r| r.ends.clone()).unwrap_or_default()
    }

    /// The score of a set of entities by their documents.
    fn of_ends(&self, ends: &[NodeId]) -> f64 {
        let cosines = ends.iter().filter_map(|end| self.similar.get(end)).map(|(_, cosine)| *cosine);
        weight::TEXT * f64::from(cosines.fold(0.0, f32::max))
    }

    /// The action of a round: the best untried one that the feedback allows, else the best untried
    /// one; `None` if all were tried.
    pub(super) fn next(&mut self, feedback: Option<&Feedback>) -> Option<Action> {
        let fits = |action: &&Action| {
            !self.tried.contains(&action.requirements)
                && feedback.is_none_or(|feedback| self.allows(feedback, action))
        };
        let untried = |action: &&Action| !self.tried.contains(&action.requirements);
        let found = self.actions.iter().find(fits).or_else(|| self.actions.iter().find(untried))?.clone();
        self.tried.insert(found.requirements.clone());
        self.last.clone_from(&found.requirements);
        Some(found)
    }

    /// Whether feedback on the last action allows this one.
    fn allows(&self, feedback: &Feedback, action: &Action) -> bool {
        let of = |action: &Action| -> Vec<&Requirement> {
            action.requirements.iter().filter_map(|at| self.requirements.get(*at)).collect()
        };
        match feedback.kind {
            ErrorKind::IncorrectEntity => of(action).iter().all(|r| r.name != feedback.name),
            ErrorKind::IncorrectRelation => of(action).iter().all(|r| r.relations != feedback.name),
            ErrorKind::MissingEntity => action.requirements.len() > self.last.len(),
            ErrorKind::NoEntity => !action.is_text(),
            ErrorKind::NoIntersection | ErrorKind::IncorrectIntersection => {
                let kept = action.requirements.iter().filter(|at| self.last.contains(at)).count();
                !action.is_text() && kept < self.last.len()
            }
            ErrorKind::IncorrectModule => action.is_text() != self.last.is_empty(),
            // Kinds of error without documents.
            ErrorKind::IncorrectQuestionType
            | ErrorKind::IncorrectDynamism
            | ErrorKind::IncorrectDomain
            | ErrorKind::IncorrectEntityAndRelation => true,
        }
    }

    /// The requirements of an action.
    pub(super) fn chosen(&self, action: &Action) -> Vec<Requirement> {
        action.requirements.iter().filter_map(|at| self.requirements.get(*at)).cloned().collect()
    }

    /// The action for the trace, the commentator and experiences: one start for each requirement.
    pub(super) fn taken(&self, action: &Action) -> Taken {
        let start = |requirement: Requirement| Start {
            name: requirement.name,
            anchors: vec![requirement.anchor],
            relations: vec![requirement.relations],
            ends: requirement.ends,
        };
        let starts: Vec<Start> = self.chosen(action).into_iter().map(start).collect();
        let relations = starts.iter().flat_map(|start| start.relations.iter().cloned()).collect();
        Taken { is_text: action.is_text(), starts, relations, ends: action.ends.clone() }
    }

    /// Reports the mentions that the best action starts from, for the trace and the linking scores.
    fn report(&self) {
        let best = self.actions.iter().find(|action| !action.is_text());
        let chosen = best.into_iter().flat_map(|action| &action.requirements);
        let mention = |requirement: &Requirement| {
            let part = self.parts.get(requirement.part)?;
            let reason = requirement.phrase.clone();
            let candidate = CandidateEvent { name: requirement.name.clone(), score: part.score, reason };
            Some(MentionEvent { text: part.text.clone(), candidates: vec![candidate] })
        };
        let mentions = chosen.filter_map(|at| self.requirements.get(*at)).filter_map(mention).collect();
        self.context.trace.report(Stage::Link, Event::Linked { mentions });
    }
}

/// An entity's first passage, with similarity 0 because nothing was compared.
fn first_passage(index: &DocumentIndex, node: NodeId) -> Result<Option<(u64, f32)>, IndexError> {
    Ok(index.passages_of(node)?.first().map(|passage| (*passage, 0.0)))
}

#[expect(clippy::cast_precision_loss, reason = "counts of entities, for logarithms")]
fn count(count: usize) -> f64 {
    count.max(1) as f64
}

#[cfg(test)]
mod tests;
