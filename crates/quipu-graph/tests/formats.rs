//! The same small graph in every format and compression gives the same store.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use crate::common;
use std::io::Write;
use std::path::{Path, PathBuf};

use common::{dump, import_files};
use quipu_graph::{Graph as _, ImportConfig, Input, InputFormat};

const NTRIPLES: &str = r#"<http://example.org/lima> <http://www.w3.org/2000/01/rdf-schema#label> "Lima"@es .
<http://example.org/lima> <http://www.w3.org/2000/01/rdf-schema#label> "Lima city"@en .
<http://example.org/lima> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://example.org/City> .
<http://example.org/lima> <http://example.org/capitalOf> <http://example.org/peru> .
<http://example.org/lima> <http://example.org/population> "10092000"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://example.org/lima> <http://example.org/motto> "Hoc \"signum\"\nvere" .
<http://example.org/peru> <http://www.w3.org/2000/01/rdf-schema#label> "Perú" .
<http://example.org/lima> <http://example.org/capitalOf> <http://example.org/peru> .
"#;

const TURTLE: &str = r#"@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:lima a ex:City ; rdfs:label "Lima"@es , "Lima city"@en ; ex:capitalOf ex:peru ; ex:population 10092000 ;
  ex:motto """Hoc "signum"
vere""" .
ex:peru rdfs:label "Perú" .
"#;

const RDF_XML: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"
  xmlns:ex="http://example.org/">
<ex:City rdf:about="http://example.org/lima">
  <rdfs:label xml:lang="es">Lima</rdfs:label><rdfs:label xml:lang="en">Lima city</rdfs:label>
  <ex:capitalOf rdf:resource="http://example.org/peru"/>
  <ex:population rdf:datatype="http://www.w3.org/2001/XMLSchema#integer">10092000</ex:population>
  <ex:motto>Hoc "signum"
vere</ex:motto>
</ex:City>
<rdf:Description rdf:about="http://example.org/peru"><rdfs:label>Perú</rdfs:label></rdf:Description>
</rdf:RDF>
"#;

const JSON_LD: &str = r#"{"@context": {"ex": "http://example.org/", "label": "http://www.w3.org/2000/01/rdf-schema#label"},
 "@graph": [{"@id": "ex:lima", "@type": "ex:City",
  "label": [{"@value": "Lima", "@language": "es"}, {"@value": "Lima city", "@language": "en"}],
  "ex:capitalOf": {"@id": "ex:peru"}, "ex:population": 10092000, "ex:motto": "Hoc \"signum\"\nvere"},
 {"@id": "ex:peru", "label": "Perú"}]}
"#;

fn write(folder: &Path, name: &str, content: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path
}

fn check_same(name: &str, content: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let expected = dump(&import_files(folder.path(), &[write(folder.path(), "a.nt", NTRIPLES.as_bytes())]));
    let path = write(folder.path(), name, content);
    assert_eq!(dump(&import_files(folder.path(), &[path])), expected, "{name}");
}

#[test]
fn a_store_holds_what_the_dump_says() {
    let folder = tempfile::tempdir().unwrap();
    let graph = import_files(folder.path(), &[write(folder.path(), "a.nt", NTRIPLES.as_bytes())]);
    let expected = [
        "http://example.org/City [City] -",
        "http://example.org/lima [Lima city] http://example.org/capitalOf http://example.org/peru",
        "http://example.org/lima [Lima city] http://example.org/motto \"Hoc \"signum\"\nvere\"",
        "http://example.org/lima [Lima city] http://example.org/population \"10092000\"http://www.w3.org/2001/XMLSchema#integer",
        "http://example.org/lima [Lima city] http://www.w3.org/1999/02/22-rdf-syntax-ns#type http://example.org/City",
        "http://example.org/lima [Lima city] http://www.w3.org/2000/01/rdf-schema#label \"Lima city\"@en",
        "http://example.org/lima [Lima city] http://www.w3.org/2000/01/rdf-schema#label \"Lima\"@es",
        "http://example.org/peru [Perú] http://www.w3.org/2000/01/rdf-schema#label \"Perú\"",
    ];
    assert_eq!(dump(&graph), expected.join("\n"));
}

#[test]
fn every_rdf_syntax_gives_the_same_store() {
    check_same("a.ttl", TURTLE.as_bytes());
    check_same("a.trig", TURTLE.as_bytes());
    check_same("a.rdf", RDF_XML.as_bytes());
    check_same("a.jsonld", JSON_LD.as_bytes());
    let quads = NTRIPLES.replace(" .\n", " <http://example.org/g> .\n");
    check_same("a.nq", quads.as_bytes());
}

