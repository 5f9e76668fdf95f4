//! Slips of a small model that the question's words, or the tables alone, show.

use quipu_query::read_sql;
use quipu_query::{Doubt, Relevance, RenderConfig};
use quipu_reading::{Nearness, PathFit, TableQuestion, columns_lacking, features};

use crate::common::checks::{candidate, doubts, graph, weighed};
use crate::common::{self, Shop, answers};

/// A kitchen's dishes, and the keys of an allotment.
async fn village() -> Shop {
    graph(
        ":e1 a :Dish ; rdfs:label \"Pie\" ; :ingredient :i1, :i2 . :e2 a :Dish ; rdfs:label \"Soup\" ; :ingredient :i2, :i3 . \
         :e3 a :Dish ; rdfs:label \"Bread\" ; :ingredient :i1, :i4 . \
         :i1 a :Ingredient ; rdfs:label \"butter\" . :i2 a :Ingredient ; rdfs:label \"cream\" . \
         :i3 a :Ingredient ; rdfs:label \"leek\" . :i4 a :Ingredient ; rdfs:label \"flour\" . \
         :s1 a :Shed ; rdfs:label \"Old shed\" ; :keyHolder :m1 . :s2 a :Shed ; rdfs:label \"Gate shed\" . \
         :m1 a :Member ; rdfs:label \"Ida Falk\" ; :joined \"2010-02-01\"^^xsd:date ; :birthDate \"1990-05-05\"^^xsd:date . \
         :m2 a :Member ; rdfs:label \"Jon Gray\" ; :joined \"2021-02-01\"^^xsd:date ; :birthDate \"1950-05-05\"^^xsd:date . \
         :p1 a :PolicyHolder ; rdfs:label \"Kim Hart\" ; :joined \"2011-01-01\"^^xsd:date ; :birthDate \"1980-01-01\"^^xsd:date . \
         :p2 a :PolicyHolder ; rdfs:label \"Leo Imhof\" ; :joined \"2019-01-01\"^^xsd:date ; :birthDate \"1944-01-01\"^^xsd:date . \
         :a1 a :Package ; rdfs:label \"kelp\" ; :version \"5.0.0\" ; :license \"MIT\" . \
         :a2 a :Package ; rdfs:label \"brine\" ; :version \"1.2.0\" ; :license \"MIT\" . \
         :c1 a :Cat ; rdfs:label \"Misty\" ; :owner :m1 ; :age 4 . :c2 a :Dog ; rdfs:label \"Rex\" ; :owner :m2 ; :age 7 . \
         :b1 a :Book ; rdfs:label \"Dunes\" . :o1 a :Loan ; :book :b1 ; :borrower :m1 ; :returnedOn \"2024-01-01\"^^xsd:date . \
         :o2 a :Loan ; :book :b1 ; :borrower :m2 . \
         :w1 a :Paper ; rdfs:label \"Glass\" ; :author :m1, :m2 ; :venue \"Icra\" . \
         :w2 a :Paper ; rdfs:label \"Grip\" ; :author :m1 ; :venue \"Iros\" . \
         :j1 a :Project ; rdfs:label \"Long\" ; :start \"2015-01-01\"^^xsd:date ; :end \"2019-01-01\"^^xsd:date . \
         :j2 a :Project ; rdfs:label \"Brief\" ; :start \"2015-01-01\"^^xsd:date ; :end \"2016-01-01\"^^xsd:date .",
    )
    .await
}

#[tokio::test]
async fn two_values_of_a_link_are_no_value_that_equals_both() {
    let shop = village().await;
    let both = "SELECT dish.name FROM dish_ingredient JOIN dish ON dish_ingredient.dish = dish.name \
                WHERE dish_ingredient.ingredient = 'butter' AND dish_ingredient.ingredient = 'cream'";
    assert_eq!(answers(&shop, "Which dishes use both butter and cream?", both).await, ["Pie"]);
    let count = "SELECT COUNT(*) FROM dish_ingredient WHERE ingredient = 'butter' AND ingredient = 'cream'";
    assert_eq!(answers(&shop, "How many dishes use butter and cream?", count).await, ["1"]);
    // A thing has one name, so that no thing has both.
    let names = "SELECT name FROM dish WHERE name = 'Pie' AND name = 'Soup'";
    assert!(answers(&shop, "Which dish is Pie and Soup?", names).await.is_empty());
}

#[tokio::test]
async fn who_holds_nothing_is_a_person() {
    let shop = village().await;
    let sheds = "SELECT name FROM shed WHERE key_holder IS NULL";
    assert_eq!(answers(&shop, "Who holds no key?", sheds).await, ["Jon Gray"]);
    assert_eq!(answers(&shop, "Which members hold no key?", sheds).await, ["Jon Gray"]);
    assert_eq!(answers(&shop, "Which sheds have no key holder?", sheds).await, ["Gate shed"]);
}

