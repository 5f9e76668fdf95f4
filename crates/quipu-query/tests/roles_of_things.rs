//! Roles that a reading confuses: who led and who took part, a teacher and a pupil, an employee and
//! the employee's own manager; and "every" where one total is asked for.

use crate::common::checks::{doubts, graph, weighed};
use crate::common::{Shop, answers, asked_rows};
use quipu_query::asked::Nearness;

/// Expeditions into caves, their leaders, who trained them, and what all earn.
async fn caves() -> Shop {
    graph(
        ":k1 a :Cave ; rdfs:label \"Pepper Hole\" ; :length 300 ; :designedBy :p2 . \
         :k2 a :Cave ; rdfs:label \"Owl Pot\" ; :length 120 ; :designedBy :p3 . \
         :t1 a :Expedition ; rdfs:label \"Winter Camp\" ; :visits :k1 ; :ledBy :p1 ; :hasParticipant :p1, :p2 . \
         :t2 a :Expedition ; rdfs:label \"Summer Camp\" ; :visits :k2 ; :ledBy :p2 ; :hasParticipant :p2, :p3 . \
         :p1 a :Caver ; rdfs:label \"Ada Moor\" ; :manager :p2 ; :salary 50 ; :trainedBy :p3 . \
         :p2 a :Caver ; rdfs:label \"Bo Ley\" ; :manager :p3 ; :salary 40 ; :trainedBy :p1 . \
         :p3 a :Caver ; rdfs:label \"Cy Finn\" ; :salary 60 ; :trainedBy :p1 .",
    )
    .await
}

#[tokio::test]
async fn those_who_took_part_are_not_those_who_led() {
    let shop = caves().await;
    let took_part = "SELECT DISTINCT participant FROM expedition_participant WHERE expedition IN \
                     (SELECT name FROM expedition WHERE visits = 'Pepper Hole')";
    let led = "SELECT DISTINCT led_by FROM expedition WHERE visits = 'Pepper Hole'";
    let faults = async |question: &'static str, sql: &'static str| {
        let unexplained = weighed(&shop, question, sql, Nearness::default(), &[]).await.1;
        unexplained.faults.contains(&"takes another role")
    };
    let asked = "Which cavers led an expedition into Pepper Hole?";
    assert!(faults(asked, took_part).await);
    assert!(!faults(asked, led).await);
    let asked = "Which participants were on expeditions into Pepper Hole?";
    assert!(!faults(asked, took_part).await);
}

#[tokio::test]
async fn the_trainer_of_a_designer_is_not_the_designer() {
    let shop = caves().await;
    let asked = "What does the mentor of Owl Pot's designer earn?";
    let designer = "SELECT caver.salary FROM cave JOIN caver ON cave.designed_by = caver.name \
                    WHERE cave.name = 'Owl Pot'";
    assert_eq!(doubts(&shop, asked, designer).await, ["mentor"]);
    assert!(doubts(&shop, "What does Owl Pot's designer earn?", designer).await.is_empty());
}

#[tokio::test]
async fn ones_own_manager_is_that_of_the_row_outside() {
    let shop = caves().await;
    let asked = "Are there any cavers who earn more than their own manager?";
    let sql = "SELECT name FROM caver WHERE salary > \
               (SELECT salary FROM caver WHERE name = caver.manager)";
    assert_eq!(answers(&shop, asked, sql).await, ["Ada Moor"]);
    let left_out = weighed(&shop, asked, sql, Nearness::default(), &[]).await.1;
    assert!(left_out.names.is_empty(), "{:?}", left_out.names);
}

#[tokio::test]
async fn what_is_added_up_of_every_thing_is_one_total() {
    let shop = caves().await;
    let sql = "SELECT SUM(length) FROM cave WHERE length > 100";
    let added = "If I add up the length of every cave longer than 100, what is that?";
    assert_eq!(answers(&shop, added, sql).await, ["420"]);
    let each = "SELECT SUM(cave.length) FROM expedition JOIN cave ON expedition.visits = cave.name";
    let by_caver = "What is the total length of the caves for every expedition?";
    assert_eq!(asked_rows(&shop, by_caver, each).await, ["Summer Camp | 120", "Winter Camp | 300"]);
}

