//! Plain data: the question, the answer (its values, confidence, evidence and cost), the outcome of
//! a method, events and errors. This layer imports no other.

mod critic;
mod error;
mod events;
mod evidence;
mod markdown;
mod outcome;
mod planned;
mod question;
mod records;

use std::collections::HashSet;

use oxrdf::Term;
use quipu_graph::NodeSummary;
use quipu_model::{Amount, Currency};
use quipu_query::{CellValue, Plan, RowSet, ValueKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use critic::Critic;
pub use error::{AnswerError, Exhausted};
pub use events::{
    CandidateEvent, EditEvent, Event, EventSink, MentionEvent, PathEvent, Refinement, Stage, TimedEvent,
};
pub use evidence::{Evidence, EvidenceContent, PassagePlace};
pub use markdown::{MOST_PASSAGE, cell, passage_cell, shown_values, to_markdown};
pub use outcome::Outcome;
pub use planned::{PlanStart, Planned};
pub(crate) use question::Bound;
pub use question::{MAX_QUESTION_BYTES, Page, Question, parse_time};
pub use records::{RecordContent, RecordField};

/// The answer in words if there is none.
pub const UNKNOWN: &str = "I don't know.";

/// The end of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// There is an answer.
    Answered,
    /// The evidence holds no answer: "I don't know".
    #[default]
    Abstained,
    /// A premise of the question is false.
    InvalidQuestion,
}

/// The cost of a question, in total and by stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AnswerUsage {
    /// Model calls, without those that the cache answered.
    pub llm_calls: u32,
    /// Calls that the cache answered.
    pub cached_calls: u32,
    /// Tokens of all prompts.
    pub prompt_tokens: u64,
    /// Of these, tokens reused from an earlier prompt's prefix.
    pub reused_tokens: u64,
    /// Tokens of all replies.
    pub completion_tokens: u64,
    /// Requests sent to endpoints and APIs, repetitions included; replies from the cache count
    /// none.
    #[serde(default)]
    pub requests: u64,
    /// The cost of the model's tokens, if its price is known; replies from the cache cost nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Wall-clock seconds from question to answer.
    pub seconds: f64,
    /// The same by stage, in the order of the stages' first work.
    pub by_stage: Vec<StageUsage>,
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// In units of the currency.
    pub amount: f64,
    /// The currency's ISO 4217 code.
    pub currency: String,
}

impl Cost {
    /// An amount in a price's currency.
    pub fn new(amount: Amount, currency: Currency) -> Self {
        Self { amount: amount.units(), currency: currency.to_string() }
    }
}

impl std::fmt::Display for Cost {
    /// `0.0012 USD`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let amount = Amount::of_units(self.amount).unwrap_or_default();
        write!(f, "{amount} {}", self.currency)
    }
}

/// The cost of one stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StageUsage {
    /// Name of the stage: `link`, `plan`, `retrieve`, ...
    pub stage: String,
    /// Model calls.
    pub llm_calls: u32,
    /// Calls that the cache answered.
    #[serde(default)]
    pub cached_calls: u32,
    /// Tokens of the prompts.
    pub prompt_tokens: u64,
    /// Tokens of the replies.
    pub completion_tokens: u64,
    /// Wall-clock seconds, including the model's.
    pub seconds: f64,
    /// Of these, seconds spent waiting for the language model and the embedder.
    pub model_seconds: f64,
}

/// An entity in a ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankedEntity {
    /// Its key.
    pub key: String,
    /// Its name.
    pub name: String,
    /// The score that ranks it, higher is better; comparable only within one ranking.
    pub score: f64,
    /// The paths to it from the question's entities, in words: `Baltic League → member → Visby`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

/// A remark about the answer, for its reader.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "note", rename_all = "snake_case")]
pub enum Note {
    /// The answer rests on the model's own knowledge; the graph held none.
    ModelAlone,
    /// A limit of the question was reached; the answer is the best one found before.
    Limit {
        /// Which limit.
        reason: String,
    },
    /// A limit or the model's failure ended the asked method; this is another method's answer, with
    /// `--fallback`.
    Fallback {
        /// The method that answered.
        method: String,
        /// Why the asked method ended.
        reason: String,
    },
    /// Several entities have the name that the question mentions.
    Homonyms {
        /// The words of the question.
        mention: String,
        /// The entity chosen: its name and key.
        chosen: NamedKey,
        /// Why this one.
        reason: String,
        /// The others; `--anchor KEY` starts from one of them.
        others: Vec<NamedKey>,
    },
    /// A source could not be reached; the answer rests on the others.
    SourceDown {
        /// The source.
        source: String,
        /// The failure.
        reason: String,
    },
    /// A call of the language model failed; the work that needed its reply was left out.
    ModelFailed {
        /// The model.
        model: String,
        /// The failure.
        reason: String,
    },
    /// Learnt data could not be kept in the workspace; it will be learnt again.
    NotKept {
        /// The failure.
        reason: String,
    },
    /// The question is in a language without word lists: words that change its meaning ("not",
    /// "most") may go unread.
    Unread {
        /// The language, in English.
        language: String,
    },
    /// Sources contradict each other.
    Contradiction {
        /// The subject of the claims: `Peru | population`.
        about: String,
        /// The claim of each source.
        claims: Vec<Claim>,
    },
}

