//! Proposes pairs of an entity and a relation that a question may mean, by the 3-grams that their
//! names share with it (KERAG App. E).

use std::collections::HashSet;

use quipu_graph::{RelationRole, Step};
use quipu_language::normalise;

use crate::answer::{AnswerError, cell};
use crate::ledger::Context;
use crate::link::{Anchor, Mentioned};

/// An entity and one of its relations.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedPair {
    /// The entity.
    pub anchor: Anchor,
    /// The relation and its direction.
    pub step: Step,
    /// The relation's name.
    pub relation: String,
    /// The share of each name's 3-grams found in the question, added up: 0 to 2.
    pub score: f32,
}

impl OfferedPair {
    /// `Ada Berg - born in`.
    pub fn describe(&self) -> String {
        format!("{} - {}", cell(&self.anchor.name), self.relation)
    }
}

/// The `most` pairs whose names share most with the question, best first, each relation of an
/// entity once. One graph call.
///
/// # Errors
/// The graph's.
pub async fn pairs(
    context: &Context<'_>,
    question: &str,
    mentioned: &[Mentioned],
    most: usize,
) -> Result<Vec<OfferedPair>, AnswerError> {
    let anchors: Vec<&Anchor> = mentioned.iter().flat_map(|mention| &mention.candidates).collect();
    if most == 0 || anchors.is_empty() {
        return Ok(Vec::new());
    }
    let graph = context.graph();
    let nodes: Vec<_> = anchors.iter().map(|anchor| anchor.node).collect();
    let asked = grams(question);
    let mut found: Vec<OfferedPair> = Vec::new();
    for (anchor, uses) in anchors.into_iter().zip(graph.relations_of(&nodes).await?) {
        let named = share(&anchor.name, &asked);
        for used in uses {
            let at = usize::try_from(used.step.relation.0).ok();
            let Some(relation) = at.and_then(|at| graph.relations().get(at)) else { continue };
            let spoken = share(&relation.name, &asked);
            if relation.role == RelationRole::Ordinary && spoken > 0.0 {
                let (anchor, score) = (anchor.clone(), named + spoken);
                found.push(OfferedPair { anchor, step: used.step, relation: relation.name.clone(), score });
            }
        }
    }
    found.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then((a.anchor.node, a.step).cmp(&(b.anchor.node, b.step)))
    });
    let mut seen = HashSet::new();
    found.retain(|pair| seen.insert((pair.anchor.node, pair.relation.clone())));
    found.truncate(most);
    Ok(found)
}

/// The share of a name's 3-grams that stand in the question.
fn share(name: &str, asked: &HashSet<[char; 3]>) -> f32 {
    let grams = grams(name);
    if grams.is_empty() {
        return 0.0;
    }
    let common = grams.intersection(asked).count();
    #[expect(clippy::cast_precision_loss, reason = "lengths of names")]
    let share = common as f32 / grams.len() as f32;
    share
}

/// The 3-grams of a text's normal form, padded with one space on each side.
fn grams(text: &str) -> HashSet<[char; 3]> {
    let text: Vec<char> = format!(" {} ", normalise(text)).chars().collect();
    text.windows(3).filter_map(|three| three.try_into().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_share_what_the_question_says_of_them() {
        let asked = grams("In which town was Ada Berg born?");
        assert!((share("Ada Berg", &asked) - 1.0).abs() < 1e-6);
        assert!(share("born in", &asked) > share("employer", &asked));
        assert_eq!(share("", &asked), 0.0);
    }
}
