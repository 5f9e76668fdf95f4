//! Plan-on-Graph (Chen et al., NeurIPS 2024), as AnchorRAG compares with it. The question is split
//! into objectives. Each hop follows the relations and entities that serve an open objective. The
//! model keeps the state of each objective and, while the facts are not enough, may turn back to
//! entities that it left behind.
//!
//! Calls: one for the objectives; in each hop one for relations, one for entities if more than ten
//! are reached, one for the objectives' state and the sufficiency of the facts; between two hops
//! one for entities to turn back to; one to compose. With D hops that is 4D + 1 at most. The topic
//! entities come from the index. All triples along a followed relation are evidence, so that lists
//! are answered whole.

use std::collections::HashSet;

use quipu_graph::{NodeId, Step};
use quipu_model::{ChatRequest, ModelError};
use quipu_stages::answer::{
    AnswerError, Event, Evidence, EvidenceContent, Outcome, Question, Stage, cell, to_markdown,
};
use quipu_stages::compose::answer_from;
use quipu_stages::ledger::Context;
use quipu_stages::link::{NOTHING_LINKED, linked};
use quipu_stages::plan::{OfferedRelation, with_solved};
use quipu_stages::prompts::Prompt;
use quipu_stages::prune::{filter_by_similarity, pick_numbers, similarities};
use quipu_stages::retrieve::{Walked, triples_to_evidence};
use serde_json::json;

use super::walk::{MOST_OFFERED, along, evidence, most_offered, offered, scores};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most relations followed in one hop.
const MOST_RELATIONS: usize = 5;
/// Neighbours along one step of one entity.
const MOST_NEIGHBOURS: usize = 50;
/// `FEW` entities go on without a choice, and at most that many are chosen; the model chooses from
/// `MOST_CANDIDATES`.
const FEW: usize = 10;
const MOST_CANDIDATES: usize = 20;
/// Most entities left behind that the model may turn back to.
const MOST_BEHIND: usize = 10;
/// Most objectives of a question.
const MOST_OBJECTIVES: usize = 4;
/// The state of an objective whose fact is not found yet.
const OPEN: &str = "not yet known";

/// Parameters of Plan-on-Graph; the default is the paper's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanOnGraphConfig {
    /// Most hops (4).
    #[schemars(range(max = 5))]
    pub depth: u32,
}

impl Default for PlanOnGraphConfig {
    fn default() -> Self {
        Self { depth: 4 }
    }
}

/// The facts that the question needs, with the state of each: the paper's memory, beside the
/// triples walked.
struct Objectives {
    all: Vec<String>,
    states: Vec<String>,
}

/// The current entities, and those that the search could turn back to.
#[derive(Default)]
struct Places {
    here: Vec<(NodeId, String)>,
    behind: Vec<(NodeId, String)>,
    visited: HashSet<NodeId>,
    followed: HashSet<(NodeId, Step)>,
}

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &PlanOnGraphConfig,
) -> Result<Outcome, AnswerError> {
    let anchors = linked(context, question).await?;
    if anchors.is_empty() {
        return Ok(Outcome::abstain(NOTHING_LINKED, Vec::new()));
    }
    let mut objectives = Objectives::of(context, question).await?;
    let mut places = Places::default();
    places.go_to(anchors.iter().map(|anchor| (anchor.node, cell(&anchor.name))).collect());
    let mut walked: Vec<Walked> = Vec::new();
    let mut enough = false;
    for hop in 1..=config.depth {
        if !context.has_calls_beyond(1) {
            break;
        }
        let triples = explore(context, question, &objectives, &mut places, hop).await?;
        let news = !triples.is_empty();
        walked.extend(triples);
        if news && context.has_calls_beyond(1) {
            enough = objectives.update(context, question, &walked, hop).await?;
        }
        // The last call is kept for the answer.
        if enough || hop == config.depth || !context.has_calls_beyond(1) {
            break;
        }
        turn_back(context, question, &objectives, &mut places).await?;
        if places.here.is_empty() {
            break;
        }
    }
    let found = evidence(context, &walked).await?;
    answer_from(context, question, found, if enough { 0.6 } else { 0.4 }).await
}

