//! AnchorRAG against a scripted model: how often it asks, what it finds, how it ends.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::common;
use std::sync::Arc;

use common::{CARDS, FILMS, ask, composed, embedder, run, setting, told};
use quipu_answer::{
    AnchorConfig, AnchorGrounding, Answer, AskOptions, Event, Guide, Limits, Method, MethodConfig, Note,
    Predictor, Status,
};
use quipu_model::{ModelError, Scripted, ScriptedModel};

const BIRTHPLACE: &str = "where was the director of Kauwboy born?";
const KEYWORDS: &str = r#"{"keywords": ["Kauwboy"]}"#;

fn anchor(config: AnchorConfig) -> AskOptions {
    let config = MethodConfig { anchor: config, ..MethodConfig::default() };
    let limits = Limits { llm_calls: 60, ..Limits::default() };
    AskOptions { method: Method::Anchor, config, limits, keep_trace: true, ..AskOptions::default() }
}

fn guided(guide: Guide) -> AnchorConfig {
    AnchorConfig { guide, ..AnchorConfig::default() }
}

/// Keeps the first of everything and never has enough before round `enough`.
fn model(enough: usize, answer: &str) -> ScriptedModel {
    let mut model = ScriptedModel::new()
        .on("link.keywords", KEYWORDS)
        .always("prune.relations", r#"{"numbers": [1, 2, 3]}"#)
        .always("prune.entities", r#"{"numbers": [1, 2, 3]}"#)
        .always("prune.triples", r#"{"numbers": [1, 2, 3, 4, 5, 6, 7, 8]}"#)
        .on("compose", composed(answer).as_str());
    for _ in 1..enough {
        model = model.on("critique.supervisor", "no");
    }
    model.on("critique.supervisor", "yes")
}

fn stops(answer: &Answer) -> Vec<&str> {
    let events = answer.trace.as_deref().unwrap_or_default();
    let stopped = events.iter().filter_map(|timed| match &timed.event {
        Event::Explored { stopped, .. } => stopped.as_deref(),
        _ => None,
    });
    stopped.collect()
}

#[tokio::test]
async fn by_similarity_a_round_costs_one_call_a_retriever_and_one_of_the_supervisor() {
    let setting = setting(FILMS).await;
    for rounds in 1..=2_usize {
        let model = model(rounds, "\"Boudewijn Koole\"");
        let (answer, model) = run(&setting, model, BIRTHPLACE, &anchor(guided(Guide::Similarity))).await;
        // 1 + R (m + 1) + 1, with one anchor.
        assert_eq!(model.calls(), 1 + rounds * 2 + 1, "{rounds}");
        assert_eq!(answer.status, Status::Answered);
        assert!(answer.grounded);
    }
}

#[tokio::test]
async fn by_model_no_round_costs_more_than_b_and_two_calls_a_retriever() {
    let setting = setting(FILMS).await;
    let model = model(3, "\"Leidschendam\"");
    let (answer, model) = run(&setting, model, BIRTHPLACE, &anchor(guided(Guide::Model))).await;
    let (m, b, rounds) = (1, 3, 3);
    assert!(model.calls() <= 1 + rounds * (m * (b + 2) + 1) + 1, "{}", model.calls());
    assert_eq!(model.calls_of("link.keywords"), 1);
    assert_eq!(model.calls_of("compose"), 1);
    assert!(model.calls_of("critique.supervisor") <= rounds);
    assert!(model.calls_of("prune.relations") <= rounds * m);
    assert!(model.calls_of("prune.triples") <= rounds * m);
    assert_eq!(answer.answers, ["Leidschendam"], "{answer:#?}");
}

#[tokio::test]
async fn several_retrievers_share_the_rounds() {
    let setting = setting(FILMS).await;
    let model = ScriptedModel::new()
        .on("link.keywords", r#"{"keywords": ["Kauwboy", "Tonio"]}"#)
        .always("prune.triples", r#"{"numbers": [1, 2, 3, 4, 5, 6]}"#)
        .on("critique.supervisor", "yes")
        .on("compose", composed("\"Boudewijn Koole\", \"Paula van der Oest\"").as_str());
    let question = "who directed Kauwboy and Tonio?";
    let (answer, model) = run(&setting, model, question, &anchor(guided(Guide::Similarity))).await;
    // 1 + R (m + 1) + 1 with m = 2 and R = 1.
    assert_eq!(model.calls(), 1 + 2 + 1 + 1);
    assert_eq!(answer.answers.len(), 2);
}

#[tokio::test]
async fn without_the_triple_filter_a_round_costs_the_supervisor_alone() {
    let setting = setting(FILMS).await;
    let config = AnchorConfig { triple_filter: false, ..guided(Guide::Similarity) };
    let (answer, model) = run(&setting, model(1, "\"Boudewijn Koole\""), BIRTHPLACE, &anchor(config)).await;
    assert_eq!(model.calls(), 1 + 1 + 1);
    assert_eq!(answer.status, Status::Answered);
}

#[tokio::test]
async fn the_index_predicts_without_a_call_and_mends_spelling_too() {
    let setting = setting(FILMS).await;
    let config =
        AnchorConfig { predictor: Predictor::Index, triple_filter: false, ..guided(Guide::Similarity) };
    let question = "who is the director of Kauwbpy?";
    let (answer, model) = run(&setting, model(1, "\"Boudewijn Koole\""), question, &anchor(config)).await;
    assert_eq!(model.calls_of("link.keywords"), 0);
    assert_eq!(answer.answers, ["Boudewijn Koole"]);
}

#[tokio::test]
async fn a_retriever_with_nothing_left_says_why_and_nothing_is_composed() {
    let setting = setting(FILMS).await;
    let model =
        ScriptedModel::new().on("link.keywords", KEYWORDS).always("prune.triples", r#"{"numbers": []}"#);
    let (answer, model) = run(&setting, model, BIRTHPLACE, &anchor(guided(Guide::Similarity))).await;
    assert_eq!(answer.status, Status::Abstained);
    assert_eq!(model.calls_of("compose") + model.calls_of("critique.supervisor"), 0);
    assert_eq!(stops(&answer), ["none of its facts bears on the question"]);
}

#[tokio::test]
async fn an_entity_without_relations_ends_its_retriever() {
    let setting = setting("Nobody\tknows\tNobody\n").await;
    let model = ScriptedModel::new().on("link.keywords", r#"{"keywords": ["Nobody"]}"#);
    let question = "whom does Nobody know?";
    let (answer, model) = run(&setting, model, question, &anchor(guided(Guide::Similarity))).await;
    // Its only neighbour is itself.
    assert_eq!(answer.status, Status::Abstained);
    assert_eq!(model.calls(), 1);
    assert_eq!(stops(&answer), ["it has no relation that leads on"]);
}

#[tokio::test]
async fn a_circle_ends() {
    let setting =
        setting("A1 Road\tjoins\tB2 Road\nB2 Road\tjoins\tC3 Road\nC3 Road\tjoins\tA1 Road\n").await;
    let mut model = ScriptedModel::new()
        .on("link.keywords", r#"{"keywords": ["A1 Road"]}"#)
        .always("prune.triples", r#"{"numbers": [1, 2, 3]}"#)
        .always(
            "compose",
            r#"{"reasoning": "", "status": "unknown", "rows": [], "operation": "none", "answers": []}"#,
        );
    for _ in 0..3 {
        model = model.on("critique.supervisor", "no");
    }
    let (answer, model) =
        run(&setting, model, "what does A1 Road lead to?", &anchor(guided(Guide::Similarity))).await;
    assert_eq!(answer.status, Status::Abstained);
    assert!(model.calls_of("critique.supervisor") <= 1, "all three are one hop away");
}

#[tokio::test]
async fn of_a_hub_the_model_sees_no_more_than_the_stated_number() {
    let mut triples = String::new();
    for film in 0..3000 {
        triples.push_str(&format!("Film number {film}\tfilmed_in\tRotterdam\n"));
    }
    for what in 0..60 {
        triples.push_str(&format!("Rotterdam\trelation_{what}\tvalue {what}\n"));
    }
    let setting = setting(&triples).await;
    let config = AnchorConfig { shown: 12, ..guided(Guide::Model) };
    let model = ScriptedModel::new()
        .on("link.keywords", r#"{"keywords": ["Rotterdam"]}"#)
        .always("prune.relations", r#"{"numbers": [1, 2, 3]}"#)
        .always("prune.entities", r#"{"numbers": [1, 99, 1]}"#)
        .always("prune.triples", r#"{"numbers": [1, 2, 3]}"#)
        .on("critique.supervisor", "yes")
        .on("compose", composed("\"Film number 1\"").as_str());
    let (_, model) = run(&setting, model, "which films were filmed in Rotterdam?", &anchor(config)).await;
    for request in model.requests().iter().filter(|r| r.stage.starts_with("prune.")) {
        let options = request.messages.last().unwrap().content.lines().filter(|l| l.contains(". ")).count();
        assert!(options <= 12, "{}: {options}", request.stage);
        assert!(request.messages.last().unwrap().content.len() < 4000);
    }
}

#[tokio::test]
async fn a_model_that_cannot_be_read_is_replaced_by_index_and_similarity() {
    let setting = setting(FILMS).await;
    let model = ScriptedModel::new()
        .always("link.keywords", "Kauwboy, I think")
        .always("prune.relations", "the third one")
        .always("prune.entities", "hm")
        .always("prune.triples", "none of them, or all")
        .always("critique.supervisor", "perhaps")
        .always("compose", composed("\"Boudewijn Koole\""));
    let (answer, _) = run(&setting, model, "who directed Kauwboy?", &anchor(guided(Guide::Model))).await;
    assert_eq!(answer.status, Status::Abstained, "a filter that keeps nothing ends the search");
    let degraded = answer.trace.unwrap().iter().filter(|e| matches!(e.event, Event::Degraded { .. })).count();
    assert!(degraded >= 2);
}

#[tokio::test]
async fn what_no_name_resembles_is_not_looked_for() {
    let setting = setting(FILMS).await;
    for guide in [Guide::Paths, Guide::Similarity, Guide::Model] {
        let model = ScriptedModel::new().on("link.keywords", r#"{"keywords": ["Zzyzx Quorum"]}"#);
        let (answer, model) =
            run(&setting, model, "who presides over the Zzyzx Quorum?", &anchor(guided(guide))).await;
        assert_eq!(answer.status, Status::Abstained);
        assert_eq!(model.calls(), 1);
    }
}

#[tokio::test]
async fn the_model_alone_answers_only_when_asked_to_and_is_marked() {
    let setting = setting(FILMS).await;
    let question = "who presides over the Zzyzx Quorum?";
    let script = || {
        ScriptedModel::new()
            .on("link.keywords", r#"{"keywords": ["Zzyzx Quorum"]}"#)
            .on("compose.cot", r#"{"reasoning": "As is known.", "answers": ["Ada Berg"]}"#)
            .always("cot", r#"{"reasoning": "As is known.", "answers": ["Ada Berg"]}"#)
            .always("compose", r#"{"reasoning": "As is known.", "answers": ["Ada Berg"]}"#)
    };
    let config = AnchorConfig { model_alone: true, ..AnchorConfig::default() };
    let (answer, model) = run(&setting, script(), question, &anchor(config)).await;
    assert_eq!((answer.status, answer.grounded), (Status::Answered, false));
    assert_eq!(answer.notes, [Note::ModelAlone]);
    assert_eq!(model.calls(), 2);
    let (answer, _) = run(&setting, script(), question, &anchor(AnchorConfig::default())).await;
    assert_eq!((answer.status, answer.notes.len()), (Status::Abstained, 0));
}

const NAMESAKES: &str = "\
<http://x/1> <http://www.w3.org/2000/01/rdf-schema#label> \"Mercury\" .
<http://x/2> <http://www.w3.org/2000/01/rdf-schema#label> \"Mercury\" .
<http://x/3> <http://www.w3.org/2000/01/rdf-schema#label> \"Sun\" .
<http://x/4> <http://www.w3.org/2000/01/rdf-schema#label> \"Jupiter\" .
<http://x/1> <http://x/atomic_number> \"80\" .
<http://x/1> <http://x/melting_point> \"-39\" .
<http://x/2> <http://x/orbits> <http://x/3> .
<http://x/2> <http://x/planet_mass> \"3.3\" .
<http://x/4> <http://x/orbits> <http://x/3> .
";

#[tokio::test]
async fn namesakes_are_told_apart_by_their_relations_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("names.nt");
    std::fs::write(&file, NAMESAKES).unwrap();
    let path = folder.path().join("workspace");
    let graph = quipu_graph::ImportConfig::new("names", vec![quipu_graph::Input::File(file)]);
    let request = quipu_index::ImportRequest { graph, embedder: None, progress: None };
    quipu_index::Workspace::import(&path, &request).await.unwrap();
    let setting =
        common::Setting { workspace: Arc::new(quipu_index::Workspace::open(&path).unwrap()), folder };
    let ask_with = async |question: &str, options: AskOptions| {
        // It writes no cards, which is no failure.
        let unable = || ModelError::Unsupported { model: "scripted".into(), ability: "write cards" };
        let model = ScriptedModel::new()
            .always("link.keywords", r#"{"keywords": ["Mercury"]}"#)
            .when(move |request| (request.stage == "plan.card").then(|| Scripted::Fail(unable())));
        ask(&setting, Some(Arc::new(model)), Some(embedder().await), question, &options).await
    };
    let config = AnchorConfig { anchors: 1, ..guided(Guide::Paths) };
    for (question, key) in
        [("what is the melting point of Mercury?", "http://x/1"), ("what does Mercury orbit?", "http://x/2")]
    {
        let answer = ask_with(question, anchor(config.clone())).await;
        let [Note::Homonyms { chosen, others, reason, .. }] = answer.notes.as_slice() else {
            panic!("{question}: {:?}", answer.notes)
        };
        assert_eq!((chosen.key.as_str(), others.len()), (key, 1), "{question}: {reason}");
        assert!(reason.contains("relations fit"), "{reason}");
    }
    // The user knows better.
    let given = AskOptions { anchors: vec!["http://x/1".into()], ..anchor(config) };
    let answer = ask_with("what does Mercury orbit?", given).await;
    let linked = answer.trace.unwrap().into_iter().find_map(|timed| match timed.event {
        Event::Linked { mentions } => Some(mentions[0].candidates[0].reason.clone()),
        _ => None,
    });
    assert_eq!(linked.as_deref(), Some("given with the question"));
    assert_eq!(answer.usage.llm_calls, 0, "given anchors need no keywords");
}

#[tokio::test]
async fn whole_paths_take_the_place_of_rounds() {
    let setting = setting(FILMS).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), CARDS).unwrap();
    let model = Arc::new(
        ScriptedModel::new()
            .always("link.keywords", KEYWORDS)
            .when(|request| (request.stage == "plan.cards").then(|| quipu_model::Scripted::from("{}"))),
    );
    let question = "who directed Kauwboi?";
    let answer = ask(
        &setting,
        Some(model.clone()),
        Some(embedder().await),
        question,
        &anchor(AnchorConfig::default()),
    )
    .await;
    assert_eq!(answer.answers, ["Boudewijn Koole"]);
    assert!(answer.grounded);
    assert_eq!(model.calls_of("link.keywords"), 1);
    assert_eq!(model.calls_of("compose") + model.calls_of("critique.supervisor"), 0);
}

#[tokio::test]
async fn grounding_is_one_call_of_the_graph_and_one_of_the_embedder_whatever_the_candidates() {
    let mut triples = String::new();
    for number in 0..300 {
        triples.push_str(&format!(
            "Springfield {number}\tmayor\tPerson {number}\nSpringfield {number}\triver\tWater\n"
        ));
    }
    let setting = setting(&triples).await;
    let counting = Arc::new(common::CountingEmbedder::new(embedder().await));
    let config = AnchorConfig {
        candidates: 300,
        grounding: AnchorGrounding::Relations,
        triple_filter: false,
        width: 9,
        ..guided(Guide::Similarity)
    };
    let script = || Arc::new(model(1, "\"Water\""));
    for asked in 0..2 {
        let before = counting.texts();
        ask(
            &setting,
            Some(script()),
            Some(counting.clone()),
            "which river is in Springfield?",
            &anchor(config.clone()),
        )
        .await;
        let linking: Vec<usize> = counting.texts()[before.len()..].to_vec();
        // The question and, the first time in an engine, the relations: not one text a candidate.
        assert!(linking.first().is_some_and(|texts| *texts <= 6), "{asked}: {linking:?}");
    }
}

#[tokio::test]
async fn a_short_budget_keeps_the_last_call_for_the_answer() {
    let setting = setting(FILMS).await;
    let limits = Limits { llm_calls: 4, ..Limits::default() };
    let options = AskOptions { limits, ..anchor(guided(Guide::Model)) };
    let (answer, model) = run(&setting, model(9, "\"Boudewijn Koole\""), BIRTHPLACE, &options).await;
    assert!(model.calls() <= 4);
    assert_eq!(model.calls_of("compose"), 1);
    assert_eq!(answer.answers, ["Boudewijn Koole"], "{}", told(&model, model.calls() - 1));
}
