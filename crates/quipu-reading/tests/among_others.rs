//! A reading among others: what other queries with the same rows, or a reply that finds no table,
//! say of it.

use crate::common::Shop;
use crate::common::checks::{candidate, graph};
use quipu_reading::{Candidate, Nearness, TableQuestion, features};

async fn bikes() -> Shop {
    graph(
        ":a a :Bike ; :name \"Otter\" ; :rangeKm 120 ; :price 900 . \
         :b a :Bike ; :name \"Heron\" ; :rangeKm 90 ; :price 1200 . \
         :c a :Bike ; :name \"Stoat\" ; :rangeKm 60 ; :price 500 .",
    )
    .await
}

/// The faults of the first of several queries, each with its likelihood.
async fn faults(question: &str, queries: &[(&str, f64)], declined: usize) -> Vec<&'static str> {
    let shop = bikes().await;
    let mut all: Vec<Candidate> = Vec::new();
    for (sql, likelihood) in queries {
        let written = candidate(&shop, question, sql, Nearness::default()).await;
        all.push(Candidate { likelihood: Some(*likelihood), declined, ..written });
    }
    let asking = TableQuestion { text: question, tables: &shop.tables, values: &shop.values, named: &[] };
    features(&asking, &all).remove(0).1.faults
}

const FARTHEST: &str = "SELECT name FROM bike ORDER BY range_km DESC LIMIT 1";
const BY_MAXIMUM: &str = "SELECT name FROM bike WHERE range_km = (SELECT MAX(range_km) FROM bike)";
const CHEAPEST: &str = "SELECT name FROM bike ORDER BY price LIMIT 1";

#[tokio::test]
async fn words_far_from_a_reading_are_forgiven_if_other_queries_have_its_rows() {
    let question = "which machine goes a great distance on one charge of energy";
    let far = "leaves out most words";
    assert_eq!(faults(question, &[(FARTHEST, -0.1)], 0).await, [far]);
    assert_eq!(faults(question, &[(FARTHEST, -0.1), (CHEAPEST, -0.2)], 0).await, [far]);
    assert_eq!(faults(question, &[(FARTHEST, -0.1), (BY_MAXIMUM, -0.2)], 0).await, [far], "two are few");
    let several = [(FARTHEST, -0.1), (BY_MAXIMUM, -0.2), (CHEAPEST, -0.3)];
    assert_eq!(faults(question, &several, 0).await, [""; 0]);
}

#[tokio::test]
async fn a_word_like_not_is_never_forgiven_and_handed_on_by_likelier_queries() {
    let ignored = "leaves out a word that changes the meaning";
    let several = [(FARTHEST, -0.1), (BY_MAXIMUM, -0.2), (CHEAPEST, -0.3)];
    let found = faults("Which bike does not have the most range?", &several, 0).await;
    assert!(found.contains(&ignored), "{found:?}");
    // The detour says "not", but has the rows of the query that ignores the word.
    let detour = "SELECT name FROM bike WHERE range_km = 120 AND NOT price = 500";
    let question = "Which bike with range 120 is not blue?";
    let plain = "SELECT name FROM bike WHERE range_km = 120";
    assert!(!faults(question, &[(detour, -0.3)], 0).await.contains(&ignored));
    assert!(faults(question, &[(detour, -0.3), (plain, -0.1)], 0).await.contains(&ignored));
    assert!(!faults(question, &[(detour, -0.1), (plain, -0.3)], 0).await.contains(&ignored));
    // A query that says every word is not to blame for one that ignores it.
    let question = "Which bike with range 120 does not have price 500?";
    assert!(faults(question, &[(plain, -0.1)], 0).await.contains(&ignored));
    assert!(!faults(question, &[(detour, -0.3), (plain, -0.1)], 0).await.contains(&ignored));
}

#[tokio::test]
async fn a_reply_that_finds_no_table_is_a_fault_of_the_other_queries() {
    let question = "Which bike has the greatest range?";
    assert_eq!(faults(question, &[(FARTHEST, -0.1)], 0).await, [""; 0]);
    assert_eq!(faults(question, &[(FARTHEST, -0.1)], 1).await, ["another reply finds no table"]);
}

#[tokio::test]
async fn detours_that_only_seem_to_heed_a_word_are_faults() {
    let others = "SELECT price FROM bike WHERE name <> 'Heron'";
    let denied = "denies another thing";
    assert_eq!(faults("What is not the price of Heron?", &[(others, -0.1)], 0).await, [denied]);
    assert!(
        !faults("What are the prices of bikes, not Heron?", &[(others, -0.1)], 0).await.contains(&denied)
    );
    let squared = "SELECT price * price FROM bike WHERE name = 'Heron'";
    let found = faults("What is the price of the price of Heron?", &[(squared, -0.1)], 0).await;
    assert!(found.contains(&"multiplies a value by itself"), "{found:?}");
    let product = "SELECT price * range_km FROM bike WHERE name = 'Heron'";
    let found = faults("What is the price times the range of Heron?", &[(product, -0.1)], 0).await;
    assert!(!found.contains(&"multiplies a value by itself"), "{found:?}");
}

#[tokio::test]
async fn a_link_that_changes_no_row_is_no_fault() {
    let shop = graph(
        ":p1 a :Plot ; :name \"Long Strip\" ; :tendedBy :ada ; :grows :leek, :bean . \
         :p2 a :Plot ; :name \"Pond Bed\" ; :tendedBy :ben ; :grows :leek . \
         :p3 a :Plot ; :name \"South Wall\" ; :tendedBy :ben ; :grows :bean . \
         :ada a :Gardener ; :name \"Ada\" . :ben a :Gardener ; :name \"Ben\" . \
         :leek a :Crop ; :name \"leek\" . :bean a :Crop ; :name \"bean\" .",
    )
    .await;
    let question = "How many plots does each gardener tend?";
    let with_link = "SELECT gardener.name, COUNT(DISTINCT plot.name) FROM plot_grows \
                     JOIN plot ON plot_grows.plot = plot.name JOIN gardener ON plot.tended_by = gardener.name \
                     GROUP BY gardener.name";
    let plain = "SELECT tended_by, COUNT(*) FROM plot GROUP BY tended_by";
    let likely = async |sql: &str, likelihood: f64| {
        let written = candidate(&shop, question, sql, Nearness::default()).await;
        Candidate { likelihood: Some(likelihood), ..written }
    };
    let asking = TableQuestion { text: question, tables: &shop.tables, values: &shop.values, named: &[] };
    let of = |all: &[Candidate]| -> Vec<Vec<&'static str>> {
        features(&asking, all).into_iter().map(|(_, unexplained)| unexplained.faults).collect()
    };
    let (first, second) = (likely(with_link, -0.1).await, likely(plain, -0.2).await);
    let part = "uses a link in part";
    assert_eq!(of(std::slice::from_ref(&first)), [[part]]);
    assert_eq!(
        of(&[first.clone(), likely(with_link, -0.2).await]),
        [[part], [part]],
        "nobody does without it"
    );
    assert_eq!(of(&[first, second]), [[""; 0], [""; 0]]);
}
