//! Slips that small models make in SQL, each with a question of its kind.

use crate::common::checks::{check, doubts, graph, weighed};
use crate::common::{Shop, answers, asked_rows, read};
use quipu_query::{Found, How, Match, Mention, Place, read_sql};
use quipu_reading::{Nearness, bind_as_asked, meant};

async fn gallery() -> Shop {
    Shop::of("gallery.ttl", include_str!("gallery.ttl")).await.unwrap()
}

#[tokio::test]
async fn a_name_within_links_is_not_the_value_that_is_named() {
    let shop = gallery().await;
    let sql = "SELECT name FROM artist WHERE name IN (SELECT name FROM artist_speaks WHERE speaks = 'German') \
               AND name IN (SELECT name FROM artist_speaks WHERE speaks = 'Spanish')";
    assert_eq!(answers(&shop, "Who speaks both German and Spanish?", sql).await, ["Ada Lee"]);
}

#[tokio::test]
async fn a_code_is_not_compared_with_names() {
    let shop = gallery().await;
    let within = "SELECT name FROM artist WHERE code IN (SELECT painted_by FROM painting WHERE hangs_in = 'South Hall')";
    assert_eq!(answers(&shop, "Which artists hang in South Hall?", within).await, ["Bo Ray"]);
    let joined = "SELECT DISTINCT artist.name FROM artist JOIN painting ON artist.code = painting.painted_by \
                  WHERE painting.hangs_in = 'South Hall'";
    assert_eq!(answers(&shop, "Which artists hang in South Hall?", joined).await, ["Bo Ray"]);
}

#[tokio::test]
async fn a_condition_that_compares_a_column_with_itself_joins_nothing() {
    let shop = gallery().await;
    let sql = "SELECT museum.city FROM tram JOIN museum ON tram.country = museum.country WHERE tram.name = 'Line 12'";
    let query = read_sql(sql, None).unwrap();
    let error = bind_as_asked("Where is Line 12?", query, &shop.tables, &shop.values, &Found::default());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("compares museum.country with itself"), "{error}");
}

#[tokio::test]
async fn a_join_by_two_columns_of_one_table_joins_nothing() {
    let shop = gallery().await;
    let error = shop.bound("SELECT tram.name FROM museum JOIN tram ON tram.length_m = tram.top_speed_kmh");
    let error = error.unwrap_err().to_string();
    assert!(error.contains("joins no two tables"), "{error}");
}

#[tokio::test]
async fn of_two_things_that_are_offered_one_is_the_answer() {
    let shop = gallery().await;
    let of = |function: &str| {
        format!("SELECT {function}(length_m) FROM tram WHERE name IN ('Line 12', 'Line 12A')")
    };
    assert_eq!(answers(&shop, "What's longer, line 12 or line 12A?", &of("MAX")).await, ["Line 12A"]);
    assert_eq!(answers(&shop, "What's shorter, line 12A or line 12?", &of("MIN")).await, ["Line 12"]);
    let value = "What is the greater length, that of line 12 or of line 12A?";
    assert_eq!(answers(&shop, value, &of("MAX")).await, ["24"]);
    assert_eq!(answers(&shop, "How long is the longer of line 12 and line 12A?", &of("MAX")).await, ["24"]);
    let people = "What is the greatest number of people in line 12 or line 12A?";
    assert_eq!(answers(&shop, people, &of("MAX")).await, ["24"]);
    assert_eq!(answers(&shop, "When was the older of line 12 or line 12A built?", &of("MIN")).await, ["21"]);
}

#[tokio::test]
async fn a_text_that_names_a_thing_of_its_own_table_is_not_the_name_of_its_row() {
    let shop = graph(
        ":a a :Clerk ; rdfs:label \"Ada Lee\" ; :city \"Ghent\" ; :code \"A1\" . \
         :b a :Clerk ; rdfs:label \"Bo Ray\" ; :manager \"Ada Lee\" ; :city \"Velm\" ; :code \"B2\" .",
    )
    .await;
    let joined = "SELECT m.city FROM clerk e JOIN clerk m ON m.name = e.manager WHERE e.name = 'Bo Ray'";
    assert_eq!(answers(&shop, "In which city does Bo Ray's manager live?", joined).await, ["Ghent"]);
}

#[tokio::test]
async fn a_type_that_no_thing_has_itself_means_the_types_below_it() {
    let shop = gallery().await;
    let kinds = "SELECT name FROM animal WHERE kind = 'mollusc'";
    assert_eq!(answers(&shop, "List the molluscs", kinds).await, ["kraken", "whelk"]);
    let plural = "SELECT name FROM animal WHERE kind = 'molluscs'";
    assert_eq!(answers(&shop, "molluscs", plural).await, ["kraken", "whelk"]);
    assert!(shop.bound("SELECT name FROM animal WHERE kind = 'bird'").is_err());
}

