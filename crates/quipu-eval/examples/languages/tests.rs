//! The worked examples of the prompts over their own graph, and each language's leniency.

use quipu_answer::{AnswerTable, prompt_templates};
use quipu_graph::{ImportConfig, Input};
use quipu_index::{ImportRequest, Workspace};
use quipu_query::{QueryError, Values, count_tables};

use crate::{Graph, Language, ask, cypher, rows, sparql};

/// The graph of the prompts' examples.
struct Harbour {
    graph: Graph,
    _folder: tempfile::TempDir,
}

impl Harbour {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let dump = folder.path().join("harbour.ttl");
        std::fs::write(&dump, include_str!("harbour.ttl")).unwrap();
        let place = folder.path().join("workspace");
        let graph = ImportConfig::new("harbour", vec![Input::File(dump)]);
        Workspace::import(&place, &ImportRequest { graph, embedder: None, progress: None }).await.unwrap();
        let workspace = Workspace::open(&place).unwrap();
        let tables = count_tables(workspace.graph().as_ref()).await.unwrap();
        let values = Values::read(&workspace, &tables).await.unwrap();
        Self { graph: Graph { workspace, tables, values }, _folder: folder }
    }

    async fn rows(&self, language: Language, text: &str) -> Result<AnswerTable, QueryError> {
        match language {
            Language::Sql => rows::of_sql(&self.graph, text).await,
            Language::Sparql => sparql::rows(&self.graph, text).await,
            Language::Cypher => cypher::rows(&self.graph, text).await,
        }
    }

    /// The sorted rows, with cells separated by blanks.
    async fn lines(&self, language: Language, text: &str) -> Vec<String> {
        let table = match self.rows(language, text).await {
            Ok(table) => table,
            Err(error) => return vec![format!("error: {error}")],
        };
        let cell =
            |cell: &Option<quipu_answer::Value>| cell.as_ref().map_or("-".into(), |cell| cell.name.clone());
        let line = |row: &Vec<_>| row.iter().map(cell).collect::<Vec<String>>().join(" ");
        let mut lines: Vec<String> = table.rows.iter().map(line).collect();
        lines.sort();
        lines
    }

    async fn check(&self, language: Language, text: &str, expected: &[&str]) {
        assert_eq!(self.lines(language, text).await, expected, "{text}");
    }
}

/// The questions of a prompt's examples with their queries.
fn examples(language: Language) -> Vec<(String, String)> {
    let source = match language {
        Language::Sql => prompt_templates().find(|(name, _)| *name == "query").unwrap().1,
        Language::Sparql => include_str!("sparql.jinja"),
        Language::Cypher => include_str!("cypher.jinja"),
    };
    let parts: Vec<&str> = source.split("\n=====\n").skip(1).collect();
    let pairs = parts.chunks_exact(2).filter(|pair| !pair[0].contains("{%"));
    let question = |text: &str| text.split_once("Question: ").unwrap().1.to_owned();
    pairs.map(|pair| (question(pair[0]), pair[1].to_owned())).collect()
}

/// The lines with each number in its shortest form: 11.0 and 11 are one.
fn by_value(lines: Vec<String>) -> Vec<String> {
    let number = |word: &str| word.parse::<f64>().map_or(word.to_owned(), |number| number.to_string());
    let line = |line: String| line.split(' ').map(number).collect::<Vec<String>>().join(" ");
    lines.into_iter().map(line).collect()
}

#[tokio::test]
async fn the_examples_of_all_prompts_mean_the_same() {
    let harbour = Harbour::open().await;
    let all = [Language::Sql, Language::Sparql, Language::Cypher].map(examples);
    let asked = |at: usize| all[at].iter().map(|(question, _)| question.clone()).collect::<Vec<_>>();
    assert_eq!(asked(0).len(), 16);
    assert_eq!((asked(1), asked(2)), (asked(0), asked(0)));
    for ((question, sql), (sparql, cypher)) in
        all[0].iter().zip(all[1].iter().map(|pair| &pair.1).zip(all[2].iter().map(|pair| &pair.1)))
    {
        if ask::declines(sql) {
            assert!(ask::declines(sparql) && ask::declines(cypher), "{question}");
            continue;
        }
        let expected = by_value(harbour.lines(Language::Sql, sql).await);
        assert!(!expected.is_empty() && !expected[0].starts_with("error"), "{sql}: {expected:?}");
        assert_eq!(by_value(harbour.lines(Language::Sparql, sparql).await), expected, "{sparql}");
        assert_eq!(by_value(harbour.lines(Language::Cypher, cypher).await), expected, "{cypher}");
    }
}

