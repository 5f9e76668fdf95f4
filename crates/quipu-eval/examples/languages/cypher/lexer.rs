//! Splits a Cypher text into tokens.

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    /// A name or a keyword.
    Word(String),
    /// A name in backticks.
    Quoted(String),
    /// A text in either quotes.
    Text(String),
    /// A number.
    Number(String),
    /// A sign, of one or two characters.
    Sign(&'static str),
}

/// Longer signs first.
const SIGNS: [&str; 29] = [
    "<>", "!=", "<=", ">=", "=~", "->", "<-", "..", "--", "(", ")", "[", "]", "{", "}", ":", ",", ".", "|",
    "=", "<", ">", "+", "-", "*", "/", "%", "^", "&",
];

/// The tokens of a text.
///
/// # Errors
/// The character that Cypher does not have.
pub fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '\'' | '"' => {
                let (text, length) = quoted(rest, first);
                (Token::Text(text), length)
            }
            '`' => {
                let (text, length) = quoted(rest, first);
                (Token::Quoted(text), length)
            }
            c if c.is_ascii_digit() => {
                let is_part = |at: usize, c: char| {
                    // "1..3" is a range.
                    let point = c == '.'
                        && rest
                            .get(at + 1..)
                            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
                    c.is_ascii_digit() || point
                };
                let end =
                    rest.char_indices().find(|(at, c)| !is_part(*at, *c)).map_or(rest.len(), |(at, _)| at);
                (Token::Number(rest.get(..end).unwrap_or_default().to_owned()), end)
            }
            c if c.is_alphabetic() || c == '_' => {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                (Token::Word(rest.get(..end).unwrap_or_default().to_owned()), end)
            }
            other => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                // A relationship without brackets consists of its two dashes.
                Some(&"--") if !rest.starts_with("-->") => (Token::Sign("--"), 2),
                Some(&"--") => (Token::Sign("-->"), 3),
                Some(sign) => (Token::Sign(sign), sign.len()),
                None => return Err(format!("“{other}” is no part of Cypher that is read")),
            },
        };
        tokens.push(token);
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
    Ok(tokens)
}

/// The text between quotes, and the length of both with it.
fn quoted(text: &str, quote: char) -> (String, usize) {
    let mut inside = String::new();
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            c if escaped => {
                inside.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            c if c == quote => return (inside, at + 1),
            c => inside.push(c),
        }
    }
    (inside, text.len())
}