#[tokio::test]
async fn who_influenced_most_stands_on_the_other_side_of_influenced_by() {
    let shop = gallery().await;
    let by = |end: &str| {
        format!("SELECT {end} FROM artist_influenced_by GROUP BY {end} ORDER BY COUNT(*) DESC LIMIT 1")
    };
    for (question, expected) in [
        ("Which artist has influenced the most other artists?", "Ada Lee"),
        ("Who influenced the most artists?", "Ada Lee"),
        ("Which artist was influenced by the most artists?", "Cy Orb"),
    ] {
        for end in ["artist", "influenced_by"] {
            assert_eq!(answers(&shop, question, &by(end)).await, [expected], "{question} {end}");
        }
    }
    // Here the question word is not the end that is counted for.
    for question in [
        "By whom were the most artists influenced?",
        "By which artist were the most artists influenced?",
        "How many artists were influenced by each artist?",
    ] {
        assert_eq!(answers(&shop, question, &by("influenced_by")).await, ["Ada Lee"], "{question}");
    }
}

#[tokio::test]
async fn a_longer_name_is_not_a_place_of_the_shorter_one() {
    let shop = gallery().await;
    let of = |name: &str| format!("(SELECT length_m FROM tram WHERE name = '{name}')");
    let question = "How much longer is line 12A than line 12?";
    for (one, other) in [("Line 12A", "Line 12"), ("Line 12", "Line 12A")] {
        let sql = format!("SELECT {} - {}", of(one), of(other));
        assert_eq!(answers(&shop, question, &sql).await, ["3"], "{sql}");
    }
}

#[tokio::test]
async fn a_number_that_grew_keeps_its_sign() {
    let shop = graph(
        ":a a :Fair ; rdfs:label \"2019 Fair\" ; :attendance 900 ; :began \"2019-05-04\"^^xsd:date . \
         :b a :Fair ; rdfs:label \"2020 Fair\" ; :attendance 600 ; :began \"2020-05-04\"^^xsd:date .",
    )
    .await;
    let of = |name: &str, column: &str| format!("(SELECT {column} FROM fair WHERE name = '{name}')");
    let sql = |column: &str| format!("SELECT {} - {}", of("2020 Fair", column), of("2019 Fair", column));
    let grew = "By how much did attendance grow between the 2019 Fair and the 2020 Fair?";
    assert_eq!(answers(&shop, grew, &sql("attendance")).await, ["-300"]);
    let apart = "What is the difference in attendance between the 2019 Fair and the 2020 Fair?";
    assert_eq!(answers(&shop, apart, &sql("attendance")).await, ["300"]);
    let backwards = format!("SELECT {} - {}", of("2019 Fair", "began"), of("2020 Fair", "began"));
    let days = "How many days lie between the 2019 Fair and the 2020 Fair?";
    assert_eq!(answers(&shop, days, &backwards).await, ["366"]);
}

#[tokio::test]
async fn one_year_among_days_makes_no_years() {
    let shop = graph(
        ":a a :Shop ; rdfs:label \"A\" ; :opened \"1990-05-01\"^^xsd:date . \
         :b a :Shop ; rdfs:label \"B\" ; :opened \"1990-06-01\"^^xsd:date . \
         :c a :Shop ; rdfs:label \"C\" ; :opened \"1985\"^^xsd:gYear .",
    )
    .await;
    let of = |name: &str| format!("(SELECT opened FROM shop WHERE name = '{name}')");
    check(&shop, &format!("SELECT {} - {}", of("B"), of("A")), &["31"]).await;
}

#[tokio::test]
async fn a_value_of_several_columns_is_that_of_the_kind_asked_for() {
    let shop = gallery().await;
    let column = |question: &str| -> Option<String> {
        let mention =
            shop.values.mentions(question).into_iter().find(|one| one.text.to_lowercase() == "ghent")?;
        let found = meant(question, &mention, &shop.tables)?;
        Some(shop.tables.column(found.place)?.id.clone())
    };
    assert_eq!(column("artists from ghent").as_deref(), Some("birthplace"));
    assert_eq!(column("museums in ghent").as_deref(), Some("city"));
    assert_eq!(column("the trams of ghent"), None);
    assert_eq!(column("paintings by ghent artists").as_deref(), Some("birthplace"));
    // Paintings, which stand nearest, have links to artists and to museums.
    assert_eq!(column("artists with paintings in ghent"), None);
}

#[tokio::test]
async fn the_noun_behind_which_tells_the_kind_whatever_follows_it() {
    let shop = gallery().await;
    let pests = "SELECT works_against FROM treatment_works_against WHERE treatment = 'Greywash'";
    let museum = "SELECT hangs_in FROM painting GROUP BY hangs_in ORDER BY COUNT(*) DESC LIMIT 1";
    let speed = "SELECT top_speed_kmh FROM tram WHERE name = 'Silver Plover'";
    for (question, sql, expected) in [
        ("Which treatments help against the pests of Greywash?", pests, Some("treatments")),
        ("Which pests does Greywash help against?", pests, None),
        ("Which country's museums hold the most paintings?", museum, Some("country")),
        ("Which museum holds the most paintings?", museum, None),
        ("What is the maximum speed of the Silver Plover?", speed, None),
        ("What is the minimum speed of the Silver Plover?", speed, Some("minimum")),
        ("Which tram has the highest top speed?", "SELECT name, top_speed_kmh FROM tram", Some("highest")),
    ] {
        assert_eq!(doubts(&shop, question, sql).await, Vec::from_iter(expected), "{question}");
    }
}

