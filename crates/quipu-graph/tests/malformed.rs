//! Bad input: reported with file, line and reason; skipped and counted in a lenient import.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use quipu_graph::{GraphError, ImportConfig, ImportReport, Input, import};

const GOOD: &str = "<http://e.org/a> <http://e.org/b> \"c\" .\n";

struct Outcome {
    result: Result<ImportReport, GraphError>,
    left: Vec<String>,
}

fn try_import(name: &str, content: &[u8], change: impl FnOnce(&mut ImportConfig)) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    let mut config = ImportConfig::new("bad", vec![Input::File(path)]);
    change(&mut config);
    let store = folder.path().join("store");
    let result = import(&config, &store);
    let left = std::fs::read_dir(&store).map_or(Vec::new(), |entries| {
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
    });
    Outcome { result, left }
}

fn check(name: &str, content: &[u8], line: u64, reason: &str) {
    let outcome = try_import(name, content, |_| {});
    match outcome.result.as_ref().unwrap_err() {
        GraphError::Malformed { path, line: found, reason: said } => {
            assert!(path.ends_with(name));
            assert_eq!(*found, line, "{name}: {said}");
            assert!(said.contains(reason), "{name}: {said}");
        }
        other => panic!("{name}: {other}"),
    }
    assert!(
        !outcome.left.iter().any(|file| file == "manifest.json" || file == "spill"),
        "{:?}",
        outcome.left
    );

    let lenient = try_import(name, content, |config| config.lenient = true).result;
    if let Ok(report) = lenient {
        assert!(report.skipped >= 1);
        assert_eq!(report.skipped_lines[0].line, line);
        assert!(report.triples >= 1);
    } else {
        assert!(!content.starts_with(GOOD.as_bytes()), "{name}: a lenient import goes on");
    }
}

fn after_good(line: &str) -> Vec<u8> {
    format!("{GOOD}{line}\n{GOOD}").into_bytes()
}

#[test]
fn malformed_lines_name_file_line_and_reason() {
    check("a.nt", &after_good("<http://e.org/a> <http://e.org/b> ."), 2, "");
    check("a.nt", &after_good("<relative> <http://e.org/b> \"c\" ."), 2, "");
    check("a.nt", &after_good("<http://e.org/a> <http://e.org/b> \"c\""), 2, "");
    check("a.nt", &after_good("\"a\" <http://e.org/b> \"c\" ."), 2, "");
    check("a.nt", &after_good("not RDF at all"), 2, "");
    check("a.tsv", b"a\tb\tc\na\tb\n", 2, "3 columns".strip_prefix("3 ").unwrap());
    check("a.tsv", b"a\tb\tc\na\tb\tc\td\n", 2, "4 columns");
    check("a.tsv", b"a\tb\tc\na\t\tc\n", 2, "empty");
    check("a.csv", b"a,b,c\na,\"b,c\n", 2, "not closed");
    check("a.jsonl", b"{\"id\": \"a\", \"name\": \"b\"}\n{\"id\": \n", 2, "not a node");
    check("a.jsonl", b"{\"id\": \"a\", \"name\": \"b\"}\n{\"id\": \"\"}\n", 2, "empty id");
    let entity = "[\n{\"type\": \"item\", \"id\": \"Q1\", \"labels\": {\"en\": {\"language\": \"en\", \"value\": \"x\"}}},\n";
    check(
        "a.json",
        format!("{entity}{{\"type\": \"item\", \"id\": \"Q2\", \"labels\": 7}}\n]").as_bytes(),
        3,
        "not an entity of Wikidata",
    );
    check("a.json", format!("{entity}<a> <b> <c> .\n").as_bytes(), 3, "not an entity of Wikidata");
    check("a.ttl", b"@prefix e: <http://e.org/> .\ne:a e:b e:c .\ne:a e:b x:c .\n", 3, "column 9");
}

#[test]
fn a_malformed_place_of_rdf_xml_is_named_by_its_line() {
    let head = "<?xml version=\"1.0\"?>\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:e=\"http://e.org/\">\n\
                <rdf:Description rdf:about=\"http://e.org/a\">\n<e:b>c</e:b>\n</rdf:Description>\n";
    check(
        "a.rdf",
        format!("{head}<rdf:Description rdf:about=\"relative\">\n<e:b>c</e:b>\n").as_bytes(),
        6,
        "",
    );
    check("a.rdf", format!("{head}\n<e:b></e:c>\n</rdf:RDF>\n").as_bytes(), 7, "");
}

#[test]
fn a_line_is_told_once_and_rightly() {
    let outcome = try_import("a.nt", &after_good("<http://e.org/a> <http://e.org/b> c ."), |_| {});
    let message = outcome.result.unwrap_err().to_string();
    assert!(message.contains("a.nt:2: column 3") && !message.contains("line 1"), "{message}");
}

