//! Follow-ups that code understands: words that stand for entities of earlier turns, and questions
//! that continue an earlier one.

use std::ops::Range;

use quipu_graph::{NodeId, NodeSummary, RelationRole, RelationUse};
use quipu_language::{
    FollowUp, Language, Referent, Referring, asks_for_an_agent, begins_a_question, follow_up, normalise,
    values_said, words, words_of,
};
use quipu_reading::nouns_of_kinds;

use super::heard::Heard;
use super::said::{ByCode, Said, Thing};
use crate::answer::AnswerError;
use crate::ledger::Context;
use crate::link::{Mentioned, apart, mentions};
use crate::planners::counted;

/// Most entities of an answer that a plural word stands for.
const MOST_NAMED: usize = 12;
/// Most entities among which a singular word is resolved.
const MOST_HELD: usize = 20;
/// The least score of a name that the graph has in exactly this form.
const SURE: f64 = 0.9;

/// A message with the entities that it names itself.
struct Message<'a> {
    text: &'a str,
    /// The place after opening words like "and".
    from: usize,
    own: Vec<Mentioned>,
}

impl Message<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.from..).unwrap_or_default()
    }

    fn language(&self) -> Language {
        Language::of(self.text)
    }

    /// The telling words after its opening and outside the given spans.
    fn telling(&self, without: &[Range<usize>]) -> Vec<String> {
        let language = self.language();
        let outside = |span: &Range<usize>| without.iter().all(|known| apart(known, span));
        let words = words(self.text).into_iter().filter(|word| word.start >= self.from);
        words
            .filter(|word| outside(&(word.start..word.end)))
            .map(|word| word.text)
            .filter(|w| language.tells(w))
            .collect()
    }

    fn names(&self) -> Vec<Range<usize>> {
        self.own.iter().map(|mention| mention.span.clone()).collect()
    }

    /// Whether it is only a name.
    fn is_bare(&self) -> bool {
        self.own.len() == 1 && {
            let spans = self.names();
            let outside = |span: &Range<usize>| spans.iter().all(|known| apart(known, span));
            let mut left = words(self.text).into_iter().filter(|word| outside(&(word.start..word.end)));
            left.all(|word| {
                self.language().meanings(&word.text).iter().any(|meaning| meaning.means == "function")
            }) && !begins_a_question(self.text)
        }
    }

    /// Whether a word of the message may stand for an entity in the message itself: "is Kauwboy
    /// longer than its sequel", "the largest countries and their capitals".
    fn may_name(&self, one: &Referring) -> bool {
        if matches!(one.to, Referent::Place(_) | Referent::Last) || one.noun.is_some() {
            return false;
        }
        let before = words(self.text).into_iter().rfind(|word| word.end <= one.span.start);
        let joined =
            before.is_some_and(|word| word.start > self.from && self.language().joins_two(&word.text));
        joined || self.own.iter().any(|mention| mention.span.end <= one.span.start)
    }

    fn names_a_kind_before(&self, context: &Context<'_>, span: &Range<usize>) -> bool {
        let before = self.text.get(self.from..span.start).unwrap_or_default();
        counted(context).is_some_and(|tables| !nouns_of_kinds(&words_of(before), &tables).is_empty())
    }

    fn names_a_kind(&self, context: &Context<'_>) -> bool {
        counted(context).is_some_and(|tables| !nouns_of_kinds(&words_of(self.rest()), &tables).is_empty())
    }
}

impl Heard {
    /// Reads a message in the light of the turns before it.
    ///
    /// # Errors
    /// The graph's and the embedder's.
    pub(super) async fn read(&self, context: &Context<'_>, text: &str) -> Result<ByCode, AnswerError> {
        if self.question.is_empty() {
            return Ok(ByCode::Alone);
        }
        let FollowUp { mut from, mut refers } = follow_up(text);
        let mut own = mentions(context, text).await?;
        own.retain(|mention| is_name(context, mention));
        // A word inside a name stands for nothing else: "His Dark Materials", "And Then There Were
        // None".
        let in_a_name = |span: &Range<usize>| own.iter().any(|mention| !apart(&mention.span, span));
        refers.retain(|one| !in_a_name(&one.span) && (!one.maybe_empty || own.is_empty()));
        if in_a_name(&(0..from)) {
            from = 0;
        }
        let message = Message { text, from, own };
        if !refers.is_empty() {
            return self.replaced(context, &message, &refers).await;
        }
        if from > 0 || message.is_bare() {
            return self.gone_on(context, &message).await;
        }
        // A message without any name or kind may silently refer to earlier turns: "which is
        // cheaper?".
        let alone = !message.own.is_empty() || !values_said(text).is_empty() || message.names_a_kind(context);
        Ok(if alone { ByCode::Alone } else { ByCode::Unclear(None) })
    }

