//! Kinds of things in a graph without types, by their characteristic sets (Neumann and Moerkotte
//! 2011): the relations that each thing has, and those that lead to it. Teams, leagues and sponsors
//! all have a year of foundation, but teams have players, and sponsors sponsor.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use quipu_graph::{Direction, GraphError, NodeId, RelationId, RelationInfo, Step, iri_of_key, is_blank};

use super::count::{Builder, Relations};
use super::names::UNNAMED;
use super::samples::ordinary;
use super::sets::Characteristic;

/// Most things that are compared.
const MOST_COMPARED: usize = 2_000;
/// Most different sets of relations that are compared. Rarer ones join the nearest kind.
const MOST_DIFFERENT: usize = 400;
/// Fewest things of a kind that has relations in common with others.
const LEAST_ROWS: usize = 3;
/// Things whose relations are as alike as that are of one kind.
const ALIKE: f64 = 0.3;
/// A relation is a kind's own if it has so many things of the kind for each other thing.
const STRANGERS: usize = 10;
/// Most things of a kind that are listed, because no relation of the kind's own tells them.
const MOST_OTHERS: usize = 50;
/// A relation is typical of a kind if this share of it has the relation.
const TYPICAL: f64 = 0.5;
/// A relation is hardly known in a kind if a smaller share of it has the relation.
const RARE: f64 = 0.1;

/// Things that are of one kind so far.
#[derive(Debug, Clone)]
struct Group {
    /// Positions of the things.
    members: Vec<usize>,
    /// How many of them have each relation, by the relation's number.
    counts: BTreeMap<usize, usize>,
}

impl Group {
    fn share(&self, relation: usize) -> f64 {
        self.counts.get(&relation).map_or(0.0, |count| *count as f64 / self.members.len() as f64)
    }

    /// How alike the relations of two groups are: the weighted Jaccard index of their shares.
    fn alike(&self, other: &Self) -> f64 {
        let all: BTreeSet<usize> = self.counts.keys().chain(other.counts.keys()).copied().collect();
        let shares = all.into_iter().map(|relation| (self.share(relation), other.share(relation)));
        let (both, either) = shares
            .fold((0.0, 0.0), |(both, either), (a, b)| (both + f64::min(a, b), either + f64::max(a, b)));
        both / f64::max(either, f64::MIN_POSITIVE)
    }

    /// Whether a relation is typical of this group and hardly known in another.
    fn has_its_own(&self, other: &Self) -> bool {
        self.counts.keys().any(|relation| self.share(*relation) >= TYPICAL && other.share(*relation) < RARE)
    }

    fn join(&mut self, other: Self) {
        self.members.extend(other.members);
        for (relation, count) in other.counts {
            *self.counts.entry(relation).or_default() += count;
        }
    }
}

/// How well two groups go together; `None` if they are of different kinds: each has a typical
/// relation that the other lacks, and they have little in common.
fn fit(a: &Group, b: &Group) -> Option<f64> {
    let alike = a.alike(b);
    let differ = alike < ALIKE && a.has_its_own(b) && b.has_its_own(a);
    (alike > 0.0 && !differ).then_some(alike)
}

/// The groups of things with alike relations, the largest first: the most alike ones are joined
/// first. `of` holds the numbers of the relations of each thing.
fn groups(of: &[BTreeSet<usize>]) -> Vec<Group> {
    let mut same: BTreeMap<&BTreeSet<usize>, Vec<usize>> = BTreeMap::new();
    for (at, relations) in of.iter().enumerate() {
        same.entry(relations).or_default().push(at);
    }
    let group = |(relations, members): (&BTreeSet<usize>, Vec<usize>)| {
        let counts = relations.iter().map(|relation| (*relation, members.len())).collect();
        Group { members, counts }
    };
    let mut groups: Vec<Group> = same.into_iter().map(group).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.members.len()));
    let rare = groups.split_off(groups.len().min(MOST_DIFFERENT));
    let mut fits: Vec<Vec<Option<f64>>> =
        groups.iter().map(|a| groups.iter().map(|b| fit(a, b)).collect()).collect();
    let best = |fits: &[Vec<Option<f64>>]| {
        let pairs = fits.iter().enumerate().flat_map(|(a, of)| {
            of.iter().enumerate().take(a).filter_map(move |(b, fit)| Some(((*fit)?, a, b)))
        });
        pairs.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| (b.1, b.2).cmp(&(a.1, a.2))))
    };
    while let Some((_, a, b)) = best(&fits) {
        join(&mut groups, b, a);
        fits.remove(a);
        fits.iter_mut().for_each(|of| _ = of.remove(a));
        for other in (0..groups.len()).filter(|other| *other != b) {
            let (Some(joined), Some(of)) = (groups.get(b), groups.get(other)) else { continue };
            let fit = fit(joined, of);
            for (row, column) in [(b, other), (other, b)] {
                if let Some(cell) = fits.get_mut(row).and_then(|of| of.get_mut(column)) {
                    *cell = fit;
                }
            }
        }
    }
    for group in rare {
        join_the_nearest(&mut groups, group);
    }
    groups.sort_by_key(|group| (std::cmp::Reverse(group.members.len()), group.members.iter().min().copied()));
    groups
}

