//! Random SQL over the shop, some of it misspelt: a bound query runs, an unbound one gives the
//! reason, and a plan's text means the same as the plan.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "set-up of tests")]

use crate::common;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use common::Shop;
use oxrdf::{Dataset, Term};
use oxrdfio::{RdfFormat, RdfParser};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use quipu_graph::GraphError;
use quipu_query::{Plan, QueryError, RunLimits, is_too_much, plan, run};
use spareval::{QueryEvaluator, QueryResults};
use spargebra::SparqlParser;

static RUNTIME: LazyLock<tokio::runtime::Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap());
static SHOP: LazyLock<Shop> = LazyLock::new(|| RUNTIME.block_on(Shop::open()).unwrap());
static TRIPLES: LazyLock<Dataset> = LazyLock::new(|| {
    let parser = RdfParser::from_format(RdfFormat::Turtle);
    parser.for_slice(include_bytes!("shop.ttl")).collect::<Result<_, _>>().unwrap()
});

/// The kinds of the shop's columns.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Thing,
    Number,
    Date,
    Flag,
    Text,
}

type Columns = &'static [(&'static str, Of, &'static [&'static str])];

const TABLES: [(&str, Columns); 5] = [
    (
        "product",
        &[
            ("name", Of::Thing, &["Falcon Drill", "Owl Lamp", "lamp", "Heron Sander"]),
            ("price", Of::Number, &["120", "80", "200.5", "0", "-1"]),
            ("supplier", Of::Thing, &["Acme", "Cova", "Brix & Sohne", "acmee"]),
            ("in_stock", Of::Flag, &["TRUE", "FALSE", "1"]),
            ("launched", Of::Date, &["2021-03-01", "2021", "2020-11", "2022-01-31T00:00:00"]),
        ],
    ),
    (
        "supplier",
        &[
            ("name", Of::Thing, &["Acme", "Brix & Söhne"]),
            ("based_in", Of::Thing, &["Oslo", "lima"]),
            ("founded", Of::Date, &["1990", "1985-06-01"]),
            ("code", Of::Text, &["A1", "B2", "x"]),
        ],
    ),
    ("city", &[("name", Of::Thing, &["Oslo", "Lima"]), ("population", Of::Number, &["709000", "1e6"])]),
    (
        "order",
        &[
            ("name", Of::Thing, &["order 1", "order 3"]),
            ("of", Of::Thing, &["Falcon Drill", "Otter Pump"]),
            ("quantity", Of::Number, &["1", "3"]),
            ("placed", Of::Date, &["2023-02-11", "2023-02"]),
            ("supplier_code", Of::Text, &["A1", "B2"]),
        ],
    ),
    (
        "product_colour",
        &[("product", Of::Thing, &["Falcon Drill"]), ("colour", Of::Text, &["red", "BLUE", "green"])],
    ),
];

/// Equalities that join two tables, as people write them; some are wrong.
const JOINS: [(usize, usize, &str, &str); 9] = [
    (0, 1, "supplier", "name"),
    (1, 2, "based_in", "name"),
    (3, 0, "of", "name"),
    (3, 1, "supplier_code", "code"),
    (4, 0, "product", "name"),
    (0, 1, "supplier", "code"),
    (0, 1, "name", "name"),
    (0, 2, "name", "name"),
    (1, 2, "founded", "population"),
];

/// A table of a query: its position in [`TABLES`] and its alias.
type Used = (usize, String);

/// Writes SQL from a row of choices; choice 0 is the plainest.
struct Writer<'a> {
    choices: &'a [u8],
    aliases: usize,
    depth: usize,
}

