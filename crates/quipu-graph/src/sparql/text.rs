//! Splits the text of a query into tokens. They give the order of its variables, which the parsed
//! query loses, and the place of a syntax error.

/// A token of a query: a word, a name, a variable, a number, a text, or a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// Byte offset of its start.
    pub(super) at: usize,
    pub(super) text: &'a str,
}

impl Token<'_> {
    /// Whether it looks like a keyword.
    pub(super) fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_alphabetic())
            && self.text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    /// The name, if it is a variable.
    fn variable(&self) -> Option<&str> {
        self.text.strip_prefix(['?', '$']).filter(|name| !name.is_empty())
    }
}

/// All tokens of a text, which may be no valid query; comments are skipped.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let first = rest.chars().next()?;
            if first == '#' {
                at += rest.find('\n').unwrap_or(rest.len());
            } else if first.is_whitespace() {
                at += first.len_utf8();
            } else {
                let token = Token { at, text: rest.get(..length(rest, first)).unwrap_or(rest) };
                at += token.text.len();
                return Some(token);
            }
        }
    })
}

/// Bytes of the first token of a text.
fn length(rest: &str, first: char) -> usize {
    let name = |from: usize| {
        let part = rest.get(from..).unwrap_or_default();
        let end =
            part.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | ':' | '.' | '%' | '\\'));
        // A trailing full stop ends the statement and is not part of the name.
        let name = part.get(..end.unwrap_or(part.len())).unwrap_or_default().trim_end_matches('.');
        from + name.len()
    };
    match first {
        '<' => iri(rest).unwrap_or(1),
        '"' | '\'' => quoted(rest, first),
        '?' | '$' => {
            let end = rest.get(1..).unwrap_or_default().find(|c: char| !c.is_alphanumeric() && c != '_');
            end.map_or(rest.len(), |end| end + 1)
        }
        '@' => name(1),
        c if c.is_alphanumeric() || matches!(c, '_' | ':') => name(0).max(c.len_utf8()),
        c => c.len_utf8(),
    }
}

/// Bytes of an IRI in angle brackets; `None` if `<` is a comparison.
fn iri(rest: &str) -> Option<usize> {
    let end = rest.find(|c: char| c == '>' || c.is_whitespace() || matches!(c, '{' | '}' | '"'))?;
    rest.get(end..)?.starts_with('>').then_some(end + 1)
}

/// Bytes of a text in single or triple quotes; of the whole rest if they are not closed.
fn quoted(rest: &str, quote: char) -> usize {
    let long: String = std::iter::repeat_n(quote, 3).collect();
    let end = if rest.starts_with(&long) { long } else { quote.to_string() };
    let mut at = end.len();
    while let Some(left) = rest.get(at..).filter(|left| !left.is_empty()) {
        if left.starts_with(&end) {
            return at + end.len();
        }
        let escaped = left.strip_prefix('\\').and_then(|after| after.chars().next());
        let step = escaped.map(|c| 1 + c.len_utf8()).or_else(|| left.chars().next().map(char::len_utf8));
        at += step.unwrap_or(1);
    }
    rest.len()
}

/// The names of the variables in the order of their first appearance, if the query selects all of
/// them (`SELECT *`).
pub(super) fn all_variables(text: &str) -> Option<Vec<&str>> {
    let mut found =
        tokens(text).skip_while(|token| !token.text.eq_ignore_ascii_case("SELECT")).skip(1).peekable();
    let modified =
        |token: &Token<'_>| ["DISTINCT", "REDUCED"].iter().any(|word| token.text.eq_ignore_ascii_case(word));
    found.next_if(modified);
    if found.next()?.text != "*" {
        return None;
    }
    let mut names = Vec::new();
    for token in found {
        // Borrowed from the text, which outlives the token.
        let Some(name) = token.variable().and_then(|name| text.get(token.at + 1..token.at + 1 + name.len()))
        else {
            continue;
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(tokens(text).map(|token| token.text).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn a_query_is_read_token_by_token() {
        check("SELECT ?a{?a ex:b.c.}", &["SELECT", "?a", "{", "?a", "ex:b.c", ".", "}"]);
        check(
            "FILTER(?x<3 && ?y > 1.5) # so\n",
            &["FILTER", "(", "?x", "<", "3", "&", "&", "?y", ">", "1.5", ")"],
        );
        check(
            r#"<http://a/?x#b> "a \" ?b"@en '''it's''' "#,
            &["<http://a/?x#b>", r#""a \" ?b""#, "@en", "'''it's'''"],
        );
        check("\"never closed ?x", &["\"never closed ?x"]);
        check("é€?", &["é", "€", "?"]);
    }

    #[test]
    fn variables_keep_the_order_of_the_text() {
        let order = |text| all_variables(text);
        assert_eq!(
            order("PREFIX select: <x?y> SELECT * { ?z ?a 'q ?no' . ?z ?m $k }"),
            Some(vec!["z", "a", "m", "k"])
        );
        assert_eq!(order("select distinct * { ?b a ?a } # ?c"), Some(vec!["b", "a"]));
        assert_eq!(order("SELECT ?a { ?b ?a ?c }"), None);
        assert_eq!(order("ASK { ?b ?a ?c }"), None);
        assert_eq!(order("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"), None);
    }
}
