//! Measures the query language that the model writes: SQL, SPARQL or Cypher, decoded freely or, for
//! SQL, within a grammar of the graph's own identifiers.
//!
//! `cargo run --release --workspace --example languages -- WORKSPACE QUESTIONS.jsonl [--language
//! sql|sparql|cypher] [--decoding free|constrained] [--limit N] [--cache FOLDER] [--show]`
//!
//! Each question is asked once and greedily: no repair, no samples, no choice among readings. All
//! languages get the same worked examples with the same meaning, the same graph in their own idiom,
//! and the same hints (names of the graph that the question contains word for word). Each reply is
//! adapted to the graph before it runs:
//!
//! - **SQL** by the binder of the method `query` (`quipu_query::bind`), without the corrections
//!   that `query` derives from the question's own words.
//! - **Cypher** is translated to the same syntax tree as SQL ([`cypher`]), and so gets every repair
//!   of that binder.
//! - **SPARQL** is parsed by `spargebra` and rewritten ([`sparql`]). Names of classes, properties
//!   and entities match regardless of case, accents and small differences. A property may be
//!   reached along a link. Numbers, dates and names are compared as in the binder. Syntax slips are
//!   repaired, which SQL does not need.
//!
//! For all three, groups are given with their counts, equal rows count once, and a question that
//! begins with "is" or "does" is answered with yes if there are rows. The printed line also gives
//! the number of replies that ran.

mod ask;
mod cypher;
mod describe;
mod grammar;
mod names;
mod rows;
mod score;
mod sparql;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::path::{Path, PathBuf};

use quipu_answer::AnswerTable;
use quipu_eval::{prepare, read_questions};
use quipu_index::Workspace;
use quipu_model::{CacheMode, ModelKind, OpenOptions, default_model_name, open_language_model};
use quipu_query::{QueryError, Tables, Values, is_too_much, open_tables};

use ask::{Asked, ask};
use score::Sums;

/// The query language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// SQL over the graph's tables.
    Sql,
    /// SPARQL over its classes.
    Sparql,
    /// Cypher over its labels.
    Cypher,
}

/// A graph in a form that all three languages share.
pub struct Graph {
    /// Its workspace.
    pub workspace: Workspace,
    /// Its tables.
    pub tables: Tables,
    /// The values of their columns.
    pub values: Values,
}

/// The outcome of a reply.
pub enum Outcome {
    /// It ran.
    Rows(AnswerTable),
    /// The model stated that the graph holds no answer.
    Declined,
    /// It could not be parsed, bound to the graph or run.
    NotRun(String),
}

struct Arguments {
    workspace: PathBuf,
    questions: PathBuf,
    language: Language,
    constrained: bool,
    limit: Option<usize>,
    cache: Option<PathBuf>,
    show: bool,
}

impl Arguments {
    fn read() -> Result<Self, String> {
        let mut paths = Vec::new();
        let (mut language, mut constrained, mut limit, mut cache) = (Language::Sql, false, None, None);
        let mut show = false;
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} takes a value"));
            match argument.as_str() {
                "--language" => {
                    language = match value()?.as_str() {
                        "sql" => Language::Sql,
                        "sparql" => Language::Sparql,
                        "cypher" => Language::Cypher,
                        other => return Err(format!("{other} is no language; write sql, sparql or cypher")),
                    }
                }
                "--decoding" => {
                    constrained = match value()?.as_str() {
                        "free" => false,
                        "constrained" => true,
                        other => return Err(format!("{other} is no decoding; write free or constrained")),
                    }
                }
                "--limit" => limit = Some(value()?.parse().map_err(|_| "--limit takes a number")?),
                "--cache" => cache = Some(PathBuf::from(value()?)),
                "--show" => show = true,
                path => paths.push(PathBuf::from(path)),
            }
        }
        let Ok([workspace, questions]) = <[PathBuf; 2]>::try_from(paths) else {
            return Err("write a workspace and a file of questions".into());
        };
        if constrained && language != Language::Sql {
            return Err("only SQL has a grammar; leave --decoding free".into());
        }
        Ok(Self { workspace, questions, language, constrained, limit, cache, show })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::read()?;
    let mut options = OpenOptions::default();
    if let Some(folder) = &arguments.cache {
        options.cache = CacheMode::ReadWrite;
        options.cache_folder = Some(folder.clone());
    }
    let model = open_language_model(&default_model_name(ModelKind::Chat, &options)?, &options)?;
    let workspace = Workspace::open(Path::new(&arguments.workspace))?;
    let tables = open_tables(&workspace).await?;
    let values = Values::read(&workspace, &tables).await?;
    let graph = Graph { workspace, tables, values };
    let questions = read_questions(&arguments.questions, None)?.questions;
    let limit = arguments.limit.unwrap_or(questions.len()).min(questions.len());
    let questions = questions.get(..limit).unwrap_or_default();
    let mut sums = Sums::default();
    for prepared in prepare(&[&graph.workspace], questions, None).await? {
        let question = &prepared.question.question;
        let asked = ask(&*model, &graph, arguments.language, arguments.constrained, question).await?;
        let outcome = read(&graph, arguments.language, &asked).await?;
        let outcome = match outcome {
            Outcome::Rows(table) => Outcome::Rows(rows::yes_or_no(question, table)),
            other => other,
        };
        let told = sums.add(&prepared, &asked, &outcome);
        if arguments.show {
            println!("{}: {question}\n  {}\n  {told}", prepared.question.id, asked.text);
        }
    }
    println!("{sums}");
    Ok(())
}

/// Runs a reply.
async fn read(graph: &Graph, language: Language, asked: &Asked) -> Result<Outcome, QueryError> {
    if ask::declines(&asked.text) {
        return Ok(Outcome::Declined);
    }
    let rows = match language {
        Language::Sql => rows::of_sql(graph, &asked.text).await,
        Language::Sparql => sparql::rows(graph, &asked.text).await,
        Language::Cypher => cypher::rows(graph, &asked.text).await,
    };
    match rows {
        Ok(table) => Ok(Outcome::Rows(table)),
        Err(error) if error.is_of_the_text() || is_too_much(&error) => Ok(Outcome::NotRun(error.to_string())),
        Err(error) => Err(error),
    }
}
