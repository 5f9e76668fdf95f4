//! A question's nouns name the kinds of its entities and of its answer. The graph has flights as
//! nodes of their own; the model is scripted.

#![allow(clippy::unwrap_used, reason = "set-up of tests")]

use crate::common;
use std::sync::Arc;

use common::{Setting, ask, embedder, setting_from};
use quipu_answer::{Answer, AskOptions, Event, Method, Status};
use quipu_model::ScriptedModel;

/// Airports, flights and pilots in a country; a medal for a band or for an album.
const AIRWAYS: &str = r#"
@prefix : <http://airways.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Airport rdfs:label "airport" . :Flight rdfs:label "flight" . :Pilot rdfs:label "pilot" .
:City rdfs:label "city" . :Country rdfs:label "country" . :Airline rdfs:label "airline" . :Ship rdfs:label "ship" .
:from rdfs:label "departure airport" . :to rdfs:label "arrival airport" . :operatedBy rdfs:label "operated by" .
:inCountry rdfs:label "in country" . :employer rdfs:label "employer" . :seconds rdfs:label "length seconds" .
:chart rdfs:label "chart position" . :born rdfs:label "birth year" . :ownedBy rdfs:label "owned by" .
:vale a :Airport ; rdfs:label "Port Vale" ; :serves :zark . :moor a :Airport ; rdfs:label "Harrow Moor" .
:bog a :Airport ; rdfs:label "Carrow Bog" .
:f1 a :Flight ; rdfs:label "PX 1" ; :from :vale ; :to :moor ; :operatedBy :luft ; :seconds 900 ; :chart 3 .
:f2 a :Flight ; rdfs:label "PX 2" ; :from :moor ; :to :vale ; :operatedBy :polar ; :seconds 300 ; :chart 12 .
:f3 a :Flight ; rdfs:label "PX 3" ; :from :moor ; :to :vale ; :operatedBy :luft ; :seconds 500 ; :chart 1 .
:luft a :Airline ; rdfs:label "Lusmark Luft" ; :inCountry :kandrel ; :founded 1950 .
:polar a :Airline ; rdfs:label "Polar Courier" ; :inCountry :kandrel ; :founded 1971 .
:zark a :City ; rdfs:label "Zarkand" ; :twinOf :ush ; :inCountry :kandrel . :ush a :City ; rdfs:label "Ushtobe" ; :inCountry :kandrel .
:kandrel a :Country ; rdfs:label "Kandrel" .
:ana a :Pilot ; rdfs:label "Ana Okpara" ; :employer :luft ; :born 1980 .
:bo a :Pilot ; rdfs:label "Bo Ray" ; :employer :polar ; :born 1975 .
:emma a :Ship ; rdfs:label "Emma Sole" ; :ownedBy :polar .
"#;

async fn ask_with(queries: &[&str], question: &str, method: Method) -> (Answer, Arc<ScriptedModel>) {
    let model = queries.iter().fold(ScriptedModel::new(), |model, sql| model.on("plan.query", *sql));
    let model = Arc::new(model);
    let options = AskOptions { method, keep_trace: true, ..AskOptions::default() };
    let answer = ask(&airways().await, Some(model.clone()), None, question, &options).await;
    (answer, model)
}

async fn airways() -> Setting {
    setting_from("airways.ttl", AIRWAYS).await
}

/// The answers of a query that is accepted at once; none if it is refused four times.
async fn answers(sql: &str, question: &str) -> Vec<String> {
    ask_with(&[sql; 4], question, Method::Query).await.0.answers
}

#[tokio::test]
async fn what_is_asked_for_by_its_kind_is_of_that_kind() {
    let question = "Which airports are there in Kandrel?";
    assert_eq!(answers("SELECT name FROM city WHERE country = 'Kandrel'", question).await, [""; 0]);
    let question = "Which cities are there in Kandrel?";
    let cities = answers("SELECT name FROM city WHERE country = 'Kandrel'", question).await;
    assert_eq!(cities.len(), 2, "{cities:?}");
    let lies = "SELECT name FROM city WHERE country = 'Kandrel'";
    assert_eq!(answers(lies, "Who governs Kandrel?").await, [""; 0], "no city does");
    let year = "SELECT MIN(birth_year) FROM pilot WHERE name IN ('Ana Okpara', 'Bo Ray')";
    assert_eq!(answers(year, "Who was born first, Ana Okpara or Bo Ray?").await, [""; 0]);
}

