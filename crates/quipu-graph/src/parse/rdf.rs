//! RDF through oxrdfio: whole streams of any syntax, and the unusual lines of N-Triples and N-Quads.

use std::cell::Cell;
use std::io::{BufRead, BufReader, Read};
use std::rc::Rc;

use oxrdf::{NamedOrBlankNode, Quad, Term};
use oxrdfio::{RdfFormat, RdfParseError, RdfParser, RdfSyntaxError};

use super::input::Opened;
use super::{LineError, Sink, Tail};
use crate::GraphError;
use crate::error::io_error;

const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";

/// The key of a blank node of the `file`-th input. The first file's keep their labels, so that what is written in it
/// can be found.
pub(crate) fn blank_key(label: &str, file: usize) -> String {
    if file == 0 { format!("_:{label}") } else { format!("_:f{file}_{label}") }
}

/// Parses one line of N-Triples or N-Quads.
pub(crate) fn line(
    format: RdfFormat,
    line: &str,
    file: usize,
    sink: &mut impl Sink,
) -> Result<(), LineError> {
    for quad in RdfParser::from_format(format).for_slice(line) {
        push(&quad.map_err(|error| reason(&error))?, file, sink)?;
    }
    Ok(())
}

/// What breaks the syntax, with the place in the line. The parser's own words begin with a line number, which for a line that was parsed
/// by itself is always 1.
fn reason(error: &RdfSyntaxError) -> String {
    let words = error.to_string();
    let said = words.strip_prefix("Parser error ").and_then(|rest| rest.split_once(": "));
    match (error.location(), said) {
        (Some(place), Some((_, said))) => format!("column {}: {said}", place.start.column + 1),
        _ => words,
    }
}

/// Hands out one line a read and counts them, for parsers that do not say where they stopped: the last line handed out is the one, or the one
/// in which what they missed should have been.
struct ByLine<R> {
    inner: BufReader<R>,
    lines: Rc<Cell<u64>>,
    /// Whether the last byte handed out ended a line.
    at_start: bool,
}

impl<R: Read> Read for ByLine<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let held = self.inner.fill_buf()?;
        let line = memchr::memchr(b'\n', held).map_or(held.len(), |end| end + 1);
        let count = held.get(..line).unwrap_or_default().read(buffer)?;
        let last = count.checked_sub(1).and_then(|last| held.get(last)).copied();
        self.inner.consume(count);
        if let Some(last) = last {
            self.lines.set(self.lines.get() + u64::from(self.at_start));
            self.at_start = last == b'\n';
        }
        Ok(count)
    }
}

/// Parses a stream. `failed` is told of each statement that breaks the syntax, with its line (0: unknown), and decides
/// whether to go on; `progressed` is called after each statement.
pub(crate) fn stream<S: Sink>(
    format: RdfFormat,
    input: &Opened,
    reader: impl Read,
    sink: &mut S,
    mut failed: impl FnMut(&mut S, u64, LineError) -> Result<(), GraphError>,
    mut progressed: impl FnMut(&mut S) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let lines = Rc::new(Cell::new(0));
    // The others say themselves where they stopped, and are faster on whole blocks.
    let reader: Box<dyn Read + '_> = match format {
        RdfFormat::RdfXml => {
            Box::new(ByLine { inner: BufReader::new(reader), lines: lines.clone(), at_start: true })
        }
        _ => Box::new(reader),
    };
    for quad in RdfParser::from_format(format).for_reader(reader) {
        match quad {
            Ok(quad) => {
                if let Err(error) = push(&quad, input.number, sink) {
                    failed(sink, lines.get(), error)?;
                }
                progressed(sink)?;
            }
            Err(RdfParseError::Io(error)) => return Err(io_error("cannot read", &input.path)(error)),
            Err(RdfParseError::Syntax(error)) => {
                let line = error.location().map_or(lines.get(), |location| location.start.line + 1);
                failed(sink, line, LineError::Malformed(reason(&error)))?;
            }
        }
    }
    Ok(())
}

fn push(quad: &Quad, file: usize, sink: &mut impl Sink) -> Result<(), LineError> {
    let blank;
    let head = match &quad.subject {
        NamedOrBlankNode::NamedNode(node) => node.as_str(),
        NamedOrBlankNode::BlankNode(node) => {
            blank = blank_key(node.as_str(), file);
            &blank
        }
    };
    let relation = quad.predicate.as_str();
    match &quad.object {
        Term::NamedNode(node) => sink.triple(head, relation, Tail::Entity(node.as_str()))?,
        Term::BlankNode(node) => {
            sink.triple(head, relation, Tail::Entity(&blank_key(node.as_str(), file)))?;
        }
        Term::Literal(literal) => {
            let kind = match (literal.language(), literal.datatype().as_str()) {
                (Some(language), _) => format!("@{}", language.to_ascii_lowercase()),
                (None, XSD_STRING) => String::new(),
                (None, datatype) => datatype.to_owned(),
            };
            sink.triple(head, relation, Tail::Literal { lexical: literal.value(), kind: &kind })?;
        }
    }
    Ok(())
}
