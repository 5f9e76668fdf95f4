//! Mountains, clubs and families: slips of a small model that showed on graphs which nobody had
//! looked at while building.

use quipu_query::{Relevance, RenderConfig};
use quipu_reading::Nearness;

use crate::common::checks::{doubts, graph, weighed};
use crate::common::{Shop, answers};

async fn mountains() -> Shop {
    graph(
        ":m1 a :Mountain ; rdfs:label \"Alenberg\" ; :elevation 4100 ; :range :r1 ; :ascent 1851 ; :region :g1, :g2 ; :climbedBy :p1 . \
         :m2 a :Mountain ; rdfs:label \"Girkberg\" ; :elevation 3100 ; :range :r2 ; :ascent 1861 ; :region :g2 ; :climbedBy :p1 . \
         :v1 a :Volcano ; rdfs:label \"Narona\" ; :elevation 4300 ; :range :r1 ; :ascent 1840 ; :region :g2 ; :climbedBy :p2 ; :park :k1 . \
         :v2 a :Volcano ; rdfs:label \"Skavur\" ; :elevation 2000 ; :range :r2 ; :region :g2 ; :park :k1 . \
         :k1 a :Park ; rdfs:label \"Green Park\" ; :region :g1 . \
         :r1 a :Range ; rdfs:label \"Grey Teeth\" . :r2 a :Range ; rdfs:label \"Sarn Alps\" . \
         :g1 a :Region ; rdfs:label \"Tolmis\" ; :country \"Ardesken\" . :g2 a :Region ; rdfs:label \"Vintra\" ; :country \"Kostrane\" . \
         :t1 a :Town ; rdfs:label \"Elosk\" ; :inRegion :g1 . :t2 a :Town ; rdfs:label \"Klund\" ; :inRegion :g2 . :t3 a :Town ; rdfs:label \"Jamim\" ; :inRegion :g2 . \
         :c1 a :Club ; rdfs:label \"Iron Boots\" ; :seat :t1 . :c2 a :Club ; rdfs:label \"Guides' Union\" ; :seat :t2 . \
         :c3 a :Club ; rdfs:label \"Idle Club\" ; :seat :t2 . \
         :h1 a :Hut ; rdfs:label \"Mist Hut\" ; :runBy :c1 ; :inRegion :g2 ; :beds 40 . \
         :h2 a :Hut ; rdfs:label \"Svam Hut\" ; :runBy :c2 ; :inRegion :g1 ; :beds 20 . \
         :p1 a :Person ; rdfs:label \"Osk Grell\" ; :marriedTo :p2 ; :memberOf :c1 ; :joined 1990 ; :foundedClub :c1 . \
         :p2 a :Person ; rdfs:label \"Ada Torv\" ; :memberOf :c1, :c2 ; :joined 1980 . \
         :p3 a :Person ; rdfs:label \"Ilo Marn\" ; :memberOf :c2 ; :joined 1970 ; :marriedTo :p4, :p5 . \
         :p4 a :Person ; rdfs:label \"Una Sel\" . :p5 a :Person ; rdfs:label \"Rea Sel\" . :p6 a :Person ; rdfs:label \"Ivo Lone\" . \
         :s1 a :Sighting ; rdfs:label \"Sighting 1\" ; :seenBy :p1 ; :of :m1 . :s2 a :Sighting ; rdfs:label \"Sighting 2\" ; :seenBy :p2 ; :of :m2 .",
    )
    .await
}

#[tokio::test]
async fn types_of_the_same_relations_are_one_table() {
    let shop = mountains().await;
    let unnamed = shop.tables.unnamed();
    assert_eq!(unnamed.len(), 1, "{unnamed:?}");
    assert_eq!(unnamed[0].types, ["Mountain", "Volcano"]);
    let mut named = mountains().await;
    named.tables.rename(unnamed[0].table, "peak");
    assert_eq!(answers(&named, "How many peaks are there?", "SELECT COUNT(*) FROM peak").await, ["4"]);
    let kinds = "SELECT kind, COUNT(*) FROM peak GROUP BY kind ORDER BY kind";
    assert_eq!(answers(&named, "How many are there of each kind?", kinds).await, ["Mountain", "Volcano"]);
    let volcanoes = "SELECT name FROM volcano ORDER BY elevation DESC";
    assert_eq!(answers(&named, "Which volcanoes are there?", volcanoes).await, ["Narona", "Skavur"]);
    // The noun is not the graph's own: what is no volcano may be a peak all the same.
    let range = "SELECT range FROM mountain WHERE name = 'Alenberg'";
    let of = async |question: &str| doubts(&named, question, range).await.len();
    assert_eq!(of("Which peak holds the Alenberg?").await, 0);
    assert_eq!(of("Which volcano holds the Alenberg?").await, 1);
    // Nobody sees the name of a class that the graph lacks.
    let all = named.plan("SELECT name FROM peak").unwrap().sparql();
    assert!(all.contains("Volcano") && !all.contains("urn:quipu"), "{all}");
    // Towns and clubs have nothing in common.
    assert!(named.tables.find("town").is_some() && named.tables.find("club").is_some());
}

