//! The routers of the hybrid method: what the graph proposes, what a model writes, and what becomes of names and relations that do not
//! exist.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use crate::common;
use std::sync::Arc;

use common::{CountingEmbedder, Setting, embedder, options, setting_with_indexed_documents};
use quipu_answer::{
    Answer, AskOptions, CriticKind, ErrorKind, Event, Experience, HybridConfig, Method, Modules, Ranking,
    Refinement, RouterKind,
};
use quipu_model::{Embedder, Embeddings, ModelError, ScriptedModel};

const NODES: &str = r#"{"id": "ada", "name": "Ada Berg", "type": "writer", "text": "Writer of the north."}
{"id": "tom", "name": "Tom Okafor", "type": "writer", "text": "Writer of the plains."}
{"id": "wave", "name": "The Ninth Wave", "type": "novel", "text": "The keeper of a light is cut off by ice from November to March."}
{"id": "salt", "name": "Salt Roads", "type": "novel", "text": "A caravan crosses the desert with a stolen map."}
{"id": "owl", "name": "Owl Hours", "type": "novel", "text": "A boy raises owls in an old mill."}
{"id": "town", "name": "Lindau", "type": "town", "text": "A town on a lake."}
{"id": "ship", "name": "Lindau", "type": "ship", "text": "A sailing ship of oak."}
{"id": "press", "name": "Nordlicht", "type": "publisher", "text": "A house of books."}
{"id": "prize", "name": "Amber Quill", "type": "prize", "text": "A prize for books."}
{"id": "oak", "name": "oak", "type": "wood", "text": "A hard wood."}
"#;
const EDGES: &str = "wave\tauthor\tada\nsalt\tauthor\tada\nowl\tauthor\ttom\nada\tplace of birth\ttown\ntom\tplace of death\ttown\n\
    wave\tpublisher\tpress\nsalt\tpublisher\tpress\nowl\tpublisher\tpress\nwave\taward\tprize\nowl\taward\tprize\nship\tmaterial\toak\n";
const WINTER: &str = "Which novel by a writer born in Lindau is about a lighthouse keeper in winter?";

async fn books() -> Setting {
    setting_with_indexed_documents(NODES, EDGES).await
}

