use super::*;
use crate::skip::skip_without;

/// Reads `text` as the file `name`, with the detected format.
fn read(name: &str, text: &str) -> Result<QuestionFile, EvalError> {
    read_as(name, text, None)
}

fn read_as(name: &str, text: &str, format: Option<QuestionFormat>) -> Result<QuestionFile, EvalError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    read_questions(&path, format)
}

#[track_caller]
fn good(name: &str, text: &str, format: QuestionFormat) -> Vec<GoldQuestion> {
    let file = read(name, text).unwrap();
    assert_eq!(file.format, format);
    file.questions
}

/// Checks that the file is refused with a message that names line and field.
#[track_caller]
fn refused(name: &str, text: &str, expected: &str) {
    let message = read(name, text).unwrap_err().to_string();
    let told = message.split_once(name).map_or("", |(_, told)| told);
    assert!(told.starts_with(expected), "{message}\nexpected: {expected}");
}

const QUIPU: &str =
    r#"{"id": "1", "question": "who?", "answers": ["Ada"], "hops": 1, "type": "x", "topic_entities": ["B"]}"#;

#[test]
fn quipus_own_lines() {
    let text = format!(
        "{QUIPU}\n\n{}\n{}\n",
        r#"{"id": 2, "question": "which?", "answer_ids": ["n1"], "topic_ids": ["n2"], "kind": "hybrid"}"#,
        r#"{"id": "3", "question": "when?", "gold": "23", "query_time": "03/15/2024, 16:35:03 PT", "popularity": "head"}"#
    );
    let questions = good("q.jsonl", &text, QuestionFormat::Quipu);
    assert_eq!((questions[0].hops, questions[0].kind.as_deref()), (Some(1), Some("x")));
    assert_eq!((questions[1].id.as_str(), questions[1].kind.as_deref()), ("2", Some("hybrid")));
    assert_eq!(questions[1].anchors(), ["n2"]);
    assert_eq!((questions[2].answers.as_slice(), questions[2].any_of), (&["23".to_owned()][..], true));
}

#[test]
fn fields_that_nothing_reads_are_named() {
    let text = format!(
        "{QUIPU}\n{}\n",
        r#"{"id": "2", "question": "which?", "answers": ["Ada"], "rows": [["Ada", "7"]], "alias": ["A"], "hop": 2}"#
    );
    let file = read("q.jsonl", &text).unwrap();
    assert_eq!(file.unread, ["alias", "hop"]);
    assert_eq!(file.questions[1].table, [[Some("Ada".to_owned()), Some("7".to_owned())]]);
    assert!(read("q.jsonl", QUIPU).unwrap().unread.is_empty());
}

#[test]
fn what_a_question_is_written_as_reads_back() {
    let question = GoldQuestion {
        id: "7".into(),
        question: "who?".into(),
        answers: vec!["Ada".into()],
        any_of: true,
        topic_ids: vec!["n2".into()],
        hops: Some(2),
        kind: Some("set".into()),
        popularity: Some("tail".into()),
        ..GoldQuestion::default()
    };
    let line = serde_json::to_string(&question).unwrap();
    assert_eq!(good("q.jsonl", &line, QuestionFormat::Quipu), [question]);
}

#[test]
fn qalds_json() {
    let text = r#"{"dataset": {"id": "qald-x"}, "questions": [
 {"id": 0, "aggregation": false,
  "question": [{"language": "de", "string": "Wer?"}, {"language": "en", "string": "After whom?"}],
  "answers": [{"head": {"vars": ["result"]}, "results": {"bindings": [
     {"result": {"type": "uri", "value": "https://example.org/Q42299"}},
     {"result": {"type": "literal", "value": "1866"}}]}}]},
 {"id": 1, "aggregation": true, "question": [{"language": "fr", "string": "Est-ce vrai?"}],
  "answers": [{"head": {}, "boolean": true}]}
]}"#;
    let questions = good("qald.json", text, QuestionFormat::Qald);
    assert_eq!(questions[0].question, "After whom?");
    assert_eq!(questions[0].answer_ids, ["https://example.org/Q42299"]);
    assert_eq!(questions[0].answers, ["1866"]);
    assert_eq!(
        (questions[1].question.as_str(), questions[1].answers.as_slice()),
        ("Est-ce vrai?", &["yes".to_owned()][..])
    );
    let cut = text.replace(r#""string": "Est-ce vrai?""#, r#""text": 7"#);
    refused("qald.json", &cut, ":7: question: no wording");
}

