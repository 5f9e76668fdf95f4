//! The open-world methods keep within bounds in their requests to graph, embedder and model,
//! whatever the graph is like: namesakes, hubs, cycles, entities without relations, models that
//! invent.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::common;
use std::sync::{Arc, Mutex};

use common::{CountingEmbedder, CountingGraph, FILMS, Setting, embedder, setting, setting_from};
use quipu_answer::{
    AnchorConfig, Answer, AnswerError, AskOptions, Engine, Event, Guide, Limits, Method, MethodConfig, Note,
    Planner, Predictor, PseudoConfig, Question, Status, Verification,
};
use quipu_index::Workspace;
use quipu_model::{ModelError, Scripted, ScriptedModel};

const LABEL: &str = "<http://www.w3.org/2000/01/rdf-schema#label>";

/// `number` entities called Springfield, each with a mayor; only the last has a river.
fn springfields(number: usize) -> String {
    let mut triples = String::new();
    for at in 0..number {
        triples.push_str(&format!(
            "<http://x/s{at}> {LABEL} \"Springfield\" .\n<http://x/s{at}> <http://x/mayor> <http://x/p{}> .\n",
            at % 7
        ));
    }
    triples.push_str(&format!("<http://x/s{}> <http://x/river> <http://x/orle> .\n", number - 1));
    triples.push_str(&format!("<http://x/orle> {LABEL} \"Orle\" .\n"));
    triples
}

/// The requests made until the candidates were ranked.
#[derive(Debug, Default, Clone)]
struct Grounding {
    relations_of: Vec<usize>,
    expands: usize,
    embedded: Vec<usize>,
    candidates: usize,
}

