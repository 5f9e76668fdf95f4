//! The joined graph as a [`Graph`]: each call goes to the sources that hold its nodes, and their
//! answers are merged.

use std::collections::{BTreeMap, HashMap, HashSet};

use async_trait::async_trait;
use quipu_graph::{
    BETWEEN_SOURCES, Direction, Document, Entity, Expansion, Graph, GraphDescription, GraphError, NodeId,
    NodeSummary, RelationId, RelationInfo, RelationUse, SchemaEdge, Step, readable_entity,
};

use super::{JoinedGraph, Share, nodes, share};
use crate::IndexError;

/// The sources' answers for one step, merged.
#[derive(Default)]
struct Merged {
    nodes: Vec<NodeId>,
    seen: HashSet<NodeId>,
    most: u64,
    /// Whether a source has more than it returned.
    more: bool,
}

impl Merged {
    fn take(&mut self, fan_out: u64, nodes: &[NodeId]) {
        self.most = self.most.max(fan_out);
        self.more |= fan_out > nodes.len() as u64;
        self.nodes.extend(nodes.iter().copied().filter(|node| self.seen.insert(*node)));
    }

    fn finish(mut self, step: Step, limit: usize) -> Expansion {
        let all = self.nodes.len() as u64;
        let fan_out = if self.more { self.most.max(all) } else { all };
        self.nodes.truncate(limit);
        Expansion { step, fan_out, nodes: self.nodes }
    }
}

/// The sources' summaries of one node, merged: the first name other than the key, all types, the
/// sum of degrees.
fn together(node: NodeId, summaries: Vec<NodeSummary>) -> Option<NodeSummary> {
    let named = summaries.iter().position(|s| s.literal.is_some() || s.name != readable_entity(&s.key));
    let name = summaries.get(named.unwrap_or_default())?.name.clone();
    let mut all = summaries.into_iter();
    let mut together = all.next()?;
    for summary in all {
        together.degree += summary.degree;
        together.types.extend(summary.types);
    }
    let mut seen = HashSet::new();
    together.types.retain(|of| seen.insert(*of));
    Some(NodeSummary { node, name, ..together })
}

#[async_trait]
impl Graph for JoinedGraph {
    fn describe(&self) -> &GraphDescription {
        &self.description
    }

    fn asks_for_each_node(&self) -> bool {
        self.parts.iter().any(|part| part.workspace.graph().asks_for_each_node())
    }

    fn relations(&self) -> &[RelationInfo] {
        &self.relations.infos
    }

    fn is_literal(&self, node: NodeId) -> bool {
        nodes::is_literal(node) && self.nodes.read().own(node).is_some()
    }

    async fn resolve(&self, keys: &[&str]) -> Result<Vec<Option<NodeId>>, GraphError> {
        let answers = self
            .each(|_, workspace| async move { Ok(workspace.graph().resolve(keys).await?) })
            .await
            .map_err(failed)?;
        let mut found: Vec<Option<NodeId>> = vec![None; keys.len()];
        for (at, answers) in answers {
            let own: Vec<(usize, NodeId)> = answers
                .into_iter()
                .enumerate()
                .filter_map(|(place, own)| Some((place, own?)))
                .filter(|(place, _)| found.get(*place).is_some_and(Option::is_none))
                .collect();
            let nodes: Vec<NodeId> = own.iter().map(|(_, own)| *own).collect();
            let Some(joined) = self.joined_while_up(at, &nodes).await.map_err(failed)? else { continue };
            for ((place, _), joined) in own.into_iter().zip(joined) {
                if let Some(found) = found.get_mut(place) {
                    *found = Some(joined);
                }
            }
        }
        Ok(found)
    }

    async fn summaries(&self, nodes: &[NodeId]) -> Result<Vec<NodeSummary>, GraphError> {
        let answers = self
            .shared(nodes, |_, workspace, own| async move { workspace.graph().summaries(&own).await })
            .await
            .map_err(failed)?;
        let mut all: Vec<Vec<NodeSummary>> = nodes.iter().map(|_| Vec::new()).collect();
        for (at, answers) in answers {
            let types: Vec<NodeId> =
                answers.iter().flat_map(|(_, summary)| summary.types.iter().copied()).collect();
            let Some(joined) = self.joined_while_up(at, &types).await.map_err(failed)? else { continue };
            let mut joined = joined.into_iter();
            for (place, mut summary) in answers {
                summary.types = joined.by_ref().take(summary.types.len()).collect();
                if let Some(all) = all.get_mut(place) {
                    all.push(summary);
                }
            }
        }
        let gone = |node: &NodeId| GraphError::Usage(format!("no available source has node {}", node.0));
        nodes.iter().zip(all).map(|(node, all)| together(*node, all).ok_or_else(|| gone(node))).collect()
    }

