//! Labels of runs in tables.

use std::path::{Path, PathBuf};

use anyhow::Result;
use quipu_eval::{AnchorSetting, LabelledRows, Manifest, Results, Summary, summarise};

/// Names a run: `paths, qwen2.5-coder-1.5b`. The label also tells the gold-entity setting and
/// several sources.
pub(super) fn label(manifest: &Manifest, method: &str, llm: &str) -> String {
    let setting = match manifest.anchors {
        AnchorSetting::Open => String::new(),
        gold => format!(" ({})", gold.label()),
    };
    let model = if llm == "none" { "no model" } else { llm };
    let sources = match manifest.sources.len() {
        0 => String::new(),
        besides => format!(" ({} sources)", besides + 1),
    };
    format!("{method}, {model}{setting}{sources}")
}

/// The same, with the folder's name if runs of several folders are shown together.
fn label_in(results: &Results, method: &str, llm: &str, several: bool) -> String {
    let plain = label(&results.manifest, method, llm);
    if several { format!("{}: {plain}", folder_name(&results.path)) } else { plain }
}

fn folder_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The results folders that a command reads.
pub(super) struct Folders {
    pub(super) results: Vec<Results>,
}

impl Folders {
    pub(super) fn read(paths: &[PathBuf]) -> Result<Self> {
        let results = paths.iter().map(|path| Results::read(path)).collect::<Result<_, _>>()?;
        Ok(Self { results })
    }

    /// Every method under every model of every folder.
    pub(super) fn runs(&self) -> Vec<LabelledRows> {
        let several = self.results.len() > 1;
        let mut runs = Vec::new();
        for results in &self.results {
            for (method, llm) in results.runs() {
                let label = label_in(results, &method, &llm, several);
                runs.push(LabelledRows { label, rows: results.rows_of(&method, &llm) });
            }
        }
        runs
    }

    /// The figures of every run.
    pub(super) fn summaries(&self) -> Vec<Summary> {
        let mut expected = Vec::new();
        for results in &self.results {
            let Manifest { selection, seed, .. } = &results.manifest;
            expected.extend(results.runs().iter().map(|_| (selection.questions, *seed)));
        }
        let runs = self.runs();
        runs.iter()
            .zip(expected)
            .map(|(run, (questions, seed))| summarise(&run.label, &run.rows, questions, seed))
            .collect()
    }
}
