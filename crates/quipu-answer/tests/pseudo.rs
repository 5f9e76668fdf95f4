//! The pseudo-graph method as published, against a scripted model: its calls, their order, its
//! look-ups.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::common;
use std::sync::Arc;

use common::{FILMS, Setting, embedder, setting, setting_named};
use quipu_answer::{
    Answer, AskOptions, Engine, Event, Method, MethodConfig, Note, Planner, PseudoConfig, Question, Status,
    Verification, open_source,
};
use quipu_model::ScriptedModel;

/// Right about the film, wrong about its director.
pub(crate) const BELIEF: &str = "```cypher\n// precise\nCREATE (k:Film {name: 'Kauwboy', year: 1999})-[:DIRECTED_BY]->(p:Person {name: 'Jan Jansen'})\nCREATE (p)-[:BORN_IN]->(t:Town {name: 'Utrecht'})\n```";
pub(crate) const BIRTHPLACE: &str = "where was the director of Kauwboy born?";

pub(crate) fn composed(answers: &str) -> String {
    format!(
        r#"{{"reasoning": "By the rows.", "status": "answered", "rows": [], "operation": "none", "answers": [{answers}]}}"#
    )
}

/// The method as published.
fn published(config: PseudoConfig) -> AskOptions {
    planned(Planner::Published, config)
}

pub(crate) fn planned(planner: Planner, pseudo: PseudoConfig) -> AskOptions {
    let config = MethodConfig { pseudo, planner, ..MethodConfig::default() };
    AskOptions { method: Method::Pseudo, config, keep_trace: true, ..AskOptions::default() }
}

/// The encoder of these tests gives lower similarities than the paper's.
fn lenient() -> PseudoConfig {
    PseudoConfig { least_similarity: 0.4, ..PseudoConfig::default() }
}

fn stages(model: &ScriptedModel) -> Vec<String> {
    model.requests().into_iter().map(|request| request.stage).collect()
}

/// The label of the table row that contains `what`.
fn row(shown: &str, what: &str) -> String {
    let line = shown.lines().find(|line| line.starts_with("| E") && line.contains(what));
    line.and_then(|line| line.split('|').nth(1)).unwrap_or("| none").trim().to_owned()
}

fn retrieved(answer: &Answer) -> usize {
    let events = answer.trace.as_deref().unwrap_or_default();
    let evidence = events.iter().find_map(|timed| match timed.event {
        Event::Retrieved { evidence, .. } => Some(evidence),
        _ => None,
    });
    evidence.unwrap_or_default()
}

pub(crate) fn by(verification: Verification) -> PseudoConfig {
    PseudoConfig { verification, ..PseudoConfig::default() }
}

