//! Names of values in parts: a blank node that is a price with its amount and its currency is
//! called "15.8 EUR".

use super::EmbeddedGraph;
use crate::readable::is_blank;
use crate::{Direction, Graph, GraphError, LiteralValue, NodeId, RelationRole};

/// Most parts of such a value.
const MOST: usize = 5;
/// Longest text among the parts, in characters.
const LONGEST: usize = 40;

/// The numbers of a blank node and then its texts, each by the order of its relations; `None` if
/// it has no number, leads to several entities, or says more than a value does.
pub(super) fn value_in_parts(graph: &EmbeddedGraph, node: NodeId) -> Result<Option<String>, GraphError> {
    let (mut numbers, mut texts, mut entities) = (Vec::new(), Vec::new(), 0);
    for group in graph.groups(node)? {
        let group = group?;
        let role = Graph::relations(graph).get(group.step.relation.0 as usize).map(|info| info.role);
        if group.step.direction != Direction::Forward || role != Some(RelationRole::Ordinary) {
            continue;
        }
        for tail in graph.neighbours(node, group.step)?.iter() {
            let Some(literal) = graph.literal(tail)? else {
                entities += 1;
                if entities > 1 || is_blank(&graph.key(tail)?) {
                    return Ok(None);
                }
                texts.push(graph.name(tail)?.into_owned());
                continue;
            };
            let is_number = matches!(crate::Literal::from(literal).value(), LiteralValue::Number(_));
            let parts = if is_number { &mut numbers } else { &mut texts };
            parts.push(literal.lexical.to_owned());
        }
    }
    let is_long = texts.iter().any(|text| text.chars().count() > LONGEST);
    if numbers.is_empty() || numbers.len() + texts.len() > MOST || is_long {
        return Ok(None);
    }
    numbers.append(&mut texts);
    Ok(Some(numbers.join(" ")))
}
