//! Counts of groups and of quantities, shares as units, and questions for one of several values.

use crate::common::checks::{doubts, graph, weighed};
use crate::common::{Shop, asked_rows, read};
use quipu_reading::{Nearness, TableQuestion, offered_values, unknown_kinds};

/// Breweries with their beers, and tanks with their species.
async fn brewery() -> Shop {
    graph(
        ":b1 a :Beer ; rdfs:label \"Grey Heron\" ; :brewedBy :k1 ; :alcoholByVolume 12.5 ; :malts 4 . \
         :b2 a :Beer ; rdfs:label \"Red Otter\" ; :brewedBy :k1 ; :alcoholByVolume 5.2 ; :malts 2 . \
         :b3 a :Beer ; rdfs:label \"Black Stoat\" ; :brewedBy :k2 ; :alcoholByVolume 7.0 ; :malts 3 . \
         :k1 a :Brewery ; rdfs:label \"Mill Lane\" ; :town \"Harnby\" ; :annualOutputHl 900 . \
         :k2 a :Brewery ; rdfs:label \"Old Quay\" ; :town \"Harnby\" ; :annualOutputHl 120 . \
         :t1 a :Tank ; rdfs:label \"Archer Pool\" ; :waterType \"brackish\" ; \
             :dateOfCommissioning \"1999-05-01\"^^xsd:date . \
         :t2 a :Tank ; rdfs:label \"Shark Lagoon\" ; :waterType \"saltwater\" ; \
             :dateOfCommissioning \"2004-02-01\"^^xsd:date . \
         :t3 a :Tank ; rdfs:label \"Otter Creek\" ; :waterType \"freshwater\" ; \
             :dateOfCommissioning \"2011-09-01\"^^xsd:date . \
         :s1 a :Species ; rdfs:label \"Spider Crab\" ; :typicalLifespanYears 100 ; :maximumSizeCm 370 . \
         :s2 a :Species ; rdfs:label \"Green Turtle\" ; :typicalLifespanYears 75 ; :maximumSizeCm 150 .",
    )
    .await
}

async fn faults(shop: &Shop, question: &str, sql: &str) -> Vec<&'static str> {
    weighed(shop, question, sql, Nearness::default(), &[]).await.1.faults
}

#[tokio::test]
async fn a_group_is_not_counted_in_itself() {
    let shop = brewery().await;
    let itself = "SELECT brewery.name, COUNT(DISTINCT brewery.name) FROM beer \
                  JOIN brewery ON beer.brewed_by = brewery.name WHERE brewery.town = 'Harnby' \
                  GROUP BY brewery.name";
    let asked = "For each brewery in Harnby, tell me how many beers it makes.";
    assert_eq!(asked_rows(&shop, asked, itself).await, ["Mill Lane | 2", "Old Quay | 1"]);
    let most = "SELECT brewery.name FROM beer JOIN brewery ON beer.brewed_by = brewery.name \
                GROUP BY brewery.name ORDER BY COUNT(DISTINCT brewery.name) DESC LIMIT 1";
    assert_eq!(asked_rows(&shop, "Which brewery makes the most beers?", most).await, ["Mill Lane"]);
    // Of one table, the rows of each group are what its name says.
    let alone = "SELECT town, COUNT(DISTINCT name) FROM brewery GROUP BY town";
    assert_eq!(asked_rows(&shop, "How many breweries are in each town?", alone).await, ["Harnby | 2"]);
}

#[tokio::test]
async fn a_thing_with_two_of_the_links_is_counted_once() {
    let shop = graph(
        ":g1 a :Guide ; rdfs:label \"Ada Moor\" ; :speaks :l1, :l2 . \
         :g2 a :Guide ; rdfs:label \"Ben Low\" ; :speaks :l2 . \
         :g3 a :Guide ; rdfs:label \"Cora Pym\" ; :speaks :l3 . \
         :l1 a :Language ; rdfs:label \"Manx\" . :l2 a :Language ; rdfs:label \"Breton\" . \
         :l3 a :Language ; rdfs:label \"Basque\" .",
    )
    .await;
    let asked = "How many staff can talk Manx or Breton?";
    for condition in ["speaks IN ('Manx', 'Breton')", "speaks = 'Manx' OR speaks = 'Breton'"] {
        let sql = format!("SELECT COUNT(*) FROM guide_speaks WHERE {condition}");
        assert_eq!(asked_rows(&shop, asked, &sql).await, ["2"], "{condition}");
    }
    // Of one language each link is another thing, and without a condition links are counted.
    let one = "SELECT COUNT(*) FROM guide_speaks WHERE speaks = 'Breton'";
    assert_eq!(asked_rows(&shop, "How many staff can talk Breton?", one).await, ["2"]);
}

