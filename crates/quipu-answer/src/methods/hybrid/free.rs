//! The free router (HybGRAG §3.1 and App. C.2), for models that can: the model writes topic entities, useful relations and the module, in
//! that order, with the feedback of the round before. One call a round where the paper makes two.
//!
//! What it writes is held against the graph: names are linked, relations that do not exist are taken for the nearest that do, a
//! hundred entities are cut to the first few, and all of that is told. Every sense of every name is followed along the relations up
//! to the radius; of what this may mean, the intersection whose documents explain the question best is the action. So namesakes are
//! told apart by text and neighbourhood.

use quipu_graph::{Direction, NodeId, RelationRole, Step};
use quipu_index::{LookupConfig, normalise};
use quipu_model::{ChatRequest, ModelError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::feedback::Feedback;
use super::report;
use super::router::{Action, Router, in_order};
use crate::answer::{AnswerError, CandidateEvent, Event, MentionEvent, Refinement, Stage, cell};
use crate::plan::{Along, NamedPart, RequirementConfig, along, common_types};
use crate::prompts::Prompt;

/// Entities and relations of one reply that are looked at; a small model that repeats itself names a hundred.
const MOST_ENTITIES: usize = 5;
const MOST_RELATIONS: usize = 8;
/// Kinds of entities and relations that the model is shown, the most frequent.
const TYPES_SHOWN: usize = 40;
const RELATIONS_SHOWN: usize = 80;
/// The widest radius of an ego-graph (HybGRAG §3.1), for names around which nothing is found nearer.
const WIDEST: usize = 2;
/// Combinations of readings that are followed up while entities are intersected.
const BEAM: usize = 64;

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    entities: Vec<String>,
    #[serde(default)]
    relations: Vec<String>,
    #[serde(default)]
    module: String,
}

