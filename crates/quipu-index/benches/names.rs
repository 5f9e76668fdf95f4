//! Fuzzy name lookup, p50: `cargo bench -p quipu-index`.
//!
//! Data: names of two to four pseudo-words over a vocabulary with a power-law, seeded, 43,000 and
//! 2,000,000; or, where `QUIPU_NAMES` names a file of one name a line, that file. Queries: 512
//! names of at least eight characters with one or two random edits (seed 7). The index is written
//! to a temporary folder first; `hit@1` is printed beside the times.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark stops at the first thing that is wrong"
)]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::OnceLock;

use divan::Bencher;
use quipu_graph::NodeId;
use quipu_index::{LookupConfig, NameEntry, NameIndex, NameIndexConfig, NameIndexWriter, NameKind};
use quipu_language::normalise;

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

fn word(random: &mut Random) -> String {
    let (consonants, vowels) = ("bcdfghklmnprstvz", "aeiou");
    (0..2 + random.below(3))
        .flat_map(|_| {
            [consonants, vowels].map(|letters| letters.as_bytes()[random.below(letters.len())] as char)
        })
        .collect()
}

fn synthetic(count: usize) -> Vec<String> {
    let mut random = Random(1);
    let words: Vec<String> = (0..count / 4 + 100).map(|_| word(&mut random)).collect();
    let mut names = BTreeSet::new();
    while names.len() < count {
        let length = 2 + random.below(3);
        let parts: Vec<&str> = (0..length)
            .map(|_| {
                // The square of a uniform number favours the first words, as real names do.
                let place = (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
                words[((place * place) * words.len() as f64) as usize].as_str()
            })
            .collect();
        names.insert(parts.join(" "));
    }
    names.into_iter().collect()
}

struct Data {
    index: NameIndex,
    names: Vec<String>,
    _folder: tempfile::TempDir,
}

fn build(names: Vec<String>) -> Data {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("names.qix");
    let mut random = Random(3);
    let mut writer = NameIndexWriter::create(&path, &NameIndexConfig::default()).unwrap();
    for (node, name) in names.iter().enumerate() {
        let degree = 1 + random.next() % 50;
        writer
            .push(&NameEntry { node: NodeId(node as u64), name, kind: NameKind::Label, degree, label: None })
            .unwrap();
    }
    let bytes = writer.finish().unwrap();
    eprintln!("{} names, {:.1} bytes a name", names.len(), bytes as f64 / names.len() as f64);
    Data { index: NameIndex::open(&path).unwrap(), names, _folder: folder }
}

fn data(count: usize) -> &'static Data {
    static SMALL: OnceLock<Data> = OnceLock::new();
    static LARGE: OnceLock<Data> = OnceLock::new();
    if count < 1_000_000 {
        SMALL.get_or_init(|| {
            let given = std::env::var_os("QUIPU_NAMES").map(|path| std::fs::read_to_string(path).unwrap());
            build(given.map_or_else(|| synthetic(count), |text| text.lines().map(str::to_owned).collect()))
        })
    } else {
        LARGE.get_or_init(|| build(synthetic(count)))
    }
}

fn misspell(name: &str, edits: usize, random: &mut Random) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    for _ in 0..edits {
        let at = random.below(letters.len());
        let letter = char::from(b'a' + random.below(26) as u8);
        match random.below(4) {
            0 => letters.insert(at, letter),
            1 if letters.len() > 2 => {
                letters.remove(at);
            }
            2 if at + 1 < letters.len() => letters.swap(at, at + 1),
            _ => letters[at] = letter,
        }
    }
    letters.into_iter().collect()
}

fn queries(data: &Data, edits: usize) -> Vec<String> {
    let mut random = Random(7);
    let mut queries = Vec::new();
    let mut hits = 0;
    while queries.len() < 512 {
        let name = &data.names[random.below(data.names.len())];
        let query = misspell(name, edits, &mut random);
        if name.chars().count() < 8 || normalise(&query) == normalise(name) {
            continue;
        }
        let found = data.index.lookup(&query, &LookupConfig::default()).unwrap();
        hits += usize::from(found.first().is_some_and(|first| normalise(&first.name) == normalise(name)));
        queries.push(query);
    }
    eprintln!("{} names, {edits} edits: hit@1 {:.3}", data.names.len(), hits as f64 / queries.len() as f64);
    queries
}

#[divan::bench(args = [43_000, 2_000_000], consts = [1, 2], sample_count = 512, sample_size = 1)]
fn fuzzy<const EDITS: usize>(bencher: Bencher, names: usize) {
    let data = data(names);
    let queries = queries(data, EDITS);
    let mut at = 0;
    let config = LookupConfig { partial: false, ..LookupConfig::default() };
    bencher
        .with_inputs(|| {
            at += 1;
            &queries[at % queries.len()]
        })
        .bench_local_refs(|query| data.index.lookup(query, &config).unwrap());
}

#[divan::bench(args = [43_000, 2_000_000], sample_count = 512, sample_size = 1)]
fn exact(bencher: Bencher, names: usize) {
    let data = data(names);
    let mut random = Random(9);
    bencher
        .with_inputs(|| &data.names[random.below(data.names.len())])
        .bench_local_refs(|name| data.index.lookup(name, &LookupConfig::default()).unwrap());
}

#[divan::bench(args = [43_000, 2_000_000], sample_count = 512, sample_size = 1)]
fn last_word(bencher: Bencher, names: usize) {
    let data = data(names);
    let mut random = Random(11);
    bencher
        .with_inputs(|| data.names[random.below(data.names.len())].split(' ').next_back().unwrap().to_owned())
        .bench_local_refs(|name| data.index.lookup(name, &LookupConfig::default()).unwrap());
}
