//! HybGRAG as published (Algorithm 1): its calls, their order and number, and the contents of its
//! prompts.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test ends where something fails"
)]

use crate::common;
use std::sync::Arc;

use common::{Knows, Setting, embedder, options, setting_with_indexed_documents};
use quipu_answer::{
    Answer, AskOptions, CriticKind, Event, HybridConfig, Method, Modules, Note, Planner, Refinement, Status,
};
use quipu_model::{Abilities, Constraint, ScriptedModel};

const NODES: &str = r#"{"id": "ada", "name": "Ada Berg", "type": "writer", "text": "Writer of the north."}
{"id": "tom", "name": "Tom Okafor", "type": "writer", "text": "Writer of the plains."}
{"id": "wave", "name": "The Ninth Wave", "type": "novel", "text": "The keeper of a light is cut off by ice from November to March."}
{"id": "salt", "name": "Salt Roads", "type": "novel", "text": "A caravan crosses the desert with a stolen map."}
{"id": "owl", "name": "Owl Hours", "type": "novel", "text": "A boy raises owls in an old mill."}
{"id": "town", "name": "Lindau", "type": "town", "text": "A town on a lake."}
{"id": "ship", "name": "Lindau", "type": "ship", "text": "A sailing ship of oak."}
{"id": "press", "name": "Nordlicht", "type": "publisher", "text": "A house of books."}
{"id": "oak", "name": "oak", "type": "wood", "text": "A hard wood."}
"#;
const EDGES: &str = "wave\tauthor\tada\nsalt\tauthor\tada\nowl\tauthor\ttom\nada\tplace of birth\ttown\ntom\tplace of death\ttown\n\
    wave\tpublisher\tpress\nsalt\tpublisher\tpress\nowl\tpublisher\tpress\nship\tmaterial\toak\n";
const WINTER: &str = "Which novel by a writer born in Lindau is about a lighthouse keeper in winter?";

async fn books() -> Setting {
    setting_with_indexed_documents(NODES, EDGES).await
}

fn published() -> AskOptions {
    options(Method::Hybrid)
}

fn extracted(entities: &[(&str, &str)], relations: &[&str]) -> String {
    let entities: Vec<serde_json::Value> = entities
        .iter()
        .map(|(name, category)| serde_json::json!({ "name": name, "category": category }))
        .collect();
    serde_json::json!({ "entities": entities, "relations": relations }).to_string()
}

async fn run(
    setting: &Setting,
    model: ScriptedModel,
    question: &str,
    options: &AskOptions,
) -> (Answer, Arc<ScriptedModel>) {
    let model = Arc::new(model);
    (common::ask(setting, Some(model.clone()), Some(embedder().await), question, options).await, model)
}

fn asked(model: &ScriptedModel) -> Vec<String> {
    assert!(model.score_requests().is_empty(), "the paper asks for words, not for likelihoods");
    model.requests().into_iter().map(|request| request.stage).collect()
}

fn steps(answer: &Answer) -> Vec<Refinement> {
    let step = |event: &quipu_answer::TimedEvent| match &event.event {
        Event::Refined { step, .. } => Some(step.clone()),
        _ => None,
    };
    answer.trace.iter().flatten().filter_map(step).collect()
}

fn relaxed(answer: &Answer) -> Vec<String> {
    let step = |step| match step {
        Refinement::Relaxed { step } => Some(step),
        _ => None,
    };
    steps(answer).into_iter().filter_map(step).collect()
}

fn ranked(answer: &Answer) -> Vec<&str> {
    answer.ranked.iter().map(|entity| entity.key.as_str()).collect()
}