fn routed_by(router: RouterKind) -> AskOptions {
    let mut options = options(Method::Hybrid);
    options.config.hybrid.router = router;
    options.config.hybrid.compose = false;
    options.config.hybrid.critic = CriticKind::Off;
    options
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

fn steps(answer: &Answer) -> Vec<Refinement> {
    let step = |event: &quipu_answer::TimedEvent| match &event.event {
        Event::Refined { step, .. } => Some(step.clone()),
        _ => None,
    };
    answer.trace.iter().flatten().filter_map(step).collect()
}

fn ranked(answer: &Answer) -> Vec<&str> {
    answer.ranked.iter().map(|entity| entity.key.as_str()).collect()
}

fn relaxed(answer: &Answer) -> Vec<String> {
    let step = |step| match step {
        Refinement::Relaxed { step } => Some(step),
        _ => None,
    };
    steps(answer).into_iter().filter_map(step).collect()
}

fn route(entities: &[&str], relations: &[&str], module: &str) -> String {
    serde_json::json!({ "entities": entities, "relations": relations, "module": module }).to_string()
}

#[tokio::test]
async fn the_graph_proposes_ways_along_two_relations() {
    // Text alone would take the one by Tom Okafor.
    let mut nodes = NODES.replace("A boy raises owls", "A lighthouse keeper raises owls in winter");
    let mut edges = EDGES.to_owned();
    for number in 0..8 {
        let name = format!("Volume {number}");
        nodes.push_str(&format!(
            "{{\"id\": \"n{number}\", \"name\": \"{name}\", \"type\": \"novel\", \"text\": \"A story.\"}}\n"
        ));
        edges.push_str(&format!("n{number}\tauthor\tada\n"));
    }
    let setting = setting_with_indexed_documents(&nodes, &edges).await;
    let (answer, model) = run(&setting, ScriptedModel::new(), WINTER, &routed_by(RouterKind::Graph)).await;
    assert_eq!((ranked(&answer)[0], model.calls()), ("wave", 0));
    assert_eq!(answer.ranked[0].paths, ["Lindau ← place of birth ← author ← The Ninth Wave"]);
    let mut near = routed_by(RouterKind::Graph);
    near.config.hybrid.requirements.radius = 1;
    let (answer, _) = run(&setting, ScriptedModel::new(), WINTER, &near).await;
    assert!(answer.ranked.iter().all(|entity| entity.paths.iter().all(|path| path.matches('←').count() < 3)));
}

#[tokio::test]
async fn three_conditions_meet() {
    let question = "Which novel by Ada Berg, out at Nordlicht, won the Amber Quill?";
    let setting = books().await;
    let chosen =
        route(&["Nordlicht", "Ada Berg", "Amber Quill"], &["publisher", "author", "award"], "hybrid");
    let model = ScriptedModel::new().on("plan.route", chosen);
    let (answer, model) = run(&setting, model, question, &routed_by(RouterKind::Model)).await;
    assert_eq!((ranked(&answer)[0], model.calls(), answer.ranked[0].paths.len()), ("wave", 1, 3));
    // What the model named is what was linked, in its order.
    let linked = answer.trace.iter().flatten().rev().find_map(|timed| match &timed.event {
        Event::Linked { mentions } => Some(mentions.iter().map(|m| m.candidates[0].name.clone()).collect()),
        _ => None,
    });
    assert_eq!(linked, Some(["Nordlicht", "Ada Berg", "Amber Quill"].map(str::to_owned).to_vec()));

    // The graph proposes them too, where each leaves something to choose from.
    let (mut nodes, mut edges) = (NODES.to_owned(), EDGES.to_owned());
    for number in 0..30 {
        nodes.push_str(&format!("{{\"id\": \"n{number}\", \"name\": \"Volume {number}\", \"type\": \"novel\", \"text\": \"A story.\"}}\n"));
        for (every, relation, end) in [(2, "author", "ada"), (3, "publisher", "press"), (5, "award", "prize")]
        {
            if (number + 1) % every == 0 {
                edges.push_str(&format!("n{number}\t{relation}\t{end}\n"));
            }
        }
    }
    let setting = setting_with_indexed_documents(&nodes, &edges).await;
    let (answer, _) = run(&setting, ScriptedModel::new(), question, &routed_by(RouterKind::Graph)).await;
    let mut satisfying: Vec<&str> = answer
        .ranked
        .iter()
        .filter(|entity| entity.paths.len() == 3)
        .map(|entity| entity.key.as_str())
        .collect();
    satisfying.sort_unstable();
    assert_eq!(satisfying, ["n29", "wave"]);
    assert!(satisfying.contains(&ranked(&answer)[0]));
}

#[tokio::test]
async fn relations_that_do_not_exist_are_taken_for_the_nearest_and_told() {
    let setting = books().await;
    let model =
        ScriptedModel::new().on("plan.route", route(&["Lindau"], &["birthplace", "written by"], "hybrid"));
    let (answer, model) = run(&setting, model, WINTER, &routed_by(RouterKind::Model)).await;
    // Of the two that are called Lindau the one whose neighbours' documents fit.
    assert_eq!((ranked(&answer)[0], model.calls()), ("wave", 1));
    let mapped: Vec<(String, String)> = steps(&answer)
        .into_iter()
        .filter_map(|step| match step {
            Refinement::Mapped { relation, to } => Some((relation, to)),
            _ => None,
        })
        .collect();
    let expected = [("birthplace", "place of birth"), ("written by", "author")];
    assert_eq!(mapped, expected.map(|(relation, to)| (relation.to_owned(), to.to_owned())));
    // The model saw what there is, in the part of the prompt that stays the same.
    let told = &model.requests()[0].messages[0].content;
    assert!(told.contains("place of birth") && told.contains("novel") && !told.contains(WINTER), "{told}");
}

#[tokio::test]
async fn a_hundred_entities_are_cut_and_strangers_left_out() {
    let setting = books().await;
    let mut names: Vec<String> = (0..98).map(|number| format!("Stranger {number}")).collect();
    names.insert(0, "Ada Berg".into());
    names.insert(1, "Xqzzt Vvkrw".into());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let model = ScriptedModel::new().on("plan.route", route(&names, &["author"], "hybrid"));
    let (answer, model) =
        run(&setting, model, "What did Ada Berg write of ice?", &routed_by(RouterKind::Model)).await;
    assert_eq!((ranked(&answer)[0], model.calls()), ("wave", 1));
    let told = relaxed(&answer);
    assert_eq!(told[0], "100 entities named: the first 5 are looked at");
    assert!(told.contains(&"no entity is called Xqzzt Vvkrw: without it".to_owned()), "{told:?}");
}

#[tokio::test]
async fn where_nothing_meets_all_the_weakest_is_dropped_and_told() {
    let setting = books().await;
    let model =
        ScriptedModel::new().on("plan.route", route(&["Ada Berg", "oak"], &["author", "material"], "hybrid"));
    let question = "Which novel by Ada Berg of oak is about ice?";
    let (answer, _) = run(&setting, model, question, &routed_by(RouterKind::Model)).await;
    assert_eq!(relaxed(&answer), ["nothing satisfies all: without oak"]);
    assert_eq!(ranked(&answer)[0], "wave");
}

#[tokio::test]
async fn where_nothing_is_near_the_radius_widens_and_then_text_takes_the_question() {
    // Nothing is written about the one member of the guild.
    let nodes = format!(
        "{NODES}{}\n{}\n",
        r#"{"id": "guild", "name": "Old Guild", "type": "guild", "text": "A guild."}"#,
        r#"{"id": "per", "name": "Per Holm", "type": "writer"}"#,
    );
    let edges = format!("{EDGES}per\tmember of\tguild\nwave\tauthor\tper\n");
    let setting = setting_with_indexed_documents(&nodes, &edges).await;
    let ask = async |relations: &'static [&'static str], radius: usize| {
        let model = ScriptedModel::new().on("plan.route", route(&["Old Guild"], relations, "hybrid"));
        let mut options = routed_by(RouterKind::Model);
        options.config.hybrid.requirements.radius = radius;
        let question = "Which novel of the Old Guild is about a light in the ice?";
        let (answer, model) = run(&setting, model, question, &options).await;
        assert_eq!((ranked(&answer)[0], model.calls()), ("wave", 1));
        (relaxed(&answer), answer.ranked[0].paths.clone())
    };
    let way = "Old Guild ← member of ← author ← The Ninth Wave".to_owned();
    let wider = "nothing with a document so near: within 2 steps".to_owned();
    assert_eq!(ask(&["member of", "author"], 2).await, (vec![], vec![way.clone()]));
    assert_eq!(ask(&["member of", "author"], 1).await, (vec![wider.clone()], vec![way]));
    let text = "by text alone".to_owned();
    assert_eq!(ask(&["material"], 1).await, (vec![wider, text.clone()], vec![]));
    assert_eq!(ask(&["material"], 2).await, (vec![text], vec![]));
}

