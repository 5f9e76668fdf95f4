//! Words that change a question's meaning (except, at least, before …): if the model's query
//! ignores one, the answer is not sure.

#![allow(clippy::unwrap_used, reason = "set-up of tests")]

use crate::common;
use std::sync::Arc;

use common::shop::shop;
use common::{ask, embedder};
use quipu_answer::{Answer, AskOptions, Method, Status};
use quipu_model::ScriptedModel;

/// From this confidence on, an answer is called sure.
const SURE: f64 = 0.7;

/// A question with a query that ignores one of its words, and one that heeds it.
struct Case {
    question: &'static str,
    ignores: &'static [&'static str],
    heeds: Option<&'static str>,
    expected: &'static [&'static str],
}

const CASES: [Case; 15] = [
    Case {
        question: "Which products have the supplier Acme, except the Falcon Drill?",
        ignores: &[
            "SELECT name FROM product WHERE supplier = 'Acme'",
            "SELECT name FROM product WHERE supplier = 'Acme' AND name = 'Falcon Drill'",
        ],
        heeds: Some("SELECT name FROM product WHERE supplier = 'Acme' AND name <> 'Falcon Drill'"),
        expected: &["Heron Sander", "Owl Lamp"],
    },
    Case {
        question: "Which products except those of the supplier Acme are there?",
        ignores: &["SELECT name FROM product WHERE supplier = 'Acme'", "SELECT name FROM product"],
        heeds: Some("SELECT name FROM product WHERE supplier <> 'Acme'"),
        expected: &["Otter Pump", "Owl Lamp"],
    },
    Case {
        question: "Which products other than the Falcon Drill have the supplier Acme?",
        ignores: &[
            "SELECT name FROM product WHERE supplier = 'Acme'",
            "SELECT name FROM product WHERE supplier = 'Acme' AND name = 'Falcon Drill'",
        ],
        heeds: Some("SELECT name FROM product WHERE supplier = 'Acme' AND name <> 'Falcon Drill'"),
        expected: &["Heron Sander", "Owl Lamp"],
    },
    Case {
        question: "Which products have a supplier other than Acme?",
        ignores: &["SELECT name FROM product WHERE supplier = 'Acme'", "SELECT name FROM product"],
        heeds: Some("SELECT name FROM product WHERE supplier <> 'Acme'"),
        expected: &["Otter Pump", "Owl Lamp"],
    },
    Case {
        question: "Which products have a price of at least 100?",
        ignores: &[
            "SELECT name FROM product",
            "SELECT name FROM product WHERE price = 100",
            "SELECT name FROM product WHERE price < 100",
        ],
        heeds: Some("SELECT name FROM product WHERE price >= 100"),
        expected: &["Falcon Drill", "Otter Pump"],
    },
    Case {
        question: "Which suppliers have at least 3 products?",
        ignores: &["SELECT name FROM supplier", "SELECT DISTINCT supplier FROM product"],
        heeds: Some("SELECT supplier FROM product GROUP BY supplier HAVING COUNT(*) >= 3"),
        expected: &["Acme"],
    },
    Case {
        question: "Which products have a price of at most 50?",
        ignores: &["SELECT name FROM product", "SELECT name FROM product WHERE price > 50"],
        heeds: Some("SELECT name FROM product WHERE price <= 50"),
        expected: &["Owl Lamp", "Owl Lamp"],
    },
    Case {
        question: "Which suppliers have at most two products?",
        ignores: &["SELECT name FROM supplier", "SELECT DISTINCT supplier FROM product"],
        heeds: Some("SELECT supplier FROM product GROUP BY supplier HAVING COUNT(*) <= 2"),
        expected: &["Brix"],
    },
    Case {
        question: "Which suppliers were founded before 1988?",
        ignores: &["SELECT name FROM supplier", "SELECT name FROM supplier WHERE founded > '1988-01-01'"],
        heeds: Some("SELECT name FROM supplier WHERE founded < '1988-01-01'"),
        expected: &["Brix"],
    },
    Case {
        question: "Which suppliers were founded after 1988?",
        ignores: &["SELECT name FROM supplier", "SELECT name FROM supplier WHERE founded < '1988-01-01'"],
        heeds: Some("SELECT name FROM supplier WHERE founded >= '1989-01-01'"),
        expected: &["Acme"],
    },
    Case {
        question: "Which suppliers were founded before Acme?",
        ignores: &["SELECT name FROM supplier WHERE name = 'Acme'", "SELECT name FROM supplier"],
        heeds: Some(
            "SELECT name FROM supplier WHERE founded < (SELECT founded FROM supplier WHERE name = 'Acme')",
        ),
        expected: &["Brix"],
    },
    Case {
        question: "Which products have the supplier Acme unless the price is below 50?",
        ignores: &[
            "SELECT name FROM product WHERE supplier = 'Acme'",
            "SELECT name FROM product WHERE price < 50",
        ],
        heeds: Some("SELECT name FROM product WHERE supplier = 'Acme' AND NOT price < 50"),
        expected: &["Falcon Drill", "Heron Sander"],
    },
    Case {
        question: "Which products have a price below 50 unless the supplier is Acme?",
        ignores: &[
            "SELECT name FROM product WHERE price < 50",
            "SELECT name FROM product WHERE price < 50 AND supplier = 'Acme'",
        ],
        heeds: None,
        expected: &["Owl Lamp"],
    },
    // Both suppliers have cheap products, and dear ones.
    Case {
        question: "Which suppliers only have products with a price below 50?",
        ignores: &["SELECT DISTINCT supplier FROM product WHERE price < 50", "SELECT name FROM supplier"],
        heeds: None,
        expected: &[],
    },
    Case {
        question: "Which suppliers have never had a product with a price of at least 100?",
        ignores: &["SELECT DISTINCT supplier FROM product WHERE price >= 100", "SELECT name FROM supplier"],
        heeds: None,
        expected: &[],
    },
];

