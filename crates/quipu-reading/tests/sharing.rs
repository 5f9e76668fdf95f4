//! Questions for things that share something with a thing that they name.

use crate::common::answers;
use crate::common::checks::{doubts, graph, weighed};
use quipu_query::{Made, PathFrom, PathStart, PathStep, path_query};
use quipu_reading::Nearness;

/// Films and who acts in them.
const CAST: &str = ":f1 a :Film ; rdfs:label \"Dawn\" ; :star :a , :b . :f2 a :Film ; rdfs:label \"Dusk\" ; :star :b , :c .
    :a a :Actor ; rdfs:label \"Ana Reyes\" . :b a :Actor ; rdfs:label \"Ben Moss\" . :c a :Actor ; rdfs:label \"Cy Lund\" .";

#[tokio::test]
async fn who_shares_something_with_a_thing_is_another() {
    let shop = graph(CAST).await;
    let beside =
        "SELECT b.star FROM film_star a JOIN film_star b ON a.film = b.film WHERE a.star = 'Ben Moss'";
    let within =
        "SELECT star FROM film_star WHERE film IN (SELECT film FROM film_star WHERE star = 'Ben Moss')";
    for sql in [beside, within] {
        for (question, expected) in [
            ("Who co-starred with Ben Moss?", &["Ana Reyes", "Cy Lund"][..]),
            ("Which actors share a film with Ben Moss?", &["Ana Reyes", "Cy Lund"]),
            ("Who stars in the films of Ben Moss?", &["Ana Reyes", "Ben Moss", "Cy Lund"]),
        ] {
            assert_eq!(answers(&shop, question, sql).await, expected, "{question} {sql}");
        }
    }
    // A query that names two things, or compares its own rows, is left as it is.
    let both = "SELECT film FROM film_star WHERE star = 'Ben Moss' AND film <> 'Dusk'";
    assert_eq!(answers(&shop, "Which other films star Ben Moss?", both).await, ["Dawn"]);
}

#[tokio::test]
async fn a_path_there_and_back_leaves_its_start_out() {
    let shop = graph(CAST).await;
    let [film, star] = ["http://g.test/f1", "http://g.test/star"].map(str::to_owned);
    let ben = [PathStart { key: "http://g.test/b", literal: None, name: "Ben Moss", types: &[] }];
    let dawn = [PathStart { key: &film, literal: None, name: "Dawn", types: &[] }];
    let step = |backward| PathStep { relation: star.clone(), backward, types: Vec::new() };
    let given = async |from: &[PathStart<'_>], steps: &[PathStep], made: &Made| {
        let query = path_query(&shop.tables, &PathFrom::Entities(from), steps, made).unwrap();
        shop.lines(&query.to_string()).await
    };
    let with = [step(true), step(false)];
    assert_eq!(given(&ben, &with, &Made::Values).await, ["Ana Reyes", "Cy Lund"]);
    assert_eq!(given(&ben, &with, &Made::Count).await, ["2"]);
    assert_eq!(given(&dawn, &[step(false)], &Made::Values).await, ["Ana Reyes", "Ben Moss"]);
    assert_eq!(given(&dawn, &[step(false), step(true)], &Made::Values).await, ["Dusk"]);
}

#[tokio::test]
async fn who_shares_something_shares_it_in_the_same_way() {
    let shop = graph(
        ":f1 a :Film ; rdfs:label \"Dawn\" ; :writtenBy :a , :b ; :directedBy :b , :d . \
         :f2 a :Film ; rdfs:label \"Dusk\" ; :writtenBy :b , :c ; :directedBy :d , :a . \
         :a a :Person ; rdfs:label \"Ana Reyes\" . :b a :Person ; rdfs:label \"Ben Moss\" . \
         :c a :Person ; rdfs:label \"Cy Lund\" . :d a :Person ; rdfs:label \"Di Oban\" .",
    )
    .await;
    let of = |held: &str| {
        format!(
            "SELECT DISTINCT w.written_by FROM film_written_by w JOIN film_{held} o ON w.film = o.film \
             WHERE o.{held} = 'Ben Moss'"
        )
    };
    let question = "Who co-wrote films with Ben Moss?";
    // Whoever wrote a film that he directed need not have written it with him.
    assert_eq!(doubts(&shop, question, &of("directed_by")).await, ["co"]);
    let (_, left_out) = weighed(&shop, question, &of("written_by"), Nearness::default(), &[]).await;
    assert!(left_out.meanings.is_empty() && !left_out.names.contains(&"co".to_owned()), "{left_out:?}");
    let said = "Who co-wrote films directed by Ben Moss?";
    assert_eq!(doubts(&shop, said, &of("directed_by")).await, [""; 0]);
    let makers = "SELECT written_by FROM film_written_by WHERE film = 'Dawn'";
    assert_eq!(doubts(&shop, "Who co-wrote Dawn?", makers).await, [""; 0]);
}
