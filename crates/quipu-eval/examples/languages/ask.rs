//! Asks the model: the prompt of each language, and the reply without its wrapping.

use std::error::Error;
use std::time::Duration;

use minijinja::Environment;
use quipu_answer::prompt_templates;
use quipu_model::{ChatRequest, Constraint, LanguageModel, Message};
use quipu_query::{Relevance, RenderConfig};
use serde_json::json;

use crate::{Graph, Language, describe, grammar};

/// Most tokens of a reply.
const MOST_TOKENS: u32 = 300;
/// Most hints in a prompt, as in `query`.
const MOST_HINTS: usize = 6;

/// A reply with its cost.
pub struct Asked {
    /// The query.
    pub text: String,
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of the reply.
    pub reply_tokens: u64,
}

/// Asks for one query, greedily.
pub async fn ask(
    model: &dyn LanguageModel,
    graph: &Graph,
    language: Language,
    constrained: bool,
    question: &str,
) -> Result<Asked, Box<dyn Error>> {
    let tables = &graph.tables;
    let mut relevance = Relevance::by_words(tables, question);
    let mentions = graph.values.mentions(question);
    for found in mentions.iter().flat_map(|mention| &mention.matches) {
        relevance.raise(found.place, 1.0);
    }
    let mut hints: Vec<String> =
        mentions.iter().filter_map(|mention| describe::hint(language, tables, mention)).collect();
    hints.truncate(MOST_HINTS);
    let rendered = tables.render(&relevance, &RenderConfig::default());
    let shown = match language {
        Language::Sql => rendered.text.clone(),
        Language::Sparql => describe::classes(tables, &rendered.shown),
        Language::Cypher => describe::labels(tables, &rendered.shown),
    };
    let first = tables.tables.first();
    let first_id = first.map(|table| match language {
        Language::Cypher => describe::label(&table.id),
        Language::Sql | Language::Sparql => table.id.clone(),
    });
    let values = json!({
        "tables": shown,
        "whole": rendered.whole,
        "first": { "id": first_id, "title": first.map(|table| &table.title) },
        "hints": hints,
        "examples": [],
        "question": question,
        "failed": null,
    });
    let mut request = ChatRequest::new("language", messages(language, &values)?).with_max_tokens(MOST_TOKENS);
    // A semicolon does not end a SPARQL query.
    request.stop = match language {
        Language::Sql | Language::Cypher => vec![";".into(), "\n\n".into()],
        Language::Sparql => vec!["\n\n".into()],
    };
    // Long, so that a busy machine does not distort the measurement.
    request.timeout = Duration::from_secs(1_200);
    if constrained {
        request.constraint = Constraint::Grammar(grammar::of(tables, &rendered.shown));
    }
    let reply = model.chat(&request).await?;
    Ok(Asked {
        text: bare(&reply.text),
        prompt_tokens: reply.usage.prompt_tokens,
        reply_tokens: reply.usage.completion_tokens,
    })
}

fn messages(language: Language, values: &serde_json::Value) -> Result<Vec<Message>, Box<dyn Error>> {
    let source = match language {
        // The prompt of `query` itself.
        Language::Sql => {
            let mut all = prompt_templates();
            all.find(|(name, _)| *name == "query").ok_or("there is no prompt of the name query")?.1
        }
        Language::Sparql => include_str!("sparql.jinja"),
        Language::Cypher => include_str!("cypher.jinja"),
    };
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    let text = environment.render_str(source, values)?;
    let mut parts = text.split("\n=====\n").map(str::trim);
    let mut messages = vec![Message::system(parts.next().unwrap_or_default())];
    messages.extend(parts.enumerate().map(|(turn, part)| match turn % 2 {
        0 => Message::user(part),
        _ => Message::assistant(part),
    }));
    Ok(messages)
}

/// Whether a reply states that the graph holds no answer.
pub fn declines(text: &str) -> bool {
    let text = text.trim().trim_end_matches('.').to_ascii_uppercase();
    text == "NONE" || text == "SELECT NULL" || text == "RETURN NULL"
}

/// The query without code fences and comments, in one line.
fn bare(text: &str) -> String {
    let text = match text.split_once("```") {
        Some((_, fenced)) => {
            let fenced = fenced.trim_start_matches(|c: char| c.is_ascii_alphabetic());
            fenced.split("```").next().unwrap_or(fenced)
        }
        None => text,
    };
    let is_comment = |line: &&str| ["--", "//", "# "].iter().any(|mark| line.trim_start().starts_with(mark));
    let lines: Vec<&str> = text.lines().filter(|line| !is_comment(line)).collect();
    lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches(';').trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{bare, declines};

    #[test]
    fn fences_and_comments_are_no_part_of_the_query() {
        assert_eq!(bare("```sparql\nASK {}\n```\nThis asks."), "ASK {}");
        assert_eq!(bare("// the ships\nMATCH (s:Ship)\nRETURN s;"), "MATCH (s:Ship) RETURN s");
        assert!(declines("none.") && declines("SELECT NULL") && !declines("SELECT name FROM ship"));
    }
}
