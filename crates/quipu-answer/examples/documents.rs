//! Measures documents: the size and build time of their index, and p50 and p99 of a query by BM25,
//! by meaning, by both, and of the hybrid method without a model.
//!
//! ```text
//! cargo build --release --locked --workspace --example documents
//! target/release/examples/documents WORKSPACE QUESTIONS.jsonl [index]
//! ```
//! Each line of QUESTIONS.jsonl has a `question`. Every question runs once to warm up, then three
//! times. With `index`, a copy of the workspace's graph without its document index is indexed
//! beside it and removed again. The embedder is all-MiniLM-L6-v2.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use quipu_answer::{AskOptions, Engine, Method, Question};
use quipu_index::{DocumentQuery, SearchMode, Workspace};
use quipu_model::{Embedder, OpenOptions, open_embedder};

const ROUNDS: usize = 3;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, questions, rest @ ..] = arguments.as_slice() else {
        return Err("WORKSPACE and QUESTIONS.jsonl are expected".into());
    };
    let embedder = open_embedder("all-minilm-l6-v2", &OpenOptions::default()).await?;
    let workspace = Arc::new(Workspace::open(Path::new(folder))?);
    let text = std::fs::read_to_string(questions)?;
    let question = |line: &str| -> Result<String, Box<dyn Error>> {
        let value: serde_json::Value = serde_json::from_str(line)?;
        Ok(value.get("question").and_then(|q| q.as_str()).ok_or("a line has no question")?.to_owned())
    };
    let questions = text.lines().map(question).collect::<Result<Vec<String>, _>>()?;
    let index = workspace.documents().ok_or("the workspace has no documents")?;
    println!("documents {}  passages {}  index {} MB", index.documents(), index.len(), index.bytes() >> 20);
    if rest.iter().any(|word| word == "index") {
        let took = build(Path::new(folder), embedder.as_ref()).await?;
        println!(
            "index built in {:.1} s, {:.0} passages a second",
            took.as_secs_f64(),
            rate(index.len(), took)
        );
    }
    for (name, mode) in
        [("bm25", SearchMode::Words), ("dense", SearchMode::Meaning), ("fused", SearchMode::Hybrid)]
    {
        let mut took = Vec::new();
        for round in 0..=ROUNDS {
            for text in questions.iter().map(String::as_str) {
                let started = Instant::now();
                let vector = match mode {
                    SearchMode::Words => None,
                    SearchMode::Meaning | SearchMode::Hybrid => Some(embedder.embed(&[text]).await?),
                };
                let vector = vector.as_ref().map(|vectors| vectors.row(0));
                let found = index.search(&DocumentQuery { text, vector, mode, k: 20, only: None })?;
                if round > 0 && !found.is_empty() {
                    took.push(started.elapsed());
                }
            }
        }
        tell(name, took);
    }
    let engine = Engine::new(workspace.clone(), None, Some(embedder.clone()))?;
    let mut options = AskOptions { method: Method::Hybrid, ..AskOptions::default() };
    options.config.hybrid.compose = false;
    let mut took = Vec::new();
    for round in 0..=ROUNDS {
        for text in &questions {
            let started = Instant::now();
            let question = Question::new(text, "2024-02-28T12:00:00[UTC]".parse()?)?;
            engine.ask(&question, &options).await?;
            if round > 0 {
                took.push(started.elapsed());
            }
        }
    }
    tell("hybrid", took);
    Ok(())
}

/// Indexes a copy of a workspace without its document index.
async fn build(folder: &Path, embedder: &dyn Embedder) -> Result<Duration, Box<dyn Error>> {
    let copy = folder.with_extension("measured");
    copy_without_documents(folder, &copy)?;
    let started = Instant::now();
    let built = Workspace::index_documents(&copy, Some(embedder), None, &AtomicBool::new(false)).await;
    let took = started.elapsed();
    std::fs::remove_dir_all(&copy)?;
    built?;
    Ok(took)
}

fn copy_without_documents(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        if path.is_dir() {
            // The vectors of passages and names are not copied, because building them is measured.
            if name != "documents" && name != "vectors" && name != "documents.building" {
                copy_without_documents(&path, &to.join(name))?;
            }
        } else {
            std::fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}

fn tell(name: &str, mut took: Vec<Duration>) {
    took.sort_unstable();
    let at = |share: usize| took.get((took.len() * share / 100).min(took.len().saturating_sub(1))).copied();
    let shown = |share| at(share).unwrap_or_default().as_secs_f64() * 1000.0;
    println!("{name:8} p50 {:7.2} ms  p99 {:7.2} ms  ({} queries)", shown(50), shown(99), took.len());
}

#[expect(clippy::cast_precision_loss, reason = "a count for a rate")]
fn rate(count: u64, took: Duration) -> f64 {
    count as f64 / took.as_secs_f64()
}
