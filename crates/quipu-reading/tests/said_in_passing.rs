//! Nouns of roles, counts of other kinds, values in other spellings: what people say that no column
//! is called by.

use crate::common::checks::{doubts, graph, weighed};
use crate::common::{Shop, answers};
use quipu_reading::Nearness;

/// A broadcaster: series with hosts and ratings, episodes, and the appointments of its studios.
async fn broadcaster() -> Shop {
    graph(
        ":p1 a :Person ; rdfs:label \"Ada Lund\" ; :born 1990 ; :spouse :p2 . \
         :p2 a :Person ; rdfs:label \"Bo Karl\" ; :born 1995 . \
         :p3 a :Person ; rdfs:label \"Cy Mott\" ; :born 1970 . \
         :s1 a :Series ; rdfs:label \"Cold Desk\" ; :host :p1 , :p3 ; :genre \"crime\" ; :inLanguage \"de\" ; \
             :ratingCount 900 ; :ratingValue 3.5 . \
         :s2 a :Series ; rdfs:label \"Two Shoes\" ; :host :p3 ; :genre \"food\" ; :inLanguage \"en\" ; \
             :ratingCount 20 ; :ratingValue 4.5 . \
         :e1 a :Episode ; rdfs:label \"Knees\" ; :partOf :s1 ; :duration \"PT1H\" ; :code \"K9\" ; :size 60 . \
         :e2 a :Episode ; rdfs:label \"Room 212\" ; :partOf :s1 ; :duration \"PT50M\" ; :code \"R5\" ; :size 50 . \
         :e3 a :Episode ; rdfs:label \"Salt\" ; :partOf :s2 ; :duration \"PT9M\" ; :code \"S1\" ; :size 9 . \
         :c1 a :Country ; rdfs:label \"Germany\" ; :population 80 . \
         :a1 a :Booking ; rdfs:label \"B1\" ; :status \"NOSHOW\" . :a2 a :Booking ; rdfs:label \"B2\" ; :status \"DONE\" .",
    )
    .await
}

async fn faults(shop: &Shop, question: &str, sql: &str) -> Vec<&'static str> {
    weighed(shop, question, sql, Nearness::default(), &[]).await.1.faults
}

#[tokio::test]
async fn a_noun_for_a_role_asks_for_those_who_have_it() {
    let shop = broadcaster().await;
    let young = "SELECT name FROM person WHERE born > 1980";
    assert_eq!(answers(&shop, "hosts born after 1980", young).await, ["Ada Lund"]);
    assert_eq!(answers(&shop, "people born after 1980", young).await, ["Ada Lund", "Bo Karl"]);
    let count = "SELECT COUNT(*) FROM person WHERE born > 1980";
    assert_eq!(answers(&shop, "How many hosts were born after 1980?", count).await, ["1"]);
}

#[tokio::test]
async fn a_persons_spouse_is_not_the_person() {
    let shop = broadcaster().await;
    let question = "When was Ada Lund's spouse born?";
    let stated = "SELECT born FROM person WHERE name = 'Ada Lund' AND spouse IS NOT NULL";
    assert!(faults(&shop, question, stated).await.contains(&"leaves out a step"));
    let left_out = "SELECT born FROM person WHERE name = 'Ada Lund'";
    assert!(faults(&shop, question, left_out).await.contains(&"leaves out a step"));
    let of_her = "SELECT born FROM person WHERE name = 'Bo Karl'";
    assert!(faults(&shop, "When was Bo Karl's mother born?", of_her).await.contains(&"leaves out a step"));
    let walked = "SELECT born FROM person WHERE name = (SELECT spouse FROM person WHERE name = 'Ada Lund')";
    assert!(!faults(&shop, question, walked).await.contains(&"leaves out a step"));
}

#[tokio::test]
async fn a_count_is_of_the_kind_that_the_question_counts() {
    let shop = broadcaster().await;
    let series = "SELECT genre, COUNT(*) FROM series GROUP BY genre";
    assert!(faults(&shop, "bookings per genre?", series).await.contains(&"counts another kind"));
    assert!(!faults(&shop, "series per genre?", series).await.contains(&"counts another kind"));
    let none = "SELECT COUNT(*) FROM series JOIN country ON series.in_language = country.name \
                WHERE country.name = 'Germany'";
    let found = faults(&shop, "How many series are in German?", none).await;
    assert!(found.contains(&"counts none by a join of unlike columns"), "{found:?}");
}

