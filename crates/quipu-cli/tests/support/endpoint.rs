//! A mock OpenAI-compatible endpoint.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

/// Serves each connection on its own port; returns the base URL.
pub fn endpoint(serve: impl Fn(TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || listener.incoming().flatten().for_each(&serve));
    format!("http://{address}/v1")
}

pub fn answer(stream: TcpStream, status: &str, body: &str) {
    let _ = heard(stream, status, body);
}

/// Answers, and returns the body of the request.
pub fn heard(stream: TcpStream, status: &str, body: &str) -> String {
    answer_as(stream, status, |_| body.to_owned())
}

/// Answers with what `reply` makes of the request's body, which is returned.
pub fn answer_as(mut stream: TcpStream, status: &str, reply: impl Fn(&str) -> String) -> String {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut request = vec![0; length];
    let _ = reader.read_exact(&mut request);
    let request = String::from_utf8_lossy(&request).into_owned();
    let body = reply(&request);
    let head = "Content-Type: application/json\r\nConnection: close";
    let _ = write!(stream, "HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    request
}

pub fn chat_reply(text: &str) -> String {
    serde_json::json!({
        "id": "1", "object": "chat.completion", "created": 0, "model": "parrot",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10 }
    })
    .to_string()
}
