//! Everything besides the rows of a query: evidence, entities, ties, words within names, paths as
//! queries.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::expect_used,
    clippy::manual_pattern_char_comparison,
    reason = "set-up of tests"
)]

use crate::common;
use common::Shop;
use common::checks::{CODES, graph};
use quipu_graph::{Datatype, Literal};
use quipu_query::{
    Comparison, Expression, Made, PathFrom, PathStart, PathStep, Query, RunLimits, path_query,
};

#[tokio::test]
async fn rows_rest_on_the_triples_that_they_were_made_of() {
    let shop = Shop::open().await.unwrap();
    let of = async |sql: &str| {
        let plan = shop.plan(sql).unwrap();
        let rows = shop.rows(sql).await.unwrap();
        let limits = quipu_query::RunLimits::default();
        let found = quipu_query::stated(&shop.workspace, &plan, &rows, &limits).await.unwrap();
        let lines: Vec<String> = found.triples.iter().map(|triple| triple.names.join(" | ")).collect();
        (lines, found.counted)
    };
    let (lines, counted) = of("SELECT name FROM product WHERE price > 150").await;
    assert!(lines.contains(&"Otter Pump | price | 200.5".to_owned()), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("Falcon")), "{lines:?}");
    assert_eq!(counted, None);
    let both = "SELECT product FROM product_colour WHERE colour = 'red' INTERSECT \
                SELECT product FROM product_colour WHERE colour = 'blue'";
    let (lines, _) = of(both).await;
    assert!(lines.contains(&"Falcon Drill | colour | red".to_owned()), "{lines:?}");
    assert!(lines.contains(&"Falcon Drill | colour | blue".to_owned()), "{lines:?}");
    let within = "SELECT supplier FROM product WHERE name IN \
                  (SELECT product FROM product_colour WHERE colour = 'green')";
    let (lines, _) = of(within).await;
    assert!(lines.contains(&"Otter Pump | colour | green".to_owned()), "{lines:?}");
    let (lines, counted) = of("SELECT supplier, COUNT(*) FROM product GROUP BY supplier").await;
    assert_eq!(counted, Some(5));
    assert!(lines.iter().any(|line| line.ends_with("| supplier | Cova")), "{lines:?}");
}

#[tokio::test]
async fn values_are_told_with_their_things_and_lists_with_their_order() {
    let shop = Shop::open().await.unwrap();
    let told = |sql: &str| {
        let mut query = shop.bound(sql).unwrap().query;
        quipu_query::with_things(&mut query, &shop.tables);
        quipu_query::with_measures(&mut query);
        query.to_string()
    };
    let priced = told("SELECT price FROM product WHERE in_stock = TRUE");
    assert!(priced.starts_with("SELECT product.price, product.name AS product FROM"), "{priced}");
    let one = "SELECT product.price FROM product WHERE product.name = 'Otter Pump'";
    assert_eq!(told(one), one);
    let ordered = told("SELECT name FROM product ORDER BY price DESC LIMIT 3");
    assert!(ordered.starts_with("SELECT product.name, product.price FROM"), "{ordered}");
    let alone = "SELECT product.name FROM product ORDER BY product.price DESC LIMIT 1";
    assert_eq!(told(alone), alone);
}

