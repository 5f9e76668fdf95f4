//! SQL over a small graph: what it answers.
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
use quipu_query::{
    Comparison, Expression, Made, PathFrom, PathStart, PathStep, Query, Relevance, RenderConfig, RunLimits,
    path_query,
};

async fn check(shop: &Shop, sql: &str, expected: &[&str]) {
    let lines = shop.lines(sql).await;
    let sparql = shop.plan(sql).map(|plan| plan.sparql()).unwrap_or_default();
    assert_eq!(lines, expected, "{sql}\n{sparql}");
}

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
    // "Which suppliers of Oslo does nobody buy of": Oslo is no supplier that buys, it is where those asked for are.
    let sql = "SELECT name FROM supplier WHERE name NOT IN (SELECT buys_of FROM supplier_buys_of WHERE supplier = 'Oslo')";
    check(&shop, sql, &["Acme"]).await;
    // A condition on those who buy stays where it is.
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
async fn what_was_written_for_another_schema_is_mended() {
    let shop = Shop::open().await.unwrap();
    let check = |sql: &'static str, expected: &'static [&'static str]| {
        let shop = &shop;
        async move {
            check(shop, sql, expected).await;
            assert!(!shop.bound(sql).unwrap().mends.is_empty(), "{sql}");
        }
    };
    check("SELECT name FROM products WHERE price > 100", &["Falcon Drill", "Otter Pump"]).await;
    check("SELECT population FROM supplier WHERE name = 'Acme'", &["709000"]).await;
    check("SELECT colour FROM product WHERE name = 'Heron Sander'", &["red"]).await;
    check("SELECT name FROM product WHERE supplier = 'Acmee'", &["Falcon Drill", "Heron Sander"]).await;
    check("SELECT name FROM product WHERE name = 'Lamp'", &["Owl Lamp", "Owl Lamp"]).await;
    check(
        "SELECT p.name FROM product p JOIN city c ON p.name = c.name WHERE c.name = 'Lima'",
        &["Otter Pump", "Owl Lamp"],
    )
    .await;
    check(
        "SELECT name FROM product WHERE name IN (SELECT name FROM supplier WHERE based_in = 'Lima')",
        &["Otter Pump", "Owl Lamp"],
    )
    .await;
    check("SELECT name FROM supplier WHERE code = 'Oslo'", &["Acme", "Cova"]).await;
    check("SELECT name FROM article WHERE price > 100 AND colour = 'red'", &["Falcon Drill"]).await;
    let both = "SELECT name FROM product WHERE price > 100 INTERSECT \
                SELECT colour FROM product_colour WHERE colour = 'red'";
    check(both, &["Falcon Drill"]).await;
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    let shop = Shop::open().await.unwrap();
    let says = |sql: &str| shop.bound(sql).unwrap_err().to_string();
    assert_eq!(
        says("SELECT name FROM planet"),
        "there is no table planet; there are product, vehicle, order, supplier, city, product_colour, vehicle_serves, supplier_buys_of"
    );
    assert!(says("SELECT AVG(supplier) FROM product").contains("no sum and no average"));
    assert!(says("SELECT gravity FROM product").contains("no table here has a column gravity"));
    assert_eq!(
        says("SELECT price FROM product WHERE name = 'Zebra Crossing'"),
        "the graph has no product called 'Zebra Crossing'"
    );
}

