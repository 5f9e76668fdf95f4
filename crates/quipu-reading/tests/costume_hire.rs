//! A hire shop's tables as a business exports them: lines without names, rates per day, several
//! dates of one hire.

use crate::common::checks::{faults, graph, weighed};
use crate::common::{Shop, answers};
use quipu_reading::Nearness;

async fn costume_hire() -> Shop {
    graph(
        ":c1 a :Costume ; rdfs:label \"Plum Gown\" ; :era \"Tudor\" ; :suppliedBy :s1 ; :purchasePrice 100 ; :dailyRate 20.25 . \
         :c2 a :Costume ; rdfs:label \"Teal Coat\" ; :era \"Modern\" ; :suppliedBy :s1 ; :purchasePrice 50 ; :dailyRate 9.5 . \
         :s1 a :Supplier ; rdfs:label \"Gaiety\" . \
         :k1 a :Customer ; rdfs:label \"Harnby Primary\" ; :customerType \"school\" . \
         :k2 a :Customer ; rdfs:label \"Ann Mallory\" ; :customerType \"private\" . \
         :k3 a :Customer ; rdfs:label \"Saltbox\" ; :customerType \"private\" . \
         :h1 a :Hire ; rdfs:label \"H1\" ; :customer :k1 ; :production \"Aladdin\" ; :depositRefunded true ; \
             :bookedOn \"2022-12-20\"^^xsd:date ; :collectedOn \"2023-01-03\"^^xsd:date ; :returnedOn \"2023-01-09\"^^xsd:date . \
         :h2 a :Hire ; rdfs:label \"H2\" ; :customer :k2 ; :production \"Macbeth\" ; :depositRefunded false ; \
             :bookedOn \"2022-11-02\"^^xsd:date ; :collectedOn \"2022-12-05\"^^xsd:date . \
         :h3 a :Hire ; rdfs:label \"H3\" ; :customer :k2 ; :production \"Hamlet\" ; :depositRefunded true ; \
             :bookedOn \"2021-11-02\"^^xsd:date ; :collectedOn \"2021-12-05\"^^xsd:date ; :returnedOn \"2021-12-09\"^^xsd:date . \
         :l1 a :HireItem ; rdfs:label \"L001\" ; :hire :h1 ; :costume :c1 ; :days 4 ; :linePrice 30 . \
         :l2 a :HireItem ; rdfs:label \"L002\" ; :hire :h2 ; :costume :c1 ; :days 2 ; :linePrice 36.9 .",
    )
    .await
}

#[tokio::test]
async fn what_somebody_borrowed_are_things_and_no_lines() {
    let shop = costume_hire().await;
    let lines = "SELECT hire_item.name FROM hire JOIN hire_item ON hire.name = hire_item.hire \
                 WHERE hire.customer = 'Harnby Primary' AND hire.production = 'Aladdin'";
    let borrowed = answers(&shop, "What did Harnby Primary borrow for Aladdin?", lines).await;
    assert_eq!(borrowed, ["Plum Gown"]);
    let named = answers(&shop, "Which hire items did Harnby Primary have for Aladdin?", lines).await;
    assert_eq!(named, ["L001"]);
    let kept = "SELECT name FROM hire WHERE production = 'Macbeth' AND deposit_refunded = FALSE";
    assert_eq!(
        answers(&shop, "Whose deposit for Macbeth did we not give back?", kept).await,
        ["Ann Mallory"]
    );
    assert_eq!(answers(&shop, "Which hire for Macbeth kept its deposit?", kept).await, ["H2"]);
    // A table of an export is called by a plural.
    let invoices = graph(
        ":i1 a :Invoices ; rdfs:label \"INV-1\" ; :total 90 ; :patient :p1 . \
         :i2 a :Invoices ; rdfs:label \"INV-2\" ; :total 40 ; :patient :p1 . :p1 a :Patients ; rdfs:label \"Ann\" .",
    )
    .await;
    let biggest = "SELECT name FROM invoices ORDER BY total DESC LIMIT 1";
    let (_, found) =
        weighed(&invoices, "What was our biggest single invoice?", biggest, Nearness::default(), &[]).await;
    assert!(found.names.is_empty(), "{:?}", found.names);
    assert_eq!(answers(&invoices, "What was our biggest invoice?", biggest).await, ["INV-1"]);
}

#[tokio::test]
async fn only_hires_that_exist_have_not_been_returned() {
    let shop = costume_hire().await;
    let lacks = "SELECT customer.name FROM customer LEFT JOIN hire ON customer.name = hire.customer \
                 WHERE hire.returned_on IS NULL";
    assert_eq!(answers(&shop, "Who still hasn't returned their hire?", lacks).await, ["Ann Mallory"]);
    let none = "SELECT customer.name FROM customer LEFT JOIN hire ON customer.name = hire.customer \
                WHERE hire.name IS NULL";
    assert_eq!(answers(&shop, "Which customers have no hire?", none).await, ["Saltbox"]);
}

#[tokio::test]
async fn what_is_picked_up_is_collected() {
    let shop = costume_hire().await;
    let booked = "SELECT name FROM hire WHERE booked_on LIKE '2022-12%'";
    assert_eq!(answers(&shop, "Which hires were picked up in December 2022?", booked).await, ["H2"]);
    assert_eq!(answers(&shop, "Which hires were booked in December 2022?", booked).await, ["H1"]);
}

