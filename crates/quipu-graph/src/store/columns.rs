//! Columns: the node that names each entity, the heads of each relation, and the documents of entities.

use std::path::Path;

use memmap2::Advice;

use super::file::{FileEntry, FileWriter, MappedFile};
use super::manifest::Manifest;
use crate::bytes::{Cursor, fixed, prefetch, push_varint};
use crate::{GraphError, NodeId};

/// Writes, entity after entity, the node whose text is the entity's name; all bits set: none.
pub(crate) struct NameWriter {
    file: FileWriter,
    width: usize,
}

impl NameWriter {
    pub(crate) fn create(folder: &Path, id_width: u32) -> Result<Self, GraphError> {
        Ok(Self { file: FileWriter::create(folder, "names")?, width: id_width as usize })
    }

    pub(crate) fn push(&mut self, name: Option<u32>) -> Result<(), GraphError> {
        let bytes = name.unwrap_or(u32::MAX).to_le_bytes();
        self.file.write(bytes.get(..self.width).unwrap_or(&bytes))
    }

    pub(crate) fn finish(self) -> Result<FileEntry, GraphError> {
        self.file.finish()
    }
}

/// The name column.
pub(crate) struct NameColumn {
    file: MappedFile,
    width: usize,
    none: u64,
}

impl NameColumn {
    pub(crate) fn open(folder: &Path, manifest: &Manifest) -> Result<Self, GraphError> {
        let file = MappedFile::open(folder, manifest.file(folder, "names")?, Advice::Random)?;
        let width = manifest.id_width as usize;
        if file.bytes().len() as u64 != manifest.counts.entities * width as u64 {
            return Err(file.corrupt("its size does not fit the number of entities"));
        }
        Ok(Self { file, width, none: (1 << (8 * width)) - 1 })
    }

    /// The node that names the entity.
    #[inline]
    pub(crate) fn get(&self, entity: u64) -> Option<NodeId> {
        let start = entity as usize * self.width;
        let id = fixed(self.file.bytes().get(start..start + self.width)?);
        (id != self.none).then_some(NodeId(id))
    }

    #[inline]
    pub(crate) fn prefetch(&self, entity: u64) {
        prefetch(self.file.bytes(), entity as usize * self.width);
    }

    pub(crate) fn file(&self) -> &MappedFile {
        &self.file
    }
}

/// Writes the distinct heads of each relation, as differences. Heads come in ascending order over all relations; what
/// outgrows the memory allowed goes to a spill file and is gathered at the end.
pub(crate) struct HeadsWriter {
    folder: std::path::PathBuf,
    lists: Vec<HeadList>,
    pending: usize,
    limit: usize,
    spill: Option<FileWriter>,
}

#[derive(Default, Clone)]
struct HeadList {
    bytes: Vec<u8>,
    last: u32,
    spilled: Vec<(u64, u64)>,
}

/// Name of the spill file; removed when the lists are gathered.
const HEADS_SPILL: &str = "heads.spill";

impl HeadsWriter {
    pub(crate) fn new(folder: &Path, relations: usize, limit: usize) -> Self {
        let lists = vec![HeadList::default(); relations];
        Self { folder: folder.to_owned(), lists, pending: 0, limit, spill: None }
    }

