//! Checks on a table before its reader: a quote is closed before the end of the file, and a row has
//! a bounded length.

use super::LONGEST_TEXT;
use super::checked::{Check, Refusal, lines};

/// The place of the next byte in a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    Plain,
    Quoted,
    /// After a quote in a quoted cell: its end, or the first of two that stand for one.
    AfterQuote,
}

/// Follows the cells as the csv reader does.
pub(crate) struct RowCheck {
    delimiter: u8,
    quoting: bool,
    state: State,
    line: u64,
    /// Line of the last opening quote.
    opened: u64,
    /// Bytes of the row so far.
    row: usize,
    longest: usize,
}

impl RowCheck {
    /// `quoting`: whether quotes enclose cells.
    pub(crate) fn new(delimiter: u8, quoting: bool) -> Self {
        Self { delimiter, quoting, state: State::Start, line: 1, opened: 1, row: 0, longest: LONGEST_TEXT }
    }

    /// Takes bytes of one cell, and the byte that ends it. Returns their number.
    fn step(&mut self, bytes: &[u8]) -> usize {
        let quote = bytes.first() == Some(&b'"');
        let count = match self.state {
            State::Start if quote && self.quoting => {
                (self.state, self.opened) = (State::Quoted, self.line);
                1
            }
            State::AfterQuote if quote => {
                self.state = State::Quoted;
                1
            }
            State::Quoted => {
                let end = memchr::memchr(b'"', bytes);
                if end.is_some() {
                    self.state = State::AfterQuote;
                }
                let count = end.map_or(bytes.len(), |at| at + 1);
                self.line += lines(bytes.get(..count).unwrap_or_default());
                count
            }
            State::Start | State::Plain | State::AfterQuote => return self.plain(bytes),
        };
        self.row = self.row.saturating_add(count);
        count
    }

    /// Takes bytes up to the end of a cell or of a row.
    fn plain(&mut self, bytes: &[u8]) -> usize {
        let Some(at) = memchr::memchr3(self.delimiter, b'\n', b'\r', bytes) else {
            self.state = State::Plain;
            self.row = self.row.saturating_add(bytes.len());
            return bytes.len();
        };
        self.state = State::Start;
        let end = bytes.get(at).copied();
        self.line += u64::from(end == Some(b'\n'));
        let ends_row = matches!(end, Some(b'\n' | b'\r'));
        self.row = if ends_row { 0 } else { self.row.saturating_add(at + 1) };
        at + 1
    }
}

impl Check for RowCheck {
    fn take(&mut self, bytes: &[u8], _: u64) -> Result<(), Refusal> {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            at += self.step(rest);
            if self.row > self.longest {
                let line = if self.state == State::Quoted { self.opened } else { self.line };
                return Err(Refusal { line, reason: format!("a row of more than {} bytes", self.longest) });
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Refusal> {
        if self.state != State::Quoted {
            return Ok(());
        }
        let reason = "a quote that opens a cell here is not closed before the end of the file";
        Err(Refusal { line: self.opened, reason: reason.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::checked::refusal;
    use super::*;

    fn check(text: &str, expected: Option<u64>) {
        let refused = refusal(text.as_bytes(), || RowCheck::new(b',', true));
        assert_eq!(refused.map(|(line, _)| line), expected, "{text}");
    }

    #[test]
    fn a_quote_that_is_never_closed_is_found_with_its_line() {
        check("a,b\n1,\"2\n3,4\n", Some(2));
        check("a,b\n\"1\n\n\",\"2\"\n3,\"4\n", Some(5));
        check("a,b\r\n1,\"2", Some(2));
        check("a,b\n1,\"2\"\"", Some(2));
        check("a,b\n1,\"2\"", None);
        check("a,b\n1,\"\"", None);
        check("a,b\n1,2 \"inches\n3,4\" of\n", None);
        check("a,b\n1,\"2\"x\"\n", None);
        assert!(refusal(b"a\tb\n1\t\"2\n", || RowCheck::new(b'\t', false)).is_none());
    }

    #[test]
    fn a_row_has_a_bounded_length() {
        let small = || RowCheck { longest: 20, ..RowCheck::new(b',', true) };
        assert!(refusal(b"a,b,c\nd,e,f\ng,h,i\nj,k,l\n\"m\n\",o\n", small).is_none());
        assert_eq!(refusal(b"a,b\n1,\"a cell\nof many\nlines\n", small).map(|(line, _)| line), Some(2));
        assert_eq!(refusal(b"a,b\n1,2\n123456,123456,123456,1\n", small).map(|(line, _)| line), Some(3));
    }
}
