//! Parameters of methods, set by name: `kerag.max_hops=2`. The names, values, defaults and
//! descriptions come from the configuration types ([`MethodConfig`], [`Limits`]): one list for the
//! command line, for evaluations and for requests.

use std::sync::LazyLock;

use quipu_stages::answer::AnswerError;
use quipu_stages::ledger::Limits;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::AskOptions;
use crate::methods::MethodConfig;

/// A parameter that can be set by name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setting {
    /// Its name: `anchor.width`.
    pub key: String,
    /// The values that it takes.
    pub takes: Takes,
    /// Its default, in the form to write it.
    pub default: String,
    /// The greatest value that a request may set, so that no request takes more of a server's time
    /// or memory than the defaults are made for; `None` for the question's limits, which a server
    /// bounds itself.
    pub most: Option<f64>,
    /// Its meaning.
    pub about: String,
}

/// The values that a parameter takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Takes {
    /// Whole numbers from 0.
    Count,
    /// Numbers.
    Number,
    /// Yes or no.
    YesOrNo,
    /// One of these words.
    OneOf(Vec<String>),
}

impl std::fmt::Display for Takes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count => f.write_str("N"),
            Self::Number => f.write_str("X"),
            Self::YesOrNo => f.write_str("yes|no"),
            Self::OneOf(words) => f.write_str(&words.join("|")),
        }
    }
}

/// The greatest value that a request may set for a number without a bound of its own.
const MOST: f64 = 100.0;
/// Sets the hops of every method that counts hops.
const MAX_HOPS: &str = "max_hops";

/// Every parameter that can be set, in the order of the types.
pub fn settings() -> &'static [Setting] {
    static SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| {
        let mut all = Vec::new();
        gather("", &schema_of::<Limits>(), &json(&Limits::default()), None, &mut all);
        all.push(Setting {
            key: MAX_HOPS.into(),
            takes: Takes::Count,
            default: "3".into(),
            most: Some(4.0),
            about: "Most hops from a topic entity, of every method that counts them.".into(),
        });
        gather("", &schema_of::<MethodConfig>(), &json(&MethodConfig::default()), Some(MOST), &mut all);
        all
    });
    &SETTINGS
}

/// Sets one of [`settings`].
///
/// # Errors
/// [`AnswerError::Usage`]: there is no such key (the nearest one is named), or it does not take
/// this value.
pub fn set_option(options: &mut AskOptions, key: &str, value: &str) -> Result<(), AnswerError> {
    let setting = find(key)?;
    let value = read(setting, value)?;
    if key == MAX_HOPS {
        let hops = value.as_u64().and_then(|hops| u32::try_from(hops).ok());
        options.config.limit_hops(hops.unwrap_or(u32::MAX));
        return Ok(());
    }
    if let Some(limits) = with(&options.limits, key, &value)? {
        options.limits = Limits { cost: options.limits.cost, ..limits };
    } else if let Some(config) = with(&options.config, key, &value)? {
        options.config = config;
    }
    Ok(())
}

/// The same as [`set_option`] for a request from elsewhere: numbers are bounded.
///
/// # Errors
/// [`AnswerError::Usage`]: as there, or a number that is larger than a request may set.
pub fn set_option_of_request(options: &mut AskOptions, key: &str, value: &str) -> Result<(), AnswerError> {
    let setting = find(key)?;
    if let (Some(most), Some(number)) = (setting.most, read(setting, value)?.as_f64())
        && !(0.0..=most).contains(&number)
    {
        return Err(AnswerError::Usage(format!("{key}={value}: expected a number from 0 to {most}")));
    }
    set_option(options, key, value)
}

fn find(key: &str) -> Result<&'static Setting, AnswerError> {
    settings().iter().find(|setting| setting.key == key).ok_or_else(|| {
        let nearest = settings()
            .iter()
            .max_by(|a, b| strsim::jaro_winkler(&a.key, key).total_cmp(&strsim::jaro_winkler(&b.key, key)));
        let nearest = nearest.map(|setting| setting.key.as_str()).unwrap_or_default();
        AnswerError::Usage(format!(
            "unknown key {key}; the nearest is {nearest}, and `quipu methods` lists all"
        ))
    })
}

