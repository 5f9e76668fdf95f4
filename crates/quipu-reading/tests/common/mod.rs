//! Questions to the small shop of `quipu-query`'s tests, and to graphs of their own.
#![allow(dead_code, reason = "each file of tests uses its own part")]

pub mod checks;
#[path = "../../../quipu-query/tests/common/mod.rs"]
mod shop;

use quipu_query::{Bound, Found, RunLimits, plan, read_sql, run};
use quipu_reading::{bind_as_asked, mend_bound};
pub use shop::Shop;
use shop::line_of;

/// The query of a question, bound and mended.
pub fn read(shop: &Shop, question: &str, sql: &str) -> Bound {
    let query = read_sql(sql, None).unwrap();
    let mut bound = bind_as_asked(question, query, &shop.tables, &shop.values, &Found::default()).unwrap();
    mend_bound(question, &mut bound, &shop.tables).unwrap();
    bound
}

/// The reason why a question's query is refused, if it is.
pub fn refused(shop: &Shop, question: &str, sql: &str) -> Option<String> {
    let query = read_sql(sql, None).unwrap();
    let bound = bind_as_asked(question, query, &shop.tables, &shop.values, &Found::default());
    bound
        .and_then(|mut bound| mend_bound(question, &mut bound, &shop.tables))
        .err()
        .map(|error| error.to_string())
}

/// The first cells of a question's rows, in order.
pub async fn answers(shop: &Shop, question: &str, sql: &str) -> Vec<String> {
    let firsts = |row: String| row.split(" | ").next().unwrap_or_default().to_owned();
    asked_rows(shop, question, sql).await.into_iter().map(firsts).collect()
}

/// The rows of a question as lines, with ` | ` between cells; unordered ones are sorted.
pub async fn asked_rows(shop: &Shop, question: &str, sql: &str) -> Vec<String> {
    let plan = plan(&read(shop, question, sql).query, &shop.tables).unwrap();
    let rows = run(&shop.workspace, &plan, &RunLimits::default()).await.unwrap().rows;
    let mut lines: Vec<String> = rows.iter().map(|row| line_of(row)).collect();
    if !plan.ordered {
        lines.sort();
    }
    lines
}
