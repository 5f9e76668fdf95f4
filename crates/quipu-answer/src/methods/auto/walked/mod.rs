//! Checks whether the answer of a path fits the question, as far as the question's form and the
//! graph show.

mod names;
mod steps;
mod words;

use quipu_stages::answer::{AnswerError, Outcome, PlanStart, Planned};
use quipu_stages::ledger::Context;
use quipu_stages::planners::query::{
    gives_told_kind, is_far_from_role, is_of_named_kinds, measures_what_is_asked,
};

use names::{has_kinds, is_called, is_one_thing, leaves_out_a_name, names_another_kind, starts_from_a_name};
use steps::{
    Walk, compares_another_value, counts_by_a_name, counts_numbers, counts_the_only_one, gives_another_event,
    gives_numbers_for_things, gives_one_of_several, gives_people_for_a_place, gives_records, goes_around,
    meets_in_a_number, passes_a_place, skips, takes_a_second_verb_as_a_step, takes_all_steps,
    takes_another_relation,
};
pub(super) use words::{denies, is_calculated};
use words::{heeds_all, is_of_kind, names_an_answer};

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
    if !typed && context.workspace.embedded().is_some() {
        doubts.note("told kind", !gives_told_kind(context, question, outcome).await?);
    }
    let Some(plan) = plan else {
        // One path from each of several things.
        let is_named = !is_calculated(outcome) && names_an_answer(question, &(0..0), outcome);
        doubts.note("names an answer", is_named);
        return Ok(doubts.0);
    };
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
    doubts.note("compares another value", compares_another_value(context, question, plan));
    doubts.note("second verb", takes_a_second_verb_as_a_step(context, question, plan));
    doubts.note("counts one", counts_the_only_one(context, plan, outcome));
    doubts.note("counts numbers", counts_numbers(context, plan).await?);
    doubts.note("counts by a name", counts_by_a_name(context, question, plan));
    doubts.note("people for a place", gives_people_for_a_place(context, question, plan));
    doubts.note("another event", gives_another_event(context, question, plan));
    doubts.note("numbers for things", gives_numbers_for_things(context, question, plan, outcome));
    doubts.note("one of several", gives_one_of_several(context, question, plan, outcome));
    doubts.note("start", !starts_from_a_name(context, question, plan).await?);
    doubts.note("meets in a number", meets_in_a_number(context, &plan.steps).await?);
    doubts.note("skips", skips(context, question, plan).await?);
    doubts.note("another relation", takes_another_relation(context, question, plan).await?);
    doubts.note("passes a place", passes_a_place(context, question, plan).await?);
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
        // Nor do records compare: 180 mm is not more than 55 cm.
        doubts.note("gives records", gives_records(context, plan).await?);
        doubts.note("role", is_far_from_role(context, question, plan).await?);
        doubts.note("named kind", !is_of_named_kinds(context, question, plan).await?);
        doubts.note("name left out", leaves_out_a_name(context, question, plan, outcome).await?);
    }
    let Some((node, span)) = plan.plain() else {
        if let PlanStart::Entity(_, span) = &plan.start {
            let is_named = !is_calculated(outcome) && names_an_answer(question, span, outcome);
            doubts.note("names an answer", is_named);
        }
        return Ok(doubts.0);
    };
    doubts.note("names an answer", names_an_answer(question, span, outcome));
    doubts.note("direction", !Walk { question, span, steps: &plan.steps }.is_said(context, outcome));
    let Some(anchor) = context.graph().summaries(&[node]).await?.pop() else { return Ok(doubts.0) };
    let named = question.get(span.clone()).unwrap_or_default();
    doubts.note("name", !is_called(context, &anchor, named).await?);
    doubts.note("namesakes", !is_one_thing(context, &anchor).await?);
    doubts.note("goes around", goes_around(context, question, &plan.steps, &anchor).await?);
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