#[tokio::test]
async fn the_oldest_of_things_with_a_name_of_two_words() {
    let shop = village().await;
    let joined = "SELECT name FROM policy_holder ORDER BY joined LIMIT 1";
    assert_eq!(answers(&shop, "Who is the oldest policy holder?", joined).await, ["Leo Imhof"]);
    assert_eq!(answers(&shop, "Which policy holder joined first?", joined).await, ["Kim Hart"]);
}

#[tokio::test]
async fn the_latest_version_is_the_version() {
    let shop = village().await;
    let latest = "SELECT version FROM package WHERE name = 'kelp' ORDER BY version DESC LIMIT 1";
    assert!(doubts(&shop, "What is the latest version of kelp?", latest).await.is_empty());
    assert_eq!(doubts(&shop, "What is the version of the latest kelp?", latest).await, ["latest"]);
}

#[tokio::test]
async fn one_kind_does_not_stand_for_several() {
    let shop = village().await;
    let cats =
        "SELECT member.name, COUNT(*) FROM cat JOIN member ON cat.owner = member.name GROUP BY member.name";
    let near = |similarity: f64| Nearness {
        asked: [("animals".to_owned(), similarity)].into(),
        ..Nearness::default()
    };
    let asked = "How many animals does each member have?";
    let doubted = async |asked: &str, similarity: f64| {
        weighed(&shop, asked, cats, near(similarity), &[]).await.1.meanings
    };
    assert_eq!(doubted(asked, 0.5).await, ["animals"]);
    assert!(doubted(asked, 0.8).await.is_empty());
    assert!(doubted("How many cats does each member have?", 0.5).await.is_empty());
}

#[tokio::test]
async fn the_object_of_a_denied_verb_is_no_kind_that_is_denied() {
    let shop = village().await;
    let open = "SELECT borrower FROM loan WHERE returned_on IS NULL";
    assert!(doubts(&shop, "Who has not returned a book yet?", open).await.is_empty());
    assert!(doubts(&shop, "Who has borrowed no book?", open).await.contains(&"book".to_owned()));
}

#[tokio::test]
async fn a_share_is_of_those_with_a_value() {
    // Without types, coaches and players are rows of one table.
    let shop = Shop::of(
        "team.tsv",
        "Ana\tteam\tReds\nAna\tplays as\tstriker\nBen\tteam\tReds\nBen\tplays as\tkeeper\n\
         Cal\tteam\tReds\nDot\tteam\tBlues\nDot\tplays as\tstriker\nEve\tteam\tBlues\nEve\tplays as\tkeeper\n",
    )
    .await
    .unwrap();
    let table = shop.tables.tables.iter().find(|table| table.find("plays_as").is_some()).unwrap();
    let id = table.id.clone();
    let share =
        format!("SELECT 100.0 * SUM(CASE WHEN plays_as = 'striker' THEN 1 ELSE 0 END) / COUNT(*) FROM {id}");
    assert_eq!(answers(&shop, "What percentage of the players are strikers?", &share).await, ["50"]);
}

#[tokio::test]
async fn both_are_of_several_things_where_a_thing_has_one() {
    let shop = village().await;
    let of = |venue: &str| format!("paper IN (SELECT name FROM paper WHERE venue = '{venue}')");
    let both = format!("SELECT author FROM paper_author WHERE {} AND {}", of("Icra"), of("Iros"));
    assert_eq!(answers(&shop, "Who published at both Icra and Iros?", &both).await, ["Ida Falk"]);
    let direct = "SELECT paper_author.author FROM paper_author JOIN paper ON paper_author.paper = paper.name \
                  WHERE paper.venue = 'Icra' AND paper.venue = 'Iros'";
    assert_eq!(answers(&shop, "Who published at both Icra and Iros?", direct).await, ["Ida Falk"]);
    let either = "SELECT name FROM paper WHERE venue IN ('Icra', 'Iros') ORDER BY name";
    assert_eq!(doubts(&shop, "Which papers were at both Icra and Iros?", either).await, ["both"]);
    assert!(doubts(&shop, "Which papers were at Icra or Iros?", either).await.is_empty());
}

#[tokio::test]
async fn years_are_days_of_a_difference_of_dates() {
    let shop = village().await;
    let long = "SELECT name FROM project WHERE \"end\" - start > 365 * 3";
    let asked = "Which projects lasted longer than three years?";
    assert_eq!(answers(&shop, asked, long).await, ["Long"]);
    assert!(doubts(&shop, asked, long).await.is_empty());
}

