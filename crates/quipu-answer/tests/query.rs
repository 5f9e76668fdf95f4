//! Questions as queries over a small typed graph, with a scripted model: calls, samples, hints,
//! readings.

#![allow(clippy::unwrap_used, reason = "set-up of tests")]

use crate::common;
use std::sync::Arc;

use common::shop::{LEAGUE, ask_with, query, shop};
use common::{Setting, ask, embedder, setting_from, with_cards};
use quipu_answer::{Answer, AskOptions, Engine, Limits, MethodConfig, QueryConfig, Question, Status};
use quipu_model::{Likelihood, Scripted, ScriptedModel};

#[tokio::test]
async fn one_call_gives_a_table_with_its_reading_and_its_evidence() {
    let sql = "SELECT supplier, AVG(price) FROM product GROUP BY supplier ORDER BY AVG(price) DESC";
    let question = "What is the average price of the products of each supplier, highest first?";
    let (answer, model) = ask_with(&[sql], question, query()).await;
    assert_eq!(answer.status, Status::Answered, "{answer:#?}");
    assert_eq!(model.calls(), 1);
    let table = answer.table.unwrap();
    assert_eq!(table.columns.len(), 2);
    assert!(table.ordered);
    let rows: Vec<Vec<String>> =
        table.rows.iter().map(|row| row.iter().flatten().map(|value| value.name.clone()).collect()).collect();
    assert_eq!(rows, [["Brix", "110"], ["Acme", "76.666666667"]]);
    assert_eq!(table.rows[0][0].as_ref().unwrap().key.as_deref(), Some("http://shop.test/brix"));
    assert!(answer.grounded);
    let reading = answer.readings.first().unwrap();
    assert!(reading.words.contains("average price"), "{}", reading.words);
    assert!(reading.sparql.as_ref().unwrap().starts_with("SELECT"));
    assert!(answer.evidence.iter().any(|piece| piece.to_line() == "Otter Pump | price | 200"));
}

#[tokio::test]
async fn two_things_of_one_name_stay_two() {
    let sql = "SELECT name FROM product WHERE price < 50";
    let (answer, _) = ask_with(&[sql], "Which products have a price below 50?", query()).await;
    assert_eq!(answer.answers, ["Owl Lamp", "Owl Lamp"]);
    let table = answer.table.unwrap();
    let keys: Vec<_> = table.rows.iter().flatten().flatten().filter_map(|value| value.key.clone()).collect();
    assert_eq!(keys.len(), 2);
    assert_ne!(keys[0], keys[1]);
}

#[tokio::test]
async fn a_query_that_fails_is_sent_back_once_with_the_reason() {
    let wrong = "SELECT weight FROM product WHERE name = 'Falcon Drill'";
    let right = "SELECT price FROM product WHERE name = 'Falcon Drill'";
    let (answer, model) = ask_with(&[wrong, right, right, right], "price of the falcon drill", query()).await;
    assert_eq!(answer.answers, ["120"]);
    let second = model.requests().into_iter().nth(1).unwrap();
    let said = &second.messages.last().unwrap().content;
    assert!(said.contains("weight") && said.contains("has a column weight"), "{said}");
    assert!(model.calls() <= 4);
}

#[tokio::test]
async fn a_reply_that_was_cut_at_its_limit_is_sent_back_and_not_read() {
    let sql = "SELECT price FROM product WHERE name = 'Falcon Drill'";
    for (reply, calls) in [(sql.to_owned(), 2), (format!("```sql\n{sql}\n```\nThe price of"), 1)] {
        let model = ScriptedModel::new().on("plan.query", Scripted::Cut(reply)).on("plan.query", sql);
        let model = Arc::new(model);
        let answer =
            ask(&shop().await, Some(model.clone()), None, "price of the falcon drill", &query()).await;
        assert_eq!((answer.answers, model.calls()), (vec!["120".to_owned()], calls));
        let last = model.requests().pop().unwrap();
        let said = &last.messages.last().unwrap().content;
        assert_eq!(said.contains("reached its limit"), calls == 2, "{said}");
    }
}

