//! OpenAI's APIs, so that their clients can use Quipu.
//!
//! | file | what it does |
//! | --- | --- |
//! | `models` | workspaces with methods as models |
//! | `chat`, `chat_stream`, `chat_usage` | chat completions, whole and in pieces, with their tokens |
//! | `responses`, `responses_stream`, `response` | responses, whole and as typed events |
//! | `messages` | the question and the conversation before it |
//! | `extension` | the field `quipu` of requests and replies |
//! | `formats` | the requested form of an answer |
//! | `refused` | parameters that are refused by name |

mod chat;
mod chat_stream;
mod chat_usage;
mod extension;
mod formats;
mod messages;
mod models;
mod refused;
mod response;
mod responses;
mod responses_stream;

use std::time::{SystemTime, UNIX_EPOCH};

use super::operations::Operations;

pub(super) fn operations(operations: &mut Operations) {
    models::operations(operations);
    chat::operations(operations);
    responses::operations(operations);
}

/// A new id with OpenAI's prefix for its kind.
fn new_id(kind: &str) -> String {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let seed = [kind.as_bytes(), &nanos.to_le_bytes()].concat();
    format!("{kind}{:016x}", xxhash_rust::xxh3::xxh3_64(&seed))
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// A text in pieces of a few words, as clients expect in a stream.
fn pieces(text: &str) -> Vec<&str> {
    const WORDS: usize = 8;
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    let mut pieces = Vec::new();
    let mut from = 0;
    for words in words.chunks(WORDS) {
        let length: usize = words.iter().map(|word| word.len()).sum();
        pieces.extend(text.get(from..from + length));
        from += length;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_up_the_text() {
        let text = "One two three four five six seven eight nine ten.\n\n[1] Zus & Zo — größer — 2001";
        assert!(pieces(text).len() > 1);
        assert_eq!(pieces(text).concat(), text);
        assert!(pieces("").is_empty());
    }

    #[test]
    fn ids_say_what_they_are_of() {
        assert!(new_id("resp_").starts_with("resp_") && new_id("resp_").len() == 21);
    }
}
