//! Runs the published examples unchanged.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::support;
use std::path::Path;
use std::process::Command;

use support::{config, no_model, python, run, serve};

const QUESTION: &str = "who directed Kauwboy?";

fn example(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

#[tokio::test(flavor = "multi_thread")]
async fn openais_client_and_curl_ask_a_server() {
    let server = serve(config(), no_model().await).await;
    if let Some(python) = python("the example in Python") {
        let mut command = Command::new(python);
        command.arg(example("ask.py")).arg(QUESTION).env("QUIPU_URL", &server.base);
        let told = run(command).await;
        assert!(told.starts_with("Boudewijn Koole [1]") && told.contains("grounded: True"), "{told}");
    }
    if Command::new("curl").arg("--version").output().is_err() {
        return support::skip::skip("the example with curl needs curl");
    }
    let mut command = Command::new("sh");
    command.arg(example("ask.sh")).arg(QUESTION).env("QUIPU_URL", &server.base);
    let told = run(command).await;
    assert!(told.contains("event: trace") && told.contains("event: answer"), "{told}");
}
