//! Repairs a comparison of two values that models write without brackets:
//! `SELECT AVG(a) FROM t WHERE … > AVG(a) FROM t WHERE …`.

/// The same as valid SQL, each side a query in brackets; `None` if the text is not such a
/// comparison.
pub fn compared_queries(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(';');
    let top = top_level(text);
    let [first, second] = words_at(text, &top, "FROM")[..] else { return None };
    let mut signs = top.iter().copied().filter(|at| (first..second).contains(at));
    let sign = signs.rfind(|at| matches!(text.as_bytes().get(*at), Some(b'<' | b'>' | b'=')))?;
    let before = |at: usize| text.as_bytes().get(at).copied();
    let start = sign.checked_sub(1).filter(|at| matches!(before(*at), Some(b'<' | b'>'))).unwrap_or(sign);
    let (left, operator, right) =
        (text.get(..start)?.trim(), text.get(start..=sign)?, text.get(sign + 1..)?.trim());
    let is_query = |side: &str| side.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select"));
    let right = if is_query(right) { right.to_owned() } else { format!("SELECT {right}") };
    is_query(left).then(|| format!("SELECT ({left}) {operator} ({right})"))
}

/// The positions of the bytes outside quotation marks and brackets.
fn top_level(text: &str) -> Vec<usize> {
    let (mut depth, mut quote) = (0_usize, None);
    let mut places = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(mark), _) if byte == mark => quote = None,
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => depth = depth.saturating_sub(1),
            (None, _) if depth == 0 => places.push(at),
            (Some(_) | None, _) => {}
        }
    }
    places
}

/// Those of the given positions at which a word stands by itself.
fn words_at(text: &str, places: &[usize], word: &str) -> Vec<usize> {
    let is_end = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
    let bytes = text.as_bytes();
    let stands = |at: &usize| {
        let end = at + word.len();
        text.get(*at..end).is_some_and(|part| part.eq_ignore_ascii_case(word))
            && is_end(at.checked_sub(1).and_then(|at| bytes.get(at)))
            && is_end(bytes.get(end))
    };
    places.iter().copied().filter(stands).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_queries_beside_a_sign_become_one_comparison() {
        for (text, expected) in [
            (
                "SELECT AVG(a) FROM t WHERE n LIKE '%x > y%' > AVG(a) FROM t WHERE n = 'b';",
                Some(
                    "SELECT (SELECT AVG(a) FROM t WHERE n LIKE '%x > y%') > (SELECT AVG(a) FROM t WHERE n = 'b')",
                ),
            ),
            (
                "select COUNT(*) from t where n = 'a' >= select COUNT(*) from u",
                Some("SELECT (select COUNT(*) from t where n = 'a') >= (select COUNT(*) from u)"),
            ),
            ("SELECT a FROM t WHERE b > 3", None),
            ("SELECT (SELECT a FROM t) > (SELECT a FROM u)", None),
            ("", None),
        ] {
            assert_eq!(compared_queries(text).as_deref(), expected, "{text}");
        }
    }
}
