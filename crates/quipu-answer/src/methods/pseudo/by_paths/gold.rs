//! The gold graph: two-step pruning of the triples found (§3.2.1), in the best order for the model
//! (§3.2.2).

use std::collections::{BTreeMap, HashMap, HashSet};

use quipu_language::normalise;
use quipu_query::PseudoGraph;
use quipu_stages::answer::{Event, Evidence, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::retrieve::latest_within_budget;

use super::super::order::in_order;
use super::PseudoConfig;
use super::hits::Hit;
use super::query::{Found, Marked};

/// The sources' evidence about the pseudo-graph's entities.
pub(super) struct Gold {
    /// The triples; those of the entity most similar to the pseudo-graph come last, nearest to it
    /// in the prompt.
    pub evidence: Vec<Evidence>,
    /// For each pseudo-triple, the id and the similarity of the most similar triple.
    pub nearest: HashMap<usize, (String, f32)>,
    /// Ids of the triples along each pseudo-triple that was followed.
    pub followed: HashMap<usize, Vec<String>>,
    /// The triple around the question's entities that is most similar to the question itself.
    pub asked: Option<String>,
    /// The entities of the node that the question asks for.
    pub answer: Option<Marked>,
    /// Pieces that did not fit the prompt.
    pub left_out: usize,
}

/// An entity with the triples found about it.
#[derive(Default)]
struct Entity {
    name: String,
    pieces: Vec<(Evidence, f32)>,
    /// The best similarity to each pseudo-triple, and to each one that the entity is an end of.
    best: BTreeMap<usize, f32>,
    own: BTreeMap<usize, f32>,
    asked: bool,
    meant: bool,
    stands_for: Option<usize>,
}

impl Entity {
    /// The mean of the best similarities to the pseudo-triples that it belongs to. The paper takes
    /// the mean over all its triples among the nearest ten, which punishes an entity with more
    /// triples.
    fn confidence(&self) -> f32 {
        let of_pseudo = if self.own.is_empty() { &self.best } else { &self.own };
        #[expect(clippy::cast_precision_loss, reason = "a handful")]
        let count = of_pseudo.len() as f32;
        if of_pseudo.is_empty() { 0.0 } else { of_pseudo.values().sum::<f32>() / count }
    }
}

/// Keeps first the k entities with the most hits, k being the number of pseudo-subjects, then those
/// with enough similarity. Both steps keep the entities reached by following the pseudo-graph, and
/// those that the question surely names. Entities that the pseudo-graph leads to rank before those
/// that merely sound alike. Entities of one name in several sources are one entity.
pub(super) fn prune(context: &Context<'_>, graph: &PseudoGraph, found: Found, config: &PseudoConfig) -> Gold {
    let Found { hits, followed, answer } = found;
    let subjects: HashSet<usize> = graph.triples.iter().map(|triple| triple.head).collect();
    let nearest = nearest_of_each(&hits);
    let by_question = hits.iter().filter(|hit| hit.pseudo.is_none() && hit.asked);
    let asked_for =
        by_question.max_by(|a, b| a.similarity.total_cmp(&b.similarity)).map(|hit| hit.evidence.id.clone());
    let mut entities = gathered(hits);
    let found = entities.len();
    entities.sort_by(|a, b| {
        let key = |entity: &Entity| (entity.asked, entity.meant, entity.pieces.len());
        key(b).cmp(&key(a)).then(b.confidence().total_cmp(&a.confidence()))
    });
    let asked = entities.iter().filter(|entity| entity.asked).count();
    let mut most = subjects.len().max(asked).max(1);
    entities.retain(|entity| {
        // Entities reached by following the pseudo-graph are all kept, however many they are.
        let counts = entity.stands_for.is_none();
        let kept = !counts || most > 0;
        most -= usize::from(counts && kept);
        kept
    });
    entities.retain(|entity| {
        entity.asked || entity.stands_for.is_some() || entity.confidence() >= config.least_similarity
    });
    entities.sort_by(|a, b| a.confidence().total_cmp(&b.confidence()));
    let kept = entities.iter().map(|e| format!("{} ({:.2})", e.name, e.confidence())).collect();
    let dropped = found - entities.len();
    context.trace.report(Stage::Prune, Event::Filtered { hop: 0, kept, dropped, by: "similarity".into() });
    let evidence: Vec<Evidence> = entities.into_iter().flat_map(|entity| in_order(entity.pieces)).collect();
    let mut seen = HashSet::new();
    let evidence = evidence.into_iter().filter(|piece| seen.insert(piece.id.clone())).collect();
    let (evidence, left_out) = latest_within_budget(context, evidence);
    Gold { evidence, nearest, followed, asked: asked_for, answer, left_out }
}

fn nearest_of_each(hits: &[Hit]) -> HashMap<usize, (String, f32)> {
    let mut nearest: HashMap<usize, (String, f32)> = HashMap::new();
    for hit in hits {
        let Some(at) = hit.pseudo else { continue };
        let better = nearest.get(&at).is_none_or(|(_, similarity)| *similarity < hit.similarity);
        if better {
            nearest.insert(at, (hit.evidence.id.clone(), hit.similarity));
        }
    }
    nearest
}

fn gathered(hits: Vec<Hit>) -> Vec<Entity> {
    let mut entities: BTreeMap<String, Entity> = BTreeMap::new();
    for hit in hits {
        let entity = entities.entry(normalise(&hit.subject)).or_default();
        entity.name.clone_from(&hit.subject);
        entity.asked |= hit.asked;
        entity.meant |= hit.meant;
        entity.stands_for = entity.stands_for.or(hit.stands_for);
        if let Some(at) = hit.pseudo {
            let best = entity.best.entry(at).or_insert(hit.similarity);
            *best = best.max(hit.similarity);
            if hit.meant {
                let own = entity.own.entry(at).or_insert(hit.similarity);
                *own = own.max(hit.similarity);
            }
        }
        match entity.pieces.iter_mut().find(|(piece, _)| piece.id == hit.evidence.id) {
            Some((_, similarity)) => *similarity = similarity.max(hit.similarity),
            None => entity.pieces.push((hit.evidence, hit.similarity)),
        }
    }
    entities.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entity_is_judged_by_the_pseudo_triples_that_it_is_an_end_of() {
        let mut entity = Entity { best: BTreeMap::from([(0, 0.9), (1, 0.5)]), ..Entity::default() };
        assert!((entity.confidence() - 0.7).abs() < 1e-6);
        entity.own.insert(0, 0.9);
        assert!((entity.confidence() - 0.9).abs() < 1e-6);
        assert_eq!(Entity::default().confidence(), 0.0);
    }
}
