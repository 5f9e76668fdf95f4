//! Replies of a scripted model as actions: read, cut to the bounds, refused.

use std::sync::Arc;

use quipu_model::{ChatRequest, ScriptedModel};
use quipu_stages::testing::{FILMS, Setting};

use super::*;
use crate::methods::hybrid::feedback::ErrorKind;

const QUESTION: &str = "Which films did Boudewijn Koole direct?";

/// The reply that names these entities and relations.
fn naming(entities: &[&str], relations: &[&str]) -> String {
    let entities: Vec<Value> = entities.iter().map(|name| json!({ "name": name, "category": "" })).collect();
    json!({ "entities": entities, "relations": relations }).to_string()
}

async fn films(model: &Arc<ScriptedModel>) -> Setting {
    Setting::of(FILMS).await.with_model(model)
}

/// The action of the first round.
async fn first(model: &Arc<ScriptedModel>, modules: Modules) -> Action {
    let setting = films(model).await;
    let context = setting.context();
    let config = HybridConfig { modules, ..HybridConfig::default() };
    Router::new(&context, QUESTION, &config).route(1, None).await.unwrap()
}

fn names(action: &Action) -> Vec<&str> {
    action.entities.iter().map(|named| named.name.as_str()).collect()
}

#[tokio::test]
async fn a_reply_becomes_an_action() {
    let reply = format!("Sure:\n```json\n{}\n```", naming(&["Boudewijn Koole"], &["directed by"]));
    let model = Arc::new(ScriptedModel::new().on("plan.extract", reply).on("plan.route", " Text, I think"));
    let setting = films(&model).await;
    let context = setting.context();
    let config = HybridConfig::default();
    let action = Router::new(&context, QUESTION, &config).route(1, None).await.unwrap();
    assert!(action.is_text);
    assert_eq!(names(&action), ["Boudewijn Koole"]);
    assert_eq!(action.entities[0].senses[0].0, setting.node("Boudewijn Koole").await);
    assert_eq!(action.relations.len(), 1);
    for step in [setting.along("directed by"), setting.against("directed by")] {
        assert!(action.steps.contains(&step), "{:?}", action.steps);
    }
    assert_eq!(action.steps.len(), 2);
}

#[tokio::test]
async fn any_other_module_than_text_is_the_graph() {
    for said in ["graph", "neither", "the text"] {
        let model = ScriptedModel::new().on("plan.extract", naming(&["Kauwboy"], &[])).on("plan.route", said);
        assert!(!first(&Arc::new(model), Modules::Both).await.is_text, "{said}");
    }
}

#[tokio::test]
async fn a_reply_without_json_leaves_the_question_to_text() {
    let model = Arc::new(ScriptedModel::new().always("plan.extract", "I cannot say"));
    let setting = films(&model).await;
    let context = setting.context();
    let config = HybridConfig::default();
    let action = Router::new(&context, QUESTION, &config).route(1, None).await.unwrap();
    assert_eq!(action, Action { is_text: true, ..Action::default() });
    assert_eq!(model.calls_of("plan.route"), 0);
    let is_told =
        |event: &Event| matches!(event, Event::Degraded { reason } if reason.contains("text module"));
    assert!(context.trace.events().iter().any(|timed| is_told(&timed.event)));
}

#[tokio::test]
async fn a_model_that_fails_is_an_error() {
    let model = Arc::new(ScriptedModel::new().on("plan.extract", ModelError::Cancelled));
    let setting = films(&model).await;
    let context = setting.context();
    let config = HybridConfig::default();
    assert!(Router::new(&context, QUESTION, &config).route(1, None).await.is_err());
}

#[tokio::test]
async fn only_the_first_five_entities_are_looked_at() {
    let people = ["Rick Lens", "Loek Peters", "Rifka Lodeizen", "Pierre Bokma", "Paula van der Oest"];
    let films = ["Kauwboy", "KAUWBOY", " ", "Tonio"];
    let named: Vec<&str> = people.into_iter().chain(films).collect();
    let model = ScriptedModel::new().on("plan.extract", naming(&named, &[])).on("plan.route", "graph");
    assert_eq!(names(&first(&Arc::new(model), Modules::Both).await), people);
}

#[tokio::test]
async fn a_name_is_looked_at_once_and_an_unknown_one_is_left_out() {
    let named = ["Kauwboy", "KAUWBOY", " ", "Xqzzv", "Tonio"];
    let model = ScriptedModel::new().on("plan.extract", naming(&named, &[])).on("plan.route", "graph");
    assert_eq!(names(&first(&Arc::new(model), Modules::Both).await), ["Kauwboy", "Tonio"]);
}

#[tokio::test]
async fn a_module_that_is_off_costs_no_call() {
    let model = Arc::new(ScriptedModel::new());
    assert_eq!(first(&model, Modules::Text).await, Action { is_text: true, ..Action::default() });
    assert_eq!(model.calls(), 0);
    let model = Arc::new(ScriptedModel::new().on("plan.extract", naming(&["Kauwboy"], &[])));
    assert!(!first(&model, Modules::Graph).await.is_text);
    assert_eq!(model.calls(), 1);
}

#[tokio::test]
async fn feedback_continues_the_conversation() {
    let extracted = naming(&["Kauwboy"], &[]);
    let model = ScriptedModel::new().always("plan.extract", extracted).always("plan.route", "graph");
    let model = Arc::new(model);
    let setting = films(&model).await;
    let context = setting.context();
    let config = HybridConfig::default();
    let mut router = Router::new(&context, QUESTION, &config);
    router.route(1, None).await.unwrap();
    let feedback = Feedback { kind: ErrorKind::IncorrectEntity, name: "Kauwboy".into() };
    router.route(2, Some(&feedback)).await.unwrap();
    let asked: Vec<ChatRequest> =
        model.requests().into_iter().filter(|request| request.stage == "plan.extract").collect();
    let [first, second] = asked.as_slice() else { panic!("{} calls", asked.len()) };
    assert!(second.messages.starts_with(&first.messages));
    let last = &second.messages.last().unwrap().content;
    assert!(last.contains("The entity \"Kauwboy\" is wrong"), "{last}");
}
