//! The text beside an answer: the details that a person requested, remarks, the cost.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use quipu_answer::{Answer, AnswerUsage, Note};

use crate::output::{FAINT, counted, prose};

pub(super) const CAUTION: Style = AnsiColor::Yellow.on_default();

/// The parts of an answer that are shown, and how they are worded.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct View {
    /// Shows the queries behind the readings too, and what was mended in them.
    pub(crate) explain: bool,
    /// The reading that the user asked for, from 1; 0 for none.
    pub(crate) reading: usize,
    /// Whether hints name commands of a conversation instead of flags.
    pub(crate) talking: bool,
}

/// Writes what the answer cost.
pub(super) fn print_cost(answer: &Answer, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "\n{FAINT}{}{FAINT:#}", prose(&cost(answer)))
}

/// Writes the reason for an abstention, and the remarks on an answer.
pub(super) fn print_remarks(answer: &Answer, out: &mut impl Write) -> io::Result<()> {
    if let Some(reason) = &answer.reason {
        writeln!(out, "{FAINT}{}{FAINT:#}", prose(&format!("why: {reason}")))?;
    }
    for note in &answer.notes {
        writeln!(out, "{CAUTION}{}{CAUTION:#}", prose(&note_line(note)))?;
    }
    Ok(())
}

fn note_line(note: &Note) -> String {
    match note {
        Note::ModelAlone => "The model answers from its own knowledge; no source confirms it.".into(),
        Note::Homonyms { mention, chosen, reason, others } => {
            let others: Vec<String> = others.iter().map(|o| format!("--anchor '{}'", o.key)).collect();
            format!(
                "“{mention}” was taken for {} ({}): {reason}. Others: {}",
                chosen.name,
                chosen.key,
                others.join(", ")
            )
        }
        Note::Limit { .. }
        | Note::Fallback { .. }
        | Note::SourceDown { .. }
        | Note::ModelFailed { .. }
        | Note::Unread { .. } => quipu_server::failure(note).unwrap_or_default(),
        Note::NotKept { reason } => format!("Quipu could not save what it learnt: {reason}"),
        Note::Contradiction { about, claims } => {
            let said = claims.iter().map(|claim| {
                let date =
                    if claim.date.is_empty() { String::new() } else { format!(", read on {}", claim.date) };
                format!("{} ({}{date})", claim.value, claim.source)
            });
            format!("Sources differ on {about}: {}", said.collect::<Vec<_>>().join("; "))
        }
    }
}

fn cost(answer: &Answer) -> String {
    let AnswerUsage {
        llm_calls,
        cached_calls,
        prompt_tokens,
        reused_tokens,
        completion_tokens,
        cost,
        seconds,
        ..
    } = &answer.usage;
    let mut calls = counted(u64::from(*llm_calls), "model call", "model calls");
    if *cached_calls > 0 {
        calls.push_str(&format!(" and {cached_calls} from the cache"));
    }
    let mut tokens = counted(prompt_tokens + completion_tokens, "token", "tokens");
    if *reused_tokens > 0 {
        tokens.push_str(&format!(" ({reused_tokens} reused)"));
    }
    if let Some(cost) = cost {
        tokens.push_str(&format!(" · {cost}"));
    }
    format!("{calls} · {tokens} · {seconds:.1} s · {} with {}", answer.method, answer.llm)
}