#[tokio::test]
async fn a_repair_that_gives_up_what_was_asked_is_no_answer() {
    let lacks = "SELECT name FROM product ORDER BY warranty_period LIMIT 1";
    let another = "SELECT name FROM product ORDER BY price LIMIT 1";
    let question = "Which product has the shortest warranty period?";
    let (answer, _) = ask_with(&[lacks, another, another, another], question, query()).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    let unused = &answer.readings.first().unwrap().unexplained;
    assert!(unused.iter().any(|word| word == "warranty"), "{unused:?}");
    // A column that the graph has, by another way, is no other question.
    let unlinked = "SELECT supplier.price FROM supplier WHERE supplier.name = 'Acme'";
    let linked = "SELECT AVG(price) FROM product WHERE supplier = 'Acme'";
    let question = "What is the average price of the products of the supplier Acme?";
    let (answer, _) = ask_with(&[unlinked, linked, linked, linked], question, query()).await;
    assert_eq!(answer.status, Status::Answered, "{answer:#?}");
}

/// A model that writes `likeliest`, and `others` if it is asked for alternatives.
fn doubting(likeliest: &'static str, others: &'static [&'static str]) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::new().when(move |request| {
        let others = || others.iter().map(|&other| other.to_owned()).collect();
        Some(match request.alternatives {
            Some(_) => Scripted::Alternatives(others()),
            None => likeliest.into(),
        })
    }))
}

#[tokio::test]
async fn where_the_first_reading_is_doubtful_one_call_asks_for_the_likeliest_others() {
    let model = doubting("SELECT name FROM city", &["SELECT name FROM product ORDER BY price LIMIT 1"]);
    let question = "Which product has the lowest price?";
    let answer = ask(&shop().await, Some(model.clone()), None, question, &query()).await;
    assert_eq!(answer.answers, ["Owl Lamp"], "{answer:#?}");
    let requests = model.requests();
    assert_eq!(requests.len(), 2);
    let wanted = requests.last().unwrap().alternatives.clone().unwrap();
    assert_eq!((wanted.to.as_str(), wanted.count), ("SELECT name FROM city", 4));
    assert_eq!(requests[0].messages, requests[1].messages, "the prompt is computed once");
}

#[tokio::test]
async fn a_query_its_repair_and_its_alternatives_are_three_calls() {
    let others = &["SELECT name FROM city", "SELECT name FROM city", "SELECT DISTINCT name FROM city"];
    let model = doubting("SELECT name FROM planet", others);
    let question = "Which gravitational constants govern galactic rotation curves?";
    let answer = ask(&shop().await, Some(model.clone()), None, question, &query()).await;
    assert_eq!(model.calls(), 3);
    assert_eq!(answer.status, Status::Abstained);
    assert!(answer.reason.unwrap().contains("gravitational"));
    assert_eq!(answer.readings.first().unwrap().values.len(), 2);
}

#[tokio::test]
async fn a_model_that_finds_no_table_is_believed_after_one_call() {
    let (answer, model) = ask_with(&["SELECT NULL"], "Who painted the lamp?", query()).await;
    assert_eq!(answer.status, Status::Abstained);
    assert_eq!(model.calls(), 1);
}

/// A small model finds no table for one in sixty questions that the graph answers. Where a property
/// of the one named thing explains every word, code reads the question.
#[tokio::test]
async fn a_property_that_explains_every_word_is_read_without_the_model() {
    let asked = async |question: &str| ask_with(&["SELECT NULL"; 4], question, query()).await;
    let (answer, model) = asked("What does the Falcon Drill cost?").await;
    assert_eq!((answer.status, answer.answers.as_slice()), (Status::Answered, &["120".to_owned()][..]));
    assert_eq!(model.calls(), 1);
    assert!(answer.grounded);
    let reading = answer.readings.first().unwrap();
    assert!(reading.words.contains("the price of “Falcon Drill”"), "{}", reading.words);
    for question in [
        "What does the Falcon Drill weigh?",
        "Who painted the Falcon Drill?",
        "What does the Falcon Drill cost in Lima?",
        "What does the Falcon Drill not cost?",
        "What does the Falcon Drill cost, and who sells it?",
    ] {
        assert_eq!(asked(question).await.0.status, Status::Abstained, "{question}");
    }
}

