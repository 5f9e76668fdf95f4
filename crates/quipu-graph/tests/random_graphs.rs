//! The store against plain maps, on random graphs and with little memory.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use crate::common;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use proptest::prelude::*;
use quipu_graph::{Direction, EmbeddedGraph, Graph, ImportConfig, Input, NodeId, RelationId, Step};

type Triples = BTreeSet<(u8, u8, u16)>;

fn entity(number: u16) -> String {
    format!("http://example.org/e{number}")
}

fn relation(number: u8) -> String {
    format!("http://example.org/relation/{number}")
}

/// Tails from 256 on are literals.
fn tail(number: u16) -> String {
    match number {
        0..256 => format!("<{}>", entity(number)),
        number if number % 3 == 0 => format!("\"text {number}\"@en"),
        number if number % 3 == 1 => format!("\"{number}\"^^<http://www.w3.org/2001/XMLSchema#integer>"),
        number => format!("\"text {number}\""),
    }
}

fn import(triples: &[(u8, u8, u16)], memory: u64, threads: usize) -> (tempfile::TempDir, EmbeddedGraph) {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for (head, of, to) in triples {
        writeln!(text, "<{}> <{}> {} .", entity((*head).into()), relation(*of), tail(*to)).unwrap();
    }
    let path = folder.path().join("graph.nt");
    std::fs::write(&path, text).unwrap();
    let mut config = ImportConfig::new("random", vec![Input::File(path)]);
    (config.memory, config.threads) = (memory, threads);
    let graph = common::import_with(folder.path(), &config);
    (folder, graph)
}

fn number(graph: &EmbeddedGraph, node: NodeId) -> u16 {
    let key = graph.key(node).unwrap();
    let digits: String = key.chars().rev().take_while(char::is_ascii_digit).collect();
    digits.chars().rev().collect::<String>().parse().unwrap()
}

fn check(triples: &[(u8, u8, u16)], graph: &EmbeddedGraph) {
    let expected: Triples = triples.iter().copied().collect();
    common::dump(graph);
    assert_eq!(graph.describe().triples, expected.len() as u64);
    let mut groups: BTreeMap<(u16, Direction, u8), BTreeSet<u16>> = BTreeMap::new();
    for (head, of, to) in &expected {
        groups.entry(((*head).into(), Direction::Forward, *of)).or_default().insert(*to);
        groups.entry((*to, Direction::Backward, *of)).or_default().insert((*head).into());
    }
    let nodes: BTreeSet<u16> = groups.keys().map(|(node, ..)| *node).collect();
    assert_eq!(graph.node_count(), nodes.len() as u64);
    for node in (0..graph.node_count()).map(NodeId) {
        let of_node = number(graph, node);
        let mut found = 0;
        for group in graph.relations_of_sync(node).unwrap() {
            let Step { relation: RelationId(id), direction } = group.step;
            let key: u8 = graph.relations()[id as usize].key.rsplit('/').next().unwrap().parse().unwrap();
            let neighbours = graph.neighbours(node, group.step).unwrap();
            let numbers: BTreeSet<u16> =
                neighbours.iter().map(|neighbour| number(graph, neighbour)).collect();
            assert_eq!(Some(&numbers), groups.get(&(of_node, direction, key)));
            assert_eq!(neighbours.len(), numbers.len());
            assert!(neighbours.iter().all(|neighbour| neighbours.contains(neighbour)));
            found += 1;
        }
        assert_eq!(found, groups.keys().filter(|(node, ..)| *node == of_node).count());
    }
    for (info, id) in graph.relations().iter().zip(0..) {
        let heads: Vec<NodeId> = graph.heads(RelationId(id)).map(Result::unwrap).collect();
        assert_eq!(heads.len() as u64, info.heads);
        let step = Step { relation: RelationId(id), direction: Direction::Forward };
        let triples: usize = heads.iter().map(|head| graph.neighbours(*head, step).unwrap().len()).sum();
        assert_eq!(triples as u64, info.triples);
    }
}

#[test]
fn texts_of_any_length_are_found_one_by_one_and_many_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.nt");
    let label = |number: usize| format!("{number} {}", "ñ".repeat(number % 170));
    let mut text = String::new();
    for number in 0..700 {
        let key = format!("<http://example.org/{number}{}>", "k".repeat(number % 300));
        // Every third entity has no label, and is named by its key.
        if number % 3 > 0 {
            writeln!(text, "{key} <http://www.w3.org/2000/01/rdf-schema#label> \"{}\" .", label(number))
                .unwrap();
        }
        writeln!(text, "{key} <http://example.org/next> <http://example.org/{}> .", (number + 1) % 700)
            .unwrap();
    }
    std::fs::write(&path, text).unwrap();
    let graph = common::import_files(folder.path(), &[path]);
    common::dump(&graph);
    let nodes = || (0..graph.node_count()).map(NodeId);
    let expected: Vec<_> = nodes().map(|node| (node, graph.name(node).unwrap())).collect();
    let mut found = Vec::new();
    graph.visit_names(nodes(), |node, name| found.push((node, name))).unwrap();
    assert_eq!(found, expected);
    for number in (0..700).filter(|number| number % 3 > 0) {
        assert!(found.iter().any(|(_, name)| *name == label(number)), "{number}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_store_says_what_plain_maps_say(
        triples in prop::collection::vec((0u8..40, 0u8..30, 0u16..400), 1..400),
        threads in 1usize..4,
    ) {
        let (_folder, graph) = import(&triples, 1 << 30, threads);
        check(&triples, &graph);
    }
}

#[test]
fn many_small_runs_give_the_same_store() {
    let triples: Vec<(u8, u8, u16)> = (0..60_000u64)
        .map(|i| ((i * 7919 % 251) as u8, (i * 31 % 23) as u8, (i * 104_729 % 60_013) as u16))
        .collect();
    let (_little, spilled) = import(&triples, 1, 2);
    let (_much, whole) = import(&triples, 1 << 30, 1);
    assert_eq!(common::dump(&spilled), common::dump(&whole));
    assert_eq!(spilled.bytes_on_disk(), whole.bytes_on_disk());
}
