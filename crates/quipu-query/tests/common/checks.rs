//! Small graphs and the rows of SQL over them.

use super::Shop;

/// The prefixes of small graphs in Turtle.
const PREFIXES: &str = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
";

pub async fn graph(turtle: &str) -> Shop {
    let own = super::heard::namespace();
    let text = format!("@prefix : <{own}> .\n{PREFIXES}{turtle}");
    let shop = Shop::of("graph.ttl", &text).await.unwrap();
    Shop { has_own_namespace: true, ..shop }
}

pub async fn check(shop: &Shop, sql: &str, expected: &[&str]) {
    let lines = shop.lines(sql).await;
    let sparql = shop.plan(sql).map(|plan| plan.sparql()).unwrap_or_default();
    assert_eq!(lines, expected, "{sql}\n{sparql}");
}

/// A graph of codes: columns with abbreviated names, values that all end in one letter.
pub const CODES: &str = r#"
@prefix : <http://codes.test/> .
:a a :Creature ; :hasACValue 12 ; :hasHPvalue 30 ; :hasXPValue 400 ; :init 3 ; :atk 7 ; :hasLanguage :GoblinL, :OrcL .
:goblin a :Creature ; :hasACValue 15 ; :hasHPvalue 6 ; :hasXPValue 100 ; :init 1 ; :atk 2 ; :hasLanguage :ElvenL .
:b a :Creature ; :hasACValue 9 ; :hasHPvalue 11 ; :hasXPValue 200 ; :init 2 ; :atk 9 ; :hasLanguage :GoblinL .
:GoblinL a :Language . :OrcL a :Language . :ElvenL a :Language . :AuranL a :Language . :DarkL a :Language .
"#;
