//! Fills a form: turns the answer into JSON that satisfies the schema.

use quipu_answer::{Status, Value};
use serde_json::{Map, Value as Json, json};

use super::at;
use super::facts::Facts;
use super::fields::{Meaning, alike, of_answer, of_row};
use super::read::{Kind, Part, Property};
use super::value::{named, scalar};

/// The answer as JSON for the whole schema.
///
/// # Errors
/// The reason why it does not fit.
pub(super) fn whole(root: &Part, facts: &Facts<'_>) -> Result<Json, String> {
    let mut reason = None;
    for way in root.ways() {
        let filled = if way.kinds.contains(&Kind::Object) && !way.properties.is_empty() {
            object(way, facts)
        } else if facts.answered() {
            answer(way, facts, "")
        } else {
            Err(unanswered(facts))
        };
        match filled {
            Ok(json) => return Ok(json),
            Err(why) => reason = reason.or(Some(why)),
        }
    }
    Err(reason.unwrap_or_else(|| "the schema asks for nothing".into()))
}

/// The message for a missing answer that the schema cannot express.
fn unanswered(facts: &Facts<'_>) -> String {
    let answer = &facts.reply.answer;
    answer.reason.as_ref().map_or_else(|| answer.answer.clone(), |why| format!("{} ({why})", answer.answer))
}

fn object(part: &Part, facts: &Facts<'_>) -> Result<Json, String> {
    let meanings: Vec<Option<Meaning>> = part.properties.iter().map(|p| of_answer(&p.name)).collect();
    let says_so = |meaning: &Option<Meaning>| matches!(meaning, Some(Meaning::Status | Meaning::Reason));
    if !facts.answered() && !meanings.iter().any(says_so) {
        return Err(unanswered(facts));
    }
    let columns: Vec<Option<usize>> = part.properties.iter().map(|p| column(facts, &p.name)).collect();
    let has_answer = meanings.iter().flatten().any(|meaning| meaning.is_answer());
    let is_other = |at: &usize| {
        meanings.get(*at).is_some_and(Option::is_none) && columns.get(*at).is_some_and(Option::is_none)
    };
    let others: Vec<usize> = (0..part.properties.len()).filter(is_other).collect();
    // The only unexplained property is the one that the question asks for.
    let asked = match others.as_slice() {
        [one] if !has_answer && columns.iter().all(Option::is_none) => Some(*one),
        _ => None,
    };
    let mut filled = Map::new();
    for (number, property) in part.properties.iter().enumerate() {
        let path = format!("/{}", property.name);
        let meaning = meanings.get(number).copied().flatten();
        let json = match (columns.get(number).copied().flatten(), meaning) {
            (Some(at), _) => of_column(&property.part, facts, at, &path),
            (None, Some(meaning)) => meant(meaning, &property.part, facts, &path),
            (None, None) if asked == Some(number) => asked_for(&property.part, facts, &path),
            (None, None) => Err(at(&path, &format!("the answer has no such column; {}", facts.titles()))),
        };
        put(&mut filled, property, json)?;
    }
    Ok(filled.into())
}

/// Sets the value of a property. A property without a value is omitted if it is optional, else
/// null.
fn put(
    filled: &mut Map<String, Json>,
    property: &Property,
    json: Result<Json, String>,
) -> Result<(), String> {
    let json = match json {
        Ok(json) => json,
        Err(_) if !property.required => return Ok(()),
        Err(_) if property.part.takes(Kind::Null) => Json::Null,
        Err(reason) => return Err(reason),
    };
    filled.insert(property.name.clone(), json);
    Ok(())
}

fn column(facts: &Facts<'_>, name: &str) -> Option<usize> {
    facts.table.columns.iter().position(|title| alike(title, name))
}

/// A column of the whole answer: all its values, or its only value.
fn of_column(part: &Part, facts: &Facts<'_>, column: usize, path: &str) -> Result<Json, String> {
    let cells: Vec<&Value> = facts.table.rows.iter().filter_map(|row| row.get(column)?.as_ref()).collect();
    from_values(part, &cells, facts, path)
}

/// The value for the only property that can hold the question's answer.
fn asked_for(part: &Part, facts: &Facts<'_>, path: &str) -> Result<Json, String> {
    if facts.answered() { answer(part, facts, path) } else { Err(at(path, &unanswered(facts))) }
}

