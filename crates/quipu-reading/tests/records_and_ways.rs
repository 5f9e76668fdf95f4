//! Records without names shown in the tables that have them; values written in other ways; origins
//! and destinations; keys in place of names; values that a join repeats.

use quipu_query::{Doubt, Relevance, RenderConfig};
use quipu_reading::Nearness;

use crate::common::checks::{doubts, graph, weighed};
use crate::common::{Shop, answers, asked_rows, read, refused};

/// Bakeries with addresses, ratings and staff, and a product with prices in two currencies.
async fn bakeries() -> Shop {
    graph(
        ":b1 a :Bakery ; rdfs:label \"Mill Lane\" ; :address :a1 ; :rating :r1 ; :foundingDate \"1990-01-06\"^^xsd:date . \
         :b2 a :Bakery ; rdfs:label \"Harbour\" ; :address :a2 ; :rating :r2 ; :foundingDate \"1961-01-06\"^^xsd:date . \
         :s1 a :Supplier ; rdfs:label \"Alder Mill\" ; :address :a3 . \
         :a1 a :PostalAddress ; :addressLocality \"Linden\" ; :addressCountry \"AT\" . \
         :a2 a :PostalAddress ; :addressLocality \"Oberau\" ; :addressCountry \"CH\" . \
         :a3 a :PostalAddress ; :addressLocality \"Chur\" ; :addressCountry \"CH\" . \
         :r1 a :Rating ; :ratingValue 4.5 ; :bestRating 5 ; :reviewCount 30 . \
         :r2 a :Rating ; :ratingValue 3.5 ; :bestRating 5 ; :reviewCount 90 . \
         :p1 a :Product ; rdfs:label \"Rye Loaf\" ; :offers :o1, :o2 ; :weight :w1 . \
         :p2 a :Product ; rdfs:label \"Bun\" ; :offers :o3, :o4 ; :weight :w2 . \
         :o1 a :Offer ; :price 5.5 ; :priceCurrency \"EUR\" . :o2 a :Offer ; :price 6.2 ; :priceCurrency \"CHF\" . \
         :o3 a :Offer ; :price 5.9 ; :priceCurrency \"EUR\" . :o4 a :Offer ; :price 4.1 ; :priceCurrency \"CHF\" . \
         :w1 a :Weight ; :value 900 ; :unitCode \"g\" . :w2 a :Weight ; :value 80 ; :unitCode \"g\" . \
         :e1 a :Person ; rdfs:label \"Ida Falk\" ; :worksFor :b1 ; :jobTitle \"Baker\", \"Branch Manager\" . \
         :e2 a :Person ; rdfs:label \"Jon Gray\" ; :worksFor :b2 ; :jobTitle \"Baker\", \"Driver\" . \
         :h1 a :Hours ; :closes \"19:00:00\" . :h2 a :Hours ; :closes \"18:00:00\" . \
         :b1 :hours :h1 . :b2 :hours :h2 .",
    )
    .await
}

/// Flights between airports, with crew and aircraft from a database.
async fn flights() -> Shop {
    graph(
        ":a1 a :Airport ; rdfs:label \"Corvale\" . :a2 a :Airport ; rdfs:label \"Doma\" . \
         :c1 a :Crew ; rdfs:label \"Hana\" ; :crewId \"C001\" ; :flightHours 900 . \
         :c2 a :Crew ; rdfs:label \"Gita\" ; :crewId \"C002\" ; :flightHours 2000 . \
         :f1 a :Flight ; rdfs:label \"VG1\" ; :originAirport :a1 ; :destinationAirport :a2 ; :captain :c1 ; :delay 10 . \
         :f2 a :Flight ; rdfs:label \"VG2\" ; :originAirport :a2 ; :destinationAirport :a1 ; :captain :c1 ; :delay 30 . \
         :f3 a :Flight ; rdfs:label \"VG3\" ; :originAirport :a1 ; :destinationAirport :a2 ; :captain :c1 ; :delay 50 . \
         :f4 a :Flight ; rdfs:label \"VG4\" ; :originAirport :a1 ; :destinationAirport :a2 ; :captain :c2 ; :delay 0 .",
    )
    .await
}

