//! The output of commands: tables, numbers and colours, fitted to the terminal.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write};

use anstream::ColorChoice;
use anstyle::Style;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The style of headings and answers.
pub(crate) const STRONG: Style = Style::new().bold();
/// The style of details.
pub(crate) const FAINT: Style = Style::new().dimmed();

const GAP: &str = "  ";
/// No column is made narrower than this to fit the terminal.
const NARROWEST: usize = 10;

/// Whether standard error takes colours: it is a terminal, and nothing such as `NO_COLOR` forbids
/// them.
pub(crate) fn colour_on_stderr() -> bool {
    anstream::AutoStream::choice(&io::stderr()) != ColorChoice::Never
}

/// Standard output. Styles are removed unless it is a terminal that takes them.
pub(crate) fn stdout() -> anstream::AutoStream<io::StdoutLock<'static>> {
    anstream::AutoStream::auto(io::stdout().lock())
}

/// The same for standard error.
pub(crate) fn stderr() -> anstream::AutoStream<io::StderrLock<'static>> {
    anstream::AutoStream::auto(io::stderr().lock())
}

/// Writes a line to standard error. A closed standard error (`2>&1 | head`) is ignored.
macro_rules! tell {
    ($($part:tt)*) => {
        drop(std::io::Write::write_fmt(&mut $crate::output::stderr(), format_args!("{}\n", format_args!($($part)*))))
    };
}

/// Prints one JSON value and a line end.
pub(crate) fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

/// Writes values as JSON lines to a new file, or to standard output. An existing file is an error.
pub(crate) fn write_lines<T: serde::Serialize>(
    path: Option<&std::path::Path>,
    values: &[T],
) -> anyhow::Result<()> {
    use anyhow::Context as _;
    let mut lines = Vec::new();
    for value in values {
        serde_json::to_writer(&mut lines, value)?;
        lines.push(b'\n');
    }
    match path {
        None => io::stdout().lock().write_all(&lines)?,
        Some(path) => std::fs::File::create_new(path)
            .and_then(|mut file| file.write_all(&lines))
            .with_context(|| format!("cannot write {}", path.display()))?,
    }
    Ok(())
}

/// The width of the terminal on standard output; `None` if it is not a terminal.
fn terminal_columns() -> Option<usize> {
    io::stdout().is_terminal().then(terminal_size::terminal_size)?.map(|(width, _)| usize::from(width.0))
}

/// How a column is aligned, and whether it may be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Text; cut if the terminal is narrow.
    Left,
    /// Numbers; never cut.
    Right,
    /// Text that users copy, such as the name of a model; never cut.
    Whole,
}

