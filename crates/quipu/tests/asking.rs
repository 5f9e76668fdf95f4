//! Questions, with a scripted model.

use std::sync::Arc;

use quipu::{Engine, Error, Question, ScriptedModel, Settings, Sources, Status, Workspace};

use crate::{file, lamps, no_settings};

fn scripted(sql: &str) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::new().always("plan.query", sql))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_has_rows_evidence_a_reading_and_its_query() {
    let (_folder, lamps) = lamps().await;
    let model = scripted("SELECT name, price FROM lamp WHERE maker = 'Acme' ORDER BY price");
    let builder = Engine::builder(&lamps).settings(no_settings()).method("query");
    let engine = builder.language_model(model.clone()).build().await.unwrap();
    let answer = engine.ask("Which lamps does Acme make, and what do they cost?").await.unwrap();
    assert_eq!(answer.status, Status::Answered, "{answer:#?}");
    let names: Vec<Vec<String>> =
        answer.rows().into_iter().map(|row| row.into_iter().flatten().map(|v| v.name).collect()).collect();
    assert_eq!(names, [["Fox Lamp", "25"], ["Owl Lamp", "40"]]);
    assert_eq!(answer.columns().len(), 2);
    assert!(answer.read_as().unwrap().contains("Acme"), "{:?}", answer.read_as());
    assert!(answer.sparql().unwrap().contains("SELECT"));
    assert!(answer.grounded && answer.cited().count() > 0);
    assert!(model.calls() > 0 && answer.usage.llm_calls > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_needs_no_model() {
    let (_folder, lamps) = lamps().await;
    let engine = Engine::builder(&lamps).settings(no_settings()).without_model().build().await.unwrap();
    let answer = engine.ask("What is the price of the Bee Lamp?").await.unwrap();
    assert_eq!((answer.answers.join(", ").as_str(), answer.usage.llm_calls), ("70", 0), "{answer:#?}");
    assert_eq!(answer.rows()[0][0].as_ref().unwrap().name, "70");
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_say_how_questions_are_asked() {
    let (folder, lamps) = lamps().await;
    std::fs::write(lamps.folder().join("quipu.toml"), "llm = 'none'\nmethod = 'paths'\nmax_llm_calls = 3\n")
        .unwrap();
    let engine = Engine::builder(&lamps).build().await.unwrap();
    assert_eq!(engine.inner().model_name(), "none");
    assert_eq!((engine.options().method.name(), engine.options().limits.llm_calls), ("paths", 3));
    let wrong = Settings { method: Some("magic".into()), ..no_settings() };
    let error = Engine::builder(&lamps).settings(wrong).without_model().build().await.err().unwrap();
    assert!(matches!(&error, Error::Usage(reason) if reason.contains("magic")), "{error}");
    let models = folder.path().join("models");
    let open = quipu::OpenOptions { models: Some(models), ..Default::default() };
    let builder = Engine::builder(&lamps).settings(no_settings()).model("smollm2-135m");
    let error = builder.open_options(open).build().await.err().unwrap();
    assert!(error.is_missing_model() && error.to_string().contains("models pull"), "{error}");
    let error = engine.ask("  ").await.unwrap_err();
    assert!(error.to_string().contains("empty"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn several_workspaces_are_asked_as_one_and_a_missing_one_is_named() {
    let (folder, lamps) = lamps().await;
    let towns = "@prefix : <https://example.org/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
                 :owner rdfs:label \"owner\" .\n:acme rdfs:label \"Acme\" ; :owner :ida . :ida rdfs:label \"Ida\" .\n";
    let place = folder.path().join("owners");
    let import = Workspace::import(&place).files([file(&folder, "owners.ttl", towns)]).without_vectors();
    import.run().await.unwrap();
    let folders = [lamps.folder().to_owned(), place, folder.path().join("nowhere")];
    let sources = Sources::open(folders).unwrap();
    assert_eq!(sources.first().folder(), lamps.folder());
    let engine = Engine::builder(sources).settings(no_settings()).without_model().build().await.unwrap();
    let question = Question::new("Who is the owner of Acme?", "2024-02-28T12:00:00[UTC]".parse().unwrap());
    let answer = engine.ask_with(&question.unwrap(), engine.options()).await.unwrap();
    assert_eq!(answer.answers, ["Ida"], "{answer:#?}");
    let notes = format!("{:?}", answer.notes);
    assert!(notes.contains("nowhere"), "{notes}");
    let error = Sources::open([folder.path().join("nowhere")]).err().unwrap();
    assert!(error.to_string().contains("is not a workspace"), "{error}");
}