/// The value as JSON.
fn read(setting: &Setting, value: &str) -> Result<Value, AnswerError> {
    let (key, value) = (&setting.key, value.trim());
    let wrong = |expected: &str| AnswerError::Usage(format!("{key}={value}: {expected} was expected"));
    match &setting.takes {
        Takes::Count => value.parse::<u64>().map(Value::from).map_err(|_| wrong("a whole number from 0")),
        Takes::Number => {
            let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
            number.map(Value::from).ok_or_else(|| wrong("a number"))
        }
        Takes::YesOrNo => match value {
            "yes" | "true" | "on" => Ok(true.into()),
            "no" | "false" | "off" => Ok(false.into()),
            _ => Err(wrong("yes or no")),
        },
        Takes::OneOf(words) if words.iter().any(|word| word == value) => Ok(value.into()),
        Takes::OneOf(words) => Err(wrong(&words.join(" or "))),
    }
}

/// A copy with this value in field `key`; `None` if there is no such field.
fn with<T: Serialize + DeserializeOwned>(
    config: &T,
    key: &str,
    value: &Value,
) -> Result<Option<T>, AnswerError> {
    let mut all = json(config);
    let Some(field) = all.pointer_mut(&format!("/{}", key.replace('.', "/"))) else { return Ok(None) };
    *field = value.clone();
    let config = serde_json::from_value(all);
    config.map(Some).map_err(|error| AnswerError::Usage(format!("{key}={value}: {error}")))
}

fn json<T: Serialize>(config: &T) -> Value {
    serde_json::to_value(config).unwrap_or_default()
}

/// The type's schema, with all references inlined.
fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::default().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The settings below a type's schema.
fn gather(prefix: &str, schema: &Value, defaults: &Value, most: Option<f64>, all: &mut Vec<Setting>) {
    let Some(properties) = schema["properties"].as_object() else { return };
    for (name, schema) in properties {
        let (key, default) = (format!("{prefix}{name}"), &defaults[name]);
        if schema["properties"].is_object() {
            gather(&format!("{key}."), schema, default, most, all);
        } else if let Some(takes) = takes(schema) {
            let most = most.filter(|_| matches!(takes, Takes::Count | Takes::Number));
            let about = schema["description"].as_str().unwrap_or_default();
            all.push(Setting {
                takes,
                default: shown(default),
                most: most.map(|most| schema["maximum"].as_f64().unwrap_or(most)),
                about: about.split_whitespace().collect::<Vec<_>>().join(" "),
                key,
            });
        }
    }
}

fn takes(schema: &Value) -> Option<Takes> {
    let described = || {
        let one_of = schema["oneOf"].as_array()?;
        Some(
            one_of
                .iter()
                .flat_map(|one| one["enum"].as_array().into_iter().flatten().chain(one.get("const"))),
        )
    };
    match schema["type"].as_str() {
        Some("integer") => return Some(Takes::Count),
        Some("number") => return Some(Takes::Number),
        Some("boolean") => return Some(Takes::YesOrNo),
        _ => {}
    }
    let words: Vec<String> = match schema["enum"].as_array() {
        Some(words) => words.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        None => described()?.filter_map(Value::as_str).map(str::to_owned).collect(),
    };
    (!words.is_empty()).then_some(Takes::OneOf(words))
}

