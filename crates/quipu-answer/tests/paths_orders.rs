//! Whole paths to extremes: the n-th of an order, the first few, and questions within questions.

#![allow(clippy::unwrap_used, reason = "set-up of tests")]

use crate::common;
use std::sync::Arc;

use common::paths::by_paths;
use common::{ask, embedder, setting_from};
use quipu_answer::{AskOptions, Evidence, EvidenceContent, Method, Planner, Predictor};
use quipu_model::ScriptedModel;

/// Countries and towns with populations: the largest town around Norland does not lie in the most
/// populous country.
const COUNTRIES: &str = r#"
    @prefix : <http://t.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :area rdfs:label "area in square kilometres" . :s :area 20 . :w :area 50 . :n :area 30 . :e :area 10 .
    :population rdfs:label "population" . :capital rdfs:label "capital" . :in rdfs:label "located in" .
    :borders rdfs:label "neighbouring country" . :Country rdfs:label "Country" . :Town rdfs:label "Town" .
    :n a :Country ; rdfs:label "Norland" ; :population 100 ; :capital :lund ; :borders :s, :w .
    :s a :Country ; rdfs:label "Sudland" ; :population 900 ; :capital :quay ; :borders :n, :e .
    :w a :Country ; rdfs:label "Westland" ; :population 700 ; :capital :mill ; :borders :n, :e .
    :e a :Country ; rdfs:label "Eastland" ; :population 300 ; :borders :s, :w .
    :lund a :Town ; rdfs:label "Lund" ; :population 50 ; :in :n .
    :quay a :Town ; rdfs:label "North Quay" ; :population 120 ; :in :s .
    :vale a :Town ; rdfs:label "Port Vale" ; :population 200 ; :in :s .
    :mill a :Town ; rdfs:label "Mill Cross" ; :population 90 ; :in :w .
    :tor a :Town ; rdfs:label "Great Tor" ; :population 500 ; :in :w ."#;

#[tokio::test]
async fn an_extreme_chooses_among_things_of_the_kind_that_it_names() {
    let setting = setting_from("countries.ttl", COUNTRIES).await;
    for (question, expected) in [
        ("Which is the most populous country that borders Norland?", "Sudland"),
        ("Which country bordering Norland has the largest population?", "Sudland"),
        ("What is the most populous town in Sudland?", "Port Vale"),
        // By area, which towns do not have.
        ("What is the largest country that borders Norland?", "Westland"),
        // Two paths meet in an entity: the value is that of the entity on both paths.
        ("What is the most populous country that borders both Sudland and Westland?", "Eastland"),
    ] {
        let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
        assert_eq!(answer.answers, [expected], "{question}: {answer:#?}");
    }
}

#[tokio::test]
async fn what_a_question_describes_by_an_extreme_is_found_before_it_is_asked_about() {
    let setting = setting_from("countries.ttl", COUNTRIES).await;
    for (question, expected) in [
        ("What is the capital of the most populous country that borders Norland?", "North Quay"),
        (
            "What is the capital of the country with the largest population that borders Norland?",
            "North Quay",
        ),
        ("What is the population of the largest town in Westland?", "500"),
        ("What is the population of Westland's largest town?", "500"),
        // The question asks for no property but the name.
        ("What is the name of the most populous country that borders Norland?", "Sudland"),
    ] {
        let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
        assert_eq!(answer.answers, [expected], "{question}: {answer:#?}");
        assert!(answer.grounded, "{question}");
        assert_eq!(answer.question, question);
        let calculated = |piece: &&Evidence| matches!(piece.content, EvidenceContent::Calculation { .. });
        assert_eq!(answer.evidence.iter().filter(calculated).count(), 1, "{question}");
    }
}

/// Cards, so that no call has to write them.
const COUNTRY_CARDS: &str = r#"
[relation."http://t.example/borders"]
head_kind = "country"
tail_kind = "country"
forward = "the countries neighbouring X"
backward = "the countries neighbouring X"
words_forward = ["neighbour", "borders"]
words_backward = ["neighbour", "borders"]

[relation."http://t.example/population"]
head_kind = "place"
tail_kind = "number"
forward = "the population of X"
backward = "the places with the population X"
words_forward = ["population", "inhabitants"]
words_backward = ["places"]

[relation."http://t.example/capital"]
head_kind = "country"
tail_kind = "town"
forward = "the capital of X"
backward = "the countries with the capital X"
words_forward = ["capital"]
words_backward = ["country"]

[relation."http://t.example/in"]
head_kind = "town"
tail_kind = "country"
forward = "the country that X is located in"
backward = "the towns located in X"
words_forward = ["country"]
words_backward = ["towns"]
"#;

