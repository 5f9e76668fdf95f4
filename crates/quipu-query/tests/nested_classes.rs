//! Graphs that state each class above an entity's own, as extracts of DBpedia do: nobody says there
//! that a city is a place, but every city is stated to be one.

use crate::common::Shop;

const EXTRACT: &str = r#"
@prefix : <http://made.test/> .
@prefix dbo: <http://made.test/ontology/> .
@prefix foaf: <http://made.test/foaf/> .
@prefix dbp: <http://made.test/property/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:ida a foaf:Person, dbo:Person, dbo:Artist, dbo:MusicalArtist ; rdfs:label "Ida Roth" ; dbo:birthPlace :Lund, :Sweden ;
    dbo:birthDate "1901-02-03"^^xsd:date ; dbp:birthDate "1901-02-03"^^xsd:date ; dbo:spouse :olaf .
:ben a foaf:Person, dbo:Person, dbo:Artist, dbo:MusicalArtist ; rdfs:label "Ben Hall" ; dbo:birthPlace :Bergen, :Norway ;
    dbo:birthDate "1911-05-06"^^xsd:date ; dbp:birthDate "1911-05-06"^^xsd:date .
:olaf a dbo:Person ; rdfs:label "Olaf Roth" .
:Lund a dbo:Place, dbo:PopulatedPlace, dbo:City ; rdfs:label "Lund" ; dbo:country :Sweden ; dbo:population 94000 .
:Bergen a dbo:Place, dbo:PopulatedPlace, dbo:City ; rdfs:label "Bergen" ; dbo:country :Norway ; dbo:population 291000 .
:Sweden a dbo:Place, dbo:PopulatedPlace, dbo:Country ; rdfs:label "Sweden" ; dbo:currency "krona" .
:Norway a dbo:Place, dbo:PopulatedPlace, dbo:Country ; rdfs:label "Norway" ; dbo:currency "krone" .
:hall a dbo:Place, dbo:Building ; rdfs:label "Lake Hall" ; dbo:location :Lund ; dbo:seats 800 .
:song1 a dbo:Work, dbo:MusicalWork, dbo:Song ; rdfs:label "Blue Ferry" ; dbo:composer :ida ; dbo:premiere :hall .
:song2 a dbo:Work, dbo:MusicalWork, dbo:Song ; rdfs:label "Slow Rain" ; dbo:composer :ben ; dbo:premiere :hall .
"#;

async fn extract() -> Shop {
    Shop::of("extract.ttl", EXTRACT).await.unwrap()
}

/// One table for the classes of the same entities, the one with the shortest name, and none for a
/// class whose entities all have tables of their own, unless a relation leads to it.
#[tokio::test]
async fn classes_above_others_repeat_no_table() {
    let shop = extract().await;
    let mut ids: Vec<&str> =
        shop.tables.tables.iter().filter(|table| !table.is_links()).map(|table| table.id.as_str()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["artist", "building", "city", "country", "person", "populated_place", "song"]);
}

/// A tail of three classes is one value, and a value that two vocabularies state is one column.
#[tokio::test]
async fn a_value_of_several_classes_is_one_value() {
    let shop = extract().await;
    let columns = |id: &str| {
        let table = shop.tables.table(shop.tables.find(id).unwrap()).unwrap();
        let mut columns: Vec<&str> = table.columns.iter().map(|column| column.id.as_str()).collect();
        columns.sort_unstable();
        columns
    };
    assert_eq!(columns("song"), ["composer", "name", "premiere"]);
    assert_eq!(columns("artist"), ["birth_date", "name", "spouse"]);
    assert_eq!(columns("building"), ["location", "name", "seats"]);
    // Whoever is only a person has nothing but a name here.
    assert_eq!(columns("person"), ["name"]);
}

#[tokio::test]
async fn tables_of_narrow_classes_answer() {
    let shop = extract().await;
    let lines = |sql: &'static str| shop.lines(sql);
    assert_eq!(lines("SELECT name FROM song WHERE composer = 'Ida Roth'").await, ["Blue Ferry"]);
    assert_eq!(lines("SELECT spouse FROM artist WHERE name = 'Ida Roth'").await, ["Olaf Roth"]);
    assert_eq!(lines("SELECT COUNT(*) FROM person").await, ["3"]);
    let born = "SELECT s.name FROM song s JOIN artist a ON s.composer = a.name \
                WHERE a.birth_place = 'Bergen'";
    assert_eq!(shop.lines(born).await, ["Slow Rain"]);
}

/// Roles that an entity may have or not stay tables beside each other.
#[tokio::test]
async fn a_role_of_some_entities_keeps_both_tables() {
    let shop = Shop::of(
        "roles.ttl",
        r#"@prefix : <http://made.test/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :a a :Employee, :Manager ; rdfs:label "Ann" ; :salary 5 ; :bonus 2 .
        :b a :Employee ; rdfs:label "Bo" ; :salary 3 . :c a :Employee ; rdfs:label "Cy" ; :salary 4 ."#,
    )
    .await
    .unwrap();
    assert_eq!(shop.lines("SELECT name FROM employee").await, ["Ann", "Bo", "Cy"]);
    assert_eq!(shop.lines("SELECT bonus FROM manager").await, ["2"]);
    assert_eq!(shop.lines("SELECT AVG(salary) FROM employee").await, ["4"]);
}