    /// Replaces the words that stand for earlier entities by their names.
    async fn replaced(
        &self,
        context: &Context<'_>,
        message: &Message<'_>,
        refers: &[Referring],
    ) -> Result<ByCode, AnswerError> {
        let language = message.language();
        let mut said = Said::default();
        let (mut at, mut any) = (message.from, false);
        for one in refers {
            // "Which clubs have their seat there": "their" refers to the clubs.
            if one.possessive
                && one.to == Referent::Several
                && message.names_a_kind_before(context, &one.span)
            {
                continue;
            }
            let things = match message.may_name(one) {
                true => Vec::new(),
                false => self.meant(context, message, one).await?,
            };
            if things.is_empty() {
                // "Which of the films that …" refers to nothing that was said.
                if one.noun.is_some() && !one.surely {
                    continue;
                }
                return Ok(ByCode::Unclear(message.text.get(one.span.clone()).map(str::to_owned)));
            }
            said.text += message.text.get(at..one.span.start).unwrap_or_default();
            if one.to == Referent::Somewhere {
                said.text += language.before_a_place();
            }
            for (number, thing) in things.iter().enumerate() {
                said.text += language.before_name_of_list(number, things.len());
                let start = said.text.len();
                said.text += &thing.name;
                said.bound.extend(thing.bound(start..said.text.len()));
                any = true;
            }
            if one.possessive {
                said.text += language.behind_an_owner();
            }
            at = one.span.end;
        }
        if !any {
            return Ok(ByCode::Alone);
        }
        said.text += message.text.get(at..).unwrap_or_default();
        Ok(ByCode::Said(said))
    }

