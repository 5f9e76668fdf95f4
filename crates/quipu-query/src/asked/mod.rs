//! Compares a question's words with a query: the words that the query leaves out, the slips that
//! they show, and the confidence of a reading.
//!
//! No model is used here. The caller measures the similarity of texts and the likelihood of a text,
//! and passes them in ([`Nearness`]).

mod ages;
mod all_of;
mod alternatives;
mod apart;
mod both;
mod bounds;
mod candidate;
mod choices;
mod choose;
mod columns_left_out;
mod comparatives;
mod counted;
mod currencies;
mod denied;
mod differences;
mod directions;
mod each;
mod explain;
mod extremes;
mod faults;
mod firsts;
mod heads;
mod hierarchies;
mod hints;
mod honours;
mod idle_joins;
mod inherited;
mod invented;
mod kinds;
mod lacking;
mod last_time;
mod lasting;
mod made_up;
mod measurements;
mod measures;
mod mends;
mod mismatched;
mod mistaken;
mod mixed_kinds;
mod moved;
mod named_kinds;
mod nearness;
mod offered;
mod order_of_things;
mod others;
mod parts;
mod periods;
mod plain;
mod provisos;
mod reached;
mod relatives;
mod repeated;
mod roles;
mod said;
mod shapes;
mod shares;
mod slips;
mod stand_ins;
mod things_of_records;
mod tried;
mod types_of;
mod units;
mod unknown;
mod unnamed_kinds;
mod verbs;
mod whole_names;
mod word_by_word;
mod years;

pub use bounds::bounds;
pub use candidate::{Candidate, PathFit, TableQuestion};
pub use choices::offered_values;
pub use choose::{
    Chosen, FEATURES, Features, OfPath, best_confidence, choose, features, is_empty, of_the_path,
};
pub use counted::added_up;
pub use explain::{FAR_FROM_ROLE, Unexplained, names_left_out, role_not_given, speaks_of};
pub use extremes::compared;
pub use hints::{abbreviated, kinds_named, meant};
pub use invented::without_invented;
pub use kinds::{
    is_called_another_kind, is_what_is_asked, leads_to_what_is_asked, nouns, nouns_of_kinds,
    orders_another_kind,
};
pub use measurements::units_used;
pub use measures::of_another_measure;
pub use mends::{bind_as_asked, mend_bound};
pub use named_kinds::of_the_named_kind;
pub use nearness::Nearness;
pub use parts::in_parts;
pub use plain::plain_reading;
pub use slips::right_ends;
pub use tried::{columns_lacking, words_tried};
pub use units::is_in_the_unit;
pub use unknown::unknown_names;
pub use unnamed_kinds::{UnknownKind, unknown_kinds};
pub use years::{in_years, years_asked_for};
