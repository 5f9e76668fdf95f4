//! Several sources as one graph: a path begun in one source continues in another, for every method.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::common;
use std::sync::Arc;

use common::{
    CARDS, FILMS, MORE_CARDS, Setting, by_paths, composed, embedder, options, setting_named,
    setting_with_indexed_documents, with_cards,
};
use quipu_answer::{Answer, AskOptions, Engine, Method, Note, Question, Status, open_source};
use quipu_model::{LanguageModel, ScriptedModel};

const BIRTHPLACE: &str = "where was the director of Kauwboy born?";

/// Those lines of [`FILMS`] with a relation, in a workspace of that name, with cards of its
/// relations.
async fn half(relation: &str, cards: &str) -> Setting {
    let lines = FILMS.lines().filter(|line| line.contains(relation));
    with_cards(
        setting_named(relation, &lines.map(|line| format!("{line}\n")).collect::<String>()).await,
        cards,
    )
}

async fn engine(settings: &[&Setting], model: Option<Arc<dyn LanguageModel>>) -> Engine {
    let [first, others @ ..] = settings else { panic!("no source") };
    let others = others.iter().map(|s| open_source(s.workspace.clone()).unwrap()).collect();
    Engine::new(first.workspace.clone(), model, Some(embedder().await)).unwrap().with_sources(others)
}

