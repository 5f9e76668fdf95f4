//! Writes results as one self-contained page: tables, plots, every question with its trace. The
//! page loads nothing from elsewhere.

mod plots;
mod story;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;

use crate::EvalError;
use crate::compare::{Comparison, LabelledRows, compare};
use crate::folder::{Results, TraceRow};
use crate::judge::Verdict;
use crate::row::{ErrorClass, Row};
use crate::summary::{Metric, Summary};
use story::{Told, tell};

const TEMPLATE: &str = include_str!("report.jinja");
const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");
const NAME: &str = "report";

/// Writes the page; an existing file at `path` is replaced by the finished page. `runs` and
/// `summaries` belong to `results`, in the same order.
///
/// # Errors
/// [`EvalError::Io`]; errors of [`Results::traces`].
pub fn write_html(
    path: &Path,
    results: &[Results],
    runs: &[LabelledRows],
    summaries: &[Summary],
) -> Result<(), EvalError> {
    let page = render(results, runs, summaries)?;
    let beside = path.with_extension("html.new");
    std::fs::write(&beside, page).map_err(EvalError::io("cannot write", &beside))?;
    std::fs::rename(&beside, path).map_err(EvalError::io("cannot write", path))
}

/// The data of the template.
#[derive(Serialize)]
struct Page<'a> {
    style: &'a str,
    script: &'a str,
    title: String,
    gold_setting: bool,
    headings: Vec<&'static str>,
    runs: Vec<RunLine<'a>>,
    classes: Vec<&'static str>,
    comparisons: Vec<Comparison>,
    metrics: HashMap<Metric, &'static str>,
    plots: Vec<Plot>,
    group_tables: Vec<GroupTable>,
    failures: Vec<Failure<'a>>,
    judges: Vec<String>,
    questions: Vec<QuestionLine<'a>>,
    manifests: Vec<(String, String)>,
}

#[derive(Serialize)]
struct RunLine<'a> {
    label: &'a str,
    counted: String,
    values: Vec<String>,
    engine_ms: String,
    errors: Vec<usize>,
    incomplete: usize,
    rightly: String,
    unanswerable: String,
    calibration: [String; 3],
    risk: String,
}

#[derive(Serialize)]
struct Plot {
    title: String,
    svg: String,
}

#[derive(Serialize)]
struct GroupTable {
    by: String,
    rows: Vec<(String, usize, Vec<String>)>,
}

#[derive(Serialize)]
struct Failure<'a> {
    run: &'a str,
    id: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
struct QuestionLine<'a> {
    id: &'a str,
    question: &'a str,
    gold: String,
    facts: String,
    /// Whether every run answered it correctly.
    right: bool,
    answers: Vec<AnswerLine<'a>>,
}

#[derive(Serialize)]
struct AnswerLine<'a> {
    run: &'a str,
    hit: bool,
    verdict: Verdict,
    by: crate::judge::Judge,
    judge_reason: Option<&'a str>,
    answer: String,
    error: Option<&'static str>,
    reason: Option<&'a str>,
    facts: String,
    told: Told,
}

fn render(results: &[Results], runs: &[LabelledRows], summaries: &[Summary]) -> Result<String, EvalError> {
    let wrong = |source| EvalError::Template { name: NAME, source };
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.add_template(NAME, TEMPLATE).map_err(wrong)?;
    let page = page(results, runs, summaries)?;
    environment.get_template(NAME).and_then(|template| template.render(&page)).map_err(wrong)
}

fn page<'a>(
    results: &'a [Results],
    runs: &'a [LabelledRows],
    summaries: &'a [Summary],
) -> Result<Page<'a>, EvalError> {
    let mut traces = Vec::new();
    for results in results {
        let of_folder = std::rc::Rc::new(results.traces()?);
        traces.extend(results.runs().iter().map(|_| of_folder.clone()));
    }
    let datasets: BTreeSet<&str> =
        results.iter().flat_map(|r| &r.manifest.datasets).map(|dataset| dataset.file.as_str()).collect();
    let seed = results.first().map_or(0, |results| results.manifest.seed);
    let comparisons = if runs.len() > 1 { compare(runs, seed).unwrap_or_default() } else { Vec::new() };
    let gold_setting = results.iter().any(|r| r.manifest.anchors == crate::AnchorSetting::Gold);
    Ok(Page {
        style: STYLE,
        script: SCRIPT,
        title: datasets.into_iter().collect::<Vec<_>>().join(", "),
        gold_setting,
        headings: SHOWN.map(Metric::name).to_vec(),
        runs: summaries.iter().map(run_line).collect(),
        classes: ErrorClass::ALL.map(ErrorClass::name).to_vec(),
        comparisons,
        metrics: Metric::ALL.into_iter().map(|metric| (metric, metric.name())).collect(),
        plots: plots(summaries),
        group_tables: group_tables(summaries),
        failures: failures(runs),
        judges: judges(results),
        questions: questions(runs, &traces),
        manifests: manifests(results),
    })
}

