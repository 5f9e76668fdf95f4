//! Imports in separate processes: killed at random moments, on a full disk, fed through a pipe. The
//! program runs itself as the importing process, so it has its own `main`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use quipu_graph::{EmbeddedGraph, Generations, Graph, GraphError, ImportConfig, Input, InputFormat, import};

/// First argument of an importing process.
const CHILD: &str = "import-as-child";

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, workspace, file] = words.as_slice()
        && first == CHILD
    {
        if let Err(error) = import_into(Path::new(workspace), file) {
            eprintln!("{error}");
            std::process::exit(1);
        }
        return;
    }
    for (name, test) in [
        ("killed_imports_leave_the_old_graph", killed_imports_leave_the_old_graph as fn()),
        ("a_full_disk_is_said_and_leaves_the_old_graph", a_full_disk_is_said_and_leaves_the_old_graph),
        ("standard_input_is_read", standard_input_is_read),
        ("a_pipe_with_a_name_is_read_once_and_whole", a_pipe_with_a_name_is_read_once_and_whole),
    ] {
        test();
        println!("{name} ... ok");
    }
}

fn import_into(workspace: &Path, file: &str) -> Result<(), GraphError> {
    let new = Generations::open(workspace).begin()?;
    let input = if file == "-" { Input::Stdin } else { Input::File(file.into()) };
    let mut config = ImportConfig::new("child", vec![input]);
    config.memory = 4 << 20;
    config.format = (file == "-").then_some(InputFormat::Tsv);
    import(&config, &new.graph())?;
    new.publish()
}

fn child(workspace: &Path, file: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg(CHILD).arg(workspace).arg(file);
    command
}

fn write_triples(path: &Path, triples: u64) {
    let text: String =
        (0..triples).map(|i| format!("e{}\tr{}\tt{}\n", i * 7919 % 10_007, i % 13, i)).collect();
    std::fs::write(path, text).unwrap();
}

fn triples(workspace: &Path) -> u64 {
    let graph = EmbeddedGraph::open(Generations::open(workspace).current_graph().unwrap()).unwrap();
    graph.verify().unwrap();
    graph.describe().triples
}

struct Setting {
    _folder: tempfile::TempDir,
    workspace: PathBuf,
    big: String,
}

/// A workspace with ten triples, and a file with many more.
fn setting() -> Setting {
    let folder = tempfile::tempdir().unwrap();
    let (small, big) = (folder.path().join("small.tsv"), folder.path().join("big.tsv"));
    write_triples(&small, 10);
    write_triples(&big, 30_000);
    let workspace = folder.path().join("workspace");
    import_into(&workspace, small.to_str().unwrap()).unwrap();
    Setting { workspace, big: big.to_str().unwrap().to_owned(), _folder: folder }
}

fn killed_imports_leave_the_old_graph() {
    let Setting { workspace, big, _folder } = setting();
    let start = Instant::now();
    assert!(child(&_folder.path().join("other"), &big).status().unwrap().success());
    let whole = start.elapsed();
    let mut killed = 0;
    for moment in 1..=10 {
        let mut import = child(&workspace, &big).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(whole.mul_f64(f64::from(moment) / 10.0).max(Duration::from_millis(1)));
        killed += u32::from(import.try_wait().unwrap().is_none());
        import.kill().unwrap();
        import.wait().unwrap();
        assert!([10, 30_000].contains(&triples(&workspace)), "after kill {moment}");
    }
    assert!(killed > 0, "no import was caught alive");
    assert!(child(&workspace, &big).status().unwrap().success());
    assert_eq!(triples(&workspace), 30_000);
    let generations =
        std::fs::read_dir(&workspace).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir());
    assert_eq!(generations.count(), 1, "left-overs are cleared away");
}

fn a_full_disk_is_said_and_leaves_the_old_graph() {
    let Setting { workspace, big, _folder } = setting();
    // A limit on the size of files simulates a full disk: writing past it fails.
    let limited = "trap '' XFSZ; ulimit -f 100; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", limited]).arg(std::env::current_exe().unwrap()).arg(CHILD).arg(&workspace).arg(&big);
    let output = command.output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    assert!(message.contains("cannot write") && message.contains("gen-0002"), "{message}");
    assert_eq!(triples(&workspace), 10);
    assert!(!workspace.join("gen-0002").exists());
}

fn standard_input_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("workspace");
    let mut import = child(&workspace, "-").stdin(Stdio::piped()).spawn().unwrap();
    import.stdin.take().unwrap().write_all(b"Lima\tcapital of\tPeru\nCusco\tlies in\tPeru\n").unwrap();
    assert!(import.wait().unwrap().success());
    assert_eq!(triples(&workspace), 2);
}

/// The equivalent of `quipu import W <(zcat dump.gz)`. The data is several times the capacity of a
/// pipe.
fn a_pipe_with_a_name_is_read_once_and_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (workspace, pipe, file) =
        (folder.path().join("workspace"), folder.path().join("pipe.tsv"), folder.path().join("file.tsv"));
    write_triples(&file, 30_000);
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // The write blocks until a reader opens the pipe, so it runs in a separate process that a
    // failed import can leave behind.
    let mut write = Command::new("cp").arg(&file).arg(&pipe).spawn().unwrap();
    let import = child(&workspace, pipe.to_str().unwrap()).status().unwrap();
    let _ = write.kill();
    assert!(import.success() && write.wait().is_ok());
    assert_eq!(triples(&workspace), 30_000);
}
