//! A graph of polar research: peoples for countries, people by their birth, properties of leaders.

use crate::common::checks::{faults, graph, weighed};
use crate::common::{Shop, answers};
use quipu_reading::Nearness;

async fn polar() -> Shop {
    graph(
        ":no a :Country ; rdfs:label \"Norway\" . :us a :Country ; rdfs:label \"United States\" . \
         :i1 a :Institution ; rdfs:label \"American Polar Foundation\" ; :country :us . \
         :i2 a :Institution ; rdfs:label \"Ridge Institute\" ; :country :us . \
         :i3 a :Institution ; rdfs:label \"Fram Centre\" ; :country :no . \
         :s1 a :Station ; rdfs:label \"Skua\" ; :operatedBy :i1 . :s2 a :Station ; rdfs:label \"Tern\" ; :operatedBy :i2 . \
         :s3 a :Station ; rdfs:label \"Petrel\" ; :operatedBy :i3 . \
         :p1 a :Explorer ; rdfs:label \"Ada Holm\" ; :citizenship :no ; :wonPrize :z1 ; \
             :birthDate \"1850-02-01\"^^xsd:date ; :deathDate \"1930-02-01\"^^xsd:date . \
         :p2 a :Explorer ; rdfs:label \"Ben Ross\" ; :citizenship :us ; :wonPrize :z1 ; \
             :birthDate \"1890-02-01\"^^xsd:date ; :deathDate \"1912-02-01\"^^xsd:date . \
         :z1 a :Prize ; rdfs:label \"White Compass\" . \
         :e1 a :Expedition ; rdfs:label \"Holm Traverse\" ; :ledBy :p1 .",
    )
    .await
}

#[tokio::test]
async fn a_people_stands_for_its_country() {
    let shop = polar().await;
    let of = |word: &str| {
        format!(
            "SELECT station.name FROM station JOIN institution ON station.operated_by = institution.name \
             WHERE institution.country = '{word}'"
        )
    };
    let asked = "Which stations are run by Norwegian institutions?";
    assert_eq!(answers(&shop, asked, &of("Norwegian")).await, ["Petrel"]);
    let american = "Which stations do American institutions operate?";
    assert_eq!(answers(&shop, american, &of("American")).await, ["Skua", "Tern"]);
    assert!(faults(&shop, american, &of("United States")).await.is_empty());
    // One institution is not all of a country's, unless it is named.
    let one = "SELECT name FROM station WHERE operated_by = 'American Polar Foundation'";
    assert!(!faults(&shop, american, one).await.is_empty());
    let named = "Which stations does the American Polar Foundation operate?";
    assert!(faults(&shop, named, one).await.is_empty());
    let all = "SELECT name FROM station";
    let left_out = "leaves out a value of the graph";
    assert!(faults(&shop, "Norwegian stations", all).await.contains(&left_out));
    let mentioned = |question: &str| {
        let mentions = shop.values.mentions(question);
        mentions
            .into_iter()
            .flat_map(|mention| mention.matches)
            .flat_map(|found| found.shown)
            .collect::<Vec<_>>()
    };
    assert_eq!(mentioned("Which Americans won a prize?"), ["United States"]);
    // With the next word it is part of a name.
    assert_eq!(mentioned("Which stations are of the American foundation?"), [""; 0]);
}

#[tokio::test]
async fn the_youngest_winner_was_born_last() {
    let shop = polar().await;
    let by_death = "SELECT explorer.name FROM explorer WHERE won_prize = 'White Compass' \
                    ORDER BY death_date DESC LIMIT 1";
    let asked = "Who is the youngest winner of the White Compass?";
    assert_eq!(answers(&shop, asked, by_death).await, ["Ben Ross"]);
    assert_eq!(answers(&shop, "Who is the last explorer to die?", by_death).await, ["Ada Holm"]);
}

#[tokio::test]
async fn a_leaders_nationality_is_not_the_leader() {
    let shop = polar().await;
    let leader = "SELECT led_by FROM expedition WHERE name = 'Holm Traverse'";
    let of = |question: &'static str, word: &str| {
        let near = Nearness { asked: [(word.to_owned(), 0.2)].into(), ..Nearness::default() };
        weighed(&shop, question, leader, near, &[])
    };
    let other = "asks for another kind";
    let asked = "What nationality was the leader of the Holm Traverse?";
    assert!(of(asked, "nationality").await.1.checks.contains(&other));
    let asked = "Which explorer led the Holm Traverse?";
    assert!(!of(asked, "explorer").await.1.checks.contains(&other));
}
