//! A harbour's ferries, a game's creatures and a museum's works: slips of a small model that showed
//! on graphs which nobody had looked at while building.

use quipu_reading::Nearness;

use crate::common::checks::{doubts, graph, unsaid, weighed};
use crate::common::{Shop, answers};

async fn harbour() -> Shop {
    graph(
        ":y1 a :Shipyard ; rdfs:label \"Rautala Yard\" ; :locatedIn :n1 . :y2 a :Shipyard ; rdfs:label \"Idle Yard\" ; :locatedIn :n2 . \
         :n1 a :Country ; rdfs:label \"Poland\" . :n2 a :Country ; rdfs:label \"Norway\" . \
         :s1 a :Ship ; rdfs:label \"Odin\" ; :builtBy :y1 ; :passengersCarried 400 ; :capacity 500 ; :captain :m1 . \
         :s2 a :Ship ; rdfs:label \"Freya\" ; :builtBy :y1 ; :passengersCarried 900 ; :captain :m2 . \
         :s3 a :Ship ; rdfs:label \"Balder\" ; :builtBy :y1 ; :passengersCarried 100 . \
         :m1 a :Person ; rdfs:label \"Ida Falk\" ; :studentOf :m2 ; :birthDate \"1950-05-05\"^^xsd:date ; :deathDate \"1990-05-05\"^^xsd:date . \
         :m2 a :Person ; rdfs:label \"Jon Gray\" ; :studentOf :m3 ; :birthDate \"1920-05-05\"^^xsd:date ; :deathDate \"2010-05-05\"^^xsd:date . \
         :m3 a :Person ; rdfs:label \"Kim Hart\" ; :birthDate \"1900-05-05\"^^xsd:date ; :deathDate \"1999-05-05\"^^xsd:date . \
         :h1 a :Helm ; rdfs:label \"Iron Helm\" ; :madeOf :x1 ; :kind \"helm\" . :h2 a :Helm ; rdfs:label \"Oak Sword\" ; :madeOf :x2 ; :kind \"sword\" . \
         :h3 a :Helm ; rdfs:label \"Oak Helm\" ; :madeOf :x2 ; :kind \"helm\" . :h4 a :Helm ; rdfs:label \"Iron Sword\" ; :madeOf :x1 ; :kind \"sword\" . \
         :x1 a :Material ; rdfs:label \"Iron\" . :x2 a :Material ; rdfs:label \"Oak\" . \
         :k1 a :Beetle ; rdfs:label \"Stag\" ; :drops :h1 . \
         :g1 a :Guild ; rdfs:label \"Iron Orchard\" ; :ledBy :m1 ; :foundedYear 951 . \
         :w1 a :Vase ; rdfs:label \"Blue Vase\" ; :inception \"1850-01-01\"^^xsd:date ; :dateOfAcquisition \"2001-01-01\"^^xsd:date . \
         :w2 a :Vase ; rdfs:label \"Red Vase\" ; :inception \"1700-01-01\"^^xsd:date ; :dateOfAcquisition \"2010-01-01\"^^xsd:date . \
         :o1 a :Offer ; rdfs:label \"O1\" ; :variety :v1 ; :grower :m1 . :o2 a :Offer ; rdfs:label \"O2\" ; :variety :v1 ; :grower :m2 . \
         :o3 a :Offer ; rdfs:label \"O3\" ; :variety :v2 ; :grower :m2 . :o4 a :Offer ; rdfs:label \"O4\" ; :variety :v3 ; :grower :m1 . \
         :o5 a :Offer ; rdfs:label \"O5\" ; :variety :v3 ; :grower :m2 . \
         :v1 a :Variety ; rdfs:label \"Nantes\" . :v2 a :Variety ; rdfs:label \"Czar\" . :v3 a :Variety ; rdfs:label \"Cobra\" . \
         :Dragon rdfs:subClassOf :Creature . :Beast rdfs:subClassOf :Creature . \
         :c1 a :Dragon ; rdfs:label \"Old Wyrm\" ; :weight 900 ; :habitat :a1, :a2 . \
         :c2 a :Beast ; rdfs:label \"Bear\" ; :weight 300 ; :habitat :a2 . :c3 a :Beast ; rdfs:label \"Boar\" ; :weight 90 ; :habitat :a2 . \
         :a1 a :Habitat ; rdfs:label \"Cave\" . :a2 a :Habitat ; rdfs:label \"Swamp\" .",
    )
    .await
}

