//! The rows of SQL over a small graph.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::expect_used,
    clippy::manual_pattern_char_comparison,
    reason = "set-up of tests"
)]

use crate::common;
use common::Shop;
use common::checks::{CODES, check};
use quipu_query::{Relevance, RenderConfig};

#[tokio::test]
async fn columns_conditions_and_order() {
    let shop = Shop::open().await.unwrap();
    check(&shop, "SELECT supplier FROM product WHERE name = 'Falcon Drill'", &["Acme"]).await;
    check(&shop, "SELECT name FROM product WHERE price > 100", &["Falcon Drill", "Otter Pump"]).await;
    check(
        &shop,
        "SELECT name, price FROM product WHERE price BETWEEN 50 AND 150 ORDER BY price",
        &["Heron Sander | 80", "Falcon Drill | 120"],
    )
    .await;
    check(&shop, "SELECT name FROM product ORDER BY price DESC LIMIT 1 OFFSET 1", &["Falcon Drill"]).await;
    check(&shop, "SELECT name FROM supplier ORDER BY name DESC", &["Cova", "Brix & Söhne", "Acme"]).await;
}

#[tokio::test]
async fn a_condition_on_the_things_asked_for_is_no_part_of_what_is_denied() {
    let shop = Shop::open().await.unwrap();
    // "Which suppliers of Oslo does nobody buy of" does not ask about buyers from Oslo: the
    // suppliers asked for are there.
    let sql = "SELECT name FROM supplier WHERE name NOT IN (SELECT buys_of FROM supplier_buys_of WHERE supplier = 'Oslo')";
    check(&shop, sql, &["Acme"]).await;
    // A condition on the buyers stays in the subquery.
    let sql = "SELECT name FROM supplier WHERE name NOT IN (SELECT buys_of FROM supplier_buys_of WHERE supplier = 'Brix & Söhne')";
    check(&shop, sql, &["Acme", "Brix & Söhne"]).await;
}

#[tokio::test]
async fn a_missing_value_is_no_minimum() {
    let shop = Shop::open().await.unwrap();
    check(&shop, "SELECT name, price FROM product ORDER BY price LIMIT 1", &["Owl Lamp | 30"]).await;
    check(&shop, "SELECT MIN(price) FROM product", &["30"]).await;
    check(&shop, "SELECT name FROM product WHERE price IS NULL", &["Owl Lamp"]).await;
    check(&shop, "SELECT name, price FROM product WHERE supplier = 'Cova'", &["Owl Lamp | -"]).await;
}

#[tokio::test]
async fn two_things_of_one_name_are_two() {
    let shop = Shop::open().await.unwrap();
    check(&shop, "SELECT COUNT(*) FROM product WHERE name = 'Owl Lamp'", &["2"]).await;
    check(&shop, "SELECT name FROM product WHERE name = 'owl lamp'", &["Owl Lamp", "Owl Lamp"]).await;
    check(&shop, "SELECT supplier FROM product WHERE name = 'Owl Lamp'", &["Brix & Söhne", "Cova"]).await;
}

#[tokio::test]
async fn joins_by_name_by_code_and_through_links() {
    let shop = Shop::open().await.unwrap();
    let sql = "SELECT p.name FROM product p JOIN supplier s ON p.supplier = s.name WHERE s.based_in = 'Oslo'";
    check(&shop, sql, &["Falcon Drill", "Heron Sander", "Owl Lamp"]).await;
    let by_code = "SELECT s.name, SUM(o.quantity) FROM \"order\" o JOIN supplier s ON o.supplier_code = s.code GROUP BY s.name";
    let id =
        shop.tables.tables.iter().find(|table| table.title == "order").map(|table| table.id.clone()).unwrap();
    check(&shop, &by_code.replace("\"order\"", &id), &["Acme | 4", "Brix & Söhne | 5"]).await;
    check(
        &shop,
        "SELECT product FROM product_colour WHERE colour = 'red'",
        &["Falcon Drill", "Heron Sander"],
    )
    .await;
    let left = "SELECT c.name, COUNT(s.name) FROM city c LEFT JOIN supplier s ON s.based_in = c.name GROUP BY c.name";
    check(&shop, left, &["Lima | 1", "Oslo | 2"]).await;
    let without =
        format!("SELECT p.name FROM product p LEFT JOIN {id} o ON o.of_value = p.name WHERE o.name IS NULL");
    let without = if shop.tables.tables.iter().any(|t| t.find("of_value").is_some()) {
        without
    } else {
        without.replace("of_value", "of")
    };
    check(&shop, &without, &["Heron Sander", "Owl Lamp", "Owl Lamp"]).await;
}

