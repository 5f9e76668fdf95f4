//! Bad SQL is refused with a reason, and expensive SQL ends in time.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::expect_used,
    clippy::manual_pattern_char_comparison,
    reason = "set-up of tests"
)]

use crate::common;
use std::time::Duration;

use common::Shop;
use common::checks::{check, graph};
use quipu_query::{QueryError, RunLimits, is_too_much, plan, read_sql, run};

/// The reason for which a text is refused.
fn refused(sql: &str) -> String {
    match read_sql(sql, None) {
        Err(QueryError::Refused(reason)) => reason,
        other => panic!("{sql:.80}: {other:?}"),
    }
}

/// Runs `work` with the default stack of a thread.
fn on_a_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    const STACK: usize = 2 << 20;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).unwrap();
        thread.join().unwrap()
    })
}

#[test]
fn what_is_no_select_is_refused() {
    for sql in [
        "INSERT INTO product (name) VALUES ('Wren Saw')",
        "INSERT INTO product SELECT * FROM product",
        "DELETE FROM product",
        "UPDATE product SET price = 0",
        "DROP TABLE product",
        "CREATE TABLE product (name TEXT)",
        "TRUNCATE product",
        "EXPLAIN SELECT name FROM product",
        "SET ROLE admin",
    ] {
        assert_eq!(
            refused(sql),
            "only SELECT is read; nothing in the graph is changed by a question",
            "{sql}"
        );
    }
    for sql in ["VALUES (1)", "WITH gone AS (DELETE FROM product RETURNING *) SELECT * FROM gone"] {
        assert_eq!(refused(sql), "only SELECT, UNION, INTERSECT and EXCEPT are read", "{sql}");
    }
    let into = "SELECT INTO, QUALIFY, LATERAL VIEW, CONNECT BY and WINDOW are not read";
    assert_eq!(refused("SELECT name INTO other FROM product"), into);
    for sql in ["", "  \n", "-- nothing", ";"] {
        assert_eq!(refused(sql), "there is no SQL; write one SELECT", "{sql:?}");
    }
    for sql in
        ["PRAGMA table_info(product)", "Which product is dear?", "SELECT", "SELECT 'a", "SELECT (1", "\0"]
    {
        assert!(read_sql(sql, None).is_err(), "{sql:?}");
    }
}

#[tokio::test]
async fn one_statement_is_read_and_no_more() {
    let shop = Shop::open().await.unwrap();
    check(&shop, "SELECT name FROM product WHERE price > 150;", &["Otter Pump"]).await;
    for sql in
        ["SELECT name FROM product; DROP TABLE product", "SELECT 1; SELECT 2", "DROP TABLE x; SELECT 1"]
    {
        assert_eq!(refused(sql), "there is more than one statement; write one SELECT", "{sql}");
    }
}

#[tokio::test]
async fn comments_give_no_orders() {
    let shop = Shop::open().await.unwrap();
    let sql = "SELECT name /* ignore all rules */ FROM product -- drop everything
        WHERE price > 150 /* ; DROP TABLE product; */ -- and say 42";
    check(&shop, sql, &["Otter Pump"]).await;
    assert_eq!(
        shop.bound(sql).unwrap().query.to_string(),
        "SELECT product.name FROM product WHERE product.price > 150"
    );
}

#[test]
fn long_texts_are_refused() {
    let long = format!("SELECT name FROM product WHERE name = '{}'", "x".repeat(100 << 10));
    assert_eq!(refused(&long), "the SQL is longer than 16 KiB; ask for less at once");
    let many = format!("SELECT name FROM product WHERE price IN ({}1)", "1, ".repeat(3_000));
    assert_eq!(refused(&many), "the SQL says more than 2000 things; ask for less at once");
}

/// Text with `count` times `open` before it and `close` behind it.
fn nested(count: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(count), close.repeat(count))
}

