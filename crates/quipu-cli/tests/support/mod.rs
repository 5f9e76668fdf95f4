#![allow(dead_code, reason = "each test file uses its part of this")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    missing_docs,
    unreachable_pub,
    reason = "a test ends where something fails"
)]
//! Runs the `quipu` command in a separate home, without the user's configuration, models and
//! network.

pub mod endpoint;
pub mod server;
#[cfg(unix)]
pub mod terminal;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A few places in Turtle.
pub const PLACES: &str = r#"
@prefix geo: <https://example.org/geo/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

geo:capital rdfs:label "capital" .
geo:neighbour rdfs:label "neighbouring country" .
geo:Country rdfs:label "country" .
geo:City rdfs:label "city" .

geo:peru a geo:Country ; rdfs:label "Peru" ; skos:altLabel "Piruw" ; rdfs:comment "A country of the Andes." ;
    geo:capital geo:lima ; geo:neighbour geo:bolivia, geo:chile ; geo:population 31989256 .
geo:bolivia a geo:Country ; rdfs:label "Bolivia" ; skos:altLabel "Buliwya" ; geo:capital geo:sucre ; geo:neighbour geo:peru .
geo:chile a geo:Country ; rdfs:label "Chile" ; skos:altLabel "Chili" ; geo:capital geo:santiago ; geo:neighbour geo:peru .
geo:lima a geo:City ; rdfs:label "Lima" ; skos:altLabel "Ciudad de los Reyes" ; geo:population 7737002 .
geo:sucre a geo:City ; rdfs:label "Sucre" ; skos:altLabel "Charcas" .
geo:santiago a geo:City ; rdfs:label "Santiago" .
"#;

/// A folder of its own for one test.
pub struct Bench {
    folder: tempfile::TempDir,
}

/// The results of a run of the command.
#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Bench {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// With [`PLACES`] imported into the workspace `places`.
    pub fn with_places() -> Self {
        let bench = Self::new();
        bench.write("places.ttl", PLACES);
        bench.run(&["import", "places", "places.ttl", "--no-embeddings"]).succeeded();
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    /// The command, not yet started.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quipu"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("QUIPU_MODELS", self.path("models"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Outcome {
        finish(&mut self.command(arguments))
    }

    /// Runs it with `input` on standard input.
    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Outcome {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Outcome::from(child.wait_with_output().unwrap())
    }
}

/// Where `make test` puts the embedder.
pub fn models() -> PathBuf {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
    folder("QUIPU_MODELS")
        .or_else(|| Some(folder("XDG_CACHE_HOME")?.join("quipu/models")))
        .unwrap_or_else(|| folder("HOME").unwrap().join(".cache/quipu/models"))
}

pub fn finish(command: &mut Command) -> Outcome {
    Outcome::from(command.output().unwrap())
}

impl From<std::process::Output> for Outcome {
    fn from(output: std::process::Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Outcome {
    #[track_caller]
    pub fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self
    }

    /// Failed with this code, with a readable message on standard error only.
    #[track_caller]
    pub fn failed(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert_eq!(self.stdout, "", "{self:#?}");
        assert!(self.stderr.starts_with("error: "), "{self:#?}");
        assert!(!self.stderr.contains("panicked") && !self.stderr.contains(" { "), "{self:#?}");
        self
    }

    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

/// Names of the entries of a folder, in order.
pub fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