#[tokio::test]
async fn who_names_the_types_sees_their_tables() {
    let lake = |name: &str, types: &str| {
        format!(":{name} a {types} ; rdfs:label \"{name}\" ; :depth 4 ; :area 2 ; :inflow :i ; :outflow :o .")
    };
    let mut shop = graph(
        &[lake("Orsa", ":Lake"), lake("Velm", ":Reservoir"), lake("Arn", ":Lake, :Reservoir")].join(" "),
    )
    .await;
    let unnamed = shop.tables.unnamed();
    shop.tables.rename(unnamed[0].table, "water");
    let shown = |question: &str| {
        let tables = shop.tables.as_named_by(&quipu_query::words_of(question));
        tables.render(&Relevance::default(), &RenderConfig::default()).text
    };
    // A thing may be both, so its types are links and not a column.
    let all = shown("Which waters are deep?");
    assert!(all.contains("TABLE water (") && !all.contains("TABLE lake ("), "{all}");
    let lakes = shown("Which lakes are deep?");
    assert!(lakes.contains("TABLE lake (") && !lakes.contains("TABLE water ("), "{lakes}");
    assert_eq!(answers(&shop, "How many waters are there?", "SELECT COUNT(*) FROM water").await, ["3"]);
}

#[tokio::test]
async fn a_unit_behind_a_number_belongs_to_its_measure() {
    let shop = mountains().await;
    let high = "SELECT COUNT(*) FROM mountain WHERE elevation > 4000";
    let left_out = |unexplained: quipu_reading::Unexplained| unexplained.names;
    let asked = "How many mountains stand above 4000 metres?";
    let (_, unexplained) = weighed(&shop, asked, high, Nearness::default(), &[]).await;
    assert_eq!(left_out(unexplained), ["stand"]);
    let beds = "SELECT COUNT(*) FROM hut WHERE beds > 30";
    let (_, unexplained) =
        weighed(&shop, "How many huts have more than 30 chairs?", beds, Nearness::default(), &[]).await;
    assert_eq!(left_out(unexplained), ["chairs"]);
}

#[tokio::test]
async fn a_column_of_the_things_themselves_comes_first() {
    let shop = mountains().await;
    // The volcano's own region, not that of its park.
    let own = "SELECT region FROM volcano WHERE name = 'Narona'";
    assert_eq!(answers(&shop, "In which region is Narona?", own).await, ["Vintra"]);
    // The club's country is that of its town, not those of its huts.
    let ahead = "SELECT country FROM club WHERE name = 'Iron Boots'";
    assert_eq!(answers(&shop, "Which country are the Iron Boots from?", ahead).await, ["Ardesken"]);
}

#[tokio::test]
async fn a_value_may_lie_several_columns_ahead() {
    let shop = mountains().await;
    let ahead = "SELECT name FROM club WHERE seat = 'Ardesken'";
    assert_eq!(answers(&shop, "Which clubs have their seat in Ardesken?", ahead).await, ["Iron Boots"]);
    let region = "SELECT name FROM club WHERE seat = 'Vintra' ORDER BY name";
    let asked = "Which clubs are seated in Vintra?";
    assert_eq!(answers(&shop, asked, region).await, ["Guides' Union", "Idle Club"]);
}

#[tokio::test]
async fn the_kind_asked_for_may_be_one_step_further() {
    let shop = mountains().await;
    let town = "SELECT seat FROM club WHERE name = 'Iron Boots'";
    assert_eq!(answers(&shop, "Which region are the Iron Boots from?", town).await, ["Tolmis"]);
    assert_eq!(answers(&shop, "Which town are the Iron Boots from?", town).await, ["Elosk"]);
    let each = "SELECT seat, COUNT(*) FROM club GROUP BY seat ORDER BY COUNT(*)";
    let asked = "How many clubs are there in each region?";
    assert_eq!(answers(&shop, asked, each).await, ["Tolmis", "Vintra"]);
}

