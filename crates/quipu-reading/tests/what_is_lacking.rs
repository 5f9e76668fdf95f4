//! Questions that deny, and slips of a model that a new graph showed: what things lack, ages,
//! centuries, choices, made-up names and things called by their keys.

use crate::common::checks::{doubts, graph};
use crate::common::{Shop, answers, read};

/// Tools of an allotment, lent to its members.
async fn tools() -> Shop {
    graph(
        ":t1 a :Tool ; rdfs:label \"Rotavator\" ; :keptIn :s1 ; :repaired \"2022-06-09\"^^xsd:date . \
         :t2 a :Tool ; rdfs:label \"Barrow\" ; :keptIn :s1 . \
         :t3 a :Tool ; rdfs:label \"Shredder\" ; :repaired \"2023-04-17\"^^xsd:date . \
         :s1 a :Shed ; rdfs:label \"North shed\" . \
         :m1 a :Member ; rdfs:label \"Mia Sorel\" . :m2 a :Member ; rdfs:label \"Theo Lang\" . \
         :m3 a :Member ; rdfs:label \"Paul Behr\" . \
         :l1 a :Loan ; :tool :t1 ; :member :m1 ; :returnedOn \"2024-04-03\"^^xsd:date . \
         :l2 a :Loan ; :tool :t2 ; :member :m2 .",
    )
    .await
}

#[tokio::test]
async fn what_the_question_denies_is_what_is_lacking() {
    let shop = tools().await;
    let unlent = "SELECT name FROM tool WHERE name NOT IN (SELECT tool FROM loan)";
    let check = async |question: &str, expected: &[&str]| {
        assert_eq!(answers(&shop, question, unlent).await, expected, "{question}");
    };
    check("Which tools have never been repaired?", &["Barrow"]).await;
    check("Which tools are not kept in a shed?", &["Shredder"]).await;
    // The model's own negation stands where the question denies that.
    check("Which tools have never been lent?", &["Shredder"]).await;
    // What a record lacks is asked of those with a record.
    let idle = "SELECT name FROM member WHERE name NOT IN (SELECT member FROM loan)";
    assert_eq!(answers(&shop, "Who has not returned a tool yet?", idle).await, ["Theo Lang"]);
    assert_eq!(answers(&shop, "Who has no loan?", idle).await, ["Paul Behr"]);
}

#[tokio::test]
async fn a_noun_that_is_denied_and_left_out_is_doubted() {
    let shop = tools().await;
    let unlent = "SELECT name FROM tool WHERE name NOT IN (SELECT tool FROM loan)";
    assert_eq!(doubts(&shop, "Which tools have no manual?", unlent).await, ["manual"]);
    assert_eq!(doubts(&shop, "Which tools lack a manual?", unlent).await, ["manual"]);
    assert!(doubts(&shop, "Which tools have no loan?", unlent).await.is_empty());
}

/// Composers with dates.
async fn composers() -> Shop {
    graph(
        ":a a :Composer ; rdfs:label \"Georges Bizet\" ; :birthDate \"1838-10-25\"^^xsd:date ; :deathDate \"1875-06-03\"^^xsd:date . \
         :b a :Composer ; rdfs:label \"Gioachino Rossini\" ; :birthDate \"1792-02-29\"^^xsd:date ; :deathDate \"1868-11-13\"^^xsd:date . \
         :c a :Composer ; rdfs:label \"Giuseppe Verdi\" ; :birthDate \"1813-10-10\"^^xsd:date ; :deathDate \"1901-01-27\"^^xsd:date . \
         :o1 a :Opera ; rdfs:label \"Carmen\" ; :composer :a ; :premiere \"1875-03-03\"^^xsd:date ; :theatre :t1 . \
         :o2 a :Opera ; rdfs:label \"Otello\" ; :composer :c ; :premiere \"1887-02-05\"^^xsd:date ; :theatre :t2 . \
         :o3 a :Opera ; rdfs:label \"Tancredi\" ; :composer :b ; :premiere \"1813-02-06\"^^xsd:date ; :theatre :t2 . \
         :t1 a :Theatre ; rdfs:label \"Comique\" ; :location :paris . :t2 a :Theatre ; rdfs:label \"Scala\" ; :location :milan . \
         :b :deathPlace :paris . :c :deathPlace :milan . :a :deathPlace :lyon . \
         :paris a :City ; rdfs:label \"Paris\" . :milan a :City ; rdfs:label \"Milan\" . :lyon a :City ; rdfs:label \"Lyon\" .",
    )
    .await
}

