//! Checks whether the answer of a path fits the question, as far as the question's form and the
//! graph show.

use std::collections::HashSet;
use std::ops::Range;

use quipu_graph::{Direction, NodeSummary, Step};
use quipu_index::LookupConfig;
use quipu_language::{
    Language, Operation, Side, asked_place, asks_for, asks_for_a_measure, asks_for_an_agent, asks_for_two,
    asks_for_units, asks_twice, meanings_at, quantity, side_of,
};
use quipu_query::Made;

use crate::answer::{AnswerError, AnswerTable, EvidenceContent, Outcome, PlanStart, Planned};
use crate::ledger::Context;
use crate::link::{apart, mentions};
use crate::planners::query::{is_far_from_role, is_of_named_kinds, measures_what_is_asked};

/// Why a path's answer may not answer the question: names of the checks that it fails. Empty if it
/// passes all of them.
pub(super) async fn doubts(
    context: &Context<'_>,
    question: &str,
    plan: Option<&Planned>,
    outcome: &Outcome,
    typed: bool,
) -> Result<Vec<&'static str>, AnswerError> {
    let mut doubts = Doubts::default();
    doubts.note("meaning", !heeds_all(question, outcome));
    doubts.note("kind", !is_of_kind(question, outcome));
    let Some(plan) = plan else { return Ok(doubts.0) };
    // At an endpoint further checks cost requests, and one doubt is enough.
    if !doubts.0.is_empty() && context.workspace.embedded().is_none() {
        return Ok(doubts.0);
    }
    doubts.note("measure", !measures_what_is_asked(context, question, plan).await?);
    // "The capital of the largest province": the province that was found first, too.
    if let PlanStart::Found(inner) = &plan.start {
        doubts.note("inner measure", !measures_what_is_asked(context, question, inner).await?);
    }
    doubts.note(
        "step left out",
        matches!(plan.start, PlanStart::Entity(..)) && !takes_all_steps(context, question, &plan.steps),
    );
    doubts.note("counts one", counts_the_only_one(context, plan, outcome));
    doubts.note("start", !starts_from_a_name(context, question, plan).await?);
    doubts.note("meets in a number", meets_in_a_number(context, &plan.steps).await?);
    if let PlanStart::Entity(node, span) = &plan.start
        && let Some(anchor) = context.graph().summaries(&[*node]).await?.pop()
    {
        // A calculation from a class with subclasses would miss their instances: paths do not know
        // that soups are dishes.
        doubts.note("subclasses", is_calculated(outcome) && has_kinds(context, &anchor));
        doubts.note("describes a kind", names_another_kind(context, question, span, &anchor));
    }
    // These checks need the graph's types; without types, only the model's words say what things
    // are called.
    if typed {
        doubts.note("role", is_far_from_role(context, question, plan).await?);
        doubts.note("skips", skips(context, question, plan).await?);
        doubts.note("named kind", !is_of_named_kinds(context, question, plan).await?);
        doubts.note("name left out", leaves_out_a_name(context, question, plan, outcome).await?);
    }
    let Some((node, span)) = plan.plain() else { return Ok(doubts.0) };
    doubts.note("names an answer", names_an_answer(question, span, outcome));
    doubts.note("direction", !Walk { question, span, steps: &plan.steps }.is_said(context, outcome));
    let Some(anchor) = context.graph().summaries(&[node]).await?.pop() else { return Ok(doubts.0) };
    let named = question.get(span.clone()).unwrap_or_default();
    doubts.note("name", !is_called(context, &anchor, named).await?);
    doubts.note("namesakes", !is_one_thing(context, &anchor).await?);
    doubts.note("goes around", goes_around(context, &plan.steps, &anchor).await?);
    Ok(doubts.0)
}

