//! A trace as text: the events on the way to an answer, stage by stage.

use std::io::{self, Write};

use quipu_answer::{EditEvent, Event, Refinement, TimedEvent};

use crate::output::{FAINT, STRONG, counted, cut, visible};

/// Names shown in one line; the others are counted.
const MOST_NAMES: usize = 12;
/// Candidates of a mention, or paths of a ranking, that are shown.
const MOST_LINES: usize = 5;
/// Characters of a model's reply that are shown.
const MOST_REPLY: usize = 400;

/// Writes the events in order, with a heading whenever the stage changes.
pub(crate) fn print_explanation(events: &[TimedEvent], out: &mut impl Write) -> io::Result<()> {
    let mut open_stage = None;
    for timed in events {
        if open_stage != Some(timed.stage) {
            open_stage = Some(timed.stage);
            writeln!(out, "\n{STRONG}{}{STRONG:#} {FAINT}at {:.2} s{FAINT:#}", timed.stage.name(), timed.at)?;
        }
        for line in lines(&timed.event) {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

/// Writes an edit as a diff (`-`, `+`), with the evidence that caused it.
fn edit_line(edit: &EditEvent) -> String {
    let by = edit.by.as_deref().map(|id| format!("  ({id})")).unwrap_or_default();
    match (&edit.before, &edit.after) {
        (Some(before), Some(after)) => format!("- {}  + {}{by}", visible(before), visible(after)),
        (Some(before), None) => format!("- {}", visible(before)),
        (None, Some(after)) => format!("+ {}{by}", visible(after)),
        (None, None) => String::new(),
    }
}

/// Candidates of a grounding that are shown.
const SHOWN_CANDIDATES: usize = 6;

fn lines(event: &Event) -> Vec<String> {
    match event {
        Event::Linked { mentions } => mentions.iter().flat_map(mention_lines).collect(),
        Event::Restated { question } => vec![format!("understands: {}", visible(question))],
        Event::Read { reading } => vec![format!("reads: {}", visible(reading))],
        Event::Ranked { considered, paths } => {
            let heading = format!("{} considered; the best:", counted(*considered as u64, "path", "paths"));
            let best = paths.iter().take(MOST_LINES);
            std::iter::once(heading)
                .chain(best.map(|path| format!("  {:.3}  {}", path.score, visible(&path.phrase))))
                .collect()
        }
        Event::Expanded { hop, relations } => {
            let many = counted(relations.len() as u64, "relation", "relations");
            vec![format!("hop {hop}: {many} on offer: {}", names(relations))]
        }
        Event::Filtered { hop, kept, dropped, by } => {
            let place = if *hop == 0 { String::new() } else { format!("hop {hop}: ") };
            vec![format!("{place}keeps {} (by {by}, {dropped} dropped)", names(kept))]
        }
        Event::Judged { hop, verdict } => vec![format!("hop {hop}: {}", visible(verdict))],
        Event::Retrieved { evidence, left_out } => {
            let many = counted(*evidence as u64, "piece", "pieces");
            let rest = if *left_out == 0 { String::new() } else { format!(", {left_out} beyond the budget") };
            vec![format!("{many} of evidence{rest}")]
        }
        Event::Calculated { operation, result } => {
            vec![format!("{} = {}", visible(operation), visible(result))]
        }
        Event::Composed { reasoning, answers } => vec![
            format!("reasons: {}", cut(&visible(reasoning), MOST_REPLY)),
            format!("answers: {}", names(answers)),
        ],
        Event::Grounded { supported, unsupported } => grounding_lines(supported, unsupported),
        Event::ModelCalled { request, reply, usage, .. } => {
            let tokens = format!("{}+{}", usage.prompt_tokens, usage.completion_tokens);
            vec![
                format!(
                    "{FAINT}asks the model ({request}, {tokens} tokens, {:.2} s){FAINT:#}",
                    usage.seconds
                ),
                format!("{FAINT}  {}{FAINT:#}", cut(&visible(reply), MOST_REPLY)),
            ]
        }
        Event::Refined { round, step } => refinement_lines(*round, step),
        Event::Scored { candidates } => candidates
            .iter()
            .take(SHOWN_CANDIDATES)
            .map(|c| format!("{} {:.2} ({})", visible(&c.name), c.score, visible(&c.reason)))
            .collect(),
        Event::Explored { hop, anchor, found, stopped } => {
            let stopped = stopped
                .iter()
                .map(|why| format!("hop {hop}, from {}: stops, because {}", visible(anchor), visible(why)));
            let found =
                found.iter().map(|line| format!("hop {hop}, from {}: {}", visible(anchor), visible(line)));
            found.chain(stopped).collect()
        }
        Event::Believed { triples } => {
            triples.iter().map(|line| format!("believes: {}", visible(line))).collect()
        }
        Event::Corrected { edits } => edits.iter().map(edit_line).collect(),
        Event::Queried { words, sql, mends, outcome } => {
            let mut lines = vec![format!("query: {}", visible(sql)), format!("  gave: {}", visible(outcome))];
            if !words.is_empty() {
                lines.insert(0, format!("read as: {}", visible(words)));
            }
            lines.extend(mends.iter().map(|mend| format!("  mended: {}", visible(mend))));
            lines
        }
        Event::Walked { answers, confidence, doubts } => {
            let doubts = match doubts.as_slice() {
                [] => String::new(),
                doubts => format!(" (doubts: {})", doubts.join(", ")),
            };
            vec![format!("path {confidence:.2}{doubts}: {}", visible(&answers.join(", ")))]
        }
        Event::Weighed { sql, features, confidence, left_out, .. } => {
            let features = features.iter().filter(|(_, value)| *value != 0.0);
            let features: Vec<String> = features.map(|(name, value)| format!("{name} {value:.2}")).collect();
            let mut lines =
                vec![format!("confidence {confidence:.2} ({}): {}", features.join(", "), visible(sql))];
            if !left_out.is_empty() {
                lines.push(format!("  leaves out: {}", visible(&left_out.join(", "))));
            }
            lines
        }
        Event::Degraded { reason } => vec![format!("falls back: {}", visible(reason))],
    }
}

fn refinement_lines(round: u32, step: &Refinement) -> Vec<String> {
    match step {
        Refinement::Routed { module, entities, relations, reading } => {
            let mut lines = vec![match module.as_str() {
                "text" => format!("{STRONG}round {round}{STRONG:#}: searches all documents (text module)"),
                _ => format!("{STRONG}round {round}{STRONG:#}: asks the graph (hybrid module) for"),
            }];
            for ((entity, relations), reading) in entities.iter().zip(relations).zip(reading) {
                let path = format!("{} {}", visible(entity), visible(relations));
                lines.push(format!("    {}  {FAINT}{path}{FAINT:#}", visible(reading)));
            }
            lines
        }
        Refinement::Mapped { relation, to } => {
            vec![format!("no relation is called “{}”; the nearest is {}", visible(relation), visible(to))]
        }
        Refinement::Relaxed { step } => vec![format!("relaxes: {}", visible(step))],
        Refinement::Retrieved { entities } => {
            vec![format!("finds {}", counted(*entities as u64, "entity", "entities"))]
        }
        Refinement::Validated { document, accepted, probability } => {
            let verdict = if *accepted { "accepts" } else { "rejects" };
            vec![format!("{verdict} ({probability:.2}): {}", cut(&visible(document), MOST_REPLY))]
        }
        Refinement::Feedback { kind, about } if about.is_empty() => vec![format!("feedback: {kind}")],
        Refinement::Feedback { kind, about } => vec![format!("feedback: {kind}: {}", visible(about))],
    }
}

fn mention_lines(mention: &quipu_answer::MentionEvent) -> Vec<String> {
    let text = visible(&mention.text);
    if mention.candidates.is_empty() {
        return vec![format!("“{text}”: no entity of that name")];
    }
    let candidates = mention.candidates.iter().take(MOST_LINES).map(|candidate| {
        format!(
            "  {:.3}  {}  {FAINT}{}{FAINT:#}",
            candidate.score,
            visible(&candidate.name),
            candidate.reason
        )
    });
    std::iter::once(format!("“{text}” may be")).chain(candidates).collect()
}

fn grounding_lines(supported: &[String], unsupported: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    if !supported.is_empty() {
        lines.push(format!("in the evidence: {}", names(supported)));
    }
    if !unsupported.is_empty() {
        lines.push(format!("not in the evidence: {}", names(unsupported)));
    }
    lines
}

fn names(all: &[String]) -> String {
    if all.is_empty() {
        return "none".to_owned();
    }
    let mut text = all.iter().take(MOST_NAMES).map(|name| visible(name)).collect::<Vec<_>>().join(", ");
    if all.len() > MOST_NAMES {
        text.push_str(&format!(" and {} more", all.len() - MOST_NAMES));
    }
    text
}

#[cfg(test)]
mod tests {
    use quipu_answer::{CandidateEvent, MentionEvent, Stage};

    use super::*;

    #[test]
    fn events_are_told_under_their_stages() {
        let at = |stage, at, event| TimedEvent { stage, at, event };
        let candidate = CandidateEvent { name: "Peru".into(), score: 0.98, reason: "exact name".into() };
        let mentions = vec![MentionEvent { text: "peru".into(), candidates: vec![candidate] }];
        let relations = vec!["capital".into(), "language spoken".into()];
        let events = [
            at(Stage::Link, 0.01, Event::Linked { mentions }),
            at(Stage::Plan, 0.02, Event::Expanded { hop: 1, relations }),
            at(Stage::Plan, 0.03, Event::Judged { hop: 1, verdict: "sufficient".into() }),
            at(Stage::Ground, 0.9, Event::Grounded { supported: vec!["Lima".into()], unsupported: vec![] }),
        ];
        let mut out = Vec::new();
        print_explanation(&events, &mut out).unwrap();
        let text = anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string();
        insta::assert_snapshot!(text.trim_start(), @r"
        link at 0.01 s
          “peru” may be
            0.980  Peru  exact name

        plan at 0.02 s
          hop 1: 2 relations on offer: capital, language spoken
          hop 1: sufficient

        ground at 0.90 s
          in the evidence: Lima
        ");
    }

    #[test]
    fn long_lists_are_counted() {
        let many: Vec<String> = (0..20).map(|n| n.to_string()).collect();
        assert!(names(&many).ends_with("11 and 8 more"));
    }
}
