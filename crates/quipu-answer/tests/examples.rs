//! Solved examples: added, learnt, put into prompts, weighed in rankings, used for a retry.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::common;
use std::sync::Arc;

use common::{CARDS, FILMS, Setting, embedder, setting};
use quipu_answer::{AnchorConfig, AskOptions, Engine, Guide, Method, MethodConfig, Question, same_names};
use quipu_model::{LanguageModel, Scripted, ScriptedModel};

/// Whole paths alone, the subject of these tests.
fn by_paths() -> AskOptions {
    AskOptions { method: Method::Paths, ..AskOptions::default() }
}

fn question(text: &str) -> Question {
    Question::new(text, "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap()
}

async fn engine(setting: &Setting, model: Option<Arc<ScriptedModel>>) -> Engine {
    let model = model.map(|model| model as Arc<dyn LanguageModel>);
    Engine::new(setting.workspace.clone(), model, Some(embedder().await)).unwrap()
}

async fn films() -> Setting {
    let setting = setting(FILMS).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), CARDS).unwrap();
    setting
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn an_example_is_the_way_that_leads_to_exactly_its_answers() {
    let setting = films().await;
    let engine = engine(&setting, None).await;
    let asked = question("which helmer's cradle stood behind Kauwboy?");
    let example = engine.add_example(&asked, &names(&["Leidschendam"])).await.unwrap();
    assert_eq!(example.plan, ["directed_by", "born_in"]);
    assert!(example.masked.contains('X') && !example.masked.contains("Kauwboy"), "{}", example.masked);
    // The same words about another film find the same path.
    let answer =
        engine.ask(&question("which helmer's cradle stood behind Tonio?"), &by_paths()).await.unwrap();
    assert_eq!(answer.answers, ["Laag-Soeren"], "{answer:#?}");
    let tested = engine.test_examples().await.unwrap();
    assert!(tested.iter().all(|(example, found)| same_names(found, &example.answers)), "{tested:?}");
}

#[tokio::test]
async fn answers_that_no_way_leads_to_are_refused_with_the_reason() {
    let engine = engine(&films().await, None).await;
    let wrong =
        engine.add_example(&question("who directed Kauwboy?"), &names(&["Nobody"])).await.unwrap_err();
    assert!(wrong.to_string().contains("exactly Nobody"), "{wrong}");
    let wrong = engine.add_example(&question("who?"), &names(&["Nobody"])).await.unwrap_err();
    assert!(wrong.to_string().contains("no entity"), "{wrong}");
    assert!(engine.examples().is_empty());
}