/// A table of text, aligned by width on the screen.
pub(crate) struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns. If all names are empty, it has no header.
    pub(crate) fn new(columns: &[(&str, Align)]) -> Self {
        let columns = columns.iter().map(|(name, align)| (visible(name), *align)).collect();
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row; cells are made safe to show.
    pub(crate) fn push<const N: usize>(&mut self, cells: [&str; N]) {
        self.push_all(cells);
    }

    /// Adds a row of as many cells as there are columns.
    pub(crate) fn push_all<'a>(&mut self, cells: impl IntoIterator<Item = &'a str>) {
        self.rows.push(cells.into_iter().map(visible).collect());
    }

    /// Writes the table, fitted to the terminal.
    pub(crate) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(self.render(terminal_columns()).as_bytes())
    }

    fn render(&self, columns: Option<usize>) -> String {
        let widths = self.widths(columns);
        if let Some(columns) = columns.filter(|columns| self.is_squeezed(&widths, *columns)) {
            return self.render_stacked(columns);
        }
        let mut text = String::new();
        if self.columns.iter().any(|(name, _)| !name.is_empty()) {
            let names = self.columns.iter().map(|(name, _)| name.as_str());
            self.render_line(&mut text, names, &widths, FAINT);
        }
        for row in &self.rows {
            self.render_line(&mut text, row.iter().map(String::as_str), &widths, Style::new());
        }
        text
    }

    /// Whether the table is too narrow to be read: it does not fit, or two columns are cut to the
    /// least width.
    fn is_squeezed(&self, widths: &[usize], columns: usize) -> bool {
        let used = widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1);
        let most =
            |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
        let cut =
            widths.iter().enumerate().filter(|(at, width)| most(*at).is_some_and(|most| most > **width));
        used > columns || cut.filter(|(_, width)| **width <= NARROWEST).count() > 1
    }

    /// Writes one line a cell, after its column's name, and an empty line between rows.
    fn render_stacked(&self, columns: usize) -> String {
        let names = self.columns.iter().map(|(name, _)| name.width());
        let indent = names.max().unwrap_or(0) + GAP.len();
        let mut text = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            if number > 0 {
                text.push('\n');
            }
            for ((name, _), cell) in self.columns.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
                let padding = " ".repeat(indent.saturating_sub(name.width()));
                let cell = wrapped(cell, Some(columns), indent, indent);
                let _ = writeln!(text, "{FAINT}{name}{FAINT:#}{padding}{cell}");
            }
        }
        text
    }

    fn render_line<'a>(
        &self,
        text: &mut String,
        cells: impl Iterator<Item = &'a str>,
        widths: &[usize],
        style: Style,
    ) {
        let mut line = String::new();
        for ((cell, &width), (_, align)) in cells.zip(widths).zip(&self.columns) {
            let cell = cut(cell, width);
            let padding = " ".repeat(width.saturating_sub(cell.width()));
            let _ = match align {
                Align::Left | Align::Whole => write!(line, "{cell}{padding}{GAP}"),
                Align::Right => write!(line, "{padding}{cell}{GAP}"),
            };
        }
        let _ = writeln!(text, "{style}{}{style:#}", line.trim_end());
    }

    /// Natural widths; if they do not fit, the widest text columns shrink.
    fn widths(&self, columns: Option<usize>) -> Vec<usize> {
        let mut widths: Vec<usize> = self.columns.iter().map(|(name, _)| name.width()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        let gaps = GAP.len() * widths.len().saturating_sub(1);
        let room = columns.map_or(usize::MAX, |columns| columns.saturating_sub(gaps));
        while widths.iter().sum::<usize>() > room {
            let shrinkable =
                widths.iter_mut().zip(&self.columns).filter(|(_, (_, align))| *align == Align::Left);
            match shrinkable.map(|(width, _)| width).max() {
                Some(widest) if *widest > NARROWEST => *widest -= 1,
                _ => break,
            }
        }
        widths
    }
}

/// The text on one line, without control characters and changes of writing direction. So a label
/// cannot move the cursor, recolour the screen or reverse a line.
pub(crate) fn visible(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for (index, word) in text.split_whitespace().enumerate() {
        if index > 0 {
            clean.push(' ');
        }
        clean.extend(word.chars().filter(|c| !c.is_control() && !turns_text(*c)));
    }
    clean
}

/// A text for people, wrapped between words if standard output is a terminal.
pub(crate) fn prose(text: &str) -> String {
    wrapped(&visible(text), terminal_columns(), 0, 2)
}

/// Wraps a text between words. The first line begins at column `start`, the others are indented.
/// Words longer than a line, such as IRIs, stay whole.
fn wrapped(text: &str, columns: Option<usize>, start: usize, indent: usize) -> String {
    let Some(columns) = columns else { return text.to_owned() };
    let mut lines = String::with_capacity(text.len());
    let mut used = start;
    for (number, word) in text.split(' ').enumerate() {
        if number > 0 && used + 1 + word.width() > columns && used > indent {
            lines.push('\n');
            lines.extend(std::iter::repeat_n(' ', indent));
            used = indent;
        } else if number > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += word.width();
    }
    lines
}

