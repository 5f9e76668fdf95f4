//! A training example, and refusals made from right examples.

use quipu_model::{Message, Role};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::recorder::Heard;
use super::task::TuneTask;
use crate::gold::PreparedQuestion;

/// The reply of the query prompt if the tables cannot answer.
pub(super) const NO_QUERY: &str = "SELECT NULL";

/// The source of an example's last message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExampleKind {
    /// The model wrote it, and the answer was right (Fig. 4, accepted).
    Accepted,
    /// The gold reply of the question file: a query, or, where the model was always wrong, the
    /// answer under the prompt without reasoning (Fig. 4, rejected).
    Gold,
    /// The shown data contains no answer.
    Refusal,
}

/// A conversation whose last message is to be learnt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TuneExample {
    /// The conversation; the last message is the assistant's and is to be learnt.
    pub messages: Vec<Message>,
    /// The task.
    pub task: TuneTask,
    /// The stage of the request.
    pub stage: String,
    /// The source of the last message.
    pub kind: ExampleKind,
    /// The question.
    pub question: String,
    /// Its id in its file.
    pub question_id: String,
    /// The kind of question, from its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question_kind: Option<String>,
    /// Hops from the topic entity to the answer, from the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hops: Option<u32>,
    /// The operation: the functions of a query, or the operation named in a composed answer.
    pub operation: String,
    /// The file of the question, and the graph.
    pub source: String,
}

impl TuneExample {
    pub(super) fn new(
        task: TuneTask,
        kind: ExampleKind,
        heard: Heard,
        prepared: &PreparedQuestion,
        source: &str,
    ) -> Self {
        let Heard { stage, mut messages, reply } = heard;
        let reply = reply.trim().trim_end_matches(';').to_owned();
        let operation = operation_of(task, &reply);
        messages.push(Message::assistant(reply));
        let question = &prepared.question;
        Self {
            messages,
            task,
            stage,
            kind,
            question: question.question.clone(),
            question_id: question.id.clone(),
            question_kind: question.kind.clone(),
            hops: question.hops,
            operation,
            source: source.to_owned(),
        }
    }

    /// The shown part of the graph: the last message before the reply.
    fn shown(&self) -> Option<&str> {
        let [.., shown, _] = self.messages.as_slice() else { return None };
        (shown.role == Role::User).then_some(shown.content.as_str())
    }

    /// The same evidence with another question that it does not answer, and a refusal. `None` if
    /// the evidence may contain an answer to it, or if the message does not end with the question.
    pub(super) fn refusing(&self, other: &PreparedQuestion) -> Option<Self> {
        let shown = self.shown()?;
        let before = shown.strip_suffix(self.question.as_str())?;
        // A number may be computed from the rows without occurring in one.
        let named = |name: &str| name.chars().any(char::is_alphabetic);
        let tells = other.gold.is_empty()
            || other.gold.iter().any(|gold| !named(&gold.name) || gold.occurs_in(shown));
        if tells || other.question.question == self.question || !other.question.turns.is_empty() {
            return None;
        }
        let reply = refusal(&self.messages.last()?.content)?;
        let mut messages = self.messages.clone();
        messages.truncate(messages.len().saturating_sub(2));
        messages.push(Message::user(format!("{before}{}", other.question.question)));
        messages.push(Message::assistant(reply));
        Some(Self {
            messages,
            kind: ExampleKind::Refusal,
            question: other.question.question.clone(),
            question_id: other.question.id.clone(),
            question_kind: other.question.kind.clone(),
            hops: other.question.hops,
            operation: "none".into(),
            ..self.clone()
        })
    }
}

/// A task's reply without an answer; `None` for a task that cannot refuse.
pub(super) fn refusal_of(task: TuneTask, reply: &str) -> Option<String> {
    match task {
        TuneTask::Compose => refusal(reply),
        TuneTask::Query => Some(NO_QUERY.to_owned()),
        TuneTask::Plan => None,
    }
}

/// The form of a composed answer, filled in with "unknown".
fn refusal(reply: &str) -> Option<String> {
    let form: Value = serde_json::from_str(reply).ok()?;
    let fields = form.as_object().filter(|form| form.contains_key("status"))?;
    // In the order of the reply: reasoning comes first there, but serde_json sorts the fields.
    let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
    fields.sort_by_key(|(name, _)| reply.find(&format!("\"{name}\":")));
    let refused = fields.into_iter().map(|(name, value)| {
        let value = match (name.as_str(), value) {
            ("status", _) => json!("unknown"),
            ("operation", _) => json!("none"),
            ("reasoning", _) => json!("The rows hold nothing that answers this."),
            (_, Value::Array(_)) => json!([]),
            (_, other) => other.clone(),
        };
        (name.as_str(), value)
    });
    Some(in_order(refused))
}