#[tokio::test]
async fn a_father_is_no_mother() {
    let family = setting_from(
        "family.ttl",
        "@prefix : <http://f.test/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
         :o a :Person ; rdfs:label \"Ola Brekke\" ; :mother :e . :e a :Person ; rdfs:label \"Else Brekke\" .",
    )
    .await;
    quipu_query::open_tables(&family.workspace).await.unwrap();
    let model = || {
        Arc::new(
            ScriptedModel::new().always("plan.query", "SELECT mother FROM person WHERE name = 'Ola Brekke'"),
        )
    };
    let asked =
        async |question: &str| ask(&family, Some(model()), Some(embedder().await), question, &query()).await;
    assert_eq!(asked("Who is the mother of Ola Brekke?").await.answers, ["Else Brekke"]);
    assert_eq!(asked("Who is the father of Ola Brekke?").await.status, Status::Abstained);
}

#[tokio::test]
async fn tables_that_only_the_prompt_speaks_of_are_not_told_to_the_reader() {
    let invented = "SELECT captain FROM ship_captain WHERE ship = 'Heron Sander'";
    let (answer, _) = ask_with(&[invented; 4], "Who steers the Heron Sander?", query()).await;
    assert_eq!(answer.status, Status::Abstained);
    let reason = answer.reason.unwrap();
    assert!(reason.contains("does not fit the graph's tables") && !reason.contains("captain"), "{reason}");
}

#[tokio::test]
async fn a_query_that_only_says_something_is_no_answer() {
    let (answer, _) = ask_with(&["SELECT 'Buy the drill.'"; 4], "What should I buy?", query()).await;
    assert_eq!((answer.status, answer.answers.len()), (Status::Abstained, 0));
}

#[tokio::test]
async fn yes_and_no_are_said() {
    let more = "SELECT (SELECT price FROM product WHERE name = 'Otter Pump') > \
                (SELECT price FROM product WHERE name = 'Heron Sander')";
    let (answer, _) =
        ask_with(&[more; 4], "Is the price of Otter Pump higher than Heron Sander?", query()).await;
    assert_eq!(answer.answers, ["yes"]);
    let shared = "SELECT supplier FROM product WHERE name = 'Otter Pump' INTERSECT \
                  SELECT supplier FROM product WHERE name = 'Heron Sander'";
    let question = "Do Otter Pump and Heron Sander share a supplier?";
    let (answer, _) = ask_with(&[shared; 4], question, query()).await;
    assert_eq!((answer.answers.as_slice(), answer.grounded), (&["no".to_owned()][..], true));
}

#[tokio::test]
async fn yes_and_no_come_with_the_values_compared() {
    let lines = |answer: &Answer| -> Vec<String> {
        let stated = answer.evidence.iter().map(quipu_answer::Evidence::to_line);
        stated.filter(|line| line.contains(" | ")).collect()
    };
    let price = |name: &str| format!("(SELECT price FROM product WHERE name = '{name}')");
    let cheaper = format!("SELECT {} < {}", price("Falcon Drill"), price("Otter Pump"));
    let (answer, _) =
        ask_with(&[cheaper.as_str(); 4], "Is the Falcon Drill cheaper than the Otter Pump?", query()).await;
    assert_eq!(answer.answers, ["yes"], "{answer:#?}");
    assert_eq!(lines(&answer), ["Falcon Drill | price | 120", "Otter Pump | price | 200"]);
    // The query finds nothing; the evidence tells the supplier that it has.
    let by_brix = "SELECT EXISTS (SELECT * FROM product WHERE name = 'Falcon Drill' AND supplier = 'Brix')";
    let question = "Is Brix the supplier of the Falcon Drill?";
    let (answer, _) = ask_with(&[by_brix; 4], question, query()).await;
    assert_eq!(answer.answers, ["no"], "{answer:#?}");
    assert_eq!(lines(&answer), ["Falcon Drill | supplier | Acme"]);
    let rows = "SELECT COUNT(*) FROM product WHERE name = 'Falcon Drill' AND supplier = 'Brix'";
    let (answer, _) = ask_with(&[rows; 4], question, query()).await;
    assert_eq!(answer.answers, ["no"], "{answer:#?}");
    assert_eq!(lines(&answer), ["Falcon Drill | supplier | Acme"]);
}

