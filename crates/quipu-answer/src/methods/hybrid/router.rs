//! The router (HybGRAG §3.1): which entities and relations the question speaks of, and whether the graph or text narrows the search.
//!
//! The paper has a large model extract both freely. Here the graph says what may be meant: every requirement that the question can
//! set (`plan/requirements.rs`), each said in words; how near those are to the question, and what a requirement leads to, say which
//! is meant: whether documents there fit the question, how many there are, and whether two requirements meet. That tells namesakes
//! apart by text and neighbourhood, without a call. On request the model weighs the words by likelihood (one call). Actions are
//! ranked once; feedback strikes those that it speaks against.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use quipu_graph::NodeId;
use quipu_model::ScoreRequest;
use serde_json::json;

use super::feedback::{ErrorKind, Feedback};
use super::{HybridConfig, Modules};
use crate::AnswerError;
use crate::context::Context;
use crate::evidence::cell;
use crate::plan::{NamedPart, Requirement, follow, requirements, with_solved};
use crate::prompts::Prompt;
use crate::retrieve::{Documents, Walked};
use crate::trace::{CandidateEvent, Event, MentionEvent, Refinement, Stage};

/// Phrases of one part of the question that the model weighs, the most similar to the question; and of all parts together.
const PHRASES_OF_PART: usize = 4;
const MOST_PHRASES: usize = 36;
/// Requirements that actions are made of: the best ones.
const MOST_REQUIREMENTS: usize = 60;
/// Actions kept.
const MOST_ACTIONS: usize = 400;
/// A local model's one look at some forty phrases.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Weights of what speaks for an action, chosen on the development questions of one base (docs/results.md).
mod weight {
    /// Of the likelihood of a phrase, against the likeliest of the same part of the question.
    pub(super) const RELATION: f64 = 0.2;
    /// Of the likelihood itself: which part of the question is the relational one.
    pub(super) const LIKELIHOOD: f64 = 0.05;
    /// Least that a phrase can lose.
    pub(super) const LEAST: f64 = -8.0;
    /// Of the cosine of phrase and question.
    pub(super) const PHRASE: f64 = 4.0;
    /// Of the greatest cosine of question and a document that is reached.
    pub(super) const TEXT: f64 = 6.0;
    /// Of the cosine of question and the entity's own document: which of several senses.
    pub(super) const SENSE: f64 = 3.0;
    /// A requirement that leads to fewer than `FEW` entities leaves text nothing to choose from: what each factor below costs.
    pub(super) const NARROW: f64 = -2.0;
    pub(super) const FEW: f64 = 5.0;
    /// Of the logarithm of how much oftener than by chance two requirements meet, up to `MEETING_MOST`.
    pub(super) const MEETING: f64 = 0.15;
    pub(super) const MEETING_MOST: f64 = 6.0;
    /// Of how likely a part of the question names something at all, up to `PART_MOST`.
    pub(super) const PART: f64 = 1.0;
    pub(super) const PART_MOST: f64 = 1.5;
    /// The part that the question's word for what it asks follows: "which *terrier*".
    pub(super) const ASKED: f64 = 1.0;
    /// A hop beyond the first.
    pub(super) const HOP: f64 = -1.0;
    /// What the text module is worth before its best document is looked at.
    pub(super) const TEXT_MODULE: f64 = 3.0;
}

/// What to do in one round: the requirements that the graph is asked for, by position; none: the text module.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Action {
    pub(super) requirements: Vec<usize>,
    /// The entities that satisfy all requirements, sorted.
    pub(super) ends: Vec<NodeId>,
    pub(super) score: f64,
}

impl Action {
    pub(super) fn is_text(&self) -> bool {
        self.requirements.is_empty()
    }
}

/// All that the question may ask of the graph, and the order in which it is tried.
pub(super) struct Router<'a> {
    context: &'a Context<'a>,
    pub(super) parts: Vec<NamedPart>,
    pub(super) requirements: Vec<Requirement>,
    /// Exact similarity of the question with entities' nearest passages, with those.
    pub(super) similar: HashMap<NodeId, (u64, f32)>,
    actions: Vec<Action>,
    tried: HashSet<Vec<usize>>,
}

