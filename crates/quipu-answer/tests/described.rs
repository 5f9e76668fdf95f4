//! "Tell me about X": the facts of a thing that a question only names.

#![allow(clippy::unwrap_used, reason = "set-up of tests")]

use crate::common;
use std::sync::Arc;

use common::shop::{rows, shop};
use common::{Setting, ask, embedder, setting_from};
use quipu_answer::{Answer, AskOptions, EvidenceContent, Status, set_option};
use quipu_model::ScriptedModel;

/// Asks by the default method with a model that must not be called.
async fn asked(setting: &Setting, question: &str, options: &AskOptions) -> Answer {
    let model = Arc::new(ScriptedModel::new());
    let answer = ask(setting, Some(model.clone()), None, question, options).await;
    assert_eq!(model.calls(), 0, "{question}: {answer:#?}");
    answer
}

#[tokio::test]
async fn a_thing_is_described_by_its_facts_in_both_directions() {
    let shop = shop().await;
    for question in ["Tell me about Acme", "who is acme?", "Acme", "Erzähl mir etwas über Acme!"] {
        let answer = asked(&shop, question, &AskOptions::default()).await;
        assert_eq!(answer.status, Status::Answered, "{question}: {answer:#?}");
        assert!(answer.grounded, "{question}: {answer:#?}");
        let rows = rows(&answer);
        let has = |relation: &str, value: &str| rows.contains(&vec![relation.to_owned(), value.to_owned()]);
        assert!(has("type", "supplier") && has("based in", "Oslo"), "{rows:?}");
        assert!(has("founded", "1990-05-01") && has("← supplier", "Falcon Drill"), "{rows:?}");
        let first = &answer.readings.first().unwrap().words;
        assert_eq!(first, "everything that the graph states about Acme (supplier)");
        // The triple is cited as it stands in the graph, whichever end is described.
        let states = |head: &str, tail: &str| {
            answer.evidence.iter().any(|piece| {
                matches!(&piece.content, EvidenceContent::Triple { head: h, tail: t, .. } if h == head && t == tail)
            })
        };
        assert!(states("Falcon Drill", "Acme") && states("Acme", "Oslo"), "{:#?}", answer.evidence);
    }
}

#[tokio::test]
async fn of_namesakes_one_is_described_and_the_others_are_offered() {
    let shop = shop().await;
    let first = asked(&shop, "Tell me about the Owl Lamp", &AskOptions::default()).await;
    assert_eq!(first.readings.len(), 2, "{first:#?}");
    assert!(first.confidence < 0.6, "{first:#?}");
    let options = AskOptions { reading: 2, ..AskOptions::default() };
    let second = asked(&shop, "Tell me about the Owl Lamp", &options).await;
    let price = |answer: &Answer| rows(answer).into_iter().find(|row| row[0] == "price").unwrap();
    let mut prices = [price(&first)[1].clone(), price(&second)[1].clone()];
    prices.sort();
    assert_eq!(prices, ["20", "30"]);
    let read = asked(&shop, "Owl Lamp", &AskOptions { plan_only: true, ..AskOptions::default() }).await;
    assert!(read.answers.is_empty() && read.readings.len() == 2, "{read:#?}");
}

#[tokio::test]
async fn a_part_of_one_name_is_enough_where_a_description_is_asked_for() {
    let shop = shop().await;
    let answer = asked(&shop, "Tell me about the Heron", &AskOptions::default()).await;
    assert!(rows(&answer).contains(&vec!["price".to_owned(), "80".to_owned()]), "{answer:#?}");
    assert!(answer.confidence < 0.8, "{answer:#?}");
    // Two lamps, and no question.
    for question in ["Tell me about the Owl", "Heron"] {
        let answer = ask(&shop, None, Some(embedder().await), question, &AskOptions::default()).await;
        assert_eq!(answer.status, Status::Abstained, "{question}: {answer:#?}");
    }
}

#[tokio::test]
async fn a_question_with_more_than_a_name_is_not_described() {
    let shop = shop().await;
    let options = AskOptions::default();
    // A class, a relation, an unknown name, and a name with something asked about it.
    for question in
        ["Tell me about product", "What is price?", "Tell me about Narnia", "Who is the supplier of Narnia?"]
    {
        let answer = ask(&shop, None, Some(embedder().await), question, &options).await;
        let described = |words: &str| words.starts_with("everything that the graph states");
        assert!(!answer.readings.iter().any(|reading| described(&reading.words)), "{question}: {answer:#?}");
    }
}