#[test]
fn lists_as_the_think_on_graph_family_has_them() {
    let text = r#"[
 {"ID": "W-1", "compositionality_type": "composition", "question": "when?", "topic_entity": {"m.1": "Lou"}, "answer": "2014"},
 {"question": "which?", "topic_entity": {"Q1": "B"}, "answer": {"Q2": "emu", "Q3": "gnu"}},
 {"question": "how hot?", "topic_entity": {"Q283": "water"}, "answer": {"+100": "+100"}},
 {"url": "https://example.org/x", "question": "what?", "answers": ["a", "b"]}
]"#;
    let questions = good("cwq.sample.json", text, QuestionFormat::Tog);
    let ids: Vec<&str> = questions.iter().map(|q| q.id.as_str()).collect();
    assert_eq!(ids, ["W-1", "cwq-2", "cwq-3", "cwq-4"]);
    assert_eq!((questions[0].topic_ids[0].as_str(), questions[0].topic_entities[0].as_str()), ("m.1", "Lou"));
    assert_eq!(questions[1].answer_ids, ["Q2", "Q3"]);
    assert_eq!(
        (questions[2].answers.as_slice(), questions[2].answer_ids.len()),
        (&["+100".to_owned()][..], 0)
    );
    assert_eq!(questions[3].answers, ["a", "b"]);
    refused("cwq.json", &text.replace("\"answer\": \"2014\"", "\"answer\": null"), ":2: answer: missing");
}

#[test]
fn grailqa_and_webqsp() {
    let text = r#"[{"qid": 21, "question": "which play?", "function": "count", "num_edge": 2, "level": "zero-shot", "domains": ["theater"],
 "answer": [{"answer_type": "Entity", "answer_argument": "m.1", "entity_name": "The Illusion"}, {"answer_type": "Value", "answer_argument": "7"}],
 "graph_query": {"nodes": [{"node_type": "class", "id": "theater.play", "friendly_name": "Play"}, {"node_type": "entity", "id": "m.2", "friendly_name": "Lyceum"}]}}]"#;
    let question = &good("grailqa.json", text, QuestionFormat::Grailqa)[0];
    assert_eq!(
        (question.answers.as_slice(), question.answer_ids.as_slice()),
        (&["The Illusion".to_owned(), "7".into()][..], &["m.1".to_owned()][..])
    );
    assert_eq!((question.topic_ids[0].as_str(), question.hops), ("m.2", Some(2)));
    assert_eq!(
        (question.kind.as_deref(), question.domain.as_deref()),
        (Some("zero-shot, count"), Some("theater"))
    );

    let parse = r#"{"TopicEntityMid": "m.3", "TopicEntityName": "Jamaica", "InferentialChain": ["a", "b"], "Answers": [{"AnswerType": "Entity", "AnswerArgument": "m.4", "EntityName": "English"}]}"#;
    let own = format!(
        r#"{{"Version": "1.0", "Questions": [{{"QuestionId": "Q-0", "RawQuestion": "what?", "Parses": [{parse}, {parse}]}}]}}"#
    );
    let question = &good("webqsp.json", &own, QuestionFormat::Webqsp)[0];
    assert_eq!((question.answers.as_slice(), question.hops), (&["English".to_owned()][..], Some(2)));
    let list = format!(
        r#"[{{"RawQuestion": "what?", "Parses": [{parse}]}}, {{"RawQuestion": "why?", "Parses": []}}]"#
    );
    let questions = good("webqsp.json", &list, QuestionFormat::Webqsp);
    assert_eq!((questions[0].topic_entities[0].as_str(), questions[1].unanswerable), ("Jamaica", true));
}