#[tokio::test]
async fn rows_that_are_level_with_the_last_come_with_it() {
    let shop = Shop::open().await.unwrap();
    let first = async |sql: &str| {
        let bound = shop.bound(sql).unwrap();
        let level = quipu_query::Level::of(&bound.query)?;
        let plan = quipu_query::plan(&level.query, &shop.tables).unwrap();
        let limits = quipu_query::RunLimits::default();
        let (rows, more) = level.cut(quipu_query::run(&shop.workspace, &plan, &limits).await.unwrap());
        let name = |cell: Option<quipu_query::CellValue>| cell.map_or_else(String::new, |cell| cell.name);
        let row = |row: Vec<_>| row.into_iter().map(name).collect::<Vec<_>>().join(" | ");
        Some((rows.rows.into_iter().map(row).collect::<Vec<String>>(), more, rows.more))
    };
    let most = "SELECT supplier FROM product GROUP BY supplier ORDER BY COUNT(*) DESC LIMIT";
    let (mut rows, more, open) = first(&format!("{most} 1")).await.unwrap();
    rows.sort();
    assert_eq!((rows, more, open), (vec!["Acme".to_owned(), "Brix & Söhne".to_owned()], 1, false));
    let (rows, more, _) = first(&format!("{most} 2")).await.unwrap();
    assert_eq!((rows.len(), more), (2, 0), "one product less is not level");
    let (rows, more, _) = first("SELECT name, price FROM product ORDER BY price DESC LIMIT 1").await.unwrap();
    assert_eq!((rows, more), (vec!["Otter Pump | 200.5".to_owned()], 0));
    assert_eq!(first("SELECT name FROM product ORDER BY price").await, None);
    let (rows, more, _) =
        first("SELECT name, price FROM product ORDER BY price DESC LIMIT 1 OFFSET 1").await.unwrap();
    assert_eq!((rows, more), (vec!["Falcon Drill | 120".to_owned()], 0));
    // The lamp without a price is last by price; without a date it is no row by date.
    let launched = "SELECT launched FROM product WHERE name = 'Owl Lamp' ORDER BY price LIMIT 1";
    assert_eq!(first(launched).await.unwrap().0, ["2021-07-09"]);
    let told_apart = ["SELECT DISTINCT colour", "FROM product_colour ORDER BY product LIMIT 2"].join(" ");
    assert_eq!(first(&told_apart).await, None, "what it is ordered by would make two rows of one");
}

#[tokio::test]
async fn words_that_stand_in_names_are_found() {
    let shop = Shop::open().await.unwrap();
    let none = |_: &str| false;
    let found = shop.values.parts("how many lamps and drills are there", none);
    let told: Vec<(String, Vec<String>)> =
        found.into_iter().map(|mention| (mention.text, mention.matches[0].shown.clone())).collect();
    assert_eq!(
        told,
        [
            ("lamps".to_owned(), vec!["Owl Lamp".to_owned(), "Owl Lamp".to_owned()]),
            ("drills".to_owned(), vec!["Falcon Drill".to_owned()]),
        ]
    );
    assert!(shop.values.parts("how many lamps are there", |word| word == "lamps").is_empty());
}

#[tokio::test]
async fn a_path_is_a_query() {
    let shop = Shop::open().await.unwrap();
    let iri = |name: &str| format!("http://shop.test/{name}");
    let step = |relation: &str, backward| PathStep { relation: iri(relation), backward, types: Vec::new() };
    let read = |from: &PathFrom<'_>, steps: &[PathStep], made: &Made| {
        path_query(&shop.tables, from, steps, made).unwrap()
    };
    let run = async |query: &Query| {
        let plan = quipu_query::plan(query, &shop.tables).unwrap();
        let rows = quipu_query::run(&shop.workspace, &plan, &RunLimits::default()).await.unwrap();
        let names = rows.rows.into_iter().flatten().flatten().map(|cell| cell.name);
        (names.collect::<Vec<String>>(), quipu_query::say(query, &shop.tables))
    };
    let [drill, oslo] = [iri("drill"), iri("oslo")];
    let drill = [PathStart { key: &drill, literal: None, name: "Falcon Drill", types: &[] }];
    let oslo = [PathStart { key: &oslo, literal: None, name: "Oslo", types: &[] }];
    let (from_drill, from_oslo) = (PathFrom::Entities(&drill), PathFrom::Entities(&oslo));

    let based = [step("madeBy", false), step("basedIn", false)];
    let (names, words) = run(&read(&from_drill, &based, &Made::Values)).await;
    assert_eq!(names, ["Oslo"]);
    assert!(words.contains("Falcon Drill"), "{words}");
    let colours = [step("basedIn", true), step("madeBy", true), step("colour", false)];
    let (mut names, _) = run(&read(&from_oslo, &colours, &Made::Values)).await;
    names.sort();
    assert_eq!(names, ["blue", "red"]);
    assert!(path_query(&shop.tables, &from_oslo, &[step("orbits", false)], &Made::Values).is_none());

    // The uses of the values.
    let prices = [step("basedIn", true), step("madeBy", true), step("price", false)];
    let made = [step("basedIn", true), step("madeBy", true)];
    let (number, _) = run(&read(&from_oslo, &made, &Made::Count)).await;
    let (every, _) = run(&read(&from_oslo, &made, &Made::Values)).await;
    assert_eq!(number, [every.len().to_string()]);
    let dearest = Made::Ordered { descending: true, offset: 0, limit: Some(1) };
    let dearest = read(&from_oslo, &prices, &dearest);
    let (names, words) = run(&dearest).await;
    assert_eq!(names, ["Falcon Drill"]);
    assert!(words.contains("price") && words.contains("Oslo"), "{words}");
    let bounds = vec![(Comparison::Less, Expression::Number("1".into()))];
    let cheap = Made::Within { bounds, counted: true };
    assert_eq!(run(&read(&from_oslo, &prices, &cheap)).await.0, ["0"]);

    // The result of a query is the start of another path.
    let found = PathFrom::Found(Box::new(dearest));
    let (names, _) = run(&read(&found, &based, &Made::Values)).await;
    assert_eq!(names, ["Oslo"]);
}

