//! A SPARQL endpoint on this machine, in the process that runs the commands: two small graphs, one
//! at each path.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use quipu_graph::{EmbeddedGraph, ImportConfig, Input, QueryFormat, QueryOptions, import};

/// Holds the endpoint's address for the processes of commands.
pub const ADDRESS: &str = "QUIPU_CRASH_ENDPOINT";

const TOWN: &str = "<http://e.org/gorwen> <http://www.w3.org/2000/01/rdf-schema#label> \"Gorwen\"@en .\n\
    <http://e.org/gorwen> <http://e.org/lies> <http://e.org/orle> .\n\
    <http://e.org/orle> <http://www.w3.org/2000/01/rdf-schema#label> \"Orle\"@en .\n";
const OTHERS: &str = "<http://e.org/haldt> <http://www.w3.org/2000/01/rdf-schema#label> \"Haldt\"@en .\n\
    <http://e.org/haldt> <http://e.org/trades> <http://e.org/gorwen> .\n";

/// Starts the endpoint, which ends with this process. Returns its address.
pub fn start(folder: &Path) -> String {
    let graphs = [TOWN.to_owned(), format!("{TOWN}{OTHERS}")];
    let graphs: Vec<EmbeddedGraph> =
        graphs.iter().zip(0..).map(|(text, at)| graph(text, at, folder)).collect();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        // A process that is killed leaves a broken connection.
        listener.incoming().flatten().for_each(|stream| drop(answer(stream, &graphs)));
    });
    address
}

fn graph(triples: &str, number: usize, folder: &Path) -> EmbeddedGraph {
    let (file, store) = (folder.join(format!("{number}.nt")), folder.join(format!("store{number}")));
    std::fs::write(&file, triples).unwrap();
    import(&ImportConfig::new("endpoint", vec![Input::File(file)]), &store).unwrap();
    EmbeddedGraph::open(store).unwrap()
}

/// Answers one request: `POST /NUMBER` with a form.
fn answer(stream: TcpStream, graphs: &[EmbeddedGraph]) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut number, mut length) = (String::new(), 0, 0);
    while reader.read_line(&mut line)? > 0 && !line.trim().is_empty() {
        if let Some(path) = line.strip_prefix("POST /") {
            number = usize::from(path.starts_with('1'));
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let form = String::from_utf8(body).unwrap();
    let query =
        form.split('&').find_map(|field| field.strip_prefix("query=")).map(decoded).unwrap_or_default();
    let options = QueryOptions { format: QueryFormat::Json, ..QueryOptions::default() };
    let mut result = Vec::new();
    let (status, kind) = match graphs[number].query(&query, &options, &mut result) {
        Ok(_) => ("200 OK", "application/sparql-results+json"),
        Err(error) => {
            result = error.to_string().into_bytes();
            ("400 Bad Request", "text/plain")
        }
    };
    let length = result.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    let mut stream = reader.into_inner();
    stream.write_all(head.as_bytes())?;
    stream.write_all(&result)
}

/// A value of a form as text.
fn decoded(value: &str) -> String {
    let mut bytes = value.bytes();
    let mut text = Vec::new();
    while let Some(byte) = bytes.next() {
        text.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [bytes.next().unwrap(), bytes.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            byte => byte,
        });
    }
    String::from_utf8(text).unwrap()
}