#[tokio::test]
async fn no_doctor_reports_to_a_patient() {
    let clinic = graph(
        ":d1 a :Doctor ; rdfs:label \"Ada Moor\" ; :reportsTo :d2 ; :treats :p1 . \
         :d2 a :Doctor ; rdfs:label \"Bo Ley\" ; :treats :p2 . \
         :p1 a :Patient ; rdfs:label \"Cy Finn\" ; :age 40 . :p2 a :Patient ; rdfs:label \"Di Grau\" ; :age 50 .",
    )
    .await;
    let faults = async |question: &'static str, sql: &'static str| {
        let unexplained = weighed(&clinic, question, sql, Nearness::default(), &[]).await.1;
        unexplained.faults.contains(&"relates things of another kind")
    };
    let of_patient = "SELECT name FROM doctor WHERE reports_to IN \
                      (SELECT name FROM doctor WHERE treats = 'Di Grau')";
    assert!(faults("Which doctors report to Di Grau?", of_patient).await);
    assert!(!faults("Which doctors report to the doctor of Di Grau?", of_patient).await);
    let of_doctor = "SELECT name FROM doctor WHERE reports_to = 'Bo Ley'";
    assert!(!faults("Which doctors report to Bo Ley?", of_doctor).await);
}

#[tokio::test]
async fn the_games_that_won_awards_are_no_awards() {
    let guild = graph(
        ":g1 a :Game ; rdfs:label \"Whale Song\" ; :wonAward :a1, :a2 ; :designedBy :d1 . \
         :g2 a :Game ; rdfs:label \"Night Ferry\" ; :wonAward :a1 ; :designedBy :d1 . \
         :a1 a :Award ; rdfs:label \"Golden Hourglass\" . :a2 a :Award ; rdfs:label \"Silver Pawn\" . \
         :d1 a :Designer ; rdfs:label \"Arvid Lindgren\" .",
    )
    .await;
    let faults = async |given: &str| {
        let sql = format!(
            "SELECT game_won_award.{given} FROM game_won_award JOIN game ON game_won_award.game = game.name \
             WHERE game.designed_by = 'Arvid Lindgren'"
        );
        let asked = "What awards have games by Arvid Lindgren won?";
        let unexplained = weighed(&guild, asked, &sql, Nearness::default(), &[]).await.1;
        unexplained.faults.contains(&"asks for another kind")
    };
    assert!(faults("game").await);
    assert!(!faults("won_award").await);
}

#[tokio::test]
async fn a_relation_named_in_full_is_the_one_meant() {
    let cup = graph(
        ":p1 a :Player ; rdfs:label \"Ada Moor\" ; :playsForCountry :c1 ; :playsInClub :k1 . \
         :k1 a :Club ; rdfs:label \"Getafe\" ; :isInCountry :c1 . :k2 a :Club ; rdfs:label \"Eibar\" ; :isInCountry :c1 . \
         :c1 a :Country ; rdfs:label \"Spain\" .",
    )
    .await;
    let faults = async |question: &'static str, sql: &'static str| {
        let unexplained = weighed(&cup, question, sql, Nearness::default(), &[]).await.1;
        unexplained.faults.contains(&"leaves out a relation named in full")
    };
    let players = "SELECT name FROM player WHERE plays_for_country = 'Spain'";
    let clubs = "SELECT name FROM club WHERE is_in_country = 'Spain'";
    assert!(faults("What is the is in country of Spain?", players).await);
    assert!(faults("Which club is in country Spain?", players).await);
    assert!(!faults("Which club is in country Spain?", clubs).await);
    assert!(!faults("Which player plays for country Spain?", players).await);
    assert!(!faults("Which players play for Spain?", players).await);
}