/// Clubs, rooms and courses of schools by one relation; grants to clubs or schools.
const SCHOOLS: &str = r#"
    :School rdfs:label "school" . :Club rdfs:label "club" . :Room rdfs:label "room" . :Grant rdfs:label "grant" .
    :of rdfs:label "school" . :to rdfs:label "awarded to" . :head rdfs:label "head" . :code rdfs:label "code" .
    :s1 a :School ; rdfs:label "Hill School" ; :head "Ada" . :s2 a :School ; rdfs:label "Lake School" ; :head "Bo" .
    :c1 a :Club ; rdfs:label "Chess" ; :of :s1 . :c2 a :Club ; rdfs:label "Rowing" ; :of :s2 .
    :r1 a :Room ; rdfs:label "Hall" ; :of :s1 . :r2 a :Room ; rdfs:label "Attic" ; :of :s2 .
    :g1 a :Grant ; rdfs:label "Board Grant" ; :to :c1 ; :code "G-17" .
    :g2 a :Grant ; rdfs:label "Boat Grant" ; :to :c2 ; :code "G-18" .
    :g3 a :Grant ; rdfs:label "Roof Grant" ; :to :s1 ; :code "G-19" .
    :g4 a :Grant ; rdfs:label "Door Grant" ; :to :s2 ; :code "G-20" .
"#;

#[tokio::test]
async fn a_relation_of_several_tables_is_told_by_the_entities_on_the_way() {
    let shop = graph(SCHOOLS).await;
    let iri = |name: &str| format!("http://g.test/{name}");
    let step = |relation: &str, backward, types: &[&str]| PathStep {
        relation: iri(relation),
        backward,
        types: types.iter().map(|name| iri(name)).collect(),
    };
    let names = async |query: Query| {
        let plan = quipu_query::plan(&query, &shop.tables).unwrap();
        let rows = quipu_query::run(&shop.workspace, &plan, &RunLimits::default()).await.unwrap();
        rows.rows.into_iter().flatten().flatten().map(|cell| cell.name).collect::<Vec<String>>()
    };
    let (key, types) = (iri("s1"), [iri("School")]);
    let school = [PathStart { key: &key, literal: None, name: "Hill School", types: &types }];
    let from = PathFrom::Entities(&school);
    // Grants to the school's clubs, not to its rooms; without the types, either may be meant.
    let known = [step("of", true, &["Club"]), step("to", true, &["Grant"])];
    assert_eq!(names(path_query(&shop.tables, &from, &known, &Made::Values).unwrap()).await, ["Board Grant"]);
    let unknown = [step("of", true, &[]), step("to", true, &[])];
    assert!(path_query(&shop.tables, &from, &unknown, &Made::Values).is_none());
    // "The head of the school that the grant's club belongs to", from the grant's code.
    let code = Literal { lexical: "G-18".into(), datatype: Datatype::String, language: None };
    let code = [PathStart { key: "G-18", literal: Some(&code), name: "G-18", types: &[] }];
    let steps = [
        step("code", true, &["Grant"]),
        step("to", false, &["Club"]),
        step("of", false, &["School"]),
        step("head", false, &[]),
    ];
    let query = path_query(&shop.tables, &PathFrom::Entities(&code), &steps, &Made::Values).unwrap();
    assert_eq!(names(query).await, ["Bo"]);
}

