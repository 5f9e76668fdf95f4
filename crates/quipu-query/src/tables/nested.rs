//! Classes of one another's entities that no `rdfs:subClassOf` relates: in an extract of DBpedia a
//! city is a place and a populated place too, and each of these would repeat its table.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use quipu_graph::{NodeId, NodeSummary, RelationId};

use super::samples::{SAMPLED, Samples};
use super::words_of;

/// A class's entities are known by so many samples, or by half of them.
const ENOUGH: u64 = 20;
/// A relation leads to a class if more than this share of its sampled tails are of the class.
const MOSTLY: f64 = 0.5;

/// What the sampled entities say of classes.
#[derive(Default)]
pub(super) struct Nested {
    /// Classes of the same entities as another, and those within another of the same name.
    pub(super) repeated: HashSet<NodeId>,
    /// The classes that all entities of a class are of too, where the graph does not say so.
    pub(super) above: BTreeMap<NodeId, BTreeSet<NodeId>>,
    /// Classes above others, each of whose entities is of a narrower class. No relation needs them.
    covered: HashSet<NodeId>,
    /// The relations of the entities that are of no narrower class.
    own: HashMap<NodeId, HashSet<RelationId>>,
}

impl Nested {
    /// Compares the classes of sampled entities. `entities` counts each class's; `depth` tells how
    /// many classes the graph states above one.
    pub(super) fn read(
        samples: &Samples,
        entities: &HashMap<NodeId, u64>,
        classes: &BTreeMap<NodeId, &NodeSummary>,
        depth: impl Fn(NodeId) -> usize,
    ) -> Self {
        let mut seen: HashMap<NodeId, u64> = HashMap::new();
        let mut both: BTreeMap<(NodeId, NodeId), u64> = BTreeMap::new();
        for entity in samples.nodes.values() {
            let of: BTreeSet<NodeId> =
                entity.types.iter().copied().filter(|class| classes.contains_key(class)).collect();
            for class in &of {
                *seen.entry(*class).or_default() += 1;
                for other in of.iter().filter(|other| *other != class) {
                    *both.entry((*class, *other)).or_default() += 1;
                }
            }
        }
        let all = |class: &NodeId| entities.get(class).copied().unwrap_or(0);
        let known = |class: &NodeId, seen: u64| seen >= ENOUGH || seen * 2 >= all(class);
        let is_within = |(class, _): &(NodeId, NodeId), shared: u64| {
            seen.get(class).is_some_and(|seen| *seen == shared && known(class, *seen))
        };
        let within: HashSet<(NodeId, NodeId)> = both
            .into_iter()
            .filter(|(pair, shared)| is_within(pair, *shared))
            .map(|(pair, _)| pair)
            .collect();
        let mut nested = Self::default();
        let title = |class: &NodeId| classes.get(class).map(|of| words_of(&of.name)).unwrap_or_default();
        for (class, wider) in &within {
            if all(class) < all(wider) && title(class) == title(wider) {
                nested.repeated.insert(*class);
            }
        }
        // Of classes of the same entities the deepest stays, then one with a name in words, then
        // one that the graph itself describes, then the one with the shortest name.
        let mut order: Vec<NodeId> = classes.keys().copied().collect();
        order.sort_by_key(|class| {
            let (name, key) =
                classes.get(class).map(|of| (of.name.clone(), of.key.clone())).unwrap_or_default();
            let is_code = name.chars().any(|c| c.is_ascii_digit());
            let is_foreign = classes.get(class).is_none_or(|of| of.types.is_empty());
            (usize::MAX - depth(*class), is_code, is_foreign, name.chars().count(), key)
        });
        for (at, class) in order.iter().enumerate() {
            for other in order.iter().skip(at + 1) {
                let is_same = within.contains(&(*class, *other))
                    && within.contains(&(*other, *class))
                    && all(class) == all(other);
                if is_same && !nested.repeated.contains(class) {
                    nested.repeated.insert(*other);
                }
            }
        }
        let stays = |class: &NodeId| !nested.repeated.contains(class);
        for (class, wider) in within.iter().filter(|(class, wider)| all(class) < all(wider)) {
            if stays(class) && stays(wider) {
                nested.above.entry(*class).or_default().insert(*wider);
            }
        }
        nested.find_own(samples, all);
        nested.keep_needed(samples, classes, all);
        nested
    }

    /// The narrower classes of each class.
    fn below(&self) -> BTreeMap<NodeId, BTreeSet<NodeId>> {
        let mut below: BTreeMap<NodeId, BTreeSet<NodeId>> = BTreeMap::new();
        for (class, wider) in &self.above {
            wider.iter().for_each(|wider| _ = below.entry(*wider).or_default().insert(*class));
        }
        below
    }

    /// Finds the wide classes with entities of their own, and the relations of these.
    fn find_own(&mut self, samples: &Samples, all: impl Fn(&NodeId) -> u64) {
        for (wider, below) in self.below() {
            let is_own = |node: &NodeSummary| {
                node.types.contains(&wider) && !node.types.iter().any(|class| below.contains(class))
            };
            let own: HashSet<NodeId> =
                samples.nodes.values().filter(|node| is_own(node)).map(|node| node.node).collect();
            let narrower: u64 = below.iter().map(&all).sum();
            if own.is_empty() && narrower >= all(&wider) {
                self.covered.insert(wider);
                continue;
            }
            // A relation that is sampled in part may have others of them.
            let has_own = |triples: &Vec<(NodeId, NodeId)>| {
                triples.len() >= SAMPLED || triples.iter().any(|(head, _)| own.contains(head))
            };
            let relations = samples.triples.iter().filter(|(_, triples)| has_own(triples));
            self.own.insert(wider, relations.map(|(relation, _)| *relation).collect());
        }
    }

    /// Keeps the covered classes that a relation leads to: whoever is born in a city and in a
    /// country is born in a place.
    fn keep_needed(
        &mut self,
        samples: &Samples,
        classes: &BTreeMap<NodeId, &NodeSummary>,
        all: impl Fn(&NodeId) -> u64,
    ) {
        let mut needed = HashSet::new();
        for triples in samples.triples.values() {
            let tails: Vec<&NodeSummary> =
                triples.iter().filter_map(|(_, tail)| samples.nodes.get(tail)).collect();
            let mut shares: BTreeMap<NodeId, f64> = BTreeMap::new();
            for class in tails.iter().flat_map(|tail| &tail.types) {
                if classes.contains_key(class) && !self.repeated.contains(class) {
                    *shares.entry(*class).or_default() += 1.0 / tails.len() as f64;
                }
            }
            let mut led_to: Vec<NodeId> =
                shares.into_iter().filter(|(_, share)| *share > MOSTLY).map(|(class, _)| class).collect();
            if led_to.iter().all(|class| self.covered.contains(class)) {
                led_to.sort_by_key(|class| (all(class), *class));
                needed.extend(led_to.first().copied());
            }
        }
        self.covered.retain(|class| !needed.contains(class));
    }

    /// Whether each entity of a class is of a narrower class, and no relation needs the wide one.
    pub(super) fn is_covered(&self, class: NodeId) -> bool {
        self.covered.contains(&class)
    }

    /// The relations of a wide class's own entities; `None` for other classes.
    pub(super) fn own_relations(&self, class: NodeId) -> Option<&HashSet<RelationId>> {
        self.own.get(&class)
    }
}
