//! Questions in a language other than English, and in one whose words are not known.

#![allow(clippy::unwrap_used, reason = "set-up of tests")]

use std::sync::Arc;

use crate::common::{Setting, ask, setting_from};
use quipu_answer::{Answer, AskOptions, Event, Method, Note, Status};
use quipu_model::ScriptedModel;

/// Mountain huts with their heights, valleys and keepers.
const HUTS: &str = r#"
@prefix : <http://huts.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Hut rdfs:label "Hütte" . :Valley rdfs:label "Tal" . :Keeper rdfs:label "Wirt" .
:height rdfs:label "Höhe" . :beds rdfs:label "Betten" . :in rdfs:label "liegt in" . :keptBy rdfs:label "bewirtschaftet von" .
:a a :Hut ; rdfs:label "Grauhornhütte" ; :height 2310 ; :beds 40 ; :in :lom ; :keptBy :ida .
:b a :Hut ; rdfs:label "Steinkarhütte" ; :height 2745 ; :beds 22 ; :in :lom ; :keptBy :ole .
:c a :Hut ; rdfs:label "Birkseehütte" ; :height 1690 ; :beds 64 ; :in :arn ; :keptBy :ida .
:lom a :Valley ; rdfs:label "Lomtal" . :arn a :Valley ; rdfs:label "Arntal" .
:ida a :Keeper ; rdfs:label "Ida Brandl" . :ole a :Keeper ; rdfs:label "Ole Kern" .
"#;

async fn huts() -> Setting {
    setting_from("huts.ttl", HUTS).await
}

/// Asks the default method with a model that writes these queries in turn.
async fn ask_with(queries: &[&str], question: &str) -> (Answer, usize) {
    let model =
        Arc::new(queries.iter().fold(ScriptedModel::new(), |model, sql| model.on("plan.query", *sql)));
    let options = AskOptions { keep_trace: true, ..AskOptions::default() };
    let answer = ask(&huts().await, Some(model.clone()), None, question, &options).await;
    (answer, model.calls())
}

fn mends(answer: &Answer) -> Vec<String> {
    let queried = answer.trace.iter().flatten().filter_map(|step| match &step.event {
        Event::Queried { mends, .. } => Some(mends.clone()),
        _ => None,
    });
    queried.flatten().collect()
}

#[tokio::test]
async fn a_german_question_is_asked_as_a_query_by_one_call() {
    let sql = "SELECT liegt_in FROM hütte WHERE name = 'Steinkarhütte'";
    let (answer, calls) = ask_with(&[sql], "In welchem Tal liegt die Steinkarhütte?").await;
    assert_eq!((answer.status, calls), (Status::Answered, 1), "{answer:#?}");
    assert_eq!(answer.answers, ["Lomtal"]);
    assert!(answer.notes.is_empty());
}

#[tokio::test]
async fn a_german_superlative_is_heeded_at_its_own_end() {
    // The model orders in the wrong direction.
    let sql = "SELECT name FROM hütte ORDER BY höhe DESC LIMIT 1";
    let (answer, _) = ask_with(&[sql, sql, sql, sql], "Welche Hütte hat die niedrigste Höhe?").await;
    assert_eq!(answer.answers, ["Birkseehütte"], "{answer:#?}");
    assert!(mends(&answer).iter().any(|mend| mend.contains("niedrigste")), "{:?}", mends(&answer));
}

#[tokio::test]
async fn a_german_word_that_denies_and_is_left_out_forbids_an_answer() {
    let sql = "SELECT name FROM hütte WHERE liegt_in = 'Lomtal'";
    let (answer, calls) = ask_with(&[sql, sql, sql, sql], "Welche Hütten liegen nicht im Lomtal?").await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    assert!(answer.reason.unwrap().contains("nicht"));
    assert!(calls <= 4);
}

#[tokio::test]
async fn a_german_count_is_a_number() {
    let sql = "SELECT COUNT(*) FROM hütte WHERE bewirtschaftet_von = 'Ida Brandl'";
    let (answer, _) = ask_with(&[sql], "Wie viele Hütten bewirtschaftet Ida Brandl?").await;
    assert_eq!(answer.answers, ["2"], "{answer:#?}");
}

#[tokio::test]
async fn without_a_model_a_german_question_says_what_it_needs() {
    let answer =
        ask(&huts().await, None, None, "In welchem Tal liegt die Steinkarhütte?", &AskOptions::default())
            .await;
    assert_eq!(answer.status, Status::Abstained);
    assert!(answer.reason.unwrap().contains("German"));
    let paths = AskOptions { method: Method::Paths, ..AskOptions::default() };
    let answer = ask(&huts().await, None, None, "In welchem Tal liegt die Steinkarhütte?", &paths).await;
    assert!(answer.reason.unwrap().contains("--method query"));
}

#[tokio::test]
async fn a_language_without_words_is_said_and_no_answer_in_it_is_sure() {
    let sql = "SELECT liegt_in FROM hütte WHERE name = 'Steinkarhütte'";
    let question = "Dans quelle vallée est la Steinkarhütte ?";
    let (answer, _) = ask_with(&[sql, sql, sql, sql], question).await;
    assert!(answer.notes.contains(&Note::Unread { language: "French".into() }), "{answer:#?}");
    assert!(answer.confidence <= 0.5 && answer.readings.iter().all(|reading| reading.confidence <= 0.5));
    let model = Arc::new(ScriptedModel::new().on("plan.query", sql));
    let query = AskOptions { method: Method::Query, ..AskOptions::default() };
    let english =
        ask(&huts().await, Some(model), None, "In which valley is the Steinkarhütte?", &query).await;
    assert!(english.notes.is_empty() && english.confidence > 0.5, "{english:#?}");
}