#[tokio::test]
async fn the_denied_link_is_the_one_that_the_question_denies() {
    let shop = mountains().await;
    let other = "SELECT name FROM club WHERE name NOT IN (SELECT run_by FROM hut)";
    assert_eq!(
        answers(&shop, "Which clubs has nobody founded?", other).await,
        ["Guides' Union", "Idle Club"]
    );
    let contradiction = "SELECT club.name FROM club JOIN hut ON hut.run_by = club.name \
                         WHERE club.name NOT IN (SELECT run_by FROM hut)";
    assert_eq!(answers(&shop, "Which clubs run no hut?", contradiction).await, ["Idle Club"]);
    let both = "SELECT name FROM club WHERE name IN (SELECT run_by FROM hut) AND name NOT IN (SELECT run_by FROM hut)";
    assert_eq!(answers(&shop, "Which clubs run no hut?", both).await, ["Idle Club"]);
}

#[tokio::test]
async fn what_is_denied_is_denied_of_all_that_are_asked_for() {
    let shop = mountains().await;
    let towns = "SELECT region.name FROM town JOIN region ON town.in_region = region.name \
                 WHERE town.name NOT IN (SELECT seat FROM club WHERE name = 'Idle Club')";
    assert_eq!(answers(&shop, "Which regions have no idle club?", towns).await, ["Tolmis"]);
    let alone =
        "SELECT in_region FROM town WHERE name NOT IN (SELECT seat FROM club WHERE name = 'Idle Club')";
    assert_eq!(answers(&shop, "In which regions is there no idle club?", alone).await, ["Tolmis"]);
}

#[tokio::test]
async fn a_mutual_relation_is_denied_both_ways() {
    let shop = mountains().await;
    let single = "SELECT name FROM person WHERE name NOT IN (SELECT person FROM person_married_to)";
    assert_eq!(answers(&shop, "Who never married?", single).await, ["Ivo Lone"]);
}

#[tokio::test]
async fn a_reflexive_and_a_second_denial_must_be_heeded() {
    let shop = mountains().await;
    let any = "SELECT name FROM person WHERE name IN (SELECT person FROM person_member_of) AND founded_club IS NOT NULL";
    let asked = "Who is a member of a club that they founded themselves?";
    assert!(doubts(&shop, asked, any).await.contains(&"themselves".to_owned()));
    let same = "SELECT person.name FROM person JOIN person_member_of ON person_member_of.person = person.name \
                WHERE person_member_of.member_of = person.founded_club";
    assert!(!doubts(&shop, asked, same).await.contains(&"themselves".to_owned()));
    let half = "SELECT name FROM club WHERE name NOT IN (SELECT run_by FROM hut)";
    let asked = "Which clubs run neither a hut nor a cabin?";
    assert_eq!(doubts(&shop, asked, half).await, ["cabin"]);
}

#[tokio::test]
async fn a_column_of_places_says_where_a_thing_is_based() {
    let shop = mountains().await;
    let left_out = async |question: &str, sql: &str| {
        weighed(&shop, question, sql, Nearness::default(), &[]).await.1.names
    };
    let region = "SELECT in_region FROM hut WHERE name = 'Mist Hut'";
    assert!(left_out("In what region is Mist Hut based?", region).await.is_empty());
    let beds = "SELECT beds FROM hut WHERE name = 'Mist Hut'";
    assert_eq!(left_out("How many beds has Mist Hut where it is based?", beds).await, ["based"]);
}

#[tokio::test]
async fn a_thing_is_compared_by_its_own_property_and_not_by_that_of_others() {
    let shop = mountains().await;
    // A hut has a region of its own, and so has the town of the club that runs it.
    let others = "SELECT hut.name FROM hut JOIN club ON hut.run_by = club.name JOIN town ON club.seat = town.name \
                  WHERE town.in_region = 'Vintra'";
    let unsaid =
        async |question: &str| weighed(&shop, question, others, Nearness::default(), &[]).await.1.unsaid;
    assert_eq!(unsaid("Which huts are in Vintra?").await, ["Town"]);
    assert!(unsaid("Which huts are run by clubs of towns in Vintra?").await.is_empty());
}

#[tokio::test]
async fn each_fault_of_a_reading_has_a_name() {
    let shop = mountains().await;
    let asked = "Which person founded no club?";
    let (features, unexplained) =
        weighed(&shop, asked, "SELECT founded_club FROM person", Nearness::default(), &[]).await;
    assert!(features.is_doubtful());
    assert!(unexplained.faults.contains(&"leaves out a word that changes the meaning"), "{unexplained:?}");
}

#[tokio::test]
async fn an_apostrophe_within_a_name_ends_no_text() {
    let shop = mountains().await;
    for union in [
        "SELECT seat FROM club WHERE name = 'Guides' Union'",
        "SELECT seat FROM club WHERE name = 'Guides'' Union' AND 'St Orrin's' <> ''",
    ] {
        assert_eq!(answers(&shop, "Where is the Guides' Union seated?", union).await, ["Klund"], "{union}");
    }
}

