//! How fast all-MiniLM-L6-v2 makes vectors, printed as `benches/compare/embed_onnx.py` prints it for onnxruntime, on the same texts:
//! names of 8 tokens, passages of 121, and the wait for one name. No text comes twice, so that the cache answers none.
//!
//! `embedding FOLDER`: the model's folder, as `quipu models path all-minilm-l6-v2` prints it.
#![allow(clippy::indexing_slicing, reason = "indices are taken modulo the length")]

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use quipu_model::{Embedder, LocalEmbedder};
use tokio::runtime::Runtime;

const WORDS: [&str; 16] = [
    "river", "capital", "the", "north", "film", "director", "of", "Lima", "ancient", "knot", "record",
    "city", "and", "mountain", "village", "year",
];

/// `count` texts of `words` words each, numbered from `first` on; as in `benches/embed.rs`.
fn texts(first: usize, count: usize, words: usize) -> Vec<String> {
    let text = |number: usize| {
        let words = (0..words).map(|place| WORDS[(number * 7 + place * place * 5 + place) % WORDS.len()]);
        format!("{number} {}", words.collect::<Vec<_>>().join(" "))
    };
    (first..first + count).map(text).collect()
}

/// Seconds of CPU that this process has used for itself; 0 where the system does not say it as Linux does.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = fields.split_whitespace().nth(11).and_then(|ticks| ticks.parse::<f64>().ok());
    ticks.unwrap_or(0.0) / 100.0
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: embedding FOLDER")?;
    let embedder = LocalEmbedder::open("all-minilm-l6-v2", Path::new(&folder))?;
    let runtime = Runtime::new()?;
    let embed = |texts: &[String]| {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        runtime.block_on(embedder.embed(&texts))
    };
    let mut first = 0;
    for (what, count, words, samples) in [("names", 2000, 3, 20), ("passages", 128, 116, 10)] {
        let (mut rates, mut frugal) = (Vec::new(), Vec::new());
        for sample in 0..=samples {
            let made = texts(first, count, words);
            first += count;
            let (used, start) = (cpu_seconds(), Instant::now());
            embed(&made)?;
            let seconds = start.elapsed().as_secs_f64();
            if sample > 0 {
                rates.push(count as f64 / seconds);
                frugal.push(count as f64 / (cpu_seconds() - used));
            }
        }
        let (rate, frugal) = (median(&mut rates), median(&mut frugal));
        let best = rates.last().copied().unwrap_or(0.0);
        println!("{what}: {rate:.0} a second (best {best:.0}), {frugal:.0} a CPU second");
    }
    let mut waits = Vec::new();
    for text in texts(first, 300, 3) {
        let start = Instant::now();
        embed(&[text])?;
        waits.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let middle = median(&mut waits);
    println!("one name: {middle:.2} ms (best {:.2})", waits.first().copied().unwrap_or(0.0));
    Ok(())
}
