//! Compares a question's words with a query: the words that the query leaves out, the slips that
//! they show, and the confidence of a reading.
//!
//! No model is used here. The caller measures the similarity of texts and the likelihood of a text,
//! and passes them in ([`Nearness`]).

mod candidate;
mod logic;
mod mends;
mod names;
mod nearness;
mod numbers;
mod relations;
mod said;
mod shapes;
mod slips;
mod things;
mod times;
mod weigh;

pub use candidate::{Candidate, PathFit, TableQuestion, is_empty};
pub use logic::choices::offered_values;
pub use mends::{bind_as_asked, mend_bound};
pub use names::invented::without_invented;
pub use names::unknown::unknown_names;
pub use nearness::Nearness;
pub use numbers::bounds::bounds;
pub use numbers::counted::added_up;
pub use numbers::extremes::compared;
pub use numbers::measurements::units_used;
pub use numbers::measures::of_another_measure;
pub use numbers::units::is_in_the_unit;
pub use relations::named_kinds::of_the_named_kind;
pub use relations::parts::in_parts;
pub use slips::right_ends;
pub use things::hints::{abbreviated, kinds_named, meant};
pub use things::kinds::{
    is_called_another_kind, is_what_is_asked, leads_to_what_is_asked, nouns, nouns_of_kinds,
    orders_another_kind,
};
pub use things::unnamed_kinds::{UnknownKind, unknown_kinds};
pub use times::years::{asks_for_a_year, in_years, years_asked_for};
pub use weigh::choose::{Chosen, FEATURES, Features, OfPath, best_confidence, choose, features, of_the_path};
pub use weigh::explain::{FAR_FROM_ROLE, Unexplained, names_left_out, role_not_given, speaks_of};
pub use weigh::plain::plain_reading;
pub use weigh::tried::{columns_lacking, words_tried};
