//! Slips of a small model that the question's words, or the tables alone, show.

use quipu_query::asked::Nearness;

use crate::common::checks::{doubts, graph, weighed};
use crate::common::{Shop, answers};

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
