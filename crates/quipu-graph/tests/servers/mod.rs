//! SPARQL servers that tests start: Oxigraph's (from `.venv`) and Virtuoso 7 (Debian's), on free
//! ports, over the test's data. `scripts/setup.sh` installs both.
#![allow(dead_code, reason = "each test program uses its own part")]

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::skip;

/// The named graph that Virtuoso holds the data in.
pub(crate) const GRAPH: &str = "http://quipu.test/graph";
const PATIENCE: Duration = Duration::from_secs(90);

/// A running server. Dropping it stops the server.
pub(crate) struct Server {
    child: Child,
    /// The URL for queries.
    pub(crate) url: String,
    /// The graphs that hold the data; none: the default graph.
    pub(crate) graphs: Vec<String>,
    isql: Option<(PathBuf, u16)>,
    _folder: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn wait_for(port: u16, child: &mut Child, what: &str) {
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if let Some(status) = child.try_wait().unwrap() {
            panic!("{what} ended while starting: {status}");
        }
        assert!(start.elapsed() < PATIENCE, "{what} did not start");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(name))
        .find(|path| path.exists())
}

/// Oxigraph's server over N-Triples.
pub(crate) fn oxigraph(ntriples: &str) -> Server {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let program = root.join(".venv/bin/oxigraph");
    let program = if program.exists() { Some(program) } else { on_path("oxigraph") };
    let program = program.expect("Oxigraph's server is missing; run scripts/setup.sh");
    let folder = tempfile::tempdir().unwrap();
    let (data, store) = (folder.path().join("data.nt"), folder.path().join("store"));
    std::fs::write(&data, ntriples).unwrap();
    let load = Command::new(&program)
        .arg("load")
        .arg("--location")
        .arg(&store)
        .arg("--file")
        .arg(&data)
        .output()
        .unwrap();
    assert!(load.status.success(), "{}", String::from_utf8_lossy(&load.stderr));
    let port = free_port();
    let mut child = Command::new(&program)
        .args(["serve-read-only", "--bind", &format!("127.0.0.1:{port}"), "--location"])
        .arg(&store)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(port, &mut child, "Oxigraph's server");
    let url = format!("http://127.0.0.1:{port}/query");
    Server { child, url, graphs: Vec::new(), isql: None, _folder: folder }
}

/// Virtuoso 7 over N-Triples, limited to `most_rows` rows of a result. `None`, and the test is
/// skipped, if Virtuoso is not installed.
pub(crate) fn virtuoso(ntriples: &str, most_rows: usize) -> Option<Server> {
    let (Some(program), Some(isql)) = (on_path("virtuoso-t"), on_path("isql-vt")) else {
        skip::skip("Virtuoso is not installed; scripts/setup.sh installs it if it may use apt");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data.nt");
    std::fs::write(&data, ntriples).unwrap();
    let (sql, http) = (free_port(), free_port());
    let shown = folder.path().display();
    let ini = format!(
        "[Database]\nDatabaseFile = v.db\nErrorLogFile = v.log\nLockFile = v.lck\nTransactionFile = v.trx\n\
         xa_persistent_file = v.pxa\nFileExtend = 200\n[TempDatabase]\nDatabaseFile = vt.db\nTransactionFile = vt.trx\n\
         [Parameters]\nServerPort = 127.0.0.1:{sql}\nServerThreads = 10\nNumberOfBuffers = 2000\nMaxDirtyBuffers = 1200\n\
         DirsAllowed = {shown}\nCheckpointInterval = 0\n[HTTPServer]\nServerPort = 127.0.0.1:{http}\nServerThreads = 6\n\
         [SPARQL]\nResultSetMaxRows = {most_rows}\nMaxQueryExecutionTime = 60\n"
    );
    std::fs::write(folder.path().join("v.ini"), ini).unwrap();
    let mut child = Command::new(&program)
        .args(["+foreground", "+configfile", "v.ini"])
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(http, &mut child, "Virtuoso");
    wait_for(sql, &mut child, "Virtuoso");
    let url = format!("http://127.0.0.1:{http}/sparql");
    let server = Server { child, url, graphs: vec![GRAPH.into()], isql: Some((isql, sql)), _folder: folder };
    server.sql(&format!("DB.DBA.TTLP(file_to_string_output('{}'), '', '{GRAPH}')", data.display()));
    Some(server)
}

impl Server {
    /// Runs a statement of Virtuoso's SQL.
    pub(crate) fn sql(&self, statement: &str) {
        let (isql, port) = self.isql.as_ref().expect("this is no Virtuoso");
        let mut child = Command::new(isql)
            .args([&format!("127.0.0.1:{port}"), "dba", "dba", "VERBOSE=OFF", "ERRORS=STDOUT"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(format!("{statement};\n").as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && !said.contains("Error"), "{statement}: {said}");
    }
}
