//! HybGRAG by whole paths, for entities without documents (App. C, the setting of CRAG): the graph
//! of an API, an endpoint or a store, and pages that came with the question. The router chooses a
//! module: the graph module gives the triples along the useful relations of the topic entities, the
//! text module the next batch of pages. An answer is composed, and the validator judges it. If it
//! rejects the answer, the commentator names one of the five kinds of Table 12, and the router
//! heeds it, for at most four rounds.
//!
//! As with documents (docs/hybrid.md), the graph proposes: the relations are those of the best
//! whole paths around the question's entities, and feedback removes the paths that it contradicts.
//! Calls: two a round (answer, check), and one between rounds (comment).

use std::collections::{HashMap, HashSet};

use quipu_graph::{NodeId, Step};
use quipu_model::{ChatRequest, Constraint, ModelError};
use quipu_stages::answer::{
    AnswerError, Event, Evidence, Outcome, Question, Refinement, Stage, Status, cell, to_markdown,
};
use quipu_stages::compose::compose;
use quipu_stages::critique::says_yes;
use quipu_stages::ledger::Context;
use quipu_stages::link::{Anchor, Mentioned, mentions};
use quipu_stages::plan::{RankConfig, RankedPath, Scope, Seen, rank_informed};
use quipu_stages::planners::{PathsConfig, paths};
use quipu_stages::prompts::Prompt;
use quipu_stages::retrieve::{nearest_snippets, one_hop, retrieve_scope};
use serde_json::json;

use crate::methods::hybrid::feedback::ErrorKind;
use crate::methods::hybrid::{HybridConfig, Judge, Modules, report};

/// Paths of one entity that are followed in one round.
const PATHS: usize = 3;
/// Less probable paths are not followed.
const LEAST_PROBABLE: f64 = 0.02;
/// Snippets in one batch: five pages (App. C.1.1) with about three snippets each.
const BATCH: usize = 15;
/// Most batches that are ranked.
const MOST_BATCHES: usize = 4;
/// Most entities that the question names.
const MOST_NAMED: usize = 4;
/// Confidence in an answer that the validator accepted, in one that nobody checked, and in one that
/// it rejected.
const ACCEPTED: f64 = 0.7;
const UNCHECKED: f64 = 0.5;
const REJECTED: f64 = 0.3;

/// The action of one round.
#[derive(Debug, Clone)]
enum Action {
    /// The paths to follow from each entity.
    Graph(Vec<(Anchor, Vec<RankedPath>)>),
    /// The batch of snippets to read.
    Text(usize),
}

impl Action {
    fn module(&self) -> &'static str {
        match self {
            Self::Graph(_) => "graph",
            Self::Text(_) => "text",
        }
    }

    fn entities(&self) -> Vec<String> {
        match self {
            Self::Graph(followed) => followed.iter().map(|(anchor, _)| cell(&anchor.name)).collect(),
            Self::Text(_) => Vec::new(),
        }
    }

    fn relations(&self) -> Vec<String> {
        match self {
            Self::Graph(followed) => {
                followed.iter().flat_map(|(_, paths)| paths.iter().map(|path| path.phrase.clone())).collect()
            }
            Self::Text(_) => Vec::new(),
        }
    }
}

/// A round's answer with its action.
struct Round {
    outcome: Outcome,
    action: Action,
}

pub(in crate::methods::hybrid) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &HybridConfig,
    planner: &PathsConfig,
) -> Result<Outcome, AnswerError> {
    if !context.has_model() {
        return paths::run(context, question, planner).await;
    }
    let judge = Judge::of(context, config);
    let mut router = Router::open(context, question, config).await?;
    let mut best: Option<Outcome> = None;
    for number in 1..=config.rounds.max(1) {
        let Some(action) = router.next().await? else { break };
        let reading = action.relations();
        let step = Refinement::Routed {
            module: action.module().into(),
            entities: action.entities(),
            relations: reading.clone(),
            reading,
        };
        report(context, Stage::Plan, number, step);
        let Some(round) = router.answer(number, action).await? else { continue };
        let unchecked = judge == Judge::Nobody || judge == Judge::Model && !context.has_calls_beyond(0);
        let accepted = router.accepts(number, &round, config).await?;
        let mut outcome = round.outcome.clone();
        outcome.confidence = match (accepted, unchecked) {
            (true, true) => UNCHECKED,
            (true, false) => ACCEPTED,
            (false, _) => REJECTED,
        };
        let better = best
            .as_ref()
            .is_none_or(|known| known.status == Status::Abstained && outcome.status != Status::Abstained);
        if accepted || better {
            best = Some(outcome);
        }
        if accepted || judge == Judge::Nobody || number == config.rounds || !context.has_calls_beyond(1) {
            break;
        }
        router.heed(number, &round).await?;
    }
    Ok(best.unwrap_or_else(|| {
        Outcome::abstain("neither the graph nor a page is relevant to the question", Vec::new())
    }))
}

