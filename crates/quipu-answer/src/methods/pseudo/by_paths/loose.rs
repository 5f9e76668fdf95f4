//! Ties the loose ends of a pseudo-graph: nodes named by a description, and an asked node without a
//! relation.

use std::collections::HashSet;

use quipu_language::normalise;
use quipu_query::{PseudoGraph, PseudoTail, PseudoTriple};
use quipu_stages::answer::{AnswerError, Question};
use quipu_stages::ledger::{Context, is_down};
use quipu_stages::link::mentions;

use super::pool::ends;

/// The pseudo-graph with its loose ends tied.
///
/// # Errors
/// The index's and the embedder's.
pub(super) async fn tied(
    context: &Context<'_>,
    question: &Question,
    mut graph: PseudoGraph,
) -> Result<PseudoGraph, AnswerError> {
    let mut mentioned: Vec<String> = Vec::new();
    for source in context.sources() {
        match mentions(&source, question.text()).await {
            Ok(found) => mentioned.extend(found.into_iter().map(|mention| normalise(&mention.text))),
            // The failure is reported when the source is queried.
            Err(error) if is_down(&error) => {}
            Err(error) => return Err(error),
        }
    }
    for node in graph.nodes.iter_mut().filter(|node| !node.unknown) {
        let name = normalise(&node.name);
        // "Ada Berg acted films" is not a name but a description with an entity of the question in
        // it.
        if mentioned.iter().any(|mention| describes(mention, &name)) && !bears_it(context, &name)? {
            node.unknown = true;
            node.name.insert(0, '?');
        }
    }
    tie_answer(&mut graph);
    Ok(graph)
}

/// Whether a name consists of a mention and other words.
fn describes(mention: &str, name: &str) -> bool {
    let (mention, name): (Vec<&str>, Vec<&str>) = (mention.split(' ').collect(), name.split(' ').collect());
    name.len() > mention.len() && name.windows(mention.len()).any(|part| part == mention)
}

/// Whether any entity of a source has this name.
fn bears_it(context: &Context<'_>, name: &str) -> Result<bool, AnswerError> {
    for source in context.sources() {
        if !source.workspace.names().exact(name, 1)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Connects an isolated unknown node to the end of the chain, with its own name as the relation (a
/// language is the chain's language). The model tends to forget the last relation.
fn tie_answer(graph: &mut PseudoGraph) {
    let related: HashSet<usize> = graph.triples.iter().flat_map(ends).collect();
    let alone = |at: &usize| graph.nodes.get(*at).is_some_and(|node| node.unknown) && !related.contains(at);
    let marked = graph.asked.filter(|at| alone(at));
    let Some(answer) = marked.or_else(|| (0..graph.nodes.len()).rev().find(alone)) else { return };
    let degree = |at: usize| graph.triples.iter().filter(|triple| ends(triple).contains(&at)).count();
    let unknown = |at: &usize| graph.nodes.get(*at).is_some_and(|node| node.unknown);
    let mut chain: Vec<usize> = related.iter().copied().filter(unknown).collect();
    chain.sort_unstable_by_key(|at| (degree(*at), std::cmp::Reverse(*at)));
    let named = || (0..graph.nodes.len()).find(|at| !unknown(at));
    let Some(head) = chain.first().copied().or_else(named) else { return };
    let relation = graph.nodes.get(answer).map(|node| node.name.trim_start_matches('?').to_owned());
    let relation = relation.unwrap_or_default();
    graph.triples.push(PseudoTriple { head, relation, tail: PseudoTail::Node(answer) });
    graph.asked = Some(answer);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_alone_is_related_to_the_end_of_the_chain() {
        let mut graph = PseudoGraph::read(
            "CREATE (c:Person {name: 'Ada Berg'})\nCREATE (m:Film {name: '?', actor: c})\nCREATE (language:Language {name: '?'})",
        );
        tie_answer(&mut graph);
        let shown: Vec<String> = graph.triples.iter().map(|triple| graph.names(triple).join(" | ")).collect();
        assert_eq!(shown, ["?film | actor | Ada Berg", "?film | language | ?language"]);
        assert_eq!(graph.asked, Some(2));
        // Without a chain, to the named node.
        let mut graph = PseudoGraph::read("CREATE (c:Person {name: 'Ada Berg'}), (answer:Town {name: '?'})");
        tie_answer(&mut graph);
        assert_eq!(graph.names(&graph.triples[0]), ["Ada Berg", "town", "?town"]);
    }

    #[test]
    fn a_description_holds_a_mention_and_more() {
        assert!(describes("ada berg", "ada berg acted films"));
        assert!(!describes("ada berg", "ada berg") && !describes("ada berg", "adaberg films"));
    }
}
