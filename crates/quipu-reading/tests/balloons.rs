//! Questions about balloons and their races: nouns that stand in names, and years of races.
#![allow(clippy::unwrap_used, reason = "set-up of tests")]

use crate::common::checks::{graph, weighed};
use crate::common::{Shop, answers};
use quipu_reading::Nearness;

async fn races() -> Shop {
    graph(
        ":l a :Maker ; rdfs:label \"Lumen Balloons\" . :d a :Maker ; rdfs:label \"Dovetail Balloons\" .
         :w a :Balloon ; rdfs:label \"Amber Moth\" ; :builtBy :l ; :volume 900 .
         :x a :Balloon ; rdfs:label \"Lazy Swan\" ; :builtBy :d ; :volume 1900 .
         :r1 a :Race ; rdfs:label \"Amber Trophy 1985\" ; :wonBy :p . :r2 a :Race ; rdfs:label \"Amber Trophy 1986\" ; :wonBy :q .
         :r3 a :Race ; rdfs:label \"1990 Border Dash\" ; :wonBy :q .
         :p a :Pilot ; rdfs:label \"Ada Kolbe\" ; :birthYear 1950 . :q a :Pilot ; rdfs:label \"Nils Rasmus\" ; :birthYear 1941 .",
    )
    .await
}

const NOUN: &str = "takes a noun for a name";

#[tokio::test]
async fn a_noun_is_not_taken_for_names_that_end_with_it() {
    let races = races().await;
    let sql = "SELECT name FROM balloon WHERE built_by = 'Lumen Balloons' ORDER BY volume DESC LIMIT 1";
    let faults = async |question: &str, sql: &str| {
        weighed(&races, question, sql, Nearness::default(), &[]).await.1.faults
    };
    assert!(faults("What's the biggest balloon, by volume?", sql).await.contains(&NOUN));
    assert!(!faults("What's the biggest balloon of Lumen Balloons, by volume?", sql).await.contains(&NOUN));
    assert!(!faults("What's the biggest balloon by Lumen?", sql).await.contains(&NOUN));
}

#[tokio::test]
async fn a_race_is_named_with_its_year_before_or_behind() {
    let races = races().await;
    let of = |name: &str| format!("SELECT won_by FROM race WHERE name = '{name}'");
    for (question, name, winner) in [
        ("Who won the 1985 Amber Trophy?", "1985 Amber Trophy", "Ada Kolbe"),
        ("Who won the '86 Amber Trophy?", "Amber Trophy 1986", "Nils Rasmus"),
        ("Who won the Border Dash 1990?", "Border Dash 1990", "Nils Rasmus"),
    ] {
        assert_eq!(answers(&races, question, &of(name)).await, [winner], "{question}");
    }
    let mentioned = |question: &str| {
        let mentions = races.values.mentions(question);
        mentions.iter().flat_map(|of| &of.matches).flat_map(|of| of.shown.clone()).collect::<Vec<_>>()
    };
    assert_eq!(mentioned("Who won the '86 Amber Trophy?"), ["Amber Trophy 1986"]);
    assert!(!mentioned("Who won Amber Trophy 86?").contains(&"Amber Trophy 1986".to_owned()));
}

#[tokio::test]
async fn short_years_and_just_the_year_leave_nothing_out() {
    let races = races().await;
    let sql = "SELECT pilot.birth_year FROM race JOIN pilot ON race.won_by = pilot.name \
               WHERE race.name = 'Amber Trophy 1986'";
    let left_out = async |question: &str| {
        let (_, unexplained) = weighed(&races, question, sql, Nearness::default(), &[]).await;
        unexplained.words().into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    let question = "When was the winner of the '86 Amber Trophy born? just the year";
    for word in ["86", "just"] {
        let left = left_out(question).await;
        assert!(!left.iter().any(|left| left == word), "{left:?}");
    }
    let only = left_out("When was the only winner of the '85 Amber Trophy born?").await;
    assert!(only.iter().any(|left| left == "85") && only.iter().any(|left| left == "only"), "{only:?}");
}

/// A tea with two prizes is one of the teas that have won at least one.
#[tokio::test]
async fn things_with_several_links_are_counted_once() {
    let teas = graph(
        ":a a :Tea ; rdfs:label \"Amber Rain\" ; :style \"green\" ; :wonAward :p, :q .
         :b a :Tea ; rdfs:label \"Blue Cup\" ; :style \"green\" ; :wonAward :p .
         :c a :Tea ; rdfs:label \"Calm Vigil\" ; :style \"black\" ; :wonAward :q .
         :p a :Award ; rdfs:label \"Golden Spout\" . :q a :Award ; rdfs:label \"Silver Leaf\" .",
    )
    .await;
    let sql = "SELECT COUNT(*) FROM tea_won_award WHERE tea IN (SELECT name FROM tea WHERE style = 'green')";
    assert_eq!(answers(&teas, "How many green teas have won at least one award?", sql).await, ["2"]);
    assert_eq!(answers(&teas, "How many awards have green teas won?", sql).await, ["3"]);
}

/// The oldest of each region is compared with the others of the same region.
#[tokio::test]
async fn an_extreme_of_each_compares_no_property_with_itself() {
    let estates = graph(
        ":a a :Estate ; rdfs:label \"Amber Top\" ; :region :n ; :planted 1807 .
         :b a :Estate ; rdfs:label \"Blue Slopes\" ; :region :n ; :planted 1850 .
         :c a :Estate ; rdfs:label \"Calm Garden\" ; :region :s ; :planted 1782 .
         :n a :Region ; rdfs:label \"North\" . :s a :Region ; rdfs:label \"South\" .",
    )
    .await;
    let sql = "SELECT region, name FROM estate WHERE NOT EXISTS (SELECT 1 FROM estate o \
               WHERE o.region = estate.region AND o.planted < estate.planted)";
    let question = "For every region, what is the oldest estate there?";
    let faults = weighed(&estates, question, sql, Nearness::default(), &[]).await.1.faults;
    assert!(!faults.contains(&"compares a property with itself"), "{faults:?}");
}

/// The first apprentice is not the first by the alphabet, nor has the house with the most seats the
/// most staff.
#[tokio::test]
async fn first_is_no_letter_and_seats_are_no_staff() {
    let houses = graph(
        ":a a :House ; rdfs:label \"The Blue Cup\" ; :seatCount 40 ; :runBy :p . :b a :House ; rdfs:label \"The Old Pot\" ; :seatCount 30 .
         :p a :Blender ; rdfs:label \"Ada Kolbe\" . :q a :Blender ; rdfs:label \"Nils Rasmus\" ; :taughtBy :p .",
    )
    .await;
    let near = || Nearness { asked: [("staff".to_owned(), 0.2)].into(), ..Nearness::default() };
    let faults =
        async |question: &str, sql: &str| weighed(&houses, question, sql, near(), &[]).await.1.faults;
    let most = "SELECT name FROM house ORDER BY seat_count DESC LIMIT 1";
    assert!(faults("Which house has the most staff?", most).await.contains(&"gives something else"));
    assert!(!faults("Which house has the most seats?", most).await.contains(&"gives something else"));
    let first = "SELECT name FROM blender WHERE taught_by = 'Ada Kolbe' ORDER BY name LIMIT 1";
    let by_text = "orders by no measure";
    assert!(faults("Who was the first blender taught by Ada Kolbe?", first).await.contains(&by_text));
    let by_letters = "Which blender taught by Ada Kolbe is first alphabetically?";
    assert!(!faults(by_letters, first).await.contains(&by_text));
}
