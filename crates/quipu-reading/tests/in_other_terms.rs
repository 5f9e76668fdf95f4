//! What questions say besides what they ask: provisos, choices, kinds and events in other terms.

use crate::common::checks::{doubts, graph, unsaid, weighed};
use crate::common::{Shop, answers, asked_rows, read};
use quipu_reading::{Nearness, role_not_given};

/// Works of a firm: plants, their staff and the departments, with some gaps.
async fn firm() -> Shop {
    graph(
        ":l a :Department ; rdfs:label \"Logistics\" . :f a :Department ; rdfs:label \"Finance\" . \
         :e1 a :Employee ; rdfs:label \"Ada Lund\" ; :memberOf :l ; :hireDate \"2010-03-01\"^^xsd:date ; \
             :salary 30000 ; :jobTitle \"clerk\" ; :skill \"sums\", \"maps\" ; :leftOn \"2020-01-01\"^^xsd:date . \
         :e2 a :Employee ; rdfs:label \"Bo Karl\" ; :memberOf :l ; :reportsTo :e1 ; :salary 40000 ; \
             :jobTitle \"clerk\" ; :email \"bo@firm.example\" . \
         :e3 a :Employee ; rdfs:label \"Cy Mott\" ; :memberOf :f ; :reportsTo :e1 ; :salary 50000 ; \
             :jobTitle \"driver\" ; :hireDate \"2015-03-01\"^^xsd:date . \
         :p1 a :Site ; rdfs:label \"Norburg\" ; :category \"town\" ; :in :p3 . \
         :p2 a :Site ; rdfs:label \"Sudby\" ; :category \"town\" ; :in :p4 ; :foundedIn 854 . \
         :p3 a :Site ; rdfs:label \"Vordia\" ; :category \"country\" . \
         :p4 a :Site ; rdfs:label \"Mellia\" ; :category \"country\" ; :foundedIn 1190 .",
    )
    .await
}

#[tokio::test]
async fn a_proviso_says_no_more_than_its_condition() {
    let shop = firm().await;
    let sql = "SELECT AVG(salary) FROM employee WHERE job_title = 'clerk' AND left_on IS NULL";
    for question in [
        "What is the mean salary of a clerk, counting only those who have not left?",
        "mean yearly salary of a clerk? only those who haven't left",
        "Looking only at clerks who have not left, what is the average salary?",
    ] {
        assert!(doubts(&shop, question, sql).await.is_empty(), "{question}");
    }
    let all = "SELECT AVG(salary) FROM employee WHERE job_title = 'clerk'";
    let question = "the average salary of a clerk, only those who have not left";
    assert_eq!(doubts(&shop, question, all).await, ["not", "left"]);
    let known = "the average salary of a clerk, just count those where the figure is known";
    assert!(doubts(&shop, known, all).await.is_empty());
    assert_eq!(doubts(&shop, "Who has only one clerk?", "SELECT name FROM department").await, ["only"]);
    let either = "Which clerks left or not?";
    assert!(doubts(&shop, either, "SELECT name FROM employee WHERE job_title = 'clerk'").await.is_empty());
}

#[tokio::test]
async fn a_value_that_must_be_known_is_not_empty() {
    let shop = firm().await;
    let sql = "SELECT name, hire_date FROM employee";
    let rows = async |question: &str| asked_rows(&shop, question, sql).await.len();
    assert_eq!(rows("staff with their hire date, only those where the hire date is known").await, 2);
    assert_eq!(rows("staff with their hire date").await, 3);
}

#[tokio::test]
async fn a_choice_of_two_is_answered_by_one_of_them() {
    let shop = firm().await;
    let more = "SELECT (SELECT COUNT(*) FROM employee WHERE member_of = 'Logistics') > \
                (SELECT COUNT(*) FROM employee WHERE member_of = 'Finance')";
    assert_eq!(answers(&shop, "Does Logistics or Finance have more employees?", more).await, ["Logistics"]);
    assert_eq!(answers(&shop, "Does Logistics or Finance have fewer employees?", more).await, ["Finance"]);
    let other = "SELECT name FROM site WHERE name IN ('Norburg', 'Sudby') ORDER BY founded_in LIMIT 1";
    let faults =
        weighed(&shop, "Does Norburg or Sudby have fewer employees?", other, Nearness::default(), &[]);
    assert!(faults.await.1.faults.contains(&"gives something else"));
    let less = more.replace(") > (", ") - (");
    assert_eq!(answers(&shop, "Does Logistics or Finance have fewer employees?", &less).await, ["Finance"]);
    let question = "Does Logistics have more employees than Finance?";
    assert_eq!(answers(&shop, question, more).await, ["true"]);
}

