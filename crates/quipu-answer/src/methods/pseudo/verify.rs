//! Verification (§3.2.2): the pseudo-graph is edited after what the sources say. Every edit names the triple that caused it, and what no source
//! bears out is deleted, so that the corrected graph holds triples of the sources only.

use quipu_model::{ChatRequest, ModelError};
use quipu_query::{PseudoGraph, PseudoTail};
use serde::Deserialize;
use serde_json::json;

use super::gold::Gold;
use super::{PseudoConfig, Verification};
use crate::answer::{AnswerError, EditEvent, Event, Evidence, Question, Stage, cell, to_markdown};
use crate::compose::row_positions;
use crate::ledger::Context;
use crate::prompts::Prompt;

/// Pseudo-triples that the model sees.
const MOST_SHOWN: usize = 16;
/// A pseudo-triple that no triple resembles so much is deleted, where similarity verifies.
const LEAST_SUPPORT: f32 = 0.5;

#[derive(Deserialize)]
struct Reply {
    edits: Vec<Edit>,
    #[serde(default)]
    add: Vec<String>,
}

#[derive(Deserialize)]
struct Edit {
    triple: String,
    rows: Vec<String>,
}

/// The corrected graph: one call with [`Verification::Model`], none where the model said of everything that it does not know it: what the sources
/// state then takes that place. Where the reply cannot be read, or no call is left, similarity does it.
pub(super) async fn verify(
    context: &Context<'_>,
    question: &Question,
    graph: &PseudoGraph,
    gold: &Gold,
    config: &PseudoConfig,
) -> Result<Vec<Evidence>, AnswerError> {
    let beliefs: Vec<usize> =
        (0..graph.triples.len()).filter(|at| !is_filled(graph, gold, *at)).take(MOST_SHOWN).collect();
    let reply = match config.verification {
        Verification::Model if !beliefs.is_empty() => ask(context, question, graph, gold, &beliefs).await?,
        _ => None,
    };
    let (edits, kept) = match reply {
        Some(reply) => by_model(graph, gold, &reply, &beliefs),
        None => by_similarity(graph, gold),
    };
    context.trace.report(Stage::Critique, Event::Corrected { edits });
    // Nothing kept says that the beliefs were no help: what was found is then all that there is.
    Ok(if kept.is_empty() { gold.evidence.clone() } else { kept })
}

/// Whether the sources fill in what a pseudo-triple leaves open: it is no belief that could be wrong.
fn is_filled(graph: &PseudoGraph, gold: &Gold, at: usize) -> bool {
    let Some(triple) = graph.triples.get(at) else { return false };
    let unknown = |at: usize| graph.nodes.get(at).is_some_and(|node| node.unknown);
    let tail = matches!(triple.tail, PseudoTail::Node(tail) if unknown(tail));
    gold.followed.contains_key(&at) && (unknown(triple.head) || tail)
}