impl Router<'_> {
    /// What the model wants to be done in this round; `None` where that was done before, or nothing is left to do.
    ///
    /// # Errors
    /// The model's, the graph's, the indexes'.
    pub(super) async fn ask_model(
        &mut self,
        round: usize,
        feedback: Option<&Feedback>,
    ) -> Result<Option<Action>, AnswerError> {
        let reply = match self.reply(feedback).await {
            Ok(reply) => reply,
            Err(error @ (AnswerError::Exhausted(_) | AnswerError::Model(ModelError::Unreadable { .. }))) => {
                let reason = format!("{error}; the text module takes the question");
                self.context.trace.report(Stage::Plan, Event::Degraded { reason });
                return Ok(self.first_untried(vec![self.text_action()]));
            }
            Err(error) => return Err(error),
        };
        let mut actions = Vec::new();
        if !reply.module.to_lowercase().contains("text") {
            let groups = self.link(round, reply).await?;
            actions = self.combinations(&groups).await?;
        }
        if actions.is_empty() {
            actions.push(self.text_action());
        }
        Ok(self.first_untried(actions))
    }

    async fn reply(&mut self, feedback: Option<&Feedback>) -> Result<Reply, AnswerError> {
        let graph = self.context.graph();
        let mut shown: Vec<_> =
            graph.relations().iter().filter(|r| r.role == RelationRole::Ordinary).collect();
        shown.sort_by(|a, b| b.triples.cmp(&a.triples).then_with(|| a.name.cmp(&b.name)));
        let relations: Vec<String> = shown.iter().take(RELATIONS_SHOWN).map(|r| cell(&r.name)).collect();
        let values = json!({
            "types": common_types(graph, TYPES_SHOWN).await?,
            "relations": relations,
            "question": self.question,
            "before": self.before,
            "feedback": feedback.map(|f| json!({ "kind": f.kind.name(), "name": cell(&f.name) })),
        });
        let names = |most| json!({ "type": "array", "items": { "type": "string", "maxLength": 120 }, "maxItems": most });
        let schema = json!({
            "type": "object",
            "properties": {
                "entities": names(MOST_ENTITIES),
                "relations": names(MOST_RELATIONS),
                "module": { "type": "string", "enum": ["hybrid", "text"] },
            },
            "required": ["entities", "relations", "module"],
        });
        let request =
            ChatRequest::new("plan.route", Prompt::HybridExtract.render(values)?).with_max_tokens(300);
        let reply: Reply = self.context.json(Stage::Plan, request, &schema).await?;
        let before: Value =
            json!({ "entities": reply.entities, "relations": reply.relations, "module": reply.module });
        self.before = before.to_string();
        Ok(reply)
    }

    /// The conditions that each name may mean, a group for each name, by position among the requirements.
    async fn link(&mut self, round: usize, reply: Reply) -> Result<Vec<Vec<usize>>, AnswerError> {
        let tell = |step: String| report(self.context, Stage::Plan, round, Refinement::Relaxed { step });
        let Reply { mut entities, mut relations, .. } = reply;
        for (named, most, what) in
            [(&mut entities, MOST_ENTITIES, "entities"), (&mut relations, MOST_RELATIONS, "relations")]
        {
            let mut seen = std::collections::HashSet::new();
            named.retain(|name| !name.trim().is_empty() && seen.insert(normalise(name)));
            if named.len() > most {
                tell(format!("{} {what} named: the first {most} are looked at", named.len()));
                named.truncate(most);
            }
        }
        let steps = self.steps_called(round, &relations).await?;
        let (mut linked, mut mentions) = (Vec::new(), Vec::new());
        for name in entities {
            let lookup = LookupConfig { k: self.bounds.senses, ..LookupConfig::default() };
            let found = self.context.workspace.lookup(&name, &lookup).await?;
            let best = found.first().map(|candidate| candidate.score);
            // Senses of the name itself; where none is called so, the nearest names.
            let near = found
                .into_iter()
                .filter(|candidate| best.is_some_and(|best| candidate.score >= best - NEAR_NAME));
            let (mut senses, mut candidates): (Vec<(NodeId, String)>, Vec<CandidateEvent>) =
                Default::default();
            for candidate in near {
                let (name, score) = (candidate.name.clone(), candidate.score);
                candidates.push(CandidateEvent { name, score, reason: "named by the router".into() });
                senses.push((candidate.node, candidate.name));
            }
            mentions.push(MentionEvent { text: name.clone(), candidates });
            if senses.is_empty() {
                tell(format!("no entity is called {}: without it", cell(&name)));
            } else {
                linked.push((self.part_called(&name), senses));
            }
        }
        self.context.trace.report(Stage::Link, Event::Linked { mentions });
        let radius = self.bounds.radius;
        for radius in [radius].into_iter().chain((radius < WIDEST).then_some(WIDEST)) {
            if radius > self.bounds.radius {
                tell(format!("nothing with a document so near: within {radius} steps"));
            }
            let groups = self.around(&linked, &steps, radius).await?;
            if groups.iter().all(Vec::is_empty) {
                continue;
            }
            let without = |part: usize| self.parts.get(part).map_or("", |part| part.text.as_str());
            for ((part, _), group) in linked.iter().zip(&groups) {
                if group.is_empty() {
                    tell(format!("nothing with a document is reached from {}: without it", without(*part)));
                }
            }
            return Ok(groups.into_iter().filter(|group| !group.is_empty()).collect());
        }
        if !linked.is_empty() {
            tell("by text alone".into());
        }
        Ok(Vec::new())
    }

    /// The conditions from the senses of each name along some relations, up to a radius.
    async fn around(
        &mut self,
        linked: &[(usize, Vec<(NodeId, String)>)],
        steps: &[Step],
        radius: usize,
    ) -> Result<Vec<Vec<usize>>, AnswerError> {
        let bounds = RequirementConfig { radius, ..self.bounds };
        let mut groups = Vec::new();
        for (part, senses) in linked {
            let named = Along { part: *part, senses, steps };
            let found = along(self.context, &self.parts, named, bounds).await?;
            groups.push(self.add_requirements(found)?);
        }
        Ok(groups)
    }

    /// The part of the question that is written so; one of no extent where the question does not write it.
    fn part_called(&mut self, name: &str) -> usize {
        let start = self.question.to_lowercase().find(&name.to_lowercase());
        let span = start.map_or(0..0, |start| start..(start + name.len()).min(self.question.len()));
        if let Some(at) = self.parts.iter().position(|part| part.span == span && part.text == name) {
            return at;
        }
        self.parts.push(NamedPart { span, text: cell(name), score: 1.0 });
        self.parts.len() - 1
    }

    /// Both directions of the relations called so; of names that no relation bears, the nearest one's, which is told. Without
    /// relations, all there are.
    async fn steps_called(&self, round: usize, named: &[String]) -> Result<Vec<Step>, AnswerError> {
        let relations = self.context.graph().relations();
        let ordinary = relations.iter().enumerate().filter(|(_, r)| r.role == RelationRole::Ordinary);
        let ordinary: Vec<(usize, &str)> = ordinary.map(|(at, r)| (at, r.name.as_str())).collect();
        let mut chosen: Vec<usize> = Vec::new();
        for name in named {
            let same = |(_, other): &&(usize, &str)| normalise(other) == normalise(name);
            let mut found: Vec<usize> = ordinary.iter().filter(same).map(|(at, _)| *at).collect();
            if found.is_empty() {
                let nearest = self.nearest_relation(name, &ordinary).await?;
                let to = nearest.map_or("none", |(_, name)| name);
                let step = Refinement::Mapped { relation: cell(name), to: cell(to) };
                report(self.context, Stage::Plan, round, step);
                found.extend(nearest.map(|(at, _)| at));
            }
            chosen.extend(found);
        }
        if chosen.is_empty() {
            chosen.extend(ordinary.iter().map(|(at, _)| *at));
        }
        chosen.sort_unstable();
        chosen.dedup();
        let both = |at: usize| {
            let relation = quipu_graph::RelationId(u32::try_from(at).unwrap_or(u32::MAX));
            [Direction::Forward, Direction::Backward].map(|direction| Step { relation, direction })
        };
        Ok(chosen.into_iter().flat_map(both).collect())
    }

    async fn nearest_relation<'r>(
        &self,
        name: &str,
        relations: &[(usize, &'r str)],
    ) -> Result<Option<(usize, &'r str)>, AnswerError> {
        if self.context.embedder().is_none() || relations.is_empty() {
            let words = normalise(name);
            let shared = |other: &str| {
                normalise(other).split(' ').filter(|word| words.split(' ').any(|w| w == *word)).count()
            };
            let best = relations.iter().max_by_key(|(_, other)| shared(other));
            return Ok(best.copied().filter(|(_, other)| shared(other) > 0));
        }
        let mut texts = vec![name];
        texts.extend(relations.iter().map(|(_, name)| *name));
        let rows = self.context.embed(Stage::Plan, &texts).await?;
        let similarity =
            |at: usize| -> f32 { rows.row(0).iter().zip(rows.row(at + 1)).map(|(a, b)| a * b).sum() };
        let best = (0..relations.len()).max_by(|a, b| similarity(*a).total_cmp(&similarity(*b)));
        Ok(best.and_then(|at| relations.get(at)).copied())
    }

    /// One condition of each group, all of them met by some entity, the best first; where nothing meets all, the best of each group,
    /// to be relaxed.
    async fn combinations(&mut self, groups: &[Vec<usize>]) -> Result<Vec<Action>, AnswerError> {
        let Some((first, others)) = groups.split_first() else { return Ok(Vec::new()) };
        let fits = self.fits(false).await?;
        let single = |router: &Self, at: usize| router.action(vec![at], router.ends(at), &fits);
        let mut actions: Vec<Action> = first.iter().map(|at| single(self, *at)).collect();
        for group in others {
            let mut meeting: Vec<Action> = Vec::new();
            for action in &actions {
                for at in group {
                    let ends = self.ends(*at);
                    let common: Vec<NodeId> =
                        action.ends.iter().copied().filter(|end| ends.binary_search(end).is_ok()).collect();
                    if !common.is_empty() {
                        meeting.push(self.action(
                            [action.requirements.as_slice(), &[*at]].concat(),
                            common,
                            &fits,
                        ));
                    }
                }
            }
            in_order(&mut meeting);
            meeting.truncate(BEAM);
            actions = meeting;
        }
        if actions.is_empty() {
            let best = |group: &Vec<usize>| {
                let mut singles: Vec<Action> = group.iter().map(|at| single(self, *at)).collect();
                in_order(&mut singles);
                singles.into_iter().next()
            };
            let mut bests: Vec<Action> = groups.iter().filter_map(best).collect();
            // The weakest stands last: it is dropped first.
            in_order(&mut bests);
            let requirements = bests.into_iter().flat_map(|action| action.requirements).collect();
            return Ok(vec![self.action(requirements, Vec::new(), &fits)]);
        }
        in_order(&mut actions);
        actions.truncate(BEAM);
        self.read_documents(&mut actions).await?;
        Ok(actions)
    }
}

/// How much worse than the best a name may match to be one of its senses.
const NEAR_NAME: f64 = 0.02;
