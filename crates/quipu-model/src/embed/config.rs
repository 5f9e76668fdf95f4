//! Checks the configuration of a sentence-transformers folder against the computation in this
//! crate. A model of another architecture would otherwise give wrong vectors without an error.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::ModelError;

/// Dimensions of a head.
const HEAD: usize = 32;
/// Largest accepted epsilon of the layer norms; the computation adds 1e-12.
const EPSILON: f64 = 1e-11;

/// `config.json`, as transformers writes it.
#[derive(Deserialize)]
struct Config {
    model_type: String,
    num_attention_heads: usize,
    #[serde(default)]
    hidden_act: Option<String>,
    #[serde(default)]
    layer_norm_eps: Option<f64>,
    #[serde(default)]
    position_embedding_type: Option<String>,
}

/// A line of `modules.json`.
#[derive(Deserialize)]
struct Module {
    r#type: String,
    path: String,
}

/// `1_Pooling/config.json`.
#[derive(Deserialize)]
struct Pooling {
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_max_tokens: bool,
    #[serde(default)]
    pooling_mode_mean_sqrt_len_tokens: bool,
    #[serde(default)]
    pooling_mode_weightedmean_tokens: bool,
    #[serde(default)]
    pooling_mode_lasttoken: bool,
}

/// `sentence_bert_config.json`.
#[derive(Deserialize)]
struct Sentences {
    #[serde(default)]
    max_seq_length: Option<usize>,
}

/// Checks the configuration of a model with `dimensions` dimensions; returns the most tokens of a
/// text, if the configuration has that limit.
///
/// `config.json` must exist. Without `modules.json` the vectors of the tokens are averaged, as in
/// sentence-transformers.
///
/// # Errors
/// [`ModelError::Damaged`] names the file and the unsupported setting.
pub(super) fn check(folder: &Path, dimensions: usize) -> Result<Option<usize>, ModelError> {
    let path = folder.join("config.json");
    let Some(config) = read::<Config>(&path)? else {
        let reason = "the file is missing; it states how the model's vectors are computed. Copy it from the model's source";
        return Err(refused(path, reason));
    };
    let heads = config.num_attention_heads;
    let unlike = [
        (
            config.model_type != "bert",
            format!("the model has the type {:?}; only BERT is supported", config.model_type),
        ),
        (
            heads.checked_mul(HEAD) != Some(dimensions),
            format!(
                "{heads} heads over {dimensions} dimensions; only heads of {HEAD} dimensions are supported"
            ),
        ),
        (
            config.hidden_act.as_deref().is_some_and(|activation| activation != "gelu"),
            format!("the activation is {:?}; only gelu is supported", config.hidden_act.unwrap_or_default()),
        ),
        (
            config.layer_norm_eps.is_some_and(|epsilon| epsilon > EPSILON),
            format!(
                "layer_norm_eps is {:?}; only 1e-12 is supported",
                config.layer_norm_eps.unwrap_or_default()
            ),
        ),
        (
            config.position_embedding_type.as_deref().is_some_and(|kind| kind != "absolute"),
            format!(
                "the position type is {:?}; only absolute positions are supported",
                config.position_embedding_type.unwrap_or_default()
            ),
        ),
    ];
    if let Some((_, reason)) = unlike.into_iter().find(|(is_unlike, _)| *is_unlike) {
        return Err(refused(path, reason));
    }
    let modules = folder.join("modules.json");
    for module in read::<Vec<Module>>(&modules)?.unwrap_or_default() {
        match module.r#type.rsplit('.').next().unwrap_or_default() {
            "Transformer" | "Normalize" => {}
            "Pooling" => check_pooling(folder.join(&module.path).join("config.json"))?,
            other => return Err(refused(modules, format!("the module {other:?} is not supported"))),
        }
    }
    let path = folder.join("sentence_bert_config.json");
    let longest = read::<Sentences>(&path)?.and_then(|sentences| sentences.max_seq_length);
    match longest {
        // The model's two special tokens, and a word.
        Some(longest) if longest < 3 => {
            Err(refused(path, format!("max_seq_length is {longest}, which leaves no room for a word")))
        }
        longest => Ok(longest),
    }
}

fn check_pooling(path: PathBuf) -> Result<(), ModelError> {
    let Some(pooling) = read::<Pooling>(&path)? else {
        return Err(refused(
            path,
            "the file is missing, but modules.json names its folder; copy it from the model's source",
        ));
    };
    let others = [
        ("of the first token", pooling.pooling_mode_cls_token),
        ("by the greatest value", pooling.pooling_mode_max_tokens),
        ("by the root of the length", pooling.pooling_mode_mean_sqrt_len_tokens),
        ("by weights", pooling.pooling_mode_weightedmean_tokens),
        ("of the last token", pooling.pooling_mode_lasttoken),
    ];
    match others.into_iter().find(|(_, is_on)| *is_on) {
        Some((name, _)) => {
            Err(refused(path, format!("pooling {name}; only the mean of the tokens is supported")))
        }
        None if pooling.pooling_mode_mean_tokens => Ok(()),
        None => Err(refused(path, "no pooling; only the mean of the tokens is supported")),
    }
}

