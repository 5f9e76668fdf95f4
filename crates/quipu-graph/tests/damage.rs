//! Damaged stores: reading gives an error that names the file or the answer of the undamaged store,
//! never another answer, never a panic; and `verify` finds every flipped bit.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use crate::suite;
use std::fmt::{Debug, Write};
use std::path::{Path, PathBuf};

use quipu_graph::{
    Direction, EmbeddedGraph, ErrorClass, Graph, GraphError, ImportConfig, Input, NodeId, QueryOptions,
    RelationId, Step,
};
use xxhash_rust::xxh3::xxh3_64;

/// Bytes that one checksum covers.
const PAGE: usize = 4096;
/// Opening once checked only files up to this size.
const LARGE: usize = 64 << 10;

fn import(folder: &Path, triples: &str, nodes: &str) -> PathBuf {
    let files = [folder.join("graph.nt"), folder.join("nodes.jsonl")];
    std::fs::write(&files[0], triples).unwrap();
    std::fs::write(&files[1], nodes).unwrap();
    let store = folder.join("store");
    let config = ImportConfig::new("damage", files.map(Input::File).to_vec());
    quipu_graph::import(&config, &store).unwrap();
    store
}

fn store() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let nodes = r#"{"id": "n1", "name": "a node", "aliases": ["b"], "text": "its text"}"#;
    let store = import(folder.path(), suite::TRIPLES, nodes);
    (folder, store)
}

fn files(store: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(store).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 10);
    files
}

fn name(file: &Path) -> &str {
    file.file_name().unwrap().to_str().unwrap()
}

/// The calls to a store.
struct Questions {
    nodes: Vec<NodeId>,
    /// Keys of entities; lexical forms and kinds of literals.
    keys: Vec<String>,
    literals: Vec<(String, String)>,
}

impl Questions {
    /// Calls for every `step`th node.
    fn about(graph: &EmbeddedGraph, step: usize) -> Self {
        let nodes: Vec<NodeId> = (0..graph.node_count()).step_by(step).map(NodeId).collect();
        let entities = nodes.iter().filter(|node| !graph.is_literal(**node));
        let literals = nodes.iter().filter_map(|node| graph.literal(*node).unwrap());
        Self {
            keys: entities.map(|node| graph.key(*node).unwrap().into_owned()).collect(),
            literals: literals.map(|literal| (literal.lexical.to_owned(), literal.kind.to_owned())).collect(),
            nodes,
        }
    }
}

type Answer = Result<String, GraphError>;

fn answer(outcome: Result<impl Debug, GraphError>) -> Answer {
    outcome.map(|found| format!("{found:?}"))
}

/// The store's answers: one for each call, always in the same order.
fn answers(graph: &EmbeddedGraph, questions: &Questions) -> Vec<Answer> {
    let mut answers = Vec::new();
    for node in questions.nodes.iter().copied() {
        answers.push(answer(graph.summary(node)));
        answers.push(answer(graph.aliases(node)));
        answers.push(answer(graph.description_of(node)));
        answers.push(answer(graph.document(node)));
        answers.push(answer(graph.relations_of_sync(node)));
        answers.push(answer(suite::block_on(graph.expand(&[node], None, 2))));
        let mut lists = String::new();
        let outcome = graph.visit(node, |group, neighbours| {
            write!(lists, "{group:?} {:?}", neighbours.iter().collect::<Vec<_>>()).unwrap();
        });
        answers.push(outcome.map(|()| lists));
    }
    answers.extend(questions.keys.iter().map(|key| answer(graph.find(key))));
    answers
        .extend(questions.literals.iter().map(|(lexical, kind)| answer(graph.find_literal(lexical, kind))));
    for relation in (0..graph.relations().len() as u32).map(RelationId) {
        answers.push(answer(graph.heads(relation).collect::<Result<Vec<_>, _>>()));
        answers.push(answer(suite::block_on(graph.sample_triples(relation, 3))));
    }
    answers.push(answer(graph.all_documents().collect::<Result<Vec<_>, _>>()));
    answers.push(answer(graph.schema_summary()));
    answers
}

