//! The baselines whose walks the model chooses: StructGPT and Plan-on-Graph, against a scripted
//! model, call by call.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "set-up of tests")]

use crate::common;

use common::{FILMS, composed, ended_by_a_limit, options, run, setting, told};
use quipu_answer::{AskOptions, Limits, Method, MethodConfig, PlanOnGraphConfig, Status, StructGptConfig};
use quipu_model::{ChatRequest, Scripted, ScriptedModel};

const BIRTHPLACE: &str = "where was the director of Kauwboy born?";

/// Picks the line of the list that contains `words`, once.
fn pick(
    stage: &'static str,
    words: &'static str,
) -> impl Fn(&ChatRequest) -> Option<Scripted> + Send + Sync + 'static {
    move |request: &ChatRequest| {
        let asked = &request.messages.last()?.content;
        let is_listed = |line: &&str| line.contains(words) && line.starts_with(|c: char| c.is_ascii_digit());
        let number = asked.lines().find(is_listed)?.split('.').next()?;
        (request.stage == stage).then(|| format!(r#"{{"numbers": [{number}]}}"#).into())
    }
}

fn stages(model: &ScriptedModel) -> Vec<String> {
    model.requests().into_iter().map(|request| request.stage).collect()
}

#[tokio::test]
async fn structgpt_reads_relation_after_relation() {
    let model = ScriptedModel::new()
        .when(pick("prune.structgpt", "born in"))
        .when(pick("prune.structgpt", "directed by"))
        .on("critique.structgpt", "no")
        .on("critique.structgpt", "yes")
        .on("compose", composed(r#""Leidschendam""#));
    let (answer, model) = run(&setting(FILMS).await, model, BIRTHPLACE, &options(Method::StructGpt)).await;
    assert_eq!((answer.answers.as_slice(), answer.grounded), (&["Leidschendam".to_owned()][..], true));
    let expected =
        ["prune.structgpt", "critique.structgpt", "prune.structgpt", "critique.structgpt", "compose"];
    assert_eq!(stages(&model), expected);
    assert!(told(&model, 0).contains("At: Kauwboy\n") && !told(&model, 0).contains("Way:"));
    let second = told(&model, 2);
    assert!(second.contains("At: Boudewijn Koole\nWay: Kauwboy - directed by ->"), "{second}");
    assert_eq!(answer.evidence.len(), 2, "the triples of the two relations");
}

#[tokio::test]
async fn structgpt_takes_two_calls_a_hop_at_most() {
    for depth in 1..=3 {
        let model = ScriptedModel::new()
            .always("prune.structgpt", r#"{"numbers": [1]}"#)
            .always("critique.structgpt", "no")
            .always("compose", composed(r#""Boudewijn Koole""#));
        let config = MethodConfig { structgpt: StructGptConfig { depth }, ..MethodConfig::default() };
        let options = AskOptions { config, ..options(Method::StructGpt) };
        let (_, model) = run(&setting(FILMS).await, model, BIRTHPLACE, &options).await;
        assert!(model.calls() <= 2 * depth as usize, "{:?}", stages(&model));
        assert!(model.calls_of("critique.structgpt") < depth as usize, "the last hop needs no judgement");
    }
}

#[tokio::test]
async fn structgpt_keeps_a_call_for_the_answer_and_degrades_as_stated() {
    let prose = "I would rather talk about the weather.";
    for calls in 1..=4 {
        let model = ScriptedModel::new()
            .always("prune.structgpt", prose)
            .always("critique.structgpt", prose)
            .always("compose", composed(r#""Boudewijn Koole""#));
        let limits = Limits { llm_calls: calls, ..Limits::default() };
        let options = AskOptions { limits, ..options(Method::StructGpt) };
        let (answer, model) = run(&setting(FILMS).await, model, BIRTHPLACE, &options).await;
        assert!(model.calls() <= calls as usize, "{:?}", stages(&model));
        // An unreadable choice is asked for twice; then the first relation is followed.
        assert_eq!(model.calls_of("compose"), usize::from(calls >= 3), "{calls} calls: {:?}", stages(&model));
        assert_eq!(answer.evidence.is_empty(), calls == 1);
        assert!(ended_by_a_limit(&answer), "{calls} calls: {:?}", answer.notes);
    }
}

/// Without a topic entity nothing is asked.
#[tokio::test]
async fn no_entity_no_call() {
    for method in [Method::StructGpt, Method::PlanOnGraph] {
        let model = ScriptedModel::new();
        let (answer, model) =
            run(&setting(FILMS).await, model, "who wrote Xqzzt Vrbbl?", &options(method)).await;
        assert_eq!((answer.status, model.calls()), (Status::Abstained, 0), "{method:?}");
    }
}

const OBJECTIVES: &str = r#"{"objectives": ["the director of Kauwboy", "where this director was born"]}"#;

#[tokio::test]
async fn plan_on_graph_follows_its_objectives() {
    let model = ScriptedModel::new()
        .on("plan.pog", OBJECTIVES)
        .when(pick("prune.pog", "born in"))
        .when(pick("prune.pog", "directed by"))
        .on("critique.pog", r#"{"states": ["Boudewijn Koole", "not yet known"], "enough": false}"#)
        .on("plan.pog_reflect", r#"{"numbers": []}"#)
        .on("critique.pog", r#"{"states": ["Boudewijn Koole", "Leidschendam"], "enough": true}"#)
        .on("compose", composed(r#""Leidschendam""#));
    let (answer, model) = run(&setting(FILMS).await, model, BIRTHPLACE, &options(Method::PlanOnGraph)).await;
    assert_eq!((answer.answers.as_slice(), answer.grounded), (&["Leidschendam".to_owned()][..], true));
    let expected =
        ["plan.pog", "prune.pog", "critique.pog", "plan.pog_reflect", "prune.pog", "critique.pog", "compose"];
    assert_eq!(stages(&model), expected);
    assert!(told(&model, 1).contains("- the director of Kauwboy: not yet known\n"), "{}", told(&model, 1));
    assert!(told(&model, 3).contains("At: Boudewijn Koole\n1. Kauwboy"), "{}", told(&model, 3));
    assert!(told(&model, 4).contains("- the director of Kauwboy: Boudewijn Koole\n"), "{}", told(&model, 4));
}

#[tokio::test]
async fn plan_on_graph_turns_back_to_what_it_left_and_follows_nothing_twice() {
    let running_time = pick("prune.pog", "running minutes");
    let back = pick("plan.pog_reflect", "Kauwboy");
    let model = ScriptedModel::new()
        .on("plan.pog", OBJECTIVES)
        // The running time first; it leads nowhere.
        .when(move |request| {
            let starts = request.messages.last()?.content.contains("At: Kauwboy\n");
            starts.then(|| running_time(request)).flatten()
        })
        .when(pick("prune.pog", "born in"))
        .when(pick("prune.pog", "directed by"))
        .when(move |request| {
            let lost = request.messages.last()?.content.contains("At: 81\n");
            lost.then(|| back(request)).flatten()
        })
        .always("plan.pog_reflect", r#"{"numbers": []}"#)
        .when(|request| {
            let reply = |enough: bool| {
                format!(r#"{{"states": ["not yet known", "not yet known"], "enough": {enough}}}"#).into()
            };
            let asked = &request.messages.last()?.content;
            (request.stage == "critique.pog").then(|| reply(asked.contains("Leidschendam")))
        })
        .on("compose", composed(r#""Leidschendam""#));
    let (answer, model) = run(&setting(FILMS).await, model, BIRTHPLACE, &options(Method::PlanOnGraph)).await;
    assert_eq!((answer.answers.as_slice(), answer.grounded), (&["Leidschendam".to_owned()][..], true));
    let asked = model.requests().into_iter().filter(|request| request.stage == "prune.pog");
    let lists: Vec<String> = asked.map(|request| request.messages.last().unwrap().content.clone()).collect();
    assert_eq!(lists.len(), 3, "{lists:#?}");
    assert!(lists[1].contains("At: 81 / Kauwboy\n"), "back at Kauwboy: {}", lists[1]);
    assert!(lists[2].contains("At: Boudewijn Koole\n"), "{}", lists[2]);
    let offered = |list: &str| -> Vec<String> {
        let lines = list.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        let name = |line: &str| Some(line.split(" - ").nth(1)?.split(" -> ").next()?.to_owned());
        lines.filter_map(name).collect()
    };
    assert!(offered(&lists[0]).contains(&"running minutes".to_owned()), "{}", lists[0]);
    // From 81 it has not been followed yet, and leads back to its start.
    assert_eq!(
        offered(&lists[1]).iter().filter(|name| *name == "running minutes").count(),
        1,
        "{}",
        lists[1]
    );
    assert_eq!(answer.evidence.len(), 3, "each triple once: {:#?}", answer.evidence);
}

#[tokio::test]
async fn plan_on_graph_chooses_among_many_entities() {
    let films: String = (10..36)
        .map(|n| format!("Part {n}\tdirected_by\tAnna Smit\nPart {n}\tyear\t{}\n", 1980 + n))
        .collect();
    let model = ScriptedModel::new()
        .on("plan.pog", r#"{"objectives": ["what Anna Smit directed"]}"#)
        .on("prune.pog_entities", r#"{"numbers": [3, 3, 99]}"#)
        .on("critique.pog", r#"{"states": ["Part 12"], "enough": true}"#)
        .on("compose", composed(r#""Part 12""#));
    let (answer, model) =
        run(&setting(&films).await, model, "what did Anna Smit direct?", &options(Method::PlanOnGraph)).await;
    assert_eq!(stages(&model), ["plan.pog", "prune.pog_entities", "critique.pog", "compose"]);
    let listed =
        told(&model, 1).lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count();
    assert_eq!(listed, 20, "{}", told(&model, 1));
    assert!(told(&model, 1).contains(" Part 12 - directed by -> Anna Smit\n"), "{}", told(&model, 1));
    assert_eq!(answer.evidence.len(), 26, "all of a list is evidence");
}

/// Five layers of eleven nodes; each leads to all of the next layer, by two relations.
fn wide_layers() -> String {
    let name = |layer: usize, at: usize| {
        format!("{} {}", ["Amber", "Birch", "Cedar", "Dogwood", "Elder"][layer], at)
    };
    let mut lines = String::new();
    for (layer, at, to) in (0..4).flat_map(|l| (0..11).flat_map(move |at| (0..11).map(move |to| (l, at, to))))
    {
        let (here, there) = (name(layer, at), name(layer + 1, to));
        lines += &format!("{here}\troad_to\t{there}\n{here}\trail_to\t{there}\n");
    }
    lines
}

#[tokio::test]
async fn plan_on_graph_takes_four_calls_a_hop_and_one() {
    let graph = wide_layers();
    for depth in 1..=4 {
        let onward = |request: &ChatRequest| {
            let asked = &request.messages.last()?.content;
            let at = asked.lines().find_map(|line| line.strip_prefix("At: "))?;
            let here = at.split(' ').next()?.to_owned();
            // The relation whose head is the current node.
            let is_forward = |line: &&str| {
                line.split_once(". ")
                    .is_some_and(|(number, rest)| number.parse::<u8>().is_ok() && rest.starts_with(&here))
            };
            let number = asked.lines().find(is_forward)?.split('.').next()?;
            (request.stage == "prune.pog").then(|| Scripted::from(format!(r#"{{"numbers": [{number}]}}"#)))
        };
        let model = ScriptedModel::new()
            .always("plan.pog", OBJECTIVES)
            .when(onward)
            .always("prune.pog_entities", r#"{"numbers": [1]}"#)
            .always("plan.pog_reflect", r#"{"numbers": []}"#)
            .always("critique.pog", r#"{"states": ["x", "y"], "enough": false}"#)
            .always("compose", composed(r#""Birch 1""#));
        let config = MethodConfig { plan_on_graph: PlanOnGraphConfig { depth }, ..MethodConfig::default() };
        let options = AskOptions { config, ..options(Method::PlanOnGraph) };
        let question = "where does the road from Amber 1 lead?";
        let (_, model) = run(&setting(&graph).await, model, question, &options).await;
        assert_eq!(model.calls(), 4 * depth as usize + 1, "{:?}", stages(&model));
        assert_eq!(model.calls_of("prune.pog_entities"), depth as usize, "{:?}", stages(&model));
    }
}

#[tokio::test]
async fn plan_on_graph_degrades_as_stated() {
    let prose = "I would rather talk about the weather.";
    let model = ScriptedModel::new()
        .always("plan.pog", prose)
        .always("prune.pog", prose)
        .always("plan.pog_reflect", prose)
        .always("critique.pog", prose)
        .always("compose", composed(r#""Boudewijn Koole""#));
    let (answer, model) = run(&setting(FILMS).await, model, BIRTHPLACE, &options(Method::PlanOnGraph)).await;
    let asked = model
        .requests()
        .iter()
        .find(|r| r.stage == "prune.pog")
        .unwrap()
        .messages
        .last()
        .unwrap()
        .content
        .clone();
    assert!(asked.contains(&format!("- {BIRTHPLACE}: not yet known")), "{asked}");
    assert_eq!(
        answer.status,
        Status::Abstained,
        "without a choice and without an embedder nothing is followed"
    );
}
