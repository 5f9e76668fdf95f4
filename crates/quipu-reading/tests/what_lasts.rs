//! Things that last, names in parts, kinds that are only denied, and other slips of models on
//! tables with short headers.

use crate::common::checks::{doubts, graph, unsaid, weighed};
use crate::common::{Shop, answers, asked_rows};
use quipu_query::{RunLimits, Table, run, stated};
use quipu_reading::{Nearness, role_not_given};

const TWICE: &str = "states one condition twice";
const DENIED: &str = "gives what the question denies";

/// Shows of a station, their hosts, and the deals with sponsors.
async fn station() -> Shop {
    graph(
        ":d1 a :Deal ; :backer :n ; :show :s1 ; :dealFrom \"2003-09-01\"^^xsd:date ; \
             :dealTo \"2015-12-31\"^^xsd:date . \
         :d2 a :Deal ; :backer :b ; :show :s1 ; :dealFrom \"2016-01-01\"^^xsd:date . \
         :n a :Sponsor ; rdfs:label \"Norrail\" . :b a :Sponsor ; rdfs:label \"Bramley\" . \
         :s1 a :Show ; rdfs:label \"Small Hours\" ; :host :p1 ; :on :r . \
         :r a :Service ; rdfs:label \"Radio Tarn\" ; :kind \"regional station\" . \
         :p1 a :Person ; rdfs:label \"Una Thorne\" . :p2 a :Person ; rdfs:label \"Leif Dahl\" . \
         :w1 a :Nomination ; :award \"Silver Aerial\" ; :nominee :p1 ; :result \"shortlisted\" . \
         :w2 a :Nomination ; :award \"Golden Dial\" ; :nominee :p1 ; :result \"won\" .",
    )
    .await
}

#[tokio::test]
async fn what_still_holds_has_not_ended() {
    let shop = station().await;
    let deal = "SELECT EXISTS (SELECT 1 FROM deal WHERE backer = 'Norrail' AND show = 'Small Hours')";
    assert_eq!(answers(&shop, "Does Norrail still sponsor Small Hours?", deal).await, ["false"]);
    assert_eq!(answers(&shop, "Did Norrail ever sponsor Small Hours?", deal).await, ["true"]);
    let backers = "SELECT backer FROM deal WHERE show = 'Small Hours'";
    assert_eq!(answers(&shop, "Who currently backs Small Hours?", backers).await, ["Bramley"]);
    // A query that looks at the end says itself which deals last.
    let since = "SELECT backer FROM deal WHERE deal_to > '2010-01-01'";
    assert_eq!(answers(&shop, "Whose deals still ran after 2010-01-01?", since).await, ["Norrail"]);
}

#[tokio::test]
async fn what_held_on_a_day_began_before_it_and_ended_after_it() {
    let shop = station().await;
    let to = "SELECT backer FROM deal WHERE deal_to >= '2001-05-02'";
    assert!(answers(&shop, "Whose deals were in force on 2 May 2001?", to).await.is_empty());
    assert_eq!(answers(&shop, "Whose deals ended after 2 May 2001?", to).await, ["Norrail"]);
    let from = "SELECT backer FROM deal WHERE deal_from <= '2017-05-02'";
    assert_eq!(answers(&shop, "Whose deals were in force on 2 May 2017?", from).await, ["Bramley"]);
    assert_eq!(answers(&shop, "Whose deals had begun by 2 May 2017?", from).await, ["Bramley", "Norrail"]);
    let both = "SELECT backer FROM deal WHERE deal_from <= '2005-05-02' AND deal_to >= '2005-05-02'";
    assert_eq!(answers(&shop, "Whose deals were in force on 2 May 2005?", both).await, ["Norrail"]);
}

