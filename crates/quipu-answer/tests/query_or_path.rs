//! A sure path, a query instead, and a path told as a query.

#![allow(clippy::unwrap_used, reason = "set-up of tests")]

use crate::common;
use std::sync::Arc;

use common::shop::{LEAGUE, ask_with, query, rows, shop};
use common::{Setting, ask, embedder, setting_from};
use quipu_answer::{Answer, AskOptions, Event, Method, Status, set_option};
use quipu_model::ScriptedModel;

#[tokio::test]
async fn auto_asks_no_model_where_a_path_is_sure_and_one_query_where_none_is() {
    let model = Arc::new(ScriptedModel::new().on("plan.query", "SELECT AVG(price) FROM product"));
    let options = AskOptions { method: Method::Auto, keep_trace: true, ..AskOptions::default() };
    let (shop, embedder) = (shop().await, embedder().await);
    let one =
        ask(&shop, Some(model.clone()), Some(embedder.clone()), "price of the Falcon Drill", &options).await;
    assert_eq!(one.answers, ["120"], "{one:#?}");
    assert_eq!(model.calls(), 0, "{one:#?}");
    let question = "What is the average price of all products?";
    let average = ask(&shop, Some(model.clone()), Some(embedder.clone()), question, &options).await;
    assert_eq!(average.answers, ["90"]);
    assert_eq!(model.calls(), 1);
    assert!(average.trace.unwrap().iter().any(|timed| matches!(timed.event, Event::Queried { .. })));
    // The evidence has the average as it is rounded.
    let question = "What is the average price of the products of Acme?";
    let options = AskOptions { method: Method::Paths, ..options };
    let of_path = ask(&shop, None, Some(embedder), question, &options).await;
    assert_eq!(of_path.answers, ["76.667"], "{of_path:#?}");
    assert!(of_path.grounded && of_path.readings.first().unwrap().sql.is_some(), "{of_path:#?}");
}

#[tokio::test]
async fn a_path_that_a_query_agrees_with_stands_although_neither_is_sure() {
    let league = setting_from("league.tsv", LEAGUE).await;
    let mut options = AskOptions { method: Method::Auto, ..AskOptions::default() };
    for (key, value) in
        [("auto.untyped.sure", "1"), ("auto.untyped.cards", "no"), ("query.least_confidence", "1")]
    {
        set_option(&mut options, key, value).unwrap();
    }
    let asked = async |sql: &'static str, agreed: &str| {
        let mut options = options.clone();
        set_option(&mut options, "auto.untyped.agreed", agreed).unwrap();
        let model = ScriptedModel::new().always("plan.query", sql).always("plan.kinds", "");
        let question = "what is the home city of Torrin Foxes?";
        ask(&league, Some(Arc::new(model)), Some(embedder().await), question, &options).await
    };
    let same = "SELECT home_city FROM thing_2 WHERE name = 'Torrin Foxes'";
    assert_eq!(asked(same, "0.5").await.answers, ["Torrin"]);
    assert_eq!(asked(same, "1").await.status, Status::Abstained);
    let other = "SELECT home_ground FROM thing_2 WHERE name = 'Torrin Foxes'";
    assert_eq!(asked(other, "0.5").await.status, Status::Abstained);
}

#[tokio::test]
async fn a_path_stands_where_no_query_gives_rows_and_nothing_speaks_against_it() {
    let league = setting_from("league.tsv", LEAGUE).await;
    let mut options = AskOptions { method: Method::Auto, ..AskOptions::default() };
    for (key, value) in
        [("auto.untyped.sure", "1"), ("auto.untyped.cards", "no"), ("query.least_confidence", "1")]
    {
        set_option(&mut options, key, value).unwrap();
    }
    let asked = async |question: &str, sql: &'static str, agreed: &str| {
        let mut options = options.clone();
        set_option(&mut options, "auto.untyped.agreed", agreed).unwrap();
        let model = ScriptedModel::new().always("plan.query", sql).always("plan.kinds", "");
        ask(&league, Some(Arc::new(model)), Some(embedder().await), question, &options).await
    };
    let question = "what is the home city of the club that Ada Lee plays for?";
    let none = "SELECT home_city FROM thing_2 WHERE founded_in > 2000 AND name = 'Torrin Foxes'";
    let answer = asked(question, none, "0.5").await;
    assert_eq!(answer.answers, ["Torrin"], "{answer:#?}");
    assert_eq!(asked(question, none, "1").await.status, Status::Abstained);
    let other = "SELECT home_ground FROM thing_2 WHERE name = 'Torrin Foxes'";
    assert_eq!(asked(question, other, "0.5").await.status, Status::Abstained);
    // The model finds no table that holds it.
    assert_eq!(asked(question, "SELECT NULL", "0.5").await.status, Status::Abstained);
}

