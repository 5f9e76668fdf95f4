//! Names of entities in graphs with a vocabulary of their own, which no profile lists.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use crate::common::import_files;
use quipu_graph::{Direction, EmbeddedGraph, Graph as _, RelationId, RelationRole, Step};

const PREFIXES: &str = "@prefix ex: <http://corp.example/v/> .
@prefix i: <http://corp.example/i/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
";

fn imported(turtle: &str) -> (tempfile::TempDir, EmbeddedGraph) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("graph.ttl");
    std::fs::write(&file, format!("{PREFIXES}{turtle}")).unwrap();
    let store = folder.path().join("store");
    std::fs::create_dir(&store).unwrap();
    let graph = import_files(&store, &[file]);
    (folder, graph)
}

fn check_names(turtle: &str, expected: &[(&str, &str)]) {
    let (_folder, graph) = imported(turtle);
    for (local, name) in expected {
        let key = format!("http://corp.example/i/{local}");
        let node = graph.find(&key).unwrap().unwrap();
        assert_eq!(graph.name(node).unwrap(), *name, "{local}");
        let mut visited = Vec::new();
        graph.visit_names([node], |_, name| visited.push(name.into_owned())).unwrap();
        assert_eq!(visited, [*name], "{local}, visited");
    }
    graph.verify().unwrap();
}

fn role_of(graph: &EmbeddedGraph, local: &str) -> RelationRole {
    let key = format!("http://corp.example/v/{local}");
    graph.relations().iter().find(|info| info.key == key).unwrap().role
}

#[test]
fn a_relation_called_name_names_what_has_no_label() {
    check_names(
        r#"i:p1 a ex:Product ; ex:name "Blue Valve" ; ex:weight 3 .
           i:p2 a ex:Product ; ex:name "Roter Hahn"@de , "Red Tap"@en .
           i:p3 a ex:Product ; ex:name "Pump"^^xsd:string ; rdfs:label "The Pump" .
           i:p4 a ex:Product ; ex:weight 4 ."#,
        &[("p1", "Blue Valve"), ("p2", "Red Tap"), ("p3", "The Pump"), ("p4", "p4")],
    );
}

#[test]
fn a_class_in_the_relation_must_be_the_things_own() {
    check_names(
        r#"i:p1 a ex:Product ; ex:productName "Blue Valve" ; ex:managerName "Ana" .
           i:p2 a ex:Product ; ex:productName "Red Tap" ; ex:managerName "Bo" .
           i:o1 a ex:Order ; ex:managerName "Cy" .
           i:o2 a ex:Order ; ex:managerName "Di" ."#,
        &[("p1", "Blue Valve"), ("p2", "Red Tap"), ("o1", "o1")],
    );
}

#[test]
fn a_class_in_the_relation_may_stand_above_the_things_own() {
    check_names(
        r#"ex:Pump rdfs:subClassOf ex:Product .
           i:p1 a ex:Pump ; ex:productName "Blue Valve" .
           i:p2 a ex:Pump ; ex:productName "Red Tap" .
           i:o1 a ex:Order ; ex:orderName "Big" .
           i:o2 a ex:Order ; ex:orderName "Small" ."#,
        &[("p1", "Blue Valve"), ("o2", "Small")],
    );
}

#[test]
fn an_adjective_before_name_still_tells_a_name() {
    check_names(
        r#"i:s1 a ex:Supplier ; ex:legalName "Nordkem A/S" ; ex:contactName "Ana" .
           i:s2 a ex:Supplier ; ex:legalName "Alpenchem GmbH" ; ex:contactName "Bo" .
           i:k1 a ex:Customer ; ex:contactName "Cy" .
           i:k2 a ex:Customer ; ex:contactName "Di" ."#,
        &[("s1", "Nordkem A/S"), ("s2", "Alpenchem GmbH"), ("k1", "k1")],
    );
}

#[test]
fn parts_of_a_persons_name_are_the_name() {
    check_names(
        r#"i:e1 a ex:Employee ; ex:firstName "Ana" ; ex:lastName "Okafor" .
           i:e2 a ex:Employee ; ex:firstName "Bo" .
           i:e3 a ex:Employee ; ex:firstName "Cy" ; ex:lastName "Lund" ; rdfs:label "Dr. Lund" ."#,
        &[("e1", "Ana Okafor"), ("e2", "e2"), ("e3", "Dr. Lund")],
    );
}

#[test]
fn the_name_comes_before_the_title_and_titles_that_many_share_are_no_names() {
    let turtle = r#"i:r1 a ex:Report ; ex:title "Spring" . i:r2 a ex:Report ; ex:title "Autumn" .
        i:e1 a ex:Employee ; ex:name "Ana" ; ex:job ex:Buyer . i:e2 a ex:Employee ; ex:name "Bo" ."#;
    check_names(turtle, &[("r1", "Spring"), ("e1", "Ana")]);
    let (_folder, graph) = imported(turtle);
    assert_eq!(role_of(&graph, "name"), RelationRole::Label);
    let shared = r#"i:e1 ex:title "Buyer" . i:e2 ex:title "Buyer" . i:e3 ex:title "Buyer" ."#;
    check_names(shared, &[("e1", "e1")]);
    assert_eq!(role_of(&imported(shared).1, "title"), RelationRole::Ordinary);
}

