//! Numbers in as few bytes as they need: seven bits a byte, the lowest first, the top bit set on all but the last.

/// Appends a number.
pub(crate) fn push(mut number: u64, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push((number as u8) | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

/// A cursor over bytes that may be damaged: every read says whether there was something to read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'bytes> {
    rest: &'bytes [u8],
}

impl<'bytes> Cursor<'bytes> {
    /// Starts at a byte offset; `None` beyond the end.
    pub(crate) fn at(bytes: &'bytes [u8], offset: u64) -> Option<Self> {
        Some(Self { rest: bytes.get(usize::try_from(offset).ok()?..)? })
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// The next number; `None` at the end, or where no number ends within ten bytes.
    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// The next text, its length before it.
    pub(crate) fn text(&mut self) -> Option<&'bytes str> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        std::str::from_utf8(text).ok()
    }
}

/// Appends a text, its length before it.
pub(crate) fn push_text(text: &str, into: &mut Vec<u8>) {
    push(text.len() as u64, into);
    into.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let mut bytes = Vec::new();
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        for number in numbers {
            push(number, &mut bytes);
        }
        let mut cursor = Cursor::at(&bytes, 0).unwrap();
        for number in numbers {
            assert_eq!(cursor.number(), Some(number));
        }
        assert_eq!(cursor.number(), None);
        assert_eq!(Cursor::at(&[0xff; 20], 0).unwrap().number(), None);
    }
}
