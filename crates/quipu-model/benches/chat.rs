//! The cost of a local language model, `QUIPU_BENCH_MODEL` or the default one: reading a prompt of
//! about 600 tokens (with few and with the most remembered prompts), reading another question after
//! the same instructions, writing 64 tokens, and scoring ten paths after a known prompt.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a bench ends where something fails"
)]

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use divan::Bencher;
use quipu_model::{ChatRequest, LanguageModel, Message, OpenOptions, ScoreRequest, open_language_model};
use tokio::runtime::Runtime;

fn main() {
    divan::main();
}

fn model() -> &'static dyn LanguageModel {
    static MODEL: OnceLock<std::sync::Arc<dyn LanguageModel>> = OnceLock::new();
    let name = std::env::var("QUIPU_BENCH_MODEL").unwrap_or_else(|_| "qwen2.5-coder-1.5b".into());
    MODEL.get_or_init(|| open_language_model(&name, &OpenOptions::default()).unwrap()).as_ref()
}

fn number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn request(instructions: &str, question: String, tokens: u32) -> ChatRequest {
    ChatRequest::new("bench", vec![Message::system(instructions), Message::user(question)])
        .with_max_tokens(tokens)
}

fn instructions(first: usize) -> String {
    let line = |n: usize| {
        format!("Rule {n}: relation {} leads from a film to its person number {}.\n", n * 7, n % 5)
    };
    (first..first + 30).map(line).collect()
}

fn run(bencher: Bencher<'_, '_>, make: impl Fn() -> ChatRequest) {
    let runtime = Runtime::new().unwrap();
    bencher.with_inputs(make).bench_local_values(|request| {
        let reply = runtime.block_on(model().chat(&request)).unwrap();
        eprintln!("{:?}", reply.usage);
        reply
    });
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn new_prompt(bencher: Bencher<'_, '_>) {
    run(bencher, || request(&instructions(number() * 1000), "Which relation is it?".into(), 1));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn new_prompt_after_many(bencher: Bencher<'_, '_>) {
    let runtime = Runtime::new().unwrap();
    for _ in 0..10 {
        let strange = request(&instructions(number() * 1000), "Which relation is it?".into(), 1);
        runtime.block_on(model().chat(&strange)).unwrap();
    }
    run(bencher, || request(&instructions(number() * 1000), "Which relation is it?".into(), 1));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn sixty_four_tokens_after_many(bencher: Bencher<'_, '_>) {
    run(bencher, || {
        request(&instructions(7), format!("Count to a thousand from {}, without a break.", number()), 64)
    });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn same_instructions(bencher: Bencher<'_, '_>) {
    run(bencher, || request(&instructions(7), format!("Which relation is it for film {}?", number()), 1));
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn sixty_four_tokens(bencher: Bencher<'_, '_>) {
    run(bencher, || {
        request(&instructions(7), format!("Count to a thousand from {}, without a break.", number()), 64)
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn ten_scores(bencher: Bencher<'_, '_>) {
    let runtime = Runtime::new().unwrap();
    let path = |n: usize, seed: usize| {
        format!("the {n}th release year of the films that person {seed} of film {n} directed")
    };
    let make = || {
        let seed = number();
        ScoreRequest {
            stage: "bench".into(),
            messages: vec![
                Message::system(instructions(7)),
                Message::user("Which path answers the question?"),
            ],
            continuations: (0..10).map(|n| path(n, seed)).collect(),
            timeout: Duration::from_secs(120),
        }
    };
    runtime.block_on(model().score(&make())).unwrap();
    bencher.with_inputs(make).bench_local_values(|request| {
        let reply = runtime.block_on(model().score(&request)).unwrap();
        eprintln!("{:?}", reply.usage);
        reply
    });
}
