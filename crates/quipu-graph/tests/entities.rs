//! XML whose entities multiply is refused before their expansion; the entities of ontologies are
//! accepted.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use quipu_graph::{GraphError, ImportConfig, ImportReport, Input, import};

const RDF_XML: &str = "<?xml version=\"1.0\"?>\n<rdf:RDF \
    xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:e=\"http://e.org/\">\n\
    <rdf:Description rdf:about=\"http://e.org/a\"><e:r>x</e:r></rdf:Description>\n\
    <!-- half --><e:k rdf:about=\"http://e.org/b\"/>\n</rdf:RDF>\n";

fn try_import(name: &str, content: &[u8]) -> Result<ImportReport, GraphError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, content).unwrap();
    import(&ImportConfig::new("entities", vec![Input::File(file)]), &folder.path().join("store"))
}

fn check_bomb(name: &str, entities: &str, text: &str) {
    let about = "<rdf:Description rdf:about=\"http://e.org/a\">";
    let bomb = RDF_XML
        .replacen("<rdf:RDF", &format!("<!DOCTYPE rdf:RDF [{entities}]>\n<rdf:RDF"), 1)
        .replacen(about, &format!("{about}<e:r>{text}</e:r>"), 1);
    let refused = try_import(name, bomb.as_bytes()).unwrap_err().to_string();
    assert!(refused.contains("entities expand"), "{refused}");
}

#[test]
fn entities_that_multiply_are_refused_before_they_are_expanded() {
    let mut laughs = "<!ENTITY a0 \"ha\">".to_owned();
    for level in 1..12 {
        let ten = format!("&a{};", level - 1).repeat(10);
        laughs.push_str(&format!("<!ENTITY a{level} \"{ten}\">"));
    }
    check_bomb("laughs.rdf", &laughs, "&a11;");
    // No nested entity: a long one, used often.
    let long = format!("<!ENTITY a \"{}\">", "x".repeat(50_000));
    check_bomb("often.rdf", &long, &"&a;".repeat(60_000));
    let names = "&a;</e:r><e:r>".repeat(15_000);
    check_bomb("spread.rdf", &long, &names);
}

#[test]
fn the_entities_of_an_ontology_are_taken() {
    let entities = "<!DOCTYPE rdf:RDF [\n<!ENTITY e \"http://e.org/\">\n<!ENTITY s \"&e;s/\">\n]>\n<rdf:RDF";
    let named = RDF_XML.replacen("<rdf:RDF", entities, 1).replace("\"http://e.org/b\"", "\"&s;b\"");
    assert_eq!(try_import("graph.rdf", named.as_bytes()).unwrap().triples, 2);
}