#[tokio::test]
async fn feedback_reaches_the_model_with_what_it_chose_before() {
    let setting = books().await;
    let score = |request: &quipu_model::ScoreRequest| -> Option<Vec<f64>> {
        let asked = &request.messages.last()?.content;
        let texts = request.continuations.iter();
        match request.stage.as_str() {
            "critique.validate" if asked.contains("The Ninth Wave") => Some(vec![-0.1, -3.0]),
            "critique.validate" => Some(vec![-9.0, -0.1]),
            "critique.comment" => Some(
                texts.map(|text| if text == "incorrect entity: Tom Okafor" { -1.0 } else { -20.0 }).collect(),
            ),
            _ => None,
        }
    };
    let model = ScriptedModel::new()
        .when_scoring(score)
        .on("plan.route", route(&["Tom Okafor"], &["author"], "hybrid"))
        .on("plan.route", route(&["Lindau"], &["author", "place of birth"], "hybrid"));
    let mut options = routed_by(RouterKind::Model);
    options.config.hybrid.critic = CriticKind::Model;
    let (answer, model) = run(&setting, model, WINTER, &options).await;
    assert_eq!(ranked(&answer)[0], "wave");
    // Route, validate, comment; route, validate.
    assert_eq!((answer.usage.llm_calls, model.calls()), (5, 5));
    let again = model.requests().into_iter().filter(|request| request.stage == "plan.route").nth(1).unwrap();
    let told = &again.messages.last().unwrap().content;
    assert!(
        told.contains(r#"The entity "Tom Okafor" is wrong"#) && told.contains(r#""relations":["author"]"#),
        "{told}"
    );
}

#[tokio::test]
async fn the_model_may_choose_text_and_a_reply_that_cannot_be_read_is_that_too() {
    let setting = books().await;
    let question = "Which book is about owls?";
    let text = ScriptedModel::new().on("plan.route", route(&[], &[], "text"));
    let (answer, model) = run(&setting, text, question, &routed_by(RouterKind::Model)).await;
    assert_eq!((ranked(&answer)[0], model.calls()), ("owl", 1));
    let prose = ScriptedModel::new().always("plan.route", "I would look for owls.");
    let (answer, model) = run(&setting, prose, question, &routed_by(RouterKind::Model)).await;
    // Asked, and asked once more.
    assert_eq!((ranked(&answer)[0], model.calls()), ("owl", 2));
    let degraded = answer.trace.iter().flatten().any(|event| matches!(event.event, Event::Degraded { .. }));
    assert!(degraded);
    let mut none = routed_by(RouterKind::Model);
    none.limits.llm_calls = 0;
    let (answer, model) = run(&setting, ScriptedModel::new(), question, &none).await;
    assert_eq!((ranked(&answer)[0], model.calls()), ("owl", 0));
}

#[tokio::test]
async fn a_model_that_repeats_itself_ends_the_search() {
    let setting = books().await;
    let score = |request: &quipu_model::ScoreRequest| match request.stage.as_str() {
        "critique.validate" => Some(vec![-9.0, -0.1]),
        "critique.comment" => Some(request.continuations.iter().map(|_| -1.0).collect()),
        _ => None,
    };
    let model = ScriptedModel::new()
        .when_scoring(score)
        .always("plan.route", route(&["oak"], &["material"], "hybrid"));
    let mut options = routed_by(RouterKind::Model);
    options.config.hybrid.critic = CriticKind::Model;
    let (answer, model) = run(&setting, model, "What is of oak?", &options).await;
    assert_eq!(ranked(&answer)[0], "ship");
    assert_eq!(model.calls(), 4, "route, validate, comment, the same route: nothing new to try");
}

#[tokio::test]
async fn documents_are_read_word_for_word_unless_similarity_is_wanted() {
    let setting = books().await;
    let counts = |ranking: Ranking, modules: Modules| {
        let mut options = routed_by(RouterKind::Graph);
        (options.config.hybrid.ranking, options.config.hybrid.modules) = (ranking, modules);
        let setting = &setting;
        async move {
            let embedder = Arc::new(CountingEmbedder::new(embedder().await));
            let answer = common::ask(setting, None, Some(embedder.clone()), WINTER, &options).await;
            (ranked(&answer)[0].to_owned(), embedder.word_for_word())
        }
    };
    let (best, read) = counts(Ranking::Words, Modules::Both).await;
    // The question, and each document once.
    assert!(best == "wave" && (2..=11).contains(&read), "{best} {read}");
    let (best, read) = counts(Ranking::Words, Modules::Text).await;
    assert!(best == "wave" && read == 11, "{best} {read}");
    assert_eq!(counts(Ranking::Similarity, Modules::Both).await.1, 0);
}

/// An embedder of whole texts only, as one behind HTTP.
struct Whole(Arc<dyn Embedder>);

#[async_trait::async_trait]
impl Embedder for Whole {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn fingerprint(&self) -> &str {
        self.0.fingerprint()
    }
    fn dimensions(&self) -> usize {
        self.0.dimensions()
    }
    async fn embed(&self, texts: &[&str]) -> Result<Embeddings, ModelError> {
        self.0.embed(texts).await
    }
}

#[tokio::test]
async fn an_embedder_without_tokens_ranks_by_similarity() {
    let setting = books().await;
    let options = routed_by(RouterKind::Graph);
    let whole: Arc<dyn Embedder> = Arc::new(Whole(embedder().await));
    let answer = common::ask(&setting, None, Some(whole), WINTER, &options).await;
    let mut similar = routed_by(RouterKind::Graph);
    similar.config.hybrid.ranking = Ranking::Similarity;
    let same = common::ask(&setting, None, Some(embedder().await), WINTER, &similar).await;
    assert_eq!(ranked(&answer), ranked(&same));
}

#[tokio::test]
async fn an_action_that_finds_something_else_first_is_an_experience_though_the_answer_is_among_its_ends() {
    let setting = books().await;
    let engine = quipu_answer::Engine::new(setting.workspace.clone(), None, Some(embedder().await)).unwrap();
    let collected = async |answer: &str| {
        let question = "Which novel by Ada Berg crosses a desert with a map?".to_owned();
        let questions = [(question, vec![answer.to_owned()])];
        engine.collect_experiences(&questions, 30, &HybridConfig::default(), |_, _| {}).await.unwrap()
    };
    let (right, other) = (collected("salt").await, collected("wave").await);
    assert_eq!(right, []);
    let missing = |experience: &Experience| experience.kind == ErrorKind::MissingEntity;
    assert!(other.iter().any(missing), "{other:?}");
}

#[tokio::test]
async fn experiences_are_collected_balanced_and_shown_to_the_commentator() {
    let setting = books().await;
    let engine = quipu_answer::Engine::new(setting.workspace.clone(), None, Some(embedder().await)).unwrap();
    // What the graph proposes first is wrong for these: the answers say so.
    let questions: Vec<(String, Vec<String>)> = [
        ("Which novel of Nordlicht has an owl?", "ship"),
        ("Which novel by Tom Okafor crosses a desert?", "salt"),
        ("Who wrote of ice?", "oak"),
        ("What is in Lindau?", "salt"),
    ]
    .map(|(question, answer)| (question.to_owned(), vec![answer.to_owned()]))
    .to_vec();
    let all = engine.collect_experiences(&questions, 30, &HybridConfig::default(), |_, _| {}).await.unwrap();
    assert!(all.len() > 3, "{all:?}");
    let kinds: std::collections::HashSet<_> = all.iter().map(|experience| experience.kind).collect();
    assert!(kinds.len() > 1, "{kinds:?}");
    // Balanced: the first of each kind come before the second of any.
    let first: std::collections::HashSet<_> = all.iter().take(kinds.len()).map(|e| e.kind).collect();
    assert_eq!(first.len(), kinds.len());
    assert_eq!(
        engine.collect_experiences(&questions, 2, &HybridConfig::default(), |_, _| {}).await.unwrap().len(),
        2
    );
    engine.collect_experiences(&questions, 30, &HybridConfig::default(), |_, _| {}).await.unwrap();

    let shown = async |examples: usize| {
        let score = |request: &quipu_model::ScoreRequest| match request.stage.as_str() {
            "critique.validate" => Some(vec![-9.0, -0.1]),
            _ => Some(request.continuations.iter().map(|_| -1.0).collect()),
        };
        let mut options = routed_by(RouterKind::Graph);
        options.config.hybrid.critic = CriticKind::Model;
        options.config.hybrid.experiences = examples;
        options.config.hybrid.rounds = 2;
        let question = "Which novel by Tom Okafor is about ice?";
        let (_, model) = run(&setting, ScriptedModel::new().when_scoring(score), question, &options).await;
        let requests = model.score_requests();
        let comment = requests.iter().find(|request| request.stage == "critique.comment").unwrap();
        comment.messages[0].content.matches("\nQuestion: ").count()
    };
    let (none, two, most) = (shown(0).await, shown(2).await, shown(30).await);
    assert_eq!((two - none, most - none), (2, all.len()));
}