#[tokio::test]
async fn the_algorithm_call_by_call() {
    let setting = books().await;
    let model = ScriptedModel::new()
        .on("plan.extract", extracted(&[("Tom Okafor", "writer")], &["author"]))
        .on("plan.route", "graph")
        .on("critique.validate", "no")
        .on("critique.comment", "incorrect entity: Tom Okafor")
        .on("plan.extract", extracted(&[("Lindau", "town")], &["author", "place of birth"]))
        .on("plan.route", "graph")
        .on("critique.validate", "yes");
    let (answer, model) = run(&setting, model, WINTER, &published()).await;
    assert_eq!(
        asked(&model),
        [
            "plan.extract",
            "plan.route",
            "critique.validate",
            "critique.comment",
            "plan.extract",
            "plan.route",
            "critique.validate"
        ]
    );
    // Only the results of the last action, by similarity to the question; the best entity is the
    // answer, without another call.
    assert_eq!(ranked(&answer)[0], "wave");
    assert!(!ranked(&answer).contains(&"owl"), "{:?}", ranked(&answer));
    assert_eq!(
        (answer.status, answer.answers.as_slice()),
        (Status::Answered, &["The Ninth Wave".to_owned()][..])
    );
    assert!(answer.grounded && answer.confidence > 0.9);
    let told = |at: usize| model.requests()[at].messages.last().unwrap().content.clone();
    // The router: ten examples, kinds and relations first. In one conversation it extracts first
    // and then chooses the module.
    let first = &model.requests()[0].messages;
    assert_eq!(first[0].content.matches("\nQuestion: ").count(), 10);
    assert!(first[0].content.contains("place of birth") && first[0].content.contains("novel"));
    assert!(told(0).contains(WINTER) && model.requests()[1].messages[..2] == first[..2]);
    assert!(model.requests()[1].messages[2].content.contains("Tom Okafor"));
    assert!(told(1).contains("graph or text"));
    // The validator sees the document and the path to it; the commentator sees the action.
    assert!(
        told(2).contains("Document: Owl Hours") && told(2).contains("Path: Tom Okafor ← author ← Owl Hours")
    );
    assert!(told(3).contains("Entities: Tom Okafor") && told(3).contains("Relations: author"));
    // The feedback of Table 4 in the same conversation.
    assert_eq!(model.requests()[4].messages.len(), 6);
    assert!(told(4).contains(r#"The entity "Tom Okafor" is wrong"#), "{}", told(4));
    assert!(told(6).contains("Document: The Ninth Wave"), "{}", told(6));
}

#[tokio::test]
async fn a_validator_that_refuses_rejects_and_the_last_rounds_result_stands() {
    let setting = books().await;
    // An endpoint without likelihoods.
    let abilities = Abilities { constrained: true, grammar: false, score: false, context_tokens: 8192 };
    let tom = extracted(&[("Tom Okafor", "writer")], &["author"]);
    let ada = extracted(&[("Ada Berg", "writer")], &["author"]);
    let mut model = ScriptedModel::new().with_abilities(abilities);
    for reply in [&ada, &ada, &ada, &tom] {
        model = model.on("plan.extract", reply.clone());
    }
    let model = model
        .always("plan.route", "graph")
        .always("critique.validate", "no")
        .always("critique.comment", "missing entity");
    let (answer, model) = run(&setting, model, WINTER, &published()).await;
    // Four rounds: two calls of the router each, validator and commentator in all but the last.
    assert_eq!(asked(&model).len(), 14);
    assert_eq!((model.calls_of("critique.validate"), model.calls_of("critique.comment")), (3, 3));
    assert_eq!(ranked(&answer), ["owl"]);
    let accepted =
        steps(&answer).into_iter().any(|s| matches!(s, Refinement::Validated { accepted: true, .. }));
    assert!(!accepted && answer.confidence < 0.5, "{}", answer.confidence);
}

#[tokio::test]
async fn an_empty_intersection_is_told_the_commentator_and_ends_it() {
    let setting = books().await;
    let model = ScriptedModel::new()
        .always(
            "plan.extract",
            extracted(&[("Ada Berg", "writer"), ("oak", "wood")], &["author", "material"]),
        )
        .always("plan.route", "graph")
        .always("critique.comment", "no intersection");
    let mut two = published();
    two.config.hybrid.rounds = 2;
    let (answer, model) = run(&setting, model, WINTER, &two).await;
    // Nothing was found, so nothing is validated.
    assert_eq!(
        asked(&model),
        ["plan.extract", "plan.route", "critique.comment", "plan.extract", "plan.route"]
    );
    let Constraint::Choice(options) = model.requests()[2].constraint.clone() else { panic!("no choice") };
    assert_eq!(
        options,
        [
            "incorrect entity: Ada Berg",
            "incorrect entity: oak",
            "incorrect relation: author",
            "incorrect relation: material",
            "no intersection",
            "incorrect retrieval module"
        ]
    );
    assert!(model.requests()[3].messages.last().unwrap().content.contains("nothing in common"));
    // Algorithm 1, line 15: the last round's result is the answer, and it is empty.
    assert_eq!((answer.status, ranked(&answer).len()), (Status::Abstained, 0), "{answer:#?}");
    assert!(answer.reason.is_some_and(|reason| reason.contains("last round")));
}

#[tokio::test]
async fn what_does_not_exist_is_mapped_left_out_or_cut_and_told() {
    let setting = books().await;
    let mut names = vec![("Ada Berg", "writer"), ("Xqzzt Vvkrw", "writer")];
    names.extend([("Tom Okafor", "x"), ("oak", "x"), ("Nordlicht", "x"), ("Salt Roads", "x")]);
    let model = ScriptedModel::new()
        .on("plan.extract", extracted(&names, &["birthplace"]))
        .on("plan.route", "graph")
        .on("critique.validate", "yes");
    let (answer, _) = run(&setting, model, WINTER, &published()).await;
    let told = relaxed(&answer);
    assert_eq!(told[0], "6 entities named: the first 5 are looked at");
    assert!(told.contains(&"no entity is called Xqzzt Vvkrw: it is left out".to_owned()), "{told:?}");
    let mapped = steps(&answer).into_iter().find_map(|step| match step {
        Refinement::Mapped { relation, to } => Some((relation, to)),
        _ => None,
    });
    assert_eq!(mapped, Some(("birthplace".to_owned(), "place of birth".to_owned())));
}

#[tokio::test]
async fn text_is_chosen_or_taken_where_nothing_is_extracted() {
    let setting = books().await;
    let question = "Which book is about owls?";
    let accepting = || ScriptedModel::new().always("critique.validate", "yes");
    let chosen = accepting().on("plan.extract", extracted(&[], &[])).on("plan.route", "text");
    let (answer, model) = run(&setting, chosen, question, &published()).await;
    assert_eq!((ranked(&answer)[0], asked(&model).len()), ("owl", 3));
    let nothing = accepting().on("plan.extract", extracted(&[("Salt Roads", "")], &["material"]));
    let (answer, model) = run(&setting, nothing.on("plan.route", "graph"), question, &published()).await;
    assert_eq!((ranked(&answer)[0], asked(&model).len()), ("owl", 3));
    assert_eq!(relaxed(&answer), ["the relations reach no entity with a document: searching by text alone"]);
    // Asked, asked once more, then reported.
    let prose = accepting().always("plan.extract", "I would look for owls.");
    let (answer, model) = run(&setting, prose, question, &published()).await;
    assert_eq!((ranked(&answer)[0], asked(&model).len()), ("owl", 3));
    assert!(answer.trace.iter().flatten().any(|event| matches!(event.event, Event::Degraded { .. })));
}

#[tokio::test]
async fn a_budget_that_ends_the_search_is_said() {
    let setting = books().await;
    let model = || {
        ScriptedModel::new()
            .always("plan.extract", extracted(&[("Ada Berg", "writer")], &["author"]))
            .always("plan.route", "graph")
            .always("critique.validate", "no")
            .always("critique.comment", "missing entity")
    };
    let mut few = published();
    few.limits.llm_calls = 3;
    let (answer, asked) = run(&setting, model(), WINTER, &few).await;
    assert_eq!((answer.status, ranked(&answer)[0], asked.calls()), (Status::Answered, "wave", 3));
    assert!(answer.notes.iter().any(|note| matches!(note, Note::Limit { .. })), "{:?}", answer.notes);
    // The limit is reached before anything is found, and no fallback replaces it.
    few.limits.llm_calls = 1;
    let (answer, _) = run(&setting, model(), WINTER, &few).await;
    assert_eq!((answer.status, ranked(&answer).len()), (Status::Abstained, 0));
}

#[tokio::test]
async fn the_ablations_ask_for_less() {
    let setting = books().await;
    let model = || {
        ScriptedModel::new()
            .always("plan.extract", extracted(&[("Ada Berg", "writer")], &["author"]))
            .always("plan.route", "graph")
            .always("critique.validate", "yes")
    };
    let with = |change: fn(&mut HybridConfig)| {
        let mut options = published();
        change(&mut options.config.hybrid);
        options
    };
    let text = with(|config| config.modules = Modules::Text);
    assert_eq!(run(&setting, model(), WINTER, &text).await.1.calls(), 0);
    let off = with(|config| config.critic = CriticKind::Off);
    assert_eq!(asked(&run(&setting, model(), WINTER, &off).await.1), ["plan.extract", "plan.route"]);
    let graph = with(|config| {
        config.modules = Modules::Graph;
        config.critic = CriticKind::Off;
    });
    let (answer, model_of_graph) = run(&setting, model(), WINTER, &graph).await;
    assert_eq!(asked(&model_of_graph), ["plan.extract"]);
    // Entities one step away come before those two steps away.
    assert!(["wave", "salt"].iter().all(|key| ranked(&answer)[..3].contains(key)), "{:?}", ranked(&answer));
    let blind = with(|config| config.validation_context = false);
    let (_, blind) = run(&setting, model(), WINTER, &blind).await;
    assert!(!blind.requests()[2].messages.last().unwrap().content.contains("Path:"));
    let mut oracle = published();
    oracle.critic = Some(Arc::new(Knows(vec!["wave".into()])));
    let (answer, oracle) = run(&setting, model(), WINTER, &oracle).await;
    assert_eq!((ranked(&answer)[0], asked(&oracle).len()), ("wave", 2));
}

#[tokio::test]
async fn training_questions_become_the_prompts_examples() {
    let setting = books().await;
    let engine = quipu_answer::Engine::new(setting.workspace.clone(), None, Some(embedder().await)).unwrap();
    let training = "Which novel of Nordlicht has an owl?";
    let questions = [(training.to_owned(), vec!["owl".to_owned()])];
    let learnt = (&HybridConfig::default(), Planner::Paths);
    engine.collect_experiences(&questions, 30, learnt, |_, _| {}).await.unwrap();
    let model = ScriptedModel::new()
        .on("plan.extract", extracted(&[("Ada Berg", "writer")], &["author"]))
        .on("plan.route", "graph")
        .on("critique.validate", "yes");
    let (_, model) = run(&setting, model, WINTER, &published()).await;
    let shown = &model.requests()[0].messages[0].content;
    let example = format!("Question: {training}\n");
    assert!(shown.contains(&example) && shown.contains(r#""relations":["publisher"]"#), "{shown}");
    assert!(!shown.contains("Salt Roads"), "the invented examples give way");
    let validated = &model.requests()[2].messages;
    // The right document with its path, a wrong one, each with its verdict.
    let texts: Vec<&str> = validated.iter().map(|message| message.content.as_str()).collect();
    let right = texts.iter().position(|text| text.contains("Document: Owl Hours")).unwrap();
    assert!(texts[right].contains("Path: Nordlicht ← publisher ← Owl Hours"), "{texts:?}");
    assert_eq!(texts[right + 1], "yes");
    let none = HybridConfig { examples: 0, validations: 0, ..HybridConfig::default() };
    let mut invented = published();
    invented.config.hybrid = none;
    let model = ScriptedModel::new()
        .on("plan.extract", extracted(&[("Ada Berg", "writer")], &["author"]))
        .on("plan.route", "graph")
        .on("critique.validate", "yes");
    let (_, model) = run(&setting, model, WINTER, &invented).await;
    assert!(!model.requests()[0].messages[0].content.contains(training));
}

/// The model routes while experiences are collected: the commentator learns from its errors.
#[tokio::test]
async fn the_routers_own_mistakes_are_learnt() {
    let setting = books().await;
    let model = ScriptedModel::new()
        .on("plan.extract", extracted(&[("Nordlicht", "publisher")], &["author"]))
        .on("plan.route", "text")
        .on("plan.extract", extracted(&[("Tom Okafor", "writer")], &["place of death"]))
        .on("plan.route", "graph")
        .on("plan.extract", extracted(&[("Tom Okafor", "writer")], &["author"]))
        .on("plan.route", "graph");
    let engine =
        quipu_answer::Engine::new(setting.workspace.clone(), Some(Arc::new(model)), Some(embedder().await))
            .unwrap();
    let questions = [("Which novel by Tom Okafor crosses a desert?".to_owned(), vec!["owl".to_owned()])];
    let how = (&HybridConfig::default(), Planner::Published);
    let learnt = engine.collect_experiences(&questions, 30, how, |_, _| {}).await.unwrap();
    let mut feedback: Vec<&str> = learnt.iter().map(|experience| experience.feedback.as_str()).collect();
    feedback.sort_unstable();
    assert_eq!(feedback, ["incorrect relation: place of death", "incorrect retrieval module"]);
}

#[tokio::test]
async fn a_query_in_the_routers_place_is_ranked_and_validated() {
    let setting = books().await;
    let sql =
        "SELECT novel.name FROM novel JOIN writer ON novel.author = writer.id WHERE writer.name = 'Ada Berg'";
    let model = ScriptedModel::new()
        .when(move |request| request.stage.starts_with("plan").then(|| sql.into()))
        .always("critique.validate", "yes");
    let mut options = published();
    options.config.planner = Planner::Query;
    options.config.query.least_confidence = 0.0;
    let question = "Which novel by Ada Berg is about a lighthouse keeper in winter?";
    let (answer, model) = run(&setting, model, question, &options).await;
    assert_eq!(ranked(&answer)[0], "wave", "{answer:#?}");
    assert_eq!(model.calls_of("compose"), 0, "rows are not copied by the model");
    assert_eq!(model.calls_of("critique.validate"), 1);
}
