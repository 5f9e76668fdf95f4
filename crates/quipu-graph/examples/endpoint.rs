//! Compares the latency of an endpoint with that of a store of the same graph: `relations_of`,
//! `expand` and `summaries` without any cache, for single nodes and for batches, over nodes chosen
//! evenly from the store.
//!
//! ```text
//! cargo run --release --workspace --example endpoint -- STORE URL [GRAPH-IRI]
//! ```

use std::path::Path;
use std::time::{Duration, Instant};

use quipu_graph::{
    EmbeddedGraph, EndpointConfig, EndpointGraph, EndpointParts, Graph, GraphError, NodeId, iri_of_key,
    key_of_iri, survey,
};

/// Rounds of each measurement.
const ROUNDS: usize = 40;
/// Neighbours of a step, as enumerating paths takes them.
const LIMIT: usize = 256;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(store), Some(url)) = (arguments.next(), arguments.next()) else {
        return Err("usage: endpoint STORE URL [GRAPH-IRI]".into());
    };
    let stored = EmbeddedGraph::open(Path::new(&store))?;
    let config =
        EndpointConfig { url, graphs: arguments.collect(), cache_hours: 0, ..EndpointConfig::default() };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let catalogue = survey("measured", &config, None).await?;
        println!("{}: {} triples", catalogue.server, catalogue.description.triples);
        println!(
            "{:22} {:>8} {:>12} {:>12} {:>9} {:>9}",
            "call", "nodes", "store p50", "endpoint p50", "p95", "requests"
        );
        for nodes in [1, 10, 100] {
            for call in ["relations_of", "expand", "summaries"] {
                measure(call, nodes, &stored, &config, &catalogue).await?;
            }
        }
        Ok::<(), GraphError>(())
    })?;
    Ok(())
}

async fn measure(
    call: &str,
    batch: usize,
    stored: &EmbeddedGraph,
    config: &EndpointConfig,
    catalogue: &quipu_graph::Catalogue,
) -> Result<(), GraphError> {
    let (mut near, mut far, mut requests) = (Vec::new(), Vec::new(), 0);
    let warm = open(config, catalogue)?;
    warm.reach().await?;
    for round in 0..ROUNDS {
        let stride = stored.entity_count() / (ROUNDS * batch + 1) as u64;
        let nodes: Vec<NodeId> =
            (0..batch as u64).map(|at| NodeId((at * ROUNDS as u64 + round as u64) * stride)).collect();
        near.push(timed(call, stored, &nodes).await?);
        // A fresh graph has empty caches. The first request opens the connection.
        let graph = open(config, catalogue)?;
        graph.reach().await?;
        let mut own = Vec::with_capacity(nodes.len());
        for node in nodes {
            let key = stored.key(node)?;
            own.push(graph.node_of_key(&key_of_iri(&iri_of_key(&key))));
        }
        far.push(timed(call, &graph, &own).await?);
        requests += graph.traffic().requests - 1;
    }
    near.sort_unstable();
    far.sort_unstable();
    let at =
        |times: &[Duration], share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    println!(
        "{call:22} {batch:>8} {:>9.3} ms {:>9.2} ms {:>6.2} ms {:>9.1}",
        at(&near, 50).as_secs_f64() * 1e3,
        at(&far, 50).as_secs_f64() * 1e3,
        at(&far, 95).as_secs_f64() * 1e3,
        requests as f64 / ROUNDS as f64,
    );
    Ok(())
}

fn open(config: &EndpointConfig, catalogue: &quipu_graph::Catalogue) -> Result<EndpointGraph, GraphError> {
    let (config, catalogue) = (config.clone(), catalogue.clone());
    EndpointGraph::open(EndpointParts { config, catalogue, names: None, cache: None })
}

async fn timed(call: &str, graph: &dyn Graph, nodes: &[NodeId]) -> Result<Duration, GraphError> {
    let start = Instant::now();
    match call {
        "relations_of" => drop(graph.relations_of(nodes).await?),
        "expand" => drop(graph.expand(nodes, None, LIMIT).await?),
        _ => drop(graph.summaries(nodes).await?),
    }
    Ok(start.elapsed())
}
