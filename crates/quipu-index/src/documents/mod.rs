//! The documents of entities, split into passages, with search by words (BM25), by meaning, or by
//! both.
//!
//! # Format
//! A folder, version `VERSION`:
//! ```text
//! passages.qix = container with the sections
//!   meta       = passages:u64 documents:u64
//!   records    = (node:u64 offset:u64 length:u32 first_character:u32 characters:u32 heading:u32 title:u32 document:u32)*
//!   bynode     = number:u64*                     ; passages by node, then number
//!   texts      = (passage:utf8{length} heading:utf8{heading} title:utf8{title})*, each at its record's offset
//!   wordsums   = (name:text length:number sum:u32*)*  ; the files of `words/`, a sum for each 4 KiB; not in version 2
//! words/       = tantivy's index: one document a passage, fields `text` and `passage` (the number)
//! vectors/     = vector index whose nodes are numbers of passages; missing without an embedder
//! ```
//! `passages.qix` is written last: without it the folder is an unfinished build. The whole folder
//! is written beside its place and renamed. An interrupted build keeps its vectors, and the next
//! one reuses them.

mod build;
mod checked;
mod search;
mod words;

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use quipu_graph::NodeId;
use quipu_model::Embedder;
use xxhash_rust::xxh3::xxh3_64;

use crate::container::{Container, Kind, Section, u32_at, u64_at};
use crate::{IndexError, VectorIndex};

pub(crate) use build::remove;
pub use build::{DocumentBuilder, DocumentProgress, SourceDocument};
pub use search::{DocumentQuery, PassageHit, SearchMode};
use words::Words;

/// Version of the format.
const VERSION: u32 = 3;
/// The oldest readable version.
const OLDEST: u32 = 2;
const KIND: Kind = Kind { magic: *b"QUIPUDOC", version: VERSION, oldest: OLDEST, title: "document index" };
const PASSAGES: &str = "passages.qix";
const WORDS: &str = "words";
const VECTORS: &str = "vectors";
const RECORD: usize = 40;

/// A passage: a part of a document that prompts show whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Its number in the index, which an import or an addition may change.
    pub number: u64,
    /// The entity that its document is about.
    pub node: NodeId,
    /// Its document's number; an entity may have several.
    pub document: u32,
    /// The document's title: its file; empty for a document of the graph.
    pub title: String,
    /// The heading above it; empty if there is none.
    pub heading: String,
    /// Its range in the document, in characters.
    pub characters: Range<usize>,
    /// Its text.
    pub text: String,
}

impl Passage {
    /// Stable id: the same in every run and after every import, as long as the entity's key, the
    /// document's title and the passage stay the same.
    pub fn id(&self, entity: &str) -> String {
        let first = self.characters.start.to_string();
        let joined = [entity, &self.title, &first, &self.text].join("\u{1f}");
        format!("{:016x}", xxh3_64(joined.as_bytes()))
    }

    /// The text that represents the passage in searches, for an entity called `name`.
    pub fn described(&self, name: &str) -> String {
        build::described(name, &self.heading, &self.text)
    }
}

/// The mapped document index.
pub struct DocumentIndex {
    folder: PathBuf,
    container: Container,
    records: Section,
    by_node: Section,
    texts: Section,
    passages: u64,
    documents: u64,
    /// The index of words, opened on first use.
    words: OnceLock<Words>,
    word_sums: Option<Section>,
    vectors: Option<VectorIndex>,
    /// Row of each passage in the vector index.
    rows: OnceLock<Vec<u32>>,
}

impl std::fmt::Debug for DocumentIndex {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("DocumentIndex");
        shown.field("folder", &self.folder).field("passages", &self.passages).finish()
    }
}

impl DocumentIndex {
    /// Whether a folder holds a finished index.
    pub fn exists(folder: &Path) -> bool {
        folder.join(PASSAGES).is_file()
    }