/// An entity by name and key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamedKey {
    /// Its name.
    pub name: String,
    /// Its key in the graph (an IRI, or the name where names are ids).
    pub key: String,
}

/// The claim of one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The source.
    pub source: String,
    /// The day on which the source was read: `2024-02-28`; empty if unknown.
    pub date: String,
    /// The value.
    pub value: String,
}

/// A value of an answer: an entity or a literal of the graph, or a calculated value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
pub struct Value {
    /// The entity's key in the graph; `None` for a literal and for a calculated value. Two entities
    /// of one name differ here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The text to show: the entity's name, or the literal as the graph writes it.
    pub name: String,
    /// IRI of the literal's datatype; `None` for an entity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub datatype: Option<String>,
}

/// The datatype of text with a language tag.
const LANGUAGE_STRING: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";

impl Value {
    /// A value that code calculated.
    pub(crate) fn calculated(text: String) -> Self {
        Self { key: None, name: text, datatype: None }
    }
}

impl From<&NodeSummary> for Value {
    fn from(node: &NodeSummary) -> Self {
        match &node.literal {
            Some(literal) => {
                let datatype = match literal.language {
                    Some(_) => LANGUAGE_STRING.to_owned(),
                    None => literal.datatype.iri().into_owned(),
                };
                Self { key: None, name: node.name.clone(), datatype: Some(datatype) }
            }
            None => Self { key: Some(node.key.clone()), name: node.name.clone(), datatype: None },
        }
    }
}

/// An answer's values as a table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AnswerTable {
    /// Titles of the columns.
    pub columns: Vec<String>,
    /// The rows, with one cell for each column; `None` if the graph has no value.
    pub rows: Vec<Vec<Option<Value>>>,
    /// Whether the order of the rows is part of the answer.
    pub ordered: bool,
    /// Rows that were found but are not shown.
    #[serde(default)]
    pub left_out: u64,
}

impl AnswerTable {
    /// The rows of a plan.
    pub fn of(plan: &Plan, rows: &RowSet) -> Self {
        let is_truth =
            |column: usize| plan.columns.get(column).is_some_and(|column| column.kind == ValueKind::Flag);
        let alone = plan.columns.len() == 1 && rows.rows.len() == 1;
        let value = |column: usize, cell: &CellValue| {
            let datatype = match &cell.term {
                Term::Literal(literal) => Some(literal.datatype().as_str().to_owned()),
                _ => None,
            };
            let name = match cell.name.as_str() {
                "true" if alone && is_truth(column) => "yes".to_owned(),
                "false" if alone && is_truth(column) => "no".to_owned(),
                name => name.to_owned(),
            };
            Value { key: cell.key.clone(), name, datatype }
        };
        let row = |row: &Vec<Option<CellValue>>| {
            row.iter().enumerate().map(|(at, cell)| cell.as_ref().map(|cell| value(at, cell))).collect()
        };
        let is_some = |row: &&Vec<Option<CellValue>>| row.iter().any(Option::is_some);
        Self {
            columns: plan.columns.iter().map(|column| column.title.clone()).collect(),
            rows: rows.rows.iter().filter(is_some).map(row).collect(),
            ordered: plan.ordered,
            left_out: u64::from(rows.more),
        }
    }

    /// Values of one column, best first.
    pub(crate) fn of_values(title: &str, values: Vec<Value>) -> Self {
        let rows = values.into_iter().map(|value| vec![Some(value)]).collect();
        Self { columns: vec![title.to_owned()], rows, ..Self::default() }
    }