#[tokio::test]
async fn sparql_is_read_leniently() {
    let harbour = Harbour::open().await;
    for (text, expected) in [
        // Names in any case and spelling, as texts, prefixed names and in filters; two names mean
        // one entity.
        ("SELECT ?s WHERE { ?s a :Ships ; :homePort \"ostra\" ; :flag \"Blue\" }", &["Gull"][..]),
        ("SELECT ?s WHERE { ?s a :ship ; :home_port :Ostra ; :insured \"yes\" }", &["Gull", "Héron"]),
        ("SELECT ?n WHERE { ?s rdfs:label ?n ; :cargo ?c FILTER(?c = \"COAL\") }", &["Héron", "Plover"]),
        (
            "SELECT ?n WHERE { ?p a :port ; rdfs:label ?n FILTER(LANG(?n) = \"en\") }",
            &["Kobe", "Ostra", "Velm"],
        ),
        ("SELECT ?c WHERE { ?s rdfs:label ?n ; :cargo ?c FILTER(LCASE(?n) = \"heron\") }", &["coal"]),
        ("SELECT ?s WHERE { ?s a :ship ; :homePort/rdfs:label \"Velm\" }", &["Plover"]),
        ("SELECT ?s WHERE { ?s a :ship ; rdfs:label ?n FILTER(REGEX(?n, \"^PL\")) }", &["Plover"]),
        ("SELECT ?f WHERE { VALUES ?s { \"gull\" } ?s a :ship ; :flag ?f }", &["blue"]),
        ("SELECT ?b WHERE { ?b a :boat ; :flag \"red\" ; :insured true }", &["Héron"]),
        // Ends that fit only when exchanged.
        (
            "SELECT ?s WHERE { ?c a :captain ; rdfs:label \"Bram Hale\" ; :captain ?s . ?s a :ship }",
            &["Héron", "Tern"],
        ),
        // Along a link; a variable bound by its name alone.
        ("SELECT ?r WHERE { ?s a :ship ; rdfs:label \"Plover\" ; :region ?r }", &["south"]),
        ("SELECT ?c WHERE { ?p a :port ; rdfs:label \"Velm\" ; :cargo ?c }", &["coal", "salt", "tea"]),
        ("SELECT (MAX(?depth) AS ?d) WHERE { ?p a :port ; :region \"south\" }", &["11"]),
        // Numbers stored as texts, dates of any precision.
        ("SELECT ?s WHERE { ?s a :ship ; :tonnage ?t FILTER(?t < 500) }", &["Héron", "Plover"]),
        ("SELECT (MAX(?t) AS ?m) WHERE { ?s a :ship ; :tonnage ?t }", &["1210"]),
        (
            "SELECT ?s WHERE { ?s :built ?b FILTER(?b > \"1921\"^^xsd:date && ?b <= \"1934-07\") }",
            &["Héron", "Tern"],
        ),
        // Slips that stores accept; groups with their counts.
        ("SELECT COUNT(?s) WHERE { ?s a :ship ; :cargo ?c }", &["4"]),
        ("SELECT (COUNT(?s) AS ?n) WHERE { ?s a :ship ; :flag ?f } GROUP BY ?f", &["blue 2", "red 2"]),
        ("ASK { ?s a :ship ; :cargo \"coal\" }", &["yes"]),
    ] {
        harbour.check(Language::Sparql, text, expected).await;
    }
    let unknown = harbour.lines(Language::Sparql, "SELECT ?s WHERE { ?s a :whale }").await;
    assert_eq!(unknown, ["error: there is no class whale"]);
    let unknown = harbour.lines(Language::Sparql, "SELECT ?s WHERE { ?s a :ship ; :flag \"mauve\" }").await;
    assert_eq!(unknown, ["error: the graph has no such value: “mauve”"]);
}

