//! JSON Schema to GBNF, the grammar notation of llama.cpp.
//!
//! It supports `type` (also a list of types), `properties`, `required`, `items`, `minItems`,
//! `maxItems`, `enum`, `const`, `anyOf`, `oneOf`, `$ref` inside the schema, `maxLength`, and
//! `minimum` with `maximum` of integers up to a thousand apart. Anything else is ignored, so that
//! the grammar allows more than the schema, never less. The grammar fixes white space (one blank
//! after `:` and `,`), which carries no information and would cost tokens. Properties come in the
//! order of `required`, then the optional ones.
//!
//! llama.cpp has its own translation. With this one the model writes 5 to 43 % fewer tokens for
//! schemas like those of the methods (docs/results/models.md).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Largest span of an integer range that is spelled out.
const SPELLED_RANGE: i64 = 1000;
/// Longest `maxLength` that is enforced: llama.cpp unrolls repetitions.
const LONGEST_STRING: u64 = 1000;
/// Deepest nesting of a schema.
const DEEPEST: usize = 64;

/// Translates a schema into a grammar with the root rule `root`; an invalid schema gives the
/// reason.
pub fn schema_to_grammar(schema: &Value) -> Result<String, String> {
    let mut writer = Writer { schema, rules: BTreeMap::new() };
    let root = writer.expression(schema, 0)?;
    let mut grammar = format!("root ::= {root}\n");
    for (name, rule) in &writer.rules {
        let _ = writeln!(grammar, "{name} ::= {rule}");
    }
    Ok(grammar)
}

struct Writer<'a> {
    schema: &'a Value,
    rules: BTreeMap<String, String>,
}

