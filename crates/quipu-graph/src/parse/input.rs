//! Inputs: files and standard input, decompressed, as blocks of whole lines or as one stream.

use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use super::{InputFormat, LONGEST_TEXT, table};
use crate::GraphError;
use crate::error::{Damaged, io_error};

/// Bytes of a block of lines.
const BLOCK: usize = 2 << 20;
/// Bytes that are read to detect format and compression.
const SNIFFED: usize = 8 << 10;

/// A source of triples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl Input {
    /// Whether it is a regular file, which gives the same content each time: not standard input,
    /// nor a named pipe.
    pub(crate) fn can_be_read_twice(&self) -> bool {
        match self {
            Self::File(path) => std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file()),
            Self::Stdin => false,
        }
    }

    /// The name that messages use.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Stdin => Path::new("<stdin>"),
        }
    }
}

/// An open input, shared by its blocks.
pub(crate) struct Opened {
    pub(crate) path: PathBuf,
    pub(crate) format: InputFormat,
    /// Position among the inputs. It distinguishes the blank nodes of different files.
    pub(crate) number: usize,
    /// The last byte that its reader gave; a line end before the first.
    last: Arc<AtomicU8>,
}

impl Opened {
    /// Whether the bytes that were read so far end within a line.
    pub(crate) fn ends_within_a_line(&self) -> bool {
        !matches!(self.last.load(Ordering::Relaxed), b'\n' | b'\r')
    }
}

/// One piece of work.
pub(crate) enum Work {
    /// Whole lines, the first of which has this 1-based number.
    Lines { input: Arc<Opened>, first_line: u64, bytes: Vec<u8> },
    /// A whole file in a format that cannot be split.
    Stream { input: Arc<Opened>, reader: Box<dyn Read + Send> },
    /// An input that ended too early, and the line of the missing end.
    Unended { input: Arc<Opened>, line: u64, reason: &'static str },
    /// The end of an input whose last line has no line end: its format cannot tell whether it was
    /// cut there.
    OpenEnded { input: Arc<Opened> },
}

/// Produces the work of all inputs, in order.
pub(crate) struct Source {
    inputs: std::vec::IntoIter<Input>,
    format: Option<InputFormat>,
    /// Whether the inputs include files of nodes.
    nodes: bool,
    current: Option<Lines>,
    number: usize,
    /// Compressed bytes read so far, for the progress bar.
    read: Arc<AtomicU64>,
}

/// A line-based input that is open.
struct Lines {
    input: Arc<Opened>,
    reader: Box<dyn Read + Send>,
    carry: Vec<u8>,
    next_line: u64,
    /// The first and the last non-blank byte so far.
    outermost: Option<(u8, u8)>,
}

/// Shows the bytes that are read to `see`.
struct Watched<R, F> {
    inner: R,
    see: F,
}

impl<R: Read, F: FnMut(&[u8])> Read for Watched<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        (self.see)(buffer.get(..count).unwrap_or_default());
        Ok(count)
    }
}

impl Source {
    pub(crate) fn new(inputs: Vec<Input>, format: Option<InputFormat>, read: Arc<AtomicU64>) -> Self {
        let is_nodes = |input: &Input| InputFormat::of_path(input.path()) == Some(InputFormat::SkbNodes);
        let nodes = inputs.iter().any(is_nodes);
        Self { inputs: inputs.into_iter(), format, nodes, current: None, number: 0, read }
    }

    /// The next piece of work; `None` at the end of the last input.
    pub(crate) fn next(&mut self) -> Result<Option<Work>, GraphError> {
        loop {
            if let Some(lines) = &mut self.current {
                if let Some(work) = lines.next_block()? {
                    return Ok(Some(work));
                }
                let ended = lines.ended();
                self.current = None;
                if ended.is_some() {
                    return Ok(ended);
                }
            }
            let Some(input) = self.inputs.next() else { return Ok(None) };
            let (opened, reader) = self.open_at(self.number, &input)?;
            self.number += 1;
            let input = Arc::new(opened);
            if !input.format.is_line_based() {
                return Ok(Some(Work::Stream { input, reader }));
            }
            self.current = Some(Lines { input, reader, carry: Vec::new(), next_line: 1, outermost: None });
        }
    }

    /// Skips the rest of the current input.
    pub(crate) fn skip(&mut self) {
        self.current = None;
    }

    /// Opens the input at a position.
    pub(crate) fn open_at(
        &self,
        number: usize,
        input: &Input,
    ) -> Result<(Opened, Box<dyn Read + Send>), GraphError> {
        let path = input.path();
        let raw: Box<dyn Read + Send> = match input {
            Input::File(path) => Box::new(File::open(path).map_err(io_error("cannot open", path))?),
            Input::Stdin => Box::new(std::io::stdin()),
        };
        let read = self.read.clone();
        let count = move |bytes: &[u8]| {
            read.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        };
        let counted = Watched { inner: raw, see: count };
        let mut reader = without_mark(path, decompressed(path, Box::new(counted))?)?;
        let named = self.format.or_else(|| InputFormat::of_path(path));
        let format = match named {
            Some(format) if self.format.is_none() && format.is_ambiguous() => {
                let content = InputFormat::of_content(&peek(path, &mut reader)?);
                content.filter(|content| *content == InputFormat::Wikidata).unwrap_or(format)
            }
            // A table is read twice, which a pipe cannot be. Beside files of nodes, columns are
            // edges.
            Some(format)
                if self.format.is_none()
                    && format.is_columns()
                    && !self.nodes
                    && input.can_be_read_twice() =>
            {
                let start = peek(path, &mut reader)?;
                if table::is_table(&start, start.len() < SNIFFED) { InputFormat::Table } else { format }
            }
            Some(format) => format,
            None => {
                let start = peek(path, &mut reader)?;
                InputFormat::of_content(&start).ok_or_else(|| {
                    GraphError::Usage(format!(
                        "{}: cannot tell its format; name it with --format",
                        path.display()
                    ))
                })?
            }
        };
        let last = Arc::new(AtomicU8::new(b'\n'));
        let noted = last.clone();
        let note = move |bytes: &[u8]| {
            if let Some(byte) = bytes.last() {
                noted.store(*byte, Ordering::Relaxed);
            }
        };
        let reader = Box::new(Watched { inner: reader, see: note });
        Ok((Opened { path: path.to_owned(), format, number, last }, reader))
    }
}