#[tokio::test]
async fn a_path_does_not_give_a_number_in_a_unit_that_the_graph_does_not_state() {
    let (shop, embedder) = (shop().await, embedder().await);
    // The commands count the tables on import.
    quipu_query::open_tables(&shop.workspace).await.unwrap();
    let options = AskOptions { method: Method::Auto, ..AskOptions::default() };
    let sql = "SELECT price FROM product WHERE name = 'Falcon Drill'";
    let model = Arc::new(ScriptedModel::new().always("plan.query", sql));
    let question = "What is the price of the Falcon Drill in miles?";
    let answer = ask(&shop, Some(model.clone()), Some(embedder), question, &options).await;
    let remarks = answer.readings.first().map(|reading| reading.mends.join(" ")).unwrap_or_default();
    let is_remarked = remarks.contains("does not say that price is in miles");
    assert!(model.calls() > 0 && (answer.status == Status::Abstained || is_remarked), "{answer:#?}");
}

#[tokio::test]
async fn a_path_that_stands_is_told_as_a_reading_with_its_values() {
    let options = AskOptions { method: Method::Auto, ..AskOptions::default() };
    let shop = shop().await;
    // The commands count the tables on import.
    quipu_query::open_tables(&shop.workspace).await.unwrap();
    let answer = ask(&shop, None, Some(embedder().await), "price of the Falcon Drill", &options).await;
    assert_eq!(answer.answers, ["120"], "{answer:#?}");
    let reading = answer.readings.first().unwrap();
    assert_eq!(reading.words, "the price of “Falcon Drill”");
    assert!(reading.sparql.as_ref().unwrap().starts_with("SELECT") && reading.sql.is_some());
    let question = "supplier of the Falcon Drill";
    let answer = ask(&shop, None, Some(embedder().await), question, &options).await;
    let value = answer.table.as_ref().unwrap().rows[0][0].clone().unwrap();
    assert_eq!(value.key.as_deref(), Some("http://shop.test/acme"), "{answer:#?}");
}

#[tokio::test]
async fn a_path_does_not_stand_for_half_a_question() {
    let sql = "SELECT supplier FROM product WHERE name = 'Owl Lamp'";
    let options = AskOptions { method: Method::Auto, ..AskOptions::default() };
    let (shop, embedder) = (shop().await, embedder().await);
    let asked = async |question: &str, sql: &'static str| {
        let model = Arc::new(ScriptedModel::new().always("plan.query", sql));
        let answer = ask(&shop, Some(model.clone()), Some(embedder.clone()), question, &options).await;
        (answer, model.calls())
    };
    // Two lamps have that name.
    let (answer, calls) = asked("supplier of the Owl Lamp", sql).await;
    let mut both = answer.answers.clone();
    both.sort();
    assert_eq!((both, calls), (vec!["Acme".to_owned(), "Brix".to_owned()], 1), "{answer:#?}");
    // The query asks for two values.
    let two = "SELECT price, supplier FROM product WHERE name = 'Falcon Drill'";
    let (answer, calls) = asked("What are the price and supplier of the Falcon Drill?", two).await;
    assert_eq!((rows(&answer), calls), (vec![vec!["120".to_owned(), "Acme".to_owned()]], 1), "{answer:#?}");
}

#[tokio::test]
async fn a_comparison_is_confirmed_or_denied() {
    let options = AskOptions { method: Method::Paths, ..AskOptions::default() };
    let (shop, embedder) = (shop().await, embedder().await);
    let asked = async |question: &str| ask(&shop, None, Some(embedder.clone()), question, &options).await;
    let answer = asked("Is the price of the Falcon Drill higher than the price of the Heron Sander?").await;
    assert_eq!(answer.answers, ["yes"], "{answer:#?}");
    let lines: Vec<String> = answer.evidence.iter().map(quipu_answer::Evidence::to_line).collect();
    assert!(answer.grounded && lines.iter().any(|line| line.contains("Falcon Drill (120)")), "{lines:?}");
    let answer = asked("Is the price of the Heron Sander higher than the price of the Falcon Drill?").await;
    assert_eq!(answer.answers, ["no"], "{answer:#?}");
    let answer = asked("Which has the higher price, the Heron Sander or the Falcon Drill?").await;
    assert_eq!(answer.answers, ["Falcon Drill"], "{answer:#?}");
}

#[tokio::test]
async fn a_number_that_triples_as_text_state_is_not_counted() {
    let triples = "Ada Lee\tgoals scored\t17\nAda Lee\tplays for\tTorrin Foxes\nBo Ray\tgoals scored\t3\n\
        Bo Ray\tplays for\tTorrin Foxes\nCy Moe\tgoals scored\t5\nCy Moe\tplays for\tHarnby Herons\n";
    let league = setting_from("league.tsv", triples).await;
    let options = AskOptions { method: Method::Paths, ..AskOptions::default() };
    let asked = async |question: &str| ask(&league, None, Some(embedder().await), question, &options).await;
    assert_eq!(asked("How many goals scored Ada Lee?").await.answers, ["17"]);
    assert_eq!(asked("How many play for the Torrin Foxes?").await.answers, ["2"]);
}

