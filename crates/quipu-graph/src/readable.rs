//! Readable names for keys, and the IRIs of plain names in SPARQL.

use std::borrow::Cow;

/// Prefix of the IRIs for plain names: `Lima` is `<urn:quipu:Lima>`.
pub const NAME_IRI_PREFIX: &str = "urn:quipu:";

/// Whether a key is a blank node's (`_:` and a label).
pub fn is_blank(key: &str) -> bool {
    key.strip_prefix("_:").is_some_and(|label| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
    })
}

/// Whether a key is a valid IRI: a scheme, a colon, and no character that IRIs forbid.
pub(crate) fn is_iri(key: &str) -> bool {
    let Some((scheme, _)) = key.split_once(':') else { return false };
    let scheme_fits = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    scheme_fits
        && !key.bytes().any(|byte| {
            byte <= b' ' || matches!(byte, b'<' | b'>' | b'"' | b'{' | b'}' | b'|' | b'^' | b'`' | b'\\')
        })
}

/// The IRI of an entity or a relation in SPARQL: its key, or `urn:quipu:` and the percent-encoded
/// key if the key is no IRI.
pub fn iri_of_key(key: &str) -> Cow<'_, str> {
    if is_iri(key) {
        return Cow::Borrowed(key);
    }
    let mut iri = String::from(NAME_IRI_PREFIX);
    for byte in key.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            iri.push(char::from(byte));
        } else {
            iri.push_str(&format!("%{byte:02X}"));
        }
    }
    Cow::Owned(iri)
}

/// The key that an IRI stands for: the reverse of [`iri_of_key`].
pub fn key_of_iri(iri: &str) -> Cow<'_, str> {
    let Some(encoded) = iri.strip_prefix(NAME_IRI_PREFIX) else { return Cow::Borrowed(iri) };
    match percent_decode(encoded) {
        Some(key) if !is_iri(&key) => Cow::Owned(key),
        _ => Cow::Borrowed(iri),
    }
}

fn percent_decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let high = char::from(bytes.next()?).to_digit(16)?;
            let low = char::from(bytes.next()?).to_digit(16)?;
            out.push((high * 16 + low) as u8);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

/// The readable part of an entity's key: the last segment of an IRI, decoded, with `_` as spaces;
/// any other key as it is.
pub fn readable_entity(key: &str) -> Cow<'_, str> {
    match key_of_iri(key) {
        Cow::Borrowed(key) if !is_iri(key) => return Cow::Borrowed(key),
        Cow::Borrowed(_) => {}
        // A plain name given as an IRI.
        Cow::Owned(name) => return Cow::Owned(name),
    }
    let segment = last_segment(key, &['/', '#', ':']);
    let decoded = percent_decode(segment).unwrap_or_else(|| segment.to_owned());
    Cow::Owned(decoded.replace('_', " "))
}

/// The readable name of a relation without a label: the last segment of its key, without
/// namespaces, with `_`, `-`, `.` and camelCase as spaces.
pub fn readable_relation(key: &str) -> String {
    let key = &*key_of_iri(key);
    let local = if is_iri(key) { last_segment(key, &['/', '#', ':']) } else { key };
    let local = percent_decode(local).unwrap_or_else(|| local.to_owned());
    let local = local.rsplit("__").find(|part| !part.is_empty()).unwrap_or(&local);
    let dotted = local.contains('.') && !local.contains(' ');
    let local = if dotted { local.rsplit('.').find(|part| !part.is_empty()).unwrap_or(local) } else { local };
    let mut words = String::with_capacity(local.len() + 8);
    let mut previous = ' ';
    for character in local.chars() {
        if matches!(character, '_' | '-' | '.' | ' ') {
            if !words.is_empty() && !words.ends_with(' ') {
                words.push(' ');
            }
        } else if character.is_uppercase() && previous.is_lowercase() {
            words.push(' ');
            words.extend(character.to_lowercase());
        } else {
            words.push(character);
        }
        previous = character;
    }
    let words = words.trim_end();
    if words.is_empty() { key.to_owned() } else { words.to_owned() }
}

/// The last non-empty segment.
fn last_segment<'a>(key: &'a str, separators: &[char]) -> &'a str {
    key.rsplit(separators).find(|segment| !segment.is_empty()).unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_relation(key: &str, expected: &str) {
        assert_eq!(readable_relation(key), expected, "{key}");
    }

    #[test]
    fn relations_read_as_words() {
        check_relation("__people__person__place_of_birth", "place of birth");
        check_relation("http://dbpedia.org/ontology/birthPlace", "birth place");
        check_relation("http://rdf.freebase.com/ns/people.person.place_of_birth", "place of birth");
        check_relation("people.person.place_of_birth", "place of birth");
        check_relation("directed_by", "directed by");
        check_relation("instance hypernym", "instance hypernym");
        check_relation("http://www.w3.org/2000/01/rdf-schema#label", "label");
        check_relation("http://www.wikidata.org/prop/direct/P31", "P31");
        check_relation("http://example.org/has-ISBN", "has ISBN");
        check_relation("___", "___");
    }

    #[test]
    fn names_and_iris_stand_for_each_other() {
        for key in [
            "Lima",
            "Mission: Impossible",
            "50% off",
            "http://example.org/a",
            "_:)",
            "",
            "Ñandú",
            "urn:quipu:Lima",
        ] {
            let iri = iri_of_key(key);
            assert!(is_iri(&iri), "{iri}");
            if key != "urn:quipu:Lima" {
                assert_eq!(key_of_iri(&iri), key);
            }
        }
        assert_eq!(iri_of_key("Mission: Impossible"), "urn:quipu:Mission%3A%20Impossible");
        assert_eq!(key_of_iri("urn:quipu:%zz"), "urn:quipu:%zz");
    }

    #[test]
    fn entities_read_as_their_last_segment() {
        assert_eq!(readable_entity("http://dbpedia.org/resource/Lima_(Peru)"), "Lima (Peru)");
        assert_eq!(readable_entity("Lima_x"), "Lima_x");
        assert_eq!(readable_entity(&iri_of_key("Lima_x: a/b")), "Lima_x: a/b");
        assert_eq!(readable_entity("http://example.org/"), "example.org");
    }
}
