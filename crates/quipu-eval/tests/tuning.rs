//! Training examples from a scripted teacher: right answers are kept, wrong ones are corrected,
//! unanswerable questions are refused.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test ends where something fails"
)]

use std::path::Path;
use std::sync::Arc;

use quipu_answer::{AskOptions, Engine, Method};
use quipu_eval::{
    DataCard, EvalError, ExampleKind, GoldQuestion, HeldOut, LearntFiles, LlmFacts, QuestionFile, Recorder,
    SourceCard, TuneConfig, TuneCounts, TuneExample, TuneFolder, TuneTask, WorkspaceFacts, prepare,
    prompt_hashes, read_questions, tune_export,
};
use quipu_graph::{ImportConfig, Input};
use quipu_index::{ImportRequest, Workspace};
use quipu_model::{Role, ScriptedModel};

const PLACES: &str = r#"
@prefix geo: <https://example.org/geo/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .

geo:capital rdfs:label "capital" .
geo:currency rdfs:label "currency" .
geo:Country rdfs:label "country" .

geo:peru a geo:Country ; rdfs:label "Peru" ; geo:capital geo:lima ; geo:currency "sol" .
geo:bolivia a geo:Country ; rdfs:label "Bolivia" ; geo:capital geo:sucre ; geo:currency "boliviano" .
geo:chile a geo:Country ; rdfs:label "Chile" ; geo:capital geo:santiago ; geo:currency "peso" .
geo:lima rdfs:label "Lima" .
geo:sucre rdfs:label "Sucre" .
geo:santiago rdfs:label "Santiago" .
"#;

async fn workspace(folder: &Path) -> Arc<Workspace> {
    let file = folder.join("places.ttl");
    std::fs::write(&file, PLACES).unwrap();
    let graph = ImportConfig::new("places", vec![Input::File(file)]);
    let path = folder.join("workspace");
    Workspace::import(&path, &ImportRequest { graph, embedder: None, progress: None }).await.unwrap();
    Arc::new(Workspace::open(&path).unwrap())
}

fn question(id: &str, text: &str, answers: &[&str]) -> GoldQuestion {
    GoldQuestion {
        id: id.into(),
        question: text.into(),
        answers: answers.iter().map(|answer| (*answer).to_owned()).collect(),
        unanswerable: answers.is_empty(),
        ..GoldQuestion::default()
    }
}

fn questions() -> Vec<GoldQuestion> {
    vec![
        question("peru", "What is the capital of Peru?", &["Lima"]),
        question("chile", "What is the capital of Chile?", &["Santiago"]),
        question("bolivia", "What is the capital of Bolivia?", &["Sucre"]),
        question("king", "Who is the king of Peru?", &[]),
    ]
}

