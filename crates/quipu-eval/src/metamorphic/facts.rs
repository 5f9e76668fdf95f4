//! Draws facts from a graph for questions, relation by relation, so that frequent relations do not
//! fill the suite.

use std::collections::HashMap;
use std::sync::Arc;

use quipu_graph::{
    Direction, Expansion, Graph, LiteralValue, NodeId, NodeSummary, RelationId, RelationInfo, RelationRole,
    Step,
};
use quipu_index::Workspace;

use crate::EvalError;
use crate::random::Random;

/// Triples of a relation that are tried for a fact.
const DRAWN: usize = 12;
/// Most tails of a head, or heads of a tail. Longer lists are unreadable.
const MOST_VALUES: usize = 20;
/// Most things of a kind of which an answer must leave out none.
const MOST_THINGS: usize = 50;
/// Longest name or value, in characters. Longer ones are prose.
const LONGEST_NAME: usize = 60;

/// A triple with the data for its questions.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fact {
    pub(super) step: Step,
    pub(super) relation: String,
    pub(super) head: NodeSummary,
    pub(super) tail: NodeSummary,
    /// The graph's names for the types of head and tail.
    pub(super) kind: Option<String>,
    pub(super) tail_kind: Option<String>,
    /// Names of all tails of the head.
    pub(super) tails: Vec<String>,
    /// Names of all heads of the tail; `None` if there are too many.
    pub(super) heads: Option<Vec<String>>,
    /// Another relation of the head and a tail of it.
    pub(super) second: Option<(String, String)>,
}

/// The graph as the source of facts.
pub(super) struct Source<'a> {
    workspace: &'a Workspace,
    graph: &'a Arc<dyn Graph>,
    /// Names of the relations that questions can use.
    names: HashMap<RelationId, String>,
}

impl<'a> Source<'a> {
    pub(super) fn of(workspace: &'a Workspace) -> Result<Self, EvalError> {
        let graph = workspace.graph();
        if graph.asks_for_each_node() {
            let message = "facts are drawn from a whole graph; an API answers one request at a time";
            return Err(EvalError::Usage(message.into()));
        }
        let names = relation_names(graph.as_ref());
        if names.is_empty() {
            let message = "the graph has no relation to ask about: import one that has";
            return Err(EvalError::Usage(message.into()));
        }
        Ok(Self { workspace, graph, names })
    }

    /// Up to `limit` facts: one of each relation, then a second of each, in an order given by the
    /// seed.
    pub(super) async fn draw(&self, limit: usize, random: &mut Random) -> Result<Vec<Fact>, EvalError> {
        let mut relations: Vec<RelationId> = self.names.keys().copied().collect();
        relations.sort_unstable();
        random.shuffle(&mut relations);
        let mut waiting: Vec<(RelationId, Vec<(NodeId, NodeId)>)> = Vec::new();
        let mut facts = Vec::new();
        for relation in relations {
            if facts.len() == limit {
                return Ok(facts);
            }
            let mut triples = self.graph.sample_triples(relation, DRAWN).await?;
            random.shuffle(&mut triples);
            if let Some(fact) = self.next_fact(relation, &mut triples).await? {
                facts.push(fact);
                waiting.push((relation, triples));
            }
        }
        while facts.len() < limit && !waiting.is_empty() {
            let mut left = Vec::new();
            for (relation, mut triples) in waiting {
                if facts.len() < limit
                    && let Some(fact) = self.next_fact(relation, &mut triples).await?
                {
                    facts.push(fact);
                    left.push((relation, triples));
                }
            }
            waiting = left;
        }
        Ok(facts)
    }

    async fn next_fact(
        &self,
        relation: RelationId,
        triples: &mut Vec<(NodeId, NodeId)>,
    ) -> Result<Option<Fact>, EvalError> {
        while let Some((head, tail)) = triples.pop() {
            if let Some(fact) = self.fact(relation, head, tail).await? {
                return Ok(Some(fact));
            }
        }
        Ok(None)
    }

    /// The fact, if the names of head and tail are unambiguous.
    async fn fact(
        &self,
        relation: RelationId,
        head: NodeId,
        tail: NodeId,
    ) -> Result<Option<Fact>, EvalError> {
        let [head, tail] = <[NodeSummary; 2]>::try_from(self.graph.summaries(&[head, tail]).await?)
            .map_err(|_| EvalError::Usage("the graph did not name both ends of a triple".into()))?;
        let step = Step { relation, direction: Direction::Forward };
        if head.literal.is_some() || !self.is_own_name(&head)? || !self.is_own_name(&tail)? {
            return Ok(None);
        }
        let Some(tails) = self.ends(head.node, step).await? else { return Ok(None) };
        let back = Step { direction: Direction::Backward, ..step };
        let heads = self.ends(tail.node, back).await?;
        let (kind, tail_kind) = (self.kind(&head).await?, self.kind(&tail).await?);
        let second = self.second(head.node, relation).await?;
        let relation = self.names.get(&relation).cloned().unwrap_or_default();
        Ok(Some(Fact { step, relation, head, tail, kind, tail_kind, tails, heads, second }))
    }

    /// Whether a name can be used in a question and means only this node. Literals mean themselves.
    fn is_own_name(&self, node: &NodeSummary) -> Result<bool, EvalError> {
        let plain = |c: char| !c.is_control() && !matches!(c, '{' | '}' | '?' | '"');
        let short = node.name.chars().count() <= LONGEST_NAME && !node.name.contains("://");
        if !short || node.name.trim().is_empty() || !node.name.chars().all(plain) {
            return Ok(false);
        }
        Ok(node.literal.is_some() || self.bearers(&node.name)? <= 1)
    }

