//! How a test is skipped when something that it needs is missing. Shared by the tests of all crates.

#![allow(dead_code, reason = "each test program uses its part of this")]

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// Skips the test that calls it, visibly. With `QUIPU_ALL_TESTS` set (`.ci/run`), everything that
/// `make setup` installs must be there, and skipping is a failure.
pub fn skip(reason: &str) {
    assert!(std::env::var_os("QUIPU_ALL_TESTS").is_none(), "cannot be skipped here: {reason}");
    tell(reason);
}

/// Skips a test of data that lies outside the repository, visibly. Fails if the data's `folder`
/// exists without the data.
pub fn skip_without(folder: &Path, reason: &str) {
    assert!(!folder.exists(), "{} is here, but {reason}", folder.display());
    tell(reason);
}

/// Writes past the capture of tests' output, and to the file whose lines `make test` counts.
fn tell(reason: &str) {
    drop(writeln!(std::io::stderr(), "SKIPPED: {reason}"));
    if let Some(file) = std::env::var_os("QUIPU_SKIPPED") {
        record(Path::new(&file), reason).expect("the file for skipped tests can be written");
    }
}

/// Appends one line for the running test, whose thread bears its name.
fn record(file: &Path, reason: &str) -> std::io::Result<()> {
    let thread = std::thread::current();
    let line = format!("{}: {reason}\n", thread.name().unwrap_or("a test"));
    // One write a line: several test threads append at once.
    OpenOptions::new().create(true).append(true).open(file)?.write_all(line.as_bytes())
}

#[test]
fn skipped_tests_are_recorded_by_name() {
    let folder = std::env::temp_dir().join(format!("quipu-skipped-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("skipped.txt");
    record(&file, "no server").unwrap();
    record(&file, "no data").unwrap();
    let lines = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let test = std::thread::current().name().unwrap().to_owned();
    assert_eq!(lines, format!("{test}: no server\n{test}: no data\n"));
}
