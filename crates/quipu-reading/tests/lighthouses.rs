//! Lighthouses with their engineers, lenses and wrecks: several objects of one verb, what several
//! people did together, other verbs for a relation, and measures that people name otherwise.

use crate::common::checks::{doubts, faults, graph, weighed};
use crate::common::{Shop, answers, asked_rows};
use quipu_query::{Relevance, RenderConfig};
use quipu_reading::Nearness;

async fn lighthouses() -> Shop {
    graph(
        ":e1 a :Engineer ; rdfs:label \"Walter Gaunt\" . :e2 a :Engineer ; rdfs:label \"Edmund Sarll\" . \
         :s1 a :Station ; rdfs:label \"Garth Ness\" ; :designedBy :e1, :e2 ; :nominalRange 23 . \
         :s2 a :Station ; rdfs:label \"Whin Point\" ; :designedBy :e1 ; :nominalRange 18 . \
         :s3 a :Station ; rdfs:label \"Copel Sands\" ; :designedBy :e2 ; :nominalRange 11 . \
         :m1 a :Maker ; rdfs:label \"Aurora Works\" . \
         :l1 a :Lens ; rdfs:label \"LX-1\" ; :madeBy :m1 ; :installedAt :s1 ; :purchasePrice 1000.5 . \
         :l2 a :Lens ; rdfs:label \"LX-2\" ; :madeBy :m1 ; :installedAt :s2 ; :purchasePrice 20 . \
         :w1 a :Wreck ; rdfs:label \"Fortuna\" ; :livesLost 37 . :w2 a :Wreck ; rdfs:label \"Boreas\" ; :livesLost 4 . \
         :k1 a :Keeper ; rdfs:label \"Ann\" ; :speaks \"Manx\", \"Gaelic\", \"Welsh\" . \
         :k2 a :Keeper ; rdfs:label \"Ben\" ; :speaks \"Manx\", \"Gaelic\" . \
         :k3 a :Keeper ; rdfs:label \"Cora\" ; :speaks \"Welsh\" ; :servedAt :s1, :s2 . \
         :k4 a :Keeper ; rdfs:label \"Dan\" ; :servedAt :s1 .",
    )
    .await
}

#[tokio::test]
async fn several_objects_of_one_verb_hold_all() {
    let shop = lighthouses().await;
    let any = "SELECT keeper FROM keeper_speaks WHERE speaks IN ('Manx', 'Gaelic', 'Welsh')";
    assert_eq!(answers(&shop, "Which keepers speak Manx, Gaelic and Welsh?", any).await, ["Ann"]);
    let or = "SELECT keeper FROM keeper_speaks WHERE speaks = 'Manx' OR speaks = 'Gaelic'";
    assert_eq!(answers(&shop, "Who speaks Manx and Gaelic?", or).await, ["Ann", "Ben"]);
    let counted =
        "SELECT COUNT(DISTINCT keeper) FROM keeper_speaks WHERE speaks IN ('Manx', 'Gaelic', 'Welsh')";
    assert_eq!(asked_rows(&shop, "How many keepers do speak Manx, Gaelic and Welsh?", counted).await, ["1"]);
    let served = "SELECT keeper FROM keeper_served_at WHERE served_at IN ('Garth Ness', 'Whin Point')";
    assert_eq!(answers(&shop, "Who served at Garth Ness and Whin Point?", served).await, ["Cora"]);
    // Either, where the question says so, or where the names are no objects.
    assert_eq!(answers(&shop, "Who speaks Manx or Gaelic?", or).await, ["Ann", "Ben"]);
    assert_eq!(
        answers(&shop, "Which keepers speak Manx, Gaelic or Welsh?", any).await,
        ["Ann", "Ben", "Cora"]
    );
    assert_eq!(
        answers(&shop, "Who are the keepers of Garth Ness and Whin Point?", served).await,
        ["Cora", "Dan"]
    );
}

#[tokio::test]
async fn what_people_did_together_was_done_by_both() {
    let shop = lighthouses().await;
    let joined = "SELECT station.name FROM station_designed_by JOIN engineer ON \
                  station_designed_by.designed_by = engineer.name JOIN station ON \
                  station_designed_by.station = station.name \
                  WHERE engineer.name IN ('Walter Gaunt', 'Edmund Sarll')";
    let together = "What stations did Walter Gaunt and Edmund Sarll design together?";
    assert_eq!(answers(&shop, together, joined).await, ["Garth Ness"]);
    let each = "Which stations were designed by Walter Gaunt or by Edmund Sarll?";
    assert_eq!(answers(&shop, each, joined).await.len(), 3);
}

#[tokio::test]
async fn another_verb_for_a_relation_forbids_others() {
    let shop = lighthouses().await;
    let other = "SELECT lens.name FROM lens JOIN station_designed_by ON lens.installed_at = station_designed_by.station \
                 WHERE station_designed_by.designed_by = 'Edmund Sarll'";
    let made = "SELECT name FROM lens WHERE made_by = 'Aurora Works'";
    let fault = "gives something else";
    assert!(faults(&shop, "Which of the lenses did Edmund Sarll manufacture?", other).await.contains(&fault));
    assert!(
        !faults(&shop, "Which lenses are in stations that Edmund Sarll designed?", other)
            .await
            .contains(&fault)
    );
    assert!(!faults(&shop, "Which lenses did Aurora Works manufacture?", made).await.contains(&fault));
}

