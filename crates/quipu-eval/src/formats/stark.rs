//! STaRK's CSV: columns `id, query, answer_ids`, the last a list as Python writes it.

use std::path::Path;

use super::Numbered;
use crate::EvalError;
use crate::question::GoldQuestion;

pub(super) fn read(path: &Path, text: &str) -> Result<Vec<Numbered>, EvalError> {
    let mut rows = csv(path, text)?.into_iter();
    let (_, header) = rows.next().unwrap_or_default();
    let column = |name: &str| {
        let found = header.iter().position(|column| column.trim() == name);
        found.ok_or_else(|| EvalError::malformed(path, 1, format!("{name}: no such column")))
    };
    let (id, query, answers) = (column("id")?, column("query")?, column("answer_ids")?);
    rows.map(|(line, row)| {
        let cell = |at: usize, name: &str| {
            let found = row.get(at).map(|cell| cell.trim().to_owned());
            found.ok_or_else(|| EvalError::malformed(path, line, format!("{name}: missing")))
        };
        let list = cell(answers, "answer_ids")?;
        let answer_ids = python_list(&list).ok_or_else(|| {
            EvalError::malformed(path, line, format!("answer_ids: {list} is not a list of ids"))
        })?;
        let (id, question) = (cell(id, "id")?, cell(query, "query")?);
        Ok((line, GoldQuestion { id, question, answer_ids, ..GoldQuestion::default() }))
    })
    .collect()
}

/// Rows with the lines where they begin; quoted cells may hold commas, quotes and line ends.
fn csv(path: &Path, text: &str) -> Result<Vec<(usize, Vec<String>)>, EvalError> {
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut row_line, mut quoted) = (1, 1, false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\n' {
            line += 1;
        }
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                if row.iter().any(|cell| !cell.is_empty()) {
                    rows.push((row_line, std::mem::take(&mut row)));
                }
                row.clear();
                row_line = line;
            }
            other => cell.push(other),
        }
    }
    if quoted {
        return Err(EvalError::malformed(path, row_line, "a quotation mark is never closed"));
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push((row_line, row));
    }
    Ok(rows)
}

/// Reads `[1, 'two', "three"]`.
pub(super) fn python_list(text: &str) -> Option<Vec<String>> {
    let inside = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (mut items, mut item, mut quote, mut was_quoted) = (Vec::new(), String::new(), None, false);
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\\', Some(_)) => item.extend(characters.next()),
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) if item.trim().is_empty() => {
                item.clear();
                (quote, was_quoted) = (Some(character), true);
            }
            (',', None) => {
                items.push((std::mem::take(&mut item), std::mem::take(&mut was_quoted)));
            }
            (c, _) => item.push(c),
        }
    }
    items.push((item, was_quoted));
    let trimmed = items.into_iter().map(|(item, quoted)| (item.trim().to_owned(), quoted));
    let kept = trimmed.filter(|(item, quoted)| *quoted || !item.is_empty());
    quote.is_none().then(|| kept.map(|(item, _)| item).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_as_python_writes_them() {
        let check =
            |text: &str, expected: &[&str]| assert_eq!(python_list(text).unwrap(), expected, "{text}");
        check("[]", &[]);
        check("[12, 7]", &["12", "7"]);
        check("['a, b', \"it's\", 'x\\'y']", &["a, b", "it's", "x'y"]);
        assert_eq!(python_list("12"), None);
        assert_eq!(python_list("['a]"), None);
    }
}
