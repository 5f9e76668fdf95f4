//! Structured replies: constrained while decoding if the model supports it, else parsed leniently
//! and repaired once.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use crate::lenient::parse_leniently;
use crate::{ChatReply, ChatRequest, Constraint, LanguageModel, Message, ModelError, Tool};

/// Asks for JSON that satisfies `schema` and reads it.
///
/// A reply that cannot be parsed, even leniently, is returned to the model once with the reason. A
/// second failure is [`ModelError::Unreadable`] with the raw reply. Returns all replies, so that
/// their cost and text reach the trace.
pub async fn ask_json<T: DeserializeOwned>(
    model: &dyn LanguageModel,
    request: &ChatRequest,
    schema: &Value,
) -> Result<(T, Vec<ChatReply>), ModelError> {
    let request = request.clone().with_constraint(Constraint::JsonSchema(schema.clone()));
    let read = |text: &str| -> Result<T, String> {
        let value = parse_leniently(text).ok_or("it holds no JSON")?;
        serde_json::from_value(value).map_err(|error| error.to_string())
    };
    let wanted = format!("only with JSON that satisfies this JSON Schema:\n{schema}");
    ask(model, &request, &wanted, read).await
}

/// A function call by the model.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ToolCall {
    /// The function's name.
    #[serde(alias = "name")]
    pub tool: String,
    /// Its arguments: an object.
    #[serde(default, alias = "parameters")]
    pub arguments: Value,
}

/// Asks for one call of one of `tools`. A reply without a valid call is repaired once, as in
/// [`ask_json`].
pub async fn ask_tool(
    model: &dyn LanguageModel,
    request: &ChatRequest,
    tools: &[Tool],
) -> Result<(ToolCall, Vec<ChatReply>), ModelError> {
    let request = request.clone().with_constraint(Constraint::Tools(tools.to_vec()));
    let read = |text: &str| -> Result<ToolCall, String> {
        let value = parse_leniently(text).ok_or("it holds no JSON")?;
        let call: ToolCall = serde_json::from_value(value).map_err(|error| error.to_string())?;
        let known = tools.iter().any(|tool| tool.name == call.tool);
        if known { Ok(call) } else { Err(format!("unknown tool {:?}", call.tool)) }
    };
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let wanted = format!(
        "only with JSON of the form {{\"tool\": NAME, \"arguments\": {{...}}}}; the tools are {}.",
        names.join(", ")
    );
    ask(model, &request, &wanted, read).await
}

/// Asks for one of the options that the prompt lists by number, from 1; returns its index, from 0.
///
/// The reply is constrained to the numbers. A model without constraints may also name the option.
pub async fn choose(
    model: &dyn LanguageModel,
    request: &ChatRequest,
    options: &[String],
) -> Result<(usize, Vec<ChatReply>), ModelError> {
    if options.is_empty() {
        return Err(ModelError::Usage("there is nothing to choose from".to_owned()));
    }
    let numbers: Vec<String> = (1..=options.len()).map(|number| number.to_string()).collect();
    let wanted = format!("only with the number of one option, 1 to {}.", options.len());
    let request = request.clone().with_constraint(Constraint::Choice(numbers));
    let read = |text: &str| -> Result<usize, String> {
        find_number(text, options.len())
            .or_else(|| find_option(text, options))
            .ok_or_else(|| format!("it names none of the {} options", options.len()))
    };
    ask(model, &request, &wanted, read).await
}

async fn ask<T>(
    model: &dyn LanguageModel,
    request: &ChatRequest,
    wanted: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<(T, Vec<ChatReply>), ModelError> {
    let first = model.chat(request).await?;
    let reason = match read(&first.text) {
        Ok(value) => return Ok((value, vec![first])),
        Err(reason) => reason,
    };
    tracing::debug!(model = model.name(), stage = request.stage, reason, "asking for a repair");
    let mut repair = request.clone();
    repair.messages.push(Message::assistant(first.text.clone()));
    repair
        .messages
        .push(Message::user(format!("That reply cannot be read: {reason}. Reply again, {wanted}")));
    let second = model.chat(&repair).await?;
    match read(&second.text) {
        Ok(value) => Ok((value, vec![first, second])),
        Err(reason) => {
            Err(ModelError::Unreadable { model: model.name().to_owned(), reason, raw: second.text })
        }
    }
}

/// The first number of `1..=most` in a text, as an index from 0.
fn find_number(text: &str, most: usize) -> Option<usize> {
    text.split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse::<usize>().ok())
        .find(|number| (1..=most).contains(number))
        .map(|number| number - 1)
}

