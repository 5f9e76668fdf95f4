//! Checks of the name from which a path starts, and of the names that it leaves out.

use std::collections::HashSet;
use std::ops::Range;

use quipu_graph::{NodeSummary, Step};
use quipu_index::LookupConfig;
use quipu_language::{Language, asks_for, quantity};
use quipu_stages::answer::{AnswerError, Outcome, PlanStart, Planned};
use quipu_stages::ledger::Context;
use quipu_stages::link::{apart, mentions};

/// The least score of a name that the graph has in exactly this form.
const EXACT: f64 = 0.9;

/// The least similarity of two words that may differ by a typing error (Jaro-Winkler).
const ALIKE: f64 = 0.85;
/// The same for two whole names.
const NAMES_ALIKE: f64 = 0.95;

/// Entities searched for one of the same name.
const NAMESAKES: usize = 8;

/// Whether a path starts from an entity that the question names: the "3" of "top 3" names none, and
/// "stadiums" does not name the Corra Stadium.
pub(super) async fn starts_from_a_name(
    context: &Context<'_>,
    question: &str,
    plan: &Planned,
) -> Result<bool, AnswerError> {
    let PlanStart::Entity(node, span) = &plan.start else { return Ok(true) };
    let named = question.get(span.clone()).unwrap_or_default();
    if continues(question, span) || !begins_as_said(context, question, span, &plan.steps) {
        return Ok(false);
    }
    if quantity(question).is_some_and(|asked| asked.span.start <= span.start && span.end <= asked.span.end) {
        return Ok(false);
    }
    if named.chars().any(char::is_uppercase) {
        return Ok(true);
    }
    let config = LookupConfig { k: NAMESAKES, ..LookupConfig::default() };
    let found = context.workspace.lookup(named, &config).await?;
    let words = quipu_query::words_of(named).len();
    let of_it = found.iter().find(|candidate| candidate.node == *node);
    Ok(of_it.is_none_or(|found| quipu_query::words_of(&found.matched).len() <= words))
}

