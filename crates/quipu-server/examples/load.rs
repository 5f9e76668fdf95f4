//! Load test of the server with an instant model: questions a second, latencies, memory.
//!
//! ```text
//! cargo build --release --locked --workspace --example load
//! taskset -c 0,1 target/release/examples/load WORKSPACE QUESTIONS --questions 100000
//! ```
//! QUESTIONS has one question a line, or one JSON object a line with a field `question`. The first
//! part asks as many as the server answers in `--seconds`, from `--connections` clients. The second
//! part asks at the constant `--rate` and measures the latencies. The third part asks `--questions`
//! more and measures the memory. The clients run in this process too and use a share of the
//! processors. The engine writes what it learns (relation cards) into the workspace, so pass a
//! copy.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use quipu_answer::Method;
use quipu_model::{
    Abilities, ChatReply, ChatRequest, Constraint, LanguageModel, ModelError, OpenOptions, ScoreReply,
    ScoreRequest, Usage, open_embedder,
};
use quipu_server::{Models, Server, ServerConfig};
use serde_json::json;

const USAGE: &str = "load WORKSPACE QUESTIONS [--method kerag] [--connections 16] [--seconds 20] [--rate HALF_OF_THE_MOST] \
[--questions 0] [--threads 2] [--concurrency 8] [--embedder all-minilm-l6-v2|none]";
/// Measurements of the memory.
const LOOKS: usize = 10;

/// Settings of the load.
struct Load {
    workspace: PathBuf,
    questions: PathBuf,
    method: String,
    /// Concurrent clients.
    connections: usize,
    /// Duration of each of the first two parts.
    time: Duration,
    /// Questions a second of the second part; by default half of the first part's rate.
    rate: Option<f64>,
    /// Questions of the third part.
    many: usize,
    /// Threads of the server.
    threads: usize,
    /// Questions that the server answers concurrently.
    concurrency: usize,
    embedder: String,
}

impl Load {
    fn read(arguments: &[String]) -> Result<Self, Box<dyn Error>> {
        let (mut places, mut load) = (Vec::new(), Self::usual());
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let Some(name) = argument.strip_prefix("--") else {
                places.push(PathBuf::from(argument));
                continue;
            };
            let value = arguments.next().ok_or(USAGE)?;
            match name {
                "method" => load.method = value.clone(),
                "connections" => load.connections = value.parse()?,
                "seconds" => load.time = Duration::from_secs(value.parse()?),
                "rate" => load.rate = Some(value.parse()?),
                "questions" => load.many = value.parse()?,
                "threads" => load.threads = value.parse()?,
                "concurrency" => load.concurrency = value.parse()?,
                "embedder" => load.embedder = value.clone(),
                _ => return Err(USAGE.into()),
            }
        }
        let [workspace, questions] = <[PathBuf; 2]>::try_from(places).map_err(|_| USAGE)?;
        Ok(Self { workspace, questions, ..load })
    }

    fn usual() -> Self {
        Self {
            workspace: PathBuf::new(),
            questions: PathBuf::new(),
            method: "kerag".into(),
            connections: 16,
            time: Duration::from_secs(20),
            rate: None,
            many: 0,
            threads: 2,
            concurrency: ServerConfig::default().concurrency,
            embedder: "all-minilm-l6-v2".into(),
        }
    }

    /// The questions, one a line.
    fn questions(&self) -> Result<Vec<String>, Box<dyn Error>> {
        let text = std::fs::read_to_string(&self.questions)?;
        let question = |line: &str| match serde_json::from_str::<serde_json::Value>(line) {
            Ok(object) if line.starts_with('{') => object.get("question")?.as_str().map(str::to_owned),
            _ => Some(line.trim().to_owned()).filter(|line| !line.is_empty()),
        };
        let questions: Vec<String> = text.lines().filter_map(question).collect();
        if questions.is_empty() { Err("the file has no questions".into()) } else { Ok(questions) }
    }

    /// Serves the workspace on separate threads; returns the address.
    fn serve(&self) -> Result<std::net::SocketAddr, Box<dyn Error>> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(self.threads)
            .thread_name("server")
            .enable_all()
            .build()?;
        let config = ServerConfig {
            port: 0,
            queue: 100_000,
            concurrency: self.concurrency,
            ..ServerConfig::default()
        };
        let server = runtime.block_on(async {
            let embedder = match self.embedder.as_str() {
                "none" => None,
                name => Some(open_embedder(name, &OpenOptions::default()).await?),
            };
            let models = Models { model: Some(Arc::new(AtOnce)), embedder, problem: None };
            let server =
                Server::new(config, std::slice::from_ref(&self.workspace), models, Method::default())?;
            Ok::<_, Box<dyn Error>>(server.bind().await?)
        })?;
        let address = server.address();
        std::thread::spawn(move || runtime.block_on(server.serve_until(std::future::pending())));
        Ok(address)
    }
}

