//! Checks on RDF/XML before its parser: entities and namespaces must not multiply, tags, texts and
//! nesting are bounded, and the end must exist.

use std::cell::Cell;
use std::collections::HashMap;
use std::io::{BufReader, Error, Read};
use std::rc::Rc;

use quick_xml::events::{BytesStart, BytesText, Event};
use quick_xml::{Reader, Writer};

use super::checked::{Findings, lines};
use super::{DEEPEST, LONGEST_NAMESPACE, LONGEST_TEXT};

/// Bytes that entities may add to any file: the names of a few hundred namespaces.
const ADDED: u64 = 1 << 20;
/// Bytes that entities may add for each byte of the file. Ontologies that write `&owl;Class` add
/// under ten; an entity of entities of entities adds millions.
const ADDED_PER_BYTE: u64 = 16;

/// Most attributes of an element. The parser compares each with all earlier ones.
const MOST_ATTRIBUTES: usize = 4096;
/// Bytes of the namespaces that are in scope at a place: room for thousands. The parser looks
/// through them at each name.
const MOST_NAMESPACES: usize = 256 << 10;
/// Bytes that a namespace takes besides its name and its IRI.
const NAMESPACE: usize = 16;
/// Bytes of namespaces that each child of an XML literal may repeat and that do not count as added.
const REPEATED: usize = 4 << 10;

/// Passes an XML file on, one tag or text a read. A read fails before expansion if entities or
/// namespaces would add more than allowed, and at the end of the file if an element is open.
pub(super) struct CheckedXml<R> {
    reader: Reader<BufReader<Bounded<R>>>,
    event: Vec<u8>,
    ready: Vec<u8>,
    handed_on: usize,
    open: OpenElements,
    namespaces: Namespaces,
    entities: Entities,
    /// The XML literal that is open.
    literal: Option<Literal>,
    longest: usize,
    /// Bytes that the current event may still take.
    left: Rc<Cell<usize>>,
    findings: Findings,
}

/// A reader of at most so many bytes until the next event.
struct Bounded<R> {
    inner: R,
    left: Rc<Cell<usize>>,
    longest: usize,
    findings: Findings,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        match self.left.get().checked_sub(count) {
            Some(left) => self.left.set(left),
            None => return Err(self.findings.refuse(too_long("a tag or a text", self.longest))),
        }
        Ok(count)
    }
}

fn too_long(what: &str, longest: usize) -> String {
    format!("{what} of more than {longest} bytes")
}

/// A property whose content is a literal of XML.
struct Literal {
    depth: usize,
    /// Bytes so far.
    length: u64,
}

/// The bytes of the namespaces in scope, by the depth of the elements that declare them.
#[derive(Default)]
struct Namespaces {
    bytes: usize,
    declared: Vec<(usize, usize)>,
}

/// The names of the open elements, the innermost one last.
#[derive(Default)]
struct OpenElements {
    names: Vec<u8>,
    starts: Vec<usize>,
    any: bool,
}

/// The length of each declared entity's text, and the sum of all uses.
#[derive(Default)]
struct Entities {
    declared: bool,
    lengths: HashMap<Vec<u8>, u64>,
    added: u64,
}

impl<R: Read> CheckedXml<R> {
    pub(crate) fn new(inner: R) -> (Self, Findings) {
        Self::bounded(inner, LONGEST_TEXT)
    }

    fn bounded(inner: R, longest: usize) -> (Self, Findings) {
        let (findings, left) = (Findings::default(), Rc::new(Cell::new(longest)));
        let inner = Bounded { inner, left: left.clone(), longest, findings: findings.clone() };
        let mut reader = Reader::from_reader(BufReader::new(inner));
        // The parser reports end tags without a start, with their position.
        reader.config_mut().check_end_names = false;
        reader.config_mut().allow_unmatched_ends = true;
        let checked = Self {
            reader,
            event: Vec::new(),
            ready: Vec::new(),
            handed_on: 0,
            open: OpenElements::default(),
            namespaces: Namespaces::default(),
            entities: Entities::default(),
            literal: None,
            longest,
            left,
            findings: findings.clone(),
        };
        (checked, findings)
    }

