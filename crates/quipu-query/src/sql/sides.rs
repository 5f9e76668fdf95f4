//! Repairs two queries on the sides of a sign that models write without brackets: a comparison,
//! `SELECT AVG(a) FROM t WHERE … > AVG(a) FROM t WHERE …`, or a calculation,
//! `SELECT COUNT(*) FROM t / SELECT COUNT(*) FROM u`.

/// The same as valid SQL, each side a query in brackets; `None` if the text is neither.
pub fn with_bracketed_sides(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches(';');
    let top = top_level(text);
    calculation(text, &top).or_else(|| comparison(text, &top))
}

fn comparison(text: &str, top: &[usize]) -> Option<String> {
    let [first, second] = words_at(text, top, "FROM")[..] else { return None };
    let mut signs = top.iter().copied().filter(|at| (first..second).contains(at));
    let sign = signs.rfind(|at| matches!(text.as_bytes().get(*at), Some(b'<' | b'>' | b'=')))?;
    let before = |at: usize| text.as_bytes().get(at).copied();
    let start = sign.checked_sub(1).filter(|at| matches!(before(*at), Some(b'<' | b'>'))).unwrap_or(sign);
    let (left, operator, right) =
        (text.get(..start)?.trim(), text.get(start..=sign)?, text.get(sign + 1..)?.trim());
    let right = if is_query(right) { right.to_owned() } else { format!("SELECT {right}") };
    is_query(left).then(|| format!("SELECT ({left}) {operator} ({right})"))
}

/// A sign of arithmetic with a query behind it, in brackets or not.
fn calculation(text: &str, top: &[usize]) -> Option<String> {
    let side = |side: &str| match side.trim() {
        side if is_query(side) => Some(format!("({side})")),
        side if is_query(side.strip_prefix('(')?.trim_start()) => Some(side.to_owned()),
        _ => None,
    };
    top.iter().find_map(|at| {
        let sign = text.get(*at..=*at).filter(|sign| matches!(*sign, "/" | "*" | "-" | "+"))?;
        let (left, right) = (side(text.get(..*at)?)?, side(text.get(*at + 1..)?)?);
        Some(format!("SELECT {left} {sign} {right}"))
    })
}

fn is_query(side: &str) -> bool {
    side.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select"))
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
    fn two_queries_beside_a_sign_become_one() {
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
            (
                "SELECT COUNT(*) FROM t WHERE n = 'a/b' / SELECT COUNT(*) FROM u;",
                Some("SELECT (SELECT COUNT(*) FROM t WHERE n = 'a/b') / (SELECT COUNT(*) FROM u)"),
            ),
            (
                "(SELECT COUNT(*) FROM t) - (SELECT COUNT(*) FROM u WHERE n - 1 > 2)",
                Some("SELECT (SELECT COUNT(*) FROM t) - (SELECT COUNT(*) FROM u WHERE n - 1 > 2)"),
            ),
            ("SELECT a - b FROM t", None),
            ("SELECT a FROM t WHERE b > 3", None),
            ("SELECT (SELECT a FROM t) > (SELECT a FROM u)", None),
            ("", None),
        ] {
            assert_eq!(with_bracketed_sides(text).as_deref(), expected, "{text}");
        }
    }
}