/// Replies at once, the same to every request of a stage, and keeps no record.
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
            "plan.card" => {
                "Kinds: thing -> thing\nForward: the things of X\nBackward: the things of X\nWords forward: thing\nWords backward: thing\n"
            }
            "plan.topic" => r#"{"domain": "other", "entities": [], "time": "", "operation": "list"}"#,
            _ if matches!(request.constraint, Constraint::Choice(_)) => match &request.constraint {
                Constraint::Choice(choices) => choices.last().map_or("enough", String::as_str),
                _ => "enough",
            },
            "prune.relations" => r#"{"irrelevant": [], "verdict": "enough"}"#,
            _ => {
                r#"{"reasoning": "By the rows.", "status": "answered", "rows": ["E0"], "ways": ["W1"], "all": true, "operation": "none", "answers": []}"#
            }
        };
        let usage = Usage { llm_calls: 1, prompt_tokens: 100, completion_tokens: 10, ..Usage::default() };
        Ok(ChatReply { text: text.into(), usage, ..ChatReply::default() })
    }

    async fn score(&self, _: &ScoreRequest) -> Result<ScoreReply, ModelError> {
        Err(ModelError::Unsupported { model: "instant".into(), ability: "score continuations" })
    }
}

/// A client of the server.
#[derive(Clone)]
struct Asker {
    client: reqwest::Client,
    url: String,
    method: String,
    connections: usize,
    questions: Arc<Vec<String>>,
    next: Arc<AtomicUsize>,
    failed: Arc<AtomicUsize>,
}

impl Asker {
    /// Asks the next question; returns the time it took.
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

    /// Asks without pause until the time or the number is over; returns the number of questions and
    /// the seconds.
    async fn all_out(&self, time: Duration, most: usize) -> (usize, f64) {
        let (started, asked) = (Instant::now(), Arc::new(AtomicUsize::new(0)));
        let clients = (0..self.connections).map(|_| {
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

    /// Asks at a constant rate; returns the sorted latencies.
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

fn main() -> Result<(), Box<dyn Error>> {
    let load = Load::read(&std::env::args().skip(1).collect::<Vec<_>>())?;
    let asker = Asker {
        client: reqwest::Client::builder().pool_max_idle_per_host(usize::MAX).build()?,
        url: format!("http://{}/api/v1/ask", load.serve()?),
        method: load.method.clone(),
        connections: load.connections,
        questions: Arc::new(load.questions()?),
        next: Arc::default(),
        failed: Arc::default(),
    };
    let clients = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    clients.block_on(measure(&load, &asker))
}

async fn measure(load: &Load, asker: &Asker) -> Result<(), Box<dyn Error>> {
    let opened = Instant::now();
    let first = asker.ask().await;
    println!("first question: {:.0} ms, workspace opened", first.as_secs_f64() * 1000.0);
    asker.all_out(Duration::from_secs(5), usize::MAX).await;
    println!("warm after {:.1} s", opened.elapsed().as_secs_f64());

    let (asked, seconds) = asker.all_out(load.time, usize::MAX).await;
    let most = asked as f64 / seconds;
    println!(
        "{asked} questions in {seconds:.1} s: {most:.0} a second, from {} connections",
        load.connections
    );

    let rate = load.rate.unwrap_or(most / 2.0).max(0.1);
    let latencies = asker.evenly(rate, load.time).await;
    let at = |share: f64| {
        let index = (latencies.len() as f64 * share) as usize;
        latencies.get(index.min(latencies.len().saturating_sub(1))).copied().unwrap_or_default().as_secs_f64()
            * 1000.0
    };
    println!(
        "{} questions at {rate:.0} a second: p50 {:.1} ms, p90 {:.1} ms, p99 {:.1} ms, most {:.1} ms",
        latencies.len(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0)
    );

    if load.many > 0 {
        let mut memory = vec![resident()?];
        for _ in 0..LOOKS {
            asker.all_out(Duration::MAX, load.many.div_ceil(LOOKS)).await;
            memory.push(resident()?);
        }
        let told: Vec<String> = memory.iter().map(u64::to_string).collect();
        println!("resident MB over {} questions, at each {LOOKS}th: {}", load.many, told.join(" "));
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