    async fn entities(&self, nodes: &[NodeId]) -> Result<Vec<Entity>, GraphError> {
        let summaries = self.summaries(nodes).await?;
        let answers = self
            .shared(nodes, |_, workspace, own| async move { workspace.graph().entities(&own).await })
            .await
            .map_err(failed)?;
        let mut entities: Vec<Entity> = summaries
            .into_iter()
            .map(|summary| Entity { summary, aliases: Vec::new(), description: None })
            .collect();
        let mut seen: Vec<HashSet<String>> = nodes.iter().map(|_| HashSet::new()).collect();
        for (place, entity) in answers.into_iter().flat_map(|(_, answers)| answers) {
            let (Some(together), Some(seen)) = (entities.get_mut(place), seen.get_mut(place)) else {
                continue;
            };
            for name in std::iter::once(entity.summary.name).chain(entity.aliases) {
                if name != together.summary.name && seen.insert(name.clone()) {
                    together.aliases.push(name);
                }
            }
            together.description = together.description.take().or(entity.description);
        }
        Ok(entities)
    }

    async fn relations_of(&self, nodes: &[NodeId]) -> Result<Vec<Vec<RelationUse>>, GraphError> {
        let answers = self
            .shared(nodes, |_, workspace, own| async move { workspace.graph().relations_of(&own).await })
            .await
            .map_err(failed)?;
        let mut all: Vec<BTreeMap<Step, u64>> = nodes.iter().map(|_| BTreeMap::new()).collect();
        for (at, answers) in answers {
            for (place, uses) in answers {
                let Some(all) = all.get_mut(place) else { continue };
                for used in uses {
                    let Some(step) = self.relations.joined(at, used.step) else { continue };
                    let most = all.entry(step).or_default();
                    *most = used.fan_out.max(*most);
                }
            }
        }
        let uses = |all: BTreeMap<Step, u64>| {
            all.into_iter().map(|(step, fan_out)| RelationUse { step, fan_out }).collect()
        };
        Ok(all.into_iter().map(uses).collect())
    }

    async fn expand(
        &self,
        nodes: &[NodeId],
        steps: Option<&[Step]>,
        limit: usize,
    ) -> Result<Vec<Vec<Expansion>>, GraphError> {
        let own_steps = |at: usize| -> Option<Vec<Step>> {
            steps.map(|steps| steps.iter().filter_map(|step| self.relations.own(at, *step)).collect())
        };
        let answers = self
            .shared(nodes, |at, workspace, own| {
                let steps = own_steps(at);
                async move {
                    if steps.as_ref().is_some_and(Vec::is_empty) {
                        return Ok(Vec::new());
                    }
                    workspace.graph().expand(&own, steps.as_deref(), limit).await
                }
            })
            .await
            .map_err(failed)?;
        let mut all: Vec<BTreeMap<Step, Merged>> = nodes.iter().map(|_| BTreeMap::new()).collect();
        for (at, answers) in answers {
            let ends: Vec<NodeId> =
                answers.iter().flat_map(|(_, found)| found).flat_map(|e| e.nodes.iter().copied()).collect();
            let Some(joined) = self.joined_while_up(at, &ends).await.map_err(failed)? else { continue };
            let mut joined = joined.into_iter();
            for (place, found) in answers {
                for expansion in found {
                    let ends: Vec<NodeId> = joined.by_ref().take(expansion.nodes.len()).collect();
                    if let (Some(step), Some(all)) =
                        (self.relations.joined(at, expansion.step), all.get_mut(place))
                    {
                        all.entry(step).or_default().take(expansion.fan_out, &ends);
                    }
                }
            }
        }
        let finish = |all: BTreeMap<Step, Merged>| {
            all.into_iter().map(|(step, merged)| merged.finish(step, limit)).collect()
        };
        Ok(all.into_iter().map(finish).collect())
    }

