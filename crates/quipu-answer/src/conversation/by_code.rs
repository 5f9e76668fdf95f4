//! Follow-ups that code understands: words that stand for things of the earlier turns, and questions that go on where an earlier one
//! left off.

use std::ops::Range;

use quipu_graph::{NodeId, NodeSummary};
use quipu_index::{MatchReason, normalise, words};
use quipu_language::{
    FollowUp, Referent, Referring, follow_up, is_form, is_noun, looks_superlative, meanings, tells,
    values_said, words_of,
};

use super::{Bound, Speaker, Turn};
use crate::AnswerError;
use crate::answer::Value;
use crate::context::Context;
use crate::link::{Mentioned, apart, mentions};

/// Turns before the question that are read.
const MOST_TURNS: usize = 8;
/// Most things of an answer that a word for several stands for.
const MOST_NAMED: usize = 12;
/// Candidates of one name in an answer's text.
const CANDIDATES: usize = 3;
/// What goes before a reading in the text of an answer.
const READING: &str = "I read this as";

/// What code makes of a message.
pub(super) enum ByCode {
    /// It leans on nothing.
    Alone,
    /// It is said so.
    Said(Said),
    /// It leans on what was said, and code does not see how.
    Unclear,
}

/// A message that stands alone.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) bound: Vec<Bound>,
}

/// A thing that was named or answered before.
#[derive(Debug, Clone)]
struct Thing {
    node: NodeId,
    name: String,
    types: Vec<NodeId>,
}

/// What was said before the question, as far as code understands it.
#[derive(Default)]
pub(super) struct Heard {
    /// The last question, so that it stands alone.
    question: String,
    /// The things that it names, in their order, each where it stands.
    named: Vec<(Range<usize>, Thing)>,
    /// The things of the last answer, in their order.
    answered: Vec<Thing>,
    /// The things of earlier turns, the latest first.
    earlier: Vec<Thing>,
}

impl Heard {
    /// Reads the turns before a question, each after those before it.
    ///
    /// # Errors
    /// The graph's and the embedder's.
    pub(super) async fn of(context: &Context<'_>, turns: &[Turn]) -> Result<Self, AnswerError> {
        let mut heard = Self::default();
        for turn in turns.iter().skip(turns.len().saturating_sub(MOST_TURNS)) {
            match turn.speaker {
                Speaker::Person => {
                    let said = match heard.read(context, &turn.text).await? {
                        ByCode::Said(said) => said,
                        _ => Said { text: turn.text.clone(), bound: Vec::new() },
                    };
                    heard.next_question(context, said).await?;
                }
                Speaker::Answer => heard.answered = things_of(context, turn).await?,
            }
        }
        Ok(heard)
    }

    async fn next_question(&mut self, context: &Context<'_>, said: Said) -> Result<(), AnswerError> {
        let before = self.named.drain(..).map(|(_, thing)| thing);
        let mut earlier: Vec<Thing> = self.answered.drain(..).chain(before).collect();
        earlier.append(&mut self.earlier);
        let mut named: Vec<(Range<usize>, NodeId)> =
            said.bound.iter().map(|bound| (bound.span.clone(), bound.node)).collect();
        for mention in mentions(context, &said.text).await? {
            if let Some(best) = mention.best()
                && said.bound.iter().all(|bound| apart(&bound.span, &mention.span))
            {
                named.push((mention.span.clone(), best.node));
            }
        }
        named.sort_by_key(|(span, _)| span.start);
        let nodes: Vec<NodeId> = named.iter().map(|(_, node)| *node).collect();
        let things = context.graph().summaries(&nodes).await?.into_iter().map(Thing::from);
        let named = named.into_iter().map(|(span, _)| span).zip(things).collect();
        *self = Self { question: said.text, named, answered: Vec::new(), earlier };
        Ok(())
    }