#[tokio::test]
async fn a_ratio_of_other_things_and_a_zero_with_words_left_out_are_doubtful() {
    let shop = gallery().await;
    let ratio =
        |a: &str, b: &str| format!("SELECT 1.0 * (SELECT COUNT(*) FROM {a}) / (SELECT COUNT(*) FROM {b})");
    let question = "What is the ratio of paintings in museums to paintings in trams?";
    assert_eq!(doubts(&shop, question, &ratio("museum", "tram")).await, ["paintings"]);
    let question = "What is the ratio of museums to trams?";
    assert_eq!(doubts(&shop, question, &ratio("museum", "tram")).await, Vec::<String>::new());
    let none = "SELECT COUNT(*) FROM tram WHERE top_speed_kmh > 900";
    for (question, is_doubtful) in [
        ("How many trams have a top speed above 900 kmh?", false),
        ("How many restored trams have a top speed above 900 kmh?", true),
    ] {
        let (features, _) = weighed(&shop, question, none, Nearness::default(), &[]).await;
        assert_eq!(features.is_doubtful(), is_doubtful, "{question}");
    }
}

#[tokio::test]
async fn groups_of_other_things_and_names_of_another_kind_are_doubtful() {
    let shop = gallery().await;
    let by_museum = "SELECT hangs_in, COUNT(*) FROM painting GROUP BY hangs_in";
    for (question, expected) in [
        // The country of each museum.
        ("How many paintings hang in each country?", None),
        ("How many paintings hang in each museum?", None),
        // The graph has no salons, and a museum may be meant.
        ("How many paintings hang in each salon?", None),
    ] {
        assert_eq!(
            doubts(&shop, question, by_museum).await,
            Vec::<String>::from_iter(expected),
            "{question}"
        );
    }
    let asked = "How many paintings hang in each country?";
    assert_eq!(asked_rows(&shop, asked, by_museum).await, ["Ostmere | 2", "Westmere | 1"]);
    let of_artist = "SELECT name FROM painting WHERE painted_by = 'Bo Ray'";
    for (question, expected) in [
        ("Which paintings does the museum Bo Ray show?", Some("museum")),
        ("Which paintings does the artist Bo Ray show?", None),
        ("Which paintings did Bo Ray paint?", None),
    ] {
        assert_eq!(doubts(&shop, question, of_artist).await, Vec::from_iter(expected), "{question}");
    }
}

#[tokio::test]
async fn a_length_for_a_day_and_a_day_for_none_and_a_share_of_links_are_doubtful() {
    let shop = graph(
        ":a a :Parcel ; rdfs:label \"Red Parcel\" ; :ordered \"2024-03-01\"^^xsd:date ; \
           :delivered \"2024-03-05\"^^xsd:date ; :weightKg 12 ; :stop :x, :y . \
         :b a :Parcel ; rdfs:label \"Blue Parcel\" ; :ordered \"2024-04-01\"^^xsd:date ; :weightKg 7 . \
         :c a :Parcel ; rdfs:label \"Grey Parcel\" ; :ordered \"2024-04-02\"^^xsd:date ; \
           :delivered \"2024-04-03\"^^xsd:date ; :weightKg 3 ; :stop :x . \
         :x a :Depot ; rdfs:label \"Ghent\" . :y a :Depot ; rdfs:label \"Velm\" .",
    )
    .await;
    let column = |of: &str| format!("SELECT {of} FROM parcel WHERE name = 'Red Parcel'");
    let not_on = |day: &str| format!("SELECT name FROM parcel WHERE delivered <> '{day}'");
    let share = |of: &str| {
        format!("SELECT 100.0 * SUM(CASE WHEN stop = 'Ghent' THEN 1 ELSE 0 END) / COUNT(*) FROM {of}")
    };
    // Two of three parcels, and not two of three stops.
    let asked = "What percentage of parcels stop in Ghent?";
    assert_eq!(answers(&shop, asked, &share("parcel_stop")).await, ["66.666666667"]);
    for (question, sql, expected) in [
        ("When did the Red Parcel arrive?", column("weight_kg"), Some("when")),
        ("When was the Red Parcel delivered?", column("delivered"), None),
        ("Which parcels were not delivered?", not_on("2024-03-05"), Some("delivered")),
        ("Which parcels were not delivered on 2024-03-05?", not_on("2024-03-05"), None),
    ] {
        let doubts = doubts(&shop, question, &sql).await;
        assert_eq!(doubts, Vec::from_iter(expected), "{question} {sql}");
    }
}