/// A default in the form to write it; single-precision numbers without the digits that double
/// precision adds.
fn shown(default: &Value) -> String {
    match default {
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::String(word) => word.clone(),
        Value::Number(number) if number.as_u64() == Some(u64::MAX) => "any".into(),
        Value::Number(number) => {
            let double = number.as_f64().unwrap_or_default();
            #[expect(clippy::cast_possible_truncation, reason = "that is what is asked")]
            let single = double as f32;
            if f64::from(single) == double { single.to_string() } else { number.to_string() }
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::Summary;

    #[test]
    fn every_parameter_of_every_method_is_listed_and_can_be_set() {
        let values = json(&MethodConfig::default());
        let listed = |key: &str| settings().iter().any(|setting| setting.key.starts_with(key));
        for (method, parameters) in values.as_object().unwrap() {
            for parameter in parameters.as_object().into_iter().flat_map(|fields| fields.keys()) {
                assert!(listed(&format!("{method}.{parameter}")), "{method}.{parameter}");
            }
        }
        for setting in settings() {
            assert!(!setting.about.is_empty(), "{} has no description", setting.key);
            let value = match &setting.takes {
                Takes::Count | Takes::Number => "1",
                Takes::YesOrNo => "no",
                Takes::OneOf(words) => words.last().unwrap(),
            };
            let mut options = AskOptions::default();
            set_option_of_request(&mut options, &setting.key, value).unwrap();
            let (limits, config) = (json(&options.limits), json(&options.config));
            let pointer = format!("/{}", setting.key.replace('.', "/"));
            let set = limits.pointer(&pointer).or_else(|| config.pointer(&pointer)).map(shown);
            assert!(setting.key == MAX_HOPS || set.as_deref() == Some(value), "{}={value}", setting.key);
        }
    }

    #[test]
    fn a_key_says_what_it_takes_what_it_is_by_default_and_what_it_means() {
        let width = find("anchor.width").unwrap();
        assert_eq!(
            (width.takes.to_string().as_str(), width.default.as_str(), width.most),
            ("N", "3", Some(10.0))
        );
        assert!(width.about.contains("retriever"), "{}", width.about);
        let temperature = find("self_consistency.temperature").unwrap();
        assert_eq!((temperature.takes.to_string().as_str(), temperature.default.as_str()), ("X", "0.7"));
        assert_eq!(find("text.mode").unwrap().takes.to_string(), "hybrid|bm25|dense");
        assert_eq!(find("planner").unwrap().default, "published");
        assert_eq!(find("seconds").unwrap().default, "300");
    }

    #[test]
    fn hops_are_those_of_every_method_that_counts_them() {
        let mut options = AskOptions::default();
        set_option(&mut options, "max_hops", "2").unwrap();
        let MethodConfig { kerag, paths, tog, anchor, .. } = options.config;
        assert_eq!((kerag.max_hops, paths.walk.max_hops, tog.depth, anchor.depth), (2, 2, 2, 2));
    }

    #[test]
    fn one_key_leaves_the_others_and_the_price_as_they_are() {
        let mut options = AskOptions::default();
        options.limits.cost = quipu_model::Amount::of_units(0.5);
        set_option(&mut options, "seconds", "7").unwrap();
        set_option(&mut options, "kerag.summary", "plain").unwrap();
        let expected = AskOptions::default();
        assert_eq!(options.limits.cost, quipu_model::Amount::of_units(0.5));
        assert_eq!(options.limits.time.as_secs(), 7);
        assert_eq!(options.limits.llm_calls, expected.limits.llm_calls);
        assert_eq!(options.config.kerag.summary, Summary::Plain);
        options.config.kerag.summary = Summary::Reasoned;
        assert_eq!(options.config, expected.config);
    }

    #[test]
    fn what_cannot_be_set_is_told_with_what_can() {
        for (key, value, expected) in [
            ("beam", "3", "unknown key beam"),
            ("kerag.max_hop", "3", "the nearest is kerag.max_hops"),
            ("kerag.max_hops", "two", "a whole number from 0 was expected"),
            ("kerag.max_hops", "-1", "a whole number from 0 was expected"),
            ("kerag.max_hops", "99999999999", "kerag.max_hops=99999999999"),
            ("anchor.triple_filter", "maybe", "yes or no was expected"),
            ("planner", "luck", "published or paths or query was expected"),
            ("query.temperature", "NaN", "a number was expected"),
            ("hybrid.critic", "oracle", "was expected"),
        ] {
            let error = set_option(&mut AskOptions::default(), key, value).unwrap_err().to_string();
            assert!(error.contains(expected), "{key}={value}: {error}");
        }
    }

    #[test]
    fn a_request_sets_no_more_than_is_good_for_a_server() {
        for (key, value) in [
            ("kerag.max_hops", "9"),
            ("anchor.shown", "101"),
            ("query.temperature", "inf"),
            ("auto.typed.sure", "-1"),
            ("paths.neighbours", "1000000"),
        ] {
            let error =
                set_option_of_request(&mut AskOptions::default(), key, value).unwrap_err().to_string();
            assert!(error.contains("from 0 to") || error.contains("number"), "{key}={value}: {error}");
        }
        let mut options = AskOptions::default();
        set_option_of_request(&mut options, "tokens", "1000000").unwrap();
        assert_eq!(options.limits.tokens, 1_000_000);
    }
}
