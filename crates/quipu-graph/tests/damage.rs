//! Damaged stores: an error or an answer, never a panic; and verification finds every flipped bit.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;
mod suite;

use std::path::{Path, PathBuf};

use quipu_graph::{EmbeddedGraph, ErrorClass, Graph, GraphError, NodeId, QueryOptions, RelationId};

fn store() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (triples, nodes) = (folder.path().join("graph.nt"), folder.path().join("nodes.jsonl"));
    std::fs::write(&triples, suite::TRIPLES).unwrap();
    std::fs::write(&nodes, r#"{"id": "n1", "name": "a node", "aliases": ["b"], "text": "its text"}"#)
        .unwrap();
    let inputs = [triples, nodes].map(quipu_graph::Input::File).to_vec();
    let store = folder.path().join("store");
    quipu_graph::import(&quipu_graph::ImportConfig::new("damage", inputs), &store).unwrap();
    (folder, store)
}

fn files(store: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(store).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 10);
    files
}

/// Reads everything that can be read; errors are fine, panics are not.
fn read_all(graph: &EmbeddedGraph) -> Result<(), GraphError> {
    let mut first = Ok(());
    let mut note = |outcome: Result<(), GraphError>| {
        if first.is_ok() {
            first = outcome;
        }
    };
    for node in (0..graph.node_count() + 2).map(NodeId) {
        note(graph.summary(node).map(drop));
        note(graph.aliases(node).map(drop));
        note(graph.description_of(node).map(drop));
        note(graph.document(node).map(drop));
        note(graph.visit(node, |_, neighbours| assert!(neighbours.iter().count() < 1000)));
    }
    for name in graph.names() {
        note(name.map(drop));
    }
    note(graph.visit_names((0..graph.node_count() + 2).map(NodeId), |_, name| drop(name)));
    for relation in (0..graph.relations().len() as u32).map(RelationId) {
        for head in graph.heads(relation).take(1000) {
            note(head.map(drop));
        }
        note(suite::block_on(graph.sample_triples(relation, 3)).map(drop));
    }
    note(graph.find("http://e.org/lima").map(drop));
    note(graph.find_literal("Lima", "@en").map(drop));
    note(graph.schema_summary().map(drop));
    note(graph.query("SELECT * { ?s ?p ?o }", &QueryOptions::default(), &mut std::io::sink()).map(drop));
    first
}

fn check_corrupt(store: &Path, file: &Path, what: &str) {
    match EmbeddedGraph::open(store) {
        Err(error) => assert_eq!(error.class(), ErrorClass::Corrupt, "{what}: {error}"),
        Ok(_) => panic!("{}: {what}, and the store still opens", file.display()),
    }
}

#[test]
fn a_missing_truncated_longer_or_foreign_file_is_said_by_name() {
    let (_folder, store) = store();
    for file in files(&store) {
        let content = std::fs::read(&file).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        std::fs::remove_file(&file).unwrap();
        check_corrupt(&store, &file, "missing");
        let message = EmbeddedGraph::open(&store).err().unwrap().to_string();
        assert!(message.contains(&name) && message.contains("import"), "{message}");
        if !content.is_empty() {
            std::fs::write(&file, &content[..content.len() - 1]).unwrap();
            check_corrupt(&store, &file, "truncated");
            std::fs::write(&file, vec![b'x'; content.len()]).unwrap();
            check_corrupt(&store, &file, "foreign");
        }
        std::fs::write(&file, [content.as_slice(), b"x"].concat()).unwrap();
        check_corrupt(&store, &file, "longer");
        std::fs::write(&file, &content).unwrap();
    }
    EmbeddedGraph::open(&store).unwrap().verify().unwrap();
}

#[test]
fn every_flipped_bit_is_found() {
    let (_folder, store) = store();
    for file in files(&store) {
        let content = std::fs::read(&file).unwrap();
        for at in (0..content.len() * 8).step_by(13) {
            let mut damaged = content.clone();
            damaged[at / 8] ^= 1 << (at % 8);
            std::fs::write(&file, &damaged).unwrap();
            let verified = EmbeddedGraph::open(&store).and_then(|graph| graph.verify());
            // A manifest may change in its white space, and then says what it said.
            assert!(verified.is_err() || file.ends_with("manifest.json"), "{} bit {at}", file.display());
        }
        std::fs::write(&file, &content).unwrap();
    }
}

/// Gives the manifest the checksum of a damaged file, so that the damage gets past the check at opening, as it does in
/// files too large for that check.
fn bless(store: &Path, file: &Path) {
    use xxhash_rust::xxh3::xxh3_64;
    let name = file.file_name().unwrap().to_str().unwrap();
    let path = store.join("manifest.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let inner = text.split_once("\"manifest\":").unwrap().1.strip_suffix('}').unwrap();
    let entry = inner.find(&format!("\"{name}\"")).unwrap();
    let at = entry + inner[entry..].find("xxh3\": \"").unwrap() + "xxh3\": \"".len();
    let mut inner = inner.to_owned();
    inner.replace_range(at..at + 16, &format!("{:016x}", xxh3_64(&std::fs::read(file).unwrap())));
    let checksum = xxh3_64(inner.as_bytes());
    std::fs::write(&path, format!("{{\"xxh3\":\"{checksum:016x}\",\"manifest\":{inner}}}")).unwrap();
}

#[test]
fn damage_past_the_checks_is_an_error_or_another_answer_but_no_panic() {
    let (_folder, store) = store();
    let manifest = std::fs::read(store.join("manifest.json")).unwrap();
    let mut errors = 0;
    for file in files(&store).into_iter().filter(|file| !file.ends_with("manifest.json")) {
        let content = std::fs::read(&file).unwrap();
        for at in 0..content.len() {
            for byte in [content[at] ^ 0x80, content[at].wrapping_add(1)] {
                let mut damaged = content.clone();
                damaged[at] = byte;
                std::fs::write(&file, &damaged).unwrap();
                bless(&store, &file);
                errors += u32::from(EmbeddedGraph::open(&store).and_then(|graph| read_all(&graph)).is_err());
            }
        }
        std::fs::write(&file, &content).unwrap();
        std::fs::write(store.join("manifest.json"), &manifest).unwrap();
    }
    assert!(errors > 100, "{errors}");
    read_all_but_unknown(&EmbeddedGraph::open(&store).unwrap());
}

/// The undamaged store has no error but for the nodes that do not exist.
fn read_all_but_unknown(graph: &EmbeddedGraph) {
    for node in (0..graph.node_count()).map(NodeId) {
        graph.summary(node).unwrap();
    }
    graph.verify().unwrap();
}

#[test]
fn another_format_version_is_refused_by_name() {
    let (_folder, store) = store();
    let path = store.join("manifest.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let inner = text.split_once("\"manifest\":").unwrap().1.strip_suffix('}').unwrap();
    let inner = inner.replace("\"version\": 2", "\"version\": 99");
    let checksum = xxhash_rust::xxh3::xxh3_64(inner.as_bytes());
    std::fs::write(&path, format!("{{\"xxh3\":\"{checksum:016x}\",\"manifest\":{inner}}}")).unwrap();
    let message = EmbeddedGraph::open(&store).err().unwrap().to_string();
    assert!(message.contains("99") && message.contains("import"), "{message}");
}

#[test]
fn a_folder_without_a_store_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let message = EmbeddedGraph::open(folder.path()).err().unwrap().to_string();
    assert!(message.contains("manifest"), "{message}");
}