/// Asks with `config` and records the cost of grounding.
async fn grounding(number: usize, config: AnchorConfig) -> (Answer, Grounding) {
    let Setting { folder, workspace } = setting_from("towns.nt", &springfields(number)).await;
    let counting = Arc::new(Mutex::new(None));
    let kept = counting.clone();
    let path = workspace.folder().to_owned();
    drop(workspace);
    let workspace = Workspace::open(&path).unwrap().with_graph_behind(|graph| {
        let graph = Arc::new(CountingGraph::new(graph));
        *kept.lock().unwrap() = Some(graph.clone());
        graph
    });
    let graph: Arc<CountingGraph> = counting.lock().unwrap().take().unwrap();
    let embedder = Arc::new(CountingEmbedder::new(embedder().await));
    let seen = Arc::new(Mutex::new(Grounding::default()));
    let (sink_seen, sink_graph, sink_embedder) = (seen.clone(), graph.clone(), embedder.clone());
    let sink = move |event: &quipu_answer::TimedEvent| {
        if let Event::Scored { candidates } = &event.event {
            *sink_seen.lock().unwrap() = Grounding {
                relations_of: sink_graph.relations_of(),
                expands: sink_graph.expands().len(),
                embedded: sink_embedder.texts(),
                candidates: candidates.len(),
            };
        }
    };
    let model = ScriptedModel::new()
        .always("link.keywords", r#"{"keywords": ["Springfield"]}"#)
        .always("critique.supervisor", "yes")
        .always("compose", common::composed("\"Orle\""));
    let engine = Engine::new(Arc::new(workspace), Some(Arc::new(model)), Some(embedder)).unwrap();
    let options = AskOptions {
        method: Method::Anchor,
        config: MethodConfig { anchor: config, ..MethodConfig::default() },
        sink: Some(Arc::new(sink)),
        keep_trace: true,
        ..AskOptions::default()
    };
    let question =
        Question::new("which river is in Springfield?", "2024-02-28T12:00:00[UTC]".parse().unwrap());
    let answer = engine.ask(&question.unwrap(), &options).await.unwrap();
    drop(folder);
    let seen = seen.lock().unwrap().clone();
    (answer, seen)
}

fn by_similarity() -> AnchorConfig {
    AnchorConfig { guide: Guide::Similarity, triple_filter: false, width: 9, ..AnchorConfig::default() }
}

#[tokio::test]
async fn three_hundred_candidates_are_grounded_by_one_call_of_the_graph_and_one_of_the_embedder() {
    let (_, seen) = grounding(300, AnchorConfig { candidates: 300, ..by_similarity() }).await;
    assert_eq!(seen.relations_of, [300], "one call for all candidates");
    assert_eq!(seen.expands, 0);
    // The question and the candidates' relations, each once, in one call.
    assert_eq!(seen.embedded.len(), 1, "{seen:?}");
    assert!(seen.embedded[0] <= 3, "{seen:?}");
    assert_eq!(seen.candidates, 300);
}

#[tokio::test]
async fn of_ten_thousand_namesakes_only_as_many_are_looked_at_as_is_said() {
    let (answer, seen) = grounding(10_000, by_similarity()).await;
    assert_eq!(seen.relations_of, [10], "ten candidates a keyword");
    assert_eq!(seen.candidates, 10);
    let told = answer.notes.iter().find_map(|note| match note {
        Note::Homonyms { others, reason, .. } => Some((others.len(), reason.clone())),
        _ => None,
    });
    let (others, reason) = told.expect("namesakes are told of");
    assert_eq!(others, 9);
    assert!(!reason.is_empty());
}

/// Only following the pseudo-graph finds an answer.
fn followed() -> PseudoConfig {
    PseudoConfig { verification: Verification::Similarity, ..PseudoConfig::default() }
}

/// Our planner by paths.
fn pseudo(config: PseudoConfig) -> MethodConfig {
    MethodConfig { pseudo: config, planner: Planner::Paths, ..MethodConfig::default() }
}

/// The paper's rounds, with an abstention if they find nothing.
fn silent(guide: Guide) -> AnchorConfig {
    AnchorConfig { guide, model_alone: false, ..AnchorConfig::default() }
}

/// Asks over a graph behind `before`; returns the model's requests and those to the graph.
async fn asked(
    setting: &Setting,
    model: ScriptedModel,
    question: &str,
    options: AskOptions,
) -> (Answer, Arc<ScriptedModel>, Arc<CountingGraph>) {
    let (answer, model, graph) = outcome(setting, model, question, options).await;
    (answer.unwrap(), model, graph)
}

/// The same if there may be no answer.
async fn outcome(
    setting: &Setting,
    model: ScriptedModel,
    question: &str,
    options: AskOptions,
) -> (Result<Answer, AnswerError>, Arc<ScriptedModel>, Arc<CountingGraph>) {
    let mut counting = None;
    let workspace = Workspace::open(setting.workspace.folder()).unwrap().with_graph_behind(|graph| {
        let graph = Arc::new(CountingGraph::new(graph));
        counting = Some(graph.clone());
        graph
    });
    let model = Arc::new(model);
    let engine = Engine::new(Arc::new(workspace), Some(model.clone()), Some(embedder().await)).unwrap();
    let question = Question::new(question, "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
    let answer = engine.ask(&question, &AskOptions { keep_trace: true, ..options }).await;
    (answer, model, counting.unwrap())
}

#[tokio::test]
async fn pseudo_looks_at_few_of_ten_thousand_namesakes() {
    let setting = setting_from("towns.nt", &springfields(10_000)).await;
    let belief = "CREATE (s:Town {name: 'Springfield'})-[:MAYOR]->(answer:Person {name: '?'})";
    let model = ScriptedModel::new().on("plan.pseudo", belief);
    let options = AskOptions { method: Method::Pseudo, config: pseudo(followed()), ..AskOptions::default() };
    let (answer, model, graph) = asked(&setting, model, "who is the mayor of Springfield?", options).await;
    assert_eq!((answer.status, answer.grounded), (Status::Answered, true), "{answer:#?}");
    assert_eq!(model.calls(), 1);
    assert!(graph.relations_of().iter().all(|nodes| *nodes <= 20), "{:?}", graph.relations_of());
    assert!(answer.evidence.len() <= 10, "{}", answer.evidence.len());
}

/// A town with three thousand films, which the graph claims to be a million.
async fn hub() -> Setting {
    let mut triples = String::new();
    for film in 0..3000 {
        triples.push_str(&format!("Film number {film}\tfilmed_in\tRotterdam\n"));
    }
    for what in 0..60 {
        triples.push_str(&format!("Rotterdam\trelation_{what}\tvalue {what}\n"));
    }
    setting(&triples).await
}

async fn asked_hub(
    model: ScriptedModel,
    options: AskOptions,
) -> (Answer, Arc<ScriptedModel>, Arc<CountingGraph>) {
    let setting = hub().await;
    let mut counting = None;
    let workspace = Workspace::open(setting.workspace.folder()).unwrap().with_graph_behind(|graph| {
        let graph = Arc::new(CountingGraph::new(graph).claiming(3000, 1_000_000));
        counting = Some(graph.clone());
        graph
    });
    let model = Arc::new(model);
    let engine = Engine::new(Arc::new(workspace), Some(model.clone()), Some(embedder().await)).unwrap();
    let question = "which films were filmed in Rotterdam?";
    let question = Question::new(question, "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
    let answer = engine.ask(&question, &AskOptions { keep_trace: true, ..options }).await.unwrap();
    (answer, model, counting.unwrap())
}

/// The number of lines of the longest list in requests of `stage`, and the length of the longest
/// such request in characters.
fn shown(model: &ScriptedModel, stage: &str) -> (usize, usize) {
    let requests: Vec<_> = model.requests().into_iter().filter(|r| r.stage.starts_with(stage)).collect();
    let of = |text: &str| text.lines().filter(|line| line.contains(". ")).count();
    let last = |r: &quipu_model::ChatRequest| r.messages.last().unwrap().content.clone();
    let lines = requests.iter().map(|r| of(&last(r))).max().unwrap_or_default();
    (lines, requests.iter().map(|r| last(r).len()).max().unwrap_or_default())
}

#[tokio::test]
async fn of_a_million_neighbours_anchor_asks_for_few_and_shows_fewer() {
    let model = ScriptedModel::new()
        .always("link.keywords", r#"{"keywords": ["Rotterdam"]}"#)
        .always("prune.relations", r#"{"numbers": [1, 2, 3]}"#)
        .always("prune.entities", r#"{"numbers": [1, 2, 3]}"#)
        .always("prune.triples", r#"{"numbers": [1, 2, 3]}"#)
        .always("critique.supervisor", "yes")
        .always("compose", common::composed("\"Film number 1\""));
    let anchor = AnchorConfig { shown: 15, guide: Guide::Model, ..AnchorConfig::default() };
    let config = MethodConfig { anchor, ..MethodConfig::default() };
    let (_, model, graph) =
        asked_hub(model, AskOptions { method: Method::Anchor, config, ..AskOptions::default() }).await;
    assert!(graph.expands().iter().all(|limit| *limit <= 500), "{:?}", graph.expands());
    // All relations that fit the prompt; the stated number of entities and triples.
    for (stage, most) in [("prune.relations", 61), ("prune.entities", 15), ("prune.triples", 15)] {
        let (lines, characters) = shown(&model, stage);
        assert!(
            model.calls_of(stage) > 0 && lines <= most && characters < 4000,
            "{stage}: {lines}, {characters}"
        );
    }
    // The prompt of the composition fits the evidence budget.
    assert!(shown(&model, "compose").1 < 20_000);
}

#[tokio::test]
async fn of_a_million_neighbours_pseudo_asks_for_few_and_its_evidence_fits() {
    let belief = "CREATE (r:Town {name: 'Rotterdam'})<-[:FILMED_IN]-(answer:Film {name: '?'})";
    let model = ScriptedModel::new()
        .on("plan.pseudo", belief)
        .always("compose", common::composed("\"Film number 1\""));
    let config = pseudo(PseudoConfig { always_compose: true, ..followed() });
    let (answer, model, graph) =
        asked_hub(model, AskOptions { method: Method::Pseudo, config, ..AskOptions::default() }).await;
    assert!(graph.expands().iter().all(|limit| *limit <= 200), "{:?}", graph.expands());
    assert_eq!(model.calls_of("compose"), 1);
    assert!(shown(&model, "compose").1 < 20_000, "{}", shown(&model, "compose").1);
    assert!(answer.evidence.len() <= 600);
    let shown_relations = model.requests()[0].messages.last().unwrap().content.matches(';').count();
    assert!(shown_relations <= 24, "{shown_relations}");
}

#[tokio::test]
async fn an_entity_without_relations_is_an_abstention_and_nothing_is_composed() {
    let triples = format!(
        "<http://x/a> {LABEL} \"Lonely Hill\" .\n<http://x/b> {LABEL} \"Orle\" .\n<http://x/b> <http://x/in> <http://x/c> .\n"
    );
    let setting = setting_from("hills.nt", &triples).await;
    let question = "which river springs from Lonely Hill?";
    for method in [Method::Anchor, Method::Pseudo] {
        for (planner, guide) in [
            (Planner::Published, Guide::Model),
            (Planner::Published, Guide::Similarity),
            (Planner::Paths, Guide::Model),
        ] {
            let model = ScriptedModel::new()
                .always("link.keywords", r#"{"keywords": ["Lonely Hill"]}"#)
                .always(
                    "plan.pseudo",
                    "CREATE (h:Hill {name: 'Lonely Hill'})-[:SOURCE_OF]->(answer:River {name: '?'})",
                )
                .when(|r| (r.stage == "plan.card").then(|| Scripted::from("{}")));
            let anchor = silent(guide);
            let pseudo = PseudoConfig { whole: 0, model_alone: false, ..PseudoConfig::default() };
            let config = MethodConfig { anchor, pseudo, planner, ..MethodConfig::default() };
            let options = AskOptions { method, config, ..AskOptions::default() };
            let (answer, model, _) = asked(&setting, model, question, options).await;
            assert_eq!(answer.status, Status::Abstained, "{method:?} {planner:?}: {answer:#?}");
            assert_eq!(model.calls_of("compose"), 0, "{method:?} {planner:?}");
        }
    }
}

#[tokio::test]
async fn circles_and_loops_end_for_pseudo_too() {
    let setting =
        setting("A1 Road\tjoins\tB2 Road\nB2 Road\tjoins\tC3 Road\nC3 Road\tjoins\tA1 Road\nA1 Road\tjoins\tA1 Road\n")
            .await;
    // A chain longer than the cycle, a loop, and a cycle of unknown nodes.
    let belief = "CREATE (a:Road {name: 'A1 Road'})-[:JOINS]->(b:Road {name: '?'})-[:JOINS]->(c:Road {name: '?'})-[:JOINS]->(d:Road {name: '?'})-[:JOINS]->(b), (d)-[:JOINS]->(answer:Road {name: '?'}), (a)-[:JOINS]->(a)";
    let model = ScriptedModel::new()
        .on("plan.pseudo", belief)
        .always("critique.verify", r#"{"edits": [], "add": []}"#)
        .always("compose", common::composed("\"B2 Road\""));
    let options = AskOptions { method: Method::Pseudo, config: pseudo(followed()), ..AskOptions::default() };
    let (answer, model, graph) = asked(&setting, model, "what does A1 Road lead to?", options).await;
    assert!(answer.answers.iter().all(|road| road.ends_with("Road")), "{answer:#?}");
    assert!(model.calls() <= 3);
    assert!(graph.expands().len() <= 40, "{}", graph.expands().len());
}

#[tokio::test]
async fn relations_and_values_that_the_model_invents_do_not_reach_the_answer() {
    let setting = setting(FILMS).await;
    let belief = "CREATE (k:Film {name: 'Kauwboy'})-[:WON_PRIZE_OF_MOON]->(p:Prize {name: 'Golden Moon'})";
    let model = ScriptedModel::new()
        .on("plan.pseudo", belief)
        .always("critique.verify", r#"{"edits": [{"triple": "P1", "rows": ["E0"]}], "add": []}"#)
        .always("compose", common::composed("\"Golden Moon\""));
    let options = AskOptions { method: Method::Pseudo, config: pseudo(followed()), ..AskOptions::default() };
    let (answer, ..) = asked(&setting, model, "which prize did Kauwboy win?", options).await;
    assert_eq!((answer.status, answer.answers.len()), (Status::Abstained, 0), "{answer:#?}");
    assert!(answer.reason.unwrap().contains("Golden Moon"));
    // A number that is not on the list chooses nothing.
    let model = ScriptedModel::new()
        .always("link.keywords", r#"{"keywords": ["Kauwboy"]}"#)
        .always("prune.relations", r#"{"numbers": [77, 78]}"#)
        .always("prune.entities", r#"{"numbers": [99]}"#)
        .always("prune.triples", r#"{"numbers": [1, 500]}"#)
        .always("critique.supervisor", "yes")
        .always("compose", common::composed("\"Golden Moon\""));
    let anchor = AnchorConfig { predictor: Predictor::Model, ..silent(Guide::Model) };
    let config = MethodConfig { anchor, ..MethodConfig::default() };
    let limits = Limits { llm_calls: 60, ..Limits::default() };
    let options = AskOptions { method: Method::Anchor, config, limits, ..AskOptions::default() };
    let (answer, ..) = asked(&setting, model, "which prize did Kauwboy win?", options).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
}

#[tokio::test]
async fn no_method_composes_from_nothing() {
    let setting = setting(FILMS).await;
    let belief = "CREATE (q:Quorum {name: 'Zzyzx Quorum'})<-[:PRESIDES_OVER]-(answer:Person {name: '?'})";
    // These methods answer from the model's own knowledge on purpose.
    let alone = [Method::Io, Method::Cot, Method::SelfConsistency];
    for method in Method::ALL.iter().filter(|method| !alone.contains(method)) {
        let model = ScriptedModel::new()
            .always("plan.pseudo", belief)
            .always("link.keywords", r#"{"keywords": ["Zzyzx Quorum"]}"#)
            .when(|request| (!request.stage.starts_with("compose")).then(|| Scripted::from("{}")));
        // A small graph is used as a whole by default; this setting prevents it.
        let pseudo = PseudoConfig { whole: 0, model_alone: false, ..PseudoConfig::default() };
        let mut config = MethodConfig { pseudo, anchor: silent(Guide::Model), ..MethodConfig::default() };
        config.question_match.whole = 0;
        let options = AskOptions { method: *method, config, ..AskOptions::default() };
        let (answer, model, _) = asked(&setting, model, "who presides over the Zzyzx Quorum?", options).await;
        assert_ne!(answer.status, Status::Answered, "{method:?}: {answer:#?}");
        assert_eq!(model.calls_of("compose"), 0, "{method:?}");
    }
}

#[tokio::test]
async fn when_the_time_is_over_the_best_that_was_found_is_given_and_marked() {
    let setting = setting(FILMS).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), common::CARDS).unwrap();
    for method in [Method::Pseudo, Method::Kerag, Method::Anchor] {
        let late = || Scripted::Late(std::time::Duration::from_secs(60), "{}".into());
        let model = ScriptedModel::new().when(move |_| Some(late()));
        // A tenth of the time is kept for the fallback: planning runs in an unoptimised build,
        // beside other tests.
        let limits = Limits { time: std::time::Duration::from_secs(20), ..Limits::default() };
        let mut options = AskOptions { method, limits, ..AskOptions::default() };
        options.config.fallback = true;
        let (answer, ..) = asked(&setting, model, "who directed Kauwboy?", options).await;
        assert_eq!(answer.answers, ["Boudewijn Koole"], "{method:?}: {answer:#?}");
        let marked = |note: &Note| matches!(note, Note::Fallback { .. });
        assert!(answer.grounded && answer.notes.iter().any(marked), "{method:?}: {:?}", answer.notes);
    }
}

fn explored(answer: &Answer) -> usize {
    let events = answer.trace.as_deref().unwrap_or_default();
    let anchors = events.iter().filter_map(|timed| match &timed.event {
        Event::Explored { anchor, .. } => Some(anchor.clone()),
        _ => None,
    });
    anchors.collect::<std::collections::HashSet<String>>().len()
}

#[tokio::test]
async fn m_is_the_number_of_retrievers() {
    let setting = setting(FILMS).await;
    let question = "which years are those of Kauwboy, Tonio, Disappearance and Zus & Zo?";
    for m in 1..=4 {
        let model = ScriptedModel::new()
            .always("link.keywords", r#"{"keywords": ["Kauwboy", "Tonio", "Disappearance", "Zus & Zo"]}"#)
            .always("critique.supervisor", "yes")
            .always("compose", common::composed("\"2012\""));
        let anchor = AnchorConfig { anchors: m, ..by_similarity() };
        let config = MethodConfig { anchor, ..MethodConfig::default() };
        let options = AskOptions { method: Method::Anchor, config, ..AskOptions::default() };
        let (answer, ..) = asked(&setting, model, question, options).await;
        assert_eq!(explored(&answer), m);
    }
}

/// Scores of the candidates as grounding by relations gave them.
fn scores(answer: &Answer) -> Vec<String> {
    let events = answer.trace.as_deref().unwrap_or_default();
    let scored = events.iter().find_map(|timed| match &timed.event {
        Event::Scored { candidates } => Some(candidates),
        _ => None,
    });
    scored.into_iter().flatten().map(|candidate| format!("{:.3}", candidate.score)).collect()
}

#[tokio::test]
async fn k_and_the_kind_of_grounding_change_the_scores() {
    let setting = setting(FILMS).await;
    let mut seen = std::collections::BTreeMap::new();
    let kinds = [
        ("k=1", AnchorConfig { relations_scored: 1, ..by_similarity() }),
        ("k=3", AnchorConfig { relations_scored: 3, ..by_similarity() }),
        ("k=4", AnchorConfig { relations_scored: 4, ..by_similarity() }),
        ("fused", AnchorConfig { grounding: quipu_answer::AnchorGrounding::Fused, ..by_similarity() }),
        ("off", AnchorConfig { grounding: quipu_answer::AnchorGrounding::Off, ..by_similarity() }),
    ];
    for (name, anchor) in kinds {
        let model = ScriptedModel::new()
            .always("link.keywords", r#"{"keywords": ["Kauwboy"]}"#)
            .always("critique.supervisor", "yes")
            .always("compose", common::composed("\"2012\""));
        let config = MethodConfig { anchor, ..MethodConfig::default() };
        let options = AskOptions { method: Method::Anchor, config, ..AskOptions::default() };
        let (answer, ..) = asked(&setting, model, "in which year did Kauwboy come out?", options).await;
        seen.insert(name, scores(&answer));
    }
    // Without grounding nothing is scored.
    assert!(seen["off"].is_empty());
    let distinct: std::collections::HashSet<&Vec<String>> = seen.values().collect();
    assert_eq!(distinct.len(), seen.len(), "{seen:?}");
}

#[tokio::test]
async fn switches_of_pseudo_change_what_is_looked_up() {
    let setting = setting(FILMS).await;
    // Nothing can be followed, so all triples are compared by meaning.
    let belief = "CREATE (k:Film {name: 'Kauwboy', prize: 'Moon', mood: 'sad'})";
    let ask = async |config: PseudoConfig| {
        let model = ScriptedModel::new()
            .on("plan.pseudo", belief)
            .always("critique.verify", r#"{"edits": [], "add": []}"#)
            .always("compose", common::composed("\"2012\""));
        let config = pseudo(PseudoConfig { verification: Verification::Similarity, ..config });
        let options = AskOptions { method: Method::Pseudo, config, ..AskOptions::default() };
        let (answer, model, _) = asked(&setting, model, "when did Kauwboy come out?", options).await;
        let retrieved = answer.trace.unwrap_or_default().into_iter().find_map(|timed| match timed.event {
            Event::Retrieved { evidence, .. } => Some(evidence),
            _ => None,
        });
        (retrieved.unwrap_or_default(), model.requests()[0].messages.last().unwrap().content.clone())
    };
    let usual = ask(PseudoConfig::default()).await;
    assert!(ask(PseudoConfig { nearest: 1, ..PseudoConfig::default() }).await.0 < usual.0);
    assert!(usual.1.contains("Relations in the sources"));
    assert!(
        !ask(PseudoConfig { relations: 0, ..PseudoConfig::default() })
            .await
            .1
            .contains("Relations in the sources")
    );
}

#[tokio::test]
async fn calls_and_time_are_limited_for_every_method() {
    let setting = setting(FILMS).await;
    for method in Method::ALL {
        let model = ScriptedModel::new().when(|_| Some(Scripted::from("{}")));
        let limits = Limits { llm_calls: 1, ..Limits::default() };
        let options = AskOptions { method: *method, limits, ..AskOptions::default() };
        let (answer, model, _) = asked(&setting, model, "who directed Kauwboy?", options).await;
        assert!(model.calls() <= 1 && answer.usage.llm_calls <= 1, "{method:?}: {}", model.calls());
        let late = || Scripted::Late(std::time::Duration::from_secs(600), "{}".into());
        let model = ScriptedModel::new().when(move |_| Some(late()));
        let limits = Limits { time: std::time::Duration::from_secs(1), ..Limits::default() };
        let options = AskOptions { method: *method, limits, ..AskOptions::default() };
        let (answer, ..) = outcome(&setting, model, "who directed Kauwboy?", options).await;
        // An answer, marked as the model's own, or the model's failure; it always ends.
        let answer = match answer {
            Err(error) => {
                let late = matches!(error, AnswerError::Model(ModelError::TimedOut { .. }));
                assert!(late, "{method:?}: {error}");
                continue;
            }
            Ok(answer) => answer,
        };
        let marked = answer.notes.iter().any(|note| matches!(note, Note::Limit { .. }));
        assert!(marked || answer.usage.llm_calls == 0, "{method:?}: {answer:#?}");
    }
}

/// The year of another painting by the same painter is a path, and no answer.
#[tokio::test]
async fn a_path_that_is_doubted_does_not_stand_for_a_model_that_is_late() {
    let museum = setting_from(
        "museum.ttl",
        "@prefix : <http://museum.test/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
         :Painting rdfs:label \"painting\" . :Artist rdfs:label \"artist\" .\n\
         :plums a :Painting ; rdfs:label \"Three Plums\" ; :paintedBy :ada .\n\
         :barge a :Painting ; rdfs:label \"Red Barge\" ; :paintedBy :ada ; :year 1867 .\n\
         :ada a :Artist ; rdfs:label \"Ada Lee\" .\n",
    )
    .await;
    let late = || Scripted::Late(std::time::Duration::from_secs(600), "{}".into());
    let limits = Limits { time: std::time::Duration::from_secs(3), ..Limits::default() };
    let asked = async |question: &str, method: Method| {
        let options = AskOptions { method, limits, ..AskOptions::default() };
        outcome(&museum, ScriptedModel::new().when(move |_| Some(late())), question, options).await.0
    };
    let question = "In which year was Three Plums painted?";
    let by_path = asked(question, Method::Paths).await.unwrap();
    assert_eq!(by_path.answers, ["1867"], "{by_path:#?}");
    match asked(question, Method::Auto).await {
        Ok(answer) => assert_eq!(answer.status, Status::Abstained, "{answer:#?}"),
        Err(error) => assert!(matches!(error, AnswerError::Model(_)), "{error}"),
    }
}

#[tokio::test]
async fn a_triple_index_finds_what_no_name_leads_to() {
    let setting = setting(FILMS).await;
    let belief = "CREATE (x:Film {name: 'Zzyzx', running_minutes: 92})";
    let ask = async || {
        let model = ScriptedModel::new()
            .on("plan.pseudo", belief)
            .always("compose", common::composed("\"Zus & Zo\""));
        let config = pseudo(PseudoConfig {
            whole: 0,
            least_similarity: 0.4,
            verification: Verification::Similarity,
            ..PseudoConfig::default()
        });
        let options = AskOptions { method: Method::Pseudo, config, ..AskOptions::default() };
        asked(&setting, model, "which one takes ninety-two?", options).await.0
    };
    assert_eq!(ask().await.status, Status::Abstained);
    let never = std::sync::atomic::AtomicBool::new(false);
    let folder = setting.workspace.folder();
    Workspace::index_triples(folder, embedder().await.as_ref(), None, &never).await.unwrap();
    let answer = ask().await;
    // The triple most similar of all; the question does not say whose it is.
    assert_eq!(answer.answers, ["Zus & Zo"], "{answer:#?}");
}

#[tokio::test]
async fn the_least_similarity_decides_what_merely_sounds_alike() {
    let setting = setting(FILMS).await;
    let belief = "CREATE (x:Film {name: 'Zzyzx', running_minutes: 92})";
    let kept = async |least: f32| {
        let model = ScriptedModel::new()
            .on("plan.pseudo", belief)
            .always("compose", common::composed("\"Disappearance\""));
        let verification = Verification::Similarity;
        let config =
            pseudo(PseudoConfig { least_similarity: least, verification, ..PseudoConfig::default() });
        let options = AskOptions { method: Method::Pseudo, config, ..AskOptions::default() };
        let (answer, ..) = asked(&setting, model, "which one takes ninety-two?", options).await;
        answer.trace.unwrap_or_default().into_iter().find_map(|timed| match timed.event {
            Event::Filtered { kept, by, .. } if by == "similarity" => Some(kept.len()),
            _ => None,
        })
    };
    assert_eq!((kept(0.3).await, kept(0.99).await), (Some(1), Some(0)), "one pseudo-subject, one entity");
}
