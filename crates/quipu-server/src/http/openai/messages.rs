//! Reads the question and the conversation before it from the messages of OpenAI's APIs.

use quipu_answer::{Conversation, Speaker, Turn};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::{ApiError, Kind};

/// The content of a message: a text, or text parts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Content {
    /// A text.
    Text(String),
    /// Parts.
    Parts(Vec<Part>),
}

/// A part of a message.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Part {
    /// `text`, `input_text`, `output_text` or `refusal`; pictures, sounds and files are refused.
    #[serde(default)]
    r#type: Option<String>,
    /// The text.
    #[serde(default)]
    text: Option<String>,
    /// The text of a part of type `refusal`.
    #[serde(default)]
    refusal: Option<String>,
}

/// A message of either API.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) role: String,
    pub(super) content: Option<Content>,
}

impl Message {
    /// Its text; other content is refused by name.
    fn text(&self, field: &str) -> Result<String, ApiError> {
        let parts = match &self.content {
            None => return Ok(String::new()),
            Some(Content::Text(text)) => return Ok(text.clone()),
            Some(Content::Parts(parts)) => parts,
        };
        let mut texts = Vec::new();
        for part in parts {
            match part.r#type.as_deref().unwrap_or("text") {
                "text" | "input_text" | "output_text" => texts.extend(part.text.as_deref()),
                "refusal" => texts.extend(part.refusal.as_deref().or(part.text.as_deref())),
                other => {
                    let message = format!("{field}: a part of type {other:?} cannot be read; only texts can");
                    return Err(ApiError::new(Kind::Invalid, "unsupported_value", message).about(field));
                }
            }
        }
        Ok(texts.join("\n"))
    }
}

/// The question, which is the last message, and the conversation before it. `field` is the API's
/// name for the messages.
///
/// # Errors
/// No message; a last message that is not the user's; an unknown role; a part that is not text.
pub(super) fn question(
    mut messages: Vec<Message>,
    instructions: Option<&str>,
    field: &str,
) -> Result<(String, Conversation), ApiError> {
    let wrong = |what: &str| ApiError::invalid(format!("{field}: {what}")).about(field);
    let last = messages.pop().ok_or_else(|| wrong("there is none"))?;
    if last.role != "user" {
        return Err(wrong("the last one must be the user's: it is the question"));
    }
    let mut conversation = Conversation::default();
    if let Some(instructions) = instructions {
        instruct(&mut conversation, instructions);
    }
    for message in messages {
        let text = message.text(field)?;
        let speaker = match message.role.as_str() {
            "system" | "developer" => {
                instruct(&mut conversation, &text);
                continue;
            }
            "user" => Speaker::Person,
            "assistant" => Speaker::Answer,
            "tool" | "function" => continue,
            role => return Err(wrong(&format!("unknown role {role:?}"))),
        };
        if !text.trim().is_empty() {
            conversation.turns.push(Turn::new(speaker, text));
        }
    }
    Ok((last.text(field)?, conversation))
}

fn instruct(conversation: &mut Conversation, text: &str) {
    conversation.instructions.push_str(text);
    conversation.instructions.push('\n');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(role: &str, content: serde_json::Value) -> Message {
        Message { role: role.into(), content: Some(serde_json::from_value(content).unwrap()) }
    }

    #[test]
    fn the_last_message_is_the_question() {
        let parts = json!([{ "type": "input_text", "text": "and" }, { "type": "text", "text": "where?" }]);
        let messages = vec![
            said("developer", json!("Be brief.")),
            said("user", json!("who?")),
            said("assistant", json!([{ "type": "output_text", "text": "Ana", "annotations": [] }])),
            said("tool", json!("ignored")),
            said("user", parts),
        ];
        let (question, conversation) = question(messages, Some("In English."), "input").unwrap();
        assert_eq!(question, "and\nwhere?");
        assert_eq!(conversation.instructions, "In English.\nBe brief.\n");
        let turns: Vec<&str> = conversation.turns.iter().map(|turn| turn.text.as_str()).collect();
        assert_eq!(turns, ["who?", "Ana"]);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let picture = json!([{ "type": "image_url", "image_url": { "url": "data:" } }]);
        let error = question(vec![said("user", picture)], None, "messages").unwrap_err();
        assert!(error.message.contains("image_url") && error.code == "unsupported_value", "{error:?}");
        for messages in [vec![], vec![said("assistant", json!("x"))]] {
            assert_eq!(question(messages, None, "messages").unwrap_err().param.as_deref(), Some("messages"));
        }
    }
}