#[test]
fn crag_with_its_pages() {
    let text = r#"{"interaction_id": "a-1", "query_time": "02/28/2024, 10:04:54 PT", "domain": "open", "question_type": "set", "static_or_dynamic": "static", "query": "which?", "answer": "yes", "alternative_answers": "['yep']", "split": 1, "search_results": [{"page_name": "N", "page_url": "https://example.org", "page_snippet": "s", "page_result": "<p>x</p>", "page_last_modified": ""}]}
{"interaction_id": "a-2", "query": "why did it?", "answer": "invalid question", "alternative_answers": []}"#;
    let questions = good("crag.jsonl", text, QuestionFormat::Crag);
    assert_eq!(questions[0].answers, ["yes", "yep"]);
    assert_eq!(
        (questions[0].pages[0].html.as_str(), questions[0].dynamism.as_deref()),
        ("<p>x</p>", Some("static"))
    );
    assert!(questions[0].asked_at().is_some() && questions[1].has_no_answer());
    refused("crag.jsonl", &text.replace("\"a-2\", \"query\"", "\"a-2\", \"q\""), ":2: query: missing");
}

#[test]
fn starks_csv() {
    let text = "id,query,answer_ids\n0,\"films by X, the \"\"great\"\"\ndirector\",\"[12, 7]\"\n1,who?,[3]\n";
    let questions = good("stark.csv", text, QuestionFormat::Stark);
    assert_eq!(questions[0].question, "films by X, the \"great\"\ndirector");
    assert_eq!(
        (questions[0].answer_ids.as_slice(), questions[1].id.as_str()),
        (&["12".to_owned(), "7".into()][..], "1")
    );
    refused("stark.csv", &text.replace("[3]", "3"), ":4: answer_ids: 3 is not a list of ids");
    refused("stark.csv", "id,query,answer_ids\n0,\"who?,[1]\n", ":2: a quotation mark");
}

#[test]
fn head_to_tails_lists() {
    let text = r#"{"head": [["A", "Who owns A?", "B or C"]], "torso": [],
 "tail": [["D", "Who owns D?", "E"]]}"#;
    let questions = good("h2t.json", text, QuestionFormat::HeadToTail);
    assert_eq!(questions[0].answers, ["B", "C"]);
    assert_eq!((questions[1].popularity.as_deref(), questions[1].id.as_str()), (Some("tail"), "tail-1"));
    refused("h2t.json", &text.replace(", \"E\"]", "]"), ":2: tail: no answer");
}

#[test]
fn what_cannot_be_read_is_named_by_line_and_field() {
    refused(
        "q.jsonl",
        &format!("{QUIPU}\n{{\"id\": \"2\", \"question\": [1]}}\n"),
        ":2: question: a text was expected",
    );
    refused("q.jsonl", &format!("{QUIPU}\n{{\"id\": \"2\"}}\n"), ":2: question: missing");
    refused("q.jsonl", &format!("{QUIPU}\n{{\"id\": \"2\", \"ques"), ":2: not JSON");
    refused("q.jsonl", &format!("{QUIPU}\n{QUIPU}\n"), ":2: id: line 1 already has the id 1");
    let empty = r#"{"id": "2", "question": "who?", "answers": []}"#;
    refused(
        "q.jsonl",
        &format!("{QUIPU}\n{empty}\n"),
        ":2: answers: none for question 2; say \"unanswerable\": true",
    );
    refused("q.jsonl", &empty.replace("[]", "\"Ada\""), ":1: answers: a list was expected");
    refused("q.jsonl", &empty.replace("[]", "[\" \"]"), ":1: answers: one of them is empty");
    refused("q.jsonl", "", ":1: neither JSON nor");
    refused("q.jsonl", "a,b\n1,2\n", ":1: neither JSON nor");
    refused("q.json", "[]", ":1: the file holds no question");
    refused("q.json", "[{\"text\": 1}]", ":1: no known question format");
    // Mixed: a record of another format among Quipu's own.
    refused(
        "q.jsonl",
        &format!("{QUIPU}\n{{\"interaction_id\": \"x\", \"query\": \"?\", \"answer\": \"y\"}}\n"),
        ":2: id: missing",
    );
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.jsonl");
    std::fs::write(&path, [QUIPU.as_bytes(), b"\n\xff\xfe"].concat()).unwrap();
    let message = read_questions(&path, None).unwrap_err().to_string();
    assert!(message.contains("q.jsonl:2: not text in UTF-8"), "{message}");
    let missing = read_questions(&folder.path().join("none.jsonl"), None).unwrap_err().to_string();
    assert!(missing.contains("cannot read") && missing.contains("none.jsonl"), "{missing}");
}

