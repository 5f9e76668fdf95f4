//! Whole-path planning over a small graph with the real embedder and no language model.

#![allow(clippy::unwrap_used, reason = "set-up of tests")]

use crate::common;
use common::paths::by_paths;
use common::{CARDS, FILMS, ask, embedder, setting, setting_from};
use quipu_answer::Status;

async fn check(question: &str, expected: &[&str]) {
    let setting = setting(FILMS).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), CARDS).unwrap();
    let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
    let mut answers = answer.answers.clone();
    answers.sort();
    assert_eq!(answers, expected, "{question}: {answer:#?}");
    assert!(answer.grounded);
    assert_eq!(answer.usage.llm_calls, 0);
    assert!(!answer.citations.is_empty());
}

#[tokio::test]
async fn one_hop() {
    check("who directed Kauwboy?", &["Boudewijn Koole"]).await;
    check("which films were directed by Paula van der Oest?", &["Tonio", "Zus & Zo"]).await;
}

#[tokio::test]
async fn two_hops() {
    check("where was the director of Kauwboy born?", &["Leidschendam"]).await;
    check("what are the release years of the films directed by Boudewijn Koole?", &["2012", "2017"]).await;
}

#[tokio::test]
async fn three_hops_and_back_without_the_way_itself() {
    check("which films share a director with Kauwboy?", &["Disappearance"]).await;
}

/// Ada wrote one film with Bo, and directed one that Cy wrote.
const PARTNERS: &str = "\
Dawn\twritten_by\tAda Lee
Dawn\twritten_by\tBo Ray
Dawn\trelease_year\t2001
Dusk\tdirected_by\tAda Lee
Dusk\twritten_by\tCy Lund
Dusk\trelease_year\t2004
Noon\twritten_by\tCy Lund
";

/// The card of `written_by`.
const WRITTEN: &str = r#"
[relation.written_by]
head_kind = "film"
tail_kind = "person"
forward = "the writers of X"
backward = "the films written by X"
words_forward = ["writer", "wrote", "written"]
words_backward = ["films", "movies", "wrote"]
"#;

#[tokio::test]
async fn who_shares_something_shares_it_by_the_same_relation() {
    let setting = setting(PARTNERS).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), format!("{CARDS}{WRITTEN}")).unwrap();
    let question = "who co-wrote films with Ada Lee?";
    let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
    assert_eq!(answer.answers, ["Bo Ray"], "{answer:#?}");
}

#[tokio::test]
async fn conjunctions_meet() {
    check("which film directed by Boudewijn Koole starred Rifka Lodeizen?", &["Disappearance"]).await;
}

#[tokio::test]
async fn counts_extremes_and_comparisons_are_calculated() {
    check("how many films did Paula van der Oest direct?", &["2"]).await;
    check("which film directed by Boudewijn Koole has the most running minutes?", &["Disappearance"]).await;
    check("which has more running minutes, Kauwboy or Tonio?", &["Tonio"]).await;
}

/// Rivers: two are called Orle; "top speed" is a relation's name, and no river has a date.
const RIVERS: &str = "\
Ansa\tlength\t40
Berg\tlength\t70
Orle\tlength\t10
Ansa\tmouth\tPort Vale
Berg\tmouth\tNorth Quay
Orle\tmouth\tNorth Quay
Ansa\tcountry\tNorland
Berg\tcountry\tNorland
Orle\tcountry\tSudland
Port Vale\tcountry\tNorland
Ansa\ttop speed\tmoderate
Norland\tneighbouring country\tSudland
Sudland\tneighbouring country\tNorland
Norland\tcapital\tPort Vale
Sudland\tcapital\tNorth Quay
Norland\tcurrency\tkrone
Sudland\tcurrency\tdinar
";

/// Other names that people use for some of these relations.
const RIVER_CARDS: &str = r#"
[relation."neighbouring country"]
head_kind = "country"
tail_kind = "country"
forward = "the country that X is neighbouring"
backward = "the countries neighbouring X"
words_forward = ["neighbour", "country", "adjacent", "bordering"]
words_backward = ["countries", "border", "bordering"]

