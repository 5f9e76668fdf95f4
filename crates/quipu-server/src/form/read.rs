//! Parses a JSON schema into parts that can be filled, and refuses the rest.

use serde_json::{Map, Value};

use super::at;
use super::fields::{of_answer, of_row};

/// Most parts of a schema with its references resolved.
const MOST_PARTS: usize = 500;
/// Deepest nesting of parts.
const DEEPEST: usize = 16;
/// Keywords that only trial could satisfy. Schemas generated from clients' types do not use them.
const UNSUPPORTED: [&str; 19] = [
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependentRequired",
    "dependencies",
    "patternProperties",
    "propertyNames",
    "prefixItems",
    "additionalItems",
    "contains",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicRef",
    "$recursiveRef",
    "$id",
    "$anchor",
    "$dynamicAnchor",
];

/// A kind of JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

const ALL: [Kind; 7] =
    [Kind::Null, Kind::Boolean, Kind::Integer, Kind::Number, Kind::String, Kind::Array, Kind::Object];

impl Kind {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::String,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }

    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if number.is_f64() => Self::Number,
            Value::Number(_) => Self::Integer,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }
}

/// The permitted content of a place in a schema.
#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    /// The kinds of values.
    pub(super) kinds: Vec<Kind>,
    /// The only permitted values, if the schema lists them.
    pub(super) options: Option<Vec<Value>>,
    /// The items of a list; anything if the schema does not restrict them.
    pub(super) items: Option<Box<Part>>,
    /// The properties of an object.
    pub(super) properties: Vec<Property>,
    /// Alternatives, one of which suffices.
    pub(super) choices: Vec<Part>,
}

/// A property of an object.
#[derive(Debug, Clone)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) required: bool,
    pub(super) part: Part,
}

impl Part {
    /// The alternatives, or the part itself.
    pub(super) fn ways(&self) -> &[Part] {
        if self.choices.is_empty() { std::slice::from_ref(self) } else { &self.choices }
    }

    pub(super) fn takes(&self, kind: Kind) -> bool {
        self.ways().iter().any(|way| {
            way.kinds.contains(&kind) || (kind == Kind::Integer && way.kinds.contains(&Kind::Number))
        })
    }

    /// Whether it accepts a single value.
    pub(super) fn takes_scalar(&self) -> bool {
        [Kind::Boolean, Kind::Integer, Kind::String].iter().any(|kind| self.takes(*kind))
    }
}

/// Reads a schema into parts.
///
/// # Errors
/// The unsupported keyword or value, with its place in the schema.
pub(super) fn part(schema: &Value) -> Result<Part, String> {
    Reader { root: schema, parts: 0 }.part(schema, "", 0)
}

struct Reader<'a> {
    root: &'a Value,
    parts: usize,
}

impl Reader<'_> {
    fn part(&mut self, schema: &Value, path: &str, depth: usize) -> Result<Part, String> {
        self.parts += 1;
        if self.parts > MOST_PARTS || depth > DEEPEST {
            return Err(at(path, "the schema is too large, or refers to itself"));
        }
        let fields = match schema {
            Value::Object(fields) => fields,
            Value::Bool(true) => return Ok(Part { kinds: ALL.to_vec(), ..Part::default() }),
            Value::Bool(false) => return Err(at(path, "nothing satisfies the schema `false`")),
            _ => return Err(at(path, "a schema is an object")),
        };
        if let Some(keyword) = UNSUPPORTED.iter().find(|keyword| fields.contains_key(**keyword)) {
            return Err(at(path, &format!("the keyword `{keyword}` is not supported")));
        }
        if let Some(target) = fields.get("$ref") {
            return self.referred(target, path, depth);
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            if let Some(list) = fields.get(keyword) {
                return self.choices(keyword, list, path, depth);
            }
        }
        let properties = self.properties(fields, path, depth)?;
        let items = match fields.get("items") {
            Some(items) => Some(Box::new(self.part(items, &format!("{path}/items"), depth + 1)?)),
            None => None,
        };
        let options = match (fields.get("const"), fields.get("enum")) {
            (Some(value), _) => Some(vec![value.clone()]),
            (None, Some(Value::Array(values))) => Some(values.clone()),
            (None, _) => None,
        };
        let kinds = kinds(fields, options.as_deref(), path)?;
        Ok(Part { kinds, options, items, properties, choices: Vec::new() })
    }

    fn referred(&mut self, target: &Value, path: &str, depth: usize) -> Result<Part, String> {
        let pointer = target.as_str().and_then(|target| target.strip_prefix('#'));
        let found = pointer.filter(|pointer| !pointer.contains('%')).and_then(|p| self.root.pointer(p));
        let Some(found) = found else {
            return Err(at(path, &format!("the reference {target} leads to nothing in this schema")));
        };
        self.part(found, path, depth + 1)
    }

    fn choices(&mut self, keyword: &str, list: &Value, path: &str, depth: usize) -> Result<Part, String> {
        let list = list.as_array().filter(|list| !list.is_empty());
        let list = list.ok_or_else(|| at(path, &format!("`{keyword}` is a list of schemas")))?;
        if keyword == "allOf" && list.len() > 1 {
            return Err(at(path, "`allOf` of more than one schema is not supported"));
        }
        let mut choices = Vec::new();
        for (number, schema) in list.iter().enumerate() {
            let part = self.part(schema, &format!("{path}/{keyword}/{number}"), depth + 1)?;
            choices.extend_from_slice(part.ways());
        }
        Ok(Part { choices, ..Part::default() })
    }

    fn properties(
        &mut self,
        fields: &Map<String, Value>,
        path: &str,
        depth: usize,
    ) -> Result<Vec<Property>, String> {
        let required: Vec<&str> = fields
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let described = fields.get("properties").and_then(Value::as_object);
        let mut properties = Vec::new();
        for (name, schema) in described.into_iter().flatten() {
            let part = self.part(schema, &format!("{path}/properties/{name}"), depth + 1)?;
            properties.push(Property {
                name: name.clone(),
                required: required.contains(&name.as_str()),
                part,
            });
        }
        let unknown = required.iter().find(|name| !properties.iter().any(|p| p.name == **name));
        match unknown {
            Some(name) => Err(at(path, &format!("the property {name:?} is required and not described"))),
            None => Ok(properties),
        }
    }
}

