//! Bells with their founders and towers: owners asked for by "whose", roles that only a comment
//! names, sums of what things have "together".

use crate::common::Shop;
use crate::common::checks::{doubts, faults, graph, weighed};
use crate::common::read;
use quipu_reading::{Nearness, role_not_given};

async fn bells() -> Shop {
    graph(
        ":nte rdfs:comment \"Strike note.\" . \
         :f1 a :Founder ; rdfs:label \"Anke Rohl\" . :f2 a :Founder ; rdfs:label \"Jobst Marr\" . \
         :t1 a :Tower ; rdfs:label \"St Olaf\" ; :town \"Varde\" . \
         :b1 a :Bell ; rdfs:label \"Great Maud\" ; :castBy :f1 ; :hangsIn :t1 ; :wgtKg 2100 ; :nte \"B flat\" . \
         :b2 a :Bell ; rdfs:label \"Vesper\" ; :castBy :f2 ; :hangsIn :t1 ; :wgtKg 340 ; :nte \"D\" .",
    )
    .await
}

#[tokio::test]
async fn whose_asks_for_the_owner() {
    let shop = bells().await;
    let owned =
        "SELECT bell.name FROM bell JOIN tower ON bell.hangs_in = tower.name WHERE tower.town = 'Varde'";
    let owner =
        "SELECT bell.cast_by FROM bell JOIN tower ON bell.hangs_in = tower.name WHERE tower.town = 'Varde'";
    let fault = "gives a thing for its owner";
    assert!(faults(&shop, "Whose bells hang in Varde?", owned).await.contains(&fault));
    assert!(!faults(&shop, "Whose bells hang in Varde?", owner).await.contains(&fault));
    assert!(!faults(&shop, "Which bells hang in Varde?", owned).await.contains(&fault));
}

#[tokio::test]
async fn a_comment_names_the_role_of_a_column() {
    let shop = bells().await;
    let note = read(&shop, "", "SELECT nte FROM bell WHERE name = 'Vesper'");
    let weight = read(&shop, "", "SELECT wgt_kg FROM bell WHERE name = 'Vesper'");
    let asked = "What is the strike note of Vesper?";
    assert_eq!(role_not_given(asked, &note.query, &shop.tables), None);
    assert!(role_not_given(asked, &weight.query, &shop.tables).is_some());
}

#[tokio::test]
async fn together_asks_for_a_sum() {
    let shop = bells().await;
    let sum = "SELECT SUM(wgt_kg) FROM bell WHERE hangs_in = 'St Olaf'";
    let asked = "How many kilograms do the bells of St Olaf weigh together?";
    let left = async |question: &str, sql: &str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.words().join(" ")
    };
    assert_eq!(left(asked, sum).await, "");
    assert!(doubts(&shop, asked, sum).await.is_empty());
    let each = "SELECT wgt_kg FROM bell WHERE hangs_in = 'St Olaf'";
    assert_eq!(left(asked, each).await, "together");
}
