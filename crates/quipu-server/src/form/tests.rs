//! Tests of answers in clients' forms.

use quipu_answer::{Answer, Status, Value};
use serde_json::{Value as Json, json};

use super::*;
use crate::sample::{answered, reply, towns};

fn object(properties: Json) -> Json {
    let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
    json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false })
}

#[track_caller]
fn check(schema: &Json, answer: Answer, expected: Json) {
    let form = Form::read(schema).unwrap();
    assert_eq!(form.fill(&reply(answer)), Ok(expected), "{schema}");
}

#[track_caller]
fn refused(schema: &Json, answer: Answer, expected: &str) {
    let reason = Form::read(schema).unwrap().fill(&reply(answer)).unwrap_err();
    assert!(reason.contains(expected), "{reason}");
}

#[track_caller]
fn impossible(schema: &Json, expected: &str) {
    let reason = Form::read(schema).unwrap_err();
    assert!(reason.contains(expected), "{reason}");
}

fn number(text: &str) -> Answer {
    let table = crate::sample::table(&["people"], &[&[""]]);
    let mut answer = Answer { table: Some(table), ..answered(&[text]) };
    answer.table.as_mut().unwrap().rows[0][0] = Some(Value { name: text.into(), ..Value::default() });
    answer
}

fn unknown() -> Answer {
    Answer {
        status: Status::Abstained,
        answer: "I don't know.".into(),
        reason: Some("the graph has no such thing".into()),
        ..answered(&[])
    }
}

#[test]
fn what_a_property_means_is_said_by_its_name() {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    let schema = object(json!({
        "answer": text, "answers": texts, "evidence": texts, "confidence": { "type": "number" },
        "grounded": { "type": "boolean" }, "status": { "enum": ["answered", "abstained"] },
        "sources": texts, "question": text, "reason": { "type": ["string", "null"] },
    }));
    let expected = json!({
        "answer": "Lima", "answers": ["Lima"], "evidence": ["Peru | town | Lima"], "confidence": 0.9,
        "grounded": true, "status": "answered", "sources": ["geo"], "question": "Which towns are in Peru?",
        "reason": null,
    });
    check(&schema, answered(&["Lima"]), expected);
}

#[test]
fn the_only_property_that_nothing_else_explains_is_what_is_asked_for() {
    let towns = object(json!({ "towns": { "type": "array", "items": { "type": "string" } } }));
    check(&towns, answered(&["Lima", "Cusco"]), json!({ "towns": ["Lima", "Cusco"] }));
    let capital = object(json!({ "capital": { "type": "string" }, "confidence": { "type": "number" } }));
    check(&capital, answered(&["Lima"]), json!({ "capital": "Lima", "confidence": 0.9 }));
    refused(
        &capital,
        answered(&["Lima", "Cusco"]),
        "/capital: 2 values were found, but the schema asks for one",
    );
    let people = object(json!({ "how_many": { "type": "integer" } }));
    check(&people, number("10092000"), json!({ "how_many": 10_092_000 }));
    refused(&people, answered(&["Lima"]), "/how_many: “Lima” is not a whole number");
    let is_it = object(json!({ "is_it": { "type": "boolean" } }));
    check(&is_it, answered(&["no"]), json!({ "is_it": false }));
}

#[test]
fn columns_are_found_by_their_titles() {
    let row = object(json!({ "town": { "type": "string" }, "people": { "type": "integer" } }));
    let expected = json!([{ "town": "Lima", "people": 10_092_000 }, { "town": "Cusco", "people": 428_000 }]);
    for name in ["rows", "answers", "large_towns"] {
        let schema = object(json!({ name: { "type": "array", "items": row } }));
        check(&schema, towns(), json!({ name: expected }));
    }
    check(&json!({ "type": "array", "items": row }), towns(), expected);
    let columns = object(json!({
        "towns": { "type": "array", "items": { "type": "string" } },
        "People": { "type": "array", "items": { "type": "number" } },
    }));
    check(&columns, towns(), json!({ "towns": ["Lima", "Cusco"], "People": [10_092_000, 428_000] }));
    let cells = object(json!({ "rows": { "type": "array", "items": { "type": "array" } } }));
    check(&cells, towns(), json!({ "rows": [["Lima", "10092000"], ["Cusco", "428000"]] }));
}

#[test]
fn a_row_has_a_name_and_an_id_besides() {
    let row = object(json!({ "name": { "type": "string" }, "id": { "type": "string" }, "people": {} }));
    let schema = object(json!({ "items": { "type": "array", "items": row } }));
    let expected = json!([{ "name": "Lima", "id": "Lima", "people": 10_092_000 },
        { "name": "Cusco", "id": "Cusco", "people": 428_000 }]);
    check(&schema, towns(), json!({ "items": expected }));
    let mut one = towns();
    one.table.as_mut().unwrap().rows.truncate(1);
    let single = object(json!({ "town": { "type": "string" }, "people": { "type": "integer" } }));
    check(&single, one, json!({ "town": "Lima", "people": 10_092_000 }));
}

