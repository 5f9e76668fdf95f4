//! Bounds that a query turns round, and either of two conditions where a question has both.

use crate::common::Shop;
use crate::common::checks::{graph, weighed};
use quipu_reading::Nearness;

const TURNED: &str = "turns a bound round";
const EITHER: &str = "takes either where the question has both";

async fn has(shop: &Shop, fault: &str, question: &str, sql: &str) -> bool {
    weighed(shop, question, sql, Nearness::default(), &[]).await.1.faults.contains(&fault)
}

#[tokio::test]
async fn a_bound_is_not_turned_round() {
    let shop = Shop::open().await.unwrap();
    for (question, turned, right) in [
        (
            "Which products cost at least 100?",
            "SELECT name FROM product WHERE price < 100",
            "SELECT name FROM product WHERE price >= 100",
        ),
        (
            "Which products were launched after 2021?",
            "SELECT name FROM product WHERE launched < '2021-01-01'",
            "SELECT name FROM product WHERE launched > '2021-12-31'",
        ),
        (
            "Which suppliers have at most two products?",
            "SELECT supplier FROM product GROUP BY supplier HAVING COUNT(*) > 2",
            "SELECT supplier FROM product GROUP BY supplier HAVING COUNT(*) <= 2",
        ),
    ] {
        assert!(has(&shop, TURNED, question, turned).await, "{question} {turned}");
        assert!(!has(&shop, TURNED, question, right).await, "{question} {right}");
    }
    // Behind a negation, with another number, within a NOT, and beside the right bound.
    for (question, sql) in [
        ("Which products don't cost over 100?", "SELECT name FROM product WHERE price <= 100"),
        (
            "Which suppliers have all their products over 100?",
            "SELECT name FROM supplier WHERE name NOT IN (SELECT supplier FROM product WHERE price <= 100)",
        ),
        ("Which products do not cost over 100?", "SELECT name FROM product WHERE price <= 100"),
        ("Which products cost over 100?", "SELECT name FROM product WHERE price < 300"),
        ("Which products cost over 100?", "SELECT name FROM product WHERE price > 100 OR price < 100"),
    ] {
        assert!(!has(&shop, TURNED, question, sql).await, "{question} {sql}");
    }
}

#[tokio::test]
async fn a_greater_rank_is_a_lower_one() {
    let riders = graph(
        ":r1 a :Rider ; rdfs:label \"Ada Lee\" ; :finalRank 3 . \
         :r2 a :Rider ; rdfs:label \"Bo Ray\" ; :finalRank 9 .",
    )
    .await;
    let sql = "SELECT name FROM rider WHERE final_rank < 5";
    assert!(!has(&riders, TURNED, "Which riders came in above 5?", sql).await);
}

#[tokio::test]
async fn both_conditions_are_not_either() {
    let shop = Shop::open().await.unwrap();
    let question = "Which products have the supplier Acme and the colour red?";
    let either = "SELECT name FROM product WHERE supplier = 'Acme' OR colour = 'red'";
    assert!(has(&shop, EITHER, question, either).await);
    let within = "SELECT name FROM product WHERE name IN \
                  (SELECT name FROM product WHERE supplier = 'Acme' UNION \
                  SELECT name FROM product WHERE colour = 'red')";
    assert!(has(&shop, EITHER, question, within).await);
    let both = "SELECT name FROM product WHERE supplier = 'Acme' AND colour = 'red'";
    assert!(!has(&shop, EITHER, question, both).await);
    let question = "Which products have the supplier Acme or the colour red?";
    assert!(!has(&shop, EITHER, question, either).await);
    let question = "Which products except those of the supplier Acme and those of the colour red are there?";
    let neither = "SELECT name FROM product WHERE NOT (supplier = 'Acme' OR colour = 'red')";
    assert!(!has(&shop, EITHER, question, neither).await);
    // Two values of one property are two things.
    let question = "What are the prices of the Falcon Drill and the Otter Pump?";
    let two = "SELECT name, price FROM product WHERE name = 'Falcon Drill' OR name = 'Otter Pump'";
    assert!(!has(&shop, EITHER, question, two).await);
}
