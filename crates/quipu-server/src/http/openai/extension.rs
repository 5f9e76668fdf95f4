//! The field `quipu` of OpenAI's requests and replies: Quipu's extension of their API.

use std::collections::BTreeMap;

use quipu_answer::{AnswerTable, AnswerUsage, Conversation, Evidence, Note, Reading, Status, TimedEvent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::models::read_model;
use crate::app::{App, Ask, Reply};
use crate::cite::Cited;
use crate::error::ApiError;
use crate::markdown::citations;
use crate::settings::{SetValue, assignments, read_method};
use crate::trust::Trust;

/// Quipu's extension of a request.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Extension {
    /// Entities to start from, by id or name.
    #[schemars(length(max = 20))]
    anchors: Vec<String>,
    /// Time of asking (RFC 3339); now by default.
    asked_at: Option<String>,
    /// Time limit in seconds.
    timeout: Option<u64>,
    /// Time after which the answer is useless (RFC 3339).
    deadline: Option<String>,
    /// Maximum number of model calls.
    max_llm_calls: Option<u32>,
    /// Maximum number of tokens of all prompts and replies together. OpenAI's own `max_tokens`
    /// limits the text of one reply and is ignored.
    max_tokens: Option<u64>,
    /// Maximum number of tokens of evidence in one prompt.
    evidence_tokens: Option<usize>,
    /// Highest cost of the model's tokens, in the currency of its price.
    #[schemars(range(min = 0, max = 10_000_000))]
    max_cost: Option<f64>,
    /// The method, if the model's id contains none.
    method: Option<String>,
    /// Settings of the method: `{"kerag.max_hops": 2}`. The keys are those of `quipu eval run
    /// --set`; numbers are bounded.
    #[schemars(extend("maxProperties" = 32))]
    set: BTreeMap<String, SetValue>,
    /// Whether the answer includes its trace.
    trace: bool,
    /// Answer with this one of the readings that an earlier answer listed, from 1; 0 leaves the
    /// choice to the method.
    reading: usize,
    /// Whether the question is only read: the answer then has readings and no values, and nothing
    /// is run.
    plan_only: bool,
    /// Whether a stream includes the events on the way.
    pub(super) events: bool,
}

impl Extension {
    /// The question with its options.
    ///
    /// # Errors
    /// An unknown model or method; two methods; invalid settings.
    pub(super) fn into_ask(
        self,
        app: &App,
        model: &str,
        (question, conversation): (String, Conversation),
    ) -> Result<Ask, ApiError> {
        let (workspace, method) = read_model(app, model)?;
        let named = self.method.as_deref().map(read_method).transpose()?;
        if method.is_some() && named.is_some() && method != named {
            let message =
                format!("quipu.method: the model {model:?} names another method; leave one of them out");
            return Err(ApiError::invalid(message).about("quipu.method"));
        }
        let method = method.or(named);
        Ok(Ask {
            question,
            workspace,
            method,
            anchors: self.anchors,
            asked_at: self.asked_at,
            timeout: self.timeout,
            deadline: self.deadline,
            max_llm_calls: self.max_llm_calls,
            max_tokens: self.max_tokens,
            evidence_tokens: self.evidence_tokens,
            max_cost: self.max_cost,
            set: assignments(self.set)?,
            trace: self.trace,
            reading: self.reading,
            plan_only: self.plan_only,
            conversation,
        })
    }
}

/// Quipu's extension of a reply.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Told {
    /// The question as it was understood.
    question: String,
    /// The outcome.
    status: Status,
    /// The bare values, best first.
    answers: Vec<String>,
    /// The same as a table, if the answer has columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<AnswerTable>,
    /// The answered reading, then similar ones with other results.
    readings: Vec<Reading>,
    /// How far the answer can be trusted; null without an answer.
    trust: Option<Trust>,
    /// Whether every value was found in the evidence.
    grounded: bool,
    /// From 0 to 1.
    confidence: f64,
    /// Why there is no answer, when there is none.
    reason: Option<String>,
    /// Remarks: a model or a source that failed, a limit, namesakes.
    notes: Vec<Note>,
    /// The text with citation numbers, and the citations.
    cited: Cited,
    /// The evidence of the answer.
    evidence: Vec<Evidence>,
    /// The cost by stage.
    usage: AnswerUsage,
    /// The workspace of the answer.
    workspace: String,
    /// The method that answered.
    method: String,
    /// The language model behind it.
    llm: String,
    /// The trace, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<TimedEvent>>,
}

impl From<Reply> for Told {
    fn from(Reply { workspace, cited, trust, answer, .. }: Reply) -> Self {
        Self {
            question: answer.question,
            status: answer.status,
            answers: answer.answers,
            table: answer.table,
            readings: answer.readings,
            trust,
            grounded: answer.grounded,
            confidence: answer.confidence,
            reason: answer.reason,
            notes: answer.notes,
            cited,
            evidence: answer.evidence,
            usage: answer.usage,
            workspace,
            method: answer.method,
            llm: answer.llm,
            trace: answer.trace,
        }
    }
}

/// An event on the way, or the extension, in a stream.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum TellOrEvent {
    /// An event on the way.
    Event {
        /// The event.
        event: TimedEvent,
    },
    /// Quipu's extension of the reply.
    Told(Box<Told>),
}

/// The answer with its citations below it.
pub(super) fn markdown(reply: &Reply) -> String {
    let cited = citations(&reply.cited);
    let blocks = [reply.markdown.as_str(), &cited].map(str::trim_end);
    blocks.into_iter().filter(|block| !block.is_empty()).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sample;

    #[test]
    fn a_table_is_said_in_markdown_above_what_it_cites() {
        let said = markdown(&sample::reply(sample::towns()));
        let expected = "\
| # | town | people |
| ---: | --- | ---: |
| 1 | Lima | 10092000 |
| 2 | Cusco | 428000 |

At least 3 more rows are left out.

I read this as: the towns of Peru, the largest first. The values stand in the graph, but the reading is doubtful (0.41).

Another reading (reading 2): the oldest towns of Peru → Caral

[1] Peru \\| town \\| Lima";
        assert_eq!(said, expected);
    }

    #[test]
    fn what_openais_form_has_no_place_for_holds_table_and_readings() {
        let told = json!(Told::from(sample::reply(sample::towns())));
        assert_eq!(told["table"]["columns"], json!(["town", "people"]));
        assert_eq!(
            told["table"]["rows"][1],
            json!([{ "key": "Cusco", "name": "Cusco" }, { "name": "428000" }])
        );
        assert_eq!((&told["table"]["ordered"], &told["table"]["left_out"]), (&json!(true), &json!(3)));
        assert_eq!(told["readings"][1]["values"], json!(["Caral"]));
        assert_eq!((&told["trust"]["sureness"], &told["grounded"]), (&json!("doubtful"), &json!(true)));
        let plain = json!(Told::from(sample::reply(sample::answered(&["Lima"]))));
        assert!(plain.get("table").is_none() && plain["readings"] == json!([]), "{plain}");
    }

    #[test]
    fn the_extension_asks_for_a_reading() {
        let asked: Extension = serde_json::from_value(json!({ "reading": 2, "plan_only": true })).unwrap();
        assert_eq!((asked.reading, asked.plan_only), (2, true));
        assert!(serde_json::from_value::<Extension>(json!({ "reading": -1 })).is_err());
    }
}
