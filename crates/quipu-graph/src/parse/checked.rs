//! The bytes of a file, checked on their way to its parser.

use std::cell::{Cell, RefCell};
use std::io::{Error, ErrorKind, Read};
use std::rc::Rc;

/// The findings of a check, shared with the caller.
#[derive(Clone, Default)]
pub(crate) struct Findings {
    /// The last line passed on, or the line of the refusal, from 1.
    line: Rc<Cell<u64>>,
    refused: Rc<RefCell<Option<String>>>,
}

impl Findings {
    /// The last line passed on, or the line of the refusal; 0 before the first one.
    pub(crate) fn line(&self) -> u64 {
        self.line.get()
    }

    /// The reason why the file was refused, if it was.
    pub(crate) fn refused(&self) -> Option<String> {
        self.refused.take()
    }

    pub(super) fn reached(&self, line: u64) {
        self.line.set(line);
    }

    /// Notes the reason, and returns the error that ends the parser.
    pub(super) fn refuse(&self, reason: String) -> Error {
        let error = Error::new(ErrorKind::InvalidData, reason.clone());
        self.refused.replace(Some(reason));
        error
    }
}

/// The line and the reason of a refusal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(super) line: u64,
    pub(super) reason: String,
}

impl Refusal {
    /// A refusal at an offset of bytes whose first is in `line`.
    pub(super) fn at(bytes: &[u8], offset: usize, line: u64, reason: String) -> Self {
        let before = bytes.get(..offset).unwrap_or(bytes);
        Self { line: line + lines(before), reason }
    }
}

/// Line ends within the bytes.
pub(super) fn lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// A check of bytes in the order of their file.
pub(crate) trait Check {
    /// Takes the next bytes, the first of which is in this line.
    fn take(&mut self, bytes: &[u8], line: u64) -> Result<(), Refusal>;

    /// Takes the end of the file.
    fn end(&mut self) -> Result<(), Refusal> {
        Ok(())
    }
}

/// Passes bytes on that a check has taken. A read fails where the check refuses them.
pub(crate) struct Checked<R, C> {
    inner: R,
    check: C,
    findings: Findings,
}

impl<R: Read, C: Check> Checked<R, C> {
    pub(crate) fn new(inner: R, check: C) -> (Self, Findings) {
        let findings = Findings::default();
        (Self { inner, check, findings: findings.clone() }, findings)
    }
}

impl<R: Read, C: Check> Read for Checked<R, C> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let bytes = buffer.get(..count).unwrap_or_default();
        let line = self.findings.line().max(1);
        let outcome = if count > 0 { self.check.take(bytes, line) } else { self.check.end() };
        match outcome {
            Ok(()) => {
                self.findings.reached(line + lines(bytes));
                Ok(count)
            }
            Err(Refusal { line, reason }) => {
                self.findings.reached(line);
                Err(self.findings.refuse(reason))
            }
        }
    }
}

/// Gives a text in parts of at most so many bytes.
#[cfg(test)]
struct Parts<'a>(&'a [u8], usize);

#[cfg(test)]
impl Read for Parts<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(buffer.len());
        self.0.read(&mut buffer[..count])
    }
}

/// Line and reason of a text's refusal, which are the same in parts of every size.
#[cfg(test)]
pub(super) fn refusal<C: Check>(text: &[u8], check: impl Fn() -> C) -> Option<(u64, String)> {
    let read = |part: usize| {
        let (mut checked, findings) = Checked::new(Parts(text, part), check());
        let outcome = checked.read_to_end(&mut Vec::new());
        outcome.is_err().then(|| (findings.line(), findings.refused().unwrap_or_default()))
    };
    let whole = read(usize::MAX);
    for part in [1, 3] {
        assert_eq!(read(part), whole, "in parts of {part}");
    }
    whole
}
