//! The turns before a message, as far as code understands them: the last question, its entities,
//! the entities of its answer.

use std::ops::Range;

use quipu_graph::NodeId;
use quipu_index::MatchReason;
use quipu_language::{Language, asks_nothing, asks_yes_or_no, words};

use super::said::{ByCode, Said, Thing};
use super::{Speaker, Turn};
use crate::answer::{AnswerError, UNKNOWN};
use crate::ledger::Context;
use crate::link::{apart, mentions};

/// Most turns before the question that are read.
pub(super) const MOST_TURNS: usize = 8;
/// Most bytes of a turn that are read.
const MOST_BYTES: usize = 4000;
/// Most values of an answer that are kept.
const MOST_VALUES: usize = 50;
/// Most entities of earlier turns that are kept.
const MOST_EARLIER: usize = 20;
/// Candidates of one name in an answer's text.
const CANDIDATES: usize = 3;
/// Most words of a name without an entity.
const MOST_WORDS: usize = 5;
/// The words before a reading in the text of an answer.
const READING: &str = "I read this as";

/// The state of the conversation before the question.
#[derive(Default)]
pub(super) struct Heard {
    /// The last question, restated so that it stands alone.
    pub(super) question: String,
    /// Its entities in their order, each with its place.
    pub(super) named: Vec<(Range<usize>, Thing)>,
    /// The entities of the last answer, in their order.
    pub(super) answered: Vec<Thing>,
    /// The entities of earlier turns, the latest first.
    pub(super) earlier: Vec<Thing>,
}

impl Heard {
    /// Reads the turns before a question, each in the light of those before it.
    ///
    /// # Errors
    /// The graph's and the embedder's.
    pub(super) async fn of(context: &Context<'_>, turns: &[Turn]) -> Result<Self, AnswerError> {
        let mut heard = Self::default();
        let mut thanked = false;
        for turn in turns.iter().skip(turns.len().saturating_sub(MOST_TURNS)) {
            let text = beginning(&turn.text);
            match turn.speaker {
                // "Thanks" and the reply to it change nothing.
                Speaker::Person if asks_nothing(text) => thanked = true,
                Speaker::Person => {
                    thanked = false;
                    let said = match heard.read(context, text).await? {
                        ByCode::Said(said) => said,
                        _ => Said { text: text.to_owned(), bound: Vec::new() },
                    };
                    heard.next_question(context, said).await?;
                }
                Speaker::Answer if thanked => {}
                Speaker::Answer => heard.answered = heard.answers_of(context, turn).await?,
            }
        }
        Ok(heard)
    }

    async fn next_question(&mut self, context: &Context<'_>, said: Said) -> Result<(), AnswerError> {
        let before = self.named.drain(..).map(|(_, thing)| thing);
        let mut earlier: Vec<Thing> = self.answered.drain(..).chain(before).collect();
        earlier.append(&mut self.earlier);
        earlier.truncate(MOST_EARLIER);
        let keys: Vec<&str> = said.bound.iter().map(|bound| bound.key.as_str()).collect();
        let bound = context.graph().resolve(&keys).await?;
        let spans = said.bound.iter().map(|bound| bound.span.clone());
        let mut named: Vec<(Range<usize>, NodeId)> =
            spans.zip(bound).filter_map(|(span, node)| Some((span, node?))).collect();
        for mention in mentions(context, &said.text).await? {
            if let Some(best) = mention.best()
                && said.bound.iter().all(|bound| apart(&bound.span, &mention.span))
            {
                named.push((mention.span.clone(), best.node));
            }
        }
        let nodes: Vec<NodeId> = named.iter().map(|(_, node)| *node).collect();
        let things = context.graph().summaries(&nodes).await?.into_iter().map(Thing::from);
        let mut named: Vec<(Range<usize>, Thing)> =
            named.into_iter().map(|(span, _)| span).zip(things).collect();
        for span in capitals(&said.text) {
            if named.iter().all(|(known, _)| apart(known, &span)) {
                let name = said.text.get(span.clone()).unwrap_or_default();
                named.push((span, Thing::without_entity(name)));
            }
        }
        named.sort_by_key(|(span, _)| span.start);
        *self = Self { question: said.text, named, answered: Vec::new(), earlier };
        Ok(())
    }