    /// Prepares the next tag or text; there is none after the last one.
    fn advance(&mut self) -> Result<(), Error> {
        let mut bytes = std::mem::take(&mut self.event);
        bytes.clear();
        self.ready.clear();
        self.handed_on = 0;
        self.left.set(self.longest);
        let event = match self.reader.read_event_into(&mut bytes) {
            Ok(event) => event,
            Err(quick_xml::Error::Io(error)) => return Err(Error::new(error.kind(), error)),
            Err(error) => return Err(self.findings.refuse(error.to_string())),
        };
        self.check(&event).map_err(|reason| self.findings.refuse(reason))?;
        let outcome = Writer::new(&mut self.ready).write_event(event);
        self.event = bytes;
        outcome
    }

    fn check(&mut self, event: &Event<'_>) -> Result<(), String> {
        let read = self.reader.buffer_position();
        let added = match event {
            Event::Start(tag) => {
                let added = self.tag(tag, read)?;
                self.open.start(tag.name().as_ref());
                if self.open.starts.len() > DEEPEST {
                    return Err(format!("elements nested more than {DEEPEST} deep"));
                }
                added
            }
            Event::Empty(tag) => {
                let added = self.tag(tag, read)?;
                self.open.any = true;
                self.leave();
                added
            }
            Event::End(_) => {
                self.open.end();
                self.leave();
                0
            }
            Event::Text(text) => self.entities.use_in(text, read)?,
            Event::DocType(declarations) => return self.entities.declare(declarations, read),
            Event::Eof => return self.open.check_end(),
            Event::CData(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => 0,
        };
        self.add_to_literal(added.saturating_add(event.len() as u64))
    }

    /// Checks a tag's attributes and the namespaces that it declares. Returns the bytes that
    /// entities and namespaces will add to it.
    fn tag(&mut self, tag: &BytesStart<'_>, read: u64) -> Result<u64, String> {
        let added = self.entities.use_in(tag, read)?;
        let (depth, mut literal, mut declared) = (self.open.starts.len(), false, 0);
        // The parser reports attributes that it cannot read.
        for (attribute, number) in tag.attributes().with_checks(false).flatten().zip(1..) {
            if number > MOST_ATTRIBUTES {
                return Err(format!("an element with more than {MOST_ATTRIBUTES} attributes"));
            }
            let name = attribute.key;
            let is_namespace = name.as_namespace_binding().is_some();
            if is_namespace || name.as_ref() == b"xml:base" {
                let length = attribute.value.len() as u64 + self.entities.length_in(&attribute.value);
                if length > LONGEST_NAMESPACE as u64 {
                    return Err(format!(
                        "a namespace of {length} bytes; at most {LONGEST_NAMESPACE} are read"
                    ));
                }
                declared += usize::from(is_namespace) * (length as usize + name.as_ref().len() + NAMESPACE);
            }
            let of_nodes = matches!(attribute.value.as_ref(), b"Resource" | b"Collection");
            literal |= name.local_name().as_ref() == b"parseType" && !of_nodes;
        }
        self.namespaces.declare(depth, declared)?;
        let repeated = match &self.literal {
            Some(literal) if depth == literal.depth + 1 => self.namespaces.bytes as u64,
            Some(_) => 0,
            None => {
                self.literal = literal.then_some(Literal { depth, length: 0 });
                0
            }
        };
        if repeated > REPEATED as u64 && !self.entities.add(repeated, read) {
            return Err("the namespaces in the XML literals expand to too much text".into());
        }
        Ok(added.saturating_add(repeated))
    }

    /// Ends what an element held that has just been closed.
    fn leave(&mut self) {
        let depth = self.open.starts.len();
        self.namespaces.leave(depth);
        if self.literal.as_ref().is_some_and(|literal| literal.depth >= depth) {
            self.literal = None;
        }
    }

    fn add_to_literal(&mut self, bytes: u64) -> Result<(), String> {
        let Some(literal) = &mut self.literal else { return Ok(()) };
        literal.length = literal.length.saturating_add(bytes);
        if literal.length > self.longest as u64 {
            return Err(too_long("an XML literal", self.longest));
        }
        Ok(())
    }
}

impl<R: Read> Read for CheckedXml<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.handed_on == self.ready.len() {
            self.findings.reached(self.findings.line().max(1) + lines(&self.ready));
            self.advance()?;
        }
        let count = self.ready.get(self.handed_on..).unwrap_or_default().read(buffer)?;
        self.handed_on += count;
        Ok(count)
    }
}

impl Namespaces {
    /// Takes the namespaces of an element that opens at this depth.
    fn declare(&mut self, depth: usize, bytes: usize) -> Result<(), String> {
        if bytes == 0 {
            return Ok(());
        }
        self.bytes = self.bytes.saturating_add(bytes);
        self.declared.push((depth, bytes));
        if self.bytes > MOST_NAMESPACES {
            return Err(format!("namespaces of more than {MOST_NAMESPACES} bytes at one place"));
        }
        Ok(())
    }

