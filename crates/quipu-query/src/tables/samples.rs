//! Samples of a graph's relations, from which columns are inferred.

use std::collections::{BTreeSet, HashMap, HashSet};

use quipu_graph::{
    Graph, GraphError, NodeId, NodeSummary, RelationId, RelationInfo, RelationRole, is_blank, readable_entity,
};

use super::{Table, words_of};

/// Triples sampled from each relation; they give the kinds, examples and ranges.
pub(crate) const SAMPLED: usize = 1_000;
/// Examples of a column that has more.
const EXAMPLES: usize = 2;
/// Longest example, in characters.
const LONGEST_EXAMPLE: usize = 40;

/// Sampled triples of every ordinary relation, and the nodes at their ends.
pub(super) struct Samples {
    pub(super) triples: HashMap<RelationId, Vec<(NodeId, NodeId)>>,
    pub(super) nodes: HashMap<NodeId, NodeSummary>,
}

impl Samples {
    /// Samples every ordinary relation.
    pub(super) async fn read(graph: &dyn Graph) -> Result<Self, GraphError> {
        let mut samples = Self { triples: HashMap::new(), nodes: HashMap::new() };
        for (id, _) in ordinary(graph) {
            let triples = graph.sample_triples(id, SAMPLED).await?;
            let ends = triples.iter().flat_map(|(head, tail)| [*head, *tail]);
            let new: BTreeSet<NodeId> = ends.filter(|node| !samples.nodes.contains_key(node)).collect();
            let new: Vec<NodeId> = new.into_iter().collect();
            for summary in graph.summaries(&new).await? {
                samples.nodes.insert(summary.node, summary);
            }
            samples.triples.insert(id, triples);
        }
        Ok(samples)
    }

    /// How many of some types the sampled entities of any of them have on average; 0 if none is
    /// sampled.
    pub(super) fn types_each(&self, types: &HashSet<NodeId>) -> f64 {
        let of_them = |node: &NodeSummary| node.types.iter().filter(|of| types.contains(of)).count();
        let counts = self.nodes.values().map(of_them).filter(|count| *count > 0);
        let (entities, all) = counts.fold((0_usize, 0_usize), |(n, sum), count| (n + 1, sum + count));
        all as f64 / entities.max(1) as f64
    }

    /// Sets some names of a table's entities as the examples of its first column, and whether they
    /// are names at all.
    pub(super) fn name_examples(&self, table: &mut Table, holds: impl Fn(&NodeSummary) -> bool) {
        let of: Vec<&NodeSummary> = self.nodes.values().filter(|node| holds(node)).collect();
        table.unnamed = are_opaque(&of, &table.title);
        // A thing without a name is called by the end of its key. It is no example where most have
        // names.
        let is_named = |node: &&&NodeSummary| !node.key.ends_with(&node.name);
        let named: Vec<&str> = of.iter().filter(is_named).map(|node| node.name.as_str()).collect();
        let mut names = match named.len() * 2 > of.len() {
            true => named,
            false => of.iter().map(|node| node.name.as_str()).collect(),
        };
        names.sort_unstable();
        names.dedup();
        if let Some(column) = table.columns.first_mut() {
            column.examples = spread(&names);
        }
    }

    /// The triples, heads and tails of a relation whose heads `holds` accepts. If all triples are
    /// sampled they are counted; else the sums over the tails' types are divided by how many types
    /// a tail has.
    pub(super) fn counts(
        &self,
        relation: RelationId,
        info: &RelationInfo,
        sums: [f64; 3],
        holds: impl Fn(&NodeSummary) -> bool,
    ) -> [u64; 3] {
        let triples = self.triples.get(&relation).map(Vec::as_slice).unwrap_or_default();
        let is_held = |(head, _): &&(NodeId, NodeId)| self.nodes.get(head).is_some_and(&holds);
        let held: Vec<&(NodeId, NodeId)> = triples.iter().filter(is_held).collect();
        if triples.len() as u64 >= info.triples && !held.is_empty() {
            let heads: HashSet<NodeId> = held.iter().map(|(head, _)| *head).collect();
            let tails: HashSet<NodeId> = held.iter().map(|(_, tail)| *tail).collect();
            return [held.len(), heads.len(), tails.len()].map(|count| count as u64);
        }
        let types =
            |(_, tail): &&(NodeId, NodeId)| self.nodes.get(tail).map_or(1, |tail| tail.types.len().max(1));
        let all: usize = held.iter().map(types).sum();
        let each = if held.is_empty() { 1.0 } else { all as f64 / held.len() as f64 };
        sums.map(|sum| (sum / each).round() as u64)
    }

    /// The sampled tails of a relation whose heads `holds` accepts; those of all heads if it
    /// accepts none.
    pub(super) fn tails(
        &self,
        relation: RelationId,
        holds: impl Fn(&NodeSummary) -> bool,
    ) -> Vec<&NodeSummary> {
        let triples = self.triples.get(&relation).map(Vec::as_slice).unwrap_or_default();
        let of = |(head, tail): &(NodeId, NodeId)| {
            self.nodes.get(head).filter(|head| holds(head)).and_then(|_| self.nodes.get(tail))
        };
        let tails: Vec<&NodeSummary> = triples.iter().filter_map(of).collect();
        if tails.is_empty() {
            triples.iter().filter_map(|(_, tail)| self.nodes.get(tail)).collect()
        } else {
            tails
        }
    }
}

/// The ordinary relations of a graph.
pub(super) fn ordinary(graph: &dyn Graph) -> impl Iterator<Item = (RelationId, &RelationInfo)> {
    (0..).map(RelationId).zip(graph.relations()).filter(|(_, info)| info.role == RelationRole::Ordinary)
}

/// Some of many names: spread over them, then the shortest, which cost least.
pub(super) fn spread(names: &[&str]) -> Vec<String> {
    let fit = |name: &&&str| name.chars().count() <= LONGEST_EXAMPLE;
    let step = (names.len() / 40).max(1);
    let mut examples: Vec<&str> = names.iter().filter(fit).step_by(step).copied().collect();
    examples.sort_by_key(|name| name.len());
    examples.truncate(EXAMPLES);
    examples.into_iter().map(str::to_owned).collect()
}

/// Whether entities have no names but IRIs that mean nothing: "r01ad4a5", or "price_0012" of a
/// price; or are blank nodes, which are called by their parts or not at all. A few may be named all
/// the same. Where other names are the keys, they are names.
fn are_opaque(nodes: &[&NodeSummary], title: &str) -> bool {
    let kind = words_of(title);
    let begins_with_a_number = |name: &str| name.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let is_opaque = |node: &&&NodeSummary| {
        if is_blank(&node.key) {
            return node.name == node.key || begins_with_a_number(&node.name);
        }
        node.name != node.key
            && node.name == readable_entity(&node.key)
            && node.name.chars().any(|c| c.is_ascii_digit())
            && node.name.split(|c: char| !c.is_alphabetic()).all(|letters| tells_nothing(letters, &kind))
    };
    let opaque = nodes.iter().filter(is_opaque).count();
    opaque > 0 && opaque * 10 >= nodes.len() * 9
}

/// Whether letters of a key name nothing: a few, those of a hexadecimal number, or the beginning of
/// a word of the kind.
fn tells_nothing(letters: &str, kind: &[String]) -> bool {
    /// Fewer letters are no word.
    const WORD: usize = 4;
    let letters = letters.to_lowercase();
    letters.chars().count() < WORD
        || letters.chars().all(|c| c.is_ascii_hexdigit())
        || kind.iter().any(|word| word.starts_with(&letters))
        || kind.concat() == letters
}
