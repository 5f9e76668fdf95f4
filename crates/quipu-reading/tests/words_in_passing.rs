//! Words that compare with nothing ("over the years", "a bigger group"), and words that a reading
//! may not leave out (the maker's country, an email, another number in a name).

use crate::common::checks::{candidate, doubts, graph, unsaid, weighed};
use crate::common::{Shop, answers};
use quipu_reading::{Candidate, Nearness, PathFit, TableQuestion, features};

/// Novels with sequels, prizes, publishers and translations.
async fn novels() -> Shop {
    graph(
        ":n1 a :Novel ; rdfs:label \"The Salt Garden\" ; :sequelOf :n2 ; :publisher :p1 ; :author :a1 ; \
             :pages 310 ; :translatedInto \"Quorric\" , \"Fenwaldic\" ; :prize :z1 . \
         :n2 a :Novel ; rdfs:label \"The Tin Garden\" ; :publisher :p2 ; :author :a2 ; :pages 280 ; \
             :yearPublished \"1970\"^^xsd:gYear ; :translatedInto \"Quorric\" ; :prize :z2 . \
         :n3 a :Novel ; rdfs:label \"The Last Garden\" ; :publisher :p2 ; :author :a2 ; :pages 410 ; \
             :translatedInto \"Fenwaldic\" , \"Quorric\" . \
         :p1 a :Publisher ; rdfs:label \"Moonraker\" ; :owner :p2 . \
         :p2 a :Publisher ; rdfs:label \"Pennant\" ; :owner :p3 . :p3 a :Publisher ; rdfs:label \"Wayfarer\" . \
         :a1 a :Author ; rdfs:label \"Elin Marrow\" ; :nationality \"Fenwald\" ; :birthYear 1959 ; \
             :email \"elin@g.test\" . \
         :a2 a :Author ; rdfs:label \"Petra Hall\" ; :nationality \"Quorra\" ; :birthYear 1931 ; :deathYear 2001 . \
         :z1 a :Prize ; rdfs:label \"Corvane Cup\" . :z2 a :Prize ; rdfs:label \"Torrance Prize\" .",
    )
    .await
}

#[tokio::test]
async fn prepositions_without_a_value_compare_nothing() {
    let shop = novels().await;
    let prizes = "SELECT prize FROM novel WHERE author = 'Petra Hall'";
    let asked = "Which prizes have the novels of Petra Hall picked up over the years?";
    assert!(doubts(&shop, asked, prizes).await.is_empty());
    let owner = "SELECT owner FROM publisher WHERE name = (SELECT publisher FROM novel \
                 WHERE name = 'The Salt Garden')";
    let asked = "The Salt Garden is from a bigger publisher, who is the owner of that publisher?";
    assert!(doubts(&shop, asked, owner).await.is_empty());
    let all = "SELECT name FROM novel";
    let left_out = weighed(&shop, "Which novels do we have on file?", all, Nearness::default(), &[]).await.1;
    assert!(left_out.names.is_empty(), "{:?}", left_out.names);
    assert_eq!(doubts(&shop, "Which novels have over 300 pages?", all).await, ["over", "300"]);
    let asked = "Which novels have more pages than The Salt Garden?";
    assert!(doubts(&shop, asked, all).await.contains(&"more".to_owned()));
}

#[tokio::test]
async fn a_chain_heeds_itself() {
    let shop = novels().await;
    let chain = "SELECT owner FROM publisher WHERE name = (SELECT owner FROM publisher \
                 WHERE name = 'Moonraker')";
    let asked = "Moonraker has an owner that itself has which owner?";
    assert!(!doubts(&shop, asked, chain).await.contains(&"itself".to_owned()));
    let single = "SELECT owner FROM publisher WHERE name = 'Moonraker'";
    assert!(doubts(&shop, asked, single).await.contains(&"itself".to_owned()));
}

#[tokio::test]
async fn the_sequel_to_a_novel_is_the_one_that_follows() {
    let shop = novels().await;
    let before = "SELECT sequel_of FROM novel WHERE name = 'The Tin Garden'";
    let asked = "What is the title of the sequel to The Tin Garden?";
    assert_eq!(answers(&shop, asked, before).await, ["The Salt Garden"]);
    let asked = "The Salt Garden is a sequel to which novel?";
    let of = "SELECT sequel_of FROM novel WHERE name = 'The Salt Garden'";
    assert_eq!(answers(&shop, asked, of).await, ["The Tin Garden"]);
    // A reading that leaves the sequel out is doubted.
    let pages = "SELECT pages FROM novel WHERE name = 'The Tin Garden'";
    let asked = "How many pages has the sequel to The Tin Garden?";
    let faults = weighed(&shop, asked, pages, Nearness::default(), &[]).await.1.faults;
    assert!(faults.contains(&"leaves out a column"), "{faults:?}");
}

