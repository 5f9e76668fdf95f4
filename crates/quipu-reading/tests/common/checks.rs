//! What weighing a query against its question finds.

pub use super::shop::checks::{check, graph};
use super::{Shop, read};
use quipu_query::{Mention, RunLimits, plan, run};
use quipu_reading::{Candidate, Features, Nearness, TableQuestion, Unexplained, features};

/// The words that forbid a reading to be sure.
pub async fn doubts(shop: &Shop, question: &str, sql: &str) -> Vec<String> {
    weighed(shop, question, sql, Nearness::default(), &[]).await.1.meanings
}

/// The faults of a reading by itself, and the checks that found words which it leaves out.
pub async fn faults(shop: &Shop, question: &str, sql: &str) -> Vec<&'static str> {
    let (_, found) = weighed(shop, question, sql, Nearness::default(), &[]).await;
    found.faults.into_iter().chain(found.checks).collect()
}

/// What a reading speaks of, and the question does not.
pub async fn unsaid(shop: &Shop, question: &str, sql: &str) -> Vec<String> {
    weighed(shop, question, sql, Nearness::default(), &[]).await.1.unsaid
}

/// The features of a reading, and the words that it leaves out.
pub async fn weighed(
    shop: &Shop,
    question: &str,
    sql: &str,
    near: Nearness,
    named: &[Mention],
) -> (Features, Unexplained) {
    let candidate = candidate(shop, question, sql, near).await;
    let asking = TableQuestion { text: question, tables: &shop.tables, values: &shop.values, named };
    features(&asking, std::slice::from_ref(&candidate)).remove(0)
}

/// A query as a reading that the model wrote.
pub async fn candidate(shop: &Shop, question: &str, sql: &str, near: Nearness) -> Candidate {
    let bound = read(shop, question, sql);
    let plan = plan(&bound.query, &shop.tables).unwrap();
    let rows = run(&shop.workspace, &plan, &RunLimits::default()).await.unwrap();
    Candidate {
        bound,
        plan,
        rows,
        planned: false,
        words: String::new(),
        near,
        role: 0.0,
        likelihood: None,
        repaired: false,
        tried: Vec::new(),
        lacking: Vec::new(),
        alone: false,
        declined: 0,
        ties: 0,
        path: None,
    }
}