#[tokio::test]
async fn rows_rest_on_the_triples_that_they_were_made_of() {
    let shop = Shop::open().await.unwrap();
    let of = async |sql: &str| {
        let plan = shop.plan(sql).unwrap();
        let rows = shop.rows(sql).await.unwrap();
        let limits = quipu_query::RunLimits::default();
        let found = quipu_query::stated(&shop.workspace, &plan, &rows, &limits).await.unwrap();
        let lines: Vec<String> = found.triples.iter().map(|triple| triple.names.join(" | ")).collect();
        (lines, found.counted)
    };
    let (lines, counted) = of("SELECT name FROM product WHERE price > 150").await;
    assert!(lines.contains(&"Otter Pump | price | 200.5".to_owned()), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("Falcon")), "{lines:?}");
    assert_eq!(counted, None);
    let both = "SELECT product FROM product_colour WHERE colour = 'red' INTERSECT \
                SELECT product FROM product_colour WHERE colour = 'blue'";
    let (lines, _) = of(both).await;
    assert!(lines.contains(&"Falcon Drill | colour | red".to_owned()), "{lines:?}");
    assert!(lines.contains(&"Falcon Drill | colour | blue".to_owned()), "{lines:?}");
    let within = "SELECT supplier FROM product WHERE name IN \
                  (SELECT product FROM product_colour WHERE colour = 'green')";
    let (lines, _) = of(within).await;
    assert!(lines.contains(&"Otter Pump | colour | green".to_owned()), "{lines:?}");
    let (lines, counted) = of("SELECT supplier, COUNT(*) FROM product GROUP BY supplier").await;
    assert_eq!(counted, Some(5));
    assert!(lines.iter().any(|line| line.ends_with("| supplier | Cova")), "{lines:?}");
}

#[tokio::test]
async fn values_are_told_with_their_things_and_lists_with_their_order() {
    let shop = Shop::open().await.unwrap();
    let told = |sql: &str| {
        let mut query = shop.bound(sql).unwrap().query;
        quipu_query::with_things(&mut query, &shop.tables);
        quipu_query::with_measures(&mut query);
        query.to_string()
    };
    let priced = told("SELECT price FROM product WHERE in_stock = TRUE");
    assert!(priced.starts_with("SELECT product.price, product.name AS product FROM"), "{priced}");
    let one = "SELECT product.price FROM product WHERE product.name = 'Otter Pump'";
    assert_eq!(told(one), one);
    let ordered = told("SELECT name FROM product ORDER BY price DESC LIMIT 3");
    assert!(ordered.starts_with("SELECT product.name, product.price FROM"), "{ordered}");
    let alone = "SELECT product.name FROM product ORDER BY product.price DESC LIMIT 1";
    assert_eq!(told(alone), alone);
}

#[tokio::test]
async fn rows_that_are_level_with_the_last_come_with_it() {
    let shop = Shop::open().await.unwrap();
    let first = async |sql: &str| {
        let bound = shop.bound(sql).unwrap();
        let level = quipu_query::Level::of(&bound.query)?;
        let plan = quipu_query::plan(&level.query, &shop.tables).unwrap();
        let limits = quipu_query::RunLimits::default();
        let (rows, more) = level.cut(quipu_query::run(&shop.workspace, &plan, &limits).await.unwrap());
        let name = |cell: Option<quipu_query::CellValue>| cell.map_or_else(String::new, |cell| cell.name);
        let row = |row: Vec<_>| row.into_iter().map(name).collect::<Vec<_>>().join(" | ");
        Some((rows.rows.into_iter().map(row).collect::<Vec<String>>(), more, rows.more))
    };
    let most = "SELECT supplier FROM product GROUP BY supplier ORDER BY COUNT(*) DESC LIMIT";
    let (mut rows, more, open) = first(&format!("{most} 1")).await.unwrap();
    rows.sort();
    assert_eq!((rows, more, open), (vec!["Acme".to_owned(), "Brix & Söhne".to_owned()], 1, false));
    let (rows, more, _) = first(&format!("{most} 2")).await.unwrap();
    assert_eq!((rows.len(), more), (2, 0), "one product less is not level");
    let (rows, more, _) = first("SELECT name, price FROM product ORDER BY price DESC LIMIT 1").await.unwrap();
    assert_eq!((rows, more), (vec!["Otter Pump | 200.5".to_owned()], 0));
    assert_eq!(first("SELECT name FROM product ORDER BY price").await, None);
    let (rows, more, _) =
        first("SELECT name, price FROM product ORDER BY price DESC LIMIT 1 OFFSET 1").await.unwrap();
    assert_eq!((rows, more), (vec!["Falcon Drill | 120".to_owned()], 0));
    // The lamp without a price is the last by it; of those with a date of launch it is none.
    let launched = "SELECT launched FROM product WHERE name = 'Owl Lamp' ORDER BY price LIMIT 1";
    assert_eq!(first(launched).await.unwrap().0, ["2021-07-09"]);
    let told_apart = ["SELECT DISTINCT colour", "FROM product_colour ORDER BY product LIMIT 2"].join(" ");
    assert_eq!(first(&told_apart).await, None, "what it is ordered by would make two rows of one");
}