#[tokio::test]
async fn what_is_asked_of_each_or_of_a_part_is_not_answered_by_one_or_all() {
    let shop = mountains().await;
    let first = "SELECT person.name, club.seat FROM person JOIN club ON person.founded_club = club.name ORDER BY joined LIMIT 1";
    let (_, unexplained) =
        weighed(&shop, "For each club, who joined first?", first, Nearness::default(), &[]).await;
    assert!(!unexplained.meanings.is_empty(), "one row is not one of each");
    let one = "SELECT name FROM hut WHERE name = (SELECT name FROM hut ORDER BY beds DESC LIMIT 1)";
    let (features, _) =
        weighed(&shop, "For each club, what is its largest hut?", one, Nearness::default(), &[]).await;
    assert!(features.is_doubtful());
    let all = "SELECT COUNT(*) FROM person";
    assert_eq!(doubts(&shop, "How many of the persons are women?", all).await, ["women"]);
    let records = "SELECT name FROM sighting WHERE seen_by = 'Osk Grell'";
    let (features, _) = weighed(&shop, "What did Osk Grell see?", records, Nearness::default(), &[]).await;
    assert!(features.is_doubtful(), "nobody asks for sighting 1");
    let (features, _) =
        weighed(&shop, "Which sightings did Osk Grell make?", records, Nearness::default(), &[]).await;
    assert!(!features.is_doubtful());
}

#[tokio::test]
async fn links_of_nameless_things_are_found_by_the_name_of_their_owner() {
    let shop = graph(
        ":k1 a :Course ; rdfs:label \"Knots\" ; :run _:u1, _:u2 . :k2 a :Course ; rdfs:label \"Sails\" ; :run _:u3 . \
         _:u1 a :Run ; :starts 2021 ; :taughtBy :p1, :p2 . _:u2 a :Run ; :starts 2022 ; :taughtBy :p1 . \
         _:u3 a :Run ; :starts 2023 ; :taughtBy :p3, :p1 . \
         :p1 a :Person ; rdfs:label \"Ada Torv\" . :p2 a :Person ; rdfs:label \"Osk Grell\" . :p3 a :Person ; rdfs:label \"Una Sel\" .",
    )
    .await;
    let tutors = "SELECT DISTINCT taught_by FROM run_taught_by WHERE run = 'Knots'";
    assert_eq!(answers(&shop, "Who teaches Knots?", tutors).await, ["Ada Torv", "Osk Grell"]);
    let starts =
        "SELECT run.starts FROM run JOIN course ON course.run = run.name WHERE course.name = 'Sails'";
    let (features, unexplained) =
        weighed(&shop, "When does Sails start?", starts, Nearness::default(), &[]).await;
    assert_eq!((unexplained.unsaid, unexplained.faults, features.is_doubtful()), (vec![], vec![], false));
}

#[tokio::test]
async fn a_year_ends() {
    let shop = graph(
        ":a a :Saw ; rdfs:label \"Red Saw\" ; :bought \"2022-05-01\"^^xsd:date . \
         :b a :Saw ; rdfs:label \"Blue Saw\" ; :bought \"2023-05-01\"^^xsd:date . \
         :c a :Saw ; rdfs:label \"Grey Saw\" ; :bought \"2024-05-01\"^^xsd:date .",
    )
    .await;
    let since = "SELECT name FROM saw WHERE bought >= '2023-01-01'";
    assert_eq!(answers(&shop, "Which saws were bought in 2023?", since).await, ["Blue Saw"]);
    assert_eq!(answers(&shop, "Which saws were bought since 2023?", since).await, ["Blue Saw", "Grey Saw"]);
}

#[tokio::test]
async fn a_share_is_one_of_the_things_and_not_of_their_links() {
    let shop = mountains().await;
    let links = "SELECT 100.0 * SUM(CASE WHEN member_of = 'Iron Boots' THEN 1 ELSE 0 END) / COUNT(*) FROM person_member_of";
    let asked = "What percentage of the persons are members of the Iron Boots?";
    assert_eq!(answers(&shop, asked, links).await, ["33.333333333"]);
    let differ = "SELECT (SELECT beds FROM hut WHERE name = 'Svam Hut') - (SELECT beds FROM hut WHERE name = 'Mist Hut')";
    let asked = "By how many beds do Mist Hut and Svam Hut differ?";
    assert_eq!(answers(&shop, asked, differ).await, ["20"]);
}
