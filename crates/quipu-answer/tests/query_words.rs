//! A query checked against the question's words: a slip is mended or sent back, and an answer to
//! another question is never sure.

#![allow(clippy::unwrap_used, reason = "set-up of tests")]

use crate::common;
use std::sync::Arc;

use common::shop::{ask_with, query, rows, shop};
use common::{ask, embedder, setting_from};
use quipu_answer::{AskOptions, Method, Status};
use quipu_model::ScriptedModel;

#[tokio::test]
async fn a_word_that_denies_and_is_not_heeded_forbids_a_sure_answer() {
    let sql = "SELECT name FROM product WHERE supplier = 'Acme'";
    let with = ask_with(&[sql; 4], "Which products have the supplier Acme?", query()).await.0;
    let without = ask_with(&[sql; 4], "Which products do not have the supplier Acme?", query()).await.0;
    assert_eq!(with.status, Status::Answered);
    assert!(with.confidence > 0.7, "{}", with.confidence);
    assert!(without.confidence < 0.7, "{}", without.confidence);
    assert!(without.readings.first().unwrap().unexplained.contains(&"not".to_owned()));
    let heeded = "SELECT name FROM product WHERE supplier <> 'Acme'";
    let (answer, _) = ask_with(&[heeded; 4], "Which products do not have the supplier Acme?", query()).await;
    assert_eq!(answer.answers, ["Otter Pump", "Owl Lamp"]);
}

#[tokio::test]
async fn the_oldest_is_the_one_with_the_earliest_date() {
    let sql = "SELECT name FROM supplier ORDER BY founded DESC LIMIT 1";
    let (answer, _) = ask_with(&[sql], "Which supplier is the oldest?", query()).await;
    assert_eq!(answer.answers, ["Brix"], "{answer:#?}");
    let mends = &answer.readings.first().unwrap().mends;
    assert!(mends.iter().any(|mend| mend == "“oldest” asks for the earliest founded"), "{mends:?}");
    // Numbers too; a correct query is not changed.
    let wrong = "SELECT name FROM product ORDER BY price ASC LIMIT 1";
    let (answer, _) = ask_with(&[wrong], "Which product has the highest price?", query()).await;
    assert_eq!(answer.answers, ["Otter Pump"]);
    let right = "SELECT name FROM product ORDER BY price LIMIT 1";
    let (answer, _) = ask_with(&[right], "Which product has the lowest price?", query()).await;
    assert_eq!(answer.answers, ["Owl Lamp"]);
    assert!(answer.readings.first().unwrap().mends.is_empty());
    let extreme = "SELECT MAX(founded) FROM supplier";
    let (answer, _) = ask_with(&[extreme], "When was the oldest supplier founded?", query()).await;
    assert_eq!(answer.answers, ["1985-02-01"]);
    // "At least" and "at most" are not extremes.
    let bound = "SELECT name FROM product WHERE price >= 100 ORDER BY price LIMIT 1";
    let question = "Name a product with a price of at most 200 and at least 100";
    let (answer, _) = ask_with(&[bound; 4], question, query()).await;
    assert_eq!(answer.readings.first().unwrap().values, ["Falcon Drill"]);
}

