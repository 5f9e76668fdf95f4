//! Quipu as a library: `cargo run --package quipu-server --example ask -- WORKSPACE QUESTION` answers without a server, by the default method, with the
//! default embedder and no language model.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use jiff::Zoned;
use quipu_answer::{Answer, AskOptions, Engine, Question};
use quipu_index::Workspace;
use quipu_model::{OpenOptions, open_embedder};

/// Opens the workspace and asks it.
pub async fn ask(workspace: &Path, question: &str) -> Result<Answer, Box<dyn Error>> {
    let embedder = open_embedder("all-minilm-l6-v2", &OpenOptions::default()).await?;
    let engine = Engine::new(Arc::new(Workspace::open(workspace)?), None, Some(embedder))?;
    Ok(engine.ask(&Question::new(question, Zoned::now())?, &AskOptions::default()).await?)
}

#[tokio::main]
#[allow(dead_code, reason = "a test takes `ask` alone")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(workspace), Some(question)) = (arguments.next(), arguments.next()) else {
        return Err("give a workspace and a question".into());
    };
    let answer = ask(Path::new(&workspace), &question).await?;
    println!("{}", answer.answer);
    for piece in answer.evidence.iter().filter(|piece| answer.citations.contains(&piece.id)) {
        println!("  {}", piece.to_line());
    }
    Ok(())
}