/// The same, plus the calls that read the whole store.
fn all_answers(graph: &EmbeddedGraph, questions: &Questions) -> Vec<Answer> {
    let mut answers = answers(graph, questions);
    answers.push(answer(graph.names().collect::<Result<Vec<_>, _>>()));
    let mut names = Vec::new();
    let outcome = graph.visit_names(questions.nodes.iter().copied(), |_, name| names.push(name));
    answers.push(answer(outcome.map(|()| names)));
    for query in [
        "SELECT * { ?s ?p ?o }",
        "SELECT * { ?s <http://e.org/liesIn> ?o . ?o ?p \"Peru\"@en }",
        "SELECT ?s { ?s ?p ?o FILTER(CONTAINS(STR(?o), \"Lima\")) } ORDER BY ?o",
        "SELECT ?s { ?s ?p ?o FILTER NOT EXISTS { ?o ?q ?v } } ORDER BY ?s",
        "SELECT (COUNT(*) AS ?n) { ?s ?p ?o FILTER(!ISLITERAL(?o) || STR(?o) < \"M\") }",
    ] {
        let mut rows = Vec::new();
        let outcome = graph.query(query, &QueryOptions::default(), &mut rows);
        let rows = String::from_utf8(rows).unwrap();
        if query.contains("COUNT") {
            // The result is a single row, so after damage none must be written.
            assert!(outcome.is_ok() || !rows.contains(|c: char| c.is_ascii_digit()), "{rows}");
        }
        answers.push(answer(outcome.map(|_| rows)));
    }
    answers
}

/// The answers of an undamaged store.
fn undamaged(answers: Vec<Answer>) -> Vec<String> {
    answers.into_iter().map(Result::unwrap).collect()
}

/// Checks that each answer is the expected one or an error with a next step; returns the errors.
fn check(found: Vec<Answer>, expected: &[String], what: &str) -> Vec<String> {
    assert_eq!(found.len(), expected.len(), "{what}");
    let mut errors = Vec::new();
    for (found, expected) in found.into_iter().zip(expected) {
        match found {
            Ok(found) => assert_eq!(&found, expected, "{what}"),
            Err(error) => {
                assert_eq!(error.class(), ErrorClass::Corrupt, "{what}: {error}");
                assert!(error.to_string().contains("import"), "{what}: {error}");
                errors.push(error.to_string());
            }
        }
    }
    errors
}

#[test]
fn a_missing_truncated_longer_or_foreign_file_is_said_by_name() {
    let (_folder, store) = store();
    let open = |what: &str| match EmbeddedGraph::open(&store) {
        Err(error) => {
            assert_eq!(error.class(), ErrorClass::Corrupt, "{what}: {error}");
            error.to_string()
        }
        Ok(_) => panic!("{what}, and the store still opens"),
    };
    let questions = Questions::about(&EmbeddedGraph::open(&store).unwrap(), 1);
    for file in files(&store) {
        let content = std::fs::read(&file).unwrap();
        let name = name(&file);
        std::fs::remove_file(&file).unwrap();
        let message = open(&format!("{name} is missing"));
        assert!(message.contains(name) && message.contains("import"), "{message}");
        if !content.is_empty() {
            std::fs::write(&file, &content[..content.len() - 1]).unwrap();
            open(&format!("{name} is truncated"));
            std::fs::write(&file, vec![b'x'; content.len()]).unwrap();
            let errors = match EmbeddedGraph::open(&store) {
                Ok(graph) => all_answers(&graph, &questions).into_iter().filter_map(Result::err).collect(),
                Err(error) => vec![error],
            };
            assert!(errors.iter().any(|error| error.class() == ErrorClass::Corrupt), "{name} is foreign");
        }
        std::fs::write(&file, [content.as_slice(), b"x"].concat()).unwrap();
        open(&format!("{name} is longer"));
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
            // A manifest may change in its white space without changing its meaning.
            assert!(verified.is_err() || file.ends_with("manifest.json"), "{} bit {at}", file.display());
        }
        std::fs::write(&file, &content).unwrap();
    }
}

/// Calls `check` with the store after each change of a byte of `file`.
fn for_each_damage(file: &Path, mut check: impl FnMut(&str)) {
    let content = std::fs::read(file).unwrap();
    for at in 0..content.len() {
        for byte in [content[at] ^ 0x80, content[at].wrapping_add(1)] {
            let mut damaged = content.clone();
            damaged[at] = byte;
            std::fs::write(file, &damaged).unwrap();
            check(&format!("{}: byte {at} is {byte}", name(file)));
        }
    }
    std::fs::write(file, &content).unwrap();
}

#[test]
fn a_damaged_byte_is_an_error_and_never_another_answer() {
    let (_folder, store) = store();
    let graph = EmbeddedGraph::open(&store).unwrap();
    let questions = Questions::about(&graph, 1);
    let expected = undamaged(all_answers(&graph, &questions));
    // A mapped file must not be written.
    drop(graph);
    for file in files(&store) {
        for_each_damage(&file, |what| match EmbeddedGraph::open(&store) {
            Err(error) => assert_eq!(error.class(), ErrorClass::Corrupt, "{what}: {error}"),
            Ok(graph) => {
                let errors = check(all_answers(&graph, &questions), &expected, what);
                assert!(!errors.is_empty() || file.ends_with("manifest.json"), "{what}: it is never read");
            }
        });
    }
    check(all_answers(&EmbeddedGraph::open(&store).unwrap(), &questions), &expected, "at the end");
}

