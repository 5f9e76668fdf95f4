//! Compares methods over several graphs and question files: one line a method, one column a file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::folder::Results;
use crate::manifest::{AnchorSetting, Manifest, PARAMETERS_OF};
use crate::metrics::{Interval, bootstrap_strata};
use crate::row::Row;
use crate::summary::Metric;

/// One method under one model and one set of settings, over all files.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Across {
    /// Method, changed settings, and the model if the runs have several.
    pub run: String,
    /// Number of questions and strict Hit@1 of each file, in the table's order; `None` if the run
    /// lacks the file.
    pub files: Vec<Option<Interval>>,
    /// All files with equal weights, whatever their numbers of questions; intervals are bootstraps
    /// within each file.
    pub metrics: BTreeMap<Metric, Interval>,
    /// Median of the wall-clock seconds of a question.
    pub seconds: f64,
}

/// Methods over files.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct AcrossFiles {
    /// The files: `metaqa 2hop.dev`.
    pub files: Vec<String>,
    /// The runs, in the order of the folders.
    pub runs: Vec<Across>,
}

/// Metrics over all files together.
const TOLD: [Metric; 6] =
    [Metric::HitAt1, Metric::F1, Metric::AnsweredWrongly, Metric::Answered, Metric::Calls, Metric::Tokens];

/// Summarises results folders by run and file. A question that occurs in several folders of one run
/// counts once, by the last folder.
pub fn across_files(results: &[Results], seed: u64) -> AcrossFiles {
    let mut files: Vec<(Vec<String>, String)> = Vec::new();
    let mut runs: Vec<(String, Vec<Vec<Row>>)> = Vec::new();
    let mut models: Vec<&str> =
        results.iter().flat_map(|r| r.manifest.llms.iter()).map(|llm| llm.name.as_str()).collect();
    models.sort_unstable();
    models.dedup();
    for result in results {
        let named = (file_key(&result.manifest), apart(file_name(&result.manifest), &files));
        let file = place(&mut files, named, |(key, _)| key.clone());
        for (method, llm) in result.runs() {
            let name = run_name(&result.manifest, &method, (models.len() > 1).then_some(llm.as_str()));
            let at = place(&mut runs, (name, Vec::new()), |(name, _)| name.clone());
            let Some((_, rows)) = runs.get_mut(at) else { continue };
            rows.resize_with(rows.len().max(file + 1), Vec::new);
            let Some(known) = rows.get_mut(file) else { continue };
            for row in result.rows_of(&method, &llm) {
                known.retain(|other| other.id != row.id);
                known.push(row);
            }
        }
    }
    let runs = runs.into_iter().map(|(run, rows)| summed(run, &rows, files.len(), seed)).collect();
    AcrossFiles { files: files.into_iter().map(|(_, name)| name).collect(), runs }
}

/// The position of the item with this name; a new item is appended.
fn place<T, K: PartialEq>(items: &mut Vec<T>, item: T, name: impl Fn(&T) -> K) -> usize {
    items.iter().position(|known| name(known) == name(&item)).unwrap_or_else(|| {
        items.push(item);
        items.len() - 1
    })
}

