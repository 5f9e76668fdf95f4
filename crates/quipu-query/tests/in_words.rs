//! How plans are said, and the values that calculations over no table rest on.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use anyhow::Result;
use quipu_query::{Plan, RunLimits, run, say, stated, without_conditions};

use crate::common::Shop;

const HIRE: &str = r#"
@prefix e: <http://hire.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
e:owl a e:Bike ; rdfs:label "Owl" ; e:price 35.00 ; e:kind e:city ; e:keeper e:ana ; e:electric true .
e:fox a e:Bike ; rdfs:label "Fox" ; e:price 29.00 ; e:kind e:tour ; e:keeper e:ana ; e:electric false .
e:wren a e:Bike ; rdfs:label "Wren" ; e:price 11.50 ; e:kind e:city ; e:keeper e:bo ; e:electric false .
e:city a e:Kind ; rdfs:label "city bike" .
e:tour a e:Kind ; rdfs:label "touring bike" .
e:ana a e:Person ; rdfs:label "Ana" ; e:born "1980-02-01"^^xsd:date .
e:bo a e:Person ; rdfs:label "Bo" ; e:born "1990-03-01"^^xsd:date .
"#;

async fn hire() -> Result<Shop> {
    Shop::of("hire.ttl", HIRE).await
}

fn words(shop: &Shop, sql: &str) -> String {
    say(&shop.bound(sql).unwrap().query, &shop.tables)
}

#[tokio::test]
async fn a_query_is_said_as_people_say_it() -> Result<()> {
    let shop = hire().await?;
    let cheap = "SELECT name FROM Bike WHERE kind = 'city bike' AND price < 30";
    assert_eq!(words(&shop, cheap), "the Bike whose kind is “city bike” and whose price is below 30");
    let cheapest = "SELECT name FROM Bike ORDER BY price LIMIT 1";
    assert_eq!(words(&shop, cheapest), "the Bike with the least price");
    // Small models put things without a value last.
    let stated = "SELECT name FROM Bike ORDER BY price IS NULL, price LIMIT 1";
    assert_eq!(words(&shop, stated), "the Bike with the least price");
    let number = "SELECT COUNT(*) FROM Bike WHERE kind = 'city bike'";
    assert_eq!(words(&shop, number), "the number of Bikes whose kind is “city bike”");
    let average = "SELECT AVG(price) FROM Bike WHERE kind = 'city bike' AND electric = true";
    assert_eq!(
        words(&shop, average),
        "the average price of the Bike whose kind is “city bike” and whose electric is true"
    );
    let of_kind = "SELECT name FROM Bike WHERE kind = 'city bike' ORDER BY price LIMIT 1";
    assert_eq!(words(&shop, of_kind), "the Bike whose kind is “city bike”, the one with the least price");
    Ok(())
}

#[tokio::test]
async fn a_question_about_one_thing_names_it() -> Result<()> {
    let shop = hire().await?;
    let electric = "SELECT EXISTS (SELECT 1 FROM Bike WHERE name = 'Owl' AND electric = true)";
    assert_eq!(words(&shop, electric), "whether the electric of “Owl” is true");
    let kind = "SELECT EXISTS (SELECT * FROM Bike JOIN Kind ON Bike.kind = Kind.name \
                WHERE Bike.name = 'Owl' AND Kind.name = 'touring bike')";
    assert_eq!(words(&shop, kind), "whether the kind of “Owl” is “touring bike”");
    let not = "SELECT NOT EXISTS (SELECT 1 FROM Bike WHERE name = 'Owl' AND electric = true)";
    assert_eq!(words(&shop, not), "whether it is not true that the electric of “Owl” is true");
    Ok(())
}

#[tokio::test]
async fn a_joined_row_is_called_as_the_column_that_refers_to_it() -> Result<()> {
    let shop = hire().await?;
    let of_keeper = "SELECT Bike.name FROM Bike JOIN Person ON Bike.keeper = Person.name \
                     WHERE Person.name = 'Ana'";
    assert_eq!(words(&shop, of_keeper), "the Bike, where the keeper is “Ana”");
    let born =
        "SELECT Person.born FROM Bike JOIN Person ON Bike.keeper = Person.name WHERE Bike.name = 'Fox'";
    assert_eq!(words(&shop, born), "the born of its keeper, where the Bike is “Fox”");
    Ok(())
}

