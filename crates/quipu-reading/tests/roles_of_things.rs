//! Roles that a reading confuses: who led and who took part, a teacher and a pupil, an employee and
//! the employee's own manager; and "every" where one total is asked for.

use crate::common::checks::{doubts, graph, weighed};
use crate::common::{Shop, answers, asked_rows};
use quipu_reading::Nearness;

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
    assert!(left_out(&sexed, asked, women).await.is_empty());
    // The word tells the sex, so the query takes the women among the parents.
    assert!(left_out(&sexed, asked, parents).await.is_empty());
    assert_eq!(asked_rows(&sexed, asked, parents).await, ["Una Brook"]);
    let of_all = "SELECT person, parent FROM person_parent";
    let rows = asked_rows(&sexed, "List everyone's mother.", of_all).await;
    assert_eq!(rows, ["Ida Fenn | Una Brook", "Otto Kell | Una Brook"]);
    // Who lacks one is not among those who have one of that sex.
    let none = "SELECT person.name FROM person LEFT JOIN person_parent ON person.name = person_parent.person \
                WHERE person_parent.parent IS NULL";
    assert_eq!(asked_rows(&sexed, "Who has no mother?", none).await, ["Eli Brook", "Una Brook"]);
    // No value states a man, so a father is any parent, and stays a doubt.
    assert_eq!(left_out(&sexed, "Who is the father of Ida Fenn?", parents).await, ["father"]);
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

#[tokio::test]
async fn nobody_is_the_youngest_by_a_name() {
    let shop = caves().await;
    let by_trainer = "SELECT name FROM caver ORDER BY trained_by DESC LIMIT 1";
    let left = weighed(&shop, "Who is the youngest caver?", by_trainer, Nearness::default(), &[]).await.1;
    assert!(left.faults.contains(&"orders by no measure"), "{left:?}");
    let by_count = "SELECT trained_by FROM caver GROUP BY trained_by ORDER BY COUNT(*) DESC LIMIT 1";
    let left = weighed(&shop, "Who is the oldest caver?", by_count, Nearness::default(), &[]).await.1;
    assert!(left.faults.contains(&"orders by no measure"), "{left:?}");
    // `trained_by` and `designed_by` do not abbreviate "birth year".
    for table in ["caver", "cave"] {
        let bound = shop.bound(&format!("SELECT name FROM {table} ORDER BY birth_year DESC LIMIT 1"));
        assert!(bound.is_err(), "{bound:?}");
    }
}

#[tokio::test]
async fn the_end_of_an_attribute_says_nothing() {
    let shop = graph(
        ":p1 a :Clerk ; rdfs:label \"Ada Moor\" ; :email \"ada@x.test\" ; :homeTown :t . \
                      :t a :Town ; rdfs:label \"Alder\" .",
    )
    .await;
    let left = async |question: &'static str, sql: &'static str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.names
    };
    let mail = "SELECT email FROM clerk WHERE name = 'Ada Moor'";
    assert!(left("What is the mail address of Ada Moor?", mail).await.is_empty());
    let town = "SELECT home_town FROM clerk WHERE name = 'Ada Moor'";
    assert_eq!(left("What is the town code of Ada Moor?", town).await, ["code"]);
}

#[tokio::test]
async fn the_things_named_are_not_those_asked_for() {
    let shop = caves().await;
    let only_named = "gives only things that the question names";
    let faults = async |question: &'static str, sql: &'static str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.faults.contains(&only_named)
    };
    let leaders = "SELECT name FROM caver WHERE name IN ('Ada Moor', 'Bo Ley')";
    assert!(faults("Which expeditions had Ada Moor or Bo Ley as the leader?", leaders).await);
    // A choice of the two.
    let choice = "SELECT name FROM caver WHERE name IN ('Ada Moor', 'Bo Ley') ORDER BY salary DESC LIMIT 1";
    assert!(!faults("Who earns more, Ada Moor or Bo Ley?", choice).await);
    let both = "SELECT name FROM caver WHERE name IN ('Ada Moor', 'Bo Ley') AND salary > 30";
    assert!(!faults("Do Ada Moor and Bo Ley earn more than 30?", both).await);
}