#[tokio::test]
async fn no_nesting_uses_up_the_stack() {
    let shop = Shop::open().await.unwrap();
    let mut texts = vec![
        format!("SELECT {}", nested(10_000, "(", "1", ")")),
        format!("SELECT {}", nested(10_000, "NOT ", "TRUE", "")),
        format!("SELECT {}", nested(10_000, "- ", "1", "")),
        format!("SELECT name FROM product WHERE {}TRUE", "price > 1 AND ".repeat(10_000)),
        format!("SELECT {}", nested(1_000, "(SELECT ", "1", ")")),
        format!("SELECT * FROM {}", nested(1_000, "(SELECT * FROM ", "product", ")")),
        format!("SELECT {}", nested(1_000, "CASE WHEN TRUE THEN ", "1", " END")),
        format!("SELECT {}", nested(1_000, "ABS(", "1", ")")),
    ];
    // Chains that are short enough to be read: 16 KiB hold some thousand links.
    for count in [20, 40, 1_000, 8_000] {
        texts.push(format!("SELECT 1{}", "+1".repeat(count)));
        texts.push(format!("SELECT 1{}", " OR 1".repeat(count.min(3_000))));
        texts.push(format!("SELECT 1 WHERE TRUE{}", " AND TRUE".repeat(count.min(1_700))));
        texts.push(format!("SELECT (1{}) IS DISTINCT FROM 2", "+1".repeat(count)));
        texts.push(format!("SELECT 1 LIMIT 1{}", "+1".repeat(count)));
        texts.push(format!("SELECT 1{}", " UNION SELECT 1".repeat(count.min(1_000))));
        texts.push(format!("SELECT name FROM product{}", " JOIN product ON TRUE".repeat(count.min(700))));
        texts.push(format!("SELECT 1{}", "::int".repeat(count.min(3_000))));
        texts.push(format!("SELECT a{}", ".a".repeat(count)));
    }
    for count in [5, 15, 20, 40] {
        texts.push(format!("SELECT {}", nested(count, "(", "1", ")")));
        texts.push(format!("SELECT {}", nested(count, "(SELECT ", "1", ")")));
        texts.push(format!("SELECT name FROM {}", nested(count, "(SELECT name FROM ", "product", ")")));
        texts.push(format!("SELECT name FROM product WHERE {}", nested(count, "NOT ", "price > 1", "")));
        texts.push(format!(
            "SELECT name FROM product WHERE {}",
            nested(count, "name IN (SELECT name FROM product WHERE ", "price > 1", ")")
        ));
        let joined = "p.name IN (SELECT p.name FROM product p JOIN product q ON p.name = q.name WHERE ";
        texts.push(format!("SELECT name FROM product p WHERE {}", nested(count, joined, "p.price > 1", ")")));
        // A reply that was cut.
        texts.push(format!("SELECT name FROM product p WHERE {}", joined.repeat(count)));
    }
    on_a_small_stack(|| {
        for sql in texts {
            match shop.plan(&sql) {
                Ok(plan) => assert!(plan.sparql().starts_with("SELECT"), "{sql:.80}"),
                Err(error) => assert!(!error.to_string().is_empty(), "{sql:.80}"),
            }
        }
    });
}

/// A small model repeated itself until its reply was cut. The parser looks at the remaining stack
/// in some of its functions only, so the reply is read on stacks of many sizes.
#[test]
fn a_reply_that_repeats_itself_is_refused_on_any_stack() {
    let sql = "SELECT hive FROM hives WHERE htype.name = 'TOPBAR' AND hive IN (".to_owned()
        + &"SELECT hive FROM hives WHERE hive IN (".repeat(28)
        + "SELECT hive FROM hives";
    for more in 0..128 {
        let read = || read_sql(&sql, None).is_err();
        let stack = (512 << 10) + more * (4 << 10);
        let refused = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, read).unwrap();
            thread.join().unwrap()
        });
        assert!(refused);
    }
}

