//! Detects a file's format by its extension, else by its content.

use std::path::Path;

use oxrdfio::RdfFormat;

use crate::GraphError;

/// The formats that an import reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InputFormat {
    /// N-Triples, one triple a line.
    NTriples,
    /// N-Quads; graph names are dropped.
    NQuads,
    /// Turtle.
    Turtle,
    /// TriG; graph names are dropped.
    TriG,
    /// RDF/XML.
    RdfXml,
    /// JSON-LD.
    JsonLd,
    /// `head<TAB>relation<TAB>tail`, names as ids.
    Tsv,
    /// The same, comma-separated, with quotes.
    Csv,
    /// Rows under a header, between commas, semicolons or tabs: each row is an entity.
    Table,
    /// JSON Lines of nodes: `id`, `name`, `aliases`, `type`, `text`.
    SkbNodes,
    /// Wikidata's JSON dump, one entity a line.
    Wikidata,
}

const NAMES: [(&str, InputFormat); 18] = [
    ("nt", InputFormat::NTriples),
    ("ntriples", InputFormat::NTriples),
    ("nq", InputFormat::NQuads),
    ("nquads", InputFormat::NQuads),
    ("ttl", InputFormat::Turtle),
    ("turtle", InputFormat::Turtle),
    ("trig", InputFormat::TriG),
    ("rdf", InputFormat::RdfXml),
    ("rdfxml", InputFormat::RdfXml),
    ("owl", InputFormat::RdfXml),
    ("xml", InputFormat::RdfXml),
    ("jsonld", InputFormat::JsonLd),
    ("json", InputFormat::JsonLd),
    ("tsv", InputFormat::Tsv),
    ("csv", InputFormat::Csv),
    ("table", InputFormat::Table),
    ("jsonl", InputFormat::SkbNodes),
    ("wikidata", InputFormat::Wikidata),
];

impl InputFormat {
    /// Reads a format's name (`nt`, `nq`, `ttl`, `trig`, `rdf`, `jsonld`, `tsv`, `csv`, `table`,
    /// `jsonl`, `wikidata`).
    pub fn parse(name: &str) -> Result<Self, GraphError> {
        NAMES
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, format)| *format)
            .ok_or_else(|| {
                let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
                GraphError::Usage(format!("no format `{name}`; there are {}", names.join(", ")))
            })
    }

    /// The format of a file by its extension, skipping the extension of its compression.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
        let last = extension(path)?;
        let format = match last.as_str() {
            "gz" | "bz2" | "zst" | "zstd" => extension(Path::new(path.file_stem()?))?,
            _ => last,
        };
        if matches!(format.as_str(), "ndjson") {
            return Some(Self::SkbNodes);
        }
        NAMES.iter().find(|(name, _)| *name == format).map(|(_, format)| *format)
    }

    /// The format by the beginning of the content.
    pub(super) fn of_content(start: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(start);
        let text = text.trim_start();
        let mut lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
        let line = lines.clone().find(|line| !line.starts_with('#')).or_else(|| lines.next())?;
        let lower = line.to_ascii_lowercase();
        if is_wikidata(text) {
            return Some(Self::Wikidata);
        }
        if line.starts_with('{') && line.contains("\"id\"") && !line.contains("\"@") {
            return Some(Self::SkbNodes);
        }
        if line.starts_with(['{', '[']) {
            return Some(Self::JsonLd);
        }
        if lower.starts_with("<?xml") || lower.starts_with("<rdf:") || lower.starts_with("<!doctype") {
            return Some(Self::RdfXml);
        }
        if line.split('\t').count() == 3 && !line.ends_with('.') {
            return Some(Self::Tsv);
        }
        if ["@prefix", "@base", "prefix ", "base "].iter().any(|word| lower.starts_with(word)) {
            let graphs = text.lines().any(|line| line.trim_end().ends_with('{'));
            return Some(if graphs { Self::TriG } else { Self::Turtle });
        }
        if line.starts_with(['<', '_']) {
            let full = line.ends_with('.')
                && line.split_whitespace().nth(1).is_some_and(|word| word.starts_with('<'));
            return Some(if full { Self::NQuads } else { Self::Turtle });
        }
        None
    }

    /// Whether other formats share this format's file extension, so that the content must decide.
    pub(super) fn is_ambiguous(self) -> bool {
        matches!(self, Self::JsonLd | Self::SkbNodes)
    }

    /// Whether files of this format may be tables, which the content shows.
    pub(crate) fn is_columns(self) -> bool {
        matches!(self, Self::Tsv | Self::Csv)
    }

    /// Whether every line is independent, so that threads can parse blocks of lines in parallel.
    pub(super) fn is_line_based(self) -> bool {
        matches!(
            self,
            Self::NTriples | Self::NQuads | Self::Tsv | Self::Csv | Self::SkbNodes | Self::Wikidata
        )
    }

    /// The RDF syntax of the format, if it is one.
    pub(crate) fn rdf(self) -> Option<RdfFormat> {
        Some(match self {
            Self::NTriples => RdfFormat::NTriples,
            Self::NQuads => RdfFormat::NQuads,
            Self::Turtle => RdfFormat::Turtle,
            Self::TriG => RdfFormat::TriG,
            Self::RdfXml => RdfFormat::RdfXml,
            Self::JsonLd => RdfFormat::JsonLd { profile: oxrdfio::JsonLdProfileSet::empty() },
            Self::Tsv | Self::Csv | Self::Table | Self::SkbNodes | Self::Wikidata => return None,
        })
    }
}

