//! How fast all-MiniLM-L6-v2 makes vectors, ours and in other engines, of the same texts and the
//! same 32-bit weights: names of 8 tokens, passages of 121, and the wait for one name. Texts are
//! sorted by length; no text comes twice, so that no cache answers.
//!
//! `embedders FOLDER FILES LIBRARY [ENGINE...]`: the model's folder, the folder that
//! `embed_files.py` wrote, onnxruntime's library. `THREADS`: how many cores onnxruntime and
//! llama.cpp may use (two); ours and candle take `RAYON_NUM_THREADS`.

mod candle;
mod llama;
mod ort;

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use quipu_model::{Embedder, LocalEmbedder};
use tokenizers::Tokenizer;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// An encoder that takes texts as tokens; those of one call are about equally long. The vectors are
/// of length one.
trait Encode {
    fn encode(&mut self, tokens: &[&[u32]]) -> Result<Vec<Vec<f32>>>;

    /// Whether it takes texts of one length only.
    fn equal_lengths(&self) -> bool {
        false
    }
}

/// From texts to vectors.
type Embed<'a> = Box<dyn FnMut(&[String], usize) -> Result<Vec<Vec<f32>>> + 'a>;

const WORDS: [&str; 16] = [
    "river", "capital", "the", "north", "film", "director", "of", "Lima", "ancient", "knot", "record",
    "city", "and", "mountain", "village", "year",
];

/// `count` texts of `words` words each, numbered from `first` on; as in `benches/embed.rs` of
/// quipu-model.
fn texts(first: usize, count: usize, words: usize) -> Vec<String> {
    let text = |number: usize| {
        let words = (0..words).map(|place| WORDS[(number * 7 + place * place * 5 + place) % WORDS.len()]);
        format!("{number} {}", words.collect::<Vec<_>>().join(" "))
    };
    (first..first + count).map(text).collect()
}

/// Seconds of CPU that this process has used for itself; 0 where the system does not say it as
/// Linux does.
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

fn measure(engine: &str, embed: &mut Embed) -> Result<()> {
    let mut first = 0;
    for (what, count, words, batch, samples) in [("names", 2000, 3, 64, 20), ("passages", 128, 116, 16, 10)] {
        let (mut rates, mut frugal) = (Vec::new(), Vec::new());
        for sample in 0..=samples {
            let made = texts(first, count, words);
            first += count;
            let (used, start) = (cpu_seconds(), Instant::now());
            embed(&made, batch)?;
            let seconds = start.elapsed().as_secs_f64();
            if sample > 0 {
                rates.push(count as f64 / seconds);
                frugal.push(count as f64 / (cpu_seconds() - used));
            }
        }
        let (rate, frugal) = (median(&mut rates), median(&mut frugal));
        let best = rates.last().copied().unwrap_or(0.0);
        println!("{engine}, {what}: {rate:.0} a second (best {best:.0}), {frugal:.0} a CPU second");
    }
    let mut waits = Vec::new();
    for text in texts(first, 300, 3) {
        let start = Instant::now();
        embed(&[text], 1)?;
        waits.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let middle = median(&mut waits);
    println!("{engine}, one name: {middle:.2} ms (best {:.2})", waits.first().copied().unwrap_or(0.0));
    Ok(())
}

/// Texts through the tokenizer, sorted by length, a batch at a time through an encoder, back into
/// their order.
fn through<'a>(tokenizer: &'a Tokenizer, mut encoder: Box<dyn Encode>) -> Embed<'a> {
    Box::new(move |texts, batch| {
        let encoded = tokenizer.encode_batch_fast(texts.to_vec(), true).map_err(|error| error.to_string())?;
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|text| encoded[*text].get_ids().len());
        let mut vectors = vec![Vec::new(); texts.len()];
        let alike = |a: &usize, b: &usize| encoded[*a].get_ids().len() == encoded[*b].get_ids().len();
        let runs: Vec<&[usize]> =
            if encoder.equal_lengths() { order.chunk_by(alike).collect() } else { vec![order.as_slice()] };
        for chunk in runs.iter().flat_map(|run| run.chunks(batch)) {
            let tokens: Vec<&[u32]> = chunk.iter().map(|text| encoded[*text].get_ids()).collect();
            for (text, vector) in chunk.iter().zip(encoder.encode(&tokens)?) {
                vectors[*text] = vector;
            }
        }
        Ok(vectors)
    })
}

fn main() -> Result<()> {
    let usage = "usage: embedders FOLDER FILES LIBRARY [ENGINE...]";
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, files, library, engines @ ..] = arguments.as_slice() else { return Err(usage.into()) };
    let (folder, files) = (Path::new(folder), Path::new(files));
    let threads: usize = std::env::var("THREADS").ok().and_then(|threads| threads.parse().ok()).unwrap_or(2);
    let mut tokenizer =
        Tokenizer::from_file(folder.join("tokenizer.json")).map_err(|error| error.to_string())?;
    tokenizer.with_padding(None);
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let ours = LocalEmbedder::open("all-minilm-l6-v2", folder)?;
    let mut own: Embed = Box::new(|texts, _| {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = runtime.block_on(ours.embed(&texts))?;
        Ok((0..texts.len()).map(|row| vectors.row(row).to_vec()).collect())
    });
    let check = [texts(90_000_000, 3, 3), texts(91_000_000, 2, 116)].concat();
    let expected = own(&check, 8)?;

    let weights = folder.join("model.safetensors");
    for engine in ["ours", "onnxruntime (ort)", "llama.cpp", "candle", "candle, fused attention"] {
        if !engines.is_empty() && !engines.iter().any(|wanted| wanted == engine) {
            continue;
        }
        let encoder: Box<dyn Encode> = match engine {
            "ours" => {
                measure(engine, &mut own)?;
                continue;
            }
            "onnxruntime (ort)" => Box::new(ort::Onnx::open(library, &files.join("model.onnx"), threads)?),
            "llama.cpp" => Box::new(llama::Llama::open(&files.join("model.gguf"), threads)?),
            "candle" => Box::new(candle::Stock::open(&weights)?),
            _ => Box::new(candle::Fused::open(&weights)?),
        };
        let mut embed = through(&tokenizer, encoder);
        for (theirs, ours) in embed(&check, 8)?.iter().zip(&expected) {
            let cosine: f32 = theirs.iter().zip(ours).map(|(a, b)| a * b).sum();
            if cosine < 0.999 {
                return Err(
                    format!("{engine} makes other vectors: their cosine with ours is {cosine}").into()
                );
            }
        }
        measure(engine, &mut embed)?;
    }
    Ok(())
}

/// Divides a vector by its length.
fn normalised(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x /= length);
    vector
}

/// Texts as a table of tokens, padded with zeros to the longest, and its mask.
fn padded(tokens: &[&[u32]]) -> (usize, Vec<u32>, Vec<u32>) {
    let longest = tokens.iter().map(|text| text.len()).max().unwrap_or(0);
    let (mut ids, mut mask) = (Vec::new(), Vec::new());
    for text in tokens {
        ids.extend(text.iter().copied().chain(std::iter::repeat_n(0, longest - text.len())));
        mask.extend((0..longest).map(|at| u32::from(at < text.len())));
    }
    (longest, ids, mask)
}
