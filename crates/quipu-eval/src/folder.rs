//! The results folder: written during the run, consistent at any moment, never overwritten by
//! another run.
//!
//! ```text
//! DIR/
//!   manifest.json     what was run, with what (see Manifest)
//!   rows.jsonl        one line for each question, method and model, in the order of completion
//!   traces.jsonl      the trace and the evidence of each row
//!   replies/          the language models' replies, from which the run is replayed
//!   learnt/           the learnt files of the workspaces at the start of the run (relation cards, words), if any
//! ```

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use quipu_answer::{Evidence, TimedEvent};
use serde::{Deserialize, Serialize};

use crate::EvalError;
use crate::learnt::LearntFiles;
use crate::manifest::{Manifest, RESULTS_FORMAT};
use crate::row::Row;

const MANIFEST: &str = "manifest.json";
const ROWS: &str = "rows.jsonl";
const TRACES: &str = "traces.jsonl";
const REPLIES: &str = "replies";
const LEARNT: &str = "learnt";

/// The trace of one answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceRow {
    /// The question's id.
    pub id: String,
    /// The method.
    pub method: String,
    /// The language model.
    pub llm: String,
    /// The evidence.
    pub evidence: Vec<Evidence>,
    /// The events.
    pub events: Vec<TimedEvent>,
}

/// A results folder that collects rows.
#[derive(Debug)]
pub struct ResultsFolder {
    path: PathBuf,
    rows: File,
    traces: File,
}

/// A run that was read from its folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// Its folder.
    pub path: PathBuf,
    /// Its manifest.
    pub manifest: Manifest,
    /// Its rows, in the order of completion.
    pub rows: Vec<Row>,
}

impl ResultsFolder {
    /// Begins a run in a new folder. With `resume` it continues the same run in an existing one.
    /// Returns the manifest (the old one, with its start time) and the finished rows. A resumed run
    /// may take more questions than before ([`Manifest::extends`]). `learnt` are the learnt files
    /// at the start of the run.
    ///
    /// # Errors
    /// [`EvalError::Results`] if the folder holds another run, or a run without `resume`, or other
    /// files: nothing is overwritten. [`EvalError::Io`] if it cannot be written.
    pub fn open(
        path: &Path,
        manifest: &Manifest,
        learnt: &LearntFiles,
        resume: bool,
    ) -> Result<(Self, Manifest, Vec<Row>), EvalError> {
        let (manifest, done) = match read_manifest(path)? {
            Some(found) => {
                let extended = resume && manifest.extends(&found);
                if !extended {
                    same_run(path, &found, manifest)?;
                }
                if !resume {
                    let advice = "add --resume to go on with it, or choose another folder";
                    return Err(EvalError::results(
                        path,
                        format!("the folder holds this run already; {advice}"),
                    ));
                }
                let rows = read_rows(&path.join(ROWS))?;
                drop_cut_line(&path.join(ROWS))?;
                drop_cut_line(&path.join(TRACES))?;
                (if extended { extend(path, found, manifest)? } else { found }, rows)
            }
            None => {
                create(path, manifest, learnt)?;
                (manifest.clone(), Vec::new())
            }
        };
        let [rows, traces] = [append_to(&path.join(ROWS))?, append_to(&path.join(TRACES))?];
        Ok((Self { path: path.to_owned(), rows, traces }, manifest, done))
    }

    /// The folder of the models' replies.
    pub fn replies(path: &Path) -> PathBuf {
        path.join(REPLIES)
    }

    /// Adds a question's result. The trace is written first, so that every row has one.
    ///
    /// # Errors
    /// [`EvalError::Io`], for example on a full disk. Earlier rows stay intact.
    pub fn add(&mut self, row: &Row, trace: &TraceRow) -> Result<(), EvalError> {
        append(&mut self.traces, &self.path.join(TRACES), trace)?;
        append(&mut self.rows, &self.path.join(ROWS), row)
    }
}

impl Results {
    /// Reads a results folder.
    ///
    /// # Errors
    /// [`EvalError::Results`] if it holds no run, or one of another format.
    pub fn read(path: &Path) -> Result<Self, EvalError> {
        let manifest = read_manifest(path)?.ok_or_else(|| {
            EvalError::results(path, "no results folder; `quipu eval run … --out DIR` makes one")
        })?;
        Ok(Self { path: path.to_owned(), manifest, rows: read_rows(&path.join(ROWS))? })
    }