#[tokio::test]
async fn cypher_is_translated() {
    let harbour = Harbour::open().await;
    for (text, expected) in [
        ("MATCH (s:Ship) WHERE s.cargo = 'coal' RETURN s.name", &["Héron", "Plover"][..]),
        ("MATCH (s:Ship)-[:CARGO]->(c {name: 'coal'}) RETURN s", &["Héron", "Plover"]),
        // A reversed arrow, a missing type, nodes without labels.
        ("MATCH (c:Captain {name: 'bram hale'})-[:CAPTAIN]->(s:Ship) RETURN s.name", &["Héron", "Tern"]),
        ("MATCH (c:Captain {name: 'Ilse Rook'})-[]->(p:Port) RETURN p.name", &["Velm"]),
        (
            "MATCH (c {licence: 'A1'})-[:BIRTHPLACE]->(p) RETURN c.name, p.region",
            &["Ada Moor north", "Ilse Rook south"],
        ),
        // Patterns as conditions.
        ("MATCH (p:Port) WHERE NOT (p)<-[:HOME_PORT]-() RETURN p.name", &["Kobe"]),
        (
            "MATCH (p:Port) WHERE EXISTS { (s:Ship)-[:HOME_PORT]->(p) WHERE s.flag = 'red' } RETURN p.name",
            &["Ostra"],
        ),
        ("MATCH (s:Ship) WHERE s.name IN ['Gull', 'Tern'] AND NOT s.insured RETURN s.name", &["Tern"]),
        (
            "MATCH (s:Ship) WHERE s.built >= date('1921-01-01') AND s.name CONTAINS 'tE' RETURN s.name",
            &["Tern"],
        ),
        // Groups, conditions on them, and further clauses over them.
        (
            "MATCH (s:Ship)-[:CAPTAIN]->(c) RETURN c.name, count(s) AS n ORDER BY n DESC LIMIT 1",
            &["Ada Moor 3"],
        ),
        (
            "MATCH (c:Captain)<-[:CAPTAIN]-(s:Ship) WITH c, count(s) AS n WHERE n > 1 RETURN c.name",
            &["Ada Moor", "Bram Hale"],
        ),
        (
            "MATCH (p:Port) WITH max(p.depth) AS most MATCH (q:Port) WHERE q.depth = most RETURN q.name",
            &["Ostra"],
        ),
        ("MATCH (s:Ship)-[:HOME_PORT]->(p) WITH p, count(s) AS n RETURN avg(n)", &["2"]),
        (
            "MATCH (s:Ship {flag: 'red'}) RETURN s.name UNION MATCH (s:Ship {flag: 'blue'}) RETURN s.name",
            &["Gull", "Héron", "Plover", "Tern"],
        ),
        (
            "MATCH (p:Port) OPTIONAL MATCH (s:Ship)-[:HOME_PORT]->(p) RETURN p.name, count(s)",
            &["Kobe 0", "Ostra 3", "Velm 1"],
        ),
        ("MATCH (b:Boat {flag: 'red'}) WHERE b.insured RETURN b.name", &["Héron"]),
        ("MATCH (s:Ship) ORDER BY s.built DESC LIMIT 1 RETURN s.name", &["Héron"]),
        ("MATCH (s:Ship) RETURN s.flag, avg(s.tonnage)", &["blue 512.5", "red 760"]),
    ] {
        harbour.check(Language::Cypher, text, expected).await;
    }
    for text in [
        "MATCH (s:Ship)-[:CAPTAIN*1..2]->(c) RETURN c",
        "MATCH (s:Ship) RETURN [c IN s.cargo WHERE c = 'tea']",
        "MATCH (w:Whale) RETURN w",
        "CREATE (s:Ship {name: 'Auk'})",
    ] {
        let lines = harbour.lines(Language::Cypher, text).await;
        assert!(lines[0].starts_with("error"), "{text}: {lines:?}");
    }
}