/// Functions that repeat their argument, nested: the text is short, but its expansion is not.
#[tokio::test]
async fn what_is_said_again_and_again_ends() {
    let shop = Shop::open().await.unwrap();
    let mut with = String::from("WITH c0 AS (SELECT name FROM product)");
    for at in 1..30 {
        let before = at - 1;
        with.push_str(&format!(", c{at} AS (SELECT a.name FROM c{before} a, c{before} b)"));
    }
    let case = |inner: String, _| format!("CASE {inner} WHEN 1 THEN 2 WHEN 3 THEN 4 WHEN 5 THEN 6 END");
    let texts = [
        format!("{with} SELECT COUNT(*) FROM c29"),
        format!("SELECT {}", nested(20, "(", "price", " BETWEEN 1 AND 2)")) + " FROM product",
        format!("SELECT price{} FROM product", " BETWEEN 1 AND 2".repeat(40)),
        format!("SELECT price{} FROM product", " IS NULL".repeat(40)),
        format!("SELECT price{} FROM product", " IS NOT TRUE".repeat(40)),
        format!("SELECT {} FROM product", (0..20).fold("price".to_owned(), case)),
        format!("SELECT {} FROM product", nested(20, "julianday(", "launched", ")")),
        format!("SELECT {} FROM product", nested(20, "NULLIF(", "price", ", 1)")),
        format!("SELECT {} FROM product", nested(20, "ROUND(", "price", ", 2)")),
        format!("SELECT {} FROM product", nested(20, "(1 / ", "price", ")")),
    ];
    for sql in texts {
        match shop.plan(&sql) {
            Ok(plan) => assert!(plan.sparql().len() < 64 << 10, "{sql:.80}"),
            Err(error) => assert!(error.to_string().ends_with("ask for less at once"), "{sql:.80}: {error}"),
        }
    }
}

#[tokio::test]
async fn a_plan_that_would_run_for_hours_ends_and_says_so() {
    let mut turtle = String::from(":Thing rdfs:label \"thing\" .\n");
    for at in 0..2_000 {
        turtle.push_str(&format!(":t{at} a :Thing ; rdfs:label \"thing {at}\" ; :size {at} .\n"));
    }
    let shop = graph(&turtle).await;
    let limits = RunLimits { time: Duration::from_millis(300), ..RunLimits::default() };
    for sql in [
        "SELECT COUNT(*) FROM thing a, thing b, thing c, thing d",
        "SELECT a.name FROM thing a, thing b, thing c, thing d WHERE a.size + b.size + c.size = d.size - 9000",
        "SELECT a.name, b.name FROM thing a, thing b ORDER BY a.size - b.size",
    ] {
        let plan = plan(&shop.bound(sql).unwrap().query, &shop.tables).unwrap();
        let error = run(&shop.workspace, &plan, &limits).await.unwrap_err();
        assert!(is_too_much(&error) && error.is_of_the_text(), "{sql}: {error}");
        let said = error.to_string();
        assert!(said.contains("longer than 0.3 s") || said.contains("MiB of solutions"), "{sql}: {said}");
    }
    let tight = RunLimits { memory: 1 << 20, ..RunLimits::default() };
    let sql = "SELECT a.name, b.name FROM thing a, thing b ORDER BY a.size - b.size";
    let plan = plan(&shop.bound(sql).unwrap().query, &shop.tables).unwrap();
    let error = run(&shop.workspace, &plan, &tight).await.unwrap_err();
    assert!(is_too_much(&error) && error.to_string().contains("1 MiB"), "{error}");
}

#[tokio::test]
async fn more_rows_than_are_wanted_are_told() {
    let shop = Shop::open().await.unwrap();
    let limits = RunLimits { rows: 2, ..RunLimits::default() };
    let rows = run(&shop.workspace, &shop.plan("SELECT name FROM product").unwrap(), &limits).await.unwrap();
    assert_eq!((rows.rows.len(), rows.more), (2, true));
    let rows = run(&shop.workspace, &shop.plan("SELECT name FROM city").unwrap(), &limits).await.unwrap();
    assert_eq!((rows.rows.len(), rows.more), (2, false));
}

