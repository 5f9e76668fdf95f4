//! `quipu serve` as a separate process, and a client that returns plain results.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;

/// A running server; it is killed on drop.
pub struct Serving {
    pub child: Child,
    /// Host and port.
    pub address: String,
    /// Its standard error after its address, once it has ended.
    pub log: Option<JoinHandle<String>>,
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The ready message on standard error contains the address.
pub fn start(command: &mut Command) -> Serving {
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
        let rest = line.strip_prefix("http://")?.to_owned();
        Some(rest.split('/').next()?.to_owned())
    });
    // Keep reading, so that the server never blocks on its output.
    let log = std::thread::spawn(move || lines.map_while(Result::ok).collect::<Vec<_>>().join("\n"));
    Serving { child, address: address.unwrap(), log: Some(log) }
}

impl Serving {
    /// The whole response to a GET.
    pub fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }

    /// Status and JSON of a POST; `None` without an answer, or if the connection breaks.
    pub fn post(&self, path: &str, body: &Value) -> Option<(u16, Value)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
        let body = body.to_string();
        let head = "Host: localhost\r\nConnection: close\r\nContent-Type: application/json";
        write!(stream, "POST {path} HTTP/1.1\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
            .ok()?;
        let mut response = String::new();
        stream.read_to_string(&mut response).ok()?;
        let status = response.split(' ').nth(1)?.parse().ok()?;
        Some((status, serde_json::from_str(response.split_once("\r\n\r\n")?.1).ok()?))
    }

    /// The value of a metric.
    pub fn metric(&self, name: &str) -> f64 {
        let text = self.get("/metrics");
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok());
        value.unwrap_or(0.0)
    }

    /// Waits until a metric has a value.
    pub fn wait_for(&self, name: &str, value: f64) {
        for _ in 0..6000 {
            if (self.metric(name) - value).abs() < 0.5 {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("{name} did not become {value}: it is {}", self.metric(name));
    }
}
