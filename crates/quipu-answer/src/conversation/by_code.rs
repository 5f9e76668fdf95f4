//! Follow-ups that code understands: words that stand for things of the earlier turns, and questions that go on where an earlier one
//! left off.

use std::ops::Range;

use quipu_graph::{NodeId, NodeSummary, RelationRole, RelationUse};
use quipu_index::{MatchReason, normalise, words};
use quipu_language::{
    FollowUp, Referent, Referring, asks_for_an_agent, follow_up, is_form, is_noun, looks_superlative,
    meanings, tells, values_said, words_of,
};

use super::{Bound, Speaker, Turn};
use quipu_query::asked::nouns_of_kinds;

use crate::AnswerError;
use crate::answer::Value;
use crate::context::Context;
use crate::link::{Mentioned, apart, mentions};
use crate::plan::counted;

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
#[derive(Debug, Clone, PartialEq)]
struct Thing {
    /// The entity; none of a name that the graph has no entity for.
    node: Option<NodeId>,
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
                Speaker::Answer => {
                    // "The Burger Joint is in Los Angeles" tells one thing, not two.
                    let mut things = things_of(context, turn).await?;
                    things.retain(|thing| heard.named.iter().all(|(_, named)| named != thing));
                    heard.answered = things;
                }
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
        let mut named: Vec<(Range<usize>, Thing)> =
            named.into_iter().map(|(span, _)| span).zip(things).collect();
        for span in capitals(&said.text) {
            if named.iter().all(|(known, _)| apart(known, &span)) {
                let name = said.text.get(span.clone()).unwrap_or_default().to_owned();
                named.push((span, Thing { node: None, name, types: Vec::new() }));
            }
        }
        named.sort_by_key(|(span, _)| span.start);
        *self = Self { question: said.text, named, answered: Vec::new(), earlier };
        Ok(())
    }

    /// What a message says after all that was heard.
    ///
    /// # Errors
    /// The graph's and the embedder's.
    pub(super) async fn read(&self, context: &Context<'_>, message: &str) -> Result<ByCode, AnswerError> {
        let FollowUp { from, mut refers } = follow_up(message);
        if self.question.is_empty() {
            return Ok(ByCode::Alone);
        }
        let rest = message.get(from..).unwrap_or(message);
        let mut own = mentions(context, rest).await?;
        own.retain(|mention| is_name(context, mention));
        refers.retain(|one| !one.maybe_empty || own.is_empty());
        if !refers.is_empty() {
            return self.replaced(context, message, from, &refers).await;
        }
        if from > 0 || is_bare(rest, &own) {
            return self.gone_on(context, rest, &own).await;
        }
        // What names nothing, no kind of thing either, may lean on what was said in silence: "which is cheaper?".
        let names_a_kind =
            || counted(context).is_some_and(|tables| !nouns_of_kinds(&words_of(rest), &tables).is_empty());
        let alone = !own.is_empty() || !values_said(rest).is_empty() || names_a_kind();
        Ok(if alone { ByCode::Alone } else { ByCode::Unclear })
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
        let (mut at, mut any) = (from, false);
        for one in refers {
            let things = self.meant(context, message, one).await?;
            if things.is_empty() {
                // "Which of the films that …" points at nothing that was said.
                if one.noun.is_some() && !one.surely {
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
                let span = start..said.text.len();
                said.bound.extend(thing.node.map(|node| Bound { node, name: thing.name.clone(), span }));
                any = true;
            }
            if one.possessive {
                said.text += "'s";
            }
            at = one.span.end;
        }
        if !any {
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
        let nth = |thing: Option<&Thing>| thing.filter(|_| several.len() > 1).cloned().into_iter().collect();
        match one.to {
            Referent::Several if several.len() > 1 => {
                let called = self.called(context, several, one).await?;
                return Ok(if called.len() > MOST_NAMED { Vec::new() } else { called });
            }
            Referent::Place(place) => return Ok(nth(several.get(place - 1))),
            Referent::Last => return Ok(nth(several.last())),
            Referent::One | Referent::Person | Referent::Somewhere | Referent::Several => {}
        }
        // One thing: the answer, where it is one, then what the question names, the last first; then what was said before. Who was
        // asked for is a "she" and no "it"; what was asked for otherwise is no "she" where the question names somebody.
        let one_answer = self.answered.first().filter(|_| self.answered.len() == 1).cloned();
        let is_agent = asks_for_an_agent(&self.question);
        let last = match one.to {
            Referent::Person => !is_agent,
            Referent::One => is_agent && one.noun.is_none(),
            _ => false,
        };
        let mut things: Vec<Thing> = named().collect();
        things.reverse();
        let at = if last { things.len() } else { 0 };
        things.splice(at..at, one_answer);
        things.extend(self.earlier.iter().cloned());
        let mut seen: Vec<Thing> = Vec::new();
        things.retain(|thing| {
            !seen.contains(thing) && {
                seen.push(thing.clone());
                true
            }
        });
        let things = self.called(context, things, one).await?;
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

    /// The things that are called as a word of the message calls them; all where it calls them nothing. The answer to a question for a
    /// city is a city, and "this dish" is the one that was answered, whatever the graph calls it.
    async fn called(
        &self,
        context: &Context<'_>,
        things: Vec<Thing>,
        one: &Referring,
    ) -> Result<Vec<Thing>, AnswerError> {
        let Some(noun) = &one.noun else { return Ok(things) };
        let mut called = Vec::new();
        for thing in &things {
            let types = context.graph().summaries(&thing.types).await?;
            let is_called =
                |kind: &NodeSummary| words_of(&kind.name).last().is_some_and(|last| is_noun(noun, last));
            if types.iter().any(is_called) {
                called.push(thing.clone());
            }
        }
        let asked_for =
            words(&self.question).iter().any(|word| is_noun(&word.text, noun) || is_noun(noun, &word.text));
        if called.is_empty() && (asked_for || one.surely) {
            called = things.into_iter().filter(|thing| self.answered.contains(thing)).collect();
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
        let mut left = telling_outside(rest, own);
        let asked: Vec<String> = words(&self.question).into_iter().map(|word| word.text).collect();
        if let Some(said) = self.with_value(rest).or_else(|| self.with_superlative(&left)) {
            return Ok(ByCode::Said(said));
        }
        match own {
            [new] => {
                // "And the Physics program?" behind "which college does the … program belong to".
                left.retain(|word| !asked.contains(word));
                // "And who wrote Emma?" is a question of its own.
                return if left.is_empty() { self.with_name(context, new).await } else { Ok(ByCode::Alone) };
            }
            [] => {}
            _ => return Ok(ByCode::Alone),
        }
        // "And the price?" asks for it of what was spoken of.
        let one = Referring::plain(Referent::Somewhere, 0..0);
        let Some(thing) = self.meant(context, rest, &one).await?.pop() else { return Ok(ByCode::Unclear) };
        if left.is_empty() || fit(context, &thing, &left).await? == 0 {
            return Ok(ByCode::Unclear);
        }
        let mut text = format!("{} of ", rest.trim_end_matches(['?', '.', '!', ' ']));
        let start = text.len();
        text += &thing.name;
        let span = start..text.len();
        let bound = thing.node.map(|node| Bound { node, name: thing.name, span }).into_iter().collect();
        Ok(ByCode::Said(Said { text: text + "?", bound }))
    }

    /// The last question about another thing: in the place of the last one of its kind, else of the only one that has a relation in common
    /// with it.
    async fn with_name(&self, context: &Context<'_>, new: &Mentioned) -> Result<ByCode, AnswerError> {
        let Some(best) = new.best() else { return Ok(ByCode::Unclear) };
        let new_types = context.graph().summaries(&[best.node]).await?.pop().map(|node| node.types);
        let is_alike =
            |thing: &Thing| thing.types.iter().any(|of| new_types.iter().flatten().any(|new| new == of));
        let mut place = self.named.iter().rev().find(|(_, thing)| is_alike(thing)).map(|(place, _)| place);
        if let ([(only, thing)], None) = (self.named.as_slice(), place) {
            let shares = match thing.node {
                Some(node) => share_a_relation(context, node, best.node).await?,
                None => true,
            };
            place = shares.then_some(only);
        }
        let Some(place) = place else { return Ok(ByCode::Unclear) };
        let (Some(before), Some(behind)) = (self.question.get(..place.start), self.question.get(place.end..))
        else {
            return Ok(ByCode::Unclear);
        };
        // A name that several bear is the one that was meant by the message itself.
        Ok(ByCode::Said(Said { text: [before, &new.text, behind].concat(), bound: Vec::new() }))
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
        Self { node: Some(node.node), name: node.name, types: node.types }
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
        let is_thing = node.literal.is_none();
        let thing = Thing::from(node);
        if is_thing && !things.contains(&thing) {
            things.push(thing);
        }
    }
    // A name that the graph has no entity for: students who are called by two columns.
    let text = turn.text.trim().trim_end_matches('.');
    let is_title = text.split(' ').all(|word| word.starts_with(char::is_uppercase));
    if things.is_empty() && is_title && text.split(' ').count() <= MOST_WORDS {
        things.push(Thing { node: None, name: text.to_owned(), types: Vec::new() });
    }
    Ok(things)
}

/// Words of a name.
const MOST_WORDS: usize = 5;

/// Where a text has words with capitals, but for its first.
fn capitals(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for word in words(text).into_iter().skip(1) {
        let is_capital =
            text.get(word.start..word.end).is_some_and(|word| word.starts_with(char::is_uppercase));
        match spans.last_mut() {
            _ if !is_capital => {}
            Some(last) if text.get(last.end..word.start) == Some(" ") => last.end = word.end,
            _ => spans.push(word.start..word.end),
        }
    }
    spans
}

/// Whether a mention is a name, and no word for a relation: "the rating".
fn is_name(context: &Context<'_>, mention: &Mentioned) -> bool {
    if mention.text.contains(char::is_uppercase) {
        return true;
    }
    let name = normalise(&mention.text);
    let is_relation = context.graph().relations().iter().any(|info| {
        let relation = normalise(&info.name);
        name.split(' ').all(|word| word == "the" || relation.split(' ').any(|known| known == word))
    });
    !is_relation && mention.best().is_some_and(|best| best.score >= SURE)
}

/// A name that is as the graph has it is scored no less.
const SURE: f64 = 0.9;

/// Whether two things have a relation in common, from the same end.
async fn share_a_relation(context: &Context<'_>, one: NodeId, other: NodeId) -> Result<bool, AnswerError> {
    let relations = context.graph().relations();
    let is_ordinary = |used: &&RelationUse| {
        let info = usize::try_from(used.step.relation.0).ok().and_then(|at| relations.get(at));
        info.is_some_and(|info| info.role == RelationRole::Ordinary)
    };
    let used = context.graph().relations_of(&[one, other]).await?;
    let [one, other] = used.as_slice() else { return Ok(false) };
    Ok(one.iter().filter(is_ordinary).any(|used| other.iter().any(|known| known.step == used.step)))
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
    let nodes: Vec<NodeId> = thing.node.into_iter().collect();
    let used = context.graph().relations_of(&nodes).await?;
    let name = |at: usize| relations.get(at).map(|info| normalise(&info.name));
    let names: Vec<String> = (used.iter().flatten())
        .filter_map(|used| name(usize::try_from(used.step.relation.0).ok()?))
        .collect();
    let known: Vec<&str> = names.iter().flat_map(|name| name.split(' ')).collect();
    Ok(telling.iter().filter(|word| known.iter().any(|known| is_form(word, known))).count())
}