#[tokio::test]
async fn groups_shares_and_calculations() {
    let shop = Shop::open().await.unwrap();
    let groups = "SELECT supplier, COUNT(*), AVG(price) FROM product GROUP BY supplier HAVING COUNT(*) > 1 ORDER BY supplier";
    check(&shop, groups, &["Acme | 2 | 100", "Brix & Söhne | 2 | 115.25"]).await;
    let share = "SELECT 100.0 * SUM(CASE WHEN in_stock = TRUE THEN 1 ELSE 0 END) / COUNT(*) FROM product";
    check(&shop, share, &["80"]).await;
    let difference = "SELECT (SELECT price FROM product WHERE name = 'Otter Pump') - (SELECT price FROM product WHERE name = 'Heron Sander')";
    check(&shop, difference, &["120.5"]).await;
    check(&shop, "SELECT COUNT(DISTINCT supplier) FROM product", &["3"]).await;
    check(
        &shop,
        "SELECT name FROM product WHERE price > (SELECT AVG(price) FROM product)",
        &["Falcon Drill", "Otter Pump"],
    )
    .await;
    check(&shop, "SELECT ROUND(AVG(price), 1) FROM product", &["107.6"]).await;
    let counted = "SELECT COUNT(CASE WHEN price > 100 THEN 1 END) FROM product";
    check(&shop, counted, &["2"]).await;
    let bare = "SELECT colour FROM product_colour ORDER BY COUNT(*) DESC LIMIT 1";
    check(&shop, bare, &["red"]).await;
    let most = "SELECT supplier FROM product GROUP BY supplier ORDER BY COUNT(*) DESC, supplier LIMIT 1";
    check(&shop, most, &["Acme"]).await;
}

#[tokio::test]
async fn the_row_of_an_extreme() {
    let shop = Shop::open().await.unwrap();
    check(&shop, "SELECT name, MAX(price) FROM product", &["Otter Pump | 200.5"]).await;
    check(
        &shop,
        "SELECT supplier, COUNT(*) FROM product WHERE in_stock = 1",
        &["Acme | 1", "Brix & Söhne | 2", "Cova | 1"],
    )
    .await;
}

#[tokio::test]
async fn sets_and_negation() {
    let shop = Shop::open().await.unwrap();
    let both = "SELECT product FROM product_colour WHERE colour = 'red' INTERSECT SELECT product FROM product_colour WHERE colour = 'blue'";
    check(&shop, both, &["Falcon Drill"]).await;
    let without = "SELECT name FROM product WHERE name NOT IN (SELECT product FROM product_colour WHERE colour = 'red')";
    check(&shop, without, &["Otter Pump", "Owl Lamp", "Owl Lamp"]).await;
    let except = "SELECT name FROM city EXCEPT SELECT based_in FROM supplier WHERE founded > 1995";
    check(&shop, except, &["Lima"]).await;
    let either = "SELECT name FROM city WHERE population > 5000000 UNION SELECT based_in FROM supplier WHERE name = 'Acme'";
    check(&shop, either, &["Lima", "Oslo"]).await;
    let nobody = "SELECT name FROM supplier s WHERE NOT EXISTS (SELECT * FROM product p WHERE p.supplier = s.name AND p.price > 100)";
    check(&shop, nobody, &["Cova"]).await;
    check(
        &shop,
        "SELECT name FROM product WHERE supplier <> 'Acme'",
        &["Otter Pump", "Owl Lamp", "Owl Lamp"],
    )
    .await;
}