fn near(words: &[(&str, f64)]) -> Nearness {
    let asked = words.iter().map(|(word, near)| ((*word).to_owned(), *near)).collect();
    Nearness { asked, ..Nearness::default() }
}

#[tokio::test]
async fn a_condition_behind_two_alternatives_holds_for_both() {
    let shop = harbour().await;
    let either = "SELECT name FROM helm WHERE made_of = 'Iron' OR made_of = 'Oak' AND kind = 'helm'";
    let asked = "Which helms are made of iron or oak?";
    assert_eq!(answers(&shop, asked, either).await, ["Iron Helm", "Oak Helm"]);
    let before = "SELECT name FROM helm WHERE kind = 'helm' AND made_of = 'Iron' OR made_of = 'Oak'";
    assert_eq!(answers(&shop, asked, before).await, ["Iron Helm", "Oak Helm"]);
    // The question itself binds the condition to one of them.
    let asked = "Which things are made of iron, or are helms of oak?";
    assert_eq!(answers(&shop, asked, either).await, ["Iron Helm", "Iron Sword", "Oak Helm"]);
}

#[tokio::test]
async fn the_groups_that_a_condition_leaves_are_counted() {
    let shop = harbour().await;
    let rows = "SELECT COUNT(*) FROM offer GROUP BY variety HAVING COUNT(*) > 1";
    let asked = "How many varieties are offered by more than one grower?";
    assert_eq!(answers(&shop, asked, rows).await, ["2"]);
}

#[tokio::test]
async fn the_oldest_was_made_first_and_not_bought_first() {
    let shop = harbour().await;
    let oldest = "SELECT name FROM vase ORDER BY inception LIMIT 1";
    assert_eq!(answers(&shop, "What is the oldest vase?", oldest).await, ["Red Vase"]);
}

#[tokio::test]
async fn the_youngest_age_is_the_least() {
    let shop = harbour().await;
    let died = "SELECT name FROM person ORDER BY death_date - birth_date DESC LIMIT 1";
    assert_eq!(answers(&shop, "Which person died at the youngest age?", died).await, ["Ida Falk"]);
    assert_eq!(answers(&shop, "Which person died at the oldest age?", died).await, ["Kim Hart"]);
}

#[tokio::test]
async fn whoever_taught_a_student_is_not_taught_by_her() {
    let shop = harbour().await;
    let pupils = "SELECT name FROM person WHERE student_of = 'Jon Gray'";
    assert_eq!(answers(&shop, "Who taught Jon Gray?", pupils).await, ["Kim Hart"]);
    assert_eq!(answers(&shop, "Whom did Jon Gray teach?", pupils).await, ["Ida Falk"]);
}

#[tokio::test]
async fn a_founder_is_no_leader() {
    let shop = harbour().await;
    let led = "SELECT led_by FROM guild WHERE name = 'Iron Orchard'";
    assert_eq!(doubts(&shop, "Who founded the Iron Orchard?", led).await, ["founded"]);
    assert!(doubts(&shop, "Who leads the Iron Orchard?", led).await.is_empty());
    assert!(doubts(&shop, "Who heads the Iron Orchard?", led).await.is_empty());
}