#[tokio::test]
async fn years_are_subtracted_and_averaged_as_years() {
    let shop = graph(
        ":a a :Mill ; rdfs:label \"A\" ; :built \"1933\"^^xsd:gYear . \
         :b a :Mill ; rdfs:label \"B\" ; :built \"2014\"^^xsd:gYear . \
         :c a :Mill ; rdfs:label \"C\" ; :built \"2017\"^^xsd:gYear .",
    )
    .await;
    let of = |name: &str| format!("(SELECT built FROM mill WHERE name = '{name}')");
    check(&shop, &format!("SELECT {} - {}", of("B"), of("A")), &["81"]).await;
    let between = "How many years lie between the building of A and that of B?";
    for (one, other) in [("A", "B"), ("B", "A")] {
        let sql = format!("SELECT {} - {}", of(one), of(other));
        assert_eq!(answers(&shop, between, &sql).await, ["81"], "{sql}");
    }
    check(&shop, "SELECT MAX(built) - MIN(built) FROM mill", &["84"]).await;
    check(&shop, "SELECT 2020 - built FROM mill WHERE name = 'C'", &["3"]).await;
    check(&shop, "SELECT AVG(built) FROM mill WHERE name <> 'A'", &["2015.5"]).await;
}

#[tokio::test]
async fn a_condition_behind_having_that_calculates_nothing_is_one_of_rows() {
    let shop = gallery().await;
    let of_ostmere = "SELECT hangs_in, COUNT(*) FROM painting GROUP BY hangs_in HAVING country = 'Ostmere'";
    check(&shop, of_ostmere, &["North Hall | 2"]).await;
    let both = "SELECT hangs_in, COUNT(*) FROM painting GROUP BY hangs_in HAVING COUNT(*) > 1 AND hangs_in <> 'Nowhere Hall'";
    assert!(shop.lines(both).await[0].starts_with("error"), "no museum has that name");
    let named = "SELECT painted_by, COUNT(*) FROM painting GROUP BY painted_by HAVING COUNT(*) > 1 AND painted_by <> 'Ada Lee'";
    check(&shop, named, &["Bo Ray | 2"]).await;
    // An artist who speaks both counts once.
    let spoken =
        "SELECT birthplace, COUNT(*) FROM artist GROUP BY birthplace HAVING speaks IN ('German', 'Spanish')";
    check(&shop, spoken, &["Ghent | 1", "Velm | 2"]).await;
}

#[tokio::test]
async fn a_function_word_names_no_column_that_begins_with_it() {
    let shop = graph(
        ":a a :Beast ; rdfs:label \"Imp\" ; :fortValue 3 ; :con 14 ; :cha 2 . \
         :b a :Beast ; rdfs:label \"Elk\" ; :fortValue 5 ; :con 9 ; :cha 7 .",
    )
    .await;
    for (question, column, expected) in [
        ("What is the maximum value of the constitution attribute for beasts?", "con", "14"),
        ("What is the maximum charisma value for beasts?", "cha", "7"),
    ] {
        let sql = format!("SELECT MAX({column}) FROM beast");
        assert_eq!(answers(&shop, question, &sql).await, [expected], "{question}");
    }
    let fort = "What is the maximum fort value of the beasts?";
    assert_eq!(answers(&shop, fort, "SELECT MAX(con) FROM beast").await, ["5"]);
}

#[tokio::test]
async fn a_superlative_beside_a_measure_asks_for_that_measure() {
    let shop = graph(
        ":a a :Land ; rdfs:label \"Ord\" ; :population 300 ; :areaKm2 9 . \
         :b a :Land ; rdfs:label \"Velm\" ; :population 200 ; :areaKm2 20 .",
    )
    .await;
    let sql = "SELECT name FROM land ORDER BY population LIMIT 1";
    for question in ["Which land has the smallest population?", "What is the smallest land by population?"] {
        assert_eq!(doubts(&shop, question, sql).await, Vec::<String>::new(), "{question}");
    }
}

