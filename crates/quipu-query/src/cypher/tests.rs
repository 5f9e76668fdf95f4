use proptest::prelude::*;

use super::PseudoGraph;

/// The triples, one a line.
fn check(text: &str, expected: &[&str]) {
    let graph = PseudoGraph::read(text);
    let shown: Vec<String> = graph.triples.iter().map(|t| graph.names(t).join(" | ")).collect();
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn the_words_are_read() {
    assert!(super::reader::is_placeholder("Unknown") && super::reader::is_placeholder("N/A"));
    assert!(!super::reader::is_placeholder("Nilsson"));
    check("CREATE (answer)-[:IN]->(b {full_name:'B1'})", &["?answer | in | B1"]);
}

#[test]
fn nodes_and_relationships_inline_and_chained() {
    check(
        "CREATE (k:Film {name: 'Kauwboy', year: 2012})-[:DIRECTED_BY]->(b:Person {name: \"Boudewijn Koole\"})-[:BORN_IN]->(:Town {name: 'Leidschendam'})",
        &[
            "Kauwboy | directed by | Boudewijn Koole",
            "Boudewijn Koole | born in | Leidschendam",
            "Kauwboy | year | 2012",
        ],
    );
    check(
        "CREATE (a {name:'A1'})<-[:OF]-(b {name:'B1'})-->(c {name:'C1'})--(d {name:'D1'})",
        &["B1 | of | A1", "B1 | related to | C1", "C1 | related to | D1"],
    );
    check(
        "CREATE (a {name:'A1'})-[r:LIKES|KNOWS {since: 2010}]->(b {name:'B1'})",
        &["A1 | likes | B1", "A1 | likes since | 2010", "A1 | knows | B1", "A1 | knows since | 2010"],
    );
}

#[test]
fn variables_hold_across_statements_and_may_be_defined_anew() {
    check(
        "CREATE (andes:Range {name: 'Andes'})\nCREATE (peru:Country {name: 'Peru'});\nCREATE (andes)-[:COVERS]->(peru)",
        &["Andes | covers | Peru"],
    );
    check(
        "CREATE (f:Film {name: 'One'})-[:BY]->(p {name: 'Ada'})\nCREATE (f:Film {name: 'Two'})-[:BY]->(p)",
        &["One | by | Ada", "Two | by | Ada"],
    );
    check("CREATE (kauwboy)-[:DIRECTED_BY]->(boudewijnKoole)", &["kauwboy | directed by | boudewijn koole"]);
}

#[test]
fn values_of_every_kind() {
    check(
        r#"CREATE (k {name: "Kauwboy", tags: ["a", 'b', 3], length: -1.5e3, seen: true, gone: null, out: date('2012-05-01'), day: date({year: 2012, month: 5}), `odd key`: 'x'})"#,
        &[
            "Kauwboy | tags | a",
            "Kauwboy | tags | b",
            "Kauwboy | tags | 3",
            "Kauwboy | length | -1.5e3",
            "Kauwboy | seen | true",
            "Kauwboy | out | 2012-05-01",
            "Kauwboy | day | 2012-05",
            "Kauwboy | odd key | x",
        ],
    );
    check(
        "CREATE (k {name: 'K2', map: {a: 1, b: [2, 3]}, born: 1905-03-01, both: 'x' + 'y'})",
        &["K2 | map | a 1", "K2 | map | b 2", "K2 | map | b 3", "K2 | born | 1905-03-01", "K2 | both | xy"],
    );
}

#[test]
fn quotes_and_escapes_and_apostrophes() {
    check(
        r#"CREATE (s {name: 'Schindler's List', by: "Steven \"S.\" Spielberg", other: 'O\'Neill', rock: 'Rock 'n' Roll'})"#,
        &[
            "Schindler's List | by | Steven \"S.\" Spielberg",
            "Schindler's List | other | O'Neill",
            "Schindler's List | rock | Rock 'n' Roll",
        ],
    );
    check("CREATE (s {name: “Zus & Zo”, year: 2001})", &["Zus & Zo | year | 2001"]);
}

#[test]
fn what_is_no_cypher_is_stepped_over() {
    check(
        "<step 2> Here is the graph (born of much thought, in 2 parts):\n```cypher\n// precise\n/* two\nlines */\nMATCH (k:Film {name: 'Kauwboy'})\nMERGE (k)-[:BY]->(b:Person {name: 'Koole'})\nSET k.year = 2012, b.age = 46\nRETURN k.name, b\n```\nI hope (this) helps.",
        &["Kauwboy | by | Koole", "Kauwboy | year | 2012", "Koole | age | 46"],
    );
    assert_eq!(PseudoGraph::read("```cypher\n// precise\nCREATE (a)").comment.as_deref(), Some("precise"));
    check("", &[]);
    check("I do not know.", &[]);
}

#[test]
fn half_a_last_line_loses_that_half_only() {
    check("CREATE (a {name: 'A1'})-[:BY]->(b {name: 'B1', year: 19", &["A1 | by | B1", "B1 | year | 19"]);
    check("CREATE (a {name: 'A1', year: 2000})-[:BY]->", &["A1 | year | 2000"]);
    check("CREATE (a {name: 'A1', year: 2000})-[:B", &["A1 | year | 2000"]);
    check(
        "CREATE (a {name: 'A1', year: 2000})-[:BY]->(b {name: 'Unend",
        &["A1 | by | Unend", "A1 | year | 2000"],
    );
    check(
        "CREATE (a {name: 'A1', year: 2000\nCREATE (b {name: 'B1', year: 2001})",
        &["A1 | year | 2000", "B1 | year | 2001"],
    );
    check("CREATE (a {name: 'A1' year: 2000})-[BY]->(b {name: 'B1'})", &["A1 | by | B1", "A1 | year | 2000"]);
}

#[test]
fn a_model_that_repeats_itself_is_heard_once() {
    let line = "CREATE (a:Film {name: 'A1'})-[:BY]->(b:Person {name: 'B1'})\n";
    check(&line.repeat(1000), &["A1 | by | B1"]);
}

#[test]
fn what_is_not_known_is_told_from_what_is() {
    check(
        "CREATE (ada:Person {name: 'Ada'})-[:BORN_IN]->(t:Town {name: '?'})\nCREATE (answer:River {name: '?'})-[:FLOWS_THROUGH]->(t)",
        &["Ada | born in | ?town", "?river | flows through | ?town"],
    );
    check(
        "CREATE (f1:Film {title: 'Film 1', writer: ada, year: 'unknown'})<-[:MADE]-(ada:Person {name: 'Ada'})\nCREATE (:Film)-[:BY]->(ada)",
        &["Ada | made | ?film", "?film | by | Ada", "?film | writer | Ada", "?film | year | ?year"],
    );
    let graph = PseudoGraph::read(
        "CREATE (a:Town {name: '?'})-[:NEAR]->(b:Town {name: '?'}), (Answer {name: '...'})-[:IN]->(b)",
    );
    assert_eq!(graph.nodes.iter().filter(|node| node.unknown).count(), 3, "{graph:?}");
    assert_eq!(graph.asked, Some(2));
    assert_eq!(graph.sentence(&graph.triples[0]), "town near town");
    // Nothing is related to itself for bearing the name of what it is about.
    check(
        "CREATE (s:Person {name: 'Ada Berg'})\nCREATE (f:Film {name: 'Ada Berg', written_by: s})",
        &["?film | written by | Ada Berg"],
    );
    // A thing may be called like its variable.
    assert!(!PseudoGraph::read("CREATE (lima:City {name: 'Lima', river: 'Rimac'})").nodes[0].unknown);
}

#[test]
fn brackets_without_end_end() {
    for part in
        ["(", "({", "({a:[", "({a:{", "(a)-[", "(a)-[:B]->(", "{a:date(", "'", "`", "\"\\", "(a:", "([{<-"]
    {
        let text = part.repeat(20_000);
        assert!(PseudoGraph::read(&text).triples.len() < 100_000, "{part}");
    }
}

fn name() -> impl Strategy<Value = String> {
    "[A-Z][a-zA-Z' ]{0,12}[a-z]"
        .prop_map(|name| name.split_whitespace().collect::<Vec<_>>().join(" "))
        .prop_filter("a name that stands for none", |name| !super::reader::is_placeholder(name))
}

proptest! {
    #[test]
    fn any_text_is_survived(text in "\\PC{0,200}") {
        PseudoGraph::read(&text);
    }

    #[test]
    fn any_mixture_of_signs_is_survived(parts in prop::collection::vec(
        prop::sample::select(vec!["(", ")", "[", "]", "{", "}", ":", "-", ">", "<", "'", "\"", "`", "a", "B", "1", ",", ".", "=", " ", "\n", "//", "/*", "*/", "\\", "CREATE", "é", "|", "+", "date("]), 0..120)) {
        let graph = PseudoGraph::read(&parts.concat());
        for triple in &graph.triples {
            prop_assert!(triple.head < graph.nodes.len());
            graph.names(triple);
        }
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        PseudoGraph::read(&String::from_utf8_lossy(&bytes));
    }

    /// Nothing readable is lost: what is written is read, whatever stands around it and however it
    /// is quoted.
    #[test]
    fn what_is_written_is_read(
        triples in prop::collection::vec((name(), "[A-Z]{2,8}(_[A-Z]{1,5}){0,2}", name()), 1..12),
        double in any::<bool>(),
        noise in prop::sample::select(vec!["", "Sure! Here it is:\n", "```cypher\n", "// a remark\n", "MATCH (n) RETURN n\n", "SET x = 1;\n"]),
        statements in any::<bool>(),
    ) {
        let quoted = |text: &str| if double { format!("\"{text}\"") } else { format!("'{}'", text.replace('\'', "\\'")) };
        let mut text = noise.to_owned();
        for (at, (head, relation, tail)) in triples.iter().enumerate() {
            let (head, tail) = (quoted(head), quoted(tail));
            if statements {
                text.push_str(&format!("CREATE (h{at}:Thing {{name: {head}}})\nCREATE (t{at} {{name: {tail}}})\nCREATE (h{at})-[:{relation}]->(t{at});\n"));
            } else {
                text.push_str(&format!("CREATE (:Thing {{name: {head}}})-[:{relation}]->({{name: {tail}}})\n{noise}"));
            }
        }
        let graph = PseudoGraph::read(&text);
        let read: Vec<[String; 3]> = graph.triples.iter().map(|t| graph.names(t).map(str::to_owned)).collect();
        for (head, relation, tail) in &triples {
            let relation = relation.to_lowercase().replace('_', " ");
            prop_assert!(read.contains(&[head.clone(), relation.clone(), tail.clone()]), "{head} {relation} {tail} of {read:?} in {text}");
        }
    }
}
