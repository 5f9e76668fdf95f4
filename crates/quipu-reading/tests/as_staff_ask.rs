//! Questions of an operator's staff with the SQL that a small model wrote for them: columns that
//! lie elsewhere, names within names, and numbers that were not asked for.

use crate::common::checks::graph;
use crate::common::{Shop, answers, asked_rows, read};
use quipu_query::{Found, read_sql};
use quipu_reading::{TableQuestion, bind_as_asked, names_left_out};

async fn transit() -> Shop {
    Shop::of("transit.ttl", include_str!("transit.ttl")).await.unwrap()
}

#[tokio::test]
async fn a_place_two_columns_away_wins_over_a_name_that_contains_it() {
    let shop = transit().await;
    let sql = "SELECT COUNT(*) FROM stop WHERE name = 'Wrenhaven'";
    assert_eq!(answers(&shop, "How many stops are there in Wrenhaven?", sql).await, ["2"]);
    // A name within another is not that other, unless the question has more of it.
    let shuttle = read(&shop, "", "SELECT name FROM line WHERE name = 'F2 Wrenhaven Shuttle'").query;
    let left_out = |question: &str| {
        let asking = TableQuestion { text: question, tables: &shop.tables, values: &shop.values, named: &[] };
        let found = names_left_out(&asking, &shuttle).into_iter();
        found.map(|(text, _)| text).collect::<Vec<_>>()
    };
    assert_eq!(left_out("Which lines are in Wrenhaven?"), ["Wrenhaven"]);
    assert_eq!(left_out("Where does the Wrenhaven shuttle stop?"), Vec::<String>::new());
}

#[tokio::test]
async fn the_city_of_a_depots_district_is_given_where_a_city_is_asked_for() {
    let shop = transit().await;
    let sql = "SELECT based_at FROM bus WHERE name = 'Bus 7'";
    assert_eq!(answers(&shop, "In which city is Bus 7 stationed?", sql).await, ["Wrenhaven"]);
    let statement = "Bus 9 has a home - what city is that in?";
    let sql = "SELECT based_at FROM bus WHERE name = 'Bus 9'";
    assert_eq!(answers(&shop, statement, sql).await, ["Torrin"]);
    assert_eq!(answers(&shop, "At which depot is Bus 9 stationed?", sql).await, ["East Yard"]);
}

#[tokio::test]
async fn things_are_linked_by_their_own_link_before_others() {
    let shop = transit().await;
    // By the complaints Line 12 would only meet Corn Row.
    let sql = "SELECT line.name FROM line JOIN stop ON line.name = stop.name WHERE stop.name = 'Corn Row'";
    let lines = ["F2 Wrenhaven Shuttle", "Line 12"];
    assert_eq!(answers(&shop, "Which lines call at Corn Row?", sql).await, lines);
}

#[tokio::test]
async fn both_is_not_either_within_another_query_too() {
    let shop = transit().await;
    let sql = "SELECT name FROM line WHERE name IN \
               (SELECT line FROM line_serves_stop WHERE serves_stop IN ('Market Square', 'Corn Row'))";
    let question = "Which lines call at both Market Square and Corn Row?";
    assert_eq!(answers(&shop, question, sql).await, ["Line 12"]);
    let either = "Which lines call at Market Square or Corn Row?";
    assert_eq!(answers(&shop, either, sql).await.len(), 3);
}

#[tokio::test]
async fn a_value_per_hour_is_no_value_for_each() {
    let shop = transit().await;
    let sql = "SELECT AVG(hourly_wage) FROM employee WHERE job_title = 'Bus driver'";
    let question = "What do bus drivers earn per hour on average?";
    assert_eq!(answers(&shop, question, sql).await, ["22"]);
}

#[tokio::test]
async fn a_date_is_found_by_its_verb() {
    let shop = transit().await;
    let sql = "SELECT name FROM bus ORDER BY purchase_date DESC LIMIT 1";
    assert_eq!(answers(&shop, "newest bus in the fleet", sql).await, ["Bus 9"]);
    let price = read_sql("SELECT purchase_price FROM bus WHERE name = 'Bus 7'", None).unwrap();
    let bound = bind_as_asked("price of Bus 7", price, &shop.tables, &shop.values, &Found::default());
    assert!(!bound.is_ok_and(|bound| bound.query.to_string().contains("purchased_on")));
}

#[tokio::test]
async fn plurals_and_codes_name_values() {
    let shop = transit().await;
    let named = |question: &str| -> Vec<(String, String)> {
        let mentions = shop.values.mentions(question).into_iter();
        mentions.map(|mention| (mention.text, mention.matches[0].shown[0].clone())).collect()
    };
    let one = |text: &str, name: &str| vec![(text.to_owned(), name.to_owned())];
    assert_eq!(named("the best paid bus drivers"), one("bus drivers", "Bus driver"));
    assert_eq!(named("how often does the 12A run"), one("12A", "Line 12A"));
    assert_eq!(named("lines shorter than 12km"), []);
}

