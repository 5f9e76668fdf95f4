//! AnchorRAG's predictor with our planners instead of its rounds, against a scripted model.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::anchor::{KEYWORDS, asked_with};
use crate::common;
use std::sync::Arc;

use common::{CARDS, FILMS, ask, embedder, setting};
use quipu_answer::{AnchorConfig, AskOptions, Event, Note, Planner};
use quipu_model::{ModelError, Scripted, ScriptedModel};

/// With whole paths instead of rounds.
fn by_paths(config: AnchorConfig) -> AskOptions {
    asked_with(Planner::Paths, config)
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
        // The model writes no cards, and that is not a failure.
        let unable = || ModelError::Unsupported { model: "scripted".into(), ability: "write cards" };
        let model = ScriptedModel::new()
            .always("link.keywords", r#"{"keywords": ["Mercury"]}"#)
            .when(move |request| (request.stage == "plan.card").then(|| Scripted::Fail(unable())));
        ask(&setting, Some(Arc::new(model)), Some(embedder().await), question, &options).await
    };
    let config = AnchorConfig { anchors: 1, ..AnchorConfig::default() };
    for (question, key) in
        [("what is the melting point of Mercury?", "http://x/1"), ("what does Mercury orbit?", "http://x/2")]
    {
        let answer = ask_with(question, by_paths(config.clone())).await;
        let [Note::Homonyms { chosen, others, reason, .. }] = answer.notes.as_slice() else {
            panic!("{question}: {:?}", answer.notes)
        };
        assert_eq!((chosen.key.as_str(), others.len()), (key, 1), "{question}: {reason}");
        assert!(reason.contains("relations fit"), "{reason}");
    }
    // The user's anchor takes precedence.
    let given = AskOptions { anchors: vec!["http://x/1".into()], ..by_paths(config) };
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
        &by_paths(AnchorConfig::default()),
    )
    .await;
    assert_eq!(answer.answers, ["Boudewijn Koole"]);
    assert!(answer.grounded);
    assert_eq!(model.calls_of("link.keywords"), 1);
    assert_eq!(model.calls_of("compose") + model.calls_of("critique.supervisor"), 0);
}

#[tokio::test]
async fn a_query_is_asked_of_the_question_as_the_predictor_proof_read_it() {
    let setting = setting(FILMS).await;
    let model = ScriptedModel::new()
        .on("link.keywords", KEYWORDS)
        .always("plan.kinds", "{}")
        .always("plan.query", "SELECT 1");
    let options = asked_with(Planner::Query, AnchorConfig::default());
    let model = Arc::new(model);
    ask(&setting, Some(model.clone()), Some(embedder().await), "who directed Kauwbpy?", &options).await;
    let request = model.requests().into_iter().find(|request| request.stage == "plan.query").unwrap();
    let asked = &request.messages.last().unwrap().content;
    assert!(asked.contains("who directed Kauwboy?"), "{asked}");
}
