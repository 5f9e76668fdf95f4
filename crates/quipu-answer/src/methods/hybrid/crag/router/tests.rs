//! Replies of a scripted model as actions: read, refused, kept within the pages.

use std::sync::Arc;

use quipu_model::ScriptedModel;
use quipu_stages::answer::Page;
use quipu_stages::testing::{FILMS, Setting, question};

use super::*;

const NAMED: &str = r#"{"entities": [{"name": "Kauwboy", "category": ""}], "relations": ["directed by"]}"#;

/// A model that reads a question as one of the first type, and names a film.
fn model() -> ScriptedModel {
    ScriptedModel::new()
        .always("plan.type", "simple")
        .always("plan.dynamism", "static")
        .always("plan.extract", NAMED)
}

fn pages(count: usize) -> Vec<Page> {
    let page = |number: usize| Page { text: format!("page {number}"), ..Page::default() };
    (0..count).map(page).collect()
}

/// The actions of rounds with this feedback, the first without any.
async fn rounds(
    model: &Arc<ScriptedModel>,
    config: HybridConfig,
    pages: &[Page],
    feedback: &[ErrorKind],
) -> Vec<Action> {
    let setting = Setting::of(FILMS).await.with_model(model);
    let context = setting.context().with_pages(pages);
    let question = question("Who directed Kauwboy?");
    let mut router = Router::new(&context, &question, &config);
    let mut actions = vec![router.route(1, None).await.unwrap()];
    for (at, kind) in feedback.iter().enumerate() {
        actions.push(router.route(at + 2, Some(*kind)).await.unwrap());
    }
    actions
}

#[tokio::test]
async fn the_longest_option_that_a_reply_names_is_chosen() {
    for (said, read) in [
        ("It is Simple with Condition.", "simple with condition"),
        ("simple", "simple"),
        ("multi-hop", "multi-hop"),
        ("no idea", "simple"),
    ] {
        let rules = ScriptedModel::new().on("plan.type", said).always("plan.dynamism", "fast-changing");
        let model = Arc::new(rules.always("plan.extract", NAMED));
        let actions = rounds(&model, HybridConfig::default(), &[], &[]).await;
        assert_eq!(actions[0].reading(), [read, "fast-changing"], "{said}");
        // The graph of a workspace has no fields.
        assert_eq!(model.calls_of("plan.field"), 0);
    }
}

#[tokio::test]
async fn a_reply_without_json_extracts_nothing_and_the_pages_are_the_source() {
    let rules = ScriptedModel::new().always("plan.type", "set").always("plan.dynamism", "static");
    let model = Arc::new(rules.always("plan.extract", "I cannot say"));
    let without = rounds(&model, HybridConfig::default(), &[], &[]).await;
    assert_eq!((without[0].source(), without[0].named().len()), ("graph", 0));
    let with = rounds(&model, HybridConfig::default(), &pages(1), &[]).await;
    assert_eq!((with[0].source(), with[0].batch), ("text", 0));
    assert_eq!(model.calls_of("plan.route"), 0);
}

#[tokio::test]
async fn batches_end_with_the_pages() {
    let model = Arc::new(model().always("plan.route", "Text"));
    let config = HybridConfig { batch: 5, ..HybridConfig::default() };
    let wrong = [ErrorKind::IncorrectModule; 2];
    let actions = rounds(&model, config, &pages(6), &wrong).await;
    let read: Vec<(&str, usize)> = actions.iter().map(|action| (action.source(), action.batch)).collect();
    assert_eq!(read[..2], [("text", 0), ("text", 1)]);
    assert_eq!(read[2].0, "graph");
    assert_eq!(model.calls_of("plan.route"), 2);
}

#[tokio::test]
async fn only_the_wrong_part_is_asked_again() {
    let model = Arc::new(model());
    let wrong = [ErrorKind::IncorrectDynamism, ErrorKind::IncorrectEntityAndRelation];
    let actions = rounds(&model, HybridConfig::default(), &[], &wrong).await;
    assert_eq!(actions[2].named(), ["Kauwboy"]);
    assert_eq!(actions[2].nodes().len(), 1);
    let calls = ["plan.type", "plan.dynamism", "plan.extract"].map(|stage| model.calls_of(stage));
    assert_eq!(calls, [1, 2, 2]);
}

#[tokio::test]
async fn a_module_that_is_off_costs_no_call() {
    let model = Arc::new(model());
    for (modules, source) in [(Modules::Graph, "graph"), (Modules::Text, "text")] {
        let config = HybridConfig { modules, ..HybridConfig::default() };
        assert_eq!(rounds(&model, config, &pages(1), &[]).await[0].source(), source);
    }
    assert_eq!((model.calls_of("plan.extract"), model.calls_of("plan.route")), (1, 0));
}