    /// The traces by method, model and question.
    ///
    /// # Errors
    /// [`EvalError::Io`], or [`EvalError::Results`] with the unreadable line.
    pub fn traces(&self) -> Result<HashMap<(String, String, String), TraceRow>, EvalError> {
        let traces = read_lines::<TraceRow>(&self.path.join(TRACES))?;
        Ok(traces.into_iter().map(|t| ((t.method.clone(), t.llm.clone(), t.id.clone()), t)).collect())
    }

    /// The learnt files about the workspaces at the start of the run.
    ///
    /// # Errors
    /// [`EvalError::Io`].
    pub fn learnt(&self) -> Result<LearntFiles, EvalError> {
        LearntFiles::read_back(&self.path.join(LEARNT))
    }

    /// The rows of one method and model, in the order of completion.
    pub fn rows_of(&self, method: &str, llm: &str) -> Vec<Row> {
        self.rows.iter().filter(|row| row.method == method && row.llm == llm).cloned().collect()
    }

    /// Methods and models that have rows, in the manifest's order.
    pub fn runs(&self) -> Vec<(String, String)> {
        let mut runs = Vec::new();
        for llm in &self.manifest.llms {
            for method in &self.manifest.methods {
                if self.rows.iter().any(|row| row.method == *method && row.llm == llm.name) {
                    runs.push((method.clone(), llm.name.clone()));
                }
            }
        }
        runs
    }
}

/// The existing run, extended to the questions of `wanted`.
fn extend(path: &Path, found: Manifest, wanted: &Manifest) -> Result<Manifest, EvalError> {
    let selection = wanted.selection.clone();
    let manifest = Manifest { selection, unknown_gold: wanted.unknown_gold, ..found };
    write_manifest(path, &manifest)?;
    Ok(manifest)
}

fn same_run(path: &Path, found: &Manifest, wanted: &Manifest) -> Result<(), EvalError> {
    let differences = wanted.differences(found);
    let Some((name, ours, theirs)) = differences.first() else { return Ok(()) };
    let (ours, theirs) = shown_difference(ours, theirs);
    let more = differences.len() - 1;
    let others = if more == 0 { String::new() } else { format!(" (and {more} more)") };
    let reason = format!(
        "the folder holds another run: its {name} is {theirs}, this one's {ours}{others}; choose another folder"
    );
    Err(EvalError::results(path, reason))
}

/// The two texts from their first difference on, shortened.
fn shown_difference(ours: &str, theirs: &str) -> (String, String) {
    const SHOWN: usize = 60;
    const BEFORE: usize = 20;
    let same = ours.chars().zip(theirs.chars()).take_while(|(a, b)| a == b).count();
    let cut = |text: &str| -> String {
        let start = same.saturating_sub(BEFORE);
        let shown: String = text.chars().skip(start).take(SHOWN).collect();
        let before = if start > 0 { "…" } else { "" };
        let after = if text.chars().count() > start + SHOWN { "…" } else { "" };
        format!("“{before}{shown}{after}”")
    };
    (cut(ours), cut(theirs))
}

fn create(path: &Path, manifest: &Manifest, learnt: &LearntFiles) -> Result<(), EvalError> {
    if path.exists() && !path.is_dir() {
        return Err(EvalError::results(path, "this is a file; a results folder was expected"));
    }
    fs::create_dir_all(path).map_err(EvalError::io("cannot create", path))?;
    let mut entries = fs::read_dir(path).map_err(EvalError::io("cannot read", path))?;
    let other = |entry: &std::io::Result<fs::DirEntry>| {
        // Replies may exist before the manifest, because the models are opened first.
        entry.as_ref().map_or(true, |entry| entry.file_name() != REPLIES)
    };
    if entries.any(|entry| other(&entry)) {
        return Err(EvalError::results(
            path,
            "the folder holds other files; choose an empty or a new folder",
        ));
    }
    learnt.write(&path.join(LEARNT))?;
    for name in [ROWS, TRACES] {
        append_to(&path.join(name))?;
    }
    write_manifest(path, manifest)
}

fn write_manifest(path: &Path, manifest: &Manifest) -> Result<(), EvalError> {
    let text = serde_json::to_vec_pretty(manifest).unwrap_or_default();
    write_beside(&path.join(MANIFEST), &text)
}

