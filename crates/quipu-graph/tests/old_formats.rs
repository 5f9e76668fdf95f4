//! Stores that earlier versions wrote: each opens, or says what to do.

use std::path::Path;

use quipu_graph::{EmbeddedGraph, ErrorClass};

/// A store of each earlier format, written by the code of its day from the same six triples.
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
