//! Parses SQL as a small model writes it: in one of two dialects, with apostrophes within names.

use std::sync::Once;

use sqlparser::ast;
use sqlparser::dialect::{Dialect, GenericDialect, SQLiteDialect};
use sqlparser::parser::{Parser, ParserError};

use super::DEEPEST;

/// The statements of a text.
pub(super) fn statements(text: &str) -> Result<Vec<ast::Statement>, ParserError> {
    // The generic dialect takes "SELECT name, order FROM …" for a list with a trailing comma;
    // SQLite's reads the column.
    parsed(&GenericDialect {}, text)
        .or_else(|error| parsed(&SQLiteDialect {}, text).map_err(|_| error))
        .or_else(|error| {
            let doubled = with_doubled_apostrophes(text).ok_or(error)?;
            parsed(&GenericDialect {}, &doubled)
        })
}

/// The parser goes on to a new stack when less than this is left, in bytes. Between two of its
/// checks it needs more than the usual 128 KiB where it is compiled unoptimised: a small model
/// wrote `x IN (SELECT … JOIN …` thirty deep.
const LEAST_STACK: usize = 1 << 20;

fn parsed(dialect: &dyn Dialect, text: &str) -> Result<Vec<ast::Statement>, ParserError> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| recursive::set_minimum_stack_size(LEAST_STACK));
    Parser::new(dialect).with_recursion_limit(DEEPEST).try_with_sql(text)?.parse_statements()
}

/// The text with the apostrophes within its names doubled: a small model writes `'St Orrin's
/// School'`. `None` if it has none.
fn with_doubled_apostrophes(text: &str) -> Option<String> {
    let characters: Vec<char> = text.chars().collect();
    let at = |at: usize| characters.get(at).copied();
    let mut doubled = String::with_capacity(text.len() + 8);
    let (mut inside, mut found, mut next) = (false, false, 0);
    while let Some(character) = at(next) {
        next += 1;
        doubled.push(character);
        if character != '\'' {
            continue;
        }
        if inside && at(next) == Some('\'') {
            doubled.push('\'');
            next += 1;
            continue;
        }
        // "Guides' Association": a name goes on with a capital, SQL with capitals only.
        let follows: String =
            characters.iter().skip(next).skip(1).take_while(|c| c.is_alphanumeric()).collect();
        let goes_on = at(next) == Some(' ')
            && follows.starts_with(char::is_uppercase)
            && follows.chars().any(char::is_lowercase);
        if inside && (at(next).is_some_and(char::is_alphanumeric) || goes_on) {
            doubled.push('\'');
            found = true;
        } else {
            inside = !inside;
        }
    }
    found.then_some(doubled)
}

#[cfg(test)]
mod tests {
    use super::with_doubled_apostrophes;

    #[test]
    fn an_apostrophe_within_a_name_is_doubled() {
        for (written, doubled) in [
            ("name = 'St Orrin's School'", Some("name = 'St Orrin''s School'")),
            ("name = 'Guides' Union' AND seat = 'Elosk'", Some("name = 'Guides'' Union' AND seat = 'Elosk'")),
            ("name = 'Guides' AND seat = 'Elosk'", None),
            ("name = 'Women''s Circle'", None),
            ("name IN ('Lima', 'Oslo')", None),
        ] {
            assert_eq!(with_doubled_apostrophes(written).as_deref(), doubled, "{written}");
        }
    }
}
