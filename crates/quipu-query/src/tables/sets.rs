//! Tables of entities without a type: characteristic sets (Neumann and Moerkotte 2011).

use std::collections::{BTreeSet, HashMap, HashSet};

use quipu_graph::{
    Direction, GraphError, NodeId, NodeSummary, RelationId, RelationInfo, RelationUse, iri_of_key,
};
use quipu_language::without_having;

use super::classes::VOCABULARIES;
use super::count::{Builder, Found, Relations, Targets, entity_table, title_of};
use super::names::UNNAMED;
use super::samples::{SAMPLED, ordinary};
use super::{Rows, Table, identifier};

/// The share of the smaller relation's heads that two relations of one characteristic set must have
/// in common.
const SAME_HEADS: f64 = 0.5;
/// Most heads of a relation that the graph is asked about.
const HEADS_ASKED: usize = 100;

/// A characteristic set: things with mostly the same relations.
pub(super) struct Characteristic<'a> {
    /// The title of its table.
    pub(super) title: String,
    /// The sampled things.
    pub(super) heads: HashSet<NodeId>,
    pub(super) relations: Relations<'a>,
    /// Relations that the things of other sets have too.
    pub(super) shared: Relations<'a>,
    /// Relations that lead only to its things, if its own relations do not tell all of them.
    pub(super) arriving: Relations<'a>,
    /// The IRIs of its things that no such relation tells.
    pub(super) others: Vec<String>,
}

impl<'g> Builder<'g> {
    /// The relations of things of one kind become columns of one table. A relation with several
    /// values becomes a table of links, which names both ends.
    pub(super) async fn add_characteristic_sets(&mut self) -> Result<(), GraphError> {
        let sets = match self.kinds_of_things().await? {
            Some(kinds) => kinds,
            None => self.characteristic_sets(ordinary(self.graph).collect(), true).await?,
        };
        let heads =
            sets.iter().enumerate().flat_map(|(at, set)| set.heads.iter().map(move |head| (*head, at)));
        let targets = Targets { typed: false, types: HashMap::new(), heads: heads.collect() };
        let mut links = Vec::new();
        self.add_sets(sets, &targets, &mut links);
        self.tables.extend(links);
        Ok(())
    }