/// Joins a group to one that stands before it.
fn join(groups: &mut Vec<Group>, into: usize, other: usize) {
    let other = groups.remove(other);
    if let Some(group) = groups.get_mut(into) {
        group.join(other);
    }
}

/// Joins a group to the one that it is most alike to.
fn join_the_nearest(groups: &mut [Group], group: Group) {
    let nearest = groups.iter_mut().max_by(|a, b| group.alike(a).total_cmp(&group.alike(b)));
    if let Some(nearest) = nearest {
        nearest.join(group);
    }
}

/// The compared things of a graph and their groups.
struct Compared {
    things: Vec<NodeId>,
    /// The numbers of the relations of each thing, in both directions.
    of: Vec<BTreeSet<usize>>,
    numbers: HashMap<Step, usize>,
    groups: Vec<Group>,
}

/// What tells the rows of a kind: relations that only its things have, and relations that lead to
/// nothing else, by their numbers.
#[derive(Debug, Default)]
struct Ends {
    heads: Vec<(RelationId, usize)>,
    tails: Vec<(RelationId, usize)>,
}

impl Ends {
    /// The things of a group that have none of them.
    fn untold(&self, group: &Group, of: &[BTreeSet<usize>]) -> Vec<usize> {
        let numbers = || self.heads.iter().chain(&self.tails).map(|(_, number)| number);
        let has_one = |at: &usize| of.get(*at).is_some_and(|of| numbers().any(|number| of.contains(number)));
        group.members.iter().copied().filter(|at| !has_one(at)).collect()
    }
}

