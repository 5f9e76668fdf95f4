//! Questions as people ask them of a company's graph: codes, forms of address, units, kinds that
//! have no table of their own, things instead of their values.

use crate::common::checks::{graph, weighed};
use crate::common::{Shop, answers, read};
use quipu_query::{Found, all_in_order, read_sql};
use quipu_reading::{Nearness, bind_as_asked, kinds_named, meant, without_invented};

async fn stock() -> Shop {
    Shop::of("stock.ttl", include_str!("stock.ttl")).await.unwrap()
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
async fn names_in_parts_are_names_and_a_form_of_address_is_none() {
    let shop = stock().await;
    let kept = "SELECT name FROM machine WHERE kept_by = 'Ana Okafor'";
    let machines = ["Ball Valve RF-7754", "Gear Pump KV-1291"];
    assert_eq!(answers(&shop, "Which machines does Ana Okafor keep?", kept).await, machines);
    let question = "What is Ms. Okafor's phone number?";
    let whole = "SELECT phone FROM employee WHERE name = 'Ms. Okafor'";
    assert_eq!(answers(&shop, question, whole).await, ["+1 23"]);
    let parts = "SELECT phone FROM employee WHERE family_name = 'Okafor' AND given_name = 'Ms.'";
    assert_eq!(answers(&shop, question, parts).await, ["+1 23"]);
    // A position is no form of address.
    let president = "SELECT name FROM employee WHERE phone = '+1 23' AND position = 'president'";
    assert!(read(&shop, "Who is the president at +1 23?", president).query.to_string().contains("position"));
    // No text of the graph has the name, but the person is found by it.
    let like = "SELECT COUNT(*) FROM employee WHERE name LIKE '%ana okafor%'";
    assert_eq!(answers(&shop, "How many are called Ana Okafor?", like).await, ["1"]);
    // Without the title another condition is left.
    let both = "SELECT phone FROM employee WHERE family_name = 'Okafor' AND given_name = 'Bo'";
    assert_eq!(answers(&shop, question, both).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_value_that_nobody_named_is_left_out_where_it_finds_nothing() {
    let shop = stock().await;
    let without = |question: &str, sql: &str| {
        let query = shop.bound(sql).unwrap().query;
        without_invented(question, &query, &shop.tables).map(|(query, _)| query.to_string())
    };
    let sql = "SELECT phone FROM employee WHERE family_name = 'Okafor' AND given_name = 'Bo'";
    let kept = "SELECT employee.phone FROM employee WHERE employee.family_name = 'Okafor'";
    assert_eq!(without("What is Ms. Okafor's phone number?", sql).as_deref(), Some(kept));
    assert_eq!(without("What is Bo Okafor's phone number?", sql), None);
    // Nothing would be left of the question.
    assert_eq!(without("What is the chief's phone number?", sql), None);
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
    let narrow = |most: &str| format!("SELECT machine.name FROM machine WHERE machine.width_mm < {most}");
    let check = |question: &str, written: &str, expected: &str| {
        assert_eq!(read(&shop, question, &narrow(written)).query.to_string(), narrow(expected), "{question}");
    };
    check("Which are less than 10 cm wide?", "10", "100");
    check("Which are less than 10 mm wide?", "10", "10");
    check("Which are less than 0.1 metres wide?", "0.1", "100");
    // The model converted it already.
    check("Which are less than 10 cm wide?", "100", "100");
}

#[tokio::test]
async fn the_best_rating_is_the_greatest_and_the_worst_the_least() {
    let shop = stock().await;
    let sql = "SELECT name FROM machine ORDER BY rating LIMIT 1";
    assert_eq!(answers(&shop, "Which machine has the best rating?", sql).await, ["Hand Pump KV-1300"]);
    assert_eq!(answers(&shop, "Which machine has the worst rating?", sql).await, ["Gate Valve MS-3681"]);
}

#[tokio::test]
async fn the_highest_point_is_a_thing_and_the_highest_weight_a_number() {
    let shop = stock().await;
    let check = async |question: &str, expected: &str| {
        let sql = "SELECT MAX(weight_kg) FROM machine";
        assert_eq!(answers(&shop, question, sql).await, [expected], "{question}");
    };
    check("What is the heaviest machine?", "Gear Pump KV-1291").await;
    check("what is the heaviest item in stock", "Gear Pump KV-1291").await;
    check("What is the greatest weight?", "12").await;
    check("How heavy is the heaviest machine?", "12").await;
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
    let sql = "SELECT amount FROM price WHERE name = 'KV-1291'";
    assert_eq!(answers(&shop, "What does the KV-1291 cost?", sql).await, ["100"]);
}

#[tokio::test]
async fn a_price_is_its_amount_not_the_key_of_its_node() {
    let shop = stock().await;
    let sql = "SELECT price FROM machine WHERE name = 'RF-7754'";
    assert_eq!(answers(&shop, "What is the price of the RF-7754?", sql).await, ["300"]);
    // Employees have names.
    let sql = "SELECT kept_by FROM machine WHERE name = 'RF-7754'";
    assert_eq!(answers(&shop, "Who keeps the RF-7754?", sql).await, ["Ana Okafor"]);
}

#[tokio::test]
async fn keys_are_no_examples_of_names() {
    let shop = stock().await;
    let text = shop.tables.render(&quipu_query::Relevance::default(), &quipu_query::RenderConfig::default());
    assert!(text.text.contains("CREATE TABLE price (name TEXT, amount REAL"), "{}", text.text);
    assert!(text.text.contains("Ana Okafor"), "{}", text.text);
}

#[tokio::test]
async fn a_thing_is_looked_for_in_the_table_that_has_it() {
    let shop = stock().await;
    let question = "How large is Drevna?";
    let sql = "SELECT area_km2 FROM river WHERE name = 'Drevna'";
    assert_eq!(answers(&shop, question, sql).await, ["9000"]);
    // The table has the thing; or no other table has the column too, or has all of the name.
    let own = "SELECT length_km FROM river WHERE name = 'Udine'";
    assert_eq!(answers(&shop, "How long is the Udine?", own).await, ["90"]);
    let none = read_sql("SELECT length_km FROM river WHERE name = 'Drevna'", None).unwrap();
    let refused = bind_as_asked(question, none, &shop.tables, &shop.values, &Found::default());
    assert!(refused.unwrap_err().to_string().contains("no River called 'Drevna'"));
    let part = read_sql("SELECT weight_kg FROM employee WHERE name = 'Gear'", None).unwrap();
    let bound = bind_as_asked("How heavy is the Gear?", part, &shop.tables, &shop.values, &Found::default());
    assert!(!bound.is_ok_and(|bound| bound.query.to_string().contains("FROM machine")));
}

/// Breweries, beers and hops: a link table between two kinds of things.
async fn brewery() -> Shop {
    Shop::of("brewery.ttl", include_str!("brewery.ttl")).await.unwrap()
}

#[tokio::test]
async fn the_town_of_a_brewery_is_given_where_a_town_is_asked_for() {
    let shop = brewery().await;
    let sql = "SELECT brewed_by FROM beer WHERE name = 'Red Otter'";
    assert_eq!(answers(&shop, "in which town is the red otter brewed", sql).await, ["Harnby"]);
    assert_eq!(answers(&shop, "at which brewery is the red otter brewed", sql).await, ["Mill Lane"]);
    assert_eq!(answers(&shop, "by which house is the red otter brewed", sql).await, ["Mill Lane"]);
}

#[tokio::test]
async fn the_things_that_are_counted_for_each_row_are_joined() {
    let shop = brewery().await;
    let sql = "SELECT name FROM brewery GROUP BY name HAVING COUNT(*) >= 2";
    let question = "breweries with at least two beers";
    assert_eq!(answers(&shop, question, sql).await, ["Mill Lane", "Old Quay"]);
    let more = "SELECT name FROM brewery GROUP BY name HAVING COUNT(*) > 2";
    assert_eq!(answers(&shop, "breweries with more than two beers", more).await, Vec::<String>::new());
}

#[tokio::test]
async fn things_without_any_count_none() {
    let shop = brewery().await;
    let sql = "SELECT name FROM brewery GROUP BY name ORDER BY COUNT(*) LIMIT 1";
    assert_eq!(answers(&shop, "Which brewery makes the fewest beers?", sql).await, ["Bare Hall"]);
    let few = "SELECT name FROM brewery GROUP BY name HAVING COUNT(*) < 2";
    let names = ["Bare Hall", "Dry Well", "North Gate"];
    assert_eq!(answers(&shop, "breweries with fewer than two beers", few).await, names);
}

#[tokio::test]
async fn a_group_does_not_count_itself() {
    let shop = brewery().await;
    let grouped = "FROM brewery JOIN beer ON beer.brewed_by = brewery.name GROUP BY brewery.name";
    let most = format!("SELECT brewery.name {grouped} ORDER BY COUNT(*) DESC LIMIT 2");
    let mut two = answers(&shop, "Which two breweries make the most beers?", &most).await;
    two.sort();
    assert_eq!(two, ["Mill Lane", "Old Quay"]);
    let many = format!("SELECT COUNT(*) FROM (SELECT brewery.name {grouped} HAVING COUNT(*) > 1) AS found");
    assert_eq!(answers(&shop, "How many breweries make more than one beer?", &many).await, ["2"]);
}

#[tokio::test]
async fn each_of_the_things_counted_counts_once() {
    let shop = brewery().await;
    // North Gate's one beer has two hops.
    let sql = "SELECT brewery.name, COUNT(*) FROM brewery JOIN beer ON beer.brewed_by = brewery.name \
               JOIN beer_hops ON beer_hops.beer = beer.name GROUP BY brewery.name HAVING COUNT(*) = 2";
    let question = "Which breweries make 2 beers?";
    assert_eq!(answers(&shop, question, sql).await, ["Mill Lane", "Old Quay"]);
    let all = ["Mill Lane", "North Gate", "Old Quay"];
    assert_eq!(answers(&shop, "Which breweries use 2 hops?", sql).await, all);
}

#[tokio::test]
async fn beers_compared_with_breweries_are_those_that_these_brew() {
    let shop = brewery().await;
    let sql = "SELECT name FROM hop WHERE name NOT IN (SELECT hops FROM beer_hops \
               WHERE beer = (SELECT name FROM brewery WHERE name = 'Old Quay'))";
    let question = "Which hops are not used in any beer of Old Quay?";
    assert_eq!(answers(&shop, question, sql).await, ["Fuggle"]);
}

#[tokio::test]
async fn a_column_named_by_its_kind_is_not_the_row_of_an_outer_query() {
    let shop = brewery().await;
    let sql = "SELECT name FROM brewery WHERE name IN \
               (SELECT brewery FROM beer GROUP BY brewery HAVING COUNT(*) > 1)";
    let question = "breweries with more than one beer";
    assert_eq!(answers(&shop, question, sql).await, ["Mill Lane", "Old Quay"]);
}

#[tokio::test]
async fn after_a_year_begins_with_the_next_one() {
    let shop = brewery().await;
    let sql =
        |operator: &str, day: &str| format!("SELECT name FROM beer WHERE launched_on {operator} '{day}'");
    let after = "Which beers were launched after 2020?";
    assert_eq!(answers(&shop, after, &sql(">", "2020-01-01")).await, ["Red Otter", "White Hare"]);
    assert_eq!(answers(&shop, after, &sql(">", "2020-12-31")).await, ["Red Otter", "White Hare"]);
    let all = ["Black Stoat", "Red Otter", "White Hare"];
    for since in ["Which beers were launched since 2020?", "Which were launched in or after 2020?"] {
        assert_eq!(answers(&shop, since, &sql(">=", "2020-01-01")).await, all, "{since}");
    }
}

#[tokio::test]
async fn a_table_joined_for_nothing_is_left_out() {
    let shop = brewery().await;
    let sql = "SELECT beer_hops.hops FROM beer JOIN brewery ON beer.brewed_by = brewery.name \
               JOIN beer_hops ON beer.name = beer_hops.beer WHERE beer.name = 'White Hare'";
    let query = read(&shop, "Who brews the White Hare?", sql).query.to_string();
    assert!(!query.contains("brewery") && query.contains("JOIN beer_hops"), "{query}");
    let used = sql.replace("beer.name = 'White Hare'", "brewery.town = 'Harnby'");
    assert!(read(&shop, "Which hops are used in Harnby?", &used).query.to_string().contains("brewery"));
}

#[tokio::test]
async fn a_join_that_not_all_rows_have_is_a_condition() {
    let shop = brewery().await;
    let sql = "SELECT DISTINCT beer.name FROM beer JOIN beer_hops ON beer_hops.beer = beer.name";
    let hopped = ["Black Stoat", "Gold Finch", "Grey Heron", "Red Otter", "White Hare"];
    assert_eq!(answers(&shop, "Which beers have hops?", sql).await, hopped);
    let staff = "@prefix : <http://staff.test/> .
        :a a :Employee ; :name \"Ada\" ; :manager :b . :b a :Employee ; :name \"Ben\" ; :pay 5 .";
    let shop = Shop::of("staff.ttl", staff).await.unwrap();
    let sql = "SELECT employee.name FROM employee JOIN employee m ON employee.manager = m.name";
    assert_eq!(answers(&shop, "Which employees have a manager?", sql).await, ["Ada"]);
}

#[tokio::test]
async fn things_asked_for_by_their_kind_are_no_values_and_no_other_column() {
    let missions = "@prefix : <http://sky.test/> .
        :Apollo11 a :Mission ; :days 8 . :Apollo17 a :Mission ; :days 12 .";
    let shop = Shop::of("missions.ttl", missions).await.unwrap();
    let sql = "SELECT name FROM mission ORDER BY days DESC LIMIT 1";
    assert_eq!(answers(&shop, "Which mission was the longest?", sql).await, ["Apollo17"]);
    // Whoever came first has been there the longest.
    let council = "@prefix : <http://council.test/> .
        :Ada a :Member ; :elected 2010 . :Bo a :Member ; :elected 2018 . :Cy a :Member ; :elected 2022 .";
    let shop = Shop::of("council.ttl", council).await.unwrap();
    let sql = "SELECT name FROM member ORDER BY elected DESC LIMIT 1";
    assert_eq!(answers(&shop, "Which member has been here the longest?", sql).await, ["Ada"]);
    assert_eq!(answers(&shop, "Which member has been here the shortest?", sql).await, ["Cy"]);
    let firms = "@prefix : <http://firms.test/> .
        :a a :Organisation ; :name \"Arden\" ; :seat \"Oslo\" ; :parentCompany :b .
        :b a :Organisation ; :name \"Birch\" ; :seat \"Lima\" ; :parentCompany :a .";
    let shop = Shop::of("firms.ttl", firms).await.unwrap();
    let sql = "SELECT name FROM organisation WHERE seat = 'Oslo'";
    assert_eq!(answers(&shop, "Which company has its seat in Oslo?", sql).await, ["Arden"]);
}

#[tokio::test]
async fn a_word_that_may_stand_for_a_columns_word_is_explained_by_it() {
    let shop = graph(
        ":f1 a :Film ; rdfs:label \"Dawn\" ; :writtenBy :b ; :areaFilmed 12 . \
         :b a :Person ; rdfs:label \"Ben Moss\" .",
    )
    .await;
    let left_out = async |question: &str, sql: &str| {
        let (_, left_out) = weighed(&shop, question, sql, Nearness::default(), &[]).await;
        let mut words = [left_out.names, left_out.meanings].concat();
        words.dedup();
        words
    };
    let written = "SELECT name FROM film WHERE written_by = 'Ben Moss'";
    assert_eq!(left_out("Which film has a script of Ben Moss?", written).await, [""; 0]);
    assert_eq!(left_out("Which film has music of Ben Moss?", written).await, ["music"]);
    // "Biggest" asks for an order, which an area alone does not give.
    let area = "SELECT name FROM film WHERE area_filmed > 1";
    assert_eq!(left_out("Which is the biggest film by area filmed?", area).await, ["biggest"]);
}

#[tokio::test]
async fn a_month_is_said_by_dates_and_by_its_number() {
    let shop = graph(":b1 a :Beer ; :name \"Stoat\" ; :launched \"2020-11-30\"^^xsd:date .").await;
    let left_out = async |filter: &str| {
        let sql = format!("SELECT name FROM beer WHERE {filter}");
        let question = "Which beers were launched in November 2020?";
        weighed(&shop, question, &sql, Nearness::default(), &[]).await.1.names
    };
    assert_eq!(left_out("launched LIKE '2020-11%'").await, [""; 0]);
    assert_eq!(left_out("launched >= '2020-11-01' AND launched < '2020-12-01'").await, [""; 0]);
    assert_eq!(left_out("MONTH(launched) = 11 AND YEAR(launched) = 2020").await, [""; 0]);
    assert_eq!(left_out("YEAR(launched) = 2020").await, ["november"]);
    assert_eq!(left_out("launched LIKE '2020-1%'").await, ["november"]);
}
