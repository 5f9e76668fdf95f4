//! Compares Quipu's grammars for JSON replies with those of llama.cpp: the model's replies, their
//! tokens and their time.
//!
//! `cargo run --release -p quipu-model --example grammars [MODEL]`; results:
//! docs/results/models.md.

use std::time::{Duration, Instant};

use quipu_model::{
    ChatRequest, Constraint, LanguageModel, Message, OpenOptions, open_language_model, schema_to_grammar,
};
use serde_json::Value;

/// Schemas like those of the methods, with properties in the order of their prompts.
const SCHEMAS: [(&str, &str); 4] = [
    (
        "keywords",
        r#"{"type": "object", "properties": {"keywords": {"type": "array", "items": {"type": "string", "maxLength": 120},
        "maxItems": 8}}, "required": ["keywords"], "additionalProperties": false}"#,
    ),
    (
        "topic",
        r#"{"type": "object", "properties": {"domain": {"type": "string", "enum": ["films", "rivers", "other"]},
        "entities": {"type": "array", "items": {"type": "string", "maxLength": 120}, "maxItems": 4},
        "pair": {"type": "integer", "minimum": 0, "maximum": 5}},
        "required": ["domain", "entities", "pair"], "additionalProperties": false}"#,
    ),
    (
        "answer",
        r#"{"type": "object", "properties": {"reasoning": {"type": "string", "maxLength": 500},
        "status": {"type": "string", "enum": ["answered", "unknown", "invalid_question"]},
        "answers": {"type": "array", "items": {"type": "string", "maxLength": 200}, "maxItems": 50}},
        "required": ["reasoning", "status", "answers"], "additionalProperties": false}"#,
    ),
    (
        "edits",
        r#"{"type": "object", "properties": {"edits": {"type": "array", "maxItems": 3, "items": {"type": "object",
        "properties": {"triple": {"type": "string", "enum": ["P1", "P2", "P3"]},
        "rows": {"type": "array", "items": {"type": "string", "maxLength": 12}, "maxItems": 6}},
        "required": ["triple", "rows"], "additionalProperties": false}}}, "required": ["edits"],
        "additionalProperties": false}"#,
    ),
];

/// The questions for each schema.
const QUESTIONS: [&str; 4] = [
    "Who directed the film The Wave, and in which year was it released?",
    "Which rivers longer than 1,000 km flow through Peru?",
    "Is the Ucayali longer than the Marañón?",
    "Which towns lie on the Amazon, and which of them is the largest?",
];

const FACTS: &str = "T1 | The Wave | director | Ada Berg\nT2 | The Wave | year | 1998\nT3 | Ucayali | length | 1771 km\n\
                     T4 | Marañón | length | 1737 km\nT5 | Iquitos | lies on | Amazon\nT6 | Manaus | lies on | Amazon";

fn instructions(name: &str) -> String {
    let task = match name {
        "keywords" => "List the names in the question as keywords.",
        "topic" => {
            "Tell the question's domain, its entities, and the number of the fact it is about (0: none)."
        }
        "answer" => "Reason in one or two sentences over the facts, then give the status and the answers.",
        _ => {
            "P1: rivers have lengths. P2: towns lie on rivers. P3: films have directors. For each statement that the \
              question needs, give the rows that bear it out."
        }
    };
    format!("{task} Reply in JSON only.\nFacts:\n{FACTS}")
}

#[derive(Default)]
struct Sum {
    tokens: u32,
    time: Duration,
    unreadable: usize,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "qwen2.5-coder-1.5b".into());
    let model = open_language_model(&name, &OpenOptions::default())?;
    println!("| schema | grammar | tokens written | seconds | no JSON | replies that hold the same |");
    println!("|---|---|---|---|---|---|");
    for (name, schema) in SCHEMAS {
        let ours = schema_to_grammar(&serde_json::from_str(schema)?)?;
        let theirs = llama_cpp_2::json_schema_to_grammar(schema)?;
        let (mut of_ours, mut of_theirs, mut same) = (Sum::default(), Sum::default(), 0);
        for question in QUESTIONS {
            let messages = || vec![Message::system(instructions(name)), Message::user(question)];
            // The prompt is read in advance, so that neither grammar pays for it.
            model.chat(&ChatRequest::new("warm", messages()).with_max_tokens(1)).await?;
            let a = reply(model.as_ref(), messages(), &ours, &mut of_ours).await?;
            let b = reply(model.as_ref(), messages(), &theirs, &mut of_theirs).await?;
            same += usize::from(a.is_some() && a == b);
        }
        for (grammar, sum, same) in [
            ("ours", &of_ours, String::new()),
            ("llama.cpp's", &of_theirs, format!("{same} of {}", QUESTIONS.len())),
        ] {
            let seconds = sum.time.as_secs_f64();
            println!("| {name} | {grammar} | {} | {seconds:.1} | {} | {same} |", sum.tokens, sum.unreadable);
        }
    }
    Ok(())
}

async fn reply(
    model: &dyn LanguageModel,
    messages: Vec<Message>,
    grammar: &str,
    sum: &mut Sum,
) -> Result<Option<Value>, quipu_model::ModelError> {
    let constraint = Constraint::Grammar(grammar.to_owned());
    let request = ChatRequest::new("grammars", messages).with_constraint(constraint).with_max_tokens(300);
    let started = Instant::now();
    let reply = model.chat(&request).await?;
    sum.time += started.elapsed();
    sum.tokens += u32::try_from(reply.usage.completion_tokens).unwrap_or(u32::MAX);
    let value = serde_json::from_str(&reply.text).ok();
    sum.unreadable += usize::from(value.is_none());
    Ok(value)
}
