//! Files of several blocks that are cut, imported by several threads over an older workspace: an
//! error leaves the old workspace, and no cut line is imported without a remark.

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use quipu_graph::{ImportConfig, Input};

use super::*;
use crate::{ImportRequest, LookupConfig};

/// Bytes of a file of lines: more than two blocks of the reader.
const LARGE: usize = 5 << 20;
/// Bytes of a file that one thread reads.
const SMALLER: usize = 1 << 20;
/// Cuts of a file at the ends of elements, and as many at random bytes.
const CUTS: u64 = 3;
const OLD: &str = "Gorwen\tlies on\tOrle\n";

/// The reaction to a cut.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    /// The format has an end mark: each cut is an error.
    Error,
    /// A cut between lines cannot be told. One within a line is an error or a remark.
    Remark,
    /// The same, but whole statements end in a mark, so that there is nothing to remark on.
    Statements,
}

struct Format {
    name: &'static str,
    rule: Rule,
    start: &'static str,
    /// Writes an element of one line.
    element: fn(&mut String, usize),
    between: &'static str,
    end: &'static str,
    bytes: usize,
}

/// Long, so that a large file has few distinct names.
fn long(number: usize) -> String {
    format!("{}{}", "x".repeat(150), number % 50)
}

const FORMATS: [Format; 11] = [
    Format {
        name: "graph.nt",
        rule: Rule::Remark,
        start: "",
        element: |text, n| {
            write!(text, "<http://e.org/{}> <http://e.org/r> \"{}\" .", n % 7, long(n)).unwrap();
        },
        between: "\n",
        end: "\n",
        bytes: LARGE,
    },
    Format {
        name: "graph.nq",
        rule: Rule::Remark,
        start: "",
        element: |text, n| {
            write!(text, "<http://e.org/{}> <http://e.org/r> \"{}\" <http://e.org/g> .", n % 7, long(n))
                .unwrap();
        },
        between: "\n",
        end: "\n",
        bytes: LARGE,
    },
    Format {
        name: "graph.ttl",
        rule: Rule::Statements,
        start: "PREFIX e: <http://e.org/>\n",
        element: |text, n| write!(text, "e:a{} e:r \"{}\" .", n % 7, long(n)).unwrap(),
        between: "\n",
        end: "\n",
        bytes: SMALLER,
    },
    Format {
        name: "graph.trig",
        rule: Rule::Statements,
        start: "PREFIX e: <http://e.org/>\n",
        element: |text, n| write!(text, "e:g {{ e:a{} e:r \"{}\" }}", n % 7, long(n)).unwrap(),
        between: "\n",
        end: "\n",
        bytes: SMALLER,
    },
    Format {
        name: "graph.rdf",
        rule: Rule::Error,
        start: "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:e=\"http://e.org/\">\n",
        element: |text, n| {
            let about = n % 7;
            write!(
                text,
                "<rdf:Description rdf:about=\"http://e.org/{about}\"><e:r>{}</e:r></rdf:Description>",
                long(n)
            )
            .unwrap();
        },
        between: "\n",
        end: "\n</rdf:RDF>\n",
        bytes: SMALLER,
    },
    Format {
        name: "graph.jsonld",
        rule: Rule::Error,
        start: "[\n",
        element: |text, n| {
            let id = n % 7;
            write!(text, "{{\"@id\": \"http://e.org/{id}\", \"http://e.org/r\": \"{}\"}}", long(n)).unwrap();
        },
        between: ",\n",
        end: "\n]\n",
        bytes: SMALLER,
    },
    Format {
        name: "graph.json",
        rule: Rule::Error,
        start: "[\n",
        element: |text, n| {
            let label = long(n);
            write!(
                text,
                "{{\"type\":\"item\",\"id\":\"Q{n}\",\"labels\":{{\"en\":{{\"language\":\"en\",\"value\":\"{label}\"}}}}}}"
            )
            .unwrap();
        },
        between: ",\n",
        end: "\n]\n",
        bytes: LARGE,
    },
    Format {
        name: "nodes.jsonl",
        rule: Rule::Remark,
        start: "",
        element: |text, n| {
            write!(text, "{{\"id\": {n}, \"name\": \"a{}\", \"note\": \"{}\"}}", n % 7, long(n)).unwrap();
        },
        between: "\n",
        end: "\n",
        bytes: LARGE,
    },
    Format {
        name: "graph.tsv",
        rule: Rule::Remark,
        start: "",
        element: |text, n| write!(text, "a{}\tlies in\t{}", n % 7, long(n)).unwrap(),
        between: "\n",
        end: "\n",
        bytes: LARGE,
    },
    Format {
        name: "graph.csv",
        rule: Rule::Remark,
        start: "",
        element: |text, n| write!(text, "a{},lies in,\"{}, b\"", n % 7, long(n)).unwrap(),
        between: "\n",
        end: "\n",
        bytes: LARGE,
    },
    Format {
        name: "tools.csv",
        rule: Rule::Remark,
        start: "name,price,supplier,made in\n",
        element: |text, n| write!(text, "Tool {n},{},{},Oslo", n % 90, long(n)).unwrap(),
        between: "\n",
        end: "\n",
        bytes: SMALLER,
    },
];

