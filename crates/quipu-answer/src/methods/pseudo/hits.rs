//! What is compared with the pseudo-graph.

use crate::answer::Evidence;

/// A triple of a source that resembles a pseudo-triple.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    /// The triple.
    pub evidence: Evidence,
    /// Name of the entity that it is about: the end that the pseudo-graph or the question names.
    pub subject: String,
    /// Position of the pseudo-triple; `None`: found by the question's own words.
    pub pseudo: Option<usize>,
    /// Cosine.
    pub similarity: f32,
    /// Whether the question itself names the subject.
    pub asked: bool,
    /// Whether a node of the pseudo-graph stands for the subject, by its name or by where the sources led.
    pub meant: bool,
    /// The node of the pseudo-graph that stands for the subject, where it stands for several.
    pub stands_for: Option<usize>,
}

/// The meanings of what is compared.
pub(super) struct Vectors {
    pub question: Vec<f32>,
    /// Of the pseudo-triples as sentences, and of their relations.
    pub pseudo: Vec<Vec<f32>>,
    pub relations: Vec<Vec<f32>>,
}