#[test]
fn the_content_tells_the_format_when_the_name_does_not() {
    for content in [NTRIPLES, TURTLE, RDF_XML, JSON_LD] {
        check_same("dump", content.as_bytes());
    }
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(content: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn every_compression_gives_the_same_store() {
    let zstd = zstd::encode_all(NTRIPLES.as_bytes(), 1).unwrap();
    check_same("a.nt.gz", &gzip(NTRIPLES.as_bytes()));
    check_same("a.nt.bz2", &bzip2(NTRIPLES.as_bytes()));
    check_same("a.nt.zst", &zstd);
    check_same("a.ttl.gz", &gzip(TURTLE.as_bytes()));
    // Two gzip members in sequence, as parallel compressors write them, under a name without an
    // extension.
    let (first, second) = NTRIPLES.split_at(NTRIPLES.find('\n').unwrap() + 1);
    check_same("dump", &[gzip(first.as_bytes()), gzip(second.as_bytes())].concat());
}

#[test]
fn lines_may_end_as_on_windows_and_the_last_one_not_at_all() {
    check_same("a.nt", NTRIPLES.replace('\n', "\r\n").as_bytes());
    check_same("a.nt", NTRIPLES.trim_end().as_bytes());
    check_same("a.nt", format!("# a comment\n\n{NTRIPLES}").as_bytes());
}

#[test]
fn several_files_make_one_graph() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = NTRIPLES.split_at(NTRIPLES.find('\n').unwrap() + 1);
    let paths = [
        write(folder.path(), "b.ttl", TURTLE.as_bytes()),
        write(folder.path(), "first.nt", first.as_bytes()),
        write(folder.path(), "second.nt.gz", &gzip(second.as_bytes())),
    ];
    let whole = import_files(folder.path(), &[write(folder.path(), "a.nt", NTRIPLES.as_bytes())]);
    assert_eq!(dump(&import_files(folder.path(), &paths)), dump(&whole));
}

#[test]
fn blank_nodes_of_different_files_stay_apart() {
    let folder = tempfile::tempdir().unwrap();
    let line = b"_:b <http://example.org/p> <http://example.org/o> .\n";
    let paths = [write(folder.path(), "a.nt", line), write(folder.path(), "b.nt", line)];
    assert_eq!(import_files(folder.path(), &paths).entity_count(), 3);
}

#[test]
fn tables_of_triples_have_names_as_ids() {
    let folder = tempfile::tempdir().unwrap();
    let tsv = write(
        folder.path(),
        "a.tsv",
        "head\trelation\ttail\nLima\tcapital of\tPeru\nLima\tmotto\t\"Hoc\"\n".as_bytes(),
    );
    let csv = write(folder.path(), "a.csv", b"Lima,capital of,Peru\n\"Lima\",motto,\"\"\"Hoc\"\"\"\n");
    let graph = import_files(folder.path(), &[tsv]);
    assert_eq!(
        dump(&graph),
        "\"Hoc\" [\"Hoc\"] -\nLima [Lima] capital of Peru\nLima [Lima] motto \"Hoc\"\nPeru [Peru] -"
    );
    assert_eq!(dump(&import_files(folder.path(), &[csv])), dump(&graph));
}

#[test]
fn nodes_with_documents_and_edges_make_one_graph() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = concat!(
        r#"{"id": "n1", "name": "dog", "aliases": ["domestic dog"], "type": "noun.animal", "text": "a canine"}"#,
        "\n",
        r#"{"id": "n2", "name": "dog", "aliases": [], "type": "noun.person", "text": "a dull \"fellow\""}"#,
        "\n",
        r#"{"id": 3, "name": "canine", "type": ["noun.animal", "noun.group"]}"#,
        "\n"
    );
    let paths = [
        write(folder.path(), "nodes.jsonl", nodes.as_bytes()),
        write(folder.path(), "edges.tsv", b"n1\thypernym\t3\n"),
    ];
    let graph = import_files(folder.path(), &paths);
    let find = |key| graph.find(key).unwrap().unwrap();
    assert_eq!(graph.name(find("n1")).unwrap(), "dog");
    assert_eq!(graph.name(find("n2")).unwrap(), "dog");
    assert_eq!(graph.aliases(find("n1")).unwrap(), ["domestic dog"]);
    assert_eq!(graph.document(find("n2")).unwrap(), Some("a dull \"fellow\""));
    assert_eq!(graph.document(find("3")).unwrap(), None);
    assert_eq!(graph.types(find("3")).unwrap().len(), 2);
    assert_eq!(graph.all_documents().map(|document| document.unwrap().1).collect::<Vec<_>>().len(), 2);
}