/// Updates the checksums of a damaged file as if it had been written so: those of its pages, its
/// own, and the manifest's.
fn bless(store: &Path, file: &Path) {
    let (manifest, checks) = (store.join("manifest.json"), store.join("checks"));
    let text = std::fs::read_to_string(&manifest).unwrap();
    let mut inner = text.split_once("\"manifest\":").unwrap().1.strip_suffix('}').unwrap().to_owned();
    if file != checks {
        let parsed: serde_json::Value = serde_json::from_str(&inner).unwrap();
        let entries = parsed["files"].as_array().unwrap();
        let before = entries.iter().take_while(|entry| entry["name"] != name(file));
        let pages: usize =
            before.map(|entry| (entry["bytes"].as_u64().unwrap() as usize).div_ceil(PAGE)).sum();
        let mut sums = std::fs::read(&checks).unwrap();
        for (page, sum) in
            std::fs::read(file).unwrap().chunks(PAGE).zip(sums[4 * pages..].chunks_exact_mut(4))
        {
            sum.copy_from_slice(&(xxh3_64(page) as u32).to_le_bytes());
        }
        std::fs::write(&checks, sums).unwrap();
    }
    for file in [file, &checks] {
        let entry = inner.find(&format!("\"name\": \"{}\"", name(file))).unwrap();
        let at = entry + inner[entry..].find("xxh3\": \"").unwrap() + "xxh3\": \"".len();
        inner.replace_range(at..at + 16, &format!("{:016x}", xxh3_64(&std::fs::read(file).unwrap())));
    }
    let checksum = xxh3_64(inner.as_bytes());
    std::fs::write(&manifest, format!("{{\"xxh3\":\"{checksum:016x}\",\"manifest\":{inner}}}")).unwrap();
}

#[test]
fn damage_past_the_checks_is_an_error_or_another_answer_but_no_panic() {
    let (_folder, store) = store();
    let graph = EmbeddedGraph::open(&store).unwrap();
    let mut questions = Questions::about(&graph, 1);
    questions.nodes.extend([graph.node_count(), graph.node_count() + 1, u64::MAX].map(NodeId));
    drop(graph);
    let kept = ["manifest.json", "checks"].map(|name| store.join(name));
    let contents = kept.each_ref().map(|file| std::fs::read(file).unwrap());
    let (mut errors, mut others) = (0, 0);
    for file in files(&store).into_iter().filter(|file| !file.ends_with("manifest.json")) {
        for_each_damage(&file, |_| {
            bless(&store, &file);
            let outcome = EmbeddedGraph::open(&store).map(|graph| all_answers(&graph, &questions));
            // Unknown nodes are errors in any store.
            match outcome {
                Err(_) => errors += 1,
                Ok(answers) => others += u32::from(answers.iter().any(Result::is_ok)),
            }
        });
        for (file, content) in kept.iter().zip(&contents) {
            std::fs::write(file, content).unwrap();
        }
    }
    assert!(errors > 100 && others > 100, "{errors} {others}");
    EmbeddedGraph::open(&store).unwrap().verify().unwrap();
}

