//! Checks on RDF/XML before its parser: entities must not multiply, and the end must exist.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io::{BufReader, Error, ErrorKind, Read};
use std::rc::Rc;

use quick_xml::events::{BytesText, Event};
use quick_xml::{Reader, Writer};

/// Bytes that entities may add to any file: the names of a few hundred namespaces.
const ADDED: u64 = 1 << 20;
/// Bytes that entities may add for each byte of the file. Ontologies that write `&owl;Class` add
/// under ten; an entity of entities of entities adds millions.
const ADDED_PER_BYTE: u64 = 16;

/// The findings of the check, shared with the caller.
#[derive(Clone, Default)]
pub(super) struct Findings {
    /// The last line passed on, from 1.
    line: Rc<Cell<u64>>,
    refused: Rc<RefCell<Option<String>>>,
}

impl Findings {
    /// The last line passed on; 0 before the first one.
    pub(crate) fn line(&self) -> u64 {
        self.line.get()
    }

    /// The reason why the file was refused, if it was.
    pub(crate) fn refused(&self) -> Option<String> {
        self.refused.take()
    }
}

/// Passes an XML file on, one tag or text a read. A read fails before expansion if entities would
/// add more than allowed, and at the end of the file if an element is open.
pub(super) struct CheckedXml<R> {
    reader: Reader<BufReader<R>>,
    event: Vec<u8>,
    ready: Vec<u8>,
    handed_on: usize,
    open: OpenElements,
    entities: Entities,
    findings: Findings,
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
        let mut reader = Reader::from_reader(BufReader::new(inner));
        // The parser reports end tags without a start, with their position.
        reader.config_mut().check_end_names = false;
        reader.config_mut().allow_unmatched_ends = true;
        let findings = Findings::default();
        let checked = Self {
            reader,
            event: Vec::new(),
            ready: Vec::new(),
            handed_on: 0,
            open: OpenElements::default(),
            entities: Entities::default(),
            findings: findings.clone(),
        };
        (checked, findings)
    }

    /// Prepares the next tag or text; there is none after the last one.
    fn advance(&mut self) -> Result<(), Error> {
        self.event.clear();
        self.ready.clear();
        self.handed_on = 0;
        let event = match self.reader.read_event_into(&mut self.event) {
            Ok(event) => event,
            Err(quick_xml::Error::Io(error)) => return Err(Error::new(error.kind(), error)),
            Err(error) => return Err(refuse(&self.findings, error.to_string())),
        };
        let read = self.reader.buffer_position();
        let checked = match &event {
            Event::Start(tag) => {
                self.open.start(tag.name().as_ref());
                self.entities.use_in(tag, read).map(|_| ())
            }
            Event::Empty(tag) => {
                self.open.any = true;
                self.entities.use_in(tag, read).map(|_| ())
            }
            Event::End(_) => {
                self.open.end();
                Ok(())
            }
            Event::Text(text) => self.entities.use_in(text, read).map(|_| ()),
            Event::DocType(declarations) => self.entities.declare(declarations, read),
            Event::Eof => self.open.check_end(),
            Event::CData(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => Ok(()),
        };
        checked.map_err(|reason| refuse(&self.findings, reason))?;
        Writer::new(&mut self.ready).write_event(event)
    }
}

fn refuse(findings: &Findings, reason: String) -> Error {
    let error = Error::new(ErrorKind::InvalidData, reason.clone());
    findings.refused.replace(Some(reason));
    error
}

impl<R: Read> Read for CheckedXml<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.handed_on == self.ready.len() {
            let lines = memchr::memchr_iter(b'\n', &self.ready).count() as u64;
            self.findings.line.set(self.findings.line.get().max(1) + lines);
            self.advance()?;
        }
        let count = self.ready.get(self.handed_on..).unwrap_or_default().read(buffer)?;
        self.handed_on += count;
        Ok(count)
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
        if self.lengths.is_empty() {
            return Ok(0);
        }
        let mut added = 0_u64;
        for at in memchr::memchr_iter(b'&', text) {
            let named = text.get(at + 1..).unwrap_or_default();
            let name = memchr::memchr(b';', named).and_then(|end| named.get(..end));
            let length = name.and_then(|name| self.lengths.get(name)).copied().unwrap_or_default();
            added = added.saturating_add(length);
        }
        self.added = self.added.saturating_add(added);
        if self.added > read.saturating_mul(ADDED_PER_BYTE).saturating_add(ADDED) {
            return Err("its entities expand to too much text; write the texts out".into());
        }
        Ok(added)
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
