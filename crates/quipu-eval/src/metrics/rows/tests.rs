use quipu_answer::AnswerTable;
use serde_json::{Value as Json, json};

use super::*;
use crate::skip::skip_without;

/// A question with a table, in the form of a question file; `aliases` are further accepted cells.
fn question(table: &Json, aliases: &Json) -> GoldQuestion {
    let text = |cell: &Json| match cell {
        Json::Null => None,
        Json::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    let rows = |rows: &Json| -> Vec<Vec<Option<String>>> {
        let row = |row: &Json| row.as_array().unwrap().iter().map(text).collect();
        rows.as_array().unwrap().iter().map(row).collect()
    };
    let table = rows(table);
    GoldQuestion {
        id: "1".into(),
        question: "What are the top rows?".into(),
        answers: table.iter().map(|row| row[0].clone().unwrap()).collect(),
        aliases: rows(aliases).into_iter().map(|row| row.into_iter().flatten().collect()).collect(),
        table,
        ..GoldQuestion::default()
    }
}

fn names(question: &GoldQuestion) -> Vec<GoldAnswer> {
    question.answers.iter().map(GoldAnswer::named).collect()
}

/// A table of texts and numbers; a pair is an entity with name and key.
fn given(rows: &Json) -> GivenTable {
    let cell = |cell: &Json| match cell {
        Json::Null => None,
        Json::String(text) => Some(GivenCell::new(text, Vec::new())),
        Json::Array(pair) => {
            Some(GivenCell::new(pair[0].as_str().unwrap(), vec![pair[1].as_str().unwrap().to_owned()]))
        }
        other => Some(GivenCell::new(&other.to_string(), Vec::new())),
    };
    let row = |row: &Json| row.as_array().unwrap().iter().map(cell).collect();
    GivenTable::of_rows(rows.as_array().unwrap().iter().map(row).collect())
}

/// Strict F1, lenient F1 and the equality of the tables, in hundredths.
fn scores(question: &GoldQuestion, rows: &Json) -> [i64; 3] {
    let score = GoldTable::of(question, &names(question)).score(&given(rows));
    #[expect(clippy::cast_possible_truncation, reason = "hundredths")]
    [score.f1, score.lenient, score.exact].map(|score| (score * 100.0).round() as i64)
}

#[track_caller]
fn check(question: &GoldQuestion, rows: &Json, expected: [i64; 3]) {
    assert_eq!(scores(question, rows), expected, "{rows}");
}

fn citations() -> GoldQuestion {
    question(
        &json!([["Larry Summers", 6], ["Ashish Vaswani", 3], ["Noam Shazeer", 0]]),
        &json!([["Larry Summers", "6", "1"], ["Ashish Vaswani", "3", "2"], ["Noam Shazeer", "0", "3"]]),
    )
}

#[test]
fn a_row_needs_its_key_and_its_measures() {
    let q = citations();
    check(&q, &json!([["Larry Summers", 6], ["ashish vaswani", "3"], ["Noam Shazeer", 0]]), [100, 100, 100]);
    check(&q, &json!([[6, "Larry Summers"], [3, "Ashish Vaswani"], [0, "Noam Shazeer"]]), [100, 100, 100]);
    check(&q, &json!([[1, 6], [2, 3], [3, 0]]), [100, 100, 100]);
    // The keys alone are right leniently, and so are keys with other numbers.
    check(&q, &json!([["Larry Summers"], ["Ashish Vaswani"], ["Noam Shazeer"]]), [0, 100, 0]);
    check(&q, &json!([["Larry Summers", 7], ["Ashish Vaswani", 9], ["Noam Shazeer", 8]]), [0, 100, 0]);
    // A name with another row's measure is no match.
    check(&q, &json!([["Ada Lovelace", 6], ["Alan Turing", 3]]), [0, 0, 0]); // 3 is an id, too
    check(&q, &json!([[6], [4]]), [0, 0, 0]);
    check(&q, &json!([]), [0, 0, 0]);
}

#[test]
fn shares_of_rows_are_precision_and_recall() {
    let q = citations();
    check(&q, &json!([["Larry Summers", 6]]), [50, 50, 0]);
    check(&q, &json!([["Larry Summers", 6], ["Ada Lovelace", 6]]), [40, 40, 0]);
    // One row of three has another number.
    check(&q, &json!([["Larry Summers", 6], ["Ashish Vaswani", 4], ["Noam Shazeer", 0]]), [67, 100, 0]);
    // A gold row is used once, strictly; leniently every row that names it is right.
    check(&q, &json!([["Larry Summers", 6], ["Larry Summers", 6]]), [40, 50, 0]);
}

#[test]
fn one_column_that_is_nowhere_in_the_gold_table_explains() {
    let q = question(&json!([["Lima"], ["Quito"]]), &json!([["Lima", "1"], ["Quito", "2"]]));
    check(&q, &json!([["Lima"], ["Quito"]]), [100, 100, 100]);
    check(&q, &json!([["Lima", 10.5], ["Quito", 2.5]]), [100, 100, 100]);
    check(&q, &json!([["Lima", 1], ["Quito", 2]]), [100, 100, 100]);
    check(&q, &json!([["Lima", 10.5, "coast"], ["Quito", 2.5, "Andes"]]), [0, 100, 0]);
    // A column that belongs to the table must be right in each row.
    let q = question(&json!([["C1", "Ada"], ["C2", "Alan"]]), &json!([["C1", "Ada"], ["C2", "Alan"]]));
    check(&q, &json!([["C1", "Ada"], ["C2", "Grace"]]), [50, 100, 0]);
    check(&q, &json!([["C1"], ["C2"]]), [100, 100, 100]);
    // Measures do not count as foreign columns.
    check(
        &citations(),
        &json!([["Larry Summers", 66], ["Ashish Vaswani", 33], ["Noam Shazeer", 99]]),
        [0, 100, 0],
    );
    check(
        &citations(),
        &json!([["Larry Summers", 6, "MIT"], ["Ashish Vaswani", 3, "USC"], ["Noam Shazeer", 0, null]]),
        [100, 100, 100],
    );
}

#[test]
fn the_cell_of_the_key_states_no_measure() {
    let q = question(&json!([["3", 3], ["4", 2]]), &json!([["3"], ["4", "2"]]));
    check(&q, &json!([[3, 3], [4, 2]]), [100, 100, 100]);
    check(&q, &json!([[3], [4]]), [0, 100, 0]);
    check(&q, &json!([[2, 4], [3, 3]]), [100, 100, 100]);
    // Two measures with one value need two cells.
    let q = question(&json!([["2020", 2, 2, 1.0]]), &json!([["2020", "2", "1.0"]]));
    check(&q, &json!([["2020", 2, 2, "1"]]), [100, 100, 100]);
    check(&q, &json!([["2020", 2, "1"]]), [0, 100, 0]);
}

#[test]
fn other_ways_to_compute_a_measure_will_do_and_ids_will_not() {
    let q = question(
        &json!([["Gilbert Strang", 2.0], ["Jane Doe", 4.0]]),
        &json!([["Gilbert Strang", "2.0", "1", "3.6666666666666665"], ["Jane Doe", "4.0", "2", "4.5"]]),
    );
    check(&q, &json!([["Gilbert Strang", 3.67], ["Jane Doe", 4.5]]), [100, 100, 100]);
    check(&q, &json!([["Gilbert Strang", 1], ["Jane Doe", 2]]), [0, 100, 0]);
    check(&q, &json!([[3.67], [4.5]]), [0, 0, 0]);
}

#[test]
fn a_measure_without_a_value_is_not_asked_for() {
    let q = question(&json!([["2", 1.0], ["5", null]]), &json!([["2", "1.0"], ["5", "0"]]));
    check(&q, &json!([[2, 1], [5, null]]), [100, 100, 100]);
    check(&q, &json!([[2, 1], [5, 0]]), [100, 100, 100]);
    check(&q, &json!([[2, null], [5, 0]]), [50, 100, 0]);
    check(&q, &json!([[2, 1], [null, null], [5, 0]]), [100, 100, 100]);
}

#[test]
fn order_counts_where_it_is_asked_for_and_equals_may_swap() {
    let sql = |query: &str| GoldQuestion {
        sql: Some(query.into()),
        ..question(&json!([["A", 4], ["B", 2], ["C", 2], ["D", 1]]), &json!([["A"], ["B"], ["C"], ["D"]]))
    };
    let ordered = sql("SELECT name, n FROM t ORDER BY n DESC");
    check(&ordered, &json!([["A", 4], ["B", 2], ["C", 2], ["D", 1]]), [100, 100, 100]);
    check(&ordered, &json!([["A", 4], ["C", 2], ["B", 2], ["D", 1]]), [100, 100, 100]);
    check(&ordered, &json!([["B", 2], ["A", 4], ["C", 2], ["D", 1]]), [100, 100, 0]);
    check(&ordered, &json!([["A", 4], ["B", 2], ["D", 1], ["C", 2]]), [100, 100, 0]);
    check(&sql("SELECT name, n FROM t"), &json!([["D", 1], ["C", 2], ["B", 2], ["A", 4]]), [100, 100, 100]);
    // Names alone are never tied.
    let named = GoldQuestion {
        sql: ordered.sql.clone(),
        ..question(&json!([["A"], ["B"], ["C"]]), &json!([["A"], ["B"], ["C"]]))
    };
    check(&named, &json!([["A"], ["B"], ["C"]]), [100, 100, 100]);
    check(&named, &json!([["A"], ["C"], ["B"]]), [100, 100, 0]);
}

#[test]
fn rows_that_look_alike_keep_their_order() {
    let q = GoldQuestion {
        sql: Some("SELECT city FROM t ORDER BY visits".into()),
        ..question(&json!([["Lima"], ["Quito"], ["Lima"]]), &json!([["Lima"], ["Quito"], ["Lima"]]))
    };
    check(&q, &json!([["Lima"], ["Quito"], ["Lima"]]), [100, 100, 100]);
    check(&q, &json!([["Lima"], ["Lima"], ["Quito"]]), [100, 100, 0]);
    check(&q, &json!([["Lima"], ["Quito"]]), [80, 100, 0]);
}

#[test]
fn entities_are_known_by_keys_and_whole_names() {
    let q = question(
        &json!([["Olivia", "Thomas", "(333)-415-0000", 181.0]]),
        &json!([["Olivia", "Thomas", "(333)-415-0000", "181.0"]]),
    );
    check(&q, &json!([["Olivia Thomas", "(333)-415-0000", 181]]), [100, 100, 100]);
    check(&q, &json!([["Olivia Smith", "(333)-415-0001", 181]]), [0, 0, 0]);
    let q = question(&json!([["7"], ["8"]]), &json!([["7"], ["8"]]));
    check(
        &q,
        &json!([
            [["student 7", "https://example.org/student/7"]],
            [["student 8", "https://example.org/student/8"]]
        ]),
        [100, 100, 100],
    );
    let iris =
        question(&json!([["trueNeutral"]]), &json!([["https://example.org/b#trueNeutral", "trueNeutral"]]));
    check(&iris, &json!([["true neutral"]]), [100, 100, 100]);
    check(&iris, &json!([[["Neutral (true)", "https://example.org/b#trueNeutral"]]]), [100, 100, 100]);
    check(&iris, &json!([[["Neutral (chaotic)", "https://example.org/b#chaoticNeutral"]]]), [0, 0, 0]);
}

#[test]
fn a_question_without_rows_has_a_row_for_each_answer() {
    let q = GoldQuestion { answers: vec!["Lima".into(), "Quito".into()], ..GoldQuestion::default() };
    let table = GoldTable::of(&q, &names(&q));
    assert!(!table.is_of_file() && table.len() == 2);
    check(&q, &json!([["Lima"], ["quito"]]), [100, 100, 100]);
    check(&q, &json!([["Lima", 10], ["Quito", 2]]), [100, 100, 100]);
    check(&q, &json!([["Lima"], ["Cusco"]]), [50, 50, 0]);
    let any = GoldQuestion { any_of: true, ..q };
    check(&any, &json!([["Quito"]]), [100, 100, 100]);
    // Known keys decide: another entity of the same name is no hit.
    let keyed = GoldAnswer { id: Some("geo:lima".into()), ..GoldAnswer::named("Lima") };
    let table = GoldTable::of(&any, &[keyed]);
    assert_eq!(table.score(&given(&json!([[["Lima", "geo:lima"]]]))).f1, 1.0);
    assert_eq!(table.score(&given(&json!([[["Lima", "geo:lima-ohio"]]]))).lenient, 0.0);
}

#[test]
fn the_answer_of_a_method_is_read_as_rows() {
    let value = |name: &str, key: Option<&str>| {
        Some(Value { name: name.into(), key: key.map(str::to_owned), datatype: None })
    };
    let answer = |table: Option<AnswerTable>| {
        let json = json!({
            "question": "?", "status": "answered", "answer": "", "answers": ["Lima", "Quito"], "grounded": true,
            "confidence": 1.0, "method": "m", "llm": "none", "evidence": [], "citations": [],
            "usage": serde_json::to_value(quipu_answer::AnswerUsage::default()).unwrap(),
        });
        Answer { table, ..serde_json::from_value(json).unwrap() }
    };
    let q = question(&json!([["Lima", 10], ["Quito", 2]]), &json!([["Lima"], ["Quito"]]));
    let gold = GoldTable::of(&q, &names(&q));
    let values = GivenTable::of(&answer(None), &[]);
    assert_eq!((values.len(), gold.score(&values).lenient, gold.score(&values).f1), (2, 1.0, 0.0));
    let rows = vec![
        vec![value("Lima", Some("geo:lima")), value("10", None)],
        vec![None, None],
        vec![value("Quito", None), value("2", None)],
    ];
    let table = AnswerTable { columns: vec!["city".into(), "n".into()], rows, ordered: false, left_out: 0 };
    let table = GivenTable::of(&answer(Some(table)), &[]);
    assert_eq!((table.len(), gold.score(&table).exact), (2, 1.0), "an empty row is none");
}

#[test]
fn pairs_are_as_many_as_can_be() {
    let fits = [[true, true, false], [true, false, false], [false, true, true]];
    assert_eq!(pairs(3, 3, |l, r| fits[l][r]), [Some(1), Some(0), Some(2)]);
    assert_eq!(pairs(2, 2, |_, _| true), [Some(0), Some(1)]);
    assert_eq!(pairs(2, 1, |_, _| true).iter().flatten().count(), 1);
    assert_eq!(pairs(0, 0, |_, _| true), []);
}

/// Every published table answers its own question, if the files are installed.
#[test]
fn published_tables_are_right() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    if !folder.is_dir() {
        return skip_without(folder, "the published tables are missing");
    }
    let desk = ["academic", "advising", "broker", "car_dealership", "ewallet", "restaurants"];
    for name in desk.map(|name| format!("desk/{name}")).into_iter().chain(["beastiary".into()]) {
        for q in crate::read_questions(&folder.join(name).join("questions.jsonl"), None).unwrap().questions {
            let gold = GoldTable::of(&q, &names(&q));
            let rows = match q.table.is_empty() {
                true => q.answers.iter().map(|name| json!([name])).collect(),
                false => q.table.iter().map(|row| json!(row)).collect::<Vec<_>>(),
            };
            assert_eq!(gold.score(&given(&json!(rows))), RowScore::FULL, "{}", q.id);
            let reversed: Vec<Json> = rows.iter().rev().cloned().collect();
            let backwards = gold.score(&given(&json!(reversed)));
            assert_eq!((backwards.f1, backwards.lenient), (1.0, 1.0), "{}", q.id);
        }
    }
}
