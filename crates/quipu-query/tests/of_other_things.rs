//! Readings that run, and that speak of other things than the question.

use quipu_query::asked::{Candidate, Nearness, PathFit, TableQuestion, choose, features};

use crate::common::Shop;
use crate::common::checks::{candidate, doubts, graph, unsaid, weighed};

/// Doctors with patients, and states of countries.
async fn town() -> Shop {
    graph(
        ":d1 a :Doctor ; rdfs:label \"Ada Moor\" ; :treats :p1, :p2 . :d2 a :Doctor ; rdfs:label \"Bo Ley\" ; :treats :p3 . \
         :p1 a :Patient ; rdfs:label \"Cy Finn\" ; :homeTown :t1 ; :allergicTo \"pollen\", \"nuts\" . \
         :p2 a :Patient ; rdfs:label \"Di Grau\" ; :homeTown :t2 ; :allergicTo \"nuts\" . \
         :p3 a :Patient ; rdfs:label \"Ed Holm\" ; :homeTown :t1 ; :allergicTo \"dust\", \"wool\" . \
         :t1 a :Town ; rdfs:label \"Ostby\" ; :inState :s1 . :t2 a :Town ; rdfs:label \"Lund\" ; :inState :s2 . \
         :t3 a :Town ; rdfs:label \"Varn\" ; :inState :s3 . :t4 a :Town ; rdfs:label \"Sund\" ; :inState :s4 . \
         :s1 a :State ; rdfs:label \"West Elland\" ; :inCountry :c1 . :s2 a :State ; rdfs:label \"Fjordland\" ; :inCountry :c2 . \
         :s3 a :State ; rdfs:label \"Moss County\" ; :inCountry :c3 . :s4 a :State ; rdfs:label \"Isle\" ; :inCountry :c4 . \
         :c1 a :Country ; rdfs:label \"Norland\" ; :capital :t1 ; :currency \"Crown\" . \
         :c2 a :Country ; rdfs:label \"Sudland\" ; :capital :t2 ; :currency \"Crown\" . \
         :c3 a :Country ; rdfs:label \"Estland\" ; :capital :t3 ; :currency \"Mark\" . \
         :c4 a :Country ; rdfs:label \"Midland\" ; :capital :t4 ; :currency \"Mark\" . \
         :h a :Hall ; rdfs:label \"Old Hall\" . :g a :Gala ; rdfs:label \"Winter Gala\" ; :hall :h . \
         :l1 a :Lesson ; rdfs:label \"Scales\" ; :hall :h ; :teacher :d1 . \
         :v1 a :Visit ; :patient :p1 ; :reason \"fever\" . :v2 a :Visit ; :patient :p2 ; :reason \"burn\" .",
    )
    .await
}

#[tokio::test]
async fn what_is_true_of_others_is_not_true_of_the_named() {
    let shop = town().await;
    let towns = "SELECT patient.home_town FROM patient JOIN doctor_treats ON patient.name = doctor_treats.treats \
                 WHERE doctor_treats.doctor = 'Ada Moor'";
    assert_eq!(unsaid(&shop, "In which town does Ada Moor live?", towns).await, ["Patient"]);
    assert!(unsaid(&shop, "In which towns do the patients of Ada Moor live?", towns).await.is_empty());
    assert!(unsaid(&shop, "Which towns do those whom Ada Moor treats live in?", towns).await.is_empty());
    // People may be patients.
    assert!(unsaid(&shop, "In which towns do the people of Ada Moor live?", towns).await.is_empty());
    let allergies = "SELECT allergic_to FROM patient_allergic_to WHERE patient IN \
                     (SELECT treats FROM doctor_treats WHERE doctor = 'Ada Moor')";
    assert_eq!(unsaid(&shop, "What is Ada Moor allergic to?", allergies).await, ["Patient"]);
}

#[tokio::test]
async fn what_shares_a_room_is_not_the_things_own() {
    let shop = town().await;
    let teachers = "SELECT lesson.teacher FROM gala JOIN lesson ON gala.hall = lesson.hall WHERE gala.name = 'Winter Gala'";
    assert_eq!(unsaid(&shop, "Who conducts the Winter Gala?", teachers).await, ["Lesson"]);
    let asked = "Who is the teacher of the lessons in the hall of the Winter Gala?";
    assert!(unsaid(&shop, asked, teachers).await.is_empty());
}

#[tokio::test]
async fn a_state_shares_its_countrys_currency_not_its_capital() {
    let shop = town().await;
    let of = |column: &str| {
        format!(
            "SELECT country.{column} FROM country JOIN state ON state.in_country = country.name WHERE state.name = 'Fjordland'"
        )
    };
    assert_eq!(unsaid(&shop, "What is the capital of Fjordland?", &of("capital")).await, ["Country"]);
    let asked = "What is the capital of the country of Fjordland?";
    assert!(unsaid(&shop, asked, &of("capital")).await.is_empty());
    assert!(unsaid(&shop, "Which currency is used in Fjordland?", &of("currency")).await.is_empty());
}

#[tokio::test]
async fn a_record_tells_of_those_that_it_holds() {
    let shop = town().await;
    let reason = "SELECT reason FROM visit WHERE patient = 'Cy Finn'";
    assert!(unsaid(&shop, "Why did Cy Finn come?", reason).await.is_empty());
}

#[tokio::test]
async fn a_word_before_a_small_name_makes_it_another() {
    let shop = town().await;
    let currency = "SELECT country.currency FROM country JOIN state ON state.in_country = country.name WHERE state.name = 'moss'";
    assert_eq!(doubts(&shop, "which currency is used in new moss", currency).await, ["new"]);
    assert!(doubts(&shop, "which currency is used in moss", currency).await.is_empty());
}

