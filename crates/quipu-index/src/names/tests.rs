//! The name index as a whole: written, opened, asked; damaged on purpose.

use std::collections::BTreeMap;
use std::path::PathBuf;

use quipu_graph::NodeId;

use super::*;
use crate::container::{change_number, change_section, check_version_1};
use quipu_language::normalise;

struct Built {
    folder: tempfile::TempDir,
    index: NameIndex,
}

fn write(names: &[(&str, u64)], memory: usize) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("names.qix");
    let mut writer = NameIndexWriter::create(&path, &NameIndexConfig { memory }).unwrap();
    for (node, (name, degree)) in names.iter().enumerate() {
        let (name, kind, label) = match name.split_once(" = ") {
            Some((alias, label)) => (alias, NameKind::Alias, Some(label)),
            None => (*name, NameKind::Label, None),
        };
        let node = NodeId(node as u64);
        writer.push(&NameEntry { node, name, kind, degree: *degree, label }).unwrap();
    }
    writer.finish().unwrap();
    (folder, path)
}

fn build(names: &[(&str, u64)]) -> Built {
    let (folder, path) = write(names, 1 << 20);
    Built { index: NameIndex::open(&path).unwrap(), folder }
}

const FILMS: &[(&str, u64)] = &[
    ("Quentin Tarantino", 30),
    ("Béatrice Romand", 2),
    ("Charles de Gaulle", 12),
    ("Charles Laughton", 25),
    ("The Matrix", 20),
    ("Matrix", 3),
    ("Who", 1),
    ("$", 5),
    ("Titanic", 9),
    ("titanic", 40),
    ("Louis Armstrong", 7),
    ("Satchmo = Louis Armstrong", 7),
    ("Europe '51", 4),
    ("Paul Newman", 50),
    ("Paul Neuman", 1),
];

/// The first candidate's name, how it matched and how many candidates there are.
fn check(text: &str, expected: &str) {
    let built = build(FILMS);
    let found = built.index.lookup(text, &LookupConfig::default()).unwrap();
    let shown = found.first().map_or("nothing".to_owned(), |first| {
        let reason = match first.reason {
            MatchReason::Exact => "exact".to_owned(),
            MatchReason::Alias => format!("alias {}", first.matched),
            MatchReason::Fuzzy { distance } => format!("fuzzy {distance}"),
            MatchReason::Trigram { .. } => "trigram".to_owned(),
            MatchReason::Dense { .. } => "dense".to_owned(),
        };
        format!("{}: {reason}", first.name)
    });
    assert_eq!(shown, expected, "{text:?}");
    assert!(found.is_sorted_by(|left, right| left.score >= right.score), "{text:?}");
    assert!(found.iter().all(|candidate| (0.0..=1.0).contains(&candidate.score)), "{text:?}");
    drop(built.folder);
}

#[test]
fn names_are_completed_with_the_best_known_first() {
    let built =
        build(&[("Lima", 9), ("Limerick", 40), ("Lime", 1), ("Oslo", 80), ("Ciudad de Lima = Lima", 9)]);
    let starting = |text: &str, k| built.index.starting_with(text, k).unwrap();
    assert_eq!(starting("lim", 9), ["Limerick", "Lima", "Lime"]);
    assert_eq!(starting("LIM", 2), ["Limerick", "Lima"]);
    assert_eq!(starting("Ciudad de", 9), ["Ciudad de Lima"]);
    assert!(starting("x", 9).is_empty() && starting("", 9).is_empty() && starting("Limax", 9).is_empty());
}

#[test]
fn exact_names_come_first() {
    check("Quentin Tarantino", "Quentin Tarantino: exact");
    check("quentin tarantino's", "Quentin Tarantino: exact");
    check("beatrice romand", "Béatrice Romand: exact");
    check("The Matrix", "The Matrix: exact");
    check("Matrix", "Matrix: exact");
    check("Titanic", "Titanic: exact");
    check("titanic", "titanic: exact");
    check("$", "$: exact");
    check("europe 51", "Europe '51: exact");
    check("satchmo", "Louis Armstrong: alias Satchmo");
}

