//! Tables of a graph without types: its things fall into kinds by the relations that they have and
//! that lead to them.

use std::fmt::Write;

use quipu_query::{Rows, Table};

use crate::common::Shop;

/// A league of players, teams, sponsors, leagues, towns and countries, as triples of names. Teams,
/// sponsors and leagues have a year of foundation; teams and sponsors a seat; teams and leagues
/// sponsors; towns and countries lie somewhere.
fn triples() -> String {
    let mut text = String::new();
    let mut tell =
        |head: &str, relation: &str, tail: &str| writeln!(text, "{head}\t{relation}\t{tail}").unwrap();
    for number in 0..24 {
        let player = format!("Player {number}");
        tell(&player, "plays_for", &format!("Team {}", number % 12));
        tell(&player, "from_country", &format!("Country {}", number % 3));
        tell(&player, "born_on", &format!("1999-01-{:02}", number + 1));
    }
    for number in 0..12 {
        let team = format!("Team {number}");
        tell(&team, "founded_in", &(2000 + number).to_string());
        tell(&team, "based_in", &format!("Town {number}"));
        tell(&team, "coached_by", &format!("Coach {number}"));
        tell(&team, "competes_in", &format!("League {}", number % 2));
        tell(&team, "competes_in", "League 2");
        tell(&team, "sponsored_by", &format!("Sponsor {}", number % 3));
        tell(&team, "sponsored_by", "Sponsor 3");
    }
    for number in 0..4 {
        let sponsor = format!("Sponsor {number}");
        tell(&sponsor, "founded_in", &(1950 + number).to_string());
        tell(&sponsor, "based_in", &format!("Town {number}"));
        tell(&sponsor, "in_industry", if number % 2 == 0 { "Banking" } else { "Snacks" });
    }
    for number in 0..3 {
        let league = format!("League {number}");
        tell(&league, "founded_in", &(2010 + number).to_string());
        tell(&league, "sponsored_by", "Sponsor 0");
        tell(&league, "sponsored_by", "Sponsor 1");
    }
    for number in 0..12 {
        tell(&format!("Town {number}"), "located_in", &format!("Country {}", number % 4));
    }
    for number in 0..4 {
        tell(&format!("Country {number}"), "located_in", if number == 0 { "Asia" } else { "Europe" });
    }
    text
}

async fn league(more: &str) -> Shop {
    Shop::of("league.tsv", &(triples() + more)).await.unwrap()
}

/// The table with a thing among its rows.
async fn table_of<'s>(shop: &'s Shop, name: &str) -> &'s Table {
    for table in shop.tables.tables.iter().filter(|table| !table.is_links()) {
        let names = shop.lines(&format!("SELECT name FROM {}", table.id)).await;
        if names.iter().any(|of| of == name) {
            return table;
        }
    }
    panic!("no table has {name}");
}

async fn rows_of(shop: &Shop, name: &str) -> String {
    let id = &table_of(shop, name).await.id;
    shop.lines(&format!("SELECT COUNT(*) FROM {id}")).await.concat()
}

#[tokio::test]
async fn things_with_a_relation_in_common_are_of_different_kinds() {
    let shop = league("").await;
    let tables = shop.tables.tables.iter().filter(|table| !table.is_links());
    assert_eq!(tables.count(), 6);
    for (thing, rows) in
        [("Player 0", "24"), ("Team 0", "12"), ("Sponsor 0", "4"), ("League 0", "3"), ("Town 0", "12")]
    {
        assert_eq!(rows_of(&shop, thing).await, rows, "{thing}");
    }
    // No player is from the last country, and what lies in it may lie in a continent.
    assert_eq!(rows_of(&shop, "Country 0").await, "4");
    let Rows::Ends { others, .. } = &table_of(&shop, "Country 3").await.source else { panic!("no ends") };
    let id = &table_of(&shop, "Country 3").await.id;
    let of_it = format!("SELECT located_in FROM {id} WHERE name = 'Country 3'");
    assert_eq!(shop.lines(&of_it).await, ["Europe"]);
    assert!(others.len() == 1 && others[0].ends_with("Country%203"), "{others:?}");
}

