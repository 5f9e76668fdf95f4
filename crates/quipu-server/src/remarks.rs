//! What failed or went unread on the way to an answer, in plain words: one wording for the command line, chats and MCP hosts.

use quipu_answer::Note;
use quipu_language::Language;

/// What failed or went unread on the way to an answer, as a sentence; `None` for remarks of another kind.
pub fn failure(note: &Note) -> Option<String> {
    match note {
        Note::Limit { reason } => Some(format!("The best that was found before {reason}.")),
        Note::SourceDown { source, reason } => Some(format!("{source} could not be asked: {reason}")),
        Note::ModelFailed { model, reason } => {
            Some(format!("{model} failed, and what needed its reply was left out: {reason}"))
        }
        Note::Unread { language } => Some(format!(
            "The question seems to be {language}, and Quipu knows the words of {} only: a word like “not” or “most” may have gone \
             unread.",
            known_languages()
        )),
        Note::ModelAlone | Note::Homonyms { .. } | Note::NotKept { .. } | Note::Contradiction { .. } => None,
    }
}

/// The languages whose words are known: "English and German".
fn known_languages() -> String {
    let names: Vec<&str> = Language::all().map(Language::name).collect();
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
}