/// The option that a text names: the whole text without quotes and full stops, else the only option
/// in it (the longest, if one contains another).
pub(crate) fn find_option(text: &str, options: &[String]) -> Option<usize> {
    let plain = |text: &str| {
        text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '.' | '`' | '*'))
            .to_lowercase()
    };
    let text = plain(text);
    let options: Vec<String> = options.iter().map(|option| plain(option)).collect();
    if let Some(index) = options.iter().position(|option| *option == text) {
        return Some(index);
    }
    let mentioned = |option: &&String| !option.is_empty() && mentions(&text, option);
    let named: Vec<&String> = options.iter().filter(mentioned).collect();
    let longest = named.iter().max_by_key(|option| option.len())?;
    if named.iter().all(|option| longest.contains(option.as_str())) {
        options.iter().position(|option| option == *longest)
    } else {
        None
    }
}

/// Whether `text` contains `word` as a whole word.
fn mentions(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(start, found)| {
        let before = text.get(..start).and_then(|text| text.chars().next_back());
        let after = text.get(start + found.len()..).and_then(|text| text.chars().next());
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ScriptedModel;
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Plan {
        hops: u32,
    }

    fn schema() -> Value {
        json!({"type": "object", "properties": {"hops": {"type": "integer"}}, "required": ["hops"]})
    }

    fn request() -> ChatRequest {
        ChatRequest::new("plan", vec![Message::user("How many hops?")])
    }

    #[tokio::test]
    async fn a_readable_reply_costs_one_call() {
        let model = ScriptedModel::new().on("plan", "Of course: {'hops': 2,}");
        let (plan, replies) = ask_json::<Plan>(&model, &request(), &schema()).await.unwrap();
        assert_eq!((plan, replies.len()), (Plan { hops: 2 }, 1));
        assert_eq!(model.requests()[0].constraint, Constraint::JsonSchema(schema()));
    }

    #[tokio::test]
    async fn prose_is_repaired_once() {
        let model = ScriptedModel::new().on("plan", "two, I think").on("plan", "{\"hops\": 2}");
        let (plan, replies) = ask_json::<Plan>(&model, &request(), &schema()).await.unwrap();
        assert_eq!((plan, replies.len()), (Plan { hops: 2 }, 2));
        let repair = &model.requests()[1].messages;
        assert_eq!(repair[1], Message::assistant("two, I think"));
        assert!(repair[2].content.contains("it holds no JSON"));
    }

    #[tokio::test]
    async fn what_stays_unreadable_is_an_error_with_the_raw_reply() {
        let model = ScriptedModel::new().on("plan", "").on("plan", "{\"hops\": \"many\"}");
        let error = ask_json::<Plan>(&model, &request(), &schema()).await.unwrap_err();
        assert!(matches!(error, ModelError::Unreadable { raw, .. } if raw == "{\"hops\": \"many\"}"));
        assert_eq!(model.calls(), 2);
    }

    #[tokio::test]
    async fn options_are_chosen_by_number_or_name() {
        let options = ["directed by", "written by", "release year"].map(str::to_owned);
        for (reply, expected) in
            [("2", 1), ("Option 3.", 2), ("\"Directed By\"", 0), ("the release year of it", 2)]
        {
            let model = ScriptedModel::new().on("plan", reply);
            let (chosen, _) = choose(&model, &request(), &options).await.unwrap();
            assert_eq!(chosen, expected, "{reply}");
            assert_eq!(
                model.requests()[0].constraint,
                Constraint::Choice(vec!["1".into(), "2".into(), "3".into()])
            );
        }
        let model = ScriptedModel::new().on("plan", "7").on("plan", "none");
        assert!(choose(&model, &request(), &options).await.is_err());
    }

    #[tokio::test]
    async fn calls_are_read_and_unknown_tools_repaired() {
        let tool = |name: &str| Tool {
            name: name.into(),
            description: String::new(),
            parameters: json!({"type": "object", "properties": {"entity": {"type": "string"}}, "required": ["entity"]}),
        };
        let tools = [tool("find"), tool("expand")];
        let model = ScriptedModel::new()
            .on("plan", r#"{"tool": "search", "arguments": {}}"#)
            .on("plan", r#"{"name": "find", "arguments": {"entity": "Lima"}}"#);
        let (call, replies) = ask_tool(&model, &request(), &tools).await.unwrap();
        assert_eq!((call.tool.as_str(), &call.arguments["entity"]), ("find", &json!("Lima")));
        assert_eq!(replies.len(), 2);
        let requests = model.requests();
        assert_eq!(requests[0].constraint, Constraint::Tools(tools.to_vec()));
        assert!(requests[1].messages[2].content.contains("the tools are find, expand"));
        let grammar = crate::schema_to_grammar(&requests[0].constraint.schema().unwrap()).unwrap();
        assert!(grammar.contains("expand"), "{grammar}");
    }

    #[test]
    fn an_option_inside_another_does_not_count() {
        let options = ["act", "actor", "co-actor"].map(str::to_owned);
        assert_eq!(find_option("it is the co-actor, surely", &options), Some(2));
        assert_eq!(find_option("act or actor? or both: co", &options), Some(1));
        assert_eq!(find_option("a plain tractor", &options), None);
        let apart = ["film", "year"].map(str::to_owned);
        assert_eq!(find_option("film or year", &apart), None);
    }
}