#[tokio::test]
async fn yes_and_no() {
    let shop = Shop::open().await.unwrap();
    check(&shop, "SELECT EXISTS (SELECT name FROM product WHERE price > 200)", &["true"]).await;
    check(&shop, "SELECT EXISTS (SELECT name FROM product WHERE price > 500)", &["false"]).await;
    let dearer = "SELECT (SELECT price FROM product WHERE name = 'Falcon Drill') > (SELECT price FROM product WHERE name = 'Heron Sander')";
    check(&shop, dearer, &["true"]).await;
    check(&shop, "SELECT COUNT(*) > 3 FROM product", &["true"]).await;
}

#[tokio::test]
async fn dates_of_every_precision() {
    let shop = Shop::open().await.unwrap();
    let id =
        shop.tables.tables.iter().find(|table| table.title == "order").map(|table| table.id.clone()).unwrap();
    check(
        &shop,
        &format!("SELECT name FROM {id} WHERE placed >= '2023-02-01' AND placed <= '2023-02-28'"),
        &["order 2", "order 3"],
    )
    .await;
    check(&shop, &format!("SELECT strftime('%Y-%m', placed), COUNT(*) FROM {id} GROUP BY strftime('%Y-%m', placed) ORDER BY 1"), &["2023-01 | 1", "2023-02 | 2"]).await;
    check(&shop, "SELECT name FROM supplier WHERE founded < 1988", &["Brix & Söhne"]).await;
    check(&shop, "SELECT name FROM product WHERE YEAR(launched) = 2021", &["Falcon Drill", "Owl Lamp"]).await;
    let days = "SELECT julianday((SELECT launched FROM product WHERE name = 'Falcon Drill')) - julianday((SELECT launched FROM product WHERE name = 'Heron Sander'))";
    check(&shop, days, &["106"]).await;
    check(
        &shop,
        &format!("SELECT name FROM {id} WHERE placed > date('now', '-30 days')"),
        &["order 2", "order 3"],
    )
    .await;
}

#[tokio::test]
async fn patterns_and_correlated_queries() {
    let shop = Shop::open().await.unwrap();
    check(&shop, "SELECT name FROM product WHERE name LIKE 'o%'", &["Otter Pump", "Owl Lamp", "Owl Lamp"])
        .await;
    check(&shop, "SELECT COUNT(*) FROM product WHERE name LIKE '%lamp%'", &["2"]).await;
    check(
        &shop,
        "SELECT name FROM product WHERE name NOT LIKE '%er%'",
        &["Falcon Drill", "Owl Lamp", "Owl Lamp"],
    )
    .await;
    let counts = "SELECT name, (SELECT COUNT(*) FROM product WHERE product.supplier = supplier.name AND price > 100) FROM supplier";
    check(&shop, counts, &["Acme | 1", "Brix & Söhne | 1", "Cova | 0"]).await;
    let derived =
        "SELECT AVG(n) FROM (SELECT supplier, COUNT(*) AS n FROM product GROUP BY supplier) AS counts";
    check(&shop, derived, &["1.666666667"]).await;
    let with = "WITH dear AS (SELECT name, supplier FROM product WHERE price > 100) SELECT supplier FROM dear ORDER BY supplier";
    check(&shop, with, &["Acme", "Brix & Söhne"]).await;
}

#[tokio::test]
async fn what_a_relation_leads_to_is_a_value_of_it_whatever_its_type() {
    let medals = "@prefix : <http://medals.test/> .\n\
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
        :Award rdfs:label \"award\" . :Album rdfs:label \"album\" . :Band rdfs:label \"band\" .\n\
        :to rdfs:label \"awarded to\" . :by rdfs:label \"recorded by\" .\n\
        :a1 a :Award ; rdfs:label \"Medal 1\" ; :to :x . :a2 a :Award ; rdfs:label \"Medal 2\" ; :to :y .\n\
        :a3 a :Award ; rdfs:label \"Medal 3\" ; :to :z . :a4 a :Award ; rdfs:label \"Medal 4\" ; :to :v .\n\
        :a5 a :Award ; rdfs:label \"Medal 5\" ; :to :w . :a6 a :Award ; rdfs:label \"Medal 6\" ; :to :glass .\n\
        :x a :Album ; rdfs:label \"Exile\" ; :by :glass . :y a :Album ; rdfs:label \"Yield\" ; :by :glass .\n\
        :z a :Album ; rdfs:label \"Zoom\" . :v a :Album ; rdfs:label \"Vow\" . :w a :Album ; rdfs:label \"Wax\" .\n\
        :glass a :Band ; rdfs:label \"Glasswing\" .\n";
    let medals = Shop::of("medals.ttl", medals).await.unwrap();
    check(&medals, "SELECT name FROM award WHERE awarded_to = 'Glasswing'", &["Medal 6"]).await;
    check(&medals, "SELECT name FROM award WHERE awarded_to = 'Yield'", &["Medal 2"]).await;
}