#[tokio::test]
async fn a_choice_is_between_the_offered_only() {
    let shop = composers().await;
    let check = async |question: &str, sql: &str, expected: &str| {
        assert_eq!(answers(&shop, question, sql).await, [expected], "{question} {sql}");
    };
    let earliest = "SELECT name FROM composer ORDER BY death_date LIMIT 1";
    check("Who died first, Verdi or Bizet?", earliest, "Georges Bizet").await;
    check("Who died first, Verdi, Rossini or Bizet?", earliest, "Gioachino Rossini").await;
    // What the model wrote for one of them holds for both.
    let of_one = "SELECT name FROM composer WHERE name = 'Verdi' ORDER BY death_date LIMIT 1";
    check("Who died first, Verdi or Bizet?", of_one, "Georges Bizet").await;
    // The things of another table are reached by a column.
    let last = "SELECT composer FROM opera ORDER BY premiere DESC LIMIT 1";
    check("Whose opera had its premiere last, that of Bizet or Rossini?", last, "Georges Bizet").await;
    // No "or", no choice.
    check("Who died first, of those whom Verdi knew?", earliest, "Gioachino Rossini").await;
}

#[tokio::test]
async fn an_age_counts_whole_years() {
    let shop = composers().await;
    let check = async |question: &str, sql: &str, expected: &str| {
        assert_eq!(answers(&shop, question, sql).await, [expected], "{question} {sql}");
    };
    let of =
        |name: &str, difference: &str| format!("SELECT {difference} FROM composer WHERE name = '{name}'");
    for difference in [
        "death_date - birth_date",
        "DATEDIFF(death_date, birth_date)",
        "JULIANDAY(death_date) - JULIANDAY(birth_date)",
        "YEAR(death_date) - YEAR(birth_date)",
        "TIMESTAMPDIFF(YEAR, birth_date, death_date)",
    ] {
        check("How old was Bizet when he died?", &of("Georges Bizet", difference), "36").await;
        check("At what age did Rossini die?", &of("Gioachino Rossini", difference), "76").await;
    }
    // Days stay days where the question asks for them, or for no age.
    let days = of("Georges Bizet", "death_date - birth_date");
    check("How many days old was Bizet when he died?", &days, "13370").await;
    check("What lies between the birth and the death of Bizet?", &days, "13370").await;
    let said = shop.plan(&of("Georges Bizet", "TIMESTAMPDIFF(YEAR, birth_date, death_date)"));
    assert!(said.is_ok());
}

#[tokio::test]
async fn a_century_is_said_by_its_years() {
    let shop = composers().await;
    let of = |from: &str, to: &str| {
        format!("SELECT name FROM opera WHERE premiere BETWEEN '{from}-01-01' AND '{to}-12-31'")
    };
    let left_out = async |question: &str, sql: &str| {
        let near = quipu_reading::Nearness::default();
        let (_, left_out) = crate::common::checks::weighed(&shop, question, sql, near, &[]).await;
        (left_out.names, left_out.invented)
    };
    let question = "Which operas had their premiere in the 19th century?";
    assert_eq!(left_out(question, &of("1801", "1900")).await, (vec![], 0));
    assert_eq!(left_out(question, &of("1800", "1899")).await, (vec![], 0));
    let (names, invented) = left_out(question, &of("1700", "1799")).await;
    assert!(!names.is_empty() && invented > 0, "{names:?}");
    assert_eq!(
        left_out("Which operas had their premiere in the 1880s?", &of("1880", "1889")).await,
        (vec![], 0)
    );
}

#[tokio::test]
async fn one_of_two_is_not_one_of_all() {
    let shop = composers().await;
    let first = "SELECT name FROM composer ORDER BY death_date LIMIT 1";
    // The graph has no Puccini, so that it cannot tell.
    let asked = "Who died first, Puccini or Bizet?";
    assert_eq!(doubts(&shop, asked, first).await, ["puccini", "bizet"]);
    assert!(doubts(&shop, "Which composer died first?", first).await.is_empty());
}