#[tokio::test]
async fn a_kind_that_a_column_holds_is_asked_for() {
    let shop = firm().await;
    let all = "SELECT \"in\" FROM site WHERE name = 'Norburg'";
    assert_eq!(answers(&shop, "Which country is Norburg in?", all).await, ["Vordia"]);
    let itself = "SELECT name FROM site WHERE name = 'Norburg'";
    assert!(answers(&shop, "Which country has Norburg?", itself).await.is_empty());
    let sites = "SELECT name FROM site WHERE founded_in IS NOT NULL";
    assert_eq!(answers(&shop, "Which towns have a founding year?", sites).await, ["Sudby"]);
}

#[tokio::test]
async fn a_date_of_another_event_is_doubted() {
    let shop = firm().await;
    let faults = async |question: &str, sql: &str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.faults
    };
    let hired = "SELECT hire_date FROM employee WHERE name = 'Cy Mott'";
    assert!(faults("On what day was Cy Mott born?", hired).await.contains(&"gives another event"));
    assert!(faults("When did Cy Mott join?", hired).await.is_empty());
}

#[tokio::test]
async fn a_boss_is_who_somebody_reports_to() {
    let shop = firm().await;
    let query = |sql: &str| shop.bound(sql).unwrap().query;
    let question = "who is the boss of Bo Karl";
    let reports = query("SELECT reports_to FROM employee WHERE name = 'Bo Karl'");
    assert_eq!(role_not_given(question, &reports, &shop.tables), None);
    let title = query("SELECT job_title FROM employee WHERE name = 'Bo Karl'");
    assert!(role_not_given(question, &title, &shop.tables).is_some());
}

#[tokio::test]
async fn slips_that_change_what_is_counted_are_doubted() {
    let shop = firm().await;
    let faults = async |question: &str, sql: &str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.faults
    };
    let itself = "SELECT COUNT(*) FROM employee WHERE name IN \
                  (SELECT name FROM employee WHERE name = 'Ada Lund')";
    let counts = "counts only the thing itself";
    assert!(faults("Count the grandchildren of Ada Lund.", itself).await.contains(&counts));
    let links = "SELECT COUNT(*) FROM employee_skill WHERE employee = 'Ada Lund'";
    assert!(!faults("How many skills has Ada Lund?", links).await.contains(&counts));
    let lacks = "SELECT name FROM employee WHERE left_on IS NULL ORDER BY hire_date LIMIT 1";
    let unasked = "states a lack that nobody asked for";
    assert!(faults("Which employee was hired first?", lacks).await.contains(&unasked));
    assert!(!faults("Which current employee was hired first?", lacks).await.contains(&unasked));
    let each = "SELECT job_title, salary FROM employee GROUP BY job_title, salary";
    let extreme = "leaves out an extreme";
    assert!(faults("priciest employee of each job title", each).await.contains(&extreme));
}

#[tokio::test]
async fn small_numbers_of_a_founding_are_years() {
    let shop = firm().await;
    let sql = "SELECT name FROM site ORDER BY founded_in LIMIT 1";
    assert_eq!(answers(&shop, "Which site was founded first?", sql).await, ["Sudby"]);
    let faults = weighed(&shop, "Which site was founded last?", sql, Nearness::default(), &[]).await.1.faults;
    assert!(!faults.contains(&"uses another measure"), "{faults:?}");
}

#[tokio::test]
async fn an_article_tells_two_things_apart() {
    let shop = graph(
        ":a a :Film ; rdfs:label \"Paper Clock\" ; :genre \"horror\" . \
         :b a :Film ; rdfs:label \"The Paper Clock\" ; :genre \"comedy\" .",
    )
    .await;
    let sql = "SELECT genre FROM film WHERE name = 'The Paper Clock'";
    assert_eq!(answers(&shop, "What sort of film is Paper Clock?", sql).await, ["horror"]);
    assert_eq!(answers(&shop, "What sort of film is The Paper Clock?", sql).await, ["comedy"]);
    let bare = "SELECT genre FROM film WHERE name = 'Paper Clock'";
    assert_eq!(answers(&shop, "What sort of film is The Paper Clock?", bare).await, ["comedy"]);
}

