//! The identity of nodes across several graphs.

use std::collections::HashMap;

use quipu_graph::{Literal, NodeId, NodeSummary};
use xxhash_rust::xxh3::xxh3_64;

/// Set in the ids of literals.
const LITERAL: u64 = 1 << 63;

/// The ids of one node in each source; `None` if the source does not have it.
pub(super) type Own = Box<[Option<NodeId>]>;

#[derive(Debug)]
struct Known {
    own: Own,
    /// Whether each source was asked for it.
    asked: Box<[bool]>,
}

/// The registered nodes.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    ids: HashMap<(usize, NodeId), NodeId>,
    known: HashMap<NodeId, Known>,
}

/// The sources' answers for a node of another source: `None` if a source was not asked, or did not
/// answer.
pub(super) type Elsewhere = Vec<Option<Option<NodeId>>>;

impl Nodes {
    /// The joined node of a source's own node, if it is registered.
    pub(super) fn id(&self, source: usize, own: NodeId) -> Option<NodeId> {
        self.ids.get(&(source, own)).copied()
    }

    /// The node in each source.
    pub(super) fn own(&self, node: NodeId) -> Option<&Own> {
        self.known.get(&node).map(|known| &known.own)
    }

    /// Sources that were not yet asked for an entity, because they were down.
    pub(super) fn unasked(&self, node: NodeId) -> impl Iterator<Item = usize> + '_ {
        let asked = self.known.get(&node).filter(|_| !is_literal(node)).map(|known| &known.asked);
        asked
            .into_iter()
            .flat_map(|asked| asked.iter().enumerate().filter(|(_, asked)| !**asked).map(|(at, _)| at))
    }

    /// Registers a node of a source, with its counterparts in the other sources.
    pub(super) fn meet(&mut self, source: usize, summary: &NodeSummary, elsewhere: &Elsewhere) -> NodeId {
        let named = elsewhere.iter().enumerate().filter_map(|(at, found)| Some((at, (*found)??)));
        let members: Vec<(usize, NodeId)> = std::iter::once((source, summary.node)).chain(named).collect();
        let met = members.iter().find_map(|(at, own)| self.id(*at, *own));
        let id = met.unwrap_or_else(|| self.free(id_of(summary), &members));
        let nothing =
            || Known { own: vec![None; elsewhere.len()].into(), asked: vec![false; elsewhere.len()].into() };
        let known = self.known.entry(id).or_insert_with(nothing);
        for (at, own) in members {
            // A node that was already joined to another one stays there.
            if let Some(slot) = known.own.get_mut(at).filter(|slot| slot.is_none())
                && *self.ids.entry((at, own)).or_insert(id) == id
            {
                *slot = Some(own);
            }
        }
        let asked = elsewhere.iter().enumerate().filter(|(at, found)| *at == source || found.is_some());
        for (at, _) in asked {
            if let Some(asked) = known.asked.get_mut(at) {
                *asked = true;
            }
        }
        id
    }

    /// The first free id from `id` on. Two nodes of one source need this only if their hashes are
    /// equal.
    fn free(&self, mut id: NodeId, members: &[(usize, NodeId)]) -> NodeId {
        let taken = |id: &NodeId| {
            let own = self.own(*id)?;
            let differs =
                |(at, node): &(usize, NodeId)| own.get(*at).copied().flatten().is_some_and(|o| o != *node);
            members.iter().any(differs).then_some(())
        };
        while taken(&id).is_some() {
            id = NodeId((id.0 & LITERAL) | (id.0.wrapping_add(1) & !LITERAL));
        }
        id
    }
}

/// Whether a joined node is a literal.
pub(super) fn is_literal(node: NodeId) -> bool {
    node.0 & LITERAL != 0
}

/// A hash, the same in every run: of an entity's key, or of a literal's form and kind.
fn id_of(summary: &NodeSummary) -> NodeId {
    match &summary.literal {
        None => NodeId(xxh3_64(summary.key.as_bytes()) & !LITERAL),
        Some(Literal { lexical, datatype, language }) => {
            let written = format!("{lexical}\0{datatype:?}\0{language:?}");
            NodeId(xxh3_64(written.as_bytes()) | LITERAL)
        }
    }
}