#[tokio::test]
async fn the_last_of_several_times_is_the_latest() {
    let shop = station().await;
    let from = "SELECT deal_from FROM deal WHERE show = 'Small Hours'";
    assert_eq!(answers(&shop, "When was Small Hours last sponsored?", from).await, ["2016-01-01"]);
    assert_eq!(answers(&shop, "When was Small Hours first sponsored?", from).await, ["2003-09-01"]);
    // Without "last" both are the answer, and the last deal's beginning is asked of one deal.
    let both = ["2003-09-01", "2016-01-01"];
    assert_eq!(answers(&shop, "When was Small Hours sponsored?", from).await, both);
    let ordered = format!("{from} ORDER BY deal_to LIMIT 1");
    let ended = answers(&shop, "When did the deal of Small Hours begin that ended last?", &ordered).await;
    assert_eq!(ended.len(), 1);
}

#[tokio::test]
async fn who_has_worked_longer_was_hired_first() {
    let shop = graph(
        ":d1 a :Dentist ; rdfs:label \"Oscar Lund\" ; :hiredOn \"2020-02-01\"^^xsd:date . \
         :d2 a :Dentist ; rdfs:label \"Rafael Card\" ; :hiredOn \"2015-05-01\"^^xsd:date .",
    )
    .await;
    let latest =
        "SELECT name FROM dentist WHERE name IN ('Oscar Lund', 'Rafael Card') ORDER BY hired_on DESC LIMIT 1";
    let asked = "Who has worked here longer: Oscar Lund or Rafael Card?";
    assert_eq!(answers(&shop, asked, latest).await, ["Rafael Card"]);
    let asked = "Who was hired later, Oscar Lund or Rafael Card?";
    assert_eq!(answers(&shop, asked, latest).await, ["Oscar Lund"]);
}

#[tokio::test]
async fn a_part_of_a_year_is_not_the_whole_year() {
    let shop = graph(
        ":c1 a :Contract ; rdfs:label \"Tarn Gas\" ; :ends \"2024-03-31\"^^xsd:date . \
         :c2 a :Contract ; rdfs:label \"Fell Coal\" ; :ends \"2024-07-01\"^^xsd:date . \
         :c3 a :Contract ; rdfs:label \"Moor Peat\" ; :ends \"2024-12-31\"^^xsd:date . \
         :c4 a :Contract ; rdfs:label \"Beck Oil\" ; :ends \"2025-01-01\"^^xsd:date .",
    )
    .await;
    let asked = async |question: &str, filter: &str| {
        let sql = format!("SELECT name FROM contract WHERE {filter}");
        let (_, found) = weighed(&shop, question, &sql, Nearness::default(), &[]).await;
        assert!(found.names.is_empty(), "{question}: {filter}: {:?}", found.names);
        answers(&shop, question, &sql).await
    };
    let second = "Which contracts ended in the second half of 2024?";
    let of_second = ["Fell Coal", "Moor Peat"];
    assert_eq!(asked(second, "YEAR(ends) = 2024").await, of_second);
    assert_eq!(asked(second, "ends >= '2024-07-01'").await, of_second);
    assert_eq!(asked(second, "ends BETWEEN '2024-01-01' AND '2024-12-31'").await, of_second);
    assert_eq!(asked(second, "ends BETWEEN '2024-07-01' AND '2024-12-31'").await, of_second);
    assert_eq!(asked("Which contracts ended in Q1 2024?", "YEAR(ends) = 2024").await, ["Tarn Gas"]);
    // A query that says the months itself is left alone.
    let months = "YEAR(ends) = 2024 AND MONTH(ends) > 6";
    let sql = format!("SELECT name FROM contract WHERE {months}");
    assert_eq!(answers(&shop, second, &sql).await, of_second);
}

#[tokio::test]
async fn a_kind_that_is_only_denied_is_not_given() {
    let shop = station().await;
    let faults = async |question: &str, sql: &str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.faults
    };
    let others = "SELECT name FROM person WHERE name NOT IN (SELECT host FROM show)";
    assert!(faults("Which hosts do not run a show?", others).await.contains(&DENIED));
    assert!(!faults("Which people do not host a show?", others).await.contains(&DENIED));
    let twice = "SELECT name FROM person WHERE name NOT IN (SELECT host FROM show) \
                 AND name NOT IN (SELECT host FROM show)";
    assert!(faults("Which people neither host a show nor own one?", twice).await.contains(&TWICE));
    let stated = "SELECT name FROM person WHERE name NOT IN (SELECT host FROM show) \
                  AND name NOT IN (SELECT host FROM show WHERE host IS NOT NULL)";
    assert!(faults("Which people neither host a show nor own one?", stated).await.contains(&TWICE));
    let two = "SELECT name FROM person WHERE name NOT IN (SELECT host FROM show) \
               AND name NOT IN (SELECT nominee FROM nomination)";
    assert!(!faults("Which people neither host a show nor are nominees?", two).await.contains(&TWICE));
}

