//! Every parameter of the methods changes what can be seen: the calls, the prompts, the answer, or
//! the trace. A table holds, for each key, another value and a scene in which it shows.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where something fails")]

use std::collections::BTreeSet;
use std::sync::Arc;

use quipu_answer::{AskOptions, Engine, NamedMethod, Page, Question, open_source, set_option, settings};
use quipu_model::{ScoreRequest, ScriptedModel};
use serde_json::{Value, json};

use crate::common::shop::{LEAGUE, shop};
use crate::common::{CARDS, FILMS, MORE_CARDS, Setting, embedder, setting, setting_from, with_cards};
use crate::over::over_library;

/// The methods whose keys the table holds; baselines are left to their own tests.
const METHODS: [&str; 8] = ["kerag", "anchor", "hybrid", "verify", "pseudo", "query", "paths", "auto"];

/// What a method is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    /// [`FILMS`] with relation cards.
    Films,
    /// [`FILMS`] without cards.
    Bare,
    /// The shop: typed entities, two of one name.
    Shop,
    /// [`LEAGUE`]: entities without types.
    League,
    /// Writers, novels and towns with documents, also indexed by meaning.
    Books,
    /// The directors of [`FILMS`], and the rest as a second source.
    Halves,
    /// Three entities of one name: one with the question's relation, one with five similar ones,
    /// one with the most relations.
    Namesakes,
    /// An API of authors and books.
    Library,
}

/// A question to a method, with the options that the key needs to matter.
#[derive(Debug, Clone, Copy)]
struct Scene {
    method: &'static str,
    over: Over,
    question: &'static str,
    model: fn() -> ScriptedModel,
    pages: fn() -> Vec<Page>,
}

const BIRTHPLACE: &str = "where was the director of Kauwboy born?";
const WINTER: &str = "Which novel by a writer born in Lindau is about a lighthouse keeper in winter?";

const fn scene(
    method: &'static str,
    over: Over,
    question: &'static str,
    model: fn() -> ScriptedModel,
) -> Scene {
    Scene { method, over, question, model, pages: Vec::new }
}

/// A reply that reads as the model's knowledge and as a composition.
fn composed(answer: &str) -> String {
    json!({ "reasoning": "By the rows.", "status": "answered", "rows": ["E0"], "ways": ["W1"], "all": true,
        "operation": "none", "answers": [answer] })
    .to_string()
}

const CARD: &str = r#"{"head_kind": "thing", "tail_kind": "thing", "forward": "the ends of X", "backward": "the starts of X", "words_forward": ["end"], "words_backward": ["start"]}"#;