fn summed(run: String, rows: &[Vec<Row>], files: usize, seed: u64) -> Across {
    let values = |metric: Metric| -> Vec<Vec<f64>> {
        rows.iter().map(|rows| rows.iter().filter_map(|row| metric.of(row)).collect()).collect()
    };
    let hits = values(Metric::HitAt1);
    let of_file = |at: usize| {
        let hits = hits.get(at).filter(|hits| !hits.is_empty())?;
        Some(bootstrap_strata(std::slice::from_ref(hits), seed))
    };
    let mut seconds: Vec<f64> = rows.iter().flatten().map(|row| row.cost.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    Across {
        run,
        files: (0..files).map(of_file).collect(),
        metrics: TOLD.into_iter().map(|metric| (metric, bootstrap_strata(&values(metric), seed))).collect(),
        seconds: seconds.get(seconds.len() / 2).copied().unwrap_or_default(),
    }
}

/// `metaqa 1hop.dev`: the graph and the rest of the question file's name.
fn file_name(manifest: &Manifest) -> String {
    let mut name = manifest.workspace.name.clone();
    for dataset in &manifest.datasets {
        let parts = dataset.file.split('.').filter(|part| !matches!(*part, "questions" | "jsonl" | "json"));
        let told = parts.collect::<Vec<_>>().join(".");
        if !told.is_empty() && told != name {
            let _ = write!(name, " {told}");
        }
    }
    name
}

/// The identity of a column: the graph's name and the files' content.
fn file_key(manifest: &Manifest) -> Vec<String> {
    let sums = manifest.datasets.iter().map(|dataset| dataset.sha256.clone());
    std::iter::once(manifest.workspace.name.clone()).chain(sums).collect()
}

/// A unique column name: a second one of the same name becomes "NAME (2)".
fn apart(name: String, known: &[(Vec<String>, String)]) -> String {
    let taken = |name: &String| known.iter().any(|(_, other)| other == name);
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    std::iter::once(name.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(name)
}

/// `kerag (kerag.filter=similarity)`.
fn run_name(manifest: &Manifest, method: &str, llm: Option<&str>) -> String {
    // The changed settings without the whole configuration, which the manifest also contains. A
    // replaced language file is only mentioned.
    let set = manifest.settings.iter().filter(|(key, _)| !key.starts_with(PARAMETERS_OF));
    let mut told: Vec<String> = set
        .map(|(key, value)| if key == "words" { "other words".to_owned() } else { format!("{key}={value}") })
        .collect();
    told.extend((!manifest.sources.is_empty()).then(|| format!("{} sources", manifest.sources.len() + 1)));
    if manifest.anchors != AnchorSetting::Open {
        told.push(manifest.anchors.label().to_owned());
    }
    told.extend(llm.map(str::to_owned));
    if told.is_empty() { method.to_owned() } else { format!("{method} ({})", told.join(", ")) }
}

impl AcrossFiles {
    /// One line a run: Hit@1 of each file, then all files together.
    pub fn to_markdown(&self) -> String {
        let mut table = format!(
            "| run | {} | n | Hit@1 | F1 | answered wrongly | answered | calls | tokens | s |\n",
            self.files.join(" | ")
        );
        table.push_str(&"|---".repeat(self.files.len() + 9));
        table.push_str("|\n");
        for run in &self.runs {
            let mut cells = vec![run.run.clone()];
            cells.extend(
                run.files
                    .iter()
                    .map(|file| file.map_or_else(|| "–".to_owned(), |hit| format!("{:.2}", hit.mean))),
            );
            let get = |metric: Metric| run.metrics.get(&metric).copied().unwrap_or_default();
            let hit = get(Metric::HitAt1);
            let wrong = get(Metric::AnsweredWrongly);
            cells.push(hit.n.to_string());
            cells.push(hit.to_string());
            cells.push(format!("{:.3}", get(Metric::F1).mean));
            cells.push(wrong.to_string());
            cells.push(format!("{:.2}", get(Metric::Answered).mean));
            cells.push(format!("{:.1}", get(Metric::Calls).mean));
            cells.push(format!("{:.0}", get(Metric::Tokens).mean));
            cells.push(format!("{:.1}", run.seconds));
            let _ = writeln!(table, "| {} |", cells.join(" | "));
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::samples::manifest;
    use crate::row::ErrorClass;
    use crate::row::samples::{row, wrong};

    fn results(graph: &str, file: &str, rows: Vec<Row>) -> Results {
        let mut manifest = manifest();
        manifest.workspace.name = graph.into();
        manifest.datasets.truncate(1);
        manifest.datasets[0].file = file.into();
        manifest.datasets[0].sha256 = format!("sum of {file}");
        manifest.methods = rows.iter().map(|row| row.method.clone()).collect();
        manifest.methods.dedup();
        manifest.llms.truncate(1);
        manifest.llms[0].name = "none".into();
        manifest.settings.clear();
        Results { path: file.into(), manifest, rows }
    }

    fn of(method: &str, row: Row) -> Row {
        Row { method: method.into(), ..row }
    }

    #[test]
    fn a_file_weighs_as_much_as_another_and_a_question_counts_once() {
        let failed = |id| wrong(id, ErrorClass::Composition);
        let first =
            results("metaqa", "questions.1hop.dev.jsonl", vec![row("1"), row("2"), row("3"), row("4")]);
        let second = results("towns", "questions.jsonl", vec![failed("1"), of("kerag", row("1"))]);
        let again = results("towns", "questions.jsonl", vec![failed("1")]);
        let across = across_files(&[first, second, again], 1);
        assert_eq!(across.files, ["metaqa 1hop.dev", "towns"]);
        let runs: Vec<&str> = across.runs.iter().map(|run| run.run.as_str()).collect();
        assert_eq!(runs, ["paths", "kerag"]);
        let paths = &across.runs[0];
        assert!((paths.metrics[&Metric::HitAt1].mean - 0.5).abs() < 1e-9, "{paths:?}");
        assert_eq!(paths.metrics[&Metric::HitAt1].n, 5);
        assert!((paths.metrics[&Metric::AnsweredWrongly].mean - 0.5).abs() < 1e-9);
        assert_eq!(across.runs[1].files[0], None);
        let table = across.to_markdown();
        let lines: Vec<&str> = table.lines().collect();
        assert!(lines[0].starts_with("| run | metaqa 1hop.dev | towns | n | Hit@1 |"), "{table}");
        assert!(lines[2].starts_with("| paths | 1.00 | 0.00 | 5 | 0.500 ["), "{table}");
        assert!(lines[3].starts_with("| kerag | – | 1.00 | 1 | 1.000 ["), "{table}");
        assert!(lines.iter().all(|line| line.matches('|').count() == 12), "{table}");
    }

    #[test]
    fn files_of_one_name_are_columns_of_their_own() {
        let dev = results("towns", "questions.dev.jsonl", vec![row("1")]);
        let test = results("towns", "questions.test.jsonl", vec![wrong("1", ErrorClass::Composition)]);
        let mut edited = results("towns", "questions.dev.jsonl", vec![wrong("1", ErrorClass::Composition)]);
        edited.manifest.datasets[0].sha256 = "another".into();
        let across = across_files(&[dev, test, edited], 1);
        assert_eq!(across.files, ["towns dev", "towns test", "towns dev (2)"]);
        let hits: Vec<f64> = across.runs[0].files.iter().map(|file| file.unwrap().mean).collect();
        assert_eq!(hits, [1.0, 0.0, 0.0]);
    }

    #[test]
    fn other_settings_and_other_models_are_other_runs() {
        let plain = results("towns", "questions.jsonl", vec![row("1")]);
        let mut set = results("towns", "questions.jsonl", vec![row("1")]);
        set.manifest.settings.insert("paths.walk.max_hops".into(), "1".into());
        set.manifest.settings.insert(format!("{PARAMETERS_OF}paths"), "all of them".into());
        let runs = |results: &[Results]| -> Vec<String> {
            across_files(results, 1).runs.into_iter().map(|run| run.run).collect()
        };
        assert_eq!(runs(&[plain.clone(), set]), ["paths", "paths (paths.walk.max_hops=1)"]);
        let mut other = results("towns", "questions.jsonl", vec![Row { llm: "small".into(), ..row("1") }]);
        other.manifest.llms[0].name = "small".into();
        assert_eq!(runs(&[plain, other]), ["paths (none)", "paths (small)"]);
        assert!(across_files(&[], 1).to_markdown().lines().count() == 2);
    }
}
