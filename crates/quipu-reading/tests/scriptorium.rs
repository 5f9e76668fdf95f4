//! Monasteries with their scribes and manuscripts: extremes of each thing by itself, roles of named
//! things, the asker's nouns for rows, and kinds whose names are words of grammar too.

use crate::common::checks::{candidate, doubts, faults, graph, weighed};
use crate::common::{Shop, answers, asked_rows};
use quipu_reading::{Candidate, Nearness, PathFit, TableQuestion, features};

async fn scriptorium() -> Shop {
    graph(
        ":o1 a :Order ; rdfs:label \"Grey Hermits\" ; :yearOfFoundation \"0812\"^^xsd:gYear . \
         :a1 a :Monastery ; rdfs:label \"Ashmere Abbey\" ; :followsTheRuleOf :o1 ; :yearOfFoundation \"0900\"^^xsd:gYear . \
         :a2 a :Monastery ; rdfs:label \"Kelsing Priory\" ; :followsTheRuleOf :o1 ; :yearOfFoundation \"1010\"^^xsd:gYear . \
         :s1 a :Scribe ; rdfs:label \"Gisela\" . :s2 a :Scribe ; rdfs:label \"Notker\" ; :trainedUnder :s1 . \
         :s3 a :Scribe ; rdfs:label \"Adela\" ; :trainedUnder :s1, :s2 . \
         :p1 a :Patron ; rdfs:label \"Lady Strang\" . :p2 a :Patron ; rdfs:label \"Duke Hasley\" . \
         :m1 a :Manuscript ; rdfs:label \"Salt Homilies\" ; :producedAt :a1 ; :folios 90 ; \
             :copiedBy :s1 ; :commissionedBy :p1, :p2 ; :completionYear \"1102\"^^xsd:gYear . \
         :m2 a :Manuscript ; rdfs:label \"Lark Psalter\" ; :producedAt :a1 ; :folios 60 ; \
             :copiedBy :s2, :s3 ; :completionYear \"1140\"^^xsd:gYear . \
         :m3 a :Manuscript ; rdfs:label \"Ember Chronicle\" ; :producedAt :a2 ; :folios 30 ; \
             :copiedBy :s3 ; :commissionedBy :p1 ; :completionYear \"0985\"^^xsd:gYear .",
    )
    .await
}

#[tokio::test]
async fn the_extreme_of_each_thing_by_itself_is_that_of_all() {
    let shop = scriptorium().await;
    let of_each = "SELECT name, MAX(completion_year) FROM manuscript GROUP BY name";
    let latest = asked_rows(&shop, "Which manuscript was finished latest, and when?", of_each).await;
    assert_eq!(latest, ["Lark Psalter | 1140"]);
    let each = asked_rows(&shop, "What is the latest year of each manuscript?", of_each).await;
    assert_eq!(each.len(), 3);
    let of_abbeys = "SELECT produced_at, MAX(completion_year) FROM manuscript GROUP BY produced_at";
    // Two extremes are asked of each thing, and the query stays as it is.
    let two = "SELECT name, MAX(completion_year), MIN(folios) FROM manuscript GROUP BY name";
    assert_eq!(asked_rows(&shop, "Which manuscript was finished latest?", two).await.len(), 3);
    let several = asked_rows(&shop, "The latest manuscript by monastery and its year?", of_abbeys).await;
    assert_eq!(several.len(), 2);
}

#[tokio::test]
async fn students_of_somebody_are_somebody_else() {
    let shop = scriptorium().await;
    let own = "SELECT manuscript FROM manuscript_copied_by WHERE copied_by = 'Gisela'";
    let of_students = "SELECT manuscript FROM manuscript_copied_by WHERE copied_by IN \
                       (SELECT scribe FROM scribe_trained_under WHERE trained_under = 'Gisela')";
    let step = "leaves out a step";
    assert!(faults(&shop, "What did the students of Gisela copy?", own).await.contains(&step));
    assert!(!faults(&shop, "What did the students of Gisela copy?", of_students).await.contains(&step));
    assert!(!faults(&shop, "What are the works of Gisela?", own).await.contains(&step));
}

