//! What words say, by code: questions, values, numbers and times. The word lists of a language are data (`vocabulary/en.toml`).
//!
//! This crate knows no graph, no model and no query: texts come in, readings go out.
//!
//! ```
//! use quipu_language::{Operation, condition, wanted};
//!
//! assert_eq!(wanted("How many books did she write?").operation, Some(Operation::Count));
//! let found = condition("Which cities have more than 2 million inhabitants?");
//! assert_eq!(found.map(|found| found.text).as_deref(), Some("more than 2 million"));
//! ```

mod asked;
mod calculate;
mod condition;
mod follow_up;
mod nested;
mod numerals;
mod operation;
mod quantity;
mod time;
mod values;
mod vocabulary;
mod words;

pub use asked::{Asked, Chunk, Token, Tokens, blank, is_empty_word, is_function_word, other_words, tells};
pub use calculate::{Calculation, CalculationError, Operand, Operation, Places, calculate, calculate_places};
pub use condition::{Condition, condition, values_said};
pub use follow_up::{FollowUp, Referent, Referring, asks_nothing, follow_up};
pub use nested::{Nested, chosen_from, nested};
pub use numerals::cardinal;
pub use operation::{Wanted, is_extreme, is_summing, wanted};
pub use quantity::{Quantity, quantity};
pub use time::{TimeFrame, time_frames};
pub use values::{format_number, same_value, value_of, value_of_node};
pub use vocabulary::{
    End, Meaning, Measured, Ordered, Side, WordsError, are_ages, are_places, are_ranks, are_reasons,
    asked_place, asks_by_a_noun, asks_for, asks_for_a_degree, asks_for_an_agent, asks_for_the_better,
    asks_for_two, asks_for_units, asks_twice, asks_yes_or_no, before_a_place, before_name_of_list,
    begins_a_question, begins_yes_or_no, behind_an_owner, between_noun_and_owner, changes_within,
    conversions, counts_letters, end_asked_for, groups_all, has_honour, has_open_ends, impossible_place,
    is_article, is_by, is_form, is_in_phrase, is_magnitude, is_measure, is_noun, is_quantity, is_share,
    is_than, is_top, is_unit, joins_two, looks_superlative, meanings, meanings_at, measured, month,
    names_what_follows, offers_a_choice, orders_times, place_asked_for, place_said, predicate_of,
    role_asked_for, role_of_heads, side_of, use_words, wants_the_many, with_superlatives, without_request,
};
pub use words::{is_written_as_name, words_of};
