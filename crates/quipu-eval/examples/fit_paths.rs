//! Exports the training data for the weights of whole-path planning: the features of every path of
//! solved questions, as JSON lines on stdout (`file`, `question`, `typed` if the graph's things
//! have types, `calculates` if the answer is no value of a path but counted, compared or confirmed,
//! and for each path `phrase`, `features`, `right`).
//!
//! `cargo run --release --workspace --example fit_paths -- WORKSPACE QUESTIONS.jsonl [WORKSPACE
//! QUESTIONS.jsonl]...`
//!
//! A path is right if it leads to exactly the set of gold answers. No language model is asked: the
//! export uses the relation cards in the workspace, if there are any.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use quipu_answer::{Engine, FEATURE_NAMES, Question};
use quipu_eval::read_questions;
use quipu_index::Workspace;
use quipu_language::{asks_yes_or_no, normalise, wanted};
use quipu_model::{ModelKind, OpenOptions, default_model_name, open_embedder};
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let options = OpenOptions::default();
    let embedder = open_embedder(&default_model_name(ModelKind::Embedder, &options)?, &options).await?;
    println!("{}", json!({ "features": FEATURE_NAMES }));
    for pair in arguments.chunks(2) {
        let [workspace, questions] = pair else { return Err("a workspace without questions".into()) };
        let workspace = Arc::new(Workspace::open(Path::new(workspace))?);
        let typed = workspace.graph().describe().types > 0;
        let engine = Engine::new(workspace, None, Some(Arc::clone(&embedder)))?;
        for gold in read_questions(Path::new(questions), None)?.questions {
            let question = Question::new(&gold.question, jiff::Zoned::now())?;
            let right: BTreeSet<String> = gold.answers.iter().map(|a| normalise(a)).collect();
            let paths: Vec<_> = engine
                .planned_paths(&question)
                .await?
                .into_iter()
                .map(|path| {
                    let names: BTreeSet<String> = path.names.iter().map(|n| normalise(n)).collect();
                    json!({ "phrase": path.phrase, "features": path.features.values(), "right": names == right })
                })
                .collect();
            let calculates = wanted(&gold.question).operation.is_some() || asks_yes_or_no(&gold.question);
            println!(
                "{}",
                json!({
                    "file": questions, "question": gold.question, "typed": typed, "calculates": calculates,
                    "paths": paths,
                })
            );
        }
    }
    Ok(())
}