#[tokio::test]
async fn a_price_per_player_is_no_price_for_each_number_of_players() {
    let rooms = graph(
        ":r1 a :Room ; rdfs:label \"Attic\" ; :pricePerPlayer 20 ; :maxPlayers 4 ; :venue :v1 . \
         :r2 a :Room ; rdfs:label \"Cellar\" ; :pricePerPlayer 30 ; :maxPlayers 6 ; :venue :v1 . \
         :v1 a :Venue ; rdfs:label \"Vault House\" .",
    )
    .await;
    let sql = "SELECT AVG(price_per_player) FROM room WHERE venue = 'Vault House'";
    let asked = "What is the average price per player of the rooms at Vault House?";
    assert_eq!(asked_rows(&rooms, asked, sql).await, ["25"]);
}

#[tokio::test]
async fn a_relative_of_a_relative_takes_two_steps() {
    let family = graph(
        ":d1 a :Dog ; rdfs:label \"Misty\" ; :dam :d2 . :d2 a :Dog ; rdfs:label \"Belle\" ; :dam :d3 . \
         :d3 a :Dog ; rdfs:label \"Nora\" .",
    )
    .await;
    let step = "leaves out a step";
    let faults = async |sql: &'static str| {
        weighed(&family, "Who is the grandmother of Misty?", sql, Nearness::default(), &[]).await.1.faults
    };
    assert!(faults("SELECT dam FROM dog WHERE name = 'Misty'").await.contains(&step));
    let twice = "SELECT dam FROM dog WHERE name IN (SELECT dam FROM dog WHERE name = 'Misty')";
    assert!(!faults(twice).await.contains(&step));
}

#[tokio::test]
async fn a_role_said_of_the_same_role_takes_two_steps() {
    let shop = caves().await;
    let once = "SELECT trained_by FROM caver WHERE name = 'Ada Moor'";
    let twice = "SELECT trained_by FROM caver WHERE name = \
                 (SELECT trained_by FROM caver WHERE name = 'Ada Moor')";
    let faults = async |question: &'static str, sql: &'static str| {
        let unexplained = weighed(&shop, question, sql, Nearness::default(), &[]).await.1;
        unexplained.faults.contains(&"leaves out a step")
    };
    for asked in [
        "Who is the teacher of Ada Moor's teacher?",
        "Who is the trainer of the trainer of Ada Moor?",
        "Who is Ada Moor's trainer's trainer?",
    ] {
        assert!(faults(asked, once).await, "{asked}");
        assert!(!faults(asked, twice).await, "{asked}");
    }
    for asked in ["Who is Ada Moor's trainer?", "Which trainer of cavers is Ada Moor's own trainer?"] {
        assert!(!faults(asked, once).await, "{asked}");
    }
}

#[tokio::test]
async fn a_mother_is_a_parent_where_nobody_states_the_sex() {
    let people = "a :Person ; rdfs:label";
    let plain = format!(
        ":p1 {people} \"Ida Fenn\" ; :parent :p2, :p4 ; :spouse :p3 . :p4 {people} \"Eli Brook\" . :p2 {people} \"Una Brook\" . \
         :p3 {people} \"Otto Kell\" ; :parent :p2 ."
    );
    let sexed =
        plain.replace(" ; rdfs:label \"Una Brook\"", " ; :gender \"female\" ; rdfs:label \"Una Brook\"");
    assert_ne!(plain, sexed);
    let (plain, sexed) = (graph(&plain).await, graph(&sexed).await);
    let parents = "SELECT parent FROM person_parent WHERE person = 'Ida Fenn'";
    let women = "SELECT person.name FROM person JOIN person_parent ON person_parent.parent = person.name \
                 WHERE person_parent.person = 'Ida Fenn' AND person.gender = 'female'";
    let left_out = async |shop: &Shop, question: &'static str, sql: &'static str| {
        let unexplained = weighed(shop, question, sql, Nearness::default(), &[]).await.1;
        let mut words = [unexplained.names, unexplained.meanings].concat();
        words.dedup();
        words
    };
    let asked = "Who is the mother of Ida Fenn?";
    assert!(left_out(&plain, asked, parents).await.is_empty());
    assert_eq!(left_out(&sexed, asked, parents).await, ["mother"]);
    assert!(left_out(&sexed, asked, women).await.is_empty());
    // A husband is a spouse, whatever the graph states.
    let spouse = "SELECT spouse FROM person WHERE name = 'Ida Fenn'";
    assert!(left_out(&plain, "Who is Ida Fenn's husband?", spouse).await.is_empty());
    assert!(left_out(&sexed, "Who is Ida Fenn's husband?", spouse).await.is_empty());
    assert_eq!(left_out(&plain, "Who is Ida Fenn's husband?", parents).await, ["husband"]);
}