#[tokio::test]
async fn the_noun_of_a_tables_name_is_its_rows() {
    let shop = transit().await;
    let sql = "SELECT course FROM training_course WHERE places > 5";
    assert_eq!(answers(&shop, "Which courses have more than 5 places?", sql).await, ["First Aid"]);
}

#[tokio::test]
async fn a_column_of_two_things_that_refer_here_is_not_guessed() {
    let shop = transit().await;
    let query = read_sql("SELECT name FROM employee WHERE site = 'Torrin'", None).unwrap();
    let bound = bind_as_asked("Who works in Torrin?", query, &shop.tables, &shop.values, &Found::default());
    let reason = bound.unwrap_err().to_string();
    assert!(reason.contains("posting.site or training_course.site"), "{reason}");
}

#[tokio::test]
async fn the_number_of_things_is_no_sum_and_the_number_named_is_meant() {
    let shop = transit().await;
    let sum = "SELECT SUM(cost) FROM complaint";
    assert_eq!(answers(&shop, "number of complaints", sum).await, ["2"]);
    assert_eq!(answers(&shop, "what is the total cost of complaints", sum).await, ["100"]);
    assert_eq!(answers(&shop, "what is the total revenue of complaints", sum).await, ["100"]);
    let goals = "SELECT AVG(home_goals) FROM league_match";
    assert_eq!(answers(&shop, "What was the average attendance at home?", goals).await, ["400"]);
    assert_eq!(answers(&shop, "What was the average of home goals?", goals).await, ["3"]);
    // Neither is named: the model knows another word.
    assert_eq!(answers(&shop, "How often did the hosts score on average?", goals).await, ["3"]);
}

#[tokio::test]
async fn a_key_is_no_measure_to_be_exchanged() {
    let shop = graph(
        ":Payment rdfs:label \"payment\" . :id rdfs:label \"id\" . :amount rdfs:label \"payment amount\" .
         :p1 a :Payment ; rdfs:label \"first\" ; :id 4 ; :amount 28000 .
         :p2 a :Payment ; rdfs:label \"second\" ; :id 7 ; :amount 115000 .",
    )
    .await;
    let ids = "SELECT id FROM payment";
    assert_eq!(answers(&shop, "Return the IDs with a cash payment and an amount", ids).await, ["4", "7"]);
}

#[tokio::test]
async fn the_values_of_a_relation_are_told_apart_by_the_things_that_have_them() {
    let shop = transit().await;
    let code = shop.values.mentions("Which stop is L-12?").pop().unwrap();
    let tables: Vec<&str> =
        code.matches.iter().map(|found| shop.tables.tables[found.place.table].id.as_str()).collect();
    assert_eq!(tables, ["line"], "{code:?}");
    let text = shop.tables.render(&quipu_query::Relevance::default(), &quipu_query::RenderConfig::default());
    assert!(!text.text.contains("(code)"), "no code refers to another: {}", text.text);
}

#[tokio::test]
async fn the_pieces_of_a_row_are_added() {
    let shop = transit().await;
    let sql = "SELECT COUNT(*) FROM part_use WHERE part = 'Oil Filter'";
    assert_eq!(answers(&shop, "how many oil filters have been used?", sql).await, ["6"]);
    assert_eq!(answers(&shop, "how many times were oil filters used?", sql).await, ["2"]);
}

#[tokio::test]
async fn things_that_a_link_table_joins_are_compared_by_it() {
    let shop = transit().await;
    let sql = "SELECT name FROM line WHERE name NOT IN (SELECT name FROM stop WHERE name = 'Corn Row')";
    assert_eq!(answers(&shop, "Which lines don't stop at Corn Row?", sql).await, ["Line 12A"]);
}

#[tokio::test]
async fn a_date_of_things_that_only_refer_to_one_another_is_not_taken() {
    let shop = transit().await;
    let query = read_sql("SELECT opened_at FROM depot WHERE name = 'Mill Yard'", None).unwrap();
    let question = "When did Mill Yard open?";
    let bound = bind_as_asked(question, query, &shop.tables, &shop.values, &Found::default());
    assert!(bound.unwrap_err().to_string().contains("no table here has a column opened_at"));
}

#[tokio::test]
async fn a_join_by_a_missing_column_is_not_guessed_where_things_stand_between() {
    let shop = transit().await;
    let sql = "SELECT COUNT(*) FROM employee JOIN depot ON employee.depot = depot.name \
               WHERE depot.name = 'Mill Yard'";
    let query = read_sql(sql, None).unwrap();
    let question = "How many people work at Mill Yard?";
    let bound = bind_as_asked(question, query, &shop.tables, &shop.values, &Found::default());
    let reason = bound.unwrap_err().to_string();
    assert!(reason.contains("posting has columns for both"), "{reason}");
}