const NO_PART_OF_STAR: &str =
    "ILIKE, EXCLUDE, EXCEPT, REPLACE, RENAME and AS behind * are not read; name the columns";

#[test]
fn what_is_not_read_is_named() {
    for (sql, reason) in [
        (
            "SELECT name, ROW_NUMBER() OVER (ORDER BY price) FROM product",
            "ROW_NUMBER() OVER … is not read; use GROUP BY, or ORDER BY with LIMIT",
        ),
        (
            "SELECT RANK() OVER w FROM product WINDOW w AS (ORDER BY price)",
            "SELECT INTO, QUALIFY, LATERAL VIEW, CONNECT BY and WINDOW are not read",
        ),
        (
            "WITH RECURSIVE up AS (SELECT 1 UNION SELECT 2 FROM up) SELECT * FROM up",
            "WITH RECURSIVE is not read; name the steps one by one",
        ),
        (
            "SELECT name FROM product RIGHT JOIN supplier ON TRUE",
            "RIGHT and FULL JOIN are not read; write LEFT JOIN with the tables in the other order",
        ),
        ("SELECT name FROM product NATURAL JOIN supplier", "NATURAL JOIN is not read; write ON"),
        (
            "SELECT a.name FROM product a LEFT JOIN (supplier b JOIN city c ON b.based_in = c.name) ON TRUE",
            "a join in brackets behind LEFT JOIN is not read; write it as a SELECT in brackets",
        ),
        ("SELECT DISTINCT ON (name) name FROM product", "DISTINCT ON is not read; use GROUP BY"),
        ("SELECT TOP 3 name FROM product", "TOP is not read; write LIMIT at the end"),
        ("SELECT name FROM product LIMIT -1", "LIMIT and OFFSET take whole numbers, not -1"),
        ("SELECT name FROM product LIMIT 1.5", "LIMIT and OFFSET take whole numbers, not 1.5"),
        ("SELECT name FROM product LIMIT price", "LIMIT and OFFSET take whole numbers, not price"),
        ("SELECT load_extension('x') FROM product", "the function LOAD_EXTENSION is not read"),
        ("SELECT price % 2 FROM product", "the operator % is not read"),
        ("SELECT SUM(*) FROM product", "SUM(*) is not read; name a column"),
        (
            "SELECT * FROM generate_series(1, 9)",
            "FROM takes tables and SELECTs in brackets; table functions and LATERAL are not read",
        ),
        (
            "SELECT COUNT(*) FILTER (WHERE price > 1) FROM product",
            "FILTER and WITHIN GROUP behind COUNT are not read; use CASE",
        ),
        ("SELECT name FROM product GROUP BY ROLLUP(name)", "this part of the SQL is not read: ROLLUP (name)"),
        ("SELECT CEIL(price, 2) FROM product", "CEIL and FLOOR take a number alone"),
        (
            "SELECT name FROM product WHERE name LIKE '%50\\%%' ESCAPE '\\'",
            "the ESCAPE '\\' in LIKE is not read; write = with the whole text",
        ),
        (
            "SELECT name FROM product WHERE name NOT LIKE ANY ('a%', 'b%')",
            "NOT LIKE ANY is not read; write NOT LIKE with AND",
        ),
        (
            "SELECT name FROM product INTERSECT ALL SELECT name FROM city",
            "INTERSECT ALL and EXCEPT ALL are not read; without ALL each row is given once",
        ),
        (
            "SELECT name FROM product EXCEPT ALL SELECT name FROM city",
            "INTERSECT ALL and EXCEPT ALL are not read; without ALL each row is given once",
        ),
        (
            "SELECT name FROM product UNION BY NAME SELECT name FROM city",
            "BY NAME is not read; name the columns of both queries in one order",
        ),
        (
            "SELECT name FROM product ORDER BY price NULLS FIRST",
            "NULLS FIRST is not read; ask for rows without a value by IS NULL",
        ),
        ("SELECT * EXCLUDE (price) FROM product", NO_PART_OF_STAR),
        ("SELECT * EXCEPT (price) FROM product", NO_PART_OF_STAR),
        ("SELECT product.* REPLACE (price * 2 AS price) FROM product", NO_PART_OF_STAR),
        ("SELECT * RENAME (price AS cost) FROM product", NO_PART_OF_STAR),
        (
            "SELECT name FROM product TABLESAMPLE BERNOULLI (10)",
            "TABLESAMPLE is not read; all rows are, or LIMIT of them",
        ),
        (
            "SELECT t.name FROM (SELECT name FROM product) AS t TABLESAMPLE BERNOULLI (10)",
            "TABLESAMPLE is not read; all rows are, or LIMIT of them",
        ),
        (
            "SELECT name FROM product ORDER BY name COLLATE BINARY",
            "COLLATE BINARY is not read: texts are compared without case",
        ),
        (
            "SELECT name FROM product WHERE launched AT TIME ZONE 'America/Lima' > '2020-01-01'",
            "AT TIME ZONE 'America/Lima' is not read: times are those that the graph states",
        ),
        (
            "SELECT name FROM product FETCH FIRST 3 ROWS WITH TIES",
            "FETCH, FOR and pipes are not read; write LIMIT",
        ),
        (
            "SELECT name FROM product QUALIFY ROW_NUMBER() OVER (ORDER BY price) = 1",
            "SELECT INTO, QUALIFY, LATERAL VIEW, CONNECT BY and WINDOW are not read",
        ),
        (
            "SELECT name FROM product GROUP BY name WITH ROLLUP",
            "GROUP BY takes columns; ALL, ROLLUP and CUBE are not read",
        ),
        ("SELECT name FROM product GROUP BY CUBE(name)", "this part of the SQL is not read: CUBE (name)"),
        (
            "SELECT name FROM product GROUP BY ALL",
            "GROUP BY takes columns; ALL, ROLLUP and CUBE are not read",
        ),
        (
            "SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY price) FROM product",
            "FILTER and WITHIN GROUP behind PERCENTILE_CONT are not read; use CASE",
        ),
        (
            "SELECT s.name FROM supplier s, LATERAL (SELECT name FROM product) p",
            "FROM takes tables and SELECTs in brackets; table functions and LATERAL are not read",
        ),
        (
            "SELECT * FROM product PIVOT (SUM(price) FOR supplier IN ('Acme'))",
            "PIVOT and UNPIVOT are not read; use GROUP BY with CASE",
        ),
        ("SELECT name FROM product LIMIT 2 BY name", "LIMIT … BY is not read"),
        ("SELECT name FROM product PREWHERE price > 1", "PREWHERE is not read; write WHERE"),
        ("SELECT name FROM product SETTINGS a = 1", "SETTINGS and FORMAT are not read; end with LIMIT"),
        ("SELECT COUNT(name, price) FROM product", "COUNT takes one column, not 2"),
        ("SELECT COUNT(DISTINCT name, price) FROM product", "COUNT takes one column, not 2"),
        ("SELECT SUM(price, 2) FROM product", "SUM takes one column, not 2"),
        ("SELECT UPPER(DISTINCT name) FROM product", "DISTINCT in UPPER is not read; write SELECT DISTINCT"),
        ("SELECT ABS(*) FROM product", "ABS(*) is not read; name a column"),
        ("SELECT TRIM(name, 'x') FROM product", "this part of the SQL is not read: TRIM(name, 'x')"),
        ("SELECT YEAR(launched, 1) FROM product", "YEAR takes at most 1 value, not 2"),
        (
            "SELECT ARRAY_AGG(name LIMIT 3) FROM product",
            "LIMIT 3 in ARRAY_AGG is not read; use WHERE, or CASE",
        ),
        (
            "SELECT CAST(price AS BOOLEAN) FROM product",
            "CAST to BOOLEAN is not read; to a number, a date or a text is",
        ),
        (
            "SELECT CAST(launched AS TEXT FORMAT 'YYYY') FROM product",
            "this part of the SQL is not read: CAST(launched AS TEXT FORMAT 'YYYY')",
        ),
        ("SELECT name FROM product WHERE price <=> NULL", "the operator <=> is not read"),
        ("SELECT JSON '{}' FROM product", "this value is not read: JSON '{}'"),
        (
            "SELECT a FROM product AS p (a, b)",
            "names of columns behind a table's alias are not read; write AS behind each column",
        ),
        (
            "SELECT a FROM (SELECT name, price FROM product) AS p (a)",
            "p names 1 columns, and its SELECT gives others; write AS behind each column",
        ),
    ] {
        assert_eq!(refused(sql), reason, "{sql}");
    }
}