impl Objectives {
    /// Splits the question: one call. If the reply cannot be read, the question is its own
    /// objective.
    async fn of(context: &Context<'_>, question: &Question) -> Result<Self, AnswerError> {
        #[derive(Deserialize)]
        struct Reply {
            objectives: Vec<String>,
        }
        let _timer = context.ledger.enter(Stage::Plan);
        let schema = json!({
            "type": "object",
            "properties": { "objectives": {
                "type": "array",
                "items": { "type": "string", "maxLength": 120 },
                "minItems": 1,
                "maxItems": MOST_OBJECTIVES
            } },
            "required": ["objectives"]
        });
        let messages = Prompt::PogObjectives.render(json!({ "question": question.text() }))?;
        let messages = with_solved(context, question.text(), messages).await?;
        let request = ChatRequest::new("plan.pog", messages).with_max_tokens(160);
        let all = match context.json::<Reply>(Stage::Plan, request, &schema).await {
            Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
                let reason = format!("{error}; the whole question is the only objective");
                context.trace.report(Stage::Plan, Event::Degraded { reason });
                Vec::new()
            }
            reply => reply?.objectives,
        };
        let mut all: Vec<String> = all.iter().map(|one| cell(one)).filter(|one| !one.is_empty()).collect();
        all.truncate(MOST_OBJECTIVES);
        if all.is_empty() {
            all.push(question.text().to_owned());
        }
        let states = vec![OPEN.to_owned(); all.len()];
        Ok(Self { all, states })
    }

    /// Updates the state of each objective, and returns whether the facts hold the answer: one
    /// call. An unreadable reply changes nothing.
    async fn update(
        &mut self,
        context: &Context<'_>,
        question: &Question,
        walked: &[Walked],
        hop: u32,
    ) -> Result<bool, AnswerError> {
        #[derive(Deserialize)]
        struct Reply {
            states: Vec<String>,
            enough: bool,
        }
        let _timer = context.ledger.enter(Stage::Critique);
        let (facts, _) = evidence(context, walked).await?;
        let count = self.all.len();
        let schema = json!({
            "type": "object",
            "properties": {
                "states": {
                    "type": "array",
                    "items": { "type": "string", "maxLength": 120 },
                    "minItems": count,
                    "maxItems": count
                },
                "enough": { "type": "boolean" }
            },
            "required": ["states", "enough"]
        });
        let values = json!({
            "facts": to_markdown(&facts), "question": question.text(), "objectives": self.lines(),
        });
        let request =
            ChatRequest::new("critique.pog", Prompt::PogMemory.render(values)?).with_max_tokens(240);
        let reply = match context.json::<Reply>(Stage::Critique, request, &schema).await {
            Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
                let reason = format!("{error}; the objectives stay as they were");
                context.trace.report(Stage::Critique, Event::Degraded { reason });
                return Ok(false);
            }
            reply => reply?,
        };
        for (state, now) in self.states.iter_mut().zip(reply.states) {
            *state = cell(&now);
        }
        let verdict = if reply.enough { "sufficient" } else { "one hop more" };
        context.trace.report(Stage::Critique, Event::Judged { hop, verdict: verdict.into() });
        Ok(reply.enough)
    }

    /// `the hometown of Ada Berg: Lindau`.
    fn lines(&self) -> Vec<String> {
        self.all.iter().zip(&self.states).map(|(objective, state)| format!("{objective}: {state}")).collect()
    }
}

impl Places {
    /// Moves to other places; those left are kept behind.
    fn go_to(&mut self, next: Vec<(NodeId, String)>) {
        let left = std::mem::replace(&mut self.here, next);
        self.visited.extend(self.here.iter().map(|(node, _)| *node));
        self.leave(left);
    }

    /// Keeps the places that are not continued behind, each once.
    fn leave(&mut self, places: impl IntoIterator<Item = (NodeId, String)>) {
        for place in places {
            if !self.here.contains(&place) && !self.behind.contains(&place) {
                self.behind.push(place);
            }
        }
    }

    /// Returns to places left behind, beside the current ones.
    fn turn_back_to(&mut self, back: Vec<(NodeId, String)>) {
        self.behind.retain(|place| !back.contains(place));
        self.visited.extend(back.iter().map(|(node, _)| *node));
        self.here.extend(back);
    }