#[tokio::test]
async fn a_superlative_orders_by_the_only_column_of_its_measure() {
    let land = ":a a :Land ; rdfs:label \"Ord\" ; :population 300 ; :areaKm2 9 . \
                :b a :Land ; rdfs:label \"Velm\" ; :population 200 ; :areaKm2 20 .";
    let shop = graph(land).await;
    let question = "Which land is the smallest?";
    let (order, least) =
        ("SELECT name FROM land ORDER BY population LIMIT 1", "SELECT MIN(population) FROM land");
    assert_eq!(answers(&shop, question, order).await, ["Ord"]);
    assert_eq!(doubts(&shop, question, order).await, Vec::<String>::new());
    assert_eq!(answers(&shop, "What is the smallest land?", least).await, ["Ord"]);
    // A condition keeps its column.
    let of_many = "SELECT name FROM land WHERE population > 250 ORDER BY population LIMIT 1";
    assert_eq!(answers(&shop, "Which is the smallest land with over 250 people?", of_many).await, ["Ord"]);
    // The things' own noun names no measure.
    let good = graph(
        ":a a :Product ; rdfs:label \"Anvil\" ; :productPrice 3 ; :productWeight 90 . \
         :b a :Product ; rdfs:label \"Clock\" ; :productPrice 80 ; :productWeight 2 .",
    )
    .await;
    let dearest = "SELECT name FROM product ORDER BY product_price DESC LIMIT 1";
    assert_eq!(answers(&good, "What is the heaviest product?", dearest).await, ["Anvil"]);
    let numbered = "SELECT MAX(product_weight) FROM product";
    assert_eq!(doubts(&good, "What is the highest product weight?", numbered).await, Vec::<String>::new());
    // "Number of" names the measure in other words, and so does a value that is given.
    let tall = graph(
        ":a a :Building ; rdfs:label \"Elm\" ; :floors 9 ; :heightM 20 . :b a :Building ; rdfs:label \"Oak\" ; :floors 4 ; :heightM 50 .",
    )
    .await;
    let floors = "SELECT name FROM building ORDER BY floors DESC LIMIT 1";
    assert_eq!(answers(&tall, "Which building has the highest number of floors?", floors).await, ["Elm"]);
    let given = "SELECT population FROM land ORDER BY population LIMIT 1";
    assert_eq!(answers(&shop, "What is the population of the smallest land?", given).await, ["200"]);
    let two = graph(&format!("{land} :a :waterAreaKm2 3 . :b :waterAreaKm2 1 .")).await;
    assert_eq!(doubts(&two, question, order).await, ["smallest"]);
}