impl<'a> Router<'a> {
    /// Enumerates and ranks what the question may ask: no model call, or one where likelihoods are to count.
    pub(super) async fn open(
        context: &'a Context<'a>,
        documents: &Documents<'_>,
        question: &str,
        config: &HybridConfig,
    ) -> Result<Self, AnswerError> {
        let (parts, requirements) = match config.modules {
            Modules::Text => (Vec::new(), Vec::new()),
            Modules::Both | Modules::Graph => {
                let _timer = context.trace.enter(Stage::Link);
                requirements(context, question, config.requirements).await?
            }
        };
        let _timer = context.trace.enter(Stage::Plan);
        let mut router = Self {
            context,
            parts,
            requirements,
            similar: HashMap::new(),
            actions: Vec::new(),
            tried: HashSet::new(),
        };
        router.look_at_documents(documents)?;
        let fits = router.fits(question, config.likelihood).await?;
        router.make_actions(&fits);
        if config.modules != Modules::Graph {
            let best = documents.search(quipu_index::SearchMode::Meaning, 1)?;
            let similarity = best.first().and_then(|hit| hit.meaning).unwrap_or_default();
            let score = weight::TEXT_MODULE + weight::TEXT * f64::from(similarity);
            router.actions.push(Action { requirements: Vec::new(), ends: Vec::new(), score });
        }
        router
            .actions
            .sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.requirements.cmp(&b.requirements)));
        router.report();
        Ok(router)
    }

    /// Compares the question with the documents of everything that is reached, exactly; what has none is no answer.
    fn look_at_documents(&mut self, documents: &Documents<'_>) -> Result<(), AnswerError> {
        let mut nodes: Vec<NodeId> = self.requirements.iter().flat_map(|r| r.ends.iter().copied()).collect();
        nodes.extend(self.requirements.iter().map(|requirement| requirement.anchor));
        nodes.sort_unstable();
        nodes.dedup();
        let best = match documents.vector() {
            Some(vector) => documents.index().rank(vector, &nodes)?,
            None => nodes
                .iter()
                .map(|node| documents.index().passages_of(*node).first().map(|p| (*p, 0.0)))
                .collect(),
        };
        self.similar = nodes.into_iter().zip(best).filter_map(|(node, best)| Some((node, best?))).collect();
        for requirement in &mut self.requirements {
            requirement.ends.retain(|end| self.similar.contains_key(end));
        }
        self.requirements.retain(|requirement| !requirement.ends.is_empty());
        Ok(())
    }

    /// How well each requirement fits the question by its own words.
    async fn fits(&self, question: &str, likelihood: bool) -> Result<Vec<f64>, AnswerError> {
        let mut phrases: Vec<&str> = self.requirements.iter().map(|r| r.phrase.as_str()).collect();
        phrases.sort_unstable();
        phrases.dedup();
        if phrases.is_empty() {
            return Ok(Vec::new());
        }
        let cosines = self.cosines(question, &phrases).await?;
        let likelihoods =
            if likelihood { self.likelihoods(question, &cosines).await? } else { HashMap::new() };
        let mut best_of_part: HashMap<usize, f64> = HashMap::new();
        for requirement in &self.requirements {
            if let Some(likelihood) = likelihoods.get(requirement.phrase.as_str()) {
                let best = best_of_part.entry(requirement.part).or_insert(f64::NEG_INFINITY);
                *best = best.max(*likelihood);
            }
        }
        let asked = asked_part(question, &self.parts);
        let greatest = likelihoods.values().copied().fold(f64::NEG_INFINITY, f64::max);
        let fit = |requirement: &Requirement| {
            let cosine = cosines.get(requirement.phrase.as_str()).copied().unwrap_or_default();
            let relation =
                match (likelihoods.get(requirement.phrase.as_str()), best_of_part.get(&requirement.part)) {
                    (Some(likelihood), Some(best)) => {
                        weight::RELATION * (likelihood - best).max(weight::LEAST)
                            + weight::LIKELIHOOD * (likelihood - greatest).max(2.0 * weight::LEAST)
                    }
                    _ if likelihoods.is_empty() => 0.0,
                    _ => weight::RELATION * weight::LEAST + 2.0 * weight::LIKELIHOOD * weight::LEAST,
                };
            let sense = self.similar.get(&requirement.anchor).map_or(0.0, |(_, cosine)| f64::from(*cosine));
            let asked_for = asked.is_some_and(|part| part == requirement.part);
            let part = self.parts.get(requirement.part).map_or(0.0, |part| part.score);
            #[expect(clippy::cast_precision_loss, reason = "a path has two hops at most")]
            let hops = (requirement.steps.len() - 1) as f64;
            relation
                + weight::PHRASE * cosine
                + weight::SENSE * sense
                + weight::HOP * hops
                + weight::PART * part.min(weight::PART_MOST)
                + if asked_for { weight::ASKED } else { 0.0 }
                + narrow(requirement.ends.len())
        };
        Ok(self.requirements.iter().map(fit).collect())
    }

    async fn cosines<'p>(
        &self,
        question: &str,
        phrases: &[&'p str],
    ) -> Result<HashMap<&'p str, f64>, AnswerError> {
        if self.context.embedder().is_none() {
            return Ok(phrases.iter().map(|phrase| (*phrase, 0.0)).collect());
        }
        let asked = self.context.embed(Stage::Plan, &[question]).await?;
        let rows = self.context.embed(Stage::Plan, phrases).await?;
        let cosine =
            |row: &[f32]| -> f64 { row.iter().zip(asked.row(0)).map(|(a, b)| f64::from(a * b)).sum() };
        Ok(phrases.iter().copied().zip(rows.rows().map(cosine)).collect())
    }

    /// The natural-log likelihoods of the phrases that resemble the question most, as its relational part: one call. None where the
    /// model cannot score.
    async fn likelihoods<'p>(
        &self,
        question: &str,
        cosines: &HashMap<&'p str, f64>,
    ) -> Result<HashMap<&'p str, f64>, AnswerError> {
        if !self.context.has_model() || !self.context.model()?.abilities().score {
            return Ok(HashMap::new());
        }
        let mut offered: Vec<(&'p str, f64)> = Vec::new();
        for part in 0..self.parts.len() {
            let of_part = self.requirements.iter().filter(|r| r.part == part);
            let mut of_part: Vec<(&'p str, f64)> = of_part
                .filter_map(|r| cosines.get_key_value(r.phrase.as_str()))
                .map(|(p, c)| (*p, *c))
                .collect();
            of_part.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
            of_part.dedup();
            offered.extend(of_part.into_iter().take(PHRASES_OF_PART));
        }
        offered.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        offered.dedup();
        offered.truncate(MOST_PHRASES);
        if offered.len() < 2 {
            return Ok(HashMap::new());
        }
        let request = ScoreRequest {
            stage: "plan.route".into(),
            messages: with_solved(
                self.context,
                question,
                Prompt::HybridRoute.render(json!({ "question": question }))?,
            )
            .await?,
            continuations: offered.iter().map(|(phrase, _)| cell(phrase)).collect(),
            timeout: TIMEOUT,
        };
        let reply = match self.context.score(Stage::Plan, request).await {
            Err(AnswerError::Exhausted(limit)) => {
                let reason = format!("{limit}; requirements are ranked by similarity alone");
                self.context.trace.report(Stage::Plan, Event::Degraded { reason });
                return Ok(HashMap::new());
            }
            reply => reply?,
        };
        Ok(offered
            .into_iter()
            .map(|(phrase, _)| phrase)
            .zip(reply.scores.into_iter().map(|(s, _)| s))
            .collect())
    }

    /// Single requirements and pairs of different parts that meet.
    fn make_actions(&mut self, fits: &[f64]) {
        let mut order: Vec<usize> = (0..self.requirements.len()).collect();
        let value =
            |at: usize| fits.get(at).copied().unwrap_or(f64::NEG_INFINITY) + self.of_ends(&self.ends(at));
        let values: Vec<f64> = order.iter().map(|at| value(*at)).collect();
        let of = |at: &usize| values.get(*at).copied().unwrap_or(f64::NEG_INFINITY);
        order.sort_by(|a, b| of(b).total_cmp(&of(a)).then(a.cmp(b)));
        let mut actions: Vec<Action> = order
            .iter()
            .map(|at| Action { requirements: vec![*at], ends: self.ends(*at), score: of(at) })
            .collect();
        order.truncate(MOST_REQUIREMENTS);
        for (place, one) in order.iter().enumerate() {
            for other in order.iter().skip(place + 1) {
                actions.extend(self.meeting(*one, *other, fits));
            }
        }
        actions.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.requirements.cmp(&b.requirements)));
        actions.truncate(MOST_ACTIONS);
        self.actions = actions;
    }

    fn ends(&self, at: usize) -> Vec<NodeId> {
        self.requirements.get(at).map(|r| r.ends.clone()).unwrap_or_default()
    }

    /// What the documents that are reached say for a set of entities.
    fn of_ends(&self, ends: &[NodeId]) -> f64 {
        let cosines = ends.iter().filter_map(|end| self.similar.get(end)).map(|(_, cosine)| *cosine);
        weight::TEXT * f64::from(cosines.fold(0.0, f32::max))
    }

    fn meeting(&self, one: usize, other: usize, fits: &[f64]) -> Option<Action> {
        let (a, b) = (self.requirements.get(one)?, self.requirements.get(other)?);
        let (of_a, of_b) = (self.parts.get(a.part)?, self.parts.get(b.part)?);
        let apart = of_a.span.end <= of_b.span.start || of_b.span.end <= of_a.span.start;
        if !apart || a.anchor == b.anchor {
            return None;
        }
        let ends: Vec<NodeId> =
            a.ends.iter().copied().filter(|end| b.ends.binary_search(end).is_ok()).collect();
        if ends.is_empty() {
            return None;
        }
        let entities = count(usize::try_from(self.context.graph().describe().entities).unwrap_or(usize::MAX));
        let by_chance = count(a.ends.len()) * count(b.ends.len()) / entities;
        let surprise = (count(ends.len()) / by_chance).ln().clamp(0.0, weight::MEETING_MOST);
        let fit = (fits.get(one)? + fits.get(other)?) / 2.0;
        // What it costs that one of them is narrow is not halved.
        let narrow = (narrow(a.ends.len()) + narrow(b.ends.len())) / 2.0;
        let score = fit + narrow + self.of_ends(&ends) + weight::MEETING * surprise;
        Some(Action { requirements: vec![one, other], ends, score })
    }

    /// The best action that was not tried and that the feedback does not speak against; `None` when there is none left.
    pub(super) fn next(&mut self, feedback: Option<&Feedback>) -> Option<Action> {
        let fits = |action: &&Action| {
            !self.tried.contains(&action.requirements)
                && feedback.is_none_or(|feedback| self.allows(feedback, action))
        };
        let untried = |action: &&Action| !self.tried.contains(&action.requirements);
        let found = self.actions.iter().find(fits).or_else(|| self.actions.iter().find(untried))?.clone();
        self.tried.insert(found.requirements.clone());
        Some(found)
    }

    /// Whether an action heeds feedback.
    fn allows(&self, feedback: &Feedback, action: &Action) -> bool {
        let of = |action: &Action| -> Vec<&Requirement> {
            action.requirements.iter().filter_map(|at| self.requirements.get(*at)).collect()
        };
        match feedback.kind {
            ErrorKind::IncorrectEntity => of(action).iter().all(|r| r.name != feedback.name),
            ErrorKind::IncorrectRelation => of(action).iter().all(|r| r.relations != feedback.name),
            ErrorKind::MissingEntity => action.requirements.len() > feedback.requirements.len(),
            ErrorKind::NoEntity => !action.is_text(),
            ErrorKind::NoIntersection | ErrorKind::IncorrectIntersection => {
                let kept = action.requirements.iter().filter(|at| feedback.requirements.contains(at)).count();
                !action.is_text() && kept < feedback.requirements.len()
            }
            ErrorKind::IncorrectModule => action.is_text() != feedback.requirements.is_empty(),
        }
    }

    /// The action as the trace tells it.
    pub(super) fn described(&self, action: &Action) -> Refinement {
        let chosen: Vec<&Requirement> =
            action.requirements.iter().filter_map(|at| self.requirements.get(*at)).collect();
        Refinement::Routed {
            module: if action.is_text() { "text" } else { "hybrid" }.into(),
            entities: chosen.iter().map(|r| r.name.clone()).collect(),
            relations: chosen.iter().map(|r| r.relations.clone()).collect(),
            reading: chosen.iter().map(|r| r.phrase.clone()).collect(),
        }
    }

    /// The paths from an action's entities to an end, as the paper verbalises them.
    pub(super) fn paths_to(&self, action: &Action, end: &str) -> Vec<String> {
        let chosen = action.requirements.iter().filter_map(|at| self.requirements.get(*at));
        chosen.map(|r| format!("{} {} {}", cell(&r.name), r.relations, arrowed(r, end))).collect()
    }

    /// The triples along which a requirement leads to some of its ends, one way to each.
    pub(super) async fn walked(
        &self,
        requirement: &Requirement,
        ends: &[NodeId],
    ) -> Result<Vec<Walked>, AnswerError> {
        let walk = follow(self.context.graph(), requirement.anchor, &requirement.steps).await?;
        let mut walked = Vec::new();
        for end in ends {
            // An end of fewer hops is one of a path that takes the same step again.
            let Some(last) = walk.hops.iter().position(|hop| hop.iter().any(|(node, _)| node == end)) else {
                continue;
            };
            let mut to = *end;
            for hop in (0..=last).rev() {
                let reached = walk.hops.get(hop).and_then(|hop| hop.iter().find(|(node, _)| *node == to));
                let from = reached.and_then(|(_, from)| from.first().copied());
                let (Some(from), Some(step)) = (from, requirement.steps.get(hop)) else { break };
                walked.push((from, *step, to));
                to = from;
            }
        }
        Ok(walked)
    }

    /// What the best action starts from, for the trace and for the measures of linking.
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

