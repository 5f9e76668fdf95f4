//! Values in parts: prices and weights that are nodes with a number and a unit, with and without a
//! type or a name.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::expect_used,
    reason = "set-up of tests"
)]

use crate::common;
use common::Shop;
use common::checks::{check, graph, weighed};
use common::{answers, asked_rows, read};
use quipu_query::Doubt;
use quipu_reading::Nearness;

/// Prices as blank nodes; `{}` stands for their type.
const PRICES: &str = r#":p1 a :Part ; rdfs:label "Drive Belt" ; :listPrice [ {} :amount 45.5 ; :currency "EUR" ] .
:p2 a :Part ; rdfs:label "Servo Board" ; :listPrice [ {} :amount 1250 ; :currency "USD" ] .
:p3 a :Part ; rdfs:label "Piston Seal" ; :listPrice [ {} :amount 7.25 ; :currency "EUR" ] .
"#;

/// Weights and powers as quantities of one type, their units as entities.
const QUANTITIES: &str = r#":m1 a :Machine ; rdfs:label "Press" ; :weight :q1 ; :power :q2 .
:m2 a :Machine ; rdfs:label "Lathe" ; :weight :q3 ; :power :q4 .
:q1 a :Quantity ; :value 8200 ; :unit :KG . :q2 a :Quantity ; :value 75 ; :unit :KW .
:q3 a :Quantity ; :value 2400 ; :unit :KG . :q4 a :Quantity ; :value 90 ; :unit :KW .
"#;

/// Prices and weights as quantities of one type, each with an amount.
const BOXES: &str = r#":a a :Box ; rdfs:label "Amber" ; :listPrice :a1 ; :weight :a2 .
:b a :Box ; rdfs:label "Briar" ; :listPrice :b1 ; :weight :b2 .
:a1 a :Quantity ; :amount 30 . :b1 a :Quantity ; :amount 40 .
:a2 a :Quantity ; :amount 9 . :b2 a :Quantity ; :amount 8 .
"#;

async fn prices(of_type: &str) -> Shop {
    graph(&PRICES.replace("{}", of_type)).await
}

#[tokio::test]
async fn prices_are_compared_ordered_and_added_up_by_their_amounts() {
    for of_type in ["", "a :Price ;"] {
        let shop = prices(of_type).await;
        for (sql, expected) in [
            ("SELECT name FROM part WHERE list_price > 40", &["Drive Belt", "Servo Board"][..]),
            ("SELECT name FROM part WHERE 40 >= list_price", &["Piston Seal"]),
            ("SELECT name FROM part WHERE list_price = 7.25", &["Piston Seal"]),
            ("SELECT name FROM part WHERE list_price BETWEEN 40 AND 50", &["Drive Belt"]),
            ("SELECT name FROM part ORDER BY list_price DESC LIMIT 1", &["Servo Board"]),
            ("SELECT name FROM part ORDER BY list_price", &["Piston Seal", "Drive Belt", "Servo Board"]),
            ("SELECT AVG(list_price) FROM part WHERE name <> 'Servo Board'", &["26.375"]),
            ("SELECT MAX(list_price) - MIN(list_price) FROM part", &["1242.75"]),
            (
                "SELECT a.name FROM part a JOIN part b ON b.name = 'Drive Belt' \
                 WHERE a.list_price < b.list_price",
                &["Piston Seal"],
            ),
        ] {
            check(&shop, sql, expected).await;
        }
    }
}

#[tokio::test]
async fn amounts_of_several_currencies_are_told() {
    let shop = graph(
        ":o1 a :Order ; rdfs:label \"O-1\" ; :total 45.5 ; :weightKg 9 ; :currency \"EUR\" . \
         :o2 a :Order ; rdfs:label \"O-2\" ; :total 99 ; :weightKg 3 ; :currency \"USD\" . \
         :f1 a :Fee ; rdfs:label \"F-1\" ; :amount 5 ; :currency \"EUR\" . \
         :f2 a :Fee ; rdfs:label \"F-2\" ; :amount 7 ; :currency \"EUR\" .",
    )
    .await;
    let tells = |shop: &Shop, sql: &str| {
        let mends = read(shop, "How much is it?", sql).mends;
        mends
            .iter()
            .any(|mend| mend.doubt == Doubt::Told && mend.text.contains("several currencies (EUR, USD)"))
    };
    for sql in [
        "SELECT SUM(total) FROM \"order\"",
        "SELECT name FROM \"order\" ORDER BY total DESC LIMIT 1",
        "SELECT name FROM \"order\" WHERE total > 50",
    ] {
        assert!(tells(&shop, sql), "{sql}");
    }
    for sql in [
        "SELECT currency, SUM(total) FROM \"order\" GROUP BY currency",
        "SELECT SUM(total) FROM \"order\" WHERE currency = 'EUR'",
        "SELECT total FROM \"order\" WHERE name = 'O-1'",
        "SELECT SUM(weight_kg) FROM \"order\"",
        "SELECT COUNT(total) FROM \"order\"",
        "SELECT SUM(amount) FROM fee",
    ] {
        assert!(!tells(&shop, sql), "{sql}");
    }
    let parts = prices("").await;
    assert!(tells(&parts, "SELECT name FROM part ORDER BY list_price DESC LIMIT 1"));
}