#[tokio::test]
async fn a_yes_without_the_value_that_is_asked_for_is_doubted() {
    let shop = station().await;
    let left_out = async |question: &str, sql: &str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.values
    };
    let any = "SELECT EXISTS (SELECT 1 FROM nomination WHERE award = 'Silver Aerial' \
               AND nominee = 'Una Thorne')";
    let won = "SELECT EXISTS (SELECT 1 FROM nomination WHERE award = 'Silver Aerial' \
               AND nominee = 'Una Thorne' AND result = 'won')";
    let question = "Has Una Thorne ever won the Silver Aerial?";
    assert_eq!(left_out(question, any).await, ["won"]);
    assert!(left_out(question, won).await.is_empty());
}

#[tokio::test]
async fn a_plural_kind_names_its_things() {
    let shop = graph(
        ":s1 a :Show ; rdfs:label \"Tarn Today\" ; :kind \"news show\" ; :on :r . \
         :s2 a :Show ; rdfs:label \"Jazz Hour\" ; :kind \"music show\" ; :on :m . \
         :r a :Service ; rdfs:label \"Radio Tarn\" ; :kind \"regional station\" . \
         :m a :Service ; rdfs:label \"Radio One\" ; :kind \"national station\" .",
    )
    .await;
    let sql = "SELECT show.name FROM show JOIN service ON show.on = service.name \
               WHERE service.kind = 'regional station'";
    assert!(unsaid(&shop, "news shows on the regional stations", sql).await.is_empty());
}

/// Lifts, instructors and passes with short headers.
async fn resort() -> Shop {
    graph(
        ":l1 a :Lifts ; rdfs:label \"Hochwand\" ; :base 1180 ; :top 2065 ; :sect \"Hoch\" ; :len_m 900 ; :drop_m 80 . \
         :l2 a :Lifts ; rdfs:label \"Gams\" ; :base 1840 ; :top 2310 ; :sect \"Gams\" ; :len_m 1200 . \
         :i1 a :Instr ; rdfs:label \"Leni Aschauer\" ; :fn \"Leni\" ; :ln \"Aschauer\" ; :lang \"nl\" . \
         :i2 a :Instr ; rdfs:label \"Piet van Doorn\" ; :fn \"Piet\" ; :ln \"van Doorn\" ; :lang \"nl\" . \
         :p1 a :Passes ; :typ \"season\" ; :price 689 . :p2 a :Passes ; :typ \"season\" ; :price 579 . \
         :p3 a :Passes ; :typ \"day\" ; :price 55 .",
    )
    .await
}

#[tokio::test]
async fn a_rate_of_each_row_is_one_value() {
    let shop = graph(
        ":d1 a :Driver ; rdfs:label \"Jon Byrne\" ; :pay_hr 22 . :d2 a :Driver ; rdfs:label \"John Byrne\" ; :pay_hr 18 .",
    )
    .await;
    let better =
        "SELECT name FROM driver WHERE name IN ('Jon Byrne', 'John Byrne') ORDER BY pay_hr DESC LIMIT 1";
    let asked = "who earns more per hour, Jon Byrne or John Byrne?";
    assert!(doubts(&shop, asked, better).await.is_empty());
}

#[tokio::test]
async fn people_are_given_by_their_whole_names() {
    let shop = resort().await;
    let parts = "SELECT fn, ln FROM instr WHERE lang = 'nl'";
    assert_eq!(
        answers(&shop, "Which instructors speak Dutch?", parts).await,
        ["Leni Aschauer", "Piet van Doorn"]
    );
    let asked = asked_rows(&shop, "fn and ln of the instructors who speak Dutch", parts).await;
    assert_eq!(asked, ["Leni | Aschauer", "Piet | van Doorn"]);
}

