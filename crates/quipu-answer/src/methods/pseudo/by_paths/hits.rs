//! The hits of a pseudo-graph in the sources, and the vectors to compare them with.

use quipu_index::inner_product;
use quipu_query::PseudoGraph;
use quipu_stages::answer::{AnswerError, Evidence, Question, Stage};
use quipu_stages::ledger::Context;

/// A triple of a source that resembles a pseudo-triple.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    /// The triple.
    pub evidence: Evidence,
    /// Name of its subject: the end that the pseudo-graph or the question names.
    pub subject: String,
    /// Position of the pseudo-triple; `None` for a hit by the question's own words.
    pub pseudo: Option<usize>,
    /// Cosine.
    pub similarity: f32,
    /// Whether the question itself names the subject.
    pub asked: bool,
    /// Whether a node of the pseudo-graph stands for the subject, by its name or because the
    /// sources led there.
    pub meant: bool,
    /// The node of the pseudo-graph that stands for the subject, if it was reached by following.
    pub stands_for: Option<usize>,
}

/// The vectors to compare with.
pub(super) struct Vectors {
    pub question: Vec<f32>,
    /// The pseudo-triples as sentences, and their relations.
    pub pseudo: Vec<Vec<f32>>,
    pub relations: Vec<Vec<f32>>,
}

/// The vectors of the question and of the pseudo-graph: one embedder call.
///
/// # Errors
/// The embedder's.
pub(super) async fn vectors(
    context: &Context<'_>,
    question: &Question,
    graph: &PseudoGraph,
) -> Result<Vectors, AnswerError> {
    let mut texts = vec![question.text().to_owned()];
    texts.extend(graph.triples.iter().map(|triple| graph.sentence(triple)));
    texts.extend(graph.triples.iter().map(|triple| triple.relation.clone()));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let rows = context.embed(Stage::Retrieve, &texts).await?;
    let mut rows = rows.rows().map(<[f32]>::to_vec);
    let question = rows.next().unwrap_or_default();
    let pseudo = rows.by_ref().take(graph.triples.len()).collect();
    Ok(Vectors { question, pseudo, relations: rows.collect() })
}

/// Cuts the pseudo-graph to the `most` triples nearest to the question.
///
/// # Errors
/// The embedder's.
pub(super) async fn nearest_to_question(
    context: &Context<'_>,
    question: &Question,
    graph: PseudoGraph,
    most: usize,
) -> Result<PseudoGraph, AnswerError> {
    if graph.triples.len() <= most {
        return Ok(graph);
    }
    let vectors = vectors(context, question, &graph).await?;
    let mut ranked: Vec<(usize, f32)> =
        vectors.pseudo.iter().map(|row| inner_product(row, &vectors.question)).enumerate().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked.truncate(most);
    ranked.sort_unstable_by_key(|(at, _)| *at);
    let triples = ranked.into_iter().filter_map(|(at, _)| graph.triples.get(at).cloned()).collect();
    Ok(PseudoGraph { triples, ..graph })
}