    /// The entities that a word of the message stands for; empty if unclear.
    async fn meant(
        &self,
        context: &Context<'_>,
        message: &Message<'_>,
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
            // "It" does not stand for one of several.
            Referent::One if self.answered.len() > 1 && one.noun.is_none() && !one.possessive => {
                return Ok(Vec::new());
            }
            Referent::One | Referent::Person | Referent::Somewhere | Referent::Several => {}
        }
        let things = self.called(context, self.single(one), one).await?;
        let telling = message.telling(&[message.names(), vec![one.span.clone()]].concat());
        let fits = fits(context, &things, &telling, message.language()).await?;
        let best = fits.iter().copied().max().unwrap_or_default();
        // If nothing tells several entities apart, the only answer is meant. "She" also stands for
        // a person in the question, unless the question asks who.
        let is_answer = self.answered.len() == 1 && things.first() == self.answered.first();
        let is_named = one.to == Referent::Person && !asks_for_an_agent(&self.question);
        let sure = best > 0 || is_answer || is_named || (things.len() < 2 && one.to != Referent::Person);
        let found = fits.iter().position(|fit| *fit == best).filter(|_| sure);
        Ok(found.and_then(|at| things.into_iter().nth(at)).into_iter().collect())
    }

    /// The entities that a singular word may stand for, the likeliest first: the only answer, then
    /// the question's entities, the last one first, then earlier ones. The answer to a "who"
    /// question is no "it". "She" prefers names of several words.
    fn single(&self, one: &Referring) -> Vec<Thing> {
        let is_agent = asks_for_an_agent(&self.question);
        let is_it = one.to == Referent::One && one.noun.is_none();
        let answer = self.answered.first().filter(|_| self.answered.len() == 1 && !(is_it && is_agent));
        let named = self.named.iter().rev().map(|(_, thing)| thing);
        let mut things: Vec<&Thing> = answer.into_iter().chain(named).collect();
        if one.to == Referent::Person && !is_agent {
            things.sort_by_key(|thing| !thing.name.contains(' '));
        }
        let mut single: Vec<Thing> = Vec::new();
        for thing in things.into_iter().chain(&self.earlier) {
            if !single.contains(thing) && single.len() < MOST_HELD {
                single.push(thing.clone());
            }
        }
        single
    }

    /// The entities that fit the noun of a referring word; all if it has no noun. The answer to a
    /// question about a city counts as a city, and "this dish" is the answered one, whatever type
    /// the graph gives it.
    async fn called(
        &self,
        context: &Context<'_>,
        things: Vec<Thing>,
        one: &Referring,
    ) -> Result<Vec<Thing>, AnswerError> {
        let Some(noun) = &one.noun else { return Ok(things) };
        let language = Language::of(&self.question);
        let mut called = Vec::new();
        for thing in &things {
            let types = context.graph().summaries(&thing.types).await?;
            let is_called = |kind: &NodeSummary| {
                words_of(&kind.name).last().is_some_and(|last| language.is_noun(noun, last))
            };
            if types.iter().any(is_called) {
                called.push(thing.clone());
            }
        }
        let mut asked = words(&self.question).into_iter().map(|word| word.text);
        let asked_for = asked.any(|word| language.is_noun(&word, noun) || language.is_noun(noun, &word));
        if called.is_empty() && (asked_for || one.surely) {
            called = things.into_iter().filter(|thing| self.answered.contains(thing)).collect();
        }
        Ok(called)
    }

    /// The last question, with one part replaced by the rest of the message.
    async fn gone_on(&self, context: &Context<'_>, message: &Message<'_>) -> Result<ByCode, AnswerError> {
        let asked: Vec<String> = words(&self.question).into_iter().map(|word| word.text).collect();
        let mut left = message.telling(&message.names());
        if let Some(said) = self.with_value(message, &asked).or_else(|| self.with_superlative(message, &left))
        {
            return Ok(ByCode::Said(said));
        }
        match message.own.as_slice() {
            [new] => {
                // "And the Physics program?" after "which college does the … program belong to".
                left.retain(|word| !asked.contains(word));
                // "And who wrote Emma?" is a question of its own.
                let only_a_name = left.is_empty() && !begins_a_question(message.rest());
                return if only_a_name { self.with_name(context, new).await } else { Ok(ByCode::Alone) };
            }
            [] => {}
            _ => return Ok(ByCode::Alone),
        }
        if begins_a_question(message.rest()) {
            return Ok(if message.names_a_kind(context) { ByCode::Alone } else { ByCode::Unclear(None) });
        }
        // "And the price?" asks for the price of the entity spoken of.
        let one = Referring::plain(Referent::Somewhere, 0..0);
        let Some(thing) = self.meant(context, message, &one).await?.pop() else {
            return Ok(ByCode::Unclear(None));
        };
        let fit = fits(context, std::slice::from_ref(&thing), &left, message.language()).await?;
        if left.is_empty() || fit != [left.len()] {
            return Ok(ByCode::Unclear(None));
        }
        let asked_for = message.rest().trim_end_matches(['?', '.', '!', ' ']);
        let mut text = format!("{asked_for}{}", message.language().between_noun_and_owner());
        let start = text.len();
        text += &thing.name;
        let bound = thing.bound(start..text.len()).into_iter().collect();
        Ok(ByCode::Said(Said { text: text + "?", bound }))
    }

    /// The last question about another entity: it replaces the last one of the same type, else the
    /// only one, if the two share a relation.
    async fn with_name(&self, context: &Context<'_>, new: &Mentioned) -> Result<ByCode, AnswerError> {
        let Some(best) = new.best() else { return Ok(ByCode::Unclear(None)) };
        let new_types = context.graph().summaries(&[best.node]).await?.pop().map(|node| node.types);
        let is_alike =
            |thing: &Thing| thing.types.iter().any(|of| new_types.iter().flatten().any(|new| new == of));
        let mut place = self.named.iter().rev().find(|(_, thing)| is_alike(thing)).map(|(place, _)| place);
        if let ([(only, thing)], None) = (self.named.as_slice(), place) {
            let shares = match thing.node() {
                Some(node) => share_a_relation(context, node, best.node).await?,
                None => true,
            };
            place = shares.then_some(only);
        }
        let said = place.and_then(|place| self.with(place, &new.text));
        Ok(said.map_or(ByCode::Unclear(None), ByCode::Said))
    }

    /// The last question with another value: "and in 2019?". `None` if the message says more, or if
    /// the old value is in a name.
    fn with_value(&self, message: &Message<'_>, asked: &[String]) -> Option<Said> {
        let (old, new) = (values_said(&self.question), values_said(message.text));
        let ([old], [new]) = (old.as_slice(), new.as_slice()) else { return None };
        let in_a_name = self.named.iter().any(|(named, thing)| {
            !apart(named, old) && self.question.get(old.clone()).is_none_or(|value| value != thing.name)
        });
        let names_more = message.own.iter().any(|mention| apart(&mention.span, new) || mention.span != *new);
        let says_more = message.telling(std::slice::from_ref(new)).iter().any(|word| {
            !asked.contains(word)
                && !message.language().meanings(word).iter().any(|meaning| meaning.means == "comparison")
        });
        if in_a_name || names_more || says_more {
            return None;
        }
        self.with(old, message.text.get(new.clone())?)
    }

    /// The last question with another superlative: "and the cheapest?".
    fn with_superlative(&self, message: &Message<'_>, left: &[String]) -> Option<Said> {
        let language = message.language();
        let is_superlative = |word: &str| {
            language.looks_superlative(word)
                || language.meanings(word).iter().any(|meaning| meaning.means == "superlative")
        };
        let [new] = left else { return None };
        let in_a_name = |span: &Range<usize>| self.named.iter().any(|(named, _)| !apart(named, span));
        let spans = words(&self.question).into_iter().filter(|word| is_superlative(&word.text));
        let mut old = spans.map(|word| word.start..word.end).filter(|span| !in_a_name(span));
        let fits = message.own.is_empty() && is_superlative(new);
        let (old, None) = (old.next().filter(|_| fits)?, old.next()) else { return None };
        self.with(&old, new)
    }

    /// The last question with another text in one place; the entities elsewhere in it stay bound.
    fn with(&self, place: &Range<usize>, text: &str) -> Option<Said> {
        let (before, behind) = (self.question.get(..place.start)?, self.question.get(place.end..)?);
        let moved = |span: &Range<usize>| match span.start >= place.end {
            true => {
                span.start - place.end + place.start + text.len()
                    ..span.end - place.end + place.start + text.len()
            }
            false => span.clone(),
        };
        let others = self.named.iter().filter(|(span, _)| apart(span, place));
        let bound = others.filter_map(|(span, thing)| thing.bound(moved(span))).collect();
        Some(Said { text: [before, text, behind].concat(), bound })
    }
}

