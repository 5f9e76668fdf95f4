//! Groups, their extremes, and calculations with the results of a query within.
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
use common::checks::check;

#[tokio::test]
pub async fn numbers_of_a_query_within_are_compared_as_numbers() {
    let shop = Shop::open().await.unwrap();
    let loads = "SELECT SUM(load) AS total FROM vehicle GROUP BY name";
    check(&shop, &format!("SELECT MAX(total) FROM ({loads})"), &["1100"]).await;
    check(&shop, &format!("SELECT MIN(total) FROM ({loads})"), &["20"]).await;
    let heaviest = format!(
        "SELECT name FROM vehicle GROUP BY name HAVING SUM(load) = (SELECT MAX(total) FROM ({loads}))"
    );
    check(&shop, &heaviest, &["Ram"]).await;
}

#[tokio::test]
pub async fn a_date_less_a_date_is_a_number_of_days() {
    let shop = Shop::open().await.unwrap();
    let sql = "SELECT late.launched - early.launched FROM product late, product early \
               WHERE late.name = 'Otter Pump' AND early.name = 'Heron Sander'";
    check(&shop, sql, &["442"]).await;
    let sql = "SELECT late.name FROM product late, product early \
               WHERE early.name = 'Heron Sander' AND late.launched - early.launched > 400";
    check(&shop, sql, &["Otter Pump"]).await;
}

#[tokio::test]
pub async fn a_span_before_or_after_a_column_is_compared() {
    let shop = Shop::open().await.unwrap();
    let pairs = |condition: &str| {
        format!(
            "SELECT late.name FROM product late, product early \
             WHERE early.name = 'Heron Sander' AND late.name <> 'Heron Sander' AND {condition}"
        )
    };
    // The sander came on 15 November 2020, the drill on 1 March 2021, a lamp on 9 July.
    for (condition, expected) in [
        ("late.launched <= early.launched + INTERVAL 1 YEAR", &["Falcon Drill", "Owl Lamp"][..]),
        ("late.launched <= early.launched + INTERVAL '4 months'", &["Falcon Drill"]),
        ("late.launched < DATE_ADD(early.launched, INTERVAL 106 DAY)", &[]),
        ("late.launched <= DATE_ADD(early.launched, INTERVAL 106 DAY)", &["Falcon Drill"]),
        ("early.launched > DATE_SUB(late.launched, INTERVAL 6 MONTH)", &["Falcon Drill"]),
    ] {
        check(&shop, &pairs(condition), expected).await;
    }
    // As it is written for a reader, it can be read again.
    let sql = pairs("late.launched <= early.launched + INTERVAL '4 months'");
    let shown = shop.bound(&sql).unwrap().query;
    check(&shop, &shown.to_string(), &["Falcon Drill"]).await;
    let said = quipu_query::say(&shown, &shop.tables);
    assert!(said.contains("is at most 4 months after the launched of"), "{said}");
    for span in ["'1 month 3 days'", "'5 hours'"] {
        let error = shop.plan(&pairs(&format!("late.launched < early.launched + INTERVAL {span}")));
        let error = error.unwrap_err().to_string();
        assert!(error.contains("in months or in days") || error.contains("not read"), "{span}: {error}");
    }
    let alone = shop.plan("SELECT launched + INTERVAL 1 YEAR FROM product").unwrap_err().to_string();
    assert!(alone.contains("stands in a comparison only"), "{alone}");
}

#[tokio::test]
pub async fn groups_under_a_condition_give_the_other_columns_of_their_row() {
    let shop = Shop::open().await.unwrap();
    let join = "product JOIN supplier ON product.supplier = supplier.name";
    let by_name = format!(
        "SELECT supplier.name, supplier.code FROM {join} GROUP BY supplier.name HAVING COUNT(*) >= 2"
    );
    check(&shop, &by_name, &["Acme | A1", "Brix & Söhne | B2"]).await;
    let by_reference =
        format!("SELECT supplier.code FROM {join} GROUP BY product.supplier HAVING COUNT(*) > 1");
    check(&shop, &by_reference, &["A1", "B2"]).await;
    let unconditioned = format!("SELECT supplier.code FROM {join} GROUP BY product.supplier");
    check(&shop, &unconditioned, &["A1", "B2", "C3"]).await;
    let refused = shop.bound("SELECT name FROM product GROUP BY supplier HAVING COUNT(*) > 1").unwrap_err();
    assert!(refused.to_string().contains("name is in no group"), "{refused}");
}

#[tokio::test]
pub async fn a_name_beside_the_extreme_of_a_group_is_that_of_the_extreme_row() {
    let shop = Shop::open().await.unwrap();
    let dearest = "SELECT supplier, name, MAX(price) FROM product GROUP BY supplier";
    let expected = ["Acme | Falcon Drill | 120", "Brix & Söhne | Otter Pump | 200.5"];
    check(&shop, dearest, &expected).await;
    let cheapest = "SELECT supplier, name, MIN(price) FROM product WHERE launched > '2021-01-01' \
                    GROUP BY supplier ORDER BY MIN(price)";
    check(&shop, cheapest, &["Brix & Söhne | Owl Lamp | 30", "Acme | Falcon Drill | 120"]).await;
    // The group is the name itself: nothing is to be found.
    let own = "SELECT name, MAX(price) FROM product WHERE price > 100 GROUP BY name";
    check(&shop, own, &["Falcon Drill | 120", "Otter Pump | 200.5"]).await;
}