#[tokio::test]
async fn all_of_them_means_each_of_them() {
    let shop = village().await;
    let count = |dish: &str, of: &str| {
        format!("(SELECT COUNT(*) FROM dish_ingredient WHERE dish = '{dish}' AND ingredient = '{of}')")
    };
    let among =
        |of: &str| format!("SELECT {} = {} = {}", count("Pie", of), count("Soup", of), count("Bread", of));
    let asked = "Do Pie, Soup and Bread all have cream?";
    assert_eq!(answers(&shop, asked, &among("cream")).await, ["false"]);
    assert_eq!(answers(&shop, "Do Pie, Soup and Bread all have salt?", &among("leek")).await, ["false"]);
    let number = |of: &str| format!("SELECT {} = 2 AND {} = 2", count("Pie", of), count("Bread", of));
    assert_eq!(answers(&shop, "Are Pie and Bread all with butter?", &number("butter")).await, ["true"]);
    // Two counts may be asked to be equal.
    let equal = format!("SELECT {} = {}", count("Soup", "butter"), count("Soup", "flour"));
    assert_eq!(answers(&shop, "Does Soup have as much butter as flour?", &equal).await, ["true"]);
}

#[tokio::test]
async fn a_join_by_a_made_up_column_goes_by_the_links() {
    let shop = village().await;
    let made_up = "SELECT dish.name FROM dish JOIN ingredient ON dish.uses = ingredient.id \
                   WHERE ingredient.name = 'leek'";
    assert_eq!(answers(&shop, "Which dish has leek?", made_up).await, ["Soup"]);
}

/// Two tables as a database exports them, each with a key of numbers.
#[tokio::test]
async fn a_key_of_another_table_is_a_reference_though_it_is_a_key_itself() {
    let shop = graph(
        ":r1 a :Restaurant ; rdfs:label \"Oak\" ; :id 1 ; :inCity :c1 . \
         :r2 a :Restaurant ; rdfs:label \"Elm\" ; :id 2 ; :inCity :c1 . \
         :l1 a :Location ; rdfs:label \"location 1\" ; :restaurantId 2 ; :street \"Main St\" ; :inCity :c1 . \
         :l2 a :Location ; rdfs:label \"location 2\" ; :restaurantId 1 ; :street \"High St\" ; :inCity :c1 . \
         :c1 a :City ; rdfs:label \"Lund\" . :restaurantId rdfs:label \"restaurant id\" .",
    )
    .await;
    let places = shop.tables.tables.iter().find(|table| table.id == "location").unwrap();
    let column = places.find("restaurant_id").unwrap();
    let (table, key) = places.columns[column].references.unwrap();
    let of = &shop.tables.tables[table];
    assert_eq!((of.id.as_str(), of.columns[key].id.as_str()), ("restaurant", "id"));
    let names = "SELECT name FROM restaurant WHERE name IN (SELECT restaurant_id FROM location WHERE street = 'Main St')";
    assert_eq!(answers(&shop, "Which restaurant is in Main St?", names).await, ["Elm"]);
    let joined = "SELECT restaurant.name FROM restaurant JOIN location ON restaurant.name = location.restaurant_id \
                  WHERE location.street = 'High St'";
    assert_eq!(answers(&shop, "Which restaurant is in High St?", joined).await, ["Oak"]);
}

#[tokio::test]
async fn rows_of_a_table_that_nobody_mentions_repeat_no_amount() {
    let shop = Shop::open().await.unwrap();
    let average = "SELECT AVG(product.price) FROM product JOIN \"order\" ON \"order\".of = product.name \
                   WHERE product.supplier = 'Acme'";
    assert_eq!(answers(&shop, "What is the average price of Acme's products?", average).await, ["100"]);
    assert_eq!(answers(&shop, "What is the average price of Acme's orders?", average).await, ["120"]);
}

#[tokio::test]
async fn a_difference_of_times_has_the_unit_that_is_asked_for() {
    let shop = graph(
        ":s1 a :Session ; :start \"2024-01-31T23:30:00\"^^xsd:dateTime ; :end \"2024-02-01T00:15:30\"^^xsd:dateTime . \
         :s2 a :Session ; :start \"2024-01-31T10:00:00\"^^xsd:dateTime ; :end \"2024-01-31T10:30:30\"^^xsd:dateTime .",
    )
    .await;
    let average = "SELECT AVG(\"end\" - start) FROM session";
    let asked = |question: &'static str| answers(&shop, question, average);
    assert_eq!(asked("What is the average session duration in seconds?").await, ["2280"]);
    assert_eq!(asked("How many minutes does a session last on average?").await, ["38"]);
    assert_eq!(asked("How many days does a session last on average?").await, ["0.5"]);
}

