//! Questions as people ask them of a company's graph: codes, forms of address, units, kinds that
//! have no table of their own, things instead of their values.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use crate::common::Shop;
use quipu_query::asked::{
    column_asked_for, kinds_named, meant, parts_of_values, right_ends, right_units, thing_of_extreme,
    with_counted, with_the_named, without_titles,
};
use quipu_query::{Found, Query, all_in_order, bind, read_sql};

async fn stock() -> Shop {
    Shop::of("stock.ttl", include_str!("stock.ttl")).await.unwrap()
}

fn read(sql: &str) -> Query {
    read_sql(sql, None).unwrap()
}

#[tokio::test]
async fn a_code_names_the_thing_whose_name_contains_it() {
    let shop = stock().await;
    let named = |question: &str| -> Vec<(String, Vec<String>)> {
        let mentions = shop.values.mentions(question).into_iter();
        mentions.map(|mention| (mention.text, mention.matches[0].shown.clone())).collect()
    };
    let found = |text: &str, name: &str| vec![(text.to_owned(), vec![name.to_owned()])];
    assert_eq!(named("Who keeps the KV-1291?"), found("KV-1291", "Gear Pump KV-1291"));
    assert_eq!(named("what weighs the rf-7754's body"), found("rf-7754", "Ball Valve RF-7754"));
    // A number, an ordinal and a code of nothing.
    for question in ["Which weigh over 1291 kg?", "the 20th machine", "Who keeps the KV-9999?"] {
        assert_eq!(named(question), [], "{question}");
    }
}

#[tokio::test]
async fn names_in_parts_are_names() {
    let shop = stock().await;
    assert_eq!(
        shop.lines("SELECT name FROM machine WHERE kept_by = 'Ana Okafor'").await,
        ["Ball Valve RF-7754", "Gear Pump KV-1291"]
    );
    assert_eq!(shop.lines("SELECT phone FROM employee WHERE name = 'Ms. Okafor'").await, ["+1 23"]);
}

#[tokio::test]
async fn a_form_of_address_is_no_name() {
    let shop = stock().await;
    let mut query = read("SELECT phone FROM employee WHERE family_name = 'Okafor' AND given_name = 'Ms.'");
    let mend = without_titles("What is Ms. Okafor's phone number?", &mut query, &shop.values);
    assert!(mend.unwrap().text.contains("form of address"));
    assert_eq!(query, read("SELECT phone FROM employee WHERE family_name = 'Okafor'"));
    let mut other = read("SELECT phone FROM employee WHERE given_name = 'Ana'");
    assert_eq!(without_titles("What is Ana's phone number?", &mut other, &shop.values), None);
}

#[tokio::test]
async fn kinds_without_a_table_of_their_own_are_told() {
    let shop = stock().await;
    let told = |question: &str| -> Vec<(String, String)> {
        let found = kinds_named(&shop.tables, question).into_iter();
        found.map(|(said, _, kind)| (said, kind)).collect()
    };
    assert_eq!(told("How many valves are there?"), [("valves".into(), "valve".into())]);
    assert_eq!(told("How many machines are there?"), []);
}

#[tokio::test]
async fn a_number_is_converted_into_the_unit_of_its_column() {
    let shop = stock().await;
    let check = |question: &str, sql: &str, expected: &str| {
        let mut bound = shop.bound(sql).unwrap().query;
        right_units(question, &mut bound, &shop.tables);
        assert_eq!(bound.to_string(), expected, "{question}");
    };
    let narrow = "SELECT machine.name FROM machine WHERE machine.width_mm < ";
    check("Which are less than 10 cm wide?", &format!("{narrow}10"), &format!("{narrow}100"));
    check("Which are less than 10 mm wide?", &format!("{narrow}10"), &format!("{narrow}10"));
    // The model converted it already.
    check("Which are less than 10 cm wide?", &format!("{narrow}100"), &format!("{narrow}100"));
}

