//! The page in a real Chromium: `ui/tests/page.mjs` drives it, against servers of this process.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::overview::import_lands;
use crate::support;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use quipu_model::{Scripted, ScriptedModel};
use quipu_server::{KeyConfig, Models, ServerConfig, key_hash};
use support::{
    FILMS, config, import, import_towns, import_twins, no_model, run, scripted, serve, serve_workspaces,
};

/// Commands that start Chromium on common systems.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The browser for the page's tests; else a message on the missing part.
fn browser(ui: &Path) -> Result<PathBuf, &'static str> {
    let built = ui.join("dist/page.js");
    if !built.exists() || !ui.join("node_modules/playwright-core").exists() {
        return Err("the page is not built: `make page` does it, with Node");
    }
    assert!(
        changed(&built) >= newest(&ui.join("src")),
        "the page is older than its source: `make page` builds it anew"
    );
    let finds = |name: &&str| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    BROWSERS
        .iter()
        .find(|name| finds(name))
        .map(PathBuf::from)
        .ok_or("there is no Chromium: `make setup` installs it")
}

fn changed(file: &Path) -> SystemTime {
    file.metadata().and_then(|file| file.modified()).unwrap()
}

/// Time of the last change in this folder.
fn newest(folder: &Path) -> SystemTime {
    let files = folder.read_dir().unwrap().map(|file| changed(&file.unwrap().path()));
    files.max().unwrap()
}

fn model() -> ScriptedModel {
    let restated = r#"{"question": "where was Boudewijn Koole born?"}"#;
    ScriptedModel::new()
        .always("plan.restate", restated)
        .always("compose.io", r#"{"answers": ["Somebody Else"]}"#)
        .when(|request| {
            let asked = &request.messages.last()?.content;
            let reply = if asked.contains("king") {
                r#"{"reasoning": "Haldt never had a king.", "status": "invalid_question", "rows": [], "operation": "none", "answers": []}"#
            } else {
                r#"{"reasoning": "By the passage.", "status": "answered", "rows": [], "operation": "none", "answers": ["Orle"]}"#
            };
            (request.stage == "compose").then(|| reply.into())
        })
        .when(
            // Any other request is slow.
            |_| Some(Scripted::Late(Duration::from_secs(30), "{}".into())),
        )
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_does_what_it_should_in_a_real_browser() {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui");
    let browser = match browser(&ui) {
        Ok(browser) => browser,
        Err(reason) => return support::skip::skip(&format!("the page is not tested: {reason}")),
    };
    let folder = tempfile::tempdir().unwrap();
    let workspaces = [
        import(folder.path(), "films", FILMS).await,
        import_twins(folder.path()).await,
        import_towns(folder.path()).await,
        import_lands(folder.path()).await,
        import(folder.path(), "vanishing", FILMS).await,
    ];
    let vanishing = folder.path().join("vanishing");
    let open = serve_workspaces(folder, config(), scripted(model()).await, &workspaces).await;
    let keys = vec![KeyConfig {
        name: "ana".into(),
        hash: key_hash("s3cret"),
        workspaces: Vec::new(),
        per_minute: None,
        tokens_per_day: None,
    }];
    let keyed = serve(ServerConfig { keys, ..config() }, scripted(model()).await).await;
    let problem = Some("model x is not on this machine; fetch it with `quipu models pull x`".into());
    let without = serve(config(), Models { problem, ..no_model().await }).await;
    // The system's Node, else the one that `make setup` installs.
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([ui.join("../.venv/bin")]);
    let node = folders.map(|folder| folder.join("node")).find(|file| file.exists());
    let mut command = Command::new(node.expect("the page is built, so there is a Node"));
    command.arg(ui.join("tests/page.mjs")).args([&open.base, &keyed.base, &without.base]).arg(vanishing);
    command.env("CHROMIUM", which(&browser));
    println!("{}", run(command).await);
}

/// The full path of a command, which Playwright requires.
fn which(command: &Path) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(command)).find(|file| file.exists()).unwrap()
}
