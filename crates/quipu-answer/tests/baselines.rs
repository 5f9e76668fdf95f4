//! The baselines with one call or a fixed number of calls, against a scripted model: their prompts
//! and their number of calls.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "set-up of tests")]

use crate::common;
use std::sync::Arc;

use common::{
    FILMS, ask, composed, embedder, ended_by_a_limit, options, run, setting, setting_with_documents, told,
};
use quipu_answer::{
    AskOptions, Evidence, Limits, Method, MethodConfig, MultiVectorConfig, QuestionMatchConfig, Status,
};
use quipu_model::ScriptedModel;

const NODES: &str = r#"{"id": "1", "name": "Lindau", "type": "town", "text": "A town on an island, founded by fishermen. The Orle flows through it."}
{"id": "2", "name": "Ada Berg", "type": "person", "text": "Novelist from Lindau who wrote Salt Roads."}
{"id": "3", "name": "Kora", "type": "town", "text": "A market place on a hill."}
"#;
const EDGES: &str = "2\tborn in\t1\n2\tlives in\t3\n";

#[tokio::test]
async fn thinking_step_by_step_is_one_call_without_evidence() {
    let reply = r#"{"reasoning": "Koole made it.", "answers": ["Boudewijn Koole", " "]}"#;
    let model = ScriptedModel::new().on("compose.cot", reply);
    let (answer, model) =
        run(&setting(FILMS).await, model, "who directed Kauwboy?", &options(Method::Cot)).await;
    assert_eq!((answer.answers.as_slice(), answer.grounded), (&["Boudewijn Koole".to_owned()][..], false));
    assert_eq!(model.calls(), 1);
    assert!(told(&model, 0).ends_with("who directed Kauwboy?"));
}