#[tokio::test]
async fn children_are_no_grandsons_and_people_no_men() {
    let family = graph(
        ":p1 a :Person ; rdfs:label \"Ida Fenn\" ; :sex \"f\" ; :parent :p2, :p3 ; :born 1990 . \
         :p2 a :Person ; rdfs:label \"Una Brook\" ; :sex \"f\" ; :parent :p4 ; :born 1960 . \
         :p3 a :Person ; rdfs:label \"Otto Kell\" ; :sex \"m\" ; :born 1961 . \
         :p4 a :Person ; rdfs:label \"Eli Brook\" ; :sex \"m\" ; :born 1931 .",
    )
    .await;
    let faults = async |question: &'static str, sql: &'static str| {
        weighed(&family, question, sql, Nearness::default(), &[]).await.1.faults
    };
    let asked = "Name all the grandchildren of Eli Brook.";
    let children = "SELECT name FROM person WHERE name IN \
                    (SELECT person FROM person_parent WHERE parent = 'Eli Brook')";
    assert!(faults(asked, children).await.contains(&"leaves out a step"));
    let grandchildren = "SELECT person FROM person_parent WHERE parent IN \
                         (SELECT person FROM person_parent WHERE parent = 'Eli Brook')";
    assert!(!faults(asked, grandchildren).await.contains(&"leaves out a step"));
    let asked = "What is the average birth year of the men?";
    assert!(faults(asked, "SELECT AVG(born) FROM person").await.contains(&"takes either sex"));
    let men = "SELECT AVG(born) FROM person WHERE sex = 'm'";
    assert!(!faults(asked, men).await.contains(&"takes either sex"));
}

#[tokio::test]
async fn what_pupils_made_is_not_what_their_teacher_made() {
    let workshop = graph(
        ":c1 a :Clockmaker ; rdfs:label \"Nell Hobday\" ; :trainedBy :c2 ; :livesIn :t . \
         :c2 a :Clockmaker ; rdfs:label \"Piers Lack\" ; :livesIn :t . :t a :Town ; rdfs:label \"Marl\" . \
         :k1 a :Clock ; rdfs:label \"Owl Clock\" ; :madeBy :c1 . :k2 a :Clock ; rdfs:label \"Moon Clock\" ; :madeBy :c2 .",
    )
    .await;
    let faults = async |question: &'static str, sql: &'static str| {
        let unexplained = weighed(&workshop, question, sql, Nearness::default(), &[]).await.1;
        unexplained.faults.contains(&"leaves out a step")
    };
    let own = "SELECT COUNT(*) FROM clock WHERE made_by = 'Piers Lack'";
    let of_pupils = "SELECT COUNT(*) FROM clock WHERE made_by IN \
                     (SELECT name FROM clockmaker WHERE trained_by = 'Piers Lack')";
    let asked = "How many clocks were made by pupils of Piers Lack?";
    assert!(faults(asked, own).await);
    assert!(!faults(asked, of_pupils).await);
    assert!(!faults("How many clocks were made by Piers Lack?", own).await);
    // Those who are asked for are the role themselves.
    let pupils = "SELECT name FROM clockmaker WHERE trained_by = 'Piers Lack'";
    assert!(!faults("Which pupils of Piers Lack are there?", pupils).await);
}
