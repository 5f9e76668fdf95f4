//! KERAG's steps as in the paper: pairs, domains, times, filters, summaries, and the contents of
//! each prompt.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use crate::common;
use std::sync::Arc;

use common::kerag::{BIRTHPLACE, ENOUGH, MORE, TOPIC, by_model, composed, kerag, run};
use common::{ask, setting};
use quipu_answer::{KeragConfig, Status, Summary, TimeReader};
use quipu_model::ScriptedModel;

/// The question's own part of a prompt.
fn prompt_of(model: &ScriptedModel, call: usize) -> String {
    model.requests()[call].messages.last().unwrap().content.clone()
}

/// Short rows consist mostly of markup, which costs tokens too, so the model's own count decides
/// what fits.
#[tokio::test]
async fn the_table_is_no_longer_than_the_budget_by_the_models_own_count() {
    let rows: String = (0..60).map(|n| format!("Kauwboy\tseen by\tP{n}\nP{n}\tlives in\tC{n}\n")).collect();
    let model = ScriptedModel::new()
        .on("plan.topic", TOPIC)
        .on("prune.relations", MORE)
        .on("prune.relations", ENOUGH)
        .on("compose", composed("\"C1\"").as_str());
    let model = Arc::new(model);
    let mut options = kerag(by_model());
    options.limits.evidence_tokens = 700;
    let question = "where do those live who saw Kauwboy?";
    let answer = ask(&setting(&rows).await, Some(model.clone()), None, question, &options).await;
    let asked = model.requests();
    let prompt = &asked.last().unwrap().messages.last().unwrap().content;
    let table = &prompt[prompt.find("### ").unwrap()..];
    let table = &table[..table.rfind('|').unwrap()];
    // The scripted model counts four bytes as a token.
    let tokens = table.len() / 4;
    assert!((350..=700).contains(&tokens), "{tokens} tokens: {prompt}");
    assert!(table.contains("lives in") && table.contains("Kauwboy"), "{table}");
    assert!(answer.evidence.len() > 10, "{}", answer.evidence.len());
}

/// §4.2 and §4.3, call by call: topic, a filter for each hop of the schema, the summary, with the
/// contents of each prompt.
#[tokio::test]
async fn the_paper_s_steps_in_the_paper_s_order() {
    let typed = "\
@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Film rdfs:label \"film\" . :Person rdfs:label \"person\" . :Town rdfs:label \"town\" . :Studio rdfs:label \"studio\" .
:f1 a :Film ; rdfs:label \"Kauwboy\" ; :director :p1 . :f2 a :Film ; rdfs:label \"Tonio\" ; :studio :s1 .
:p1 a :Person ; rdfs:label \"Boudewijn Koole\" ; :birthplace :t1 . :t1 a :Town ; rdfs:label \"Leidschendam\" .
:s1 a :Studio ; rdfs:label \"Orle Films\" .
";
    let setting = common::setting_from("films.ttl", typed).await;
    let topic = r#"{"domain": "film", "entities": ["Kauwboy"], "time": "", "pair": 0, "operation": "list"}"#;
    let model = Arc::new(
        ScriptedModel::new()
            .on("plan.topic", topic)
            .on("prune.relations", MORE)
            .on("prune.relations", ENOUGH)
            .on("compose", composed("\"Leidschendam\"").as_str()),
    );
    let answer = ask(&setting, Some(model.clone()), None, BIRTHPLACE, &kerag(by_model())).await;
    assert_eq!(
        (answer.answers.as_slice(), answer.method.as_str()),
        (&["Leidschendam".to_owned()][..], "kerag")
    );
    let asked = model.requests();
    let stages: Vec<&str> = asked.iter().map(|request| request.stage.as_str()).collect();
    assert_eq!(stages, ["plan.topic", "prune.relations", "prune.relations", "compose"]);
    let prompt = |at: usize| asked[at].messages.iter().map(|m| m.content.as_str()).collect::<String>();
    // Step 1: the domains of the graph, and pairs by 3-grams.
    assert!(prompt(0).contains("film, ") && prompt(0).contains("Kauwboy - director"), "{}", prompt(0));
    // Step 2: the schema of films, which includes studios; this film has none.
    assert!(prompt(1).contains("film - director -> person") && prompt(1).contains("studio"), "{}", prompt(1));
    // Step 4: the next hop, from the tails of the kept relations.
    assert!(prompt(2).contains("person - birthplace -> town"), "{}", prompt(2));
    assert!(prompt(3).contains("step by step") && prompt(3).contains("Leidschendam"), "{}", prompt(3));
}