#[tokio::test]
async fn another_reading_can_be_asked_for_and_a_plan_without_running_it() {
    let queries = ["SELECT based_in FROM supplier", "SELECT name FROM supplier", "SELECT name FROM city"];
    let question = "Which suppliers are odd, purple and bitter?";
    let (first, _) = ask_with(&queries, question, query()).await;
    assert!(first.readings.len() > 1, "{:#?}", first.readings);
    let options = AskOptions { reading: 2, ..query() };
    let (second, _) = ask_with(&queries, question, options).await;
    assert_eq!(second.status, Status::Answered);
    assert_eq!(second.readings.first().unwrap().words, first.readings.get(1).unwrap().words);
    let options = AskOptions { plan_only: true, ..query() };
    let (planned, _) = ask_with(&queries, question, options).await;
    assert_eq!((planned.status, planned.evidence.len()), (Status::Abstained, 0));
    assert!(planned.readings.first().unwrap().sql.is_some());
    assert!(planned.readings.len() > 1, "{:#?}", planned.readings);
}

#[tokio::test]
async fn a_plan_is_as_sure_as_its_answer_and_costs_no_more() {
    let queries = ["SELECT name FROM product WHERE supplier = 'Acme'"];
    let question = "Which products have the supplier Acme?";
    let (answer, model) = ask_with(&queries, question, query()).await;
    let options = AskOptions { plan_only: true, ..query() };
    let (planned, of_plan) = ask_with(&queries, question, options).await;
    assert_eq!((answer.status, planned.status), (Status::Answered, Status::Abstained));
    let read = |answer: &Answer| -> Vec<(String, f64)> {
        answer.readings.iter().map(|reading| (reading.words.clone(), reading.confidence)).collect()
    };
    assert_eq!(read(&answer), read(&planned));
    assert_eq!(model.calls(), of_plan.calls());
}

#[tokio::test]
async fn a_reader_is_told_of_ties_and_of_values_that_are_left_out() {
    const FILMS: &str = r#"
@prefix : <http://films.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Film rdfs:label "film" . :votes rdfs:label "votes" .
:hail a :Film ; rdfs:label "Hail" ; :votes "1500" ; :length 90 .
:rain a :Film ; rdfs:label "Rain" ; :votes "90" ; :length 90 .
:snow a :Film ; rdfs:label "Snow" ; :votes "few" ; :length 120 .
"#;
    let told = async |sql: &str, question: &str| {
        let model = Arc::new(ScriptedModel::new().on("plan.query", sql));
        let setting = setting_from("films.ttl", FILMS).await;
        let answer = ask(&setting, Some(model), None, question, &query()).await;
        let reading = answer.readings.first().unwrap_or_else(|| panic!("{answer:#?}"));
        let mut answers = answer.answers.clone();
        answers.sort();
        (answers, reading.remarks.clone())
    };
    let (answers, remarks) =
        told("SELECT name FROM film ORDER BY length LIMIT 1", "Which film has the shortest length?").await;
    assert_eq!(answers, ["Hail", "Rain"]);
    assert_eq!(remarks, ["one more row ties with the last"]);
    let (answers, remarks) =
        told("SELECT SUM(votes) FROM film", "What is the sum of the votes of all films?").await;
    assert_eq!(answers, ["1590"]);
    assert_eq!(remarks, ["1 value of votes is no number and was left out"]);
}

#[tokio::test]
async fn a_query_that_the_model_itself_finds_unlikely_is_no_answer() {
    let asked = async |mean: f64| {
        let script = ScriptedModel::new().when(move |_| {
            let likelihood = Likelihood { mean, least: mean };
            Some(Scripted::Likely(likelihood, "SELECT name FROM product WHERE supplier = 'Acme'".into()))
        });
        let model = Arc::new(script);
        let question = "Which products have the supplier Acme?";
        let answer = ask(&shop().await, Some(model.clone()), None, question, &query()).await;
        (answer, model)
    };
    let (likely, model) = asked(-0.02).await;
    assert_eq!((likely.status, model.calls()), (Status::Answered, 1));
    let (unlikely, model) = asked(-0.7).await;
    assert_eq!((unlikely.status, model.calls()), (Status::Abstained, 2));
    assert!(likely.confidence > 0.8, "{}", likely.confidence);
}

