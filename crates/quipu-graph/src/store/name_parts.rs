//! Names in parts: people whose given name and family name are two relations, and who have no
//! label.

use super::EmbeddedGraph;
use crate::naming::{NAMING, NamePart};
use crate::{Direction, GraphError, NodeId, RelationId, RelationInfo, RelationRole, Step};

/// The relations that hold the two parts of a name.
pub(super) struct NameParts {
    given: Vec<RelationId>,
    family: Vec<RelationId>,
}

impl NameParts {
    /// The relations of a graph that hold parts of names; `None` unless it has both parts.
    pub(super) fn among(relations: &[RelationInfo]) -> Option<Self> {
        let of = |part: NamePart| -> Vec<RelationId> {
            let ordinary = relations.iter().zip(0..).filter(|(info, _)| info.role == RelationRole::Ordinary);
            let holding = ordinary.filter(|(info, _)| NAMING.part(&info.key) == Some(part));
            holding.map(|(_, relation)| RelationId(relation)).collect()
        };
        let parts = Self { given: of(NamePart::Given), family: of(NamePart::Family) };
        (!parts.given.is_empty() && !parts.family.is_empty()).then_some(parts)
    }

    /// Given name and family name of an entity; `None` unless it has both.
    pub(super) fn name(&self, graph: &EmbeddedGraph, node: NodeId) -> Result<Option<String>, GraphError> {
        let given = first_text(graph, node, &self.given)?;
        let family = first_text(graph, node, &self.family)?;
        Ok(given.zip(family).map(|(given, family)| format!("{given} {family}")))
    }
}

fn first_text<'a>(
    graph: &'a EmbeddedGraph,
    node: NodeId,
    relations: &[RelationId],
) -> Result<Option<&'a str>, GraphError> {
    for relation in relations {
        let step = Step { relation: *relation, direction: Direction::Forward };
        for tail in graph.neighbours(node, step)?.iter() {
            if let Some(literal) = graph.literal(tail)? {
                return Ok(Some(literal.lexical));
            }
        }
    }
    Ok(None)
}