/// The answer itself, as a value, a row, or a list of either.
fn answer(part: &Part, facts: &Facts<'_>, path: &str) -> Result<Json, String> {
    let mut reason = None;
    for way in part.ways() {
        let filled = match &way.items {
            _ if way.kinds.contains(&Kind::Object) && !way.properties.is_empty() => one_row(way, facts, path),
            Some(items) if way.kinds.contains(&Kind::Array) && !items.takes_scalar() => {
                rows(items, facts, path)
            }
            _ => from_values(way, &facts.values.iter().collect::<Vec<_>>(), facts, path),
        };
        match filled {
            Ok(json) => return Ok(json),
            Err(why) => reason = reason.or(Some(why)),
        }
    }
    Err(reason.unwrap_or_else(|| at(path, "the schema asks for nothing")))
}

/// Values as a list, or the only value.
fn from_values(part: &Part, values: &[&Value], facts: &Facts<'_>, path: &str) -> Result<Json, String> {
    let mut reason = None;
    for way in part.ways() {
        let filled = match values {
            _ if way.kinds.contains(&Kind::Array) => {
                let item = |(number, value): (usize, &&Value)| {
                    let path = format!("{path}/{number}");
                    way.items
                        .as_ref()
                        .map_or_else(|| Ok(json!(value.name)), |items| cell(items, value, &path))
                };
                values.iter().enumerate().map(item).collect::<Result<Vec<Json>, _>>().map(Json::Array)
            }
            [one] => cell(way, one, path),
            [] => Err(at(path, &unanswered(facts))),
            several => {
                Err(at(path, &format!("{} values were found, but the schema asks for one", several.len())))
            }
        };
        match filled {
            Ok(json) => return Ok(json),
            Err(why) => reason = reason.or(Some(why)),
        }
    }
    Err(reason.unwrap_or_else(|| at(path, "the schema asks for nothing")))
}

/// One value: plain, or as an object of its name and id.
fn cell(part: &Part, value: &Value, path: &str) -> Result<Json, String> {
    let plain = scalar(part, value).map_err(|why| at(path, &why));
    let as_object =
        part.ways().iter().find(|way| way.kinds.contains(&Kind::Object) && !way.properties.is_empty());
    match (plain, as_object) {
        (Ok(json), _) => Ok(json),
        (Err(why), None) => Err(why),
        (Err(_), Some(way)) => {
            let mut filled = Map::new();
            for property in &way.properties {
                let found = of_row(&property.name).map(|meaning| named(meaning, value));
                let missing =
                    || at(&format!("{path}/{}", property.name), "a value has only a name and an id");
                put(&mut filled, property, found.ok_or_else(missing))?;
            }
            Ok(filled.into())
        }
    }
}

fn one_row(part: &Part, facts: &Facts<'_>, path: &str) -> Result<Json, String> {
    match facts.table.rows.as_slice() {
        [row] => self::row(part, facts, row, path),
        [] => Err(at(path, &unanswered(facts))),
        rows => Err(at(path, &format!("{} rows were found, but the schema asks for one", rows.len()))),
    }
}

/// The rows of the answer's table, as objects or as lists of cells.
fn rows(items: &Part, facts: &Facts<'_>, path: &str) -> Result<Json, String> {
    let mut reason = None;
    for way in items.ways() {
        let each = facts.table.rows.iter().enumerate().map(|(number, row)| {
            let path = format!("{path}/{number}");
            if way.kinds.contains(&Kind::Object) && !way.properties.is_empty() {
                return self::row(way, facts, row, &path);
            }
            let cell = |value: &Option<Value>| match (value, &way.items) {
                (None, _) => Ok(Json::Null),
                (Some(value), None) => Ok(json!(value.name)),
                (Some(value), Some(part)) => self::cell(part, value, &path),
            };
            if way.kinds.contains(&Kind::Array) {
                return row.iter().map(cell).collect::<Result<Vec<_>, _>>().map(Json::Array);
            }
            match row.iter().flatten().next() {
                Some(value) => self::cell(way, value, &path),
                None => Err(at(&path, "the graph states no value")),
            }
        });
        match each.collect::<Result<Vec<Json>, String>>() {
            Ok(rows) => return Ok(rows.into()),
            Err(why) => reason = reason.or(Some(why)),
        }
    }
    Err(reason.unwrap_or_else(|| at(path, "the schema asks for nothing")))
}

/// A row as an object whose properties are columns.
fn row(part: &Part, facts: &Facts<'_>, row: &[Option<Value>], path: &str) -> Result<Json, String> {
    let alone = part.properties.len() == 1 && facts.table.columns.len() == 1;
    let mut filled = Map::new();
    for property in &part.properties {
        let path = format!("{path}/{}", property.name);
        let about = row.first().and_then(Option::as_ref);
        let json = match (column(facts, &property.name), of_row(&property.name)) {
            (Some(column), _) => match row.get(column).and_then(Option::as_ref) {
                Some(value) => cell(&property.part, value, &path),
                None => Err(at(&path, "the graph states no value")),
            },
            (None, Some(Meaning::Key)) => match about.and_then(|value| value.key.as_ref()) {
                Some(key) => Ok(json!(key)),
                None => Err(at(&path, "the row has no entity with an id")),
            },
            (None, meaning) if alone || meaning == Some(Meaning::Name) => match about {
                Some(value) => cell(&property.part, value, &path),
                None => Err(at(&path, "the graph states no value")),
            },
            (None, _) => Err(at(&path, &format!("the answer has no such column; {}", facts.titles()))),
        };
        put(&mut filled, property, json)?;
    }
    Ok(filled.into())
}