    /// What a message says after all that was heard.
    ///
    /// # Errors
    /// The graph's and the embedder's.
    pub(super) async fn read(&self, context: &Context<'_>, message: &str) -> Result<ByCode, AnswerError> {
        let FollowUp { from, refers } = follow_up(message);
        if self.question.is_empty() {
            return Ok(ByCode::Alone);
        }
        let rest = message.get(from..).unwrap_or(message);
        if !refers.is_empty() {
            return self.replaced(context, message, from, &refers).await;
        }
        let own = mentions(context, rest).await?;
        if from > 0 || is_bare(rest, &own) {
            return self.gone_on(context, rest, &own).await;
        }
        // What names nothing may lean on what was said in silence: "which is cheaper?".
        Ok(if own.is_empty() && values_said(rest).is_empty() { ByCode::Unclear } else { ByCode::Alone })
    }

    /// The message with names for the words that stand for earlier things.
    async fn replaced(
        &self,
        context: &Context<'_>,
        message: &str,
        from: usize,
        refers: &[Referring],
    ) -> Result<ByCode, AnswerError> {
        let mut said = Said::default();
        let mut at = from;
        for one in refers {
            let things = self.meant(context, message, one).await?;
            if things.is_empty() {
                // "Which of the films that …" points at nothing that was said.
                if one.noun.is_some() {
                    continue;
                }
                return Ok(ByCode::Unclear);
            }
            said.text += message.get(at..one.span.start).unwrap_or_default();
            if one.to == Referent::Somewhere {
                said.text += "in ";
            }
            for (number, thing) in things.iter().enumerate() {
                said.text += match number {
                    0 => "",
                    _ if number + 1 == things.len() => " and ",
                    _ => ", ",
                };
                let start = said.text.len();
                said.text += &thing.name;
                said.bound.push(Bound {
                    node: thing.node,
                    name: thing.name.clone(),
                    span: start..said.text.len(),
                });
            }
            if one.possessive {
                said.text += "'s";
            }
            at = one.span.end;
        }
        if said.bound.is_empty() {
            return Ok(ByCode::Alone);
        }
        said.text += message.get(at..).unwrap_or_default();
        Ok(ByCode::Said(said))
    }

    /// The things that a word of the message stands for; none where it is not clear.
    async fn meant(
        &self,
        context: &Context<'_>,
        message: &str,
        one: &Referring,
    ) -> Result<Vec<Thing>, AnswerError> {
        let named = || self.named.iter().map(|(_, thing)| thing.clone());
        let several = match self.answered.len() {
            0 | 1 => named().collect(),
            _ => self.answered.clone(),
        };
        match one.to {
            Referent::Several if several.len() > 1 => {
                let called = self.called(context, several, one.noun.as_deref()).await?;
                return Ok(if called.len() > MOST_NAMED { Vec::new() } else { called });
            }
            Referent::Place(place) => {
                return Ok(several
                    .get(place - 1)
                    .filter(|_| several.len() > 1)
                    .cloned()
                    .into_iter()
                    .collect());
            }
            Referent::Last => {
                return Ok(several.last().filter(|_| several.len() > 1).cloned().into_iter().collect());
            }
            Referent::One | Referent::Person | Referent::Somewhere | Referent::Several => {}
        }
        // One thing: the answer, where it is one, then what the question names, the last first; then what was said before.
        let one_answer = self.answered.first().filter(|_| self.answered.len() == 1).cloned();
        let mut things: Vec<Thing> = one_answer.into_iter().collect();
        let mut of_question: Vec<Thing> = named().collect();
        of_question.reverse();
        things.extend(of_question);
        things.extend(self.earlier.iter().cloned());
        let mut seen = Vec::new();
        things.retain(|thing| {
            !seen.contains(&thing.node) && {
                seen.push(thing.node);
                true
            }
        });
        let things = self.called(context, things, one.noun.as_deref()).await?;
        let telling = telling(message, one);
        let mut best: Option<(usize, Thing)> = None;
        for thing in things {
            let fit = fit(context, &thing, &telling).await?;
            if best.as_ref().is_none_or(|(known, _)| fit > *known) {
                best = Some((fit, thing));
            }
        }
        Ok(best.map(|(_, thing)| thing).into_iter().collect())
    }