/// Whether a mention is a name, not a word for a relation such as "the rating".
fn is_name(context: &Context<'_>, mention: &Mentioned) -> bool {
    if mention.best().is_none_or(|best| best.score < SURE) {
        return false;
    }
    if mention.text.contains(char::is_uppercase) {
        return true;
    }
    // "That department" names a kind.
    if counted(context).is_some_and(|tables| !nouns_of_kinds(&words_of(&mention.text), &tables).is_empty()) {
        return false;
    }
    let name = normalise(&mention.text);
    !context.graph().relations().iter().any(|info| {
        let relation = normalise(&info.name);
        name.split(' ').all(|word| relation.split(' ').any(|known| known == word))
    })
}

/// Whether two entities share an ordinary relation in the same direction.
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

/// For each entity, how many of the words occur, in some form, in the names of its relations.
async fn fits(
    context: &Context<'_>,
    things: &[Thing],
    telling: &[String],
    language: Language,
) -> Result<Vec<usize>, AnswerError> {
    let relations = context.graph().relations();
    let nodes: Vec<NodeId> = things.iter().filter_map(Thing::node).collect();
    let mut used = context.graph().relations_of(&nodes).await?.into_iter();
    let fit = |used: Vec<RelationUse>| {
        let names = used.iter().filter_map(|used| relations.get(usize::try_from(used.step.relation.0).ok()?));
        let known: Vec<String> = names.flat_map(|info| words_of(&info.name)).collect();
        telling.iter().filter(|word| known.iter().any(|known| language.is_form(word, known))).count()
    };
    Ok(things.iter().map(|thing| thing.node().and_then(|_| used.next()).map_or(0, fit)).collect())
}
