//! How usual it is in the graph that one step follows another, and which few values a relation has.

use std::collections::HashMap;

use parking_lot::RwLock;
use quipu_graph::{Direction, Graph, GraphError, NodeId, RelationId, Step};
use quipu_index::normalise;

use crate::ledger::Memory;
use crate::plan::types::types_in_common;

/// Triples of a relation that are looked at.
const SAMPLE: usize = 200;
/// Triples of a relation whose ends' types are looked at.
const TYPED: usize = 24;
/// From this share of a step's ends on, a next step counts as usual: one in four.
const USUAL: f32 = 4.0;
/// A relation with at most so many different tails, each so many times on average, is also called by them ("male").
const MOST_VALUES: usize = 8;
const REPEATS: usize = 5;

/// What a sample of a relation's triples tells about one of its steps.
#[derive(Debug, Default, Clone)]
struct Sampled {
    /// Whether the graph gave any triple of the relation.
    known: bool,
    /// For each next step, the share of this step's ends that have it.
    next: HashMap<Step, f32>,
    /// The names of its ends, normalised, where they are few and come again and again.
    values: Vec<String>,
}

/// What samples of the graph's triples tell; taken when first asked for, then kept.
#[derive(Debug, Default)]
pub struct StepSamples {
    steps: RwLock<HashMap<Step, Sampled>>,
    /// For each relation, of what types most of its heads and most of its tails are.
    types: RwLock<HashMap<RelationId, [Option<String>; 2]>>,
}

impl Memory for StepSamples {}

impl StepSamples {
    /// Takes the samples that are still missing for `steps`.
    ///
    /// # Errors
    /// The graph's.
    pub async fn learn(&self, graph: &dyn Graph, steps: &[Step]) -> Result<(), GraphError> {
        for step in steps {
            if !self.steps.read().contains_key(step) {
                let sampled = sample(graph, *step).await?;
                self.steps.write().insert(*step, sampled);
            }
        }
        Ok(())
    }

    /// Looks up of what types the ends of `relations` are, where the graph has types and it is not known yet.
    pub(super) async fn learn_types(
        &self,
        graph: &dyn Graph,
        relations: impl IntoIterator<Item = RelationId>,
    ) {
        if graph.describe().types == 0 {
            return;
        }
        for relation in relations {
            if !self.types.read().contains_key(&relation) {
                // A graph that does not say it now says nothing of what it is about, no worse.
                let types = types_of_ends(graph, relation).await.unwrap_or_default();
                self.types.write().insert(relation, types);
            }
        }
    }

    /// Of what types most heads and most tails of a relation are, as far as it was learnt.
    pub(super) fn types(&self, relation: RelationId) -> [Option<String>; 2] {
        self.types.read().get(&relation).cloned().unwrap_or_default()
    }

    /// How usual the least usual transition of a path is: 0 is usual, -1 never seen. A path of one step is usual.
    pub(super) fn usual(&self, path: &[Step]) -> f32 {
        let steps = self.steps.read();
        let share = |pair: &[Step]| match pair {
            [a, b] => match steps.get(a) {
                // A graph that gives no samples says nothing about what is usual.
                Some(sampled) if !sampled.known => 1.0,
                sampled => sampled.and_then(|s| s.next.get(b)).map_or(0.0, |share| (share * USUAL).min(1.0)),
            },
            _ => 1.0,
        };
        path.windows(2).map(share).fold(1.0, f32::min) - 1.0
    }

    /// The few values that a step leads to.
    pub(super) fn values(&self, step: Step) -> Vec<String> {
        self.steps.read().get(&step).map(|s| s.values.clone()).unwrap_or_default()
    }
}

async fn types_of_ends(graph: &dyn Graph, relation: RelationId) -> Result<[Option<String>; 2], GraphError> {
    let (heads, tails): (Vec<_>, Vec<_>) = graph.sample_triples(relation, TYPED).await?.into_iter().unzip();
    types_in_common(graph, [&heads, &tails]).await
}

async fn sample(graph: &dyn Graph, step: Step) -> Result<Sampled, GraphError> {
    let triples = graph.sample_triples(step.relation, SAMPLE).await?;
    let end = |(head, tail): &(NodeId, NodeId)| match step.direction {
        Direction::Forward => *tail,
        Direction::Backward => *head,
    };
    let ends: Vec<NodeId> = triples.iter().map(end).collect();
    let mut next: HashMap<Step, f32> = HashMap::new();
    for used in graph.relations_of(&ends).await?.into_iter().flatten() {
        *next.entry(used.step).or_default() += 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a sample is small")]
    let all = ends.len().max(1) as f32;
    next.values_mut().for_each(|count| *count /= all);
    let mut distinct = ends.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let few = distinct.len() <= MOST_VALUES && ends.len() >= REPEATS * distinct.len();
    let mut values = Vec::new();
    if few && step.direction == Direction::Forward {
        values = graph.summaries(&distinct).await?.iter().map(|s| normalise(&s.name)).collect();
        values.retain(|value| !value.chars().all(|c| c.is_ascii_digit()));
    }
    Ok(Sampled { known: !triples.is_empty(), next, values })
}