#[tokio::test]
async fn the_parts_are_given_and_may_be_asked_for() {
    for of_type in ["", "a :Price ;"] {
        let shop = prices(of_type).await;
        let price = "SELECT list_price FROM part WHERE name = 'Piston Seal'";
        assert_eq!(asked_rows(&shop, "What does the Piston Seal cost?", price).await, ["7.25 | EUR"]);
        let table = if of_type.is_empty() { "list_price" } else { "price" };
        let euros = format!(
            "SELECT p.name FROM part p JOIN {table} v ON p.list_price = v.name WHERE v.currency = 'EUR'"
        );
        check(&shop, &euros, &["Drive Belt", "Piston Seal"]).await;
    }
}

/// A question's superlative names the relation that leads to the value: nothing else says that an
/// amount is a price.
#[tokio::test]
async fn an_amount_is_called_like_the_relation_that_leads_to_it() {
    for of_type in ["", "a :Price ;"] {
        let shop = prices(of_type).await;
        let dearest = "SELECT name FROM part ORDER BY list_price DESC LIMIT 1";
        let question = "Which is the most expensive part?";
        assert_eq!(answers(&shop, question, dearest).await, ["Servo Board"]);
        let said = quipu_query::say(&read(&shop, question, dearest).query, &shop.tables);
        assert!(said.contains("greatest list price"), "{said}");
    }
}

#[tokio::test]
async fn one_type_of_quantity_serves_several_relations() {
    let shop = graph(QUANTITIES).await;
    for (sql, expected) in [
        ("SELECT name FROM machine ORDER BY weight LIMIT 1", &["Lathe"][..]),
        ("SELECT name FROM machine ORDER BY power LIMIT 1", &["Press"]),
        ("SELECT name FROM machine WHERE weight > 5000 AND power > 50", &["Press"]),
        ("SELECT SUM(weight) FROM machine", &["10600"]),
        ("SELECT weight, power FROM machine WHERE name = 'Press'", &["8200 | 75"]),
    ] {
        check(&shop, sql, expected).await;
    }
    // As small models write it: a column as a table, one table joined twice under one name.
    let both = "SELECT weight.value, power.value FROM machine \
                JOIN quantity ON machine.weight = quantity.name \
                JOIN quantity ON machine.power = quantity.name WHERE machine.name = 'Press'";
    check(&shop, both, &["8200 | 75"]).await;
    let weight = "SELECT weight FROM machine WHERE name = 'Press'";
    assert_eq!(asked_rows(&shop, "How heavy is the Press?", weight).await, ["8200 | KG"]);
}

/// Rows with links to other things are no values, even if they have no names.
#[tokio::test]
async fn deeds_are_no_values() {
    let visits = ":v1 a :Visit ; :of :rex ; :at :north ; :cost 40 . :v2 a :Visit ; :of :rex ; :at :south ; :cost 60 .
        :rex a :Pet ; rdfs:label \"Rex\" . :north a :Clinic ; rdfs:label \"North\" . :south a :Clinic ; rdfs:label \"South\" .";
    let shop = graph(visits).await;
    let visit = shop.tables.find("visit").unwrap();
    assert!(!shop.tables.holds_values(visit));
    check(&shop, "SELECT name FROM visit WHERE cost > 50", &["v2"]).await;
}

/// A postal code is a number, but no amount: an address is not called like it.
#[tokio::test]
async fn an_address_has_no_amount() {
    let shop = graph(
        ":s1 a :Store ; rdfs:label \"North\" ; :address [ a :Address ; :street \"Mill Lane 3\" ; :postalCode \"4020\" ] .
         :s2 a :Store ; rdfs:label \"South\" ; :address [ a :Address ; :street \"Quay 7\" ; :postalCode \"8010\" ] .",
    )
    .await;
    let address = "SELECT address FROM store WHERE name = 'North'";
    assert_eq!(asked_rows(&shop, "What is the address of North?", address).await, ["4020 | Mill Lane 3"]);
    let code = "SELECT postal_code FROM store WHERE name = 'South'";
    check(&shop, code, &["8010"]).await;
}