#[tokio::test]
async fn the_head_is_not_the_deputy_head() {
    let shop = caves().await;
    let led = "SELECT led_by FROM expedition WHERE name = 'Winter Camp'";
    let faults = async |question: &'static str| {
        weighed(&shop, question, led, Nearness::default(), &[]).await.1.faults.contains(&"takes another role")
    };
    assert!(faults("Who was the deputy leader of the Winter Camp?").await);
    assert!(!faults("Who was the leader of the Winter Camp?").await);
}

#[tokio::test]
async fn a_word_of_several_names_is_heeded() {
    let shop = graph(
        ":i1 a :Instrument ; rdfs:label \"Manoris 100 calibrator\" ; :weight 4 . \
         :i2 a :Instrument ; rdfs:label \"Manoris 200 calibrator\" ; :weight 5 . \
         :i3 a :Instrument ; rdfs:label \"Gasor 20 meter\" ; :weight 6 .",
    )
    .await;
    let asked = "Which Manoris instruments weigh more than 4 kg?";
    let all = "SELECT name FROM instrument WHERE weight > 4";
    let left = async |sql: &'static str| weighed(&shop, asked, sql, Nearness::default(), &[]).await.1.checks;
    assert!(left(all).await.contains(&"leaves out a name"));
    let those = "SELECT name FROM instrument WHERE weight > 4 AND name LIKE 'Manoris%'";
    assert!(!left(those).await.contains(&"leaves out a name"));
}

/// Perfumes, the houses that made them, and lots whose names all begin alike.
async fn perfumery() -> Shop {
    graph(
        ":h1 a :House ; rdfs:label \"Verlane\" ; :basedIn \"Oslo\" . :h2 a :House ; rdfs:label \"Aubrac\" ; :basedIn \"Oslo\" . \
         :p1 a :Perfume ; rdfs:label \"Old Reed\" ; :madeBy :h1 . :p2 a :Perfume ; rdfs:label \"Ombre\" ; :madeBy :h1 . \
         :p3 a :Perfume ; rdfs:label \"Rivage\" ; :madeBy :h2 . \
         :l1 a :Harvest ; rdfs:label \"Lot A1\" ; :kilos 3 . :l2 a :Harvest ; rdfs:label \"Lot A2\" ; :kilos 4 . \
         :l3 a :Harvest ; rdfs:label \"Lot B1\" ; :kilos 5 . :l4 a :Harvest ; rdfs:label \"Lot B2\" ; :kilos 6 . \
         :l5 a :Harvest ; rdfs:label \"Lot C1\" ; :kilos 7 .",
    )
    .await
}

#[tokio::test]
async fn perfume_houses_are_houses() {
    let shop = perfumery().await;
    let checks = async |question: &'static str, sql: &'static str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.checks
    };
    let perfumes = "SELECT perfume.name FROM perfume JOIN house ON perfume.made_by = house.name \
                    WHERE house.based_in = 'Oslo'";
    let other = "asks for another kind";
    assert!(checks("Which perfume brands in Oslo are there?", perfumes).await.contains(&other));
    assert!(!checks("Which perfumes are made in Oslo?", perfumes).await.contains(&other));
    let counted = "counts another kind";
    let houses = "SELECT COUNT(DISTINCT perfume.made_by) FROM perfume JOIN house \
                  ON perfume.made_by = house.name WHERE house.based_in = 'Oslo'";
    let asked = "How many different perfumes come from houses based in Oslo?";
    assert!(checks(asked, houses).await.contains(&counted));
    assert!(!checks("How many houses in Oslo make perfumes?", houses).await.contains(&counted));
}

#[tokio::test]
async fn of_two_kinds_side_by_side_the_second_is_counted() {
    let shop = graph(
        ":v1 a :Vessel ; rdfs:label \"Tern\" . :v2 a :Vessel ; rdfs:label \"Gull\" . \
         :i1 a :Inspection ; :ofVessel :v1 ; :result \"failed\" . :i2 a :Inspection ; :ofVessel :v1 ; :result \"passed\" . \
         :i3 a :Inspection ; :ofVessel :v2 ; :result \"failed\" .",
    )
    .await;
    let checks = async |question: &'static str, sql: &'static str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.checks
    };
    let counted = "counts another kind";
    let inspections = "SELECT COUNT(*) FROM inspection WHERE result = 'failed'";
    let vessels = "SELECT COUNT(DISTINCT of_vessel) FROM inspection WHERE result = 'failed'";
    assert!(!checks("How many vessel inspections failed?", inspections).await.contains(&counted));
    assert!(checks("How many vessel inspections failed?", vessels).await.contains(&counted));
    let named = "SELECT COUNT(DISTINCT name) FROM inspection WHERE result = 'failed'";
    assert!(checks("How many vessels failed inspections?", named).await.contains(&counted));
}