#[tokio::test]
async fn a_condition_on_several_values_asks_whether_one_fits() {
    let shop = Shop::open().await.unwrap();
    let both = "colour = 'red' AND colour = 'blue'";
    check(&shop, &format!("SELECT name FROM product WHERE {both}"), &["Falcon Drill"]).await;
    let joined = "product JOIN product_colour ON product.name = product_colour.product";
    check(&shop, &format!("SELECT product.name FROM {joined} WHERE {both}"), &["Falcon Drill"]).await;
    // Once each, however many of their colours match.
    check(&shop, "SELECT COUNT(*) FROM product WHERE colour IN ('red', 'blue')", &["2"]).await;
    check(&shop, &format!("SELECT COUNT(*) FROM {joined} WHERE colour IN ('red', 'blue')"), &["2"]).await;
    check(
        &shop,
        "SELECT 100.0 * SUM(CASE WHEN colour = 'red' THEN 1 ELSE 0 END) / COUNT(*) FROM product",
        &["40"],
    )
    .await;
    let without = ["Otter Pump", "Owl Lamp", "Owl Lamp"];
    check(&shop, "SELECT name FROM product WHERE colour <> 'red'", &without).await;
    check(&shop, "SELECT name FROM product WHERE NOT colour = 'red'", &without).await;
    // Joins stay as they are if their rows are counted, grouped or given.
    let idiom = "SELECT product.name FROM product JOIN product_colour ON product.name = product_colour.product \
                 WHERE colour IN ('red', 'blue') GROUP BY product.name HAVING COUNT(*) = 2";
    check(&shop, idiom, &["Falcon Drill"]).await;
    check(
        &shop,
        "SELECT name, colour FROM product WHERE colour = 'red'",
        &["Falcon Drill | red", "Heron Sander | red"],
    )
    .await;
    check(
        &shop,
        "SELECT colour, COUNT(*) FROM product WHERE name = 'Falcon Drill' GROUP BY colour",
        &["blue | 1", "red | 1"],
    )
    .await;
    let bound = shop.bound("SELECT name FROM product WHERE colour = 'red' AND colour <> 'blue'").unwrap();
    let words = quipu_query::say(&bound.query, &shop.tables);
    assert!(
        words.contains("the colour is “red”") && words.contains("not true that the colour is “blue”"),
        "{words}"
    );
}

#[tokio::test]
async fn calculations_are_said_with_their_brackets_and_without_factors_of_one() {
    let shop = Shop::open().await.unwrap();
    for (value, said) in [
        ("1.0 * SUM(price) / COUNT(stock)", "PRICE divided by STOCK"),
        ("SUM(price) * 1.0 / NULLIF(COUNT(stock), 0)", "PRICE divided by STOCK"),
        ("SUM(price) - (COUNT(stock) - 1)", "PRICE minus (STOCK minus 1)"),
        ("SUM(price) / (COUNT(stock) * 2)", "PRICE divided by (STOCK times 2)"),
        ("(SUM(price) + 1) * 2", "(PRICE plus 1) times 2"),
        ("SUM(price) * 2 + 1", "PRICE times 2 plus 1"),
    ] {
        let bound = shop.bound(&format!("SELECT {value} FROM product")).unwrap();
        let words = quipu_query::say(&bound.query, &shop.tables);
        let said = said.replace("PRICE", "the sum of price of the product");
        let said = said.replace("STOCK", "the number of in stock of the product");
        assert!(words.contains(&said) && !words.contains("1.0"), "{value}: {words}");
    }
}