/// What a small model adds without changing the meaning is left out, and the remark says so.
#[tokio::test]
async fn what_changes_no_row_is_left_out_with_a_remark() {
    let shop = Shop::open().await.unwrap();
    let dear = ["Falcon Drill", "Otter Pump"];
    for (sql, expected, remark) in [
        (
            "SELECT name FROM product WHERE price > 100 ORDER BY name COLLATE NOCASE",
            &dear[..],
            "COLLATE NOCASE is how texts are compared anyway: left out",
        ),
        (
            "SELECT name FROM product WHERE price > 100 ORDER BY name NULLS LAST",
            &dear,
            "NULLS LAST has no effect, because rows without the value are not given: left out",
        ),
        (
            "SELECT name FROM product WHERE price > 100 FOR UPDATE",
            &dear,
            "FOR UPDATE and FOR SHARE change no rows: left out",
        ),
        (
            "SELECT name FROM product WHERE launched AT TIME ZONE 'UTC' > '2022-01-01'",
            &["Otter Pump"],
            "AT TIME ZONE 'UTC' changes no time: left out",
        ),
        (
            "SELECT name FROM product WITH (NOLOCK) WHERE price > 100",
            &dear,
            "hints behind a table change no rows: left out",
        ),
        (
            "SELECT GROUP_CONCAT(name SEPARATOR '; ') FROM city WHERE name = 'Lima'",
            &["Lima"],
            "SEPARATOR in GROUP_CONCAT, whose values stand behind commas: left out",
        ),
        (
            "SELECT STRING_AGG(name, '; ') FROM city WHERE name = 'Lima'",
            &["Lima"],
            "the text between the values of STRING_AGG, which is a comma: left out",
        ),
        ("SELECT COUNT(p.*) FROM product p", &["5"], "COUNT(p.*) counts rows, and p within it: left out"),
    ] {
        check(&shop, sql, expected).await;
        let mends = shop.bound(sql).unwrap().mends;
        assert!(mends.iter().any(|mend| mend.text == remark), "{sql}: {mends:?}");
    }
    // Also in a query within.
    let within = "SELECT code FROM supplier WHERE name IN (SELECT supplier FROM product FOR UPDATE)";
    assert!(!shop.bound(within).unwrap().mends.is_empty());
    // A sign that escapes nothing, and what is read in full, need no remark.
    for (sql, expected) in [
        ("SELECT name FROM product WHERE name LIKE '%pump' ESCAPE '!'", &["Otter Pump"][..]),
        ("SELECT name FROM product WHERE name LIKE ANY ('%pump', 'falcon%')", &dear),
        ("FROM city", &["Lima | 9751000", "Oslo | 709000"]),
        ("WITH t (a, b) AS (SELECT name, price FROM product) SELECT a FROM t WHERE b > 150", &["Otter Pump"]),
        (
            "SELECT t.a FROM (SELECT name FROM city UNION SELECT name FROM city) AS t (a) WHERE t.a = 'Lima'",
            &["Lima"],
        ),
        ("SELECT CAST(AVG(price) AS DECIMAL(10, 1)) FROM product", &["107.6"]),
        ("SELECT CAST(launched AS CHAR(4)) FROM product WHERE name = 'Otter Pump'", &["2022"]),
    ] {
        check(&shop, sql, expected).await;
        assert_eq!(shop.bound(sql).unwrap().mends, [], "{sql}");
    }
}

