//! A maker's bills of material and stock, as an enterprise graph has them: nodes without names.

use crate::common::checks::{faults, graph};
use crate::common::{Shop, answers};

async fn maker() -> Shop {
    graph(
        ":m1 a :Supplier ; rdfs:label \"Moretti\" . :m2 a :Supplier ; rdfs:label \"Ulm Works\" . \
         :p1 a :Part ; rdfs:label \"Steel Arm\" ; :supplier :m1, :m2 ; :reliability 0.5 . \
         :p2 a :Part ; rdfs:label \"Brass Foot\" ; :supplier :m1 ; :reliability 0.9 . \
         :x1 a :Product ; rdfs:label \"Rook\" . :x2 a :Product ; rdfs:label \"Renew\" . \
         :b1 a :BomItem ; :product :x1 ; :part :p1 ; :quantity 4 . :b2 a :BomItem ; :product :x2 ; :part :p1 ; :quantity 2 . \
         :b3 a :BomItem ; :product :x1 ; :part :p2 ; :quantity 1 . \
         :w1 a :Warehouse ; rdfs:label \"North\" . :w2 a :Warehouse ; rdfs:label \"South\" . \
         :s1 a :StockRecord ; :product :x1 ; :storedAt :w1 ; :quantityOnHand 30 . \
         :s2 a :StockRecord ; :product :x1 ; :storedAt :w2 ; :quantityOnHand 12 .",
    )
    .await
}

#[tokio::test]
async fn an_average_counts_each_thing_once_beside_a_query_within() {
    let shop = maker().await;
    let joined = "SELECT AVG(part.reliability) FROM bom_item JOIN part ON bom_item.part = part.name \
                  WHERE part.name IN (SELECT part FROM part_supplier WHERE supplier = 'Moretti')";
    let asked = "What is the average reliability of the parts that we buy from Moretti?";
    assert_eq!(answers(&shop, asked, joined).await, ["0.7"]);
    let named = "What is the average reliability of the parts in the bom items of Moretti's parts?";
    assert_ne!(answers(&shop, named, joined).await, ["0.7"]);
}

#[tokio::test]
async fn units_in_stock_are_the_quantity_on_hand() {
    let shop = maker().await;
    let other = "adds up another measure";
    let on_hand = "SELECT SUM(quantity_on_hand) FROM stock_record WHERE product = 'Rook'";
    let asked = "How many units of the Rook do we have in stock over all warehouses?";
    assert!(!faults(&shop, asked, on_hand).await.contains(&other));
    assert_eq!(answers(&shop, asked, on_hand).await, ["42"]);
    let reliability = "SELECT SUM(reliability) FROM part WHERE name = 'Steel Arm'";
    assert!(faults(&shop, "How many drawers does the Steel Arm have?", reliability).await.contains(&other));
}

#[tokio::test]
async fn how_many_of_each_asks_for_a_number_of_each() {
    let shop = maker().await;
    let part = "leaves out a part";
    let parts = "SELECT part, quantity FROM bom_item WHERE product = 'Rook'";
    let asked = "Which parts go into the Rook and how many of each are needed?";
    assert!(!faults(&shop, asked, parts).await.contains(&part));
    let broken = "How many of the parts of the Rook are broken?";
    assert!(
        faults(&shop, broken, "SELECT COUNT(*) FROM bom_item WHERE product = 'Rook'").await.contains(&part)
    );
}