#[test]
fn where_labels_name_the_things_a_name_stays_a_property() {
    let turtle =
        r#"i:s1 rdfs:label "Server 1" ; ex:name "srv-a" . i:s2 rdfs:label "Server 2" ; ex:name "srv-b" ."#;
    check_names(turtle, &[("s1", "Server 1")]);
    assert_eq!(role_of(&imported(turtle).1, "name"), RelationRole::Ordinary);
}

#[test]
fn a_relation_labelled_instance_of_states_kinds_beside_the_types_of_relations() {
    let turtle = r#"@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
        ex:P1 a rdf:Property ; rdfs:label "instance of" . ex:P2 a rdf:Property ; rdfs:label "owner" .
        i:q1 ex:P1 i:k1 ; rdfs:label "Cava Nera" . i:q2 ex:P1 i:k1 ; rdfs:label "Cava Rossa" ; ex:P2 i:q1 .
        i:q3 ex:P1 i:k1 ; rdfs:label "Cava Verde" . i:k1 rdfs:label "quarry" ."#;
    assert_eq!(role_of(&imported(turtle).1, "P1"), RelationRole::Type);
    assert_eq!(role_of(&imported(turtle).1, "P2"), RelationRole::Ordinary);
}

#[test]
fn numbers_and_things_are_no_names() {
    let turtle = r#"i:a ex:name 7 . i:b ex:name 8 . i:c ex:label i:a . i:d ex:label i:b ."#;
    check_names(turtle, &[("a", "a"), ("c", "c")]);
}

/// The name of the blank node that a price relation leads to, and whether an index learns it.
fn name_of_price(turtle: &str) -> (String, bool) {
    let (_folder, graph) = imported(turtle);
    let part = graph.find("http://corp.example/i/p1").unwrap().unwrap();
    let price = graph.relations().iter().position(|info| info.key.ends_with("price")).unwrap();
    let step = Step { relation: RelationId(price as u32), direction: Direction::Forward };
    let node = graph.neighbours(part, step).unwrap().iter().next().unwrap();
    let learnt = graph.names().any(|name| name.unwrap().node == node);
    (graph.name(node).unwrap().into_owned(), learnt)
}

#[test]
fn a_value_in_parts_is_called_by_them() {
    let check = |node: &str, expected: &str| {
        let (name, learnt) = name_of_price(&format!("i:p1 a ex:Part ; ex:price {node} ."));
        assert_eq!(name, expected, "{node}");
        assert!(!learnt, "{node}");
    };
    check("[ ex:currency \"EUR\" ; ex:amount 15.8 ]", "15.8 EUR");
    check("[ a ex:Price ; ex:amount 15.8 ; ex:unit i:EUR ]", "15.8 EUR");
    // A label is a name; what is more than a value has none.
    let (name, learnt) = name_of_price("i:p1 a ex:Part ; ex:price [ rdfs:label \"dear\" ; ex:amount 9 ] .");
    assert_eq!((name.as_str(), learnt), ("dear", true));
    for more in
        ["[ ex:of i:a , i:b ; ex:amount 9 ]", "[ ex:note \"no number\" ]", "[ ex:in [ ex:amount 9 ] ]"]
    {
        let (name, learnt) = name_of_price(&format!("i:p1 a ex:Part ; ex:price {more} ."));
        assert!(name.starts_with("_:") && !learnt, "{more}: {name}");
    }
    let (name, learnt) = name_of_price(
        "i:p1 a ex:Part ; ex:price [ ex:givenName \"Ada\" ; ex:familyName \"Brenn\" ; ex:age 40 ] .",
    );
    assert_eq!((name.as_str(), learnt), ("Ada Brenn", true));
}

/// The types of `i:a` in a graph of its own vocabulary, and the role of `ex:isA`.
fn kinds(turtle: &str) -> (usize, RelationRole) {
    let (_folder, graph) = imported(turtle);
    let node = graph.find("http://corp.example/i/a").unwrap().unwrap();
    graph.verify().unwrap();
    (graph.types(node).unwrap().len(), role_of(&graph, "isA"))
}

#[test]
fn a_graphs_own_relation_states_kinds() {
    assert_eq!(kinds("i:a ex:isA i:Dog ; ex:age 3 . i:b ex:isA i:Dog ."), (1, RelationRole::Type));
    // Not beside the usual one, and not by texts.
    assert_eq!(kinds("i:a a ex:Pet ; ex:isA i:Dog ."), (1, RelationRole::Ordinary));
    assert_eq!(kinds("i:a ex:isA \"dog\" . i:b ex:isA \"cat\" ."), (0, RelationRole::Ordinary));
}
