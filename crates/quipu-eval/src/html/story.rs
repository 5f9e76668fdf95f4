//! The trace of an answer, as lines for people.

use quipu_answer::{Event, Refinement, TimedEvent};
use serde::Serialize;

use crate::folder::TraceRow;

/// Longest text of a prompt or reply that the page shows, in characters.
const LONGEST: usize = 2000;
/// Most items of a list.
const MOST_ITEMS: usize = 8;
/// Most pieces of evidence.
const MOST_EVIDENCE: usize = 40;

/// Events and evidence of one answer.
#[derive(Debug, Default, Serialize)]
pub(super) struct Told {
    steps: Vec<Step>,
    evidence: Vec<Piece>,
    more_evidence: usize,
}

#[derive(Debug, Serialize)]
struct Step {
    at: String,
    stage: &'static str,
    what: String,
    /// Prompt and reply of a model call.
    exchange: Option<(String, String)>,
}

#[derive(Debug, Serialize)]
struct Piece {
    id: String,
    line: String,
    cited: bool,
}

/// The content of the trace, with cited evidence first.
pub(super) fn tell(trace: &TraceRow, citations: &[String]) -> Told {
    let mut evidence: Vec<Piece> = trace
        .evidence
        .iter()
        .map(|e| Piece { id: e.id.clone(), line: cut(&e.to_line(), 400), cited: citations.contains(&e.id) })
        .collect();
    evidence.sort_by_key(|piece| !piece.cited);
    let more_evidence = evidence.len().saturating_sub(MOST_EVIDENCE);
    evidence.truncate(MOST_EVIDENCE);
    Told { steps: trace.events.iter().map(step).collect(), evidence, more_evidence }
}

fn step(event: &TimedEvent) -> Step {
    let exchange = match &event.event {
        Event::ModelCalled { prompt, reply, .. } => Some((cut(prompt, LONGEST), cut(reply, LONGEST))),
        _ => None,
    };
    Step {
        at: format!("{:.2}", event.at),
        stage: event.stage.name(),
        what: cut(&words(&event.event), LONGEST),
        exchange,
    }
}

fn words(event: &Event) -> String {
    match event {
        Event::Linked { mentions } if mentions.is_empty() => "linked nothing".into(),
        Event::Linked { mentions } => {
            let line = |m: &quipu_answer::MentionEvent| {
                let candidates = m.candidates.iter().take(3);
                let shown = candidates.map(|c| format!("{} ({:.2}, {})", c.name, c.score, c.reason));
                format!("“{}” → {}", m.text, shown.collect::<Vec<_>>().join(" / "))
            };
            format!("linked {}", mentions.iter().map(line).collect::<Vec<_>>().join("; "))
        }
        Event::Restated { question } => format!("understood: {question}"),
        Event::Read { reading } => format!("read: {reading}"),
        Event::Ranked { considered, paths } => {
            let shown = paths.iter().take(MOST_ITEMS).map(|p| format!("{} ({:.2})", p.phrase, p.score));
            format!("ranked {considered} paths: {}", shown.collect::<Vec<_>>().join("; "))
        }
        Event::Expanded { hop, relations } => format!("hop {hop}: on offer {}", list(relations)),
        Event::Filtered { hop, kept, dropped, by } => {
            format!("hop {hop}: {by} dropped {dropped}, kept {}", list(kept))
        }
        Event::Judged { hop, verdict } => format!("hop {hop}: {verdict}"),
        Event::Retrieved { evidence, left_out } => {
            format!("retrieved {evidence} pieces, {left_out} left out")
        }
        Event::Calculated { operation, result } => format!("calculated {operation} = {result}"),
        Event::Composed { reasoning, answers } => format!("composed {}: {reasoning}", list(answers)),
        Event::Grounded { supported, unsupported } => {
            format!("grounded {}; without support {}", list(supported), list(unsupported))
        }
        Event::Refined { round, step } => format!("round {round}: {}", refined(step)),
        Event::ModelCalled { request, usage, .. } => {
            let cached = if usage.llm_calls == 0 { ", from the recording" } else { "" };
            format!(
                "asked the model ({request}): {} + {} tokens{cached}",
                usage.prompt_tokens, usage.completion_tokens
            )
        }
        Event::Scored { candidates } => {
            let best = candidates.iter().take(3).map(|c| format!("{} ({:.2})", c.name, c.score));
            format!(
                "held {} candidates against their relations: {}",
                candidates.len(),
                best.collect::<Vec<_>>().join(", ")
            )
        }
        Event::Explored { hop, anchor, found, stopped } => match stopped {
            Some(why) => format!("hop {hop} from {anchor}: {} facts, then stopped: {why}", found.len()),
            None => format!("hop {hop} from {anchor}: {} facts", found.len()),
        },
        Event::Believed { triples } => format!("believed {} things: {}", triples.len(), list(triples)),
        Event::Corrected { edits } => {
            let deleted = edits.iter().filter(|edit| edit.after.is_none()).count();
            let added = edits.iter().filter(|edit| edit.before.is_none()).count();
            format!(
                "corrected: {} kept or replaced, {deleted} deleted, {added} added",
                edits.len() - deleted - added
            )
        }
        Event::Queried { sql, outcome, .. } => format!("asked {sql}: {outcome}"),
        Event::Walked { answers, confidence, .. } => {
            format!("walked {confidence:.2}: {}", answers.join(", "))
        }
        Event::Weighed { sql, confidence, .. } => format!("confidence {confidence:.2}: {sql}"),
        Event::Degraded { reason } => format!("fell back: {reason}"),
    }
}

fn refined(step: &Refinement) -> String {
    match step {
        Refinement::Routed { module, reading, .. } => format!("{module} module: {}", list(reading)),
        Refinement::Mapped { relation, to } => format!("no relation {relation}; took {to}"),
        Refinement::Relaxed { step } => format!("relaxed: {step}"),
        Refinement::Retrieved { entities } => format!("retrieved {entities} entities"),
        Refinement::Validated { document, accepted, probability } => {
            let verdict = if *accepted { "accepted" } else { "rejected" };
            format!("{verdict} ({probability:.2}) {document}")
        }
        Refinement::Feedback { kind, about } => format!("feedback: {kind} {about}").trim_end().to_owned(),
    }
}

fn list(items: &[String]) -> String {
    if items.is_empty() {
        return "nothing".into();
    }
    let shown = items.iter().take(MOST_ITEMS).cloned().collect::<Vec<_>>().join("; ");
    match items.len().saturating_sub(MOST_ITEMS) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}

fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
