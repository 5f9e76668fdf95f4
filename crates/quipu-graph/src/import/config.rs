//! What an import is asked to do, and what it reports.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::report::TableReport;
use crate::parse::InputFormat;
use crate::{Input, ProfileChoice};

/// Memory that an import takes unless told otherwise: 1 GiB.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// Called with each step of an import's progress, from any of its threads, several times a second.
pub type ProgressSink = Arc<dyn Fn(ImportProgress) + Send + Sync>;

/// Settings of an import.
#[derive(Clone)]
pub struct ImportConfig {
    /// The source's name, as evidence cites it.
    pub name: String,
    /// What is read, in this order.
    pub inputs: Vec<Input>,
    /// The format of all inputs; `None`: each by its extension, else by its content.
    pub format: Option<InputFormat>,
    /// Which relations are labels, types and so on.
    pub profile: ProfileChoice,
    /// Languages of labels, the preferred first; then labels without a language, then any.
    pub languages: Vec<String>,
    /// Skip malformed lines instead of stopping at the first.
    pub lenient: bool,
    /// Bytes of memory to stay within, roughly; what does not fit goes to spill files.
    pub memory: u64,
    /// Threads that parse and sort.
    pub threads: usize,
    /// Told of progress.
    pub progress: Option<ProgressSink>,
    /// Set it to stop the import; it then ends with [`GraphError::Cancelled`](crate::GraphError::Cancelled).
    pub cancel: Arc<AtomicBool>,
}

impl ImportConfig {
    /// The defaults for these inputs: formats and profile found out, English labels, 1 GiB, all cores.
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

/// What an import is at.
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

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportProgress {
    /// The stage.
    pub stage: ImportStage,
    /// How much of the stage is done.
    pub done: u64,
    /// How much there is to do; `None` when that cannot be known (standard input).
    pub total: Option<u64>,
    /// Triples read so far.
    pub triples: u64,
}

/// A line that a lenient import left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkippedLine {
    /// The input.
    pub path: PathBuf,
    /// 1-based line; 0 where the format does not tell.
    pub line: u64,
    /// What is wrong there.
    pub reason: String,
}

/// What an import did.
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
    /// How many lines were left out.
    pub skipped: u64,
    /// The first hundred of them.
    pub skipped_lines: Vec<SkippedLine>,
    /// How the inputs that are tables were read.
    pub tables: Vec<TableReport>,
    /// Seconds by stage, in order.
    pub seconds: Vec<(&'static str, f64)>,
}