/// The end of a path, behind the arrow of its last relation.
fn arrowed(requirement: &Requirement, end: &str) -> String {
    let forward =
        requirement.steps.last().is_none_or(|step| step.direction == quipu_graph::Direction::Forward);
    format!("{} {}", if forward { "→" } else { "←" }, cell(end))
}

/// The part that says what the question asks for: the first behind its question word.
fn asked_part(question: &str, parts: &[NamedPart]) -> Option<usize> {
    const ASKING: [&str; 8] = ["which", "what", "whose", "who", "name", "list", "find", "any"];
    const FAR: usize = 24;
    let words = quipu_index::words(question);
    let asking = words.iter().find(|word| ASKING.contains(&word.text.as_str()))?;
    let behind = |part: &&(usize, &NamedPart)| {
        part.1.span.start > asking.start && part.1.span.start <= asking.start + FAR
    };
    let places: Vec<(usize, &NamedPart)> = parts.iter().enumerate().collect();
    let first = places
        .iter()
        .filter(behind)
        .min_by_key(|(_, part)| (part.span.start, usize::MAX - part.span.len()))?;
    Some(first.0)
}

/// What it costs that a requirement leads to few entities.
fn narrow(ends: usize) -> f64 {
    weight::NARROW * (weight::FEW / count(ends)).ln().max(0.0)
}

#[expect(clippy::cast_precision_loss, reason = "counts of entities, for logarithms")]
fn count(count: usize) -> f64 {
    count.max(1) as f64
}
