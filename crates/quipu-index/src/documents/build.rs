//! Builds the document index: first passages and their words, then the vectors. An interrupted
//! build keeps its vectors.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use quipu_graph::NodeId;
use quipu_model::Embedder;

use super::checked::sums_of;
use super::words::WordsWriter;
use super::{KIND, PASSAGES, VECTORS, WORDS};
use crate::container::ContainerWriter;
use crate::text::{ChunkLimits, Format, chunks};
use crate::{IndexError, VectorBuilder, VectorProgress};

/// Sizes of passages: at most the length that prompts show and embedders read whole.
const LIMITS: ChunkLimits = ChunkLimits { least: 300, most: 500 };
const TEXTS: &str = "texts.building";
/// Most characters of a heading that are embedded with a passage.
const LONGEST_HEADING: usize = 80;

/// The progress of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentProgress {
    /// Documents were split and their words indexed.
    Read {
        /// Documents.
        documents: u64,
    },
    /// Passages are being embedded.
    Vectors(VectorProgress),
}

/// A document to be indexed.
#[derive(Debug, Clone, Copy)]
pub struct SourceDocument<'a> {
    /// The entity that it is about.
    pub node: NodeId,
    /// The entity's name. Each passage is indexed with it.
    pub name: &'a str,
    /// The document's title; empty for a document of the graph.
    pub title: &'a str,
    /// The markup of its structure.
    pub format: Format,
    /// The text.
    pub text: &'a str,
}

/// Builds the index of documents in a folder.
pub struct DocumentBuilder {
    folder: PathBuf,
    texts: std::io::BufWriter<std::fs::File>,
    written: u64,
    records: Vec<u8>,
    nodes: Vec<NodeId>,
    documents: u32,
    words: WordsWriter,
    vectors: Option<VectorBuilder>,
}

impl DocumentBuilder {
    /// Starts or resumes a build in `folder`. With `vectors` passages are embedded too; their texts
    /// are sorted in about `memory` bytes.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn create(folder: &Path, vectors: bool, memory: usize) -> Result<Self, IndexError> {
        let words = folder.join(WORDS);
        for place in [&words, &folder.join(PASSAGES)] {
            remove(place)?;
        }
        if !vectors {
            remove(&folder.join(VECTORS))?;
        }
        std::fs::create_dir_all(&words).map_err(IndexError::io("cannot create", &words))?;
        let path = folder.join(TEXTS);
        let file = std::fs::File::create(&path).map_err(IndexError::io("cannot create", &path))?;
        let vectors =
            if vectors { Some(VectorBuilder::create(&folder.join(VECTORS), memory)?) } else { None };
        Ok(Self {
            folder: folder.to_owned(),
            texts: std::io::BufWriter::with_capacity(1 << 20, file),
            written: 0,
            records: Vec::new(),
            nodes: Vec::new(),
            documents: 0,
            words: WordsWriter::create(&words)?,
            vectors,
        })
    }

    /// Adds a vector index whose vectors are reused for equal texts.
    pub fn with_previous(mut self, vectors: &Path) -> Self {
        self.vectors = self.vectors.map(|builder| builder.with_previous(vectors));
        self
    }

    /// Number of documents so far.
    pub fn documents(&self) -> u64 {
        u64::from(self.documents)
    }

    /// Adds a document.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub fn push(&mut self, document: SourceDocument<'_>) -> Result<(), IndexError> {
        for chunk in chunks(document.text, document.format, LIMITS) {
            let text = document.text.get(chunk.start..chunk.end).unwrap_or_default();
            let heading = chunk.heading.as_deref().unwrap_or_default();
            let number = self.nodes.len() as u64;
            let described = described(document.name, heading, text);
            self.words.add(number, &described)?;
            if let Some(vectors) = &mut self.vectors {
                vectors.push(NodeId(number), &described)?;
            }
            self.records.extend(document.node.0.to_le_bytes());
            self.records.extend(self.written.to_le_bytes());
            let sizes =
                [text.len(), chunk.first_character, chunk.characters, heading.len(), document.title.len()];
            for size in sizes {
                self.records.extend(u32::try_from(size).unwrap_or(u32::MAX).to_le_bytes());
            }
            self.records.extend(self.documents.to_le_bytes());
            for part in [text, heading, document.title] {
                let path = self.folder.join(TEXTS);
                self.texts.write_all(part.as_bytes()).map_err(IndexError::io("cannot write", &path))?;
                self.written += part.len() as u64;
            }
            self.nodes.push(document.node);
        }
        self.documents += 1;
        Ok(())
    }

    /// Embeds the remaining passages and finishes the index. When `cancelled` turns true it stops
    /// with [`IndexError::Cancelled`] and keeps the vectors made so far.
    ///
    /// # Errors
    /// The embedder's; files that cannot be written.
    pub async fn finish(
        self,
        embedder: Option<&dyn Embedder>,
        progress: &mut (dyn FnMut(DocumentProgress) + Send),
        cancelled: &AtomicBool,
    ) -> Result<(), IndexError> {
        let Self { folder, texts, records, nodes, documents, words, vectors, .. } = self;
        words.finish()?;
        if let (Some(builder), Some(embedder)) = (vectors, embedder) {
            let mut forward = |step| progress(DocumentProgress::Vectors(step));
            builder.build(embedder, &mut forward, cancelled).await?;
        }
        write_passages(&folder, texts, &records, &nodes, documents)
    }
}

/// The text that represents a passage in searches: `name · heading: text`.
pub(super) fn described(name: &str, heading: &str, text: &str) -> String {
    if heading.is_empty() || heading == name {
        return format!("{name}: {text}");
    }
    let heading = heading.get(..heading.floor_char_boundary(LONGEST_HEADING)).unwrap_or(heading);
    format!("{name} · {heading}: {text}")
}

fn write_passages(
    folder: &Path,
    texts: std::io::BufWriter<std::fs::File>,
    records: &[u8],
    nodes: &[NodeId],
    documents: u32,
) -> Result<(), IndexError> {
    let path = folder.join(TEXTS);
    let flushed = texts.into_inner().map_err(std::io::IntoInnerError::into_error);
    drop(flushed.map_err(IndexError::io("cannot write", &path))?);
    let mut file = ContainerWriter::create(&folder.join(PASSAGES), KIND, 5)?;
    let meta = [nodes.len() as u64, u64::from(documents)];
    file.write_section("meta", bytemuck::cast_slice(&meta))?;
    file.write_section("records", records)?;
    let mut by_node: Vec<u64> = (0..nodes.len() as u64).collect();
    by_node.sort_by_key(|number| (nodes.get(*number as usize).copied(), *number));
    file.write_section("bynode", bytemuck::cast_slice(&by_node))?;
    let mut section = file.section("texts")?;
    let mut source = std::fs::File::open(&path).map_err(IndexError::io("cannot read", &path))?;
    std::io::copy(&mut source, &mut section).map_err(IndexError::io("cannot write", &path))?;
    section.finish();
    file.write_section("wordsums", &sums_of(&folder.join(WORDS))?)?;
    file.finish()?;
    remove(&path)
}

/// Removes a file or a folder if it exists.
pub(crate) fn remove(path: &Path) -> Result<(), IndexError> {
    let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(IndexError::io("cannot remove", path)(error))
        }
        _ => Ok(()),
    }
}
