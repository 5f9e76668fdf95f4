//! Sample answers for tests of rendering.

use quipu_answer::{Answer, AnswerTable, AnswerUsage, Evidence, Reading, Status, Value};

use crate::app::Reply;
use crate::cite::{Citation, Cited, Piece};
use crate::markdown::markdown;
use crate::trust::Trust;

/// A grounded answer with these values.
pub(crate) fn answered(values: &[&str]) -> Answer {
    let evidence: Vec<Evidence> = values
        .iter()
        .map(|value| Evidence::triple("geo", ["Peru", "town", value], ["p", "t", value]))
        .collect();
    Answer {
        question: "Which towns are in Peru?".into(),
        status: Status::Answered,
        answer: values.join(", "),
        answers: values.iter().map(|value| (*value).to_owned()).collect(),
        table: None,
        readings: Vec::new(),
        grounded: true,
        confidence: 0.9,
        method: "query".into(),
        llm: "small".into(),
        ranked: Vec::new(),
        citations: evidence.iter().map(|piece| piece.id.clone()).collect(),
        evidence,
        usage: AnswerUsage::default(),
        notes: Vec::new(),
        reason: None,
        trace: None,
    }
}

/// A reading in these words, with a confidence of 0.72.
pub(crate) fn reading(words: &str) -> Reading {
    Reading { words: words.into(), confidence: 0.72, ..Reading::default() }
}

/// A table of entities whose keys are their names; an empty text means a missing value.
pub(crate) fn table(columns: &[&str], rows: &[&[&str]]) -> AnswerTable {
    let cell = |name: &&str| (!name.is_empty()).then(|| value(name, name));
    AnswerTable {
        columns: columns.iter().map(|title| (*title).to_owned()).collect(),
        rows: rows.iter().map(|row| row.iter().map(cell).collect()).collect(),
        ordered: false,
        left_out: 0,
    }
}

/// An entity.
pub(crate) fn value(key: &str, name: &str) -> Value {
    Value { key: Some(key.into()), name: name.into(), datatype: None }
}

/// An answer as the surfaces receive it; it cites its first piece of evidence.
pub(crate) fn reply(answer: Answer) -> Reply {
    let citation = |piece: &Evidence| Citation::new(1, piece.id.clone(), piece.to_line());
    let citations = answer.evidence.first().map(citation).into_iter().collect();
    let pieces = vec![Piece::Words(answer.answer.clone())];
    let cited = Cited { text: answer.answer.clone(), citations, pieces };
    let markdown = markdown(&cited, &answer, 0);
    let (trust, failures) = (Trust::of(&answer), Vec::new());
    let (sentences, shown) = (Vec::new(), None);
    Reply { workspace: "geo".into(), cited, sentences, markdown, shown, trust, failures, answer }
}

/// Towns with their populations, read in two ways, the first of which is doubtful.
pub(crate) fn towns() -> Answer {
    let people = |number: &str| Some(Value { name: number.into(), ..Value::default() });
    let rows = [("Lima", "10092000"), ("Cusco", "428000")];
    let row = |(town, number): (&str, &str)| vec![Some(value(town, town)), people(number)];
    let columns = ["town", "people"].map(str::to_owned).into();
    let table = AnswerTable { columns, rows: rows.map(row).into(), ordered: true, left_out: 3 };
    let first = Reading {
        confidence: 0.41,
        sparql: Some("SELECT ?town ?people WHERE { ?town <people> ?people }".into()),
        ..reading("the towns of Peru, the largest first")
    };
    let readings =
        vec![first, Reading { values: vec!["Caral".into()], ..reading("the oldest towns of Peru") }];
    Answer { table: Some(table), readings, ..answered(&["Lima", "Cusco"]) }
}