#[tokio::test]
async fn counts_of_both_count_those_in_both() {
    let shop = novels().await;
    let both = "SELECT COUNT(*) FROM novel_translated_into WHERE translated_into = 'Quorric' \
                INTERSECT SELECT COUNT(*) FROM novel_translated_into WHERE translated_into = 'Fenwaldic'";
    let asked = "How many novels exist in both a Quorric and a Fenwaldic translation?";
    assert_eq!(answers(&shop, asked, both).await, ["2"]);
}

#[tokio::test]
async fn the_plural_noun_is_counted_once_each() {
    let shop = novels().await;
    let rows = "SELECT COUNT(*) FROM novel JOIN author ON novel.author = author.name \
                WHERE author.nationality = 'Quorra'";
    assert_eq!(answers(&shop, "How many Quorran authors do we have?", rows).await, ["1"]);
    assert_eq!(answers(&shop, "How many novels are by Quorran authors?", rows).await, ["2"]);
}

#[tokio::test]
async fn none_is_not_counted_by_a_name_that_nobody_said() {
    let shop = novels().await;
    let faults = async |question: &str, sql: &str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.faults
    };
    let asked = "How many novels does Elin Marrow have?";
    let fault = "denies by a text that the question lacks";
    let invented = "SELECT COUNT(*) FROM novel WHERE author = 'Elin Marrow' AND publisher = 'Pennant'";
    assert!(faults(asked, invented).await.contains(&fault));
    let plain = "SELECT COUNT(*) FROM novel WHERE author = 'Elin Marrow'";
    assert!(!faults(asked, plain).await.contains(&fault));
}

#[tokio::test]
async fn links_that_nobody_mentions_do_not_limit_a_count() {
    let shop = graph(
        ":b1 a :Book ; rdfs:label \"Hallow\" ; :writer :w1 , :w2 . :b2 a :Book ; rdfs:label \"Tarn\" ; :writer :w1 . \
         :w1 a :Author ; rdfs:label \"Ada Orr\" ; :country \"Nigeria\" . \
         :w2 a :Author ; rdfs:label \"Bo Lund\" ; :country \"Ghana\" . \
         :w3 a :Author ; rdfs:label \"Ife Adu\" ; :country \"Nigeria\" .",
    )
    .await;
    let by_books = "SELECT COUNT(*) FROM book_writer JOIN author ON book_writer.writer = author.name \
                    WHERE author.country = 'Nigeria'";
    assert_eq!(answers(&shop, "How many authors from Nigeria are on file?", by_books).await, ["2"]);
    assert_eq!(answers(&shop, "How many authors from Nigeria have a book?", by_books).await, ["1"]);
}

#[tokio::test]
async fn what_is_asked_for_and_steps_to_it_may_not_be_left_out() {
    let shop = novels().await;
    let faults = async |question: &str, sql: &str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.faults
    };
    let person = "SELECT author FROM novel WHERE name = 'The Salt Garden'";
    let asked = "the email of the person behind The Salt Garden";
    assert!(faults(asked, person).await.contains(&"leaves out a column"));
    let asked = "email of the person behind The Salt Garden";
    assert_eq!(answers(&shop, asked, person).await, ["elin@g.test"]);
    let own = "SELECT nationality FROM author WHERE name = 'Elin Marrow'";
    let asked = "What nationality is the teacher of Elin Marrow?";
    assert!(faults(asked, own).await.contains(&"leaves out a step"));
    let of_writer = "SELECT author.nationality FROM novel JOIN author ON novel.author = author.name \
                     WHERE novel.name = 'The Tin Garden'";
    let asked = "What nationality is the maker of The Tin Garden?";
    assert!(!faults(asked, of_writer).await.contains(&"leaves out a step"));
    assert!(!faults("What is the nationality of Elin Marrow?", own).await.contains(&"leaves out a step"));
    // A year is no publisher.
    let year = "SELECT year_published FROM novel WHERE name = 'The Tin Garden'";
    let asked = "Which publisher released The Tin Garden?";
    assert!(faults(asked, year).await.contains(&"asks for another kind"));
    // The writer is said by the deed.
    let writer = "SELECT author.nationality FROM novel JOIN author ON novel.author = author.name \
                  WHERE novel.name = 'The Tin Garden'";
    assert!(unsaid(&shop, "nationality of whoever wrote The Tin Garden?", writer).await.is_empty());
}

#[tokio::test]
async fn another_property_than_the_missing_one_is_no_answer() {
    let shop = novels().await;
    let question = "When did Elin Marrow die?";
    let missing = candidate(
        &shop,
        question,
        "SELECT death_year FROM author WHERE name = 'Elin Marrow'",
        Nearness::default(),
    )
    .await;
    let born = candidate(
        &shop,
        question,
        "SELECT birth_year FROM author WHERE name = 'Elin Marrow'",
        Nearness::default(),
    )
    .await;
    let path = Candidate { path: Some(PathFit { share: 0.9, doubts: 0, steps: 1 }), ..born };
    let asking = TableQuestion { text: question, tables: &shop.tables, values: &shop.values, named: &[] };
    let fault = "gives another property than a query that finds none";
    let faults = features(&asking, &[path.clone(), missing]).remove(0).1.faults;
    assert!(faults.contains(&fault), "{faults:?}");
    assert!(!features(&asking, &[path]).remove(0).1.faults.contains(&fault));
}

