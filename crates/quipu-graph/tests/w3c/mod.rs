//! Reads W3C's tests of SPARQL: manifests and expected results, in their own format (from `.w3c/`,
//! which `scripts/setup.sh` fetches).

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use oxrdf::dataset::CanonicalizationAlgorithm;
use oxrdf::vocab::{rdf, xsd};
use oxrdf::{
    BlankNode, Graph, Literal, NamedNode, NamedNodeRef, NamedOrBlankNode, NamedOrBlankNodeRef, Term, TermRef,
    Triple,
};
use oxrdfio::{RdfFormat, RdfParser};
use sparesults::{QueryResultsFormat, QueryResultsParser, ReaderQueryResultsParserOutput};

const MANIFEST: &str = "http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#";
const QUERY: &str = "http://www.w3.org/2001/sw/DataAccess/tests/test-query#";
const DAWG: &str = "http://www.w3.org/2001/sw/DataAccess/tests/test-dawg#";
const RESULT_SET: &str = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#";

/// The folder of the tests, if it was fetched.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.w3c").canonicalize().ok()?;
    folder.join("ready").exists().then_some(folder)
}

/// The expectation of a test.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// The query is valid, or invalid.
    Syntax { good: bool },
    /// The query's results over the data, and over named graphs if there are any.
    Results { data: Vec<PathBuf>, named: bool, result: PathBuf, lax: bool },
}

/// A test of a manifest.
#[derive(Debug)]
pub(crate) struct Test {
    /// Its folder and its name there.
    pub(crate) name: String,
    pub(crate) query: PathBuf,
    pub(crate) asks: Asks,
}

fn term(vocabulary: &str, name: &str) -> NamedNode {
    NamedNode::new_unchecked(format!("{vocabulary}{name}"))
}

/// A file's IRI.
pub(crate) fn iri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// The file of an IRI.
fn path(iri: &str) -> PathBuf {
    PathBuf::from(iri.strip_prefix("file://").unwrap_or(iri))
}

/// The triples of a file.
pub(crate) fn read(file: &Path) -> Graph {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let format = match extension {
        "rdf" => RdfFormat::RdfXml,
        _ => RdfFormat::Turtle,
    };
    let parser = RdfParser::from_format(format).with_base_iri(iri(file)).unwrap();
    let quads = parser.for_reader(BufReader::new(File::open(file).unwrap()));
    quads
        .map(|quad| Triple::from(quad.unwrap_or_else(|error| panic!("{}: {error}", file.display()))))
        .collect()
}

fn objects<'a>(
    graph: &'a Graph,
    subject: impl Into<NamedOrBlankNodeRef<'a>>,
    predicate: &NamedNode,
) -> Vec<TermRef<'a>> {
    let predicate = predicate.as_ref();
    // The predicate does not live long enough for a lookup, so the objects come from all triples of
    // the subject.
    graph
        .triples_for_subject(subject)
        .filter(|triple| triple.predicate == predicate)
        .map(|triple| triple.object)
        .collect()
}

