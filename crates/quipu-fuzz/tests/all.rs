//! Runs every target on its stored inputs, and briefly on mutations of them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use quipu_fuzz::{Mutator, TARGETS, Target, seeds};

/// Time for mutated inputs of each target; `QUIPU_FUZZ_SECONDS` sets it.
const MOMENT: Duration = Duration::from_millis(300);

/// Runs a target and reports the input if it fails.
fn give(target: Target, bytes: &[u8]) {
    if catch_unwind(AssertUnwindSafe(|| (target.run)(bytes))).is_err() {
        let shown = bytes.escape_ascii();
        panic!("{}, given \"{shown}\"", target.name);
    }
}

fn check(name: &str) {
    let target = quipu_fuzz::target(name).unwrap();
    let inputs = seeds(name);
    assert!(inputs.iter().any(|input| !input.is_empty()), "{name} has no inputs to start from");
    inputs.iter().for_each(|input| give(target, input));
    give(target, b"");
    let seconds = std::env::var("QUIPU_FUZZ_SECONDS").ok().map(|seconds| seconds.parse().unwrap());
    let moment = seconds.map_or(MOMENT, Duration::from_secs);
    // A different seed in each run would find more, but would not be reproducible.
    let mut mutator = Mutator::new(0x5175_6970_7521);
    let (start, mut tried) = (Instant::now(), 0_u64);
    while start.elapsed() < moment {
        give(target, &mutator.next(&inputs));
        tried += 1;
    }
    println!("{name}: {} kept inputs, {tried} changed ones", inputs.len());
}

/// A test for each target.
macro_rules! checked {
    ($($name:ident),* $(,)?) => {
        $(#[test] fn $name() { check(stringify!($name)); })*

        #[test]
        fn every_target_is_checked() {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

checked! {
    ntriples, nquads, turtle, trig, rdfxml, jsonld, tsv, csv, skb, wikidata, compressed, profile, store, index,
    settings, safetensors, gguf, embedder, wheel, sql, sparql, cypher, reply, schema, plain, html, pdf, markdown,
    questions, openapi, manifest, configuration, http, chat, endpoint, api,
}
