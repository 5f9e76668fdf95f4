//! Turns messages into tokens, by the model's own chat template.

use llama_cpp_2::model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel};
use llama_cpp_2::token::LlamaToken;

use crate::{Message, Role};

/// A conversation in tokens.
pub(super) struct Prompt {
    pub(super) tokens: Vec<LlamaToken>,
    /// Number of the tokens of the system message and the worked examples, which all graphs share.
    worked: usize,
    /// Number of the tokens before the last message, which many conversations share.
    instructions: usize,
    /// Whether other requests will begin with the instructions.
    pub(super) lasting: bool,
}

impl Prompt {
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn instructions(&self) -> &[LlamaToken] {
        self.tokens.get(..self.instructions).unwrap_or_default()
    }

    /// The beginning of the instructions that ends with the worked examples; empty without any.
    pub(super) fn worked(&self) -> &[LlamaToken] {
        self.tokens.get(..self.worked).unwrap_or_default()
    }
}

/// Writes conversations in the format that a model was trained on.
pub(super) struct PromptWriter {
    template: Option<LlamaChatTemplate>,
}

impl PromptWriter {
    /// Takes the template from the model's file; ChatML if it has none.
    pub(super) fn for_model(model: &LlamaModel) -> Self {
        Self { template: model.chat_template(None).ok() }
    }

    /// The conversation, up to and including the opening of the assistant's turn. Behind the system
    /// message stand `worked` messages of worked examples.
    pub(super) fn write(&self, model: &LlamaModel, messages: &[Message], worked: usize) -> Prompt {
        let tokens = self.tokens(model, messages);
        let shared = |messages: &[Message]| match messages.first() {
            Some(first) if first.role == Role::System => {
                let alone = self.tokens(model, messages);
                tokens.iter().zip(&alone).take_while(|(a, b)| a == b).count()
            }
            _ => 0,
        };
        let before = messages.split_last().map_or(messages, |(_, before)| before);
        let instructions = shared(before);
        let worked = match before.get(..=worked) {
            Some(examples) if worked > 0 => shared(examples).min(instructions),
            _ => 0,
        };
        Prompt { tokens, worked, instructions, lasting: false }
    }

    /// Only the template's own words may become control tokens. Contents are tokenised separately,
    /// as plain text, so that a document with `<|im_end|>` cannot end its own turn.
    fn tokens(&self, model: &LlamaModel, messages: &[Message]) -> Vec<LlamaToken> {
        let frame = self.frame(model, messages).unwrap_or_else(|| chatml(messages));
        let vocab = model.vocab();
        let mut tokens = Vec::new();
        if vocab.should_add_bos() && !frame_opens_with_bos(model, &frame) {
            tokens.push(vocab.bos());
        }
        let mut rest = frame.as_str();
        while let Some((before, index, after)) = next_mark(rest) {
            vocab.tokenize_into(before.as_bytes(), &mut tokens, false, true);
            if let Some(message) = messages.get(index) {
                vocab.tokenize_into(message.content.as_bytes(), &mut tokens, false, false);
            }
            rest = after;
        }
        vocab.tokenize_into(rest.as_bytes(), &mut tokens, false, true);
        tokens
    }

    /// The conversation with marks in the place of the contents; `None` if llama.cpp does not know
    /// the template.
    fn frame(&self, model: &LlamaModel, messages: &[Message]) -> Option<String> {
        let template = self.template.as_ref()?;
        let marked: Option<Vec<_>> = messages
            .iter()
            .enumerate()
            .map(|(index, message)| LlamaChatMessage::new(role(message.role).to_owned(), mark(index)).ok())
            .collect();
        model.apply_chat_template(template, &marked?, true).ok()
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

fn chatml(messages: &[Message]) -> String {
    let mut frame = String::new();
    for (index, message) in messages.iter().enumerate() {
        frame.push_str(&format!("<|im_start|>{}\n{}<|im_end|>\n", role(message.role), mark(index)));
    }
    frame.push_str("<|im_start|>assistant\n");
    frame
}

/// The mark for the content of message `index` in a frame. Templates trim white space, but keep
/// control characters.
fn mark(index: usize) -> String {
    format!("\u{1}{index}\u{2}")
}

/// The text before the next mark, the mark's number, and the text after it.
fn next_mark(frame: &str) -> Option<(&str, usize, &str)> {
    let (before, rest) = frame.split_once('\u{1}')?;
    let (index, after) = rest.split_once('\u{2}')?;
    Some((before, index.parse().ok()?, after))
}

fn frame_opens_with_bos(model: &LlamaModel, frame: &str) -> bool {
    let vocab = model.vocab();
    vocab.tokenize(frame.as_bytes(), false, true).first() == Some(&vocab.bos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chatml_frames_mark_each_content() {
        let frame = chatml(&[Message::system("a"), Message::user("b")]);
        let (before, index, after) = next_mark(&frame).unwrap();
        assert_eq!((before, index), ("<|im_start|>system\n", 0));
        let (before, index, after) = next_mark(after).unwrap();
        assert_eq!((before, index), ("<|im_end|>\n<|im_start|>user\n", 1));
        assert_eq!(after, "<|im_end|>\n<|im_start|>assistant\n");
    }
}
