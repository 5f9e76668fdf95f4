//! SPARQL servers give the same rows for the shop's test questions as the store: a real Oxigraph
//! server and a real Virtuoso 7. `scripts/setup.sh` installs both.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a server that cannot be set up is a failed test"
)]

use crate::{common, corners_of_sql, groups, odd_graphs, servers};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

use common::Shop;
use common::heard::{Ear, listen, ntriples};
use quipu_graph::EndpointConfig;
use quipu_index::{SourceRequest, Workspace};
use quipu_query::{CellValue, Plan, RowSet, RunLimits, plan, run};
use servers::Server;

/// The tests whose SQL is run.
const ASKED: [&str; 3] =
    [include_str!("answers.rs"), include_str!("mends.rs"), include_str!("beside_rows.rs")];

/// Tests with graphs of their own, whose queries are kept while they run.
const HEARD: [fn(); 42] = [
    corners_of_sql::a_name_within_a_subquery_is_compared_with_the_outer_row,
    corners_of_sql::nothing_divided_by_zero_is_a_number,
    corners_of_sql::numbers_are_calculated_as_sql_does,
    corners_of_sql::conditions_that_exclude_each_other_leave_nothing,
    corners_of_sql::conditions_of_a_join_hold_as_they_would_in_where,
    corners_of_sql::one_value_of_each_row_is_not_one_of_all,
    corners_of_sql::columns_of_one_name_are_several_columns,
    corners_of_sql::what_is_missing_is_joined_to_nothing,
    corners_of_sql::groups_of_nothing_count_as_none,
    corners_of_sql::a_condition_on_what_is_missing_does_not_hold,
    corners_of_sql::an_outer_row_that_is_joined_within_stays_the_outer_row,
    corners_of_sql::coalesce_keeps_the_groups_without_a_value,
    corners_of_sql::a_number_of_a_query_within_is_compared_by_its_value,
    corners_of_sql::an_order_by_a_given_subquery_takes_its_value,
    corners_of_sql::julian_days_have_the_time_of_the_day,
    corners_of_sql::a_cast_to_an_integer_drops_the_decimals,
    corners_of_sql::lists_hold_names_and_numbers,
    corners_of_sql::parts_of_dates_are_read_in_every_spelling,
    corners_of_sql::a_limit_may_begin_with_its_offset,
    corners_of_sql::joins_by_a_common_column_and_of_all_pairs,
    groups::numbers_of_a_query_within_are_compared_as_numbers,
    groups::a_date_less_a_date_is_a_number_of_days,
    groups::a_span_before_or_after_a_column_is_compared,
    groups::groups_under_a_condition_give_the_other_columns_of_their_row,
    groups::a_name_beside_the_extreme_of_a_group_is_that_of_the_extreme_row,
    odd_graphs::keywords_are_names_like_others,
    odd_graphs::labels_stay_data,
    odd_graphs::values_with_quotes_and_accents_are_found,
    odd_graphs::classes_in_a_circle_are_tables_like_others,
    odd_graphs::only_classes_that_are_described_alike_are_one_table,
    odd_graphs::classes_with_little_in_common_are_tables_of_their_own,
    odd_graphs::an_entity_with_two_types_is_a_row_of_both_tables,
    odd_graphs::a_type_of_one_entity_is_a_table,
    odd_graphs::texts_among_entities_are_found,
    odd_graphs::units_in_names_are_words_of_the_column,
    odd_graphs::dates_of_different_precision_are_compared_as_far_as_they_go,
    odd_graphs::numbers_in_texts_are_numbers,
    odd_graphs::triples_without_types_are_tables_of_things,
    odd_graphs::a_graph_without_facts_has_no_tables,
    odd_graphs::years_that_lack_a_zero_are_in_order,
    odd_graphs::triples_as_text_may_state_kinds,
    odd_graphs::a_numbered_relation_is_known_by_its_label,
];

/// The files of these tests.
const HEARD_FILES: [&str; 3] =
    [include_str!("corners_of_sql.rs"), include_str!("groups.rs"), include_str!("odd_graphs.rs")];

static EAR: LazyLock<Ear> = LazyLock::new(|| listen(&HEARD));

/// Queries that Virtuoso answers otherwise, each with the reason.
const OTHERWISE_AT_VIRTUOSO: [(&str, &str); 8] = [
    (
        "SELECT name FROM supplier WHERE based_in IN (SELECT name FROM city WHERE name = 'Oslo') ORDER BY name",
        FAILS,
    ),
    ("SELECT price / (price - price) FROM product WHERE name = 'Otter Pump'", FAILS),
    ("SELECT name FROM product WHERE price / (price - price) > 1", FAILS),
    ("SELECT name FROM product WHERE price / (SELECT COUNT(*) FROM product WHERE 1 = 0) > 1", FAILS),
    (
        "SELECT name FROM vehicle GROUP BY name HAVING SUM(load) = (SELECT MAX(total) FROM \
         (SELECT SUM(load) AS total FROM vehicle GROUP BY name))",
        FAILS,
    ),
    ("SELECT price FROM product WHERE price = NULL", "an unbound variable equals all values there"),
    (
        "SELECT name FROM supplier s WHERE EXISTS (SELECT supplier FROM product p WHERE p.supplier = s.name \
         GROUP BY supplier HAVING COUNT(*) > 1)",
        "groups within EXISTS are not those of the outer row there",
    ),
    (
        "SELECT YEAR(released), MONTH(released) FROM film WHERE name = 'Dew'",
        "dates before our era have another text there",
    ),
];

