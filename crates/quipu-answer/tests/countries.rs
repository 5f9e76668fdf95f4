//! Questions about countries that must never be answered as if they were something else, by the
//! default method: with a model whose query ignores a part of the question, and without a model.

#![allow(clippy::unwrap_used, reason = "set-up of tests")]

use crate::common;
use std::collections::BTreeSet;
use std::sync::Arc;

use common::{Setting, ask, embedder, setting_from};
use quipu_answer::{Answer, AskOptions, Method, Status};
use quipu_model::{Embedder, ScriptedModel};

/// Countries with capitals, neighbours and languages. Jerusalem is also called Sion, which is two
/// letters from "moon".
const COUNTRIES: &str = r#"
@prefix : <http://countries.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:Country rdfs:label "country" . :City rdfs:label "city" . :Language rdfs:label "language" .
:capital rdfs:label "capital" . :borders rdfs:label "borders" . :speaks rdfs:label "speaks" .
:population rdfs:label "population" . :note rdfs:label "note" .
:peru a :Country ; rdfs:label "Peru" ; :capital :lima ; :borders :brazil, :chile, :bolivia ;
    :speaks :spanish, :quechua ; :population 33 .
:brazil a :Country ; rdfs:label "Brazil" ; :capital :brasilia ; :borders :peru, :bolivia ;
    :speaks :portuguese, :tupi ; :population 203 .
:bolivia a :Country ; rdfs:label "Bolivia" ; :capital :sucre ; :borders :peru, :brazil, :chile ;
    :speaks :spanish, :aymara ; :population 12 .
:chile a :Country ; rdfs:label "Chile" ; :capital :santiago ; :borders :peru, :bolivia ;
    :speaks :spanish ; :population 19 .
:angola a :Country ; rdfs:label "Angola" ; :capital :luanda ; :borders :zambia ;
    :speaks :portuguese, :umbundu ; :population 36 .
:zambia a :Country ; rdfs:label "Zambia" ; :capital :lusaka ; :borders :angola ;
    :speaks :bemba ; :population 20 .
:israel a :Country ; rdfs:label "Israel" ; :capital :jerusalem ; :speaks :hebrew ; :population 9 .
:lima a :City ; rdfs:label "Lima" ; :population 10 . :brasilia a :City ; rdfs:label "Brasília" ; :population 3 .
:sucre a :City ; rdfs:label "Sucre" ; :population 0.3 . :santiago a :City ; rdfs:label "Santiago" ; :population 7 .
:luanda a :City ; rdfs:label "Luanda" ; :population 9.3 . :lusaka a :City ; rdfs:label "Lusaka" ; :population 2.9 .
:jerusalem a :City ; rdfs:label "Jerusalem" ; skos:altLabel "Sion" ; :population 0.97 ; :note "2 letters from Sion" .
:spanish a :Language ; rdfs:label "Spanish" . :quechua a :Language ; rdfs:label "Quechua" .
:portuguese a :Language ; rdfs:label "Portuguese" . :tupi a :Language ; rdfs:label "Tupi" .
:aymara a :Language ; rdfs:label "Aymara" . :umbundu a :Language ; rdfs:label "Umbundu" .
:bemba a :Language ; rdfs:label "Bemba" . :hebrew a :Language ; rdfs:label "Hebrew" .
"#;

/// A graph that is asked with a model that writes one query, and without a model.
struct Asked {
    setting: Setting,
    embedder: Arc<dyn Embedder>,
}

impl Asked {
    async fn open() -> Self {
        Self::over("countries.ttl", COUNTRIES).await
    }

    async fn over(file: &str, triples: &str) -> Self {
        let setting = setting_from(file, triples).await;
        quipu_query::open_tables(&setting.workspace).await.unwrap();
        Self { setting, embedder: embedder().await }
    }

    async fn with(&self, question: &str, model: Option<Arc<ScriptedModel>>) -> Answer {
        let options = AskOptions { method: Method::Auto, ..AskOptions::default() };
        ask(&self.setting, model, Some(self.embedder.clone()), question, &options).await
    }

    /// The answer with a model that always writes `sql`, and the one without a model.
    async fn both(&self, question: &str, sql: &str) -> [Answer; 2] {
        let model = Arc::new(ScriptedModel::new().always("plan.query", sql));
        let queried = self.with(question, Some(model.clone())).await;
        assert!(model.calls() <= 4, "{question}: {} calls", model.calls());
        [queried, self.with(question, None).await]
    }

    async fn assert_refused(&self, question: &str, sql: &str) {
        for answer in self.both(question, sql).await {
            assert_eq!(answer.status, Status::Abstained, "{question} {sql}: {answer:#?}");
            assert!(answer.reason.is_some_and(|reason| !reason.is_empty()), "{question}");
        }
    }
}

