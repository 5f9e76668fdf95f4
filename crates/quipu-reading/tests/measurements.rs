//! Measurements as nodes with a number and a unit, extremes among one, properties compared with
//! themselves.

use quipu_reading::{Nearness, TableQuestion, features, units_used};

use crate::common::checks::{candidate, graph, weighed};
use crate::common::{Shop, answers, read};

/// Lamps whose weight and power are nodes; one weight is in grams.
async fn lamps() -> Shop {
    graph(
        ":l1 a :Lamp ; rdfs:label \"Owl\" ; :weight :m1 ; :power :m2 ; :maker :a . \
         :l2 a :Lamp ; rdfs:label \"Moth\" ; :weight :m3 ; :power :m4 ; :maker :a . \
         :l3 a :Lamp ; rdfs:label \"Wren\" ; :weight :m5 ; :power :m6 ; :maker :b . \
         :m1 a :Measurement ; :numericValue 900 ; :unit \"g\" . :m2 a :Measurement ; :numericValue 60 ; :unit \"W\" . \
         :m3 a :Measurement ; :numericValue 2 ; :unit \"kg\" . :m4 a :Measurement ; :numericValue 90 ; :unit \"W\" . \
         :m5 a :Measurement ; :numericValue 5 ; :unit \"kg\" . :m6 a :Measurement ; :numericValue 20 ; :unit \"W\" . \
         :a a :Maker ; rdfs:label \"Ada Lund\" ; :born 1950 ; :leads :f ; :worksFor :f ; :town \"Visby\" . \
         :b a :Maker ; rdfs:label \"Bo Falk\" ; :born 1980 ; :worksFor :f ; :town \"Visby\" . \
         :f a :Firm ; rdfs:label \"Lumen\" .",
    )
    .await
}

#[tokio::test]
async fn a_number_is_that_of_the_measurement_that_the_query_mentions() {
    let shop = lamps().await;
    let sql = "SELECT name FROM lamp WHERE power IS NOT NULL AND numeric_value >= 50";
    let mut found = answers(&shop, "Which lamps draw at least 50 watts?", sql).await;
    found.sort();
    assert_eq!(found, ["Moth", "Owl"]);
}

#[tokio::test]
async fn numbers_of_several_units_do_not_compare() {
    let shop = lamps().await;
    let units = |question: &str, sql: &str| units_used(&read(&shop, question, sql).query, &shop.tables);
    let heaviest = "SELECT lamp.name FROM lamp JOIN measurement ON lamp.weight = measurement.name \
                    ORDER BY measurement.numeric_value DESC LIMIT 1";
    let query = units("Which lamp is the heaviest?", heaviest).remove(0);
    let plan = quipu_query::plan(&query, &shop.tables).unwrap();
    let rows = quipu_query::run(&shop.workspace, &plan, &quipu_query::RunLimits::default()).await.unwrap();
    assert_eq!(rows.rows.len(), 2, "grams and kilograms");
    // A query that looks at the unit knows what it compares.
    let in_kilograms = "SELECT lamp.name FROM lamp JOIN measurement ON lamp.weight = measurement.name \
                        WHERE measurement.unit = 'kg' ORDER BY measurement.numeric_value DESC LIMIT 1";
    assert!(units("Which lamp is the heaviest in kg?", in_kilograms).is_empty());
    assert!(
        units("Who is the youngest maker?", "SELECT name FROM maker ORDER BY born DESC LIMIT 1").is_empty()
    );
    let within = "SELECT name FROM lamp WHERE weight = \
                  (SELECT MAX(numeric_value) FROM lamp l JOIN measurement m ON l.weight = m.name)";
    assert_eq!(units("Which lamp is the heaviest?", within).len(), 1);
    let by_a_condition = "SELECT name FROM lamp ORDER BY name = (SELECT MAX(name) FROM lamp) LIMIT 1";
    let question = "Which lamp is the heaviest?";
    let weighed = weighed(&shop, question, by_a_condition, Nearness::default(), &[]).await;
    assert!(weighed.1.faults.contains(&"orders by a condition"));
}

#[tokio::test]
async fn an_extreme_among_one_yields_to_one_among_several() {
    let shop = lamps().await;
    let question = "Who is the youngest person at Lumen?";
    let near = Nearness::default;
    let leads = "SELECT name FROM maker WHERE leads = 'Lumen' ORDER BY born DESC LIMIT 1";
    let works = "SELECT name FROM maker WHERE works_for = 'Lumen' ORDER BY born DESC LIMIT 1";
    let head = candidate(&shop, question, leads, near()).await;
    let staff = candidate(&shop, question, works, near()).await;
    let asking = TableQuestion { text: question, tables: &shop.tables, values: &shop.values, named: &[] };
    let fault = "orders one thing where another reading orders several";
    let faults = |alone: bool| {
        let head = quipu_reading::Candidate { alone, ..head.clone() };
        features(&asking, &[head, staff.clone()]).remove(0).1.faults.contains(&fault)
    };
    assert!(faults(true) && !faults(false));
}

#[tokio::test]
async fn a_property_compared_with_itself_says_nothing() {
    let shop = lamps().await;
    let pairs = "SELECT COUNT(*) FROM maker a JOIN maker b ON a.town = b.town";
    let fault = "compares a property with itself";
    let faults = async |question: &'static str| {
        weighed(&shop, question, pairs, Nearness::default(), &[]).await.1.faults.contains(&fault)
    };
    assert!(faults("How many makers live in a town?").await);
    assert!(!faults("How many makers live in the same town?").await);
}