/// Written under another name and renamed, so that the file is never partial.
fn write_beside(path: &Path, content: &[u8]) -> Result<(), EvalError> {
    let beside = path.with_extension("new");
    let wrote = File::create(&beside).and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()
    });
    wrote.and_then(|()| fs::rename(&beside, path)).map_err(EvalError::io("cannot write", path))
}

fn read_manifest(path: &Path) -> Result<Option<Manifest>, EvalError> {
    let file = path.join(MANIFEST);
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error)
            if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(EvalError::io("cannot read", &file)(error)),
    };
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let format: Option<Format> = serde_json::from_str(&text).ok();
    match (format, serde_json::from_str::<Manifest>(&text)) {
        (Some(Format { format }), _) if format != RESULTS_FORMAT => {
            let reason = format!("results of format {format}; this Quipu reads format {RESULTS_FORMAT}");
            Err(EvalError::results(&file, reason))
        }
        (_, Ok(manifest)) => Ok(Some(manifest)),
        (_, Err(error)) => Err(EvalError::results(&file, format!("no manifest of results: {error}"))),
    }
}

/// The complete lines of a file. A truncated last line does not count. A duplicate row (from a run
/// that was resumed twice at the same time) counts once.
fn read_rows(path: &Path) -> Result<Vec<Row>, EvalError> {
    let mut seen = std::collections::HashSet::new();
    let rows = read_lines::<Row>(path)?;
    Ok(rows.into_iter().filter(|row| seen.insert(row.key())).collect())
}

fn read_lines<T: serde::de::DeserializeOwned>(path: &Path) -> Result<Vec<T>, EvalError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => file.map_err(EvalError::io("cannot open", path))?,
    };
    let mut reader = BufReader::new(file);
    let (mut values, mut line, mut number) = (Vec::new(), String::new(), 0);
    loop {
        line.clear();
        number += 1;
        let read = reader.read_line(&mut line).map_err(EvalError::io("cannot read", path))?;
        if read == 0 || !line.ends_with('\n') {
            return Ok(values);
        }
        let value = serde_json::from_str(&line)
            .map_err(|error| EvalError::results(path, format!("line {number}: {error}")))?;
        values.push(value);
    }
}

fn drop_cut_line(path: &Path) -> Result<(), EvalError> {
    let Ok(bytes) = fs::read(path) else { return Ok(()) };
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if whole == bytes.len() {
        return Ok(());
    }
    let file = OpenOptions::new().write(true).open(path).map_err(EvalError::io("cannot open", path))?;
    file.set_len(whole as u64).map_err(EvalError::io("cannot write", path))
}

fn append_to(path: &Path) -> Result<File, EvalError> {
    OpenOptions::new().create(true).append(true).open(path).map_err(EvalError::io("cannot open", path))
}