    async fn sample_triples(
        &self,
        relation: RelationId,
        limit: usize,
    ) -> Result<Vec<(NodeId, NodeId)>, GraphError> {
        let step = Step { relation, direction: Direction::Forward };
        let answers = self
            .each(|at, workspace| {
                let own = self.relations.own(at, step);
                async move {
                    match own {
                        Some(own) => Ok(workspace.graph().sample_triples(own.relation, limit).await?),
                        None => Ok(Vec::new()),
                    }
                }
            })
            .await
            .map_err(failed)?;
        let mut samples: Vec<std::vec::IntoIter<(NodeId, NodeId)>> = Vec::new();
        for (at, triples) in answers {
            let ends: Vec<NodeId> = triples.iter().flat_map(|(head, tail)| [*head, *tail]).collect();
            let Some(joined) = self.joined_while_up(at, &ends).await.map_err(failed)? else { continue };
            let pairs = joined.chunks(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?)));
            samples.push(pairs.collect::<Vec<_>>().into_iter());
        }
        // In turn, so that every source contributes.
        let (mut together, mut seen) = (Vec::new(), HashSet::new());
        while together.len() < limit {
            let turn: Vec<(NodeId, NodeId)> = samples.iter_mut().filter_map(Iterator::next).collect();
            if turn.is_empty() {
                break;
            }
            together.extend(turn.into_iter().filter(|pair| seen.insert(*pair)));
        }
        together.truncate(limit);
        Ok(together)
    }

    async fn schema(&self, types: &[NodeId]) -> Result<Vec<SchemaEdge>, GraphError> {
        let own = self.own(types).await.map_err(failed)?;
        let answers = self
            .each(|at, workspace| {
                let Share { own, .. } = share(&own, at);
                async move {
                    // An empty list of types would mean the whole schema.
                    if own.is_empty() && !types.is_empty() {
                        return Ok(Vec::new());
                    }
                    Ok(workspace.graph().schema(&own).await?)
                }
            })
            .await
            .map_err(failed)?;
        let mut together: Vec<SchemaEdge> = Vec::new();
        let mut known: HashMap<(Option<NodeId>, RelationId, Option<NodeId>), usize> = HashMap::new();
        for (at, edges) in answers {
            let ends: Vec<NodeId> =
                edges.iter().flat_map(|edge| [edge.head_type, edge.tail_type]).flatten().collect();
            let Some(joined) = self.joined_while_up(at, &ends).await.map_err(failed)? else { continue };
            let mut joined = joined.into_iter();
            for edge in edges {
                let head_type = edge.head_type.and_then(|_| joined.next());
                let tail_type = edge.tail_type.and_then(|_| joined.next());
                let step = Step { relation: edge.relation, direction: Direction::Forward };
                let Some(Step { relation, .. }) = self.relations.joined(at, step) else { continue };
                let place = *known.entry((head_type, relation, tail_type)).or_insert(together.len());
                match together.get_mut(place) {
                    Some(same) => {
                        same.triples += edge.triples;
                        same.heads += edge.heads;
                        same.tails += edge.tails;
                    }
                    None => together.push(SchemaEdge { head_type, relation, tail_type, ..edge }),
                }
            }
        }
        Ok(together)
    }

    async fn documents(&self, nodes: &[NodeId]) -> Result<Vec<Option<Document>>, GraphError> {
        let answers = self
            .shared(nodes, |_, workspace, own| async move { workspace.graph().documents(&own).await })
            .await
            .map_err(failed)?;
        let mut documents: Vec<Option<Document>> = nodes.iter().map(|_| None).collect();
        for (place, document) in answers.into_iter().flat_map(|(_, answers)| answers) {
            if let (Some(slot), Some(node)) = (documents.get_mut(place), nodes.get(place)) {
                let document = document.map(|document| Document { node: *node, ..document });
                *slot = slot.take().or(document);
            }
        }
        Ok(documents)
    }

    async fn stated_by(&self, triples: &[(NodeId, Step, NodeId)]) -> Result<Vec<String>, GraphError> {
        let staters = self.staters(triples).await.map_err(failed)?;
        let named = |at: Vec<usize>| {
            let names: Vec<&str> = at.into_iter().filter_map(|at| Some(self.parts.get(at)?.name())).collect();
            names.join(BETWEEN_SOURCES)
        };
        Ok(staters.into_iter().map(named).collect())
    }
}

/// Turns an error of an index into one of the graph.
fn failed(error: IndexError) -> GraphError {
    match error {
        IndexError::Graph(error) => error,
        IndexError::Cancelled => GraphError::Cancelled,
        other => GraphError::Usage(other.to_string()),
    }
}
