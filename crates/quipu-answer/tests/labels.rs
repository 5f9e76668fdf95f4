//! Rules compared with labels: the field of a question and its time. The labels of times are ours
//! and contain only question ids; the questions are in a data set that may be missing.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "set-up of tests")]

use crate::skip;
use std::collections::BTreeMap;
use std::path::Path;

use quipu_answer::{domain_by_rules, time_frames_with};
use quipu_graph::{Manifest, Service};
use serde_json::Value;

/// The questions by id; `None` if the data set is missing.
fn questions() -> Option<BTreeMap<String, Value>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/crag/questions.dev.jsonl");
    let Ok(text) = std::fs::read_to_string(path) else {
        let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        skip::skip_without(&shared, "the questions of CRAG are missing");
        return None;
    };
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    Some(lines.map(|question| (question["id"].as_str().unwrap().to_owned(), question)).collect())
}

#[test]
fn rules_tell_the_field_of_most_questions_and_err_in_few() {
    let Some(questions) = questions() else { return };
    let manifest = Manifest::read(Manifest::built_in("crag").unwrap(), "crag").unwrap();
    let mut service = Service::default();
    service.domain_words = manifest.domain;
    let mut by_field: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for question in questions.values() {
        let field = question["domain"].as_str().unwrap();
        let counts = by_field.entry(field).or_default();
        counts[0] += 1;
        if let Some(told) = domain_by_rules(question["question"].as_str().unwrap(), &service) {
            counts[1] += 1;
            counts[2] += usize::from(told == field);
        }
    }
    let [all, told, right] =
        by_field.values().fold([0; 3], |sum, c| [sum[0] + c[0], sum[1] + c[1], sum[2] + c[2]]);
    println!("by field (questions, told, right): {by_field:?}");
    println!("rules tell the field of {told} of {all} questions, {right} rightly");
    assert!(told * 10 >= all * 7, "{told} of {all}");
    assert!(right * 100 >= told * 95, "{right} of {told}");
}

/// The day of asking: `02/28/2024, 10:04:54 PT`.
fn asked_on(question: &Value) -> jiff::civil::Date {
    let text = question["query_time"].as_str().unwrap();
    jiff::civil::Date::strptime("%m/%d/%Y", &text[..10]).unwrap()
}

#[test]
fn times_are_resolved_as_a_person_reads_them() {
    let Some(questions) = questions() else { return };
    let manifest = Manifest::read(Manifest::built_in("crag").unwrap(), "crag").unwrap();
    let labels = include_str!("data/time_labels.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let (mut all, mut right) = (0, 0);
    for label in labels {
        let question = &questions[label["id"].as_str().unwrap()];
        let text = question["question"].as_str().unwrap();
        let frames = time_frames_with(text, asked_on(question), manifest.calendar.as_ref());
        let found: Vec<[String; 2]> = frames.iter().map(|f| [f.from.to_string(), f.to.to_string()]).collect();
        let wanted: Vec<[String; 2]> = serde_json::from_value(label["frames"].clone()).unwrap();
        all += 1;
        if found == wanted {
            right += 1;
        } else {
            println!("{text}\n  {found:?}, not {wanted:?}");
        }
    }
    println!("times right in {right} of {all} questions");
    assert!(all == 60 && right * 10 >= all * 9, "{right} of {all}");
}