fn values(answer: &Answer) -> BTreeSet<&str> {
    answer.answers.iter().map(String::as_str).collect()
}

#[tokio::test]
async fn what_the_graph_states_is_answered_with_and_without_a_model() {
    let asked = Asked::open().await;
    for (question, sql, expected) in [
        ("What is the capital of Peru?", "SELECT capital FROM country WHERE name = 'Peru'", "Lima"),
        ("What is the population of Brazil?", "SELECT population FROM country WHERE name = 'Brazil'", "203"),
    ] {
        for answer in asked.both(question, sql).await {
            assert_eq!(answer.answers, [expected], "{question}: {answer:#?}");
        }
    }
}

#[tokio::test]
async fn countries_that_do_not_border_are_never_those_that_do() {
    let asked = Asked::open().await;
    let bordering = BTreeSet::from(["Peru", "Bolivia"]);
    for sql in [
        "SELECT borders FROM country_borders WHERE country = 'Brazil'",
        "SELECT country FROM country_borders WHERE borders = 'Brazil'",
    ] {
        for answer in asked.both("Which countries do not border Brazil?", sql).await {
            assert!(values(&answer).is_disjoint(&bordering), "{sql}: {answer:#?}");
        }
    }
    // Brazil itself is among the others.
    let others = "SELECT name FROM country WHERE name NOT IN \
                  (SELECT country FROM country_borders WHERE borders = 'Brazil')";
    let [answer, _] = asked.both("Which countries do not border Brazil?", others).await;
    let expected = BTreeSet::from(["Angola", "Brazil", "Chile", "Israel", "Zambia"]);
    let without_itself: BTreeSet<&str> = expected.iter().copied().filter(|name| *name != "Brazil").collect();
    assert!([expected, without_itself].contains(&values(&answer)), "{answer:#?}");
}

#[tokio::test]
async fn a_denied_fact_is_never_confirmed() {
    let asked = Asked::open().await;
    let exists = "SELECT EXISTS (SELECT * FROM country WHERE name = 'Peru' AND capital = 'Lima')";
    let counts = "SELECT COUNT(*) FROM country WHERE name = 'Peru' AND capital = 'Lima'";
    let lists = "SELECT name FROM country WHERE name = 'Peru' AND capital = 'Lima'";
    for sql in [exists, counts, lists] {
        for answer in asked.both("Is Lima not the capital of Peru?", sql).await {
            assert_ne!(answer.answers, ["yes"], "{sql}: {answer:#?}");
        }
    }
}

#[tokio::test]
async fn a_city_has_no_capital() {
    let asked = Asked::open().await;
    for sql in [
        "SELECT name FROM country WHERE capital = 'Lima'",
        "SELECT capital FROM country WHERE name = 'Lima'",
        "SELECT capital FROM country WHERE capital = 'Lima'",
        "SELECT country.name FROM country JOIN city ON country.capital = city.name WHERE city.name = 'Lima'",
    ] {
        asked.assert_refused("What is the capital of Lima?", sql).await;
    }
}

#[tokio::test]
async fn a_name_that_the_graph_lacks_is_no_name_that_is_two_letters_away() {
    let asked = Asked::open().await;
    for sql in [
        "SELECT population FROM city WHERE name = 'Moon'",
        "SELECT population FROM city WHERE name = 'Sion'",
        "SELECT population FROM country WHERE name = 'the moon'",
        "SELECT population FROM city WHERE note LIKE '%Sion%'",
    ] {
        asked.assert_refused("What is the population of the moon?", sql).await;
    }
}

#[tokio::test]
async fn a_step_too_often_is_refused() {
    let asked = Asked::open().await;
    for question in [
        "capital of the capital of the capital of Peru",
        "What is the capital of the capital of the capital of Peru?",
        "What is the capital of the capital of Peru?",
    ] {
        asked.assert_refused(question, "SELECT capital FROM country WHERE name = 'Peru'").await;
    }
}