/// More values than a relation's sample holds: each relation's values keep a table of their own.
#[tokio::test]
async fn many_values_of_two_relations_do_not_mix() {
    let part = |n: usize| {
        format!(
            ":p{n} a :Part ; rdfs:label \"Part {n}\" ; :price [ :amount {n} ; :currency \"EUR\" ] ; :mass [ :grams {} ] .\n",
            5000 - n
        )
    };
    let shop = graph(&(1..=1200).map(part).collect::<String>()).await;
    check(&shop, "SELECT name FROM part ORDER BY price DESC LIMIT 1", &["Part 1200"]).await;
    check(&shop, "SELECT name FROM part ORDER BY mass DESC LIMIT 1", &["Part 1"]).await;
}

/// The key of a statement tells nothing: its parts are given, the office first.
#[tokio::test]
async fn a_statement_is_given_by_its_parts() {
    let offices = include_str!("../../quipu-query/tests/offices.ttl");
    let shop = Shop::of("offices.ttl", offices).await.unwrap();
    let positions = "SELECT position_held FROM human_position_held WHERE human = 'Per Strand'";
    let read = read(&shop, "Which positions did Per Strand hold?", positions);
    let plan = quipu_query::plan(&read.query, &shop.tables).unwrap();
    let limits = quipu_query::RunLimits::default();
    let mut rows = quipu_query::run(&shop.workspace, &plan, &limits).await.unwrap().rows;
    rows.sort_by_key(|row| row[1].as_ref().map(|cell| cell.name.clone()));
    let names: Vec<Vec<&str>> =
        rows.iter().map(|row| row.iter().flatten().map(|cell| cell.name.as_str()).collect()).collect();
    assert_eq!(names, [["Mayor of Brusk", "2012-05-01"], ["Mayor of Tellin", "2020-06-01"]]);
}

/// The relation that leads to an amount tells its measure, although an amount may be one of money.
#[tokio::test]
async fn the_heaviest_has_the_greatest_amount_of_its_weight() {
    let boxes = graph(BOXES).await;
    let faults = async |question: &str, of: &str| {
        let sql = format!(
            "SELECT box.name FROM box JOIN quantity ON box.{of} = quantity.name \
             ORDER BY quantity.amount DESC LIMIT 1"
        );
        weighed(&boxes, question, &sql, Nearness::default(), &[]).await.1.faults
    };
    let measure = "uses another measure";
    for (question, right, wrong) in [
        ("Which is the heaviest box?", "weight", "list_price"),
        ("Which is the most expensive box?", "list_price", "weight"),
    ] {
        assert!(!faults(question, right).await.contains(&measure), "{question}");
        assert!(faults(question, wrong).await.contains(&measure), "{question}");
    }
}

/// So it does where it is compared: "lighter than 9" speaks of a weight.
#[tokio::test]
async fn a_comparison_is_of_the_measure_that_leads_to_an_amount() {
    let boxes = graph(BOXES).await;
    for (of, is_another) in [("weight", false), ("list_price", true)] {
        let sql = format!(
            "SELECT box.name FROM box JOIN quantity ON box.{of} = quantity.name WHERE quantity.amount < 35"
        );
        let question = "Which boxes are lighter than 35?";
        let faults = weighed(&boxes, question, &sql, Nearness::default(), &[]).await.1.faults;
        assert_eq!(faults.contains(&"uses another measure"), is_another, "{of}: {faults:?}");
    }
}

/// "Before discount" is no time: the graph's comment says it of the price. Nor does "how many
/// francs" ask for a number of things.
#[tokio::test]
async fn what_a_comment_says_of_a_price_is_heeded() {
    let sql =
        "SELECT price.amount FROM box JOIN price ON box.list_price = price.name WHERE box.name = 'Amber'";
    let question = "How many francs does the Amber cost before discount?";
    let faults = async |comment: &str| {
        let boxes = graph(&format!(
            ":listPrice rdfs:label \"list price\" {comment} .
             :a a :Box ; rdfs:label \"Amber\" ; :listPrice :a1 . :b a :Box ; rdfs:label \"Briar\" ; :listPrice :b1 .
             :a1 a :Price ; :amount 30 ; :currency \"CHF\" . :b1 a :Price ; :amount 40 ; :currency \"CHF\" ."
        ))
        .await;
        weighed(&boxes, question, sql, Nearness::default(), &[]).await.1.faults
    };
    let told = faults("; rdfs:comment \"Price before any discount, excluding VAT.\"").await;
    assert!(told.is_empty(), "{told:?}");
    let untold = faults("").await;
    assert!(untold.contains(&"leaves out a word that changes the meaning"), "{untold:?}");
}