#[tokio::test]
async fn averages_and_counts_of_things_are_those_of_their_number() {
    let shop = Shop::open().await.unwrap();
    // Two suppliers buy of others: one of two, the other of one.
    check(&shop, "SELECT AVG(buys_of) FROM supplier", &["1.5"]).await;
    // Each city stands once in the table of cities; the question asks for how often suppliers are
    // there.
    check(&shop, "SELECT name FROM city ORDER BY COUNT(*) DESC LIMIT 1", &["Oslo"]).await;
    check(
        &shop,
        "SELECT name, COUNT(*) FROM city GROUP BY name ORDER BY COUNT(*) DESC",
        &["Oslo | 3", "Lima | 2"],
    )
    .await;
}

#[tokio::test]
async fn classes_under_one_are_kinds_of_its_rows() {
    let shop = Shop::open().await.unwrap();
    let shown = shop.tables.render(&Relevance::default(), &RenderConfig::default()).text;
    assert!(
        shown.contains("CREATE TABLE vehicle (")
            && shown.contains("kind TEXT /* 'bicycle', 'van', 'cargo bike' */"),
        "{shown}"
    );
    // Kinds are not shown as tables of their own, but queries may use them as such.
    assert!(!shown.contains("TABLE van") && !shown.contains("TABLE bicycle"), "{shown}");
    check(&shop, "SELECT name FROM vehicle ORDER BY load DESC", &["Ram", "Ox", "Mule", "Hare"]).await;
    check(&shop, "SELECT COUNT(*) FROM vehicle", &["4"]).await;
    check(&shop, "SELECT name FROM vehicle WHERE kind = 'van'", &["Ox", "Ram"]).await;
    check(&shop, "SELECT name FROM vehicle WHERE kind = 'bicycle'", &["Hare", "Mule"]).await;
    check(&shop, "SELECT name FROM bicycle ORDER BY load DESC LIMIT 1", &["Mule"]).await;
    check(&shop, "SELECT name FROM cargo_bike", &["Mule"]).await;
    check(&shop, "SELECT kind FROM vehicle WHERE name = 'Mule'", &["cargo bike"]).await;
    check(
        &shop,
        "SELECT kind, COUNT(*) FROM vehicle GROUP BY kind",
        &["bicycle | 1", "cargo bike | 1", "van | 2"],
    )
    .await;
    check(&shop, "SELECT name FROM vehicle WHERE name = 'Ox' AND load > 10", &["Ox"]).await;
    check(&shop, "SELECT COUNT(*) FROM vehicle WHERE name = 'Mule'", &["1"]).await;
    check(&shop, "SELECT name, kind FROM vehicle WHERE load < 100", &["Hare | bicycle", "Mule | cargo bike"])
        .await;
    check(
        &shop,
        "SELECT name FROM vehicle WHERE name = 'Rome'",
        &["error: the graph has no vehicle called 'Rome'"],
    )
    .await;
    check(
        &shop,
        "SELECT v.name FROM vehicle v JOIN vehicle_serves s ON v.name = s.vehicle WHERE s.serves = 'Lima'",
        &["Mule", "Ox"],
    )
    .await;
    check(&shop, "SELECT bicycle FROM bicycle_serves WHERE serves = 'Oslo'", &["Hare", "Mule"]).await;
    check(
        &shop,
        "SELECT c.name, COUNT(*) FROM city c JOIN vehicle v ON v.kept_in = c.name GROUP BY c.name",
        &["Lima | 1", "Oslo | 3"],
    )
    .await;
}

#[tokio::test]
async fn whether_there_is_one_is_told_once_for_all_rows() -> anyhow::Result<()> {
    let codes = Shop::of("codes.ttl", CODES).await?;
    for (sql, expected) in [
        ("SELECT EXISTS (SELECT name FROM creature WHERE atk > 8 AND init < 3)", "true"),
        ("SELECT EXISTS (SELECT name FROM creature WHERE atk > 9)", "false"),
        ("SELECT NOT EXISTS (SELECT name FROM creature WHERE atk > 9)", "true"),
    ] {
        assert_eq!(codes.lines(sql).await, [expected], "{sql}");
        assert!(!codes.plan(sql)?.sparql().contains("EXISTS {"), "{sql}");
    }
    let each = "SELECT name FROM creature AS c WHERE EXISTS \
        (SELECT 1 FROM creature_language AS l WHERE l.creature = c.name AND l.language = 'orc')";
    assert_eq!(codes.lines(each).await, ["a"]);
    Ok(())
}
