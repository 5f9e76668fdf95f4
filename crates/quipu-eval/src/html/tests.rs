use quipu_answer::{Event, Evidence, Stage, TimedEvent};

use super::*;
use crate::folder::ResultsFolder;
use crate::manifest::Manifest;
use crate::manifest::samples::manifest;
use crate::row::samples::{row, wrong};
use crate::summary::summarise;

const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\"'&";

fn page_of(rows: &[Row], manifest: &Manifest) -> String {
    let bench = tempfile::tempdir().unwrap();
    let path = bench.path().join("results");
    let (mut folder, _, _) =
        ResultsFolder::open(&path, manifest, &crate::LearntFiles::default(), false).unwrap();
    for row in rows {
        let names = ["Peru", "capital", HOSTILE];
        let events = vec![
            TimedEvent { stage: Stage::Plan, at: 0.5, event: Event::Read { reading: HOSTILE.into() } },
            TimedEvent {
                stage: Stage::Compose,
                at: 1.0,
                event: Event::ModelCalled {
                    request: "compose".into(),
                    prompt: "the prompt".into(),
                    reply: HOSTILE.into(),
                    usage: quipu_model::Usage::default(),
                },
            },
        ];
        let trace = TraceRow {
            id: row.id.clone(),
            method: row.method.clone(),
            llm: row.llm.clone(),
            evidence: vec![Evidence::triple("places", names, names)],
            events,
        };
        folder.add(row, &trace).unwrap();
    }
    let results = Results::read(&path).unwrap();
    let runs: Vec<LabelledRows> = results
        .runs()
        .into_iter()
        .map(|(method, llm)| LabelledRows { label: method.clone(), rows: results.rows_of(&method, &llm) })
        .collect();
    let summaries: Vec<Summary> = runs.iter().map(|run| summarise(&run.label, &run.rows, 3, 0)).collect();
    let html = bench.path().join("report.html");
    write_html(&html, &[results], &runs, &summaries).unwrap();
    std::fs::read_to_string(&html).unwrap()
}

fn two_methods() -> (Vec<Row>, Manifest) {
    let kerag = |row: Row| Row { method: "kerag".into(), ..row };
    let rows = vec![
        row("1"),
        Row { question: HOSTILE.into(), answer: HOSTILE.into(), ..wrong("2", ErrorClass::Retrieval) },
        kerag(row("1")),
        kerag(Row { question: HOSTILE.into(), ..row("2") }),
        kerag(Row { reason: Some(HOSTILE.into()), ..wrong("3", ErrorClass::Failed) }),
    ];
    (rows, Manifest { methods: vec!["paths".into(), "kerag".into()], ..manifest() })
}

#[test]
fn the_page_holds_tables_plots_and_every_question_with_its_trace() {
    let (rows, manifest) = two_methods();
    let page = page_of(&rows, &manifest);
    assert_eq!(page.matches("<details class=\"question\"").count(), 3);
    assert!(page.matches("<svg").count() >= 7, "three costs, hops, errors, reliability, risk");
    for text in [
        "kerag against paths",
        "2 of 3",
        "the prompt",
        "Failed or timed out (1",
        "Hit@1 (strict) by hops",
        "answered wrongly",
        "AURC",
    ] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn the_page_loads_nothing_and_runs_nothing_that_a_label_says() {
    let (rows, manifest) = two_methods();
    let page = page_of(&rows, &manifest);
    assert!(!page.contains("<img") && !page.contains("onerror=alert(1)>\""), "labels are escaped");
    assert_eq!(page.matches("<script").count(), 1);
    let loaded = ["src=\"", "href=", "url(", "@import", "<link"];
    assert!(loaded.iter().all(|text| !page.contains(text)));
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("http://"));
}

#[test]
fn the_gold_entity_setting_is_labelled() {
    let gold = Manifest { anchors: crate::AnchorSetting::Gold, ..manifest() };
    assert!(page_of(&[row("1")], &gold).contains("were given the gold entities"));
    assert!(!page_of(&[row("1")], &manifest()).contains("were given the gold entities"));
}