impl<'g> Builder<'g> {
    /// The kinds of things of a graph without types, the largest first. Each is told by relations
    /// of its own, which all but a few of its things have; else it joins the kind that it is most
    /// like.
    /// `None` for a graph with more than a sample shows.
    pub(super) async fn kinds_of_things(&self) -> Result<Option<Vec<Characteristic<'g>>>, GraphError> {
        let Some(mut compared) = self.compared().await? else { return Ok(None) };
        let ends = loop {
            let ends: Vec<Ends> = (0..compared.groups.len()).map(|at| self.ends(at, &compared)).collect();
            let is_told = |(at, ends): (usize, &Ends)| {
                let Some(group) = compared.groups.get(at) else { return true };
                let untold = ends.untold(group, &compared.of);
                // No query can name a blank node.
                let is_named = |at: &usize| {
                    let node = compared.things.get(*at).and_then(|node| self.samples.nodes.get(node));
                    node.is_some_and(|node| !is_blank(&node.key))
                };
                let few = untold.len() <= MOST_OTHERS && untold.iter().all(is_named);
                let others = || compared.groups.iter().enumerate().filter(|(other, _)| *other != at);
                let is_apart = || others().all(|(_, other)| group.alike(other) == 0.0);
                few && (group.members.len() >= LEAST_ROWS || is_apart())
            };
            let untold = ends.iter().enumerate().rposition(|of| !is_told(of));
            match untold.filter(|_| compared.groups.len() > 1) {
                Some(at) => {
                    let group = compared.groups.remove(at);
                    join_the_nearest(&mut compared.groups, group);
                }
                None => break ends,
            }
            compared.groups.sort_by_key(|group| std::cmp::Reverse(group.members.len()));
        };
        let relations: HashMap<RelationId, &'g RelationInfo> = ordinary(self.graph).collect();
        let mut kinds: Vec<Characteristic<'g>> = Vec::new();
        for (group, ends) in compared.groups.iter().zip(ends) {
            let has = |relation: &RelationId| {
                let step = Step { relation: *relation, direction: Direction::Forward };
                let number = compared.numbers.get(&step).filter(|number| group.counts.contains_key(number));
                // A port that is a ship too has the relations of ships among the ships.
                number.is_some_and(|number| {
                    group.share(*number) >= RARE
                        || compared.groups.iter().all(|of| of.share(*number) < TYPICAL)
                })
            };
            let is_own = |relation: &RelationId| ends.heads.iter().any(|(own, _)| own == relation);
            let mut of_kind: Relations<'g> =
                ordinary(self.graph).filter(|(relation, _)| has(relation)).collect();
            of_kind.sort_by(|a, b| b.1.heads.cmp(&a.1.heads).then_with(|| a.1.key.cmp(&b.1.key)));
            let (own, shared) = of_kind.into_iter().partition(|(relation, _)| is_own(relation));
            let tails =
                ends.tails.iter().filter_map(|(relation, _)| Some((*relation, *relations.get(relation)?)));
            let untold =
                ends.untold(group, &compared.of).into_iter().filter_map(|at| compared.things.get(at));
            let keys = untold.filter_map(|node| self.samples.nodes.get(node)).map(|node| &node.key);
            kinds.push(Characteristic {
                title: UNNAMED.into(),
                others: keys.map(|key| iri_of_key(key).into_owned()).collect(),
                heads: group.members.iter().filter_map(|at| compared.things.get(*at)).copied().collect(),
                relations: own,
                shared,
                arriving: tails.collect(),
            });
        }
        Ok(Some(kinds))
    }

    /// All things and their groups; `None` if they are too many, or if not all triples are sampled.
    async fn compared(&self) -> Result<Option<Compared>, GraphError> {
        let mut things: BTreeSet<NodeId> = BTreeSet::new();
        for (relation, info) in ordinary(self.graph) {
            let triples = self.samples.triples.get(&relation).map(Vec::as_slice).unwrap_or_default();
            things.extend(triples.iter().map(|(head, _)| *head));
            if (triples.len() as u64) < info.triples || things.len() > MOST_COMPARED {
                return Ok(None);
            }
        }
        let things: Vec<NodeId> = things.into_iter().collect();
        let known: HashSet<RelationId> = ordinary(self.graph).map(|(relation, _)| relation).collect();
        let mut numbers: HashMap<Step, usize> = HashMap::new();
        let mut of = Vec::with_capacity(things.len());
        for uses in self.graph.relations_of(&things).await? {
            let mut numbered = BTreeSet::new();
            for step in uses.iter().map(|of| of.step).filter(|step| known.contains(&step.relation)) {
                let next = numbers.len();
                numbered.insert(*numbers.entry(step).or_insert(next));
            }
            // An endpoint tells nothing of a blank node.
            if numbered.is_empty() {
                return Ok(None);
            }
            of.push(numbered);
        }
        let groups = groups(&of);
        Ok(Some(Compared { things, of, numbers, groups }))
    }

    /// What tells the things of a group.
    fn ends(&self, at: usize, compared: &Compared) -> Ends {
        let mut ends = Ends::default();
        let Some(group) = compared.groups.get(at) else { return ends };
        let others =
            || compared.groups.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, of)| of);
        // Where names are keys, a port and a ship may be one thing with the relations of both.
        let is_own = |number: &usize| {
            let Some(own) = group.counts.get(number) else { return false };
            let strange: usize = others().filter_map(|other| other.counts.get(number)).sum();
            strange <= own / STRANGERS
        };
        let own = |direction: Direction| {
            let of = compared.numbers.iter().filter(move |(step, _)| step.direction == direction);
            let mut own: Vec<(RelationId, usize)> = of
                .filter(|(_, number)| is_own(number))
                .map(|(step, number)| (step.relation, *number))
                .collect();
            own.sort_unstable();
            own
        };
        ends.heads = own(Direction::Forward);
        if !ends.untold(group, &compared.of).is_empty() {
            let members: HashSet<NodeId> =
                group.members.iter().filter_map(|at| compared.things.get(*at)).copied().collect();
            // A relation may lead to things of which nothing is stated, too.
            let leads_here = |(relation, _): &(RelationId, usize)| {
                let triples = self.samples.triples.get(relation).map(Vec::as_slice).unwrap_or_default();
                let tails: BTreeSet<NodeId> = triples.iter().map(|(_, tail)| *tail).collect();
                let strange = tails.iter().filter(|tail| !members.contains(tail)).count();
                strange <= (tails.len() - strange) / STRANGERS
            };
            ends.tails = own(Direction::Backward).into_iter().filter(leads_here).collect();
        }
        ends
    }
}
