//! A graph with thousands of classes: counted, shown in part, and asked.

use std::fmt::Write as _;

use crate::common::{Shop, checks::check};
use quipu_query::{Relevance, RenderConfig};

const CLASSES: usize = 5_000;

/// Two things of each class, each with a number and the thing of the class before.
async fn classes() -> Shop {
    let mut graph = String::from(
        "@prefix : <http://g.test/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n",
    );
    for class in 0..CLASSES {
        writeln!(graph, ":C{class} rdfs:label \"device {}\" .", name(class)).unwrap();
        for thing in 0..2 {
            let (before, size) = ((class + CLASSES - 1) % CLASSES, class * 2 + thing);
            writeln!(
                graph,
                ":t{class}-{thing} a :C{class} ; rdfs:label \"{}-{thing}\" ; :feeds :t{before}-{thing} ; \
                 :size{} {size} .",
                name(class).to_uppercase(),
                class % 50,
            )
            .unwrap();
        }
    }
    Shop::of("classes.ttl", &graph).await.unwrap()
}

/// A made word for each number.
fn name(number: usize) -> String {
    let syllables = ["ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru"];
    let digits = [number / 1_000, number / 100, number / 10, number].map(|digit| digit % 10);
    digits.iter().filter_map(|digit| syllables.get(*digit)).copied().collect()
}

#[tokio::test]
async fn a_graph_of_five_thousand_classes_is_counted_shown_in_part_and_asked() {
    let shop = classes().await;
    let title = format!("device {}", name(4_321));
    assert_eq!(shop.tables.tables.iter().filter(|table| table.title.starts_with("device ")).count(), CLASSES);
    let config = RenderConfig::default();
    let question = format!("Which {title} has the greatest size?");
    let rendered = shop.tables.render(&Relevance::by_words(&shop.tables, &question), &config);
    assert!(!rendered.whole && rendered.text.len() <= config.bytes, "{}", rendered.text.len());
    let table = shop.id_of(&title);
    assert!(rendered.text.contains(&format!("CREATE TABLE {table} (")), "{}", rendered.text);
    let found = format!("{}-1", name(4_321).to_uppercase());
    check(&shop, &format!("SELECT name FROM {table} ORDER BY size21 DESC LIMIT 1"), &[&found]).await;
    let (other, fed) = (shop.id_of(&format!("device {}", name(4_320))), name(4_320).to_uppercase());
    check(
        &shop,
        &format!(
            "SELECT o.name, o.size20 FROM {table} t JOIN {other} o ON t.feeds = o.name WHERE t.size21 = 8643"
        ),
        &[&format!("{fed}-1 | 8641")],
    )
    .await;
}