#[tokio::test]
async fn things_of_links_are_ordered_once() {
    let shop = graph(
        ":a1 a :Artist ; rdfs:label \"Ada\" ; :born 1950 . :a2 a :Artist ; rdfs:label \"Bo\" ; :born 1960 . \
         :p1 a :Perfume ; rdfs:label \"Ombre\" ; :composedBy :a1, :a2 . \
         :p2 a :Perfume ; rdfs:label \"Reed\" ; :composedBy :a1 .",
    )
    .await;
    let second = "SELECT composed_by FROM perfume_composed_by JOIN artist ON composed_by = artist.name \
                  ORDER BY artist.born LIMIT 1 OFFSET 1";
    assert_eq!(asked_rows(&shop, "Who is the second oldest artist?", second).await, ["Bo"]);
}

#[tokio::test]
async fn each_type_of_hive_is_not_each_hive() {
    let hives = ":h1 a :Hive ; rdfs:label \"Cabin\" ; :hiveStyle \"Skep\" . :h2 a :Hive ; rdfs:label \"Drum\" ; :hiveStyle \"Dadant\" . \
         :l1 a :Lot ; rdfs:label \"L1\" ; :takenFrom :h1 ; :kg 3 . :l2 a :Lot ; rdfs:label \"L2\" ; :takenFrom :h2 ; :kg 4 .";
    let plain = graph(&hives.replace("hiveStyle", "colour")).await;
    let hives = graph(hives).await;
    let by_hive = "SELECT taken_from, AVG(kg) FROM lot GROUP BY taken_from";
    let asked = "What is the average of kg for each type of hive?";
    let other = "groups by another thing";
    let checks = async |shop: &Shop, question: &'static str, sql: &'static str| {
        weighed(shop, question, sql, Nearness::default(), &[]).await.1.checks.contains(&other)
    };
    assert!(checks(&hives, asked, by_hive).await);
    assert!(!checks(&hives, "What is the average of kg for each hive?", by_hive).await);
    let by_style = "SELECT hive.hive_style, AVG(lot.kg) FROM lot JOIN hive ON lot.taken_from = hive.name \
                    GROUP BY hive.hive_style";
    assert!(!checks(&hives, asked, by_style).await);
    // Where things have no types, they may be types themselves.
    assert!(!checks(&plain, asked, by_hive).await);
}

#[tokio::test]
async fn somebodys_father_is_no_child() {
    let dogs = graph(
        ":d1 a :Dog ; rdfs:label \"Rook\" ; :sire :d3 . :d2 a :Dog ; rdfs:label \"Tyne\" ; :sire :d1 . \
         :d3 a :Dog ; rdfs:label \"Flint\" .",
    )
    .await;
    let children = "SELECT name FROM dog WHERE sire = 'Rook'";
    let sire = "SELECT sire FROM dog WHERE name = 'Rook'";
    for asked in ["Who is Rook's father?", "Who is the father of Rook?", "What is Rook's sire?"] {
        let faults = async |sql: &'static str| {
            let left = weighed(&dogs, asked, sql, Nearness::default(), &[]).await.1;
            left.faults.contains(&"takes a relation from its other end")
        };
        assert!(faults(children).await, "{asked}");
        assert!(!faults(sire).await, "{asked}");
    }
}

#[tokio::test]
async fn a_word_that_all_names_share_names_the_kind() {
    let shop = perfumery().await;
    let left = async |question: &'static str| {
        let sql = "SELECT name FROM harvest ORDER BY kilos DESC LIMIT 1";
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.names
    };
    assert!(left("What is the lot with the most kilos?").await.is_empty());
    assert_eq!(left("What is the barrel with the most kilos?").await, ["barrel"]);
    assert!(shop.values.parts("the biggest lot", |_| false).is_empty());
    assert_eq!(shop.values.names_sharing("lots").len(), 1);
    assert!(shop.values.names_sharing("barrels").is_empty());
}