impl Writer<'_> {
    fn choose(&mut self, of: usize) -> usize {
        let Some((first, rest)) = self.choices.split_first() else { return 0 };
        self.choices = rest;
        usize::from(*first) % of
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.choose(list.len())]
    }

    /// `true` once in `often` choices.
    fn sometimes(&mut self, often: usize) -> bool {
        self.choose(often) == often - 1
    }

    /// A name, sometimes with a typing error.
    fn name(&mut self, name: &str) -> String {
        if !self.sometimes(12) {
            return name.to_owned();
        }
        match self.choose(7) {
            0 => format!("{name}s"),
            1 => name.to_uppercase(),
            2 => name[..name.len() - 1].to_owned(),
            3 => name.replace('_', " ").split(' ').collect::<Vec<_>>().concat(),
            4 => format!("\"{}\"", name.replace('_', " ")),
            5 => format!("the_{name}"),
            _ => "gravity".to_owned(),
        }
    }

    fn table(&mut self) -> Used {
        let at = self.one_of(&[0, 0, 1, 3, 2, 4]);
        (at, self.alias())
    }

    fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("t{}", self.aliases)
    }

    fn column(&mut self, used: &[Used]) -> (String, Of, &'static [&'static str]) {
        let (table, alias) = &used[self.choose(used.len())];
        let (column, kind, values) = self.one_of(TABLES[*table].1);
        let name = self.name(column);
        (if self.sometimes(5) { name } else { format!("{alias}.{name}") }, kind, values)
    }

    fn value(&mut self, kind: Of, values: &[&str]) -> String {
        let value = if self.sometimes(15) { "it's" } else { self.one_of(values) };
        match kind {
            Of::Number | Of::Flag if !self.sometimes(10) => value.replace("it's", "0"),
            _ => format!("'{}'", value.replace('\'', "''")),
        }
    }

    fn scalar(&mut self, used: &[Used]) -> String {
        let inner = self.table();
        let of = vec![inner.clone()];
        let (column, kind, _) = self.column(&of);
        let aggregate = match kind {
            Of::Number => self.one_of(&["AVG", "MAX", "MIN", "SUM", "COUNT"]),
            _ => self.one_of(&["COUNT", "MAX", "MIN"]),
        };
        let filter = match self.choose(3) {
            0 => String::new(),
            1 => format!(" WHERE {}", self.condition(&of)),
            _ => self.correlated(&inner, used).map_or_else(String::new, |on| format!(" WHERE {on}")),
        };
        format!("(SELECT {aggregate}({column}) FROM {} AS {}{filter})", TABLES[inner.0].0, inner.1)
    }

    /// An equality between an inner and an outer table.
    fn correlated(&mut self, inner: &Used, used: &[Used]) -> Option<String> {
        let outer = &used[self.choose(used.len())];
        JOINS.iter().find_map(|(a, b, left, right)| match () {
            () if (*a, *b) == (inner.0, outer.0) => Some(format!("{}.{left} = {}.{right}", inner.1, outer.1)),
            () if (*b, *a) == (inner.0, outer.0) => Some(format!("{}.{right} = {}.{left}", inner.1, outer.1)),
            () => None,
        })
    }

    fn condition(&mut self, used: &[Used]) -> String {
        self.depth += 1;
        let condition = self.condition_within(used);
        self.depth -= 1;
        condition
    }

    fn condition_within(&mut self, used: &[Used]) -> String {
        let (column, kind, values) = self.column(used);
        match self.choose(if self.depth > 3 { 6 } else { 12 }) {
            0 | 1 => {
                let comparison = self.one_of(&["=", "=", "<>", "<", ">=", ">"]);
                format!("{column} {comparison} {}", self.value(kind, values))
            }
            2 => format!("{column} IN ({}, {})", self.value(kind, values), self.value(kind, values)),
            3 => {
                let pattern = self.one_of(&["%o%", "F%", "%a", "Owl Lamp", "2021%", "_cme", "%&%"]);
                format!("{column} {}LIKE '{pattern}'", self.one_of(&["", "NOT "]))
            }
            4 => format!("{column} IS {}NULL", self.one_of(&["", "NOT "])),
            5 => format!("{column} BETWEEN {} AND {}", self.value(kind, values), self.value(kind, values)),
            6 => format!("NOT ({})", self.condition(used)),
            7 => format!("({} AND {})", self.condition(used), self.condition(used)),
            8 => format!("({} OR {})", self.condition(used), self.condition(used)),
            9 => {
                let inner = self.table();
                let of = vec![inner.clone()];
                let (within, ..) = self.column(&of);
                let (not, filter) = (self.one_of(&["", "NOT "]), self.condition(&of));
                let from = format!("{} AS {}", TABLES[inner.0].0, inner.1);
                format!("{column} {not}IN (SELECT {within} FROM {from} WHERE {filter})")
            }
            10 => {
                let inner = self.table();
                let of = vec![inner.clone()];
                let on = self.correlated(&inner, used).unwrap_or_else(|| self.condition(&of));
                let not = self.one_of(&["", "NOT "]);
                format!("{not}EXISTS (SELECT 1 FROM {} AS {} WHERE {on})", TABLES[inner.0].0, inner.1)
            }
            _ => format!("{column} {} {}", self.one_of(&[">", "=", "<="]), self.scalar(used)),
        }
    }

    fn item(&mut self, used: &[Used]) -> String {
        let (column, kind, values) = self.column(used);
        match self.choose(10) {
            0..=2 => column,
            3 if kind == Of::Number => {
                let other = self.one_of(&["2", "(1 - 3)", "0", "2 - 1"]);
                format!("{column} {} {other}", self.one_of(&["+", "-", "*", "/"]))
            }
            3 if kind == Of::Date => {
                format!("{}({column})", self.one_of(&["YEAR", "MONTH", "DATE", "julianday"]))
            }
            3 => format!("UPPER({column})"),
            4 => format!("CASE WHEN {} THEN {column} ELSE 0 END", self.condition(used)),
            5 => format!("COALESCE({column}, {})", self.value(kind, values)),
            6 => self.scalar(used),
            7 => format!("{column} AS \"{}\"", self.one_of(&["x", "the name", "order", "a\"\"b", "1st"])),
            8 => format!("({}) AS flag", self.condition(used)),
            _ => format!("ROUND({column}, 1) - ABS({column})"),
        }
    }

    fn from(&mut self) -> (String, Vec<Used>) {
        let first = self.table();
        let table = self.name(TABLES[first.0].0);
        if self.sometimes(14) {
            let inner = self.select();
            return (format!("({inner}) AS {0}", first.1), vec![first]);
        }
        let mut from = format!("{table} AS {}", first.1);
        let mut used = vec![first];
        for _ in 0..self.choose(3) {
            let joins: Vec<_> =
                JOINS.iter().filter(|join| join.0 == used[0].0 || join.1 == used[0].0).collect();
            let (a, b, left, right) = *self.one_of(&joins);
            let (other, own, far) = if a == used[0].0 { (b, left, right) } else { (a, right, left) };
            let alias = self.alias();
            let (kind, own, far) = (self.one_of(&["JOIN", "LEFT JOIN"]), self.name(own), self.name(far));
            from.push_str(&format!(
                " {kind} {} AS {alias} ON {}.{own} = {alias}.{far}",
                TABLES[other].0, used[0].1
            ));
            used.push((other, alias));
        }
        (from, used)
    }

    fn select(&mut self) -> String {
        let (from, used) = self.from();
        let filter =
            if self.sometimes(3) { String::new() } else { format!(" WHERE {}", self.condition(&used)) };
        if self.sometimes(3) {
            let (group, ..) = self.column(&used);
            let (of, kind, _) = self.column(&used);
            let aggregate = if kind == Of::Number { self.one_of(&["SUM", "AVG", "MAX"]) } else { "COUNT" };
            let having = self.one_of(&["", " HAVING COUNT(*) > 1"]);
            let order = self.one_of(&["", " ORDER BY COUNT(*) DESC", " ORDER BY 1"]);
            return format!(
                "SELECT {group}, {aggregate}({of}), COUNT(*) FROM {from}{filter} GROUP BY {group}{having}{order}"
            );
        }
        let items: Vec<String> = (0..=self.choose(3)).map(|_| self.item(&used)).collect();
        let distinct = self.one_of(&["", "", "DISTINCT "]);
        let order = if self.sometimes(3) {
            format!(" ORDER BY {}{}", self.column(&used).0, self.one_of(&["", " DESC"]))
        } else {
            String::new()
        };
        let limit = if self.sometimes(6) { " LIMIT 2" } else { "" };
        format!("SELECT {distinct}{} FROM {from}{filter}{order}{limit}", items.join(", "))
    }

    fn query(&mut self) -> String {
        let first = self.select();
        if !self.sometimes(8) || first.contains("ORDER BY") || first.contains("LIMIT") {
            return first;
        }
        let operator = self.one_of(&["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]);
        let other = (0..9)
            .map(|_| self.select())
            .find(|other| !other.contains("ORDER BY") && !other.contains("LIMIT"));
        other.map_or(first.clone(), |other| format!("{first} {operator} {other}"))
    }
}

fn sql(choices: &[u8]) -> String {
    Writer { choices, aliases: 0, depth: 0 }.query()
}

fn queries() -> impl Strategy<Value = String> {
    proptest::collection::vec(any::<u8>(), 20..200).prop_map(|choices| sql(&choices))
}

/// Rows for comparison: the order of ties does not matter, nor does that of a list in one cell.
type Rows = BTreeMap<Vec<String>, usize>;

fn counted(rows: impl Iterator<Item = Vec<Option<Term>>>) -> Rows {
    let mut counts = Rows::new();
    for row in rows {
        let cell = |term: Option<Term>| term.map_or_else(String::new, |term| term.to_string());
        *counts.entry(row.into_iter().map(cell).collect()).or_default() += 1;
    }
    counts
}

fn evaluated(query: &spargebra::Query, plan: &Plan) -> Rows {
    let evaluator = QueryEvaluator::new();
    let QueryResults::Solutions(solutions) = evaluator.prepare(query).execute(&*TRIPLES).unwrap() else {
        panic!("a plan is a SELECT")
    };
    let of = |solution: &spareval::QuerySolution| {
        plan.columns.iter().map(|column| solution.get(&column.variable).cloned()).collect()
    };
    counted(solutions.map(|solution| of(&solution.unwrap())))
}

fn ran(plan: &Plan) -> Result<Rows, QueryError> {
    let rows = RUNTIME.block_on(run(&SHOP.workspace, plan, &RunLimits::default()))?;
    assert!(!rows.more, "the shop is small");
    let terms =
        rows.rows.into_iter().map(|row| row.into_iter().map(|cell| cell.map(|cell| cell.term)).collect());
    Ok(counted(terms))
}

fn total(rows: &Rows) -> usize {
    rows.values().sum()
}

/// Whether two sets of rows are the same. If a query takes the first few rows, ties may differ.
fn same(sql: &str, left: &Rows, right: &Rows) -> bool {
    if sql.contains("LIMIT") {
        total(left) == total(right) || sql.matches("SELECT").count() > 1
    } else {
        left == right
    }
}

fn check(sql: &str) -> Result<bool, TestCaseError> {
    let bound = match SHOP.bound(sql) {
        Ok(bound) => bound,
        Err(QueryError::Refused(reason) | QueryError::Unbound(reason)) => {
            prop_assert!(!reason.is_empty(), "{}", sql);
            prop_assert!(!reason.starts_with("this is no SQL"), "{}: {}", sql, reason);
            return Ok(false);
        }
        Err(error) => return Err(TestCaseError::fail(format!("{sql}: {error}"))),
    };
    let plan = match plan(&bound.query, &SHOP.tables) {
        Ok(plan) => plan,
        Err(QueryError::Refused(reason)) => {
            prop_assert!(!reason.is_empty(), "{}", sql);
            return Ok(false);
        }
        Err(error) => return Err(TestCaseError::fail(format!("{sql}: {error}"))),
    };
    let sparql = plan.sparql();
    let parsed = SparqlParser::new().parse_query(&sparql);
    let parsed = parsed.map_err(|error| TestCaseError::fail(format!("{sql}\n{sparql}\n{error}")))?;
    let (meant, written) = (evaluated(&plan.query, &plan), evaluated(&parsed, &plan));
    prop_assert!(same(sql, &meant, &written), "{}\n{}\n{:?}\n{:?}", sql, sparql, meant, written);
    let given = match ran(&plan) {
        Ok(rows) => rows,
        Err(error) if is_too_much(&error) => return Ok(true),
        Err(QueryError::Graph(GraphError::Usage(_))) => return Ok(true),
        Err(error) => return Err(TestCaseError::fail(format!("{sql}\n{sparql}\n{error}"))),
    };
    prop_assert!(same(sql, &given, &written), "{}\n{}\n{:?}\n{:?}", sql, sparql, given, written);
    let printed = bound.query.to_string();
    let again =
        SHOP.plan(&printed).map_err(|error| TestCaseError::fail(format!("{sql}\n{printed}\n{error}")))?;
    let again = ran(&again).map_err(|error| TestCaseError::fail(format!("{sql}\n{printed}\n{error}")))?;
    prop_assert!(same(sql, &given, &again), "{}\n{}\n{:?}\n{:?}", sql, printed, given, again);
    Ok(true)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000,
        rng_seed: RngSeed::Fixed(26),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_binds_runs_and_what_does_not_says_why(sql in queries()) {
        check(&sql)?;
    }
}

/// Most random queries must bind, or the test above would test little.
#[test]
fn most_random_queries_run() {
    let mut state = 5_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    let ran = (0..100).filter(|_| {
        let choices: Vec<u8> = (0..60).map(|_| random()).collect();
        check(&sql(&choices)).unwrap()
    });
    assert!(ran.count() > 40);
}
