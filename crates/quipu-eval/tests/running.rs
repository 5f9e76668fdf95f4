//! Runs over a small graph with a scripted model: every question counts, a killed run is resumed, a
//! replay equals the run.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test ends where something fails"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use quipu_answer::{AskOptions, Engine, Limits, Method};
use quipu_eval::{
    AnchorSetting, Budget, Ended, ErrorClass, GoldQuestion, HeadToTailConfig, Judge, LearntFiles, Manifest,
    ModelJudge, PreparedQuestion, Results, ResultsFolder, Row, RunConfig, Selection, Verdict, WorkspaceFacts,
    head_to_tail, prepare, prompt_hashes, read_questions, run,
};
use quipu_graph::{ImportConfig, Input};
use quipu_index::{ImportRequest, Workspace};
use quipu_model::{CacheMode, CachedModel, LanguageModel, ModelError, Scripted, ScriptedModel};

const PLACES: &str = r#"
@prefix geo: <https://example.org/geo/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .

geo:capital rdfs:label "capital" .
geo:neighbour rdfs:label "neighbouring country" .

geo:peru rdfs:label "Peru" ; skos:altLabel "Piruw" ; geo:capital geo:lima ; geo:neighbour geo:bolivia, geo:chile .
geo:bolivia rdfs:label "Bolivia" ; geo:capital geo:sucre ; geo:neighbour geo:peru .
geo:chile rdfs:label "Chile" ; geo:capital geo:santiago ; geo:neighbour geo:peru .
geo:lima rdfs:label "Lima" ; skos:altLabel "Ciudad de los Reyes" .
geo:limaohio rdfs:label "Lima" .
geo:sucre rdfs:label "Sucre" .
geo:santiago rdfs:label "Santiago" .
"#;

struct Bench {
    folder: tempfile::TempDir,
    workspace: Arc<Workspace>,
}

impl Bench {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("places.ttl");
        std::fs::write(&file, PLACES).unwrap();
        let path = folder.path().join("workspace");
        let graph = ImportConfig::new("places", vec![Input::File(file)]);
        Workspace::import(&path, &ImportRequest { graph, embedder: None, progress: None }).await.unwrap();
        let workspace = Arc::new(Workspace::open(&path).unwrap());
        Self { folder, workspace }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn engine(&self, model: impl LanguageModel + 'static) -> Engine {
        Engine::new(self.workspace.clone(), Some(Arc::new(model)), None).unwrap()
    }

    async fn prepared(&self, questions: &[GoldQuestion]) -> Vec<PreparedQuestion> {
        prepare(&[&*self.workspace], questions, None).await.unwrap()
    }

    fn manifest(&self, questions: usize) -> Manifest {
        Manifest {
            format: quipu_eval::RESULTS_FORMAT,
            quipu: "0".into(),
            began: "2026-01-01T00:00:00Z".into(),
            command: Vec::new(),
            workspace: WorkspaceFacts::of(&self.workspace, &LearntFiles::default()),
            sources: Vec::new(),
            datasets: Vec::new(),
            selection: Selection { questions, ..Selection::default() },
            methods: vec!["io".into()],
            llms: Vec::new(),
            embedder: String::new(),
            anchors: AnchorSetting::Open,
            settings: Default::default(),
            prompts: prompt_hashes(),
            judge: "none".into(),
            judge_agreement: None,
            seed: 0,
            parallel: 1,
            unknown_gold: 0,
        }
    }
}

fn question(id: &str, text: &str, answers: &[&str]) -> GoldQuestion {
    GoldQuestion {
        id: id.into(),
        question: text.into(),
        answers: answers.iter().map(|answer| (*answer).to_owned()).collect(),
        ..GoldQuestion::default()
    }
}

fn capitals() -> Vec<GoldQuestion> {
    vec![
        question("1", "What is the capital of Peru?", &["Lima"]),
        question("2", "What is the capital of Chile?", &["Santiago"]),
        question("3", "What is the capital of Bolivia?", &["Sucre"]),
    ]
}

fn config(engine: &Engine, method: Method) -> RunConfig<'_> {
    RunConfig {
        engine,
        options: AskOptions { method, ..AskOptions::default() },
        llm: engine.model_name().into(),
        anchors: AnchorSetting::Open,
        oracle: false,
        now: "2026-01-01T00:00:00[UTC]".parse().unwrap(),
        judge: None,
        parallel: 1,
        measured: None,
    }
}

