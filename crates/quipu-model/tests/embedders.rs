//! Tests of embedders: the local one against known vectors, the endpoint's against a mock server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use crate::common;
use common::model_path;
use quipu_model::{Embedder, EndpointConfig, HttpEmbedder, LocalEmbedder, ModelError};
use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

fn local() -> LocalEmbedder {
    LocalEmbedder::open("all-minilm-l6-v2", &model_path("all-minilm-l6-v2")).unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The conformance suite of embedders.
async fn conformance(embedder: &dyn Embedder) {
    assert!(!embedder.name().is_empty() && !embedder.fingerprint().is_empty());
    assert!(embedder.embed(&[]).await.unwrap().is_empty());
    let texts =
        ["the capital of Peru", "", "which city governs Peru?", "a tuna sandwich", "the capital of Peru"];
    let batch = embedder.embed(&texts).await.unwrap();
    assert_eq!((batch.len(), batch.dimensions()), (texts.len(), embedder.dimensions()));
    for row in batch.rows() {
        assert!((cosine(row, row) - 1.0).abs() < 1e-4, "unit length");
    }
    assert!(cosine(batch.row(0), batch.row(4)) > 0.9999);
    for (index, text) in texts.iter().enumerate() {
        let alone = embedder.embed(&[text]).await.unwrap();
        assert!(cosine(alone.row(0), batch.row(index)) > 0.9999, "{text:?} alone and in a batch");
    }
}

#[derive(serde::Deserialize)]
struct Reference {
    text: String,
    vector: Vec<f32>,
}

/// Reference vectors in double precision from the same weights, by a plain numpy implementation of
/// the model.
#[tokio::test]
async fn the_local_embedder_gives_the_known_vectors() {
    let references: Vec<Reference> =
        serde_json::from_str(include_str!("data/all-minilm-l6-v2.json")).unwrap();
    let texts: Vec<&str> = references.iter().map(|reference| reference.text.as_str()).collect();
    let found = local().embed(&texts).await.unwrap();
    for (reference, found) in references.iter().zip(found.rows()) {
        let cosine = cosine(&reference.vector, found);
        assert!(cosine > 0.9995, "{:.40}: cosine {cosine}", reference.text);
    }
}

#[tokio::test]
async fn the_local_embedder_passes_the_suite() {
    let embedder = local();
    conformance(&embedder).await;
    assert_eq!(embedder.dimensions(), 384);
    assert_eq!(embedder.fingerprint(), local().fingerprint());
}

#[tokio::test]
async fn large_batches_come_back_in_order() {
    let embedder = local();
    let texts: Vec<String> = (0..3000).map(|n| format!("name {} {}", n, "long ".repeat(n % 13))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let batch = embedder.embed(&texts).await.unwrap();
    for index in [0, 1, 12, 13, 1500, 2999] {
        let alone = embedder.embed(&texts[index..=index]).await.unwrap();
        assert!(cosine(alone.row(0), batch.row(index)) > 0.9999);
    }
}

#[test]
fn damaged_weights_are_named() {
    let folder = tempfile::tempdir().unwrap();
    for content in [&b""[..], b"\x10\0\0\0\0\0\0\0{}", b"<html>no such model</html>"] {
        std::fs::write(folder.path().join("model.safetensors"), content).unwrap();
        let error = LocalEmbedder::open("broken", folder.path()).err().unwrap();
        assert!(error.to_string().contains("model.safetensors"), "{error}");
    }
}

/// Gives texts with common letters similar vectors.
fn stand_in(request: &Request) -> ResponseTemplate {
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let vector = |text: &str| -> Vec<f32> {
        ('a'..='p').map(|letter| text.matches(letter).count() as f32 + 0.1).collect()
    };
    let texts = body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
    let mut data: Vec<Value> =
        texts.enumerate().map(|(index, text)| json!({"index": index, "embedding": vector(text)})).collect();
    data.reverse();
    ResponseTemplate::new(200).set_body_json(json!({"data": data}))
}

#[tokio::test]
async fn an_endpoints_embedder_passes_the_suite() {
    let server = MockServer::start().await;
    Mock::given(method("POST")).and(path("/v1/embeddings")).respond_with(stand_in).mount(&server).await;
    let config = EndpointConfig::at(format!("{}/v1", server.uri()));
    conformance(&HttpEmbedder::connect("letters", config).await.unwrap()).await;
}

#[tokio::test]
async fn an_endpoint_that_loses_vectors_is_an_error() {
    let server = MockServer::start().await;
    let one = json!({"data": [{"index": 0, "embedding": [1.0, 0.0]}]});
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(200).set_body_json(one))
        .mount(&server)
        .await;
    let embedder = HttpEmbedder::connect("lossy", EndpointConfig::at(server.uri())).await.unwrap();
    let error = embedder.embed(&["a", "b"]).await.unwrap_err();
    assert!(matches!(error, ModelError::Unreadable { .. }), "{error}");
}

#[tokio::test]
async fn numbers_beyond_32_bits_and_vectors_without_end_are_refused() {
    let long = format!("[{}0]", "0,".repeat(1 << 16));
    for (vector, refused) in [("[1e39, 0]", true), ("[1e38, -1e38]", false), (long.as_str(), true)] {
        let server = MockServer::start().await;
        let body = format!(r#"{{"data": [{{"index": 0, "embedding": {vector}}}]}}"#);
        let reply = ResponseTemplate::new(200).set_body_raw(body, "application/json");
        Mock::given(method("POST")).respond_with(reply).mount(&server).await;
        match HttpEmbedder::connect("odd", EndpointConfig::at(server.uri())).await {
            Ok(embedder) => {
                let made = embedder.embed(&["a"]).await.unwrap();
                let length = cosine(made.row(0), made.row(0));
                assert!(!refused && (length - 1.0).abs() < 1e-4, "{length}");
            }
            Err(error) => assert!(refused && matches!(error, ModelError::Unreadable { .. }), "{error}"),
        }
    }
}
