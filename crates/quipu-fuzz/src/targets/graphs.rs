//! The formats that graphs are imported from.

use quipu_graph::{EmbeddedGraph, ErrorClass, ImportConfig, Input, ProfileChoice};

use crate::scratch;

/// A file of any bytes becomes a consistent store, or gives a user error that names the file.
fn import(name: &str, bytes: &[u8]) {
    let folder = scratch::folder();
    let (file, store) = (folder.path().join(name), folder.path().join("store"));
    std::fs::write(&file, bytes).unwrap();
    let mut config = ImportConfig::new("any", vec![Input::File(file)]);
    // By its length: the choice of lenient reading must not depend on the first bytes.
    (config.lenient, config.threads, config.memory) = (bytes.len() % 2 == 1, 1, 16 << 20);
    match quipu_graph::import(&config, &store) {
        Ok(report) => {
            let graph = EmbeddedGraph::open(&store).unwrap();
            graph.verify().unwrap();
            assert_eq!(graph.entity_count(), report.entities);
            assert!(report.triples <= report.statements.max(report.triples));
        }
        Err(error) => {
            assert_eq!(error.class(), ErrorClass::User, "{error}");
            let message = error.to_string();
            assert!(message.contains(name) || message.contains("no triples"), "{message}");
        }
    }
}

pub(super) fn ntriples(bytes: &[u8]) {
    import("graph.nt", bytes);
}

pub(super) fn nquads(bytes: &[u8]) {
    import("graph.nq", bytes);
}

pub(super) fn turtle(bytes: &[u8]) {
    import("graph.ttl", bytes);
}

pub(super) fn trig(bytes: &[u8]) {
    import("graph.trig", bytes);
}

pub(super) fn rdfxml(bytes: &[u8]) {
    import("graph.rdf", bytes);
}

pub(super) fn jsonld(bytes: &[u8]) {
    import("graph.jsonld", bytes);
}

pub(super) fn tsv(bytes: &[u8]) {
    import("graph.tsv", bytes);
}

pub(super) fn csv(bytes: &[u8]) {
    import("graph.csv", bytes);
}

pub(super) fn skb(bytes: &[u8]) {
    import("nodes.jsonl", bytes);
}

pub(super) fn wikidata(bytes: &[u8]) {
    import("graph.json", bytes);
}

/// Its first byte chooses the compression.
pub(super) fn compressed(bytes: &[u8]) {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    import(["graph.tsv.gz", "graph.tsv.bz2", "graph.tsv.zst"][usize::from(kind % 3)], bytes);
}

/// A user's profile: it is refused with its file, or a graph is imported with it.
pub(super) fn profile(bytes: &[u8]) {
    const GRAPH: &str = "<e:gorwen> <e:called> \"Gorwen\"@en .\n<e:gorwen> <e:kind> <e:town> .\n\
        <e:gorwen> <e:trade> _:b .\n_:b <e:with> <e:haldt> .\n<p:trade> <e:called> \"trade\" .\n";
    let folder = scratch::folder();
    let [graph, profile, store] = ["graph.nt", "own.toml", "store"].map(|name| folder.path().join(name));
    std::fs::write(&graph, GRAPH).unwrap();
    std::fs::write(&profile, bytes).unwrap();
    let mut config = ImportConfig::new("any", vec![Input::File(graph)]);
    (config.profile, config.threads, config.memory) = (ProfileChoice::File(profile), 1, 16 << 20);
    match quipu_graph::import(&config, &store) {
        Ok(_) => EmbeddedGraph::open(&store).unwrap().verify().unwrap(),
        Err(error) => {
            let message = error.to_string();
            assert!(message.contains("own.toml"), "{message}");
        }
    }
}
