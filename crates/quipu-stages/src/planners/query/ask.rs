//! Asking the model for SQL.

use std::collections::HashSet;

use quipu_language::{Language, is_written_as_name};
use quipu_model::{Alternatives, ChatRequest, FinishReason, Likelihood, Message};
use quipu_query::{Relevance, RenderConfig, words_of};
use quipu_reading::{abbreviated, kinds_named, meant};
use serde_json::json;

use super::{Asking, Failure, QueryConfig};
use crate::answer::{AnswerError, Stage, cell};
use crate::ledger::Context;
use crate::prompts::Prompt;

/// Most tokens of a query.
pub(super) const MOST_TOKENS: u32 = 220;
/// Most mentions in the prompt.
const MOST_HINTS: usize = 6;
/// Up to this many names may contain a plain word of the question by chance.
const RARE: usize = 2;

/// The ways to ask for a query.
pub(super) enum Asked<'a> {
    /// Greedily.
    Likeliest,
    /// Again, with the reason why the last query failed.
    Again(&'a Failure),
}

/// A query as the model wrote it.
pub(super) struct Written {
    pub(super) sql: String,
    /// The model's reply that holds it.
    pub(super) reply: String,
    /// Its likelihood, if the model reports one.
    pub(super) likelihood: Option<Likelihood>,
    /// Whether the reply ended at its limit, so that the query may lack its end.
    pub(super) cut: bool,
}

/// The parts that every request about one question shares.
pub(super) struct PromptParts {
    tables: String,
    /// Whether all tables are shown. They are then the same for every question and have a turn of
    /// their own, which the model computes once.
    whole: bool,
    /// Identifier and title of the largest table.
    first: (String, String),
    hints: Vec<String>,
    /// Words of the question that occur in several names each, with the hint that the model gets
    /// for them.
    pub(super) families: Vec<(String, String)>,
    /// Solved questions of this graph, the nearest first, with their queries.
    examples: Vec<(String, String)>,
    question: String,
}

/// Whether a word is written like a year.
fn is_year(word: &str) -> bool {
    word.parse().is_ok_and(|year: u32| (1_000..2_100).contains(&year))
}

/// Builds the prompt: the tables that the question may need, and the values that it may name.
pub(super) fn prompt(asking: &Asking<'_>, examples: Vec<(String, String)>) -> PromptParts {
    let text = asking.question.text();
    let words = words_of(text);
    let tables = asking.graph.tables.as_named_by(&words);
    let (tables, values) = (tables.as_ref(), &asking.graph.values);
    let language = Language::of(text);
    let mut relevance = Relevance::by_words(tables, text);
    let (mut hints, mut families) = (Vec::new(), Vec::new());
    for mention in values.mentions(text).into_iter().chain(asking.named.iter().cloned()) {
        for found in &mention.matches {
            relevance.raise(found.place, 1.0);
        }
        // If the hint names several columns, the model uses all of them; so it names one.
        let Some(found) = meant(text, &mention, tables) else { continue };
        let place = tables.shown_as(tables.widest(found.place), &words);
        if let (Some((table, column)), Some(value)) = (place, found.shown.first()) {
            let value = cell(value).replace('\'', "''");
            hints.push(format!("“{}” may be {table}.{column} = '{value}'", cell(&mention.text)));
        }
    }
    for (said, at, kind) in kinds_named(tables, text) {
        relevance.raise(at, 1.0);
        let kind = cell(&kind).replace('\'', "''");
        let named = hints.iter().any(|hint| hint.ends_with(&format!(" = '{kind}'")));
        if let (Some((table, column)), false) = (tables.shown_as(at, &words), named) {
            hints.push(format!("“{said}” may be {table}.{column} = '{kind}'"));
        }
    }
    // Hints for parts of names come after hints for whole names.
    let exact: HashSet<String> = values
        .mentions(text)
        .iter()
        .chain(&asking.named)
        .flat_map(|mention| words_of(&mention.text))
        .collect();
    let of_schema: HashSet<String> =
        tables.columns().flat_map(|(_, column)| words_of(&column.title)).collect();
    let of_schema: HashSet<String> =
        tables.tables.iter().flat_map(|table| words_of(&table.title)).chain(of_schema).collect();
    let skip = |word: &str| {
        // A year stands in many names and means none of them.
        is_year(word)
            || exact.contains(word)
            || !language.meanings(word).is_empty()
            || of_schema.iter().any(|known| language.is_form(word, known))
    };
    for mention in values.parts(text, skip) {
        let Some(found) = meant(text, &mention, tables) else { continue };
        // "Boeing 737" names something, "737" alone does not.
        if !mention.text.chars().any(char::is_alphabetic) {
            continue;
        }
        // "Creatures" in a graph with one entity called "nightmare creature" is an ordinary word,
        // not a name.
        if found.terms.len() <= RARE
            && !mention.text.contains(' ')
            && !is_written_as_name(text, &mention.text)
        {
            continue;
        }
        relevance.raise(found.place, 1.0);
        let Some((table, column)) = tables.shown_as(found.place, &words) else { continue };
        let said = cell(&mention.text);
        let singular = Language::of(text).singular(&said);
        let hint = match (found.terms.len(), found.shown.first()) {
            (1, Some(value)) => {
                format!("“{said}” may be {table}.{column} = '{}'", cell(value).replace('\'', "''"))
            }
            _ => format!("“{said}” may be {table}.{column} LIKE '%{singular}%'"),
        };
        if found.terms.len() > RARE {
            families.push((said.clone(), hint.clone()));
        }
        hints.push(hint);
    }
    // "Highways" are the rows whose names all have that word.
    for word in words.iter().filter(|word| !skip(word)) {
        let [place] = values.names_sharing(word)[..] else { continue };
        relevance.raise(place, 1.0);
        if let Some((table, column)) = tables.shown_as(place, &words) {
            hints.push(format!("“{}” may be {table}.{column}", cell(word)));
        }
    }
    for (said, place) in abbreviated(tables, text, skip) {
        relevance.raise(place, 1.0);
        if let Some((table, column)) = tables.shown_as(place, &words) {
            hints.push(format!("“{said}” may be {table}.{column}"));
        }
    }
    if !asking.config.hints {
        hints.clear();
        families.clear();
    }
    let mut told = HashSet::new();
    hints.retain(|hint| told.insert(hint.clone()));
    hints.truncate(MOST_HINTS);
    let config = RenderConfig { bytes: asking.config.table_bytes, ..RenderConfig::default() };
    let rendered = tables.render(&relevance, &config);
    let first = tables.tables.first().map(|table| (table.id.clone(), cell(&table.title))).unwrap_or_default();
    PromptParts {
        tables: rendered.text,
        whole: rendered.whole,
        first,
        hints,
        families,
        examples,
        question: text.to_owned(),
    }
}