/// A query beside a path that takes the same relations and one more.
#[tokio::test]
async fn many_words_left_out_may_tell_the_step_of_a_sure_path() {
    let shop = scriptorium().await;
    let own = "SELECT manuscript FROM manuscript_copied_by WHERE copied_by = 'Gisela'";
    let of_students = "SELECT manuscript FROM manuscript_copied_by WHERE copied_by IN \
                       (SELECT scribe FROM scribe_trained_under WHERE trained_under = 'Gisela')";
    let skips = async |question: &'static str, share: f64| {
        let query = candidate(&shop, question, own, Nearness::default()).await;
        let path = Some(PathFit { share, doubts: 0, steps: 2 });
        let path = Candidate { path, ..candidate(&shop, question, of_students, Nearness::default()).await };
        let asking = TableQuestion { text: question, tables: &shop.tables, values: &shop.values, named: &[] };
        let (_, found) = features(&asking, &[query, path]).remove(0);
        found.faults.contains(&"takes fewer steps than a sure path")
    };
    let asked = "Gisela taught somebody, and what did that pupil then copy?";
    assert!(skips(asked, 0.95).await);
    assert!(!skips(asked, 0.5).await);
    assert!(!skips("What did Gisela copy?", 0.95).await);
}

#[tokio::test]
async fn an_order_may_be_a_thing() {
    let things: Vec<String> = (1..9)
        .map(|at| {
            format!(
                ":o{at} a :Order ; rdfs:label \"Rule {at}\" ; :foundingYear {} . :a{at} a :Abbey ; \
                 rdfs:label \"Abbey {at}\" ; :follows :o{at} ; :height {at} .",
                800 + at
            )
        })
        .collect();
    let shop = graph(&things.join(" ")).await;
    let founded = "SELECT order.founding_year FROM abbey JOIN order ON abbey.follows = order.name \
                   WHERE abbey.name = 'Abbey 3'";
    let unsaid = async |question: &'static str| {
        weighed(&shop, question, founded, Nearness::default(), &[]).await.1.unsaid
    };
    assert!(unsaid("In what year was the order founded that Abbey 3 belongs to?").await.is_empty());
    assert!(!unsaid("In what year was Abbey 3 founded?").await.is_empty());
}

#[tokio::test]
async fn the_askers_noun_for_rows_is_no_part_of_their_names() {
    let shop = scriptorium().await;
    let books = "SELECT name FROM manuscript WHERE produced_at = 'Ashmere Abbey' AND name LIKE '%book%'";
    let found = answers(&shop, "Which books were made at Ashmere Abbey?", books).await;
    assert_eq!(found, ["Lark Psalter", "Salt Homilies"]);
    // Some are called psalters.
    let psalters =
        "SELECT name FROM manuscript WHERE produced_at = 'Ashmere Abbey' AND name LIKE '%psalter%'";
    let found = answers(&shop, "Which psalters were made at Ashmere Abbey?", psalters).await;
    assert_eq!(found, ["Lark Psalter"]);
}

#[tokio::test]
async fn those_without_a_patron_are_among_no_heads_of_the_relation_to_patrons() {
    let shop = scriptorium().await;
    let without = "SELECT name FROM manuscript WHERE name NOT IN \
                   (SELECT manuscript FROM manuscript_commissioned_by)";
    let asked = "Which manuscripts had no patron?";
    let found = weighed(&shop, asked, without, Nearness::default(), &[]).await.1;
    assert!(found.meanings.is_empty(), "{:?} {:?}", found.meanings, found.checks);
    assert_eq!(doubts(&shop, "Which manuscripts had no binding?", without).await, ["binding"]);
}

