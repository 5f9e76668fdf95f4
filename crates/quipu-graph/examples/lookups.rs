//! Measures an import and the three lookups that methods make most.
//!
//! `lookups STORE [--import FILE] [--memory BYTES] [--sample KEYS] [--cold]`
//!
//! With `--import`, imports FILE into STORE, which must not exist. Then times, warm, on 10,000
//! entities drawn in proportion to their degree (seed 7): the relations of an entity; one hop both
//! ways, 50 a relation, with names; two hops, 20 a relation, the first 256 neighbours expanded; and
//! the relations of the entity with most triples. A lookup takes a key and ends with names. Prints
//! microseconds and items returned: p50, p90, p99. `--sample` keeps the keys in a file, so that
//! other engines answer for the same ones. `--cold` times opening and the first answer only, for
//! the middle key of that file.
#![allow(clippy::indexing_slicing, reason = "indices are taken modulo the length")]

use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use quipu_graph::{EmbeddedGraph, GraphError, ImportConfig, Input, Neighbours, NodeId};

const SAMPLE: usize = 10_000;

#[derive(Default)]
struct Arguments {
    store: PathBuf,
    import: Option<PathBuf>,
    memory: Option<u64>,
    sample: Option<PathBuf>,
    cold: bool,
}

fn arguments() -> Result<Arguments, Box<dyn Error>> {
    const USAGE: &str = "usage: lookups STORE [--import FILE] [--memory BYTES] [--sample KEYS] [--cold]";
    let mut words = std::env::args().skip(1);
    let mut found = Arguments { store: words.next().ok_or(USAGE)?.into(), ..Arguments::default() };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(USAGE);
        match word.as_str() {
            "--import" => found.import = Some(value()?.into()),
            "--memory" => found.memory = Some(value()?.parse()?),
            "--sample" => found.sample = Some(value()?.into()),
            "--cold" => found.cold = true,
            _ => return Err(USAGE.into()),
        }
    }
    Ok(found)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = arguments()?;
    if let Some(file) = &arguments.import {
        import(file, &arguments)?;
    }
    let start = Instant::now();
    let graph = EmbeddedGraph::open(&arguments.store)?;
    println!("open: {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    let keys = match &arguments.sample {
        Some(path) if path.exists() => std::fs::read_to_string(path)?.lines().map(str::to_owned).collect(),
        _ => sample(&graph)?,
    };
    if arguments.cold {
        let start = Instant::now();
        let items = one_hop(&graph, &keys[keys.len() / 2])?;
        println!("first answer: {:.2} ms, {items} names", start.elapsed().as_secs_f64() * 1e3);
        return Ok(());
    }
    if let Some(path) = &arguments.sample {
        std::fs::write(path, keys.join("\n") + "\n")?;
    }
    measure("relations of an entity", &keys, |key| relations(&graph, key))?;
    measure("one hop, 50 a relation, with names", &keys, |key| one_hop(&graph, key))?;
    measure("two hops, 20 a relation, 256 expanded", &keys, |key| two_hops(&graph, key))?;
    let (hub, degree) = hub(&graph)?;
    measure(&format!("relations of a hub of {degree} triples"), &vec![hub; 1000], |key| {
        relations(&graph, key)
    })?;
    Ok(())
}

fn import(file: &Path, arguments: &Arguments) -> Result<(), GraphError> {
    let mut config = ImportConfig::new("bench", vec![Input::File(file.into())]);
    config.memory = arguments.memory.unwrap_or(config.memory);
    let start = Instant::now();
    let report = quipu_graph::import(&config, &arguments.store)?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "import: {} statements in {seconds:.2} s, {:.2} million a second; {} triples, {} bytes, {:.1} a triple",
        report.statements,
        report.statements as f64 / seconds / 1e6,
        report.triples,
        report.bytes,
        report.bytes as f64 / report.triples as f64
    );
    println!("import, seconds by stage: {:?}", report.seconds);
    Ok(())
}

/// Keys of entities drawn in proportion to their degree: heads or tails of random triples.
fn sample(graph: &EmbeddedGraph) -> Result<Vec<String>, GraphError> {
    let mut state = 7u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut keys = Vec::with_capacity(SAMPLE);
    while keys.len() < SAMPLE {
        let node = NodeId(random() % graph.entity_count());
        let mut ends = vec![node];
        graph.visit_first(node, 1000, |_, neighbours| ends.extend(neighbours.iter()))?;
        let end = ends[random() as usize % ends.len()];
        if !graph.is_literal(end) {
            keys.push(graph.key(end)?.into_owned());
        }
    }
    Ok(keys)
}

/// The entity with most triples, and their number.
fn hub(graph: &EmbeddedGraph) -> Result<(String, u64), GraphError> {
    let mut most = (NodeId(0), 0);
    for node in (0..graph.entity_count()).map(NodeId) {
        let degree = graph.degree(node)?;
        if degree > most.1 {
            most = (node, degree);
        }
    }
    Ok((graph.key(most.0)?.into_owned(), most.1))
}

fn measure(
    what: &str,
    keys: &[String],
    lookup: impl Fn(&str) -> Result<usize, GraphError>,
) -> Result<(), GraphError> {
    for key in keys {
        black_box(lookup(key)?);
    }
    let mut micros = Vec::with_capacity(keys.len());
    let mut items = Vec::with_capacity(keys.len());
    for key in keys {
        let start = Instant::now();
        items.push(black_box(lookup(key)?));
        micros.push(start.elapsed().as_nanos() as f64 / 1e3);
    }
    micros.sort_by(f64::total_cmp);
    items.sort_unstable();
    let rank = |share: f64| ((keys.len() - 1) as f64 * share) as usize;
    let [middle, ninety, most] = [0.5, 0.9, 0.99].map(|share| micros[rank(share)]);
    let items = [0.5, 0.9, 0.99].map(|share| items[rank(share)]);
    println!("{what}: {middle:.2} / {ninety:.2} / {most:.2} µs; {items:?} items; {} lookups", keys.len());
    Ok(())
}

fn relations(graph: &EmbeddedGraph, key: &str) -> Result<usize, GraphError> {
    use quipu_graph::Graph;
    let Some(node) = graph.find(key)? else { return Ok(0) };
    let mut count = 0;
    for group in graph.groups(node)? {
        black_box(graph.relations().get(group?.step.relation.0 as usize).map(|info| &info.name));
        count += 1;
    }
    Ok(count)
}

fn one_hop(graph: &EmbeddedGraph, key: &str) -> Result<usize, GraphError> {
    let Some(node) = graph.find(key)? else { return Ok(0) };
    let mut lists: Vec<Neighbours<'_>> = Vec::new();
    graph.visit_first(node, 50, |_, neighbours| lists.push(neighbours))?;
    let mut count = 0;
    graph.visit_names(lists.iter().flat_map(Neighbours::iter), |_, name| {
        black_box(name.as_bytes().first());
        count += 1;
    })?;
    Ok(count)
}

fn two_hops(graph: &EmbeddedGraph, key: &str) -> Result<usize, GraphError> {
    let Some(node) = graph.find(key)? else { return Ok(0) };
    let mut first = Vec::new();
    graph.visit_first(node, 20, |_, neighbours| first.extend(neighbours.iter()))?;
    first.truncate(256);
    let mut count = first.len();
    for neighbour in first {
        graph
            .visit_first(neighbour, 20, |_, neighbours| count += neighbours.iter().map(black_box).count())?;
    }
    Ok(count)
}