#[tokio::test]
async fn a_kind_that_a_query_does_not_speak_of_and_a_name_of_another_kind_are_not_answered() {
    let flights = "SELECT name FROM airport WHERE name NOT IN (SELECT departure_airport FROM flight)";
    assert_eq!(answers(flights, "Which airports do no pilots know?").await, [""; 0]);
    assert_eq!(answers(flights, "From which airports do no flights depart?").await, ["Carrow Bog"]);
    let owner = "SELECT owned_by FROM ship WHERE name = 'Emma Sole'";
    assert_eq!(answers(owner, "Which airline has the pilot Emma Sole?").await, [""; 0]);
    assert_eq!(answers(owner, "Which airline owns the ship Emma Sole?").await, ["Polar Courier"]);
}

#[tokio::test]
async fn one_named_thing_is_not_counted_and_nothing_is_taken_from_itself() {
    let one = "SELECT COUNT(*) FROM city WHERE name = 'Zarkand'";
    assert_eq!(answers(one, "How many people live in Zarkand?").await, [""; 0]);
    let zero = "SELECT founded - founded FROM airline WHERE name = 'Polar Courier'";
    assert_eq!(answers(zero, "What is the difference between the years of Polar Courier?").await, [""; 0]);
    let two = "SELECT ABS(founded - founded) FROM airline WHERE name IN ('Polar Courier', 'Lusmark Luft')";
    let question = "How many years lie between when Polar Courier was founded and when Lusmark Luft was?";
    assert_eq!(answers(two, question).await, ["21"]);
}

#[tokio::test]
async fn a_value_for_each_is_one_of_each() {
    let sql = "SELECT COUNT(*) FROM flight WHERE operated_by IN (SELECT name FROM airline WHERE country = 'Kandrel')";
    let question = "How many flights are there for each of the airlines of Kandrel?";
    let (answer, model) = ask_with(&[sql; 4], question, Method::Query).await;
    let rows: Vec<Vec<String>> = answer
        .table
        .unwrap()
        .rows
        .into_iter()
        .map(|row| row.into_iter().flatten().map(|value| value.name).collect())
        .collect();
    assert_eq!(rows, [["Lusmark Luft", "2"], ["Polar Courier", "1"]]);
    assert_eq!(model.calls(), 1);
}

#[tokio::test]
async fn the_first_place_is_the_highest_and_minutes_are_seconds() {
    let last = "SELECT name FROM flight ORDER BY chart_position DESC LIMIT 1";
    assert_eq!(answers(last, "Which flight has the highest chart position?").await, ["PX 3"]);
    let top = "SELECT name FROM flight WHERE chart_position <= 2";
    assert_eq!(answers(top, "Which flights have a chart position in the top 2?").await, ["PX 3"]);
    let long = "SELECT COUNT(*) FROM flight WHERE length_seconds > 600";
    assert_eq!(answers(long, "How many flights have a length of more than ten minutes?").await, ["1"]);
}

#[tokio::test]
async fn in_a_question_without_capitals_a_name_in_full_is_a_name() {
    let invented = "SELECT name FROM flight WHERE arrival_airport = 'Harrow Moor'";
    let right = "SELECT name FROM flight WHERE arrival_airport = 'Port Vale'";
    let (answer, model) = ask_with(&[invented, right], "flights to port vale", Method::Query).await;
    assert_eq!((answer.answers.len(), model.calls()), (2, 2), "{answer:#?}");
}

#[tokio::test]
async fn a_path_leads_to_what_is_asked_for_and_denies_only_what_it_could_lead_to() {
    let airways = airways().await;
    quipu_query::open_tables(&airways.workspace).await.unwrap();
    let options = AskOptions { method: Method::Auto, ..AskOptions::default() };
    let asked = async |question: &str| ask(&airways, None, Some(embedder().await), question, &options).await;
    let cities = asked("What cities are there in Kandrel?").await;
    assert!(!cities.answers.contains(&"Polar Courier".to_owned()), "{cities:#?}");
    let flies = asked("Does Lusmark Luft fly from Harrow Moor to Port Vale?").await;
    assert_ne!(flies.answers, ["no"], "{flies:#?}");
    // Both pilots have an employer; the graph has nothing about the airline that the question adds.
    let besides = asked("When was Ana Okpara of the Polar Courier born?").await;
    assert_ne!(besides.answers, ["1980"], "{besides:#?}");
    let pilot = asked("Who employs the pilot Emma Sole?").await;
    assert_eq!(pilot.status, Status::Abstained, "{pilot:#?}");
}