#[tokio::test]
async fn things_in_total_are_counted() {
    let shop = scriptorium().await;
    let folios = "SELECT SUM(folios) FROM manuscript WHERE produced_at = 'Ashmere Abbey'";
    let asked = "I need to know how many manuscripts in total were produced at Ashmere Abbey.";
    assert_eq!(answers(&shop, asked, folios).await, ["2"]);
    let asked = "How many folios in total do the manuscripts of Ashmere Abbey have?";
    assert_eq!(answers(&shop, asked, folios).await, ["150"]);
}

#[tokio::test]
async fn a_year_of_foundation_may_have_three_digits() {
    let shop = graph(
        ":a1 a :Abbey ; rdfs:label \"Ashmere\" ; :yearOfFoundation 812 ; :yearOfStudy 2 . \
         :a2 a :Abbey ; rdfs:label \"Kelsing\" ; :yearOfFoundation 1010 ; :yearOfStudy 1 .",
    )
    .await;
    let measure = "uses another measure";
    let founded = "SELECT name FROM abbey ORDER BY year_of_foundation DESC LIMIT 1";
    assert!(!faults(&shop, "Most recently founded abbey?", founded).await.contains(&measure));
    let study = "SELECT name FROM abbey ORDER BY year_of_study DESC LIMIT 1";
    assert!(faults(&shop, "Most recently founded abbey?", study).await.contains(&measure));
}

#[tokio::test]
async fn whoever_was_born_in_her_year_is_not_her_husband() {
    let shop = graph(
        ":p1 a :Patron ; rdfs:label \"Queen Ivo\" ; :birthYear 1101 . :p2 a :Patron ; rdfs:label \"Wulfrun\" ; :birthYear 1101 .",
    )
    .await;
    let shares =
        "SELECT name FROM patron WHERE birth_year = (SELECT birth_year FROM patron WHERE name = 'Queen Ivo')";
    let unsaid = "shares a value that nobody mentioned";
    assert!(faults(&shop, "Who was the husband of Queen Ivo?", shares).await.contains(&unsaid));
    for asked in ["Who has the same age as Queen Ivo?", "Who was born when Queen Ivo was?"] {
        assert!(!faults(&shop, asked, shares).await.contains(&unsaid), "{asked}");
    }
}

#[tokio::test]
async fn every_one_altogether_is_one_sum() {
    let shop = graph(
        ":m1 a :Manuscript ; rdfs:label \"Winter Psalter\" ; :usesPigment :g1, :g2 . \
         :m2 a :Manuscript ; rdfs:label \"Salt Homilies\" ; :usesPigment :g1 . \
         :g1 a :Pigment ; rdfs:label \"Verdance\" ; :price 6.4 . :g2 a :Pigment ; rdfs:label \"Rust\" ; :price 4.25 .",
    )
    .await;
    let sum = "SELECT SUM(price) FROM manuscript_uses_pigment JOIN pigment ON uses_pigment = pigment.name \
               WHERE manuscript = 'Winter Psalter'";
    let asked = "If I bought every pigment used in the Winter Psalter, what price would I pay altogether?";
    assert_eq!(asked_rows(&shop, asked, sum).await, ["10.65"]);
    assert!(!faults(&shop, asked, sum).await.contains(&"leaves out a word that changes the meaning"));
}

#[tokio::test]
async fn whoever_was_nobodys_apprentice_has_no_master() {
    let shop = graph(
        ":a1 a :Artist ; rdfs:label \"Pavel\" . :a2 a :Artist ; rdfs:label \"Nerea\" ; :apprenticeOf :a1 . \
         :a3 a :Artist ; rdfs:label \"Kofi\" ; :apprenticeOf :a2 .",
    )
    .await;
    let masters = "SELECT name FROM artist WHERE name NOT IN (SELECT apprentice_of FROM artist)";
    assert_eq!(answers(&shop, "Who has never been anyone's apprentice?", masters).await, ["Pavel"]);
    assert_eq!(answers(&shop, "Who has never had an artist to teach?", masters).await, ["Kofi"]);
}

