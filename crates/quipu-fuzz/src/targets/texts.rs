//! Texts: of documents, of models, of question files.

use quipu_eval::{QuestionFormat, read_questions};
use quipu_index::text::{self, ChunkLimits, Format, TextFile};
use quipu_model::{parse_leniently, schema_to_grammar};

use crate::scratch;

/// A model's reply, with or without JSON in it.
pub(super) fn reply(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(value) = parse_leniently(&text) {
        // A parsed value can be written and parsed again.
        let again = serde_json::to_string(&value).unwrap();
        assert!(serde_json::from_str::<serde_json::Value>(&again).is_ok(), "{again}");
    }
}

/// A JSON schema as a grammar.
pub(super) fn schema(bytes: &[u8]) {
    if let Ok(schema) = serde_json::from_slice(bytes) {
        let _ = schema_to_grammar(&schema);
    }
}

/// Chunks are parts of their text, in its order.
fn check_chunks(text: &str, format: Format) {
    let mut last = 0;
    for chunk in text::chunks(text, format, ChunkLimits { least: 50, most: 200 }) {
        let part = text.get(chunk.start..chunk.end).expect("a chunk is cut between characters");
        assert!(chunk.start >= last && part.chars().count() == chunk.characters, "{chunk:?}");
        assert_eq!(text[..chunk.start].chars().count(), chunk.first_character);
        last = chunk.start;
    }
}

fn file(name: &str, bytes: &[u8]) {
    if let Ok(file) = TextFile::read(name, bytes) {
        check_chunks(&file.text, file.format);
    }
}

/// A text in UTF-8 or UTF-16.
pub(super) fn plain(bytes: &[u8]) {
    if let Ok(file) = TextFile::read("notes.txt", bytes) {
        assert!(!file.text.contains(['\0', '\r']), "{:?}", file.text);
        check_chunks(&file.text, file.format);
    }
}

pub(super) fn html(bytes: &[u8]) {
    file("page.html", bytes);
}

pub(super) fn pdf(bytes: &[u8]) {
    file("paper.pdf", bytes);
}

pub(super) fn markdown(bytes: &[u8]) {
    file("notes.md", bytes);
}

/// The first byte chooses the format; a value beyond the formats means detection.
pub(super) fn questions(bytes: &[u8]) {
    let Some((which, bytes)) = bytes.split_first() else { return };
    let folder = scratch::folder();
    let path = folder.path().join("questions.json");
    std::fs::write(&path, bytes).unwrap();
    let formats = QuestionFormat::ALL;
    let format = formats.get(usize::from(*which) % (formats.len() + 1)).copied();
    match read_questions(&path, format) {
        Ok(file) => assert!(!file.questions.is_empty()),
        Err(error) => assert!(error.to_string().contains("questions.json"), "{error}"),
    }
}