#[tokio::test]
async fn solved_queries_of_the_workspace_stand_before_the_question() {
    let shop = shop().await;
    let model = Arc::new(ScriptedModel::new().always("plan.query", "SELECT AVG(price) FROM product"));
    let llm: Arc<dyn quipu_model::LanguageModel> = model.clone();
    let engine = Engine::new(shop.workspace.clone(), Some(llm), Some(embedder().await)).unwrap();
    let question = |text: &str| Question::new(text, "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
    let sql = "SELECT AVG(price) FROM product WHERE supplier = 'Acme'";
    let kept =
        engine.add_query_example(&question("what do things of Acme cost as a rule?"), sql).await.unwrap();
    assert_eq!(kept.answers, ["76.666666667"]);
    let wrong =
        engine.add_query_example(&question("how heavy?"), "SELECT weight FROM product").await.unwrap_err();
    assert!(wrong.to_string().contains("weight"), "{wrong}");
    engine.ask(&question("what do things of Brix cost as a rule?"), &query()).await.unwrap();
    let asked = model.requests().pop().unwrap().messages.pop().unwrap().content;
    assert!(asked.contains("what do things of Acme cost as a rule?"), "{asked}");
    assert!(asked.contains("WHERE product.supplier = 'Acme'"), "{asked}");
    let tested = engine.test_examples().await.unwrap();
    assert!(tested.iter().all(|(example, found)| *found == example.answers), "{tested:?}");
}

#[tokio::test]
async fn a_polite_question_asks_what_stands_behind_the_request() {
    let sql = "SELECT name FROM product WHERE supplier = 'Acme'";
    let question = "Could you please tell me which products have Acme as their supplier?";
    let (answer, _) = ask_with(&[sql], question, query()).await;
    assert_eq!(answer.answers.len(), 3, "{answer:#?}");
}

#[tokio::test]
async fn no_repair_and_no_sample_beyond_the_tokens_of_a_question() {
    let wrong = "SELECT weight FROM product WHERE name = 'Falcon Drill'";
    let question = "bargain price of the falcon drill";
    let (_, model) = ask_with(&[wrong; 4], question, query()).await;
    assert!(model.calls() > 1);
    let prompt: usize =
        model.requests().iter().take(1).flat_map(|request| &request.messages).map(|m| m.content.len()).sum();
    // Room for one prompt, however its tokens are counted, but not for a second.
    let config = MethodConfig {
        query: QueryConfig { tokens: prompt as u64 / 100, ..QueryConfig::default() },
        ..MethodConfig::default()
    };
    let (answer, model) = ask_with(&[wrong; 4], question, AskOptions { config, ..query() }).await;
    assert_eq!(model.calls(), 1);
    assert_eq!(answer.status, Status::Abstained);
}

#[tokio::test]
async fn a_plain_word_that_one_name_holds_by_chance_is_no_hint() {
    let sql = "SELECT name FROM product WHERE price < 50";
    let hints = async |question: &str| {
        let (_, model) = ask_with(&[sql; 4], question, query()).await;
        model.requests().remove(0).messages.pop().unwrap().content
    };
    assert!(!hints("Which drill costs least?").await.contains("Falcon Drill"));
    // Capitalised, it counts as a name.
    assert!(hints("What does the Drill cost?").await.contains("product.name = 'Falcon Drill'"));
}

/// Creatures with abbreviated columns, and languages that end in one letter; one creature has the
/// name of a language.
const CODES: &str = r#"
@prefix : <http://codes.test/> .
:ogre a :Creature ; :hasACValue 12 ; :hasXPValue 400 ; :hasLanguage :GoblinL, :OrcL .
:goblin a :Creature ; :hasACValue 15 ; :hasXPValue 100 ; :hasLanguage :ElvenL .
:troll a :Creature ; :hasACValue 9 ; :hasXPValue 200 ; :hasLanguage :GoblinL .
:GoblinL a :Language . :OrcL a :Language . :ElvenL a :Language . :AuranL a :Language . :DarkL a :Language .
"#;

async fn ask_codes(sql: &str, question: &str) -> (Answer, String) {
    let model = Arc::new(ScriptedModel::new().always("plan.query", sql));
    let codes = setting_from("codes.ttl", CODES).await;
    let answer = ask(&codes, Some(model.clone()), None, question, &query()).await;
    let told = model.requests().remove(0).messages.pop().unwrap().content;
    (answer, told)
}

#[tokio::test]
async fn the_words_that_an_abbreviation_stands_for_are_a_hint_and_are_heeded() {
    let sql = "SELECT AVG(ac_value) FROM creature";
    let (answer, told) = ask_codes(sql, "What is the average armor class of the creatures?").await;
    assert!(told.contains("“armor class” may be creature.ac_value"), "{told}");
    assert_eq!(answer.answers, ["12"], "{answer:#?}");
    let (other, _) = ask_codes(sql, "What is the average experience points of the creatures?").await;
    assert!(other.confidence < answer.confidence, "{} {}", other.confidence, answer.confidence);
}

#[tokio::test]
async fn a_name_of_two_things_is_of_the_kind_that_stands_beside_it() {
    let sql = "SELECT creature FROM creature_language WHERE language = 'goblin'";
    let question = "Which creatures speak the goblin language?";
    let (answer, told) = ask_codes(sql, question).await;
    assert!(told.contains("goblin” may be language.name = 'GoblinL'"), "{told}");
    let mut found = answer.answers.clone();
    found.sort();
    assert_eq!(found, ["ogre", "troll"], "{answer:#?}");
}

#[tokio::test]
async fn two_queries_beside_a_sign_are_one_comparison() {
    let sql = "SELECT AVG(price) FROM product WHERE supplier = 'Brix' > AVG(price) FROM product WHERE supplier = 'Acme'";
    let question = "Is the average price of the products of Brix higher than of those of Acme?";
    let (answer, model) = ask_with(&[sql], question, query()).await;
    assert_eq!(answer.answers, ["yes"], "{answer:#?}");
    assert_eq!(model.calls(), 1);
}

#[tokio::test]
async fn tables_without_a_type_are_called_by_nouns_that_the_graph_bears_out() {
    let sql = "SELECT name FROM player WHERE plays_for = 'Torrin Foxes' ORDER BY goals_scored DESC LIMIT 1";
    let question = "Which player of the Torrin Foxes scored the most goals?";
    let asked = async |setting: &Setting, nouns: &str| {
        let script = ScriptedModel::new().always("plan.kinds", nouns).always("plan.query", sql);
        let model = Arc::new(script);
        let answer = ask(setting, Some(model.clone()), Some(embedder().await), question, &query()).await;
        (answer, model)
    };
    let kept =
        |setting: &Setting| std::fs::read_to_string(setting.workspace.folder().join("kinds.toml")).unwrap();
    let league = setting_from("league.tsv", LEAGUE).await;
    let (answer, model) = asked(&league, "1. player\n2. football club").await;
    assert_eq!(answer.answers, ["Ada Lee"], "{answer:#?}");
    assert!(answer.readings[0].words.contains("player"), "{}", answer.readings[0].words);
    assert_eq!(model.calls(), 2);
    assert!(kept(&league).contains("\"player\""), "{}", kept(&league));
    // Kept for all later questions.
    let (answer, model) = asked(&league, "").await;
    assert_eq!((answer.answers.len(), model.calls()), (1, 1));
    // The last call is kept for the query.
    let last = setting_from("league.tsv", LEAGUE).await;
    let sql = "SELECT plays_for FROM thing WHERE name = 'Ada Lee'";
    let model = Arc::new(ScriptedModel::new().always("plan.kinds", "1. player").always("plan.query", sql));
    let limits = Limits { llm_calls: 1, ..Limits::default() };
    let options = AskOptions { limits, ..query() };
    let whom = "Whom does Ada Lee play for?";
    let answer = ask(&last, Some(model.clone()), Some(embedder().await), whom, &options).await;
    assert_eq!((answer.answers.len(), model.calls()), (1, 1), "{answer:#?}");
    // In the wrong direction the names are rejected.
    let other = setting_from("league.tsv", LEAGUE).await;
    asked(&other, "1. city\n2. player").await;
    assert!(!kept(&other).contains("city") && !kept(&other).contains("\"player\""), "{}", kept(&other));
}

/// Roller coasters, parks, towns and companies, in triples without types.
const COASTERS: &str = "Iron Lynx\tbuilt by\tVortice\nIron Lynx\ttop speed kmh\t81.8\n\
    Iron Lynx\tstands in\tThrillby\nCopper Fox\tbuilt by\tVortice\nCopper Fox\ttop speed kmh\t120\n\
    Copper Fox\tstands in\tThrillby\nWild Whirl\tbuilt by\tLoopwerk\nWild Whirl\ttop speed kmh\t99\n\
    Wild Whirl\tstands in\tHexenwald\nThrillby\tlies in\tEspera\nThrillby\tyearly visitors\t900\n\
    Hexenwald\tlies in\tIstrel\nHexenwald\tyearly visitors\t500\nEspera\tpopulation\t4000\n\
    Istrel\tpopulation\t7000\nVortice\tfounded\t1901\nLoopwerk\tfounded\t1950\n";

/// A model called the coasters ships. Who asks for rides need not know that.
#[tokio::test]
async fn the_askers_noun_stands_for_rows_that_only_a_model_named() {
    let setting = setting_from("coasters.tsv", COASTERS).await;
    let asked = async |question: &str, sql: &str| {
        let nouns = "1. ship\n2. park\n3. city\n4. company";
        let script = ScriptedModel::new().always("plan.kinds", nouns).always("plan.query", sql);
        let model = Arc::new(script);
        let answer = ask(&setting, Some(model.clone()), Some(embedder().await), question, &query()).await;
        let mut requests = model.requests();
        let told = requests.pop().map(|request| request.messages).unwrap_or_default();
        let told: String = told.iter().map(|message| message.content.as_str()).collect();
        (answer, told)
    };
    let sql = "SELECT COUNT(*) FROM ride WHERE built_by = 'Vortice'";
    let (answer, told) = asked("How many rides has Vortice built?", sql).await;
    assert!(told.contains("CREATE TABLE ride"), "{told}");
    assert_eq!(answer.answers, ["2"], "{answer:#?}");
    assert!(answer.readings[0].words.contains("ride"), "{}", answer.readings[0].words);
    // Nothing but the noun speaks of the rows: it may be that of things which the graph lacks.
    let sql = "SELECT COUNT(*) FROM ship WHERE stands_in = 'Thrillby'";
    let (answer, told) = asked("How many accidents have there been at Thrillby?", sql).await;
    assert!(!told.contains("CREATE TABLE accident"), "{told}");
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
}

/// The card of a relation calls the rows so, and those of no other table.
#[tokio::test]
async fn a_card_names_rows_in_the_questions_word() {
    let card = "[relation.\"built by\"]\nhead_kind = \"ride\"\ntail_kind = \"company\"\n\
                forward = \"the company that built X\"\nbackward = \"the rides built by X\"\n\
                words_forward = [\"company\"]\nwords_backward = [\"rides\"]\nprompt = 3\n";
    let told = async |cards: Option<&str>| {
        let setting = setting_from("coasters.tsv", COASTERS).await;
        let setting = match cards {
            Some(cards) => with_cards(setting, cards),
            None => setting,
        };
        let nouns = "1. ship\n2. park\n3. city\n4. company";
        let script = ScriptedModel::new().always("plan.kinds", nouns).always("plan.query", "SELECT NULL");
        let model = Arc::new(script);
        let question = "Which rides are at Thrillby?";
        ask(&setting, Some(model.clone()), Some(embedder().await), question, &query()).await;
        let requests = model.requests().into_iter().filter(|request| request.stage == "plan.query");
        let messages = requests.flat_map(|request| request.messages);
        messages.map(|message| message.content).collect::<String>()
    };
    let with = told(Some(card)).await;
    assert!(with.contains("CREATE TABLE ride"), "{with}");
    let without = told(None).await;
    assert!(!without.contains("CREATE TABLE ride"), "{without}");
}

/// The names of the houses say that they are theatres; a card gives the noun to their players.
#[tokio::test]
async fn names_of_rows_say_what_they_are_before_a_card_does() {
    let houses = ["Goose Market Theatre", "Toll House Theatre", "Tin Moon Theatre", "Old Granary"];
    let mut triples = String::new();
    for (at, house) in houses.iter().enumerate() {
        triples.push_str(&format!("{house}\tfounded\t18{at}0\n{house}\tseats\t{at}50\n"));
        triples.push_str(&format!("Player {at} Lee\tperforms at\t{house}\nPlayer {at} Lee\tborn\t19{at}0\n"));
    }
    let setting = setting_from("theatres.tsv", &triples).await;
    let card = "[relation.\"performs at\"]\nhead_kind = \"theatre\"\ntail_kind = \"person\"\n\
                forward = \"the person whom X performs at\"\nbackward = \"the theatres that perform at X\"\n\
                words_forward = [\"person\"]\nwords_backward = [\"theatres\"]\nprompt = 3\n";
    let setting = with_cards(setting, card);
    let script = ScriptedModel::new().always("plan.kinds", "").always("plan.query", "SELECT NULL");
    let model = Arc::new(script);
    let question = "Which theatres have more than 40 seats?";
    ask(&setting, Some(model.clone()), Some(embedder().await), question, &query()).await;
    let requests = model.requests().into_iter().filter(|request| request.stage == "plan.query");
    let told: String = requests.flat_map(|request| request.messages).map(|message| message.content).collect();
    let of_theatres = told.lines().find(|line| line.contains("CREATE TABLE theatre")).unwrap_or_default();
    assert!(of_theatres.contains("seats"), "{told}");
}

/// Nouns that came question by question would have a later one answered in another way.
#[tokio::test]
async fn the_largest_tables_get_nouns_before_the_first_question_and_no_other_table_later() {
    let kinds =
        ["colour", "weight", "height", "author", "river", "price", "mayor", "genre", "engine", "coach"];
    let more = ["spice", "lens", "reign", "tenor", "moon"];
    let rows = kinds.iter().chain(&more).enumerate().flat_map(|(at, relation)| {
        (0..20 - at).map(move |row| format!("{relation} {row} thing\t{relation}\tvalue {row}\n"))
    });
    let setting = setting_from("kinds.tsv", &rows.collect::<String>()).await;
    let asked = async |question: &str| {
        let script = ScriptedModel::new().always("plan.kinds", "").always("plan.query", "SELECT NULL");
        let model = Arc::new(script);
        ask(&setting, Some(model.clone()), Some(embedder().await), question, &query()).await;
        model.requests().iter().filter(|request| request.stage == "plan.kinds").count()
    };
    // Twelve tables, three a call.
    assert_eq!(asked("What colour is colour 3 thing?").await, 4);
    assert_eq!(asked("What is the moon of moon 2 thing?").await, 0);
    let kept = std::fs::read_to_string(setting.workspace.folder().join("kinds.toml")).unwrap();
    assert!(kept.contains("spice") && !kept.contains("moon"), "{kept}");
}

#[tokio::test]
async fn a_number_with_a_comma_between_its_thousands_is_one_number() {
    let sql = "SELECT name FROM thing WHERE goals > 1500";
    let stars = "Ada Lee\tgoals\t1700\nBo Ray\tgoals\t300\nCy Moe\tgoals\t1600\n";
    let setting = setting_from("stars.tsv", stars).await;
    let asked = async |question: &str| {
        let model = Arc::new(ScriptedModel::new().always("plan.query", sql));
        ask(&setting, Some(model), None, question, &query()).await
    };
    let (with, without) =
        (asked("Who has more than 1,500 goals?").await, asked("Who has more than 1500 goals?").await);
    assert_eq!(with.answers.len(), 2, "{with:#?}");
    assert!((with.confidence - without.confidence).abs() < 1e-9);
}

#[tokio::test]
async fn a_name_that_the_graph_lacks_is_said_to_be_unknown() {
    let invented = "SELECT captain FROM ship_captain WHERE ship = 'Night Rider'";
    let reason = |answer: quipu_answer::Answer| {
        assert_eq!(answer.status, Status::Abstained);
        answer.reason.unwrap()
    };
    let (answer, _) = ask_with(&[invented; 4], "Who steers the Night Rider?", query()).await;
    assert_eq!(reason(answer), "nothing in the graph is called “Night Rider”");
    let (answer, _) = ask_with(&["SELECT NULL"], "Does Bo Lind own the Night Rider?", query()).await;
    assert_eq!(reason(answer), "nothing in the graph is called “Bo Lind” or “Night Rider”");
    // A part of a name is known, and so are words of the tables.
    for question in ["Who steers the Heron Rider?", "Who steers the Product?"] {
        let (answer, _) = ask_with(&[invented; 4], question, query()).await;
        let reason = reason(answer);
        assert!(!reason.contains("is called"), "{question}: {reason}");
    }
}
