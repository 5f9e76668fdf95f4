//! Verification (§3.2.2): the pseudo-graph is edited to match the ground graph. Every edit names
//! the triple that caused it, and a pseudo-triple that no triple supports is deleted, so the
//! corrected graph holds only triples of the sources. It may be empty.

use quipu_model::ChatRequest;
use quipu_query::PseudoGraph;
use quipu_stages::answer::{AnswerError, EditEvent, Event, Evidence, Question, Stage, cell, to_markdown};
use quipu_stages::compose::row_positions;
use quipu_stages::ledger::Context;
use quipu_stages::prompts::Prompt;
use serde::Deserialize;
use serde_json::json;

use super::edits::{alike, edited, kept_of, take_all};
use super::semantic::Ground;
use super::{PseudoConfig, Verification};

/// Below this similarity of the nearest triple, a pseudo-triple is deleted in verification by
/// similarity.
const LEAST_SUPPORT: f32 = 0.5;
/// Most rows of one edit, and most tokens of a reply.
const MOST_ROWS: usize = 20;
const MOST_REPLY: u32 = 700;

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

/// The corrected graph: one call with [`Verification::Model`]. If the sources hold nothing similar,
/// the whole pseudo-graph is deleted without a call.
///
/// # Errors
/// The model's, including an unreadable reply.
pub(super) async fn verify(
    context: &Context<'_>,
    question: &Question,
    pseudo: &PseudoGraph,
    ground: &Ground,
    config: &PseudoConfig,
) -> Result<Vec<Evidence>, AnswerError> {
    let (edits, kept) = if ground.evidence.is_empty() {
        by_model(pseudo, ground, &Reply { edits: Vec::new(), add: Vec::new() })
    } else if config.verification == Verification::Similarity {
        by_similarity(pseudo, ground)
    } else {
        by_model(pseudo, ground, &ask(context, question, pseudo, ground).await?)
    };
    context.trace.report(Stage::Critique, Event::Corrected { edits });
    Ok(kept)
}

async fn ask(
    context: &Context<'_>,
    question: &Question,
    pseudo: &PseudoGraph,
    ground: &Ground,
) -> Result<Reply, AnswerError> {
    let beliefs: Vec<String> =
        pseudo.triples.iter().map(|triple| pseudo.names(triple).map(cell).join(" | ")).collect();
    let labels: Vec<String> = (1..=beliefs.len()).map(label).collect();
    let values =
        json!({ "facts": to_markdown(&ground.evidence), "beliefs": beliefs, "question": question.text() });
    let rows =
        json!({ "type": "array", "items": { "type": "string", "maxLength": 12 }, "maxItems": MOST_ROWS });
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
        ChatRequest::new("critique.verify", Prompt::PseudoVerify.render(values)?).with_max_tokens(MOST_REPLY);
    context.json(Stage::Critique, request, &schema).await
}

fn label(number: usize) -> String {
    format!("P{number}")
}

fn by_model(pseudo: &PseudoGraph, ground: &Ground, reply: &Reply) -> (Vec<EditEvent>, Vec<Evidence>) {
    let mut events = Vec::new();
    let mut kept = vec![false; ground.evidence.len()];
    for (at, triple) in pseudo.triples.iter().enumerate() {
        let edits = reply.edits.iter().filter(|edit| edit.triple == label(at + 1));
        let positions: Vec<usize> = edits.flat_map(|edit| rows(&edit.rows, ground)).collect();
        let before = pseudo.names(triple).join(" | ");
        events.extend(edited(Some(before), &take_all(&positions, &mut kept), &ground.evidence));
    }
    let added = take_all(&rows(&reply.add, ground), &mut kept);
    events.extend(added.iter().flat_map(|at| edited(None, &[*at], &ground.evidence)));
    (events, kept_of(&ground.evidence, &kept))
}

/// Replaces each pseudo-triple by its most similar triple, with the other triples of the same
/// entity and relation, because a list is one belief.
fn by_similarity(pseudo: &PseudoGraph, ground: &Ground) -> (Vec<EditEvent>, Vec<Evidence>) {
    let mut events = Vec::new();
    let mut kept = vec![false; ground.evidence.len()];
    for (at, triple) in pseudo.triples.iter().enumerate() {
        let nearest = ground.nearest.get(&at).filter(|(_, similarity)| *similarity >= LEAST_SUPPORT);
        let position = nearest.and_then(|(id, _)| ground.evidence.iter().position(|piece| piece.id == *id));
        let positions = position.map(|at| alike(at, &ground.evidence)).unwrap_or_default();
        let before = pseudo.names(triple).join(" | ");
        events.extend(edited(Some(before), &take_all(&positions, &mut kept), &ground.evidence));
    }
    (events, kept_of(&ground.evidence, &kept))
}

fn rows(named: &[String], ground: &Ground) -> Vec<usize> {
    named.iter().flat_map(|row| row_positions(row)).filter(|at| *at < ground.evidence.len()).collect()
}
