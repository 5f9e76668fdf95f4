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
    ] {
        assert_eq!(refused(sql), reason, "{sql}");
    }
}
