//! Small graphs and the rows of SQL over them.

use super::{Shop, read};
use quipu_query::asked::{Candidate, Features, Nearness, TableQuestion, Unexplained, features};
use quipu_query::{Mention, RunLimits, plan, run};

/// The prefixes of small graphs in Turtle.
const PREFIXES: &str = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
";

pub async fn graph(turtle: &str) -> Shop {
    let own = super::heard::namespace();
    let text = format!("@prefix : <{own}> .\n{PREFIXES}{turtle}");
    let shop = Shop::of("graph.ttl", &text).await.unwrap();
    Shop { has_own_namespace: true, ..shop }
}

pub async fn check(shop: &Shop, sql: &str, expected: &[&str]) {
    let lines = shop.lines(sql).await;
    let sparql = shop.plan(sql).map(|plan| plan.sparql()).unwrap_or_default();
    assert_eq!(lines, expected, "{sql}\n{sparql}");
}

/// A graph of codes: columns with abbreviated names, values that all end in one letter.
pub const CODES: &str = r#"
@prefix : <http://codes.test/> .
:a a :Creature ; :hasACValue 12 ; :hasHPvalue 30 ; :hasXPValue 400 ; :init 3 ; :atk 7 ; :hasLanguage :GoblinL, :OrcL .
:goblin a :Creature ; :hasACValue 15 ; :hasHPvalue 6 ; :hasXPValue 100 ; :init 1 ; :atk 2 ; :hasLanguage :ElvenL .
:b a :Creature ; :hasACValue 9 ; :hasHPvalue 11 ; :hasXPValue 200 ; :init 2 ; :atk 9 ; :hasLanguage :GoblinL .
:GoblinL a :Language . :OrcL a :Language . :ElvenL a :Language . :AuranL a :Language . :DarkL a :Language .
"#;

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