/// ORDER BY and GROUP BY name a column that there is, or are refused.
#[tokio::test]
async fn an_order_by_nothing_is_refused() {
    let shop = Shop::open().await.unwrap();
    let union = "SELECT name, code FROM supplier WHERE code <> 'B2' UNION SELECT name, based_in AS seat FROM supplier \
                 WHERE code = 'B2'";
    let up = ["Acme | A1", "Brix & Söhne | Lima", "Cova | C3"];
    for (order, expected) in [
        ("name", up),
        ("1", up),
        ("supplier.name", up),
        ("'name'", up),
        ("NAME DESC", ["Cova | C3", "Brix & Söhne | Lima", "Acme | A1"]),
        ("2", ["Acme | A1", "Cova | C3", "Brix & Söhne | Lima"]),
        ("code", ["Acme | A1", "Cova | C3", "Brix & Söhne | Lima"]),
        ("seat DESC", ["Brix & Söhne | Lima", "Cova | C3", "Acme | A1"]),
    ] {
        check(&shop, &format!("{union} ORDER BY {order}"), &expected).await;
    }
    check(&shop, "SELECT name AS who FROM supplier EXCEPT SELECT name FROM supplier WHERE code = 'B2' ORDER BY who DESC", &["Cova", "Acme"]).await;
    check(
        &shop,
        "SELECT name FROM supplier INTERSECT SELECT name FROM supplier WHERE code <> 'B2' ORDER BY 1 DESC",
        &["Cova", "Acme"],
    )
    .await;
    // By names, not by keys, which are in another order.
    let places = "SELECT name FROM vehicle WHERE load > 50 UNION SELECT name FROM city ORDER BY name";
    check(&shop, places, &["Lima", "Mule", "Oslo", "Ox", "Ram"]).await;
    // A column that another schema calls otherwise keeps its place.
    check(&shop, "SELECT product_name FROM product WHERE price > 150 UNION SELECT name FROM city ORDER BY product_name DESC", &["Otter Pump", "Oslo", "Lima"]).await;
    let refused = |sql: &str| shop.plan(sql).unwrap_err().to_string();
    for (order, reason) in [
        (
            "founded",
            "ORDER BY founded behind combined queries is not read: their rows have name, code; order by that",
        ),
        (
            "LENGTH(name)",
            "ORDER BY LENGTH(name) behind combined queries is not read: their rows have name, code; order by that",
        ),
        ("3", "ORDER BY 3: the query gives 2 columns, counted from 1"),
        ("0", "ORDER BY 0: the query gives 2 columns, counted from 1"),
    ] {
        assert_eq!(refused(&format!("{union} ORDER BY {order}")), reason);
    }
    assert_eq!(
        refused("SELECT name, price FROM product ORDER BY 5"),
        "ORDER BY 5: the query gives 2 columns, counted from 1"
    );
    assert_eq!(
        refused("SELECT name FROM product ORDER BY 0"),
        "ORDER BY 0: the query gives 1 column, counted from 1"
    );
    assert_eq!(
        refused("SELECT name FROM product ORDER BY 1.5"),
        "ORDER BY 1.5: the query gives 1 column, counted from 1"
    );
    assert_eq!(
        refused("SELECT COUNT(*) FROM product GROUP BY 2"),
        "GROUP BY 2: the query gives 1 column, counted from 1"
    );
    assert_eq!(refused("SELECT name FROM product ORDER BY NULL"), "ORDER BY takes a column, not NULL");
    check(&shop, "SELECT name, price FROM product ORDER BY 2 LIMIT 1", &["Owl Lamp | 30"]).await;
    let quoted = "SELECT name FROM product WHERE price > 0 ORDER BY 'price' LIMIT 1";
    check(&shop, quoted, &["Owl Lamp"]).await;
    let mends = shop.bound(quoted).unwrap().mends;
    assert!(mends.iter().any(|mend| mend.text == "ORDER BY 'price' means the column price"), "{mends:?}");
}
