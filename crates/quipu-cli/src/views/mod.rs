//! How answers and traces look to a person.

mod answer;
mod explanation;

pub(crate) use answer::print_answer;
pub(crate) use explanation::print_explanation;