[relation.country]
head_kind = "river"
tail_kind = "country"
forward = "the country of X"
backward = "the rivers of X"
words_forward = ["country", "flow"]
words_backward = ["rivers", "streams"]

[relation.mouth]
head_kind = "river"
tail_kind = "town"
forward = "the mouth of X"
backward = "the rivers with their mouth at X"
words_forward = ["mouth", "end"]
words_backward = ["rivers", "mouth"]

[relation.capital]
head_kind = "country"
tail_kind = "town"
forward = "the capital of X"
backward = "the countries with the capital X"
words_forward = ["capital", "town"]
words_backward = ["countries"]
"#;

async fn check_rivers(question: &str, expected: &[&str]) {
    let setting = setting(RIVERS).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), RIVER_CARDS).unwrap();
    let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
    let mut answers = answer.answers.clone();
    answers.sort();
    assert_eq!(answers, expected, "{question}: {answer:#?}");
}

#[tokio::test]
async fn the_same_is_asked_of_each_thing_of_a_list() {
    check_rivers("what is the total length of the Ansa, the Berg and the Orle?", &["120"]).await;
    check_rivers("what are the mouths of the Ansa and the Berg?", &["North Quay", "Port Vale"]).await;
    check_rivers("which of the Ansa, the Berg and the Orle has the greatest length?", &["Berg"]).await;
    // A question with two starts asks for the entity that both lead to, if there is one.
    check_rivers("which country do the Ansa and the Berg flow through?", &["Norland"]).await;
}

#[tokio::test]
async fn a_word_explained_by_one_anchor_need_not_be_explained_by_the_other() {
    check_rivers("which river of the country Norland has its mouth at North Quay?", &["Berg"]).await;
}

#[tokio::test]
async fn the_country_of_a_capital_is_not_its_neighbour() {
    check_rivers("which currency is used in the country whose capital is North Quay?", &["dinar"]).await;
}

/// Each relation is the converse of the other, and each is incomplete.
const FAMILY: &str = "\
Anna Lund\tparents\tBerta Lund
Carl Lund\tchildren\tAnna Lund
Berta Lund\tprofession\tbaker
Carl Lund\tprofession\tsailor
Berta Lund\tparents\tDora Holm
Emil Holm\tchildren\tBerta Lund
";

/// By the cards alone, `children` against its direction fits a question for a mother better.
const FAMILY_CARDS: &str = r#"
[relation.parents]
head_kind = "person"
tail_kind = "person"
forward = "the parents of X"
backward = "the children of X"
words_forward = ["parents"]
words_backward = ["children"]

[relation.children]
head_kind = "person"
tail_kind = "person"
forward = "the children of X"
backward = "the parents of X"
words_forward = ["children"]
words_backward = ["mother", "mom", "father", "parents"]
"#;

#[tokio::test]
async fn of_two_relations_that_say_the_same_the_one_in_its_own_direction_counts() {
    let setting = setting(FAMILY).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), FAMILY_CARDS).unwrap();
    for (question, expected) in [
        ("who is the mother of Anna Lund?", "Berta Lund"),
        ("what is the profession of the mother of Anna Lund?", "baker"),
        ("who are the children of Carl Lund?", "Anna Lund"),
    ] {
        let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
        assert_eq!(answer.answers, [expected], "{question}: {answer:#?}");
    }
}

#[tokio::test]
async fn an_extreme_within_a_relations_name_is_none() {
    check_rivers("what is the top speed of the Ansa?", &["moderate"]).await;
}

#[tokio::test]
async fn where_something_is_may_be_asked_for_yes_or_no() {
    check_rivers("is Port Vale in Norland?", &["yes"]).await;
}

#[tokio::test]
async fn a_date_is_not_answered_with_another_thing() {
    check_rivers("when was the mouth of the Ansa?", &[]).await;
}

