//! A fast parser for N-Triples and N-Quads. It parses common lines itself and passes all others to
//! oxrdfio.

use oxrdfio::RdfFormat;

use super::{LONGEST_NAMESPACE, LineError, Sink, Tail, rdf};

/// Namespaces known to be valid. Asking oxiri about each IRI again would take longer than all the
/// rest.
struct Namespaces {
    known: Vec<Box<str>>,
}

const REMEMBERED: usize = 256;

/// Parses lines of one format.
pub(crate) struct LineParser {
    format: RdfFormat,
    file: usize,
    namespaces: Namespaces,
    kind: String,
}

impl LineParser {
    /// `file` is the position of the input, which distinguishes blank nodes.
    pub(crate) fn new(format: RdfFormat, file: usize) -> Self {
        Self { format, file, namespaces: Namespaces::new(), kind: String::new() }
    }

    /// Parses one line.
    #[inline]
    pub(crate) fn line(&mut self, line: &str, sink: &mut impl Sink) -> Result<(), LineError> {
        match self.usual(line) {
            Some((head, relation, tail)) => sink.triple(head, relation, tail),
            None => rdf::line(self.format, line, self.file, sink),
        }
    }

    /// The triple of a common line: IRIs and literals without escapes, at most a graph name and no
    /// comment.
    fn usual<'a>(&'a mut self, line: &'a str) -> Option<(&'a str, &'a str, Tail<'a>)> {
        let Self { format, namespaces, kind, .. } = self;
        let (head, rest) = iri(line, namespaces)?;
        let (relation, rest) = iri(blanks(rest), namespaces)?;
        let rest = blanks(rest);
        let (tail, rest) = match rest.strip_prefix('"') {
            None => {
                let (tail, rest) = iri(rest, namespaces)?;
                (Tail::Entity(tail), rest)
            }
            Some(quoted) => {
                let (lexical, rest) = literal_text(quoted)?;
                let rest = literal_kind(rest, namespaces, kind)?;
                (Tail::Literal { lexical, kind }, rest)
            }
        };
        let mut rest = blanks(rest);
        if *format == RdfFormat::NQuads && rest.starts_with('<') {
            rest = blanks(iri(rest, namespaces)?.1);
        }
        let end = rest.strip_prefix('.')?;
        end.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')).then_some((head, relation, tail))
    }
}

#[inline]
fn blanks(text: &str) -> &str {
    text.strip_prefix(' ').unwrap_or(text).trim_start_matches([' ', '\t'])
}

/// The text of a literal up to its closing quote; `None` if it has an escape.
#[inline]
fn literal_text(text: &str) -> Option<(&str, &str)> {
    let at = memchr::memchr2(b'"', b'\\', text.as_bytes())?;
    let (lexical, rest) = (text.get(..at)?, text.get(at..)?);
    Some((lexical, rest.strip_prefix('"')?))
}

/// Reads a language or datatype into `kind`.
fn literal_kind<'a>(text: &'a str, namespaces: &mut Namespaces, kind: &mut String) -> Option<&'a str> {
    kind.clear();
    if let Some(typed) = text.strip_prefix("^^") {
        let (datatype, rest) = iri(typed, namespaces)?;
        // All plain strings are one kind, however they are written; language-tagged ones need their
        // tag.
        match datatype {
            "http://www.w3.org/2001/XMLSchema#string" => {}
            datatype if datatype.starts_with("http://www.w3.org/1999/02/22-rdf-syntax-ns#") => return None,
            datatype => kind.push_str(datatype),
        }
        return Some(rest);
    }
    let Some(tagged) = text.strip_prefix('@') else { return Some(text) };
    let length = tagged.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (tag, rest) = tagged.split_at_checked(length)?;
    // Language tags of two or three letters without subtags; the full parser reads longer ones.
    if !(2..=3).contains(&length) || !rest.starts_with([' ', '\t', '.']) {
        return None;
    }
    kind.push('@');
    kind.extend(tag.chars().map(|letter| letter.to_ascii_lowercase()));
    Some(rest)
}

/// An IRI between angle brackets that is certainly valid.
#[inline]
fn iri<'a>(text: &'a str, namespaces: &mut Namespaces) -> Option<(&'a str, &'a str)> {
    let text = text.strip_prefix('<')?;
    let end = memchr::memchr(b'>', text.as_bytes())?;
    let (iri, rest) = (text.get(..end)?, text.get(end + 1..)?);
    namespaces.is_valid(iri).then_some((iri, rest))
}

impl Namespaces {
    fn new() -> Self {
        Self { known: vec![Box::default(); REMEMBERED] }
    }

    /// Whether an IRI is absolute and well-formed.
    #[inline]
    fn is_valid(&mut self, iri: &str) -> bool {
        let Some(at) = memchr::memrchr2(b'/', b'#', iri.as_bytes()) else { return is_iri(iri) };
        let (namespace, local) = iri.split_at(at + 1);
        // After a path's slash or a fragment's hash, these bytes cannot make a valid IRI invalid.
        if namespace.ends_with("//") || namespace.len() > LONGEST_NAMESPACE || !local.bytes().all(is_plain) {
            return is_iri(iri);
        }
        let bytes = namespace.as_bytes();
        let mixed =
            bytes.len() * 31 + bytes.iter().rev().take(6).fold(0, |sum, byte| sum * 33 + usize::from(*byte));
        let Some(known) = self.known.get_mut(mixed % REMEMBERED) else { return is_iri(iri) };
        if **known == *namespace {
            return true;
        }
        if !is_iri(namespace) {
            return is_iri(iri);
        }
        *known = namespace.into();
        true
    }
}

fn is_iri(iri: &str) -> bool {
    oxiri::Iri::parse(iri).is_ok()
}

/// Letters, digits and the marks that are valid in any path segment or fragment.
#[inline]
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'(' | b')' | b',' | b'!' | b'*')
}
