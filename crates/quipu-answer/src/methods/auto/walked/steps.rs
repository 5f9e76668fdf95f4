//! Checks of a path's steps: their number, their direction, and what they lead around.

use std::ops::Range;

use quipu_graph::{Direction, LiteralValue, NodeSummary, Step};
use quipu_language::{
    Language, Measured, Side, are_places, asks_for, asks_for_a_place, is_measure, phrase_around, side_of,
    value_of_node,
};
use quipu_query::Made;
use quipu_stages::answer::{AnswerError, Outcome, PlanStart, Planned, Value};
use quipu_stages::ledger::Context;
use quipu_stages::plan::{Cards, follow};
use quipu_stages::retrieve::graph_tables;

/// A shorter name that differs from the graph's spelling may easily be another entity's.
const SHORT_NAME: usize = 6;

/// Whether a path takes each step as often as the question asks for it: "the capital of the
/// capital" asks for two. A step back does not count.
pub(super) fn takes_all_steps(context: &Context<'_>, question: &str, steps: &[Step]) -> bool {
    let language = Language::of(question);
    let words = language.without_articles_behind_of(&quipu_query::words_of(question));
    let relations = context.graph().relations();
    steps.iter().all(|step| {
        let Some(relation) = relations.get(step.relation.0 as usize) else { return true };
        let asked = format!("{} {}", quipu_query::words_of(&relation.name).join(" "), language.word_of());
        words.matches(&asked).count() <= steps.iter().filter(|other| *other == step).count()
    })
}

/// Whether a path takes a detour that the question does not mention, although the start itself has
/// the last relation: "how many books did she write" does not ask for the books of her pupils. Of a
/// path that counts nothing the question must name the last relation.
pub(super) async fn skips(
    context: &Context<'_>,
    question: &str,
    plan: &Planned,
) -> Result<bool, AnswerError> {
    let language = Language::of(question);
    let (PlanStart::Entity(node, span), Some((last, before))) = (&plan.start, plan.steps.split_last()) else {
        return Ok(false);
    };
    let words = quipu_query::words_of(question);
    let relations = context.graph().relations();
    let is_named = |step: &Step| {
        let Some(relation) = relations.get(step.relation.0 as usize) else { return true };
        let mut name = quipu_query::words_of(&relation.name);
        name.retain(|word| language.meanings(word).is_empty());
        name.iter().any(|name| words.iter().any(|word| language.is_form(word, name)))
    };
    let is_said = |step: &Step| step.relation == last.relation || is_named(step);
    let says_only = says_only(context, question, span, last);
    let is_asked = plan.made == Made::Count || (is_named(last) && says_only);
    if !is_asked || before.is_empty() || before.iter().any(is_said) {
        return Ok(false);
    }
    // "The birth year of the seal" does not ask for that of who found it.
    if plan.made == Made::Values && says_only && owns_values(context, last).await? {
        return Ok(true);
    }
    let of_start = context.graph().relations_of(&[*node]).await?;
    Ok(of_start.iter().flatten().any(|known| known.step == *last))
}

/// Whether a path begins with a relation that the question does not mention, although its start has
/// one that the question mentions and the path does not take: the runner-up is not the winner, if
/// the graph states who won.
pub(super) async fn takes_another_relation(
    context: &Context<'_>,
    question: &str,
    plan: &Planned,
) -> Result<bool, AnswerError> {
    let language = Language::of(question);
    let (PlanStart::Entity(node, span), Some(first)) = (&plan.start, plan.steps.first()) else {
        return Ok(false);
    };
    let relations = context.graph().relations();
    let says = |word: &str, step: &Step| {
        let Some(relation) = relations.get(step.relation.0 as usize) else { return false };
        let mut name = quipu_query::words_of(&relation.name);
        name.retain(|of| language.meanings(of).is_empty());
        name.iter().any(|of| language.is_form(word, of) || language.is_agent(word, of))
    };
    let around = [question.get(..span.start), question.get(span.end..)];
    let mut words: Vec<String> = around.into_iter().flatten().flat_map(quipu_query::words_of).collect();
    words.retain(|word| language.meanings(word).is_empty());
    if words.iter().any(|word| says(word, first)) {
        return Ok(false);
    }
    words.retain(|word| !plan.steps.iter().any(|step| says(word, step)));
    let of_start = context.graph().relations_of(&[*node]).await?;
    let is_other = |step: &Step| step.direction == first.direction && !plan.steps.contains(step);
    let mut others = of_start.iter().flatten().filter(|known| is_other(&known.step));
    Ok(others.any(|known| words.iter().any(|word| says(word, &known.step))))
}

