//! KERAG's options in tests, and the scripted model's replies to it.

use std::sync::Arc;

use super::{FILMS, ask, setting};
use quipu_answer::{Answer, AskOptions, KeragConfig, Method, MethodConfig};
use quipu_model::ScriptedModel;

pub const TOPIC: &str = r#"{"domain": "other", "entities": ["Kauwboy"], "time": "", "operation": "list"}"#;
pub const MORE: &str = r#"{"irrelevant": [], "verdict": "more"}"#;
pub const ENOUGH: &str = r#"{"irrelevant": [], "verdict": "enough"}"#;

pub const BIRTHPLACE: &str = "where was the director of Kauwboy born?";

pub fn kerag(config: KeragConfig) -> AskOptions {
    let config = MethodConfig { kerag: config, ..MethodConfig::default() };
    AskOptions { method: Method::Kerag, config, keep_trace: true, ..AskOptions::default() }
}

/// As published: the model filters relations.
pub fn by_model() -> KeragConfig {
    KeragConfig::default()
}

pub fn composed(answers: &str) -> String {
    format!(
        r#"{{"reasoning": "By the rows.", "status": "answered", "rows": ["E0"], "operation": "none", "answers": [{answers}]}}"#
    )
}

pub async fn run(model: ScriptedModel, question: &str, config: KeragConfig) -> (Answer, Arc<ScriptedModel>) {
    let model = Arc::new(model);
    let answer = ask(&setting(FILMS).await, Some(model.clone()), None, question, &kerag(config)).await;
    (answer, model)
}
