//! The settings and the report of an import.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::report::TableReport;
use crate::parse::InputFormat;
use crate::{Input, ProfileChoice};

/// Default memory of an import: 1 GiB.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// Called with each step of an import's progress, from any of its threads, several times a second.
pub type ProgressSink = Arc<dyn Fn(ImportProgress) + Send + Sync>;

/// Settings of an import.
#[derive(Clone)]
pub struct ImportConfig {
    /// The source's name, as evidence cites it.
    pub name: String,
    /// The inputs, in this order.
    pub inputs: Vec<Input>,
    /// The format of all inputs; `None`: each by its extension, else by its content.
    pub format: Option<InputFormat>,
    /// The roles of relations.
    pub profile: ProfileChoice,
    /// Languages of labels, the preferred first; then labels without a language, then any.
    pub languages: Vec<String>,
    /// Skip malformed lines instead of stopping at the first.
    pub lenient: bool,
    /// Bytes of memory to stay within, roughly. Larger data goes to spill files.
    pub memory: u64,
    /// Threads that parse and sort.
    pub threads: usize,
    /// Called with the import's progress.
    pub progress: Option<ProgressSink>,
    /// Set it to stop the import; it then ends with
    /// [`GraphError::Cancelled`](crate::GraphError::Cancelled).
    pub cancel: Arc<AtomicBool>,
}

impl ImportConfig {
    /// The defaults for these inputs: detected formats and profile, English labels, 1 GiB, all
    /// cores.
    pub fn new(name: impl Into<String>, inputs: Vec<Input>) -> Self {
        Self {
            name: name.into(),
            inputs,
            format: None,
            profile: ProfileChoice::Auto,
            languages: vec!["en".into()],
            lenient: false,
            memory: DEFAULT_MEMORY,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            progress: None,
            cancel: Arc::default(),
        }
    }
}

/// The stage of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportStage {
    /// Reading and parsing; counted in bytes of the input files.
    Reading,
    /// Merging the terms into one dictionary; counted in terms.
    Merging,
    /// Sorting the triples; counted in triples.
    Sorting,
    /// Writing the adjacency; counted in nodes.
    Writing,
    /// Counting the schema.
    Summarising,
}

/// The progress of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportProgress {
    /// The stage.
    pub stage: ImportStage,
    /// How much of the stage is done.
    pub done: u64,
    /// The total of the stage; `None` if it is unknown (standard input).
    pub total: Option<u64>,
    /// Triples read so far.
    pub triples: u64,
}

/// A line that a lenient import skipped.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkippedLine {
    /// The input.
    pub path: PathBuf,
    /// 1-based line; 0 if the format does not give it.
    pub line: u64,
    /// The fault in the line.
    pub reason: String,
}

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportReport {
    /// Statements read, repeated ones too.
    pub statements: u64,
    /// Distinct triples stored.
    pub triples: u64,
    /// Entities stored.
    pub entities: u64,
    /// Literals stored.
    pub literals: u64,
    /// Relations stored.
    pub relations: u64,
    /// Distinct types.
    pub types: u64,
    /// Documents stored.
    pub documents: u64,
    /// Bytes of the store.
    pub bytes: u64,
    /// The profile used.
    pub profile: String,
    /// Number of skipped lines.
    pub skipped: u64,
    /// The first hundred skipped lines.
    pub skipped_lines: Vec<SkippedLine>,
    /// Inputs of lines or rows whose last one has no line end. Their formats have no end mark, so
    /// such a file may have been cut, in its last value too.
    pub open_ended: Vec<PathBuf>,
    /// Reports on the inputs that are tables.
    pub tables: Vec<TableReport>,
    /// Seconds by stage, in order.
    pub seconds: Vec<(&'static str, f64)>,
}