#[tokio::test]
async fn a_bound_holds_its_number_only_where_the_question_does() {
    let shop = Shop::open().await.unwrap();
    let between = "SELECT name FROM product WHERE price BETWEEN 80 AND 120 ORDER BY name";
    let asked = |question: &'static str, sql: &'static str| answers(&shop, question, sql);
    let none = asked("Which products cost more than 80 and less than 120?", between).await;
    assert!(none.is_empty(), "{none:?}");
    let both = asked("Which products cost between 80 and 120?", between).await;
    assert_eq!(both, ["Falcon Drill", "Heron Sander"]);
    let most = asked(
        "Which products cost no more than 80?",
        "SELECT name FROM product WHERE price <= 80 ORDER BY name",
    )
    .await;
    assert_eq!(most, ["Heron Sander", "Owl Lamp"]);
    let many = "SELECT supplier FROM product GROUP BY supplier HAVING COUNT(*) >= 2 ORDER BY supplier";
    assert!(asked("Which suppliers have more than two products?", many).await.is_empty());
    assert_eq!(asked("Which suppliers have at least two products?", many).await, ["Acme", "Brix & Söhne"]);
}

#[tokio::test]
async fn the_types_of_a_thing_have_its_name_in_theirs() {
    let shop = graph(
        ":t1 a :Beast ; rdfs:label \"Troll\" ; :strength 20 . :t2 a :Beast ; rdfs:label \"Ice Troll\" ; :strength 24 . \
         :t3 a :Beast ; rdfs:label \"Dire Wolf\" ; :strength 10 . :t4 a :Beast ; rdfs:label \"Wolfhound\" ; :strength 8 .",
    )
    .await;
    let strong = "SELECT EXISTS (SELECT 1 FROM beast WHERE name = 'Troll' AND strength > 22)";
    assert_eq!(
        answers(&shop, "Is there any type of troll with a strength above 22?", strong).await,
        ["true"]
    );
    assert_eq!(answers(&shop, "Is the troll's strength above 22?", strong).await, ["false"]);
    let wolves = "SELECT COUNT(*) FROM beast WHERE name LIKE '%wolve%'";
    assert_eq!(answers(&shop, "How many wolves are there?", wolves).await, ["2"]);
}

#[tokio::test]
async fn whether_each_of_two_has_a_property_is_yes_or_no() {
    let shop = Shop::open().await.unwrap();
    let both = "SELECT (SELECT 1 FROM product WHERE name = 'Heron Sander' AND price > 100) AND \
                (SELECT 1 FROM product WHERE name = 'Otter Pump' AND price > 100)";
    let question = "Do both the Heron Sander and the Otter Pump cost more than 100?";
    assert_eq!(answers(&shop, question, both).await, ["false"]);
    let within = "SELECT (SELECT EXISTS (SELECT 1 FROM product WHERE name = 'Falcon Drill' AND price > 100)) AND \
                  (SELECT EXISTS (SELECT 1 FROM product WHERE name = 'Otter Pump' AND price > 100))";
    let question = "Do both the Falcon Drill and the Otter Pump cost more than 100?";
    assert_eq!(answers(&shop, question, within).await, ["true"]);
    let (_, unexplained) = weighed(&shop, question, within, Nearness::default(), &[]).await;
    assert!(unexplained.checks.is_empty(), "{:?}", unexplained.checks);
}

#[tokio::test]
async fn a_decade_has_ten_years() {
    let shop = Shop::open().await.unwrap();
    let founded = "SELECT name FROM supplier WHERE founded = 1980";
    assert_eq!(answers(&shop, "Which suppliers were founded in the 1980s?", founded).await, ["Brix & Söhne"]);
    assert!(answers(&shop, "Which suppliers were founded in 1980?", founded).await.is_empty());
    let launched = "SELECT COUNT(*) FROM product WHERE YEAR(launched) = 2020";
    assert_eq!(answers(&shop, "How many products were launched in the 2020s?", launched).await, ["4"]);
}

#[tokio::test]
async fn no_product_is_a_city() {
    let shop = Shop::open().await.unwrap();
    let refused = |question: &str, sql: &str| common::refused(&shop, question, sql);
    let unlike = "SELECT name FROM product WHERE NOT EXISTS \
                  (SELECT 1 FROM vehicle_serves WHERE vehicle_serves.serves = product.name)";
    let reason = refused("Which products does no vehicle bring?", unlike).unwrap();
    assert_eq!(reason, "it compares city with product: the two are different things");
    let alike = "SELECT name FROM city WHERE NOT EXISTS \
                 (SELECT 1 FROM vehicle_serves WHERE vehicle_serves.serves = city.name)";
    assert_eq!(refused("Which cities does no vehicle serve?", alike), None);
}