    /// Number of entities with a name, up to two; 0 in an index without names.
    pub(super) fn bearers(&self, name: &str) -> Result<usize, EvalError> {
        Ok(self.workspace.names().exact(name, 2)?.len())
    }

    /// Names of all ends of a step; `None` if there are too many.
    async fn ends(&self, node: NodeId, step: Step) -> Result<Option<Vec<String>>, EvalError> {
        let mut found = self.graph.expand(&[node], Some(&[step]), MOST_VALUES).await?.into_iter().flatten();
        let Some(expansion) = found.next() else { return Ok(Some(Vec::new())) };
        if expansion.fan_out > MOST_VALUES as u64 {
            return Ok(None);
        }
        let summaries = self.graph.summaries(&expansion.nodes).await?;
        Ok(Some(summaries.into_iter().map(|summary| summary.name).collect()))
    }

    /// Names of the nodes `steps` steps from a node along one relation; `None` if there are too
    /// many.
    pub(super) async fn walk(
        &self,
        from: NodeId,
        step: Step,
        steps: usize,
    ) -> Result<Option<Vec<String>>, EvalError> {
        let mut nodes = vec![from];
        for _ in 0..steps {
            let expansions = self.graph.expand(&nodes, Some(&[step]), MOST_VALUES).await?;
            let expansions: Vec<_> = expansions.into_iter().flatten().collect();
            if expansions.iter().any(|expansion| expansion.fan_out > MOST_VALUES as u64) {
                return Ok(None);
            }
            nodes = expansions.into_iter().flat_map(|expansion| expansion.nodes).collect();
            nodes.sort_unstable();
            nodes.dedup();
            if nodes.len() > MOST_VALUES {
                return Ok(None);
            }
        }
        let summaries = self.graph.summaries(&nodes).await?;
        Ok(Some(summaries.into_iter().map(|summary| summary.name).collect()))
    }

    async fn kind(&self, node: &NodeSummary) -> Result<Option<String>, EvalError> {
        let kinds = self.graph.summaries(&node.types).await?;
        Ok(kinds.into_iter().map(|kind| kind.name).find(|name| is_word(name)))
    }

    /// Names of all things of the kind by which questions call a thing; none if there are too many,
    /// or if a name is no own name.
    pub(super) async fn things_like(&self, node: &NodeSummary) -> Result<Vec<String>, EvalError> {
        let kinds = self.graph.summaries(&node.types).await?;
        let Some(kind) = kinds.into_iter().find(|kind| is_word(&kind.name)) else { return Ok(Vec::new()) };
        let is_type = |(info, _): &(&RelationInfo, u32)| info.role == RelationRole::Type;
        let steps: Vec<Step> = self
            .graph
            .relations()
            .iter()
            .zip(0u32..)
            .filter(is_type)
            .map(|(_, number)| Step { relation: RelationId(number), direction: Direction::Backward })
            .collect();
        let found = self.graph.expand(&[kind.node], Some(&steps), MOST_THINGS).await?;
        let found: Vec<Expansion> = found.into_iter().flatten().collect();
        if found.iter().any(|expansion| expansion.fan_out > MOST_THINGS as u64) {
            return Ok(Vec::new());
        }
        let mut nodes: Vec<NodeId> = found.into_iter().flat_map(|expansion| expansion.nodes).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let things = self.graph.summaries(&nodes).await?;
        for thing in &things {
            if !self.is_own_name(thing)? {
                return Ok(Vec::new());
            }
        }
        Ok(things.into_iter().map(|thing| thing.name).collect())
    }

    /// Another relation of the head, with one of its tails.
    async fn second(&self, head: NodeId, but: RelationId) -> Result<Option<(String, String)>, EvalError> {
        let uses = self.graph.relations_of(&[head]).await?.into_iter().flatten();
        let of_others = uses.map(|of| of.step).filter(|step| {
            step.direction == Direction::Forward
                && step.relation != but
                && self.names.contains_key(&step.relation)
        });
        for step in of_others {
            let Some(tail) = self.ends(head, step).await?.and_then(|tails| tails.into_iter().next()) else {
                continue;
            };
            if tail.chars().count() <= LONGEST_NAME
                && let Some(name) = self.names.get(&step.relation)
            {
                return Ok(Some((name.clone(), tail)));
            }
        }
        Ok(None)
    }
}

impl Fact {
    /// Whether the tail is a number.
    pub(super) fn is_number(&self) -> bool {
        let value = self.tail.literal.as_ref().map(quipu_graph::Literal::value);
        matches!(value, Some(LiteralValue::Number(_)))
    }

    /// Whether the tail is an entity.
    pub(super) fn is_of_entities(&self) -> bool {
        self.tail.literal.is_none()
    }
}

/// Ordinary relations by their names, if unique.
fn relation_names(graph: &dyn Graph) -> HashMap<RelationId, String> {
    let mut uses: HashMap<String, usize> = HashMap::new();
    let named: Vec<(RelationId, String)> = graph
        .relations()
        .iter()
        .zip(0u32..)
        .filter(|(relation, _)| relation.role == RelationRole::Ordinary && relation.triples > 0)
        .map(|(relation, number)| (RelationId(number), relation.name.replace('_', " ")))
        .filter(|(_, name)| is_word(name))
        .collect();
    for (_, name) in &named {
        *uses.entry(name.to_lowercase()).or_default() += 1;
    }
    let alone = |name: &str| uses.get(&name.to_lowercase()) == Some(&1);
    named.into_iter().filter(|(_, name)| alone(name)).collect()
}

/// Whether a name can be used in a sentence.
fn is_word(name: &str) -> bool {
    name.chars().any(char::is_alphabetic)
        && name.chars().count() <= LONGEST_NAME
        && !name.contains(['{', '}', '/', ':'])
}