/// The file's text, and the places after each of its elements.
fn content(format: &Format) -> (String, Vec<usize>) {
    let (mut text, mut ends) = (format.start.to_owned(), Vec::new());
    for number in 0.. {
        (format.element)(&mut text, number);
        if text.len() >= format.bytes {
            break;
        }
        text.push_str(format.between);
        ends.push(text.len());
    }
    text.push_str(format.end);
    (text, ends)
}

async fn import(place: &Path, file: PathBuf) -> Result<quipu_graph::ImportReport, IndexError> {
    let mut graph = ImportConfig::new("cut", vec![Input::File(file)]);
    graph.threads = 4;
    Workspace::import(place, &ImportRequest { graph, embedder: None, progress: None }).await
}

/// The old workspace: its files and its answer.
async fn old(place: &Path) -> (Vec<PathBuf>, u64, String) {
    let workspace = Workspace::open(place).unwrap();
    workspace.verify().unwrap();
    let mut files: Vec<PathBuf> = place.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let found = workspace.lookup("Gorwen", &LookupConfig::default()).await.unwrap();
    (files, workspace.info().graph.triples, format!("{found:?}"))
}

async fn check(format: &Format, random: &mut impl FnMut(u64) -> u64) {
    let folder = tempfile::tempdir().unwrap();
    let [place, before, file] = ["workspace", "old.tsv", format.name].map(|name| folder.path().join(name));
    std::fs::write(&before, OLD).unwrap();
    let (text, ends) = content(format);
    let mut one_of = |count: usize| usize::try_from(random(count as u64)).unwrap();
    let mut cuts: Vec<usize> = (0..CUTS).map(|_| ends[one_of(ends.len())]).collect();
    cuts.extend((0..CUTS).map(|_| one_of(text.trim_end().len())));
    for at in cuts {
        import(&place, before.clone()).await.unwrap();
        let expected = old(&place).await;
        let cut = &text.as_bytes()[..at];
        std::fs::write(&file, cut).unwrap();
        let what = format!("{} cut at {at} of {}", format.name, text.len());
        match import(&place, file.clone()).await {
            Err(error) => {
                let told = error.to_string();
                assert!(told.contains(format.name) || told.contains("no triples"), "{what}: {told}");
                assert_eq!(old(&place).await, expected, "{what}");
                assert!(format.rule == Rule::Error || !ends.contains(&at), "{what}: {told}");
            }
            Ok(report) => {
                assert!(format.rule != Rule::Error, "{what}: imported");
                let within_a_line = !cut.is_empty() && !cut.ends_with(b"\n");
                let remarked = report.open_ended.len() == 1;
                assert_eq!(remarked, within_a_line && format.rule == Rule::Remark, "{what}");
                if format.rule == Rule::Statements {
                    let whole = ends.iter().filter(|end| **end <= at + 1).count() as u64;
                    assert_eq!(report.statements, whole, "{what}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_cut_of_a_large_file_is_an_error_or_remarked_on() {
    let seed = std::env::var("QUIPU_CUT_SEED").ok().map(|seed| seed.parse().unwrap());
    let seed = seed.unwrap_or_else(|| RandomState::new().build_hasher().finish());
    println!("QUIPU_CUT_SEED={seed}");
    let mut state = seed | 1;
    let mut random = |bound: u64| {
        // Xorshift.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % bound
    };
    for format in &FORMATS {
        check(format, &mut random).await;
    }
}