fn node(term: TermRef<'_>) -> Option<NamedOrBlankNodeRef<'_>> {
    match term {
        TermRef::NamedNode(node) => Some(node.into()),
        TermRef::BlankNode(node) => Some(node.into()),
        TermRef::Literal(_) => None,
    }
}

/// The approved tests of a folder's manifest, and the number of its other tests.
pub(crate) fn tests(folder: &Path) -> (Vec<Test>, usize) {
    let graph = read(&folder.join("manifest.ttl"));
    let (mut tests, mut others) = (Vec::new(), 0);
    let entries: Vec<TermRef<'_>> = graph
        .triples_for_predicate(term(MANIFEST, "entries").as_ref())
        .flat_map(|triple| list(&graph, triple.object))
        .collect();
    for entry in entries {
        match node(entry).and_then(|entry| test(&graph, folder, entry)) {
            Some(test) => tests.push(test),
            None => others += 1,
        }
    }
    (tests, others)
}

fn list<'a>(graph: &'a Graph, mut head: TermRef<'a>) -> Vec<TermRef<'a>> {
    let mut found = Vec::new();
    while let Some(at) = node(head) {
        let Some(first) = graph.object_for_subject_predicate(at, rdf::FIRST) else { break };
        found.push(first);
        let Some(rest) = graph.object_for_subject_predicate(at, rdf::REST) else { break };
        head = rest;
    }
    found
}

fn test(graph: &Graph, folder: &Path, entry: NamedOrBlankNodeRef<'_>) -> Option<Test> {
    let approved = term(DAWG, "Approved");
    let is_approved = objects(graph, entry, &term(DAWG, "approval")).contains(&approved.as_ref().into());
    let kind = objects(graph, entry, &NamedNode::from(rdf::TYPE)).into_iter().find_map(|kind| match kind {
        TermRef::NamedNode(kind) => kind.as_str().strip_prefix(MANIFEST),
        _ => None,
    });
    let of_queries = kind.filter(|kind| is_approved && KINDS.contains(kind));
    of_queries
        .map(|kind| readable(graph, folder, entry, kind).unwrap_or_else(|| panic!("{entry} cannot be read")))
}

/// The kinds of tests that are run.
const KINDS: [&str; 6] = [
    "PositiveSyntaxTest",
    "PositiveSyntaxTest11",
    "NegativeSyntaxTest",
    "NegativeSyntaxTest11",
    "QueryEvaluationTest",
    "CSVResultFormatTest",
];

fn readable(graph: &Graph, folder: &Path, entry: NamedOrBlankNodeRef<'_>, kind: &str) -> Option<Test> {
    let action = *objects(graph, entry, &term(MANIFEST, "action")).first()?;
    let of_folder = folder.file_name()?.to_str()?;
    let NamedOrBlankNodeRef::NamedNode(named) = entry else { return None };
    let name = format!("{of_folder}/{}", named.as_str().rsplit('#').next()?);
    let syntax = |good: bool| {
        let TermRef::NamedNode(query) = action else { return None };
        Some(Test { name: name.clone(), query: path(query.as_str()), asks: Asks::Syntax { good } })
    };
    match kind {
        "PositiveSyntaxTest" | "PositiveSyntaxTest11" => syntax(true),
        "NegativeSyntaxTest" | "NegativeSyntaxTest11" => syntax(false),
        "QueryEvaluationTest" | "CSVResultFormatTest" => {
            let action = node(action)?;
            let files = |name: &str| -> Vec<PathBuf> {
                let named = objects(graph, action, &term(QUERY, name)).into_iter();
                let file = |file: TermRef<'_>| match file {
                    TermRef::NamedNode(file) => Some(path(file.as_str())),
                    _ => None,
                };
                named.filter_map(file).collect()
            };
            let query = files("query").into_iter().next()?;
            let named = !objects(graph, action, &term(QUERY, "graphData")).is_empty();
            let TermRef::NamedNode(result) = *objects(graph, entry, &term(MANIFEST, "result")).first()?
            else {
                return None;
            };
            let lax = !objects(graph, entry, &term(MANIFEST, "resultCardinality")).is_empty();
            let asks = Asks::Results { data: files("data"), named, result: path(result.as_str()), lax };
            Some(Test { name, query, asks })
        }
        _ => None,
    }
}

/// The results of a query: yes or no, rows, or triples.
#[derive(Debug, PartialEq)]
pub(crate) enum Results {
    Boolean(bool),
    /// Solutions in a canonical form: equal solutions are equal, whatever the names of their blank
    /// nodes.
    Solutions(Vec<String>),
    Triples(Vec<String>),
}

type Row = BTreeMap<String, Term>;

impl Results {
    /// Reads expected results, and keeps their order if it counts.
    pub(crate) fn expected(file: &Path, lax: bool) -> (Self, bool) {
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension {
            "srx" | "srj" => {
                let format =
                    if extension == "srx" { QueryResultsFormat::Xml } else { QueryResultsFormat::Json };
                (Self::parsed(format, &std::fs::read(file).unwrap(), false, lax), false)
            }
            _ => {
                let graph = read(file);
                let set =
                    graph.subject_for_predicate_object(rdf::TYPE, term(RESULT_SET, "ResultSet").as_ref());
                match set {
                    Some(set) => result_set(&graph, set, lax),
                    None => (Self::triples(graph), false),
                }
            }
        }
    }

    /// Reads the results of a query.
    pub(crate) fn parsed(format: QueryResultsFormat, bytes: &[u8], ordered: bool, lax: bool) -> Self {
        match QueryResultsParser::from_format(format).for_reader(bytes).unwrap() {
            ReaderQueryResultsParserOutput::Boolean(value) => Self::Boolean(value),
            ReaderQueryResultsParserOutput::Solutions(solutions) => {
                let rows = solutions.map(|solution| {
                    let solution = solution.unwrap();
                    solution.iter().map(|(name, term)| (name.as_str().to_owned(), term.clone())).collect()
                });
                Self::Solutions(canonical(rows.collect(), ordered, lax))
            }
        }
    }

    pub(crate) fn triples(mut graph: Graph) -> Self {
        graph.canonicalize(CanonicalizationAlgorithm::Unstable);
        let mut lines: Vec<String> = graph.iter().map(|triple| triple.to_string()).collect();
        lines.sort();
        Self::Triples(lines)
    }
}

