//! Semantic querying and two-step pruning (§3.2.1): from the model's beliefs to the ground graph,
//! the sources' triples about the same entities.

use std::collections::{BTreeMap, HashMap, HashSet};

use futures::future::join_all;
use quipu_graph::{Direction, NodeId, Step};
use quipu_index::inner_product;
use quipu_query::PseudoGraph;
use quipu_stages::answer::{AnswerError, Event, Evidence, EvidenceContent, Question, Stage};
use quipu_stages::ledger::{Context, is_down};
use quipu_stages::link::{Mentioned, mentions, named};
use quipu_stages::retrieve::{
    TripleSentences, Walked, latest_within_budget, nearby_triples, sentence, with_evidence,
};

use super::PseudoConfig;
use super::order::in_order;

/// The neighbourhood that is compared in a source too large to compare completely: hops, hops of an
/// API (where each entity is a request), and neighbours along one step of one entity.
const HOPS: usize = 2;
const HOPS_OF_API: usize = 1;
const EACH: usize = 50;
/// Candidates of one name.
const CANDIDATES: usize = 3;

/// A triple of a source that is one of the nearest of a pseudo-triple.
pub(super) struct Near {
    /// Position of the pseudo-triple.
    pseudo: usize,
    /// Cosine of the two sentences.
    similarity: f32,
    evidence: Evidence,
}

/// The ground graph.
pub(super) struct Ground {
    /// The triples; those of the entity most similar to the pseudo-graph come last, nearest to it
    /// in the prompt.
    pub evidence: Vec<Evidence>,
    /// For each pseudo-triple, the id and the similarity of the most similar triple.
    pub nearest: HashMap<usize, (String, f32)>,
    /// Pieces that did not fit the prompt.
    pub left_out: usize,
}

/// The nearest triples of each pseudo-triple, from all sources together. A failing source is
/// reported; it is an error only if all fail.
///
/// # Errors
/// The embedder's; a source's if no other source is left.
pub(super) async fn query(
    context: &Context<'_>,
    question: &Question,
    pseudo: &PseudoGraph,
    config: &PseudoConfig,
) -> Result<Vec<Near>, AnswerError> {
    if pseudo.triples.is_empty() {
        return Ok(Vec::new());
    }
    let sentences: Vec<String> = pseudo.triples.iter().map(|triple| pseudo.sentence(triple)).collect();
    let sentences: Vec<&str> = sentences.iter().map(String::as_str).collect();
    let rows = context.embed(Stage::Retrieve, &sentences).await?;
    let wanted: Vec<&[f32]> = rows.rows().collect();
    let sources = if config.all_sources { context.sources() } else { vec![context.alone()] };
    let reading = sources.iter().map(|source| base(source, question, pseudo, &wanted, config));
    let (mut all, mut failed, mut read) = (Vec::new(), None, 0);
    for (source, base) in sources.iter().zip(join_all(reading).await) {
        match base {
            Err(error) if is_down(&error) => {
                source.note_down(&error);
                failed = Some(error);
            }
            base => {
                all.extend(base?);
                read += 1;
            }
        }
    }
    if let Some(error) = failed.filter(|_| read == 0) {
        return Err(error);
    }
    let near = wanted.iter().enumerate().flat_map(|(at, row)| nearest(&all, at, row, config.nearest));
    Ok(near.collect())
}

/// The `k` triples nearest to pseudo-triple `at`.
fn nearest(all: &[(Evidence, Vec<f32>)], at: usize, row: &[f32], k: usize) -> Vec<Near> {
    let product = |other: &Vec<f32>| inner_product(other, row);
    let mut scored: Vec<(f32, &Evidence)> =
        all.iter().map(|(piece, vector)| (product(vector), piece)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
    scored.truncate(k);
    let near =
        |(similarity, piece): (f32, &Evidence)| Near { pseudo: at, similarity, evidence: piece.clone() };
    scored.into_iter().map(near).collect()
}

/// The triples of a source that may be among the nearest, with the vectors of their sentences. For
/// a small graph, the nearest of all its triples; for a large one, those from its triple index;
/// without an index, those around the entities that the question and the pseudo-graph name.
async fn base(
    context: &Context<'_>,
    question: &Question,
    pseudo: &PseudoGraph,
    wanted: &[&[f32]],
    config: &PseudoConfig,
) -> Result<Vec<(Evidence, Vec<f32>)>, AnswerError> {
    let mut walked: Vec<Walked> = Vec::new();
    let whole = (1..=config.whole).contains(&context.graph().describe().triples);
    for row in wanted {
        if whole {
            let sentences = context.memory::<TripleSentences>();
            walked.extend(sentences.nearest(context, row, config.nearest).await?);
        } else {
            let hits = context.workspace.nearest_triples(row, config.nearest)?;
            walked.extend(hits.into_iter().map(|hit| {
                (hit.head, Step { relation: hit.relation, direction: Direction::Forward }, hit.tail)
            }));
        }
    }
    if walked.is_empty() {
        let hops = if context.api().is_some() { HOPS_OF_API } else { HOPS };
        let nodes = things(context, question, pseudo).await?;
        walked = nearby_triples(context.graph(), &nodes, hops, EACH, config.around).await?;
    }
    let mut known = HashSet::new();
    let mut pieces = with_evidence(context.graph(), &walked).await?;
    pieces.retain(|(_, piece)| known.insert(piece.id.clone()));
    let texts: Vec<String> = pieces.iter().map(|(_, piece)| sentence(piece)).collect();
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let rows = context.embed(Stage::Retrieve, &texts).await?;
    Ok(pieces.into_iter().map(|(_, piece)| piece).zip(rows.rows().map(<[f32]>::to_vec)).collect())
}

/// The entities of a source that the question or the pseudo-graph names.
async fn things(
    context: &Context<'_>,
    question: &Question,
    pseudo: &PseudoGraph,
) -> Result<Vec<NodeId>, AnswerError> {
    let mut mentioned = mentions(context, question.text()).await?;
    if context.anchors.is_empty() {
        let believed = pseudo.nodes.iter().filter(|node| !node.unknown);
        let names: Vec<String> = believed.map(|node| node.name.clone()).collect();
        mentioned.extend(named(context, question.text(), &names, CANDIDATES).await?);
    }
    let events = mentioned.iter().map(Mentioned::to_event).collect();
    context.trace.report(Stage::Link, Event::Linked { mentions: events });
    let mut seen = HashSet::new();
    let nodes = mentioned.iter().flat_map(|m| m.candidates.iter().take(CANDIDATES)).map(|a| a.node);
    Ok(nodes.filter(|node| seen.insert(*node)).collect())
}

/// A subject of the sources with its triples, each with its highest similarity.
#[derive(Default)]
struct Entity {
    name: String,
    triples: Vec<(Evidence, f32)>,
}

impl Entity {
    /// The mean similarity of all triples found about it.
    fn confidence(&self) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "a handful")]
        let count = self.triples.len().max(1) as f32;
        self.triples.iter().map(|(_, similarity)| similarity).sum::<f32>() / count
    }
}

