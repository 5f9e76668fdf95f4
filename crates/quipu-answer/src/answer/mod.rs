//! Plain data: the question, the answer (what is said, how sure it is, what it rests on, what it cost), its evidence, the outcome of a
//! method, events and errors. This layer imports no other.

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
pub(crate) use outcome::Outcome;
pub(crate) use planned::{PlanStart, Planned};
pub(crate) use question::Bound;
pub use question::{MAX_QUESTION_BYTES, Page, Question, parse_time};
pub use records::{RecordContent, RecordField};

/// What is said where there is no answer.
pub(crate) const UNKNOWN: &str = "I don't know.";

/// How a question ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// There is an answer.
    Answered,
    /// The evidence holds no answer: "I don't know".
    #[default]
    Abstained,
    /// The question rests on something that is not so.
    InvalidQuestion,
}

/// What a question cost, in all and by stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AnswerUsage {
    /// Model calls (those that the cache answered are not among them).
    pub llm_calls: u32,
    /// Calls that the cache answered.
    pub cached_calls: u32,
    /// Tokens of all prompts.
    pub prompt_tokens: u64,
    /// Of these, tokens reused from an earlier prompt's prefix.
    pub reused_tokens: u64,
    /// Tokens of all replies.
    pub completion_tokens: u64,
    /// Requests sent to endpoints and APIs, repeated ones too; replies taken from the cache cost none.
    #[serde(default)]
    pub requests: u64,
    /// What the model's tokens cost, where its price is known; those of replies from the cache cost nothing.
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
    /// An amount at a price's currency.
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

/// What one stage cost.
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
    /// Wall-clock seconds, the model's included.
    pub seconds: f64,
    /// Of these, seconds spent waiting for the language model and the embedder.
    pub model_seconds: f64,
}

/// An entity with its place in a ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankedEntity {
    /// Its key.
    pub key: String,
    /// Its name.
    pub name: String,
    /// What it was ranked by, higher is better; comparable within one ranking.
    pub score: f64,
    /// How the question's entities lead to it, in words: `Baltic League → member → Visby`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

/// A remark about how an answer came about, for whoever reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "note", rename_all = "snake_case")]
pub enum Note {
    /// The answer rests on what the model knows; the graph held none.
    ModelAlone,
    /// A limit of the question was reached, and this is the best that was found until then.
    Limit {
        /// Which limit.
        reason: String,
    },
    /// Several entities bear the name that the question mentions.
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
    /// A source could not be asked; the answer rests on the others.
    SourceDown {
        /// The source.
        source: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A call of the language model failed; what needed its reply was left out.
    ModelFailed {
        /// The model.
        model: String,
        /// What is wrong with it.
        reason: String,
    },
    /// What was learnt on the way could not be kept in the workspace, and will be learnt again.
    NotKept {
        /// What went wrong.
        reason: String,
    },
    /// The question is in a language that no words are known of: what changes its meaning ("not", "most") may go unread.
    Unread {
        /// The language, in English.
        language: String,
    },
    /// Sources say different things.
    Contradiction {
        /// What they speak of: `Peru | population`.
        about: String,
        /// What each says.
        claims: Vec<Claim>,
    },
}

/// An entity by name and key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NamedKey {
    /// What people call it.
    pub name: String,
    /// Its key in the graph (an IRI, or the name where names are ids).
    pub key: String,
}

/// What one source says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The source.
    pub source: String,
    /// When the source was read: `2024-02-28`; empty where that is not known.
    pub date: String,
    /// The value.
    pub value: String,
}

/// A value of an answer: an entity or a literal of the graph, or what code made of some.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
pub struct Value {
    /// The entity's key in the graph; none for a literal and for a calculated value. Two entities with one name differ here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The text to show: the entity's name, the literal as the graph writes it.
    pub name: String,
    /// IRI of the literal's datatype; none for an entity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub datatype: Option<String>,
}

/// The datatype of text in a language.
const LANGUAGE_STRING: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";

impl Value {
    /// What code made of other values.
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
    /// The rows; each has a cell a column, none where the graph states no value.
    pub rows: Vec<Vec<Option<Value>>>,
    /// Whether the order of the rows is part of the answer.
    pub ordered: bool,
    /// Rows that were found and are not shown.
    #[serde(default)]
    pub left_out: u64,
}

impl AnswerTable {
    /// The rows that a plan gave.
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

    /// The values of the first column that has any, each entity once.
    pub(crate) fn values(&self) -> Vec<&Value> {
        let mut seen = HashSet::new();
        let column = self.rows.iter().filter_map(|row| row.iter().position(Option::is_some)).min();
        let firsts = self.rows.iter().filter_map(|row| row.get(column?)?.as_ref());
        firsts.filter(|value| seen.insert(*value)).collect()
    }

    /// Leaves out the rows of some answers.
    pub(crate) fn leave_out(&mut self, answers: &[String]) {
        let first = |row: &Vec<Option<Value>>| row.iter().flatten().next().map(|value| value.name.clone());
        self.rows.retain(|row| first(row).is_none_or(|name| !answers.contains(&name)));
    }

    /// Their names.
    pub(crate) fn answers(&self) -> Vec<String> {
        self.values().into_iter().map(|value| value.name.clone()).collect()
    }
}

/// One way to read the question: a plan, said in words and as queries.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Reading {
    /// The plan in words: `the novels whose author is from Peru, the longest first`.
    pub words: String,
    /// The SQL over the graph's tables, as it was bound to the graph; none for a plan that was not written as SQL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// The plan as SPARQL 1.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparql: Option<String>,
    /// From 0 to 1: how sure it is that the question means this. Says nothing of the values.
    pub confidence: f64,
    /// What was changed so that the plan fits the graph, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mends: Vec<String>,
    /// Words of the question that the plan does not explain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unexplained: Vec<String>,
    /// The first values that it leads to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The question as asked.
    pub question: String,
    /// How it ended.
    pub status: Status,
    /// The answer in words; "I don't know" and the like when there is none.
    pub answer: String,
    /// The bare values, best first; empty unless answered.
    pub answers: Vec<String>,
    /// The same as a table, where the answer has columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<AnswerTable>,
    /// "I read this as …": the reading that was answered first, then others that are close and lead elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub readings: Vec<Reading>,
    /// Whether every value was found in the evidence, by code.
    pub grounded: bool,
    /// From 0 to 1: the method's own estimate that the answer is right.
    pub confidence: f64,
    /// Name of the method.
    pub method: String,
    /// Name of the language model; `none` when no model was asked.
    pub llm: String,
    /// The entities that may be the answer, best first, of methods that rank entities by their documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranked: Vec<RankedEntity>,
    /// What the answer rests on.
    pub evidence: Vec<Evidence>,
    /// Ids of the evidence that holds the answer's values.
    pub citations: Vec<String>,
    /// What it cost.
    pub usage: AnswerUsage,
    /// What the reader should know besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// Why there is no answer, when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What happened on the way, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<TimedEvent>>,
}

impl Answer {
    /// How the question was read, in words; none of methods that do not say.
    pub fn read_as(&self) -> Option<&str> {
        self.readings.first().map(|reading| reading.words.as_str())
    }

    /// The plan that was run, as SPARQL 1.1; none of methods without one.
    pub fn sparql(&self) -> Option<&str> {
        self.readings.first()?.sparql.as_deref()
    }

    /// Titles of the columns of [`Answer::rows`]; none where the answer is a list of values.
    pub fn columns(&self) -> &[String] {
        self.table.as_ref().map_or(&[], |table| &table.columns)
    }

    /// The values as rows: those of the table, else one a row.
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