#[tokio::test]
async fn the_model_alone_may_not_know_or_not_be_readable() {
    for (replies, calls, reason) in [
        (vec![r#"{"reasoning": "Unknown.", "answers": []}"#], 1, "does not know"),
        (vec!["no idea", "none at all"], 2, "JSON"),
    ] {
        for (method, stage) in [(Method::Cot, "compose.cot"), (Method::Io, "compose.io")] {
            let model = replies.iter().fold(ScriptedModel::new(), |model, reply| model.on(stage, *reply));
            let (answer, model) = run(&setting(FILMS).await, model, "who?", &options(method)).await;
            assert_eq!((answer.status, model.calls()), (Status::Abstained, calls));
            assert!(answer.reason.as_deref().unwrap().contains(reason), "{answer:?}");
        }
    }
}

fn thoughts(answers: &[&str]) -> ScriptedModel {
    answers.iter().fold(ScriptedModel::new(), |model, answer| {
        let reply = if answer.is_empty() {
            "mumble".to_owned()
        } else {
            format!(r#"{{"reasoning": "So.", "answers": [{answer}]}}"#)
        };
        model.on("compose.cot", reply)
    })
}

#[tokio::test]
async fn three_samples_at_a_temperature_vote() {
    let model = thoughts(&[r#""Koole""#, r#""van der Oest""#, r#""koole""#]);
    let (answer, model) =
        run(&setting(FILMS).await, model, "who directed Kauwboy?", &options(Method::SelfConsistency)).await;
    assert_eq!(answer.answers, ["Koole"]);
    let asked: Vec<(f32, u64)> = model.requests().iter().map(|r| (r.temperature, r.seed)).collect();
    assert_eq!(asked, [(0.7, 1), (0.7, 2), (0.7, 3)]);
}

#[tokio::test]
async fn an_unreadable_sample_and_a_spent_budget_cost_votes_only() {
    let options = |calls| AskOptions {
        limits: Limits { llm_calls: calls, ..Limits::default() },
        ..options(Method::SelfConsistency)
    };
    let model = thoughts(&[r#""Koole""#, "", "", r#""Koole""#]);
    let (answer, model) = run(&setting(FILMS).await, model, "who directed Kauwboy?", &options(12)).await;
    assert_eq!((answer.answers.as_slice(), model.calls()), (&["Koole".to_owned()][..], 4));
    assert!(!ended_by_a_limit(&answer), "{:?}", answer.notes);
    let model = thoughts(&[r#""Koole""#, r#""Koole""#]);
    let (answer, model) = run(&setting(FILMS).await, model, "who directed Kauwboy?", &options(2)).await;
    assert_eq!((answer.answers.as_slice(), model.calls()), (&["Koole".to_owned()][..], 2));
    assert!(ended_by_a_limit(&answer), "{:?}", answer.notes);
}

#[tokio::test]
async fn the_graph_baseline_shows_the_whole_neighbourhood_once() {
    let model = ScriptedModel::new().on("compose", composed(r#""Kauwboy", "Disappearance""#));
    let (answer, model) =
        run(&setting(FILMS).await, model, "which films did Boudewijn Koole direct?", &options(Method::Graph))
            .await;
    assert_eq!((answer.answers.len(), answer.grounded, model.calls()), (2, true, 1));
    let facts = told(&model, 0);
    assert!(facts.contains("Kauwboy") && facts.contains("Leidschendam"), "{facts}");
    assert!(!facts.contains("Rick Lens"), "{facts}");
    assert_eq!(answer.evidence.len(), 3);
}

#[tokio::test]
async fn where_nothing_is_found_nothing_is_asked() {
    let small = QuestionMatchConfig { whole: 0, ..QuestionMatchConfig::default() };
    let config = MethodConfig { question_match: small, ..MethodConfig::default() };
    for method in [
        Method::Graph,
        Method::QuestionMatch,
        Method::Text,
        Method::MultiVector,
        Method::TextGraph,
        Method::Corrective,
    ] {
        let options = AskOptions { config: config.clone(), ..options(method) };
        let (answer, model) =
            run(&setting(FILMS).await, ScriptedModel::new(), "who wrote Xqzzt Vrbbl?", &options).await;
        assert_eq!((answer.status, model.calls()), (Status::Abstained, 0), "{method:?}");
        assert!(answer.reason.is_some());
    }
}

#[tokio::test]
async fn a_composition_that_cannot_be_read_is_an_abstention_with_its_evidence() {
    let model = ScriptedModel::new().on("compose", "hm").on("compose", "hm");
    let (answer, model) =
        run(&setting(FILMS).await, model, "who directed Kauwboy?", &options(Method::Graph)).await;
    assert_eq!((answer.status, model.calls()), (Status::Abstained, 2));
    assert!(!answer.evidence.is_empty());
}

#[tokio::test]
async fn question_matching_takes_the_nearest_of_all_triples() {
    let (setting, embedder) = (setting(FILMS).await, embedder().await);
    for whole in [20_000, 0] {
        let question_match = QuestionMatchConfig { k: 4, whole, ..QuestionMatchConfig::default() };
        let config = MethodConfig { question_match, ..MethodConfig::default() };
        let options = AskOptions { config, ..options(Method::QuestionMatch) };
        let model = Arc::new(ScriptedModel::new().on("compose", composed(r#""Boudewijn Koole""#)));
        let answer =
            ask(&setting, Some(model.clone()), Some(embedder.clone()), "who directed Kauwboy?", &options)
                .await;
        assert_eq!(answer.answers, ["Boudewijn Koole"], "{answer:#?}");
        assert_eq!((model.calls(), answer.evidence.len()), (1, 4));
        let nearest = answer.evidence.iter().map(Evidence::to_line).collect::<Vec<_>>();
        assert!(nearest.contains(&"Kauwboy | directed by | Boudewijn Koole".to_owned()), "{nearest:?}");
    }
}

#[tokio::test]
async fn vectors_of_triples_are_made_once_and_within_the_time() {
    use quipu_answer::{Engine, Question};
    let (setting, embedder) = (setting(FILMS).await, embedder().await);
    let model = Arc::new(ScriptedModel::new().always("compose", composed(r#""Boudewijn Koole""#)));
    let engine = Engine::new(setting.workspace.clone(), Some(model.clone()), Some(embedder)).unwrap();
    let question =
        Question::new("who directed Kauwboy?", "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
    let no_time = Limits { time: std::time::Duration::ZERO, ..Limits::default() };
    let hurried = AskOptions { limits: no_time, ..options(Method::QuestionMatch) };
    let answer = engine.ask(&question, &hurried).await.unwrap();
    assert_eq!((answer.status, model.calls()), (Status::Abstained, 0));
    for _ in 0..2 {
        let answer = engine.ask(&question, &options(Method::QuestionMatch)).await.unwrap();
        assert_eq!(answer.answers, ["Boudewijn Koole"]);
    }
}

const RIVER: &str = "which river flows through the town on an island?";

#[tokio::test]
async fn text_answers_from_passages_by_their_own_prompt() {
    let model = ScriptedModel::new().on("compose", composed(r#""Orle""#));
    let setting = setting_with_documents(NODES, EDGES).await;
    let (answer, model) = run(&setting, model, RIVER, &options(Method::Text)).await;
    assert_eq!((answer.answers.as_slice(), answer.grounded), (&["Orle".to_owned()][..], true));
    assert_eq!(model.calls(), 1);
    let request = &model.requests()[0].messages;
    assert!(request[0].content.contains("passages of documents"), "{}", request[0].content);
    assert!(request[1].content.contains("E0 (Lindau) A town on an island"), "{}", request[1].content);
}

#[tokio::test]
async fn corrective_asks_for_relations_where_there_is_no_document() {
    let useful = |request: &quipu_model::ChatRequest| {
        let lines = &request.messages.last()?.content;
        let number = lines.lines().find(|line| line.contains("directed by"))?.split('.').next()?;
        (request.stage == "prune.useful").then(|| format!(r#"{{"numbers": [{number}]}}"#).into())
    };
    let model = ScriptedModel::new().when(useful).on("compose", composed(r#""Boudewijn Koole""#));
    let (answer, model) =
        run(&setting(FILMS).await, model, "who directed Kauwboy?", &options(Method::Corrective)).await;
    assert_eq!(answer.answers, ["Boudewijn Koole"]);
    assert_eq!(model.calls(), 2);
    let facts = told(&model, 1);
    assert!(facts.contains("Disappearance") && !facts.contains("2012"), "two hops of one relation: {facts}");
}

#[tokio::test]
async fn corrective_keeps_joins_or_drops_the_passages() {
    let question = "where was Ada Berg born?";
    for (verdict, calls, passages, triples) in
        [("correct", 2, true, false), ("ambiguous", 3, true, true), ("incorrect", 3, false, true)]
    {
        let setting = setting_with_documents(NODES, EDGES).await;
        let model = ScriptedModel::new()
            .on("critique.passages", verdict)
            .on("prune.useful", r#"{"numbers": [1, 2]}"#)
            .on("compose", composed(r#""Lindau""#));
        let (answer, model) = run(&setting, model, question, &options(Method::Corrective)).await;
        let facts = told(&model, calls - 1);
        assert_eq!((answer.answers.as_slice(), model.calls()), (&["Lindau".to_owned()][..], calls));
        let held = (facts.contains("(Ada Berg) Novelist"), facts.contains("| born in | Lindau |"));
        assert_eq!(held, (passages, triples), "{verdict}: {facts}");
    }
}

#[tokio::test]
async fn corrective_loses_nothing_by_replies_that_cannot_be_read() {
    let setting = setting_with_documents(NODES, EDGES).await;
    let model = ScriptedModel::new()
        .on("critique.passages", "hm")
        .on("prune.useful", "hm")
        .on("prune.useful", "hm")
        .on("compose", composed(r#""Lindau""#));
    let (answer, model) =
        run(&setting, model, "where was Ada Berg born?", &options(Method::Corrective)).await;
    assert_eq!((answer.answers.as_slice(), model.calls()), (&["Lindau".to_owned()][..], 4));
    let facts = told(&model, 3);
    assert!(facts.contains("Novelist") && facts.contains("| lives in | Kora |"), "{facts}");
}

#[tokio::test]
async fn text_and_graph_stand_in_one_prompt() {
    let towns = setting_with_documents(NODES, EDGES).await;
    let model = ScriptedModel::new().on("compose", composed(r#""Lindau""#));
    let (answer, model) = run(&towns, model, "where was Ada Berg born?", &options(Method::TextGraph)).await;
    assert_eq!((answer.answers.as_slice(), model.calls()), (&["Lindau".to_owned()][..], 1));
    let facts = told(&model, 0);
    assert!(facts.contains("(Ada Berg) Novelist") && facts.contains("| born in | Lindau |"), "{facts}");

    // Both keep to the evidence budget.
    let limits = Limits { evidence_tokens: 40, ..Limits::default() };
    let narrow = AskOptions { limits, ..options(Method::TextGraph) };
    let model = ScriptedModel::new().on("compose", composed(r#""Lindau""#));
    let (answer, _) = run(&towns, model, "where was Ada Berg born?", &narrow).await;
    let text: usize = answer.evidence.iter().map(|piece| piece.to_line().len()).sum();
    assert!(text < 200, "{answer:#?}");

    // Either source alone is enough; without both there is no call.
    for (question, calls) in [(RIVER, 1), ("xqzzt vrbbl?", 0)] {
        let model = ScriptedModel::new().on("compose", composed(r#""Orle""#));
        let (_, model) = run(&towns, model, question, &options(Method::TextGraph)).await;
        assert_eq!(model.calls(), calls, "{question}");
    }
    let model = ScriptedModel::new().on("compose", composed(r#""Boudewijn Koole""#));
    let films = setting(FILMS).await;
    let (answer, _) = run(&films, model, "who directed Kauwboy?", &options(Method::TextGraph)).await;
    assert_eq!(answer.answers, ["Boudewijn Koole"]);
}

#[tokio::test]
async fn an_entity_is_as_many_vectors_as_it_has_passages() {
    // Kora's document has one passage that resembles the question and others about something else;
    // all of Lindau's passages are about rivers.
    let other =
        "The market opens at six on Mondays and sells cloth, salt, iron and bread to farmers. ".repeat(7);
    let river = "A wide river flows past the houses of the town to the sea. ".repeat(8);
    let nodes =
        [("1", "Lindau", river.clone()), ("2", "Kora", format!("Which river flows past the town? {other}"))];
    let nodes: String = nodes
        .iter()
        .map(|(id, name, text)| {
            serde_json::json!({ "id": id, "name": name, "type": "town", "text": text }).to_string() + "\n"
        })
        .collect();
    let setting = common::setting_with_indexed_documents(&nodes, "1\tnear\t2\n").await;
    let embedder = Some(embedder().await);
    let question = "which river flows past the town?";
    let ranked = async |best: usize| {
        let multi_vector = MultiVectorConfig { best, compose: false, ..MultiVectorConfig::default() };
        let config = MethodConfig { multi_vector, ..MethodConfig::default() };
        let options = AskOptions { config, ..options(Method::MultiVector) };
        ask(&setting, None, embedder.clone(), question, &options).await
    };
    let answer = ranked(10).await;
    assert_eq!(
        (answer.answers.as_slice(), answer.ranked.len()),
        (&["Lindau".to_owned()][..], 2),
        "{answer:#?}"
    );
    let (mean, alone) = (answer.ranked[1].score, ranked(1).await);
    let kora = alone.ranked.iter().find(|entity| entity.name == "Kora").unwrap();
    assert!(kora.score > mean, "its best passage alone is nearer than the mean: {} {mean}", kora.score);

    let model = Arc::new(ScriptedModel::new().on("compose", composed(r#""Lindau""#)));
    let answer =
        ask(&setting, Some(model.clone()), embedder.clone(), question, &options(Method::MultiVector)).await;
    assert_eq!((answer.answers.as_slice(), model.calls()), (&["Lindau".to_owned()][..], 1));
    assert_eq!(answer.evidence.len(), 2, "the best passage of each entity");
}

#[tokio::test]
async fn vectors_that_are_not_there_are_named() {
    let model = ScriptedModel::new();
    let (answer, model) =
        run(&setting_with_documents(NODES, EDGES).await, model, RIVER, &options(Method::MultiVector)).await;
    assert_eq!((answer.status, model.calls()), (Status::Abstained, 0));
    assert!(answer.reason.as_deref().unwrap().contains("vectors"), "{answer:?}");
}

#[test]
fn every_method_is_known_by_its_name() {
    for method in Method::ALL {
        assert_eq!(method.name().parse::<Method>().unwrap(), *method);
    }
    let error = "thog".parse::<Method>().unwrap_err().to_string();
    assert!(error.contains("tog") && error.contains("self_consistency"), "{error}");
}
