//! How well a reading explains its question: the words that it leaves out, its faults, and the
//! choice among readings by a calibrated score.

pub(crate) mod choose;
pub(crate) mod explain;
pub(crate) mod faults;
pub(crate) mod mismatched;
pub(crate) mod mistaken;
pub(crate) mod plain;
pub(crate) mod tried;
pub(crate) mod word_by_word;