/// Asks the model for one query of at most `most` tokens.
pub(super) async fn write(
    context: &Context<'_>,
    prompt: &PromptParts,
    asked: Asked<'_>,
    most: u32,
) -> Result<Written, AnswerError> {
    let failed = match asked {
        Asked::Again(failure) => json!({ "sql": failure.sql, "reason": failure.reason }),
        Asked::Likeliest => json!(null),
    };
    let request = request(prompt, &failed)?.with_max_tokens(most);
    let reply = context.chat(Stage::Plan, request).await?;
    let cut = reply.finish == FinishReason::Length && !holds_whole_fence(&reply.text);
    Ok(Written { cut, ..Written::read(reply.text, reply.likelihood) })
}

/// Lets the model read the tables that every prompt begins with. One call of one token; false if
/// the tables are chosen for each question.
pub(super) async fn read_ahead(context: &Context<'_>, prompt: &PromptParts) -> Result<bool, AnswerError> {
    if prompt.whole {
        context.chat(Stage::Plan, request(prompt, &json!(null))?.with_max_tokens(1)).await?;
    }
    Ok(prompt.whole)
}

/// Asks the model once for the likeliest queries other than a known one, each of at most `most`
/// tokens.
pub(super) async fn write_others(
    context: &Context<'_>,
    prompt: &PromptParts,
    known: &Written,
    config: &QueryConfig,
    most: u32,
) -> Result<Vec<Written>, AnswerError> {
    let mut request = request(prompt, &json!(null))?.with_max_tokens(most);
    request.alternatives = Some(Alternatives { to: known.reply.clone(), count: config.alternatives });
    // An endpoint takes samples.
    (request.temperature, request.seed) = (config.temperature, 1);
    let reply = context.chat(Stage::Plan, request).await?;
    let mut others: Vec<Written> = Vec::new();
    for other in reply.alternatives {
        let other = Written::read(other.text, other.likelihood);
        if other.sql != known.sql && others.iter().all(|another| another.sql != other.sql) {
            others.push(other);
        }
    }
    Ok(others)
}

fn request(prompt: &PromptParts, failed: &serde_json::Value) -> Result<ChatRequest, AnswerError> {
    let messages: Vec<Message> = Prompt::Query.render(json!({
        "tables": prompt.tables,
        "whole": prompt.whole,
        "first": { "id": prompt.first.0, "title": prompt.first.1 },
        "hints": prompt.hints,
        "examples": prompt.examples,
        "question": prompt.question,
        "failed": failed,
    }))?;
    let worked = worked(&messages, prompt.whole);
    let mut request = ChatRequest::new("plan.query", messages);
    (request.worked, request.lasting) = (worked, prompt.whole);
    request.language = Some(Language::of(&prompt.question).code().to_owned());
    request.stop = vec![";".into(), "\n\n".into()];
    request.likelihood = true;
    Ok(request)
}

impl Written {
    fn read(reply: String, likelihood: Option<Likelihood>) -> Self {
        Self { sql: bare(&reply), reply, likelihood, cut: false }
    }

    /// Text that the model did not write.
    pub(super) fn by_code(sql: String) -> Self {
        Self { reply: sql.clone(), sql, likelihood: None, cut: false }
    }
}

/// Number of the messages that are worked examples: all between the instructions and the graph's
/// tables. Tables that are shown whole have a question and a reply of their own.
fn worked(messages: &[Message], whole: bool) -> usize {
    let about_the_graph = if whole { 3 } else { 1 };
    messages.len().saturating_sub(1 + about_the_graph)
}

/// Whether the text has an opening and a closing fence.
fn holds_whole_fence(text: &str) -> bool {
    text.matches("```").nth(1).is_some()
}

/// The bare query, without fences, comments and semicolons.
fn bare(text: &str) -> String {
    let text = match text.split_once("```") {
        Some((_, fenced)) => {
            let fenced = fenced.strip_prefix("sql").unwrap_or(fenced);
            fenced.split("```").next().unwrap_or(fenced)
        }
        None => text,
    };
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("--")).collect();
    lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" ").trim_end_matches(';').trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn fences_comments_and_semicolons_are_no_part_of_the_query() {
        assert_eq!(bare("```sql\nSELECT 1\n```\nThis counts."), "SELECT 1");
        assert_eq!(bare("-- the answer\nSELECT name\nFROM ship;"), "SELECT name FROM ship");
    }
}