/// Who asks where more people live does not ask when they joined.
#[tokio::test]
async fn a_comparison_of_numbers_of_things_compares_no_dates() {
    let cafe = setting_from(
        "cafe.ttl",
        "@prefix : <http://c.test/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
         @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n\
         :v1 a :Volunteer ; rdfs:label \"Ines Tolland\" ; :joined \"2019-03-01\"^^xsd:date ; :livesIn :t1 .\n\
         :v2 a :Volunteer ; rdfs:label \"Marek Dunn\" ; :joined \"2021-06-15\"^^xsd:date ; :livesIn :t1 .\n\
         :v3 a :Volunteer ; rdfs:label \"Sam Ricci\" ; :joined \"2022-09-09\"^^xsd:date ; :livesIn :t2 .\n\
         :t1 a :Town ; rdfs:label \"Harle\" ; :population 520 . :t2 a :Town ; rdfs:label \"Oxley\" ; :population 900 .",
    )
    .await;
    let asked = async |question: &str| {
        ask(&cafe, None, Some(embedder().await), question, &AskOptions::default()).await
    };
    let answer = asked("Do more volunteers live in Harle than in Oxley?").await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    let answer = asked("Does Harle have more inhabitants than Oxley?").await;
    assert_eq!(answer.status, Status::Answered, "{answer:#?}");
}

/// The graph's relations say that expeditions have members.
#[tokio::test]
async fn in_a_graph_without_types_the_relations_tell_the_kind() {
    let triples = "Nils Thorne\tmember of expedition\tBasalt Survey\nZora Eklund\tmember of expedition\tBasalt Survey\n\
        Ada Jessop\tmember of expedition\tTremor Survey\nBasalt Survey\tsailed aboard\tBoreas\n\
        Tremor Survey\tsailed aboard\tGannet\nBasalt Survey\tled by\tNils Thorne\nTremor Survey\tled by\tAda Jessop\n\
        Boreas\tship built at\tLisvane\nGannet\tship built at\tNyholm\nNils Thorne\tborn in\tTarsk\n\
        Zora Eklund\tborn in\tNyholm\nAda Jessop\tborn in\tNyholm\n";
    let voyages = setting_from("voyages.tsv", triples).await;
    let kind = "told kind".to_owned();
    // The best path leads on to their members.
    let asked = "Which expeditions sailed aboard the Boreas?";
    assert!(doubts_of_a_path(&voyages, asked, "Nils Thorne").await.contains(&kind));
    let asked = "Who was a member of the expedition Basalt Survey?";
    assert!(!doubts_of_a_path(&voyages, asked, "Nils Thorne").await.contains(&kind));
}

/// The doubts of the path that is walked to some answers, one of which is given.
async fn doubts_of_a_path(setting: &Setting, question: &str, answer: &str) -> Vec<String> {
    let mut options = AskOptions { method: Method::Auto, keep_trace: true, ..AskOptions::default() };
    set_option(&mut options, "paths.least_confidence", "0").unwrap();
    let asked = ask(setting, None, Some(embedder().await), question, &options).await;
    let walked = asked.trace.into_iter().flatten().find_map(|entry| match entry.event {
        Event::Walked { answers, doubts, .. } => Some((answers, doubts)),
        _ => None,
    });
    let (answers, doubts) = walked.unwrap();
    assert!(answers.contains(&answer.to_owned()), "{answers:?}");
    doubts
}

/// A path to numbers may seem the best, whatever its relations are called.
#[tokio::test]
async fn things_are_no_numbers() {
    let triples = "Slagthorn\tfirst climbed by\tAda Jessop\nJotun\tfirst climbed by\tAda Jessop\n\
        Slagthorn\terupted in\t1718\nJotun\terupted in\t1754\nAda Jessop\tborn in\tTarsk\n";
    let volcanoes = setting_from("volcanoes.tsv", triples).await;
    let numbers = "numbers for things".to_owned();
    let asked = "Which volcanoes climbed by Ada Jessop erupted?";
    let doubts = doubts_of_a_path(&volcanoes, asked, "1718").await;
    assert!(doubts.contains(&numbers), "{doubts:?}");
    let asked = "In which years erupted the volcanoes climbed by Ada Jessop?";
    assert!(!doubts_of_a_path(&volcanoes, asked, "1718").await.contains(&numbers));
}

/// Ada's own e-mail is missing, and her supervisor's is asked for.
#[tokio::test]
async fn a_path_over_a_stated_role_does_not_go_around() {
    let staff = "@prefix : <http://staff.test/> .\n\
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
        :Employee rdfs:label \"employee\" . :email rdfs:label \"e-mail\" . :reportsTo rdfs:label \"reports to\" .\n\
        :a a :Employee ; rdfs:label \"Ada Lee\" ; :reportsTo :b .\n\
        :b a :Employee ; rdfs:label \"Ben Moe\" ; :email \"ben@staff.test\" .\n\
        :c a :Employee ; rdfs:label \"Cy Ray\" ; :reportsTo :b ; :email \"cy@staff.test\" .\n";
    let staff = setting_from("staff.ttl", staff).await;
    let around = "goes around".to_owned();
    let asked = "What is the e-mail of Ada Lee's supervisor?";
    assert!(!doubts_of_a_path(&staff, asked, "ben@staff.test").await.contains(&around));
    let asked = "What is the e-mail of Ada Lee, who reports to him?";
    assert!(doubts_of_a_path(&staff, asked, "ben@staff.test").await.contains(&around));
}

