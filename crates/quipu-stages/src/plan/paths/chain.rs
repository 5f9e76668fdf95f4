//! Samples the graph for how often one step follows another, and for relations with only a few
//! different values.

use std::collections::HashMap;

use parking_lot::RwLock;
use quipu_graph::{Direction, Graph, GraphError, NodeId, RelationId, Step};
use quipu_language::normalise;

use crate::ledger::Memory;
use crate::plan::types::types_in_common;

/// Triples sampled of each relation.
const SAMPLE: usize = 200;
/// Triples sampled of each relation for the types of its ends.
const TYPED: usize = 24;
/// Scales the share of ends that have the next step: from one in four on, the step is usual.
const USUAL: f32 = 4.0;
/// From this share of a step's ends on, most of them lead on.
const MOST: f32 = 0.8;
/// A relation with at most this many different tails, each repeated this often on average, is also
/// called by its tails ("male").
const MOST_VALUES: usize = 8;
const REPEATS: usize = 5;

/// Statistics of one step, from a sample of its relation's triples.
#[derive(Debug, Default, Clone)]
struct Sampled {
    /// Whether the graph gave any triple of the relation.
    known: bool,
    /// For each next step, the share of this step's ends that have it.
    next: HashMap<Step, f32>,
    /// The normalised names of its ends, if they are few and repeat often.
    values: Vec<String>,
}

/// Samples of the graph's triples: taken on first use, then kept.
#[derive(Debug, Default)]
pub struct StepSamples {
    steps: RwLock<HashMap<Step, Sampled>>,
    /// For each relation, the type of most heads and the type of most tails.
    types: RwLock<HashMap<RelationId, [Option<String>; 2]>>,
}

impl Memory for StepSamples {}

impl StepSamples {
    /// Takes the missing samples for `steps`.
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

    /// Looks up the types of the ends of `relations`, if the graph has types and they are not known
    /// yet.
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
                // If the graph cannot be read, the relation counts as having no types from then
                // on. The ranking lacks one hint, but the question is still answered.
                let types = types_of_ends(graph, relation).await.unwrap_or_default();
                self.types.write().insert(relation, types);
            }
        }
    }

    /// The type of most heads and of most tails of a relation, as far as known.
    pub(super) fn types(&self, relation: RelationId) -> [Option<String>; 2] {
        self.types.read().get(&relation).cloned().unwrap_or_default()
    }

    /// How usual the rarest transition of a path is: 0 is usual, -1 was never seen. A path of one
    /// step is usual.
    pub(super) fn usual(&self, path: &[Step]) -> f32 {
        let steps = self.steps.read();
        let share = |pair: &[Step]| match pair {
            [a, b] => match steps.get(a) {
                // Without a sample, every transition counts as usual.
                Some(sampled) if !sampled.known => 1.0,
                sampled => sampled.and_then(|s| s.next.get(b)).map_or(0.0, |share| (share * USUAL).min(1.0)),
            },
            _ => 1.0,
        };
        path.windows(2).map(share).fold(1.0, f32::min) - 1.0
    }

    /// Whether two steps lead to the same things: most ends of each can go back along the other.
    pub(super) fn lead_to_the_same(&self, one: Step, other: Step) -> bool {
        let steps = self.steps.read();
        let goes_on = |from: &Step, to: Step| {
            steps.get(from).and_then(|sampled| sampled.next.get(&to)).is_some_and(|share| *share >= MOST)
        };
        goes_on(&one, other.reversed()) && goes_on(&other, one.reversed())
    }

    /// The few values that a step leads to, if it has only a few.
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
