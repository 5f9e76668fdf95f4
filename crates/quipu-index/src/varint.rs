//! Variable-length numbers: seven bits a byte, the lowest first, the top bit set on all but the
//! last.

use crate::container::Section;

/// Appends a number.
pub(crate) fn push(mut number: u64, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push((number as u8) | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

/// A cursor over bytes that may be damaged: every read returns `None` at the end or at damage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'bytes> {
    bytes: &'bytes [u8],
    at: usize,
    /// Verified up to this offset.
    good: usize,
    /// Checks the bytes beyond that offset.
    section: Option<&'bytes Section>,
}

impl<'bytes> Cursor<'bytes> {
    /// Starts at a byte offset; `None` beyond the end.
    pub(crate) fn at(bytes: &'bytes [u8], offset: u64) -> Option<Self> {
        let at = usize::try_from(offset).ok().filter(|at| *at <= bytes.len())?;
        Some(Self { bytes, at, good: bytes.len(), section: None })
    }

    /// The same in a section, whose pages are checked as they are read.
    pub(crate) fn over(section: &'bytes Section, offset: u64) -> Option<Self> {
        let cursor = Self::at(section.as_ref(), offset)?;
        Some(Self { good: cursor.at, section: Some(section), ..cursor })
    }

    /// Whether the end is reached.
    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The next bytes.
    pub(crate) fn take(&mut self, count: usize) -> Option<&'bytes [u8]> {
        let end = self.at.checked_add(count)?;
        if end > self.good {
            self.good = self.section?.good_until(self.at..end)?;
        }
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    /// The next byte.
    #[inline]
    pub(crate) fn byte(&mut self) -> Option<u8> {
        if self.at >= self.good {
            return self.take(1)?.first().copied();
        }
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// The next number; `None` at the end, or if the number has more than 64 bits.
    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return (shift < 63 || byte < 2).then_some(number);
            }
        }
        None
    }

    /// The next text, with its length in front.
    pub(crate) fn text(&mut self) -> Option<&'bytes str> {
        let length = usize::try_from(self.number()?).ok()?;
        std::str::from_utf8(self.take(length)?).ok()
    }
}

/// Appends a text with its length in front.
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
        let mut longer = [0xff; 10];
        longer[9] = 3;
        assert_eq!(Cursor::at(&longer, 0).unwrap().number(), None, "65 bits");
    }
}