    /// Forgets the namespaces of elements that are closed.
    fn leave(&mut self, depth: usize) {
        while let Some((_, bytes)) = self.declared.pop_if(|(of, _)| *of >= depth) {
            self.bytes = self.bytes.saturating_sub(bytes);
        }
    }
}

impl OpenElements {
    fn start(&mut self, name: &[u8]) {
        self.any = true;
        self.starts.push(self.names.len());
        self.names.extend_from_slice(name);
    }

    fn end(&mut self) {
        self.names.truncate(self.starts.pop().unwrap_or_default());
    }

    fn check_end(&self) -> Result<(), String> {
        let innermost = self.starts.last().and_then(|start| self.names.get(*start..));
        match innermost {
            Some(name) => {
                let name = String::from_utf8_lossy(name);
                Err(format!("the file is cut off: it ends within the element <{name}>"))
            }
            None if !self.any => Err("the file is cut off: it ends before its first element".into()),
            None => Ok(()),
        }
    }
}

impl Entities {
    /// Takes the declarations of a DOCTYPE as the parser reads them.
    fn declare(&mut self, declarations: &BytesText<'_>, read: u64) -> Result<(), String> {
        if std::mem::replace(&mut self.declared, true) {
            return Err("a second DOCTYPE".into());
        }
        let text = std::str::from_utf8(declarations).map_err(|error| error.to_string())?;
        for declaration in text.split('<').filter_map(|part| part.strip_prefix("!ENTITY")) {
            let declaration = declaration.trim_start();
            let declaration = declaration.strip_prefix('%').unwrap_or(declaration).trim_start();
            let Some((name, value)) = declaration.split_once(|letter: char| letter.is_ascii_whitespace())
            else {
                continue;
            };
            let length = value.len() as u64 + self.use_in(value.as_bytes(), read)?;
            self.lengths.insert(name.as_bytes().to_vec(), length);
        }
        Ok(())
    }

    /// Counts the bytes that the entities in a tag, a text or a declaration will add. Returns the
    /// bytes.
    fn use_in(&mut self, text: &[u8], read: u64) -> Result<u64, String> {
        let added = self.length_in(text);
        if self.add(added, read) {
            Ok(added)
        } else {
            Err("the XML entities expand to too much text; write the texts out".into())
        }
    }

    /// The bytes that the entities in a text will add.
    fn length_in(&self, text: &[u8]) -> u64 {
        if self.lengths.is_empty() {
            return 0;
        }
        let mut added = 0_u64;
        for at in memchr::memchr_iter(b'&', text) {
            let named = text.get(at + 1..).unwrap_or_default();
            let name = memchr::memchr(b';', named).and_then(|end| named.get(..end));
            let length = name.and_then(|name| self.lengths.get(name)).copied().unwrap_or_default();
            added = added.saturating_add(length);
        }
        added
    }