/// A card may call the runner-up a winner; the graph's own relation comes first.
#[tokio::test]
async fn a_path_takes_the_relation_that_the_question_names() {
    let triples = "Thorn\twon\tRowan Bowl\nDash\trunner up in\tRowan Bowl\nThorn\towned by\tJudith Amory\n\
        Dash\towned by\tColm Brannock\nMaeve\twon\tWinter Horn\nMaeve\towned by\tColm Brannock\n";
    let trials = setting_from("trials.tsv", triples).await;
    let card = "[relation.\"runner up in\"]\nhead_kind = \"dog\"\ntail_kind = \"trial\"\n\
        forward = \"the trial of the best dog X\"\nbackward = \"the champion of X\"\n\
        words_forward = [\"trial\"]\nwords_backward = [\"champion\"]\n";
    std::fs::write(trials.workspace.folder().join("relations.toml"), card).unwrap();
    let mut options = AskOptions { method: Method::Auto, keep_trace: true, ..AskOptions::default() };
    set_option(&mut options, "paths.least_confidence", "0").unwrap();
    let question = "Who owns the winner, the champion of the Rowan Bowl?";
    let answer = ask(&trials, None, Some(embedder().await), question, &options).await;
    assert!(answer.answers != ["Colm Brannock"], "{answer:#?}");
    // Where the question does not name the graph's relation, the card decides.
    let question = "Who owns the champion of the Rowan Bowl?";
    let answer = ask(&trials, None, Some(embedder().await), question, &options).await;
    assert_eq!(answer.answers, ["Colm Brannock"], "{answer:#?}");
}

#[tokio::test]
async fn a_path_gives_the_event_asked_for_and_counts_no_numbers() {
    let triples = "Mudlark\tfinal year\t1985\nSkyline\tfinal year\t1990\nMudlark\tpublished by\tTin Press\n\
        Skyline\tpublished by\tTin Press\nMudlark\tissue count\t40\nSkyline\tissue count\t12\n";
    let comics = setting_from("comics.tsv", triples).await;
    let mut options = AskOptions { method: Method::Auto, keep_trace: true, ..AskOptions::default() };
    // A card may make a poor fit a good one.
    set_option(&mut options, "paths.least_confidence", "0").unwrap();
    let asked = async |question: &str| {
        let answer = ask(&comics, None, Some(embedder().await), question, &options).await;
        let events = answer.trace.clone().unwrap_or_default();
        let doubts: Vec<String> = (events.into_iter())
            .filter_map(|timed| match timed.event {
                Event::Walked { doubts, .. } => Some(doubts),
                _ => None,
            })
            .flatten()
            .collect();
        (answer, doubts)
    };
    let (answer, doubts) = asked("What is the start year of Mudlark?").await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    assert!(doubts.contains(&"another event".to_owned()), "{doubts:?} {answer:#?}");
    let (answer, doubts) = asked("What is the final year of Mudlark?").await;
    assert_eq!((answer.answers, doubts), (vec!["1985".to_owned()], Vec::new()));
    let (answer, doubts) = asked("How many issue counts do those published by Tin Press have?").await;
    assert!(answer.answers != ["2"] && doubts.contains(&"counts numbers".to_owned()), "{answer:#?}");
}

#[tokio::test]
async fn where_somebody_was_born_is_neither_a_county_nor_a_parents_town() {
    let triples = "Ann\tborn in\tDray\nAnn\tchild of\tBea\nBea\tborn in\tOlm\nDray\tlocated in\tShire\n\
        Olm\tlocated in\tShire\nCy\tborn in\tOlm\nCy\tchild of\tBea\nAnn\tlives in\tOlm\nBea\tlives in\tOlm\n";
    let family = setting_from("family.tsv", triples).await;
    let options = AskOptions { method: Method::Auto, ..AskOptions::default() };
    let asked = async |question: &str| ask(&family, None, Some(embedder().await), question, &options).await;
    let answers = asked("Where was Ann born?").await.answers;
    assert!(answers.iter().all(|answer| answer == "Dray"), "{answers:?}");
}

