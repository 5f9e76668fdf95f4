//! The relations of several graphs in one catalogue.

use std::collections::HashMap;

use quipu_graph::{Graph, RelationId, RelationInfo, RelationRole, Step};

/// One catalogue, with the relation ids of each source.
#[derive(Debug, Default)]
pub(super) struct Relations {
    pub(super) infos: Vec<RelationInfo>,
    /// The joined relations of each source, in its own order.
    joined: Vec<Vec<RelationId>>,
    own: Vec<HashMap<RelationId, RelationId>>,
}

impl Relations {
    /// Relations with the same key are the same. A relation for labels or types in one source is
    /// not ordinary in another.
    pub(super) fn of<'g>(graphs: impl IntoIterator<Item = &'g dyn Graph>) -> Self {
        let mut relations = Self::default();
        let mut known: HashMap<&'g str, RelationId> = HashMap::new();
        for graph in graphs {
            let (mut joined, mut own) = (Vec::new(), HashMap::new());
            for (info, at) in graph.relations().iter().zip(0..) {
                let next = RelationId(u32::try_from(relations.infos.len()).unwrap_or(u32::MAX));
                let id = *known.entry(&info.key).or_insert(next);
                match usize::try_from(id.0).ok().and_then(|at| relations.infos.get_mut(at)) {
                    Some(together) => add(together, info),
                    None => relations.infos.push(info.clone()),
                }
                joined.push(id);
                own.insert(id, RelationId(at));
            }
            relations.joined.push(joined);
            relations.own.push(own);
        }
        relations
    }

    /// The joined step of a source's own step.
    pub(super) fn joined(&self, source: usize, step: Step) -> Option<Step> {
        let relation = *self.joined.get(source)?.get(usize::try_from(step.relation.0).ok()?)?;
        Some(Step { relation, ..step })
    }

    /// A source's own step; `None` if it lacks the relation.
    pub(super) fn own(&self, source: usize, step: Step) -> Option<Step> {
        let relation = *self.own.get(source)?.get(&step.relation)?;
        Some(Step { relation, ..step })
    }
}

/// Adds the counts. They are upper bounds, because sources may state the same triples.
fn add(together: &mut RelationInfo, info: &RelationInfo) {
    together.triples += info.triples;
    together.heads += info.heads;
    together.tails += info.tails;
    if together.role == RelationRole::Ordinary {
        together.role = info.role;
    }
}
