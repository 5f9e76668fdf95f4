//! Failures and unread words on the way to an answer, in plain words: one wording for the command
//! line, chats and MCP hosts.

use quipu_answer::Note;
use quipu_language::Language;

/// A failure or unread words on the way to an answer, as a sentence; `None` for other remarks.
pub fn failure(note: &Note) -> Option<String> {
    match note {
        Note::Limit { reason } => Some(format!("This is the best answer found before {reason}.")),
        Note::Fallback { method, reason } => Some(format!(
            "It ended without an answer ({reason}); this is what {method} answers without a model."
        )),
        Note::SourceDown { source, reason } => Some(format!("{source} could not be asked: {reason}")),
        Note::ModelFailed { model, reason } => {
            Some(format!("{model} failed, so the steps that need its reply were left out: {reason}"))
        }
        Note::Unread { language } => Some(format!(
            "The question seems to be {language}, but Quipu knows only the words of {}: it may have missed a word like “not” or \
             “most”.",
            known_languages()
        )),
        Note::ModelAlone | Note::Homonyms { .. } | Note::NotKept { .. } | Note::Contradiction { .. } => None,
    }
}

/// The supported languages: "English and German".
fn known_languages() -> String {
    let names: Vec<&str> = Language::all().map(Language::name).collect();
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
}
