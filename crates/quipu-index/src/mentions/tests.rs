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
    "Bordeos",
    "Paul $",
];

struct Built {
    index: NameIndex,
    _folder: tempfile::TempDir,
}

fn build() -> Built {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("names.qix");
    let mut writer = NameIndexWriter::create(&path, &NameIndexConfig { memory: 1 << 20 }).unwrap();
    for (node, name) in NAMES.iter().enumerate() {
        let entry =
            NameEntry { node: NodeId(node as u64), name, kind: NameKind::Label, degree: 3, label: None };
        writer.push(&entry).unwrap();
    }
    writer.finish().unwrap();
    Built { index: NameIndex::open(&path).unwrap(), _folder: folder }
}

/// Chosen mentions as `text → first candidate`.
fn check(question: &str, expected: &[&str]) {
    let built = build();
    let vocabulary = Vocabulary::new(["directed by", "place of birth", "starred actors", "plays position"]);
    let detector = MentionDetector::new(&built.index, &vocabulary);
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
fn unusual_words_in_small_letters_may_be_names_and_forms_of_common_words_are_not_misspelt() {
    check("which films of Belgium are like the titanic?", &["Belgium → Belgium", "titanic → Titanic"]);
    check("which titanic films are of Belgium?", &["Belgium → Belgium"]);
    check("what borders belgium", &["belgium → Belgium"]);
}

#[test]
fn signs_can_be_names() {
    check("who directed $ ?", &["$ → $"]);
    check("who directed 8½?", &["8½ → 8½"]);
    check("films by the Taxi! director", &["Taxi! → Taxi!"]);
    check("songs of Paul $ and others", &["Paul $ → Paul $"]);
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

#[test]
fn mention_strings_of_a_model_are_placed_and_resolved() {
    let built = build();
    let vocabulary = Vocabulary::default();
    let detector = MentionDetector::new(&built.index, &vocabulary);
    let question = "Which films did Tarantino make after Titanic?";
    let mentions =
        detector.candidates_for(question, &["tarantino", "Titanic", "Nobody At All", ""], 3).unwrap();
    let shown: Vec<(&str, Option<&str>)> = mentions
        .iter()
        .map(|mention| {
            let first = mention.candidates.first().map(|candidate| candidate.name.as_str());
            (&question[mention.span.clone()], first)
        })
        .collect();
    assert_eq!(shown[..2], [("Tarantino", Some("Quentin Tarantino")), ("Titanic", Some("Titanic"))]);
    assert_eq!(shown[2..], [("", None), ("", None)]);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]
    #[test]
    fn any_text_is_survived(text in "(\\PC{0,30}|( paul | titanic| the |[$!?'’]| newmn|’s ){0,8}){0,3}") {
        let built = build();
        let vocabulary = Vocabulary::new(["directed by"]);
        let mentions =
            MentionDetector::new(&built.index, &vocabulary).detect(&text, &MentionConfig::default()).unwrap();
        for mention in &mentions {
            proptest::prop_assert_eq!(text.get(mention.span.clone()), Some(mention.text.as_str()));
            proptest::prop_assert!(!mention.candidates.is_empty() && mention.score.is_finite());
        }
        let chosen: Vec<_> = mentions.iter().filter(|mention| mention.chosen).collect();
        for (index, one) in chosen.iter().enumerate() {
            for other in chosen.iter().skip(index + 1) {
                let apart = one.span.end <= other.span.start || other.span.end <= one.span.start;
                proptest::prop_assert!(apart, "{} and {} overlap", one.text, other.text);
            }
        }
    }
}