#[tokio::test]
async fn a_long_description_is_cut_and_says_so() {
    let mut graph = String::from("Hub\tis in\tNorth\n");
    for at in 0..40 {
        graph.push_str(&format!("Hub\thas part\tPart {at}\nHub\tnote {at}\tvalue {at}\n"));
    }
    let hub = setting_from("hub.tsv", &graph).await;
    let answer = asked(&hub, "Tell me about Hub", &AskOptions::default()).await;
    let table = answer.table.as_ref().unwrap();
    let parts = rows(&answer).iter().filter(|row| row[0] == "has part").count();
    assert_eq!((table.rows.len(), table.left_out, parts), (24, 81 - 24, 3), "{answer:#?}");
}

/// "Is Lima a supplier?" asks for a kind, and the graph states kinds. A city that a supplier is
/// based in makes no supplier of it.
#[tokio::test]
async fn a_things_kind_is_confirmed_or_denied_without_a_call() {
    let shop = shop().await;
    for (question, expected) in [
        ("Is Acme a supplier?", "yes"),
        ("Is Lima a supplier?", "no"),
        ("Is Lima a city?", "yes"),
        ("Is the Falcon Drill a product?", "yes"),
    ] {
        let answer = asked(&shop, question, &AskOptions::default()).await;
        assert_eq!(answer.answers, [expected], "{question}: {answer:#?}");
        let states_a_kind = |piece: &quipu_answer::Evidence| matches!(&piece.content, EvidenceContent::Triple { relation, .. } if relation == "type");
        assert!(answer.grounded && answer.evidence.iter().any(states_a_kind), "{question}: {answer:#?}");
    }
    // A kind that the graph does not know, and a thing that it does not know, are no "no".
    for question in ["Is Lima a planet?", "Is Xanadu a city?"] {
        let sql = "SELECT EXISTS (SELECT * FROM city WHERE name = 'Xanadu')";
        let model = Arc::new(ScriptedModel::new().always("plan.query", sql));
        let answer = ask(&shop, Some(model), Some(embedder().await), question, &AskOptions::default()).await;
        assert!(answer.answers.is_empty(), "{question}: {answer:#?}");
    }
}

/// An uncle is the brother of a parent where the graph states parents and siblings; a relation of
/// the relative's own name comes first.
#[tokio::test]
async fn relatives_by_two_steps_are_asked_for_by_the_graphs_own_relations() {
    let graph = "@prefix : <http://f.test/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
         :p1 a :Person ; rdfs:label \"Ada Moor\" ; :parent :p2 .\n\
         :p2 a :Person ; rdfs:label \"Bo Ley\" ; :sex \"f\" ; :sibling :p3, :p4 .\n\
         :p3 a :Person ; rdfs:label \"Cy Finn\" ; :sex \"m\" . :p4 a :Person ; rdfs:label \"Di Roe\" ; :sex \"f\" .";
    let named = graph.replace(":parent :p2", ":parent :p2 ; :uncle :p4");
    assert_ne!(graph, named);
    let siblings = "SELECT sibling FROM person_sibling WHERE person = \
                    (SELECT parent FROM person WHERE name = 'Ada Moor')";
    for (graph, expected, told) in
        [(graph, "Cy Finn", "the brother of the parent of Ada Moor"), (&named, "Di Roe", "")]
    {
        let family = setting_from("family.ttl", graph).await;
        let model = Arc::new(ScriptedModel::new().always("plan.query", siblings));
        let embedder = Some(embedder().await);
        let question = "Who is the uncle of Ada Moor?";
        let mut options = AskOptions::default();
        // A scripted model states no likelihood.
        set_option(&mut options, "query.least_confidence", "0.2").unwrap();
        let answer = ask(&family, Some(model.clone()), embedder, question, &options).await;
        assert_eq!(answer.answers, [expected], "{answer:#?}");
        let asked = model.requests().into_iter().flat_map(|request| request.messages);
        assert!(told.is_empty() || asked.map(|said| said.content).any(|said| said.contains(told)));
    }
}

/// "Is Ada a man or a woman?" is answered by the relation that tells it, whatever its name.
#[tokio::test]
async fn a_choice_of_sexes_is_answered_by_the_graphs_own_relation() {
    let family = setting_from(
        "family.ttl",
        "@prefix : <http://f.test/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n\
         :p1 a :Person ; rdfs:label \"Ada Moor\" ; :spouse :p2 ; :gender \"female\" .\n\
         :p2 a :Person ; rdfs:label \"Bo Ley\" ; :spouse :p1 ; :gender \"male\" .",
    )
    .await;
    for (question, expected) in
        [("Is Ada Moor a man or a woman?", "female"), ("is Ada Moor's spouse male or female", "male")]
    {
        let embedder = Some(embedder().await);
        let answer = ask(&family, None, embedder, question, &AskOptions::default()).await;
        assert_eq!(answer.answers, [expected], "{question}: {answer:#?}");
    }
}