    /// The entities of an answer: its values by their keys, else the names in its text, in their
    /// order.
    async fn answers_of(&self, context: &Context<'_>, turn: &Turn) -> Result<Vec<Thing>, AnswerError> {
        if !turn.values.is_empty() {
            let values = turn.values.iter().take(MOST_VALUES);
            let keys: Vec<&str> = values.filter_map(|value| value.key.as_deref()).collect();
            let nodes: Vec<NodeId> = context.graph().resolve(&keys).await?.into_iter().flatten().collect();
            return things(context, &nodes).await;
        }
        let text = beginning(&turn.text).split(READING).next().unwrap_or_default();
        if text.trim_start().starts_with(UNKNOWN.trim_end_matches('.')) {
            // The text after this gives reasons.
            return Ok(Vec::new());
        }
        let mut found = context.workspace.link(text, CANDIDATES).await?;
        found.sort_by_key(|mention| mention.span.start);
        let exact = found.iter().filter(|mention| mention.chosen).filter_map(|mention| {
            let mut candidates = mention.candidates.iter();
            candidates.find(|found| matches!(found.reason, MatchReason::Exact | MatchReason::Alias))
        });
        let nodes: Vec<NodeId> = exact.map(|found| found.node).take(MOST_VALUES).collect();
        let told = things(context, &nodes).await?;
        if told.is_empty() {
            return Ok(self.unknown_name(text).into_iter().collect());
        }
        // "The Burger Joint is in Los Angeles" answers with one entity, not two.
        let is_new = |thing: &&Thing| self.named.iter().all(|(_, named)| named != *thing);
        let new: Vec<Thing> = told.iter().filter(is_new).cloned().collect();
        Ok(if new.is_empty() { told } else { new })
    }

    /// An answer that is a name without an entity: students whose names stand in two columns.
    fn unknown_name(&self, text: &str) -> Option<Thing> {
        let language = Language::of(text);
        let text = text.trim().trim_end_matches('.');
        let is_title = text.split(' ').all(|word| word.starts_with(char::is_uppercase));
        let says_something = words(text).iter().any(|word| language.meanings(&word.text).is_empty());
        let is_name = is_title && says_something && text.split(' ').count() <= MOST_WORDS;
        (is_name && !asks_yes_or_no(&self.question)).then(|| Thing::without_entity(text))
    }
}

async fn things(context: &Context<'_>, nodes: &[NodeId]) -> Result<Vec<Thing>, AnswerError> {
    let mut things: Vec<Thing> = Vec::new();
    for node in context.graph().summaries(nodes).await? {
        let is_thing = node.literal.is_none();
        let thing = Thing::from(node);
        if is_thing && !things.contains(&thing) {
            things.push(thing);
        }
    }
    Ok(things)
}

/// The part of a turn that is read.
fn beginning(text: &str) -> &str {
    let end = (0..=MOST_BYTES.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}

/// The places of capitalised words in a text, without its first word.
fn capitals(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for word in words(text).into_iter().skip(1) {
        let span = word.start..word.stem_end;
        let is_capital = text.get(span.clone()).is_some_and(|word| word.starts_with(char::is_uppercase));
        match spans.last_mut() {
            _ if !is_capital => {}
            Some(last) if text.get(last.end..span.start) == Some(" ") => last.end = span.end,
            _ => spans.push(span),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_words_with_capitals() {
        let text = "What major did Sarah Brown's friend Ödön declare?";
        let found: Vec<&str> = capitals(text).into_iter().filter_map(|span| text.get(span)).collect();
        assert_eq!(found, ["Sarah Brown", "Ödön"]);
    }

    #[test]
    fn a_bare_answer_is_a_name_and_yes_is_none() {
        let heard = |question: &str| Heard { question: question.into(), ..Heard::default() };
        let who = heard("Which student is in the program?");
        assert_eq!(who.unknown_name("David Johnson.").unwrap().name, "David Johnson");
        for text in ["No.", "Nobody", "about 5 million", "Fenja lives in Harrow"] {
            assert_eq!(who.unknown_name(text), None, "{text}");
        }
        assert_eq!(heard("Is he in the program?").unknown_name("Yes."), None);
    }

    #[test]
    fn long_turns_are_cut_between_characters() {
        assert_eq!(beginning(&"é".repeat(3000)).len(), MOST_BYTES);
        assert_eq!(beginning("Lima"), "Lima");
    }
}
