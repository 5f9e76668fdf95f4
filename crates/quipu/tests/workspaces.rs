//! Imports, entities and queries.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use quipu::{Error, ErrorClass, QueryOptions, QueryRows, Value, Workspace};

use crate::{LAMPS, file, lamps};

const SECOND: Duration = Duration::from_secs(30);

#[tokio::test(flavor = "multi_thread")]
async fn an_import_tells_its_progress_and_what_it_read() {
    let folder = tempfile::tempdir().unwrap();
    let steps = Arc::new(AtomicUsize::new(0));
    let heard = steps.clone();
    let imported = Workspace::import(folder.path().join("lamps"))
        .files([file(&folder, "lamps.ttl", LAMPS)])
        .without_vectors()
        .progress(Arc::new(move |_| {
            heard.fetch_add(1, Ordering::Relaxed);
        }))
        .run()
        .await
        .unwrap();
    assert!(steps.load(Ordering::Relaxed) > 0);
    let info = imported.workspace.info();
    assert_eq!((imported.workspace.name(), info.graph.triples), ("lamps", imported.report.triples));
    assert_eq!(info.missing.len(), 1, "{:?}", info.missing);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_imported_is_said_and_leaves_no_workspace() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("lamps");
    let broken = file(&folder, "broken.ttl", "<a> <b> .");
    let import = || Workspace::import(&place).files([&broken]).without_vectors();
    let error = import().run().await.unwrap_err();
    assert!(error.to_string().contains("broken.ttl:1"), "{error}");
    assert_eq!(error.class(), ErrorClass::User);
    let error = import().format("words").run().await.unwrap_err();
    assert!(matches!(&error, Error::Usage(reason) if reason.contains("words")), "{error}");
    let error = import().format("skb").check().unwrap_err();
    assert!(error.to_string().contains("broken.ttl"), "{error}");
    let error = Workspace::import(&place).run().await.unwrap_err();
    assert!(error.to_string().contains("needs a file"), "{error}");
    let stopped = import();
    stopped.cancel().store(true, Ordering::Relaxed);
    assert_eq!(stopped.run().await.unwrap_err().class(), ErrorClass::Cancelled);
    let error = Workspace::open(&place).unwrap_err();
    assert!(error.to_string().contains("is not a workspace"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_are_taken_in_the_languages_asked_for() {
    const LABELS: &str = r#"
@prefix : <https://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:vienna a :City ; rdfs:label "Vienna"@en , "Wien"@de , "Vienne"@fr ; :in :austria .
:austria a :Country ; rdfs:label "Austria"@en .
"#;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("cities");
    let labels = file(&folder, "cities.ttl", LABELS);
    let import = |tags: &[&str]| {
        Workspace::import(&place).files([&labels]).languages(tags.iter().copied()).without_vectors()
    };
    for (tags, name) in
        [(&[][..], "Vienna"), (&["de"], "Wien"), (&["DE", "en"], "Wien"), (&["es", "fr"], "Vienne")]
    {
        let workspace = import(tags).run().await.unwrap().workspace;
        let found = workspace.entity("https://example.org/vienna").await.unwrap();
        assert_eq!(found.entity.label, name, "{tags:?}");
        // A label in another language is better than none.
        let other = workspace.entity("https://example.org/austria").await.unwrap();
        assert_eq!(other.entity.label, "Austria");
    }
    for wrong in ["", "@de", "german language", "d"] {
        let error = import(&[wrong]).check().unwrap_err();
        assert!(error.to_string().contains("is not a language tag"), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn entities_are_found_by_key_by_name_and_by_a_name_with_a_slip() {
    let (_folder, lamps) = lamps().await;
    let owl = lamps.entity("https://example.org/owl").await.unwrap();
    assert_eq!((owl.entity.label.as_str(), owl.exact), ("Owl Lamp", true));
    let slip = lamps.entity("Owl Lmap").await.unwrap();
    assert_eq!((slip.entity.id.as_str(), slip.exact), ("https://example.org/owl", false));
    let relations: Vec<&str> = slip.entity.relations.iter().map(|r| r.relation.as_str()).collect();
    assert!(relations.contains(&"price") && relations.contains(&"maker"), "{relations:?}");
    let found = lamps.entities("Acme", 3).await.unwrap();
    assert_eq!(found[0].id.as_deref(), Some("https://example.org/acme"));
    let error = lamps.entity("Quetzalcoatl 9000").await.unwrap_err();
    assert!(matches!(&error, Error::NotFound(reason) if reason.contains("Quetzalcoatl")), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sparql_gives_rows_truth_and_triples() {
    let (_folder, lamps) = lamps().await;
    let options = QueryOptions::default();
    let select = "SELECT ?lamp ?price ?none { ?lamp <https://example.org/price> ?price } ORDER BY ?price";
    let QueryRows::Rows { columns, rows } = lamps.query(select, &options).await.unwrap() else { panic!() };
    assert_eq!((columns.join(" ").as_str(), rows.len()), ("lamp price none", 3));
    assert_eq!(rows[0][0].as_ref().unwrap().key.as_deref(), Some("https://example.org/fox"));
    let integer = Some("http://www.w3.org/2001/XMLSchema#integer".to_owned());
    assert_eq!(rows[0][1], Some(Value { key: None, name: "25".into(), datatype: integer }));
    assert_eq!(rows[0][2], None);
    // The same options again: a finished query must not leave the cancel flag set.
    let ask = lamps.query("ASK { ?x <https://example.org/price> 25 }", &options).await.unwrap();
    assert_eq!(ask, QueryRows::Truth { truth: true });
    let construct =
        "CONSTRUCT { ?x <https://example.org/price> ?y } WHERE { ?x <https://example.org/price> ?y }";
    let QueryRows::Triples { triples } = lamps.query(construct, &options).await.unwrap() else { panic!() };
    assert_eq!(triples.lines().count(), 3);
    let error = lamps.query("SELECT ?x { ?x }", &options).await.unwrap_err();
    assert_eq!(error.class(), ErrorClass::User, "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sql_runs_over_the_tables_that_are_shown() {
    let (_folder, lamps) = lamps().await;
    let (tables, whole) = lamps.tables(None, usize::MAX).await.unwrap();
    assert!(tables.contains("CREATE TABLE lamp") && whole, "{tables}");
    let sql = "SELECT maker, AVG(price) FROM lamp GROUP BY maker ORDER BY maker";
    let answer = lamps.sql(sql, SECOND).await.unwrap();
    let names: Vec<String> = answer.table.rows.iter().flatten().flatten().map(|v| v.name.clone()).collect();
    assert_eq!(names, ["Acme", "32.5", "Zeta", "70"]);
    assert!(answer.sparql.contains("SUM") && answer.words.contains("price"), "{answer:?}");
    assert_eq!(lamps.plan_sql(sql).await.unwrap().sparql(), answer.sparql);
    let error = lamps.sql("SELECT weight FROM lamp", SECOND).await.unwrap_err();
    assert!(matches!(&error, Error::Usage(reason) if reason.contains("weight")), "{error}");
}