const SHOWN: [Metric; 22] = [
    Metric::HitAt1,
    Metric::AnsweredWrongly,
    Metric::Answered,
    Metric::F1,
    Metric::RowF1,
    Metric::RowF1Lenient,
    Metric::ExactTable,
    Metric::ExactMatch,
    Metric::Accuracy,
    Metric::Precision,
    Metric::Lenient,
    Metric::HitAt5,
    Metric::RecallAt20,
    Metric::Mrr,
    Metric::RougeL,
    Metric::CragAccuracy,
    Metric::Hallucination,
    Metric::Missing,
    Metric::Truthfulness,
    Metric::RetrievalRecall,
    Metric::LinkingAccuracy,
    Metric::Grounded,
];

const COSTS: [Metric; 3] = [Metric::Calls, Metric::Tokens, Metric::Seconds];

fn run_line(summary: &Summary) -> RunLine<'_> {
    let counted = if summary.questions == summary.expected {
        summary.questions.to_string()
    } else {
        format!("{} of {}", summary.questions, summary.expected)
    };
    let costs = COSTS.map(|metric| format!("{:.2}", summary.get(metric).mean));
    let count = |class: ErrorClass| summary.errors.iter().find(|(c, _)| *c == class).map_or(0, |(_, n)| *n);
    let of = |part: usize, whole: usize| if whole == 0 { "–".into() } else { format!("{part} of {whole}") };
    let c = &summary.calibration;
    let figure = |value: Option<f64>| {
        value.filter(|_| c.n > 0).map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
    };
    RunLine {
        label: &summary.label,
        counted,
        values: SHOWN.map(|metric| summary.get(metric).to_string()).into_iter().chain(costs).collect(),
        engine_ms: format!("{:.2}", summary.engine_ms),
        errors: ErrorClass::ALL.map(count).to_vec(),
        incomplete: summary.incomplete,
        rightly: of(summary.abstention.rightly, summary.abstention.abstained),
        unanswerable: of(summary.abstention.unanswerable_abstained, summary.abstention.unanswerable),
        calibration: [figure(Some(c.error)), figure(Some(c.brier)), figure(c.discrimination)],
        risk: figure(summary.risk.area),
    }
}

fn plots(summaries: &[Summary]) -> Vec<Plot> {
    let mut all = Vec::new();
    for cost in COSTS {
        let points: Vec<plots::Point> = summaries
            .iter()
            .map(|s| plots::Point { label: &s.label, x: s.get(cost).mean, y: s.get(Metric::HitAt1) })
            .collect();
        let title = format!("Hit@1 (strict) against {} a question", cost.name());
        all.push(Plot { svg: plots::scatter(&points, cost.name(), "Hit@1"), title });
    }
    for by in ["hops", "type", "domain", "popularity"] {
        let bars = plots::grouped_bars(summaries, by);
        all.extend(bars.map(|svg| Plot { title: format!("Hit@1 (strict) by {by}"), svg }));
    }
    all.extend(
        plots::errors(summaries)
            .map(|svg| Plot { title: "What went wrong, share of the questions".into(), svg }),
    );
    all.extend(
        plots::reliability(summaries)
            .map(|svg| Plot { title: "Confidence against share that is right".into(), svg }),
    );
    let risk = plots::risk(summaries);
    all.extend(
        risk.map(|svg| Plot { title: "Wrong answers if only the most confident were given".into(), svg }),
    );
    all
}

fn group_tables(summaries: &[Summary]) -> Vec<GroupTable> {
    let mut tables = Vec::new();
    for by in ["hops", "type", "domain", "popularity"] {
        let mut values: Vec<&str> = Vec::new();
        for group in summaries.iter().flat_map(|s| &s.groups).filter(|group| group.by == by) {
            if !values.contains(&group.value.as_str()) {
                values.push(&group.value);
            }
        }
        if values.len() < 2 {
            continue;
        }
        let row = |value: &&str| {
            let found: Vec<_> = summaries
                .iter()
                .map(|s| s.groups.iter().find(|group| group.by == by && group.value == *value))
                .collect();
            let n = found.iter().flatten().map(|group| group.hit_at_1.n).max().unwrap_or_default();
            let cell = |group: &Option<&crate::summary::Group>| {
                group.map_or("–".to_owned(), |group| group.hit_at_1.to_string())
            };
            ((*value).to_owned(), n, found.iter().map(cell).collect())
        };
        tables.push(GroupTable { by: by.into(), rows: values.iter().map(row).collect() });
    }
    tables
}

