//! Whole-path planning over a small graph with the real embedder and no language model.

#![allow(clippy::unwrap_used, reason = "set-up of tests")]

mod common;

use common::{CARDS, FILMS, ask, embedder, setting};
use quipu_answer::{AskOptions, Status};
use quipu_model::ScriptedModel;

async fn check(question: &str, expected: &[&str]) {
    let setting = setting(FILMS).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), CARDS).unwrap();
    let answer = ask(&setting, None, Some(embedder().await), question, &AskOptions::default()).await;
    let mut answers = answer.answers.clone();
    answers.sort();
    assert_eq!(answers, expected, "{question}: {answer:#?}");
    assert!(answer.grounded);
    assert_eq!(answer.usage.llm_calls, 0);
    assert!(!answer.citations.is_empty());
}

#[tokio::test]
async fn one_hop() {
    check("who directed Kauwboy?", &["Boudewijn Koole"]).await;
    check("which films were directed by Paula van der Oest?", &["Tonio", "Zus & Zo"]).await;
}

#[tokio::test]
async fn two_hops() {
    check("where was the director of Kauwboy born?", &["Leidschendam"]).await;
    check("what are the release years of the films directed by Boudewijn Koole?", &["2012", "2017"]).await;
}

#[tokio::test]
async fn three_hops_and_back_without_the_way_itself() {
    check("which films share a director with Kauwboy?", &["Disappearance"]).await;
}

#[tokio::test]
async fn conjunctions_meet() {
    check("which film directed by Boudewijn Koole starred Rifka Lodeizen?", &["Disappearance"]).await;
}

#[tokio::test]
async fn counts_extremes_and_comparisons_are_calculated() {
    check("how many films did Paula van der Oest direct?", &["2"]).await;
    check("which film directed by Boudewijn Koole has the most running minutes?", &["Disappearance"]).await;
    check("which has more running minutes, Kauwboy or Tonio?", &["Tonio"]).await;
}

#[tokio::test]
async fn what_the_graph_does_not_know_is_not_answered() {
    let options = AskOptions::default();
    let setting = setting(FILMS).await;
    for question in
        ["what is the boiling point of Kauwboy in the Swiss parliament?", "who wrote Xqzzt Vrbbl?"]
    {
        let answer = ask(&setting, None, Some(embedder().await), question, &options).await;
        assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
        assert!(answer.reason.is_some());
    }
}

#[tokio::test]
async fn cards_are_written_once_and_kept() {
    let card = "Kinds: film -> person\nForward: the ones of X\nBackward: the films of X\n\
                Words forward: helmed\nWords backward: films";
    let model = std::sync::Arc::new(
        ScriptedModel::new().when(move |request| (request.stage == "plan.card").then(|| card.into())),
    );
    let setting = setting(FILMS).await;
    let embedder = embedder().await;
    let options = AskOptions::default();
    let mut asked = Vec::new();
    for _ in 0..6 {
        let before = model.calls();
        ask(&setting, Some(model.clone()), Some(embedder.clone()), "who directed Kauwboy?", &options).await;
        asked.push(model.calls() - before);
    }
    assert!(asked[0] > 0 && asked[0] <= options.config.paths.new_cards, "{asked:?}");
    assert_eq!(asked.last(), Some(&0), "{asked:?}");
    let file = std::fs::read_to_string(setting.workspace.folder().join("relations.toml")).unwrap();
    assert!(file.contains("directed_by") && file.contains("helmed"), "{file}");
}

#[tokio::test]
async fn cards_that_cannot_be_read_are_named() {
    let setting = setting(FILMS).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), "[relation.directed_by]\nforward = 7")
        .unwrap();
    let error = quipu_answer::Engine::new(setting.workspace.clone(), None, None).err().unwrap().to_string();
    assert!(error.contains("relations.toml") && error.contains("remove it"), "{error}");
}
