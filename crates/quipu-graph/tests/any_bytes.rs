//! Arbitrary bytes as a dump, in every format: the import gives an error that names the file, or a
//! consistent store, but never panics. Half of the cases are damaged valid files, because noise
//! alone seldom gets past the first character.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use crate::common;
use proptest::collection::vec;
use proptest::prelude::*;
use quipu_graph::{EmbeddedGraph, ErrorClass, ImportConfig, Input};

/// One valid file of each format.
const GOOD: [(&str, &str); 11] = [
    (
        "graph.nt",
        "<http://e.org/a> <http://e.org/r> \"caf\\u00e9 \\\"x\\\"\"@en-GB .\n_:b <http://e.org/r> \"1\"^^<http://e.org/int> . # x\n",
    ),
    ("graph.nq", "<http://e.org/a> <http://e.org/r> <http://e.org/b> <http://e.org/g> .\n"),
    ("graph.ttl", "@prefix e: <http://e.org/> .\ne:a e:r e:b, \"c\"@en ; e:s [ e:t ( 1 2.5 true ) ] .\n"),
    (
        "graph.trig",
        "@prefix e: <http://e.org/> .\ne:g { e:a e:r e:b, \"c\"@en . }\nGRAPH e:h { e:a e:s [ ] }\n",
    ),
    ("graph.tsv", "head\trelation\ttail\nLima\tcapital of\tPeru\nCusco\tlies in\tPeru\n"),
    ("graph.csv", "head,relation,tail\nLima,\"capital, \"\"of\"\"\",Peru\n"),
    (
        "things.csv",
        "name,price,added,\"by, whom\"\nFalcon,1.5,2024-02-28,Falcon\n\"He\"\"ron\",n/a,2024-03-01,Falcon\n",
    ),
    ("nodes.jsonl", "{\"id\": 1, \"name\": \"a\", \"type\": \"t\", \"aliases\": [\"b\"], \"text\": \"c\"}\n"),
    (
        "graph.rdf",
        "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:e=\"http://e.org/\"><rdf:Description rdf:about=\"http://e.org/a\"><e:r>x</e:r></rdf:Description></rdf:RDF>",
    ),
    (
        "graph.jsonld",
        "{\"@id\": \"http://e.org/a\", \"http://e.org/r\": [{\"@value\": \"x\", \"@language\": \"en\"}]}",
    ),
    (
        "graph.json",
        "[\n{\"type\":\"item\",\"id\":\"Q1\",\"labels\":{\"en\":{\"language\":\"en\",\"value\":\"a\"}},\"claims\":{\"P1\":[{\"mainsnak\":{\"datavalue\":{\"type\":\"time\",\"value\":{\"time\":\"+1952-03-11T00:00:00Z\",\"precision\":9}}},\"rank\":\"normal\"}]}},\n]\n",
    ),
];

fn check(name: &str, content: &[u8], lenient: bool) {
    let folder = tempfile::tempdir().unwrap();
    let (file, store) = (folder.path().join(name), folder.path().join("store"));
    std::fs::write(&file, content).unwrap();
    let mut config = ImportConfig::new("any", vec![Input::File(file)]);
    (config.lenient, config.threads) = (lenient, 1);
    match quipu_graph::import(&config, &store) {
        Ok(_) => {
            let graph = EmbeddedGraph::open(&store).unwrap();
            graph.verify().unwrap();
            common::dump(&graph);
        }
        Err(error) => {
            assert_eq!(error.class(), ErrorClass::User, "{error}");
            let message = error.to_string();
            assert!(message.contains(name) || message.contains("no triples"), "{message}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn noise_is_refused_or_stored(format in 0..GOOD.len(), noise in vec(any::<u8>(), 0..300), lenient in any::<bool>()) {
        check(GOOD[format].0, &noise, lenient);
    }

    #[test]
    fn damaged_lines_are_refused_or_stored(
        format in 0..GOOD.len(),
        damage in vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..6),
        lenient in any::<bool>(),
    ) {
        let (name, good) = GOOD[format];
        let mut content = good.repeat(2).into_bytes();
        for (place, byte, how) in damage {
            let at = place.index(content.len());
            match how {
                0 => content[at] = byte,
                1 => content.insert(at, byte),
                _ => content.truncate(at.max(1)),
            }
        }
        check(name, &content, lenient);
    }
}