#[tokio::test]
async fn a_choice_is_among_both_of_the_offered() {
    let shop = brewery().await;
    let asked = "Which is stronger, Red Otter or Black Stoat?";
    let of_one = "SELECT name FROM beer WHERE alcohol_by_volume > \
                  (SELECT alcohol_by_volume FROM beer WHERE name = 'Black Stoat')";
    assert!(faults(&shop, asked, of_one).await.contains(&"leaves out a choice"));
    let of_both = "SELECT name FROM beer WHERE name IN ('Red Otter', 'Black Stoat') \
                   ORDER BY alcohol_by_volume DESC LIMIT 1";
    assert!(!faults(&shop, asked, of_both).await.contains(&"leaves out a choice"));
}

#[tokio::test]
async fn short_names_of_classes_and_of_their_columns_are_read_in_full() {
    let shop = graph(
        ":c1 a :CUST ; rdfs:label \"Ivy Works\" ; :SINCE_DT \"2011-04-02\"^^xsd:date . \
         :c2 a :CUST ; rdfs:label \"Red Roofing\" ; :SINCE_DT \"2015-04-02\"^^xsd:date . \
         :k1 a :EQ_CAT ; rdfs:label \"Water pump\" . :k2 a :EQ_CAT ; rdfs:label \"Generator\" . \
         :e1 a :EQUIP ; rdfs:label \"Aqua 170\" ; :eq_cat :k1 . \
         :e2 a :EQUIP ; rdfs:label \"Watt 30\" ; :eq_cat :k2 .",
    )
    .await;
    let titles: Vec<&str> = shop.tables.tables.iter().map(|table| table.title.as_str()).collect();
    assert!(titles.contains(&"customer") && titles.contains(&"equipment"), "{titles:?}");
    let category = "SELECT eq_cat FROM equipment WHERE name = 'Aqua 170'";
    let asked = "Which category is the Aqua 170 in?";
    let (_, left_out) = weighed(&shop, asked, category, Nearness::default(), &[]).await;
    assert!(!left_out.names.contains(&"category".to_owned()), "{:?}", left_out.names);
    // "Longest" asks since when, not how long a name is.
    let first = "SELECT name FROM customer ORDER BY since_date LIMIT 1";
    let asked = "Which customer has been with us the longest?";
    assert_eq!(asked_rows(&shop, asked, first).await, ["Ivy Works"]);
    assert!(!faults(&shop, asked, first).await.contains(&"uses another measure"));
}

#[tokio::test]
async fn nouns_that_the_graph_does_not_know_are_found_where_they_say_a_kind() {
    let shop = brewery().await;
    let nouns = |question: &str| {
        let found = unknown_kinds(question, &shop.tables, &shop.values);
        found.into_iter().map(|kind| kind.noun).collect::<Vec<_>>()
    };
    assert_eq!(nouns("How many drinks does Mill Lane make?"), ["drink"]);
    assert_eq!(nouns("the strongest drink"), ["drink"]);
    assert!(nouns("How many beers does Mill Lane make?").is_empty());
    assert!(nouns("Who owns Mill Lane?").is_empty());
    assert!(nouns("What is the flavour of Red Otter?").is_empty());
}

#[tokio::test]
async fn a_quantity_is_no_count_of_things() {
    let shop = brewery().await;
    let counted = "SELECT COUNT(DISTINCT name) FROM brewery WHERE town = 'Harnby'";
    let asked = "Adding up the breweries of Harnby, how many hectolitres do they brew?";
    assert!(faults(&shop, asked, counted).await.contains(&"counts another kind"));
    let added = "SELECT SUM(annual_output_hl) FROM brewery WHERE town = 'Harnby'";
    assert!(!faults(&shop, asked, added).await.contains(&"counts another kind"));
    let asked = "How many breweries of Harnby are there?";
    assert!(!faults(&shop, asked, counted).await.contains(&"counts another kind"));
}

