//! The prompts: templates under `prompts/`, rendered here and nowhere else.
//!
//! In each, what never changes (instructions, examples) is the system message and comes first, so that its computation
//! is reused from question to question.

use std::sync::OnceLock;

use minijinja::Environment;
use quipu_model::Message;
use serde_json::Value;

use crate::AnswerError;

/// A prompt: a fixed system part and a part for the question at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompt {
    /// KERAG step 1: domain, topic entities, time frame, operation.
    KeragPlan,
    /// KERAG step 3: irrelevant relations, and is it enough?
    KeragFilter,
    /// KERAG step 3 with filtering by similarity: is it enough?
    KeragBoundary,
    /// KERAG summarization, step by step.
    KeragCompose,
    /// KERAG summarization without reasoning (ablation).
    KeragComposePlain,
    /// Whole-path planning: what people call a relation.
    RelationCard,
    /// Whole-path planning: what a word of the question means, to be scored.
    WordMeaning,
    /// Whole-path planning: what a word of the question means, to be chosen.
    WordChoice,
    /// Baseline: the model alone.
    Io,
}

impl Prompt {
    fn name(self) -> &'static str {
        match self {
            Self::KeragPlan => "kerag_plan",
            Self::KeragFilter => "kerag_filter",
            Self::KeragBoundary => "kerag_boundary",
            Self::KeragCompose => "kerag_compose",
            Self::KeragComposePlain => "kerag_compose_plain",
            Self::RelationCard => "relation_card",
            Self::WordMeaning => "word_meaning",
            Self::WordChoice => "word_choice",
            Self::Io => "io",
        }
    }

    fn source(self) -> &'static str {
        match self {
            Self::KeragPlan => include_str!("prompts/kerag_plan.jinja"),
            Self::KeragFilter => include_str!("prompts/kerag_filter.jinja"),
            Self::KeragBoundary => include_str!("prompts/kerag_boundary.jinja"),
            Self::KeragCompose => include_str!("prompts/kerag_compose.jinja"),
            Self::KeragComposePlain => include_str!("prompts/kerag_compose_plain.jinja"),
            Self::RelationCard => include_str!("prompts/relation_card.jinja"),
            Self::WordMeaning => include_str!("prompts/word_meaning.jinja"),
            Self::WordChoice => include_str!("prompts/word_choice.jinja"),
            Self::Io => include_str!("prompts/io.jinja"),
        }
    }

    const ALL: [Self; 9] = [
        Self::KeragPlan,
        Self::KeragFilter,
        Self::KeragBoundary,
        Self::KeragCompose,
        Self::KeragComposePlain,
        Self::RelationCard,
        Self::WordMeaning,
        Self::WordChoice,
        Self::Io,
    ];

    /// Renders the prompt. Lines `=====` part it: first the system message, then the user's and the model's in turn (examples), last
    /// the user's.
    ///
    /// # Errors
    /// [`AnswerError::Prompt`] when the template does not take `values`.
    pub fn render(self, values: Value) -> Result<Vec<Message>, AnswerError> {
        let wrap = |source| AnswerError::Prompt { name: self.name(), source };
        let template = environment().get_template(self.name()).map_err(wrap)?;
        let text = template.render(minijinja::Value::from_serialize(values)).map_err(wrap)?;
        let parts: Vec<&str> = text.split("\n=====\n").map(str::trim).collect();
        let (system, turns) = match parts.as_slice() {
            [only] => ("", std::slice::from_ref(only)),
            [system, turns @ ..] => (*system, turns),
            [] => ("", [].as_slice()),
        };
        let mut messages = vec![Message::system(system)];
        messages.extend(turns.iter().enumerate().map(|(turn, part)| {
            if turn % 2 == 0 { Message::user(*part) } else { Message::assistant(*part) }
        }));
        messages.retain(|message| !message.content.is_empty());
        Ok(messages)
    }
}

fn environment() -> &'static Environment<'static> {
    static ENVIRONMENT: OnceLock<Environment<'static>> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        for prompt in Prompt::ALL {
            // A template that does not parse is reported by `render`, which does not find it; a test renders each.
            let added = environment.add_template(prompt.name(), prompt.source());
            debug_assert!(added.is_ok(), "{}: {added:?}", prompt.name());
        }
        environment
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(prompt: Prompt, values: Value) {
        let messages = prompt.render(values).unwrap();
        let shown: Vec<String> = messages.iter().map(|m| format!("[{:?}]\n{}", m.role, m.content)).collect();
        insta::assert_snapshot!(prompt.name(), shown.join("\n\n"));
    }

    #[test]
    fn prompts_are_what_was_agreed() {
        let question = "where was the director of Kauwboy born?";
        check(
            Prompt::KeragPlan,
            json!({ "domains": ["film", "person"], "candidates": ["Kauwboy"], "question": question }),
        );
        let relations = ["Kauwboy - directed by -> person", "Kauwboy - release year -> value"];
        check(
            Prompt::KeragFilter,
            json!({ "start": "Kauwboy", "taken": "", "relations": relations, "question": question }),
        );
        check(Prompt::KeragBoundary, json!({ "start": "Kauwboy", "hops": relations, "question": question }));
        let facts =
            "### Kauwboy\n| id | relation | value |\n|---|---|---|\n| E0 | directed by | Boudewijn Koole |\n";
        let compose = json!({ "asked_at": "2024-02-28", "time_frame": "2012-01-01 to 2012-12-31", "facts": facts, "question": question });
        check(Prompt::KeragCompose, compose.clone());
        check(Prompt::KeragComposePlain, compose);
        check(
            Prompt::RelationCard,
            json!({ "relation": "directed_by", "beside": ["release_year"], "facts": [["Kauwboy", "Boudewijn Koole"]] }),
        );
        let masked = "where was the maker of X born?";
        check(Prompt::WordMeaning, json!({ "question": masked, "word": "maker" }));
        check(
            Prompt::WordChoice,
            json!({ "question": masked, "word": "maker", "names": ["release year", "director"] }),
        );
        check(Prompt::Io, json!({ "question": question }));
    }

    #[test]
    fn a_value_that_a_template_needs_is_not_forgotten() {
        assert!(matches!(Prompt::Io.render(json!({})), Err(AnswerError::Prompt { name: "io", .. })));
    }
}