#[tokio::test]
async fn what_a_thing_has_is_not_the_thing() {
    let shop = Shop::open().await.unwrap();
    let itself = "SELECT supplier.name FROM supplier JOIN city ON supplier.based_in = city.name \
                  WHERE city.name = 'Lima'";
    let checks = async |question: &'static str| {
        weighed(&shop, question, itself, Nearness::default(), &[]).await.1.checks
    };
    let neighbours = checks("neighbours of the supplier that is based in Lima").await;
    assert!(neighbours.contains(&"leaves out a step"), "{neighbours:?}");
    let names = checks("name of the supplier that is based in Lima").await;
    assert!(!names.contains(&"leaves out a step"), "{names:?}");
}

#[tokio::test]
async fn the_table_is_the_one_that_has_the_columns() {
    let shop = Shop::open().await.unwrap();
    let other = "SELECT name FROM city WHERE price > 150";
    assert_eq!(answers(&shop, "What costs more than 150?", other).await, ["Otter Pump"]);
    // The question asks for cities.
    assert!(common::refused(&shop, "In which city is something made for over 150?", other).is_some());
}

#[tokio::test]
async fn a_number_is_neither_somebody_nor_the_number_of_things() {
    let shop = graph(
        ":w1 a :Wine ; rdfs:label \"Crianza\" ; :bottlesProduced 214 ; :winery :c1 . \
         :w2 a :Wine ; rdfs:label \"Rosado\" ; :bottlesProduced 90 ; :winery :c1 . \
         :w3 a :Wine ; rdfs:label \"Blanco\" ; :bottlesProduced 70 ; :winery :c1 . \
         :w4 a :Wine ; rdfs:label \"Tinto\" ; :bottlesProduced 50 ; :winery :c1 . \
         :c1 a :Winery ; rdfs:label \"Celler Puig\" .",
    )
    .await;
    let faults = async |question: &'static str, sql: &'static str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.faults
    };
    let bottles = "SELECT bottles_produced FROM wine WHERE name = 'Crianza'";
    let producer = faults("Which producer makes the Crianza?", bottles).await;
    assert!(producer.contains(&"gives a number for a thing"), "{producer:?}");
    let number = faults("How many bottles of the Crianza were produced?", bottles).await;
    assert!(number.is_empty(), "{number:?}");
    let each = "SELECT bottles_produced FROM wine WHERE winery = 'Celler Puig'";
    let wines = faults("How many wines does Celler Puig make?", each).await;
    assert!(wines.contains(&"gives a number of each"), "{wines:?}");
}

#[tokio::test]
async fn what_a_question_takes_in_is_not_left_out() {
    let shop = Shop::open().await.unwrap();
    let count = "SELECT COUNT(*) FROM product WHERE in_stock = TRUE";
    let question = "How many products are there, in-stock ones included?";
    assert_eq!(answers(&shop, question, count).await, ["5"]);
    assert_eq!(answers(&shop, "How many products are in stock?", count).await, ["4"]);
    let all = "SELECT COUNT(*) FROM product";
    assert!(doubts(&shop, question, all).await.is_empty());
}

#[tokio::test]
async fn the_number_of_things_in_each_group_is_no_sum() {
    let shop = Shop::open().await.unwrap();
    let sums = "SELECT supplier, SUM(price) FROM product GROUP BY supplier ORDER BY SUM(price) DESC";
    let question = "What is the number of products of each supplier?";
    let mut counts = common::asked_rows(&shop, question, sums).await;
    counts.sort();
    assert_eq!(counts, ["Acme | 2", "Brix & Söhne | 2", "Cova | 1"]);
    let prices =
        common::asked_rows(&shop, "What is the total price of each supplier's products?", sums).await;
    assert_eq!(prices[0], "Brix & Söhne | 230.5");
}

#[tokio::test]
async fn a_link_whose_other_end_is_unused_is_a_fault() {
    let shop = Shop::open().await.unwrap();
    let faults = async |sql: &'static str| {
        let question = "In which city is the supplier that Acme buys of?";
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.faults
    };
    let part = "SELECT city.name FROM supplier_buys_of JOIN product ON product.supplier = supplier_buys_of.supplier \
                JOIN supplier ON product.supplier = supplier.name JOIN city ON supplier.based_in = city.name \
                WHERE supplier_buys_of.supplier = 'Acme'";
    assert!(faults(part).await.contains(&"uses a link in part"));
    let whole = "SELECT city.name FROM supplier_buys_of JOIN supplier ON supplier.name = supplier_buys_of.buys_of \
                 JOIN city ON supplier.based_in = city.name WHERE supplier_buys_of.supplier = 'Acme'";
    assert!(!faults(whole).await.contains(&"uses a link in part"));
}

