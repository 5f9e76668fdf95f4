//! Names in tables that are too large to be kept: they are looked up in the workspace's index.

use std::fmt::Write as _;

use crate::common::Shop;
use quipu_query::{How, Place};

/// More towns than the values of one column that are kept.
const TOWNS: usize = 30_100;

async fn towns() -> Shop {
    let mut graph = String::from(
        "@prefix : <http://g.test/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n",
    );
    for at in 0..TOWNS {
        writeln!(graph, ":t{at} a :Town ; :size {at} ; rdfs:label \"Q{at}x{}\" .", at * 7).unwrap();
    }
    for (at, name) in
        ["Casablanca", "Casablanca", "Casabianda", "Awka", "Aba", "Dhaka", "Aku"].iter().enumerate()
    {
        writeln!(graph, ":n{at} a :Town ; :size 5 ; rdfs:label \"{name}\" .").unwrap();
    }
    Shop::of("towns.ttl", &graph).await.unwrap()
}

#[tokio::test]
async fn names_of_large_tables_are_found_in_the_index() {
    let shop = towns().await;
    let names = Place { table: 0, column: 0 };
    assert!(!shop.values.knows(&shop.tables, names));
    let found = async |text: &str| {
        let found = shop.values.find(&shop.workspace, &shop.tables, &[text.to_owned()]).await.unwrap();
        let found = shop.values.lookup(&shop.tables, &found, names, text)?;
        Some((found.how, found.terms.len(), found.shown.first().cloned().unwrap_or_default()))
    };
    assert_eq!(found("casablanca").await, Some((How::Exact, 2, "Casablanca".into())));
    // Of the names with a typing error only the most similar one is meant, and a short name none.
    assert_eq!(found("Casablanka").await, Some((How::Near, 2, "Casablanca".into())));
    assert_eq!(found("Aka").await, None);
    let named = async |question: &str| {
        let named = shop.values.named(&shop.workspace, &shop.tables, question).await.unwrap();
        named.into_iter().map(|mention| (mention.text, mention.matches.len())).collect::<Vec<_>>()
    };
    assert_eq!(named("Of which country is Casablanca's port?").await, [("Casablanca".to_owned(), 1)]);
    assert_eq!(named("Where is casablanca, and where is Casablanka?").await, []);
}
