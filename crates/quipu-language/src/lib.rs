//! What words say, by code: questions, values, numbers and times. The word lists of a language are
//! data (`vocabulary/en.toml`, `vocabulary/de.toml`); a question's own language is read off its
//! words.
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
mod naming;
mod nested;
mod normalise;
mod numerals;
mod operation;
mod quantity;
mod rounding;
mod time;
mod values;
mod vocabulary;
mod words;

pub use asked::{Asked, Chunk, Token, Tokens, blank};
pub use calculate::{Calculation, CalculationError, Operand, Operation, Places, calculate, calculate_places};
pub use condition::{Condition, condition, conditions, is_in_bound, values_said};
pub use follow_up::{FollowUp, Referent, Referring, asks_nothing, follow_up};
pub use naming::Way;
pub use nested::{Nested, chosen_from, nested};
pub use normalise::{Word, fold, is_article, is_possessive, join, normalise, without_possessive, words};
pub use operation::{Wanted, asks_how_often, wanted};
pub use quantity::{Quantity, quantity};
pub use rounding::rounding;
pub use time::{TimeFrame, end_of_times, time_frames, time_frames_with};
pub use values::{format_number, minutes_of, same_value, value_of, value_of_node};
pub use vocabulary::{
    BySteps, End, Language, Meaning, Measured, Ordered, Side, Towards, UnitNamed, WordsError,
    adds_up_every_one, are_ages, are_pieces, are_places, are_ranks, are_reasons, are_scores, asked_place,
    asking_clause, asks_for, asks_for_a_measure, asks_for_a_place, asks_for_an_agent, asks_for_the_better,
    asks_for_two, asks_for_units, asks_since_when, asks_twice, asks_yes_or_no, begins_a_question,
    behind_restated, below_clause, changes_within, class_in_full, clock_time, deed_of_heads,
    direction_before, has_open_ends, impossible_place, included_clause, is_always_capital, is_aside,
    is_code_word, is_dating_field, is_in_passing, is_in_phrase, is_measure, is_mutual, is_naming_field,
    is_proviso, is_unit, is_written_as_name, kin_by_steps, kind_asked_of, meanings_at, means_false,
    means_true, month, phrasal_verbs, phrase_around, pieces_of, place_asked_for, place_said, preamble,
    predicate_of, role_asked_for, role_of_heads, sex_asked_of, side_of, sounds_like, stated_clause,
    subject_of, takes_every_one, tells_records, thing_to_describe, through_levels, title_in_full, use_words,
    with_superlatives, without_examples, without_having, without_request,
};
pub use words::words_of;