/// Whether a question compares how many things of a kind there are, and a path compares another
/// value of theirs: "do more volunteers live in A than in B" does not ask when they joined.
pub(super) fn compares_another_value(context: &Context<'_>, question: &str, plan: &Planned) -> bool {
    let language = Language::of(question);
    let (PlanStart::Several(_), Some(last)) = (&plan.start, plan.steps.last()) else { return false };
    let relation = context.graph().relations().get(last.relation.0 as usize);
    let title = relation.map(|relation| quipu_query::words_of(&relation.name)).unwrap_or_default();
    let is_told = |noun: &String| {
        let others = language.other_words(noun);
        title.iter().any(|of| language.is_form(noun, of) || language.is_noun(noun, of))
            || others.iter().any(|other| title.contains(other))
            || language.measured(noun, &title.join(" ")) == Measured::Alike
            || language.is_unit(noun)
    };
    quipu_query::words_of(question).windows(2).any(|pair| match pair {
        [more, noun] if language.means_comparison(more) => {
            language.is_plural(noun) && language.meanings(noun).is_empty() && !is_told(noun)
        }
        _ => false,
    })
}

/// Whether a step leads to numbers or dates, which belong to the thing itself and to no other.
async fn owns_values(context: &Context<'_>, step: &Step) -> Result<bool, AnswerError> {
    /// Triples sampled.
    const SEEN: usize = 5;
    let triples = context.graph().sample_triples(step.relation, SEEN).await?;
    let tails: Vec<_> = triples.into_iter().map(|(_, tail)| tail).collect();
    let tails = context.graph().summaries(&tails).await?;
    let measures = tails
        .iter()
        .filter(|tail| !matches!(value_of_node(tail.literal.as_ref(), &tail.name), LiteralValue::Text(_)));
    Ok(step.direction == Direction::Forward && !tails.is_empty() && measures.count() == tails.len())
}

/// Whether a question says nothing but the name at `span` and a step: "where was she born", and not
/// "where was her wife born".
fn says_only(context: &Context<'_>, question: &str, span: &Range<usize>, step: &Step) -> bool {
    let language = Language::of(question);
    let relation = context.graph().relations().get(step.relation.0 as usize);
    let name = relation.map(|relation| quipu_query::words_of(&relation.name)).unwrap_or_default();
    let around = [question.get(..span.start), question.get(span.end..)];
    let words = around.into_iter().flatten().flat_map(quipu_query::words_of);
    let mut telling = words.filter(|word| language.meanings(word).is_empty() && word.chars().count() > 1);
    let title = name.join(" ");
    telling.all(|word| {
        name.iter().any(|of| language.is_form(&word, of))
            || language.measured(&word, &title) == Measured::Alike
    })
}