#[tokio::test]
async fn a_share_is_one_of_those_that_stand_before_the_verb() {
    let of_all = "SELECT 100.0 * SUM(CASE WHEN departure_airport = 'Harrow Moor' AND operated_by = 'Lusmark Luft' \
                  THEN 1 ELSE 0 END) / COUNT(*) FROM flight";
    let question = "What percentage of flights from Harrow Moor are operated by Lusmark Luft?";
    assert_eq!(answers(of_all, question).await, ["50"]);
    let other = "What percentage of flights are from Harrow Moor and operated by Lusmark Luft?";
    assert_eq!(answers(of_all, other).await, ["33.333333333"]);
}

#[tokio::test]
async fn what_the_question_names_with_an_article_is_not_left_out() {
    let all = "SELECT COUNT(*) FROM flight WHERE departure_airport = 'Harrow Moor'";
    let both = "SELECT COUNT(*) FROM flight WHERE departure_airport = 'Harrow Moor' AND operated_by = 'Polar Courier'";
    let question = "How many flights leave Harrow Moor with the Polar Courier?";
    let (answer, model) = ask_with(&[all, both], question, Method::Query).await;
    assert_eq!((answer.answers.as_slice(), model.calls()), (&["1".to_owned()][..], 2), "{answer:#?}");
}

#[tokio::test]
async fn which_of_a_clause_asks_for_nothing_and_a_noun_before_a_noun_is_none() {
    let airports = "SELECT departure_airport FROM flight WHERE operated_by = 'Polar Courier'";
    let clause = "List the departure airports from which flights operated by Polar Courier leave";
    assert_eq!(answers(airports, clause).await, ["Harrow Moor"]);
    let airlines = "SELECT operated_by FROM flight WHERE departure_airport = 'Port Vale'";
    assert_eq!(answers(airlines, "Which flight airlines operate from Port Vale?").await, ["Lusmark Luft"]);
}

#[tokio::test]
async fn the_dearer_of_two_is_one_of_them_and_how_much_more_is_a_number() {
    let year = "SELECT MIN(birth_year) FROM pilot WHERE name IN ('Ana Okpara', 'Bo Ray')";
    assert_eq!(answers(year, "What's elder, Ana Okpara or Bo Ray?").await, ["Bo Ray"]);
    let name = "SELECT name FROM pilot WHERE name IN ('Ana Okpara', 'Bo Ray') ORDER BY birth_year LIMIT 1";
    assert_eq!(answers(name, "How much older is Bo Ray than Ana Okpara?").await, [""; 0]);
}

#[tokio::test]
async fn what_is_asked_for_is_not_passed_over_by_a_step_that_nothing_asks_for() {
    let twin = "SELECT city.twin_of FROM airport JOIN city ON airport.serves = city.name WHERE airport.name = 'Port Vale'";
    // The city that it serves: the only city that the airport itself has.
    assert_eq!(answers(twin, "Which city has Port Vale?").await, ["Zarkand"]);
    assert_eq!(answers(twin, "Which city is the twin of the city that Port Vale serves?").await, ["Ushtobe"]);
    let city = "SELECT serves FROM airport WHERE name = 'Port Vale'";
    assert_eq!(answers(city, "Which city does Port Vale serve?").await, ["Zarkand"]);
}

#[tokio::test]
async fn nothing_is_among_things_of_another_kind() {
    let never = "SELECT name FROM pilot WHERE name NOT IN (SELECT departure_airport FROM flight)";
    let (answer, model) = ask_with(&[never; 4], "Which pilots have never departed?", Method::Query).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    let told = model.requests().remove(1).messages.pop().unwrap().content;
    assert!(told.contains("the two are different things"), "{told}");
}

#[tokio::test]
async fn of_each_thing_there_is_one_value_in_its_own_table() {
    let sql = "SELECT AVG(length_seconds) FROM flight";
    let (answer, _) =
        ask_with(&[sql; 4], "What is the average length in seconds per flight?", Method::Query).await;
    assert!(answer.table.is_none_or(|table| table.rows.len() == 1));
}