/// The value of a property by the meaning of its name.
fn meant(meaning: Meaning, part: &Part, facts: &Facts<'_>, path: &str) -> Result<Json, String> {
    let answer = &facts.reply.answer;
    let text = |text: &str| {
        let said = Value { key: Some(String::new()), name: text.to_owned(), datatype: None };
        scalar(part, &said).map_err(|why| at(path, &why))
    };
    let fits = |json: Json, kind: Kind, what: &str| {
        if part.takes(kind) { Ok(json) } else { Err(at(path, &format!("Quipu gives {what} here"))) }
    };
    match meaning {
        Meaning::Answer => in_words(part, facts, path),
        Meaning::Answers if facts.answered() => self::answer(part, facts, path),
        Meaning::Rows if facts.answered() => match part.ways().iter().find_map(|way| way.items.as_deref()) {
            Some(items) => rows(items, facts, path),
            None => self::answer(part, facts, path),
        },
        Meaning::Answers | Meaning::Rows => fits(json!([]), Kind::Array, "a list of values"),
        Meaning::Columns => fits(json!(facts.table.columns), Kind::Array, "a list of titles"),
        Meaning::Evidence => evidence(part, facts, path),
        Meaning::Sources if part.takes(Kind::Array) => Ok(json!(facts.sources())),
        Meaning::Sources => text(&facts.sources().join(", ")),
        Meaning::Confidence => fits(json!(answer.confidence), Kind::Number, "a number from 0 to 1"),
        Meaning::Grounded => fits(json!(answer.grounded), Kind::Boolean, "true or false"),
        Meaning::Status => text(match answer.status {
            Status::Answered => "answered",
            Status::Abstained => "abstained",
            Status::InvalidQuestion => "invalid_question",
        }),
        Meaning::Reason => match &answer.reason {
            Some(reason) => text(reason),
            None if part.takes(Kind::Null) => Ok(Json::Null),
            None => text(""),
        },
        Meaning::Reading => text(&facts.reading()),
        Meaning::Question => text(&answer.question),
        Meaning::Name | Meaning::Key => Err(at(path, "only a row has this field")),
    }
}

/// The answer as one value if there is one, else as a sentence.
fn in_words(part: &Part, facts: &Facts<'_>, path: &str) -> Result<Json, String> {
    let words = json!(facts.reply.answer.answer);
    match (facts.answered(), part.takes(Kind::Null), part.takes(Kind::String)) {
        (false, true, _) => Ok(Json::Null),
        (false, false, true) => Ok(words),
        (false, false, false) => Err(unanswered(facts)),
        (true, ..) => match answer(part, facts, path) {
            Err(_) if part.takes(Kind::String) => Ok(words),
            filled => filled,
        },
    }
}

/// The citations: as sentences, or as objects with the fields of evidence.
fn evidence(part: &Part, facts: &Facts<'_>, path: &str) -> Result<Json, String> {
    let sentences: Vec<&str> = facts.reply.cited.citations.iter().map(|c| c.sentence.as_str()).collect();
    let Some(way) = part.ways().iter().find(|way| way.kinds.contains(&Kind::Array)) else {
        let joined = sentences.join("\n");
        return if part.takes(Kind::String) {
            Ok(joined.into())
        } else {
            Err(at(path, "Quipu gives a list here"))
        };
    };
    let object = way.items.as_ref().and_then(|items| {
        items.ways().iter().find(|way| way.kinds.contains(&Kind::Object) && !way.properties.is_empty())
    });
    match object {
        Some(object) if !way.items.as_ref().is_some_and(|items| items.takes(Kind::String)) => {
            let piece = |fields: Map<String, Json>| {
                let mut filled = Map::new();
                for property in &object.properties {
                    let found = fields.get(&property.name).cloned();
                    let missing = || at(&format!("{path}/{}", property.name), "evidence has no such field");
                    put(&mut filled, property, found.ok_or_else(missing))?;
                }
                Ok(Json::Object(filled))
            };
            facts.cited().into_iter().map(piece).collect::<Result<Vec<_>, String>>().map(Json::Array)
        }
        _ => Ok(json!(sentences)),
    }
}