#[tokio::test]
async fn two_conditions_within_a_question_are_no_union() {
    let asked = Asked::open().await;
    let question = "Which languages are spoken in countries that border Peru and speak Portuguese?";
    let expected = BTreeSet::from(["Portuguese", "Tupi"]);
    let union = BTreeSet::from(["Aymara", "Portuguese", "Spanish", "Tupi", "Umbundu"]);
    for sql in [
        // One of the conditions, and none.
        "SELECT speaks FROM country_speaks WHERE country IN \
         (SELECT country FROM country_borders WHERE borders = 'Peru')",
        "SELECT speaks FROM country_speaks WHERE country IN \
         (SELECT country FROM country_speaks WHERE speaks = 'Portuguese')",
        "SELECT DISTINCT speaks FROM country_speaks",
        // Either of them.
        "SELECT speaks FROM country_speaks WHERE country IN \
         (SELECT country FROM country_borders WHERE borders = 'Peru') OR country IN \
         (SELECT country FROM country_speaks WHERE speaks = 'Portuguese')",
        "SELECT speaks FROM country_speaks WHERE country IN \
         (SELECT country FROM country_borders WHERE borders = 'Peru' UNION \
         SELECT country FROM country_speaks WHERE speaks = 'Portuguese')",
    ] {
        for answer in asked.both(question, sql).await {
            assert_ne!(values(&answer), union, "{sql}: {answer:#?}");
            let is_right = values(&answer) == expected;
            assert!(is_right || answer.confidence < 0.7, "{sql}: {answer:#?}");
        }
    }
    let both = "SELECT speaks FROM country_speaks WHERE country IN \
                (SELECT country FROM country_borders WHERE borders = 'Peru') AND country IN \
                (SELECT country FROM country_speaks WHERE speaks = 'Portuguese')";
    let [answer, _] = asked.both(question, both).await;
    assert_eq!(values(&answer), expected, "{answer:#?}");
}

#[tokio::test]
async fn a_rank_that_no_thing_has_is_refused() {
    let asked = Asked::open().await;
    let first = "SELECT name FROM country ORDER BY population DESC LIMIT 1";
    let fifth = "SELECT name FROM country ORDER BY population DESC LIMIT 1 OFFSET 4";
    let all = "SELECT name FROM country ORDER BY population DESC";
    for question in [
        "Which is the -5th largest country by population?",
        "What is the -5th largest country?",
        "Show the top 0 countries by population",
        "top 0 countries by population",
        "Which is the 99999999999999999999th largest country by population?",
        "Which country has the 99999999999999999999th largest population?",
    ] {
        for sql in [first, fifth, all] {
            asked.assert_refused(question, sql).await;
        }
    }
    let [answer, _] = asked.both("Which country has the largest population?", first).await;
    assert_eq!(answer.answers, ["Brazil"], "{answer:#?}");
}

/// A city and people whose names differ by one letter, each with a country.
const ALIKE: &str = r#"
@prefix : <http://alike.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:City rdfs:label "city" . :Person rdfs:label "person" . :Country rdfs:label "country" .
:inCountry rdfs:label "country" .
:lima a :City ; rdfs:label "Lima" ; :inCountry :peru . :quito a :City ; rdfs:label "Quito" ; :inCountry :ecuador .
:lina a :Person ; rdfs:label "Lina" ; :inCountry :norway . :rima a :Person ; rdfs:label "Rima" ; :inCountry :kenya .
:peru a :Country ; rdfs:label "Peru" . :ecuador a :Country ; rdfs:label "Ecuador" .
:norway a :Country ; rdfs:label "Norway" . :kenya a :Country ; rdfs:label "Kenya" .
"#;

#[tokio::test]
async fn a_short_name_is_never_that_of_another_kind_of_thing() {
    let asked = Asked::over("alike.ttl", ALIKE).await;
    let mut wrong = Vec::new();
    for (question, names, others) in [
        ("In which country is the city Lina?", ["Lina", "Lima"], ["Norway", "Kenya"]),
        ("In which country is the city Rima?", ["Rima", "Lima"], ["Norway", "Kenya"]),
        ("What is the country of the city Lina?", ["Lina", "Lima"], ["Norway", "Kenya"]),
        ("In which country is the person Lima?", ["Lima", "Lina"], ["Peru", "Ecuador"]),
        ("What is the country of the person Lima?", ["Lima", "Rima"], ["Peru", "Ecuador"]),
        ("Which country is the city Lina in?", ["Lina", "Lima"], ["Norway", "Kenya"]),
        ("Which country is the city Rima in?", ["Rima", "Lima"], ["Norway", "Kenya"]),
        ("Which country is the person Lima in?", ["Lima", "Lina"], ["Peru", "Ecuador"]),
    ] {
        for (table, name) in ["city", "person"].iter().flat_map(|table| names.map(|name| (table, name))) {
            let sql = format!("SELECT country FROM {table} WHERE name = '{name}'");
            for answer in asked.both(question, &sql).await {
                if others.iter().any(|other| values(&answer).contains(other)) {
                    wrong.push(format!("{question} {sql}: {:?} {:.2}", answer.answers, answer.confidence));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for (question, table, name, expected) in [
        ("Which country is the city Lima in?", "city", "Lima", "Peru"),
        ("What is the country of the person Lina?", "person", "Lina", "Norway"),
    ] {
        let sql = format!("SELECT country FROM {table} WHERE name = '{name}'");
        let [answer, _] = asked.both(question, &sql).await;
        assert_eq!(answer.answers, [expected], "{question}: {answer:#?}");
    }
}
