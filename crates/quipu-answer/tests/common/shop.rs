//! Small typed graphs, and helpers that ask them with a model that writes queries by script.

use std::sync::Arc;

use super::{Setting, ask, setting_from};
use quipu_answer::{Answer, AskOptions, Method};
use quipu_model::ScriptedModel;

/// Products of suppliers in cities; two lamps have one name.
const SHOP: &str = r#"
@prefix : <http://shop.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Product rdfs:label "product" . :Supplier rdfs:label "supplier" . :City rdfs:label "city" .
:price rdfs:label "price" . :madeBy rdfs:label "supplier" . :basedIn rdfs:label "based in" .
:drill a :Product ; rdfs:label "Falcon Drill" ; :price 120 ; :madeBy :acme ; :recalled false .
:sander a :Product ; rdfs:label "Heron Sander" ; :price 80 ; :madeBy :acme .
:pump a :Product ; rdfs:label "Otter Pump" ; :price 200 ; :madeBy :brix .
:lamp a :Product ; rdfs:label "Owl Lamp" ; :price 20 ; :madeBy :brix .
:lamp2 a :Product ; rdfs:label "Owl Lamp" ; :price 30 ; :madeBy :acme .
:acme a :Supplier ; rdfs:label "Acme" ; :basedIn :oslo ; :founded "1990-05-01"^^xsd:date .
:brix a :Supplier ; rdfs:label "Brix" ; :basedIn :lima ; :founded "1985-02-01"^^xsd:date ; :foundedBy :acme ; :heirOf :acme .
:oslo a :City ; rdfs:label "Oslo" ; :praisedBy :oslo, :lima .
:lima a :City ; rdfs:label "Lima" .
"#;

pub async fn shop() -> Setting {
    setting_from("shop.ttl", SHOP).await
}

/// Asks with a model that writes these queries in turn.
pub async fn ask_with(queries: &[&str], question: &str, options: AskOptions) -> (Answer, Arc<ScriptedModel>) {
    let mut model = ScriptedModel::new();
    for query in queries {
        model = model.on("plan.query", *query);
    }
    let model = Arc::new(model);
    let options = AskOptions { keep_trace: true, ..options };
    let answer = ask(&shop().await, Some(model.clone()), None, question, &options).await;
    (answer, model)
}

pub fn query() -> AskOptions {
    AskOptions { method: Method::Query, ..AskOptions::default() }
}

/// The rows of an answer's table.
pub fn rows(answer: &Answer) -> Vec<Vec<String>> {
    let table = answer.table.iter().flat_map(|table| &table.rows);
    table.map(|row| row.iter().flatten().map(|value| value.name.clone()).collect()).collect()
}

/// Players of clubs in towns, as triples without types.
pub const LEAGUE: &str = "Ada Lee\tplays for\tTorrin Foxes\nAda Lee\tgoals scored\t17\nAda Lee\tborn in\tTorrin\n\
    Bo Ray\tplays for\tTorrin Foxes\nBo Ray\tgoals scored\t3\nBo Ray\tborn in\tHarnby\n\
    Cy Moe\tplays for\tHarnby Herons\nCy Moe\tgoals scored\t5\nCy Moe\tborn in\tHarnby\n\
    Torrin Foxes\thome city\tTorrin\nTorrin Foxes\tfounded in\t1901\nTorrin Foxes\thome ground\tFox Lane\n\
    Harnby Herons\thome city\tHarnby\nHarnby Herons\tfounded in\t1923\nHarnby Herons\thome ground\tMill Field\n";