/// The values of the triples behind the queries within a plan, one list for each query.
async fn behind(shop: &Shop, plan: &Plan) -> Result<Vec<Vec<String>>> {
    let mut all = Vec::new();
    for behind in &plan.behind {
        let mut planned = &behind.plan;
        let mut rows = run(&shop.workspace, planned, &RunLimits::default()).await?;
        if let Some(otherwise) = behind.otherwise.as_deref().filter(|_| rows.rows.is_empty()) {
            planned = otherwise;
            rows = run(&shop.workspace, planned, &RunLimits::default()).await?;
        }
        let stated = stated(&shop.workspace, planned, &rows, &RunLimits::default()).await?;
        let triple = |triple: &quipu_query::StatedTriple| triple.names.join(" ");
        all.push(stated.triples.iter().map(triple).collect());
    }
    Ok(all)
}

#[tokio::test]
async fn a_comparison_rests_on_both_values() -> Result<()> {
    let shop = hire().await?;
    let price = |name: &str| format!("(SELECT price FROM Bike WHERE name = '{name}')");
    let plan = shop.plan(&format!("SELECT {} < {}", price("Fox"), price("Owl")))?;
    assert_eq!(behind(&shop, &plan).await?, [["Fox price 29.00"], ["Owl price 35.00"]]);
    let words: Vec<&str> = plan.behind.iter().filter_map(|behind| behind.words.as_deref()).collect();
    assert_eq!(words, ["the price of “Fox”", "the price of “Owl”"]);
    // A plan with tables of its own has nothing behind it.
    assert!(shop.plan("SELECT name FROM Bike WHERE price < 30")?.behind.is_empty());
    Ok(())
}

#[tokio::test]
async fn yes_and_no_rest_on_the_compared_values_only() -> Result<()> {
    let shop = hire().await?;
    let is =
        |condition: &str| format!("SELECT EXISTS (SELECT * FROM Bike WHERE name = 'Owl' AND {condition})");
    let yes = shop.plan(&is("electric = true"))?;
    assert_eq!(behind(&shop, &yes).await?, [["Owl electric true"]]);
    let no = shop.plan(&is("price < 30"))?;
    assert_eq!(behind(&shop, &no).await?, [["Owl price 35.00"]]);
    let joined = "SELECT EXISTS (SELECT * FROM Bike JOIN Kind ON Bike.kind = Kind.name \
                  WHERE Bike.name = 'Owl' AND Kind.name = 'touring bike')";
    assert_eq!(behind(&shop, &shop.plan(joined)?).await?, [["Owl kind city bike", "city bike type Kind"]]);
    let bound = shop.bound("SELECT name FROM Bike WHERE name = 'Owl' AND price < 30")?;
    let compared = without_conditions(&bound.query).unwrap();
    assert_eq!(compared.to_string(), "SELECT DISTINCT bike.price FROM bike WHERE bike.name = 'Owl' LIMIT 3");
    let unnamed = shop.bound("SELECT name FROM Bike WHERE price < 30")?;
    assert_eq!(without_conditions(&unnamed.query), None);
    Ok(())
}

#[tokio::test]
async fn numbers_are_shown_as_the_graph_states_them() -> Result<()> {
    let shop = hire().await?;
    assert_eq!(shop.lines("SELECT price FROM Bike ORDER BY price").await, ["11.50", "29.00", "35.00"]);
    // A calculation has the digits that it needs.
    assert_eq!(shop.lines("SELECT AVG(price) FROM Bike WHERE kind = 'city bike'").await, ["23.25"]);
    assert_eq!(shop.lines("SELECT price / 3 FROM Bike WHERE name = 'Fox'").await, ["9.666666667"]);
    Ok(())
}

#[tokio::test]
async fn an_order_by_a_value_in_parts_is_said_by_the_relation_that_leads_to_it() -> Result<()> {
    let boxes = r#"
@prefix e: <http://boxes.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:listPrice rdfs:label "list price" .
e:a a e:Box ; rdfs:label "Amber" ; e:listPrice e:a1 ; e:weight e:a2 .
e:b a e:Box ; rdfs:label "Briar" ; e:listPrice e:b1 ; e:weight e:b2 .
e:a1 a e:Quantity ; e:amount 30 . e:b1 a e:Quantity ; e:amount 40 .
e:a2 a e:Quantity ; e:amount 9 . e:b2 a e:Quantity ; e:amount 8 .
"#;
    let shop = Shop::of("boxes.ttl", boxes).await?;
    let heaviest = "SELECT box.name FROM box JOIN quantity ON box.weight = quantity.name \
        ORDER BY quantity.amount DESC LIMIT 1";
    assert_eq!(words(&shop, heaviest), "the Box, the one with the greatest amount of its weight");
    let dear = "SELECT box.name FROM box LEFT JOIN quantity ON box.list_price = quantity.name \
        ORDER BY quantity.amount DESC LIMIT 2";
    let said = "the Box, greatest amount of its list price first, the first 2 only";
    assert_eq!(words(&shop, dear), said);
    Ok(())
}
