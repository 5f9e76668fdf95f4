//! Splits texts into chunks that prompts show whole: at headings, paragraphs and lists first, then
//! at the ends of sentences, then between words. `text-splitter` finds the boundaries; this module
//! adds offsets, headings and bounds on the work.

use text_splitter::{ChunkConfig, MarkdownSplitter, TextSplitter};

/// Bytes that are split at once, because the splitter considers all boundaries of its input.
const BLOCK: usize = 16 << 10;

/// The markup of a text's structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Paragraphs and sentences only.
    Plain,
    /// Markdown's headings, lists, tables and code blocks; the output of [`super::html`].
    Markdown,
}

/// Sizes of chunks, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkLimits {
    /// Neighbouring parts are joined up to this size, if the result fits.
    pub least: usize,
    /// Largest chunk.
    pub most: usize,
}

/// A part of a text, trimmed of white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// First byte in the text.
    pub start: usize,
    /// Byte behind the last.
    pub end: usize,
    /// First character in the text, counted in characters.
    pub first_character: usize,
    /// Number of characters.
    pub characters: usize,
    /// The Markdown heading above it, without its marks; `None` at the start of a text and in plain
    /// text.
    pub heading: Option<String>,
}

/// Splits a text. Every character except white space is in exactly one chunk, in order; the same
/// text and limits give the same chunks. A text of at most `most` characters is one chunk. The time
/// is linear in the text's length.
pub fn chunks(text: &str, format: Format, limits: ChunkLimits) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut heading = None;
    let (mut byte, mut character) = (0, 0);
    for (start, part) in parts(text, format, limits) {
        character += count(text.get(byte..start));
        byte = start;
        if format == Format::Markdown {
            let before = chunks.last().map_or(0, |chunk: &Chunk| chunk.start);
            heading = last_heading(text.get(before..start).unwrap_or_default()).or(heading);
        }
        chunks.push(Chunk {
            start,
            end: start + part.len(),
            first_character: character,
            characters: part.chars().count(),
            heading: heading.clone(),
        });
    }
    chunks
}

/// Starts and texts of the chunks.
fn parts(text: &str, format: Format, limits: ChunkLimits) -> Vec<(usize, &str)> {
    let most = limits.most.max(1);
    let whole = text.trim();
    if whole.len() <= most || whole.chars().take(most + 1).count() <= most {
        let start = text.len() - text.trim_start().len();
        return if whole.is_empty() { Vec::new() } else { vec![(start, whole)] };
    }
    let capacity = limits.least.clamp(1, most)..=most;
    let mut parts = Vec::new();
    for (offset, block) in blocks(text) {
        let plain = TextSplitter::new(ChunkConfig::new(capacity.clone()));
        let starts: Vec<usize> = match format {
            Format::Plain => plain.chunk_indices(block).map(|(start, _)| start).collect(),
            Format::Markdown => {
                let markdown = MarkdownSplitter::new(ChunkConfig::new(capacity.clone()));
                markdown.chunk_indices(block).map(|(start, _)| start).collect()
            }
        };
        // Only the splitter's start positions count. Marks that it skips between two chunks belong
        // to the first.
        for (start, part) in between(block, &starts) {
            if part.chars().take(most + 1).count() <= most {
                parts.push((offset + start, slice(text, offset + start, part.len())));
                continue;
            }
            let again: Vec<usize> = plain.chunk_indices(part).map(|(start, _)| start).collect();
            for (inner, part) in between(part, &again) {
                let start = offset + start + inner;
                parts.push((start, slice(text, start, part.len())));
            }
        }
    }
    parts
}

/// The parts of a text from each start to the next, trimmed of white space; the first begins with
/// the text.
fn between<'t>(text: &'t str, starts: &[usize]) -> Vec<(usize, &'t str)> {
    let mut bounds = vec![0];
    bounds.extend(starts.iter().copied().skip(1));
    bounds.push(text.len());
    let part = |pair: &[usize]| {
        let [from, to] = pair else { return None };
        let part = text.get(*from..*to)?;
        let trimmed = part.trim_start();
        let start = from + part.len() - trimmed.len();
        let trimmed = trimmed.trim_end();
        (!trimmed.is_empty()).then_some((start, trimmed))
    };
    bounds.windows(2).filter_map(part).collect()
}