#[tokio::test]
async fn that_something_is_not_said_rests_on_the_thing() {
    let shop = Shop::open().await.unwrap();
    let sql = "SELECT name FROM vehicle WHERE gears IS NULL AND load IS NOT NULL";
    let plan = shop.plan(sql).unwrap();
    let rows = shop.rows(sql).await.unwrap();
    let stated = quipu_query::stated(&shop.workspace, &plan, &rows, &RunLimits::default()).await.unwrap();
    assert!(stated.triples.iter().any(|triple| triple.names[0] == "Ox"), "{stated:?}");
    let all = "SELECT name FROM vehicle";
    let (plan, rows) = (shop.plan(all).unwrap(), shop.rows(all).await.unwrap());
    let stated = quipu_query::stated(&shop.workspace, &plan, &rows, &RunLimits::default()).await.unwrap();
    assert!(stated.triples.iter().any(|triple| triple.names == ["Mule", "type", "cargo bike"]), "{stated:?}");
}

/// Columns below a common superproperty.
const GROUPED: &str = r#"
@prefix : <http://codes.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:str rdfs:subPropertyOf :statistics . :dex rdfs:subPropertyOf :statistics . :armour rdfs:subPropertyOf :defValues .
:shield rdfs:subPropertyOf :defValues .
:ogre a :Creature ; :str 21 ; :dex 8 ; :armour 16 ; :shield 2 .
:elf a :Creature ; :str 11 ; :dex 18 ; :armour 14 ; :shield 1 .
"#;

#[tokio::test]
async fn a_property_above_others_names_their_columns_together() -> anyhow::Result<()> {
    let creatures = Shop::of("grouped.ttl", GROUPED).await?;
    let named = |question: &str| -> Vec<(String, Vec<String>)> {
        let words = quipu_query::words_of(question);
        let titles = |group: &quipu_query::Group| {
            let titles = group.columns.iter().filter_map(|place| creatures.tables.column(*place));
            let mut titles: Vec<String> = titles.map(|column| column.title.clone()).collect();
            titles.sort();
            titles
        };
        let named = creatures.tables.groups_named(&words);
        named.into_iter().map(|(word, group)| (word, titles(group))).collect()
    };
    let statistics = vec![("statistics".to_owned(), vec!["dex".to_owned(), "str".to_owned()])];
    assert_eq!(named("What are the average statistics of elves?"), statistics);
    let defensive = vec![("defensive".to_owned(), vec!["armour".to_owned(), "shield".to_owned()])];
    assert_eq!(named("Is the ogre better in defensive attributes?"), defensive);
    assert!(named("What is the strength of the ogre?").is_empty());
    Ok(())
}

#[tokio::test]
async fn what_joins_rows_of_one_table_or_rows_outside_is_said() {
    let zoo = graph(
        ":A rdfs:label \"animal\" . :mother rdfs:label \"mother\" . :weight rdfs:label \"weight\" .
         :home rdfs:label \"home\" . :Pen rdfs:label \"pen\" . :p a :Pen ; rdfs:label \"North\" .
         :a a :A ; rdfs:label \"Ama\" ; :weight 7 ; :home :p .
         :b a :A ; rdfs:label \"Bo\" ; :weight 3 ; :mother :a .",
    )
    .await;
    for (sql, expected) in [
        (
            "SELECT animal.name, mom.weight FROM animal JOIN animal AS mom ON animal.mother = mom.name",
            "the animal and the weight of its mother",
        ),
        (
            "SELECT animal.name FROM animal JOIN animal AS mom ON animal.mother = mom.name WHERE mom.weight > 5",
            "the animal, where the weight of its mother is above 5",
        ),
        (
            "SELECT name FROM pen WHERE NOT EXISTS (SELECT * FROM animal WHERE animal.home = pen.name)",
            "the pen, where there is no (animal, where the home of the animal is the pen)",
        ),
    ] {
        let said = quipu_query::say(&zoo.bound(sql).unwrap().query, &zoo.tables);
        assert_eq!(said, expected, "{sql}");
    }
}

#[tokio::test]
async fn a_count_says_what_it_counts() -> anyhow::Result<()> {
    let codes = Shop::of("codes.ttl", CODES).await?;
    for (sql, expected) in [
        ("SELECT COUNT(*) FROM creature WHERE atk > 3", "the number of Creatures whose atk is above 3"),
        (
            "SELECT language, COUNT(*) FROM creature_language GROUP BY language",
            "the language and the number of Creatures, for each language",
        ),
        (
            "SELECT creature, COUNT(*) FROM creature_language GROUP BY creature",
            "the number of languages, for each Creature",
        ),
    ] {
        let said = quipu_query::say(&codes.bound(sql)?.query, &codes.tables);
        assert!(said.contains(expected), "{sql}: {said}");
    }
    Ok(())
}