/// The form of the prompt without reasoning, filled in with the gold answers.
pub(super) fn gold_reply(prepared: &PreparedQuestion) -> String {
    let answers: Vec<&str> = prepared.gold.iter().map(|gold| gold.name.as_str()).collect();
    in_order([("status", json!("answered")), ("answers", json!(answers))].into_iter())
}

/// JSON as the prompts' examples write it: the fields in their order, a space behind colons and
/// commas.
fn in_order<'a>(fields: impl Iterator<Item = (&'a str, Value)>) -> String {
    let list = |items: &[Value]| items.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
    let field = |(name, value): (&str, Value)| match &value {
        Value::Array(items) => format!("{}: [{}]", json!(name), list(items)),
        value => format!("{}: {value}", json!(name)),
    };
    format!("{{{}}}", fields.map(field).collect::<Vec<_>>().join(", "))
}

/// The operation in a reply.
fn operation_of(task: TuneTask, reply: &str) -> String {
    if task == TuneTask::Compose {
        let form: Option<Value> = serde_json::from_str(reply).ok();
        let named = form.as_ref().and_then(|form| form.get("operation")?.as_str().map(str::to_owned));
        return named.unwrap_or_else(|| "none".into());
    }
    if task == TuneTask::Plan {
        return "none".into();
    }
    let upper = reply.to_uppercase();
    const PARTS: [(&str, &str); 10] = [
        ("COUNT(", "count"),
        ("SUM(", "sum"),
        ("AVG(", "average"),
        ("MAX(", "highest"),
        ("MIN(", "lowest"),
        ("GROUP BY", "group"),
        ("ORDER BY", "order"),
        ("EXISTS", "exists"),
        ("NOT IN", "without"),
        ("JOIN", "join"),
    ];
    let found: Vec<&str> =
        PARTS.iter().filter(|(part, _)| upper.contains(part)).map(|(_, name)| *name).collect();
    if found.is_empty() { "none".into() } else { found.join(" + ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::GoldAnswer;
    use crate::question::GoldQuestion;

    fn prepared(text: &str, gold: &[&str]) -> PreparedQuestion {
        PreparedQuestion {
            question: GoldQuestion { question: text.into(), ..GoldQuestion::default() },
            gold: gold.iter().map(|&name| GoldAnswer::named(name)).collect(),
            table: Default::default(),
            anchors: Vec::new(),
            unknown: Vec::new(),
        }
    }

    fn example() -> TuneExample {
        let shown = "| E3 | river | Orle |\nQuestion: which river flows through Lindau";
        let reply = r#"{"reasoning": "E3 says so.", "status": "answered", "rows": ["E3"], "operation": "count", "answers": ["Orle"]}"#;
        let heard = Heard {
            stage: "compose".into(),
            messages: vec![Message::system("Answer."), Message::user(shown)],
            reply: reply.into(),
        };
        let question = prepared("which river flows through Lindau", &["Orle"]);
        TuneExample::new(TuneTask::Compose, ExampleKind::Accepted, heard, &question, "q.jsonl")
    }

    #[test]
    fn a_question_that_the_evidence_does_not_answer_is_refused_in_the_same_form() {
        let refused = example().refusing(&prepared("who was born in Velm", &["Ada Berg"])).unwrap();
        let [_, shown, reply] = refused.messages.as_slice() else { panic!("{refused:?}") };
        assert_eq!(shown.content, "| E3 | river | Orle |\nQuestion: who was born in Velm");
        assert_eq!(
            reply.content,
            r#"{"reasoning": "The rows hold nothing that answers this.", "status": "unknown", "rows": [], "operation": "none", "answers": []}"#
        );
        assert_eq!((refused.kind, refused.operation.as_str()), (ExampleKind::Refusal, "none"));
    }

    #[test]
    fn what_the_evidence_may_answer_is_not_refused() {
        let example = example();
        // Its answer is shown, is a number that may be counted, or is unknown.
        for gold in [&["Orle"][..], &["3"], &[]] {
            assert_eq!(example.refusing(&prepared("which rivers are there", gold)), None);
        }
    }

    #[test]
    fn operations_are_read_off_the_reply() {
        assert_eq!(example().operation, "count");
        let sql = "SELECT a, count(*) FROM b GROUP BY a ORDER BY COUNT(*) DESC";
        assert_eq!(operation_of(TuneTask::Query, sql), "count + group + order");
        assert_eq!(operation_of(TuneTask::Query, "SELECT a FROM b"), "none");
    }

    #[test]
    fn gold_answers_fill_in_the_plain_form() {
        let reply = gold_reply(&prepared("q", &["Orle", "a \"b\""]));
        assert_eq!(reply, r#"{"status": "answered", "answers": ["Orle", "a \"b\""]}"#);
    }
}
