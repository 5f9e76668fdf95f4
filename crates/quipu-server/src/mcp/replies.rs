//! The results of the tools, short enough for a model to read.

use quipu_answer::{Answer, AnswerTable, Evidence, EvidenceContent, Note, Reading, Status};
use quipu_graph::{Graph, RelationRole};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::app::Reply;
use crate::cite::Citation;
use crate::markdown::{LONGEST_CELL, MOST_ROWS as MOST_TABLE_ROWS};
use crate::trust::Trust;
use crate::views::{CandidateView, DirectionView, RelationView};

/// Most rows of a query's result; the others are counted.
const MOST_ROWS: usize = 200;

/// An answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Answered {
    /// The answer as Markdown, with `[1]` after each cited value and with the reading of the
    /// question.
    answer: String,
    /// The citations of the numbers.
    citations: Vec<Citation>,
    /// The outcome.
    status: Status,
    /// Why there is no answer, when there is none.
    reason: Option<String>,
    /// Remarks: a model or a source that failed, a limit, namesakes.
    notes: Vec<Note>,
    /// The bare values, best first.
    values: Vec<String>,
    /// The same as a table with the ids of its entities, if the answer has columns; at most 50
    /// rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<AnswerTable>,
    /// The answered reading, then similar ones with other results.
    readings: Vec<Reading>,
    /// How far the answer can be trusted; null without an answer.
    trust: Option<Trust>,
    /// Whether code found every value in the evidence.
    grounded: bool,
    /// From 0 to 1.
    confidence: f64,
    /// The workspace of the answer.
    workspace: String,
    /// The method that answered.
    method: String,
    /// Calls to the language model behind it.
    model_calls: u32,
    /// Their tokens.
    tokens: u64,
    /// Seconds.
    seconds: f64,
}

impl From<Reply> for Answered {
    fn from(Reply { workspace, cited, markdown, trust, answer, .. }: Reply) -> Self {
        Self {
            table: short_table(&answer),
            answer: markdown,
            citations: cited.citations,
            status: answer.status,
            reason: answer.reason,
            notes: answer.notes,
            values: answer.answers,
            readings: answer.readings,
            trust,
            grounded: answer.grounded,
            confidence: answer.confidence,
            workspace,
            method: answer.method,
            model_calls: answer.usage.llm_calls,
            tokens: answer.usage.prompt_tokens + answer.usage.completion_tokens,
            seconds: answer.usage.seconds,
        }
    }
}

/// The table, shortened for a model; omitted rows are counted.
fn short_table(answer: &Answer) -> Option<AnswerTable> {
    let mut table = answer.table.clone()?;
    table.left_out += table.rows.len().saturating_sub(MOST_TABLE_ROWS) as u64;
    table.rows.truncate(MOST_TABLE_ROWS);
    for value in table.rows.iter_mut().flatten().flatten() {
        if let Some((end, _)) = value.name.char_indices().nth(LONGEST_CELL) {
            value.name.truncate(end);
        }
    }
    Some(table)
}

/// Entities with a name.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Entities {
    /// Best first.
    pub(super) entities: Vec<CandidateView>,
}

/// Neighbours of an entity.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Neighbours {
    /// The entity's id.
    pub(super) id: String,
    /// Its relations with some neighbours.
    pub(super) relations: Vec<RelationView>,
}

/// Relations.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Relations {
    /// The relations, those with most triples first.
    pub(super) relations: Vec<Relation>,
}

/// A relation.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Relation {
    /// Its id.
    id: String,
    /// Its name.
    name: String,
    /// The direction from the entity; null if no entity was given.
    direction: Option<DirectionView>,
    /// Number of triples.
    triples: u64,
}

/// The ordinary relations of a graph.
pub(super) fn catalogue(graph: &dyn Graph, most: usize) -> Vec<Relation> {
    let ordinary = graph.relations().iter().filter(|info| info.role == RelationRole::Ordinary);
    let mut relations: Vec<Relation> = ordinary
        .map(|info| Relation {
            id: info.key.clone(),
            name: info.name.clone(),
            direction: None,
            triples: info.triples,
        })
        .collect();
    relations.sort_by_key(|relation| std::cmp::Reverse(relation.triples));
    relations.truncate(most);
    relations
}