/// Whether a text begins like a dump of Wikidata: an entity with its type, in an array or by
/// itself.
fn is_wikidata(text: &str) -> bool {
    let entity = text.strip_prefix('[').unwrap_or(text).trim_start();
    let start: String = entity.chars().take(200).filter(|letter| !letter.is_whitespace()).collect();
    let typed =
        ["item", "property", "lexeme"].iter().any(|kind| start.contains(&format!("\"type\":\"{kind}\"")));
    start.starts_with('{') && typed && start.contains("\"id\":\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &str, expected: Option<InputFormat>) {
        assert_eq!(InputFormat::of_content(content.as_bytes()), expected, "{content}");
    }

    #[test]
    fn content_tells_the_format() {
        check("Lima\tcapital of\tPeru\n", Some(InputFormat::Tsv));
        check("# a dump\n<http://a/b> <http://a/c> \"d\" .\n", Some(InputFormat::NQuads));
        check("@prefix ex: <http://a/> .\nex:b ex:c ex:d .", Some(InputFormat::Turtle));
        check("<http://a/b> a <http://a/c> ;\n <http://a/d> 1 .", Some(InputFormat::Turtle));
        check("PREFIX ex: <http://a/>\nex:g {\n ex:b ex:c ex:d }", Some(InputFormat::TriG));
        check("<?xml version=\"1.0\"?><rdf:RDF/>", Some(InputFormat::RdfXml));
        check("{\"id\": \"n1\", \"name\": \"x\"}", Some(InputFormat::SkbNodes));
        check("{\"@id\": \"http://a/b\", \"id\": 1}", Some(InputFormat::JsonLd));
        check("[\n{\"type\":\"item\",\"id\":\"Q42\",\"labels\":{}},\n", Some(InputFormat::Wikidata));
        check("{\"type\": \"property\", \"id\": \"P31\", \"labels\": []}", Some(InputFormat::Wikidata));
        check("{\"id\": \"n1\", \"type\": \"breed\", \"name\": \"x\"}", Some(InputFormat::SkbNodes));
        check("", None);
        check("hello world", None);
    }

    #[test]
    fn extensions_tell_the_format() {
        for (name, expected) in [
            ("a.nt.gz", Some(InputFormat::NTriples)),
            ("a.TTL", Some(InputFormat::Turtle)),
            ("kb.tsv.zst", Some(InputFormat::Tsv)),
            ("nodes.jsonl.bz2", Some(InputFormat::SkbNodes)),
            ("dump.gz", None),
            ("noextension", None),
        ] {
            assert_eq!(InputFormat::of_path(Path::new(name)), expected, "{name}");
        }
    }
}