/// Right about Peru at once, about Chile when sampled, about Bolivia never; it confuses Peru's
/// capital with its king.
fn teacher() -> ScriptedModel {
    ScriptedModel::new().when(|request| {
        let asked = &request.messages.last()?.content;
        let country = ["Peru", "Chile", "Bolivia"].into_iter().rfind(|country| asked.contains(country))?;
        let sampled = request.temperature > 0.0;
        let answer = match country {
            "Peru" => "Lima",
            "Chile" if sampled => "Santiago",
            _ => "peso",
        };
        let reply = match request.stage.as_str() {
            "plan.topic" => format!(
                r#"{{"domain": "other", "entities": ["{country}"], "time": "", "operation": "list"}}"#
            ),
            "prune.relations" => r#"{"irrelevant": [], "verdict": "enough"}"#.to_owned(),
            "compose" if request.messages[0].content.contains("step by step") => format!(
                r#"{{"reasoning": "By the rows.", "status": "answered", "rows": ["E0"], "operation": "none", "answers": ["{answer}"]}}"#
            ),
            "compose" => format!(r#"{{"status": "answered", "answers": ["{answer}"]}}"#),
            _ => return None,
        };
        Some(reply.into())
    })
}

async fn exported(
    workspace: &Arc<Workspace>,
    task: TuneTask,
    model: ScriptedModel,
    held_out: &HeldOut,
) -> (Vec<TuneExample>, TuneCounts, usize) {
    exported_of(workspace, task, model, held_out, &questions()).await
}

async fn exported_of(
    workspace: &Arc<Workspace>,
    task: TuneTask,
    model: ScriptedModel,
    held_out: &HeldOut,
    questions: &[GoldQuestion],
) -> (Vec<TuneExample>, TuneCounts, usize) {
    exported_by(workspace, task, model, held_out, questions, 3).await
}

async fn exported_by(
    workspace: &Arc<Workspace>,
    task: TuneTask,
    model: ScriptedModel,
    held_out: &HeldOut,
    questions: &[GoldQuestion],
    samples: u32,
) -> (Vec<TuneExample>, TuneCounts, usize) {
    let model = Arc::new(model);
    let recorder = Arc::new(Recorder::new(model.clone(), task));
    let engine = Engine::new(workspace.clone(), Some(recorder.clone()), None).unwrap();
    let method: Method = task.method().parse().unwrap();
    let config = TuneConfig {
        engine: &engine,
        recorder: &recorder,
        options: AskOptions { method, ..AskOptions::default() },
        llm: "scripted".into(),
        samples,
        temperature: 0.7,
        refusals: 100,
        now: "2026-01-01T00:00:00[UTC]".parse().unwrap(),
        source: "places".into(),
    };
    let prepared = prepare(&[&**workspace], questions, None).await.unwrap();
    let (examples, counts) = tune_export(&config, &prepared, held_out, |_, _| {}).await.unwrap();
    (examples, counts, model.calls())
}

fn last(example: &TuneExample) -> &str {
    let message = example.messages.last().unwrap();
    assert_eq!(message.role, Role::Assistant);
    &message.content
}

#[tokio::test]
async fn what_was_right_is_kept_and_what_was_wrong_is_corrected() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = workspace(folder.path()).await;
    let (examples, counts, calls) =
        exported(&workspace, TuneTask::Compose, teacher(), &HeldOut::default()).await;
    assert_eq!((counts.asked, counts.right_at_first, counts.right_later, counts.never_right), (4, 1, 1, 2));
    let of = |id: &str, kind: ExampleKind| {
        examples.iter().find(|example| example.question_id == id && example.kind == kind).unwrap()
    };
    for (id, answer) in [("peru", "Lima"), ("chile", "Santiago")] {
        let example = of(id, ExampleKind::Accepted);
        assert!(last(example).contains("By the rows.") && last(example).contains(answer), "{example:?}");
        assert!(example.messages[0].content.contains("step by step"));
    }
    // KERAG's third step: the gold answer, under the prompt that asks for no reasoning.
    let corrected = of("bolivia", ExampleKind::Gold);
    assert_eq!(last(corrected), r#"{"status": "answered", "answers": ["Sucre"]}"#);
    assert!(!corrected.messages[0].content.contains("step by step"));
    let king = of("king", ExampleKind::Refusal);
    assert!(last(king).contains(r#""status": "unknown""#) && !last(king).contains("Lima"));
    // Three calls a run: topic, relations, summary. One run of Peru's capital, two of Chile's,
    // three each of the others, and one more of Bolivia's for the prompt without reasoning.
    assert_eq!(calls, 3 * (1 + 2 + 3 + 1 + 3));
}

#[tokio::test]
async fn refusals_rest_on_evidence_that_does_not_hold_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = workspace(folder.path()).await;
    let (examples, ..) = exported(&workspace, TuneTask::Compose, teacher(), &HeldOut::default()).await;
    let made: Vec<&TuneExample> = examples
        .iter()
        .filter(|example| example.kind == ExampleKind::Refusal && example.question_id != "king")
        .collect();
    assert!(!made.is_empty());
    for example in made {
        let shown = &example.messages[example.messages.len() - 2].content;
        let gold = questions().into_iter().find(|gold| gold.id == example.question_id).unwrap();
        assert!(shown.ends_with(&gold.question) && !shown.contains(&gold.answers[0]), "{shown}");
    }
}

#[tokio::test]
async fn a_query_is_right_by_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = workspace(folder.path()).await;
    let teacher = ScriptedModel::new().when(|request| {
        let asked = &request.messages.last()?.content;
        let country = ["Peru", "Chile", "Bolivia"].into_iter().rfind(|country| asked.contains(country))?;
        let column = if country == "Bolivia" { "currency" } else { "capital" };
        Some(format!("SELECT {column} FROM country WHERE name = '{country}'").into())
    });
    let (examples, counts, _) = exported(&workspace, TuneTask::Query, teacher, &HeldOut::default()).await;
    assert_eq!((counts.right_at_first, counts.never_right, counts.written), (2, 1, 1));
    let texts: Vec<(&str, &str)> =
        examples.iter().map(|example| (example.question_id.as_str(), last(example))).collect();
    assert_eq!(
        texts,
        [
            ("peru", "SELECT capital FROM country WHERE name = 'Peru'"),
            ("chile", "SELECT capital FROM country WHERE name = 'Chile'"),
            ("king", "SELECT NULL"),
        ]
    );
}

#[tokio::test]
async fn a_query_of_the_file_costs_no_call_if_its_rows_are_right() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = workspace(folder.path()).await;
    let teacher =
        || ScriptedModel::new().on("plan.query", "SELECT capital FROM country WHERE name = 'Chile'");
    let capital = |country: &str| format!("SELECT capital FROM country WHERE name = '{country}'");
    let with = |question: GoldQuestion, sql: String| GoldQuestion { sql: Some(sql), ..question };
    let written = [
        with(question("peru", "What is the capital of Peru?", &["Lima"]), capital("Peru")),
        with(question("king", "Who is the king of Peru?", &[]), "SELECT NULL".into()),
    ];
    let none = HeldOut::default();
    let (examples, counts, calls) =
        exported_of(&workspace, TuneTask::Query, teacher(), &none, &written).await;
    assert_eq!((counts.written, counts.asked, calls), (2, 0, 0));
    let of = |id: &str| examples.iter().find(|example| example.question_id == id).unwrap();
    assert_eq!((of("peru").kind, last(of("peru"))), (ExampleKind::Gold, capital("Peru").as_str()));
    assert_eq!((of("king").kind, last(of("king"))), (ExampleKind::Refusal, "SELECT NULL"));
    // The tuned model will read no worked examples: only instructions, the tables, the question.
    let said: Vec<&str> = of("peru").messages.iter().map(|message| message.content.as_str()).collect();
    assert!(said.len() <= 5 && said[1].contains("CREATE TABLE country"), "{said:?}");
    assert!(!said.concat().contains("CREATE TABLE ship"), "{said:?}");
    // A question without an answer is refused, whatever the teacher says.
    let king = [question("king", "Who is the king of Peru?", &[])];
    let (examples, counts, calls) = exported_of(&workspace, TuneTask::Query, teacher(), &none, &king).await;
    assert_eq!((counts.written, counts.asked, calls), (1, 0, 0));
    assert_eq!((examples[0].kind, last(&examples[0])), (ExampleKind::Refusal, "SELECT NULL"));
    // Of other rows: the teacher is asked instead.
    let wrong = [with(question("chile", "What is the capital of Chile?", &["Santiago"]), capital("Peru"))];
    let (examples, counts, calls) = exported_of(&workspace, TuneTask::Query, teacher(), &none, &wrong).await;
    assert_eq!((counts.written, counts.right_at_first, calls), (0, 1, 1));
    assert_eq!((examples[0].kind, last(&examples[0])), (ExampleKind::Accepted, capital("Chile").as_str()));
    // Without a teacher, that question is left out and counted.
    let all = [written.as_slice(), wrong.as_slice()].concat();
    let (examples, counts, calls) = exported_by(&workspace, TuneTask::Query, teacher(), &none, &all, 0).await;
    assert_eq!((counts.written, counts.unasked, counts.asked, calls), (2, 1, 0, 0));
    assert_eq!(examples.len(), 2);
}