fn slice(text: &str, start: usize, length: usize) -> &str {
    text.get(start..start + length).unwrap_or_default()
}

fn count(text: Option<&str>) -> usize {
    text.map_or(0, |text| text.chars().count())
}

/// Blocks of at most [`BLOCK`] bytes that end between paragraphs, else lines, else words, else
/// characters.
fn blocks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let length = if rest.len() <= BLOCK { rest.len() } else { end_of_block(rest) };
        let block = (start, rest.get(..length)?);
        start += length;
        Some(block)
    })
}

fn end_of_block(text: &str) -> usize {
    let most = text.floor_char_boundary(BLOCK);
    let head = text.get(..most).unwrap_or_default();
    let after = |separator: &str| head.rfind(separator).map(|at| at + separator.len());
    after("\n\n").or_else(|| after("\n")).or_else(|| after(" ")).unwrap_or(most).max(1)
}

/// The last Markdown heading (`## so`) among the lines of a text.
fn last_heading(text: &str) -> Option<String> {
    text.lines().rev().find_map(|line| {
        let name = line.trim_start_matches('#');
        let level = line.len() - name.len();
        let name = ((1..=6).contains(&level) && name.starts_with(' ')).then(|| name.trim())?;
        (!name.is_empty()).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn divided(text: &str, format: Format, most: usize) -> Vec<&str> {
        let limits = ChunkLimits { least: most / 2, most };
        chunks(text, format, limits).iter().map(|chunk| &text[chunk.start..chunk.end]).collect()
    }

    #[test]
    fn structure_decides_where_a_text_is_cut() {
        let text = "# Kites\n\nThey need wind. They need string.\n\n## Box\n\nA box kite has cells.\n";
        let parts = divided(text, Format::Markdown, 44);
        assert_eq!(
            parts,
            ["# Kites\n\nThey need wind. They need string.", "## Box\n\nA box kite has cells."]
        );
        assert_eq!(
            divided("One two. Three four. Five six.", Format::Plain, 12),
            ["One two.", "Three four.", "Five six."]
        );
        assert_eq!(divided(" short \n", Format::Plain, 12), ["short"]);
        assert_eq!(divided(" \n\t ", Format::Plain, 12), [""; 0]);
    }

    #[test]
    fn a_chunk_knows_the_heading_that_it_stands_under() {
        let text = "Before.\n\n# A kite\n\nIt flies high. It flies far.\n\n#hashtag\n\n### Tail\n\nIt is long and red.\n";
        let limits = ChunkLimits { least: 10, most: 20 };
        let headings: Vec<Option<String>> =
            chunks(text, Format::Markdown, limits).into_iter().map(|chunk| chunk.heading).collect();
        assert_eq!(headings.first(), Some(&None));
        assert_eq!(headings.last(), Some(&Some("Tail".to_owned())));
        assert!(headings.contains(&Some("A kite".to_owned())), "{headings:?}");
    }

    #[test]
    fn a_huge_text_takes_linear_work_and_loses_nothing() {
        for text in ["word ".repeat(100_000), "x".repeat(200_000), "A line.\n".repeat(50_000)] {
            let parts = divided(&text, Format::Markdown, 500);
            let kept: usize =
                parts.iter().map(|part| part.split_whitespace().map(str::len).sum::<usize>()).sum();
            assert_eq!(kept, text.split_whitespace().map(str::len).sum::<usize>());
            assert!(parts.iter().all(|part| part.len() <= 500));
        }
    }

    proptest! {
        #[test]
        fn chunks_cover_a_text_in_order(text in "[a-cé# .\n|*-]{0,300}", most in 1usize..80, markdown: bool) {
            let format = if markdown { Format::Markdown } else { Format::Plain };
            let mut end = 0;
            for chunk in chunks(&text, format, ChunkLimits { least: most / 2, most }) {
                prop_assert!(text[end..chunk.start].trim().is_empty());
                let part = &text[chunk.start..chunk.end];
                prop_assert_eq!(part.trim(), part);
                prop_assert!(!part.is_empty() && part.chars().count() <= most);
                prop_assert_eq!(chunk.characters, part.chars().count());
                prop_assert_eq!(chunk.first_character, text[..chunk.start].chars().count());
                end = chunk.end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }
    }
}