#[tokio::test]
async fn two_halves_of_a_relations_name_ask_for_it_once() {
    // A film may have a year for a name.
    let setting =
        setting("Kauwboy\trelease year\t2012\n2012\trelease year\t2009\nDisappearance\trelease year\t2017\n")
            .await;
    let card = "[relation.\"release year\"]\nhead_kind = \"film\"\ntail_kind = \"year\"\nforward = \"the year when X was released\"\n\
                backward = \"the films released in X\"\nwords_forward = [\"year\", \"released\", \"when\"]\nwords_backward = [\"films\"]\n";
    std::fs::write(setting.workspace.folder().join("relations.toml"), card).unwrap();
    let question = "what year was the film Kauwboy released";
    let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
    assert_eq!(answer.answers, ["2012"], "{answer:#?}");
}

#[tokio::test]
async fn values_are_named_as_they_are_written() {
    const HARBOURS: &str = r#"@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :Harbour rdfs:label "harbour" . :code rdfs:label "harbour code" . :berths rdfs:label "berths" . :keeper rdfs:label "keeper" .
        :a a :Harbour ; rdfs:label "North Quay" ; :code "NQ" ; :berths 12 ; :keeper :ada .
        :b a :Harbour ; rdfs:label "Port Vale" ; :code "PV" ; :berths 7 ; :keeper :tom .
        :ada rdfs:label "Ada Berg" . :tom rdfs:label "Tom Reed" ."#;
    let setting = setting_from("harbours.ttl", HARBOURS).await;
    for (question, expected) in [
        ("Which harbour has the harbour code PV?", "Port Vale"),
        ("Who is the keeper of the harbour with the code NQ?", "Ada Berg"),
        ("What has 12 berths?", "North Quay"),
    ] {
        let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
        assert_eq!(answer.answers, [expected], "{question}: {answer:#?}");
        assert!(answer.grounded);
    }
}

#[tokio::test]
async fn a_name_that_shares_a_common_word_is_not_what_the_question_names() {
    let setting =
        setting("Class Act\tgenre\tScrewball comedy\nSuccess Express\tgenre\tHorse\nKauwboy\tgenre\tDrama\n")
            .await;
    let question = "what films did Michael Rooker act in";
    let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    assert_eq!(answer.reason.unwrap(), "no entity of the graph was recognised in the question");
    // A part of a name is enough.
    let answer =
        ask(&setting, None, Some(embedder().await), "what is the genre of Express?", &by_paths()).await;
    assert_eq!(answer.answers, ["Horse"], "{answer:#?}");
}

#[tokio::test]
async fn what_the_graph_does_not_know_is_not_answered() {
    let options = by_paths();
    let setting = setting(FILMS).await;
    for question in
        ["what is the boiling point of Kauwboy in the Swiss parliament?", "who wrote Xqzzt Vrbbl?"]
    {
        let answer = ask(&setting, None, Some(embedder().await), question, &options).await;
        assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
        assert!(answer.reason.is_some());
    }
}

#[tokio::test]
async fn yes_or_no_is_answered_with_what_shows_it() {
    let options = by_paths();
    let setting = setting(FILMS).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), CARDS).unwrap();
    for (question, expected) in [
        ("is Boudewijn Koole the director of Kauwboy?", "yes"),
        ("is Paula van der Oest the director of Kauwboy?", "no"),
    ] {
        let answer = ask(&setting, None, Some(embedder().await), question, &options).await;
        assert_eq!(answer.answers, [expected], "{answer:#?}");
        assert!(answer.grounded);
        let lines: Vec<String> = answer.evidence.iter().map(quipu_answer::Evidence::to_line).collect();
        assert!(lines.iter().any(|line| line.contains("Boudewijn Koole")), "{lines:?}");
        // The card says "the directors of X"; the calculation names the relation.
        let calculated: Vec<&String> = lines.iter().filter(|line| line.contains("is it among")).collect();
        assert!(calculated.len() == 1 && calculated[0].contains("directed by"), "{lines:?}");
        assert!(!calculated[0].contains("directors of"), "{lines:?}");
    }
}