#[tokio::test]
async fn planning_prompts_show_examples_like_the_question_and_none_without() {
    let setting = films().await;
    let script = || {
        Arc::new(
            ScriptedModel::new()
                .always("plan.topic", r#"{"domain": "other", "entities": ["Tonio"], "time": "", "operation": "list"}"#)
                .always("critique.scope", "enough")
                .always("compose", r#"{"reasoning": "", "status": "unknown", "rows": [], "operation": "none", "answers": []}"#),
        )
    };
    let mut options = AskOptions { method: Method::Kerag, ..by_paths() };
    options.config.kerag.filter = quipu_answer::RelationFilter::Similarity;
    let asked = question("who directed Tonio?");
    let before = script();
    engine(&setting, Some(before.clone())).await.ask(&asked, &options).await.unwrap();
    engine(&setting, None)
        .await
        .add_example(&question("who directed Kauwboy?"), &names(&["Boudewijn Koole"]))
        .await
        .unwrap();
    let after = script();
    engine(&setting, Some(after.clone())).await.ask(&asked, &options).await.unwrap();
    let shown = |model: &ScriptedModel| {
        let planning = model.requests().into_iter().filter(|request| request.stage != "compose");
        planning.filter(|r| r.messages.last().unwrap().content.contains("were solved in this graph")).count()
    };
    assert_eq!((shown(&before), shown(&after)), (0, 2));
    let system = |model: &ScriptedModel| model.requests()[0].messages[0].content.clone();
    assert_eq!(system(&before), system(&after), "what is reused stays the same");
}

#[tokio::test]
async fn sure_and_grounded_answers_are_learnt_from_when_that_is_switched_on() {
    let setting = films().await;
    let engine = engine(&setting, None).await;
    let asked = question("who directed Kauwboy?");
    let answer = engine.ask(&asked, &by_paths()).await.unwrap();
    assert!(answer.grounded && answer.confidence >= 0.8, "{answer:#?}");
    assert!(engine.examples().is_empty(), "it is off unless asked for");
    engine.ask(&asked, &AskOptions { learn: true, ..by_paths() }).await.unwrap();
    let learnt = engine.examples();
    assert_eq!(learnt.len(), 1);
    assert_eq!((learnt[0].plan.clone(), learnt[0].learnt), (names(&["directed_by"]), true));
}

#[tokio::test]
async fn triples_are_found_by_meaning_once_they_are_indexed() {
    let setting = films().await;
    let embedder = embedder().await;
    let sought = embedder.embed(&["Kauwboy directed by Boudewijn Koole"]).await.unwrap();
    assert!(setting.workspace.nearest_triples(sought.row(0), 3).unwrap().is_empty());
    let folder = setting.workspace.folder();
    let never = std::sync::atomic::AtomicBool::new(false);
    let count = quipu_index::Workspace::index_triples(folder, embedder.as_ref(), None, &never).await.unwrap();
    assert_eq!(count, FILMS.lines().count() as u64);
    let workspace = quipu_index::Workspace::open(folder).unwrap();
    let found = workspace.nearest_triples(sought.row(0), 3).unwrap();
    assert_eq!(found.len(), 3);
    let names = workspace.graph().summaries(&[found[0].head, found[0].tail]).await.unwrap();
    assert_eq!((names[0].name.as_str(), names[1].name.as_str()), ("Kauwboy", "Boudewijn Koole"));
    assert!(found[0].similarity > 0.99 && found[0].similarity >= found[1].similarity);
}

const HEADING: &str = "were solved in this graph";

#[tokio::test]
async fn every_method_that_plans_by_model_is_shown_examples() {
    let setting = films().await;
    engine(&setting, None)
        .await
        .add_example(&question("who directed Kauwboy?"), &names(&["Boudewijn Koole"]))
        .await
        .unwrap();
    let anchor = AnchorConfig { guide: Guide::Model, ..AnchorConfig::default() };
    let config = MethodConfig { anchor, ..MethodConfig::default() };
    let planning = [
        Method::Kerag,
        Method::Anchor,
        Method::Pseudo,
        Method::Tog,
        Method::StructGpt,
        Method::PlanOnGraph,
        Method::ToolUse,
        Method::React,
        Method::Reflexion,
        Method::Corrective,
    ];
    for method in planning {
        let model = ScriptedModel::new().always("link.keywords", r#"{"keywords": ["Tonio"]}"#);
        let model = Arc::new(model.when(|_| Some(Scripted::from("{}"))));
        let options = AskOptions { method, config: config.clone(), ..by_paths() };
        engine(&setting, Some(model.clone()))
            .await
            .ask(&question("who directed Tonio?"), &options)
            .await
            .unwrap();
        let shown: Vec<String> = model
            .requests()
            .into_iter()
            .filter(|request| request.messages.iter().any(|message| message.content.contains(HEADING)))
            .map(|request| request.stage)
            .collect();
        assert!(
            !shown.is_empty(),
            "{method:?}: {:?}",
            model.requests().iter().map(|r| r.stage.clone()).collect::<Vec<_>>()
        );
        assert!(shown.iter().all(|stage| stage != "compose"), "{method:?}: {shown:?}");
    }
}

#[tokio::test]
async fn examples_of_the_same_shape_come_first_whatever_they_name() {
    let setting = films().await;
    let teacher = engine(&setting, None).await;
    for (asked, answers) in [
        ("which actors are in Disappearance?", &["Rifka Lodeizen"][..]),
        ("which films did Boudewijn Koole direct?", &["Kauwboy", "Disappearance"]),
        ("when did Disappearance come out?", &["2017"]),
    ] {
        teacher.add_example(&question(asked), &names(answers)).await.unwrap();
    }
    let first = async |asked: &str| {
        let model = Arc::new(ScriptedModel::new().when(|_| Some(Scripted::from("{}"))));
        let options = AskOptions { method: Method::Pseudo, ..by_paths() };
        engine(&setting, Some(model.clone())).await.ask(&question(asked), &options).await.unwrap();
        let request = model.requests().into_iter().find(|r| r.stage == "plan.pseudo").unwrap();
        let content = request.messages.last().unwrap().content.clone();
        content.lines().find(|line| line.starts_with("- ")).unwrap_or_default().to_owned()
    };
    // It names the entity of the second example and has the shape of the first.
    assert!(first("which actors are in Kauwboy?").await.contains("which actors are in X?"));
    assert!(first("which films did Paula van der Oest direct?").await.contains("which films did X direct?"));
    assert!(first("when did Tonio come out?").await.contains("when did X come out?"));
}

/// Solved queries about films, the one nearest to "how long are the films of …" not the first.
const SOLVED: [(&str, &str); 3] = [
    ("when did Tonio come out?", "SELECT release_year FROM thing WHERE name = 'Tonio'"),
    (
        "how long do the films by Paula van der Oest run on average?",
        "SELECT AVG(running_minutes) FROM thing WHERE directed_by = 'Paula van der Oest'",
    ),
    ("how long does the film Tonio run?", "SELECT running_minutes FROM thing WHERE name = 'Tonio'"),
];

/// The prompt of a query, with a model that always writes `sql`.
async fn prompt_of_query(setting: &Setting, asked: &str, sql: &str, learn: bool) -> String {
    let model = Arc::new(ScriptedModel::new().always("plan.kinds", "").always("plan.query", sql));
    let options = AskOptions { method: Method::Query, learn, ..AskOptions::default() };
    engine(setting, Some(model.clone())).await.ask(&question(asked), &options).await.unwrap();
    let request = model.requests().into_iter().find(|request| request.stage == "plan.query").unwrap();
    request.messages.last().unwrap().content.clone()
}

#[tokio::test]
async fn solved_queries_stand_in_a_prompt_in_the_order_of_their_nearness() {
    let setting = films().await;
    let teacher = engine(&setting, None).await;
    for (asked, sql) in SOLVED {
        teacher.add_query_example(&question(asked), sql).await.unwrap();
    }
    let places = async |asked: &str| {
        let prompt = prompt_of_query(&setting, asked, "SELECT name FROM thing", false).await;
        let place = |text: &str| prompt.find(text).unwrap_or(usize::MAX);
        SOLVED.map(|(text, _)| place(text))
    };
    let [_, average, one] = places("how long do the films by Boudewijn Koole run on average?").await;
    assert!(average < one, "{average} {one}");
    let [out, average, one] = places("how long does the film Kauwboy run?").await;
    assert!(one < average && one < out, "{one} {average} {out}");
    let [out, average, _] = places("when did Kauwboy come out?").await;
    assert!(out < average, "{out} {average}");
}

#[tokio::test]
async fn a_sure_query_is_learnt_and_shown_to_the_next_question() {
    let setting = films().await;
    let sql = "SELECT running_minutes FROM thing WHERE name = 'Tonio'";
    let asked = "what are the running minutes of Tonio?";
    let first = prompt_of_query(&setting, asked, sql, false).await;
    assert!(!first.contains("running_minutes FROM"), "{first}");
    assert!(engine(&setting, None).await.examples().is_empty(), "it is off unless asked for");
    prompt_of_query(&setting, asked, sql, true).await;
    let learnt = engine(&setting, None).await.examples();
    let [example] = learnt.as_slice() else { panic!("{learnt:?}") };
    assert_eq!((example.learnt, example.answers.as_slice()), (true, &names(&["100"])[..]), "{example:?}");
    assert!(example.sql.as_ref().is_some_and(|sql| sql.contains("running_minutes")), "{example:?}");
    let next = prompt_of_query(&setting, "what are the running minutes of Kauwboy?", sql, false).await;
    assert!(next.contains(asked) && next.contains(example.sql.as_ref().unwrap()), "{next}");
}