fn held_out(folder: &Path, text: &str) -> HeldOut {
    let file = folder.join("held.jsonl");
    std::fs::write(&file, text).unwrap();
    HeldOut::of(&[read_questions(&file, None).unwrap()])
}

#[tokio::test]
async fn what_the_model_is_measured_on_is_left_out_and_costs_no_call() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = workspace(folder.path()).await;
    let held = held_out(
        folder.path(),
        "{\"id\": \"a\", \"question\": \"what is the capital of peru\", \"answers\": [\"Lima\"]}\n\
         {\"id\": \"b\", \"question\": \"Which bank stands in Sucre?\", \"answers\": [\"Sucre\"]}\n",
    );
    let (examples, counts, _) = exported(&workspace, TuneTask::Compose, teacher(), &held).await;
    assert_eq!((counts.leaking.same_question, counts.leaking.entity), (1, 1));
    assert_eq!(counts.asked, 2);
    assert!(examples.iter().all(|example| !["peru", "bolivia"].contains(&example.question_id.as_str())));
}

fn source(workspace: &Workspace, counts: TuneCounts, files: &[QuestionFile]) -> SourceCard {
    assert!(files.is_empty());
    SourceCard {
        name: "places".into(),
        workspace: WorkspaceFacts::of(workspace, &LearntFiles::default()),
        questions: Vec::new(),
        teacher: LlmFacts { name: "scripted".into(), version: "1".into() },
        method: "kerag".into(),
        samples: 3,
        temperature: 0.7,
        refusals: 100,
        counts,
        held_out: Vec::new(),
        licence: "CC0-1.0".into(),
    }
}