#[tokio::test]
async fn the_same_as_nothing_is_doubted() {
    let shop = town().await;
    let first = "SELECT name FROM patient WHERE home_town = (SELECT home_town FROM patient LIMIT 1)";
    assert_eq!(doubts(&shop, "Which patients have the same home town?", first).await, ["same"]);
    let pairs =
        "SELECT a.name FROM patient a JOIN patient b ON a.home_town = b.home_town WHERE a.name <> b.name";
    assert!(doubts(&shop, "Which patients have the same home town?", pairs).await.is_empty());
}

#[tokio::test]
async fn most_of_some_are_not_most_of_all() {
    let shop = town().await;
    let counted = "SELECT home_town FROM patient GROUP BY home_town ORDER BY COUNT(*) DESC LIMIT 1";
    let near = |words: &[(&str, f64)]| Nearness {
        asked: words.iter().map(|(word, near)| ((*word).to_owned(), *near)).collect(),
        ..Nearness::default()
    };
    let doubted = async |question: &str, words: &[(&str, f64)]| {
        weighed(&shop, question, counted, near(words), &[]).await.1.meanings
    };
    let found =
        doubted("Which town has the most allergic people?", &[("allergic", 0.2), ("people", 0.6)]).await;
    assert_eq!(found, ["people"]);
    assert_eq!(doubted("Which town has the most tables?", &[("tables", 0.2)]).await, ["tables"]);
    assert!(doubted("Which town has the most people?", &[("people", 0.4)]).await.is_empty());
    assert!(doubted("Which home town is used the most often?", &[("often", 0.4)]).await.is_empty());
}

#[tokio::test]
async fn how_old_is_not_since_when() {
    let shop = graph(":k a :Keeper ; rdfs:label \"Tomas Riedl\" ; :since 2015 ; :height 180 .").await;
    let of = |column: &str| format!("SELECT {column} FROM keeper WHERE name = 'Tomas Riedl'");
    let doubted = async |question: &str, sql: &str| {
        let asked = [("old".to_owned(), 0.3), ("tall".to_owned(), 0.3)].into();
        let near = Nearness { asked, ..Nearness::default() };
        weighed(&shop, question, sql, near, &[]).await.1.meanings
    };
    assert_eq!(doubted("How old is Tomas Riedl?", &of("since")).await, ["old"]);
    assert!(doubted("How tall is Tomas Riedl?", &of("height")).await.is_empty());
}

#[tokio::test]
async fn codes_order_nothing() {
    let shop = graph(
        ":r1 a :Restaurant ; rdfs:label \"Oak\" ; :id 1 ; :rating 4.5 . :r2 a :Restaurant ; rdfs:label \"Elm\" ; :id 2 ; :rating 4.1 .",
    )
    .await;
    let by_code = "SELECT name FROM restaurant WHERE name IN ('Oak', 'Elm') ORDER BY id DESC LIMIT 1";
    assert!(unsaid(&shop, "Which has more tables, Oak or Elm?", by_code).await.contains(&"id".to_owned()));
    assert!(unsaid(&shop, "Which has the higher id, Oak or Elm?", by_code).await.is_empty());
}

/// A path beside the model's word that no table holds what is asked for.
#[tokio::test]
async fn the_models_refusal_is_a_vote_against_a_path() {
    let shop = town().await;
    let asked = async |question: &str, declined: usize| {
        let sql = "SELECT home_town FROM patient WHERE name = 'Cy Finn'";
        let written = candidate(&shop, question, sql, Nearness::default()).await;
        let path = Some(PathFit { share: 0.5, doubts: 0, steps: 1 });
        let candidate = Candidate { path, declined, ..written };
        let (text, named) = (question, &[][..]);
        let asking = TableQuestion { text, tables: &shop.tables, values: &shop.values, named };
        features(&asking, std::slice::from_ref(&candidate)).remove(0).0.confidence()
    };
    let question = "Where does Cy Finn live?";
    let (believed, declined) = (asked(question, 0).await, asked(question, 1).await);
    assert!(believed >= 0.6 && declined < 0.6, "{believed} {declined}");
    assert!(asked("What is the home town of Cy Finn?", 1).await >= 0.6);
}

#[tokio::test]
async fn two_things_of_one_name_are_two_results() {
    let films = graph(
        ":f1 a :Film ; rdfs:label \"Resurrection\" ; :director \"Ada Moor\" ; :year 1960 . \
         :f2 a :Film ; rdfs:label \"Resurrection\" ; :director \"Bo Ley\" ; :year 1980 . \
         :f3 a :Film ; rdfs:label \"Tides\" ; :director \"Cy Finn\" ; :year 1990 .",
    )
    .await;
    let question = "Which film did Ada Moor direct?";
    let asking = TableQuestion { text: question, tables: &films.tables, values: &films.values, named: &[] };
    let results = async |one: &'static str, other: &'static str| {
        let candidates = [
            candidate(&films, question, one, Nearness::default()).await,
            candidate(&films, question, other, Nearness::default()).await,
        ];
        choose(&asking, &candidates).len()
    };
    let hers = "SELECT name FROM film WHERE director = 'Ada Moor'";
    let his = "SELECT name FROM film WHERE director = 'Bo Ley'";
    assert_eq!(results(hers, his).await, 2);
    assert_eq!(results(hers, "SELECT name FROM film WHERE year = 1960").await, 1);
}
