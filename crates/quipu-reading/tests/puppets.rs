//! Triples without types, where theatres, workshops and schools are rows of one table: what their
//! names tell of them, and readings that find nothing because nothing can be so.

use crate::common::checks::{faults, weighed};
use crate::common::{Shop, asked_rows};
use quipu_reading::{Nearness, unknown_kinds};

/// Puppets, their carvers and the houses, of which some are theatres.
async fn puppets() -> Shop {
    let mut triples = String::new();
    let mut add = |head: &str, relation: &str, tail: &str| {
        triples.push_str(&format!("{head}\t{relation}\t{tail}\n"));
    };
    let theatres = ["Goose Market Theatre", "Toll House Theatre", "Tin Moon Theatre"];
    let others = ["Nine Chisels", "Pettigrew Puppets", "Ostermill Academy", "Marionette College"];
    for (at, house) in theatres.iter().chain(&others).enumerate() {
        add(house, "located_in", if at % 2 == 0 { "Elsinby" } else { "Varnsby" });
        add(house, "est_year", &format!("18{at}0"));
    }
    for (at, theatre) in theatres.iter().enumerate() {
        add(theatre, "seats", &format!("{at}50"));
    }
    for (at, puppet) in ["Lady Wobble", "King Nobbin", "The Green Dragon"].iter().enumerate() {
        add(puppet, "carved_by", if at == 0 { "Ada Drexel" } else { "Ben Lovage" });
        add(puppet, "made_at", others[at % 2]);
        add(puppet, "height_cm", &format!("{at}9"));
    }
    add("Ada Drexel", "trained_at", "Ostermill Academy");
    add("Ben Lovage", "trained_at", "Ostermill Academy");
    add("Ada Drexel", "apprentice_of", "Ben Lovage");
    add("Ben Lovage", "birthplace", "Varnsby");
    add("Ada Drexel", "birthplace", "Elsinby");
    Shop::of("graph.tsv", &triples).await.unwrap()
}

/// The name of the table that has a column.
fn table_with(shop: &Shop, column: &str) -> String {
    let has = |of: &&quipu_query::Table| of.columns.iter().any(|one| one.id == column);
    shop.tables.tables.iter().find(has).unwrap().id.clone()
}

#[tokio::test]
async fn one_word_of_a_name_leaves_a_noun_open() {
    let shop = puppets().await;
    let found = unknown_kinds("Which puppets did Ada Drexel carve?", &shop.tables, &shop.values);
    assert_eq!(found.iter().map(|kind| kind.noun.as_str()).collect::<Vec<_>>(), ["puppet"]);
    let found = unknown_kinds("Who works at Pettigrew Puppets?", &shop.tables, &shop.values);
    assert!(found.is_empty(), "{found:?}");
}

#[tokio::test]
async fn rows_of_several_kinds_are_not_all_of_one() {
    let mut shop = puppets().await;
    let houses = shop.tables.columns().find(|(_, column)| column.id == "located_in").unwrap().0.table;
    shop.tables.rename(houses, "theatre");
    let id = shop.tables.table(houses).unwrap().id.clone();
    let fault = "takes things of all kinds";
    let all = format!("SELECT COUNT(*) FROM {id} WHERE located_in = 'Elsinby'");
    assert!(faults(&shop, "How many theatres are in Elsinby?", &all).await.contains(&fault));
    // Only theatres have seats.
    let seats = format!("SELECT name FROM {id} WHERE located_in = 'Elsinby' AND seats > 40");
    let asked = "Which theatres in Elsinby have more than 40 seats?";
    assert!(!faults(&shop, asked, &seats).await.contains(&fault));
    // All halls have the same properties, and some are called so.
    let halls = ["Mill Hall", "Toll Hall", "Tin Hall", "The Nest", "The Barn"];
    let triples = halls.map(|hall| format!("{hall}\tlies_in\tElsinby\n{hall}\tseats\t50\n")).concat();
    let mut alike = Shop::of("graph.tsv", &triples).await.unwrap();
    let at = alike.tables.columns().find(|(_, column)| column.id == "seats").unwrap().0.table;
    alike.tables.rename(at, "hall");
    let id = alike.tables.table(at).unwrap().id.clone();
    let all = format!("SELECT COUNT(*) FROM {id} WHERE lies_in = 'Elsinby'");
    assert!(!faults(&alike, "How many halls are in Elsinby?", &all).await.contains(&fault));
    // No name tells that they are houses.
    shop.tables.rename(houses, "house");
    let id = shop.tables.table(houses).unwrap().id.clone();
    let all = format!("SELECT COUNT(*) FROM {id} WHERE located_in = 'Elsinby'");
    assert!(!faults(&shop, "How many houses are in Elsinby?", &all).await.contains(&fault));
}