#[tokio::test]
async fn percent_may_be_the_unit_of_a_column() {
    let shop = brewery().await;
    let over = "SELECT name FROM beer WHERE alcohol_by_volume > 12";
    assert!(doubts(&shop, "Which beers are stronger than 12 percent?", over).await.is_empty());
    let mean = "SELECT AVG(alcohol_by_volume) FROM beer";
    assert!(doubts(&shop, "What is the mean alcohol percentage of the beers?", mean).await.is_empty());
    // Twelve percent of something are a share, and an output in hectolitres has no percentage.
    let asked = "Which beers hold over 12 percent of the alcohol?";
    assert!(doubts(&shop, asked, over).await.contains(&"percent".to_owned()));
    let rose = "Which beers rose by more than 12 percent in price?";
    assert!(doubts(&shop, rose, over).await.contains(&"percent".to_owned()));
    let malts = "SELECT malts FROM beer WHERE name = 'Red Otter'";
    let asked = "What is the malts percentage of Red Otter?";
    assert!(doubts(&shop, asked, malts).await.contains(&"percentage".to_owned()));
    let output = "SELECT AVG(annual_output_hl) FROM brewery";
    let asked = "What is the average output percentage of the breweries?";
    assert!(doubts(&shop, asked, output).await.contains(&"percentage".to_owned()));
}

#[tokio::test]
async fn the_longest_lived_and_the_longest_in_service() {
    let shop = brewery().await;
    let lived = "SELECT name FROM species ORDER BY typical_lifespan_years DESC LIMIT 1";
    let measure = "uses another measure";
    assert!(!faults(&shop, "What is the longest-lived species?", lived).await.contains(&measure));
    let size = "SELECT name FROM species ORDER BY maximum_size_cm DESC LIMIT 1";
    assert!(faults(&shop, "What is the longest-lived species?", size).await.contains(&measure));
    let first = "SELECT name FROM tank ORDER BY date_of_commissioning LIMIT 1";
    let asked = "Which tank has been in service the longest?";
    assert!(!faults(&shop, asked, first).await.contains(&measure));
    assert_eq!(asked_rows(&shop, asked, first).await, ["Archer Pool"]);
}

#[tokio::test]
async fn a_question_may_offer_several_values() {
    let shop = brewery().await;
    let offered = |question: &str, sql: &str| {
        let query = read(&shop, question, sql).query;
        let asking = TableQuestion { text: question, tables: &shop.tables, values: &shop.values, named: &[] };
        offered_values(&asking, &query)
    };
    let given = "SELECT water_type FROM tank WHERE name = 'Archer Pool'";
    let which = "Is the Archer Pool fresh water, salt water or something in between?";
    assert_eq!(offered(which, given).len(), 2);
    assert!(!faults(&shop, which, given).await.contains(&"leaves out a value of the graph"));
    // One value is asked with yes or no, and a denial turns the choice round.
    assert!(offered("Is the Archer Pool salt water or not?", given).is_empty());
    assert!(offered("Is the Archer Pool neither fresh water nor salt water?", given).is_empty());
    assert!(offered("Is there a tank called Archer Pool?", given).is_empty());
    // Several things may be of both kinds.
    let all = "SELECT water_type FROM tank";
    assert!(offered("Are the tanks fresh water or salt water?", all).is_empty());
}