#[tokio::test]
async fn steps_and_places_that_are_asked_for_are_taken() {
    let once = "SELECT based_in FROM supplier WHERE name = 'Acme'";
    let question = "What is the based in of the based in of Acme?";
    let (answer, _) = ask_with(&[once; 4], question, query()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    let options = AskOptions { method: Method::Auto, ..AskOptions::default() };
    let place = "What is the 1000th price of the Falcon Drill?";
    let answer = ask(&shop().await, None, Some(embedder().await), place, &options).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
}

#[tokio::test]
async fn a_calculation_of_a_path_says_how_it_was_read() {
    let options = AskOptions { method: Method::Auto, keep_trace: true, ..AskOptions::default() };
    let shop = shop().await;
    quipu_query::open_tables(&shop.workspace).await.unwrap();
    let asked = async |question: &str| ask(&shop, None, Some(embedder().await), question, &options).await;
    let read =
        |answer: &Answer| answer.readings.first().map(|reading| reading.words.clone()).unwrap_or_default();
    let question = "Is the price of the Falcon Drill higher than the price of the Heron Sander?";
    let answer = asked(question).await;
    assert_eq!(answer.answers, ["yes"], "{answer:#?}");
    assert!(read(&answer).contains("greatest price"), "{answer:#?}");
    assert!(answer.readings.first().unwrap().sparql.as_ref().unwrap().contains("ORDER BY"));
    let answer = asked("Which has the higher price, the Heron Sander or the Falcon Drill?").await;
    assert_eq!(answer.answers, ["Falcon Drill"], "{answer:#?}");
    assert_eq!(rows(&answer), [["Falcon Drill"]]);
}

#[tokio::test]
async fn a_path_from_another_things_name_or_by_another_things_value_does_not_stand() {
    let paintings = "@prefix : <http://museum.test/> .\n\
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
        :Painting rdfs:label \"painting\" . :Artist rdfs:label \"artist\" .\n\
        :paintedBy rdfs:label \"painted by\" . :year rdfs:label \"year\" .\n\
        :bell a :Painting ; rdfs:label \"Port Louis at Dawn\" ; :paintedBy :ada ; :year 1893 .\n\
        :plums a :Painting ; rdfs:label \"Three Plums\" ; :paintedBy :ada .\n\
        :barge a :Painting ; rdfs:label \"Red Barge\" ; :paintedBy :bo ; :year 1867 ; :wins 3 .\n\
        :ada a :Artist ; rdfs:label \"Ada Lee\" . :bo a :Artist ; rdfs:label \"Bo Ray\" .\n";
    let museum = setting_from("museum.ttl", paintings).await;
    quipu_query::open_tables(&museum.workspace).await.unwrap();
    let options = AskOptions { method: Method::Auto, ..AskOptions::default() };
    let asked = async |question: &str| ask(&museum, None, Some(embedder().await), question, &options).await;
    assert_eq!(asked("In which year was Red Barge painted?").await.answers, ["1867"]);
    let around = asked("In which year was Three Plums painted?").await;
    assert_eq!(around.status, Status::Abstained, "{around:#?}");
    let another = asked("In which year was Port Ixhuvarra painted?").await;
    assert_eq!(another.status, Status::Abstained, "{another:#?}");
    // How often is no year.
    let how_often = asked("In which year did Red Barge win?").await;
    assert_eq!(how_often.status, Status::Abstained, "{how_often:#?}");
}

#[tokio::test]
async fn a_query_that_gives_what_the_path_gives_did_not_heed_the_word_that_denies() {
    let sql = "SELECT price FROM product WHERE name = 'Falcon Drill' AND price <> 7";
    let model = (0..4).fold(ScriptedModel::new(), |model, _| model.on("plan.query", sql));
    let options = AskOptions { method: Method::Auto, ..AskOptions::default() };
    let question = "What is not the price of the Falcon Drill?";
    let answer = ask(&shop().await, Some(Arc::new(model)), Some(embedder().await), question, &options).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
}

#[tokio::test]
async fn a_path_takes_the_step_that_is_asked_for_and_orders_from_the_end_that_is_meant() {
    let library = "@prefix : <http://library.test/> .\n\
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
        @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n\
        :Book rdfs:label \"book\" . :Writer rdfs:label \"writer\" . :writtenBy rdfs:label \"written by\" .\n\
        :published rdfs:label \"published\" . :teaches rdfs:label \"teaches\" .\n\
        :b1 a :Book ; rdfs:label \"Salt Road\" ; :writtenBy :w1 ; :published \"1998\"^^xsd:gYear .\n\
        :b2 a :Book ; rdfs:label \"Nine Lanterns\" ; :writtenBy :w2 ; :published \"2011\"^^xsd:gYear .\n\
        :b3 a :Book ; rdfs:label \"Harrow Hill\" ; :writtenBy :w2 ; :published \"2004\"^^xsd:gYear .\n\
        :w1 a :Writer ; rdfs:label \"Ilse Morvan\" ; :teaches :w2 . :w2 a :Writer ; rdfs:label \"Petr Vance\" .\n";
    let library = setting_from("library.ttl", library).await;
    quipu_query::open_tables(&library.workspace).await.unwrap();
    let options = AskOptions { method: Method::Auto, ..AskOptions::default() };
    let asked = async |question: &str| ask(&library, None, Some(embedder().await), question, &options).await;
    let answer = asked("How many books did Ilse Morvan write?").await;
    assert_ne!(answer.answers, ["2"], "those are of whom she teaches: {answer:#?}");
    let answer = asked("Is the Salt Road longer than Nine Lanterns?").await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
}

#[tokio::test]
async fn a_path_starts_from_what_the_question_names_and_by_the_relation_that_stands_before_it() {
    let more = "Ada Lee\tcaptain of\tTorrin Foxes\nAda Lee\tused to play for\tHarnby Herons\nAda Lee\tborn year\t1990\n";
    let league = setting_from("league.tsv", &[LEAGUE, more].concat()).await;
    let options = AskOptions { method: Method::Auto, ..AskOptions::default() };
    let asked = async |question: &str| ask(&league, None, Some(embedder().await), question, &options).await;
    let city = asked("What is the home city of the Torrin Foxes?").await;
    assert_eq!(city.answers, ["Torrin"], "{city:#?}");
    for question in [
        "What is the home city of the Torrin Foxes Wanderers?",
        "Who is the captain of the Harnby Herons?",
        "Which players scored as many goals as the top 3?",
    ] {
        let answer = asked(question).await;
        assert_eq!(answer.status, Status::Abstained, "{question} {answer:#?}");
    }
}

/// Lines of a bus company: names with digits, and a class whose name describes another.
const LINES: &str = r#"
@prefix : <http://lines.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Line rdfs:label "line" . :Bus rdfs:label "bus" . :Depot rdfs:label "depot" .
:length rdfs:label "length" . :stopsAt rdfs:label "stop" . :runBy rdfs:label "depot" .
:l1 a :Line ; rdfs:label "Line 12" ; :length 9 ; :stopsAt "Corn Row" ; :runBy :d1 .
:l2 a :Line ; rdfs:label "Line 12A" ; :length 11 ; :stopsAt "Harbour" ; :runBy :d1 .
:b1 a :Bus ; rdfs:label "Bus 7" ; :runBy :d1 . :b2 a :Bus ; rdfs:label "Bus 9" ; :runBy :d1 .
:d1 a :Depot ; rdfs:label "Mill Yard" ; :manager :e1 . :e1 a :Person ; rdfs:label "Ana Osei" .
"#;

#[tokio::test]
async fn a_path_gives_no_name_for_an_amount_and_no_buses_for_bus_lines() {
    let setting = setting_from("lines.ttl", LINES).await;
    quipu_query::open_tables(&setting.workspace).await.unwrap();
    let options = AskOptions { method: Method::Auto, ..AskOptions::default() };
    for question in [
        "How much longer is Line 12A than Line 12?",
        "bus lines that don't stop at Corn Row",
        "How many depots is Line 12 run by?",
    ] {
        let answer = ask(&setting, None, Some(embedder().await), question, &options).await;
        assert_eq!(answer.status, Status::Abstained, "{question}: {answer:#?}");
    }
}

#[tokio::test]
async fn who_is_not_the_thing_that_somebody_acts_on() {
    let setting = setting_from("lines.ttl", LINES).await;
    let sql = "SELECT manager FROM depot WHERE name = 'Mill Yard'";
    let options = AskOptions { method: Method::Query, ..AskOptions::default() };
    let model = Arc::new(ScriptedModel::new().always("plan.query", sql));
    let asked = ask(&setting, Some(model), None, "Who manages the depot Mill Yard?", &options).await;
    assert_eq!(asked.answers, ["Ana Osei"], "{asked:#?}");
    // The reading gives the depot, which the question only mentions.
    let sql = "SELECT run_by FROM line WHERE name = 'Line 12'";
    let model = Arc::new(ScriptedModel::new().always("plan.query", sql));
    let asked = ask(&setting, Some(model), None, "Who manages the depot that runs Line 12?", &options).await;
    assert_eq!(asked.status, Status::Abstained, "{asked:#?}");
}

#[tokio::test]
async fn an_hourly_wage_is_given_per_hour_and_the_best_paid_have_the_greatest() {
    let staff = r#"
        @prefix : <http://staff.test/> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :e1 a :Employee ; rdfs:label "Ana Osei" ; :jobTitle "Bus driver" ; :hourlyWage 20 .
        :e2 a :Employee ; rdfs:label "Bo Lund" ; :jobTitle "Bus driver" ; :hourlyWage 24 ."#;
    let setting = setting_from("staff.ttl", staff).await;
    let driver = "FROM employee WHERE job_title = 'Bus driver'";
    for (question, sql, expected) in [
        (
            "What is the average wage of bus drivers per hour?",
            format!("SELECT AVG(hourly_wage) {driver}"),
            "22",
        ),
        (
            "Who is the best paid bus driver?",
            format!("SELECT name {driver} ORDER BY hourly_wage DESC LIMIT 1"),
            "Bo Lund",
        ),
    ] {
        let model = Arc::new(ScriptedModel::new().always("plan.query", sql));
        let options = AskOptions { method: Method::Query, ..AskOptions::default() };
        let answer = ask(&setting, Some(model), Some(embedder().await), question, &options).await;
        assert_eq!(answer.answers, [expected], "{question}: {answer:#?}");
    }
}

/// Grants to clubs of schools; several kinds of things belong to a school by one relation.
const SCHOOLS: &str = r#"
@prefix : <http://school.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:School rdfs:label "school" . :Club rdfs:label "club" . :Room rdfs:label "room" . :Grant rdfs:label "grant" .
:school rdfs:label "school" . :to rdfs:label "awarded to" . :head rdfs:label "head teacher" . :code rdfs:label "code" .
:s1 a :School ; rdfs:label "Hill School" ; :head :t1 . :s2 a :School ; rdfs:label "Lake School" ; :head :t2 .
:Teacher rdfs:label "teacher" .
:t1 a :Teacher ; rdfs:label "Ada Lee" . :t2 a :Teacher ; rdfs:label "Bo Ray" .
:c1 a :Club ; rdfs:label "Chess Club" ; :school :s1 . :c2 a :Club ; rdfs:label "Rowing Club" ; :school :s2 .
:r1 a :Room ; rdfs:label "Hall" ; :school :s1 . :r2 a :Room ; rdfs:label "Attic" ; :school :s2 .
:g1 a :Grant ; rdfs:label "Board Grant" ; :to :c1 ; :code "G-2024-17" .
:g2 a :Grant ; rdfs:label "Boat Grant" ; :to :c2 ; :code "G-2024-18" .
:g3 a :Grant ; rdfs:label "Roof Grant" ; :to :s1 ; :code "G-2024-19" .
:g4 a :Grant ; rdfs:label "Door Grant" ; :to :s2 ; :code "G-2024-20" .
"#;

#[tokio::test]
async fn a_path_is_a_reading_beside_the_queries_of_the_model() {
    let school = setting_from("school.ttl", SCHOOLS).await;
    quipu_query::open_tables(&school.workspace).await.unwrap();
    let embedder = embedder().await;
    let mut options = AskOptions { method: Method::Auto, keep_trace: true, ..AskOptions::default() };
    // No path stands by itself.
    options.config.auto.typed.sure = 1.0;
    let asked = async |question: &str, sql: &'static str| {
        let model = Arc::new(ScriptedModel::new().always("plan.query", sql));
        let answer = ask(&school, Some(model.clone()), Some(embedder.clone()), question, &options).await;
        (answer, model.calls())
    };
    // The model's query fits no table. The path is sure enough, so no repair is asked for.
    let question = "Who is the head teacher of the school of the Chess Club?";
    let (answer, calls) = asked(question, "SELECT leader FROM clubs").await;
    assert_eq!((answer.answers.as_slice(), calls), (["Ada Lee".to_owned()].as_slice(), 1), "{answer:#?}");
    assert!(answer.readings[0].sql.as_ref().unwrap().contains("step_2"), "{answer:#?}");
    assert!(answer.grounded && !answer.evidence.is_empty());
    // Both readings give the same rows: one reading is left.
    let same =
        "SELECT head_teacher FROM school WHERE name = (SELECT school FROM club WHERE name = 'Chess Club')";
    let (answer, calls) = asked(question, same).await;
    assert_eq!((answer.answers.as_slice(), calls), (["Ada Lee".to_owned()].as_slice(), 1));
    assert_eq!(answer.readings.iter().filter(|reading| reading.values == ["Ada Lee"]).count(), 1);
    // A code is a name too, whole.
    let question = "Who is the head teacher of the school of the club that G-2024-18 was awarded to?";
    let (answer, _) = asked(question, "SELECT leader FROM clubs").await;
    let read = answer.trace.iter().flatten().find_map(|timed| match &timed.event {
        Event::Linked { mentions } => mentions.first().map(|mention| mention.text.clone()),
        _ => None,
    });
    assert_eq!(read.as_deref(), Some("G-2024-18"));
    // A list is no answer to a yes-or-no question, so no path is a reading of one.
    let (answer, _) = asked("Is the Chess Club in the Hill School?", "SELECT leader FROM clubs").await;
    let weighs = |timed: &quipu_answer::TimedEvent| matches!(timed.event, Event::Weighed { .. });
    assert!(!answer.trace.iter().flatten().any(weighs), "{answer:#?}");
}