/// Answers from memory, like a model without a graph.
fn knows_capitals() -> ScriptedModel {
    ScriptedModel::new().when(|request| {
        let asked = &request.messages.last()?.content;
        let known = [("Peru", "Lima"), ("Chile", "Santiago"), ("Bolivia", "La Paz")];
        let (_, capital) = known.iter().find(|(country, _)| asked.contains(country))?;
        Some(format!(r#"{{"answers": ["{capital}"]}}"#).into())
    })
}

async fn rows(config: &RunConfig<'_>, questions: &[PreparedQuestion]) -> Vec<Row> {
    run(config, questions, &[], None, &mut Budget::default(), |_| {}).await.unwrap().rows
}

#[tokio::test]
async fn the_oracle_is_told_the_answers_of_each_question() {
    let bench = Bench::new().await;
    let extracted = r#"{"entities": [{"name": "Peru", "category": "country"}], "relations": ["capital"]}"#;
    let composed = r#"{"reasoning": "By the rows.", "status": "answered", "rows": [], "operation": "none",
        "answers": ["Lima"]}"#;
    let model = ScriptedModel::new()
        .always("plan.type", "simple")
        .always("plan.dynamism", "static")
        .always("plan.extract", extracted)
        .always("compose", composed);
    let model = Arc::new(model);
    let engine = Engine::new(bench.workspace.clone(), Some(model.clone()), None).unwrap();
    let with_key = |of: GoldQuestion, key: &str| GoldQuestion { answer_ids: vec![key.into()], ..of };
    let questions = [
        with_key(question("1", "What is the capital of Peru?", &["Lima"]), "https://example.org/geo/lima"),
        with_key(
            question("2", "What is the capital of Chile?", &["Santiago"]),
            "https://example.org/geo/santiago",
        ),
    ];
    let mut with_oracle = RunConfig { oracle: true, ..config(&engine, Method::Hybrid) };
    with_oracle.options.config.hybrid.rounds = 2;
    let rows = rows(&with_oracle, &bench.prepared(&questions).await).await;
    assert!(rows.iter().all(|row| row.answers == ["Lima"]), "{rows:#?}");
    // The first is accepted at once, the second never; the model validates neither.
    assert_eq!((model.calls_of("compose"), model.calls_of("critique.validate")), (3, 0));
}

#[tokio::test]
async fn every_question_gets_a_row_with_score_verdict_and_cost() {
    let bench = Bench::new().await;
    let engine = bench.engine(knows_capitals());
    let rows = rows(&config(&engine, Method::Io), &bench.prepared(&capitals()).await).await;
    let hits: Vec<f64> = rows.iter().map(|row| row.score.hit_at_1).collect();
    assert_eq!(hits, [1.0, 1.0, 0.0]);
    assert_eq!((rows[2].judged.verdict, rows[2].judged.by), (Verdict::Hallucination, Judge::Rule));
    assert_eq!(rows[2].error, Some(ErrorClass::Retrieval), "io looks nothing up");
    assert!(rows.iter().all(|row| row.cost.llm_calls == 1 && row.cost.prompt_tokens > 0 && !row.grounded));
    assert_eq!(rows[0].cost.by_stage["compose"].llm_calls, 1);
    assert_eq!((rows[0].linked, rows[0].anchors.as_ref()), (None, None), "io links nothing");
}

/// Two questions in the form of a question file with rows, and one without an answer.
const ROWS: &str = r#"{"id": "r1", "question": "How many neighbours has each country?", "kind": "group_by", "answers": ["Peru", "Chile"], "aliases": [["Peru", "2", "51"], ["Chile", "1", "56"]], "table": [["Peru", 2], ["Chile", 1]], "sql": "SELECT country, COUNT(*) FROM neighbour GROUP BY country"}
{"id": "r2", "question": "What is the alignment of Lima?", "kind": "list", "answers": ["trueNeutral"], "aliases": [["https://example.org/geo/trueNeutral", "trueNeutral"]], "sparql": "SELECT ?x WHERE { ?s ?p ?x }"}
"#;

#[tokio::test]
async fn rows_are_scored_by_keys_and_wrong_answers_are_counted() {
    let bench = Bench::new().await;
    let read = |name: &str, text: &str| {
        std::fs::write(bench.path(name), text).unwrap();
        read_questions(&bench.path(name), None).unwrap().questions
    };
    let mut questions = read("questions.jsonl", ROWS);
    let silence = r#"{"id": "u1", "question": "Who rules Atlantis?", "answers": []}"#;
    questions.extend(read("unanswerable.jsonl", silence));
    let prepared = bench.prepared(&questions).await;
    let engine = bench.engine(ScriptedModel::new().when(|request| {
        let asked = &request.messages.last()?.content;
        let reply = match asked {
            asked if asked.contains("neighbours") => r#"{"answers": ["51", "Bolivia"]}"#,
            asked if asked.contains("alignment") => r#"{"answers": ["true neutral"]}"#,
            _ => r#"{"answers": ["Neptune"]}"#,
        };
        Some(reply.into())
    }));
    let rows = rows(&config(&engine, Method::Io), &prepared).await;
    let told: Vec<(f64, f64, Option<f64>, bool)> = rows
        .iter()
        .map(|row| {
            (row.score.hit_at_1, row.score.f1, row.score.rows.map(|r| r.f1), row.is_answered_wrongly())
        })
        .collect();
    // Peru's id is its key; a row without the number is incomplete.
    assert_eq!(told[0], (1.0, 0.5, Some(0.0), false));
    assert_eq!(told[1], (1.0, 1.0, Some(1.0), false));
    assert_eq!(told[2], (0.0, 0.0, Some(0.0), true));
    let kinds: Vec<Option<&str>> = rows.iter().map(|row| row.kind.as_deref()).collect();
    assert_eq!(kinds, [Some("group_by"), Some("list"), Some("unanswerable")]);
}

#[tokio::test]
async fn failures_crashes_and_timeouts_are_zeros_that_say_why() {
    let bench = Bench::new().await;
    let model = ScriptedModel::new().when(|request| {
        let asked = &request.messages.last()?.content;
        if asked.contains("Peru") {
            return Some(ModelError::Engine { model: "m".into(), reason: "out of memory".into() }.into());
        }
        if asked.contains("Chile") {
            panic!("a defect");
        }
        Some(Scripted::Late(Duration::from_secs(3600), "{}".into()))
    });
    let engine = bench.engine(model);
    let mut config = config(&engine, Method::Io);
    config.options.limits = Limits { time: Duration::from_millis(40), ..Limits::default() };
    let rows = rows(&config, &bench.prepared(&capitals()).await).await;
    assert!(rows.iter().all(|row| row.score.hit_at_1 == 0.0 && row.is(Verdict::Missing)), "{rows:#?}");
    let ended: Vec<(Ended, Option<ErrorClass>)> = rows.iter().map(|row| (row.ended, row.error)).collect();
    assert_eq!(ended[0], (Ended::Failed, Some(ErrorClass::Failed)));
    assert_eq!(ended[1], (Ended::Failed, Some(ErrorClass::Failed)));
    assert_eq!(ended[2].1, Some(ErrorClass::TimedOut));
    assert!(rows[0].reason.as_ref().unwrap().contains("out of memory"));
    assert!(rows[1].reason.as_ref().unwrap().contains("crashed"));
}

#[tokio::test]
async fn a_resumed_run_asks_no_question_again() {
    let bench = Bench::new().await;
    let questions = bench.prepared(&capitals()).await;
    let manifest = bench.manifest(3);
    let path = bench.path("results");
    let engine = bench.engine(knows_capitals());
    let config = config(&engine, Method::Io);
    let (mut folder, _, done) =
        ResultsFolder::open(&path, &manifest, &LearntFiles::default(), false).unwrap();
    let mut budget = Budget { calls: Some(1), spent: 0 };
    let first = run(&config, &questions, &done, Some(&mut folder), &mut budget, |_| {}).await.unwrap();
    assert_eq!((first.rows.len(), first.left, budget.spent), (1, 2, 1), "the budget ends it");
    drop(folder);

    let model = Arc::new(knows_capitals());
    let engine = Engine::new(bench.workspace.clone(), Some(model.clone()), None).unwrap();
    let config = RunConfig { engine: &engine, ..config };
    let (mut folder, _, done) = ResultsFolder::open(&path, &manifest, &LearntFiles::default(), true).unwrap();
    let mut seen = Vec::new();
    let mut unlimited = Budget::default();
    let see = |row: &Row| seen.push(row.id.clone());
    let whole = run(&config, &questions, &done, Some(&mut folder), &mut unlimited, see).await.unwrap();
    assert_eq!((whole.rows.len(), model.calls()), (3, 2));
    assert_eq!(
        (seen, whole.rows[0].clone()),
        (vec!["1".into(), "2".into(), "3".into()], first.rows[0].clone())
    );
    let kept = Results::read(&path).unwrap();
    assert_eq!((kept.rows.len(), kept.traces().unwrap().len()), (3, 3));
}

#[tokio::test]
async fn questions_side_by_side_come_back_in_their_order() {
    let bench = Bench::new().await;
    let model = ScriptedModel::new().when(|request| {
        let slow = request.messages.last()?.content.contains("Peru");
        let delay = Duration::from_millis(if slow { 60 } else { 1 });
        Some(Scripted::Late(delay, r#"{"answers": ["Lima"]}"#.into()))
    });
    let engine = bench.engine(model);
    let config = RunConfig { parallel: 3, ..config(&engine, Method::Io) };
    let mut finished = Vec::new();
    let questions = bench.prepared(&capitals()).await;
    let mut unlimited = Budget::default();
    let see = |row: &Row| finished.push(row.id.clone());
    let outcome = run(&config, &questions, &[], None, &mut unlimited, see).await.unwrap();
    let ids: Vec<String> = outcome.rows.into_iter().map(|row| row.id).collect();
    assert_eq!(ids, ["1", "2", "3"]);
    assert_eq!(finished.last().map(String::as_str), Some("1"), "the slow one ends last");
}

#[tokio::test]
async fn a_replay_without_a_model_is_the_run_again_bit_for_bit() {
    let bench = Bench::new().await;
    let questions = bench.prepared(&capitals()).await;
    let replies = bench.path("replies");
    let recorded = |model: ScriptedModel| {
        CachedModel::new(Arc::new(model.with_name("m")), "1", &replies, CacheMode::ReadWrite)
    };
    let keep = async |path: &Path, engine: &Engine, measured: Option<&[Row]>| {
        let (mut folder, _, _) =
            ResultsFolder::open(path, &bench.manifest(3), &LearntFiles::default(), false).unwrap();
        let config = RunConfig { measured, ..config(engine, Method::Io) };
        run(&config, &questions, &[], Some(&mut folder), &mut Budget::default(), |_| {}).await.unwrap().rows
    };
    let slow = ScriptedModel::new().when(|request| {
        let lima = request.messages.last()?.content.contains("Peru");
        let reply = if lima { r#"{"answers": ["Lima"]}"# } else { r#"{"answers": ["La Paz"]}"# };
        Some(Scripted::Late(Duration::from_millis(7), reply.into()))
    });
    let first = keep(&bench.path("one"), &bench.engine(recorded(slow)), None).await;
    let replay = CachedModel::replay("m", &replies).unwrap();
    let again = keep(&bench.path("two"), &bench.engine(replay), Some(&first)).await;
    assert_eq!(first, again);
    let bytes = |name: &str| std::fs::read(bench.path(name).join("rows.jsonl")).unwrap();
    assert_eq!(bytes("one"), bytes("two"));
    assert!(first[0].cost.seconds >= 0.007, "times are those of the run");
}

#[tokio::test]
async fn gold_is_named_by_the_graph_and_what_it_cannot_name_is_told() {
    let bench = Bench::new().await;
    let geo = |name: &str| format!("https://example.org/geo/{name}");
    let by_key = GoldQuestion {
        answer_ids: vec![geo("lima"), geo("atlantis")],
        topic_ids: vec![geo("peru")],
        ..question("1", "capital of Peru?", &[])
    };
    let by_name = question("2", "capital of Chile?", &["Santiago", "Atlantis", "141.55"]);
    let alias = question("3", "which country?", &["Piruw"]);
    let prepared = bench.prepared(&[by_key.clone(), by_name, alias]).await;
    assert_eq!(prepared[0].gold[0].name, "Lima");
    assert_eq!(prepared[0].gold[0].aliases, ["Ciudad de los Reyes"]);
    assert_eq!(prepared[0].gold[0].id.as_deref(), Some(geo("lima").as_str()));
    assert_eq!(prepared[0].gold.len(), 2, "what nothing names still counts");
    assert_eq!(
        (prepared[0].unknown.as_slice(), prepared[0].anchors.as_slice()),
        (&[geo("atlantis")][..], &["Peru".to_owned()][..])
    );
    assert_eq!(prepared[1].unknown, ["Atlantis"]);
    assert!(prepared[2].gold[0].aliases.contains(&"Peru".to_owned()), "{:?}", prepared[2]);
    // A shorter key without its prefix.
    let short = GoldQuestion { answer_ids: vec!["lima".into()], ..by_key };
    let found = prepare(&[&*bench.workspace], &[short], Some("https://example.org/geo/")).await.unwrap();
    assert_eq!((found[0].gold[0].name.as_str(), found[0].unknown.len()), ("Lima", 0));
}

const ENOUGH: &str = r#"{"irrelevant": [], "verdict": "enough"}"#;

/// A mock of KERAG's model: it names `entity`, stops after one hop, and answers `answer`.
fn kerag_model(entity: &str, answer: &str) -> ScriptedModel {
    ScriptedModel::new()
        .always("plan.topic", format!(r#"{{"domain": "other", "entities": ["{entity}"], "time": "", "operation": "list"}}"#))
        .always("critique.scope", ENOUGH)
        .always("compose", format!(r#"{{"reasoning": "so", "status": "answered", "rows": [], "operation": "none", "answers": ["{answer}"]}}"#))
        .when(|_| Some(ENOUGH.into()))
}

#[tokio::test]
async fn linking_retrieval_and_composition_are_told_apart() {
    let bench = Bench::new().await;
    let gold = GoldQuestion {
        answer_ids: vec!["https://example.org/geo/lima".into()],
        topic_entities: vec!["Peru".into()],
        ..question("1", "What is the capital of the country on the coast?", &["Lima"])
    };
    let questions = bench.prepared(&[gold]).await;
    let ask = async |entity: &str, answer: &str| {
        let engine = bench.engine(kerag_model(entity, answer));
        rows(&config(&engine, Method::Kerag), &questions).await.remove(0)
    };
    let right = ask("Peru", "Lima").await;
    assert_eq!((right.score.hit_at_1, right.error, right.linked), (1.0, None, Some(true)), "{right:#?}");
    assert_eq!(right.evidence_recall, Some(1.0));
    let elsewhere = ask("Chile", "Santiago").await;
    assert_eq!(
        (elsewhere.linked, elsewhere.error),
        (Some(false), Some(ErrorClass::Linking)),
        "{elsewhere:#?}"
    );
    let misread = ask("Peru", "Chile").await;
    assert_eq!((misread.linked, misread.error), (Some(true), Some(ErrorClass::Composition)), "{misread:#?}");
}

#[tokio::test]
async fn given_anchors_are_started_from_whatever_the_model_names() {
    let bench = Bench::new().await;
    let gold = GoldQuestion {
        topic_ids: vec!["https://example.org/geo/peru".into()],
        ..question("1", "What is the capital of the country on the coast?", &["Lima"])
    };
    let questions = bench.prepared(&[gold]).await;
    let engine = bench.engine(kerag_model("Chile", "Lima"));
    let open = rows(&config(&engine, Method::Kerag), &questions).await.remove(0);
    let given = RunConfig { anchors: AnchorSetting::Gold, ..config(&engine, Method::Kerag) };
    let given = rows(&given, &questions).await.remove(0);
    assert_eq!((open.anchors.unwrap(), open.score.hit_at_1), (vec!["Chile".to_owned()], 0.0));
    assert_eq!((given.anchors.unwrap(), given.score.hit_at_1), (vec!["Peru".to_owned()], 1.0));
}

#[tokio::test]
async fn unanswerable_questions_are_right_when_left_unanswered() {
    let bench = Bench::new().await;
    let unanswerable = GoldQuestion { unanswerable: true, ..question("1", "Who rules Atlantis?", &[]) };
    let premise = GoldQuestion { false_premise: true, ..question("2", "Who rules Chile twice?", &[]) };
    let questions = bench.prepared(&[unanswerable, premise]).await;
    let silent = bench.engine(ScriptedModel::new().when(|_| Some(r#"{"answers": []}"#.into())));
    let silent = rows(&config(&silent, Method::Io), &questions).await;
    assert_eq!(
        (silent[0].score.hit_at_1, silent[0].is(Verdict::Accurate), silent[0].error),
        (1.0, true, None)
    );
    assert_eq!(
        (silent[1].score.hit_at_1, silent[1].is(Verdict::Missing)),
        (0.0, true),
        "CRAG: missing, not accurate"
    );
    let boastful = bench.engine(ScriptedModel::new().when(|_| Some(r#"{"answers": ["Neptune"]}"#.into())));
    let boastful = rows(&config(&boastful, Method::Io), &questions).await;
    assert!(
        boastful
            .iter()
            .all(|row| row.is(Verdict::Hallucination) && row.error == Some(ErrorClass::ShouldAbstain))
    );
}

#[tokio::test]
async fn the_judge_is_asked_for_what_rules_leave_open_and_counted() {
    let bench = Bench::new().await;
    let gold = GoldQuestion { any_of: true, ..question("1", "Who founded it?", &["Robert A. Lindqvist"]) };
    let questions = bench.prepared(&[gold]).await;
    let engine =
        bench.engine(ScriptedModel::new().when(|_| Some(r#"{"answers": ["Bob Lindqvist"]}"#.into())));
    let judge = ModelJudge::new(Arc::new(
        ScriptedModel::new().on("judge", r#"{"explanation": "Bob is Robert", "verdict": "correct"}"#),
    ));
    let with_judge = RunConfig { judge: Some(&judge), ..config(&engine, Method::Io) };
    let judged = rows(&with_judge, &questions).await.remove(0);
    assert_eq!(
        (judged.judged.by, judged.is(Verdict::Accurate), judged.cost.judge_calls),
        (Judge::Model, true, 1)
    );
    assert_eq!(judged.score.hit_at_1, 0.0, "the strict score stays strict");
    // A failing judge does not end the run: its script is empty now.
    let failed = rows(&with_judge, &questions).await.remove(0);
    assert_eq!(failed.judged.by, Judge::Match);
    assert!(failed.judged.reason.unwrap().contains("the judge failed"));
}

#[tokio::test]
async fn head_and_tail_questions_come_from_the_graph_with_their_answers() {
    let bench = Bench::new().await;
    let engine = Engine::new(bench.workspace.clone(), None, None).unwrap();
    let all = HeadToTailConfig { per_bucket: 9, ..HeadToTailConfig::default() };
    let made = head_to_tail(&engine, None, &all).await.unwrap();
    let buckets: Vec<&str> = made.buckets.iter().map(|bucket| bucket.name).collect();
    assert_eq!(buckets, ["head", "torso", "tail"]);
    assert_eq!(made.buckets.iter().map(|b| b.entities).sum::<usize>(), 3, "the countries");
    let peru = made.questions.iter().find(|q| q.topic_entities == ["Peru"]).unwrap();
    assert_eq!((peru.popularity.as_deref(), peru.hops), (Some("head"), Some(1)), "it has the most triples");
    for question in &made.questions {
        let expected: &[&str] = match (question.topic_entities[0].as_str(), question.kind.as_deref().unwrap())
        {
            ("Peru", "capital") => &["Lima"],
            ("Peru", _) => &["Bolivia", "Chile"],
            ("Chile", "capital") => &["Santiago"],
            ("Bolivia", "capital") => &["Sucre"],
            _ => &["Peru"],
        };
        assert_eq!(question.answers, expected, "{question:?}");
        assert!(
            question.question.starts_with("What ") && question.question.contains(&question.topic_entities[0])
        );
    }
    let templates =
        [("https://example.org/geo/capital".to_owned(), "Which city governs _?".to_owned())].into();
    let made = head_to_tail(&engine, Some(&templates), &all).await.unwrap();
    assert!(
        made.questions.iter().all(|q| q.question.starts_with("Which city governs "))
            && made.questions.len() == 3
    );
    let foreign = [("https://example.org/other".to_owned(), "What of _?".to_owned())].into();
    let error = head_to_tail(&engine, Some(&foreign), &all).await.unwrap_err().to_string();
    assert!(error.contains("none of the templates"), "{error}");
    assert_eq!(
        head_to_tail(&engine, None, &all).await.unwrap(),
        head_to_tail(&engine, None, &all).await.unwrap()
    );
}