/// Whether a name goes on after its span: "Pike's Hollow Wanderers" is not Pike's Hollow.
fn continues(question: &str, span: &Range<usize>) -> bool {
    /// Words up to this length are lower-cased even in titles.
    const SHORT: usize = 3;
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    let words = |text: Option<&str>| -> Vec<String> {
        let words = text.unwrap_or_default().split(|c: char| !c.is_alphanumeric() && c != '\'');
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (before, behind) = (words(question.get(..span.start)), question.get(span.end..));
    if !behind.is_some_and(|behind| behind.starts_with(' ')) {
        return false;
    }
    let behind = words(behind);
    // If all other words are capitalised, capitals tell nothing.
    let others = before.iter().skip(1).chain(behind.iter().skip(1));
    let mut others = others.filter(|word| word.chars().count() > SHORT).peekable();
    let is_title = others.peek().is_some() && others.all(|word| is_capital(word));
    behind.first().is_some_and(|next| is_capital(next)) && !is_title
}

/// Whether a path begins with the relation named right before the entity: "the captain of A" must
/// start along "captain of", not at someone who used to play for A.
fn begins_as_said(context: &Context<'_>, question: &str, span: &Range<usize>, steps: &[Step]) -> bool {
    let language = Language::of(question);
    let before = quipu_query::words_of(question.get(..span.start).unwrap_or_default());
    let before = language.without_article(&before);
    let relations = context.graph().relations();
    let stands_before = |name: &str| {
        let words = quipu_query::words_of(name);
        words.last().is_some_and(|last| last == language.word_of())
            && words.len() > 1
            && before.ends_with(&words)
    };
    let mut named = (0..).zip(relations).filter(|(_, info)| stands_before(&info.name)).peekable();
    named.peek().is_none()
        || steps.first().is_some_and(|first| named.any(|(relation, _)| first.relation.0 == relation))
}

/// Whether the question has a capitalised name that the path's evidence lacks: "when was it
/// harvested at Foxhole" is not answered by a harvest elsewhere.
pub(super) async fn leaves_out_a_name(
    context: &Context<'_>,
    question: &str,
    plan: &Planned,
    outcome: &Outcome,
) -> Result<bool, AnswerError> {
    let PlanStart::Entity(_, span) = &plan.start else { return Ok(false) };
    if asks_for(question) == Some("yes_or_no") {
        // A "no" need not find the entity that the question asks about.
        return Ok(false);
    }
    let shown: HashSet<String> =
        outcome.evidence.iter().flat_map(|piece| piece.values()).map(quipu_language::normalise).collect();
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    let mentioned = mentions(context, question).await?;
    Ok(mentioned.iter().any(|mention| {
        let is_shown =
            mention.candidates.iter().any(|found| shown.contains(&quipu_language::normalise(&found.name)));
        let is_name = mention.span.start > 0 && mention.text.split(' ').all(is_capital);
        let is_exact = mention.best().is_some_and(|best| best.score >= EXACT);
        apart(&mention.span, span) && is_name && is_exact && !is_shown
    }))
}

/// Whether a path starts from a class whose name only describes things of another kind: the "bus
/// lines" are no buses.
pub(super) fn names_another_kind(
    context: &Context<'_>,
    question: &str,
    span: &Range<usize>,
    anchor: &NodeSummary,
) -> bool {
    let Some(tables) = quipu_query::kept_tables(context.workspace) else { return false };
    let class = quipu_graph::iri_of_key(&anchor.key);
    if tables.types_below(&class).is_none() {
        return false;
    }
    let behind = question.get(span.end..).unwrap_or_default();
    let next = quipu_query::words_of(behind).into_iter().next().filter(|_| behind.starts_with(' '));
    let kinds = next.map(|next| quipu_reading::nouns_of_kinds(&[next], &tables).len());
    kinds.is_some_and(|kinds| kinds > 0)
}

/// Whether a path starts from a class with subclasses.
pub(super) fn has_kinds(context: &Context<'_>, anchor: &NodeSummary) -> bool {
    let Some(tables) = quipu_query::kept_tables(context.workspace) else { return false };
    let below = tables.types_below(&quipu_graph::iri_of_key(&anchor.key)).map(<[String]>::len);
    below.is_some_and(|types| types > 1)
}

/// Whether an entity has this name, apart from typing errors: "Port Louis" is not "Port Ixhuvarra".
pub(super) async fn is_called(
    context: &Context<'_>,
    anchor: &NodeSummary,
    named: &str,
) -> Result<bool, AnswerError> {
    let config = LookupConfig { k: NAMESAKES, ..LookupConfig::default() };
    let found = context.workspace.lookup(named, &config).await?;
    let of_it = found.iter().find(|candidate| candidate.node == anchor.node);
    // A name that only resembles it in meaning is looked up in vain.
    let known = of_it.map_or(anchor.name.as_str(), |found| found.matched.as_str());
    let matched = quipu_query::words_of(known);
    let is_like = |word: &String| matched.iter().any(|known| strsim::jaro_winkler(word, known) >= ALIKE);
    let whole = strsim::jaro_winkler(&quipu_language::normalise(named), &quipu_language::normalise(known));
    Ok(whole >= NAMES_ALIKE || quipu_query::words_of(named).iter().all(is_like))
}

/// Whether a path starts from the only entity with its name and types. A query would ask about all
/// of them.
pub(super) async fn is_one_thing(context: &Context<'_>, anchor: &NodeSummary) -> Result<bool, AnswerError> {
    if anchor.types.is_empty() || anchor.literal.is_some() {
        return Ok(true);
    }
    let config = LookupConfig { k: NAMESAKES, ..LookupConfig::default() };
    let found = context.workspace.lookup(&anchor.name, &config).await?;
    let others: Vec<_> =
        found.iter().map(|candidate| candidate.node).filter(|node| *node != anchor.node).collect();
    let name = quipu_language::normalise(&anchor.name);
    let others = context.graph().summaries(&others).await?;
    Ok(!others
        .iter()
        .any(|other| other.types == anchor.types && quipu_language::normalise(&other.name) == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_goes_on_is_another_name() {
        for (question, name, expected) in [
            ("Who coaches the Pike's Hollow Wanderers?", "Pike's Hollow", true),
            ("Who coaches the Pike's Hollow team?", "Pike's Hollow", false),
            ("Who coaches Pike's Hollow", "Pike's Hollow", false),
            ("Who is Ada Lee Jones?", "Ada Lee", true),
            ("Which Clubs Has Ada Lee Coached Since Then", "Ada Lee", false),
            ("Is Ada Lee, Bo Ray's sister, a player?", "Ada Lee", false),
        ] {
            let start = question.find(name).unwrap();
            assert_eq!(continues(question, &(start..start + name.len())), expected, "{question}");
        }
    }
}
