//! Quipu as a library: `cargo run --package quipu --example ask -- WORKSPACE QUESTION` answers
//! without a server, by the default method, with the default embedder and no language model.

use quipu::{Engine, Result, Workspace};

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(workspace), Some(question)) = (arguments.next(), arguments.next()) else {
        return Err(quipu::Error::Usage("give a workspace and a question".into()));
    };
    let engine = Engine::builder(Workspace::open(workspace)?).without_model().build().await?;
    let answer = engine.ask(&question).await?;
    println!("{}", answer.answer);
    for piece in answer.cited() {
        println!("  {}", piece.to_line());
    }
    Ok(())
}