/// Without an embedder a column that the question does not name is far from it.
#[tokio::test]
async fn an_adjective_of_an_unknown_measure_is_doubted() {
    let shop = composers().await;
    let latest = "SELECT name FROM opera ORDER BY premiere DESC LIMIT 1";
    assert_eq!(doubts(&shop, "Which opera is the most dangerous?", latest).await, ["dangerous"]);
    assert_eq!(doubts(&shop, "What is the most dangerous opera?", latest).await, ["dangerous"]);
    assert!(doubts(&shop, "Which opera had the most recent premiere?", latest).await.is_empty());
}

#[tokio::test]
async fn a_name_that_the_model_completes_is_that_of_the_question() {
    let shop = composers().await;
    let sql = "SELECT name FROM opera WHERE composer = 'Giuseppe Rossini'";
    assert_eq!(answers(&shop, "Which opera did Rossini compose?", sql).await, ["Tancredi"]);
    // A name that the graph has stays, whatever the question has of it.
    let verdi = "SELECT name FROM opera WHERE composer = 'Giuseppe Verdi'";
    assert_eq!(answers(&shop, "Which opera did Verdi compose?", verdi).await, ["Otello"]);
}

/// A theatre that is said to be Milan is one in Milan, although the composer died there too.
#[tokio::test]
async fn a_value_behind_the_written_column_comes_first() {
    let shop = composers().await;
    check_sql(&shop, "SELECT name FROM opera WHERE theatre = 'Milan'", &["Otello", "Tancredi"]).await;
    check_sql(&shop, "SELECT name FROM opera WHERE composer = 'Paris'", &["Tancredi"]).await;
}

async fn check_sql(shop: &Shop, sql: &str, expected: &[&str]) {
    assert_eq!(shop.lines(sql).await, expected, "{sql}");
}

#[tokio::test]
async fn things_without_names_are_called_by_their_keys() {
    let shop = Shop::of(
        "policies.ttl",
        "@prefix : <http://g.test/> . @prefix p: <http://g.test/policy/> .
        p:1 a :Policy ; :policy_no \"P-201\" ; :premium 10 ; :holder \"Ann\" .
        p:2 a :Policy ; :policy_no \"P-202\" ; :premium 30 ; :holder \"Bo\" .
        p:3 a :Policy ; :policy_no \"P-203\" ; :premium 20 ; :holder \"Ann\" .",
    )
    .await
    .unwrap();
    let dear = "SELECT name FROM policy WHERE premium > 15 ORDER BY premium";
    assert_eq!(answers(&shop, "Which policies cost more than 15?", dear).await, ["P-203", "P-202"]);
    let read = read(&shop, "Which policies cost more than 15?", dear);
    assert!(read.mends.iter().any(|mend| mend.text.contains("policy_no")), "{:?}", read.mends);
    let count = "SELECT COUNT(name) FROM policy";
    assert_eq!(answers(&shop, "How many policies are there?", count).await, ["3"]);
}

/// "Home products" are those of the line "home", not the one called "Home Plus".
#[tokio::test]
async fn an_adjective_that_is_a_value_is_no_part_of_a_longer_name() {
    let shop = graph(
        ":a a :Product ; rdfs:label \"Home Plus\" ; :line \"home\" ; :price 3 . \
         :b a :Product ; rdfs:label \"Home Shell\" ; :line \"home\" ; :price 5 . \
         :c a :Product ; rdfs:label \"Basic Auto\" ; :line \"auto\" ; :price 7 .",
    )
    .await;
    let left_out = async |question: &str, sql: &str| {
        let near = quipu_reading::Nearness::default();
        crate::common::checks::weighed(&shop, question, sql, near, &[]).await.1.values
    };
    let plus = "SELECT AVG(price) FROM product WHERE name = 'Home Plus'";
    let home = "SELECT AVG(price) FROM product WHERE line = 'home'";
    let question = "What is the average price of home products?";
    assert_eq!(left_out(question, plus).await, ["home"]);
    assert_eq!(left_out(question, home).await, Vec::<String>::new());
    assert_eq!(left_out("What is the price of Home Plus?", plus).await, Vec::<String>::new());
}