#[tokio::test]
async fn a_column_of_a_table_that_is_not_in_from_is_the_one_that_leads_there() {
    let shop = Shop::open().await.unwrap();
    check(&shop, "SELECT supplier.name FROM product WHERE product.name = 'Otter Pump'", &["Brix & Söhne"])
        .await;
    check(&shop, "SELECT COUNT(DISTINCT supplier.name) FROM product WHERE in_stock = TRUE", &["3"]).await;
    check(&shop, "SELECT supplier.founded FROM product WHERE product.name = 'Otter Pump'", &["1985"]).await;
    let links = "SELECT product.name FROM product_colour WHERE colour = 'green'";
    check(&shop, links, &["Otter Pump"]).await;
}

#[tokio::test]
async fn a_name_within_a_query_is_that_of_the_outer_rows_where_its_own_would_be_another_thing() {
    let shop = Shop::open().await.unwrap();
    let dear = "SELECT name FROM supplier WHERE EXISTS \
                (SELECT 1 FROM product WHERE supplier = name AND price > 150)";
    check(&shop, dear, &["Brix & Söhne"]).await;
    let plain = "SELECT name FROM product WHERE NOT EXISTS \
                 (SELECT 1 FROM product_colour WHERE product = name)";
    check(&shop, plain, &["Owl Lamp", "Owl Lamp"]).await;
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
    // Once each, however many of their colours are asked for.
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
    // Rows that are counted, grouped or shown are joined as they were.
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
async fn averages_and_counts_of_things_are_those_of_their_number() {
    let shop = Shop::open().await.unwrap();
    // Two suppliers buy of others: one of two, one of one.
    check(&shop, "SELECT AVG(buys_of) FROM supplier", &["1.5"]).await;
    // Each city stands once in the table of cities; how often suppliers are there is asked for.
    check(&shop, "SELECT name FROM city ORDER BY COUNT(*) DESC LIMIT 1", &["Oslo"]).await;
    check(
        &shop,
        "SELECT name, COUNT(*) FROM city GROUP BY name ORDER BY COUNT(*) DESC",
        &["Oslo | 3", "Lima | 2"],
    )
    .await;
}

#[tokio::test]
async fn words_that_stand_in_names_are_found() {
    let shop = Shop::open().await.unwrap();
    let none = |_: &str| false;
    let found = shop.values.parts("how many lamps and drills are there", none);
    let told: Vec<(String, Vec<String>)> =
        found.into_iter().map(|mention| (mention.text, mention.matches[0].shown.clone())).collect();
    assert_eq!(
        told,
        [
            ("lamps".to_owned(), vec!["Owl Lamp".to_owned(), "Owl Lamp".to_owned()]),
            ("drills".to_owned(), vec!["Falcon Drill".to_owned()]),
        ]
    );
    assert!(shop.values.parts("how many lamps are there", |word| word == "lamps").is_empty());
}

#[tokio::test]
async fn a_path_is_a_query() {
    let shop = Shop::open().await.unwrap();
    let iri = |name: &str| format!("http://shop.test/{name}");
    let step = |relation: &str, backward| PathStep { relation: iri(relation), backward };
    let read = |from: &PathFrom<'_>, steps: &[PathStep], made: &Made| {
        path_query(&shop.tables, from, steps, made).unwrap()
    };
    let run = async |query: &Query| {
        let plan = quipu_query::plan(query, &shop.tables).unwrap();
        let rows = quipu_query::run(&shop.workspace, &plan, &RunLimits::default()).await.unwrap();
        let names = rows.rows.into_iter().flatten().flatten().map(|cell| cell.name);
        (names.collect::<Vec<String>>(), quipu_query::say(query, &shop.tables))
    };
    let [drill, oslo] = [iri("drill"), iri("oslo")];
    let drill = [PathStart { key: &drill, name: "Falcon Drill", types: &[] }];
    let oslo = [PathStart { key: &oslo, name: "Oslo", types: &[] }];
    let (from_drill, from_oslo) = (PathFrom::Entities(&drill), PathFrom::Entities(&oslo));

    let based = [step("madeBy", false), step("basedIn", false)];
    let (names, words) = run(&read(&from_drill, &based, &Made::Values)).await;
    assert_eq!(names, ["Oslo"]);
    assert!(words.contains("Falcon Drill"), "{words}");
    let colours = [step("basedIn", true), step("madeBy", true), step("colour", false)];
    let (mut names, _) = run(&read(&from_oslo, &colours, &Made::Values)).await;
    names.sort();
    assert_eq!(names, ["blue", "red"]);
    assert!(path_query(&shop.tables, &from_oslo, &[step("orbits", false)], &Made::Values).is_none());

    // What is made of the values.
    let prices = [step("basedIn", true), step("madeBy", true), step("price", false)];
    let made = [step("basedIn", true), step("madeBy", true)];
    let (number, _) = run(&read(&from_oslo, &made, &Made::Count)).await;
    let (every, _) = run(&read(&from_oslo, &made, &Made::Values)).await;
    assert_eq!(number, [every.len().to_string()]);
    let dearest = Made::Ordered { descending: true, offset: 0, limit: Some(1) };
    let dearest = read(&from_oslo, &prices, &dearest);
    let (names, words) = run(&dearest).await;
    assert_eq!(names, ["Falcon Drill"]);
    assert!(words.contains("price") && words.contains("Oslo"), "{words}");
    let bounds = vec![(Comparison::Less, Expression::Number("1".into()))];
    let cheap = Made::Within { bounds, counted: true };
    assert_eq!(run(&read(&from_oslo, &prices, &cheap)).await.0, ["0"]);

    // What a query found is where another path starts.
    let found = PathFrom::Found(Box::new(dearest));
    let (names, _) = run(&read(&found, &based, &Made::Values)).await;
    assert_eq!(names, ["Oslo"]);
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
    // Kinds are not shown as tables of their own, but may be asked as such.
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
async fn of_links_within_one_kind_the_end_that_is_no_constant_is_meant() {
    let shop = Shop::open().await.unwrap();
    // Suppliers that buy of Brix, where the query joins Brix itself.
    let joined = "SELECT s.based_in FROM supplier s JOIN supplier_buys_of b ON s.name = b.buys_of WHERE b.buys_of = 'Brix & Sohne'";
    check(&shop, joined, &["Oslo"]).await;
    let by_name = "SELECT b.buys_of FROM supplier s JOIN supplier_buys_of b ON s.name = b.buys_of WHERE s.name = 'Acme'";
    check(&shop, by_name, &["Brix & Söhne", "Cova"]).await;
    check(&shop, "SELECT buys_of FROM supplier_buys_of WHERE buys_of = 'Cova'", &["Acme", "Brix & Söhne"])
        .await;
    // The year of what Acme buys of, not Acme's own.
    let ordered = "SELECT buys_of FROM supplier_buys_of WHERE supplier = 'Acme' ORDER BY founded LIMIT 1";
    check(&shop, ordered, &["Brix & Söhne"]).await;
    let within = format!("SELECT based_in FROM supplier WHERE name = ({ordered})");
    check(&shop, &within, &["Lima"]).await;
    // Both ends spoken of: nothing is turned.
    let both = "SELECT supplier FROM supplier_buys_of WHERE buys_of = 'Cova'";
    check(&shop, both, &["Acme", "Brix & Söhne"]).await;
    check(&shop, "SELECT COUNT(*) FROM supplier_buys_of WHERE buys_of = 'Cova'", &["2"]).await;
    // What is counted by the end that is joined stays so: two buy of Cova, and Acme buys of two.
    let of_cova =
        "SELECT COUNT(*) FROM supplier s JOIN supplier_buys_of b ON s.name = b.buys_of WHERE s.name = 'Cova'";
    check(&shop, of_cova, &["2"]).await;
    let of_acme = "SELECT COUNT(*) FROM supplier s JOIN supplier_buys_of b ON s.name = b.supplier WHERE s.name = 'Cova'";
    check(&shop, of_acme, &["0"]).await;
    let grouped = "SELECT supplier, COUNT(*) FROM supplier_buys_of WHERE supplier = 'Acme' GROUP BY supplier";
    check(&shop, grouped, &["Acme | 2"]).await;
}

#[tokio::test]
async fn what_would_count_one_each_is_refused_or_read_as_the_number() {
    let shop = Shop::open().await.unwrap();
    check(&shop, "SELECT COUNT(price) FROM product WHERE name = 'Falcon Drill'", &["120"]).await;
    check(&shop, "SELECT COUNT(load) FROM vehicle ORDER BY load DESC LIMIT 1", &["1100"]).await;
    check(&shop, "SELECT COUNT(price) FROM product", &["4"]).await;
    let orders =
        "SELECT COUNT(o.quantity) FROM {id} o JOIN product p ON o.of = p.name WHERE p.name = 'Falcon Drill'";
    check(&shop, &orders.replace("{id}", &shop.id_of("order")), &["2"]).await;
    let error = shop.bound("SELECT name, COUNT(*) FROM vehicle GROUP BY name").unwrap_err().to_string();
    assert!(error.contains("every number would be 1"), "{error}");
    let joined = "SELECT v.name, COUNT(*) FROM vehicle v JOIN city c ON v.kept_in = c.name GROUP BY v.name";
    assert!(shop.bound(joined).is_err());
    let several = "SELECT c.name, COUNT(*) FROM vehicle v JOIN city c ON v.kept_in = c.name GROUP BY c.name";
    check(&shop, several, &["Lima | 1", "Oslo | 3"]).await;
}

#[tokio::test]
async fn that_something_is_not_said_rests_on_the_thing() {
    let shop = Shop::open().await.unwrap();
    let sql = "SELECT name FROM vehicle WHERE gears IS NULL AND load IS NOT NULL";
    let plan = shop.plan(sql).unwrap();
    let rows = shop.rows(sql).await.unwrap();
    let stated = quipu_query::stated(&shop.workspace, &plan, &rows, &RunLimits::default()).await.unwrap();
    assert!(stated.triples.iter().any(|triple| triple.names[0] == "Ox"), "{stated:?}");
    let all = "SELECT name FROM vehicle";
    let (plan, rows) = (shop.plan(all).unwrap(), shop.rows(all).await.unwrap());
    let stated = quipu_query::stated(&shop.workspace, &plan, &rows, &RunLimits::default()).await.unwrap();
    assert!(stated.triples.iter().any(|triple| triple.names == ["Mule", "type", "cargo bike"]), "{stated:?}");
}

/// A graph of codes: columns called by abbreviations, values that all end in one letter.
const CODES: &str = r#"
@prefix : <http://codes.test/> .
:a a :Creature ; :hasACValue 12 ; :hasHPvalue 30 ; :hasXPValue 400 ; :init 3 ; :atk 7 ; :hasLanguage :GoblinL, :OrcL .
:goblin a :Creature ; :hasACValue 15 ; :hasHPvalue 6 ; :hasXPValue 100 ; :init 1 ; :atk 2 ; :hasLanguage :ElvenL .
:b a :Creature ; :hasACValue 9 ; :hasHPvalue 11 ; :hasXPValue 200 ; :init 2 ; :atk 9 ; :hasLanguage :GoblinL .
:GoblinL a :Language . :OrcL a :Language . :ElvenL a :Language . :AuranL a :Language . :DarkL a :Language .
"#;

#[tokio::test]
async fn a_column_called_by_an_abbreviation_is_found_by_the_words_that_it_stands_for() -> anyhow::Result<()> {
    let codes = Shop::of("codes.ttl", CODES).await?;
    for (sql, expected) in [
        ("SELECT MAX(armor_class) FROM creature", "15"),
        ("SELECT MIN(hit_points) FROM creature", "6"),
        ("SELECT SUM(experience_points) FROM creature", "700"),
        ("SELECT MAX(initiative) FROM creature", "3"),
        ("SELECT MAX(attack) FROM creature", "9"),
    ] {
        assert_eq!(codes.lines(sql).await, [expected], "{sql}");
        let mends = codes.bound(sql)?.mends;
        assert!(mends.iter().any(|mend| mend.text.contains("is called")), "{sql}: {mends:?}");
    }
    assert!(codes.plan("SELECT MAX(wisdom) FROM creature").is_err());
    let titles: Vec<&str> = codes.tables.columns().map(|(_, column)| column.title.as_str()).collect();
    assert!(titles.contains(&"hp value"), "{titles:?}");
    Ok(())
}

#[tokio::test]
async fn a_letter_that_all_names_of_a_column_end_in_tells_nothing() -> anyhow::Result<()> {
    let codes = Shop::of("codes.ttl", CODES).await?;
    let sql = "SELECT creature FROM creature_language WHERE language = 'goblin'";
    assert_eq!(codes.lines(sql).await, ["a", "b"]);
    Ok(())
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

/// Columns below a property that names them all.
const GROUPED: &str = r#"
@prefix : <http://codes.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:str rdfs:subPropertyOf :statistics . :dex rdfs:subPropertyOf :statistics . :armour rdfs:subPropertyOf :defValues .
:shield rdfs:subPropertyOf :defValues .
:ogre a :Creature ; :str 21 ; :dex 8 ; :armour 16 ; :shield 2 .
:elf a :Creature ; :str 11 ; :dex 18 ; :armour 14 ; :shield 1 .
"#;

#[tokio::test]
async fn a_property_above_others_names_their_columns_together() -> anyhow::Result<()> {
    let creatures = Shop::of("grouped.ttl", GROUPED).await?;
    let named = |question: &str| -> Vec<(String, Vec<String>)> {
        let words = quipu_query::words_of(question);
        let titles = |group: &quipu_query::Group| {
            let titles = group.columns.iter().filter_map(|place| creatures.tables.column(*place));
            let mut titles: Vec<String> = titles.map(|column| column.title.clone()).collect();
            titles.sort();
            titles
        };
        let named = creatures.tables.groups_named(&words);
        named.into_iter().map(|(word, group)| (word, titles(group))).collect()
    };
    let statistics = vec![("statistics".to_owned(), vec!["dex".to_owned(), "str".to_owned()])];
    assert_eq!(named("What are the average statistics of elves?"), statistics);
    let defensive = vec![("defensive".to_owned(), vec!["armour".to_owned(), "shield".to_owned()])];
    assert_eq!(named("Is the ogre better in defensive attributes?"), defensive);
    assert!(named("What is the strength of the ogre?").is_empty());
    Ok(())
}

#[tokio::test]
async fn a_count_says_what_it_counts() -> anyhow::Result<()> {
    let codes = Shop::of("codes.ttl", CODES).await?;
    for (sql, expected) in [
        ("SELECT COUNT(*) FROM creature WHERE atk > 3", "the number of Creature,"),
        (
            "SELECT language, COUNT(*) FROM creature_language GROUP BY language",
            "the language and the number of Creature, for each language",
        ),
        (
            "SELECT creature, COUNT(*) FROM creature_language GROUP BY creature",
            "the number of language, for each Creature",
        ),
    ] {
        let said = quipu_query::say(&codes.bound(sql)?.query, &codes.tables);
        assert!(said.contains(expected), "{sql}: {said}");
    }
    Ok(())
}
