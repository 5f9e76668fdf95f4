//! Gardens with their glasshouses, expeditions and botanists: what lies in what, who studied under
//! whom, deeds and relations that a reading leaves out, areas.

use crate::common::checks::{faults, graph, weighed};
use crate::common::{Shop, answers};
use quipu_reading::Nearness;

async fn gardens() -> Shop {
    graph(
        ":g1 a :Garden ; rdfs:label \"Marrow Hill Gardens\" ; :locatedIn :c1 . :c1 a :Country ; rdfs:label \"Ostland\" . \
         :h1 a :Glasshouse ; rdfs:label \"Nautilus Pavilion\" ; :locatedIn :g1 ; :floorAreaM2 2200 . \
         :h2 a :Glasshouse ; rdfs:label \"Monsoon House\" ; :locatedIn :g1 ; :floorAreaM2 900 . \
         :b1 a :Botanist ; rdfs:label \"Yolanda Voss\" ; :worksAt :g1 . \
         :b2 a :Botanist ; rdfs:label \"Mirela Oduya\" ; :studentOf :b1 ; :worksAt :g1 . \
         :b3 a :Botanist ; rdfs:label \"Ulrich Yeats\" ; :studentOf :b2 . \
         :x1 a :Expedition ; rdfs:label \"Amber Expedition\" ; :ledBy :b1 . \
         :s1 a :Species ; rdfs:label \"Velanthera aurea\" ; :discoveredBy :b1 ; :seenBy :b1, :b2 . \
         :a1 a :Article ; rdfs:label \"Notes on pollen\" ; :writtenBy :b1 .",
    )
    .await
}

#[tokio::test]
async fn what_a_thing_lies_in_is_not_what_lies_in_it() {
    let shop = gardens().await;
    let fault = "takes a relation from its other end";
    let within = "SELECT name FROM glasshouse WHERE located_in = 'Marrow Hill Gardens'";
    assert!(faults(&shop, "In which glasshouse is Marrow Hill Gardens?", within).await.contains(&fault));
    assert!(!faults(&shop, "Which glasshouses are in Marrow Hill Gardens?", within).await.contains(&fault));
    let around = "SELECT located_in FROM glasshouse WHERE name = 'Monsoon House'";
    assert!(!faults(&shop, "In which garden is the Monsoon House?", around).await.contains(&fault));
}

#[tokio::test]
async fn who_studied_under_whom() {
    let shop = gardens().await;
    let students = "SELECT name FROM botanist WHERE student_of = 'Yolanda Voss'";
    let teachers = "SELECT student_of FROM botanist WHERE name = 'Mirela Oduya'";
    assert_eq!(answers(&shop, "Who studied under Yolanda Voss?", students).await, ["Mirela Oduya"]);
    assert_eq!(answers(&shop, "Who did Mirela Oduya study under?", teachers).await, ["Yolanda Voss"]);
    // The model takes the other end.
    let turned = "SELECT student_of FROM botanist WHERE name = 'Yolanda Voss'";
    assert_eq!(answers(&shop, "Who are the pupils of Yolanda Voss?", turned).await, ["Mirela Oduya"]);
    let turned = "SELECT name FROM botanist WHERE student_of = 'Mirela Oduya'";
    assert_eq!(answers(&shop, "Who did Mirela Oduya study under?", turned).await, ["Yolanda Voss"]);
}

#[tokio::test]
async fn a_last_deed_is_a_step() {
    let shop = gardens().await;
    let step = "leaves out a step";
    let leader = "SELECT led_by FROM expedition WHERE name = 'Amber Expedition'";
    let employed = "By whom is the leader of the Amber Expedition employed?";
    assert!(faults(&shop, employed, leader).await.contains(&step));
    assert!(!faults(&shop, "By whom is the Amber Expedition led?", leader).await.contains(&step));
    assert!(!faults(&shop, "Who is the leader of the Amber Expedition?", leader).await.contains(&step));
}

#[tokio::test]
async fn two_relations_need_a_word_for_one() {
    let shop = gardens().await;
    let fault = "tells of no relation that is said";
    let of_the_discoverer = "SELECT article.name FROM article WHERE written_by IN \
                             (SELECT discovered_by FROM species WHERE name = 'Velanthera aurea')";
    let asks = async |question: &str| faults(&shop, question, of_the_discoverer).await.contains(&fault);
    assert!(asks("Which article describes Velanthera aurea?").await);
    assert!(!asks("Which article did the discoverer of Velanthera aurea publish?").await);
    assert!(!asks("Which article was written by who discovered Velanthera aurea?").await);
    let by_students = "SELECT species_seen_by.species FROM species_seen_by JOIN botanist ON \
                       species_seen_by.seen_by = botanist.name WHERE botanist.student_of = 'Yolanda Voss'";
    let asked = "What plants were found by students of Yolanda Voss?";
    assert!(!faults(&shop, asked, by_students).await.contains(&fault));
}

#[tokio::test]
async fn areas_are_said_in_words() {
    let shop = gardens().await;
    let area = "SELECT floor_area_m2 FROM glasshouse WHERE name = 'Monsoon House'";
    let left = async |question: &str| weighed(&shop, question, area, Nearness::default(), &[]).await.1.names;
    assert!(left("How many square metres does the Monsoon House have?").await.is_empty());
    assert_eq!(left("How many cubic feet does the Monsoon House have?").await, ["cubic", "feet"]);
}

#[tokio::test]
async fn a_last_verb_far_from_the_reading_is_another_deed() {
    let shop = gardens().await;
    let led = "SELECT name FROM expedition WHERE led_by = 'Yolanda Voss'";
    let fault = async |verb: &str, near: f64| {
        let asked = format!("Which expeditions did Yolanda Voss {verb}?");
        let near = Nearness { asked: [(verb.to_owned(), near)].into(), ..Nearness::default() };
        weighed(&shop, &asked, led, near, &[]).await.1.faults.contains(&"leaves out a deed")
    };
    assert!(fault("paint", 0.28).await);
    assert!(!fault("command", 0.44).await);
    assert!(!fault("lead", 0.28).await);
}
