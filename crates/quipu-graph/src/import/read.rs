//! The reading threads: each takes work, parses it and fills a batch.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use oxrdfio::RdfFormat;
use parking_lot::Mutex;

use super::batch::{Batch, Gathered};
use super::config::{ImportConfig, SkippedLine};
use super::nodes::KnownNodes;
use super::tables::Tables;
use super::watch::Watch;
use crate::parse::input::{Input, Opened, Source, Work};
use crate::parse::ntriples::LineParser;
use crate::parse::{InputFormat, LineError, delimited, rdf, skb, wikidata};
use crate::{GraphError, ImportStage};

/// Most skipped lines in a report.
const LISTED: usize = 100;
/// Statements of a stream between two checks of memory and cancellation.
const STATEMENTS_BETWEEN_LOOKS: u64 = 4096;

/// The counts of the reading threads.
#[derive(Default)]
pub(crate) struct Counted {
    pub(crate) statements: AtomicU64,
    pub(super) skipped: AtomicU64,
    pub(super) skipped_lines: Mutex<Vec<SkippedLine>>,
    pub(super) open_ended: Mutex<Vec<PathBuf>>,
}

/// The data of a reading thread.
struct Reader<'a> {
    config: &'a ImportConfig,
    source: &'a Mutex<Source>,
    counted: &'a Counted,
    known: Option<&'a KnownNodes>,
    tables: &'a Tables,
    watch: &'a Watch<'a>,
    bytes_read: &'a AtomicU64,
    total: Option<u64>,
}

/// Reads all inputs into spilled runs.
pub(super) fn read_inputs(
    config: &ImportConfig,
    gathered: &Gathered,
    counted: &Counted,
    watch: &Watch<'_>,
) -> Result<Tables, GraphError> {
    let bytes_read = Arc::new(AtomicU64::new(0));
    let source = Mutex::new(Source::new(config.inputs.clone(), config.format, bytes_read.clone()));
    let total = total_bytes(&config.inputs)?;
    let known = KnownNodes::read(config, watch)?;
    let tables = Tables::survey(config, watch)?;
    let threads = config.threads.max(1);
    // Half of the memory is for the batches. Their tables double when they grow, which takes the
    // other half for a moment.
    let limit = (config.memory as usize / 2 / threads).max(1 << 20);
    let known = known.as_ref();
    let tables_seen = &tables;
    let reader = Reader {
        config,
        source: &source,
        counted,
        known,
        tables: tables_seen,
        watch,
        bytes_read: &bytes_read,
        total,
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let outcome = reader.run(&mut Batch::new(gathered, limit));
                    watch.stop_on_error(&outcome);
                    outcome
                })
            })
            .collect();
        first_cause(threads.into_iter().map(super::join))
    })?;
    Ok(tables)
}

/// The error to report of several threads: the first that is not a consequence of another thread's,
/// and of two malformed places in one file the earlier one, whichever thread was faster.
pub(super) fn first_cause(outcomes: impl Iterator<Item = Result<(), GraphError>>) -> Result<(), GraphError> {
    let mut result = Ok(());
    for outcome in outcomes {
        let Err(error) = outcome else { continue };
        if result.as_ref().err().is_none_or(|found| goes_before(&error, found)) {
            result = Err(error);
        }
    }
    result
}

fn goes_before(error: &GraphError, other: &GraphError) -> bool {
    match (error, other) {
        (
            GraphError::Malformed { path, line, .. },
            GraphError::Malformed { path: other, line: found, .. },
        ) => path == other && line < found,
        (_, GraphError::Cancelled) => true,
        _ => false,
    }
}

/// Bytes of all files; `None` if standard input or a pipe is among them.
fn total_bytes(inputs: &[Input]) -> Result<Option<u64>, GraphError> {
    let mut total = Some(0);
    for input in inputs {
        let Input::File(path) = input else {
            total = None;
            continue;
        };
        let metadata = std::fs::metadata(path).map_err(crate::error::io_error("cannot read", path))?;
        if metadata.is_dir() {
            return Err(GraphError::Usage(format!("{} is a folder; name the files in it", path.display())));
        }
        total = total.filter(|_| metadata.is_file()).map(|total| total + metadata.len());
    }
    Ok(total)
}

