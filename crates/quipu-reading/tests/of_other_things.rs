//! Readings that run, and that speak of other things than the question.

use quipu_reading::{Candidate, Nearness, PathFit, TableQuestion, choose, features};

use crate::common::checks::{candidate, doubts, graph, unsaid, weighed};
use crate::common::{Shop, answers};

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

#[tokio::test]
async fn a_missing_column_is_that_of_a_table_that_stands_in_the_query() {
    let coast = graph(
        ":l1 a :Light ; rdfs:label \"Marram Light\" ; :lensFrom :w1 ; :designedBy :e1, :e2 . \
         :l2 a :Light ; rdfs:label \"Olm Light\" ; :lensFrom :w1 ; :designedBy :e3 . \
         :w1 a :Workshop ; rdfs:label \"Dray Glass\" . \
         :e1 a :Engineer ; rdfs:label \"Ada Lee\" ; :born 1801 . \
         :e2 a :Engineer ; rdfs:label \"Bo Ray\" ; :born 1812 . \
         :e3 a :Engineer ; rdfs:label \"Cy Finn\" ; :born 1823 .",
    )
    .await;
    let question = "When were the designers of Marram Light born?";
    let detour = "SELECT engineer.born FROM light JOIN workshop ON light.lens_from = workshop.name \
                  JOIN engineer ON workshop.designed_by = engineer.name WHERE light.name = 'Marram Light'";
    let mut born = answers(&coast, question, detour).await;
    born.sort();
    assert_eq!(born, ["1801", "1812"]);
}

#[tokio::test]
async fn a_word_of_the_only_relation_to_a_kind_tells_nothing_more() {
    let coast = "\
        :l1 a :Light ; rdfs:label \"Marram Light\" ; :lensFrom :w1 . :l2 a :Light ; rdfs:label \"Olm Light\" ; :lensFrom :w2 . \
        :w1 a :Workshop ; rdfs:label \"Dray Glass\" ; :founded 1801 . :w2 a :Workshop ; rdfs:label \"Ley Works\" ; :founded 1790 .";
    let left_out = async |more: &str| {
        let coast = graph(&format!("{coast} {more}")).await;
        let oldest = "SELECT name FROM workshop ORDER BY founded LIMIT 1";
        let question = "What is the oldest of the lens workshops?";
        let unexplained = weighed(&coast, question, oldest, Nearness::default(), &[]).await.1;
        unexplained.words().contains(&"lens")
    };
    assert!(!left_out("").await);
    // Others make horns: the word tells some of them.
    assert!(left_out(":l1 :hornFrom :w1 .").await);
}

/// Makers with models of two kinds, and technicians with levels.
async fn workshop() -> Shop {
    graph(
        ":m1 a :Maker ; rdfs:label \"Orvanti\" . :m2 a :Maker ; rdfs:label \"Vindrova\" . \
         :e1 a :Model ; rdfs:label \"W30\" ; :maker :m1 ; :equipmentKind \"TUR\" ; :powerKw 3000 . \
         :e2 a :Model ; rdfs:label \"V9\" ; :maker :m2 ; :equipmentKind \"INV\" ; :powerKw 300 . \
         :t1 a :Technician ; rdfs:label \"Ada Lee\" ; :level 4 . :t2 a :Technician ; rdfs:label \"Bo Ray\" ; :level 1 . \
         :p1 a :Park ; rdfs:label \"Olm Park\" ; :areaHa 25.6 ; :feeEur 12 .",
    )
    .await
}

#[tokio::test]
async fn groups_are_those_of_which_each_is_asked_for() {
    let shop = workshop().await;
    let another = "groups by another thing";
    let faults = async |group: &str| {
        let sql = format!("SELECT {group}, AVG(power_kw) FROM model GROUP BY {group}");
        let question = "Average power of the models for each maker?";
        weighed(&shop, question, &sql, Nearness::default(), &[]).await.1.faults
    };
    assert!(faults("equipment_kind").await.contains(&another));
    assert!(!faults("maker").await.contains(&another));
}

#[tokio::test]
async fn a_number_that_nobody_stated_is_no_certificate() {
    let shop = workshop().await;
    let unsaid = "compares with a number that nobody stated";
    let sql = "SELECT name FROM technician WHERE level = 4";
    let faults =
        async |question: &'static str| weighed(&shop, question, sql, Nearness::default(), &[]).await.1.faults;
    let certificate = faults("Which technicians hold a rope rescue certificate?").await;
    assert!(certificate.contains(&unsaid), "{certificate:?}");
    assert!(!faults("Which technicians have level 4?").await.contains(&unsaid));
    assert!(!faults("Which technicians have level four?").await.contains(&unsaid));
}

#[tokio::test]
async fn units_in_full_are_those_in_short() {
    let shop = workshop().await;
    let area = "SELECT area_ha FROM park WHERE name = 'Olm Park'";
    let question = "How many hectares does Olm Park take up?";
    let unexplained = weighed(&shop, question, area, Nearness::default(), &[]).await.1;
    assert!(!unexplained.words().contains(&"hectares"), "{:?}", unexplained.words());
}
