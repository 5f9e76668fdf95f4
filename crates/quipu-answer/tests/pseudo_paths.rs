//! Pseudo-graphs with our planner by paths, against a scripted model, over one source and over
//! several.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::common;
use crate::pseudo::{BELIEF, BIRTHPLACE, asked, by, composed, edits, planned};
use std::sync::Arc;

use common::{FILMS, Setting, embedder, setting, setting_named};
use quipu_answer::{
    Answer, AskOptions, Engine, Limits, Method, Note, Planner, PseudoConfig, Question, Status, Verification,
    open_source,
};
use quipu_model::ScriptedModel;

/// With our planner by paths.
fn pseudo(config: PseudoConfig) -> AskOptions {
    planned(Planner::Paths, config)
}

#[tokio::test]
async fn similarity_corrects_without_a_call() {
    let films = setting(FILMS).await;
    let model =
        ScriptedModel::new().on("plan.pseudo", BELIEF).on("compose", composed("\"Leidschendam\"").as_str());
    let (answer, model) = asked(&[&films], model, BIRTHPLACE, &pseudo(by(Verification::Similarity))).await;
    assert_eq!(answer.answers, ["Leidschendam"], "{answer:#?}");
    assert_eq!(model.calls(), 2);
    let year =
        edits(&answer).into_iter().find(|(before, ..)| before.as_deref() == Some("Kauwboy | year | 1999"));
    assert_eq!(year.unwrap().1.as_deref(), Some("Kauwboy | release year | 2012"));
}

#[tokio::test]
async fn what_resembles_nothing_costs_one_call_and_abstains() {
    let films = setting(FILMS).await;
    let belief = "CREATE (q {name: 'Zzyzx Quorum'})-[:PRESIDED_OVER_BY]->(p {name: 'Qwrt Plmk'})";
    let model = ScriptedModel::new().on("plan.pseudo", belief);
    let question = "who presides over the Zzyzx Quorum?";
    let (answer, model) = asked(&[&films], model, question, &pseudo(by(Verification::Similarity))).await;
    assert_eq!(answer.status, Status::Abstained);
    assert_eq!(model.calls(), 1);
}

#[tokio::test]
async fn a_reply_without_a_graph_leaves_the_names_of_the_question() {
    let films = setting(FILMS).await;
    let model = ScriptedModel::new()
        .on("plan.pseudo", "I am afraid that I do not know this film.")
        .on("compose", composed("\"Boudewijn Koole\"").as_str());
    let (answer, model) =
        asked(&[&films], model, "who directed Kauwboy?", &pseudo(by(Verification::Similarity))).await;
    assert_eq!(answer.answers, ["Boudewijn Koole"]);
    assert_eq!(model.calls(), 2, "nothing believed, nothing to verify");
}

#[tokio::test]
async fn a_pseudo_graph_of_a_thousand_lines_is_cut_to_what_bears_on_the_question() {
    let films = setting(FILMS).await;
    let mut belief = String::new();
    for number in 0..1000 {
        belief.push_str(&format!(
            "CREATE (:Thing {{name: 'Thing {number}'}})-[:NEAR]->(:Thing {{name: 'Place {number}'}})\n"
        ));
    }
    belief.push_str("CREATE (:Film {name: 'Kauwboy'})-[:DIRECTED_BY]->(:Person {name: 'Nobody Known'})\n");
    let model = ScriptedModel::new()
        .on("plan.pseudo", belief.as_str())
        .on("compose", composed("\"Boudewijn Koole\"").as_str());
    let (answer, _) =
        asked(&[&films], model, "who directed Kauwboy?", &pseudo(by(Verification::Similarity))).await;
    assert_eq!(answer.answers, ["Boudewijn Koole"]);
    assert!(edits(&answer).len() <= 1100);
}

