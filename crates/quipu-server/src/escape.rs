//! Escapes texts of any origin for Markdown, so that they show as they are and never become markup.

/// A text of any origin as one line of Markdown, without markup, control characters, or changes of
/// writing direction.
pub(crate) fn line(text: &str) -> String {
    escaped(&words(text), '\n')
}

/// The visible words of a text, separated by blanks.
fn words(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(visible).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// The same with the surrounding blanks, except at the start of a line.
pub(crate) fn spaced(text: &str, before: char) -> String {
    let blank = |edge: Option<char>| if edge.is_some_and(char::is_whitespace) { " " } else { "" };
    let first = if before == '\n' { "" } else { blank(text.chars().next()) };
    let words = words(text);
    let last = if words.is_empty() { "" } else { blank(text.chars().last()) };
    format!("{first}{words}{last}")
}

/// A text without line breaks, escaped so that Markdown shows it as it is. `before` is the
/// character in front of it; a line break at the start of a line.
pub(crate) fn escaped(text: &str, mut before: char) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    let marker = if before == '\n' { marker(text) } else { None };
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let after = characters.peek().map_or(' ', |(_, next)| *next);
        let marks = match character {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' => true,
            // Between letters it is part of a name: `directed_by`.
            '_' => !(before.is_alphanumeric() && after.is_alphanumeric()),
            // After a citation number it would start a link.
            '(' => before == ']' && at == 0,
            // A bare address is a link in GitHub's Markdown.
            ':' => {
                matches!(before, 'p' | 's' | 'P' | 'S')
                    && text.get(at..).unwrap_or_default().starts_with("://")
            }
            '.' => text.get(at.saturating_sub(3)..at).is_some_and(|word| word.eq_ignore_ascii_case("www")),
            '@' => is_of_address(before) && is_of_address(after),
            '&' => is_reference(text.get(at + 1..).unwrap_or_default()),
            _ => false,
        };
        if marks || marker == Some(at) {
            escaped.push('\\');
        }
        escaped.push(character);
        before = character;
    }
    escaped
}

/// Whether a character can stand beside the `@` of a mail address.
fn is_of_address(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '+' | '-' | '.' | '_')
}

/// Whether a text after an `&` begins with the rest of a character reference: `lt;`, `#60;`.
fn is_reference(text: &str) -> bool {
    let name = text.strip_prefix('#').unwrap_or(text);
    let rest = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    rest.len() < name.len() && rest.starts_with(';')
}

fn visible(word: &str) -> String {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    word.chars().filter(|c| !c.is_control() && !turns(*c)).collect()
}

/// The position of a character that would make the line a heading, a rule or a list item. `-5`
/// stays a number.
fn marker(text: &str) -> Option<usize> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mut rest = text.get(digits..)?.chars();
    let (first, next) = (rest.next()?, rest.next());
    let marks = match first {
        '#' | '=' => digits == 0,
        '-' | '+' => digits == 0 && !next.is_some_and(|next| next.is_ascii_digit()),
        '.' | ')' => digits > 0 && next.is_none_or(|next| next == ' '),
        _ => false,
    };
    marks.then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_addresses_are_no_links() {
        for (text, shown) in [
            ("see http://e.org/a", "see http\\://e.org/a"),
            ("HTTPS://e.org", "HTTPS\\://e.org"),
            ("ftp://e.org", "ftp\\://e.org"),
            ("www.e.org", "www\\.e.org"),
            ("mail ana@e.org", "mail ana\\@e.org"),
            ("at 10:30, 5 @ 3. C://", "at 10:30, 5 @ 3. C://"),
        ] {
            assert_eq!(line(text), shown);
        }
    }
}