#[tokio::test]
async fn a_value_of_the_one_thing_named_may_be_asked_for_yes_or_no() {
    let setting = setting(FILMS).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), CARDS).unwrap();
    for (question, expected) in [
        ("was Kauwboy released in 2012?", &["yes"][..]),
        ("was Kauwboy released in 2015?", &["no"]),
        ("was Kauwboy released after 2010?", &["yes"]),
        ("are the running minutes of Kauwboy over 90?", &["no"]),
        // The question asks for a number of films, not for a film's value.
        ("did Boudewijn Koole direct more than 30 films?", &[]),
        ("was Kauwboy released before 1 December 2012?", &[]),
        ("was Disappearance released in the 2010s?", &[]),
        ("do you know which films Boudewijn Koole released after 2014?", &["Disappearance"]),
        // No film has such a statement.
        ("was Kauwboy popular in autumn?", &[]),
        ("do you know who directed Kauwboy?", &["Boudewijn Koole"]),
    ] {
        let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
        assert_eq!(answer.answers, expected, "{question}: {answer:#?}");
        assert!(answer.grounded || expected.is_empty());
    }
}

#[tokio::test]
async fn a_decade_is_no_year_though_the_graph_knows_it() {
    let decades = "Tonio\ttag\t2010s\nTonio\ttag\tgrief\nKauwboy\ttag\tbirds\n";
    let setting = setting(&format!("{FILMS}{decades}")).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), CARDS).unwrap();
    for (question, expected) in [
        ("was Kauwboy released in the 2010s?", &[][..]),
        ("was Kauwboy released in 2012?", &["yes"]),
        ("was Kauwboy released in 2016?", &["no"]),
    ] {
        let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
        assert_eq!(answer.answers, expected, "{question}: {answer:#?}");
    }
}

#[tokio::test]
async fn a_question_for_yes_or_no_is_not_answered_with_a_list() {
    let setting = setting(FILMS).await;
    let question = "does Boudewijn Koole frobnicate Rifka Lodeizen in quarterly tax returns?";
    let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
}

#[tokio::test]
async fn conditions_on_values_are_checked_by_code() {
    check("which films by Paula van der Oest have more than 103 running minutes?", &["Zus & Zo"]).await;
    check("how many films by Boudewijn Koole have over 80 running minutes?", &["2"]).await;
    let setting = setting(FILMS).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), CARDS).unwrap();
    let question = "which films by Boudewijn Koole have over 500 running minutes?";
    let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
    assert_eq!(answer.status, Status::Abstained);
    assert!(answer.reason.unwrap().contains("over 500"));
}

/// Towns lie in countries, which have currencies, which have codes; everything has a type.
fn currencies() -> String {
    let mut text =
        "@prefix e: <https://e.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
            .to_owned();
    for (name, label) in [("Land", "country"), ("Town", "city"), ("Money", "currency")] {
        text += &format!("e:{name} rdfs:label \"{label}\" .\n");
    }
    for (name, label) in
        [("in", "country"), ("money", "currency"), ("code", "ISO currency code"), ("capital", "capital")]
    {
        text += &format!("e:{name} rdfs:label \"{label}\" .\n");
    }
    for (at, land, coin) in [(1, "Norland", "Krone"), (2, "Sudland", "Dinar"), (3, "Westland", "Thaler")] {
        text +=
            &format!("e:l{at} a e:Land ; rdfs:label \"{land}\" ; e:money e:m{at} ; e:capital e:t{at}0 .\n");
        text += &format!("e:m{at} a e:Money ; rdfs:label \"{coin}\" ; e:code \"Q{at}D\" .\n");
        for town in 0..8 {
            text += &format!("e:t{at}{town} a e:Town ; rdfs:label \"{land} Town {town}\" ; e:in e:l{at} .\n");
        }
    }
    text
}

