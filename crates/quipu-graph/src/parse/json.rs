//! Checks on JSON-LD before its parser: values nest to a bounded depth, an outermost object has a
//! bounded length, and contexts declare short IRIs (see `context.rs`).

use super::LONGEST_TEXT;
use super::checked::{Check, Refusal};
use super::context::Scopes;

/// Deepest nesting. The parser drops values by recursion.
const DEEPEST: usize = 512;
/// Longest context. Schema.org's has 200 kB.
const LONGEST_CONTEXT: usize = 4 << 20;
const CONTEXT: &str = "@context";
/// Longest spelling of `@context`, each letter escaped.
const LONGEST_SPELLING: usize = 6 * CONTEXT.len();

/// The part of a context's key that was read last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Nothing,
    Key,
    Colon,
}

pub(super) struct JsonCheck {
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// The start of the last text, as written.
    text: Vec<u8>,
    named: Named,
    /// Bytes of the current context, and the depth that it stands at.
    context: Option<(Vec<u8>, usize)>,
    scopes: Scopes,
    /// Bytes of the outermost object so far, and the depth that it stands at.
    object: Option<(usize, usize)>,
    longest: usize,
}

impl JsonCheck {
    pub(super) fn new() -> Self {
        Self {
            depth: 0,
            in_text: false,
            escaped: false,
            text: Vec::new(),
            named: Named::Nothing,
            context: None,
            scopes: Scopes::default(),
            object: None,
            longest: LONGEST_TEXT,
        }
    }

    /// Takes one byte, or several of a text. Returns their number.
    fn step(&mut self, bytes: &[u8]) -> Result<usize, String> {
        if self.in_text {
            return Ok(self.within_text(bytes));
        }
        let named = std::mem::replace(&mut self.named, Named::Nothing);
        match bytes.first() {
            Some(b' ' | b'\t' | b'\r' | b'\n') => self.named = named,
            Some(b':') if named == Named::Key => self.named = Named::Colon,
            Some(b'"') => {
                self.in_text = true;
                self.text.clear();
            }
            Some(byte @ (b'{' | b'[')) => self.open(*byte == b'{', named == Named::Colon)?,
            Some(b'}' | b']') => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        Ok(1)
    }

    fn open(&mut self, is_object: bool, is_context: bool) -> Result<(), String> {
        if is_context && self.context.is_none() {
            self.context = Some((Vec::new(), self.depth));
        }
        if is_object && self.object.is_none() {
            self.object = Some((0, self.depth));
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("values nested more than {DEEPEST} deep"));
        }
        Ok(())
    }

    /// Takes bytes of a text up to its end or to an escape.
    fn within_text(&mut self, bytes: &[u8]) -> usize {
        if std::mem::take(&mut self.escaped) {
            self.spell(bytes.get(..1).unwrap_or_default());
            return 1;
        }
        let end = memchr::memchr2(b'"', b'\\', bytes);
        let count = end.map_or(bytes.len(), |at| at + 1);
        if end.and_then(|at| bytes.get(at)) == Some(&b'"') {
            self.spell(bytes.get(..count - 1).unwrap_or_default());
            self.in_text = false;
            self.named = if self.is_context() { Named::Key } else { Named::Nothing };
        } else {
            self.spell(bytes.get(..count).unwrap_or_default());
            self.escaped = end.is_some();
        }
        count
    }

    /// Adds bytes to the start of the text.
    fn spell(&mut self, bytes: &[u8]) {
        let room = (LONGEST_SPELLING + 1).saturating_sub(self.text.len()).min(bytes.len());
        self.text.extend_from_slice(bytes.get(..room).unwrap_or_default());
    }

    fn is_context(&self) -> bool {
        if !self.text.contains(&b'\\') {
            return self.text == CONTEXT.as_bytes();
        }
        let quoted = [b"\"", self.text.as_slice(), b"\""].concat();
        serde_json::from_slice::<String>(&quoted).is_ok_and(|text| text == CONTEXT)
    }

    /// Adds bytes to what is open, and closes what they end.
    fn keep(&mut self, bytes: &[u8]) -> Result<(), String> {
        if let Some((length, depth)) = &mut self.object {
            *length = length.saturating_add(bytes.len());
            if *length > self.longest {
                let longest = self.longest;
                return Err(format!(
                    "an object of more than {longest} bytes; write it as an array of objects, or as N-Triples"
                ));
            }
            if self.depth == *depth {
                self.object = None;
            }
        }
        if let Some((context, depth)) = &mut self.context {
            context.extend_from_slice(bytes);
            if context.len() > LONGEST_CONTEXT {
                return Err(format!("a @context of more than {LONGEST_CONTEXT} bytes"));
            }
            if self.depth == *depth {
                self.scopes.declare(context, *depth)?;
                self.context = None;
            }
        }
        self.scopes.leave(self.depth);
        Ok(())
    }
}

impl Check for JsonCheck {
    fn take(&mut self, bytes: &[u8], line: u64) -> Result<(), Refusal> {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let refused = |reason| Refusal::at(bytes, at, line, reason);
            let count = self.step(rest).map_err(refused)?;
            self.keep(rest.get(..count).unwrap_or_default()).map_err(refused)?;
            at += count;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::checked::refusal;
    use super::*;

    fn check(text: &str, expected: Option<(u64, &str)>) {
        let refused = refusal(text.as_bytes(), JsonCheck::new);
        let shown = text.get(..text.len().min(100)).unwrap_or_default();
        assert_eq!(refused.as_ref().map(|(line, _)| *line), expected.map(|(line, _)| line), "{shown}");
        if let (Some((_, reason)), Some((_, says))) = (refused, expected) {
            assert!(reason.contains(says), "{reason}");
        }
    }

    #[test]
    fn values_nest_to_a_bounded_depth() {
        check(&format!("{{\n\"@context\":\n{}", "[".repeat(DEEPEST)), Some((3, "deep")));
        check(&"{\"a\":".repeat(DEEPEST + 1), Some((1, "deep")));
        check(&format!("[{}{{}}]", "[{}],".repeat(DEEPEST)), None);
        check(&format!("{{\"a\": \"{}\\\"{}\"}}", "[".repeat(DEEPEST), "[".repeat(DEEPEST)), None);
    }

    #[test]
    fn an_outermost_object_has_a_bounded_length() {
        let small = || JsonCheck { longest: 20, ..JsonCheck::new() };
        assert!(refusal(b"[{\"a\": {}},\n{\"b\": [{}]},\n{\"c\": \"}\"}]", small).is_none());
        let refused = refusal(b"[{\"a\": {}},\n{\"b\":\n\"12345678901234567890\"}]", small);
        assert_eq!(refused.map(|(line, _)| line), Some(3));
    }

    #[test]
    fn a_context_is_found_however_it_is_written() {
        let long = "x".repeat(5000);
        let context = format!("{{\"p\": \"http://e.org/{long}\"}}");
        check(&format!("{{\"@context\" :\n{context}}}"), Some((2, "context")));
        check(&format!("{{\"a\": {{\"\\u0040context\":[1,{context}]}}}}"), Some((1, "context")));
        check(&format!("{{\"context\": {context}, \"a\": \"@context\", \"b\": {context}}}"), None);
    }
}