/// Results in RDF, in the vocabulary of result sets.
fn result_set(graph: &Graph, set: NamedOrBlankNodeRef<'_>, lax: bool) -> (Results, bool) {
    if let Some(TermRef::Literal(value)) = objects(graph, set, &term(RESULT_SET, "boolean")).first() {
        return (Results::Boolean(value.value() == "true"), false);
    }
    let mut rows: Vec<(Option<i64>, Row)> = Vec::new();
    for solution in objects(graph, set, &term(RESULT_SET, "solution")) {
        let solution = node(solution).unwrap();
        let index =
            objects(graph, solution, &term(RESULT_SET, "index")).first().and_then(|index| match index {
                TermRef::Literal(index) => index.value().parse().ok(),
                _ => None,
            });
        let bindings = objects(graph, solution, &term(RESULT_SET, "binding")).into_iter().map(|binding| {
            let binding = node(binding).unwrap();
            let name = objects(graph, binding, &term(RESULT_SET, "variable"));
            let Some(TermRef::Literal(name)) = name.first() else { panic!("a binding without a variable") };
            let value = objects(graph, binding, &term(RESULT_SET, "value"));
            (name.value().to_owned(), value.first().unwrap().into_owned())
        });
        rows.push((index, bindings.collect()));
    }
    let ordered = !rows.is_empty() && rows.iter().all(|(index, _)| index.is_some());
    rows.sort_by_key(|(index, _)| *index);
    let rows = rows.into_iter().map(|(_, row)| row).collect();
    (Results::Solutions(canonical(rows, ordered, lax)), ordered)
}

/// Rows as lines: sorted if order does not count, deduplicated if repetitions do not count, blank
/// nodes named by their context.
pub(crate) fn canonical(rows: Vec<Row>, ordered: bool, lax: bool) -> Vec<String> {
    let rows: Vec<Row> = rows
        .into_iter()
        .map(|row| row.into_iter().map(|(name, term)| (name, by_value(term))).collect())
        .collect();
    let labels = blank_labels(&rows);
    let line = |row: &Row| {
        let cells = row.iter().map(|(name, term)| match term {
            Term::BlankNode(blank) => format!("?{name}=_:{}", labels.get(blank).map_or("", String::as_str)),
            term => format!("?{name}={term}"),
        });
        cells.collect::<Vec<_>>().join(" ")
    };
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    if !ordered {
        lines.sort();
    }
    if lax {
        lines.dedup();
    }
    lines
}

/// Names for blank nodes that do not depend on their labels: two results that differ only in the
/// labels get the same names.
fn blank_labels(rows: &[Row]) -> HashMap<BlankNode, String> {
    let mut graph = Graph::new();
    let mut copies: BTreeMap<Vec<(String, String)>, i64> = BTreeMap::new();
    for row in rows {
        let key = row.iter().map(|(name, term)| (name.clone(), term.to_string())).collect();
        *copies.entry(key).or_default() += 1;
    }
    for (row, (key, count)) in rows.iter().filter_map(|row| {
        let key: Vec<(String, String)> =
            row.iter().map(|(name, term)| (name.clone(), term.to_string())).collect();
        copies.get(&key).map(|count| (row, (key, *count)))
    }) {
        if !row.values().any(Term::is_blank_node) {
            continue;
        }
        // One node for all equal rows.
        let solution = BlankNode::new_unchecked(format!("row{:x}", fnv(&format!("{key:?}"))));
        let says = |of: &str, object: Term| {
            Triple::new(NamedOrBlankNode::from(solution.clone()), term("urn:x:", of), object)
        };
        for (name, value) in row {
            graph.insert(&says(name, value.clone()));
        }
        graph.insert(&says("copies", Literal::from(count).into()));
    }
    let names = graph.as_dataset_labels();
    rows.iter()
        .flat_map(|row| row.values())
        .filter_map(|term| match term {
            Term::BlankNode(blank) => Some((blank.clone(), names.get(blank).cloned().unwrap_or_default())),
            _ => None,
        })
        .collect()
}

/// Numbers by their value: `2.0` equals `2.00`.
fn by_value(term: Term) -> Term {
    let Term::Literal(literal) = &term else { return term };
    let datatype = literal.datatype();
    let is_number = [xsd::INTEGER, xsd::DECIMAL, xsd::DOUBLE, xsd::FLOAT].contains(&datatype);
    match literal.value().parse::<f64>() {
        Ok(value) if is_number => {
            Literal::new_typed_literal(format!("{value:?}"), NamedNodeRef::into_owned(datatype)).into()
        }
        _ => term,
    }
}

fn fnv(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The names of blank nodes from canonicalization.
trait Labels {
    fn as_dataset_labels(&self) -> HashMap<BlankNode, String>;
}

impl Labels for Graph {
    fn as_dataset_labels(&self) -> HashMap<BlankNode, String> {
        let dataset: oxrdf::Dataset =
            self.iter().map(|triple| triple.in_graph(oxrdf::GraphNameRef::DefaultGraph)).collect();
        let labels = dataset.canonicalize_blank_nodes(CanonicalizationAlgorithm::Unstable);
        labels.into_iter().map(|(from, to)| (from.into_owned(), to.as_str().to_owned())).collect()
    }
}