#[tokio::test]
async fn out_of_stock_is_a_stock_of_zero() {
    let shop = graph(
        ":a1 a :Part ; rdfs:label \"Bolt\" ; :stockQuantity 0 . :a2 a :Part ; rdfs:label \"Nut\" ; :stockQuantity 12 . \
         :a3 a :Part ; rdfs:label \"Pin\" ; :stockQuantity 7 .",
    )
    .await;
    let faults = async |sql: &'static str| {
        weighed(&shop, "How many parts are out of stock?", sql, Nearness::default(), &[]).await.1.faults
    };
    let fault = "counts what is there";
    assert!(faults("SELECT SUM(stock_quantity) FROM part WHERE stock_quantity > 0").await.contains(&fault));
    assert!(!faults("SELECT COUNT(*) FROM part WHERE stock_quantity = 0").await.contains(&fault));
}

#[tokio::test]
async fn records_of_links_are_shown_and_counted_by_their_pieces() {
    let shop = graph(
        ":a1 a :Article ; rdfs:label \"Lift\" ; :weight 90 ; :bomItem :b1, :b2 . \
         :a2 a :Article ; rdfs:label \"Stair\" ; :bomItem :b3, :b4 . \
         :a3 a :Article ; rdfs:label \"Step\" . :a4 a :Article ; rdfs:label \"Bolt\" . \
         :b1 a :BomItem ; :component :a3 ; :quantity 4 . :b2 a :BomItem ; :component :a4 ; :quantity 30 . \
         :b3 a :BomItem ; :component :a3 ; :quantity 60 . :b4 a :BomItem ; :component :a4 ; :quantity 9 .",
    )
    .await;
    let shown = shop.tables.render(&Relevance::default(), &RenderConfig::default()).text;
    let links = "CREATE TABLE article_bom_item (article TEXT REFERENCES article(name), \
                 component TEXT REFERENCES article(name), quantity REAL";
    assert!(shown.contains(links) && !shown.contains("TABLE bom_item"), "{shown}");
    let users = "SELECT article FROM article_bom_item WHERE component = 'Step' ORDER BY quantity DESC";
    assert_eq!(answers(&shop, "Which articles use the step?", users).await, ["Stair", "Lift"]);
    assert!(
        common::read(&shop, "Which articles use the step?", users)
            .mends
            .iter()
            .all(|m| m.doubt == Doubt::None)
    );
    let count = "SELECT COUNT(*) FROM article_bom_item WHERE component = 'Step' AND article = 'Stair'";
    assert_eq!(answers(&shop, "How many pieces of the step go into a stair?", count).await, ["60"]);
}

#[tokio::test]
async fn narrower_kinds_that_a_question_begins_with_are_conditions() {
    let shop = Shop::open().await.unwrap();
    let all = "SELECT name FROM vehicle WHERE serves IS NULL";
    assert_eq!(answers(&shop, "vans that serve no city", all).await, ["Ram"]);
    let count = "SELECT COUNT(*) FROM vehicle WHERE load > 50";
    assert_eq!(answers(&shop, "How many vans carry more than 50 kg?", count).await, ["2"]);
    assert_eq!(answers(&shop, "How many vehicles carry more than 50 kg?", count).await, ["3"]);
}

#[tokio::test]
async fn the_first_of_two_is_not_the_second() {
    let shop = Shop::open().await.unwrap();
    let second = "SELECT name FROM supplier WHERE name IN ('Acme', 'Cova') ORDER BY founded LIMIT 1 OFFSET 1";
    assert_eq!(answers(&shop, "Which was founded earlier, Acme or Cova?", second).await, ["Acme"]);
    let rank = "SELECT name FROM supplier ORDER BY founded LIMIT 1 OFFSET 1";
    assert_eq!(answers(&shop, "Which supplier is the second oldest?", rank).await, ["Acme"]);
}

#[tokio::test]
async fn numbers_of_two_things_are_added_up_together() {
    let shop = Shop::open().await.unwrap();
    let union = "SELECT population FROM city WHERE name = 'Oslo' UNION SELECT population FROM city WHERE name = 'Lima'";
    let added = |question: &str| {
        let bound = common::read(&shop, question, union);
        quipu_reading::added_up(question, &bound.query, &shop.tables).map(|(query, _)| query.to_string())
    };
    let sum = added("How many people are the population of Oslo and Lima together?").unwrap();
    assert!(sum.starts_with("SELECT SUM(city.population) FROM city WHERE"), "{sum}");
    assert_eq!(added("How many people are the populations of Oslo and Lima?"), None);
}

