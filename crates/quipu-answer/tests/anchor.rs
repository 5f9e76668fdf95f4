//! AnchorRAG against a scripted model: its calls, their order and number, and how it ends.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::common;
use std::sync::Arc;

use common::{FILMS, ask, composed, embedder, run, setting};
use quipu_answer::{
    AnchorConfig, AnchorGrounding, Answer, AskOptions, Event, Guide, Limits, Method, MethodConfig, Note,
    Planner, Predictor, Status,
};
use quipu_model::{ChatRequest, ScriptedModel};

const BIRTHPLACE: &str = "where was the director of Kauwboy born?";
pub(crate) const KEYWORDS: &str = r#"{"keywords": ["Kauwboy"]}"#;
const KNOWN: &str = r#"{"reasoning": "As is known.", "answers": ["Ada Berg"]}"#;

pub(crate) fn asked_with(planner: Planner, anchor: AnchorConfig) -> AskOptions {
    let config = MethodConfig { anchor, planner, ..MethodConfig::default() };
    let limits = Limits { llm_calls: 60, ..Limits::default() };
    AskOptions { method: Method::Anchor, config, limits, keep_trace: true, ..AskOptions::default() }
}

/// The method as published.
fn published(config: AnchorConfig) -> AskOptions {
    asked_with(Planner::Published, config)
}

fn guided(guide: Guide) -> AnchorConfig {
    AnchorConfig { guide, ..AnchorConfig::default() }
}

/// The numbered lines of a request's question.
fn listed(request: &ChatRequest) -> Vec<String> {
    let numbered =
        |line: &&str| line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    request.messages.last().unwrap().content.lines().filter(numbered).map(str::to_owned).collect()
}