fn kinds(fields: &Map<String, Value>, options: Option<&[Value]>, path: &str) -> Result<Vec<Kind>, String> {
    let named = |name: &Value| {
        let kind = name.as_str().and_then(Kind::named);
        kind.ok_or_else(|| at(path, &format!("{name} is not a type of JSON schema")))
    };
    match (fields.get("type"), options) {
        (Some(Value::Array(names)), _) => names.iter().map(named).collect(),
        (Some(name), _) => Ok(vec![named(name)?]),
        (None, Some(options)) => Ok(options.iter().map(Kind::of).collect()),
        (None, None) if fields.contains_key("properties") => Ok(vec![Kind::Object]),
        (None, None) if fields.contains_key("items") => Ok(vec![Kind::Array]),
        (None, None) => Ok(ALL.to_vec()),
    }
}

/// Refuses a schema that no answer could satisfy.
///
/// # Errors
/// The impossible part, with its place in the described JSON.
pub(super) fn check(root: &Part) -> Result<(), String> {
    one_of_the_ways(root, |way| {
        if !way.kinds.contains(&Kind::Object) {
            return values(way, "");
        }
        let meanings = way.properties.iter().map(|property| of_answer(&property.name));
        let has_answer = meanings.clone().flatten().any(super::fields::Meaning::is_answer);
        let others = meanings.filter(Option::is_none).count();
        for property in &way.properties {
            let path = format!("/{}", property.name);
            let checked = match of_answer(&property.name) {
                // Columns are unknown yet, so this accepts any.
                Some(_) => Ok(()),
                None if others == 1 && !has_answer => values(&property.part, &path),
                None => column(&property.part, &path),
            };
            if property.required {
                checked?;
            }
        }
        Ok(())
    })
}

fn one_of_the_ways(part: &Part, check: impl Fn(&Part) -> Result<(), String>) -> Result<(), String> {
    let mut first = None;
    for way in part.ways() {
        match check(way) {
            Ok(()) => return Ok(()),
            Err(reason) => first = first.or(Some(reason)),
        }
    }
    first.map_or(Ok(()), Err)
}

/// The place of the answer itself: a value, a row, or a list of either.
fn values(part: &Part, path: &str) -> Result<(), String> {
    one_of_the_ways(part, |way| match &way.items {
        _ if way.takes_scalar() => Ok(()),
        _ if way.kinds.contains(&Kind::Object) => row(way, path),
        Some(items) if items.takes_scalar() => Ok(()),
        Some(items) => one_of_the_ways(items, |way| match &way.items {
            _ if way.kinds.contains(&Kind::Object) => row(way, path),
            Some(cells) => cell(cells, path),
            None => Ok(()),
        }),
        None => Ok(()),
    })
}

/// A column of the whole answer: its values, or its only value.
fn column(part: &Part, path: &str) -> Result<(), String> {
    one_of_the_ways(part, |way| match &way.items {
        Some(items) if !way.takes_scalar() => cell(items, path),
        _ => cell_or_list(way, path),
    })
}

fn cell_or_list(part: &Part, path: &str) -> Result<(), String> {
    if part.kinds.contains(&Kind::Array) { Ok(()) } else { cell(part, path) }
}

fn row(part: &Part, path: &str) -> Result<(), String> {
    for property in part.properties.iter().filter(|property| property.required) {
        cell(&property.part, &format!("{path}/{}", property.name))?;
    }
    Ok(())
}

/// A place for one value, or for an object of its name and id.
fn cell(part: &Part, path: &str) -> Result<(), String> {
    one_of_the_ways(part, |way| {
        if way.takes_scalar() || way.kinds.contains(&Kind::Null) {
            return Ok(());
        }
        if !way.kinds.contains(&Kind::Object) {
            return Err(at(path, "a row cannot hold a list: each of its columns has one value"));
        }
        let other = way.properties.iter().find(|p| p.required && of_row(&p.name).is_none());
        other.map_or(Ok(()), |property| {
            let reason = "an object within a row holds nothing but the name and the id of a value";
            Err(at(&format!("{path}/{}", property.name), reason))
        })
    })
}