pub(crate) async fn asked(
    settings: &[&Setting],
    model: ScriptedModel,
    question: &str,
    options: &AskOptions,
) -> (Answer, Arc<ScriptedModel>) {
    let model = Arc::new(model);
    let [first, others @ ..] = settings else { panic!("no source") };
    let others = others.iter().map(|s| open_source(s.workspace.clone()).unwrap()).collect();
    let engine = Engine::new(first.workspace.clone(), Some(model.clone()), Some(embedder().await)).unwrap();
    let question = Question::new(question, "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
    (engine.with_sources(others).ask(&question, options).await.unwrap(), model)
}

pub(crate) fn edits(answer: &Answer) -> Vec<(Option<String>, Option<String>, bool)> {
    let events = answer.trace.as_deref().unwrap_or_default();
    let corrected = events.iter().find_map(|timed| match &timed.event {
        Event::Corrected { edits } => Some(edits),
        _ => None,
    });
    corrected.into_iter().flatten().map(|e| (e.before.clone(), e.after.clone(), e.by.is_some())).collect()
}

/// A plan, and a graph that is wrong about the director and the year.
const WRONG: &str = "Plan:\n- the director (of Kauwboy)\nGraph:\n```cypher\nCREATE (k:Film {name: 'Kauwboy', release_year: 1999})-[:DIRECTED_BY]->(p:Person {name: 'Jan Jansen'})\n```";
const KNOWN: &str = r#"{"reasoning": "As is known.", "answers": ["Ada Berg"]}"#;

#[tokio::test]
async fn the_paper_in_three_calls() {
    let films = setting(FILMS).await;
    // The model names rows of the table that it is shown.
    let model = ScriptedModel::new().on("plan.pseudo", WRONG).when(|request| {
        let shown = &request.messages.last().unwrap().content;
        match request.stage.as_str() {
            "critique.verify" => {
                let director = row(shown, "directed by");
                Some(format!(r#"{{"edits": [{{"triple": "P1", "rows": ["{director}"]}}], "add": []}}"#).into())
            }
            "compose" => Some(
                r#"{"reasoning": "Kauwboy was directed by Boudewijn Koole.", "status": "answered", "rows": ["E0"], "operation": "none", "answers": ["Boudewijn Koole"]}"#
                    .into(),
            ),
            _ => None,
        }
    });
    let (answer, model) = asked(&[&films], model, "who directed Kauwboy?", &published(lenient())).await;
    assert_eq!(stages(&model), ["plan.pseudo", "critique.verify", "compose"]);
    assert_eq!((answer.status, answer.grounded), (Status::Answered, true), "{answer:#?}");
    assert_eq!(answer.answers, ["Boudewijn Koole"]);
    assert_eq!(answer.answer, "Kauwboy was directed by Boudewijn Koole.");
    let requests = model.requests();
    let told = |at: usize| requests[at].messages.last().unwrap().content.as_str();
    // First a plan of the knowledge, then the graph; the prompt does not list the sources'
    // relations.
    let asked_for = &requests[0].messages[0].content;
    assert!(asked_for.contains("Plan:") && asked_for.contains("CREATE"), "{asked_for}");
    assert!(!told(0).contains("Relations in the sources") && told(0).contains("who directed Kauwboy?"));
    // One pseudo-subject, so one entity with all its triples; the beliefs follow.
    assert!(told(1).contains("### Kauwboy") && !told(1).contains("### Tonio"), "{}", told(1));
    assert!(told(1).contains("P1: Kauwboy | directed by | Jan Jansen"), "{}", told(1));
    assert!(told(1).contains("P2: Kauwboy | release year | 1999"), "{}", told(1));
    // The corrected graph alone.
    assert!(told(2).contains("Boudewijn Koole") && !told(2).contains("Rick Lens"), "{}", told(2));
    assert!(!told(2).contains("2012"), "no edit took the year in: {}", told(2));
    let edits = edits(&answer);
    assert!(edits.contains(&(
        Some("Kauwboy | directed by | Jan Jansen".into()),
        Some("Kauwboy | directed by | Boudewijn Koole".into()),
        true
    )));
    assert!(edits.contains(&(Some("Kauwboy | release year | 1999".into()), None, false)), "{edits:?}");
}

#[tokio::test]
async fn what_the_model_deletes_is_deleted_and_nothing_kept_is_nothing_kept() {
    let films = setting(FILMS).await;
    let script = || {
        ScriptedModel::new()
            .on("plan.pseudo", WRONG)
            .on("critique.verify", r#"{"edits": [], "add": []}"#)
            .on("compose.cot", KNOWN)
    };
    let question = "which prize did Kauwboy win?";
    let (answer, model) = asked(&[&films], script(), question, &published(lenient())).await;
    assert_eq!(stages(&model), ["plan.pseudo", "critique.verify", "compose.cot"]);
    assert_eq!((answer.answers.as_slice(), answer.grounded), (&["Ada Berg".to_owned()][..], false));
    assert!(answer.notes.contains(&Note::ModelAlone) && answer.evidence.is_empty(), "{answer:#?}");
    assert!(edits(&answer).iter().all(|(_, after, _)| after.is_none()));
    // If the user wants no answer without the graph, the reply says that there is none.
    let silent = PseudoConfig { model_alone: false, ..lenient() };
    let (answer, model) = asked(&[&films], script(), question, &published(silent)).await;
    assert_eq!((answer.status, model.calls()), (Status::Abstained, 2));
    assert!(answer.reason.unwrap().contains("no source confirms"));
}

#[tokio::test]
async fn where_the_sources_hold_nothing_alike_there_is_nothing_to_verify() {
    let films = setting(FILMS).await;
    let script = |belief: &str| ScriptedModel::new().on("plan.pseudo", belief).on("compose.cot", KNOWN);
    // The mean similarity of the film's triples is below the threshold, and the reply has no graph.
    let strict = PseudoConfig { least_similarity: 0.99, ..PseudoConfig::default() };
    for belief in [WRONG, "I am afraid that I do not know this film."] {
        let (answer, model) =
            asked(&[&films], script(belief), "who directed Kauwboy?", &published(strict.clone())).await;
        assert_eq!(stages(&model), ["plan.pseudo", "compose.cot"]);
        assert_eq!((answer.answers.as_slice(), answer.grounded), (&["Ada Berg".to_owned()][..], false));
        assert_eq!(answer.notes, [Note::ModelAlone]);
    }
}

#[tokio::test]
async fn the_nearest_triples_are_those_of_all_sources_together() {
    let (near, far) = (
        setting_named("near", "Kauwboy\tdirected_by\tBoudewijn Koole\n").await,
        setting_named("far", "Peru\tcapital\tLima\nPeru\tcontinent\tSouth America\n").await,
    );
    let config =
        |nearest, all_sources| PseudoConfig { nearest, all_sources, least_similarity: -1.0, ..lenient() };
    for (settings, nearest, all_sources, expected) in [
        ([&near, &far], 1, true, "near"),
        ([&far, &near], 1, true, "near"),
        // If only the other source is asked, it has to suffice.
        ([&far, &near], 1, false, "far"),
    ] {
        let model = ScriptedModel::new()
            .on(
                "plan.pseudo",
                "CREATE (k:Film {name: 'Kauwboy'})-[:DIRECTED_BY]->(p:Person {name: 'Jan Jansen'})",
            )
            .on("critique.verify", r#"{"edits": [{"triple": "P1", "rows": ["E0"]}], "add": []}"#)
            .on("compose", composed("\"nobody\"").as_str());
        let options = published(config(nearest, all_sources));
        let (answer, _) = asked(&settings, model, "who directed Kauwboy?", &options).await;
        assert_eq!(retrieved(&answer), 1, "one triple in all, not one a source");
        assert_eq!(answer.evidence[0].source, expected, "{answer:#?}");
    }
}

#[tokio::test]
async fn as_many_entities_as_pseudo_subjects_are_kept_those_of_the_most_triples_first() {
    let films = setting(FILMS).await;
    let one = "CREATE (k:Film {name: 'Kauwboy'})-[:DIRECTED_BY]->(p:Person {name: 'Jan Jansen'})";
    let two = format!("{one}\nCREATE (t:Film {{name: 'Tonio'}})-[:DIRECTED_BY]->(p)");
    for (belief, subjects) in [(one, 1), (two.as_str(), 2)] {
        let model = ScriptedModel::new()
            .on("plan.pseudo", belief)
            .on("critique.verify", r#"{"edits": [], "add": []}"#)
            .on("compose.cot", KNOWN);
        let config = PseudoConfig { least_similarity: -1.0, ..PseudoConfig::default() };
        let (answer, _) = asked(&[&films], model, "who directed them?", &published(config)).await;
        let kept = answer.trace.unwrap().into_iter().find_map(|timed| match timed.event {
            Event::Filtered { kept, by, .. } if by == "similarity" => Some(kept),
            _ => None,
        });
        let kept = kept.unwrap();
        assert_eq!(kept.len(), subjects, "{kept:?}");
        // The most similar entity comes last, next to the beliefs.
        assert!(kept.iter().any(|entity| entity.starts_with("Kauwboy (")), "{kept:?}");
    }
}

#[tokio::test]
async fn an_open_question_is_answered_in_words_from_the_corrected_graph() {
    let films = setting(FILMS).await;
    let said = r#"{"reasoning": "Kauwboy is a film by Boudewijn Koole. It came out in 2012.", "status": "answered", "rows": ["E0"], "operation": "none", "answers": ["Boudewijn Koole", "2012"]}"#;
    let model = ScriptedModel::new().on("plan.pseudo", WRONG).on("compose", said).when(|request| {
        let shown = &request.messages.last()?.content;
        let edits = format!(
            r#"{{"edits": [{{"triple": "P1", "rows": ["{}"]}}, {{"triple": "P2", "rows": ["{}"]}}], "add": []}}"#,
            row(shown, "directed by"),
            row(shown, "release year")
        );
        (request.stage == "critique.verify").then(|| edits.into())
    });
    let (answer, model) =
        asked(&[&films], model, "What should I know about Kauwboy?", &published(lenient())).await;
    assert_eq!(answer.answer, "Kauwboy is a film by Boudewijn Koole. It came out in 2012.", "{answer:#?}");
    assert_eq!((answer.grounded, model.calls()), (true, 3));
}

#[tokio::test]
async fn a_correction_that_cannot_be_read_is_no_ground_for_an_answer() {
    let films = setting(FILMS).await;
    let model =
        ScriptedModel::new().on("plan.pseudo", WRONG).always("critique.verify", "P1 is wrong, I think");
    let (answer, model) = asked(&[&films], model, "who directed Kauwboy?", &published(lenient())).await;
    assert_eq!((answer.status, model.calls_of("compose")), (Status::Abstained, 0), "{answer:#?}");
}

#[tokio::test]
async fn a_query_stands_in_the_place_of_the_pseudo_graph() {
    let films = setting(FILMS).await;
    let model = ScriptedModel::new().always("plan.kinds", "{}").always("plan.query", "SELECT 1");
    let options = planned(Planner::Query, PseudoConfig::default());
    let (_, model) = asked(&[&films], model, "who directed Kauwboy?", &options).await;
    assert!(model.calls_of("plan.query") > 0 && model.calls_of("plan.pseudo") == 0, "{:?}", stages(&model));
}

#[tokio::test]
async fn without_verification_the_model_alone_is_marked_and_has_no_evidence() {
    let films = setting(FILMS).await;
    let model =
        ScriptedModel::new().on("plan.pseudo", BELIEF).on("compose", composed("\"Utrecht\"").as_str());
    let (answer, model) = asked(&[&films], model, BIRTHPLACE, &published(by(Verification::Off))).await;
    assert_eq!((answer.status, answer.grounded), (Status::Answered, false));
    assert_eq!(answer.answers, ["Utrecht"]);
    assert_eq!(answer.notes, [Note::ModelAlone]);
    assert!(answer.evidence.is_empty());
    assert_eq!(model.calls(), 2);
}
