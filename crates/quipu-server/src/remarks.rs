//! What failed on the way to an answer, in plain words: one wording for the command line, chats and MCP hosts.

use quipu_answer::Note;

/// What failed on the way to an answer, as a sentence; `None` for remarks of another kind.
pub fn failure(note: &Note) -> Option<String> {
    match note {
        Note::Limit { reason } => Some(format!("The best that was found before {reason}.")),
        Note::SourceDown { source, reason } => Some(format!("{source} could not be asked: {reason}")),
        Note::ModelFailed { model, reason } => {
            Some(format!("{model} failed, and what needed its reply was left out: {reason}"))
        }
        Note::ModelAlone | Note::Homonyms { .. } | Note::NotKept { .. } | Note::Contradiction { .. } => None,
    }
}