#[test]
fn a_format_may_be_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "a.txt", b"a\tb\tc\n");
    let mut config = ImportConfig::new("given", vec![Input::File(path)]);
    config.format = Some(InputFormat::parse("tsv").unwrap());
    assert_eq!(quipu_graph::import(&config, &folder.path().join("store")).unwrap().triples, 1);
    assert!(InputFormat::parse("docx").unwrap_err().to_string().contains("tsv"));
}

/// The truthy N-Triples of the entities below.
const TRUTHY: &str = r#"<http://www.wikidata.org/entity/Q42> <http://www.w3.org/2000/01/rdf-schema#label> "Douglas Adams"@en .
<http://www.wikidata.org/entity/Q42> <http://www.w3.org/2004/02/skos/core#altLabel> "Douglas Noel Adams"@en .
<http://www.wikidata.org/entity/Q42> <http://schema.org/description> "English writer"@en-gb .
<http://www.wikidata.org/entity/Q42> <http://www.wikidata.org/prop/direct/P31> <http://www.wikidata.org/entity/Q5> .
<http://www.wikidata.org/entity/Q42> <http://www.wikidata.org/prop/direct/P26> <http://www.wikidata.org/entity/Q14623681> .
<http://www.wikidata.org/entity/Q42> <http://www.wikidata.org/prop/direct/P569> "1952-03-11"^^<http://www.w3.org/2001/XMLSchema#date> .
<http://www.wikidata.org/entity/Q42> <http://www.wikidata.org/prop/direct/P2048> "1.96"^^<http://www.w3.org/2001/XMLSchema#decimal> .
<http://www.wikidata.org/entity/Q42> <http://www.wikidata.org/prop/direct/P1559> "Douglas Adams"@en .
<http://www.wikidata.org/entity/Q42> <http://www.wikidata.org/prop/direct/P856> <https://douglasadams.com/> .
<http://www.wikidata.org/entity/Q42> <http://www.wikidata.org/prop/direct/P213> "0000 0000 8045 6315" .
<http://www.wikidata.org/entity/Q350> <http://www.wikidata.org/prop/direct/P625> "Point(0.125 52.208)"^^<http://www.opengis.net/ont/geosparql#wktLiteral> .
<http://www.wikidata.org/entity/P31> <http://www.w3.org/2000/01/rdf-schema#label> "instance of"@en .
"#;

/// The same data in the JSON dump: claims by rank, unknown values, values of unread kinds, empty
/// objects as arrays.
fn wikidata() -> String {
    let item = |id: u32| serde_json::json!({ "type": "wikibase-entityid", "value": { "entity-type": "item", "numeric-id": id, "id": format!("Q{id}") } });
    let claim = |rank: &str, datatype: &str, value: serde_json::Value| serde_json::json!({ "mainsnak": { "snaktype": "value", "property": "P", "datatype": datatype, "datavalue": value }, "type": "statement", "id": "x", "rank": rank, "references": [] });
    let typed = |kind: &str, value: serde_json::Value| serde_json::json!({ "type": kind, "value": value });
    let unknown = serde_json::json!({ "mainsnak": { "snaktype": "somevalue", "property": "P26", "datatype": "wikibase-item" }, "rank": "normal" });
    let time = typed(
        "time",
        serde_json::json!({ "time": "+1952-03-11T00:00:00Z", "timezone": 0, "before": 0, "after": 0, "precision": 11, "calendarmodel": "g" }),
    );
    let height = typed(
        "quantity",
        serde_json::json!({ "amount": "+1.96", "unit": "http://www.wikidata.org/entity/Q11573" }),
    );
    // Type and id come first in the dumps.
    let entity = |kind: &str, id: &str, rest: serde_json::Value| {
        let rest = rest.to_string();
        format!("{{\"type\":\"{kind}\",\"id\":\"{id}\",{}", rest.strip_prefix('{').unwrap())
    };
    let adams = serde_json::json!({
        "labels": { "en": { "language": "en", "value": "Douglas Adams" } },
        "descriptions": { "en-gb": { "language": "en-GB", "value": "English writer" } },
        "aliases": { "en": [{ "language": "en", "value": "Douglas Noel Adams" }] },
        "claims": {
            "P31": [claim("normal", "wikibase-item", item(5))],
            "P26": [claim("preferred", "wikibase-item", item(14_623_681)), claim("normal", "wikibase-item", item(1)), unknown],
            "P19": [claim("deprecated", "wikibase-item", item(84))],
            "P569": [claim("normal", "time", time)],
            "P2048": [claim("normal", "quantity", height)],
            "P1559": [claim("normal", "monolingualtext", typed("monolingualtext", serde_json::json!({ "text": "Douglas Adams", "language": "en" })))],
            "P856": [claim("normal", "url", typed("string", "https://douglasadams.com/".into()))],
            "P213": [claim("normal", "external-id", typed("string", "0000 0000 8045 6315".into()))],
            "P9": [claim("normal", "musical-notation", typed("of-the-future", serde_json::json!({ "a": 1 })))]
        },
        "sitelinks": { "enwiki": { "site": "enwiki", "title": "Douglas Adams", "badges": [] } }
    });
    let place = typed(
        "globecoordinate",
        serde_json::json!({ "latitude": 52.208, "longitude": 0.125, "precision": 0.001 }),
    );
    let cambridge = serde_json::json!({ "labels": [], "descriptions": [], "aliases": [], "claims": { "P625": [claim("normal", "globe-coordinate", place)] } });
    let property = serde_json::json!({ "datatype": "wikibase-item", "labels": { "en": { "language": "en", "value": "instance of" } }, "claims": [] });
    let [adams, cambridge, property] =
        [("item", "Q42", adams), ("item", "Q350", cambridge), ("property", "P31", property)]
            .map(|(kind, id, rest)| entity(kind, id, rest));
    format!("[\n{adams},\n{cambridge},\n{property}\n]\n")
}