#[tokio::test]
async fn both_are_not_either() {
    let either = "SELECT supplier FROM product WHERE name IN ('Falcon Drill', 'Owl Lamp')";
    let question = "Which supplier has both the Falcon Drill and the Owl Lamp as products?";
    let (answer, _) = ask_with(&[either], question, query()).await;
    assert_eq!(answer.answers, ["Acme"], "{answer:#?}");
    let mends = &answer.readings.first().unwrap().mends;
    assert!(mends.iter().any(|mend| mend.contains("both Falcon Drill and Owl Lamp")), "{mends:?}");
    let or = "SELECT supplier FROM product WHERE (name = 'Falcon Drill' OR name = 'Otter Pump')";
    let question = "Which supplier has both the Falcon Drill and the Otter Pump as products?";
    let (answer, _) = ask_with(&[or; 4], question, query()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    // The question asks for the two entities themselves; without "both" either is enough.
    let themselves = "SELECT name FROM product WHERE name IN ('Falcon Drill', 'Otter Pump')";
    let question = "Show both the Falcon Drill and the Otter Pump, the products";
    let (answer, _) = ask_with(&[themselves; 4], question, query()).await;
    assert_eq!(answer.readings.first().unwrap().values.len(), 2);
    let question = "Which suppliers have the Falcon Drill or the Otter Pump as products?";
    let (answer, _) = ask_with(&[or; 4], question, query()).await;
    assert_eq!(answer.readings.first().unwrap().values.len(), 2);
}

#[tokio::test]
async fn groups_are_told_with_their_numbers() {
    let sql = "SELECT COUNT(*) FROM product GROUP BY supplier";
    let (answer, _) = ask_with(&[sql; 4], "number of products per supplier", query()).await;
    let mut found = rows(&answer);
    found.sort();
    assert_eq!(found, [["Acme", "3"], ["Brix", "2"]], "{answer:#?}");
    // Each entity stands once in its own table, so its count there is always one.
    let ones = "SELECT name, COUNT(*) FROM product GROUP BY name ORDER BY COUNT(*) DESC LIMIT 3";
    let (answer, model) = ask_with(&[ones, sql], "number of products per supplier", query()).await;
    assert_eq!(rows(&answer).len(), 2);
    let second = model.requests().into_iter().nth(1).unwrap();
    let said = &second.messages.last().unwrap().content;
    assert!(said.contains("every number would be 1"), "{said}");
}

#[tokio::test]
async fn slips_in_the_words_that_say_what_to_do_are_corrected() {
    let average = "SELECT AVG(price) FROM product WHERE supplier = 'Brix'";
    let ask_slip = async |question: &str, sql: &str| {
        let model = Arc::new((0..4).fold(ScriptedModel::new(), |model, _| model.on("plan.query", sql)));
        let answer =
            ask(&shop().await, Some(model.clone()), Some(embedder().await), question, &query()).await;
        (answer, model)
    };
    let (answer, model) = ask_slip("What is the avarage price of the suplier Brix?", average).await;
    assert_eq!(answer.answers, ["110"], "{answer:#?}");
    assert_eq!(model.calls(), 1);
    let asked = model.requests().into_iter().next().unwrap().messages.last().unwrap().content.clone();
    assert!(asked.contains("the average price of the supplier Brix"), "{asked}");
    // A word that stands for something else is no slip.
    let names = "SELECT name FROM product";
    let (_, model) = ask_slip("Which products are at an advantage?", names).await;
    let asked = model.requests().into_iter().next().unwrap().messages.last().unwrap().content.clone();
    assert!(asked.contains("at an advantage"), "{asked}");
}

#[tokio::test]
async fn a_choice_of_values_is_answered_by_the_value() {
    let pools = "@prefix : <http://pools.test/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . \
                 :t1 a :Tank ; rdfs:label \"Archer Pool\" ; :waterType \"brackish\" . \
                 :t2 a :Tank ; rdfs:label \"Shark Lagoon\" ; :waterType \"saltwater\" . \
                 :t3 a :Tank ; rdfs:label \"Otter Creek\" ; :waterType \"freshwater\" .";
    let setting = setting_from("pools.ttl", pools).await;
    let answers = async |question: &str| {
        let given = "SELECT water_type FROM tank WHERE name = 'Archer Pool'";
        let model = (0..4).fold(ScriptedModel::new(), |model, _| model.on("plan.query", given));
        ask(&setting, Some(Arc::new(model)), None, question, &query()).await.answers
    };
    assert_eq!(answers("Is the water type of the Archer Pool freshwater or saltwater?").await, ["brackish"]);
    assert_ne!(answers("Is the water type of the Archer Pool saltwater?").await, ["yes"]);
    assert_ne!(answers("Is the Archer Pool saltwater or not?").await, ["brackish"]);
}

#[tokio::test]
async fn the_second_is_behind_the_first() {
    let question = "Which product has the second lowest price?";
    let right = "SELECT name FROM product ORDER BY price LIMIT 1 OFFSET 1";
    let (answer, model) = ask_with(&[right], question, query()).await;
    assert_eq!((answer.answers, model.calls()), (vec!["Owl Lamp".to_owned()], 1));
    let first = "SELECT name FROM product ORDER BY price LIMIT 1";
    let (answer, _) = ask_with(&[first; 4], question, query()).await;
    assert_eq!(answer.status, Status::Abstained);
    assert!(answer.reason.unwrap().contains("second"));
}

#[tokio::test]
async fn who_acts_stands_on_the_side_of_those_who_act() {
    // A property with one value, and links.
    let of_one = "SELECT founded_by FROM supplier WHERE name = 'Acme'";
    let (answer, _) = ask_with(&[of_one], "Which supplier was founded by Acme?", query()).await;
    assert_eq!(answer.answers, ["Brix"], "{answer:#?}");
    let (answer, _) = ask_with(&[of_one], "Which supplier did Acme found?", query()).await;
    assert_eq!(answer.answers, ["Brix"], "{answer:#?}");
    let right = "SELECT founded_by FROM supplier WHERE name = 'Brix'";
    let (answer, _) = ask_with(&[right], "Which supplier founded Brix?", query()).await;
    assert_eq!(answer.answers, ["Acme"], "{answer:#?}");
    // "Heir of" is the role of the relation's heads.
    let role = |name: &str| format!("SELECT heir_of FROM supplier WHERE name = '{name}'");
    let (answer, _) = ask_with(&[&role("Acme")], "Which suppliers are the heirs of Acme?", query()).await;
    assert_eq!(answer.answers, ["Brix"], "{answer:#?}");
    let (answer, _) = ask_with(&[&role("Brix")], "Which supplier is Brix the heir of?", query()).await;
    assert_eq!(answer.answers, ["Acme"], "{answer:#?}");
    let links = "SELECT praised_by FROM city_praised_by WHERE city = 'Lima'";
    let (answer, _) = ask_with(&[links], "Which city did Lima praise?", query()).await;
    assert_eq!(answer.answers, ["Oslo"], "{answer:#?}");
}

#[tokio::test]
async fn a_property_that_the_graph_lacks_is_not_answered_by_another() {
    let dearest = "SELECT name FROM product ORDER BY price DESC LIMIT 1";
    let lower = "SELECT (SELECT price FROM product WHERE name = 'Falcon Drill') < (SELECT price FROM product WHERE name = 'Otter Pump')";
    let exists = "SELECT EXISTS (SELECT * FROM product WHERE name = 'Falcon Drill')";
    for (sql, question) in [
        (dearest, "Which product is the heaviest?"),
        (dearest, "What is the tallest product?"),
        (lower, "Is the Falcon Drill lighter than the Otter Pump?"),
        (exists, "Is the Falcon Drill in stock?"),
        ("SELECT price FROM product WHERE name = 'Falcon Drill'", "How heavy is the Falcon Drill?"),
        ("SELECT price FROM product WHERE name = 'Falcon Drill'", "How much does the Falcon Drill weigh?"),
        (exists, "Was the Falcon Drill sold?"),
    ] {
        let (answer, _) = ask_with(&[sql; 4], question, query()).await;
        assert_eq!(answer.status, Status::Abstained, "{question}: {answer:#?}");
    }
    for (sql, question, expected) in [
        (dearest, "Which product is the most expensive?", "Otter Pump"),
        (dearest, "Which product is the dearest?", "Otter Pump"),
        (dearest, "What is the greatest product by price?", "Otter Pump"),
        (lower, "Is the Falcon Drill cheaper than the Otter Pump?", "yes"),
        (exists, "Is there a product called Falcon Drill?", "yes"),
        (
            "SELECT price FROM product WHERE name = 'Falcon Drill'",
            "How expensive is the Falcon Drill?",
            "120",
        ),
    ] {
        let (answer, _) = ask_with(&[sql; 4], question, query()).await;
        assert_eq!(answer.answers, [expected], "{question}: {answer:#?}");
    }
}

#[tokio::test]
async fn what_is_more_by_so_much_is_taken_from_in_its_direction() {
    let less = "SELECT b.price - a.price FROM product a JOIN product b ON a.name = 'Otter Pump' AND b.name = 'Falcon Drill'";
    let within = "SELECT (SELECT price FROM product WHERE name = 'Falcon Drill') - (SELECT price FROM product WHERE name = 'Otter Pump')";
    for sql in [less, within] {
        for (question, expected) in [
            ("How much more expensive is the Otter Pump than the Falcon Drill?", "80"),
            ("How much higher is the price of the Otter Pump than that of the Falcon Drill?", "80"),
            ("How much cheaper is the Falcon Drill than the Otter Pump?", "80"),
            ("How much cheaper is the Otter Pump than the Falcon Drill?", "-80"),
        ] {
            let (answer, _) = ask_with(&[sql; 4], question, query()).await;
            assert_eq!(answer.answers, [expected], "{question} {sql}: {answer:#?}");
        }
    }
}

#[tokio::test]
async fn what_runs_and_answers_something_else_is_no_sure_answer() {
    let (shop, embedder) = (shop().await, embedder().await);
    let asked = async |sql: &str, question: &str| {
        let mut model = ScriptedModel::new();
        for _ in 0..4 {
            model = model.on("plan.query", sql);
        }
        ask(&shop, Some(Arc::new(model)), Some(embedder.clone()), question, &query()).await
    };
    let price = "SELECT price FROM product WHERE name = 'Falcon Drill'";
    let dearest = "SELECT name FROM product ORDER BY price DESC LIMIT 1";
    let recalled = "SELECT recalled FROM product WHERE name = 'Falcon Drill'";
    for (sql, question) in [
        // Another name.
        (price, "What is the price of the Falcon Sander?"),
        (price, "What does the Garden Drill cost?"),
        // A property of the referring entities is not the entity's own.
        ("SELECT price FROM city WHERE name = 'Lima'", "What is the price of Lima?"),
        // Another verb.
        ("SELECT heir_of FROM supplier WHERE name = 'Brix'", "Which supplier founded Brix?"),
        // A flag, a number and an order of something else.
        (recalled, "Is the Falcon Drill waterproof?"),
        (price, "How many people can use the Falcon Drill?"),
        (dearest, "Which product has the largest garden?"),
        (dearest, "Which product is the spiciest?"),
        (dearest, "Which product was added most recently?"),
        (dearest, "Which product did we buy last?"),
        ("SELECT AVG(price) FROM product", "What is the average humidity?"),
        // A reason.
        ("SELECT supplier FROM product WHERE name = 'Falcon Drill'", "Why is the Falcon Drill made by Acme?"),
    ] {
        let answer = asked(sql, question).await;
        assert_eq!(answer.status, Status::Abstained, "{question}: {answer:#?}");
    }
    for (sql, question, expected) in [
        (price, "What is the price of the Falcon Drill?", "120"),
        (price, "What does the Falcon Dril cost?", "120"),
        (recalled, "Was the Falcon Drill recalled?", "no"),
        (dearest, "Which product has the largest price?", "Otter Pump"),
    ] {
        let answer = asked(sql, question).await;
        assert_eq!(answer.answers, [expected], "{question}: {answer:#?}");
    }
}

#[tokio::test]
async fn who_acts_is_who_is_named_and_nothing_linked_to_it() {
    // A city founds no supplier, though a supplier in it was founded.
    let sql = "SELECT founded_by FROM supplier WHERE name = 'Lima'";
    let (answer, _) = ask_with(&[sql; 4], "Which suppliers did Lima found?", query()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    let sql = "SELECT founded_by FROM supplier WHERE based_in = 'Lima'";
    let (answer, _) = ask_with(&[sql; 4], "Who founded the supplier that is based in Lima?", query()).await;
    assert_eq!(answer.answers, ["Acme"], "{answer:#?}");
}

#[tokio::test]
async fn what_only_looks_like_a_slip_stays() {
    // "Most" before an adjective is not an extreme of the price.
    let cheap = "SELECT name FROM product ORDER BY price ASC LIMIT 1";
    let (answer, _) = ask_with(&[cheap; 4], "What is the most affordable product by price?", query()).await;
    assert_eq!(answer.readings.first().unwrap().values, ["Owl Lamp"], "{answer:#?}");
    // Two superlatives: it is unknown which one the order expresses.
    let two = "SELECT name FROM product ORDER BY price ASC LIMIT 1";
    let question = "Of the product with the highest and that with the lowest price, which is it?";
    let (answer, _) = ask_with(&[two; 4], question, query()).await;
    assert_eq!(answer.readings.first().unwrap().values, ["Owl Lamp"]);
    // The prices of both are the price of each.
    let each = "SELECT price FROM product WHERE name IN ('Falcon Drill', 'Otter Pump')";
    let question = "What are the prices of both the Falcon Drill and the Otter Pump?";
    let (answer, _) = ask_with(&[each; 4], question, query()).await;
    let mut values = answer.readings.first().unwrap().values.clone();
    values.sort();
    assert_eq!(values, ["120", "200"], "{answer:#?}");
}

#[tokio::test]
async fn a_year_is_no_day_of_it() {
    let day = "SELECT name FROM supplier WHERE founded = '1990-01-30'";
    let (answer, _) = ask_with(&[day], "Which suppliers were founded in 1990?", query()).await;
    assert_eq!(answer.answers, ["Acme"], "{answer:#?}");
    let (answer, _) = ask_with(&[day], "Which suppliers were founded in May 1990?", query()).await;
    assert_eq!(answer.answers, ["Acme"], "{answer:#?}");
    // If the question writes a day in another way, the model has to read it.
    let (answer, _) =
        ask_with(&[day; 4], "Which suppliers were founded on New Year's Day 1990?", query()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
}

#[tokio::test]
async fn a_number_and_a_step_that_the_query_lacks_forbid_a_sure_answer() {
    let all = "SELECT name FROM product";
    let (answer, _) = ask_with(&[all; 4], "Which products have the price 120?", query()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    // A bound just beside the number is the same bound.
    let above = "SELECT name FROM product WHERE price > 119";
    let (answer, _) = ask_with(&[above; 4], "Which products have a price of at least 120?", query()).await;
    assert_eq!(answer.answers.len(), 2, "{answer:#?}");
    // A column that equals itself is not a step.
    let itself = "SELECT based_in FROM supplier WHERE based_in = \
                  (SELECT based_in FROM supplier WHERE name = 'Acme')";
    let question = "What is the based in of the based in of Acme?";
    let (answer, _) = ask_with(&[itself; 4], question, query()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    let some = "SELECT price FROM product WHERE name = 'Falcon Drill'";
    let question = "What is the 1000th price of the Falcon Drill?";
    let (answer, _) = ask_with(&[some; 4], question, query()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
}

#[tokio::test]
async fn a_query_that_forgets_a_named_value_is_written_once_more() {
    let forgets = "SELECT name FROM product ORDER BY price DESC LIMIT 1";
    let heeds = "SELECT name FROM product WHERE supplier = 'Acme' ORDER BY price DESC LIMIT 1";
    let question = "Which product of Acme has the highest price?";
    let (answer, model) = ask_with(&[forgets, heeds], question, query()).await;
    assert_eq!(answer.answers, ["Falcon Drill"], "{answer:#?}");
    assert_eq!(model.calls(), 2);
    let second = model.requests().remove(1).messages.pop().unwrap().content;
    assert!(second.contains("it does not use “Acme”"), "{second}");
    let (answer, _) = ask_with(&[forgets; 4], question, query()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    assert!(answer.reason.unwrap().contains("acme"));
}

#[tokio::test]
async fn an_extreme_is_of_those_that_are_named() {
    let of_all = "SELECT price FROM product WHERE supplier = 'Acme' AND name = \
                  (SELECT name FROM product ORDER BY price DESC LIMIT 1)";
    let question = "What is the price of the product of Acme with the highest price?";
    let (answer, model) = ask_with(&[of_all], question, query()).await;
    assert_eq!((answer.answers, model.calls()), (vec!["120".to_owned()], 1));
    let by_value = "SELECT name FROM product WHERE supplier = 'Acme' AND \
                    price = (SELECT MAX(price) FROM product)";
    let (answer, _) = ask_with(&[by_value], "Which product of Acme has the highest price?", query()).await;
    assert_eq!(answer.answers, ["Falcon Drill"], "{answer:#?}");
}

#[tokio::test]
async fn nothing_is_the_larger_by_a_value_that_all_share() {
    // Both are made by Acme.
    let shared = "SELECT name FROM product WHERE name IN ('Falcon Drill', 'Heron Sander') \
                  ORDER BY founded DESC LIMIT 1";
    let question = "Which was founded later, the Falcon Drill or the Heron Sander?";
    let (answer, _) = ask_with(&[shared; 4], question, query()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    let differ = "SELECT name FROM product WHERE name IN ('Falcon Drill', 'Otter Pump') \
                  ORDER BY founded DESC LIMIT 1";
    let question = "Which was founded later, the Falcon Drill or the Otter Pump?";
    let (answer, _) = ask_with(&[differ; 4], question, query()).await;
    assert_eq!(answer.answers, ["Falcon Drill"], "{answer:#?}");
}

#[tokio::test]
async fn a_role_that_nothing_given_has_is_no_sure_answer() {
    let sql = "SELECT based_in FROM supplier WHERE name = 'Acme'";
    let asked = async |question: &str| {
        let model = (0..4).fold(ScriptedModel::new(), |model, _| model.on("plan.query", sql));
        ask(&shop().await, Some(Arc::new(model)), Some(embedder().await), question, &query()).await
    };
    assert_eq!(asked("What is the city of Acme?").await.answers, ["Oslo"]);
    let answer = asked("What is the opening time of Acme?").await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
}

#[tokio::test]
async fn a_factor_that_the_question_does_not_say_makes_no_unit() {
    let hours = "SELECT price / 360 FROM product WHERE name = 'Falcon Drill'";
    let (answer, _) = ask_with(&[hours; 4], "What is the price of the Falcon Drill in hours?", query()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    let share =
        "SELECT 100.0 * COUNT(*) / (SELECT COUNT(*) FROM product) FROM product WHERE supplier = 'Acme'";
    let (answer, _) = ask_with(&[share], "What percentage of products does Acme supply?", query()).await;
    assert_eq!(answer.answers, ["60"], "{answer:#?}");
    let question = "What per cent of products does Acme supply?";
    let (answer, _) = ask_with(&[share], question, query()).await;
    assert_eq!(answer.answers, ["60"], "{answer:#?}");
}

#[tokio::test]
async fn the_longer_of_two_has_no_longer_name() {
    let letters = "SELECT name FROM product WHERE name IN ('Falcon Drill', 'Otter Pump') \
                   ORDER BY LENGTH(name) DESC LIMIT 1";
    let (answer, _) =
        ask_with(&[letters; 4], "Which is longer, the Falcon Drill or the Otter Pump?", query()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    let question = "Which has the longer name, the Falcon Drill or the Otter Pump?";
    let (answer, _) = ask_with(&[letters; 4], question, query()).await;
    assert_eq!(answer.answers, ["Falcon Drill"], "{answer:#?}");
}

#[tokio::test]
async fn an_average_per_thing_is_no_average_of_all() {
    let of_all = "SELECT AVG(price) FROM product";
    // The table has suppliers, so one average per supplier can be made; it has no cities.
    let question = "What is the average price of products per city?";
    let (answer, _) = ask_with(&[of_all; 4], question, query()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    let question = "What is the average price of products per supplier?";
    let (answer, _) = ask_with(&[of_all], question, query()).await;
    assert_eq!(answer.table.unwrap().rows.len(), 2);
    let of_each = "SELECT supplier, AVG(price) FROM product GROUP BY supplier";
    let (answer, _) = ask_with(&[of_each], question, query()).await;
    assert_eq!(answer.table.unwrap().rows.len(), 2);
}

#[tokio::test]
async fn what_is_given_is_no_answer_and_a_country_is_no_number() {
    let back = "SELECT supplier FROM product WHERE supplier = 'Acme'";
    let right = "SELECT name FROM product WHERE supplier = 'Acme' AND price > 100";
    let question = "Which product of Acme has a price above 100?";
    let (answer, model) = ask_with(&[back, right], question, query()).await;
    assert_eq!((answer.answers.as_slice(), model.calls()), (&["Falcon Drill".to_owned()][..], 2));
    let told = model.requests().remove(1).messages.pop().unwrap().content;
    assert!(told.contains("it only gives back “Acme”"), "{told}");
    let number = "SELECT price FROM product WHERE name = 'Falcon Drill'";
    let (answer, _) = ask_with(&[number; 4], "Which supplier makes the Falcon Drill?", query()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
}

#[tokio::test]
async fn of_two_that_a_question_offers_one_is_the_answer() {
    let city = "SELECT based_in FROM supplier WHERE name IN ('Acme', 'Brix') ORDER BY founded LIMIT 1";
    let (answer, _) = ask_with(&[city; 4], "Which is older, Acme or Brix?", query()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    let supplier = "SELECT name FROM supplier WHERE name IN ('Acme', 'Brix') ORDER BY founded LIMIT 1";
    let (answer, _) = ask_with(&[supplier; 4], "Which is older, Acme or Brix?", query()).await;
    assert_eq!(answer.answers, ["Brix"], "{answer:#?}");
}

#[tokio::test]
async fn a_query_that_forgets_the_things_whose_names_hold_a_word_is_written_once_more() {
    let creatures = ["RedDragon", "GoldDragon", "BlueDragon", "Ogre"].iter().enumerate();
    let stated = creatures.map(|(at, name)| format!(":{name} a :Creature ; :hasACValue {} .", 9 + at));
    let turtle = format!("@prefix : <http://codes.test/> .\n{}", stated.collect::<Vec<_>>().join("\n"));
    let setting = setting_from("dragons.ttl", &turtle).await;
    let all = "SELECT COUNT(*) FROM creature WHERE ac_value > 9";
    let dragons = "SELECT COUNT(*) FROM creature WHERE ac_value > 9 AND name LIKE '%dragon%'";
    let model = Arc::new(
        [all, dragons, dragons, dragons].iter().fold(ScriptedModel::new(), |m, sql| m.on("plan.query", *sql)),
    );
    let question = "How many dragons have an armor class above 9?";
    let answer = ask(&setting, Some(model.clone()), None, question, &query()).await;
    assert_eq!(answer.answers, ["2"], "{answer:#?}");
    let told = model.requests().remove(1).messages.pop().unwrap().content;
    assert!(told.contains("it does not use “dragons”"), "{told}");
    assert!(answer.readings[0].words.contains("number of Creature"), "{}", answer.readings[0].words);
}

#[tokio::test]
async fn over_before_a_name_says_where_something_is_and_before_a_number_what_it_is_compared_with() {
    let of_a_name = "SELECT name FROM product WHERE supplier = 'Acme'";
    let (answer, model) =
        ask_with(&[of_a_name], "Which products come under the Acme supplier?", query()).await;
    assert_eq!((answer.status, model.calls()), (Status::Answered, 1), "{answer:#?}");
    let ignored = "SELECT name FROM product WHERE price = 80";
    let (answer, _) = ask_with(&[ignored; 4], "Which products have a price under 80?", query()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
}

/// Two accidents of one route hurt two people each: their equal numbers are one row.
#[tokio::test]
async fn how_many_of_several_things_is_their_sum() {
    let accidents = "\
@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:r a :Route ; rdfs:label \"Ridge Path\" . :m a :Route ; rdfs:label \"Meadow Loop\" .
:a a :Accident ; rdfs:label \"Case 1\" ; :on :r ; :injured 2 . :b a :Accident ; rdfs:label \"Case 2\" ; :on :r ; :injured 2 .
:c a :Accident ; rdfs:label \"Case 3\" ; :on :r ; :injured 3 . :d a :Accident ; rdfs:label \"Case 4\" ; :on :m ; :injured 1 .
";
    let setting = setting_from("accidents.ttl", accidents).await;
    let of = |condition: &str| format!("SELECT injured FROM accident WHERE {condition}");
    for (question, sql, expected) in [
        ("How many people were injured on the Ridge Path?", of("\"on\" = 'Ridge Path'"), vec!["7"]),
        (
            "How many people were injured in each accident?",
            "SELECT injured FROM accident".into(),
            vec!["1", "2", "3"],
        ),
        ("How many people were injured on the Meadow Loop?", of("\"on\" = 'Meadow Loop'"), vec!["1"]),
        (
            "How many people were injured in Case 1 and Case 3?",
            of("name IN ('Case 1', 'Case 3')"),
            vec!["2", "3"],
        ),
    ] {
        let model = Arc::new(ScriptedModel::new().always("plan.query", sql.as_str()));
        let answer = ask(&setting, Some(model), Some(embedder().await), question, &query()).await;
        let mut values = answer.answers.clone();
        values.sort_unstable();
        assert_eq!(values, expected, "{question}: {answer:#?}");
    }
}

/// "Who wrote a film with A" does not ask for everybody but A.
#[tokio::test]
async fn a_name_that_is_only_ruled_out_forbids_a_sure_answer() {
    let others = "SELECT name FROM supplier WHERE name <> 'Acme'";
    let (answer, _) = ask_with(&[others; 4], "Which suppliers work with Acme?", query()).await;
    assert!(answer.confidence < 0.7, "{answer:#?}");
    for question in ["Which suppliers are not Acme?", "Which other suppliers than Acme are there?"] {
        let (answer, _) = ask_with(&[others; 4], question, query()).await;
        assert!(answer.confidence >= 0.7 && !answer.answers.is_empty(), "{question}: {answer:#?}");
    }
}

/// A price that is a blank node is told by its parts, by a path and by a query.
#[tokio::test]
async fn a_value_in_parts_is_never_told_by_its_key() {
    let prices = "\
@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:listPrice rdfs:label \"list price\" .
:p1 a :Part ; rdfs:label \"Drive Belt\" ; :listPrice [ :amount 45.5 ; :currency \"EUR\" ] .
:p2 a :Part ; rdfs:label \"Servo Board\" ; :listPrice [ :amount 1250 ; :currency \"USD\" ] .
";
    let setting = setting_from("prices.ttl", prices).await;
    let question = "What is the list price of the Drive Belt?";
    let sql = "SELECT list_price FROM part WHERE name = 'Drive Belt'";
    for options in [query(), AskOptions { method: Method::Paths, ..query() }] {
        let model = Arc::new(ScriptedModel::new().always("plan.query", sql));
        let answer = ask(&setting, Some(model), Some(embedder().await), question, &options).await;
        assert_eq!(answer.answers, ["45.5"], "{answer:#?}");
        let row = answer.table.as_ref().unwrap().rows.first().unwrap();
        let cells: Vec<&str> = row.iter().flatten().map(|value| value.name.as_str()).collect();
        assert_eq!(cells, ["45.5", "EUR"]);
        assert!(answer.grounded, "{answer:#?}");
        assert!(answer.evidence.iter().all(|piece| !piece.to_line().contains("_:")), "{answer:#?}");
    }
}