#[tokio::test]
async fn a_path_that_fails_a_check_is_no_sure_reading() {
    let (shop, embedder) = (shop().await, embedder().await);
    quipu_query::open_tables(&shop.workspace).await.unwrap();
    let options = AskOptions { method: Method::Auto, keep_trace: true, ..AskOptions::default() };
    let model = Arc::new(ScriptedModel::new().always("plan.query", "SELECT nothing FROM nowhere"));
    // The path ignores the negation.
    let question = "Which products are not by Acme?";
    let answer = ask(&shop, Some(model), Some(embedder), question, &options).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    let doubts = answer.trace.iter().flatten().find_map(|timed| match &timed.event {
        Event::Walked { doubts, .. } => Some(doubts.clone()),
        _ => None,
    });
    assert!(doubts.unwrap().contains(&"meaning".to_owned()));
    assert!(answer.readings.iter().all(|reading| reading.confidence < 0.5));
}

#[tokio::test]
async fn the_only_thing_that_a_relation_leads_to_does_not_stand_for_several() {
    let lands = "@prefix : <http://lands.test/> .\n\
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
        :City rdfs:label \"city\" . :Country rdfs:label \"country\" .\n\
        :lima a :City ; rdfs:label \"Lima\" ; :country :peru . :cusco a :City ; rdfs:label \"Cusco\" ; :country :peru .\n\
        :quito a :City ; rdfs:label \"Quito\" ; :country :ecuador .\n\
        :peru a :Country ; rdfs:label \"Peru\" ; :capital :lima .\n\
        :ecuador a :Country ; rdfs:label \"Ecuador\" ; :capital :quito .\n";
    let lands = setting_from("lands.ttl", lands).await;
    quipu_query::open_tables(&lands.workspace).await.unwrap();
    let options = AskOptions { method: Method::Auto, keep_trace: true, ..AskOptions::default() };
    let asked = async |question: &str| {
        let sql = "SELECT name FROM city WHERE country = 'Peru'";
        let model = Arc::new(ScriptedModel::new().always("plan.query", sql));
        ask(&lands, Some(model), Some(embedder().await), question, &options).await
    };
    let mut answer = asked("Which cities are in Peru?").await;
    answer.answers.sort();
    assert_eq!(answer.answers, ["Cusco", "Lima"], "{answer:#?}");
    let answer = asked("What is the capital of Peru?").await;
    assert_eq!(answer.answers, ["Lima"], "{answer:#?}");
}

