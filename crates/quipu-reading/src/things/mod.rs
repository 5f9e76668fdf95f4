//! The kinds of things that a question names, and the possible meanings of its words.

pub(crate) mod hints;
pub(crate) mod kinds;
pub(crate) mod mixed_kinds;
pub(crate) mod things_of_records;
pub(crate) mod types_of;
pub(crate) mod unnamed_kinds;
