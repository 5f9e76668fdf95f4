//! Names, types and descriptions of nodes, from the harvest or by a query.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures::future::{BoxFuture, try_join_all};

use super::client::Ask;
use super::graph::EndpointGraph;
use super::known::Facts;
use super::query;
use super::results::Rows;
use super::split::may_split;
use super::terms::Term;
use crate::error::EndpointProblem;
use crate::store::language_rank;
use crate::{GraphError, NodeId, RelationId, RelationRole, iri_of_key, key_of_iri};

const STAGE: &str = "reading names and types";

/// One statement about a node: which relation, which value.
type Statement = (RelationId, Term);

impl EndpointGraph {
    /// The facts of nodes, in their order.
    pub(super) async fn facts(&self, nodes: &[NodeId]) -> Result<Vec<Arc<Facts>>, GraphError> {
        let mut known: HashMap<NodeId, Arc<Facts>> = HashMap::new();
        let (mut asked, mut seen) = (Vec::new(), HashSet::new());
        for node in nodes {
            if !seen.insert(*node) {
                continue;
            }
            let term = self.terms.get(*node)?;
            let here = match self.facts.get(node) {
                None => self.facts_at_hand(&term)?.map(Arc::new),
                found => found,
            };
            match here {
                Some(facts) => drop(known.insert(*node, facts)),
                None => asked.push((*node, term)),
            }
        }
        for (node, facts) in self.ask_facts(&asked).await? {
            let facts = Arc::new(facts);
            self.facts.put(node, facts.clone());
            known.insert(node, facts);
        }
        Ok(nodes.iter().filter_map(|node| known.get(node).cloned()).collect())
    }

    /// The facts of a node that need no query: a literal, a harvested entity, a node that no query
    /// can name. Also every node, if the graph has no relations for names, types or descriptions.
    fn facts_at_hand(&self, term: &Term) -> Result<Option<Facts>, GraphError> {
        let bare = || Facts { name: term.readable().into_owned(), ..Facts::default() };
        let Term::Entity(key) = term else { return Ok(Some(bare())) };
        if let (Some(names), Some(node)) = (&self.names, self.stored(key)?) {
            let mut facts = bare();
            facts.name = names.name(node)?.into_owned();
            facts.aliases = names.aliases(node)?.into_iter().map(Cow::into_owned).collect();
            facts.description = names.description_of(node)?.map(str::to_owned);
            for kind in names.types(node)? {
                facts.types.push(self.node_of_key(&key_of_iri(&names.key(kind)?)));
            }
            return Ok(Some(facts));
        }
        let stated = self.relations_of_roles(&FACTS).next().is_some();
        Ok((!stated || term.to_sparql().is_none()).then(bare))
    }

    /// The harvested node of a key.
    pub(super) fn stored(&self, key: &str) -> Result<Option<NodeId>, GraphError> {
        self.names.as_ref().map_or(Ok(None), |names| names.find(&iri_of_key(key)))
    }

    /// The harvested degree of a key.
    pub(super) fn stored_degree(&self, key: &str) -> Result<Option<u64>, GraphError> {
        let (Some(names), Some(relation), Some(node)) = (&self.names, self.degree, self.stored(key)?) else {
            return Ok(None);
        };
        let step = crate::Step { relation, direction: crate::Direction::Forward };
        let Some(degree) = names.neighbours(node, step)?.iter().next() else { return Ok(None) };
        Ok(names.key(degree)?.parse().ok())
    }

