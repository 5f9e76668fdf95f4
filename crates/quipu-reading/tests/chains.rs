//! Relations of relations, and relations that a query takes from their other end.

use crate::common::Shop;
use crate::common::checks::{graph, weighed};
use quipu_reading::Nearness;

const LESS_OFTEN: &str = "takes a relation less often";
const OTHER_END: &str = "takes a relation from its other end";

async fn family() -> Shop {
    graph(
        ":ada a :Person ; rdfs:label \"Ada Lee\" ; :father :bo ; :spouse :cy ; :isTaughtBy :di ; :shirtNumber 7 . \
         :bo a :Person ; rdfs:label \"Bo Lee\" ; :father :di ; :shirtNumber 18 . \
         :di a :Person ; rdfs:label \"Di Lee\" ; :shirtNumber 18 . \
         :cy a :Person ; rdfs:label \"Cy Ray\" ; :shirtNumber 9 .",
    )
    .await
}

async fn has(family: &Shop, fault: &str, question: &str, sql: &str) -> bool {
    weighed(family, question, sql, Nearness::default(), &[]).await.1.faults.contains(&fault)
}

#[tokio::test]
async fn a_relation_of_a_relation_is_taken_twice() {
    let family = family().await;
    let question = "Who is the father of the father of Ada Lee?";
    let once = "SELECT father FROM person WHERE name = 'Ada Lee'";
    let known = "SELECT father FROM person WHERE name = 'Ada Lee' AND father IS NOT NULL";
    let other = "SELECT spouse FROM person WHERE name = 'Ada Lee'";
    for sql in [once, known, other] {
        assert!(has(&family, LESS_OFTEN, question, sql).await, "{sql}");
    }
    let within = "SELECT father FROM person WHERE name = (SELECT father FROM person WHERE name = 'Ada Lee')";
    let joined = "SELECT f.father FROM person p JOIN person f ON p.father = f.name WHERE p.name = 'Ada Lee'";
    for sql in [within, joined] {
        assert!(!has(&family, LESS_OFTEN, question, sql).await, "{sql}");
    }
    assert!(!has(&family, LESS_OFTEN, "Who is the father of Ada Lee?", once).await);
    let thrice = "Who is the father of father of the father of Ada Lee?";
    assert!(has(&family, LESS_OFTEN, thrice, within).await);
}

#[tokio::test]
async fn the_father_of_a_father_is_not_his_child() {
    let family = family().await;
    for (question, sql) in [
        ("Who is the father of Bo Lee?", "SELECT name FROM person WHERE father = 'Bo Lee'"),
        ("What is the shirt number of 18?", "SELECT name FROM person WHERE shirt_number = 18"),
        ("What is the shirt number of 18?", "SELECT COUNT(*) FROM person WHERE shirt_number = 18"),
        ("What is the is taught by of Di Lee?", "SELECT name FROM person WHERE is_taught_by = 'Di Lee'"),
        (
            "Who is the father of Bo Lee?",
            "SELECT child.spouse FROM person p JOIN person child ON p.name = child.father WHERE p.name = 'Bo Lee'",
        ),
    ] {
        assert!(has(&family, OTHER_END, question, sql).await, "{question} {sql}");
    }
    for (question, sql) in [
        ("Who is the father of Bo Lee?", "SELECT father FROM person WHERE name = 'Bo Lee'"),
        // Whose spouse is Ada is hers.
        ("Who is the spouse of Ada Lee?", "SELECT name FROM person WHERE spouse = 'Ada Lee'"),
        ("Who has the father Bo Lee?", "SELECT name FROM person WHERE father = 'Bo Lee'"),
        ("Who are people with the shirt number of 18?", "SELECT name FROM person WHERE shirt_number = 18"),
    ] {
        assert!(!has(&family, OTHER_END, question, sql).await, "{question} {sql}");
    }
}