    /// The sets of some relations: those with mostly the same heads. With `joins_the_first`, a
    /// relation that is sampled only in part joins the first, largest set; else the graph is asked.
    async fn characteristic_sets(
        &self,
        mut relations: Relations<'g>,
        joins_the_first: bool,
    ) -> Result<Vec<Characteristic<'g>>, GraphError> {
        let heads_of = |relation: RelationId| -> HashSet<NodeId> {
            let triples = self.samples.triples.get(&relation).map(Vec::as_slice).unwrap_or_default();
            triples.iter().map(|(head, _)| *head).collect()
        };
        let mut sets: Vec<Characteristic<'g>> = Vec::new();
        relations.sort_by(|a, b| b.1.heads.cmp(&a.1.heads).then_with(|| a.1.key.cmp(&b.1.key)));
        for (relation, info) in relations {
            let heads = heads_of(relation);
            let shared = |set: &HashSet<NodeId>| heads.iter().filter(|head| set.contains(head)).count();
            let least = heads.len().max(1) as f64 * SAME_HEADS;
            // Of heads that are in no set's sample the graph tells which relations a few have.
            let all_seen = !joins_the_first || info.triples as usize <= SAMPLED;
            let fits = sets.iter().position(|set| shared(&set.heads) as f64 >= least || !all_seen);
            let fits = match fits {
                Some(at) => Some(at),
                None => self.set_of(&heads, sets.iter().map(|set| &set.relations)).await?,
            };
            match fits.and_then(|at| sets.get_mut(at)) {
                Some(set) => {
                    set.heads.extend(heads);
                    set.relations.push((relation, info));
                }
                None => sets.push(Characteristic {
                    title: UNNAMED.into(),
                    heads,
                    relations: vec![(relation, info)],
                    shared: Vec::new(),
                    arriving: Vec::new(),
                    others: Vec::new(),
                }),
            }
        }
        Ok(sets)
    }

    /// A table for each set, in their order.
    pub(super) fn add_sets(
        &mut self,
        sets: Vec<Characteristic<'_>>,
        targets: &Targets,
        links: &mut Vec<Table>,
    ) {
        for Characteristic { title, heads, relations, shared, arriving, others } in sets {
            let id = identifier(&title, UNNAMED, &mut self.taken);
            let iris = |relations: &Relations<'_>| {
                relations.iter().map(|(_, info)| iri_of_key(&info.key).into_owned()).collect()
            };
            let source = Rows::Ends { heads: iris(&relations), tails: iris(&arriving), others };
            let rows =
                relations.iter().map(|(_, info)| info.heads).max().unwrap_or(0).max(heads.len() as u64);
            let mut table = entity_table(id, title, rows, source, self.tables.len());
            let is_its = |node: &NodeSummary| shared.is_empty() || heads.contains(&node.node);
            let mut found: Vec<Found<'_>> = relations
                .into_iter()
                .map(|(relation, info)| Found {
                    relation,
                    info,
                    triples: info.triples,
                    heads: info.heads,
                    tails: info.tails,
                    only_here: true,
                })
                .collect();
            found.extend(shared.iter().map(|(relation, info)| {
                let [triples, heads, tails] = self.samples.counts(*relation, info, [0.0; 3], is_its);
                Found { relation: *relation, info, triples, heads, tails, only_here: false }
            }));
            found.sort_by(|a, b| b.heads.cmp(&a.heads).then_with(|| a.info.key.cmp(&b.info.key)));
            self.samples.name_examples(&mut table, |node| heads.contains(&node.node));
            self.add_relations(&mut table, found, targets, is_its, links);
            self.tables.push(table);
        }
    }

    /// In a graph with types, the sets of entities without one that entities of a type lead to,
    /// each called like the relation that leads there: a price with its amount and its currency.
    pub(super) async fn sets_without_a_type(
        &self,
        heads_of: &HashMap<RelationId, BTreeSet<Option<NodeId>>>,
    ) -> Result<Vec<Characteristic<'g>>, GraphError> {
        let graph = self.graph;
        let untyped = |(relation, info): &(RelationId, &RelationInfo)| {
            let heads = heads_of.get(relation);
            let is_told = !VOCABULARIES.iter().any(|iri| iri_of_key(&info.key).starts_with(iri));
            is_told && heads.is_some_and(|heads| heads.iter().all(Option::is_none))
        };
        let sets = self.characteristic_sets(ordinary(graph).filter(untyped).collect(), false).await?;
        let mut leading: Vec<Option<&RelationInfo>> = vec![None; sets.len()];
        for (relation, info) in ordinary(graph) {
            let of_a_type = heads_of.get(&relation).is_some_and(|heads| heads.iter().any(Option::is_some));
            let tails = self.tails_without_a_type(relation);
            let Some(at) = self.set_led_to(&tails, &sets).await?.filter(|_| of_a_type) else { continue };
            if let Some(known) = leading.get_mut(at)
                && known.is_none_or(|known| info.triples > known.triples)
            {
                *known = Some(info);
            }
        }
        let named = sets.into_iter().zip(leading).filter_map(|(set, info)| {
            let title = without_having(&title_of(info?, graph)).to_owned();
            Some(Characteristic { title, ..set })
        });
        Ok(named.collect())
    }

    /// The sampled tails of a relation that are entities without a type.
    fn tails_without_a_type(&self, relation: RelationId) -> HashSet<NodeId> {
        let triples = self.samples.triples.get(&relation).map(Vec::as_slice).unwrap_or_default();
        let is_open = |node: &NodeId| {
            let summary = self.samples.nodes.get(node);
            summary.is_some_and(|node| node.literal.is_none() && node.types.is_empty())
        };
        triples.iter().map(|(_, tail)| *tail).filter(is_open).collect()
    }

    /// The set of some tails. Where the samples do not meet, the graph tells which relations a few
    /// tails have.
    async fn set_led_to(
        &self,
        tails: &HashSet<NodeId>,
        sets: &[Characteristic<'_>],
    ) -> Result<Option<usize>, GraphError> {
        if tails.is_empty() {
            return Ok(None);
        }
        let known = sets.iter().position(|set| tails.iter().any(|tail| set.heads.contains(tail)));
        match known {
            Some(at) => Ok(Some(at)),
            None => self.set_of(tails, sets.iter().map(|set| &set.relations)).await,
        }
    }

    /// The set of each sampled entity without a type; the sets' tables begin at `first`.
    pub(super) async fn heads_of_sets(
        &self,
        sets: &[Characteristic<'_>],
        first: usize,
    ) -> Result<HashMap<NodeId, usize>, GraphError> {
        let of_set =
            |(at, set): (usize, &Characteristic<'_>)| set.heads.iter().map(move |head| (*head, at)).collect();
        let numbered: Vec<Vec<(NodeId, usize)>> = (first..).zip(sets).map(of_set).collect();
        let mut heads: HashMap<NodeId, usize> = numbered.into_iter().flatten().collect();
        if sets.is_empty() {
            return Ok(heads);
        }
        for (relation, _) in ordinary(self.graph) {
            let tails = self.tails_without_a_type(relation);
            if let Some(at) = self.set_led_to(&tails, sets).await? {
                tails.into_iter().for_each(|tail| _ = heads.entry(tail).or_insert(first + at));
            }
        }
        Ok(heads)
    }

    /// The first set with a relation that most of a few heads have.
    async fn set_of<'s>(
        &self,
        heads: &HashSet<NodeId>,
        sets: impl Iterator<Item = &'s Relations<'s>>,
    ) -> Result<Option<usize>, GraphError> {
        let mut few: Vec<NodeId> = heads.iter().copied().collect();
        few.sort_unstable();
        few.truncate(HEADS_ASKED);
        let uses = self.graph.relations_of(&few).await?;
        let has = |uses: &[RelationUse], relations: &Relations<'_>| {
            uses.iter().any(|of| {
                of.step.direction == Direction::Forward
                    && relations.iter().any(|(relation, _)| *relation == of.step.relation)
            })
        };
        let least = few.len().max(1) as f64 * SAME_HEADS;
        let mut numbered = sets.enumerate();
        let fits = numbered
            .find(|(_, relations)| uses.iter().filter(|uses| has(uses, relations)).count() as f64 >= least);
        Ok(fits.map(|(at, _)| at))
    }
}