/// Towns, clubs and people without types: towns and clubs share a relation.
async fn world() -> Shop {
    let mut lines = Vec::new();
    for (at, name) in ["Arle", "Borg", "Cray", "Dunn"].iter().enumerate() {
        lines.push(format!("{name}\tlies in\tNorland"));
        lines.push(format!("{name}\tfounded in\t{}", 1200 + at * 10));
        lines.push(format!("{name} Club\tfounded in\t{}", 1100 + at * 100));
        lines.push(format!("{name} Club\tplays at\t{name}"));
        lines.push(format!("Pat {name}\tborn in\t{name}"));
        lines.push(format!("Pat {name}\tmember of\t{name} Club"));
    }
    lines.push("Egge\tlies in\tNorland".to_owned());
    Shop::of("world.tsv", &lines.join("\n")).await.unwrap()
}

#[tokio::test]
async fn kinds_that_share_one_relation_are_two_tables() {
    let world = world().await;
    let columns = |of: &str| -> Vec<String> {
        let tables = world.tables.tables.iter().filter(|table| !table.is_links());
        let of_table = tables.map(|table| table.columns.iter().map(|column| column.title.clone()).collect());
        of_table.into_iter().find(|columns: &Vec<String>| columns.iter().any(|title| title == of)).unwrap()
    };
    assert!(columns("lies in").contains(&"founded in".to_owned()));
    assert!(columns("plays at").contains(&"founded in".to_owned()));
    assert!(!columns("plays at").contains(&"lies in".to_owned()));
    let id = |of: &str| {
        let is_it = |table: &&quipu_query::Table| table.columns.iter().any(|column| column.title == of);
        world.tables.tables.iter().find(is_it).map(|table| table.id.clone()).unwrap()
    };
    let (towns, clubs) = (id("lies in"), id("plays at"));
    let early = |table: &str| format!("SELECT name FROM {table} WHERE founded_in < 1215");
    assert_eq!(world.lines(&early(&towns)).await, ["Arle", "Borg"]);
    assert_eq!(world.lines(&early(&clubs)).await, ["Arle Club", "Borg Club"]);
    let all = format!("SELECT COUNT(*) FROM {towns}");
    assert_eq!(world.lines(&all).await, ["5"]);
    let both = format!(
        "SELECT c.name, t.founded_in FROM {clubs} c JOIN {towns} t ON c.plays_at = t.name \
         WHERE c.founded_in > t.founded_in ORDER BY c.name"
    );
    assert_eq!(world.lines(&both).await, ["Cray Club | 1220", "Dunn Club | 1230"]);
}

/// A seed bank: sites, accessions, staff and their tests.
async fn bank() -> Shop {
    graph(
        ":s1 a :Site ; rdfs:label \"Pico Lobo\" ; :country \"Spain\" ; :elev_m 1900 ; :funder :u . \
         :s2 a :Site ; rdfs:label \"Sierra Calva\" ; :country \"Spain\" ; :elev_m 900 . \
         :u a :University ; rdfs:label \"Ossory Institute\" . \
         :v a :University ; rdfs:label \"Lund School\" . \
         :a1 a :Accession ; rdfs:label \"AC41\" ; :site :s1 ; :seeds 16701 ; \
             :collected \"2009-08-16\"^^xsd:date ; :meanYield 3.5 . \
         :a2 a :Accession ; rdfs:label \"AC42\" ; :site :s2 ; :seeds 900 ; \
             :collected \"2012-08-16\"^^xsd:date ; :meanYield 4.5 . \
         :t1 a :Trial ; rdfs:label \"T1\" ; :of :a1 ; :germ_pct 98 ; :day \"2019-02-01\"^^xsd:date ; :by :p . \
         :t2 a :Trial ; rdfs:label \"T2\" ; :of :a2 ; :germ_pct 40 ; :day \"2020-02-01\"^^xsd:date ; :by :p . \
         :p a :Person ; rdfs:label \"Uwe Voss\" .",
    )
    .await
}