fn refused(path: PathBuf, reason: impl Into<String>) -> ModelError {
    ModelError::Damaged { path, reason: reason.into() }
}

/// A file's content; `None` where there is no such file.
fn read<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, ModelError> {
    let text = match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|source| ModelError::Io {
            action: "cannot read",
            path: path.to_owned(),
            source: Arc::new(source),
        })?,
    };
    let read = serde_json::from_slice(&text);
    read.map(Some).map_err(|error| refused(path.to_owned(), error.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn good() -> Value {
        json!({
            "model_type": "bert", "num_attention_heads": 12, "hidden_size": 384, "hidden_act": "gelu",
            "layer_norm_eps": 1e-12, "position_embedding_type": "absolute"
        })
    }

    fn checked(files: &[(&str, Value)]) -> Result<Option<usize>, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("1_Pooling")).unwrap();
        for (name, content) in files {
            std::fs::write(folder.path().join(name), content.to_string()).unwrap();
        }
        check(folder.path(), 384).map_err(|error| error.to_string())
    }

    fn with(name: &str, value: Value) -> Value {
        let mut config = good();
        config[name] = value;
        config
    }

    #[test]
    fn a_model_that_is_computed_here_is_taken() {
        let modules = json!([
            { "idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer" },
            { "idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling" },
            { "idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize" }
        ]);
        let pooling = json!({ "word_embedding_dimension": 384, "pooling_mode_mean_tokens": true });
        let files = [
            ("config.json", good()),
            ("modules.json", modules),
            ("1_Pooling/config.json", pooling),
            ("sentence_bert_config.json", json!({ "max_seq_length": 128, "do_lower_case": false })),
        ];
        assert_eq!(checked(&files), Ok(Some(128)));
        assert_eq!(
            checked(&[("config.json", json!({ "model_type": "bert", "num_attention_heads": 12 }))]),
            Ok(None)
        );
    }

    #[test]
    fn a_model_of_another_make_is_refused_by_its_file_and_reason() {
        for (name, value, says) in [
            ("model_type", json!("xlm-roberta"), "xlm-roberta"),
            ("num_attention_heads", json!(6), "6 heads over 384 dimensions"),
            ("num_attention_heads", json!(u64::MAX), "heads over 384"),
            ("hidden_act", json!("relu"), "relu"),
            ("layer_norm_eps", json!(1e-5), "1e-5"),
            ("position_embedding_type", json!("relative_key"), "relative_key"),
        ] {
            let error = checked(&[("config.json", with(name, value))]).unwrap_err();
            assert!(error.contains("config.json: ") && error.contains(says), "{error}");
        }
        for longest in [0, 1, 2] {
            let short = json!({ "max_seq_length": longest });
            let error =
                checked(&[("config.json", good()), ("sentence_bert_config.json", short)]).unwrap_err();
            assert!(error.contains("sentence_bert_config.json: max_seq_length"), "{error}");
        }
        assert!(checked(&[]).unwrap_err().contains("config.json: the file is missing"));
        assert!(checked(&[("config.json", json!([]))]).unwrap_err().contains("config.json"));
    }

    #[test]
    fn pooling_other_than_the_mean_is_refused() {
        let pooling = json!([{ "path": "1_Pooling", "type": "sentence_transformers.models.Pooling" }]);
        for (config, says) in [
            (
                json!({ "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false }),
                "of the first token",
            ),
            (
                json!({ "pooling_mode_max_tokens": true, "pooling_mode_mean_tokens": true }),
                "by the greatest value",
            ),
            (json!({}), "no pooling"),
        ] {
            let files = [
                ("config.json", good()),
                ("modules.json", pooling.clone()),
                ("1_Pooling/config.json", config),
            ];
            let error = checked(&files).unwrap_err();
            assert!(error.contains("1_Pooling") && error.contains(says), "{error}");
        }
        let missing = checked(&[("config.json", good()), ("modules.json", pooling)]).unwrap_err();
        assert!(missing.contains("missing"), "{missing}");
        let dense = json!([{ "path": "2_Dense", "type": "sentence_transformers.models.Dense" }]);
        let error = checked(&[("config.json", good()), ("modules.json", dense)]).unwrap_err();
        assert!(error.contains("modules.json: the module \"Dense\""), "{error}");
    }
}