    /// The things that are called by a noun; all without one.
    async fn called(
        &self,
        context: &Context<'_>,
        things: Vec<Thing>,
        noun: Option<&str>,
    ) -> Result<Vec<Thing>, AnswerError> {
        let Some(noun) = noun else { return Ok(things) };
        let mut called = Vec::new();
        for thing in things {
            let types = context.graph().summaries(&thing.types).await?;
            let is_called =
                |kind: &NodeSummary| words_of(&kind.name).last().is_some_and(|last| is_noun(noun, last));
            if types.iter().any(is_called) {
                called.push(thing);
            }
        }
        Ok(called)
    }

    /// The last question with the rest of a message in the place of what it takes the place of.
    async fn gone_on(
        &self,
        context: &Context<'_>,
        rest: &str,
        own: &[Mentioned],
    ) -> Result<ByCode, AnswerError> {
        let left = telling_outside(rest, own);
        match own {
            [new] if left.is_empty() => return self.with_name(context, new).await,
            [] => {}
            // "And who wrote Emma?" is a question of its own.
            _ => return Ok(ByCode::Alone),
        }
        if let Some(said) = self.with_value(rest).or_else(|| self.with_superlative(&left)) {
            return Ok(ByCode::Said(said));
        }
        // "And the price?" asks for it of what was spoken of.
        let one = Referring { span: 0..0, to: Referent::One, possessive: false, noun: None };
        let Some(thing) = self.meant(context, rest, &one).await?.pop() else { return Ok(ByCode::Unclear) };
        if left.is_empty() || fit(context, &thing, &left).await? == 0 {
            return Ok(ByCode::Unclear);
        }
        let mut text = format!("{} of ", rest.trim_end_matches(['?', '.', '!', ' ']));
        let start = text.len();
        text += &thing.name;
        let bound = vec![Bound { node: thing.node, name: thing.name, span: start..text.len() }];
        Ok(ByCode::Said(Said { text: text + "?", bound }))
    }

    /// The last question about another thing: in the place of the last one of its kind, else of the only one.
    async fn with_name(&self, context: &Context<'_>, new: &Mentioned) -> Result<ByCode, AnswerError> {
        let Some(best) = new.best() else { return Ok(ByCode::Unclear) };
        let new_types =
            context.graph().summaries(&[best.node]).await?.pop().map(|node| node.types).unwrap_or_default();
        let is_alike = |thing: &Thing| thing.types.iter().any(|of| new_types.contains(of));
        let alike = self.named.iter().rev().find(|(_, thing)| is_alike(thing));
        let untyped = || match self.named.as_slice() {
            [only] if only.1.types.is_empty() || new_types.is_empty() => Some(only),
            _ => None,
        };
        let Some((place, _)) = alike.or_else(untyped) else { return Ok(ByCode::Unclear) };
        let (Some(before), Some(behind)) = (self.question.get(..place.start), self.question.get(place.end..))
        else {
            return Ok(ByCode::Unclear);
        };
        let text = [before, &new.text, behind].concat();
        // A name that several bear is the one that was meant by the message itself.
        Ok(ByCode::Said(Said { text, bound: Vec::new() }))
    }

    /// The last question with another value: "and in 2019?".
    fn with_value(&self, rest: &str) -> Option<Said> {
        let (old, new) = (values_said(&self.question), values_said(rest));
        let ([old], [new]) = (old.as_slice(), new.as_slice()) else { return None };
        let (before, behind) = (self.question.get(..old.start)?, self.question.get(old.end..)?);
        let text = [before, rest.get(new.clone())?, behind].concat();
        Some(Said { text, bound: Vec::new() })
    }

