//! Pumps and their parts, with list prices as records of an amount and a currency that have labels
//! which say nothing ("Price record 00703").

use crate::common::checks::{check, doubts, faults, graph, unsaid};
use crate::common::{Shop, answers, asked_rows};

async fn pumps() -> Shop {
    graph(
        ":unitMassGrams rdfs:comment \"Mass of one piece in grams\" . \
         :ratedFlow rdfs:comment \"Rated volume flow in cubic metres per hour\" . \
         :p1 a :PumpModel ; rdfs:label \"Torva 80\" ; :weightKg 120 ; :listPrice :pr1 ; :ratedFlow 30 ; :designLead :e1 . \
         :p2 a :PumpModel ; rdfs:label \"Gyrex 40\" ; :weightKg 60 ; :listPrice :pr2 ; :ratedFlow 90 ; :designLead :e2 . \
         :pr1 a :Price ; rdfs:label \"Price record 00709\" ; :amount 5560 ; :currency \"EUR\" . \
         :pr2 a :Price ; rdfs:label \"Price record 00703\" ; :amount 6100 ; :currency \"EUR\" . \
         :e1 a :Employee ; rdfs:label \"Ida Fenn\" . :e2 a :Employee ; rdfs:label \"Eli Brook\" . \
         :c1 a :Component ; rdfs:label \"Rotor R3\" ; :unitMassGrams 61000 ; :compatibleWith :p2 . \
         :c2 a :Component ; rdfs:label \"Seal S1\" ; :unitMassGrams 200 ; :compatibleWith :p1 .",
    )
    .await
}

#[tokio::test]
async fn labels_with_numbers_name_no_value() {
    let shop = pumps().await;
    check(&shop, "SELECT name FROM pump_model ORDER BY list_price DESC LIMIT 1", &["Gyrex 40"]).await;
    check(&shop, "SELECT name FROM pump_model WHERE list_price > 6000", &["Gyrex 40"]).await;
    check(&shop, "SELECT AVG(list_price) FROM pump_model", &["5830"]).await;
    let dearer = "SELECT (SELECT list_price FROM pump_model WHERE name = 'Gyrex 40') - \
                  (SELECT list_price FROM pump_model WHERE name = 'Torva 80')";
    let asked = "By how many euros is the Gyrex 40 dearer than the Torva 80?";
    assert_eq!(asked_rows(&shop, asked, dearer).await, ["540"]);
    let price = "SELECT list_price FROM pump_model WHERE name = 'Torva 80'";
    assert_eq!(asked_rows(&shop, "What does the Torva 80 cost?", price).await, ["5560 | EUR"]);
}

#[tokio::test]
async fn names_are_no_numbers() {
    let shop = pumps().await;
    let difference = "SELECT (SELECT design_lead FROM pump_model WHERE name = 'Gyrex 40') - \
                      (SELECT design_lead FROM pump_model WHERE name = 'Torva 80')";
    let fault = "calculates with names";
    let asked = "How much older is the Gyrex 40's designer than that of the Torva 80?";
    assert!(faults(&shop, asked, difference).await.contains(&fault));
    let weights = "SELECT (SELECT weight_kg FROM pump_model WHERE name = 'Torva 80') - \
                   (SELECT weight_kg FROM pump_model WHERE name = 'Gyrex 40')";
    let asked = "By how many kilograms is the Torva 80 heavier than the Gyrex 40?";
    assert!(!faults(&shop, asked, weights).await.contains(&fault));
    assert_eq!(answers(&shop, asked, weights).await, ["60"]);
}

#[tokio::test]
async fn parts_have_a_weight_of_their_own() {
    let shop = pumps().await;
    let asked = "Which parts weigh over 50 kilograms apiece?";
    let fitted = "SELECT component.name FROM component JOIN pump_model ON component.compatible_with = pump_model.name \
                  WHERE pump_model.weight_kg > 50";
    assert_eq!(unsaid(&shop, asked, fitted).await, ["PumpModel"]);
    let own = "SELECT name FROM component WHERE unit_mass_grams > 50000";
    assert!(unsaid(&shop, asked, own).await.is_empty());
    let of_pumps = "Which parts fit pump models over 50 kilograms?";
    assert!(unsaid(&shop, of_pumps, fitted).await.is_empty());
}

#[tokio::test]
async fn a_comment_says_that_a_number_is_per_hour() {
    let shop = pumps().await;
    let most = "SELECT name FROM pump_model ORDER BY rated_flow DESC LIMIT 1";
    let asked = "Which pump model moves the most cubic metres per hour?";
    assert!(!doubts(&shop, asked, most).await.contains(&"per".to_owned()));
    let asked = "Which pump model moves the most cubic metres per day?";
    assert!(doubts(&shop, asked, most).await.contains(&"per".to_owned()));
}

#[tokio::test]
async fn a_join_within_a_table_leads_to_the_other_thing() {
    let staff = graph(
        ":a a :Employee ; rdfs:label \"Ada Lee\" ; :reportsTo :b ; :email \"ada@x.test\" . \
         :b a :Employee ; rdfs:label \"Ben Moe\" ; :email \"ben@x.test\" .",
    )
    .await;
    let own = "SELECT employee.email FROM employee JOIN employee AS boss ON employee.reports_to = boss.name \
               WHERE employee.name = 'Ada Lee'";
    assert_eq!(asked_rows(&staff, "What is the e-mail of Ada Lee's supervisor?", own).await, ["ben@x.test"]);
    let used = "SELECT employee.email FROM employee JOIN employee AS boss ON employee.reports_to = boss.name \
                WHERE employee.name = 'Ada Lee' AND boss.name = 'Ben Moe'";
    let asked = "What is the e-mail of Ada Lee, who reports to Ben Moe?";
    assert_eq!(asked_rows(&staff, asked, used).await, ["ada@x.test"]);
}