#[tokio::test]
async fn ratings_are_values_unless_they_are_counted() {
    let shop = broadcaster().await;
    let by_count = "SELECT name FROM series ORDER BY rating_count DESC LIMIT 1";
    assert_eq!(answers(&shop, "Which series has the best rating?", by_count).await, ["Two Shoes"]);
    assert_eq!(answers(&shop, "Which series has the most ratings?", by_count).await, ["Cold Desk"]);
    assert_eq!(
        answers(&shop, "Which series has the highest number of ratings?", by_count).await,
        ["Cold Desk"]
    );
}

#[tokio::test]
async fn texts_are_no_measures() {
    let shop = broadcaster().await;
    let question = "Which is the largest episode?";
    let by_text = "SELECT name FROM episode ORDER BY code DESC LIMIT 1";
    assert!(faults(&shop, question, by_text).await.contains(&"orders by no measure"));
    let by_number = "SELECT name FROM episode ORDER BY size DESC LIMIT 1";
    assert!(!faults(&shop, question, by_number).await.contains(&"orders by no measure"));
}

#[tokio::test]
async fn durations_are_numbers_of_minutes() {
    let shop = broadcaster().await;
    let longest = "SELECT name FROM episode ORDER BY duration DESC LIMIT 1";
    assert_eq!(answers(&shop, "What is the longest episode?", longest).await, ["Knees"]);
    let of_one = "SELECT duration_in_minutes FROM episode WHERE name = 'Knees'";
    assert_eq!(answers(&shop, "How many minutes does Knees last?", of_one).await, ["60"]);
    let sum = "SELECT SUM(duration) FROM episode WHERE part_of = 'Cold Desk'";
    assert_eq!(answers(&shop, "How many minutes do all episodes of Cold Desk last?", sum).await, ["110"]);
    let over = "SELECT name FROM episode WHERE duration > 20";
    assert_eq!(
        answers(&shop, "Which episodes are longer than 20 minutes?", over).await,
        ["Knees", "Room 212"]
    );
}

#[tokio::test]
async fn values_are_said_in_other_spellings() {
    let shop = broadcaster().await;
    let missed = "SELECT COUNT(*) FROM booking WHERE status = 'NOSHOW'";
    assert!(doubts(&shop, "How many bookings were no-shows?", missed).await.is_empty());
    let done = "SELECT COUNT(*) FROM booking WHERE status = 'DONE'";
    assert!(!doubts(&shop, "How many bookings were no-shows?", done).await.is_empty());
    let german = "SELECT COUNT(*) FROM series WHERE in_language = 'de'";
    assert!(!doubts(&shop, "How many series are in German?", german).await.contains(&"german".to_owned()));
}

#[tokio::test]
async fn words_that_ask_once_more_are_no_conditions() {
    let shop = broadcaster().await;
    let hosts = "SELECT host FROM series WHERE name = 'Cold Desk'";
    assert!(doubts(&shop, "Who hosts Cold Desk (hosts only)?", hosts).await.is_empty());
    let each = "SELECT part_of, SUM(duration) FROM episode GROUP BY part_of";
    let question = "For each series, how many minutes do its episodes last altogether?";
    assert!(!faults(&shop, question, each).await.contains(&"gives each for all"));
    let both = "SELECT name FROM series WHERE genre = 'crime'";
    assert!(!doubts(&shop, "Which series are both crime and comedy?", both).await.is_empty());
    let some = "SELECT name FROM series WHERE genre = 'crime'";
    assert!(doubts(&shop, "crime series, food series left out", some).await.contains(&"out".to_owned()));
}

#[tokio::test]
async fn a_denial_is_of_what_stands_behind_it() {
    let shop = broadcaster().await;
    let question = "Which hosts of Two Shoes were never a spouse?";
    let turned = "SELECT name FROM person WHERE name IN (SELECT spouse FROM person) AND name NOT IN \
                  (SELECT host FROM series WHERE name = 'Two Shoes')";
    assert!(faults(&shop, question, turned).await.contains(&"denies another thing"));
    let right = "SELECT name FROM person WHERE name NOT IN (SELECT spouse FROM person) AND name IN \
                 (SELECT host FROM series WHERE name = 'Two Shoes')";
    assert!(!faults(&shop, question, right).await.contains(&"denies another thing"));
}

