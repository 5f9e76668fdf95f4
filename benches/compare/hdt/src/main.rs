//! The three lookups of the `lookups` example over the `hdt` crate: `hdt-lookups FILE.nt FILE.hdt
//! KEYS COUNT`.
//!
//! Converts FILE.nt unless FILE.hdt exists, then reads it (into memory: this library knows no other
//! way) and times the first COUNT keys, warm. HDT has no way to skip the rest of a relation, so all
//! triples of an entity are stepped over.

use std::collections::HashMap;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use hdt::{Hdt, IdKind};

const LABEL: &str = "http://www.w3.org/2000/01/rdf-schema#label";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [source, target, keys, count] = words.as_slice() else {
        return Err("usage: hdt-lookups FILE.nt FILE.hdt KEYS COUNT".into());
    };
    if !Path::new(target).exists() {
        let start = Instant::now();
        let graph = Hdt::read_nt(source)?;
        let mut file = BufWriter::new(File::create(target)?);
        graph.write(&mut file)?;
        file.flush()?;
        println!("import: {:.2} s, {} bytes in memory", start.elapsed().as_secs_f64(), graph.size_in_bytes());
        return Ok(());
    }
    let start = Instant::now();
    let graph = Hdt::read(BufReader::new(File::open(target)?))?;
    println!("open: {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    let text = std::fs::read_to_string(keys)?;
    let keys: Vec<&str> = text.lines().take(count.parse()?).collect();
    let label = graph.dict.string_to_id(LABEL, IdKind::Predicate);
    let lookups = Lookups { shared: graph.dict.shared.num_strings(), graph, label };
    let start = Instant::now();
    lookups.one_hop(keys[keys.len() / 2]);
    println!("first answer: {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    measure("relations of an entity", &keys, |key| lookups.relations(key));
    measure("one hop, 50 a relation, with names", &keys, |key| lookups.one_hop(key));
    measure("two hops, 20 a relation, 256 expanded", &keys, |key| lookups.two_hops(key));
    Ok(())
}

struct Lookups {
    graph: Hdt,
    label: usize,
    /// Terms that are both heads and tails have one id in both roles, up to this one.
    shared: usize,
}

impl Lookups {
    /// The triples of an entity, first as head, then as tail: relation with direction, and the
    /// other end.
    fn triples(&self, head: usize, tail: usize) -> impl Iterator<Item = ((usize, bool), usize)> + '_ {
        let forward = (head != 0).then(|| self.graph.triple_ids_with_id_pattern([head, 0, 0]));
        let backward = (tail != 0).then(|| self.graph.triple_ids_with_id_pattern([0, 0, tail]));
        let forward = forward.into_iter().flatten().map(|triple| ((triple[1], true), triple[2]));
        forward.chain(backward.into_iter().flatten().map(|triple| ((triple[1], false), triple[0])))
    }

    fn ids(&self, key: &str) -> (usize, usize) {
        let dictionary = &self.graph.dict;
        (dictionary.string_to_id(key, IdKind::Subject), dictionary.string_to_id(key, IdKind::Object))
    }

    fn relations(&self, key: &str) -> usize {
        let (head, tail) = self.ids(key);
        let mut counts: HashMap<(usize, bool), usize> = HashMap::new();
        self.triples(head, tail).for_each(|(step, _)| *counts.entry(step).or_default() += 1);
        for (relation, _) in counts.keys() {
            let _ = black_box(self.graph.dict.id_to_string(*relation, IdKind::Predicate));
        }
        counts.len()
    }

    fn neighbours(&self, head: usize, tail: usize, limit: usize) -> Vec<((usize, bool), usize)> {
        let mut counts: HashMap<(usize, bool), usize> = HashMap::new();
        let mut wanted = |step| {
            let count = counts.entry(step).or_default();
            *count += 1;
            *count <= limit
        };
        self.triples(head, tail).filter(|(step, _)| wanted(*step)).collect()
    }

    /// An end of a triple as head and as tail.
    fn both(&self, forward: bool, id: usize) -> (usize, usize) {
        match (id <= self.shared, forward) {
            (true, _) => (id, id),
            (false, true) => (0, id),
            (false, false) => (id, 0),
        }
    }

    fn name(&self, forward: bool, id: usize) -> String {
        let (head, tail) = self.both(forward, id);
        let label = match head {
            0 => None,
            head => self.graph.triple_ids_with_id_pattern([head, self.label, 0]).next(),
        };
        match label {
            Some(triple) => self.graph.dict.id_to_string(triple[2], IdKind::Object),
            None => self.graph.dict.id_to_string(head.max(tail), if forward { IdKind::Object } else { IdKind::Subject }),
        }
        .unwrap_or_default()
    }

    fn one_hop(&self, key: &str) -> usize {
        let (head, tail) = self.ids(key);
        let neighbours = self.neighbours(head, tail, 50);
        for ((_, forward), id) in &neighbours {
            black_box(self.name(*forward, *id));
        }
        neighbours.len()
    }

    fn two_hops(&self, key: &str) -> usize {
        let (head, tail) = self.ids(key);
        let mut first = self.neighbours(head, tail, 20);
        first.truncate(256);
        let second = first.iter().map(|((_, forward), id)| {
            let (head, tail) = self.both(*forward, *id);
            self.neighbours(head, tail, 20).len()
        });
        first.len() + second.sum::<usize>()
    }
}

fn measure(what: &str, keys: &[&str], lookup: impl Fn(&str) -> usize) {
    let mut micros = Vec::with_capacity(keys.len());
    let mut items = Vec::with_capacity(keys.len());
    for key in keys {
        black_box(lookup(key));
    }
    for key in keys {
        let start = Instant::now();
        items.push(black_box(lookup(key)));
        micros.push(start.elapsed().as_nanos() as f64 / 1e3);
    }
    micros.sort_by(f64::total_cmp);
    items.sort_unstable();
    let rank = |share: f64| ((keys.len() - 1) as f64 * share) as usize;
    let [middle, ninety, most] = [0.5, 0.9, 0.99].map(|share| micros[rank(share)]);
    let items = [0.5, 0.9, 0.99].map(|share| items[rank(share)]);
    println!("{what}: {middle:.2} / {ninety:.2} / {most:.2} µs; {items:?} items; {} lookups", keys.len());
}