    fn relations_of_roles<'a>(
        &'a self,
        roles: &'a [RelationRole],
    ) -> impl Iterator<Item = (RelationId, &'a String)> + 'a {
        let numbered = (0..).map(RelationId).zip(&self.ways);
        numbered
            .filter(move |(relation, _)| self.info(*relation).is_some_and(|info| roles.contains(&info.role)))
            .map(|(relation, (first, _))| (relation, first))
    }

    async fn ask_facts(&self, nodes: &[(NodeId, Arc<Term>)]) -> Result<Vec<(NodeId, Facts)>, GraphError> {
        if nodes.is_empty() {
            return Ok(Vec::new());
        }
        let relations: Vec<String> = self.relations_of_roles(&FACTS).map(|(_, iri)| iri.clone()).collect();
        let labels: Vec<String> =
            self.relations_of_roles(&[RelationRole::Label]).map(|(_, iri)| iri.clone()).collect();
        let mut stated = self.statements(nodes, &relations, true).await?;
        // An entity without a name in a preferred language may have one in another.
        let is_label =
            |relation: RelationId| self.info(relation).is_some_and(|info| info.role == RelationRole::Label);
        let named = |node: &NodeId| {
            stated
                .get(node)
                .is_some_and(|list: &Vec<Statement>| list.iter().any(|(relation, _)| is_label(*relation)))
        };
        let unnamed: Vec<(NodeId, Arc<Term>)> =
            nodes.iter().filter(|(node, _)| !named(node)).cloned().collect();
        if !labels.is_empty() && !unnamed.is_empty() {
            for (node, list) in self.statements(&unnamed, &labels, false).await? {
                stated.entry(node).or_default().extend(list);
            }
        }
        let facts_of = |(node, term): &(NodeId, Arc<Term>)| {
            let stated = stated.get(node).map(Vec::as_slice).unwrap_or_default();
            (*node, self.facts_of(term, stated))
        };
        Ok(nodes.iter().map(facts_of).collect())
    }

    async fn statements(
        &self,
        nodes: &[(NodeId, Arc<Term>)],
        relations: &[String],
        preferred: bool,
    ) -> Result<HashMap<NodeId, Vec<Statement>>, GraphError> {
        let batches =
            nodes.chunks(self.config().batch).map(|batch| self.ask_batch(batch, relations, preferred));
        let mut stated: HashMap<NodeId, Vec<Statement>> = HashMap::new();
        for row in try_join_all(batches).await?.into_iter().flat_map(|rows| rows.rows) {
            if let Ok([Some(node), Some(relation), Some(value)]) = <[Option<Term>; 3]>::try_from(row)
                && let Some(relation) = self.relation_of(&relation, None)
            {
                stated.entry(self.terms.intern(&node)).or_default().push((relation, value));
            }
        }
        Ok(stated)
    }

    fn ask_batch<'a>(
        &'a self,
        batch: &'a [(NodeId, Arc<Term>)],
        relations: &'a [String],
        preferred: bool,
    ) -> BoxFuture<'a, Result<Rows, GraphError>> {
        Box::pin(async move {
            let nodes: Vec<String> = batch.iter().filter_map(|(_, term)| term.to_sparql()).collect();
            let languages = preferred.then_some(self.config().languages.as_slice());
            let ask = Ask::new(STAGE, query::facts(&nodes, relations, languages));
            let outcome = self.client.select(&ask, &["n", "p", "o"]).await;
            if may_split(&outcome) && batch.len() > 1 {
                let (left, right) = batch.split_at(batch.len() / 2);
                let (mut left, right) = futures::try_join!(
                    self.ask_batch(left, relations, preferred),
                    self.ask_batch(right, relations, preferred)
                )?;
                left.rows.extend(right.rows);
                return Ok(left);
            }
            let rows = outcome?;
            if rows.cut && preferred {
                let found = rows.rows.len() as u64;
                let problem = EndpointProblem::Incomplete { expected: found + 1, found };
                return Err(self.client.error(STAGE, problem));
            }
            Ok(rows)
        })
    }

    /// Chooses a name like an import does: by language, then by relation, then by node.
    fn facts_of(&self, term: &Term, stated: &[Statement]) -> Facts {
        let languages = &self.config().languages;
        let mut stated: Vec<(RelationId, NodeId, RelationRole, usize, &Term)> = stated
            .iter()
            .filter_map(|(relation, value)| {
                let key = &self.info(*relation)?.key;
                let (role, rank) = self.catalogue.profile.role(key);
                Some((*relation, self.terms.intern(value), role, rank, value))
            })
            .collect();
        stated.sort_unstable_by_key(|(relation, node, ..)| (*relation, *node));
        stated.dedup_by_key(|(relation, node, ..)| (*relation, *node));
        let language = |value: &Term| match value.is_literal() {
            true => language_rank(languages, value.kind()),
            false => languages.len(),
        };
        let label = stated
            .iter()
            .filter(|(_, _, role, ..)| *role == RelationRole::Label)
            .min_by_key(|(_, node, _, rank, value)| (language(value), *rank, *node));
        let mut facts = Facts {
            name: label
                .map_or_else(|| term.readable().into_owned(), |(.., value)| value.readable().into_owned()),
            ..Facts::default()
        };
        let mut described: Option<(usize, &str)> = None;
        let mut seen: HashSet<String> = HashSet::new();
        for (_, node, role, _, value) in &stated {
            let rank = language(value);
            match role {
                RelationRole::Type => facts.types.push(*node),
                RelationRole::Description
                    if value.is_literal() && described.is_none_or(|(best, _)| rank < best) =>
                {
                    described = Some((rank, value.key()));
                }
                RelationRole::Label | RelationRole::Alias if rank <= languages.len() => {
                    let name = value.readable().into_owned();
                    if name != facts.name && seen.insert(name.clone()) {
                        facts.aliases.push(name);
                    }
                }
                _ => {}
            }
        }
        facts.description = described.map(|(_, text)| text.to_owned());
        facts
    }
}

const FACTS: [RelationRole; 4] =
    [RelationRole::Label, RelationRole::Alias, RelationRole::Type, RelationRole::Description];