    /// Adds bytes. Returns whether what was read of the file may gain so many.
    fn add(&mut self, added: u64, read: u64) -> bool {
        self.added = self.added.saturating_add(added);
        self.added <= read.saturating_mul(ADDED_PER_BYTE).saturating_add(ADDED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text that passes the check, or the reason of the refusal with its line.
    fn handed_on(text: &str) -> Result<String, (u64, String)> {
        let (mut checked, findings) = CheckedXml::new(text.as_bytes());
        let mut out = String::new();
        match checked.read_to_string(&mut out) {
            Ok(_) => Ok(out),
            Err(_) => Err((findings.line(), findings.refused().unwrap())),
        }
    }

    #[test]
    fn a_whole_file_is_handed_on_as_it_is() {
        let text = "<?xml version=\"1.0\"?>\n<!DOCTYPE r [\n<!ENTITY a \"b\">]>\n<!-- <x> -->\n\
                    <r a='>'><e/>&a;&amp;<![CDATA[<y>]]></r>\n";
        assert_eq!(handed_on(text).unwrap(), text);
    }

    #[test]
    fn where_a_file_ends_too_soon_is_told() {
        let refused = |text: &str| handed_on(text).unwrap_err();
        let (line, reason) = refused("<r>\n<e>\n</e>\n<f>\n");
        assert!(line >= 4 && reason.contains("within the element <f>"), "{line}: {reason}");
        assert!(refused("<r>\n<e/>\n").1.contains("<r>"));
        assert!(refused("<?xml version=\"1.0\"?>\n").1.contains("before its first element"));
        assert!(refused("").1.contains("before its first element"));
    }

    const RDF: &str = "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"";

    #[test]
    fn namespaces_are_short_and_those_of_literals_do_not_multiply() {
        let long = "x".repeat(LONGEST_NAMESPACE);
        let refused = |text: &str| handed_on(text).unwrap_err();
        for name in ["xmlns", "xmlns:e", "xml:base"] {
            let (line, reason) = refused(&format!("<r>\n<e {name}=\"{long}x\"/></r>"));
            assert!(line == 2 && reason.contains("a namespace of"), "{line}: {reason}");
            assert!(handed_on(&format!("<r>\n<e {name}=\"{long}\"/></r>")).is_ok());
        }
        let entity = format!("<!DOCTYPE r [<!ENTITY a \"{long}\">]>");
        assert!(refused(&format!("{entity}<r xmlns:e=\"&a;\"/>")).1.contains("a namespace of"));
        let many: String = (0..100).map(|number| format!(" xmlns:e{number}=\"{}\"", &long[..2000])).collect();
        assert!(handed_on(&format!("<r {RDF}{many}>{}</r>", "<e/>".repeat(1000))).is_ok());
        assert!(refused(&format!("<r {RDF}{many}><e{many}/></r>")).1.contains("at one place"));
        assert!(handed_on(&format!("<r>{}</r>", format!("<e{many}/>").repeat(10))).is_ok());
        let literal = format!("<r {RDF}{many}><e rdf:parseType=\"Literal\">{}</e></r>", "<b/>".repeat(1000));
        assert!(refused(&literal).1.contains("expand"), "each child repeats 200 kB");
    }

    #[test]
    fn attributes_and_nesting_are_bounded() {
        let refused = |text: &str| handed_on(text).unwrap_err();
        let attributes = |count| (0..count).map(|number| format!(" a{number}=''")).collect::<String>();
        assert!(handed_on(&format!("<r{}/>", attributes(MOST_ATTRIBUTES))).is_ok());
        let (line, reason) = refused(&format!("<r>\n\n<e{}/></r>", attributes(MOST_ATTRIBUTES + 1)));
        assert!(line == 3 && reason.contains("attributes"), "{line}: {reason}");
        assert!(refused(&"<e>".repeat(DEEPEST + 1)).1.contains("deep"));
        assert!(handed_on(&format!("<r>{}</r>", "<e><e/></e>".repeat(DEEPEST))).is_ok());
    }

    #[test]
    fn texts_and_literals_are_bounded() {
        let refused = |text: &str| {
            let (mut checked, findings) = CheckedXml::bounded(text.as_bytes(), 20_000);
            let outcome = checked.read_to_end(&mut Vec::new());
            outcome.err().map(|_| (findings.line(), findings.refused().unwrap()))
        };
        // The reader is at most one block ahead.
        assert_eq!(
            refused(&format!("<r>\n{}</r>", format!("<e>{}</e>", "x".repeat(10_000)).repeat(9))),
            None
        );
        let (line, reason) = refused(&format!("<r>\n<e>{}</e></r>", "x".repeat(60_000))).unwrap();
        assert!(line == 2 && reason.contains("a text of more than 20000"), "{line}: {reason}");
        assert!(refused(&format!("<r {}", "x".repeat(60_000))).is_some());
        assert!(refused(&format!("<r><!--{}", "x".repeat(60_000))).is_some());
        let parts = "<b>x</b><![CDATA[y]]>".repeat(2000);
        assert_eq!(refused(&format!("<r {RDF}><e>{parts}</e></r>")), None);
        let reason = refused(&format!("<r {RDF}><e rdf:parseType=\"Literal\">{parts}</e></r>")).unwrap().1;
        assert!(reason.contains("an XML literal"), "{reason}");
    }

    #[test]
    fn entities_add_some_and_never_much() {
        let long = "x".repeat(1000);
        let entities = format!("<!DOCTYPE r [<!ENTITY a \"{long}\"><!ENTITY b \"&a;&a;\">]>");
        assert!(handed_on(&format!("{entities}<r>{}</r>", "&b;".repeat(400))).is_ok());
        let reason = handed_on(&format!("{entities}<r>{}</r>", "&b;".repeat(4000))).unwrap_err().1;
        assert!(reason.contains("entities expand"), "{reason}");
        let reason = handed_on(&format!("{entities}{entities}<r/>")).unwrap_err().1;
        assert!(reason.contains("second DOCTYPE"), "{reason}");
    }
}
