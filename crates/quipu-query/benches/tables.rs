//! Counts, renders and queries the tables of a graph: `cargo bench -p quipu-query --bench tables`.
//!
//! Data: seeded shops, each imported into a temporary folder first. The usual one has 100,000
//! orders, 2,000 products, 200 suppliers and 20 cities, together 512,000 triples; a small one has
//! 100,000 triples. With `QUIPU_LARGE=1` a third one has 10 million triples: the usual one and the
//! visits of its customers. If `QUIPU_TRIPLES` names a file, such as one from quipu-graph's example
//! `generate`, the tables of that graph are counted too. One plan joins three tables to the orders
//! and groups all of them.
//!
//! If `QUIPU_SHOP` names a folder, the shop and the plans' SPARQL are written there for
//! `benches/compare/plans.py`, which asks Oxigraph the same; those of 10 million triples into its
//! folder `large`.
#![expect(clippy::unwrap_used, reason = "a benchmark stops at the first thing that is wrong")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use divan::Bencher;
use quipu_graph::{ImportConfig, Input};
use quipu_index::{ImportRequest, Workspace};
use quipu_query::{
    Found, Plan, Relevance, RenderConfig, RunLimits, Tables, Values, bind, count_tables, plan, read_sql, run,
};

fn main() {
    divan::main();
}

/// How much a shop holds.
#[derive(Clone, Copy)]
struct Size {
    orders: usize,
    visits: usize,
}

/// 512,000 triples.
const USUAL: Size = Size { orders: 100_000, visits: 0 };
/// 100,000 triples.
const SMALL: Size = Size { orders: 18_200, visits: 0 };
/// 10 million triples, of which the plans read as many as of the usual shop.
const LARGE: Size = Size { orders: 100_000, visits: 2_372_000 };
const PRODUCTS: usize = 2_000;
const SUPPLIERS: usize = 200;
const CITIES: usize = 20;

const GROUPS: &str = "SELECT c.name, COUNT(*), AVG(o.quantity) FROM purchase o JOIN product p ON o.of = p.name \
    JOIN supplier s ON p.supplier = s.name JOIN city c ON s.based_in = c.name GROUP BY c.name";
const EXTREME: &str =
    "SELECT name, quantity FROM purchase WHERE placed >= '2024-06-01' ORDER BY quantity DESC LIMIT 5";
const RARE: &str =
    "SELECT COUNT(*) FROM purchase o JOIN product p ON o.of = p.name WHERE p.name = 'product 7'";

static RUNTIME: LazyLock<tokio::runtime::Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
});
static SHOP: LazyLock<Shop> = LazyLock::new(|| {
    let (folder, file) = written(USUAL);
    if let Some(kept) = kept() {
        std::fs::create_dir_all(&kept).unwrap();
        std::fs::copy(&file, kept.join("shop.ttl")).unwrap();
    }
    Shop::of(folder, &file)
});
static SMALL_SHOP: LazyLock<Shop> = LazyLock::new(|| {
    let (folder, file) = written(SMALL);
    Shop::of(folder, &file)
});
/// None without `QUIPU_LARGE`.
static LARGE_SHOP: LazyLock<Option<Shop>> = LazyLock::new(|| {
    if std::env::var_os("QUIPU_LARGE").is_none() {
        eprintln!("without QUIPU_LARGE=1 no shop of 10 million triples is queried");
        return None;
    }
    let (folder, file) = written(LARGE);
    let kept = kept().map(|kept| kept.join("large"));
    if let Some(kept) = &kept {
        std::fs::create_dir_all(kept).unwrap();
        std::fs::copy(&file, kept.join("shop.ttl")).unwrap();
    }
    let shop = Shop::of(folder, &file);
    if let Some(kept) = kept {
        std::fs::write(kept.join("groups.rq"), shop.plan(GROUPS).sparql()).unwrap();
    }
    Some(shop)
});

/// A folder with a shop in Turtle.
fn written(size: Size) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.ttl");
    std::fs::write(&file, turtle(size)).unwrap();
    (folder, file)
}

/// The folder for the other engine, if given.
fn kept() -> Option<PathBuf> {
    std::env::var_os("QUIPU_SHOP").map(PathBuf::from)
}

struct Shop {
    workspace: Workspace,
    tables: Tables,
    values: Values,
    _folder: tempfile::TempDir,
}

impl Shop {
    fn of(folder: tempfile::TempDir, file: &Path) -> Self {
        let place = folder.path().join("workspace");
        let graph = ImportConfig::new("shop", vec![Input::File(file.to_owned())]);
        RUNTIME.block_on(async {
            let request = ImportRequest { graph, embedder: None, progress: None };
            Workspace::import(&place, &request).await.unwrap();
            let workspace = Workspace::open(&place).unwrap();
            let tables = count_tables(workspace.graph().as_ref()).await.unwrap();
            let values = Values::read(&workspace, &tables).await.unwrap();
            Self { workspace, tables, values, _folder: folder }
        })
    }

    fn plan(&self, sql: &str) -> Plan {
        let query = read_sql(sql, None).unwrap();
        let bound = bind(query, &self.tables, &self.values, &Found::default()).unwrap();
        plan(&bound.query, &self.tables).unwrap()
    }
}

/// SplitMix64: enough for test data, and the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((number ^ (number >> 31)) % limit as u64) as usize
    }
}