    /// Marks the steps of triples as followed.
    fn follow(&mut self, triples: &[Walked]) {
        self.followed.extend(triples.iter().map(|(from, step, _)| (*from, *step)));
    }

    /// The steps that at least one current place has and that were not followed from it yet.
    async fn fresh(&self, context: &Context<'_>) -> Result<HashSet<Step>, AnswerError> {
        let here = self.nodes();
        let used = context.graph().relations_of(&here).await?;
        let of_places =
            here.iter().zip(used).flat_map(|(node, used)| used.into_iter().map(|of| (*node, of.step)));
        Ok(of_places.filter(|place| !self.followed.contains(place)).map(|(_, step)| step).collect())
    }

    fn nodes(&self) -> Vec<NodeId> {
        self.here.iter().map(|(node, _)| *node).collect()
    }

    /// The names of the first current places, for the model.
    fn names(&self) -> String {
        let names: Vec<&str> = self.here.iter().take(FEW).map(|(_, name)| name.as_str()).collect();
        names.join(" / ")
    }
}

/// One hop: the relations that serve an open objective, the entities along them, and the choice of
/// those that go on.
async fn explore(
    context: &Context<'_>,
    question: &Question,
    objectives: &Objectives,
    places: &mut Places,
    hop: u32,
) -> Result<Vec<Walked>, AnswerError> {
    let steps = choose_relations(context, question, objectives, places, hop).await?;
    let here = places.nodes();
    let triples = {
        let _timer = context.ledger.enter(Stage::Retrieve);
        along(context, &here, &steps, MOST_NEIGHBOURS).await?
    };
    let triples: Vec<Walked> =
        triples.into_iter().filter(|(from, step, _)| !places.followed.contains(&(*from, *step))).collect();
    places.follow(&triples);
    let mut seen = HashSet::new();
    let reached: Vec<Walked> = triples
        .iter()
        .filter(|(_, _, to)| !places.visited.contains(to) && seen.insert(*to))
        .copied()
        .collect();
    let next = choose_entities(context, question, objectives, places, reached, hop).await?;
    places.go_to(next);
    Ok(triples)
}

/// The relations to follow: one call, or none if there is only one relation. If the reply cannot be
/// read, the most similar ones.
async fn choose_relations(
    context: &Context<'_>,
    question: &Question,
    objectives: &Objectives,
    places: &Places,
    hop: u32,
) -> Result<Vec<Step>, AnswerError> {
    let _timer = context.ledger.enter(Stage::Prune);
    let here = places.nodes();
    let fresh = places.fresh(context).await?;
    let mut offered = offered(context, question.text(), &here, usize::MAX).await?;
    offered.retain(|relation| fresh.contains(&relation.step));
    let offered = most_offered(context, question.text(), offered, MOST_OFFERED).await?;
    let relations: Vec<String> = offered.iter().map(OfferedRelation::describe).collect();
    context.trace.report(Stage::Plan, Event::Expanded { hop, relations: relations.clone() });
    let mut picked: Vec<usize> = (0..offered.len().min(1)).collect();
    let mut by = "number";
    if offered.len() > 1 {
        by = "model";
        let values = json!({
            "question": question.text(), "objectives": objectives.lines(), "at": places.names(),
            "relations": relations,
        });
        let messages = with_solved(context, question.text(), Prompt::PogRelations.render(values)?).await?;
        let request = ChatRequest::new("prune.pog", messages);
        let most = MOST_RELATIONS.min(offered.len());
        picked = pick_numbers(context, Stage::Prune, request, offered.len(), 1..=most).await?;
        if picked.is_empty() && context.embedder().is_some() {
            by = "similarity";
            picked = filter_by_similarity(&similarities(context, question.text(), &offered).await?, most);
        }
    }
    let picked: Vec<&OfferedRelation> = picked.into_iter().filter_map(|index| offered.get(index)).collect();
    let kept: Vec<String> = picked.iter().map(|relation| relation.describe()).collect();
    let dropped = offered.len() - kept.len();
    context.trace.report(Stage::Prune, Event::Filtered { hop, kept, dropped, by: by.into() });
    Ok(picked.into_iter().map(|relation| relation.step).collect())
}

