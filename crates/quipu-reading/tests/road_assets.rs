//! A county's road assets, jobs and inspections: kinds of two words, groups said with "by", owners
//! asked for with "whose", and "at least one", which every join demands.

use crate::common::checks::{doubts, faults, graph};
use crate::common::{Shop, asked_rows};

async fn county() -> Shop {
    graph(
        ":RoadSection rdfs:subClassOf :Asset ; rdfs:label \"road section\" . \
         :Bridge rdfs:subClassOf :Asset ; rdfs:label \"bridge\" . \
         :d1 a :District ; rdfs:label \"Eastvale\" . :d2 a :District ; rdfs:label \"Westmoor\" . \
         :r1 a :RoadSection, :Asset ; rdfs:label \"Mill Road 1\" ; :inDistrict :d1 . \
         :r2 a :RoadSection, :Asset ; rdfs:label \"Kiln Way 2\" ; :inDistrict :d2 . \
         :b1 a :Bridge, :Asset ; rdfs:label \"Heron Bridge\" ; :inDistrict :d1 ; :carries :r1 . \
         :j1 a :Job ; rdfs:label \"J1\" ; :concerns :r1 ; :hours 2 . :j2 a :Job ; rdfs:label \"J2\" ; :concerns :r1 ; :hours 4 . \
         :j3 a :Job ; rdfs:label \"J3\" ; :concerns :b1 ; :hours 6 . :j4 a :Job ; rdfs:label \"J4\" ; :concerns :b1 ; :hours 8 . \
         :p1 a :Inspector ; rdfs:label \"Yusuf\" . :p2 a :Inspector ; rdfs:label \"Ingrid\" . \
         :i1 a :Inspection ; rdfs:label \"I1\" ; :carriedOutBy :p1 . :i2 a :Inspection ; rdfs:label \"I2\" ; :carriedOutBy :p2 . \
         :f1 a :Defect ; rdfs:label \"F1\" ; :foundDuring :i1 . :f2 a :Defect ; rdfs:label \"F2\" ; :foundDuring :i1 .",
    )
    .await
}

#[tokio::test]
async fn a_kind_of_two_words_is_asked_for_in_groups_too() {
    let shop = county().await;
    let grouped = "SELECT concerns, COUNT(*) FROM job GROUP BY concerns HAVING COUNT(*) >= 2";
    let sections =
        asked_rows(&shop, "Which road sections have two or more jobs, and how many?", grouped).await;
    assert_eq!(sections, ["Mill Road 1 | 2"]);
    assert_eq!(
        asked_rows(&shop, "Which assets have two or more jobs, and how many?", grouped).await.len(),
        2
    );
}

#[tokio::test]
async fn a_group_said_with_by_is_no_average_of_all() {
    let shop = county().await;
    let all = "SELECT AVG(hours) FROM job";
    assert_eq!(
        doubts(&shop, "How many hours does a job take on average, by district?", all).await,
        ["district"]
    );
    assert!(doubts(&shop, "How many hours does a job take on average?", all).await.is_empty());
    let grouped = "SELECT asset.in_district, AVG(job.hours) FROM job JOIN asset ON job.concerns = asset.name \
                   GROUP BY asset.in_district";
    let first = "By district, how many hours does a job take on average?";
    assert!(doubts(&shop, first, grouped).await.is_empty());
    assert_eq!(doubts(&shop, first, all).await, ["district"]);
}

#[tokio::test]
async fn whose_asks_for_the_owner() {
    let shop = county().await;
    let asked = "Whose inspections found the most defects?";
    let fault = "gives a thing for its owner";
    let inspections =
        "SELECT found_during, COUNT(*) FROM defect GROUP BY found_during ORDER BY COUNT(*) DESC LIMIT 1";
    assert!(faults(&shop, asked, inspections).await.contains(&fault));
    let people = "SELECT inspection.carried_out_by, COUNT(*) FROM defect JOIN inspection ON \
                  defect.found_during = inspection.name GROUP BY inspection.carried_out_by \
                  ORDER BY COUNT(*) DESC LIMIT 1";
    assert!(!faults(&shop, asked, people).await.contains(&fault));
}

#[tokio::test]
async fn at_least_one_is_what_a_join_demands() {
    let shop = county().await;
    let carried = "SELECT name FROM asset WHERE name IN (SELECT carries FROM asset WHERE kind = 'bridge')";
    let asked = "Which assets are carried by at least one bridge?";
    assert!(doubts(&shop, asked, carried).await.is_empty());
    assert!(!doubts(&shop, "Which assets are carried by at least two bridges?", carried).await.is_empty());
}
