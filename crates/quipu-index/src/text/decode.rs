//! Decodes bytes: UTF-8, and UTF-16 with a byte order mark. Anything else is refused, not guessed.

/// Why bytes cannot be read as text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// Bytes that do not occur in text.
    #[error("it is not a text: byte {at} is zero")]
    Binary {
        /// Position of the first such byte.
        at: usize,
    },
    /// Neither UTF-8 nor marked as UTF-16.
    #[error("it is not written in UTF-8: byte {at} is not part of a character; convert it (iconv -t UTF-8)")]
    Encoding {
        /// Position of the first wrong byte.
        at: usize,
    },
    /// A PDF that cannot be read.
    #[error("its text cannot be read: {0}")]
    Pdf(String),
}

/// The text of a file's bytes, without a byte order mark and with `\n` at the ends of lines.
///
/// # Errors
/// [`TextError::Binary`] and [`TextError::Encoding`], with the position.
pub fn decode(bytes: &[u8]) -> Result<String, TextError> {
    let text = match bytes {
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes)?,
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes)?,
        [0xEF, 0xBB, 0xBF, rest @ ..] => utf8(rest, 3)?.to_owned(),
        _ => utf8(bytes, 0)?.to_owned(),
    };
    Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text })
}

fn utf8(bytes: &[u8], before: usize) -> Result<&str, TextError> {
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        return Err(TextError::Binary { at: before + at });
    }
    std::str::from_utf8(bytes).map_err(|error| TextError::Encoding { at: before + error.valid_up_to() })
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, TextError> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut at = 2;
    let mut text = String::with_capacity(bytes.len());
    for character in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        match character {
            Ok('\0') => return Err(TextError::Binary { at }),
            Ok(character) => {
                text.push(character);
                at += 2 * character.len_utf16();
            }
            Err(_) => return Err(TextError::Encoding { at }),
        }
    }
    if odd.is_empty() { Ok(text) } else { Err(TextError::Encoding { at }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read_and_ends_of_lines_are_alike() {
        assert_eq!(decode(b"a\r\nb\rc").unwrap(), "a\nb\nc");
        assert_eq!(decode("\u{feff}käse".as_bytes()).unwrap(), "käse");
        let wide: Vec<u8> = "\u{feff}k\u{1f9c0}".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(decode(&wide).unwrap(), "k\u{1f9c0}");
        assert_eq!(decode(b"").unwrap(), "");
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_place() {
        assert_eq!(decode(b"PK\x03\x04\0x"), Err(TextError::Binary { at: 4 }));
        assert_eq!(decode(b"caf\xe9 noir"), Err(TextError::Encoding { at: 3 }));
        assert_eq!(decode(b"\xff\xfea\0b"), Err(TextError::Encoding { at: 4 }));
        assert_eq!(decode(b"\xff\xfe\x00\xd8a\0"), Err(TextError::Encoding { at: 2 }));
    }
}
