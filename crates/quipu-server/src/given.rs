//! The values of the last answers that were given as texts.
//!
//! OpenAI's clients send an earlier answer back as its text only. Two entities may share a name, so
//! the values of an answer are kept beside a hash of its text. A client that sends the same text
//! refers to the same entities by "them" and "the second one". An answer that is no longer kept is
//! read by its names.

use std::num::NonZeroUsize;

use lru::LruCache;
use parking_lot::Mutex;
use quipu_answer::{Answer, Conversation, Speaker, Value};
use xxhash_rust::xxh3::xxh3_64;

/// Answers that are kept.
const KEPT: NonZeroUsize = NonZeroUsize::new(4096).unwrap();
/// Values that are kept of one answer: as many as a follow-up reads.
const VALUES: usize = 50;

/// The kept answers.
pub(crate) struct Given(Mutex<LruCache<u64, Vec<Value>>>);

impl Default for Given {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(KEPT)))
    }
}

impl Given {
    /// Keeps the values of a workspace's answer that is sent as this text.
    pub(crate) fn keep(&self, workspace: &str, answer: &Answer, text: &str) {
        let Some(table) = &answer.table else { return };
        let values: Vec<Value> = table.values().into_iter().take(VALUES).cloned().collect();
        if values.iter().any(|value| value.key.is_some()) {
            self.0.lock().put(hash(workspace, text), values);
        }
    }

    /// Adds the kept values to the answers of a conversation that have none.
    pub(crate) fn recall(&self, workspace: &str, conversation: &mut Conversation) {
        for turn in &mut conversation.turns {
            if turn.speaker == Speaker::Answer
                && turn.values.is_empty()
                && let Some(values) = self.0.lock().get(&hash(workspace, &turn.text))
            {
                turn.values.clone_from(values);
            }
        }
    }
}

/// Workspaces have the same names for different entities. Clients may trim a text.
fn hash(workspace: &str, text: &str) -> u64 {
    xxh3_64(format!("{workspace}\n{}", text.trim()).as_bytes())
}

#[cfg(test)]
mod tests {
    use quipu_answer::Turn;

    use super::*;
    use crate::sample;

    fn recalled(given: &Given, workspace: &str, turn: Turn) -> Vec<String> {
        let mut conversation = Conversation { turns: vec![turn], ..Conversation::default() };
        given.recall(workspace, &mut conversation);
        conversation.turns.remove(0).values.into_iter().map(|value| value.name).collect()
    }

    #[test]
    fn a_text_brings_its_values_back_in_its_own_workspace() {
        let given = Given::default();
        given.keep("geo", &sample::towns(), "Lima and Cusco\n");
        let said = |text: &str| Turn::new(Speaker::Answer, text);
        assert_eq!(recalled(&given, "geo", said("Lima and Cusco")), ["Lima", "Cusco"]);
        assert!(recalled(&given, "other", said("Lima and Cusco")).is_empty());
        assert!(recalled(&given, "geo", said("Lima")).is_empty());
        assert!(recalled(&given, "geo", Turn::new(Speaker::Person, "Lima and Cusco")).is_empty());
    }

    #[test]
    fn values_that_a_client_sends_stay() {
        let given = Given::default();
        given.keep("geo", &sample::towns(), "towns");
        let own = Turn { values: vec![sample::value("c", "Caral")], ..Turn::new(Speaker::Answer, "towns") };
        assert_eq!(recalled(&given, "geo", own), ["Caral"]);
    }

    #[test]
    fn the_oldest_answers_are_forgotten() {
        let given = Given::default();
        let towns = sample::towns();
        (0..=KEPT.get()).for_each(|number| given.keep("geo", &towns, &number.to_string()));
        assert!(recalled(&given, "geo", Turn::new(Speaker::Answer, "0")).is_empty());
        assert_eq!(recalled(&given, "geo", Turn::new(Speaker::Answer, "1")).len(), 2);
    }
}