#[tokio::test]
async fn the_best_rating_is_the_greatest_and_the_worst_the_least() {
    let shop = stock().await;
    let check = |question: &str, expected: &str| {
        let mut bound = shop.bound("SELECT name FROM machine ORDER BY rating LIMIT 1").unwrap().query;
        right_ends(question, &mut bound, &shop.tables);
        assert_eq!(bound.order[0].descending, expected == "greatest", "{question}");
    };
    check("Which machine has the best rating?", "greatest");
    check("Which machine has the worst rating?", "least");
}

#[tokio::test]
async fn the_highest_point_is_a_thing_and_the_highest_weight_a_number() {
    let shop = stock().await;
    let items = |question: &str| {
        let mut bound = shop.bound("SELECT MAX(weight_kg) FROM machine").unwrap().query;
        let mend = thing_of_extreme(question, &mut bound, &shop.tables);
        assert_eq!(mend.is_some(), bound.limit == Some(1), "{question}");
        bound.select().unwrap().items.len()
    };
    assert_eq!(items("What is the heaviest machine?"), 2);
    assert_eq!(items("what is the heaviest item in stock"), 2);
    assert_eq!(items("What is the greatest weight?"), 1);
    assert_eq!(items("How heavy is the heaviest machine?"), 1);
}

#[tokio::test]
async fn a_name_of_two_things_is_the_one_that_has_the_measure() {
    let shop = stock().await;
    let title = |question: &str| {
        let mention = shop.values.mentions(question).pop().unwrap();
        let found = meant(question, &mention, &shop.tables)?;
        Some(shop.tables.table(found.place.table)?.title.clone())
    };
    assert_eq!(title("how long is corran").as_deref(), Some("River"));
    assert_eq!(title("how large is corran").as_deref(), Some("Province"));
    assert_eq!(title("who keeps corran"), None);
}

#[tokio::test]
async fn all_things_of_a_class_stand_in_the_order_of_a_relation() {
    let shop = stock().await;
    let of = |relation: &str| {
        let iri = |name: &str| format!("http://stock.test/{name}");
        all_in_order(&shop.tables, &iri("Province"), &iri(relation), true)
    };
    assert_eq!(
        of("population").unwrap().to_string(),
        "SELECT province.name FROM province ORDER BY province.population DESC LIMIT 1"
    );
    assert_eq!(of("length_km"), None);
}

#[tokio::test]
async fn a_value_of_a_table_within_another_is_looked_up_in_the_wider_one() {
    let shop = stock().await;
    let query = read("SELECT amount FROM price WHERE name = 'KV-1291'");
    let bound = bind(query, &shop.tables, &shop.values, &Found::default()).unwrap();
    assert!(bound.query.to_string().contains("machine"), "{}", bound.query);
    assert_eq!(shop.lines("SELECT amount FROM price WHERE name = 'KV-1291'").await, ["100"]);
}

#[tokio::test]
async fn a_price_is_its_amount_not_the_key_of_its_node() {
    let shop = stock().await;
    let mut bound = shop.bound("SELECT price FROM machine WHERE name = 'RF-7754'").unwrap().query;
    assert!(parts_of_values(&mut bound, &shop.tables).is_some());
    let plan = quipu_query::plan(&bound, &shop.tables).unwrap();
    let rows = quipu_query::run(&shop.workspace, &plan, &quipu_query::RunLimits::default()).await.unwrap();
    assert_eq!(rows.rows[0][0].as_ref().unwrap().name, "300");
    // Employees have names, and machines are things.
    for sql in ["SELECT kept_by FROM machine", "SELECT name FROM machine", "SELECT AVG(amount) FROM price"] {
        let mut bound = shop.bound(sql).unwrap().query;
        assert_eq!(parts_of_values(&mut bound, &shop.tables), None, "{sql}");
    }
}