/// `None` where similarity has to do it.
async fn ask(
    context: &Context<'_>,
    question: &Question,
    graph: &PseudoGraph,
    gold: &Gold,
    beliefs: &[usize],
) -> Result<Option<Reply>, AnswerError> {
    let beliefs: Vec<String> = beliefs
        .iter()
        .filter_map(|at| graph.triples.get(*at))
        .map(|triple| graph.names(triple).map(cell).join(" | "))
        .collect();
    let labels: Vec<String> = (1..=beliefs.len()).map(|number| format!("P{number}")).collect();
    let values =
        json!({ "facts": to_markdown(&gold.evidence), "beliefs": beliefs, "question": question.text() });
    let rows = json!({ "type": "array", "items": { "type": "string", "maxLength": 12 }, "maxItems": 20 });
    let schema = json!({
        "type": "object",
        "properties": {
            "edits": { "type": "array", "maxItems": beliefs.len(), "items": {
                "type": "object",
                "properties": { "triple": { "type": "string", "enum": labels }, "rows": rows },
                "required": ["triple", "rows"]
            } },
            "add": rows
        },
        "required": ["edits", "add"]
    });
    let request =
        ChatRequest::new("critique.verify", Prompt::PseudoVerify.render(values)?).with_max_tokens(500);
    // The last call is the answer's.
    match context.sparing(1).json::<Reply>(Stage::Critique, request, &schema).await {
        Ok(reply) => Ok(Some(reply)),
        Err(error @ (AnswerError::Model(ModelError::Unreadable { .. }) | AnswerError::Exhausted(_))) => {
            let reason = format!("{error}; the graph was corrected by similarity");
            context.trace.report(Stage::Critique, Event::Degraded { reason });
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn by_model(
    graph: &PseudoGraph,
    gold: &Gold,
    reply: &Reply,
    beliefs: &[usize],
) -> (Vec<EditEvent>, Vec<Evidence>) {
    let mut events = Vec::new();
    let mut kept = vec![false; gold.evidence.len()];
    for (at, triple) in graph.triples.iter().enumerate() {
        let before = graph.names(triple).join(" | ");
        let positions = if is_filled(graph, gold, at) {
            take_all(&positions_of(gold, at), &mut kept)
        } else {
            let label = beliefs.iter().position(|belief| *belief == at).map(|n| format!("P{}", n + 1));
            let edit = reply.edits.iter().find(|edit| Some(&edit.triple) == label.as_ref());
            edit.map(|edit| take_all(&rows(&edit.rows, gold), &mut kept)).unwrap_or_default()
        };
        events.extend(edited(Some(before), &positions, &gold.evidence));
    }
    let added = take_all(&rows(&reply.add, gold), &mut kept);
    events.extend(added.iter().flat_map(|at| edited(None, &[*at], &gold.evidence)));
    let pieces = gold.evidence.iter().zip(kept).filter(|(_, kept)| *kept).map(|(piece, _)| piece.clone());
    (events, pieces.collect())
}

/// Every pseudo-triple becomes its most similar triple, with the others of the same entity and relation: a list is one belief.
fn by_similarity(graph: &PseudoGraph, gold: &Gold) -> (Vec<EditEvent>, Vec<Evidence>) {
    let mut events = Vec::new();
    let mut kept = vec![false; gold.evidence.len()];
    for (at, triple) in graph.triples.iter().enumerate() {
        let before = graph.names(triple).join(" | ");
        let mut positions = positions_of(gold, at);
        if positions.is_empty() {
            let nearest = gold.nearest.get(&at).filter(|(_, similarity)| *similarity >= LEAST_SUPPORT);
            let position = nearest.and_then(|(id, _)| gold.evidence.iter().position(|piece| piece.id == *id));
            positions = position.map(|at| alike(at, &gold.evidence)).unwrap_or_default();
        }
        events.extend(edited(Some(before), &take_all(&positions, &mut kept), &gold.evidence));
    }
    // What the question asks for, whether anybody believed something about it or not.
    let asked = gold
        .asked
        .as_ref()
        .filter(|_| gold.answer.is_none())
        .and_then(|id| gold.evidence.iter().position(|piece| piece.id == *id));
    for at in asked.map(|at| alike(at, &gold.evidence)).unwrap_or_default() {
        if let Some(kept) = kept.get_mut(at).filter(|kept| !**kept) {
            *kept = true;
            events.extend(edited(None, &[at], &gold.evidence));
        }
    }
    let pieces = gold.evidence.iter().zip(kept).filter(|(_, kept)| *kept).map(|(piece, _)| piece.clone());
    (events, pieces.collect())
}

/// Where the triples along a pseudo-triple stand in the gold graph.
fn positions_of(gold: &Gold, at: usize) -> Vec<usize> {
    let Some(ids) = gold.followed.get(&at) else { return Vec::new() };
    gold.evidence.iter().enumerate().filter(|(_, piece)| ids.contains(&piece.id)).map(|(at, _)| at).collect()
}

fn rows(named: &[String], gold: &Gold) -> Vec<usize> {
    named.iter().flat_map(|row| row_positions(row)).filter(|at| *at < gold.evidence.len()).collect()
}

fn take_all(positions: &[usize], kept: &mut [bool]) -> Vec<usize> {
    for at in positions {
        if let Some(kept) = kept.get_mut(*at) {
            *kept = true;
        }
    }
    positions.to_vec()
}

/// The pieces that stand in one row with piece `at`.
fn alike(at: usize, evidence: &[Evidence]) -> Vec<usize> {
    use crate::answer::EvidenceContent::Triple;
    let Some(Triple { head, relation, tail, .. }) = evidence.get(at).map(|piece| &piece.content) else {
        return vec![at];
    };
    let same = |piece: &Evidence| match &piece.content {
        Triple { head: h, relation: r, tail: t, .. } => r == relation && (h == head || t == tail),
        _ => false,
    };
    evidence.iter().enumerate().filter(|(_, piece)| same(piece)).map(|(at, _)| at).collect()
}

/// One edit a row; a deletion where there is none.
pub(super) fn edited(before: Option<String>, positions: &[usize], evidence: &[Evidence]) -> Vec<EditEvent> {
    if positions.is_empty() {
        return before
            .map(|before| EditEvent { before: Some(before), after: None, by: None })
            .into_iter()
            .collect();
    }
    let pieces = positions.iter().filter_map(|at| evidence.get(*at));
    let mut before = before;
    pieces
        .map(|piece| EditEvent {
            before: before.take(),
            after: Some(piece.to_line()),
            by: Some(piece.id.clone()),
        })
        .collect()
}