#[tokio::test]
async fn records_of_one_thing_each_are_shown_in_its_table() {
    let shop = bakeries().await;
    let shown = shop.tables.render(&Relevance::default(), &RenderConfig::default()).text;
    let line = |table: &str| {
        let begins = format!("CREATE TABLE {table} (");
        shown.lines().find(|line| line.starts_with(&begins)).unwrap_or_default().to_owned()
    };
    for (table, column) in
        [("bakery", "address_country"), ("supplier", "address_country"), ("bakery", "rating_value")]
    {
        assert!(line(table).contains(&format!(" {column} ")), "{shown}");
    }
    assert!(line("postal_address").is_empty() && line("rating").is_empty(), "{shown}");
    // A weight keeps its name: a `value` of a product says nothing.
    assert!(line("product").contains("weight TEXT REFERENCES weight"), "{shown}");
    let sql = "SELECT name FROM bakery WHERE rating_value < 4 AND address_country = 'CH'";
    let question = "Which bakeries in CH have a rating value below 4?";
    assert_eq!(answers(&shop, question, sql).await, ["Harbour"]);
    assert!(read(&shop, question, sql).mends.iter().all(|mend| mend.doubt == Doubt::None));
    // No other table takes the place of one that shows the column.
    let first = "SELECT name FROM bakery ORDER BY rating_value DESC LIMIT 1";
    assert_eq!(answers(&shop, "Best rated shop of the chain?", first).await, ["Mill Lane"]);
    let best = "SELECT name FROM bakery ORDER BY best_rating DESC LIMIT 1";
    let (_, left) = weighed(&shop, "Best rated shop of the chain?", best, Nearness::default(), &[]).await;
    assert!(left.faults.contains(&"orders by one value"), "{left:?}");
    let address = quipu_query::Place { table: shop.tables.find("postal_address").unwrap(), column: 1 };
    let shown_as = |question: &str| {
        let words = quipu_query::words_of(question);
        shop.tables.shown_as(address, &words).map(|(table, _)| table.to_owned())
    };
    assert_eq!(shown_as("Which suppliers are in Chur?").as_deref(), Some("supplier"));
    assert_eq!(shown_as("What is in Chur?").as_deref(), Some("bakery"));
}

#[tokio::test]
async fn amounts_are_in_the_currency_that_is_named() {
    let shop = bakeries().await;
    let sql = "SELECT name FROM product ORDER BY price DESC LIMIT 1";
    let question = "What is the most expensive product when you pay in Swiss francs?";
    assert_eq!(answers(&shop, question, sql).await, ["Rye Loaf"]);
    let (_, left) = weighed(&shop, question, sql, Nearness::default(), &[]).await;
    assert!(left.faults.is_empty() && left.names == ["pay"], "{left:?}");
    let euros = "What is the most expensive product in euros?";
    assert_eq!(answers(&shop, euros, sql).await, ["Bun"]);
    let bound = "SELECT name FROM product WHERE price <= 5.50";
    let question = "Which products can I get for no more than 5.50 euros?";
    assert_eq!(answers(&shop, question, bound).await, ["Rye Loaf"]);
    assert_eq!(doubts(&shop, question, bound).await, Vec::<String>::new());
}