#[tokio::test]
async fn things_that_another_row_stands_in_for_are_given_by_their_names() {
    // An export took the first table with the key 1 for the teacher's own.
    let lessons = r#"@prefix : <http://lessons.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:r1 a :Remark ; rdfs:label "remark 1" ; :stars 5 . :r2 a :Remark ; rdfs:label "remark 2" ; :stars 3 .
:ada a :Teacher ; rdfs:label "Ada Holm" ; :remark :r1 . :bo a :Teacher ; rdfs:label "Bo Lund" ; :remark :r2 .
:l1 a :Lesson ; rdfs:label "Knots" ; :teacher :r1 ; :termNumber 1 .
:l2 a :Lesson ; rdfs:label "Sails" ; :teacher :r1 ; :termNumber 1 .
:l3 a :Lesson ; rdfs:label "Tides" ; :teacher :r2 ; :termNumber 2 .
"#;
    let shop = Shop::of("lessons.ttl", lessons).await.unwrap();
    let most = "SELECT teacher, COUNT(*) FROM lesson GROUP BY teacher ORDER BY COUNT(*) DESC LIMIT 1";
    let question = "Which teacher gives the most lessons, and how many?";
    assert_eq!(asked_rows(&shop, question, most).await, ["Ada Holm | 2"]);
    let of_one = "SELECT teacher FROM lesson WHERE name = 'Tides'";
    assert_eq!(answers(&shop, "Who is the teacher of Tides?", of_one).await, ["Bo Lund"]);
    // A question about remarks gets remarks.
    let of_one = "SELECT teacher FROM lesson WHERE name = 'Tides'";
    assert_eq!(answers(&shop, "Which remark is linked to Tides?", of_one).await, ["remark 2"]);
    // A code of a thing that a column holds by its number.
    let by_code = "SELECT term_number_id, COUNT(*) FROM lesson GROUP BY term_number_id";
    let question = "How many lessons are there for each term number id?";
    assert_eq!(asked_rows(&shop, question, by_code).await, ["1 | 2", "2 | 1"]);
}

#[tokio::test]
async fn the_number_of_things_is_not_that_of_the_rows_about_them() {
    let visits = r#"@prefix : <http://visits.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:ada a :Guest ; rdfs:label "Ada" . :bo a :Guest ; rdfs:label "Bo" .
:north a :Tour ; rdfs:label "North Cave" ; :hard true . :south a :Tour ; rdfs:label "South Cave" ; :hard true .
:v1 a :Booking ; :guest :ada ; :tour :north . :v2 a :Booking ; :guest :ada ; :tour :south .
:v3 a :Booking ; :guest :bo ; :tour :north .
"#;
    let shop = Shop::of("visits.ttl", visits).await.unwrap();
    let sql = "SELECT COUNT(*) FROM booking JOIN tour ON booking.tour = tour.name WHERE tour.hard = 1";
    for question in
        ["How many guests booked a hard tour?", "What is the number of guests who booked a hard tour?"]
    {
        assert_eq!(answers(&shop, question, sql).await, ["2"], "{question}");
    }
    let question = "What is the number of bookings of hard tours?";
    assert_eq!(answers(&shop, question, sql).await, ["3"], "{question}");
}

#[tokio::test]
async fn the_things_of_each_row_are_counted_where_a_query_groups_by_its_key() {
    let stages = r#"@prefix : <http://stages.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:s1 a :Stage ; rdfs:label "North Hall" ; :stageId 11 ; :seats 40 .
:s2 a :Stage ; rdfs:label "Boathouse" ; :stageId 12 ; :seats 25 .
:s3 a :Stage ; rdfs:label "Orchard" ; :stageId 13 ; :seats 40 .
:t1 a :Talk ; rdfs:label "On Moss" ; :onStage :s1 . :t2 a :Talk ; rdfs:label "On Rust" ; :onStage :s1 .
:t3 a :Talk ; rdfs:label "On Salt" ; :onStage :s2 .
:w1 a :Workshop ; rdfs:label "Bind a book" ; :stageId 12 .
:w2 a :Workshop ; rdfs:label "Mend a net" ; :stageId 12 .
:w3 a :Workshop ; rdfs:label "Carve a spoon" ; :stageId 13 .
"#;
    let shop = Shop::of("stages.ttl", stages).await.unwrap();
    let by_key = "SELECT stage_id, COUNT(*) FROM stage GROUP BY stage_id";
    let talks = asked_rows(&shop, "How many talks are on each stage?", by_key).await;
    assert_eq!(talks, ["Boathouse | 1", "North Hall | 2", "Orchard | 0"]);
    // Workshops state their stage's number only.
    let workshops = asked_rows(&shop, "How many workshops are on each stage?", by_key).await;
    assert_eq!(workshops, ["Boathouse | 2", "North Hall | 0", "Orchard | 1"]);
    let numbers = asked_rows(&shop, "How many talks are on each stage id?", by_key).await;
    assert_eq!(numbers, ["11 | 2", "12 | 1", "13 | 0"]);
    // The number of seats is no key, and groups of stages are what the question asks for.
    let seats = "SELECT seats, COUNT(*) FROM stage GROUP BY seats";
    let stages = asked_rows(&shop, "How many stages have the same number of seats?", seats).await;
    assert_eq!(stages, ["25 | 1", "40 | 2"]);
}
