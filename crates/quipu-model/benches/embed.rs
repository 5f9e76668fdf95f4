//! The speed of embedding with all-MiniLM-L6-v2 of the models folder: names of about six tokens and
//! passages of about 120, made from a list of words by a fixed rule; and the latency of a single
//! name. No text repeats, so the cache never answers.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench ends where something fails"
)]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use divan::Bencher;
use divan::counter::ItemsCount;
use quipu_model::{Embedder, LocalEmbedder, Registry};
use tokio::runtime::Runtime;

const WORDS: [&str; 16] = [
    "river", "capital", "the", "north", "film", "director", "of", "Lima", "ancient", "knot", "record",
    "city", "and", "mountain", "village", "year",
];

fn main() {
    divan::main();
}

fn embedder() -> &'static LocalEmbedder {
    static EMBEDDER: OnceLock<LocalEmbedder> = OnceLock::new();
    EMBEDDER.get_or_init(|| {
        let folder = Registry::open().unwrap().path("all-minilm-l6-v2").unwrap();
        LocalEmbedder::open("all-minilm-l6-v2", &folder).unwrap()
    })
}

/// `count` texts of `words` words each, different at each call.
fn texts(count: usize, words: usize) -> Vec<String> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let first = NEXT.fetch_add(count, Ordering::Relaxed);
    let text = |number: usize| {
        let words = (0..words).map(|place| WORDS[(number * 7 + place * place * 5 + place) % WORDS.len()]);
        format!("{number} {}", words.collect::<Vec<_>>().join(" "))
    };
    (first..first + count).map(text).collect()
}

fn run(bencher: Bencher<'_, '_>, count: usize, words: usize) {
    let runtime = Runtime::new().unwrap();
    bencher.counter(ItemsCount::new(count)).with_inputs(|| texts(count, words)).bench_values(|texts| {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        runtime.block_on(embedder().embed(&texts)).unwrap()
    });
}

#[divan::bench(sample_count = 20)]
fn names(bencher: Bencher<'_, '_>) {
    run(bencher, 2000, 3);
}

#[divan::bench(sample_count = 10)]
fn passages(bencher: Bencher<'_, '_>) {
    run(bencher, 128, 116);
}

#[divan::bench(sample_count = 300, sample_size = 1)]
fn one_name(bencher: Bencher<'_, '_>) {
    run(bencher, 1, 3);
}