#[tokio::test]
async fn the_last_noun_of_how_many_is_counted() {
    let shop = resort().await;
    let sum = "SELECT SUM(price) FROM passes WHERE typ = 'season'";
    assert_eq!(answers(&shop, "how many season passes did we sell", sum).await, ["2"]);
    assert_eq!(answers(&shop, "how much did the season passes bring in", sum).await, ["1268"]);
}

#[tokio::test]
async fn ends_of_things_are_no_extremes_and_short_columns_give_their_roles() {
    let shop = resort().await;
    let rise = "SELECT name FROM lifts ORDER BY (top - base) DESC LIMIT 1";
    let question = "the lift with the biggest difference between bottom and top";
    assert!(!doubts(&shop, question, rise).await.contains(&"bottom".to_owned()));
    let two = "the biggest lift of the smallest sector";
    assert!(doubts(&shop, two, rise).await.contains(&"smallest".to_owned()));
    let longest = shop.bound("SELECT sect, MAX(len_m) FROM lifts GROUP BY sect").unwrap();
    let asked = "For each sector, what is the length of its longest lift?";
    assert_eq!(role_not_given(asked, &longest.query, &shop.tables), None);
    let asked = "For each sector, who is the keeper of its longest lift?";
    assert!(role_not_given(asked, &longest.query, &shop.tables).is_some());
}

#[tokio::test]
async fn a_thing_without_a_type_is_shown_by_a_fact() {
    let shop = Shop::of(
        "towns.tsv",
        "Vell\tpopulation\t900\nCrake\tpopulation\t400\nBellpit\tstands in\tVell\nBellpit\thearths\t3\n",
    )
    .await
    .unwrap();
    let table_of = |title: &str| {
        let has = |table: &&Table| table.columns.iter().any(|column| column.title == title);
        shop.tables.tables.iter().find(has).unwrap().id.clone()
    };
    let (towns, works) = (table_of("population"), table_of("hearths"));
    let sql = format!("SELECT name FROM {towns} WHERE name NOT IN (SELECT stands_in FROM {works})");
    let plan = shop.plan(&sql).unwrap();
    let rows = run(&shop.workspace, &plan, &RunLimits::default()).await.unwrap();
    let stated = stated(&shop.workspace, &plan, &rows, &RunLimits::default()).await.unwrap();
    let names: Vec<_> = stated.triples.iter().map(|triple| triple.names.join(" ")).collect();
    assert_eq!(names, ["Crake population 400"]);
}

#[tokio::test]
async fn a_year_that_is_asked_for_is_no_date() {
    let shop = station().await;
    let from = "SELECT deal_from FROM deal WHERE backer = 'Bramley'";
    for question in [
        "In what year did Bramley begin to back the show?",
        "Which year did Bramley's deal start?",
        "What was the first year of Bramley's deal?",
        "What is the year of Bramley's deal?",
        "Bramley deal starting year",
    ] {
        assert_eq!(answers(&shop, question, from).await, ["2016"], "{question}");
    }
    let first = "SELECT MIN(deal_from) FROM deal WHERE show = 'Small Hours'";
    assert_eq!(answers(&shop, "In which year did the first deal start?", first).await, ["2003"]);
    let ordered = "SELECT deal_to FROM deal ORDER BY deal_to DESC LIMIT 1";
    assert_eq!(answers(&shop, "In which year did the last deal end?", ordered).await, ["2015"]);
    // A year that is no question, and one that is a condition.
    for question in
        ["When did Bramley's deal start?", "When is the year's first deal?", "Bramley deal dates last year"]
    {
        assert_eq!(answers(&shop, question, from).await, ["2016-01-01"], "{question}");
    }
    let of_2003 = "SELECT deal_to FROM deal WHERE YEAR(deal_from) = 2003";
    assert_eq!(
        answers(&shop, "When did the deal that began in the year 2003 end?", of_2003).await,
        ["2015-12-31"]
    );
    let show = "SELECT show FROM deal WHERE backer = 'Bramley'";
    assert_eq!(answers(&shop, "In what year did Bramley back which show?", show).await, ["Small Hours"]);
}
