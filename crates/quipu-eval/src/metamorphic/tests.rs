use super::judge::tests::{refused, said};
use super::*;

fn twin(kind: &str, base: Option<usize>, question: &str, rule: Rule) -> Twin {
    Twin { kind: kind.into(), base, question: question.into(), rule, stated: Vec::new(), unit: None }
}

fn suite() -> MetamorphicSuite {
    let base =
        Base { name: "lookup".into(), question: "capital of Peru?".into(), truth: vec!["Lima".into()] };
    let case = Case {
        fact: ["Peru".into(), "capital".into(), "Lima".into()],
        bases: vec![base],
        twins: vec![
            twin("said differently", Some(0), "Peru's capital?", Rule::Equal),
            twin("a name that is not there", None, "capital of Quandarrow?", Rule::Refusal),
            twin("reversed", None, "capital of Lima?", Rule::Stated),
            twin("negated", Some(0), "not the capital of Peru?", Rule::Disjoint),
        ],
    };
    let kinds = ["negated", "reversed", "a name that is not there", "said differently"];
    MetamorphicSuite { cases: vec![case], kinds: kinds.map(str::to_owned).to_vec(), seed: 1 }
}

/// Runs the suite with a mock method that answers by `script`, else "Lima".
async fn report(script: &[(&str, Said)]) -> MetamorphicReport {
    let ask = async |text: &str| {
        let found = script.iter().find(|(question, _)| *question == text);
        found.map_or_else(|| said(&["Lima"]), |(_, said)| said.clone())
    };
    let outcomes = ask_suite(&suite(), ask, |_| {}).await;
    MetamorphicReport::of(&suite(), "script", "none", outcomes)
}

fn counts(report: &MetamorphicReport, kind: &str) -> [usize; 5] {
    let counts = report.kinds.iter().find(|counts| counts.kind == kind).unwrap();
    [counts.asked, counts.held, counts.refused, counts.answered_wrongly, counts.failed]
}

#[tokio::test]
async fn who_says_one_thing_to_everything_is_found_out() {
    let report = report(&[]).await;
    assert_eq!(counts(&report, "said differently"), [1, 1, 0, 0, 0]);
    for kind in ["negated", "reversed", "a name that is not there"] {
        assert_eq!(counts(&report, kind), [1, 0, 0, 1, 0], "{kind}");
    }
    assert!((report.answered_wrongly.mean - 0.75).abs() < 1e-9 && report.answered_wrongly.n == 4);
    assert_eq!((report.bases.asked, report.bases.held), (1, 1));
    let table = report.to_markdown();
    assert!(table.contains("| all twins | 4 | 1 | 0 | 3 | 0 |"), "{table}");
    assert!(table.contains("script with no model: 3 of 4 twins answered wrongly"), "{table}");
    let wrong = report.wrong_to_text();
    assert_eq!(wrong.lines().count(), 3);
    assert!(
        wrong.contains("- negated: not the capital of Peru? → Lima (but capital of Peru? → Lima)"),
        "{wrong}"
    );
}

#[tokio::test]
async fn refusals_hold_and_failures_are_neither() {
    let failed = Said { ended: SaidHow::Failed, reason: Some("the endpoint is down".into()), ..refused() };
    let report = report(&[
        ("capital of Peru?", refused()),
        ("capital of Quandarrow?", refused()),
        ("capital of Lima?", failed),
        ("not the capital of Peru?", said(&["Quito"])),
    ])
    .await;
    assert_eq!(counts(&report, "a name that is not there"), [1, 1, 1, 0, 0]);
    assert_eq!(counts(&report, "reversed"), [1, 0, 0, 0, 1]);
    assert_eq!(counts(&report, "negated"), [1, 1, 0, 0, 0]);
    assert_eq!(
        counts(&report, "said differently"),
        [1, 1, 0, 0, 0],
        "Lima is true, though the base was refused"
    );
    assert_eq!((report.bases.held, report.bases.refused, report.answered_wrongly.mean), (0, 1, 0.0));
    assert!(report.wrong_to_text().contains("reversed: capital of Lima? → failed: the endpoint is down"));
}

#[tokio::test]
async fn a_report_reads_back() {
    let report = report(&[]).await;
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<MetamorphicReport>(&text).unwrap(), report);
}