#[tokio::test]
async fn two_superlatives_ask_for_two_extremes() {
    let shop = gallery().await;
    let one = "SELECT museum.name FROM museum JOIN painting ON painting.hangs_in = museum.name \
               JOIN animal ON painting.shows = animal.name ORDER BY animal.size_cm DESC LIMIT 1";
    assert_eq!(
        doubts(&shop, "Where does the painting of the biggest animal hang?", one).await,
        Vec::<String>::new()
    );
    let question = "Where does the most expensive painting of the smallest animal hang?";
    assert!(doubts(&shop, question, one).await.contains(&"smallest".to_owned()));
    let keys = "SELECT name FROM tram ORDER BY top_speed_kmh DESC, length_m LIMIT 1";
    let nested = doubts(&shop, "Which is the fastest tram of the shortest line?", keys).await;
    assert!(nested.contains(&"shortest".to_owned()), "{nested:?}");
    let ranked = "Which tram has the highest top speed and the lowest length?";
    assert_eq!(doubts(&shop, ranked, keys).await, Vec::<String>::new());
    let both = "SELECT MAX(top_speed_kmh), MIN(top_speed_kmh) FROM tram";
    assert_eq!(
        doubts(&shop, "What are the highest and the lowest top speed?", both).await,
        Vec::<String>::new()
    );
    let sorted = "SELECT name FROM tram ORDER BY top_speed_kmh DESC";
    assert_eq!(
        doubts(&shop, "Sort the trams from the fastest to the slowest", sorted).await,
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn the_extreme_of_one_thing_tells_nothing() {
    let shop = gallery().await;
    let question = "Which is the longest of the trams that cross Line 12?";
    for name in ["'Line 12'", "(SELECT name FROM tram WHERE name = 'Line 12')"] {
        let sql = format!("SELECT length_m FROM tram WHERE name = {name} ORDER BY length_m DESC LIMIT 1");
        assert!(doubts(&shop, question, &sql).await.contains(&"longest".to_owned()), "{sql}");
    }
}

#[tokio::test]
async fn rows_are_not_ordered_by_a_search() {
    let shop = gallery().await;
    let error =
        shop.bound("SELECT name FROM museum ORDER BY name IN (SELECT hangs_in FROM painting) LIMIT 1");
    assert!(error.unwrap_err().to_string().contains("order by a column"));
}

#[tokio::test]
async fn each_extreme_of_two_has_its_own_superlative() {
    let shop = graph(
        ":o a :Land ; rdfs:label \"Ord\" ; :population 300 ; :areaKm2 9 . \
         :v a :Land ; rdfs:label \"Velm\" ; :population 200 ; :areaKm2 20 . \
         :a a :Town ; rdfs:label \"Ay\" ; :land :o ; :population 30 . \
         :b a :Town ; rdfs:label \"Bee\" ; :land :o ; :population 90 . \
         :c a :Town ; rdfs:label \"Cee\" ; :land :v ; :population 50 . \
         :d a :Town ; rdfs:label \"Dee\" ; :land :v ; :population 60 .",
    )
    .await;
    let sql = "SELECT name FROM town WHERE land = (SELECT name FROM land ORDER BY population LIMIT 1) \
               ORDER BY population LIMIT 1";
    let question = "What is the most populous town of the smallest land?";
    assert_eq!(answers(&shop, question, sql).await, ["Bee"]);
    assert_eq!(doubts(&shop, question, sql).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_condition_that_only_the_extreme_can_have_is_one_of_the_extreme() {
    let shop = gallery().await;
    let sql = "SELECT COUNT(*) FROM painting WHERE shows = (SELECT name FROM animal ORDER BY size_cm LIMIT 1) \
               AND kind = 'squid'";
    assert_eq!(answers(&shop, "How many paintings show the smallest squid?", sql).await, ["1"]);
    // A column of the painting stays one of the painting.
    let own = "SELECT COUNT(*) FROM painting WHERE shows = (SELECT name FROM animal ORDER BY size_cm LIMIT 1) \
               AND painted_by = 'Bo Ray'";
    assert_eq!(answers(&shop, "How many paintings by Bo Ray show the smallest animal?", own).await, ["0"]);
}

#[tokio::test]
async fn a_word_before_a_name_may_make_another_name() {
    let shop = graph(
        ":s a :Land ; rdfs:label \"Sudan\" ; :speaks \"Arabic\" . :n a :Land ; rdfs:label \"South Sudan\" ; :speaks \"Dinka\" .",
    )
    .await;
    let sql = "SELECT speaks FROM land WHERE name = 'Sudan'";
    assert_eq!(doubts(&shop, "What does West Sudan speak?", sql).await, ["west"]);
    assert_eq!(doubts(&shop, "What does old Sudan speak?", sql).await, Vec::<String>::new());
    assert_eq!(doubts(&shop, "Which language does Sudan speak?", sql).await, Vec::<String>::new());
    let south = "SELECT speaks FROM land WHERE name = 'South Sudan'";
    assert_eq!(doubts(&shop, "What does South Sudan speak?", south).await, Vec::<String>::new());
}

#[tokio::test]
async fn more_of_one_thing_is_not_more_of_another() {
    let shop = graph(
        ":a a :Dish ; rdfs:label \"Leek Pie\" ; :calories 300 . :b a :Dish ; rdfs:label \"Pea Soup\" ; :calories 200 .",
    )
    .await;
    let sql = "SELECT name FROM dish WHERE name IN ('Leek Pie', 'Pea Soup') ORDER BY calories DESC LIMIT 1";
    let question = "Which has more salt, the Leek Pie or the Pea Soup?";
    let near = |similarity: f64| Nearness {
        asked: [("salt".to_owned(), similarity)].into_iter().collect(),
        ..Nearness::default()
    };
    assert_eq!(weighed(&shop, question, sql, near(0.2), &[]).await.1.meanings, ["salt"]);
    assert_eq!(weighed(&shop, question, sql, near(0.6), &[]).await.1.meanings, Vec::<String>::new());
}

#[tokio::test]
async fn a_no_needs_the_question_s_own_words() {
    let shop = graph(":a a :Dish ; rdfs:label \"Leek Pie\" ; :diet \"vegan\" . :b a :Dish ; rdfs:label \"Pea Soup\" ; :diet \"gluten free\" .").await;
    let sql = |diet: &str| {
        format!("SELECT EXISTS (SELECT 1 FROM dish WHERE name = 'Leek Pie' AND diet = '{diet}')")
    };
    let is_doubtful = async |question: &str, diet: &str| {
        weighed(&shop, question, &sql(diet), Nearness::default(), &[]).await.0.is_doubtful()
    };
    assert!(is_doubtful("Can I freeze the Leek Pie?", "gluten free").await);
    assert!(!is_doubtful("Is the Leek Pie gluten free?", "gluten free").await);
    let tongues = graph(
        ":a a :Beast ; rdfs:label \"Imp\" ; :speaks :ElderL . :b a :Beast ; rdfs:label \"Elk\" ; :speaks :BoggardL . \
         :ElderL a :Tongue . :BoggardL a :Tongue .",
    )
    .await;
    let of = |tongue: &str| {
        format!("SELECT EXISTS (SELECT 1 FROM beast WHERE name = 'Imp' AND speaks = '{tongue}')")
    };
    let is_no = async |question: &str, tongue: &str| {
        weighed(&tongues, question, &of(tongue), Nearness::default(), &[]).await.0.is_doubtful()
    };
    assert!(!is_no("Does Imp speak the boggarg language?", "BoggardL").await);
    assert!(is_no("Does Imp speak the swamp language?", "BoggardL").await);
}

#[tokio::test]
async fn names_of_large_tables_are_not_left_out_either() {
    let shop = gallery().await;
    let sql = "SELECT city FROM museum";
    let named = Mention {
        text: "Casablanca".into(),
        matches: vec![Match {
            place: Place { table: 0, column: 0 },
            terms: Vec::new(),
            shown: Vec::new(),
            how: How::Exact,
        }],
    };
    let all = "What is the city of Casablanca?";
    assert_eq!(doubts(&shop, all, sql).await, ["casablanca"]);
    assert_eq!(doubts(&shop, "What are the cities of the museums?", sql).await, Vec::<String>::new());
    let question = "Of which museum is Casablanca the city?";
    let values =
        async |named: &[Mention]| weighed(&shop, question, sql, Nearness::default(), named).await.1.values;
    assert_eq!(values(&[named]).await, ["Casablanca"]);
    assert_eq!(values(&[]).await, [""; 0]);
}

#[tokio::test]
async fn a_link_that_a_thing_lacks_is_said_by_its_name() {
    let shop = graph(
        ":a a :Lighthouse ; rdfs:label \"Ord Light\" ; :keptBy :p, :q . :b a :Lighthouse ; rdfs:label \"Velm Light\" . \
         :p a :Person ; rdfs:label \"Ada\" . :q a :Person ; rdfs:label \"Bo\" .",
    )
    .await;
    let sql = "SELECT name FROM lighthouse WHERE name NOT IN (SELECT lighthouse FROM lighthouse_kept_by)";
    let question = "Which lighthouse has no keeper?";
    assert_eq!(answers(&shop, question, sql).await, ["Velm Light"]);
    let (features, left_out) = weighed(&shop, question, sql, Nearness::default(), &[]).await;
    assert_eq!((left_out.meanings, left_out.names, features.is_doubtful()), (vec![], vec![], false));
    let said = quipu_query::say(&read(&shop, question, sql).query, &shop.tables);
    assert_eq!(said, "the Lighthouse, where it has no kept by");
}

#[tokio::test]
async fn things_that_are_not_among_their_own_values_lack_one() {
    let shop = Shop::of("transit.ttl", include_str!("transit.ttl")).await.unwrap();
    let within = |not: &str, more: &str| {
        format!("SELECT name FROM line WHERE name {not} IN (SELECT T2.length_km FROM line AS T2 {more})")
    };
    let question = "Which lines have not been measured?";
    for more in ["", "WHERE T2.length_km IS NOT NULL"] {
        assert_eq!(answers(&shop, question, &within("NOT", more)).await, ["F2 Wrenhaven Shuttle"]);
    }
    let with = answers(&shop, "Which lines have been measured?", &within("", "")).await;
    assert_eq!(with, ["Line 12", "Line 12A"]);
    let said = quipu_query::say(&read(&shop, question, &within("NOT", "")).query, &shop.tables);
    assert_eq!(said, "the Line whose length km is not stated");
    // The lengths of some lines: whatever that means, it is not the lines without one.
    let some = read(&shop, question, &within("NOT", "WHERE T2.mode = 'bus'")).query.to_string();
    assert!(some.contains("NOT IN"), "{some}");
    // A text may name a thing of the same kind.
    let named = graph(
        ":a a :Person ; rdfs:label \"Ada\" ; :mentor \"Bo\" . :b a :Person ; rdfs:label \"Bo\" ; :mentor \"Cy\" . \
         :c a :Person ; rdfs:label \"Cy\" .",
    )
    .await;
    let sql = "SELECT name FROM person WHERE name NOT IN (SELECT mentor FROM person)";
    let query = read(&named, "Who mentors nobody?", sql).query.to_string();
    assert!(query.contains("NOT IN"), "{query}");
}

/// The graph's own names come first: a word that is the title of a column is asked for.
#[tokio::test]
async fn a_left_out_word_that_names_a_column_of_the_tables_is_doubtful() {
    let lands = r#"
@prefix e: <http://land.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:m a e:Country ; rdfs:label "Morland" ; e:capital e:rab ; e:currency "crown" .
e:c a e:Country ; rdfs:label "Chalk" ; e:capital e:sant ; e:currency "mark" .
e:casa a e:City ; rdfs:label "Casabell" ; e:country e:m ; e:people 9 ; e:coastal true .
e:rab a e:City ; rdfs:label "Rabell" ; e:country e:m ; e:people 3 ; e:coastal true .
e:sant a e:City ; rdfs:label "Santell" ; e:country e:c ; e:people 7 ; e:coastal false .
"#;
    let shop = Shop::of("lands.ttl", lands).await.unwrap();
    let of_city = "SELECT country.name FROM city JOIN country ON city.country = country.name WHERE city.name = 'Casabell'";
    let of_capital = "SELECT name FROM country WHERE capital = 'Rabell'";
    let largest = "SELECT name FROM city ORDER BY people DESC LIMIT 1";
    for (question, sql, expected) in [
        ("Of which country is Casabell the capital?", of_city, Some("capital")),
        ("Of which country is Rabell the capital?", of_capital, None),
        ("In which country is Casabell?", of_city, None),
        // Words for what a thing is like may only tell which one is meant.
        ("In which country is the coastal city Casabell?", of_city, None),
        ("In which country, by its currency, is Casabell?", of_city, None),
        ("Which city has the most people?", largest, None),
    ] {
        assert_eq!(doubts(&shop, question, sql).await, Vec::from_iter(expected), "{question}");
    }
}

/// A library's loans: what was not returned has no date of return, and is not what was never lent.
#[tokio::test]
async fn a_property_behind_a_negation_is_the_one_denied() {
    let shop = graph(
        ":b1 a :Book ; rdfs:label \"Gulls\" . :b2 a :Book ; rdfs:label \"Rope\" . :b3 a :Book ; rdfs:label \"Salt\" . \
         :l1 a :Loan ; :book :b1 ; :returnedOn \"2024-01-30\" . :l2 a :Loan ; :book :b2 .",
    )
    .await;
    let never = "SELECT name FROM book WHERE name NOT IN (SELECT book FROM loan)";
    let others = "SELECT name FROM book EXCEPT SELECT book FROM loan";
    let lent = "SELECT book FROM loan WHERE returned_on IS NULL";
    let question = "Which books have not been returned?";
    assert_eq!(answers(&shop, question, never).await, ["Rope"]);
    assert_eq!(doubts(&shop, question, others).await, ["returned"]);
    assert_eq!(doubts(&shop, question, lent).await, Vec::<String>::new());
    assert_eq!(doubts(&shop, "Which books have never been lent?", never).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_number_in_letters_is_that_in_digits() {
    let shop = gallery().await;
    let sql = "SELECT name FROM tram ORDER BY length_m DESC LIMIT 2";
    let left_out =
        async |question: &str| weighed(&shop, question, sql, Nearness::default(), &[]).await.1.names;
    assert_eq!(left_out("What are the two longest trams?").await, Vec::<String>::new());
    assert_eq!(left_out("What are the three longest trams?").await, ["three"]);
}

/// "Younger than Pearl" is no name before hers: the model is told what has an order.
#[tokio::test]
async fn things_have_no_order() {
    let shop = gallery().await;
    let refused = |question: &str, sql: &str| {
        let query = read_sql(sql, None).unwrap();
        let bound = bind_as_asked(question, query, &shop.tables, &shop.values, &Found::default());
        bound.err().map(|error| error.to_string())
    };
    let name = &shop.lines("SELECT name FROM tram LIMIT 1").await[0];
    let faster = format!("SELECT name FROM tram WHERE name > '{name}'");
    let expected = format!(
        "tram have no order: compare a column such as tram.top_speed_kmh with \
         (SELECT top_speed_kmh FROM tram WHERE name = '{name}')"
    );
    assert_eq!(refused(&format!("Which trams are faster than {name}?"), &faster), Some(expected));
    assert_eq!(refused("Which trams are called after M?", "SELECT name FROM tram WHERE name > 'M'"), None);
    assert_eq!(refused(&format!("Which trams are not {name}?"), &faster.replace('>', "<>")), None);
}

/// Who is younger was born later.
#[tokio::test]
async fn a_comparative_of_ages_decides_the_direction_of_dates() {
    let pets = r#"
@prefix e: <http://pet.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
e:a a e:Cat ; rdfs:label "Momo" ; e:born "2019-11-20"^^xsd:date ; e:weight 4 .
e:b a e:Cat ; rdfs:label "Pearl" ; e:born "2016-01-05"^^xsd:date ; e:weight 5 .
e:c a e:Cat ; rdfs:label "Lola" ; e:born "2011-06-18"^^xsd:date ; e:weight 6 .
"#;
    let shop = Shop::of("pets.ttl", pets).await.unwrap();
    let born = |name: &str| format!("(SELECT born FROM cat WHERE name = '{name}')");
    let than = |sign: &str| format!("SELECT name FROM cat WHERE born {sign} {}", born("Pearl"));
    let two = |one: &str, sign: &str, other: &str| format!("SELECT {} {sign} {}", born(one), born(other));
    for (question, sql, expected) in [
        ("Which cats are younger than Pearl?", than("<"), vec!["Momo"]),
        ("Which cats are younger than Pearl?", than(">"), vec!["Momo"]),
        ("Which cats are older than Pearl?", than(">"), vec!["Lola"]),
        ("Is Momo younger than Pearl?", two("Momo", "<", "Pearl"), vec!["true"]),
        ("Is Momo younger than Pearl?", two("Pearl", ">", "Momo"), vec!["true"]),
        ("Is Momo older than Pearl?", two("Momo", ">", "Pearl"), vec!["false"]),
        ("Is Pearl older than Momo?", two("Pearl", "<", "Momo"), vec!["true"]),
        // Without a comparative, and with a fixed date, nothing is turned.
        ("Which cats were born before Pearl?", than("<"), vec!["Lola"]),
        (
            "Which older cats were born since 2015?",
            "SELECT name FROM cat WHERE born > '2018-01-01'".into(),
            vec!["Momo"],
        ),
        (
            "Which cats are heavier than Pearl?",
            "SELECT name FROM cat WHERE weight > (SELECT weight FROM cat WHERE name = 'Pearl')".into(),
            vec!["Lola"],
        ),
    ] {
        assert_eq!(answers(&shop, question, &sql).await, expected, "{question} {sql}");
    }
}
