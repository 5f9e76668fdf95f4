//! Detection on a small index: films, people, places.

use quipu_graph::NodeId;

use super::*;
use crate::{NameEntry, NameIndexConfig, NameIndexWriter, NameKind};

const NAMES: &[&str] = &[
    "Paul Newman",
    "Paul",
    "Who",
    "The Matrix",
    "Titanic",
    "film",
    "The Man Who Knew Too Much",
    "Schindler's List",
    "$",
    "charles de gaulle",
    "Belgium",
    "Goalkeeper",
    "FC Bayern Muenchen",
    "Béatrice Romand",
    "Quentin Tarantino",
    "place of birth",
    "8½",
    "Ed",
    "Taxi",
    "Taxi!",
];

/// Chosen mentions as `text → first candidate`.
fn check(question: &str, expected: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("names.qix");
    let mut writer = NameIndexWriter::create(&path, &NameIndexConfig { memory: 1 << 20 }).unwrap();
    for (node, name) in NAMES.iter().enumerate() {
        let entry =
            NameEntry { node: NodeId(node as u64), name, kind: NameKind::Label, degree: 3, label: None };
        writer.push(&entry).unwrap();
    }
    writer.finish().unwrap();
    let index = NameIndex::open(&path).unwrap();
    let vocabulary = Vocabulary::new(["directed by", "place of birth", "starred actors", "plays position"]);
    let detector = MentionDetector::new(&index, &vocabulary);
    let mentions = detector.detect(question, &MentionConfig::default()).unwrap();
    let shown: Vec<String> = mentions
        .iter()
        .filter(|mention| mention.chosen)
        .map(|mention| {
            assert_eq!(question.get(mention.span.clone()), Some(mention.text.as_str()));
            format!("{} → {}", mention.text, mention.candidates[0].name)
        })
        .collect();
    assert_eq!(shown, expected, "{question:?}: {mentions:#?}");
}

#[test]
fn the_longest_name_is_the_mention() {
    check("what films did Paul Newman act in", &["Paul Newman → Paul Newman"]);
    check(
        "who directed The Man Who Knew Too Much?",
        &["The Man Who Knew Too Much → The Man Who Knew Too Much"],
    );
    check("who starred in the matrix", &["the matrix → The Matrix"]);
}

#[test]
fn possessives_and_diacritics_do_not_matter() {
    check("what is charles de gaulle's place of birth?", &["charles de gaulle → charles de gaulle"]);
    check("which films did beatrice romand star in", &["beatrice romand → Béatrice Romand"]);
    check("who wrote Schindler’s List", &["Schindler’s List → Schindler's List"]);
}

#[test]
fn common_words_are_names_only_where_more_speaks_for_it() {
    check("who directed titanic", &["titanic → Titanic"]);
    check("what is the genre of the film Who", &["Who → Who"]);
    check("who wrote the film Titanic", &["Titanic → Titanic"]);
}

#[test]
fn several_anchors_are_found() {
    check(
        "which Belgium footballer plays at position Goalkeeper?",
        &["Belgium → Belgium", "Goalkeeper → Goalkeeper"],
    );
    check(
        "did Paul Newman or Quentin Tarantino direct more films?",
        &["Paul Newman → Paul Newman", "Quentin Tarantino → Quentin Tarantino"],
    );
}

#[test]
fn misspelt_and_partial_names_are_found() {
    check("what films did Paul Newmann act in", &["Paul Newmann → Paul Newman"]);
    check("films by quentin tarrantino please", &["quentin tarrantino → Quentin Tarantino"]);
    check("which films did Tarantino direct", &["Tarantino → Quentin Tarantino"]);
    check("who plays for bayern muenchen", &["bayern muenchen → FC Bayern Muenchen"]);
}

#[test]
fn signs_can_be_names() {
    check("who directed $ ?", &["$ → $"]);
    check("who directed 8½?", &["8½ → 8½"]);
    check("films by the Taxi! director", &["Taxi! → Taxi!"]);
    check("films by the Taxi director", &["Taxi → Taxi"]);
}

#[test]
fn a_question_without_names_has_no_mentions() {
    check("", &[]);
    check("   ?!", &[]);
    check("what is the meaning of it all", &[]);
    check("\u{0}\u{1}\u{fffd}", &[]);
}

#[test]
fn huge_questions_are_read_up_to_a_bound() {
    check(&format!("who directed Titanic {}", "and so on ".repeat(100_000)), &["Titanic → Titanic"]);
    check(&"x".repeat(1_000_000), &[]);
}