/// Replies that fit every method and never find the evidence sufficient.
fn obedient() -> ScriptedModel {
    ScriptedModel::new()
        .always(
            "plan.topic",
            r#"{"domain": "other", "entities": ["Kauwboy"], "time": "", "pair": 0, "operation": "list"}"#,
        )
        .always(
            "plan.time",
            r#"{"reasoning": "The year is named.", "from": "2012-01-01", "to": "2012-12-31"}"#,
        )
        .always("prune.relations", r#"{"irrelevant": [], "verdict": "more", "numbers": [1, 2, 3]}"#)
        .always("prune.entities", r#"{"numbers": [1, 2, 3]}"#)
        .always("prune.triples", r#"{"numbers": [1, 2, 3, 4, 5, 6, 7, 8]}"#)
        .always("critique.supervisor", "no")
        .always("link.keywords", r#"{"keywords": ["Kauwboy", "Tonio"]}"#)
        .always("plan.card", CARD)
        .always("plan.word", "0")
        .always("critique.scope", r#"{"verdict": "enough"}"#)
        .always("compose", composed("Leidschendam"))
        .always("compose.cot", composed("Leidschendam"))
}

/// A believer whose verifier keeps the rows that name the director.
fn believer() -> ScriptedModel {
    obedient()
        .always("plan.pseudo", "```cypher\n// precise\nCREATE (k:Film {name: 'Kauwboy', year: 1999})-[:DIRECTED_BY]->(p:Person {name: 'Jan Jansen'})\nCREATE (p)-[:BORN_IN]->(t:Town {name: 'Utrecht'})\n```")
        .always("critique.verify", r#"{"edits": [{"triple": "P1", "rows": ["E0"]}], "add": []}"#)
}

/// A router, a validator that says no, a commentator.
fn critic() -> ScriptedModel {
    obedient()
        .always(
            "plan.extract",
            r#"{"entities": [{"name": "Ada Berg", "category": "writer"}], "relations": ["author"]}"#,
        )
        .always("plan.route", "graph")
        .always("plan.type", "simple")
        .always("plan.dynamism", "static")
        .always("critique.validate", "no")
        .always("critique.comment", "incorrect entity: Tom Okafor")
}

/// The same by likelihoods, sure of the right novel.
fn scorer() -> ScriptedModel {
    let score = |request: &ScoreRequest| -> Option<Vec<f64>> {
        let texts = request.continuations.iter();
        Some(match request.stage.as_str() {
            "critique.validate" => vec![-0.4, -1.1],
            "critique.comment" => texts.map(|_| -1.0).collect(),
            _ => texts.map(|text| if text.contains("light") { -10.0 } else { -40.0 }).collect(),
        })
    };
    critic().when_scoring(score)
}

/// A reader of an API and of pages.
fn reader() -> ScriptedModel {
    obedient()
        .always("plan.domain", "books")
        .always(
            "plan.subject",
            r#"{"domain": "books", "entities": [{"name": "ada berg", "kind": "author"}]}"#,
        )
        .always("critique.pages", "yes")
}

/// Queries: the first names a column that the graph lacks, the others differ.
fn writer() -> ScriptedModel {
    obedient()
        .on("plan.query", "SELECT weight FROM product WHERE name = 'Falcon Drill'")
        .on("plan.query", "SELECT price FROM product WHERE name = 'Falcon Drill'")
        .on("plan.query", "SELECT price FROM product WHERE name = 'Falcon Drill'")
        .always("plan.query", "SELECT price FROM product")
}

/// Queries about something else than the question.
fn guesser() -> ScriptedModel {
    obedient().on("plan.query", "SELECT name FROM planet").always("plan.query", "SELECT name FROM city")
}

fn snippets() -> Vec<Page> {
    let page = |number: usize| Page {
        name: format!("Page {number}"),
        snippet: format!("Snippet {number} of Kauwboy."),
        text: "<html><p>The page's own words about Kauwboy.</p></html>".into(),
        ..Page::default()
    };
    (1..=20).map(page).collect()
}

/// A key, another value than the default, the options that both runs share, and the scene.
type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)], Scene);

fn cases() -> Vec<Case> {
    const PATHS: &[(&str, &str)] = &[("planner", "paths")];
    let kerag = scene("kerag", Over::Bare, BIRTHPLACE, obedient);
    let walked = scene("kerag", Over::Films, BIRTHPLACE, obedient);
    let anchor = scene("anchor", Over::Bare, BIRTHPLACE, obedient);
    let emma = scene("anchor", Over::Namesakes, "who directed Emma?", emmas);
    let books = scene("hybrid", Over::Books, WINTER, critic);
    let routed = scene("hybrid", Over::Books, WINTER, scorer);
    let paged = Scene { pages: snippets, ..scene("hybrid", Over::Bare, "who directed Kauwboy?", critic) };
    let library = scene("verify", Over::Library, "when was ada berg born?", reader);
    let read =
        Scene { pages: snippets, ..scene("verify", Over::Bare, "who is Kauwboy's own director?", reader) };
    let belief = scene("pseudo", Over::Bare, BIRTHPLACE, believer);
    let halves = scene("pseudo", Over::Halves, BIRTHPLACE, believer);
    let drill = scene("query", Over::Shop, "price of the falcon drill", writer);
    let odd =
        scene("query", Over::Shop, "Which gravitational constants govern galactic rotation curves?", guesser);
    let films = scene("paths", Over::Films, BIRTHPLACE, obedient);
    let cast = scene(
        "paths",
        Over::Films,
        "which actors starred in the films directed by Boudewijn Koole?",
        obedient,
    );
    let tonio = scene("paths", Over::Films, "which actors in Disappearance also starred in Tonio?", obedient);
    let both = scene("paths", Over::Films, "which actors starred in both Disappearance and Tonio?", obedient);
    let lamp = scene("paths", Over::Shop, "what is the price of the Owl Lamp?", obedient);
    let priced = scene("auto", Over::Shop, "what is the price of the Falcon Drill?", guesser);
    let dearest = scene("auto", Over::Shop, "which product has the highest price?", guesser);
    let town = scene("auto", Over::League, "what is the home city of Torrin Foxes?", guesser);
    // "Retail" is no word of the graph: no reading without the model explains it.
    let retail = scene("auto", Over::Shop, "what is the retail price of the Falcon Drill?", guesser);
    let scored = scene(
        "auto",
        Over::League,
        "what is the highest goals scored of those who play for Torrin Foxes?",
        guesser,
    );
    let lenient: &[(&str, &str)] = &[("pseudo.least_similarity", "0.3")];
    vec![
        ("kerag.max_hops", "1", &[], kerag),
        ("kerag.filter", "off", &[], kerag),
        ("kerag.keep", "1", &[("kerag.filter", "similarity")], kerag),
        ("kerag.pairs", "0", &[], kerag),
        ("kerag.time", "model", &[], kerag),
        ("kerag.summary", "plain", &[], kerag),
        (
            "kerag.paths",
            "1",
            &[("planner", "paths"), ("kerag.least_confidence", "0")],
            Scene { question: "who made or starred in Kauwboy?", ..walked },
        ),
        ("kerag.least_confidence", "2", PATHS, walked),
        ("anchor.anchors", "1", &[], anchor),
        ("anchor.relations_scored", "1", &[("anchor.anchors", "1")], emma),
        ("anchor.width", "1", &[], anchor),
        ("anchor.depth", "1", &[], anchor),
        ("anchor.candidates", "1", &[], Scene { over: Over::Shop, model: lamps, ..anchor }),
        ("anchor.predictor", "index", &[], anchor),
        ("anchor.grounding", "off", &[("anchor.anchors", "1")], emma),
        ("anchor.guide", "similarity", &[], anchor),
        ("anchor.triple_filter", "no", &[], anchor),
        ("anchor.shown", "1", &[], anchor),
        ("anchor.model_alone", "no", &[], anchor),
        ("hybrid.rounds", "1", &[], books),
        ("hybrid.modules", "text", &[], books),
        ("hybrid.critic", "off", &[], books),
        ("hybrid.validation_context", "no", &[], books),
        ("hybrid.examples", "0", &[], books),
        ("hybrid.validations", "0", &[], books),
        ("hybrid.experiences", "0", &[], books),
        ("hybrid.batch", "1", &[("hybrid.modules", "text")], paged),
        ("hybrid.compose", "yes", &[], books),
        ("hybrid.mentions", "0", PATHS, routed),
        ("hybrid.senses", "0", PATHS, routed),
        ("hybrid.radius", "1", PATHS, routed),
        ("hybrid.widest", "1", PATHS, routed),
        ("hybrid.ranking", "similarity", PATHS, routed),
        ("hybrid.read", "4", PATHS, routed),
        ("hybrid.accept", "0.9", PATHS, routed),
        ("hybrid.likelihood", "yes", PATHS, routed),
        ("pseudo.nearest", "1", lenient, belief),
        ("pseudo.least_similarity", "0.3", &[], belief),
        ("pseudo.verification", "off", lenient, belief),
        ("pseudo.model_alone", "no", &[("pseudo.least_similarity", "1")], belief),
        ("pseudo.all_sources", "no", lenient, halves),
        ("pseudo.most_triples", "1", lenient, belief),
        ("pseudo.whole", "0", &[("pseudo.least_similarity", "0.3"), ("pseudo.around", "1")], belief),
        ("pseudo.around", "1", &[("pseudo.least_similarity", "0.3"), ("pseudo.whole", "0")], belief),
        ("pseudo.least_fit", "1", PATHS, Scene { over: Over::Films, ..belief }),
        ("pseudo.always_compose", "yes", PATHS, Scene { over: Over::Films, ..belief }),
        ("pseudo.relations", "1", PATHS, Scene { over: Over::Films, ..belief }),
        ("verify.graph", "no", &[], library),
        ("verify.check", "no", &[("verify.graph", "no")], read),
        ("verify.domain_call", "no", &[], library),
        ("verify.reference", "whole", &[("verify.graph", "no")], read),
        ("verify.few_pages", "20", &[("verify.graph", "no")], read),
        ("verify.snippets", "2", &[("verify.graph", "no")], read),
        ("verify.operations", "0", &[], library),
        ("query.repair", "no", &[], drill),
        ("query.alternatives", "0", &[("query.tokens", "20000")], odd),
        ("query.temperature", "0.1", &[("query.tokens", "20000")], odd),
        ("query.sure", "0", &[("query.tokens", "20000")], odd),
        ("query.least_confidence", "0", &[("query.tokens", "20000")], odd),
        ("query.table_bytes", "40", &[], drill),
        ("query.tokens", "1", &[], drill),
        ("query.hints", "no", &[], drill),
        ("paths.max_hops", "1", &[], films),
        ("paths.frontier", "1", &[], cast),
        ("paths.neighbours", "1", &[], cast),
        ("paths.paths", "1", &[], cast),
        ("paths.mentions", "1", &[], tonio),
        ("paths.candidates", "1", &[], lamp),
        ("paths.run", "0", &[], cast),
        ("paths.new_cards", "0", &[], Scene { over: Over::Bare, ..films }),
        (
            "paths.new_meanings",
            "0",
            &[],
            Scene { question: "which strange director made the purple Kauwboy?", ..films },
        ),
        ("paths.meet", "0", &[], both),
        (
            "paths.sure",
            "0",
            &[],
            Scene { question: "which strange director made the purple Kauwboy?", ..films },
        ),
        ("paths.least_confidence", "1", &[], films),
        ("auto.typed.sure", "1", &[], priced),
        ("auto.typed.sure_calculated", "0.1", &[], dearest),
        ("auto.typed.least_confidence", "1", &[("auto.typed.sure", "1")], retail),
        ("auto.typed.cards", "yes", &[("auto.typed.sure", "1")], priced),
        (
            "auto.typed.sure_with_cards",
            "1",
            &[("auto.typed.sure", "1"), ("auto.typed.cards", "yes"), ("query.table_bytes", "40")],
            priced,
        ),
        (
            "auto.typed.sure_beside_names",
            "1",
            &[("auto.typed.sure", "1"), ("auto.typed.cards", "yes")],
            priced,
        ),
        ("auto.untyped.sure", "1", &[], town),
        ("auto.untyped.sure_calculated", "0.1", &[], scored),
        ("auto.untyped.least_confidence", "1", &[], town),
        ("auto.untyped.cards", "no", &[("auto.untyped.sure", "1")], town),
        (
            "auto.untyped.sure_with_cards",
            "1",
            &[("auto.untyped.sure", "1"), ("query.table_bytes", "40")],
            town,
        ),
        ("auto.untyped.sure_beside_names", "1", &[("auto.untyped.sure", "1")], town),
        ("auto.llm_calls", "1", &[("auto.typed.sure", "1")], priced),
    ]
}

fn lamps() -> ScriptedModel {
    obedient().on("link.keywords", r#"{"keywords": ["Owl Lamp"]}"#)
}

fn emmas() -> ScriptedModel {
    obedient().on("link.keywords", r#"{"keywords": ["Emma"]}"#)
}

/// Keys whose effect no scene shows, each with the reason.
const UNSEEN: [(&str, &str); 2] = [
    ("auto.typed.agreed", "counts only where a query agrees and none is sure: query_or_path.rs"),
    ("auto.untyped.agreed", "the same"),
];

const NODES: &str = r#"{"id": "ada", "name": "Ada Berg", "type": "writer", "text": "Writer of the north."}
{"id": "tom", "name": "Tom Okafor", "type": "writer", "text": "Writer of the plains."}
{"id": "wave", "name": "The Ninth Wave", "type": "novel", "text": "The keeper of a light is cut off by ice from November to March."}
{"id": "salt", "name": "Salt Roads", "type": "novel", "text": "A caravan crosses the desert with a stolen map."}
{"id": "owl", "name": "Owl Hours", "type": "novel", "text": "A boy raises owls in an old mill."}
{"id": "town", "name": "Lindau", "type": "town", "text": "A town on a lake."}
{"id": "ship", "name": "Lindau", "type": "ship", "text": "A sailing ship of oak."}
{"id": "press", "name": "Nordlicht", "type": "publisher", "text": "A house of books."}
"#;
const EDGES: &str = "wave\tauthor\tada\nsalt\tauthor\tada\nowl\tauthor\ttom\nada\tplace of birth\ttown\n\
    tom\tplace of death\ttown\nwave\tpublisher\tpress\nsalt\tpublisher\tpress\nowl\tpublisher\tpress\n";

/// Training examples of the base of books.
const EXPERIENCES: &str = r#"
[[experience]]
question = "Which novel of Nordlicht has an owl?"
module = "hybrid"
entities = ["Tom Okafor"]
relations = ["author"]
kind = "incorrect_entity"
feedback = "incorrect entity: Tom Okafor"

[[extracted]]
question = "Which novel of Nordlicht has an owl?"
entities = ["Nordlicht"]
categories = ["publisher"]
relations = ["publisher"]

[[judged]]
question = "Which novel of Nordlicht has an owl?"
category = "novel"
document = "Owl Hours: A boy raises owls in an old mill."
paths = ["Nordlicht ← publisher ← Owl Hours"]
right = true
"#;

const EMMAS: &str = r#"@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:a rdfs:label "Emma" ; :directed_by "Ada Berg" ; :owner "Bo Ray" ; :port "Lima" ; :tonnage "90" ; :engine "Diesel" .
:b rdfs:label "Emma" ; :art_director "Cy Moe" ; :casting_director "Di Fox" ; :assistant_director "Ed Lee" ; :second_director "Flo Orr" ; :music_director "Gus Ash" .
:c rdfs:label "Emma" ; :weight "1" ; :height "2" ; :width "3" ; :depth "4" ; :colour "red" ; :material "oak" ; :shape "round" ; :age "5" .
"#;

/// New workspaces for each run: what a run learns must not reach another one.
async fn opened(over: Over) -> (Vec<Setting>, Option<wiremock::MockServer>) {
    let cards = format!("{CARDS}{MORE_CARDS}");
    let half = |directors: bool| -> String {
        let lines = FILMS.lines().filter(|line| line.contains("directed_by") == directors);
        lines.map(|line| format!("{line}\n")).collect()
    };
    let one = match over {
        Over::Films => with_cards(setting(FILMS).await, &cards),
        Over::Bare => setting(FILMS).await,
        Over::Shop => shop().await,
        Over::League => setting(LEAGUE).await,
        Over::Namesakes => setting_from("emma.ttl", EMMAS).await,
        Over::Books => {
            let books = crate::common::setting_with_indexed_documents(NODES, EDGES).await;
            std::fs::write(books.workspace.folder().join("experiences.toml"), EXPERIENCES).unwrap();
            books
        }
        Over::Halves => return (vec![setting(&half(true)).await, setting(&half(false)).await], None),
        Over::Library => {
            let (server, setting) = over_library().await;
            return (vec![setting], Some(server));
        }
    };
    (vec![one], None)
}

/// Removes what differs between two runs of one question: times.
fn without_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| name != "at" && !name.ends_with("seconds"));
            fields.values_mut().for_each(without_times);
        }
        Value::Array(values) => values.iter_mut().for_each(without_times),
        _ => {}
    }
}

/// Everything that can be seen of a question: requests to the model, the answer with its trace.
async fn seen(scene: Scene, set: &[(&str, &str)]) -> String {
    let named: NamedMethod = scene.method.parse().unwrap();
    let mut options = AskOptions {
        method: named.method,
        keep_trace: true,
        pages: Arc::from((scene.pages)()),
        ..AskOptions::default()
    };
    for (key, value) in set {
        set_option(&mut options, key, value).unwrap();
    }
    let (workspaces, _server) = opened(scene.over).await;
    let model = Arc::new((scene.model)());
    let (first, others) = workspaces.split_first().unwrap();
    let others = others.iter().map(|other| open_source(other.workspace.clone()).unwrap()).collect();
    let engine = Engine::new(first.workspace.clone(), Some(model.clone()), Some(embedder().await)).unwrap();
    let question = Question::new(scene.question, "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
    let answer = engine.with_sources(others).ask(&question, &options).await;
    let mut answer = answer.map_or_else(|error| json!(error.to_string()), |answer| json!(answer));
    without_times(&mut answer);
    let chats = model.requests().into_iter().map(|mut request| {
        request.timeout = std::time::Duration::ZERO;
        json!(request)
    });
    let scores =
        model.score_requests().into_iter().map(|request| json!([request.stage, request.continuations]));
    let text =
        json!({ "chats": chats.collect::<Vec<_>>(), "scores": scores.collect::<Vec<_>>(), "answer": answer });
    // Servers and folders have other names in each run.
    let folders = workspaces.iter().map(|one| one.folder.path().display().to_string());
    folders.fold(text.to_string(), |text, folder| text.replace(&folder, "FOLDER"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_parameter_changes_what_can_be_seen() {
    let (mut silent, mut unsteady) = (Vec::new(), Vec::new());
    for (key, value, shared, scene) in cases() {
        let usual = seen(scene, shared).await;
        let changed = seen(scene, &[shared, &[(key, value)]].concat()).await;
        if usual == changed {
            silent.push(key);
        } else if usual != seen(scene, shared).await {
            unsteady.push(key);
        }
    }
    let none: (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    assert_eq!((silent, unsteady), none, "keys that change nothing; keys whose scene differs by itself");
}

#[test]
fn each_parameter_of_a_method_has_a_case_or_a_reason_for_none() {
    let of_method =
        |key: &&str| METHODS.iter().any(|method| key.split('.').next() == Some(method) && key.contains('.'));
    let known: BTreeSet<&str> =
        settings().iter().map(|setting| setting.key.as_str()).filter(of_method).collect();
    let cases: Vec<&str> =
        cases().iter().map(|(key, ..)| *key).chain(UNSEEN.iter().map(|(key, _)| *key)).collect();
    let held: BTreeSet<&str> = cases.iter().copied().collect();
    assert_eq!(cases.len(), held.len(), "a key stands twice");
    assert_eq!(held, known);
}