async fn ask(engine: &Engine, question: &str, options: &AskOptions) -> Answer {
    let question = Question::new(question, "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
    engine.ask(&question, options).await.unwrap()
}

fn sources(answer: &Answer) -> Vec<&str> {
    let mut sources: Vec<&str> = answer.evidence.iter().map(|piece| piece.source.as_str()).collect();
    sources.sort_unstable();
    sources.dedup();
    sources
}

#[tokio::test]
async fn a_chain_leads_from_one_source_into_another_whatever_the_method() {
    let (directors, births) = (half("directed_by", CARDS).await, half("born_in", MORE_CARDS).await);
    let script = || {
        ScriptedModel::new()
            .on("link.keywords", r#"{"keywords": ["Kauwboy"]}"#)
            .on(
                "plan.topic",
                r#"{"domain": "film", "entities": ["Kauwboy"], "time": "", "operation": "list"}"#,
            )
            // The belief is wrong, so the sources have to correct it.
            .on(
                "plan.pseudo",
                "CREATE (k:Film {name: 'Kauwboy'})-[:DIRECTED_BY]->(answer:Person {name: '?'})",
            )
            .on("compose", composed("\"Leidschendam\"").as_str())
            .when_scoring(|request| Some(vec![-20.0; request.continuations.len()]))
    };
    let calls = [(Method::Paths, 0), (Method::Anchor, 1), (Method::Kerag, 2), (Method::Pseudo, 1)];
    for (method, most) in calls {
        for settings in [[&directors, &births], [&births, &directors]] {
            let model = Arc::new(script());
            let engine = engine(&settings, Some(model.clone())).await;
            let answer = ask(&engine, BIRTHPLACE, &by_paths(method)).await;
            assert_eq!(answer.answers, ["Leidschendam"], "{method:?}: {answer:#?}");
            assert_eq!(sources(&answer), ["born_in", "directed_by"], "{method:?}: each says its own");
            assert!(answer.grounded && answer.notes.is_empty(), "{method:?}: {:?}", answer.notes);
            let asked = model.calls() - model.calls_of("plan.word");
            assert!(asked <= most, "{method:?}: {asked} calls: a source more costs no call more");
        }
    }
    // Neither source knows it alone.
    for setting in [&directors, &births] {
        let answer = ask(&engine(&[setting], None).await, BIRTHPLACE, &options(Method::Paths)).await;
        assert_ne!(answer.answers, ["Leidschendam"]);
    }
}

#[tokio::test]
async fn what_sources_agree_on_is_said_once_and_by_all_of_them() {
    let lima = "Peru\tcapital\tLima\n";
    let (old, new) = (setting_named("old", lima).await, setting_named("new", lima).await);
    let answer =
        ask(&engine(&[&old, &new], None).await, "what is the capital of Peru?", &options(Method::Paths))
            .await;
    assert_eq!((answer.answers.as_slice(), answer.notes.len()), (&["Lima".to_owned()][..], 0), "{answer:#?}");
    assert_eq!(sources(&answer), ["old + new"]);
}

#[tokio::test]
async fn a_source_that_knows_more_contradicts_nobody_and_one_that_knows_otherwise_does() {
    let question = "what is the capital of Bolivia?";
    let sucre = setting_named("one", "Bolivia\tcapital\tSucre\n").await;
    let both = setting_named("two", "Bolivia\tcapital\tSucre\nBolivia\tcapital\tLa Paz\n").await;
    let answer = ask(&engine(&[&sucre, &both], None).await, question, &options(Method::Paths)).await;
    assert_eq!((answer.answers.len(), answer.notes.len()), (2, 0), "{answer:#?}");
    let other = setting_named("two", "Bolivia\tcapital\tLa Paz\n").await;
    let answer = ask(&engine(&[&sucre, &other], None).await, question, &options(Method::Paths)).await;
    let [Note::Contradiction { about, claims }] = answer.notes.as_slice() else { panic!("{answer:#?}") };
    let said: Vec<(&str, &str)> = claims.iter().map(|c| (c.source.as_str(), c.value.as_str())).collect();
    assert_eq!((about.as_str(), said), ("Bolivia | capital", vec![("one", "Sucre"), ("two", "La Paz")]));
    assert!(claims.iter().all(|claim| claim.date.len() == 10));
}

#[tokio::test]
async fn a_card_is_kept_where_its_relation_is_and_read_from_there() {
    let (directors, births) = (half("directed_by", "").await, half("born_in", "").await);
    let card = "Kinds: film -> person\nForward: the directors of X\nBackward: the films directed by X\n\
                Words forward: director, directed\nWords backward: films\n";
    let model = Arc::new(
        ScriptedModel::new()
            .always("plan.card", card)
            .when_scoring(|request| Some(vec![-20.0; request.continuations.len()])),
    );
    let joined = engine(&[&births, &directors], Some(model.clone())).await;
    let answer = ask(&joined, "who directed Kauwboy?", &options(Method::Paths)).await;
    assert_eq!(answer.answers, ["Boudewijn Koole"], "{answer:#?}");
    let written = model.calls_of("plan.card");
    assert!(written > 0);
    let cards = |setting: &Setting| {
        std::fs::read_to_string(setting.workspace.folder().join("relations.toml")).unwrap_or_default()
    };
    assert!(cards(&directors).contains("the films directed by X") && !cards(&births).contains("directed_by"));
    // Another process, or a single source, writes no card again.
    for settings in [vec![&births, &directors], vec![&directors]] {
        let engine = engine(&settings, Some(model.clone())).await;
        ask(&engine, "who directed Kauwboy?", &options(Method::Paths)).await;
    }
    assert_eq!(model.calls_of("plan.card"), written);
}

#[tokio::test]
async fn documents_are_asked_for_workspace_by_workspace() {
    let nodes = r#"{"id": "1", "name": "Lemmer", "text": "A harbour town on the lake, known for its pumping station."}
{"id": "2", "name": "Sloten", "text": "A small fortified town with a mill on the wall."}"#;
    let towns = setting_with_indexed_documents(nodes, "1\tnear\t2\n").await;
    let films = setting_named("films", FILMS).await;
    let model = Arc::new(
        ScriptedModel::new()
            .always("plan.type", "simple")
            .always("plan.dynamism", "static")
            .always(
                "plan.extract",
                r#"{"entities": [{"name": "Sloten", "category": ""}], "relations": ["near"]}"#,
            )
            .always("plan.route", "graph")
            .always("critique.validate", "yes")
            .always("critique.comment", "incorrect entity and relation"),
    );
    let engine = engine(&[&films, &towns], Some(model)).await;
    let answer =
        ask(&engine, "which town near Sloten has a pumping station?", &options(Method::Hybrid)).await;
    assert_eq!(
        (answer.status, answer.answers.as_slice()),
        (Status::Answered, &["Lemmer".to_owned()][..]),
        "{answer:#?}"
    );
    assert_eq!(sources(&answer), ["towns"]);
}