    /// Adds a head to a relation's list.
    pub(crate) fn push(&mut self, relation: u32, head: u32) -> Result<(), GraphError> {
        let Some(list) = self.lists.get_mut(relation as usize) else { return Ok(()) };
        let before = list.bytes.len();
        push_varint(&mut list.bytes, u64::from(head - list.last));
        list.last = head;
        self.pending += list.bytes.len() - before;
        if self.pending > self.limit { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> Result<(), GraphError> {
        let file = match &mut self.spill {
            Some(file) => file,
            none => none.insert(FileWriter::create(&self.folder, HEADS_SPILL)?),
        };
        for list in &mut self.lists {
            if !list.bytes.is_empty() {
                list.spilled.push((file.position(), list.bytes.len() as u64));
                file.write(&list.bytes)?;
                list.bytes = Vec::new();
            }
        }
        self.pending = 0;
        Ok(())
    }

    /// The file, and where each relation's list ends in it.
    pub(crate) fn finish(mut self) -> Result<(FileEntry, Vec<u64>), GraphError> {
        let mut out = FileWriter::create(&self.folder, "heads")?;
        let spilled = match self.spill.take() {
            Some(file) => Some(MappedFile::open(&self.folder, &file.finish()?, Advice::Normal)?),
            None => None,
        };
        let mut ends = Vec::with_capacity(self.lists.len());
        for list in &self.lists {
            for (start, length) in &list.spilled {
                let part = spilled
                    .as_ref()
                    .and_then(|file| Cursor::new(file.bytes(), *start as usize).take(*length));
                out.write(part.unwrap_or_default())?;
            }
            out.write(&list.bytes)?;
            ends.push(out.position());
        }
        if spilled.is_some() {
            let path = self.folder.join(HEADS_SPILL);
            std::fs::remove_file(&path).map_err(crate::error::io_error("cannot remove", &path))?;
        }
        Ok((out.finish()?, ends))
    }
}

/// The heads of relations.
pub(crate) struct Heads {
    file: MappedFile,
    ends: Vec<u64>,
}

impl Heads {
    pub(crate) fn open(folder: &Path, manifest: &Manifest, ends: Vec<u64>) -> Result<Self, GraphError> {
        let file = MappedFile::open(folder, manifest.file(folder, "heads")?, Advice::Normal)?;
        if !ends.is_sorted() || ends.last().copied().unwrap_or(0) != file.bytes().len() as u64 {
            return Err(file.corrupt("its size does not fit the relation catalogue"));
        }
        Ok(Self { file, ends })
    }

    /// The distinct heads of a relation in the order of their ids.
    pub(crate) fn of(&self, relation: u32) -> impl Iterator<Item = Result<NodeId, GraphError>> + '_ {
        let relation = relation as usize;
        let end = self.ends.get(relation).copied().unwrap_or(0) as usize;
        let start = relation.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let mut cursor = Cursor::new(self.file.bytes().get(..end).unwrap_or_default(), start as usize);
        let mut last = 0u64;
        std::iter::from_fn(move || {
            if cursor.position() >= end {
                return None;
            }
            let Some(step) = cursor.varint() else {
                cursor = Cursor::new(&[], end);
                return Some(Err(self.file.corrupt("a list of heads is damaged")));
            };
            last = last.saturating_add(step);
            Some(Ok(NodeId(last)))
        })
    }

    pub(crate) fn file(&self) -> &MappedFile {
        &self.file
    }
}

/// Bytes of one line of the document index: node, offset, length.
const DOCUMENT_LINE: usize = 4 + 8 + 4;

/// Where the text of a node's document stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DocumentPlace {
    pub(crate) node: u32,
    pub(crate) offset: u64,
    pub(crate) length: u32,
}

/// Writes the index of the documents, in the order of nodes.
pub(crate) fn write_document_index(folder: &Path, places: &[DocumentPlace]) -> Result<FileEntry, GraphError> {
    let mut file = FileWriter::create(folder, "documents.index")?;
    for place in places {
        file.write(&place.node.to_le_bytes())?;
        file.write(&place.offset.to_le_bytes())?;
        file.write(&place.length.to_le_bytes())?;
    }
    file.finish()
}

/// The documents of a store.
pub(crate) struct Documents {
    texts: MappedFile,
    index: MappedFile,
    count: u64,
}

impl Documents {
    pub(crate) fn open(folder: &Path, manifest: &Manifest) -> Result<Self, GraphError> {
        let map = |name| MappedFile::open(folder, manifest.file(folder, name)?, Advice::Random);
        let (texts, index, count) =
            (map("documents.texts")?, map("documents.index")?, manifest.counts.documents);
        if index.bytes().len() as u64 != count * DOCUMENT_LINE as u64 {
            return Err(index.corrupt("its size does not fit the number of documents"));
        }
        Ok(Self { texts, index, count })
    }

    fn place(&self, line: u64) -> Option<DocumentPlace> {
        let mut cursor = Cursor::new(self.index.bytes(), line as usize * DOCUMENT_LINE);
        let node = fixed(cursor.take(4)?) as u32;
        Some(DocumentPlace { node, offset: fixed(cursor.take(8)?), length: fixed(cursor.take(4)?) as u32 })
    }

    fn text(&self, place: DocumentPlace) -> Result<&str, GraphError> {
        let bytes = Cursor::new(self.texts.bytes(), place.offset as usize).take(u64::from(place.length));
        bytes
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .ok_or_else(|| self.texts.corrupt(format!("the document of node {} is damaged", place.node)))
    }

    /// The document of a node.
    pub(crate) fn get(&self, node: NodeId) -> Result<Option<&str>, GraphError> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            let Some(place) = self.place(middle) else { break };
            match u64::from(place.node).cmp(&node.0) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.text(place).map(Some),
            }
        }
        Ok(None)
    }

    /// All documents in the order of their nodes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Result<(NodeId, &str), GraphError>> {
        (0..self.count)
            .filter_map(|line| self.place(line))
            .map(|place| self.text(place).map(|text| (NodeId(u64::from(place.node)), text)))
    }

    pub(crate) fn files(&self) -> [&MappedFile; 2] {
        [&self.texts, &self.index]
    }
}