impl Reader<'_> {
    fn run(&self, batch: &mut Batch<'_>) -> Result<(), GraphError> {
        loop {
            self.watch.check()?;
            let work = self.source.lock().next()?;
            match work {
                None => break,
                Some(Work::Lines { input, first_line, bytes }) => {
                    self.lines(&input, first_line, &bytes, batch)?;
                }
                Some(Work::Stream { input, reader }) => self.stream(&input, reader, batch)?,
                Some(Work::Unended { input, line, reason }) => {
                    self.failed(&input.path, line, reason.into())?;
                }
                Some(Work::OpenEnded { input }) => self.open_ended(&input),
            }
            self.looked(batch)?;
        }
        batch.spill()
    }

    /// Reports progress, and spills if the batch is full.
    fn looked(&self, batch: &mut Batch<'_>) -> Result<(), GraphError> {
        let fresh = std::mem::take(&mut batch.statements);
        let read = fresh + self.counted.statements.fetch_add(fresh, Ordering::Relaxed);
        self.watch.report(ImportStage::Reading, self.bytes_read.load(Ordering::Relaxed), self.total, read);
        batch.spill_if_full()
    }

    fn stream(
        &self,
        input: &Opened,
        reader: Box<dyn std::io::Read + Send>,
        batch: &mut Batch<'_>,
    ) -> Result<(), GraphError> {
        let failed = |_: &mut Batch<'_>, line, error| self.failed(&input.path, line, error);
        let progressed = |batch: &mut Batch<'_>| {
            if batch.statements < STATEMENTS_BETWEEN_LOOKS && !batch.is_due() {
                return Ok(());
            }
            self.watch.check()?;
            self.looked(batch)
        };
        let Some(format) = input.format.rdf() else {
            self.tables.stream(input, reader, batch, failed, progressed)?;
            if input.ends_within_a_line() {
                self.open_ended(input);
            }
            return Ok(());
        };
        rdf::stream(format, input, reader, batch, failed, progressed)
    }

    fn lines(
        &self,
        input: &Opened,
        first_line: u64,
        bytes: &[u8],
        batch: &mut Batch<'_>,
    ) -> Result<(), GraphError> {
        let mut lines = LineReader::new(input, self.known);
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                for (line, number) in Lines(text).zip(first_line..) {
                    if let Err(error) = lines.line(line, number, batch) {
                        self.failed(&input.path, number, error)?;
                    }
                }
            }
            Err(_) => {
                for (line, number) in bytes.split(|byte| *byte == b'\n').zip(first_line..) {
                    let outcome = match std::str::from_utf8(line) {
                        Ok(line) => lines.line(line, number, batch),
                        Err(error) => {
                            Err(format!("invalid UTF-8 at byte {}", error.valid_up_to() + 1).into())
                        }
                    };
                    outcome.or_else(|error| self.failed(&input.path, number, error))?;
                }
            }
        }
        Ok(())
    }

    /// Notes an input whose last line has no line end.
    fn open_ended(&self, input: &Opened) {
        self.counted.open_ended.lock().push(input.path.clone());
    }

    /// Ends the import at a malformed line, or notes it when the import is lenient.
    fn failed(&self, path: &Path, line: u64, error: LineError) -> Result<(), GraphError> {
        let reason = match error {
            LineError::Sink(error) => return Err(error),
            LineError::Malformed(reason) => reason,
        };
        if !self.config.lenient {
            return Err(GraphError::Malformed { path: path.to_owned(), line, reason });
        }
        self.counted.skipped.fetch_add(1, Ordering::Relaxed);
        let mut listed = self.counted.skipped_lines.lock();
        if listed.len() < LISTED {
            listed.push(SkippedLine { path: path.to_owned(), line, reason });
        }
        Ok(())
    }
}

/// The lines of a text, by `memchr`.
struct Lines<'a>(&'a str);

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.0.as_bytes()).unwrap_or(self.0.len());
        let line = self.0.get(..end).unwrap_or_default();
        self.0 = self.0.get(end + 1..).unwrap_or_default();
        Some(line)
    }
}

/// Parses lines of one input in its format.
struct LineReader<'a> {
    kind: LineKind,
    input: usize,
    known: Option<&'a KnownNodes>,
}

enum LineKind {
    Rdf(LineParser),
    Tab,
    Comma,
    Node,
    Wikidata,
}

impl<'a> LineReader<'a> {
    fn new(input: &Opened, known: Option<&'a KnownNodes>) -> Self {
        let kind = match input.format {
            InputFormat::Tsv => LineKind::Tab,
            InputFormat::Csv => LineKind::Comma,
            InputFormat::SkbNodes => LineKind::Node,
            InputFormat::Wikidata => LineKind::Wikidata,
            InputFormat::NQuads => LineKind::Rdf(LineParser::new(RdfFormat::NQuads, input.number)),
            _ => LineKind::Rdf(LineParser::new(RdfFormat::NTriples, input.number)),
        };
        Self { kind, input: input.number, known }
    }

    #[inline]
    fn line(&mut self, line: &str, number: u64, batch: &mut Batch<'_>) -> Result<(), LineError> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.is_empty()
            || (number == 1
                && matches!(self.kind, LineKind::Tab | LineKind::Comma)
                && delimited::is_header(line))
        {
            return Ok(());
        }
        let check = |ends: [&str; 2]| self.known.map_or(Ok(()), |known| known.check_edge(ends));
        match &mut self.kind {
            LineKind::Rdf(parser) => parser.line(line, batch),
            LineKind::Tab => delimited::tab_separated(line, &check, batch),
            LineKind::Comma => delimited::comma_separated(line, &check, batch),
            LineKind::Node => {
                self.known.map_or(Ok(()), |known| known.check_node(self.input, number, line))?;
                skb::node(line, batch)
            }
            LineKind::Wikidata => wikidata::entity(line, batch),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, reason = "a test fails by panicking")]

    use super::*;

    fn malformed(path: &str, line: u64) -> Result<(), GraphError> {
        Err(GraphError::Malformed { path: path.into(), line, reason: "broken".into() })
    }

    fn line(outcomes: impl IntoIterator<Item = Result<(), GraphError>>) -> u64 {
        match first_cause(outcomes.into_iter()) {
            Err(GraphError::Malformed { line, .. }) => line,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_earlier_place_of_one_file_is_reported_whichever_thread_was_faster() {
        assert_eq!(line([malformed("a", 4), Ok(()), malformed("a", 3)]), 3);
        assert_eq!(line([malformed("a", 3), malformed("a", 4)]), 3);
        assert_eq!(line([malformed("b", 9), malformed("a", 3)]), 9, "another file's is another matter");
    }

    #[test]
    fn a_thread_that_was_stopped_is_not_the_cause() {
        assert_eq!(line([Err(GraphError::Cancelled), malformed("a", 7), Err(GraphError::Cancelled)]), 7);
        assert!(first_cause([Ok(()), Ok(())].into_iter()).is_ok());
        assert!(matches!(first_cause([Err(GraphError::Cancelled)].into_iter()), Err(GraphError::Cancelled)));
    }
}
