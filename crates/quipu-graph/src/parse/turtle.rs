//! Checks on Turtle and TriG before their parser: brackets nest to a bounded depth, IRIs have a
//! bounded length, and namespaces a small one, because each prefixed name repeats its namespace.

use super::checked::{Check, Refusal};
use super::{DEEPEST, LONGEST_KEY, LONGEST_NAMESPACE};

/// Bytes of an IRI that hold its scheme, if it has one.
const SCHEME: usize = 32;

/// The token that the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Between,
    Iri,
    Comment,
    /// So many quotes so far, which open a short text, are an empty one, or open a long one.
    Opening(u8, u8),
    Short(u8),
    /// A long text, and the quotes that its end has so far.
    Long(u8, u8),
}

/// The kind of a word between other tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Word {
    Base,
    Prefix,
    /// A prefix with its colon, or another word that ends in one.
    Name,
    #[default]
    Other,
}

pub(super) struct TurtleCheck {
    state: State,
    /// The next byte is escaped.
    escaped: bool,
    depth: usize,
    /// The last eight bytes of the current word; 0: none.
    word: u64,
    /// The last word, and the one before.
    words: [Word; 2],
    iri: usize,
    iri_start: Vec<u8>,
    /// Length of the base IRI, at most.
    base: usize,
}

impl TurtleCheck {
    pub(super) fn new() -> Self {
        Self {
            state: State::Between,
            escaped: false,
            depth: 0,
            word: 0,
            words: [Word::Other; 2],
            iri: 0,
            iri_start: Vec::new(),
            base: 0,
        }
    }

    /// Takes bytes of one token, or one byte between tokens. Returns their number.
    fn step(&mut self, bytes: &[u8]) -> Result<usize, String> {
        let Some(first) = bytes.first().copied() else { return Ok(0) };
        if std::mem::take(&mut self.escaped) {
            return Ok(1);
        }
        match self.state {
            State::Between => self.between(bytes),
            State::Iri => self.within_iri(bytes),
            State::Comment => Ok(match memchr::memchr2(b'\n', b'\r', bytes) {
                Some(at) => {
                    self.state = State::Between;
                    at + 1
                }
                None => bytes.len(),
            }),
            State::Opening(quote, count) => Ok(self.opening(quote, count, first)),
            State::Short(quote) => {
                let end = bytes.iter().position(|byte| matches!(*byte, b'\\' | b'\n') || *byte == quote);
                Ok(self.until(bytes, end, |byte| (byte != b'\\').then_some(State::Between)))
            }
            State::Long(quote, 0) => {
                let end = memchr::memchr2(b'\\', quote, bytes);
                Ok(self.until(bytes, end, |byte| (byte != b'\\').then_some(State::Long(quote, 1))))
            }
            State::Long(quote, count) => {
                self.state = match (first == quote, count) {
                    (true, 2) => State::Between,
                    (true, _) => State::Long(quote, count + 1),
                    (false, _) => State::Long(quote, 0),
                };
                Ok(usize::from(first == quote))
            }
        }
    }

    /// Skips to a byte, which escapes the next one or changes the state.
    fn until(&mut self, bytes: &[u8], end: Option<usize>, then: impl Fn(u8) -> Option<State>) -> usize {
        let Some(at) = end else { return bytes.len() };
        match bytes.get(at).and_then(|byte| then(*byte)) {
            Some(state) => self.state = state,
            None => self.escaped = true,
        }
        at + 1
    }

    /// Takes a byte after opening quotes.
    fn opening(&mut self, quote: u8, count: u8, byte: u8) -> usize {
        self.state = match (byte == quote, count) {
            (true, 1) => State::Opening(quote, 2),
            (true, _) => State::Long(quote, 0),
            (false, 1) => State::Short(quote),
            (false, _) => State::Between,
        };
        usize::from(byte == quote)
    }

    /// Takes bytes up to the next text, IRI, comment or escape. Returns their number.
    fn between(&mut self, bytes: &[u8]) -> Result<usize, String> {
        for (byte, count) in bytes.iter().zip(1..) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.end_word(),
                b'<' => {
                    self.end_word();
                    self.state = State::Iri;
                    self.iri = 0;
                    self.iri_start.clear();
                    return Ok(count);
                }
                b'#' => {
                    self.end_word();
                    self.state = State::Comment;
                    return Ok(count);
                }
                b'"' | b'\'' => {
                    self.other();
                    self.state = State::Opening(*byte, 1);
                    return Ok(count);
                }
                b'[' | b'(' | b'{' => {
                    self.other();
                    self.depth += 1;
                    if self.depth > DEEPEST {
                        return Err(format!("brackets nested more than {DEEPEST} deep"));
                    }
                }
                b']' | b')' | b'}' => {
                    self.other();
                    self.depth = self.depth.saturating_sub(1);
                }
                b'\\' => {
                    self.escaped = true;
                    return Ok(count);
                }
                b'@' => {
                    self.end_word();
                    self.word = u64::from(b'@');
                }
                _ => self.word = self.word << 8 | u64::from(*byte),
            }
        }
        Ok(bytes.len())
    }

    fn within_iri(&mut self, bytes: &[u8]) -> Result<usize, String> {
        // An IRI has no blank. The parser reports one that is not closed.
        let end = memchr::memchr3(b'>', b' ', b'\n', bytes);
        let text = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or(bytes);
        let room = SCHEME.saturating_sub(self.iri_start.len()).min(text.len());
        self.iri_start.extend_from_slice(text.get(..room).unwrap_or_default());
        self.iri = self.iri.saturating_add(text.len());
        if self.iri > LONGEST_KEY {
            return Err(format!("an IRI of more than {LONGEST_KEY} bytes"));
        }
        let Some(end) = end else { return Ok(bytes.len()) };
        self.state = State::Between;
        self.end_iri()?;
        Ok(end + 1)
    }

    /// Notes the length of an IRI that a directive declares.
    fn end_iri(&mut self) -> Result<(), String> {
        let length = if has_scheme(&self.iri_start) { self.iri } else { self.base.saturating_add(self.iri) };
        let declared = match self.words {
            [Word::Base, _] => {
                self.base = length;
                length
            }
            [Word::Name, Word::Prefix] => length,
            _ => 0,
        };
        self.words = [Word::Other; 2];
        if declared > LONGEST_NAMESPACE {
            return Err(format!("a namespace of {declared} bytes; at most {LONGEST_NAMESPACE} are read"));
        }
        Ok(())
    }

    fn end_word(&mut self) {
        if self.word != 0 {
            let [last, _] = self.words;
            self.words = [Word::of(self.word), last];
            self.word = 0;
        }
    }

    /// Takes a token that is no word.
    fn other(&mut self) {
        self.word = 0;
        self.words = [Word::Other; 2];
    }
}

