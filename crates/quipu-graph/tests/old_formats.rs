//! Stores of earlier versions: each opens, or its error states the next step.

use std::path::Path;

use quipu_graph::{EmbeddedGraph, ErrorClass};

/// A store of each earlier format, written by that version's code from the same six triples.
const FORMATS: [u32; 2] = [1, 2];

#[test]
fn a_store_of_an_earlier_format_says_what_to_do() {
    for format in FORMATS {
        let store = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/old_formats/{format}"));
        assert!(store.join("manifest.json").exists(), "{}", store.display());
        let error = EmbeddedGraph::open(&store).err().unwrap();
        let message = error.to_string();
        for said in ["an earlier Quipu", &format!("store format {format}"), "import"] {
            assert!(message.contains(said), "{message}");
        }
        assert_eq!(error.class(), ErrorClass::Corrupt);
    }
}
