//! A critic that comes with the question: who asks knows the right answers.

use std::fmt::Debug;

/// Judges what is found for one question, in the place of the language model.
///
/// It knows the right answers: what is found is held against them, by code, and costs no call.
pub trait Critic: Debug + Send + Sync {
    /// The keys of the right answers. Keys that the graph does not hold are left out.
    fn right_answers(&self) -> &[String];
}