/// The entities, paths and pages to look up, without those that feedback has struck.
struct Router<'a> {
    context: &'a Context<'a>,
    question: &'a Question,
    named: Vec<Mentioned>,
    /// For each mention, the position of the current candidate.
    taken: Vec<usize>,
    ranked: HashMap<NodeId, Vec<RankedPath>>,
    struck: HashSet<(NodeId, Vec<Step>)>,
    pages: Vec<Evidence>,
    graph: bool,
    /// The next batch of pages, and whether the pages are next.
    batch: usize,
    text: bool,
    timed: bool,
}

impl<'a> Router<'a> {
    async fn open(
        context: &'a Context<'a>,
        question: &'a Question,
        config: &HybridConfig,
    ) -> Result<Self, AnswerError> {
        let graph = config.modules != Modules::Text;
        let _timer = context.ledger.enter(Stage::Link);
        let mut named = if graph { mentions(context, question.text()).await? } else { Vec::new() };
        named.truncate(MOST_NAMED);
        context
            .trace
            .report(Stage::Link, Event::Linked { mentions: named.iter().map(Mentioned::to_event).collect() });
        let pages = match config.modules {
            Modules::Graph => Vec::new(),
            Modules::Both | Modules::Text => {
                nearest_snippets(context, question.text(), context.pages, BATCH * MOST_BATCHES).await?
            }
        };
        Ok(Self {
            context,
            question,
            taken: vec![0; named.len()],
            text: named.is_empty(),
            graph: !named.is_empty(),
            named,
            ranked: HashMap::new(),
            struck: HashSet::new(),
            pages,
            batch: 0,
            timed: true,
        })
    }

    /// The next action: of the module whose turn it is, or of the other one if that has nothing
    /// left.
    async fn next(&mut self) -> Result<Option<Action>, AnswerError> {
        if !self.text && self.graph {
            if let Some(action) = self.follow().await? {
                return Ok(Some(action));
            }
            self.graph = false;
        }
        if self.batch * BATCH < self.pages.len() {
            self.batch += 1;
            return Ok(Some(Action::Text(self.batch - 1)));
        }
        self.text = false;
        if self.graph { self.follow().await } else { Ok(None) }
    }

    /// The best remaining paths of each named entity; `None` if there is none.
    async fn follow(&mut self) -> Result<Option<Action>, AnswerError> {
        let _timer = self.context.ledger.enter(Stage::Plan);
        let mut followed = Vec::new();
        for at in 0..self.named.len() {
            loop {
                let taken = self.taken.get(at).copied().unwrap_or_default();
                let Some(anchor) = self.named.get(at).and_then(|m| m.candidates.get(taken)).cloned() else {
                    break;
                };
                let paths = self.paths(&anchor).await?;
                if !paths.is_empty() {
                    followed.push((anchor, paths));
                    break;
                }
                // This candidate has no path left: take the next sense of the words.
                if let Some(taken) = self.taken.get_mut(at) {
                    *taken += 1;
                }
            }
        }
        Ok((!followed.is_empty()).then_some(Action::Graph(followed)))
    }

    async fn paths(&mut self, anchor: &Anchor) -> Result<Vec<RankedPath>, AnswerError> {
        if self.context.embedder().is_none() {
            return Ok(Vec::new());
        }
        if !self.ranked.contains_key(&anchor.node) {
            let others =
                self.named.iter().map(|m| m.span.clone()).filter(|s| *s != anchor.span && !s.is_empty());
            let seen = Seen { node: anchor.node, span: anchor.span.clone(), others: others.collect() };
            let config = RankConfig::default();
            let ranking = rank_informed(self.context, self.question.text(), &seen, config).await?;
            self.ranked.insert(anchor.node, ranking.paths);
        }
        let left = self.ranked.get(&anchor.node).into_iter().flatten().filter(|path| {
            path.probability >= LEAST_PROBABLE && !self.struck.contains(&(anchor.node, path.steps.clone()))
        });
        Ok(left.take(PATHS).cloned().collect())
    }

