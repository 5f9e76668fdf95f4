//! Small files that their formats expand to much: refused with the line, in little memory.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::io::Write as _;

use quipu_graph::{GraphError, ImportConfig, ImportReport, Input, import};

fn try_import(name: &str, content: &[u8]) -> Result<ImportReport, GraphError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, content).unwrap();
    let mut config = ImportConfig::new("bombs", vec![Input::File(file)]);
    config.threads = 1;
    import(&config, &folder.path().join("store"))
}

#[track_caller]
fn check(name: &str, content: &str, line: u64, says: &str) {
    match try_import(name, content.as_bytes()).map(|report| report.statements) {
        Err(GraphError::Malformed { path, line: found, reason }) => {
            assert!(path.ends_with(name) && reason.contains(says), "{name}:{found}: {reason}");
            assert_eq!(found, line, "{name}: {reason}");
        }
        other => panic!("{name}: {other:?}"),
    }
}

/// A namespace that fills half of a file of 250 kB.
fn namespace() -> String {
    format!("http://e.org/{}/", "n".repeat(125_000))
}

fn rdf_xml(attributes: &str, content: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"\n\
         xmlns:e=\"http://e.org/\"{attributes}>\n{content}</rdf:RDF>\n"
    )
}

#[test]
fn a_namespace_that_the_children_of_a_literal_repeat() {
    let children = "<b/>".repeat(31_000);
    let literal =
        format!("<rdf:Description><e:r rdf:parseType=\"Literal\">{children}</e:r></rdf:Description>");
    check("one.rdf", &rdf_xml(&format!(" xmlns:n=\"{}\"", namespace()), &literal), 2, "a namespace of");
    let many: String =
        (0..60).map(|number| format!(" xmlns:n{number}=\"{}\"", &namespace()[..2000])).collect();
    check("many.rdf", &rdf_xml(&many, &literal), 4, "namespaces in the XML literals");
}

#[test]
fn a_namespace_that_names_repeat() {
    let names: String = (0..8000).map(|number| format!("p:a{number} p:b p:c .\n")).collect();
    for directive in ["@prefix p: <{}> .", "PREFIX p: <{}>", "@base <{}> .\n@prefix p: <> ."] {
        let text = format!("{}\n{names}", directive.replace("{}", &namespace()));
        check("names.ttl", &text, 1, "a namespace of");
        check("names.trig", &text, 1, "a namespace of");
    }
    let nested = format!("PREFIX p: <{}>\n[] {}", namespace(), "p:a [".repeat(25_000));
    check("nested.ttl", &nested, 1, "a namespace of");
    let elements: String = (0..8000).map(|number| format!("<n:a{number} rdf:about=\"a\"/>")).collect();
    let bases = format!(" xml:base=\"{}\"", namespace());
    check("names.rdf", &rdf_xml(&format!(" xmlns:n=\"{}\"", namespace()), &elements), 2, "a namespace of");
    check("base.rdf", &rdf_xml(&bases, &elements.replace("n:a", "e:a")), 2, "a namespace of");
    let keys: String = (0..8000).map(|number| format!("\"p:a{number}\": 1,\n")).collect();
    let json =
        format!("{{\"@context\":\n{{\"p\": \"{}\"}},\n{keys}\"@id\": \"http://e.org/a\"}}", namespace());
    check("names.jsonld", &json, 2, "term p has an IRI");
}

#[test]
fn an_iri_and_a_name_have_a_longest_length() {
    let long = format!("http://e.org/{}", "x".repeat(1 << 20));
    let triple = |term: &str| format!("<http://e.org/a> <http://e.org/b> <{term}> .\n");
    let text = format!("{}{}", triple("http://e.org/c"), triple(&long));
    check("long.nt", &text, 2, "at most 1048576 are read");
    check("long.ttl", &text, 2, "an IRI of more than 1048576 bytes");
    check("long.tsv", &format!("a\tb\tc\na\tb\t{long}\n"), 2, "at most 1048576 are read");
    let node = format!("<rdf:Description rdf:about=\"{long}\"><e:r>x</e:r></rdf:Description>\n");
    check("long.rdf", &rdf_xml("", &node), 4, "at most 1048576 are read");
    assert_eq!(try_import("short.nt", triple(&long[..1 << 20]).as_bytes()).unwrap().statements, 1);
}

#[test]
fn values_and_elements_and_brackets_nest_to_a_bounded_depth() {
    let arrays = format!("[\n{{\"@context\": {}{}}}]", "[".repeat(65_000), "]".repeat(65_000));
    check("arrays.jsonld", &arrays, 2, "deep");
    let terms: String =
        (0..65_000).map(|number| format!("\"t{number}\": \"t{}:x\",\n", number + 1)).collect();
    let chain = format!("{{\"@context\": {{{terms}\"x\": \"http://e.org/\"}}}}");
    check("chain.jsonld", &chain, 65_001, "refer to each other");
    check("brackets.ttl", &format!("<e:a> <e:b>\n{}", "( ".repeat(65_000)), 2, "deep");
    check("elements.rdf", &rdf_xml("", &"<e:a><e:b>".repeat(65_000)), 4, "deep");
}

#[test]
fn an_element_has_a_bounded_number_of_attributes() {
    let attributes: String = (0..200_000).map(|number| format!(" e:a{number}=''")).collect();
    check("attributes.rdf", &rdf_xml("", &format!("<e:a{attributes}/>")), 4, "attributes");
}

/// A text of 300 MB that compresses to little.
#[test]
fn a_text_or_a_row_has_a_longest_length() {
    let compressed = |start: &str| {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.write_all(start.as_bytes()).unwrap();
        let block = vec![b'x'; 1 << 20];
        (0..300).for_each(|_| encoder.write_all(&block).unwrap());
        encoder.finish().unwrap()
    };
    for (name, start) in [
        ("text.rdf.zst", "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>"),
        ("row.csv.zst", "name,price,kind,n\na,1,b,2\na,\""),
    ] {
        let refused = try_import(name, &compressed(start)).unwrap_err().to_string();
        assert!(refused.contains(name) && refused.contains("of more than 268435456 bytes"), "{refused}");
    }
}

#[test]
fn a_quote_that_swallows_the_rest_of_a_table() {
    let row = |number: usize| format!("Falcon {number},{number},Acme,red\n");
    let rows: String = (0..5000).map(row).collect();
    let table = |at: &str| format!("name,price,supplier,colour\n{rows}{at}{rows}");
    assert_eq!(
        try_import("whole.csv", table("Heron,1,\"Acme\nInc\",blue\n").as_bytes()).unwrap().tables[0].rows,
        10_001
    );
    check("open.csv", &table("Heron,1,Acme,\"blue\n"), 5002, "is not closed");
    let mut config = ImportConfig::new("bombs", Vec::new());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("open.csv");
    std::fs::write(&file, table("Heron,1,Acme,\"blue\n")).unwrap();
    (config.inputs, config.lenient) = (vec![Input::File(file)], true);
    let report = import(&config, &folder.path().join("store")).unwrap();
    assert_eq!((report.skipped, report.skipped_lines[0].line, report.tables[0].rows), (1, 5002, 5000));
}