/// Two-step pruning: first the k subjects with the most triples, k being the number of
/// pseudo-subjects; then those with enough mean similarity.
pub(super) fn prune(
    context: &Context<'_>,
    pseudo: &PseudoGraph,
    near: Vec<Near>,
    config: &PseudoConfig,
) -> Ground {
    let subjects: HashSet<usize> = pseudo.triples.iter().map(|triple| triple.head).collect();
    let nearest = nearest_of_each(&near);
    let mut entities = by_subject(near);
    let found = entities.len();
    entities.sort_by(|a, b| {
        b.triples.len().cmp(&a.triples.len()).then(b.confidence().total_cmp(&a.confidence()))
    });
    entities.truncate(subjects.len());
    entities.retain(|entity| entity.confidence() >= config.least_similarity);
    entities.sort_by(|a, b| a.confidence().total_cmp(&b.confidence()));
    let kept = entities.iter().map(|e| format!("{} ({:.2})", e.name, e.confidence())).collect();
    let dropped = found - entities.len();
    context.trace.report(Stage::Prune, Event::Filtered { hop: 0, kept, dropped, by: "similarity".into() });
    let evidence = entities.into_iter().flat_map(|entity| in_order(entity.triples)).collect();
    let (evidence, left_out) = latest_within_budget(context, evidence);
    Ground { evidence, nearest, left_out }
}

fn nearest_of_each(near: &[Near]) -> HashMap<usize, (String, f32)> {
    let mut nearest: HashMap<usize, (String, f32)> = HashMap::new();
    for hit in near {
        // Hits are sorted, so the first of each pseudo-triple is its best.
        nearest.entry(hit.pseudo).or_insert_with(|| (hit.evidence.id.clone(), hit.similarity));
    }
    nearest
}

/// Groups the triples by their heads. Keys tell namesakes apart; one key in several sources is one
/// subject.
fn by_subject(near: Vec<Near>) -> Vec<Entity> {
    let mut entities: BTreeMap<String, Entity> = BTreeMap::new();
    for Near { similarity, evidence, .. } in near {
        let EvidenceContent::Triple { head, keys, .. } = &evidence.content else { continue };
        let key = keys.as_ref().map_or(head, |keys| {
            let [head, ..] = &**keys;
            head
        });
        let entity = entities.entry(key.clone()).or_default();
        entity.name.clone_from(head);
        match entity.triples.iter_mut().find(|(piece, _)| piece.id == evidence.id) {
            Some((_, highest)) => *highest = highest.max(similarity),
            None => entity.triples.push((evidence, similarity)),
        }
    }
    entities.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(pseudo: usize, keys: [&str; 3], similarity: f32) -> Near {
        let evidence = Evidence::triple("g", ["Yao", keys[1], keys[2]], keys);
        Near { pseudo, similarity, evidence }
    }

    #[test]
    fn namesakes_are_two_subjects_and_a_triple_counts_once() {
        let found = by_subject(vec![
            near(0, ["x/1", "born in", "Shanghai"], 0.8),
            near(1, ["x/1", "born in", "Shanghai"], 0.9),
            near(0, ["x/1", "team", "Rockets"], 0.5),
            near(0, ["x/2", "born in", "Lima"], 0.7),
        ]);
        let shown: Vec<(usize, f32)> = found.iter().map(|e| (e.triples.len(), e.confidence())).collect();
        assert_eq!((shown[0].0, shown[1].0), (2, 1));
        assert!((shown[0].1 - 0.7).abs() < 1e-6 && (shown[1].1 - 0.7).abs() < 1e-6);
    }

    #[test]
    fn the_nearest_of_all_sources_are_taken_together() {
        let piece = |source: &str, tail: &str| Evidence::triple(source, ["a", "b", tail], ["a", "b", tail]);
        let all = [
            (piece("one", "1"), vec![1.0, 0.0]),
            (piece("two", "2"), vec![0.9, 0.1]),
            (piece("one", "3"), vec![0.1, 0.9]),
        ];
        let found = nearest(&all, 0, &[1.0, 0.0], 2);
        let sources: Vec<&str> = found.iter().map(|near| near.evidence.source.as_str()).collect();
        assert_eq!(sources, ["one", "two"]);
    }
}
