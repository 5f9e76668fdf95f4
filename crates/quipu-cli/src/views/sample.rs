//! An answer for the tests of the views.

use quipu_answer::{Answer, AnswerUsage, Evidence, Status};

use super::{View, print_answer};

/// The capital of Peru, from two triples.
pub(super) fn answer() -> Answer {
    let triple =
        |relation: &str, tail: &str| Evidence::triple("geo", ["Peru", relation, tail], ["p", "r", tail]);
    let evidence = vec![triple("continent", "South America"), triple("capital", "Lima")];
    Answer {
        question: "What is the capital of Peru?".into(),
        status: Status::Answered,
        answer: "The capital of Peru is Lima.".into(),
        answers: vec!["Lima".into()],
        table: None,
        readings: Vec::new(),
        grounded: true,
        confidence: 0.9,
        method: "kerag".into(),
        ranked: Vec::new(),
        llm: "small".into(),
        citations: vec![evidence[1].id.clone()],
        evidence,
        usage: AnswerUsage {
            llm_calls: 2,
            prompt_tokens: 1200,
            completion_tokens: 34,
            seconds: 1.25,
            ..AnswerUsage::default()
        },
        reason: None,
        notes: Vec::new(),
        trace: None,
    }
}

/// The answer as printed into a pipe.
pub(super) fn shown(answer: &Answer) -> String {
    let mut out = Vec::new();
    print_answer(answer, View::default(), &mut out).unwrap();
    plain(out)
}

/// The output without styles.
pub(super) fn plain(out: Vec<u8>) -> String {
    anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
}