    /// Maps an index.
    ///
    /// # Errors
    /// The missing or damaged file, or the file with another version.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        let path = folder.join(PASSAGES);
        let container = Container::open(&path, KIND)?;
        let meta = container.small_section("meta")?;
        let (passages, documents) = (u64_at(meta.as_ref(), 0), u64_at(meta.as_ref(), 8));
        // The builder counts documents in 32 bits.
        let fits = u32::try_from(documents).is_ok();
        let (records, by_node) = (container.section("records")?, container.section("bynode")?);
        let count = usize::try_from(passages).unwrap_or(usize::MAX);
        let sizes = [(&records, RECORD), (&by_node, 8)];
        if !fits || sizes.iter().any(|(section, size)| Some(section.len()) != count.checked_mul(*size)) {
            return Err(IndexError::corrupt(&path, "its counts contradict each other"));
        }
        let vectors = folder.join(VECTORS);
        let vectors = if vectors.exists() { Some(VectorIndex::open(&vectors)?) } else { None };
        let word_sums = container.newer_section("wordsums")?;
        let texts = container.section("texts")?;
        Ok(Self {
            folder: folder.to_owned(),
            container,
            records,
            by_node,
            texts,
            passages,
            documents,
            words: OnceLock::new(),
            word_sums,
            vectors,
            rows: OnceLock::new(),
        })
    }

    /// Number of passages.
    pub fn len(&self) -> u64 {
        self.passages
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.passages == 0
    }

    /// Number of documents.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Whether passages can be searched by meaning.
    pub fn has_vectors(&self) -> bool {
        self.vectors.is_some()
    }

    /// Bytes of all its files.
    pub fn bytes(&self) -> u64 {
        self.container.bytes()
            + words::bytes(&self.folder.join(WORDS))
            + self.vectors.as_ref().map_or(0, VectorIndex::bytes)
    }

    /// Reads every byte and compares the checksums.
    ///
    /// # Errors
    /// The damaged file.
    pub fn verify(&self) -> Result<(), IndexError> {
        self.container.verify()?;
        self.words()?.verify()?;
        self.vectors.as_ref().map_or(Ok(()), VectorIndex::verify)
    }

    /// Opens all parts that a search reads, and reports damage in the bytes that opening or a
    /// search has read.
    ///
    /// # Errors
    /// The damaged file.
    pub fn check(&self) -> Result<(), IndexError> {
        self.words()?.check()
    }

    fn words(&self) -> Result<&Words, IndexError> {
        if let Some(words) = self.words.get() {
            return Ok(words);
        }
        let folder = self.folder.join(WORDS);
        let words = Words::open(&folder, self.word_sums.as_ref().map(AsRef::as_ref))?;
        if words.len() != self.passages {
            let reason = format!("it has {} passages, expected {}", words.len(), self.passages);
            return Err(IndexError::corrupt(&folder, reason));
        }
        Ok(self.words.get_or_init(|| words))
    }

    /// Refuses an embedder other than that of the vectors.
    ///
    /// # Errors
    /// [`IndexError::OtherEmbedder`].
    pub fn check_embedder(&self, embedder: &dyn Embedder) -> Result<(), IndexError> {
        self.vectors.as_ref().map_or(Ok(()), |vectors| vectors.check_embedder(embedder))
    }

    /// The weight of a word in passages: BM25's inverse document frequency, 0 or more.
    ///
    /// # Errors
    /// A damaged file.
    #[expect(clippy::cast_precision_loss, reason = "counts of passages, for a logarithm")]
    pub fn rarity(&self, word: &str) -> Result<f64, IndexError> {
        let with = self.words()?.frequency(word)? as f64;
        Ok((1.0 + (self.passages as f64 - with + 0.5) / (with + 0.5)).ln())
    }

    /// A passage by number.
    ///
    /// # Errors
    /// An unknown number; a damaged file.
    pub fn passage(&self, number: u64) -> Result<Passage, IndexError> {
        let start = usize::try_from(number).ok().and_then(|number| number.checked_mul(RECORD));
        let record = start.and_then(|start| self.records.get(start..start.checked_add(RECORD)?));
        let record = record.ok_or_else(|| self.damaged(number))?;
        let [length, first, count, heading, title, document] =
            [16, 20, 24, 28, 32, 36].map(|at| u32_at(record, at));
        let mut at = u64_at(record, 8) as usize;
        let mut text = |length: u32| -> Result<String, IndexError> {
            let bytes = self.texts.get(at..at.saturating_add(length as usize));
            at = at.saturating_add(length as usize);
            let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
            text.map(str::to_owned).ok_or_else(|| self.damaged(number))
        };
        Ok(Passage {
            number,
            node: NodeId(u64_at(record, 0)),
            document,
            text: text(length)?,
            heading: text(heading)?,
            title: text(title)?,
            characters: characters(first, count).ok_or_else(|| self.damaged(number))?,
        })
    }

    fn damaged(&self, number: u64) -> IndexError {
        self.container.damage().unwrap_or_else(|| {
            IndexError::corrupt(self.container.path(), format!("passage {number} is missing or damaged"))
        })
    }

    /// The entity of a passage.
    fn node_of(&self, number: u64) -> Result<NodeId, IndexError> {
        let at = usize::try_from(number).ok().and_then(|number| number.checked_mul(RECORD));
        at.and_then(|at| self.records.u64_at(at)).map(NodeId).ok_or_else(|| self.damaged(number))
    }

    /// Numbers of the passages of an entity's documents, in order.
    ///
    /// # Errors
    /// A damaged file.
    pub fn passages_of(&self, node: NodeId) -> Result<Vec<u64>, IndexError> {
        let number = |at: usize| self.by_node.u64_at(8 * at).ok_or_else(|| self.damaged(at as u64));
        let count = self.passages as usize;
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low.midpoint(high);
            if self.node_of(number(middle)?)? < node { low = middle + 1 } else { high = middle }
        }
        let mut found = Vec::new();
        for at in low..count {
            let passage = number(at)?;
            if self.node_of(passage)? != node {
                break;
            }
            found.push(passage);
        }
        Ok(found)
    }

    /// Row of a passage in the vector index.
    fn row_of(&self, number: u64) -> Result<Option<u64>, IndexError> {
        let Some(vectors) = &self.vectors else { return Ok(None) };
        let rows = match self.rows.get() {
            Some(rows) => rows,
            None => {
                let rows = self.rows_of_passages(vectors)?;
                self.rows.get_or_init(|| rows)
            }
        };
        Ok(rows.get(number as usize).filter(|row| **row != u32::MAX).map(|row| u64::from(*row)))
    }

    fn rows_of_passages(&self, vectors: &VectorIndex) -> Result<Vec<u32>, IndexError> {
        let mut rows = vec![u32::MAX; self.passages as usize];
        for found in vectors.rows() {
            let (row, passages) = found?;
            for passage in passages {
                if let (Some(place), Ok(row)) = (rows.get_mut(passage.0 as usize), u32::try_from(row)) {
                    *place = row;
                }
            }
        }
        Ok(rows)
    }
}

/// The characters of a passage, if their end fits into 32 bits as their number does.
fn characters(first: u32, count: u32) -> Option<Range<usize>> {
    Some(first as usize..first.checked_add(count)? as usize)
}
