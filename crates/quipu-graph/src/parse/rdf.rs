//! RDF through oxrdfio: whole streams of any syntax, and the uncommon lines of N-Triples and
//! N-Quads.

use std::io::Read;

use oxrdf::{NamedOrBlankNode, Quad, Term, Triple};
use oxrdfio::{RdfFormat, RdfParseError, RdfParser, RdfSyntaxError};

use super::checked::{Checked, Findings};
use super::input::Opened;
use super::json::JsonCheck;
use super::turtle::TurtleCheck;
use super::xml::CheckedXml;
use super::{LineError, Sink, Tail};
use crate::GraphError;
use crate::error::io_error;

const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";

/// The key of a blank node of the `file`-th input. The first file's nodes keep their labels, so
/// that users can find them.
fn blank_key(label: &str, file: usize) -> String {
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

/// The syntax error, with its position in the line. The parser's message begins with a line number,
/// which is always 1 for a single line.
fn reason(error: &RdfSyntaxError) -> String {
    let words = error.to_string();
    let said = words.strip_prefix("Parser error ").and_then(|rest| rest.split_once(": "));
    match (error.location(), said) {
        (Some(place), Some((_, said))) => format!("column {}: {said}", place.start.column + 1),
        _ => words,
    }
}

/// Parses a stream. `failed` gets each statement that breaks the syntax, with its line (0:
/// unknown), and decides whether to continue; `progressed` is called after each statement.
pub(crate) fn stream<S: Sink>(
    format: RdfFormat,
    input: &Opened,
    reader: impl Read,
    sink: &mut S,
    mut failed: impl FnMut(&mut S, u64, LineError) -> Result<(), GraphError>,
    mut progressed: impl FnMut(&mut S) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let (reader, findings) = checked(format, reader);
    for quad in RdfParser::from_format(format).for_reader(reader) {
        match quad {
            Ok(quad) => {
                if let Err(error) = push(&quad, input.number, sink) {
                    failed(sink, findings.line(), error)?;
                }
                progressed(sink)?;
            }
            Err(RdfParseError::Io(error)) => {
                return match findings.refused() {
                    Some(reason) => failed(sink, findings.line(), LineError::Malformed(reason)),
                    None => Err(io_error("cannot read", &input.path)(error)),
                };
            }
            Err(RdfParseError::Syntax(error)) => {
                let line = error.location().map_or(findings.line(), |location| location.start.line + 1);
                failed(sink, line, LineError::Malformed(reason(&error)))?;
            }
        }
    }
    Ok(())
}

/// The triples of a text in Turtle, with at most `most` bytes once its prefixes are written out;
/// else the reason why there are none.
pub(crate) fn triples(text: &[u8], most: usize) -> Result<Vec<Triple>, String> {
    let (reader, findings) = checked(RdfFormat::Turtle, text);
    let (mut triples, mut size) = (Vec::new(), 0_usize);
    for quad in RdfParser::from_format(RdfFormat::Turtle).for_reader(reader) {
        let Quad { subject, predicate, object, .. } =
            quad.map_err(|error| findings.refused().unwrap_or_else(|| error.to_string()))?;
        let head = match &subject {
            NamedOrBlankNode::NamedNode(node) => node.as_str().len(),
            NamedOrBlankNode::BlankNode(node) => node.as_str().len(),
        };
        let tail = match &object {
            Term::NamedNode(node) => node.as_str().len(),
            Term::BlankNode(node) => node.as_str().len(),
            Term::Literal(literal) => literal.value().len() + literal.datatype().as_str().len(),
        };
        size = size.saturating_add(head + predicate.as_str().len() + tail);
        if size > most {
            return Err(format!("they take more than {most} bytes once their prefixes are written out"));
        }
        triples.push(Triple { subject, predicate, object });
    }
    Ok(triples)
}

/// A stream whose bytes are checked before its parser reads them.
fn checked<'r>(format: RdfFormat, reader: impl Read + 'r) -> (Box<dyn Read + 'r>, Findings) {
    match format {
        RdfFormat::RdfXml => {
            let (checked, findings) = CheckedXml::new(reader);
            (Box::new(checked), findings)
        }
        RdfFormat::JsonLd { .. } => {
            let (checked, findings) = Checked::new(reader, JsonCheck::new());
            (Box::new(checked), findings)
        }
        _ => {
            let (checked, findings) = Checked::new(reader, TurtleCheck::new());
            (Box::new(checked), findings)
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triples_of_a_reply_are_bounded() {
        let text = "@prefix e: <http://e.org/> .\ne:a e:r e:b , \"x\"@en .\n";
        let read = |text: &str, most: usize| triples(text.as_bytes(), most);
        assert_eq!(read(text, 1000).map(|triples| triples.len()), Ok(2));
        assert!(read(text, 40).is_err_and(|reason| reason.contains("more than 40 bytes")));
        assert!(read("e:a e:r e:b .", 1000).is_err_and(|reason| !reason.is_empty()));
        let nested = format!("<http://e.org/a> <http://e.org/r> {}", "(".repeat(20_000));
        assert!(read(&nested, 1000).is_err(), "it would overflow the stack");
        let long = format!("@prefix e: <http://e.org/{}> .\ne:a e:r e:b .\n", "x".repeat(5000));
        assert!(read(&long, 1 << 20).is_err());
    }
}