#[tokio::test]
async fn a_link_that_nobody_speaks_of_is_no_condition() {
    let shop = harbour().await;
    let dropped = "SELECT name FROM helm WHERE name IN (SELECT drops FROM beetle) AND kind = 'helm'";
    assert_eq!(unsaid(&shop, "Which helms are there?", dropped).await, ["drops"]);
    assert!(unsaid(&shop, "Which helms do beetles drop?", dropped).await.is_empty());
    assert!(unsaid(&shop, "Which helms can one get from a monster?", dropped).await.is_empty());
}

#[tokio::test]
async fn cars_are_no_passengers() {
    let shop = harbour().await;
    let doubted = async |asked: &str, column: &str, words: &[(&str, f64)]| {
        let number = format!("SELECT {column} FROM ship WHERE name = 'Odin'");
        weighed(&shop, asked, &number, near(words), &[]).await.1.meanings
    };
    let (cars, people) = ("How many cars fit on the Odin?", "How many people fit on the Odin?");
    assert_eq!(doubted(cars, "passengers_carried", &[("cars", 0.2)]).await, ["cars"]);
    assert!(doubted(people, "passengers_carried", &[("people", 0.45)]).await.is_empty());
    // A capacity may be one of cars.
    assert!(doubted(cars, "capacity", &[("cars", 0.2)]).await.is_empty());
}

#[tokio::test]
async fn at_least_one_is_what_a_group_has() {
    let shop = harbour().await;
    let built = "SELECT built_by, COUNT(*) FROM ship GROUP BY built_by";
    let asked = "For every shipyard that built at least one ship, how many ships did it build?";
    assert!(doubts(&shop, asked, built).await.is_empty());
    let asked = "For every shipyard that built at least two ships, how many ships did it build?";
    assert!(!doubts(&shop, asked, built).await.is_empty());
}

#[tokio::test]
async fn a_polish_yard_is_a_shipyard_of_poland() {
    let shop = harbour().await;
    let polish =
        "SELECT name FROM ship WHERE built_by IN (SELECT name FROM shipyard WHERE located_in = 'Poland')";
    let (_, unexplained) =
        weighed(&shop, "Which ships came from a Polish yard?", polish, Nearness::default(), &[]).await;
    assert_eq!((unexplained.names, unexplained.invented), (vec!["came".to_owned()], 0));
    assert!(unexplained.meanings.is_empty(), "{:?}", unexplained.meanings);
}

#[tokio::test]
async fn the_values_of_all_creatures_are_not_looked_for_among_one_kind() {
    let shop = harbour().await;
    let swamp = "SELECT COUNT(*) FROM creature WHERE habitat = 'Swamp'";
    assert_eq!(answers(&shop, "How many creatures live in swamps?", swamp).await, ["3"]);
}

#[tokio::test]
async fn a_type_of_a_thing_may_be_one_of_a_longer_name() {
    let shop = graph(
        ":b1 a :Monster ; rdfs:label \"Zombie\" ; :alignment \"neutral\" . \
         :b2 a :Monster ; rdfs:label \"Brute Zombie\" ; :alignment \"evil\" . \
         :b3 a :Monster ; rdfs:label \"Ghost\" ; :alignment \"neutral\" .",
    )
    .await;
    let evil = |name: &str| {
        format!("SELECT EXISTS (SELECT * FROM monster WHERE name = '{name}' AND alignment = 'evil')")
    };
    let doubted = async |asked: &str, name: &str| {
        weighed(&shop, asked, &evil(name), Nearness::default(), &[]).await.0.is_doubtful()
    };
    let types = "Is there any type of zombie that is evil?";
    assert!(!doubted(types, "Zombie").await);
    assert_eq!(answers(&shop, types, &evil("Zombie")).await, ["true"]);
    assert!(!doubted("Is the zombie evil?", "Zombie").await);
    assert!(!doubted("Is there any type of ghost that is evil?", "Ghost").await);
}