    /// The last question with another superlative: "and the cheapest?".
    fn with_superlative(&self, left: &[String]) -> Option<Said> {
        let is_superlative = |word: &str| {
            looks_superlative(word) || meanings(word).iter().any(|meaning| meaning.means == "superlative")
        };
        let [new] = left else { return None };
        let mut old = words(&self.question).into_iter().filter(|word| is_superlative(&word.text));
        let (old, None) = (old.next().filter(|_| is_superlative(new))?, old.next()) else { return None };
        let (before, behind) = (self.question.get(..old.start)?, self.question.get(old.end..)?);
        Some(Said { text: [before, new, behind].concat(), bound: Vec::new() })
    }
}

impl From<NodeSummary> for Thing {
    fn from(node: NodeSummary) -> Self {
        Self { node: node.node, name: node.name, types: node.types }
    }
}

/// The things of an answer: its values by their keys, else the names in its text, in their order.
async fn things_of(context: &Context<'_>, turn: &Turn) -> Result<Vec<Thing>, AnswerError> {
    let nodes: Vec<NodeId> = if turn.values.is_empty() {
        let text = turn.text.split(READING).next().unwrap_or_default();
        let mut found = context.workspace.link(text, CANDIDATES).await?;
        found.sort_by_key(|mention| mention.span.start);
        let exact = found.iter().filter(|mention| mention.chosen).filter_map(|mention| {
            let mut candidates = mention.candidates.iter();
            candidates.find(|found| matches!(found.reason, MatchReason::Exact | MatchReason::Alias))
        });
        exact.map(|found| found.node).collect()
    } else {
        let keys: Vec<&str> = turn.values.iter().filter_map(|value: &Value| value.key.as_deref()).collect();
        context.graph().resolve(&keys).await?.into_iter().flatten().collect()
    };
    let mut things: Vec<Thing> = Vec::new();
    for node in context.graph().summaries(&nodes).await? {
        if node.literal.is_none() && things.iter().all(|thing| thing.node != node.node) {
            things.push(Thing::from(node));
        }
    }
    Ok(things)
}

/// The telling words of a message, without those that stand for the thing itself.
fn telling(message: &str, one: &Referring) -> Vec<String> {
    let outside = words(message).into_iter().filter(|word| apart(&(word.start..word.end), &one.span));
    outside.map(|word| word.text).filter(|word| tells(word)).collect()
}

/// The telling words of a text outside what it mentions.
fn telling_outside(text: &str, own: &[Mentioned]) -> Vec<String> {
    let outside = |start: usize, end: usize| own.iter().all(|mention| apart(&(start..end), &mention.span));
    let words = words(text).into_iter().filter(|word| outside(word.start, word.end));
    words.map(|word| word.text).filter(|word| tells(word)).collect()
}

/// Whether a message is a name and nothing else.
fn is_bare(message: &str, own: &[Mentioned]) -> bool {
    let outside = |start: usize, end: usize| own.iter().all(|mention| apart(&(start..end), &mention.span));
    let mut left = words(message).into_iter().filter(|word| outside(word.start, word.end));
    own.len() == 1 && left.all(|word| word.text == "the")
}

/// How many of some words the names of a thing's relations have, in some form.
async fn fit(context: &Context<'_>, thing: &Thing, telling: &[String]) -> Result<usize, AnswerError> {
    let relations = context.graph().relations();
    let used = context.graph().relations_of(&[thing.node]).await?;
    let name = |at: usize| relations.get(at).map(|info| normalise(&info.name));
    let names: Vec<String> = (used.iter().flatten())
        .filter_map(|used| name(usize::try_from(used.step.relation.0).ok()?))
        .collect();
    let known: Vec<&str> = names.iter().flat_map(|name| name.split(' ')).collect();
    Ok(telling.iter().filter(|word| known.iter().any(|known| is_form(word, known))).count())
}
