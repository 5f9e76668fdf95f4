//! Answers and traces as text for people.

mod answer;
mod estimate;
mod explanation;
mod readings;
mod remarks;
#[cfg(test)]
mod sample;
mod values;

pub(crate) use answer::print_answer;
pub(crate) use estimate::print_estimate;
pub(crate) use explanation::print_explanation;
pub(crate) use readings::print_plans;
pub(crate) use remarks::View;