impl Writer<'_> {
    fn expression(&mut self, schema: &Value, depth: usize) -> Result<String, String> {
        if depth > DEEPEST {
            return Err(format!("the JSON schema nests deeper than {DEEPEST}"));
        }
        let object = match schema {
            Value::Bool(true) => return Ok(self.any()),
            Value::Object(object) => object,
            other => return Err(format!("the JSON schema holds {other} where a schema belongs")),
        };
        if let Some(Value::String(reference)) = object.get("$ref") {
            return self.reference(reference, depth);
        }
        if let Some(value) = object.get("const") {
            return literal(value);
        }
        if let Some(Value::Array(values)) = object.get("enum") {
            return alternatives(values.iter().map(literal));
        }
        if let Some(Value::Array(options)) = object.get("anyOf").or_else(|| object.get("oneOf")) {
            return alternatives(options.iter().map(|option| self.expression(option, depth + 1)));
        }
        match object.get("type") {
            Some(Value::String(kind)) => self.typed(kind, object, depth),
            Some(Value::Array(kinds)) => alternatives(
                kinds.iter().filter_map(Value::as_str).map(|kind| self.typed(kind, object, depth)),
            ),
            _ if object.contains_key("properties") => self.object(object, depth),
            _ if object.contains_key("items") => self.array(object, depth),
            _ => Ok(self.any()),
        }
    }

    fn typed(&mut self, kind: &str, schema: &Map<String, Value>, depth: usize) -> Result<String, String> {
        match kind {
            "object" => self.object(schema, depth),
            "array" => self.array(schema, depth),
            "string" => Ok(self.string(schema)),
            "integer" => Ok(integer(schema)),
            "number" => Ok(self.rule(
                "number",
                r#""-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,3})?"#,
            )),
            "boolean" => Ok(r#"("true" | "false")"#.to_owned()),
            "null" => Ok(r#""null""#.to_owned()),
            other => Err(format!("the JSON schema has the unknown type {other}")),
        }
    }

    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> Result<String, String> {
        let none = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        if properties.is_empty() {
            return Ok(self.any_object());
        }
        let names = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let required: Vec<&str> =
            names.iter().filter_map(Value::as_str).filter(|name| properties.contains_key(*name)).collect();
        let mut member = |name: &str| -> Result<String, String> {
            let value = properties.get(name).unwrap_or(&Value::Bool(true));
            Ok(format!(
                "{} {}",
                quoted(&format!("{}: ", Value::from(name))),
                self.expression(value, depth + 1)?
            ))
        };
        let mut must = Vec::new();
        for name in &required {
            must.push(member(name)?);
        }
        let mut may = Vec::new();
        for name in properties.keys().filter(|name| !required.contains(&name.as_str())) {
            may.push(member(name)?);
        }
        let tail = |members: &[String]| {
            members.iter().map(|member| format!(" (\", \" {member})?")).collect::<String>()
        };
        if !must.is_empty() {
            return Ok(format!(r#""{{" {}{} "}}""#, must.join(" \", \" "), tail(&may)));
        }
        let starts: Vec<String> = may
            .iter()
            .enumerate()
            .map(|(i, m)| format!("{m}{}", tail(may.get(i + 1..).unwrap_or_default())))
            .collect();
        Ok(format!(r#""{{" ({})? "}}""#, starts.join(" | ")))
    }

    fn array(&mut self, schema: &Map<String, Value>, depth: usize) -> Result<String, String> {
        let item = match schema.get("items") {
            Some(items) => self.expression(items, depth + 1)?,
            None => self.any(),
        };
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0);
        let most = schema.get("maxItems").and_then(Value::as_u64);
        if most == Some(0) {
            return Ok(r#""[]""#.to_owned());
        }
        let more = match (least.saturating_sub(1), most) {
            (0, None) => "*".to_owned(),
            (least, None) => format!("{{{least},}}"),
            (least, Some(most)) => format!("{{{least},{}}}", (most - 1).max(least)),
        };
        // A separate rule: llama.cpp unrolls repetitions and limits the size of one.
        let item = self.shared(item);
        let some = format!("{item} (\", \" {item}){more}");
        Ok(if least == 0 { format!(r#""[" ({some})? "]""#) } else { format!(r#""[" {some} "]""#) })
    }

    fn string(&mut self, schema: &Map<String, Value>) -> String {
        let character = self.rule("char", r#"[^"\\\x7F\x00-\x1F] | "\\" (["\\bfnrt/] | "u" [0-9a-fA-F]{4})"#);
        let least = schema.get("minLength").and_then(Value::as_u64).unwrap_or(0).min(LONGEST_STRING);
        let count = match schema.get("maxLength").and_then(Value::as_u64) {
            Some(most) if most <= LONGEST_STRING => format!("{{{least},{}}}", most.max(least)),
            _ if least > 0 => format!("{{{least},}}"),
            _ => "*".to_owned(),
        };
        format!(r#""\"" {character}{count} "\"""#)
    }

    fn reference(&mut self, reference: &str, depth: usize) -> Result<String, String> {
        let pointer =
            reference.strip_prefix('#').ok_or_else(|| format!("the JSON schema refers to {reference}"))?;
        let target = self
            .schema
            .pointer(pointer)
            .ok_or_else(|| format!("the JSON schema refers to {reference}, which it does not hold"))?;
        let name = format!("ref{}", pointer.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        if !self.rules.contains_key(&name) {
            // Inserted before its content is known, so that a schema may refer to itself.
            self.rules.insert(name.clone(), String::new());
            let rule = self.expression(target, depth + 1)?;
            self.rules.insert(name.clone(), rule);
        }
        Ok(name)
    }

    fn any(&mut self) -> String {
        if !self.rules.contains_key("any") {
            self.rules.insert("any".to_owned(), String::new());
            let none = Map::new();
            let string = self.string(&none);
            let object = self.any_object();
            let number = self.rule(
                "number",
                r#""-"? ("0" | [1-9] [0-9]{0,15}) ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,3})?"#,
            );
            let rule = format!(
                r#"{string} | {number} | "true" | "false" | "null" | {object} | "[" (any (", " any)*)? "]""#
            );
            self.rules.insert("any".to_owned(), rule);
        }
        "any".to_owned()
    }

    fn any_object(&mut self) -> String {
        let string = self.string(&Map::new());
        self.any();
        self.rule("any-object", &format!(r#""{{" ({string} ": " any (", " {string} ": " any)*)? "}}""#))
    }

    /// The rule for an expression. Equal expressions share one rule.
    fn shared(&mut self, expression: String) -> String {
        if expression.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return expression;
        }
        let known = self.rules.iter().find(|(name, rule)| name.starts_with("item") && **rule == expression);
        if let Some((name, _)) = known {
            return name.clone();
        }
        let name = format!("item{}", self.rules.len());
        self.rules.insert(name.clone(), expression);
        name
    }

    fn rule(&mut self, name: &str, rule: &str) -> String {
        self.rules.entry(name.to_owned()).or_insert_with(|| rule.to_owned());
        name.to_owned()
    }
}

fn integer(schema: &Map<String, Value>) -> String {
    let bound = |key: &str| schema.get(key).and_then(Value::as_i64);
    if let (Some(least), Some(most)) = (bound("minimum"), bound("maximum"))
        && least <= most
        && most.saturating_sub(least) <= SPELLED_RANGE
    {
        let numbers: Vec<String> = (least..=most).map(|number| format!("\"{number}\"")).collect();
        return format!("({})", numbers.join(" | "));
    }
    let sign = if bound("minimum").is_some_and(|least| least >= 0) { "" } else { "\"-\"? " };
    format!("{sign}(\"0\" | [1-9] [0-9]{{0,15}})")
}

fn alternatives(options: impl Iterator<Item = Result<String, String>>) -> Result<String, String> {
    let options = options.collect::<Result<Vec<_>, _>>()?;
    if options.is_empty() {
        return Err("the JSON schema offers no alternative".to_owned());
    }
    Ok(format!("({})", options.join(" | ")))
}

fn literal(value: &Value) -> Result<String, String> {
    serde_json::to_string(value).map(|text| quoted(&text)).map_err(|error| error.to_string())
}

/// A terminal of GBNF.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(schema: &Value, root: &str) {
        let grammar = schema_to_grammar(schema).unwrap();
        assert_eq!(grammar.lines().next().unwrap(), format!("root ::= {root}"));
    }

    #[test]
    fn simple_types() {
        check(&json!({"type": "boolean"}), r#"("true" | "false")"#);
        check(&json!({"enum": ["a", 1, "q\"x"]}), r#"("\"a\"" | "1" | "\"q\\\"x\"")"#);
        check(&json!({"type": "integer", "minimum": 1, "maximum": 3}), r#"("1" | "2" | "3")"#);
        check(&json!({"type": "string", "maxLength": 5}), r#""\"" char{0,5} "\"""#);
        check(&json!({"type": ["string", "null"]}), r#"("\"" char* "\"" | "null")"#);
    }

    #[test]
    fn objects_follow_the_order_of_required() {
        let schema = json!({
            "type": "object",
            "properties": {"a": {"type": "null"}, "b": {"type": "null"}, "c": {"type": "null"}},
            "required": ["b", "a"],
        });
        check(&schema, r#""{" "\"b\": " "null" ", " "\"a\": " "null" (", " "\"c\": " "null")? "}""#);
    }

    #[test]
    fn arrays_count() {
        let items = json!({"type": "null"});
        check(&json!({"type": "array", "items": items}), r#""[" (item0 (", " item0)*)? "]""#);
        check(
            &json!({"type": "array", "items": items, "minItems": 1, "maxItems": 3}),
            r#""[" item0 (", " item0){0,2} "]""#,
        );
        check(&json!({"type": "array", "items": items, "minItems": 2}), r#""[" item0 (", " item0){1,} "]""#);
    }

    #[test]
    fn references_may_be_recursive() {
        let schema = json!({
            "$ref": "#/$defs/tree",
            "$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
        });
        let grammar = schema_to_grammar(&schema).unwrap();
        assert!(grammar.contains("ref--defs-tree ::= \"[\" (ref--defs-tree ("), "{grammar}");
    }

    #[test]
    fn what_is_no_schema_is_refused() {
        for schema in [json!(3), json!({"type": "colour"}), json!({"$ref": "#/nowhere"}), json!({"enum": []})]
        {
            assert!(schema_to_grammar(&schema).is_err(), "{schema}");
        }
    }
}
