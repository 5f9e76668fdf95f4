//! Self-verification's options in tests, and the scripted model's replies to it.

use super::options;
use quipu_answer::{AskOptions, Method};

pub fn subject(domain: &str, entities: &[(&str, &str)]) -> String {
    let entities: Vec<serde_json::Value> =
        entities.iter().map(|(name, kind)| serde_json::json!({ "name": name, "kind": kind })).collect();
    serde_json::json!({ "domain": domain, "entities": entities }).to_string()
}

pub fn composed(status: &str, rows: &[&str], operation: &str, answers: &[&str]) -> String {
    serde_json::json!({ "reasoning": "By the rows.", "status": status, "rows": rows, "operation": operation, "answers": answers }).to_string()
}

/// Field and names in one call; the paper makes two calls if rules do not decide the field.
pub fn in_one_call() -> AskOptions {
    let mut options = options(Method::Verify);
    options.config.verify.domain_call = false;
    options
}
