//! SQL about nothing: missing values, empty groups, division by zero, contradictory conditions.
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
use common::checks::{check, graph};

#[tokio::test]
pub async fn nothing_divided_by_zero_is_a_number() {
    let shop = Shop::open().await.unwrap();
    for divisor in
        ["0", "0.0", "0e0", "(price - price)", "(1e0 - 1)", "(SELECT COUNT(*) FROM product WHERE 1 = 0)"]
    {
        check(&shop, &format!("SELECT price / {divisor} FROM product WHERE name = 'Otter Pump'"), &["-"])
            .await;
        check(&shop, &format!("SELECT name FROM product WHERE price / {divisor} > 1"), &[]).await;
    }
    check(&shop, "SELECT 1e0 / 0 FROM city", &["-"]).await;
    check(&shop, "SELECT AVG(price) FROM product WHERE 1 = 0", &["-"]).await;
    check(&shop, "SELECT 5 / 2, 1 / 4.0, 100 * COUNT(*) / 3 FROM product", &["2.5 | 0.25 | 166.666666667"])
        .await;
    let texts = graph(r#":F rdfs:label "f" . :x a :F ; rdfs:label "X" ; :run "300" ; :no "0" ."#).await;
    check(&texts, "SELECT run / no, run / 2 FROM f", &["- | 150"]).await;
}

#[tokio::test]
pub async fn numbers_are_calculated_as_sql_does() {
    let shop = Shop::open().await.unwrap();
    check(
        &shop,
        "SELECT CEIL(200.5), FLOOR(200.5), ROUND(200.5), CEIL(-1.5) FROM city",
        &["201 | 200 | 201 | -1"],
    )
    .await;
    check(&shop, "SELECT - -5, -(-5), 1 - -1, +3 FROM city", &["5 | 5 | 2 | 3"]).await;
    check(
        &shop,
        "SELECT 2 - (3 - 4), 2 * (3 + 4), 8 / (2 * 2), (1 + 2) * (3 - 1) FROM city",
        &["3 | 14 | 2 | 6"],
    )
    .await;
    check(&shop, "SELECT COUNT(*) FROM (SELECT in_stock FROM product) AS t", &["5"]).await;
    check(&shop, "SELECT SUM(n) FROM (SELECT in_stock AS s, 1 AS n FROM product) AS t", &["5"]).await;
    check(&shop, "SELECT COUNT(*) FROM (SELECT DISTINCT in_stock FROM product) AS t", &["2"]).await;
    check(&shop, "SELECT MIN(name), MAX(name) FROM product", &["Falcon Drill | Owl Lamp"]).await;
    check(
        &shop,
        "SELECT supplier, SUM(price), COUNT(*) FROM product GROUP BY supplier",
        &["Acme | 200 | 2", "Brix & Söhne | 230.5 | 2", "Cova | - | 1"],
    )
    .await;
    check(
        &shop,
        "SELECT supplier, COUNT(*), AVG(price) FROM product GROUP BY supplier",
        &["Acme | 2 | 100", "Brix & Söhne | 2 | 115.25", "Cova | 1 | -"],
    )
    .await;
    check(&shop, "SELECT name FROM product WHERE price IS NOT TRUE AND supplier = 'Cova'", &["Owl Lamp"])
        .await;
}

#[tokio::test]
pub async fn conditions_that_exclude_each_other_leave_nothing() {
    let shop = Shop::open().await.unwrap();
    for condition in [
        "name = 'Falcon Drill' AND name = 'Heron Sander'",
        "name = 'Falcon Drill' AND name IN ('Heron Sander', 'Otter Pump')",
        "name = 'Falcon Drill' AND name = 'Owl Lamp'",
        "supplier = 'Acme' AND supplier = 'Cova'",
        "price > 5 AND price < 3",
        "price = NULL",
        "1 = 0",
    ] {
        check(&shop, &format!("SELECT price FROM product WHERE {condition}"), &[]).await;
    }
    let both =
        "SELECT price FROM product WHERE name = 'Falcon Drill' AND name IN ('Falcon Drill', 'Otter Pump')";
    check(&shop, both, &["120"]).await;
}

#[tokio::test]
pub async fn conditions_of_a_join_hold_as_they_would_in_where() {
    let shop = Shop::open().await.unwrap();
    let on = "SELECT s.name, p.name FROM supplier s LEFT JOIN product p ON p.supplier = s.name AND p.name IN \
        ('Falcon Drill', 'Otter Pump')";
    check(&shop, on, &["Acme | Falcon Drill", "Brix & Söhne | Otter Pump", "Cova | -"]).await;
    let on = "SELECT s.name, p.price FROM supplier s LEFT JOIN product p ON p.supplier = s.name AND p.name = 'Owl Lamp'";
    check(&shop, on, &["Acme | -", "Brix & Söhne | 30", "Cova | -"]).await;
    let on = "SELECT p.name FROM supplier s JOIN product p ON p.supplier = s.name AND p.name IN ('Falcon Drill', 'Otter Pump')";
    check(&shop, on, &["Falcon Drill", "Otter Pump"]).await;
    let on = "SELECT p.name FROM supplier s JOIN product p ON p.supplier = s.name AND s.name = 'Cova'";
    check(&shop, on, &["Owl Lamp"]).await;
}

#[tokio::test]
pub async fn one_value_of_each_row_is_not_one_of_all() {
    let shop = Shop::open().await.unwrap();
    let limited = "SELECT name, (SELECT price FROM product WHERE product.supplier = supplier.name ORDER BY price DESC \
        LIMIT 1) FROM supplier";
    let error = shop.plan(limited).unwrap_err().to_string();
    assert_eq!(
        error,
        "ORDER BY and LIMIT in a query for one value of each row are not read; write MIN or MAX"
    );
    let greatest =
        "SELECT name, (SELECT MAX(price) FROM product WHERE product.supplier = supplier.name) FROM supplier";
    check(&shop, greatest, &["Acme | 120", "Brix & Söhne | 200.5", "Cova | -"]).await;
    let within = "SELECT name FROM supplier WHERE name IN (SELECT supplier FROM product WHERE product.supplier = \
        supplier.name LIMIT 1)";
    assert!(shop.plan(within).unwrap_err().to_string().starts_with("LIMIT in a query behind IN"));
    let many = "SELECT name FROM supplier s WHERE EXISTS (SELECT supplier FROM product p WHERE p.supplier = s.name \
        GROUP BY supplier HAVING COUNT(*) > 1)";
    check(&shop, many, &["Acme", "Brix & Söhne"]).await;
}

#[tokio::test]
pub async fn columns_of_one_name_are_several_columns() {
    let shop = Shop::open().await.unwrap();
    check(
        &shop,
        "SELECT name, name, price AS name FROM product WHERE price > 100",
        &["Falcon Drill | Falcon Drill | 120", "Otter Pump | Otter Pump | 200.5"],
    )
    .await;
    check(
        &shop,
        "SELECT p.name, s.name FROM product p JOIN supplier s ON p.supplier = s.name WHERE price > 100",
        &["Falcon Drill | Acme", "Otter Pump | Brix & Söhne"],
    )
    .await;
    let derived = "SELECT t.name FROM (SELECT p.name, s.name FROM product p JOIN supplier s ON p.supplier = s.name \
        WHERE price > 150) AS t";
    check(&shop, derived, &["Otter Pump"]).await;
    check(&shop, "SELECT name FROM product AS a, product AS A WHERE a.price > 150 LIMIT 1", &["Otter Pump"])
        .await;
}

/// Products without a supplier, a supplier that is not typed as one, suppliers without products, a
/// city without suppliers.
const GAPS: &str = r#":P rdfs:label "product" . :S rdfs:label "supplier" . :C rdfs:label "city" .
    :madeBy rdfs:label "supplier" . :price rdfs:label "price" . :in rdfs:label "city" .
    :p1 a :P ; rdfs:label "drill" ; :madeBy :s1 ; :price 10 . :p2 a :P ; rdfs:label "saw" ; :price 20 .
    :p3 a :P ; rdfs:label "lamp" ; :madeBy :s2 . :p4 a :P ; rdfs:label "nail" ; :madeBy :x1 ; :price 40 .
    :s1 a :S ; rdfs:label "Acme" ; :in :c1 . :s2 a :S ; rdfs:label "Brix" . :s3 a :S ; rdfs:label "Cova" ; :in :c1 .
    :x1 rdfs:label "Nobody" . :c1 a :C ; rdfs:label "Oslo" . :c2 a :C ; rdfs:label "Lima" ."#;

#[tokio::test]
pub async fn what_is_missing_is_joined_to_nothing() {
    let shop = graph(GAPS).await;
    let check = async |sql: &str, expected: &[&str]| check(&shop, sql, expected).await;
    let suppliers = "FROM product p LEFT JOIN supplier s ON p.supplier = s.name";
    let products = "FROM supplier s LEFT JOIN product p ON p.supplier = s.name";
    check(
        &format!("SELECT p.name, s.name {suppliers}"),
        &["drill | Acme", "lamp | Brix", "nail | Nobody", "saw | -"],
    )
    .await;
    check(
        &format!("SELECT p.name, s.city {suppliers}"),
        &["drill | Oslo", "lamp | -", "nail | -", "saw | -"],
    )
    .await;
    check(
        &format!("SELECT p.name, c.name {suppliers} LEFT JOIN city c ON s.city = c.name"),
        &["drill | Oslo", "lamp | -", "nail | -", "saw | -"],
    )
    .await;
    check(
        "SELECT a.name, b.name FROM product a LEFT JOIN product b ON a.supplier = b.supplier AND b.price > 5",
        &["drill | drill", "lamp | -", "nail | nail", "saw | -"],
    )
    .await;
    check(
        "SELECT a.name, t.name FROM product a JOIN (SELECT name, price FROM product) AS t ON t.price = a.price",
        &["drill | drill", "nail | nail", "saw | saw"],
    )
    .await;
    check(&format!("SELECT s.name {products} WHERE p.supplier IS NULL"), &["Cova"]).await;
    check(&format!("SELECT s.name {products} WHERE p.name IS NULL"), &["Cova"]).await;
    check(&format!("SELECT p.name {suppliers} WHERE s.name IS NULL"), &["nail", "saw"]).await;
    check(&format!("SELECT p.name {suppliers} WHERE s.name IS NOT NULL"), &["drill", "lamp"]).await;
}

#[tokio::test]
pub async fn groups_of_nothing_count_as_none() {
    let shop = graph(GAPS).await;
    let check = async |sql: &str, expected: &[&str]| check(&shop, sql, expected).await;
    let products = "FROM supplier s LEFT JOIN product p ON p.supplier = s.name GROUP BY s.name";
    check(&format!("SELECT s.name, COUNT(p.name) {products}"), &["Acme | 1", "Brix | 1", "Cova | 0"]).await;
    check(&format!("SELECT s.name, COUNT(p.supplier) {products}"), &["Acme | 1", "Brix | 1", "Cova | 0"])
        .await;
    check(&format!("SELECT s.name, COUNT(p.price) {products}"), &["Acme | 1", "Brix | 0", "Cova | 0"]).await;
    check(
        "SELECT p.name, COUNT(s.name) FROM product p LEFT JOIN supplier s ON p.supplier = s.name GROUP BY p.name",
        &["drill | 1", "lamp | 1", "nail | 0", "saw | 0"],
    )
    .await;
    check(
        "SELECT c.name, COUNT(s.name) FROM city c LEFT JOIN supplier s ON s.city = c.name GROUP BY c.name",
        &["Lima | 0", "Oslo | 2"],
    )
    .await;
    check(
        "SELECT name, (SELECT COUNT(*) FROM supplier s WHERE s.name = p.supplier) FROM product p",
        &["drill | 1", "lamp | 1", "nail | 0", "saw | 0"],
    )
    .await;
}

#[tokio::test]
pub async fn a_condition_on_what_is_missing_does_not_hold() {
    let shop = graph(GAPS).await;
    let check = async |sql: &str, expected: &[&str]| check(&shop, sql, expected).await;
    check("SELECT name FROM product WHERE price > 30 OR supplier LIKE '%acme%'", &["drill", "nail"]).await;
    check("SELECT name FROM product WHERE price > 30 OR supplier = 'Acme'", &["drill", "nail"]).await;
    check(
        "SELECT name FROM product WHERE supplier IN ('Acme', 'Brix') OR price > 30",
        &["drill", "lamp", "nail"],
    )
    .await;
    check("SELECT name FROM product WHERE supplier <> 'Acme' OR price = 20", &["lamp", "nail", "saw"]).await;
    check("SELECT name FROM product WHERE supplier NOT IN ('Acme')", &["lamp", "nail"]).await;
    let within = "SELECT 1 FROM supplier s WHERE s.name = p.supplier";
    check(&format!("SELECT name FROM product p WHERE EXISTS ({within})"), &["drill", "lamp"]).await;
    check(&format!("SELECT name FROM product p WHERE EXISTS ({within} LIMIT 1)"), &["drill", "lamp"]).await;
    check(&format!("SELECT name FROM product p WHERE NOT EXISTS ({within})"), &["nail", "saw"]).await;
    check(
        &format!("SELECT name FROM product p WHERE NOT EXISTS ({within} AND s.city = 'Oslo')"),
        &["lamp", "nail", "saw"],
    )
    .await;
}

/// Suppliers whose orders have lines.
const LINES: &str = ":a a :Supplier ; rdfs:label \"Acme\" . :b a :Supplier ; rdfs:label \"Brix\" . \
    :c a :Supplier ; rdfs:label \"Cova\" . :o1 a :Order ; :placedWith :a . :o2 a :Order ; :placedWith :b . \
    :l1 a :Line ; :lineOf :o1 . :l2 a :Line ; :lineOf :o1 . :l3 a :Line ; :lineOf :o2 .";

#[tokio::test]
pub async fn an_outer_row_that_is_joined_within_stays_the_outer_row() {
    let shop = graph(LINES).await;
    let within = "SELECT 1 FROM line LEFT JOIN order ON line.line_of = order.name \
                  LEFT JOIN supplier s ON order.placed_with = s.name WHERE s.name = supplier.name";
    check(&shop, &format!("SELECT name FROM supplier WHERE NOT EXISTS ({within})"), &["Cova"]).await;
    check(&shop, &format!("SELECT name FROM supplier WHERE EXISTS ({within})"), &["Acme", "Brix"]).await;
    // The lines have no supplier of their own, and the outer row is none of theirs.
    check(&shop, "SELECT name FROM supplier WHERE name NOT IN (SELECT supplier FROM line)", &["Cova"]).await;
    check(&shop, "SELECT name FROM supplier WHERE name IN (SELECT supplier FROM line)", &["Acme", "Brix"])
        .await;
}

/// Customers with sites, as a database's export has them.
const SITES: &str = ":c1 a :Customer ; :name \"Ann\" . :c2 a :Customer ; :name \"Bob\" . :c3 a :Customer ; :name \"Cy\" . \
    :s1 a :Site ; :custId :c1 ; :kind \"A\" ; :sqm 808.00 . :s2 a :Site ; :custId :c1 ; :kind \"B\" ; :sqm 92.50 . \
    :s3 a :Site ; :custId :c2 ; :kind \"A\" ; :sqm 100.25 . :s4 a :Site ; :custId :c2 ; :kind \"B\" .";

#[tokio::test]
pub async fn coalesce_keeps_the_groups_without_a_value() {
    let shop = graph(SITES).await;
    let totals = "SELECT customer.name, COALESCE(SUM(site.sqm), 0) AS total FROM customer \
                  LEFT JOIN site ON site.cust_id = customer.name GROUP BY customer.name";
    check(&shop, &format!("{totals} ORDER BY total"), &["Cy | 0", "Bob | 100.25", "Ann | 900.5"]).await;
    let average = format!("SELECT ROUND(AVG(total), 2) FROM ({totals}) AS t");
    check(&shop, &average, &["333.58"]).await;
    let inner = "SELECT customer.name, COALESCE(MAX(site.sqm), 0) FROM site JOIN customer \
                 ON site.cust_id = customer.name WHERE site.kind = 'B' GROUP BY customer.name ORDER BY customer.name";
    check(&shop, inner, &["Ann | 92.5", "Bob | 0"]).await;
}

#[tokio::test]
pub async fn a_number_of_a_query_within_is_compared_by_its_value() {
    let shop = graph(SITES).await;
    let greatest = "(SELECT kind, MAX(sqm) AS m FROM site GROUP BY kind) b";
    let joined = format!(
        "SELECT s.kind, s.sqm FROM site s JOIN {greatest} ON s.kind = b.kind AND s.sqm = b.m ORDER BY s.kind"
    );
    check(&shop, &joined, &["A | 808.00", "B | 92.50"]).await;
    let filtered = format!("SELECT COUNT(*) FROM site s, {greatest} WHERE s.kind = b.kind AND s.sqm = b.m");
    check(&shop, &filtered, &["2"]).await;
}

#[tokio::test]
pub async fn an_order_by_a_given_subquery_takes_its_value() {
    let shop = graph(SITES).await;
    let counted =
        "SELECT c.name, (SELECT COUNT(*) FROM site WHERE site.cust_id = c.name) AS n FROM customer AS c";
    check(&shop, &format!("{counted} ORDER BY n DESC, c.name LIMIT 1"), &["Ann | 2"]).await;
    check(&shop, &format!("{counted} ORDER BY n, c.name LIMIT 1"), &["Cy | 0"]).await;
}

#[tokio::test]
pub async fn julian_days_have_the_time_of_the_day() {
    let shop = graph(
        ":p a :Play ; :number 1 ; :began \"2024-05-01T20:00:00\"^^xsd:dateTime ; :ended \"2024-05-01T20:59:00\"^^xsd:dateTime . \
         :q a :Play ; :number 2 ; :began \"2024-05-01T23:30:00\"^^xsd:dateTime ; :ended \"2024-05-02T00:45:00\"^^xsd:dateTime .",
    )
    .await;
    let minutes = "ROUND((julianday(ended) - julianday(began)) * 1440)";
    check(&shop, &format!("SELECT number, {minutes} FROM play ORDER BY number"), &["1 | 59", "2 | 75"]).await;
    let longest = "SELECT number FROM play ORDER BY julianday(ended) - julianday(began) DESC LIMIT 1";
    check(&shop, longest, &["2"]).await;
    check(&shop, "SELECT ROUND(julianday('2024-05-03') - julianday(MAX(began)), 2) FROM play", &["1.02"])
        .await;
    check(&shop, "SELECT DATEDIFF(ended, began) FROM play WHERE number = 2", &["1"]).await;
}

#[tokio::test]
pub async fn a_cast_to_an_integer_drops_the_decimals() {
    let shop = graph(SITES).await;
    check(&shop, "SELECT CAST(AVG(sqm) AS INTEGER) FROM site", &["333"]).await;
    check(&shop, "SELECT CAST(sqm / 10 AS INT) FROM site WHERE sqm > 800", &["80"]).await;
    check(&shop, "SELECT CAST((0 - sqm) / 100 AS INT) FROM site WHERE sqm > 800", &["-8"]).await;
    check(&shop, "SELECT CAST(COUNT(*) AS REAL) / 3 FROM site WHERE kind = 'A'", &["0.666666667"]).await;
}

#[tokio::test]
pub async fn lists_hold_names_and_numbers() {
    let shop = Shop::open().await.unwrap();
    let listed = async |sql: &str| {
        let mut names: Vec<String> = shop.lines(sql).await.concat().split(", ").map(str::to_owned).collect();
        names.sort();
        names.join(", ")
    };
    assert_eq!(listed("SELECT GROUP_CONCAT(name) FROM city").await, "Lima, Oslo");
    assert_eq!(listed("SELECT GROUP_CONCAT(DISTINCT based_in) FROM supplier").await, "Lima, Oslo");
    assert_eq!(listed("SELECT GROUP_CONCAT(population) FROM city").await, "709000, 9751000");
    assert_eq!(listed("SELECT GROUP_CONCAT(code) FROM supplier").await, "A1, B2, C3");
    assert_eq!(listed("SELECT GROUP_CONCAT(price) FROM product").await, "120, 200.5, 30, 80");
}

/// The shop's products were launched on 15 November 2020, 1 March 2021, 9 July 2021 and 31 January
/// 2022; one has no date.
#[tokio::test]
pub async fn parts_of_dates_are_read_in_every_spelling() {
    let shop = Shop::open().await.unwrap();
    let drill = async |value: &str, expected: &str| {
        check(&shop, &format!("SELECT {value} FROM product WHERE name = 'Falcon Drill'"), &[expected]).await;
    };
    for (value, expected) in [
        ("EXTRACT(YEAR FROM launched)", "2021"),
        ("EXTRACT(MONTH FROM launched)", "3"),
        ("EXTRACT(DAY FROM launched)", "1"),
        ("DATE_PART('year', launched)", "2021"),
        ("DATE_PART('month', launched)", "3"),
        ("date_part('day', launched)", "1"),
        ("DATE_TRUNC('year', launched)", "2021"),
        ("DATE_TRUNC('month', launched)", "2021-03"),
        ("DATE_TRUNC('day', launched)", "2021-03-01"),
        ("TO_CHAR(launched, 'YYYY')", "2021"),
        ("TO_CHAR(launched, 'MM')", "3"),
        ("TO_CHAR(launched, 'DD')", "1"),
        ("TO_CHAR(launched, 'YYYY-MM')", "2021-03"),
        ("TO_CHAR(launched, 'YYYY-MM-DD')", "2021-03-01"),
        ("DATE_FORMAT(launched, '%Y')", "2021"),
        ("DATE_FORMAT(launched, '%Y-%m')", "2021-03"),
        ("DATE_FORMAT(launched, '%Y-%m-%d')", "2021-03-01"),
        ("FORMAT_DATE('%Y', launched)", "2021"),
        ("STRFTIME('%Y-%m', launched)", "2021-03"),
        ("YEAR(launched) + 1", "2022"),
    ] {
        drill(value, expected).await;
    }
    for (condition, expected) in [
        ("EXTRACT(YEAR FROM launched) = 2021", &["Falcon Drill", "Owl Lamp"][..]),
        ("EXTRACT(MONTH FROM launched) >= 7", &["Heron Sander", "Owl Lamp"]),
        ("DATE_PART('day', launched) = 31", &["Otter Pump"]),
        ("DATE_TRUNC('year', launched) = '2021-01-01'", &["Falcon Drill", "Owl Lamp"]),
        ("DATE_TRUNC('month', launched) = '2021-07-01'", &["Owl Lamp"]),
        ("DATE_TRUNC('month', launched) = DATE '2021-07-01'", &["Owl Lamp"]),
        (
            "DATE_TRUNC('month', launched) IN ('2021-07-01', '2021-03-01 00:00:00')",
            &["Falcon Drill", "Owl Lamp"],
        ),
        (
            "DATE_TRUNC('month', launched) BETWEEN '2021-03-01' AND '2021-07-01'",
            &["Falcon Drill", "Owl Lamp"],
        ),
        ("DATE_TRUNC('month', launched) >= '2021-07-15'", &["Otter Pump"]),
        ("DATE_TRUNC('month', launched) > '2021-03-01'", &["Otter Pump", "Owl Lamp"]),
        ("TO_CHAR(launched, 'YYYY') = '2021'", &["Falcon Drill", "Owl Lamp"]),
        ("TO_CHAR(launched, 'MM') = '03'", &["Falcon Drill"]),
        ("TO_CHAR(launched, 'YYYY-MM') = '2021-07'", &["Owl Lamp"]),
        ("DATE_FORMAT(launched, '%Y-%m') BETWEEN '2021-01' AND '2021-06'", &["Falcon Drill"]),
        ("DATE_FORMAT(launched, '%Y-%m-%d') = '2020-11-15'", &["Heron Sander"]),
        ("DATE_FORMAT(launched, '%m') = '11'", &["Heron Sander"]),
    ] {
        check(&shop, &format!("SELECT name FROM product WHERE {condition}"), expected).await;
    }
    let by_year = "SELECT EXTRACT(YEAR FROM launched) AS y, COUNT(*) FROM product WHERE launched IS NOT NULL \
                   GROUP BY EXTRACT(YEAR FROM launched) ORDER BY y";
    check(&shop, by_year, &["2020 | 1", "2021 | 2", "2022 | 1"]).await;
    let by_month =
        "SELECT DATE_TRUNC('month', launched) AS m, COUNT(*) FROM product GROUP BY 1 ORDER BY 1 DESC LIMIT 2";
    check(&shop, by_month, &["2022-01 | 1", "2021-07 | 1"]).await;
    let by_text = "SELECT TO_CHAR(placed, 'YYYY-MM') AS m, SUM(quantity) FROM {id} GROUP BY m ORDER BY m";
    check(&shop, &by_text.replace("{id}", &shop.id_of("order")), &["2023-01 | 3", "2023-02 | 6"]).await;
    for (value, reason) in [
        ("EXTRACT(HOUR FROM launched)", "the HOUR of a date is not read; YEAR, MONTH and DAY are"),
        ("DATE_PART('quarter', launched)", "the QUARTER of a date is not read; YEAR, MONTH and DAY are"),
        ("DATE_TRUNC('week', launched)", "DATE_TRUNC to a week is not read; year, month and day are"),
        (
            "TO_CHAR(launched, 'Month')",
            "the form Month of a date is not read; %Y, %m, %d, %Y-%m and %Y-%m-%d are",
        ),
    ] {
        let error = shop.plan(&format!("SELECT {value} FROM product")).unwrap_err().to_string();
        assert_eq!(error, reason);
    }
}

#[tokio::test]
pub async fn a_limit_may_begin_with_its_offset() {
    let shop = Shop::open().await.unwrap();
    let ordered = "SELECT name FROM product WHERE price > 0 ORDER BY price";
    check(&shop, &format!("{ordered} LIMIT 1, 2"), &["Heron Sander", "Falcon Drill"]).await;
    check(&shop, &format!("{ordered} LIMIT 2 OFFSET 1"), &["Heron Sander", "Falcon Drill"]).await;
    check(&shop, &format!("{ordered} LIMIT 3, 5"), &["Otter Pump"]).await;
    check(&shop, &format!("{ordered} OFFSET 3"), &["Otter Pump"]).await;
    check(&shop, &format!("{ordered} LIMIT 0"), &[]).await;
}

#[tokio::test]
pub async fn joins_by_a_common_column_and_of_all_pairs() {
    let shop = graph(
        ":Shop rdfs:label \"shop\" . :Bank rdfs:label \"bank\" . :town rdfs:label \"town\" . :code rdfs:label \"code\" .
         :s1 a :Shop ; rdfs:label \"Ada's\" ; :town :t1 ; :code \"a\" . :s2 a :Shop ; rdfs:label \"Bo's\" ; :town :t2 ; :code \"b\" .
         :b1 a :Bank ; rdfs:label \"First\" ; :town :t1 ; :code \"b\" . :b2 a :Bank ; rdfs:label \"Second\" ; :town :t1 ; :code \"a\" .
         :t1 rdfs:label \"Oslo\" . :t2 rdfs:label \"Lima\" .",
    )
    .await;
    let check = async |sql: &str, expected: &[&str]| check(&shop, sql, expected).await;
    let both = ["Ada's | First", "Ada's | Second"];
    check("SELECT s.name, b.name FROM shop s JOIN bank b USING (town)", &both).await;
    check(
        "SELECT s.name, b.name, town FROM shop s JOIN bank b USING (town)",
        &["Ada's | First | Oslo", "Ada's | Second | Oslo"],
    )
    .await;
    check("SELECT s.name, b.name FROM shop s JOIN bank b USING (town, code)", &["Ada's | Second"]).await;
    check(
        "SELECT s.name, b.name FROM shop s LEFT JOIN bank b USING (town)",
        &["Ada's | First", "Ada's | Second", "Bo's | -"],
    )
    .await;
    let all = ["Ada's | First", "Ada's | Second", "Bo's | First", "Bo's | Second"];
    check("SELECT s.name, b.name FROM shop s CROSS JOIN bank b", &all).await;
    check("SELECT s.name, b.name FROM shop s, bank b", &all).await;
    check("SELECT COUNT(*) FROM shop CROSS JOIN bank", &["4"]).await;
    check(
        "SELECT s.name, b.name FROM shop s CROSS JOIN bank b WHERE s.code = b.code",
        &["Ada's | Second", "Bo's | First"],
    )
    .await;
}

/// A named thing within a subquery is compared with the outer row, not set anew.
#[tokio::test]
pub async fn a_name_within_a_subquery_is_compared_with_the_outer_row() {
    let shop = Shop::open().await.unwrap();
    let oslo = "(SELECT name FROM city WHERE name = 'Oslo')";
    for condition in [
        format!("based_in IN {oslo}"),
        format!("(based_in IN {oslo} OR founded > 2050)"),
        format!("NOT (based_in NOT IN {oslo} OR founded > 2050)"),
        "EXISTS (SELECT * FROM city WHERE city.name = 'Oslo' AND city.name = supplier.based_in)".to_owned(),
        "(EXISTS (SELECT * FROM city WHERE supplier.based_in = city.name AND city.name = 'Oslo') OR founded > 2050)"
            .to_owned(),
    ] {
        let sql = format!("SELECT name FROM supplier WHERE {condition} ORDER BY name");
        check(&shop, &sql, &["Acme", "Cova"]).await;
    }
    let sql =
        format!("SELECT name FROM supplier WHERE (based_in NOT IN {oslo} OR founded > 2050) ORDER BY name");
    check(&shop, &sql, &["Brix & Söhne"]).await;
}
