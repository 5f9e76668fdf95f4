//! Load on the server with a model that answers at once: questions a second, latencies, memory.
//!
//! ```text
//! cargo build --release --locked --workspace --example load
//! target/release/examples/load WORKSPACE QUESTIONS.txt [METHOD [SECONDS [QUESTIONS_FOR_MEMORY]]]
//! ```
//! QUESTIONS.txt has a question a line. First as many as the server takes for SECONDS, from 16 clients; then half of that rate, evenly
//! spaced, for the latencies; then QUESTIONS_FOR_MEMORY more, with the memory before and after. Clients run in this process too and take
//! their share of the processors.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use quipu_answer::Method;
use quipu_model::{
    Abilities, ChatReply, ChatRequest, Constraint, FinishReason, LanguageModel, ModelError, OpenOptions,
    ScoreReply, ScoreRequest, Usage, open_embedder,
};
use quipu_server::{Models, Server, ServerConfig};
use serde_json::json;

const CLIENTS: usize = 16;

/// Replies at once, the same to every request of a stage, and remembers nothing.
struct AtOnce;

#[async_trait::async_trait]
impl LanguageModel for AtOnce {
    fn name(&self) -> &str {
        "instant"
    }

    fn abilities(&self) -> Abilities {
        Abilities { constrained: true, grammar: true, score: false, context_tokens: 8192 }
    }

    fn count_tokens(&self, text: &str) -> usize {
        text.len().div_ceil(4)
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let text = match request.stage.as_str() {
            "plan.topic" => r#"{"domain": "other", "entities": [], "time": "", "operation": "list"}"#,
            _ if matches!(request.constraint, Constraint::Choice(_)) => "enough",
            "prune.relations" => r#"{"irrelevant": [], "verdict": "enough"}"#,
            _ => {
                r#"{"reasoning": "By the rows.", "status": "answered", "rows": ["E0"], "operation": "none", "answers": []}"#
            }
        };
        let usage = Usage { llm_calls: 1, prompt_tokens: 100, completion_tokens: 10, ..Usage::default() };
        Ok(ChatReply { text: text.into(), thinking: None, finish: FinishReason::Stop, usage })
    }

    async fn score(&self, _: &ScoreRequest) -> Result<ScoreReply, ModelError> {
        Err(ModelError::Unsupported { model: "instant".into(), ability: "score continuations" })
    }
}

/// What asks the server.
#[derive(Clone)]
struct Asker {
    client: reqwest::Client,
    url: String,
    method: String,
    questions: Arc<Vec<String>>,
    next: Arc<AtomicUsize>,
    failed: Arc<AtomicUsize>,
}

impl Asker {
    /// Asks the next question; gives how long it took.
    async fn ask(&self) -> Duration {
        let at = self.next.fetch_add(1, Ordering::Relaxed) % self.questions.len();
        let started = Instant::now();
        let body = json!({ "question": self.questions.get(at), "method": self.method });
        let well = match self.client.post(&self.url).json(&body).send().await {
            Ok(response) => response.status().is_success() && response.bytes().await.is_ok(),
            Err(_) => false,
        };
        if !well {
            self.failed.fetch_add(1, Ordering::Relaxed);
        }
        started.elapsed()
    }

    /// As many as go, until the time or the number is over; gives how many, and the seconds.
    async fn all_out(&self, time: Duration, most: usize) -> (usize, f64) {
        let (started, asked) = (Instant::now(), Arc::new(AtomicUsize::new(0)));
        let clients = (0..CLIENTS).map(|_| {
            let (asker, asked) = (self.clone(), asked.clone());
            tokio::spawn(async move {
                while started.elapsed() < time && asked.fetch_add(1, Ordering::Relaxed) < most {
                    asker.ask().await;
                }
            })
        });
        for client in clients.collect::<Vec<_>>() {
            let _ = client.await;
        }
        (asked.load(Ordering::Relaxed).min(most), started.elapsed().as_secs_f64())
    }

    /// At an even rate; gives the latencies in order.
    async fn evenly(&self, rate: f64, time: Duration) -> Vec<Duration> {
        let mut ticks = tokio::time::interval(Duration::from_secs_f64(1.0 / rate));
        let (started, mut asked) = (Instant::now(), Vec::new());
        while started.elapsed() < time {
            ticks.tick().await;
            let asker = self.clone();
            asked.push(tokio::spawn(async move { asker.ask().await }));
        }
        let mut latencies = Vec::new();
        for question in asked {
            latencies.extend(question.await);
        }
        latencies.sort_unstable();
        latencies
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize| arguments.get(at).cloned();
    let (Some(workspace), Some(questions)) = (argument(0), argument(1)) else {
        return Err("give a workspace and a file of questions".into());
    };
    let method = argument(2).unwrap_or_else(|| "kerag".into());
    let time = Duration::from_secs(argument(3).map_or(Ok(20), |text| text.parse())?);
    let many: usize = argument(4).map_or(Ok(0), |text| text.parse())?;
    let questions: Vec<String> = std::fs::read_to_string(questions)?.lines().map(str::to_owned).collect();
    let config = ServerConfig { port: 0, queue: 10_000, ..ServerConfig::default() };
    let embedder = Some(open_embedder("all-minilm-l6-v2", &OpenOptions::default()).await?);
    let models = Models { model: Some(Arc::new(AtOnce)), embedder, problem: None };
    let server = Server::new(config, &[PathBuf::from(workspace)], models, Method::default())?.bind().await?;
    let url = format!("http://{}/api/v1/ask", server.address());
    tokio::spawn(server.serve_until(std::future::pending()));
    let asker = Asker {
        client: reqwest::Client::new(),
        url,
        method,
        questions: Arc::new(questions),
        next: Arc::default(),
        failed: Arc::default(),
    };
    asker.all_out(Duration::from_secs(5), usize::MAX).await;
    let (asked, seconds) = asker.all_out(time, usize::MAX).await;
    let rate = asked as f64 / seconds;
    println!("{asked} questions in {seconds:.1} s: {rate:.0} a second, from {CLIENTS} clients");
    let latencies = asker.evenly(rate / 2.0, time).await;
    let at = |share: f64| {
        let index = (latencies.len() as f64 * share) as usize;
        latencies.get(index.min(latencies.len().saturating_sub(1))).copied().unwrap_or_default().as_secs_f64()
            * 1000.0
    };
    println!("at {:.0} a second: p50 {:.1} ms, p99 {:.1} ms", rate / 2.0, at(0.5), at(0.99));
    if many > 0 {
        let before = resident()?;
        asker.all_out(Duration::MAX, many).await;
        println!("memory: {before} MB before {many} questions, {} MB after", resident()?);
    }
    println!("failed: {}", asker.failed.load(Ordering::Relaxed));
    Ok(())
}

/// Resident memory in MB (Linux).
fn resident() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse::<u64>()? / 1024)
}
