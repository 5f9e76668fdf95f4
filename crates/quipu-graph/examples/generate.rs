//! Writes a synthetic knowledge graph as N-Triples: entities with labels, relations and tails drawn
//! from power laws.
//!
//! `generate --triples 10000000 --out graph.nt [--relations 200] [--exponent 0.65] [--seed 42]`
//!
//! One entity for every five triples, 200 relations, one label for each entity (on top of the
//! triples), seed 42. The same arguments give the same bytes. A tail's probability falls off as its
//! rank to the power of minus the exponent, and so does a relation's: 0.65 stands for degrees
//! distributed as d^-2.54 and has hubs with 0.5% of all triples, 0.75 for d^-2.33 and 2.6%; 0.5
//! (degrees as d^-3, the mild end of what knowledge graphs show) has none above 0.07%. On the
//! default hdt 0.7 takes as long as on the graph that docs/results/ compares with.
#![allow(clippy::indexing_slicing, reason = "indices are taken modulo the length")]

use std::fs::File;
use std::io::{BufWriter, Write};

struct Arguments {
    triples: u64,
    relations: u64,
    seed: u64,
    exponent: f64,
    out: String,
}

fn arguments() -> Result<Arguments, String> {
    let mut found =
        Arguments { triples: 10_000_000, relations: 200, seed: 42, exponent: 0.65, out: String::new() };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or(format!("{word} needs a value"))?;
        let number = || value.parse::<u64>().map_err(|error| format!("{word} {value}: {error}"));
        match word.as_str() {
            "--triples" => found.triples = number()?,
            "--relations" => found.relations = number()?.max(1),
            "--seed" => found.seed = number()?,
            "--exponent" => {
                found.exponent = value.parse().map_err(|error| format!("{word} {value}: {error}"))?;
            }
            "--out" => found.out = value,
            _ => {
                return Err(format!(
                    "unknown argument {word}; there are --triples, --relations, --exponent, --seed, --out"
                ));
            }
        }
    }
    if !(0.0..1.0).contains(&found.exponent) {
        return Err(format!("--exponent {} is not from 0 to below 1", found.exponent));
    }
    if found.out.is_empty() { Err("--out FILE is missing".into()) } else { Ok(found) }
}

/// SplitMix64: small, fast, and equal on every platform.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of `count` things, the first the most likely: the density falls off as rank to the power
    /// -`exponent`.
    fn power_law(&mut self, count: u64, exponent: f64) -> u64 {
        ((self.unit().powf(1.0 / (1.0 - exponent)) * count as f64) as u64).min(count - 1)
    }
}

const SYLLABLES: [&str; 16] =
    ["la", "qui", "pu", "to", "ren", "mi", "sha", "cor", "vel", "an", "dri", "os", "ka", "ne", "bur", "gi"];

fn label(random: &mut Random) -> String {
    let mut label = String::new();
    for word in 0..1 + random.next() % 3 {
        let start = label.len() + usize::from(word > 0);
        if word > 0 {
            label.push(' ');
        }
        for _ in 0..2 + random.next() % 3 {
            label.push_str(SYLLABLES[(random.next() % 16) as usize]);
        }
        label[start..=start].make_ascii_uppercase();
    }
    label
}

fn write(arguments: &Arguments) -> std::io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&arguments.out)?);
    let mut random = Random(arguments.seed);
    let entities = (arguments.triples / 5).max(1);
    // Spreads the popular ranks over the numbers, so that a key does not reveal its popularity.
    let spread = |rank: u64| (rank.wrapping_mul(0x9e37_79b9) ^ 0x2545) % entities;
    let mut written = 0;
    for entity in 0..entities {
        let name = label(&mut random);
        writeln!(
            out,
            "<http://example.org/entity/{entity}> <http://www.w3.org/2000/01/rdf-schema#label> \"{name} {entity}\"@en ."
        )?;
        let left = arguments.triples - written;
        let last = entity + 1 == entities;
        let count = if last { left } else { (1 + random.next() % 9).min(left) };
        for _ in 0..count {
            let relation = random.power_law(arguments.relations, arguments.exponent);
            let tail = spread(random.power_law(entities, arguments.exponent));
            writeln!(
                out,
                "<http://example.org/entity/{entity}> <http://example.org/relation/{relation}> <http://example.org/entity/{tail}> ."
            )?;
        }
        written += count;
    }
    out.flush()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments = arguments()?;
    Ok(write(&arguments)?)
}