#[test]
fn a_format_that_is_named_wins() {
    let wrong = read_as("q.jsonl", QUIPU, Some(QuestionFormat::Crag)).unwrap_err().to_string();
    assert!(wrong.contains(":1: ") && wrong.contains("missing"), "{wrong}");
    let unknown = "xml".parse::<QuestionFormat>().unwrap_err().to_string();
    assert!(unknown.contains("grailqa") && unknown.contains("xml"), "{unknown}");
}

/// The repository's own question files: one that cannot be read ends the training of an adapter.
#[test]
fn our_own_question_files_are_read() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut open: Vec<_> = ["eval", "training/graphs"].map(|folder| root.join(folder)).into();
    let (mut files, mut questions) = (0, 0);
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|of| of == "jsonl") {
            files += 1;
            questions += read_questions(&path, None).unwrap().questions.len();
        }
    }
    assert!(files > 150 && questions > 5_000, "{files} files, {questions} questions");
}

/// The published files of the datasets, if they are installed.
#[test]
fn real_samples_are_read() {
    let shared = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let folder = shared.join("formats");
    if !folder.is_dir() {
        return skip_without(shared, "the samples of question files are missing");
    }
    let check = |name: &str, format: QuestionFormat, number: usize, first: &str, answer: &str| {
        let file = read_questions(&folder.join(name), None).unwrap();
        assert_eq!((file.format, file.questions.len()), (format, number), "{name}");
        let question = &file.questions[0];
        assert_eq!(question.question, first, "{name}");
        let gold: Vec<&String> = question.answers.iter().chain(&question.answer_ids).collect();
        assert!(gold.iter().any(|gold| gold.contains(answer)), "{name}: {gold:?}");
    };
    let riemann = "After whom is the Riemannian geometry named?";
    check("qald-10.sample.json", QuestionFormat::Qald, 12, riemann, "Q42299");
    check("qald-10-en.tog.sample.json", QuestionFormat::Tog, 8, riemann, "Bernhard Riemann");
    let lou = "Lou Seal is the mascot for the team that last won the World Series when?";
    check("cwq.sample.json", QuestionFormat::Tog, 8, lou, "2014 World Series");
    let play = "which play is produced by the illusion?";
    check("grailqa.sample.json", QuestionFormat::Grailqa, 8, play, "m.0yrltsn");
    check(
        "simplequestions.sample.json",
        QuestionFormat::Tog,
        8,
        "where is the madam satan located",
        "United States",
    );
    check(
        "webquestions.sample.json",
        QuestionFormat::Tog,
        8,
        "what does jamaican people speak?",
        "Jamaican English",
    );
    let office =
        "is microsoft office 2019 available in a greater number of languages than microsoft office 2013?";
    check("crag.sample.jsonl", QuestionFormat::Crag, 4, office, "yes");
    let crag = read_questions(&folder.join("crag.sample.jsonl"), None).unwrap().questions;
    assert!(crag.iter().all(|q| q.pages.len() == 5 && q.asked_at().is_some() && q.dynamism.is_some()));
    for name in
        ["crag/questions.dev.jsonl", "wordnet-skb/questions.dev.jsonl", "metaqa/questions.1hop.dev.jsonl"]
    {
        let file = read_questions(&folder.join("..").join(name), None).unwrap();
        assert_eq!(file.format, QuestionFormat::Quipu, "{name}");
    }
    let desk = ["academic", "advising", "broker", "car_dealership", "ewallet", "restaurants"];
    let (mut rows, mut ordered, mut unanswerable) = (0, 0, 0);
    for name in desk.map(|name| format!("desk/{name}")).into_iter().chain(["beastiary".into()]) {
        let path = folder.join("..").join(name);
        for question in read_questions(&path.join("questions.jsonl"), None).unwrap().questions {
            assert!(question.has_rows() && question.kind.is_some(), "{}", question.id);
            rows += 1;
            ordered += usize::from(crate::order::is_ordered(&question));
        }
        let without = path.join("unanswerable.jsonl");
        if without.is_file() {
            let file = read_questions(&without, None).unwrap();
            unanswerable += file.questions.iter().filter(|question| question.unanswerable).count();
        }
    }
    assert_eq!((rows, unanswerable), (214, 45));
    assert!((20..40).contains(&ordered), "{ordered}");
}