#[tokio::test]
async fn values_may_be_written_in_another_way() {
    let shop = bakeries().await;
    let left = async |question: &str, sql: &str| {
        let (_, left) = weighed(&shop, question, sql, Nearness::default(), &[]).await;
        (left.names, left.faults)
    };
    let none = (Vec::<String>::new(), Vec::<&str>::new());
    let count = "SELECT COUNT(*) FROM bakery WHERE address_country = 'CH'";
    assert_eq!(left("What is the number of bakeries in Switzerland (CH)?", count).await, none);
    let hours = "SELECT name FROM bakery WHERE closes >= '19:00:00'";
    assert_eq!(left("Which bakeries close at 7 pm or later?", hours).await, none);
    let at = "SELECT name FROM bakery WHERE closes = '18:30'";
    assert_eq!(answers(&shop, "Which bakeries close by 6:30 pm?", at).await, ["Harbour"]);
    assert!(refused(&shop, "Which bakeries close at 6:30 pm?", at).is_some());
    let oldest = "SELECT name FROM bakery ORDER BY founding_date LIMIT 1";
    let question = "Which of the bakeries is the longest established?";
    assert_eq!(answers(&shop, question, oldest).await, ["Harbour"]);
    assert_eq!(doubts(&shop, question, oldest).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_link_that_is_denied_of_somebody_named_needs_no_other_mention() {
    let shop = bakeries().await;
    let sql = "SELECT name FROM bakery WHERE name IN (SELECT works_for FROM person) AND name NOT IN \
               (SELECT works_for FROM person WHERE job_title = 'Branch Manager')";
    let question = "Are there bakeries without a branch manager, and if so which ones?";
    assert_eq!(answers(&shop, question, sql).await, ["Harbour"]);
    let (_, left) = weighed(&shop, question, sql, Nearness::default(), &[]).await;
    assert!(left.unsaid.is_empty() && left.faults.is_empty(), "{left:?}");
}

#[tokio::test]
async fn a_name_is_the_origin_or_the_destination_as_the_words_before_it_say() {
    let shop = flights().await;
    let to = "SELECT AVG(delay) FROM flight WHERE destination_airport = 'Corvale'";
    assert_eq!(answers(&shop, "What is the average delay of flights out of Corvale?", to).await, ["20"]);
    assert_eq!(answers(&shop, "What is the average delay of flights to Corvale?", to).await, ["30"]);
    let both = "SELECT name FROM flight WHERE origin_airport = 'Corvale' AND destination_airport = 'Doma'";
    let question = "Which flights go to Corvale from Doma?";
    assert_eq!(answers(&shop, question, both).await, ["VG2"]);
}

#[tokio::test]
async fn things_are_called_by_their_names_unless_their_keys_are_asked_for() {
    let shop = flights().await;
    let sql = "SELECT crew_id FROM crew WHERE flight_hours > 1000";
    assert_eq!(answers(&shop, "Crew who flew more than 1000 hours", sql).await, ["Gita"]);
    assert_eq!(answers(&shop, "Which crew ids have more than 1000 hours?", sql).await, ["C002"]);
    assert_eq!(answers(&shop, "IDs of whoever flew more than 1000 hours", sql).await, ["C002"]);
}

#[tokio::test]
async fn a_property_of_the_linked_thing_is_not_added_up_over_its_links() {
    let shop = flights().await;
    let sql = "SELECT captain FROM flight GROUP BY captain ORDER BY SUM(flight_hours) DESC LIMIT 1";
    assert_eq!(answers(&shop, "Which captain has the most flight hours?", sql).await, ["Gita"]);
    let each = "SELECT crew.name, AVG(crew.flight_hours) FROM crew JOIN flight ON flight.captain = crew.name \
                GROUP BY crew.name";
    let rows = asked_rows(&shop, "What are the flight hours of each captain?", each).await;
    assert_eq!(rows, ["Gita | 2000", "Hana | 900"]);
    // The delays of the flights are added up.
    let delays = "SELECT captain, SUM(delay) FROM flight GROUP BY captain";
    let rows = asked_rows(&shop, "What is the total delay of each captain?", delays).await;
    assert_eq!(rows, ["Gita | 0", "Hana | 90"]);
}

/// Bridges over rivers, some of whose engineers are their namesakes.
async fn bridges() -> Shop {
    graph(
        ":CoveredBridge rdfs:subClassOf :Bridge ; rdfs:label \"covered bridge\" . \
         :ArchBridge rdfs:subClassOf :Bridge ; rdfs:label \"arch bridge\" . :Bridge rdfs:label \"bridge\" . \
         :b1 a :CoveredBridge ; rdfs:label \"Sild Bridge\" ; :crosses :r1 ; :engineer :m, :h ; :namedAfter :h ; :length 90 . \
         :b2 a :ArchBridge ; rdfs:label \"Long Bridge\" ; :crosses :r2 ; :engineer :m ; :length 300 . \
         :r1 a :River ; rdfs:label \"Tarn\" . :r2 a :River ; rdfs:label \"Ulm Water\" . \
         :m a :Human ; rdfs:label \"Marta Eklund\" ; :placeOfBirth \"Visby\" . \
         :h a :Human ; rdfs:label \"Hugo Berg\" ; :placeOfBirth \"Oslo\" .",
    )
    .await
}

#[tokio::test]
async fn a_join_by_a_relation_of_several_values_uses_that_relation() {
    let shop = bridges().await;
    let sql = "SELECT human.place_of_birth FROM bridge JOIN human ON bridge.engineer = human.name \
               WHERE bridge.name = 'Long Bridge'";
    assert_eq!(answers(&shop, "Where was the engineer of the Long Bridge born?", sql).await, ["Visby"]);
}

#[tokio::test]
async fn who_worked_together_did_both() {
    let shop = bridges().await;
    let either = "SELECT name FROM bridge WHERE engineer IN ('Marta Eklund', 'Hugo Berg')";
    let question = "On which bridges did Marta Eklund and Hugo Berg work together?";
    assert_eq!(answers(&shop, question, either).await, ["Sild Bridge"]);
    let any = "Which bridges are by Marta Eklund or Hugo Berg?";
    assert_eq!(answers(&shop, any, either).await, ["Long Bridge", "Sild Bridge"]);
    let lengths = "SELECT length FROM bridge WHERE name IN ('Sild Bridge', 'Long Bridge')";
    let question = "What are the lengths of Sild Bridge and Long Bridge together?";
    assert_eq!(answers(&shop, question, lengths).await, ["300", "90"]);
}

#[tokio::test]
async fn the_word_that_tells_a_kind_is_not_left_out() {
    let shop = bridges().await;
    let question = "What is the average length of the covered bridges over the Ulm Water?";
    let all = "SELECT AVG(length) FROM bridge WHERE crosses = 'Ulm Water'";
    let asking = quipu_reading::TableQuestion {
        text: question,
        tables: &shop.tables,
        values: &shop.values,
        named: &[],
    };
    let left_out = |sql: &str| quipu_reading::names_left_out(&asking, &read(&shop, question, sql).query);
    assert_eq!(left_out(all).len(), 1);
    let (_, left) = weighed(&shop, question, all, Nearness::default(), &[]).await;
    assert!(left.faults.contains(&"leaves out a value of the graph"), "{left:?}");
    let covered = "SELECT AVG(length) FROM bridge WHERE kind = 'covered bridge' AND crosses = 'Ulm Water'";
    assert!(left_out(covered).is_empty());
}

#[tokio::test]
async fn a_count_of_all_is_no_count_of_some() {
    let shop = bakeries().await;
    let faults = async |question: &str, sql: &str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.faults
    };
    let all = "SELECT address_country, COUNT(*) FROM bakery GROUP BY address_country";
    let some = "How many bakeries in each address country offer delivery services?";
    assert!(faults(some, all).await.contains(&"counts all of them"));
    assert!(
        !faults("How many bakeries are there in each address country?", all)
            .await
            .contains(&"counts all of them")
    );
    let known = "SELECT address_country, COUNT(*) FROM bakery WHERE founding_date IS NOT NULL GROUP BY address_country";
    assert!(faults(some, known).await.contains(&"counts all of them"));
    let broken_down = "Break the shops of the chain down by address country: how many bakeries in each?";
    assert!(!faults(broken_down, all).await.contains(&"counts all of them"));
    let each = "SELECT review_count FROM bakery";
    assert!(
        faults("How many reviews were written about cake?", each).await.contains(&"gives a number of each")
    );
    let one = "SELECT review_count FROM bakery WHERE name = 'Harbour'";
    assert!(!faults("How many reviews does Harbour have?", one).await.contains(&"gives a number of each"));
}

#[tokio::test]
async fn what_is_named_so_is_of_the_kind_before_it() {
    let shop = bridges().await;
    let another = |question: &str, name: &str| {
        let river = ["http://g.test/River".to_owned()];
        quipu_reading::is_called_another_kind(question, name, &river, &shop.tables)
    };
    assert!(another("Which bridge is named Tarn?", "Tarn"));
    assert!(another("Who built the bridge called Tarn?", "Tarn"));
    assert!(!another("Which river is named Tarn?", "Tarn"));
    assert!(!another("Which bridge crosses a river named Tarn?", "Tarn"));
}

#[tokio::test]
async fn how_many_asks_for_what_stands_behind_it() {
    let mut text = String::new();
    for (beer, brewery) in [(1, 1), (2, 1), (3, 1), (4, 2)] {
        text += &format!(":p{beer} a :Beer ; rdfs:label \"Beer {beer}\" ; :brewedBy :b{brewery}, :b3 . ");
    }
    for (brewery, output) in [(1, 500), (2, 700), (3, 900)] {
        text += &format!(
            ":b{brewery} a :Brewery ; rdfs:label \"Brewery {brewery}\" ; :outputHl {output} ; :town \"Holm\" . "
        );
    }
    let shop = graph(&text).await;
    // The sum of a value of the breweries, which the model wrote for a number of beers.
    let each = "SELECT brewery.name, SUM(brewery.output_hl) FROM beer_brewed_by JOIN brewery ON \
                beer_brewed_by.brewed_by = brewery.name WHERE brewery.town = 'Holm' GROUP BY brewery.name";
    let question = "For each brewery in Holm, tell me how many beers it makes.";
    assert_eq!(asked_rows(&shop, question, each).await, ["Brewery 1 | 3", "Brewery 2 | 1", "Brewery 3 | 4"]);
    // An amount stays an amount, whatever stands before "how many".
    let all = "SELECT SUM(output_hl) FROM brewery WHERE town = 'Holm'";
    let question = "Adding up the breweries of Holm, how many hectolitres do they brew in a year?";
    assert_eq!(answers(&shop, question, all).await, ["2100"]);
    assert_eq!(answers(&shop, "How many breweries are there in Holm?", all).await, ["3"]);
}