fn append<T: Serialize>(file: &mut File, path: &Path, value: &T) -> Result<(), EvalError> {
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    file.write_all(&line)
        .map_err(EvalError::io("cannot write (the rows before are whole; resume when there is room)", path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Selection;
    use crate::manifest::samples::manifest;
    use crate::row::samples::row;

    fn trace(row: &Row) -> TraceRow {
        TraceRow {
            id: row.id.clone(),
            method: row.method.clone(),
            llm: row.llm.clone(),
            evidence: Vec::new(),
            events: Vec::new(),
        }
    }

    fn learnt() -> LearntFiles {
        let bench = tempfile::tempdir().unwrap();
        fs::write(bench.path().join(quipu_answer::LEARNT_FILES[0]), "[relation]").unwrap();
        LearntFiles::read(bench.path(), [bench.path()]).unwrap()
    }

    fn add(folder: &mut ResultsFolder, id: &str) {
        folder.add(&row(id), &trace(&row(id))).unwrap();
    }

    #[test]
    fn a_killed_run_goes_on_from_its_whole_rows() {
        let bench = tempfile::tempdir().unwrap();
        let path = bench.path().join("results");
        let (mut folder, _, done) = ResultsFolder::open(&path, &manifest(), &learnt(), false).unwrap();
        assert_eq!(done, []);
        add(&mut folder, "1");
        for name in [ROWS, TRACES] {
            let mut file = append_to(&path.join(name)).unwrap();
            write!(file, "{{\"id\": \"2\", \"quest").unwrap();
        }
        let later = Manifest { began: "2026-02-02T00:00:00Z".into(), ..manifest() };
        let (mut folder, found, done) =
            ResultsFolder::open(&path, &later, &LearntFiles::default(), true).unwrap();
        assert_eq!(found.began, manifest().began);
        assert_eq!(done, [row("1")]);
        add(&mut folder, "2");
        let results = Results::read(&path).unwrap();
        assert_eq!(results.rows, [row("1"), row("2")]);
        assert_eq!(results.traces().unwrap().len(), 2);
        assert_eq!(results.learnt().unwrap(), learnt());
        assert_eq!(results.runs(), [("paths".to_owned(), "none".to_owned())]);
    }

    #[test]
    fn a_resumed_run_may_take_more_questions() {
        let bench = tempfile::tempdir().unwrap();
        let path = bench.path().join("results");
        let with = |limit: usize| Manifest {
            selection: Selection { limit: Some(limit), questions: limit, ..Selection::default() },
            ..manifest()
        };
        let (mut folder, _, _) = ResultsFolder::open(&path, &with(1), &learnt(), false).unwrap();
        add(&mut folder, "1");
        let open = |limit, resume| ResultsFolder::open(&path, &with(limit), &LearntFiles::default(), resume);
        assert!(open(2, false).unwrap_err().to_string().contains("another run"));
        let (_, found, done) = open(2, true).unwrap();
        assert_eq!((found, done), (with(2), vec![row("1")]));
        assert_eq!(Results::read(&path).unwrap().manifest, with(2));
        assert!(open(1, true).unwrap_err().to_string().contains("selection"));
    }

    #[test]
    fn nothing_is_overwritten() {
        let bench = tempfile::tempdir().unwrap();
        let path = bench.path().join("results");
        drop(ResultsFolder::open(&path, &manifest(), &LearntFiles::default(), false).unwrap());
        let message = |manifest: &Manifest, path: &Path, resume: bool| {
            ResultsFolder::open(path, manifest, &LearntFiles::default(), resume).unwrap_err().to_string()
        };
        let again = message(&manifest(), &path, false);
        assert!(again.contains("--resume"), "{again}");
        let other = Manifest { methods: vec!["kerag".into()], ..manifest() };
        for resume in [false, true] {
            let refused = message(&other, &path, resume);
            assert!(refused.contains("its methods is “paths”, this one's “kerag”"), "{refused}");
        }
        let strange = bench.path().join("strange");
        fs::create_dir(&strange).unwrap();
        fs::write(strange.join("thesis.tex"), "x").unwrap();
        assert!(message(&manifest(), &strange, true).contains("other files"));
        let file = bench.path().join("file");
        fs::write(&file, "x").unwrap();
        assert!(message(&manifest(), &file, false).contains("this is a file"));
        assert_eq!(fs::read_to_string(&file).unwrap(), "x");
        assert_eq!(fs::read_dir(&strange).unwrap().count(), 1);
    }

    #[test]
    fn results_of_another_format_or_none_are_named() {
        let bench = tempfile::tempdir().unwrap();
        let none = Results::read(bench.path()).unwrap_err().to_string();
        assert!(none.contains("no results folder"), "{none}");
        fs::write(bench.path().join(MANIFEST), r#"{"format": 99, "whatever": 1}"#).unwrap();
        let newer = Results::read(bench.path()).unwrap_err().to_string();
        assert!(newer.contains("format 99") && newer.contains(MANIFEST), "{newer}");
        fs::write(bench.path().join(MANIFEST), "{").unwrap();
        assert!(Results::read(bench.path()).unwrap_err().to_string().contains("no manifest"));
    }

    #[test]
    fn a_damaged_row_is_named_by_line() {
        let bench = tempfile::tempdir().unwrap();
        let path = bench.path().join("results");
        let (mut folder, _, _) =
            ResultsFolder::open(&path, &manifest(), &LearntFiles::default(), false).unwrap();
        add(&mut folder, "1");
        let mut file = append_to(&path.join(ROWS)).unwrap();
        writeln!(file, "{{\"id\": 7}}").unwrap();
        let damaged = Results::read(&path).unwrap_err().to_string();
        assert!(damaged.contains("rows.jsonl: line 2"), "{damaged}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_said() {
        let full = Path::new("/dev/full");
        let mut file = OpenOptions::new().append(true).open(full).unwrap();
        let message = append(&mut file, full, &row("1")).unwrap_err().to_string();
        assert!(
            message.contains("cannot write") && message.contains("resume") && message.contains("No space"),
            "{message}"
        );
    }
}