const TABLE: &str = r#"{"id": "t-0", "question": "How many books has each author?", "kind": "group_by", "answers": ["Ada", "2020"], "aliases": [["Ada", "3", "1"], ["2020", "1.5"]], "table": [["Ada", 3], [2020, null]], "sql": "SELECT a FROM t; SELECT b FROM t"}"#;

#[test]
fn questions_whose_answers_are_rows() {
    let question = good("questions.jsonl", TABLE, QuestionFormat::Quipu).remove(0);
    assert_eq!(question.aliases[0], ["Ada", "3", "1"]);
    let cell = |text: &str| Some(text.to_owned());
    assert_eq!(question.table, [vec![cell("Ada"), cell("3")], vec![cell("2020"), None]]);
    assert_eq!((question.kind.as_deref(), question.has_rows()), (Some("group_by"), true));
    assert!(question.sql.as_ref().unwrap().contains("SELECT b"));
    let line = serde_json::to_string(&question).unwrap();
    assert_eq!(good("q.jsonl", &line, QuestionFormat::Quipu), [question]);

    let iri = r#"{"id": "b-0", "question": "Is it?", "kind": "bool", "answers": ["False"], "aliases": [["no", "False"]], "sparql": "ASK {}"}"#;
    let question = good("questions.jsonl", iri, QuestionFormat::Quipu).remove(0);
    assert_eq!((question.sparql.as_deref(), question.has_rows()), (Some("ASK {}"), true));

    let short = TABLE.replace(r#", ["2020", "1.5"]"#, "");
    refused("q.jsonl", &short, ":1: aliases: 1 rows for 2 answers");
    let nested = TABLE.replace(r#"["Ada", 3]"#, r#"["Ada", [3]]"#);
    refused("q.jsonl", &nested, ":1: table: a list of rows was expected");
    refused("q.jsonl", &TABLE.replace(r#"["Ada", "3", "1"]"#, r#""Ada""#), ":1: aliases: a list of rows");
}

#[test]
fn a_file_of_unanswerable_questions_needs_no_flag() {
    let text = r#"{"id": "u0", "question": "What is dark matter?", "answers": []}"#;
    let question = good("unanswerable.jsonl", text, QuestionFormat::Quipu).remove(0);
    assert!(question.has_no_answer());
    assert_eq!(question.kind.as_deref(), Some("unanswerable"));
    let typed = text.replace("\"answers\"", "\"kind\": \"far\", \"answers\"");
    assert_eq!(good("unanswerable-2.jsonl", &typed, QuestionFormat::Quipu)[0].kind.as_deref(), Some("far"));
    let answered = good("unanswerable.jsonl", QUIPU, QuestionFormat::Quipu).remove(0);
    assert!(!answered.unanswerable, "what has an answer has one");
    refused("questions.jsonl", text, ":1: answers: none for question u0; say \"unanswerable\": true");
    assert_eq!(good("unanswerable.jsonl", "", QuestionFormat::Quipu), []);
    refused("unanswerable.jsonl", "<html>", ":1: neither JSON");
}