/// The entities that go on: all if they are few, else those that the model chooses; the others stay
/// behind.
async fn choose_entities(
    context: &Context<'_>,
    question: &Question,
    objectives: &Objectives,
    places: &mut Places,
    reached: Vec<Walked>,
    hop: u32,
) -> Result<Vec<(NodeId, String)>, AnswerError> {
    let _timer = context.ledger.enter(Stage::Prune);
    let (reached, cut) = most_similar(context, question, reached).await?;
    let named = async |triples: &[Walked]| -> Result<Vec<(NodeId, String)>, AnswerError> {
        let ends: Vec<NodeId> = triples.iter().map(|(_, _, to)| *to).collect();
        let names = context.graph().summaries(&ends).await?;
        Ok(names.into_iter().map(|summary| (summary.node, cell(&summary.name))).collect())
    };
    places.leave(named(&cut).await?);
    let found = reached.len() + cut.len();
    let mut next = named(&reached).await?;
    let mut by = "number";
    if next.len() > FEW && context.has_calls_beyond(1) {
        by = "model";
        let evidence = triples_to_evidence(context.graph(), &reached).await?;
        let values = json!({
            "question": question.text(), "objectives": objectives.lines(),
            "entities": evidence.iter().map(told).collect::<Vec<_>>(),
        });
        let request = ChatRequest::new("prune.pog_entities", Prompt::PogEntities.render(values)?);
        let picked = pick_numbers(context, Stage::Prune, request, next.len(), 1..=FEW).await?;
        if !picked.is_empty() {
            let chosen: Vec<_> = picked.iter().filter_map(|at| next.get(*at).cloned()).collect();
            places.leave(next.iter().filter(|place| !chosen.contains(place)).cloned());
            next = chosen;
        }
    }
    // Without a readable choice, the first ones go on: those most similar to the question.
    let rest = next.split_off(next.len().min(FEW));
    places.leave(rest);
    let kept: Vec<String> = next.iter().map(|(_, name)| name.clone()).collect();
    let dropped = found - kept.len();
    context.trace.report(Stage::Prune, Event::Filtered { hop, kept, dropped, by: by.into() });
    Ok(next)
}

/// `Kauwboy - directed by -> Boudewijn Koole`.
fn told(evidence: &Evidence) -> String {
    match &evidence.content {
        EvidenceContent::Triple { head, relation, tail, .. } => {
            format!("{} - {} -> {}", cell(head), cell(relation), cell(tail))
        }
        _ => cell(&evidence.to_line()),
    }
}

/// The triples most similar to the question, best first, and the rest. Without an embedder, the
/// first triples and the rest.
async fn most_similar(
    context: &Context<'_>,
    question: &Question,
    mut reached: Vec<Walked>,
) -> Result<(Vec<Walked>, Vec<Walked>), AnswerError> {
    let scores =
        if reached.len() > FEW { scores(context, question.text(), &reached).await? } else { Vec::new() };
    if !scores.is_empty() {
        let mut ranked: Vec<(f32, Walked)> = scores.into_iter().zip(reached).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        reached = ranked.into_iter().map(|(_, triple)| triple).collect();
    }
    let cut = reached.split_off(reached.len().min(MOST_CANDIDATES));
    Ok((reached, cut))
}

/// The paper's self-correction: chooses the places left behind to continue from too. One call, or
/// none if nothing is behind.
async fn turn_back(
    context: &Context<'_>,
    question: &Question,
    objectives: &Objectives,
    places: &mut Places,
) -> Result<(), AnswerError> {
    if places.behind.is_empty() {
        return Ok(());
    }
    let _timer = context.ledger.enter(Stage::Plan);
    // The place left last is nearest to the current ones.
    let offered: Vec<(NodeId, String)> = places.behind.iter().rev().take(MOST_BEHIND).cloned().collect();
    let names: Vec<&str> = offered.iter().map(|(_, name)| name.as_str()).collect();
    let values = json!({
        "question": question.text(), "objectives": objectives.lines(), "at": places.names(), "behind": names,
    });
    let request = ChatRequest::new("plan.pog_reflect", Prompt::PogReflect.render(values)?);
    let picked =
        pick_numbers(context, Stage::Plan, request, offered.len(), 0..=FEW.min(offered.len())).await?;
    let back: Vec<(NodeId, String)> = picked.into_iter().filter_map(|at| offered.get(at).cloned()).collect();
    places.turn_back_to(back);
    Ok(())
}