#[tokio::test]
async fn women_are_those_whose_sex_is_f() {
    let shop = graph(
        ":p1 a :Member ; rdfs:label \"Ida Falk\" ; :sex \"F\" . :p2 a :Member ; rdfs:label \"Jon Gray\" ; :sex \"M\" . \
         :p3 a :Member ; rdfs:label \"Kim Hart\" ; :sex \"F\" .",
    )
    .await;
    let left = async |question: &'static str| {
        let sql = "SELECT COUNT(*) FROM member WHERE sex = 'F'";
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.names
    };
    assert!(left("How many members are women?").await.is_empty());
    assert_eq!(left("How many members are men?").await, ["men"]);
}

#[tokio::test]
async fn what_the_thing_of_a_thing_has_is_not_given_up() {
    let shop = graph(
        ":b1 a :Book ; rdfs:label \"Dunes\" ; :author :h1 . :b2 a :Book ; rdfs:label \"Tides\" ; :author :h2 . \
         :h1 a :Human ; rdfs:label \"Ada Lee\" ; :advisor :h2 . :h2 a :Human ; rdfs:label \"Bo Ray\" .",
    )
    .await;
    let faults = async |sql: &'static str| {
        let question = "Who supervised the doctorate of the author of Dunes?";
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.faults
    };
    let author =
        "SELECT human.name FROM book JOIN human ON book.author = human.name WHERE book.name = 'Dunes'";
    assert!(faults(author).await.contains(&"leaves out a step"));
    let advisor =
        "SELECT human.advisor FROM book JOIN human ON book.author = human.name WHERE book.name = 'Dunes'";
    assert!(!faults(advisor).await.contains(&"leaves out a step"));
}

#[tokio::test]
async fn a_path_does_not_stand_for_a_column_that_the_graph_lacks() {
    let shop = Shop::open().await.unwrap();
    let question = "What does the supplier of the Falcon Drill earn?";
    let salary = read_sql("SELECT salary FROM supplier WHERE name = 'Acme'", None).unwrap();
    let lacking = columns_lacking(&salary, &shop.tables);
    assert_eq!(lacking, ["salary"]);
    let faults = async |path: bool, lacking: &[String]| {
        let sql = "SELECT supplier FROM product WHERE name = 'Falcon Drill'";
        let mut reading = candidate(&shop, question, sql, Nearness::default()).await;
        reading.lacking = lacking.to_vec();
        reading.path = path.then_some(PathFit { share: 1.0, doubts: 0, steps: 1 });
        let asking = TableQuestion { text: question, tables: &shop.tables, values: &shop.values, named: &[] };
        features(&asking, &[reading]).remove(0).1.faults
    };
    let given_up = "gives up what another query tried";
    assert!(faults(true, &lacking).await.contains(&given_up));
    assert!(!faults(false, &lacking).await.contains(&given_up));
    assert!(!faults(true, &[]).await.contains(&given_up));
}

#[tokio::test]
async fn so_many_per_kind_are_counted() {
    let shop = Shop::open().await.unwrap();
    let faults = async |sql: &'static str| {
        weighed(&shop, "products per supplier?", sql, Nearness::default(), &[]).await.1.faults
    };
    let fault = "gives no number of each";
    assert!(faults("SELECT DISTINCT supplier FROM product").await.contains(&fault));
    assert!(!faults("SELECT supplier, COUNT(*) FROM product GROUP BY supplier").await.contains(&fault));
}

#[tokio::test]
async fn the_date_is_that_of_the_event_that_is_named() {
    let shop = graph(
        ":c1 a :Contract ; rdfs:label \"One\" ; :awardDate \"2022-05-01\"^^xsd:date ; :firstDay \"2023-01-01\"^^xsd:date ; :postcode \"11\" . \
         :c2 a :Contract ; rdfs:label \"Two\" ; :awardDate \"2023-05-01\"^^xsd:date ; :firstDay \"2024-01-01\"^^xsd:date ; :postcode \"12\" .",
    )
    .await;
    let years =
        "SELECT YEAR(first_day), COUNT(*) FROM contract GROUP BY YEAR(first_day) ORDER BY YEAR(first_day)";
    assert_eq!(
        answers(&shop, "How many contracts were awarded in each year?", years).await,
        ["2022", "2023"]
    );
    assert_eq!(
        answers(&shop, "How many contracts have their first day in each year?", years).await,
        ["2023", "2024"]
    );
    let titles = shop.plan(years).unwrap().columns.into_iter().map(|column| column.title);
    assert_eq!(titles.collect::<Vec<_>>(), ["year", "number"]);
    let chosen = "SELECT name FROM contract WHERE YEAR(first_day) = 2023";
    assert_eq!(answers(&shop, "Which contracts were awarded in 2023?", chosen).await, ["Two"]);
    assert_eq!(answers(&shop, "Which contracts began in 2023, awarded or not?", chosen).await, ["One"]);
}