fn turtle(size: Size) -> String {
    let mut random = Random(1);
    let mut text = String::from(
        "@prefix : <http://shop.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:City rdfs:label \"city\" . :Supplier rdfs:label \"supplier\" . :Product rdfs:label \"product\" .
:Order rdfs:label \"purchase\" . :madeBy rdfs:label \"supplier\" . :basedIn rdfs:label \"based in\" .
",
    );
    for at in 0..CITIES {
        writeln!(
            text,
            ":c{at} a :City ; rdfs:label \"city {at}\" ; :population {} .",
            random.below(1_000_000)
        )
        .unwrap();
    }
    for at in 0..SUPPLIERS {
        writeln!(
            text,
            ":s{at} a :Supplier ; rdfs:label \"supplier {at}\" ; :basedIn :c{} .",
            random.below(CITIES)
        )
        .unwrap();
    }
    for at in 0..PRODUCTS {
        let (price, supplier) = (random.below(50_000), random.below(SUPPLIERS));
        writeln!(
            text,
            ":p{at} a :Product ; rdfs:label \"product {at}\" ; :price {price} ; :madeBy :s{supplier} ."
        )
        .unwrap();
    }
    for at in 0..size.orders {
        let (product, quantity) = (random.below(PRODUCTS), 1 + random.below(9));
        let (month, day) = (1 + random.below(12), 1 + random.below(28));
        writeln!(
            text,
            ":o{at} a :Order ; rdfs:label \"order {at}\" ; :of :p{product} ; :quantity {quantity} ; \
             :placed \"2024-{month:02}-{day:02}\"^^xsd:date ."
        )
        .unwrap();
    }
    for at in 0..size.visits {
        let (product, seconds) = (random.below(PRODUCTS), 1 + random.below(900));
        writeln!(
            text,
            ":v{at} a :Visit ; rdfs:label \"visit {at}\" ; :looksAt :p{product} ; :seconds {seconds} ."
        )
        .unwrap();
    }
    text
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn count_tables_of_the_shop(bencher: Bencher) {
    let shop = &*SHOP;
    bencher.bench(|| RUNTIME.block_on(count_tables(shop.workspace.graph().as_ref())).unwrap().tables.len());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn count_tables_of_a_file(bencher: Bencher) {
    let Some(file) = std::env::var_os("QUIPU_TRIPLES").map(PathBuf::from) else {
        eprintln!("QUIPU_TRIPLES names no file; no tables of one are counted");
        return;
    };
    let started = std::time::Instant::now();
    let graph = Shop::of(tempfile::tempdir().unwrap(), &file);
    eprintln!("imported, opened and its values read in {:.1} s", started.elapsed().as_secs_f64());
    bencher.bench(|| RUNTIME.block_on(count_tables(graph.workspace.graph().as_ref())).unwrap().tables.len());
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn read_values(bencher: Bencher) {
    let shop = &*SHOP;
    bencher.bench(|| RUNTIME.block_on(Values::read(&shop.workspace, &shop.tables)).unwrap());
}

#[divan::bench]
fn render(bencher: Bencher) {
    let shop = &*SHOP;
    let relevance = Relevance::by_words(&shop.tables, "How many purchases has each city?");
    bencher.bench(|| shop.tables.render(&relevance, &RenderConfig::default()).text.len());
}

#[divan::bench]
fn read_bind_and_plan(bencher: Bencher) {
    let shop = &*SHOP;
    bencher.bench(|| shop.plan(GROUPS).sparql().len());
}

fn run_plan(bencher: Bencher, name: &str, sql: &str, rows: usize) {
    if let Some(kept) = kept() {
        std::fs::write(kept.join(format!("{name}.rq")), SHOP.plan(sql).sparql()).unwrap();
    }
    run_plan_of(bencher, &SHOP, sql, rows);
}

fn run_plan_of(bencher: Bencher, shop: &Shop, sql: &str, rows: usize) {
    let plan = shop.plan(sql);
    let limits = RunLimits { time: Duration::from_secs(60), ..RunLimits::default() };
    bencher.bench(|| {
        let found = RUNTIME.block_on(run(&shop.workspace, &plan, &limits)).unwrap();
        assert_eq!(found.rows.len(), rows);
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn run_three_joins_with_groups(bencher: Bencher) {
    run_plan(bencher, "groups", GROUPS, CITIES);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn run_an_order_of_half_the_rows(bencher: Bencher) {
    run_plan(bencher, "extreme", EXTREME, 5);
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn run_a_count_of_one_name(bencher: Bencher) {
    run_plan(bencher, "rare", RARE, 1);
}

/// Reads, binds, plans and runs each plan, as for one question.
#[divan::bench(args = [GROUPS, EXTREME, RARE], sample_count = 10, sample_size = 1)]
fn plan_and_run_on_100_000_triples(bencher: Bencher, sql: &str) {
    let shop = &*SMALL_SHOP;
    let limits = RunLimits { time: Duration::from_secs(60), ..RunLimits::default() };
    bencher.bench(|| RUNTIME.block_on(run(&shop.workspace, &shop.plan(sql), &limits)).unwrap().rows.len());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn run_three_joins_with_groups_on_10_million_triples(bencher: Bencher) {
    if let Some(shop) = &*LARGE_SHOP {
        run_plan_of(bencher, shop, GROUPS, CITIES);
    }
}