/// App. E: the model chooses one of at most three pairs: the plan starts from its entity, and its
/// relation is kept.
#[tokio::test]
async fn the_model_chooses_among_pairs_that_share_3_grams() {
    let rows = "Ada Berg\tborn in\tLindau\nAda Berg\temployer\tOrle Films\nAda Berg\taward\tSilver Reel\n\
                Ada Berg\twrote\tSalt Roads\n";
    let topic = r#"{"domain": "other", "entities": [], "time": "", "pair": 1, "operation": "list"}"#;
    let model = || {
        Arc::new(
            ScriptedModel::new()
                .on("plan.topic", topic)
                .on("prune.relations", r#"{"irrelevant": [1, 2, 3], "verdict": "enough"}"#)
                .on("compose", composed("\"Lindau\"").as_str()),
        )
    };
    let question = "in which town was Ada Berg born";
    let (asked, setting) = (model(), setting(rows).await);
    let answer = ask(&setting, Some(asked.clone()), None, question, &kerag(by_model())).await;
    let offered = prompt_of(&asked, 0);
    assert!(offered.contains("1. Ada Berg - born in"), "{offered}");
    assert!(!offered.contains("4. "), "{offered}");
    assert_eq!(answer.answers, ["Lindau"], "{answer:#?}");
    assert!(answer.evidence.len() <= 2, "what the model calls irrelevant is dropped: {:?}", answer.evidence);

    let (asked, none) = (model(), KeragConfig { pairs: 0, ..by_model() });
    ask(&setting, Some(asked.clone()), None, question, &kerag(none)).await;
    assert!(!asked.requests()[0].messages.last().unwrap().content.contains("Pairs:"));
}

/// §4.2 step 1: of several namesakes, the plan starts from the one in the question's domain.
#[tokio::test]
async fn the_domain_decides_between_namesakes() {
    let typed = "\
@prefix : <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Film rdfs:label \"film\" . :Ship rdfs:label \"ship\" .
:f a :Film ; rdfs:label \"Emma\" ; :owner \"Orle Films\" . :s a :Ship ; rdfs:label \"Emma\" ; :owner \"Port Lines\" .
";
    let setting = common::setting_from("namesakes.ttl", typed).await;
    for (domain, owner) in [("film", "Orle Films"), ("ship", "Port Lines")] {
        let topic = format!(
            r#"{{"domain": "{domain}", "entities": ["Emma"], "time": "", "pair": 0, "operation": "list"}}"#
        );
        let answers = composed(&format!("\"{owner}\""));
        let model = ScriptedModel::new()
            .on("plan.topic", &*topic)
            .on("prune.relations", ENOUGH)
            .on("compose", &*answers);
        let model = Arc::new(model);
        let config = kerag(KeragConfig { pairs: 0, ..by_model() });
        let answer = ask(&setting, Some(model), None, "who owns Emma?", &config).await;
        assert_eq!((answer.status, answer.answers), (Status::Answered, vec![owner.to_owned()]));
    }
}

/// App. I.1: reading times by the model costs one more call; the times reach the summary.
#[tokio::test]
async fn the_model_reads_times_where_it_is_asked_to() {
    let model = ScriptedModel::new()
        .on("plan.topic", TOPIC)
        .on("plan.time", r#"{"reasoning": "The year is named.", "from": "2012-01-01", "to": "2012-12-31"}"#)
        .on("prune.relations", ENOUGH)
        .on("compose", composed("\"2012\"").as_str());
    let config = KeragConfig { time: TimeReader::Model, ..by_model() };
    let (answer, model) = run(model, "when was Kauwboy released?", config).await;
    assert_eq!((answer.usage.llm_calls, model.calls_of("plan.time")), (4, 1));
    let summary = prompt_of(&model, 3);
    assert!(summary.contains("2012-01-01 to 2012-12-31"), "{summary}");
}

/// App. I.3: the prompt for Head2Tail has one triple per line and no time.
#[tokio::test]
async fn the_summary_from_triples_has_one_a_line() {
    let model = ScriptedModel::new()
        .on("plan.topic", TOPIC)
        .on("prune.relations", ENOUGH)
        .on("compose", r#"{"status": "answered", "answers": ["2012"]}"#);
    let config = KeragConfig { summary: Summary::Triples, ..by_model() };
    let (answer, model) = run(model, "when was Kauwboy released?", config).await;
    assert_eq!(answer.answers, ["2012"]);
    let prompt = prompt_of(&model, 2);
    assert!(
        prompt.contains("(Kauwboy, release year, 2012)") || prompt.contains("(Kauwboy, release_year, 2012)"),
        "{prompt}"
    );
    assert!(!prompt.contains("Asked on"), "{prompt}");
}

/// The model's filter sees all relations that fit its context, however many there are: 400 are
/// longer than the budget for evidence.
#[tokio::test]
async fn the_filter_sees_every_relation_that_fits() {
    for (relations, fit) in [(70, true), (400, true), (3_000, false)] {
        let rows: String = (0..relations).map(|n| format!("Kauwboy\tprop{n}\tvalue {n}\n")).collect();
        let model = Arc::new(
            ScriptedModel::new()
                .on("plan.topic", TOPIC)
                .on("prune.relations", ENOUGH)
                .on("compose", composed("\"value 69\"").as_str()),
        );
        let question = "what is prop69 of Kauwboy?";
        let options = kerag(by_model());
        let longest = options.limits.evidence_tokens;
        ask(&setting(&rows).await, Some(model.clone()), None, question, &options).await;
        let filter = prompt_of(&model, 1);
        let seen = (0..relations).filter(|n| filter.contains(&format!("prop{n} "))).count();
        assert_eq!(seen == relations, fit, "{seen} of {relations}");
        // The scripted model counts four bytes as a token and takes 8,192.
        let tokens = filter.len() / 4;
        assert!(relations < 400 || (longest..8_192).contains(&tokens), "{tokens} tokens");
    }
}