#[test]
fn invalid_utf8_names_its_line_and_byte() {
    let mut content = GOOD.as_bytes().to_vec();
    content.extend_from_slice(b"<http://e.org/a> <http://e.org/b> \"\xff\" .\n");
    check("a.nt", &content, 2, "UTF-8 at byte 36");
    check("a.tsv", b"a\tb\tc\n\xc3\x28\tb\tc\n", 2, "UTF-8 at byte 1");
}

#[test]
fn a_lenient_import_counts_all_and_lists_a_hundred() {
    let content = format!("{GOOD}{}", "nonsense\n".repeat(250));
    let report = try_import("a.nt", content.as_bytes(), |config| config.lenient = true).result.unwrap();
    assert_eq!((report.skipped, report.skipped_lines.len(), report.triples), (250, 100, 1));
    let lines: Vec<u64> = report.skipped_lines.iter().map(|skipped| skipped.line).collect();
    assert_eq!(lines, (2..102).collect::<Vec<u64>>());
}

#[test]
fn broken_compression_is_an_error_that_names_the_file() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    let text: String = (0..20_000).map(|i| format!("e{i}\tr\tt{}\n", i * 7919 % 10_007)).collect();
    encoder.write_all(text.as_bytes()).unwrap();
    let whole = encoder.finish().unwrap();
    let truncated = whole[..whole.len() / 2].to_vec();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 0x55;
    let zstd = zstd::encode_all(text.as_bytes(), 1).unwrap();
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    let bzip = encoder.finish().unwrap();
    for (name, content) in [
        ("cut.tsv.gz", truncated),
        ("flipped.tsv.gz", flipped),
        ("cut.tsv.zst", zstd[..zstd.len() - 9].to_vec()),
        ("cut.tsv.bz2", bzip[..bzip.len() / 2].to_vec()),
    ] {
        for lenient in [false, true] {
            let error = try_import(name, &content, |config| config.lenient = lenient).result.unwrap_err();
            assert!(
                matches!(error, GraphError::Packed { .. } | GraphError::Malformed { .. }),
                "{name}: {error}"
            );
            assert!(error.to_string().contains(name), "{error}");
        }
    }
}

#[test]
fn what_holds_no_triples_is_said() {
    let message = |name, content: &[u8]| try_import(name, content, |_| {}).result.unwrap_err().to_string();
    assert!(message("a.nt", b"").contains("no triples"));
    assert!(message("a.nt", b"# only a comment\n").contains("no triples"));
    assert!(message("unknown", b"\x00\x01\x02 binary").contains("--format"));
    let missing = ImportConfig::new("x", vec![Input::File("no/such/file.nt".into())]);
    let folder = tempfile::tempdir().unwrap();
    assert!(
        import(&missing, &folder.path().join("store")).unwrap_err().to_string().contains("no/such/file.nt")
    );
}

#[test]
fn a_cancelled_import_stops_and_leaves_no_store() {
    let outcome = try_import("a.nt", GOOD.as_bytes(), |config| config.cancel.store(true, Ordering::Relaxed));
    assert!(matches!(outcome.result, Err(GraphError::Cancelled)));
    assert!(!outcome.left.contains(&"manifest.json".to_owned()));
}

/// Imports a semi-structured base: its nodes, then its edges.
fn try_base(nodes: &str, edges: &str, lenient: bool) -> Result<ImportReport, GraphError> {
    let folder = tempfile::tempdir().unwrap();
    let inputs = [("nodes.jsonl", nodes), ("edges.tsv", edges)].map(|(name, text)| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Input::File(path)
    });
    let mut config = ImportConfig::new("base", inputs.to_vec());
    config.lenient = lenient;
    import(&config, &folder.path().join("store"))
}

#[test]
fn edges_to_missing_nodes_and_ids_that_stand_twice_are_named_and_counted() {
    let nodes = "{\"id\": \"a\", \"name\": \"A\"}\n{\"id\": 2, \"name\": \"B\"}\n";
    let good = "a\tnear\t2\n";
    assert!(try_base(nodes, good, false).is_ok());
    let refused = |nodes: &str, edges: &str, file: &str, at: u64, says: &str| {
        match try_base(nodes, edges, false).unwrap_err() {
            GraphError::Malformed { path, line, reason } => {
                assert!(
                    path.ends_with(file) && line == at && reason.contains(says),
                    "{path:?}:{line}: {reason}"
                );
            }
            other => panic!("{other}"),
        }
        let report = try_base(nodes, edges, true).unwrap();
        assert_eq!((report.skipped, report.skipped_lines[0].line), (1, at));
    };
    refused(nodes, "a\tnear\t2\na\tnear\tc\n", "edges.tsv", 2, "an edge to c");
    refused(nodes, "d\tnear\t2\na\tnear\t2\n", "edges.tsv", 1, "an edge to d");
    let twice = format!("{nodes}{{\"id\": \"a\", \"name\": \"Another\"}}\n");
    refused(&twice, good, "nodes.jsonl", 3, "the id a appears twice");
}