/// Reads the start of a stream and puts it back.
pub(crate) fn peek(path: &Path, reader: &mut Box<dyn Read + Send>) -> Result<Vec<u8>, GraphError> {
    let mut start = Vec::new();
    reader.by_ref().take(SNIFFED as u64).read_to_end(&mut start).map_err(io_error("cannot read", path))?;
    let rest = std::mem::replace(reader, Box::new(std::io::empty()));
    *reader = Box::new(Cursor::new(start.clone()).chain(rest));
    Ok(start)
}

/// Removes the byte order mark that some editors write before UTF-8 text.
fn without_mark(path: &Path, mut reader: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>, GraphError> {
    let mut start = Vec::new();
    let mark = "\u{feff}".as_bytes();
    reader.by_ref().take(mark.len() as u64).read_to_end(&mut start).map_err(io_error("cannot read", path))?;
    Ok(if start == mark { reader } else { Box::new(Cursor::new(start).chain(reader)) })
}

/// Decompresses by the first bytes of the stream.
fn decompressed(path: &Path, mut raw: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>, GraphError> {
    let start = peek(path, &mut raw)?;
    let raw = BufReader::with_capacity(256 << 10, raw);
    Ok(match start.as_slice() {
        [0x1f, 0x8b, ..] => Box::new(Unpacked(flate2::bufread::MultiGzDecoder::new(raw))),
        start if is_bzip2(start) => Box::new(Unpacked(bzip2::bufread::MultiBzDecoder::new(raw))),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            Box::new(Unpacked(zstd::Decoder::with_buffer(raw).map_err(io_error("cannot read", path))?))
        }
        _ => Box::new(raw),
    })
}

/// Whether bytes begin as bzip2 does: its name, a level, and the mark of a block or of the end. The
/// name alone may begin a text: "BZhang". Of a cut file the mark may be cut.
fn is_bzip2(start: &[u8]) -> bool {
    let Some((level, mark)) = start.strip_prefix(b"BZh").and_then(<[u8]>::split_first) else { return false };
    let marks = [[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]];
    let begins = |of: &[u8; 6]| mark.iter().zip(of).all(|(byte, known)| byte == known);
    level.is_ascii_digit() && *level != b'0' && marks.iter().any(begins)
}

/// A decompressor, whose own errors are told apart from those of the file below it.
struct Unpacked<R>(R);

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.raw_os_error() {
            Some(_) => error,
            None if error.kind() == std::io::ErrorKind::Interrupted => error,
            None => std::io::Error::new(error.kind(), Damaged(error.to_string())),
        })
    }
}

impl Lines {
    fn next_block(&mut self) -> Result<Option<Work>, GraphError> {
        let mut bytes = std::mem::take(&mut self.carry);
        let mut wanted = BLOCK;
        loop {
            let before = bytes.len();
            let mut part = (&mut self.reader).take((wanted - before.min(wanted)).max(BLOCK / 2) as u64);
            part.read_to_end(&mut bytes).map_err(io_error("cannot read", &self.input.path))?;
            if bytes.len() == before {
                return Ok(self.block(bytes));
            }
            let searched = bytes.get(before..).unwrap_or_default();
            if bytes.len() >= BLOCK {
                if let Some(at) = memchr::memrchr(b'\n', searched) {
                    self.carry = bytes.split_off(before + at + 1);
                    return Ok(self.block(bytes));
                }
                if bytes.len() > LONGEST_TEXT {
                    let (path, line) = (self.input.path.clone(), self.next_line);
                    let reason = "the line is too long: this is not a text file".into();
                    return Err(GraphError::Malformed { path, line, reason });
                }
            }
            wanted = bytes.len() + BLOCK;
        }
    }

    fn block(&mut self, bytes: Vec<u8>) -> Option<Work> {
        if bytes.is_empty() {
            return None;
        }
        let first_line = self.next_line;
        self.next_line += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        let text = bytes.trim_ascii();
        if let (Some(first), Some(last)) = (text.first(), text.last()) {
            self.outermost = Some((self.outermost.map_or(*first, |(first, _)| first), *last));
        }
        Some(Work::Lines { input: self.input.clone(), first_line, bytes })
    }

    /// What the end shows: an array of entities without its closing bracket, or a line without its
    /// end.
    fn ended(&self) -> Option<Work> {
        if self.input.format == InputFormat::Wikidata {
            let unended = self.outermost.is_some_and(|(first, last)| first == b'[' && last != b']');
            let reason = "the file is cut off: its array has no closing `]`";
            return unended.then(|| Work::Unended {
                input: self.input.clone(),
                line: self.next_line,
                reason,
            });
        }
        self.input.ends_within_a_line().then(|| Work::OpenEnded { input: self.input.clone() })
    }
}