#[tokio::test]
async fn one_group_for_one_value_is_no_answer_for_each() {
    let shop = broadcaster().await;
    let question = "For each of the hosts of Cold Desk, how many series do they host?";
    let one = "SELECT name, COUNT(*) FROM series WHERE name = 'Cold Desk' GROUP BY name";
    assert!(faults(&shop, question, one).await.contains(&"groups by one value"));
}

#[tokio::test]
async fn the_oldest_was_born_first_and_a_type_of_rock_is_a_rock_type() {
    let shop = graph(
        ":p1 a :Patient ; rdfs:label \"Ada Lund\" ; :regDt \"2010-01-01\"^^xsd:date ; :dob \"1990-01-01\"^^xsd:date . \
         :p2 a :Patient ; rdfs:label \"Bo Karl\" ; :regDt \"2020-01-01\"^^xsd:date ; :dob \"1950-01-01\"^^xsd:date . \
         :s1 a :Stone ; rdfs:label \"Dorna Green\" ; :rockType \"serpentinite\" ; :colour \"green\" . \
         :s2 a :Stone ; rdfs:label \"Rovara Gold\" ; :rockType \"gneiss\" ; :colour \"gold\" . \
         :w1 a :Sculpture ; rdfs:label \"Night\" ; :madeOf :s1 .",
    )
    .await;
    let by_registration = "SELECT name FROM patient ORDER BY reg_dt LIMIT 1";
    assert_eq!(answers(&shop, "Who is the oldest patient?", by_registration).await, ["Bo Karl"]);
    let stone = "SELECT stone.name FROM sculpture JOIN stone ON sculpture.made_of = stone.name \
                 WHERE sculpture.name = 'Night'";
    let question = "what type of rock was used for the sculpture Night";
    assert_eq!(answers(&shop, question, stone).await, ["serpentinite"]);
}

#[tokio::test]
async fn what_lies_below_a_thing_is_taken_in() {
    let shop = graph(
        ":d1 a :Department ; rdfs:label \"Hull\" . :d2 a :Department ; rdfs:label \"Plates\" ; :partOf :d1 . \
         :d3 a :Department ; rdfs:label \"Rivets\" ; :partOf :d2 . :d4 a :Department ; rdfs:label \"Sails\" . \
         :p1 a :Person ; rdfs:label \"Ann\" ; :worksIn :d1 . :p2 a :Person ; rdfs:label \"Bo\" ; :worksIn :d2 . \
         :p3 a :Person ; rdfs:label \"Cy\" ; :worksIn :d3 . :p4 a :Person ; rdfs:label \"Di\" ; :worksIn :d4 .",
    )
    .await;
    let direct = "SELECT COUNT(*) FROM person WHERE works_in = 'Hull'";
    let joined = "SELECT person.name FROM person JOIN department ON person.works_in = department.name \
                  WHERE department.name = 'Hull'";
    let asked = "How many people work in Hull, everything underneath it included?";
    assert_eq!(answers(&shop, asked, direct).await, ["3"]);
    let (_, found) = weighed(&shop, asked, direct, Nearness::default(), &[]).await;
    assert!(!found.names.contains(&"underneath".to_owned()), "{:?}", found.names);
    assert_eq!(answers(&shop, "How many people work in Hull?", direct).await, ["1"]);
    let named = "Who works in Hull, including all its subdepartments?";
    assert_eq!(answers(&shop, named, joined).await, ["Ann", "Bo", "Cy"]);
    let one_level = "SELECT name FROM department WHERE part_of = 'Hull'";
    let all = "Which departments are part of Hull, directly or indirectly?";
    assert_eq!(answers(&shop, "Which departments are part of Hull?", one_level).await, ["Plates"]);
    assert_eq!(answers(&shop, all, one_level).await, ["Plates", "Rivets"]);
    // What is above a thing is not taken in.
    let above = "SELECT part_of FROM department WHERE name = 'Rivets'";
    assert!(!doubts(&shop, "Of what is Rivets part, directly or indirectly?", above).await.is_empty());
    // Things that lie below nothing have no parts to take in.
    let people = "SELECT COUNT(*) FROM person WHERE name = 'Ann'";
    let left_out =
        doubts(&shop, "How many people are there with Ann, including everyone below her?", people).await;
    assert_eq!(left_out, ["her"]);
}