#[test]
fn what_the_answer_lacks_is_left_out_null_or_refused() {
    let row = json!({ "type": "object", "required": ["town", "mayor"],
        "properties": { "town": { "type": "string" }, "mayor": { "type": "string" } } });
    let schema = object(json!({ "rows": { "type": "array", "items": row } }));
    refused(&schema, towns(), "/rows/0/mayor: the answer has no such column; it has “town”, “people”");
    let mut optional = row.clone();
    optional["required"] = json!(["town"]);
    let schema = json!({ "type": "array", "items": optional });
    check(&schema, towns(), json!([{ "town": "Lima" }, { "town": "Cusco" }]));
    let mut nullable = row;
    nullable["properties"]["mayor"] = json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] });
    let expected = json!([{ "town": "Lima", "mayor": null }, { "town": "Cusco", "mayor": null }]);
    check(&json!({ "type": "array", "items": nullable }), towns(), expected);
}

#[test]
fn references_are_followed() {
    let schema = json!({
        "$defs": { "Town": object(json!({ "town": { "type": "string" } })) },
        "type": "object", "properties": { "rows": { "type": "array", "items": { "$ref": "#/$defs/Town" } } },
        "required": ["rows"],
    });
    check(&schema, towns(), json!({ "rows": [{ "town": "Lima" }, { "town": "Cusco" }] }));
}

#[test]
fn evidence_comes_as_objects_where_that_is_asked_for() {
    let piece =
        object(json!({ "head": { "type": "string" }, "relation": {}, "tail": {}, "id": {}, "sentence": {} }));
    let schema =
        object(json!({ "answer": { "type": "string" }, "evidence": { "type": "array", "items": piece } }));
    let form = Form::read(&schema).unwrap();
    let filled = form.fill(&reply(answered(&["Lima"]))).unwrap();
    assert_eq!(filled["evidence"][0]["head"], "Peru");
    assert_eq!(filled["evidence"][0]["sentence"], "Peru | town | Lima");
}

#[test]
fn the_whole_is_held_against_the_schema() {
    let short = object(json!({ "town": { "type": "string", "maxLength": 3 } }));
    refused(&short, answered(&["Lima"]), "/town: ");
    let dated = object(json!({ "day": { "type": "string", "format": "date" } }));
    check(&dated, number("2012-02-28"), json!({ "day": "2012-02-28" }));
    refused(&dated, answered(&["Lima"]), "/day: ");
    let two = object(json!({ "towns": { "type": "array", "items": { "type": "string" }, "minItems": 2 } }));
    refused(&two, answered(&["Lima"]), "/towns: ");
    // A pattern that takes a backtracking engine forever.
    let evil = object(json!({ "town": { "type": "string", "pattern": "^(a+)+$" } }));
    refused(&evil, answered(&[&format!("{}b", "a".repeat(10_000))]), "/town: ");
}

#[test]
fn where_nothing_is_known_only_a_schema_with_room_for_that_is_filled() {
    let bare = object(json!({ "towns": { "type": "array", "items": { "type": "string" } } }));
    refused(&bare, unknown(), "I don't know. (the graph has no such thing)");
    let roomy = object(json!({
        "status": { "type": "string" }, "answer": { "type": ["string", "null"] }, "reason": { "type": "string" },
        "answers": { "type": "array", "items": { "type": "string" } },
    }));
    let expected = json!({ "status": "abstained", "answer": null, "reason": "the graph has no such thing", "answers": [] });
    check(&roomy, unknown(), expected);
}

#[test]
fn schemas_that_no_answer_could_meet_are_refused_with_the_place() {
    impossible(&json!({ "type": "colour" }), "\"colour\" is not a type");
    impossible(
        &json!({ "type": "object", "properties": { "x": false }, "required": ["x"] }),
        "/properties/x",
    );
    impossible(
        &json!({ "type": "object", "properties": {}, "required": ["x"] }),
        "required and not described",
    );
    impossible(&json!({ "$ref": "https://example.org/schema" }), "leads to nothing");
    impossible(
        &json!({ "$defs": { "a": { "$ref": "#/$defs/a" } }, "$ref": "#/$defs/a" }),
        "refers to itself",
    );
    impossible(&json!({ "patternProperties": {} }), "`patternProperties`");
    impossible(&json!({ "allOf": [{}, {}] }), "`allOf`");
    let list = json!({ "type": "array", "items": { "type": "array", "items": { "type": "array" } } });
    impossible(&list, "a row cannot hold a list");
    let inner = object(json!({ "street": { "type": "string" } }));
    impossible(&object(json!({ "name": { "type": "string" }, "address": inner })), "/address");
    impossible(&json!({ "type": "string", "pattern": "(" }), "");
    // Each reference doubles the number of parts.
    let mut defs = serde_json::Map::new();
    for level in 0..14 {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        defs.insert(format!("d{level}"), json!({ "type": "object", "properties": { "a": next, "b": next } }));
    }
    defs.insert("d14".into(), json!({ "type": "string" }));
    impossible(&json!({ "$defs": defs, "$ref": "#/$defs/d0" }), "too large");
}