#[tokio::test]
async fn what_cannot_be_tells_nothing() {
    let shop = puppets().await;
    let of = table_with(&shop, "birthplace");
    let two = format!(
        "SELECT EXISTS (SELECT 1 FROM {of} WHERE birthplace = 'Elsinby' AND name = 'Ada Drexel' \
         AND name = 'Ben Lovage')"
    );
    let asked = "Did Ada Drexel and Ben Lovage attend the same school?";
    assert!(faults(&shop, asked, &two).await.contains(&"wants one thing to be two"));
    let one =
        format!("SELECT EXISTS (SELECT 1 FROM {of} WHERE birthplace = 'Elsinby' AND name = 'Ada Drexel')");
    assert!(!faults(&shop, asked, &one).await.contains(&"wants one thing to be two"));
    let puppets = table_with(&shop, "made_at");
    let none = format!(
        "SELECT COUNT(*) FROM {puppets} JOIN {of} ON {puppets}.carved_by = {of}.name \
         WHERE {of}.name = 'Ben Lovage' AND {puppets}.made_at = 'puppets'"
    );
    let fault = "counts what nothing is called";
    let asked = "How many puppets did Ben Lovage carve?";
    let is_mended = asked_rows(&shop, asked, &none).await == ["2"];
    assert!(is_mended || faults(&shop, asked, &none).await.contains(&fault));
    let some = format!("SELECT COUNT(*) FROM {puppets} WHERE made_at = 'Nine Chisels'");
    assert!(!faults(&shop, "How many puppets were made at Nine Chisels?", &some).await.contains(&fault));
}

#[tokio::test]
async fn agents_and_parts_of_named_things_are_steps() {
    let shop = puppets().await;
    let carvers = table_with(&shop, "birthplace");
    let puppets = table_with(&shop, "made_at");
    let born = format!(
        "SELECT {carvers}.birthplace FROM {puppets} JOIN {carvers} ON {puppets}.carved_by = {carvers}.name \
         WHERE {puppets}.name = 'King Nobbin'"
    );
    let step = "leaves out a step";
    let teacher = "Where was the teacher of the person who carved King Nobbin born?";
    assert!(faults(&shop, teacher, &born).await.contains(&step));
    assert!(!faults(&shop, "Where was the carver of King Nobbin born?", &born).await.contains(&step));
    let carver = format!("SELECT carved_by FROM {puppets} WHERE name = 'King Nobbin'");
    let far = async |asked: &str, near: f64| {
        let near = Nearness { asked: [("strings".to_owned(), near)].into(), ..Nearness::default() };
        weighed(&shop, asked, &carver, near, &[]).await.1.checks.contains(&"leaves out a part")
    };
    assert!(far("Who spun the strings for King Nobbin?", 0.2).await);
    assert!(!far("Who spun the strings for King Nobbin?", 0.6).await);
    assert!(!far("Who carved the head for King Nobbin?", 0.2).await);
}

#[tokio::test]
async fn the_most_is_not_what_a_name_holds() {
    let shop = puppets().await;
    let houses = table_with(&shop, "located_in");
    let seats = format!("SELECT name FROM {houses} WHERE name LIKE '%puppet%' ORDER BY seats DESC LIMIT 1");
    let fault = "orders by another measure";
    assert!(faults(&shop, "Which workshop made the most puppets?", &seats).await.contains(&fault));
    let asked = "Which house with puppets in its name has the most seats?";
    assert!(!faults(&shop, asked, &seats).await.contains(&fault));
}