#[tokio::test]
async fn without_cards_the_types_of_a_graph_say_what_a_way_leads_to() {
    let setting = setting_from("currencies.ttl", &currencies()).await;
    for (question, expected) in [
        ("Which country has the currency code Q2D?", "Sudland"),
        ("Which currency has the code Q1D?", "Krone"),
    ] {
        let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
        assert_eq!(answer.answers, [expected], "{question}: {answer:#?}");
    }
}

/// Two films with one name.
const NAMESAKES: &str = r#"
@prefix f: <http://films.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
f:Film rdfs:label "film" . f:Person rdfs:label "person" .
f:director rdfs:label "director" . f:minutes rdfs:label "running minutes" .
f:ada a f:Person ; rdfs:label "Ada Kern" . f:bo a f:Person ; rdfs:label "Bo Lund" .
f:actor rdfs:label "actor" . f:cy a f:Person ; rdfs:label "Cy Moss" .
f:r1 a f:Film ; rdfs:label "Resurrection" ; f:director f:ada ; f:minutes 90 ; f:actor f:cy .
f:r2 a f:Film ; rdfs:label "Resurrection" ; f:director f:ada ; f:minutes 120 .
f:t a f:Film ; rdfs:label "Tonio" ; f:director f:bo ; f:minutes 100 ; f:actor f:cy .
"#;

#[tokio::test]
async fn two_things_with_one_name_are_two_and_the_path_is_said_as_a_query() {
    let setting = setting_from("films.ttl", NAMESAKES).await;
    quipu_query::open_tables(&setting.workspace).await.unwrap();
    let asked = async |question| ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
    let films = asked("which films have the director Ada Kern?").await;
    assert_eq!(films.answers, ["Resurrection", "Resurrection"], "{films:#?}");
    let table = films.table.unwrap();
    let mut keys: Vec<_> = table.rows.iter().flatten().flatten().filter_map(|v| v.key.clone()).collect();
    keys.sort();
    assert_eq!(keys, ["http://films.test/r1", "http://films.test/r2"]);
    let reading = films.readings.first().unwrap();
    assert_eq!(reading.words, "the film whose director is “Ada Kern”");
    assert!(reading.sparql.as_ref().unwrap().contains("http://films.test/ada"));
    let number = asked("how many films have the director Ada Kern?").await;
    assert_eq!(number.answers, ["2"], "{number:#?}");
    assert_eq!(number.readings.len(), 1);
}

#[tokio::test]
async fn where_paths_meet_and_where_things_are_listed_the_reading_says_so() {
    let setting = setting_from("films.ttl", NAMESAKES).await;
    quipu_query::open_tables(&setting.workspace).await.unwrap();
    let asked = async |question| ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
    let met = asked("which film with the director Ada Kern has the actor Cy Moss?").await;
    let key = met.table.as_ref().unwrap().rows[0][0].as_ref().unwrap().key.clone();
    assert_eq!(key.as_deref(), Some("http://films.test/r1"), "{met:#?}");
    let reading = met.readings.first().unwrap();
    assert!(reading.words.contains("Ada Kern") && reading.words.contains("Cy Moss"), "{reading:#?}");
    let sparql = reading.sparql.as_ref().unwrap();
    assert!(sparql.contains("http://films.test/ada") && sparql.contains("http://films.test/cy"), "{sparql}");
    let each = asked("what are the running minutes of Tonio and Resurrection?").await;
    let reading = each.readings.first().unwrap();
    assert!(reading.words.contains("Tonio") && reading.words.contains("Resurrection"), "{each:#?}");
    assert!(each.answers.contains(&"100".to_owned()), "{each:#?}");
}

#[tokio::test]
async fn where_no_table_holds_a_path_its_reading_is_words_alone() {
    let setting = setting_from("films.ttl", NAMESAKES).await;
    let question = "how many films have the director Ada Kern?";
    let answer = ask(&setting, None, Some(embedder().await), question, &by_paths()).await;
    let reading = answer.readings.first().unwrap();
    assert!(
        reading.words.starts_with("the number of: ") && reading.words.contains("Ada Kern"),
        "{answer:#?}"
    );
    assert_eq!(reading.sparql, None);
}