#[tokio::test]
async fn when_is_no_number_and_the_highest_no_date() {
    let bank = bank().await;
    let faults = async |question: &str, sql: &str| {
        weighed(&bank, question, sql, Nearness::default(), &[]).await.1.faults
    };
    let seeds = "SELECT seeds FROM accession WHERE name = 'AC41'";
    assert!(faults("When were the seeds of AC41 gathered?", seeds).await.contains(&"gives no date"));
    let year = "In which year was AC41 gathered?";
    assert!(!doubts(&bank, year, seeds).await.is_empty());
    let date = "SELECT collected FROM accession WHERE name = 'AC41'";
    assert!(doubts(&bank, year, date).await.is_empty());
    assert!(!faults("When were the seeds of AC41 gathered?", date).await.contains(&"gives no date"));
    let latest = "SELECT site FROM accession ORDER BY collected DESC LIMIT 1";
    let measure = "uses another measure";
    let found = faults("What is the highest site in Spain?", latest).await;
    assert!(
        found.contains(&measure),
        "{found:?} {}",
        read(&bank, "What is the highest site in Spain?", latest).query
    );
    assert!(!faults("Which site was visited latest?", latest).await.contains(&measure));
    let tests = "SELECT name FROM trial WHERE \"by\" = 'Uwe Voss'";
    assert!(faults("Who worked with Uwe Voss?", tests).await.contains(&"asks for another kind"));
}

#[tokio::test]
async fn a_year_or_later_has_no_end() {
    let bank = bank().await;
    let since = "SELECT name FROM accession WHERE collected >= '2009-01-01'";
    assert_eq!(
        answers(&bank, "Which accessions were collected in 2009 or later?", since).await,
        ["AC41", "AC42"]
    );
    assert_eq!(answers(&bank, "Which accessions were collected in 2009?", since).await, ["AC41"]);
}

#[tokio::test]
async fn a_column_may_state_the_share_or_the_average() {
    let bank = bank().await;
    let over = "SELECT name FROM trial WHERE germ_pct > 97";
    assert!(doubts(&bank, "Which trials have a result over 97 percent?", over).await.is_empty());
    let rate = "SELECT AVG(germ_pct) FROM trial";
    assert!(doubts(&bank, "What is the average germination rate of the trials?", rate).await.is_empty());
    let most = "SELECT name FROM accession ORDER BY mean_yield DESC LIMIT 1";
    assert!(doubts(&bank, "Which accession yields the most on average?", most).await.is_empty());
    let seeds = "SELECT name FROM accession ORDER BY seeds DESC LIMIT 1";
    assert_eq!(doubts(&bank, "Which accession has the most seeds on average?", seeds).await, ["average"]);
    let took = "SELECT site FROM accession WHERE name = 'AC41'";
    assert!(doubts(&bank, "AC41 took over from AC40. Which site is it from?", took).await.is_empty());
    let ranked = "SELECT name, seeds FROM accession ORDER BY seeds DESC LIMIT 2";
    let question = "Rank the two accessions with the most seeds, from the highest down";
    let near = Nearness { asked: [("down".to_owned(), 0.1)].into(), ..Nearness::default() };
    assert!(weighed(&bank, question, ranked, near, &[]).await.1.faults.is_empty());
}

#[tokio::test]
async fn what_things_lack_is_not_given() {
    let bank = bank().await;
    let faults = async |question: &str, sql: &str| {
        weighed(&bank, question, sql, Nearness::default(), &[]).await.1.faults
    };
    let given = "SELECT name FROM university WHERE name NOT IN (SELECT funder FROM site)";
    let denied = "gives what the question denies";
    assert!(faults("Which digs have no funding university?", given).await.contains(&denied));
    assert!(!faults("Which universities fund no site?", given).await.contains(&denied));
}

