//! Bounds-checked reading and writing of the integers in stored files.

// Sizes and offsets of stored files have 64 bits: a cast between them and `usize` keeps them all.
const _: () = assert!(usize::BITS >= u64::BITS, "Quipu needs a system of 64 bits");

/// Appends `value` as a LEB128 varint: seven bits a byte, lowest first; a set top bit means that
/// more bytes follow.
pub(crate) fn push_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value as u8 & 0x7f) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads forward over a byte slice; every read is `None` past the end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], position: usize) -> Self {
        Self { bytes, position }
    }

    pub(crate) fn position(&self) -> usize {
        self.position
    }

    #[inline]
    pub(crate) fn u8(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.position)?;
        self.position += 1;
        Some(byte)
    }

    /// A varint of at most ten bytes.
    #[inline]
    pub(crate) fn varint(&mut self) -> Option<u64> {
        let first = self.u8()?;
        if first < 0x80 {
            return Some(u64::from(first));
        }
        let mut value = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let byte = self.u8()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A varint that is the number of some things. No store holds 2^48 of them, so that sums of
    /// such numbers stay within 64 bits.
    pub(crate) fn count(&mut self) -> Option<u64> {
        self.varint().filter(|count| *count < 1 << 48)
    }

    #[inline]
    pub(crate) fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let end = self.position.checked_add(usize::try_from(length).ok()?)?;
        let slice = self.bytes.get(self.position..end)?;
        self.position = end;
        Some(slice)
    }

    /// A varint length and as many bytes of UTF-8.
    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = self.varint()?;
        utf8(self.take(length)?)
    }
}

/// Bytes that the processor fetches at once.
pub(crate) const CACHE_LINE: usize = 64;

/// Asks the processor to fetch the cache line at `position`, without waiting for it. Does nothing
/// past the end.
#[inline]
pub(crate) fn prefetch(bytes: &[u8], position: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(byte) = bytes.get(position) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no effect that the program can observe, and the address lies
        // within `bytes`.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (bytes, position);
}

/// The little-endian unsigned integer in `bytes` (at most eight). Ids and offsets mostly have three
/// to five bytes.
#[inline]
pub(crate) fn fixed(bytes: &[u8]) -> u64 {
    match *bytes {
        [a, b, c] => u64::from(u32::from_le_bytes([a, b, c, 0])),
        [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
        [a, b, c, d, e] => u64::from_le_bytes([a, b, c, d, e, 0, 0, 0]),
        _ => bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)),
    }
}

/// The text in `bytes`; `None` if they are not UTF-8. Most names are ASCII, which is checked
/// quickly.
#[inline]
pub(crate) fn utf8(bytes: &[u8]) -> Option<&str> {
    if bytes.is_ascii() {
        // SAFETY: ASCII is UTF-8.
        return Some(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    std::str::from_utf8(bytes).ok()
}

/// The four bytes at `index * 4` as a little-endian integer.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], index: usize) -> Option<u32> {
    let start = index.checked_mul(4)?;
    let slice = bytes.get(start..start.checked_add(4)?)?;
    Some(u32::from_le_bytes(slice.try_into().ok()?))
}

/// The eight bytes at `index * 8` as a little-endian integer.
#[inline]
pub(crate) fn u64_at(bytes: &[u8], index: usize) -> Option<u64> {
    let start = index.checked_mul(8)?;
    let slice = bytes.get(start..start.checked_add(8)?)?;
    Some(u64::from_le_bytes(slice.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_come_back() {
        for value in [0, 1, 127, 128, 300, 1 << 21, u64::from(u32::MAX), u64::MAX] {
            let mut out = Vec::new();
            push_varint(&mut out, value);
            assert_eq!(Cursor::new(&out, 0).varint(), Some(value));
            assert_eq!(Cursor::new(&out[..out.len() - 1], 0).varint(), None, "{value} cut short");
        }
    }

    #[test]
    fn integers_of_any_width_come_back() {
        let bytes = 0x0807_0605_0403_0201u64.to_le_bytes();
        for width in 0..=8 {
            let expected =
                bytes[..width].iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
            assert_eq!(fixed(&bytes[..width]), expected, "{width} bytes");
        }
    }

    #[test]
    fn texts_are_checked() {
        for bytes in ["", "Lima", "Áncash", "a name of more than sixteen bytes, ñ at its end: ñ"] {
            assert_eq!(utf8(bytes.as_bytes()), Some(bytes));
        }
        assert_eq!(utf8(b"Lima \xff"), None);
    }

    #[test]
    fn numbers_of_things_are_bounded() {
        for (value, expected) in [(9, Some(9)), ((1 << 48) - 1, Some((1 << 48) - 1)), (1 << 48, None)] {
            let mut out = Vec::new();
            push_varint(&mut out, value);
            assert_eq!(Cursor::new(&out, 0).count(), expected);
        }
    }

    #[test]
    fn an_endless_varint_is_no_number() {
        assert_eq!(Cursor::new(&[0xff; 20], 0).varint(), None);
    }
}