#[test]
fn wikidatas_json_dump_says_what_its_truthy_triples_say() {
    let folder = tempfile::tempdir().unwrap();
    let expected = dump(&import_files(folder.path(), &[write(folder.path(), "t.nt", TRUTHY.as_bytes())]));
    let json = wikidata();
    let lines = json.replace("[\n", "").replace("\n]", "").replace(",\n", "\n");
    for (name, content) in [
        ("dump.json", json.as_bytes()),
        ("latest-all.json.gz", &gzip(json.as_bytes())),
        ("some.jsonl", lines.as_bytes()),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let graph = import_files(folder.path(), &[write(folder.path(), name, content)]);
        assert_eq!(dump(&graph), expected, "{name}");
    }
    // Relations have the names of their properties.
    let graph = import_files(folder.path(), &[write(folder.path(), "all.json", json.as_bytes())]);
    let relations: Vec<&str> = graph.relations().iter().map(|relation| relation.name.as_str()).collect();
    assert!(relations.contains(&"instance of"), "{relations:?}");
}

#[test]
fn a_byte_order_mark_is_left_out_in_every_format() {
    let nodes = "{\"id\": 1, \"name\": \"a\"}\n";
    let rdf = "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:e=\"http://e.org/\">\
               <e:k rdf:about=\"http://e.org/b\"/></rdf:RDF>";
    let entity = "[\n{\"type\":\"item\",\"id\":\"Q1\",\
                  \"labels\":{\"en\":{\"language\":\"en\",\"value\":\"a\"}}}\n]\n";
    let imported = |name: &str, text: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        dump(&import_files(folder.path(), &[path]))
    };
    for (name, text) in [
        ("graph.nt", "<e:a> <e:r> <e:b> .\n"),
        ("graph.nq", "<e:a> <e:r> <e:b> <e:g> .\n"),
        ("graph.ttl", "@prefix e: <e:> .\ne:a e:r e:b .\n"),
        ("graph.trig", "<e:g> { <e:a> <e:r> <e:b> }\n"),
        ("graph.rdf", rdf),
        ("graph.jsonld", "{\"@id\": \"http://e.org/a\", \"http://e.org/r\": {\"@value\": \"x\"}}"),
        ("graph.json", entity),
        ("graph.tsv", "head\trelation\ttail\nLima\tcapital of\tPeru\n"),
        ("graph.csv", "head,relation,tail\nLima,capital of,Peru\n"),
        ("nodes.jsonl", nodes),
        ("unnamed", "@prefix e: <e:> .\ne:a e:r e:b .\n"),
    ] {
        assert_eq!(imported(name, &format!("\u{feff}{text}")), imported(name, text), "{name}");
    }
}

/// Names are deduplicated by hash. Comparing each with all before would take minutes.
#[test]
fn an_entity_may_have_very_many_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("labels.nt");
    let label = "http://www.w3.org/2000/01/rdf-schema#label";
    let line = |number| format!("<http://e.org/a> <{label}> \"name {number}\" .\n");
    let again = format!("<http://e.org/a> <{label}> \"name 7\"@en .\n");
    std::fs::write(&path, (0..200_000).map(line).collect::<String>() + &again).unwrap();
    let graph = common::import_files(folder.path(), &[path]);
    assert_eq!(graph.names().collect::<Result<Vec<_>, _>>().unwrap().len(), 200_000);
}