#[tokio::test]
async fn who_did_it_is_no_record_of_the_deed() {
    let yard = setting_from(
        "yard.ttl",
        r#"@prefix : <http://yard.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:b1 a :Boat ; rdfs:label "Merlin" . :b2 a :Boat ; rdfs:label "Puffin" .
:w1 a :Wright ; rdfs:label "Ada Lund" . :w2 a :Wright ; rdfs:label "Bo Reyes" .
:r1 a :Repair ; :boat :b1 ; :doneBy :w1 ; :cost 40 . :r2 a :Repair ; :boat :b2 ; :doneBy :w2 ; :cost 65 .
:r3 a :Repair ; :boat :b2 ; :doneBy :w1 ; :cost 25 .
"#,
    )
    .await;
    quipu_query::open_tables(&yard.workspace).await.unwrap();
    let question = "Who repaired the Merlin?";
    let asked = async |method, queries: &[&str]| {
        let model = queries.iter().fold(ScriptedModel::new(), |model, sql| model.on("plan.query", *sql));
        let model = Arc::new(model);
        let options = AskOptions { method, ..AskOptions::default() };
        (ask(&yard, Some(model.clone()), Some(embedder().await), question, &options).await, model.calls())
    };
    let deed = "SELECT name FROM repair WHERE boat = 'Merlin'";
    let doer = "SELECT done_by FROM repair WHERE boat = 'Merlin'";
    // The repair itself is no answer; the only thing with a name that it leads to is.
    let (of_the_deed, _) = asked(Method::Query, &[deed; 4]).await;
    assert_eq!(of_the_deed.answers, ["Ada Lund"], "{of_the_deed:#?}");
    let (mended, calls) = asked(Method::Query, &[deed, doer, doer, doer]).await;
    assert_eq!(mended.answers, ["Ada Lund"], "{calls} calls: {mended:#?}");
    let (walked, calls) = asked(Method::Auto, &[doer, doer, doer, doer]).await;
    assert_eq!(walked.answers, ["Ada Lund"], "{calls} calls: {walked:#?}");
}

/// Winners of a prize, leaders and members of expeditions.
const EXPEDITIONS: &str = r#"
@prefix : <http://expeditions.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:wonPrize rdfs:label "prize won" . :ledBy rdfs:label "led by" . :member rdfs:label "member" . :founded rdfs:label "year founded" .
:z a :Prize ; rdfs:label "White Compass" ; :founded 1909 .
:p1 a :Explorer ; rdfs:label "Ada Holm" ; :wonPrize :z . :p2 a :Explorer ; rdfs:label "Ben Ross" ; :wonPrize :z .
:p3 a :Explorer ; rdfs:label "Cy Vane" .
:e1 a :Expedition ; rdfs:label "Holm Traverse" ; :ledBy :p1 ; :member :p1, :p3 .
:e2 a :Expedition ; rdfs:label "Vane Survey" ; :ledBy :p3 ; :member :p3, :p2 .
"#;

#[tokio::test]
async fn a_second_verb_is_no_further_step_and_a_phrase_is_the_graphs_verb() {
    let expeditions = setting_from("expeditions.ttl", EXPEDITIONS).await;
    quipu_query::open_tables(&expeditions.workspace).await.unwrap();
    let options = AskOptions { method: Method::Auto, keep_trace: true, ..AskOptions::default() };
    let asked =
        async |question: &str| ask(&expeditions, None, Some(embedder().await), question, &options).await;
    let both = asked("Who won the White Compass and also led an expedition?").await;
    assert!(!both.answers.contains(&"Cy Vane".to_owned()), "{both:#?}");
    let doubted = both.trace.iter().flatten().any(|entry| match &entry.event {
        Event::Walked { doubts, .. } => doubts.iter().any(|doubt| doubt == "second verb"),
        _ => false,
    });
    assert!(doubted, "{:#?}", both.trace);
    let set_up = asked("When was the White Compass set up?").await;
    assert_eq!(set_up.answers, ["1909"], "{set_up:#?}");
    // Sentences that ask nothing are left out, unless they speak of what the graph has.
    let leaves_out = |answer: &Answer| {
        answer.trace.iter().flatten().any(|entry| match &entry.event {
            Event::Read { reading } => reading.contains("is asked, behind"),
            _ => false,
        })
    };
    let greeted = asked("Hello, I'm putting together a talk. When was the White Compass set up?").await;
    assert_eq!(greeted.answers, ["1909"], "{greeted:#?}");
    assert!(leaves_out(&greeted));
    let explorer = asked("I'm an explorer, so who won the White Compass?").await;
    assert!(!leaves_out(&explorer), "{explorer:#?}");
}