#[tokio::test]
async fn measures_have_other_names() {
    let shop = lighthouses().await;
    let paid = "SELECT SUM(purchase_price) FROM lens WHERE made_by = 'Aurora Works'";
    let asked = "Adding it all up, how much was paid for lenses from Aurora Works?";
    assert!(!faults(&shop, asked, paid).await.contains(&"uses another measure"));
    // A word that is far from the reading, as an embedder would say.
    let far = async |question: &str, sql: &str, word: &str| {
        let near = Nearness { asked: [(word.to_owned(), 0.1)].into(), ..Nearness::default() };
        weighed(&shop, question, sql, near, &[]).await.1.faults.contains(&"gives something else")
    };
    let lost = "SELECT lives_lost FROM wreck WHERE name = 'Fortuna'";
    assert!(!far("How many people drowned when the Fortuna went down?", lost, "people").await);
    assert!(far("How many barrels did the Fortuna carry?", lost, "barrels").await);
    let range = "SELECT nominal_range FROM station WHERE name = 'Whin Point'";
    assert!(!far("From how many nautical miles away can Whin Point be seen?", range, "nautical").await);
    assert!(far("From how many harbours can Whin Point be seen?", range, "harbours").await);
}

#[tokio::test]
async fn rows_are_no_amount_and_one_number_is_not_two() {
    let shop = lighthouses().await;
    let most =
        "SELECT station, COUNT(*) FROM station_designed_by GROUP BY station ORDER BY COUNT(*) DESC LIMIT 1";
    let far = async |question: &str, word: &str| {
        let near = Nearness { asked: [(word.to_owned(), 0.4)].into(), ..Nearness::default() };
        weighed(&shop, question, most, near, &[]).await.1.faults.contains(&"gives something else")
    };
    assert!(far("Which station has the most traffic?", "traffic").await);
    assert!(!far("Which station has the most designers?", "designers").await);
    let twice = "SELECT COUNT(DISTINCT name), COUNT(DISTINCT name) FROM lens";
    let two = "SELECT COUNT(DISTINCT name), COUNT(DISTINCT installed_at) FROM lens";
    let asked = "How many lenses are there, and in how many stations?";
    assert!(faults(&shop, asked, twice).await.contains(&"gives a number twice"));
    assert!(!faults(&shop, asked, two).await.contains(&"gives a number twice"));
}

#[tokio::test]
async fn names_alone_are_no_restriction() {
    let shop = lighthouses().await;
    let makers = "SELECT DISTINCT made_by FROM lens WHERE installed_at = 'Garth Ness'";
    assert!(
        doubts(&shop, "Whose lenses are in Garth Ness? Just the makers' names.", makers).await.is_empty()
    );
    assert!(!doubts(&shop, "Who made lenses for only Garth Ness?", makers).await.is_empty());
}

/// A graph whose properties have no labels, but comments.
async fn roads() -> Shop {
    graph(
        ":aadt rdfs:comment \"Annual average daily traffic, vehicles per day. By counters.\" . \
         :actCostEUR rdfs:comment \"Final cost as invoiced, EUR.\" . :estCostEUR rdfs:label \"estimated cost\" ; \
             rdfs:comment \"As planned by the foreman.\" . :MatLine rdfs:comment \"Line of material */ consumed.\" . \
         :r1 a :Road ; rdfs:label \"Mill Road\" ; :aadt 900 ; :actCostEUR 10 ; :estCostEUR 30 . \
         :r2 a :Road ; rdfs:label \"Kiln Way\" ; :aadt 400 ; :actCostEUR 20 ; :estCostEUR 10 . \
         :m1 a :MatLine ; rdfs:label \"M1\" ; :tons 4 .",
    )
    .await
}

#[tokio::test]
async fn comments_tell_what_properties_without_labels_mean() {
    let shop = roads().await;
    let shown = shop.tables.render(&Relevance::default(), &RenderConfig::default()).text;
    assert!(
        shown.contains("aadt REAL /* Annual average daily traffic, vehicles per day: 400, 900 */"),
        "{shown}"
    );
    assert!(shown.contains("/* Final cost as invoiced, EUR: 10, 20 */"), "{shown}");
    // A label speaks for itself, and no comment ends the line's own.
    assert!(!shown.contains("foreman"), "{shown}");
    assert!(shown.contains("; -- Line of material"), "{shown}");
    let unread = async |question: &str, sql: &str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.names
    };
    let busiest = "SELECT name FROM road ORDER BY aadt DESC LIMIT 1";
    assert!(unread("Which road has the most vehicles per day?", busiest).await.is_empty());
    let invoiced = "SELECT act_cost_eur FROM road WHERE name = 'Mill Road'";
    assert!(unread("What was the final invoiced cost of Mill Road?", invoiced).await.is_empty());
    let estimated = "SELECT estimated_cost FROM road WHERE name = 'Mill Road'";
    assert_eq!(
        unread("What was the final invoiced cost of Mill Road?", estimated).await,
        ["final", "invoiced"]
    );
    let another = faults(&shop, "What was the final invoiced cost of Mill Road?", estimated).await;
    assert!(another.contains(&"gives something else"), "{another:?}");
    // A question of a large graph shows the columns whose comments it mentions.
    let relevance = Relevance::by_words(&shop.tables, "Which road has the most vehicles per day?");
    let place = shop.tables.columns().find(|(_, column)| column.id == "aadt").unwrap().0;
    assert!(relevance.columns[&place] > 0.0);
}
