//! Reads JSON as models write it: with prose or code fences around it, trailing commas, single
//! quotes, bare words, missing commas, or a truncated end.

use serde_json::{Map, Number, Value};

/// Deepest nesting that is read.
const DEEPEST: u32 = 100;

/// The longest object or array in a text; without one, the text itself if it is JSON.
pub fn parse_leniently(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text.trim()) {
        return Some(value);
    }
    let mut best: Option<(usize, Value)> = None;
    let mut start = 0;
    while let Some(offset) = text.get(start..).and_then(|rest| rest.find(['{', '['])) {
        let begin = start + offset;
        let mut reader = Reader { rest: text.get(begin..).unwrap_or_default() };
        let value = reader.value(0);
        let length = text.len() - begin - reader.rest.len();
        start = begin + length.max(1);
        let empty = value.as_ref().is_none_or(|value| match value {
            Value::Object(object) => object.is_empty() && length != 2,
            Value::Array(array) => array.is_empty() && length != 2,
            _ => true,
        });
        if let Some(value) = value.filter(|_| !empty)
            && best.as_ref().is_none_or(|(longest, _)| length > *longest)
        {
            best = Some((length, value));
        }
    }
    best.map(|(_, value)| value)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn value(&mut self, depth: u32) -> Option<Value> {
        self.skip_blank();
        match self.peek()? {
            _ if depth > DEEPEST => None,
            '{' => Some(Value::Object(self.object(depth))),
            '[' => Some(Value::Array(self.array(depth))),
            quote @ ('"' | '\'' | '“' | '`') => Some(Value::String(self.string(quote))),
            _ => self.bare(),
        }
    }

    fn object(&mut self, depth: u32) -> Map<String, Value> {
        let mut object = Map::new();
        self.next();
        loop {
            self.skip(|c| c.is_whitespace() || c == ',' || c == ';');
            match self.peek() {
                Some('}') => {
                    self.next();
                    return object;
                }
                None | Some(']') => return object,
                Some(quote @ ('"' | '\'' | '“' | '`')) => {
                    let key = self.string(quote);
                    self.member(key, &mut object, depth);
                }
                Some(_) => {
                    let key = self.take_while(|c| c != ':' && c != '}' && c != '\n').trim().to_owned();
                    if self.peek() == Some(':') {
                        self.member(key, &mut object, depth);
                    }
                }
            }
        }
    }

    fn member(&mut self, key: String, object: &mut Map<String, Value>, depth: u32) {
        self.skip_blank();
        if matches!(self.peek(), Some(':' | '=')) {
            self.skip(|c| c == ':' || c == '=' || c == '>');
            if let Some(value) = self.value(depth + 1) {
                object.insert(key, value);
            }
        }
    }

    fn array(&mut self, depth: u32) -> Vec<Value> {
        let mut array = Vec::new();
        self.next();
        loop {
            self.skip(|c| c.is_whitespace() || c == ',' || c == ';');
            match self.peek() {
                Some(']') => {
                    self.next();
                    return array;
                }
                None | Some('}') => return array,
                Some(_) => match self.value(depth + 1) {
                    Some(value) => array.push(value),
                    None => {
                        self.next();
                    }
                },
            }
        }
    }

    /// A quoted string; without a closing quote, the rest of the text.
    fn string(&mut self, open: char) -> String {
        let close = if open == '“' { '”' } else { open };
        self.next();
        let mut text = String::new();
        while let Some(c) = self.next() {
            match c {
                '\\' => self.escape(&mut text),
                c if c == close && self.string_ends() => return text,
                c => text.push(c),
            }
        }
        text
    }

    /// Whether a quote ends its string: JSON must continue behind it. So an apostrophe inside
    /// single quotes does not end the string.
    fn string_ends(&self) -> bool {
        self.rest
            .trim_start()
            .chars()
            .next()
            .is_none_or(|c| matches!(c, ',' | ':' | '}' | ']' | '"' | '=' | ';'))
            || self.rest.starts_with(['\n', '\r'])
    }

    fn escape(&mut self, text: &mut String) {
        match self.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some('u') => {
                let code = self.code_unit();
                let low = if (0xd800..0xdc00).contains(&code) && self.rest.starts_with("\\u") {
                    self.next();
                    self.next();
                    Some(self.code_unit())
                } else {
                    None
                };
                let code = match low {
                    Some(low) => 0x10000 + ((code - 0xd800) << 10) + low.saturating_sub(0xdc00),
                    None => code,
                };
                text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(other) => text.push(other),
            None => {}
        }
    }

    fn code_unit(&mut self) -> u32 {
        let digits: String = self.rest.chars().take(4).take_while(char::is_ascii_hexdigit).collect();
        self.rest = self.rest.get(digits.len()..).unwrap_or_default();
        u32::from_str_radix(&digits, 16).unwrap_or(0)
    }

    /// A number, a word like `true` or Python's `None`, or a text without quotes.
    fn bare(&mut self) -> Option<Value> {
        let word = self.take_while(|c| !matches!(c, ',' | '}' | ']' | '{' | '[' | '\n')).trim().to_owned();
        match word.as_str() {
            "" => None,
            "true" | "True" | "TRUE" => Some(Value::Bool(true)),
            "false" | "False" | "FALSE" => Some(Value::Bool(false)),
            "null" | "None" | "NULL" | "undefined" => Some(Value::Null),
            word => Some(number(word).map_or_else(|| Value::String(word.to_owned()), Value::Number)),
        }
    }

    fn skip_blank(&mut self) {
        self.skip(char::is_whitespace);
    }

    fn skip(&mut self, which: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(which);
    }

    fn take_while(&mut self, which: impl Fn(char) -> bool) -> &str {
        let end = self.rest.find(|c| !which(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next();
        self.rest = chars.as_str();
        c
    }
}

fn number(word: &str) -> Option<Number> {
    if let Ok(integer) = word.parse::<i64>() {
        return Some(integer.into());
    }
    word.parse::<f64>().ok().and_then(Number::from_f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(text: &str, expected: Value) {
        assert_eq!(parse_leniently(text), Some(expected), "{text}");
    }

    #[test]
    fn what_models_write() {
        check(r#"{"a": 1}"#, json!({"a": 1}));
        check(
            "Sure! Here it is:\n```json\n{\"a\": [1, 2,],}\n```\nHope this helps [1].",
            json!({"a": [1, 2]}),
        );
        check(
            "{'name': 'D\\'Artagnan', 'it': 'Dad's', ok: True, no: None}",
            json!({"name": "D'Artagnan", "it": "Dad's", "ok": true, "no": null}),
        );
        check("{\"a\": \"b\" \"c\": 2}", json!({"a": "b", "c": 2}));
        check("{\"a\": [\"x\", \"y", json!({"a": ["x", "y"]}));
        check("{\"a\": {\"b\": tr", json!({"a": {"b": "tr"}}));
        check("{a: some words, b: 2.5}", json!({"a": "some words", "b": 2.5}));
        check("[1] is a note, {\"answer\": \"Lima\"} the answer", json!({"answer": "Lima"}));
        check(r#"{"a": "\u00e9\ud83d\ude00"}"#, json!({"a": "é😀"}));
        check("[]", json!([]));
    }

    #[test]
    fn prose_is_not_json() {
        for text in ["", "I do not know.", "{", "maybe [", "{}{"] {
            assert_eq!(parse_leniently(text).filter(|value| *value != json!({})), None, "{text}");
        }
    }

    #[test]
    fn deep_nesting_ends() {
        parse_leniently(&"[".repeat(100_000));
        parse_leniently(&"{\"a\":".repeat(10_000));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_a_crash(text in "[\\[\\]{}:,\"'a1 \\\\u]{0,60}") {
            parse_leniently(&text);
        }
    }
}
