//! The triples of a source that are compared with pseudo-triples by meaning (§3.2.1): those around
//! entities with one of the names, those of the triple index if there is one, and all triples of a
//! small graph.

use std::collections::HashSet;

use quipu_graph::{Direction, NodeId};
use quipu_index::inner_product;
use quipu_query::{PseudoGraph, PseudoTail, PseudoTriple};
use quipu_stages::answer::{AnswerError, Evidence, EvidenceContent, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::link::RelationVectors;
use quipu_stages::retrieve::TripleSentences;
use quipu_stages::retrieve::{Walked, nearby_triples, sentence, with_evidence};

use super::PseudoConfig;
use super::hits::{Hit, Vectors};

use super::meant::Meant;

/// Most triples of a graph that is compared completely with pseudo-triples that lead nowhere.
const SMALL: u64 = 2000;
/// Neighbours along one relation of one entity.
const EACH: usize = 50;
/// The factor on the similarity of relations alone, which say less than whole triples.
const RELATION_ALONE: f32 = 0.95;
/// The factor if only one of the two ends matches.
const ONE_END: f32 = 0.85;

/// A triple of a source.
struct Candidate {
    evidence: Evidence,
    head: NodeId,
    tail: NodeId,
    /// Names of its ends.
    names: [String; 2],
    whole: Vec<f32>,
    relation: std::sync::Arc<[f32]>,
}

/// The triples of a source to compare, with their vectors.
#[derive(Default)]
pub(super) struct Pool {
    triples: Vec<Candidate>,
}

impl Pool {
    /// Gathers the triples around `nodes`, and those similar to the pseudo-triples `wanted`,
    /// whatever their names. One embedder call.
    ///
    /// # Errors
    /// The graph's, the index's and the embedder's.
    pub(super) async fn gather(
        context: &Context<'_>,
        nodes: &[NodeId],
        vectors: &Vectors,
        wanted: &[usize],
        config: &PseudoConfig,
    ) -> Result<Self, AnswerError> {
        let mut walked = nearby_triples(context.graph(), nodes, 1, EACH, config.around).await?;
        let rows = wanted.iter().filter_map(|at| vectors.pseudo.get(*at));
        let small = (1..=config.whole.min(SMALL)).contains(&context.graph().describe().triples);
        for row in rows {
            if small {
                walked
                    .extend(context.memory::<TripleSentences>().nearest(context, row, config.nearest).await?);
            } else {
                walked.extend(context.workspace.nearest_triples(row, config.nearest)?.into_iter().map(
                    |hit| {
                        let step =
                            quipu_graph::Step { relation: hit.relation, direction: Direction::Forward };
                        (hit.head, step, hit.tail)
                    },
                ));
            }
        }
        Self::read(context, &walked).await
    }

    async fn read(context: &Context<'_>, walked: &[Walked]) -> Result<Self, AnswerError> {
        let mut known = HashSet::new();
        let mut new = with_evidence(context.graph(), walked).await?;
        new.retain(|(_, piece)| known.insert(piece.id.clone()));
        if new.is_empty() {
            return Ok(Self::default());
        }
        let texts: Vec<String> = new.iter().map(|(_, piece)| sentence(piece)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let rows = context.embed(Stage::Retrieve, &texts).await?;
        let relations: Vec<&str> = new.iter().map(|(_, piece)| relation(piece)).collect();
        let relations =
            context.memory::<RelationVectors>().vectors(context, Stage::Retrieve, &relations).await?;
        let mut triples = Vec::with_capacity(new.len());
        for ((((from, step, to), piece), row), relation) in new.iter().zip(rows.rows()).zip(relations) {
            let (head, tail) = match step.direction {
                Direction::Forward => (*from, *to),
                Direction::Backward => (*to, *from),
            };
            let EvidenceContent::Triple { head: head_name, tail: tail_name, .. } = &piece.content else {
                continue;
            };
            let names = [head_name.clone(), tail_name.clone()];
            triples.push(Candidate {
                head,
                tail,
                names,
                whole: row.to_vec(),
                relation,
                evidence: piece.clone(),
            });
        }
        Ok(Self { triples })
    }

    /// The triples nearest to the pseudo-triples `wanted`, and those nearest to the question around
    /// its entities.
    pub(super) fn hits(
        &self,
        graph: &PseudoGraph,
        wanted: &[usize],
        vectors: &Vectors,
        meant: &Meant,
        k: usize,
    ) -> Vec<Hit> {
        let mut hits = Vec::new();
        for at in wanted {
            let Some(triple) = graph.triples.get(*at) else { continue };
            let score = |candidate: &Candidate| similarity(*at, triple, candidate, vectors, meant);
            let anchors: Vec<NodeId> =
                ends(triple).into_iter().flat_map(|end| meant.of(end).to_vec()).collect();
            self.nearest(k, score, Some(*at), &anchors, meant, &mut hits);
        }
        let around = |candidate: &Candidate| {
            let asked = meant.asked.contains(&candidate.head) || meant.asked.contains(&candidate.tail);
            if asked { inner_product(&candidate.whole, &vectors.question) } else { f32::MIN }
        };
        self.nearest(k, around, None, &meant.asked, meant, &mut hits);
        hits
    }

    fn nearest(
        &self,
        k: usize,
        score: impl Fn(&Candidate) -> f32,
        pseudo: Option<usize>,
        anchors: &[NodeId],
        meant: &Meant,
        into: &mut Vec<Hit>,
    ) {
        let mut scored: Vec<(f32, &Candidate)> =
            self.triples.iter().map(|c| (score(c), c)).filter(|(score, _)| *score > 0.0).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.evidence.id.cmp(&b.1.evidence.id)));
        into.extend(scored.into_iter().take(k).map(|(similarity, candidate)| {
            let tail = anchors.contains(&candidate.tail) && !anchors.contains(&candidate.head);
            let [head_name, tail_name] = &candidate.names;
            let (node, subject) =
                if tail { (candidate.tail, tail_name) } else { (candidate.head, head_name) };
            Hit {
                evidence: candidate.evidence.clone(),
                subject: subject.clone(),
                pseudo,
                similarity,
                asked: meant.sure.contains(&node),
                meant: anchors.contains(&node),
                stands_for: None,
            }
        }));
    }
}