fn failures(runs: &[LabelledRows]) -> Vec<Failure<'_>> {
    let failed = |row: &&Row| matches!(row.error, Some(ErrorClass::Failed | ErrorClass::TimedOut));
    runs.iter()
        .flat_map(|run| {
            run.rows.iter().filter(failed).map(|row| Failure {
                run: &run.label,
                id: &row.id,
                reason: row.reason.as_deref().unwrap_or("no reason given"),
            })
        })
        .collect()
}

fn judges(results: &[Results]) -> Vec<String> {
    let text = |results: &Results| {
        let agreement = results.manifest.judge_agreement.as_ref()?;
        Some(crate::table::agreement_to_text(&results.manifest.judge, agreement))
    };
    let mut texts: Vec<String> = results.iter().filter_map(text).collect();
    texts.dedup();
    texts
}

type Traces = std::rc::Rc<HashMap<(String, String, String), TraceRow>>;

/// Every question once, with the answers of all runs.
fn questions<'a>(runs: &'a [LabelledRows], traces: &[Traces]) -> Vec<QuestionLine<'a>> {
    let mut lines: Vec<QuestionLine<'a>> = Vec::new();
    let mut at: HashMap<(&str, &str), usize> = HashMap::new();
    for (run, traces) in runs.iter().zip(traces) {
        for row in &run.rows {
            let position = *at.entry((&row.id, &row.question)).or_insert_with(|| {
                lines.push(question_line(row));
                lines.len() - 1
            });
            if let Some(line) = lines.get_mut(position) {
                let answer = answer_line(&run.label, row, traces.get(&row.key()));
                line.right &= answer.hit;
                line.answers.push(answer);
            }
        }
    }
    lines
}

fn question_line(row: &Row) -> QuestionLine<'_> {
    const SHOWN_GOLD: usize = 30;
    let mut gold: Vec<&str> = row.gold.iter().map(|gold| gold.name.as_str()).take(SHOWN_GOLD).collect();
    if row.gold.len() > SHOWN_GOLD {
        gold.push("…");
    }
    let facts = [
        row.hops.map(|hops| format!("{hops} hops")),
        row.kind.clone(),
        row.domain.clone(),
        row.popularity.clone(),
        (!row.gold_anchors.is_empty()).then(|| format!("about {}", row.gold_anchors.join(", "))),
    ];
    QuestionLine {
        id: &row.id,
        question: &row.question,
        gold: if row.unanswerable { "(no answer is right)".into() } else { gold.join("; ") },
        facts: facts.into_iter().flatten().collect::<Vec<_>>().join(" · "),
        right: true,
        answers: Vec::new(),
    }
}

fn answer_line<'a>(run: &'a str, row: &'a Row, trace: Option<&TraceRow>) -> AnswerLine<'a> {
    let facts = format!(
        "{} · confidence {:.2} · F1 {:.2} · {} calls · {} tokens · {:.2} s",
        if row.grounded { "grounded" } else { "not grounded" },
        row.confidence,
        row.score.f1,
        row.cost.llm_calls,
        row.cost.tokens(),
        row.cost.seconds
    );
    let values = if row.table.is_empty() { row.answers.join("; ") } else { table_text(&row.table) };
    let answer = match (row.answer.is_empty(), values.is_empty()) {
        (true, _) => "(nothing)".into(),
        (false, false) if values != row.answer => format!("{} [{values}]", row.answer),
        _ => row.answer.clone(),
    };
    AnswerLine {
        run,
        hit: row.score.hit_at_1 == 1.0,
        verdict: row.judged.verdict,
        by: row.judged.by,
        judge_reason: row.judged.reason.as_deref(),
        answer,
        error: row.error.map(ErrorClass::name),
        reason: row.reason.as_deref(),
        facts,
        told: trace.map(|trace| tell(trace, &row.citations)).unwrap_or_default(),
    }
}

/// A table on one line: rows separated by semicolons, cells by bars.
fn table_text(table: &[Vec<Option<String>>]) -> String {
    const SHOWN_ROWS: usize = 50;
    let text = |row: &Vec<Option<String>>| {
        row.iter().map(|cell| cell.as_deref().unwrap_or("–")).collect::<Vec<_>>().join(" | ")
    };
    let mut rows: Vec<String> = table.iter().take(SHOWN_ROWS).map(text).collect();
    if table.len() > SHOWN_ROWS {
        rows.push(format!("… {} more", table.len() - SHOWN_ROWS));
    }
    rows.join("; ")
}

fn manifests(results: &[Results]) -> Vec<(String, String)> {
    let shown = |results: &Results| {
        let mut manifest = results.manifest.clone();
        // Shown above already.
        manifest.judge_agreement = None;
        let name = results.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (name, serde_json::to_string_pretty(&manifest).unwrap_or_default())
    };
    results.iter().map(shown).collect()
}

#[cfg(test)]
mod tests;