#[tokio::test]
async fn a_name_with_another_number_is_another_name() {
    let shop = graph(
        ":s1 a :Satellite ; rdfs:label \"Lodestar 18\" ; :orbit \"polar\" . \
         :s2 a :Satellite ; rdfs:label \"Lodestar 10\" ; :orbit \"high\" . :s3 a :Satellite ; rdfs:label \"Heron 2\" .",
    )
    .await;
    let near = "SELECT orbit FROM satellite WHERE name = 'Lodestar 18'";
    assert!(!doubts(&shop, "what kind of orbit is Lodestar 19 in", near).await.is_empty());
    assert!(doubts(&shop, "what kind of orbit is Lodestar 18 in", near).await.is_empty());
}

#[tokio::test]
async fn amounts_are_in_the_currency_that_is_named() {
    let shop = graph(
        ":e1 a :Edition ; rdfs:label \"Hallow\" ; :home \"Cressing\" ; :amount 20.5 ; :currency \"EUR\" . \
         :e2 a :Edition ; rdfs:label \"Tarn\" ; :home \"Cressing\" ; :amount 30 ; :currency \"GBP\" . \
         :e3 a :Edition ; rdfs:label \"Meadow\" ; :home \"Cressing\" ; :amount 10 ; :currency \"EUR\" .",
    )
    .await;
    let all = "SELECT SUM(amount) FROM edition WHERE home = 'Cressing'";
    let asked = "If I add up the euro prices of all editions of Cressing, what is the total?";
    assert_eq!(answers(&shop, asked, all).await, ["30.5"]);
    assert_eq!(answers(&shop, "What do the editions of Cressing cost in total?", all).await, ["60.5"]);
    let pounds = "SELECT SUM(amount) FROM edition WHERE home = 'Cressing' AND currency = 'GBP'";
    assert_eq!(answers(&shop, "the total in pounds for Cressing", pounds).await, ["30"]);
    let left_out =
        weighed(&shop, "the total in pounds for Cressing", pounds, Nearness::default(), &[]).await.1;
    assert!(!left_out.names.contains(&"pounds".to_owned()), "{:?}", left_out.names);
}

#[tokio::test]
async fn a_compound_is_denied_by_its_first_word() {
    let shop = graph(
        ":b1 a :Branch ; rdfs:label \"Cressing\" ; :email \"c@g.test\" ; :address :d1 . \
         :b2 a :Branch ; rdfs:label \"Wickburn\" ; :address :d2 . \
         :d1 a :PostalAddress ; :street \"Mill Lane 2\" . :d2 a :PostalAddress ; :street \"High Street 4\" .",
    )
    .await;
    let without = "SELECT name FROM branch WHERE email IS NULL";
    assert!(doubts(&shop, "which branches have no email address?", without).await.is_empty());
    let asked = "for which branches do we not have a headcount?";
    assert_eq!(doubts(&shop, asked, without).await, ["headcount"]);
}

#[tokio::test]
async fn things_are_held_against_the_column_that_the_question_means() {
    let shop = graph(
        ":s1 a :Satellite ; rdfs:label \"Kelp 4\" ; :mass 310 ; :operator :o1 ; :manufacturer :o2 ; :kind \"weather\" . \
         :s2 a :Satellite ; rdfs:label \"Kelp 8\" ; :mass 420 ; :operator :o2 ; :manufacturer :o1 ; :kind \"relay\" . \
         :o1 a :Company ; rdfs:label \"Borealis\" . :o2 a :Company ; rdfs:label \"Ember\" .",
    )
    .await;
    let near = |operator: f64, manufacturer: f64| Nearness {
        read: [("operator".to_owned(), operator), ("manufacturer".to_owned(), manufacturer)].into(),
        ..Nearness::default()
    };
    let sql = "SELECT SUM(mass) FROM satellite WHERE operator = 'Borealis'";
    let asked = "What is the mass of the satellites built by Borealis?";
    let fault = "holds a thing against another column";
    assert!(weighed(&shop, asked, sql, near(0.2, 0.6), &[]).await.1.faults.contains(&fault));
    assert!(!weighed(&shop, asked, sql, near(0.5, 0.6), &[]).await.1.faults.contains(&fault));
    let groups = "SELECT kind, COUNT(*) FROM satellite GROUP BY kind";
    let asked = "How many satellites are there altogether, of every kind?";
    let found = weighed(&shop, asked, groups, Nearness::default(), &[]).await.1.faults;
    assert!(found.contains(&"gives each for all"), "{found:?}");
    let asked = "How many satellites are there of each kind?";
    let found = weighed(&shop, asked, groups, Nearness::default(), &[]).await.1.faults;
    assert!(!found.contains(&"gives each for all"), "{found:?}");
}
