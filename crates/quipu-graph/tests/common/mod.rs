//! Helpers shared by the tests of this crate.
#![allow(dead_code, reason = "each test program uses its own part")]

use std::path::{Path, PathBuf};

use quipu_graph::{Direction, EmbeddedGraph, ImportConfig, Input, NodeId};

/// Imports files into a fresh store below `folder`.
pub(crate) fn import_files(folder: &Path, files: &[PathBuf]) -> EmbeddedGraph {
    let inputs = files.iter().cloned().map(Input::File).collect();
    import_with(folder, &ImportConfig::new("test", inputs))
}

/// Imports into a fresh store below `folder`.
pub(crate) fn import_with(folder: &Path, config: &ImportConfig) -> EmbeddedGraph {
    let store = tempfile::tempdir_in(folder).unwrap().keep().join("store");
    quipu_graph::import(config, &store).unwrap();
    let graph = EmbeddedGraph::open(&store).unwrap();
    graph.verify().unwrap();
    graph
}

/// The whole store as sorted text: every triple with its head's name, and a dash for entities that
/// are no heads. It also checks that both directions agree.
pub(crate) fn dump(graph: &EmbeddedGraph) -> String {
    use quipu_graph::Graph;
    let mut lines = Vec::new();
    let (mut forward, mut backward) = (Vec::new(), Vec::new());
    for node in (0..graph.node_count()).map(NodeId) {
        let before = lines.len();
        graph
            .visit(node, |group, neighbours| {
                assert_eq!(group.fan_out, neighbours.len() as u64);
                for neighbour in neighbours.iter() {
                    let relation = &graph.relations()[group.step.relation.0 as usize].key;
                    if group.step.direction == Direction::Forward {
                        forward.push((node, group.step.relation, neighbour));
                        lines.push(format!("{} {relation} {}", shown(graph, node), term(graph, neighbour)));
                    } else {
                        backward.push((neighbour, group.step.relation, node));
                    }
                }
            })
            .unwrap();
        if lines.len() == before && !graph.is_literal(node) {
            lines.push(format!("{} -", shown(graph, node)));
        }
    }
    backward.sort();
    assert_eq!(forward, backward);
    assert_eq!(forward.len() as u64, graph.describe().triples);
    lines.sort();
    lines.join("\n")
}

fn shown(graph: &EmbeddedGraph, node: NodeId) -> String {
    format!("{} [{}]", graph.key(node).unwrap(), graph.name(node).unwrap())
}

fn term(graph: &EmbeddedGraph, node: NodeId) -> String {
    match graph.literal(node).unwrap() {
        Some(literal) => {
            assert_eq!(graph.find_literal(literal.lexical, literal.kind).unwrap(), Some(node));
            format!("\"{}\"{}", literal.lexical, literal.kind)
        }
        None => {
            let key = graph.key(node).unwrap();
            assert_eq!(graph.find(&key).unwrap(), Some(node));
            key.into_owned()
        }
    }
}