#[tokio::test]
async fn a_thing_has_no_measure_of_another() {
    let world = world().await;
    let id = |of: &str| {
        let is_it = |table: &&quipu_query::Table| table.columns.iter().any(|column| column.title == of);
        world.tables.tables.iter().find(is_it).map(|table| table.id.clone()).unwrap()
    };
    let (towns, people) = (id("lies in"), id("born in"));
    let sql = format!(
        "SELECT t.founded_in FROM {people} p JOIN {towns} t ON p.born_in = t.name WHERE p.name = 'Pat Borg'"
    );
    let found = unsaid(&world, "When was Pat Borg founded?", &sql).await;
    assert_eq!(found, ["founded in"], "{}", read(&world, "When was Pat Borg founded?", &sql).query);
    assert!(unsaid(&world, "When was the town where Pat Borg was born founded?", &sql).await.is_empty());
    let own = format!("SELECT founded_in FROM {towns} WHERE name = 'Borg'");
    assert!(unsaid(&world, "When was Borg founded?", &own).await.is_empty());
}

#[tokio::test]
async fn a_whole_name_of_another_thing_is_no_typing_error() {
    let fleet = graph(
        ":b a :Boat ; rdfs:label \"Alder Belle\" ; :carries \"barley\" . \
         :i a :Inn ; rdfs:label \"Alder Bell\" ; :beds 4 .",
    )
    .await;
    let carries = |name: &str| format!("SELECT carries FROM boat WHERE name = '{name}'");
    let refused = fleet.bound(&carries("Alder Bell")).unwrap_err().to_string();
    assert_eq!(refused, "the graph has no Boat called 'Alder Bell'");
    assert_eq!(fleet.lines(&carries("Alder Bele")).await, ["barley"]);
}

#[tokio::test]
async fn extremes_in_other_words() {
    let shop = graph(
        ":l1 a :Lock ; rdfs:label \"Top Lock\" ; :riseInMetres 4 ; :lit \"1855-03-03\"^^xsd:date ; :wide_m 3 . \
         :l2 a :Lock ; rdfs:label \"Low Lock\" ; :riseInMetres 2 ; :lit \"1755-03-03\"^^xsd:date ; :wide_m 5 . \
         :s1 a :Species ; rdfs:label \"Camel\" ; :maxLifespanYears 50 . \
         :s2 a :Species ; rdfs:label \"Flamingo\" ; :maxLifespanYears 80 . \
         :w a :Wreck ; rdfs:label \"Queen Maid\" ; :depthInMetres 105 ; :rangeInMiles 4 .",
    )
    .await;
    let faults = async |question: &str, sql: &str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.faults
    };
    let rise = "SELECT name FROM lock ORDER BY rise_in_metres DESC LIMIT 1";
    for question in [
        "What's the deepest lock of all, I mean the one with the greatest rise?",
        "What's the deepest lock, i.e. the one with the greatest rise?",
    ] {
        assert!(!faults(question, rise).await.contains(&"leaves out an extreme"), "{question}");
    }
    let lit = "SELECT name FROM lock ORDER BY lit LIMIT 1";
    let measure = "uses another measure";
    assert!(!faults("Which lock has been around the longest?", lit).await.contains(&measure));
    let oldest = "SELECT name FROM species ORDER BY max_lifespan_years LIMIT 1";
    assert_eq!(answers(&shop, "Which species can get the oldest?", oldest).await, ["Flamingo"]);
    let depth = "SELECT depth_in_metres FROM wreck WHERE name = 'Queen Maid'";
    let question = "how far below the surface does the Queen Maid lie";
    assert!(!faults(question, depth).await.contains(&measure));
}

/// The naming words that a reading leaves out.
async fn left_out(shop: &Shop, question: &str, sql: &str) -> Vec<String> {
    weighed(shop, question, sql, Nearness::default(), &[]).await.1.names
}