#[tokio::test]
async fn the_first_of_each_group_is_more_than_one_thing() {
    let shop = harbour().await;
    // Orders by a measure of two tables are not mended.
    let first = "SELECT ship.built_by, ship.name FROM ship JOIN person ON ship.captain = person.name \
                 ORDER BY ship.passengers_carried LIMIT 1";
    let doubted = doubts(&shop, "For every shipyard, which ship carried the fewest?", first).await;
    assert!(doubted.contains(&"every".to_owned()), "{doubted:?}");
    let all = "SELECT ship.built_by, ship.name FROM ship JOIN person ON ship.captain = person.name \
               ORDER BY ship.passengers_carried DESC";
    let asked = "Which ship carried the most passengers in each shipyard?";
    assert!(doubts(&shop, asked, all).await.contains(&"most".to_owned()));
    let asked = "List the passengers carried by each ship, sorted in descending order.";
    let all = "SELECT name, passengers_carried FROM ship ORDER BY passengers_carried DESC";
    assert!(doubts(&shop, asked, all).await.is_empty());
}

#[tokio::test]
async fn a_role_in_the_plural_is_a_condition() {
    let shop = graph(
        ":p1 a :Volunteer ; rdfs:label \"Ida\" ; :role \"fitter\" ; :maintains :l1, :l2 . \
         :p2 a :Volunteer ; rdfs:label \"Jon\" ; :role \"guard\" ; :maintains :l1, :l2 . \
         :p3 a :Volunteer ; rdfs:label \"Kim\" ; :role \"fitter\" . \
         :l1 a :Engine ; rdfs:label \"Thunder\" . :l2 a :Engine ; rdfs:label \"Hail\" .",
    )
    .await;
    let sql = "SELECT volunteer FROM volunteer_maintains GROUP BY volunteer HAVING COUNT(*) > 1";
    let bound = crate::common::read(&shop, "Which fitters maintain more than one engine?", sql);
    let asking =
        |text| quipu_reading::TableQuestion { text, tables: &shop.tables, values: &shop.values, named: &[] };
    let left_out = |text| quipu_reading::names_left_out(&asking(text), &bound.query);
    assert_eq!(left_out("Which fitters maintain more than one engine?").len(), 1);
    assert!(left_out("Which volunteers maintain more than one engine?").is_empty());
}

#[tokio::test]
async fn words_of_one_root_units_and_years_are_explained() {
    let shop = graph(
        ":d1 a :Doctor ; rdfs:label \"Ada Lee\" ; :field \"neurology\" ; :floor 2 ; :unitPrice 5 ; :hired \"2009-01-01\"^^xsd:date . \
         :d2 a :Doctor ; rdfs:label \"Bo Hart\" ; :field \"cardiology\" ; :floor 3 ; :unitPrice 7 ; :hired \"2010-01-01\"^^xsd:date .",
    )
    .await;
    let left_out = async |asked: &str, sql: &str| {
        let (_, found) = weighed(&shop, asked, sql, Nearness::default(), &[]).await;
        (found.names, found.meanings, found.invented)
    };
    let nothing = || (Vec::<String>::new(), Vec::<String>::new(), 0);
    let field = "SELECT name FROM doctor WHERE field = 'neurology'";
    assert_eq!(left_out("List the neurologists", field).await, nothing());
    let price = "SELECT AVG(unit_price) FROM doctor";
    assert_eq!(left_out("What is the average price per unit?", price).await, nothing());
    let floors = "SELECT name FROM doctor WHERE floor IN (2, 3)";
    assert_eq!(left_out("Which doctors are on the 2nd and 3rd floors?", floors).await, nothing());
    let years = "SELECT YEAR(hired), COUNT(*) FROM doctor GROUP BY YEAR(hired)";
    assert_eq!(left_out("How many doctors were hired each year?", years).await, nothing());
}

