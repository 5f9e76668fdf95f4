//! `scripts/setup.sh` on a mock machine: the packages that it installs with apt, and its questions
//! before that.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::{Outcome, finish, terminal::Terminal};

/// Programs of the system that the script itself uses.
const TOOLS: [&str; 13] =
    ["sh", "dirname", "sed", "grep", "sort", "head", "cut", "cat", "id", "uname", "ls", "printf", "touch"];

/// A copy of the script in a folder of its own, with the programs that it may find.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    /// With git, Rust, Python and its packages, apt, and what is named besides.
    fn new(programs: &[&str]) -> Self {
        let machine = Self { folder: tempfile::tempdir().unwrap() };
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        for folder in ["bin", "scripts", "demo", "python", "ui", ".venv"] {
            std::fs::create_dir(machine.path(folder)).unwrap();
        }
        for file in [
            "scripts/setup.sh",
            "scripts/requirements.txt",
            "demo/requirements.txt",
            "python/requirements.txt",
            "ui/requirements.txt",
            "Cargo.toml",
        ] {
            std::fs::copy(repository.join(file), machine.path(file)).unwrap();
        }
        let ready = ["demo/requirements.txt", "scripts/requirements.txt", "python/requirements.txt"]
            .map(|file| std::fs::read_to_string(machine.path(file)).unwrap());
        std::fs::write(machine.path(".venv/ready"), ready.concat()).unwrap();
        let paths = std::env::var_os("PATH").unwrap();
        for tool in TOOLS {
            let found =
                std::env::split_paths(&paths).map(|folder| folder.join(tool)).find(|path| path.exists());
            symlink(found.unwrap(), machine.path("bin").join(tool)).unwrap();
        }
        machine.program("git", "");
        machine.program("python3", "echo \"$@\" >> python.log");
        machine.program("cargo", "echo cargo 99.0.0");
        // As root, so that sudo is not needed; the calls of apt are logged.
        machine.program("apt-get", "echo \"$@\" >> apt.log");
        for name in programs {
            machine.program(name, "");
        }
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn program(&self, name: &str, body: &str) {
        let path = self.path("bin").join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn setup(&self, arguments: &[&str]) -> Command {
        // A user who is root wherever the test runs.
        let _ = std::fs::remove_file(self.path("bin/id"));
        self.program("id", "echo 0");
        let mut command = Command::new("/bin/sh");
        command.arg("scripts/setup.sh").args(arguments).current_dir(self.folder.path());
        command.env_clear().env("PATH", self.path("bin")).env("LIBCLANG_PATH", "/somewhere");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Outcome {
        finish(&mut self.setup(arguments))
    }

    /// The calls of apt.
    fn apt(&self) -> String {
        std::fs::read_to_string(self.path("apt.log")).unwrap_or_default()
    }

    /// The calls of the system's Python.
    fn python(&self) -> String {
        std::fs::read_to_string(self.path("python.log")).unwrap_or_default()
    }
}

const BUILD_TOOLS: [&str; 3] = ["cmake", "c++", "make"];

#[test]
fn the_demo_needs_build_tools_rust_and_python_alone() {
    let machine = Machine::new(&BUILD_TOOLS);
    let outcome = machine.run(&["demo"]).succeeded();
    assert_eq!(machine.apt(), "", "{outcome:#?}");
    for tests_need in ["Virtuoso", "Chromium"] {
        assert!(!outcome.stdout.contains(tests_need), "{outcome:#?}");
    }
    // A user who refuses apt gets a note about the tests that will be skipped.
    let outcome = machine.run(&[]).succeeded();
    assert_eq!(machine.apt(), "", "{outcome:#?}");
    assert!(
        outcome.stdout.contains("Virtuoso: not installed") && outcome.stdout.contains("YES=1"),
        "{outcome:#?}"
    );
}

#[test]
fn the_page_is_built_with_the_node_of_the_system_or_of_pypi() {
    let machine = Machine::new(&BUILD_TOOLS);
    let outcome = machine.run(&["demo"]).succeeded();
    assert!(machine.python().contains("install -q --disable-pip-version-check -r ui/requirements.txt"));
    assert!(outcome.stdout.contains("Node: installed"), "{outcome:#?}");
    // A machine that PyPI has none for gets no page, and the demo.
    machine.program("python3", "case $* in *ui/requirements.txt) exit 1 ;; esac");
    let outcome = machine.run(&["demo"]).succeeded();
    assert!(outcome.stdout.contains("the page is left out. To have it, install npm"), "{outcome:#?}");
    let machine = Machine::new(&[&BUILD_TOOLS[..], &["npm"]].concat());
    let outcome = machine.run(&["demo"]).succeeded();
    assert!(outcome.stdout.contains("Node: ready") && machine.python().is_empty(), "{outcome:#?}");
}

#[test]
fn crates_are_fetched_beside_apt() {
    let machine = Machine::new(&BUILD_TOOLS);
    let cargo = "echo \"$@\" >> cargo.log; echo cargo 99.0.0; echo host: here";
    machine.program("cargo", cargo);
    machine.run(&["demo"]).succeeded();
    let calls = std::fs::read_to_string(machine.path("cargo.log")).unwrap();
    assert!(calls.contains("fetch --locked --quiet --target here"), "{calls}");
}

#[test]
fn apt_is_called_by_nobody_who_was_not_asked() {
    let machine = Machine::new(&[]);
    let outcome = machine.run(&["demo"]);
    assert_eq!((outcome.code, machine.apt()), (Some(1), String::new()), "{outcome:#?}");
    assert!(
        outcome.stderr.contains("apt-get install -y --no-install-recommends build-essential"),
        "{outcome:#?}"
    );
    assert!(outcome.stderr.contains("YES=1 make demo"), "{outcome:#?}");
    for (name, value) in [("YES", "1"), ("CI", "true")] {
        let machine = Machine::new(&[]);
        let outcome = finish(machine.setup(&["demo"]).env(name, value));
        assert!(machine.apt().contains("install -y --no-install-recommends build-essential"), "{outcome:#?}");
        // This apt installs nothing.
        assert!(outcome.stderr.contains("still not found"), "{outcome:#?}");
    }
}

#[test]
fn in_a_terminal_the_person_decides() {
    for (answer, called) in [("n\r", false), ("y\r", true)] {
        let machine = Machine::new(&[]);
        let mut terminal = Terminal::start(&mut machine.setup(&["demo"]), 120);
        terminal.wait_for("may this call  apt-get install -y --no-install-recommends build-essential");
        terminal.wait_for("[Y/n] ");
        terminal.type_keys(answer);
        let (code, shown) = terminal.ended();
        assert_eq!(code, Some(1), "{shown}");
        assert_eq!(machine.apt().contains("build-essential"), called, "{shown}");
    }
}