#[tokio::test]
async fn a_question_within_a_question_costs_kerag_no_call_more() {
    let setting = setting_from("countries.ttl", COUNTRIES).await;
    let model = Arc::new(
        ScriptedModel::new()
            .on("plan.topic", r#"{"domain": "other", "entities": ["Sudland"], "time": "", "operation": "list"}"#)
            .on(
                "compose",
                r#"{"reasoning": "", "status": "answered", "ways": ["W1"], "operation": "none", "all": true, "answers": []}"#,
            ),
    );
    std::fs::write(setting.workspace.folder().join("relations.toml"), COUNTRY_CARDS).unwrap();
    let question = "What is the capital of the most populous country that borders Norland?";
    let mut options = AskOptions { method: Method::Kerag, ..by_paths() };
    options.config.planner = quipu_answer::Planner::Paths;
    let answer = ask(&setting, Some(model.clone()), Some(embedder().await), question, &options).await;
    assert_eq!(answer.answers, ["North Quay"], "{answer:#?}");
    assert_eq!((answer.usage.llm_calls, model.calls()), (2, 2), "{:?}", model.score_requests());
    let asked =
        model.requests().iter().map(|r| r.messages.last().unwrap().content.clone()).collect::<Vec<_>>();
    assert!(asked.iter().all(|prompt| prompt.contains("What is the capital of Sudland?")), "{asked:?}");
}

#[tokio::test]
async fn anchors_too_start_from_what_an_extreme_describes() {
    let setting = setting_from("countries.ttl", COUNTRIES).await;
    let mut options = AskOptions { method: Method::Anchor, ..by_paths() };
    options.config.planner = Planner::Paths;
    options.config.anchor.predictor = Predictor::Index;
    let question = "What is the capital of the most populous country that borders Norland?";
    let answer = ask(&setting, None, Some(embedder().await), question, &options).await;
    assert_eq!((answer.answers, answer.usage.llm_calls), (vec!["North Quay".to_owned()], 0));
}

#[tokio::test]
async fn which_of_an_order_and_how_many_is_read_off_the_question() {
    let setting = setting_from("countries.ttl", COUNTRIES).await;
    for (question, expected) in [
        ("What is the second most populous country that borders Norland?", &["Westland"][..]),
        ("What is the capital of the second most populous country that borders Norland?", &["Mill Cross"]),
        ("What are the two largest countries that border Norland?", &["Sudland", "Westland"]),
        (
            "What are the capitals of the two largest countries that border Norland?",
            &["Mill Cross", "North Quay"],
        ),
        ("What is the combined population of Sudland and Westland?", &["1600"]),
        ("Which of Sudland, Westland and Eastland is the second most populous?", &["Westland"]),
        ("How many towns does Westland have altogether?", &["2"]),
        // Nested twice: of Norland's neighbours the one with the least area, its largest town, and
        // that town's country.
        (
            "In which country is the most populous town of the smallest country that borders Norland?",
            &["Sudland"],
        ),
        // It borders two countries only.
        ("What is the third most populous country that borders Norland?", &[]),
        // Towns have no area here, and the country of both has one; that area does not answer for
        // either town.
        ("Which has the larger area, North Quay or Port Vale?", &[]),
    ] {
        let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
        let mut answers = answer.answers.clone();
        answers.sort();
        assert_eq!(answers, expected, "{question}: {answer:#?}");
        assert_eq!(answer.usage.llm_calls, 0);
    }
    for (question, towns) in [("Name one town in Sudland.", 1), ("Name three towns in Sudland.", 2)] {
        let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
        assert_eq!(answer.answers.len(), towns, "{question}: {answer:#?}");
        assert!(answer.answers.iter().all(|town| ["North Quay", "Port Vale"].contains(&town.as_str())));
    }
}

const PAINTERS: &str = r#"
    @prefix : <http://t.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    :ada a :Painter ; rdfs:label "Ada Poe" ; :born "1881-04-05"^^xsd:date .
    :ben a :Painter ; rdfs:label "Ben Ro" ; :born "1902-11-15"^^xsd:date .
    :barn a :Painting ; rdfs:label "Red Barn" ; :painter :ada .
    :sea a :Painting ; rdfs:label "Grey Sea" ; :painter :ben ."#;

#[tokio::test]
async fn a_path_to_a_date_gives_the_year_that_is_asked_for() {
    let setting = setting_from("painters.ttl", PAINTERS).await;
    quipu_query::open_tables(&setting.workspace).await.unwrap();
    for (question, expected) in [
        ("In what year was Ada Poe born?", "1881"),
        ("What year was the painter of Grey Sea born?", "1902"),
        ("When was Ada Poe born?", "1881-04-05"),
    ] {
        let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
        assert_eq!(answer.answers, [expected], "{question}: {answer:#?}");
        assert!(answer.grounded, "{question}: {answer:#?}");
        let is_born = |piece: &Evidence| matches!(&piece.content, EvidenceContent::Triple { relation, .. } if relation == "born");
        assert!(answer.evidence.iter().any(is_born), "{question}: {answer:#?}");
    }
}
