//! What is counted of a table's columns: how many rows have a value, how many values differ, the
//! least and the greatest, and some of them.

use std::fmt::Write as _;

use crate::common::Shop;
use crate::common::checks::graph;
use quipu_query::{Column, Table};

fn table<'s>(shop: &'s Shop, title: &str) -> &'s Table {
    shop.tables.tables.iter().find(|table| table.title == title).unwrap()
}

fn column<'t>(table: &'t Table, id: &str) -> &'t Column {
    table.columns.iter().find(|column| column.id == id).unwrap()
}

/// Checks the rows with a value, the different values, the range and the examples of a column.
fn check(column: &Column, filled: u64, distinct: u64, range: Option<(&str, &str)>, examples: &[&str]) {
    let id = &column.id;
    assert_eq!((column.filled, column.distinct), (filled, distinct), "{id}");
    let own = column.range.as_ref().map(|(least, most)| (least.as_str(), most.as_str()));
    assert_eq!(own, range, "{id}");
    assert_eq!(column.examples, examples, "{id}");
}

#[tokio::test]
async fn a_small_table_is_counted_in_full() {
    let shop = Shop::open().await.unwrap();
    let product = table(&shop, "product");
    assert_eq!(product.rows, 5);
    let of = |id: &str| column(product, id);
    check(of("price"), 4, 4, Some(("30", "200.5")), &["120", "200.5", "30", "80"]);
    let days = ["2020-11-15", "2021-03-01", "2021-07-09", "2022-01-31"];
    check(of("launched"), 4, 4, Some(("2020-11-15", "2022-01-31")), &days);
    check(of("in_stock"), 5, 2, None, &["false", "true"]);
    check(of("supplier"), 5, 3, None, &["Acme", "Brix & Söhne", "Cova"]);
    let name = of("name");
    assert_eq!((name.filled, name.distinct), (5, 5), "two lamps are two things");
    let colours = table(&shop, "product colour");
    assert_eq!(colours.rows, 4, "one product has two");
    assert_eq!(column(colours, "product").filled, 4, "rows of links have both ends");
    check(column(colours, "colour"), 4, 3, None, &["blue", "green", "red"]);
    let supplier = table(&shop, "supplier");
    check(column(supplier, "based_in"), 3, 2, None, &["Lima", "Oslo"]);
    check(column(supplier, "founded"), 3, 3, Some(("1985", "2001")), &["1985", "1990", "2001"]);
}

#[tokio::test]
async fn a_large_table_shows_a_few_values() {
    let mut turtle = String::from(
        ":Town rdfs:label \"town\" . :size rdfs:label \"size\" . :mayor rdfs:label \"mayor\" .\n",
    );
    for at in 0..400 {
        write!(turtle, ":t{at} a :Town ; rdfs:label \"Town {at}\" ; :size {}", at % 50).unwrap();
        if at % 4 == 0 {
            write!(
                turtle,
                " ; :mayor \"Mayor {at}\" ; :votes \"{}\"",
                if at % 20 == 0 { "none".into() } else { at.to_string() }
            )
            .unwrap();
        }
        turtle.push_str(" .\n");
    }
    let shop = graph(&turtle).await;
    let town = table(&shop, "town");
    assert_eq!(town.rows, 400);
    let of = |id: &str| column(town, id);
    let (size, mayor) = (of("size"), of("mayor"));
    assert_eq!((size.filled, size.distinct, mayor.filled, mayor.distinct), (400, 50, 100, 100));
    assert_eq!(size.range, Some(("0".to_owned(), "49".to_owned())));
    assert_eq!(mayor.range, None);
    assert_eq!((size.examples.len(), mayor.examples.len()), (2, 2), "two stand for many");
    assert!(mayor.examples.iter().all(|example| example.starts_with("Mayor ")), "{:?}", mayor.examples);
    let votes = of("votes");
    assert_eq!(votes.filled, 100);
    let places = shop.tables.columns().filter(|(_, column)| column.id == "votes");
    let words: Vec<u64> = places.map(|(place, _)| shop.tables.words_among_numbers(place)).collect();
    assert_eq!(words, [20], "one of five is a word");
    assert_eq!(shop.tables.words.len(), 1, "other columns hold numbers alone, or none");
}

/// Of a relation with more triples than are looked at, the numbers come from the schema's counts.
#[tokio::test]
async fn a_table_beyond_the_sample_is_counted_by_the_schema() {
    let mut turtle = String::from(":Visit rdfs:label \"visit\" . :Guest rdfs:label \"guest\" .\n");
    for at in 0..3_000 {
        writeln!(turtle, ":v{at} a :Visit ; rdfs:label \"visit {at}\" ; :by :g{} .", at % 30).unwrap();
    }
    for at in 0..30 {
        writeln!(turtle, ":g{at} a :Guest ; rdfs:label \"guest {at}\" .").unwrap();
    }
    let shop = graph(&turtle).await;
    let by = column(table(&shop, "visit"), "by");
    assert_eq!((by.filled, by.distinct, by.examples.len()), (3_000, 30, 2));
}