#[test]
fn typing_errors_are_tolerated() {
    check("quentin tarantno", "Quentin Tarantino: fuzzy 1");
    check("qeuntin tarantion", "Quentin Tarantino: fuzzy 2");
    check("wuentin tarantino", "Quentin Tarantino: fuzzy 1");
    check("TITANICC", "titanic: fuzzy 1");
    check("satchno", "Louis Armstrong: fuzzy 1");
    check("Paul Newmann", "Paul Newman: fuzzy 1");
    check("whoo", "Who: fuzzy 1");
}

#[test]
fn parts_and_other_orders_are_found() {
    check("Tarantino", "Quentin Tarantino: trigram");
    check("Gaulle de Charles", "Charles de Gaulle: trigram");
    check("Laughton, Charles", "Charles Laughton: trigram");
    check("Armstrong, Louis Daniel", "Louis Armstrong: trigram");
    check("mister tarrantinno", "Quentin Tarantino: trigram");
}

#[test]
fn nothing_is_found_for_nothing() {
    check("", "nothing");
    check("   ", "nothing");
    check("?!", "nothing");
    check("zzzzzz qqqqqq", "nothing");
    check(&"no such name ".repeat(10_000), "nothing");
}

#[test]
fn an_empty_index_finds_nothing() {
    let built = build(&[]);
    assert!(built.index.is_empty());
    assert!(built.index.lookup("anything", &LookupConfig::default()).unwrap().is_empty());
}

#[test]
fn the_better_connected_of_equals_is_first() {
    let names: Vec<(&str, u64)> = (0..500).map(|degree| ("John Smith", degree)).collect();
    let built = build(&names);
    let found = built.index.lookup("john smith", &LookupConfig::default()).unwrap();
    assert_eq!(found.len(), 10);
    assert_eq!(found[0].degree, 499);
    drop(built.folder);
}

#[test]
fn alternatives_follow_the_exact_match() {
    let built = build(FILMS);
    let config = LookupConfig { alternatives: true, ..LookupConfig::default() };
    let found = built.index.lookup("Paul Newman", &config).unwrap();
    let names: Vec<&str> = found.iter().map(|candidate| candidate.name.as_str()).collect();
    assert_eq!(names[..2], ["Paul Newman", "Paul Neuman"]);
    drop(built.folder);
}

#[test]
fn spilling_does_not_change_the_file() {
    let names: Vec<String> = (0..2000).map(|number| format!("Name {}", number * 7919 % 2003)).collect();
    let names: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), name.len() as u64)).collect();
    let (_one, large) = write(&names, 1 << 24);
    let (_other, small) = write(&names, 4 << 10);
    assert!(std::fs::read(large).unwrap() == std::fs::read(small).unwrap());
}

#[test]
fn an_index_of_version_1_says_what_to_do() {
    let (_folder, path) = write(FILMS, 1 << 20);
    check_version_1(&path, || NameIndex::open(&path));
}

#[test]
fn damaged_files_are_refused() {
    let (_folder, path) = write(FILMS, 1 << 20);
    let whole = std::fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(37) {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(NameIndex::open(&path).is_err(), "{length} bytes of {}", whole.len());
    }
    std::fs::write(&path, b"something else entirely, and long enough to hold a header").unwrap();
    let message = NameIndex::open(&path).unwrap_err().to_string();
    assert!(message.contains("this is not a name index of Quipu"), "{message}");
    std::fs::remove_file(&path).unwrap();
    let message = NameIndex::open(&path).unwrap_err().to_string();
    assert!(message.contains("is missing"), "{message}");
}