#[tokio::test]
async fn the_first_of_each_group_is_found_whatever_the_model_orders() {
    let shop = graph(
        ":l1 a :Engine ; rdfs:label \"Thunder\" ; :hall :h1 ; :weight 90 ; :power \"steam\" . \
         :l2 a :Engine ; rdfs:label \"Hail\" ; :hall :h1 ; :weight 70 ; :power \"diesel\" . \
         :l3 a :Engine ; rdfs:label \"Rain\" ; :hall :h2 ; :weight 50 ; :power \"steam\" . \
         :l4 a :Engine ; rdfs:label \"Snow\" ; :hall :h2 ; :weight 80 ; :power \"diesel\" . \
         :h1 a :Hall ; rdfs:label \"North\" . :h2 a :Hall ; rdfs:label \"South\" .",
    )
    .await;
    let asked = "What is the heaviest engine of each hall?";
    for sql in [
        "SELECT hall, name, weight FROM engine ORDER BY weight DESC",
        "SELECT hall, name FROM engine ORDER BY weight DESC LIMIT 1",
        "SELECT hall, MAX(weight) FROM engine GROUP BY hall",
        "SELECT name FROM engine GROUP BY hall, name ORDER BY SUM(weight) DESC",
    ] {
        let rows = crate::common::asked_rows(&shop, asked, sql).await;
        assert_eq!(rows, ["North | Thunder | 90", "South | Snow | 80"], "{sql}");
        assert!(doubts(&shop, asked, sql).await.is_empty(), "{sql}");
    }
    let steam = "SELECT hall, name FROM engine WHERE power = 'steam' ORDER BY weight";
    let asked = "Which steam engine is the lightest in each hall?";
    let rows = crate::common::asked_rows(&shop, asked, steam).await;
    assert_eq!(rows, ["North | Thunder | 90", "South | Rain | 50"]);
    // The greatest weight itself, and the order of all.
    let most = "SELECT hall, MAX(weight) FROM engine GROUP BY hall";
    let rows = crate::common::asked_rows(&shop, "What is the greatest weight in each hall?", most).await;
    assert_eq!(rows, ["North | 90", "South | 80"]);
}

#[tokio::test]
async fn the_sum_of_one_count_is_no_sum() {
    let shop = harbour().await;
    let sum = "SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM offer WHERE variety = 'Nantes') AS t";
    let asked = "How many of Nantes were offered in total?";
    assert!(weighed(&shop, asked, sum, Nearness::default(), &[]).await.0.is_doubtful());
}

#[tokio::test]
async fn a_bound_compares_no_two_things() {
    let shop = harbour().await;
    let over =
        "SELECT name FROM ship WHERE passengers_carried > 100 AND built_by IN ('Rautala Yard', 'Idle Yard')";
    let asked = "Ships over 100 passengers from Rautala Yard or Idle Yard";
    assert!(!doubts(&shop, asked, over).await.contains(&"Idle Yard".to_owned()));
    let larger = "Which is larger, Rautala Yard or Idle Yard?";
    assert!(doubts(&shop, larger, over).await.contains(&"Idle Yard".to_owned()));
}

#[tokio::test]
async fn whoever_led_no_survey_may_have_discovered_a_cave() {
    let shop = graph(
        ":c1 a :Cave ; rdfs:label \"Wolf Pot\" ; :discoveredBy :p1 . :c2 a :Cave ; rdfs:label \"Fern Rift\" . \
         :s1 a :Survey ; rdfs:label \"Survey 1\" ; :cave :c1 ; :ledBy :p2 . \
         :p1 a :Caver ; rdfs:label \"Ina Holt\" . :p2 a :Caver ; rdfs:label \"Mia Tarn\" .",
    )
    .await;
    let led = "SELECT name FROM caver WHERE name NOT IN (SELECT led_by FROM survey)";
    let doubted = doubts(&shop, "Which caver discovered no caves?", led).await;
    assert!(doubted.contains(&"discovered".to_owned()), "{doubted:?}");
    assert!(doubts(&shop, "Which caver led no survey?", led).await.is_empty());
    let discovered = "SELECT name FROM caver WHERE name NOT IN (SELECT discovered_by FROM cave)";
    assert!(doubts(&shop, "Which caver discovered no caves?", discovered).await.is_empty());
}