#[tokio::test]
async fn keys_are_no_examples_of_names() {
    let shop = stock().await;
    let text = shop.tables.render(&quipu_query::Relevance::default(), &quipu_query::RenderConfig::default());
    assert!(text.text.contains("CREATE TABLE price (name TEXT, amount REAL"), "{}", text.text);
    assert!(text.text.contains("Ana Okafor"), "{}", text.text);
}

#[tokio::test]
async fn the_city_of_a_site_is_given_where_a_city_is_asked_for() {
    let turtle = "@prefix : <http://s.test/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :p1 a :Product ; rdfs:label \"Pump\" ; :madeAt :s1 . :p2 a :Product ; rdfs:label \"Tap\" ; :madeAt :s2 .
        :s1 a :Site ; rdfs:label \"North Works\" ; :city \"Kassel\" . :s2 a :Site ; rdfs:label \"Depot\" ; :city \"Ulm\" .";
    let shop = Shop::of("sites.ttl", turtle).await.unwrap();
    let given = |question: &str| {
        let mut bound = shop.bound("SELECT made_at FROM product WHERE name = 'Pump'").unwrap().query;
        column_asked_for(question, &mut bound, &shop.tables).map(|_| bound)
    };
    let bound = given("in which city is the pump made").unwrap();
    let plan = quipu_query::plan(&bound, &shop.tables).unwrap();
    let rows = quipu_query::run(&shop.workspace, &plan, &quipu_query::RunLimits::default()).await.unwrap();
    assert_eq!(rows.rows[0][0].as_ref().unwrap().name, "Kassel");
    assert!(given("at which site is the pump made").is_none());
    assert!(given("in which plant is the pump made").is_none());
}

#[tokio::test]
async fn the_things_that_are_counted_for_each_row_are_joined() {
    let shop = stock().await;
    let lines = async |question: &str, sql: &str| {
        let mut query = read(sql);
        let mend = with_counted(question, &mut query, &shop.tables);
        let bound = bind(query, &shop.tables, &shop.values, &Found::default()).ok()?;
        let plan = quipu_query::plan(&bound.query, &shop.tables).ok()?;
        let rows = quipu_query::run(&shop.workspace, &plan, &quipu_query::RunLimits::default()).await.ok()?;
        let name = |row: &Vec<Option<quipu_query::CellValue>>| row[0].as_ref().unwrap().name.clone();
        let mut names: Vec<String> = rows.rows.iter().map(name).collect();
        names.sort();
        mend.map(|_| names)
    };
    let sql = "SELECT name FROM employee GROUP BY name HAVING COUNT(*) >= 2";
    let both = vec!["Ana Okafor".to_owned(), "Bo Lund".to_owned()];
    assert_eq!(lines("employees with at least two machines", sql).await, Some(both));
    let more = "SELECT name FROM employee GROUP BY name HAVING COUNT(*) > 2";
    assert_eq!(lines("employees with more than two machines", more).await, Some(Vec::new()));
    // No table of that name refers to employees.
    assert_eq!(lines("employees with at least two rivers", sql).await, None);
}

#[tokio::test]
async fn a_thing_is_looked_for_in_the_table_that_has_it() {
    let shop = stock().await;
    let check = |sql: &str, expected: Option<&str>| {
        let mut query = read(sql);
        let mend = with_the_named(&mut query, &shop.tables, &shop.values);
        assert_eq!(mend.is_some(), expected.is_some(), "{sql}");
        assert_eq!(query, read(expected.unwrap_or(sql)), "{sql}");
    };
    check(
        "SELECT area_km2 FROM river WHERE name = 'Drevna'",
        Some("SELECT area_km2 FROM province AS river WHERE name = 'Drevna'"),
    );
    // The table has the thing; or no other table has the column too.
    check("SELECT length_km FROM river WHERE name = 'Udine'", None);
    check("SELECT length_km FROM river WHERE name = 'Drevna'", None);
}