/// With a wrong byte, a file too large to be checked on opening gives the same answers if they do
/// not depend on the byte, else an error that names the place.
#[test]
fn of_a_damaged_file_too_large_to_be_read_through_no_other_answer_comes() {
    let texts =
        ["Quentin Tarantino", "qeuntin tarantion", "Gaulle de Charles", "mister tarrantinno", "nobody"];
    // Enough names for several pages of every section.
    let more: Vec<String> =
        (0..2000).map(|number| format!("Name{number} of {}", number * 7919 % 2003)).collect();
    let more = more.iter().map(|name| (name.as_str(), 1));
    let names: Vec<(&str, u64)> = FILMS.iter().copied().chain(more).collect();
    let (_folder, path) = write(&names, 1 << 20);
    let whole = std::fs::read(&path).unwrap();
    let ask = |index: &NameIndex| {
        texts.map(|text| index.lookup(text, &LookupConfig::default()).map_err(|error| error.to_string()))
    };
    let expected = ask(&NameIndex::open(&path).unwrap());
    assert!(expected.iter().all(Result::is_ok));
    let (mut refused, mut untouched) = (0, 0);
    for at in (4096..whole.len()).step_by(97) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x04;
        std::fs::write(&path, &damaged).unwrap();
        let found =
            NameIndex::open_unchecked(&path).map(|index| ask(&index)).map_err(|error| error.to_string());
        let Ok(found) = found else {
            refused += 1;
            continue;
        };
        for (found, expected) in found.iter().zip(&expected) {
            match found {
                Ok(_) => {
                    assert_eq!(found, expected, "byte {at}");
                    untouched += 1;
                }
                Err(reason) => {
                    assert!(reason.contains("are damaged: expected checksum"), "byte {at}: {reason}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 100 && untouched > 100, "{refused} refused, {untouched} untouched");
}

#[test]
fn counts_that_the_names_cannot_have_are_damage() {
    let (_folder, path) = write(&[("Alpha Beta", 3), ("Gamma", 2)], 1 << 20);
    let whole = std::fs::read(&path).unwrap();
    let refused = |what: &str| {
        let message = NameIndex::open(&path).unwrap_err().to_string();
        assert!(message.contains("its counts contradict each other"), "{what}: {message}");
        std::fs::write(&path, &whole).unwrap();
    };
    for (index, number) in [(0, u64::MAX), (0, 1), (1, u64::MAX), (4, u64::MAX)] {
        change_number(&path, KIND, "meta", index, number);
        refused(&format!("number {index} is {number}"));
    }
    change_section(&path, KIND, "meta", |bytes| bytes.truncate(16));
    refused("two numbers");
    // No more names hold the first word, "alpha", than there are.
    change_section(&path, KIND, "postings", |bytes| bytes[0] = 0x7f);
    let index = NameIndex::open(&path).unwrap();
    let message = index.lookup("gamma alpha", &LookupConfig::default()).unwrap_err().to_string();
    assert!(message.contains("an entry cannot be read"), "{message}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    #[test]
    fn exact_lookup_agrees_with_a_map(
        names in proptest::collection::vec("[aAbé' -]{1,5}", 1..60),
        texts in proptest::collection::vec("[aAbé' -]{1,5}", 1..10),
    ) {
        let mut map: BTreeMap<String, std::collections::BTreeSet<NodeId>> = BTreeMap::new();
        for (node, name) in names.iter().enumerate() {
            map.entry(normalise(name)).or_default().insert(NodeId(node as u64));
        }
        let entries: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 1)).collect();
        let built = build(&entries);
        for text in texts.iter().chain(&names) {
            let key = normalise(text);
            let expected = if key.is_empty() { None } else { map.get(&key).cloned() };
            let found = built.index.exact(text, 1000).unwrap();
            let nodes: std::collections::BTreeSet<NodeId> = found.iter().map(|candidate| candidate.node).collect();
            proptest::prop_assert_eq!(nodes, expected.unwrap_or_default(), "{}", text);
        }
    }
}