/// From any list, picks the lines that contain one of `words`.
fn picking(model: ScriptedModel, words: &'static [&'static str]) -> ScriptedModel {
    model.when(move |request| {
        request.stage.starts_with("prune.").then(|| {
            let lines = listed(request);
            let holds = |line: &String| words.iter().any(|word| line.contains(word));
            let picked = (1..).zip(&lines).filter(|(_, line)| holds(line)).map(|(at, _): (usize, _)| at);
            format!(r#"{{"numbers": {:?}}}"#, picked.collect::<Vec<_>>()).into()
        })
    })
}

/// Keeps the first of everything and finds the evidence sufficient only from round `enough` on.
fn model(enough: usize, answer: &str) -> ScriptedModel {
    let mut model = ScriptedModel::new()
        .on("link.keywords", KEYWORDS)
        .always("prune.relations", r#"{"numbers": [1, 2, 3]}"#)
        .always("prune.entities", r#"{"numbers": [1, 2, 3]}"#)
        .always("prune.triples", r#"{"numbers": [1, 2, 3, 4, 5, 6, 7, 8]}"#)
        .on("compose", composed(answer).as_str());
    for _ in 1..enough {
        model = model.on("critique.supervisor", "no");
    }
    model.on("critique.supervisor", "yes")
}

fn stops(answer: &Answer) -> Vec<&str> {
    let events = answer.trace.as_deref().unwrap_or_default();
    let stopped = events.iter().filter_map(|timed| match &timed.event {
        Event::Explored { stopped, .. } => stopped.as_deref(),
        _ => None,
    });
    stopped.collect()
}

/// The anchors that were explored, in the order of the events.
fn explored(answer: &Answer) -> Vec<&str> {
    let events = answer.trace.as_deref().unwrap_or_default();
    let anchors = events.iter().filter_map(|timed| match &timed.event {
        Event::Explored { anchor, .. } => Some(anchor.as_str()),
        _ => None,
    });
    anchors.collect()
}

fn stages(model: &ScriptedModel) -> Vec<String> {
    model.requests().into_iter().map(|request| request.stage).collect()
}

#[tokio::test]
async fn the_paper_call_by_call() {
    let setting = setting(FILMS).await;
    let model = ScriptedModel::new()
        .on("link.keywords", KEYWORDS)
        .on("critique.supervisor", "no")
        .on("critique.supervisor", "yes")
        .on("compose", composed("\"Leidschendam\"").as_str());
    let model = picking(model, &["directed by", "born in"]);
    let (answer, model) =
        run(&setting, model, BIRTHPLACE, &published(AnchorConfig { anchors: 1, ..AnchorConfig::default() }))
            .await;
    assert_eq!((answer.answers.as_slice(), answer.grounded), (&["Leidschendam".to_owned()][..], true));
    // Keywords; in each round relations, the entities of each, triples and the supervisor; then the
    // answer. A single relation or entity needs no choice.
    let expected = [
        "link.keywords",
        "prune.relations",
        "prune.triples",
        "critique.supervisor",
        "prune.triples",
        "critique.supervisor",
        "compose",
    ];
    assert_eq!(stages(&model), expected);
    let requests = model.requests();
    let told = |at: usize| requests[at].messages.last().unwrap().content.as_str();
    // The model proof-reads the question alone: no name of the graph is offered.
    assert!(told(0).contains(BIRTHPLACE) && !told(0).contains("Names in the graph"), "{}", told(0));
    assert_eq!(listed(&requests[1]).len(), 4, "all relations of the anchor: {}", told(1));
    assert!(told(1).contains("At: Kauwboy") && told(1).contains("Give the best 3"), "{}", told(1));
    assert_eq!(listed(&requests[2]), ["1. Kauwboy - directed by -> Boudewijn Koole"]);
    assert!(told(3).contains("Boudewijn Koole") && !told(3).contains("Rick Lens"), "{}", told(3));
    // The walk does not go back along the relation that it came by.
    assert_eq!(listed(&requests[4]), ["1. Boudewijn Koole - born in -> Leidschendam"]);
    assert!(told(5).contains("Kauwboy") && told(5).contains("Leidschendam"), "paths so far: {}", told(5));
    assert!(told(6).contains("Leidschendam") && !told(6).contains("2012"), "{}", told(6));
}

/// Three roots, each with five relations to five entities each, and so on: a retriever has to
/// choose at every step.
fn thicket() -> String {
    let mut triples = String::new();
    let mut ends: Vec<String> =
        ["North", "South", "West"].iter().map(|name| format!("{name} Hall")).collect();
    for layer in 0..3 {
        let mut next = Vec::new();
        for end in &ends {
            for relation in 0..5 {
                for thing in 0..5 {
                    let to = format!("{end} {relation}{thing}");
                    triples.push_str(&format!("{end}\tlayer_{layer}_way_{relation}\t{to}\n"));
                    // Only the entities that are explored further matter below.
                    if relation < 3 && thing < 3 {
                        next.push(to);
                    }
                }
            }
        }
        ends = next;
    }
    triples
}

#[tokio::test]
async fn the_stated_bound_of_calls_holds_in_every_round() {
    let setting = setting(&thicket()).await;
    let config = AnchorConfig::default();
    assert_eq!(config.most_calls(), 50);
    let model = ScriptedModel::new()
        .on("link.keywords", r#"{"keywords": ["North Hall", "South Hall", "West Hall"]}"#)
        .always("prune.relations", r#"{"numbers": [1, 2, 3]}"#)
        .always("prune.entities", r#"{"numbers": [1, 2, 3]}"#)
        .always("prune.triples", r#"{"numbers": [1, 2, 3, 4, 5, 6, 7, 8, 9]}"#)
        .always("critique.supervisor", "no")
        .always("compose.cot", KNOWN);
    let question = "which way leads from North Hall, South Hall and West Hall?";
    let (answer, model) = run(&setting, model, question, &published(config)).await;
    let (m, b, rounds) = (3, 3, 3);
    assert_eq!(model.calls_of("prune.relations"), rounds * m);
    assert_eq!(model.calls_of("prune.entities"), rounds * m * b, "one call a relation, however many spots");
    assert_eq!(model.calls_of("prune.triples"), rounds * m);
    assert_eq!(model.calls_of("critique.supervisor"), rounds);
    assert_eq!(model.calls(), 50);
    // The depth is reached: the model answers from its own knowledge, not from insufficient
    // evidence.
    assert_eq!(model.calls_of("compose"), 0);
    assert_eq!((answer.answers.as_slice(), answer.grounded), (&["Ada Berg".to_owned()][..], false));
    assert!(answer.notes.contains(&Note::ModelAlone) && answer.evidence.is_empty());
    // No round has more than b times b rows, and the model sees all of them.
    let rows = model.requests().iter().filter(|r| r.stage == "prune.triples").map(|r| listed(r).len()).max();
    assert_eq!(rows, Some(9));
}

#[tokio::test]
async fn the_triple_filter_sees_every_row() {
    let setting = setting(&thicket()).await;
    let config = AnchorConfig { anchors: 1, depth: 1, shown: 2, width: 5, ..AnchorConfig::default() };
    let model = ScriptedModel::new()
        .on("link.keywords", r#"{"keywords": ["North Hall"]}"#)
        .on("critique.supervisor", "yes")
        .on("compose", composed("\"North Hall 44\"").as_str());
    // The last of 25 lines.
    let model = picking(model, &["North Hall 44"]);
    let most = config.most_calls() as usize;
    let (answer, model) = run(&setting, model, "where does North Hall lead to?", &published(config)).await;
    let seen: Vec<usize> =
        model.requests().iter().filter(|r| r.stage == "prune.triples").map(|r| listed(r).len()).collect();
    assert_eq!((seen.len(), seen.iter().sum::<usize>()), (13, 25), "lists of two until all were seen");
    assert_eq!((model.calls(), most), (1 + 13 + 1 + 1, 1 + (5 + 1 + 13) + 1 + 1));
    assert_eq!(answer.answers, ["North Hall 44"], "{answer:#?}");
}

/// The entity with exactly this name has other relations than the question asks for.
const LABELS: &str = "\
Mercury\tatomic_number\t80
Mercury\tmelting_point\t-39
Mercury Records\tsigned_artist\tAda Berg
Mercury Records\tmusic_genre\tJazz
The Mercury Theatre Company\tperformed_play\tTonio
";

#[tokio::test]
async fn equation_2_ranks_every_candidate_however_its_name_matches() {
    let setting = setting(LABELS).await;
    let question = "which artists are signed to Mercury?";
    for (grounding, expected) in
        [(AnchorGrounding::Relations, "Mercury Records"), (AnchorGrounding::Off, "Mercury")]
    {
        let config = AnchorConfig { anchors: 1, grounding, ..AnchorConfig::default() };
        let model = ScriptedModel::new()
            .on("link.keywords", r#"{"keywords": ["Mercury"]}"#)
            .always("prune.triples", r#"{"numbers": [1, 2]}"#)
            .on("critique.supervisor", "yes")
            .on("compose", composed("\"Ada Berg\"").as_str());
        let model = Arc::new(model);
        let answer = ask(&setting, Some(model), Some(embedder().await), question, &published(config)).await;
        assert_eq!(explored(&answer), [expected], "{grounding:?}");
    }
}

#[tokio::test]
async fn no_match_is_too_weak_to_be_a_candidate() {
    let setting = setting(LABELS).await;
    // Has one of four words in common.
    let model = ScriptedModel::new()
        .on("link.keywords", r#"{"keywords": ["Mercury Recording Studios Limited"]}"#)
        .always("prune.triples", r#"{"numbers": [1, 2]}"#)
        .on("critique.supervisor", "yes")
        .on("compose", composed("\"Ada Berg\"").as_str());
    let config = AnchorConfig { anchors: 1, ..AnchorConfig::default() };
    let question = "which artists are signed to Mercury Recording Studios Limited?";
    let answer =
        ask(&setting, Some(Arc::new(model)), Some(embedder().await), question, &published(config)).await;
    assert_eq!(explored(&answer), ["Mercury Records"], "{answer:#?}");
}

#[tokio::test]
async fn several_retrievers_share_the_rounds() {
    let setting = setting(FILMS).await;
    let model = ScriptedModel::new()
        .on("link.keywords", r#"{"keywords": ["Kauwboy", "Tonio"]}"#)
        .on("critique.supervisor", "yes")
        .on("compose", composed("\"Boudewijn Koole\", \"Paula van der Oest\"").as_str());
    let model = picking(model, &["directed by"]);
    let question = "who directed Kauwboy and Tonio?";
    let config = AnchorConfig { anchors: 2, ..AnchorConfig::default() };
    let (answer, model) = run(&setting, model, question, &published(config)).await;
    // 1 + R (2 m + 1) + 1 with m = 2 and R = 1: no relation has several entities to choose from.
    assert_eq!(model.calls(), 1 + 2 * 2 + 1 + 1);
    assert_eq!(answer.answers.len(), 2);
}

#[tokio::test]
async fn by_similarity_a_round_costs_one_call_a_retriever_and_one_of_the_supervisor() {
    let setting = setting(FILMS).await;
    for rounds in 1..=2_usize {
        let model = model(rounds, "\"Boudewijn Koole\"");
        let config = AnchorConfig { anchors: 1, ..guided(Guide::Similarity) };
        let (answer, model) = run(&setting, model, BIRTHPLACE, &published(config)).await;
        // 1 + R (m + 1) + 1, with one anchor.
        assert_eq!(model.calls(), 1 + rounds * 2 + 1, "{rounds}");
        assert_eq!(answer.status, Status::Answered);
        assert!(answer.grounded);
    }
}

#[tokio::test]
async fn without_the_triple_filter_nobody_is_asked_for_triples() {
    let setting = setting(FILMS).await;
    let config = AnchorConfig { triple_filter: false, anchors: 1, ..guided(Guide::Similarity) };
    assert_eq!(config.most_calls(), 1 + 3 + 1);
    let (answer, model) =
        run(&setting, model(1, "\"Boudewijn Koole\""), BIRTHPLACE, &published(config)).await;
    assert_eq!(model.calls(), 1 + 1 + 1);
    assert_eq!(answer.status, Status::Answered);
}

#[tokio::test]
async fn the_index_predicts_without_a_call_and_mends_spelling_too() {
    let setting = setting(FILMS).await;
    let config =
        AnchorConfig { predictor: Predictor::Index, triple_filter: false, ..guided(Guide::Similarity) };
    let question = "who is the director of Kauwbpy?";
    let (answer, model) = run(&setting, model(1, "\"Boudewijn Koole\""), question, &published(config)).await;
    assert_eq!(model.calls_of("link.keywords"), 0);
    assert_eq!(answer.answers, ["Boudewijn Koole"]);
}

#[tokio::test]
async fn a_retriever_with_nothing_left_says_why_and_nothing_is_composed() {
    let setting = setting(FILMS).await;
    let model = || {
        ScriptedModel::new()
            .on("link.keywords", KEYWORDS)
            .always("prune.relations", r#"{"numbers": [1, 2, 3]}"#)
            .always("prune.triples", r#"{"numbers": []}"#)
            .always("compose.cot", KNOWN)
    };
    let config = AnchorConfig { anchors: 1, ..AnchorConfig::default() };
    let (answer, model_asked) = run(&setting, model(), BIRTHPLACE, &published(config.clone())).await;
    assert_eq!((answer.answers.as_slice(), answer.grounded), (&["Ada Berg".to_owned()][..], false));
    assert_eq!(model_asked.calls_of("compose") + model_asked.calls_of("critique.supervisor"), 0);
    assert_eq!(stops(&answer), ["none of its triples is relevant to the question"]);
    // If the user wants no answer without the graph, the reply says that there is none.
    let config = AnchorConfig { model_alone: false, ..config };
    let (answer, model_asked) = run(&setting, model(), BIRTHPLACE, &published(config)).await;
    assert_eq!((answer.status, model_asked.calls_of("compose.cot")), (Status::Abstained, 0));
}

#[tokio::test]
async fn an_entity_without_relations_ends_its_retriever() {
    let setting = setting("Nobody\tknows\tNobody\n").await;
    let model = ScriptedModel::new()
        .on("link.keywords", r#"{"keywords": ["Nobody"]}"#)
        .on("compose.cot", r#"{"reasoning": "", "answers": []}"#);
    let question = "whom does Nobody know?";
    let (answer, model) = run(&setting, model, question, &published(AnchorConfig::default())).await;
    // Its only neighbour is itself, and the model does not know the answer either.
    assert_eq!(answer.status, Status::Abstained);
    assert_eq!(stages(&model), ["link.keywords", "compose.cot"]);
    assert_eq!(stops(&answer), ["it has no relation to follow"]);
}

#[tokio::test]
async fn a_relation_is_followed_once_and_a_circle_ends() {
    let setting =
        setting("A1 Road\tjoins\tB2 Road\nB2 Road\tjoins\tC3 Road\nC3 Road\tjoins\tD4 Road\nD4 Road\tjoins\tA1 Road\n")
            .await;
    let model = ScriptedModel::new()
        .on("link.keywords", r#"{"keywords": ["A1 Road"]}"#)
        .always("prune.triples", r#"{"numbers": [1, 2, 3]}"#)
        .always("critique.supervisor", "no")
        .always("compose.cot", KNOWN);
    let config = AnchorConfig { anchors: 1, ..AnchorConfig::default() };
    let (answer, model) = run(&setting, model, "what does A1 Road lead to?", &published(config)).await;
    assert_eq!(model.calls_of("critique.supervisor"), 1, "round two has no other relation");
    assert_eq!(stops(&answer), ["its relations lead to nothing new"]);
}

#[tokio::test]
async fn of_a_hub_the_model_sees_all_relations_and_no_more_entities_than_the_stated_number() {
    let mut triples = String::new();
    for film in 0..3000 {
        triples.push_str(&format!("Film number {film}\tfilmed_in\tRotterdam\n"));
    }
    for what in 0..60 {
        triples.push_str(&format!("Rotterdam\trelation_{what}\tvalue {what}\n"));
    }
    let setting = setting(&triples).await;
    let config = AnchorConfig { shown: 12, ..AnchorConfig::default() };
    let model = ScriptedModel::new()
        .on("link.keywords", r#"{"keywords": ["Rotterdam"]}"#)
        .always("prune.relations", r#"{"numbers": [1, 2, 3]}"#)
        .always("prune.entities", r#"{"numbers": [1, 99, 1]}"#)
        .always("prune.triples", r#"{"numbers": [1, 2, 3]}"#)
        .on("critique.supervisor", "yes")
        .on("compose", composed("\"Film number 1\"").as_str());
    let (_, model) = run(&setting, model, "which films were filmed in Rotterdam?", &published(config)).await;
    let options = |stage: &str| {
        let of = model.requests().into_iter().filter(|r| r.stage == stage).map(|r| listed(&r).len());
        of.max().unwrap_or_default()
    };
    assert_eq!((options("prune.relations"), options("prune.entities")), (61, 12));
    assert!(options("prune.triples") <= 12);
    for request in model.requests() {
        assert!(request.messages.last().unwrap().content.len() < 4000, "{}", request.stage);
    }
}

#[tokio::test]
async fn choices_that_cannot_be_read_choose_nothing() {
    let setting = setting(FILMS).await;
    let script = |keywords: &str| {
        ScriptedModel::new()
            .always("link.keywords", keywords)
            .always("prune.relations", "the third one")
            .always("compose.cot", "none that I know")
    };
    for (keywords, relations) in [("Kauwboy, I think", 0), (KEYWORDS, 2)] {
        let options = published(AnchorConfig { anchors: 1, ..AnchorConfig::default() });
        let (answer, model) = run(&setting, script(keywords), "who directed Kauwboy?", &options).await;
        assert_eq!(answer.status, Status::Abstained);
        assert_eq!(model.calls_of("prune.relations"), relations, "asked, and once more to mend it");
        let events = answer.trace.unwrap();
        assert!(events.iter().any(|event| matches!(event.event, Event::Degraded { .. })));
    }
}

#[tokio::test]
async fn what_no_name_resembles_is_answered_by_the_model_alone_and_marked() {
    let setting = setting(FILMS).await;
    let question = "who presides over the Zzyzx Quorum?";
    let script = || {
        ScriptedModel::new()
            .on("link.keywords", r#"{"keywords": ["Zzyzx Quorum"]}"#)
            .always("compose.cot", KNOWN)
    };
    let (answer, model) = run(&setting, script(), question, &published(AnchorConfig::default())).await;
    assert_eq!((answer.status, answer.grounded), (Status::Answered, false));
    assert_eq!(answer.notes, [Note::ModelAlone]);
    assert_eq!(stages(&model), ["link.keywords", "compose.cot"]);
    // Our planner abstains, and so do the paper's rounds if configured to.
    let silent = AnchorConfig { model_alone: false, ..AnchorConfig::default() };
    let model = Arc::new(script());
    let options = asked_with(Planner::Paths, AnchorConfig::default());
    let by_paths = ask(&setting, Some(model), Some(embedder().await), question, &options).await;
    let (without, _) = run(&setting, script(), question, &published(silent)).await;
    for answer in [by_paths, without] {
        assert_eq!((answer.status, answer.notes.len(), answer.usage.llm_calls), (Status::Abstained, 0, 1));
    }
}

#[tokio::test]
async fn grounding_is_one_call_of_the_graph_and_one_of_the_embedder_whatever_the_candidates() {
    let mut triples = String::new();
    for number in 0..300 {
        triples.push_str(&format!(
            "Springfield {number}\tmayor\tPerson {number}\nSpringfield {number}\triver\tWater\n"
        ));
    }
    let setting = setting(&triples).await;
    let counting = Arc::new(common::CountingEmbedder::new(embedder().await));
    let config = AnchorConfig {
        candidates: 300,
        predictor: Predictor::Index,
        anchors: 1,
        triple_filter: false,
        width: 9,
        ..guided(Guide::Similarity)
    };
    let script = || Arc::new(model(1, "\"Water\""));
    for asked in 0..2 {
        let before = counting.texts();
        ask(
            &setting,
            Some(script()),
            Some(counting.clone()),
            "which river is in Springfield?",
            &published(config.clone()),
        )
        .await;
        let linking: Vec<usize> = counting.texts()[before.len()..].to_vec();
        // The question and, on an engine's first call, the relations: not one text per candidate.
        assert!(linking.first().is_some_and(|texts| *texts <= 6), "{asked}: {linking:?}");
    }
}

#[tokio::test]
async fn a_short_budget_is_said_and_the_last_call_is_the_answers() {
    let setting = setting(FILMS).await;
    let model = |enough| picking(model(enough, "\"Boudewijn Koole\""), &["directed by", "born in"]);
    let options = |llm_calls| AskOptions {
        limits: Limits { llm_calls, ..Limits::default() },
        ..published(AnchorConfig { anchors: 1, ..AnchorConfig::default() })
    };
    // Keywords, relations, triples, supervisor; the remaining calls are the supervisor's and the
    // answer's.
    let (answer, asked) = run(&setting, model(9), BIRTHPLACE, &options(6)).await;
    assert!(asked.calls() <= 6);
    assert_eq!(stages(&asked).last().map(String::as_str), Some("compose"));
    assert_eq!(answer.answers, ["Boudewijn Koole"], "{answer:#?}");
    let limit = Note::Limit { reason: "the limit of 6 model calls was reached".into() };
    assert!(answer.notes.contains(&limit), "{:?}", answer.notes);
}
