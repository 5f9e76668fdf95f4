//! What speaks for requirements, number by number.

use std::sync::Arc;

use quipu_model::ScriptedModel;
use quipu_stages::retrieve::Documents;
use quipu_stages::testing::Setting;

use super::super::tests::{QUESTION, books, part, requirement, router};
use super::*;

const WIDE: [u64; 5] = [10, 11, 12, 13, 14];

fn is_near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-5
}

#[test]
fn few_ends_cost_the_more_the_fewer_they_are() {
    assert_eq!((narrow(5), narrow(6), narrow(4000)), (0.0, 0.0, 0.0));
    assert!(is_near(narrow(4), -2.0 * 1.25_f64.ln()) && is_near(narrow(1), -2.0 * 5.0_f64.ln()));
    assert!(narrow(1) < narrow(2) && narrow(2) < narrow(3) && narrow(3) < narrow(4) && narrow(4) < 0.0);
}

#[test]
fn what_is_asked_for_stands_behind_the_question_word() {
    let check = |question: &str, texts: &[&str], expected: Option<usize>| {
        let parts: Vec<NamedPart> = texts.iter().map(|text| part(question, text, 1.0)).collect();
        assert_eq!(asked_part(question, &parts), expected, "{question}");
    };
    let terrier = "Which terrier has a long straight coat?";
    check(terrier, &["coat", "terrier"], Some(1));
    // Not what stands further away.
    check(terrier, &["coat"], None);
    check("A terrier of which island?", &["terrier", "island"], Some(1));
    check("A terrier of which breed?", &["terrier"], None);
    // Of two that begin together the longer one.
    check("Which Border terrier is small?", &["Border", "Border terrier", "terrier"], Some(1));
    check("Is the terrier small?", &["terrier"], None);
    check(terrier, &[], None);
}

/// How well some requirements fit; the question asks for part 0, of score 1, and names part 1, of
/// score 3.
async fn fits(setting: &Setting, requirements: Vec<Requirement>, likelihood: bool) -> Vec<f64> {
    let context = setting.context();
    let documents = Documents::open(&context, QUESTION).await.unwrap().unwrap();
    let mut router = router(&context, &documents);
    router.requirements = requirements;
    router.fits(likelihood).await.unwrap()
}

fn check(found: &[f64], expected: &[f64]) {
    let same = found.iter().zip(expected).all(|(found, expected)| is_near(*found, *expected));
    assert!(found.len() == expected.len() && same, "{found:?} {expected:?}");
}

#[tokio::test]
async fn parts_hops_and_ends_count_without_an_embedder() {
    let setting = books().await;
    let mut far = requirement(0, ("Ada Berg", "← author"), &WIDE);
    far.steps.push(far.steps[0]);
    let all = vec![
        requirement(0, ("Ada Berg", "← author"), &WIDE),
        far,
        requirement(1, ("Nordlicht", "← publisher"), &WIDE),
        requirement(1, ("Nordlicht", "← publisher"), &[10]),
    ];
    // A point for the part, one for being asked for; a hop more costs one. Of a likely part one and
    // a half counts.
    let found = fits(&setting, all, false).await;
    check(&found, &[2.0, 1.0, 1.5, 1.5 - 2.0 * 5.0_f64.ln()]);
    assert!(fits(&setting, Vec::new(), false).await.is_empty());
}

#[tokio::test]
async fn a_phrase_counts_by_its_cosine_with_the_question() {
    let setting = books().await.with_words();
    let mut all = vec![requirement(1, ("Nordlicht", "← publisher"), &WIDE); 3];
    all[0].phrase = QUESTION.to_owned();
    // Four words of nine, and none.
    all[1].phrase = "out by Ada Berg".to_owned();
    all[2].phrase = "something else".to_owned();
    check(&fits(&setting, all, false).await, &[1.5 + 4.0, 1.5 + 4.0 * 2.0 / 3.0, 1.5]);
}

#[tokio::test]
async fn what_the_model_holds_for_likelier_fits_better() {
    let model = Arc::new(ScriptedModel::new().when_scoring(|request| {
        let likely = |text: &String| if text.contains("author") { -1.0 } else { -3.0 };
        Some(request.continuations.iter().map(likely).collect())
    }));
    let setting = books().await.with_model(&model);
    let all = || {
        vec![
            requirement(1, ("Nordlicht", "← author"), &WIDE),
            requirement(1, ("Nordlicht", "← publisher"), &WIDE),
        ]
    };
    // Two less: a fifth of it against the likeliest of the part, a twentieth against that of all.
    check(&fits(&setting, all(), true).await, &[1.5, 1.5 - 0.4 - 0.1]);
    assert_eq!(model.calls(), 1);
    check(&fits(&setting, all(), false).await, &[1.5, 1.5]);
    // One phrase alone is likelier than none.
    check(&fits(&setting, all().split_off(1), true).await, &[1.5]);
    assert_eq!(model.calls(), 1);
}