/// Ferry lines between ports of countries, and members of a club in two towns.
const FERRIES: &str = r#"
@prefix : <http://ferries.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Line rdfs:label "ferry line" . :Port rdfs:label "port" . :Country rdfs:label "country" . :Member rdfs:label "member" .
:endsAt rdfs:label "ends at" . :startsAt rdfs:label "starts at" . :locatedIn rdfs:label "located in" .
:l1 a :Line ; rdfs:label "Juniper Line" ; :startsAt :p1 ; :endsAt :p2 . :l2 a :Line ; rdfs:label "Amber Line" ; :startsAt :p2 ; :endsAt :p1 .
:p1 a :Port ; rdfs:label "Vesterodde" ; :locatedIn :c1 . :p2 a :Port ; rdfs:label "Lindesand" ; :locatedIn :c2 .
:c1 a :Country ; rdfs:label "Norland" ; :capital :p1 ; :population 70 . :c2 a :Country ; rdfs:label "Sudland" ; :capital :p2 ; :population 90 .
:p1 :population 7 . :p2 :population 9 .
:m1 a :Member ; rdfs:label "Ada Lee" ; :homeTown :p1 ; :tariff :t1 . :m2 a :Member ; rdfs:label "Bo Hart" ; :homeTown :p2 ; :tariff :t2 .
:t1 a :Tariff ; rdfs:label "business" . :t2 a :Tariff ; rdfs:label "basic" .
"#;