#[tokio::test]
async fn steps_in_other_words_are_steps() {
    let shop = graph(
        ":k1 a :Keeper ; rdfs:label \"Verna Olsander\" ; :parent :k2 . \
         :k2 a :Keeper ; rdfs:label \"Nils Rothworth\" ; :postedAt :h . \
         :h a :Lighthouse ; rdfs:label \"Fog Stack\" ; :material \"granite\" . \
         :w a :Wreck ; rdfs:label \"Golden Rose\" ; :nearest :h .",
    )
    .await;
    let faults = async |question: &str, sql: &str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.faults
    };
    let posted = "SELECT name FROM keeper WHERE posted_at = 'Fog Stack'";
    let question = "Which keepers had a father or mother who was stationed at Fog Stack?";
    assert!(faults(question, posted).await.contains(&"leaves out a column"));
    let parents =
        "SELECT name FROM keeper WHERE parent IN (SELECT name FROM keeper WHERE posted_at = 'Fog Stack')";
    assert!(faults(question, parents).await.is_empty());
    let children = "SELECT posted_at FROM keeper WHERE name = 'Nils Rothworth'";
    let question = "Where were the children whose father was Nils Rothworth stationed?";
    assert!(faults(question, children).await.contains(&"leaves out a column"));
    let nearest = "SELECT nearest FROM wreck WHERE name = 'Golden Rose'";
    let step = "leaves out a step";
    assert!(faults("What is the lighthouse next to the Golden Rose made of?", nearest).await.contains(&step));
    assert!(!faults("What is the lighthouse next to the Golden Rose?", nearest).await.contains(&step));
    // A parent may be the father: the question leaves no doubt that the mother is meant.
    let parent = "SELECT parent FROM keeper WHERE name = 'Verna Olsander'";
    assert_eq!(left_out(&shop, "Who is the mother of Verna Olsander?", parent).await, ["mother"]);
}

#[tokio::test]
async fn names_say_what_their_things_are() {
    let world = world().await;
    let at = |of: &str| {
        let is_it = |table: &quipu_query::Table| table.columns.iter().any(|column| column.title == of);
        world.tables.tables.iter().position(is_it).unwrap()
    };
    let (clubs, towns) = (at("plays at"), at("lies in"));
    assert_eq!(world.values.last_word(clubs).as_deref(), Some("club"));
    assert_eq!(world.values.last_word(towns), None);
    assert!(world.values.names_contain(clubs, "club") && !world.values.names_contain(towns, "club"));
    assert_eq!(world.values.some_names(towns, 3).len(), 3);
    // Names with one last word say no more than one of them.
    assert_eq!(world.values.some_names(clubs, 3).len(), 1);
    // A name without a word, such as that of the film "???", says nothing.
    let films = graph(
        ":f1 rdfs:label \"???\" ; :year 1990 . :f2 rdfs:label \"!!!\" ; :year 1991 . :f3 rdfs:label \"...\" ; :year 1992 .",
    )
    .await;
    assert_eq!(films.values.last_word(0), None);
    assert!(!films.values.names_end_with(0, "club") && world.values.names_end_with(clubs, "club"));
}

#[tokio::test]
async fn a_likelier_query_without_rows_is_believed() {
    use crate::common::checks::candidate;
    use quipu_reading::{TableQuestion, features};
    let shop = graph(
        ":l a :Lock ; rdfs:label \"Rowan Lock\" ; :keeper :k ; :canal :c . \
         :c a :Canal ; rdfs:label \"Umber Cut\" ; :engineer :e . \
         :k a :Person ; rdfs:label \"Kit Ogden\" . \
         :e a :Person ; rdfs:label \"Abel Cragg\" ; :livesIn \"Juniper Magna\" .",
    )
    .await;
    let question = "In which town does the keeper of Rowan Lock live?";
    let near = Nearness::default();
    let straight =
        "SELECT p.lives_in FROM lock l JOIN person p ON l.keeper = p.name WHERE l.name = 'Rowan Lock'";
    let around = "SELECT p.lives_in FROM lock l JOIN canal c ON l.canal = c.name \
                  JOIN person p ON c.engineer = p.name WHERE l.name = 'Rowan Lock'";
    let mut of_keeper = candidate(&shop, question, straight, near.clone()).await;
    let mut of_engineer = candidate(&shop, question, around, near).await;
    let asking = TableQuestion { text: question, tables: &shop.tables, values: &shop.values, named: &[] };
    let mut faults_of = |likelihoods: [f64; 2]| {
        of_keeper.likelihood = Some(likelihoods[0]);
        of_engineer.likelihood = Some(likelihoods[1]);
        features(&asking, &[of_keeper.clone(), of_engineer.clone()]).remove(1).1.faults
    };
    assert!(faults_of([-0.02, -0.1]).contains(&"a likelier query finds none"));
    assert!(!faults_of([-0.2, -0.1]).contains(&"a likelier query finds none"));
}
