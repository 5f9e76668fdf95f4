//! LoRA adapters on a real model: their effect, its limits, and their refusals.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where something fails")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::common::{model_path, small_config};
use quipu_model::{
    Adapter, ChatRequest, LanguageModel, LocalConfig, LocalModel, Message, ModelError, OpenOptions,
    ScoreRequest, identify_language_model, name_with_adapters, open_language_model,
};

/// The width of smollm2-135m.
const WIDTH: usize = 576;

/// A GGUF file with an adapter of rank 1 for one projection: it adds `strength` times a row's mean
/// to the row.
struct File<'a> {
    architecture: &'a str,
    width: usize,
    strength: f32,
    texts: Vec<(&'a str, &'a str)>,
}

impl Default for File<'_> {
    fn default() -> Self {
        Self { architecture: "llama", width: WIDTH, strength: 0.5, texts: Vec::new() }
    }
}

impl File<'_> {
    fn bytes(&self) -> Vec<u8> {
        fn text(out: &mut Vec<u8>, text: &str) {
            out.extend((text.len() as u64).to_le_bytes());
            out.extend(text.as_bytes());
        }
        let mut out = b"GGUF".to_vec();
        let mut texts = vec![
            ("general.type", "adapter"),
            ("general.architecture", self.architecture),
            ("adapter.type", "lora"),
        ];
        texts.extend(&self.texts);
        out.extend(3_u32.to_le_bytes());
        out.extend(2_u64.to_le_bytes());
        out.extend((texts.len() as u64 + 1).to_le_bytes());
        for (key, value) in texts {
            text(&mut out, key);
            out.extend(8_u32.to_le_bytes());
            text(&mut out, value);
        }
        text(&mut out, "adapter.lora.alpha");
        out.extend(6_u32.to_le_bytes());
        out.extend(1.0_f32.to_le_bytes());
        let size = (self.width * 4) as u64;
        for (name, shape, offset) in
            [("lora_a", [self.width as u64, 1], 0), ("lora_b", [1, self.width as u64], size)]
        {
            text(&mut out, &format!("blk.20.attn_output.weight.{name}"));
            out.extend(2_u32.to_le_bytes());
            out.extend(shape.iter().flat_map(|length| length.to_le_bytes()));
            out.extend(0_u32.to_le_bytes());
            out.extend(offset.to_le_bytes());
        }
        out.resize(out.len().next_multiple_of(32), 0);
        for value in [1.0 / self.width as f32, self.strength] {
            out.extend((0..self.width).flat_map(|at| if at % 2 == 0 { value } else { -value }.to_le_bytes()));
        }
        out
    }

    fn write(&self, path: PathBuf) -> PathBuf {
        std::fs::write(&path, self.bytes()).unwrap();
        path
    }
}

fn load(adapters: &[&Path]) -> Result<LocalModel, ModelError> {
    let adapters = adapters.iter().map(|path| Adapter::read(path)).collect::<Result<_, _>>()?;
    let config = LocalConfig { adapters, ..small_config(1024) };
    LocalModel::load("small", &model_path("smollm2-135m"), &config)
}

/// The likelihood of an answer to a request of this stage.
async fn likelihood(model: &dyn LanguageModel, stage: &str) -> f64 {
    let request = ScoreRequest {
        stage: stage.into(),
        messages: vec![
            Message::system("You answer questions about countries."),
            Message::user("The capital of Peru?"),
        ],
        continuations: vec!["The capital of Peru is Lima.".into()],
        timeout: Duration::from_secs(60),
    };
    model.score(&request).await.unwrap().scores.first().unwrap().0
}

#[tokio::test]
async fn an_adapter_changes_its_own_requests_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let of = |name: &str, strength: f32, stages| {
        File { strength, texts: vec![("quipu.adapter.stages", stages)], ..File::default() }
            .write(folder.path().join(name))
    };
    let compose = of("compose.gguf", 600.0, "compose");
    let query = of("query.gguf", -600.0, "plan.query");
    let plain = load(&[]).unwrap();
    let untuned = likelihood(&plain, "compose").await;
    // In alternation: one adapter's cached computation must not serve another's requests.
    let tuned = load(&[&compose, &query]).unwrap();
    let [first, other, own, again, below] = [
        likelihood(&tuned, "plan.topic").await,
        likelihood(&tuned, "plan.query").await,
        likelihood(&tuned, "compose").await,
        likelihood(&tuned, "plan.topic").await,
        likelihood(&tuned, "compose.cot").await,
    ];
    assert_eq!(first, untuned);
    assert!((own - untuned).abs() > 0.5 && (other - untuned).abs() > 0.5, "{untuned}: {own}, {other}");
    assert!((own - other).abs() > 0.5, "{own}, {other}");
    assert!(
        (again - untuned).abs() < 0.05 && (below - own).abs() < 0.05,
        "{untuned}: {again}; {own}: {below}"
    );
}