    /// The values of the first column with any value, each entity once: those that "them" and "the
    /// second one" refer to in the next question ([`Turn::values`](crate::conversation::Turn::values)).
    pub fn values(&self) -> Vec<&Value> {
        let mut seen = HashSet::new();
        let column = self.rows.iter().filter_map(|row| row.iter().position(Option::is_some)).min();
        let firsts = self.rows.iter().filter_map(|row| row.get(column?)?.as_ref());
        firsts.filter(|value| seen.insert(*value)).collect()
    }

    /// The rows as one sentence.
    pub(crate) fn said(&self) -> String {
        /// Rows that it lists.
        const SAID: usize = 12;
        let row = |row: &Vec<Option<Value>>| {
            let mut cells = row.iter().map(|cell| cell.as_ref().map_or("—", |value| value.name.as_str()));
            let first = cells.next().unwrap_or_default().to_owned();
            let rest: Vec<&str> = cells.collect();
            if rest.is_empty() { first } else { format!("{first} ({})", rest.join(", ")) }
        };
        let mut said: Vec<String> = self.rows.iter().take(SAID).map(row).collect();
        let more = self.rows.len().saturating_sub(SAID);
        if more > 0 {
            said.push(format!("and {more} more"));
        }
        said.join(", ")
    }

    /// Leaves out the rows of some answers.
    pub fn leave_out(&mut self, answers: &[String]) {
        let first = |row: &Vec<Option<Value>>| row.iter().flatten().next().map(|value| value.name.clone());
        self.rows.retain(|row| first(row).is_none_or(|name| !answers.contains(&name)));
    }

    /// The names of the values.
    pub fn answers(&self) -> Vec<String> {
        self.values().into_iter().map(|value| value.name.clone()).collect()
    }
}

/// One reading of the question: a plan, in words and as queries.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// The plan in words: `the novels whose author is from Peru, the longest first`.
    pub words: String,
    /// The SQL over the graph's tables, after binding to the graph; `None` for a plan that was not
    /// written as SQL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// The plan as SPARQL 1.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparql: Option<String>,
    /// From 0 to 1: how sure it is that the question means this. Says nothing about the values.
    pub confidence: f64,
    /// The changes that made the plan fit the graph, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mends: Vec<String>,
    /// Of the mends, those that a reader of the values must know: values left out, ties, units.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// Words of the question that the plan does not explain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unexplained: Vec<String>,
    /// The first values of the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The question as asked.
    pub question: String,
    /// How the question ended.
    pub status: Status,
    /// The answer in words; "I don't know" or the like if there is none.
    pub answer: String,
    /// The bare values, best first; empty unless answered.
    pub answers: Vec<String>,
    /// The values as a table, if the answer has columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<AnswerTable>,
    /// "I read this as …": first the reading that was answered, then close ones with other values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<Reading>,
    /// Whether every value in `answers` was found in the evidence, by code. A table's other columns
    /// come from the same rows of the plan and are not looked up again.
    pub grounded: bool,
    /// From 0 to 1: the method's own estimate that the answer is right.
    pub confidence: f64,
    /// Name of the method.
    pub method: String,
    /// Name of the language model; `none` when no model was asked.
    pub llm: String,
    /// The possible answers, best first, for methods that rank entities by their documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranked: Vec<RankedEntity>,
    /// The evidence of the answer.
    pub evidence: Vec<Evidence>,
    /// Ids of the evidence that holds the answer's values.
    pub citations: Vec<String>,
    /// The cost of the answer.
    pub usage: AnswerUsage,
    /// Remarks for the reader.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The reason why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The events on the way, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<TimedEvent>>,
}

impl Answer {
    /// The reading of the question, in words; `None` for methods without readings.
    pub fn read_as(&self) -> Option<&str> {
        self.readings.first().map(|reading| reading.words.as_str())
    }

    /// The plan that was run, as SPARQL 1.1; `None` for methods without a plan.
    pub fn sparql(&self) -> Option<&str> {
        self.readings.first()?.sparql.as_deref()
    }

    /// Titles of the columns of [`Answer::rows`]; empty if the answer is a list of values.
    pub fn columns(&self) -> &[String] {
        self.table.as_ref().map_or(&[], |table| &table.columns)
    }

    /// The values as rows: those of the table, else one value in each row.
    pub fn rows(&self) -> Vec<Vec<Option<Value>>> {
        match &self.table {
            Some(table) => table.rows.clone(),
            None => self.answers.iter().map(|name| vec![Some(Value::calculated(name.clone()))]).collect(),
        }
    }

    /// The evidence that holds the answer's values.
    pub fn cited(&self) -> impl Iterator<Item = &Evidence> {
        self.evidence.iter().filter(|piece| self.citations.contains(&piece.id))
    }
}
