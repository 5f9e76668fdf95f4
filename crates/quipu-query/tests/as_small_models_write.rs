//! Slips that small models make in SQL, each with a question of its kind.

use crate::common::checks::{check, graph};
use crate::common::{Shop, answers, read};
use quipu_query::asked::{Candidate, Nearness, TableQuestion, bind_as_asked, features, meant};
use quipu_query::{Found, RunLimits, plan, read_sql, run};

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
    ] {
        assert_eq!(doubts(&shop, question, sql).await, Vec::from_iter(expected), "{question}");
    }
}

/// The words that forbid a reading to be sure.
async fn doubts(shop: &Shop, question: &str, sql: &str) -> Vec<String> {
    let bound = read(shop, question, sql);
    let plan = plan(&bound.query, &shop.tables).unwrap();
    let rows = run(&shop.workspace, &plan, &RunLimits::default()).await.unwrap();
    let candidate = Candidate {
        bound,
        plan,
        rows,
        words: String::new(),
        near: Nearness::default(),
        role: 0.0,
        likelihood: None,
        repaired: false,
        ties: 0,
        path: None,
    };
    let asking = TableQuestion { text: question, tables: &shop.tables, values: &shop.values };
    features(&asking, &candidate, std::slice::from_ref(&candidate)).1.meanings
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
    assert_eq!(doubts(&shop, "Which land is the smallest?", sql).await, ["smallest"]);
}