#[tokio::test]
async fn a_tuned_model_gets_no_worked_examples() {
    let folder = tempfile::tempdir().unwrap();
    let file = File { strength: 0.0, texts: vec![("quipu.adapter.stages", "plan.query")], ..File::default() }
        .write(folder.path().join("query.gguf"));
    let (tuned, plain) = (load(&[&file]).unwrap(), load(&[]).unwrap());
    let worked = [Message::user("The capital of Chile?"), Message::assistant("Santiago")];
    let ends = [Message::system("You answer."), Message::user("The capital of Peru?")];
    let request = |stage: &str, messages: Vec<Message>, worked: usize| {
        let mut request = ChatRequest::new(stage, messages).with_max_tokens(1);
        request.worked = worked;
        request
    };
    let all: Vec<Message> = ends.iter().take(1).chain(&worked).chain(ends.iter().skip(1)).cloned().collect();
    let tokens = async |model: &LocalModel, request: ChatRequest| {
        model.chat(&request).await.unwrap().usage.prompt_tokens
    };
    let short = tokens(&plain, request("plan.query", ends.to_vec(), 0)).await;
    let long = tokens(&plain, request("plan.query", all.clone(), 2)).await;
    assert!(short < long, "{short}, {long}");
    assert_eq!(tokens(&tuned, request("plan.query", all.clone(), 2)).await, short);
    // Other stages are not tuned.
    assert_eq!(tokens(&tuned, request("compose", all.clone(), 2)).await, long);
    // An adapter that names no languages serves all; one that does serves those.
    let texts = vec![("quipu.adapter.stages", "plan.query"), ("quipu.adapter.languages", "en, fr")];
    let file = File { strength: 0.0, texts, ..File::default() }.write(folder.path().join("english.gguf"));
    let english = load(&[&file]).unwrap();
    let in_language = |language: &str| {
        let mut request = request("plan.query", all.clone(), 2);
        request.language = Some(language.to_owned());
        request
    };
    assert_eq!(tokens(&tuned, in_language("de")).await, short);
    assert_eq!(tokens(&english, in_language("fr")).await, short);
    assert_eq!(tokens(&english, in_language("de")).await, long);
}

#[tokio::test]
async fn an_adapter_that_adds_nothing_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = File { strength: 0.0, ..File::default() }.write(folder.path().join("zero.gguf"));
    let tuned = likelihood(&load(&[&file]).unwrap(), "compose").await;
    let untuned = likelihood(&load(&[]).unwrap(), "compose").await;
    assert!((tuned - untuned).abs() < 0.05, "{tuned}, {untuned}");
}

#[test]
fn what_does_not_fit_is_refused_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let message = |path: &Path| load(&[path]).err().unwrap().to_string();
    let other = File { architecture: "qwen2", ..File::default() }.write(path("other.gguf"));
    assert!(message(&other).contains("of the architecture qwen2, small is of llama"), "{}", message(&other));
    let wide = File { width: 896, ..File::default() }.write(path("wide.gguf"));
    assert!(message(&wide).contains("for a model of another size"), "{}", message(&wide));
    let bytes = File::default().bytes();
    for kept in [bytes.len() - 8, bytes.len() / 2, 60, 10] {
        std::fs::write(path("cut.gguf"), &bytes[..kept]).unwrap();
        assert!(matches!(load(&[&path("cut.gguf")]), Err(ModelError::Damaged { .. })), "{kept}");
    }
    // A model is no adapter.
    let model = model_path("smollm2-135m");
    assert!(message(&model).contains("not a LoRA adapter"), "{}", message(&model));
    let [one, two] = ["one.gguf", "two.gguf"].map(|name| File::default().write(path(name)));
    let both = load(&[&one, &two]).err().unwrap().to_string();
    assert!(both.contains("for the same requests"), "{both}");
}