#[tokio::test]
async fn a_rate_per_day_is_a_daily_rate() {
    let shop = costume_hire().await;
    let daily = "SELECT daily_rate FROM costume WHERE name = 'Plum Gown'";
    assert!(faults(&shop, "What do we charge per day for the Plum Gown?", daily).await.is_empty());
    let cheapest = "SELECT costume FROM hire_item ORDER BY line_price LIMIT 1";
    let measure = "uses another measure";
    let asked = "Which costume is the cheapest to hire by the day?";
    assert!(faults(&shop, asked, cheapest).await.contains(&measure));
    let of_days = "SELECT days, SUM(line_price) FROM hire_item GROUP BY days";
    assert!(!faults(&shop, "What did we take per day of hire?", of_days).await.contains(&measure));
    let by_rate = "SELECT name FROM costume ORDER BY daily_rate LIMIT 1";
    assert!(!faults(&shop, asked, by_rate).await.contains(&measure));
}

#[tokio::test]
async fn schools_are_the_customers_of_that_type() {
    let shop = costume_hire().await;
    let types = "SELECT DISTINCT customer.customer_type FROM hire JOIN customer ON hire.customer = customer.name \
                 WHERE YEAR(hire.booked_on) = 2022";
    assert_eq!(answers(&shop, "Which schools booked in 2022?", types).await, ["Harnby Primary"]);
    assert_eq!(answers(&shop, "Which customer types booked in 2022?", types).await, ["private", "school"]);
}

#[tokio::test]
async fn what_was_paid_for_the_costumes_counts_each_once() {
    let shop = costume_hire().await;
    let joined = "SELECT SUM(costume.purchase_price) FROM hire_item JOIN costume \
                  ON hire_item.costume = costume.name WHERE costume.supplied_by = 'Gaiety'";
    let asked = "What did we pay altogether for the costumes we got from Gaiety?";
    assert_eq!(answers(&shop, asked, joined).await, ["150"]);
    let asked = "What is the total purchase price over all hire items from Gaiety?";
    assert_eq!(answers(&shop, asked, joined).await, ["200"]);
}

#[tokio::test]
async fn an_unknown_word_before_a_kind_forbids_a_sure_answer() {
    let shop = costume_hire().await;
    let all = "SELECT name FROM costume";
    let near = Nearness {
        asked: [("festive".to_owned(), 0.2), ("supplier".to_owned(), 0.2)].into(),
        ..Nearness::default()
    };
    let checks =
        async |question: &'static str| weighed(&shop, question, all, near.clone(), &[]).await.1.checks;
    let other = "asks for another kind";
    assert!(checks("Which festive costumes are there?").await.contains(&other));
    // A kind before another may be the way to it.
    assert!(!checks("Which supplier costumes are there?").await.contains(&other));
}

#[tokio::test]
async fn a_short_form_is_the_only_value_that_goes_on() {
    let shop = graph(
        ":c1 a :Costume ; rdfs:label \"Plum Gown\" ; :era \"Tudor\" . :c2 a :Costume ; rdfs:label \"Cow Suit\" ; :era \"Pantomime\" . \
         :c3 a :Costume ; rdfs:label \"Teal Coat\" ; :era \"Workwear\" .",
    )
    .await;
    let panto = "SELECT name FROM costume WHERE era = 'panto'";
    assert_eq!(answers(&shop, "Which panto costumes are there?", panto).await, ["Cow Suit"]);
    let (_, found) = weighed(&shop, "Which panto costumes are there?", panto, Nearness::default(), &[]).await;
    assert!(found.names.is_empty(), "{:?}", found.names);
    let of = |question: &str| shop.values.mentions(question).len();
    assert_eq!(of("Which panto costumes are there?"), 1);
    // Everyday words shorten nothing.
    assert_eq!(of("Which costumes work?"), 0);
}

#[tokio::test]
async fn a_price_may_be_a_rate() {
    let shop = costume_hire().await;
    let near = Nearness { asked: [("price".to_owned(), 0.1)].into(), ..Nearness::default() };
    let average = "SELECT AVG(daily_rate) FROM costume WHERE era = 'Tudor'";
    let asked = "What is the average daily price of the Tudor costumes?";
    let checks = weighed(&shop, asked, average, near, &[]).await.1.checks;
    assert!(!checks.contains(&"gives something else"), "{checks:?}");
    // The highest price of all is still ordered by an amount without another name.
    let dearest = "SELECT name FROM costume ORDER BY purchase_price DESC LIMIT 1";
    assert!(
        !faults(&shop, "Which costume has the highest price?", dearest)
            .await
            .contains(&"uses another measure")
    );
}

#[tokio::test]
async fn the_most_times_are_the_most_rows() {
    let shop = costume_hire().await;
    let most = "SELECT customer FROM hire GROUP BY customer ORDER BY COUNT(*) DESC LIMIT 1";
    let (_, found) = weighed(&shop, "Who has booked the most times?", most, Nearness::default(), &[]).await;
    assert!(!found.names.contains(&"times".to_owned()), "{:?}", found.names);
}