#[tokio::test]
async fn what_kinds_have_in_common_is_read_of_one_kind_alone() {
    let shop = league("").await;
    let [team, sponsor, league, town] = ["Team 0", "Sponsor 0", "League 0", "Town 0"];
    let id = async |name| table_of(&shop, name).await.id.clone();
    let [team, sponsor, league, town] = [id(team).await, id(sponsor).await, id(league).await, id(town).await];
    let oldest = |of: &str| format!("SELECT name FROM {of} ORDER BY founded_in LIMIT 1");
    assert_eq!(shop.lines(&oldest(&team)).await, ["Team 0"]);
    assert_eq!(shop.lines(&oldest(&league)).await, ["League 0"]);
    let seats = format!("SELECT name FROM {team} WHERE based_in = 'Town 1'");
    assert_eq!(shop.lines(&seats).await, ["Team 1"]);
    let in_country = format!("SELECT name FROM {town} WHERE located_in = 'Country 0'");
    assert_eq!(shop.lines(&in_country).await, ["Town 0", "Town 4", "Town 8"]);
    // Links of a relation that several kinds have.
    let links = |of: &str| {
        let at = shop.tables.tables.iter().position(|table| table.id == *of);
        let is_its = |table: &&Table| {
            matches!(&table.source, Rows::Links { relation, heads }
                if relation.ends_with("sponsored_by") && Some(*heads) == at)
        };
        let table = shop.tables.tables.iter().find(is_its).unwrap();
        format!("SELECT {} FROM {} WHERE sponsored_by = 'Sponsor 0'", table.columns[0].id, table.id)
    };
    assert_eq!(shop.lines(&links(&team)).await, ["Team 0", "Team 3", "Team 6", "Team 9"]);
    assert_eq!(shop.lines(&links(&league)).await, ["League 0", "League 1", "League 2"]);
    assert_eq!(
        shop.lines(&format!("SELECT name FROM {sponsor} WHERE in_industry = 'Snacks'")).await,
        ["Sponsor 1", "Sponsor 3"]
    );
}

#[tokio::test]
async fn a_name_of_two_things_joins_no_kinds() {
    // "Team 1" is a player's name too.
    let shop =
        league("Team 1\tplays_for\tTeam 2\nTeam 1\tborn_on\t1998-05-05\nTeam 1\tfrom_country\tCountry 1\n")
            .await;
    assert_ne!(table_of(&shop, "Player 0").await.id, table_of(&shop, "Team 0").await.id);
    assert_eq!(rows_of(&shop, "Player 0").await, "25");
    assert_eq!(rows_of(&shop, "Team 0").await, "12");
    let players = table_of(&shop, "Player 0").await;
    assert!(players.columns.iter().all(|column| column.id != "founded_in" && column.id != "based_in"));
}

#[tokio::test]
async fn variants_of_one_kind_stay_together() {
    // Adults work somewhere, children go to school; all are born and live somewhere.
    let mut text = String::new();
    for number in 0..8 {
        let person = format!("Person {number}");
        writeln!(text, "{person}\tborn_in\tTown {}", number % 2).unwrap();
        writeln!(text, "{person}\tlives_in\tTown {}", number % 3).unwrap();
        writeln!(text, "{person}\tbirth_year\t{}", 1950 + number).unwrap();
        let [relation, at] = if number < 4 { ["works_for", "Firm"] } else { ["goes_to", "School"] };
        writeln!(text, "{person}\t{relation}\t{at} {}", number % 3).unwrap();
    }
    let shop = Shop::of("people.tsv", &text).await.unwrap();
    assert_eq!(rows_of(&shop, "Person 0").await, "8");
    assert_eq!(table_of(&shop, "Person 0").await.id, table_of(&shop, "Person 7").await.id);
}
