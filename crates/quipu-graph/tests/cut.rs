//! Files cut at every byte are refused, unless the format has no end mark: then everything before
//! the cut is imported.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::io::Write as _;

use quipu_graph::{ErrorClass, GraphError, ImportConfig, ImportReport, Input, import};

/// How a format shows that a file was cut.
enum End {
    /// The format has an end mark: only blanks may be missing.
    Own,
    /// Statements end in a mark that occurs nowhere else in the file: whole statements are
    /// imported.
    Mark(u8),
    /// The last column of a line may be cut.
    Line,
    /// The last columns of a row may be cut, unless a quote is open.
    Row,
}

fn try_import(name: &str, content: &[u8]) -> Result<ImportReport, GraphError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, content).unwrap();
    let mut config = ImportConfig::new("cut", vec![Input::File(file)]);
    config.threads = 1;
    import(&config, &folder.path().join("store"))
}

/// Cuts a file at every byte.
fn check(name: &str, whole: &str, end: &End) {
    try_import(name, whole.as_bytes()).unwrap();
    for at in 0..whole.trim_end().len() {
        let cut = &whole.as_bytes()[..at];
        let outcome = try_import(name, cut).map(|report| {
            let within_a_line = matches!(end, End::Line | End::Row) && !cut.ends_with(b"\n");
            assert!(!within_a_line || report.open_ended.len() == 1, "{name} cut at {at} without a remark");
            report.statements
        });
        let expected = match end {
            End::Own => None,
            End::Mark(mark) => Some(cut.iter().filter(|byte| *byte == mark).count() as u64),
            End::Line => Some(String::from_utf8_lossy(cut).lines().count() as u64),
            // Each quote stands for itself: within a cell it would be doubled.
            End::Row if cut.iter().filter(|byte| **byte == b'"').count() % 2 == 1 => None,
            End::Row => outcome.as_ref().ok().copied(),
        };
        match outcome {
            Ok(statements) => assert_eq!(Some(statements), expected, "{name} cut at {at}"),
            Err(error) => {
                let told = error.to_string().contains(name) || matches!(error, GraphError::Empty);
                assert!(told, "{name} cut at {at}: {error}");
            }
        }
    }
}

const RDF_XML: &str = "<?xml version=\"1.0\"?>\n<rdf:RDF \
    xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:e=\"http://e.org/\">\n\
    <rdf:Description rdf:about=\"http://e.org/a\"><e:r>x</e:r></rdf:Description>\n\
    <!-- half --><e:k rdf:about=\"http://e.org/b\"/>\n</rdf:RDF>\n";
const WIKIDATA: &str = "[\n\
    {\"type\":\"item\",\"id\":\"Q1\",\"labels\":{\"en\":{\"language\":\"en\",\"value\":\"a\"}}},\n\
    {\"type\":\"item\",\"id\":\"Q2\",\"labels\":{\"en\":{\"language\":\"en\",\"value\":\"b\"}}}\n]\n";
const JSON_LD: &str = "[{\"@id\": \"http://e.org/a\", \"http://e.org/r\": [{\"@value\": \"x\"}]},\n\
    {\"@id\": \"http://e.org/b\", \"http://e.org/r\": {\"@id\": \"http://e.org/a\"}}]\n";

#[test]
fn a_format_with_an_end_of_its_own_is_refused_at_every_cut() {
    check("graph.rdf", RDF_XML, &End::Own);
    check("graph.json", WIKIDATA, &End::Own);
    check("graph.jsonld", JSON_LD, &End::Own);
}

#[test]
fn a_format_without_an_end_gives_whole_statements_only() {
    let triples = "<e:a> <e:r> \"x\"@en .\n<e:b> <e:r> <e:c> .\n";
    check("graph.nt", triples, &End::Mark(b'.'));
    check("graph.nq", &triples.replace(" .", " <e:g> ."), &End::Mark(b'.'));
    let turtle = "PREFIX e: <e:>\ne:a e:r \"x\"@en .\ne:b e:r ( e:c ) .\n";
    let counted = |cut: &str| try_import("graph.ttl", cut.as_bytes()).map(|report| report.statements);
    for at in 0..turtle.trim_end().len() {
        // The second statement has three triples. None of them is imported without the statement's
        // end.
        let whole = turtle[..at].matches('.').count() as u64;
        assert!(counted(&turtle[..at]).ok().is_none_or(|statements| statements == whole), "cut at {at}");
    }
    assert_eq!(counted(turtle).unwrap(), 4);
    check("graph.trig", "<e:g> { <e:a> <e:r> <e:b> }\n<e:g> { <e:a> <e:r> <e:c> }\n", &End::Mark(b'}'));
    check("nodes.jsonl", "{\"id\": 1, \"name\": \"a\"}\n{\"id\": 2, \"name\": \"b\"}\n", &End::Mark(b'}'));
    check("graph.tsv", "Lima\tcapital of\tPeru\nCusco\tlies in\tPeru\n", &End::Line);
    check("graph.csv", "Lima,capital of,Peru\nCusco,\"lies, in\",Peru\n", &End::Line);
}

