//! Reads a file of any supported kind: its text and its metadata fields.

use std::collections::BTreeMap;

use scraper::Html;

use super::{Format, TextError, decode, html, pdf};

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    /// The text.
    pub text: String,
    /// The markup of its structure.
    pub format: Format,
    /// Its metadata: the lines between `---` at the head of Markdown and plain text, the `meta`
    /// elements of HTML; names in lower case.
    pub fields: BTreeMap<String, String>,
}

impl TextFile {
    /// Whether files with this name can be read: Markdown, text, HTML and PDF.
    pub fn is_readable(name: &str) -> bool {
        let known = ["md", "markdown", "txt", "text", "html", "htm", "xhtml", "pdf"];
        extension(name).is_some_and(|extension| known.contains(&extension.as_str()))
    }

    /// Reads the bytes of a file. The extension gives its kind; an unknown extension means plain
    /// text.
    ///
    /// # Errors
    /// Binary content, a wrong encoding, or an unreadable PDF.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, TextError> {
        match extension(name).as_deref() {
            Some("pdf") => Ok(Self { text: pdf(bytes)?, format: Format::Plain, fields: BTreeMap::new() }),
            Some("html" | "htm" | "xhtml") => {
                let page = decode(bytes)?;
                Ok(Self { text: html(&page), format: Format::Markdown, fields: meta(&page) })
            }
            extension => {
                let (fields, text) = front_matter(decode(bytes)?);
                let markdown = matches!(extension, Some("md" | "markdown"));
                Ok(Self { text, format: if markdown { Format::Markdown } else { Format::Plain }, fields })
            }
        }
    }
}

fn extension(name: &str) -> Option<String> {
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty()).then(|| extension.to_lowercase())
}

/// The fields between two lines `---` at the head of a text, and the rest of the text.
fn front_matter(text: String) -> (BTreeMap<String, String>, String) {
    let Some(rest) = text.strip_prefix("---\n") else { return (BTreeMap::new(), text) };
    let Some((head, body)) = rest.split_once("\n---\n") else { return (BTreeMap::new(), text) };
    let field = |line: &str| {
        let (name, value) = line.split_once(':')?;
        let value = value.trim().trim_matches(['"', '\'']);
        Some((name.trim().to_lowercase(), value.to_owned()))
    };
    (head.lines().filter_map(field).collect(), body.to_owned())
}

fn meta(page: &str) -> BTreeMap<String, String> {
    let page = Html::parse_document(page);
    let elements = page.tree.root().descendants().filter_map(|node| node.value().as_element());
    let metas = elements.filter(|element| element.name() == "meta");
    let field = |element: &scraper::node::Element| {
        let name = element.attr("name").or_else(|| element.attr("property"))?;
        Some((name.to_lowercase(), element.attr("content")?.to_owned()))
    };
    metas.filter_map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_it_is_about() {
        let file = TextFile::read("a.md", b"---\nEntity: \"Lima\"\nno field\n---\n# Lima\n").unwrap();
        assert_eq!((file.fields["entity"].as_str(), file.text.as_str()), ("Lima", "# Lima\n"));
        assert_eq!(file.format, Format::Markdown);
        let file = TextFile::read("b.HTML", b"<meta name=entity content=Lima><p>text").unwrap();
        assert_eq!((file.fields["entity"].as_str(), file.text.as_str()), ("Lima", "text\n"));
        let file = TextFile::read("c.txt", b"--- no fields").unwrap();
        assert_eq!((file.fields.len(), file.text.as_str()), (0, "--- no fields"));
    }

    #[test]
    fn only_known_kinds_are_picked_from_a_folder() {
        assert!(TextFile::is_readable("x/notes.MD") && TextFile::is_readable("a.pdf"));
        assert!(
            !TextFile::is_readable("photo.jpg")
                && !TextFile::is_readable(".txt")
                && !TextFile::is_readable("a")
        );
    }
}