    /// Retrieves the evidence of an action and composes an answer: one call; `None` without
    /// evidence.
    async fn answer(&self, round: usize, action: Action) -> Result<Option<Round>, AnswerError> {
        let evidence = self.look_up(&action).await?;
        report(self.context, Stage::Retrieve, round, Refinement::Retrieved { entities: evidence.len() });
        if evidence.is_empty() {
            return Ok(None);
        }
        let _timer = self.context.ledger.enter(Stage::Compose);
        let frames = if self.timed { self.context.times(self.question) } else { Vec::new() };
        let outcome = match compose(self.context, self.question, &frames, &evidence).await {
            Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
                Outcome::abstain(error.to_string(), evidence)
            }
            composed => {
                let composed = composed?;
                let mut evidence = evidence;
                let text = composed.calculation.as_ref().map(Evidence::to_line);
                evidence.extend(composed.calculation);
                let reason = (composed.status != Status::Answered).then_some(composed.reasoning);
                let (status, answers) = (composed.status, composed.answers);
                Outcome {
                    status,
                    answers,
                    text,
                    evidence,
                    confidence: UNCHECKED,
                    reason,
                    ..Outcome::default()
                }
            }
        };
        Ok(Some(Round { outcome, action }))
    }

    async fn look_up(&self, action: &Action) -> Result<Vec<Evidence>, AnswerError> {
        let _timer = self.context.ledger.enter(Stage::Retrieve);
        let followed = match action {
            Action::Text(batch) => {
                return Ok(self.pages.iter().skip(batch * BATCH).take(BATCH).cloned().collect());
            }
            Action::Graph(followed) => followed,
        };
        let mut scope = Scope::default();
        let mut relevance: HashMap<Step, f32> = HashMap::new();
        let nodes: Vec<NodeId> = followed.iter().map(|(anchor, _)| anchor.node).collect();
        for path in followed.iter().flat_map(|(_, paths)| paths) {
            scope.hops.resize(scope.hops.len().max(path.steps.len()), Vec::new());
            for (hop, step) in scope.hops.iter_mut().zip(&path.steps) {
                #[expect(clippy::cast_possible_truncation, reason = "a probability")]
                let probable = path.probability as f32;
                relevance.entry(*step).and_modify(|r| *r = r.max(probable)).or_insert(probable);
                if !hop.contains(step) {
                    hop.push(*step);
                }
            }
        }
        if scope.hops.is_empty() {
            scope = one_hop(self.context.graph(), &nodes).await?;
        }
        let budget = self.context.limits.evidence_tokens;
        Ok(retrieve_scope(self.context, &nodes, &scope, &relevance, budget).await?.evidence)
    }

    /// The validator: one call, or none if there is no answer or no judge.
    async fn accepts(
        &self,
        number: usize,
        round: &Round,
        config: &HybridConfig,
    ) -> Result<bool, AnswerError> {
        let outcome = &round.outcome;
        if outcome.status == Status::Abstained {
            return Ok(false);
        }
        let prediction = prediction(outcome);
        let accepted = match Judge::of(self.context, config) {
            Judge::Nobody => true,
            Judge::Given(keys) => self.holds_gold(keys, outcome).await?,
            Judge::Model if !self.context.has_calls_beyond(0) => return Ok(true),
            Judge::Model => {
                let _timer = self.context.ledger.enter(Stage::Critique);
                let facts =
                    if config.validation_context { to_markdown(&outcome.evidence) } else { String::new() };
                let asked_at = self.question.asked_at().date().to_string();
                let values = json!({
                    "asked_at": asked_at, "facts": facts, "prediction": prediction, "question": self.question.text(),
                });
                says_yes(self.context, "critique.validate", Prompt::HybridAccept.render(values)?).await?
            }
        };
        let probability = f64::from(u8::from(accepted));
        let step = Refinement::Validated { document: prediction, accepted, probability };
        report(self.context, Stage::Critique, number, step);
        Ok(accepted)
    }

    async fn holds_gold(&self, keys: &[String], outcome: &Outcome) -> Result<bool, AnswerError> {
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let nodes: Vec<NodeId> = self.context.graph().resolve(&keys).await?.into_iter().flatten().collect();
        let gold = self.context.graph().summaries(&nodes).await?;
        Ok(!gold.is_empty() && gold.iter().all(|gold| outcome.answers.contains(&gold.name)))
    }

    /// The possible errors: only those that the router can correct.
    fn options(&self, action: &Action) -> Vec<ErrorKind> {
        let mut options = Vec::new();
        if let Action::Graph(followed) = action {
            options.push(ErrorKind::IncorrectEntityAndRelation);
            let hops = |path: &RankedPath| path.steps.len();
            let first = followed.first().and_then(|(_, paths)| paths.first()).map(hops);
            let known = followed.iter().flat_map(|(anchor, _)| self.ranked.get(&anchor.node)).flatten();
            if known.clone().any(|path| Some(hops(path)) != first) {
                options.push(ErrorKind::IncorrectQuestionType);
            }
            let spare = self.named.iter().zip(&self.taken).any(|(m, taken)| m.candidates.len() > taken + 1);
            if spare {
                options.push(ErrorKind::IncorrectDomain);
            }
        }
        let frames = self.context.times(self.question);
        if self.timed && !frames.is_empty() {
            options.push(ErrorKind::IncorrectDynamism);
        }
        let other = match action {
            Action::Graph(_) => self.batch * BATCH < self.pages.len(),
            Action::Text(_) => self.graph || self.batch * BATCH < self.pages.len(),
        };
        if other {
            options.push(ErrorKind::IncorrectModule);
        }
        options
    }

    /// The commentator: one call if more than one error is possible. The router heeds its comment.
    async fn heed(&mut self, number: usize, round: &Round) -> Result<(), AnswerError> {
        let options = self.options(&round.action);
        let wrong = match options.as_slice() {
            [] => return Ok(()),
            [only] => *only,
            _ => self.comment(&options, round).await?,
        };
        let about = round.action.entities().join("; ");
        report(
            self.context,
            Stage::Critique,
            number,
            Refinement::Feedback { kind: wrong.name().into(), about },
        );
        let Action::Graph(followed) = &round.action else {
            match wrong {
                ErrorKind::IncorrectDynamism => {
                    self.timed = false;
                    self.batch = self.batch.saturating_sub(1);
                }
                _ => self.text = !self.graph,
            }
            return Ok(());
        };
        match wrong {
            ErrorKind::IncorrectDynamism => self.timed = false,
            ErrorKind::IncorrectModule => self.text = true,
            ErrorKind::IncorrectDomain => {
                // A mention with one meaning keeps it.
                for (taken, mention) in self.taken.iter_mut().zip(&self.named) {
                    *taken += usize::from(mention.candidates.len() > *taken + 1);
                }
            }
            ErrorKind::IncorrectEntityAndRelation => {
                let shown =
                    followed.iter().flat_map(|(a, paths)| paths.iter().map(|p| (a.node, p.steps.clone())));
                self.struck.extend(shown);
            }
            // The options contain no kinds of Table 4.
            _ => {
                let hops =
                    followed.first().and_then(|(_, paths)| paths.first()).map_or(0, |path| path.steps.len());
                for (anchor, _) in followed {
                    let alike = self.ranked.get(&anchor.node).into_iter().flatten();
                    let alike = alike.filter(|path| path.steps.len() == hops);
                    self.struck.extend(alike.map(|path| (anchor.node, path.steps.clone())));
                }
            }
        }
        Ok(())
    }

    async fn comment(&self, options: &[ErrorKind], round: &Round) -> Result<ErrorKind, AnswerError> {
        let _timer = self.context.ledger.enter(Stage::Critique);
        let values = json!({
            "experiences": [],
            "reading": [],
            "question": self.question.text(),
            "module": round.action.module(),
            "entities": round.action.entities(),
            "relations": round.action.relations(),
            "prediction": prediction(&round.outcome),
        });
        let names: Vec<String> = options.iter().map(|option| option.name().to_owned()).collect();
        let request = ChatRequest::new("critique.comment", Prompt::HybridWrong.render(values)?)
            .with_constraint(Constraint::Choice(names))
            .with_max_tokens(12);
        let said = self.context.chat(Stage::Critique, request).await?.text;
        let named = options.iter().find(|option| said.contains(option.name()));
        Ok(*named.or(options.first()).unwrap_or(&ErrorKind::IncorrectEntityAndRelation))
    }
}

fn prediction(outcome: &Outcome) -> String {
    match outcome.status {
        Status::Answered => cell(&outcome.answers.join(", ")),
        Status::Abstained => "I don't know".into(),
        Status::InvalidQuestion => "invalid question".into(),
    }
}

#[cfg(test)]
mod tests;