#[tokio::test]
async fn an_open_question_is_told_in_sentences_that_cite() {
    let films = setting(FILMS).await;
    let belief = "// open\nCREATE (k:Film {name: 'Kauwboy', year: 2012})-[:DIRECTED_BY]->(p:Person {name: 'Jan'})\nCREATE (k)-[:STARRED_ACTORS]->(a {name: 'Piet'})";
    let told = r#"{"sentences": [
        {"text": "Kauwboy has a director.", "rows": ["E0"]},
        {"text": "It is the best film of all.", "rows": ["E999"]},
        {"text": "There is more to say.", "rows": ["E0", "E1"]}]}"#;
    let model = ScriptedModel::new().on("plan.pseudo", belief).on("compose", told);
    let question = "What should I know about Kauwboy?";
    let (answer, _) = asked(&[&films], model, question, &pseudo(by(Verification::Similarity))).await;
    assert_eq!((answer.status, answer.grounded), (Status::Answered, true), "{answer:#?}");
    assert_eq!(answer.answer, "Kauwboy has a director. [1] There is more to say. [1][2]");
    assert!(
        answer.citations.contains(&answer.evidence[0].id)
            && answer.citations.contains(&answer.evidence[1].id)
    );
}

#[tokio::test]
async fn two_halves_of_a_graph_answer_as_the_whole() {
    let half = |with: &str| -> String {
        FILMS.lines().filter(|line| line.contains(with)).map(|line| format!("{line}\n")).collect()
    };
    let (directors, births) = (setting(&half("directed_by")).await, setting(&half("born_in")).await);
    let script = || {
        ScriptedModel::new().on("plan.pseudo", BELIEF).on("compose", composed("\"Leidschendam\"").as_str())
    };
    let options = pseudo(by(Verification::Similarity));
    let (answer, _) = asked(&[&directors, &births], script(), BIRTHPLACE, &options).await;
    assert_eq!(
        (answer.answers.as_slice(), answer.grounded),
        (&["Leidschendam".to_owned()][..], true),
        "{answer:#?}"
    );
    let one = pseudo(PseudoConfig { all_sources: false, ..by(Verification::Similarity) });
    let (answer, _) = asked(&[&directors, &births], script(), BIRTHPLACE, &one).await;
    assert_eq!(answer.status, Status::Abstained, "the first half does not hold it");
}

#[tokio::test]
async fn sources_that_differ_are_told_with_their_dates() {
    let (old, new) = (
        setting_named("old", "Peru\tpopulation\t31989256\nPeru\tcapital\tLima\n").await,
        setting_named("new", "Peru\tpopulation\t34352719\nPeru\tcapital\tLima\n").await,
    );
    let model = ScriptedModel::new()
        .on("plan.pseudo", "CREATE (p:Country {name: 'Peru', population: 30000000})")
        .on("compose", composed("\"34352719\"").as_str());
    let options = pseudo(by(Verification::Similarity));
    let (answer, _) = asked(&[&old, &new], model, "what is the population of Peru?", &options).await;
    let [Note::Contradiction { about, claims }] = answer.notes.as_slice() else { panic!("{answer:#?}") };
    assert_eq!(about, "Peru | population");
    let mut values: Vec<&str> = claims.iter().map(|c| c.value.as_str()).collect();
    values.sort_unstable();
    assert_eq!(values, ["31989256", "34352719"]);
    assert!(claims.iter().all(|claim| claim.date.len() == 10), "{claims:?}");
}