/// Similarity of a triple with a pseudo-triple: of the sentences, or of the relations if one of the
/// triple's nodes is a meant end, because the model is most likely wrong about the other end.
fn similarity(
    at: usize,
    triple: &PseudoTriple,
    candidate: &Candidate,
    vectors: &Vectors,
    meant: &Meant,
) -> f32 {
    let whole = vectors.pseudo.get(at).map_or(0.0, |row| inner_product(row, &candidate.whole));
    let ends = ends(triple);
    let is_meant = |end: &&usize| {
        let nodes = meant.of(**end);
        nodes.contains(&candidate.head) || nodes.contains(&candidate.tail)
    };
    let meant_ends = ends.iter().filter(is_meant).count();
    if meant_ends == 0 {
        return whole;
    }
    let relation = vectors.relations.get(at).map_or(0.0, |row| inner_product(row, &candidate.relation));
    let counts = if meant_ends == ends.len() { RELATION_ALONE } else { ONE_END };
    whole.max(counts * relation)
}

pub(super) fn ends(triple: &PseudoTriple) -> Vec<usize> {
    match triple.tail {
        PseudoTail::Node(tail) => vec![triple.head, tail],
        PseudoTail::Value(_) => vec![triple.head],
    }
}

fn relation(piece: &Evidence) -> &str {
    match &piece.content {
        EvidenceContent::Triple { relation, .. } => relation,
        EvidenceContent::Passage { .. }
        | EvidenceContent::Record(_)
        | EvidenceContent::Calculation { .. } => "",
    }
}
