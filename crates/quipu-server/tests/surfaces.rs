//! External clients: MCP's own client over HTTP, and schemathesis, which fuzzes the described API.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::support;
use quipu_model::ScriptedModel;
use support::{config, ok, python, run, run_python, scripted, serve};

fn model() -> ScriptedModel {
    ScriptedModel::new()
        .always("compose.io", r#"{"answers": ["x"]}"#)
        .always("plan.restate", r#"{"question": "who directed Kauwboy?"}"#)
        .when(|_| Some("{}".into()))
}

#[tokio::test(flavor = "multi_thread")]
async fn mcps_own_client_is_content() {
    let Some(python) = python("the test with MCP's client") else { return };
    let server = serve(config(), scripted(model()).await).await;
    run_python(&python, "mcp_client.py", &["http", &format!("{}/mcp", server.base)]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_description_withstands_schemathesis() {
    let Some(python) = python("the test with schemathesis") else { return };
    let server = serve(config(), scripted(model()).await).await;
    let api = ok(server.get("/openapi.json")).await;
    let operations: usize =
        api["paths"].as_object().unwrap().values().map(|verbs| verbs.as_object().unwrap().len()).sum();
    let mut command = std::process::Command::new(python.with_file_name("schemathesis"));
    let url = format!("{}/openapi.json", server.base);
    command.args([
        "run",
        &url,
        "--checks",
        "not_a_server_error,status_code_conformance,response_schema_conformance,content_type_conformance,\
         negative_data_rejection,unsupported_method",
    ]);
    command.args([
        "--max-examples",
        "25",
        "--seed",
        "7",
        "--generation-database",
        "none",
        "--no-shrink",
        "--no-color",
    ]);
    command.current_dir(server.folder.path());
    let told = run(command).await;
    // Each operation was called.
    assert!(told.contains(&format!("Tested: {operations}\n")) && told.contains("Test cases"), "{told}");
}