#[tokio::test]
async fn the_folder_says_what_it_holds_and_takes_more_of_the_same_only() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = workspace(folder.path()).await;
    let out = folder.path().join("examples");
    let prompts = prompt_hashes();
    let open = |task, add| TuneFolder::open(&out, task, &prompts, add);
    let (examples, counts, _) = exported(&workspace, TuneTask::Compose, teacher(), &HeldOut::default()).await;
    let new = open(TuneTask::Compose, false).unwrap();
    let card = new.add(source(&workspace, counts, &[]), examples.clone(), prompts.clone()).unwrap();
    assert_eq!(card.examples.train + card.examples.validation, examples.len());
    assert!(card.examples.validation > 0 && card.stages == ["compose"]);
    let kept: DataCard = serde_json::from_slice(&std::fs::read(out.join("card.json")).unwrap()).unwrap();
    assert_eq!(kept, card);
    let people = std::fs::read_to_string(out.join("README.md")).unwrap();
    assert!(people.contains("| accepted | 2 |") && people.contains("CC0-1.0"), "{people}");
    // No question is in both parts.
    let lines = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let asked = |text: String| -> Vec<String> {
        text.lines().map(|line| serde_json::from_str::<TuneExample>(line).unwrap().question).collect()
    };
    let learnt = asked(lines("train.jsonl"));
    assert!(asked(lines("validation.jsonl")).iter().all(|question| !learnt.contains(question)));

    let message = |result: Result<TuneFolder, EvalError>| result.unwrap_err().to_string();
    assert!(message(open(TuneTask::Compose, false)).contains("--add"));
    assert!(message(open(TuneTask::Query, true)).contains("the task compose"));
    // Adding the same examples again has no effect.
    let again = open(TuneTask::Compose, true).unwrap();
    let card = again.add(source(&workspace, counts, &[]), examples.clone(), prompts.clone()).unwrap();
    assert_eq!((card.examples.train + card.examples.validation, card.sources.len()), (examples.len(), 2));
}

#[tokio::test]
async fn without_one_right_answer_there_is_nothing_to_learn_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = workspace(folder.path()).await;
    let out = folder.path().join("examples");
    let prompts = prompt_hashes();
    let new = TuneFolder::open(&out, TuneTask::Compose, &prompts, false).unwrap();
    let counts = TuneCounts { asked: 3, never_right: 3, ..TuneCounts::default() };
    let error = new.add(source(&workspace, counts, &[]), Vec::new(), prompts).unwrap_err().to_string();
    assert!(error.contains("no right answer to learn from (3 questions asked"), "{error}");
    assert!(!out.exists());
}