#[test]
fn names_say_which_adapters_there_are_and_bases_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let base = ("quipu.adapter.base", "qwen2.5-coder-0.5b");
    let texts = vec![base, ("quipu.adapter.base_sha256", "00ff")];
    let foreign = File { texts, ..File::default() }.write(folder.path().join("foreign.gguf"));
    let fitting = File::default().write(folder.path().join("fitting.gguf"));
    let options = OpenOptions::default();
    let name =
        |path: &Path| name_with_adapters("smollm2-135m", &[path.to_str().unwrap().to_owned()]).unwrap();
    let refused = open_language_model(&name(&foreign), &options).err().unwrap().to_string();
    assert!(refused.contains("trained on qwen2.5-coder-0.5b, not on smollm2-135m"), "{refused}");
    assert_eq!(open_language_model(&name(&fitting), &options).unwrap().name(), name(&fitting));
    let version = |name: &str| identify_language_model(name, &options).unwrap().version;
    assert_ne!(version(&name(&fitting)), version("smollm2-135m"));
    assert!(version(&name(&fitting)).starts_with(&version("smollm2-135m")));
    // The models of endpoints have none of ours.
    assert_eq!(name_with_adapters("openai:a+b", &["none".into()]).unwrap(), "openai:a+b");
    assert!(name_with_adapters("openai:a", &["own".into()]).is_err());
}

#[tokio::test]
async fn a_model_brings_its_own_adapters_unless_others_or_none_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, strength: f32| {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        let texts = vec![("quipu.adapter.stages", "plan.query")];
        File { strength, texts, ..File::default() }
            .write(folder.path().join(name).join(format!("{name}.gguf")))
    };
    let (own, other) = (put("own", 600.0), put("other", -600.0));
    std::fs::create_dir(folder.path().join("small")).unwrap();
    std::fs::hard_link(model_path("smollm2-135m"), folder.path().join("small/small.gguf"))
        .or_else(|_| {
            std::fs::copy(model_path("smollm2-135m"), folder.path().join("small/small.gguf")).map(|_| ())
        })
        .unwrap();
    let size = std::fs::metadata(folder.path().join("small/small.gguf")).unwrap().len();
    let adapter = |path: &Path| (std::fs::metadata(path).unwrap().len(), Adapter::read(path).unwrap().sha256);
    let ((length, sha256), (other_length, other_sha256)) = (adapter(&own), adapter(&other));
    let models = format!(
        r#"
        [[model]]
        name = "small"
        kind = "chat"
        licence = "Apache-2.0"
        adapters = ["own"]
        files = [{{ name = "small.gguf", size = {size}, sha256 = "5a" }}]
        [[model]]
        name = "own"
        kind = "adapter"
        licence = "Apache-2.0"
        files = [{{ name = "own.gguf", size = {length}, sha256 = "{sha256}" }}]
        [[model]]
        name = "other"
        kind = "adapter"
        licence = "Apache-2.0"
        files = [{{ name = "other.gguf", size = {other_length}, sha256 = "{other_sha256}" }}]
        "#
    );
    std::fs::write(folder.path().join("models.toml"), models).unwrap();
    let options = OpenOptions {
        models: Some(folder.path().to_path_buf()),
        context_tokens: Some(1024),
        ..OpenOptions::default()
    };
    let version = |name: &str| identify_language_model(name, &options).unwrap().version;
    assert_eq!(version("small"), format!("5a+{sha256}"));
    assert_eq!(version("small+none"), "5a");
    assert_eq!(version("small+other"), format!("5a+{other_sha256}"));
    let of = async |name: &str| {
        let model = open_language_model(name, &options).unwrap();
        (likelihood(&*model, "plan.query").await, likelihood(&*model, "compose").await)
    };
    let (tuned, plain, otherwise) = (of("small").await, of("small+none").await, of("small+other").await);
    assert!((tuned.0 - plain.0).abs() > 0.5 && (tuned.0 - otherwise.0).abs() > 0.5, "{tuned:?} {plain:?}");
    assert!((tuned.1 - plain.1).abs() < 0.05, "{tuned:?} {plain:?}");
}