/// Whether a path goes to a number and back by the same relation: two players with the same number
/// of goals have nothing in common.
pub(super) async fn meets_in_a_number(context: &Context<'_>, steps: &[Step]) -> Result<bool, AnswerError> {
    for pair in steps.windows(2) {
        let [there, back] = pair else { continue };
        if there.relation != back.relation || there.direction != Direction::Forward || there == back {
            continue;
        }
        if leads_to_numbers(context, *there).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a path counts the numbers that its last relation leads to: the members of a team are
/// not as many as the numbers of issues in which they appear.
pub(super) async fn counts_numbers(context: &Context<'_>, plan: &Planned) -> Result<bool, AnswerError> {
    match plan.steps.last() {
        Some(step) if plan.made == Made::Count && step.direction == Direction::Forward => {
            leads_to_numbers(context, *step).await
        }
        _ => Ok(false),
    }
}

/// Whether a path counts although only a relation's own name says "number": "the shirt number of
/// 18" asks for no count.
pub(super) fn counts_by_a_name(context: &Context<'_>, question: &str, plan: &Planned) -> bool {
    if plan.made != Made::Count {
        return false;
    }
    let words = quipu_query::words_of(question);
    let relations = context.graph().relations();
    let names = plan.steps.iter().filter_map(|step| relations.get(step.relation.0 as usize));
    names.map(|relation| quipu_query::words_of(&relation.name)).filter(|name| name.len() > 1).any(|name| {
        let at = words.windows(name.len()).position(|window| *window == name);
        at.is_some_and(|at| {
            let rest = [words.get(..at), words.get(at + name.len()..)];
            let rest: Vec<&str> = rest.into_iter().flatten().flatten().map(String::as_str).collect();
            asks_for(&rest.join(" ")) != Some("count")
        })
    })
}

/// Whether a path ends in records without names, which are no answer: the height of a lamp is not
/// called "msr-0067".
pub(super) async fn gives_records(context: &Context<'_>, plan: &Planned) -> Result<bool, AnswerError> {
    let last = plan.steps.last().filter(|step| step.direction == Direction::Forward);
    let Some(step) = last.filter(|_| plan.made != Made::Count) else { return Ok(false) };
    let Some(relation) = context.graph().relations().get(step.relation.0 as usize) else { return Ok(false) };
    let tables = &graph_tables(context).await?.tables;
    let mut columns = tables.columns().filter(|(_, column)| column.relation.as_ref() == Some(&relation.key));
    let is_record =
        |table: usize| tables.table(table).is_some_and(|table| table.unnamed && !table.is_links());
    Ok(columns.any(|(place, _)| tables.leads_to(place).is_some_and(is_record)))
}

/// Whether a path of a question about a place ends in people, by the card of its last relation:
/// "where does her mother come from" is not answered by those who live there.
pub(super) fn gives_people_for_a_place(context: &Context<'_>, question: &str, plan: &Planned) -> bool {
    let Some(step) = plan.steps.last().filter(|_| plan.made != Made::Count) else { return false };
    let relation = context.graph().relations().get(step.relation.0 as usize);
    let card = relation.and_then(|relation| context.memory::<Cards>().get(&relation.key));
    let language = Language::of(question);
    let asks_where = || quipu_query::words_of(question).iter().any(|word| language.asks_where(word));
    card.is_some_and(|card| language.means_people(card.kind(step.direction)))
        && (asks_for_a_place(question) || asks_where())
}

/// Whether a chain of steps from a name is asked for with a second verb that its steps take up: who
/// won the prize and also led an expedition is not a member of what its winners led.
pub(super) fn takes_a_second_verb_as_a_step(context: &Context<'_>, question: &str, plan: &Planned) -> bool {
    let (PlanStart::Entity(_, span), [_, _, ..]) = (&plan.start, plan.steps.as_slice()) else { return false };
    let language = Language::of(question);
    let titles: Vec<String> = (plan.steps.iter())
        .filter_map(|step| context.graph().relations().get(step.relation.0 as usize))
        .flat_map(|relation| quipu_query::words_of(&relation.name))
        .collect();
    let behind = quipu_query::words_of(question.get(span.end..).unwrap_or_default());
    let and = behind.iter().position(|word| language.takes_together(word));
    let mut joined = behind.iter().skip(and.map_or(behind.len(), |at| at + 1));
    let verb = joined.find(|word| !language.is_function_word(word));
    verb.is_some_and(|verb| titles.iter().any(|of| language.is_form(verb, of)))
}

/// Whether a path gives numbers for the things that a plural noun asks for: "which volcanoes" is
/// not answered by the years of their eruptions, "which scores" by those of a relation `score`.
pub(super) fn gives_numbers_for_things(
    context: &Context<'_>,
    question: &str,
    plan: &Planned,
    outcome: &Outcome,
) -> bool {
    let (Some(step), Some(table)) = (plan.steps.last(), &outcome.table) else { return false };
    let relation = context.graph().relations().get(step.relation.0 as usize);
    let title = relation.map(|relation| quipu_query::words_of(&relation.name)).unwrap_or_default();
    let language = Language::of(question);
    let is_thing = |noun: &String| {
        let singular = language.singular(noun);
        let is_time = language.is_unit_of_dates(&singular) || language.is_unit(noun);
        language.is_plural(noun)
            && !is_time
            && !is_measure(noun)
            && !title.iter().any(|of| language.is_noun(noun, of) || language.is_form(noun, of))
    };
    // Triples as text hold a number as a thing that is called so.
    let is_number = |value: &Value| {
        value.key.as_deref().is_none_or(|key| key == value.name) && value.name.parse::<f64>().is_ok()
    };
    let mut values = table.rows.iter().flatten().flatten().peekable();
    values.peek().is_some()
        && values.all(is_number)
        && quipu_reading::nouns(question).iter().any(is_thing)
        && plan.made == Made::Values
}

/// Whether a path of one relation gives another event than the question asks about, by the
/// relation's own name: a `final year` is not when something started.
pub(super) fn gives_another_event(context: &Context<'_>, question: &str, plan: &Planned) -> bool {
    let (PlanStart::Entity(_, span), [step]) = (&plan.start, plan.steps.as_slice()) else { return false };
    let relation = context.graph().relations().get(step.relation.0 as usize);
    let Some(relation) = relation.filter(|_| step.direction == Direction::Forward) else { return false };
    let language = Language::of(question);
    let sides = [question.get(..span.start), question.get(span.end..)];
    let words: Vec<String> = sides.into_iter().flatten().flat_map(quipu_query::words_of).collect();
    words.iter().any(|word| language.tells_another_event(word, &relation.name))
        && !words.iter().any(|word| language.tells_the_event(word, &relation.name))
}

/// Whether the tails of a relation are numbers, by a sample.
async fn leads_to_numbers(context: &Context<'_>, step: Step) -> Result<bool, AnswerError> {
    /// Triples sampled.
    const SEEN: usize = 5;
    let triples = context.graph().sample_triples(step.relation, SEEN).await?;
    let tails: Vec<_> = triples.into_iter().map(|(_, tail)| tail).collect();
    let tails = context.graph().summaries(&tails).await?;
    Ok(!tails.is_empty() && tails.iter().all(|tail| tail.name.replace(',', "").parse::<f64>().is_ok()))
}

/// Whether a path answers "where" by going on from a place, by a relation that the question does
/// not mention: "where does the ferry land" asks for the port, not for the port's country.
pub(super) async fn passes_a_place(
    context: &Context<'_>,
    question: &str,
    plan: &Planned,
) -> Result<bool, AnswerError> {
    /// Entities before the last step whose types are read.
    const SEEN: usize = 5;
    let words = quipu_query::words_of(question);
    let language = Language::of(question);
    let (PlanStart::Entity(node, span), Some((last, before))) = (&plan.start, plan.steps.split_last()) else {
        return Ok(false);
    };
    let relation = context.graph().relations().get(last.relation.0 as usize);
    let title = relation.map(|relation| quipu_query::words_of(&relation.name)).unwrap_or_default();
    let is_said = title.iter().any(|of| words.iter().any(|word| language.is_form(word, of)));
    if before.is_empty() || is_said || !words.first().is_some_and(|word| language.asks_where(word)) {
        return Ok(false);
    }
    // "Where was she born": `born in` leads to a place.
    if let Some(step) = before.last().filter(|step| step.direction == Direction::Forward)
        && let Some(relation) = context.graph().relations().get(step.relation.0 as usize)
        && quipu_query::words_of(&relation.name).last().is_some_and(|last| language.is_of_a_place(last))
        && says_only(context, question, span, step)
    {
        return Ok(true);
    }
    let mut passed: Vec<_> = follow(context.graph(), *node, before).await?.ends().collect();
    passed.truncate(SEEN);
    for place in context.graph().summaries(&passed).await? {
        let types = context.graph().summaries(&place.types).await?;
        if types.iter().any(|of_type| are_places(&of_type.name)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a path takes a value from another entity that its start could have but lacks: the year
/// of another work by the same painter, if this one's year is missing. Not if the question says
/// what the other one is to it: the e-mail of "Ada's supervisor", whom she reports to.
pub(super) async fn goes_around(
    context: &Context<'_>,
    question: &str,
    steps: &[Step],
    anchor: &NodeSummary,
) -> Result<bool, AnswerError> {
    let [way @ .., last] = steps else { return Ok(false) };
    let is_said = match way {
        [step] => is_role_said(context, question, *step),
        way => way.is_empty(),
    };
    if is_said {
        return Ok(false);
    }
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

/// Whether a question names a relation as a role, behind a possessive or before "of": by a word of
/// its name or by another word for it, as "supervisor" for `reports to`.
fn is_role_said(context: &Context<'_>, question: &str, step: Step) -> bool {
    let info = usize::try_from(step.relation.0).ok().and_then(|at| context.graph().relations().get(at));
    let title = info.map(|info| quipu_language::words_of(&info.name)).unwrap_or_default();
    let language = Language::of(question);
    let words = quipu_language::words_of(question);
    let tells = |word: &String| language.meanings(word).is_empty() && !language.is_function_word(word);
    let is_role = |at: usize| {
        let owned = at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| language.owns(word));
        owned || words.get(at + 1).is_some_and(|word| language.is_of(word))
    };
    let calls = |word: &String| {
        let is_other = |other: &String| quipu_language::words_of(other).iter().all(|of| title.contains(of));
        title.iter().any(|of| tells(of) && language.is_form(word, of))
            || language.other_words(word).iter().any(is_other)
    };
    words.iter().enumerate().any(|(at, word)| tells(word) && is_role(at) && calls(word))
}

/// Whether a path counts one thing behind a relation that never leads to more: nobody asks how many
/// towns a school is in.
pub(super) fn counts_the_only_one(context: &Context<'_>, plan: &Planned, outcome: &Outcome) -> bool {
    let last = plan.steps.last().filter(|_| plan.made == Made::Count);
    last.is_some_and(|step| leads_to_one(context, *step))
        && outcome.answers.iter().all(|answer| answer == "1")
}

/// Whether a relation never leads to more than one thing.
fn leads_to_one(context: &Context<'_>, step: Step) -> bool {
    let info = usize::try_from(step.relation.0).ok().and_then(|at| context.graph().relations().get(at));
    info.is_some_and(|info| {
        let starts = if step.direction == Direction::Forward { info.heads } else { info.tails };
        info.triples > 0 && starts == info.triples
    })
}

/// Whether a path gives the only thing that a relation leads to, which the question does not name,
/// where it asks for several: "which cities are in Peru" does not ask for the capital.
pub(super) fn gives_one_of_several(
    context: &Context<'_>,
    question: &str,
    plan: &Planned,
    outcome: &Outcome,
) -> bool {
    let language = Language::of(question);
    let words = quipu_query::words_of(question);
    let (Some(last), [_]) = (plan.steps.last(), outcome.answers.as_slice()) else { return false };
    let asks = words.first().is_some_and(|word| language.asks_by_a_noun(word));
    let is_noun = |word: &&String| language.meanings(word).is_empty();
    let mut nouns: Vec<&String> = words.iter().skip(1).take_while(is_noun).collect();
    // "Which museum keeps the painting".
    if nouns.len() > 1 && words.get(nouns.len() + 1).is_some_and(|next| language.is_any_article(next)) {
        nouns.pop();
    }
    let noun = nouns.last();
    let relation = context.graph().relations().get(last.relation.0 as usize);
    let title = relation.map(|relation| quipu_query::words_of(&relation.name)).unwrap_or_default();
    let is_said = title.iter().any(|of| words.iter().any(|word| language.is_form(word, of)));
    asks && noun.is_some_and(|noun| language.is_plural(noun)) && !is_said && leads_to_one(context, *last)
}

/// A path without a calculation, from a name in the question.
pub(super) struct Walk<'a> {
    pub(super) question: &'a str,
    /// The place of the name in the question, in bytes.
    pub(super) span: &'a Range<usize>,
    pub(super) steps: &'a [Step],
}

impl Walk<'_> {
    /// Whether the question's form allows the path: a short name must match the graph's exactly,
    /// and "the capital of Lima" is not walked from Lima to its country.
    pub(super) fn is_said(&self, context: &Context<'_>, walked: &Outcome) -> bool {
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
        let behind = quipu_query::words_of(question.get(span.end..).unwrap_or_default());
        let before = language.without_article(&before);
        // "The father of A" and "A's father", where the graph states a `sire`.
        let kin = match (before, behind.as_slice()) {
            ([.., kin, of], _) if language.is_of(of) => Some(kin),
            (_, [owns, kin, ..]) if language.owns(owns) => Some(kin),
            _ => None,
        };
        let before = before.join(" ");
        let relations = context.graph().relations();
        let stands = self.stands_right(context);
        stands
            && steps.iter().all(|step| {
                let Some(relation) = relations.get(step.relation.0 as usize) else { return true };
                let asked =
                    format!("{} {}", quipu_query::words_of(&relation.name).join(" "), language.word_of());
                let is_kin = kin.is_some_and(|kin| language.calls_kin(kin, &relation.name));
                let ends = is_kin || before.ends_with(&asked);
                !(steps.len() == 1 && ends && step.direction == Direction::Backward)
            })
    }

    /// Whether the direction of a path's last step fits the side of its relation on which the
    /// question has the name, or the words around the name for what the other steps lead to: "whom
    /// did A influence" is not walked to those who influenced A, nor "who taught the maker of A" to
    /// those whom the maker taught.
    fn stands_right(&self, context: &Context<'_>) -> bool {
        let Some((last, before)) = self.steps.split_last() else { return true };
        let Some(relation) = context.graph().relations().get(last.relation.0 as usize) else { return true };
        let asked = quipu_query::words_of(self.question);
        let words = |text: Option<&str>| quipu_query::words_of(text.unwrap_or_default()).len();
        let start = words(self.question.get(..self.span.start));
        let name = start..start + words(self.question.get(self.span.clone()));
        let there = if before.is_empty() { Some(name) } else { phrase_around(&asked, &name) };
        let expected = match there.and_then(|there| side_of(&asked, &there, &relation.name)) {
            Some(Side::Head) => Direction::Forward,
            Some(Side::Tail) => Direction::Backward,
            None => return true,
        };
        last.direction == expected
    }
}