#[tokio::test]
async fn numbers_are_given_in_the_unit_that_is_asked_for() {
    let visits = graph(
        ":v1 a :Visit ; rdfs:label \"visit 1\" ; :durationMinutes 90 ; :hourlyRateEur 30 ; :height 2 ; :weightG 500 . \
         :v2 a :Visit ; rdfs:label \"visit 2\" ; :durationMinutes 30 ; :hourlyRateEur 50 ; :height 4 .",
    )
    .await;
    let of = |column: &str| format!("SELECT {column} FROM visit WHERE name = 'visit 1'");
    let duration = of("duration_minutes");
    // A unit that converts.
    assert_eq!(asked_rows(&visits, "What is the duration of visit 1 in hours?", &duration).await, ["1.5"]);
    assert_eq!(asked_rows(&visits, "What is the duration of visit 1 in seconds?", &duration).await, ["5400"]);
    let sum = "SELECT SUM(duration_minutes) FROM visit";
    assert_eq!(asked_rows(&visits, "How long are all visits in hours?", sum).await, ["2"]);
    // The same unit, and no unit.
    for question in ["What is the duration of visit 1 in minutes?", "What is the duration of visit 1?"] {
        assert_eq!(asked_rows(&visits, question, &duration).await, ["90"]);
        assert!(!faults(&visits, question, &duration).await.contains(&"gives another unit"));
    }
    // A query that converts by itself, right and wrong.
    let unstated = "multiplies by a number that nobody stated";
    let kilos = "What is the weight of visit 1 in kilograms?";
    assert!(!faults(&visits, kilos, &of("weight_g / 1000.0")).await.contains(&unstated));
    assert!(!faults(&visits, kilos, &of("weight_g * 0.001")).await.contains(&unstated));
    assert!(faults(&visits, kilos, &of("weight_g / 50.0")).await.contains(&unstated));
    // Units of something else.
    for (question, column) in [
        ("What is the duration of visit 1 in miles?", "duration_minutes"),
        ("What is the hourly rate of visit 1 in dollars?", "hourly_rate_eur"),
    ] {
        assert!(faults(&visits, question, &of(column)).await.contains(&"gives another unit"), "{question}");
    }
    // A column that states no unit is remarked on.
    let question = "What is the height of visit 1 in feet?";
    let bound = read(&visits, question, &of("height"));
    assert!(bound.mends.iter().any(|mend| mend.text.contains("height is in feet")), "{:?}", bound.mends);
    assert!(!faults(&visits, question, &of("height")).await.contains(&"gives another unit"));
    // Several numbers, a unit of two, a year, and years that are no unit.
    let runs = graph(
        ":r1 a :Run ; rdfs:label \"run 1\" ; :year 1998 ; :durationDays 4 ; :topSpeedKmH 90 ; :minPrice 5 .",
    )
    .await;
    for (question, sql, expected) in [
        (
            "Give the year and the duration in hours of run 1.",
            "SELECT year, duration_days FROM run WHERE name = 'run 1'",
            "1998 | 4",
        ),
        ("What was the top speed of run 1 in metres per second?", "SELECT top_speed_km_h FROM run", "90"),
        ("What was the top speed of run 1 in metres?", "SELECT top_speed_km_h FROM run", "90"),
        ("What was the min price of run 1 in hours?", "SELECT min_price FROM run", "5"),
        ("What was the duration of run 1 in years 1998 and 1999?", "SELECT duration_days FROM run", "4"),
    ] {
        assert_eq!(asked_rows(&runs, question, sql).await, [expected], "{question}");
        assert!(!faults(&runs, question, sql).await.contains(&"gives another unit"), "{question}");
    }
}

#[tokio::test]
async fn texts_that_begin_with_numbers_are_ordered_with_a_remark() {
    let film = |day: u32| {
        let (seen, lot) = (format!("{day} May 2020"), 90 + day);
        format!(":f{day} a :Film ; rdfs:label \"Film {day}\" ; :seen \"{seen}\" ; :lot \"{lot}\" . ")
    };
    let films: String = (1..=20).map(film).collect();
    let last = ":f21 a :Film ; rdfs:label \"Film 21\" ; :seen \"21 May 2020\" ; :lot \"none\" .";
    let shop = graph(&format!("{films}{last}")).await;
    for sql in ["SELECT name FROM film ORDER BY seen DESC LIMIT 1", "SELECT MAX(seen) FROM film"] {
        let told: Vec<String> = shop.bound(sql).unwrap().mends.into_iter().map(|mend| mend.text).collect();
        assert_eq!(told, ["seen is ordered as text, not by the numbers in it"], "{sql}");
        let found = faults(&shop, "Which film was seen last?", sql).await;
        assert!(found.contains(&"orders numbers as texts"), "{sql}: {found:?}");
    }
    let found =
        faults(&shop, "Which film has the highest lot?", "SELECT name FROM film ORDER BY lot DESC LIMIT 1")
            .await;
    assert!(found.contains(&"orders numbers as texts"), "{found:?}");
}