#[tokio::test]
async fn a_path_stops_at_the_place_gives_both_properties_and_repeats_no_condition() {
    let setting = setting_from("ferries.ttl", FERRIES).await;
    quipu_query::open_tables(&setting.workspace).await.unwrap();
    let options = AskOptions { method: Method::Auto, ..AskOptions::default() };
    let asked = async |question: &str, sql: &str| {
        let model = Arc::new(ScriptedModel::new().always("plan.query", sql));
        ask(&setting, Some(model), Some(embedder().await), question, &options).await
    };
    let ends = "SELECT ends_at FROM ferry_line WHERE name = 'Juniper Line'";
    let answer = asked("Where does the Juniper Line terminate?", ends).await;
    assert_eq!(answer.answers, ["Lindesand"], "{answer:#?}");
    let both = "SELECT country.capital, port.population FROM country JOIN port ON country.capital = port.name \
                WHERE country.name = 'Norland'";
    let answer = asked("Name the capital of Norland and its population.", both).await;
    assert_eq!(answer.table.as_ref().map(|table| table.columns.len()), Some(2), "{answer:#?}");
    let business =
        "SELECT name FROM member WHERE tariff = 'business' AND home_town IN ('Vesterodde', 'Lindesand')";
    let answer = asked("business tariff members from Vesterodde or Lindesand", business).await;
    assert_eq!(answer.answers, ["Ada Lee"], "{answer:#?}");
}

/// The relation's own name says "number"; nobody asks how many there are.
#[tokio::test]
async fn a_number_in_the_name_of_a_relation_asks_for_no_count() {
    let shirts = "Ada Lee\twears number\t18\nBo Ray\twears number\t18\nCy Moe\twears number\t9\n\
        Ada Lee\tplays for\tTorrin Foxes\nBo Ray\tplays for\tHarnby Herons\n";
    let shirts = setting_from("shirts.tsv", shirts).await;
    let options = AskOptions { method: Method::Auto, keep_trace: true, ..AskOptions::default() };
    for (question, is_doubted) in
        [("What is the wears number of 18?", true), ("How many wears number 18?", false)]
    {
        let answer = ask(&shirts, None, Some(embedder().await), question, &options).await;
        let walked = answer.trace.unwrap().into_iter().find_map(|timed| match timed.event {
            Event::Walked { answers, doubts, .. } => Some((answers, doubts)),
            _ => None,
        });
        let (answers, doubts) = walked.unwrap();
        assert_eq!(answers, ["2"], "{question} {doubts:?}");
        assert_eq!(
            doubts.iter().any(|doubt| doubt == "counts by a name"),
            is_doubted,
            "{question}: {doubts:?}"
        );
    }
}