fn is_sure(answer: &Answer) -> bool {
    answer.status == Status::Answered && answer.confidence >= SURE
}

fn sorted(answer: &Answer) -> Vec<&str> {
    let mut names: Vec<&str> = answer.answers.iter().map(String::as_str).collect();
    names.sort_unstable();
    names
}

#[tokio::test]
async fn a_word_that_changes_the_meaning_and_is_ignored_forbids_a_sure_answer() {
    let (shop, embedder) = (shop().await, embedder().await);
    let mut wrong = Vec::new();
    for case in &CASES {
        for (sql, method) in case.ignores.iter().flat_map(|sql| [(sql, Method::Query), (sql, Method::Auto)]) {
            let model = Arc::new(ScriptedModel::new().always("plan.query", *sql));
            let options = AskOptions { method, ..AskOptions::default() };
            let answer =
                ask(&shop, Some(model.clone()), Some(embedder.clone()), case.question, &options).await;
            assert!(model.calls() <= 4, "{} {sql}: {} calls", case.question, model.calls());
            // A mend may give the query the word that it lacks.
            if is_sure(&answer) && sorted(&answer) != case.expected {
                wrong.push(format!("{} {sql} {method:?} {:.2}", case.question, answer.confidence));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn a_query_that_heeds_the_word_is_answered() {
    let (shop, embedder) = (shop().await, embedder().await);
    let mut lacking = Vec::new();
    for case in &CASES {
        let Some(heeds) = case.heeds else { continue };
        let model = Arc::new(ScriptedModel::new().always("plan.query", heeds));
        let options = AskOptions { method: Method::Query, ..AskOptions::default() };
        let answer = ask(&shop, Some(model), Some(embedder.clone()), case.question, &options).await;
        if sorted(&answer) != case.expected {
            let reason = answer.reason.clone().unwrap_or_default();
            lacking.push(format!("{} {:?} {reason}", case.question, answer.answers));
        }
    }
    assert!(lacking.is_empty(), "{lacking:#?}");
}
