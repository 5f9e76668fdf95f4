//! A critic that comes with a question whose right answers are known.

use std::fmt::Debug;

/// Judges the results for one question instead of the language model.
///
/// It knows the right answers: code compares the results with them, without a model call.
pub trait Critic: Debug + Send + Sync {
    /// The keys of the right answers. Keys that the graph lacks are ignored.
    fn right_answers(&self) -> &[String];
}