/// Names of failed checks.
#[derive(Default)]
struct Doubts(Vec<&'static str>);

impl Doubts {
    fn note(&mut self, name: &'static str, fails: bool) {
        self.0.extend(fails.then_some(name));
    }
}

pub(super) fn is_calculated(outcome: &Outcome) -> bool {
    outcome.evidence.iter().any(|piece| matches!(piece.content, EvidenceContent::Calculation { .. }))
}

/// Whether a path counts one thing behind a relation that never leads to more: nobody asks how many
/// towns a school is in.
fn counts_the_only_one(context: &Context<'_>, plan: &Planned, outcome: &Outcome) -> bool {
    let last = plan.steps.last().filter(|_| plan.made == Made::Count);
    let single = last.is_some_and(|step| {
        let info = usize::try_from(step.relation.0).ok().and_then(|at| context.graph().relations().get(at));
        info.is_some_and(|info| {
            let starts = if step.direction == Direction::Forward { info.heads } else { info.tails };
            info.triples > 0 && starts == info.triples
        })
    });
    single && outcome.answers.iter().all(|answer| answer == "1")
}

/// Whether a path starts from an entity that the question names: the "3" of "top 3" names none, and
/// "stadiums" does not name the Corra Stadium.
async fn starts_from_a_name(
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

/// Whether the question has a capitalised name that the path's evidence lacks: "when was it
/// harvested at Foxhole" is not answered by a harvest elsewhere.
async fn leaves_out_a_name(
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

/// The least score of a name that the graph has in exactly this form.
const EXACT: f64 = 0.9;

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

/// Whether a path goes to a number and back by the same relation: two players with the same number
/// of goals have nothing in common.
async fn meets_in_a_number(context: &Context<'_>, steps: &[Step]) -> Result<bool, AnswerError> {
    /// Triples sampled.
    const SEEN: usize = 5;
    for pair in steps.windows(2) {
        let [there, back] = pair else { continue };
        if there.relation != back.relation || there.direction != Direction::Forward || there == back {
            continue;
        }
        let triples = context.graph().sample_triples(there.relation, SEEN).await?;
        let tails: Vec<_> = triples.into_iter().map(|(_, tail)| tail).collect();
        let tails = context.graph().summaries(&tails).await?;
        if !tails.is_empty() && tails.iter().all(|tail| tail.name.replace(',', "").parse::<f64>().is_ok()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a path starts from a class with subclasses.
fn has_kinds(context: &Context<'_>, anchor: &NodeSummary) -> bool {
    let Some(tables) = quipu_query::kept_tables(context.workspace) else { return false };
    let below = tables.types_below(&quipu_graph::iri_of_key(&anchor.key)).map(<[String]>::len);
    below.is_some_and(|types| types > 1)
}

/// Whether a path starts from a class whose name only describes things of another kind: the "bus
/// lines" are no buses.
fn names_another_kind(
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
    let kinds = next.map(|next| quipu_query::asked::nouns_of_kinds(&[next], &tables).len());
    kinds.is_some_and(|kinds| kinds > 0)
}

/// Whether the question itself names one of the answers beside the path's start: "which restaurant
/// has the food Vegan and the city Lima" does not ask for the foods of Lima.
fn names_an_answer(question: &str, span: &Range<usize>, outcome: &Outcome) -> bool {
    let sides = [question.get(..span.start), question.get(span.end..)];
    let said = |answer: &[String]| {
        sides
            .iter()
            .flatten()
            .any(|side| quipu_query::words_of(side).windows(answer.len()).any(|run| run == answer))
    };
    outcome
        .answers
        .iter()
        .map(|answer| quipu_query::words_of(answer))
        .any(|words| !words.is_empty() && said(&words))
}

/// Whether a question contains a negation outside the names that the answer rests on.
pub(super) fn denies(question: &str, outcome: &Outcome) -> bool {
    let words = quipu_query::words_of(question);
    let named = words_of_names(&words, outcome);
    let denies = |at: usize| meanings_at(&words, at).iter().any(|meaning| meaning.means == "negation");
    (0..words.len()).any(|at| !named.contains(&at) && denies(at))
}

/// The least similarity of two words that may differ by a typing error (Jaro-Winkler).
const ALIKE: f64 = 0.85;
/// The same for two whole names.
const NAMES_ALIKE: f64 = 0.95;

/// Whether an entity has this name, apart from typing errors: "Port Louis" is not "Port Ixhuvarra".
async fn is_called(context: &Context<'_>, anchor: &NodeSummary, named: &str) -> Result<bool, AnswerError> {
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
async fn is_one_thing(context: &Context<'_>, anchor: &NodeSummary) -> Result<bool, AnswerError> {
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

/// Whether a path takes a value from another entity that its start could have but lacks: the year
/// of another work by the same painter, if this one's year is missing.
async fn goes_around(
    context: &Context<'_>,
    steps: &[Step],
    anchor: &NodeSummary,
) -> Result<bool, AnswerError> {
    let [_, .., last] = steps else { return Ok(false) };
    if anchor.types.is_empty() || anchor.literal.is_some() {
        return Ok(false);
    }
    let of_anchor = context.graph().relations_of(&[anchor.node]).await?;
    if of_anchor.iter().flatten().any(|known| known.step == *last) {
        return Ok(false);
    }
    let of_class = context.graph().schema(&anchor.types).await?;
    Ok(of_class.iter().any(|edge| {
        let from = if last.direction == Direction::Forward { edge.head_type } else { edge.tail_type };
        edge.relation == last.relation && from.is_some_and(|from| anchor.types.contains(&from))
    }))
}

/// Entities searched for one of the same name.
const NAMESAKES: usize = 8;

/// A shorter name that differs from the graph's spelling may easily be another entity's.
const SHORT_NAME: usize = 6;

/// Whether a count takes a detour that the question does not mention, although the start itself has
/// the last relation: "how many books did she write" does not ask for the books of her pupils.
async fn skips(context: &Context<'_>, question: &str, plan: &Planned) -> Result<bool, AnswerError> {
    let language = Language::of(question);
    let (PlanStart::Entity(node, _), Some((last, before))) = (&plan.start, plan.steps.split_last()) else {
        return Ok(false);
    };
    let words = quipu_query::words_of(question);
    let relations = context.graph().relations();
    let is_said = |step: &Step| {
        let Some(relation) = relations.get(step.relation.0 as usize) else { return true };
        let name = quipu_query::words_of(&relation.name);
        step.relation == last.relation
            || name.iter().any(|name| words.iter().any(|word| language.is_form(word, name)))
    };
    if plan.made != Made::Count || before.is_empty() || before.iter().any(is_said) {
        return Ok(false);
    }
    let of_start = context.graph().relations_of(&[*node]).await?;
    Ok(of_start.iter().flatten().any(|known| known.step == *last))
}

/// Whether a path takes each step as often as the question asks for it: "the capital of the
/// capital" asks for two. A step back does not count.
fn takes_all_steps(context: &Context<'_>, question: &str, steps: &[Step]) -> bool {
    let language = Language::of(question);
    let words = language.without_articles_behind_of(&quipu_query::words_of(question));
    let relations = context.graph().relations();
    steps.iter().all(|step| {
        let Some(relation) = relations.get(step.relation.0 as usize) else { return true };
        let asked = format!("{} {}", quipu_query::words_of(&relation.name).join(" "), language.word_of());
        words.matches(&asked).count() <= steps.iter().filter(|other| *other == step).count()
    })
}

/// A path without a calculation, from a name in the question.
struct Walk<'a> {
    question: &'a str,
    /// The place of the name in the question, in bytes.
    span: &'a Range<usize>,
    steps: &'a [Step],
}

impl Walk<'_> {
    /// Whether the question's form allows the path: a short name must match the graph's exactly,
    /// and "the capital of Lima" is not walked from Lima to its country.
    fn is_said(&self, context: &Context<'_>, walked: &Outcome) -> bool {
        let Self { question, span, steps } = self;
        let named = question.get((*span).clone()).unwrap_or_default();
        let name = quipu_language::normalise(named);
        let is_it = |value: &str| quipu_language::normalise(value) == name;
        let as_written = walked.evidence.iter().flat_map(|piece| piece.values()).any(is_it);
        if !as_written && named.chars().count() < SHORT_NAME {
            return false;
        }
        let language = Language::of(question);
        let before = quipu_query::words_of(question.get(..span.start).unwrap_or_default());
        let before = language.without_article(&before).join(" ");
        let relations = context.graph().relations();
        steps.iter().all(|step| {
            let Some(relation) = relations.get(step.relation.0 as usize) else { return true };
            let asked = format!("{} {}", quipu_query::words_of(&relation.name).join(" "), language.word_of());
            let ends = before.ends_with(&asked);
            self.stands_right(&relation.name)
                && !(steps.len() == 1 && ends && step.direction == Direction::Backward)
        })
    }

    /// Whether the direction of a one-step path fits the side of the relation on which the question
    /// has the name: "whom did A influence" is not walked to those who influenced A.
    fn stands_right(&self, relation: &str) -> bool {
        let [step] = self.steps else { return true };
        let words = |text: Option<&str>| quipu_query::words_of(text.unwrap_or_default()).len();
        let start = words(self.question.get(..self.span.start));
        let name = start..start + words(self.question.get(self.span.clone()));
        let expected = match side_of(&quipu_query::words_of(self.question), &name, relation) {
            Some(Side::Head) => Direction::Forward,
            Some(Side::Tail) => Direction::Backward,
            None => return true,
        };
        step.direction == expected
    }
}

/// Whether the answer has the form that the question asks for: a number for "how many", but not a
/// count for "how many years"; yes or no for "is"; a name for "who".
fn is_of_kind(question: &str, outcome: &Outcome) -> bool {
    let counts = outcome.evidence.iter().any(|piece| {
        matches!(&piece.content, EvidenceContent::Calculation { operation, .. } if operation.starts_with(Operation::Count.name()))
    });
    match asks_for(question) {
        Some("count") => {
            let is_number = |answer: &String| answer.starts_with(|c: char| c.is_ascii_digit() || c == '-');
            outcome.answers.iter().all(is_number) && !(counts && asks_for_units(question))
        }
        // "Line 12A" is no amount, although it has digits.
        Some("amount") => {
            !chooses(outcome)
                && outcome.answers.iter().all(|answer| answer.contains(|c: char| c.is_ascii_digit()))
        }
        Some("yes_or_no") => outcome.answers.iter().all(|answer| answer == "yes" || answer == "no"),
        // "How high is the highest peak" asks for its height, not for the peak.
        _ if asks_for_a_measure(question) && chooses(outcome) => false,
        // A person is not a year or an amount: "who designed the Otter" is not answered by its
        // year.
        _ if asks_for_an_agent(question) => {
            outcome.answers.iter().any(|answer| answer.contains(char::is_alphabetic))
        }
        // True and false are not entities.
        _ => !outcome.answers.iter().all(|answer| answer == "true" || answer == "false"),
    }
}

/// Whether a path's answer is the things that a calculation chose, not their values.
fn chooses(outcome: &Outcome) -> bool {
    let values = outcome.table.iter().flat_map(AnswerTable::values);
    is_calculated(outcome)
        && values.clone().count() > 0
        && values.into_iter().all(|value| value.key.is_some())
}

/// Whether a path's answer heeds the words that change a question's meaning. No path can express a
/// negation; the other words ask for a calculation.
fn heeds_all(question: &str, outcome: &Outcome) -> bool {
    let language = Language::of(question);
    let words = quipu_query::words_of(question);
    let named = words_of_names(&words, outcome);
    let of_words: Vec<_> = (0..words.len())
        .filter(|at| !named.contains(at))
        .flat_map(|at| meanings_at(&words, at))
        .filter(|meaning| meaning.sure)
        .collect();
    let calculated = is_calculated(outcome);
    let beyond = ["negation", "only", "percentage", "ratio", "difference"];
    let groups =
        words.iter().any(|word| language.meanings(word).iter().any(|meaning| meaning.means == "group"));
    let asks_for_place = (0..words.len()).any(|at| !named.contains(&at) && asked_place(&words, at).is_some());
    if asks_for_place && !calculated {
        return false;
    }
    if asks_twice(question) || asks_for_two(&words, &named) || (calculated && groups) {
        return false;
    }
    of_words.iter().all(|meaning| calculated && !beyond.contains(&meaning.means.as_str()))
}

/// Places of the question's words that belong to a name of several words in the evidence: the "top"
/// in "View from the Top" asks for nothing.
fn words_of_names(words: &[String], outcome: &Outcome) -> HashSet<usize> {
    let mut named = HashSet::new();
    for value in outcome.evidence.iter().flat_map(|piece| piece.values()) {
        let name = quipu_query::words_of(value);
        if name.len() > 1 {
            let starts = words.windows(name.len()).enumerate().filter(|(_, window)| **window == name);
            named.extend(starts.flat_map(|(start, _)| start..start + name.len()));
        }
    }
    named
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

    #[test]
    fn nobody_is_a_year_or_an_amount() {
        let answered = |answer: &str| Outcome { answers: vec![answer.to_owned()], ..Outcome::default() };
        assert!(!is_of_kind("Who designed the Otter?", &answered("1988")));
        assert!(!is_of_kind("Who designed the Otter?", &answered("1988-05-02")));
        assert!(is_of_kind("Who designed the Otter?", &answered("Ada Lee")));
        assert!(is_of_kind("When was the Otter built?", &answered("1988")));
    }
}