/// The lines of a query with their indentation, each made safe by [`visible`].
pub(crate) fn visible_lines(text: &str) -> impl Iterator<Item = String> {
    /// No line is indented further.
    const MOST: usize = 40;
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| {
        let indented = line.chars().take_while(|c| *c == ' ').count().min(MOST);
        format!("{}{}", " ".repeat(indented), visible(line))
    })
}

fn turns_text(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Cuts the text to `width` columns, with `…` for the rest.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used > width {
            break;
        }
        kept.push(character);
    }
    kept.truncate(kept.trim_end().len());
    kept.push('…');
    kept
}

/// 1234567 as `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 triple`, `2 triples`, `3 entities`.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&[("name", Align::Left), ("people", Align::Right)]);
        table.push(["東京", "9733276"]);
        table.push(["Llanfairpwllgwyngyll", "3107"]);
        table
    }

    /// As a pipe sees it.
    fn plain(styled: &str) -> String {
        anstream::adapter::strip_str(styled).to_string()
    }

    #[test]
    fn columns_align_by_what_the_screen_shows() {
        let lines = plain(&table().render(None));
        assert_eq!(
            lines,
            "name                   people\n\
             東京                  9733276\n\
             Llanfairpwllgwyngyll     3107\n"
        );
    }

    #[test]
    fn text_gives_way_to_a_narrow_terminal_and_numbers_do_not() {
        let lines = plain(&table().render(Some(22)));
        assert_eq!(lines, "name            people\n東京           9733276\nLlanfairpwll…     3107\n");
        let stacked = plain(&table().render(Some(14)));
        assert_eq!(stacked, "name    東京\npeople  9733276\n\nname    Llanfairpwllgwyngyll\npeople  3107\n");
    }

    #[test]
    fn many_columns_stand_below_each_other_in_a_narrow_terminal() {
        let mut table =
            Table::new(&[("name", Align::Whole), ("about", Align::Left), ("licence", Align::Left)]);
        table.push(["qwen2.5-coder-1.5b", "a language model that writes code", "Apache-2.0 or so"]);
        assert_eq!(
            plain(&table.render(Some(40))),
            "name     qwen2.5-coder-1.5b\nabout    a language model that writes\n         code\nlicence  Apache-2.0 or so\n"
        );
        let wide = plain(&table.render(Some(60)));
        assert!(
            wide.contains("\nqwen2.5-coder-1.5b  a lang") && wide.lines().all(|line| line.width() <= 60),
            "{wide}"
        );
    }

    #[test]
    fn prose_is_broken_between_words() {
        assert_eq!(
            wrapped("the time zone of the capital", Some(14), 0, 2),
            "the time zone\n  of the\n  capital"
        );
        assert_eq!(
            wrapped("see https://example.org/long/name now", Some(12), 0, 2),
            "see\n  https://example.org/long/name\n  now"
        );
        assert_eq!(wrapped("as it is", None, 0, 2), "as it is");
    }

    #[test]
    fn cutting_never_splits_a_wide_character() {
        assert_eq!(cut("東京都", 5), "東京…");
        assert_eq!(cut("東京都", 4), "東…");
        assert_eq!(cut("São Tomé", 20), "São Tomé");
    }

    #[test]
    fn labels_cannot_steer_the_terminal() {
        assert_eq!(visible("a\u{1b}[31mred\nline\ttwo\u{7}\u{202e}"), "a[31mred line two");
    }

    #[test]
    fn queries_keep_their_lines_and_nothing_else() {
        let lines: Vec<String> = visible_lines("SELECT *\n\n  WHERE\t{\u{1b}[2J }\r\n").collect();
        assert_eq!(lines, ["SELECT *", "  WHERE {[2J }"]);
    }

    #[test]
    fn numbers_are_grouped() {
        let shown: Vec<_> = [0, 999, 1000, 1_234_567].map(grouped).into();
        assert_eq!(shown, ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(counted(1, "triple", "triples"), "1 triple");
    }
}
