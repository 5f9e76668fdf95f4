//! The default method's bounds: at most 4 calls and 4,000 tokens, whatever the model replies.

#![allow(clippy::unwrap_used, reason = "set-up of tests")]

use crate::common;
use std::fmt::Write as _;
use std::sync::Arc;

use common::shop::LEAGUE;
use common::{Setting, ask, embedder, setting_from};
use quipu_answer::{Answer, AskOptions, Method, Status};
use quipu_model::{ChatRequest, Scripted, ScriptedModel};

/// Most calls of a question.
const CALLS: usize = 4;
/// Most tokens of a question that are computed: prompts and replies, without what is reused.
const TOKENS: u64 = 4_000;
/// Tokens of one of the replies below, at most.
const REPLY: u64 = 12;

fn tokens(answer: &Answer) -> u64 {
    let usage = &answer.usage;
    usage.prompt_tokens + usage.completion_tokens - usage.reused_tokens
}

fn assert_within_bounds(answer: &Answer, model: &ScriptedModel) {
    let stages: Vec<String> = model.requests().into_iter().map(|request| request.stage).collect();
    assert!(model.calls() <= CALLS, "{stages:?}: {answer:#?}");
    assert!(tokens(answer) <= TOKENS, "{stages:?} {}: {answer:#?}", tokens(answer));
}

/// A card that says nothing of its relation, nouns that say nothing, and this query, with others
/// that differ where they are asked for.
fn doubtful(request: &ChatRequest, sql: &'static str) -> Scripted {
    match (request.stage.as_str(), request.alternatives.is_some()) {
        ("plan.query", true) => {
            let others = ["born_in", "founded_in", "home_ground", "plays_for"];
            Scripted::Alternatives(others.map(|column| format!("SELECT {column} FROM thing")).into())
        }
        ("plan.query", false) => sql.into(),
        _ => "I do not know.".into(),
    }
}

/// Without types the nouns of the tables, cards, a query, a repair and alternatives compete for the
/// calls.
#[tokio::test]
async fn four_calls_at_most_where_every_reply_is_doubtful_or_fails() {
    let embedder = embedder().await;
    let mut asked_for = std::collections::BTreeSet::new();
    for question in [
        "Which whiskers of the Torrin Foxes hum the oldest lullaby?",
        "Who umpires the quarrel of Ada Lee and Bo Ray at Mill Field?",
        "How many umbrellas does the home ground of the Harnby Herons keep?",
    ] {
        for sql in [
            "SELECT lullaby FROM whisker",
            "SELECT born_in FROM thing",
            "This is no query.",
            "",
            "SELECT NULL",
        ] {
            // A new workspace has neither nouns nor cards.
            let league = setting_from("league.tsv", LEAGUE).await;
            let model = Arc::new(ScriptedModel::new().when(move |request| Some(doubtful(request, sql))));
            let options = AskOptions { method: Method::Auto, ..AskOptions::default() };
            let answer = ask(&league, Some(model.clone()), Some(embedder.clone()), question, &options).await;
            assert_within_bounds(&answer, &model);
            assert_eq!(answer.status, Status::Abstained, "{question} {sql}: {answer:#?}");
            let reason = answer.reason.unwrap();
            assert!(reason.split(' ').count() > 3 && !reason.contains("limit"), "{question} {sql}: {reason}");
            asked_for.extend(model.requests().into_iter().map(|request| request.stage));
            assert_eq!(model.calls_of("plan.query").min(1), 1, "the last call is kept for a query");
        }
    }
    // The test reaches what it bounds.
    assert!(["plan.kinds", "plan.card"].iter().all(|stage| asked_for.contains(*stage)), "{asked_for:?}");
}

/// A graph of many types with many columns, whose prompt is as long as the settings allow.
fn wide_schema() -> String {
    let mut graph = String::from(
        "@prefix : <http://wide.test/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n",
    );
    for kind in 0..12 {
        writeln!(graph, ":Kind{kind} rdfs:label \"stocked contraption {kind}\" .").unwrap();
        for row in 0..3 {
            write!(graph, ":k{kind}r{row} a :Kind{kind} ; rdfs:label \"Contraption {kind} of row {row}\"")
                .unwrap();
            for column in 0..20 {
                write!(
                    graph,
                    " ; :propertyOfContraption{kind}Column{column} \"stocked value {row} of {column}\""
                )
                .unwrap();
            }
            graph.push_str(" .\n");
        }
    }
    graph
}

/// Asks a graph with a wide schema, of which the prompt shows `table_bytes`.
async fn ask_wide(
    wide: &Setting,
    sql: &'static str,
    method: Method,
    table_bytes: usize,
) -> (Answer, Arc<ScriptedModel>) {
    let question = "Which stocked contraption has the best property of contraption 7, column 9?";
    let model = Arc::new(ScriptedModel::new().when(move |request| Some(doubtful(request, sql))));
    let mut options = AskOptions { method, ..AskOptions::default() };
    options.config.query.table_bytes = table_bytes;
    let answer = ask(wide, Some(model.clone()), Some(embedder().await), question, &options).await;
    assert_within_bounds(&answer, &model);
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    assert!(answer.reason.as_ref().is_some_and(|reason| !reason.is_empty()));
    (answer, model)
}

/// A query that fits no table, and one that leaves out most of the question.
const REPLIES: [&str; 2] = ["SELECT lullaby FROM whisker", "SELECT name FROM stocked_contraption_7"];

#[tokio::test]
async fn neither_repair_nor_alternatives_go_beyond_the_tokens_of_a_question() {
    let wide = setting_from("wide.ttl", &wide_schema()).await;
    let [unbound, doubtful] = REPLIES;
    for (sql, method) in [(unbound, Method::Query), (doubtful, Method::Query), (unbound, Method::Auto)] {
        // Two of these prompts would exceed the tokens.
        let (answer, model) = ask_wide(&wide, sql, method, 9_000).await;
        assert!(answer.usage.prompt_tokens > TOKENS / 2, "{}", answer.usage.prompt_tokens);
        assert_eq!(model.calls(), 1, "{method:?} {sql}");
        // Of these only some more, whose replies are as long as the tokens allow.
        for bytes in [2_600, 3_000] {
            let (answer, model) = ask_wide(&wide, sql, method, bytes).await;
            assert!(model.calls() > 1, "{method:?} {sql} {bytes}");
            let last = model.requests().pop().unwrap();
            let replies = last.alternatives.as_ref().map_or(1, |others| others.count);
            let most = tokens(&answer) + u64::from(last.max_tokens * replies);
            assert!(most <= TOKENS + REPLY * u64::from(replies), "{method:?} {sql} {bytes}: {most}");
        }
    }
}