/// The relations of an entity without its neighbours.
pub(super) fn relations_of(views: Vec<RelationView>) -> Vec<Relation> {
    let relation = |view: RelationView| Relation {
        id: view.id,
        name: view.relation,
        direction: Some(view.direction),
        triples: view.fan_out,
    };
    views.into_iter().map(relation).collect()
}

/// Passages.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Passages {
    /// Best first.
    passages: Vec<Passage>,
}

/// A passage.
#[derive(Debug, Serialize, JsonSchema)]
struct Passage {
    /// The entity of its document.
    entity: String,
    /// The passage.
    passage: String,
}

impl From<Vec<Evidence>> for Passages {
    fn from(evidence: Vec<Evidence>) -> Self {
        let passage = |piece: Evidence| match piece.content {
            EvidenceContent::Passage { entity, passage, .. } => Some(Passage { entity, passage }),
            EvidenceContent::Triple { .. }
            | EvidenceContent::Record(_)
            | EvidenceContent::Calculation { .. } => None,
        };
        Self { passages: evidence.into_iter().filter_map(passage).collect() }
    }
}

/// The result of a query.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Rows {
    /// True or false, for ASK.
    truth: Option<bool>,
    /// Names of the columns.
    columns: Vec<String>,
    /// The rows; a cell is empty if nothing is bound.
    rows: Vec<Vec<String>>,
    /// Number of omitted rows.
    left_out: usize,
}

impl Rows {
    /// Reads SPARQL's results in JSON.
    ///
    /// # Errors
    /// Another kind of result, such as triples.
    pub(super) fn read(json: &[u8]) -> Result<Self, String> {
        let value: Value =
            serde_json::from_slice(json).map_err(|_| "the query must be SELECT or ASK".to_owned())?;
        let truth = value.get("boolean").and_then(Value::as_bool);
        let names = value.pointer("/head/vars").and_then(Value::as_array);
        let columns: Vec<String> =
            names.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        let bindings = value.pointer("/results/bindings").and_then(Value::as_array);
        let bindings: Vec<&Value> = bindings.into_iter().flatten().collect();
        let cell = |row: &Value, name: &String| {
            let text = row.get(name).and_then(|term| term.get("value")).and_then(Value::as_str);
            text.unwrap_or_default().chars().take(LONGEST_CELL).collect()
        };
        let row = |row: &&Value| columns.iter().map(|name| cell(row, name)).collect();
        let rows = bindings.iter().take(MOST_ROWS).map(row).collect();
        Ok(Self { truth, rows, left_out: bindings.len().saturating_sub(MOST_ROWS), columns })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sample;

    #[test]
    fn an_answer_says_its_table_and_how_the_question_was_read() {
        let told = json!(Answered::from(sample::reply(sample::towns())));
        let answer = told["answer"].as_str().unwrap();
        assert!(answer.contains("| 1 | Lima | 10092000 |"), "{answer}");
        assert!(answer.contains("I read this as: the towns of Peru, the largest first."), "{answer}");
        assert_eq!(told["table"]["rows"][0][0]["key"], "Lima");
        assert!(
            told["readings"][0]["sparql"].is_string() && told["trust"]["sureness"] == "doubtful",
            "{told}"
        );
    }

    #[test]
    fn a_long_table_is_cut_and_counted() {
        let mut answer = sample::towns();
        let table = answer.table.as_mut().unwrap();
        let long = sample::value("x", &"é".repeat(LONGEST_CELL + 100));
        table.rows = vec![vec![Some(long), None]; MOST_TABLE_ROWS + 7];
        let short = short_table(&answer).unwrap();
        assert_eq!((short.rows.len(), short.left_out), (MOST_TABLE_ROWS, 3 + 7));
        assert_eq!(short.rows[0][0].as_ref().unwrap().name.chars().count(), LONGEST_CELL);
    }
}