#[test]
fn a_last_line_without_an_end_is_remarked_on_and_imported() {
    let table = "name,price,supplier,made in\nFalcon Drill,1,Acme,Oslo\nHeron Saw,2,Acme,Bergen\n";
    for (name, whole) in [
        ("graph.nt", "<e:a> <e:r> \"x\" .\n<e:b> <e:r> <e:c> .\n"),
        ("graph.nq", "<e:a> <e:r> \"x\" <e:g> .\n<e:b> <e:r> <e:c> <e:g> .\n"),
        ("graph.tsv", "Lima\tcapital of\tPeru\nCusco\tlies in\tPeru\n"),
        ("graph.csv", "Lima,capital of,Peru\nCusco,lies in,Peru\n"),
        ("nodes.jsonl", "{\"id\": 1, \"name\": \"a\"}\n{\"id\": 2, \"name\": \"b\"}\n"),
        ("tools.csv", table),
    ] {
        let ended = try_import(name, whole.as_bytes()).unwrap();
        assert!(ended.open_ended.is_empty(), "{name}");
        let open = try_import(name, whole.trim_end().as_bytes()).unwrap();
        assert_eq!((open.open_ended.len(), open.statements), (1, ended.statements), "{name}");
        assert!(open.open_ended[0].ends_with(name));
    }
    // These have an end mark of their own.
    let turtle = "<e:a> <e:r> <e:b> .";
    for (name, whole) in [("graph.ttl", turtle), ("graph.rdf", RDF_XML), ("graph.json", WIKIDATA)] {
        assert!(try_import(name, whole.trim_end().as_bytes()).unwrap().open_ended.is_empty(), "{name}");
    }
}

#[test]
fn a_table_is_refused_at_every_cut_within_a_quoted_cell() {
    let table = "name,price,supplier,made in\nFalcon Drill,1,Acme,Oslo\nHeron Saw,2,\"A, B\",Bergen\n\
                 Otter,3,Acme,\"Bergen,\nNorway\"\n";
    check("tools.csv", table, &End::Row);
    check("tools.csv", &table.replace(',', ";"), &End::Row);
}

#[test]
fn a_compressed_file_is_refused_at_every_cut() {
    let text = "Lima\tcapital of\tPeru\nCusco\tlies in\tPeru\n";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    let mut bzip = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip.write_all(text.as_bytes()).unwrap();
    let mut zstd = zstd::Encoder::new(Vec::new(), 1).unwrap();
    zstd.write_all(text.as_bytes()).unwrap();
    for (name, whole) in [
        ("graph.tsv.gz", gzip.finish().unwrap()),
        ("graph.tsv.bz2", bzip.finish().unwrap()),
        ("graph.tsv.zst", zstd.finish().unwrap()),
    ] {
        assert_eq!(try_import(name, &whole).unwrap().statements, 2);
        for at in 0..whole.len() {
            assert!(try_import(name, &whole[..at]).is_err(), "{name} cut at {at}");
        }
    }
}

/// A text may begin like a compressed file.
#[test]
fn a_text_that_begins_like_bzip2_is_a_text() {
    for text in ["BZhang\tlives in\tPeru\n", "BZh\tis\tcode\n", "BZh9 Lane\tlies in\tLima\n"] {
        assert_eq!(try_import("graph.tsv", text.as_bytes()).unwrap().statements, 1, "{text}");
    }
    for cut in ["BZh9", "BZh91AY"] {
        let error = try_import("graph.tsv", cut.as_bytes()).unwrap_err();
        assert!(error.to_string().contains("compressed data is damaged"), "{error}");
    }
}

/// Whatever its name says, the content of a file may be compressed.
#[test]
fn damaged_compressed_data_is_the_files_fault_in_every_format() {
    for (name, text) in [
        ("graph.nt", "<e:a> <e:b> <e:c> .\n"),
        ("graph.ttl", "<e:a> <e:b> <e:c> .\n"),
        ("graph.rdf", RDF_XML),
        ("graph.jsonld", JSON_LD),
        ("graph.json", WIKIDATA),
        ("tools.csv", "name,price\nFalcon Drill,1\nHeron Saw,2\n"),
        ("graph.tsv", "Lima\tcapital of\tPeru\n"),
    ] {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(text.as_bytes()).unwrap();
        let whole = gzip.finish().unwrap();
        try_import(name, &whole).unwrap();
        for at in [2, 3, 9, whole.len() / 2, whole.len() - 1] {
            let error = try_import(name, &whole[..at]).unwrap_err();
            assert_eq!(error.class(), ErrorClass::User, "{name} cut at {at}: {error}");
            assert!(
                error.to_string().contains(&format!("{name}: the compressed data is damaged or cut off")),
                "{name} cut at {at}: {error}"
            );
        }
    }
}

/// One cut file among whole ones. The content of the others does not hide it.
#[test]
fn a_cut_file_is_not_hidden_by_whole_ones() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Input::File(path)
    };
    let whole = write("whole.tsv", "Lima\tcapital of\tPeru\n");
    for (name, text) in [("a.rdf", RDF_XML), ("b.json", WIKIDATA), ("c.jsonld", JSON_LD)] {
        for at in [0, 1, text.find('\n').unwrap() + 1, text.trim_end().len() - 1] {
            let cut = write(name, &text[..at]);
            let config = ImportConfig::new("cut", vec![whole.clone(), cut]);
            let refused = import(&config, &folder.path().join(format!("{name}{at}"))).unwrap_err();
            assert!(refused.to_string().contains(name), "{name} cut at {at}: {refused}");
        }
    }
}