/// A store of entities with one type, and more documents than fit into one page.
fn large_store(entities: usize) -> (tempfile::TempDir, PathBuf) {
    let (mut triples, mut nodes) = (String::new(), String::new());
    for number in 0..entities {
        let entity = format!("<http://e.org/entity/{number}>");
        let next = number * 7919 % entities;
        writeln!(triples, "{entity} <http://www.w3.org/2000/01/rdf-schema#label> \"name {number}\"@en .")
            .unwrap();
        writeln!(
            triples,
            "{entity} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/Thing> ."
        )
        .unwrap();
        writeln!(triples, "{entity} <http://e.org/next> <http://e.org/entity/{next}> .").unwrap();
    }
    for number in 0..5_000 {
        writeln!(nodes, r#"{{"id": "n{number}", "text": "What there is to say of {number}."}}"#).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let store = import(folder.path(), &triples, &nodes);
    (folder, store)
}

fn thing(graph: &EmbeddedGraph) -> NodeId {
    graph.find("http://e.org/Thing").unwrap().unwrap()
}

#[test]
fn a_flipped_bit_in_a_large_file_is_said_where_it_is_read_and_nowhere_else() {
    let (_folder, store) = large_store(50_000);
    let graph = EmbeddedGraph::open(&store).unwrap();
    let mut questions = Questions::about(&graph, 37);
    questions.nodes.push(thing(&graph));
    let expected = undamaged(answers(&graph, &questions));
    drop(graph);
    let mut damaged = Vec::new();
    for file in files(&store) {
        let mut content = std::fs::read(&file).unwrap();
        if content.len() <= LARGE {
            continue;
        }
        let (file_name, at) = (name(&file), content.len() / 5 * 2);
        content[at] ^= 1;
        std::fs::write(&file, &content).unwrap();
        let graph = EmbeddedGraph::open(&store).unwrap();
        let errors = check(answers(&graph, &questions), &expected, file_name);
        let page = format!("bytes {} to", at / PAGE * PAGE);
        assert!(!errors.is_empty(), "{file_name}");
        assert!(errors.iter().all(|error| error.contains(file_name) && error.contains(&page)), "{errors:?}");
        assert!(errors.len() < expected.len() / 4, "{file_name}: {} of {}", errors.len(), expected.len());
        let message = graph.verify().unwrap_err().to_string();
        assert!(message.contains(file_name) && message.contains("import"), "{message}");
        drop(graph);
        content[at] ^= 1;
        std::fs::write(&file, &content).unwrap();
        damaged.push(file_name.to_owned());
    }
    let expected = [
        "adjacency.offsets",
        "adjacency.records",
        "documents.index",
        "documents.texts",
        "entities.blocks",
        "entities.index",
        "entities.terms",
        "heads",
        "literals.blocks",
        "literals.index",
        "literals.terms",
        "names",
    ];
    assert_eq!(damaged, expected);
}

#[test]
fn of_a_hub_only_what_is_wanted_is_read() {
    let (_folder, store) = large_store(10_000);
    let graph = EmbeddedGraph::open(&store).unwrap();
    let hub = thing(&graph);
    let groups = graph.relations_of_sync(hub).unwrap();
    let [group] = groups.as_slice() else { panic!("the hub has other relations: {groups:?}") };
    assert_eq!((group.step.direction, group.fan_out), (Direction::Backward, 10_000));
    let read = |graph: &EmbeddedGraph| {
        let mut visited = Vec::new();
        graph.visit_first(hub, 50, |_, neighbours| visited.extend(neighbours.iter())).unwrap();
        let steps: &[Step] = &[group.step];
        let expand = |steps| suite::block_on(graph.expand(&[hub], steps, 50)).unwrap();
        let expanded = (expand(None), expand(Some(steps)));
        (visited, expanded, graph.summary(hub).unwrap(), graph.relations_of_sync(hub).unwrap())
    };
    let expected = read(&graph);
    assert_eq!(expected.0.len(), 50);
    drop(graph);

    let offsets = std::fs::read(store.join("adjacency.offsets")).unwrap();
    let place = hub.0 as usize * 5;
    let header =
        offsets[place..place + 5].iter().rev().fold(0, |value, byte| value << 8 | usize::from(*byte));
    let records = store.join("adjacency.records");
    let mut content = std::fs::read(&records).unwrap();
    // The list ends where the header starts, and has two bytes an id.
    content[header - 10_000] ^= 1;
    std::fs::write(&records, content).unwrap();

    let graph = EmbeddedGraph::open(&store).unwrap();
    assert_eq!(read(&graph), expected);
    let outcomes = [graph.neighbours(hub, group.step).map(drop), graph.visit(hub, |_, _| ())];
    for outcome in outcomes {
        let message = outcome.unwrap_err().to_string();
        assert!(message.contains("adjacency.records") && message.contains("import"), "{message}");
    }
}

#[test]
fn another_format_version_is_refused_by_name() {
    let (_folder, store) = store();
    let path = store.join("manifest.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let inner = text.split_once("\"manifest\":").unwrap().1.strip_suffix('}').unwrap();
    let inner = inner.replace("\"version\": 3", "\"version\": 99");
    let checksum = xxh3_64(inner.as_bytes());
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

/// KiB of this process's memory in a folder's mapped files.
#[cfg(target_os = "linux")]
fn resident(folder: &Path) -> u64 {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let mut within = false;
    let mut kib = 0;
    for line in maps.lines() {
        // A mapping begins with its addresses. Its properties follow, each on a line with a name
        // and a colon.
        if line.split(' ').next().is_some_and(|first| !first.ends_with(':')) {
            within =
                line.split_once('/').is_some_and(|(_, path)| Path::new("/").join(path).starts_with(folder));
        } else if let Some(size) = line.strip_prefix("Rss:").filter(|_| within) {
            kib += size.trim().trim_end_matches(" kB").parse::<u64>().unwrap();
        }
    }
    kib
}

#[cfg(target_os = "linux")]
#[test]
fn what_is_let_go_takes_no_memory_and_is_read_again() {
    let (_folder, store) = large_store(20_000);
    let graph = EmbeddedGraph::open(&store).unwrap();
    let questions = Questions::about(&graph, 500);
    let expected = undamaged(answers(&graph, &questions));
    let before = resident(&store);
    assert!(before > 500, "{before} KiB");
    graph.let_go();
    assert_eq!(resident(&store), 0);
    assert_eq!(undamaged(answers(&graph, &questions)), expected);
}