#[tokio::test]
async fn the_part_of_an_address_that_a_question_begins_with() {
    let shop = graph(
        ":a1 a :Authority ; rdfs:label \"Town hall\" ; :address _:x . _:x a :Address ; :city \"Fennick\" ; :postcode \"6220\" ; :street \"Ring 1\" . \
         :a2 a :Authority ; rdfs:label \"Court\" ; :address _:y . _:y a :Address ; :city \"Olm\" ; :postcode \"7110\" ; :street \"Lane 2\" .",
    )
    .await;
    let address = "SELECT address FROM authority WHERE name = 'Town hall'";
    assert_eq!(answers(&shop, "Postcode of the town hall, please.", address).await, ["6220"]);
    assert_eq!(answers(&shop, "What is the postcode of the town hall?", address).await, ["6220"]);
}

#[tokio::test]
async fn relatives_kinds_and_entries_are_what_is_asked_for() {
    let shop = graph(
        ":d1 a :Dog ; rdfs:label \"Misty\" ; :dam :d2 ; :owner :o1 . :d2 a :Dog ; rdfs:label \"Belle\" ; :owner :o2 . \
         :o1 a :Owner ; rdfs:label \"Ada Lee\" . :o2 a :Owner ; rdfs:label \"Bo Ray\" . \
         :r1 a :Result ; rdfs:label \"R1\" ; :dog :d1 ; :points 12 ; :ribbonCount 3 . :r2 a :Result ; rdfs:label \"R2\" ; :dog :d1 ; :points 7 .",
    )
    .await;
    let faults = async |question: &'static str, sql: &'static str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.faults
    };
    let own = "SELECT owner FROM dog WHERE name = 'Misty'";
    let step = "leaves out a step";
    assert!(faults("Who owns the mother of Misty?", own).await.contains(&step));
    let dam = "SELECT owner FROM dog WHERE name IN (SELECT dam FROM dog WHERE name = 'Misty')";
    assert!(!faults("Who owns the mother of Misty?", dam).await.contains(&step));
    let results = "SELECT name FROM result WHERE dog = 'Misty'";
    assert!(faults("Name every dog out of Misty.", results).await.contains(&"asks for another kind"));
    assert!(!faults("Name every result of Misty.", results).await.contains(&"asks for another kind"));
    let points = "SELECT SUM(points) FROM result WHERE dog = 'Misty'";
    let another = "adds up another measure";
    assert!(faults("How many entries has Misty had?", points).await.contains(&another));
    assert!(!faults("How many points has Misty got?", points).await.contains(&another));
    let ribbons = "SELECT SUM(ribbon_count) FROM result WHERE dog = 'Misty'";
    assert!(faults("How many shows did Misty enter?", ribbons).await.contains(&another));
    assert!(!faults("How many ribbons did Misty win?", ribbons).await.contains(&another));
}

#[tokio::test]
async fn a_name_within_another_and_beside_it_is_a_name_of_its_own() {
    let shop = graph(
        ":r1 a :Recipe ; rdfs:label \"Butter Brioche\" ; :ingredient :i1, :i2 . \
         :r2 a :Recipe ; rdfs:label \"Rye Loaf\" ; :ingredient :i2, :i3 . \
         :i1 a :Ingredient ; rdfs:label \"butter\" ; :price 9 . :i2 a :Ingredient ; rdfs:label \"flour\" ; :price 2 . \
         :i3 a :Ingredient ; rdfs:label \"salt\" ; :price 1 .",
    )
    .await;
    let left_out = async |question: &'static str, sql: &'static str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.values
    };
    let sum = "SELECT SUM(ingredient.price) FROM recipe_ingredient \
               JOIN ingredient ON recipe_ingredient.ingredient = ingredient.name \
               WHERE recipe_ingredient.recipe = 'Butter Brioche'";
    let question = "What does the butter in a Butter Brioche cost?";
    assert_eq!(left_out(question, sum).await, ["the butter"]);
    let own = "SELECT ingredient.price FROM recipe_ingredient \
               JOIN ingredient ON recipe_ingredient.ingredient = ingredient.name \
               WHERE recipe_ingredient.recipe = 'Butter Brioche' AND ingredient.name = 'butter'";
    assert!(left_out(question, own).await.is_empty());
    assert!(left_out("What do the ingredients of a Butter Brioche cost together?", sum).await.is_empty());
}

#[tokio::test]
async fn a_remark_of_the_reader_stays_where_the_question_mends_the_query() {
    let shop = Shop::open().await.unwrap();
    let asked = "Which products cost over 100?";
    let read = common::read(&shop, asked, "SELECT name FROM product WHERE price > 100 FOR UPDATE");
    assert!(read.mends.iter().any(|mend| mend.text.starts_with("FOR UPDATE")), "{:?}", read.mends);
}
