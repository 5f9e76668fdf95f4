//! Nearest names by meaning: `cargo bench --workspace --bench vectors`.
//!
//! Data: 200,000 names of two to four words each, with a power law over 20,000 pseudo-words,
//! seeded, or the lines of the file in `QUIPU_NAMES`, embedded by all-MiniLM-L6-v2 from the models
//! folder. The queries are 512 more names that are not in the index. Printed beside the times:
//! recall@10 against the exact ranking by 32-bit floats of the same vectors, and bytes a name.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark stops at the first thing that is wrong"
)]

use std::collections::{BTreeSet, HashSet};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use divan::Bencher;
use quipu_graph::NodeId;
use quipu_index::{VectorBuilder, VectorIndex, exact_top_k};
use quipu_model::{Embedder, Embeddings, LocalEmbedder, Registry};
use tokio::runtime::Runtime;

const NAMES: usize = 200_000;
const QUERIES: usize = 512;
const WORDS: usize = 20_000;
const K: usize = 10;
/// Memory for sorting texts while the index is built.
const MEMORY: usize = 256 << 20;

fn main() {
    divan::main();
}

/// SplitMix64: sufficient for test data, and equal on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// Distinct names in random order.
fn names(count: usize) -> Vec<String> {
    if let Some(path) = std::env::var_os("QUIPU_NAMES") {
        return std::fs::read_to_string(path).unwrap().lines().take(count).map(str::to_owned).collect();
    }
    const SYLLABLES: [&str; 16] = [
        "ka", "lo", "mi", "ren", "tas", "vo", "bel", "dun", "shi", "par", "ne", "gor", "ul", "fen", "qua",
        "zi",
    ];
    let mut random = Random(5);
    let syllables = |random: &mut Random| {
        let count = 2 + random.below(3);
        (0..count).map(|_| SYLLABLES[random.below(SYLLABLES.len())]).collect::<String>()
    };
    let words: Vec<String> = (0..WORDS).map(|_| syllables(&mut random)).collect();
    let (mut seen, mut names) = (BTreeSet::new(), Vec::new());
    while names.len() < count {
        let parts = 2 + random.below(3);
        // The square of a uniform number favours the first words, as real names do.
        let word = |random: &mut Random| {
            let place = (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
            words[((place * place) * words.len() as f64) as usize].as_str()
        };
        let name = (0..parts).map(|_| word(&mut random)).collect::<Vec<_>>().join(" ");
        if seen.insert(name.clone()) {
            names.push(name);
        }
    }
    names
}

struct Data {
    index: VectorIndex,
    queries: Embeddings,
    _folder: tempfile::TempDir,
}

fn data() -> &'static Data {
    static DATA: OnceLock<Data> = OnceLock::new();
    DATA.get_or_init(|| {
        let runtime = Runtime::new().unwrap();
        let model = Registry::open().unwrap().path("all-minilm-l6-v2").unwrap();
        let embedder = LocalEmbedder::open("all-minilm-l6-v2", &model).unwrap();
        let mut names = names(NAMES + QUERIES);
        assert!(names.len() > QUERIES, "more than {QUERIES} names are needed");
        let asked = names.split_off(names.len() - QUERIES);
        let embed = |texts: &[String]| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            runtime.block_on(embedder.embed(&texts)).unwrap()
        };
        let folder = tempfile::tempdir().unwrap();
        let mut builder = VectorBuilder::create(folder.path(), MEMORY).unwrap();
        for (node, name) in names.iter().enumerate() {
            builder.push(NodeId(node as u64), name).unwrap();
        }
        runtime.block_on(builder.build(&embedder, &mut |_| {}, &AtomicBool::new(false))).unwrap();
        let index = VectorIndex::open(folder.path()).unwrap();
        let queries = embed(&asked);
        let recall = recall(&index, &embed(&names), &queries);
        let bytes = index.bytes() as f64 / names.len() as f64;
        eprintln!("{} names, {bytes:.0} bytes a name, recall@{K} {recall:.4}", names.len());
        Data { index, queries, _folder: folder }
    })
}

/// Recall@10 over all queries, against the exact ranking.
fn recall(index: &VectorIndex, names: &Embeddings, queries: &Embeddings) -> f64 {
    let found: usize = queries
        .rows()
        .map(|query| {
            let near: HashSet<u64> = index
                .search(query, K)
                .unwrap()
                .iter()
                .flat_map(|hit| &hit.nodes)
                .map(|node| node.0)
                .collect();
            exact_top_k(query, names, K).iter().filter(|(row, _)| near.contains(&(*row as u64))).count()
        })
        .sum();
    found as f64 / (K * QUERIES) as f64
}

#[divan::bench(sample_count = 512, sample_size = 1)]
fn nearest_ten(bencher: Bencher<'_, '_>) {
    let data = data();
    let mut at = 0;
    bencher
        .with_inputs(|| {
            at += 1;
            data.queries.row(at % QUERIES)
        })
        .bench_local_values(|query| data.index.search(query, K).unwrap());
}