/// Virtuoso gives an error of its own compiler, which is told, and no rows.
const FAILS: &str = "fails";

#[test]
fn every_test_of_the_files_is_heard() {
    let written: usize = HEARD_FILES.iter().map(|file| file.matches("#[tokio::test]").count()).sum();
    assert_eq!(HEARD.len(), written, "a new test belongs to the list too");
}

/// The SQL of these tests: every text that is a query, with the table of orders filled in.
fn questions(shop: &Shop) -> Vec<String> {
    let mut questions = Vec::new();
    let asked = ASKED.concat();
    let mut rest = asked.as_str();
    while let Some(at) = rest.find('"') {
        rest = &rest[at + 1..];
        let mut text = String::new();
        let mut characters = rest.char_indices();
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    rest = &rest[at + 1..];
                    break;
                }
                '\\' => text.extend(characters.next().map(|(_, escaped)| escaped)),
                other => text.push(other),
            }
        }
        if text.starts_with("SELECT ") || text.starts_with("WITH ") {
            questions.push(text.replace("{id}", &shop.id_of("order")));
        }
    }
    questions
}

async fn over(server: &Server, folder: &std::path::Path) -> Workspace {
    let config = EndpointConfig {
        url: server.url.clone(),
        graphs: server.graphs.clone(),
        pause: 1,
        ..EndpointConfig::default()
    };
    let cancel = Arc::new(AtomicBool::new(false));
    let request = SourceRequest { name: "shop".into(), config, embedder: None, progress: None, cancel };
    Workspace::add_source(folder, &request).await.unwrap();
    Workspace::open(folder).unwrap()
}

/// A cell for comparison: a number by its value, an entity by its key.
fn cell(cell: &Option<CellValue>) -> String {
    let Some(cell) = cell else { return "-".into() };
    match (&cell.key, cell.name.parse::<f64>()) {
        (Some(key), _) => key.clone(),
        (None, Ok(number)) => format!("{number:.6}"),
        // The order of a list's parts is each server's own.
        (None, Err(_)) => {
            let mut parts: Vec<&str> = cell.name.split(", ").collect();
            parts.sort_unstable();
            parts.join(", ")
        }
    }
}

fn lines(rows: &RowSet, plan: &Plan) -> Vec<String> {
    let line = |row: &Vec<Option<CellValue>>| row.iter().map(cell).collect::<Vec<_>>().join(" | ");
    let mut lines: Vec<String> = rows.rows.iter().map(line).collect();
    if !plan.ordered {
        lines.sort();
    }
    lines
}

/// What a server made of the queries: how many were compared, and those with other rows.
struct Compared {
    alike: usize,
    others: Vec<String>,
}

/// Asks a server all questions and all queries that were heard.
async fn compare(shop: &Shop, server: &Server, otherwise: &[(&str, &str)]) -> Compared {
    let folder = tempfile::tempdir().unwrap();
    let workspace = over(server, &folder.path().join("workspace")).await;
    let limits = RunLimits::default();
    let mut compared = Compared { alike: 0, others: Vec::new() };
    let mut asked: Vec<(String, Plan, RowSet)> = Vec::new();
    for sql in questions(shop) {
        let Ok(bound) = shop.bound(&sql) else { continue };
        let plan = plan(&bound.query, &shop.tables).unwrap();
        let expected = run(&shop.workspace, &plan, &limits).await.unwrap();
        asked.push((sql, plan, expected));
    }
    assert!(asked.len() >= 120, "the tests' questions are found: {}", asked.len());
    asked.extend(EAR.heard.iter().map(|heard| (heard.sql.clone(), heard.plan.clone(), heard.rows.clone())));
    for (sql, plan, expected) in asked {
        let expected = lines(&expected, &plan);
        let found = match run(&workspace, &plan, &limits).await {
            Ok(rows) => lines(&rows, &plan),
            Err(error) => vec![format!("failed: {error}")],
        };
        if found == expected {
            compared.alike += 1;
        } else if !is_known(otherwise, &sql, &found) {
            compared.others.push(format!("{sql}\n{}\n  {expected:?}\n  {found:?}", plan.sparql()));
        }
    }
    compared
}

/// Whether a query is known to be answered otherwise, by an error where the reason says so.
fn is_known(otherwise: &[(&str, &str)], sql: &str, found: &[String]) -> bool {
    let fails = found.first().is_some_and(|line| line.starts_with("failed: "));
    otherwise.iter().any(|(known, reason)| *known == sql && fails == (*reason == FAILS))
}

/// The triples of all graphs.
fn all_triples(shop: &Shop) -> String {
    let own = ntriples(shop);
    let heard = EAR.triples.iter().map(String::as_str).filter(|line| !own.lines().any(|of| of == *line));
    own.lines().chain(heard).flat_map(|line| [line, "\n"]).collect()
}

fn assert_alike(compared: &Compared) {
    let Compared { alike, others } = compared;
    assert!(others.is_empty(), "{} of {}\n{}", others.len(), alike + others.len(), others.join("\n\n"));
    assert!(*alike >= 1_000, "that many queries are really compared: {alike}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn oxigraphs_server_answers_alike() {
    let shop = Shop::open().await.unwrap();
    let server = servers::oxigraph(&all_triples(&shop));
    assert_alike(&compare(&shop, &server, &[]).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn virtuoso_answers_alike() {
    let shop = Shop::open().await.unwrap();
    let Some(server) = servers::virtuoso(&all_triples(&shop), 10_000) else { return };
    assert_alike(&compare(&shop, &server, &OTHERWISE_AT_VIRTUOSO).await);
}