impl Word {
    /// The kind of a word by its last eight bytes.
    fn of(word: u64) -> Self {
        let bytes = word.to_be_bytes();
        let is = |name: &[u8]| {
            let (before, rest) = bytes.split_at(bytes.len() - name.len());
            // A number's or a statement's point may stand right before.
            rest.eq_ignore_ascii_case(name) && matches!(before.last(), Some(0 | b'.' | b'@'))
        };
        match word as u8 {
            b':' => Self::Name,
            _ if is(b"base") => Self::Base,
            _ if is(b"prefix") => Self::Prefix,
            _ => Self::Other,
        }
    }
}

/// Whether an IRI that starts so is absolute.
pub(super) fn has_scheme(start: &[u8]) -> bool {
    let end =
        start.iter().position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')));
    end.is_some_and(|end| end > 0 && start.get(end) == Some(&b':'))
}

impl Check for TurtleCheck {
    fn take(&mut self, bytes: &[u8], line: u64) -> Result<(), Refusal> {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            at += self.step(rest).map_err(|reason| Refusal::at(bytes, at, line, reason))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::checked::refusal;
    use super::*;

    fn check(text: &str, expected: Option<(u64, &str)>) {
        let refused = refusal(text.as_bytes(), TurtleCheck::new);
        let shown = text.get(..text.len().min(100)).unwrap_or_default();
        assert_eq!(refused.as_ref().map(|(line, _)| *line), expected.map(|(line, _)| line), "{shown}");
        if let (Some((_, reason)), Some((_, says))) = (refused, expected) {
            assert!(reason.contains(says), "{reason}");
        }
    }

    #[test]
    fn brackets_nest_to_a_bounded_depth() {
        let open = "[ <e:p> ".repeat(DEEPEST + 1);
        check(&format!("# a comment (\n<e:a> <e:p>\n{open}"), Some((3, "deep")));
        check(&format!("<e:a> <e:p> {}", "( [] ".repeat(DEEPEST)), Some((1, "deep")));
        check(&"[] <e:p> () .\n".repeat(DEEPEST), None);
    }

    #[test]
    fn brackets_in_texts_iris_comments_and_escapes_do_not_count() {
        let many = "(".repeat(DEEPEST + 1);
        for text in [
            format!("<e:a> <e:p> \"{many}\" ."),
            format!("<e:a> <e:p> '{many}\\'{many}' ."),
            format!("<e:a> <e:p> \"\"\"a\"\" {many}\\\"\"\"\"{many}\"\"\" ."),
            format!("<e:a> <e:p> \"\", '' , '''{many}''' ."),
            format!("<e:{many}> <e:p> 1 ."),
            format!("# {many}\n<e:a> <e:p> 1 ."),
            format!("<e:a> <e:p> p:{} .", "\\(".repeat(DEEPEST + 1)),
        ] {
            check(&text, (text.contains("\"\"\"a")).then_some((1, "deep")));
        }
    }

    #[test]
    fn namespaces_are_short_and_iris_bounded() {
        let long = "x".repeat(LONGEST_NAMESPACE);
        for directive in
            ["@prefix p:", "PREFIX p:", "prefix\n:", "@base", "bAsE", "<a> <b> 1.BASE", "a:b.@base"]
        {
            check(&format!("\n{directive} <e:{long}> ."), Some((2 + lines(directive), "namespace")));
            check(&format!("\n{directive} <e:{}> .", &long[..1000]), None);
        }
        check(&format!("<e:a> p: <e:{long}> . <e:a> p:base <{long}> ."), None);
        let half = &long[..LONGEST_NAMESPACE / 2];
        check(&format!("@base <e:{half}/> .\n@base <{half}> ."), Some((2, "namespace")));
        check(&format!("@base <e:{half}/> .\n@prefix p: <{half}> ."), Some((2, "namespace")));
        check(&format!("@base <e:{half}/> .\n@base <f:{half}> ."), None);
        check(&format!("<e:a> <e:b>\n<e:{}> .", "x".repeat(LONGEST_KEY)), Some((2, "an IRI of more than")));
    }

    fn lines(text: &str) -> u64 {
        text.matches('\n').count() as u64
    }
}