#[tokio::test]
async fn a_source_that_is_down_is_named_and_the_rest_answers() {
    let (films, lost, births) = (
        setting(FILMS).await,
        setting(FILMS).await,
        setting("Boudewijn Koole\tborn_in\tLeidschendam\n").await,
    );
    // The index of another embedder cannot be searched.
    let model =
        || ScriptedModel::new().on("plan.pseudo", BELIEF).always("compose", composed("\"Leidschendam\""));
    let others = vec![open_source(births.workspace.clone()).unwrap()];
    let engine =
        Engine::new(films.workspace.clone(), Some(Arc::new(model())), Some(embedder().await)).unwrap();
    let engine = engine.with_sources(others).without_sources([("lost".to_owned(), "it is gone".to_owned())]);
    let question = Question::new(BIRTHPLACE, "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
    let answer = engine.ask(&question, &pseudo(by(Verification::Similarity))).await.unwrap();
    assert_eq!(answer.answers, ["Leidschendam"]);
    let down = Note::SourceDown { source: "lost".into(), reason: "it is gone".into() };
    assert!(answer.notes.contains(&down), "{:?}", answer.notes);
    drop(lost);
}

#[tokio::test]
async fn a_source_that_knows_nothing_of_the_question_costs_no_call() {
    let (nothing, films) = (setting("Peru\tcapital\tLima\n").await, setting(FILMS).await);
    let graph = AskOptions { method: Method::Graph, ..AskOptions::default() };
    let model = ScriptedModel::new().on("compose", composed("\"Boudewijn Koole\"").as_str());
    let (answer, model) = asked(&[&nothing, &films], model, "who directed Kauwboy?", &graph).await;
    assert_eq!(answer.answers, ["Boudewijn Koole"], "{answer:#?}");
    assert_eq!(model.calls(), 1, "where nothing is linked nothing is composed");
}

#[tokio::test]
async fn limits_hold_and_the_best_that_was_found_is_given_and_marked() {
    let films = setting(FILMS).await;
    std::fs::write(films.workspace.folder().join("relations.toml"), common::CARDS).unwrap();
    let films = Setting {
        workspace: Arc::new(quipu_index::Workspace::open(films.workspace.folder()).unwrap()),
        ..films
    };
    let question = "who directed Kauwboy?";
    for method in [Method::Pseudo, Method::Kerag, Method::Anchor] {
        for limits in
            [Limits { llm_calls: 0, ..Limits::default() }, Limits { tokens: 10, ..Limits::default() }]
        {
            let mut options = AskOptions { method, limits, ..AskOptions::default() };
            options.config.fallback = true;
            let (answer, model) = asked(&[&films], ScriptedModel::new(), question, &options).await;
            assert_eq!(model.calls(), 0, "{method:?}");
            assert_eq!(answer.answers, ["Boudewijn Koole"], "{method:?}: {answer:#?}");
            assert!(answer.grounded);
            let marked = |note: &Note| matches!(note, Note::Fallback { .. });
            assert!(answer.notes.iter().any(marked), "{method:?}");
        }
    }
}

#[tokio::test]
async fn tokens_are_limited_for_every_method() {
    let films = setting(FILMS).await;
    for method in Method::ALL {
        let limits = Limits { tokens: 1000, llm_calls: 40, ..Limits::default() };
        let options = AskOptions { method: *method, limits, ..AskOptions::default() };
        let model = ScriptedModel::new().when(|request| {
            assert!(request.max_tokens <= 1000);
            Some(quipu_model::Scripted::from("{}"))
        });
        let (answer, _) = asked(&[&films], model, "who directed Kauwboy?", &options).await;
        let used = answer.usage.prompt_tokens + answer.usage.completion_tokens;
        assert!(used <= 1000, "{method:?}: {used}");
    }
}

#[tokio::test]
async fn sources_that_answer_differently_are_told_whatever_the_method() {
    let (old, new) = (
        setting_named("old", "Peru\tcapital\tCusco\n").await,
        setting_named("new", "Peru\tcapital\tLima\n").await,
    );
    let model = ScriptedModel::new().when(|request| {
        let content = &request.messages.last().unwrap().content;
        let city = if content.contains("Lima") { "\"Lima\"" } else { "\"Cusco\"" };
        Some(composed(city).into())
    });
    let graph = AskOptions { method: Method::Graph, ..AskOptions::default() };
    let (answer, _) = asked(&[&old, &new], model, "what is the capital of Peru?", &graph).await;
    assert_eq!(answer.status, Status::Answered);
    let [Note::Contradiction { claims, .. }] = answer.notes.as_slice() else { panic!("{answer:#?}") };
    let said: Vec<(&str, &str)> = claims.iter().map(|c| (c.source.as_str(), c.value.as_str())).collect();
    assert!(said.contains(&("old", "Cusco")) && said.contains(&("new", "Lima")), "{said:?}");
    assert!(claims.iter().all(|claim| claim.date.len() == 10), "{claims:?}");
}

/// The model marks the unknown nodes, and the sources fill them in: the graph is followed to the
/// node that the question asks for.
async fn filled(settings: &[&Setting], belief: &str, question: &str) -> (Answer, usize) {
    let model = ScriptedModel::new().on("plan.pseudo", belief);
    let (answer, model) = asked(settings, model, question, &pseudo(by(Verification::Similarity))).await;
    assert!(answer.grounded, "{answer:#?}");
    (answer, model.calls())
}

#[tokio::test]
async fn what_the_model_does_not_know_the_sources_fill_in_with_one_call() {
    let films = setting(FILMS).await;
    let belief = "// precise\nCREATE (k:Film {name: 'Kauwboy'})-[:DIRECTED_BY]->(p:Person {name: '?'})-[:BORN_IN]->(answer:Town {name: '?'})";
    let (answer, calls) = filled(&[&films], belief, BIRTHPLACE).await;
    assert_eq!((answer.answers.as_slice(), calls), (&["Leidschendam".to_owned()][..], 1));
    let changed = edits(&answer);
    assert!(
        changed.iter().all(|(before, after, by)| before.is_some() && after.is_some() && *by),
        "{changed:?}"
    );
    // Lists are complete, and the question's own entities are not answers.
    let belief = "CREATE (r:Person {name: 'Rifka Lodeizen'})<-[:STARRED_ACTORS]-(f:Film {name: '?'})-[:STARRED_ACTORS]->(answer:Person {name: '?'})";
    let (answer, _) = filled(&[&films], belief, "who acted together with Rifka Lodeizen?").await;
    assert_eq!(answer.answers, ["Pierre Bokma"]);
}

#[tokio::test]
async fn a_thing_that_joins_several_is_what_all_of_them_lead_to() {
    let films = setting(FILMS).await;
    let belief = "CREATE (answer:Film {name: '?'})-[:DIRECTED_BY]->(b:Person {name: 'Boudewijn Koole'}), (answer)-[:STARRED_ACTORS]->(r:Person {name: 'Rifka Lodeizen'})";
    let question = "which film by Boudewijn Koole starred Rifka Lodeizen?";
    let (answer, _) = filled(&[&films], belief, question).await;
    assert_eq!(answer.answers, ["Disappearance"]);
    // The same if each source knows one side.
    let half = |with: &str| -> String {
        FILMS.lines().filter(|line| line.contains(with)).map(|line| format!("{line}\n")).collect()
    };
    let (directors, actors) = (setting(&half("directed_by")).await, setting(&half("starred_actors")).await);
    let (answer, _) = filled(&[&directors, &actors], belief, question).await;
    assert_eq!(answer.answers, ["Disappearance"], "{answer:#?}");
}

#[tokio::test]
async fn a_pseudo_triple_that_leaves_out_a_step_is_bridged() {
    let films = setting(FILMS).await;
    let belief = "CREATE (r:Person {name: 'Rick Lens'})-[:DIRECTED_BY]->(answer:Person {name: '?'})";
    let (answer, _) = filled(&[&films], belief, "who directed films with Rick Lens?").await;
    assert_eq!(answer.answers, ["Boudewijn Koole"]);
}

#[tokio::test]
async fn halves_of_a_chain_are_followed_from_source_to_source() {
    let half = |with: &str| -> String {
        FILMS.lines().filter(|line| line.contains(with)).map(|line| format!("{line}\n")).collect()
    };
    let (directors, births) = (setting(&half("directed_by")).await, setting(&half("born_in")).await);
    let belief = "CREATE (k:Film {name: 'Kauwboy'})-[:DIRECTED_BY]->(p:Person {name: '?'})-[:BORN_IN]->(answer:Town {name: '?'})";
    let (answer, calls) = filled(&[&births, &directors], belief, BIRTHPLACE).await;
    assert_eq!((answer.answers.as_slice(), calls), (&["Leidschendam".to_owned()][..], 1), "{answer:#?}");
    let sources: std::collections::HashSet<&str> =
        answer.evidence.iter().map(|e| e.source.as_str()).collect();
    assert_eq!(sources.len(), 1, "both are called films here");
}

#[tokio::test]
async fn amounts_and_always_compose_are_left_to_the_model() {
    let films = setting(FILMS).await;
    let belief = "CREATE (b:Person {name: 'Boudewijn Koole'})<-[:DIRECTED_BY]-(answer:Film {name: '?'})";
    let count = r#"{"reasoning": "By the rows.", "status": "answered", "rows": ["E0-E1"], "operation": "count", "answers": []}"#;
    let model = ScriptedModel::new().on("plan.pseudo", belief).on("compose", count);
    let question = "how many films did Boudewijn Koole direct?";
    let (answer, model) = asked(&[&films], model, question, &pseudo(by(Verification::Similarity))).await;
    assert_eq!((answer.answers.as_slice(), model.calls()), (&["2".to_owned()][..], 2), "{answer:#?}");
    let model =
        ScriptedModel::new().on("plan.pseudo", belief).on("compose", composed("\"Kauwboy\"").as_str());
    let config = PseudoConfig { always_compose: true, ..by(Verification::Similarity) };
    let (answer, model) =
        asked(&[&films], model, "which films did Boudewijn Koole direct?", &pseudo(config)).await;
    assert_eq!((answer.answers.as_slice(), model.calls()), (&["Kauwboy".to_owned()][..], 2));
}

/// The same setting with cards of all its relations, so that planning needs no model call for them.
fn with_cards(setting: Setting) -> Setting {
    common::with_cards(setting, &[common::CARDS, common::MORE_CARDS].concat())
}

/// No word of the question matches a relation's name.
#[expect(clippy::unnecessary_wraps, reason = "a rule of the scripted model")]
fn no_word(request: &quipu_model::ScoreRequest) -> Option<Vec<f64>> {
    Some(vec![-9.0; request.continuations.len()])
}

#[tokio::test]
async fn a_likely_path_corrects_what_was_believed_without_a_second_call() {
    let films = with_cards(setting(FILMS).await);
    let model = ScriptedModel::new().on("plan.pseudo", BELIEF);
    let (answer, model) = asked(&[&films], model, BIRTHPLACE, &pseudo(PseudoConfig::default())).await;
    assert_eq!((answer.answers.as_slice(), answer.grounded), (&["Leidschendam".to_owned()][..], true));
    assert_eq!(model.calls(), 1);
    let edits = edits(&answer);
    let edit =
        |before: &str, after: Option<&str>| (Some(before.into()), after.map(str::to_owned), after.is_some());
    assert!(
        edits.contains(&edit(
            "Kauwboy | directed by | Jan Jansen",
            Some("Kauwboy | directed by | Boudewijn Koole")
        )),
        "{edits:?}"
    );
    assert!(
        edits.contains(&edit(
            "Jan Jansen | born in | Utrecht",
            Some("Boudewijn Koole | born in | Leidschendam")
        )),
        "{edits:?}"
    );
    assert!(edits.contains(&edit("Kauwboy | year | 1999", None)), "off the path: {edits:?}");
}

#[tokio::test]
async fn where_no_path_fits_nothing_is_composed_however_sure_the_model_is() {
    let films = with_cards(setting(FILMS).await);
    let belief =
        "// precise\nCREATE (k:Film {name: 'Kauwboy'})-[:DIRECTED_BY]->(answer:Archbishop {name: '?'})";
    let question = "which archbishop crowned Kauwboy?";
    let script = || ScriptedModel::new().on("plan.pseudo", belief).when_scoring(no_word);
    let (answer, model) = asked(&[&films], script(), question, &pseudo(PseudoConfig::default())).await;
    assert_eq!((answer.status, model.calls_of("compose")), (Status::Abstained, 0), "{answer:#?}");
    assert!(answer.reason.unwrap().contains("fit 0."), "the nearest path is told");
    // Following alone accepts the belief.
    let (answer, _) = asked(&[&films], script(), question, &pseudo(by(Verification::Similarity))).await;
    assert_eq!(answer.answers, ["Boudewijn Koole"]);
}

#[tokio::test]
async fn an_open_question_is_not_answered_by_a_path_however_likely() {
    let films = with_cards(setting(FILMS).await);
    let belief = "// open\nCREATE (k:Film {name: 'Kauwboy'})-[:DIRECTED_BY]->(p:Person {name: 'Jan'})";
    let told = r#"{"sentences": [{"text": "Kauwboy was directed by Boudewijn Koole.", "rows": ["E0"]}]}"#;
    let model = ScriptedModel::new().on("plan.pseudo", belief).on("compose", told);
    let (answer, model) =
        asked(&[&films], model, "who directed Kauwboy?", &pseudo(PseudoConfig::default())).await;
    assert_eq!(model.calls_of("compose"), 1, "{answer:#?}");
    assert_eq!(answer.answer, "Kauwboy was directed by Boudewijn Koole. [1]");
}

#[tokio::test]
async fn a_misspelt_name_is_told_of_too() {
    let films = with_cards(setting(FILMS).await);
    let belief = "// open\nCREATE (k:Film {name: 'Kauwbboy', mood: 'sad'})";
    let told = r#"{"sentences": [{"text": "Kauwboy has a director.", "rows": ["E0"]}]}"#;
    let model = ScriptedModel::new().on("plan.pseudo", belief).on("compose", told).when_scoring(no_word);
    let question = "What should I know about Kauwbboy?";
    let (answer, _) = asked(&[&films], model, question, &pseudo(PseudoConfig::default())).await;
    assert_eq!((answer.status, answer.grounded), (Status::Answered, true), "{answer:#?}");
}

#[tokio::test]
async fn a_source_that_only_knows_a_like_name_is_not_asked_where_another_knows_the_name() {
    let named = with_cards(setting_named("named", "Winter Tale\tstarred_actors\tMargit Carstensen\n").await);
    let like = with_cards(setting_named("like", "Summer Tale\tstarred_actors\tMargit Carston\n").await);
    let question = "which films has Margit Carstensen acted in?";
    let belief = "CREATE (m:Person {name: 'Margit Carstensen'})<-[:STARRED_ACTORS]-(answer:Film {name: '?'})";
    let script = || ScriptedModel::new().on("plan.pseudo", belief).when_scoring(no_word);
    let paths = AskOptions { method: Method::Paths, ..AskOptions::default() };
    for options in [pseudo(by(Verification::Similarity)), pseudo(PseudoConfig::default()), paths] {
        for sources in [[&named, &like], [&like, &named]] {
            let (answer, _) = asked(&sources, script(), question, &options).await;
            assert_eq!((answer.answers.as_slice(), answer.notes.len()), (&["Winter Tale".to_owned()][..], 0));
        }
    }
    // A single source is asked: a name may be misspelt.
    let (answer, _) =
        asked(&[&like], script(), question, &AskOptions { method: Method::Paths, ..AskOptions::default() })
            .await;
    assert_eq!(answer.answers, ["Summer Tale"]);
}