#[tokio::test]
async fn a_denied_relation_is_denied_on_the_side_that_is_asked_for() {
    let shop = graph(
        ":m1 a :Maker ; rdfs:label \"Ines\" ; :taughtBy :m3 . :m2 a :Maker ; rdfs:label \"Tobi\" ; :taughtBy :m1 . \
         :m3 a :Maker ; rdfs:label \"Mara\" . :p1 a :Painter ; rdfs:label \"Ada\" ; :influencedBy :p2, :p3 . \
         :p2 a :Painter ; rdfs:label \"Bo\" ; :influencedBy :p3 . :p3 a :Painter ; rdfs:label \"Cy\" . \
         :p4 a :Painter ; rdfs:label \"Di\" .",
    )
    .await;
    let nobodys = "SELECT name FROM maker WHERE name NOT IN (SELECT taught_by FROM maker)";
    let missing = "SELECT name FROM maker WHERE taught_by IS NULL";
    for sql in [nobodys, missing] {
        for question in ["Who was not taught by anyone?", "Which makers were never taught by anybody?"] {
            assert_eq!(answers(&shop, question, sql).await, ["Mara"], "{question} {sql}");
        }
        for question in
            ["Who has taught nobody?", "Who did not teach anyone?", "Which makers never taught anyone?"]
        {
            assert_eq!(answers(&shop, question, sql).await, ["Tobi"], "{question} {sql}");
        }
    }
    let heads = "SELECT name FROM painter WHERE name NOT IN (SELECT painter FROM painter_influenced_by)";
    let tails =
        "SELECT name FROM painter WHERE name NOT IN (SELECT influenced_by FROM painter_influenced_by)";
    for sql in [heads, tails] {
        let uninfluenced = answers(&shop, "Which painters were not influenced by anyone?", sql).await;
        assert_eq!(uninfluenced, ["Cy", "Di"], "{sql}");
        assert_eq!(answers(&shop, "Who influenced nobody?", sql).await, ["Ada", "Di"], "{sql}");
    }
}

#[tokio::test]
async fn a_condition_on_a_count_counts_what_the_question_says() {
    let shop = graph(
        ":c1 a :Circus ; rdfs:label \"Vantolo\" . :t1 a :Tour ; rdfs:label \"North\" ; :ofCircus :c1 . \
         :t2 a :Tour ; rdfs:label \"South\" ; :ofCircus :c1 . :x1 a :Act ; rdfs:label \"Wheel\" ; :shownBy :c1 . \
         :x2 a :Act ; rdfs:label \"Rope\" ; :shownBy :c1 .",
    )
    .await;
    let acts = "SELECT shown_by FROM act GROUP BY shown_by HAVING COUNT(*) >= 2";
    let tours = "SELECT of_circus FROM tour GROUP BY of_circus HAVING COUNT(*) >= 2";
    let other = "counts another kind";
    for asked in ["Which circuses have done at least two tours?", "Which circuses have 2 tours or more?"] {
        assert!(faults(&shop, asked, acts).await.contains(&other), "{asked}");
        assert!(!faults(&shop, asked, tours).await.contains(&other), "{asked}");
    }
}

#[tokio::test]
async fn every_one_in_total_is_one_sum() {
    let shop = scriptorium().await;
    let sum = "SELECT SUM(folios) FROM manuscript WHERE produced_at = 'Ashmere Abbey'";
    let asked = "If I read every manuscript of Ashmere Abbey, how many folios would I turn in total?";
    assert_eq!(asked_rows(&shop, asked, sum).await, ["150"]);
    assert!(!faults(&shop, asked, sum).await.contains(&"leaves out a word that changes the meaning"));
}

#[tokio::test]
async fn each_in_total_is_one_sum_of_each() {
    let shop = scriptorium().await;
    let sum = "SELECT SUM(manuscript.folios) FROM manuscript JOIN monastery \
               ON manuscript.produced_at = monastery.name";
    let asked = "How many folios did each monastery fill in total?";
    assert_eq!(asked_rows(&shop, asked, sum).await, ["Ashmere Abbey | 150", "Kelsing Priory | 30"]);
}
